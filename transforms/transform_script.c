//===- transform_script.c - Scripts that our own code writes and runs ----------------------===//

#include "transforms/transform_script.h"

#include "dialects/diagnostic.h"
#include "transforms/ir.h"

#include "mlir-c/Dialect/Transform/Interpreter.h"

tune_status tune_transform_script_run(MlirOperation payload, const char *text, const char *doing) {
  MlirContext context = mlirOperationGetContext(payload);
  tune_diagnostics diagnostics;
  tune_diagnostics_begin_thread(&diagnostics, context);
  MlirModule script = mlirModuleCreateParse(context, tune_ir_string(text));
  bool failed = mlirModuleIsNull(script);
  if (!failed) {
    MlirOperation module = mlirModuleGetOperation(script);
    MlirTransformOptions options = mlirTransformOptionsCreate();
    failed = mlirLogicalResultIsFailure(mlirTransformApplyNamedSequence(
        payload, tune_ir_find_symbol(module, tune_ir_string("__transform_main")), module, options));
    mlirTransformOptionsDestroy(options);
    mlirModuleDestroy(script);
  }
  tune_status status = tune_diagnostics_end(&diagnostics, failed, TUNE_INTERNAL, doing);
  tune_diagnostics_deinit(&diagnostics);
  return status;
}
