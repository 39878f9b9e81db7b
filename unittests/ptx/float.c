//===- float.c - Arithmetic of floating-point numbers
//------------------------------------------------===//
//
// All of it is done in doubles and rounded once; what is most frequent, sums and products of f32
// and f64 rounded to the nearest, goes a shorter way.
//
//===--------------------------------------------------------------------------------------===//

#include "unittests/ptx/rounding.h"
#include "unittests/ptx/run.h"

#include <math.h>

typedef enum function {
  ADD,
  SUBTRACT,
  MULTIPLY,
  MULTIPLY_ADD,
  DIVIDE,
  RECIPROCAL,
  SQUARE_ROOT,
  RECIPROCAL_ROOT,
  SINE,
  COSINE,
  LOGARITHM,
  EXPONENTIAL,
  HYPERBOLIC_TANGENT,
  LEAST,
  GREATEST,
} function;

enum { FLUSHES = 1, SATURATES = 2, HAS_RELU = 4, TAKES_NAN = 8, IS_ROUGH = 16 };

// `value` as a double whose last bit is one, where the true one lies `error` from it.
static double make_odd(double value, double error) {
  uint64_t bits = ptx_f64_bits(value);
  if (error == 0 || !isfinite(value) || value == 0 || bits & 1)
    return value;
  return ptx_f64((error > 0) == (value > 0) ? bits + 1 : bits - 1);
}

static double extremum(double a, double b, bool is_least, bool takes_nan) {
  if (isnan(a) || isnan(b))
    return takes_nan || (isnan(a) && isnan(b)) ? NAN : isnan(a) ? b : a;
  if (a == b) // zeros have an order too
    return (signbit(a) != 0) == is_least ? a : b;
  return (a < b) == is_least ? a : b;
}

static double compute(function what, double a, double b, double c, unsigned flags) {
  switch (what) {
  case ADD:
    return ptx_fused(a, 1, b);
  case SUBTRACT:
    return ptx_fused(a, 1, -b);
  case MULTIPLY:
    return a * b;
  case MULTIPLY_ADD:
    return ptx_fused(a, b, c);
  case DIVIDE: {
    double quotient = a / b;
    return make_odd(quotient, fma(-quotient, b, a) * (b < 0 ? -1 : 1));
  }
  case RECIPROCAL: {
    double quotient = 1 / a;
    return make_odd(quotient, fma(-quotient, a, 1) * (a < 0 ? -1 : 1));
  }
  case SQUARE_ROOT: {
    double root = sqrt(a);
    return make_odd(root, fma(-root, root, a));
  }
  case RECIPROCAL_ROOT:
    return 1 / sqrt(a);
  case SINE:
    return sin(a);
  case COSINE:
    return cos(a);
  case LOGARITHM:
    return log2(a);
  case EXPONENTIAL:
    return exp2(a);
  case HYPERBOLIC_TANGENT: // its relative error is up to 2^-11
    return flags & IS_ROUGH ? ptx_decode(PTX_TF32, ptx_encode(PTX_TF32, tanh(a), PTX_NEAREST))
                            : tanh(a);
  case LEAST:
  case GREATEST:
    return extremum(a, b, what == LEAST, flags & TAKES_NAN);
  }
  return NAN;
}

// Subnormal numbers as zeros of their sign.
static double flush(double value, ptx_type type) {
  double least = type == PTX_F16 ? 0x1p-14 : 0x1p-126;
  return fabs(value) < least ? copysign(0, value) : value;
}

// One number: slots hold it in the bits from `shift` on.
static uint64_t evaluate(const ptx_thread *t, const ptx_instruction *i, ptx_type type,
                         unsigned shift) {
  double operands[3] = {0};
  for (unsigned k = 0; k < i->count; k++) {
    operands[k] = ptx_decode(type, t->r[i->slot[1 + k]] >> shift);
    if (i->flags & FLUSHES)
      operands[k] = flush(operands[k], type);
  }
  double result = compute((function)i->mode, operands[0], operands[1], operands[2], i->flags);
  if (i->flags & SATURATES)
    result = result > 0 ? fmin(result, 1) : 0;
  if (i->flags & HAS_RELU && result < 0)
    result = 0;
  uint64_t bits = ptx_encode(type, result, (ptx_rounding)i->from);
  return i->flags & FLUSHES ? ptx_encode(type, flush(ptx_decode(type, bits), type), PTX_NEAREST)
                            : bits;
}

static ptx_outcome one(ptx_thread *t, const ptx_instruction *i) {
  t->r[i->slot[0]] = evaluate(t, i, (ptx_type)i->type, 0);
  return PTX_GO;
}

static ptx_outcome two(ptx_thread *t, const ptx_instruction *i) {
  uint64_t low = evaluate(t, i, (ptx_type)i->type, 0), high = evaluate(t, i, (ptx_type)i->type, 16);
  t->r[i->slot[0]] = low | high << 16;
  return PTX_GO;
}

// f64, whose operations are the processor's; only roundings to the nearest.
static ptx_outcome wide(ptx_thread *t, const ptx_instruction *i) {
  double a = ptx_f64(t->r[i->slot[1]]), b = ptx_f64(t->r[i->slot[2]]),
         c = ptx_f64(t->r[i->slot[3]]);
  double result;
  switch ((function)i->mode) {
  case ADD:
    result = a + b;
    break;
  case SUBTRACT:
    result = a - b;
    break;
  case MULTIPLY_ADD:
    result = fma(a, b, c);
    break;
  case DIVIDE:
    result = a / b;
    break;
  case RECIPROCAL:
    result = 1 / a;
    break;
  case SQUARE_ROOT:
    result = sqrt(a);
    break;
  default:
    result = compute((function)i->mode, a, b, c, i->flags);
  }
  t->r[i->slot[0]] = ptx_f64_bits(result);
  return PTX_GO;
}

#define SHORT_WAY(name, ...)                                                                       \
  static ptx_outcome name(ptx_thread *t, const ptx_instruction *i) {                               \
    float a = ptx_f32(t->r[i->slot[1]]), b = ptx_f32(t->r[i->slot[2]]),                            \
          c = ptx_f32(t->r[i->slot[3]]);                                                           \
    (void)c;                                                                                       \
    t->r[i->slot[0]] = ptx_f32_bits(__VA_ARGS__);                                                  \
    return PTX_GO;                                                                                 \
  }
SHORT_WAY(add_f32, a + b)
SHORT_WAY(subtract_f32, a - b)
SHORT_WAY(multiply_f32, a *b)
SHORT_WAY(multiply_add_f32, fmaf(a, b, c))

// neg and abs change the signs alone.
static ptx_outcome change_sign(ptx_thread *t, const ptx_instruction *i) {
  uint64_t signs = (uint64_t)i->offset[0], bits = t->r[i->slot[1]];
  t->r[i->slot[0]] = i->mode ? bits & ~signs : bits ^ signs;
  return PTX_GO;
}

// copysign d, a, b: the sign of a, the rest of b.
static ptx_outcome copy_sign(ptx_thread *t, const ptx_instruction *i) {
  uint64_t sign = (uint64_t)i->offset[0];
  t->r[i->slot[0]] = (t->r[i->slot[1]] & sign) | (t->r[i->slot[2]] & ~sign);
  return PTX_GO;
}

static const struct {
  const char *name;
  function function;
  unsigned operands;
} functions[] = {{"add", ADD, 2},
                 {"sub", SUBTRACT, 2},
                 {"mul", MULTIPLY, 2},
                 {"fma", MULTIPLY_ADD, 3},
                 {"mad", MULTIPLY_ADD, 3},
                 {"div", DIVIDE, 2},
                 {"rcp", RECIPROCAL, 1},
                 {"sqrt", SQUARE_ROOT, 1},
                 {"rsqrt", RECIPROCAL_ROOT, 1},
                 {"sin", SINE, 1},
                 {"cos", COSINE, 1},
                 {"lg2", LOGARITHM, 1},
                 {"ex2", EXPONENTIAL, 1},
                 {"tanh", HYPERBOLIC_TANGENT, 1},
                 {"min", LEAST, 2},
                 {"max", GREATEST, 2}};

static uint64_t signs_of(ptx_type type) {
  return type == PTX_F64                           ? UINT64_C(1) << 63
         : type == PTX_F32                         ? UINT64_C(1) << 31
         : type == PTX_F16X2 || type == PTX_BF16X2 ? 0x80008000
                                                   : 0x8000;
}

static bool is_for_floats(ptx_type type) { return type >= PTX_F16 && type <= PTX_F64; }

static void bind_sign(ptx_operation *op, ptx_execute execute, unsigned count, bool clears) {
  ptx_take(op, "ftz");
  ptx_type type = ptx_take_type(op);
  op->instruction->offset[0] = (int64_t)signs_of(type);
  op->instruction->mode = clears;
  ptx_lay_down(op, type, count, NULL);
  if (is_for_floats(type))
    op->instruction->execute = execute;
}

static ptx_execute short_way(const ptx_instruction *i) {
  static const ptx_execute ways[] = {[ADD] = add_f32,
                                     [SUBTRACT] = subtract_f32,
                                     [MULTIPLY] = multiply_f32,
                                     [MULTIPLY_ADD] = multiply_add_f32};
  if (i->type != PTX_F32 || i->flags || i->from != PTX_NEAREST || i->mode > MULTIPLY_ADD)
    return NULL;
  return ways[i->mode];
}

static void bind_function(ptx_operation *op, function what, unsigned operands) {
  ptx_instruction *i = op->instruction;
  bool is_rounded;
  ptx_rounding rounding = ptx_take_rounding(op, &is_rounded);
  if (ptx_take(op, "approx") || ptx_take(op, "full"))
    i->flags |= IS_ROUGH;
  if (ptx_take(op, "ftz"))
    i->flags |= FLUSHES;
  if (ptx_take(op, "sat"))
    i->flags |= SATURATES;
  if (ptx_take(op, "relu"))
    i->flags |= HAS_RELU;
  if (ptx_take(op, "NaN"))
    i->flags |= TAKES_NAN;
  ptx_type type = ptx_take_type(op);
  ptx_lay_down(op, type, operands, NULL);
  i->count = operands;
  i->mode = (uint8_t)what;
  i->from = (uint8_t)rounding;
  i->type = (uint8_t)(type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : type);
  if (!is_for_floats(type) || type == PTX_TF32)
    return;
  if (type == PTX_F64 && (rounding != PTX_NEAREST || i->flags & (SATURATES | HAS_RELU)))
    return;
  ptx_execute direct = short_way(i);
  i->execute = direct ? direct : type == PTX_F64 ? wide : i->type != (int)type ? two : one;
}

void ptx_bind_float(ptx_operation *op) {
  if (!strcmp(op->parts[0], "neg") || !strcmp(op->parts[0], "abs")) {
    bind_sign(op, change_sign, 1, op->parts[0][0] == 'a');
    return;
  }
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (!strcmp(op->parts[0], functions[k].name))
      bind_function(op, functions[k].function, functions[k].operands);
}

static void bind_copy_sign(ptx_operation *op) { bind_sign(op, copy_sign, 2, false); }

const ptx_binding ptx_float_bindings[] = {{"fma", ptx_bind_float},
                                          {"rcp", ptx_bind_float},
                                          {"sqrt", ptx_bind_float},
                                          {"rsqrt", ptx_bind_float},
                                          {"sin", ptx_bind_float},
                                          {"cos", ptx_bind_float},
                                          {"lg2", ptx_bind_float},
                                          {"ex2", ptx_bind_float},
                                          {"tanh", ptx_bind_float},
                                          {"copysign", bind_copy_sign},
                                          {NULL, NULL}};
