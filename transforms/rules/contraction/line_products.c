//===- line_products.c --------------------------------------------------------===//

#include "transforms/rules/contraction/line_products.h"

#include "transforms/rules/contraction/contraction_plan.h"

#include <string.h>

// What it takes to turn a line of B, in rows multiplied by it; and to add up the lanes of a result,
// in products of vectors. Measured on Zen 4, with vectors of 256 and 512 bits: 2 to 128 rows, 40 to
// 11008 columns, a depth of 50 to 11008.
#define TURNING_ROWS 7.0
#define ADDING_VECTORS 3.5
// Of the speed of tiles, that of lines; and of lines of which a few are more than the first cache
// holds, or that begin in the same sets of it, so that the next rows read them from the second.
// That costs most where registers are few: blocks are small then, and read lines more often.
#define LINES_RATE 0.93
#define LONG_LINES_RATE 0.88
#define LONG_LINES_RATE_OF_FEW 0.75
#define LINES_AT_ONCE 4
#define BYTES_OF_SETS 4096 // apart, lines begin in the same sets

// Whether all other loops are of a batch: the plan counts the rows and columns of one loop.
static bool is_one_product(const tune_contraction_plan *plan) {
  const tune_nest *anchor = plan->anchor;
  for (size_t loop = 0; loop < anchor->loop_count; loop++) {
    bool is_part = loop == plan->row || loop == plan->col || loop == plan->depth;
    if (!is_part && anchor->extent[loop] != 1 &&
        (tune_operand_coefficient(&anchor->operands[plan->a], loop) == 0 ||
         tune_operand_coefficient(&anchor->operands[plan->b], loop) == 0))
      return false;
  }
  return true;
}

static bool is_of_lines(const tune_contraction_plan *plan) {
  const tune_nest *anchor = plan->anchor;
  const tune_operand *a = &anchor->operands[plan->a], *b = &anchor->operands[plan->b];
  for (size_t i = 0; i < 3; i++)
    if (strcmp(anchor->operands[i].type, "f32") != 0 &&
        strcmp(anchor->operands[i].type, "f64") != 0)
      return false;
  return plan->transposed && !plan->can_pack_ahead && !plan->has_window && !plan->dynamic_rows &&
         plan->rest_count == 0 && plan->depths > 0 && plan->cols > 0 && is_one_product(plan) &&
         tune_operand_contiguous_loop(anchor, a) == plan->depth &&
         tune_operand_contiguous_loop(anchor, b) == plan->depth;
}

// How far one line of `b` lies from the next one, in bytes.
static int64_t find_distance(const tune_operand *b, size_t column) {
  int64_t elements = 1;
  for (size_t i = b->rank; i-- > 0 && !tune_operand_is_loop(b, i, column);)
    elements *= b->shape[i];
  return elements * b->bits / 8;
}

static double find_rate(const tune_contraction_plan *plan, const tune_machine *machine) {
  const tune_operand *b = &plan->anchor->operands[plan->b];
  bool are_few = machine->vector_registers <= 16;
  bool are_long = LINES_AT_ONCE * plan->depths * b->bits / 8 > machine->l1_bytes;
  if (are_few && (are_long || find_distance(b, plan->col) % BYTES_OF_SETS == 0))
    return LONG_LINES_RATE_OF_FEW;
  return are_long ? LONG_LINES_RATE : LINES_RATE;
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
  double in_lines = find_rate(&plan, machine) * depth / (depth + ADDING_VECTORS * plan.lanes);
  return in_lines > in_tiles;
}
