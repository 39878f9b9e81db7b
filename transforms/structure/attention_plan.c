//===- attention_plan.c -------------------------------------------------------===//

#include "transforms/structure/attention_plan.h"

#include <string.h>

// The only loop of kind `is_reduction` in operands `has` and `also` and not in operand `lacks`;
// TUNE_NO_LOOP where there is none or several.
static size_t find_loop(const tune_nest *nest, bool is_reduction, size_t has, size_t also,
                        size_t lacks) {
  size_t found = TUNE_NO_LOOP;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (nest->is_reduction[loop] != is_reduction ||
        tune_operand_find_loop(&nest->operands[has], loop) == SIZE_MAX ||
        tune_operand_find_loop(&nest->operands[also], loop) == SIZE_MAX ||
        tune_operand_find_loop(&nest->operands[lacks], loop) != SIZE_MAX)
      continue;
    if (found != TUNE_NO_LOOP)
      return TUNE_NO_LOOP;
    found = loop;
  }
  return found;
}

// The loops of nest `n` as those of a product with rows on the left.
static bool read_product(const tune_structure *structure, size_t n, size_t left,
                         tune_attention_product *out) {
  const tune_nest *nest = &structure->nests[n];
  *out = (tune_attention_product){.nest = n, .left = left, .right = 1 - left};
  if (nest->loop_count < 3 || nest->reduction_count != 1 || !tune_nest_is_plain(nest))
    return false;
  out->row = find_loop(nest, false, left, 2, 1 - left);
  out->col = find_loop(nest, false, 1 - left, 2, left);
  out->depth = find_loop(nest, true, left, 1 - left, 2);
  if (out->row == TUNE_NO_LOOP || out->col == TUNE_NO_LOOP || out->depth == TUNE_NO_LOOP)
    return false;
  size_t count = 0;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (loop == out->row || loop == out->col || loop == out->depth)
      continue;
    for (size_t o = 0; o < 3; o++)
      if (tune_operand_find_loop(&nest->operands[o], loop) == SIZE_MAX)
        return false;
    out->order[count++] = loop;
  }
  out->order[count++] = out->row;
  out->order[count++] = out->col;
  out->order[count++] = out->depth;
  return true;
}

// Ops on elements may read masks of other types, and what nothing uses in here may be rounded.
// Products may widen what they are given.
static bool is_f32(const tune_nest *nest) {
  for (size_t o = 0; o < nest->operand_count; o++) {
    bool is_on_elements = nest->reduction_count == 0,
         is_mask = o < nest->input_count && nest->operands[o].producer == TUNE_NO_LOOP,
         is_result = o >= nest->input_count && nest->use_count == 0,
         is_factor = nest->multiplies_and_adds && is_mask &&
                     tune_operand_register_bits(&nest->operands[o]) > nest->operands[o].bits;
    if (strcmp(nest->operands[o].type, "f32") != 0 && !is_factor &&
        !(is_on_elements && (is_mask || is_result)))
      return false;
  }
  return nest->dead_results == 0;
}

// Whether dimension i of `operand` is loop i, for the first `count` dimensions and no more.
static bool is_identity(const tune_operand *operand, size_t count) {
  bool is = operand->rank == count;
  for (size_t d = 0; d < count && is; d++)
    is = tune_operand_is_loop(operand, d, d);
  return is;
}

// An op over the lines of the scores: elementwise, or a reduction along them. What is made inside
// it reads as it lies: scores that are turned, or reduced along their rows, are no attention.
static bool is_line(const tune_attention_plan *p, const tune_nest *nest) {
  size_t loops = p->batch_count + 2;
  const tune_operand *output = &nest->operands[nest->input_count];
  if (nest->loop_count != loops || nest->operand_count != nest->input_count + 1)
    return false;
  for (size_t o = 0; o < nest->input_count; o++) {
    const tune_operand *operand = &nest->operands[o];
    if (!tune_operand_is_projection(operand) ||
        (operand->producer != TUNE_NO_LOOP && !is_identity(operand, loops) &&
         !is_identity(operand, loops - 1)))
      return false;
  }
  if (nest->reduction_count == 0)
    return is_identity(output, loops);
  return nest->reduction_count == 1 && nest->is_reduction[loops - 1] && nest->combines &&
         !nest->multiplies_and_adds && is_identity(output, loops - 1);
}

// Whether nest `n` only reads what comes from outside.
static bool is_source(const tune_structure *structure, size_t n) {
  const tune_nest *nest = &structure->nests[n];
  for (size_t o = 0; o < nest->input_count; o++)
    if (nest->operands[o].producer != TUNE_NO_LOOP)
      return false;
  return nest->kind == TUNE_NEST_GENERIC && nest->reduction_count == 0 && nest->use_count == 1 &&
         nest->operand_count == nest->input_count + 1 && !nest->has_index &&
         nest->math_op_count == 0;
}

// The fills that start the sums: one for both, where there are as many keys as columns.
static bool find_starts(const tune_structure *structure, tune_attention_plan *p) {
  p->score_start = structure->nests[p->scores.nest].operands[2].producer;
  p->result_start = structure->nests[p->product.nest].operands[2].producer;
  size_t uses = p->score_start == p->result_start ? 2 : 1;
  const size_t starts[] = {p->score_start, p->result_start};
  for (size_t i = 0; i < 2; i++)
    if (starts[i] == TUNE_NO_LOOP || structure->nests[starts[i]].kind != TUNE_NEST_FILL ||
        structure->nests[starts[i]].use_count != uses)
      return false;
  return true;
}

// The two products, by their bodies.
static bool find_products(const tune_structure *structure, size_t *out_first, size_t *out_second) {
  size_t count = 0, found[2] = {0, 0};
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    if (nest->kind != TUNE_NEST_FILL && nest->kind != TUNE_NEST_GENERIC)
      return false;
    if (!is_f32(nest))
      return false;
    if (nest->multiplies_and_adds && count++ < 2)
      found[count - 1] = n;
  }
  *out_first = found[0];
  *out_second = found[1];
  return count == 2;
}

// What follows the product: nothing, or one elementwise op over its result.
static bool find_root(const tune_structure *structure, tune_attention_plan *p) {
  const tune_nest *product = &structure->nests[p->product.nest];
  p->root = p->product.nest;
  if (product->use_count == 0) {
    memcpy(p->root_loops, p->product.order, sizeof p->root_loops);
    return true;
  }
  p->root = structure->nest_count - 1;
  const tune_nest *root = &structure->nests[p->root];
  if (product->use_count != 1 || product->is_returned || p->root == p->product.nest ||
      root->kind != TUNE_NEST_GENERIC || root->reduction_count || root->operand_count < 2 ||
      root->operand_count != root->input_count + 1 || root->loop_count != p->batch_count + 2)
    return false;
  for (size_t o = 0; o < root->input_count; o++) {
    const tune_operand *operand = &root->operands[o];
    if (!tune_operand_is_projection(operand))
      return false;
    if (operand->producer == TUNE_NO_LOOP)
      continue;
    if (operand->producer != p->product.nest || operand->rank != root->loop_count)
      return false;
    // Dimension d of what the product makes is one of its loops, and one of the root's.
    for (size_t i = 0; i < root->loop_count; i++) {
      size_t dimension = tune_operand_find_loop(&product->operands[2], p->product.order[i]);
      p->root_loops[i] = TUNE_NO_LOOP;
      for (size_t loop = 0; loop < root->loop_count; loop++)
        if (tune_operand_is_loop(operand, dimension, loop))
          p->root_loops[i] = loop;
      if (p->root_loops[i] == TUNE_NO_LOOP)
        return false;
    }
  }
  const tune_operand *output = &root->operands[root->input_count];
  return output->rank == root->loop_count;
}

// Everything else is a line, between the scores and the weights.
static bool check_lines(const tune_structure *structure, tune_attention_plan *p) {
  const tune_nest *scores = &structure->nests[p->scores.nest];
  p->finish = p->scores.nest;
  size_t reductions = 0;
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    p->math_count += nest->math_op_count;
    if (nest->is_returned && n != p->root)
      return false;
    if (nest->kind == TUNE_NEST_FILL || n == p->scores.nest || n == p->product.nest || n == p->root)
      continue;
    if (n < p->product.nest &&
        n == structure->nests[p->product.nest].operands[p->product.right].producer)
      continue;
    if (!is_line(p, nest))
      return false;
    if (nest->reduction_count && reductions++ == 0)
      p->extreme = n;
    for (size_t o = 0; o < nest->input_count && scores->use_count == 1; o++)
      if (nest->operands[o].producer == p->scores.nest && nest->reduction_count == 0)
        p->finish = n;
  }
  const tune_nest *finish = &structure->nests[p->finish];
  for (size_t o = 0; p->finish != p->scores.nest && o < finish->input_count; o++)
    if (finish->operands[o].producer != TUNE_NO_LOOP &&
        finish->operands[o].producer != p->scores.nest)
      return false;
  return reductions > 0 && p->finish != p->weights;
}

static bool sizes_fit(const tune_structure *structure, tune_attention_plan *p) {
  const tune_nest *scores = &structure->nests[p->scores.nest];
  const tune_nest *product = &structure->nests[p->product.nest];
  p->rows = scores->extent[p->scores.row];
  p->keys = scores->extent[p->scores.col];
  p->width = scores->extent[p->scores.depth];
  p->cols = product->extent[p->product.col];
  p->batches = 1;
  for (size_t i = 0; i < p->batch_count; i++)
    p->batches *= scores->extent[p->scores.order[i]];
  return product->extent[p->product.row] == p->rows &&
         product->extent[p->product.depth] == p->keys && p->rows >= 16 && p->rows % 4 == 0 &&
         p->keys % 16 == 0 && p->keys >= 32 && p->width % 16 == 0 && p->cols % 16 == 0;
}

bool tune_attention_plan_make(const tune_structure *structure, tune_attention_plan *out_plan) {
  tune_attention_plan *p = out_plan;
  *p = (tune_attention_plan){.structure = structure};
  size_t first, second;
  if (!structure->is_regular || structure->is_dynamic || structure->is_empty ||
      structure->has_bits || !find_products(structure, &first, &second))
    return false;
  // Rows on the left as upstream lowers it to outer products.
  const tune_nest *scores = &structure->nests[first], *product = &structure->nests[second];
  p->weights = product->operands[0].producer;
  if (!read_product(structure, first, 0, &p->scores) ||
      !read_product(structure, second, 0, &p->product) || p->weights == TUNE_NO_LOOP ||
      scores->loop_count != product->loop_count)
    return false;
  p->batch_count = scores->loop_count - 3;
  const tune_nest *weights = &structure->nests[p->weights];
  size_t source = product->operands[1].producer;
  if (weights->use_count != 1 || weights->reduction_count ||
      (source != TUNE_NO_LOOP && !is_source(structure, source)) ||
      scores->operands[0].producer != TUNE_NO_LOOP || scores->operands[1].producer != TUNE_NO_LOOP)
    return false;
  // The scores lie as batches, rows, keys, and the weights do.
  for (size_t i = 0; i < p->batch_count + 2; i++)
    if (!tune_operand_is_loop(&scores->operands[2], i, p->scores.order[i]))
      return false;
  for (size_t i = 0; i < p->batch_count + 1; i++)
    if (!tune_operand_is_loop(&product->operands[0], i, p->product.order[i]))
      return false;
  const tune_operand *keys = &scores->operands[1], *values = &product->operands[1];
  p->has_turned_keys = !tune_operand_is_loop(keys, keys->rank - 1, p->scores.col);
  p->has_turned_values = !tune_operand_is_loop(values, values->rank - 1, p->product.col);
  return find_starts(structure, p) && find_root(structure, p) && check_lines(structure, p) &&
         sizes_fit(structure, p);
}
