//===- warp.c - Instructions that the lanes of a warp have together
//--------------------------------===//
//
// Each lane has its own instruction, as those of a divided warp may meet at different places.
//
//===--------------------------------------------------------------------------------------===//

#include "unittests/ptx/operation.h"
#include "unittests/ptx/run.h"

#include <string.h>

#define FOR_LANES(lane, mask)                                                                      \
  for (unsigned lane = 0; lane < PTX_WARP; lane++)                                                 \
    if ((mask) >> lane & 1)

ptx_outcome ptx_wait_warp(ptx_thread *t, const ptx_instruction *i) {
  if (i->mask && !((uint32_t)t->r[i->mask] >> t->lane & 1))
    return ptx_fail(t, i, PTX_FAULT_TRAP, "the mask 0x%08x does not name lane %u, which is here",
                    (uint32_t)t->r[i->mask], t->lane);
  return PTX_WAIT_WARP;
}

static ptx_outcome meet(ptx_warp *warp, uint32_t mask) {
  (void)warp;
  (void)mask;
  return PTX_GO;
}

void ptx_bind_warp_barrier(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  if (!ptx_expect_operands(op, 1, 1))
    return;
  ptx_use(op, 0, PTX_U32, 0);
  i->mask = i->slot[0];
  i->collective = meet;
  i->execute = ptx_wait_warp;
}

// Slots: result, whether it came from another lane, value, lane or distance, limits, mask.
enum { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BUTTERFLY, SHUFFLE_INDEX };

static unsigned shuffle_from(const ptx_thread *t, const ptx_instruction *i, bool *out_is_inside) {
  uint32_t b = ptx_u32(t, i, 3) & 31, c = ptx_u32(t, i, 4);
  uint32_t limit = c & 31, segment = c >> 8 & 31;
  uint32_t most = (t->lane & segment) | (limit & ~segment), least = t->lane & segment;
  int from;
  switch (i->mode) {
  case SHUFFLE_UP:
    from = (int)t->lane - (int)b;
    *out_is_inside = from >= (int)most;
    break;
  case SHUFFLE_DOWN:
    from = (int)(t->lane + b);
    *out_is_inside = from <= (int)most;
    break;
  case SHUFFLE_BUTTERFLY:
    from = (int)(t->lane ^ b);
    *out_is_inside = from <= (int)most;
    break;
  default:
    from = (int)(least | (b & ~segment));
    *out_is_inside = from <= (int)most;
  }
  return *out_is_inside ? (unsigned)from : t->lane;
}

static ptx_outcome shuffle(ptx_warp *warp, uint32_t mask) {
  uint64_t results[PTX_WARP];
  bool inside[PTX_WARP];
  FOR_LANES(lane, mask) {
    ptx_thread *t = warp->lanes[lane];
    unsigned from = shuffle_from(t, t->waits, &inside[lane]);
    if (!(mask >> from & 1))
      return ptx_fail(t, t->waits, PTX_FAULT_TRAP, "reads lane %u, which is not among 0x%08x", from,
                      mask);
    const ptx_thread *other = warp->lanes[from];
    results[lane] = other->r[other->waits->slot[2]];
  }
  FOR_LANES(lane, mask) {
    ptx_thread *t = warp->lanes[lane];
    t->r[t->waits->slot[0]] = results[lane];
    t->r[t->waits->slot[1]] = inside[lane];
  }
  return PTX_GO;
}

static void bind_shuffle(ptx_operation *op) {
  static const char *const modes[] = {"up", "down", "bfly", "idx", NULL};
  ptx_instruction *i = op->instruction;
  if (!ptx_take(op, "sync"))
    return;
  int mode = ptx_take_one_of(op, modes);
  ptx_type type = ptx_take_type(op);
  if (mode < 0 || type != PTX_B32 || !ptx_expect_operands(op, 5, 5))
    return;
  i->mode = (uint8_t)mode;
  ptx_define_element(op, 0, 0, type, 0);
  i->slot[1] = PTX_SLOT_SINK;
  if (op->operands[0].kind == PTX_OPERAND_PAIR)
    ptx_define_element(op, 0, 1, PTX_PRED, 1);
  for (unsigned k = 1; k < 5; k++)
    ptx_use(op, k, PTX_B32, k + 1);
  i->mask = i->slot[5];
  i->collective = shuffle;
  i->execute = ptx_wait_warp;
}

// Slots: result, predicate; `flags`: the predicate is meant inverted.
enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };

static ptx_outcome vote(ptx_warp *warp, uint32_t mask) {
  uint32_t ballot = 0;
  FOR_LANES(lane, mask) {
    const ptx_thread *t = warp->lanes[lane];
    bool value = (t->r[t->waits->slot[1]] & 1) != t->waits->flags;
    ballot |= (uint32_t)value << lane;
  }
  FOR_LANES(lane, mask) {
    ptx_thread *t = warp->lanes[lane];
    const uint32_t results[] = {ballot == mask, ballot != 0, ballot == mask || ballot == 0, ballot};
    t->r[t->waits->slot[0]] = results[t->waits->mode];
  }
  return PTX_GO;
}

static void bind_vote(ptx_operation *op) {
  static const char *const modes[] = {"all", "any", "uni", "ballot", NULL};
  ptx_instruction *i = op->instruction;
  if (!ptx_take(op, "sync"))
    return;
  int mode = ptx_take_one_of(op, modes);
  ptx_type type = ptx_take_type(op);
  if (mode < 0 || !ptx_expect_operands(op, 3, 3))
    return;
  i->mode = (uint8_t)mode;
  ptx_define(op, 0, type, 0);
  i->flags = op->operands[1].values[0].is_negated;
  op->operands[1].values[0].is_negated = false;
  ptx_use(op, 1, PTX_PRED, 1);
  ptx_use(op, 2, PTX_B32, 2);
  i->mask = i->slot[2];
  i->collective = vote;
  i->execute = ptx_wait_warp;
}

enum { REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR, REDUCE_XOR };

static uint32_t reduce_two(const ptx_instruction *i, uint32_t a, uint32_t b) {
  bool is_less = i->type == PTX_S32 ? (int32_t)a < (int32_t)b : a < b;
  switch (i->mode) {
  case REDUCE_ADD:
    return a + b;
  case REDUCE_MIN:
    return is_less ? a : b;
  case REDUCE_MAX:
    return is_less ? b : a;
  case REDUCE_AND:
    return a & b;
  case REDUCE_OR:
    return a | b;
  default:
    return a ^ b;
  }
}

static ptx_outcome reduce(ptx_warp *warp, uint32_t mask) {
  uint32_t result = 0;
  bool is_first = true;
  FOR_LANES(lane, mask) {
    const ptx_thread *t = warp->lanes[lane];
    uint32_t value = ptx_u32(t, t->waits, 1);
    result = is_first ? value : reduce_two(t->waits, result, value);
    is_first = false;
  }
  FOR_LANES(lane, mask) warp->lanes[lane]->r[warp->lanes[lane]->waits->slot[0]] = result;
  return PTX_GO;
}

static void bind_reduce(ptx_operation *op) {
  static const char *const modes[] = {"add", "min", "max", "and", "or", "xor", NULL};
  ptx_instruction *i = op->instruction;
  if (!ptx_take(op, "sync"))
    return;
  int mode = ptx_take_one_of(op, modes);
  ptx_type type = ptx_take_type(op);
  if (mode < 0 || !ptx_type_is_integer(type) || ptx_type_bits(type) != 32 ||
      !ptx_expect_operands(op, 3, 3))
    return;
  i->mode = (uint8_t)mode;
  i->type = (uint8_t)type;
  ptx_define(op, 0, type, 0);
  ptx_use(op, 1, type, 1);
  ptx_use(op, 2, PTX_B32, 2);
  i->mask = i->slot[2];
  i->collective = reduce;
  i->execute = ptx_wait_warp;
}

// match.any: which lanes have the same value; match.all: all or none, and a predicate.
static ptx_outcome match(ptx_warp *warp, uint32_t mask) {
  uint32_t results[PTX_WARP] = {0};
  FOR_LANES(lane, mask) {
    const ptx_thread *t = warp->lanes[lane];
    uint64_t ones = t->waits->count == 64 ? UINT64_MAX : UINT32_MAX;
    FOR_LANES(other, mask) {
      const ptx_thread *o = warp->lanes[other];
      if (!((t->r[t->waits->slot[2]] ^ o->r[o->waits->slot[2]]) & ones))
        results[lane] |= UINT32_C(1) << other;
    }
  }
  FOR_LANES(lane, mask) {
    ptx_thread *t = warp->lanes[lane];
    bool all = results[lane] == mask;
    t->r[t->waits->slot[0]] = t->waits->mode && !all ? 0 : results[lane];
    t->r[t->waits->slot[1]] = all;
  }
  return PTX_GO;
}

static void bind_match(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  i->mode = ptx_take(op, "all");
  if ((!i->mode && !ptx_take(op, "any")) || !ptx_take(op, "sync"))
    return;
  ptx_type type = ptx_take_type(op);
  if (!ptx_expect_operands(op, 3, 3))
    return;
  i->count = ptx_type_bits(type);
  ptx_define_element(op, 0, 0, PTX_B32, 0);
  i->slot[1] = PTX_SLOT_SINK;
  if (op->operands[0].kind == PTX_OPERAND_PAIR)
    ptx_define_element(op, 0, 1, PTX_PRED, 1);
  ptx_use(op, 1, type, 2);
  ptx_use(op, 2, PTX_B32, 3);
  i->mask = i->slot[3];
  i->collective = match;
  i->execute = ptx_wait_warp;
}

static ptx_outcome elect(ptx_warp *warp, uint32_t mask) {
  unsigned first = (unsigned)__builtin_ctz(mask);
  FOR_LANES(lane, mask) {
    ptx_thread *t = warp->lanes[lane];
    t->r[t->waits->slot[0]] = first;
    t->r[t->waits->slot[1]] = lane == first;
  }
  return PTX_GO;
}

static void bind_elect(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  if (!ptx_take(op, "sync") || !ptx_expect_operands(op, 2, 2) ||
      op->operands[0].kind != PTX_OPERAND_PAIR)
    return;
  ptx_define_element(op, 0, 0, PTX_B32, 0);
  ptx_define_element(op, 0, 1, PTX_PRED, 1);
  ptx_use(op, 1, PTX_B32, 2);
  i->mask = i->slot[2];
  i->collective = elect;
  i->execute = ptx_wait_warp;
}

// Those that have come here, when the others wait elsewhere or have left.
static ptx_outcome active_mask(ptx_warp *warp, uint32_t mask) {
  FOR_LANES(lane, mask) warp->lanes[lane]->r[warp->lanes[lane]->waits->slot[0]] = mask;
  return PTX_GO;
}

static void bind_active_mask(ptx_operation *op) {
  ptx_type type = ptx_take_type(op);
  if (ptx_expect_operands(op, 1, 1))
    ptx_define(op, 0, type, 0);
  op->instruction->gathers = true;
  op->instruction->collective = active_mask;
  op->instruction->execute = ptx_wait_warp;
}

const ptx_binding ptx_warp_bindings[] = {{"shfl", bind_shuffle},
                                         {"vote", bind_vote},
                                         {"redux", bind_reduce},
                                         {"match", bind_match},
                                         {"elect", bind_elect},
                                         {"activemask", bind_active_mask},
                                         {NULL, NULL}};
