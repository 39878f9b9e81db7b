//===- launches_test.c - From parallel loops to launches of kernels -----------------------===//

#include "transforms/lower/gpu/fallback_kernels.h"
#include "transforms/lower/gpu/launch_sinking.h"
#include "transforms/lower/gpu/launches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// A forall over `HEAD` with a store at `INDICES` of memory of `TYPE`.
#define FORALL(HEAD, INDICES, TYPE, ATTRIBUTES)                                                    \
  "func.func @f(%m: " TYPE ", %v: f32) {\n"                                                        \
  "  scf.forall " HEAD " {\n"                                                                      \
  "    memref.store %v, %m[" INDICES "] : " TYPE "\n"                                              \
  "  }" ATTRIBUTES "\n  return\n}\n"

typedef struct launch_case {
  rewrite_case becomes;
  const char *word;
  size_t count;
} launch_case;

static const launch_case CASES[] = {
    {{"one invocation for each iteration, x along the last dimension",
      FORALL("(%i, %j) in (64, 32)", "%i, %j", "memref<64x32xf32>", ""),
      {"blocks(%arg2, %arg3, %arg4) in (%arg8 = %c4, %arg9 = %c8",
       "threads(%arg5, %arg6, %arg7) in (%arg11 = %c8", "memref.store %arg1, %arg0[%3, %1]"},
      "scf.if"},
     "arith.muli",
     2},
    {{"a mapping says otherwise",
      FORALL("(%i, %j) in (64, 32)", "%i, %j", "memref<64x32xf32>",
             " {mapping = [#gpu.thread<x>, #gpu.thread<y>]}"),
      {"memref.store %arg1, %arg0[%1, %3]"},
      "scf.if"},
     NULL,
     0},
    {{"a line has groups of 64, and a guard where it does not end with one",
      FORALL("(%i) in (100)", "%i", "memref<100xf32>", ""),
      {"%c64", "arith.cmpi ult", "scf.if"},
      "divui"},
     "arith.cmpi",
     1},
    {{"where lanes read together all are there, and only what is written is guarded",
      "func.func @f(%a: memref<100xf32>, %b: memref<100xf32>) attributes {tune.gpu.share = 8 : "
      "i64} "
      "{\n  scf.forall (%i) in (100) {\n    %v = memref.load %a[%i] : memref<100xf32>\n"
      "    memref.store %v, %b[%i] : memref<100xf32>\n  }\n  return\n}\n",
      {"arith.minui", "memref.load %arg0[%3]", "      scf.if %2 {\n        memref.store"},
      NULL},
     "scf.if",
     1},
    {{"but where there may be other writes",
      "func.func @f(%a: memref<100xf32>, %b: memref<100x4xf32>, %v: f32) attributes "
      "{tune.gpu.share = 8 : i64} {\n  scf.forall (%i) in (100) {\n"
      "    %s = memref.subview %b[%i, 0] [1, 4] [1, 1] : memref<100x4xf32> to memref<1x4xf32, "
      "strided<[4, 1], offset: ?>>\n"
      "    linalg.fill ins(%v : f32) outs(%s : memref<1x4xf32, strided<[4, 1], offset: ?>>)\n"
      "  }\n  return\n}\n",
      {"scf.if"},
      "arith.minui"},
     NULL,
     0},
    {{"both dimensions are guarded where both do not fit",
      FORALL("(%i, %j) in (63, 33)", "%i, %j", "memref<63x33xf32>", ""),
      {"arith.andi"},
      NULL},
     "arith.cmpi",
     2},
    {{"four dimensions, the first two along z",
      FORALL("(%i, %j, %k, %l) in (3, 5, 8, 8)", "%i, %j, %k, %l", "memref<3x5x8x8xf32>", ""),
      {"arith.remui", "arith.divui", "%c15"},
      "scf.if"},
     "arith.remui",
     1},
    {{"a given group",
      FORALL("(%i, %j) in (64, 32)", "%i, %j", "memref<64x32xf32>",
             " {tune.group_x = 16 : i64, tune.group_y = 2 : i64}"),
      {"%arg11 = %c16", "%arg12 = %c2"},
      "tune.group"},
     NULL,
     0},
    {{"a group along a dimension that is gone would do everything again",
      FORALL("(%i) in (64)", "%i", "memref<64xf32>",
             " {tune.group_x = 16 : i64, tune.group_y = 8 : i64}"),
      {"%arg11 = %c16"},
      "%c8"},
     NULL,
     0},
    {{"a dimension of one iteration has no axis",
      FORALL("(%i, %j) in (64, 1)", "%i, %j", "memref<64x1xf32>",
             " {mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>], "
             "tune.group_x = 16 : i64, tune.group_y = 8 : i64}"),
      {"%arg8 = %c4", "%arg11 = %c16", "%arg12 = %c1"},
      "scf.if"},
     "%c8",
     0},
    {{"a mapping gives it one",
      FORALL("(%i, %j) in (64, 1)", "%i, %j", "memref<64x1xf32>",
             " {mapping = [#gpu.thread<y>, #gpu.thread<x>], tune.group_x = 16 : i64}"),
      {"%arg9 = %c64", "%arg11 = %c16", "scf.if"},
      NULL},
     NULL,
     0},
    {{"one iteration of all is one invocation",
      FORALL("(%i) in (1)", "%i", "memref<1xf32>",
             " {mapping = [#gpu.thread<linear_dim_0>], tune.group_x = 16 : i64}"),
      {"gpu.launch", "%arg8 = %c1", "%arg11 = %c1"},
      "%c16"},
     "scf.if",
     0},
    {{"where a loop begins, and its step",
      FORALL("(%i) = (2) to (130) step (2)", "%i", "memref<130xf32>", ""),
      {"%c64", "arith.addi", "arith.muli"},
      "scf.if"},
     "gpu.launch",
     1},
    {{"more groups than the device takes are counted in a line",
      FORALL("(%i, %j) in (1000000, 2)", "%i, %j", "memref<1000000x2xf32>",
             " {tune.group_x = 2 : i64}"),
      {"%c65535", "arith.remui", "scf.if"},
      NULL},
     "arith.divui",
     1},
    {{"nothing to do is no launch",
      FORALL("(%i) in (0)", "%i", "memref<1xf32>", ""),
      {"return"},
      "gpu.launch"},
     NULL,
     0},
    {{"a linalg op that no schedule took, its reduction in a register",
      "func.func @f(%a: memref<8x5xf32>, %b: memref<8xf32>) {\n"
      "  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],"
      " iterator_types = [\"parallel\", \"reduction\"]} ins(%a : memref<8x5xf32>)"
      " outs(%b : memref<8xf32>) {\n ^bb0(%x: f32, %y: f32):\n"
      "  %s = arith.addf %x, %y : f32\n  linalg.yield %s : f32\n }\n  return\n}\n",
      {"gpu.launch", "scf.for", "iter_args"},
      "linalg"},
     "memref.store",
     1},
    {{"an op of a single element",
      "func.func @f(%a: memref<f32>, %v: f32) {\n"
      "  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],"
      " iterator_types = []} ins(%v : f32) outs(%a : memref<f32>) {\n ^bb0(%x: f32, %y: f32):\n"
      "  linalg.yield %x : f32\n }\n  return\n}\n",
      {"gpu.launch", "memref.store %arg1, %arg0[]"},
      "linalg"},
     "memref.load",
     0},
    {{"a sum that is kept at a place computed of other loops",
      "func.func @f(%a: memref<8x3xf32>, %b: memref<16x1xf32>) {\n"
      "  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i * "
      "2,"
      " 0)>], iterator_types = [\"parallel\", \"reduction\"]} ins(%a : memref<8x3xf32>)"
      " outs(%b : memref<16x1xf32>) {\n ^bb0(%x: f32, %y: f32):\n"
      "  %s = arith.addf %x, %y : f32\n  linalg.yield %s : f32\n }\n  return\n}\n",
      {"affine.apply", "iter_args"},
      "linalg"},
     "memref.load",
     2},
    {{"places that are sums of loops, and the number of a loop",
      "func.func @f(%a: memref<10xf32>, %b: memref<3xf32>, %c: memref<8xindex>) {\n"
      "  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>,"
      " affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\", \"reduction\"]}"
      " ins(%a, %b : memref<10xf32>, memref<3xf32>) outs(%c : memref<8xindex>) {\n"
      " ^bb0(%x: f32, %y: f32, %z: index):\n"
      "  %j = linalg.index 1 : index\n"
      "  %l = arith.cmpf olt, %x, %y : f32\n"
      "  %r = arith.select %l, %j, %z : index\n"
      "  linalg.yield %r : index\n }\n  return\n}\n",
      {"affine.apply", "arith.select", "iter_args"},
      "linalg"},
     "memref.load",
     3},
};

static MlirOperation function_of(MlirOperation module) {
  MlirOperation function;
  assert_ok(tune_ir_find_function(module, NULL, &function));
  return function;
}

static void loops_become_launches(void **state) {
  (void)state;
  tune_device device = tune_device_least();
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation module = parse_case(&CASES[i].becomes, context);
    assert_ok(tune_fallback_kernels_lower(function_of(module)));
    assert_ok(tune_launches_lower(function_of(module), &device));
    check_case(&CASES[i].becomes, module, CASES[i].word, CASES[i].count);
  }
}

typedef struct error_case {
  const char *text, *message;
} error_case;

static const error_case ERRORS[] = {
    {"func.func @f(%m: memref<8xf32>, %v: f32) {\n"
     "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
     "  scf.for %k = %c0 to %c1 step %c1 {\n"
     "    scf.forall (%i) in (8) {\n      memref.store %v, %m[%i] : memref<8xf32>\n    }\n"
     "  }\n  return\n}\n",
     "4:3: error: scf.for: a loop around a kernel"},
    {FORALL("(%i) in (8)", "%i", "memref<8xf32>", " {tune.group_x = 256 : i64}"),
     "a group of 256 along x; the device takes up to 128"},
    {FORALL("(%i, %j) in (64, 64)", "%i, %j", "memref<64x64xf32>",
            " {tune.group_x = 16 : i64, tune.group_y = 16 : i64}"),
     "a group of 256 invocations; the device takes up to 128"},
    {FORALL("(%i) in (8)", "%i", "memref<8xf32>", " {tune.group_x = \"wide\"}"),
     "tune.group_x: expected a positive integer"},
    {"func.func @f(%m: memref<?xf32>, %v: f32, %n: index) {\n"
     "  scf.forall (%i) in (%n) {\n    memref.store %v, %m[%i] : memref<?xf32>\n  }\n"
     "  return\n}\n",
     "known only at run time"},
    {FORALL("(%i, %j) in (65536, 65536)", "%i, %j", "memref<65536x65536xf32>", ""),
     "4294967296 iterations"},
};

static void what_is_no_launch_is_an_error(void **state) {
  (void)state;
  tune_device device = tune_device_least();
  for (size_t i = 0; i < sizeof ERRORS / sizeof *ERRORS; ++i) {
    MlirOperation module;
    assert_ok(tune_ir_parse(context, ERRORS[i].text, "in.mlir", &module));
    tune_status status = tune_launches_lower(function_of(module), &device);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    if (!strstr(tune_status_get_message(status), ERRORS[i].message))
      fail_msg("said %s", tune_status_get_message(status));
    tune_status_free(status);
    mlirOperationDestroy(module);
  }
}

// A kernel makes again what it can, and takes buffers; a second view of one stays outside.
static void kernels_take_whole_buffers(void **state) {
  (void)state;
  static const rewrite_case CASE = {
      "what is taken from outside",
      "func.func @f(%a: memref<64x64xf32>) {\n"
      "  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
      "  %n = arith.addi %c1, %c2 : index\n"
      "  %s = memref.subview %a[0, 0] [8, 8] [1, 1]"
      " : memref<64x64xf32> to memref<8x8xf32, strided<[64, 1]>>\n"
      "  %w = builtin.unrealized_conversion_cast %a"
      " : memref<64x64xf32> to memref<64x16xvector<4xf32>>\n"
      "  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)\n"
      "      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {\n"
      "    %t = builtin.unrealized_conversion_cast %a"
      " : memref<64x64xf32> to memref<64x64xf32, \"texel\">\n"
      "    %x = memref.load %s[%n, %n] : memref<8x8xf32, strided<[64, 1]>>\n"
      "    %y = memref.load %w[%n, %n] : memref<64x16xvector<4xf32>>\n"
      "    %z = memref.load %t[%n, %n] : memref<64x64xf32, \"texel\">\n"
      "    gpu.terminator\n  }\n  return\n}\n",
      {"\"texel\">\n    gpu.launch", "%subview_", "arith.addi"},
      NULL};
  MlirOperation module = parse_case(&CASE, context);
  assert_ok(tune_launch_sinking_run(function_of(module)));
  check_case(&CASE, module, "memref.subview", 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loops_become_launches),
                                     cmocka_unit_test(what_is_no_launch_is_an_error),
                                     cmocka_unit_test(kernels_take_whole_buffers)};
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
