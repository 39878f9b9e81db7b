//===- dot_plan.c -----------------------------------------------------------------------===//

#include "transforms/rules/contraction/dot_plan.h"

#include "transforms/rules/contraction/dot_panel_patterns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Vectors of A that the sums of a tile's rows read, as straight code.
#define MOST_ROW_PARTS 1024
// Of the depth, and the most rows of a tile then.
#define FEW_GROUPS 40
#define ROWS_OF_FEW_GROUPS 8

//===--------------------------------------------------------------------------===//
// What is taken
//===--------------------------------------------------------------------------===//

static bool reads_types(const tune_nest *nest, const char *in, const char *out) {
  return strcmp(nest->operands[0].type, in) == 0 && strcmp(nest->operands[1].type, in) == 0 &&
         strcmp(nest->operands[2].type, out) == 0 && nest->widens == (strcmp(in, out) != 0);
}

static bool find_instruction(tune_dot_plan *plan, const tune_machine *machine) {
  const tune_contraction_plan *contraction = &plan->contraction;
  const tune_nest *anchor = contraction->anchor;
  tune_dot *dot = &plan->dot;
  dot->lanes = machine->vector_bits / 32;
  dot->b_first = contraction->b == 0;
  if (dot->lanes != 8 && dot->lanes != 16)
    return false;
  dot->narrow_sum = reads_types(anchor, "bf16", "bf16");
  dot->is_bf16 = dot->narrow_sum || reads_types(anchor, "bf16", "f32");
  dot->group = dot->is_bf16 ? 2 : 4;
  if (dot->is_bf16)
    return machine->has_bf16_dot;
  dot->unsigned_a = anchor->zero_extends[contraction->a];
  dot->unsigned_b = anchor->zero_extends[contraction->b];
  dot->has_pairs = !machine->has_int8_dot && machine->has_int16_pairs;
  dot->turns_b = !dot->has_pairs && dot->unsigned_a == dot->unsigned_b;
  if (dot->has_pairs)
    dot->group = 2;
  return reads_types(anchor, "i8", "i32") && (machine->has_int8_dot || dot->has_pairs);
}

static int64_t vectors_of(const tune_dot_plan *plan, int64_t nr) {
  return (nr + plan->dot.lanes - 1) / plan->dot.lanes;
}

// Vectors of A in a row whose sum is needed.
static int64_t row_parts(const tune_dot_plan *plan) {
  return plan->dot.turns_b ? (plan->groups + plan->dot.lanes - 1) / plan->dot.lanes : 0;
}

// The tallest tile of the domain that fits the registers and does little for nothing: rows of a
// short last tile load B for less, which should be no more than a tenth of the work. If all do
// more, the tallest that fits; 0 if none does.
static int64_t tallest_tile(const tune_dot_plan *plan, const tune_machine *machine, int64_t nr) {
  const tune_contraction_plan *contraction = &plan->contraction;
  int64_t rows = contraction->rows, tallest = 0, best = 0;
  // One accumulator a lane, the row of B, a group of A and what signs need, or products on their
  // way to the sums.
  int64_t others = plan->dot.has_pairs ? 2 : 3;
  int64_t limit = ((int64_t)machine->vector_registers - others) / vectors_of(plan, nr) - 1;
  // What follows a short sum takes as long as the sum, and wants registers of its own.
  if (contraction->epilogue && plan->groups <= FEW_GROUPS && limit > ROWS_OF_FEW_GROUPS)
    limit = ROWS_OF_FEW_GROUPS;
  for (size_t i = 0; i < contraction->mr.count; i++) {
    int64_t mr = contraction->mr.values[i], steps = (rows + mr - 1) / mr;
    if (mr > limit)
      break;
    tallest = mr;
    if (10 * (steps * mr - rows) <= rows)
      best = mr;
  }
  return best ? best : tallest;
}

static void choose_register_tile(tune_dot_plan *plan, const tune_machine *machine) {
  tune_contraction_plan *contraction = &plan->contraction;
  static const int64_t rows[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14};
  contraction->mr = contraction->nr = contraction->kr = (tune_value_set){0};
  for (int64_t nr = TUNE_DOT_BLOCK; nr <= TUNE_DOT_WIDEST_TILE; nr += TUNE_DOT_BLOCK)
    if (nr == TUNE_DOT_BLOCK || nr < contraction->cols + TUNE_DOT_BLOCK)
      tune_value_set_add(&contraction->nr, nr);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    // A single row over would be folded away with its loop.
    if (rows[i] <= contraction->rows && !(plan->folds && contraction->rows % rows[i] == 1) &&
        rows[i] * row_parts(plan) <= MOST_ROW_PARTS)
      tune_value_set_add(&contraction->mr, rows[i]);
  // Where sums of rows are needed, wide tiles need them less often. As wide as leaves registers for
  // the rows there are.
  bool has_many = machine->vector_registers >= 32, is_wide = plan->dot.turns_b && has_many;
  int64_t nr = tune_value_set_at_most(&contraction->nr, is_wide ? 64 : has_many ? 32 : 16), mr = 0;
  while ((mr = tallest_tile(plan, machine, nr)) == 0 && nr > TUNE_DOT_BLOCK)
    nr -= TUNE_DOT_BLOCK;
  contraction->nr_default = nr;
  contraction->mr_default = mr;
  for (int64_t kr = 1; kr <= 4; kr *= 2)
    if (plan->groups % kr == 0)
      tune_value_set_add(&contraction->kr, kr);
  contraction->kr_default = tune_value_set_at_most(&contraction->kr, 2);
}

// What a row takes of A and of all that is read and written beside the sums.
static int64_t bytes_of_row(const tune_contraction_plan *contraction) {
  const tune_nest *anchor = contraction->anchor,
                  *root = contraction->epilogue ? contraction->epilogue : anchor;
  int64_t bits = contraction->depths * (int64_t)anchor->operands[contraction->a].bits;
  for (size_t o = 0; o < root->operand_count; o++) {
    const tune_operand *operand = &root->operands[o];
    bool is_of_sums = root == anchor && o != root->operand_count - 1;
    if (!is_of_sums && operand->producer == TUNE_NO_LOOP && operand->rank == 2)
      bits += contraction->cols * (int64_t)operand->bits;
  }
  return bits / 8;
}

// Each panel of columns goes over all rows of a tile: what these read and write is to be in the
// second cache yet for the next one. Where panels of B are made for each tile it has rows enough.
static int64_t rows_in_cache(const tune_dot_plan *plan, const tune_machine *machine) {
  enum { LEAST_ROWS = 128, LEAST_FOR_PANELS = 448 };
  const tune_contraction_plan *contraction = &plan->contraction;
  int64_t fit = machine->l2_bytes / 2 / (bytes_of_row(contraction) + 1);
  bool is_ahead = contraction->anchor->operands[contraction->b].is_constant;
  int64_t least = is_ahead ? LEAST_ROWS : LEAST_FOR_PANELS;
  if (contraction->cols <= contraction->nr_default || contraction->rest_count ||
      contraction->has_window || fit >= contraction->rows)
    return contraction->rows;
  return tune_value_set_at_most(&contraction->mc, fit > least ? fit : least);
}

static void choose_outer_tile(tune_dot_plan *plan, const tune_machine *machine) {
  tune_contraction_plan *contraction = &plan->contraction;
  contraction->mc = contraction->nc = (tune_value_set){0};
  tune_value_set_add(&contraction->mc, contraction->rows);
  tune_value_set_add_divisors(&contraction->mc, contraction->rows, 32, contraction->rows / 2, 32);
  tune_value_set_add(&contraction->nc, contraction->cols);
  tune_value_set_add_divisors(&contraction->nc, contraction->cols, 64, contraction->cols / 2, 64);
  contraction->mc_default = rows_in_cache(plan, machine);
  contraction->nc_default = contraction->cols;
  if (machine->threads <= 1)
    return;
  // Along the columns first, which share no panel.
  int64_t threads = (int64_t)machine->threads;
  int64_t nc = tune_value_set_at_most(&contraction->nc, contraction->cols / threads);
  if (nc <= contraction->cols / threads)
    contraction->nc_default = nc;
  else
    contraction->mc_default = tune_value_set_at_most(&contraction->mc, contraction->rows / threads);
}

static bool is_kernel_loop(const tune_contraction_plan *contraction, size_t loop) {
  return loop == contraction->row || loop == contraction->col ||
         contraction->anchor->is_reduction[loop];
}

// B of a window is a matrix for each of its steps, and each row's start moves with them.
static bool takes_window(const tune_dot_plan *plan) {
  const tune_contraction_plan *contraction = &plan->contraction;
  const tune_operand *a = &contraction->anchor->operands[contraction->a],
                     *b = &contraction->anchor->operands[contraction->b];
  size_t windows = contraction->rest_count, row = SIZE_MAX, moving = 0;
  for (size_t i = 0; i < a->rank; i++)
    if (a->index[i].is_linear && a->index[i].coefficient[contraction->row])
      row = i;
  for (size_t i = 0; i < windows; i++)
    moving += row != SIZE_MAX && a->index[row].coefficient[contraction->rest[i]] != 0;
  return plan->has_lines && windows <= TUNE_DOT_MOST_PLACES - 1 && (!windows || moving) &&
         b->rank == windows + 2 && contraction->depths % plan->dot.group == 0 &&
         tune_operand_is_loop(b, b->rank - 1, contraction->col) &&
         tune_operand_is_loop(b, b->rank - 2, contraction->depth);
}

// A single last column is folded away with its loop, and is then multiplied as it is: where no
// other loop is folded, and its part of a panel is not turned along with others.
static bool takes_last_columns(const tune_dot_plan *plan) {
  int64_t cols = plan->contraction.cols;
  return cols % plan->dot.lanes != 1 ||
         (!plan->folds && (!plan->dot.turns_b || cols % TUNE_DOT_BLOCK == 1));
}

// The order of the kernel's loops, and whether others may run within a panel.
static bool find_lines(tune_dot_plan *plan) {
  const tune_contraction_plan *contraction = &plan->contraction;
  const tune_nest *anchor = contraction->anchor;
  plan->has_lines = true;
  plan->loop_count = 0;
  for (size_t loop = 0; loop < anchor->loop_count; loop++) {
    if (is_kernel_loop(contraction, loop))
      plan->order[plan->loop_count++] = loop;
    else if (tune_operand_coefficient(&anchor->operands[contraction->b], loop))
      plan->has_lines = false;
  }
  if (contraction->has_window || contraction->rest_count)
    return takes_window(plan);
  return !tune_structure_has_pad(contraction->structure);
}

// Outer tiles have all lines or, where threads do not share the columns, a part of the longest
// loop.
static void share_lines(tune_dot_plan *plan, const tune_machine *machine) {
  tune_contraction_plan *contraction = &plan->contraction;
  const tune_nest *root = contraction->epilogue ? contraction->epilogue : contraction->anchor;
  size_t longest = TUNE_NO_LOOP;
  for (size_t loop = 0; plan->has_lines && loop < root->loop_count; loop++) {
    if (root->is_reduction[loop] || loop == contraction->root_row || loop == contraction->root_col)
      continue;
    snprintf(contraction->outer_steps[loop], sizeof contraction->outer_steps[loop], "0");
    if (longest == TUNE_NO_LOOP || root->extent[loop] > root->extent[longest])
      longest = loop;
  }
  if (longest == TUNE_NO_LOOP || machine->threads <= 1 ||
      contraction->nc_default < contraction->cols)
    return;
  int64_t share = root->extent[longest] / (int64_t)machine->threads;
  while (share > 1 && root->extent[longest] % share)
    share--;
  snprintf(contraction->outer_steps[longest], sizeof contraction->outer_steps[longest], "%" PRId64,
           share > 1 ? share : INT64_C(1));
}

bool tune_dot_plan_make(const tune_structure *structure, const tune_machine *machine,
                        tune_dot_plan *plan) {
  *plan = (tune_dot_plan){.b_transposed = false};
  tune_contraction_plan *contraction = &plan->contraction;
  if (!tune_contraction_plan_make(structure, machine, contraction) ||
      !find_instruction(plan, machine) || structure->is_dynamic)
    return false;
  const tune_nest *anchor = contraction->anchor;
  const tune_operand *b = &anchor->operands[contraction->b];
  plan->b_transposed = tune_operand_contiguous_loop(anchor, b) == contraction->depth;
  if (!find_lines(plan) || contraction->other_count ||
      tune_operand_contiguous_loop(anchor, &anchor->operands[contraction->a]) !=
          contraction->depth ||
      (!plan->b_transposed && tune_operand_contiguous_loop(anchor, b) != contraction->col) ||
      contraction->depths < plan->dot.group)
    return false;
  plan->folds = anchor->loop_count > 3 || contraction->root_loop_count > 3 ||
                (contraction->epilogue && contraction->root_loop_count > 2);
  if (!takes_last_columns(plan))
    return false;
  plan->groups = (contraction->depths + plan->dot.group - 1) / plan->dot.group;
  plan->fills_up = contraction->depths % plan->dot.group != 0;
  plan->last_groups = 0;
  if (plan->dot.turns_b)
    plan->last_groups = plan->groups % 4 == 0   ? 4
                        : plan->groups % 2 == 0 ? 2
                        : plan->groups == 1     ? 1
                                                : 3;
  choose_register_tile(plan, machine);
  choose_outer_tile(plan, machine);
  share_lines(plan, machine);
  return contraction->mr_default > 0;
}

bool tune_dot_plan_has_single_row(const tune_dot_plan *plan) {
  const tune_contraction_plan *contraction = &plan->contraction;
  // Windows move each row.
  if (contraction->rest_count)
    return false;
  for (size_t i = 0; i < contraction->mc.count; i++)
    for (size_t j = 0; j < contraction->mr.count; j++)
      if (contraction->mc.values[i] % contraction->mr.values[j] == 1)
        return true;
  return false;
}

tune_dot_row tune_dot_plan_row(const tune_dot_plan *plan) {
  const tune_contraction_plan *contraction = &plan->contraction;
  const tune_operand *a = &contraction->anchor->operands[contraction->a];
  tune_dot_row row = {.depth = plan->groups * plan->dot.group, .places = 0};
  for (size_t i = 0; i + 1 < a->rank; i++) {
    bool moves = a->index[i].coefficient[contraction->row] != 0;
    for (size_t r = 0; r < contraction->rest_count; r++)
      moves |= a->index[i].coefficient[contraction->rest[r]] != 0;
    row.places += moves;
  }
  return row;
}
