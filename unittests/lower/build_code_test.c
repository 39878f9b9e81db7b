//===- build_code_test.c - The code that builds make, and the reference's loops ---------===//

#include "transforms/ir/ir.h"
#include "transforms/lower/cpu/reference_loops.h"
#include "unittests/lower/build_fixture.h"

static tune_status emit(const char *payload, bool plain, tune_emit kind, char **out_text) {
  tune_build_task *task = open_task(payload, NULL);
  tune_config config = {0};
  tune_code code;
  tune_status status = tune_build_task_run(task, lowering, plain ? NULL : &config, kind, &code);
  *out_text = code.bytes;
  tune_build_task_destroy(task);
  return status;
}

// Equal payloads give equal bytes, or duplicates would be measured twice.
static void code_is_deterministic(void **state) {
  (void)state;
  tune_code codes[2];
  for (int i = 0; i < 2; ++i) {
    tune_build_task *task = open_task(MATMUL, FORALL_SCHEDULE);
    tune_config config;
    assert_ok(tune_config_init_default(&config, tune_build_task_get_space(task)));
    assert_ok(tune_build_task_run(task, lowering, &config, TUNE_EMIT_OBJECT, &codes[i]));
    const tune_code_report *report = &codes[i].report;
    assert_true(report->transform > 0 && report->lower > 0 && report->optimize > 0 &&
                report->codegen > 0);
    tune_config_deinit(&config);
    tune_build_task_destroy(task);
  }
  assert_int_equal(codes[0].size, codes[1].size);
  assert_memory_equal(codes[0].bytes, codes[1].bytes, codes[0].size);
  tune_code_deinit(&codes[0]);
  tune_code_deinit(&codes[1]);
}

static void copies_with_strides_are_loops(void **state) {
  (void)state;
  static const char PAYLOAD[] =
      "func.func @f(%a: memref<64x64xf32>, %b: memref<32x32xf32>) {\n"
      "  %s = memref.subview %a[8, 8] [32, 32] [1, 1] : memref<64x64xf32> to memref<32x32xf32, "
      "strided<[64, 1], offset: 520>>\n"
      "  memref.copy %s, %b : memref<32x32xf32, strided<[64, 1], offset: 520>> to "
      "memref<32x32xf32>\n"
      "  return\n"
      "}\n";
  char *text;
  assert_ok(emit(PAYLOAD, false, TUNE_EMIT_LLVM, &text));
  assert_null(strstr(text, "memrefCopy"));
  free(text);
}

#define WITH_ATTRIBUTE(attribute)                                                                  \
  "func.func @f(%a: memref<64xf32>, %b: memref<64xf32>) attributes {" attribute "} {\n"            \
  "  linalg.add ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)\n"          \
  "  return\n"                                                                                     \
  "}\n"

static void schedules_reach_llvm_by_attributes(void **state) {
  (void)state;
  char *text;
  assert_ok(emit(WITH_ATTRIBUTE("tune.llvm.prefer_vector_width = 128 : i64"), false, TUNE_EMIT_LLVM,
                 &text));
  assert_non_null(strstr(text, "\"prefer-vector-width\"=\"128\""));
  assert_non_null(strstr(text, "<4 x float>"));
  assert_null(strstr(text, "<8 x float>"));
  free(text);
  size_t with, without;
  assert_ok(emit(WITH_ATTRIBUTE("tune.llvm.interleave = 1 : i64"), false, TUNE_EMIT_LLVM, &text));
  with = strlen(text);
  free(text);
  assert_ok(emit(WITH_ATTRIBUTE("tune.llvm.interleave = 0 : i64, tune.llvm.loop_unroll = 0 : i64"),
                 false, TUNE_EMIT_LLVM, &text));
  without = strlen(text);
  assert_true(without < with);
  free(text);
  assert_ok(emit(WITH_ATTRIBUTE("tune.llvm.opt_level = 1 : i64"), false, TUNE_EMIT_LLVM, &text));
  assert_null(strstr(text, "x float>")); // the light pipeline vectorizes nothing
  free(text);

  tune_status status =
      emit(WITH_ATTRIBUTE("tune.llvm.loop_unrol = 1 : i64"), false, TUNE_EMIT_LLVM, &text);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_non_null(strstr(
      tune_status_get_message(status),
      "tune.llvm.loop_unrol is no option of the backend, did you mean tune.llvm.loop_unroll?"));
  tune_status_free(status);
  status = emit(WITH_ATTRIBUTE("tune.llvm.opt_level = 4 : i64"), false, TUNE_EMIT_LLVM, &text);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_non_null(strstr(tune_status_get_message(status), "the value 4 is not in 0 to 3"));
  tune_status_free(status);
}

// a * b + c is one operation in a candidate, two in the reference.
static void only_candidates_contract(void **state) {
  (void)state;
  char *text;
  assert_ok(emit(MATMUL, false, TUNE_EMIT_LLVM, &text));
  assert_non_null(strstr(text, "fmul contract"));
  free(text);
  assert_ok(emit(MATMUL, true, TUNE_EMIT_LLVM, &text));
  assert_null(strstr(text, "contract"));
  assert_non_null(strstr(text, "fmul"));
  free(text);
}

static void every_kind_of_code_is_emitted(void **state) {
  (void)state;
  char *text;
  assert_ok(emit(MATMUL, false, TUNE_EMIT_MLIR, &text));
  assert_non_null(strstr(text, "llvm.func @mm"));
  free(text);
  assert_ok(emit(MATMUL, false, TUNE_EMIT_ASSEMBLY, &text));
  assert_non_null(strstr(text, "tune_entry:"));
  free(text);
  assert_ok(emit(MATMUL, false, TUNE_EMIT_OBJECT, &text));
  assert_memory_equal(text, "\177ELF", 4);
  free(text);
}

//===--------------------------------------------------------------------------===//
// The reference's loops
//===--------------------------------------------------------------------------===//

static void reference_loops_end_in_a_contiguous_dimension(void **state) {
  (void)state;
  MlirOperation module;
  assert_ok(tune_ir_parse(
      context,
      "#a = affine_map<(d0, d1, d2) -> (d0, d2)>\n"
      "#b = affine_map<(d0, d1, d2) -> (d2, d1)>\n"
      "#c = affine_map<(d0, d1, d2) -> (d0, d1)>\n"
      "#r = affine_map<(d0, d1) -> (d0, d1)>\n"
      "#s = affine_map<(d0, d1) -> (d0)>\n"
      "module {\n"
      "func.func @f(%a: memref<4x5xf32>, %b: memref<5x6xf32>, %c: memref<4x6xi64>, "
      "%d: memref<4xf32>) {\n"
      "  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = [\"parallel\", "
      "\"parallel\", \"reduction\"]} ins(%a, %b : memref<4x5xf32>, memref<5x6xf32>) outs(%c : "
      "memref<4x6xi64>) {\n"
      "  ^bb0(%x: f32, %y: f32, %z: i64):\n"
      "    %i = linalg.index 2 : index\n"
      "    %j = arith.index_cast %i : index to i64\n"
      "    %k = arith.addi %j, %z : i64\n"
      "    linalg.yield %k : i64\n"
      "  }\n"
      "  linalg.generic {indexing_maps = [#r, #s], iterator_types = [\"parallel\", "
      "\"reduction\"]} ins(%a : memref<4x5xf32>) outs(%d : memref<4xf32>) {\n"
      "  ^bb0(%x: f32, %y: f32):\n"
      "    %k = arith.addf %x, %y : f32\n"
      "    linalg.yield %k : f32\n"
      "  }\n"
      "  return\n"
      "}\n"
      "}\n",
      "p.mlir", &module));
  tune_reference_loops_order(module);
  assert_true(mlirOperationVerify(module));
  char *text;
  assert_ok(tune_ir_print(module, false, &text));
  // The matmul's loops over rows and depth, then columns; its index op follows the depth.
  assert_non_null(strstr(text, "(d0, d1, d2) -> (d0, d1)>\n"));
  assert_non_null(strstr(text, "(d0, d1, d2) -> (d1, d2)>\n"));
  assert_non_null(strstr(text, "[\"parallel\", \"reduction\", \"parallel\"]"));
  assert_non_null(strstr(text, "linalg.index 1"));
  // The row sums have no such dimension and stay.
  assert_non_null(strstr(text, "[\"parallel\", \"reduction\"]}"));
  free(text);
  mlirOperationDestroy(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(code_is_deterministic),
      cmocka_unit_test(copies_with_strides_are_loops),
      cmocka_unit_test(schedules_reach_llvm_by_attributes),
      cmocka_unit_test(only_candidates_contract),
      cmocka_unit_test(every_kind_of_code_is_emitted),
      cmocka_unit_test(reference_loops_end_in_a_contiguous_dimension),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
