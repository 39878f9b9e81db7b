//===- contraction_borders.c - Convolutions without the borders of their image -===//
//
// Outer tiles are whole lines. What is inside for some windows is more pixels than for others, so
// that each has register tiles of its own; between them the sums are in memory, in a tile that
// stays in the nearest cache.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/contraction_steps.h"

#include <inttypes.h>

#define OP "!transform.any_op"

bool tune_contraction_find_borders(const tune_contraction_plan *plan, tune_borders *out_borders) {
  return plan->has_window &&
         tune_borders_find(plan->structure, plan->anchor, plan->a, plan->row, out_borders);
}

static void write_constraint(const tune_contraction_plan *plan, tune_writer *w) {
  if (plan->mc.count == 1)
    return;
  tune_writer_constraint(w, "borders are skipped in whole lines", "mc == %" PRId64, plan->rows);
}

// Register tiles of each part, %part.
static void write_part_tiles(const tune_contraction_plan *plan, tune_writer *w,
                             bool columns_outside) {
  const tune_nest *anchor = plan->anchor;
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char loops[64];
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  tile.size[plan->row] = "%mr";
  tile.size[plan->col] = "%nr";
  tune_writer_tile(w, "%tiled", "%loops", "%part", &tile, order, anchor->loop_count,
                   tune_contraction_interchange(loops, sizeof loops, anchor->loop_count, plan->row,
                                                plan->col, columns_outside));
}

// What starts the sums of a line: vector by vector.
static void write_starts(const tune_contraction_plan *plan, tune_writer *w) {
  tune_tiling vector = {{0}};
  size_t order[TUNE_MAX_LOOPS], rank = plan->init->loop_count;
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  for (size_t i = 0; i < rank; i++)
    vector.size[i] = tune_operand_is_loop(&plan->anchor->operands[2], i, plan->col) ? "%nr" : "1";
  tune_writer_tile(w, "%start_vector", "%start_loops", "%start", &vector, order, rank, NULL);
}

void tune_contraction_write_inside(const tune_contraction_plan *plan, const tune_borders *borders,
                                   tune_writer *w) {
  const tune_nest *anchor = plan->anchor;
  write_constraint(plan, w);
  tune_contraction_write_before(plan, w);
  tune_contraction_write_outer_loop(plan, w);
  if (plan->epilogue)
    tune_contraction_write_rows(plan, w, "%root");
  if (plan->init)
    write_starts(plan, w);
  tune_writer_cleanup(w);
  if (borders->lines.loop != TUNE_NO_LOOP) {
    tune_writer_match_generic(w, "%product", anchor, NULL, anchor->loop_count, w->func);
    tune_borders_write_lines(borders, plan->col, &plan->nc, "%product", w);
  }
  if (borders->pixels.loop != TUNE_NO_LOOP) {
    tune_writer_match_generic(w, "%inside", anchor, NULL, anchor->loop_count, w->func);
    tune_borders_write_columns(borders, "%inside", w);
  }
  tune_writer_match_generic(w, "%parts", anchor, NULL, anchor->loop_count, w->func);
  tune_writer_begin_foreach(w, "%parts", "%part");
  tune_writer_begin_alternatives(w, "%tiles:2", "tile_order", TUNE_LEVEL_LINALG,
                                 "\"columns_outside\", \"rows_outside\"", 0, 2);
  write_part_tiles(plan, w, true);
  tune_writer_next_alternative(w, "%loops#0, %loops#1", 2);
  write_part_tiles(plan, w, false);
  tune_writer_end_alternatives(w, "%loops#0, %loops#1", 2);
  tune_writer_peel(w, "%tiles#1");
  tune_writer_peel(w, "%tiles#0");
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
}
