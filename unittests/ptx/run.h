//===- run.h - Threads, warps and groups as they run ------------------------------------------===//
//
// The inside of ptx.h: what executing instructions sees.
//
//===--------------------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_RUN_H
#define TUNE_UNITTESTS_PTX_RUN_H

#include "unittests/ptx/program.h"

#define PTX_WARP 32
#define PTX_BARRIERS 16

typedef struct ptx_group ptx_group;
typedef struct ptx_cluster ptx_cluster;

// A call of a function.
typedef struct ptx_frame {
  struct ptx_frame *caller; // NULL: the kernel
  const ptx_function *function;
  const ptx_call *call;
  const ptx_instruction *after; // where the caller goes on
  uint64_t local_base;
  uint8_t *param;
  uint64_t slots[]; // followed by the param memory
} ptx_frame;

// A cp.async whose bytes have not arrived.
typedef struct ptx_copy {
  uint32_t to;         // in shared memory
  const uint8_t *from; // `taken` bytes of it, the rest are zeros
  uint8_t bytes, taken;
  uint32_t committed; // the number of its group, from 1; 0 before that
  const ptx_instruction *instruction;
} ptx_copy;

// A box of a tensor that has not arrived.
typedef struct ptx_bulk_copy {
  const ptx_instruction *instruction;
  ptx_tensor_map map;
  int32_t start[PTX_TENSOR_RANK];
  uint32_t to, barrier; // in shared memory
} ptx_bulk_copy;

typedef enum ptx_state {
  PTX_READY,
  PTX_AT_WARP,
  PTX_AT_BARRIER,
  PTX_AT_MBARRIER,
  PTX_AT_CLUSTER,
  PTX_DONE
} ptx_state;

struct ptx_thread {
  uint64_t *r;               // the slots of the call that runs
  const ptx_instruction *pc; // what it does next
  ptx_group *group;
  ptx_warp *warp;
  ptx_frame *frame;
  const ptx_instruction *waits; // at what, in the two states of waiting
  ptx_state state;
  uint32_t barrier; // which
  uint32_t index, lane;
  uint32_t carry; // add.cc
  uint64_t steps;
  uint8_t *local;
  size_t local_top, local_capacity;
  ptx_copy *copies;
  size_t copy_count, copy_capacity;
  uint32_t commits;
  uint32_t proxy_fences;                    // fence.proxy.async so far
  uint32_t cluster_arrivals, cluster_waits; // at barrier.cluster
};

// A wgmma.mma_async that has not been waited for, as a warp has it.
typedef struct ptx_product {
  const ptx_instruction *instruction;
  uint64_t a, b;      // descriptors
  bool keeps;         // adds to what the accumulators have
  uint32_t committed; // the number of its group, from 1; 0 before that
} ptx_product;

enum { PTX_BUSY = 1, PTX_TOUCHED = 2 };

struct ptx_warp {
  ptx_thread *lanes[PTX_WARP]; // NULL where the group has none
  uint32_t epoch;              // how often lanes have met
  ptx_product *products;
  size_t product_count;
  uint32_t product_commits;
  ptx_product *history; // all `issued` ones of the group
  size_t issued;
  bool is_fenced; // by wgmma.fence, since products were last waited for
  // By slot of the kernel: PTX_BUSY for accumulators of the products, PTX_TOUCHED since the fence.
  uint8_t *busy; // NULL before the first fence
};

typedef struct ptx_barrier {
  uint32_t arrived, expected; // expected 0: all that have not left
  uint32_t votes;
  bool is_open; // somebody waits
} ptx_barrier;

// What is known of a byte of shared memory. Epochs count on over groups, so that those of an
// earlier one are of no concern.
typedef struct ptx_shadow {
  uint64_t write_epoch, read_epoch;
  uint32_t write_warp_epoch, read_warp_epoch;
  uint16_t writer, reader;
  bool wrote_atomic;             // rather than plainly
  bool many_readers, many_warps; // in this epoch of the warp, of the group
  uint16_t pending;              // cp.async on its way here
  uint16_t lent;                 // products on their way that read it
  uint32_t write_fences;         // of the writer, when it wrote
  uint32_t touched;              // the group's own clock when its threads last did so
} ptx_shadow;

// What groups of a cluster know of each other, by rank: everything that group r did before its own
// clock was here.
typedef struct ptx_clocks {
  uint32_t of[PTX_CLUSTER_MOST];
} ptx_clocks;

// An mbarrier, as other groups of the cluster see it.
typedef struct ptx_mbarrier {
  uint32_t place;     // in shared memory
  uint32_t made;      // the group's clock when it was made
  ptx_clocks brought; // by those who arrived at the scope of the cluster
} ptx_mbarrier;

typedef struct ptx_run {
  ptx_function *kernel;
  const ptx_launch *launch;
  ptx_report *report;
  tune_status status;
  uint64_t left; // instructions
  uint32_t dynamic_base;
} ptx_run;

uint64_t ptx_launch_limit(const ptx_launch *launch); // instructions

struct ptx_group {
  ptx_run *run;
  ptx_thread *threads;
  ptx_warp *warps;
  uint32_t thread_count, warp_count, alive;
  uint32_t id[3];
  uint8_t *shared;
  ptx_shadow *shadow; // NULL: races are of no interest
  size_t shared_bytes;
  uint64_t epoch;       // how often threads may have met
  uint64_t first_epoch; // when it began
  ptx_barrier barriers[PTX_BARRIERS];
  ptx_bulk_copy *bulk; // on their way to its memory
  size_t bulk_count;
  ptx_cluster *cluster;
  uint32_t rank;      // in it
  ptx_clocks known;   // its own clock, and what it knows of others
  ptx_clocks visited; // when others last touched its memory
  ptx_mbarrier *mbarriers;
  size_t mbarrier_count;
};

struct ptx_cluster {
  ptx_group *groups; // by their rank
  uint32_t count;
  uint32_t arrived, completed; // threads at barrier.cluster; how often all have come
  ptx_clocks brought;          // by those that have arrived
};

// The launch fails with what follows, and where. Returns PTX_STOP.
ptx_outcome ptx_fail(ptx_thread *thread, const ptx_instruction *instruction, ptx_fault fault,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

typedef enum ptx_access { PTX_READ = 1, PTX_WRITE = 2, PTX_ATOMIC = 4 } ptx_access;

// Where `bytes` at `address` are in this process, or NULL, and the launch has failed.
uint8_t *ptx_locate(ptx_thread *thread, const ptx_instruction *instruction, ptx_space space,
                    uint64_t address, unsigned bytes, unsigned access);
// The address whose base is in slot 0 or 1.
static inline uint64_t ptx_address(const ptx_thread *t, const ptx_instruction *i, unsigned slot) {
  uint64_t base = t->r[i->slot[slot]];
  return (i->base_is_32[slot] ? (uint32_t)base : base) + (uint64_t)i->offset[slot];
}

// Notes that a thread touches shared memory; PTX_STOP where it must not.
ptx_outcome ptx_shadow_touch(ptx_thread *thread, const ptx_instruction *instruction, uint32_t start,
                             unsigned bytes, unsigned access);
// cp.async is on its way to these bytes, or (-1) has arrived.
void ptx_shadow_expect(ptx_group *group, uint32_t start, unsigned bytes, int change);

// Something asynchronous reads these bytes until they are given back. PTX_STOP where what was
// written there has not been fenced for it.
ptx_outcome ptx_shadow_lend(ptx_thread *thread, const ptx_instruction *instruction, uint32_t start,
                            unsigned bytes);
// The second half of that alone, of the memory of `group`.
ptx_outcome ptx_shadow_check_proxy(ptx_thread *thread, const ptx_instruction *instruction,
                                   const ptx_group *group, uint32_t start, unsigned bytes);
// What was expected has arrived, with nobody's ordinary writes.
void ptx_shadow_deliver(ptx_group *group, uint32_t start, unsigned bytes);
void ptx_shadow_give_back(ptx_group *group, uint32_t start, unsigned bytes);
// Where an address lies in memory that is swizzled in rows of 128, 64 or 32 bytes.
uint32_t ptx_swizzle(uint32_t address, unsigned row_bytes);
// Notes what an instruction touches after wgmma.fence; PTX_STOP where these are accumulators that
// are on their way.
ptx_outcome ptx_products_touch(ptx_thread *thread, const ptx_instruction *instruction);

//===- Clusters (cluster.c) -------------------------------------------------------------===//
//
// Groups of a cluster are ordered by what one releases at the scope of the cluster and another one
// acquires: at mbarriers, and at barrier.cluster. What a group does to the memory of another one is
// an error where nothing says that the other one is done with it, or has made it ready.

// Runs all groups of a cluster, a warp at a time, until they have left.
ptx_outcome ptx_cluster_run(ptx_cluster *cluster);
// All groups know of all that was.
void ptx_cluster_synchronize(ptx_cluster *cluster);
// Lets those at barrier.cluster go on where all threads have come, or left.
void ptx_cluster_try_barrier(ptx_cluster *cluster);
// The mbarrier at `place` of the group, made where it is not known; NULL: no memory.
ptx_mbarrier *ptx_cluster_find_mbarrier(ptx_group *group, uint32_t place);
// The group whose memory `address`, of shared::cluster, is in, and the address there; NULL, and the
// launch has failed, where there is none, or where it has left.
ptx_group *ptx_cluster_find(ptx_thread *thread, const ptx_instruction *instruction,
                            uint64_t address, uint32_t *out_address);
// PTX_STOP where the thread cannot know that the mbarrier at `place` of `group`, another one, has
// been made.
ptx_outcome ptx_cluster_check_mbarrier(ptx_thread *thread, const ptx_instruction *instruction,
                                       ptx_group *group, uint32_t place);
// The thread arrives at it (`is_wide`: at the scope of the cluster), or has seen its phase end.
void ptx_cluster_release(ptx_thread *thread, ptx_group *group, uint32_t place, bool is_wide);
void ptx_cluster_acquire(ptx_thread *thread, uint32_t place);
// The thread has `bytes` at `start` of `group`, another one, written over. PTX_STOP where that may
// still need them.
ptx_outcome ptx_cluster_take(ptx_thread *thread, const ptx_instruction *instruction,
                             ptx_group *group, uint32_t start, unsigned bytes);
// The last thread of a group leaves. PTX_STOP where others may still touch its memory.
ptx_outcome ptx_cluster_leave(ptx_thread *thread, const ptx_instruction *instruction);

// All copies of the thread that are in groups up to `committed` arrive.
ptx_outcome ptx_copies_arrive(ptx_thread *thread, uint32_t committed);

ptx_frame *ptx_frame_create(const ptx_function *function);
void ptx_frame_begin(ptx_frame *frame, ptx_thread *thread);
// Memory for local variables of the frame's function. False: none is left.
bool ptx_thread_push_local(ptx_thread *thread, ptx_frame *frame);

// ret, and the end of a function.
ptx_outcome ptx_return(ptx_thread *thread, const ptx_instruction *instruction);

// Has the thread wait for the rest of its warp: what every collective executes.
ptx_outcome ptx_wait_warp(ptx_thread *thread, const ptx_instruction *instruction);

// The flags of a barrier; its operands are the barrier, the count, and of bar.red, whose mode says
// which, the result and the predicate.
enum { PTX_BARRIER_COUNTED = 1, PTX_BARRIER_ALIGNED = 2 };
enum { PTX_VOTE_NONE, PTX_VOTE_POPC, PTX_VOTE_AND, PTX_VOTE_OR };

// Has `thread` wait at barrier `id`; those who wait there go on where all have come.
ptx_outcome ptx_barrier_arrive(ptx_thread *thread, const ptx_instruction *instruction, uint32_t id,
                               uint32_t expected, bool waits);

static inline uint32_t ptx_u32(const ptx_thread *t, const ptx_instruction *i, unsigned operand) {
  return (uint32_t)t->r[i->slot[operand]];
}

#endif // TUNE_UNITTESTS_PTX_RUN_H
