//===- layouts.h - Layouts in which rules may take a product -------------------===//
//
// Rules for products and convolutions want their operands in an order of their own: channels
// innermost, filters with their output channels last. Of a task that none of them takes as it is,
// these are the layouts (structure/layout.h) to try, those that copy least first:
//
//   beside     nothing moves; what stands beside the product is none of the rule's business
//   filter     windows, input channels, output channels
//   image      and batch, groups, pixels, channels
//   output     and the same there
//   filled     the last of these, with output channels that fill no vectors filled up with zeroes
//
// These are their names (tune_layout.name); what a rule takes as it is has the layout "raw".
//
// In a product without windows the image is the operand with the rows, the filter that with the
// columns. Where each channel has a filter of its own, the channels go last everywhere.
//
// An op after the product that turns it stands beside it as well.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_LAYOUTS_H
#define TUNE_TRANSFORMS_RULES_LAYOUTS_H

#include "transforms/rules/machine.h"
#include "transforms/structure/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_LAYOUTS_MOST 8

// Fills `out_layouts` with those of `structure`, each another one; returns how many there are. None
// where it is not one product or convolution of known sizes with one op after it at most.
size_t tune_layouts_find(const tune_structure *structure, const tune_machine *machine,
                         tune_layout out_layouts[TUNE_LAYOUTS_MOST]);

// Whether it is a product of rows and columns, of which a rule for sums along a row would make one
// sum after the other.
bool tune_layouts_has_tiles(const tune_structure *structure);

// Whether it is a convolution of each channel with itself over lines as they lie, with few products
// each, on one thread: over every second pixel, or on 16 registers over short lines that are no
// whole vectors. To bring such an image into another layout takes longer (32 bits; of other types,
// and of short lines on 32 registers, nothing was measured).
bool tune_layouts_is_best_as_it_lies(const tune_structure *structure, const tune_machine *machine);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_LAYOUTS_H
