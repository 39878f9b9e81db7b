//===- cuda_roofline.c - A CUDA device's peaks and bandwidths ---------------------------===//
//
// By the kernels of roofline.ptx, roofline_tensor.ptx and, on sm_90, roofline_wgmma.ptx, run as
// programs are. A figure is that of
// the best of several windows: what else runs on a device makes it look slower, never faster.
//
//===--------------------------------------------------------------------------===//

#include "targets/cuda/cuda_roofline.h"
#include "targets/cuda/cuda_kernel.h"

#include <stdlib.h>
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
  const tune_target_class *methods;
  const cuda_device *device;
  double window; // seconds
  size_t windows;
} subject;

// One launch. With `read_bytes` the kernel has a buffer of so many to read, so many `rounds`.
typedef struct order {
  const char *module, *entry;
  uint32_t groups;
  size_t read_bytes;
  int32_t rounds;
} order;

static tune_status copy_module(const char *text, tune_program *program) {
  size_t size = strlen(text) + 1;
  program->modules = calloc(1, sizeof *program->modules);
  if (!program->modules)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "measuring the roofline");
  program->module_count = 1;
  // Products of four warps take ten times as long to compile otherwise, for the same loop.
  program->modules[0] = (tune_program_module){
      .code = malloc(size), .size = size, .opt_level = text == tune_cuda_roofline_wgmma};
  if (!program->modules[0].code)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "measuring the roofline");
  memcpy(program->modules[0].code, text, size);
  return TUNE_OK;
}

static tune_status make_program(const order *o, tune_program *out) {
  *out = (tune_program){0};
  TUNE_RETURN_IF_ERROR(copy_module(o->module, out));
  out->buffers = calloc(2, sizeof *out->buffers);
  out->steps = calloc(1, sizeof *out->steps);
  tune_program_argument *arguments = calloc(3, sizeof *arguments);
  if (out->steps) {
    out->step_count = 1;
    out->steps[0] = (tune_program_step){.kind = TUNE_PROGRAM_LAUNCH,
                                        .entry = strdup(o->entry),
                                        .groups = {o->groups, 1, 1},
                                        .group_size = {GROUP, 1, 1},
                                        .arguments = arguments,
                                        .argument_count = o->read_bytes ? 3 : 1};
  }
  if (!out->buffers || !out->steps || !out->steps[0].entry || !arguments) {
    if (!out->steps)
      free(arguments);
    return tune_status_make(TUNE_OUT_OF_MEMORY, "measuring the roofline");
  }
  out->buffer_count = o->read_bytes ? 2 : 1;
  out->buffers[0] = (tune_program_buffer){.kind = TUNE_PROGRAM_SCRATCH, .size = RESULT_BYTES};
  out->buffers[1] = (tune_program_buffer){.kind = TUNE_PROGRAM_SCRATCH, .size = o->read_bytes};
  arguments[0] = (tune_program_argument){.kind = TUNE_PROGRAM_STORAGE, .is_written = true};
  arguments[1] = (tune_program_argument){.kind = TUNE_PROGRAM_STORAGE, .buffer = 1};
  arguments[2] = (tune_program_argument){.kind = TUNE_PROGRAM_I32, .i32 = o->rounds};
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

static tune_status run(const subject *s, const order *o, double *out_seconds) {
  const tune_signature nothing = {.entry = (char *)"roofline"};
  tune_program program;
  tune_kernel *kernel = NULL;
  tune_status status = make_program(o, &program);
  if (tune_status_is_ok(status))
    status = cuda_kernel_create(s->methods, s->device, &nothing, &program, &kernel);
  else
    tune_program_deinit(&program);
  if (tune_status_is_ok(status))
    status = cuda_kernel_bind(kernel, NULL, 0);
  if (tune_status_is_ok(status))
    status = find_best(s, kernel, out_seconds);
  cuda_kernel_unload(kernel);
  return tune_status_annotate(status, "%s", o->entry);
}

static tune_status measure_peak(const subject *s, const char *module, const char *entry,
                                double flops_of_group, double *out_peak) {
  uint32_t groups = GROUPS_EACH * (uint32_t)s->device->fingerprint.gpu->multiprocessors;
  const order o = {.module = module, .entry = entry, .groups = groups};
  double seconds;
  TUNE_RETURN_IF_ERROR(run(s, &o, &seconds));
  *out_peak = groups * flops_of_group / seconds * 1e-9;
  return TUNE_OK;
}

static tune_status measure_level(const subject *s, const char *name, size_t bytes, int32_t rounds,
                                 tune_roofline *out) {
  size_t groups = bytes / GROUP_BYTES ? bytes / GROUP_BYTES : 1;
  const order o = {.module = tune_cuda_roofline,
                   .entry = "read",
                   .groups = (uint32_t)groups,
                   .read_bytes = groups * GROUP_BYTES,
                   .rounds = rounds};
  double seconds;
  TUNE_RETURN_IF_ERROR(run(s, &o, &seconds));
  size_t level = out->level_count++;
  strncpy(out->levels[level].name, name, sizeof out->levels[level].name - 1);
  out->levels[level].bytes = (double)o.read_bytes;
  out->levels[level].gbytes_per_s = (double)o.read_bytes * rounds / seconds * 1e-9;
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

tune_status cuda_roofline_measure(const tune_target_class *methods, const cuda_device *device,
                                  bool quick, tune_roofline *out_roofline) {
  *out_roofline = (tune_roofline){.threads = 1};
  const subject s = {.methods = methods,
                     .device = device,
                     .window = quick ? 1e-3 : 5e-3,
                     .windows = quick ? 5 : 15};
  const tune_gpu *gpu = device->fingerprint.gpu;
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
