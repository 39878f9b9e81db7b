//===- contraction_panels.c - Panels of B, and what fills no tile ------------===//

#include "transforms/rules/contraction/contraction_steps.h"
#include "transforms/rules/contraction/register_tile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

//===--------------------------------------------------------------------------===//
// Panels of B, and remainders
//===--------------------------------------------------------------------------===//

// The permutation that exchanges depth and col among the dimensions of B. (An exchange: upstream
// transposes panels back by the same permutation, not by its inverse.)
static const char *exchange(const tune_contraction_plan *plan, char *buffer, size_t size) {
  const tune_operand *b = &plan->anchor->operands[plan->b];
  size_t depth = tune_operand_find_loop(b, plan->depth), col = tune_operand_find_loop(b, plan->col);
  size_t used = (size_t)snprintf(buffer, size, "[");
  for (size_t i = 0; i < b->rank && used < size; i++)
    used += (size_t)snprintf(buffer + used, size - used, "%s%zu", i ? ", " : "",
                             i == depth ? col
                             : i == col ? depth
                                        : i);
  if (used < size)
    snprintf(buffer + used, size - used, "]");
  return buffer;
}

static void write_merged_slices(tune_writer *w) {
  tune_writer_apply_pattern(w, "tensor.merge_consecutive_insert_extract_slice");
}

// Operands may be of different kinds, as where bytes are converted to floats on their way in.
static const char *zero_of(const char *type) { return strchr(type, 'f') ? "0.0" : "0"; }

static void write_panels(const tune_contraction_plan *plan, tune_writer *w) {
  const char *types[] = {plan->anchor->operands[0].type, plan->anchor->operands[1].type,
                         plan->anchor->operands[2].type};
  size_t first = plan->depth < plan->col ? plan->depth : plan->col;
  size_t second = plan->depth < plan->col ? plan->col : plan->depth;
  // What is hoisted has to be cut out of what is there before the outermost loop.
  if (plan->packs_ahead)
    write_merged_slices(w);
  tune_writer_line(w, "transform.apply_licm to %%work#1 : " OP);
  tune_writer_line(w,
                   "%%padded, %%pads, %%copy_back = transform.structured.pad %%work#0 "
                   "pad_to_multiple_of [%s, %s] {",
                   first == plan->col ? "%nr" : "1", first == plan->col ? "1" : "%nr");
  tune_writer_line(w, "    padding_values = [%s : %s, %s : %s, %s : %s],", zero_of(types[0]),
                   types[0], zero_of(types[1]), types[1], zero_of(types[2]), types[2]);
  tune_writer_line(w, "    padding_dimensions = [%zu, %zu], nofold_flags = [%d, %d, 0],", first,
                   second, plan->b == 0, plan->b == 1);
  tune_writer_line(w, "    copy_back_op = \"none\"} : (" OP ", " PARAM ") -> (" OP ", " OP ", " OP
                      ")");
  if (!plan->cols_divide && !plan->starts_filled) {
    // The accumulator that a fill starts stays one, padded. Started otherwise, it is copied into a
    // whole tile, which must not be taken for a panel below. Tiles that fit have nothing to copy.
    tune_writer_line(w, "%%wide = transform.get_producer_of_operand %%padded[2] : (" OP ") -> " OP);
    tune_writer_line(w, "transform.sequence %%wide : " OP " failures(suppress) {");
    tune_writer_line(w, "^bb0(%%any: " OP "):");
    tune_writer_line(w,
                     "  %%narrow = transform.cast %%any : " OP " to !transform.op<\"tensor.pad\">");
    tune_writer_line(w, "  %%copied = transform.structured.rewrite_in_destination_passing_style "
                        "%%narrow : (!transform.op<\"tensor.pad\">) -> " OP);
    tune_writer_line(w, "}");
  }
  tune_writer_line(w, "%%pad = transform.get_producer_of_operand %%padded[%zu]", plan->b);
  tune_writer_line(w, "  : (" OP ") -> !transform.op<\"tensor.pad\">");
  char permutation[64], transpose[96] = "";
  if (plan->transposed)
    snprintf(transpose, sizeof transpose, ", transpose by %s",
             exchange(plan, permutation, sizeof permutation));
  // At most so many: ahead of all loops, or of those over register tiles.
  tune_writer_line(w, "%%panels = transform.structured.hoist_pad %%pad by %d loops%s",
                   plan->packs_ahead ? 2 * TUNE_MAX_LOOPS
                   : plan->lc.count  ? 3
                                     : 2,
                   transpose);
  tune_writer_line(w, "  : (!transform.op<\"tensor.pad\">) -> " OP);
  if (plan->transposed) {
    tune_writer_line(w,
                     "%%back = transform.structured.match ops{[\"linalg.transpose\"]} in %%work#2");
    tune_writer_line(w, "  : (" OP ") -> " OP);
    tune_writer_line(w,
                     "%%back_generic = transform.structured.generalize %%back : (" OP ") -> " OP);
  }
}

// Puts `producer`, which `match` finds in the last rows, into the loop `loop`.
static void write_row_producer(tune_writer *w, const char *producer, const char *match,
                               const char *loop, const char *new_loop) {
  tune_writer_line(w, "%s = transform.structured.match %s in %%last_rows : (" OP ") -> " OP,
                   producer, match);
  tune_writer_line(w,
                   "%s_row, %s = transform.structured.fuse_into_containing_op %s into %s : (" OP
                   ", " OP ") -> (" OP ", " OP ")",
                   producer, new_loop, producer, loop);
}

// The rows that do not fill a tile, one by one: how many they are is known at run time only. A row
// stays in registers from the start of its sums to the epilogue.
static void write_last_rows(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_nest *anchor = plan->anchor;
  size_t order[TUNE_MAX_LOOPS];
  tune_tiling one = {{0}};
  char sizes[128], product[400], iterators[320];
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  one.size[plan->root_row] = "1";
  snprintf(product, sizeof product, "ops{[\"linalg.generic\"]} attributes{iterator_types = %s}",
           tune_writer_iterators(iterators, sizeof iterators, anchor, NULL, anchor->loop_count));
  tune_writer_line(w, "%%rows = transform.cast %%work#2 : " OP " to !transform.op<\"scf.for\">");
  tune_writer_line(w, "%%tiles_of_rows, %%last_rows = transform.loop.peel %%rows");
  tune_writer_line(w, "  : (!transform.op<\"scf.for\">) -> (" OP ", " OP ")");
  tune_writer_line(w, "%%last_root = transform.structured.match %s",
                   plan->epilogue ? "attributes{tune.root}" : product);
  tune_writer_line(w, "  in %%last_rows : (" OP ") -> " OP);
  if (!plan->epilogue) {
    tune_writer_line(w,
                     "%%last_row, %%row_loop = transform.structured.fuse %%last_root tile_sizes %s",
                     tune_writer_sizes(sizes, sizeof sizes, &one, order, plan->root_loop_count));
    tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
    return;
  }
  tune_writer_tile(w, "%last_row", "%row_loop", "%last_root", &one, order, plan->root_loop_count,
                   NULL);
  // What was padded is cut to as many rows as there are: a slice of a slice, which upstream's
  // fusion of whole chains does not look through.
  write_merged_slices(w);
  write_row_producer(w, "%last_product", product, "%row_loop", "%row_loop_1");
  if (plan->init)
    write_row_producer(w, "%last_start", "attributes{tune.init}", "%row_loop_1", "%row_loop_2");
}

static void write_peels(const tune_contraction_plan *plan, tune_writer *w) {
  if (plan->dynamic_rows) {
    write_last_rows(plan, w);
    return;
  }
  // Inner before outer, whichever is which: the handles come in the order of the loops.
  if (!plan->rows_divide || !plan->cols_divide) {
    tune_writer_peel(w, "%work#2");
    tune_writer_peel(w, "%work#1");
  }
}

// Panels that keep the order of B: copied a row of nr columns at a time.
static void write_copies(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_operand *b = &plan->anchor->operands[plan->b];
  size_t order[TUNE_MAX_LOOPS];
  tune_writer_identity_order(order, b->rank);
  tune_tiling row = {{0}};
  for (size_t i = 0; i < b->rank; i++)
    row.size[i] = "1";
  row.size[tune_operand_find_loop(b, plan->col)] = "%nr";
  char sizes[128];
  tune_writer_line(
      w, "%%copies = transform.structured.match ops{[\"tensor.pad\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_begin_foreach(w, "%copies", "%one_copy");
  tune_writer_tile(w, "%copy", "%copy_loops", "%one_copy", &row, order, b->rank, NULL);
  tune_writer_try_vectorize(w, "%copy",
                            tune_writer_sizes(sizes, sizeof sizes, &row, order, b->rank));
  tune_writer_end_foreach(w);
}

// Steps of the depth of a block. No masks: 8x768x197 takes 3.5 times as long with them on AVX2, 1.2
// with AVX-512.
static int64_t block_steps(const tune_contraction_plan *plan) {
  return plan->depths < 16 ? plan->depths : tune_turned_side(plan->depths);
}

// The sizes of a block, whose columns are dimension `col` of what is tiled.
static const char *block_sizes(const tune_contraction_plan *plan, char *buffer, size_t size,
                               size_t col, size_t depth) {
  int64_t steps = block_steps(plan);
  size_t used = (size_t)snprintf(buffer, size, "[");
  for (size_t i = 0; i < plan->anchor->operands[plan->b].rank && used < size; i++)
    used += (size_t)snprintf(buffer + used, size - used, "%s%" PRId64, i ? ", " : "",
                             i == col     ? plan->block
                             : i == depth ? steps
                                          : (int64_t)1);
  if (used < size)
    snprintf(buffer + used, size - used, "]");
  return buffer;
}

// Transposed panels, in blocks (16 x 16 mostly) that are transposed in registers: the pad belongs
// into the loops of the transpose, or each panel would be copied first. In the transpose, depth and
// columns have changed places.
static void write_transposes(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_operand *b = &plan->anchor->operands[plan->b];
  size_t depth = tune_operand_find_loop(b, plan->depth), col = tune_operand_find_loop(b, plan->col);
  char source[128], target[128], types[256];
  tune_writer_line(w, "%%transposes = transform.structured.match ops{[\"linalg.transpose\"]} in %s",
                   w->func);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_begin_foreach(w, "%transposes", "%one_transpose");
  tune_writer_line(w,
                   "%%transpose, %%transpose_loops:%zu = transform.structured.fuse "
                   "%%one_transpose tile_sizes %s",
                   b->rank, block_sizes(plan, target, sizeof target, depth, col));
  tune_writer_line(w, "  : (" OP ") -> (%s)", tune_writer_types(types, sizeof types, b->rank + 1));
  if (!plan->cols_divide) {
    // Upstream asks at run time whether a block is nothing but padding. Then it is a block without
    // columns of its own, which needs no branch; with one, memory comes out of both of its sides,
    // and nothing of it is seen to depend on constants alone.
    tune_writer_line(w, "%%guards = transform.structured.match ops{[\"scf.if\"]} in "
                        "%%transpose_loops#0 : (" OP ") -> " OP);
    tune_writer_line(w, "transform.scf.take_assumed_branch %%guards take_else_branch");
    tune_writer_line(w, "  : (" OP ") -> ()");
  }
  tune_writer_line(w, "%%blocks = transform.structured.match ops{[\"tensor.pad\"]} "
                      "in %%transpose_loops#0 : (" OP ") -> " OP);
  tune_writer_begin_foreach(w, "%blocks", "%block");
  tune_writer_try_vectorize(w, "%block", block_sizes(plan, source, sizeof source, col, depth));
  tune_writer_end_foreach(w);
  tune_writer_try_vectorize(w, "%transpose", target);
  tune_writer_end_foreach(w);
}

// The packing loops.
static void write_packing(const tune_contraction_plan *plan, tune_writer *w) {
  if (!plan->cols_divide) {
    tune_writer_line(
        w, "%%odd_pads = transform.structured.match ops{[\"tensor.pad\"]} in %s : (" OP ") -> " OP,
        w->func);
    tune_writer_line(w,
                     "%%pad_loops = transform.get_parent_op %%odd_pads "
                     "{op_name = \"scf.for\", deduplicate, allow_empty_results} : (" OP ") -> " OP);
    tune_writer_peel(w, "%pad_loops");
    tune_writer_cleanup(w);
  }
  if (plan->transposed)
    write_transposes(plan, w);
  else
    write_copies(plan, w);
}

//===--------------------------------------------------------------------------===//
// With panels or without
//===--------------------------------------------------------------------------===//

static void write_packed(const tune_contraction_plan *plan, tune_writer *w) {
  write_panels(plan, w);
  write_peels(plan, w);
  if (plan->transposed)
    tune_writer_apply_pass(w, "linalg-fuse-elementwise-ops", "%folded");
  tune_writer_cleanup(w);
  write_packing(plan, w);
}

static void write_in_place(const tune_contraction_plan *plan, tune_writer *w) {
  write_peels(plan, w);
  tune_writer_cleanup(w);
}

void tune_contraction_write_panels(const tune_contraction_plan *plan, const tune_machine *machine,
                                   tune_writer *w) {
  if (plan->has_window) {
    write_in_place(plan, w);
  } else if (plan->packs_ahead || !plan->cols_divide || plan->transposed) {
    write_packed(plan, w);
  } else {
    tune_writer_begin_alternatives(w, NULL, "panels", TUNE_LEVEL_LINALG, "\"packed\", \"in_place\"",
                                   tune_contraction_reads_in_place(plan, machine) ? 1 : 0, 0);
    write_packed(plan, w);
    tune_writer_next_alternative(w, NULL, 0);
    write_in_place(plan, w);
    tune_writer_end_alternatives(w, NULL, 0);
  }
}
