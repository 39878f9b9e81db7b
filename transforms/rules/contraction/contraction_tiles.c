//===- contraction_tiles.c - Outer tiles and register tiles ------------------===//

#include "transforms/rules/contraction/contraction_split.h"
#include "transforms/rules/contraction/contraction_steps.h"
#include "transforms/rules/contraction/register_tile.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

//===--------------------------------------------------------------------------===//
// Orders of loops
//===--------------------------------------------------------------------------===//

const char *tune_contraction_interchange(char *buffer, size_t size, size_t count, size_t row,
                                         size_t col, bool columns_outside) {
  size_t used = (size_t)snprintf(buffer, size, "[%zu, %zu", columns_outside ? col : row,
                                 columns_outside ? row : col);
  for (size_t i = 0; i < count && used < size; i++)
    if (i != row && i != col)
      used += (size_t)snprintf(buffer + used, size - used, ", %zu", i);
  if (used < size)
    snprintf(buffer + used, size - used, "]");
  return buffer;
}

// The same with the loop of lines `line`, where `plan` has one: inside of the columns, or outside
// of all.
static const char *interchange(const tune_contraction_plan *plan, char *buffer, size_t size,
                               size_t count, size_t row, size_t col, size_t line,
                               bool columns_outside) {
  if (!plan->lc.count)
    return tune_contraction_interchange(buffer, size, count, row, col, columns_outside);
  size_t used = (size_t)snprintf(buffer, size, "[%zu, %zu, %zu", columns_outside ? col : line,
                                 columns_outside ? line : row, columns_outside ? row : col);
  for (size_t i = 0; i < count && used < size; i++)
    if (i != row && i != col && i != line)
      used += (size_t)snprintf(buffer + used, size - used, ", %zu", i);
  if (used < size)
    snprintf(buffer + used, size - used, "]");
  return buffer;
}

//===--------------------------------------------------------------------------===//
// Outer tiles: what belongs together goes into one parallel loop
//===--------------------------------------------------------------------------===//

// `splits`: what they are called is for the parts of the depth.
static void bind_nests(const tune_contraction_plan *plan, bool splits, tune_writer *w) {
  const tune_structure *structure = plan->structure;
  const char *init = splits ? "%whole_init" : "%init";
  size_t generics = 0;
  char names[640] = "";
  size_t used = 0;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    char other[32];
    snprintf(other, sizeof other, "%%other_%zu", n);
    const char *name = nest == plan->anchor     ? splits ? "%whole" : "%anchor"
                       : nest == plan->init     ? init
                       : nest == plan->epilogue ? "%epilogue"
                                                : other;
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", generics ? ", " : "", name);
    generics++;
  }
  char types[640];
  tune_writer_line(w,
                   "%%generics = transform.structured.match ops{[\"linalg.generic\"]} in %%func");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_line(w, "%s = transform.split_handle %%generics : (" OP ") -> (%s)", names,
                   tune_writer_types(types, sizeof types, generics));
  if (plan->starts_filled) {
    tune_writer_line(w, "%s = transform.structured.match ops{[\"linalg.fill\"]} in %%func", init);
    tune_writer_line(w, "  : (" OP ") -> " OP);
  }
  if (plan->init && !splits)
    tune_writer_line(w, "transform.annotate %%init \"tune.init\" : " OP);
  if (plan->dynamic_rows && plan->epilogue)
    tune_writer_line(w, "transform.annotate %%epilogue \"tune.root\" : " OP);
}

// Pads stand before everything else: what they make is written once, whole.
static void write_borders(const tune_contraction_plan *plan, tune_writer *w) {
  if (!tune_structure_has_pad(plan->structure))
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
    tune_writer_identity_order(order, nest->loop_count);
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

// mc rows, nc columns and one step of all other loops of `root`, or as many as the plan says.
static tune_tiling outer_tiling(const tune_contraction_plan *plan, const tune_nest *root) {
  tune_tiling outer = {{0}};
  for (size_t i = 0; i < root->loop_count; i++)
    outer.size[i] = root->is_reduction[i]     ? "0"
                    : plan->outer_steps[i][0] ? plan->outer_steps[i]
                                              : "1";
  outer.size[plan->root_row] = "%mc";
  outer.size[plan->root_col] = "%nc";
  if (plan->lc.count)
    outer.size[plan->root_line] = "%lc";
  return outer;
}

// Outer tiles of `root`, which is the handle `target`, as a parallel loop.
static void write_forall(const tune_contraction_plan *plan, const tune_nest *root, tune_writer *w,
                         const char *tile, const char *loop, const char *target) {
  tune_tiling outer = outer_tiling(plan, root);
  size_t order[TUNE_MAX_LOOPS];
  char sizes[256];
  tune_writer_identity_order(order, plan->root_loop_count);
  tune_writer_line(w, "%s, %s = transform.structured.tile_using_forall %s tile_sizes %s", tile,
                   loop, target,
                   tune_writer_sizes(sizes, sizeof sizes, &outer, order, plan->root_loop_count));
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM "%s) -> (" OP ", " OP ")",
                   plan->lc.count ? ", " PARAM : "");
}

// The same as plain loops, which panels are hoisted out of, unlike out of scf.forall. Threads
// divide them all the same (transforms/lower/common/parallel_loops.h).
static void write_outer_loops(const tune_contraction_plan *plan, const tune_nest *root,
                              tune_writer *w) {
  tune_tiling outer = outer_tiling(plan, root);
  // Panels are not hoisted out of tiles of which the last is smaller.
  if (!plan->cols_divide)
    outer.size[plan->root_col] = "0";
  size_t order[TUNE_MAX_LOOPS], loops = 0;
  char sizes[256], types[256];
  tune_writer_identity_order(order, plan->root_loop_count);
  for (size_t i = 0; i < root->loop_count; i++)
    loops += strcmp(outer.size[i], "0") != 0;
  tune_writer_line(w, "%%root, %%outer:%zu = transform.structured.fuse %s tile_sizes %s", loops,
                   plan->epilogue ? "%epilogue" : "%anchor",
                   tune_writer_sizes(sizes, sizeof sizes, &outer, order, plan->root_loop_count));
  tune_writer_line(w, "  : (" OP ", " PARAM "%s%s) -> (%s)", plan->cols_divide ? ", " PARAM : "",
                   plan->lc.count ? ", " PARAM : "",
                   tune_writer_types(types, sizeof types, loops + 1));
  for (size_t i = 0; i < loops && plan->has_threads; i++)
    tune_writer_line(w, "transform.annotate %%outer#%zu \"tune.threads\" : " OP, i);
  if (plan->epilogue)
    tune_writer_match_generic(w, "%tile", plan->anchor, NULL, plan->anchor->loop_count, "%outer#0");
  if (plan->init)
    tune_writer_line(w, "%%start = transform.structured.match attributes{tune.init} in %%outer#0 "
                        ": (" OP ") -> " OP);
}

void tune_contraction_write_outer_loop(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_nest *root = plan->epilogue ? plan->epilogue : plan->anchor;
  if (plan->packs_ahead) {
    write_outer_loops(plan, root, w);
    return;
  }
  write_forall(plan, root, w, "%root", "%outer", plan->epilogue ? "%epilogue" : "%anchor");
  if (plan->epilogue)
    tune_writer_fuse_into(w, "%tile", "%anchor", "%outer", "%outer_1");
  if (plan->init)
    tune_writer_fuse_into(w, "%start", "%init", plan->epilogue ? "%outer_1" : "%outer", "%outer_2");
}

void tune_contraction_write_before(const tune_contraction_plan *plan, tune_writer *w) {
  const tune_contraction_plan *whole = plan->split ? plan->split->whole : plan;
  bind_nests(whole, plan->split != NULL, w);
  write_borders(whole, w);
  write_others(whole, w);
  if (plan->split)
    tune_contraction_split_write(plan->split, w);
}

void tune_contraction_write_outer_tiles(const tune_contraction_plan *plan, tune_writer *w) {
  tune_contraction_write_before(plan, w);
  tune_contraction_write_outer_loop(plan, w);
}

//===--------------------------------------------------------------------------===//
// Register tiles, with the depth whole or split
//===--------------------------------------------------------------------------===//

// Where the steps below find what they tile, and what they bind.
typedef struct tile_scope {
  const tune_contraction_plan *plan; // without its epilogue where that is no part of the tiles
  const char *target;                // the anchor, or the epilogue whose tile has the anchor's
  const char *anchor;                // the anchor
} tile_scope;

// The depth is not split: epilogue, contraction and initialization meet in the register tile.
static void write_whole_depth(const tile_scope *scope, tune_writer *w, bool columns_outside) {
  const tune_contraction_plan *plan = scope->plan;
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char sizes[256], loops[64];
  tune_writer_identity_order(order, plan->root_loop_count);
  tile.size[plan->root_row] = "%mr";
  tile.size[plan->root_col] = "%nr";
  if (plan->lc.count)
    tile.size[plan->root_line] = "1";
  tune_writer_line(w,
                   "%%kernel, %%loops:%d = transform.structured.fuse %s tile_sizes %s "
                   "interchange %s",
                   plan->lc.count ? 3 : 2, scope->target,
                   tune_writer_sizes(sizes, sizeof sizes, &tile, order, plan->root_loop_count),
                   interchange(plan, loops, sizeof loops, plan->root_loop_count, plan->root_row,
                               plan->root_col, plan->root_line, columns_outside));
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM ") -> (" OP ", " OP ", " OP "%s)",
                   plan->lc.count ? ", " OP : "");
  if (plan->epilogue)
    tune_writer_match_generic(w, "%product", plan->anchor, NULL, plan->anchor->loop_count,
                              plan->lc.count ? "%loops#2" : "%loops#1");
}

// The depth is split: the accumulator tile is visited once for each part of the depth.
static void write_split_depth(const tile_scope *scope, tune_writer *w, bool columns_outside) {
  const tune_contraction_plan *plan = scope->plan;
  const tune_nest *anchor = plan->anchor;
  size_t order[TUNE_MAX_LOOPS];
  char loops[64];
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  tune_tiling depth = {{0}}, tile = {{0}};
  depth.size[plan->depth] = "%kc";
  tune_writer_tile(w, "%part", "%depth_loop", scope->anchor, &depth, order, anchor->loop_count,
                   NULL);
  tile.size[plan->row] = "%mr";
  tile.size[plan->col] = "%nr";
  if (plan->lc.count)
    tile.size[plan->line] = "1";
  tune_writer_tile(w, "%product", "%loops", "%part", &tile, order, anchor->loop_count,
                   interchange(plan, loops, sizeof loops, anchor->loop_count, plan->row, plan->col,
                               plan->line, columns_outside));
  if (!plan->init)
    return;
  tune_tiling start = {{0}};
  size_t rank = plan->init->loop_count;
  for (size_t i = 0; i < rank; i++)
    start.size[i] = tune_operand_is_loop(&anchor->operands[2], i, plan->col) ? "%nr" : "1";
  tune_writer_tile(w, "%first", "%first_loops", "%start", &start, order, rank, NULL);
}

// With rows outside each tile of rows goes by all of B, A is read once, and results and what is
// joined to them go in whole rows instead of strips as wide as a register tile. That is faster
// where B stays in the second cache from one tile of rows to the next: 1.04 to 1.7 times for
// products of 784 to 12544 rows of ResNet-50 and MobileNetV2, for vectors of 256 and of 512 bits.
// The first tile has to wait for all of a B that is read for the first time: a constant in a
// network, whose other weights come between two calls. For 196 rows that is more than what is
// gained.
static bool prefers_rows_outside(const tune_contraction_plan *plan) {
  const int64_t fewest_panels = 3, fewest_rows = 384, most_depths_per_row = 3;
  bool has_panels = plan->cols >= fewest_panels * plan->nr_default;
  bool stays = tune_contraction_bytes_of_b(plan, plan->cols) <= plan->l2_bytes / 2;
  bool is_read_often = plan->can_pack_ahead ? plan->rows >= fewest_rows
                                            : plan->depths <= most_depths_per_row * plan->rows;
  return has_panels && stays && is_read_often && !plan->has_window && !plan->lc.count;
}

static void write_order(const tile_scope *scope, tune_writer *w, const char *result,
                        bool is_split) {
  void (*write)(const tile_scope *, tune_writer *, bool) =
      is_split ? write_split_depth : write_whole_depth;
  // The register tile, its outer and its inner loop; lines go between the columns' loop and the
  // rows' where the columns go outside, and else outside of both.
  bool has_lines = scope->plan->lc.count > 0;
  const char *tile = is_split || scope->plan->epilogue ? "%product" : "%kernel";
  char handles[64], last_handles[64];
  snprintf(handles, sizeof handles, "%s, %%loops#0, %%loops#%d", tile, has_lines ? 2 : 1);
  snprintf(last_handles, sizeof last_handles, "%s, %%loops#%d, %%loops#%d", tile, has_lines ? 1 : 0,
           has_lines ? 2 : 1);
  // Rows known at run time only go inside, where their remainder is told apart.
  bool one_order = scope->plan->dynamic_rows;
  tune_writer_begin_alternatives(w, result, "tile_order", TUNE_LEVEL_LINALG,
                                 one_order ? "\"columns_outside\""
                                           : "\"columns_outside\", \"rows_outside\"",
                                 !one_order && prefers_rows_outside(scope->plan), 3);
  write(scope, w, true);
  if (!one_order) {
    tune_writer_next_alternative(w, handles, 3);
    write(scope, w, false);
  }
  tune_writer_end_alternatives(w, one_order ? handles : last_handles, 3);
}

// All rows of A go by a part of a panel, which should not leave the cache meanwhile.
static void write_cache_constraint(const tune_contraction_plan *plan, tune_writer *w) {
  tune_writer_constraint(w, "kc x nr of B fit half of the second cache",
                         "kc * nr * %" PRId64 " <= %" PRId64,
                         (tune_contraction_bits_of_b(plan) + 7) / 8, plan->l2_bytes / 2);
}

// Binds `result` ("%name:3"): the contraction in the register tile, its outer and its inner loop.
static void write_depths(const tile_scope *scope, tune_writer *w, const char *result) {
  const tune_contraction_plan *plan = scope->plan;
  if (!plan->kc.count) {
    tune_writer_line(w, "// the depth is not split");
    write_order(scope, w, result, false);
    return;
  }
  const char *handles = "%inner#0, %inner#1, %inner#2";
  tune_writer_begin_alternatives(w, result, "depth_split", TUNE_LEVEL_LINALG,
                                 "\"whole\", \"split\"", 0, 3);
  write_order(scope, w, "%inner:3", false);
  tune_writer_next_alternative(w, handles, 3);
  if (plan->epilogue)
    tune_writer_constraint(
        w,
        "sums over a split depth are not ready in the register tile: the epilogue goes elsewhere",
        "false");
  write_cache_constraint(plan, w);
  // The knob has the values that divide the whole depth.
  if (plan->split)
    tune_contraction_write_divisor("kc", plan->depths,
                                   "parts of kc divide what a thread has of the depth", w);
  write_order(scope, w, "%inner:3", true);
  tune_writer_end_alternatives(w, handles, 3);
}

void tune_contraction_write_register_tiles(const tune_contraction_plan *plan, tune_writer *w,
                                           const char *target) {
  write_depths(&(tile_scope){plan, target, target}, w, "%work:3");
}

//===--------------------------------------------------------------------------===//
// The place of the epilogue
//===--------------------------------------------------------------------------===//

void tune_contraction_write_rows(const tune_contraction_plan *plan, tune_writer *w,
                                 const char *target) {
  tune_tiling row = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char sizes[256];
  tune_writer_identity_order(order, plan->root_loop_count);
  for (size_t loop = 0; loop < plan->root_loop_count; loop++)
    row.size[loop] = "1";
  row.size[plan->root_col] = "%nr";
  tune_writer_tile(w, "%last", "%last_loops", target, &row, order, plan->root_loop_count, NULL);
  if (!plan->cols_divide)
    tune_writer_try_vectorize(
        w, "%last", tune_writer_sizes(sizes, sizeof sizes, &row, order, plan->root_loop_count));
}

// Loops of the anchor alone, which is then its own root.
static tune_contraction_plan without_epilogue(const tune_contraction_plan *plan) {
  tune_contraction_plan alone = *plan;
  alone.epilogue = NULL;
  alone.root_row = plan->row;
  alone.root_col = plan->col;
  alone.root_line = plan->line;
  alone.root_loop_count = plan->anchor->loop_count;
  return alone;
}

static void write_places(const tune_contraction_plan *plan, tune_writer *w) {
  const char *handles = "%placed#0, %placed#1, %placed#2";
  tune_contraction_plan alone = without_epilogue(plan);
  tune_writer_begin_alternatives(w, "%work:3", "epilogue", TUNE_LEVEL_LINALG,
                                 "\"register_tile\", \"outer_tile\", \"apart\"", 0, 3);
  tune_contraction_write_outer_loop(plan, w);
  write_depths(&(tile_scope){plan, "%root", "%tile"}, w, "%placed:3");
  tune_writer_next_alternative(w, handles, 3);
  tune_contraction_write_outer_loop(plan, w);
  write_depths(&(tile_scope){&alone, "%tile", "%tile"}, w, "%placed:3");
  tune_contraction_write_rows(plan, w, "%root");
  tune_writer_next_alternative(w, handles, 3);
  tune_contraction_write_outer_loop(&alone, w);
  write_depths(&(tile_scope){&alone, "%root", "%root"}, w, "%placed:3");
  write_forall(plan, plan->epilogue, w, "%apart", "%apart_loop", "%epilogue");
  tune_contraction_write_rows(plan, w, "%apart");
  tune_writer_end_alternatives(w, handles, 3);
}

void tune_contraction_write_tiles(const tune_contraction_plan *plan, tune_writer *w) {
  tune_contraction_write_before(plan, w);
  if (plan->epilogue && !plan->dynamic_rows) {
    write_places(plan, w);
    return;
  }
  tune_contraction_write_outer_loop(plan, w);
  write_depths(&(tile_scope){plan, "%root", plan->epilogue ? "%tile" : "%root"}, w, "%work:3");
}
