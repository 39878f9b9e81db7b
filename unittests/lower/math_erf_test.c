//===- math_erf_test.c - erf as one fraction -------------------------------------------===//
//
// Its code, and what it makes of numbers that are no ordinary ones. How far it is off otherwise:
// math_accuracy_test.c.
//
//===------------------------------------------------------------------------------------===//

#include "unittests/lower/math_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LANES 16
#define PAYLOAD                                                                                    \
  "func.func @f(%x: memref<16xf32>, %out: memref<16xf32>)\n"                                       \
  "    attributes {tune.math.polynomial = 1 : i64} {\n"                                            \
  "  %c0 = arith.constant 0 : index\n"                                                             \
  "  %a = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>\n"                                  \
  "  %r = math.erf %a : vector<16xf32>\n"                                                          \
  "  vector.store %r, %out[%c0] : memref<16xf32>, vector<16xf32>\n"                                \
  "  return\n}\n"

static size_t count_of(const char *text, const char *word) {
  size_t count = 0;
  for (; (text = strstr(text, word)); text += strlen(word))
    count++;
  return count;
}

// Two vectors of eight: a fraction each, and nothing is selected among.
static void code_is_short(void **state) {
  (void)state;
  size_t size;
  char *code = math_emit(PAYLOAD, "x86-64-v3", TUNE_EMIT_ASSEMBLY, &size);
  assert_int_equal(count_of(code, "\tvdivps"), 2);
  assert_int_equal(count_of(code, "\tvfma"), 2 * 10);
  assert_int_equal(count_of(code, "\tvblendv"), 0);
  assert_int_equal(count_of(code, "erff"), 0);
  free(code);
}

static bool is_runnable(void) {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

static void extremes_are_those_of_libm(void **state) {
  (void)state;
  if (!is_runnable())
    skip();
  static _Alignas(64) float x[LANES] = {
      0,       -0.0F, INFINITY, -INFINITY, NAN,       3.924F,     3.926F, -3.924F,
      -3.926F, 1e30F, -1e30F,   0x1p-149F, 0x1p-126F, -0x1p-126F, 1,      -4};
  static _Alignas(64) float out[LANES];
  math_function function = math_load(PAYLOAD, "x86-64-v3");
  math_memref in = math_describe(x, LANES), to = math_describe(out, LANES);
  void *arguments[] = {&in, &to};
  function.entry(arguments);
  math_unload(&function);
  for (size_t i = 0; i < LANES; ++i) {
    float expected = erff(x[i]);
    if (isnan(x[i])) {
      assert_true(isnan(out[i]));
      continue;
    }
    assert_true(signbit(out[i]) == signbit(expected));
    assert_true(fabsf(out[i]) <= 1);
    if (isinf(x[i]) || x[i] == 0)
      assert_true(out[i] == expected);
    else
      assert_true(fabsf(out[i] - expected) <= 3 * 0x1p-23F * fabsf(expected) + 0x1p-149F);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(code_is_short),
                                     cmocka_unit_test(extremes_are_those_of_libm)};
  return cmocka_run_group_tests(tests, math_setup, math_teardown);
}
