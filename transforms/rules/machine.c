//===- machine.c - The machine as rules see it -------------------------------===//

#include "transforms/rules/machine.h"

#include <string.h>

void tune_machine_init(tune_machine *machine) {
  *machine = (tune_machine){
      .vector_bits = 128,
      .vector_registers = 16,
      .l1_bytes = 32 << 10,
      .l2_bytes = 256 << 10,
      .l3_bytes = 4 << 20,
      .threads = 1,
      .gpu = tune_device_least(),
  };
}

static void read_bytes(const json_t *object, const char *key, int64_t *out) {
  const json_t *value = json_object_get(object, key);
  if (json_is_integer(value) && json_integer_value(value) > 0)
    *out = json_integer_value(value);
}

static bool has_feature(const json_t *fingerprint, const char *name) {
  const json_t *features = json_object_get(fingerprint, "features");
  for (size_t i = 0; i < json_array_size(features); ++i) {
    const char *feature = json_string_value(json_array_get(features, i));
    if (feature && strcmp(feature, name) == 0)
      return true;
  }
  return false;
}

// On Intel's cores vdpbf16ps adds up half as many products as multiply-adds of f32 do, so that
// widening first is up to twice as fast. That was measured on family 6, model 207
// (docs/spaces.md#bf16-on-intels-cpus); those of the other names are taken to be alike.
static bool has_fast_bf16_dot(const json_t *fingerprint) {
  static const char *const INTEL[] = {"cooperlake",    "sapphirerapids",  "emeraldrapids",
                                      "graniterapids", "graniterapids-d", "diamondrapids"};
  const char *vendor = json_string_value(json_object_get(fingerprint, "vendor"));
  const char *cpu = json_string_value(json_object_get(fingerprint, "cpu"));
  bool is_intel = vendor && strcmp(vendor, "GenuineIntel") == 0;
  for (size_t i = 0; cpu && i < sizeof INTEL / sizeof *INTEL; ++i)
    is_intel |= strcmp(cpu, INTEL[i]) == 0;
  return !is_intel && json_is_true(json_object_get(fingerprint, "has_bf16_dot"));
}

void tune_machine_read_fingerprint(tune_machine *machine, const json_t *fingerprint) {
  const char *target = json_string_value(json_object_get(fingerprint, "target"));
  machine->kind = target ? tune_target_kind_of(target) : TUNE_KIND_CPU;
  if (machine->kind != TUNE_KIND_CPU)
    tune_status_free(tune_device_read(fingerprint, &machine->gpu));
  int64_t bits = machine->vector_bits, registers = machine->vector_registers;
  read_bytes(fingerprint, "vector_bits", &bits);
  read_bytes(fingerprint, "vector_registers", &registers);
  machine->vector_bits = (unsigned)bits;
  machine->vector_registers = (unsigned)registers;
  machine->has_bf16_dot = has_fast_bf16_dot(fingerprint);
  machine->has_int8_dot = json_is_true(json_object_get(fingerprint, "has_int8_dot"));
  machine->has_int16_pairs = (bits == 256 && has_feature(fingerprint, "avx2")) ||
                             (bits == 512 && has_feature(fingerprint, "avx512bw"));
  const json_t *caches = json_object_get(fingerprint, "caches");
  for (size_t i = 0; i < json_array_size(caches); ++i) {
    const json_t *cache = json_array_get(caches, i);
    int64_t *const levels[] = {&machine->l1_bytes, &machine->l2_bytes, &machine->l3_bytes};
    json_int_t level = json_integer_value(json_object_get(cache, "level"));
    if (level >= 1 && level <= 3)
      read_bytes(cache, "bytes", levels[level - 1]);
  }
}
