//===- math_test.c - Arithmetic on vectors computes what it does on scalars ---------===//

#include "transforms/ir/ir.h"
#include "transforms/lower/common/math_calls.h"
#include "transforms/lower/cpu/math.h"
#include "unittests/transforms/math_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===--------------------------------------------------------------------------===//
// All ops
//===--------------------------------------------------------------------------===//

// Lines of MLIR that compute %r from %a, %b and %c. T stands for their type, B for i1 of the same
// shape, W and N for a wider and a narrower type, I for an integer type of T's width; $ makes names
// of values unique.
static const char *const FLOAT_EXPRESSIONS[] = {
    "%r$ = arith.addf %a, %b : T",
    "%r$ = arith.subf %a, %b : T",
    "%r$ = arith.mulf %a, %b : T",
    "%r$ = arith.divf %a, %b : T",
    "%r$ = arith.remf %a, %b : T",
    "%r$ = arith.negf %a : T",
    "%r$ = arith.maximumf %a, %b : T",
    "%r$ = arith.minimumf %a, %b : T",
    "%r$ = arith.maxnumf %a, %b : T",
    "%r$ = arith.minnumf %a, %b : T",
    "%t$ = arith.cmpf ugt, %a, %b : T\n%r$ = arith.select %t$, %a, %c : B, T",
    "%t$ = arith.cmpf olt, %a, %b : T\n%r$ = arith.select %t$, %a, %c : B, T",
    "%r$ = arith.select %scalar, %a, %c : T",
    "%t$ = arith.extf %a : T to W\n%s$ = arith.mulf %t$, %t$ : W\n%r$ = arith.truncf %s$ : W to T",
    "%t$ = arith.fptosi %c : T to I\n%r$ = arith.sitofp %t$ : I to T",
    "%s$ = math.absf %c : T\n%t$ = arith.fptoui %s$ : T to I\n%r$ = arith.uitofp %t$ : I to T",
    "%t$ = arith.bitcast %a : T to I\n%s$ = arith.bitcast %t$ : I to T\n%r$ = arith.negf %s$ : T",
    "%t$ = arith.truncf %a : T to N\n%r$ = arith.extf %t$ : N to T",
    "%r$ = math.absf %a : T",
    "%r$ = math.copysign %a, %b : T",
    "%r$ = math.floor %a : T",
    "%r$ = math.ceil %a : T",
    "%r$ = math.round %a : T",
    "%r$ = math.roundeven %a : T",
    "%r$ = math.trunc %a : T",
    "%r$ = math.fma %a, %b, %c : T",
    "%s$ = math.absf %a : T\n%r$ = math.sqrt %s$ : T",
    "%s$ = math.absf %b : T\n%r$ = math.rsqrt %s$ : T",
    "%r$ = math.acos %a : T",
    "%r$ = math.asin %a : T",
    "%r$ = math.atan %a : T",
    "%r$ = math.atan2 %a, %b : T",
    "%r$ = math.cbrt %a : T",
    "%r$ = math.cos %a : T",
    "%r$ = math.cosh %a : T",
    "%r$ = math.erf %a : T",
    "%r$ = math.erfc %a : T",
    "%r$ = math.exp %a : T",
    "%r$ = math.exp2 %a : T",
    "%r$ = math.expm1 %a : T",
    "%s$ = math.absf %b : T\n%r$ = math.log %s$ : T",
    "%s$ = math.absf %b : T\n%r$ = math.log10 %s$ : T",
    "%s$ = math.absf %b : T\n%r$ = math.log1p %s$ : T",
    "%s$ = math.absf %b : T\n%r$ = math.log2 %s$ : T",
    "%s$ = math.absf %b : T\n%r$ = math.powf %s$, %a : T",
    "%r$ = math.sin %a : T",
    "%r$ = math.sinh %a : T",
    "%r$ = math.tan %a : T",
    "%r$ = math.tanh %a : T",
    "%r$ = math.asinh %a : T",
    "%s$ = math.exp %a : T\n%r$ = math.acosh %s$ : T",
    "%s$ = math.tanh %a : T\n%r$ = math.atanh %s$ : T",
};
#define FLOAT_COUNT (sizeof FLOAT_EXPRESSIONS / sizeof *FLOAT_EXPRESSIONS)

static const char *const INTEGER_EXPRESSIONS[] = {
    "%r$ = arith.addi %a, %b : T",
    "%r$ = arith.subi %a, %b : T",
    "%r$ = arith.muli %a, %b : T",
    "%r$ = arith.divsi %a, %b : T",
    "%r$ = arith.divui %a, %b : T",
    "%r$ = arith.remsi %a, %b : T",
    "%r$ = arith.remui %a, %b : T",
    "%r$ = arith.floordivsi %a, %b : T",
    "%r$ = arith.ceildivsi %a, %b : T",
    "%r$ = arith.ceildivui %a, %b : T",
    "%r$ = arith.andi %a, %b : T",
    "%r$ = arith.ori %a, %b : T",
    "%r$ = arith.xori %a, %b : T",
    "%r$ = arith.shli %a, %b : T",
    "%r$ = arith.shrsi %a, %b : T",
    "%r$ = arith.shrui %a, %b : T",
    "%r$ = arith.maxsi %a, %b : T",
    "%r$ = arith.maxui %a, %b : T",
    "%r$ = arith.minsi %a, %b : T",
    "%r$ = arith.minui %a, %b : T",
    "%t$ = arith.cmpi slt, %a, %b : T\n%r$ = arith.select %t$, %a, %c : B, T",
    "%t$ = arith.cmpi ult, %a, %b : T\n%r$ = arith.select %t$, %a, %c : B, T",
    "%t$ = arith.cmpi eq, %a, %b : T\n%r$ = arith.extui %t$ : B to T",
    "%r$ = arith.select %scalar, %a, %c : T",
    "%t$ = arith.trunci %a : T to N\n%r$ = arith.extsi %t$ : N to T",
    "%t$ = arith.trunci %a : T to N\n%r$ = arith.extui %t$ : N to T",
    "%t$ = arith.sitofp %a : T to W\n%r$ = arith.fptosi %t$ : W to T",
    "%t$ = arith.uitofp %b : T to W\n%r$ = arith.fptoui %t$ : W to T",
    "%t$, %r$ = arith.mulsi_extended %a, %b : T",
    "%r$, %t$ = arith.mului_extended %a, %b : T",
    "%r$, %t$ = arith.addui_extended %a, %b : T, B",
    "%t$ = arith.index_cast %a : T to X\n%r$ = arith.index_cast %t$ : X to T",
    "%t$ = arith.index_castui %b : T to X\n%r$ = arith.index_castui %t$ : X to T",
    "%r$ = math.absi %a : T",
    "%r$ = math.ctlz %b : T",
    "%r$ = math.cttz %b : T",
    "%r$ = math.ctpop %a : T",
};
#define INTEGER_COUNT (sizeof INTEGER_EXPRESSIONS / sizeof *INTEGER_EXPRESSIONS)

typedef struct type_row {
  const char *type, *wide, *narrow, *integer;
  size_t size;
} type_row;

static const type_row FLOATS[] = {{"f32", "f64", "f16", "i32", 4},
                                  {"f64", "", "f32", "i64", 8},
                                  {"f16", "f32", "", "i16", 2},
                                  {"bf16", "f32", "", "i16", 2}};
static const type_row INTEGERS[] = {{"i64", "f64", "i32", "", 8},
                                    {"i32", "f64", "i16", "", 4},
                                    {"i16", "f32", "i8", "", 2},
                                    {"i8", "f32", "i1", "", 1}};

// Appends `lines` with the letters replaced; each type as a vector of `shape` ("3x5x"), or a scalar
// where that is NULL.
static void append_lines(tune_string_builder *text, const char *lines, size_t number,
                         const type_row *row, const char *shape) {
  char before = '\n';
  for (const char *at = lines; *at; before = *at++) {
    const char *type = NULL;
    // Types stand after a blank, values and ops never begin with these letters there.
    if (before == ' ')
      type = *at == 'T'   ? row->type
             : *at == 'B' ? "i1"
             : *at == 'W' ? row->wide
             : *at == 'N' ? row->narrow
             : *at == 'I' ? row->integer
             : *at == 'X' ? "index"
                          : NULL;
    if (type && shape)
      tune_string_builder_appendf(text, "vector<%s%s>", shape, type);
    else if (type)
      tune_string_builder_append(text, type);
    else if (*at == '$')
      tune_string_builder_appendf(text, "%zu", number);
    else
      tune_string_builder_append_bytes(text, at, 1);
  }
  tune_string_builder_append(text, "\n");
}

// Whether `lines` need a type that `row` does not have.
static bool lacks_type(const char *lines, const type_row *row) {
  return (!*row->wide && strstr(lines, " W")) || (!*row->narrow && strstr(lines, " N"));
}

#define ELEMENTS 16

// A function of %x, %y, %z (16 elements each) and %out (16 for each expression), which computes in
// one vector of `shape`, or where that is NULL, element by element.
static char *make_payload(const char *const *expressions, size_t count, const type_row *row,
                          const char *shape, int64_t polynomial) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text,
                              "func.func @f(%%x: memref<16x%s>, %%y: memref<16x%s>, "
                              "%%z: memref<16x%s>, %%scalar: i1, %%out: memref<%zux%s>) attributes "
                              "{tune.math.polynomial = %d : i64} {\n%%c0 = arith.constant 0 : "
                              "index\n%%c1 = arith.constant 1 : index\n%%n = arith.constant 16 : "
                              "index\n",
                              row->type, row->type, row->type, count * ELEMENTS, row->type,
                              (int)polynomial);
  if (!shape)
    tune_string_builder_append(&text, "scf.for %i = %c0 to %n step %c1 {\n");
  for (size_t i = 0; i < 3; ++i)
    if (shape)
      tune_string_builder_appendf(
          &text,
          "%%l%c = vector.load %%%c[%%c0] : memref<16x%s>, vector<16x%s>\n"
          "%%%c = vector.shape_cast %%l%c : vector<16x%s> to vector<%s%s>\n",
          "abc"[i], "xyz"[i], row -> type, row -> type, "abc"[i], "abc"[i], row -> type, shape,
          row -> type);
    else
      tune_string_builder_appendf(&text, "%%%c = memref.load %%%c[%%i] : memref<16x%s>\n", "abc"[i],
                                  "xyz"[i], row -> type);
  for (size_t i = 0; i < count; ++i) {
    if (lacks_type(expressions[i], row))
      continue;
    append_lines(&text, expressions[i], i, row, shape);
    tune_string_builder_appendf(&text, "%%o%zu = arith.constant %zu : index\n", i, i * ELEMENTS);
    if (shape)
      tune_string_builder_appendf(
          &text,
          "%%v%zu = vector.shape_cast %%r%zu : vector<%s%s> to vector<16x%s>\n"
          "vector.store %%v%zu, %%out[%%o%zu] : memref<%zux%s>, vector<16x%s>\n",
          i, i, shape, row->type, row->type, i, i, count * ELEMENTS, row->type, row->type);
    else
      tune_string_builder_appendf(&text,
                                  "%%p%zu = arith.addi %%i, %%o%zu : index\n"
                                  "memref.store %%r%zu, %%out[%%p%zu] : memref<%zux%s>\n",
                                  i, i, i, i, count * ELEMENTS, row->type);
  }
  tune_string_builder_append(&text, shape ? "return\n}\n" : "}\nreturn\n}\n");
  char *payload;
  math_assert_ok(tune_string_builder_finish(&text, &payload));
  return payload;
}

#define MOST_BYTES (64 * ELEMENTS * 8)

typedef struct buffers {
  _Alignas(64) char x[ELEMENTS * 8], y[ELEMENTS * 8], z[ELEMENTS * 8];
  _Alignas(64) char out[MOST_BYTES];
} buffers;

static void run(const char *payload, const char *cpu, buffers *b, size_t count) {
  math_function function = math_load(payload, cpu);
  math_memref x = math_describe(b->x, ELEMENTS), y = math_describe(b->y, ELEMENTS);
  math_memref z = math_describe(b->z, ELEMENTS);
  math_memref out = math_describe(b->out, (int64_t)count * ELEMENTS);
  bool scalar = true;
  void *arguments[] = {&x, &y, &z, &scalar, &out};
  function.entry(arguments);
  math_unload(&function);
}

static uint16_t to_bf16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16); // the values below have few digits
}

static void store(const type_row *row, char *buffer, size_t index, double value) {
  char *at = buffer + index * row->size;
  float single = (float)value;
  _Float16 half = (_Float16)value;
  uint16_t brain = to_bf16(single);
  int64_t integer = (int64_t)value; // little-endian: the low bytes come first
  const void *source = strcmp(row->type, "f64") == 0    ? (const void *)&value
                       : strcmp(row->type, "f32") == 0  ? (const void *)&single
                       : strcmp(row->type, "f16") == 0  ? (const void *)&half
                       : strcmp(row->type, "bf16") == 0 ? (const void *)&brain
                                                        : (const void *)&integer;
  memcpy(at, source, row->size);
}

static void fill_floats(const type_row *row, buffers *b) {
  for (size_t i = 0; i < ELEMENTS; ++i) {
    store(row, b->x, i, ((double)i - 7.5) / 8); // all functions are defined there
    store(row, b->y, i, i % 2 ? 0.25 + (double)i / 4 : -3 + (double)i / 8);
    store(row, b->z, i, 1 - (double)i / 2);
  }
}

static void fill_integers(const type_row *row, buffers *b) {
  for (size_t i = 0; i < ELEMENTS; ++i) {
    store(row, b->x, i, 100 - 13 * (double)i);
    store(row, b->y, i, 1 + (double)(i % 6)); // divides, and shifts
    store(row, b->z, i, (double)i);
  }
}

static double as_double(const type_row *row, const char *buffer, size_t index) {
  const char *at = buffer + index * row->size;
  double value;
  float single = 0;
  _Float16 half;
  if (strcmp(row->type, "f64") == 0) {
    memcpy(&value, at, 8);
    return value;
  }
  if (strcmp(row->type, "f16") == 0) {
    memcpy(&half, at, 2);
    return (double)half;
  }
  // The upper half of a little-endian f32 is a bf16.
  memcpy((char *)&single + (sizeof single - row->size), at, row->size);
  return single;
}

static void assert_same(const type_row *row, bool is_float, const char *shape,
                        const char *const *expressions, size_t count, const buffers *got,
                        const buffers *expected) {
  for (size_t i = 0; i < count; ++i)
    for (size_t e = 0; e < ELEMENTS && !lacks_type(expressions[i], row); ++e) {
      size_t index = i * ELEMENTS + e;
      if (memcmp(got->out + index * row->size, expected->out + index * row->size, row->size) == 0)
        continue;
      double g = is_float ? as_double(row, got->out, index) : 0;
      double w = is_float ? as_double(row, expected->out, index) : 0;
      if (is_float && isnan(g) && isnan(w))
        continue;
      fail_msg("vector<%s%s>: %s: element %zu is %.9g, as a scalar %.9g", shape, row->type,
               expressions[i], e, g, w);
    }
}

static void assert_shapes_agree(const char *const *expressions, size_t count, const type_row *row,
                                bool is_float) {
  static buffers expected, got;
  is_float ? fill_floats(row, &expected) : fill_integers(row, &expected);
  got = expected;
  char *payload = make_payload(expressions, count, row, NULL, 0);
  run(payload, NULL, &expected, count);
  free(payload);
  static const char *const SHAPES[] = {"16x", "2x8x", "2x2x4x"};
  for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; ++i) {
    memset(got.out, 0, sizeof got.out);
    payload = make_payload(expressions, count, row, SHAPES[i], 0);
    run(payload, NULL, &got, count);
    free(payload);
    assert_same(row, is_float, SHAPES[i], expressions, count, &got, &expected);
  }
}

// Each op of arith and math that front ends write, on vectors of 1, 2 and 3 dimensions, gives the
// bits that it gives on scalars.
static void floats_agree_with_scalars(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof FLOATS / sizeof *FLOATS; ++i)
    assert_shapes_agree(FLOAT_EXPRESSIONS, FLOAT_COUNT, &FLOATS[i], true);
}

static void integers_agree_with_scalars(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof INTEGERS / sizeof *INTEGERS; ++i)
    assert_shapes_agree(INTEGER_EXPRESSIONS, INTEGER_COUNT, &INTEGERS[i], false);
}

// A vector of rank 0, which reductions leave, is one element.
static void rank_zero_is_one_element(void **state) {
  (void)state;
  const char *payload = "func.func @f(%x: memref<16xf32>, %out: memref<16xf32>) {\n"
                        "  %c0 = arith.constant 0 : index\n"
                        "  %c3 = arith.constant 3 : index\n"
                        "  %p = arith.constant 0.0 : f32\n"
                        "  %a = vector.transfer_read %x[%c3], %p : memref<16xf32>, vector<f32>\n"
                        "  %b = math.erf %a : vector<f32>\n"
                        "  %c = arith.addf %b, %a : vector<f32>\n"
                        "  vector.transfer_write %c, %out[%c0] : vector<f32>, memref<16xf32>\n"
                        "  return\n"
                        "}\n";
  _Alignas(64) float x[16] = {0, 0, 0, 0.5F}, out[16] = {0};
  math_function function = math_load(payload, NULL);
  math_memref in = math_describe(x, 16), to = math_describe(out, 16);
  void *arguments[] = {&in, &to};
  function.entry(arguments);
  math_unload(&function);
  assert_float_equal(out[0], erff(0.5F) + 0.5F, 0);
}

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
      cmocka_unit_test(floats_agree_with_scalars),
      cmocka_unit_test(integers_agree_with_scalars),
      cmocka_unit_test(rank_zero_is_one_element),
      cmocka_unit_test(three_ways_to_a_function),
      cmocka_unit_test(bad_approximations_are_refused),
      cmocka_unit_test(libmvec_is_glibcs),
      cmocka_unit_test(small_powers_are_products),
      cmocka_unit_test(rows_follow_each_other),
      cmocka_unit_test(maxima_are_short),
      cmocka_unit_test(rectifiers_are_short),
      cmocka_unit_test(one_divisor_is_a_reciprocal),
      cmocka_unit_test(maxima_keep_nans),
      cmocka_unit_test(reduced_maxima_keep_nans),
      cmocka_unit_test(reciprocals_are_near),
      cmocka_unit_test(bf16_is_rounded_in_vectors),
      cmocka_unit_test(wrong_options_are_refused),
  };
  return cmocka_run_group_tests(tests, math_setup, math_teardown);
}
