//===- cuda_target.c - Device programs on a CUDA device ---------------------------------===//

#include "targets/cuda/cuda_fingerprint.h"
#include "targets/cuda/cuda_kernel.h"
#include "targets/cuda/cuda_roofline.h"
#include "targets/pinning.h"
#include "targets/target.h"

#include <errno.h>
#include <stdlib.h>

typedef struct cuda_target {
  tune_target base;
  cuda_device device;
  CUdeviceptr flush; // what is written to empty the caches; 0 before the first time
  size_t flush_size;
} cuda_target;

static void cuda_close(tune_target *target) {
  if (!target)
    return;
  cuda_target *cuda = (cuda_target *)target;
  if (cuda->flush)
    cuda->device.functions.MemFree(cuda->flush);
  cuda_device_close(&cuda->device);
  free(cuda);
}

// The thread that launches stays on its core; the driver loads code with the module, not by the
// first launch, which is timed.
static tune_status prepare_process(const tune_target_options *options) {
  int *cpus;
  size_t threads;
  TUNE_RETURN_IF_ERROR(tune_pinning_choose(options, &cpus, &threads));
  tune_status status = tune_pinning_apply(cpus, threads);
  free(cpus);
  TUNE_RETURN_IF_ERROR(status);
  if (setenv("CUDA_MODULE_LOADING", "EAGER", 1) != 0)
    return tune_status_from_errno(errno, "setting CUDA_MODULE_LOADING");
  return TUNE_OK;
}

static tune_status cuda_open(const tune_target_options *options, tune_target **out_target) {
  *out_target = NULL;
  cuda_target *cuda = calloc(1, sizeof *cuda);
  if (!cuda)
    return tune_status_out_of_memory("opening the cuda target");
  cuda->base.methods = &tune_target_cuda;
  tune_status status = prepare_process(options);
  if (tune_status_is_ok(status))
    status = cuda_device_open(options->device, &cuda->device);
  if (!tune_status_is_ok(status)) {
    free(cuda);
    return status;
  }
  *out_target = &cuda->base;
  return TUNE_OK;
}

static const tune_fingerprint *cuda_fingerprint(const tune_target *target) {
  return &((const cuda_target *)target)->device.fingerprint;
}

static tune_status cuda_roofline(tune_target *target, bool quick, tune_roofline *out_roofline) {
  return cuda_roofline_measure(&((cuda_target *)target)->device, quick, out_roofline);
}

// Twice the second cache, where the device says how large that is.
#define USUAL_L2_BYTES ((size_t)128 << 20)

static tune_status allocate_flush(cuda_target *cuda) {
  int64_t bytes = cuda->device.fingerprint.gpu.l2_bytes;
  cuda->flush_size = 2 * (bytes > 0 ? (size_t)bytes : USUAL_L2_BYTES);
  const cuda_functions *f = &cuda->device.functions;
  return cuda_status(f, f->MemAlloc(&cuda->flush, cuda->flush_size), "a buffer of %zu bytes",
                     cuda->flush_size);
}

// It is not waited for: that the device is busy with it while the host hands in the run that
// follows keeps the host's time out of what the device takes.
static tune_status cuda_flush(tune_target *target) {
  cuda_target *cuda = (cuda_target *)target;
  const cuda_functions *f = &cuda->device.functions;
  tune_status status = cuda->flush ? TUNE_OK : allocate_flush(cuda);
  if (tune_status_is_ok(status))
    status = cuda_status(f, f->MemsetD8Async(cuda->flush, 1, cuda->flush_size, cuda->device.stream),
                         "writing %zu bytes", cuda->flush_size);
  return tune_status_annotate(status, "flushing the caches");
}

static tune_status cuda_load(tune_target *target, const tune_artifact *artifact,
                             tune_kernel **out_kernel) {
  return tune_device_kernel_load(&cuda_driver, target, &((cuda_target *)target)->device, artifact,
                                 out_kernel);
}

const tune_target_class tune_target_cuda = {
    .name = "cuda",
    .summary = "a GPU of NVIDIA's, by CUDA; artifacts are PTX or cubins",
    .open = cuda_open,
    .close = cuda_close,
    .fingerprint = cuda_fingerprint,
    .describe = cuda_fingerprint_describe,
    .roofline = cuda_roofline,
    .load = cuda_load,
    .unload = tune_device_kernel_unload,
    .bind = tune_device_kernel_bind,
    .rewind = tune_device_kernel_rewind,
    .time = tune_device_kernel_time,
    .flush = cuda_flush,
    .read = tune_device_kernel_read,
    .check = tune_device_kernel_check,
    .locate = tune_device_kernel_locate,
};
