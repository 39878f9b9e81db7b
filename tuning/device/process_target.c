//===- process_target.c -------------------------------------------------------===//

#include "tuning/device/process_target.h"

#include "tuning/device/device_file.h"

tune_process_target tune_process_target_of(const tune_target_facts *facts) {
  bool is_cpu = facts->name.kind == TUNE_KIND_CPU;
  const json_t *named = is_cpu ? facts->fingerprint : NULL;
  return (tune_process_target){.name = facts->name.target,
                               .device = facts->name.device,
                               // Of a CPU that is not this one modules are planned by what it has.
                               .fingerprint = is_cpu && facts->is_elsewhere
                                                  ? facts->fingerprint
                                                  : tune_target_facts_device(facts),
                               .triple = json_string_value(json_object_get(named, "triple")),
                               .cpu = json_string_value(json_object_get(named, "cpu")),
                               .threads = facts->threads,
                               .flush_cache = facts->flushes_cache};
}

tune_status tune_process_target_of_elsewhere(const tune_target_facts *facts, size_t threads,
                                             char **out_features, tune_process_target *out_target) {
  *out_target = tune_process_target_of(facts);
  out_target->device = NULL;
  out_target->threads = threads;
  tune_code_cpu cpu;
  TUNE_RETURN_IF_ERROR(tune_device_file_get_cpu(facts, &cpu));
  out_target->triple = cpu.triple;
  out_target->cpu = cpu.cpu;
  out_target->features = *out_features = cpu.features;
  return TUNE_OK;
}
