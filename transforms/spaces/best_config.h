//===- best_config.h - The best record of a task, as a config ----------------===//
//
// Looks for the config to use in the records of a task on a target: the best of them that
// the task's space allows, which is narrower where the user chose. Nothing is measured.
//
// Threads: one thread at a time per database.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_BEST_CONFIG_H
#define TUNE_TRANSFORMS_SPACES_BEST_CONFIG_H

#include "transforms/spaces/task_space.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_best_outcome {
  TUNE_BEST_FOUND,
  TUNE_BEST_NO_RECORD,    // nothing of this task ran on this target
  TUNE_BEST_OTHER_SPACE,  // there are records, but of other spaces: other rules or schedules
  TUNE_BEST_TAKEN_BACK,   // others of the space take back those that were good
  TUNE_BEST_NOT_ALLOWED,  // the user's choices rule out all there are
  TUNE_BEST_NOT_OF_SPACE, // their configs are none of the space that they say they are of
} tune_best_outcome;

// Looks up the best config of `space`, and in the module with the key `module` (module_key.h; NULL:
// in none) what a search has found to be better there than the best; `*out_config` is the caller's,
// to deinit, where one is found.
tune_status tune_best_config_find(tune_database *database, const tune_task_space *space,
                                  const tune_target_facts *facts, const tune_digest *module,
                                  tune_best_outcome *out_outcome, tune_config *out_config);

// Says why the task keeps the default schedule, which `outcome` is not found for: "'matmul 8x8x8'
// keeps the default schedule: no record ..."; free() it.
tune_status tune_best_config_describe(tune_database *database, const tune_task_space *space,
                                      const tune_target_facts *facts, tune_best_outcome outcome,
                                      char **out_text);
// Says it in a remark at the task.
tune_status tune_best_config_remark(tune_database *database, const tune_task_space *space,
                                    const tune_target_facts *facts, tune_best_outcome outcome);

// Where a value from the database says that it is from: "database:1f3a09c2", with the start of the
// task's key, which tune-db takes.
void tune_best_config_provenance(const tune_task_space *space, char text[32]);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_BEST_CONFIG_H
