//===- reduction_plan.c -------------------------------------------------------===//

#include "transforms/rules/reduction/reduction_plan.h"

#define MAX_REMADE_NESTS 32

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

static bool has_projections_only(const tune_nest *nest) {
  for (size_t o = 0; o < nest->operand_count; o++)
    if (!tune_operand_is_projection(&nest->operands[o]))
      return false;
  return true;
}

// One result, whose partial results can be made apart and combined.
static bool is_plain_reduction(const tune_nest *nest) {
  return nest->reduction_count > 0 && nest->operand_count == nest->input_count + 1 &&
         nest->combines && has_projections_only(nest);
}

// Takes the reductions of `nest` for the line, or compares them with it.
static bool take_line(const tune_nest *nest, tune_reduction_plan *p) {
  size_t count = 0;
  bool is_first = p->line_count == 0;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (!nest->is_reduction[loop])
      continue;
    int64_t extent = nest->extent[loop];
    if (extent == TUNE_DYNAMIC_EXTENT || (!is_first && p->line[count] != extent))
      return false;
    p->line[count++] = extent;
  }
  if (is_first)
    p->line_count = count;
  return p->line_count == count;
}

// The loop of the line that some input is contiguous along, or TUNE_NO_LOOP.
static size_t find_contiguous(const tune_nest *nest, size_t line_count) {
  for (size_t o = 0; o < nest->input_count; o++) {
    size_t loop = tune_operand_contiguous_loop(nest, &nest->operands[o]);
    if (nest->operands[o].rank < line_count || loop == TUNE_NO_LOOP || !nest->is_reduction[loop])
      continue;
    size_t index = 0;
    for (size_t before = 0; before < loop; before++)
      index += nest->is_reduction[before];
    return index;
  }
  return TUNE_NO_LOOP;
}

// Whether no input that the reduction runs through is contiguous along another loop, as the second
// operand of a matrix product is.
static bool reads_on_end(const tune_nest *nest) {
  for (size_t o = 0; o < nest->input_count; o++) {
    const tune_operand *input = &nest->operands[o];
    size_t contiguous = tune_operand_contiguous_loop(nest, input);
    bool is_reduced = false;
    for (size_t loop = 0; loop < nest->loop_count; loop++)
      is_reduced |= nest->is_reduction[loop] && tune_operand_coefficient(input, loop) != 0;
    if (is_reduced && (contiguous == TUNE_NO_LOOP || !nest->is_reduction[contiguous]))
      return false;
  }
  return true;
}

// A chain of ops over the same leading rows.
static bool plan_chain(const tune_structure *structure, tune_reduction_plan *p) {
  p->row_count = SIZE_MAX;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind == TUNE_NEST_GENERIC && nest->reduction_count &&
        nest->loop_count - nest->reduction_count < p->row_count)
      p->row_count = nest->loop_count - nest->reduction_count;
  }
  if (!rows_agree(structure, p->row_count))
    return false;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind != TUNE_NEST_GENERIC || nest->reduction_count == 0)
      continue;
    for (size_t row = 0; row < p->row_count; row++)
      if (nest->is_reduction[row])
        return false;
    if (nest->loop_count - nest->reduction_count != p->row_count || !is_plain_reduction(nest) ||
        !take_line(nest, p) || !reads_on_end(nest))
      return false;
    p->along = find_contiguous(nest, p->line_count);
    if (p->along == TUNE_NO_LOOP)
      return false;
  }
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    if (nest->loop_count != p->row_count && nest->loop_count != p->row_count + p->line_count &&
        (p->line_count > 1 || nest->loop_count > p->row_count))
      return false;
    for (size_t i = p->row_count; i < nest->loop_count; i++)
      if (nest->extent[i] == TUNE_DYNAMIC_EXTENT)
        return false;
  }
  for (size_t row = 0; row < p->row_count; row++)
    p->is_row[row] = true;
  return true;
}

// One reduction and nothing around it: its rows may be any of its loops.
static bool plan_rows_anywhere(tune_reduction_plan *p) {
  if (!is_plain_reduction(p->root) || !take_line(p->root, p))
    return false;
  for (size_t loop = 0; loop < p->root->loop_count; loop++) {
    p->is_row[loop] = !p->root->is_reduction[loop];
    p->row_count += p->is_row[loop];
  }
  p->along = find_contiguous(p->root, p->line_count);
  return p->along != TUNE_NO_LOOP && reads_on_end(p->root);
}

// A step of plain arithmetic on one number of an input's line and on what belongs to its row.
static bool is_cheap(const tune_nest *nest, const tune_reduction_plan *p) {
  size_t from_lines = 0;
  if (nest->kind != TUNE_NEST_GENERIC || nest->reduction_count || nest->math_op_count ||
      nest->is_returned || nest->use_count < 2 || nest->loop_count != p->row_count + 1 ||
      nest->operand_count != nest->input_count + 1)
    return false;
  for (size_t o = 0; o < nest->input_count; o++) {
    const tune_operand *input = &nest->operands[o];
    if (tune_operand_coefficient(input, p->row_count) == 0)
      continue;
    from_lines++;
    if (input->producer != TUNE_NO_LOOP ||
        tune_operand_contiguous_loop(nest, input) != p->row_count)
      return false;
  }
  return from_lines == 1;
}

static bool uses(const tune_nest *nest, size_t producer) {
  for (size_t o = 0; o < nest->input_count; o++)
    if (nest->operands[o].producer == producer)
      return true;
  return false;
}

// Looks for p->remade, where ops can be told apart by their order once their rows are tiled: all
// other ops over lines and one reduction, the last, come after it.
static void find_remade(const tune_structure *structure, tune_reduction_plan *p) {
  bool is_after[MAX_REMADE_NESTS] = {false};
  if (p->line_count != 1 || p->row_count == 0 || p->line[0] % p->lanes ||
      structure->nest_count > MAX_REMADE_NESTS)
    return;
  size_t found = TUNE_NO_LOOP, reduction = TUNE_NO_LOOP;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    bool is_line = nest->kind == TUNE_NEST_GENERIC && nest->loop_count > p->row_count;
    for (size_t o = 0; o < nest->input_count; o++) {
      size_t producer = nest->operands[o].producer;
      is_after[n] |= producer != TUNE_NO_LOOP && (producer == found || is_after[producer]);
    }
    if (is_line && found == TUNE_NO_LOOP && is_cheap(nest, p)) {
      found = n;
    } else if (is_line && nest->reduction_count && is_after[n]) {
      if (reduction != TUNE_NO_LOOP || !uses(nest, found))
        return;
      reduction = n;
    } else if (is_line && (nest->reduction_count ? found != TUNE_NO_LOOP : !is_after[n])) {
      return;
    }
  }
  if (found == TUNE_NO_LOOP || reduction == TUNE_NO_LOOP)
    return;
  p->remade = found;
  p->remade_reduction = reduction;
}

// A line whose loops of one step are gone after the rows are taken off would look like another.
static bool plan_rows(const tune_structure *structure, tune_reduction_plan *p) {
  p->shape = TUNE_REDUCTION_ROWS;
  if (!(p->generic_count == 1 ? plan_rows_anywhere(p) : plan_chain(structure, p)))
    return false;
  for (size_t i = 0; i < p->line_count; i++)
    if (p->line[i] < 2)
      return false;
  find_remade(structure, p);
  return true;
}

// One reduction with one parallel loop.
static bool plan_block(tune_reduction_plan *p) {
  const tune_nest *nest = p->root;
  if (p->generic_count != 1 || nest->loop_count != 2 || nest->reduction_count != 1 ||
      !is_plain_reduction(nest))
    return false;
  size_t reduction = nest->is_reduction[0] ? 0 : 1, parallel = 1 - reduction;
  bool along = false;
  for (size_t o = 0; o < nest->input_count; o++)
    if (nest->operands[o].rank == 2)
      along |= tune_operand_contiguous_loop(nest, &nest->operands[o]) == reduction;
  int64_t length = nest->extent[reduction], columns = nest->extent[parallel];
  if (length == TUNE_DYNAMIC_EXTENT || columns == TUNE_DYNAMIC_EXTENT)
    return false;
  if (along && (columns % 2 || length % p->lanes || parallel != 0))
    return false;
  if (!along && columns % p->lanes)
    return false;
  p->shape = along ? TUNE_REDUCTION_ROW_BLOCK : TUNE_REDUCTION_COLUMNS;
  p->column = parallel;
  p->columns = columns;
  return take_line(nest, p);
}

bool tune_reduction_plan_make(const tune_structure *structure, const tune_machine *machine,
                              tune_reduction_plan *out_plan) {
  tune_reduction_plan p = {.remade = TUNE_NO_LOOP, .remade_reduction = TUNE_NO_LOOP};
  if (!structure->is_regular)
    return false;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind == TUNE_NEST_NAMED || nest->kind == TUNE_NEST_PAD || nest->has_index)
      return false;
    p.math += nest->math_op_count;
    p.reduction_count += nest->reduction_count > 0;
    if (nest->kind != TUNE_NEST_GENERIC)
      continue;
    p.generic_count++;
    p.root = nest;
  }
  if (!p.reduction_count || !p.root || p.root->use_count)
    return false;
  unsigned bits = p.root->operands[p.root->input_count].bits;
  p.lanes = bits ? machine->vector_bits / bits : 0;
  if (p.lanes < 2)
    return false;
  *out_plan = p;
  if (plan_block(out_plan))
    return true;
  *out_plan = p;
  return plan_rows(structure, out_plan);
}
