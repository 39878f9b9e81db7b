//===- contraction_parts.h - The steps of a contraction's schedule ------------------===//
//
// The rule for contractions writes its schedule in steps, each of which finds what the
// one before has bound. In this order:
//
//   write_tiles           the parallel loop, in it those of mr x nr      contraction_tiles.c
//                         (write_outer_tiles: the first of both alone)
//   write_panels          B in panels; rows and columns that fill no     contraction_panels.c
//                         tile told apart
//   write_kernel          what is left becomes vectors                   contraction_kernel.c
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_PARTS_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_PARTS_H

#include "transforms/rules/contraction_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// Fills `order` with 0, 1, 2, ...
void tune_contraction_identity_order(size_t *order, size_t count);

// The outer tiles: what belongs together goes into one parallel loop. Binds %root and %tile (the
// anchor within it) and %start (its initialization).
void tune_contraction_write_outer_tiles(const tune_contraction_plan *plan, tune_writer *writer);

// The outer tiles and within them the register tiles, with the epilogue where a knob says. Binds
// %work:3: the contraction in the register tile, its outer and its inner loop.
void tune_contraction_write_tiles(const tune_contraction_plan *plan, tune_writer *writer);

// Splits what fills no tile off, and copies B into panels in loops outside of the register tiles
// (a knob, where it can be read in place). Leaves the handle of the function in writer->func.
void tune_contraction_write_panels(const tune_contraction_plan *plan, const tune_machine *machine,
                                   tune_writer *writer);

// Windows one by one, the depth unrolled; product, epilogue and start of the accumulator become
// vectors. Handles bound before are of no use after.
void tune_contraction_write_kernel(const tune_contraction_plan *plan, tune_writer *writer);

// The knobs and all of the above: what stands between tune_writer_begin_tensors and
// tune_writer_end_tensors. Leaves the handle of the function in writer->func.
void tune_contraction_write_steps(const tune_contraction_plan *plan, const tune_machine *machine,
                                  tune_writer *writer);

// @tune_buffers.
void tune_contraction_write_buffers(const tune_structure *structure, const tune_machine *machine,
                                    tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_PARTS_H
