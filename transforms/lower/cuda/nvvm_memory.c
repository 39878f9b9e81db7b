//===- nvvm_memory.c - Shared memory of kernels for NVIDIA's GPUs ------------===//

#include "transforms/lower/cuda/nvvm_memory.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/gpu/kernel_memory.h"

#include <stdio.h>

static MlirWalkResult find_allocation(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "memref.alloc") ||
      !tune_kernel_memory_is_shared(mlirValueGetType(mlirOperationGetResult(op, 0))))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static void replace(MlirOperation allocation, MlirValue memory) {
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(allocation, 0), memory);
  mlirOperationDestroy(allocation);
}

// A memref.global before `kernel`, and its address in place of `allocation`.
static void make_variable(MlirOperation kernel, MlirOperation allocation, size_t number) {
  MlirContext context = mlirOperationGetContext(kernel);
  MlirType type = mlirValueGetType(mlirOperationGetResult(allocation, 0));
  char name[32];
  snprintf(name, sizeof name, "shared_%zu", number);
  tune_ir_builder outside = tune_ir_builder_before(kernel),
                  inside = tune_ir_builder_before(allocation);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "sym_name", mlirStringAttrGet(context, tune_ir_string(name))),
      tune_ir_named(context, "sym_visibility",
                    mlirStringAttrGet(context, tune_ir_string("private"))),
      tune_ir_named(context, "type", mlirTypeAttrGet(type)),
      tune_ir_named(context, "initial_value", mlirUnitAttrGet(context)),
      tune_ir_named(context, "alignment",
                    mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64),
                                       tune_kernel_memory_alignment(allocation)))};
  tune_ir_build(
      &outside,
      &(tune_ir_parts){.name = "memref.global", .attribute_count = 5, .attributes = attributes});
  MlirNamedAttribute reference =
      tune_ir_named(context, "name", mlirFlatSymbolRefAttrGet(context, tune_ir_string(name)));
  replace(allocation, tune_ir_build_result(&inside, &(tune_ir_parts){.name = "memref.get_global",
                                                                     .type_count = 1,
                                                                     .types = &type,
                                                                     .attribute_count = 1,
                                                                     .attributes = &reference}));
}

// The part of what the launch gives that begins at `offset`.
static void make_part(MlirOperation allocation, MlirValue all, int64_t offset) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(allocation, 0));
  tune_ir_builder builder = tune_ir_builder_before(allocation);
  MlirValue operands[] = {all, tune_ir_build_index(&builder, offset)};
  replace(allocation, tune_ir_build_value(&builder, "memref.view", type, 2, operands));
}

static MlirValue make_dynamic(MlirOperation kernel) {
  MlirBlock entry = tune_ir_body(kernel);
  tune_ir_builder builder = tune_ir_builder_before(mlirBlockGetFirstOperation(entry));
  MlirType type = mlirTypeParseGet(mlirOperationGetContext(kernel),
                                   tune_ir_string("memref<?xi8, #gpu.address_space<workgroup>>"));
  return tune_ir_build_value(&builder, "gpu.dynamic_shared_memory", type, 0, NULL);
}

tune_status tune_nvvm_memory_place(MlirOperation kernel, int64_t most_static,
                                   int64_t *out_launch_bytes) {
  static const char *const MADE_OF[] = {"arith", "gpu", "memref", NULL};
  *out_launch_bytes = 0;
  tune_op_list allocations = {0};
  mlirOperationWalk(kernel, find_allocation, &allocations, MlirWalkPreOrder);
  tune_ir_load_dialects(mlirOperationGetContext(kernel), MADE_OF);
  int64_t bytes = 0, offset = 0;
  for (size_t i = 0; i < allocations.count; ++i)
    bytes = tune_kernel_memory_put(allocations.ops[i], bytes, &offset);
  bool is_dynamic = bytes > most_static;
  MlirValue all = {NULL};
  if (is_dynamic) {
    all = make_dynamic(kernel);
    *out_launch_bytes = bytes;
  }
  int64_t end = 0;
  for (size_t i = 0; i < allocations.count; ++i) {
    end = tune_kernel_memory_put(allocations.ops[i], end, &offset);
    if (is_dynamic)
      make_part(allocations.ops[i], all, offset);
    else
      make_variable(kernel, allocations.ops[i], i);
  }
  bool failed = allocations.failed;
  tune_op_list_deinit(&allocations);
  return failed ? tune_status_out_of_memory("listing the memory of a kernel") : TUNE_OK;
}

static MlirWalkResult find_given(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "llvm.mlir.global") ||
      !tune_ir_string_starts(tune_ir_string_attribute(op, "sym_name"), "__dynamic_shmem__"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_nvvm_memory_finish(MlirOperation kernels) {
  MlirContext context = mlirOperationGetContext(kernels);
  tune_op_list globals = {0};
  mlirOperationWalk(kernels, find_given, &globals, MlirWalkPreOrder);
  for (size_t i = 0; i < globals.count; ++i) {
    mlirOperationSetAttributeByName(
        globals.ops[i], tune_ir_string("linkage"),
        mlirAttributeParseGet(context, tune_ir_string("#llvm.linkage<external>")));
    mlirOperationSetAttributeByName(
        globals.ops[i], tune_ir_string("alignment"),
        mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), TUNE_CUDA_SHARED_ALIGNMENT));
  }
  bool failed = globals.failed;
  tune_op_list_deinit(&globals);
  return failed ? tune_status_out_of_memory("listing the memory of kernels") : TUNE_OK;
}
