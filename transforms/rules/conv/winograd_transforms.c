//===- winograd_transforms.c - Winograd's transforms of one tile, in vectors of channels -===//

#include "transforms/rules/conv/winograd_patterns.h"

#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST TUNE_WINOGRAD_MOST_PRODUCTS

// The points of F(4x4, 3x3), exact as f32, as are their squares' sum and product.
#define A (5.0 / 8)
#define B (3.0 / 2)
#define A2 (A * A)
#define B2 (B * B)

//===--------------------------------------------------------------------------===//
// The transforms, in vectors
//===--------------------------------------------------------------------------===//

// A pattern while its rewrite is written: values have numbers, %v0, %v1, ...
typedef struct rewrite {
  tune_writer *w;
  tune_pdl_text type; // of vectors
  int values;
} rewrite;

typedef int value;

static tune_pdl_text value_name(value v) { return tune_pdl_format("v%d", v); }

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
                    tune_pdl_format("dense<%.9e>", factor).text);
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

static tune_pdl_text last_of(size_t rank) {
  tune_pdl_text result = {"affine_map<("};
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
  tune_pdl_operation(r->w, value_name(result).text, "vector.transfer_read", r->type.text, operands,
                     TUNE_PDL_ATTRIBUTES({"permutation_map", last_of(rank).text},
                                         {"in_bounds", "[true]"},
                                         {"operandSegmentSizes",
                                          tune_pdl_format("array<i32: 1, %zu, 1, 0>", rank).text}));
  return result;
}

// Into `*into`, of the type `type`, which becomes the name of what was made.
static void write_write(rewrite *r, value vector, tune_pdl_text *into, const char *type,
                        const char *const *indices, size_t rank) {
  tune_pdl_text name = value_name(vector), target = *into;
  const char *operands[10] = {name.text, target.text};
  for (size_t i = 0; i < rank; i++)
    operands[i + 2] = indices[i];
  *into = value_name(r->values++);
  tune_pdl_operation(r->w, into->text, "vector.transfer_write", type, operands,
                     TUNE_PDL_ATTRIBUTES({"permutation_map", last_of(rank).text},
                                         {"in_bounds", "[true]"},
                                         {"operandSegmentSizes",
                                          tune_pdl_format("array<i32: 1, 1, %zu, 0>", rank).text}));
}

static rewrite begin_rewrite(const tune_winograd *winograd, int64_t lanes, tune_writer *w) {
  tune_pdl_begin_rewrite(w);
  for (int i = 0; i < tune_winograd_products(winograd); i++)
    tune_pdl_constant(w, tune_pdl_format("i%d", i).text, "index", tune_pdl_format("%d", i).text);
  tune_pdl_constant(w, "none", "f32", "0.0");
  return (rewrite){.w = w, .type = tune_pdl_format("vector<%" PRId64 "xf32>", lanes)};
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
static tune_pdl_text pixels_type(int64_t lanes) {
  return tune_pdl_format("tensor<1x?x?x%" PRId64 "xf32>", lanes);
}

static bool is_large(const tune_winograd *winograd) {
  return winograd->tile == TUNE_WINOGRAD_LARGE_TILE;
}

// The values of one tile and vector of channels.
static tune_pdl_text products_type(const tune_winograd *winograd, int64_t lanes) {
  int64_t size = tune_winograd_products(winograd);
  return TUNE_PDL_TENSOR(size, size, 1, 1, 1, lanes);
}

void tune_winograd_write_image(const tune_winograd *winograd, const char *name, tune_writer *w) {
  int64_t lanes = winograd->depth_lanes;
  tune_pdl_text made = products_type(winograd, lanes), into = {"into"};
  size_t size = (size_t)tune_winograd_products(winograd);
  transform along = is_large(winograd) ? transform_image : transform_small_image;
  value plane[MOST][MOST], line[MOST];
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "from", pixels_type(lanes).text);
  tune_pdl_operand(w, "into", made.text);
  write_nest(w, "input", "from");
  rewrite r = begin_rewrite(winograd, lanes, w);
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
  int64_t count = tune_winograd_products(winograd) * tune_winograd_products(winograd),
          lanes = winograd->lanes;
  size_t size = (size_t)tune_winograd_products(winograd);
  tune_pdl_text made = TUNE_PDL_TENSOR(1, count, lanes), into = {"into"};
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
  tune_writer_line(w, "%%from_type = pdl.type : %s", TUNE_PDL_TENSOR(count, 1, lanes).text);
  tune_writer_line(w,
                   "%%from_op = pdl.operation \"tensor.extract_slice\"(%%turned, %%depth, "
                   "%%channel : !pdl.value, !pdl.value, !pdl.value) -> (%%from_type : !pdl.type)");
  tune_writer_line(w, "%%from = pdl.result 0 of %%from_op");
  tune_writer_line(w, "%%nest = pdl.operation \"linalg.transpose\"(%%from, %%into : !pdl.value, "
                      "!pdl.value) -> (%%into_type : !pdl.type)");
  rewrite r = begin_rewrite(winograd, lanes, w);
  for (int64_t i = tune_winograd_products(winograd); i < count; i++)
    tune_pdl_constant(w, tune_pdl_format("i%" PRId64, i).text, "index",
                      tune_pdl_format("%" PRId64, i).text);
  for (size_t j = 0; j < TUNE_WINOGRAD_FILTER; j++) {
    for (size_t i = 0; i < TUNE_WINOGRAD_FILTER; i++)
      line[i] =
          winograd->channels_first
              ? write_read(&r, "filter",
                           AT("depth", tune_pdl_format("i%zu", i * TUNE_WINOGRAD_FILTER + j).text,
                              "channel"),
                           3)
              : write_read(&r, "filter", AT(INDEX[i], INDEX[j], "depth", "channel"), 4);
    transform_column(&r, along, j, line, size, plane);
  }
  for (size_t i = 0; i < size; i++) {
    along(&r, plane[i], line);
    for (size_t j = 0; j < size; j++)
      write_write(&r, line[j], &into, made.text,
                  AT("i0", tune_pdl_format("i%zu", i * size + j).text, "i0"), 3);
  }
  tune_pdl_end_pattern(w, into.text);
}

void tune_winograd_write_output(const tune_winograd *winograd, const char *name, tune_writer *w) {
  int64_t lanes = winograd->lanes;
  tune_pdl_text made = pixels_type(lanes), into = {"into"};
  size_t size = (size_t)tune_winograd_products(winograd), tile = (size_t)winograd->tile;
  transform along = is_large(winograd) ? transform_output : transform_small_output;
  value plane[MOST][MOST], line[MOST];
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "from", products_type(winograd, lanes).text);
  tune_pdl_operand(w, "into", made.text);
  write_nest(w, "output", "from");
  rewrite r = begin_rewrite(winograd, lanes, w);
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
