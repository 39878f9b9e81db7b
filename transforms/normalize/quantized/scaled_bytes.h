//===- scaled_bytes.h - A tensor of f32 as bytes, with scales made of it ---------------===//
//
// What is multiplied may be rounded to bytes, of which an instruction multiplies four times as many
// as of f32. How large it is is seen as it comes (dynamic quantization), for each index along the
// dimensions that are kept: what is added up has one scale.
//
//   most  = max |x|, 1e-30 at least             along all but the dimensions that are kept
//   bytes = round(x * 127 / most)               to the nearest, ties to even: -127 to 127
//   scale = most / 127                          x is bytes * scale, nearly
//
// Zero is zero, so that borders stay what they are. Where something is infinite or no number, so is
// the scale, or times it.
//
// Threads: one thread at a time per module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_SCALED_BYTES_H
#define TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_SCALED_BYTES_H

#include "transforms/ir/ir_builder.h"

#ifdef __cplusplus
extern "C" {
#endif

// The largest byte, and the least with a sign.
#define TUNE_SCALED_BYTES_MOST 127

typedef struct tune_scaled_bytes {
  MlirValue bytes;         // of i8, of the shape of the tensor
  MlirValue scale;         // of f32, of the dimensions that are kept, in their order
  MlirAffineMap scale_map; // those, of the dimensions of the tensor
} tune_scaled_bytes;

// Builds them of `value`, a plain tensor of f32 (normalize/tensor_ops.h). `is_kept` has an entry
// for each of its dimensions. The dialects arith, linalg, math and tensor have to be loaded.
tune_scaled_bytes tune_scaled_bytes_build(const tune_ir_builder *builder, MlirValue value,
                                          const bool *is_kept);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_QUANTIZED_SCALED_BYTES_H
