//===- cpu_features.c ---------------------------------------------------------===//

#include "tuning/device/cpu_features.h"

#include "support/string_builder.h"

#include <string.h>
#include <sys/utsname.h>

// Those whose names differ. What LLVM calls "avx512vnni" is "avx512_vnni" for Linux, and so on.
static const struct {
  const char *linux_name, *llvm_name;
} RENAMED[] = {
    {"amx_bf16", "amx-bf16"},
    {"amx_int8", "amx-int8"},
    {"amx_tile", "amx-tile"},
    {"avx512_bf16", "avx512bf16"},
    {"avx512_bitalg", "avx512bitalg"},
    {"avx512_fp16", "avx512fp16"},
    {"avx512_vbmi2", "avx512vbmi2"},
    {"avx512_vnni", "avx512vnni"},
    {"avx512_vp2intersect", "avx512vp2intersect"},
    {"avx512_vpopcntdq", "avx512vpopcntdq"},
    {"avx_vnni", "avxvnni"},
    {"bmi1", "bmi"},
    {"sse4_1", "sse4.1"},
    {"sse4_2", "sse4.2"},
};

static const char *llvm_name(const char *linux_name) {
  for (size_t i = 0; i < sizeof RENAMED / sizeof *RENAMED; ++i)
    if (strcmp(RENAMED[i].linux_name, linux_name) == 0)
      return RENAMED[i].llvm_name;
  return linux_name;
}

tune_status tune_cpu_features_to_llvm(const json_t *fingerprint, char **out_features) {
  const json_t *features = json_object_get(fingerprint, "features");
  tune_string_builder text;
  tune_string_builder_init(&text);
  bool is_x86 = false;
  for (size_t i = 0; i < json_array_size(features); ++i) {
    const char *name = json_string_value(json_array_get(features, i));
    is_x86 = is_x86 || (name && strcmp(name, "sse2") == 0);
    if (name)
      tune_string_builder_appendf(&text, "%s+%s", text.length ? "," : "", llvm_name(name));
  }
  if (is_x86)
    return tune_string_builder_finish(&text, out_features);
  tune_string_builder_deinit(&text);
  *out_features = NULL;
  const char *model = json_string_value(json_object_get(fingerprint, "model"));
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "%s is no x86-64 CPU, and code for another one than this machine's is "
                          "made for these alone; search on such a machine",
                          model ? model : "the CPU of the fingerprint");
}

static bool is_x86_64(void) {
  struct utsname system;
  return uname(&system) == 0 && strcmp(system.machine, "x86_64") == 0;
}

const char *tune_cpu_reference_name(void) { return is_x86_64() ? "x86-64-v3" : "generic"; }

json_t *tune_cpu_reference_features(void) {
  return is_x86_64() ? json_pack("[s, s, s, s]", "avx2", "bmi2", "f16c", "fma") : json_array();
}
