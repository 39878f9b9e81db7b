//===- search_report.h - A search as a person sees it ------------------------===//
//
// On a terminal: one live line for the task being tuned (trial, best, % of peak, failed,
// ETA), then a table of all tasks. Elsewhere: a plain line now and then, and the table.
//
// Threads: one thread at a time per report.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SEARCH_REPORT_H
#define TUNE_TRANSFORMS_SEARCH_SEARCH_REPORT_H

#include "support/progress.h"
#include "transforms/search/search.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_search_report tune_search_report;

// How a search is told.
typedef struct tune_search_reporting {
  FILE *stream;
  tune_progress_style style;
  bool timing;      // where the time of the search went, too
  bool of_variants; // the tasks are those of variants, of which a call runs one: none has a share
} tune_search_reporting;

tune_status tune_search_report_create(const tune_search_reporting *reporting,
                                      tune_search_report **out_report);
void tune_search_report_destroy(tune_search_report *report);
// Borrows `report`.
tune_search_observer tune_search_report_get_observer(tune_search_report *report);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_REPORT_H
