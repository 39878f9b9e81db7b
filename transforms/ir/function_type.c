//===- function_type.c ----------------------------------------------------------===//

#include "transforms/ir/function_type.h"

#include "transforms/ir/ir.h"

#include <stdlib.h>

tune_status tune_function_type_set(MlirOperation function) {
  MlirBlock block = tune_ir_body(function);
  MlirOperation back = mlirBlockGetTerminator(block);
  intptr_t inputs = mlirBlockGetNumArguments(block), results = mlirOperationGetNumOperands(back);
  MlirType *types = calloc((size_t)(inputs + results) + 1, sizeof *types);
  if (!types)
    return tune_status_out_of_memory("changing a function's type");
  for (intptr_t i = 0; i < inputs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(block, i));
  for (intptr_t i = 0; i < results; ++i)
    types[inputs + i] = mlirValueGetType(mlirOperationGetOperand(back, i));
  MlirType type = mlirFunctionTypeGet(mlirOperationGetContext(function), inputs, types, results,
                                      types + inputs);
  mlirOperationSetAttributeByName(function, tune_ir_string("function_type"), mlirTypeAttrGet(type));
  mlirOperationRemoveAttributeByName(function, tune_ir_string("arg_attrs"));
  mlirOperationRemoveAttributeByName(function, tune_ir_string("res_attrs"));
  free(types);
  return TUNE_OK;
}
