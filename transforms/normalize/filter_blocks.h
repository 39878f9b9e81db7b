//===- filter_blocks.h - Constant filters in blocks of channels ---------------------===//
//
// A filter that lies with its output channels innermost is read a few of them at a time, a piece
// here and there, which takes longer than the products where there are few pixels. In blocks of
// channels each block is in one piece. The result has its channels in such blocks, too: that is the
// memory of channels innermost, by another shape.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_FILTER_BLOCKS_H
#define TUNE_TRANSFORMS_NORMALIZE_FILTER_BLOCKS_H

#include "transforms/normalize/image_values.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether that pays for the convolution `n`, with channels before pixels, as `c` says of it.
bool tune_filter_blocks_pay(const tune_nest_maps *n, const tune_image_convolution *c);

// The convolution `n` by its filter in blocks, before it: its result, reshaped to the shape that it
// has with channels innermost. `turned` are its maps, and `operands` its operands, once its image
// and its result have them so. What is made that nothing may need in the end is added to `made`.
MlirValue tune_filter_blocks_build(const tune_nest_maps *turned, const tune_nest_maps *n,
                                   const tune_image_convolution *c, const MlirValue *operands,
                                   tune_op_list *made);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_FILTER_BLOCKS_H
