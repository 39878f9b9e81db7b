//===- evaluator.h - The interface of evaluators: build and time a config ----===//
//
// What the session knows of building and measuring: a config goes in with a ticket, an
// artifact's digest comes out; the session then has that artifact measured, or releases
// it as one it knows. All of it is asynchronous, so that builds overlap; which core does
// what is the evaluator's business.
//
//   build(1, a)  build(2, b)  wait → built 1  measure(1)  wait → built 2  …  wait → measured 1
//
// A candidate that fails is an event with its verdict. Statuses are for what ends a
// session: a server that dies again and again, memory, disk.
//
// Threads: one thread at a time per evaluator.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_EVALUATOR_H
#define TUNE_TUNING_EVALUATORS_EVALUATOR_H

#include "tuning/measure/statistics.h"
#include "tuning/record/record.h"
#include "tuning/record/task.h"
#include "tuning/space/config.h"

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a task of a module took in a run of the artifact.
typedef struct tune_part_time {
  char *function; // its name
  double seconds; // of all its calls in a run
  double calls;   // above 0
} tune_part_time;

// What came of a ticket. Owns its texts and samples.
typedef struct tune_evaluation {
  uint64_t ticket;
  bool is_measured;     // else it is the outcome of the build
  tune_verdict verdict; // of a build that went well: OK
  char *error;          // NULL where there is none
  char *digest;         // of the artifact, once built
  tune_timing time;     // once measured
  tune_run_figures run;
  tune_part_time *parts; // of a module that times its tasks, once measured
  size_t part_count;
  tune_code_features code;                // of a build
  double stage_seconds[TUNE_STAGE_COUNT]; // those of the build, or that of the measurement
  double waited;      // seconds that the measurement waited for others that time on the same cores
  int64_t created_ms; // when that was, Unix time in milliseconds; 0: now
} tune_evaluation;

void tune_evaluation_deinit(tune_evaluation *evaluation);

// What to measure side by side.
typedef struct tune_compare_order {
  const uint64_t *tickets; // that were built
  size_t count;            // at least 2
  double confidence;       // that all ratios are in their intervals, together
  double deadline;         // by tune_clock_seconds: then it ends like an interrupt; 0: none
  const volatile sig_atomic_t *interrupted; // not 0: it ends, with no result; NULL: never
} tune_compare_order;

// Artifacts measured side by side.
typedef struct tune_comparison {
  bool was_interrupted; // nothing else of it holds then
  size_t count;
  tune_timing *times; // count
  tune_ratio *ratios; // count: the time of each relative to that of the first
  size_t placements;  // in how many placements that was (tuning/measure/placements.h); 0: not known
  bool failed;        // one of them was wrong, crashed or hung this time; there are no times then
  tune_verdict verdict; // of that one
  size_t culprit;       // which it was; `count` where that is not known
  char *error;          // why, where it failed
} tune_comparison;

void tune_comparison_deinit(tune_comparison *comparison);

// A server that had to be started again, or had to start children again.
typedef struct tune_restarted {
  const char *name; // "tune-worker"; borrowed
  size_t times;
  const char *why; // the last time: "it was killed by SIGKILL"; borrowed
  size_t children; // requests whose child somebody had killed, by SIGKILL
} tune_restarted;

#define TUNE_EVALUATOR_SERVERS 2

typedef struct tune_evaluator_class {
  const char *name;
  void (*destroy)(void *self);
  // Makes `task` the one that tickets belong to. The one before is to be closed first.
  tune_status (*open)(void *self, const tune_task *task);
  // Makes what artifacts of `task` will be checked against while another evaluator times others, so
  // that none of it is on the cores that time. It lives until the next open, which takes that up
  // where it is of a task that is checked against the same, and drops it else. wait drives it,
  // gives no event of it, and fails as it would after open. NULL: it cannot.
  tune_status (*prepare)(void *self, const tune_task *task);
  // How many tickets with an unfinished build keep it busy; at least 1.
  size_t (*capacity)(const void *self);
  // Starts to build `config`. `ticket` is new in this task.
  tune_status (*build)(void *self, uint64_t ticket, const tune_config *config);
  // Starts to check and time the artifact of a ticket that was built, once more where it was timed
  // before. `best` is the time of the best one that it is measured against, in seconds, or 0; one
  // that is surely slower may be cut.
  tune_status (*measure)(void *self, uint64_t ticket, double best);
  // Gives up the artifact of a ticket, which is new again then. What was built and not released
  // stays for compare.
  void (*release)(void *self, uint64_t ticket);
  // The next event, after at most `seconds`; `*out_any` is false where there was none by then, or a
  // signal came. Outstanding tickets all give one in the end.
  tune_status (*wait)(void *self, double seconds, tune_evaluation *out_event, bool *out_any);
  // Measures artifacts interleaved; blocks for some tenths of a second each. Nothing else may be
  // outstanding.
  tune_status (*compare)(void *self, const tune_compare_order *order,
                         tune_comparison *out_comparison);
  // Stops whatever is outstanding; no event comes of it.
  tune_status (*cancel)(void *self);
  // Forgets the task's tickets and artifacts; what was outstanding is stopped. What they were
  // checked against may stay, for the next open.
  void (*close)(void *self);
  // Whether what is outstanding is measured elsewhere and is not known yet: wait gives no event of
  // it, compare was interrupted, and the session ends. NULL: never.
  bool (*is_suspended)(const void *self);
  // How long the plain lowering of the task took that is open, in seconds; 0 as long as that is not
  // known. NULL: never.
  double (*reference_seconds)(const void *self);
  // Why some counters were not to be had, so far; NULL where nobody missed any. NULL: never.
  const char *(*missing_counters)(const void *self);
  // Lists the servers of which there is that to say so far, in all tasks, and returns how many
  // these are. NULL: there are none.
  size_t (*restarted)(const void *self, tune_restarted out_servers[TUNE_EVALUATOR_SERVERS]);
} tune_evaluator_class;

typedef struct tune_evaluator {
  const tune_evaluator_class *methods;
  void *self;
} tune_evaluator;

void tune_evaluator_destroy(tune_evaluator *evaluator);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_EVALUATOR_H
