//===- contraction_tiles.c - Outer tiles and register tiles ----------------------------===//

#include "transforms/rules/contraction_parts.h"

#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

//===--------------------------------------------------------------------------===//
// Orders of loops
//===--------------------------------------------------------------------------===//

void tune_contraction_identity_order(size_t *order, size_t count) {
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
// Outer tiles: what belongs together goes into one parallel loop
//===--------------------------------------------------------------------------===//

static void bind_nests(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_structure *structure = plan->structure;
  size_t generics = 0;
  char names[640] = "";
  size_t used = 0;
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
  if (plan->starts_filled) {
    tune_writer_line(w, "%%init = transform.structured.match ops{[\"linalg.fill\"]} in %%func");
    tune_writer_line(w, "  : (" OP ") -> " OP);
    tune_writer_line(w, "transform.annotate %%init \"tune.init\" : " OP);
  }
}

static bool has_pad(const tune_structure *structure) {
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].kind == TUNE_NEST_PAD)
      return true;
  return false;
}

// Pads stand before everything else: what they make is written once, whole.
static void write_borders(const tune_contraction_plan *plan, tune_writer *w) {
  if (!has_pad(plan->structure))
    return;
  tune_writer_line(w, "%%borders = transform.structured.match ops{[\"tensor.pad\"]} in %%func");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_line(w, "%%bordered = transform.structured.rewrite_in_destination_passing_style "
                      "%%borders : (" OP ") -> " OP);
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
    tune_contraction_identity_order(order, nest->loop_count);
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

void tune_contraction_write_outer_tiles(const tune_contraction_plan *plan, tune_writer *w) {
  bind_nests(plan, w);
  write_borders(plan, w);
  write_others(plan, w);
  const tune_nest *root = plan->epilogue ? plan->epilogue : plan->anchor;
  tune_tiling outer = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  tune_contraction_identity_order(order, plan->root_loop_count);
  for (size_t loop = 0; loop < root->loop_count; loop++)
    outer.size[loop] = root->is_reduction[loop] ? "0" : "1";
  outer.size[plan->root_row] = "%mc";
  outer.size[plan->root_col] = "%nc";
  char sizes[256];
  tune_writer_line(w, "%%root, %%outer = transform.structured.tile_using_forall %s tile_sizes %s",
                   plan->epilogue ? "%epilogue" : "%anchor",
                   tune_writer_sizes(sizes, sizeof sizes, &outer, order, plan->root_loop_count));
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM ") -> (" OP ", " OP ")");
  if (plan->epilogue)
    write_fuse(w, "%tile", "%anchor", "%outer", "%outer_1");
  if (plan->init)
    write_fuse(w, "%start", "%init", plan->epilogue ? "%outer_1" : "%outer", "%outer_2");
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
  tune_contraction_identity_order(order, plan->root_loop_count);
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
  tune_contraction_identity_order(order, TUNE_MAX_LOOPS);
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
  if (!plan->init)
    return;
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

void tune_contraction_write_register_tiles(const tune_contraction_plan *plan, tune_writer *w) {
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
