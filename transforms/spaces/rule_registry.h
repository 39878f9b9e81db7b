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

// Which of the rules that take a task is meant. All zero: the first.
typedef struct tune_rule_wanted {
  const char *name;   // the one of this name; NULL: by number
  size_t passed_over; // the first after so many that would take it
} tune_rule_wanted;

// The rules in their order: those that take the task as it is, those that take it in another layout
// (rules/layouts.h), each in the first that it takes, and at last those that take whatever comes.
//
// Makes the space of the task whose payload (a module with one function) is `payload`, as the text
// of a schedule module; free() it. `wanted` NULL: by the first rule that takes it. `out_rule` (may
// be NULL) is the rule that wrote it. NOT_FOUND where no rule is left, or none of those that take
// the task has the name, which says which do.
tune_status tune_rules_make_schedule(MlirContext context, const char *payload,
                                     const tune_machine *machine, const tune_rule_wanted *wanted,
                                     char **out_schedule, const tune_rule **out_rule);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_RULE_REGISTRY_H
