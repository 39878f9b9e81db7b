//===- lowering.c -------------------------------------------------------------===//

#include "transforms/lower/lowering.h"

#include "transforms/lower/cuda/cuda.h"
#include "transforms/lower/device_lowering.h"
#include "transforms/lower/host_code.h"
#include "transforms/lower/vulkan/vulkan.h"

#include <stdlib.h>

struct tune_lowering {
  tune_cpu_lowering *cpu; // of the plain lowering at least
  const tune_device_code *code;
  tune_device_lowering *device; // NULL: the CPU's alone
};

static const tune_device_code *find_code(tune_target_kind kind) {
  switch (kind) {
  case TUNE_KIND_CPU:
    return NULL;
  case TUNE_KIND_VULKAN:
    return &tune_vulkan_code;
  case TUNE_KIND_CUDA:
    return &tune_cuda_code;
  }
  return NULL;
}

tune_status tune_lowering_create(MlirContext context, const tune_lowering_options *options,
                                 tune_lowering **out_lowering) {
  *out_lowering = NULL;
  tune_lowering *lowering = calloc(1, sizeof *lowering);
  if (!lowering)
    return tune_status_out_of_memory("making a lowering");
  lowering->code = find_code(options->kind);
  tune_status status = TUNE_OK;
  if (lowering->code)
    status = tune_device_lowering_create(context, lowering->code, options->device, &options->stages,
                                         &lowering->device);
  if (tune_status_is_ok(status))
    status = tune_cpu_lowering_create(context, &options->cpu, &lowering->cpu);
  if (tune_status_is_ok(status) && lowering->device)
    tune_device_lowering_set_host(lowering->device, tune_host_code_make, lowering->cpu);
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
  tune_device_lowering_destroy(lowering->device);
  free(lowering);
}

bool tune_lowering_makes_objects(const tune_lowering *lowering, bool plain) {
  return plain || !lowering->device;
}

tune_status tune_lowering_run(tune_lowering *lowering, const tune_build_order *order,
                              tune_code *out_code) {
  *out_code = (tune_code){.bytes = NULL};
  if (order->emit == TUNE_EMIT_CUBIN && (order->plain || lowering->code != &tune_cuda_code))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "there are cubins of what runs on CUDA alone");
  if (tune_lowering_makes_objects(lowering, order->plain))
    return tune_cpu_lowering_run(lowering->cpu, order, out_code);
  return tune_device_lowering_run(lowering->device, order, out_code);
}

tune_status tune_lowering_run_module(tune_lowering *lowering, MlirOperation module,
                                     const char *function,
                                     const tune_function_signature *signature) {
  if (lowering->device)
    return tune_device_lowering_run_module(lowering->device, module, function, signature);
  return tune_cpu_lowering_run_module(lowering->cpu, module);
}

tune_status tune_lowering_warm_up(tune_lowering *lowering) {
  TUNE_RETURN_IF_ERROR(tune_cpu_lowering_warm_up(lowering->cpu));
  return lowering->device ? tune_device_lowering_warm_up(lowering->device) : TUNE_OK;
}
