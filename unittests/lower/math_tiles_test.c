//===- math_tiles_test.c - What arithmetic on a tile becomes, and its values there --===//

#include "transforms/ir/ir.h"
#include "transforms/lower/common/math_calls.h"
#include "transforms/lower/cpu/vectors/math.h"
#include "unittests/lower/math_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===--------------------------------------------------------------------------===//
// The code
//===--------------------------------------------------------------------------===//

// `lines` compute %r, a vector<8x32xf32>, from %a and %b of that type; free() the payload.
static char *make_tile(const char *lines, int polynomial) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(
      &text,
      "func.func @f(%%x: memref<8x32xf32>, %%y: memref<8x32xf32>, %%out: memref<8x32xf32>)\n"
      "    attributes {tune.math.polynomial = %d : i64} {\n"
      "  %%c0 = arith.constant 0 : index\n"
      "  %%p = arith.constant 0.0 : f32\n"
      "  %%a = vector.transfer_read %%x[%%c0, %%c0], %%p {in_bounds = [true, true]}\n"
      "    : memref<8x32xf32>, vector<8x32xf32>\n"
      "  %%b = vector.transfer_read %%y[%%c0, %%c0], %%p {in_bounds = [true, true]}\n"
      "    : memref<8x32xf32>, vector<8x32xf32>\n"
      "  %s\n"
      "  vector.transfer_write %%r, %%out[%%c0, %%c0] {in_bounds = [true, true]}\n"
      "    : vector<8x32xf32>, memref<8x32xf32>\n"
      "  return\n"
      "}\n",
      polynomial, lines);
  char *payload;
  math_assert_ok(tune_string_builder_finish(&text, &payload));
  return payload;
}

static char *emit_tile(const char *lines, int polynomial, const char *cpu, tune_emit emit) {
  char *payload = make_tile(lines, polynomial);
  size_t size;
  char *code = math_emit(payload, cpu, emit, &size);
  free(payload);
  return code;
}

static size_t count_of(const char *text, const char *word) {
  size_t count = 0;
  for (; (text = strstr(text, word)); text += strlen(word))
    count++;
  return count;
}

#define EXP "%r = math.exp %a : vector<8x32xf32>"

// 0 calls libm for each element, 1 calls nothing, 2 calls libmvec for as many as its widest
// function takes.
static void three_ways_to_a_function(void **state) {
  (void)state;
  char *code = emit_tile(EXP, 0, "x86-64-v4", TUNE_EMIT_MLIR);
  assert_int_equal(count_of(code, "llvm.call @expf"), 256);
  free(code);
  code = emit_tile(EXP, 1, "x86-64-v4", TUNE_EMIT_MLIR);
  assert_int_equal(count_of(code, "exp"), 0);
  free(code);
  code = emit_tile(EXP, 2, "x86-64-v4", TUNE_EMIT_MLIR);
  assert_int_equal(count_of(code, "llvm.call @_ZGVeN16v_expf"), 16);
  free(code);
  code = emit_tile(EXP, 2, "x86-64-v3", TUNE_EMIT_MLIR);
  assert_int_equal(count_of(code, "llvm.call @_ZGVdN8v_expf"), 32);
  free(code);
  // Polynomials need fused products, which this CPU lacks.
  code = emit_tile(EXP, 1, "x86-64", TUNE_EMIT_MLIR);
  assert_int_equal(count_of(code, "llvm.call @_ZGVbN4v_expf"), 64);
  free(code);
}

// What upstream approximates badly is taken from libmvec where approximations are asked for.
static void bad_approximations_are_refused(void **state) {
  (void)state;
  char *code = emit_tile("%r = math.sin %a : vector<8x32xf32>", 1, "x86-64-v4", TUNE_EMIT_MLIR);
  assert_int_equal(count_of(code, "llvm.call @_ZGVeN16v_sinf"), 16);
  free(code);
  code = emit_tile("%r = math.atan2 %a, %b : vector<8x32xf32>", 1, "x86-64-v4", TUNE_EMIT_MLIR);
  assert_int_equal(count_of(code, "llvm.call @_ZGVeN16vv_atan2f"), 16);
  free(code);
}

// Only libraries with glibc's names are called by them.
static void libmvec_is_glibcs(void **state) {
  (void)state;
  assert_true(tune_math_calls_has_vector_library("x86_64-pc-linux-gnu"));
  assert_true(tune_math_calls_has_vector_library("x86_64-unknown-linux-gnu"));
  assert_false(tune_math_calls_has_vector_library("x86_64-alpine-linux-musl"));
  assert_false(tune_math_calls_has_vector_library("aarch64-unknown-linux-gnu"));
  assert_false(tune_math_calls_has_vector_library("x86_64-pc-windows-gnu"));
}

// Small powers are products where functions are approximated.
static void small_powers_are_products(void **state) {
  (void)state;
  char *code = emit_tile("%two = arith.constant dense<2.0> : vector<8x32xf32>\n"
                         "%r = math.powf %a, %two : vector<8x32xf32>",
                         1, "x86-64-v4", TUNE_EMIT_MLIR);
  assert_int_equal(count_of(code, "pow"), 0);
  assert_int_equal(count_of(code, "llvm.fmul"), 8);
  free(code);
}

// All of a row is computed before any of the next, so that it can stay in registers.
static void rows_follow_each_other(void **state) {
  (void)state;
  char *code = emit_tile("%s = arith.addf %a, %b : vector<8x32xf32>\n"
                         "%t = arith.mulf %s, %s : vector<8x32xf32>\n"
                         "%r = arith.subf %t, %b : vector<8x32xf32>",
                         0, "x86-64-v4", TUNE_EMIT_MLIR);
  const char *at = code;
  for (size_t row = 0; row < 8; ++row) {
    const char *sum = strstr(at, "llvm.fadd"), *product = strstr(at, "llvm.fmul");
    const char *difference = strstr(at, "llvm.fsub");
    assert_true(sum && product && difference && sum < product && product < difference);
    at = difference + 1;
    sum = strstr(at, "llvm.fadd");
    assert_true(row == 7 ? !sum : sum > difference);
  }
  free(code);
}

// A maximum that keeps NaNs takes three instructions, not six and no branch.
static void maxima_are_short(void **state) {
  (void)state;
  char *code = emit_tile("%r = arith.maximumf %a, %b : vector<8x32xf32>", 0, "x86-64-v4",
                         TUNE_EMIT_ASSEMBLY);
  assert_int_equal(count_of(code, "\tvmaxps"), 16);
  assert_int_equal(count_of(code, "\tvcmpunordps"), 16);
  assert_int_equal(count_of(code, "\tvpmovd2m"), 0);
  free(code);
  code = emit_tile("%row = vector.extract %a[0] : vector<32xf32> from vector<8x32xf32>\n"
                   "%m = vector.reduction <maximumf>, %row : vector<32xf32> into f32\n"
                   "%r = vector.broadcast %m : f32 to vector<8x32xf32>",
                   0, "x86-64-v4", TUNE_EMIT_ASSEMBLY);
  assert_in_range(count_of(code, "\tvmaxps") + count_of(code, "\tvmaxss"), 5, 6);
  assert_int_equal(count_of(code, "\tvpmovd2m"), 0);
  free(code);
  // Of 32 elements five halves, not 31 steps; softmax has this kind.
  code = emit_tile("%row = vector.extract %a[0] : vector<32xf32> from vector<8x32xf32>\n"
                   "%m = vector.reduction <maxnumf>, %row : vector<32xf32> into f32\n"
                   "%r = vector.broadcast %m : f32 to vector<8x32xf32>",
                   0, "x86-64-v4", TUNE_EMIT_ASSEMBLY);
  assert_int_equal(count_of(code, "\tvrangeps"), 3); // one instruction, of 4 lanes and more
  assert_int_equal(count_of(code, "\tvmaxps") + count_of(code, "\tvmaxss"), 2);
  free(code);
}

// Rectifying is one comparison and one masked move.
static void rectifiers_are_short(void **state) {
  (void)state;
  char *code = emit_tile("%z = arith.constant dense<0.0> : vector<8x32xf32>\n"
                         "%c = arith.cmpf ugt, %a, %z : vector<8x32xf32>\n"
                         "%r = arith.select %c, %a, %z : vector<8x32xi1>, vector<8x32xf32>",
                         0, "x86-64-v4", TUNE_EMIT_ASSEMBLY);
  assert_int_equal(count_of(code, "\tvcmp") + count_of(code, "\tvmaxps"), 16);
  free(code);
}

// One number divides by its reciprocal where functions are approximated, and only there.
static void one_divisor_is_a_reciprocal(void **state) {
  (void)state;
  static const char LINES[] = "%n = memref.load %x[%c0, %c0] : memref<8x32xf32>\n"
                              "%d = vector.broadcast %n : f32 to vector<8x32xf32>\n"
                              "%r = arith.divf %a, %d : vector<8x32xf32>";
  static const char CONSTANT[] = "%d = arith.constant dense<3.0> : vector<8x32xf32>\n"
                                 "%r = arith.divf %a, %d : vector<8x32xf32>";
  // Its reciprocal is infinite.
  static const char TINY[] = "%d = arith.constant dense<1.0e-40> : vector<8x32xf32>\n"
                             "%r = arith.divf %a, %d : vector<8x32xf32>";
  const struct {
    const char *lines;
    int polynomial;
    size_t vector_divisions;
  } cases[] = {{LINES, 0, 8}, {LINES, 1, 0}, {CONSTANT, 0, 8}, {CONSTANT, 1, 0}, {TINY, 1, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char *code = emit_tile(cases[i].lines, cases[i].polynomial, NULL, TUNE_EMIT_MLIR);
    size_t all = count_of(code, "llvm.fdiv"), single = 0;
    for (const char *at = code; (at = strstr(at, "llvm.fdiv")); ++at) {
      const char *type = strchr(at, ':');
      single += type && strncmp(type, ": f32", 5) == 0;
    }
    assert_int_equal(all - single, cases[i].vector_divisions);
    free(code);
  }
}

//===--------------------------------------------------------------------------===//
// Values
//===--------------------------------------------------------------------------===//

// Calls the function of `lines`, as make_tile takes them, on `a` and `b`.
static void run_tile(const char *lines, int polynomial, const char *cpu, const float *a,
                     const float *b, float *out) {
  struct {
    void *allocated, *aligned;
    int64_t offset, sizes[2], strides[2];
  } x = {(void *)a, (void *)a, 0, {8, 32}, {32, 1}}, y = x, z = x;
  y.allocated = y.aligned = (void *)b;
  z.allocated = z.aligned = out;
  char *payload = make_tile(lines, polynomial);
  math_function function = math_load(payload, cpu);
  void *arguments[] = {&x, &y, &z};
  function.entry(arguments);
  math_unload(&function);
  free(payload);
}

// A maximum or minimum with a NaN is a NaN, on either side.
static void maxima_keep_nans(void **state) {
  (void)state;
  static _Alignas(64) float a[256], b[256], out[256];
  for (size_t i = 0; i < 256; ++i) {
    a[i] = i % 5 == 0 ? NAN : (i % 7 == 0 ? -INFINITY : (float)i - 100);
    b[i] = i % 3 == 0 ? NAN : (i % 11 == 0 ? INFINITY : 50 - (float)i);
  }
  run_tile("%r = arith.maximumf %a, %b : vector<8x32xf32>", 1, NULL, a, b, out);
  for (size_t i = 0; i < 256; ++i)
    assert_true(isnan(a[i]) || isnan(b[i]) ? isnan(out[i]) : out[i] == fmaxf(a[i], b[i]));
  run_tile("%r = arith.minimumf %a, %b : vector<8x32xf32>", 1, NULL, a, b, out);
  for (size_t i = 0; i < 256; ++i)
    assert_true(isnan(a[i]) || isnan(b[i]) ? isnan(out[i]) : out[i] == fminf(a[i], b[i]));
}

// So do reductions of any length, with a start or without; those of the other kind take no notice
// of NaNs, which are in every place once.
static void reduced_maxima_keep_nans(void **state) {
  (void)state;
  static _Alignas(64) float a[256], b[256], out[256];
  for (size_t nan_at = 0; nan_at <= 13; ++nan_at) {
    for (size_t i = 0; i < 256; ++i)
      a[i] = b[i] = i == nan_at ? NAN : (float)((i * 7) % 13) - 20;
    run_tile("%row = vector.extract %a[0] : vector<32xf32> from vector<8x32xf32>\n"
             "%part = vector.extract_strided_slice %row {offsets = [0], sizes = [13], "
             "strides = [1]} : vector<32xf32> to vector<13xf32>\n"
             "%start = arith.constant -15.0 : f32\n"
             "%max = vector.reduction <maximumf>, %part, %start : vector<13xf32> into f32\n"
             "%min = vector.reduction <minimumf>, %part, %start : vector<13xf32> into f32\n"
             "%maxnum = vector.reduction <maxnumf>, %part : vector<13xf32> into f32\n"
             "%minnum = vector.reduction <minnumf>, %part : vector<13xf32> into f32\n"
             "%r0 = vector.broadcast %p : f32 to vector<8x32xf32>\n"
             "%r1 = vector.insert %max, %r0[0, 0] : f32 into vector<8x32xf32>\n"
             "%r2 = vector.insert %min, %r1[0, 1] : f32 into vector<8x32xf32>\n"
             "%r3 = vector.insert %maxnum, %r2[0, 2] : f32 into vector<8x32xf32>\n"
             "%r = vector.insert %minnum, %r3[0, 3] : f32 into vector<8x32xf32>",
             1, NULL, a, b, out);
    float most = -INFINITY, least = INFINITY;
    for (size_t i = 0; i < 13; ++i) {
      most = fmaxf(most, a[i]);
      least = fminf(least, a[i]);
    }
    assert_true(nan_at < 13 ? isnan(out[0]) : out[0] == fmaxf(most, -15));
    assert_true(nan_at < 13 ? isnan(out[1]) : out[1] == fminf(least, -15));
    assert_true(out[2] == most);
    assert_true(out[3] == least);
  }
}

// Quotients by a reciprocal are off by 1.5 units in the last place at most.
static void reciprocals_are_near(void **state) {
  (void)state;
  static _Alignas(64) float a[256], b[256], out[256];
  for (size_t i = 0; i < 256; ++i)
    a[i] = b[i] = 1 + (float)i * 0.37F;
  run_tile("%n = memref.load %x[%c0, %c0] : memref<8x32xf32>\n"
           "%seven = arith.constant 7.1 : f32\n"
           "%m = arith.addf %n, %seven : f32\n"
           "%d = vector.broadcast %m : f32 to vector<8x32xf32>\n"
           "%r = arith.divf %b, %d : vector<8x32xf32>",
           1, NULL, a, b, out);
  for (size_t i = 0; i < 256; ++i) {
    double expected = (double)b[i] / (double)(a[0] + 7.1F);
    int exponent;
    frexp(expected, &exponent);
    assert_true(fabs(out[i] - expected) <= 1.5 * ldexp(1, exponent - 24));
  }
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// Where the CPU does not round to bf16, integer operations do, as exactly; no element is rounded by
// a call.
static void bf16_is_rounded_in_vectors(void **state) {
  (void)state;
  static const char LINES[] = "%t = arith.truncf %a : vector<8x32xf32> to vector<8x32xbf16>\n"
                              "%r = arith.extf %t : vector<8x32xbf16> to vector<8x32xf32>";
  static const char SUM[] = "%t = arith.truncf %a : vector<8x32xf32> to vector<8x32xbf16>\n"
                            "%s = arith.addf %t, %t : vector<8x32xbf16>\n"
                            "%u = math.exp %s : vector<8x32xbf16>\n"
                            "%r = arith.extf %u : vector<8x32xbf16> to vector<8x32xf32>";
  static const char *const CPUS[] = {"x86-64", "x86-64-v3", "x86-64-v4"};
  for (size_t i = 0; i < sizeof CPUS / sizeof *CPUS; ++i) {
    char *code = emit_tile(SUM, 2, CPUS[i], TUNE_EMIT_ASSEMBLY);
    assert_int_equal(count_of(code, "__truncsfbf2"), 0);
    free(code);
  }
  char *native = emit_tile(LINES, 0, "znver4", TUNE_EMIT_ASSEMBLY);
  assert_int_equal(count_of(native, "\tvcvtneps2bf16"), 16);
  free(native);
#ifdef __x86_64__
  static _Alignas(64) float a[256], out[256];
  for (size_t i = 0; i < 256; ++i) {
    // Ties, what is next to them, overflow to infinity, denormals, all kinds of NaN.
    static const uint32_t BITS[] = {0x3f808000, 0x3f818000, 0x3f807fff, 0x3f808001, 0x7f7fffff,
                                    0xff7fffff, 0x00008001, 0x00018000, 0x7fffffff, 0xffffffff,
                                    0x7f800001, 0xff800001, 0x7f800000, 0xff800000, 0x80000000};
    uint32_t bits = i < sizeof BITS / sizeof *BITS ? BITS[i] : (uint32_t)i * 2654435761U;
    memcpy(&a[i], &bits, sizeof bits);
  }
  run_tile(LINES, 0, "x86-64", a, a, out);
  for (size_t i = 0; i < 256; ++i) {
    uint32_t from = bits_of(a[i]), got = bits_of(out[i]);
    if (isnan(a[i])) {
      assert_true(isnan(out[i]));
      continue;
    }
    uint32_t expected = (from + 0x7fff + (from >> 16 & 1)) & 0xffff0000;
    if (got != expected)
      fail_msg("%08x is rounded to %08x, not %08x", from, got, expected);
  }
#endif
}

//===--------------------------------------------------------------------------===//
// Options
//===--------------------------------------------------------------------------===//

static void assert_refused(const char *attribute, const char *message) {
  char payload[256];
  snprintf(payload, sizeof payload,
           "module { func.func @f(%%x: memref<4xf32>) attributes {%s} { return } }", attribute);
  tune_status status = math_try(payload, NULL);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  if (!strstr(tune_status_get_message(status), message))
    fail_msg("\"%s\" is not in \"%s\"", message, tune_status_get_message(status));
  assert_non_null(strstr(tune_status_get_message(status), "p.mlir:1:10: error: "));
  tune_status_free(status);
}

static void wrong_options_are_refused(void **state) {
  (void)state;
  assert_refused("tune.math.polynomials = 1 : i64",
                 "tune.math.polynomials: no such option of the lowering of math; there is "
                 "polynomial");
  assert_refused("tune.math.polynomial = 3 : i64",
                 "tune.math.polynomial: the value 3 is not in 0 to 2");
  assert_refused("tune.math.polynomial = -1 : i64", "the value -1 is not in 0 to 2");
  assert_refused("tune.math.polynomial = \"fast\"", "tune.math.polynomial: expected an integer");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_ways_to_a_function),  cmocka_unit_test(bad_approximations_are_refused),
      cmocka_unit_test(libmvec_is_glibcs),         cmocka_unit_test(small_powers_are_products),
      cmocka_unit_test(rows_follow_each_other),    cmocka_unit_test(maxima_are_short),
      cmocka_unit_test(rectifiers_are_short),      cmocka_unit_test(one_divisor_is_a_reciprocal),
      cmocka_unit_test(maxima_keep_nans),          cmocka_unit_test(reduced_maxima_keep_nans),
      cmocka_unit_test(reciprocals_are_near),      cmocka_unit_test(bf16_is_rounded_in_vectors),
      cmocka_unit_test(wrong_options_are_refused),
  };
  return cmocka_run_group_tests(tests, math_setup, math_teardown);
}
