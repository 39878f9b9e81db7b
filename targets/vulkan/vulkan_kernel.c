//===- vulkan_kernel.c - A program on a Vulkan device ---------------------------------===//

#include "targets/vulkan/vulkan_kernel.h"
#include "support/clock.h"
#include "targets/vulkan/vulkan_memory.h"
#include "targets/vulkan/vulkan_pipeline.h"

#include <stdlib.h>

#define MANY 32         // runs in one command buffer
#define SUBMIT_MANY 128 // such command buffers handed in at once
#define TIMESTAMP_COUNT 2

typedef struct vulkan_kernel {
  tune_device_kernel base;
  vulkan_pipeline *pipelines; // one for each step

  // From bind on:
  VkBufferView *views; // one for each argument of each step, in order; empty ones too
  size_t view_count;
  VkDescriptorPool pool;
  VkDescriptorSet *sets; // one for each step
  VkQueryPool timestamps;
  VkCommandBuffer warm, start, one, many, stop;
  VkCommandBuffer *parts; // of a program with branches: those that begin at a step, or NULL
  bool is_warm;
} vulkan_kernel;

static vulkan_device *device_of(const vulkan_kernel *kernel) { return kernel->base.device; }

static const vulkan_functions *functions_of(const vulkan_kernel *kernel) {
  return &device_of(kernel)->functions;
}

static const vulkan_buffer *buffer_of(const vulkan_kernel *kernel, size_t index) {
  return (const vulkan_buffer *)kernel->base.buffers + index;
}

//===- Loading ----------------------------------------------------------------------===//

static tune_status load(tune_device_kernel *base) {
  return vulkan_pipelines_create(base->device, &base->program, &((vulkan_kernel *)base)->pipelines);
}

static void unload(tune_device_kernel *base) {
  vulkan_kernel *kernel = (vulkan_kernel *)base;
  vulkan_device *device = base->device;
  const vulkan_functions *f = &device->functions;
  const VkCommandBuffer commands[] = {kernel->warm, kernel->start, kernel->one, kernel->many,
                                      kernel->stop};
  for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i)
    vulkan_device_free(device, commands[i]);
  f->DestroyQueryPool(device->device, kernel->timestamps, NULL);
  f->DestroyDescriptorPool(device->device, kernel->pool, NULL); // and its sets
  for (size_t i = 0; kernel->views && i < kernel->view_count; ++i)
    f->DestroyBufferView(device->device, kernel->views[i], NULL);
  for (size_t i = 0; kernel->parts && i < base->program.step_count; ++i)
    vulkan_device_free(device, kernel->parts[i]);
  vulkan_pipelines_destroy(device, kernel->pipelines, base->program.step_count);
  free(kernel->parts);
  free(kernel->views);
  free(kernel->sets);
}

//===- Binding ----------------------------------------------------------------------===//

static tune_status make_pool(vulkan_kernel *kernel) {
  const tune_program *program = &kernel->base.program;
  uint32_t storage_count = 0, texel_count = 0;
  for (size_t i = 0; i < program->step_count; ++i)
    for (size_t j = 0; j < program->steps[i].argument_count; ++j)
      *(program->steps[i].arguments[j].kind == TUNE_PROGRAM_STORAGE ? &storage_count
                                                                    : &texel_count) += 1;
  kernel->view_count = storage_count + texel_count;
  kernel->views = calloc(kernel->view_count + 1, sizeof *kernel->views);
  kernel->sets = calloc(program->step_count + 1, sizeof *kernel->sets);
  if (!kernel->views || !kernel->sets)
    return tune_status_out_of_memory("binding");
  // A pool is to have room for something.
  VkDescriptorPoolSize sizes[] = {
      {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, storage_count + 1},
      {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, texel_count + 1},
  };
  VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                     .maxSets = (uint32_t)program->step_count + 1,
                                     .poolSizeCount = 2,
                                     .pPoolSizes = sizes};
  return vulkan_status(functions_of(kernel)->CreateDescriptorPool(device_of(kernel)->device, &pool,
                                                                  NULL, &kernel->pool),
                       "binding");
}

// Hands a buffer to binding `binding` of `set`, as texels through `*view`.
static tune_status write_binding(vulkan_kernel *kernel, VkDescriptorSet set, uint32_t binding,
                                 const tune_program_argument *argument, VkBufferView *view) {
  const vulkan_functions *f = functions_of(kernel);
  const vulkan_buffer *buffer = buffer_of(kernel, argument->buffer);
  VkDescriptorBufferInfo part = {buffer->buffer, buffer->base.offset, vulkan_buffer_range(buffer)};
  if (argument->kind != TUNE_PROGRAM_STORAGE) {
    // The last texel may go on in the guard beyond the buffer.
    VkDeviceSize texel = argument->kind == TUNE_PROGRAM_TEXEL_F32 ? 4 : 16;
    VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                   .buffer = buffer->buffer,
                                   .format = argument->kind == TUNE_PROGRAM_TEXEL_F32
                                                 ? VK_FORMAT_R32_SFLOAT
                                                 : VK_FORMAT_R32G32B32A32_SFLOAT,
                                   .offset = buffer->base.offset,
                                   .range = (buffer->base.size + texel - 1) / texel * texel};
    TUNE_RETURN_IF_ERROR(vulkan_status(
        f->CreateBufferView(device_of(kernel)->device, &info, NULL, view), "seeing texels"));
  }
  VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                .dstSet = set,
                                .dstBinding = binding,
                                .descriptorCount = 1,
                                .descriptorType = vulkan_descriptor_type(argument),
                                .pBufferInfo = &part,
                                .pTexelBufferView = view};
  f->UpdateDescriptorSets(device_of(kernel)->device, 1, &write, 0, NULL);
  return TUNE_OK;
}

static tune_status make_sets(vulkan_kernel *kernel) {
  const vulkan_functions *f = functions_of(kernel);
  TUNE_RETURN_IF_ERROR(make_pool(kernel));
  VkBufferView *view = kernel->views;
  for (size_t i = 0; i < kernel->base.program.step_count; ++i) {
    const tune_program_step *step = &kernel->base.program.steps[i];
    if (step->kind != TUNE_PROGRAM_LAUNCH)
      continue;
    VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                        .descriptorPool = kernel->pool,
                                        .descriptorSetCount = 1,
                                        .pSetLayouts = &kernel->pipelines[i].set_layout};
    TUNE_RETURN_IF_ERROR(vulkan_status(
        f->AllocateDescriptorSets(device_of(kernel)->device, &info, &kernel->sets[i]), "binding"));
    for (uint32_t j = 0; j < step->argument_count; ++j)
      TUNE_RETURN_IF_ERROR(write_binding(kernel, kernel->sets[i], j, &step->arguments[j], view++));
  }
  return TUNE_OK;
}

//===- Recording --------------------------------------------------------------------===//

static void record_launch(const vulkan_kernel *kernel, size_t step, const uint32_t *groups,
                          VkCommandBuffer commands) {
  const vulkan_functions *f = functions_of(kernel);
  const vulkan_pipeline *pipeline = &kernel->pipelines[step];
  f->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->pipeline);
  f->CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->layout, 0, 1,
                           &kernel->sets[step], 0, NULL);
  f->CmdDispatch(commands, groups[0], groups[1], groups[2]);
}

static void record_copy(const vulkan_kernel *kernel, const tune_program_step *step,
                        VkCommandBuffer commands) {
  const vulkan_buffer *from = buffer_of(kernel, step->from), *to = buffer_of(kernel, step->to);
  VkBufferCopy region = {from->base.offset, to->base.offset, step->bytes};
  functions_of(kernel)->CmdCopyBuffer(commands, from->buffer, to->buffer, 1, &region);
}

// Those from `first` to before `end`, which are no branches.
static void record_steps(const vulkan_kernel *kernel, size_t first, size_t end,
                         VkCommandBuffer commands) {
  for (size_t i = first; i < end; ++i) {
    const tune_program_step *step = &kernel->base.program.steps[i];
    if (step->kind == TUNE_PROGRAM_LAUNCH)
      record_launch(kernel, i, step->groups, commands);
    else
      record_copy(kernel, step, commands);
    vulkan_device_barrier(device_of(kernel), commands);
  }
}

// Command buffers that are handed in several times at once say so.
static tune_status record_runs(vulkan_kernel *kernel, size_t runs, VkCommandBuffer *out_commands) {
  TUNE_RETURN_IF_ERROR(vulkan_device_begin(
      device_of(kernel), VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, out_commands));
  for (size_t run = 0; run < runs; ++run)
    record_steps(kernel, 0, kernel->base.program.step_count, *out_commands);
  return vulkan_device_finish(device_of(kernel), *out_commands);
}

static tune_status record_warm(vulkan_kernel *kernel) {
  const uint32_t none[3] = {0, 0, 0};
  TUNE_RETURN_IF_ERROR(vulkan_device_begin(device_of(kernel), 0, &kernel->warm));
  for (size_t i = 0; i < kernel->base.program.step_count; ++i)
    if (kernel->base.program.steps[i].kind == TUNE_PROGRAM_LAUNCH)
      record_launch(kernel, i, none, kernel->warm);
  return vulkan_device_finish(device_of(kernel), kernel->warm);
}

static tune_status record_clock(vulkan_kernel *kernel) {
  const vulkan_functions *f = functions_of(kernel);
  if (device_of(kernel)->timestamp_bits == 0)
    return TUNE_OK;
  VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                .queryCount = TIMESTAMP_COUNT};
  TUNE_RETURN_IF_ERROR(
      vulkan_status(f->CreateQueryPool(device_of(kernel)->device, &info, NULL, &kernel->timestamps),
                    "making timestamps"));
  TUNE_RETURN_IF_ERROR(vulkan_device_begin(device_of(kernel), 0, &kernel->start));
  f->CmdResetQueryPool(kernel->start, kernel->timestamps, 0, TIMESTAMP_COUNT);
  f->CmdWriteTimestamp(kernel->start, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, kernel->timestamps, 0);
  TUNE_RETURN_IF_ERROR(vulkan_device_finish(device_of(kernel), kernel->start));
  TUNE_RETURN_IF_ERROR(vulkan_device_begin(device_of(kernel), 0, &kernel->stop));
  f->CmdWriteTimestamp(kernel->stop, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, kernel->timestamps, 1);
  return vulkan_device_finish(device_of(kernel), kernel->stop);
}

static tune_status bind(tune_device_kernel *base) {
  vulkan_kernel *kernel = (vulkan_kernel *)base;
  TUNE_RETURN_IF_ERROR(make_sets(kernel));
  TUNE_RETURN_IF_ERROR(record_warm(kernel));
  if (base->program.has_stops) {
    kernel->parts = calloc(base->program.step_count, sizeof *kernel->parts);
    return kernel->parts ? TUNE_OK : tune_status_out_of_memory("binding");
  }
  TUNE_RETURN_IF_ERROR(record_clock(kernel));
  TUNE_RETURN_IF_ERROR(record_runs(kernel, 1, &kernel->one));
  return record_runs(kernel, MANY, &kernel->many);
}

//===- Running ----------------------------------------------------------------------===//

// What the last submit took by the device's clock.
static tune_status read_clock(const vulkan_kernel *kernel, double *out_seconds) {
  const vulkan_device *device = device_of(kernel);
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
  TUNE_RETURN_IF_ERROR(vulkan_device_run(device_of(kernel), commands, count));
  *out_seconds = (double)(tune_clock_nanoseconds() - start) * 1e-9;
  return kernel->start ? read_clock(kernel, out_seconds) : TUNE_OK;
}

static tune_status warm_up(vulkan_kernel *kernel) {
  if (!kernel->is_warm)
    TUNE_RETURN_IF_ERROR(vulkan_device_run(device_of(kernel), &kernel->warm, 1));
  kernel->is_warm = true;
  return TUNE_OK;
}

static tune_status run(tune_device_kernel *base, uint64_t repeats, double *out_seconds) {
  vulkan_kernel *kernel = (vulkan_kernel *)base;
  const uint64_t most = (uint64_t)SUBMIT_MANY * MANY;
  TUNE_RETURN_IF_ERROR(warm_up(kernel));
  *out_seconds = 0;
  while (repeats) {
    uint64_t runs = repeats < most ? repeats : most;
    double seconds;
    TUNE_RETURN_IF_ERROR(time_submit(kernel, runs, &seconds));
    *out_seconds += seconds;
    repeats -= runs;
  }
  return TUNE_OK;
}

// What begins at a step ends always at the same one, and is recorded once.
static tune_status run_steps(tune_device_kernel *base, size_t first, size_t end) {
  vulkan_kernel *kernel = (vulkan_kernel *)base;
  VkCommandBuffer *part = &kernel->parts[first];
  TUNE_RETURN_IF_ERROR(warm_up(kernel));
  if (!*part) {
    TUNE_RETURN_IF_ERROR(vulkan_device_begin(base->device, 0, part));
    record_steps(kernel, first, end, *part);
    TUNE_RETURN_IF_ERROR(vulkan_device_finish(base->device, *part));
  }
  return vulkan_device_run(base->device, part, 1);
}

static tune_status validate(void *device, tune_status status) {
  return vulkan_device_validate(device, status);
}

const tune_device_driver vulkan_driver = {
    .memory = &vulkan_memory,
    .kernel_size = sizeof(vulkan_kernel),
    .load = load,
    .unload = unload,
    .bind = bind,
    .run = run,
    .run_steps = run_steps,
    .validate = validate,
};
