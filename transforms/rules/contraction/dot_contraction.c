//===- dot_contraction.c - Products of narrow elements by the CPU's dot products -===//
//
// A matrix product or convolution of bf16 into f32, or of bytes into i32, on a CPU with
// instructions that add up groups of products (2 of bf16, 4 of bytes, 2 of bytes as 16 bits) into
// each lane. The depth is
// cut in groups; B is copied into panels with the groups of neighbouring columns side by side, A is
// read in place:
//
//   forall  mc rows, nc columns, all lines (loops of A alone) or 1 of every other loop; fill,
//           product and epilogue fused into it
//     for  nr columns
//       copy B into a panel: windows x groups x nr x group
//       for  lines, mr rows
//         accumulators: mr x nr in registers
//         for  windows, kr groups of the depth
//           mr x nr/lanes instructions, see dot_patterns.h
//         for  windows: the last groups, and what B turned has added, taken off
//         epilogue
//
// Rows and columns that fill no tile are told apart before anything else is done, so that
// every size below is known; columns that fill no vector are masked, and a depth that
// fills no group is filled up with zeroes.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction/contraction_steps.h"
#include "transforms/rules/contraction/dot_panel_patterns.h"
#include "transforms/rules/contraction/dot_plan.h"
#include "transforms/rules/contraction/register_tile.h"
#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"
#define GENERIC "!transform.op<\"linalg.generic\">"
#define PACK "!transform.op<\"linalg.pack\">"
#define MAX_PATTERNS 10

//===--------------------------------------------------------------------------===//
// The schedule
//===--------------------------------------------------------------------------===//

static void write_knobs(const tune_dot_plan *plan, const tune_machine *machine, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  tune_writer_knob(w, "mc", "tile", TUNE_LEVEL_LINALG, &contraction->mc, contraction->mc_default);
  tune_writer_knob(w, "nc", "tile", TUNE_LEVEL_LINALG, &contraction->nc, contraction->nc_default);
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &contraction->mr, contraction->mr_default);
  tune_writer_knob(w, "nr", "tile", TUNE_LEVEL_VECTOR, &contraction->nr, contraction->nr_default);
  tune_writer_knob(w, "kr", "unroll", TUNE_LEVEL_VECTOR, &contraction->kr, contraction->kr_default);
  tune_writer_register_constraint(w, plan->dot.lanes, machine->vector_registers, "mr", "nr");
}

// Columns outside, so that a panel is copied once for all rows; remainders are loops of their own.
static void write_register_tiles(const tune_dot_plan *plan, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char sizes[256], loops[96];
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  const tune_nest *root = contraction->epilogue ? contraction->epilogue : contraction->anchor;
  tile.size[contraction->root_row] = "%mr";
  tile.size[contraction->root_col] = "%nr";
  size_t used = (size_t)snprintf(loops, sizeof loops, "[%zu", contraction->root_col);
  size_t tiled = 2;
  for (size_t i = 0; i < contraction->root_loop_count && plan->has_lines; i++)
    if (i != contraction->root_row && i != contraction->root_col && !root->is_reduction[i]) {
      tile.size[i] = "1";
      used += (size_t)snprintf(loops + used, sizeof loops - used, ", %zu", i);
      tiled++;
    }
  used += (size_t)snprintf(loops + used, sizeof loops - used, ", %zu", contraction->root_row);
  for (size_t i = 0; i < contraction->root_loop_count && used < sizeof loops; i++)
    if (i != contraction->root_row && i != contraction->root_col && !tile.size[i])
      used += (size_t)snprintf(loops + used, sizeof loops - used, ", %zu", i);
  char types[160];
  tune_writer_line(
      w, "%%kernel, %%loops:%zu = transform.structured.fuse %%root tile_sizes %s interchange %s]",
      tiled, tune_writer_sizes(sizes, sizeof sizes, &tile, order, contraction->root_loop_count),
      loops);
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM ") -> (%s)",
                   tune_writer_types(types, sizeof types, tiled + 1));
  char row_loop[24];
  snprintf(row_loop, sizeof row_loop, "%%loops#%zu", tiled - 1);
  tune_writer_peel(w, row_loop);
  tune_writer_peel(w, "%loops#0");
  tune_writer_cleanup(w);
  if (plan->folds) {
    // Only what is generic loses its unit dimensions.
    if (contraction->init && contraction->init->kind == TUNE_NEST_FILL) {
      tune_writer_line(w,
                       "%%fills = transform.structured.match ops{[\"linalg.fill\"]} "
                       "attributes{tune.init} in %s : (" OP ") -> " OP,
                       w->func);
      tune_writer_line(w, "%%generic_fills = transform.structured.generalize %%fills : (" OP
                          ") -> " OP);
    }
    tune_writer_fold_unit_dims(w);
  }
}

// Sums of a tile in a buffer of its own: what is a view of the result could not be hoisted out of
// the loop over the depth, and what is on the stack LLVM keeps in registers from the fill to the
// epilogue.
static void write_accumulators(const tune_dot_plan *plan, tune_writer *w) {
  tune_writer_match_generic(w, "%sums", plan->contraction.anchor, plan->order, plan->loop_count,
                            w->func);
  tune_writer_begin_foreach(w, "%sums", "%one_sum");
  tune_writer_line(w, "%%accumulators, %%made = transform.structured.bufferize_to_allocation "
                      "%%one_sum");
  tune_writer_line(w, "  {bufferize_destination_only, memcpy_op = \"linalg.copy\", "
                      "alloc_op = \"memref.alloca\"} : " OP);
  tune_writer_end_foreach(w);
}

// Rows of A are filled up once, not again for each tile of columns. Where these are no two loops,
// they are used once, or loop-invariant code motion sees to it.
static void write_filled_rows(tune_writer *w) {
  tune_writer_line(w, "%%fill_up = transform.cast %%in_place#0");
  tune_writer_line(w, "  : !transform.op<\"tensor.pad\"> to " OP);
  tune_writer_line(w, "transform.sequence %%fill_up : " OP " failures(suppress) {");
  tune_writer_line(w, "^bb0(%%any_pad: " OP "):");
  tune_writer_line(w,
                   "  %%pad = transform.cast %%any_pad : " OP " to !transform.op<\"tensor.pad\">");
  tune_writer_line(w, "  %%filled_rows = transform.structured.hoist_pad %%pad by 2 loops");
  tune_writer_line(w, "    : (!transform.op<\"tensor.pad\">) -> " OP);
  tune_writer_line(w, "}");
}

// The loops of the instructions of a tile become straight code, the last columns loops of their
// own.
static void write_instruction_loops(tune_writer *w, const char *loops, int count, size_t col) {
  for (int i = 0; i < count; i++)
    tune_writer_line(w, "transform.annotate %s#%d \"tune.unroll\" : " OP, loops, i);
  char columns[48];
  snprintf(columns, sizeof columns, "%s#%zu", loops, col);
  tune_writer_peel(w, columns);
}

// Cuts the depth into groups, and tiles the product down to one instruction.
static void write_groups(const tune_dot_plan *plan, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  tune_writer_match_generic(w, "%tiles", contraction->anchor, plan->order, plan->loop_count,
                            w->func);
  tune_writer_begin_foreach(w, "%tiles", "%one_tile");
  // The loops of the kernel in their order, and then the group.
  size_t order[TUNE_MAX_LOOPS], row = 0, col = 0, depth = 0, count = plan->loop_count;
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  for (size_t i = 0; i < count; i++) {
    row = plan->order[i] == contraction->row ? i : row;
    col = plan->order[i] == contraction->col ? i : col;
    depth = plan->order[i] == contraction->depth ? i : depth;
  }
  char group[24], lanes[24], sizes[128];
  snprintf(group, sizeof group, "%" PRId64, plan->dot.group);
  snprintf(lanes, sizeof lanes, "%" PRId64, plan->dot.lanes);
  tune_tiling groups = {{0}};
  groups.size[depth] = group;
  tune_writer_line(w, "%%product = transform.structured.pack %%one_tile packed_sizes = %s",
                   tune_writer_sizes(sizes, sizeof sizes, &groups, order, count));
  tune_writer_line(w, "  : (" OP ") -> " GENERIC);
  const char *product = "%product";
  if (plan->b_transposed) {
    tune_writer_line(w, "%%wide = transform.get_producer_of_operand %%product[%zu]",
                     contraction->b);
    tune_writer_line(w, "  : (" GENERIC ") -> " PACK);
    tune_writer_line(w, "%%turned, %%panel, %%none = transform.structured.pack_transpose %%wide");
    tune_writer_line(w, "  with_compute_op(%%product) outer_perm = [1, 0]");
    tune_writer_line(w, "  : (" PACK ", " GENERIC ") -> (" GENERIC ", " PACK ", " OP ")");
    product = "%turned";
  }
  tune_writer_line(w, "%%rows = transform.get_producer_of_operand %s[%zu]", product,
                   contraction->a);
  tune_writer_line(w, "  : (" GENERIC ") -> " PACK);
  tune_writer_line(w, "%%in_place:3 = transform.structured.lower_pack %%rows "
                      "{lowerPadLikeWithInsertSlice = false}");
  tune_writer_line(w, "  : (" PACK ") -> (!transform.op<\"tensor.pad\">, "
                      "!transform.op<\"tensor.expand_shape\">, "
                      "!transform.op<\"linalg.transpose\">)");
  if (plan->fills_up)
    write_filled_rows(w);
  tune_writer_line(w, "%%any_product = transform.cast %s : " GENERIC " to " OP, product);
  const char *all_but_last = "%any_product", *last = NULL;
  if (plan->last_groups == plan->groups) {
    all_but_last = NULL;
    last = "%any_product";
  } else if (plan->last_groups) {
    tune_writer_line(w,
                     "%%parts = transform.structured.split %%any_product after %" PRId64
                     " {dimension = %zu} : " OP,
                     plan->groups - plan->last_groups, depth);
    tune_writer_line(w, "%%all_but_last, %%last = transform.split_handle %%parts : (" OP ") -> (" OP
                        ", " OP ")");
    all_but_last = "%all_but_last";
    last = "%last";
  }
  tune_tiling step = {{0}}, one = {{0}};
  one.size[row] = "1";
  one.size[col] = lanes;
  for (size_t i = 0; i < count; i++)
    if (contraction->anchor->is_reduction[plan->order[i]] && i != depth)
      step.size[i] = "1";
  if (last) {
    if (contraction->rest_count) {
      tune_writer_tile(w, "%last_step", "%last_window", last, &step, order, count + 1, NULL);
      last = "%last_step";
    }
    tune_writer_tile(w, "%one_last", "%last_loops", last, &one, order, count + 1, NULL);
    write_instruction_loops(w, "%last_loops", 2, row < col ? 1 : 0);
  }
  if (all_but_last) {
    step.size[depth] = "%kr";
    one.size[depth] = "1";
    tune_writer_tile(w, "%step", "%step_loop", all_but_last, &step, order, count + 1, NULL);
    tune_writer_tile(w, "%one", "%one_loops", "%step", &one, order, count + 1, NULL);
    write_instruction_loops(w, "%one_loops", 3, (row < col) + (depth < col));
  }
  tune_writer_end_foreach(w);
}

// The panels go before the loop over the rows; they and, where the depth fills no group, copies of
// A are all that is copied.
static void write_panels(const tune_dot_plan *plan, tune_writer *w) {
  // Outer loops come first, and so one pass moves them out of one loop.
  size_t lines = plan->has_lines ? plan->contraction.root_loop_count : 1;
  for (size_t pass = 0; pass < lines; pass++) {
    tune_writer_line(
        w, "%%scopes_%zu = transform.structured.match ops{[\"scf.for\"]} in %s : (" OP ") -> " OP,
        pass, w->func);
    tune_writer_line(w, "transform.apply_licm to %%scopes_%zu : " OP, pass);
  }
  tune_writer_cleanup(w);
  if (plan->fills_up) {
    tune_writer_line(
        w, "%%pads = transform.structured.match ops{[\"tensor.pad\"]} in %s : (" OP ") -> " OP,
        w->func);
    tune_writer_line(w, "%%padded = transform.structured.rewrite_in_destination_passing_style "
                        "%%pads : (" OP ") -> " OP);
  }
  char block[8];
  snprintf(block, sizeof block, "%d", TUNE_DOT_BLOCK);
  tune_tiling copy = {{0}};
  size_t order[TUNE_MAX_LOOPS], windows = plan->contraction.rest_count;
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  for (size_t i = 0; i < windows; i++)
    copy.size[i] = "1";
  copy.size[windows] = plan->b_transposed ? block : "1";
  copy.size[windows + 1] = block;
  tune_writer_line(
      w, "%%panels = transform.structured.match ops{[\"linalg.pack\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_begin_foreach(w, "%panels", "%whole_panel");
  tune_writer_tile(w, "%part", "%part_loops", "%whole_panel", &copy, order, windows + 2, NULL);
  for (size_t i = 2; i > 0; i--) {
    char loop[32];
    snprintf(loop, sizeof loop, "%%part_loops#%zu", windows + i - 1);
    tune_writer_peel(w, loop);
  }
  tune_writer_end_foreach(w);
}

// Tiles become straight code as late as here: each op that there is before bufferization takes part
// in analyses that look at all the others, and with a tile's hundreds took most of the build.
static void write_unroll(tune_writer *w) {
  tune_writer_unroll_marked(w, "unroll");
  tune_writer_canonicalize(w);
}

// Goes on where `value` is no more than `most`.
static void write_at_most(const char *value, int most, tune_writer *w) {
  tune_writer_line(w, "%%most_%s = transform.param.constant %d : i64 -> " PARAM, value, most);
  tune_writer_line(w, "transform.match.param.cmpi le %%%s, %%most_%s : " PARAM, value, value);
}

// Copies from and to accumulators are no larger than a tile; a copy of A, or of a part of an
// operand that moves, is as large as that is and left to loops: as one vector it would become as
// many instructions as it has lines.
static void write_copies(tune_writer *w) {
  tune_writer_line(
      w, "%%copies = transform.structured.match ops{[\"linalg.copy\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_begin_foreach(w, "%copies", "%copy");
  // A sequence that suppresses failures goes on after one; that inside does not.
  tune_writer_line(w, "transform.sequence %%copy : " OP " failures(suppress) {");
  tune_writer_line(w, "^bb0(%%any: " OP "):");
  tune_writer_line(w, "  transform.sequence %%any : " OP " failures(propagate) {");
  tune_writer_line(w, "  ^bb0(%%small: " OP "):");
  w->indent += 2;
  tune_writer_line(w, "%%rank, %%rows, %%length = transform.match.structured failures(propagate) "
                      "%%small");
  tune_writer_line(w, "  : (" OP ") -> (" PARAM ", " PARAM ", " PARAM ") {");
  tune_writer_line(w, "^bb0(%%op: " OP "):");
  tune_writer_line(w, "  %%loops = transform.match.structured.rank %%op : (" OP ") -> " PARAM);
  tune_writer_line(w, "  %%first = transform.match.structured.dim %%op[0] : (" OP ") -> " PARAM);
  tune_writer_line(w, "  %%last = transform.match.structured.dim %%op[-1] : (" OP ") -> " PARAM);
  tune_writer_line(w, "  transform.match.structured.yield %%loops, %%first, %%last : " PARAM
                      ", " PARAM ", " PARAM);
  tune_writer_line(w, "}");
  write_at_most("rank", 2, w);
  write_at_most("rows", TUNE_DOT_WIDEST_TILE, w);
  write_at_most("length", TUNE_DOT_WIDEST_TILE, w);
  tune_writer_line(w, "transform.structured.vectorize %%small : " OP);
  w->indent -= 2;
  tune_writer_line(w, "  }");
  tune_writer_line(w, "}");
  tune_writer_end_foreach(w);
}

// Accumulators out of the loop over the depth. `%hoisted` is the function from then on.
static void write_hoisting(tune_writer *w) {
  tune_writer_line(w, "transform.memref.erase_dead_alloc_and_stores %s : (" OP ") -> ()", w->func);
  tune_writer_line(
      w, "%%hoisted = transform.structured.hoist_redundant_vector_transfers %s : (" OP ") -> " OP,
      w->func);
  w->func = "%hoisted";
  tune_writer_canonicalize(w);
}

// The epilogue and what starts the accumulator, in vectors of the tile's columns.
static void write_planes(const tune_dot_plan *plan, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  if (contraction->epilogue || plan->folds ||
      (contraction->init && contraction->init->kind == TUNE_NEST_GENERIC)) {
    tune_nest plane = {.is_reduction = {false, false}};
    tune_writer_match_generic(w, "%planes", &plane, NULL, 2, w->func);
    tune_writer_vectorize_each(w, "%planes");
  }
  if (contraction->init && contraction->init->kind == TUNE_NEST_FILL && !plan->folds) {
    tune_writer_line(w,
                     "%%fills = transform.structured.match ops{[\"linalg.fill\"]} "
                     "attributes{tune.init} in %s : (" OP ") -> " OP,
                     w->func);
    tune_writer_vectorize_each(w, "%fills");
  }
}

// Products of whole vectors of columns and of what is left over, where B is turned with those that
// end a sum.
static size_t write_product_patterns(const tune_dot_plan *plan, const char *names[],
                                     tune_writer *w) {
  static const char *const names_of[2] = {"product", "product_columns"};
  static const char *const names_of_last[2][2] = {{"last_product", "last_product_columns"},
                                                  {"only_last_product", "only_last_columns"}};
  const tune_contraction_plan *contraction = &plan->contraction;
  int64_t lanes = plan->dot.lanes;
  int64_t columns[] = {contraction->cols >= lanes ? lanes : 0, contraction->cols % lanes};
  bool single_row = tune_dot_plan_has_single_row(plan);
  size_t count = 0;
  for (int c = 0; c < 2; c++) {
    if (columns[c] && plan->last_groups < plan->groups)
      tune_dot_write_product(&plan->dot, names[count++] = names_of[c], columns[c], w);
    for (int only = 0; only < 2; only++) {
      tune_dot_row row = tune_dot_plan_row(plan);
      row.is_only_row = only;
      if (columns[c] && plan->last_groups && (!only || single_row))
        tune_dot_write_last_product(&plan->dot, names[count++] = names_of_last[only][c], columns[c],
                                    plan->last_groups, &row, w);
    }
  }
  return count;
}

// The sum of a row of A is the same for all columns: it goes out of the loop over these before it
// becomes instructions, which nothing moves.
static void write_row_sums(const tune_dot_plan *plan, tune_writer *w) {
  if (!plan->last_groups)
    return;
  tune_writer_line(
      w, "%%row_loops = transform.structured.match ops{[\"scf.for\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_line(w, "transform.apply_licm to %%row_loops : " OP);
  tune_pdl_begin_patterns(w);
  tune_dot_row row = tune_dot_plan_row(plan);
  tune_dot_write_row_sum(&plan->dot, "row_sum", &row, w);
  tune_pdl_end_patterns((const char *const[]){"row_sum"}, 1, w);
}

// Every size that products and parts of panels can have.
static void write_patterns(const tune_dot_plan *plan, tune_writer *w) {
  const tune_contraction_plan *contraction = &plan->contraction;
  const char *names[MAX_PATTERNS];
  int64_t last_columns = contraction->cols % TUNE_DOT_BLOCK;
  int64_t columns[] = {contraction->cols - last_columns ? TUNE_DOT_BLOCK : 0, last_columns};
  // A part of a panel is one group, or as many as there are columns.
  int64_t last_groups = plan->groups % TUNE_DOT_BLOCK;
  int64_t groups[] = {plan->groups - last_groups ? TUNE_DOT_BLOCK : 0, last_groups};
  static const char *const names_of[2][2] = {{"copy", "copy_columns"},
                                             {"copy_groups", "copy_corner"}};
  tune_pdl_begin_patterns(w);
  size_t count = write_product_patterns(plan, names, w);
  for (int c = 0; c < 2; c++) {
    // A single column is no product of the patterns, which would take off what turning adds.
    tune_dot dot = plan->dot;
    dot.turns_b &= columns[c] != 1;
    if (columns[c] && !plan->b_transposed)
      tune_dot_write_interleave(&dot, names[count++] = names_of[0][c], columns[c],
                                contraction->rest_count, plan->fills_up, w);
    for (int g = 0; g < 2; g++)
      if (columns[c] && groups[g] && plan->b_transposed)
        tune_dot_write_transpose(&dot, names[count++] = names_of[g][c], groups[g], columns[c],
                                 plan->fills_up, w);
  }
  tune_pdl_end_patterns(names, count, w);
}

static bool dot_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_dot_plan plan;
  return tune_dot_plan_make(structure, machine, &plan);
}

static void dot_write(const tune_structure *structure, const tune_machine *machine,
                      tune_writer *w) {
  tune_dot_plan plan;
  if (!tune_dot_plan_make(structure, machine, &plan))
    return;
  tune_writer_begin_tensors(w, "rule 'dot_contraction': a matrix product of narrow elements");
  write_knobs(&plan, machine, w);
  tune_contraction_write_outer_tiles(&plan.contraction, w);
  write_register_tiles(&plan, w);
  write_accumulators(&plan, w);
  write_groups(&plan, w);
  write_panels(&plan, w);
  write_planes(&plan, w);
  tune_writer_fold_unit_dims(w);
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice");
  tune_writer_line(w, "  transform.apply_patterns.canonicalization");
  tune_writer_line(w, "} {apply_cse} : " OP);
  write_patterns(&plan, w);
  write_row_sums(&plan, w);
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice");
  tune_writer_line(w, "  transform.apply_patterns.canonicalization");
  tune_writer_line(w, "} {apply_cse} : " OP);
  tune_writer_vector_cleanup(w, false);
  tune_writer_end_tensors(w);
  w->func = "%func";
  tune_writer_begin_buffers(w);
  write_unroll(w);
  write_copies(w);
  write_hoisting(w);
  tune_writer_apply_pattern(w, "vector.lower_bitcast");
  // No panels on the stack: one for each pass of the parallel loop would pile up there.
  tune_writer_lower_vectors(w);
  if (plan.dot.has_pairs)
    tune_writer_wide_operands(w, structure);
  const tune_operand *b = &plan.contraction.anchor->operands[plan.contraction.b];
  tune_writer_weights_ahead(w, b);
  if (b->is_constant)
    tune_writer_panel_ahead(w, tune_contraction_bytes_of_b(
                                   &plan.contraction, plan.contraction.cols) > machine->l1_bytes);
  tune_writer_target_knobs(w, machine->vector_bits, tune_structure_has_math(structure));
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_dot_contraction = {
    .name = "dot_contraction",
    .summary = "matrix products and convolutions of bf16 and int8 by the CPU's dot products",
    .kinds = TUNE_KINDS_CPU,
    .takes_layouts = true,
    .applies = dot_applies,
    .write = dot_write,
};
