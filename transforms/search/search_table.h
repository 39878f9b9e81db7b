//===- search_table.h - The results of a search, for people ------------------===//
//
// A row for each task: default, best, speed-up, how near to what the machine can do, trials,
// and the knobs that mattered. Where a terminal is too narrow for that, half of the columns
// become a line of their own below the row, so that tasks keep their names.
//
// Threads: one thread at a time per table.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SEARCH_TABLE_H
#define TUNE_TRANSFORMS_SEARCH_SEARCH_TABLE_H

#include "tuning/device/target_facts.h"
#include "tuning/session/session.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_search_table tune_search_table;

tune_status tune_search_table_create(tune_search_table **out_table);
void tune_search_table_destroy(tune_search_table *table);

// Adds the row of `task`, which a run of the module runs `runs` times. Running out of memory is
// said by print.
void tune_search_table_add(tune_search_table *table, const tune_target_facts *facts,
                           const tune_task *task, size_t runs, const tune_session_result *result);

// Prints it at most `width` terminal cells wide; 0: as wide as it gets.
tune_status tune_search_table_print(const tune_search_table *table, size_t width, FILE *stream);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_TABLE_H
