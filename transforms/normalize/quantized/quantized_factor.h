//===- quantized_factor.h - Factors that are dequantized from bytes ------------------===//
//
// A tensor of f32 whose elements are (byte - zero point) * scale, however front ends write that: in
// one op or in several, subtracted as integers or as floats, and turned, reshaped or with borders
// added on the way. Scales and zero points are one for all, or one for each index along a
// dimension.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_QUANTIZED_FACTOR_H
#define TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_QUANTIZED_FACTOR_H

#include "transforms/normalize/quantized/factor_terms.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TUNE_FACTOR_SCALES = 3, TUNE_FACTOR_MOVES = 8 };

// One step from the bytes to the factor that moves elements.
typedef struct tune_factor_move {
  MlirOperation op;  // a tensor.pad, tensor.expand_shape or tensor.collapse_shape; null: turned
  MlirAffineMap map; // by which what is turned is read, whose loops are the result's dimensions
  MlirType type;     // of the result: its shape counts
} tune_factor_move;

typedef struct tune_quantized_factor {
  MlirValue bytes; // i8, as they lie
  bool is_unsigned;
  bool has_zero; // else it is 0
  tune_factor_term zero;
  intptr_t scale_count; // 0 of them: the scale is 1
  tune_factor_term scales[TUNE_FACTOR_SCALES];
  intptr_t move_count; // from the factor to the bytes
  tune_factor_move moves[TUNE_FACTOR_MOVES];
} tune_quantized_factor;

// Whether `value` is one, of known sizes.
bool tune_quantized_factor_find(MlirValue value, tune_quantized_factor *out_factor);

// The most that |byte - zero point| and |byte| may be; false where the zero point is not known to
// be a whole number in bounds.
bool tune_quantized_factor_bound(const tune_quantized_factor *factor, double *out_most);

// The bytes with the shape of the factor: the moves anew. Where borders are added these are zero
// points.
MlirValue tune_quantized_factor_build(const tune_ir_builder *builder,
                                      const tune_quantized_factor *factor);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_QUANTIZED_FACTOR_H
