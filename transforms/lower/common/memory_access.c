//===- memory_access.c --------------------------------------------------------===//

#include "transforms/lower/common/memory_access.h"

#include "transforms/ir/ir.h"
#include "transforms/lower/common/attributes.h"

#include "mlir-c/BuiltinTypes.h"

#include <stddef.h>

static bool is_one_of(MlirOperation op, const char *const *names) {
  for (; *names; ++names)
    if (tune_ir_is(op, *names))
      return true;
  return false;
}

bool tune_memory_access_is_view(MlirOperation op) {
  static const char *const NAMES[] = {"memref.subview",
                                      "memref.cast",
                                      "memref.expand_shape",
                                      "memref.collapse_shape",
                                      "memref.reinterpret_cast",
                                      "memref.extract_strided_metadata",
                                      "memref.assume_alignment",
                                      "memref.view",
                                      NULL};
  return is_one_of(op, NAMES);
}

bool tune_memory_access_is_load(MlirOperation op) {
  static const char *const NAMES[] = {
      "memref.load",   "affine.load",       "affine.vector_load",   "vector.load",
      "vector.gather", "vector.maskedload", "vector.transfer_read", NULL};
  return is_one_of(op, NAMES);
}

static bool is_store(MlirOperation op) {
  static const char *const NAMES[] = {
      "memref.store",   "affine.store",       "affine.vector_store",   "vector.store",
      "vector.scatter", "vector.maskedstore", "vector.transfer_write", NULL};
  return is_one_of(op, NAMES);
}

bool tune_memory_access_is_call_ahead(MlirOperation op) {
  return tune_ir_is(op, "func.call") &&
         !mlirAttributeIsNull(tune_ir_attribute(op, TUNE_AHEAD_ATTRIBUTE));
}

MlirValue tune_memory_access_look_through_views(MlirValue value) {
  while (mlirValueIsAOpResult(value) && tune_memory_access_is_view(mlirOpResultGetOwner(value)))
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  return value;
}

MlirValue tune_memory_access_root(MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!tune_memory_access_is_view(op) &&
        !(tune_ir_is(op, "builtin.unrealized_conversion_cast") &&
          mlirOperationGetNumOperands(op) == 1 &&
          mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, 0)))))
      break;
    value = mlirOperationGetOperand(op, 0);
  }
  return value;
}

unsigned tune_memory_access_of(MlirOperation op, intptr_t number) {
  if (tune_memory_access_is_view(op) || tune_ir_is(op, "memref.dim"))
    return 0;
  if (tune_memory_access_is_load(op) || tune_memory_access_is_call_ahead(op) ||
      tune_ir_is(op, "memref.prefetch"))
    return TUNE_READS;
  if (is_store(op))
    return TUNE_WRITES;
  if (tune_ir_is(op, "memref.copy"))
    return number == 0 ? TUNE_READS : TUNE_WRITES;
  if (tune_ir_is(op, "nvgpu.device_async_copy"))
    return number == 0 ? TUNE_WRITES : TUNE_READS;
  if (tune_ir_is(op, "nvgpu.ldmatrix") ||
      !mlirAttributeIsNull(tune_ir_attribute(op, TUNE_TENSOR_MAP_ATTRIBUTE)))
    return TUNE_READS;
  MlirAttribute segments = tune_ir_attribute(op, "operandSegmentSizes");
  if (tune_ir_string_starts(tune_ir_name(op), "linalg.") && !mlirAttributeIsNull(segments) &&
      mlirDenseArrayGetNumElements(segments) == 2 &&
      number < mlirDenseI32ArrayGetElement(segments, 0))
    return TUNE_READS;
  return TUNE_READS | TUNE_WRITES;
}

unsigned tune_memory_access_through_call(MlirOperation op, intptr_t number) {
  MlirOperation callee = tune_ir_is(op, "func.call") && mlirOperationGetNumResults(op) == 0
                             ? tune_ir_called_function(op)
                             : (MlirOperation){NULL};
  if (!mlirOperationIsNull(callee) &&
      !tune_memory_access_is_written(mlirBlockGetArgument(tune_ir_body(callee), number)))
    return TUNE_READS;
  return tune_memory_access_of(op, number);
}

bool tune_memory_access_is_written(MlirValue of) {
  for (MlirOpOperand use = mlirValueGetFirstUse(of); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    intptr_t number = (intptr_t)mlirOpOperandGetOperandNumber(use);
    if (tune_memory_access_is_view(user)
            ? tune_memory_access_is_written(mlirOperationGetResult(user, 0))
            : (tune_memory_access_of(user, number) & TUNE_WRITES) != 0)
      return true;
  }
  return false;
}
