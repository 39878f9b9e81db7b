//===- best_rule.h - The rule that the best of a task is of --------------------===//
//
// A search that has compared rules leaves the winner of the better one last in the database.
//
// Threads: one thread at a time per database and module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_BEST_RULE_H
#define TUNE_TRANSFORMS_SPACES_BEST_RULE_H

#include "transforms/spaces/module_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

// So many rules of a task are compared at most, the first among them.
#define TUNE_BEST_RULE_MOST 4

// Where `database` has a last winner, of the task of `*space`, that is of another rule than the
// first, makes that rule's space in place of `*space`, and notes it in the task's attempt. `*space`
// stays where it is not of the first rule, or the user or choices say something of the task; and
// where the database has nothing of the first rule: then it is of another version.
tune_status tune_best_rule_follow(tune_module_tasks *tasks, tune_database *database,
                                  tune_task_space **space);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_BEST_RULE_H
