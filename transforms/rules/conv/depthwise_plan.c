//===- depthwise_plan.c -----------------------------------------------------------===//

#include "transforms/rules/conv/depthwise_plan.h"

//===--------------------------------------------------------------------------===//
// The loops
//===--------------------------------------------------------------------------===//

static bool uses(const tune_operand *operand, size_t loop) {
  return tune_operand_coefficient(operand, loop) != 0;
}

// Whether all reductions are windows, and a channel is in all operands alone.
static bool is_depthwise(const tune_nest *nest, const tune_operand *image,
                         const tune_operand *filter) {
  bool has_channel = false;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (!uses(image, loop))
      return false;
    bool is_alone = tune_operand_find_loop(image, loop) != SIZE_MAX;
    if (nest->is_reduction[loop] && (is_alone || !uses(filter, loop)))
      return false;
    if (!nest->is_reduction[loop] && uses(filter, loop)) {
      if (!is_alone)
        return false;
      has_channel = true;
    }
  }
  return has_channel && tune_operand_is_projection(filter);
}

// Whether a step of `lane` is one element of `operand`, or none.
static bool is_contiguous(const tune_operand *operand, size_t lane) {
  if (!uses(operand, lane))
    return true;
  for (size_t i = 0; i + 1 < operand->rank; i++)
    if (operand->index[i].coefficient[lane])
      return false;
  const tune_index *last = &operand->index[operand->rank - 1];
  return last->is_linear && last->coefficient[lane] == 1;
}

// Whether windows slide along `loop`.
static bool is_sliding(const tune_operand *image, size_t loop) {
  return uses(image, loop) && tune_operand_find_loop(image, loop) == SIZE_MAX;
}

static bool find_loops(tune_depthwise_plan *p) {
  const tune_nest *nest = p->ops.anchor;
  const tune_operand *out = &nest->operands[2];
  size_t filter = tune_operand_is_projection(&nest->operands[1]) ? 1 : 0;
  p->filter = &nest->operands[filter];
  p->image = &nest->operands[1 - filter];
  if (out->rank < 2 || !tune_operand_is_projection(out) || !is_depthwise(nest, p->image, p->filter))
    return false;
  for (size_t i = 0; i < out->rank; i++)
    if (tune_conv_loop_of_dimension(nest, out, i) == TUNE_NO_LOOP)
      return false;
  p->line = TUNE_NO_LOOP;
  for (size_t i = out->rank; i-- > 0;) {
    size_t loop = tune_conv_loop_of_dimension(nest, out, i);
    if (!uses(p->filter, loop) && is_sliding(p->image, loop))
      p->line = loop;
  }
  p->lane = tune_conv_loop_of_dimension(nest, out, out->rank - 1);
  p->row = tune_conv_loop_of_dimension(nest, out, out->rank - 2);
  return p->line != TUNE_NO_LOOP && p->line != p->lane && is_contiguous(p->image, p->lane) &&
         is_contiguous(p->filter, p->lane);
}

//===--------------------------------------------------------------------------===//
// The domains
//===--------------------------------------------------------------------------===//

// Steps of the loops that are neither pixels nor channels, which threads have parts of.
static int64_t count_others(const tune_depthwise_plan *p) {
  const size_t within[] = {p->line, p->row, p->lane};
  return tune_nest_parallel_steps(p->ops.anchor, within, 3);
}

static bool choose_tile(tune_depthwise_plan *p, const tune_machine *machine) {
  const tune_nest *nest = p->ops.anchor;
  int64_t lane_extent = nest->extent[p->lane], rows = nest->extent[p->row];
  p->lanes = machine->vector_bits / tune_operand_register_bits(&nest->operands[2]);
  if (p->lanes < 4)
    return false;
  // Where threads share channels, blocks of them are made of these.
  int64_t threads = (int64_t)machine->threads, share = 0;
  if (threads > 1 && count_others(p) < threads && uses(p->filter, p->lane))
    share = lane_extent / threads;
  for (int64_t vectors = 1; vectors <= 4; vectors *= 2)
    if (lane_extent % (vectors * p->lanes) == 0 &&
        (vectors == 1 || share < p->lanes || share % (vectors * p->lanes) == 0))
      tune_value_set_add(&p->nr, vectors * p->lanes);
  // Shorter vectors, where the widest do not divide; or a short line as one, of whatever length.
  for (int64_t part = p->lanes / 2; p->nr.count == 0 && part >= 4; part /= 2)
    if (lane_extent % part == 0)
      tune_value_set_add(&p->nr, part);
  if (p->nr.count == 0 && lane_extent >= 4 && lane_extent <= p->lanes)
    tune_value_set_add(&p->nr, lane_extent);
  if (p->nr.count == 0)
    return false;
  p->nr_default = tune_value_set_at_most(&p->nr, 2 * p->lanes);
  // Accumulators, and as much again for what is multiplied.
  int64_t vectors = (p->nr_default + p->lanes - 1) / p->lanes;
  int64_t most = (int64_t)machine->vector_registers / 2 / vectors;
  p->rows_divide = true;
  double best = -1;
  for (int64_t mr = 1; mr <= 14 && mr <= rows && mr <= most; mr++) {
    tune_value_set_add(&p->mr, mr);
    p->rows_divide &= rows % mr == 0;
    // What loses least to the edge, and among those the tallest tile; not too tall, as what a row
    // brought into the first cache is wanted by the next.
    int64_t tiles = (rows + mr - 1) / mr;
    double score = (double)rows / (double)(tiles * (mr + 1));
    if (mr <= 8 && score >= best) {
      best = score;
      p->mr_default = mr;
    }
  }
  return true;
}

// How many bytes of the image, of one channel, a line of the output needs.
static int64_t line_bytes(const tune_depthwise_plan *p) {
  const tune_operand *image = p->image;
  int64_t bytes = image->bits / 8 * tune_operand_coefficient(image, p->line);
  for (size_t i = 0; i < image->rank; i++)
    if (image->index[i].coefficient[p->line] == 0 &&
        (image->index[i].coefficient[p->row] || image->index[i].coefficient[p->lane]) &&
        !tune_operand_is_loop(image, i, p->lane))
      bytes *= image->shape[i];
  return bytes;
}

// The narrowest block that reads the image in pieces of several lines of a cache, which hardware
// fetches ahead; or all channels.
static int64_t block_of_long_pieces(const tune_depthwise_plan *p) {
  enum { LONG_PIECE = 256 };
  size_t i = 0;
  while (i + 1 < p->block.count && p->block.values[i] * p->image->bits / 8 < LONG_PIECE)
    i++;
  return p->block.values[i];
}

// The widest block, up to one that is read in long pieces or the default, of which the busiest
// thread has least. Of a single vector it is none: it would be copied.
static int64_t block_of_threads(const tune_depthwise_plan *p, int64_t others, int64_t threads) {
  int64_t channels = p->ops.anchor->extent[p->lane], best = p->block_default, least = INT64_MAX;
  int64_t widest = block_of_long_pieces(p);
  if (widest < p->block_default)
    widest = p->block_default;
  for (size_t i = p->block.count; i-- > 0;) {
    int64_t block = p->block.values[i], shares = channels / block * others;
    int64_t most = (shares + threads - 1) / threads * block;
    if (block <= widest && block >= 2 * p->nr.values[0] && most < least) {
      least = most;
      best = block;
    }
  }
  return best;
}

// Blocks of the lanes where these are channels, so that all lines fit the first cache, or else as
// narrow as is well read; and bands of lines that fit the second one beside other things. A part of
// the channels is of two vectors at least: where one is all, its loop is gone by the time that
// memory is found, and the block's results are copied in and out. Threads that would have no other
// block may take that.
static void choose_band(tune_depthwise_plan *p, const tune_machine *machine) {
  const tune_nest *nest = p->ops.anchor;
  int64_t lines = nest->extent[p->line], bytes = line_bytes(p), limit = machine->l2_bytes / 4;
  int64_t others = count_others(p), shares = others;
  p->block_default = 1;
  if (uses(p->filter, p->lane)) {
    int64_t channels = nest->extent[p->lane], step = p->nr.values[p->nr.count - 1];
    int64_t least = 2 * p->nr.values[0], fitting = machine->l1_bytes / (bytes * lines);
    tune_value_set_add(&p->block, channels);
    tune_value_set_add_divisors(&p->block, channels, least, channels / 2, step);
    if (machine->threads > 1 && p->block.count == 1)
      tune_value_set_add_divisors(&p->block, channels, step, channels / 2, step);
    p->block_default = tune_value_set_at_most(&p->block, fitting);
    if (p->block_default > fitting && machine->threads <= 1)
      p->block_default = block_of_long_pieces(p);
    if (machine->threads > 1)
      p->block_default = block_of_threads(p, others, machine->threads);
    shares = channels / p->block_default * others;
    bytes *= p->block_default;
  }
  // In the first cache, unless so few lines fit it that those between bands are copied too often.
  int64_t most = machine->l1_bytes / 2 / bytes;
  if (most < 8)
    most = limit / bytes;
  // Blocks that threads have alike parts of, or many of, need no bands besides.
  int64_t threads = machine->threads > 1 ? (int64_t)machine->threads : 1;
  if (shares % threads && shares < 4 * threads && most > lines / threads)
    most = lines / threads;
  tune_value_set_add_divisors(&p->band, lines, 1, lines, 1);
  p->band_default = tune_value_set_at_most(&p->band, most);
}

//===--------------------------------------------------------------------------===//
// Planes
//===--------------------------------------------------------------------------===//

static bool pads_image(const tune_structure *structure, const tune_depthwise_plan *p) {
  size_t pads = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    pads += structure->nests[n].kind == TUNE_NEST_PAD;
  return pads == 1 && p->image->producer != TUNE_NO_LOOP &&
         structure->nests[p->image->producer].kind == TUNE_NEST_PAD;
}

// The borders that were added before, if they are those of the image alone, and known.
static bool find_borders(const tune_structure *structure, const tune_depthwise_plan *p,
                         const tune_nest **out_pad) {
  *out_pad = NULL;
  if (p->image->producer != TUNE_NO_LOOP &&
      structure->nests[p->image->producer].kind == TUNE_NEST_PAD)
    *out_pad = &structure->nests[p->image->producer];
  for (size_t n = 0; n < structure->nest_count; n++)
    if (structure->nests[n].kind == TUNE_NEST_PAD && &structure->nests[n] != *out_pad)
      return false;
  for (size_t i = 0; *out_pad && i < p->image->rank; i++) {
    const int64_t *along = p->image->index[i].coefficient;
    int64_t low = (*out_pad)->pad_low[i], high = (*out_pad)->pad_high[i];
    if (low < 0 || high < 0 || ((low || high) && !along[p->line] && !along[p->row]))
      return false;
  }
  return true;
}

// The windows of all but the first and the last step of a tile of `size` must lie in the image: a
// first step is peeled off, and what the size leaves over.
static void plan_side(const tune_depthwise_plan *p, const tune_nest *pad, size_t loop, int64_t most,
                      tune_depthwise_side *side) {
  const tune_nest *nest = p->ops.anchor;
  size_t dimension = 0;
  while (!p->image->index[dimension].coefficient[loop])
    dimension++;
  const tune_index *index = &p->image->index[dimension];
  int64_t stride = index->coefficient[loop], extent = nest->extent[loop], span = 0;
  for (size_t i = 0; i < nest->loop_count; i++)
    if (nest->is_reduction[i])
      span += index->coefficient[i] * (nest->extent[i] - 1);
  int64_t low = pad ? pad->pad_low[dimension] : 0, high = pad ? pad->pad_high[dimension] : 0;
  int64_t within = p->image->shape[dimension] - high - span; // windows that begin here do not fit
  int64_t fitting = within > 0 ? (within + stride - 1) / stride : 0;
  side->loop = loop;
  side->before = (low + stride - 1) / stride;
  side->after = fitting < extent ? extent - fitting : 0;
  for (int64_t size = 1; size <= most && size <= extent; size++)
    if (size == extent || (size >= side->before && extent % size >= side->after))
      tune_value_set_add(&side->sizes, size);
}

// How many elements of the image a tile reads for each element of the output.
static double reads(const tune_depthwise_plan *p, int64_t lines, int64_t rows) {
  const tune_nest *nest = p->ops.anchor;
  const size_t loops[2] = {p->line, p->row};
  const int64_t sizes[2] = {lines, rows};
  double read = 1;
  for (size_t side = 0; side < 2; side++)
    for (size_t i = 0; i < p->image->rank; i++) {
      const tune_index *index = &p->image->index[i];
      if (!index->coefficient[loops[side]])
        continue;
      int64_t count = 1 + index->coefficient[loops[side]] * (sizes[side] - 1);
      for (size_t loop = 0; loop < nest->loop_count; loop++)
        if (nest->is_reduction[loop])
          count += index->coefficient[loop] * (nest->extent[loop] - 1);
      read *= (double)count / (double)sizes[side];
    }
  return read;
}

// Tiles that read least, with at most so many accumulators.
static bool choose_plane(tune_depthwise_plan *p, int64_t most) {
  double best = 0;
  for (size_t l = 0; l < p->lines.sizes.count; l++)
    for (size_t r = 0; r < p->rows.sizes.count; r++) {
      int64_t lines = p->lines.sizes.values[l], rows = p->rows.sizes.values[r];
      double score = reads(p, lines, rows);
      if (lines * rows > most || lines * rows > p->steps || (best > 0 && score >= best))
        continue;
      best = score;
      p->lines.size_default = lines;
      p->rows.size_default = rows;
    }
  return best > 0;
}

// Whether pixels lie so far apart that those of a tile share a few sets of the first cache, and are
// read for less than a line of it: the rest of each line is gone when it is wanted. (Tiles of rows
// read a copy.)
static bool crowds_sets(const tune_depthwise_plan *p, const tune_machine *machine) {
  enum { LINE = 64, FEW_SETS = 2048 };
  const tune_operand *image = p->image;
  int64_t bytes = image->bits / 8;
  for (size_t i = image->rank; i-- > 0 && !image->index[i].coefficient[p->row];)
    bytes *= image->shape[i];
  return machine->vector_bits / 8 < LINE && bytes % FEW_SETS == 0;
}

// Whether so many threads are as fast by `shares` planes as by lines, of which all have parts, and
// which take twice as long.
static bool shares_planes(int64_t shares, int64_t threads) {
  return threads <= 1 || 2 * shares >= threads;
}

static bool plan_planes(const tune_structure *structure, const tune_machine *machine,
                        tune_depthwise_plan *p) {
  const tune_nest *nest = p->ops.anchor, *pad;
  const int64_t most_multiplies = 256; // unrolled; as many as compile in a second
  int64_t windows = 1, blocks = nest->extent[p->lane] / (p->block.count ? p->block_default : 1);
  if (p->line == p->row || !uses(p->filter, p->lane) || !find_borders(structure, p, &pad))
    return false;
  for (size_t loop = 0; loop < nest->loop_count; loop++) {
    if (nest->is_reduction[loop])
      windows *= nest->extent[loop];
    else if (loop != p->line && loop != p->row && is_sliding(p->image, loop))
      return false;
    else if (loop != p->line && loop != p->row && loop != p->lane) {
      // A batch of one, which tasks do not have: its slices lose a dimension, and borders have no
      // way into them.
      if (pad && nest->extent[loop] == 1)
        return false;
    }
  }
  for (size_t i = 0; i < p->image->rank; i++)
    if (!p->image->index[i].is_linear || p->image->index[i].constant)
      return false;
  p->steps = most_multiplies / windows;
  p->registers = machine->vector_registers - machine->vector_registers / 8;
  plan_side(p, pad, p->line, 6, &p->lines);
  plan_side(p, pad, p->row, 9, &p->rows);
  p->takes_planes =
      shares_planes(blocks * count_others(p), machine->threads) && !crowds_sets(p, machine);
  // Half of the registers for accumulators; where borders allow no such tile, some more: of 16
  // those of 3 x 3.
  int64_t registers = machine->vector_registers;
  return choose_plane(p, registers / 2) || choose_plane(p, registers * 5 / 8);
}

bool tune_depthwise_plan_make(const tune_structure *structure, const tune_machine *machine,
                              tune_depthwise_plan *out_plan) {
  *out_plan = (tune_depthwise_plan){0};
  if (!structure->is_regular || structure->is_dynamic ||
      !tune_conv_ops_find(structure, &out_plan->ops) || !find_loops(out_plan) ||
      !choose_tile(out_plan, machine))
    return false;
  out_plan->pads_image = pads_image(structure, out_plan);
  choose_band(out_plan, machine);
  out_plan->has_planes = plan_planes(structure, machine, out_plan);
  return true;
}
