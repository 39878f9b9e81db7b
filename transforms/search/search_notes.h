//===- search_notes.h - Notes below the table of a search --------------------===//
//
// Lines below the table, each of one task: why it ended, what failed where nothing else won,
// knobs that changed nothing, figures that are not to be believed. What is to be said of many tasks
// alike is one line, with how many they are.
//
// Threads: any, on different texts.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SEARCH_NOTES_H
#define TUNE_TRANSFORMS_SEARCH_SEARCH_NOTES_H

#include "support/string_builder.h"
#include "tuning/device/target_facts.h"
#include "tuning/session/session.h"

#ifdef __cplusplus
extern "C" {
#endif

// A share above this is not rounding but a figure that was measured too low.
#define TUNE_SEARCH_HIGHEST_PERCENT 102.0

// What is to be said, in the order in which it came.
typedef struct tune_search_notes tune_search_notes;

tune_status tune_search_notes_create(tune_search_notes **out_notes);
void tune_search_notes_destroy(tune_search_notes *notes);

// Notes what there is to say of a task that is done. `facts` may be NULL. What memory runs out for
// is not said.
void tune_search_notes_add(tune_search_notes *notes, const tune_target_facts *facts,
                           const tune_task *task, const tune_session_result *result);
// Notes that `task` is searched by the rule `to`, too, since its default takes `seconds`, and the
// best by `from` takes `first_seconds`.
void tune_search_notes_add_rule(tune_search_notes *notes, const tune_task *task, const char *from,
                                const char *to, double first_seconds, double seconds);
// Notes that `task` is cut apart as `grouping` says, into `parts` that take `seconds`; the best of
// it as a whole takes `whole_seconds`.
void tune_search_notes_add_grouping(tune_search_notes *notes, const tune_task *task,
                                    const char *grouping, size_t parts, double whole_seconds,
                                    double seconds);
// Appends all of it.
void tune_search_notes_append(const tune_search_notes *notes, tune_string_builder *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_NOTES_H
