//===- device_kernel.c - Kernels of a device program -------------------------===//

#include "transforms/lower/gpu/device_kernel.h"

#include "transforms/ir/ir.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory_access.h"

#include <stdlib.h>

tune_status tune_device_kernels_init(MlirOperation kernels, tune_device_kernels *out_kernels) {
  *out_kernels = (tune_device_kernels){0};
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(kernels));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    ++out_kernels->count;
  out_kernels->items = calloc(out_kernels->count + 1, sizeof *out_kernels->items);
  if (out_kernels->items)
    return TUNE_OK;
  out_kernels->count = 0;
  return tune_status_out_of_memory("describing kernels");
}

static MlirWalkResult find_subgroup(MlirOperation op, void *user_data) {
  static const char *const PREFIXES[] = {
      "gpu.shuffle", "gpu.subgroup_", "gpu.lane_id",          "nvgpu.",
      "gpu.rotate",  "gpu.ballot",    "spirv.GroupNonUniform"};
  bool *found = user_data;
  for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES && !*found; ++i)
    *found = tune_ir_string_starts(tune_ir_name(op), PREFIXES[i]);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

tune_status tune_device_kernel_describe(MlirOperation kernel, int64_t subgroup,
                                        tune_device_kernel *out) {
  MlirStringRef name = tune_ir_string_attribute(kernel, "sym_name");
  MlirBlock entry = tune_ir_body(kernel);
  out->name = strndup(name.data, name.length);
  out->argument_count = (size_t)mlirBlockGetNumArguments(entry);
  out->is_written = calloc(out->argument_count + 1, sizeof *out->is_written);
  if (!out->name || !out->is_written)
    return tune_status_out_of_memory("describing a kernel");
  for (size_t i = 0; i < out->argument_count; ++i) {
    MlirValue argument = mlirBlockGetArgument(entry, (intptr_t)i);
    out->is_written[i] =
        mlirTypeIsAMemRef(mlirValueGetType(argument)) && tune_memory_access_is_written(argument);
  }
  bool has_subgroups = false;
  mlirOperationWalk(kernel, find_subgroup, &has_subgroups, MlirWalkPreOrder);
  out->subgroup_size = has_subgroups ? subgroup : 0;
  return TUNE_OK;
}

bool tune_device_kernel_is_aliased(const tune_device_kernel *kernel, MlirOperation module,
                                   size_t index) {
  MlirAttribute roots = tune_ir_attribute(module, TUNE_DEVICE_KERNEL_ROOTS_ATTRIBUTE);
  if (mlirAttributeIsNull(roots))
    return false;
  for (size_t i = 0; i < kernel->argument_count; ++i)
    if (i != index && (kernel->is_written[i] || kernel->is_written[index]) &&
        mlirDenseI64ArrayGetElement(roots, (intptr_t)i) ==
            mlirDenseI64ArrayGetElement(roots, (intptr_t)index))
      return true;
  return false;
}

void tune_device_kernels_deinit(tune_device_kernels *kernels) {
  for (size_t i = 0; i < kernels->count; ++i) {
    free(kernels->items[i].name);
    free(kernels->items[i].code);
    free(kernels->items[i].is_written);
  }
  free(kernels->items);
  *kernels = (tune_device_kernels){0};
}
