//===- rule_registry.h - Finding the rule for a task -------------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_RULE_REGISTRY_H
#define TUNE_TRANSFORMS_SPACES_RULE_REGISTRY_H

#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which of the forms of a task is meant (see below). All zero: the first.
typedef struct tune_rule_wanted {
  const char *name;   // the one of this name; NULL: by number
  size_t passed_over; // the first after so many that there are
  bool is_stock;      // of those alone that stock mlir-opt can replay
} tune_rule_wanted;

// What wrote a schedule.
typedef struct tune_rule_taken {
  const tune_rule *rule;
  const char *suffix; // that is to be said beside the rule's name: another form of the same rule
                      // comes first, or it is that of rounded factors; NULL: none. Static text
} tune_rule_taken;

// A form of a task is a rule and the layout that it takes the task in (rules/layouts.h). In their
// order: rules that take it as it is, those that take it in another layout, each in the first that
// it takes, and at last what else takes it as it is. A form is called by its rule, "contraction",
// where that is the first of the rule, and always as "contraction/raw", "contraction/filter".
// Of products whose factors may be rounded (dialects/allow.h) there are also forms where they are,
// "dot_contraction/bf16": on CPUs whose instructions for these do more than those for f32 they come
// first, unless a rule multiplies less (Winograd's); else last of those that are made for the task.
//
// The first form is written together with the first one that is raw where it is not, or the other
// way round (rules/schedule_forms.h); all others by themselves.
//
// Makes the space of the task whose payload (a module with one function) is `payload`, as the text
// of a schedule module; free() it. `wanted` NULL: the first form. `out_taken` (may be NULL) says
// what wrote it; of two, what is the default. NOT_FOUND where no rule is left, or none of those
// that take the task has the name, which says which do.
tune_status tune_rules_make_schedule(MlirContext context, const char *payload,
                                     const tune_machine *machine, const tune_rule_wanted *wanted,
                                     char **out_schedule, tune_rule_taken *out_taken);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_RULE_REGISTRY_H
