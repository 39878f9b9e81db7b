//===- tensor_ops.c ---------------------------------------------------------------===//

#include "transforms/normalize/tensor_ops.h"

#include "transforms/ir/op_facts.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

bool tune_tensor_is_plain(MlirType type) {
  return mlirTypeIsARankedTensor(type) && mlirShapedTypeHasStaticShape(type) &&
         mlirShapedTypeGetRank(type) <= TUNE_IR_MAX_RANK &&
         mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type));
}

double tune_tensor_bytes(MlirType type) {
  double bytes = (double)tune_op_element_bytes(mlirShapedTypeGetElementType(type));
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    bytes *= (double)mlirShapedTypeGetDimSize(type, d);
  return bytes;
}

bool tune_tensor_read_numbers(MlirOperation op, const char *name, intptr_t rank,
                              int64_t *out_numbers) {
  MlirAttribute numbers = tune_ir_attribute(op, name);
  if (mlirAttributeIsNull(numbers) || !mlirAttributeIsADenseI64Array(numbers) ||
      mlirDenseArrayGetNumElements(numbers) != rank)
    return false;
  for (intptr_t d = 0; d < rank; ++d)
    out_numbers[d] = mlirDenseI64ArrayGetElement(numbers, d);
  return true;
}

static MlirType tensor_like(MlirValue value, intptr_t rank, const int64_t *sizes) {
  MlirType type = mlirValueGetType(value);
  return mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(type),
                                 (MlirAttribute){NULL});
}

MlirValue tune_tensor_pad(const tune_ir_builder *b, MlirValue value, const int64_t *low,
                          const int64_t *high, double number) {
  MlirType type = mlirValueGetType(value);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t sizes[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = low[d] + mlirShapedTypeGetDimSize(type, d) + high[d];
  MlirValue filled = tune_ir_build_number(b, mlirShapedTypeGetElementType(type), number);
  MlirBlock block = tune_ir_make_block(b, (size_t)rank);
  tune_ir_builder body = tune_ir_builder_at_end(block, b->location);
  tune_ir_build(&body,
                &(tune_ir_parts){.name = "tensor.yield", .operand_count = 1, .operands = &filled});
  MlirNamedAttribute attributes[] = {
      tune_ir_named(b->context, "static_low", mlirDenseI64ArrayGet(b->context, rank, low)),
      tune_ir_named(b->context, "static_high", mlirDenseI64ArrayGet(b->context, rank, high)),
      tune_ir_named(b->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(b->context, 3, (int32_t[]){1, 0, 0}))};
  MlirRegion region = tune_ir_make_region(block);
  MlirType padded = tensor_like(value, rank, sizes);
  return tune_ir_build_result(b, &(tune_ir_parts){.name = "tensor.pad",
                                                  .operand_count = 1,
                                                  .operands = &value,
                                                  .type_count = 1,
                                                  .types = &padded,
                                                  .attribute_count = 3,
                                                  .attributes = attributes,
                                                  .region_count = 1,
                                                  .regions = &region});
}

MlirValue tune_tensor_slice(const tune_ir_builder *b, MlirValue value, const int64_t *offsets,
                            const int64_t *sizes) {
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(value));
  int64_t ones[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d)
    ones[d] = 1;
  return tune_tensor_slice_in_steps(b, value, offsets, sizes, ones);
}

MlirValue tune_tensor_slice_in_steps(const tune_ir_builder *b, MlirValue value,
                                     const int64_t *offsets, const int64_t *sizes,
                                     const int64_t *steps) {
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(value));
  MlirType type = tensor_like(value, rank, sizes);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(b->context, "static_offsets", mlirDenseI64ArrayGet(b->context, rank, offsets)),
      tune_ir_named(b->context, "static_sizes", mlirDenseI64ArrayGet(b->context, rank, sizes)),
      tune_ir_named(b->context, "static_strides", mlirDenseI64ArrayGet(b->context, rank, steps)),
      tune_ir_named(b->context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(b->context, 4, (int32_t[]){1, 0, 0, 0}))};
  return tune_ir_build_result(b, &(tune_ir_parts){.name = "tensor.extract_slice",
                                                  .operand_count = 1,
                                                  .operands = &value,
                                                  .type_count = 1,
                                                  .types = &type,
                                                  .attribute_count = 4,
                                                  .attributes = attributes});
}

MlirValue tune_tensor_reshape(const tune_ir_builder *b, MlirValue value, intptr_t rank,
                              const int64_t *sizes, const intptr_t *members) {
  intptr_t before = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(value)), next = 0;
  bool is_expanded = rank > before;
  MlirType type = tensor_like(value, rank, sizes), i64 = mlirIntegerTypeGet(b->context, 64);
  MlirAttribute groups[TUNE_IR_MAX_RANK], dimensions[TUNE_IR_MAX_RANK];
  intptr_t group_count = is_expanded ? before : rank;
  for (intptr_t g = 0; g < group_count; ++g) {
    for (intptr_t m = 0; m < members[g]; ++m)
      dimensions[m] = mlirIntegerAttrGet(i64, next++);
    groups[g] = mlirArrayAttrGet(b->context, members[g], dimensions);
  }
  MlirNamedAttribute attributes[] = {
      tune_ir_named(b->context, "reassociation", mlirArrayAttrGet(b->context, group_count, groups)),
      tune_ir_named(b->context, "static_output_shape",
                    mlirDenseI64ArrayGet(b->context, rank, sizes))};
  return tune_ir_build_result(
      b, &(tune_ir_parts){.name = is_expanded ? "tensor.expand_shape" : "tensor.collapse_shape",
                          .operand_count = 1,
                          .operands = &value,
                          .type_count = 1,
                          .types = &type,
                          .attribute_count = is_expanded ? 2 : 1,
                          .attributes = attributes});
}

MlirValue tune_tensor_concat(const tune_ir_builder *b, intptr_t count, const MlirValue *values,
                             intptr_t dimension, MlirType type) {
  MlirNamedAttribute dim = tune_ir_named(
      b->context, "dim", mlirIntegerAttrGet(mlirIntegerTypeGet(b->context, 64), dimension));
  return tune_ir_build_result(b, &(tune_ir_parts){.name = "tensor.concat",
                                                  .operand_count = count,
                                                  .operands = values,
                                                  .type_count = 1,
                                                  .types = &type,
                                                  .attribute_count = 1,
                                                  .attributes = &dim});
}

MlirValue tune_tensor_index(const tune_ir_builder *b, intptr_t loop) {
  MlirType type = mlirIndexTypeGet(b->context);
  MlirNamedAttribute attribute = tune_ir_named(
      b->context, "dim", mlirIntegerAttrGet(mlirIntegerTypeGet(b->context, 64), loop));
  return tune_ir_build_result(b, &(tune_ir_parts){.name = "linalg.index",
                                                  .type_count = 1,
                                                  .types = &type,
                                                  .attribute_count = 1,
                                                  .attributes = &attribute});
}

MlirOperation tune_tensor_generic(const tune_ir_builder *b, intptr_t count,
                                  const MlirValue *operands, const MlirAffineMap *maps,
                                  MlirRegion region) {
  MlirContext context = b->context;
  MlirAffineMap result = maps[count - 1];
  intptr_t loops = mlirAffineMapGetNumDims(result);
  MlirAttribute iterators[TUNE_IR_MAX_LOOPS], all[TUNE_TENSOR_MAX_OPERANDS];
  for (intptr_t d = 0; d < loops; ++d) {
    bool is_parallel = false;
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(result); ++i)
      is_parallel |= mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(result, i), d);
    iterators[d] = mlirAttributeParseGet(
        context, tune_ir_string(is_parallel ? "#linalg.iterator_type<parallel>"
                                            : "#linalg.iterator_type<reduction>"));
  }
  for (intptr_t m = 0; m < count; ++m)
    all[m] = mlirAffineMapAttrGet(maps[m]);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "indexing_maps", mlirArrayAttrGet(context, count, all)),
      tune_ir_named(context, "iterator_types", mlirArrayAttrGet(context, loops, iterators)),
      tune_ir_named(context, "operandSegmentSizes",
                    mlirDenseI32ArrayGet(context, 2, (int32_t[]){(int32_t)count - 1, 1}))};
  MlirType type = mlirValueGetType(operands[count - 1]);
  return tune_ir_build(b, &(tune_ir_parts){.name = "linalg.generic",
                                           .operand_count = count,
                                           .operands = operands,
                                           .type_count = 1,
                                           .types = &type,
                                           .attribute_count = 3,
                                           .attributes = attributes,
                                           .region_count = 1,
                                           .regions = &region});
}

void tune_tensor_replace(MlirOperation op, intptr_t count, const MlirValue *operands,
                         const MlirAffineMap *maps, MlirRegion region) {
  tune_ir_builder b = tune_ir_builder_before(op);
  MlirOperation made = tune_tensor_generic(&b, count, operands, maps, region);
  tune_ir_copy_attributes(op, made);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetResult(made, 0));
  mlirOperationDestroy(op);
}

MlirValue tune_tensor_copy(const tune_ir_builder *b, MlirValue value, MlirAffineMap map,
                           MlirValue into) {
  MlirType element = mlirShapedTypeGetElementType(mlirValueGetType(value));
  MlirBlock body = mlirBlockCreate(2, (MlirType[]){element, element},
                                   (MlirLocation[]){b->location, b->location});
  tune_ir_builder inside = tune_ir_builder_at_end(body, b->location);
  MlirValue taken = mlirBlockGetArgument(body, 0);
  tune_ir_build(&inside,
                &(tune_ir_parts){.name = "linalg.yield", .operand_count = 1, .operands = &taken});
  MlirValue operands[] = {value, into};
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(into));
  MlirAffineMap maps[] = {map, mlirAffineMapMultiDimIdentityGet(b->context, rank)};
  return mlirOperationGetResult(
      tune_tensor_generic(b, 2, operands, maps, tune_ir_make_region(body)), 0);
}

MlirType tune_tensor_type_with_size(MlirType type, intptr_t dimension, int64_t size) {
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = d == dimension ? size : mlirShapedTypeGetDimSize(type, d);
  return mlirRankedTensorTypeGet(rank, sizes, mlirShapedTypeGetElementType(type),
                                 (MlirAttribute){NULL});
}
