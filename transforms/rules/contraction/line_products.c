//===- line_products.c --------------------------------------------------------===//

#include "transforms/rules/contraction/line_products.h"

#include "transforms/rules/contraction/contraction_plan.h"

#include <string.h>

// What it takes to turn a line of B, in rows multiplied by it; and to add up the lanes of a result,
// in products of vectors. Measured on Zen 4, with vectors of 256 and 512 bits: 2 to 128 rows, 40 to
// 4000 columns, a depth of 50 to 4000.
#define TURNING_ROWS 7.0
#define ADDING_VECTORS 7.0
// Of the speed of tiles, that of lines.
#define LINES_RATE 0.93

static bool is_of_lines(const tune_contraction_plan *plan) {
  const tune_nest *anchor = plan->anchor;
  const tune_operand *a = &anchor->operands[plan->a], *b = &anchor->operands[plan->b];
  for (size_t i = 0; i < 2; i++)
    if (strcmp(anchor->operands[i].type, "f32") != 0 &&
        strcmp(anchor->operands[i].type, "f64") != 0)
      return false;
  return plan->transposed && !plan->can_pack_ahead && !plan->has_window && !plan->dynamic_rows &&
         plan->rest_count == 0 && plan->depths > 0 && plan->cols > 0 &&
         tune_operand_contiguous_loop(anchor, a) == plan->depth &&
         tune_operand_contiguous_loop(anchor, b) == plan->depth;
}

bool tune_line_products_are_best(const tune_structure *structure, const tune_machine *machine) {
  tune_contraction_plan plan;
  if (structure->is_empty || structure->has_bits || structure->is_dynamic ||
      tune_structure_is_beyond_plans(structure))
    return false;
  if (!tune_contraction_plan_make(structure, machine, &plan) || !is_of_lines(&plan))
    return false;
  double rows = (double)plan.rows, depth = (double)plan.depths;
  double in_tiles =
      rows / (rows + TURNING_ROWS) * tune_contraction_part_filled(plan.cols, plan.lanes);
  double in_lines = LINES_RATE * depth / (depth + ADDING_VECTORS * plan.lanes);
  return in_lines > in_tiles;
}
