//===- module_tasks.h - The tasks of a module, for passes --------------------===//
//
// tune-annotate, tune-apply, tune-lower and tune-export-schedule all look at the tasks of a
// module for a target. This is that common part: its options, what they stand for, and the
// walk over the tasks.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_MODULE_TASKS_H
#define TUNE_TRANSFORMS_SPACES_MODULE_TASKS_H

#include "transforms/ir/ir.h"
#include "transforms/spaces/grouping.h"
#include "transforms/spaces/task_space.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The tasks of a module and what is needed to make their spaces.
typedef struct tune_module_tasks {
  MlirContext context;
  tune_extraction *extraction;
  tune_anchors anchors;
  tune_target_facts *facts;
  tune_target_facts *of_one_thread; // of tasks that each thread does by itself; NULL: there is none
  char *schedule_text;              // the user's, or NULL
  tune_task_attempt *attempts;      // of each task: which of its schedules is meant
  tune_task_cuts cuts;              // those that the choices ask for (grouping.h)
  tune_digest module;               // tune_module_key without any cut
  tune_task_space_options options;
} tune_module_tasks;

typedef struct tune_module_tasks_options {
  const char *target; // tuning/device/target_name.h
  const char *device; // file with its fingerprint (tuning/device/device_file.h); NULL: it is here
  // The target's facts are not asked for but made of this (tune_target_facts_create_known).
  bool has_fingerprint;
  bool advises; // where there is no such device the error says what to do: for passes with device=
  const json_t *fingerprint;
  size_t threads;
  bool flush_cache;           // records are of runs with flushed caches
  const char *schedule;       // file; NULL: rules
  const char *allowed_passes; // that it may run beside those listed (schedule_passes.h), or NULL
  bool takes_all_chosen;      // see task_space.h
  unsigned levels;            // see task_space.h
  bool by_target;             // see task_space.h
} tune_module_tasks_options;

// Whether the tasks are to be in the form that CPUs take best (tune_normalize): where the target is
// no device.
bool tune_module_tasks_is_for_cpu(const tune_module_tasks_options *options);
// The threads of these; 0 where the target is a device.
size_t tune_module_tasks_cpu_threads(const tune_module_tasks_options *options);

// The facts of what the options say; to be destroyed.
tune_status tune_module_tasks_get_facts(const tune_module_tasks_options *options,
                                        tune_target_facts **out_facts);

// Extracts the tasks of `module`, cut apart as its choices say, and asks for the facts of the
// target.
tune_status tune_module_tasks_init(tune_module_tasks *tasks, MlirOperation module,
                                   const tune_module_tasks_options *options);
void tune_module_tasks_deinit(tune_module_tasks *tasks);

// What task `task` is for: the target, with all threads or with one.
const tune_target_facts *tune_module_tasks_facts(const tune_module_tasks *tasks, size_t task);

// Extracts `module` anew, with `cuts` after those that its choices ask for; `*out_anchors` is of
// that. The caller's, who gives it to the tasks in place of theirs.
tune_status tune_module_tasks_cut(const tune_module_tasks *tasks, MlirOperation module,
                                  const tune_task_cuts *cuts, tune_extraction **out_extraction,
                                  tune_anchors *out_anchors);

// Which of `tasks`, which are those of `module`, the function `function` (NULL: the only one, or
// @main) runs, in the order in which a module of that function alone has them: a build of it counts
// tasks so, and has no others. What is none of `tasks` has their count. The caller's, to free.
// FAILED_PRECONDITION where the function cannot be run.
tune_status tune_module_tasks_list_run(const tune_module_tasks *tasks, MlirModule module,
                                       const char *function, size_t **out_run, size_t *out_count);

// The space of task `task`, as its attempt says; to be destroyed.
tune_status tune_module_tasks_make_space(const tune_module_tasks *tasks, size_t task,
                                         tune_task_space **out_space);

// Emits a remark for each op that no task has, with the reason; and where there is no task at all,
// one that says so.
void tune_module_tasks_remark_left_out(const tune_module_tasks *tasks, MlirOperation module);

// What a pass that makes spaces has to load (tune_pass_class.dialects); NULL-terminated.
extern const tune_dialect_getter tune_module_tasks_dialects[];
// Loads them: where the text of a module has been parsed, and is no pass's.
void tune_module_tasks_load_dialects(MlirContext context);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_MODULE_TASKS_H
