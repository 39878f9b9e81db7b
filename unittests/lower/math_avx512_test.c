//===- math_avx512_test.c - Math functions by instructions of AVX-512 ---------------===//
//
// The code of them, and what they make of numbers that are no ordinary ones. How far they
// are off otherwise: math_accuracy_test.c.
//
//===--------------------------------------------------------------------------===//

#include "support/string_builder.h"
#include "unittests/lower/math_fixture.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 64

// %out = %x by `lines`, which take %a and make %r, both of vector<`length`xf32>.
static char *make_payload(const char *lines, int length) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text,
                              "func.func @f(%%x: memref<%dxf32>, %%out: memref<%dxf32>)\n"
                              "    attributes {tune.math.polynomial = 1 : i64} {\n"
                              "  %%c0 = arith.constant 0 : index\n"
                              "  %%a = vector.load %%x[%%c0] : memref<%dxf32>, vector<%dxf32>\n"
                              "  %s\n"
                              "  vector.store %%r, %%out[%%c0] : memref<%dxf32>, vector<%dxf32>\n"
                              "  return\n"
                              "}\n",
                              LANES, LANES, LANES, length, lines, LANES, length);
  char *payload;
  math_assert_ok(tune_string_builder_finish(&text, &payload));
  return payload;
}

static char *emit(const char *lines, int length) {
  char *payload = make_payload(lines, length);
  size_t size;
  char *code = math_emit(payload, "x86-64-v4", TUNE_EMIT_ASSEMBLY, &size);
  free(payload);
  return code;
}

static size_t count_of(const char *text, const char *word) {
  size_t count = 0;
  for (; (text = strstr(text, word)); text += strlen(word))
    count++;
  return count;
}

// Sixteen numbers at a time, for vectors of any number of sixteens.
static void code_is_short(void **state) {
  (void)state;
  char *code = emit("%r = math.exp %a : vector<64xf32>", 64);
  assert_int_equal(count_of(code, "\tvscalefps"), 4);
  assert_int_equal(count_of(code, "\tvfma") + count_of(code, "\tvfnma"), 4 * 7);
  assert_int_equal(count_of(code, "\tvcvttps2dq"), 0);
  free(code);
  code = emit("%r = math.erf %a : vector<32xf32>", 32);
  assert_int_equal(count_of(code, "\tvpermps"), 2 * 6);
  assert_int_equal(count_of(code, "\tvfma"), 2 * 5);
  assert_int_equal(count_of(code, "\tvdivps"), 0);
  free(code);
}

// What fills no vector is left to upstream's polynomials, never to libm.
static void rests_are_polynomials(void **state) {
  (void)state;
  char *code = emit("%r = math.exp %a : vector<24xf32>", 24);
  assert_int_equal(count_of(code, "\tvscalefps"), 0);
  assert_int_equal(count_of(code, "expf"), 0);
  assert_true(count_of(code, "\tvfma") > 0);
  free(code);
}

static bool is_runnable(void) {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

static void run(const char *lines, int length, const float *x, float *out) {
  char *payload = make_payload(lines, length);
  math_function function = math_load(payload, NULL);
  free(payload);
  math_memref in = math_describe((void *)x, LANES), to = math_describe(out, LANES);
  void *arguments[] = {&in, &to};
  function.entry(arguments);
  math_unload(&function);
}

// In every lane: the sign, where the result is no number, and the ends of the range.
static void extremes_are_those_of_libm(void **state) {
  (void)state;
  if (!is_runnable())
    skip();
  static const float NUMBERS[] = {0,        -0.0F,     INFINITY,   -INFINITY, NAN,    FLT_MAX,
                                  -FLT_MAX, 0x1p-149F, -0x1p-149F, 88.7228F,  88.73F, -87.33F,
                                  -104,     3.874F,    3.876F,     -9};
  enum { COUNT = sizeof NUMBERS / sizeof *NUMBERS };
  static _Alignas(64) float x[LANES], exps[LANES], erfs[LANES];
  for (size_t i = 0; i < LANES; ++i)
    x[i] = NUMBERS[(i + i / COUNT) % COUNT];
  run("%r = math.exp %a : vector<64xf32>", 64, x, exps);
  run("%r = math.erf %a : vector<64xf32>", 64, x, erfs);
  for (size_t i = 0; i < LANES; ++i) {
    float expected = expf(x[i]);
    if (isnan(x[i]))
      assert_true(isnan(exps[i]) && isnan(erfs[i]));
    else if (expected == 0 || isinf(expected) || expected == 1)
      assert_true(exps[i] == expected);
    else
      assert_true(fabsf(exps[i] - expected) <= 3 * 0x1p-23F * expected + 0x1p-149F);
    if (isnan(x[i]))
      continue;
    assert_true(signbit(erfs[i]) == signbit(x[i]));
    if (isinf(x[i]) || x[i] == 0)
      assert_true(erfs[i] == erff(x[i]));
    else
      assert_true(fabsf(erfs[i] - erff(x[i])) <= 3 * 0x1p-23F * fabsf(erff(x[i])) + 0x1p-149F);
  }
}

static void assert_same(float got, float expected) {
  assert_true(isnan(expected) ? isnan(got) : got == expected);
}

// Of a number and a NaN the number, on either side; of two NaNs a NaN; in vectors of each length
// that there is an instruction for, and of none.
static void extrema_are_those_of_libm(void **state) {
  (void)state;
  if (!is_runnable())
    skip();
  static const int LENGTHS[] = {4, 5, 8, 16, 32};
  static _Alignas(64) float x[LANES], most[LANES], least[LANES];
  for (size_t i = 0; i < LANES; ++i)
    x[i] = i % 5 == 0 || i % 7 == 0 ? NAN : (i % 11 == 1 ? -INFINITY : (float)(i * 37 % 64) - 30);
  for (size_t n = 0; n < sizeof LENGTHS / sizeof *LENGTHS; ++n) {
    int length = LENGTHS[n];
    char lines[2][256];
    for (int i = 0; i < 2; ++i)
      snprintf(lines[i], sizeof lines[i],
               "%%c5 = arith.constant 5 : index\n"
               "%%b = vector.load %%x[%%c5] : memref<%dxf32>, vector<%dxf32>\n"
               "%%r = arith.%snumf %%a, %%b : vector<%dxf32>",
               LANES, length, i ? "min" : "max", length);
    run(lines[0], length, x, most);
    run(lines[1], length, x, least);
    for (int i = 0; i < length; ++i) {
      assert_same(most[i], fmaxf(x[i], x[i + 5]));
      assert_same(least[i], fminf(x[i], x[i + 5]));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(code_is_short),
      cmocka_unit_test(rests_are_polynomials),
      cmocka_unit_test(extremes_are_those_of_libm),
      cmocka_unit_test(extrema_are_those_of_libm),
  };
  return cmocka_run_group_tests(tests, math_setup, math_teardown);
}
