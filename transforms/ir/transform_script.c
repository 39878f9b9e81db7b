//===- transform_script.c - Scripts that our own code writes and runs --------===//

#include "transforms/ir/transform_script.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"

#include "mlir-c/Dialect/Transform/Interpreter.h"

static bool apply(MlirOperation payload, MlirOperation script) {
  MlirTransformOptions options = mlirTransformOptionsCreate();
  bool failed = mlirLogicalResultIsFailure(mlirTransformApplyNamedSequence(
      payload, tune_ir_find_symbol(script, tune_ir_string("__transform_main")), script, options));
  mlirTransformOptionsDestroy(options);
  return !failed;
}

tune_status tune_transform_script_apply(MlirOperation payload, MlirOperation script,
                                        const char *doing) {
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, mlirOperationGetContext(payload));
  bool failed = !apply(payload, script);
  tune_status status = tune_diagnostics_end(&diagnostics, failed, TUNE_INTERNAL, doing);
  tune_diagnostics_deinit(&diagnostics);
  return status;
}

tune_status tune_transform_script_run(MlirOperation payload, const char *text, const char *doing) {
  MlirContext context = mlirOperationGetContext(payload);
  tune_diagnostics diagnostics;
  tune_diagnostics_begin_thread(&diagnostics, context);
  MlirModule script = mlirModuleCreateParse(context, tune_ir_string(text));
  bool failed = mlirModuleIsNull(script);
  if (!failed) {
    failed = !apply(payload, mlirModuleGetOperation(script));
    mlirModuleDestroy(script);
  }
  tune_status status = tune_diagnostics_end(&diagnostics, failed, TUNE_INTERNAL, doing);
  tune_diagnostics_deinit(&diagnostics);
  return status;
}
