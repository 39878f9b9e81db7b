//===- bulk.c - mbarrier, and bulk copies of boxes of tensors that arrive at one
//---------------------------------------===//
//
// An mbarrier is the 8 bytes that it is in, with the state of "Contents of the mbarrier object":
// arrivals expected and pending, bytes pending, and the phase. What cp.async.bulk.tensor copies
// arrives when somebody waits for its mbarrier; until then the bytes it goes to are 0xff, and
// whoever touches them fails.
//
//===--------------------------------------------------------------------------------------===//

#include "unittests/ptx/operation.h"
#include "unittests/ptx/run.h"

#include <stdlib.h>
#include <string.h>

enum { SWIZZLE_ROWS = 8, MAP_ALIGNMENT = 64, COPY_ALIGNMENT = 128, ARRIVALS_MOST = (1 << 20) - 1 };

_Static_assert(sizeof(ptx_tensor_map) == 128, "as CUtensorMap");

//===- mbarrier -------------------------------------------------------------------------===//

typedef struct mbarrier {
  unsigned expected, pending, phase;
  int bytes;
} mbarrier;

// 20 bits expected, 20 pending, 22 of bytes, the phase, and a zero: memory that is none is all
// ones.
static mbarrier decode(uint64_t bits) {
  return (mbarrier){.expected = (unsigned)(bits & ARRIVALS_MOST),
                    .pending = (unsigned)(bits >> 20 & ARRIVALS_MOST),
                    .bytes = (int)((int64_t)(bits << 2) >> 42),
                    .phase = (unsigned)(bits >> 62 & 1)};
}

static uint64_t encode(const mbarrier *b) {
  return (uint64_t)b->expected | (uint64_t)b->pending << 20 |
         ((uint64_t)b->bytes & 0x3fffff) << 40 | (uint64_t)b->phase << 62;
}

// The state of what is at `bytes`; false, and the launch has failed, where that is no mbarrier.
static bool read_barrier(ptx_thread *t, const ptx_instruction *i, const uint8_t *bytes,
                         mbarrier *out) {
  uint64_t bits;
  memcpy(&bits, bytes, sizeof bits);
  *out = decode(bits);
  if (bits >> 63)
    ptx_fail(t, i, PTX_FAULT_TRAP, "there is no mbarrier: mbarrier.init has not made one");
  return !(bits >> 63);
}

// Where the mbarrier of the group's in slot 0 is, and its state.
static uint8_t *find_barrier(ptx_thread *t, const ptx_instruction *i, mbarrier *out) {
  uint8_t *bytes = ptx_locate(t, i, (ptx_space)i->space, ptx_address(t, i, 0), 8, PTX_READ);
  return bytes && read_barrier(t, i, bytes, out) ? bytes : NULL;
}

// Where the 8 bytes at `address`, of shared::cluster, are in `*out_group`, another one.
static uint8_t *find_away(ptx_thread *t, const ptx_instruction *i, uint64_t address,
                          ptx_group **out_group) {
  uint32_t there;
  *out_group = ptx_cluster_find(t, i, address, &there);
  if (!*out_group)
    return NULL;
  uint32_t place = there - PTX_SHARED_START;
  if (there % 8 || place > (*out_group)->shared_bytes || 8 > (*out_group)->shared_bytes - place) {
    ptx_fail(t, i, PTX_FAULT_ADDRESS, "no 8 bytes of shared memory are at 0x%x", there);
    return NULL;
  }
  return ptx_cluster_check_mbarrier(t, i, *out_group, place) == PTX_GO
             ? (*out_group)->shared + place
             : NULL;
}

// Those who wait look again.
static void wake(ptx_group *group) {
  for (uint32_t k = 0; k < group->thread_count; k++)
    if (group->threads[k].state == PTX_AT_MBARRIER) {
      group->threads[k].state = PTX_READY;
      group->threads[k].waits = NULL;
    }
}

static void store(ptx_group *group, uint8_t *bytes, mbarrier *b) {
  if (!b->pending && !b->bytes) { // the phase is complete, and orders what came before
    b->phase ^= 1;
    b->pending = b->expected;
    group->epoch++;
  }
  uint64_t bits = encode(b);
  memcpy(bytes, &bits, sizeof bits);
  wake(group);
}

static ptx_outcome init(ptx_thread *t, const ptx_instruction *i) {
  uint8_t *bytes = ptx_locate(t, i, (ptx_space)i->space, ptx_address(t, i, 0), 8, PTX_WRITE);
  uint32_t count = ptx_u32(t, i, 2);
  if (!bytes)
    return PTX_STOP;
  if (!count || count > ARRIVALS_MOST)
    return ptx_fail(t, i, PTX_FAULT_TRAP, "an mbarrier of %u arrivals", count);
  ptx_mbarrier *known = ptx_cluster_find_mbarrier(t->group, (uint32_t)(bytes - t->group->shared));
  if (!known)
    return ptx_fail(t, i, PTX_FAULT_MEMORY, "no memory for the mbarrier");
  known->made = t->group->known.of[t->group->rank];
  known->brought = (ptx_clocks){{0}};
  mbarrier b = {.expected = count, .pending = count};
  store(t->group, bytes, &b);
  return PTX_GO;
}

enum { EXPECTS = 1, AWAY = 2, IN_CLUSTER = 4, WAITS = 8 }; // flags of an instruction

// EXPECTS: bytes first, which are in slot 2. AWAY: at an mbarrier of any group of the cluster.
static ptx_outcome arrive(ptx_thread *t, const ptx_instruction *i) {
  mbarrier b;
  ptx_group *group = t->group;
  uint64_t address = ptx_address(t, i, 0);
  uint32_t number = i->flags & AWAY ? (uint32_t)address >> PTX_CLUSTER_SHIFT : 0;
  if (number == group->rank + 1)
    address -= (uint64_t)number << PTX_CLUSTER_SHIFT;
  bool is_away = number && number != group->rank + 1;
  uint8_t *bytes = is_away ? find_away(t, i, address, &group)
                           : ptx_locate(t, i, (ptx_space)i->space, address, 8, PTX_READ);
  if (!bytes || !read_barrier(t, i, bytes, &b))
    return PTX_STOP;
  if (i->flags & EXPECTS)
    b.bytes += (int)ptx_u32(t, i, 2);
  if (!b.pending || b.bytes > ARRIVALS_MOST)
    return ptx_fail(t, i, PTX_FAULT_TRAP, "more arrivals, or bytes, than the mbarrier expects");
  b.pending--;
  ptx_cluster_release(t, group, (uint32_t)(bytes - group->shared), i->flags & IN_CLUSTER);
  store(group, bytes, &b);
  return PTX_GO;
}

//===- Copies ---------------------------------------------------------------------------===//

// A line of the box: where its first element is in the tensor, or NULL outside of it.
static const uint8_t *find_line(const ptx_tensor_map *map, const int32_t *start,
                                const uint32_t *at) {
  const uint8_t *from = (const uint8_t *)(uintptr_t)map->address;
  for (unsigned d = 1; d < map->rank; d++) {
    int64_t index = (int64_t)start[d] + at[d];
    if (index < 0 || index >= (int64_t)map->sizes[d])
      return NULL;
    from += (uint64_t)index * map->strides[d - 1];
  }
  return from;
}

// Goes to the next line. False: there is none.
static bool advance(const ptx_tensor_map *map, uint32_t *at) {
  for (unsigned d = 1; d < map->rank; d++) {
    if (++at[d] < map->box[d])
      return true;
    at[d] = 0;
  }
  return false;
}

static uint32_t box_bytes(const ptx_tensor_map *map) {
  uint32_t bytes = map->element_bytes;
  for (unsigned d = 0; d < map->rank; d++)
    bytes *= map->box[d];
  return bytes;
}

// What lies outside of the tensor is zero.
static ptx_outcome deliver(ptx_thread *t, const ptx_bulk_copy *copy) {
  const ptx_tensor_map *map = &copy->map;
  ptx_group *group = t->group;
  uint32_t at[PTX_TENSOR_RANK] = {0}, to = copy->to;
  do {
    const uint8_t *line = find_line(map, copy->start, at);
    for (unsigned x = 0; x < map->box[0]; x++, to += map->element_bytes) {
      int64_t index = (int64_t)copy->start[0] + x;
      uint32_t place = to + PTX_SHARED_START;
      if (map->swizzle)
        place = ptx_swizzle(place, map->swizzle);
      uint8_t *bytes = group->shared + (place - PTX_SHARED_START);
      memset(bytes, 0, map->element_bytes);
      if (!line || index < 0 || index >= (int64_t)map->sizes[0])
        continue;
      const uint8_t *from =
          ptx_locate(t, copy->instruction, PTX_GLOBAL,
                     (uint64_t)(uintptr_t)line + (uint64_t)index * map->element_bytes,
                     map->element_bytes, PTX_READ);
      if (!from)
        return PTX_STOP;
      memcpy(bytes, from, map->element_bytes);
    }
  } while (advance(map, at));
  ptx_shadow_deliver(group, copy->to, box_bytes(map));
  return PTX_GO;
}

// Everything that is on its way to the mbarrier at `bytes` arrives.
static ptx_outcome deliver_to(ptx_thread *t, uint8_t *bytes, mbarrier *b) {
  ptx_group *group = t->group;
  uint32_t place = (uint32_t)(bytes - group->shared);
  size_t left = 0;
  bool any = false;
  for (size_t k = 0; k < group->bulk_count; k++) {
    ptx_bulk_copy *copy = &group->bulk[k];
    if (copy->barrier != place) {
      group->bulk[left++] = *copy;
      continue;
    }
    if (deliver(t, copy) != PTX_GO)
      return PTX_STOP;
    b->bytes -= (int)box_bytes(&copy->map);
    any = true;
  }
  group->bulk_count = left;
  if (any)
    store(group, bytes, b);
  return PTX_GO;
}

// Whether the phase of the parity in slot 2 is complete, in slot 1. try_wait waits where it is not.
static ptx_outcome wait(ptx_thread *t, const ptx_instruction *i) {
  mbarrier b;
  uint8_t *bytes = find_barrier(t, i, &b);
  uint32_t parity = ptx_u32(t, i, 2);
  if (!bytes)
    return PTX_STOP;
  if (parity > 1)
    return ptx_fail(t, i, PTX_FAULT_TRAP, "a parity of %u", parity);
  if (b.phase == parity && deliver_to(t, bytes, &b) != PTX_GO)
    return PTX_STOP;
  t->r[i->slot[1]] = b.phase != parity;
  if (b.phase != parity && i->flags & IN_CLUSTER)
    ptx_cluster_acquire(t, (uint32_t)(bytes - t->group->shared));
  if (b.phase == parity && i->flags & WAITS) {
    t->pc = i; // looks again when it goes on
    t->waits = i;
    t->state = PTX_AT_MBARRIER;
    return PTX_WAIT_GROUP;
  }
  return PTX_GO;
}

static ptx_outcome check_copy(ptx_thread *t, const ptx_instruction *i, const ptx_bulk_copy *copy) {
  const ptx_tensor_map *map = &copy->map;
  uint32_t pattern = map->swizzle ? SWIZZLE_ROWS * map->swizzle : COPY_ALIGNMENT;
  if (memcmp(map->magic, PTX_TENSOR_MAGIC, sizeof map->magic))
    return ptx_fail(t, i, PTX_FAULT_TRAP, "there is no tensor map");
  if (map->rank != i->count)
    return ptx_fail(t, i, PTX_FAULT_TRAP, "a tensor map of %u dimensions for a copy of %u",
                    map->rank, i->count);
  if ((copy->to + PTX_SHARED_START) % pattern)
    return ptx_fail(t, i, PTX_FAULT_MISALIGNED,
                    "a box is copied to what is no multiple of %u bytes", pattern);
  return PTX_GO;
}

// Takes the bytes that it goes to, in memory of the thread's group or another one's.
static ptx_outcome reserve(ptx_thread *t, ptx_group *group, const ptx_bulk_copy *copy) {
  const ptx_instruction *i = copy->instruction;
  uint32_t bytes = box_bytes(&copy->map);
  if (group != t->group && ptx_cluster_take(t, i, group, copy->to, bytes) != PTX_GO)
    return PTX_STOP;
  for (uint32_t at = 0; at < bytes && group == t->group; at += 16)
    if (!ptx_locate(t, i, PTX_SHARED, (uint64_t)copy->to + at + PTX_SHARED_START, 16, PTX_WRITE))
      return PTX_STOP;
  memset(group->shared + copy->to, 0xff, bytes);
  ptx_shadow_expect(group, copy->to, bytes, 1);
  return PTX_GO;
}

// On its way to one group, whose mbarrier at the same place it arrives at.
static ptx_outcome send(ptx_thread *t, ptx_group *group, const ptx_bulk_copy *copy) {
  const ptx_instruction *i = copy->instruction;
  if (!group->alive)
    return ptx_fail(t, i, PTX_FAULT_ADDRESS, "group %u of the cluster has left", group->rank);
  if (group != t->group && ptx_cluster_check_mbarrier(t, i, group, copy->barrier) != PTX_GO)
    return PTX_STOP;
  if (ptx_shadow_check_proxy(t, i, group, copy->barrier, 8) != PTX_GO ||
      reserve(t, group, copy) != PTX_GO)
    return PTX_STOP;
  if (!ptx_grow(&group->bulk, group->bulk_count, sizeof *group->bulk))
    return ptx_fail(t, i, PTX_FAULT_MEMORY, "no memory for the copy");
  group->bulk[group->bulk_count++] = *copy;
  wake(group);
  return PTX_GO;
}

// To all groups of the cluster whose bits are set.
static ptx_outcome send_all(ptx_thread *t, uint32_t mask, const ptx_bulk_copy *copy) {
  ptx_cluster *cluster = t->group->cluster;
  if (!mask || mask >> cluster->count)
    return ptx_fail(t, copy->instruction, PTX_FAULT_TRAP,
                    "a mask of 0x%x, in a cluster of %u groups", mask, cluster->count);
  for (uint32_t r = 0; r < cluster->count; r++)
    if (mask >> r & 1 && send(t, &cluster->groups[r], copy) != PTX_GO)
      return PTX_STOP;
  return PTX_GO;
}

// Slots: the destination, the map, its coordinates from slot 3 on, and then the mask of groups
// (`flags`); the mbarrier is in slot 2, and offset[0] is the destination's alone.
static ptx_outcome start_copy(ptx_thread *t, const ptx_instruction *i) {
  ptx_bulk_copy copy = {.instruction = i};
  uint64_t map_address = ptx_address(t, i, 1), to = ptx_address(t, i, 0);
  uint8_t *map = NULL;
  if (map_address % MAP_ALIGNMENT)
    return ptx_fail(t, i, PTX_FAULT_MISALIGNED, "the tensor map is at no multiple of 64 bytes");
  for (unsigned at = 0; at < sizeof copy.map; at += 64) {
    map = ptx_locate(t, i, PTX_GENERIC, map_address + at, 64, PTX_READ);
    if (!map)
      return PTX_STOP;
    memcpy((uint8_t *)&copy.map + at, map, 64);
  }
  copy.to = (uint32_t)to - PTX_SHARED_START;
  for (unsigned d = 0; d < i->count; d++)
    copy.start[d] = (int32_t)ptx_u32(t, i, 3 + d);
  uint8_t *barrier = ptx_locate(t, i, PTX_SHARED, ptx_u32(t, i, 2), 8, PTX_READ);
  if (!barrier || check_copy(t, i, &copy) != PTX_GO)
    return PTX_STOP;
  copy.barrier = (uint32_t)(barrier - t->group->shared);
  return i->flags ? send_all(t, ptx_u32(t, i, 3 + i->count) & UINT16_MAX, &copy)
                  : send(t, t->group, &copy);
}

//===- Reading --------------------------------------------------------------------------===//

static void take_space(ptx_operation *op) {
  static const char *const orders[] = {"release", "acquire", "relaxed", "cta", NULL};
  while (ptx_take_one_of(op, orders) >= 0) {
  }
  if (ptx_take(op, "cluster"))
    op->instruction->flags |= IN_CLUSTER;
  op->instruction->space = (uint8_t)ptx_take_space(op);
  ptx_take(op, "b64");
}

static void bind_barrier(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  if (ptx_take(op, "init")) {
    take_space(op);
    if (!ptx_expect_operands(op, 2, 2))
      return;
    ptx_use_address(op, 0, 0);
    ptx_use(op, 1, PTX_U32, 2);
    i->execute = init;
    return;
  }
  if (ptx_take(op, "arrive")) {
    bool expects = ptx_take(op, "expect_tx");
    bool is_away = ptx_take(op, "shared::cluster");
    i->flags = (expects ? EXPECTS : 0) | (is_away ? AWAY : 0);
    take_space(op);
    if (is_away)
      i->space = PTX_SHARED;
    if (!ptx_expect_operands(op, expects ? 3 : 2, expects ? 3 : 2))
      return;
    ptx_define(op, 0, PTX_B64, 1); // the state is not known here
    if (i->slot[1] != PTX_SLOT_SINK)
      ptx_refuse(op, "an arrival gives nothing (`_`) here");
    i->slot[1] = PTX_SLOT_ONE;
    ptx_use_address(op, 1, 0);
    if (expects)
      ptx_use(op, 2, PTX_U32, 2);
    i->execute = arrive;
    return;
  }
  i->flags = ptx_take(op, "try_wait") ? WAITS : 0;
  if ((!i->flags && !ptx_take(op, "test_wait")) || !ptx_take(op, "parity"))
    return;
  take_space(op);
  if (!ptx_expect_operands(op, 3, i->flags & WAITS ? 4 : 3)) // how long it may take
    return;
  ptx_define(op, 0, PTX_PRED, 1);
  ptx_use_address(op, 1, 0);
  ptx_use(op, 2, PTX_U32, 2);
  i->execute = wait;
}

// cp.async.bulk.tensor.<n>d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [map, {…}],
// [mbarrier], of which "cp", "async" and "bulk" are taken; with .multicast::cluster, and a mask of
// groups behind it, to the same place in each of these.
void ptx_bind_bulk_copy(ptx_operation *op) {
  static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d", NULL};
  ptx_instruction *i = op->instruction;
  int rank = ptx_take(op, "tensor") ? ptx_take_one_of(op, ranks) : -1;
  ptx_take(op, "tile");
  if (rank < 0 || (!ptx_take(op, "shared::cluster") && !ptx_take(op, "shared::cta")) ||
      !ptx_take(op, "global") || !ptx_take(op, "mbarrier::complete_tx::bytes"))
    return;
  i->flags = ptx_take(op, "multicast::cluster");
  if (!ptx_expect_operands(op, 3 + i->flags, 3 + i->flags))
    return;
  i->count = (uint32_t)rank + 1;
  if (op->operands[1].count != i->count + 1 || op->operands[2].kind != PTX_OPERAND_ADDRESS ||
      op->operands[2].offset) {
    ptx_refuse(op, "a tensor map with %u coordinates, and an mbarrier, were expected", i->count);
    return;
  }
  ptx_use_address(op, 0, 0);
  ptx_use_address(op, 1, 1);
  ptx_use_element(op, 2, 0, PTX_B32, 2);
  for (unsigned d = 0; d < i->count; d++)
    ptx_use_element(op, 1, 1 + d, PTX_B32, 3 + d);
  if (i->flags)
    ptx_use(op, 3, PTX_U16, 3 + i->count);
  i->execute = start_copy;
}

const ptx_binding ptx_bulk_bindings[] = {{"mbarrier", bind_barrier}, {NULL, NULL}};
