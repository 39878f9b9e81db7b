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

// The rule that takes `structure`; never NULL.
const tune_rule *tune_rule_find(const tune_structure *structure, const tune_machine *machine);

// Makes the space of the task whose payload (a module with one function) is `payload`, as the text
// of a schedule module; free() it. `out_rule` (may be NULL) is the rule that wrote it.
tune_status tune_rules_make_schedule(MlirContext context, const char *payload,
                                     const tune_machine *machine, char **out_schedule,
                                     const tune_rule **out_rule);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_RULE_REGISTRY_H
