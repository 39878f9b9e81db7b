//===- conv_ops.h - The ops that a convolution's rules take with it ----------===//
//
// One product, what starts its accumulator, the borders added to its image before it, and at most
// one elementwise op after it. Rules that are about windows begin with this; what the product's
// loops mean is their own.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONV_OPS_H
#define TUNE_TRANSFORMS_RULES_CONV_OPS_H

#include "transforms/structure/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_conv_ops {
  const tune_nest *anchor;   // out + a * b, with reductions
  const tune_nest *init;     // what fills the accumulator: a fill or a broadcast
  const tune_nest *epilogue; // elementwise over the result, or NULL
  bool has_pad;              // borders are added to the image here
} tune_conv_ops;

// False where `structure` is anything else, or returns more than the end of this chain. The nests
// belong to `structure`.
bool tune_conv_ops_find(const tune_structure *structure, tune_conv_ops *out_ops);

// The loop of `nest` that is dimension `dimension` of `operand`, or TUNE_NO_LOOP.
size_t tune_conv_loop_of_dimension(const tune_nest *nest, const tune_operand *operand,
                                   size_t dimension);

// A convolution over two dimensions with channels innermost, of f32:
// [n,] h * stride + p * dilation, w * ..., c | p, q, c, f -> [n,] h, w, f
typedef struct tune_conv_nhwc {
  bool has_batch;                            // the first dimension of image and output
  int64_t batch, height, width;              // of the output
  int64_t image_height, image_width;         // of all of the image, with what is not read
  int64_t depth, channels;                   // of the image, and of the output
  int64_t window[2], stride[2], dilation[2]; // along the height and along the width
  size_t depth_loop, channel_loop;           // of the nest
  size_t line_loop, batch_loop;              // TUNE_NO_LOOP without a batch
} tune_conv_nhwc;

// Whether `anchor` has the loops of a convolution of f32 over planes of `image`, with a batch or
// without, in any layout.
bool tune_conv_is_of_planes(const tune_nest *anchor, const tune_operand *image);

// Whether `anchor` is one, image first.
bool tune_conv_nhwc_find(const tune_nest *anchor, tune_conv_nhwc *out_conv);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONV_OPS_H
