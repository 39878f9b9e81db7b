//===- task.h - The task of a session ----------------------------------------===//
//
// The task as the tuning side sees it: texts for the worker, numbers for the reader, and
// the space. transforms/ fills it in from an extracted task and its schedule; tests fill
// it in by hand.
//
// Ownership: it borrows everything; all has to outlive whoever is handed it.
// Threads: a value, read only.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_RECORD_TASK_H
#define TUNE_TUNING_RECORD_TASK_H

#include "tuning/space/space.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

// How a part of a task is built.
typedef struct tune_part_way {
  const char *key;      // of the part
  size_t passed_over;   // so many of the rules that take it
  const json_t *config; // values of all its knobs
} tune_part_way;

// One of the ways to build a task of a module.
typedef struct tune_task_way {
  size_t passed_over;   // so many of the rules that take it
  const json_t *config; // values of all its knobs; {}: the defaults; NULL: as the choices on it say
  // It is cut apart so far (transforms/spaces/grouping.h), and its parts are built so; NULL: it is
  // whole.
  const char *grouping;
  const tune_part_way *parts;
  size_t part_count;
} tune_task_way;

// A module that is a task of its own: each knob of its space is a task of it, and each value one of
// the ways to build that.
typedef struct tune_task_module {
  const char *path;                 // of its text
  const char *computes;             // path of a text that computes the same, whatever its choices
  const char *schedule;             // path of the user's; NULL: none
  bool is_of_other_sizes;           // than some of its choices: these are taken where they fit
  bool times_tasks;                 // artifacts tell what each task takes, and nothing is checked
  const char *const *keys;          // of its tasks
  const tune_task_way *const *ways; // of each task: of each value of its knob
} tune_task_module;

typedef struct tune_task {
  const char *key;      // digest of its structure
  const char *name;     // for people: "matmul 512x1024x1024 f32 +bias"
  const char *payload;  // MLIR: a module with the task as a function
  const char *function; // the function's name in it
  const char *schedule; // MLIR: the transform script that `space` was read off; NULL in tests
  const char *schedule_source; // the file it is from, for messages; NULL where it is none of a user
  const char *allowed_passes;  // that it may run beside those listed, "a,b"; NULL: none
  const char *schedule_digest; // of `schedule`; "" where there is none
  const tune_space *space;     //
  const char *type;            // of elements, as in records ("f32"); NULL where it says nothing
  double flops;                // of one run; 0 where that says nothing
  double bytes;                // read and written at least by one run; 0 where unknown
  int64_t reduction;           // length of the longest chain of additions into an element, >= 1
  const char *accumulator;     // type that sums are kept in ("f32"); NULL: that of the output
  const char *operands;        // that products may be computed of ("tf32"); NULL: as they are
  double peak_flops;           // per second, of the cores and the element type; 0 where unknown
  const tune_task_module *module; // `payload` and `schedule` are NULL then; NULL: it is none
} tune_task;

// The share of the peak that a run in `seconds` reaches, in percent; 0 where it is unknown.
static inline double tune_task_percent_of_peak(const tune_task *task, double seconds) {
  if (!(task->flops > 0) || !(task->peak_flops > 0) || !(seconds > 0))
    return 0;
  return 100 * task->flops / seconds / task->peak_flops;
}

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_RECORD_TASK_H
