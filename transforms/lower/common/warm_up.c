//===- warm_up.c - A first run of a lowering ---------------------------------===//

#include "transforms/lower/common/warm_up.h"

#include "transforms/ir/ir.h"

tune_status tune_warm_up(MlirContext context, tune_warm_up_run run, void *lowering) {
  static const char PAYLOAD[] =
      "func.func @warm_up(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {\n"
      "  %e = tensor.empty() : tensor<8x8xf32>\n"
      "  %r = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>)\n"
      "                     outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>\n"
      "  return %r : tensor<8x8xf32>\n"
      "}\n";
  MlirOperation module, function;
  TUNE_RETURN_IF_ERROR(tune_ir_parse(context, PAYLOAD, "warm up", &module));
  tune_function_signature *signature = NULL;
  tune_code code = {.bytes = NULL};
  tune_status status = tune_ir_find_function(module, NULL, &function);
  if (tune_status_is_ok(status))
    status = tune_function_signature_create(function, &signature);
  if (tune_status_is_ok(status))
    status = run(lowering,
                 &(tune_build_order){.module = module,
                                     .function = "warm_up",
                                     .signature = signature,
                                     .emit = TUNE_EMIT_OBJECT},
                 &code);
  tune_code_deinit(&code);
  tune_function_signature_destroy(signature);
  mlirOperationDestroy(module);
  return tune_status_annotate(status, "warming up");
}
