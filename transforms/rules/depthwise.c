//===- depthwise.c - The space of convolutions of each channel with itself ------------------===//
//
// O[channel, pixel] += I[channel, pixel * stride + window] * F[channel, window]: nine products an
// element where a convolution has thousands, so that what counts is to read and write each element
// once. The innermost loop of the output becomes vectors, the one outside of it the rows of a
// register tile that stays in registers while all windows pass. Borders are added to a band of
// lines when they are needed, in a buffer that stays in a cache: added to all of the image at once
// they took as long as everything else.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/conv_ops.h"
#include "transforms/rules/rule.h"

#include <inttypes.h>
#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

typedef struct plan {
  tune_conv_ops ops;
  const tune_operand *image, *filter;
  size_t lane; // the loop that becomes vectors: the innermost of the output
  size_t row;  // the next outside of it, whose steps share a weight
  int64_t lanes;
  size_t line; // the outermost loop of pixels; may be `row`

  // Of the register tile: rows, and elements of a row. Of a band: lines, and elements of a row.
  tune_value_set mr, nr, band, block;
  int64_t mr_default, nr_default, band_default, block_default;
  bool rows_divide; // every mr of the domain divides the rows
} plan;

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

static bool find_loops(plan *p) {
  const tune_nest *nest = p->ops.anchor;
  const tune_operand *out = &nest->operands[2];
  size_t filter = tune_operand_is_projection(&nest->operands[1]) ? 1 : 0;
  p->filter = &nest->operands[filter];
  p->image = &nest->operands[1 - filter];
  if (nest->widens || out->rank < 2 || !tune_operand_is_projection(out) ||
      !is_depthwise(nest, p->image, p->filter))
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

static bool choose_tile(plan *p, const tune_machine *machine) {
  const tune_nest *nest = p->ops.anchor;
  int64_t lane_extent = nest->extent[p->lane], rows = nest->extent[p->row];
  p->lanes = machine->vector_bits / nest->operands[2].bits;
  if (p->lanes < 4)
    return false;
  for (int64_t vectors = 1; vectors <= 4; vectors *= 2)
    if (lane_extent % (vectors * p->lanes) == 0)
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
static int64_t line_bytes(const plan *p) {
  const tune_operand *image = p->image;
  int64_t bytes = image->bits / 8 * tune_operand_coefficient(image, p->line);
  for (size_t i = 0; i < image->rank; i++)
    if (image->index[i].coefficient[p->line] == 0 &&
        (image->index[i].coefficient[p->row] || image->index[i].coefficient[p->lane]) &&
        !tune_operand_is_loop(image, i, p->lane))
      bytes *= image->shape[i];
  return bytes;
}

// Blocks of the lanes where these are channels, so that all lines fit the first cache, or else the
// narrowest; and bands of lines that fit the second one beside other things.
static void choose_band(plan *p, const tune_machine *machine) {
  const tune_nest *nest = p->ops.anchor;
  int64_t lines = nest->extent[p->line], bytes = line_bytes(p), limit = machine->l2_bytes / 4;
  p->block_default = 1;
  if (uses(p->filter, p->lane)) {
    int64_t channels = nest->extent[p->lane], step = p->nr.values[p->nr.count - 1];
    tune_value_set_add(&p->block, channels);
    tune_value_set_add_divisors(&p->block, channels, step, channels / 2, step);
    p->block_default = tune_value_set_at_most(&p->block, machine->l1_bytes / (bytes * lines));
    bytes *= p->block_default;
  }
  // In the first cache, unless so few lines fit it that those between bands are copied too often.
  int64_t most = machine->l1_bytes / 2 / bytes;
  if (most < 8)
    most = limit / bytes;
  if (machine->threads > 1 && most > lines / (int64_t)machine->threads)
    most = lines / (int64_t)machine->threads;
  tune_value_set_add_divisors(&p->band, lines, 1, lines, 1);
  p->band_default = tune_value_set_at_most(&p->band, most);
}

static bool make_plan(const tune_structure *structure, const tune_machine *machine, plan *p) {
  *p = (plan){0};
  if (!structure->is_regular || structure->is_dynamic || !tune_conv_ops_find(structure, &p->ops) ||
      !find_loops(p) || !choose_tile(p, machine))
    return false;
  choose_band(p, machine);
  return true;
}

//===--------------------------------------------------------------------------===//
// The schedule
//===--------------------------------------------------------------------------===//

// Binds %anchor, %start (what starts the accumulator) and %root (the last op).
static void write_ops(const plan *p, tune_writer *w) {
  const tune_nest *anchor = p->ops.anchor;
  tune_writer_match_generic(w, "%anchor", anchor, NULL, anchor->loop_count, w->func);
  tune_writer_line(w, "%%init = transform.get_producer_of_operand %%anchor[2] : (" OP ") -> " OP);
  if (p->ops.init->kind == TUNE_NEST_FILL)
    tune_writer_line(w, "%%start = transform.structured.generalize %%init : (" OP ") -> " OP);
  else
    tune_writer_line(w, "%%start = transform.merge_handles %%init : " OP);
  if (p->ops.epilogue)
    tune_writer_line(w, "%%root = transform.get_consumers_of_result %%anchor[0] : (" OP ") -> " OP);
  else
    tune_writer_line(w, "%%root = transform.merge_handles %%anchor : " OP);
  tune_writer_line(w, "transform.annotate %%root \"tune.root\" : " OP);
}

static void write_fuse(tune_writer *w, const char *result, const char *producer,
                       unsigned *loop_count) {
  tune_writer_line(
      w, "%s, %%bands_%u = transform.structured.fuse_into_containing_op %s into %%bands_%u", result,
      *loop_count + 1, producer, *loop_count);
  tune_writer_line(w, "  : (" OP ", " OP ") -> (" OP ", " OP ")");
  ++*loop_count;
}

// Borders are copied beside the lines they belong to, if all of a band is no border; upstream asks
// at run time whether it is.
static void write_borders(tune_writer *w, unsigned *loop_count) {
  tune_writer_line(w, "%%image = transform.structured.match ops{[\"tensor.pad\"]} in %s", w->func);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  write_fuse(w, "%image_band", "%image", loop_count);
  tune_writer_line(
      w, "%%guards = transform.structured.match ops{[\"scf.if\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_line(w,
                   "transform.scf.take_assumed_branch %%guards take_else_branch : (" OP ") -> ()");
  tune_writer_cleanup(w);
  tune_writer_line(
      w, "%%borders = transform.structured.match ops{[\"tensor.pad\"]} in %s : (" OP ") -> " OP,
      w->func);
  tune_writer_line(w, "%%bordered = transform.structured.rewrite_in_destination_passing_style "
                      "%%borders : (" OP ") -> " OP);
  // Memory of its own for each band: else what is the same in all of them would be made once, and
  // copied.
  tune_writer_line(w,
                   "%%filled = transform.get_producer_of_operand %%bordered[1] : (" OP ") -> " OP);
  tune_writer_line(w, "%%places = transform.get_producer_of_operand %%filled[1]");
  tune_writer_line(w, "  : (" OP ") -> !transform.op<\"tensor.empty\">");
  tune_writer_line(w, "%%memory = transform.bufferization.empty_tensor_to_alloc_tensor %%places");
  tune_writer_line(w, "  : (!transform.op<\"tensor.empty\">) -> "
                      "!transform.op<\"bufferization.alloc_tensor\">");
}

// Bands of lines in parallel; in a band the register tile, rows inside, so that weights along the
// lanes stay in registers for a line.
static void write_tiles(const plan *p, tune_writer *w) {
  const tune_nest *anchor = p->ops.anchor;
  const tune_operand *out = &anchor->operands[2];
  tune_tiling bands = {{0}}, tile = {{0}};
  size_t order[TUNE_MAX_LOOPS], count = p->ops.epilogue ? out->rank : anchor->loop_count;
  size_t row = 0, lane = 0, used = 0;
  unsigned params = 0, loop_count = 0;
  char sizes[256], loops[96], types[640];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    order[i] = i;
  for (size_t i = 0; i < out->rank; i++) {
    size_t loop = tune_conv_loop_of_dimension(anchor, out, i);
    size_t place = p->ops.epilogue ? i : loop;
    if (loop == p->line)
      bands.size[place] = "%band";
    else if (loop == p->lane)
      bands.size[place] = p->block.count ? "%block" : "0";
    else if (loop != p->row)
      bands.size[place] = "1";
    params += loop == p->line || (loop == p->lane && p->block.count);
    if (loop == p->lane)
      lane = place;
    else if (loop == p->row)
      row = place;
    else
      used +=
          (size_t)snprintf(loops + used, sizeof loops - used, "%s%zu", used ? ", " : "[", place);
    tile.size[place] = loop == p->lane ? "%nr" : loop == p->row ? "%mr" : "1";
  }
  used += (size_t)snprintf(loops + used, sizeof loops - used, "%s%zu, %zu", used ? ", " : "[", lane,
                           row);
  for (size_t i = 0; !p->ops.epilogue && i < count; i++)
    if (anchor->is_reduction[i])
      used += (size_t)snprintf(loops + used, sizeof loops - used, ", %zu", i);
  snprintf(loops + used, sizeof loops - used, "]");
  tune_writer_line(w,
                   "%%band_root, %%bands_0 = transform.structured.tile_using_forall %%root "
                   "tile_sizes %s",
                   tune_writer_sizes(sizes, sizeof sizes, &bands, order, count));
  tune_writer_line(w, "  : (" OP "%s) -> (" OP ", " OP ")",
                   params == 2 ? ", " PARAM ", " PARAM : ", " PARAM);
  if (p->ops.epilogue)
    write_fuse(w, "%anchor_band", "%anchor", &loop_count);
  write_fuse(w, "%start_band", "%start", &loop_count);
  if (p->ops.has_pad)
    write_borders(w, &loop_count);
  // Cleaning up makes new ops of some that have handles.
  tune_writer_line(w,
                   "%%roots = transform.structured.match ops{[\"linalg.generic\"]} "
                   "attributes{tune.root} in %s : (" OP ") -> " OP,
                   w->func);
  tune_writer_line(w, "%%tile, %%tiles:%zu = transform.structured.fuse %%roots tile_sizes %s",
                   out->rank, tune_writer_sizes(sizes, sizeof sizes, &tile, order, count));
  tune_writer_line(w, "  interchange %s : (" OP ", " PARAM ", " PARAM ") -> (%s)", loops,
                   tune_writer_types(types, sizeof types, out->rank + 1));
  if (!p->rows_divide) {
    tune_writer_line(w, "transform.sequence %%tiles#%zu : " OP " failures(suppress) {",
                     out->rank - 1);
    tune_writer_line(w, "^bb0(%%edge: " OP "):");
    tune_writer_line(w, "  %%for = transform.cast %%edge : " OP " to !transform.op<\"scf.for\">");
    tune_writer_line(w, "  %%even, %%odd = transform.loop.peel %%for");
    tune_writer_line(w, "    : (!transform.op<\"scf.for\">) -> (" OP ", " OP ")");
    tune_writer_line(w, "}");
  }
  tune_writer_cleanup(w);
  // While there are few ops.
  tune_writer_line(w, "transform.bufferization.eliminate_empty_tensors %s : " OP, w->func);
}

// Windows one at a time, in each the rows one by one, and each of these a vector operation.
static void write_kernel(const plan *p, tune_writer *w) {
  const tune_nest *anchor = p->ops.anchor;
  tune_tiling step = {{0}}, row = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  for (size_t i = 0; i < anchor->loop_count; i++) {
    order[i] = i;
    step.size[i] = anchor->is_reduction[i] ? "1" : "0";
  }
  row.size[p->row] = "1";
  tune_writer_match_generic(w, "%kernels", anchor, NULL, anchor->loop_count, w->func);
  tune_writer_begin_foreach(w, "%kernels", "%kernel");
  tune_writer_tile(w, "%step", "%windows", "%kernel", &step, order, anchor->loop_count, NULL);
  tune_writer_tile(w, "%line", "%rows", "%step", &row, order, anchor->loop_count, NULL);
  tune_writer_line(w, "transform.annotate %%rows \"tune.unroll\" : " OP);
  tune_writer_end_foreach(w);
  tune_writer_cleanup(w);
  tune_writer_unroll_marked(w);
  tune_writer_fold_unit_dims(w);
  // A row without unit dimensions goes into one with them, and that into the tile: in one step, or
  // the tile would not be seen to stay in registers.
  tune_writer_line(w, "transform.apply_patterns to %s {", w->func);
  tune_writer_line(w, "  transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice");
  tune_writer_line(w, "} : " OP);
  tune_writer_line(w, "%%parts = transform.structured.match ops{[\"linalg.generic\"]} in %s",
                   w->func);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_begin_foreach(w, "%parts", "%part");
  tune_writer_try_vectorize(w, "%part", NULL);
  tune_writer_end_foreach(w);
  tune_writer_vector_cleanup(w, false);
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

static bool depthwise_applies(const tune_structure *structure, const tune_machine *machine) {
  plan p;
  return make_plan(structure, machine, &p);
}

static void depthwise_write(const tune_structure *structure, const tune_machine *machine,
                            tune_writer *w) {
  plan p;
  if (!make_plan(structure, machine, &p))
    return;
  tune_writer_begin_tensors(w, "rule 'depthwise': a register tile of each channel's own");
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &p.mr, p.mr_default);
  tune_writer_knob(w, "nr", "tile", TUNE_LEVEL_VECTOR, &p.nr, p.nr_default);
  tune_writer_knob(w, "band", "tile", TUNE_LEVEL_LINALG, &p.band, p.band_default);
  if (p.block.count)
    tune_writer_knob(w, "block", "tile", TUNE_LEVEL_LINALG, &p.block, p.block_default);
  write_ops(&p, w);
  write_tiles(&p, w);
  write_kernel(&p, w);
  tune_writer_end_sequence(w);
  tune_writer_begin_buffers(w);
  tune_writer_lower_vectors(w);
  tune_writer_place_buffers(w);
  bool has_math = p.ops.epilogue && p.ops.epilogue->math_op_count;
  tune_writer_target_knobs(w, machine->vector_bits, has_math);
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_depthwise = {
    .name = "depthwise",
    .summary = "depthwise convolutions: windows over a tile of pixels in registers",
    .applies = depthwise_applies,
    .write = depthwise_write,
};
