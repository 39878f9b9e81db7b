//===- vulkan.c ---------------------------------------------------------------===//

#include "transforms/lower/vulkan.h"

static tune_status to_come(void) {
  return tune_status_make(TUNE_UNAVAILABLE, "this build makes no code for Vulkan devices");
}

tune_status tune_vulkan_lowering_create(MlirContext context, const tune_vulkan_options *options,
                                        tune_vulkan_lowering **out_lowering) {
  (void)context;
  (void)options;
  *out_lowering = NULL;
  return to_come();
}

void tune_vulkan_lowering_destroy(tune_vulkan_lowering *lowering) { (void)lowering; }

tune_status tune_vulkan_lowering_run(tune_vulkan_lowering *lowering, MlirOperation module,
                                     const char *function, const tune_function_signature *signature,
                                     tune_emit emit, char **out_bytes, size_t *out_size,
                                     tune_cpu_report *out_report) {
  (void)lowering;
  (void)module;
  (void)function;
  (void)signature;
  (void)emit;
  (void)out_report;
  *out_bytes = NULL;
  *out_size = 0;
  return to_come();
}

tune_status tune_vulkan_lowering_warm_up(tune_vulkan_lowering *lowering) {
  (void)lowering;
  return to_come();
}
