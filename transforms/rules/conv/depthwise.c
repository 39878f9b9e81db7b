//===- depthwise.c - The space of convolutions of each channel with itself ---===//
//
// O[channel, pixel] += I[channel, pixel * stride + window] * F[channel, window]: nine products an
// element where a convolution has thousands, so that what counts is to read and write each element
// once. The innermost loop of the output becomes vectors, the one outside of it the rows of a
// register tile that stays in registers while all windows pass. Borders are added to a band of
// lines when they are needed, in a buffer that stays in a cache: added to all of the image at once
// they took as long as everything else.
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/conv/depthwise_planes.h"
#include "transforms/rules/layouts.h"

#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

//===--------------------------------------------------------------------------===//
// The schedule
//===--------------------------------------------------------------------------===//

// Binds %anchor, %start (what starts the accumulator) and %root (the last op).
static void write_ops(const tune_depthwise_plan *p, tune_writer *w) {
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
  if (!p->ops.has_pad || p->pads_image)
    return;
  // What is padded is copied before the product reads it: no part of a band.
  tune_writer_match_op(w, "%pads", "\"tensor.pad\"");
  tune_writer_begin_foreach(w, "%pads", "%one_pad");
  tune_writer_line(w, "%%padded = transform.structured.rewrite_in_destination_passing_style "
                      "%%one_pad : (" OP ") -> " OP);
  tune_writer_end_foreach(w);
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

static void write_roots(tune_writer *w) {
  tune_writer_line(w,
                   "%%roots = transform.structured.match ops{[\"linalg.generic\"]} "
                   "attributes{tune.root} in %s : (" OP ") -> " OP,
                   w->func);
}

// Bands of lines in parallel, or all lines; blocks of channels. Binds %roots in them; says how many
// ops were fused.
static unsigned write_bands(const tune_depthwise_plan *p, bool has_bands, tune_writer *w) {
  const tune_nest *anchor = p->ops.anchor;
  const tune_operand *out = &anchor->operands[2];
  tune_tiling bands = {{0}};
  size_t order[TUNE_MAX_LOOPS], count = p->ops.epilogue ? out->rank : anchor->loop_count;
  unsigned params = 0, loop_count = 0;
  char sizes[256];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    order[i] = i;
  for (size_t i = 0; i < out->rank; i++) {
    size_t loop = tune_conv_loop_of_dimension(anchor, out, i);
    size_t place = p->ops.epilogue ? i : loop;
    if (loop == p->line)
      bands.size[place] = has_bands ? "%band" : "0";
    else if (loop == p->lane)
      bands.size[place] = p->block.count ? "%block" : "0";
    else if (loop != p->row)
      bands.size[place] = "1";
    params += (loop == p->line && has_bands) || (loop == p->lane && p->block.count);
  }
  tune_writer_line(w,
                   "%%band_root, %%bands_0 = transform.structured.tile_using_forall %%root "
                   "tile_sizes %s",
                   tune_writer_sizes(sizes, sizeof sizes, &bands, order, count));
  tune_writer_line(w, "  : (" OP "%s) -> (" OP ", " OP ")",
                   params == 2 ? ", " PARAM ", " PARAM : ", " PARAM);
  if (p->ops.epilogue)
    write_fuse(w, "%anchor_band", "%anchor", &loop_count);
  write_fuse(w, "%start_band", "%start", &loop_count);
  return loop_count;
}

// In a band the register tile, rows inside, so that weights along the lanes stay in registers for a
// line. Cleaning up makes new ops of some that have handles.
static void write_tiles(const tune_depthwise_plan *p, tune_writer *w) {
  const tune_nest *anchor = p->ops.anchor;
  const tune_operand *out = &anchor->operands[2];
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS], count = p->ops.epilogue ? out->rank : anchor->loop_count;
  size_t row = 0, lane = 0, used = 0;
  char sizes[256], loops[96], types[640];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    order[i] = i;
  for (size_t i = 0; i < out->rank; i++) {
    size_t loop = tune_conv_loop_of_dimension(anchor, out, i);
    size_t place = p->ops.epilogue ? i : loop;
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
  write_roots(w);
  tune_writer_line(w, "%%tile, %%tiles:%zu = transform.structured.fuse %%roots tile_sizes %s",
                   out->rank, tune_writer_sizes(sizes, sizeof sizes, &tile, order, count));
  tune_writer_line(w, "  interchange %s : (" OP ", " PARAM ", " PARAM ") -> (%s)", loops,
                   tune_writer_types(types, sizeof types, out->rank + 1));
  if (!p->rows_divide) {
    char innermost[32];
    snprintf(innermost, sizeof innermost, "%%tiles#%zu", out->rank - 1);
    tune_writer_peel(w, innermost);
  }
  tune_writer_cleanup(w);
  // While there are few ops.
  tune_writer_line(w, "transform.bufferization.eliminate_empty_tensors %s : " OP, w->func);
}

// Windows one at a time, in each the rows one by one, and each of these a vector operation.
static void write_kernel(const tune_depthwise_plan *p, tune_writer *w) {
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
  tune_writer_unroll_marked(w, "unroll");
}

static void write_vectors(tune_writer *w) {
  tune_writer_fold_unit_dims(w);
  // A row without unit dimensions goes into one with them, and that into the tile: in one step, or
  // the tile would not be seen to stay in registers.
  tune_writer_apply_pattern(w, "tensor.merge_consecutive_insert_extract_slice");
  tune_writer_line(w, "%%parts = transform.structured.match ops{[\"linalg.generic\"]} in %s",
                   w->func);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_vectorize_each(w, "%parts");
  tune_writer_vector_cleanup(w, false);
}

static void write_rows(const tune_depthwise_plan *p, tune_writer *w) {
  tune_writer_knob(w, "mr", "tile", TUNE_LEVEL_VECTOR, &p->mr, p->mr_default);
  tune_writer_knob(w, "nr", "tile", TUNE_LEVEL_VECTOR, &p->nr, p->nr_default);
  tune_writer_knob(w, "band", "tile", TUNE_LEVEL_LINALG, &p->band, p->band_default);
  unsigned loop_count = write_bands(p, true, w);
  if (p->pads_image)
    write_borders(w, &loop_count);
  write_tiles(p, w);
  write_kernel(p, w);
  write_vectors(w);
}

static void write_planes(const tune_depthwise_plan *p, tune_writer *w) {
  char around[16];
  tune_depthwise_write_plane_knobs(p, w);
  snprintf(around, sizeof around, "%%bands_%u", write_bands(p, false, w));
  write_roots(w);
  tune_depthwise_write_planes(p, around, w);
  write_vectors(w);
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

static bool depthwise_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_depthwise_plan p;
  return tune_depthwise_plan_make(structure, machine, &p);
}

static void depthwise_write(const tune_structure *structure, const tune_machine *machine,
                            tune_writer *w) {
  tune_depthwise_plan p;
  if (!tune_depthwise_plan_make(structure, machine, &p))
    return;
  tune_writer_begin_tensors(w, "rule 'depthwise': a register tile of each channel's own");
  if (p.block.count)
    tune_writer_knob(w, "block", "tile", TUNE_LEVEL_LINALG, &p.block, p.block_default);
  write_ops(&p, w);
  if (p.has_planes) {
    tune_writer_begin_alternatives(w, NULL, "tile_shape", TUNE_LEVEL_LINALG, "\"rows\", \"planes\"",
                                   p.takes_planes, 0);
    write_rows(&p, w);
    tune_writer_next_alternative(w, NULL, 0);
    write_planes(&p, w);
    tune_writer_end_alternatives(w, NULL, 0);
  } else {
    write_rows(&p, w);
  }
  tune_writer_end_sequence(w);
  tune_writer_begin_buffers(w);
  tune_writer_lower_vectors(w);
  tune_writer_place_buffers(w);
  bool has_math = tune_structure_has_math(structure);
  tune_writer_target_knobs(w, machine->vector_bits, has_math);
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}

const tune_rule tune_rule_depthwise = {
    .name = "depthwise",
    .summary = "depthwise convolutions: windows over a tile of pixels in registers",
    .kinds = TUNE_KINDS_CPU,
    .takes_layouts = true,
    .applies = depthwise_applies,
    .yields = tune_layouts_is_best_as_it_lies,
    .write = depthwise_write,
};
