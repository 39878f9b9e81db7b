//===- winograd_patterns.h - Winograd's convolutions with 3x3 filters as PDL patterns -===//
//
// Lavin and Gray, Fast algorithms for convolutional neural networks (2016): a tile of 6 x 6 pixels
// and a filter of 3 x 3 are both transformed to 36 values, whose products, transformed back, are
// 4 x 4 pixels of the output: 36 multiplications in place of 144. Over all tiles and channels the
// products are 36 matrix products, of tiles x depth with depth x channels. That is F(4x4, 3x3). In
// F(2x2, 3x3) a tile has 4 x 4 pixels, which make 2 x 2 of the output: 16 multiplications in place
// of 36, and 16 matrices of filters in place of 36, for those that are many and images that are
// small.
//
// Upstream's linalg.winograd_*_transform ops are taken for what they can: be tiled. What they
// decompose to is no use (a 6 x 6 matrix product for each single channel); so each, once it is as
// small as a tile and a vector of channels, becomes reads, multiply-adds and writes here. The
// filter's op would lay the products outside; in its place is a transposition of a cast of the
// filter, whose pattern looks through the cast.
//
// The points of F(4x4, 3x3) at which polynomials are evaluated are 0, +-5/8, +-3/2 and infinity,
// not upstream's 0, +-1, +-2: sums of f32 come out three to five times as exact (docs/accuracy.md).
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_PATTERNS_H
#define TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_PATTERNS_H

#include "transforms/rules/schedule_writer.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_WINOGRAD_FILTER 3        // weights of a filter in each direction
#define TUNE_WINOGRAD_LARGE_TILE 4    // pixels of output that a tile of F(4x4, 3x3) has
#define TUNE_WINOGRAD_SMALL_TILE 2    // and of F(2x2, 3x3)
#define TUNE_WINOGRAD_MOST_PRODUCTS 6 // values that a tile or filter is transformed to, each way

typedef struct tune_winograd {
  int64_t tile;                 // TUNE_WINOGRAD_LARGE_TILE or TUNE_WINOGRAD_SMALL_TILE
  bool has_batch;               // the image and the output have a dimension for it, the first
  int64_t batch, height, width; // of the output
  int64_t depth, channels;      // of the image, and of the output
  int64_t lanes;                // f32 in a vector of channels, which it divides
  int64_t depth_lanes;          // the same of the depth
  int64_t most_lanes;           // that a vector may have
  double direct_rate; // of the direct convolution's products, beside those of whole vectors
  // Channels are before pixels in the image and the output, and outermost in the filter (NCHW,
  // FCHW); else innermost in all of them (NHWC, HWCF).
  bool channels_first;
  int64_t low[2], high[2]; // borders above and below, left and right; channels_first only
} tune_winograd;

// Values that a tile or filter is transformed to, in each direction.
int64_t tune_winograd_products(const tune_winograd *winograd);
// The tiles that the output is made of, with those that stand over its edge.
int64_t tune_winograd_tiles(const tune_winograd *winograd);

// linalg.generic of the image, the filter of `block` channels and the output so far, to which the
// result is added: becomes the transforms of the image and the output, two tosa.transpose for the
// filter (there and back) and tosa.matmul, which can be written without a region, and of which
// upstream makes linalg.transpose and linalg.batch_matmul.
void tune_winograd_write_convolution(const tune_winograd *winograd, const char *name, int64_t block,
                                     tune_writer *writer);
// The same of channels_first in two steps, whose image has become what tune_winograd_write_borders
// makes of it. First tosa.transpose of the filter, a cast of the image and the filter to the sums
// with channels innermost, which stands for the convolution while elementwise ops are fused,
// tosa.transpose of that and tosa.add of the output so far. Where `starts_at_zero` that is a fill
// with zero only, and nothing is added.
void tune_winograd_write_turns(const tune_winograd *winograd, const char *name, int64_t block,
                               bool starts_at_zero, tune_writer *writer);
// Then this cast: becomes the same as above.
void tune_winograd_write_turned_convolution(const tune_winograd *winograd, const char *name,
                                            int64_t block, tune_writer *writer);
// tensor.insert_slice of an image of channels_first into its borders, a linalg.fill: becomes
// tosa.transpose into whole tiles with channels innermost, and a cast of that to what it was.
void tune_winograd_write_borders(const tune_winograd *winograd, const char *name,
                                 tune_writer *writer);
// In winograd_transforms.c: the transforms of a vector of channels: of a tile of the image, a
// filter, a tile of the output.
void tune_winograd_write_image(const tune_winograd *winograd, const char *name,
                               tune_writer *writer);
void tune_winograd_write_filter(const tune_winograd *winograd, const char *name,
                                tune_writer *writer);
void tune_winograd_write_output(const tune_winograd *winograd, const char *name,
                                tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_PATTERNS_H
