//===- cuda_roofline.c - A CUDA device's peaks and bandwidths ---------------------------===//
//
// By the kernels of roofline.ptx, roofline_tensor.ptx and, on sm_90, roofline_wgmma.ptx, run as
// programs are.
//
//===--------------------------------------------------------------------------===//

#include "targets/cuda/cuda_roofline.h"
#include "targets/cuda/cuda_kernel.h"
#include "targets/device/device_roofline.h"

#include <string.h>

// As the texts have them.
#define GROUP 256
#define SUBGROUPS (GROUP / 32)
#define FMA_FLOPS (512.0 * 8 * 8 * 2)                  // of a thread
#define MMA_FLOPS (512.0 * 2 * 8 * (16 * 8 * 16) * 2)  // of a subgroup
#define MMA_I8_OPS (512.0 * 2 * 8 * (16 * 8 * 32) * 2) // of a subgroup
#define MMA_TF32_FLOPS (512.0 * 2 * 8 * (16 * 8 * 8) * 2)
#define WGMMA_FLOPS (512.0 * 8 * (64 * 256 * 16) * 2) // of four subgroups
#define WGMMA_I8_OPS (512.0 * 8 * (64 * 256 * 32) * 2)
#define WGMMA_TF32_FLOPS (512.0 * 8 * (64 * 256 * 8) * 2)
#define GROUP_BYTES ((size_t)GROUP * 16 * 16) // that a group reads
#define RESULT_BYTES (GROUP * sizeof(double))

#define GROUPS_EACH 16 // groups of a multiprocessor: several times as many as it runs at once
#define TENSOR_MAJOR 8 // the first compute capability with all of roofline_tensor.ptx
#define CACHE_ROUNDS 32
#define CACHE_LEAST ((size_t)1 << 20)
#define MEMORY_SIZE ((size_t)1 << 30)

extern const char tune_cuda_roofline[];
extern const char tune_cuda_roofline_tensor[];
extern const char tune_cuda_roofline_wgmma[];

typedef struct subject {
  cuda_device *device;
  bool quick;
} subject;

// One launch of `entry` in `text`. With `read_bytes` the kernel has a buffer of so many to read, so
// many `rounds`.
static tune_status run(const subject *s, const char *text, const char *entry, uint32_t groups,
                       size_t read_bytes, int32_t rounds, double *out_seconds) {
  const tune_device_work work = {
      .code = text,
      .code_size = strlen(text) + 1,
      // Products of four warps take ten times as long to compile otherwise, for the same loop.
      .opt_level = text == tune_cuda_roofline_wgmma,
      .entry = entry,
      .groups = groups,
      .group_size = GROUP,
      .result_bytes = RESULT_BYTES,
      .read_bytes = read_bytes,
      .read_as = TUNE_PROGRAM_STORAGE,
      .rounds = rounds};
  return tune_device_work_time(&cuda_driver, s->device, &work, s->quick, out_seconds);
}

static tune_status measure_peak(const subject *s, const char *module, const char *entry,
                                double flops_of_group, double *out_peak) {
  uint32_t groups = GROUPS_EACH * (uint32_t)s->device->fingerprint.gpu.multiprocessors;
  double seconds;
  TUNE_RETURN_IF_ERROR(run(s, module, entry, groups, 0, 0, &seconds));
  *out_peak = groups * flops_of_group / seconds * 1e-9;
  return TUNE_OK;
}

static tune_status measure_level(const subject *s, const char *name, size_t bytes, int32_t rounds,
                                 tune_roofline *out) {
  size_t groups = bytes / GROUP_BYTES ? bytes / GROUP_BYTES : 1;
  size_t read = groups * GROUP_BYTES;
  double seconds;
  TUNE_RETURN_IF_ERROR(
      run(s, tune_cuda_roofline, "read", (uint32_t)groups, read, rounds, &seconds));
  tune_roofline_add_level(out, name, (double)read, (double)read * rounds / seconds * 1e-9);
  return TUNE_OK;
}

typedef struct peak {
  const char *entry;
  double flops; // of a group
  double *figure;
} peak;

static tune_status measure_peaks_of(const subject *s, const char *module, const peak *peaks,
                                    size_t count) {
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(measure_peak(s, module, peaks[i].entry, peaks[i].flops, peaks[i].figure));
  return TUNE_OK;
}

// On sm_90 products of one warp reach less than those of four, which sm_90 alone has.
static tune_status measure_peaks(const subject *s, tune_roofline *out) {
  const peak threads[] = {{"fma_f32", GROUP * FMA_FLOPS, &out->f32},
                          {"fma_f64", GROUP * FMA_FLOPS, &out->f64}};
  const peak warps[] = {{"mma_f16", SUBGROUPS * MMA_FLOPS, &out->f16},
                        {"mma_bf16", SUBGROUPS * MMA_FLOPS, &out->bf16},
                        {"mma_tf32", SUBGROUPS * MMA_TF32_FLOPS, &out->tf32},
                        {"mma_i8", SUBGROUPS * MMA_I8_OPS, &out->i8}};
  const peak fours[] = {{"wgmma_f16", SUBGROUPS / 4 * WGMMA_FLOPS, &out->f16},
                        {"wgmma_bf16", SUBGROUPS / 4 * WGMMA_FLOPS, &out->bf16},
                        {"wgmma_tf32", SUBGROUPS / 4 * WGMMA_TF32_FLOPS, &out->tf32},
                        {"wgmma_i8", SUBGROUPS / 4 * WGMMA_I8_OPS, &out->i8}};
  TUNE_RETURN_IF_ERROR(
      measure_peaks_of(s, tune_cuda_roofline, threads, sizeof threads / sizeof *threads));
  if (s->device->major == 9 && s->device->minor == 0)
    return measure_peaks_of(s, tune_cuda_roofline_wgmma, fours, sizeof fours / sizeof *fours);
  if (s->device->major >= TENSOR_MAJOR)
    return measure_peaks_of(s, tune_cuda_roofline_tensor, warps, sizeof warps / sizeof *warps);
  return TUNE_OK;
}

tune_status cuda_roofline_measure(cuda_device *device, bool quick, tune_roofline *out_roofline) {
  *out_roofline = (tune_roofline){.threads = 1};
  const subject s = {.device = device, .quick = quick};
  const tune_gpu *gpu = &device->fingerprint.gpu;
  size_t cache = (size_t)gpu->l2_bytes / 2, memory = (size_t)gpu->memory_bytes / 4;
  tune_status status = measure_peaks(&s, out_roofline);
  if (tune_status_is_ok(status))
    status = measure_level(&s, "L2", cache > CACHE_LEAST ? cache : CACHE_LEAST, CACHE_ROUNDS,
                           out_roofline);
  if (tune_status_is_ok(status) && !quick)
    status =
        measure_level(&s, "memory", memory < MEMORY_SIZE ? memory : MEMORY_SIZE, 1, out_roofline);
  return tune_status_annotate(status, "measuring the roofline");
}
