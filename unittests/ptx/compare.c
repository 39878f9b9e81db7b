//===- compare.c - setp, set, selp, slct, testp
//------------------------------------------------------===//

#include "unittests/ptx/rounding.h"
#include "unittests/ptx/run.h"

#include <math.h>

// What holds between two numbers, as bits: less, equal, greater, unordered. A comparison is the set
// of those for which it is true.
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "lo",
                                          "ls",  "hi",  "hs",  "equ", "neu", "ltu", "leu",
                                          "gtu", "geu", "num", "nan", NULL};
static const uint8_t sets[] = {EQUAL,
                               LESS | GREATER,
                               LESS,
                               LESS | EQUAL,
                               GREATER,
                               GREATER | EQUAL,
                               LESS,
                               LESS | EQUAL,
                               GREATER,
                               GREATER | EQUAL,
                               EQUAL | UNORDERED,
                               LESS | GREATER | UNORDERED,
                               LESS | UNORDERED,
                               LESS | EQUAL | UNORDERED,
                               GREATER | UNORDERED,
                               GREATER | EQUAL | UNORDERED,
                               LESS | EQUAL | GREATER,
                               UNORDERED};
enum { FIRST_UNSIGNED = 6, LAST_UNSIGNED = 9 }; // lo, ls, hi, hs

enum { JOIN_NONE, JOIN_AND, JOIN_OR, JOIN_XOR };

#define RELATE(a, b)                                                                               \
  (uint8_t)((a) < (b) ? LESS : (a) == (b) ? EQUAL : (a) > (b) ? GREATER : UNORDERED)

static uint8_t relate_floats(ptx_type type, uint64_t a, uint64_t b, bool flushes) {
  double first = ptx_decode(type, a), second = ptx_decode(type, b);
  if (flushes && fabs(first) < 0x1p-126)
    first = 0;
  if (flushes && fabs(second) < 0x1p-126)
    second = 0;
  return RELATE(first, second);
}

static uint8_t relate(ptx_type type, uint64_t a, uint64_t b, bool flushes) {
  switch (type) {
  case PTX_S16:
    return RELATE((int16_t)a, (int16_t)b);
  case PTX_S32:
    return RELATE((int32_t)a, (int32_t)b);
  case PTX_S64:
    return RELATE((int64_t)a, (int64_t)b);
  case PTX_U16:
  case PTX_B16:
    return RELATE((uint16_t)a, (uint16_t)b);
  case PTX_U32:
  case PTX_B32:
    return RELATE((uint32_t)a, (uint32_t)b);
  case PTX_U64:
  case PTX_B64:
    return RELATE(a, b);
  default:
    return relate_floats(type, a, b, flushes);
  }
}

static bool join(unsigned how, bool value, bool other) {
  return how == JOIN_AND   ? value && other
         : how == JOIN_OR  ? value || other
         : how == JOIN_XOR ? value != other
                           : value;
}

// Slots: result, its inverse or the upper half's, the two numbers, the predicate to join. `mode`:
// the comparison's set; `flags`: how to join, and with what.
enum { JOINS = 3, NEGATES = 4, FLUSHES = 8 };

static bool compare_at(const ptx_thread *t, const ptx_instruction *i, unsigned shift) {
  return relate((ptx_type)i->type, t->r[i->slot[2]] >> shift, t->r[i->slot[3]] >> shift,
                i->flags & FLUSHES) &
         i->mode;
}

static bool other_predicate(const ptx_thread *t, const ptx_instruction *i) {
  return (t->r[i->slot[4]] & 1) != ((i->flags & NEGATES) != 0);
}

static ptx_outcome set_predicates(ptx_thread *t, const ptx_instruction *i) {
  bool is_true = compare_at(t, i, 0), other = other_predicate(t, i);
  unsigned how = i->flags & JOINS;
  t->r[i->slot[0]] = join(how, is_true, other);
  t->r[i->slot[1]] = join(how, !is_true, other);
  return PTX_GO;
}

#define SHORT_WAY(name, type)                                                                      \
  static ptx_outcome name(ptx_thread *t, const ptx_instruction *i) {                               \
    type a = (type)t->r[i->slot[2]], b = (type)t->r[i->slot[3]];                                   \
    t->r[i->slot[0]] = (RELATE(a, b) & i->mode) != 0;                                              \
    return PTX_GO;                                                                                 \
  }
SHORT_WAY(compare_u32, uint32_t)
SHORT_WAY(compare_s32, int32_t)
SHORT_WAY(compare_u64, uint64_t)
SHORT_WAY(compare_s64, int64_t)

static ptx_outcome set_half_predicates(ptx_thread *t, const ptx_instruction *i) {
  bool low = compare_at(t, i, 0), high = compare_at(t, i, 16), other = other_predicate(t, i);
  t->r[i->slot[0]] = join(i->flags & JOINS, low, other);
  t->r[i->slot[1]] = join(i->flags & JOINS, high, other);
  return PTX_GO;
}

static uint64_t truth(ptx_type type, bool value) {
  return !value             ? 0
         : type == PTX_F32  ? ptx_f32_bits(1)
         : type == PTX_F16  ? 0x3c00
         : type == PTX_BF16 ? 0x3f80
                            : UINT32_MAX;
}

static ptx_outcome set_value(ptx_thread *t, const ptx_instruction *i) {
  bool value = join(i->flags & JOINS, compare_at(t, i, 0), other_predicate(t, i));
  t->r[i->slot[0]] = truth((ptx_type)i->from, value);
  return PTX_GO;
}

static ptx_outcome set_halves(ptx_thread *t, const ptx_instruction *i) {
  ptx_type type = (ptx_type)i->from;
  bool low = join(i->flags & JOINS, compare_at(t, i, 0), other_predicate(t, i));
  bool high = join(i->flags & JOINS, compare_at(t, i, 16), other_predicate(t, i));
  t->r[i->slot[0]] = (truth(type, low) & 0xffff) | (truth(type, high) & 0xffff) << 16;
  return PTX_GO;
}

static ptx_type half_of(ptx_type type) {
  return type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : type;
}

// The comparison, how it is joined, and the numbers' type and slots. Returns that type.
static ptx_type bind_comparison(ptx_operation *op, ptx_type *out_result) {
  static const char *const joins[] = {"and", "or", "xor", NULL};
  static const ptx_type unsigned_types[] = {
      [8] = PTX_U8, [16] = PTX_U16, [32] = PTX_U32, [64] = PTX_U64};
  ptx_instruction *i = op->instruction;
  int comparison = ptx_take_one_of(op, comparisons), how = ptx_take_one_of(op, joins);
  if (comparison < 0) {
    ptx_refuse(op, "%s without a comparison", op->parts[0]);
    return PTX_NONE;
  }
  i->mode = sets[comparison];
  i->flags = (unsigned)(how + 1);
  if (ptx_take(op, "ftz"))
    i->flags |= FLUSHES;
  if (out_result)
    *out_result = ptx_take_type(op);
  ptx_type type = ptx_take_type(op);
  bool is_known =
      ptx_type_is_integer(type) ? ptx_type_bits(type) >= 16 : ptx_type_is_float(half_of(type));
  if (!is_known || !ptx_expect_operands(op, how < 0 ? 3 : 4, how < 0 ? 3 : 4))
    return PTX_NONE;
  bool is_unsigned = comparison >= FIRST_UNSIGNED && comparison <= LAST_UNSIGNED;
  i->type = (uint8_t)(is_unsigned && ptx_type_is_integer(type) ? unsigned_types[ptx_type_bits(type)]
                                                               : half_of(type));
  ptx_use(op, 1, type, 2);
  ptx_use(op, 2, type, 3);
  if (how >= 0) {
    if (op->operands[3].values[0].is_negated)
      i->flags |= NEGATES;
    op->operands[3].values[0].is_negated = false;
    ptx_use(op, 3, PTX_PRED, 4);
  }
  return type;
}

static ptx_execute short_way(const ptx_instruction *i) {
  if (i->flags || i->slot[1] != PTX_SLOT_SINK)
    return NULL;
  switch ((ptx_type)i->type) {
  case PTX_U32:
  case PTX_B32:
    return compare_u32;
  case PTX_S32:
    return compare_s32;
  case PTX_U64:
  case PTX_B64:
    return compare_u64;
  case PTX_S64:
    return compare_s64;
  default:
    return NULL;
  }
}

static void bind_set_predicates(ptx_operation *op) {
  ptx_type type = bind_comparison(op, NULL);
  if (type == PTX_NONE)
    return;
  ptx_instruction *i = op->instruction;
  bool is_pair = op->operands[0].kind == PTX_OPERAND_PAIR;
  ptx_define_element(op, 0, 0, PTX_PRED, 0);
  i->slot[1] = PTX_SLOT_SINK;
  if (is_pair)
    ptx_define_element(op, 0, 1, PTX_PRED, 1);
  ptx_execute direct = short_way(i);
  i->execute = direct ? direct : half_of(type) != type ? set_half_predicates : set_predicates;
}

static void bind_set(ptx_operation *op) {
  ptx_type result, type = bind_comparison(op, &result);
  if (type == PTX_NONE)
    return;
  bool is_packed = half_of(type) != type;
  ptx_define(op, 0, is_packed ? PTX_B32 : result, 0);
  op->instruction->from = (uint8_t)half_of(result);
  op->instruction->execute = is_packed ? set_halves : set_value;
}

static ptx_outcome select_value(ptx_thread *t, const ptx_instruction *i) {
  t->r[i->slot[0]] = t->r[i->slot[3]] & 1 ? t->r[i->slot[1]] : t->r[i->slot[2]];
  return PTX_GO;
}

static void bind_select(ptx_operation *op) {
  ptx_type type = ptx_take_type(op);
  if (!ptx_expect_operands(op, 4, 4))
    return;
  ptx_define(op, 0, type, 0);
  ptx_use(op, 1, type, 1);
  ptx_use(op, 2, type, 2);
  ptx_use(op, 3, PTX_PRED, 3);
  op->instruction->execute = select_value;
}

static ptx_outcome select_by_sign(ptx_thread *t, const ptx_instruction *i) {
  bool is_first =
      i->type == PTX_F32 ? ptx_f32(t->r[i->slot[3]]) >= 0 : (int32_t)t->r[i->slot[3]] >= 0;
  t->r[i->slot[0]] = is_first ? t->r[i->slot[1]] : t->r[i->slot[2]];
  return PTX_GO;
}

static void bind_select_by_sign(ptx_operation *op) {
  ptx_take(op, "ftz");
  ptx_type type = ptx_take_type(op), sign = ptx_take_type(op);
  if ((sign != PTX_F32 && sign != PTX_S32) || !ptx_expect_operands(op, 4, 4))
    return;
  op->instruction->type = (uint8_t)sign;
  ptx_define(op, 0, type, 0);
  ptx_use(op, 1, type, 1);
  ptx_use(op, 2, type, 2);
  ptx_use(op, 3, sign, 3);
  op->instruction->execute = select_by_sign;
}

static const char *const classes[] = {"finite",    "infinite", "number", "notanumber",
                                      "subnormal", "normal",   NULL};

static ptx_outcome test_class(ptx_thread *t, const ptx_instruction *i) {
  uint64_t bits = t->r[i->slot[1]];
  int kind = i->type == PTX_F32 ? fpclassify(ptx_f32(bits)) : fpclassify(ptx_f64(bits));
  const bool results[] = {kind != FP_NAN && kind != FP_INFINITE,
                          kind == FP_INFINITE,
                          kind != FP_NAN,
                          kind == FP_NAN,
                          kind == FP_SUBNORMAL,
                          kind == FP_NORMAL || kind == FP_ZERO};
  t->r[i->slot[0]] = results[i->mode];
  return PTX_GO;
}

static void bind_test_class(ptx_operation *op) {
  int which = ptx_take_one_of(op, classes);
  ptx_type type = ptx_take_type(op);
  if (which < 0 || (type != PTX_F32 && type != PTX_F64) || !ptx_expect_operands(op, 2, 2))
    return;
  op->instruction->mode = (uint8_t)which;
  op->instruction->type = (uint8_t)type;
  ptx_define(op, 0, PTX_PRED, 0);
  ptx_use(op, 1, type, 1);
  op->instruction->execute = test_class;
}

const ptx_binding ptx_compare_bindings[] = {
    {"setp", bind_set_predicates}, {"set", bind_set},          {"selp", bind_select},
    {"slct", bind_select_by_sign}, {"testp", bind_test_class}, {NULL, NULL}};
