//===- weights_test.c - What is in the way of parts of weights that are made ahead -----------===//

#include "transforms/lower/cpu/weights/known_branches.h"
#include "transforms/lower/cpu/weights/part_views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"
#include "unittests/transforms/rewrite_case.h"

#define BRANCHES(BODY)                                                                             \
  "func.func @f(%m: memref<4xf32>, %x: f32, %i: index, %b: i1) -> f32 {\n"                         \
  "  %true = arith.constant true\n  %false = arith.constant false\n" BODY "}\n"

static const rewrite_case BRANCH_CASES[] = {
    {"what is taken, and what is not",
     BRANCHES("  scf.if %true { memref.store %x, %m[%i] : memref<4xf32> }\n"
              "  scf.if %false { memref.store %x, %m[%i] : memref<4xf32> }\n  return %x : f32\n"),
     {"memref.store"},
     "scf.if"},
    {"both ways, with results",
     BRANCHES("  %a = scf.if %true -> (f32) { scf.yield %x : f32 } else {\n"
              "    %l = memref.load %m[%i] : memref<4xf32>\n    scf.yield %l : f32 }\n"
              "  %c = scf.if %false -> (f32) { scf.yield %x : f32 } else {\n"
              "    %s = arith.addf %a, %a : f32\n    scf.yield %s : f32 }\n  return %c : f32\n"),
     {"arith.addf %arg1, %arg1", "return %0"},
     "memref.load"},
    {"one in another",
     BRANCHES("  scf.if %b { scf.if %true { memref.store %x, %m[%i] : memref<4xf32> } }\n"
              "  return %x : f32\n"),
     {"scf.if %arg3 {\n      memref.store"},
     "scf.if %true"},
};

static void branches_that_are_known_are_opened(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof BRANCH_CASES / sizeof *BRANCH_CASES; ++i) {
    MlirOperation module = parse_case(&BRANCH_CASES[i], context);
    assert_ok(tune_known_branches_open(mlirBlockGetFirstOperation(tune_ir_body(module))));
    check_case(&BRANCH_CASES[i], module, NULL, 0);
  }
}

// A view of a view; the other memory's stays, and so does what is used behind the loop, too.
static const rewrite_case VIEWS = {
    "views",
    "func.func @f(%x: f32, %i: index) {\n"
    "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
    "  %a = memref.alloc() : memref<8x8xf32>\n  %o = memref.alloc() : memref<8x8xf32>\n"
    "  %v = memref.subview %a[4, 0] [1, 8] [1, 1] : memref<8x8xf32> to "
    "memref<8xf32, strided<[1], offset: 32>>\n"
    "  %w = memref.subview %v[%i] [1] [1] : memref<8xf32, strided<[1], offset: 32>> to "
    "memref<1xf32, strided<[1], offset: ?>>\n"
    "  %p = memref.subview %o[4, 0] [1, 8] [1, 1] : memref<8x8xf32> to "
    "memref<8xf32, strided<[1], offset: 32>>\n"
    "  scf.for %k = %c0 to %i step %c1 {\n"
    "    memref.store %x, %w[%c0] : memref<1xf32, strided<[1], offset: ?>>\n"
    "    memref.store %x, %p[%k] : memref<8xf32, strided<[1], offset: 32>>\n"
    "  }\n"
    "  memref.store %x, %v[%c0] : memref<8xf32, strided<[1], offset: 32>>\n  return\n}\n",
    {"%subview = memref.subview %alloc[4, 0]",
     "step %c1 {\n      %subview_2 = memref.subview %alloc[4, 0] [1, 8] [1, 1] : memref<8x8xf32> "
     "to "
     "memref<8xf32, strided<[1], offset: 32>>\n      %subview_3 = memref.subview %subview_2[%arg1]",
     "memref.store %arg0, %subview_3"},
    NULL};

static MlirOperation find_op(MlirOperation function, const char *name) {
  MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(function));
  while (!tune_ir_is(op, name))
    op = mlirOperationGetNextInBlock(op);
  return op;
}

static void views_are_made_in_the_loop(void **state) {
  (void)state;
  MlirOperation module = parse_case(&VIEWS, context);
  MlirOperation function = mlirBlockGetFirstOperation(tune_ir_body(module));
  assert_ok(tune_part_views_bring_in(mlirOperationGetResult(find_op(function, "memref.alloc"), 0),
                                     find_op(function, "scf.for")));
  // That of the other memory, two in the loop, and the one that is used behind it.
  check_case(&VIEWS, module, "= memref.subview", 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(branches_that_are_known_are_opened),
      cmocka_unit_test(views_are_made_in_the_loop),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
