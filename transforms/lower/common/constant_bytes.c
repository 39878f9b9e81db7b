//===- constant_bytes.c - The bytes of a module's constants ------------------===//

#include "transforms/lower/common/constant_bytes.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"

static int64_t bits_of(MlirType type) {
  if (mlirTypeIsAIndex(type))
    return 64;
  return mlirTypeIsAFloat(type)     ? (int64_t)mlirFloatTypeGetWidth(type)
         : mlirTypeIsAInteger(type) ? (int64_t)mlirIntegerTypeGetWidth(type)
                                    : 0;
}

static void append_bools(MlirAttribute value, int64_t count, tune_string_builder *bytes) {
  for (int64_t i = 0; i < count; ++i) {
    char byte = mlirDenseElementsAttrGetBoolValue(value, (intptr_t)i);
    tune_string_builder_append_bytes(bytes, &byte, 1);
  }
}

// One element for all where `value` is a splat.
static void append_dense(MlirAttribute value, int64_t count, size_t element,
                         tune_string_builder *bytes) {
  const char *raw = mlirDenseElementsAttrGetRawData(value);
  if (!mlirDenseElementsAttrIsSplat(value)) {
    tune_string_builder_append_bytes(bytes, raw, (size_t)count * element);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    tune_string_builder_append_bytes(bytes, raw, element);
}

// False for an element type that MLIR's C API does not read out of resources.
static bool append_resource(MlirAttribute value, MlirType type, int64_t count,
                            tune_string_builder *bytes) {
  int64_t bits = bits_of(type);
  bool is_float = mlirTypeIsAFloat(type);
  for (int64_t i = 0; i < count; ++i) {
    intptr_t at = (intptr_t)i;
    union {
      bool b;
      int8_t i8;
      int16_t i16;
      int32_t i32;
      int64_t i64;
      float f32;
      double f64;
      char bytes[8];
    } element = {.i64 = 0};
    if (is_float && bits == 32)
      element.f32 = mlirDenseFloatResourceElementsAttrGetValue(value, at);
    else if (is_float && bits == 64)
      element.f64 = mlirDenseDoubleResourceElementsAttrGetValue(value, at);
    else if (mlirTypeIsAInteger(type) && bits == 1)
      element.b = mlirDenseBoolResourceElementsAttrGetValue(value, at);
    else if (mlirTypeIsAInteger(type) && bits == 8)
      element.i8 = mlirDenseInt8ResourceElementsAttrGetValue(value, at);
    else if (mlirTypeIsAInteger(type) && bits == 16)
      element.i16 = mlirDenseInt16ResourceElementsAttrGetValue(value, at);
    else if (mlirTypeIsAInteger(type) && bits == 32)
      element.i32 = mlirDenseInt32ResourceElementsAttrGetValue(value, at);
    else if (mlirTypeIsAInteger(type) && bits == 64)
      element.i64 = mlirDenseInt64ResourceElementsAttrGetValue(value, at);
    else
      return false;
    tune_string_builder_append_bytes(bytes, element.bytes, (size_t)(bits == 1 ? 1 : bits / 8));
  }
  return true;
}

tune_status tune_constant_bytes_append(MlirOperation global, tune_string_builder *bytes) {
  MlirAttribute value = mlirOperationIsNull(global) ? mlirAttributeGetNull()
                                                    : tune_ir_attribute(global, "initial_value");
  if (mlirAttributeIsNull(value) || mlirAttributeIsAUnit(value) ||
      mlirAttributeIsNull(tune_ir_attribute(global, "constant")))
    return mlirOperationIsNull(global)
               ? tune_status_make(TUNE_INVALID_ARGUMENT, "no memref.global of that name")
               : tune_status_make_at(TUNE_INVALID_ARGUMENT, global,
                                     "memory of the module that is no constant; a device program "
                                     "has none");
  MlirType element = mlirShapedTypeGetElementType(mlirAttributeGetType(value));
  int64_t count = mlirElementsAttrGetNumElements(value), bits = bits_of(element);
  if (mlirAttributeIsADenseElements(value) && bits == 1)
    append_bools(value, count, bytes);
  else if (mlirAttributeIsADenseElements(value) && bits && bits % 8 == 0)
    append_dense(value, count, (size_t)bits / 8, bytes);
  else if (!mlirAttributeIsADenseResourceElements(value) ||
           !append_resource(value, element, count, bytes))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, global,
                               "a constant of elements or in a form that cannot be read");
  return TUNE_OK;
}
