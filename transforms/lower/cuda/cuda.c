//===- cuda.c - The code of kernels for CUDA ---------------------------------===//

#include "transforms/lower/cuda/cuda.h"

#include "support/string_builder.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/cuda/nvvm.h"

#include <stdlib.h>

static tune_status create(MlirContext context, const tune_device *device, void **out_state) {
  tune_nvvm *nvvm;
  tune_status status = tune_nvvm_create(context, device, &nvvm);
  *out_state = nvvm;
  return status;
}

static void destroy(void *state) { tune_nvvm_destroy(state); }

static tune_status convert(void *state, MlirOperation kernels, tune_device_kernels *out_kernels) {
  return tune_nvvm_convert(state, kernels, out_kernels);
}

static tune_status serialize(void *state, MlirOperation kernels, tune_emit emit,
                             tune_device_kernels *described) {
  return tune_nvvm_serialize(state, kernels,
                             emit == TUNE_EMIT_CUBIN ? TUNE_NVVM_CUBIN : TUNE_NVVM_PTX, described);
}

static tune_status join_text(const tune_device *device, const tune_device_kernels *kernels,
                             char **out_bytes, size_t *out_size) {
  (void)device; // PTX says itself what it is for
  tune_string_builder text;
  tune_string_builder_init(&text);
  for (size_t i = 0; i < kernels->count; ++i)
    tune_string_builder_append(&text, kernels->items[i].code);
  *out_size = text.length;
  tune_status status = tune_string_builder_finish(&text, out_bytes);
  tune_string_builder_deinit(&text);
  return status;
}

static const char *const OPTIONS[] = {TUNE_PTX_REGISTERS_ATTRIBUTE, TUNE_PTX_GROUPS_ATTRIBUTE,
                                      TUNE_PTX_OPT_LEVEL_ATTRIBUTE, TUNE_PTX_LOAD_CACHE_ATTRIBUTE,
                                      NULL};

const tune_device_code tune_cuda_code = {
    .target = "cuda",
    .stage = "nvvm",
    .module_op = "gpu.module",
    .no_llvm = "there is no LLVM IR to be had of what runs on CUDA: it is PTX",
    .options = OPTIONS,
    .least = tune_device_least_cuda,
    .create = create,
    .destroy = destroy,
    .convert = convert,
    .serialize = serialize,
    .print = join_text,
};
