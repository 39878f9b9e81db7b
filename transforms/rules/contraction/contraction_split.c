//===- contraction_split.c ------------------------------------------------------===//

#include "transforms/rules/contraction/contraction_split.h"

#include "transforms/rules/contraction/contraction_steps.h"

#include <inttypes.h>
#include <string.h>

#define OP "!transform.any_op"

// Below these a thread takes longer to start than it saves: steps of a part's depth, multiply-adds
// of the whole, elements that are added up.
#define LEAST_DEPTH 128
#define LEAST_PRODUCTS (1 << 20)
#define LEAST_SUMS (1 << 16)

//===--------------------------------------------------------------------------===//
// The batch of products
//===--------------------------------------------------------------------------===//

// The most parts that are all as deep, up to one for each thread.
static int64_t count_parts(int64_t depths, int64_t threads) {
  for (int64_t parts = threads; parts > 1; parts--)
    if (depths % parts == 0 && depths / parts >= LEAST_DEPTH)
      return parts;
  return 1;
}

static bool has_tile_for_each(const tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t row_tiles = (plan->rows + plan->mc_default - 1) / plan->mc_default;
  int64_t col_tiles = (plan->cols + plan->nc_default - 1) / plan->nc_default;
  return row_tiles * col_tiles >= (int64_t)machine->threads;
}

// Indices over the loops of the whole become those of a batch: loop 0 is the part, the others come
// after it; upstream splits the dimension that the depth indexes in two.
static void split_operand(const tune_contraction_plan *whole, int64_t parts,
                          const tune_operand *from, tune_operand *out) {
  *out = *from;
  out->is_constant = false; // what is packed ahead is the whole's alone
  out->rank = 0;
  for (size_t i = 0; i < from->rank; i++) {
    bool is_depth = tune_operand_is_loop(from, i, whole->depth);
    if (is_depth) {
      out->shape[out->rank] = parts;
      out->index[out->rank++] = (tune_index){.coefficient = {1}, .is_linear = true};
    }
    tune_index *index = &out->index[out->rank];
    *index = (tune_index){.constant = from->index[i].constant, .is_linear = true};
    for (size_t loop = 0; loop < whole->anchor->loop_count; loop++)
      index->coefficient[loop + 1] = from->index[i].coefficient[loop];
    out->shape[out->rank++] = is_depth ? from->shape[i] / parts : from->shape[i];
  }
}

// The sums of each part, its place first.
static void make_sums(const tune_contraction_plan *whole, int64_t parts, tune_operand *out) {
  const tune_operand *sums = &whole->anchor->operands[2];
  split_operand(whole, parts, sums, out);
  memmove(&out->shape[1], &out->shape[0], sums->rank * sizeof *out->shape);
  memmove(&out->index[1], &out->index[0], sums->rank * sizeof *out->index);
  out->shape[0] = parts;
  out->index[0] = (tune_index){.coefficient = {1}, .is_linear = true};
  out->rank = sums->rank + 1;
  out->producer = 0;
}

static void make_structure(const tune_contraction_plan *whole, int64_t parts,
                           tune_contraction_split *split) {
  const tune_nest *anchor = whole->anchor;
  tune_nest *fill = &split->nests[0], *batch = &split->nests[1];
  *batch = *anchor;
  batch->loop_count = anchor->loop_count + 1;
  batch->extent[0] = parts;
  batch->is_reduction[0] = false;
  for (size_t loop = 0; loop < anchor->loop_count; loop++) {
    batch->extent[loop + 1] = anchor->extent[loop] / (loop == whole->depth ? parts : 1);
    batch->is_reduction[loop + 1] = anchor->is_reduction[loop];
  }
  split_operand(whole, parts, &anchor->operands[0], &batch->operands[0]);
  split_operand(whole, parts, &anchor->operands[1], &batch->operands[1]);
  make_sums(whole, parts, &batch->operands[2]);
  batch->use_count = 0;
  batch->is_returned = true;

  const tune_operand *sums = &batch->operands[2];
  *fill = (tune_nest){.kind = TUNE_NEST_FILL, .op_name = "linalg.fill", .use_count = 1};
  fill->loop_count = sums->rank;
  for (size_t i = 0; i < sums->rank; i++)
    fill->extent[i] = sums->shape[i];
  split->structure = (tune_structure){.nest_count = 2, .nests = split->nests, .is_regular = true};
}

// The largest value up to `limit` that divides what a thread has of the depth.
static int64_t find_divisor(const tune_value_set *values, int64_t limit, int64_t depth,
                            int64_t otherwise) {
  for (size_t i = values->count; i-- > 0;)
    if (values->values[i] <= limit && depth % values->values[i] == 0)
      return values->values[i];
  return otherwise;
}

void tune_contraction_split_choose(const tune_contraction_split *split,
                                   tune_contraction_plan *whole) {
  if (!split->is_default)
    return;
  int64_t depth = split->plan.depths;
  whole->kr_default = find_divisor(&whole->kr, whole->kr_default, depth, whole->kr_default);
  whole->kc_default = find_divisor(&whole->kc, whole->kc_default, depth, whole->kc_default);
}

bool tune_contraction_split_into(const tune_contraction_plan *whole, int64_t parts,
                                 const tune_machine *machine, tune_contraction_split *out_split) {
  make_structure(whole, parts, out_split);
  // The whole's knobs are those of its parts, which have to see the same columns to choose from.
  tune_operand *b = &out_split->nests[out_split->structure.nest_count - 1].operands[whole->b];
  b->is_constant = whole->anchor->operands[whole->b].is_constant;
  if (!tune_contraction_plan_make(&out_split->structure, machine, &out_split->plan))
    return false;
  b->is_constant = out_split->plan.can_pack_ahead = false;
  out_split->plan.split = out_split;
  out_split->whole = whole;
  out_split->parts = parts;
  out_split->is_default = false;
  return true;
}

bool tune_contraction_split_make(const tune_contraction_plan *whole, const tune_machine *machine,
                                 tune_contraction_split *out_split) {
  const tune_nest *anchor = whole->anchor;
  // Upstream splits dimensions that are a loop and nothing more.
  if (machine->threads <= 1 || whole->has_window || whole->dynamic_rows ||
      anchor->loop_count != 3 || anchor->operands[2].rank != 2 || !tune_nest_is_plain(anchor))
    return false;
  int64_t parts = count_parts(whole->depths, (int64_t)machine->threads);
  int64_t products = whole->rows * whole->cols * whole->depths;
  bool is_deep = whole->depths >= 4 * whole->rows && whole->depths >= 4 * whole->cols;
  bool has_tiles = has_tile_for_each(whole, machine);
  if (parts == 1 || products < LEAST_PRODUCTS || (has_tiles && !is_deep))
    return false;
  bool is_made = tune_contraction_split_into(whole, parts, machine, out_split);
  out_split->is_default = !has_tiles;
  return is_made;
}

//===--------------------------------------------------------------------------===//
// The schedule
//===--------------------------------------------------------------------------===//

// Knobs have the values that suit the whole. That of `kc` is said where the depth is split again.
static void write_constraints(const tune_contraction_split *split, tune_writer *w) {
  const tune_contraction_plan *whole = split->whole;
  if (whole->mr.values[0] == 1)
    tune_writer_constraint(w, "register tiles of one row are not for a batch of parts", "mr > 1");
  tune_contraction_write_divisor("kr", split->plan.depths,
                                 "unrolled steps divide what a thread has of the depth", w);
}

// What adds the parts up is worth the threads, too.
static bool is_parallel(const tune_contraction_split *split) {
  return split->whole->rows * split->whole->cols * split->parts >= LEAST_SUMS;
}

// One row after the other of `root`, whose loops are `count`. Binds %sum_root and %sum_rows.
static void write_row_loop(const tune_contraction_split *split, tune_writer *w, const char *root,
                           size_t row, size_t count) {
  tune_tiling one = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char sizes[64];
  one.size[row] = "1";
  tune_writer_identity_order(order, count);
  if (is_parallel(split))
    tune_writer_line(w,
                     "%%sum_root, %%sum_rows = transform.structured.tile_using_forall %s "
                     "tile_sizes %s : (" OP ") -> (" OP ", " OP ")",
                     root, tune_writer_sizes(sizes, sizeof sizes, &one, order, count));
  else
    tune_writer_tile(w, "%sum_root", "%sum_rows", root, &one, order, count, NULL);
}

// What starts the sums of the whole, in the row's loop `loop`, or ahead of it (NULL).
static void write_start(const tune_contraction_plan *whole, tune_writer *w, const char *loop,
                        const tune_tiling *tiling) {
  static const size_t order[] = {0, 1};
  const char *start = "%whole_init";
  if (loop) {
    tune_writer_fuse_into(w, "%sum_start", start, loop, "%sum_rows_2");
    start = "%sum_start";
  }
  if (whole->starts_filled) {
    tune_writer_line(w, "%%sum_first = transform.structured.generalize %s : (" OP ") -> " OP,
                     start);
    start = "%sum_first";
  }
  tune_writer_tile(w, "%sum_starts", "%sum_start_loops", start, tiling, order, 2, NULL);
}

// Adds the parts up, row by row and vector by vector, from what starts the whole to what follows
// it. Columns that fill no vectors are left to LLVM.
static void write_sums(const tune_contraction_split *split, tune_writer *w) {
  const tune_contraction_plan *whole = split->whole;
  const char *columns = whole->cols_divide ? "%nr" : "1", *loop = "%sum_rows";
  static const size_t order[] = {0, 1, 2};
  tune_tiling last = {{0}}, part = {{0}}, start = {{0}};
  // Loops are those of the result, whose last dimension the columns are; before them the part.
  part.size[0] = "1";
  part.size[2] = columns;
  start.size[0] = "1";
  start.size[1] = columns;
  if (whole->epilogue) {
    write_row_loop(split, w, "%epilogue", whole->root_row, 2);
    tune_writer_fuse_into(w, "%sum_parts", "%sum", loop, "%sum_rows_1");
    loop = "%sum_rows_1";
    last.size[whole->root_col] = columns;
    tune_writer_tile(w, "%sum_last", "%sum_last_loops", "%sum_root", &last, order, 2, NULL);
  } else {
    write_row_loop(split, w, "%sum", 1, 3);
    // Upstream fuses what a loop begins with into parallel loops only.
    if (!is_parallel(split))
      loop = NULL;
  }
  if (whole->init)
    write_start(whole, w, loop, &start);
  tune_writer_tile(w, "%sum_part", "%sum_part_loops", whole->epilogue ? "%sum_parts" : "%sum_root",
                   &part, order, 3, "[2, 0, 1]");
}

void tune_contraction_split_write_parts(const tune_contraction_split *split, tune_writer *w) {
  tune_writer_line(w, "%%no_sums, %%init, %%anchor, %%sum = transform.structured.split_reduction "
                      "%%whole");
  tune_writer_line(w,
                   "  {split_factor = %" PRId64 ", insert_split_dimension = 0} : (" OP ") -> (" OP
                   ", " OP ", " OP ", " OP ")",
                   split->parts);
}

void tune_contraction_split_write(const tune_contraction_split *split, tune_writer *w) {
  write_constraints(split, w);
  tune_contraction_split_write_parts(split, w);
  tune_writer_line(w, "transform.annotate %%init \"tune.init\" : " OP);
  write_sums(split, w);
}
