//===- dot_patterns.c - Dot products of narrow elements as PDL patterns -----------------===//

#include "transforms/rules/dot_patterns.h"

#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FLAT_MAP "affine_map<(d0) -> (d0)>"
#define FLAT_READ "array<i32: 1, 1, 1, 0>"
#define FLAT_WRITE "array<i32: 1, 1, 1, 0>"
#define ROW_MAP "affine_map<(d0, d1) -> (d1)>"
#define PLANE_MAP "affine_map<(d0, d1) -> (d0, d1)>"
#define PLANE_READ "array<i32: 1, 2, 1, 0>"
#define PLANE_WRITE "array<i32: 1, 1, 2, 0>"

//===--------------------------------------------------------------------------===//
// Words of the patterns
//===--------------------------------------------------------------------------===//

// The type of a tensor or vector, "tensor<16x2xbf16>", for one expression.
typedef struct type_text {
  char text[64];
} type_text;

static type_text type_1d(const char *kind, int64_t size, const char *element) {
  type_text type;
  snprintf(type.text, sizeof type.text, "%s<%" PRId64 "x%s>", kind, size, element);
  return type;
}

static type_text type_2d(const char *kind, int64_t rows, int64_t columns, const char *element) {
  type_text type;
  snprintf(type.text, sizeof type.text, "%s<%" PRId64 "x%" PRId64 "x%s>", kind, rows, columns,
           element);
  return type;
}

static const char *element_of(const tune_dot *dot) { return dot->is_bf16 ? "bf16" : "i8"; }
static const char *sum_of(const tune_dot *dot) { return dot->is_bf16 ? "f32" : "i32"; }

// %at is index 0, %none what is read outside of a tensor of the inputs.
static void write_constants(const tune_dot *dot, tune_writer *w) {
  tune_pdl_constant(w, "at", "index", "0");
  tune_pdl_constant(w, "none", element_of(dot), dot->is_bf16 ? "0.0" : "0");
}

static void write_read(tune_writer *w, const char *result, const char *from, const char *padding,
                       const char *type, bool in_bounds) {
  tune_pdl_operation(w, result, "vector.transfer_read", type,
                     TUNE_PDL_OPERANDS(from, "at", padding),
                     TUNE_PDL_ATTRIBUTES({"permutation_map", FLAT_MAP},
                                         {"in_bounds", in_bounds ? "[true]" : "[false]"},
                                         {"operandSegmentSizes", FLAT_READ}));
}

static void write_write(tune_writer *w, const char *result, const char *vector, const char *to,
                        const char *type, bool in_bounds) {
  tune_pdl_operation(w, result, "vector.transfer_write", type, TUNE_PDL_OPERANDS(vector, to, "at"),
                     TUNE_PDL_ATTRIBUTES({"permutation_map", FLAT_MAP},
                                         {"in_bounds", in_bounds ? "[true]" : "[false]"},
                                         {"operandSegmentSizes", FLAT_WRITE}));
}

//===--------------------------------------------------------------------------===//
// The product
//===--------------------------------------------------------------------------===//

// The name of a value of step `step`, for one expression.
typedef struct name_text {
  char text[32];
} name_text;

static name_text name_at(const char *name, int64_t step) {
  name_text result;
  snprintf(result.text, sizeof result.text, "%s_%" PRId64, name, step);
  return result;
}

// `result` = a vector of the flat tensor or, where there are several steps, of its row `step`.
static void write_read_step(const tune_dot *dot, tune_writer *w, const char *result,
                            const char *from, const char *type, int64_t step, bool in_bounds) {
  if (dot->steps == 1) {
    write_read(w, result, from, "none", type, in_bounds);
    return;
  }
  tune_pdl_operation(w, result, "vector.transfer_read", type,
                     TUNE_PDL_OPERANDS(from, name_at("at", step).text, "at", "none"),
                     TUNE_PDL_ATTRIBUTES({"permutation_map", ROW_MAP},
                                         {"in_bounds", in_bounds ? "[true]" : "[false]"},
                                         {"operandSegmentSizes", PLANE_READ}));
}

// %a_<step>, the group of the row in every lane, and %b_<step>, those of the columns: i32 for
// bytes.
static void write_inputs(const tune_dot *dot, tune_writer *w, int64_t step, bool whole) {
  name_text group = name_at("a_group", step), lane = name_at("a_lane", step),
            bits = name_at("a_bits", step), read = name_at("b_read", step);
  type_text inputs = type_1d("vector", dot->lanes * dot->group, element_of(dot)),
            lanes = type_1d("vector", dot->lanes, "i32");
  write_read_step(dot, w, group.text, "a", type_1d("vector", dot->group, element_of(dot)).text,
                  step, true);
  tune_pdl_operation(w, lane.text, "vector.bitcast", "vector<1xi32>", TUNE_PDL_OPERANDS(group.text),
                     NULL);
  if (dot->is_bf16) {
    tune_pdl_operation(w, bits.text, "vector.broadcast", lanes.text, TUNE_PDL_OPERANDS(lane.text),
                       NULL);
    tune_pdl_operation(w, name_at("a", step).text, "vector.bitcast", inputs.text,
                       TUNE_PDL_OPERANDS(bits.text), NULL);
    write_read_step(dot, w, name_at("b", step).text, "b_flat", inputs.text, step, whole);
  } else {
    tune_pdl_operation(w, name_at("a", step).text, "vector.broadcast", lanes.text,
                       TUNE_PDL_OPERANDS(lane.text), NULL);
    write_read_step(dot, w, read.text, "b_flat", inputs.text, step, whole);
    tune_pdl_operation(w, name_at("b", step).text, "vector.bitcast", lanes.text,
                       TUNE_PDL_OPERANDS(read.text), NULL);
  }
}

// Sums of bytes: `result` = `start` + products of `without` (a sign) and `with` (one). The
// instruction as assembly, as neither x86vector nor the LLVM dialect has an op for it without side
// effects, which stand in the way of everything that follows.
static void write_byte_dot(const tune_dot *dot, tune_writer *w, const char *result,
                           const char *start, const char *without, const char *with) {
  tune_pdl_operation(w, result, "llvm.inline_asm", type_1d("vector", dot->lanes, "i32").text,
                     TUNE_PDL_OPERANDS(without, with, start),
                     TUNE_PDL_ATTRIBUTES({"asm_string", "\"vpdpbusd $2, $1, $0\""},
                                         {"constraints", "\"=v,v,v,0\""}));
}

static void write_dot(const tune_dot *dot, tune_writer *w, const char *result, const char *start,
                      const char *a, const char *b) {
  if (dot->is_bf16)
    tune_pdl_operation(w, result, "x86vector.avx512.dot",
                       type_1d("vector", dot->lanes, sum_of(dot)).text,
                       TUNE_PDL_OPERANDS(start, a, b), NULL);
  else if (dot->unsigned_b)
    write_byte_dot(dot, w, result, start, b, a);
  else
    write_byte_dot(dot, w, result, start, a, b);
}

static void write_splat(const tune_dot *dot, tune_writer *w, const char *result,
                        const char *value) {
  char text[96];
  type_text type = type_1d("vector", dot->lanes, "i32");
  snprintf(text, sizeof text, "dense<%s> : %s", value, type.text);
  tune_pdl_operation(w, result, "arith.constant", type.text, TUNE_PDL_NO_OPERANDS,
                     TUNE_PDL_ATTRIBUTES({"value", text}));
}

// %sum: %c_vector and the products of all steps. Where both sides have a sign, 128 is added to A,
// and what that adds is taken off the sum: it depends on B alone, and so is computed once for all
// rows; an addition for several steps costs little beside their products.
static void write_sum(const tune_dot *dot, tune_writer *w) {
  const char *type = dot->lanes == 8 ? "vector<8xi32>" : "vector<16xi32>";
  bool shifts = !dot->is_bf16 && !dot->unsigned_a && !dot->unsigned_b;
  if (shifts) {
    write_splat(dot, w, "shift", "0x80808080");
    write_splat(dot, w, "more_0", "0");
  }
  for (int64_t step = 0; step < dot->steps; step++) {
    name_text a = name_at("a", step), b = name_at("b", step);
    name_text from = step ? name_at("c", step) : (name_text){"c_vector"};
    name_text to = name_at("c", step + 1);
    if (step + 1 == dot->steps)
      snprintf(to.text, sizeof to.text, "%s", shifts ? "too_much" : "sum");
    if (!shifts) {
      write_dot(dot, w, to.text, from.text, a.text, b.text);
      continue;
    }
    name_text shifted = name_at("a_shifted", step);
    tune_pdl_operation(w, shifted.text, "arith.xori", type, TUNE_PDL_OPERANDS(a.text, "shift"),
                       NULL);
    write_byte_dot(dot, w, to.text, from.text, shifted.text, b.text);
    write_byte_dot(dot, w, name_at("more", step + 1).text, name_at("more", step).text, "shift",
                   b.text);
  }
  if (shifts)
    tune_pdl_operation(w, "sum", "arith.subi", type,
                       TUNE_PDL_OPERANDS("too_much", name_at("more", dot->steps).text),
                       TUNE_PDL_ATTRIBUTES({"overflowFlags", "#arith.overflow<none>"}));
}

static void write_product_operands(const tune_dot *dot, int64_t columns, tune_writer *w) {
  const char *element = element_of(dot);
  if (dot->steps == 1) {
    tune_pdl_operand(w, "a", type_1d("tensor", dot->group, element).text);
    tune_pdl_operand(w, "b", type_2d("tensor", columns, dot->group, element).text);
  } else {
    tune_pdl_operand(w, "a", type_2d("tensor", dot->steps, dot->group, element).text);
    char type[64];
    snprintf(type, sizeof type, "tensor<%" PRId64 "x%" PRId64 "x%" PRId64 "x%s>", dot->steps,
             columns, dot->group, element);
    tune_pdl_operand(w, "b", type);
  }
  tune_pdl_operand(w, "c", type_1d("tensor", columns, sum_of(dot)).text);
}

// %c_vector. What is less than a vector is no masked read, which would keep all accumulators in
// memory: it is read as it is and put into a whole one, which costs no instruction in a loop.
static void write_start(const tune_dot *dot, int64_t columns, tune_writer *w) {
  type_text lanes = type_1d("vector", dot->lanes, sum_of(dot));
  if (columns == dot->lanes) {
    write_read(w, "c_vector", "c", "nothing", lanes.text, true);
    return;
  }
  char zeroes[96];
  snprintf(zeroes, sizeof zeroes, "dense<%s> : %s", dot->is_bf16 ? "0.0" : "0", lanes.text);
  tune_pdl_operation(w, "c_zeroes", "arith.constant", lanes.text, TUNE_PDL_NO_OPERANDS,
                     TUNE_PDL_ATTRIBUTES({"value", zeroes}));
  write_read(w, "c_part", "c", "nothing", type_1d("vector", columns, sum_of(dot)).text, true);
  tune_pdl_operation(w, "c_vector", "vector.insert_strided_slice", lanes.text,
                     TUNE_PDL_OPERANDS("c_part", "c_zeroes"),
                     TUNE_PDL_ATTRIBUTES({"offsets", "[0]"}, {"strides", "[1]"}));
}

void tune_dot_write_product(const tune_dot *dot, const char *name, int64_t columns,
                            tune_writer *w) {
  bool whole = columns == dot->lanes, flat = dot->steps == 1;
  int64_t width = columns * dot->group;
  char size[32];
  snprintf(size, sizeof size, "[%" PRId64 "]", columns);
  tune_pdl_begin_pattern(w, name);
  write_product_operands(dot, columns, w);
  tune_writer_line(w,
                   "%%nest = pdl.operation \"linalg.generic\"(%%%s, %%%s, %%c : !pdl.value, "
                   "!pdl.value, !pdl.value) -> (%%c_type : !pdl.type)",
                   dot->b_first ? "b" : "a", dot->b_first ? "a" : "b");
  tune_pdl_begin_rewrite(w);
  write_constants(dot, w);
  tune_pdl_constant(w, "nothing", sum_of(dot), dot->is_bf16 ? "0.0" : "0");
  tune_pdl_operation(w, "b_flat", "tensor.collapse_shape",
                     flat ? type_1d("tensor", width, element_of(dot)).text
                          : type_2d("tensor", dot->steps, width, element_of(dot)).text,
                     TUNE_PDL_OPERANDS("b"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", flat ? "[[0, 1]]" : "[[0], [1, 2]]"}));
  for (int64_t step = 0; step < dot->steps; step++) {
    char index[24];
    snprintf(index, sizeof index, "%" PRId64, step);
    tune_pdl_constant(w, name_at("at", step).text, "index", index);
    write_inputs(dot, w, step, whole);
  }
  write_start(dot, columns, w);
  write_sum(dot, w);
  if (!whole)
    tune_pdl_operation(
        w, "part", "vector.extract_strided_slice", type_1d("vector", columns, sum_of(dot)).text,
        TUNE_PDL_OPERANDS("sum"),
        TUNE_PDL_ATTRIBUTES({"offsets", "[0]"}, {"sizes", size}, {"strides", "[1]"}));
  write_write(w, "written", whole ? "sum" : "part", "c",
              type_1d("tensor", columns, sum_of(dot)).text, true);
  tune_pdl_end_pattern(w, "written");
}

//===--------------------------------------------------------------------------===//
// Panels
//===--------------------------------------------------------------------------===//

static void write_begin_pack(tune_writer *w, const char *name, const char *panel) {
  tune_pdl_begin_pattern(w, name);
  tune_writer_line(w, "%%source = pdl.operand");
  tune_pdl_operand(w, "panel", panel);
  tune_writer_line(w, "%%rest = pdl.operands");
  tune_writer_line(w, "%%nest = pdl.operation \"linalg.pack\"(%%source, %%panel, %%rest : "
                      "!pdl.value, !pdl.value, !pdl.range<value>) -> (%%panel_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
}

static void write_read_plane(tune_writer *w, const char *result, const char *type, bool rows_inside,
                             bool columns_inside) {
  char in_bounds[32];
  snprintf(in_bounds, sizeof in_bounds, "[%s, %s]", rows_inside ? "true" : "false",
           columns_inside ? "true" : "false");
  tune_pdl_operation(w, result, "vector.transfer_read", type,
                     TUNE_PDL_OPERANDS("source", "at", "at", "none"),
                     TUNE_PDL_ATTRIBUTES({"permutation_map", PLANE_MAP}, {"in_bounds", in_bounds},
                                         {"operandSegmentSizes", PLANE_READ}));
}

// %row_0, %row_1, ... of the vector %plane.
static void write_rows(tune_writer *w, int64_t count, const char *type) {
  for (int64_t i = 0; i < count; i++) {
    char result[32], position[48];
    snprintf(result, sizeof result, "row_%" PRId64, i);
    snprintf(position, sizeof position, "array<i64: %" PRId64 ">", i);
    tune_pdl_operation(w, result, "vector.extract", type, TUNE_PDL_OPERANDS("plane"),
                       TUNE_PDL_ATTRIBUTES({"static_position", position}));
  }
}

void tune_dot_write_interleave(const tune_dot *dot, const char *name, int64_t columns,
                               bool fills_up, tune_writer *w) {
  const char *element = element_of(dot);
  bool whole = columns == TUNE_DOT_BLOCK;
  char panel[64], shape[64], line_shape[64];
  snprintf(line_shape, sizeof line_shape, "array<i64: %" PRId64 ", %" PRId64 ">", columns,
           dot->group);
  snprintf(panel, sizeof panel, "tensor<1x%" PRId64 "x%" PRId64 "x%s>", columns, dot->group,
           element);
  snprintf(shape, sizeof shape, "array<i64: 1, %" PRId64 ", %" PRId64 ">", columns, dot->group);
  type_text flat = type_1d("tensor", columns * dot->group, element);
  write_begin_pack(w, name, panel);
  write_constants(dot, w);
  write_read_plane(w, "plane", type_2d("vector", dot->group, TUNE_DOT_BLOCK, element).text,
                   !fills_up, whole);
  write_rows(w, dot->group, type_1d("vector", TUNE_DOT_BLOCK, element).text);
  type_text pairs = type_1d("vector", 2 * TUNE_DOT_BLOCK, element);
  const char *mixed = "even";
  if (dot->group == 2) {
    tune_pdl_operation(w, "even", "vector.interleave", pairs.text,
                       TUNE_PDL_OPERANDS("row_0", "row_1"), NULL);
  } else {
    tune_pdl_operation(w, "even", "vector.interleave", pairs.text,
                       TUNE_PDL_OPERANDS("row_0", "row_2"), NULL);
    tune_pdl_operation(w, "odd", "vector.interleave", pairs.text,
                       TUNE_PDL_OPERANDS("row_1", "row_3"), NULL);
    tune_pdl_operation(w, "all", "vector.interleave",
                       type_1d("vector", 4 * TUNE_DOT_BLOCK, element).text,
                       TUNE_PDL_OPERANDS("even", "odd"), NULL);
    mixed = "all";
  }
  // Without the dimension of one group, whose stride is lost when it is expanded again: upstream
  // would take the result for other memory, and copy it onto itself.
  type_text line = type_2d("tensor", columns, dot->group, element);
  tune_pdl_operation(w, "line", "tensor.extract_slice", line.text, TUNE_PDL_OPERANDS("panel"),
                     TUNE_PDL_ATTRIBUTES({"static_offsets", "array<i64: 0, 0, 0>"},
                                         {"static_sizes", shape},
                                         {"static_strides", "array<i64: 1, 1, 1>"},
                                         {"operandSegmentSizes", "array<i32: 1, 0, 0, 0>"}));
  tune_pdl_operation(w, "flat", "tensor.collapse_shape", flat.text, TUNE_PDL_OPERANDS("line"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1]]"}));
  write_write(w, "filled", mixed, "flat", flat.text, whole);
  tune_pdl_operation(
      w, "wide", "tensor.expand_shape", line.text, TUNE_PDL_OPERANDS("filled"),
      TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1]]"}, {"static_output_shape", line_shape}));
  tune_pdl_operation(w, "written", "tensor.insert_slice", panel, TUNE_PDL_OPERANDS("wide", "panel"),
                     TUNE_PDL_ATTRIBUTES({"static_offsets", "array<i64: 0, 0, 0>"},
                                         {"static_sizes", shape},
                                         {"static_strides", "array<i64: 1, 1, 1>"},
                                         {"operandSegmentSizes", "array<i32: 1, 1, 0, 0, 0>"}));
  tune_pdl_end_pattern(w, "written");
}

void tune_dot_write_transpose(const tune_dot *dot, const char *name, int64_t groups,
                              int64_t columns, bool fills_up, tune_writer *w) {
  const char *element = element_of(dot);
  int64_t width = TUNE_DOT_BLOCK * dot->group;
  bool whole = columns == TUNE_DOT_BLOCK;
  char panel[64], shape[96];
  snprintf(panel, sizeof panel, "tensor<%" PRId64 "x%" PRId64 "x%" PRId64 "x%s>", groups, columns,
           dot->group, element);
  snprintf(shape, sizeof shape, "array<i64: %" PRId64 ", %" PRId64 ", %" PRId64 ">", groups,
           columns, dot->group);
  type_text flat = type_2d("tensor", groups, columns * dot->group, element),
            wide = type_2d("vector", TUNE_DOT_BLOCK, width, element),
            lanes = type_2d("vector", TUNE_DOT_BLOCK, TUNE_DOT_BLOCK, "f32");
  write_begin_pack(w, name, panel);
  write_constants(dot, w);
  write_read_plane(w, "plane", wide.text, whole, groups == TUNE_DOT_BLOCK && !fills_up);
  // Groups travel as f32, which upstream has a transpose of 16 x 16 for.
  tune_pdl_operation(w, "lanes", "vector.bitcast", lanes.text, TUNE_PDL_OPERANDS("plane"), NULL);
  tune_pdl_operation(w, "turned", "vector.transpose", lanes.text, TUNE_PDL_OPERANDS("lanes"),
                     TUNE_PDL_ATTRIBUTES({"permutation", "array<i64: 1, 0>"}));
  tune_pdl_operation(w, "mixed", "vector.bitcast", wide.text, TUNE_PDL_OPERANDS("turned"), NULL);
  tune_pdl_operation(w, "flat", "tensor.collapse_shape", flat.text, TUNE_PDL_OPERANDS("panel"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0], [1, 2]]"}));
  char in_bounds[32];
  snprintf(in_bounds, sizeof in_bounds, "[%s, %s]", groups == TUNE_DOT_BLOCK ? "true" : "false",
           whole ? "true" : "false");
  tune_pdl_operation(w, "filled", "vector.transfer_write", flat.text,
                     TUNE_PDL_OPERANDS("mixed", "flat", "at", "at"),
                     TUNE_PDL_ATTRIBUTES({"permutation_map", PLANE_MAP}, {"in_bounds", in_bounds},
                                         {"operandSegmentSizes", PLANE_WRITE}));
  tune_pdl_operation(
      w, "written", "tensor.expand_shape", panel, TUNE_PDL_OPERANDS("filled"),
      TUNE_PDL_ATTRIBUTES({"reassociation", "[[0], [1, 2]]"}, {"static_output_shape", shape}));
  tune_pdl_end_pattern(w, "written");
}
