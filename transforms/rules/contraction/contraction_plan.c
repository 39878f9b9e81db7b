//===- contraction_plan.c -----------------------------------------------------===//

#include "transforms/rules/contraction/contraction_plan.h"

#include "transforms/rules/contraction/outer_tile.h"
#include "transforms/rules/contraction/register_tile.h"

//===--------------------------------------------------------------------------===//
// The ops
//===--------------------------------------------------------------------------===//

static bool is_parallel(const tune_nest *nest) {
  return nest->kind == TUNE_NEST_GENERIC && nest->reduction_count == 0;
}

static bool uses_result_of(const tune_nest *nest, size_t producer) {
  for (size_t o = 0; o < nest->operand_count; o++)
    if (nest->operands[o].producer == producer)
      return true;
  return false;
}

// Finds the anchor, what fills its accumulator, and what follows. Pads may stand before.
static bool find_ops(tune_contraction_plan *plan) {
  const tune_structure *structure = plan->structure;
  size_t anchor = TUNE_NO_LOOP;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->reduction_count == 0)
      continue;
    if (anchor != TUNE_NO_LOOP || !nest->multiplies_and_adds || nest->kind != TUNE_NEST_GENERIC)
      return false;
    anchor = n;
  }
  if (anchor == TUNE_NO_LOOP)
    return false;
  plan->anchor = &structure->nests[anchor];
  size_t init = plan->anchor->operands[2].producer;
  // What a layout has filled up with zeroes is there when the product begins.
  if (init != TUNE_NO_LOOP && structure->nests[init].kind != TUNE_NEST_PAD) {
    plan->init = &structure->nests[init];
    plan->starts_filled = plan->init->kind == TUNE_NEST_FILL;
    if (plan->init->use_count != 1 || (!plan->starts_filled && !is_parallel(plan->init)))
      return false;
  }
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (n == anchor || n == init || nest->kind == TUNE_NEST_PAD)
      continue;
    if (!is_parallel(nest))
      return false;
    if (!uses_result_of(nest, anchor)) {
      plan->other_count++;
      continue;
    }
    if (plan->epilogue)
      return false;
    plan->epilogue = nest;
  }
  // What depends on the epilogue would be a root of its own.
  if (plan->epilogue && plan->epilogue->use_count)
    return false;
  // Tiles of what is returned beside the end of the chain would be of use to that end alone.
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].is_returned && &structure->nests[n] != plan->anchor &&
        &structure->nests[n] != plan->epilogue)
      return false;
  if (plan->epilogue)
    return plan->anchor->use_count == 1 && !plan->anchor->is_returned;
  return plan->anchor->use_count == 0;
}

//===--------------------------------------------------------------------------===//
// The loops
//===--------------------------------------------------------------------------===//

static bool uses(const tune_operand *operand, size_t loop) {
  return tune_operand_coefficient(operand, loop) != 0;
}

// Nor backwards, as filters are read that are turned round.
static bool runs_along(const tune_operand *operand, size_t loop) {
  return tune_operand_coefficient(operand, loop) > 0;
}

static bool has_window(const tune_operand *operand) { return !tune_operand_is_projection(operand); }

// The innermost dimension of the output that indexes only A, not B.
static size_t find_row(const tune_contraction_plan *plan) {
  const tune_nest *nest = plan->anchor;
  const tune_operand *out = &nest->operands[2];
  for (size_t i = out->rank; i-- > 0;)
    for (size_t loop = 0; loop < nest->loop_count; loop++)
      if (tune_operand_is_loop(out, i, loop) && loop != plan->col &&
          runs_along(&nest->operands[plan->a], loop) && !uses(&nest->operands[plan->b], loop) &&
          nest->extent[loop] != 1)
        return loop;
  return TUNE_NO_LOOP;
}

// A reduction that indexes both operands alone, contiguous in one of them if there is such.
static size_t find_depth(const tune_contraction_plan *plan) {
  const tune_nest *nest = plan->anchor;
  const tune_operand *a = &nest->operands[plan->a], *b = &nest->operands[plan->b];
  size_t best = TUNE_NO_LOOP;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (!nest->is_reduction[loop] || tune_operand_find_loop(a, loop) == SIZE_MAX ||
        tune_operand_find_loop(b, loop) == SIZE_MAX || nest->extent[loop] == 1)
      continue;
    bool contiguous =
        tune_operand_is_loop(a, a->rank - 1, loop) || tune_operand_is_loop(b, b->rank - 1, loop);
    if (best == TUNE_NO_LOOP || contiguous || nest->extent[loop] > nest->extent[best])
      best = loop;
    if (contiguous)
      break;
  }
  return best;
}

static bool find_loops(tune_contraction_plan *plan, bool is_gpu) {
  const tune_nest *nest = plan->anchor;
  const tune_operand *out = &nest->operands[2];
  if (out->rank < 2 || !tune_operand_is_projection(out))
    return false;
  plan->col = tune_operand_contiguous_loop(nest, out);
  if (plan->col == TUNE_NO_LOOP)
    return false;
  bool in_first = uses(&nest->operands[0], plan->col),
       in_second = uses(&nest->operands[1], plan->col);
  if (in_first == in_second)
    return false;
  plan->b = in_first ? 0 : 1;
  plan->a = 1 - plan->b;
  const tune_operand *a = &nest->operands[plan->a], *b = &nest->operands[plan->b];
  plan->row = find_row(plan);
  plan->depth = find_depth(plan);
  if (plan->row == TUNE_NO_LOOP || plan->depth == TUNE_NO_LOOP)
    return false;
  plan->has_window = has_window(a) || has_window(b);
  plan->transposed = tune_operand_contiguous_loop(nest, b) != plan->col;
  if (plan->has_window && plan->transposed && !is_gpu)
    return false; // no panels are made of windows
  plan->strided_rows = tune_operand_coefficient(a, plan->row) != 1;
  plan->rows = nest->extent[plan->row];
  plan->cols = nest->extent[plan->col];
  plan->depths = nest->extent[plan->depth];
  plan->dynamic_rows = plan->rows == TUNE_DYNAMIC_EXTENT;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (nest->extent[loop] == TUNE_DYNAMIC_EXTENT && loop != plan->row)
      return false;
    if (nest->is_reduction[loop] && loop != plan->depth)
      plan->rest[plan->rest_count++] = loop;
  }
  return true;
}

// Where the anchor's rows and columns are among the loops of the epilogue.
static bool find_root_loops(tune_contraction_plan *plan) {
  const tune_nest *anchor = plan->anchor, *epilogue = plan->epilogue;
  plan->root_row = plan->row;
  plan->root_col = plan->col;
  plan->root_loop_count = anchor->loop_count;
  if (!epilogue)
    return true;
  plan->root_row = plan->root_col = TUNE_NO_LOOP;
  plan->root_loop_count = epilogue->loop_count;
  size_t uses_of_anchor = 0;
  for (size_t o = 0; o < epilogue->input_count; o++) {
    const tune_operand *operand = &epilogue->operands[o];
    if (operand->producer != (size_t)(anchor - plan->structure->nests))
      continue;
    uses_of_anchor++;
    if (!tune_operand_is_projection(operand) || operand->rank != epilogue->loop_count)
      return false;
    for (size_t i = 0; i < operand->rank; i++)
      for (size_t loop = 0; loop < epilogue->loop_count; loop++) {
        if (!tune_operand_is_loop(operand, i, loop))
          continue;
        if (tune_operand_is_loop(&anchor->operands[2], i, plan->row))
          plan->root_row = loop;
        if (tune_operand_is_loop(&anchor->operands[2], i, plan->col))
          plan->root_col = loop;
      }
  }
  return uses_of_anchor == 1 && plan->root_row != TUNE_NO_LOOP && plan->root_col != TUNE_NO_LOOP;
}

//===--- The plan -------------------------------------------------------------------------===//

bool tune_contraction_plan_make(const tune_structure *structure, const tune_machine *machine,
                                tune_contraction_plan *out_plan) {
  *out_plan = (tune_contraction_plan){.structure = structure};
  if (!structure->is_regular || !find_ops(out_plan) ||
      !find_loops(out_plan, machine->kind != TUNE_KIND_CPU) || !find_root_loops(out_plan))
    return false;
  // Rows known at run time only: of a plain product, where nothing changes the places of its loops.
  const tune_operand *out = &out_plan->anchor->operands[2];
  if (structure->is_dynamic &&
      !(out_plan->dynamic_rows && out_plan->anchor->loop_count == 3 && out_plan->other_count == 0 &&
        !out_plan->has_window && !out_plan->strided_rows &&
        tune_operand_is_loop(out, 0, out_plan->row) &&
        (!out_plan->epilogue || (out_plan->root_row == 0 && out_plan->root_loop_count == 2))))
    return false;
  out_plan->l2_bytes = machine->l2_bytes;
  out_plan->has_threads = machine->threads > 1;
  out_plan->lanes =
      machine->vector_bits / tune_operand_register_bits(&out_plan->anchor->operands[2]);
  if (out_plan->lanes < 2)
    return false;
  out_plan->can_pack_ahead = out_plan->anchor->operands[out_plan->b].is_constant &&
                             !out_plan->has_window && !out_plan->dynamic_rows;
  tune_contraction_choose_columns(out_plan, machine);
  if ((out_plan->has_window || out_plan->dynamic_rows) && !out_plan->cols_divide)
    return false;
  tune_contraction_widen_in_place(out_plan, machine);
  if (out_plan->dynamic_rows)
    tune_contraction_choose_dynamic_rows(out_plan, machine);
  else
    tune_contraction_choose_rows(out_plan, machine);
  if (out_plan->mr.count == 0)
    return false;
  tune_contraction_choose_depth(out_plan, machine);
  tune_contraction_choose_outer(out_plan, machine);
  return true;
}

double tune_contraction_part_filled(int64_t extent, int64_t lanes) {
  int64_t whole = (extent + lanes - 1) / lanes * lanes;
  return extent > 0 ? (double)extent / (double)whole : 1;
}
