//===- integer.c - Arithmetic of integers
//------------------------------------------------------------===//

#include "unittests/ptx/operation.h"
#include "unittests/ptx/run.h"

#include <string.h>

// d = f(a, b, c) of a type: slots 0 to 3.
#define DEFINE(name, type, ...)                                                                    \
  static ptx_outcome name(ptx_thread *t, const ptx_instruction *i) {                               \
    type a = (type)t->r[i->slot[1]], b = (type)t->r[i->slot[2]], c = (type)t->r[i->slot[3]];       \
    (void)b;                                                                                       \
    (void)c;                                                                                       \
    t->r[i->slot[0]] = (uint64_t)(__VA_ARGS__);                                                    \
    return PTX_GO;                                                                                 \
  }
// The result has as many bits as the operands, whether they have signs or not. Computed without,
// where overflow is defined.
#define DEFINE_WORDS(name, ...)                                                                    \
  DEFINE(name##_16, uint32_t, __VA_ARGS__)                                                         \
  DEFINE(name##_32, uint32_t, __VA_ARGS__)                                                         \
  DEFINE(name##_64, uint64_t, __VA_ARGS__)
#define DEFINE_SIGNED(name, ...)                                                                   \
  DEFINE(name##_s16, int16_t, __VA_ARGS__)                                                         \
  DEFINE(name##_s32, int32_t, __VA_ARGS__)                                                         \
  DEFINE(name##_s64, int64_t, __VA_ARGS__)
#define DEFINE_UNSIGNED(name, ...)                                                                 \
  DEFINE(name##_u16, uint16_t, __VA_ARGS__)                                                        \
  DEFINE(name##_u32, uint32_t, __VA_ARGS__)                                                        \
  DEFINE(name##_u64, uint64_t, __VA_ARGS__)
#define DEFINE_BOTH(name, ...) DEFINE_SIGNED(name, __VA_ARGS__) DEFINE_UNSIGNED(name, __VA_ARGS__)

#define WORDS(name)                                                                                \
  {                                                                                                \
    [PTX_U16] = name##_16, [PTX_S16] = name##_16, [PTX_B16] = name##_16, [PTX_U32] = name##_32,    \
    [PTX_S32] = name##_32, [PTX_B32] = name##_32, [PTX_U64] = name##_64, [PTX_S64] = name##_64,    \
    [PTX_B64] = name##_64                                                                          \
  }
#define BOTH(name)                                                                                 \
  {                                                                                                \
    [PTX_U16] = name##_u16, [PTX_S16] = name##_s16, [PTX_U32] = name##_u32,                        \
    [PTX_S32] = name##_s32, [PTX_U64] = name##_u64, [PTX_S64] = name##_s64                         \
  }

typedef const ptx_execute ptx_by_type[PTX_TYPE_COUNT];

DEFINE_WORDS(add, a + b)
DEFINE_WORDS(subtract, a - b)
DEFINE_WORDS(multiply, a *b)
DEFINE_WORDS(multiply_add, a *b + c)
DEFINE_WORDS(negate, 0 - a)
DEFINE_BOTH(least, a < b ? a : b)
DEFINE_BOTH(greatest, a > b ? a : b)
DEFINE_SIGNED(absolute, a < 0 ? 0 - (uint64_t)a : (uint64_t)a)
// What a division by zero gives is open: all ones, as GPUs do. The least by -1 would overflow.
DEFINE_UNSIGNED(divide, b ? a / b : UINT64_MAX)
DEFINE_SIGNED(divide, !b ? -1 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b)
DEFINE_UNSIGNED(remain, b ? a % b : a)
DEFINE_SIGNED(remain, !b ? a : b == -1 ? 0 : a % b)

DEFINE(high_u16, uint16_t, (uint32_t)a *b >> 16)
DEFINE(high_s16, int16_t, (int32_t)a *b >> 16)
DEFINE(high_u32, uint32_t, (uint64_t)a *b >> 32)
DEFINE(high_s32, int32_t, (int64_t)a *b >> 32)
DEFINE(high_u64, uint64_t, (unsigned __int128)a *b >> 64)
DEFINE(high_s64, int64_t, (__int128)a *b >> 64)
DEFINE(high_add_u32, uint32_t, ((uint64_t)a * b >> 32) + c)
DEFINE(high_add_s32, int32_t, (uint64_t)((int64_t)a *b >> 32) + (uint64_t)c)
DEFINE(high_add_u64, uint64_t, (uint64_t)((unsigned __int128)a *b >> 64) + c)
DEFINE(high_add_s64, int64_t, (uint64_t)((__int128)a *b >> 64) + (uint64_t)c)
DEFINE(wide_u16, uint16_t, (uint32_t)a *b)
DEFINE(wide_s16, int16_t, (int32_t)a *b)
DEFINE(wide_u32, uint32_t, (uint64_t)a *b)
DEFINE(wide_s32, int32_t, (int64_t)a *b)
// The third operand of mad.wide has twice the bits.
#define DEFINE_WIDE_ADD(name, type, wide)                                                          \
  static ptx_outcome name(ptx_thread *t, const ptx_instruction *i) {                               \
    wide product = (wide)(type)t->r[i->slot[1]] * (wide)(type)t->r[i->slot[2]];                    \
    t->r[i->slot[0]] = (uint64_t)product + t->r[i->slot[3]];                                       \
    return PTX_GO;                                                                                 \
  }
DEFINE_WIDE_ADD(wide_add_u16, uint16_t, uint32_t)
DEFINE_WIDE_ADD(wide_add_s16, int16_t, int32_t)
DEFINE_WIDE_ADD(wide_add_u32, uint32_t, uint64_t)
DEFINE_WIDE_ADD(wide_add_s32, int32_t, int64_t)

static int64_t clamp_s32(int64_t value) {
  return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
}
DEFINE(add_saturated, int32_t, clamp_s32((int64_t)a + b))
DEFINE(subtract_saturated, int32_t, clamp_s32((int64_t)a - b))
DEFINE(difference_u32, uint32_t, c + (a < b ? b - a : a - b))
DEFINE(difference_s32, int32_t, (uint32_t)c + (uint32_t)(a < b ? (int64_t)b - a : (int64_t)a - b))

// Two numbers of 16 bits at once.
#define DEFINE_PAIRS(name, type, ...)                                                              \
  static uint32_t name##_half(uint32_t first, uint32_t second) {                                   \
    type a = (type)first, b = (type)second;                                                        \
    return (uint16_t)(__VA_ARGS__);                                                                \
  }                                                                                                \
  static ptx_outcome name(ptx_thread *t, const ptx_instruction *i) {                               \
    uint32_t a = ptx_u32(t, i, 1), b = ptx_u32(t, i, 2);                                           \
    t->r[i->slot[0]] = name##_half(a, b) | name##_half(a >> 16, b >> 16) << 16;                    \
    return PTX_GO;                                                                                 \
  }
DEFINE_PAIRS(add_x2, uint16_t, a + b)
DEFINE_PAIRS(least_u16x2, uint16_t, a < b ? a : b)
DEFINE_PAIRS(least_s16x2, int16_t, a < b ? a : b)
DEFINE_PAIRS(greatest_u16x2, uint16_t, a > b ? a : b)
DEFINE_PAIRS(greatest_s16x2, int16_t, a > b ? a : b)

// With carries from one instruction to the next, of 32 or 64 bits as `mode` says; `flags`: what of
// it is done.
enum { CARRY_IN = 1, CARRY_OUT = 2, SUBTRACTS = 4 };
static ptx_outcome carry(ptx_thread *t, const ptx_instruction *i) {
  uint64_t mask = i->mode == 64 ? UINT64_MAX : UINT32_MAX;
  uint64_t a = t->r[i->slot[1]] & mask, b = t->r[i->slot[2]] & mask;
  uint32_t in = i->flags & CARRY_IN ? t->carry : 0;
  unsigned __int128 wide =
      i->flags & SUBTRACTS ? (unsigned __int128)a - b - in : (unsigned __int128)a + b + in;
  t->r[i->slot[0]] = (uint64_t)wide & mask;
  if (i->flags & CARRY_OUT)
    t->carry = (uint32_t)(wide >> i->mode) & 1;
  return PTX_GO;
}

static void bind_carry(ptx_operation *op, unsigned flags) {
  if (ptx_take(op, "cc"))
    flags |= CARRY_OUT;
  ptx_type type = ptx_take_type(op);
  op->instruction->flags = flags;
  op->instruction->mode = (uint8_t)ptx_type_bits(type);
  if (ptx_type_is_integer(type) && ptx_type_bits(type) >= 32)
    ptx_lay_down(op, type, 2, carry);
}

static bool has_part(const ptx_operation *op, const char *part) {
  for (unsigned i = 1; i < op->part_count; i++)
    if (!strcmp(op->parts[i], part))
      return true;
  return false;
}

// The type of the operation, or that of floating-point numbers done elsewhere.
static bool is_for_floats(ptx_operation *op) {
  for (unsigned i = 1; i < op->part_count; i++) {
    ptx_type type = ptx_type_from_name(op->parts[i], strlen(op->parts[i]));
    if (type >= PTX_F16 && type <= PTX_F64)
      return true;
  }
  return false;
}

static void bind_sum(ptx_operation *op, bool subtracts) {
  static ptx_by_type sums = WORDS(add), differences = WORDS(subtract);
  if (is_for_floats(op)) {
    ptx_bind_float(op);
    return;
  }
  if (has_part(op, "cc")) {
    bind_carry(op, subtracts ? SUBTRACTS : 0);
    return;
  }
  bool saturates = ptx_take(op, "sat");
  ptx_type type = ptx_take_type(op);
  ptx_execute execute = subtracts ? differences[type] : sums[type];
  if (saturates)
    execute = type != PTX_S32 ? NULL : subtracts ? subtract_saturated : add_saturated;
  if (!subtracts && (type == PTX_U16X2 || type == PTX_S16X2))
    execute = add_x2;
  ptx_lay_down(op, type, 2, execute);
}

static void bind_add(ptx_operation *op) { bind_sum(op, false); }
static void bind_subtract(ptx_operation *op) { bind_sum(op, true); }
static void bind_add_carry(ptx_operation *op) { bind_carry(op, CARRY_IN); }
static void bind_subtract_carry(ptx_operation *op) { bind_carry(op, CARRY_IN | SUBTRACTS); }

static ptx_type twice(ptx_type type) { return ptx_type_bits(type) == 16 ? PTX_B32 : PTX_B64; }

static void bind_multiply(ptx_operation *op) {
  static ptx_by_type
      low = WORDS(multiply),
      high = BOTH(high),
      wide = {
          [PTX_U16] = wide_u16, [PTX_S16] = wide_s16, [PTX_U32] = wide_u32, [PTX_S32] = wide_s32};
  if (is_for_floats(op)) {
    ptx_bind_float(op);
    return;
  }
  bool is_wide = ptx_take(op, "wide"), is_high = !is_wide && ptx_take(op, "hi");
  if (!is_wide && !is_high && !ptx_take(op, "lo"))
    ptx_refuse(op, "mul of integers without .lo, .hi or .wide");
  ptx_type type = ptx_take_type(op);
  if (!ptx_expect_operands(op, 3, 3))
    return;
  ptx_define(op, 0, is_wide ? twice(type) : type, 0);
  ptx_use(op, 1, type, 1);
  ptx_use(op, 2, type, 2);
  op->instruction->execute = is_wide ? wide[type] : is_high ? high[type] : low[type];
}

static void bind_multiply_add(ptx_operation *op) {
  static ptx_by_type low = WORDS(multiply_add),
                     high = {[PTX_U32] = high_add_u32,
                             [PTX_S32] = high_add_s32,
                             [PTX_U64] = high_add_u64,
                             [PTX_S64] = high_add_s64},
                     wide = {[PTX_U16] = wide_add_u16,
                             [PTX_S16] = wide_add_s16,
                             [PTX_U32] = wide_add_u32,
                             [PTX_S32] = wide_add_s32};
  if (is_for_floats(op)) {
    ptx_bind_float(op);
    return;
  }
  bool is_wide = ptx_take(op, "wide"), is_high = !is_wide && ptx_take(op, "hi");
  if (!is_wide && !is_high && !ptx_take(op, "lo"))
    ptx_refuse(op, "mad of integers without .lo, .hi or .wide");
  ptx_type type = ptx_take_type(op);
  if (!ptx_expect_operands(op, 4, 4))
    return;
  ptx_define(op, 0, is_wide ? twice(type) : type, 0);
  ptx_use(op, 1, type, 1);
  ptx_use(op, 2, type, 2);
  ptx_use(op, 3, is_wide ? twice(type) : type, 3);
  op->instruction->execute = is_wide ? wide[type] : is_high ? high[type] : low[type];
}

#define BIND_OR_FLOAT(name, count, ...)                                                            \
  static void name(ptx_operation *op) {                                                            \
    static ptx_by_type table = __VA_ARGS__;                                                        \
    if (is_for_floats(op)) {                                                                       \
      ptx_bind_float(op);                                                                          \
      return;                                                                                      \
    }                                                                                              \
    ptx_type type = ptx_take_type(op);                                                             \
    ptx_lay_down(op, type, count, table[type]);                                                    \
  }
BIND_OR_FLOAT(bind_divide, 2, BOTH(divide))
BIND_OR_FLOAT(bind_remain, 2, BOTH(remain))
BIND_OR_FLOAT(bind_negate, 1, WORDS(negate))
BIND_OR_FLOAT(bind_absolute, 1,
              {[PTX_S16] = absolute_s16, [PTX_S32] = absolute_s32, [PTX_S64] = absolute_s64})
BIND_OR_FLOAT(bind_difference, 3, {[PTX_U32] = difference_u32, [PTX_S32] = difference_s32})

static ptx_outcome relu_of(ptx_thread *t, const ptx_instruction *i, ptx_execute execute) {
  ptx_outcome outcome = execute(t, i);
  if ((int32_t)t->r[i->slot[0]] < 0)
    t->r[i->slot[0]] = 0;
  return outcome;
}

static ptx_outcome least_relu(ptx_thread *t, const ptx_instruction *i) {
  return relu_of(t, i, least_s32);
}

static ptx_outcome greatest_relu(ptx_thread *t, const ptx_instruction *i) {
  return relu_of(t, i, greatest_s32);
}

static void bind_extremum(ptx_operation *op, bool is_least) {
  static ptx_by_type
      lows = {[PTX_U16] = least_u16,     [PTX_S16] = least_s16,    [PTX_U32] = least_u32,
              [PTX_S32] = least_s32,     [PTX_U64] = least_u64,    [PTX_S64] = least_s64,
              [PTX_U16X2] = least_u16x2, [PTX_S16X2] = least_s16x2},
      highs = {[PTX_U16] = greatest_u16,     [PTX_S16] = greatest_s16,    [PTX_U32] = greatest_u32,
               [PTX_S32] = greatest_s32,     [PTX_U64] = greatest_u64,    [PTX_S64] = greatest_s64,
               [PTX_U16X2] = greatest_u16x2, [PTX_S16X2] = greatest_s16x2};
  if (is_for_floats(op)) {
    ptx_bind_float(op);
    return;
  }
  bool has_relu = ptx_take(op, "relu");
  ptx_type type = ptx_take_type(op);
  ptx_execute execute = is_least ? lows[type] : highs[type];
  if (has_relu)
    execute = type != PTX_S32 ? NULL : is_least ? least_relu : greatest_relu;
  ptx_lay_down(op, type, 2, execute);
}

static void bind_least(ptx_operation *op) { bind_extremum(op, true); }
static void bind_greatest(ptx_operation *op) { bind_extremum(op, false); }

// dp4a and dp2a: products of four bytes, or of two halves with two bytes, and a sum.
static int64_t part_of(uint32_t word, unsigned index, unsigned bits, bool is_signed) {
  uint32_t part = word >> index * bits & ((1u << bits) - 1);
  return is_signed && part >> (bits - 1) ? (int64_t)part - (1 << bits) : part;
}

enum { FIRST_SIGNED = 1, SECOND_SIGNED = 2 };
static ptx_outcome dot(ptx_thread *t, const ptx_instruction *i) {
  uint64_t sum = t->r[i->slot[3]];
  for (unsigned k = 0; k < i->count; k++)
    sum += (uint64_t)(part_of(ptx_u32(t, i, 1), k, 32 / i->count, i->flags & FIRST_SIGNED) *
                      part_of(ptx_u32(t, i, 2), k + i->mode, 8, i->flags & SECOND_SIGNED));
  t->r[i->slot[0]] = (uint32_t)sum;
  return PTX_GO;
}

static void bind_dot(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  i->count = op->parts[0][2] == '4' ? 4 : 2;
  if (i->count == 2 && !ptx_take(op, "lo"))
    i->mode = ptx_take(op, "hi") ? 2 : 0;
  if (ptx_take_type(op) == PTX_S32)
    i->flags |= FIRST_SIGNED;
  if (ptx_take_type(op) == PTX_S32)
    i->flags |= SECOND_SIGNED;
  ptx_lay_down(op, PTX_B32, 3, dot);
}

const ptx_binding ptx_integer_bindings[] = {{"add", bind_add},        {"sub", bind_subtract},
                                            {"addc", bind_add_carry}, {"subc", bind_subtract_carry},
                                            {"mul", bind_multiply},   {"mad", bind_multiply_add},
                                            {"div", bind_divide},     {"rem", bind_remain},
                                            {"neg", bind_negate},     {"abs", bind_absolute},
                                            {"sad", bind_difference}, {"min", bind_least},
                                            {"max", bind_greatest},   {"dp4a", bind_dot},
                                            {"dp2a", bind_dot},       {NULL, NULL}};
