//===- factor_terms.h - Scales and zero points of what is dequantized ---------------===//
//
// A number for a whole tensor, or one for each index along one of its dimensions, however it was
// repeated to the tensor's shape: by an indexing map, a broadcast, a fill, reshapes of dimensions
// of size 1.
//
// Threads: reading IR, as MLIR allows.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_FACTOR_TERMS_H
#define TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_FACTOR_TERMS_H

#include "transforms/ir/ir_builder.h"

#include "mlir-c/AffineMap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_factor_term {
  MlirValue value;    // a scalar or a tensor; null: it is `number`
  double number;      //
  intptr_t dimension; // of the tensor that it is for; -1: the same for all of it
  intptr_t place;     // which dimension of `value` that is
  bool is_unsigned;   // integers of `value` have no sign
} tune_factor_term;

// Reads `value`, an element or a tensor. Its dimension d is dimension dimensions[d] of what it is
// for; -1: none of it, which only one of size 1 may be. With `is_zero_point` it may be converted
// from narrower integers, which is undone. False where it is more than numbers along one dimension.
bool tune_factor_term_read(MlirValue value, const intptr_t *dimensions, bool is_zero_point,
                           tune_factor_term *out_term);

// The least and the largest that a zero point may be; false where that is not known, or it is no
// whole number.
bool tune_factor_term_range(const tune_factor_term *term, double *out_least, double *out_most);

// The map by which an op whose loops are `rank` dimensions reads `value` where its dimension
// `place` is loop `loop`.
MlirAffineMap tune_factor_term_map(const tune_factor_term *term, MlirContext context, intptr_t rank,
                                   intptr_t loop);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_FACTOR_TERMS_H
