//===- vulkan_kernel.c - A program on a Vulkan device ---------------------------------===//

#include "targets/vulkan/vulkan_kernel.h"
#include "support/clock.h"
#include "targets/program.h"
#include "targets/vulkan/vulkan_memory.h"
#include "targets/vulkan/vulkan_pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MANY 32         // runs in one command buffer
#define SUBMIT_MANY 128 // such command buffers handed in at once
#define TIMESTAMP_COUNT 2

typedef struct vulkan_kernel {
  tune_kernel base;
  vulkan_device *device;
  const tune_signature *signature;
  tune_program program;
  vulkan_pipeline *pipelines; // one for each step

  // From bind on:
  vulkan_buffer *buffers;      // one for each of the program's
  const tune_buffer **sources; // what they were filled from: arguments; else NULL
  VkBufferView *views;         // one for each argument of each step, in order; empty ones too
  size_t view_count;
  VkDescriptorPool pool;
  VkDescriptorSet *sets; // one for each step
  VkQueryPool timestamps;
  VkCommandBuffer warm, start, one, many, stop;
  bool is_bound, is_warm, has_run;
  tune_status failure; // of rewind, which cannot say it
} vulkan_kernel;

//===- Loading ----------------------------------------------------------------------===//

void vulkan_kernel_unload(tune_kernel *base) {
  if (!base)
    return;
  vulkan_kernel *kernel = (vulkan_kernel *)base;
  vulkan_device *device = kernel->device;
  const vulkan_functions *f = &device->functions;
  const VkCommandBuffer commands[] = {kernel->warm, kernel->start, kernel->one, kernel->many,
                                      kernel->stop};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i)
    vulkan_device_free(device, commands[i]);
  f->DestroyQueryPool(device->device, kernel->timestamps, NULL);
  f->DestroyDescriptorPool(device->device, kernel->pool, NULL); // and its sets
  for (size_t i = 0; kernel->views && i < kernel->view_count; ++i)
    f->DestroyBufferView(device->device, kernel->views[i], NULL);
  for (size_t i = 0; kernel->buffers && i < kernel->program.buffer_count; ++i)
    vulkan_buffer_deinit(device, &kernel->buffers[i]);
  vulkan_pipelines_destroy(device, kernel->pipelines, kernel->program.step_count);
  tune_program_deinit(&kernel->program);
  tune_status_free(kernel->failure);
  free(kernel->buffers);
  free(kernel->sources);
  free(kernel->views);
  free(kernel->sets);
  free(kernel);
}

tune_status vulkan_kernel_create(const tune_target_class *methods, vulkan_device *device,
                                 const tune_signature *signature, tune_program *program,
                                 tune_kernel **out_kernel) {
  *out_kernel = NULL;
  vulkan_kernel *kernel = calloc(1, sizeof *kernel);
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
  tune_status status = vulkan_device_validate(
      device, vulkan_pipelines_create(device, &kernel->program, &kernel->pipelines));
  if (!tune_status_is_ok(status)) {
    vulkan_kernel_unload(&kernel->base);
    return status;
  }
  *out_kernel = &kernel->base;
  return TUNE_OK;
}

tune_status vulkan_kernel_load(const tune_target_class *methods, vulkan_device *device,
                               const tune_artifact *artifact, tune_kernel **out_kernel) {
  *out_kernel = NULL;
  tune_program program;
  TUNE_RETURN_IF_ERROR(
      tune_program_read(artifact->path, methods->name, artifact->signature, &program));
  return tune_status_annotate(
      vulkan_kernel_create(methods, device, artifact->signature, &program, out_kernel), "%s",
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
static const void *first_contents(const vulkan_kernel *kernel, size_t index) {
  const tune_buffer *source = kernel->sources[index];
  return source ? source->data : kernel->program.buffers[index].data;
}

// Gives each buffer its first contents, and those without any ones in all bits.
static tune_status fill_buffers(vulkan_kernel *kernel, const tune_buffer *arguments) {
  const tune_program *program = &kernel->program;
  for (size_t i = 0; i < program->buffer_count; ++i) {
    vulkan_buffer *buffer = &kernel->buffers[i];
    if (program->buffers[i].kind == TUNE_PROGRAM_ARGUMENT)
      kernel->sources[i] = &arguments[program->buffers[i].index];
    const void *contents = first_contents(kernel, i);
    if (contents)
      TUNE_RETURN_IF_ERROR(vulkan_buffer_write(kernel->device, buffer, contents));
    else if (kernel->is_bound) // a new buffer has them
      TUNE_RETURN_IF_ERROR(vulkan_buffer_poison(kernel->device, buffer));
  }
  return TUNE_OK;
}

static tune_status make_buffers(vulkan_kernel *kernel) {
  const tune_program *program = &kernel->program;
  kernel->buffers = calloc(program->buffer_count + 1, sizeof *kernel->buffers);
  kernel->sources = calloc(program->buffer_count + 1, sizeof *kernel->sources);
  if (!kernel->buffers || !kernel->sources)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "binding");
  for (size_t i = 0; i < program->buffer_count; ++i)
    TUNE_RETURN_IF_ERROR(vulkan_buffer_init(kernel->device, program->buffers[i].size,
                                            !program->buffers[i].is_read_only,
                                            &kernel->buffers[i]));
  return TUNE_OK;
}

static tune_status make_pool(vulkan_kernel *kernel) {
  const tune_program *program = &kernel->program;
  uint32_t storage_count = 0, texel_count = 0;
  for (size_t i = 0; i < program->step_count; ++i)
    for (size_t j = 0; j < program->steps[i].argument_count; ++j)
      *(program->steps[i].arguments[j].kind == TUNE_PROGRAM_STORAGE ? &storage_count
                                                                    : &texel_count) += 1;
  kernel->view_count = storage_count + texel_count;
  kernel->views = calloc(kernel->view_count + 1, sizeof *kernel->views);
  kernel->sets = calloc(program->step_count + 1, sizeof *kernel->sets);
  if (!kernel->views || !kernel->sets)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "binding");
  // A pool is to have room for something.
  VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, storage_count + 1},
      {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, texel_count + 1},
  };
  VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                     .maxSets = (uint32_t)program->step_count + 1,
                                     .poolSizeCount = 2,
                                     .pPoolSizes = sizes};
  return vulkan_status(kernel->device->functions.CreateDescriptorPool(kernel->device->device, &pool,
                                                                      NULL, &kernel->pool),
                       "binding");
}

// Hands a buffer to binding `binding` of `set`, as texels through `*view`.
static tune_status write_binding(vulkan_kernel *kernel, VkDescriptorSet set, uint32_t binding,
                                 const tune_program_argument *argument, VkBufferView *view) {
  const vulkan_functions *f = &kernel->device->functions;
  const vulkan_buffer *buffer = &kernel->buffers[argument->buffer];
  VkDescriptorBufferInfo part = {buffer->buffer, buffer->offset, vulkan_buffer_range(buffer)};
  if (argument->kind != TUNE_PROGRAM_STORAGE) {
    // The last texel may go on in the guard beyond the buffer.
    VkDeviceSize texel = argument->kind == TUNE_PROGRAM_TEXEL_F32 ? 4 : 16;
    VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                   .buffer = buffer->buffer,
                                   .format = argument->kind == TUNE_PROGRAM_TEXEL_F32
                                                 ? VK_FORMAT_R32_SFLOAT
                                                 : VK_FORMAT_R32G32B32A32_SFLOAT,
                                   .offset = buffer->offset,
                                   .range = (buffer->size + texel - 1) / texel * texel};
    TUNE_RETURN_IF_ERROR(vulkan_status(
        f->CreateBufferView(kernel->device->device, &info, NULL, view), "seeing texels"));
  }
  VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                .dstSet = set,
                                .dstBinding = binding,
                                .descriptorCount = 1,
                                .descriptorType = vulkan_descriptor_type(argument),
                                .pBufferInfo = &part,
                                .pTexelBufferView = view};
  f->UpdateDescriptorSets(kernel->device->device, 1, &write, 0, NULL);
  return TUNE_OK;
}

static tune_status make_sets(vulkan_kernel *kernel) {
  const vulkan_functions *f = &kernel->device->functions;
  TUNE_RETURN_IF_ERROR(make_pool(kernel));
  VkBufferView *view = kernel->views;
  for (size_t i = 0; i < kernel->program.step_count; ++i) {
    const tune_program_step *step = &kernel->program.steps[i];
    if (step->kind != TUNE_PROGRAM_LAUNCH)
      continue;
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = kernel->pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &kernel->pipelines[i].set_layout};
    TUNE_RETURN_IF_ERROR(vulkan_status(
        f->AllocateDescriptorSets(kernel->device->device, &info, &kernel->sets[i]), "binding"));
    for (uint32_t j = 0; j < step->argument_count; ++j)
      TUNE_RETURN_IF_ERROR(write_binding(kernel, kernel->sets[i], j, &step->arguments[j], view++));
  }
  return TUNE_OK;
}

//===- Recording --------------------------------------------------------------------===//

static void record_launch(const vulkan_kernel *kernel, size_t step, const uint32_t *groups,
                          VkCommandBuffer commands) {
  const vulkan_functions *f = &kernel->device->functions;
  const vulkan_pipeline *pipeline = &kernel->pipelines[step];
  f->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline);
  f->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->layout, 0, 1,
                           &kernel->sets[step], 0, NULL);
  f->CmdDispatch(commands, groups[0], groups[1], groups[2]);
}

static void record_copy(const vulkan_kernel *kernel, const tune_program_step *step,
                        VkCommandBuffer commands) {
  const vulkan_buffer *from = &kernel->buffers[step->from], *to = &kernel->buffers[step->to];
  VkBufferCopy region = {from->offset, to->offset, step->bytes};
  kernel->device->functions.CmdCopyBuffer(commands, from->buffer, to->buffer, 1, &region);
}

// Command buffers that are handed in several times at once say so.
static tune_status record_runs(vulkan_kernel *kernel, size_t runs, VkCommandBuffer *out_commands) {
  TUNE_RETURN_IF_ERROR(vulkan_device_begin(
      kernel->device, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, out_commands));
  for (size_t run = 0; run < runs; ++run)
    for (size_t i = 0; i < kernel->program.step_count; ++i) {
      const tune_program_step *step = &kernel->program.steps[i];
      if (step->kind == TUNE_PROGRAM_LAUNCH)
        record_launch(kernel, i, step->groups, *out_commands);
      else
        record_copy(kernel, step, *out_commands);
      vulkan_device_barrier(kernel->device, *out_commands);
    }
  return vulkan_device_finish(kernel->device, *out_commands);
}

static tune_status record_warm(vulkan_kernel *kernel) {
  const uint32_t none[3] = {0, 0, 0};
  TUNE_RETURN_IF_ERROR(vulkan_device_begin(kernel->device, 0, &kernel->warm));
  for (size_t i = 0; i < kernel->program.step_count; ++i)
    if (kernel->program.steps[i].kind == TUNE_PROGRAM_LAUNCH)
      record_launch(kernel, i, none, kernel->warm);
  return vulkan_device_finish(kernel->device, kernel->warm);
}

static tune_status record_clock(vulkan_kernel *kernel) {
  const vulkan_functions *f = &kernel->device->functions;
  if (kernel->device->timestamp_bits == 0)
    return TUNE_OK;
  VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                .queryCount = TIMESTAMP_COUNT};
  TUNE_RETURN_IF_ERROR(
      vulkan_status(f->CreateQueryPool(kernel->device->device, &info, NULL, &kernel->timestamps),
                    "making timestamps"));
  TUNE_RETURN_IF_ERROR(vulkan_device_begin(kernel->device, 0, &kernel->start));
  f->CmdResetQueryPool(kernel->start, kernel->timestamps, 0, TIMESTAMP_COUNT);
  f->CmdWriteTimestamp(kernel->start, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, kernel->timestamps, 0);
  TUNE_RETURN_IF_ERROR(vulkan_device_finish(kernel->device, kernel->start));
  TUNE_RETURN_IF_ERROR(vulkan_device_begin(kernel->device, 0, &kernel->stop));
  f->CmdWriteTimestamp(kernel->stop, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, kernel->timestamps, 1);
  return vulkan_device_finish(kernel->device, kernel->stop);
}

static tune_status bind_all(vulkan_kernel *kernel, const tune_buffer *buffers) {
  kernel->has_run = false;
  if (kernel->is_bound)
    return fill_buffers(kernel, buffers);
  TUNE_RETURN_IF_ERROR(make_buffers(kernel));
  TUNE_RETURN_IF_ERROR(fill_buffers(kernel, buffers));
  TUNE_RETURN_IF_ERROR(make_sets(kernel));
  TUNE_RETURN_IF_ERROR(record_warm(kernel));
  TUNE_RETURN_IF_ERROR(record_clock(kernel));
  TUNE_RETURN_IF_ERROR(record_runs(kernel, 1, &kernel->one));
  return record_runs(kernel, MANY, &kernel->many);
}

tune_status vulkan_kernel_bind(tune_kernel *base, const tune_buffer *buffers, size_t count) {
  vulkan_kernel *kernel = (vulkan_kernel *)base;
  const tune_signature *signature = kernel->signature;
  if (kernel->buffers && !kernel->is_bound)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "binding the kernel has failed before");
  if (count != signature->argument_count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu arguments where %s takes %zu", count,
                            signature->entry, signature->argument_count);
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(tune_status_annotate(check_argument(&signature->arguments[i], &buffers[i]),
                                              "argument %zu", i));
  tune_status status = vulkan_device_validate(kernel->device, bind_all(kernel, buffers));
  kernel->is_bound = tune_status_is_ok(status);
  return status;
}

//===- Running ----------------------------------------------------------------------===//

void vulkan_kernel_rewind(tune_kernel *base) {
  vulkan_kernel *kernel = (vulkan_kernel *)base;
  for (size_t i = 0; kernel->is_bound && i < kernel->program.buffer_count; ++i)
    if (kernel->sources[i] && !kernel->program.buffers[i].is_read_only)
      kernel->failure =
          tune_status_join(kernel->failure, vulkan_buffer_write(kernel->device, &kernel->buffers[i],
                                                                kernel->sources[i]->data));
}

// What the last submit took by the device's clock.
static tune_status read_clock(const vulkan_kernel *kernel, double *out_seconds) {
  const vulkan_device *device = kernel->device;
  uint64_t ticks[TIMESTAMP_COUNT];
  TUNE_RETURN_IF_ERROR(vulkan_status(
      device->functions.GetQueryPoolResults(device->device, kernel->timestamps, 0, TIMESTAMP_COUNT,
                                            sizeof ticks, ticks, sizeof *ticks,
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
      "reading timestamps"));
  uint64_t mask =
      device->timestamp_bits < 64 ? (UINT64_C(1) << device->timestamp_bits) - 1 : UINT64_MAX;
  uint64_t passed = (ticks[1] - ticks[0]) & mask;
  // What takes less than a tick takes some time all the same.
  *out_seconds =
      (double)(passed ? passed : 1) * (double)device->properties.limits.timestampPeriod * 1e-9;
  return TUNE_OK;
}

static tune_status time_submit(vulkan_kernel *kernel, uint64_t runs, double *out_seconds) {
  VkCommandBuffer commands[SUBMIT_MANY + MANY + 2];
  size_t count = 0;
  if (kernel->start)
    commands[count++] = kernel->start;
  for (uint64_t i = 0; i < runs / MANY; ++i)
    commands[count++] = kernel->many;
  for (uint64_t i = 0; i < runs % MANY; ++i)
    commands[count++] = kernel->one;
  if (kernel->stop)
    commands[count++] = kernel->stop;
  uint64_t start = tune_clock_nanoseconds();
  TUNE_RETURN_IF_ERROR(vulkan_device_run(kernel->device, commands, count));
  *out_seconds = (double)(tune_clock_nanoseconds() - start) * 1e-9;
  return kernel->start ? read_clock(kernel, out_seconds) : TUNE_OK;
}

static tune_status time_all(vulkan_kernel *kernel, uint64_t repeats, double *out_seconds) {
  const uint64_t most = (uint64_t)SUBMIT_MANY * MANY;
  if (!kernel->is_warm)
    TUNE_RETURN_IF_ERROR(vulkan_device_run(kernel->device, &kernel->warm, 1));
  kernel->is_warm = true;
  *out_seconds = 0;
  while (repeats) {
    uint64_t runs = repeats < most ? repeats : most;
    double seconds;
    TUNE_RETURN_IF_ERROR(time_submit(kernel, runs, &seconds));
    *out_seconds += seconds;
    repeats -= runs;
  }
  kernel->has_run = true;
  return TUNE_OK;
}

tune_status vulkan_kernel_time(tune_kernel *base, uint64_t repeats, double *out_seconds) {
  vulkan_kernel *kernel = (vulkan_kernel *)base;
  if (!kernel->is_bound)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "the kernel has no arguments yet");
  tune_status failure = kernel->failure;
  kernel->failure = TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_status_annotate(failure, "rewinding"));
  return vulkan_device_validate(kernel->device, time_all(kernel, repeats, out_seconds));
}

//===- Reading and checking ---------------------------------------------------------===//

tune_status vulkan_kernel_read(const tune_kernel *base, size_t output, tune_buffer *out_buffer) {
  *out_buffer = (tune_buffer){0};
  const vulkan_kernel *kernel = (const vulkan_kernel *)base;
  if (!kernel->has_run)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "the kernel has not run yet");
  size_t buffer = tune_program_find_output(&kernel->program, kernel->signature, output);
  TUNE_RETURN_IF_ERROR(
      tune_buffer_init(out_buffer, tune_signature_output(kernel->signature, output)));
  tune_status status =
      vulkan_buffer_read(kernel->device, &kernel->buffers[buffer], out_buffer->data);
  status = vulkan_device_validate(kernel->device, status);
  if (!tune_status_is_ok(status))
    tune_buffer_deinit(out_buffer);
  return status;
}

static tune_status check_buffer(const vulkan_kernel *kernel, size_t index) {
  TUNE_RETURN_IF_ERROR(vulkan_buffer_check_guards(kernel->device, &kernel->buffers[index]));
  const void *contents = first_contents(kernel, index);
  if (!kernel->program.buffers[index].is_read_only || !contents)
    return TUNE_OK;
  bool is_equal;
  TUNE_RETURN_IF_ERROR(
      vulkan_buffer_equals(kernel->device, &kernel->buffers[index], contents, &is_equal));
  return is_equal ? TUNE_OK
                  : tune_status_make(TUNE_DATA_LOSS, "it was written, but it is only to be read");
}

tune_status vulkan_kernel_check(const tune_kernel *base) {
  const vulkan_kernel *kernel = (const vulkan_kernel *)base;
  for (size_t i = 0; kernel->is_bound && i < kernel->program.buffer_count; ++i) {
    char name[32];
    tune_program_buffer_name(&kernel->program, i, name);
    TUNE_RETURN_IF_ERROR(tune_status_annotate(check_buffer(kernel, i), "%s", name));
  }
  return vulkan_device_validate(kernel->device, TUNE_OK);
}

// The device's memory is not the host's, and where it is (lavapipe) its addresses are the driver's
// own affair: a kernel stays in its buffers, as the driver sees to.
tune_buffer_place vulkan_kernel_locate(const tune_kernel *base, const void *address,
                                       size_t *out_argument) {
  (void)base, (void)address, (void)out_argument;
  return TUNE_BUFFER_ELSEWHERE;
}
