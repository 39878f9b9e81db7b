//===- dot_panel_patterns.c ---------------------------------------------------===//

#include "transforms/rules/contraction/dot_panel_patterns.h"

#include "transforms/rules/contraction/dot_words.h"
#include "transforms/rules/pdl_writer.h"

#include <inttypes.h>
#include <stdio.h>

#define PLANE_MAP "affine_map<(d0, d1) -> (d0, d1)>"
#define PLANE_WRITE "array<i32: 1, 1, 2, 0>"

// The name of `vector`, of `type`, as the panel has it: with another sign where it is turned.
static const char *write_turned(const tune_dot *dot, const char *vector, const char *type,
                                tune_writer *w) {
  if (!dot->turns_b)
    return vector;
  tune_pdl_text ones = tune_pdl_format("dense<-128> : %s", type);
  tune_pdl_operation(w, "sign", "arith.constant", type, TUNE_PDL_NO_OPERANDS,
                     TUNE_PDL_ATTRIBUTES({"value", ones.text}));
  tune_pdl_operation(w, "other_sign", "arith.xori", type, TUNE_PDL_OPERANDS(vector, "sign"), NULL);
  return "other_sign";
}

static void write_begin_pack(tune_writer *w, const char *name, const char *panel) {
  tune_pdl_begin_pattern(w, name);
  tune_writer_line(w, "%%source = pdl.operand");
  tune_pdl_operand(w, "panel", panel);
  tune_writer_line(w, "%%rest = pdl.operands");
  tune_writer_line(w, "%%nest = pdl.operation \"linalg.pack\"(%%source, %%panel, %%rest : "
                      "!pdl.value, !pdl.value, !pdl.range<value>) -> (%%panel_type : !pdl.type)");
  tune_pdl_begin_rewrite(w);
}

// Reads the last two dimensions of %source at its start; it has `windows` unit dimensions before.
static void write_read_plane(tune_writer *w, const char *result, const char *type, size_t windows,
                             bool rows_inside, bool columns_inside) {
  static const char *const maps[] = {PLANE_MAP, "affine_map<(d0, d1, d2) -> (d1, d2)>",
                                     "affine_map<(d0, d1, d2, d3) -> (d2, d3)>",
                                     "affine_map<(d0, d1, d2, d3, d4) -> (d3, d4)>"};
  const char *operands[TUNE_DOT_MOST_PLACES + 5] = {"source"};
  char in_bounds[32], segments[64];
  size_t count = 1;
  while (count < windows + 3)
    operands[count++] = "at";
  operands[count] = "none";
  snprintf(in_bounds, sizeof in_bounds, "[%s, %s]", rows_inside ? "true" : "false",
           columns_inside ? "true" : "false");
  snprintf(segments, sizeof segments, "array<i32: 1, %zu, 1, 0>", windows + 2);
  tune_pdl_operation(w, result, "vector.transfer_read", type, operands,
                     TUNE_PDL_ATTRIBUTES({"permutation_map", maps[windows]},
                                         {"in_bounds", in_bounds},
                                         {"operandSegmentSizes", segments}));
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
                               size_t windows, bool fills_up, tune_writer *w) {
  static const char *const units[] = {"1", "1x1", "1x1x1", "1x1x1x1"},
                           *const ones[] = {"1", "1, 1", "1, 1, 1", "1, 1, 1, 1"},
                           *const zeroes[] = {"0", "0, 0", "0, 0, 0", "0, 0, 0, 0"};
  const char *element = tune_dot_element(dot);
  bool whole = columns == TUNE_DOT_BLOCK;
  char panel[128], shape[128], line_shape[64], offsets[64], strides[64];
  snprintf(line_shape, sizeof line_shape, "array<i64: %" PRId64 ", %" PRId64 ">", columns,
           dot->group);
  snprintf(panel, sizeof panel, "tensor<%sx%" PRId64 "x%" PRId64 "x%s>", units[windows], columns,
           dot->group, element);
  snprintf(shape, sizeof shape, "array<i64: %s, %" PRId64 ", %" PRId64 ">", ones[windows], columns,
           dot->group);
  snprintf(offsets, sizeof offsets, "array<i64: %s, 0, 0>", zeroes[windows]);
  snprintf(strides, sizeof strides, "array<i64: %s, 1, 1>", ones[windows]);
  tune_pdl_text flat = TUNE_PDL_TYPE("tensor", element, columns * dot->group);
  write_begin_pack(w, name, panel);
  tune_dot_write_constants(dot, w);
  write_read_plane(w, "plane", TUNE_PDL_TYPE("vector", element, dot->group, TUNE_DOT_BLOCK).text,
                   windows, !fills_up, whole);
  write_rows(w, dot->group, TUNE_PDL_TYPE("vector", element, TUNE_DOT_BLOCK).text);
  tune_pdl_text pairs = TUNE_PDL_TYPE("vector", element, 2 * TUNE_DOT_BLOCK);
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
                       TUNE_PDL_TYPE("vector", element, 4 * TUNE_DOT_BLOCK).text,
                       TUNE_PDL_OPERANDS("even", "odd"), NULL);
    mixed = "all";
  }
  mixed = write_turned(dot, mixed,
                       TUNE_PDL_TYPE("vector", element, dot->group * TUNE_DOT_BLOCK).text, w);
  // Without the dimension of one group, whose stride is lost when it is expanded again: upstream
  // would take the result for other memory, and copy it onto itself.
  tune_pdl_text line = TUNE_PDL_TYPE("tensor", element, columns, dot->group);
  tune_pdl_operation(w, "line", "tensor.extract_slice", line.text, TUNE_PDL_OPERANDS("panel"),
                     TUNE_PDL_ATTRIBUTES({"static_offsets", offsets}, {"static_sizes", shape},
                                         {"static_strides", strides},
                                         {"operandSegmentSizes", "array<i32: 1, 0, 0, 0>"}));
  tune_pdl_operation(w, "flat", "tensor.collapse_shape", flat.text, TUNE_PDL_OPERANDS("line"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1]]"}));
  tune_dot_write_vector(w, "filled", mixed, "flat", flat.text, whole);
  tune_pdl_operation(
      w, "wide", "tensor.expand_shape", line.text, TUNE_PDL_OPERANDS("filled"),
      TUNE_PDL_ATTRIBUTES({"reassociation", "[[0, 1]]"}, {"static_output_shape", line_shape}));
  tune_pdl_operation(w, "written", "tensor.insert_slice", panel, TUNE_PDL_OPERANDS("wide", "panel"),
                     TUNE_PDL_ATTRIBUTES({"static_offsets", offsets}, {"static_sizes", shape},
                                         {"static_strides", strides},
                                         {"operandSegmentSizes", "array<i32: 1, 1, 0, 0, 0>"}));
  tune_pdl_end_pattern(w, "written");
}

void tune_dot_write_transpose(const tune_dot *dot, const char *name, int64_t groups,
                              int64_t columns, bool fills_up, tune_writer *w) {
  const char *element = tune_dot_element(dot);
  int64_t width = TUNE_DOT_BLOCK * dot->group;
  bool whole = columns == TUNE_DOT_BLOCK;
  char panel[128], shape[96];
  snprintf(panel, sizeof panel, "tensor<%" PRId64 "x%" PRId64 "x%" PRId64 "x%s>", groups, columns,
           dot->group, element);
  snprintf(shape, sizeof shape, "array<i64: %" PRId64 ", %" PRId64 ", %" PRId64 ">", groups,
           columns, dot->group);
  tune_pdl_text flat = TUNE_PDL_TYPE("tensor", element, groups, columns * dot->group),
                plane = TUNE_PDL_TYPE("vector", element, TUNE_DOT_BLOCK, width),
                wide =
                    dot->has_pairs ? TUNE_PDL_TYPE("vector", "i16", TUNE_DOT_BLOCK, width) : plane,
                lanes = TUNE_PDL_TYPE("vector", "f32", TUNE_DOT_BLOCK, TUNE_DOT_BLOCK);
  write_begin_pack(w, name, panel);
  tune_dot_write_constants(dot, w);
  write_read_plane(w, "plane", plane.text, 0, whole, groups == TUNE_DOT_BLOCK && !fills_up);
  // Groups travel as f32, which upstream has a transpose of 16 x 16 for; those of two bytes are
  // half of one.
  if (dot->has_pairs)
    tune_pdl_operation(w, "wide", "arith.extui", wide.text, TUNE_PDL_OPERANDS("plane"), NULL);
  tune_pdl_operation(w, "lanes", "vector.bitcast", lanes.text,
                     TUNE_PDL_OPERANDS(dot->has_pairs ? "wide" : "plane"), NULL);
  tune_pdl_operation(w, "turned", "vector.transpose", lanes.text, TUNE_PDL_OPERANDS("lanes"),
                     TUNE_PDL_ATTRIBUTES({"permutation", "array<i64: 1, 0>"}));
  tune_pdl_operation(w, "mixed", "vector.bitcast", wide.text, TUNE_PDL_OPERANDS("turned"), NULL);
  tune_pdl_operation(w, "flat", "tensor.collapse_shape", flat.text, TUNE_PDL_OPERANDS("panel"),
                     TUNE_PDL_ATTRIBUTES({"reassociation", "[[0], [1, 2]]"}));
  char in_bounds[32];
  snprintf(in_bounds, sizeof in_bounds, "[%s, %s]", groups == TUNE_DOT_BLOCK ? "true" : "false",
           whole ? "true" : "false");
  if (dot->has_pairs)
    tune_pdl_operation(w, "narrow", "arith.trunci", plane.text, TUNE_PDL_OPERANDS("mixed"),
                       TUNE_PDL_ATTRIBUTES({"overflowFlags", "#arith.overflow<none>"}));
  const char *mixed = dot->has_pairs ? "narrow" : write_turned(dot, "mixed", plane.text, w);
  tune_pdl_operation(w, "filled", "vector.transfer_write", flat.text,
                     TUNE_PDL_OPERANDS(mixed, "flat", "at", "at"),
                     TUNE_PDL_ATTRIBUTES({"permutation_map", PLANE_MAP}, {"in_bounds", in_bounds},
                                         {"operandSegmentSizes", PLANE_WRITE}));
  tune_pdl_operation(
      w, "written", "tensor.expand_shape", panel, TUNE_PDL_OPERANDS("filled"),
      TUNE_PDL_ATTRIBUTES({"reassociation", "[[0], [1, 2]]"}, {"static_output_shape", shape}));
  tune_pdl_end_pattern(w, "written");
}
