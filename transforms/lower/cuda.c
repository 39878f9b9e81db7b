//===- cuda.c - From a scheduled module to a device program for CUDA ----------------===//

#include "transforms/lower/cuda.h"

#include "support/clock.h"
#include "support/string_builder.h"
#include "transforms/lower/device_launches.h"
#include "transforms/lower/device_program.h"
#include "transforms/lower/nvvm.h"
#include "transforms/lower/warm_up.h"

#include <stdlib.h>

static const char *const OPTIONS[] = {TUNE_PTX_REGISTERS_ATTRIBUTE, TUNE_PTX_GROUPS_ATTRIBUTE,
                                      NULL};

struct tune_cuda_lowering {
  MlirContext context;
  tune_device device;
  tune_stages stages;
  tune_device_launches *launches;
  tune_nvvm *nvvm;
};

static tune_status init(tune_cuda_lowering *lowering, MlirContext context,
                        const tune_cuda_options *options) {
  lowering->context = context;
  lowering->stages = options->stages;
  lowering->device = tune_device_least_cuda();
  if (options->device)
    TUNE_RETURN_IF_ERROR(tune_device_read(options->device, &lowering->device));
  TUNE_RETURN_IF_ERROR(tune_device_launches_create(context, &lowering->device, OPTIONS,
                                                   &lowering->stages, &lowering->launches));
  return tune_nvvm_create(context, &lowering->device, &lowering->nvvm);
}

tune_status tune_cuda_lowering_create(MlirContext context, const tune_cuda_options *options,
                                      tune_cuda_lowering **out_lowering) {
  *out_lowering = NULL;
  tune_cuda_lowering *lowering = calloc(1, sizeof *lowering);
  if (!lowering)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "making a lowering");
  tune_status status = init(lowering, context, options);
  if (!tune_status_is_ok(status)) {
    tune_cuda_lowering_destroy(lowering);
    return status;
  }
  *out_lowering = lowering;
  return TUNE_OK;
}

void tune_cuda_lowering_destroy(tune_cuda_lowering *lowering) {
  if (!lowering)
    return;
  tune_device_launches_destroy(lowering->launches);
  tune_nvvm_destroy(lowering->nvvm);
  free(lowering);
}

static tune_status join_text(const tune_device_kernels *kernels, char **out_bytes,
                             size_t *out_size) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  for (size_t i = 0; i < kernels->count; ++i)
    tune_string_builder_append(&text, kernels->items[i].code);
  *out_size = text.length;
  tune_status status = tune_string_builder_finish(&text, out_bytes);
  tune_string_builder_deinit(&text);
  return status;
}

static void raise_to(int64_t *most, int64_t number) {
  if (number > *most)
    *most = number;
}

static tune_ptxas_report find_most(const tune_device_kernels *kernels) {
  tune_ptxas_report most = {0};
  for (size_t i = 0; i < kernels->count; ++i) {
    const tune_device_kernel *kernel = &kernels->items[i];
    raise_to(&most.registers, kernel->assembled.registers);
    raise_to(&most.spilled, kernel->assembled.spilled);
    raise_to(&most.stack, kernel->assembled.stack);
    raise_to(&most.shared_bytes, kernel->assembled.shared_bytes + kernel->shared_bytes);
  }
  return most;
}

static tune_status emit_code(tune_cuda_lowering *lowering, MlirOperation module,
                             MlirOperation function, MlirOperation kernels, tune_emit emit,
                             char **out_bytes, size_t *out_size, tune_cpu_report *report) {
  tune_device_kernels described = {0};
  double start = tune_clock_seconds();
  tune_status status = tune_nvvm_convert(lowering->nvvm, kernels, &described);
  report->lower += tune_clock_seconds() - start;
  if (tune_status_is_ok(status) && emit == TUNE_EMIT_MLIR)
    status = tune_device_launches_print(module, kernels, out_bytes, out_size);
  else if (tune_status_is_ok(status)) {
    start = tune_clock_seconds();
    status =
        tune_nvvm_serialize(lowering->nvvm, kernels,
                            emit == TUNE_EMIT_CUBIN ? TUNE_NVVM_CUBIN : TUNE_NVVM_PTX, &described);
    report->codegen = tune_clock_seconds() - start;
    report->assembled = find_most(&described);
    if (tune_status_is_ok(status))
      status = emit == TUNE_EMIT_ASSEMBLY
                   ? join_text(&described, out_bytes, out_size)
                   : tune_device_program_write(function, "cuda", &described, out_bytes, out_size);
  }
  tune_device_kernels_deinit(&described);
  return status;
}

tune_status tune_cuda_lowering_run(tune_cuda_lowering *lowering, MlirOperation module,
                                   const char *function_name,
                                   const tune_function_signature *signature, tune_emit emit,
                                   char **out_bytes, size_t *out_size,
                                   tune_cpu_report *out_report) {
  *out_bytes = NULL;
  *out_size = 0;
  tune_cpu_report report = {0};
  if (emit == TUNE_EMIT_LLVM)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "there is no LLVM IR to be had of what runs on CUDA: it is PTX");
  double start = tune_clock_seconds();
  MlirOperation function, kernels;
  tune_status status = tune_device_launches_run(lowering->launches, module, function_name,
                                                signature, &function, &kernels);
  report.lower = tune_clock_seconds() - start;
  if (tune_status_is_ok(status)) {
    status = emit_code(lowering, module, function, kernels, emit, out_bytes, out_size, &report);
    mlirOperationDestroy(kernels);
  }
  if (out_report)
    *out_report = report;
  return status;
}

tune_status tune_cuda_lowering_run_module(tune_cuda_lowering *lowering, MlirOperation module,
                                          const char *function_name,
                                          const tune_function_signature *signature) {
  MlirOperation function, kernels;
  TUNE_RETURN_IF_ERROR(tune_device_launches_run(lowering->launches, module, function_name,
                                                signature, &function, &kernels));
  tune_device_kernels described = {0};
  tune_status status = tune_nvvm_convert(lowering->nvvm, kernels, &described);
  if (tune_status_is_ok(status)) {
    tune_device_launches_merge(module, kernels, "gpu.module");
    tune_stages_reach(&lowering->stages, "nvvm", module);
  }
  tune_device_kernels_deinit(&described);
  mlirOperationDestroy(kernels);
  return status;
}

static tune_status run_once(void *lowering, MlirOperation module, const char *function,
                            const tune_function_signature *signature, char **out_bytes) {
  size_t size;
  return tune_cuda_lowering_run(lowering, module, function, signature, TUNE_EMIT_OBJECT, out_bytes,
                                &size, NULL);
}

tune_status tune_cuda_lowering_warm_up(tune_cuda_lowering *lowering) {
  return tune_warm_up(lowering->context, run_once, lowering);
}
