//===- dot_patterns.c - Dot products of narrow elements as PDL patterns ------===//

#include "transforms/rules/contraction/dot_patterns.h"

#include "transforms/rules/contraction/dot_words.h"
#include "transforms/rules/pdl_writer.h"
#include "transforms/schedule/allowed_assembly.h"

#include <inttypes.h>
#include <stdio.h>

#define FLAT_MAP "affine_map<(d0) -> (d0)>"
#define FLAT_READ "array<i32: 1, 1, 1, 0>"
#define ROW_MAP "affine_map<(d0, d1) -> (d1)>"
#define PLANE_READ "array<i32: 1, 2, 1, 0>"

//===--------------------------------------------------------------------------===//
// Words of the patterns
//===--------------------------------------------------------------------------===//

static const char *sum_of(const tune_dot *dot) { return dot->is_bf16 ? "f32" : "i32"; }

// What sums are read from and written to.
static const char *written_of(const tune_dot *dot) {
  return dot->narrow_sum ? "bf16" : sum_of(dot);
}

// `result` = `value` in another type. By its flag the lowering may leave both this and its reverse
// out, where one undoes the other: so a sum is rounded once, after the loop that carries it.
static void write_conversion(tune_writer *w, const char *result, const char *conversion,
                             const char *value, const char *type) {
  tune_pdl_operation(w, result, conversion, type, TUNE_PDL_OPERANDS(value),
                     TUNE_PDL_ATTRIBUTES({"fastmath", "#arith.fastmath<contract>"}));
}

static void write_read(tune_writer *w, const char *result, const char *from, const char *padding,
                       const char *type, bool in_bounds) {
  tune_pdl_operation(w, result, "vector.transfer_read", type,
                     TUNE_PDL_OPERANDS(from, "at", padding),
                     TUNE_PDL_ATTRIBUTES({"permutation_map", FLAT_MAP},
                                         {"in_bounds", in_bounds ? "[true]" : "[false]"},
                                         {"operandSegmentSizes", FLAT_READ}));
}

//===--------------------------------------------------------------------------===//
// The product
//===--------------------------------------------------------------------------===//

// The name of a value of step `step`.
static tune_pdl_text name_at(const char *name, int64_t step) {
  return tune_pdl_format("%s_%" PRId64, name, step);
}

// A nest that becomes one row of products.
typedef struct dot_nest {
  const tune_dot *dot;
  int64_t columns;
  int64_t steps; // groups of the depth
} dot_nest;

// `result` = a vector of the flat tensor or, where there are several steps, of its row `step`.
static void write_read_step(const dot_nest *nest, tune_writer *w, const char *result,
                            const char *from, const char *type, int64_t step, bool in_bounds) {
  if (nest->steps == 1) {
    write_read(w, result, from, "none", type, in_bounds);
    return;
  }
  tune_pdl_operation(w, result, "vector.transfer_read", type,
                     TUNE_PDL_OPERANDS(from, name_at("at", step).text, "at", "none"),
                     TUNE_PDL_ATTRIBUTES({"permutation_map", ROW_MAP},
                                         {"in_bounds", in_bounds ? "[true]" : "[false]"},
                                         {"operandSegmentSizes", PLANE_READ}));
}

// `result` = `bytes`, a vector of `count`, as integers of 16 bits.
static void write_widened(tune_writer *w, const char *result, const char *bytes, bool is_unsigned,
                          int64_t count) {
  tune_pdl_operation(w, result, is_unsigned ? "arith.extui" : "arith.extsi",
                     TUNE_PDL_TYPE("vector", "i16", count).text, TUNE_PDL_OPERANDS(bytes), NULL);
}

// %a_<step>, the group of the row in every lane, and %b_<step>, those of the columns: i32 for
// bytes.
static void write_inputs(const dot_nest *nest, tune_writer *w, int64_t step) {
  const tune_dot *dot = nest->dot;
  bool whole = nest->columns == dot->lanes;
  tune_pdl_text group = name_at("a_group", step), lane = name_at("a_lane", step),
                bits = name_at("a_bits", step), read = name_at("b_read", step);
  tune_pdl_text inputs = TUNE_PDL_TYPE("vector", tune_dot_element(dot), dot->lanes * dot->group),
                lanes = TUNE_PDL_TYPE("vector", "i32", dot->lanes);
  write_read_step(nest, w, group.text, "a",
                  TUNE_PDL_TYPE("vector", tune_dot_element(dot), dot->group).text, step, true);
  if (dot->has_pairs) {
    tune_pdl_text wide = name_at("a_wide", step);
    write_widened(w, wide.text, group.text, dot->unsigned_a, dot->group);
    group = wide;
  }
  tune_pdl_operation(w, lane.text, "vector.bitcast", "vector<1xi32>", TUNE_PDL_OPERANDS(group.text),
                     NULL);
  if (dot->is_bf16) {
    tune_pdl_operation(w, bits.text, "vector.broadcast", lanes.text, TUNE_PDL_OPERANDS(lane.text),
                       NULL);
    tune_pdl_operation(w, name_at("a", step).text, "vector.bitcast", inputs.text,
                       TUNE_PDL_OPERANDS(bits.text), NULL);
    write_read_step(nest, w, name_at("b", step).text, "b_flat", inputs.text, step, whole);
  } else {
    tune_pdl_operation(w, name_at("a", step).text, "vector.broadcast", lanes.text,
                       TUNE_PDL_OPERANDS(lane.text), NULL);
    write_read_step(nest, w, read.text, "b_flat", inputs.text, step, whole);
    if (dot->has_pairs) {
      tune_pdl_text wide = name_at("b_wide", step);
      write_widened(w, wide.text, read.text, dot->unsigned_b, dot->lanes * dot->group);
      read = wide;
    }
    tune_pdl_operation(w, name_at("b", step).text, "vector.bitcast", lanes.text,
                       TUNE_PDL_OPERANDS(read.text), NULL);
  }
}

// Sums of bytes: `result` = `start` + products of `without` (a sign) and `with` (one). The
// instruction as assembly, as neither x86vector nor the LLVM dialect has an op for it without side
// effects, which stand in the way of everything that follows.
static void write_byte_dot(const tune_dot *dot, tune_writer *w, const char *result,
                           const char *start, const char *without, const char *with) {
  tune_pdl_operation(w, result, "llvm.inline_asm", TUNE_PDL_TYPE("vector", "i32", dot->lanes).text,
                     TUNE_PDL_OPERANDS(without, with, start),
                     TUNE_PDL_ATTRIBUTES({"asm_string", "\"" TUNE_DOT_ASSEMBLY "\""},
                                         {"constraints", "\"" TUNE_DOT_CONSTRAINTS "\""}));
}

// The same of pairs of 16 bits, with or without a sign before they were widened.
static void write_pairs(const tune_dot *dot, tune_writer *w, const char *result, const char *start,
                        const char *a, const char *b) {
  tune_pdl_text type = TUNE_PDL_TYPE("vector", "i32", dot->lanes),
                products = tune_pdl_format("%s_products", result);
  tune_pdl_operation(w, products.text, "llvm.inline_asm", type.text, TUNE_PDL_OPERANDS(a, b),
                     TUNE_PDL_ATTRIBUTES({"asm_string", "\"" TUNE_PAIRS_ASSEMBLY "\""},
                                         {"constraints", "\"" TUNE_PAIRS_CONSTRAINTS "\""}));
  tune_pdl_operation(w, result, "arith.addi", type.text, TUNE_PDL_OPERANDS(start, products.text),
                     TUNE_PDL_ATTRIBUTES({"overflowFlags", "#arith.overflow<none>"}));
}

static void write_dot(const tune_dot *dot, tune_writer *w, const char *result, const char *start,
                      const char *a, const char *b) {
  // What is turned has, or has not, a sign in its panel.
  bool b_without_sign = dot->unsigned_b != dot->turns_b;
  if (dot->is_bf16)
    tune_pdl_operation(w, result, "x86vector.avx512.dot",
                       TUNE_PDL_TYPE("vector", sum_of(dot), dot->lanes).text,
                       TUNE_PDL_OPERANDS(start, a, b), NULL);
  else if (dot->has_pairs)
    write_pairs(dot, w, result, start, a, b);
  else
    write_byte_dot(dot, w, result, start, b_without_sign ? b : a, b_without_sign ? a : b);
}

static void write_splat(const tune_dot *dot, tune_writer *w, const char *result,
                        const char *value) {
  tune_pdl_text type = TUNE_PDL_TYPE("vector", "i32", dot->lanes),
                text = tune_pdl_format("dense<%s> : %s", value, type.text);
  tune_pdl_operation(w, result, "arith.constant", type.text, TUNE_PDL_NO_OPERANDS,
                     TUNE_PDL_ATTRIBUTES({"value", text.text}));
}

// %sum: %c_vector and the products of all steps.
static void write_sum(const dot_nest *nest, tune_writer *w) {
  for (int64_t step = 0; step < nest->steps; step++)
    write_dot(nest->dot, w, step + 1 == nest->steps ? "sum" : name_at("c", step + 1).text,
              step ? name_at("c", step).text : "c_vector", name_at("a", step).text,
              name_at("b", step).text);
}

static void write_product_operands(const dot_nest *nest, tune_writer *w) {
  const char *element = tune_dot_element(nest->dot);
  int64_t group = nest->dot->group;
  if (nest->steps == 1) {
    tune_pdl_operand(w, "b", TUNE_PDL_TYPE("tensor", element, nest->columns, group).text);
  } else {
    char type[128];
    snprintf(type, sizeof type, "tensor<%" PRId64 "x%" PRId64 "x%" PRId64 "x%s>", nest->steps,
             nest->columns, group, element);
    tune_pdl_operand(w, "b", type);
  }
  tune_pdl_operand(w, "c", TUNE_PDL_TYPE("tensor", written_of(nest->dot), nest->columns).text);
}

static tune_pdl_text type_of_a(const dot_nest *nest) {
  const char *element = tune_dot_element(nest->dot);
  return nest->steps == 1 ? TUNE_PDL_TYPE("tensor", element, nest->dot->group)
                          : TUNE_PDL_TYPE("tensor", element, nest->steps, nest->dot->group);
}

// `result`, all of c. What is less than a vector is no masked read, which would keep all
// accumulators in memory: it is read as it is and put into a whole one, which costs no instruction
// in a loop.
static void write_start_as_written(const tune_dot *dot, int64_t columns, const char *result,
                                   tune_writer *w) {
  const char *element = written_of(dot);
  tune_pdl_text lanes = TUNE_PDL_TYPE("vector", element, dot->lanes);
  if (columns == dot->lanes) {
    write_read(w, result, "c", "nothing", lanes.text, true);
    return;
  }
  tune_pdl_text zeroes = tune_pdl_format("dense<%s> : %s", dot->is_bf16 ? "0.0" : "0", lanes.text);
  tune_pdl_operation(w, "c_zeroes", "arith.constant", lanes.text, TUNE_PDL_NO_OPERANDS,
                     TUNE_PDL_ATTRIBUTES({"value", zeroes.text}));
  write_read(w, "c_part", "c", "nothing", TUNE_PDL_TYPE("vector", element, columns).text, true);
  tune_pdl_operation(w, result, "vector.insert_strided_slice", lanes.text,
                     TUNE_PDL_OPERANDS("c_part", "c_zeroes"),
                     TUNE_PDL_ATTRIBUTES({"offsets", "[0]"}, {"strides", "[1]"}));
}

// %c_vector
static void write_start(const tune_dot *dot, int64_t columns, tune_writer *w) {
  write_start_as_written(dot, columns, dot->narrow_sum ? "c_narrow" : "c_vector", w);
  if (dot->narrow_sum)
    write_conversion(w, "c_vector", "arith.extf", "c_narrow",
                     TUNE_PDL_TYPE("vector", sum_of(dot), dot->lanes).text);
}

// Binds %nest, and begins its rewrite up to %sum.
static void write_nest(const dot_nest *nest, tune_writer *w) {
  const tune_dot *dot = nest->dot;
  bool flat = nest->steps == 1;
  int64_t width = nest->columns * dot->group;
  tune_writer_line(w,
                   "%%nest = pdl.operation \"linalg.generic\"(%%%s, %%%s, %%c : !pdl.value, "
                   "!pdl.value, !pdl.value) -> (%%c_type : !pdl.type)",
                   dot->b_first ? "b" : "a", dot->b_first ? "a" : "b");
  tune_pdl_begin_rewrite(w);
  tune_dot_write_constants(dot, w);
  tune_pdl_constant(w, "nothing", written_of(dot), dot->is_bf16 ? "0.0" : "0");
  tune_pdl_operation(w, "b_flat", "tensor.collapse_shape",
                     flat ? TUNE_PDL_TYPE("tensor", tune_dot_element(dot), width).text
                          : TUNE_PDL_TYPE("tensor", tune_dot_element(dot), nest->steps, width).text,
                     TUNE_PDL_OPERANDS("b"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", flat ? "[[0, 1]]" : "[[0], [1, 2]]"}));
  for (int64_t step = 0; step < nest->steps; step++) {
    char index[24];
    snprintf(index, sizeof index, "%" PRId64, step);
    tune_pdl_constant(w, name_at("at", step).text, "index", index);
    write_inputs(nest, w, step);
  }
  write_start(dot, nest->columns, w);
  write_sum(nest, w);
}

// Writes `sum` and ends the pattern.
static void write_result(const dot_nest *nest, const char *sum, tune_writer *w) {
  const tune_dot *dot = nest->dot;
  const char *element = written_of(dot);
  tune_pdl_text type = TUNE_PDL_TYPE("tensor", element, nest->columns);
  if (dot->narrow_sum) {
    write_conversion(w, "narrow", "arith.truncf", sum,
                     TUNE_PDL_TYPE("vector", element, dot->lanes).text);
    sum = "narrow";
  }
  char size[32];
  snprintf(size, sizeof size, "[%" PRId64 "]", nest->columns);
  if (nest->columns != dot->lanes) {
    tune_pdl_operation(
        w, "part", "vector.extract_strided_slice",
        TUNE_PDL_TYPE("vector", element, nest->columns).text, TUNE_PDL_OPERANDS(sum),
        TUNE_PDL_ATTRIBUTES({"offsets", "[0]"}, {"sizes", size}, {"strides", "[1]"}));
    sum = "part";
  }
  tune_dot_write_vector(w, "written", sum, "c", type.text, true);
  tune_pdl_end_pattern(w, "written");
}

void tune_dot_write_product(const tune_dot *dot, const char *name, int64_t columns,
                            tune_writer *w) {
  dot_nest nest = {.dot = dot, .columns = columns, .steps = 1};
  tune_pdl_begin_pattern(w, name);
  tune_pdl_operand(w, "a", type_of_a(&nest).text);
  write_product_operands(&nest, w);
  write_nest(&nest, w);
  write_result(&nest, "sum", w);
}

//===--------------------------------------------------------------------------===//
// What was added to B
//===--------------------------------------------------------------------------===//

// The indices of byte `at` of a row, as operands between what is read and what is outside of it.
typedef struct row_place {
  const char *names[TUNE_DOT_MOST_PLACES + 4];
  char map[96], segments[64];
} row_place;

static row_place row_place_of(int64_t places, bool is_only_row, const char *at) {
  static const char *const rows[TUNE_DOT_MOST_PLACES] = {"row_0", "row_1", "row_2"};
  static const char *const dims[TUNE_DOT_MOST_PLACES] = {"d0", "d0, d1", "d0, d1, d2"};
  row_place place = {.names = {"flat"}};
  size_t count = 1;
  for (int64_t i = 0; i < places; i++)
    place.names[count++] = is_only_row ? "at" : rows[i];
  place.names[count++] = at;
  place.names[count++] = "none";
  snprintf(place.map, sizeof place.map, "affine_map<(%s, d%" PRId64 ") -> (d%" PRId64 ")>",
           dims[places - 1], places, places);
  snprintf(place.segments, sizeof place.segments, "array<i32: 1, %" PRId64 ", 1, 0>", places + 1);
  return place;
}

// "%row_0, %row_1", after having bound them, and their types.
static void write_row_operands(int64_t places, char *names, char *types, size_t size,
                               tune_writer *w) {
  size_t used = 0, typed = 0;
  names[0] = types[0] = 0;
  for (int64_t i = 0; i < places; i++) {
    tune_writer_line(w, "%%row_%" PRId64 " = pdl.operand", i);
    used += (size_t)snprintf(names + used, size - used, ", %%row_%" PRId64, i);
    typed += (size_t)snprintf(types + typed, size - typed, ", !pdl.value");
  }
}

// %a is made by a slice of %grouped, which is %flat with the depth cut in groups. Its unknown
// offsets are the places of the row, %row_0 ...; with `is_only_row` there are none.
static void write_row(const dot_nest *nest, int64_t places, bool is_only_row, tune_writer *w) {
  char names[64], types[64];
  tune_writer_line(w, "%%flat = pdl.operand");
  tune_writer_line(w, "%%grouped_type = pdl.type");
  tune_writer_line(w, "%%grouped_op = pdl.operation \"tensor.expand_shape\"(%%flat : !pdl.value) "
                      "-> (%%grouped_type : !pdl.type)");
  tune_writer_line(w, "%%grouped = pdl.result 0 of %%grouped_op");
  tune_writer_line(w, "%%a_type = pdl.type : %s", type_of_a(nest).text);
  write_row_operands(is_only_row ? 0 : places, names, types, sizeof names, w);
  tune_writer_line(w,
                   "%%a_op = pdl.operation \"tensor.extract_slice\"(%%grouped%s : !pdl.value%s) "
                   "-> (%%a_type : !pdl.type)",
                   names, types);
  tune_writer_line(w, "%%a = pdl.result 0 of %%a_op");
}

void tune_dot_write_last_product(const tune_dot *dot, const char *name, int64_t columns,
                                 int64_t steps, const tune_dot_row *row, tune_writer *w) {
  dot_nest nest = {.dot = dot, .columns = columns, .steps = steps};
  tune_pdl_text lanes = TUNE_PDL_TYPE("vector", "i32", dot->lanes);
  tune_pdl_begin_pattern(w, name);
  row_place place = row_place_of(row->places, row->is_only_row, "at");
  write_row(&nest, row->places, row->is_only_row, w);
  write_product_operands(&nest, w);
  write_nest(&nest, w);
  tune_pdl_operation(w, "row_bytes", "vector.transfer_read",
                     TUNE_PDL_TYPE("vector", "i8", row->depth).text, place.names,
                     TUNE_PDL_ATTRIBUTES({"permutation_map", place.map}, {"in_bounds", "[true]"},
                                         {"operandSegmentSizes", place.segments}));
  tune_pdl_operation(w, "row_wide", dot->unsigned_a ? "arith.extui" : "arith.extsi",
                     TUNE_PDL_TYPE("vector", "i32", row->depth).text,
                     TUNE_PDL_OPERANDS("row_bytes"), NULL);
  tune_pdl_operation(w, "row_sum", "vector.reduction", "i32", TUNE_PDL_OPERANDS("row_wide"),
                     TUNE_PDL_ATTRIBUTES({"kind", "#vector.kind<add>"}));
  tune_pdl_constant(w, "added", "i32", dot->unsigned_b ? "-128" : "128");
  tune_pdl_operation(w, "more", "arith.muli", "i32", TUNE_PDL_OPERANDS("row_sum", "added"),
                     TUNE_PDL_ATTRIBUTES({"overflowFlags", "#arith.overflow<none>"}));
  tune_pdl_operation(w, "more_lanes", "vector.broadcast", lanes.text, TUNE_PDL_OPERANDS("more"),
                     NULL);
  tune_pdl_operation(w, "right", "arith.subi", lanes.text, TUNE_PDL_OPERANDS("sum", "more_lanes"),
                     TUNE_PDL_ATTRIBUTES({"overflowFlags", "#arith.overflow<none>"}));
  write_result(&nest, "right", w);
}

// %part_<i>: four bytes in each lane, from byte `from` of the row on; zeroes after its end.
static void write_row_part(const tune_dot *dot, int64_t i, const tune_dot_row *row,
                           tune_writer *w) {
  int64_t width = dot->lanes * dot->group, from = i * width;
  int64_t size = row->depth - from < width ? row->depth - from : width;
  bool whole = size == width;
  char index[24];
  snprintf(index, sizeof index, "%" PRId64, from);
  tune_pdl_text at = name_at("at", i), bytes = name_at("bytes", i), part = name_at("part", i);
  tune_pdl_text some = whole ? part : name_at("some", i);
  row_place place = row_place_of(row->places, false, at.text);
  tune_pdl_constant(w, at.text, "index", index);
  tune_pdl_operation(w, bytes.text, "vector.transfer_read",
                     TUNE_PDL_TYPE("vector", "i8", size).text, place.names,
                     TUNE_PDL_ATTRIBUTES({"permutation_map", place.map}, {"in_bounds", "[true]"},
                                         {"operandSegmentSizes", place.segments}));
  tune_pdl_operation(w, some.text, "vector.bitcast", TUNE_PDL_TYPE("vector", "i32", size / 4).text,
                     TUNE_PDL_OPERANDS(bytes.text), NULL);
  if (!whole)
    tune_pdl_operation(w, part.text, "vector.insert_strided_slice",
                       TUNE_PDL_TYPE("vector", "i32", dot->lanes).text,
                       TUNE_PDL_OPERANDS(some.text, "sums_0"),
                       TUNE_PDL_ATTRIBUTES({"offsets", "[0]"}, {"strides", "[1]"}));
}

void tune_dot_write_row_sum(const tune_dot *dot, const char *name, const tune_dot_row *row,
                            tune_writer *w) {
  int64_t parts = (row->depth + dot->lanes * dot->group - 1) / (dot->lanes * dot->group);
  char names[64], types[64];
  tune_pdl_begin_pattern(w, name);
  tune_writer_line(w, "%%flat = pdl.operand");
  write_row_operands(row->places, names, types, sizeof names, w);
  tune_writer_line(w, "%%column = pdl.operand");
  tune_writer_line(w, "%%outside = pdl.operand");
  tune_writer_line(w, "%%all_type = pdl.type : vector<%" PRId64 "xi8>", row->depth);
  tune_writer_line(w,
                   "%%all_op = pdl.operation \"vector.transfer_read\"(%%flat%s, %%column, "
                   "%%outside : !pdl.value%s, !pdl.value, !pdl.value) "
                   "-> (%%all_type : !pdl.type)",
                   names, types);
  tune_writer_line(w, "%%all = pdl.result 0 of %%all_op");
  tune_writer_line(w, "%%wide_type = pdl.type : vector<%" PRId64 "xi32>", row->depth);
  tune_writer_line(w,
                   "%%wide_op = pdl.operation \"%s\"(%%all : !pdl.value) "
                   "-> (%%wide_type : !pdl.type)",
                   dot->unsigned_a ? "arith.extui" : "arith.extsi");
  tune_writer_line(w, "%%wide = pdl.result 0 of %%wide_op");
  tune_writer_line(w, "%%nest_type = pdl.type : i32");
  tune_writer_line(w, "%%nest = pdl.operation \"vector.reduction\"(%%wide : !pdl.value) "
                      "-> (%%nest_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
  tune_dot_write_constants(dot, w);
  write_splat(dot, w, "ones", "0x01010101");
  write_splat(dot, w, "sums_0", "0");
  for (int64_t i = 0; i < parts; i++) {
    tune_pdl_text part = name_at("part", i);
    write_row_part(dot, i, row, w);
    write_byte_dot(dot, w, name_at("sums", i + 1).text, name_at("sums", i).text,
                   dot->unsigned_a ? part.text : "ones", dot->unsigned_a ? "ones" : part.text);
  }
  tune_pdl_operation(w, "sum", "vector.reduction", "i32",
                     TUNE_PDL_OPERANDS(name_at("sums", parts).text),
                     TUNE_PDL_ATTRIBUTES({"kind", "#vector.kind<add>"}));
  tune_pdl_end_pattern(w, "sum");
}
