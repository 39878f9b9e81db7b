//===- device_program_test.c - What a host does, written down ------------------------------===//

#include "transforms/lower/gpu/host/device_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unittests/lower/device_fixture.h"
#include "unittests/transforms/context_fixture.h"

#include <string.h>

// A program that was read again.
typedef struct program {
  char *bytes;
  size_t size;
  json_t *json;
  const char *data; // of the constants
} program;

static json_int_t sum_of(const json_t *list, const char *member) {
  json_int_t sum = 0;
  for (size_t i = 0; i < json_array_size(list); ++i)
    sum += json_integer_value(json_object_get(json_array_get(list, i), member));
  return sum;
}

static program make_program(const char *text) {
  program self;
  assert_ok(lower_for_vulkan(text, LARGE_DEVICE, TUNE_EMIT_OBJECT, &self.bytes, &self.size));
  assert_true(self.size > 12 && memcmp(self.bytes, "TUNEPRG1", 8) == 0);
  const unsigned char *word = (const unsigned char *)self.bytes + 8;
  size_t length = word[0] | (size_t)word[1] << 8 | (size_t)word[2] << 16 | (size_t)word[3] << 24;
  self.json = json_loadb(self.bytes + 12, length, 0, NULL);
  assert_non_null(self.json);
  size_t code = (size_t)sum_of(json_object_get(self.json, "modules"), "bytes");
  size_t data = (size_t)sum_of(json_object_get(self.json, "buffers"), "data");
  self.data = self.bytes + 12 + length + code;
  assert_int_equal(self.size, 12 + length + code + data);
  assert_string_equal(json_string_value(json_object_get(self.json, "target")), "vulkan");
  return self;
}

static void end_program(program *self) {
  json_decref(self->json);
  free(self->bytes);
}

static void assert_member(const program *self, const char *name, const char *expected) {
  char *text = json_dumps(json_object_get(self->json, name), JSON_COMPACT);
  assert_non_null(text);
  assert_string_equal(text, expected);
  free(text);
}

#define GENERIC(TYPE, IN, BODY)                                                                    \
  "linalg.map ins(" IN " : " TYPE ") outs(%e : " TYPE ") (%x: f32, %o: f32) {\n" BODY              \
  "    linalg.yield %r : f32\n  }\n"

static void steps_say_what_is_launched_on_what(void **state) {
  (void)state;
  program self = make_program(
      "func.func @f(%a: tensor<64x64xf32>, %s: f32) -> tensor<64x64xf32> {\n"
      "  %e = tensor.empty() : tensor<64x64xf32>\n"
      "  %0 = " GENERIC("tensor<64x64xf32>", "%a",
                        "%r = arith.mulf %x, %s : f32\n") "  return %0 : tensor<64x64xf32>\n}\n");
  assert_member(&self, "buffers", "[{\"argument\":0},{\"argument\":1},{\"result\":0}]");
  assert_member(&self, "steps",
                "[{\"launch\":\"f_kernel\",\"module\":0,\"groups\":[8,8,1],\"group_size\":[8,8,1],"
                "\"shared_bytes\":0,\"subgroup_size\":0,\"arguments\":[{\"buffer\":0},"
                "{\"buffer\":1},{\"buffer\":2,\"written\":true}]}]");
  end_program(&self);
}

static void what_is_kept_between_kernels_is_scratch(void **state) {
  (void)state;
  program self = make_program(
      "func.func @f(%a: tensor<64xf32>) -> tensor<64xf32> {\n"
      "  %e = tensor.empty() : tensor<64xf32>\n"
      "  %0 = " GENERIC(
          "tensor<64xf32>", "%a",
          "%r = arith.mulf %x, %x : f32\n") "  %t = tensor.empty() : tensor<f32>\n  %z = "
                                            "arith.constant 0.0 : f32\n"
                                            "  %f = linalg.fill ins(%z : f32) outs(%t : "
                                            "tensor<f32>) -> tensor<f32>\n"
                                            "  %s = linalg.reduce ins(%0 : tensor<64xf32>) outs(%f "
                                            ": tensor<f32>) dimensions = [0]\n"
                                            "    (%x: f32, %o: f32) {\n      %r = arith.addf %x, "
                                            "%o : f32\n      linalg.yield %r : f32\n"
                                            "    }\n"
                                            "  %1 = linalg.generic {indexing_maps = "
                                            "[affine_map<(i) -> (i)>, affine_map<(i) -> ()>,"
                                            " affine_map<(i) -> (i)>], iterator_types = "
                                            "[\"parallel\"]}"
                                            " ins(%a, %s : tensor<64xf32>, tensor<f32>) outs(%e : "
                                            "tensor<64xf32>) {\n"
                                            "  ^bb0(%x: f32, %y: f32, %o: f32):\n    %r = "
                                            "arith.divf %x, %y : f32\n"
                                            "    linalg.yield %r : f32\n  } -> tensor<64xf32>\n"
                                            "  return %1 : tensor<64xf32>\n}\n");
  const json_t *buffers = json_object_get(self.json, "buffers");
  assert_int_equal(json_array_size(json_object_get(self.json, "steps")), 4);
  assert_true(sum_of(buffers, "bytes") >= 4);
  end_program(&self);
}

static void results_have_memory_of_their_own(void **state) {
  (void)state;
  program self = make_program(
      "func.func @f(%a: tensor<64xf32> {bufferization.writable = false})"
      " -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {\n"
      "  %e = tensor.empty() : tensor<64xf32>\n"
      "  %0 = " GENERIC("tensor<64xf32>", "%a",
                        "%r = arith.mulf %x, %x : f32\n") "  return %0, %0, %a : tensor<64xf32>, "
                                                          "tensor<64xf32>, tensor<64xf32>\n}\n");
  assert_member(&self, "buffers",
                "[{\"argument\":0},{\"result\":0},{\"result\":1},{\"result\":2}]");
  const json_t *steps = json_object_get(self.json, "steps");
  assert_int_equal(json_array_size(steps), 3);
  assert_int_equal(json_integer_value(json_object_get(json_array_get(steps, 1), "copy")), 1);
  assert_int_equal(json_integer_value(json_object_get(json_array_get(steps, 2), "copy")), 0);
  assert_int_equal(json_integer_value(json_object_get(json_array_get(steps, 2), "to")), 3);
  assert_int_equal(json_integer_value(json_object_get(json_array_get(steps, 2), "bytes")), 256);
  end_program(&self);
}

static void an_argument_is_written_in_place(void **state) {
  (void)state;
  program self = make_program(
      "func.func @f(%a: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {\n"
      "  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],"
      " iterator_types = [\"parallel\"]} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) {\n"
      "  ^bb0(%x: f32, %o: f32):\n    %r = arith.addf %x, %o : f32\n    linalg.yield %r : f32\n"
      "  } -> tensor<64xf32>\n  return %0 : tensor<64xf32>\n}\n");
  assert_member(&self, "buffers", "[{\"argument\":1},{\"argument\":0}]");
  assert_int_equal(json_array_size(json_object_get(self.json, "steps")), 1);
  end_program(&self);
}

// Also nothing is a program, with the buffers that its caller looks at.
static void there_may_be_no_steps(void **state) {
  (void)state;
  program self = make_program("func.func @f(%a: memref<64xf32>) {\n  return\n}\n");
  assert_member(&self, "buffers", "[{\"argument\":0}]");
  assert_member(&self, "steps", "[]");
  end_program(&self);
}

static void constants_are_in_the_file(void **state) {
  (void)state;
  program self =
      make_program("func.func @f(%a: tensor<4xf32>, %b: tensor<4xi1>) -> tensor<4xf32> {\n"
                   "  %c = arith.constant dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xf32>\n"
                   "  %m = arith.constant dense<[true, false, false, true]> : tensor<4xi1>\n"
                   "  %e = tensor.empty() : tensor<4xf32>\n"
                   "  %0 = linalg.map ins(%a, %c, %m : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>)"
                   " outs(%e : tensor<4xf32>) (%x: f32, %y: f32, %z: i1, %o: f32) {\n"
                   "    %r = arith.select %z, %x, %y : f32\n    linalg.yield %r : f32\n  }\n"
                   "  return %0 : tensor<4xf32>\n}\n");
  assert_member(&self, "buffers",
                "[{\"argument\":0},{\"bytes\":16,\"data\":16},{\"bytes\":4,\"data\":4},"
                "{\"result\":0},{\"argument\":1}]");
  static const float NUMBERS[] = {1, 2, 4, 8};
  assert_memory_equal(self.data, NUMBERS, sizeof NUMBERS);
  assert_memory_equal(self.data + sizeof NUMBERS, "\1\0\0\1", 4);
  end_program(&self);
}

// Whole buffers are copied by the host, parts of them by kernels.
static void copies_are_steps_or_kernels(void **state) {
  (void)state;
  program self = make_program(
      "func.func @f(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<4x8xf32>) {\n"
      "  memref.copy %a, %b : memref<8x8xf32> to memref<8x8xf32>\n"
      "  %s = memref.subview %a[2, 0] [4, 8] [1, 1]"
      " : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 16>>\n"
      "  memref.copy %s, %c : memref<4x8xf32, strided<[8, 1], offset: 16>> to memref<4x8xf32>\n"
      "  return\n}\n");
  const json_t *steps = json_object_get(self.json, "steps");
  assert_int_equal(json_array_size(steps), 2);
  assert_int_equal(json_integer_value(json_object_get(json_array_get(steps, 0), "bytes")), 256);
  assert_non_null(json_object_get(json_array_get(steps, 1), "launch"));
  end_program(&self);
}

// Tasks of a whole module are functions of their own, with options of their own.
static void called_functions_are_part_of_it(void **state) {
  (void)state;
  program self = make_program(
      "func.func private @task(%a: tensor<64xf32>) -> tensor<64xf32>"
      " attributes {tune.spirv.opt = \"performance\"} {\n"
      "  %e = tensor.empty() : tensor<64xf32>\n"
      "  %0 = " GENERIC("tensor<64xf32>", "%a",
                        "%r = arith.mulf %x, %x : f32\n") "  return %0 : tensor<64xf32>\n}\n"
                                                          "func.func @main(%a: tensor<64xf32>) -> "
                                                          "tensor<64xf32> {\n"
                                                          "  %0 = call @task(%a) : "
                                                          "(tensor<64xf32>) -> tensor<64xf32>\n"
                                                          "  %1 = call @task(%0) : "
                                                          "(tensor<64xf32>) -> tensor<64xf32>\n"
                                                          "  return %1 : tensor<64xf32>\n}\n");
  assert_int_equal(json_array_size(json_object_get(self.json, "modules")), 2);
  assert_int_equal(json_array_size(json_object_get(self.json, "steps")), 2);
  end_program(&self);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_say_what_is_launched_on_what),
                                     cmocka_unit_test(what_is_kept_between_kernels_is_scratch),
                                     cmocka_unit_test(results_have_memory_of_their_own),
                                     cmocka_unit_test(an_argument_is_written_in_place),
                                     cmocka_unit_test(there_may_be_no_steps),
                                     cmocka_unit_test(constants_are_in_the_file),
                                     cmocka_unit_test(copies_are_steps_or_kernels),
                                     cmocka_unit_test(called_functions_are_part_of_it)};
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
