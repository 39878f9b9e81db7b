//===- vulkan_roofline.c - A Vulkan device's peak and bandwidths ----------------------===//
//
// By the two kernels of roofline.spvasm, run as programs are.
//
//===--------------------------------------------------------------------------===//

#include "targets/vulkan/vulkan_roofline.h"
#include "targets/device/device_roofline.h"
#include "targets/vulkan/vulkan_kernel.h"

// As roofline.spvasm has them.
#define GROUP 64
#define FLOPS 73728.0 // of an invocation: 512 times 12 chains of 6 multiply-adds
#define TEXELS 16     // that an invocation reads
#define TEXEL_SIZE 16

#define CACHE_SIZE ((size_t)1 << 20)
#define MEMORY_SIZE ((size_t)256 << 20)

extern const uint32_t tune_vulkan_roofline[];
extern const size_t tune_vulkan_roofline_count;

// One launch of `entry`; with `texel_bytes` it has a buffer of so many texels to read.
static tune_status run(vulkan_device *device, const char *entry, uint32_t groups,
                       size_t texel_bytes, bool quick, double *out_seconds) {
  const tune_device_work work = {.code = tune_vulkan_roofline,
                                 .code_size =
                                     tune_vulkan_roofline_count * sizeof *tune_vulkan_roofline,
                                 .entry = entry,
                                 .groups = groups,
                                 .group_size = GROUP,
                                 .result_bytes = GROUP * sizeof(float),
                                 .read_bytes = texel_bytes,
                                 .read_as = TUNE_PROGRAM_TEXEL_4F32};
  return tune_device_work_time(&vulkan_driver, device, &work, quick, out_seconds);
}

static tune_status measure_level(vulkan_device *device, const char *name, size_t bytes, bool quick,
                                 tune_roofline *out) {
  const VkPhysicalDeviceLimits *limits = &device->properties.limits;
  const size_t each = (size_t)GROUP * TEXELS * TEXEL_SIZE; // of a group
  size_t groups = bytes / each;
  if (groups > limits->maxComputeWorkGroupCount[0])
    groups = limits->maxComputeWorkGroupCount[0];
  if (groups > limits->maxTexelBufferElements / (GROUP * TEXELS))
    groups = limits->maxTexelBufferElements / (GROUP * TEXELS);
  double seconds, read = (double)(groups * each);
  TUNE_RETURN_IF_ERROR(run(device, "read", (uint32_t)groups, groups * each, quick, &seconds));
  tune_roofline_add_level(out, name, read, read / seconds * 1e-9);
  return TUNE_OK;
}

tune_status vulkan_roofline_measure(vulkan_device *device, size_t threads, bool quick,
                                    tune_roofline *out_roofline) {
  *out_roofline = (tune_roofline){.threads = threads};
  // Hardware has tens of thousands of lanes to fill, software a few.
  bool is_software = device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  uint32_t groups = is_software ? 32 : 16384;
  double seconds = 1;
  tune_status status = run(device, "fma", groups, 0, quick, &seconds);
  out_roofline->f32 = groups * (double)GROUP * FLOPS / seconds * 1e-9;
  if (tune_status_is_ok(status))
    status = measure_level(device, "L2", CACHE_SIZE, quick, out_roofline);
  if (tune_status_is_ok(status) && !quick)
    status = measure_level(device, "memory", MEMORY_SIZE, quick, out_roofline);
  // Where launching takes longer than reading, more looks faster: no cache is slower than memory.
  if (out_roofline->level_count == 2 &&
      out_roofline->levels[0].gbytes_per_s < out_roofline->levels[1].gbytes_per_s)
    out_roofline->levels[0].gbytes_per_s = out_roofline->levels[1].gbytes_per_s;
  return tune_status_annotate(status, "measuring the roofline");
}
