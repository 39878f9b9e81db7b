//===- contraction.c - The space of matrix products and convolutions ----------------===//
//
// Levels decided together: outer tiles (parallel), a split of the depth, the order of
// the register tiles, panels of B, the register tile, unrolling of the depth, and the
// backend. contraction_plan.h says which loop plays which part.
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

#include "transforms/rules/contraction_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

//===--------------------------------------------------------------------------===//
// Orders of loops
//===--------------------------------------------------------------------------===//

static void identity_order(size_t *order, size_t count) {
  for (size_t i = 0; i < count; i++)
    order[i] = i;
}

// "[col, row, the rest...]" as an interchange over `count` loops, or row before col.
static const char *interchange(char *buffer, size_t size, size_t count, size_t row, size_t col,
                               bool columns_outside) {
  size_t used = (size_t)snprintf(buffer, size, "[%zu, %zu", columns_outside ? col : row,
                                 columns_outside ? row : col);
  for (size_t i = 0; i < count && used < size; i++)
    if (i != row && i != col)
      used += (size_t)snprintf(buffer + used, size - used, ", %zu", i);
  if (used < size)
    snprintf(buffer + used, size - used, "]");
  return buffer;
}

//===--------------------------------------------------------------------------===//
// Knobs and constraints
//===--------------------------------------------------------------------------===//

static void write_knobs(const tune_contraction_plan *plan, const tune_machine *machine,
                        tune_writer *w) {
  tune_writer_knob(w, "mc", "tile", TUNE_LEVEL_LINALG, &plan->mc, plan->mc_default);
  tune_writer_knob(w, "nc", "tile", TUNE_LEVEL_LINALG, &plan->nc, plan->nc_default);
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &plan->mr, plan->mr_default);
  tune_writer_knob(w, "nr", "tile", TUNE_LEVEL_VECTOR, &plan->nr, plan->nr_default);
  tune_writer_knob(w, "kr", "unroll", TUNE_LEVEL_VECTOR, &plan->kr, plan->kr_default);
  if (plan->kc.count)
    tune_writer_knob(w, "kc", "tile", TUNE_LEVEL_LINALG, &plan->kc, plan->kc_default);

  char lines[1024];
  snprintf(lines, sizeof lines,
           "%%lanes = smt.int.constant %u\n"
           "%%more = smt.int.constant %u\n"
           "%%registers = smt.int.constant %u\n"
           "%%one = smt.int.constant 1\n"
           "%%filled = smt.int.add %%nr_, %%more\n"
           "%%vectors = smt.int.div %%filled, %%lanes\n"
           "%%tile = smt.int.mul %%mr_, %%vectors\n"
           "%%used = smt.int.add %%tile, %%vectors, %%one\n"
           "%%fits = smt.int.cmp le %%used, %%registers\n"
           "smt.assert %%fits",
           plan->lanes, plan->lanes - 1, machine->vector_registers);
  tune_writer_constraint(w, "accumulators, one row of B and one element of A fit the registers", 2,
                         (const char *const[]){"mr", "nr"}, lines);
  snprintf(lines, sizeof lines,
           "%%lanes = smt.int.constant %u\n"
           "%%more = smt.int.constant %u\n"
           "%%most = smt.int.constant 512\n"
           "%%filled = smt.int.add %%nr_, %%more\n"
           "%%vectors = smt.int.div %%filled, %%lanes\n"
           "%%body = smt.int.mul %%mr_, %%vectors, %%kr_\n"
           "%%fits = smt.int.cmp le %%body, %%most\n"
           "smt.assert %%fits",
           plan->lanes, plan->lanes - 1);
  tune_writer_constraint(w, "bodies of more than 512 multiply-adds take seconds to compile", 3,
                         (const char *const[]){"mr", "nr", "kr"}, lines);
  if (plan->kc.count) {
    tune_writer_constraint(w, "a part of the depth is made of whole unrolled steps", 2,
                           (const char *const[]){"kc", "kr"},
                           "%zero = smt.int.constant 0\n"
                           "%rest = smt.int.mod %kc_, %kr_\n"
                           "%even = smt.eq %rest, %zero : !smt.int\n"
                           "smt.assert %even");
  }
  if (plan->mc.count > 1) {
    snprintf(lines, sizeof lines,
             "%%zero = smt.int.constant 0\n"
             "%%rows = smt.int.constant %" PRId64 "\n"
             "%%rest = smt.int.mod %%mc_, %%mr_\n"
             "%%whole = smt.eq %%mc_, %%rows : !smt.int\n"
             "%%even = smt.eq %%rest, %%zero : !smt.int\n"
             "%%fits = smt.or %%whole, %%even\n"
             "smt.assert %%fits",
             plan->rows);
    tune_writer_constraint(w, "a tile of mc rows is made of whole register tiles", 2,
                           (const char *const[]){"mc", "mr"}, lines);
  }
}

//===--------------------------------------------------------------------------===//
// Outer tiles: what belongs together goes into one parallel loop
//===--------------------------------------------------------------------------===//

static void bind_nests(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_structure *structure = plan->structure;
  size_t generics = 0;
  char names[640] = "";
  size_t used = 0;
  bool fill_is_init = plan->init->kind == TUNE_NEST_FILL;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    char other[32];
    snprintf(other, sizeof other, "%%other_%zu", n);
    const char *name = nest == plan->anchor     ? "%anchor"
                       : nest == plan->init     ? "%init"
                       : nest == plan->epilogue ? "%epilogue"
                                                : other;
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", generics ? ", " : "", name);
    generics++;
  }
  char types[128];
  tune_writer_line(w,
                   "%%generics = transform.structured.match ops{[\"linalg.generic\"]} in %%func");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_line(w, "%s = transform.split_handle %%generics : (" OP ") -> (%s)", names,
                   tune_writer_types(types, sizeof types, generics));
  if (fill_is_init) {
    tune_writer_line(w, "%%init = transform.structured.match ops{[\"linalg.fill\"]} in %%func");
    tune_writer_line(w, "  : (" OP ") -> " OP);
    tune_writer_line(w, "transform.annotate %%init \"tune.init\" : " OP);
  }
}

// Elementwise ops that do not see the product: vector by vector, where they are.
static void write_others(const tune_contraction_plan *plan, tune_writer *w) {
  for (size_t n = 0; n < plan->structure->nest_count; n++) {
    const tune_nest *nest = &plan->structure->nests[n];
    if (nest->kind != TUNE_NEST_GENERIC || nest == plan->anchor || nest == plan->init ||
        nest == plan->epilogue || nest->loop_count == 0)
      continue;
    char target[32], lanes[16];
    size_t order[TUNE_MAX_LOOPS];
    tune_tiling tile = {{0}};
    identity_order(order, nest->loop_count);
    for (size_t loop = 0; loop < nest->loop_count; loop++)
      tile.size[loop] = "1";
    snprintf(lanes, sizeof lanes, "%u", plan->lanes);
    tile.size[nest->loop_count - 1] = lanes;
    snprintf(target, sizeof target, "%%other_%zu", n);
    char result[40], loops[40];
    snprintf(result, sizeof result, "%s_tile", target);
    snprintf(loops, sizeof loops, "%s_loops", target);
    tune_writer_tile(w, result, loops, target, &tile, order, nest->loop_count, NULL);
  }
}

static void write_fuse(tune_writer *w, const char *result, const char *producer, const char *loop,
                       const char *new_loop) {
  tune_writer_line(w, "%s, %s = transform.structured.fuse_into_containing_op %s into %s", result,
                   new_loop, producer, loop);
  tune_writer_line(w, "  : (" OP ", " OP ") -> (" OP ", " OP ")");
}

// Binds %root, %tile (the anchor within the outer tile) and %start (its initialization).
static void write_outer_tiles(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_nest *root = plan->epilogue ? plan->epilogue : plan->anchor;
  tune_tiling outer = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  identity_order(order, plan->root_loop_count);
  for (size_t loop = 0; loop < root->loop_count; loop++)
    outer.size[loop] = root->is_reduction[loop] ? "0" : "1";
  outer.size[plan->root_row] = "%mc";
  outer.size[plan->root_col] = "%nc";
  char sizes[256];
  tune_writer_line(w, "%%root, %%outer = transform.structured.tile_using_forall %s tile_sizes %s",
                   plan->epilogue ? "%epilogue" : "%anchor",
                   tune_writer_sizes(sizes, sizeof sizes, &outer, order, plan->root_loop_count));
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM ") -> (" OP ", " OP ")");
  if (plan->epilogue) {
    write_fuse(w, "%tile", "%anchor", "%outer", "%outer_1");
    write_fuse(w, "%start", "%init", "%outer_1", "%outer_2");
  } else {
    write_fuse(w, "%start", "%init", "%outer", "%outer_1");
  }
}

//===--------------------------------------------------------------------------===//
// Register tiles, with the depth whole or split
//===--------------------------------------------------------------------------===//

// The depth is not split: epilogue, contraction and initialization meet in the register tile.
static void write_whole_depth(const tune_contraction_plan *plan, tune_writer *w,
                              bool columns_outside) {
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char sizes[256], loops[64];
  identity_order(order, plan->root_loop_count);
  tile.size[plan->root_row] = "%mr";
  tile.size[plan->root_col] = "%nr";
  tune_writer_line(w,
                   "%%kernel, %%loops:2 = transform.structured.fuse %%root tile_sizes %s "
                   "interchange %s",
                   tune_writer_sizes(sizes, sizeof sizes, &tile, order, plan->root_loop_count),
                   interchange(loops, sizeof loops, plan->root_loop_count, plan->root_row,
                               plan->root_col, columns_outside));
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM ") -> (" OP ", " OP ", " OP ")");
  if (plan->epilogue)
    tune_writer_match_generic(w, "%product", plan->anchor, NULL, plan->anchor->loop_count,
                              "%loops#1");
}

// The depth is split: the accumulator tile is visited once for each part of the depth, and the
// epilogue runs over the outer tile when all parts are in.
static void write_split_depth(const tune_contraction_plan *plan, tune_writer *w,
                              bool columns_outside) {
  const tune_nest *anchor = plan->anchor;
  size_t order[TUNE_MAX_LOOPS];
  char loops[64];
  identity_order(order, TUNE_MAX_LOOPS);
  tune_tiling depth = {{0}}, tile = {{0}}, rows = {{0}};
  depth.size[plan->depth] = "%kc";
  tune_writer_tile(w, "%part", "%depth_loop", plan->epilogue ? "%tile" : "%root", &depth, order,
                   anchor->loop_count, NULL);
  tile.size[plan->row] = "%mr";
  tile.size[plan->col] = "%nr";
  tune_writer_tile(
      w, "%product", "%loops", "%part", &tile, order, anchor->loop_count,
      interchange(loops, sizeof loops, anchor->loop_count, plan->row, plan->col, columns_outside));
  if (plan->epilogue) {
    for (size_t loop = 0; loop < plan->root_loop_count; loop++)
      rows.size[loop] = "1";
    rows.size[plan->root_col] = "%nr";
    tune_writer_tile(w, "%last", "%last_loops", "%root", &rows, order, plan->root_loop_count, NULL);
  }
  tune_tiling start = {{0}};
  size_t rank = plan->init->loop_count;
  for (size_t i = 0; i < rank; i++)
    start.size[i] = tune_operand_is_loop(&anchor->operands[2], i, plan->col) ? "%nr" : "1";
  tune_writer_tile(w, "%first", "%first_loops", "%start", &start, order, rank, NULL);
}

static void write_order(const tune_contraction_plan *plan, tune_writer *w,
                        void (*write)(const tune_contraction_plan *, tune_writer *, bool)) {
  const char *product = plan->epilogue ? "%product" : "%kernel";
  char handles[64];
  if (write == write_split_depth)
    product = "%product";
  snprintf(handles, sizeof handles, "%s, %%loops#0, %%loops#1", product);
  tune_writer_begin_alternatives(w, "%inner:3", "tile_order", TUNE_LEVEL_LINALG,
                                 "\"columns_outside\", \"rows_outside\"", 0, 3);
  write(plan, w, true);
  tune_writer_next_alternative(w, handles, 3);
  write(plan, w, false);
  tune_writer_end_alternatives(w, handles, 3);
}

// Binds %work:3: the contraction in the register tile, and its outer and inner loop.
static void write_register_tiles(const tune_contraction_plan *plan, tune_writer *w) {
  if (plan->dynamic_rows) {
    // The rows inside, where their remainder is told apart.
    tune_writer_begin_alternatives(w, "%work:3", "tile_order", TUNE_LEVEL_LINALG,
                                   "\"columns_outside\"", 0, 3);
    write_whole_depth(plan, w, true);
    tune_writer_end_alternatives(
        w, plan->epilogue ? "%product, %loops#0, %loops#1" : "%kernel, %loops#0, %loops#1", 3);
    return;
  }
  if (!plan->kc.count) {
    tune_writer_line(w, "// the depth is not split");
    tune_writer_begin_alternatives(w, "%work:3", "tile_order", TUNE_LEVEL_LINALG,
                                   "\"columns_outside\", \"rows_outside\"", 0, 3);
    const char *handles =
        plan->epilogue ? "%product, %loops#0, %loops#1" : "%kernel, %loops#0, %loops#1";
    write_whole_depth(plan, w, true);
    tune_writer_next_alternative(w, handles, 3);
    write_whole_depth(plan, w, false);
    tune_writer_end_alternatives(w, handles, 3);
    return;
  }
  tune_writer_begin_alternatives(w, "%work:3", "depth_split", TUNE_LEVEL_LINALG,
                                 "\"whole\", \"split\"", 0, 3);
  write_order(plan, w, write_whole_depth);
  tune_writer_next_alternative(w, "%inner#0, %inner#1, %inner#2", 3);
  write_order(plan, w, write_split_depth);
  tune_writer_end_alternatives(w, "%inner#0, %inner#1, %inner#2", 3);
}

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

static void write_panels(const tune_contraction_plan *plan, tune_writer *w) {
  const char *type = plan->anchor->operands[plan->b].type;
  const char *out_type = plan->anchor->operands[2].type;
  bool is_float = strchr(type, 'f') != NULL, out_is_float = strchr(out_type, 'f') != NULL;
  size_t first = plan->depth < plan->col ? plan->depth : plan->col;
  size_t second = plan->depth < plan->col ? plan->col : plan->depth;
  const char *zero = is_float ? "0.0" : "0", *out_zero = out_is_float ? "0.0" : "0";
  tune_writer_line(w, "transform.apply_licm to %%work#1 : " OP);
  tune_writer_line(w,
                   "%%padded, %%pads, %%copy_back = transform.structured.pad %%work#0 "
                   "pad_to_multiple_of [%s, %s] {",
                   first == plan->col ? "%nr" : "1", first == plan->col ? "1" : "%nr");
  tune_writer_line(w, "    padding_values = [%s : %s, %s : %s, %s : %s],", zero,
                   plan->anchor->operands[0].type, zero, plan->anchor->operands[1].type, out_zero,
                   out_type);
  tune_writer_line(w, "    padding_dimensions = [%zu, %zu], nofold_flags = [%d, %d, 0],", first,
                   second, plan->b == 0, plan->b == 1);
  tune_writer_line(w, "    copy_back_op = \"none\"} : (" OP ", " PARAM ") -> (" OP ", " OP ", " OP
                      ")");
  if (!plan->cols_divide && plan->init->kind == TUNE_NEST_GENERIC) {
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
  tune_writer_line(w, "%%panels = transform.structured.hoist_pad %%pad by 2 loops%s", transpose);
  tune_writer_line(w, "  : (!transform.op<\"tensor.pad\">) -> " OP);
  if (plan->transposed) {
    tune_writer_line(w,
                     "%%back = transform.structured.match ops{[\"linalg.transpose\"]} in %%work#2");
    tune_writer_line(w, "  : (" OP ") -> " OP);
    tune_writer_line(w,
                     "%%back_generic = transform.structured.generalize %%back : (" OP ") -> " OP);
  }
}

// Splits the last iterations of `loop` off, if its bound is not a multiple of its step.
static void write_peel(tune_writer *w, const char *loop) {
  tune_writer_line(w, "transform.sequence %s : " OP " failures(suppress) {", loop);
  tune_writer_line(w, "^bb0(%%edge: " OP "):");
  tune_writer_line(w, "  %%for = transform.cast %%edge : " OP " to !transform.op<\"scf.for\">");
  tune_writer_line(w, "  %%even, %%odd = transform.loop.peel %%for");
  tune_writer_line(w, "    : (!transform.op<\"scf.for\">) -> (" OP ", " OP ")");
  tune_writer_line(w, "}");
}

// Tiles what `match` says in the last rows by one row, which is loop `row` of `count`.
static void write_single_rows(tune_writer *w, const char *name, const char *match, size_t row,
                              size_t count) {
  tune_tiling one = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char each[32], result[32], loops[32];
  identity_order(order, TUNE_MAX_LOOPS);
  one.size[row] = "1";
  tune_writer_line(w, "%%%s = transform.structured.match %s in %%last_rows", name, match);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  char targets[32];
  snprintf(targets, sizeof targets, "%%%s", name);
  snprintf(each, sizeof each, "%%one_%s", name);
  snprintf(result, sizeof result, "%%row_%s", name);
  snprintf(loops, sizeof loops, "%%row_loop_%s", name);
  tune_writer_begin_foreach(w, targets, each);
  tune_writer_tile(w, result, loops, each, &one, order, count, NULL);
  tune_writer_end_foreach(w);
}

// The rows that do not fill a tile, one by one: how many they are is known at run time only. Each
// op by itself; between them they pass rows through the output, or a buffer of its size.
static void write_last_rows(const tune_contraction_plan *plan, tune_writer *w) {
  char match[400], iterators[320];
  const tune_operand *out = &plan->anchor->operands[2];
  size_t row = tune_operand_find_loop(out, plan->row);
  tune_writer_line(w, "%%rows = transform.cast %%work#2 : " OP " to !transform.op<\"scf.for\">");
  tune_writer_line(w, "%%tiles_of_rows, %%last_rows = transform.loop.peel %%rows");
  tune_writer_line(w, "  : (!transform.op<\"scf.for\">) -> (" OP ", " OP ")");
  write_single_rows(w, "last_fill", "ops{[\"linalg.fill\"]}", row, out->rank);
  snprintf(match, sizeof match, "ops{[\"linalg.generic\"]} attributes{iterator_types = %s}",
           tune_writer_iterators(iterators, sizeof iterators, plan->anchor, NULL,
                                 plan->anchor->loop_count));
  write_single_rows(w, "last_product", match, plan->row, plan->anchor->loop_count);
  if (plan->epilogue || plan->init->kind == TUNE_NEST_GENERIC) {
    tune_nest plane = {.is_reduction = {false, false}};
    snprintf(match, sizeof match, "ops{[\"linalg.generic\"]} attributes{iterator_types = %s}",
             tune_writer_iterators(iterators, sizeof iterators, &plane, NULL, 2));
    write_single_rows(w, "last_plane", match, row, 2);
  }
}

static void write_peels(const tune_contraction_plan *plan, tune_writer *w) {
  if (plan->dynamic_rows) {
    write_last_rows(plan, w);
    return;
  }
  // Inner before outer, whichever is which: the handles come in the order of the loops.
  if (!plan->rows_divide || !plan->cols_divide) {
    write_peel(w, "%work#2");
    write_peel(w, "%work#1");
  }
}

// The packing loops, one panel row a step; in blocks of 16 x 16 where the panel is transposed.
static void write_packing(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_operand *b = &plan->anchor->operands[plan->b];
  size_t depth = tune_operand_find_loop(b, plan->depth), col = tune_operand_find_loop(b, plan->col);
  size_t order[TUNE_MAX_LOOPS];
  identity_order(order, b->rank);
  tune_tiling pack = {{0}};
  for (size_t i = 0; i < b->rank; i++)
    pack.size[i] = "1";
  pack.size[col] = plan->transposed ? "16" : "%nr";
  if (plan->transposed)
    pack.size[depth] = "16";
  if (!plan->cols_divide) {
    tune_writer_line(
        w, "%%odd_pads = transform.structured.match ops{[\"tensor.pad\"]} in %s : (" OP ") -> " OP,
        w->func);
    tune_writer_line(w,
                     "%%pad_loops = transform.get_parent_op %%odd_pads "
                     "{op_name = \"scf.for\", deduplicate, allow_empty_results} : (" OP ") -> " OP);
    write_peel(w, "%pad_loops");
    tune_writer_cleanup(w);
  }
  tune_writer_line(
      w, "%%copies = transform.structured.match ops{[\"tensor.pad\"]} in %s : (" OP ") -> " OP,
      w->func);
  char sizes[128];
  tune_writer_begin_foreach(w, "%copies", "%one_copy");
  tune_writer_tile(w, "%copy", "%copy_loops", "%one_copy", &pack, order, b->rank, NULL);
  tune_writer_try_vectorize(w, "%copy",
                            tune_writer_sizes(sizes, sizeof sizes, &pack, order, b->rank));
  tune_writer_end_foreach(w);
  if (!plan->transposed)
    return;
  order[depth] = col;
  order[col] = depth;
  tune_writer_line(w, "%%transposes = transform.structured.match ops{[\"linalg.transpose\"]} in %s",
                   w->func);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_begin_foreach(w, "%transposes", "%one_transpose");
  tune_writer_tile(w, "%transpose", "%transpose_loops", "%one_transpose", &pack, order, b->rank,
                   NULL);
  tune_writer_try_vectorize(w, "%transpose",
                            tune_writer_sizes(sizes, sizeof sizes, &pack, order, b->rank));
  tune_writer_end_foreach(w);
}

//===--------------------------------------------------------------------------===//
// The kernel
//===--------------------------------------------------------------------------===//

// The loops row, col and depth in the order in which the anchor has them.
static size_t kernel_order(const tune_contraction_plan *plan, size_t *order) {
  size_t count = 0;
  for (size_t loop = 0; loop < plan->anchor->loop_count; loop++)
    if (loop == plan->row || loop == plan->col || loop == plan->depth)
      order[count++] = loop;
  return count;
}

// Unrolls the loops marked tune.unroll, of at most 16 iterations, to the end. The factor cannot be
// a knob (upstream takes an attribute, and does nothing where it exceeds the trip count), so it is
// halved until nothing is left.
static void write_unroll_fully(tune_writer *w) {
  for (int round = 0; round < 4; round++) {
    tune_writer_line(w,
                     "%%lines_%d = transform.structured.match ops{[\"scf.for\"]} "
                     "attributes{tune.unroll} in %s : (" OP ") -> " OP,
                     round, w->func);
    tune_writer_line(w, "transform.loop.unroll %%lines_%d {factor = 2 : i64} : " OP, round);
  }
}

static void write_kernel(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_nest *anchor = plan->anchor;
  size_t order[TUNE_MAX_LOOPS];
  identity_order(order, TUNE_MAX_LOOPS);
  if (plan->rest_count) {
    tune_tiling rest = {{0}};
    for (size_t i = 0; i < plan->rest_count; i++)
      rest.size[plan->rest[i]] = "1";
    tune_writer_match_generic(w, "%windows", anchor, NULL, anchor->loop_count, w->func);
    tune_writer_tile(w, "%window", "%window_loops", "%windows", &rest, order, anchor->loop_count,
                     NULL);
  }
  bool folds = anchor->loop_count > 3 || plan->root_loop_count > 3 ||
               (plan->epilogue && plan->root_loop_count > 2);
  if (folds)
    tune_writer_fold_unit_dims(w);
  size_t kernel_loops = kernel_order(plan, order);
  tune_tiling depth = {{0}};
  depth.size[plan->depth] = "%kr";
  tune_writer_match_generic(w, "%tiles", anchor, order, kernel_loops, w->func);
  tune_writer_begin_foreach(w, "%tiles", "%one_tile");
  tune_writer_tile(w, "%step", "%step_loop", "%one_tile", &depth, order, kernel_loops, NULL);
  if (plan->strided_rows) {
    // Rows that are not neighbours in A: a one-row kernel, repeated for each row of the tile.
    tune_tiling row = {{0}};
    row.size[plan->row] = "1";
    tune_writer_tile(w, "%line", "%line_loop", "%step", &row, order, kernel_loops, NULL);
    tune_writer_line(w, "transform.annotate %%line_loop \"tune.unroll\" : " OP);
    tune_writer_end_foreach(w);
    tune_writer_cleanup(w);
    write_unroll_fully(w);
    tune_writer_fold_unit_dims(w);
    size_t kept = 0;
    for (size_t i = 0; i < kernel_loops; i++)
      if (order[i] != plan->row)
        order[kept++] = order[i];
    kernel_loops = kept;
  } else {
    tune_writer_end_foreach(w);
    tune_writer_cleanup(w);
  }

  // The epilogue and what starts the accumulator, in vectors of the tile's columns.
  const tune_nest *parallel = plan->epilogue                          ? plan->epilogue
                              : plan->init->kind == TUNE_NEST_GENERIC ? plan->init
                                                                      : NULL;
  if (parallel) {
    tune_nest plane = {.is_reduction = {false, false}};
    tune_writer_match_generic(w, "%planes", &plane, NULL, 2, w->func);
    tune_writer_begin_foreach(w, "%planes", "%plane");
    tune_writer_try_vectorize(w, "%plane", NULL);
    tune_writer_end_foreach(w);
  }
  tune_writer_match_generic(w, "%kernels", anchor, order, kernel_loops, w->func);
  // Upstream lowers a contraction to outer products only if its first loop is one of its first
  // operand; else to thousands of extracts and inserts.
  size_t first = anchor->is_reduction[order[0]] ? order[1] : order[0];
  if (kernel_loops == 3 && first != (plan->a == 0 ? plan->row : plan->col)) {
    tune_writer_line(w,
                     "%%turned = transform.structured.interchange %%kernels "
                     "iterator_interchange = %s : (" OP ") -> " OP,
                     anchor->is_reduction[order[0]]   ? "[0, 2, 1]"
                     : anchor->is_reduction[order[1]] ? "[2, 1, 0]"
                                                      : "[1, 0, 2]");
    tune_writer_line(w, "transform.structured.vectorize %%turned : " OP);
  } else {
    tune_writer_line(w, "transform.structured.vectorize %%kernels : " OP);
  }
  tune_writer_line(w,
                   "%%fills = transform.structured.match ops{[\"linalg.fill\"]} "
                   "attributes{tune.init} in %s : (" OP ") -> " OP,
                   w->func);
  tune_writer_begin_foreach(w, "%fills", "%one_fill");
  tune_writer_try_vectorize(w, "%one_fill", NULL);
  tune_writer_end_foreach(w);
  tune_writer_vector_cleanup(w, anchor->widens);
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

static bool contraction_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_contraction_plan plan;
  return tune_contraction_plan_make(structure, machine, &plan);
}

// Where B stays in the nearest caches by itself, copying it costs more than it saves.
static bool panels_pay(const tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t bytes = plan->cols * plan->depths * plan->anchor->operands[plan->b].bits / 8;
  return bytes > 2 * machine->l1_bytes && (plan->rows > 16 || plan->dynamic_rows);
}

static bool has_math(const tune_structure *structure) {
  size_t count = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    count += structure->nests[n].math_op_count;
  return count > 0;
}

static bool has_pad(const tune_structure *structure) {
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].kind == TUNE_NEST_PAD)
      return true;
  return false;
}

static void contraction_write(const tune_structure *structure, const tune_machine *machine,
                              tune_writer *w) {
  tune_contraction_plan plan;
  if (!tune_contraction_plan_make(structure, machine, &plan))
    return;
  tune_writer_begin_tensors(w, plan.has_window ? "rule 'contraction': a convolution, direct"
                                               : "rule 'contraction': a matrix product");
  write_knobs(&plan, machine, w);
  bind_nests(&plan, w);
  if (has_pad(structure)) {
    tune_writer_line(w, "%%borders = transform.structured.match ops{[\"tensor.pad\"]} in %%func");
    tune_writer_line(w, "  : (" OP ") -> " OP);
    tune_writer_line(w, "%%bordered = transform.structured.rewrite_in_destination_passing_style "
                        "%%borders : (" OP ") -> " OP);
  }
  write_others(&plan, w);
  write_outer_tiles(&plan, w);
  write_register_tiles(&plan, w);
  bool may_skip_panels = plan.cols_divide && !plan.transposed;
  if (!plan.has_window && may_skip_panels) {
    tune_writer_begin_alternatives(w, NULL, "panels", TUNE_LEVEL_LINALG, "\"packed\", \"in_place\"",
                                   panels_pay(&plan, machine) ? 0 : 1, 0);
    write_panels(&plan, w);
    write_peels(&plan, w);
    tune_writer_cleanup(w);
    write_packing(&plan, w);
    tune_writer_next_alternative(w, NULL, 0);
    write_peels(&plan, w);
    tune_writer_cleanup(w);
    tune_writer_end_alternatives(w, NULL, 0);
  } else if (!plan.has_window) {
    write_panels(&plan, w);
    write_peels(&plan, w);
    if (plan.transposed) {
      tune_writer_line(w, "%%folded = transform.apply_registered_pass "
                          "\"linalg-fuse-elementwise-ops\" to %%func : (" OP ") -> " OP);
      w->func = "%folded";
    }
    tune_writer_cleanup(w);
    write_packing(&plan, w);
  } else {
    write_peels(&plan, w);
    tune_writer_cleanup(w);
  }
  write_kernel(&plan, w);
  tune_writer_end_tensors(w);
  w->func = "%func";
  tune_writer_begin_buffers(w);
  tune_writer_lower_vectors(w);
  tune_writer_place_buffers(w);
  tune_writer_target_knobs(w, machine->vector_bits, has_math(structure));
  tune_writer_end_buffers(w);
  tune_writer_main(w);
}

const tune_rule tune_rule_contraction = {
    .name = "contraction",
    .summary = "matrix products and convolutions: register tiles, panels, fused epilogue",
    .applies = contraction_applies,
    .write = contraction_write,
};
