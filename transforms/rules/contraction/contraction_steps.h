//===- contraction_steps.h - The steps of a contraction's schedule --------===//
//
// The rule for contractions writes its schedule in steps, each of which finds what the
// one before has bound. In this order:
//
//   write_tiles           the parallel loop, in it those of mr x nr      contraction_tiles.c
//                         (write_outer_tiles: the first of both alone)
//   write_inside          instead of these two: without the borders    contraction_borders.c
//                         of an image
//   write_panels          B in panels; rows and columns that fill no     contraction_panels.c
//                         tile told apart
//   write_kernel          what is left becomes vectors                   contraction_kernel.c
//
// Threads: one thread at a time per writer.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_STEPS_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_STEPS_H

#include "transforms/rules/contraction/border_skipping.h"
#include "transforms/rules/contraction/contraction_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

// The outer tiles: what belongs together goes into one parallel loop. Binds %root and %tile (the
// anchor within it) and %start (its initialization).
void tune_contraction_write_outer_tiles(const tune_contraction_plan *plan, tune_writer *writer);

// The outer tiles and within them the register tiles, with the epilogue where a knob says. Binds
// %work:3: the contraction in the register tile, its outer and its inner loop.
void tune_contraction_write_tiles(const tune_contraction_plan *plan, tune_writer *writer);

// The register tiles alone, of the product `target`, whose start is %start. Binds %work:3.
void tune_contraction_write_register_tiles(const tune_contraction_plan *plan, tune_writer *writer,
                                           const char *target);

// Splits what fills no tile off, and copies B into panels in loops outside of the register tiles
// (a knob, where it can be read in place). Leaves the handle of the function in writer->func.
void tune_contraction_write_panels(const tune_contraction_plan *plan, const tune_machine *machine,
                                   tune_writer *writer);

// The borders of the image of a convolution, if it has some that are better not multiplied.
bool tune_contraction_find_borders(const tune_contraction_plan *plan, tune_borders *out_borders);

// In place of the tiles and panels of such a convolution: a line in parallel, and in it register
// tiles over what is inside of the image.
void tune_contraction_write_inside(const tune_contraction_plan *plan, const tune_borders *borders,
                                   tune_writer *writer);

// Windows one by one, the depth unrolled; product, epilogue and start of the accumulator become
// vectors. Handles bound before are of no use after.
void tune_contraction_write_kernel(const tune_contraction_plan *plan, tune_writer *writer);

// The knobs and all of the above: what stands between tune_writer_begin_tensors and
// tune_writer_end_tensors. Leaves the handle of the function in writer->func.
void tune_contraction_write_steps(const tune_contraction_plan *plan, const tune_machine *machine,
                                  tune_writer *writer);

// Parts of the steps above. The knobs of all tiles, and of register tiles and the depth alone.
// (contraction_knobs.c)
void tune_contraction_write_knobs(const tune_contraction_plan *plan, const tune_machine *machine,
                                  tune_writer *writer);
void tune_contraction_write_tile_knobs(const tune_contraction_plan *plan,
                                       const tune_machine *machine, tune_writer *writer);
// The constraint that the knob `knob` divides `extent`; `why` is told to users.
// (contraction_knobs.c)
void tune_contraction_write_divisor(const char *knob, int64_t extent, const char *why,
                                    tune_writer *writer);
// Before anything is tiled: names the ops, binds %anchor, %init and
// %epilogue, and writes what stands before them.
void tune_contraction_write_before(const tune_contraction_plan *plan, tune_writer *writer);
// The parallel loop over the outer tiles of the root. Binds %root, %tile (the anchor of an
// epilogue) and %start.
void tune_contraction_write_outer_loop(const tune_contraction_plan *plan, tune_writer *writer);
// The epilogue `target`, with all sums before it: row after row, the last vector masked.
void tune_contraction_write_rows(const tune_contraction_plan *plan, tune_writer *writer,
                                 const char *target);
// "[col, row, the rest...]" as an interchange over the anchor's loops, or row before col.
const char *tune_contraction_interchange(char *buffer, size_t size, size_t count, size_t row,
                                         size_t col, bool columns_outside);

// @tune_buffers.
void tune_contraction_write_buffers(const tune_contraction_plan *plan, const tune_machine *machine,
                                    tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_CONTRACTION_STEPS_H
