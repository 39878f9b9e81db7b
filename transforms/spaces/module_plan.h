//===- module_plan.h - A decided schedule for each task of a module ----------===//
//
// The tasks of a module, the schedule that is meant for each, and why that one. Of a task whose
// schedule turns out to fail another one is taken (module_fallback.h).
//
// For module_choices.h, and for tools/tune-worker, where planning and building are two processes.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_MODULE_PLAN_H
#define TUNE_TRANSFORMS_SPACES_MODULE_PLAN_H

#include "transforms/spaces/module_choices.h"

#ifdef __cplusplus
extern "C" {
#endif

// What is decided about one task.
typedef struct tune_planned_task {
  MlirOperation schedule;    // decided (instantiate.h), owned
  tune_choice_origin origin; // of its values
  bool is_users;             // the schedule is the user's, and there is no other
  bool leaves_device;        // it is a step on the host
  size_t original;           // the task's index before any was cut apart, or that of what it is of
  char *origin_name;         // "rule 'contraction' for cpu", owned
  char *why;                 // of a default: why no record is used; NULL, or owned
  char *failed;              // what it had at first, as origin_name, which failed; NULL, or owned
  char *failure;             // as what; owned
} tune_planned_task;

void tune_planned_task_deinit(tune_planned_task *planned);
tune_status tune_planned_task_init_copy(tune_planned_task *planned, const tune_planned_task *other);

// A task that is cut apart (fusion_groups.h).
typedef struct tune_planned_cut {
  tune_task_cut cut;
  size_t original;
  char *name;            // owned
  MlirLocation location; // of its first occurrence
  // What it had at first, and what failed of that; owned. The latter is NULL where nothing did.
  char *from, *failure;
} tune_planned_cut;

typedef struct tune_module_plan {
  const tune_module_choices_options *options; // borrowed
  tune_module_tasks tasks;
  tune_planned_task *planned; // of each task
  MlirOperation module;       // that is planned, borrowed
  tune_planned_cut *cuts;     // in their order
  size_t cut_count;
} tune_module_plan;

// Extracts the tasks of `module` and decides about each, as its choices, the database and the
// defaults say. With `remarks`, says which tasks have no record, as remarks.
tune_status tune_module_plan_init(tune_module_plan *plan, MlirOperation module,
                                  const tune_module_choices_options *options, bool remarks);
void tune_module_plan_deinit(tune_module_plan *plan);

// Decides about `task` once more, for `attempt`. What was decided before goes, unless this fails;
// what failed is remembered.
// NOT_FOUND where the attempt passes over all rules that there are.
tune_status tune_module_plan_decide(tune_module_plan *plan, size_t task, tune_task_attempt attempt,
                                    bool remarks);

// The same with values of all its knobs; NULL: as the attempt says.
tune_status tune_module_plan_choose(tune_module_plan *plan, size_t task, tune_task_attempt attempt,
                                    const json_t *values);

// Cuts `task` apart, at least as far as `form` (tune_task_cut): its parts are planned by what the
// database has of them, or their defaults, and tasks have other indices then. It is told that no
// schedule was left that is wanted, the last one since `failure`; where that is NULL the cut is
// somebody's choice. `*out_is_cut` is false where it is one op, or the user has said what the parts
// do not take.
tune_status tune_module_plan_cut(tune_module_plan *plan, size_t task, tune_fusion_cut_form form,
                                 const char *failure, bool *out_is_cut);

// The script for the whole module; for the caller to destroy, null where there is no task.
tune_status tune_module_plan_combine(const tune_module_plan *plan, MlirOperation *out_script);

// Tells of the tasks that had something else at first, and of those that are cut apart:
// options->tell_fallback, or remarks.
void tune_module_plan_tell(const tune_module_plan *plan);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_MODULE_PLAN_H
