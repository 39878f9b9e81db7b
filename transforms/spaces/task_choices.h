//===- task_choices.h - The choices on a task's anchors and its space --------===//
//
// Both ways between the attribute tune.choices on ops and a space of knobs: what the anchors
// of a task allow narrows its space; what was found is written back onto them. The parts of
// task_space.h that are about choices.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_TASK_CHOICES_H
#define TUNE_TRANSFORMS_SPACES_TASK_CHOICES_H

#include "dialects/domain.h"
#include "transforms/tasks/anchors.h"
#include "tuning/space/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_task_choices_source {
  const tune_space *space; // with the whole domains
  const tune_anchors *anchors;
  size_t task;
  const char *target;    // "vulkan": whose choices are read
  const char *origin;    // of the space, for notes: "rule 'contraction'"
  bool takes_all_chosen; // see task_space.h
  unsigned levels;       // see task_space.h
  bool forgets_open;     // domains of knobs that the space does not have are of another rule or the
                         // whole
} tune_task_choices_source;

// The name of the choice that says by which rule the space is made: {rule = "general"}. No knob has
// it.
#define TUNE_RULE_CHOICE "rule"

// Finds the rule that the anchors of a task ask for; free() it; NULL: none. `source->space` and
// `origin` are not looked at. Two of them that differ are INVALID_ARGUMENT.
tune_status tune_task_choices_find_rule(const tune_task_choices_source *source, char **out_rule);

// Makes the space that the choices on the anchors leave: the same knobs and constraints, narrower
// domains. Defaults that were taken away give way to the nearest value. `*out_config` is a valid
// config of it, as near to the defaults as may be. `*out_is_decided`: some value was taken. Errors
// as tune_task_space_create's.
tune_status tune_task_choices_narrow(const tune_task_choices_source *source, tune_space **out_space,
                                     tune_config *out_config, bool *out_is_decided);

// What a choice on an op calls the knob's kind, where the schedule does not say: by its level.
tune_choice_kind tune_task_choices_kind(const tune_knob *knob);

// What is written on an op.
typedef struct tune_task_choices_form {
  const tune_space *space;
  const tune_choice_kind *kinds; // of the space's knobs, in their order
  const char *rule;              // to be written as TUNE_RULE_CHOICE; NULL: the first that applies
  // How the task can be cut apart, from the first way to the last one; TUNE_CUT_NONE: it cannot be.
  tune_fusion_cut_form first_cut;
  const char *target; // "vulkan": whose they are
  bool by_target;     // ops without choices get a dictionary for each target
} tune_task_choices_form;

// Writes the values of `config` onto `op`, from `provenance`. Values of the user stay; what else
// was chosen, maybe by another rule, goes.
tune_status tune_task_choices_write_chosen(MlirOperation op, const tune_task_choices_form *form,
                                           const tune_config *config, const char *provenance);
// Writes onto `op`, in place of what others than the user have chosen, that the task it is the
// anchor of is cut apart: `grouping` (grouping.h); NULL: that it is not. What the user has said of
// that stays.
tune_status tune_task_choices_write_grouping(MlirOperation op, const tune_task_choices_form *form,
                                             const char *grouping, const char *provenance);
// Writes the domains of the knobs that `op` does not mention yet, and of the grouping.
tune_status tune_task_choices_write_open(MlirOperation op, const tune_task_choices_form *form);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_TASK_CHOICES_H
