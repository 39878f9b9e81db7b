//===- search_turns.h - How many images of a batch go at once ----------------===//
//
// Whether the images of a batch take turns (transforms/normalize/batches.h) decides which tasks a
// module has, so that it is found out before these are searched: the module as a whole, under
// default schedules, is timed with several numbers of images at once.
//
// Threads: as a search.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SEARCH_SEARCH_TURNS_H
#define TUNE_TRANSFORMS_SEARCH_SEARCH_TURNS_H

#include "transforms/search/search.h"
#include "transforms/search/search_report.h"

#ifdef __cplusplus
extern "C" {
#endif

// Numbers of images that are compared, at most.
#define TUNE_MOST_TURNS 8

typedef struct tune_turns_wanted {
  int64_t images[TUNE_MOST_TURNS]; // at once
  size_t count;
} tune_turns_wanted;

// Reads "1,2,8", or "": INVALID_ARGUMENT for other texts, and for more than TUNE_MOST_TURNS.
tune_status tune_turns_wanted_parse(const char *text, tune_turns_wanted *out_wanted);

// Writes TUNE_IMAGES_AT_ONCE_ATTRIBUTE to the function that is measured (`options->function`),
// where it has none, with the number that is fastest, or the only one; prints what was found. Until
// `deadline` (tune_clock_seconds): what was not measured by then does not count, and where nothing
// was there is a warning. INVALID_ARGUMENT where no such number is possible, or the module has
// choices, which are for the tasks that it has now, or is to stay in its stock form.
tune_status tune_search_turns(MlirOperation module, const tune_search_options *options,
                              const tune_turns_wanted *wanted, double deadline,
                              const tune_search_reporting *reporting);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SEARCH_SEARCH_TURNS_H
