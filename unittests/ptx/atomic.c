//===- atomic.c - atom and red
//----------------------------------------------------------------------===//

#include "unittests/ptx/rounding.h"
#include "unittests/ptx/run.h"

#include <math.h>

typedef enum update {
  ADD,
  AND,
  OR,
  XOR,
  LEAST,
  GREATEST,
  EXCHANGE,
  COMPARE,
  INCREMENT,
  DECREMENT
} update;

static const char *const updates[] = {"add",  "and", "or",  "xor", "min", "max",
                                      "exch", "cas", "inc", "dec", NULL};

static uint64_t update_integer(const ptx_instruction *i, uint64_t old, uint64_t b, uint64_t c) {
  ptx_type type = (ptx_type)i->type;
  unsigned bits = ptx_type_bits(type);
  bool is_signed = ptx_type_is_signed(type);
  uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  old &= mask;
  b &= mask;
  bool is_less = !is_signed   ? old < b
                 : bits == 32 ? (int32_t)old < (int32_t)b
                              : (int64_t)old < (int64_t)b;
  switch ((update)i->mode) {
  case ADD:
    return old + b;
  case AND:
    return old & b;
  case OR:
    return old | b;
  case XOR:
    return old ^ b;
  case LEAST:
    return is_less ? old : b;
  case GREATEST:
    return is_less ? b : old;
  case EXCHANGE:
    return b;
  case COMPARE:
    return old == b ? c : old;
  case INCREMENT:
    return old >= b ? 0 : old + 1;
  case DECREMENT:
    return old == 0 || old > b ? b : old - 1;
  }
  return old;
}

static uint64_t update_float(ptx_type type, update what, uint64_t old, uint64_t b) {
  double first = ptx_decode(type, old), second = ptx_decode(type, b);
  double result = what == ADD     ? first + second
                  : what == LEAST ? fmin(first, second)
                                  : fmax(first, second);
  return ptx_encode(type, result, PTX_NEAREST);
}

// `from`: the type of each of the halves, where there are two.
static uint64_t updated(const ptx_instruction *i, uint64_t old, uint64_t b, uint64_t c) {
  ptx_type type = (ptx_type)i->type;
  update what = (update)i->mode;
  if (i->from != PTX_NONE)
    return update_float((ptx_type)i->from, what, old, b) |
           update_float((ptx_type)i->from, what, old >> 16, b >> 16) << 16;
  return ptx_type_is_float(type) ? update_float(type, what, old, b) : update_integer(i, old, b, c);
}

static ptx_outcome do_update(ptx_thread *t, const ptx_instruction *i) {
  unsigned bytes = ptx_type_bytes((ptx_type)i->type);
  uint8_t *at =
      ptx_locate(t, i, (ptx_space)i->space, ptx_address(t, i, 0), bytes, PTX_ATOMIC | PTX_WRITE);
  if (!at)
    return PTX_STOP;
  uint64_t old = 0;
  memcpy(&old, at, bytes);
  uint64_t new = updated(i, old, t->r[i->slot[2]], t->r[i->slot[3]]);
  if (i->space <= PTX_GLOBAL && memcmp(at, &new, bytes))
    t->group->run->report->has_changed_memory = true;
  memcpy(at, &new, bytes);
  t->r[i->slot[1]] = old;
  return PTX_GO;
}

// An order of acquire or release may be what keeps other accesses apart.
static ptx_outcome do_ordered_update(ptx_thread *t, const ptx_instruction *i) {
  ptx_outcome outcome = do_update(t, i);
  t->group->epoch++;
  return outcome;
}

static void bind_update(ptx_operation *op, bool has_result) {
  static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", NULL};
  static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
  ptx_instruction *i = op->instruction;
  i->space = (uint8_t)ptx_take_space(op);
  int order = ptx_take_one_of(op, orders), what = ptx_take_one_of(op, updates);
  ptx_take_one_of(op, scopes);
  ptx_take(op, "noftz");
  ptx_type type = ptx_take_type(op);
  if (what < 0)
    return;
  i->mode = (uint8_t)what;
  i->type = (uint8_t)type;
  i->from = type == PTX_F16X2 ? PTX_F16 : type == PTX_BF16X2 ? PTX_BF16 : PTX_NONE;
  bool is_packed = i->from != PTX_NONE;
  bool is_float = is_packed || ptx_type_is_float(type);
  if (is_float ? what != ADD && what != LEAST && what != GREATEST
               : !ptx_type_is_integer(type) || ptx_type_bits(type) < 16)
    return;
  unsigned count = 2u + has_result + (what == COMPARE);
  if (!ptx_expect_operands(op, count, count))
    return;
  if (has_result)
    ptx_define(op, 0, type, 1);
  else
    i->slot[1] = PTX_SLOT_SINK;
  ptx_use_address(op, has_result, 0);
  ptx_use(op, 1u + has_result, type, 2);
  if (what == COMPARE)
    ptx_use(op, 2u + has_result, type, 3);
  i->execute = order > 0 ? do_ordered_update : do_update;
}

static void bind_atomic(ptx_operation *op) { bind_update(op, true); }
static void bind_reduce(ptx_operation *op) { bind_update(op, false); }

const ptx_binding ptx_atomic_bindings[] = {
    {"atom", bind_atomic}, {"red", bind_reduce}, {NULL, NULL}};
