//===- function_modules_test.c - Modules taken apart by their functions
//------------------------===//

#include "transforms/lower/cpu/function_modules.h"

#include "transforms/ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"

static const char text[] =
    "module {\n"
    "  memref.global \"private\" constant @table : memref<2xf32> = dense<[1.0, 2.0]>\n"
    "  memref.global \"private\" constant @other : memref<2xf32> = dense<[3.0, 4.0]>\n"
    "  func.func private @extern(f32) -> f32\n"
    "  func.func private @task(%x: f32, %a: memref<4x4xf32>, %n: index, %b: memref<2xf32>)\n"
    "      attributes {tune.llvm.opt_level = 2 : i64, tune.math.polynomial = 1 : i64} {\n"
    "    %t = memref.get_global @table : memref<2xf32>\n"
    "    %y = func.call @extern(%x) : (f32) -> f32\n"
    "    memref.copy %t, %b : memref<2xf32> to memref<2xf32>\n"
    "    return\n"
    "  }\n"
    "  func.func private @helper(%x: f32) -> f32 {\n"
    "    return %x : f32\n"
    "  }\n"
    "  func.func @main(%x: f32, %a: memref<4x4xf32>, %n: index, %b: memref<2xf32>)\n"
    "      attributes {tune.llvm.opt_level = 3 : i64} {\n"
    "    %y = func.call @helper(%x) : (f32) -> f32\n"
    "    func.call @task(%y, %a, %n, %b) : (f32, memref<4x4xf32>, index, memref<2xf32>) -> ()\n"
    "    return\n"
    "  }\n"
    "}\n";

static MlirOperation find(MlirOperation module, const char *name) {
  return tune_ir_find_symbol(module, tune_ir_string(name));
}

static bool has_body(MlirOperation function) {
  return !mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0)));
}

// A function with decisions becomes a module that stands on its own, with what it refers to and
// nothing else; the entry, which has some too, and functions without any stay.
static void functions_with_decisions_leave(void **state) {
  (void)state;
  MlirOperation module;
  assert_ok(tune_ir_parse(context, text, "in.mlir", &module));
  tune_function_modules parts;
  assert_ok(tune_function_modules_split(module, "main", &parts));
  assert_int_equal(parts.count, 1);
  const tune_function_module *part = &parts.items[0];
  assert_string_equal(part->function, "task");
  assert_int_equal(part->llvm.opt_level, 2);
  assert_int_equal(part->math.polynomial, 1);
  // (x, a: allocated, aligned, offset, 2 sizes, 2 strides, n, b: allocated, aligned, …)
  assert_int_equal(part->pointer_count, 2);
  assert_int_equal(part->pointers[0], 2);
  assert_int_equal(part->pointers[1], 10);

  assert_true(mlirOperationVerify(module));
  assert_true(mlirOperationVerify(part->module));
  assert_true(has_body(find(part->module, "task")));
  assert_false(has_body(find(part->module, "extern")));
  assert_false(mlirOperationIsNull(find(part->module, "table")));
  assert_true(mlirOperationIsNull(find(part->module, "other")));
  assert_true(mlirOperationIsNull(find(part->module, "helper")));
  assert_false(has_body(find(module, "task")));
  assert_true(has_body(find(module, "helper")));
  assert_true(has_body(find(module, "main")));

  // Decisions are taken off what was split, not off the entry.
  assert_true(
      mlirAttributeIsNull(tune_ir_attribute(find(part->module, "task"), "tune.llvm.opt_level")));
  assert_false(mlirAttributeIsNull(tune_ir_attribute(find(module, "main"), "tune.llvm.opt_level")));

  // And back: each symbol once.
  tune_function_modules_merge(&parts, module);
  assert_true(mlirOperationVerify(module));
  assert_true(has_body(find(module, "task")));
  MlirStringRef visibility = tune_ir_string_attribute(find(module, "task"), "sym_visibility");
  assert_true(tune_ir_string_equal(visibility, "private"));
  tune_function_modules_deinit(&parts);
  mlirOperationDestroy(module);
}

// Without an entry every function with decisions leaves.
static void without_an_entry_all_leave(void **state) {
  (void)state;
  MlirOperation module;
  assert_ok(tune_ir_parse(context, text, "in.mlir", &module));
  tune_function_modules parts;
  assert_ok(tune_function_modules_split(module, NULL, &parts));
  assert_int_equal(parts.count, 2);
  assert_true(mlirOperationVerify(module));
  assert_true(mlirOperationVerify(parts.items[1].module));
  // The part of @main refers to @task, which has left too.
  assert_false(has_body(find(parts.items[1].module, "task")));
  // Back in the module, each is as visible as it was.
  tune_function_modules_merge(&parts, module);
  assert_true(mlirOperationVerify(module));
  assert_null(tune_ir_string_attribute(find(module, "main"), "sym_visibility").data);
  assert_non_null(tune_ir_string_attribute(find(module, "task"), "sym_visibility").data);
  tune_function_modules_deinit(&parts);
  mlirOperationDestroy(module);
}

static void unknown_decisions_are_refused(void **state) {
  (void)state;
  MlirOperation module;
  assert_ok(tune_ir_parse(context,
                          "module {\n"
                          "  func.func private @f() attributes {tune.llvm.speed = 9 : i64} {\n"
                          "    return\n"
                          "  }\n"
                          "}\n",
                          "in.mlir", &module));
  tune_function_modules parts;
  tune_status status = tune_function_modules_split(module, NULL, &parts);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_non_null(strstr(tune_status_get_message(status), "in.mlir:2:3: error: tune.llvm.speed"));
  tune_status_free(status);
  mlirOperationDestroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_with_decisions_leave),
      cmocka_unit_test(without_an_entry_all_leave),
      cmocka_unit_test(unknown_decisions_are_refused),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
