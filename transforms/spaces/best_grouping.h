//===- best_grouping.h - How the database groups the ops of tasks ---------------===//
//
// A search that has found the parts of a task to be faster than the whole keeps that as a record of
// the task (TUNE_RECORD_GROUPING), whose config is {"grouping": how far it is cut apart}. The last
// one holds. It is of this version's code, as records of trials are: by the digest of the schedule
// that the first rule makes of the task, of whichever rule the best whole is.
//
// Threads: one thread at a time per database and module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SPACES_BEST_GROUPING_H
#define TUNE_TRANSFORMS_SPACES_BEST_GROUPING_H

#include "transforms/spaces/module_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

// The space of task `task` by its first rule, which records are of; to be destroyed.
tune_status tune_best_grouping_make_space(const tune_module_tasks *tasks, size_t task,
                                          tune_task_space **out_space);

// A record that the task of `space`, such a one, is cut apart as `form` says, or whole, which takes
// `seconds`;
// `*out_config` is for the caller to free. The rest is the caller's; it borrows of all.
tune_status tune_best_grouping_record(const tune_task_space *space, tune_fusion_cut_form form,
                                      double seconds, tune_record *out_record, char **out_config);

// How the last such record of task `task` has it, where its choices allow that and say nothing
// else, and it is no part; TUNE_CUT_NONE: whole.
tune_status tune_best_grouping_find(const tune_module_tasks *tasks, size_t task,
                                    tune_database *database, tune_fusion_cut_form *out_form);

// Writes onto the anchors of task `task` that it is cut apart so (task_choices.h).
tune_status tune_grouping_write(const tune_module_tasks *tasks, size_t task,
                                tune_fusion_cut_form form, const char *provenance);

// Takes what others than the user have decided about grouping, and about the parts that come of it,
// off the anchors. `*out_any`: there was something, and `tasks` are not those of the module any
// more.
tune_status tune_grouping_forget(const tune_module_tasks *tasks, bool *out_any);

// Cuts the tasks of `module` apart as the database has it, where their anchors have no domains of
// knobs. With `writes`, that is written onto
// their anchors, too.
tune_status tune_best_grouping_follow(tune_module_tasks *tasks, MlirOperation module,
                                      tune_database *database, bool writes);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SPACES_BEST_GROUPING_H
