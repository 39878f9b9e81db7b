//===- launch.c - Running groups: their threads, and who waits for whom
//----------------===//

#include "unittests/ptx/run.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE 100000           // instructions of a thread before others have their turn
#define LOCAL_MOST (512 << 10) // bytes of a thread

ptx_outcome ptx_fail(ptx_thread *thread, const ptx_instruction *instruction, ptx_fault fault,
                     const char *format, ...) {
  ptx_run *run = thread->group->run;
  if (!tune_status_is_ok(run->status))
    return PTX_STOP;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const uint64_t *slots = thread->r;
  run->report->fault = fault;
  run->status = tune_status_make(
      TUNE_FAILED_PRECONDITION,
      "kernel %s, PTX line %u, `%.*s`, thread (%u, %u, %u) of group (%u, %u, %u): %s",
      run->kernel->name, instruction->line, (int)instruction->text_length, instruction->text,
      (unsigned)slots[PTX_SLOT_TID], (unsigned)slots[PTX_SLOT_TID + 1],
      (unsigned)slots[PTX_SLOT_TID + 2], thread->group->id[0], thread->group->id[1],
      thread->group->id[2], text);
  return PTX_STOP;
}

ptx_frame *ptx_frame_create(const ptx_function *function) {
  ptx_frame *frame = malloc(sizeof *frame + function->slot_count * sizeof *frame->slots +
                            function->param_bytes + 1);
  if (!frame)
    return NULL;
  *frame = (ptx_frame){.function = function};
  frame->param = (uint8_t *)&frame->slots[function->slot_count];
  memset(frame->param, 0xff, function->param_bytes);
  return frame;
}

bool ptx_thread_push_local(ptx_thread *thread, ptx_frame *frame) {
  size_t base = (thread->local_top + 15) / 16 * 16, top = base + frame->function->local_bytes;
  if (top > LOCAL_MOST)
    return false;
  if (top > thread->local_capacity) {
    uint8_t *local = realloc(thread->local, top);
    if (!local)
      return false;
    thread->local = local;
    thread->local_capacity = top;
  }
  if (top > base)
    memset(thread->local + base, 0xff, top - base);
  frame->local_base = base;
  thread->local_top = top;
  return true;
}

static void set_specials(uint64_t *slots, const ptx_thread *thread) {
  const ptx_group *group = thread->group;
  const ptx_launch *launch = group->run->launch;
  const unsigned *size = launch->group_size;
  slots[PTX_SLOT_ONE] = 1;
  slots[PTX_SLOT_TID] = thread->index % size[0];
  slots[PTX_SLOT_TID + 1] = thread->index / size[0] % size[1];
  slots[PTX_SLOT_TID + 2] = thread->index / size[0] / size[1];
  for (unsigned d = 0; d < 3; d++) {
    slots[PTX_SLOT_NTID + d] = size[d];
    slots[PTX_SLOT_CTAID + d] = group->id[d];
    slots[PTX_SLOT_NCTAID + d] = launch->groups[d];
    unsigned side = group->run->kernel->cluster[d];
    slots[PTX_SLOT_CLUSTERID + d] = group->id[d] / side;
    slots[PTX_SLOT_NCLUSTERID + d] = launch->groups[d] / side;
    slots[PTX_SLOT_CLUSTER_CTAID + d] = group->id[d] % side;
    slots[PTX_SLOT_CLUSTER_NCTAID + d] = side;
  }
  slots[PTX_SLOT_CLUSTER_CTARANK] = group->rank;
  slots[PTX_SLOT_CLUSTER_NCTARANK] = group->cluster->count;
  uint32_t bit = UINT32_C(1) << thread->lane;
  slots[PTX_SLOT_LANEID] = thread->lane;
  slots[PTX_SLOT_WARPID] = thread->index / PTX_WARP;
  slots[PTX_SLOT_NWARPID] = group->warp_count;
  slots[PTX_SLOT_LANEMASK_EQ] = bit;
  slots[PTX_SLOT_LANEMASK_LT] = bit - 1;
  slots[PTX_SLOT_LANEMASK_LE] = bit | (bit - 1);
  slots[PTX_SLOT_LANEMASK_GT] = ~(bit | (bit - 1));
  slots[PTX_SLOT_LANEMASK_GE] = ~(bit - 1);
  slots[PTX_SLOT_DYNAMIC_BYTES] = launch->dynamic_bytes;
  slots[PTX_SLOT_TOTAL_BYTES] = group->shared_bytes;
  slots[PTX_SLOT_ZERO] = 0;
}

void ptx_frame_begin(ptx_frame *frame, ptx_thread *thread) {
  const ptx_function *function = frame->function;
  size_t first = function->slot_count - function->constant_count;
  set_specials(frame->slots, thread);
  memset(&frame->slots[PTX_SLOT_REGISTERS], 0xa5,
         (first - PTX_SLOT_REGISTERS) * sizeof *frame->slots);
  for (size_t i = 0; i < function->constant_count; i++) {
    const ptx_constant *constant = &function->constants[i];
    frame->slots[first + i] =
        constant->bits + (constant->relocation == PTX_LOCAL_BASE ? frame->local_base
                          : constant->relocation == PTX_DYNAMIC_BASE
                              ? thread->group->run->dynamic_base
                              : 0);
  }
  thread->r = frame->slots;
  thread->pc = function->code;
}

static const ptx_instruction *place_of(const ptx_thread *thread) {
  if (thread->state == PTX_DONE) // where it left
    return thread->pc - 1;
  return thread->waits ? thread->waits : thread->pc;
}

// The lanes that the collective that `thread` waits at is for, and that are still there.
static uint32_t lanes_meant(const ptx_thread *thread) {
  uint32_t mask = thread->waits->mask ? (uint32_t)thread->r[thread->waits->mask] : UINT32_MAX;
  if (!thread->waits->mask)
    return mask;
  for (unsigned lane = 0; lane < PTX_WARP; lane++) {
    const ptx_thread *other = thread->warp->lanes[lane];
    if (!other || other->state == PTX_DONE)
      mask &= ~(UINT32_C(1) << lane);
  }
  return mask;
}

static ptx_outcome run_collective(ptx_warp *warp, const ptx_instruction *instruction,
                                  uint32_t mask) {
  warp->epoch++;
  if (instruction->collective(warp, mask) != PTX_GO)
    return PTX_STOP;
  for (unsigned lane = 0; lane < PTX_WARP; lane++)
    if (mask & UINT32_C(1) << lane) {
      warp->lanes[lane]->state = PTX_READY;
      warp->lanes[lane]->waits = NULL;
    }
  return PTX_GO;
}

// Runs the collective that `thread` waits at if all that it is for wait at the same.
static ptx_outcome try_collective(ptx_thread *thread) {
  const ptx_instruction *instruction = thread->waits;
  uint32_t mask = lanes_meant(thread);
  if (instruction->gathers)
    return PTX_GO;
  for (unsigned lane = 0; lane < PTX_WARP; lane++) {
    const ptx_thread *other = thread->warp->lanes[lane];
    if (!(mask & UINT32_C(1) << lane))
      continue;
    if (!other || other->state != PTX_AT_WARP)
      return PTX_GO;
    if (instruction->mask ? other->waits->collective != instruction->collective ||
                                !other->waits->mask || lanes_meant(other) != mask
                          : other->waits != instruction)
      return PTX_GO;
  }
  return run_collective(thread->warp, instruction, mask);
}

// Of a warp in which no lane can go on: has the first that is at a gathering instruction go on, and
// those that are there too. `*out_ran`: there is one.
static ptx_outcome gather(ptx_warp *warp, bool *out_ran) {
  const ptx_instruction *instruction = NULL;
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < PTX_WARP; lane++) {
    const ptx_thread *thread = warp->lanes[lane];
    if (!thread || thread->state != PTX_AT_WARP || !thread->waits->gathers)
      continue;
    if (!instruction)
      instruction = thread->waits;
    if (thread->waits == instruction)
      mask |= UINT32_C(1) << lane;
  }
  *out_ran = mask;
  return mask ? run_collective(warp, instruction, mask) : PTX_GO;
}

static void set_votes(ptx_thread *thread, const ptx_barrier *barrier) {
  const ptx_instruction *instruction = thread->waits;
  if (!instruction->mode)
    return;
  uint32_t all = barrier->votes == barrier->arrived, any = barrier->votes > 0;
  const uint32_t results[] = {0, barrier->votes, all, any};
  thread->r[instruction->slot[2]] = results[instruction->mode];
}

// Threads of a warp come to an aligned barrier (bar.sync) together.
static ptx_outcome check_aligned(const ptx_group *group, uint32_t id) {
  for (uint32_t w = 0; w < group->warp_count; w++) {
    const ptx_instruction *first = NULL;
    for (unsigned lane = 0; lane < PTX_WARP; lane++) {
      ptx_thread *thread = group->warps[w].lanes[lane];
      if (!thread || thread->state != PTX_AT_BARRIER || thread->barrier != id)
        continue;
      if (first && first != thread->waits &&
          (thread->waits->flags | first->flags) & PTX_BARRIER_ALIGNED)
        return ptx_fail(thread, thread->waits, PTX_FAULT_DEADLOCK,
                        "other threads of its warp are at the barrier in line %u, and the "
                        "instruction is for whole warps",
                        first->line);
      first = thread->waits;
    }
  }
  return PTX_GO;
}

// Lets those at the barrier go on where all have come.
static ptx_outcome try_barrier(ptx_group *group, uint32_t id) {
  ptx_barrier *barrier = &group->barriers[id];
  uint32_t expected = barrier->expected ? barrier->expected : group->alive;
  if (!barrier->is_open || barrier->arrived < expected)
    return PTX_GO;
  if (check_aligned(group, id) != PTX_GO)
    return PTX_STOP;
  group->epoch++;
  for (uint32_t i = 0; i < group->thread_count; i++) {
    ptx_thread *thread = &group->threads[i];
    if (thread->state != PTX_AT_BARRIER || thread->barrier != id)
      continue;
    set_votes(thread, barrier);
    thread->state = PTX_READY;
    thread->waits = NULL;
  }
  *barrier = (ptx_barrier){0};
  return PTX_GO;
}

ptx_outcome ptx_barrier_arrive(ptx_thread *thread, const ptx_instruction *instruction, uint32_t id,
                               uint32_t expected, bool waits) {
  if (id >= PTX_BARRIERS)
    return ptx_fail(thread, instruction, PTX_FAULT_TRAP, "barrier %u of %u", id, PTX_BARRIERS);
  ptx_barrier *barrier = &thread->group->barriers[id];
  if (barrier->is_open && barrier->expected != expected)
    return ptx_fail(thread, instruction, PTX_FAULT_DEADLOCK,
                    "a barrier for %u threads, where others wait for %u (0: all)", expected,
                    barrier->expected);
  barrier->is_open = true;
  barrier->expected = expected;
  barrier->arrived++;
  if (instruction->mode)
    barrier->votes += ptx_u32(thread, instruction, 3) & 1;
  if (waits) {
    thread->state = PTX_AT_BARRIER;
    thread->barrier = id;
    thread->waits = instruction;
  }
  if (try_barrier(thread->group, id) != PTX_GO)
    return PTX_STOP;
  return waits ? PTX_WAIT_GROUP : PTX_GO;
}

// Runs a thread until it waits, has had its turn, or is done. `*out_slices` is set in the second
// case.
static ptx_outcome run_thread(ptx_thread *thread, bool *out_slices) {
  ptx_run *run = thread->group->run;
  uint64_t turn = run->left < SLICE ? run->left : SLICE, done = 0;
  ptx_outcome outcome = PTX_GO;
  while (done < turn && outcome == PTX_GO) {
    ptx_instruction *instruction = (ptx_instruction *)thread->pc++;
    done++;
    if (!((thread->r[instruction->guard] ^ instruction->guard_flip) & 1))
      continue;
    instruction->executed++;
    if (thread->warp->is_fenced && ptx_products_touch(thread, instruction) != PTX_GO)
      return PTX_STOP;
    outcome = instruction->execute(thread, instruction);
    if (outcome == PTX_WAIT_WARP) {
      thread->waits = instruction;
      thread->state = PTX_AT_WARP;
    }
  }
  run->left -= done;
  thread->steps += done;
  if (outcome == PTX_GO && !run->left)
    return ptx_fail(thread, thread->pc, PTX_FAULT_LIMIT,
                    "more than %" PRIu64
                    " instructions of all threads; is there a loop without end?",
                    ptx_launch_limit(run->launch));
  if (outcome == PTX_GO)
    *out_slices = true;
  return outcome;
}

// A thread that leaves may be the last one that others waited for.
static ptx_outcome leave_group(ptx_thread *thread) {
  ptx_group *group = thread->group;
  ptx_copies_arrive(thread, UINT32_MAX);
  thread->state = PTX_DONE;
  thread->waits = NULL;
  group->alive--;
  for (uint32_t id = 0; id < PTX_BARRIERS; id++)
    if (group->alive && try_barrier(group, id) != PTX_GO)
      return PTX_STOP;
  for (unsigned lane = 0; lane < PTX_WARP; lane++) {
    ptx_thread *other = thread->warp->lanes[lane];
    if (other && other->state == PTX_AT_WARP && try_collective(other) != PTX_GO)
      return PTX_STOP;
  }
  if (thread->warp->product_count)
    return ptx_fail(thread, place_of(thread), PTX_FAULT_TRAP,
                    "the thread ends while a wgmma.mma_async has not been waited for");
  if (!group->alive && ptx_cluster_leave(thread, place_of(thread)) != PTX_GO)
    return PTX_STOP;
  ptx_cluster_try_barrier(group->cluster);
  return tune_status_is_ok(group->run->status) ? PTX_GO : PTX_STOP;
}

// Runs the lanes of a warp until none of them can go on. `*out_ran`: any could.
static ptx_outcome run_warp(ptx_warp *warp, bool *out_ran) {
  for (bool runs = true, slices = false; runs && !slices;) {
    runs = false;
    for (unsigned lane = 0; lane < PTX_WARP; lane++) {
      ptx_thread *thread = warp->lanes[lane];
      if (!thread || thread->state != PTX_READY)
        continue;
      runs = *out_ran = true;
      ptx_outcome outcome = run_thread(thread, &slices);
      if (outcome == PTX_EXIT)
        outcome = leave_group(thread);
      else if (outcome == PTX_WAIT_WARP)
        outcome = try_collective(thread);
      if (outcome == PTX_STOP)
        return PTX_STOP;
    }
    if (!runs && gather(warp, &runs) != PTX_GO)
      return PTX_STOP;
  }
  return PTX_GO;
}

static ptx_outcome report_deadlock(ptx_group *group) {
  const char *const states[] = {"runs",
                                "waits for its warp",
                                "waits for its group",
                                "waits for an mbarrier",
                                "waits for its cluster",
                                "has left"};
  ptx_thread *first = NULL, *second = NULL;
  for (uint32_t i = 0; i < group->thread_count; i++) {
    ptx_thread *thread = &group->threads[i];
    if (thread->state != PTX_DONE && !first)
      first = thread;
  }
  for (uint32_t i = 0; i < group->thread_count && !second; i++)
    if (place_of(&group->threads[i]) != place_of(first))
      second = &group->threads[i];
  if (!second)
    return ptx_fail(first, place_of(first), PTX_FAULT_DEADLOCK,
                    "all threads wait here for others that there are not (%u in the group)",
                    group->thread_count);
  return ptx_fail(first, place_of(first), PTX_FAULT_DEADLOCK,
                  "waits for ever: thread %u of the group %s at line %u", second->index,
                  states[second->state], place_of(second)->line);
}

ptx_outcome ptx_cluster_run(ptx_cluster *cluster) {
  for (ptx_group *alive = cluster->groups; alive;) {
    bool ran = false;
    alive = NULL;
    for (uint32_t r = 0; r < cluster->count; r++) {
      ptx_group *group = &cluster->groups[r];
      for (uint32_t w = 0; w < group->warp_count; w++)
        if (run_warp(&group->warps[w], &ran) != PTX_GO)
          return PTX_STOP;
      if (group->alive && !alive)
        alive = group;
    }
    if (alive && !ran)
      return report_deadlock(alive);
  }
  return PTX_GO;
}
