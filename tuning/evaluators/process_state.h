//===- process_state.h - The jobs of the process evaluator -------------------===//
//
// A ticket of the session becomes a job; on the wire it has a number of its own, which is
// never used again, so that a late answer to what was given up is known as such. Internal
// to process.c (the class), process_jobs.c, and process_exchange.c (what is sent when, and
// what comes back).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_PROCESS_STATE_H
#define TUNE_TUNING_EVALUATORS_PROCESS_STATE_H

#include "support/digest.h"
#include "support/scratch.h"
#include "tuning/evaluators/process_messages.h"
#include "tuning/evaluators/process_server.h"

#ifdef __cplusplus
extern "C" {
#endif

enum job_state { JOB_TO_BUILD, JOB_BUILDING, JOB_BUILT, JOB_TO_MEASURE, JOB_MEASURING };

struct job {
  uint64_t ticket; // of the session
  uint64_t wire;
  enum job_state state;
  tune_config config;
  char *path;   // of the artifact
  bool is_read; // by the measurer, still, though nobody waits for the result any more
  double best;
  double sent; // when it was sent to be measured
};

enum reference { REFERENCE_TO_BUILD, REFERENCE_BUILDING, REFERENCE_BUILT };

struct process_evaluator {
  tune_process_evaluator_options options; // texts owned
  tune_cores cores;
  tune_scratch *scratch;
  struct server worker, measurer;
  const tune_task *task;
  json_t *signature; // NULL until the worker has opened the task
  enum reference reference;
  uint64_t reference_wire;
  char *reference_path;
  tune_digest source;       // what the worker has open; "": nothing
  tune_digest checked;      // what `reference` and the measurer's task are of; "": nothing
  bool is_preparing;        // else what is opened on the measurer is for the cores that time
  bool was_prepared;        // and has not failed: beside others, what takes long may be cut off
  double reference_seconds; // 0 as long as the measurer has not run it
  struct job *jobs;         // in the order of build
  size_t job_count, job_capacity;
  uint64_t last_wire;
  uint64_t task_count;                  // opened so far
  bool is_measuring_turn;               // where cores are shared
  const tune_compare_order *to_compare; // NULL unless comparing
  uint64_t compare_wire;                // 0 while the request is not sent
  tune_comparison *comparison;          // where the reply goes
  bool has_compared;
  char *missing_counters; // the first reason that the measurer gave; NULL: none so far
};

// The job of a ticket, or NULL.
struct job *tune_jobs_find(struct process_evaluator *evaluator, uint64_t ticket);
size_t tune_jobs_count(const struct process_evaluator *evaluator, enum job_state state);
// Adds one, to be built.
tune_status tune_jobs_add(struct process_evaluator *evaluator, uint64_t ticket,
                          const tune_config *config);
// Forgets a job and its artifact. Those after it move up.
void tune_jobs_remove(struct process_evaluator *evaluator, struct job *job);
// The path of the artifact with this number on the wire; the caller's.
tune_status tune_jobs_make_path(const struct process_evaluator *evaluator, uint64_t wire,
                                char **out_path);

// Takes back what a server that died was asked.
void tune_exchange_forget_worker(struct process_evaluator *evaluator);
void tune_exchange_forget_measurer(struct process_evaluator *evaluator);

// Sends whatever the state of things allows.
tune_status tune_exchange_advance(struct process_evaluator *evaluator);
// Sends and receives until there is an event, a comparison has come, a signal came, or `deadline`
// (tune_clock_seconds) has passed.
tune_status tune_exchange_wait(struct process_evaluator *evaluator, double deadline,
                               tune_evaluation *event, bool *out_any);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_PROCESS_STATE_H
