//===- winograd_groups.c ------------------------------------------------------===//

#include "transforms/rules/conv/winograd_groups.h"

#define OP "!transform.any_op"

// The loop that all three operands have a dimension for.
static size_t find_group(const tune_nest *anchor) {
  for (size_t loop = 0; loop < anchor->loop_count; loop++) {
    size_t count = 0;
    for (size_t o = 0; o < 3; o++)
      for (size_t i = 0; i < anchor->operands[o].rank; i++)
        count += tune_operand_is_loop(&anchor->operands[o], i, loop);
    if (count == 3 && anchor->extent[loop] > 1)
      return loop;
  }
  return TUNE_NO_LOOP;
}

static void drop_dimension(tune_operand *operand, size_t dimension) {
  operand->rank--;
  for (size_t i = dimension; i < operand->rank; i++) {
    operand->shape[i] = operand->shape[i + 1];
    operand->index[i] = operand->index[i + 1];
  }
}

static void drop_loop(tune_nest *nest, size_t loop) {
  for (size_t o = 0; o < nest->operand_count; o++) {
    tune_operand *operand = &nest->operands[o];
    for (size_t i = operand->rank; i-- > 0;)
      if (tune_operand_is_loop(operand, i, loop))
        drop_dimension(operand, i);
    for (size_t i = 0; i < operand->rank; i++) {
      int64_t *coefficient = operand->index[i].coefficient;
      for (size_t l = loop; l + 1 < nest->loop_count; l++)
        coefficient[l] = coefficient[l + 1];
      coefficient[nest->loop_count - 1] = 0;
    }
  }
  nest->loop_count--;
  for (size_t l = loop; l < nest->loop_count; l++) {
    nest->extent[l] = nest->extent[l + 1];
    nest->is_reduction[l] = nest->is_reduction[l + 1];
  }
}

void tune_winograd_find_group(tune_winograd_plan *plan) {
  plan->convolution = *plan->contraction.anchor;
  plan->group = find_group(plan->contraction.anchor);
  if (plan->group == TUNE_NO_LOOP)
    return;
  drop_loop(&plan->convolution, plan->group);
  for (size_t loop = plan->convolution.loop_count; loop-- > 0;)
    if (plan->convolution.extent[loop] == 1)
      drop_loop(&plan->convolution, loop);
}

void tune_winograd_write_groups(const tune_winograd_plan *plan, tune_writer *w) {
  const tune_nest *anchor = plan->contraction.anchor;
  size_t order[TUNE_MAX_LOOPS];
  char sizes[128];
  tune_tiling groups = {{0}};
  tune_writer_identity_order(order, TUNE_MAX_LOOPS);
  groups.size[plan->group] = "1";
  tune_writer_begin_foreach(w, "%anchor", "%all_groups");
  tune_writer_line(w, "%%one_group, %%groups = transform.structured.%s %%all_groups tile_sizes %s",
                   anchor->extent[plan->group] >= (int64_t)plan->threads ? "tile_using_forall"
                                                                         : "tile_using_for",
                   tune_writer_sizes(sizes, sizeof sizes, &groups, order, anchor->loop_count));
  tune_writer_line(w, "  : (" OP ") -> (" OP ", " OP ")");
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
  tune_writer_fold_unit_dims(w);
  tune_writer_match_generic(w, "%of_group", &plan->convolution, NULL, plan->convolution.loop_count,
                            w->func);
}
