//===- bufferize.c - Bufferization of what a schedule left on tensors --------===//

#include "transforms/lower/bufferize/bufferize.h"

#include "transforms/ir/body_scalars.h"
#include "transforms/ir/no_elements.h"
#include "transforms/lower/bufferize/dead_ops.h"
#include "transforms/lower/bufferize/decompose.h"
#include "transforms/lower/common/memory.h"
#include "transforms/lower/common/pipeline.h"

// Arithmetic on whole tensors, which front ends leave between linalg ops, has no buffers of its
// own.
#define BUFFERIZE                                                                                  \
  "convert-elementwise-to-linalg,eliminate-empty-tensors,"                                         \
  "one-shot-bufferize{bufferize-function-boundaries=1 allow-return-allocs-from-loops=1 "           \
  "function-boundary-type-conversion=identity-layout-map}"

tune_status tune_bufferizer_init(tune_bufferizer *bufferizer, MlirContext context) {
  *bufferizer = (tune_bufferizer){0};
  TUNE_RETURN_IF_ERROR(tune_dead_ops_create(context, &bufferizer->dead_ops));
  TUNE_RETURN_IF_ERROR(tune_decompose_create(context, &bufferizer->decompose));
  return tune_pipeline_create(context, BUFFERIZE, &bufferizer->passes);
}

void tune_bufferizer_deinit(tune_bufferizer *bufferizer) {
  tune_pipeline_destroy(bufferizer->passes);
  if (!mlirOperationIsNull(bufferizer->dead_ops))
    mlirOperationDestroy(bufferizer->dead_ops);
  if (!mlirOperationIsNull(bufferizer->decompose))
    mlirOperationDestroy(bufferizer->decompose);
  *bufferizer = (tune_bufferizer){0};
}

tune_status tune_bufferizer_run(tune_bufferizer *bufferizer, MlirOperation module) {
  if (!tune_memory_has_tensors(module))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_body_scalars_forward(module));
  TUNE_RETURN_IF_ERROR(tune_dead_ops_remove(bufferizer->dead_ops, module));
  TUNE_RETURN_IF_ERROR(tune_decompose_run(bufferizer->decompose, module));
  TUNE_RETURN_IF_ERROR(tune_no_elements_replace(module));
  return tune_pipeline_run(bufferizer->passes, module, "bufferization");
}
