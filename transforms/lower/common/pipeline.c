//===- pipeline.c - Upstream's passes, parsed once ---------------------------===//

#include "transforms/lower/common/pipeline.h"

#include "dialects/diagnostic.h"
#include "dialects/printing.h"
#include "transforms/ir/ir.h"

tune_status tune_pipeline_create(MlirContext context, const char *text,
                                 MlirPassManager *out_passes) {
  *out_passes = mlirPassManagerCreate(context);
  // What a pass breaks is found by the next; verifying after each costs as much as the passes.
  mlirPassManagerEnableVerifier(*out_passes, false);
  tune_string_builder message;
  tune_string_builder_init(&message);
  tune_status status = TUNE_OK;
  if (mlirLogicalResultIsFailure(
          mlirOpPassManagerAddPipeline(mlirPassManagerGetAsOpPassManager(*out_passes),
                                       tune_ir_string(text), tune_printing_append, &message)))
    status = tune_status_make(TUNE_INTERNAL, "this MLIR does not take the pipeline %s: %s", text,
                              message.text ? message.text : "");
  tune_string_builder_deinit(&message);
  return status;
}

void tune_pipeline_destroy(MlirPassManager passes) {
  if (!mlirPassManagerIsNull(passes))
    mlirPassManagerDestroy(passes);
}

tune_status tune_pipeline_run(MlirPassManager passes, MlirOperation module, const char *what) {
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, mlirOperationGetContext(module));
  bool failed = mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(passes, module));
  tune_status status = tune_diagnostics_end(&diagnostics, failed, TUNE_INVALID_ARGUMENT, what);
  tune_diagnostics_deinit(&diagnostics);
  return status;
}
