//===- representatives.h - Sizes that stand for a range ----------------------===//
//
// A range is tuned at some of its sizes, and each stands for those around it:
//
//   128-512    128 for 128..191, 256 for 192..383, 512 for 384..512
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_VARIANTS_REPRESENTATIVES_H
#define TUNE_TRANSFORMS_VARIANTS_REPRESENTATIVES_H

#include "transforms/variants/size_spec.h"

#ifdef __cplusplus
extern "C" {
#endif

// A range has 31 powers of two at most.
#define TUNE_MOST_REPRESENTATIVES 32

// Sizes that stand for others, in ascending order.
typedef struct tune_representatives {
  int64_t sizes[TUNE_MOST_REPRESENTATIVES];
  size_t count; // at least 1
} tune_representatives;

// Those of a range: the powers of two in it, where there are two or more; else both ends and what
// is between them by ratio. Of a single size that.
tune_representatives tune_representatives_of(const tune_size_item *item);
// `count` of them, at least 1, evenly taken; the first and the last stay where two do. Of what was
// thinned already they are not even: `all` is what tune_representatives_of has found.
tune_representatives tune_representatives_thin(const tune_representatives *all, size_t count);
// The sizes from `*out_first` to `*out_last` are those that number `index` of a range stands for:
// up to half-way to its neighbours.
void tune_representatives_get_around(const tune_representatives *of, const tune_size_item *item,
                                     size_t index, int64_t *out_first, int64_t *out_last);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_VARIANTS_REPRESENTATIVES_H
