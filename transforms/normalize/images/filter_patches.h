//===- filter_patches.h - Convolutions by large constant filters as products --------===//
//
// Where a filter is large and there are few pixels, what takes long is to read the filter: it is
// read again for each few pixels, a piece of each of its rows. As a matrix product of patches, what
// each pixel is made of, the filter goes in panels that are made ahead, and is read once. The
// patches are copied, which is little next to that.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_IMAGES_FILTER_PATCHES_H
#define TUNE_TRANSFORMS_NORMALIZE_IMAGES_FILTER_PATCHES_H

#include "transforms/normalize/images/image_values.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether that pays for the convolution `n`, with channels before pixels, as `c` says of it.
bool tune_filter_patches_pay(const tune_nest_maps *n, const tune_image_convolution *c);

// The convolution `n` as a product of patches, before it: its result, reshaped to the shape that it
// has with channels innermost. `turned` are its maps, and `operands` its operands, once its image
// and its result have them so. What is made that nothing may need in the end is added to `made`.
MlirValue tune_filter_patches_build(const tune_nest_maps *turned, const tune_nest_maps *n,
                                    const tune_image_convolution *c, const MlirValue *operands,
                                    tune_op_list *made);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_IMAGES_FILTER_PATCHES_H
