//===- size_spec.h - Which sizes come, as text -------------------------------===//
//
//   1:0.5,64,128-512      one size or a range of them, each with its share of the calls if you like
//
// Shares are of all calls. What has none gets an equal part of what the others leave of 1; where
// all have one they count relative to each other.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_VARIANTS_SIZE_SPEC_H
#define TUNE_TRANSFORMS_VARIANTS_SIZE_SPEC_H

#include "support/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Different sizes and ranges in one text, at most.
#define TUNE_MOST_SIZES 32

typedef struct tune_size_item {
  int64_t first, last; // a single size where they are equal
  double weight;       // share of the calls; all of a spec are 1 together
} tune_size_item;

// In ascending order, and no two have a size in common but where one is a single size in a range.
typedef struct tune_size_spec {
  tune_size_item items[TUNE_MOST_SIZES];
  size_t count; // at least 1
} tune_size_spec;

// INVALID_ARGUMENT says what is wrong, what was expected, and shows one that is right.
tune_status tune_size_spec_parse(const char *text, tune_size_spec *out_spec);

// Whether `text` is one size and nothing else, as "64".
bool tune_size_spec_is_number(const char *text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_VARIANTS_SIZE_SPEC_H
