//===- lowering.c -------------------------------------------------------------===//

#include "transforms/lower/lowering.h"

#include "transforms/lower/cuda.h"
#include "transforms/lower/vulkan.h"

#include <stdlib.h>

struct tune_lowering {
  tune_cpu_lowering *cpu; // of the plain lowering at least
  tune_vulkan_lowering *vulkan;
  tune_cuda_lowering *cuda;
};

// That of the kind, beside the CPU's.
static tune_status make_own(MlirContext context, const tune_lowering_options *options,
                            tune_lowering *lowering) {
  switch (options->kind) {
  case TUNE_KIND_CPU:
    return TUNE_OK;
  case TUNE_KIND_VULKAN:
    return tune_vulkan_lowering_create(
        context, &(tune_vulkan_options){.device = options->device, .stages = options->stages},
        &lowering->vulkan);
  case TUNE_KIND_CUDA:
    return tune_cuda_lowering_create(
        context, &(tune_cuda_options){.device = options->device, .stages = options->stages},
        &lowering->cuda);
  }
  return tune_status_make(TUNE_INTERNAL, "a lowering for a kind of target that does not exist");
}

tune_status tune_lowering_create(MlirContext context, const tune_lowering_options *options,
                                 tune_lowering **out_lowering) {
  *out_lowering = NULL;
  tune_lowering *lowering = calloc(1, sizeof *lowering);
  if (!lowering)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "making a lowering");
  tune_status status = make_own(context, options, lowering);
  if (tune_status_is_ok(status))
    status = tune_cpu_lowering_create(context, &options->cpu, &lowering->cpu);
  if (!tune_status_is_ok(status)) {
    tune_lowering_destroy(lowering);
    return status;
  }
  *out_lowering = lowering;
  return TUNE_OK;
}

void tune_lowering_destroy(tune_lowering *lowering) {
  if (!lowering)
    return;
  tune_cpu_lowering_destroy(lowering->cpu);
  tune_vulkan_lowering_destroy(lowering->vulkan);
  tune_cuda_lowering_destroy(lowering->cuda);
  free(lowering);
}

bool tune_lowering_makes_objects(const tune_lowering *lowering, bool plain) {
  return plain || (!lowering->vulkan && !lowering->cuda);
}

tune_status tune_lowering_run(tune_lowering *lowering, MlirOperation module, const char *function,
                              const tune_function_signature *signature, bool plain, tune_emit emit,
                              char **out_bytes, size_t *out_size, tune_cpu_report *out_report) {
  *out_bytes = NULL;
  *out_size = 0;
  if (emit == TUNE_EMIT_CUBIN && (plain || !lowering->cuda))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "there are cubins of what runs on CUDA alone");
  if (tune_lowering_makes_objects(lowering, plain))
    return tune_cpu_lowering_run(lowering->cpu, module, function, signature, plain, emit, out_bytes,
                                 out_size, out_report);
  if (lowering->cuda)
    return tune_cuda_lowering_run(lowering->cuda, module, function, signature, emit, out_bytes,
                                  out_size, out_report);
  return tune_vulkan_lowering_run(lowering->vulkan, module, function, signature, emit, out_bytes,
                                  out_size, out_report);
}

tune_status tune_lowering_run_module(tune_lowering *lowering, MlirOperation module,
                                     const char *function,
                                     const tune_function_signature *signature) {
  if (lowering->vulkan)
    return tune_vulkan_lowering_run_module(lowering->vulkan, module, function, signature);
  if (lowering->cuda)
    return tune_cuda_lowering_run_module(lowering->cuda, module, function, signature);
  return tune_cpu_lowering_run_module(lowering->cpu, module);
}

tune_status tune_lowering_warm_up(tune_lowering *lowering) {
  TUNE_RETURN_IF_ERROR(tune_cpu_lowering_warm_up(lowering->cpu));
  if (lowering->cuda)
    return tune_cuda_lowering_warm_up(lowering->cuda);
  return lowering->vulkan ? tune_vulkan_lowering_warm_up(lowering->vulkan) : TUNE_OK;
}
