//===- vulkan.c - From a scheduled module to a device program for Vulkan --------------===//

#include "transforms/lower/vulkan.h"

#include "support/clock.h"
#include "transforms/ir.h"
#include "transforms/lower/device_launches.h"
#include "transforms/lower/device_program.h"
#include "transforms/lower/spirv.h"
#include "transforms/lower/spirv_tools.h"
#include "transforms/lower/warm_up.h"

#include <stdlib.h>

static const char *const OPTIONS[] = {TUNE_SPIRV_OPT_ATTRIBUTE, NULL};

struct tune_vulkan_lowering {
  MlirContext context;
  tune_device device;
  tune_stages stages;
  tune_device_launches *launches;
  tune_spirv *spirv;
};

static tune_status init(tune_vulkan_lowering *lowering, MlirContext context,
                        const tune_vulkan_options *options) {
  lowering->context = context;
  lowering->stages = options->stages;
  lowering->device = tune_device_least();
  if (options->device)
    TUNE_RETURN_IF_ERROR(tune_device_read(options->device, &lowering->device));
  TUNE_RETURN_IF_ERROR(tune_device_launches_create(context, &lowering->device, OPTIONS,
                                                   &lowering->stages, &lowering->launches));
  return tune_spirv_create(context, &lowering->device, &lowering->spirv);
}

tune_status tune_vulkan_lowering_create(MlirContext context, const tune_vulkan_options *options,
                                        tune_vulkan_lowering **out_lowering) {
  *out_lowering = NULL;
  tune_vulkan_lowering *lowering = calloc(1, sizeof *lowering);
  if (!lowering)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "making a lowering");
  tune_status status = init(lowering, context, options);
  if (!tune_status_is_ok(status)) {
    tune_vulkan_lowering_destroy(lowering);
    return status;
  }
  *out_lowering = lowering;
  return TUNE_OK;
}

void tune_vulkan_lowering_destroy(tune_vulkan_lowering *lowering) {
  if (!lowering)
    return;
  tune_device_launches_destroy(lowering->launches);
  tune_spirv_destroy(lowering->spirv);
  free(lowering);
}

static tune_status disassemble(const tune_device_kernels *kernels, const tune_device *device,
                               char **out_bytes, size_t *out_size) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < kernels->count && tune_status_is_ok(status); ++i) {
    const tune_device_kernel *kernel = &kernels->items[i];
    tune_spirv_code code = {.words = kernel->code,
                            .word_count = kernel->code_size / sizeof *code.words};
    char *one;
    status = tune_spirv_disassemble(&code, device, &one);
    if (tune_status_is_ok(status))
      tune_string_builder_append(&text, one);
    free(one);
  }
  if (tune_status_is_ok(status)) {
    *out_size = text.length;
    status = tune_string_builder_finish(&text, out_bytes);
  }
  tune_string_builder_deinit(&text);
  return status;
}

static tune_status emit_code(tune_vulkan_lowering *lowering, MlirOperation module,
                             MlirOperation function, MlirOperation kernels, tune_emit emit,
                             char **out_bytes, size_t *out_size, tune_cpu_report *report) {
  tune_device_kernels described = {0};
  double start = tune_clock_seconds();
  tune_status status = tune_spirv_convert(lowering->spirv, kernels, &described);
  report->lower += tune_clock_seconds() - start;
  if (tune_status_is_ok(status) && emit == TUNE_EMIT_MLIR)
    status = tune_device_launches_print(module, kernels, out_bytes, out_size);
  else if (tune_status_is_ok(status)) {
    start = tune_clock_seconds();
    status = tune_spirv_serialize(lowering->spirv, kernels, &described);
    report->codegen = tune_clock_seconds() - start;
    if (tune_status_is_ok(status))
      status = emit == TUNE_EMIT_ASSEMBLY
                   ? disassemble(&described, &lowering->device, out_bytes, out_size)
                   : tune_device_program_write(function, "vulkan", &described, out_bytes, out_size);
  }
  tune_device_kernels_deinit(&described);
  return status;
}

tune_status tune_vulkan_lowering_run(tune_vulkan_lowering *lowering, MlirOperation module,
                                     const char *function_name,
                                     const tune_function_signature *signature, tune_emit emit,
                                     char **out_bytes, size_t *out_size,
                                     tune_cpu_report *out_report) {
  *out_bytes = NULL;
  *out_size = 0;
  tune_cpu_report report = {0};
  if (emit == TUNE_EMIT_LLVM)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "there is no LLVM IR of what runs on Vulkan: it is SPIR-V");
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

tune_status tune_vulkan_lowering_run_module(tune_vulkan_lowering *lowering, MlirOperation module,
                                            const char *function_name,
                                            const tune_function_signature *signature) {
  MlirOperation function, kernels;
  TUNE_RETURN_IF_ERROR(tune_device_launches_run(lowering->launches, module, function_name,
                                                signature, &function, &kernels));
  tune_device_kernels described = {0};
  tune_status status = tune_spirv_convert(lowering->spirv, kernels, &described);
  if (tune_status_is_ok(status)) {
    tune_device_launches_merge(module, kernels, "spirv.module");
    tune_stages_reach(&lowering->stages, "spirv", module);
  }
  tune_device_kernels_deinit(&described);
  mlirOperationDestroy(kernels);
  return status;
}

static tune_status run_once(void *lowering, MlirOperation module, const char *function,
                            const tune_function_signature *signature, char **out_bytes) {
  size_t size;
  return tune_vulkan_lowering_run(lowering, module, function, signature, TUNE_EMIT_OBJECT,
                                  out_bytes, &size, NULL);
}

tune_status tune_vulkan_lowering_warm_up(tune_vulkan_lowering *lowering) {
  return tune_warm_up(lowering->context, run_once, lowering);
}
