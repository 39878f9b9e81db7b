//===- shadow.c - Races in shared memory
//---------------------------------------------------------===//
//
// Two threads race for a byte if one of them writes it and nothing that orders them lies between.
// What orders: a barrier of the group (any, for all threads: some races are missed so, and none is
// made up), a fence of any thread, and within a warp an instruction that the warp has together.
//
//===--------------------------------------------------------------------------------------===//

#include "unittests/ptx/run.h"

static uint32_t own_clock(const ptx_group *group) { return group->known.of[group->rank]; }

static uint32_t warp_of(uint32_t thread) { return thread / PTX_WARP; }

// Whether what thread `other` did in these epochs is in no order with what `thread` does now.
static bool is_unordered(const ptx_thread *thread, uint32_t other, uint64_t epoch,
                         uint32_t warp_epoch) {
  if (other == thread->index || epoch != thread->group->epoch)
    return false;
  return warp_of(other) != warp_of(thread->index) || warp_epoch == thread->warp->epoch;
}

static bool races_with_readers(const ptx_thread *thread, const ptx_shadow *byte) {
  if (byte->read_epoch != thread->group->epoch)
    return false;
  if (byte->many_warps)
    return true;
  if (warp_of(byte->reader) != warp_of(thread->index))
    return true;
  return byte->read_warp_epoch == thread->warp->epoch &&
         (byte->many_readers || byte->reader != thread->index);
}

static void note_write(const ptx_thread *thread, ptx_shadow *byte, bool is_atomic) {
  byte->write_epoch = thread->group->epoch;
  byte->write_warp_epoch = thread->warp->epoch;
  byte->writer = (uint16_t)thread->index;
  byte->wrote_atomic = is_atomic;
  byte->write_fences = thread->proxy_fences;
}

static void note_read(const ptx_thread *thread, ptx_shadow *byte) {
  bool is_new = byte->read_epoch != thread->group->epoch;
  bool is_other_warp = !is_new && warp_of(byte->reader) != warp_of(thread->index);
  bool is_same_time = !is_new && !is_other_warp && byte->read_warp_epoch == thread->warp->epoch;
  byte->many_warps = !is_new && (byte->many_warps || is_other_warp);
  byte->many_readers =
      is_same_time && (byte->many_readers || byte->reader != (uint16_t)thread->index);
  byte->read_epoch = thread->group->epoch;
  byte->read_warp_epoch = thread->warp->epoch;
  byte->reader = (uint16_t)thread->index;
}

ptx_outcome ptx_shadow_touch(ptx_thread *thread, const ptx_instruction *instruction, uint32_t start,
                             unsigned bytes, unsigned access) {
  bool is_atomic = access & PTX_ATOMIC;
  for (uint32_t at = start; at < start + bytes; at++) {
    ptx_shadow *byte = &thread->group->shadow[at];
    if (byte->pending)
      return ptx_fail(
          thread, instruction, PTX_FAULT_RACE,
          "%s byte %u of shared memory, which an asynchronous copy is still on its way to",
          access == PTX_READ ? "reads" : "writes", at);
    if (byte->lent && access != PTX_READ)
      return ptx_fail(thread, instruction, PTX_FAULT_RACE,
                      "writes byte %u of shared memory, which a wgmma.mma_async that has not been "
                      "waited for may still read",
                      at);
    if (!(is_atomic && byte->wrote_atomic) &&
        is_unordered(thread, byte->writer, byte->write_epoch, byte->write_warp_epoch))
      return ptx_fail(thread, instruction, PTX_FAULT_RACE,
                      "%s byte %u of shared memory, which thread %u of the group has written with "
                      "no barrier between them",
                      access == PTX_READ ? "reads" : "writes", at, byte->writer);
    if (!is_atomic && access & PTX_WRITE && races_with_readers(thread, byte))
      return ptx_fail(thread, instruction, PTX_FAULT_RACE,
                      "writes byte %u of shared memory, which thread %u of the group has read with "
                      "no barrier between them",
                      at, byte->reader);
    if (access & PTX_WRITE || is_atomic)
      note_write(thread, byte, is_atomic);
    else
      note_read(thread, byte);
    byte->touched = own_clock(thread->group);
  }
  return PTX_GO;
}

void ptx_shadow_expect(ptx_group *group, uint32_t start, unsigned bytes, int change) {
  for (uint32_t at = start; group->shadow && at < start + bytes; at++)
    group->shadow[at].pending = (uint16_t)(group->shadow[at].pending + change);
}

ptx_outcome ptx_shadow_check_proxy(ptx_thread *thread, const ptx_instruction *instruction,
                                   const ptx_group *group, uint32_t start, unsigned bytes) {
  for (uint32_t at = start; group->shadow && at < start + bytes; at++) {
    const ptx_shadow *byte = &group->shadow[at];
    if (byte->write_epoch >= group->first_epoch &&
        byte->write_fences == group->threads[byte->writer].proxy_fences)
      return ptx_fail(thread, instruction, PTX_FAULT_RACE,
                      "reads byte %u of shared memory, which thread %u of the group has written "
                      "without fence.proxy.async after it",
                      at, byte->writer);
  }
  return PTX_GO;
}

ptx_outcome ptx_shadow_lend(ptx_thread *thread, const ptx_instruction *instruction, uint32_t start,
                            unsigned bytes) {
  if (ptx_shadow_check_proxy(thread, instruction, thread->group, start, bytes) != PTX_GO)
    return PTX_STOP;
  for (uint32_t at = start; thread->group->shadow && at < start + bytes; at++)
    thread->group->shadow[at].lent++;
  return PTX_GO;
}

void ptx_shadow_deliver(ptx_group *group, uint32_t start, unsigned bytes) {
  ptx_shadow_expect(group, start, bytes, -1);
  for (uint32_t at = start; group->shadow && at < start + bytes; at++)
    group->shadow[at].write_epoch = 0;
}

void ptx_shadow_give_back(ptx_group *group, uint32_t start, unsigned bytes) {
  for (uint32_t at = start; group->shadow && at < start + bytes; at++) {
    group->shadow[at].lent--;
    group->shadow[at].touched = own_clock(group);
  }
}
