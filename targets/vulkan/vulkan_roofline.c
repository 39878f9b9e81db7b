//===- vulkan_roofline.c - A Vulkan device's peak and bandwidths ----------------------===//
//
// By the two kernels of roofline.spvasm, run as programs are. A figure is that of the best of
// several windows: what else runs on a device makes it look slower, never faster.
//
//===--------------------------------------------------------------------------===//

#include "targets/vulkan/vulkan_roofline.h"
#include "targets/program.h"
#include "targets/vulkan/vulkan_kernel.h"

#include <stdlib.h>
#include <string.h>

// As roofline.spvasm has them.
#define GROUP 64
#define FLOPS 73728.0 // of an invocation: 512 times 12 chains of 6 multiply-adds
#define TEXELS 16     // that an invocation reads
#define TEXEL_SIZE 16

#define CACHE_SIZE ((size_t)1 << 20)
#define MEMORY_SIZE ((size_t)256 << 20)

extern const uint32_t tune_vulkan_roofline[];
extern const size_t tune_vulkan_roofline_count;

typedef struct subject {
  const tune_target_class *methods;
  vulkan_device *device;
  double window; // seconds
  size_t windows;
} subject;

static tune_status copy_module(tune_program *program) {
  size_t size = tune_vulkan_roofline_count * sizeof *tune_vulkan_roofline;
  program->modules = calloc(1, sizeof *program->modules);
  if (!program->modules)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "measuring the roofline");
  program->module_count = 1;
  program->modules[0] = (tune_program_module){.code = malloc(size), .size = size};
  if (!program->modules[0].code)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "measuring the roofline");
  memcpy(program->modules[0].code, tune_vulkan_roofline, size);
  return TUNE_OK;
}

// One launch of `entry`; with `texel_bytes` it has a buffer of so many texels to read.
static tune_status make_program(const char *entry, uint32_t groups, size_t texel_bytes,
                                tune_program *out) {
  *out = (tune_program){0};
  TUNE_RETURN_IF_ERROR(copy_module(out));
  out->buffer_count = texel_bytes ? 2 : 1;
  out->buffers = calloc(2, sizeof *out->buffers);
  out->steps = calloc(1, sizeof *out->steps);
  tune_program_argument *arguments = calloc(2, sizeof *arguments);
  if (out->steps) {
    out->step_count = 1;
    out->steps[0] = (tune_program_step){.kind = TUNE_PROGRAM_LAUNCH,
                                        .entry = strdup(entry),
                                        .groups = {groups, 1, 1},
                                        .group_size = {GROUP, 1, 1},
                                        .arguments = arguments,
                                        .argument_count = out->buffer_count};
  }
  if (!out->buffers || !out->steps || !out->steps[0].entry || !arguments) {
    if (!out->steps)
      free(arguments);
    return tune_status_make(TUNE_OUT_OF_MEMORY, "measuring the roofline");
  }
  out->buffers[0] =
      (tune_program_buffer){.kind = TUNE_PROGRAM_SCRATCH, .size = GROUP * sizeof(float)};
  out->buffers[1] = (tune_program_buffer){.kind = TUNE_PROGRAM_SCRATCH, .size = texel_bytes};
  arguments[0] = (tune_program_argument){.kind = TUNE_PROGRAM_STORAGE, .is_written = true};
  arguments[1] = (tune_program_argument){.kind = TUNE_PROGRAM_TEXEL_4F32, .buffer = 1};
  return TUNE_OK;
}

// The shortest time of a run, of several windows of as many runs as fill them.
static tune_status find_best(const subject *s, tune_kernel *kernel, double *out_seconds) {
  double seconds;
  TUNE_RETURN_IF_ERROR(s->methods->time(kernel, 1, &seconds));
  TUNE_RETURN_IF_ERROR(s->methods->time(kernel, 1, &seconds));
  uint64_t repeats = seconds < s->window ? (uint64_t)(s->window / seconds) + 1 : 1;
  *out_seconds = seconds;
  for (size_t i = 0; i < s->windows; ++i) {
    TUNE_RETURN_IF_ERROR(s->methods->time(kernel, repeats, &seconds));
    if (seconds / (double)repeats < *out_seconds)
      *out_seconds = seconds / (double)repeats;
  }
  return TUNE_OK;
}

static tune_status run(const subject *s, const char *entry, uint32_t groups, size_t texel_bytes,
                       double *out_seconds) {
  const tune_signature nothing = {.entry = (char *)"roofline"};
  tune_program program;
  tune_kernel *kernel = NULL;
  tune_status status = make_program(entry, groups, texel_bytes, &program);
  if (tune_status_is_ok(status))
    status = vulkan_kernel_create(s->methods, s->device, &nothing, &program, &kernel);
  else
    tune_program_deinit(&program);
  if (tune_status_is_ok(status))
    status = s->methods->bind(kernel, NULL, 0);
  if (tune_status_is_ok(status))
    status = find_best(s, kernel, out_seconds);
  vulkan_kernel_unload(kernel);
  return status;
}

static tune_status measure_level(const subject *s, const char *name, size_t bytes,
                                 tune_roofline *out) {
  const VkPhysicalDeviceLimits *limits = &s->device->properties.limits;
  const size_t each = (size_t)GROUP * TEXELS * TEXEL_SIZE; // of a group
  size_t groups = bytes / each;
  if (groups > limits->maxComputeWorkGroupCount[0])
    groups = limits->maxComputeWorkGroupCount[0];
  if (groups > limits->maxTexelBufferElements / (GROUP * TEXELS))
    groups = limits->maxTexelBufferElements / (GROUP * TEXELS);
  double seconds, read = (double)(groups * each);
  TUNE_RETURN_IF_ERROR(run(s, "read", (uint32_t)groups, groups * each, &seconds));
  size_t level = out->level_count++;
  strncpy(out->levels[level].name, name, sizeof out->levels[level].name - 1);
  out->levels[level].bytes = read;
  out->levels[level].gbytes_per_s = read / seconds * 1e-9;
  return TUNE_OK;
}

tune_status vulkan_roofline_measure(const tune_target_class *methods, vulkan_device *device,
                                    size_t threads, bool quick, tune_roofline *out_roofline) {
  *out_roofline = (tune_roofline){.threads = threads};
  const subject s = {.methods = methods,
                     .device = device,
                     .window = quick ? 1e-3 : 5e-3,
                     .windows = quick ? 5 : 15};
  // Hardware has tens of thousands of lanes to fill, software a few.
  bool is_software = device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  uint32_t groups = is_software ? 32 : 16384;
  double seconds = 1;
  tune_status status = run(&s, "fma", groups, 0, &seconds);
  out_roofline->f32 = groups * (double)GROUP * FLOPS / seconds * 1e-9;
  if (tune_status_is_ok(status))
    status = measure_level(&s, "L2", CACHE_SIZE, out_roofline);
  if (tune_status_is_ok(status) && !quick)
    status = measure_level(&s, "memory", MEMORY_SIZE, out_roofline);
  // Where launching takes longer than reading, more looks faster: no cache is slower than memory.
  if (out_roofline->level_count == 2 &&
      out_roofline->levels[0].gbytes_per_s < out_roofline->levels[1].gbytes_per_s)
    out_roofline->levels[0].gbytes_per_s = out_roofline->levels[1].gbytes_per_s;
  return tune_status_annotate(status, "measuring the roofline");
}
