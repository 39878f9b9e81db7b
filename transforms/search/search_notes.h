//===- search_notes.h - Notes below the table of a search --------------------===//
//
// Lines below the table, each of one task: why it ended, what failed where nothing else won,
// knobs that changed nothing, figures that are not to be believed.
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

// Appends a line for each thing that there is to say. `facts` may be NULL.
void tune_search_notes_append(tune_string_builder *notes, const tune_target_facts *facts,
                              const tune_task *task, const tune_session_result *result);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_NOTES_H
