//===- depthwise_plan.h - The plan of a depthwise convolution ----------------===//
//
// O[channel, pixel] += I[channel, pixel * stride + window] * F[channel, window]: which loops these
// are, and the domains of the rule's knobs. There are two forms of schedule: rows, whose register
// tile is a piece of a line, and whose borders are copied beside the lines they belong to; and
// planes, whose register tile is of several lines, and which reads the image where it lies.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONV_DEPTHWISE_PLAN_H
#define TUNE_TRANSFORMS_RULES_CONV_DEPTHWISE_PLAN_H

#include "transforms/rules/conv_ops.h"
#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

// A loop of pixels and the tile of a plane.
typedef struct tune_depthwise_side {
  size_t loop;
  int64_t before, after; // steps at its ends whose windows reach into the border
  tune_value_set sizes;  // of the tile: those where only the first and the last one meet a border
  int64_t size_default;
} tune_depthwise_side;

typedef struct tune_depthwise_plan {
  tune_conv_ops ops;
  const tune_operand *image, *filter;
  size_t lane; // the loop that becomes vectors: the innermost of the output
  size_t row;  // the next outside of it, whose steps share a weight
  int64_t lanes;
  size_t line;     // the outermost loop of pixels; may be `row`
  bool pads_image; // what the product reads is padded, and nothing else is: not what was copied for
                   // it (structure/layout.h)

  // Of the register tile: rows, and elements of a row. Of a band: lines, and elements of a row.
  tune_value_set mr, nr, band, block;
  int64_t mr_default, nr_default, band_default, block_default;
  bool rows_divide; // every mr of the domain divides the rows

  // Of planes, if there are any.
  bool has_planes, takes_planes; // takes: by default
  tune_depthwise_side lines, rows;
  int64_t registers; // that accumulators may take
  int64_t steps;     // pixels that a tile may have, so that it compiles soon
} tune_depthwise_plan;

// False where `structure` is no depthwise convolution that the rule takes. What the plan points to
// belongs to `structure`.
bool tune_depthwise_plan_make(const tune_structure *structure, const tune_machine *machine,
                              tune_depthwise_plan *out_plan);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONV_DEPTHWISE_PLAN_H
