//===- failures.h - Why trials failed, counted -------------------------------===//
//
// A search of hundreds of trials fails in few ways. Reasons that differ in numbers alone
// (places, values) count as one; of each the first one is kept.
//
// Threads: one thread at a time.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SESSION_FAILURES_H
#define TUNE_TUNING_SESSION_FAILURES_H

#include "support/string_builder.h"
#include "tuning/record/record.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_failure_kind {
  tune_verdict verdict;
  size_t count;
  char *error; // the first line of the first of them
} tune_failure_kind;

// All zero is none.
typedef struct tune_failures {
  size_t verdicts[TUNE_VERDICT_COUNT]; // failures alone
  tune_failure_kind *kinds;            // in the order in which they were seen
  size_t kind_count;
} tune_failures;

// Counts a trial, unless `verdict` is no failure. `error` may be NULL.
tune_status tune_failures_add(tune_failures *failures, tune_verdict verdict, const char *error);
void tune_failures_deinit(tune_failures *failures);

// Writes them down by verdict, with the most frequent reason of each: "7 build-failed, 5 of them
// like this: no pass tune-foo; 1 wrong: element [0] is nan". Nothing where there are none.
void tune_failures_append(const tune_failures *failures, tune_string_builder *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SESSION_FAILURES_H
