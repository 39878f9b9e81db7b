//===- async.c - cp.async: copies that arrive when they are waited for
//-----------------------------===//
//
// Until then the bytes they go to are 0xff, and whoever touches them fails.
//
//===--------------------------------------------------------------------------------------===//

#include "unittests/ptx/operation.h"
#include "unittests/ptx/run.h"

#include <stdlib.h>
#include <string.h>

static bool make_place(ptx_thread *t) {
  if (t->copy_count < t->copy_capacity)
    return true;
  size_t capacity = t->copy_capacity ? 2 * t->copy_capacity : 16;
  ptx_copy *copies = realloc(t->copies, capacity * sizeof *copies);
  if (!copies)
    return false;
  t->copies = copies;
  t->copy_capacity = capacity;
  return true;
}

// Slots: to, from, how many bytes are taken of it. `count`: all bytes.
static ptx_outcome start_copy(ptx_thread *t, const ptx_instruction *i) {
  uint32_t taken = i->flags ? ptx_u32(t, i, 2) : i->count;
  if (taken > i->count)
    return ptx_fail(t, i, PTX_FAULT_TRAP, "takes %u bytes for a copy of %u", taken, i->count);
  uint8_t *to = ptx_locate(t, i, PTX_SHARED, ptx_address(t, i, 0), i->count, PTX_WRITE);
  if (!to)
    return PTX_STOP;
  const uint8_t *from = to; // not read where nothing is taken
  if (taken) {
    uint64_t address = ptx_address(t, i, 1);
    if (address % i->count)
      return ptx_fail(t, i, PTX_FAULT_MISALIGNED,
                      "reads %u bytes at 0x%llx, which is no multiple of that", i->count,
                      (unsigned long long)address);
    // The last bytes may lie outside of memory where fewer are taken.
    for (uint32_t k = 0; k < taken && from; k++) {
      const uint8_t *byte = ptx_locate(t, i, PTX_GLOBAL, address + k, 1, PTX_READ);
      from = !byte ? NULL : k ? from : byte;
    }
    if (!from)
      return PTX_STOP;
  }
  if (!make_place(t))
    return ptx_fail(t, i, PTX_FAULT_MEMORY, "no memory for the copy");
  uint32_t start = (uint32_t)(to - t->group->shared);
  t->copies[t->copy_count++] = (ptx_copy){.to = start,
                                          .from = from,
                                          .bytes = (uint8_t)i->count,
                                          .taken = (uint8_t)taken,
                                          .instruction = i};
  memset(to, 0xff, i->count);
  ptx_shadow_expect(t->group, start, i->count, 1);
  return PTX_GO;
}

ptx_outcome ptx_copies_arrive(ptx_thread *thread, uint32_t committed) {
  size_t left = 0;
  for (size_t k = 0; k < thread->copy_count; k++) {
    ptx_copy *copy = &thread->copies[k];
    if (!copy->committed ? committed != UINT32_MAX : copy->committed > committed) {
      thread->copies[left++] = *copy;
      continue;
    }
    ptx_group *group = thread->group;
    ptx_shadow_expect(group, copy->to, copy->bytes, -1);
    if (group->shadow &&
        ptx_shadow_touch(thread, copy->instruction, copy->to, copy->bytes, PTX_WRITE) != PTX_GO)
      return PTX_STOP;
    memset(group->shared + copy->to, 0, copy->bytes);
    memcpy(group->shared + copy->to, copy->from, copy->taken);
  }
  thread->copy_count = left;
  return PTX_GO;
}

static ptx_outcome commit(ptx_thread *t, const ptx_instruction *i) {
  (void)i;
  t->commits++;
  for (size_t k = 0; k < t->copy_count; k++)
    if (!t->copies[k].committed)
      t->copies[k].committed = t->commits;
  return PTX_GO;
}

// All groups but the last `count` ones.
static ptx_outcome wait_group(ptx_thread *t, const ptx_instruction *i) {
  return t->commits > i->count ? ptx_copies_arrive(t, t->commits - i->count) : PTX_GO;
}

static ptx_outcome wait_all(ptx_thread *t, const ptx_instruction *i) {
  (void)i;
  return ptx_copies_arrive(t, UINT32_MAX);
}

static void bind_copy(ptx_operation *op) {
  static const char *const hints[] = {"L2::64B", "L2::128B", "L2::256B", NULL};
  ptx_instruction *i = op->instruction;
  bool only_l2 = ptx_take(op, "cg");
  if (!only_l2 && !ptx_take(op, "ca"))
    return;
  if (!ptx_take(op, "shared"))
    ptx_take(op, "shared::cta");
  ptx_take(op, "global");
  ptx_take_one_of(op, hints);
  if (ptx_take(op, "L2::cache_hint"))
    op->operand_count--; // how long to keep it
  if (!ptx_expect_operands(op, 3, 4))
    return;
  i->count = (uint32_t)ptx_literal(op, 2);
  if (i->count != 16 && (only_l2 || (i->count != 4 && i->count != 8)))
    ptx_refuse(op, "copies of %u bytes are not there", i->count);
  i->flags = op->operand_count == 4;
  if (i->flags)
    ptx_use(op, 3, PTX_U32, 2);
  ptx_use_address(op, 0, 0);
  ptx_use_address(op, 1, 1);
  i->execute = start_copy;
}

static void bind_async(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  if (!ptx_take(op, "async"))
    return;
  if (ptx_take(op, "bulk")) {
    ptx_bind_bulk_copy(op);
  } else if (ptx_take(op, "commit_group")) {
    ptx_expect_operands(op, 0, 0);
    i->execute = commit;
  } else if (ptx_take(op, "wait_all")) {
    ptx_expect_operands(op, 0, 0);
    i->execute = wait_all;
  } else if (ptx_take(op, "wait_group")) {
    if (ptx_expect_operands(op, 1, 1))
      i->count = (uint32_t)ptx_literal(op, 0);
    i->execute = wait_group;
  } else {
    bind_copy(op);
  }
}

const ptx_binding ptx_async_bindings[] = {{"cp", bind_async}, {NULL, NULL}};
