//===- parallel_loops_test.c - Which loops become parallel on buffers ----------------------===//

#include "transforms/lower/common/parallel_loops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

#define FUNC(BODY)                                                                                 \
  "func.func @f(%m: memref<8x8xf32>, %v: f32) {\n"                                                 \
  "  %c0 = arith.constant 0 : index\n  %c2 = arith.constant 2 : index\n"                           \
  "  %c8 = arith.constant 8 : index\n" BODY "  return\n}\n"
#define MARK " {tune.threads}\n"
#define ROWS "scf.for %i = %c0 to %c8 step %c2 {\n"
#define STORE(I, J) "memref.store %v, %m[%" I ", %" J "] : memref<8x8xf32>\n"

static const rewrite_case CASES[] = {
    {"one", FUNC(ROWS STORE("i", "c0") "}" MARK), {"scf.parallel (%arg2) = (%c0) to (%c8)"}, "for"},
    {"two, with a view between",
     FUNC(ROWS "%s = memref.subview %m[%i, 0] [2, 8] [1, 1] : memref<8x8xf32> to memref<2x8xf32, "
               "strided<[8, 1], offset: ?>>\n"
               "scf.for %j = %c0 to %c8 step %c2 {\n"
               "memref.store %v, %s[%c0, %j] : memref<2x8xf32, strided<[8, 1], offset: ?>>\n"
               "}" MARK "}" MARK),
     {"scf.parallel (%arg2, %arg3) = (%c0, %c0) to (%c8, %c8) step (%c2, %c2)",
      "memref.subview %arg0[%arg2, 0]", "memref.store %arg1, %subview[%c0, %arg3]"},
     "scf.for"},
    {"the inner one begins where the outer one is",
     FUNC(ROWS "scf.for %j = %i to %c8 step %c2 {\n" STORE("i", "j") "}" MARK "}" MARK),
     {"scf.parallel (%arg2) =", "scf.for %arg3 = %arg2 to"},
     "scf.parallel (%arg2, "},
    {"the innermost begins where the outermost is",
     FUNC(ROWS "scf.for %j = %c0 to %c8 step %c2 {\n"
               "scf.for %k = %i to %c8 step %c2 {\n" STORE("j", "k") "}" MARK "}" MARK "}" MARK),
     {"scf.parallel (%arg2, %arg3) =", "scf.for %arg4 = %arg2 to"},
     "scf.parallel (%arg2, %arg3, "},
    {"it counts by another type",
     FUNC("%i0 = arith.constant 0 : i32\n%i8 = arith.constant 8 : i32\n"
          "scf.for %i = %i0 to %i8 step %i8 : i32 {\n" STORE("c0", "c0") "}" MARK),
     {"scf.for"},
     "scf.parallel"},
    {"more than a loop in it",
     FUNC(ROWS STORE("i", "c0") "scf.for %j = %c0 to %c8 step %c2 {\n" STORE("i", "j") "}" MARK
                                                                                       "}" MARK),
     {"scf.parallel (%arg2) =", "scf.for %arg3 = "},
     "scf.parallel (%arg2, "},
    {"only the inner one is marked",
     FUNC(ROWS "scf.for %j = %c0 to %c8 step %c2 {\n" STORE("i", "j") "}" MARK "}\n"),
     {"scf.for %arg2 = ", "scf.parallel (%arg3) ="},
     NULL},
    {"memory of each step, seen through a view; and that of all",
     FUNC("%p = memref.alloc() : memref<8xf32>\n%q = memref.alloc() : memref<8xf32>\n"
          "%r = memref.subview %p[1] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: "
          "1>>\n" ROWS "memref.store %v, %r[%c0] : memref<2xf32, strided<[1], offset: 1>>\n"
          "memref.store %v, %q[%i] : memref<8xf32>\n}" MARK
          "%x = memref.load %q[%c2] : memref<8xf32>\n"
          "memref.store %x, %m[%c0, %c0] : memref<8x8xf32>\n"),
     {"memref.alloc() : memref<8xf32>\n    scf.parallel",
      "step (%c2) {\n      %alloc_0 = memref.alloc() : memref<8xf32>\n      %subview = "},
     "scf.for"},
    {"memory that is filled before it, and written by it",
     FUNC("%p = memref.alloc() : memref<8xf32>\nmemref.store %v, %p[%c0] : memref<8xf32>\n" ROWS
          "%x = memref.load %p[%c0] : memref<8xf32>\nmemref.store %x, %m[%i, %c0] : "
          "memref<8x8xf32>\n"
          "memref.store %v, %p[%c0] : memref<8xf32>\n}" MARK),
     {"scf.for"},
     "scf.parallel"},
    {"memory that is filled before it, and read by it",
     FUNC("%p = memref.alloc() : memref<8xf32>\nmemref.store %v, %p[%c0] : memref<8xf32>\n" ROWS
          "%x = memref.load %p[%c0] : memref<8xf32>\nmemref.store %x, %m[%i, %c0] : "
          "memref<8x8xf32>\n"
          "}" MARK),
     {"scf.parallel"},
     "scf.for"},
    {"it carries a value",
     FUNC("%r = scf.for %i = %c0 to %c8 step %c2 iter_args(%a = %v) -> (f32) {\n"
          "%b = arith.addf %a, %a : f32\nscf.yield %b : f32\n}" MARK
          "memref.store %r, %m[%c0, %c0] : memref<8x8xf32>\n"),
     {"scf.for"},
     "scf.parallel"},
    {"among threads already",
     FUNC("scf.forall (%k) in (8) {\n" ROWS STORE("i", "k") "}" MARK "}\n"),
     {"scf.forall", "scf.for "},
     "scf.parallel"},
    {"no mark", FUNC(ROWS STORE("i", "c0") "}\n"), {"scf.for"}, "scf.parallel"},
};

static void loops_become_parallel(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    MlirOperation module = parse_case(&CASES[i], context);
    assert_ok(tune_parallel_loops_lower(module));
    check_case(&CASES[i], module, NULL, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loops_become_parallel),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
