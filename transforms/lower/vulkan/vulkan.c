//===- vulkan.c - The code of kernels for Vulkan -----------------------------===//

#include "transforms/lower/vulkan/vulkan.h"

#include "transforms/ir/ir.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/vulkan/spirv.h"
#include "transforms/lower/vulkan/spirv_tools.h"

#include <stdlib.h>

static tune_status create(MlirContext context, const tune_device *device, void **out_state) {
  tune_spirv *spirv;
  tune_status status = tune_spirv_create(context, device, &spirv);
  *out_state = spirv;
  return status;
}

static void destroy(void *state) { tune_spirv_destroy(state); }

static tune_status convert(void *state, MlirOperation kernels, tune_device_kernels *out_kernels) {
  return tune_spirv_convert(state, kernels, out_kernels);
}

static tune_status serialize(void *state, MlirOperation kernels, tune_emit emit,
                             tune_device_kernels *described) {
  (void)emit; // there is one kind of code
  return tune_spirv_serialize(state, kernels, described);
}

static tune_status disassemble(const tune_device *device, const tune_device_kernels *kernels,
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

static const char *const OPTIONS[] = {TUNE_SPIRV_OPT_ATTRIBUTE, NULL};

const tune_device_code tune_vulkan_code = {
    .target = "vulkan",
    .stage = "spirv",
    .module_op = "spirv.module",
    .no_llvm = "there is no LLVM IR of what runs on Vulkan: it is SPIR-V",
    .options = OPTIONS,
    .least = tune_device_least,
    .create = create,
    .destroy = destroy,
    .convert = convert,
    .serialize = serialize,
    .print = disassemble,
};
