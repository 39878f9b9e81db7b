//===- narrow_ops.c -----------------------------------------------------------===//

#include "transforms/lower/vulkan/narrow_ops.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

bool tune_narrow_is_bf16(MlirValue value) {
  return mlirTypeIsABF16(tune_ir_element_type(mlirValueGetType(value)));
}

bool tune_narrow_is_type(MlirType type, const tune_device *device) {
  MlirType element = tune_ir_element_type(type);
  return mlirTypeIsABF16(element) ||
         (mlirTypeIsAF16(element) && (device->is_software || !device->has_float16));
}

bool tune_narrow_is_value(MlirValue value, const tune_device *device) {
  return tune_narrow_is_type(mlirValueGetType(value), device);
}

typedef struct search {
  tune_narrow_question is_wanted;
  const tune_device *device;
  tune_op_list ops;
} search;

static MlirWalkResult add_if_wanted(MlirOperation op, void *user_data) {
  search *self = user_data;
  return !self->is_wanted(op, self->device) || tune_op_list_add(&self->ops, op)
             ? MlirWalkResultAdvance
             : MlirWalkResultInterrupt;
}

tune_status tune_narrow_rewrite(MlirOperation kernels, const tune_device *device,
                                tune_narrow_question is_wanted, tune_narrow_replacement rewrite) {
  search found = {.is_wanted = is_wanted, .device = device};
  mlirOperationWalk(kernels, add_if_wanted, &found, MlirWalkPreOrder);
  bool failed = found.ops.failed;
  for (size_t i = 0; i < found.ops.count && !failed; ++i) {
    MlirOperation op = found.ops.ops[i];
    tune_ir_builder builder = tune_ir_builder_before(op);
    MlirValue made = rewrite(&builder, op, device);
    if (mlirValueIsNull(made))
      continue;
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), made);
    mlirOperationDestroy(op);
  }
  tune_op_list_deinit(&found.ops);
  return failed ? tune_status_out_of_memory("listing ops of narrow types") : TUNE_OK;
}

bool tune_narrow_is_step(MlirOperation op) {
  bool rounds = tune_ir_is(op, "arith.truncf");
  if (!rounds && !tune_ir_is(op, "arith.extf"))
    return false;
  MlirValue wide = rounds ? mlirOperationGetOperand(op, 0) : mlirOperationGetResult(op, 0);
  return mlirTypeIsAF32(tune_ir_element_type(mlirValueGetType(wide)));
}

MlirValue tune_narrow_build_step(const tune_ir_builder *builder, const char *name, MlirValue value,
                                 MlirType element) {
  return tune_ir_build_value(builder, name, tune_ir_with_element(mlirValueGetType(value), element),
                             1, &value);
}

static MlirValue number(const tune_ir_builder *builder, MlirType type, int64_t value) {
  return tune_ir_build_number(builder, type, (double)value);
}

MlirValue tune_narrow_build_shift(const tune_ir_builder *builder, const char *name, MlirValue value,
                                  int64_t bits) {
  return bits ? tune_ir_build_binary(builder, name, value,
                                     number(builder, mlirValueGetType(value), bits))
              : value;
}
