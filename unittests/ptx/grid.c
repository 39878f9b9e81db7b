//===- grid.c - All groups of a launch, cluster by cluster ----------------------------------===//

#include "unittests/ptx/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_MOST (256 << 10)
#define LIMIT UINT64_C(1000000000000)

uint64_t ptx_launch_limit(const ptx_launch *launch) {
  return launch->limit ? launch->limit : LIMIT;
}

static void begin_group(ptx_group *group, const uint8_t *parameters) {
  group->first_epoch = ++group->epoch;
  group->alive = group->thread_count;
  memset(group->barriers, 0, sizeof group->barriers);
  memset(group->shared, 0xff, group->shared_bytes);
  for (uint32_t w = 0; w < group->warp_count; w++)
    group->warps[w].issued = 0;
  group->bulk_count = group->mbarrier_count = 0;
  group->visited = (ptx_clocks){{0}};
  for (uint32_t i = 0; i < group->thread_count; i++) {
    ptx_thread *thread = &group->threads[i];
    while (thread->frame->caller) { // left by exit in a function
      ptx_frame *frame = thread->frame;
      thread->frame = frame->caller;
      free(frame);
    }
    thread->state = PTX_READY;
    thread->waits = NULL;
    thread->copy_count = thread->commits = 0;
    thread->proxy_fences = 0;
    thread->cluster_arrivals = thread->cluster_waits = 0;
    thread->local_top = 0;
    thread->steps = 0;
    thread->frame->local_base = 0;
    ptx_thread_push_local(thread, thread->frame); // it has its memory since it was made
    memcpy(thread->frame->param, parameters, thread->frame->function->param_bytes);
    ptx_frame_begin(thread->frame, thread);
  }
}

static void destroy_group(ptx_group *group) {
  for (uint32_t i = 0; group->threads && i < group->thread_count; i++) {
    ptx_thread *thread = &group->threads[i];
    while (thread->frame) {
      ptx_frame *frame = thread->frame;
      thread->frame = frame->caller;
      free(frame);
    }
    free(thread->local);
    free(thread->copies);
  }
  for (uint32_t w = 0; group->warps && w < group->warp_count; w++) {
    free(group->warps[w].products);
    free(group->warps[w].history);
    free(group->warps[w].busy);
  }
  free(group->bulk);
  free(group->mbarriers);
  free(group->threads);
  free(group->warps);
  free(group->shared);
  free(group->shadow);
}

static bool create_group(ptx_group *group, ptx_run *run) {
  const unsigned *size = run->launch->group_size;
  group->run = run;
  group->thread_count = size[0] * size[1] * size[2];
  group->warp_count = (group->thread_count + PTX_WARP - 1) / PTX_WARP;
  group->threads = calloc(group->thread_count, sizeof *group->threads);
  group->warps = calloc(group->warp_count, sizeof *group->warps);
  group->shared = malloc(group->shared_bytes + 1);
  if (!run->launch->ignore_races)
    group->shadow = calloc(group->shared_bytes + 1, sizeof *group->shadow);
  if (!group->threads || !group->warps || !group->shared ||
      (!run->launch->ignore_races && !group->shadow))
    return false;
  for (uint32_t i = 0; i < group->thread_count; i++) {
    ptx_thread *thread = &group->threads[i];
    thread->group = group;
    thread->index = i;
    thread->lane = i % PTX_WARP;
    thread->warp = &group->warps[i / PTX_WARP];
    thread->warp->lanes[thread->lane] = thread;
    thread->frame = ptx_frame_create(run->kernel);
    if (!thread->frame || !ptx_thread_push_local(thread, thread->frame))
      return false;
  }
  return true;
}

static void destroy_cluster(ptx_cluster *cluster) {
  for (uint32_t r = 0; cluster->groups && r < cluster->count; r++)
    destroy_group(&cluster->groups[r]);
  free(cluster->groups);
}

// For kernels of groups that have `shared_bytes` each.
static bool create_cluster(ptx_cluster *cluster, ptx_run *run, size_t shared_bytes) {
  const unsigned *sides = run->kernel->cluster;
  cluster->count = sides[0] * sides[1] * sides[2];
  cluster->groups = calloc(cluster->count, sizeof *cluster->groups);
  if (!cluster->groups)
    return false;
  for (uint32_t r = 0; r < cluster->count; r++) {
    cluster->groups[r].cluster = cluster;
    cluster->groups[r].rank = r;
    cluster->groups[r].shared_bytes = shared_bytes;
    if (!create_group(&cluster->groups[r], run))
      return false;
  }
  return true;
}

static tune_status check_launch(const ptx_function *kernel, const ptx_launch *launch) {
  uint64_t threads = 1;
  for (unsigned d = 0; d < 3; d++) {
    if (!launch->groups[d] || !launch->group_size[d])
      return tune_status_make(TUNE_INVALID_ARGUMENT, "kernel %s: dimension %u of the launch is 0",
                              kernel->name, d);
    if (launch->groups[d] % kernel->cluster[d])
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "kernel %s: %u groups along dimension %u, in clusters of %u",
                              kernel->name, launch->groups[d], d, kernel->cluster[d]);
    threads *= launch->group_size[d];
  }
  if (threads > kernel->group_limit)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "kernel %s: groups of %" PRIu64 " threads, of %u at most", kernel->name,
                            threads, kernel->group_limit);
  if (kernel->shared_end + launch->dynamic_bytes > SHARED_MOST)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "kernel %s: %zu bytes of shared memory, of %d at most", kernel->name,
                            kernel->shared_end + launch->dynamic_bytes, SHARED_MOST);
  return TUNE_OK;
}

// Where parameters lie, as the kernel sees them.
static uint8_t *gather_parameters(const ptx_function *kernel, void *const *parameters) {
  uint8_t *bytes = calloc(1, kernel->param_bytes + 1);
  for (size_t i = 0; bytes && i < kernel->parameter_count; i++)
    memcpy(bytes + kernel->parameters[i].offset, parameters[i], kernel->parameters[i].bytes);
  return bytes;
}

// The groups of cluster number `id` of the launch; those of a cluster are ranked as those of a
// grid.
static void begin_cluster(ptx_cluster *cluster, uint64_t id, const uint8_t *parameters) {
  const ptx_run *run = cluster->groups->run;
  const unsigned *sides = run->kernel->cluster, *groups = run->launch->groups;
  const uint64_t across = groups[0] / sides[0], down = groups[1] / sides[1];
  const uint64_t place[3] = {id % across, id / across % down, id / across / down};
  ptx_cluster_synchronize(cluster);
  cluster->arrived = cluster->completed = 0;
  for (uint32_t r = 0; r < cluster->count; r++) {
    ptx_group *group = &cluster->groups[r];
    const uint32_t within[3] = {r % sides[0], r / sides[0] % sides[1], r / sides[0] / sides[1]};
    for (unsigned d = 0; d < 3; d++)
      group->id[d] = (uint32_t)place[d] * sides[d] + within[d];
    begin_group(group, parameters);
  }
}

static void run_clusters(ptx_cluster *cluster, const uint8_t *parameters) {
  const ptx_launch *launch = cluster->groups->run->launch;
  uint64_t count =
      (uint64_t)launch->groups[0] * launch->groups[1] * launch->groups[2] / cluster->count;
  uint64_t wanted = (launch->sample + cluster->count - 1) / cluster->count;
  uint64_t samples = wanted && wanted < count ? wanted : count;
  for (uint64_t i = 0; i < samples; i++) {
    uint64_t id = samples == count ? i : i * (count - 1) / (samples > 1 ? samples - 1 : 1);
    begin_cluster(cluster, id, parameters);
    if (ptx_cluster_run(cluster) != PTX_GO)
      return;
  }
}

tune_status ptx_kernel_launch(ptx_kernel *kernel, const ptx_launch *launch, ptx_report *report) {
  *report = (ptx_report){.fault = PTX_FAULT_LAUNCH};
  TUNE_RETURN_IF_ERROR(check_launch(kernel, launch));
  size_t dynamic = (kernel->shared_end + kernel->shared_alignment - 1) / kernel->shared_alignment *
                   kernel->shared_alignment;
  size_t shared_bytes =
      launch->dynamic_bytes ? dynamic + launch->dynamic_bytes : kernel->shared_end;
  ptx_run run = {.kernel = kernel,
                 .launch = launch,
                 .report = report,
                 .left = ptx_launch_limit(launch),
                 .dynamic_base = (uint32_t)(PTX_SHARED_START + dynamic)};
  ptx_cluster cluster = {.groups = NULL};
  uint64_t limit = run.left;
  *report = (ptx_report){.shared_bytes = shared_bytes};
  uint8_t *parameters = gather_parameters(kernel, launch->parameters);
  if (create_cluster(&cluster, &run, shared_bytes) && parameters) {
    run_clusters(&cluster, parameters);
    report->instructions = limit - run.left;
  } else {
    report->fault = PTX_FAULT_MEMORY;
    run.status = tune_status_out_of_memory("running kernel %s", kernel->name);
  }
  free(parameters);
  destroy_cluster(&cluster);
  return run.status;
}
