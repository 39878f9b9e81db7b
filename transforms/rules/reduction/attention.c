//===- attention.c - The space of attention: two products and a softmax in one loop -===//
//
// clang-format off
//   forall  1 of each batch, `share` rows                         parallel
//     copy K into panels of nr keys, V into panels of nr columns  turned in registers where these are not contiguous
//     for   mc rows                                               mc x keys scores
//       for   nr keys / mr rows                                   scores, scale, mask: mr x nr in registers
//         for   kr of the width
//       for   one row                                             softmax: vectors, partial results
//       for   nr columns / mr rows                                times V
//         for   kr of the keys
// clang-format on
//
// So no more than mc rows of scores are alive: they stay in the second cache. The order of the
// steps rests on these facts about MLIR 22.1.8:
//  - a producer is copied into a loop once for each of its uses; the cleanup makes one of them;
//  - what is fused for a block of rows ends at the loops of the scores, which cannot be fused: so
//    scores are tiled before the softmax is, and that before the product;
//  - elementwise fusion comes last, when the division stands in loops of its own.
//
//===--------------------------------------------------------------------------===//

#include "transforms/structure/attention_plan.h"

#include "transforms/rules/rule.h"

#include <inttypes.h>
#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"
#define BLOCK 16 // of a panel, copied in registers
#define ROWS 4   // that rows are a multiple of

static int64_t lanes_of(const tune_machine *machine) {
  return machine->vector_bits >= 128 ? machine->vector_bits / 32 : 4;
}

static bool attention_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_attention_plan plan;
  return BLOCK % lanes_of(machine) == 0 && tune_attention_plan_make(structure, &plan);
}

//===--- Knobs ----------------------------------------------------------------===//

// Rows of the register tile.
typedef struct tile_rows {
  tune_value_set sizes;
  int64_t most; // that fit the registers with the default columns
} tile_rows;

// Of so many rows each element of B that is read is used often enough: 6 took 1.02 of the time of 8
// to 12, and 4 took 1.13 (1500 x 1504 keys, AVX-512), or 1.5 with tiles of one vector.
#define ENOUGH_ROWS 8
#define MOST_ROWS 12

// The largest of the tile's rows that divide `mc`.
static int64_t rows_in(const tile_rows *tile, int64_t mc) {
  int64_t found = 0;
  for (size_t i = 0; i < tile->sizes.count; i++)
    if (tile->sizes.values[i] <= tile->most && mc % tile->sizes.values[i] == 0)
      found = tile->sizes.values[i];
  return found;
}

// The largest block of rows that divides a share and is less, of those whose tiles have rows enough
// or, without any, most.
static int64_t choose_block(const tune_value_set *blocks, int64_t share, int64_t limit,
                            const tile_rows *tile) {
  int64_t found = 0, most = 0;
  for (size_t i = 0; i < blocks->count; i++) {
    int64_t mc = blocks->values[i], rows = rows_in(tile, mc);
    rows = rows > ENOUGH_ROWS ? ENOUGH_ROWS : rows;
    if (mc > limit || mc >= share || share % mc != 0 || rows < most)
      continue;
    found = mc;
    most = rows;
  }
  return found;
}

// Returns the default of mc.
static int64_t write_row_knobs(const tune_attention_plan *p, const tune_machine *machine,
                               const tile_rows *tile, tune_writer *w) {
  int64_t threads = (int64_t)machine->threads, most = p->rows;
  tune_value_set shares = {0}, blocks = {0};
  tune_value_set_add(&shares, p->rows);
  for (int64_t parts = 2; parts <= 16; parts *= 2)
    if (p->rows % (parts * ROWS) == 0 && p->rows / parts >= 32)
      tune_value_set_add(&shares, p->rows / parts);
  int64_t unit = p->rows % (2 * ROWS) == 0 ? 2 * ROWS : ROWS;
  tune_value_set_add_divisors(&blocks, p->rows, unit, p->rows / 2 < 128 ? p->rows / 2 : 128, unit);
  int64_t fits = machine->l2_bytes / 4 / (p->keys * 4);
  int64_t limit = fits < 8 ? 8 : fits < 32 ? fits : 32;
  // Panels of K are made for each share: no more shares than keep the threads busy.
  while (threads > 1 && p->batches * (p->rows / most) < 4 * threads) {
    int64_t less = tune_value_set_at_most(&shares, most / 2);
    if (less >= most || !choose_block(&blocks, less, limit, tile))
      break;
    most = less;
  }
  int64_t mc = choose_block(&blocks, most, limit, tile);
  tune_writer_knob(w, "share", "parallel", TUNE_LEVEL_LINALG, &shares, most);
  tune_writer_knob(w, "mc", "tile", TUNE_LEVEL_LINALG, &blocks, mc);
  tune_writer_constraint(w, "blocks of rows divide a share, and are several",
                         "share %% mc == 0 && mc < share");
  return mc;
}

static void write_tile_knobs(const tune_attention_plan *p, const tune_machine *machine,
                             tune_writer *w) {
  int64_t lanes = lanes_of(machine), registers = machine->vector_registers;
  tune_value_set nr = {0}, kr = {0};
  tile_rows tile = {.most = 0};
  for (int64_t rows = 2; rows <= 16; rows += 2)
    if (p->rows % rows == 0)
      tune_value_set_add(&tile.sizes, rows);
  for (int64_t cols = BLOCK; cols <= 96; cols += BLOCK)
    if (p->keys % cols == 0 && p->cols % cols == 0 && cols % lanes == 0)
      tune_value_set_add(&nr, cols);
  for (int64_t depth = 1; depth <= 8; depth *= 2)
    tune_value_set_add(&kr, depth);
  int64_t nr_default = tune_value_set_at_most(&nr, registers >= 32 ? 2 * lanes : 16);
  tile.most = (registers - 1) * lanes / nr_default - 1;
  tile.most = tile.most > MOST_ROWS ? MOST_ROWS : tile.most;
  int64_t mc = write_row_knobs(p, machine, &tile, w);
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &tile.sizes, rows_in(&tile, mc));
  tune_writer_knob(w, "nr", "tile", TUNE_LEVEL_VECTOR, &nr, nr_default);
  tune_writer_knob(w, "kr", "unroll", TUNE_LEVEL_VECTOR, &kr, 4);
  tune_writer_register_constraint(w, lanes, machine->vector_registers, "mr", "nr");
  tune_writer_constraint(w, "the register tile divides the block of rows", "mc %% mr == 0");
}

static void write_line_knob(const tune_attention_plan *p, const tune_machine *machine,
                            tune_writer *w) {
  tune_value_set vectors = {0};
  for (int64_t count = 1; count <= 8; count *= 2)
    if (p->keys % (count * lanes_of(machine)) == 0)
      tune_value_set_add(&vectors, count * lanes_of(machine));
  tune_writer_knob(w, "vector", "vectorize", TUNE_LEVEL_VECTOR, &vectors,
                   tune_value_set_at_most(&vectors, 2 * lanes_of(machine)));
}

//===--- Finding the ops again ----------------------------------------------------===//

// Binds %<name>0, %<name>1, ... to the ops of this name.
static void write_split(const tune_attention_plan *p, tune_nest_kind kind, const char *op,
                        const char *name, tune_writer *w) {
  tune_string_builder handles, types;
  tune_string_builder_init(&handles);
  tune_string_builder_init(&types);
  size_t count = 0;
  for (size_t n = 0; n < p->structure->nest_count; n++)
    if (p->structure->nests[n].kind == kind) {
      tune_string_builder_appendf(&handles, "%s%%%s%zu", count ? ", " : "", name, n);
      tune_string_builder_appendf(&types, "%s" OP, count++ ? ", " : "");
    }
  tune_writer_line(w, "%%%ss = transform.structured.match ops{[\"%s\"]} in %s : (" OP ") -> " OP,
                   name, op, w->func);
  tune_writer_line(w, "%s = transform.split_handle %%%ss", handles.text ? handles.text : "", name);
  tune_writer_line(w, "  : (" OP ") -> (%s)", types.text ? types.text : "");
  tune_string_builder_deinit(&handles);
  tune_string_builder_deinit(&types);
}

// The loops of a product as batches, row, column, depth; `name` becomes its mark.
static void write_product_mark(const tune_attention_plan *p, const tune_attention_product *product,
                               const char *name, tune_writer *w) {
  tune_string_builder order;
  tune_string_builder_init(&order);
  bool is_ordered = true;
  for (size_t i = 0; i < p->batch_count + 3; i++) {
    tune_string_builder_appendf(&order, "%s%zu", i ? ", " : "", product->order[i]);
    is_ordered &= product->order[i] == i;
  }
  if (is_ordered)
    tune_writer_line(w, "transform.annotate %%op%zu \"%s\" : " OP, product->nest, name);
  else {
    tune_writer_line(w, "%%%s = transform.structured.interchange %%op%zu", name, product->nest);
    tune_writer_line(w, "  iterator_interchange = [%s] : (" OP ") -> " OP,
                     order.text ? order.text : "");
    tune_writer_line(w, "transform.annotate %%%s \"%s\" : " OP, name, name);
  }
  tune_string_builder_deinit(&order);
}

static void write_marks(const tune_attention_plan *p, tune_writer *w) {
  write_split(p, TUNE_NEST_FILL, "linalg.fill", "fill", w);
  tune_writer_line(w, "transform.annotate %%fill%zu \"tune.start\" : " OP, p->score_start);
  tune_writer_line(w, "transform.annotate %%fill%zu \"tune.start\" : " OP, p->result_start);
  write_split(p, TUNE_NEST_GENERIC, "linalg.generic", "op", w);
  tune_writer_line(w, "transform.annotate %%op%zu \"tune.weights\" : " OP, p->weights);
  if (p->finish != p->scores.nest)
    tune_writer_line(w, "transform.annotate %%op%zu \"tune.finish\" : " OP, p->finish);
  if (p->root != p->product.nest)
    tune_writer_line(w, "transform.annotate %%op%zu \"tune.root\" : " OP, p->root);
  tune_writer_line(w, "transform.annotate %%op%zu \"tune.extreme\" : " OP, p->extreme);
  write_product_mark(p, &p->scores, "tune.scores", w);
  write_product_mark(p, &p->product, "tune.product", w);
}

static void write_match(const char *result, const char *mark, const char *scope, tune_writer *w) {
  tune_writer_line(w, "%s = transform.structured.match attributes{%s} in %s : (" OP ") -> " OP,
                   result, mark, scope);
}

//===--- Loops ----------------------------------------------------------------===//

// Fuses `target`, whose loops are `loops` (batches, row, column; then others), with all it needs
// into loops of these sizes. `interchange` puts the columns outside.
static void write_fuse(const tune_attention_plan *p, const char *target, const char *name,
                       const size_t *loops, size_t loop_count, const char *batch, const char *row,
                       const char *col, const char *attributes, bool interchange, tune_writer *w) {
  const char *sizes[TUNE_MAX_LOOPS] = {NULL};
  for (size_t i = 0; i < p->batch_count; i++)
    sizes[loops[i]] = batch;
  sizes[loops[p->batch_count]] = row;
  sizes[loops[p->batch_count + 1]] = col;
  tune_string_builder text, params, order, types;
  tune_string_builder_init(&text);
  tune_string_builder_init(&params);
  tune_string_builder_init(&order);
  tune_string_builder_init(&types);
  size_t count = 0, row_loop = loops[p->batch_count], col_loop = loops[p->batch_count + 1];
  tune_string_builder_appendf(&order, " interchange [%zu, %zu", col_loop, row_loop);
  for (size_t loop = 0; loop < loop_count; loop++) {
    const char *size = sizes[loop] ? sizes[loop] : "0";
    tune_string_builder_appendf(&text, "%s%s", loop ? ", " : "", size);
    tune_string_builder_append(&params, size[0] == '%' ? ", " PARAM : "");
    if (size[0] != '0' && (!attributes || count == 0)) {
      tune_string_builder_append(&types, ", " OP);
      count++;
    }
    if (loop != row_loop && loop != col_loop)
      tune_string_builder_appendf(&order, ", %zu", loop);
  }
  tune_writer_line(w, "%s, %s_loops:%zu = transform.structured.fuse %s tile_sizes [%s]%s%s", name,
                   name, count, target, text.text ? text.text : "",
                   interchange && order.text ? order.text : "", interchange ? "]" : "");
  tune_writer_line(w, "  %s: (" OP "%s) -> (" OP "%s)", attributes ? attributes : "",
                   params.text ? params.text : "", types.text ? types.text : "");
  tune_string_builder_deinit(&text);
  tune_string_builder_deinit(&params);
  tune_string_builder_deinit(&order);
  tune_string_builder_deinit(&types);
}

static const char *root_mark(const tune_attention_plan *p) {
  return p->root == p->product.nest ? "tune.product" : "tune.root";
}

static size_t root_loop_count(const tune_attention_plan *p) {
  return p->batch_count + (p->root == p->product.nest ? 3 : 2);
}

static void write_row_loops(const tune_attention_plan *p, tune_writer *w) {
  size_t identity[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    identity[i] = i;
  bool is_product = p->root == p->product.nest;
  const size_t *loops = is_product ? identity : p->root_loops;
  write_match("%whole", root_mark(p), w->func, w);
  write_fuse(p, "%whole", "%shared", loops, root_loop_count(p), "1", "%share", "0", "{use_forall} ",
             false, w);
  tune_writer_cleanup(w);
  write_match("%rest", root_mark(p), w->func, w);
  write_fuse(p, "%rest", "%rows", loops, root_loop_count(p), "0", "%mc", "0", NULL, false, w);
  tune_writer_cleanup(w);
}

// The operand of a product that goes in panels of nr.
typedef struct panels {
  const tune_attention_product *product;
  const tune_operand *operand;
  const char *op, *loops; // handles: the product in its tile, and the loops of tiles
  const char *mark;       // becomes theirs
  bool is_turned;         // columns are not contiguous
} panels;

static panels keys_of(const tune_attention_plan *p) {
  return (panels){.product = &p->scores,
                  .operand = &p->structure->nests[p->scores.nest].operands[p->scores.right],
                  .op = "score",
                  .loops = "%tile_loops",
                  .mark = "tune.keys",
                  .is_turned = p->has_turned_keys};
}

static panels values_of(const tune_attention_plan *p) {
  return (panels){.product = &p->product,
                  .operand = &p->structure->nests[p->product.nest].operands[p->product.right],
                  .op = "value",
                  .loops = "%result_loops",
                  .mark = "tune.values",
                  .is_turned = p->has_turned_values};
}

// They leave all three loops, so that they are made once a share.
static void write_panels(const tune_attention_plan *p, const panels *k, tune_writer *w) {
  size_t col = tune_operand_find_loop(k->operand, k->product->col);
  size_t depth = tune_operand_find_loop(k->operand, k->product->depth);
  tune_writer_line(w, "transform.apply_licm to %s#0 : " OP, k->loops);
  tune_writer_line(w,
                   "%%%s_padded, %%%s_pads, %%%s_copy_back = transform.structured.pad %%%s "
                   "pad_to_multiple_of [%%nr, 1] {",
                   k->op, k->op, k->op, k->op);
  const tune_operand *operands = p->structure->nests[k->product->nest].operands;
  tune_writer_line(w,
                   "    padding_values = [0.0 : %s, 0.0 : %s, 0.0 : f32], "
                   "padding_dimensions = [%zu, %zu],",
                   operands[0].type, operands[1].type, p->batch_count + 1, p->batch_count + 2);
  tune_writer_line(w, "    nofold_flags = [0, 1, 0], copy_back_op = \"none\"}");
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ", " OP ")");
  tune_writer_line(w, "%%%s_pad = transform.get_producer_of_operand %%%s_padded[%zu]", k->op, k->op,
                   k->product->right);
  tune_writer_line(w, "  : (" OP ") -> !transform.op<\"tensor.pad\">");
  tune_string_builder order;
  tune_string_builder_init(&order);
  if (k->is_turned) {
    tune_string_builder_append(&order, ", transpose by [");
    for (size_t d = 0; d < k->operand->rank; d++)
      tune_string_builder_appendf(&order, "%s%zu", d ? ", " : "",
                                  d == col     ? depth
                                  : d == depth ? col
                                               : d);
    tune_string_builder_append(&order, "]");
  }
  tune_writer_line(w, "%%%s_panels = transform.structured.hoist_pad %%%s_pad by 3 loops%s", k->op,
                   k->op, order.text ? order.text : "");
  tune_string_builder_deinit(&order);
  tune_writer_line(w, "  : (!transform.op<\"tensor.pad\">) -> " OP);
  if (!k->is_turned) {
    tune_writer_line(w, "transform.annotate %%%s_panels \"%s\" : " OP, k->op, k->mark);
    return;
  }
  tune_writer_line(w, "%%%s_turn = transform.get_consumers_of_result %%%s_panels[0]", k->op, k->op);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_line(w, "transform.annotate %%%s_turn \"%s\" : " OP, k->op, k->mark);
  tune_writer_line(w, "%%%s_back = transform.structured.match ops{[\"linalg.transpose\"]} in %s#1",
                   k->op, k->loops);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_line(w, "%%%s_generic = transform.structured.generalize %%%s_back : (" OP ") -> " OP,
                   k->op, k->op);
}

static void write_scores(const tune_attention_plan *p, tune_writer *w) {
  size_t loops[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    loops[i] = i;
  bool is_bare = p->finish == p->scores.nest;
  write_match("%block", is_bare ? "tune.scores" : "tune.finish", w->func, w);
  write_fuse(p, "%block", "%tile", loops, p->batch_count + (is_bare ? 3 : 2), "0", "%mr", "%nr",
             NULL, true, w);
  write_match("%score", "tune.scores", "%tile_loops#1", w);
  const panels keys = keys_of(p);
  write_panels(p, &keys, w);
}

static void write_lines(const tune_attention_plan *p, tune_writer *w) {
  size_t loops[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    loops[i] = i;
  // What is first known of a row, its maximum, in a loop of its own: one long chain of dependent
  // instructions a row keeps the core waiting.
  write_match("%extreme", "tune.extreme", w->func, w);
  write_fuse(p, "%extreme", "%ahead", loops, p->batch_count + 2, "0", "1", "0", NULL, false, w);
  tune_writer_cleanup(w);
  write_match("%chain", "tune.weights", w->func, w);
  write_fuse(p, "%chain", "%line", loops, p->batch_count + 2, "0", "1", "0", NULL, false, w);
  tune_writer_cleanup(w);
}

static void write_product(const tune_attention_plan *p, tune_writer *w) {
  size_t identity[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    identity[i] = i;
  write_match("%last", root_mark(p), w->func, w);
  write_fuse(p, "%last", "%result", p->root == p->product.nest ? identity : p->root_loops,
             root_loop_count(p), "0", "%mr", "%nr", NULL, true, w);
  write_match("%value", "tune.product", "%result_loops#1", w);
  const panels values = values_of(p);
  write_panels(p, &values, w);
  tune_writer_cleanup(w);
}

//===--- Vectors --------------------------------------------------------------===//

// Panels are copied in blocks, which are turned in registers where the columns are not contiguous.
static void write_copies(const panels *k, tune_writer *w) {
  char sizes[128], types[640];
  size_t used = (size_t)snprintf(sizes, sizeof sizes, "[");
  for (size_t d = 0; d < k->operand->rank; d++) {
    bool is_of_block = tune_operand_is_loop(k->operand, d, k->product->col) ||
                       tune_operand_is_loop(k->operand, d, k->product->depth);
    used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%d", d ? ", " : "",
                             is_of_block ? BLOCK : 1);
  }
  snprintf(sizes + used, sizeof sizes - used, "]");
  tune_writer_types(types, sizeof types, k->operand->rank + 1);
  tune_string_builder copy, loops;
  tune_string_builder_init(&copy);
  tune_string_builder_init(&loops);
  tune_string_builder_appendf(&copy, "%%%s_copy", k->op);
  tune_string_builder_appendf(&loops, "%%%s_copy_loops#0", k->op);
  write_match(copy.text ? copy.text : "", k->mark, w->func, w);
  tune_writer_line(w, "%%%s_block, %%%s_copy_loops:%zu = transform.structured.%s %s tile_sizes %s",
                   k->op, k->op, k->operand->rank, k->is_turned ? "fuse" : "tile_using_for",
                   copy.text ? copy.text : "", sizes);
  tune_writer_line(w, "  : (" OP ") -> (%s)", types);
  if (k->is_turned) {
    tune_writer_line(w, "transform.structured.vectorize %%%s_block vector_sizes %s : " OP, k->op,
                     sizes);
  } else {
    tune_writer_line(
        w, "%%%s_insert = transform.structured.match ops{[\"tensor.insert_slice\"]} in %s", k->op,
        loops.text ? loops.text : "");
    tune_writer_line(w, "  : (" OP ") -> " OP);
    tune_writer_line(w, "transform.structured.vectorize %%%s_insert : " OP, k->op);
  }
  tune_writer_line(w, "%%%s_source = transform.structured.match ops{[\"tensor.pad\"]} in %s", k->op,
                   loops.text ? loops.text : "");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_line(w, "transform.structured.vectorize %%%s_source vector_sizes %s : " OP, k->op,
                   sizes);
  tune_string_builder_deinit(&copy);
  tune_string_builder_deinit(&loops);
}

// Partial results in vectors: their number is an attribute upstream, so that the knob is a list.
static void write_partials(const tune_attention_plan *p, const tune_machine *machine,
                           tune_writer *w) {
  int64_t lanes = lanes_of(machine), lengths[4], most = 0;
  char labels[128] = "";
  size_t used = 0, count = 0;
  for (int64_t vectors = 1; vectors <= 8; vectors *= 2)
    if (p->keys % (vectors * lanes) == 0) {
      lengths[count++] = vectors * lanes;
      used += (size_t)snprintf(labels + used, sizeof labels - used, "%s\"of_%" PRId64 "\"",
                               used ? ", " : "", vectors * lanes);
      most = vectors <= 4 ? (int64_t)count - 1 : most;
    }
  tune_nest line = {.is_reduction = {true}};
  tune_writer_match_generic(w, "%sums", &line, NULL, 1, w->func);
  tune_writer_begin_alternatives(w, NULL, "partial", TUNE_LEVEL_VECTOR, labels, most, 0);
  for (size_t i = 0; i < count; i++) {
    if (i)
      tune_writer_next_alternative(w, NULL, 0);
    tune_writer_begin_foreach(w, "%sums", "%sum");
    tune_writer_line(w, "%%sum_start, %%sum_part, %%sum_end, %%sum_loop =");
    tune_writer_line(w,
                     "  transform.structured.tile_reduction_using_for %%sum by tile_sizes = "
                     "[%" PRId64 "]",
                     lengths[i]);
    tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ", " OP ", " OP ")");
    tune_writer_end_foreach(w);
  }
  tune_writer_end_alternatives(w, NULL, 0);
}

static void write_vectors(const tune_attention_plan *p, const tune_machine *machine,
                          tune_writer *w) {
  static const size_t order[] = {0, 1, 2};
  tune_writer_apply_pass(w, "linalg-fuse-elementwise-ops", "%folded");
  tune_writer_cleanup(w);
  const panels keys = keys_of(p), values = values_of(p);
  write_copies(&keys, w);
  write_copies(&values, w);
  // A fill that keeps its unit dimension does not meet the product in registers.
  tune_writer_line(w,
                   "%%starts = transform.structured.match ops{[\"linalg.fill\"]} "
                   "attributes{tune.start} in %s : (" OP ") -> " OP,
                   w->func);
  tune_writer_line(w,
                   "%%starts_generic = transform.structured.generalize %%starts : (" OP ") -> " OP);
  // The weights go straight into their block; after the next patterns this would not be seen.
  tune_writer_line(w, "transform.bufferization.eliminate_empty_tensors %s : " OP, w->func);
  tune_writer_apply_pattern(w, "tensor.fold_tensor_empty");
  tune_writer_fold_unit_dims(w);

  // Before the partial results, which are elementwise too.
  tune_nest line = {.is_reduction = {false}};
  tune_tiling tiling = {{"%vector"}};
  tune_writer_match_generic(w, "%lines", &line, NULL, 1, w->func);
  tune_writer_begin_foreach(w, "%lines", "%one_line");
  tune_writer_tile(w, "%step", "%steps", "%one_line", &tiling, order, 1, NULL);
  tune_writer_end_foreach(w);
  write_partials(p, machine, w);
  tune_nest product = {.is_reduction = {false, false, true}};
  tune_tiling depth = {{NULL, NULL, "%kr"}};
  tune_writer_match_generic(w, "%products", &product, NULL, 3, w->func);
  tune_writer_begin_foreach(w, "%products", "%one_product");
  tune_writer_tile(w, "%part", "%parts", "%one_product", &depth, order, 3, NULL);
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
  tune_writer_line(
      w, "%%linalg = transform.structured.match interface{LinalgOp} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_begin_foreach(w, "%linalg", "%each");
  tune_writer_line(w, "transform.structured.vectorize %%each : " OP);
  tune_writer_end_foreach(w);
  const tune_nest *nests = p->structure->nests;
  tune_writer_vector_cleanup(w, nests[p->scores.nest].widens || nests[p->product.nest].widens);
}

//===--- The rule -------------------------------------------------------------===//

static void attention_write(const tune_structure *structure, const tune_machine *machine,
                            tune_writer *w) {
  tune_attention_plan plan;
  if (!tune_attention_plan_make(structure, &plan))
    return;
  tune_writer_begin_tensors(w, "rule 'attention': scores block by block, never all of them");
  write_tile_knobs(&plan, machine, w);
  write_line_knob(&plan, machine, w);
  write_marks(&plan, w);
  write_row_loops(&plan, w);
  write_scores(&plan, w);
  write_lines(&plan, w);
  write_product(&plan, w);
  write_vectors(&plan, machine, w);
  tune_writer_end_tensors(w);
  w->func = "%func";
  tune_writer_begin_buffers(w);
  tune_writer_apply_pattern(w, "vector.drop_unit_dims_with_shape_cast");
  tune_writer_lower_vectors(w);
  tune_writer_wide_operands(w, structure);
  w->stack_bytes = 65536;
  tune_writer_place_buffers(w);
  tune_writer_target_knobs(w, machine->vector_bits, plan.math_count > 0);
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_attention = {
    .name = "attention",
    .summary = "softmax of one matrix product times another, without the scores in memory",
    .kinds = TUNE_KINDS_CPU,
    .applies = attention_applies,
    .write = attention_write,
};
