//===- sparse.h - Inputs of which few terms make an output ----------------------------===//
//
// A sum of thousands of terms of like size hides one that is missing, doubled or another's behind
// what its roundings may come to, in f16 and bf16 at least. Where most factors are zero it does
// not: few terms are left, each as large as the sum. Sparse values are zeros of both signs, and,
// among these, small integers, a few larger ones, numbers that need all bits, and denormal ones; or
// large numbers alone, of which exp is infinite: what is made to be stable for such, as a softmax
// is by taking its maximum away first, has to be so.
//
// Such values stand where functions are steep, where comparisons are close and quotients are not
// defined, and a candidate may legally land on the other side (docs/accuracy.md). So the reference
// runs twice more on values a little off, one time one way, one time the other; zeros and denormal
// numbers become small ones. Where it is fast it does so three times, each with other ways, as what
// comes from many values may by chance hardly move. Where its outputs move, so much leeway has a
// candidate there, four times (32 where sums are as fine as those of f32), and no less than what
// they all move in the mean; where they come to be infinite, no number, or another integer, the
// element is not compared. It also takes in what the reference itself rounds: a sum of a thousand
// equal terms is further off than one of terms that differ.
//
// Threads: any; functions of their arguments.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_SPARSE_H
#define TUNE_TARGETS_SPARSE_H

#include "targets/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_sparse_fill {
  uint64_t seed;
  int64_t reduction; // K (output_check.h): the longer, the fewer values are not zero
  bool is_positive;  // none is negative
  bool is_large;     // what is not zero is around 100 either way, in f16 20, in f64 900
  bool has_edges;    // all values are allowed; else floats are in [-1, 1], and none is denormal
  // Integers are from all of their range; else from that of an i8. Both where there are edges.
  bool has_wide_integers;
  bool is_wide; // of the large ones half are of any magnitude that the type has
  // Few are zero; the others are halves and quarters, up to 256 either way, where rounding decides,
  // and some from [-4, 4].
  bool is_stepped;
  bool has_specials;   // of these, few are NaN and infinities of both signs
  int64_t index_limit; // as for tune_buffer_fill
} tune_sparse_fill;

// Fills with values that follow from the seed and the position alone. Scalars, i1 and index, and
// without edges all integers, are what tune_buffer_fill makes of the seed, and so is what has a
// range that it must not leave.
void tune_buffer_fill_sparsely(tune_buffer *buffer, const tune_sparse_fill *fill);

// How many terms of a sum of `reduction` of them are not zero, where it is of such values.
int64_t tune_sparse_terms(int64_t reduction);

typedef struct tune_disturbance {
  double size; // relative; where that is no more than a type resolves, by that; of zeros absolute
  bool is_mirrored; // down what else goes up, and up what goes down
  bool is_positive; // zeros go up
  // Zeros stay, of either sign, and denormal numbers become zero or twice as large. Nothing but
  // zero comes of a zero where nothing is added up, however it is computed.
  bool keeps_zeros;
} tune_disturbance;

// The size for sums of `reduction` terms that are rounded by `roundoff`: what rounding does to a
// sum is as if its terms had been off (Higham, Accuracy and Stability of Numerical Algorithms,
// 2002), here, where many of them are equal and are rounded the same way, by a part of K roundoffs.
double tune_disturbance_size(double roundoff, int64_t reduction);

// Moves floats. Which of them go up and which down looks random, and another way for another seed.
void tune_buffer_disturb(tune_buffer *buffer, uint64_t seed, const tune_disturbance *by);

// Raises `leeways`, one for each element, to what `moved` says, the outputs on inputs so moved. It
// is of the reference's shape.
void tune_sparse_raise_leeways(const tune_buffer *reference, const tune_buffer *moved,
                               const tune_disturbance *by, float *leeways);

// The same to what a reference gives that leans (transforms/lower/cpu/leaning.h): twice as far as
// an element moved has it leeway, and an integer that is another one is not compared.
void tune_leeways_raise(const tune_buffer *reference, const tune_buffer *leant, float *leeways);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_SPARSE_H
