//===- rounding_errors_test.c - How far rounded products put outputs off -----===//
//
// Against the same computed here, in f64.
//
//===--------------------------------------------------------------------------===//

#include "transforms/precision/rounding_errors.h"

#include "transforms/ir/ir.h"
#include "transforms/precision/error_module.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/transforms/context_fixture.h"

enum { ROWS = 4, MIDDLE = 64, DEPTH = 72, COLUMNS = 8, PRODUCTS = 2 };

// The first product is of an image with a border, the second in a function that is called, and the
// second result none of floats.
static const char TEXT[] =
    "func.func private @second(%m: tensor<4x72xf32>, %b: tensor<72x8xf32>) -> tensor<4x8xf32> {\n"
    "  %zero = arith.constant 0.0 : f32\n"
    "  %e = tensor.empty() : tensor<4x8xf32>\n"
    "  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>\n"
    "  %r = linalg.matmul {test.product = 1} ins(%m, %b : tensor<4x72xf32>, tensor<72x8xf32>)\n"
    "    outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>\n"
    "  return %r : tensor<4x8xf32>\n"
    "}\n"
    "func.func @main(%x: tensor<4x63xf32>, %a: tensor<64x72xf32> {tune.constant},\n"
    "    %b: tensor<72x8xf32>) -> (tensor<4x8xf32>, tensor<2xi32>) {\n"
    "  %zero = arith.constant 0.0 : f32\n"
    "  %p = tensor.pad %x low[0, 1] high[0, 0] {\n"
    "  ^bb0(%i: index, %j: index):\n"
    "    tensor.yield %zero : f32\n"
    "  } : tensor<4x63xf32> to tensor<4x64xf32>\n"
    "  %e = tensor.empty() : tensor<4x72xf32>\n"
    "  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x72xf32>) -> tensor<4x72xf32>\n"
    "  %m = linalg.matmul {test.product = 0} ins(%p, %a : tensor<4x64xf32>, tensor<64x72xf32>)\n"
    "    outs(%f : tensor<4x72xf32>) -> tensor<4x72xf32>\n"
    "  %r = func.call @second(%m, %b) : (tensor<4x72xf32>, tensor<72x8xf32>) -> tensor<4x8xf32>\n"
    "  %i = arith.constant dense<7> : tensor<2xi32>\n"
    "  return %r, %i : tensor<4x8xf32>, tensor<2xi32>\n"
    "}\n";

//===- The same here ------------------------------------------------------------===//

static float x[ROWS][MIDDLE - 1], a[MIDDLE][DEPTH], b[DEPTH][COLUMNS];

static float make_number(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (float)(*state >> 8) / (float)(1 << 23) - 1;
}

static void make_numbers(void) {
  uint32_t state = 1;
  for (size_t i = 0; i < sizeof x / sizeof(float); ++i)
    ((float *)x)[i] = make_number(&state);
  for (size_t i = 0; i < sizeof a / sizeof(float); ++i)
    ((float *)a)[i] = make_number(&state);
  for (size_t i = 0; i < sizeof b / sizeof(float); ++i)
    ((float *)b)[i] = make_number(&state);
}

// To the nearest of f16 below 65504: its last digit counts 2^-24 at least.
static double round_to_f16(double value) {
  int exponent;
  frexp(value, &exponent);
  double unit = ldexp(1, exponent - 11 > -24 ? exponent - 11 : -24);
  return nearbyint(value / unit) * unit;
}

// To the nearest of bf16, and of two to the even one.
static double round_if(tune_rounded_to to, double value) {
  float number = (float)value;
  uint32_t bits;
  if (to == TUNE_ROUNDED_F16)
    return round_to_f16(value);
  if (to != TUNE_ROUNDED_BF16)
    return value;
  memcpy(&bits, &number, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
  memcpy(&number, &bits, sizeof number);
  return number;
}

// A byte times the 127th of the largest of `count` numbers, `step` from each other.
static double round_to_byte(tune_rounded_to to, const float *of, int count, int step,
                            double value) {
  double most = 0;
  for (int i = 0; i < count; ++i)
    most = fmax(most, fabs(of[i * step]));
  return to == TUNE_ROUNDED_INT8 ? nearbyint(value * 127 / most) * most / 127 : round_if(to, value);
}

static void compute(tune_rounded_to first, tune_rounded_to second, double result[ROWS][COLUMNS]) {
  for (int i = 0; i < ROWS; ++i) {
    double middle[DEPTH] = {0};
    for (int j = 0; j < DEPTH; ++j)
      for (int k = 1; k < MIDDLE; ++k)
        middle[j] += round_to_byte(first, x[i], MIDDLE - 1, 1, x[i][k - 1]) *
                     round_to_byte(first, &a[0][j], MIDDLE, DEPTH, a[k][j]);
    for (int j = 0; j < COLUMNS; ++j) {
      result[i][j] = 0;
      for (int k = 0; k < DEPTH; ++k)
        result[i][j] += round_if(second, middle[k]) * round_if(second, b[k][j]);
    }
  }
}

static double error_of(tune_rounded_to first, tune_rounded_to second) {
  double plain[ROWS][COLUMNS], rounded[ROWS][COLUMNS], off = 0, size = 0;
  compute(TUNE_ROUNDED_NOT, TUNE_ROUNDED_NOT, plain);
  compute(first, second, rounded);
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      off += pow(rounded[i][j] - plain[i][j], 2);
      size += pow(plain[i][j], 2);
    }
  return sqrt(off / size);
}

//===- Fixture ------------------------------------------------------------------===//

static void append(FILE *file, const void *bytes, size_t size) {
  assert_int_equal(fwrite(bytes, 1, size, file), size);
}

static void write_arrays(const char *path) {
  char header[512];
  int end_x = sizeof x, end_a = end_x + (int)sizeof a, end_b = end_a + (int)sizeof b;
  int length = snprintf(header, sizeof header,
                        "{\"arg0\":{\"dtype\":\"F32\",\"shape\":[4,63],\"data_offsets\":[0,%d]},"
                        "\"arg1\":{\"dtype\":\"F32\",\"shape\":[64,72],\"data_offsets\":[%d,%d]},"
                        "\"arg2\":{\"dtype\":\"F32\",\"shape\":[72,8],\"data_offsets\":[%d,%d]}}",
                        end_x, end_x, end_a, end_a, end_b);
  const uint64_t bytes = (uint64_t)length;
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  append(file, &bytes, sizeof bytes);
  append(file, header, (size_t)length);
  append(file, x, sizeof x);
  append(file, a, sizeof a);
  append(file, b, sizeof b);
  assert_int_equal(fclose(file), 0);
}

typedef struct fixture {
  MlirOperation module;
  tune_search_options options;
  tune_op_list products;
  size_t switch_of[PRODUCTS];
  tune_rounding_inputs inputs;
  tune_rounding_errors *errors;
} fixture;

static MlirWalkResult find_product(MlirOperation op, void *user_data) {
  fixture *f = user_data;
  MlirAttribute which = tune_ir_attribute(op, "test.product");
  if (mlirAttributeIsNull(which))
    return MlirWalkResultAdvance;
  f->switch_of[f->products.count] = (size_t)mlirIntegerAttrGetValueInt(which);
  tune_op_list_add(&f->products, op);
  return MlirWalkResultAdvance;
}

static tune_status open_errors(fixture *f, const char *text, const char *arrays) {
  MlirOperation function;
  *f = (fixture){.errors = NULL};
  tune_search_options_init(&f->options);
  assert_ok(tune_ir_parse(context, text, "test", &f->module));
  mlirOperationWalk(f->module, find_product, f, MlirWalkPreOrder);
  assert_ok(tune_ir_find_function(f->module, NULL, &function));
  TUNE_RETURN_IF_ERROR(tune_rounding_inputs_init(&f->inputs, function));
  if (arrays)
    TUNE_RETURN_IF_ERROR(tune_rounding_inputs_read(&f->inputs, arrays));
  const tune_rounding_errors_wanted wanted = {.module = f->module,
                                              .options = &f->options,
                                              .products = &f->products,
                                              .switch_of = f->switch_of,
                                              .switches = PRODUCTS,
                                              .sets = PRODUCTS,
                                              .inputs = &f->inputs};
  return tune_rounding_errors_open(&wanted, &f->errors);
}

static void close_errors(fixture *f) {
  tune_rounding_errors_close(f->errors);
  tune_rounding_inputs_deinit(&f->inputs);
  tune_op_list_deinit(&f->products);
  mlirOperationDestroy(f->module);
}

static void assert_near(double found, double wanted) {
  if (!(fabs(found - wanted) <= 0.02 * wanted))
    fail_msg("%g where %g is right", found, wanted);
}

//===- Tests --------------------------------------------------------------------===//

static void errors_are_those_of_rounded_factors(void **state) {
  (void)state;
  char path[] = "/tmp/rounding_errors_test_XXXXXX.safetensors";
  int descriptor = mkstemps(path, 12);
  assert_true(descriptor >= 0);
  make_numbers();
  write_arrays(path);
  fixture f;
  assert_ok(open_errors(&f, TEXT, path));
  assert_int_equal(tune_rounding_errors_get_outputs(f.errors), 1);
  const unsigned char each[] = {1, 0, 0, 1}, both[] = {1, 1, 0, 0}, f16[] = {2, 0, 2, 2},
                      bytes[] = {3, 0, 0, 3};
  double found[PRODUCTS];
  assert_ok(tune_rounding_errors_run(f.errors, each, 2, found));
  assert_near(found[0], error_of(1, 0));
  assert_near(found[1], error_of(0, 1));
  // The same build, run again.
  assert_ok(tune_rounding_errors_run(f.errors, both, 2, found));
  assert_near(found[0], error_of(1, 1));
  assert_true(found[1] == 0);
  assert_ok(tune_rounding_errors_run(f.errors, f16, 2, found));
  assert_near(found[0], error_of(TUNE_ROUNDED_F16, 0));
  assert_near(found[1], error_of(TUNE_ROUNDED_F16, TUNE_ROUNDED_F16));
  // The second has too few columns for bytes: nothing is known of it as such.
  assert_ok(tune_rounding_errors_run(f.errors, bytes, 2, found));
  assert_near(found[0], error_of(TUNE_ROUNDED_INT8, 0));
  assert_true(isinf(found[1]));
  close_errors(&f);
  unlink(path);
}

// Of random inputs nobody knows the errors here, but that there are some.
static void inputs_need_not_be_given(void **state) {
  (void)state;
  fixture f;
  assert_ok(open_errors(&f, TEXT, NULL));
  const unsigned char each[] = {1, 0, 0, 1};
  double found[PRODUCTS];
  assert_ok(tune_rounding_errors_run(f.errors, each, 2, found));
  for (int i = 0; i < PRODUCTS; ++i)
    assert_true(found[i] > 1e-4 && found[i] < 1e-2);
  close_errors(&f);
}

// One product is written to an argument, one has sizes that are not known inside; of what the
// module allows the one the other is not allowed it, and a result is a number.
static void other_forms_of_functions_are_taken(void **state) {
  (void)state;
  static const char text[] =
      "func.func private @half(%m: tensor<4x48xf32>, %b: tensor<48x8xf32>, %n: index)\n"
      "    -> tensor<4x8xf32> {\n"
      "  %zero = arith.constant 0.0 : f32\n"
      "  %p = tensor.extract_slice %m[0, 0] [%n, 48] [1, 1]\n"
      "    : tensor<4x48xf32> to tensor<?x48xf32>\n"
      "  %e = tensor.empty(%n) : tensor<?x8xf32>\n"
      "  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>\n"
      "  %r = linalg.matmul {test.product = 1} ins(%p, %b : tensor<?x48xf32>, tensor<48x8xf32>)\n"
      "    outs(%f : tensor<?x8xf32>) -> tensor<?x8xf32>\n"
      "  %c = tensor.cast %r : tensor<?x8xf32> to tensor<4x8xf32>\n"
      "  return %c : tensor<4x8xf32>\n"
      "}\n"
      "func.func @main(%x: tensor<4x64xf32>, %a: tensor<64x48xf32>, %b: tensor<48x8xf32>,\n"
      "    %into: tensor<4x48xf32>) -> (tensor<4x48xf32>, tensor<4x8xf32>, f32)\n"
      "    attributes {tune.allow = [\"bf16\"]} {\n"
      "  %four = arith.constant 4 : index\n"
      "  %c0 = arith.constant 0 : index\n"
      "  %m = linalg.matmul ins(%x, %a : tensor<4x64xf32>, tensor<64x48xf32>)\n"
      "    outs(%into : tensor<4x48xf32>) -> tensor<4x48xf32>\n"
      "  %r = func.call @half(%m, %b, %four)\n"
      "    : (tensor<4x48xf32>, tensor<48x8xf32>, index) -> tensor<4x8xf32>\n"
      "  %s = tensor.extract %r[%c0, %c0] : tensor<4x8xf32>\n"
      "  return %m, %r, %s : tensor<4x48xf32>, tensor<4x8xf32>, f32\n"
      "}\n";
  fixture f;
  assert_ok(open_errors(&f, text, NULL));
  assert_int_equal(tune_rounding_errors_get_outputs(f.errors), 3);
  const unsigned char each[] = {1, 0, 0, 1};
  double found[PRODUCTS];
  assert_ok(tune_rounding_errors_run(f.errors, each, 2, found));
  assert_true(found[0] == 0);
  assert_true(found[1] > 1e-4 && found[1] < 0.1);
  close_errors(&f);
}

// -1e300 stands for what is masked.
static void what_cannot_be_compared_is_off_by_anything(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%a: tensor<4x64xf32>, %b: tensor<64x8xf32>)\n"
      "    -> (tensor<4x64xf64>, tensor<4x8xf32>) {\n"
      "  %zero = arith.constant 0.0 : f32\n"
      "  %large = arith.constant -1.0e300 : f64\n"
      "  %e = tensor.empty() : tensor<4x64xf64>\n"
      "  %y = linalg.fill ins(%large : f64) outs(%e : tensor<4x64xf64>) -> tensor<4x64xf64>\n"
      "  %g = tensor.empty() : tensor<4x8xf32>\n"
      "  %f = linalg.fill ins(%zero : f32) outs(%g : tensor<4x8xf32>) -> tensor<4x8xf32>\n"
      "  %m = linalg.matmul {test.product = 0} ins(%a, %b : tensor<4x64xf32>, tensor<64x8xf32>)\n"
      "    outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>\n"
      "  return %y, %m : tensor<4x64xf64>, tensor<4x8xf32>\n"
      "}\n";
  fixture f;
  assert_ok(open_errors(&f, text, NULL));
  const unsigned char each[] = {1, 0};
  double found[1];
  assert_ok(tune_rounding_errors_run(f.errors, each, 1, found));
  assert_true(isinf(found[0]));
  close_errors(&f);
}

// Zeroes times anything say nothing of how far others would be off.
static void zeroes_say_nothing(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%a: tensor<4x64xf32>) -> (tensor<4x8xf32>, f32) {\n"
      "  %zero = arith.constant 0.0 : f32\n"
      "  %e = tensor.empty() : tensor<64x8xf32>\n"
      "  %b = linalg.fill ins(%zero : f32) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>\n"
      "  %g = tensor.empty() : tensor<4x8xf32>\n"
      "  %f = linalg.fill ins(%zero : f32) outs(%g : tensor<4x8xf32>) -> tensor<4x8xf32>\n"
      "  %m = linalg.matmul {test.product = 0} ins(%a, %b : tensor<4x64xf32>, tensor<64x8xf32>)\n"
      "    outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>\n"
      "  return %m, %zero : tensor<4x8xf32>, f32\n"
      "}\n";
  fixture f;
  assert_ok(open_errors(&f, text, NULL));
  MlirOperation function;
  assert_ok(tune_ir_find_function(f.module, NULL, &function));
  assert_ok(tune_error_module_check(function)); // numbers that it gives are no hindrance
  const unsigned char each[] = {1, 0};
  double found[1];
  assert_ok(tune_rounding_errors_run(f.errors, each, 1, found));
  assert_true(isinf(found[0]));
  close_errors(&f);
}

static void assert_refused(const char *text, const char *why) {
  fixture f;
  tune_status status = open_errors(&f, text, NULL);
  assert_int_equal(tune_status_get_code(status), TUNE_FAILED_PRECONDITION);
  assert_non_null(strstr(tune_status_get_message(status), why));
  tune_status_free(status);
  close_errors(&f);
}

static void functions_that_it_is_not_for_are_refused(void **state) {
  (void)state;
  assert_refused("func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {\n"
                 "  return %x : tensor<?x8xf32>\n"
                 "}\n",
                 "whose sizes are all known, and those of argument 0 are not");
  assert_refused("func.func @main(%x: tensor<8xi32>) -> tensor<8xi32> {\n"
                 "  return %x : tensor<8xi32>\n"
                 "}\n",
                 "that have a result of floats");
  assert_refused("func.func @main(%x: memref<8xf32>) {\n"
                 "  return\n"
                 "}\n",
                 "of tensors and numbers, and argument 0 is another");
  assert_refused("func.func private @f(%x: tensor<8xf32>) -> tensor<8xf32>\n"
                 "    attributes {no_inline} {\n"
                 "  return %x : tensor<8xf32>\n"
                 "}\n"
                 "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                 "  %y = func.call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>\n"
                 "  return %y : tensor<8xf32>\n"
                 "}\n",
                 "whose calls can be inlined");
  assert_refused("func.func @main(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {\n"
                 "  cf.cond_br %c, ^a, ^b\n"
                 "^a:\n"
                 "  return %x : tensor<8xf32>\n"
                 "^b:\n"
                 "  return %x : tensor<8xf32>\n"
                 "}\n",
                 "of one block");
}

static int set_up(void **state) {
  char *path;
  if (asprintf(&path, "%s:%s", TUNE_PROGRAMS_DIR, getenv("PATH")) < 0)
    return -1;
  setenv("PATH", path, 1);
  free(path);
  return make_context(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_are_those_of_rounded_factors),
      cmocka_unit_test(inputs_need_not_be_given),
      cmocka_unit_test(other_forms_of_functions_are_taken),
      cmocka_unit_test(what_cannot_be_compared_is_off_by_anything),
      cmocka_unit_test(zeroes_say_nothing),
      cmocka_unit_test(functions_that_it_is_not_for_are_refused),
  };
  return cmocka_run_group_tests(tests, set_up, destroy_context);
}
