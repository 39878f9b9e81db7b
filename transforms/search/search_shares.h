//===- search_shares.h - What each task has of a module's time ---------------------===//
//
// The times of tasks by default, each alone, times their calls. What a module takes beyond their
// sum lies between tasks: copies, memory, calls. It may also take less, since its caches are warm.
//
// Threads: one thread at a time per object.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SEARCH_SHARES_H
#define TUNE_TRANSFORMS_SEARCH_SEARCH_SHARES_H

#include "support/string_builder.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_search_shares tune_search_shares;

// NULL where memory ran out.
tune_search_shares *tune_search_shares_create(void);
void tune_search_shares_destroy(tune_search_shares *shares);

// Notes that `calls` calls of the task `name` take `seconds` each by default; 0: not known, or not
// part of a run. Running out of memory is said by append.
void tune_search_shares_add(tune_search_shares *shares, const char *name, size_t calls,
                            double seconds);

// What all calls of all tasks take, in seconds; 0: of some task that is not known.
double tune_search_shares_sum(const tune_search_shares *shares);

// Adds a line with the largest shares to `text`, where there are several tasks.
void tune_search_shares_append(const tune_search_shares *shares, tune_string_builder *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_SHARES_H
