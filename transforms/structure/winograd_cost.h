//===- winograd_cost.h - What Winograd's convolution takes, beside the direct one ----------===//
//
// An estimate of F(4x4, 3x3) by multiply-adds, measured on Zen 4 with vectors of 256 and 512 bits,
// channels before pixels and after, from 4 to 112 pixels and from 8 to 512 channels.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_STRUCTURE_WINOGRAD_COST_H
#define TUNE_TRANSFORMS_STRUCTURE_WINOGRAD_COST_H

#ifdef __cplusplus
extern "C" {
#endif

// Of fewer channels' products direct sums are so exact that Winograd's errors come near to what the
// check allows, and beyond: of 8 channels they were at 0.3 to 1.1 of it, of 16 at 0.25 to 0.6.
#define TUNE_WINOGRAD_LEAST_DEPTH 16

typedef struct tune_winograd_cost {
  double pixels, tiles;              // of the output; a tile may stand over its edge
  double depth, channels;            // of the image, and of the output
  double channel_parts, depth_parts; // how many times as many steps as with whole vectors; 1
  double direct_rate; // of the direct convolution's products, beside whole vectors; 1
} tune_winograd_cost;

// How many times as long as F(4x4, 3x3) the direct convolution takes, with sums and products of one
// type; 0 where the depth is below TUNE_WINOGRAD_LEAST_DEPTH.
static inline double tune_winograd_cost_gain(const tune_winograd_cost *cost) {
  if (cost->depth < TUNE_WINOGRAD_LEAST_DEPTH)
    return 0;
  // Multiply-adds of a filter, and of a tile of the image or the output, for each of its channels.
  const double of_filter = 180, of_tile = 270, weights = 3 * 3, products = 6 * 6;
  double in_parts = of_filter + products * cost->tiles + cost->tiles * of_tile / cost->depth;
  double along_depth = cost->tiles * of_tile / cost->channels; // of the image
  return weights * cost->pixels / cost->direct_rate /
         (cost->channel_parts * in_parts + cost->depth_parts * along_depth);
}

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_STRUCTURE_WINOGRAD_COST_H
