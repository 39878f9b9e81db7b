//===- fake_cuda_work.c - Launches and copies, streams, graphs, and the time they take
//--------------===//

#include "unittests/ptx/fake_cuda.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_LEAST 1e-6             // of a launch
#define SECONDS_OF_INSTRUCTION 1e-7    // the emulator needs 10 to 100 ns
#define SECONDS_OF_TIMED_GROUP 1e-6    // of the roofline's
#define INSTRUCTIONS_MOST 20000000000u // of a launch: a loop without end

static CUresult error_of(ptx_fault fault) {
  switch (fault) {
  case PTX_FAULT_NONE:
    return CUDA_SUCCESS;
  case PTX_FAULT_LAUNCH:
    return CUDA_ERROR_INVALID_VALUE;
  case PTX_FAULT_ADDRESS:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case PTX_FAULT_MISALIGNED:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case PTX_FAULT_DEADLOCK:
  case PTX_FAULT_LIMIT:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case PTX_FAULT_MEMORY:
    return CUDA_ERROR_OUT_OF_MEMORY;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

void fake_node_destroy(fake_node *work) {
  for (size_t i = 0; i < work->parameter_count; i++)
    free(work->parameters[i]);
  free(work);
}

static fake_node *copy_node(const fake_node *work) {
  fake_node *copy = malloc(sizeof *copy);
  if (!copy)
    return NULL;
  *copy = *work;
  copy->next = NULL;
  copy->parameter_count = 0;
  for (size_t i = 0; i < work->parameter_count; i++) {
    size_t bytes = ptx_kernel_parameter_bytes(work->function->kernel, i);
    copy->parameters[i] = malloc(bytes);
    if (!copy->parameters[i]) {
      fake_node_destroy(copy);
      return NULL;
    }
    memcpy(copy->parameters[i], work->parameters[i], bytes);
    copy->parameter_count++;
  }
  return copy;
}

static bool is_same_launch(const fake_node *one, const fake_node *other) {
  const ptx_launch *a = &one->launch, *b = &other->launch;
  if (memcmp(a->groups, b->groups, sizeof a->groups) ||
      memcmp(a->group_size, b->group_size, sizeof a->group_size) ||
      a->dynamic_bytes != b->dynamic_bytes)
    return false;
  for (size_t i = 0; i < one->parameter_count; i++)
    if (memcmp(one->parameters[i], other->parameters[i],
               ptx_kernel_parameter_bytes(one->function->kernel, i)))
      return false;
  return true;
}

// Remembers that the launch has changed nothing.
static void keep_idle(const fake_node *work, double seconds) {
  CUfunction function = work->function;
  fake_node *copy = copy_node(work);
  if (!copy)
    return;
  if (function->idle)
    fake_node_destroy(function->idle);
  function->idle = copy;
  function->idle_version = driver.version;
  function->idle_seconds = seconds;
}

static void run_kernel(const fake_node *work, CUstream stream) {
  CUfunction function = work->function;
  if (fake_has_fault("hang"))
    for (;;)
      pause();
  if (fake_has_fault("launch-failed") || fake_has_fault("lost")) {
    fake_fail(fake_has_fault("lost") ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_ERROR_LAUNCH_FAILED, "");
    return;
  }
  if (function->is_only_timed) {
    stream->seconds += SECONDS_LEAST + work->launch.groups[0] * SECONDS_OF_TIMED_GROUP;
    return;
  }
  if (function->idle && function->idle_version == driver.version &&
      is_same_launch(work, function->idle)) {
    stream->seconds += function->idle_seconds;
    return;
  }
  ptx_launch launch = work->launch;
  launch.parameters = work->parameters;
  ptx_report report;
  tune_status status = ptx_kernel_launch(function->kernel, &launch, &report);
  double seconds = SECONDS_LEAST + (double)report.instructions * SECONDS_OF_INSTRUCTION;
  stream->seconds += seconds;
  if (tune_status_is_ok(status) && report.bank_conflicts && fake_has_fault("bank-conflicts")) {
    report.fault = PTX_FAULT_TRAP;
    status = tune_status_make(TUNE_FAILED_PRECONDITION, "%llu bank conflicts of ldmatrix",
                              (unsigned long long)report.bank_conflicts);
  }
  if (!tune_status_is_ok(status))
    fake_fail(error_of(report.fault), tune_status_get_message(status));
  else if (report.has_changed_memory)
    driver.version++;
  else
    keep_idle(work, seconds);
  tune_status_free(status);
}

static void run_node(const fake_node *work, CUstream stream) {
  if (driver.failure != CUDA_SUCCESS)
    return;
  if (work->function) {
    run_kernel(work, stream);
    return;
  }
  if (memcmp(work->to, work->from, work->bytes))
    driver.version++;
  memmove(work->to, work->from, work->bytes);
  stream->seconds += SECONDS_LEAST + (double)work->bytes * 1e-11;
}

static bool append(CUgraph graph, const fake_node *work) {
  fake_node *copy = copy_node(work);
  if (!copy)
    return false;
  *graph->last = copy;
  graph->last = &copy->next;
  return true;
}

static CUstream stream_of(CUstream stream) { return stream ? stream : &driver.stream; }

// Done at once, or when the graph that is being captured is launched.
static CUresult submit(const fake_node *work, CUstream stream) {
  stream = stream_of(stream);
  if (stream->capturing)
    return append(stream->capturing, work) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  run_node(work, stream);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                        void **parameters, void **extra) {
  RETURN_IF_FAILED();
  ptx_kernel *kernel = function->kernel;
  uint64_t threads = (uint64_t)block_x * block_y * block_z;
  if (extra || !grid_x || !grid_y || !grid_z || !threads || grid_y > 65535 || grid_z > 65535 ||
      threads > ptx_kernel_group_limit(kernel) || (int64_t)shared_bytes > function->dynamic_bytes ||
      ptx_kernel_parameter_count(kernel) > PARAMETERS_MOST)
    return CUDA_ERROR_INVALID_VALUE;
  fake_node work = {.function = function,
                    .launch = {.groups = {grid_x, grid_y, grid_z},
                               .group_size = {block_x, block_y, block_z},
                               .dynamic_bytes = shared_bytes,
                               .memory = driver.memory,
                               .limit = INSTRUCTIONS_MOST},
                    .parameter_count = ptx_kernel_parameter_count(kernel)};
  for (size_t i = 0; i < work.parameter_count; i++)
    work.parameters[i] = parameters[i];
  return submit(&work, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream) {
  RETURN_IF_FAILED();
  if (!fake_is_there(to, size) || !fake_is_there(from, size))
    return CUDA_ERROR_INVALID_VALUE;
  fake_node work = {.to = fake_pointer(to), .from = fake_pointer(from), .bytes = size};
  return submit(&work, stream);
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  RETURN_IF_FAILED();
  *stream = calloc(1, sizeof **stream);
  return flags & ~1u ? CUDA_ERROR_INVALID_VALUE : *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  if (stream->capturing)
    cuGraphDestroy(stream->capturing);
  free(stream);
  return fake_state();
}

CUresult cuStreamSynchronize(CUstream stream) {
  return stream_of(stream)->capturing ? CUDA_ERROR_INVALID_VALUE : fake_state();
}

//===- Graphs -------------------------------------------------------------------------===//

static CUgraph create_graph(void) {
  CUgraph graph = calloc(1, sizeof *graph);
  if (graph)
    graph->last = &graph->first;
  return graph;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  RETURN_IF_FAILED();
  if (!stream || stream->capturing || mode < 0 || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  stream->capturing = create_graph();
  return stream->capturing ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  *graph = stream->capturing;
  stream->capturing = NULL;
  return *graph ? fake_state() : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDestroy(CUgraph graph) {
  while (graph->first) {
    fake_node *work = graph->first;
    graph->first = work->next;
    fake_node_destroy(work);
  }
  free(graph);
  return fake_state();
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                     unsigned long long flags) {
  RETURN_IF_FAILED();
  *executable = NULL;
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphExec made = calloc(1, sizeof *made);
  if (made)
    made->graph = create_graph();
  bool is_whole = made && made->graph;
  for (const fake_node *work = graph->first; work && is_whole; work = work->next)
    is_whole = append(made->graph, work);
  if (is_whole) {
    *executable = made;
    return CUDA_SUCCESS;
  }
  if (made && made->graph)
    cuGraphDestroy(made->graph);
  free(made);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
  (void)executable;
  (void)stream;
  return fake_state();
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  RETURN_IF_FAILED();
  for (const fake_node *work = executable->graph->first; work; work = work->next)
    run_node(work, stream_of(stream));
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  cuGraphDestroy(executable->graph);
  free(executable);
  return fake_state();
}

//===- Events -------------------------------------------------------------------------===//

CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  RETURN_IF_FAILED();
  *event = calloc(1, sizeof **event);
  return flags ? CUDA_ERROR_INVALID_VALUE : *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy_v2(CUevent event) {
  free(event);
  return fake_state();
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  RETURN_IF_FAILED();
  event->seconds = stream_of(stream)->seconds;
  return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event) {
  (void)event;
  return fake_state();
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent stop) {
  RETURN_IF_FAILED();
  *milliseconds = (float)((stop->seconds - start->seconds) * 1e3);
  return CUDA_SUCCESS;
}
