//===- output_check.h - Comparison of outputs with a reference ---------------===//
//
// An output of a candidate is compared with that of the reference, the plainest lowering of the
// same task on the same inputs. Integers and i1 have to be equal. A float x is right beside the
// reference's r if both are NaN, or the same infinity, or both finite and
//
//     |x - r| <= 4 u(out) |r| + 32 u(acc) |r| + 8 w R + m
//
// where u is the unit roundoff of a type (2^-24 for f32), out the type of the output, acc the
// coarsest type that it is rounded to on the way, w = u(sum) sqrt(K), at most 1/8, sum the type of
// sums (where acc is coarser, w is at least 2 u(acc)), K the length of the reduction (the sum of
// lengths where one feeds another), R the root mean square of the finite values of the reference's
// output, and m its type's smallest normal value.
// Further, the root mean square of all x - r has to be at most
//
//     4 u(out) R + 32 u(acc) R + 2 w R + m
//
// which catches what is a little wrong everywhere. Why: rounding errors of a sum of K terms in any
// order behave as a random walk (Higham and Mary, A new approach to probabilistic rounding error
// analysis, 2019), so they grow as sqrt(K) and with the size of the partial sums, not with that of
// the result, which may have cancelled; R stands for their size. Two sums differ by 0.6 sqrt(K) u R
// in the mean, and a largest one of millions by 6 times that. The terms in |r| leave room for
// functions such as exp, of which a vectorized form is off by some units in the last place.
//
// That holds while roundings are noise. A sum of many terms of one sign that rounds each addition
// stands still, and what it lacks is no noise: hence the most that w may be, without which nothing
// would be wrong from 16,384 terms in bf16 on.
//
// Where one op feeds another, the second may amplify what the first has rounded (a softmax of large
// numbers does), and R says nothing of that. S does: by how much the output moves, in root mean
// square, if every input moves by u(acc). Where S is known, R above is at least S / u(acc).
//
// Where factors of products may be rounded to tf32 (u(tf32) = 2^-11), an element may be off by
// u(tf32) (4 |r| + 16 R) more, and all by 2.5 u(tf32) R: not more in a long sum than in a short
// one, since as many terms as there are, as large is R. Of uniform factors these are off by 0.54
// u(tf32) R rounded to the nearest, by 1.4 with their lower bits cut off (6.2 one element of
// 16,384), and by 4.3 as bf16. Inputs have then moved by u(tf32) for S, and R is at least S /
// u(tf32). To bf16 (u(bf16) = 2^-8) they are rounded to the nearest: u(bf16) (4 |r| + 8 R), and all
// 1.25 u(bf16) R, which is less than with bits cut off. To f16 it is as to tf32, whose digits it
// has from 2^-14 on: smaller factors may be off by more than is allowed.
//
// On sparse inputs (sparse.h) single elements have leeway: so much may they differ beyond that, and
// the root mean square of all by that of the leeways. Where it is infinite an element, integers
// too, is not compared.
//
// On exact inputs (exact.h) an output is a whole number, and right if that is the nearest one:
// other ways to add up give the same, approximations such as Winograd's nearly. Where nothing is
// added up it has to be equal.
//
// Zeros of either sign are equal, unless it is said that any right code gives them the same sign.
//
// Threads: any; functions of their arguments.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_OUTPUT_CHECK_H
#define TUNE_TARGETS_OUTPUT_CHECK_H

#include "targets/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

// In the order of what that rounds away.
typedef enum tune_factors {
  TUNE_FACTORS_AS_GIVEN,
  TUNE_FACTORS_TF32,
  TUNE_FACTORS_F16, // whose range is another one, too
  TUNE_FACTORS_BF16,
  TUNE_FACTORS_INT8 // with a scale for what is added up: that of the largest
} tune_factors;

const char *tune_factors_name(tune_factors factors); // "" as given

typedef struct tune_tolerance {
  int64_t reduction;             // K; less than 1 is 1
  bool has_accumulator;          // else acc is the output's own type
  tune_element_type accumulator; // acc
  bool has_sums;                 // else sums are of acc, too
  tune_element_type sums;        // the coarsest type of sums
  tune_factors factors;          // what factors of products may be rounded to
  bool has_f16_factors;          // of some: what is large becomes infinite
  double spread;                 // S; 0 where it is not known
  bool has_signed_zeros;         // a zero is not right where the other one should be
  double exact_limit;            // as a plan's (exact.h): others are not compared; 0: not exact
  const float *leeways;          // of each element, borrowed; NULL: none has any
} tune_tolerance;

// Sets what factors of products may be rounded to: to "tf32", "f16", "bf16" or "int8", or, with a
// comma between, to the first, and some to the second. NULL: they are as given. INVALID_ARGUMENT
// for other words.
tune_status tune_tolerance_take_factors(tune_tolerance *tolerance, const char *names);

typedef struct tune_output_check {
  bool is_equal;
  size_t element_count;
  size_t wrong_count;   // elements out of tolerance
  size_t worst;         // the element furthest out of tolerance, or nearest to its end
  double value;         // that element
  double expected;      // that of the reference
  double max_error;     // |value - expected| there; DBL_MAX where it is not finite
  double tolerance;     // allowed there
  double leeway;        // of that, what this element has for itself
  double magnitude;     // R above, raised by S; 0 for integers
  double rms_error;     // of all finite elements
  double rms_tolerance; //
  size_t nan_count;     // of the reference
} tune_output_check;

// The coarsest unit roundoff that is met on the way to an output of type `out`: what inputs move by
// to find S. 0 where nothing is rounded.
double tune_tolerance_roundoff(const tune_tolerance *tolerance, tune_element_type out);

// Compares buffers of the same type and shape; of another shape they are not equal, with
// `element_count` 0.
tune_output_check tune_output_check_run(const tune_buffer *value, const tune_buffer *reference,
                                        tune_tolerance tolerance);

// Puts in words why they are not equal: "element [3, 17] is 1.25 where the reference has 0.5 …".
// A text of the caller's (free()).
tune_status tune_output_check_to_text(const tune_output_check *check, const tune_buffer *value,
                                      const tune_buffer *reference, char **out_text);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_OUTPUT_CHECK_H
