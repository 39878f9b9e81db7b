//===- other_records.h - Records of a task that ran elsewhere ----------------===//
//
// Where a task has no record that counts, the database may have some of another device,
// thread count or state of the caches: this says of which, what differs, and which option
// takes them.
//
// Threads: one thread at a time per database.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_OTHER_RECORDS_H
#define TUNE_TRANSFORMS_SPACES_OTHER_RECORDS_H

#include "transforms/spaces/task_space.h"

#ifdef __cplusplus
extern "C" {
#endif

// "; cuda:1a2b3c (NVIDIA H100) has some, …", of those of the same target the last ones, or "" where
// nothing of the task was right on any other. `*out_text` is the caller's.
tune_status tune_other_records_describe(tune_database *database, const tune_task_space *space,
                                        const tune_target_facts *facts, char **out_text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_OTHER_RECORDS_H
