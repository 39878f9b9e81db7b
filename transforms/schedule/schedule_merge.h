//===- schedule_merge.h - Merging the sequences of many schedules into one script -===//
//
// Takes the decided schedules of tasks apart into their sequences, gives these names that do
// not clash, and keeps those once that are equal, as most are by which tasks are prepared.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_MERGE_H
#define TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_MERGE_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_SEQUENCE_MAIN "__transform_main"
#define TUNE_SEQUENCE_TENSORS "tune_tensors"
#define TUNE_SEQUENCE_BUFFERS "tune_buffers"

// A sequence.
typedef struct tune_schedule_sequence {
  char *base;       // its name in the schedule
  char *name;       // and here
  char *text;       // as printed under its old name, its references renamed
  MlirOperation op; // owned, until it is taken
} tune_schedule_sequence;

// With what a task's schedule begins; borrowed.
typedef struct tune_schedule_entries {
  const tune_schedule_sequence *tensors, *buffers; // or NULL
  const tune_schedule_sequence *whole;             // takes the module, and bufferizes by itself
} tune_schedule_entries;

typedef struct tune_schedule_sequences {
  tune_schedule_sequence **items;
  size_t count;
} tune_schedule_sequences;

// Begin with {0}.
void tune_schedule_merge_deinit(tune_schedule_sequences *parts);

// Adds the sequences of `schedule`, a transform module, which stays as it is. `number` makes the
// names of those that no schedule before it had. @__transform_main is left out where there is
// @tune_tensors, and takes its place where there is none.
tune_status tune_schedule_merge_add(tune_schedule_sequences *parts, MlirOperation schedule,
                                    size_t number, tune_schedule_entries *out_entries);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_MERGE_H
