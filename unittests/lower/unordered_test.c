//===- unordered_test.c - Code whose results may differ from run to run -------------------===//

#include "transforms/lower/common/unordered.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"

#include "transforms/ir/ir.h"

typedef struct order_case {
  const char *name, *body;
  bool is_unordered;
} order_case;

#define ATOMIC(KIND)                                                                               \
  "  %r" KIND " = memref.atomic_rmw " KIND " %n, %m[%i] : (i32, memref<4xi32>) -> i32\n"
#define ATOMIC_OF_LLVM(KIND, TYPE, NUMBER)                                                         \
  "  %o = llvm.atomicrmw " KIND " %p, " NUMBER " monotonic : !llvm.ptr, " TYPE "\n"
#define PARALLEL(TYPE, OP)                                                                         \
  "  %z = arith.constant 0 : index\n  %e = arith.constant 4 : index\n"                             \
  "  %s = arith.constant 1 : index\n"                                                              \
  "  %q = scf.parallel (%j) = (%z) to (%e) step (%s) init (%v) -> " TYPE " {\n"                    \
  "    scf.reduce(%v : " TYPE ") {\n    ^bb0(%a: " TYPE ", %b: " TYPE "):\n" OP                    \
  "      scf.reduce.return %c : " TYPE "\n    }\n  }\n"

static const order_case CASES[] = {
    {"sums of integers", ATOMIC("addi"), false},
    {"maxima of integers", ATOMIC("maxs"), false},
    {"one after the other may be the last", ATOMIC("assign"), true},
    {"sums and maxima", ATOMIC("addi") ATOMIC("maxs"), true},
    {"what was there before is looked at",
     ATOMIC("addi") "  memref.store %raddi, %m[%i] : memref<4xi32>\n", true},
    {"sums of floats", "  %r = memref.atomic_rmw addf %f, %w[%i] : (f32, memref<4xf32>) -> f32\n",
     true},
    {"maxima of floats, of which two zeros are some",
     "  %r = memref.atomic_rmw maximumf %f, %w[%i] : (f32, memref<4xf32>) -> f32\n", true},
    {"sums of integers in LLVM", ATOMIC_OF_LLVM("add", "i32", "%n"), false},
    {"bits in LLVM", ATOMIC_OF_LLVM("_or", "i32", "%n"), false},
    {"bits in LLVM that are turned each time", ATOMIC_OF_LLVM("nand", "i32", "%n"), true},
    {"sums of floats in LLVM", ATOMIC_OF_LLVM("fadd", "f32", "%f"), true},
    {"a loop that adds up integers",
     "  %v = arith.constant 0 : i32\n" PARALLEL("i32", "      %c = arith.addi %a, %b : i32\n"),
     false},
    {"a loop that doubles what it adds",
     "  %v = arith.constant 0 : i32\n" PARALLEL(
         "i32", "      %d = arith.addi %a, %b : i32\n      %c = arith.addi %d, %b : i32\n"),
     true},
    {"a loop that adds up floats",
     "  %v = arith.constant 0.0 : f32\n" PARALLEL("f32", "      %c = arith.addf %a, %b : f32\n"),
     true},
    {"a loop that adds up nothing",
     "  %z = arith.constant 0 : index\n  %s = arith.constant 1 : index\n"
     "  scf.parallel (%j) = (%z) to (%s) step (%s) {\n  }\n",
     false},
};

static void order_matters_for_some(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    char text[2048];
    snprintf(text, sizeof text,
             "func.func @f(%%m: memref<4xi32>, %%w: memref<4xf32>, %%n: i32, %%f: f32,"
             " %%p: !llvm.ptr, %%i: index) {\n%s  return\n}\n",
             CASES[i].body);
    MlirOperation module;
    assert_ok(tune_ir_parse(context, text, "in.mlir", &module));
    if (tune_unordered_find(module) != CASES[i].is_unordered)
      fail_msg("%s: expected %d", CASES[i].name, CASES[i].is_unordered);
    mlirOperationDestroy(module);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(order_matters_for_some)};
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
