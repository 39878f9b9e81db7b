//===- contraction.c - The space of matrix products and convolutions ---------===//
//
// Levels decided together: outer tiles (parallel), the place of the epilogue, a split of
// the depth, the order of the register tiles, panels of B, the register tile, unrolling of
// the depth, and the backend. contraction_plan.h says which loop plays which part.
//
// What was learnt on MLIR 22.1.8, and what the order of the steps below rests on:
//  - the accumulators become registers only if unit dimensions are gone, the depth is
//    tiled last, and hoisting runs before bufferization;
//  - a remainder of rows is peeled into a smaller kernel, a remainder of columns padded
//    inside the panel: masks in the inner loop cost a factor of five;
//  - panels that are transposed come with a transpose back in the inner loop, which
//    elementwise fusion folds into the indexing of the contraction.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/contraction_lines.h"
#include "transforms/rules/contraction/contraction_plan.h"
#include "transforms/rules/contraction/contraction_split.h"
#include "transforms/rules/contraction/contraction_steps.h"
#include "transforms/rules/contraction/im2col.h"
#include "transforms/rules/contraction/prefetch.h"
#include "transforms/rules/contraction/register_tile.h"

static bool contraction_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_contraction_plan plan;
  return tune_contraction_plan_make(structure, machine, &plan);
}

// Whether the op after the product writes the vectors of a row apart, element by element.
static bool scatters(const tune_contraction_plan *plan) {
  const tune_nest *epilogue = plan->epilogue;
  return epilogue &&
         !tune_operand_is_loop(&epilogue->operands[epilogue->input_count],
                               epilogue->operands[epilogue->input_count].rank - 1, plan->root_col);
}

// Whether panels of the same B are made again and again, for each step of another loop of rows.
static bool repeats_panels(const tune_contraction_plan *plan) {
  const tune_nest *anchor = plan->anchor;
  for (size_t loop = 0; loop < anchor->loop_count && plan->transposed; loop++)
    if (loop != plan->row && loop != plan->col && !anchor->is_reduction[loop] &&
        anchor->extent[loop] > 1 && tune_operand_coefficient(&anchor->operands[plan->b], loop) == 0)
      return true;
  return false;
}

// Vectors of pixels, whose windows begin anywhere, where channels fill vectors nearly as well, or
// pixels do not. (With AVX-512, 32x7x7 to 3 channels of 128x128 pixels takes 0.2 of the time in
// vectors of pixels, to 9 channels 0.4; of 24x24 pixels to 8 channels it is the same.)
static bool has_vectors_of_pixels(const tune_contraction_plan *plan) {
  enum { FEW_CHANNELS = 16 }; // they are not worth a copy of the image
  int64_t lanes = plan->lanes;
  return !tune_operand_is_projection(&plan->anchor->operands[plan->b]) &&
         (plan->nr_default < lanes || (plan->depths >= FEW_CHANNELS &&
                                       3 * tune_contraction_part_filled(plan->rows, lanes) >
                                           2 * tune_contraction_part_filled(plan->cols, lanes)));
}

// Channels behind a window that only parts of vectors divide, where whole ones have more lanes with
// something to do: with zeroes behind the channels, and a copy for the rest, which takes a tenth.
static bool has_better_filled(const tune_contraction_plan *plan) {
  int64_t lanes = plan->lanes;
  return plan->has_window && plan->cols_divide && plan->nr_default < lanes &&
         10 * tune_contraction_part_filled(plan->cols, lanes) >
             11 * (double)plan->nr_default / (double)lanes;
}

// Turning a result once it is there is better than element by element, and turning an operand once
// better than in panels for each line. What stands beside a product is not in the order of its task
// in all modules.
static bool contraction_yields(const tune_structure *structure, const tune_machine *machine) {
  tune_contraction_plan plan;
  return tune_contraction_plan_make(structure, machine, &plan) &&
         (has_vectors_of_pixels(&plan) || scatters(&plan) || repeats_panels(&plan) ||
          has_better_filled(&plan) ||
          (plan.other_count > 0 && structure->preparation.layout.op_count == 0));
}

// B that stays the same from call to call: in panels made within the loops, or ahead of them all,
// where the lowering finds them (transforms/lower/cpu/weights/prepack.h). Threads cannot have
// columns that nothing divides in parts then.
static void write_both_packings(const tune_contraction_plan *plan, const tune_machine *machine,
                                tune_writer *w) {
  const char *func = w->func;
  tune_contraction_plan ahead = *plan;
  ahead.packs_ahead = true;
  tune_writer_begin_split_alternatives(w, "%packed", "weights", TUNE_LEVEL_LINALG,
                                       "\"each_call\", \"ahead\"",
                                       plan->cols_divide || !plan->has_threads, 0, 1);
  tune_contraction_write_tiles(plan, w);
  tune_contraction_write_panels(plan, machine, w);
  tune_writer_next_alternative(w, w->func, 1);
  w->func = func;
  tune_contraction_write_tiles(&ahead, w);
  tune_contraction_write_panels(&ahead, machine, w);
  // What the first cache holds is there by itself.
  bool is_large = tune_contraction_bytes_of_b(plan, plan->cols) > machine->l1_bytes;
  tune_writer_panel_ahead(w, is_large);
  tune_writer_end_alternatives(w, w->func, 1);
  w->func = "%packed";
}

// With the depth in one part.
static void write_one_part(const tune_contraction_plan *plan, const tune_machine *machine,
                           tune_writer *w) {
  tune_borders borders;
  bool has_borders = tune_contraction_find_borders(plan, &borders);
  if (plan->can_pack_ahead) {
    write_both_packings(plan, machine, w);
  } else if (has_borders) {
    // Skipped by whole lines only, which threads may have in parts; not by lines within a tile.
    bool is_skipped = plan->mc_default == plan->rows && plan->lc_default <= 1;
    tune_writer_begin_alternatives(w, NULL, "borders", TUNE_LEVEL_LINALG,
                                   "\"multiplied\", \"skipped\"", is_skipped, 0);
    tune_contraction_write_tiles(plan, w);
    tune_contraction_write_panels(plan, machine, w);
    tune_writer_next_alternative(w, NULL, 0);
    tune_contraction_write_inside(plan, &borders, w);
    tune_writer_end_alternatives(w, NULL, 0);
  } else {
    tune_contraction_write_tiles(plan, w);
    tune_contraction_write_panels(plan, machine, w);
  }
  tune_contraction_write_kernel(plan, w);
}

void tune_contraction_write_steps(const tune_contraction_plan *plan, const tune_machine *machine,
                                  tune_writer *w) {
  tune_contraction_split split;
  if (!tune_contraction_split_make(plan, machine, &split)) {
    tune_contraction_write_knobs(plan, machine, w);
    write_one_part(plan, machine, w);
    return;
  }
  tune_contraction_plan chosen = *plan;
  tune_contraction_split_choose(&split, &chosen);
  tune_contraction_write_knobs(&chosen, machine, w);
  const char *func = w->func;
  tune_writer_begin_alternatives(w, "%multiplied", "split_k", TUNE_LEVEL_LINALG,
                                 "\"none\", \"threads\"", split.is_default, 1);
  write_one_part(plan, machine, w);
  tune_writer_next_alternative(w, w->func, 1);
  w->func = func;
  write_one_part(&split.plan, machine, w);
  tune_writer_end_alternatives(w, w->func, 1);
  w->func = "%multiplied";
}

// What is larger than the second cache and read in rows that lie apart, a few elements of each at a
// time, is waited for:
//  - a filter, of whose rows a vector or two are read before the next, a page or so on;
//  - the rows of A, where B has so few columns that each is used but once or twice.
// Other matrices are no better off: B is read in place by several rows at once, or copied by
// memcpy.
static void write_prefetch(const tune_contraction_plan *plan, const tune_machine *machine,
                           tune_writer *w) {
  enum { SHORT_ROW = 128 }; // bytes
  const tune_operand *largest = tune_prefetch_find_operand(plan->structure, machine);
  const tune_operand *a = &plan->anchor->operands[plan->a], *b = &plan->anchor->operands[plan->b];
  bool is_filter = largest == b && plan->has_window && !plan->transposed;
  bool is_tall = largest == a && !plan->has_window && plan->cols <= 4 * (int64_t)plan->lanes;
  if (!largest || (!is_filter && !is_tall))
    return;
  const tune_value_set *lengths = is_filter ? &plan->nr : &plan->kr;
  tune_prefetch prefetch = {.operand = largest};
  for (size_t i = 0; i < lengths->count; i++)
    if (lengths->values[i] > 1 && prefetch.length_count < TUNE_PREFETCH_LENGTHS)
      prefetch.lengths[prefetch.length_count++] = lengths->values[i];
  if (prefetch.length_count == 0)
    return;
  int64_t row = largest->shape[largest->rank - 1] * largest->bits / 8;
  for (int64_t rows = 4; rows <= 16; rows *= 2)
    prefetch.distances[prefetch.distance_count++] = rows * row;
  // Short rows are read whole, one after the other, which the hardware sees by itself.
  prefetch.default_distance = row > SHORT_ROW ? 8 * row : 0;
  tune_prefetch_write(&prefetch, w);
}

void tune_contraction_write_buffers(const tune_contraction_plan *plan, const tune_machine *machine,
                                    tune_writer *w) {
  const tune_structure *structure = plan->structure;
  w->func = "%func";
  tune_writer_begin_buffers(w);
  tune_writer_lower_vectors(w);
  write_prefetch(plan, machine, w);
  tune_writer_place_buffers(w);
  tune_writer_wide_operands(w, structure);
  // LLVM would join accumulators of half a register in pairs, and shuffle for each product.
  w->keeps_halves = plan->nr_default < (int64_t)plan->lanes;
  tune_writer_target_knobs(w, machine->vector_bits, tune_structure_has_math(structure));
  tune_writer_end_buffers(w);
}

static void contraction_write(const tune_structure *structure, const tune_machine *machine,
                              tune_writer *w) {
  tune_contraction_plan plan;
  tune_im2col im2col;
  if (!tune_contraction_plan_make(structure, machine, &plan))
    return;
  tune_contraction_lines_choose(&plan, machine);
  tune_writer_begin_tensors(w, plan.has_window ? "rule 'contraction': a convolution, direct or not"
                                               : "rule 'contraction': a matrix product");
  if (plan.has_window && tune_im2col_make(structure, machine, &im2col)) {
    tune_writer_begin_alternatives(w, "%scheduled", "algorithm", TUNE_LEVEL_LINALG,
                                   "\"direct\", \"im2col\"", 0, 1);
    tune_contraction_write_steps(&plan, machine, w);
    tune_writer_next_alternative(w, w->func, 1);
    w->func = "%func";
    tune_im2col_write_steps(&im2col, machine, w);
    tune_writer_end_alternatives(w, w->func, 1);
    w->func = "%scheduled";
  } else {
    tune_contraction_write_steps(&plan, machine, w);
  }
  tune_writer_end_tensors(w);
  tune_contraction_write_buffers(&plan, machine, w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_contraction = {
    .name = "contraction",
    .summary = "matrix products and convolutions: register tiles, panels, fused epilogue",
    .kinds = TUNE_KINDS_CPU,
    .takes_layouts = true,
    .applies = contraction_applies,
    .yields = contraction_yields,
    .write = contraction_write,
};
