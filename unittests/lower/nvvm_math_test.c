//===- nvvm_math_test.c - How far math functions in PTX are off -------------------------===//
//
// Lowers a kernel of all functions to PTX, runs it on the emulator, and compares with libm's long
// double. Instructions that a GPU approximates (2^x, reciprocal roots) are exact there: PTX
// promises 2 units in the last place of them, which come on top.
//
// Tier: check-all
//
//===--------------------------------------------------------------------------===//

#include "support/string_builder.h"
#include "unittests/lower/math_accuracy.h"
#include "unittests/ptx/ptx.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "unittests/lower/device_fixture.h"
#include "unittests/transforms/context_fixture.h"

#define POINTS 8192
#define GROUP 256
#define LIMIT 4 // in units in the last place

// Each invocation computes all functions of its two numbers.
static char *make_payload(void) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(
      &text,
      "func.func @f(%%x: memref<%dxf32>, %%y: memref<%dxf32>, %%out: memref<%zuxf32>) {\n"
      "%%c1 = arith.constant 1 : index\n%%groups = arith.constant %d : index\n"
      "%%size = arith.constant %d : index\n"
      "gpu.launch blocks(%%bx, %%by, %%bz) in (%%gx = %%groups, %%gy = %%c1, %%gz = %%c1)\n"
      "  threads(%%tx, %%ty, %%tz) in (%%sx = %%size, %%sy = %%c1, %%sz = %%c1) {\n"
      "%%one = arith.constant 1.0 : f32\n%%g = arith.muli %%bx, %%size : index\n"
      "%%i = arith.addi %%g, %%tx : index\n"
      "%%a = memref.load %%x[%%i] : memref<%dxf32>\n"
      "%%b = memref.load %%y[%%i] : memref<%dxf32>\n",
      POINTS, POINTS, COUNT * POINTS, POINTS / GROUP, GROUP, POINTS, POINTS);
  for (size_t i = 0; i < COUNT; ++i) {
    for (const char *at = FUNCTIONS[i].lines; *at; ++at)
      if (*at == 'T')
        tune_string_builder_append(&text, "f32");
      else if (*at == '$')
        tune_string_builder_appendf(&text, "%zu", i);
      else
        tune_string_builder_append_bytes(&text, at, 1);
    tune_string_builder_appendf(&text,
                                "\n%%k%zu = arith.constant %zu : index\n"
                                "%%p%zu = arith.addi %%i, %%k%zu : index\n"
                                "memref.store %%r%zu, %%out[%%p%zu] : memref<%zuxf32>\n",
                                i, i * POINTS, i, i, i, i, COUNT * POINTS);
  }
  tune_string_builder_append(&text, "gpu.terminator\n}\nreturn\n}\n");
  char *payload;
  assert_ok(tune_string_builder_finish(&text, &payload));
  return payload;
}

static char *make_ptx(void) {
  char *payload = make_payload(), *text;
  size_t size;
  assert_ok(lower_for_cuda(payload, TUNE_EMIT_ASSEMBLY, &text, &size));
  free(payload);
  return text;
}

typedef struct program {
  ptx_module *module;
  ptx_kernel *kernel;
  ptx_memory *memory;
  float x[POINTS], y[POINTS], out[COUNT * POINTS];
  worst worst[COUNT];
} program;

static void open_program(program *p) {
  char *text = make_ptx();
  assert_ok(ptx_module_create(text, strlen(text), &p->module));
  free(text);
  assert_ok(ptx_module_find_kernel(p->module, "f_kernel", &p->kernel));
  assert_int_equal(ptx_kernel_parameter_count(p->kernel), 3);
  assert_ok(ptx_memory_create(&p->memory));
  assert_ok(ptx_memory_add(p->memory, p->x, sizeof p->x));
  assert_ok(ptx_memory_add(p->memory, p->y, sizeof p->y));
  assert_ok(ptx_memory_add(p->memory, p->out, sizeof p->out));
}

static void close_program(program *p) {
  ptx_memory_destroy(p->memory);
  ptx_module_destroy(p->module);
}

// Turns are taken off in three parts, which are enough up to here.
#define MOST_ANGLE 0x1p16F

static bool is_periodic(const function_row *row) {
  return row->one == sinl || row->one == cosl || row->one == tanl;
}

static void run_program(program *p) {
  const void *addresses[] = {p->x, p->y, p->out};
  void *const parameters[] = {&addresses[0], &addresses[1], &addresses[2]};
  const ptx_launch launch = {.groups = {POINTS / GROUP, 1, 1},
                             .group_size = {GROUP, 1, 1},
                             .parameters = parameters,
                             .memory = p->memory};
  ptx_report report;
  assert_ok(ptx_kernel_launch(p->kernel, &launch, &report));
  for (size_t f = 0; f < COUNT; ++f)
    for (size_t i = 0; i < POINTS; ++i) {
      const function_row *row = &FUNCTIONS[f];
      if (is_periodic(row) && fabsf(p->x[i]) > MOST_ANGLE && !isinf(p->x[i]))
        continue;
      long double expected = row->one ? row->one(p->x[i]) : row->two(p->x[i], p->y[i]);
      float got = p->out[f * POINTS + i];
      note_worst(&p->worst[f], error_in_ulp(got, expected, FLT_MANT_DIG, FLT_MIN, FLT_MAX), p->x[i],
                 p->y[i], got);
    }
}

static void expect_within_limits(const program *p, const char *how) {
  size_t beyond = 0;
  for (size_t f = 0; f < COUNT; ++f) {
    const worst *w = &p->worst[f];
    bool is_within = w->error <= LIMIT;
    beyond += !is_within;
    print_message("%-8s %-8s %5.2f ulp at %.9g (%.9g): %.9g%s\n", FUNCTIONS[f].name, how, w->error,
                  w->x, w->y, w->got, is_within ? "" : ", which is over its limit");
  }
  assert_int_equal(beyond, 0);
}

// All of f32 in even steps of the bit patterns.
static void functions_are_within_limits(void **state) {
  (void)state;
  static program p;
  open_program(&p);
  const uint32_t step = 16411;
  for (uint64_t bits = 0; bits < UINT64_C(1) << 32;) {
    for (size_t i = 0; i < POINTS; ++i, bits += step) {
      uint32_t pattern = (uint32_t)bits; // wraps round: the first ones again
      memcpy(&p.x[i], &pattern, sizeof pattern);
      p.y[i] = second_operand(pattern / step);
    }
    run_program(&p);
  }
  expect_within_limits(&p, "sweep");
  close_program(&p);
}

// What polynomials and reductions of arguments easily get wrong, each with each.
static void special_numbers_are_within_limits(void **state) {
  (void)state;
  static const float SPECIAL[] = {0,
                                  1,
                                  0.5F,
                                  2,
                                  3,
                                  1.5F,
                                  10,
                                  0x1p-149F,
                                  0x1.8p-140F,
                                  0x1p-126F,
                                  0x1.fffffcp-127F,
                                  0x1p-24F,
                                  0x1p-12F,
                                  0x1.fffffep-1F,
                                  0x1.000002p0F,
                                  87,
                                  88.7F,
                                  89,
                                  103,
                                  104,
                                  126,
                                  127,
                                  128,
                                  150,
                                  1e4F,
                                  1e5F,
                                  8388609,
                                  16777215,
                                  16777216,
                                  1e10F,
                                  0x1p64F,
                                  0x1.fffffep127F,
                                  INFINITY,
                                  NAN,
                                  (float)M_PI,
                                  (float)M_PI_2};
  enum { HALF = sizeof SPECIAL / sizeof *SPECIAL, ALL = 2 * HALF };
  _Static_assert(ALL * ALL <= POINTS, "all pairs in one launch");
  static program p;
  open_program(&p);
  for (size_t i = 0; i < POINTS; ++i) {
    size_t a = i % ALL, b = i / ALL % ALL;
    p.x[i] = a < HALF ? SPECIAL[a] : -SPECIAL[a - HALF];
    p.y[i] = b < HALF ? SPECIAL[b] : -SPECIAL[b - HALF];
  }
  run_program(&p);
  expect_within_limits(&p, "special");
  close_program(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_are_within_limits),
      cmocka_unit_test(special_numbers_are_within_limits),
  };
  return cmocka_run_group_tests(tests, make_context, destroy_context);
}
