//===- process_target.c -------------------------------------------------------===//

#include "tuning/device/process_target.h"

#include "tuning/device/device_file.h"

tune_process_target tune_process_target_of(const tune_target_facts *facts) {
  return (tune_process_target){.name = facts->name.target,
                               .device = facts->name.device,
                               .fingerprint = tune_target_facts_device(facts),
                               .threads = facts->threads,
                               .flush_cache = facts->flushes_cache};
}

tune_status tune_process_target_of_elsewhere(const tune_target_facts *facts, size_t threads,
                                             char **out_features, tune_process_target *out_target) {
  *out_target = tune_process_target_of(facts);
  out_target->device = NULL;
  out_target->threads = threads;
  TUNE_RETURN_IF_ERROR(tune_device_file_get_features(facts, out_features));
  out_target->cpu = *out_features ? "x86-64" : NULL;
  out_target->features = *out_features;
  return TUNE_OK;
}
