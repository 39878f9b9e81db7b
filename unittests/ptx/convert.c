//===- convert.c - cvt
//-------------------------------------------------------------------------------===//

#include "unittests/ptx/rounding.h"
#include "unittests/ptx/run.h"

#include <math.h>

// `mode`: the rounding; `type`: of the result; `from`: of the operand.
enum { TO_INTEGER = 1, FLUSHES = 2, SATURATES = 4, HAS_RELU = 8 };

static int64_t read_signed(ptx_type type, uint64_t bits) {
  switch (ptx_type_bits(type)) {
  case 8:
    return (int8_t)bits;
  case 16:
    return (int16_t)bits;
  case 32:
    return (int32_t)bits;
  default:
    return (int64_t)bits;
  }
}

static uint64_t read_unsigned(ptx_type type, uint64_t bits) {
  unsigned width = ptx_type_bits(type);
  return width == 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static __int128 clamp(__int128 value, ptx_type type) {
  unsigned bits = ptx_type_bits(type);
  __int128 one = 1, most = ptx_type_is_signed(type) ? (one << (bits - 1)) - 1 : (one << bits) - 1;
  __int128 least = ptx_type_is_signed(type) ? -(one << (bits - 1)) : 0;
  return value < least ? least : value > most ? most : value;
}

// A result that is narrower than its register is extended to it.
static uint64_t as_register(ptx_type type, uint64_t bits) {
  return ptx_type_is_signed(type) ? (uint64_t)read_signed(type, bits) : read_unsigned(type, bits);
}

static ptx_outcome integer_to_integer(ptx_thread *t, const ptx_instruction *i) {
  ptx_type from = (ptx_type)i->from, to = (ptx_type)i->type;
  uint64_t bits = as_register(from, t->r[i->slot[1]]);
  if (i->flags & SATURATES) {
    __int128 value = ptx_type_is_signed(from) ? (__int128)(int64_t)bits : (__int128)bits;
    bits = (uint64_t)clamp(value, to);
  }
  t->r[i->slot[0]] = as_register(to, bits);
  return PTX_GO;
}

// An integer as a double from which it is rounded right: to odd where it has too many digits.
static double to_double(ptx_type from, uint64_t bits) {
  bool is_negative = ptx_type_is_signed(from) && read_signed(from, bits) < 0;
  uint64_t magnitude =
      is_negative ? 0 - (uint64_t)read_signed(from, bits) : read_unsigned(from, bits);
  if (magnitude >> 53) {
    unsigned extra = 11 - (unsigned)__builtin_clzll(magnitude);
    uint64_t lost = magnitude & ((UINT64_C(1) << extra) - 1);
    magnitude = (magnitude >> extra | (lost != 0)) << extra;
  }
  return is_negative ? -(double)magnitude : (double)magnitude;
}

static ptx_outcome integer_to_float(ptx_thread *t, const ptx_instruction *i) {
  ptx_type from = (ptx_type)i->from, to = (ptx_type)i->type;
  uint64_t bits = t->r[i->slot[1]];
  if (to == PTX_F64)
    t->r[i->slot[0]] = ptx_f64_bits(ptx_type_is_signed(from) ? (double)read_signed(from, bits)
                                                             : (double)read_unsigned(from, bits));
  else
    t->r[i->slot[0]] = ptx_encode(to, to_double(from, bits), (ptx_rounding)i->mode);
  return PTX_GO;
}

static double round_to_integer(double value, ptx_rounding rounding) {
  switch (rounding) {
  case PTX_NEAREST:
    return rint(value);
  case PTX_DOWN:
    return floor(value);
  case PTX_UP:
    return ceil(value);
  default:
    return trunc(value);
  }
}

static double read_float(const ptx_thread *t, const ptx_instruction *i, unsigned slot) {
  double value = ptx_decode((ptx_type)i->from, t->r[i->slot[slot]]);
  if (i->flags & FLUSHES && i->from == PTX_F32 && fabs(value) < 0x1p-126)
    value = copysign(0, value);
  return value;
}

static ptx_outcome float_to_integer(ptx_thread *t, const ptx_instruction *i) {
  ptx_type to = (ptx_type)i->type;
  double value = round_to_integer(read_float(t, i, 1), (ptx_rounding)i->mode);
  unsigned bits = ptx_type_bits(to);
  uint64_t result;
  if (isnan(value))
    result = i->from != PTX_F64 && bits < 64 ? 0 : UINT64_C(1) << (bits - 1);
  else
    result = (uint64_t)clamp(value >= 0x1p100    ? (__int128)1 << 100
                             : value <= -0x1p100 ? -((__int128)1 << 100)
                                                 : (__int128)value,
                             to);
  t->r[i->slot[0]] = as_register(to, result);
  return PTX_GO;
}

static uint64_t finish(const ptx_instruction *i, ptx_type to, double value) {
  if (i->flags & TO_INTEGER)
    value = round_to_integer(value, (ptx_rounding)i->mode);
  if (i->flags & SATURATES && ptx_type_bits(to) > 8)
    value = value > 0 ? fmin(value, 1) : 0;
  if (i->flags & HAS_RELU && value < 0)
    value = 0;
  if (i->flags & FLUSHES && to == PTX_F32 && fabs(value) < 0x1p-126)
    value = copysign(0, value);
  return ptx_encode(to, value, i->flags & TO_INTEGER ? PTX_NEAREST : (ptx_rounding)i->mode);
}

static ptx_outcome float_to_float(ptx_thread *t, const ptx_instruction *i) {
  t->r[i->slot[0]] = finish(i, (ptx_type)i->type, read_float(t, i, 1));
  return PTX_GO;
}

// Two numbers into one register: the first operand is the upper half.
static ptx_outcome two_to_packed(ptx_thread *t, const ptx_instruction *i) {
  ptx_type to = (ptx_type)i->type;
  uint64_t high = finish(i, to, read_float(t, i, 1)), low = finish(i, to, read_float(t, i, 2));
  t->r[i->slot[0]] = low | high << ptx_type_bits(to);
  return PTX_GO;
}

// e4m3x2 and e5m2x2 from and to f16x2.
static ptx_outcome packed_to_packed(ptx_thread *t, const ptx_instruction *i) {
  ptx_type to = (ptx_type)i->type, from = (ptx_type)i->from;
  uint64_t bits = t->r[i->slot[1]];
  uint64_t low = finish(i, to, ptx_decode(from, bits));
  uint64_t high = finish(i, to, ptx_decode(from, bits >> ptx_type_bits(from)));
  t->r[i->slot[0]] = low | high << ptx_type_bits(to);
  return PTX_GO;
}

static ptx_type element_of(ptx_type type) {
  switch (type) {
  case PTX_F16X2:
    return PTX_F16;
  case PTX_BF16X2:
    return PTX_BF16;
  case PTX_E4M3X2:
    return PTX_E4M3;
  case PTX_E5M2X2:
    return PTX_E5M2;
  default:
    return type;
  }
}

static ptx_execute pick(ptx_type to, ptx_type from) {
  bool to_packed = element_of(to) != to, from_packed = element_of(from) != from;
  if (to_packed && from_packed)
    return packed_to_packed;
  if (to_packed)
    return from == PTX_F32 ? two_to_packed : NULL;
  if (from_packed)
    return NULL;
  bool to_float = ptx_type_is_float(to) || to == PTX_TF32, from_float = ptx_type_is_float(from);
  if (to_float)
    return from_float ? float_to_float : ptx_type_is_integer(from) ? integer_to_float : NULL;
  if (!ptx_type_is_integer(to))
    return NULL;
  return from_float ? float_to_integer : ptx_type_is_integer(from) ? integer_to_integer : NULL;
}

static void bind_convert(ptx_operation *op) {
  static const char *const roundings[] = {"rni", "rzi", "rmi", "rpi", NULL};
  static const ptx_rounding modes[] = {PTX_NEAREST, PTX_TO_ZERO, PTX_DOWN, PTX_UP};
  ptx_instruction *i = op->instruction;
  int to_integer = ptx_take_one_of(op, roundings);
  bool is_rounded;
  ptx_rounding rounding = ptx_take_rounding(op, &is_rounded);
  i->mode = (uint8_t)(to_integer >= 0 ? modes[to_integer] : rounding);
  if (to_integer >= 0)
    i->flags |= TO_INTEGER;
  if (ptx_take(op, "ftz"))
    i->flags |= FLUSHES;
  if (ptx_take(op, "sat"))
    i->flags |= SATURATES;
  if (ptx_take(op, "relu"))
    i->flags |= HAS_RELU;
  ptx_type to = ptx_take_type(op), from = ptx_take_type(op);
  if (ptx_type_bits(element_of(to)) == 8) // all of these are
    ptx_take(op, "satfinite");
  i->type = (uint8_t)element_of(to);
  i->from = (uint8_t)element_of(from);
  i->execute = pick(to, from);
  unsigned sources = i->execute == two_to_packed ? 2 : 1;
  if (!ptx_expect_operands(op, sources + 1, sources + 1))
    return;
  ptx_define(op, 0, to, 0);
  for (unsigned k = 1; k <= sources; k++)
    ptx_use(op, k, from, k);
}

const ptx_binding ptx_convert_bindings[] = {{"cvt", bind_convert}, {NULL, NULL}};
