//===- subgroup_shuffles.c - Sums over a subgroup, as shuffles ---------------===//

#include "transforms/lower/cuda/subgroup_shuffles.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/combining_kind.h"

static MlirWalkResult find_reduction(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "gpu.subgroup_reduce"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Bits of a float or integer; 0 for what is neither.
static unsigned width_of(MlirType type) {
  return mlirTypeIsAFloat(type)     ? mlirFloatTypeGetWidth(type)
         : mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type)
                                    : 0;
}

static MlirValue convert(const tune_ir_builder *builder, const char *name, MlirType type,
                         MlirValue value) {
  return mlirTypeEqual(mlirValueGetType(value), type)
             ? value
             : tune_ir_build_value(builder, name, type, 1, &value);
}

// What the lane has whose number differs in the bits of `distance`, of 32 bits.
static MlirValue exchange_word(const tune_ir_builder *builder, MlirValue word, int64_t distance,
                               int64_t size) {
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32);
  MlirType types[] = {i32, mlirIntegerTypeGet(builder->context, 1)};
  MlirValue operands[] = {word, tune_ir_build_number(builder, i32, (double)distance),
                          tune_ir_build_number(builder, i32, (double)size)};
  MlirNamedAttribute mode = tune_ir_named(
      builder->context, "mode",
      mlirAttributeParseGet(builder->context, tune_ir_string("#gpu<shuffle_mode xor>")));
  tune_ir_parts parts = {.name = "gpu.shuffle",
                         .operand_count = 3,
                         .operands = operands,
                         .type_count = 2,
                         .types = types,
                         .attribute_count = 1,
                         .attributes = &mode};
  return mlirOperationGetResult(tune_ir_build(builder, &parts), 0);
}

static MlirValue exchange(const tune_ir_builder *builder, MlirValue value, int64_t distance,
                          int64_t size) {
  MlirType type = mlirValueGetType(value), i32 = mlirIntegerTypeGet(builder->context, 32);
  unsigned width = width_of(type);
  MlirType integer = mlirIntegerTypeGet(builder->context, width);
  MlirValue bits = convert(builder, "arith.bitcast", integer, value);
  if (width <= 32) {
    bits = exchange_word(builder, convert(builder, "arith.extui", i32, bits), distance, size);
    bits = convert(builder, "arith.trunci", integer, bits);
    return convert(builder, "arith.bitcast", type, bits);
  }
  MlirValue half = tune_ir_build_number(builder, integer, 32);
  MlirValue low =
      exchange_word(builder, convert(builder, "arith.trunci", i32, bits), distance, size);
  MlirValue high = tune_ir_build_binary(builder, "arith.shrui", bits, half);
  high = exchange_word(builder, convert(builder, "arith.trunci", i32, high), distance, size);
  high = tune_ir_build_binary(builder, "arith.shli", convert(builder, "arith.extui", integer, high),
                              half);
  bits = tune_ir_build_binary(builder, "arith.ori", high,
                              convert(builder, "arith.extui", integer, low));
  return convert(builder, "arith.bitcast", type, bits);
}

static tune_status open_reduction(MlirOperation op, int64_t size) {
  MlirValue value = mlirOperationGetOperand(op, 0);
  unsigned width = width_of(mlirValueGetType(value));
  const tune_combining_kind *combination = tune_combining_kind_read(tune_ir_attribute(op, "op"));
  const char *name = !combination                                ? NULL
                     : mlirTypeIsAFloat(mlirValueGetType(value)) ? combination->floats
                                                                 : combination->integers;
  MlirAttribute cluster = tune_ir_attribute(op, "cluster_size");
  if (!name || (width != 8 && width != 16 && width != 32 && width != 64) ||
      (!mlirAttributeIsNull(cluster) && mlirIntegerAttrGetValueInt(cluster) != size))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "lanes cannot combine this: expected scalars of 8 to 64 bits, of a "
                               "whole subgroup");
  tune_ir_builder builder = tune_ir_builder_before(op);
  for (int64_t distance = size / 2; distance > 0; distance /= 2)
    value = tune_ir_build_binary(&builder, name, value, exchange(&builder, value, distance, size));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), value);
  mlirOperationDestroy(op);
  return TUNE_OK;
}

tune_status tune_subgroup_shuffles_lower(MlirOperation kernels, int64_t size) {
  static const char *const MADE_OF[] = {"arith", "gpu", NULL};
  tune_op_list ops = {0};
  mlirOperationWalk(kernels, find_reduction, &ops, MlirWalkPreOrder);
  tune_status status = TUNE_OK;
  if (ops.failed)
    status = tune_status_out_of_memory("listing reductions");
  else if (ops.count)
    tune_ir_load_dialects(mlirOperationGetContext(kernels), MADE_OF);
  for (size_t i = 0; i < ops.count && tune_status_is_ok(status); ++i)
    status = open_reduction(ops.ops[i], size);
  tune_op_list_deinit(&ops);
  return status;
}
