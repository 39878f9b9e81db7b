//===- image_values.h - Images that are computed with channels before pixels --------===//
//
// The tensors between the convolutions of a network that have their channels in dimension 1, before
// the pixels (NCHW), or in groups in dimensions 1 and 2, with what makes and reads them:
// convolutions, poolings, ops on elements, borders, parts, joints, and reshapes of channels to
// groups and back. All of them can be written with channels innermost (channels_last.h).
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_IMAGES_IMAGE_VALUES_H
#define TUNE_TRANSFORMS_NORMALIZE_IMAGES_IMAGE_VALUES_H

#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"
#include "transforms/normalize/nest_maps.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A convolution with channels before pixels: each channel with itself, or of all channels, or of
// those of a group.
typedef struct tune_image_convolution {
  bool is_depthwise;           // also as groups of one channel
  intptr_t channel_dimensions; // of its images: 2 where they are in groups
  intptr_t group;              // the loop of groups; -1: there is none
  bool has_window;             // of more than one pixel
  bool has_stride;
  intptr_t image;          // which operand; the other one of the first two is the filter
  intptr_t channels;       // loop that is summed up, of channels; -1: none
  double products, pixels; // of the result
} tune_image_convolution;

// Reads the maps of `op` and what it is; false where it is none, and where its window is all of the
// image.
bool tune_image_convolution_read(MlirOperation op, tune_nest_maps *out_nest,
                                 tune_image_convolution *out_convolution);

// Whether values of `type` take part: those of f32, f16 and bf16.
bool tune_image_values_take(MlirType type);

// Images that belong together: an op that has one has the others that lie alike, too.
typedef struct tune_image_values {
  MlirValue *values;
  unsigned char *channel_dimensions; // of each value: 1, or 2 in groups
  size_t count, capacity;
  tune_op_map index_of; // values, and ops by their place in `ops`
  tune_op_list ops;     // that take part, each once
  bool failed;          // memory ran out
} tune_image_values;

// Adds `image`, of so many dimensions of channels, and those that belong to it. Nothing where it is
// none.
void tune_image_values_add(tune_image_values *images, MlirValue image, intptr_t channel_dimensions);
// Adds those of `more`.
void tune_image_values_join(tune_image_values *images, const tune_image_values *more);
// Whether both have some value, by other dimensions of channels.
bool tune_image_values_disagree(const tune_image_values *images, const tune_image_values *others);
bool tune_image_values_has(const tune_image_values *images, MlirValue value);
// How many dimensions behind the first are channels of `value`, which is one.
intptr_t tune_image_values_channel_dimensions(const tune_image_values *images, MlirValue value);
bool tune_image_values_has_op(const tune_image_values *images, MlirOperation op);
void tune_image_values_deinit(tune_image_values *images);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_IMAGES_IMAGE_VALUES_H
