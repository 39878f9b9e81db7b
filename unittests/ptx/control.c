//===- control.c - Branches, calls, barriers of the group
//------------------------------------------===//

#include "unittests/ptx/operation.h"
#include "unittests/ptx/run.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 64 // of calls

static ptx_outcome branch(ptx_thread *t, const ptx_instruction *i) {
  t->pc = i->target;
  return PTX_GO;
}

static void bind_branch(ptx_operation *op) {
  ptx_take(op, "uni");
  if (ptx_expect_operands(op, 1, 1))
    ptx_use_label(op, 0);
  op->instruction->execute = branch;
}

static ptx_outcome branch_indexed(ptx_thread *t, const ptx_instruction *i) {
  const ptx_branches *branches = i->more;
  uint32_t index = ptx_u32(t, i, 0);
  if (index >= branches->count)
    return ptx_fail(t, i, PTX_FAULT_TRAP, "target %u of %zu", index, branches->count);
  t->pc = branches->targets[index];
  return PTX_GO;
}

static void bind_branch_indexed(ptx_operation *op) {
  ptx_take(op, "idx");
  ptx_take(op, "uni");
  if (ptx_expect_operands(op, 2, 2)) {
    ptx_use(op, 0, PTX_U32, 0);
    ptx_use_branches(op, 1);
  }
  op->instruction->execute = branch_indexed;
}

static ptx_outcome call(ptx_thread *t, const ptx_instruction *i) {
  const ptx_call *callee = i->more;
  unsigned depth = 0;
  for (const ptx_frame *frame = t->frame; frame; frame = frame->caller)
    depth++;
  if (depth == DEPTH_MOST)
    return ptx_fail(t, i, PTX_FAULT_TRAP, "more than %u calls in each other", DEPTH_MOST);
  ptx_frame *frame = ptx_frame_create(callee->callee);
  if (!frame || !ptx_thread_push_local(t, frame)) {
    free(frame);
    return ptx_fail(t, i, PTX_FAULT_MEMORY, "no memory for the call");
  }
  for (size_t k = 0; k < callee->argument_count; k++)
    memcpy(frame->param + callee->callee->parameters[k].offset,
           t->frame->param + callee->arguments[k].offset, callee->arguments[k].bytes);
  frame->caller = t->frame;
  frame->call = callee;
  frame->after = t->pc;
  t->frame = frame;
  ptx_frame_begin(frame, t);
  return PTX_GO;
}

static void bind_call(ptx_operation *op) {
  ptx_take(op, "uni");
  ptx_use_call(op);
  op->instruction->execute = call;
}

ptx_outcome ptx_return(ptx_thread *t, const ptx_instruction *i) {
  (void)i;
  ptx_frame *frame = t->frame;
  if (!frame->caller)
    return PTX_EXIT;
  for (size_t k = 0; k < frame->call->result_count; k++)
    memcpy(frame->caller->param + frame->call->results[k].offset,
           frame->param + frame->function->results[k].offset, frame->call->results[k].bytes);
  t->local_top = frame->local_base;
  t->pc = frame->after;
  t->frame = frame->caller;
  t->r = t->frame->slots;
  free(frame);
  return PTX_GO;
}

static void bind_return(ptx_operation *op) {
  ptx_take(op, "uni");
  ptx_expect_operands(op, 0, 0);
  op->instruction->execute = ptx_return;
}

static ptx_outcome leave(ptx_thread *t, const ptx_instruction *i) {
  (void)t;
  (void)i;
  return PTX_EXIT;
}

static void bind_exit(ptx_operation *op) {
  ptx_expect_operands(op, 0, 0);
  op->instruction->execute = leave;
}

static ptx_outcome trap(ptx_thread *t, const ptx_instruction *i) {
  return ptx_fail(t, i, PTX_FAULT_TRAP, "the kernel gives up");
}

static void bind_trap(ptx_operation *op) {
  ptx_expect_operands(op, 0, 0);
  op->instruction->execute = trap;
}

static ptx_outcome nothing(ptx_thread *t, const ptx_instruction *i) {
  (void)t;
  (void)i;
  return PTX_GO;
}

// What only concerns speed, or what happens beyond one kernel.
static void bind_nothing(ptx_operation *op) {
  for (unsigned i = 1; i < op->part_count; i++)
    op->taken[i] = true;
  op->instruction->execute = nothing;
}

// Memory is the same for all threads at once; only the search for races has to know.
static ptx_outcome fence(ptx_thread *t, const ptx_instruction *i) {
  (void)i;
  t->group->epoch++;
  return PTX_GO;
}

// What the thread has written may be read asynchronously; it orders no threads.
static ptx_outcome fence_proxy(ptx_thread *t, const ptx_instruction *i) {
  t->proxy_fences += i->flags;
  return PTX_GO;
}

static void bind_fence(ptx_operation *op) {
  static const char *const kinds[] = {"sc", "acq_rel", "cta", "gl", "gpu", "sys", "cluster", NULL};
  static const char *const spaces[] = {"global", "shared::cta", "shared::cluster", NULL};
  ptx_instruction *i = op->instruction;
  i->execute = fence;
  if (ptx_take(op, "mbarrier_init"))
    ptx_take(op, "release");
  if (ptx_take(op, "proxy")) {
    ptx_take(op, "async");
    i->flags = ptx_take_one_of(op, spaces) != 0; // of shared memory, not of global memory alone
    i->execute = fence_proxy;
  }
  while (ptx_take_one_of(op, kinds) >= 0) {
  }
  ptx_expect_operands(op, 0, 0);
}

static ptx_outcome arrive(ptx_thread *t, const ptx_instruction *i, bool waits) {
  uint32_t expected = i->flags & PTX_BARRIER_COUNTED ? ptx_u32(t, i, 1) : 0;
  if (i->flags & PTX_BARRIER_COUNTED && (!expected || expected % PTX_WARP))
    return ptx_fail(t, i, PTX_FAULT_TRAP, "a barrier for %u threads, which are no whole warps",
                    expected);
  return ptx_barrier_arrive(t, i, ptx_u32(t, i, 0), expected, waits);
}

static ptx_outcome barrier_sync(ptx_thread *t, const ptx_instruction *i) {
  return arrive(t, i, true);
}

static ptx_outcome barrier_arrive(ptx_thread *t, const ptx_instruction *i) {
  return arrive(t, i, false);
}

// bar.red.popc.u32 d, a{, b}, p: what has become of it is given when all have come.
static void bind_reduction(ptx_operation *op) {
  static const char *const kinds[] = {"popc", "and", "or", NULL};
  int kind = ptx_take_one_of(op, kinds);
  ptx_type type = ptx_take_type(op);
  ptx_instruction *i = op->instruction;
  if (kind < 0 || !ptx_expect_operands(op, 3, 4))
    return;
  i->mode = (uint8_t)(PTX_VOTE_POPC + kind);
  ptx_define(op, 0, type, 2);
  ptx_use(op, 1, PTX_U32, 0);
  if (op->operand_count == 4) {
    i->flags |= PTX_BARRIER_COUNTED;
    ptx_use(op, 2, PTX_U32, 1);
  }
  op->operands[op->operand_count - 1].values[0].is_negated = false;
  ptx_use(op, op->operand_count - 1, PTX_PRED, 3);
  i->execute = barrier_sync;
}

static void bind_barrier(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  bool is_bar = !strcmp(op->parts[0], "bar"); // which is barrier.aligned
  if (is_bar && ptx_take(op, "warp")) {
    ptx_take(op, "sync");
    ptx_bind_warp_barrier(op);
    return;
  }
  if (ptx_take(op, "cluster")) {
    ptx_bind_cluster_barrier(op);
    return;
  }
  ptx_take(op, "cta");
  bool waits = ptx_take(op, "sync"), arrives = !waits && ptx_take(op, "arrive");
  if (ptx_take(op, "aligned") || is_bar)
    i->flags |= PTX_BARRIER_ALIGNED;
  if (!waits && !arrives) {
    if (ptx_take(op, "red"))
      bind_reduction(op);
    return;
  }
  if (!ptx_expect_operands(op, 1, 2))
    return;
  ptx_use(op, 0, PTX_U32, 0);
  if (op->operand_count == 2) {
    i->flags |= PTX_BARRIER_COUNTED;
    ptx_use(op, 1, PTX_U32, 1);
  } else if (arrives) {
    ptx_refuse(op, "an arrival without a count of threads");
  }
  i->execute = waits ? barrier_sync : barrier_arrive;
}

const ptx_binding ptx_control_bindings[] = {{"bra", bind_branch},
                                            {"brx", bind_branch_indexed},
                                            {"call", bind_call},
                                            {"ret", bind_return},
                                            {"exit", bind_exit},
                                            {"trap", bind_trap},
                                            {"brkpt", bind_trap},
                                            {"nanosleep", bind_nothing},
                                            {"griddepcontrol", bind_nothing},
                                            {"setmaxnreg", bind_nothing},
                                            {"pmevent", bind_nothing},
                                            {"prefetch", bind_nothing},
                                            {"prefetchu", bind_nothing},
                                            {"discard", bind_nothing},
                                            {"applypriority", bind_nothing},
                                            {"membar", bind_fence},
                                            {"fence", bind_fence},
                                            {"bar", bind_barrier},
                                            {"barrier", bind_barrier},
                                            {NULL, NULL}};
