//===- winograd_patterns.c --------------------------------------------------------===//

#include "transforms/rules/winograd_patterns.h"

#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST TUNE_WINOGRAD_MOST_PRODUCTS

// The points of F(4x4, 3x3), exact as f32, as are their squares' sum and product.
#define A (5.0 / 8)
#define B (3.0 / 2)
#define A2 (A * A)
#define B2 (B * B)

// A type, an attribute or the name of a value.
typedef struct text {
  char text[160];
} text;

static text format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
static text format(const char *pattern, ...) {
  text result;
  va_list arguments;
  va_start(arguments, pattern);
  vsnprintf(result.text, sizeof result.text, pattern, arguments);
  va_end(arguments);
  return result;
}

// "array<i64: 1, 2, 3>" and "tensor<1x2x3xf32>".
static text array_of(const int64_t *values, size_t count) {
  text result = {"array<i64: "};
  size_t used = strlen(result.text);
  for (size_t i = 0; i < count; i++)
    used += (size_t)snprintf(result.text + used, sizeof result.text - used, "%s%" PRId64,
                             i ? ", " : "", values[i]);
  snprintf(result.text + used, sizeof result.text - used, ">");
  return result;
}

static text tensor_of(const int64_t *shape, size_t rank) {
  text result = {"tensor<"};
  size_t used = strlen(result.text);
  for (size_t i = 0; i < rank; i++)
    used +=
        (size_t)snprintf(result.text + used, sizeof result.text - used, "%" PRId64 "x", shape[i]);
  snprintf(result.text + used, sizeof result.text - used, "f32>");
  return result;
}

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define TENSOR(...)                                                                                \
  tensor_of(SHAPE(__VA_ARGS__), sizeof SHAPE(__VA_ARGS__) / sizeof *SHAPE(__VA_ARGS__)).text

// Values that a tile or filter is transformed to, in each direction.
static int64_t products_of(const tune_winograd *winograd) {
  return winograd->tile + TUNE_WINOGRAD_FILTER - 1;
}

static int64_t tiles_along(const tune_winograd *winograd, int64_t pixels) {
  return (pixels + winograd->tile - 1) / winograd->tile;
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
static text last_type(const tune_winograd *winograd, const int64_t *shape) {
  return winograd->has_batch ? tensor_of(shape, 4) : tensor_of(shape + 1, 3);
}

static text plane_type(const tune_winograd *winograd, const extents *plane) {
  return last_type(winograd, plane->shape);
}

#define JOINED_BATCH "[[0, 1], [2], [3]]"

// `result` = `from` with a batch and in whole tiles. What stands over the edge is zero.
static void write_whole(const tune_winograd *winograd, tune_writer *w, const char *result,
                        const char *from, const extents *plane) {
  bool whole = is_whole(plane);
  text edge = format("%s_edge", result);
  text batched = winograd->has_batch ? format("%s", from) : format("%s_batch", result);
  if (!winograd->has_batch)
    tune_pdl_operation(
        w, whole ? result : batched.text, "tensor.expand_shape", tensor_of(plane->shape, 4).text,
        TUNE_PDL_OPERANDS(from),
        TUNE_PDL_ATTRIBUTES({"reassociation", JOINED_BATCH},
                            {"static_output_shape", array_of(plane->shape, 4).text}));
  if (whole)
    return;
  tune_pdl_constant(w, edge.text, tensor_of(plane->whole, 4).text, "dense<0.0>");
  tune_pdl_operation(w, result, "tensor.insert_slice", tensor_of(plane->whole, 4).text,
                     TUNE_PDL_OPERANDS(batched.text, edge.text),
                     TUNE_PDL_ATTRIBUTES({"static_offsets", "array<i64: 0, 0, 0, 0>"},
                                         {"static_sizes", array_of(plane->shape, 4).text},
                                         {"static_strides", "array<i64: 1, 1, 1, 1>"},
                                         {"operandSegmentSizes", "array<i32: 1, 1, 0, 0, 0>"}));
}

// `result` = `from` without what write_whole has added.
static void write_part(const tune_winograd *winograd, tune_writer *w, const char *result,
                       const char *from, const extents *plane) {
  text type = plane_type(winograd, plane);
  if (is_whole(plane))
    tune_pdl_operation(w, result, "tensor.collapse_shape", type.text, TUNE_PDL_OPERANDS(from),
                       TUNE_PDL_ATTRIBUTES({"reassociation", JOINED_BATCH}));
  else
    tune_pdl_operation(w, result, "tensor.extract_slice", type.text, TUNE_PDL_OPERANDS(from),
                       TUNE_PDL_ATTRIBUTES({"static_offsets", "array<i64: 0, 0, 0, 0>"},
                                           {"static_sizes", array_of(plane->shape, 4).text},
                                           {"static_strides", "array<i64: 1, 1, 1, 1>"},
                                           {"operandSegmentSizes", "array<i32: 1, 0, 0, 0>"}));
}

// `result` = linalg.winograd_<what>_transform of `from` into `into`.
static void write_transform(const tune_winograd *winograd, tune_writer *w, const char *result,
                            const char *what, const char *from, const char *into,
                            const char *type) {
  text op = format("linalg.winograd_%s_transform", what);
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
  int64_t depth = winograd->depth, count = products_of(winograd) * products_of(winograd);
  tune_pdl_operation(w, "turned", "builtin.unrealized_conversion_cast", TENSOR(count, depth, block),
                     TUNE_PDL_OPERANDS("filter"), NULL);
  tune_pdl_operation(w, "filters", "tosa.transpose", TENSOR(depth, count, block),
                     TUNE_PDL_OPERANDS("turned"),
                     TUNE_PDL_ATTRIBUTES({"perms", "array<i32: 1, 0, 2>"}));
  tune_pdl_operation(w, "columns", "tosa.transpose", TENSOR(count, depth, block),
                     TUNE_PDL_OPERANDS("filters"),
                     TUNE_PDL_ATTRIBUTES({"perms", "array<i32: 1, 0, 2>"}));
}

// A type of the dialect, so that reading the script loads it: else its ops are unknown here.
static void load_tosa(tune_writer *w) { tune_writer_line(w, "%%tosa = pdl.type : !tosa.shape<1>"); }

// %products: for each of the 36 (or 16), tiles x depth times depth x channels.
static void write_products(const tune_winograd *winograd, tune_writer *w, int64_t block) {
  int64_t tiles = tune_winograd_tiles(winograd);
  int64_t count = products_of(winograd) * products_of(winograd);
  tune_pdl_operation(w, "rows", "tensor.collapse_shape", TENSOR(count, tiles, winograd->depth),
                     TUNE_PDL_OPERANDS("tiles"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1], [2, 3, 4], [5]]"}));
  load_tosa(w);
  tune_pdl_operation(w, "zero_point", "tosa.const", "tensor<1xf32>", TUNE_PDL_NO_OPERANDS,
                     TUNE_PDL_ATTRIBUTES({"values", "dense<0.0> : tensor<1xf32>"}));
  tune_pdl_operation(w, "products", "tosa.matmul", TENSOR(count, tiles, block),
                     TUNE_PDL_OPERANDS("rows", "columns", "zero_point", "zero_point"), NULL);
}

// %sums: the transforms and products of `image`, into `start`.
static void write_all_transforms(const tune_winograd *winograd, tune_writer *w, int64_t block,
                                 const char *image, const char *start, const extents *output) {
  int64_t down = tiles_along(winograd, winograd->height);
  int64_t across = tiles_along(winograd, winograd->width);
  int64_t size = products_of(winograd), depth = winograd->depth, batch = winograd->batch;
  text tiles = tensor_of(SHAPE(size, size, down, across, batch, depth), 6);
  tune_pdl_operation(w, "tiles_memory", "tensor.empty", tiles.text, TUNE_PDL_NO_OPERANDS, NULL);
  write_transform(winograd, w, "tiles", "input", image, "tiles_memory", tiles.text);
  write_filters(winograd, w, block);
  write_products(winograd, w, block);
  const int64_t shape[] = {size, size, down, across, batch, block};
  tune_pdl_operation(w, "products_of_tiles", "tensor.expand_shape", tensor_of(shape, 6).text,
                     TUNE_PDL_OPERANDS("products"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1], [2, 3, 4], [5]]"},
                                         {"static_output_shape", array_of(shape, 6).text}));
  write_transform(winograd, w, "sums", "output", "products_of_tiles", start,
                  tensor_of(output->whole, 4).text);
}

void tune_winograd_write_convolution(const tune_winograd *winograd, const char *name, int64_t block,
                                     tune_writer *w) {
  extents image = plane_of(winograd, TUNE_WINOGRAD_FILTER - 1, winograd->depth);
  extents output = plane_of(winograd, 0, block);
  int64_t depth = winograd->depth;
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "image", plane_type(winograd, &image).text);
  tune_pdl_operand(w, "filter", TENSOR(TUNE_WINOGRAD_FILTER, TUNE_WINOGRAD_FILTER, depth, block));
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
static text first_type(const tune_winograd *winograd, const int64_t *shape) {
  const int64_t turned[] = {shape[0], shape[3], shape[1], shape[2]};
  return winograd->has_batch ? tensor_of(turned, 4) : tensor_of(turned + 1, 3);
}

// What slices say of offsets, sizes and strides. Without a batch of its own, one end has a
// dimension less.
#define SLICE(offsets, sizes)                                                                      \
  {"static_offsets", array_of(offsets, 4).text}, {"static_sizes", array_of(sizes, 4).text}, {      \
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
  load_tosa(w);
  tune_pdl_operation(w, "turned", "tosa.transpose", last_type(winograd, inner).text,
                     TUNE_PDL_OPERANDS("image"),
                     TUNE_PDL_ATTRIBUTES({"perms", winograd->has_batch ? "array<i32: 0, 2, 3, 1>"
                                                                       : "array<i32: 1, 2, 0>"}));
  if (is_whole(&plane)) {
    // The same fill in another shape, which upstream makes a fill of that shape.
    tune_pdl_operation(w, "flat", "tensor.collapse_shape",
                       TENSOR(plane.shape[0] * plane.shape[1] * plane.shape[2] * plane.shape[3]),
                       TUNE_PDL_OPERANDS("fill"),
                       TUNE_PDL_ATTRIBUTES({"reassociation", winograd->has_batch ? "[[0, 1, 2, 3]]"
                                                                                 : "[[0, 1, 2]]"}));
    tune_pdl_operation(w, "edges", "tensor.expand_shape", tensor_of(plane.whole, 4).text,
                       TUNE_PDL_OPERANDS("flat"),
                       TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1, 2, 3]]"},
                                           {"static_output_shape", array_of(plane.whole, 4).text}));
  } else {
    tune_pdl_operation(w, "edges", "tensor.splat", tensor_of(plane.whole, 4).text,
                       TUNE_PDL_OPERANDS("border"), NULL);
  }
  tune_pdl_operation(w, "bordered", "tensor.insert_slice", tensor_of(plane.whole, 4).text,
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
  tune_pdl_operation(w, "flat", "tensor.collapse_shape", TENSOR(block, winograd->depth * windows),
                     TUNE_PDL_OPERANDS("filter"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0], [1, 2, 3]]"}));
  tune_pdl_operation(w, "flat_turned", "tosa.transpose", TENSOR(winograd->depth * windows, block),
                     TUNE_PDL_OPERANDS("flat"), TUNE_PDL_ATTRIBUTES({"perms", "array<i32: 1, 0>"}));
  tune_pdl_operation(w, "weights", "tensor.expand_shape", tensor_of(shape, 3).text,
                     TUNE_PDL_OPERANDS("flat_turned"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1], [2]]"},
                                         {"static_output_shape", array_of(shape, 3).text}));
}

void tune_winograd_write_turns(const tune_winograd *winograd, const char *name, int64_t block,
                               bool starts_at_zero, tune_writer *w) {
  extents image = plane_of(winograd, TUNE_WINOGRAD_FILTER - 1, winograd->depth);
  extents output = plane_of(winograd, 0, block);
  text type = first_type(winograd, output.shape);
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "bordered", tensor_of(image.whole, 4).text);
  tune_writer_line(w, "%%image_type = pdl.type : %s", first_type(winograd, image.shape).text);
  tune_writer_line(w,
                   "%%image_op = pdl.operation \"builtin.unrealized_conversion_cast\"(%%bordered "
                   ": !pdl.value) -> (%%image_type : !pdl.type)");
  tune_writer_line(w, "%%image = pdl.result 0 of %%image_op");
  tune_pdl_operand(w, "filter",
                   TENSOR(block, winograd->depth, TUNE_WINOGRAD_FILTER, TUNE_WINOGRAD_FILTER));
  if (starts_at_zero) {
    tune_writer_line(w, "%%start_type = pdl.type : %s", type.text);
    tune_writer_line(w, "%%zero_value = pdl.attribute = 0.0 : f32");
    tune_writer_line(w, "%%zero_type = pdl.type : f32");
    tune_writer_line(w, "%%zero_op = pdl.operation \"arith.constant\" {\"value\" = %%zero_value} "
                        "-> (%%zero_type : !pdl.type)");
    tune_writer_line(w, "%%zero = pdl.result 0 of %%zero_op");
    tune_writer_line(w, "%%memory = pdl.operand");
    tune_writer_line(w, "%%start_op = pdl.operation \"linalg.fill\"(%%zero, %%memory : !pdl.value, "
                        "!pdl.value) -> (%%start_type : !pdl.type)");
    tune_writer_line(w, "%%start = pdl.result 0 of %%start_op");
  } else {
    tune_pdl_operand(w, "start", type.text);
  }
  tune_writer_line(w, "%%nest = pdl.operation \"linalg.generic\"(%%image, %%filter, %%start : "
                      "!pdl.value, !pdl.value, !pdl.value) -> (%%start_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  load_tosa(w);
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
  tune_pdl_operand(w, "bordered", tensor_of(image.whole, 4).text);
  tune_pdl_operand(w, "filter", TENSOR(winograd->depth, windows, block));
  tune_writer_line(w, "%%result_type = pdl.type : %s", last_type(winograd, output.shape).text);
  tune_writer_line(w, "%%nest = pdl.operation \"builtin.unrealized_conversion_cast\"(%%bordered, "
                      "%%filter : !pdl.value, !pdl.value) -> (%%result_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  tune_pdl_operation(w, "sums_memory", "tensor.empty", tensor_of(output.whole, 4).text,
                     TUNE_PDL_NO_OPERANDS, NULL);
  write_all_transforms(winograd, w, block, "bordered", "sums_memory", &output);
  tune_pdl_operation(w, "part", "tensor.extract_slice", last_type(winograd, output.shape).text,
                     TUNE_PDL_OPERANDS("sums"),
                     TUNE_PDL_ATTRIBUTES(SLICE(origin, output.shape),
                                         {"operandSegmentSizes", "array<i32: 1, 0, 0, 0>"}));
  tune_pdl_end_pattern(w, "part");
}

//===--------------------------------------------------------------------------===//
// The transforms, in vectors
//===--------------------------------------------------------------------------===//

// A pattern while its rewrite is written: values have numbers, %v0, %v1, ...
typedef struct rewrite {
  tune_writer *w;
  text type; // of vectors
  int values;
} rewrite;

typedef int value;

static text value_name(value v) { return format("v%d", v); }

static value write_op(rewrite *r, const char *op, const char *const *operands) {
  value result = r->values++;
  tune_pdl_operation(r->w, value_name(result).text, op, r->type.text, operands, NULL);
  return result;
}

static value write_binary(rewrite *r, const char *op, value a, value b) {
  return write_op(r, op, TUNE_PDL_OPERANDS(value_name(a).text, value_name(b).text));
}
static value add(rewrite *r, value a, value b) { return write_binary(r, "arith.addf", a, b); }
static value subtract(rewrite *r, value a, value b) { return write_binary(r, "arith.subf", a, b); }

static value constant(rewrite *r, double factor) {
  value result = r->values++;
  tune_pdl_constant(r->w, value_name(result).text, r->type.text,
                    format("dense<%.9e>", factor).text);
  return result;
}

static value scale(rewrite *r, double factor, value a) {
  return write_binary(r, "arith.mulf", constant(r, factor), a);
}

// factor * a + b
static value multiply_add(rewrite *r, double factor, value a, value b) {
  value k = constant(r, factor);
  return write_op(r, "vector.fma",
                  TUNE_PDL_OPERANDS(value_name(k).text, value_name(a).text, value_name(b).text));
}

// Six pixels: the polynomials whose zeros are all points but one, as coefficients.
static void transform_image(rewrite *r, const value *d, value *out) {
  value even_a = multiply_add(r, -B2, d[2], d[4]), odd_a = multiply_add(r, -B2, d[1], d[3]);
  value even_b = multiply_add(r, -A2, d[2], d[4]), odd_b = multiply_add(r, -A2, d[1], d[3]);
  out[0] = multiply_add(r, A2 * B2, d[0], multiply_add(r, -(A2 + B2), d[2], d[4]));
  out[1] = multiply_add(r, A, odd_a, even_a);
  out[2] = multiply_add(r, -A, odd_a, even_a);
  out[3] = multiply_add(r, B, odd_b, even_b);
  out[4] = multiply_add(r, -B, odd_b, even_b);
  out[5] = multiply_add(r, A2 * B2, d[1], multiply_add(r, -(A2 + B2), d[3], d[5]));
}

// Three weights: their polynomial at each point. What is left out, a division by the product of the
// point's distances to the others, is done to the output, of which there is less.
static void transform_filter(rewrite *r, const value *g, value *out) {
  value even_a = multiply_add(r, A2, g[2], g[0]), even_b = multiply_add(r, B2, g[2], g[0]);
  out[0] = g[0];
  out[1] = multiply_add(r, A, g[1], even_a);
  out[2] = multiply_add(r, -A, g[1], even_a);
  out[3] = multiply_add(r, B, g[1], even_b);
  out[4] = multiply_add(r, -B, g[1], even_b);
  out[5] = g[2];
}

// Six products: their sums weighed with powers of the points, and with what the filter has left
// out: four pixels.
static void transform_output(rewrite *r, const value *m, value *out) {
  const double a = 1 / (2 * A2 * (A2 - B2)), b = 1 / (2 * B2 * (B2 - A2));
  value sum_a = add(r, m[1], m[2]), sum_b = add(r, m[3], m[4]);
  value difference_a = subtract(r, m[1], m[2]), difference_b = subtract(r, m[3], m[4]);
  out[0] = multiply_add(r, b, sum_b, multiply_add(r, a, sum_a, scale(r, 1 / (A2 * B2), m[0])));
  out[1] = multiply_add(r, B * b, difference_b, scale(r, A * a, difference_a));
  out[2] = multiply_add(r, B2 * b, sum_b, scale(r, A2 * a, sum_a));
  out[3] =
      multiply_add(r, B2 * B * b, difference_b, multiply_add(r, A2 * A * a, difference_a, m[5]));
}

// The same of F(2x2, 3x3), with the points 0, 1, -1 and infinity.
static void transform_small_image(rewrite *r, const value *d, value *out) {
  out[0] = subtract(r, d[0], d[2]);
  out[1] = add(r, d[1], d[2]);
  out[2] = subtract(r, d[2], d[1]);
  out[3] = subtract(r, d[1], d[3]);
}

static void transform_small_filter(rewrite *r, const value *g, value *out) {
  value even = scale(r, 0.5, add(r, g[0], g[2]));
  out[0] = g[0];
  out[1] = multiply_add(r, 0.5, g[1], even);
  out[2] = multiply_add(r, -0.5, g[1], even);
  out[3] = g[2];
}

static void transform_small_output(rewrite *r, const value *m, value *out) {
  out[0] = add(r, add(r, m[0], m[1]), m[2]);
  out[1] = subtract(r, subtract(r, m[1], m[2]), m[3]);
}

typedef void (*transform)(rewrite *r, const value *in, value *out);

// Column `j` of a plane through `along`, the first direction of two. Rows follow once all columns
// have, and are written one by one: a backend keeps reads and writes in their order, and values
// that wait for it spill.
static void transform_column(rewrite *r, transform along, size_t j, const value *column, size_t out,
                             value plane[MOST][MOST]) {
  value made[MOST];
  along(r, column, made);
  for (size_t i = 0; i < out; i++)
    plane[i][j] = made[i];
}

//===--------------------------------------------------------------------------===//
// Reads and writes
//===--------------------------------------------------------------------------===//

static text last_of(size_t rank) {
  text result = {"affine_map<("};
  size_t used = strlen(result.text);
  for (size_t i = 0; i < rank; i++)
    used +=
        (size_t)snprintf(result.text + used, sizeof result.text - used, "%sd%zu", i ? ", " : "", i);
  snprintf(result.text + used, sizeof result.text - used, ") -> (d%zu)>", rank - 1);
  return result;
}

static value write_read(rewrite *r, const char *from, const char *const *indices, size_t rank) {
  const char *operands[10] = {from};
  for (size_t i = 0; i < rank; i++)
    operands[i + 1] = indices[i];
  operands[rank + 1] = "none";
  value result = r->values++;
  tune_pdl_operation(
      r->w, value_name(result).text, "vector.transfer_read", r->type.text, operands,
      TUNE_PDL_ATTRIBUTES({"permutation_map", last_of(rank).text}, {"in_bounds", "[true]"},
                          {"operandSegmentSizes", format("array<i32: 1, %zu, 1, 0>", rank).text}));
  return result;
}

// Into `*into`, of the type `type`, which becomes the name of what was made.
static void write_write(rewrite *r, value vector, text *into, const char *type,
                        const char *const *indices, size_t rank) {
  text name = value_name(vector), target = *into;
  const char *operands[10] = {name.text, target.text};
  for (size_t i = 0; i < rank; i++)
    operands[i + 2] = indices[i];
  *into = value_name(r->values++);
  tune_pdl_operation(
      r->w, into->text, "vector.transfer_write", type, operands,
      TUNE_PDL_ATTRIBUTES({"permutation_map", last_of(rank).text}, {"in_bounds", "[true]"},
                          {"operandSegmentSizes", format("array<i32: 1, 1, %zu, 0>", rank).text}));
}

static rewrite begin_rewrite(const tune_winograd *winograd, tune_writer *w) {
  tune_pdl_begin_rewrite(w);
  for (int i = 0; i < products_of(winograd); i++)
    tune_pdl_constant(w, format("i%d", i).text, "index", format("%d", i).text);
  tune_pdl_constant(w, "none", "f32", "0.0");
  return (rewrite){.w = w, .type = format("vector<%" PRId64 "xf32>", winograd->lanes)};
}

static void write_nest(tune_writer *w, const char *what, const char *from) {
  tune_writer_line(w,
                   "%%nest = pdl.operation \"linalg.winograd_%s_transform\"(%%%s, %%into : "
                   "!pdl.value, !pdl.value) -> (%%into_type : !pdl.type)",
                   what, from);
}

#define AT(...) ((const char *const[]){__VA_ARGS__})
static const char *const INDEX[] = {"i0", "i1", "i2", "i3", "i4", "i5"};

// A tile of pixels as upstream's tiling leaves it: its extent is 6 or 4, though the type hides it.
static text pixels_type(const tune_winograd *winograd) {
  return format("tensor<1x?x?x%" PRId64 "xf32>", winograd->lanes);
}

static bool is_large(const tune_winograd *winograd) {
  return winograd->tile == TUNE_WINOGRAD_LARGE_TILE;
}

// The values of one tile and vector of channels.
static text products_type(const tune_winograd *winograd) {
  int64_t size = products_of(winograd);
  return tensor_of(SHAPE(size, size, 1, 1, 1, winograd->lanes), 6);
}

void tune_winograd_write_image(const tune_winograd *winograd, const char *name, tune_writer *w) {
  text made = products_type(winograd), into = {"into"};
  size_t size = (size_t)products_of(winograd);
  transform along = is_large(winograd) ? transform_image : transform_small_image;
  value plane[MOST][MOST], line[MOST];
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "from", pixels_type(winograd).text);
  tune_pdl_operand(w, "into", made.text);
  write_nest(w, "input", "from");
  rewrite r = begin_rewrite(winograd, w);
  for (size_t j = 0; j < size; j++) {
    for (size_t i = 0; i < size; i++)
      line[i] = write_read(&r, "from", AT("i0", INDEX[i], INDEX[j], "i0"), 4);
    transform_column(&r, along, j, line, size, plane);
  }
  for (size_t i = 0; i < size; i++) {
    along(&r, plane[i], line);
    for (size_t j = 0; j < size; j++)
      write_write(&r, line[j], &into, made.text, AT(INDEX[i], INDEX[j], "i0", "i0", "i0", "i0"), 6);
  }
  tune_pdl_end_pattern(w, into.text);
}

void tune_winograd_write_filter(const tune_winograd *winograd, const char *name, tune_writer *w) {
  int64_t count = products_of(winograd) * products_of(winograd), lanes = winograd->lanes;
  size_t size = (size_t)products_of(winograd);
  text made = tensor_of(SHAPE(1, count, lanes), 3), into = {"into"};
  transform along = is_large(winograd) ? transform_filter : transform_small_filter;
  value plane[MOST][MOST], line[MOST];
  tune_pdl_begin_pattern(w, name);
  tune_writer_line(w, "%%filter = pdl.operand");
  tune_pdl_operand(w, "into", made.text);
  tune_writer_line(w, "%%depth = pdl.operand");
  tune_writer_line(w, "%%channel = pdl.operand");
  tune_writer_line(w, "%%turned_type = pdl.type");
  tune_writer_line(w, "%%turned_op = pdl.operation \"builtin.unrealized_conversion_cast\"(%%filter "
                      ": !pdl.value) -> (%%turned_type : !pdl.type)");
  tune_writer_line(w, "%%turned = pdl.result 0 of %%turned_op");
  tune_writer_line(w, "%%from_type = pdl.type : %s", TENSOR(count, 1, lanes));
  tune_writer_line(w,
                   "%%from_op = pdl.operation \"tensor.extract_slice\"(%%turned, %%depth, "
                   "%%channel : !pdl.value, !pdl.value, !pdl.value) -> (%%from_type : !pdl.type)");
  tune_writer_line(w, "%%from = pdl.result 0 of %%from_op");
  tune_writer_line(w, "%%nest = pdl.operation \"linalg.transpose\"(%%from, %%into : !pdl.value, "
                      "!pdl.value) -> (%%into_type : !pdl.type)");
  rewrite r = begin_rewrite(winograd, w);
  for (int64_t i = products_of(winograd); i < count; i++)
    tune_pdl_constant(w, format("i%" PRId64, i).text, "index", format("%" PRId64, i).text);
  for (size_t j = 0; j < TUNE_WINOGRAD_FILTER; j++) {
    for (size_t i = 0; i < TUNE_WINOGRAD_FILTER; i++)
      line[i] =
          winograd->channels_first
              ? write_read(
                    &r, "filter",
                    AT("depth", format("i%zu", i * TUNE_WINOGRAD_FILTER + j).text, "channel"), 3)
              : write_read(&r, "filter", AT(INDEX[i], INDEX[j], "depth", "channel"), 4);
    transform_column(&r, along, j, line, size, plane);
  }
  for (size_t i = 0; i < size; i++) {
    along(&r, plane[i], line);
    for (size_t j = 0; j < size; j++)
      write_write(&r, line[j], &into, made.text, AT("i0", format("i%zu", i * size + j).text, "i0"),
                  3);
  }
  tune_pdl_end_pattern(w, into.text);
}

void tune_winograd_write_output(const tune_winograd *winograd, const char *name, tune_writer *w) {
  text made = pixels_type(winograd), into = {"into"};
  size_t size = (size_t)products_of(winograd), tile = (size_t)winograd->tile;
  transform along = is_large(winograd) ? transform_output : transform_small_output;
  value plane[MOST][MOST], line[MOST];
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "from", products_type(winograd).text);
  tune_pdl_operand(w, "into", made.text);
  write_nest(w, "output", "from");
  rewrite r = begin_rewrite(winograd, w);
  for (size_t j = 0; j < size; j++) {
    for (size_t i = 0; i < size; i++)
      line[i] = write_read(&r, "from", AT(INDEX[i], INDEX[j], "i0", "i0", "i0", "i0"), 6);
    transform_column(&r, along, j, line, tile, plane);
  }
  for (size_t i = 0; i < tile; i++) {
    along(&r, plane[i], line);
    for (size_t j = 0; j < tile; j++) {
      value sum = line[j];
      if (!winograd->channels_first)
        sum = add(&r, write_read(&r, into.text, AT("i0", INDEX[i], INDEX[j], "i0"), 4), sum);
      write_write(&r, sum, &into, made.text, AT("i0", INDEX[i], INDEX[j], "i0"), 4);
    }
  }
  tune_pdl_end_pattern(w, into.text);
}
