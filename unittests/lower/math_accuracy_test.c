//===- math_accuracy_test.c - How far math functions on vectors are off -------------===//
//
// Sweeps all of f32 in even steps of its bit patterns (so every binade, denormals,
// infinities and NaNs are met), and compares with libm's long double. The limits
// are those of docs/accuracy.md.
//
//===--------------------------------------------------------------------------===//

#include "support/string_builder.h"
#include "transforms/lower/cpu/vectors/math.h"
#include "unittests/lower/math_accuracy.h"
#include "unittests/lower/math_fixture.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What glibc says of libm and libmvec (4), rounded up.
#define LIBM_LIMIT 3
#define LIBMVEC_LIMIT 5

#define POINTS 16384

// All functions of POINTS numbers, 16 at a time (f64: 8).
static char *make_payload(const char *type, int lanes, int polynomial) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(
      &text,
      "func.func @f(%%x: memref<%dx%s>, %%y: memref<%dx%s>, %%out: memref<%zux%s>) attributes "
      "{tune.math.polynomial = %d : i64} {\n%%c0 = arith.constant 0 : index\n"
      "%%n = arith.constant %d : index\n%%step = arith.constant %d : index\n"
      "%%one = arith.constant dense<1.0> : vector<%dx%s>\n"
      "scf.for %%i = %%c0 to %%n step %%step {\n"
      "%%a = vector.load %%x[%%i] : memref<%dx%s>, vector<%dx%s>\n"
      "%%b = vector.load %%y[%%i] : memref<%dx%s>, vector<%dx%s>\n",
      POINTS, type, POINTS, type, COUNT * POINTS, type, polynomial, POINTS, lanes, lanes, type,
      POINTS, type, lanes, type, POINTS, type, lanes, type);
  for (size_t i = 0; i < COUNT; ++i) {
    for (const char *at = FUNCTIONS[i].lines; *at; ++at)
      if (*at == 'T')
        tune_string_builder_appendf(&text, "vector<%dx%s>", lanes, type);
      else if (*at == '$')
        tune_string_builder_appendf(&text, "%zu", i);
      else
        tune_string_builder_append_bytes(&text, at, 1);
    tune_string_builder_appendf(&text,
                                "\n%%k%zu = arith.constant %zu : index\n"
                                "%%p%zu = arith.addi %%i, %%k%zu : index\n"
                                "vector.store %%r%zu, %%out[%%p%zu] : memref<%zux%s>, "
                                "vector<%dx%s>\n",
                                i, i * POINTS, i, i, i, i, COUNT * POINTS, type, lanes, type);
  }
  tune_string_builder_append(&text, "}\nreturn\n}\n");
  char *payload;
  math_assert_ok(tune_string_builder_finish(&text, &payload));
  return payload;
}

static math_function load(const char *type, int lanes, int polynomial, const char *cpu) {
  char *payload = make_payload(type, lanes, polynomial);
  math_function function = math_load(payload, cpu);
  free(payload);
  return function;
}

static void call(const math_function *function, void *x, void *y, void *out) {
  math_memref in = math_describe(x, POINTS), second = math_describe(y, POINTS);
  math_memref result = math_describe(out, (int64_t)COUNT * POINTS);
  void *arguments[] = {&in, &second, &result};
  function->entry(arguments);
}

// Reports the worst, so that a failure shows all that fail.
static bool is_within(const function_row *row, const char *how, const worst *w, double limit) {
  bool within = w->error <= limit;
  print_message("%-8s %-12s %5.2f ulp at %.9g (%.9g): %.9g%s\n", row->name, how, w->error, w->x,
                w->y, w->got, within ? "" : ", which is over its limit");
  return within;
}

static double limit_of(const function_row *row, int way) {
  double composed = row->one == sigmoid_of ? 1 : 0; // more than one rounding
  if (way == 1 && row->polynomial > 0)
    return row->polynomial;
  return (way == 0 ? LIBM_LIMIT : LIBMVEC_LIMIT) + composed;
}

static const char *const WAYS[] = {"libm", "polynomials", "libmvec"};

// One sweep of f32 with steps of `step` bit patterns.
static void sweep_f32(const char *cpu, int first_way, uint32_t step) {
  static _Alignas(64) float x[POINTS], y[POINTS], out[3][COUNT * POINTS];
  math_function ways[3];
  worst all[3][COUNT] = {{{0}}};
  for (int way = first_way; way < 3; ++way)
    ways[way] = load("f32", 16, way, cpu);
  uint64_t bits = 0;
  while (bits < UINT64_C(1) << 32) {
    for (size_t i = 0; i < POINTS; ++i, bits += step) {
      uint32_t pattern = (uint32_t)bits; // wraps round: the first ones again
      memcpy(&x[i], &pattern, sizeof pattern);
      y[i] = second_operand(pattern / step);
    }
    for (int way = first_way; way < 3; ++way)
      call(&ways[way], x, y, out[way]);
    for (size_t f = 0; f < COUNT; ++f)
      for (size_t i = 0; i < POINTS; ++i) {
        const function_row *row = &FUNCTIONS[f];
        long double expected = row->one ? row->one(x[i]) : row->two(x[i], y[i]);
        for (int way = first_way; way < 3; ++way) {
          float got = out[way][f * POINTS + i];
          note_worst(&all[way][f], error_in_ulp(got, expected, FLT_MANT_DIG, FLT_MIN, FLT_MAX),
                     x[i], y[i], got);
        }
      }
  }
  bool within = true;
  for (size_t f = 0; f < COUNT; ++f)
    for (int way = first_way; way < 3; ++way)
      within &= is_within(&FUNCTIONS[f], WAYS[way], &all[way][f], limit_of(&FUNCTIONS[f], way));
  assert_true(within);
  for (int way = first_way; way < 3; ++way)
    math_unload(&ways[way]);
}

static void this_machine_is_within_limits(void **state) {
  (void)state;
  sweep_f32(NULL, 0, 16411);
}

// The functions for 8 and 4 lanes are others.
static void older_machines_are_within_limits(void **state) {
  (void)state;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    sweep_f32("x86-64-v3", 1, 65537);
  sweep_f32("x86-64", 1, 65537);
#else
  skip();
#endif
}

static void f64_is_within_limits(void **state) {
  (void)state;
  static _Alignas(64) double x[POINTS], y[POINTS], out[COUNT * POINTS];
  math_function function = load("f64", 8, 2, NULL);
  worst all[COUNT] = {{0}};
  uint64_t random = 1;
  for (size_t round = 0; round < 8; ++round) {
    for (size_t i = 0; i < POINTS; ++i) {
      random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      // Half of them all bit patterns, half of them numbers as programs have them.
      double plain = (double)(int64_t)random / 0x1p59;
      memcpy(&x[i], i % 2 ? (void *)&plain : (void *)&random, sizeof plain);
      y[i] = (double)(int32_t)(random >> 20) / 0x1p28;
    }
    call(&function, x, y, out);
    for (size_t f = 0; f < COUNT; ++f)
      for (size_t i = 0; i < POINTS; ++i) {
        const function_row *row = &FUNCTIONS[f];
        long double expected = row->one ? row->one(x[i]) : row->two(x[i], y[i]);
        double got = out[f * POINTS + i];
        note_worst(&all[f], error_in_ulp(got, expected, DBL_MANT_DIG, DBL_MIN, DBL_MAX), x[i], y[i],
                   got);
      }
  }
  bool within = true;
  for (size_t f = 0; f < COUNT; ++f)
    within &= is_within(&FUNCTIONS[f], "libmvec, f64", &all[f], limit_of(&FUNCTIONS[f], 2));
  assert_true(within);
  math_unload(&function);
}

// Each function that is approximated has a limit above, and no other has.
static void each_polynomial_has_a_limit(void **state) {
  (void)state;
  size_t limited = 0, approximated = 0;
  for (size_t f = 0; f < COUNT; ++f)
    limited += FUNCTIONS[f].polynomial > 0 && FUNCTIONS[f].one != sigmoid_of;
  for (const char *op; (op = tune_math_polynomial_op(approximated)); ++approximated) {
    size_t f = 0;
    while (f < COUNT && strcmp(FUNCTIONS[f].name, op + strlen("math.")) != 0)
      ++f;
    assert_true(f < COUNT && FUNCTIONS[f].polynomial > 0);
  }
  assert_int_equal(limited, approximated);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_polynomial_has_a_limit),
      cmocka_unit_test(this_machine_is_within_limits),
      cmocka_unit_test(older_machines_are_within_limits),
      cmocka_unit_test(f64_is_within_limits),
  };
  return cmocka_run_group_tests(tests, math_setup, math_teardown);
}
