//===- arguments.c ------------------------------------------------------------===//

#include "dialects/arguments.h"

#include "mlir-c/BuiltinAttributes.h"

MlirAttribute tune_argument_attributes(MlirOperation function, intptr_t index) {
  MlirAttribute none = {NULL};
  MlirAttribute all =
      mlirOperationGetAttributeByName(function, mlirStringRefCreateFromCString("arg_attrs"));
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) ||
      index >= mlirArrayAttrGetNumElements(all))
    return none;
  MlirAttribute attributes = mlirArrayAttrGetElement(all, index);
  return mlirAttributeIsADictionary(attributes) ? attributes : none;
}

MlirAttribute tune_argument_attribute(MlirOperation function, intptr_t index, const char *name) {
  MlirAttribute attributes = tune_argument_attributes(function, index);
  return mlirAttributeIsNull(attributes)
             ? attributes
             : mlirDictionaryAttrGetElementByName(attributes, mlirStringRefCreateFromCString(name));
}
