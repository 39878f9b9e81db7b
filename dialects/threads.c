//===- threads.c --------------------------------------------------------------===//

#include "dialects/threads.h"

#include "mlir-c/BuiltinTypes.h"

static bool is_a(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)),
                            mlirStringRefCreateFromCString(name));
}

static bool has(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(
      mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name)));
}

// What it carries has to be gone by the time that it is on buffers.
static bool carries_tensors_alone(MlirOperation op) {
  bool does = true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    does &= mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(op, i)));
  return does;
}

bool tune_threads_is_shared(MlirOperation op) {
  return is_a(op, "scf.for") && has(op, TUNE_THREADS_ATTRIBUTE) && !has(op, "unsignedCmp") &&
         mlirTypeIsAIndex(mlirValueGetType(mlirOperationGetOperand(op, 0))) &&
         carries_tensors_alone(op);
}

bool tune_threads_share(MlirOperation op) {
  do
    op = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(op) && !is_a(op, "func.func") && !tune_threads_is_shared(op));
  return !mlirOperationIsNull(op) && !is_a(op, "func.func");
}
