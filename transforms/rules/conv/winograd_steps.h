//===- winograd_steps.h - The steps of Winograd's convolution that layouts share -===//
//
// What rules/conv/winograd.c and rules/conv/winograd_nchw.c have in common: the domains of the
// knobs, and the steps once the convolution has become three transforms and a batch of products, in
// which channels are innermost whatever the layout outside. In this order:
//
//   tune_winograd_choose            the domains
//   tune_winograd_pays              whether Winograd's transforms are the default
//   tune_winograd_write_knobs
//   (the transforms in the convolution's place: winograd_patterns.h)
//   tune_winograd_write_matmul      what TOSA ops there are become linalg's
//   tune_winograd_write_transforms  loops of straight code
//   tune_winograd_write_products    tiles of mr x nr in registers
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_STEPS_H
#define TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_STEPS_H

#include "transforms/rules/contraction/contraction_plan.h"
#include "transforms/rules/conv/winograd_patterns.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sizes of a block, and of a part of the depth: there is a pattern for each pair.
#define TUNE_WINOGRAD_MOST_SIZES 4
// Of the image: all, a band, and what is left.
#define TUNE_WINOGRAD_MOST_HEIGHTS 3

typedef struct tune_winograd_bands {
  int64_t lines; // of a band; 0: there are none
  int64_t rest;  // lines that are left behind the bands
  bool is_default;
} tune_winograd_bands;

typedef struct tune_winograd_plan {
  tune_contraction_plan contraction; // of channels innermost; zeroes else
  tune_winograd winograd;
  unsigned threads;
  size_t group; // the loop of the anchor over groups, or TUNE_NO_LOOP
  tune_nest
      convolution; // of one group: the anchor without that loop, and without loops of one step
  size_t channel, depth, line, batch; // loops of the convolution; no batch: TUNE_NO_LOOP
  tune_winograd_bands bands;
  tune_value_set block, kc, mr, nr, kr;
  int64_t block_default, kc_default, mr_default, nr_default;
} tune_winograd_plan;

// Fills the domains in for `plan->winograd`. False where its channels do not divide into vectors,
// or its output is smaller than a tile.
bool tune_winograd_choose(const tune_machine *machine, tune_winograd_plan *plan);

// How many times as long as F(4x4, 3x3) the direct convolution takes, going by the sizes.
double tune_winograd_gain(const tune_winograd *winograd);
// Whether that is clearly less time.
bool tune_winograd_pays(const tune_winograd *winograd);

void tune_winograd_write_knobs(const tune_winograd_plan *plan, const tune_machine *machine,
                               tune_writer *writer);
// Register tiles are no higher than the rows there are.
void tune_winograd_write_row_constraint(int64_t tiles, const tune_winograd_plan *plan,
                                        tune_writer *writer);
// `writer->func` is another handle after it.
void tune_winograd_write_matmul(tune_writer *writer);
void tune_winograd_write_transforms(const tune_winograd_plan *plan, const tune_winograd *winograd,
                                    tune_writer *writer);
void tune_winograd_write_products(tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONV_WINOGRAD_STEPS_H
