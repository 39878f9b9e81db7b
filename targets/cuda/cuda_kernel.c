//===- cuda_kernel.c - A program on a CUDA device ---------------------------------------===//

#include "targets/cuda/cuda_kernel.h"
#include "targets/cuda/cuda_launch.h"
#include "targets/cuda/cuda_memory.h"

#include <math.h>
#include <stdlib.h>

// Runs in a graph: most first, as repeats are made of them.
static const uint64_t GRAPH_RUNS[] = {64, 8, 1};
#define GRAPH_COUNT (sizeof GRAPH_RUNS / sizeof *GRAPH_RUNS)
#define GRAPH_STEPS 8192 // of all its runs: making one takes about a microsecond for each
// Of a run at least, also of one without steps: who looks for so many that they take a while has to
// come to an end. Any launch takes a thousand times as long.
#define RUN_SECONDS 1e-9

// What a kernel parameter is read from.
typedef union parameter {
  CUtensorMap map;
  CUdeviceptr address;
  int32_t i32;
  float f32;
} parameter;

typedef struct cuda_kernel {
  tune_device_kernel base;
  cuda_launches launches;

  // From bind on:
  parameter *parameters; // of all steps, in order
  void **addresses;      // of each of them
  CUevent start, stop;
  CUgraphExec graphs[GRAPH_COUNT]; // as GRAPH_RUNS; NULL until needed
} cuda_kernel;

static const cuda_device *device_of(const cuda_kernel *kernel) { return kernel->base.device; }

static const cuda_functions *functions_of(const cuda_kernel *kernel) {
  return &device_of(kernel)->functions;
}

static CUdeviceptr data_of(const cuda_kernel *kernel, size_t buffer) {
  return cuda_buffer_data((const cuda_buffer *)kernel->base.buffers + buffer);
}

//===- Loading ----------------------------------------------------------------------===//

static tune_status load(tune_device_kernel *base) {
  return cuda_launches_init(base->device, &base->program, &((cuda_kernel *)base)->launches);
}

static void unload(tune_device_kernel *base) {
  cuda_kernel *kernel = (cuda_kernel *)base;
  const cuda_functions *f = functions_of(kernel);
  for (size_t i = 0; i < GRAPH_COUNT; ++i)
    if (kernel->graphs[i])
      f->GraphExecDestroy(kernel->graphs[i]);
  if (kernel->start)
    f->EventDestroy(kernel->start);
  if (kernel->stop)
    f->EventDestroy(kernel->stop);
  cuda_launches_deinit(base->device, &kernel->launches);
  free(kernel->parameters);
  free(kernel->addresses);
}

//===- Binding ----------------------------------------------------------------------===//

static tune_status make_tensor_map(const cuda_kernel *kernel, const tune_program_argument *argument,
                                   CUtensorMap *out_map) {
  const cuda_functions *f = functions_of(kernel);
  const tune_program_tensor_map *map = &argument->map;
  if (!f->TensorMapEncodeTiled)
    return tune_status_make(
        TUNE_UNAVAILABLE, "the driver has no cuTensorMapEncodeTiled: CUDA 12.0 is needed; install "
                          "NVIDIA's driver 525 or later");
  uint64_t sizes[TUNE_PROGRAM_TENSOR_RANK], strides[TUNE_PROGRAM_TENSOR_RANK];
  uint32_t ones[TUNE_PROGRAM_TENSOR_RANK];
  uint64_t stride = map->element_bytes;
  for (uint32_t i = 0; i < map->rank; ++i) {
    sizes[i] = map->sizes[i];
    stride *= map->sizes[i];
    strides[i] = stride; // of the dimension behind it
    ones[i] = 1;
  }
  int element = map->element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                : map->element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                          : CU_TENSOR_MAP_DATA_TYPE_UINT32;
  int swizzle = map->swizzle == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                : map->swizzle == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                : map->swizzle == 32 ? CU_TENSOR_MAP_SWIZZLE_32B
                                     : CU_TENSOR_MAP_SWIZZLE_NONE;
  void *address = (void *)(uintptr_t)data_of(kernel, argument->buffer);
  return cuda_status(f,
                     f->TensorMapEncodeTiled(out_map, element, map->rank, address, sizes, strides,
                                             map->box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                             CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                     "making the tensor map of buffer %zu", argument->buffer);
}

static tune_status make_parameter(const cuda_kernel *kernel, const tune_program_argument *argument,
                                  parameter *out) {
  switch (argument->kind) {
  case TUNE_PROGRAM_I32:
    out->i32 = argument->i32;
    return TUNE_OK;
  case TUNE_PROGRAM_F32:
    out->f32 = argument->f32;
    return TUNE_OK;
  case TUNE_PROGRAM_TENSOR_MAP:
    return make_tensor_map(kernel, argument, &out->map);
  default: // texels have been refused
    out->address = data_of(kernel, argument->buffer);
    return TUNE_OK;
  }
}

static tune_status make_parameters(cuda_kernel *kernel) {
  const tune_program *program = &kernel->base.program;
  size_t count = 0;
  for (size_t i = 0; i < program->step_count; ++i)
    count += program->steps[i].argument_count;
  kernel->parameters = aligned_alloc(_Alignof(parameter), (count + 1) * sizeof *kernel->parameters);
  kernel->addresses = calloc(count + 1, sizeof *kernel->addresses);
  if (!kernel->parameters || !kernel->addresses)
    return tune_status_out_of_memory("binding");
  size_t at = 0;
  for (size_t i = 0; i < program->step_count; ++i)
    for (size_t j = 0; j < program->steps[i].argument_count; ++j, ++at) {
      TUNE_RETURN_IF_ERROR(
          make_parameter(kernel, &program->steps[i].arguments[j], &kernel->parameters[at]));
      kernel->addresses[at] = &kernel->parameters[at];
    }
  return TUNE_OK;
}

static tune_status make_event(const cuda_functions *f, CUevent *out_event) {
  CUevent event;
  TUNE_RETURN_IF_ERROR(cuda_status(f, f->EventCreate(&event, CU_EVENT_DEFAULT), "making an event"));
  *out_event = event;
  return TUNE_OK;
}

static tune_status bind(tune_device_kernel *base) {
  cuda_kernel *kernel = (cuda_kernel *)base;
  const cuda_functions *f = functions_of(kernel);
  TUNE_RETURN_IF_ERROR(make_parameters(kernel));
  TUNE_RETURN_IF_ERROR(make_event(f, &kernel->start));
  return make_event(f, &kernel->stop);
}

//===- Recording --------------------------------------------------------------------===//

static tune_status enqueue_launch(const cuda_kernel *kernel, size_t step, void **parameters) {
  const cuda_functions *f = functions_of(kernel);
  const tune_program_step *launch = &kernel->base.program.steps[step];
  const uint32_t *groups = launch->groups, *size = launch->group_size;
  return cuda_status(f,
                     f->LaunchKernel(kernel->launches.functions[step], groups[0], groups[1],
                                     groups[2], size[0], size[1], size[2],
                                     (unsigned)launch->shared_bytes, device_of(kernel)->stream,
                                     parameters, NULL),
                     "launching %s", launch->entry);
}

static tune_status enqueue_copy(const cuda_kernel *kernel, const tune_program_step *step) {
  const cuda_functions *f = functions_of(kernel);
  return cuda_status(f,
                     f->MemcpyDtoDAsync(data_of(kernel, step->to), data_of(kernel, step->from),
                                        step->bytes, device_of(kernel)->stream),
                     "copying %zu bytes", step->bytes);
}

// The steps from `first` to before `end`, which are no branches.
static tune_status enqueue_steps(const cuda_kernel *kernel, size_t first, size_t end) {
  void **parameters = kernel->addresses;
  for (size_t i = 0; i < end; ++i) {
    const tune_program_step *step = &kernel->base.program.steps[i];
    if (i < first)
      ; // only its parameters are passed over
    else if (step->kind == TUNE_PROGRAM_LAUNCH)
      TUNE_RETURN_IF_ERROR(enqueue_launch(kernel, i, parameters));
    else
      TUNE_RETURN_IF_ERROR(enqueue_copy(kernel, step));
    parameters += step->argument_count;
  }
  return TUNE_OK;
}

// The stream does not run what is put to it meanwhile. The end of recording is asked for whatever
// came before it.
static tune_status record_graph(const cuda_kernel *kernel, uint64_t runs, CUgraph *out_graph) {
  const cuda_functions *f = functions_of(kernel);
  CUstream stream = device_of(kernel)->stream;
  CUgraph graph = NULL;
  TUNE_RETURN_IF_ERROR(cuda_status(f, f->StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                                   "recording a run"));
  tune_status status = TUNE_OK;
  for (uint64_t i = 0; i < runs && tune_status_is_ok(status); ++i)
    status = enqueue_steps(kernel, 0, kernel->base.program.step_count);
  tune_status end = cuda_status(f, f->StreamEndCapture(stream, &graph), "recording a run");
  if (tune_status_is_ok(status) && tune_status_is_ok(end)) {
    *out_graph = graph;
    return TUNE_OK;
  }
  if (graph)
    f->GraphDestroy(graph);
  if (tune_status_is_ok(status))
    return end;
  tune_status_free(end); // which follows from the other
  return status;
}

static tune_status make_graph(cuda_kernel *kernel, size_t index) {
  const cuda_functions *f = functions_of(kernel);
  CUgraph graph;
  CUgraphExec executable = NULL;
  TUNE_RETURN_IF_ERROR(record_graph(kernel, GRAPH_RUNS[index], &graph));
  CUresult result = f->GraphInstantiate(&executable, graph, 0);
  f->GraphDestroy(graph);
  TUNE_RETURN_IF_ERROR(cuda_status(f, result, "making a graph of runs"));
  kernel->graphs[index] = executable;
  result = f->GraphUpload(executable, device_of(kernel)->stream);
  if (result == CUDA_SUCCESS)
    result = f->StreamSynchronize(device_of(kernel)->stream);
  return cuda_status(f, result, "making a graph of runs");
}

//===- Running ----------------------------------------------------------------------===//

// How often each graph is launched for so many runs; those are made that are not there yet.
static tune_status plan(cuda_kernel *kernel, uint64_t runs, uint64_t counts[GRAPH_COUNT]) {
  for (size_t i = 0; i < GRAPH_COUNT; ++i) {
    bool fits =
        GRAPH_RUNS[i] == 1 || GRAPH_RUNS[i] * kernel->base.program.step_count <= GRAPH_STEPS;
    counts[i] = fits ? runs / GRAPH_RUNS[i] : 0;
    runs -= counts[i] * GRAPH_RUNS[i];
    if (counts[i] && !kernel->graphs[i])
      TUNE_RETURN_IF_ERROR(make_graph(kernel, i));
  }
  return TUNE_OK;
}

// Waits without an end: whoever runs what may hang does so in a child.
static tune_status run_graphs(const cuda_kernel *kernel, const uint64_t counts[GRAPH_COUNT],
                              float *out_milliseconds) {
  const cuda_functions *f = functions_of(kernel);
  CUstream stream = device_of(kernel)->stream;
  CUresult result = f->EventRecord(kernel->start, stream);
  for (size_t i = 0; i < GRAPH_COUNT; ++i)
    for (uint64_t launch = 0; launch < counts[i] && result == CUDA_SUCCESS; ++launch)
      result = f->GraphLaunch(kernel->graphs[i], stream);
  if (result == CUDA_SUCCESS)
    result = f->EventRecord(kernel->stop, stream);
  if (result == CUDA_SUCCESS)
    result = f->EventSynchronize(kernel->stop);
  if (result == CUDA_SUCCESS)
    result = f->EventElapsedTime(out_milliseconds, kernel->start, kernel->stop);
  return cuda_status(f, result, "running");
}

static tune_status run(tune_device_kernel *base, uint64_t repeats, double *out_seconds) {
  cuda_kernel *kernel = (cuda_kernel *)base;
  uint64_t counts[GRAPH_COUNT];
  float milliseconds = 0;
  TUNE_RETURN_IF_ERROR(plan(kernel, repeats, counts));
  TUNE_RETURN_IF_ERROR(run_graphs(kernel, counts, &milliseconds));
  *out_seconds = fmax((double)milliseconds * 1e-3, (double)repeats * RUN_SECONDS);
  return TUNE_OK;
}

static tune_status run_steps(tune_device_kernel *base, size_t first, size_t end) {
  cuda_kernel *kernel = (cuda_kernel *)base;
  const cuda_functions *f = functions_of(kernel);
  TUNE_RETURN_IF_ERROR(enqueue_steps(kernel, first, end));
  return cuda_status(f, f->StreamSynchronize(device_of(kernel)->stream), "running");
}

const tune_device_driver cuda_driver = {
    .memory = &cuda_memory,
    .kernel_size = sizeof(cuda_kernel),
    .load = load,
    .unload = unload,
    .bind = bind,
    .run = run,
    .run_steps = run_steps,
};
