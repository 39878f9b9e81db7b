//===- device_lowering.c - The lowering for devices: scheduled modules to device programs ---===//

#include "transforms/lower/device_lowering.h"

#include "support/clock.h"
#include "transforms/lower/common/unordered.h"
#include "transforms/lower/common/warm_up.h"
#include "transforms/lower/gpu/host/device_program.h"
#include "transforms/lower/vulkan/spirv_tools.h"

#include <stdlib.h>

struct tune_device_lowering {
  const tune_device_code *code;
  MlirContext context;
  tune_device device;
  tune_stages stages;
  tune_device_launches *launches;
  void *state; // of the code
  tune_host_maker make_host;
  void *make_user;
};

static tune_status init(tune_device_lowering *lowering, const json_t *device) {
  lowering->device = lowering->code->least();
  if (device)
    TUNE_RETURN_IF_ERROR(tune_device_read(device, &lowering->device));
  lowering->device.can_validate_matrices = tune_spirv_tools_know_matrices();
  TUNE_RETURN_IF_ERROR(tune_device_launches_create(lowering->context, &lowering->device,
                                                   lowering->code->options, &lowering->stages,
                                                   &lowering->launches));
  return lowering->code->create(lowering->context, &lowering->device, &lowering->state);
}

tune_status tune_device_lowering_create(MlirContext context, const tune_device_code *code,
                                        const json_t *device, const tune_stages *stages,
                                        tune_device_lowering **out_lowering) {
  *out_lowering = NULL;
  tune_device_lowering *lowering = calloc(1, sizeof *lowering);
  if (!lowering)
    return tune_status_out_of_memory("making a lowering");
  lowering->code = code;
  lowering->context = context;
  lowering->stages = *stages;
  tune_status status = init(lowering, device);
  if (!tune_status_is_ok(status)) {
    tune_device_lowering_destroy(lowering);
    return status;
  }
  *out_lowering = lowering;
  return TUNE_OK;
}

void tune_device_lowering_set_host(tune_device_lowering *lowering, tune_host_maker make,
                                   void *user) {
  lowering->make_host = make;
  lowering->make_user = user;
}

void tune_device_lowering_destroy(tune_device_lowering *lowering) {
  if (!lowering)
    return;
  tune_device_launches_destroy(lowering->launches);
  lowering->code->destroy(lowering->state);
  free(lowering);
}

static void raise_to(int64_t *most, int64_t number) {
  if (number > *most)
    *most = number;
}

static tune_kernel_resources find_most(const tune_device_kernels *kernels) {
  tune_kernel_resources most = {0};
  for (size_t i = 0; i < kernels->count; ++i) {
    const tune_device_kernel *kernel = &kernels->items[i];
    raise_to(&most.registers, kernel->assembled.registers);
    raise_to(&most.spilled, kernel->assembled.spilled);
    raise_to(&most.stack, kernel->assembled.stack);
    raise_to(&most.shared_bytes, kernel->assembled.shared_bytes + kernel->shared_bytes);
  }
  return most;
}

static tune_status emit_code(tune_device_lowering *lowering, MlirOperation module,
                             MlirOperation function, MlirOperation kernels, tune_emit emit,
                             tune_code *out_code) {
  const tune_device_code *code = lowering->code;
  tune_device_kernels described = {0};
  bool is_unordered = tune_unordered_find(kernels);
  double start = tune_clock_seconds();
  tune_status status = code->convert(lowering->state, kernels, &described);
  described.is_unordered = is_unordered;
  out_code->report.lower += tune_clock_seconds() - start;
  if (tune_status_is_ok(status) && emit == TUNE_EMIT_MLIR)
    status = tune_device_launches_print(module, kernels, &out_code->bytes, &out_code->size);
  else if (tune_status_is_ok(status)) {
    start = tune_clock_seconds();
    status = code->serialize(lowering->state, kernels, emit, &described);
    out_code->report.codegen = tune_clock_seconds() - start;
    out_code->report.assembled = find_most(&described);
    if (tune_status_is_ok(status))
      status = emit == TUNE_EMIT_ASSEMBLY
                   ? code->print(&lowering->device, &described, &out_code->bytes, &out_code->size)
                   : tune_device_program_write(function, code->target, &described, &out_code->bytes,
                                               &out_code->size);
  }
  tune_device_kernels_deinit(&described);
  return status;
}

tune_status tune_device_lowering_run(tune_device_lowering *lowering, const tune_build_order *order,
                                     tune_code *out_code) {
  *out_code = (tune_code){.bytes = NULL};
  if (order->emit == TUNE_EMIT_LLVM)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s", lowering->code->no_llvm);
  double start = tune_clock_seconds();
  MlirOperation function, kernels;
  tune_status status =
      tune_device_launches_run(lowering->launches, order->module, order->function, order->signature,
                               lowering->make_host, lowering->make_user, &function, &kernels);
  out_code->report.lower = tune_clock_seconds() - start;
  if (tune_status_is_ok(status)) {
    status = emit_code(lowering, order->module, function, kernels, order->emit, out_code);
    mlirOperationDestroy(kernels);
  }
  return status;
}

tune_status tune_device_lowering_run_module(tune_device_lowering *lowering, MlirOperation module,
                                            const char *function_name,
                                            const tune_function_signature *signature) {
  MlirOperation function, kernels;
  TUNE_RETURN_IF_ERROR(tune_device_launches_run(lowering->launches, module, function_name,
                                                signature, NULL, NULL, &function, &kernels));
  tune_device_kernels described = {0};
  tune_status status = lowering->code->convert(lowering->state, kernels, &described);
  if (tune_status_is_ok(status)) {
    tune_device_launches_merge(module, kernels, lowering->code->module_op);
    tune_stages_reach(&lowering->stages, lowering->code->stage, module);
  }
  tune_device_kernels_deinit(&described);
  mlirOperationDestroy(kernels);
  return status;
}

static tune_status run_once(void *lowering, const tune_build_order *order, tune_code *out_code) {
  return tune_device_lowering_run(lowering, order, out_code);
}

tune_status tune_device_lowering_warm_up(tune_device_lowering *lowering) {
  return tune_warm_up(lowering->context, run_once, lowering);
}
