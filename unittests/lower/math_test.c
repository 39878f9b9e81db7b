//===- math_test.c - Arithmetic on vectors computes what it does on scalars ---------===//

#include "transforms/ir/ir.h"
#include "unittests/lower/math_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floats_agree_with_scalars),
      cmocka_unit_test(integers_agree_with_scalars),
      cmocka_unit_test(rank_zero_is_one_element),
  };
  return cmocka_run_group_tests(tests, math_setup, math_teardown);
}
