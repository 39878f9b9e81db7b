//===- access.c - ld, st, mov and addresses
//--------------------------------------------------------===//

#include "unittests/ptx/operation.h"
#include "unittests/ptx/run.h"

#include <string.h>

// In slot 0 is the address, from slot 1 on the elements. `count` of them, of `mode` bytes; `flags`
// says how memory is touched.
static uint8_t *locate(ptx_thread *t, const ptx_instruction *i) {
  return ptx_locate(t, i, (ptx_space)i->space, ptx_address(t, i, 0), i->count * i->mode, i->flags);
}

#define LOAD(name, type)                                                                           \
  static ptx_outcome name(ptx_thread *t, const ptx_instruction *i) {                               \
    const uint8_t *from = locate(t, i);                                                            \
    if (!from)                                                                                     \
      return PTX_STOP;                                                                             \
    for (uint32_t k = 0; k < i->count; k++) {                                                      \
      type value;                                                                                  \
      memcpy(&value, from + k * sizeof value, sizeof value);                                       \
      t->r[i->slot[1 + k]] = (uint64_t)(int64_t)value;                                             \
    }                                                                                              \
    return PTX_GO;                                                                                 \
  }
LOAD(load_u8, uint8_t)
LOAD(load_u16, uint16_t)
LOAD(load_u32, uint32_t)
LOAD(load_u64, uint64_t)
LOAD(load_s8, int8_t)
LOAD(load_s16, int16_t)
LOAD(load_s32, int32_t)

#define STORE(name, type)                                                                          \
  static ptx_outcome name(ptx_thread *t, const ptx_instruction *i) {                               \
    uint8_t *to = locate(t, i);                                                                    \
    if (!to)                                                                                       \
      return PTX_STOP;                                                                             \
    for (uint32_t k = 0; k < i->count; k++) {                                                      \
      type value = (type)t->r[i->slot[1 + k]];                                                     \
      if (i->space <= PTX_GLOBAL && memcmp(to + k * sizeof value, &value, sizeof value))           \
        t->group->run->report->has_changed_memory = true;                                          \
      memcpy(to + k * sizeof value, &value, sizeof value);                                         \
    }                                                                                              \
    return PTX_GO;                                                                                 \
  }
STORE(store_8, uint8_t)
STORE(store_16, uint16_t)
STORE(store_32, uint32_t)
STORE(store_64, uint64_t)

static ptx_execute pick_load(ptx_type type) {
  bool is_signed = ptx_type_is_signed(type);
  switch (ptx_type_bits(type)) {
  case 8:
    return is_signed ? load_s8 : load_u8;
  case 16:
    return is_signed ? load_s16 : load_u16;
  case 32:
    return is_signed ? load_s32 : load_u32;
  case 64:
    return load_u64;
  }
  return NULL;
}

static ptx_execute pick_store(ptx_type type) {
  switch (ptx_type_bits(type)) {
  case 8:
    return store_8;
  case 16:
    return store_16;
  case 32:
    return store_32;
  case 64:
    return store_64;
  }
  return NULL;
}

ptx_space ptx_take_space(ptx_operation *op) {
  static const char *const names[] = {"global",      "const",        "shared",
                                      "shared::cta", "local",        "param",
                                      "param::func", "param::entry", NULL};
  static const ptx_space spaces[] = {PTX_GLOBAL, PTX_GLOBAL, PTX_SHARED, PTX_SHARED,
                                     PTX_LOCAL,  PTX_PARAM,  PTX_PARAM,  PTX_PARAM};
  int which = ptx_take_one_of(op, names);
  return which < 0 ? PTX_GENERIC : spaces[which];
}

// What is said of caches and of other groups changes nothing here, but that it may make an order
// that the search for races does not see.
static bool take_order(ptx_operation *op) {
  static const char *const caches[] = {"weak",
                                       "nc",
                                       "ca",
                                       "cg",
                                       "cs",
                                       "cv",
                                       "lu",
                                       "wb",
                                       "wt",
                                       "L1::evict_normal",
                                       "L1::evict_unchanged",
                                       "L1::evict_first",
                                       "L1::evict_last",
                                       "L1::no_allocate",
                                       "L2::evict_normal",
                                       "L2::evict_first",
                                       "L2::evict_last",
                                       "L2::64B",
                                       "L2::128B",
                                       "L2::256B",
                                       NULL};
  static const char *const orders[] = {"volatile", "relaxed", "acquire", "release", "mmio", NULL};
  static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
  while (ptx_take_one_of(op, caches) >= 0) {
  }
  bool is_ordered = ptx_take_one_of(op, orders) >= 0;
  ptx_take_one_of(op, scopes);
  return is_ordered;
}

static void bind_access(ptx_operation *op, bool is_load) {
  static const char *const vectors[] = {"v2", "v4", "v8", NULL};
  ptx_instruction *i = op->instruction;
  i->space = (uint8_t)ptx_take_space(op);
  bool is_ordered = take_order(op), has_hint = ptx_take(op, "L2::cache_hint");
  int vector = ptx_take_one_of(op, vectors);
  ptx_type type = ptx_take_type(op);
  unsigned bytes = ptx_type_bytes(type), element_operand = is_load ? 0 : 1;
  i->count = vector < 0 ? 1 : 2u << vector;
  i->mode = (uint8_t)bytes;
  i->flags = is_ordered ? PTX_ATOMIC : is_load ? PTX_READ : PTX_WRITE;
  if (!ptx_expect_operands(op, 2u + has_hint, 2u + has_hint))
    return;
  const ptx_operand *elements = &op->operands[element_operand];
  if (type == PTX_PRED || bytes * i->count > 32)
    ptx_refuse(op, "%u elements of %s are not known", i->count, ptx_type_name(type));
  else if (elements->count != i->count ||
           elements->kind != (vector < 0 ? PTX_OPERAND_VALUE : PTX_OPERAND_VECTOR))
    ptx_refuse(op, "%u elements were expected, not %u", i->count, elements->count);
  ptx_use_address(op, is_load ? 1 : 0, 0);
  for (unsigned k = 0; k < elements->count && k < i->count; k++)
    (is_load ? ptx_define_element : ptx_use_element)(op, element_operand, k, type, 1 + k);
  i->execute = is_load ? pick_load(type) : pick_store(type);
}

static void bind_load(ptx_operation *op) { bind_access(op, true); }
static void bind_store(ptx_operation *op) { bind_access(op, false); }

static ptx_outcome copy(ptx_thread *t, const ptx_instruction *i) {
  t->r[i->slot[0]] = t->r[i->slot[1]];
  return PTX_GO;
}

// `count` elements of `mode` bits, slots 1 and on, into one.
static ptx_outcome pack(ptx_thread *t, const ptx_instruction *i) {
  uint64_t mask = (UINT64_C(1) << i->mode) - 1, packed = 0;
  for (uint32_t k = 0; k < i->count; k++)
    packed |= (t->r[i->slot[1 + k]] & mask) << k * i->mode;
  t->r[i->slot[0]] = packed;
  return PTX_GO;
}

// Slot 0 into elements.
static ptx_outcome unpack(ptx_thread *t, const ptx_instruction *i) {
  uint64_t mask = (UINT64_C(1) << i->mode) - 1, packed = t->r[i->slot[0]];
  for (uint32_t k = 0; k < i->count; k++)
    t->r[i->slot[1 + k]] = packed >> k * i->mode & mask;
  return PTX_GO;
}

// A clock that goes on by one for each instruction of the thread.
static ptx_outcome read_clock(ptx_thread *t, const ptx_instruction *i) {
  t->r[i->slot[0]] = t->steps;
  return PTX_GO;
}

static void bind_vector_move(ptx_operation *op, ptx_type type, bool packs) {
  static const ptx_type parts[] = {[8] = PTX_B8, [16] = PTX_B16, [32] = PTX_B32};
  ptx_instruction *i = op->instruction;
  const ptx_operand *elements = &op->operands[packs ? 1 : 0];
  unsigned bits = ptx_type_bits(type), part = elements->count ? bits / elements->count : 0;
  if (part != 8 && part != 16 && part != 32) {
    ptx_refuse(op, "%u elements of %s are not known", elements->count, ptx_type_name(type));
    return;
  }
  i->count = elements->count;
  i->mode = (uint8_t)part;
  if (packs)
    ptx_define(op, 0, type, 0);
  else
    ptx_use(op, 1, type, 0);
  for (unsigned k = 0; k < i->count; k++)
    (packs ? ptx_use_element : ptx_define_element)(op, packs, k, parts[part], 1 + k);
  i->execute = packs ? pack : unpack;
}

static bool is_clock(const ptx_operand *operand) {
  const ptx_token *token = &operand->values[0].token;
  return operand->values[0].kind == PTX_VALUE_NAME &&
         (ptx_token_is(token, "%clock") || ptx_token_is(token, "%clock64") ||
          ptx_token_is(token, "%clock_hi") || ptx_token_is(token, "%globaltimer"));
}

static void bind_move(ptx_operation *op) {
  ptx_type type = ptx_take_type(op);
  if (!ptx_expect_operands(op, 2, 2))
    return;
  if (op->operands[0].kind == PTX_OPERAND_VECTOR || op->operands[1].kind == PTX_OPERAND_VECTOR) {
    bind_vector_move(op, type, op->operands[1].kind == PTX_OPERAND_VECTOR);
    return;
  }
  ptx_define(op, 0, type, 0);
  if (is_clock(&op->operands[1])) {
    op->instruction->execute = read_clock;
    return;
  }
  ptx_use(op, 1, type, 1);
  op->instruction->execute = copy;
}

static uint64_t window_of(ptx_space space) {
  return space == PTX_SHARED  ? PTX_SHARED_WINDOW
         : space == PTX_LOCAL ? PTX_LOCAL_WINDOW
         : space == PTX_PARAM ? PTX_PARAM_WINDOW
                              : 0;
}

static ptx_outcome to_generic(ptx_thread *t, const ptx_instruction *i) {
  t->r[i->slot[0]] = t->r[i->slot[1]] + window_of((ptx_space)i->space);
  return PTX_GO;
}

static ptx_outcome from_generic(ptx_thread *t, const ptx_instruction *i) {
  t->r[i->slot[0]] = t->r[i->slot[1]] - window_of((ptx_space)i->space);
  return PTX_GO;
}

static void bind_address(ptx_operation *op) {
  bool is_to = ptx_take(op, "to");
  op->instruction->space = (uint8_t)ptx_take_space(op);
  ptx_type type = ptx_take_type(op);
  if (op->instruction->space == PTX_GENERIC || !ptx_expect_operands(op, 2, 2))
    return;
  ptx_define(op, 0, type, 0);
  ptx_use(op, 1, type, 1);
  op->instruction->execute = is_to ? from_generic : to_generic;
}

static ptx_outcome is_in_space(ptx_thread *t, const ptx_instruction *i) {
  uint64_t window = t->r[i->slot[1]] >> PTX_WINDOW_SHIFT << PTX_WINDOW_SHIFT;
  t->r[i->slot[0]] = window == window_of((ptx_space)i->space);
  return PTX_GO;
}

static void bind_is_in_space(ptx_operation *op) {
  op->instruction->space = (uint8_t)ptx_take_space(op);
  if (!ptx_expect_operands(op, 2, 2))
    return;
  ptx_define(op, 0, PTX_PRED, 0);
  ptx_use(op, 1, PTX_U64, 1);
  op->instruction->execute = is_in_space;
}

const ptx_binding ptx_move_bindings[] = {
    {"mov", bind_move}, {"cvta", bind_address}, {"isspacep", bind_is_in_space}, {NULL, NULL}};
const ptx_binding ptx_memory_bindings[] = {
    {"ld", bind_load}, {"ldu", bind_load}, {"st", bind_store}, {NULL, NULL}};
