//===- module_choices.h - A module scheduled as its choices say --------------===//
//
// Decides the schedule of every task of a module and combines them (module_schedule.h). For
// each task, in this order:
//
//   1. what the choices on its anchors say, of whatever origin, and pin or narrow;
//   2. where they take no value: the best record of the database, if one is given, that they
//      allow;
//   3. the defaults.
//
// A task whose schedule then fails to apply or to build gets another one (module_fallback.h).
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_MODULE_CHOICES_H
#define TUNE_TRANSFORMS_SPACES_MODULE_CHOICES_H

#include "transforms/lower/common/stages.h"
#include "transforms/spaces/module_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where the decisions about a task come from.
typedef enum tune_choice_origin {
  TUNE_ORIGIN_CHOICES,  // on its anchors; the rest of its knobs take defaults
  TUNE_ORIGIN_DATABASE, //
  TUNE_ORIGIN_DEFAULT,  //
  TUNE_ORIGIN_CONFIG,   // somebody has asked for it
} tune_choice_origin;

// A task that is not built as it was decided at first.
typedef struct tune_fallback {
  size_t task;      // of the module, by its index in an extraction without cuts; of a part, what
                    // it is of
  const char *name; // the task's
  MlirLocation location; // its
  const char *from, *to; // "rule 'gpu_tiles' for vulkan, as its choices say", "rule 'gpu_general'…"
  const char *why;       // what the first said when it failed
} tune_fallback;

#define TUNE_WHOLE_MODULE SIZE_MAX

typedef struct tune_module_choices_options {
  tune_module_tasks_options tasks; // takes_all_chosen is not looked at
  tune_database *database;         // borrowed; NULL: none
  const char *config; // "k=v,…" for the module's only task, and nothing else; or NULL
  // What is packed ahead becomes a function of its own (lower/cpu/weights/prepack.h); else
  // schedules are taken that pay without (tune_task_space_decide_unsplit).
  bool is_split;
  // The module is made for other sizes than its choices may be for: what others than the user have
  // chosen is taken where it fits.
  bool is_of_other_sizes;
  bool describes_defaults; // the plan says why a task has no record (module_plan.h)
  // A task whose schedule fails is an error; else it gets another one.
  bool is_strict;
  // Builds `module`, which is its to change, by `script`, which may be null: what fails here has
  // another schedule tried. It is the payload of task `task` (extract.h), to see whether that is
  // what fails, or the whole: TUNE_WHOLE_MODULE. NULL: the script is applied.
  tune_status (*build)(void *user, MlirOperation module, MlirOperation script, size_t task);
  // Each task is built by itself first: where a failure may end the process, and build notes what
  // it is at.
  bool tasks_first;
  // Told of each task that falls back, when all is built. NULL: a remark at the task says it.
  void (*tell_fallback)(void *user, const tune_fallback *fallback);
  void *user;
  tune_stages stages; // where `build` is NULL: "tensors" (of a copy) and "schedule"
} tune_module_choices_options;

// Makes the script for `module`, which is left as it is, but for its operands
// (tune_normalize_operands). The script has been built by. `*out_script` is a module, for the
// caller to destroy; null where there is no task. With `remarks`, says what is left out and which
// tasks have no record, as remarks. Errors about choices tell the op.
tune_status tune_module_choices_make_script(MlirOperation module,
                                            const tune_module_choices_options *options,
                                            bool remarks, MlirOperation *out_script);

// Makes the script and builds by it: `module` is then what `build` makes of it, or bufferized. A
// module without tasks is built by a script that is null. Choices are taken off its ops. On failure
// `module` is left in an unspecified state.
tune_status tune_module_choices_build(MlirOperation module,
                                      const tune_module_choices_options *options, bool remarks);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_MODULE_CHOICES_H
