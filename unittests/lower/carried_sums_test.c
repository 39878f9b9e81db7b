//===- carried_sums_test.c - Sums on the stack become what a loop carries -------------------===//

#include "transforms/lower/cpu/carried_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

// A loop over %k, with %a of the stack, the argument %m, and an index %i.
#define FUNCTION(TYPE, BODY)                                                                       \
  "func.func @f(%m: memref<2x24x" TYPE ">, %v: vector<16x" TYPE ">, %i: index) {\n"                \
  "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"                           \
  "  %c8 = arith.constant 8 : index\n  %c16 = arith.constant 16 : index\n"                         \
  "  %a = memref.alloca() : memref<2x24x" TYPE ">\n"                                               \
  "  %e = memref.load %m[%c0, %i] : memref<2x24x" TYPE ">\n"                                       \
  "  linalg.copy ins(%m : memref<2x24x" TYPE ">) outs(%a : memref<2x24x" TYPE ">)\n"               \
  "  scf.for %k = %c0 to %i step %c1 {\n" BODY "  }\n"                                             \
  "  linalg.copy ins(%a : memref<2x24x" TYPE ">) outs(%m : memref<2x24x" TYPE ">)\n"               \
  "  return\n}\n"
#define LOAD(NAME, PLACE, TYPE, SIZE)                                                              \
  "  " NAME " = vector.load " PLACE " : memref<2x24x" TYPE ">, vector<" SIZE "x" TYPE ">\n"
#define STORE(VALUE, PLACE, TYPE, SIZE)                                                            \
  "  vector.store " VALUE ", " PLACE " : memref<2x24x" TYPE ">, vector<" SIZE "x" TYPE ">\n"
#define ADD(NAME, A, B, SIZE) "  " NAME " = arith.addi " A ", " B " : vector<" SIZE "xi32>\n"

static const rewrite_case CASES[] = {
    {"vectors of two sizes, side by side",
     FUNCTION("i32", LOAD("%x", "%a[%c0, %c0]", "i32", "16") ADD("%y", "%x", "%v", "16") STORE(
                         "%y", "%a[%c0, %c0]", "i32", "16") LOAD("%s", "%a[%c0, %c16]", "i32", "8")
                         ADD("%t", "%s", "%s", "8") STORE("%t", "%a[%c0, %c16]", "i32", "8")),
     {"-> (vector<16xi32>, vector<8xi32>)", "scf.yield %", "vector.store %3#1"},
     NULL},
    {"in the same place of another row",
     FUNCTION("i32", LOAD("%x", "%a[%c0, %c0]", "i32", "16") LOAD("%s", "%a[%c1, %c8]", "i32", "16")
                         STORE("%s", "%a[%c0, %c0]", "i32", "16")
                             STORE("%x", "%a[%c1, %c8]", "i32", "16")),
     {"iter_args(", "-> (vector<16xi32>, vector<16xi32>)"},
     NULL},
    {"read again after it was written",
     FUNCTION("i32", LOAD("%x", "%a[%c0, %c0]", "i32", "16") ADD("%y", "%x", "%v", "16") STORE(
                         "%y", "%a[%c0, %c0]", "i32", "16") LOAD("%z", "%a[%c0, %c0]", "i32", "16")
                         ADD("%w", "%z", "%v", "16") STORE("%w", "%a[%c0, %c0]", "i32", "16")),
     {"-> (vector<16xi32>)", "arith.addi %arg4, %arg1", "arith.addi %3, %arg1"},
     NULL},
    {"vectors that overlap",
     FUNCTION("i32",
              LOAD("%x", "%a[%c0, %c0]", "i32", "16") STORE("%x", "%a[%c0, %c8]", "i32", "16")),
     {"scf.for"},
     "iter_args"},
    {"of another size in the same place",
     FUNCTION("i32", LOAD("%x", "%a[%c0, %c0]", "i32", "16") LOAD("%s", "%a[%c0, %c0]", "i32", "8")
                         STORE("%x", "%a[%c0, %c0]", "i32", "16")),
     {"scf.for"},
     "iter_args"},
    {"written before it is read",
     FUNCTION("i32",
              STORE("%v", "%a[%c0, %c0]", "i32", "16") LOAD("%x", "%a[%c0, %c0]", "i32", "16")
                  STORE("%x", "%a[%c0, %c0]", "i32", "16")),
     {"scf.for"},
     "iter_args"},
    {"a place that moves with the loop",
     FUNCTION("i32",
              LOAD("%x", "%a[%c0, %k]", "i32", "16") STORE("%x", "%a[%c0, %k]", "i32", "16")),
     {"scf.for"},
     "iter_args"},
    {"memory that is not of the stack",
     FUNCTION("i32",
              LOAD("%x", "%m[%c0, %c0]", "i32", "16") STORE("%x", "%m[%c0, %c0]", "i32", "16")),
     {"scf.for"},
     "iter_args"},
    {"another op looks at it in the loop",
     FUNCTION("i32", LOAD("%x", "%a[%c0, %c0]", "i32", "16")
                         STORE("%x", "%a[%c0, %c0]", "i32",
                               "16") "  %o = memref.load %a[%c0, %k] : memref<2x24xi32>\n"
                                     "  memref.store %o, %m[%c0, %k] : memref<2x24xi32>\n"),
     {"scf.for"},
     "iter_args"},
    {"nothing is written",
     FUNCTION("i32",
              LOAD("%x", "%a[%c0, %c0]", "i32", "16") STORE("%x", "%m[%c0, %c0]", "i32", "16")),
     {"scf.for"},
     "iter_args"},
    {"handed on under another name",
     FUNCTION("i32", LOAD("%x", "%a[%c0, %c0]", "i32", "16")
                         STORE("%x", "%a[%c0, %c0]", "i32",
                               "16") "  %q = arith.cmpi eq, %k, %c8 : index\n"
                                     "  %other = scf.if %q -> memref<2x24xi32> {\n"
                                     "    scf.yield %a : memref<2x24xi32>\n  } else {\n"
                                     "    scf.yield %m : memref<2x24xi32>\n  }\n"
                                     "  memref.store %e, %other[%c0, %k] : memref<2x24xi32>\n"),
     {"scf.for"},
     "iter_args"},
    {"out of the buffer",
     FUNCTION("i32",
              LOAD("%x", "%a[%c0, %c16]", "i32", "16") STORE("%x", "%a[%c0, %c16]", "i32", "16")),
     {"scf.for"},
     "iter_args"},
    {"what is only read is not carried",
     FUNCTION("i32", LOAD("%x", "%a[%c0, %c0]", "i32", "16") LOAD("%z", "%a[%c1, %c0]", "i32", "16")
                         ADD("%y", "%x", "%z", "16") STORE("%y", "%a[%c0, %c0]", "i32", "16")),
     {"-> (vector<16xi32>)", "vector.load %alloca[%c1, %c0]"},
     NULL},
    {"bf16 is float promotion's",
     FUNCTION("bf16",
              LOAD("%x", "%a[%c0, %c0]", "bf16", "16") STORE("%x", "%a[%c0, %c0]", "bf16", "16")),
     {"scf.for"},
     "iter_args"},
};

static void what_a_loop_reads_and_writes_is_carried(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation module = parse_case(&CASES[i], context);
    assert_ok(tune_carried_sums_run(module));
    check_case(&CASES[i], module, NULL, 0);
  }
}

// The outer loop carries what the inner one does, and results that were there stay.
static const rewrite_case NESTED = {
    "loops in loops",
    "func.func @f(%v: vector<4xf32>) -> (index, vector<4xf32>) {\n"
    "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
    "  %c8 = arith.constant 8 : index\n"
    "  %a = memref.alloca() : memref<4xf32>\n"
    "  vector.store %v, %a[%c0] : memref<4xf32>, vector<4xf32>\n"
    "  %n = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %c0) -> (index) {\n"
    "    scf.for %j = %c0 to %c8 step %c1 {\n"
    "      %x = vector.load %a[%c0] : memref<4xf32>, vector<4xf32>\n"
    "      %y = arith.addf %x, %v : vector<4xf32>\n"
    "      vector.store %y, %a[%c0] : memref<4xf32>, vector<4xf32>\n"
    "    } {tune.mark}\n"
    "    %q = arith.addi %p, %i : index\n"
    "    scf.yield %q : index\n"
    "  }\n"
    "  %r = vector.load %a[%c0] : memref<4xf32>, vector<4xf32>\n"
    "  return %n, %r : index, vector<4xf32>\n}\n",
    {"-> (index, vector<4xf32>) {", "-> (vector<4xf32>) {", "} {tune.mark}"},
    NULL};

static void loops_around_carry_it_too(void **state) {
  (void)state;
  MlirOperation module = parse_case(&NESTED, context);
  assert_ok(tune_carried_sums_run(module));
  // One load before the loops, and the one behind them.
  check_case(&NESTED, module, "vector.load", 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_loop_reads_and_writes_is_carried),
      cmocka_unit_test(loops_around_carry_it_too),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
