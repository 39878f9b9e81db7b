//===- cluster.c - Groups that run together, and reach each other's memory ------------------===//
//
// Who knows what of whom is kept by clocks, one for each group: a group's goes on whenever it
// releases something at the scope of the cluster, and takes along what it knew; whoever acquires
// that knows it too. (L. Lamport, "Time, Clocks, and the Ordering of Events in a Distributed
// System", and vectors of these.) That finds what is not ordered also where it happens to go well.
//
//===--------------------------------------------------------------------------------------===//

#include "unittests/ptx/operation.h"
#include "unittests/ptx/run.h"

#include <stdlib.h>
#include <string.h>

//===- What is known --------------------------------------------------------------------===//

static void join(ptx_clocks *into, const ptx_clocks *other) {
  for (unsigned r = 0; r < PTX_CLUSTER_MOST; r++)
    if (into->of[r] < other->of[r])
      into->of[r] = other->of[r];
}

// What the group has done so far goes with what it hands over.
static void release(ptx_group *group, ptx_clocks *into) {
  group->known.of[group->rank]++;
  join(into, &group->known);
}

void ptx_cluster_synchronize(ptx_cluster *cluster) {
  for (uint32_t r = 0; r < cluster->count; r++)
    release(&cluster->groups[r], &cluster->brought);
  for (uint32_t r = 0; r < cluster->count; r++)
    join(&cluster->groups[r].known, &cluster->brought);
}

ptx_mbarrier *ptx_cluster_find_mbarrier(ptx_group *group, uint32_t place) {
  for (size_t k = 0; k < group->mbarrier_count; k++)
    if (group->mbarriers[k].place == place)
      return &group->mbarriers[k];
  if (!ptx_grow(&group->mbarriers, group->mbarrier_count, sizeof *group->mbarriers))
    return NULL;
  ptx_mbarrier *made = &group->mbarriers[group->mbarrier_count++];
  *made = (ptx_mbarrier){.place = place};
  return made;
}

ptx_outcome ptx_cluster_check_mbarrier(ptx_thread *t, const ptx_instruction *i, ptx_group *group,
                                       uint32_t place) {
  for (size_t k = 0; k < group->mbarrier_count; k++)
    if (group->mbarriers[k].place == place &&
        t->group->known.of[group->rank] > group->mbarriers[k].made)
      return PTX_GO;
  return ptx_fail(t, i, PTX_FAULT_RACE,
                  "nothing at the scope of the cluster says that group %u of it has made its "
                  "mbarrier",
                  group->rank);
}

void ptx_cluster_release(ptx_thread *t, ptx_group *group, uint32_t place, bool is_wide) {
  ptx_clocks nobody = {{0}};
  ptx_mbarrier *mbarrier = ptx_cluster_find_mbarrier(group, place);
  release(t->group, is_wide && mbarrier ? &mbarrier->brought : &nobody);
  if (group != t->group)
    group->visited.of[t->group->rank] = t->group->known.of[t->group->rank];
}

void ptx_cluster_acquire(ptx_thread *t, uint32_t place) {
  ptx_mbarrier *mbarrier = ptx_cluster_find_mbarrier(t->group, place);
  if (mbarrier)
    join(&t->group->known, &mbarrier->brought);
}

ptx_group *ptx_cluster_find(ptx_thread *t, const ptx_instruction *i, uint64_t address,
                            uint32_t *out_address) {
  ptx_cluster *cluster = t->group->cluster;
  uint32_t number = (uint32_t)address >> PTX_CLUSTER_SHIFT;
  *out_address = (uint32_t)address & ((1u << PTX_CLUSTER_SHIFT) - 1);
  ptx_group *group = number ? &cluster->groups[number - 1] : t->group;
  if (number > cluster->count || !group->alive) {
    ptx_fail(t, i, PTX_FAULT_ADDRESS, "0x%x is in the shared memory of group %u of the cluster, %s",
             (unsigned)address, number - 1,
             number > cluster->count ? "which there is not" : "which has left");
    return NULL;
  }
  return group;
}

ptx_outcome ptx_cluster_take(ptx_thread *t, const ptx_instruction *i, ptx_group *group,
                             uint32_t start, unsigned bytes) {
  if (start > group->shared_bytes || bytes > group->shared_bytes - start)
    return ptx_fail(t, i, PTX_FAULT_ADDRESS, "writes %u bytes outside of shared memory", bytes);
  for (uint32_t at = start; group->shadow && at < start + bytes; at++) {
    const ptx_shadow *byte = &group->shadow[at];
    if (byte->pending)
      return ptx_fail(t, i, PTX_FAULT_RACE,
                      "writes byte %u of group %u of the cluster, which an asynchronous copy is "
                      "still on its way to",
                      at, group->rank);
    if (byte->touched >= t->group->known.of[group->rank])
      return ptx_fail(t, i, PTX_FAULT_RACE,
                      "writes byte %u of group %u of the cluster, which that has touched with "
                      "nothing at the scope of the cluster between them",
                      at, group->rank);
  }
  return PTX_GO;
}

ptx_outcome ptx_cluster_leave(ptx_thread *t, const ptx_instruction *i) {
  const ptx_group *group = t->group;
  if (group->bulk_count)
    return ptx_fail(t, i, PTX_FAULT_RACE,
                    "the group ends while a bulk copy is on its way to its shared memory");
  for (uint32_t r = 0; r < group->cluster->count; r++)
    if (group->known.of[r] < group->visited.of[r])
      return ptx_fail(t, i, PTX_FAULT_RACE,
                      "the group ends, and has not waited for what group %u of the cluster does "
                      "to its shared memory",
                      r);
  return PTX_GO;
}

//===- barrier.cluster ------------------------------------------------------------------===//

void ptx_cluster_try_barrier(ptx_cluster *cluster) {
  uint32_t expected = 0;
  for (uint32_t r = 0; r < cluster->count; r++)
    expected += cluster->groups[r].alive;
  if (!cluster->arrived || cluster->arrived < expected)
    return;
  cluster->arrived = 0;
  cluster->completed++;
  for (uint32_t r = 0; r < cluster->count; r++) {
    ptx_group *group = &cluster->groups[r];
    group->epoch++;
    join(&group->known, &cluster->brought);
    for (uint32_t k = 0; k < group->thread_count; k++)
      if (group->threads[k].state == PTX_AT_CLUSTER) {
        group->threads[k].state = PTX_READY;
        group->threads[k].waits = NULL;
      }
  }
}

static ptx_outcome arrive(ptx_thread *t, const ptx_instruction *i) {
  ptx_cluster *cluster = t->group->cluster;
  if (t->cluster_arrivals++ != t->cluster_waits)
    return ptx_fail(t, i, PTX_FAULT_DEADLOCK, "arrives once more before it has waited");
  release(t->group, &cluster->brought);
  cluster->arrived++;
  ptx_cluster_try_barrier(cluster);
  return PTX_GO;
}

static ptx_outcome wait(ptx_thread *t, const ptx_instruction *i) {
  if (t->cluster_arrivals == t->cluster_waits)
    return ptx_fail(t, i, PTX_FAULT_DEADLOCK, "waits without having arrived");
  t->cluster_waits++;
  if (t->group->cluster->completed >= t->cluster_waits)
    return PTX_GO;
  t->waits = i;
  t->state = PTX_AT_CLUSTER;
  return PTX_WAIT_GROUP;
}

void ptx_bind_cluster_barrier(ptx_operation *op) {
  ptx_instruction *i = op->instruction;
  bool arrives = ptx_take(op, "arrive");
  if (!arrives && !ptx_take(op, "wait"))
    return;
  ptx_take(op, arrives ? "release" : "acquire");
  ptx_take(op, "aligned");
  ptx_expect_operands(op, 0, 0);
  i->execute = arrives ? arrive : wait;
}

//===- mapa -----------------------------------------------------------------------------===//

static ptx_outcome map_address(ptx_thread *t, const ptx_instruction *i) {
  uint32_t rank = ptx_u32(t, i, 2);
  if (rank >= t->group->cluster->count)
    return ptx_fail(t, i, PTX_FAULT_TRAP, "group %u of a cluster of %u", rank,
                    t->group->cluster->count);
  t->r[i->slot[0]] = ptx_u32(t, i, 1) | (rank + 1) << PTX_CLUSTER_SHIFT;
  return PTX_GO;
}

static void bind_map(ptx_operation *op) {
  if (ptx_take(op, "shared::cluster") && ptx_take(op, "u32"))
    ptx_lay_down(op, PTX_U32, 2, map_address);
}

const ptx_binding ptx_cluster_bindings[] = {{"mapa", bind_map}, {NULL, NULL}};
