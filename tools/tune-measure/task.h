//===- task.h - An opened task: inputs, references, limits -------------------===//
//
// A task holds the inputs and the outputs that are right for them. Both are made once; the
// children that run candidates inherit them and pay only for the pages they write to.
//
// task_create.c, which makes and destroys one, is above inputs.c and reference.c; these are above
// task.c, which has the rest.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_TASK_H
#define TUNE_TOOLS_TUNE_MEASURE_TASK_H

#include "formats/measure_requests.h"
#include "targets/exact.h"
#include "targets/output_check.h"
#include "tools/tune-measure/child.h"
#include "tuning/measure/measure.h"

// A set of inputs, and what is right for it.
typedef struct task_inputs {
  tune_buffer *values;  // one for each argument; NULL: there is no such set
  tune_buffer *outputs; // of the reference, one for each output
  double *spreads;      // how far each moves with the inputs (output_check.h); NULL: not known
  float **leeways;      // for each output, of each of its elements (output_check.h); NULL: none
  int64_t reduction;    // terms of a sum that are not zero; 0: as many as the task's
  double exact_limit;   // of outputs that have to be exact (output_check.h); 0: not so
} task_inputs;

// Those of targets/sparse.h, and of targets/exact.h.
#define TASK_SPARSE_LIMIT (3 + TUNE_EXACT_SET_LIMIT)
// Where more of a result than this has no number to compare, nothing is known of a candidate.
#define TASK_MOST_UNCHECKED 1e-3

typedef struct task {
  struct task *next;
  char *id;
  const tune_target_class *target;
  char *device; // of the target; NULL: its first one
  tune_signature signature;
  size_t threads;
  int *cpus; // NULL: any
  size_t cpu_count;
  int *reference_cpus;        // that the reference runs on
  size_t reference_cpu_count; // 0: on `cpus`
  bool flushes_cache;         // ahead of each run that is timed
  bool counts;                // what the processor does meanwhile (counters.h)
  tune_tolerance tolerance;
  task_inputs dense;                     // what is timed
  task_inputs sparse[TASK_SPARSE_LIMIT]; // what is looked at ahead of that; there may be none
  size_t sparse_count;
  bool has_reference;       //
  bool leans;               // the reference can (transforms/lower/cpu/leaning.h)
  double reference_seconds; // of its run on the dense inputs
  double nan_share;         // of the reference's floats there: what is NaN cannot be checked
  double unchecked_share;   // the most of a result that is NaN, or infinite and not by choice
  char *unchecked;          // what that is, in words; NULL: none
} task;

// Makes a task as a request wants it, and takes what it needs of that. Runs the reference, if there
// is one; where that gives more NaN than numbers, the inputs are made positive and it runs again;
// where too much of a result is still no number, they are made smaller, twice at most;
// for the sensitivity it runs once more on inputs that are a little off; then on sparse ones
// (reference.h). INVALID_ARGUMENT names what is not what it should be. A reference that crashes or
// hangs is INTERNAL, with the reason; CANCELLED if `watch` says so.
tune_status task_create(const tune_measured_task *wanted, const child_watch *watch,
                        task **out_task);
void task_destroy(task *t);

// What the task says of its target.
tune_target_options task_target_options(const task *t);
// The target opened, in a child, as the task says.
tune_status task_open_target(const task *t, tune_target **out_target);
// Whether times are taken on `target`, so that nothing else should run on its CPUs: those of the
// GPU's driver, too.
bool task_takes_time(const tune_target_class *target);
// Whether so much of the reference is no number that what is not wrong need not be right.
bool task_is_inconclusive(const task *t);
// Limits of a child that runs an artifact of the task; `default_seconds` where there are none.
child_limits task_make_limits(const tune_limits *limits, const task *t, double default_seconds);
// How samples are taken; `best` as there.
tune_measure_options task_make_measure_options(const tune_sampling *sampling, double best);

#endif // TUNE_TOOLS_TUNE_MEASURE_TASK_H
