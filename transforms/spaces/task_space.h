//===- task_space.h - The space of a task ------------------------------------===//
//
// From an extracted task to something that can be searched: the schedule with its knobs
// open, written by a rule or by the user, the space read off it, and that space narrowed by
// the decisions that the task's anchors carry (dialects/choices.h). All passes go through
// here, so that a choice means the same to each of them:
//
//   an open domain       narrows the knob to these values
//   a value of the user  pins the knob: a plain value, or #tune.chosen<…, "user">
//   any other value      (of a search, the database) counts where `takes_all_chosen` says so
//   rule = "general"     the rule that makes the space, in place of the first that takes the task;
//                        it counts as other values do
//
// Choices on any occurrence of a task hold for the task; they must not contradict each other.
//
// The schedule stays as it was written: the narrowed space has the same knobs, with fewer values.
// So a config of it means the same to the worker and in the records.
//
// Threads: as the context of the module while it is made; then it may be read by many.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_TASK_SPACE_H
#define TUNE_TRANSFORMS_SPACES_TASK_SPACE_H

#include "dialects/domain.h"
#include "support/digest.h"
#include "transforms/schedule/schedule.h"
#include "transforms/tasks/anchors.h"
#include "transforms/tasks/extract.h"
#include "tuning/database/database.h"
#include "tuning/device/target_facts.h"
#include "tuning/record/task.h"
#include "tuning/space/config.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which schedule of a task is meant: the first that there is, or, where those before it have
// failed, another (module_fallback.h). All zero: the first.
typedef struct tune_task_attempt {
  bool takes_defaults; // neither values that somebody else than the user chose, nor records
  size_t passed_over;  // so many of the rules that take the task; choices are not of these, then
} tune_task_attempt;

typedef struct tune_task_space_options {
  const tune_target_facts *facts; // of what the schedule is for
  // The user's schedule in place of a rule's, for the tasks that it is meant for (see
  // tune_task_space_is_meant): the text, and the file's name for messages. NULL: rules only.
  const char *schedule_text, *schedule_source;
  const char *allowed_passes; // that it may run beside those listed (schedule_passes.h), or NULL
  bool takes_all_chosen;
  tune_task_attempt attempt;
  unsigned levels; // bit l: knobs of level l are open; others have their default. 0: all are open
  bool by_target;  // what is written goes into a dictionary of the target's (dialects/choices.h)
} tune_task_space_options;

typedef struct tune_task_space {
  const tune_extracted_task *task; // borrowed
  const tune_target_facts *facts;  // of what it is for, borrowed
  const char *origin;              // for messages: "rule 'contraction'", or the schedule's file
  char *origin_owned;
  char *rule;                  // that made it, with the layout where that has to be said
                               // (rule_registry.h); NULL: the schedule is the user's
  bool leaves_device;          // as the rule
  bool names_rule;             // its choices need the rule's name beside them: it was asked for, or
                               // those before it were passed over
  bool is_users;               // the schedule is the user's; `origin` is its file
  const char *allowed_passes;  // as in the options, borrowed
  char *schedule_text;         // as written, knobs open
  tune_digest schedule_digest; // of the text and of what makes code of it (lower/common/version.h)
  tune_schedule *schedule;     // parsed; its space has the whole domains
  tune_choice_kind *kinds;     // of the knobs, for choices on ops
  const char *target;          // whose choices they are, of the facts
  bool by_target;              // as in the options
  tune_space *space;           // narrowed
  // What to use where nothing better is known: what is pinned, else the defaults; valid.
  tune_config config;
  bool is_decided; // choices took a value for at least one knob
} tune_task_space;

// Makes the space of task `task` of the extraction that `anchors` belong to. Errors about choices
// are INVALID_ARGUMENT or NOT_FOUND at the op: a knob that the space does not have, a value outside
// its domain, a domain that is no subset, a constraint violated, nothing left. Errors in the user's
// schedule tell the place in it. NOT_FOUND also where no rule is left. The transform dialect has to
// be loaded.
tune_status tune_task_space_create(MlirContext context, const tune_anchors *anchors, size_t task,
                                   const tune_task_space_options *options,
                                   tune_task_space **out_space);
void tune_task_space_destroy(tune_task_space *space);

// Whether a user's schedule is meant for `task`: where the schedule's module has an attribute
// tune.for = ["contraction", "matmul 512x", "1f3a…"], for tasks of such a kind, or whose name or
// key starts so; else for all.
tune_status tune_task_space_is_meant(MlirOperation schedule, const tune_extracted_task *task,
                                     bool *out_is_meant);

// Puts a value for each knob onto the task's anchors, as `config` (of `space->space`) says, from
// `provenance`: "search:evolutionary". Values of the user stay as they are; what else was chosen
// goes.
tune_status tune_task_space_write_chosen(const tune_task_space *space, const tune_anchors *anchors,
                                         const tune_config *config, const char *provenance);
// Whether neither the user nor choices say anything about the task: its schedule is that of the
// first rule, with all values open.
bool tune_task_space_is_free(const tune_task_space *space);
// Puts the open domains of knobs that the anchors do not mention onto them.
tune_status tune_task_space_write_open(const tune_task_space *space, const tune_anchors *anchors);

// The decided schedule: `config` (NULL: space->config) selected; mlirOperationDestroy it.
tune_status tune_task_space_decide(const tune_task_space *space, const tune_config *config,
                                   MlirOperation *out_schedule);
// The same for code that stays in one piece, as tune-lower and stock MLIR leave it: where the
// config takes alternatives that pay only in code which is split in two (tune.unsplit, schedule.h),
// others are taken, and with `remarks` a remark says so.
tune_status tune_task_space_decide_unsplit(const tune_task_space *space, const tune_config *config,
                                           bool remarks, MlirOperation *out_schedule);
// The decided schedule as text, for records; free() it. A tune_session_options.write_script may
// call it.
tune_status tune_task_space_write_script(const tune_task_space *space, const tune_config *config,
                                         char **out_script);

// The element type that the task computes in, "f32"; static text, "" where it is none of a
// target's.
const char *tune_task_space_type(const tune_extraction *extraction, size_t task);
// The task as a session takes it; borrows all from `space` and its extraction.
void tune_task_space_get_task(const tune_task_space *space, const tune_extraction *extraction,
                              tune_task *out_task);
// The task as the database keeps it; the caller's, to deinit.
tune_status tune_task_space_get_kept_task(const tune_extraction *extraction, size_t task,
                                          tune_kept_task *out_task);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_TASK_SPACE_H
