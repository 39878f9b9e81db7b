//===- bits.c - Logic and shifts
//---------------------------------------------------------------------===//

#include "unittests/ptx/operation.h"
#include "unittests/ptx/run.h"

#include <string.h>

#define DEFINE(name, ...)                                                                          \
  static ptx_outcome name(ptx_thread *t, const ptx_instruction *i) {                               \
    uint64_t a = t->r[i->slot[1]], b = t->r[i->slot[2]], c = t->r[i->slot[3]];                     \
    (void)a;                                                                                       \
    (void)b;                                                                                       \
    (void)c;                                                                                       \
    t->r[i->slot[0]] = (uint64_t)(__VA_ARGS__);                                                    \
    return PTX_GO;                                                                                 \
  }

// These give the same bits whatever the width.
DEFINE(both, a &b)
DEFINE(either, a | b)
DEFINE(one_of, a ^ b)
DEFINE(inverse, ~a)
DEFINE(is_false, ~a & 1)
DEFINE(is_zero_16, (uint16_t)a == 0)
DEFINE(is_zero_32, (uint32_t)a == 0)
DEFINE(is_zero_64, a == 0)

// Shifts by more than the width give what shifts by all of it do.
DEFINE(left_16, (uint32_t)b > 15 ? 0 : a << b)
DEFINE(left_32, (uint32_t)b > 31 ? 0 : a << (uint32_t)b)
DEFINE(left_64, (uint32_t)b > 63 ? 0 : a << (uint32_t)b)
DEFINE(right_u16, (uint32_t)b > 15 ? 0 : (uint16_t)a >> (uint32_t)b)
DEFINE(right_u32, (uint32_t)b > 31 ? 0 : (uint32_t)a >> (uint32_t)b)
DEFINE(right_u64, (uint32_t)b > 63 ? 0 : a >> (uint32_t)b)
DEFINE(right_s16, (int16_t)a >> ((uint32_t)b > 15 ? 15 : (uint32_t)b))
DEFINE(right_s32, (int32_t)a >> ((uint32_t)b > 31 ? 31 : (uint32_t)b))
DEFINE(right_s64, (int64_t)a >> ((uint32_t)b > 63 ? 63 : (uint32_t)b))

static uint64_t join(uint64_t low, uint64_t high) {
  return (uint32_t)low | (uint64_t)(uint32_t)high << 32;
}
static uint32_t at_most_32(uint64_t count) { return (uint32_t)count > 32 ? 32 : (uint32_t)count; }
DEFINE(funnel_left_wrap, join(a, b) << ((uint32_t)c & 31) >> 32)
DEFINE(funnel_right_wrap, join(a, b) >> ((uint32_t)c & 31))
DEFINE(funnel_left_clamp, join(a, b) << at_most_32(c) >> 32)
DEFINE(funnel_right_clamp, join(a, b) >> at_most_32(c))

DEFINE(ones_32, __builtin_popcount((uint32_t)a))
DEFINE(ones_64, __builtin_popcountll(a))
DEFINE(zeros_32, (uint32_t)a ? __builtin_clz((uint32_t)a) : 32)
DEFINE(zeros_64, a ? __builtin_clzll(a) : 64)

static uint64_t reverse(uint64_t word, unsigned bits) {
  uint64_t reversed = 0;
  for (unsigned k = 0; k < bits; k++)
    reversed |= (word >> k & 1) << (bits - 1 - k);
  return reversed;
}
DEFINE(reverse_32, reverse(a, 32))
DEFINE(reverse_64, reverse(a, 64))

// The place of the first bit that is one, or for signed ones that differs from the sign; from the
// left if `from_left`.
static uint64_t find(uint64_t word, unsigned bits, bool is_signed, bool from_left) {
  if (is_signed && word >> (bits - 1) & 1)
    word = ~word;
  word &= bits == 64 ? UINT64_MAX : UINT32_MAX;
  if (!word)
    return UINT32_MAX;
  unsigned place = 63 - (unsigned)__builtin_clzll(word);
  return from_left ? bits - 1 - place : place;
}
static ptx_outcome find_bit(ptx_thread *t, const ptx_instruction *i) {
  t->r[i->slot[0]] =
      find(t->r[i->slot[1]], i->count, ptx_type_is_signed((ptx_type)i->type), i->flags);
  return PTX_GO;
}

// bfe: `c` bits from bit `b` on; beyond the width are signs, or zeros.
static uint64_t extract(uint64_t word, uint64_t b, uint64_t c, unsigned bits, bool is_signed) {
  unsigned start = (uint8_t)b, length = (uint8_t)c;
  word &= bits == 64 ? UINT64_MAX : UINT32_MAX;
  if (!length)
    return 0;
  unsigned last = start + length - 1 < bits - 1 ? start + length - 1 : bits - 1;
  bool sign = is_signed && word >> last & 1;
  uint64_t result = 0;
  for (unsigned k = 0; k < bits; k++) {
    bool bit = k < length && start + k < bits ? word >> (start + k) & 1 : sign;
    result |= (uint64_t)bit << k;
  }
  return result;
}
static ptx_outcome extract_field(ptx_thread *t, const ptx_instruction *i) {
  t->r[i->slot[0]] = extract(t->r[i->slot[1]], t->r[i->slot[2]], t->r[i->slot[3]], i->count,
                             ptx_type_is_signed((ptx_type)i->type));
  return PTX_GO;
}

// bfi: the first `d` bits of `a` put into `b` from bit `c` on.
static ptx_outcome insert_field(ptx_thread *t, const ptx_instruction *i) {
  uint64_t a = t->r[i->slot[1]], b = t->r[i->slot[2]];
  unsigned start = (uint8_t)t->r[i->slot[3]], length = (uint8_t)t->r[i->slot[4]];
  for (unsigned k = 0; k < length && start + k < i->count; k++) {
    uint64_t bit = UINT64_C(1) << (start + k);
    b = a >> k & 1 ? b | bit : b & ~bit;
  }
  t->r[i->slot[0]] = b;
  return PTX_GO;
}

// prmt: each byte of the result is one of the eight of a and b, or its sign.
static ptx_outcome permute(ptx_thread *t, const ptx_instruction *i) {
  uint64_t bytes = join(t->r[i->slot[1]], t->r[i->slot[2]]), result = 0;
  uint32_t selector = ptx_u32(t, i, 3);
  for (unsigned k = 0; k < 4; k++) {
    unsigned which = selector >> 4 * k & 15;
    uint8_t byte = (uint8_t)(bytes >> 8 * (which & 7));
    if (which & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= (uint64_t)byte << 8 * k;
  }
  t->r[i->slot[0]] = result;
  return PTX_GO;
}

// prmt.f4e and others, by the last two bits of the selector.
static const uint16_t permute_modes[][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
    {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
    {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
    {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
    {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
    {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
};
static ptx_outcome permute_mode(ptx_thread *t, const ptx_instruction *i) {
  uint64_t bytes = join(t->r[i->slot[1]], t->r[i->slot[2]]), result = 0;
  uint16_t selector = permute_modes[i->mode][ptx_u32(t, i, 3) & 3];
  for (unsigned k = 0; k < 4; k++)
    result |= (bytes >> 8 * (selector >> 4 * k & 7) & 0xff) << 8 * k;
  t->r[i->slot[0]] = result;
  return PTX_GO;
}

// lop3: any function of three bits, given by what it is of 0xf0, 0xcc and 0xaa.
static ptx_outcome logic_of_three(ptx_thread *t, const ptx_instruction *i) {
  uint32_t a = ptx_u32(t, i, 1), b = ptx_u32(t, i, 2), c = ptx_u32(t, i, 3), result = 0;
  for (unsigned k = 0; k < 8; k++)
    if (i->count >> k & 1)
      result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  t->r[i->slot[0]] = result;
  return PTX_GO;
}

#define BIND_LOGIC(name, count, words, predicates)                                                 \
  static void name(ptx_operation *op) {                                                            \
    ptx_type type = ptx_take_type(op);                                                             \
    ptx_lay_down(op, type, count, type == PTX_PRED ? predicates : words);                          \
  }
BIND_LOGIC(bind_both, 2, both, both)
BIND_LOGIC(bind_either, 2, either, either)
BIND_LOGIC(bind_one_of, 2, one_of, one_of)
BIND_LOGIC(bind_inverse, 1, inverse, is_false)

// A result of `bits` bits whatever the operand's type.
static ptx_execute by_width(ptx_type type, ptx_execute of_16, ptx_execute of_32,
                            ptx_execute of_64) {
  unsigned bits = ptx_type_is_integer(type) ? ptx_type_bits(type) : 0;
  return bits == 16 ? of_16 : bits == 32 ? of_32 : bits == 64 ? of_64 : NULL;
}

static void bind_is_zero(ptx_operation *op) {
  ptx_type type = ptx_take_type(op);
  ptx_lay_down(op, type, 1, by_width(type, is_zero_16, is_zero_32, is_zero_64));
}

static void bind_shift(ptx_operation *op, bool is_left) {
  ptx_type type = ptx_take_type(op);
  if (!ptx_expect_operands(op, 3, 3))
    return;
  ptx_define(op, 0, type, 0);
  ptx_use(op, 1, type, 1);
  ptx_use(op, 2, PTX_U32, 2);
  op->instruction->execute = is_left ? by_width(type, left_16, left_32, left_64)
                             : ptx_type_is_signed(type)
                                 ? by_width(type, right_s16, right_s32, right_s64)
                                 : by_width(type, right_u16, right_u32, right_u64);
}

static void bind_left(ptx_operation *op) { bind_shift(op, true); }
static void bind_right(ptx_operation *op) { bind_shift(op, false); }

static void bind_funnel(ptx_operation *op) {
  bool is_left = ptx_take(op, "l"), wraps = (is_left || ptx_take(op, "r")) && ptx_take(op, "wrap");
  if (!wraps && !ptx_take(op, "clamp"))
    ptx_refuse(op, "shf without .wrap or .clamp");
  ptx_type type = ptx_take_type(op);
  ptx_lay_down(op, type, 3,
               ptx_type_bits(type) != 32 ? NULL
               : wraps                   ? (is_left ? funnel_left_wrap : funnel_right_wrap)
                                         : (is_left ? funnel_left_clamp : funnel_right_clamp));
}

// What counts gives 32 bits.
static void bind_count(ptx_operation *op, ptx_execute of_32, ptx_execute of_64) {
  ptx_type type = ptx_take_type(op);
  op->instruction->type = (uint8_t)type;
  op->instruction->count = ptx_type_bits(type);
  if (!ptx_expect_operands(op, 2, 2))
    return;
  ptx_define(op, 0, PTX_B32, 0);
  ptx_use(op, 1, type, 1);
  op->instruction->execute = by_width(type, NULL, of_32, of_64);
}

static void bind_ones(ptx_operation *op) { bind_count(op, ones_32, ones_64); }
static void bind_zeros(ptx_operation *op) { bind_count(op, zeros_32, zeros_64); }
static void bind_find(ptx_operation *op) {
  op->instruction->flags = ptx_take(op, "shiftamt");
  bind_count(op, find_bit, find_bit);
}

static void bind_reverse(ptx_operation *op) {
  ptx_type type = ptx_take_type(op);
  ptx_lay_down(op, type, 1, by_width(type, NULL, reverse_32, reverse_64));
}

static void bind_extract(ptx_operation *op) {
  ptx_type type = ptx_take_type(op);
  op->instruction->type = (uint8_t)type;
  op->instruction->count = ptx_type_bits(type);
  if (!ptx_expect_operands(op, 4, 4))
    return;
  ptx_define(op, 0, type, 0);
  ptx_use(op, 1, type, 1);
  ptx_use(op, 2, PTX_U32, 2);
  ptx_use(op, 3, PTX_U32, 3);
  op->instruction->execute = by_width(type, NULL, extract_field, extract_field);
}

static void bind_insert(ptx_operation *op) {
  ptx_type type = ptx_take_type(op);
  op->instruction->count = ptx_type_bits(type);
  if (!ptx_expect_operands(op, 5, 5))
    return;
  ptx_define(op, 0, type, 0);
  for (unsigned k = 1; k <= 4; k++)
    ptx_use(op, k, k < 3 ? type : PTX_U32, k);
  op->instruction->execute = by_width(type, NULL, insert_field, insert_field);
}

static void bind_permute(ptx_operation *op) {
  static const char *const modes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16", NULL};
  ptx_type type = ptx_take_type(op);
  int mode = ptx_take_one_of(op, modes);
  op->instruction->mode = (uint8_t)(mode < 0 ? 0 : mode);
  ptx_lay_down(op, type, 3, type != PTX_B32 ? NULL : mode < 0 ? permute : permute_mode);
}

static void bind_logic_of_three(ptx_operation *op) {
  ptx_type type = ptx_take_type(op);
  if (type != PTX_B32 || !ptx_expect_operands(op, 5, 5))
    return;
  op->instruction->count = (uint32_t)ptx_literal(op, 4);
  ptx_define(op, 0, type, 0);
  for (unsigned k = 1; k <= 3; k++)
    ptx_use(op, k, type, k);
  op->instruction->execute = logic_of_three;
}

const ptx_binding ptx_bit_bindings[] = {{"and", bind_both},
                                        {"or", bind_either},
                                        {"xor", bind_one_of},
                                        {"not", bind_inverse},
                                        {"cnot", bind_is_zero},
                                        {"shl", bind_left},
                                        {"shr", bind_right},
                                        {"shf", bind_funnel},
                                        {"popc", bind_ones},
                                        {"clz", bind_zeros},
                                        {"bfind", bind_find},
                                        {"brev", bind_reverse},
                                        {"bfe", bind_extract},
                                        {"bfi", bind_insert},
                                        {"prmt", bind_permute},
                                        {"lop3", bind_logic_of_three},
                                        {NULL, NULL}};
