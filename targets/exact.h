//===- exact.h - Inputs for which outputs are exact -------------------------------------===//
//
// Sums of products of small whole numbers, none of them negative, are exact in any order and any
// type, as long as they stay below what the type holds; so are maxima, minima and what is only
// moved. Where a task does nothing else (tune_signature) an output is right only if it is equal,
// and each term that is missing, doubled or another's shows, in f16 and bf16 as well as in f32.
//
// Sums: factors are 1, 2 or 3. Where there are so many that their sum would go beyond the limit,
// those of one argument, the striped one, are zeros but on each P-th of its diagonals: as many rows
// as P and every term of a sum is there in one of them. Where there are fewer rows there are more
// sets, 16 at most, with other diagonals; where these do not suffice, all factors are ones, so that
// more of them fit.
//
// Maxima and minima: all values differ, as far as the type has so many. The largest is in one place
// of each row, other ones in other rows. The last element of all is the largest and the first the
// smallest, in the second set the other way round; where there are few rows, more sets have
// them at equal distances between.
//
// Threads: any; functions of their arguments.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_EXACT_H
#define TUNE_TARGETS_EXACT_H

#include "targets/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_EXACT_SET_LIMIT 16

typedef struct tune_exact_plan {
  double limit;     // outputs from 0 up to it are exact; INFINITY: all, nothing is added up
  int64_t period;   // P
  bool has_ones;    // factors are 0 or 1
  size_t set_count; //
} tune_exact_plan;

// For outputs that are sums of `reduction` terms and exact below `limit`, which is INFINITY where
// they are chosen from as many. `striped` is the type of the argument that has zeros.
tune_exact_plan tune_exact_plan_make(double limit, int64_t reduction,
                                     const tune_value_type *striped);

// Fills for set number `set` of the plan with what follows from the seed and the position alone.
// Integers and i1 are what tune_buffer_fill makes of the seed; scalars are 1.
void tune_exact_fill(tune_buffer *buffer, const tune_exact_plan *plan, size_t set, bool is_striped,
                     uint64_t seed, int64_t index_limit);

// The share of the elements of an output that are below the limit, so that they are compared; 0 for
// integers, which always are.
double tune_exact_share(const tune_buffer *output, double limit);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_EXACT_H
