//===- vulkan_target.c - Device programs on a Vulkan device ---------------------------===//

#include "targets/pinning.h"
#include "targets/target.h"
#include "targets/vulkan/vulkan_fingerprint.h"
#include "targets/vulkan/vulkan_flush.h"
#include "targets/vulkan/vulkan_kernel.h"
#include "targets/vulkan/vulkan_roofline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct vulkan_target {
  tune_target base;
  vulkan_device device;
  tune_fingerprint fingerprint;
  size_t threads; // of a device that is software
  vulkan_flush flush;
} vulkan_target;

static void vulkan_close(tune_target *target) {
  if (!target)
    return;
  vulkan_target *vulkan = (vulkan_target *)target;
  tune_fingerprint_deinit(&vulkan->fingerprint);
  vulkan_flush_deinit(&vulkan->flush, &vulkan->device);
  vulkan_device_close(&vulkan->device);
  free(vulkan);
}

// For Mesa, which reads these when an instance is made.
static tune_status set_variables(size_t threads) {
  char text[32];
  // lavapipe runs kernels in the thread of the queue where it is to have no others.
  snprintf(text, sizeof text, "%zu", threads > 1 ? threads : 0);
  // A layer that reorders devices by what a desktop prefers; we order them ourselves.
  if (setenv("LP_NUM_THREADS", text, 1) != 0 || setenv("NODEVICE_SELECT", "1", 0) != 0)
    return tune_status_from_errno(errno, "setting LP_NUM_THREADS");
  return TUNE_OK;
}

// Before the device is opened: the threads of one that is software inherit it.
static tune_status prepare_process(const tune_target_options *options, size_t *out_threads) {
  int *cpus;
  TUNE_RETURN_IF_ERROR(tune_pinning_choose(options, &cpus, out_threads));
  tune_status status = tune_pinning_apply(cpus, *out_threads);
  free(cpus);
  return tune_status_is_ok(status) ? set_variables(*out_threads) : status;
}

static tune_status vulkan_open(const tune_target_options *options, tune_target **out_target) {
  *out_target = NULL;
  vulkan_target *vulkan = calloc(1, sizeof *vulkan);
  if (!vulkan)
    return tune_status_out_of_memory("opening the vulkan target");
  vulkan->base.methods = &tune_target_vulkan;
  tune_status status = prepare_process(options, &vulkan->threads);
  if (tune_status_is_ok(status))
    status = vulkan_device_open(options->device, &vulkan->device);
  if (tune_status_is_ok(status))
    status = vulkan_fingerprint_read(&vulkan->device, &vulkan->fingerprint);
  if (!tune_status_is_ok(status)) {
    vulkan_close(&vulkan->base);
    return status;
  }
  *out_target = &vulkan->base;
  return TUNE_OK;
}

static const tune_fingerprint *vulkan_fingerprint(const tune_target *target) {
  return &((const vulkan_target *)target)->fingerprint;
}

static tune_status vulkan_roofline(tune_target *target, bool quick, tune_roofline *out_roofline) {
  vulkan_target *vulkan = (vulkan_target *)target;
  return vulkan_roofline_measure(&vulkan->device, vulkan->threads, quick, out_roofline);
}

static tune_status vulkan_flush_caches(tune_target *target) {
  vulkan_target *vulkan = (vulkan_target *)target;
  return vulkan_flush_run(&vulkan->flush, &vulkan->device);
}

static tune_status vulkan_load(tune_target *target, const tune_artifact *artifact,
                               tune_kernel **out_kernel) {
  return tune_device_kernel_load(&vulkan_driver, target, &((vulkan_target *)target)->device,
                                 artifact, out_kernel);
}

const tune_target_class tune_target_vulkan = {
    .name = "vulkan",
    .summary = "a GPU, or software that stands in for one, by Vulkan; artifacts are SPIR-V",
    .open = vulkan_open,
    .close = vulkan_close,
    .fingerprint = vulkan_fingerprint,
    .roofline = vulkan_roofline,
    .load = vulkan_load,
    .unload = tune_device_kernel_unload,
    .bind = tune_device_kernel_bind,
    .rewind = tune_device_kernel_rewind,
    .time = tune_device_kernel_time,
    .flush = vulkan_flush_caches,
    .read = tune_device_kernel_read,
    .check = tune_device_kernel_check,
    .locate = tune_device_kernel_locate,
};
