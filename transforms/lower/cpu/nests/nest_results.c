//===- nest_results.c - What results are before and after what reduces ---------------------===//

#include "transforms/lower/cpu/nests/nest_emitter.h"

#include "transforms/ir/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdio.h>

// The neutral element of `op`: with it, a value stays what it is.
static MlirAttribute neutral(MlirOperation op, MlirType element) {
  MlirContext context = mlirTypeGetContext(element);
  if (mlirTypeIsAFloat(element)) {
    double number = tune_ir_is(op, "arith.addf")       ? -0.0
                    : tune_ir_is(op, "arith.mulf")     ? 1
                    : tune_ir_is(op, "arith.maximumf") ? -__builtin_inf()
                    : tune_ir_is(op, "arith.minimumf") ? __builtin_inf()
                                                       : __builtin_nan("");
    return mlirFloatAttrDoubleGet(context, element, number);
  }
  int64_t bits = mlirTypeIsAIndex(element) ? 64 : (int64_t)mlirIntegerTypeGetWidth(element);
  int64_t lowest = bits == 1 ? -1 : (int64_t)(UINT64_MAX << (bits - 1));
  int64_t number = tune_ir_is(op, "arith.muli")                                    ? 1
                   : tune_ir_is(op, "arith.andi") || tune_ir_is(op, "arith.minui") ? -1
                   : tune_ir_is(op, "arith.maxsi")                                 ? lowest
                   : tune_ir_is(op, "arith.minsi")                                 ? ~lowest
                                                                                   : 0;
  return mlirIntegerAttrGet(element, number);
}

MlirValue tune_nest_neutral(const tune_nest_emitter *e, size_t result) {
  MlirType element = e->nest->operands[e->nest->input_count + result].element;
  MlirType type = tune_nest_vector_type(e, element);
  MlirAttribute each = neutral(tune_nest_combiner(e->nest, result), element);
  return tune_ir_build_constant(&e->builder, type, mlirDenseElementsAttrSplatGet(type, each));
}

// What results are before the first step of what reduces.
MlirValue tune_nest_start(tune_nest_emitter *e, size_t result, tune_nest_copy copy) {
  if (e->plan->is_along)
    return tune_nest_neutral(e, result);
  tune_nest_value value = tune_nest_read(e, e->nest->input_count + result, copy);
  return tune_nest_as_vector(e, &value);
}

// `a op b`, where `op` combines a result with what it was so far.
static MlirValue combine(const tune_nest_emitter *e, MlirOperation op, MlirValue a, MlirValue b) {
  MlirStringRef name = tune_ir_name(op);
  char text[64];
  snprintf(text, sizeof text, "%.*s", (int)name.length, name.data);
  return tune_ir_build_binary(&e->builder, text, a, b);
}

MlirValue tune_nest_combine_two(const tune_nest_emitter *e, size_t result, MlirValue a,
                                MlirValue b) {
  return combine(e, tune_nest_combiner(e->nest, result), a, b);
}

// Lanes `lanes` of `a` and `b` in each group of four, together.
static MlirValue combine_groups(const tune_nest_emitter *e, size_t result, MlirValue a, MlirValue b,
                                const int64_t lanes[2][4]) {
  int64_t count = e->plan->lanes, all[TUNE_NEST_MAX_LANES];
  MlirValue halves[2];
  for (int half = 0; half < 2; ++half) {
    for (int64_t lane = 0; lane < count; ++lane) {
      int64_t of = lanes[half][lane % 4]; // 4 to 7: of b
      all[lane] = lane / 4 * 4 + of % 4 + (of >= 4 ? count : 0);
    }
    halves[half] = tune_nest_shuffle(e, a, b, all);
  }
  return tune_nest_combine_two(e, result, halves[0], halves[1]);
}

void tune_nest_combine_four(tune_nest_emitter *e, size_t result, int64_t row,
                            const tune_nest_sums *lanes, MlirValue out[4]) {
  static const int64_t ONES[2][4] = {{0, 4, 2, 6}, {1, 5, 3, 7}},
                       TWOS[2][4] = {{0, 1, 4, 5}, {2, 3, 6, 7}};
  const MlirValue *of = lanes->of[result][row];
  int64_t last = e->vectors - 1; // in the place of those that are not there
  MlirValue pairs[] = {combine_groups(e, result, of[0], of[last < 1 ? last : 1], ONES),
                       combine_groups(e, result, of[last < 2 ? last : 2], of[last], ONES)};
  MlirValue all = combine_groups(e, result, pairs[0], pairs[1], TWOS);
  MlirValue sum = tune_nest_take_lanes(e, all, 0, 4);
  for (int64_t at = 4; at < e->plan->lanes; at += 4)
    sum = tune_nest_combine_two(e, result, sum, tune_nest_take_lanes(e, all, at, 4));
  for (int64_t column = 0; column <= last; ++column) {
    tune_nest_copy copy = {.vector = column, .row = row};
    tune_nest_value before = tune_nest_read(e, e->nest->input_count + result, copy);
    out[column] =
        tune_nest_combine_two(e, result, before.one, tune_ir_build_lane(&e->builder, sum, column));
  }
}

// The lanes of a result, of all vectors where these are not columns, and what it was before.
MlirValue tune_nest_combine(tune_nest_emitter *e, size_t result, tune_nest_copy copy,
                            const tune_nest_sums *all_lanes) {
  static const char *const kinds[][2] = {
      {"arith.addf", "add"},          {"arith.addi", "add"},        {"arith.mulf", "mul"},
      {"arith.muli", "mul"},          {"arith.andi", "and"},        {"arith.ori", "or"},
      {"arith.xori", "xor"},          {"arith.maxsi", "maxsi"},     {"arith.minsi", "minsi"},
      {"arith.maxui", "maxui"},       {"arith.minui", "minui"},     {"arith.maximumf", "maximumf"},
      {"arith.minimumf", "minimumf"}, {"arith.maxnumf", "maxnumf"}, {"arith.minnumf", "minnumf"}};
  MlirOperation op = tune_nest_combiner(e->nest, result);
  bool has_columns = e->plan->column_loop != TUNE_NEST_NO_LOOP;
  MlirValue vector = all_lanes->of[result][copy.row][copy.vector];
  for (int64_t v = 1; v < e->vectors && !has_columns; ++v)
    vector = combine(e, op, vector, all_lanes->of[result][copy.row][v]);
  const char *kind = "add";
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (tune_ir_is(op, kinds[i][0]))
      kind = kinds[i][1];
  char text[48];
  snprintf(text, sizeof text, "#vector.kind<%s>", kind);
  MlirNamedAttribute attribute = tune_ir_named(
      e->builder.context, "kind", mlirAttributeParseGet(e->builder.context, tune_ir_string(text)));
  MlirType element = e->nest->operands[e->nest->input_count + result].element;
  MlirValue all = tune_ir_build_result(&e->builder, &(tune_ir_parts){.name = "vector.reduction",
                                                                     .operand_count = 1,
                                                                     .operands = &vector,
                                                                     .type_count = 1,
                                                                     .types = &element,
                                                                     .attribute_count = 1,
                                                                     .attributes = &attribute});
  tune_nest_value before = tune_nest_read(e, e->nest->input_count + result, copy);
  return combine(e, op, before.one, all);
}
