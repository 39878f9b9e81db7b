//===- math_accuracy.h - Math functions, and how far they may be off --------------------===//
//
// What is compared with libm's long double, on the CPU (math_accuracy_test.c) and in PTX
// (nvvm_math_test.c). The limits are those of docs/accuracy.md.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_LOWER_MATH_ACCURACY_H
#define TUNE_UNITTESTS_LOWER_MATH_ACCURACY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline long double rsqrt_of(long double x) { return 1 / sqrtl(x); }
static inline long double sigmoid_of(long double x) { return 1 / (1 + expl(-x)); }

typedef struct function_row {
  const char *name;
  // Lines of MLIR that compute %r from %a and %b; T is their type, $ makes names unique.
  const char *lines;
  long double (*one)(long double);
  long double (*two)(long double, long double);
  double polynomial; // the most its polynomial may be off, in units in the last place; 0: there is
                     // none, and libmvec is called instead
} function_row;

static const function_row FUNCTIONS[] = {
    {"acos", "%r$ = math.acos %a : T", acosl, NULL, 2.25},
    {"acosh", "%r$ = math.acosh %a : T", acoshl, NULL, 0},
    {"asin", "%r$ = math.asin %a : T", asinl, NULL, 0},
    {"asinh", "%r$ = math.asinh %a : T", asinhl, NULL, 0},
    {"atan", "%r$ = math.atan %a : T", atanl, NULL, 0},
    {"atan2", "%r$ = math.atan2 %a, %b : T", NULL, atan2l, 0},
    {"atanh", "%r$ = math.atanh %a : T", atanhl, NULL, 0},
    {"cbrt", "%r$ = math.cbrt %a : T", cbrtl, NULL, 0},
    {"cos", "%r$ = math.cos %a : T", cosl, NULL, 0},
    {"cosh", "%r$ = math.cosh %a : T", coshl, NULL, 0},
    {"erf", "%r$ = math.erf %a : T", erfl, NULL, 6},
    {"erfc", "%r$ = math.erfc %a : T", erfcl, NULL, 4},
    {"exp", "%r$ = math.exp %a : T", expl, NULL, 6},
    {"exp2", "%r$ = math.exp2 %a : T", exp2l, NULL, 0},
    {"expm1", "%r$ = math.expm1 %a : T", expm1l, NULL, 0},
    {"log", "%r$ = math.log %a : T", logl, NULL, 0},
    {"log10", "%r$ = math.log10 %a : T", log10l, NULL, 0},
    {"log1p", "%r$ = math.log1p %a : T", log1pl, NULL, 0},
    {"log2", "%r$ = math.log2 %a : T", log2l, NULL, 0},
    {"powf", "%r$ = math.powf %a, %b : T", NULL, powl, 0},
    {"rsqrt", "%r$ = math.rsqrt %a : T", rsqrt_of, NULL, 0},
    {"sigmoid",
     "%n$ = arith.negf %a : T\n%e$ = math.exp %n$ : T\n%s$ = arith.addf %e$, %one : T\n"
     "%r$ = arith.divf %one, %s$ : T",
     sigmoid_of, NULL, 7},
    {"sin", "%r$ = math.sin %a : T", sinl, NULL, 0},
    {"sinh", "%r$ = math.sinh %a : T", sinhl, NULL, 0},
    {"tan", "%r$ = math.tan %a : T", tanl, NULL, 0},
    {"tanh", "%r$ = math.tanh %a : T", tanhl, NULL, 5},
};
#define COUNT (sizeof FUNCTIONS / sizeof *FUNCTIONS)
// How far `got` is from `expected` in units in the last place of a type with `digits` binary digits
// whose smallest normal number is `smallest` and largest `largest`. Below `smallest` denormals may
// be lost: an error of all of it is no error.
static inline double error_in_ulp(double got, long double expected, int digits,
                                  long double smallest, long double largest) {
  if (isnan(expected) || isnan(got))
    return isnan(expected) && isnan(got) ? 0 : INFINITY;
  int exponent;
  frexpl(fabsl(expected) < largest ? expected : largest, &exponent);
  long double ulp = ldexpl(1, exponent - digits);
  if (isinf(got))
    return (got > 0) == (expected > 0) && fabsl(expected) > largest - 4 * ulp ? 0 : INFINITY;
  if (isinf(expected))
    return INFINITY;
  long double error = fabsl(got - expected);
  if (fabsl(expected) < smallest)
    return error <= smallest ? 0 : INFINITY;
  return (double)(error / ulp);
}

typedef struct worst {
  double error;
  double x, y, got;
} worst;

static inline void note_worst(worst *w, double error, double x, double y, double got) {
  if (!(error > w->error))
    return;
  *w = (worst){error, x, y, got};
}

// For ops of two operands: all exponents, and numbers about 1.
static inline float second_operand(uint32_t number) {
  uint32_t mixed = number * 2654435761U;
  mixed ^= mixed >> 15;
  if (mixed & 1)
    return (float)(int32_t)mixed / 0x1p26F;
  float value;
  memcpy(&value, &mixed, sizeof value);
  return value;
}

#endif // TUNE_UNITTESTS_LOWER_MATH_ACCURACY_H
