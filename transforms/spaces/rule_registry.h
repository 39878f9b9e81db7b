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

// The rule that takes `structure` where the first `passed_over` of those that would are not to;
// NULL where none is left. With 0 there is always one.
const tune_rule *tune_rule_find(const tune_structure *structure, const tune_machine *machine,
                                size_t passed_over);

// Which of the rules that take a task is meant. All zero: the first.
typedef struct tune_rule_wanted {
  const char *name;   // the one of this name; NULL: by number
  size_t passed_over; // as above
} tune_rule_wanted;

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
