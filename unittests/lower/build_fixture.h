//===- build_fixture.h - A lowering, a linker and a matmul to build ---------------------===//
//
// Asserts on every failure; the functions are for tests only.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_LOWER_BUILD_FIXTURE_H
#define TUNE_UNITTESTS_LOWER_BUILD_FIXTURE_H

#include "transforms/build/build.h"
#include "transforms/lower/cpu/backend/link.h"
#include "unittests/transforms/mlir_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static MlirContext context;
static tune_lowering *lowering, *threaded;
static tune_linker *linker, *threaded_linker;

static inline int setup(void **state) {
  (void)state;
  context = make_full_context();
  tune_lowering_options options = {.cpu.threads = 1};
  assert_ok(tune_lowering_create(context, &options, &lowering));
  options.cpu.threads = 2;
  assert_ok(tune_lowering_create(context, &options, &threaded));
  assert_ok(tune_linker_create(false, &linker));
  assert_ok(tune_linker_create(true, &threaded_linker));
  return 0;
}

static inline int teardown(void **state) {
  (void)state;
  tune_linker_destroy(linker);
  tune_linker_destroy(threaded_linker);
  tune_lowering_destroy(lowering);
  tune_lowering_destroy(threaded);
  mlirContextDestroy(context);
  return 0;
}

static inline tune_build_task *open_task(const char *payload, const char *schedule) {
  tune_build_source source = {.payload = payload,
                              .payload_source = "p.mlir",
                              .schedule = schedule,
                              .schedule_source = schedule ? "s.mlir" : NULL};
  tune_build_task *task;
  assert_ok(tune_build_task_create(context, &source, &task));
  return task;
}

#define MATMUL                                                                                     \
  "module {\n"                                                                                     \
  "func.func @mm(%a: tensor<20x28xf32>, %b: tensor<28x36xf32>, %c: tensor<20x36xf32>)\n"           \
  "    -> tensor<20x36xf32> {\n"                                                                   \
  "  %r = linalg.matmul ins(%a, %b : tensor<20x28xf32>, tensor<28x36xf32>)\n"                      \
  "                     outs(%c : tensor<20x36xf32>) -> tensor<20x36xf32>\n"                       \
  "  return %r : tensor<20x36xf32>\n"                                                              \
  "}\n"                                                                                            \
  "}\n"

#define SCHEDULE_HEAD                                                                              \
  "module attributes {transform.with_named_sequence} {\n"                                          \
  "transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {\n"  \
  "%mm = transform.structured.match ops{[\"linalg.matmul\"]} in %root : (!transform.any_op) -> "   \
  "!transform.any_op\n"
#define SCHEDULE_TAIL "transform.yield\n}\n}\n"

#define FORALL_SCHEDULE                                                                            \
  SCHEDULE_HEAD                                                                                    \
  "%m = transform.tune.knob<\"m\"> options = [4, 5] -> !transform.param<i64>\n"                    \
  "%t, %l = transform.structured.tile_using_forall %mm tile_sizes [%m, 12, 0] : "                  \
  "(!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)\n"         \
  "%v, %w = transform.structured.tile_using_for %t tile_sizes [0, 0, 4] : (!transform.any_op) -> " \
  "(!transform.any_op, !transform.any_op)\n"                                                       \
  "transform.structured.vectorize %v : !transform.any_op\n" SCHEDULE_TAIL

#endif // TUNE_UNITTESTS_LOWER_BUILD_FIXTURE_H
