//===- ir_builder.c - Making ops one after the other -------------------------------===//

#include "transforms/ir_builder.h"

tune_ir_builder tune_ir_builder_before(MlirOperation op) {
  return (tune_ir_builder){.context = mlirOperationGetContext(op),
                           .location = mlirOperationGetLocation(op),
                           .block = mlirOperationGetBlock(op),
                           .before = op};
}

MlirOperation tune_ir_build(const tune_ir_builder *builder, const tune_ir_parts *parts) {
  MlirOperationState state = mlirOperationStateGet(tune_ir_string(parts->name), builder->location);
  mlirOperationStateAddOperands(&state, parts->operand_count, parts->operands);
  mlirOperationStateAddResults(&state, parts->type_count, parts->types);
  mlirOperationStateAddAttributes(&state, parts->attribute_count, parts->attributes);
  mlirOperationStateAddOwnedRegions(&state, parts->region_count, parts->regions);
  MlirOperation op = mlirOperationCreate(&state);
  if (mlirOperationIsNull(builder->before))
    mlirBlockAppendOwnedOperation(builder->block, op);
  else
    mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, op);
  return op;
}

MlirValue tune_ir_build_value(const tune_ir_builder *builder, const char *name, MlirType type,
                              intptr_t operand_count, const MlirValue *operands) {
  tune_ir_parts parts = {.name = name,
                         .operand_count = operand_count,
                         .operands = operands,
                         .type_count = 1,
                         .types = &type};
  return mlirOperationGetResult(tune_ir_build(builder, &parts), 0);
}

MlirValue tune_ir_build_binary(const tune_ir_builder *builder, const char *name, MlirValue a,
                               MlirValue b) {
  MlirValue operands[] = {a, b};
  return tune_ir_build_value(builder, name, mlirValueGetType(a), 2, operands);
}

MlirValue tune_ir_build_constant(const tune_ir_builder *builder, MlirType type,
                                 MlirAttribute attribute) {
  MlirNamedAttribute value = tune_ir_named(builder->context, "value", attribute);
  tune_ir_parts parts = {.name = "arith.constant",
                         .type_count = 1,
                         .types = &type,
                         .attribute_count = 1,
                         .attributes = &value};
  return mlirOperationGetResult(tune_ir_build(builder, &parts), 0);
}

MlirValue tune_ir_build_index(const tune_ir_builder *builder, int64_t value) {
  MlirType index = mlirIndexTypeGet(builder->context);
  return tune_ir_build_constant(builder, index, mlirIntegerAttrGet(index, value));
}

// As arith numbers them.
static int64_t predicate_number(const char *predicate) {
  static const char *const NAMES[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                      "sge", "ult", "ule", "ugt", "uge"};
  int64_t number = 0;
  while (strcmp(NAMES[number], predicate) != 0)
    ++number;
  return number;
}

MlirValue tune_ir_build_compare(const tune_ir_builder *builder, const char *predicate, MlirValue a,
                                MlirValue b) {
  MlirType i1 = mlirIntegerTypeGet(builder->context, 1);
  MlirNamedAttribute attribute = tune_ir_named(
      builder->context, "predicate",
      mlirIntegerAttrGet(mlirIntegerTypeGet(builder->context, 64), predicate_number(predicate)));
  MlirValue operands[] = {a, b};
  tune_ir_parts parts = {.name = "arith.cmpi",
                         .operand_count = 2,
                         .operands = operands,
                         .type_count = 1,
                         .types = &i1,
                         .attribute_count = 1,
                         .attributes = &attribute};
  return mlirOperationGetResult(tune_ir_build(builder, &parts), 0);
}

bool tune_ir_is_constant_index(MlirValue value, int64_t *out_value) {
  if (!mlirValueIsAOpResult(value) || !mlirTypeIsAIndex(mlirValueGetType(value)))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (!tune_ir_is(op, "arith.constant"))
    return false;
  *out_value = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "value"));
  return true;
}
