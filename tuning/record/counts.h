//===- counts.h - Performance counts of a run --------------------------------===//
//
// For one run of an artifact, in the mean. tune-measure counts
// (tools/tune-measure/counts/counters.h); records keep it.
//
// Threads: a value; no shared state.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_RECORD_COUNTS_H
#define TUNE_TUNING_RECORD_COUNTS_H

#include "support/status.h"
#include "support/string_builder.h"

#include <jansson.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_count_kind {
  TUNE_COUNT_CYCLES,
  TUNE_COUNT_INSTRUCTIONS,
  TUNE_COUNT_FLOPS,
  TUNE_COUNT_CACHE_MISSES, // of the last cache
  TUNE_COUNT_BRANCH_MISSES,
  TUNE_COUNT_PAGE_FAULTS,
  TUNE_COUNT_CONTEXT_SWITCHES, // that other work forced
} tune_count_kind;

#define TUNE_COUNT_KINDS (TUNE_COUNT_CONTEXT_SWITCHES + 1)

typedef struct tune_counts {
  bool is_known[TUNE_COUNT_KINDS];
  double of_run[TUNE_COUNT_KINDS]; // 0 where it is not known
} tune_counts;

const char *tune_count_name(tune_count_kind kind);     // "cycles", "cache_misses", …
bool tune_counts_are_known(const tune_counts *counts); // any of them

// One by the other, where both are known; 0 where not.
double tune_counts_instructions_per_cycle(const tune_counts *counts);
double tune_counts_flops_per_cycle(const tune_counts *counts);

// As the member "counters" of records: an object of those known. NULL where memory ran out.
json_t *tune_counts_to_json(const tune_counts *counts);
// The same of replies: null for what is not known, and "missing" with `why`, unless that is "".
json_t *tune_counts_to_reply(const tune_counts *counts, const char *why);
// Reads either; NULL: nothing is known. INVALID_ARGUMENT for one that is none.
tune_status tune_counts_from_json(const json_t *member, tune_counts *out_counts);
// Why some are not known, as that of a reply says; NULL: it does not. Borrowed.
const char *tune_counts_missing(const json_t *member);
// As tune_counts_from_json, of the member of a record's `object`, where there is one.
tune_status tune_counts_get(const json_t *object, tune_counts *out_counts);
// Whether all are finite and not below 0. INVALID_ARGUMENT says which is not.
tune_status tune_counts_validate(const tune_counts *counts);

// Appends "1.2e+06 cycles, 3e+06 instructions (2.50 a cycle), 1.6e+07 FLOP (13.3 a cycle), …": what
// is known.
void tune_counts_append(tune_string_builder *text, const tune_counts *counts);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_RECORD_COUNTS_H
