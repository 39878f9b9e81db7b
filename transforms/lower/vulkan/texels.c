//===- texels.c - Buffers that kernels read as textures ----------------------===//

#include "transforms/lower/vulkan/texels.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/BuiltinTypes.h"

#define IMAGE "!spirv.image<f32, Buffer, NoDepth, NonArrayed, SingleSampled, NeedSampler, Unknown>"
#define POINTER "!spirv.ptr<" IMAGE ", UniformConstant>"

typedef struct search {
  MlirStringRef variable;
  tune_op_list addresses; // spirv.mlir.addressof of it
} search;

static MlirWalkResult find_address(MlirOperation op, void *user_data) {
  search *self = user_data;
  if (!tune_ir_is(op, "spirv.mlir.addressof") ||
      !mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(tune_ir_attribute(op, "variable")),
                          self->variable))
    return MlirWalkResultAdvance;
  return tune_op_list_add(&self->addresses, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static tune_status wrong_use(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                             "%.*s: texels are f32 or vectors of four, and only loaded",
                             (int)name.length, name.data);
}

// A fetch of what `load` loads, at the last index of `access`.
static tune_status replace_load(MlirOperation load, MlirOperation access, MlirValue address) {
  MlirContext context = mlirOperationGetContext(load);
  if (!tune_ir_is(load, "spirv.Load"))
    return wrong_use(load);
  MlirType f32 = mlirF32TypeGet(context), type = mlirValueGetType(mlirOperationGetResult(load, 0));
  int64_t four = 4;
  MlirType vector = mlirVectorTypeGet(1, &four, f32);
  bool is_scalar = mlirTypeEqual(type, f32);
  if (!is_scalar && !mlirTypeEqual(type, vector))
    return wrong_use(load);
  tune_ir_builder builder = tune_ir_builder_before(load);
  MlirValue image = tune_ir_build_value(
      &builder, "spirv.Load", mlirTypeParseGet(context, tune_ir_string(IMAGE)), 1, &address);
  MlirValue operands[] = {image,
                          mlirOperationGetOperand(access, mlirOperationGetNumOperands(access) - 1)};
  MlirValue texel = tune_ir_build_value(&builder, "spirv.ImageFetch", vector, 2, operands);
  if (is_scalar) {
    MlirAttribute zero = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), 0);
    MlirNamedAttribute indices =
        tune_ir_named(context, "indices", mlirArrayAttrGet(context, 1, &zero));
    texel = tune_ir_build_result(&builder, &(tune_ir_parts){.name = "spirv.CompositeExtract",
                                                            .operand_count = 1,
                                                            .operands = &texel,
                                                            .type_count = 1,
                                                            .types = &f32,
                                                            .attribute_count = 1,
                                                            .attributes = &indices});
  }
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(load, 0), texel);
  mlirOperationDestroy(load);
  return TUNE_OK;
}

static MlirOperation first_user(MlirOperation op) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  return mlirOpOperandIsNull(use) ? (MlirOperation){NULL} : mlirOpOperandGetOwner(use);
}

// Replaces the loads through `address`, which is destroyed.
static tune_status replace_address(MlirOperation address, MlirStringRef variable) {
  MlirContext context = mlirOperationGetContext(address);
  MlirType pointer = mlirTypeParseGet(context, tune_ir_string(POINTER));
  MlirNamedAttribute attribute =
      tune_ir_named(context, "variable", mlirFlatSymbolRefAttrGet(context, variable));
  tune_ir_builder builder = tune_ir_builder_before(address);
  MlirValue image = tune_ir_build_result(&builder, &(tune_ir_parts){.name = "spirv.mlir.addressof",
                                                                    .type_count = 1,
                                                                    .types = &pointer,
                                                                    .attribute_count = 1,
                                                                    .attributes = &attribute});
  for (MlirOperation access = first_user(address); !mlirOperationIsNull(access);
       access = first_user(address)) {
    if (!tune_ir_is(access, "spirv.AccessChain"))
      return wrong_use(access);
    for (MlirOperation load = first_user(access); !mlirOperationIsNull(load);
         load = first_user(access))
      TUNE_RETURN_IF_ERROR(replace_load(load, access, image));
    mlirOperationDestroy(access);
  }
  mlirOperationDestroy(address);
  return TUNE_OK;
}

tune_status tune_texels_lower(MlirOperation module, MlirOperation variable) {
  MlirContext context = mlirOperationGetContext(module);
  search self = {.variable = tune_ir_string_attribute(variable, "sym_name")};
  mlirOperationWalk(module, find_address, &self, MlirWalkPreOrder);
  tune_status status = TUNE_OK;
  if (self.addresses.failed)
    status = tune_status_out_of_memory("listing the uses of a texture");
  for (size_t i = 0; i < self.addresses.count && tune_status_is_ok(status); ++i)
    status = replace_address(self.addresses.ops[i], self.variable);
  tune_op_list_deinit(&self.addresses);
  MlirType pointer = mlirTypeParseGet(context, tune_ir_string(POINTER));
  mlirOperationSetAttributeByName(variable, tune_ir_string("type"), mlirTypeAttrGet(pointer));
  return status;
}
