//===- border_skipping.h - Skipping the borders of an image in convolutions --===//
//
// A convolution over an image with borders of zeroes multiplies many of them: 7x7 pixels with
// windows of 3x3 have 361 of 441 products inside of the image. What lies outside is left out
//  - along the lines of the output, done one at a time: the window's lines go from the first to
//    the last that meets the image, which depends on the line;
//  - along the pixels of a line: the window's columns become parts, each with the pixels for which
//    it is inside.
// An element of the filter that is infinite or no number then makes no NaN out of a border.
//
// Upstream has no op for either: the schedule brings PDL patterns along (pdl_writer.h).
//
// Threads: plain values; one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_BORDER_SKIPPING_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_BORDER_SKIPPING_H

#include "transforms/rules/schedule_writer.h"
#include "transforms/structure/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

// How the loop of an output dimension meets the borders of the image: pixel p and window w read
// p * stride + w * dilation, of which [low, low + inside) is image.
typedef struct tune_border {
  size_t loop, window; // of the anchor; TUNE_NO_LOOP both: nothing to leave out here
  int64_t pixels, windows;
  int64_t stride, dilation;
  int64_t low, inside;
  size_t dimension; // of the image
} tune_border;

typedef struct tune_borders {
  const tune_nest *anchor;
  size_t image, filter; // operands of the anchor
  size_t row;           // its loop of neighbouring pixels
  tune_border lines, pixels;
  double share; // of the products that are inside
} tune_borders;

// Finds the borders of the operand `image` of `anchor`, which is a multiply-add out of
// `structure` whose neighbouring pixels are the loop `row`. False where there are none, or where
// too few products lie in them to be worth it.
bool tune_borders_find(const tune_structure *structure, const tune_nest *anchor, size_t image,
                       size_t row, tune_borders *out_borders);

// Makes the loop over the window's lines one over those that meet the image. `target`, the anchor,
// is to be in loops with steps of one along the lines and whatever else indexes the image besides
// row and depth, and cleaned up; its image and filter are slices of what is before the loops.
// Columns of the filter (the loop `col`) are in tiles of one of `tiles`. Ends all handles but
// writer->func.
void tune_borders_write_lines(const tune_borders *borders, size_t col, const tune_value_set *tiles,
                              const char *target, tune_writer *writer);

// Makes each window's column of the anchors `target` an op of its own, over the pixels for which it
// is inside; neighbours that are inside for the same pixels stay together. Ends all handles but
// writer->func.
void tune_borders_write_columns(const tune_borders *borders, const char *target,
                                tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_BORDER_SKIPPING_H
