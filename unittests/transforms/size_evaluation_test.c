//===- size_evaluation_test.c - Sizes of tensors follow from those of arguments ====//

#include "transforms/tasks/size_evaluation.h"

#include "transforms/ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"

#define HEAD                                                                                       \
  "func.func @f(%a: tensor<?x?xf32>, %b: tensor<?x7xf32>) -> tensor<?x?xf32> {\n"                  \
  "  %c0 = arith.constant 0 : index\n"                                                             \
  "  %c1 = arith.constant 1 : index\n"                                                             \
  "  %rows = tensor.dim %a, %c0 : tensor<?x?xf32>\n"                                               \
  "  %columns = tensor.dim %a, %c1 : tensor<?x?xf32>\n"                                            \
  "  %zero = arith.constant 0.0 : f32\n"
#define TAIL "  return %r : tensor<?x?xf32>\n}\n"

// The arguments are 6x10 and, of which nobody says the first, ?x7.
static int64_t get_given(void *user, intptr_t argument, intptr_t dimension) {
  (void)user;
  static const int64_t sizes[2][2] = {{6, 10}, {0, 7}};
  return sizes[argument][dimension];
}

// The sizes of the result of the function of `text`.
static void check(const char *text, int64_t first, int64_t second) {
  MlirOperation module;
  assert_ok(tune_ir_parse(context, text, "test", &module));
  MlirOperation function = tune_ir_find_symbol(module, tune_ir_string("f"));
  MlirValue result = mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(function)), 0);
  const tune_given_sizes given = {get_given, NULL};
  assert_int_equal(tune_size_evaluate(result, 0, &given), first);
  assert_int_equal(tune_size_evaluate(result, 1, &given), second);
  mlirOperationDestroy(module);
}

static void ops_have_the_sizes_of_what_they_write(void **state) {
  (void)state;
  check(HEAD "  %e = tensor.empty(%columns, %rows) : tensor<?x?xf32>\n"
             "  %r = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>)"
             " permutation = [1, 0]\n" TAIL,
        10, 6);
  check(HEAD "  %r = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>)"
             " outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>\n" TAIL,
        6, 10);
}

static void sizes_are_computed_with(void **state) {
  (void)state;
  check(HEAD
        "  %c4 = arith.constant 4 : index\n"
        "  %s = arith.muli %rows, %columns : index\n"
        "  %m = arith.ceildivui %s, %c4 : index\n"
        "  %n = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0 floordiv 4)>(%rows)[%columns]\n"
        "  %q = arith.subi %n, %c1 : index\n"
        "  %w = arith.index_cast %m : index to i64\n"
        "  %v = arith.index_cast %w : i64 to index\n"
        "  %r = tensor.empty(%v, %q) : tensor<?x?xf32>\n" TAIL,
        15, 13);
}

static void shapes_may_be_changed(void **state) {
  (void)state;
  check(HEAD "  %p = tensor.pad %a low[1, %c1] high[%columns, 0] {\n"
             "  ^bb0(%i: index, %j: index):\n    tensor.yield %zero : f32\n"
             "  } : tensor<?x?xf32> to tensor<?x?xf32>\n"
             "  %r = tensor.concat dim(0) %p, %p"
             " : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>\n" TAIL,
        34, 11);
  check(HEAD "  %x = tensor.extract_slice %a[0, 0] [%columns, 3] [1, 1]"
             " : tensor<?x?xf32> to tensor<?x3xf32>\n"
             "  %r = tensor.cast %x : tensor<?x3xf32> to tensor<?x?xf32>\n" TAIL,
        10, 3);
  check(HEAD "  %x = tensor.expand_shape %a [[0], [1, 2]] output_shape [%rows, 2, %c1]"
             " : tensor<?x?xf32> into tensor<?x2x?xf32>\n"
             "  %r = tensor.collapse_shape %x [[0, 1], [2]]"
             " : tensor<?x2x?xf32> into tensor<?x?xf32>\n" TAIL,
        12, 1);
}

static void branches_and_loops_keep_shapes(void **state) {
  (void)state;
  check(HEAD "  %w = arith.cmpi eq, %rows, %columns : index\n"
             "  %x = scf.if %w -> tensor<?x?xf32> {\n    scf.yield %a : tensor<?x?xf32>\n"
             "  } else {\n    scf.yield %a : tensor<?x?xf32>\n  }\n"
             "  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%y = %x) -> tensor<?x?xf32> {\n"
             "    scf.yield %y : tensor<?x?xf32>\n  }\n" TAIL,
        6, 10);
}

// What nobody says, and what is less than 1, is not known.
static void what_does_not_follow_is_said(void **state) {
  (void)state;
  check(HEAD "  %s = tensor.dim %b, %c0 : tensor<?x7xf32>\n"
             "  %d = arith.subi %rows, %columns : index\n"
             "  %r = tensor.empty(%s, %d) : tensor<?x?xf32>\n" TAIL,
        0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ops_have_the_sizes_of_what_they_write),
      cmocka_unit_test(sizes_are_computed_with),
      cmocka_unit_test(shapes_may_be_changed),
      cmocka_unit_test(branches_and_loops_keep_shapes),
      cmocka_unit_test(what_does_not_follow_is_said),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
