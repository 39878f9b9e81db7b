//===- device_fixture.h - Whole functions lowered for a device ---------------------------===//
//
// To be included after cmocka.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_LOWER_DEVICE_FIXTURE_H
#define TUNE_UNITTESTS_LOWER_DEVICE_FIXTURE_H

#include "transforms/ir/ir.h"
#include "transforms/lower/common/memory.h"
#include "transforms/lower/cuda/cuda.h"
#include "transforms/lower/device_lowering.h"
#include "transforms/lower/vulkan/vulkan.h"

#include <stdlib.h>

#include "unittests/transforms/context_fixture.h"

// A device that has what there is, but little shared memory.
#define LARGE_DEVICE                                                                               \
  "{\"api\": \"1.3.230\", \"features\": [\"float16\", \"float64\", \"int8\", \"int16\", \"int64\"" \
  ", \"storage8\", \"storage16\"], \"subgroup_size\": 8, \"subgroup_operations\": [\"shuffle\", "  \
  "\"arithmetic\"], \"shared_bytes\": 1024, \"group_invocations\": 256, \"group_size\": "          \
  "[256, 256, 64], \"group_count\": [65535, 65535, 65535]}"

// Lowers the only function of `text` to `code` for the device of the fingerprint `device`; NULL:
// any.
static inline tune_status lower_for(const tune_device_code *code, const char *text,
                                    const char *device, tune_emit emit, char **out_bytes,
                                    size_t *out_size) {
  MlirOperation module, function;
  assert_ok(tune_ir_parse(context, text, "in.mlir", &module));
  assert_ok(tune_ir_find_function(module, NULL, &function));
  MlirStringRef name = tune_ir_string_attribute(function, "sym_name");
  char *copy = strndup(name.data, name.length);
  tune_function_signature *signature;
  assert_ok(tune_function_signature_create(function, &signature));
  assert_ok(tune_memory_prepare(module, function, signature));
  json_t *fingerprint = device ? json_loads(device, 0, NULL) : NULL;
  assert_true(!device || fingerprint);
  tune_device_lowering *lowering;
  assert_ok(tune_device_lowering_create(context, code, fingerprint, &(tune_stages){0}, &lowering));
  json_decref(fingerprint);
  tune_build_order order = {
      .module = module, .function = copy, .signature = signature, .emit = emit};
  tune_code made;
  tune_status status = tune_device_lowering_run(lowering, &order, &made);
  *out_bytes = made.bytes;
  *out_size = made.size;
  tune_device_lowering_destroy(lowering);
  tune_function_signature_destroy(signature);
  mlirOperationDestroy(module);
  free(copy);
  return status;
}

static inline tune_status lower_for_vulkan(const char *text, const char *device, tune_emit emit,
                                           char **out_bytes, size_t *out_size) {
  return lower_for(&tune_vulkan_code, text, device, emit, out_bytes, out_size);
}

// For what every device of compute capability 8.0 has.
static inline tune_status lower_for_cuda(const char *text, tune_emit emit, char **out_bytes,
                                         size_t *out_size) {
  return lower_for(&tune_cuda_code, text, NULL, emit, out_bytes, out_size);
}

#endif // TUNE_UNITTESTS_LOWER_DEVICE_FIXTURE_H
