//===- cuda_fixture.h - Whole functions lowered for CUDA ---------------------------------===//
//
// To be included after cmocka.h and context_fixture.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TRANSFORMS_CUDA_FIXTURE_H
#define TUNE_UNITTESTS_TRANSFORMS_CUDA_FIXTURE_H

#include "transforms/ir.h"
#include "transforms/lower/cuda.h"
#include "transforms/lower/memory.h"

// Lowers the function @f of `text` for what every device of compute capability 8.0 has.
static inline tune_status lower_for_cuda(const char *text, tune_emit emit, char **out_bytes,
                                         size_t *out_size) {
  MlirOperation module, function;
  assert_ok(tune_ir_parse(context, text, "in.mlir", &module));
  assert_ok(tune_ir_find_function(module, NULL, &function));
  tune_function_signature *signature;
  assert_ok(tune_function_signature_create(function, &signature));
  assert_ok(tune_memory_prepare(module, function, signature));
  tune_cuda_lowering *lowering;
  assert_ok(tune_cuda_lowering_create(context, &(tune_cuda_options){0}, &lowering));
  tune_status status =
      tune_cuda_lowering_run(lowering, module, "f", signature, emit, out_bytes, out_size, NULL);
  tune_cuda_lowering_destroy(lowering);
  tune_function_signature_destroy(signature);
  mlirOperationDestroy(module);
  return status;
}

#endif // TUNE_UNITTESTS_TRANSFORMS_CUDA_FIXTURE_H
