//===- dialects_test_context.h - A context with the dialects of the tests --------===//

#ifndef TUNE_UNITTESTS_DIALECTS_TEST_CONTEXT_H
#define TUNE_UNITTESTS_DIALECTS_TEST_CONTEXT_H

#include "dialects/diagnostic.h"
#include "dialects/tune_dialect.h"

#include "mlir-c/Dialect/Func.h"
#include "mlir-c/IR.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka.h wants the four above it first.
#include <setjmp.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

// Checks code and whole message of a failure, and frees it.
#define assert_failure(expression, expected_code, expected_message)                                \
  do {                                                                                             \
    tune_status failure_ = (expression);                                                           \
    assert_int_equal(tune_status_get_code(failure_), expected_code);                               \
    assert_string_equal(tune_status_get_message(failure_), expected_message);                      \
    tune_status_free(failure_);                                                                    \
  } while (0)

// A context with func and tune; single-threaded, and ops of other dialects are allowed.
static inline MlirContext make_test_context(void) {
  MlirContext context = mlirContextCreateWithThreading(false);
  mlirContextSetAllowUnregisteredDialects(context, true);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__func__(), context);
  assert_ok(tune_dialect_load(context));
  return context;
}

// Parses `text` as the file "test.mlir"; what is wrong with it becomes the status.
static inline tune_status parse_test_module(MlirContext context, const char *text,
                                            MlirOperation *out_module) {
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, context);
  *out_module = mlirOperationCreateParse(context, mlirStringRefCreateFromCString(text),
                                         mlirStringRefCreateFromCString("test.mlir"));
  tune_status status = tune_diagnostics_end(&diagnostics, mlirOperationIsNull(*out_module),
                                            TUNE_INVALID_ARGUMENT, "parsing");
  tune_diagnostics_deinit(&diagnostics);
  return status;
}

// The first op of the first block of `op`.
static inline MlirOperation first_inside(MlirOperation op) {
  return mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

static inline void append_printed(MlirStringRef chunk, void *builder) {
  tune_string_builder_append_bytes(builder, chunk.data, chunk.length);
}

#endif // TUNE_UNITTESTS_DIALECTS_TEST_CONTEXT_H
