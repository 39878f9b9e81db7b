//===- depthwise_planes.c ---------------------------------------------------------===//

#include "transforms/rules/conv/depthwise_planes.h"

#include <inttypes.h>
#include <stdio.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"
#define FOR "!transform.op<\"scf.for\">"

void tune_depthwise_write_plane_knobs(const tune_depthwise_plan *p, tune_writer *w) {
  static const char *const names[] = {"plane_lines", "plane_rows", "plane_nr"};
  tune_writer_knob(w, names[0], "tile", TUNE_LEVEL_VECTOR, &p->lines.sizes, p->lines.size_default);
  tune_writer_knob(w, names[1], "tile", TUNE_LEVEL_VECTOR, &p->rows.sizes, p->rows.size_default);
  tune_writer_knob(w, names[2], "tile", TUNE_LEVEL_VECTOR, &p->nr, p->nr.values[0]);
  tune_writer_constraint(w, "accumulators fit the registers",
                         "plane_lines * plane_rows * plane_nr <= %" PRId64,
                         p->registers * p->lanes);
  tune_writer_constraint(w, "more products compile for seconds",
                         "plane_lines * plane_rows <= %" PRId64, p->steps);
}

// Takes off what meets a border of the loop that is marked as `mark`: its first step, and what the
// tile's size leaves over. Upstream fails where one tile is all, or none is left.
static void write_peel(const tune_depthwise_side *side, const char *mark, tune_writer *w) {
  tune_writer_line(w, "%%%s = transform.structured.match ops{[\"scf.for\"]}", mark);
  tune_writer_line(w, "  attributes{tune.%s} in %s : (" OP ") -> " OP, mark, w->func);
  tune_writer_line(w, "transform.sequence %%%s : " OP " failures(suppress) {", mark);
  tune_writer_line(w, "^bb0(%%tiles_of: " OP "):");
  w->indent++;
  tune_writer_line(w, "%%all = transform.cast %%tiles_of : " OP " to " FOR);
  if (side->before) {
    tune_writer_line(w, "%%rest, %%first = transform.loop.peel %%all {peel_front = true}");
    tune_writer_line(w, "  : (" FOR ") -> (" OP ", " OP ")");
    tune_writer_line(w, "%%inner = transform.cast %%rest : " OP " to " FOR);
  }
  tune_writer_line(w, "%%even, %%odd = transform.loop.peel %s", side->before ? "%inner" : "%all");
  tune_writer_line(w, "  : (" FOR ") -> (" OP ", " OP ")");
  w->indent--;
  tune_writer_line(w, "}");
}

// Lines outside, then vectors of channels, then pixels of a line.
static void write_tile(const tune_depthwise_plan *p, tune_writer *w) {
  const tune_nest *anchor = p->ops.anchor;
  const tune_operand *out = &anchor->operands[2];
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS], count = p->ops.epilogue ? out->rank : anchor->loop_count;
  size_t place[3] = {0}, used = 0;
  const size_t loops[3] = {p->line, p->lane, p->row};
  const char *const sizes[3] = {"%plane_lines", "%plane_nr", "%plane_rows"};
  char text[256], interchange[96], types[640];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    order[i] = i;
  for (size_t i = 0; i < out->rank; i++)
    for (size_t k = 0; k < 3; k++)
      if (tune_conv_loop_of_dimension(anchor, out, i) == loops[k]) {
        place[k] = p->ops.epilogue ? i : loops[k];
        tile.size[place[k]] = sizes[k];
      }
  for (size_t k = 0; k < 3; k++)
    used += (size_t)snprintf(interchange + used, sizeof interchange - used, "%s%zu", k ? ", " : "[",
                             place[k]);
  for (size_t i = 0; i < count; i++)
    if (i != place[0] && i != place[1] && i != place[2])
      used += (size_t)snprintf(interchange + used, sizeof interchange - used, ", %zu", i);
  snprintf(interchange + used, sizeof interchange - used, "]");
  tune_writer_line(w, "%%tile, %%tiles:3 = transform.structured.fuse %%roots tile_sizes %s",
                   tune_writer_sizes(text, sizeof text, &tile, order, count));
  tune_writer_line(w, "  interchange %s : (" OP ", " PARAM ", " PARAM ", " PARAM ") -> (%s)",
                   interchange, tune_writer_types(types, sizeof types, 4));
  tune_writer_line(w, "transform.annotate %%tiles#0 \"tune.lines\" : " OP);
  tune_writer_line(w, "transform.annotate %%tiles#2 \"tune.rows\" : " OP);
  // While there are few ops.
  tune_writer_line(w, "transform.bufferization.eliminate_empty_tensors %s : " OP, w->func);
}

// A product of each window and pixel; what starts and what follows them, of each pixel.
static void write_pixels(const tune_depthwise_plan *p, tune_writer *w) {
  const tune_nest *anchor = p->ops.anchor;
  const tune_operand *out = &anchor->operands[2];
  tune_nest plain = {.loop_count = out->rank};
  tune_tiling product = {{0}}, pixel = {{0}};
  size_t order[TUNE_MAX_LOOPS], products = 2, used = 0;
  char interchange[96];
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    order[i] = i;
  product.size[p->line] = product.size[p->row] = "1";
  for (size_t pass = 0; pass < 2; pass++) // windows outside, then pixels
    for (size_t i = 0; i < anchor->loop_count; i++)
      if (anchor->is_reduction[i] == (pass == 0)) {
        used += (size_t)snprintf(interchange + used, sizeof interchange - used, "%s%zu",
                                 used ? ", " : "[", i);
        if (pass == 0) {
          product.size[i] = "1";
          products++;
        }
      }
  snprintf(interchange + used, sizeof interchange - used, "]");
  for (size_t i = 0; i < out->rank; i++) {
    size_t loop = tune_conv_loop_of_dimension(anchor, out, i);
    pixel.size[i] = loop == p->line || loop == p->row ? "1" : "0";
  }
  tune_writer_match_generic(w, "%kernels", anchor, NULL, anchor->loop_count, w->func);
  tune_writer_tile(w, "%product", "%products", "%kernels", &product, order, anchor->loop_count,
                   interchange);
  tune_writer_match_generic(w, "%plain", &plain, NULL, out->rank, w->func);
  tune_writer_begin_foreach(w, "%plain", "%one");
  tune_writer_tile(w, "%pixel", "%pixels", "%one", &pixel, order, out->rank, NULL);
  for (size_t i = 0; i < 2; i++)
    tune_writer_line(w, "transform.annotate %%pixels#%zu \"tune.unroll\" : " OP, i);
  tune_writer_end_foreach(w);
  for (size_t i = 0; i < products; i++)
    tune_writer_line(w, "transform.annotate %%products#%zu \"%s\" : " OP, i,
                     i + 2 < products ? "tune.window" : "tune.unroll");
}

// While each op is there once: later they are hundreds. The slice that a border goes to stays.
static void write_vectors(tune_writer *w) {
  tune_writer_apply_pattern(w, "linalg.fold_unit_extent_dims_via_slices");
  tune_writer_match_op(w, "%kernel_ops", "\"linalg.generic\"");
  tune_writer_vectorize_each(w, "%kernel_ops");
}

// Windows before pixels: of most windows it is seen then that they meet no border. Without slices
// there are half as many ops. (Where there are no borders, bufferization would take for ever to see
// that what is read was written before, a product at a time.)
static void write_unrolled(const tune_depthwise_plan *p, tune_writer *w) {
  tune_writer_cleanup(w);
  if (p->ops.has_pad)
    tune_writer_apply_pattern(w, "tensor.fold_tensor_subset_ops_into_vector_transfers");
  tune_writer_unroll_marked(w, "window");
  tune_writer_cleanup(w);
  tune_writer_unroll_marked(w, "unroll");
  tune_writer_canonicalize(w);
}

// Borders go to each single pixel that is read. Where none can be there, upstream sees it once
// loops are taken apart; elsewhere it is all border, or none.
static void write_borders(const char *around, tune_writer *w) {
  tune_writer_apply_pattern(w, "tensor.merge_consecutive_insert_extract_slice");
  tune_writer_line(w, "%%borders = transform.structured.match ops{[\"tensor.pad\"]} in %s",
                   w->func);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_line(w, "%%border, %%bordered = transform.structured.fuse_into_containing_op");
  tune_writer_line(w, "  %%borders into %s : (" OP ", " OP ") -> (" OP ", " OP ")", around);
}

void tune_depthwise_write_planes(const tune_depthwise_plan *p, const char *around, tune_writer *w) {
  write_tile(p, w);
  write_pixels(p, w);
  write_vectors(w);
  if (p->ops.has_pad)
    write_borders(around, w);
  // The inner one first, as there are several of them after the outer one.
  write_peel(&p->rows, "rows", w);
  write_peel(&p->lines, "lines", w);
  write_unrolled(p, w);
  if (!p->ops.has_pad)
    return;
  tune_writer_line(w, "%%outside = transform.structured.match ops{[\"tensor.generate\"]} in %s",
                   w->func);
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_line(w, "%%constants = transform.structured.rewrite_in_destination_passing_style "
                      "%%outside : (" OP ") -> " OP);
}
