//===- kernel_types.c - Types that a device has ------------------------------===//

#include "transforms/lower/gpu/kernel_types.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"

typedef struct check {
  const tune_device *device;
  tune_status status;
} check;

// NULL, or what is wrong with it.
static const char *complain(MlirType type, bool is_in_memory, const tune_device *device) {
  if (mlirTypeIsAMemRef(type))
    return complain(mlirShapedTypeGetElementType(type), true, device);
  if (mlirTypeIsAVector(type)) {
    int64_t length = mlirShapedTypeGetRank(type) == 1 ? mlirShapedTypeGetDimSize(type, 0) : 0;
    return length < 1 || length > 4
               ? "a vector that shaders do not have; they have those of two, three and four"
               : complain(mlirShapedTypeGetElementType(type), is_in_memory, device);
  }
  if (mlirTypeIsAIndex(type))
    return is_in_memory ? "memory of indices; kernels have indices of 32 bits" : NULL;
  if (mlirTypeIsABF16(type))
    return "the device has no bfloat16";
  if (mlirTypeIsAF16(type))
    return !device->has_float16                     ? "the device has no float16"
           : is_in_memory && !device->has_storage16 ? "the device has no buffers of 16-bit elements"
                                                    : NULL;
  if (mlirTypeIsAF64(type))
    return device->has_float64 ? NULL : "the device has no float64";
  if (mlirTypeIsAFloat(type))
    return mlirFloatTypeGetWidth(type) == 32 ? NULL : "a float type that shaders do not have";
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 64)
    return device->has_int64 ? NULL : "the device has no int64";
  return NULL;
}

// GLSL's functions that are no more than a few instructions are for doubles, too.
static bool is_of_doubles(MlirOperation op) {
  static const char *const NAMES[] = {
      "math.absf",     "math.ceil",      "math.floor",    "math.round", "math.sqrt",
      "math.rsqrt",    "math.roundeven", "math.fma",      "math.isnan", "math.isinf",
      "math.copysign", "spirv.GL.FMax",  "spirv.GL.FMin", NULL};
  if (!tune_ir_string_starts(tune_ir_name(op), "math.") &&
      !tune_ir_string_starts(tune_ir_name(op), "spirv.GL."))
    return true;
  for (size_t i = 0; NAMES[i]; ++i)
    if (tune_ir_is(op, NAMES[i]))
      return true;
  return false;
}

static MlirWalkResult look_at(MlirOperation op, void *user_data) {
  check *self = user_data;
  const char *complaint = NULL;
  if (mlirOperationGetNumResults(op) == 1 &&
      mlirTypeIsAF64(mlirValueGetType(mlirOperationGetResult(op, 0))) && !is_of_doubles(op))
    complaint = "shaders do not have it of float64";
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !complaint; ++i)
    complaint = complain(mlirValueGetType(mlirOperationGetOperand(op, i)), false, self->device);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !complaint; ++i)
    complaint = complain(mlirValueGetType(mlirOperationGetResult(op, i)), false, self->device);
  if (!complaint)
    return MlirWalkResultAdvance;
  MlirStringRef name = tune_ir_name(op);
  self->status = tune_status_make_at(TUNE_INVALID_ARGUMENT, op, "%.*s: %s", (int)name.length,
                                     name.data, complaint);
  return MlirWalkResultInterrupt;
}

tune_status tune_kernel_types_check(MlirOperation kernel, const tune_device *device) {
  check self = {.device = device, .status = TUNE_OK};
  mlirOperationWalk(kernel, look_at, &self, MlirWalkPreOrder);
  return self.status;
}
