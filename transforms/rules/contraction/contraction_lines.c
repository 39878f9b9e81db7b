//===- contraction_lines.c - Lines of rows that share a panel of B ------------===//

#include "transforms/rules/contraction/contraction_lines.h"
#include "transforms/rules/contraction/register_tile.h"

enum {
  MANY_ROWS = 128,  // they make up for reading all of B
  LARGE_FILTER = 8, // times the second cache: smaller ones are read faster again than lines
  LARGE_BLOCKS = 2, // the same of a filter in blocks of columns, each of which is in one piece
};

// The innermost loop of rows but the one that tiles are of, and its place among the loops of the
// root; false where there is none.
static bool find_line(tune_contraction_plan *plan) {
  const tune_nest *anchor = plan->anchor, *epilogue = plan->epilogue;
  const tune_operand *out = &anchor->operands[2], *b = &anchor->operands[plan->b];
  size_t place = SIZE_MAX;
  for (size_t i = 0; i < out->rank; i++)
    for (size_t loop = 0; loop < anchor->loop_count; loop++)
      if (tune_operand_is_loop(out, i, loop) && loop != plan->row && loop != plan->col &&
          anchor->extent[loop] > 1 && tune_operand_coefficient(b, loop) == 0) {
        plan->line = loop;
        place = i;
      }
  if (place == SIZE_MAX)
    return false;
  if (!epilogue) {
    plan->root_line = plan->line;
    return true;
  }
  for (size_t o = 0; o < epilogue->input_count; o++) {
    const tune_operand *read = &epilogue->operands[o];
    if (read->producer != (size_t)(anchor - plan->structure->nests))
      continue;
    for (size_t loop = 0; loop < epilogue->loop_count; loop++)
      if (tune_operand_is_loop(read, place, loop)) {
        plan->root_line = loop;
        return true;
      }
  }
  return false;
}

// Of more than int64_t holds, the most that it does.
static int64_t bytes_of_b(const tune_contraction_plan *plan) {
  int64_t bytes = tune_contraction_bytes_of_b(plan, plan->cols);
  for (size_t i = 0; i < plan->rest_count; i++)
    if (__builtin_mul_overflow(bytes, plan->anchor->extent[plan->rest[i]], &bytes))
      return INT64_MAX;
  return bytes;
}

// Whether a filter is so large that lines had better share what is read of it.
static bool is_large(const tune_contraction_plan *plan, int64_t bytes,
                     const tune_machine *machine) {
  const tune_nest *anchor = plan->anchor;
  int64_t whole = bytes;
  for (size_t loop = 0; loop < anchor->loop_count; loop++)
    if (loop != plan->col && anchor->extent[loop] > 1 &&
        tune_operand_coefficient(&anchor->operands[plan->b], loop) != 0 &&
        tune_operand_coefficient(&anchor->operands[2], loop) != 0 &&
        __builtin_mul_overflow(whole, anchor->extent[loop], &whole))
      return true;
  return whole > (whole > bytes ? LARGE_BLOCKS : LARGE_FILTER) * machine->l2_bytes;
}

void tune_contraction_lines_choose(tune_contraction_plan *plan, const tune_machine *machine) {
  int64_t bytes = bytes_of_b(plan);
  if ((plan->has_window && !is_large(plan, bytes, machine)) || plan->transposed ||
      plan->dynamic_rows || plan->rows >= MANY_ROWS || bytes <= 2 * machine->l1_bytes ||
      !find_line(plan))
    return;
  int64_t lines = plan->anchor->extent[plan->line], threads = machine->threads;
  tune_value_set_add(&plan->lc, 1);
  tune_value_set_add_divisors(&plan->lc, lines, 2, lines / 2, 1);
  tune_value_set_add(&plan->lc, lines);
  // What the second cache holds is read again from there, and long pieces of rows are fetched
  // ahead.
  bool goes_inside =
      bytes > machine->l2_bytes / 2 && !tune_contraction_has_long_pieces(plan, machine);
  int64_t share = lines / (threads ? threads : 1);
  plan->lc_default = goes_inside ? tune_value_set_at_most(&plan->lc, share) : 1;
}
