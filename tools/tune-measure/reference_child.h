//===- reference_child.h - One run of a reference --------------------------------===//
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_REFERENCE_CHILD_H
#define TUNE_TOOLS_TUNE_MEASURE_REFERENCE_CHILD_H

#include "targets/sparse.h"
#include "tools/tune-measure/reference.h"

// One run, in a child, whose copies of the inputs it may change.
typedef struct reference_order reference_order;
struct reference_order {
  const task *of;
  const task_inputs *set;
  const char *path;
  void (*change)(const task_inputs *set, const reference_order *order); // NULL: none
  tune_disturbance disturbance;                                         // of the inputs
  uint64_t disturbance_seed;                                            // which of them go up
  const double *leaning; // TUNE_LEANING_COUNT, if it leans; NULL: it does not
  bool leans;            // set by a run: whether it can
  bool is_timed;         // unless that takes a second, it runs again to be timed
  int fd;                // where outputs go
};

// Runs `order`, of which it sets what is said there. `*out_outputs`, one for each output of the
// task, is to be destroyed whatever comes of it.
tune_status reference_child_run(const reference *r, reference_order *order,
                                tune_buffer **out_outputs, double *out_seconds);
void reference_destroy_outputs(const task *t, tune_buffer *outputs);

#endif // TUNE_TOOLS_TUNE_MEASURE_REFERENCE_CHILD_H
