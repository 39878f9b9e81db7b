//===- exactness_test.c -------------------------------------------------------===//

#include "transforms/ir/exactness.h"
#include "unittests/transforms/mlir_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static tune_exactness exactness_of(MlirContext context, const char *text) {
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(module));
  MlirOperation function = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  tune_exactness exactness = tune_exactness_of(function);
  mlirModuleDestroy(module);
  return exactness;
}

// An elementwise function of f16 with `body`, which has %v and %w and makes %r.
static tune_exactness of_body(MlirContext context, const char *body) {
  char text[2048];
  snprintf(text, sizeof text,
           "#id = affine_map<(i) -> (i)>\n"
           "func.func @f(%%a: tensor<8xf16>, %%b: tensor<8xf16>) -> tensor<8xf16> {\n"
           "  %%e = tensor.empty() : tensor<8xf16>\n"
           "  %%0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = "
           "[\"parallel\"]} ins(%%a, %%b : tensor<8xf16>, tensor<8xf16>) outs(%%e : "
           "tensor<8xf16>) {\n"
           "  ^bb0(%%v: f16, %%w: f16, %%o: f16):\n    %s\n    linalg.yield %%r : f16\n"
           "  } -> tensor<8xf16>\n  return %%0 : tensor<8xf16>\n}",
           body);
  return exactness_of(context, text);
}

static void assert_exactness(tune_exactness found, bool selects, int64_t limit) {
  assert_int_equal(found.selects, selects);
  assert_int_equal(found.limit, limit);
}

// Sums of products are exact up to what the narrowest type has of whole numbers, be they written as
// named ops or not; what else there is may not be, and integers are anyway.
static void sums_are_exact_in_the_narrowest_type(void **state) {
  static const char product[] =
      "func.func @f(%%a: tensor<4x8x%s>, %%b: tensor<8x4x%s>, %%c: tensor<4x4x%s>) -> "
      "tensor<4x4x%s> {\n"
      "  %%0 = linalg.matmul ins(%%a, %%b : tensor<4x8x%s>, tensor<8x4x%s>) outs(%%c : "
      "tensor<4x4x%s>) -> tensor<4x4x%s>\n  return %%0 : tensor<4x4x%s>\n}";
  const struct {
    const char *operands, *sums;
    int64_t limit;
  } cases[] = {{"f16", "f16", 2048}, {"bf16", "bf16", 256},
               {"bf16", "f32", 256}, {"f32", "f32", INT64_C(1) << 24},
               {"i8", "i32", 0},     {"f16", "f32", 2048}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[1024];
    const char *o = cases[i].operands, *s = cases[i].sums;
    snprintf(text, sizeof text, product, o, o, s, s, o, o, s, s, s);
    assert_exactness(exactness_of((MlirContext){*state}, text), false, cases[i].limit);
  }
}

// Transforms may compute convolutions of f32, which are exact for smaller numbers only.
static void convolutions_are_exact_for_smaller_numbers(void **state) {
  static const char named[] =
      "func.func @f(%%a: tensor<1x6x6x4x%s>, %%b: tensor<3x3x4x8x%s>, %%c: tensor<1x4x4x8x%s>) -> "
      "tensor<1x4x4x8x%s> {\n"
      "  %%0 = linalg.conv_2d_nhwc_hwcf ins(%%a, %%b : tensor<1x6x6x4x%s>, tensor<3x3x4x8x%s>) "
      "outs(%%c : tensor<1x4x4x8x%s>) -> tensor<1x4x4x8x%s>\n"
      "  return %%0 : tensor<1x4x4x8x%s>\n}";
  static const char generic[] =
      "func.func @f(%a: tensor<6xf32>, %b: tensor<3xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, "
      "affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\", "
      "\"reduction\"]} ins(%a, %b : tensor<6xf32>, tensor<3xf32>) outs(%c : tensor<4xf32>) {\n"
      "  ^bb0(%v: f32, %w: f32, %o: f32):\n    %x = arith.mulf %v, %w : f32\n"
      "    %r = arith.addf %x, %o : f32\n    linalg.yield %r : f32\n"
      "  } -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}";
  static const char *const types[] = {"f32", "f16"};
  const int64_t limits[] = {INT64_C(1) << 18, 2048};
  for (size_t i = 0; i < 2; ++i) {
    char text[1024];
    const char *t = types[i];
    snprintf(text, sizeof text, named, t, t, t, t, t, t, t, t, t);
    assert_exactness(exactness_of((MlirContext){*state}, text), false, limits[i]);
  }
  assert_exactness(exactness_of((MlirContext){*state}, generic), false, INT64_C(1) << 18);
}

// Each op of a body, and each kind of constant, decides for itself.
static void bodies_are_looked_at(void **state) {
  const struct {
    const char *body;
    bool selects;
    int64_t limit;
  } cases[] = {
      {"%r = arith.maximumf %v, %w : f16", true, 0},
      {"%c = arith.cmpf ogt, %v, %w : f16\n%r = arith.select %c, %v, %w : f16", true, 0},
      {"%z = arith.constant 0.5 : f16\n%r = arith.maximumf %v, %z : f16", true, 0},
      {"%r = arith.addf %v, %w : f16", false, 2048},
      {"%x = arith.mulf %v, %w : f16\n%z = arith.extf %x : f16 to f32\n"
       "%y = arith.truncf %z : f32 to bf16\n%u = arith.extf %y : bf16 to f32\n"
       "%r = arith.truncf %u : f32 to f16",
       false, 256},
      {"%z = arith.constant 0.0 : f16\n%x = arith.addf %v, %w : f16\n"
       "%c = arith.cmpf ugt, %x, %z : f16\n%r = arith.select %c, %x, %z : f16",
       false, 2048},
      {"%l = arith.constant 0xFC00 : f16\n%x = arith.addf %v, %w : f16\n"
       "%r = arith.maximumf %x, %l : f16",
       false, 2048},
      {"%h = arith.constant 0.5 : f16\n%r = arith.mulf %v, %h : f16", false, 0},
      {"%n = arith.constant -1.0 : f16\n%r = arith.addf %v, %n : f16", false, 0},
      {"%x = arith.addf %v, %w : f16\n%c = arith.cmpf ogt, %x, %w : f16\n"
       "%r = arith.select %c, %v, %w : f16",
       false, 0},
      {"%r = arith.subf %v, %w : f16", false, 0},
      {"%r = arith.divf %v, %w : f16", false, 0},
      {"%r = math.exp %v : f16", false, 0},
      {"%x = arith.fptosi %v : f16 to i32\n%r = arith.sitofp %x : i32 to f16", false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    assert_exactness(of_body((MlirContext){*state}, cases[i].body), cases[i].selects,
                     cases[i].limit);
}

// Ops that compute without a body say nothing of what they do.
static void atomic_sums_are_not_known(void **state) {
  assert_exactness(
      exactness_of((MlirContext){*state},
                   "func.func @f(%a: f32, %s: memref<4xf32>) {\n"
                   "  %c = arith.constant 0 : index\n"
                   "  %r = memref.atomic_rmw addf %a, %s[%c] : (f32, memref<4xf32>) -> "
                   "f32\n  return\n}"),
      false, 0);
}

int main(void) {
  MlirContext context = make_full_context();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(sums_are_exact_in_the_narrowest_type, context.ptr),
      cmocka_unit_test_prestate(convolutions_are_exact_for_smaller_numbers, context.ptr),
      cmocka_unit_test_prestate(bodies_are_looked_at, context.ptr),
      cmocka_unit_test_prestate(atomic_sums_are_not_known, context.ptr),
  };
  int failed = cmocka_run_group_tests_name("transforms/ir/exactness", tests, NULL, NULL);
  mlirContextDestroy(context);
  return failed;
}
