//===- general_rows.c ---------------------------------------------------------===//

#include "transforms/rules/reduction/general_rows.h"

#include <stdio.h>

#define OP "!transform.any_op"

enum {
  MOST_AT_ONCE = 32,
  FEW_ELEMENTS = 512,   // are done at once by default: fewer are over before loops have begun
  LEAST_ELEMENTS = 32,  // of a row, for vectors
  MANY_ELEMENTS = 8192, // of which one loop of rows more is taken off
};

// Whether the first `count` dimensions of `operand` are the first loops, as they come.
static bool begins_with_rows(const tune_operand *operand, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (operand->rank <= i || !tune_operand_is_loop(operand, i, i))
      return false;
  return true;
}

// Whether `nest` takes what others of the task make, and makes its own, by the same rows.
static bool has_rows(const tune_nest *nest, size_t count) {
  if (nest->kind == TUNE_NEST_FILL)
    return true;
  for (size_t i = 0; i < count; i++)
    if (nest->kind == TUNE_NEST_PAD ? nest->pad_low[i] != 0 || nest->pad_high[i] != 0
                                    : i >= nest->loop_count || nest->is_reduction[i])
      return false;
  for (size_t o = 0; nest->kind == TUNE_NEST_GENERIC && o < nest->operand_count; o++)
    if ((nest->operands[o].producer != TUNE_NO_LOOP || o >= nest->input_count) &&
        !begins_with_rows(&nest->operands[o], count))
      return false;
  return true;
}

static bool have_rows(const tune_structure *structure, size_t count) {
  for (size_t n = 0; n < structure->nest_count; n++)
    if (!has_rows(&structure->nests[n], count))
      return false;
  return true;
}

// Ops of one result, of which the last alone goes out of the task.
static bool find_root(const tune_structure *structure, tune_general_rows *rows) {
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind == TUNE_NEST_NAMED || nest->has_index)
      return false;
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    if (nest->operand_count != nest->input_count + 1 || (rows->root && rows->root->is_returned))
      return false;
    rows->root = nest;
    rows->generic_count++;
  }
  return rows->root && rows->root->use_count == 0;
}

// What starts sums is no op that hands something on.
static bool is_chain(const tune_structure *structure) {
  size_t count = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    count += structure->nests[n].kind != TUNE_NEST_FILL;
  return count > 1;
}

// Of more than int64_t holds, the most that it does.
static int64_t count_elements(const tune_nest *nest, size_t first_loop) {
  int64_t elements = 1;
  for (size_t i = first_loop; i < nest->loop_count; i++)
    if (__builtin_mul_overflow(elements, nest->extent[i], &elements))
      return INT64_MAX;
  return elements;
}

bool tune_general_rows_make(const tune_structure *structure, tune_general_rows *out_rows) {
  tune_general_rows rows = {.root = NULL};
  if (!structure->is_regular || structure->is_dynamic || structure->is_empty ||
      structure->has_bits || !is_chain(structure) || !find_root(structure, &rows))
    return false;
  const tune_nest *root = rows.root;
  while (have_rows(structure, rows.row_loops + 1) &&
         count_elements(root, rows.row_loops + 1) >= LEAST_ELEMENTS &&
         (rows.row_loops == 0 || count_elements(root, rows.row_loops) > MANY_ELEMENTS))
    rows.row_loops++;
  if (rows.row_loops == 0)
    return false;
  int64_t elements = count_elements(root, rows.row_loops),
          extent = root->extent[rows.row_loops - 1];
  rows.default_count = 1;
  for (int64_t count = 1; count <= MOST_AT_ONCE && count <= extent; count *= 2) {
    if (extent % count)
      break;
    tune_value_set_add(&rows.counts, count);
    if (count <= FEW_ELEMENTS / elements)
      rows.default_count = count;
  }
  *out_rows = rows;
  return rows.counts.count > 0;
}

void tune_general_rows_write(const tune_general_rows *rows, const tune_machine *machine,
                             tune_writer *w) {
  char sizes[128], types[320], names[256];
  size_t order[TUNE_MAX_LOOPS], used = 0;
  tune_tiling tiling = {{0}};
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  for (size_t i = 0; i < rows->row_loops; i++)
    tiling.size[i] = i + 1 < rows->row_loops ? "1" : "%rows_at_once";
  tune_writer_knob(w, "rows_at_once", "tile", TUNE_LEVEL_LINALG, &rows->counts,
                   rows->default_count);
  tune_writer_line(w, "%%ops = transform.structured.match ops{[\"linalg.generic\"]} in %%func");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  for (size_t i = 0; i + 1 < rows->generic_count && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%%before_%zu, ", i);
  if (rows->generic_count > 1)
    tune_writer_line(w, "%s%%last = transform.split_handle %%ops : (" OP ") -> (%s)", names,
                     tune_writer_types(types, sizeof types, rows->generic_count));
  else
    tune_writer_line(w, "%%last = transform.merge_handles %%ops : " OP);
  bool is_parallel = machine->threads > 1;
  size_t loops = is_parallel ? 1 : rows->row_loops;
  tune_writer_line(
      w, "%%of_rows, %%row_loops:%zu = transform.structured.fuse %%last tile_sizes %s%s", loops,
      tune_writer_sizes(sizes, sizeof sizes, &tiling, order, rows->root->loop_count),
      is_parallel ? " {use_forall}" : "");
  tune_writer_line(w, "  : (" OP ", !transform.param<i64>) -> (%s)",
                   tune_writer_types(types, sizeof types, loops + 1));
  tune_writer_cleanup(w);
}
