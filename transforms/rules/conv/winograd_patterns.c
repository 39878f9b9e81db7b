//===- winograd_patterns.c --------------------------------------------------------===//

#include "transforms/rules/conv/winograd_patterns.h"

#include "transforms/rules/pdl_writer.h"

static int64_t tiles_along(const tune_winograd *winograd, int64_t pixels) {
  return (pixels + winograd->tile - 1) / winograd->tile;
}

int64_t tune_winograd_products(const tune_winograd *winograd) {
  return winograd->tile + TUNE_WINOGRAD_FILTER - 1;
}

int64_t tune_winograd_tiles(const tune_winograd *winograd) {
  return winograd->batch * tiles_along(winograd, winograd->height) *
         tiles_along(winograd, winograd->width);
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

// An image or output with a dimension for the batch, and what fills it up to whole tiles.
typedef struct extents {
  int64_t shape[4]; // batch, height, width, channels
  int64_t whole[4];
} extents;

static extents plane_of(const tune_winograd *winograd, int64_t border, int64_t channels) {
  int64_t height = tiles_along(winograd, winograd->height) * winograd->tile + border;
  int64_t width = tiles_along(winograd, winograd->width) * winograd->tile + border;
  return (extents){{winograd->batch, winograd->height + border, winograd->width + border, channels},
                   {winograd->batch, height, width, channels}};
}

static bool is_whole(const extents *plane) {
  return plane->shape[1] == plane->whole[1] && plane->shape[2] == plane->whole[2];
}

// Of channels innermost, with a dimension for the batch if there is one.
static tune_pdl_text last_type(const tune_winograd *winograd, const int64_t *shape) {
  return winograd->has_batch ? tune_pdl_tensor(shape, 4) : tune_pdl_tensor(shape + 1, 3);
}

static tune_pdl_text plane_type(const tune_winograd *winograd, const extents *plane) {
  return last_type(winograd, plane->shape);
}

#define JOINED_BATCH "[[0, 1], [2], [3]]"

// `result` = `from` with a batch and in whole tiles. What stands over the edge is zero.
static void write_whole(const tune_winograd *winograd, tune_writer *w, const char *result,
                        const char *from, const extents *plane) {
  bool whole = is_whole(plane);
  tune_pdl_text edge = tune_pdl_format("%s_edge", result);
  tune_pdl_text batched =
      winograd->has_batch ? tune_pdl_format("%s", from) : tune_pdl_format("%s_batch", result);
  if (!winograd->has_batch)
    tune_pdl_operation(
        w, whole ? result : batched.text, "tensor.expand_shape",
        tune_pdl_tensor(plane->shape, 4).text, TUNE_PDL_OPERANDS(from),
        TUNE_PDL_ATTRIBUTES({"reassociation", JOINED_BATCH},
                            {"static_output_shape", tune_pdl_array(plane->shape, 4).text}));
  if (whole)
    return;
  tune_pdl_constant(w, edge.text, tune_pdl_tensor(plane->whole, 4).text, "dense<0.0>");
  tune_pdl_operation(w, result, "tensor.insert_slice", tune_pdl_tensor(plane->whole, 4).text,
                     TUNE_PDL_OPERANDS(batched.text, edge.text),
                     TUNE_PDL_ATTRIBUTES({"static_offsets", "array<i64: 0, 0, 0, 0>"},
                                         {"static_sizes", tune_pdl_array(plane->shape, 4).text},
                                         {"static_strides", "array<i64: 1, 1, 1, 1>"},
                                         {"operandSegmentSizes", "array<i32: 1, 1, 0, 0, 0>"}));
}

// `result` = `from` without what write_whole has added.
static void write_part(const tune_winograd *winograd, tune_writer *w, const char *result,
                       const char *from, const extents *plane) {
  tune_pdl_text type = plane_type(winograd, plane);
  if (is_whole(plane))
    tune_pdl_operation(w, result, "tensor.collapse_shape", type.text, TUNE_PDL_OPERANDS(from),
                       TUNE_PDL_ATTRIBUTES({"reassociation", JOINED_BATCH}));
  else
    tune_pdl_operation(w, result, "tensor.extract_slice", type.text, TUNE_PDL_OPERANDS(from),
                       TUNE_PDL_ATTRIBUTES({"static_offsets", "array<i64: 0, 0, 0, 0>"},
                                           {"static_sizes", tune_pdl_array(plane->shape, 4).text},
                                           {"static_strides", "array<i64: 1, 1, 1, 1>"},
                                           {"operandSegmentSizes", "array<i32: 1, 0, 0, 0>"}));
}

// `result` = linalg.winograd_<what>_transform of `from` into `into`.
static void write_transform(const tune_winograd *winograd, tune_writer *w, const char *result,
                            const char *what, const char *from, const char *into,
                            const char *type) {
  tune_pdl_text op = tune_pdl_format("linalg.winograd_%s_transform", what);
  // An fmr of 1 is F(4x4, 3x3), 0 is F(2x2, 3x3).
  tune_pdl_operation(
      w, result, op.text, type, TUNE_PDL_OPERANDS(from, into),
      TUNE_PDL_ATTRIBUTES(
          {"fmr", winograd->tile == TUNE_WINOGRAD_LARGE_TILE ? "1 : i32" : "0 : i32"}));
}

// %columns: the transformed filters, depth x products x channels in memory, seen as products x
// depth x channels. What transforms them is a transposition of a filter cast to the same size,
// which its own pattern replaces; the way back is generalized, tiled with the products, and gone.
static void write_filters(const tune_winograd *winograd, tune_writer *w, int64_t block) {
  int64_t depth = winograd->depth,
          count = tune_winograd_products(winograd) * tune_winograd_products(winograd);
  tune_pdl_operation(w, "turned", "builtin.unrealized_conversion_cast",
                     TUNE_PDL_TENSOR(count, depth, block).text, TUNE_PDL_OPERANDS("filter"), NULL);
  tune_pdl_operation(w, "filters", "tosa.transpose", TUNE_PDL_TENSOR(depth, count, block).text,
                     TUNE_PDL_OPERANDS("turned"),
                     TUNE_PDL_ATTRIBUTES({"perms", "array<i32: 1, 0, 2>"}));
  tune_pdl_operation(w, "columns", "tosa.transpose", TUNE_PDL_TENSOR(count, depth, block).text,
                     TUNE_PDL_OPERANDS("filters"),
                     TUNE_PDL_ATTRIBUTES({"perms", "array<i32: 1, 0, 2>"}));
}

// %products: for each of the 36 (or 16), tiles x depth times depth x channels.
static void write_products(const tune_winograd *winograd, tune_writer *w, int64_t block) {
  int64_t tiles = tune_winograd_tiles(winograd);
  int64_t count = tune_winograd_products(winograd) * tune_winograd_products(winograd);
  tune_pdl_operation(w, "rows", "tensor.collapse_shape",
                     TUNE_PDL_TENSOR(count, tiles, winograd->depth).text,
                     TUNE_PDL_OPERANDS("tiles"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1], [2, 3, 4], [5]]"}));
  tune_pdl_matmul(w, "products", TUNE_PDL_TENSOR(count, tiles, block).text, "rows", "columns");
}

// %sums: the transforms and products of `image`, into `start`.
static void write_all_transforms(const tune_winograd *winograd, tune_writer *w, int64_t block,
                                 const char *image, const char *start, const extents *output) {
  int64_t down = tiles_along(winograd, winograd->height);
  int64_t across = tiles_along(winograd, winograd->width);
  int64_t size = tune_winograd_products(winograd), depth = winograd->depth, batch = winograd->batch;
  tune_pdl_text tiles = TUNE_PDL_TENSOR(size, size, down, across, batch, depth);
  tune_pdl_operation(w, "tiles_memory", "tensor.empty", tiles.text, TUNE_PDL_NO_OPERANDS, NULL);
  write_transform(winograd, w, "tiles", "input", image, "tiles_memory", tiles.text);
  write_filters(winograd, w, block);
  write_products(winograd, w, block);
  const int64_t shape[] = {size, size, down, across, batch, block};
  tune_pdl_operation(w, "products_of_tiles", "tensor.expand_shape", tune_pdl_tensor(shape, 6).text,
                     TUNE_PDL_OPERANDS("products"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1], [2, 3, 4], [5]]"},
                                         {"static_output_shape", tune_pdl_array(shape, 6).text}));
  write_transform(winograd, w, "sums", "output", "products_of_tiles", start,
                  tune_pdl_tensor(output->whole, 4).text);
}

void tune_winograd_write_convolution(const tune_winograd *winograd, const char *name, int64_t block,
                                     tune_writer *w) {
  extents image = plane_of(winograd, TUNE_WINOGRAD_FILTER - 1, winograd->depth);
  extents output = plane_of(winograd, 0, block);
  int64_t depth = winograd->depth;
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "image", plane_type(winograd, &image).text);
  tune_pdl_operand(w, "filter",
                   TUNE_PDL_TENSOR(TUNE_WINOGRAD_FILTER, TUNE_WINOGRAD_FILTER, depth, block).text);
  tune_pdl_operand(w, "start", plane_type(winograd, &output).text);
  tune_writer_line(w, "%%nest = pdl.operation \"linalg.generic\"(%%image, %%filter, %%start : "
                      "!pdl.value, !pdl.value, !pdl.value) -> (%%start_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  const char *image_name = winograd->has_batch && is_whole(&image) ? "image" : "whole_image";
  const char *start_name = winograd->has_batch && is_whole(&output) ? "start" : "whole_start";
  write_whole(winograd, w, "whole_image", "image", &image);
  write_whole(winograd, w, "whole_start", "start", &output);
  write_all_transforms(winograd, w, block, image_name, start_name, &output);
  if (winograd->has_batch && is_whole(&output)) {
    tune_pdl_end_pattern(w, "sums");
    return;
  }
  write_part(winograd, w, "result", "sums", &output);
  tune_pdl_end_pattern(w, "result");
}

//===--------------------------------------------------------------------------===//
// Channels before pixels
//===--------------------------------------------------------------------------===//

// Of channels innermost, the shape in the other order.
static tune_pdl_text first_type(const tune_winograd *winograd, const int64_t *shape) {
  const int64_t turned[] = {shape[0], shape[3], shape[1], shape[2]};
  return winograd->has_batch ? tune_pdl_tensor(turned, 4) : tune_pdl_tensor(turned + 1, 3);
}

// What slices say of offsets, sizes and strides. Without a batch of its own, one end has a
// dimension less.
#define SLICE(offsets, sizes)                                                                      \
  {"static_offsets", tune_pdl_array(offsets, 4).text},                                             \
      {"static_sizes", tune_pdl_array(sizes, 4).text}, {                                           \
    "static_strides", "array<i64: 1, 1, 1, 1>"                                                     \
  }

void tune_winograd_write_borders(const tune_winograd *winograd, const char *name, tune_writer *w) {
  extents plane = plane_of(winograd, TUNE_WINOGRAD_FILTER - 1, winograd->depth);
  const int64_t *low = winograd->low, *high = winograd->high;
  const int64_t offsets[] = {0, low[0], low[1], 0};
  const int64_t inner[] = {plane.shape[0], plane.shape[1] - low[0] - high[0],
                           plane.shape[2] - low[1] - high[1], plane.shape[3]};
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "image", first_type(winograd, inner).text);
  tune_pdl_operand(w, "border", "f32");
  tune_writer_line(w, "%%memory = pdl.operand");
  tune_writer_line(w, "%%whole_type = pdl.type : %s", first_type(winograd, plane.shape).text);
  tune_writer_line(w, "%%fill_op = pdl.operation \"linalg.fill\"(%%border, %%memory : !pdl.value, "
                      "!pdl.value) -> (%%whole_type : !pdl.type)");
  tune_writer_line(w, "%%fill = pdl.result 0 of %%fill_op");
  tune_writer_line(w,
                   "%%nest = pdl.operation \"tensor.insert_slice\"(%%image, %%fill : !pdl.value, "
                   "!pdl.value) -> (%%whole_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  tune_pdl_load_tosa(w);
  tune_pdl_operation(w, "turned", "tosa.transpose", last_type(winograd, inner).text,
                     TUNE_PDL_OPERANDS("image"),
                     TUNE_PDL_ATTRIBUTES({"perms", winograd->has_batch ? "array<i32: 0, 2, 3, 1>"
                                                                       : "array<i32: 1, 2, 0>"}));
  if (is_whole(&plane)) {
    // The same fill in another shape, which upstream makes a fill of that shape.
    tune_pdl_operation(
        w, "flat", "tensor.collapse_shape",
        TUNE_PDL_TENSOR(plane.shape[0] * plane.shape[1] * plane.shape[2] * plane.shape[3]).text,
        TUNE_PDL_OPERANDS("fill"),
        TUNE_PDL_ATTRIBUTES(
            {"reassociation", winograd->has_batch ? "[[0, 1, 2, 3]]" : "[[0, 1, 2]]"}));
    tune_pdl_operation(
        w, "edges", "tensor.expand_shape", tune_pdl_tensor(plane.whole, 4).text,
        TUNE_PDL_OPERANDS("flat"),
        TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1, 2, 3]]"},
                            {"static_output_shape", tune_pdl_array(plane.whole, 4).text}));
  } else {
    tune_pdl_operation(w, "edges", "tensor.splat", tune_pdl_tensor(plane.whole, 4).text,
                       TUNE_PDL_OPERANDS("border"), NULL);
  }
  tune_pdl_operation(w, "bordered", "tensor.insert_slice", tune_pdl_tensor(plane.whole, 4).text,
                     TUNE_PDL_OPERANDS("turned", "edges"),
                     TUNE_PDL_ATTRIBUTES(SLICE(offsets, inner),
                                         {"operandSegmentSizes", "array<i32: 1, 1, 0, 0, 0>"}));
  tune_pdl_operation(w, "result", "builtin.unrealized_conversion_cast",
                     first_type(winograd, plane.shape).text, TUNE_PDL_OPERANDS("bordered"), NULL);
  tune_pdl_end_pattern(w, "result");
}

// %weights: depth x windows x channels, out of the filter's channels x depth x windows. The windows
// are one dimension, so that the type is another one than what it is cast to.
static void write_turned_filter(const tune_winograd *winograd, tune_writer *w, int64_t block) {
  const int64_t windows = TUNE_WINOGRAD_FILTER * TUNE_WINOGRAD_FILTER;
  const int64_t shape[] = {winograd->depth, windows, block};
  tune_pdl_operation(
      w, "flat", "tensor.collapse_shape", TUNE_PDL_TENSOR(block, winograd->depth * windows).text,
      TUNE_PDL_OPERANDS("filter"), TUNE_PDL_ATTRIBUTES({"reassociation", "[[0], [1, 2, 3]]"}));
  tune_pdl_operation(w, "flat_turned", "tosa.transpose",
                     TUNE_PDL_TENSOR(winograd->depth * windows, block).text,
                     TUNE_PDL_OPERANDS("flat"), TUNE_PDL_ATTRIBUTES({"perms", "array<i32: 1, 0>"}));
  tune_pdl_operation(w, "weights", "tensor.expand_shape", tune_pdl_tensor(shape, 3).text,
                     TUNE_PDL_OPERANDS("flat_turned"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1], [2]]"},
                                         {"static_output_shape", tune_pdl_array(shape, 3).text}));
}

void tune_winograd_write_turns(const tune_winograd *winograd, const char *name, int64_t block,
                               bool starts_at_zero, tune_writer *w) {
  extents image = plane_of(winograd, TUNE_WINOGRAD_FILTER - 1, winograd->depth);
  extents output = plane_of(winograd, 0, block);
  tune_pdl_text type = first_type(winograd, output.shape);
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "bordered", tune_pdl_tensor(image.whole, 4).text);
  tune_writer_line(w, "%%image_type = pdl.type : %s", first_type(winograd, image.shape).text);
  tune_writer_line(w,
                   "%%image_op = pdl.operation \"builtin.unrealized_conversion_cast\"(%%bordered "
                   ": !pdl.value) -> (%%image_type : !pdl.type)");
  tune_writer_line(w, "%%image = pdl.result 0 of %%image_op");
  tune_pdl_operand(
      w, "filter",
      TUNE_PDL_TENSOR(block, winograd->depth, TUNE_WINOGRAD_FILTER, TUNE_WINOGRAD_FILTER).text);
  if (starts_at_zero) {
    tune_pdl_zero_fill(w, "start", type.text);
  } else {
    tune_pdl_operand(w, "start", type.text);
  }
  tune_writer_line(w, "%%nest = pdl.operation \"linalg.generic\"(%%image, %%filter, %%start : "
                      "!pdl.value, !pdl.value, !pdl.value) -> (%%start_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  tune_pdl_load_tosa(w);
  write_turned_filter(winograd, w, block);
  tune_pdl_operation(w, "sums", "builtin.unrealized_conversion_cast",
                     last_type(winograd, output.shape).text,
                     TUNE_PDL_OPERANDS("bordered", "weights"), NULL);
  tune_pdl_operation(w, "pixels", "tosa.transpose", type.text, TUNE_PDL_OPERANDS("sums"),
                     TUNE_PDL_ATTRIBUTES({"perms", winograd->has_batch ? "array<i32: 0, 3, 1, 2>"
                                                                       : "array<i32: 2, 0, 1>"}));
  if (!starts_at_zero)
    tune_pdl_operation(w, "added", "tosa.add", type.text, TUNE_PDL_OPERANDS("start", "pixels"),
                       NULL);
  tune_pdl_end_pattern(w, starts_at_zero ? "pixels" : "added");
}

void tune_winograd_write_turned_convolution(const tune_winograd *winograd, const char *name,
                                            int64_t block, tune_writer *w) {
  extents image = plane_of(winograd, TUNE_WINOGRAD_FILTER - 1, winograd->depth);
  extents output = plane_of(winograd, 0, block);
  const int64_t windows = TUNE_WINOGRAD_FILTER * TUNE_WINOGRAD_FILTER, origin[4] = {0};
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "bordered", tune_pdl_tensor(image.whole, 4).text);
  tune_pdl_operand(w, "filter", TUNE_PDL_TENSOR(winograd->depth, windows, block).text);
  tune_writer_line(w, "%%result_type = pdl.type : %s", last_type(winograd, output.shape).text);
  tune_writer_line(w, "%%nest = pdl.operation \"builtin.unrealized_conversion_cast\"(%%bordered, "
                      "%%filter : !pdl.value, !pdl.value) -> (%%result_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  tune_pdl_operation(w, "sums_memory", "tensor.empty", tune_pdl_tensor(output.whole, 4).text,
                     TUNE_PDL_NO_OPERANDS, NULL);
  write_all_transforms(winograd, w, block, "bordered", "sums_memory", &output);
  tune_pdl_operation(w, "part", "tensor.extract_slice", last_type(winograd, output.shape).text,
                     TUNE_PDL_OPERANDS("sums"),
                     TUNE_PDL_ATTRIBUTES(SLICE(origin, output.shape),
                                         {"operandSegmentSizes", "array<i32: 1, 0, 0, 0>"}));
  tune_pdl_end_pattern(w, "part");
}
