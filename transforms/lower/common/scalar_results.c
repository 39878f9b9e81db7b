//===- scalar_results.c -------------------------------------------------------===//

#include "transforms/lower/common/scalar_results.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include <stdlib.h>

typedef struct call_search {
  MlirStringRef name;
  bool is_called;
} call_search;

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  call_search *search = user_data;
  MlirAttribute callee = tune_ir_attribute(op, "callee");
  search->is_called = !mlirAttributeIsNull(callee) && mlirAttributeIsAFlatSymbolRef(callee) &&
                      mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee), search->name);
  return search->is_called ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool is_called(MlirOperation module, MlirOperation function) {
  call_search search = {.name = tune_ir_string_attribute(function, "sym_name")};
  mlirOperationWalk(module, find_call, &search, MlirWalkPreOrder);
  return search.is_called;
}

static MlirWalkResult find_return(MlirOperation op, void *user_data) {
  if (tune_ir_is(op, "func.return") && !tune_op_list_add(user_data, op))
    return MlirWalkResultInterrupt;
  return MlirWalkResultAdvance;
}

static bool is_lifted(MlirType type) { return tune_ir_scalar_type_name(type) != NULL; }

static MlirType lift(MlirType type) {
  MlirAttribute none = mlirAttributeGetNull();
  return is_lifted(type) ? mlirRankedTensorTypeGet(0, NULL, type, none) : type;
}

static void lift_operands(MlirOperation end) {
  tune_ir_builder builder = tune_ir_builder_before(end);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); ++i) {
    MlirValue operand = mlirOperationGetOperand(end, i);
    MlirType type = mlirValueGetType(operand);
    if (is_lifted(type))
      mlirOperationSetOperand(
          end, i, tune_ir_build_value(&builder, "tensor.from_elements", lift(type), 1, &operand));
  }
}

static tune_status set_type(MlirOperation function, MlirType type) {
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type);
  intptr_t results = mlirFunctionTypeGetNumResults(type);
  MlirType *types = calloc((size_t)(inputs + results) + 1, sizeof *types);
  if (!types)
    return tune_status_out_of_memory("lifting results");
  for (intptr_t i = 0; i < inputs; ++i)
    types[i] = mlirFunctionTypeGetInput(type, i);
  for (intptr_t i = 0; i < results; ++i)
    types[inputs + i] = lift(mlirFunctionTypeGetResult(type, i));
  mlirOperationSetAttributeByName(
      function, tune_ir_string("function_type"),
      mlirTypeAttrGet(mlirFunctionTypeGet(mlirOperationGetContext(function), inputs, types, results,
                                          types + inputs)));
  free(types);
  return TUNE_OK;
}

tune_status tune_scalar_results_lift(MlirOperation module, MlirOperation function) {
  static const char *const MADE_OF[] = {"tensor", NULL};
  MlirType type = mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type"));
  bool any = false;
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumResults(type); ++i)
    any |= is_lifted(mlirFunctionTypeGetResult(type, i));
  if (!any || is_called(module, function))
    return TUNE_OK;
  tune_ir_load_dialects(mlirOperationGetContext(module), MADE_OF);
  tune_op_list returns = {0};
  mlirOperationWalk(function, find_return, &returns, MlirWalkPreOrder);
  tune_status status =
      returns.failed ? tune_status_out_of_memory("lifting results") : set_type(function, type);
  for (size_t i = 0; tune_status_is_ok(status) && i < returns.count; ++i)
    lift_operands(returns.ops[i]);
  tune_op_list_deinit(&returns);
  return status;
}
