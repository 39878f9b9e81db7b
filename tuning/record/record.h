//===- record.h - A trial kept -----------------------------------------------===//
//
// A record is what is known of one trial: which task, on which target, which config,
// what came of it. It is what the session hands to its store, what the database keeps
// and what is exported. Identity: (task, fingerprint, schedule, config).
//
// Ownership: a record owns everything it points to; all of it comes from malloc.
// Threads: a value; no shared state.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_RECORD_RECORD_H
#define TUNE_TUNING_RECORD_RECORD_H

#include "support/status.h"
#include "tuning/record/check_result.h"
#include "tuning/record/counts.h"
#include "tuning/record/kept_conditions.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// What came of a candidate; see "Verdicts" in docs/protocol.md.
typedef enum tune_verdict {
  TUNE_VERDICT_OK,
  TUNE_VERDICT_WRONG,
  TUNE_VERDICT_BUILD_FAILED,
  TUNE_VERDICT_BUILD_CRASHED,
  TUNE_VERDICT_BUILD_TIMEOUT,
  TUNE_VERDICT_RUN_CRASHED,
  TUNE_VERDICT_RUN_TIMEOUT,
  TUNE_VERDICT_CUT,          // correct, but surely slower than the best; samples are few
  TUNE_VERDICT_DUPLICATE,    // same artifact as an earlier trial, whose figures it takes
  TUNE_VERDICT_INCONCLUSIVE, // too much of what is right is no number to compare with
  TUNE_VERDICT_CANCELLED,    // never kept as a record
} tune_verdict;

#define TUNE_VERDICT_COUNT (TUNE_VERDICT_CANCELLED + 1)

const char *tune_verdict_name(tune_verdict verdict); // "ok", "build-failed", ...
// INVALID_ARGUMENT lists the verdicts.
tune_status tune_verdict_parse(const char *text, tune_verdict *out_verdict);
// Whether the candidate has no valid time: neither ok nor cut nor a duplicate.
bool tune_verdict_is_failure(tune_verdict verdict);

// Where the time of a trial goes, in order.
typedef enum tune_stage {
  TUNE_STAGE_TRANSFORM, // the schedule applied
  TUNE_STAGE_LOWER,     // to the LLVM dialect
  TUNE_STAGE_OPTIMIZE,  // LLVM's middle end
  TUNE_STAGE_CODEGEN,   //
  TUNE_STAGE_LINK,      //
  TUNE_STAGE_MEASURE,   // loading, checking and timing
} tune_stage;

#define TUNE_STAGE_COUNT (TUNE_STAGE_MEASURE + 1)

const char *tune_stage_name(tune_stage stage); // "transform", "lower", ...

typedef enum tune_record_kind {
  TUNE_RECORD_TRIAL,
  TUNE_RECORD_WINNER,   // the winner of a session, measured again beside the other finalists; beats
                        // any trial of its task and fingerprint when the best is asked for
  TUNE_RECORD_DEMOTION, // of a task in one module: what it has there in place of a config that
                        // loses in it; of a config in place of itself, that it stands there again
  TUNE_RECORD_GROUPING, // how the ops of a task are grouped, by its config (transforms/spaces/
                        // best_grouping.h): what the last one says holds
} tune_record_kind;

// A time in seconds for one run of the artifact.
typedef struct tune_timing {
  double median;    // seconds; 0 where there is none
  double low, high; // 95 % interval of the median
  uint64_t repeats; // runs that one sample is the mean of
  double *samples;  // seconds each, in the order taken
  size_t sample_count;
} tune_timing;

// What the code takes of a device, as its assembler says (ptxas, for CUDA): of the kernel that
// takes most of each.
typedef struct tune_code_features {
  int64_t registers;     // of an invocation; 0: nothing is known
  int64_t spilled_bytes; // of an invocation, for want of registers
  int64_t shared_bytes;  // of a group
} tune_code_features;

// What came of a candidate's runs, besides the time: it goes as a whole from the reply of who
// measured to the session, and on to the record.
typedef struct tune_run_figures {
  tune_check_result check;
  tune_counts counts; // in runs of their own, beside those that were timed
} tune_run_figures;

typedef struct tune_record {
  tune_record_kind kind;
  char *task;        // key of the task
  char *fingerprint; // digest of what it ran on: the target's fingerprint and the thread count
  char *schedule;    // digest of the space's schedule, knobs open; "" where there is none
  char *config;      // JSON object from knob names to integers, in the space's order
  char *script;      // the schedule with the config's knobs selected; NULL where it is not kept
  tune_verdict verdict;
  char *error;  // why it failed; of an ok trial why an earlier record of its config does not hold,
                // or NULL
  char *digest; // of the artifact; NULL where there was none
  tune_code_features code;
  tune_timing time; // zeroes where the verdict is a failure
  double drift; // how much slower the machine was then than when its session began, or, where that
                // one went on from others, than when theirs were taken, as far as was known: times
                // are to be divided by it; 0: as fast, or not known
  tune_run_figures run;
  tune_kept_conditions conditions;        // of the machine, when its session began
  double stage_seconds[TUNE_STAGE_COUNT]; // 0 for a stage not reached
  char *strategy;                         // who proposed it: "default", "seed", "evolutionary", ...
  char *module;  // of a demotion, the key of the module (transforms/tasks/module_key.h), else NULL
  char *lost;    // of a demotion, the config that loses in it, as `config`; else NULL
  uint64_t seed; // of the strategy
  int64_t created_ms; // when it was measured; Unix time in milliseconds
} tune_record;

// The median that is put right by the drift, to compare it with others of the same task and
// fingerprint; 0 where there is no time.
double tune_record_seconds(const tune_record *record);

// All zero and NULL: the empty record. The required texts (task, fingerprint, schedule, config,
// strategy) are then NULL and have to be set before it is stored.
void tune_record_init(tune_record *record);
void tune_record_deinit(tune_record *record);
tune_status tune_record_init_copy(tune_record *record, const tune_record *other);

// As the JSON of exported lines: {"kind": "trial", "task": …, "config": {…}, "verdict": "ok",
// "time": {"median","low","high","repeats","samples":[…]}, "check": {"max_error","tolerance",…}
// (check_result.h), "counters": {"cycles",…} (counts.h), "conditions": {"cpus",…}
// (kept_conditions.h), "drift": 1.05, "stages": {"transform": s,
// …}, "code":
// {"registers","spilled_bytes","shared_bytes"}, "strategy": …, "seed": …, "created_ms": …}; what is
// absent is left out. A seed is a decimal string, since it may exceed JSON's integers. A new
// reference.
tune_status tune_record_to_json(const tune_record *record, json_t **out_object);
// Reads what to_json writes, trusting nothing: INVALID_ARGUMENT names the member that is missing,
// unknown, of the wrong type, or out of range (times are finite and not negative, an ok trial has
// one, a failed one has none).
tune_status tune_record_from_json(const json_t *object, tune_record *record);

// Whether `record` is fit to be stored, by the rules of from_json. INVALID_ARGUMENT says why not.
tune_status tune_record_validate(const tune_record *record);

//===--------------------------------------------------------------------------===//
// Stores: where a session keeps records and finds old ones. The database is one
// (tuning/database/database.h), tests use one in memory.
//===--------------------------------------------------------------------------===//

// Called for each record loaded. `record` is borrowed for the call. A failing status ends the load
// and is returned from it.
typedef tune_status (*tune_record_visitor)(void *user, const tune_record *record);

typedef struct tune_record_store {
  void *self;
  // Keeps a copy of `record` for good: once this returns OK, a killed process loses nothing.
  tune_status (*append)(void *self, const tune_record *record);
  // Visits every record of `task` on `fingerprint`, oldest first.
  tune_status (*load)(void *self, const char *task, const char *fingerprint,
                      tune_record_visitor visit, void *user);
} tune_record_store;

// The config of a record as `tune-run --config=` takes it: "mc=64,nr=32". The caller's, to free.
tune_status tune_record_config_text(const char *config, char **out_text);

// A time as records keep it. NULL where memory ran out.
json_t *tune_timing_to_json(const tune_timing *time);

// The member "code" of a record's JSON and of a build's: NULL where nothing is known, or memory ran
// out. from_json reads that back, NULL being nothing, and get that of `object`; INVALID_ARGUMENT
// for one that is none.
json_t *tune_code_features_to_json(const tune_code_features *code);
tune_status tune_code_features_from_json(const json_t *member, tune_code_features *out_code);
tune_status tune_code_features_get(const json_t *object, tune_code_features *out_code);

// Whether they are fit to be kept. INVALID_ARGUMENT for what is not.
tune_status tune_run_figures_validate(const tune_run_figures *figures);

// The member "stages" of a record's JSON and of an exported candidate: those reached. NULL where
// memory ran out. get leaves at 0 what is not there; INVALID_ARGUMENT for a member that is none.
json_t *tune_stages_to_json(const double seconds[TUNE_STAGE_COUNT]);
tune_status tune_stages_get(const json_t *object, double seconds[TUNE_STAGE_COUNT]);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_RECORD_RECORD_H
