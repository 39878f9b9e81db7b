//===- conv_blocked_plan.c ------------------------------------------------------===//

#include "transforms/rules/conv/conv_blocked_plan.h"

//===--------------------------------------------------------------------------===//
// The loops
//===--------------------------------------------------------------------------===//

static bool uses(const tune_operand *operand, size_t loop) {
  return tune_operand_coefficient(operand, loop) != 0;
}

// The output's loops: one indexes the filter alone, the others the image alone. The channels come
// before the pixels, which are neighbours in the image too but for a stride.
static bool find_output_loops(tune_conv_plan *plan) {
  const tune_nest *nest = plan->ops.anchor;
  const tune_operand *out = &nest->operands[2];
  if (out->rank < 2 || !tune_operand_is_projection(out))
    return false;
  plan->row = tune_conv_loop_of_dimension(nest, out, out->rank - 1);
  if (plan->row == TUNE_NO_LOOP)
    return false;
  plan->filter = uses(&nest->operands[0], plan->row) ? 1 : 0;
  const tune_operand *filter = &nest->operands[plan->filter];
  const tune_operand *image = &nest->operands[1 - plan->filter];
  plan->channel = plan->line = TUNE_NO_LOOP;
  for (size_t i = 0; i < out->rank; i++) {
    size_t loop = tune_conv_loop_of_dimension(nest, out, i);
    if (loop == TUNE_NO_LOOP || uses(filter, loop) == uses(image, loop))
      return false;
    if (uses(image, loop)) {
      if (plan->channel != TUNE_NO_LOOP && loop != plan->row) {
        plan->line = loop;
        plan->line_dimension = i;
      }
      continue;
    }
    if (plan->channel != TUNE_NO_LOOP)
      return false;
    plan->channel = loop;
    plan->channel_dimension = i;
  }
  // One line and no window is a matrix product.
  if (plan->line == TUNE_NO_LOOP && tune_operand_is_projection(image))
    return false;
  return plan->channel != TUNE_NO_LOOP && tune_operand_is_projection(filter) &&
         tune_operand_find_loop(filter, plan->channel) != SIZE_MAX && image->rank > 0 &&
         image->index[image->rank - 1].is_linear &&
         image->index[image->rank - 1].coefficient[plan->row] != 0;
}

// The longest reduction that is an index of its own in the image is the depth, and not among the
// pixels there; the others are windows.
static bool find_reductions(tune_conv_plan *plan) {
  const tune_nest *nest = plan->ops.anchor;
  const tune_operand *filter = &nest->operands[plan->filter];
  const tune_operand *image = &nest->operands[1 - plan->filter];
  plan->depth = TUNE_NO_LOOP;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (!nest->is_reduction[loop])
      continue;
    if (!uses(filter, loop) || !uses(image, loop))
      return false;
    if (tune_operand_find_loop(image, loop) != SIZE_MAX &&
        (plan->depth == TUNE_NO_LOOP || nest->extent[loop] > nest->extent[plan->depth]))
      plan->depth = loop;
  }
  if (plan->depth == TUNE_NO_LOOP)
    return false;
  for (size_t loop = 0; loop < nest->loop_count; loop++)
    if (nest->is_reduction[loop] && loop != plan->depth)
      plan->window[plan->window_count++] = loop;
  return true;
}

//===--------------------------------------------------------------------------===//
// The domains
//===--------------------------------------------------------------------------===//

static bool choose_channels(tune_conv_plan *plan) {
  int64_t lanes = plan->lanes, channels = plan->ops.anchor->extent[plan->channel];
  for (int64_t vectors = 1; vectors <= 2; vectors++)
    if (channels % (vectors * lanes) == 0)
      tune_value_set_add(&plan->nr, vectors * lanes);
  // Half a register: on cores that split the widest ones, as fast as the whole.
  if (plan->nr.count == 0 && lanes >= 8 && channels % (lanes / 2) == 0)
    tune_value_set_add(&plan->nr, lanes / 2);
  if (plan->nr.count == 0)
    return false;
  plan->step = plan->nr.values[0];
  plan->nr_default = tune_value_set_at_most(&plan->nr, 2 * lanes);
  return true;
}

// Masks cost next to nothing with AVX-512, where lines of 33 and 19 pixels are better turned by 16.
// On AVX2 lines of 60 take 0.6 of the time by 4 (3 channels, stride 2), lines of 33 by single ones.
int64_t tune_conv_turned_pixels(const tune_machine *machine, int64_t line) {
  return machine->vector_bits > 256 ? 16 : tune_turned_side(line);
}

static bool choose_rows(tune_conv_plan *plan, const tune_machine *machine) {
  int64_t rows = plan->ops.anchor->extent[plan->row], lanes = plan->lanes;
  int64_t vectors = (plan->nr.values[plan->nr.count - 1] + lanes - 1) / lanes;
  // Accumulators, the channels of one weight, and one pixel.
  int64_t most = ((int64_t)machine->vector_registers - vectors - 1) / vectors;
  for (int64_t mr = 2; mr <= 14 && mr <= rows && mr <= most; mr++)
    tune_value_set_add(&plan->mr, mr);
  if (plan->mr.count == 0)
    return false;
  // What loses least to the edge, and among those the tallest tile. LLVM spills some of the
  // accumulators where more than some twenty are in use: three times the time.
  int64_t limit = 20 * lanes / plan->nr_default;
  double best = -1;
  plan->rows_divide = true;
  for (size_t i = 0; i < plan->mr.count; i++) {
    int64_t mr = plan->mr.values[i], tiles = (rows + mr - 1) / mr;
    plan->rows_divide &= rows % mr == 0;
    double score = (double)rows / (double)(tiles * (mr + 1));
    if (mr <= limit && score > best) {
      best = score;
      plan->mr_default = mr;
    }
  }
  plan->turn = tune_conv_turned_pixels(machine, rows);
  return true;
}

// At least two, as a depth of one would be folded away.
static bool choose_depth(tune_conv_plan *plan) {
  int64_t depth = plan->ops.anchor->extent[plan->depth];
  for (int64_t kr = 2; kr <= 16; kr++)
    if (depth % kr == 0 && (kr <= 4 || kr == 8 || plan->kr.count == 0))
      tune_value_set_add(&plan->kr, kr);
  if (plan->kr.count == 0)
    return false;
  plan->kr_default = tune_value_set_at_most(&plan->kr, 4);
  return true;
}

// All lines, or with threads enough bands of them, if the blocks of channels are too few.
static void choose_band(tune_conv_plan *plan, const tune_machine *machine) {
  if (plan->line == TUNE_NO_LOOP)
    return;
  int64_t lines = plan->ops.anchor->extent[plan->line];
  tune_value_set_add(&plan->band, lines);
  plan->band_default = lines;
  if (machine->threads <= 1)
    return;
  int64_t threads = machine->threads;
  tune_value_set_add_divisors(&plan->band, lines, lines / (2 * threads), lines / 2, 1);
  int64_t blocks = plan->ops.anchor->extent[plan->channel] / plan->nr_default;
  if (blocks < threads)
    plan->band_default = tune_value_set_at_most(&plan->band, lines * blocks / threads);
}

bool tune_conv_plan_make(const tune_structure *structure, const tune_machine *machine,
                         tune_conv_plan *out_plan) {
  *out_plan = (tune_conv_plan){.structure = structure};
  if (!structure->is_regular || structure->is_dynamic ||
      !tune_conv_ops_find(structure, &out_plan->ops) ||
      out_plan->ops.anchor->loop_count >= TUNE_MAX_LOOPS || !find_output_loops(out_plan) ||
      !find_reductions(out_plan))
    return false;
  out_plan->lanes =
      machine->vector_bits / tune_operand_register_bits(&out_plan->ops.anchor->operands[2]);
  if (out_plan->lanes < 2 || !choose_channels(out_plan) || !choose_rows(out_plan, machine) ||
      !choose_depth(out_plan))
    return false;
  choose_band(out_plan, machine);
  return true;
}
