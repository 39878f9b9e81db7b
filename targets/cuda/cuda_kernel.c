//===- cuda_kernel.c - A program on a CUDA device ---------------------------------------===//

#include "targets/cuda/cuda_kernel.h"
#include "targets/cuda/cuda_launch.h"
#include "targets/cuda/cuda_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  tune_kernel base;
  const cuda_device *device;
  const tune_signature *signature;
  tune_program program;
  cuda_launches launches;

  // From bind on:
  cuda_buffer *buffers;        // one for each of the program's
  const tune_buffer **sources; // what they were filled from: arguments; else NULL
  parameter *parameters;       // of all steps, in order
  void **addresses;            // of each of them
  CUevent start, stop;
  CUgraphExec graphs[GRAPH_COUNT]; // as GRAPH_RUNS; NULL until needed
  bool is_bound, has_run;
  tune_status failure; // of rewind, which cannot say it
} cuda_kernel;

//===- Loading ----------------------------------------------------------------------===//

void cuda_kernel_unload(tune_kernel *base) {
  if (!base)
    return;
  cuda_kernel *kernel = (cuda_kernel *)base;
  const cuda_functions *f = &kernel->device->functions;
  for (size_t i = 0; i < GRAPH_COUNT; ++i)
    if (kernel->graphs[i])
      f->GraphExecDestroy(kernel->graphs[i]);
  if (kernel->start)
    f->EventDestroy(kernel->start);
  if (kernel->stop)
    f->EventDestroy(kernel->stop);
  for (size_t i = 0; kernel->buffers && i < kernel->program.buffer_count; ++i)
    cuda_buffer_deinit(kernel->device, &kernel->buffers[i]);
  cuda_launches_deinit(kernel->device, &kernel->launches);
  tune_program_deinit(&kernel->program);
  tune_status_free(kernel->failure);
  free(kernel->buffers);
  free(kernel->sources);
  free(kernel->parameters);
  free(kernel->addresses);
  free(kernel);
}

tune_status cuda_kernel_create(const tune_target_class *methods, const cuda_device *device,
                               const tune_signature *signature, tune_program *program,
                               tune_kernel **out_kernel) {
  *out_kernel = NULL;
  cuda_kernel *kernel = calloc(1, sizeof *kernel);
  if (!kernel) {
    tune_program_deinit(program);
    return tune_status_make(TUNE_OUT_OF_MEMORY, "loading a program");
  }
  kernel->base.methods = methods;
  kernel->base.is_unordered = program->is_unordered;
  kernel->device = device;
  kernel->signature = signature;
  kernel->program = *program;
  *program = (tune_program){0};
  tune_status status = cuda_launches_init(device, &kernel->program, &kernel->launches);
  if (!tune_status_is_ok(status)) {
    cuda_kernel_unload(&kernel->base);
    return status;
  }
  *out_kernel = &kernel->base;
  return TUNE_OK;
}

tune_status cuda_kernel_load(const tune_target_class *methods, const cuda_device *device,
                             const tune_artifact *artifact, tune_kernel **out_kernel) {
  *out_kernel = NULL;
  tune_program program;
  TUNE_RETURN_IF_ERROR(
      tune_program_read(artifact->path, methods->name, artifact->signature, &program));
  return tune_status_annotate(
      cuda_kernel_create(methods, device, artifact->signature, &program, out_kernel), "%s",
      artifact->path);
}

//===- Binding ----------------------------------------------------------------------===//

static tune_status check_argument(const tune_value_type *type, const tune_buffer *buffer) {
  if (buffer->type.element == type->element && buffer->type.is_scalar == type->is_scalar &&
      tune_value_type_allows(type, buffer->type.rank, buffer->type.shape))
    return TUNE_OK;
  char found[TUNE_VALUE_TYPE_TEXT], expected[TUNE_VALUE_TYPE_TEXT];
  tune_value_type_to_text(&buffer->type, found);
  tune_value_type_to_text(type, expected);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "it is %s, expected %s", found, expected);
}

// What buffer `index` holds at first; NULL: nothing.
static const void *first_contents(const cuda_kernel *kernel, size_t index) {
  const tune_buffer *source = kernel->sources[index];
  return source ? source->data : kernel->program.buffers[index].data;
}

// Gives each buffer its first contents, and those without any ones in all bits.
static tune_status fill_buffers(cuda_kernel *kernel, const tune_buffer *arguments) {
  const tune_program *program = &kernel->program;
  for (size_t i = 0; i < program->buffer_count; ++i) {
    const cuda_buffer *buffer = &kernel->buffers[i];
    if (program->buffers[i].kind == TUNE_PROGRAM_ARGUMENT)
      kernel->sources[i] = &arguments[program->buffers[i].index];
    const void *contents = first_contents(kernel, i);
    if (contents)
      TUNE_RETURN_IF_ERROR(cuda_buffer_write(kernel->device, buffer, contents));
    else if (kernel->is_bound) // a new buffer has them
      TUNE_RETURN_IF_ERROR(cuda_buffer_poison(kernel->device, buffer));
  }
  return TUNE_OK;
}

static tune_status make_buffers(cuda_kernel *kernel) {
  const tune_program *program = &kernel->program;
  kernel->buffers = calloc(program->buffer_count + 1, sizeof *kernel->buffers);
  kernel->sources = calloc(program->buffer_count + 1, sizeof *kernel->sources);
  if (!kernel->buffers || !kernel->sources)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "binding");
  for (size_t i = 0; i < program->buffer_count; ++i)
    TUNE_RETURN_IF_ERROR(cuda_buffer_init(kernel->device, program->buffers[i].size,
                                          !program->buffers[i].is_read_only, &kernel->buffers[i]));
  return TUNE_OK;
}

static tune_status make_tensor_map(const cuda_kernel *kernel, const tune_program_argument *argument,
                                   CUtensorMap *out_map) {
  const cuda_functions *f = &kernel->device->functions;
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
  void *address = (void *)(uintptr_t)kernel->buffers[argument->buffer].data;
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
    out->address = kernel->buffers[argument->buffer].data;
    return TUNE_OK;
  }
}

static tune_status make_parameters(cuda_kernel *kernel) {
  const tune_program *program = &kernel->program;
  size_t count = 0;
  for (size_t i = 0; i < program->step_count; ++i)
    count += program->steps[i].argument_count;
  kernel->parameters = aligned_alloc(_Alignof(parameter), (count + 1) * sizeof *kernel->parameters);
  kernel->addresses = calloc(count + 1, sizeof *kernel->addresses);
  if (!kernel->parameters || !kernel->addresses)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "binding");
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

static tune_status bind_all(cuda_kernel *kernel, const tune_buffer *buffers) {
  kernel->has_run = false;
  if (kernel->is_bound)
    return fill_buffers(kernel, buffers);
  TUNE_RETURN_IF_ERROR(make_buffers(kernel));
  TUNE_RETURN_IF_ERROR(fill_buffers(kernel, buffers));
  TUNE_RETURN_IF_ERROR(make_parameters(kernel));
  TUNE_RETURN_IF_ERROR(make_event(&kernel->device->functions, &kernel->start));
  return make_event(&kernel->device->functions, &kernel->stop);
}

tune_status cuda_kernel_bind(tune_kernel *base, const tune_buffer *buffers, size_t count) {
  cuda_kernel *kernel = (cuda_kernel *)base;
  const tune_signature *signature = kernel->signature;
  if (kernel->buffers && !kernel->is_bound)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "binding the kernel has failed before");
  if (count != signature->argument_count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu arguments where %s takes %zu", count,
                            signature->entry, signature->argument_count);
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(tune_status_annotate(check_argument(&signature->arguments[i], &buffers[i]),
                                              "argument %zu", i));
  tune_status status = bind_all(kernel, buffers);
  kernel->is_bound = tune_status_is_ok(status);
  return status;
}

//===- Recording --------------------------------------------------------------------===//

static tune_status enqueue_launch(const cuda_kernel *kernel, size_t step, void **parameters) {
  const cuda_functions *f = &kernel->device->functions;
  const tune_program_step *launch = &kernel->program.steps[step];
  const uint32_t *groups = launch->groups, *size = launch->group_size;
  return cuda_status(f,
                     f->LaunchKernel(kernel->launches.functions[step], groups[0], groups[1],
                                     groups[2], size[0], size[1], size[2],
                                     (unsigned)launch->shared_bytes, kernel->device->stream,
                                     parameters, NULL),
                     "launching %s", launch->entry);
}

static tune_status enqueue_copy(const cuda_kernel *kernel, const tune_program_step *step) {
  const cuda_functions *f = &kernel->device->functions;
  return cuda_status(f,
                     f->MemcpyDtoDAsync(kernel->buffers[step->to].data,
                                        kernel->buffers[step->from].data, step->bytes,
                                        kernel->device->stream),
                     "copying %zu bytes", step->bytes);
}

static tune_status enqueue_run(const cuda_kernel *kernel) {
  void **parameters = kernel->addresses;
  for (size_t i = 0; i < kernel->program.step_count; ++i) {
    const tune_program_step *step = &kernel->program.steps[i];
    if (step->kind == TUNE_PROGRAM_LAUNCH)
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
  const cuda_functions *f = &kernel->device->functions;
  CUstream stream = kernel->device->stream;
  CUgraph graph = NULL;
  TUNE_RETURN_IF_ERROR(cuda_status(f, f->StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                                   "recording a run"));
  tune_status status = TUNE_OK;
  for (uint64_t i = 0; i < runs && tune_status_is_ok(status); ++i)
    status = enqueue_run(kernel);
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
  const cuda_functions *f = &kernel->device->functions;
  CUgraph graph;
  CUgraphExec executable = NULL;
  TUNE_RETURN_IF_ERROR(record_graph(kernel, GRAPH_RUNS[index], &graph));
  CUresult result = f->GraphInstantiate(&executable, graph, 0);
  f->GraphDestroy(graph);
  TUNE_RETURN_IF_ERROR(cuda_status(f, result, "making a graph of runs"));
  kernel->graphs[index] = executable;
  result = f->GraphUpload(executable, kernel->device->stream);
  if (result == CUDA_SUCCESS)
    result = f->StreamSynchronize(kernel->device->stream);
  return cuda_status(f, result, "making a graph of runs");
}

//===- Running ----------------------------------------------------------------------===//

void cuda_kernel_rewind(tune_kernel *base) {
  cuda_kernel *kernel = (cuda_kernel *)base;
  for (size_t i = 0; kernel->is_bound && i < kernel->program.buffer_count; ++i)
    if (kernel->sources[i] && !kernel->program.buffers[i].is_read_only)
      kernel->failure =
          tune_status_join(kernel->failure, cuda_buffer_write(kernel->device, &kernel->buffers[i],
                                                              kernel->sources[i]->data));
}

// How often each graph is launched for so many runs; those are made that are not there yet.
static tune_status plan(cuda_kernel *kernel, uint64_t runs, uint64_t counts[GRAPH_COUNT]) {
  for (size_t i = 0; i < GRAPH_COUNT; ++i) {
    bool fits = GRAPH_RUNS[i] == 1 || GRAPH_RUNS[i] * kernel->program.step_count <= GRAPH_STEPS;
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
  const cuda_functions *f = &kernel->device->functions;
  CUstream stream = kernel->device->stream;
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

tune_status cuda_kernel_time(tune_kernel *base, uint64_t repeats, double *out_seconds) {
  cuda_kernel *kernel = (cuda_kernel *)base;
  if (!kernel->is_bound)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "the kernel has no arguments yet");
  tune_status failure = kernel->failure;
  kernel->failure = TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_status_annotate(failure, "rewinding"));
  uint64_t counts[GRAPH_COUNT];
  float milliseconds = 0;
  TUNE_RETURN_IF_ERROR(plan(kernel, repeats, counts));
  TUNE_RETURN_IF_ERROR(run_graphs(kernel, counts, &milliseconds));
  *out_seconds = fmax((double)milliseconds * 1e-3, (double)repeats * RUN_SECONDS);
  kernel->has_run = true;
  return TUNE_OK;
}

//===- Reading and checking ---------------------------------------------------------===//

tune_status cuda_kernel_read(const tune_kernel *base, size_t output, tune_buffer *out_buffer) {
  *out_buffer = (tune_buffer){0};
  const cuda_kernel *kernel = (const cuda_kernel *)base;
  if (!kernel->has_run)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "the kernel has not run yet");
  size_t buffer = tune_program_find_output(&kernel->program, kernel->signature, output);
  TUNE_RETURN_IF_ERROR(
      tune_buffer_init(out_buffer, tune_signature_output(kernel->signature, output)));
  tune_status status = cuda_buffer_read(kernel->device, &kernel->buffers[buffer], out_buffer->data);
  if (!tune_status_is_ok(status))
    tune_buffer_deinit(out_buffer);
  return status;
}

static tune_status check_buffer(const cuda_kernel *kernel, size_t index) {
  TUNE_RETURN_IF_ERROR(cuda_buffer_check_guards(kernel->device, &kernel->buffers[index]));
  const void *contents = first_contents(kernel, index);
  if (!kernel->program.buffers[index].is_read_only || !contents)
    return TUNE_OK;
  bool is_equal;
  TUNE_RETURN_IF_ERROR(
      cuda_buffer_equals(kernel->device, &kernel->buffers[index], contents, &is_equal));
  return is_equal ? TUNE_OK
                  : tune_status_make(TUNE_DATA_LOSS, "it was written, but it is only to be read");
}

tune_status cuda_kernel_check(const tune_kernel *base) {
  const cuda_kernel *kernel = (const cuda_kernel *)base;
  for (size_t i = 0; kernel->is_bound && i < kernel->program.buffer_count; ++i) {
    char name[32];
    tune_program_buffer_name(&kernel->program, i, name);
    TUNE_RETURN_IF_ERROR(tune_status_annotate(check_buffer(kernel, i), "%s", name));
  }
  return TUNE_OK;
}

// The device's memory is not the host's: what crashes there is no crash here.
tune_buffer_place cuda_kernel_locate(const tune_kernel *base, const void *address,
                                     size_t *out_argument) {
  (void)base, (void)address, (void)out_argument;
  return TUNE_BUFFER_ELSEWHERE;
}
