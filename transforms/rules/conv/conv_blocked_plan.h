//===- conv_blocked_plan.h - The plan of a channels-first convolution --------===//
//
// A convolution whose output has its pixels innermost and its channels outside of them (NCHW, NCW,
// NCDHW), of any stride and dilation, over an image in the same layout. It is computed in blocks of
// `nr` output channels, as O[row, channel] += I[row, depth] * F[depth, channel]: `channel` becomes
// vectors though nothing is contiguous along it, because the filter is copied so that it is, and
// the tile of the output is turned when it is done. The image is read where it is, an element at a
// time, so that its width and its strides do not matter.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONV_CONV_BLOCKED_PLAN_H
#define TUNE_TRANSFORMS_RULES_CONV_CONV_BLOCKED_PLAN_H

#include "transforms/rules/conv_ops.h"
#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_conv_plan {
  const tune_structure *structure;
  tune_conv_ops ops;
  size_t filter; // the operand of the anchor that is the filter

  // Loops of the anchor.
  size_t channel; // of the output
  size_t row;     // pixels that are neighbours in the output
  size_t line;    // of pixels, or TUNE_NO_LOOP: the output has one line
  size_t depth;   // channels of the input
  size_t window_count;
  size_t window[TUNE_MAX_LOOPS]; // the reductions besides depth

  size_t channel_dimension; // of the output
  size_t line_dimension;    // of the output, if there are lines
  unsigned lanes;           // accumulators in a vector register
  int64_t step;             // divides every nr
  int64_t turn;             // pixels of a line of the output that are turned at a time

  // Domains and analytic defaults.
  tune_value_set mr, nr, kr, band;
  int64_t mr_default, nr_default, kr_default, band_default;
  bool rows_divide; // every mr of the domain divides the rows
} tune_conv_plan;

// False where the structure is not one such convolution, with borders before it, and at most one
// elementwise op after it; or where its channels do not divide into vectors.
bool tune_conv_plan_make(const tune_structure *structure, const tune_machine *machine,
                         tune_conv_plan *out_plan);

// How many pixels of a line of so many are turned at a time.
int64_t tune_conv_turned_pixels(const tune_machine *machine, int64_t line);

// Whether the rule 'conv_blocked' takes `structure`.
bool tune_conv_blocked_applies(const tune_structure *structure, const tune_machine *machine);
// The rule's steps: what stands between tune_writer_begin_tensors and tune_writer_end_sequence.
// Leaves the handle of the function in writer->func.
void tune_conv_blocked_write_steps(const tune_conv_plan *plan, tune_writer *writer);
// The sequence after bufferization, for all ways to compute the same.
void tune_conv_blocked_write_buffers(const tune_conv_plan *plan, const tune_machine *machine,
                                     tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONV_CONV_BLOCKED_PLAN_H
