//===- reduction.c - The space of reductions and of chains over rows -----------------===//
//
// Three shapes of work:
//  - rows: every op works on the same rows (softmax, norms, row sums): one loop over rows
//    with all ops fused, partial results in vectors (upstream's tile_reduction_using_for);
//  - row blocks: one reduction along the contiguous loop, several rows at a time, which
//    share what does not depend on the row (a matrix-vector product);
//  - columns: the reduction runs across the contiguous loop: vectors of columns, with
//    several steps of the reduction in one pass.
//
// Partial results reorder floating-point sums; the check's tolerance knows the length.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/rule.h"

#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

typedef enum shape { SHAPE_ROWS, SHAPE_ROW_BLOCK, SHAPE_COLUMNS } shape;

typedef struct plan {
  shape shape;
  const tune_nest *root;
  size_t generic_count;
  size_t row_loops; // leading loops of every op that are rows
  int64_t length;   // of a row (rows), or extent of the reduction
  int64_t columns;  // extent of the parallel loop that becomes vectors or row blocks
  unsigned lanes;
  size_t math;
} plan;

// Whether every op indexes what other ops of the task make by the same leading row loops.
static bool rows_agree(const tune_structure *structure, size_t rows) {
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    for (size_t o = 0; o < nest->operand_count; o++) {
      const tune_operand *operand = &nest->operands[o];
      if (operand->producer == TUNE_NO_LOOP && o < nest->input_count)
        continue;
      for (size_t i = 0; i < rows; i++)
        if (operand->rank <= i || !tune_operand_is_loop(operand, i, i))
          return false;
    }
  }
  return true;
}

static bool is_row_reduction(const tune_nest *nest, size_t rows) {
  if (nest->loop_count != rows + 1 || !nest->is_reduction[rows] || nest->reduction_count != 1)
    return false;
  for (size_t o = 0; o < nest->operand_count; o++)
    if (!tune_operand_is_projection(&nest->operands[o]))
      return false;
  return nest->operand_count == nest->input_count + 1;
}

static bool plan_rows(const tune_structure *structure, plan *p) {
  p->row_loops = SIZE_MAX;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind == TUNE_NEST_GENERIC && nest->reduction_count &&
        nest->loop_count - nest->reduction_count < p->row_loops)
      p->row_loops = nest->loop_count - nest->reduction_count;
  }
  if (p->row_loops == SIZE_MAX || !rows_agree(structure, p->row_loops))
    return false;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    if (nest->loop_count > p->row_loops + 1)
      return false;
    if (nest->reduction_count && !is_row_reduction(nest, p->row_loops))
      return false;
    if (nest->reduction_count) {
      if (p->length && p->length != nest->extent[p->row_loops])
        return false;
      p->length = nest->extent[p->row_loops];
    }
  }
  return p->length > 1;
}

// One reduction with one parallel loop, and no other op than what starts it.
static bool plan_single(const tune_structure *structure, plan *p) {
  const tune_nest *nest = p->root;
  if (p->generic_count != 1 || nest->loop_count != 2 || nest->reduction_count != 1 ||
      nest->operand_count != nest->input_count + 1)
    return false;
  size_t reduction = nest->is_reduction[0] ? 0 : 1, parallel = 1 - reduction;
  bool along = false;
  for (size_t o = 0; o < nest->input_count; o++) {
    const tune_operand *input = &nest->operands[o];
    if (!tune_operand_is_projection(input))
      return false;
    if (input->rank == 2)
      along |= tune_operand_contiguous_loop(nest, input) == reduction;
  }
  p->length = nest->extent[reduction];
  p->columns = nest->extent[parallel];
  if (along && (p->columns % 2 || p->length % p->lanes || parallel != 0))
    return false;
  if (!along && p->columns % p->lanes)
    return false;
  p->shape = along ? SHAPE_ROW_BLOCK : SHAPE_COLUMNS;
  (void)structure;
  return true;
}

static bool make_plan(const tune_structure *structure, const tune_machine *machine, plan *p) {
  *p = (plan){.shape = SHAPE_ROWS};
  if (structure->is_dynamic || !structure->is_regular)
    return false;
  size_t reductions = 0;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind == TUNE_NEST_NAMED || nest->kind == TUNE_NEST_PAD || nest->has_index)
      return false;
    p->math += nest->math_op_count;
    reductions += nest->reduction_count > 0;
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    p->generic_count++;
    p->root = nest;
  }
  if (!reductions || !p->root || p->root->use_count)
    return false;
  unsigned bits = p->root->operands[p->root->input_count].bits;
  p->lanes = bits ? machine->vector_bits / bits : 0;
  if (p->lanes < 2)
    return false;
  return plan_single(structure, p) || plan_rows(structure, p);
}

static bool reduction_applies(const tune_structure *structure, const tune_machine *machine) {
  plan p;
  return make_plan(structure, machine, &p);
}

//===--------------------------------------------------------------------------===//
// Rows
//===--------------------------------------------------------------------------===//

static void split_root(const plan *p, tune_writer *w) {
  tune_writer_line(w,
                   "%%generics = transform.structured.match ops{[\"linalg.generic\"]} in %%func");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_string_builder names;
  tune_string_builder_init(&names);
  for (size_t i = 0; i + 1 < p->generic_count; i++)
    tune_string_builder_appendf(&names, "%%op%zu, ", i);
  char types[2048];
  if (p->generic_count > 1)
    tune_writer_line(w, "%s%%root = transform.split_handle %%generics : (" OP ") -> (%s)",
                     names.text, tune_writer_types(types, sizeof types, p->generic_count));
  else
    tune_writer_line(w, "%%root = transform.merge_handles %%generics : " OP);
  tune_string_builder_deinit(&names);
}

static void vector_lengths(const plan *p, tune_value_set *set, int64_t most) {
  for (int64_t count = 1; count <= most; count *= 2)
    if (p->length % (count * p->lanes) == 0)
      tune_value_set_add(set, count * p->lanes);
}

// Splits the reductions `match` into partial results in vectors. The length of a partial result is
// an attribute upstream, not a param: a region for each length. `before` are the tile sizes before
// it.
static void write_partials(tune_writer *w, const char *match, const char *before,
                           const tune_value_set *lengths, int64_t default_length) {
  char labels[256] = "";
  size_t used = 0;
  int64_t default_index = 0;
  for (size_t i = 0; i < lengths->count; i++) {
    used += (size_t)snprintf(labels + used, sizeof labels - used, "%s\"of_%lld\"", i ? ", " : "",
                             (long long)lengths->values[i]);
    if (lengths->values[i] == default_length)
      default_index = (int64_t)i;
  }
  tune_writer_begin_alternatives(w, NULL, "partial", TUNE_LEVEL_VECTOR, labels, default_index, 0);
  for (size_t i = 0; i < lengths->count; i++) {
    if (i)
      tune_writer_next_alternative(w, NULL, 0);
    tune_writer_begin_foreach(w, match, "%reduction");
    tune_writer_line(w, "%%start, %%part, %%whole, %%part_loop =");
    tune_writer_line(w,
                     "  transform.structured.tile_reduction_using_for %%reduction by "
                     "tile_sizes = [%s%lld]",
                     before, (long long)lengths->values[i]);
    tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ", " OP ", " OP ")");
    tune_writer_end_foreach(w);
  }
  tune_writer_end_alternatives(w, NULL, 0);
}

static void write_row_loop(const plan *p, tune_writer *w) {
  tune_tiling rows = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++) {
    order[i] = i;
    if (i < p->row_loops)
      rows.size[i] = "1";
  }
  char sizes[128];
  tune_writer_line(w,
                   "%%row, %%row_loop = transform.structured.fuse %%root tile_sizes %s "
                   "{use_forall}",
                   tune_writer_sizes(sizes, sizeof sizes, &rows, order, p->root->loop_count));
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
}

static void write_rows(const plan *p, tune_writer *w) {
  tune_value_set partial = {0}, plain = {0};
  vector_lengths(p, &partial, 8);
  // Whole vectors, or one of the row's length: a vector longer than its row is masked all over, and
  // such a write cannot always be done in place.
  for (int64_t count = 1; count <= 4; count *= 2)
    if (count * p->lanes <= p->length)
      tune_value_set_add(&plain, count * p->lanes);
  if (plain.count == 0)
    tune_value_set_add(&plain, p->length);
  tune_writer_knob(w, "vector", "vectorize", TUNE_LEVEL_VECTOR, &plain,
                   tune_value_set_at_most(&plain, 2 * p->lanes));
  split_root(p, w);
  // A single row, as in a norm of one token, needs no loop around it.
  if (p->row_loops > 0)
    write_row_loop(p, w);
  tune_writer_fold_unit_dims(w);
  // Elementwise ops first: the partial reductions below are elementwise ops too.
  tune_nest line = {.is_reduction = {false}}, sum = {.is_reduction = {true}};
  tune_writer_match_generic(w, "%lines", &line, NULL, 1, w->func);
  tune_writer_begin_foreach(w, "%lines", "%line");
  tune_writer_line(w, "%%step, %%steps = transform.structured.tile_using_for %%line "
                      "tile_sizes [%%vector]");
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  tune_writer_try_vectorize(w, "%step", "[%vector]");
  tune_writer_end_foreach(w);
  if (partial.count) {
    tune_writer_match_generic(w, "%sums", &sum, NULL, 1, w->func);
    write_partials(w, "%sums", "", &partial, tune_value_set_at_most(&partial, 4 * p->lanes));
  }
}

//===--------------------------------------------------------------------------===//
// Single reductions
//===--------------------------------------------------------------------------===//

static void write_row_block(const plan *p, tune_writer *w) {
  tune_value_set partial = {0}, rows = {0};
  vector_lengths(p, &partial, 4);
  for (int64_t count = 2; count <= 16; count *= 2)
    if (p->columns % count == 0)
      tune_value_set_add(&rows, count);
  tune_writer_knob(w, "rows", "tile", TUNE_LEVEL_LINALG, &rows, tune_value_set_at_most(&rows, 4));
  split_root(p, w);
  tune_writer_line(w, "%%block, %%block_loop = transform.structured.fuse %%root tile_sizes "
                      "[%%rows, 0] {use_forall}");
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  tune_writer_cleanup(w);
  tune_nest sum = {.is_reduction = {false, true}};
  tune_writer_match_generic(w, "%sums", &sum, NULL, 2, w->func);
  write_partials(w, "%sums", "0, ", &partial, tune_value_set_at_most(&partial, p->lanes));
}

static void write_columns(const plan *p, tune_writer *w) {
  tune_value_set columns = {0}, steps = {0};
  for (int64_t count = 1; count <= 8; count *= 2)
    if (p->columns % (count * p->lanes) == 0)
      tune_value_set_add(&columns, count * p->lanes);
  for (int64_t count = 1; count <= 16; count *= 2)
    if (p->length % count == 0)
      tune_value_set_add(&steps, count);
  bool reduction_first = p->root->is_reduction[0];
  tune_writer_knob(w, "columns", "vectorize", TUNE_LEVEL_VECTOR, &columns,
                   tune_value_set_at_most(&columns, 4 * p->lanes));
  tune_writer_knob(w, "steps", "unroll", TUNE_LEVEL_VECTOR, &steps,
                   tune_value_set_at_most(&steps, 4));
  split_root(p, w);
  tune_writer_line(w,
                   "%%block, %%block_loop = transform.structured.fuse %%root tile_sizes %s "
                   "{use_forall}",
                   reduction_first ? "[0, %columns]" : "[%columns, 0]");
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
  tune_writer_cleanup(w);
  tune_writer_match_generic(w, "%sums", p->root, NULL, 2, w->func);
  tune_writer_line(w,
                   "%%sum, %%sum_loop = transform.structured.tile_using_for %%sums "
                   "tile_sizes %s",
                   reduction_first ? "[%steps, 0]" : "[0, %steps]");
  tune_writer_line(w, "  : (" OP ", " PARAM ") -> (" OP ", " OP ")");
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

static void write_vectors(tune_writer *w) {
  tune_writer_cleanup(w);
  tune_writer_line(w, "%%linalg = transform.structured.match interface{LinalgOp} in %%func : (" OP
                      ") -> " OP);
  tune_writer_begin_foreach(w, "%linalg", "%each");
  tune_writer_try_vectorize(w, "%each", NULL);
  tune_writer_end_foreach(w);
}

static void reduction_write(const tune_structure *structure, const tune_machine *machine,
                            tune_writer *w) {
  plan p;
  if (!make_plan(structure, machine, &p))
    return;
  static const char *const comments[] = {
      [SHAPE_ROWS] = "rule 'reduction': all ops in one pass over the rows",
      [SHAPE_ROW_BLOCK] = "rule 'reduction': blocks of rows along the contiguous loop",
      [SHAPE_COLUMNS] = "rule 'reduction': columns in vectors, across the contiguous loop",
  };
  tune_writer_begin_tensors(w, comments[p.shape]);
  if (p.shape == SHAPE_ROWS)
    write_rows(&p, w);
  else if (p.shape == SHAPE_ROW_BLOCK)
    write_row_block(&p, w);
  else
    write_columns(&p, w);
  write_vectors(w);
  tune_writer_vector_cleanup(w, false);
  tune_writer_end_tensors(w);
  tune_writer_begin_buffers(w);
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.vector.drop_unit_dims_with_shape_cast");
  tune_writer_line(w, "} : " OP);
  tune_writer_lower_vectors(w);
  tune_writer_place_buffers(w);
  tune_writer_target_knobs(w, machine->vector_bits, p.math > 0);
  tune_writer_end_buffers(w);
  tune_writer_main(w);
}

const tune_rule tune_rule_reduction = {
    .name = "reduction",
    .summary = "reductions, softmax, norms, matrix-vector products",
    .applies = reduction_applies,
    .write = reduction_write,
};
