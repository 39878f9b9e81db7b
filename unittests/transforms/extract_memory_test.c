//===- extract_memory_test.c - Extracting tasks when memory runs out ---------------===//

#include "transforms/ir/ir.h"
#include "transforms/tasks/outline.h"
#include "unittests/common/failing_malloc.h"

#include "mlir-c/RegisterEverything.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// Sizes known only at run time, a padded and a shared operand, a softmax, an op that is left out.
static const char text[] =
    "func.func @f(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %k: memref<4xf32>) -> tensor<?x8xf32> "
    "{\n"
    "  %z = arith.constant 0.0 : f32\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %n = tensor.dim %x, %c0 : tensor<?x8xf32>\n"
    "  %e = tensor.empty(%n) : tensor<?x8xf32>\n"
    "  %d = tensor.empty() : tensor<8x8xf32>\n"
    "  %t = linalg.transpose ins(%w : tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) "
    "permutation = [1, 0]\n"
    "  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>\n"
    "  %m = linalg.matmul ins(%x, %t : tensor<?x8xf32>, tensor<8x8xf32>)\n"
    "      outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>\n"
    "  %a = linalg.exp ins(%m : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>\n"
    "  %m2 = linalg.matmul ins(%a, %w : tensor<?x8xf32>, tensor<8x8xf32>)\n"
    "      outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>\n"
    "  %s = linalg.softmax dimension(1) ins(%m2 : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>)\n"
    "      -> tensor<?x8xf32>\n"
    "  linalg.fill ins(%z : f32) outs(%k : memref<4xf32>)\n"
    "  return %s : tensor<?x8xf32>\n"
    "}\n";

// Without what makes ops: upstream's C API takes it for granted that there is memory for that.
static tune_status group_and_write(void *context) {
  const tune_extraction *extraction = context;
  tune_fusion_groups *groups;
  TUNE_RETURN_IF_ERROR(tune_fusion_groups_create(mlirModuleGetOperation(extraction->normalized),
                                                 true, NULL, &groups));
  tune_fusion_groups_destroy(groups);
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  tune_status status = tune_outline_script(extraction, &builder);
  char *script = NULL;
  if (tune_status_is_ok(status))
    status = tune_string_builder_finish(&builder, &script);
  tune_string_builder_deinit(&builder);
  free(script);
  return status;
}

static void grouping_and_the_script_survive(void **state) {
  (void)state;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithThreading(false);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  MlirModule module = mlirModuleCreateParse(context, tune_ir_string(text));
  assert_false(mlirModuleIsNull(module));
  tune_extraction *extraction;
  tune_status status = tune_extract(module, 1, &extraction);
  if (!tune_status_is_ok(status))
    fail_msg("%s", tune_status_get_message(status));
  assert_int_equal(extraction->task_count, 3);
  assert_in_range(tune_fail_each_allocation(group_and_write, extraction), 15, 10000);
  tune_extraction_destroy(extraction);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grouping_and_the_script_survive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
