//===- extract_fixture.h - A module and the tasks in it -------------------------===//
//
// Asserts on every failure; the functions are for tests only.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TRANSFORMS_EXTRACT_FIXTURE_H
#define TUNE_UNITTESTS_TRANSFORMS_EXTRACT_FIXTURE_H

#include "transforms/ir/ir.h"
#include "transforms/ir/task_key.h"
#include "transforms/tasks/extract.h"
#include "transforms/tasks/normalize.h"
#include "transforms/tasks/outline.h"
#include "transforms/tasks/task_function.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/RegisterEverything.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static inline MlirContext make_context(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithThreading(false);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  return context;
}

static inline bool contains_op(MlirOperation op, const void *user_data) {
  const MlirBlock *block = user_data;
  return mlirBlockEqual(mlirOperationGetBlock(op), *block);
}

// The key of a func.func with one block, be it canonical or not: one made by tune_outline_module,
// or by stock MLIR from tune_outline_script.
static inline tune_status key_of_function(MlirOperation function, tune_digest *out_key) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  MlirOperation terminator = mlirBlockGetTerminator(block);
  MlirValue results[8];
  size_t count = (size_t)mlirOperationGetNumOperands(terminator);
  assert_in_range(count, 1, 8);
  for (size_t i = 0; i < count; ++i)
    results[i] = mlirOperationGetOperand(terminator, (intptr_t)i);
  tune_task_body body = {
      .results = results, .result_count = count, .contains = contains_op, .user_data = &block};
  tune_task_function canonical;
  TUNE_RETURN_IF_ERROR(tune_task_function_build(&body, TUNE_TASK_FUNCTION_NAME, &canonical));
  char *text;
  tune_status status = tune_task_key_print(canonical.function, &text);
  tune_task_function_deinit(&canonical);
  TUNE_RETURN_IF_ERROR(status);
  *out_key = tune_task_key_of_text(text);
  free(text);
  return TUNE_OK;
}

typedef struct fixture {
  MlirContext context;
  MlirModule module;
  tune_extraction *extraction;
} fixture;

static inline void extract_module(fixture *f) {
  if (mlirModuleIsNull(f->module))
    fail_msg("the input does not parse");
  assert_ok(tune_extract(f->module, 1, &f->extraction));
}

static inline void setup(fixture *f, const char *text) {
  f->context = make_context();
  f->module = mlirModuleCreateParse(f->context, tune_ir_string(text));
  extract_module(f);
}

static inline void parse_example(fixture *f, const char *name) {
  char path[1024];
  snprintf(path, sizeof path, TUNE_EXAMPLES_DIR "/%s.mlir", name);
  f->context = make_context();
  f->module = mlirModuleCreateParseFromFile(f->context, tune_ir_string(path));
}

static inline void setup_example(fixture *f, const char *name) {
  parse_example(f, name);
  extract_module(f);
}

// With the tasks that stock mlir-opt finds.
static inline void setup_stock_example(fixture *f, const char *name) {
  parse_example(f, name);
  mlirOperationSetAttributeByName(mlirModuleGetOperation(f->module),
                                  tune_ir_string(TUNE_STOCK_ATTRIBUTE),
                                  mlirUnitAttrGet(f->context));
  extract_module(f);
}

static inline void teardown(fixture *f) {
  tune_extraction_destroy(f->extraction);
  mlirModuleDestroy(f->module);
  mlirContextDestroy(f->context);
}

// The key of the only task in `text`, in a context of its own.
static inline tune_digest key_of(const char *text) {
  fixture f;
  setup(&f, text);
  assert_int_equal(f.extraction->task_count, 1);
  tune_digest key = f.extraction->tasks[0].key;
  teardown(&f);
  return key;
}

#define IDENTITY "affine_map<(i, j) -> (i, j)>"
#define COLUMN "affine_map<(i, j) -> (j)>"

// max(x * w + b, 0), of which each part can be varied.
#define DENSE(name, size, type, zero, bound)                                                       \
  "func.func @" name "(%x: tensor<" size "x" size "x" type ">, %w: tensor<" size "x" size "x" type \
  ">, %b: tensor<" size "x" type ">) -> tensor<" size "x" size "x" type "> {\n"                    \
  "  %z = arith.constant " zero " : " type "\n"                                                    \
  "  %m = arith.constant " bound " : " type "\n"                                                   \
  "  %e = tensor.empty() : tensor<" size "x" size "x" type ">\n"                                   \
  "  %f = linalg.fill ins(%z : " type ") outs(%e : tensor<" size "x" size "x" type                 \
  ">) -> tensor<" size "x" size "x" type ">\n"                                                     \
  "  %p = linalg.matmul ins(%x, %w : tensor<" size "x" size "x" type ">, tensor<" size "x" size    \
  "x" type ">) outs(%f : tensor<" size "x" size "x" type ">) -> tensor<" size "x" size "x" type    \
  ">\n"                                                                                            \
  "  %r = linalg.generic {indexing_maps = [" IDENTITY ", " COLUMN ", " IDENTITY "],\n"             \
  "      iterator_types = [\"parallel\", \"parallel\"]}\n"                                         \
  "      ins(%p, %b : tensor<" size "x" size "x" type ">, tensor<" size "x" type ">)\n"            \
  "      outs(%e : tensor<" size "x" size "x" type ">) {\n"                                        \
  "    ^bb0(%i: " type ", %c: " type ", %o: " type "):\n"                                          \
  "      %s = arith.addf %i, %c : " type "\n"                                                      \
  "      %t = arith.maximumf %s, %m : " type "\n"                                                  \
  "      linalg.yield %t : " type "\n"                                                             \
  "  } -> tensor<" size "x" size "x" type ">\n"                                                    \
  "  return %r : tensor<" size "x" size "x" type ">\n"                                             \
  "}\n"

#endif // TUNE_UNITTESTS_TRANSFORMS_EXTRACT_FIXTURE_H
