//===- cpu_fingerprint.c - The fingerprint of a CPU --------------------------===//
//
// From /proc/cpuinfo, whose flags are those that CPU, hypervisor and kernel all support, and from
// /sys for the caches.
//
//===--------------------------------------------------------------------------===//

#include "formats/cpu_models.h"
#include "support/file.h"
#include "support/string_builder.h"
#include "targets/fingerprint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// Sorted. Only what changes the code that is generated: kernels add flags about mitigations from
// one version to the next, and those must not change the digest.
static const char *const known_features[] = {
    "adx",
    "aes",
    "amx_bf16",
    "amx_int8",
    "amx_tile",
    "asimd",
    "asimddp",
    "asimdhp",
    "avx",
    "avx2",
    "avx512_bf16",
    "avx512_bitalg",
    "avx512_fp16",
    "avx512_vbmi2",
    "avx512_vnni",
    "avx512_vp2intersect",
    "avx512_vpopcntdq",
    "avx512bw",
    "avx512cd",
    "avx512dq",
    "avx512f",
    "avx512ifma",
    "avx512vbmi",
    "avx512vl",
    "avx_vnni",
    "bf16",
    "bmi1",
    "bmi2",
    "f16c",
    "fma",
    "fphp",
    "gfni",
    "i8mm",
    "popcnt",
    "sse2",
    "sse4_1",
    "sse4_2",
    "ssse3",
    "sve",
    "sve2",
    "vaes",
    "vpclmulqdq",
};

// The value of the first line "name : value" in /proc/cpuinfo, or NULL; free().
static char *find_line(const char *text, const char *name) {
  size_t length = strlen(name);
  for (const char *line = text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, length) != 0)
      continue;
    const char *value = line + length + strspn(line + length, " \t");
    if (*value != ':')
      continue;
    value += 1 + strspn(value + 1, " \t");
    return strndup(value, strcspn(value, "\n"));
  }
  return NULL;
}

static int64_t find_number(const char *text, const char *name) {
  char *value = find_line(text, name);
  int64_t number = value ? strtoll(value, NULL, 0) : 0;
  free(value);
  return number;
}

static bool has_word(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return true;
  return false;
}

static tune_status read_features(const char *text, tune_fingerprint *out) {
  char *flags = find_line(text, "flags");
  if (!flags)
    flags = find_line(text, "Features"); // its name on Arm
  size_t count = sizeof known_features / sizeof *known_features;
  out->features.items = calloc(count, sizeof *out->features.items);
  for (size_t i = 0; i < count && flags && out->features.items; ++i)
    if (has_word(flags, known_features[i]))
      out->features.items[out->features.count++] = known_features[i];
  free(flags);
  return out->features.items ? TUNE_OK : tune_status_out_of_memory("reading /proc/cpuinfo");
}

//===- Caches ---------------------------------------------------------------------===//

// The text of one small file under cpu0's cache folder, or "".
static void read_cache_file(int index, const char *name, char *out_text, size_t capacity) {
  char path[128];
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
  out_text[0] = '\0';
  FILE *file = fopen(path, "re");
  if (!file)
    return;
  if (!fgets(out_text, (int)capacity, file))
    out_text[0] = '\0';
  fclose(file);
}

static int64_t parse_bytes(const char *text) {
  char *end;
  int64_t value = strtoll(text, &end, 10);
  return *end == 'K' ? value << 10 : *end == 'M' ? value << 20 : value;
}

// How many CPUs a list such as "0-3,8-11" names.
static int64_t count_cpus(const char *list) {
  int64_t count = 0;
  while (*list >= '0' && *list <= '9') {
    char *end;
    long first = strtol(list, &end, 10), last = first;
    if (*end == '-')
      last = strtol(end + 1, &end, 10);
    count += last - first + 1;
    list = *end == ',' ? end + 1 : "";
  }
  return count;
}

static tune_status read_caches(tune_fingerprint *out) {
  tune_cache_list *caches = &out->caches;
  caches->items = calloc(TUNE_CACHE_LIMIT, sizeof *caches->items);
  if (!caches->items)
    return tune_status_out_of_memory("describing the CPU");
  for (int index = 0; caches->count < TUNE_CACHE_LIMIT; ++index) {
    char text[256];
    read_cache_file(index, "type", text, sizeof text);
    if (text[0] == '\0')
      break;
    if (strncmp(text, "Instruction", 11) == 0)
      continue;
    tune_cache cache = {0};
    read_cache_file(index, "level", text, sizeof text);
    cache.level = strtoll(text, NULL, 10);
    read_cache_file(index, "size", text, sizeof text);
    cache.bytes = parse_bytes(text);
    read_cache_file(index, "coherency_line_size", text, sizeof text);
    cache.line = strtoll(text, NULL, 10);
    read_cache_file(index, "shared_cpu_list", text, sizeof text);
    cache.cores = count_cpus(text);
    if (cache.level >= 1 && cache.bytes > 0)
      caches->items[caches->count++] =
          (tune_cache){cache.level, cache.bytes, cache.line > 0 ? cache.line : 64,
                       cache.cores > 0 ? cache.cores : 1};
  }
  if (caches->count == 0) {
    caches->items[caches->count++] = (tune_cache){1, 32 << 10, 64, 1};
    caches->items[caches->count++] = (tune_cache){2, 1 << 20, 64, 1};
  }
  return TUNE_OK;
}

// What comes after one of the names, of which Arm's is the second.
static tune_status read_name(const char *text, const char *name, const char *on_arm,
                             tune_fingerprint *out, const char **out_name) {
  char *line = find_line(text, name);
  if (!line)
    line = find_line(text, on_arm);
  bool is_made = tune_fingerprint_print(out, out_name, "%s", line ? line : "unknown");
  free(line);
  return is_made ? TUNE_OK : tune_status_out_of_memory("reading /proc/cpuinfo");
}

static tune_status read_names(const char *text, tune_fingerprint *out) {
  out->target = "cpu";
  TUNE_RETURN_IF_ERROR(read_name(text, "vendor_id", "CPU implementer", out, &out->vendor));
  return read_name(text, "model name", "CPU part", out, &out->model);
}

tune_status tune_fingerprint_of_cpu(tune_fingerprint *out_fingerprint) {
  memset(out_fingerprint, 0, sizeof *out_fingerprint);
  char *text;
  tune_status status = tune_file_read("/proc/cpuinfo", &text, NULL);
  if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  if (!tune_status_is_ok(status)) {
    tune_status_free(status);
    return tune_status_make(TUNE_UNAVAILABLE, "cannot read /proc/cpuinfo; is /proc mounted?");
  }
  status = read_names(text, out_fingerprint);
  if (tune_status_is_ok(status))
    status = read_features(text, out_fingerprint);
  out_fingerprint->family = find_number(text, "cpu family");
  out_fingerprint->model_number = find_number(text, "model");
  out_fingerprint->stepping = find_number(text, "stepping");
  // Of the machine, not of the process: what it is pinned to must not change the digest.
  out_fingerprint->cores = sysconf(_SC_NPROCESSORS_ONLN);
  free(text);
  tune_cpu_model_read_vectors(out_fingerprint);
  if (tune_status_is_ok(status))
    status = read_caches(out_fingerprint);
  if (!tune_status_is_ok(status))
    tune_fingerprint_deinit(out_fingerprint);
  return status;
}

// "x86_64" of "x86_64-pc-linux-gnu", as uname says it.
static bool is_of_this_kind(const char *triple, const char *machine) {
  size_t length = strcspn(triple, "-");
  return strlen(machine) == length && strncmp(triple, machine, length) == 0;
}

// Of another system's executables none runs either, so that what the CPU has says nothing.
static bool is_of_this_system(const char *triple) { return strstr(triple, "-linux") != NULL; }

static tune_status list_lacking(const tune_fingerprint *fingerprint, const char *words,
                                char **out_text) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  for (size_t i = 0; i < fingerprint->features.count; ++i)
    if (!has_word(words, fingerprint->features.items[i]))
      tune_string_builder_appendf(&text, "%s%s", text.length ? ", " : "lacks ",
                                  fingerprint->features.items[i]);
  if (text.length || text.failed)
    return tune_string_builder_finish(&text, out_text);
  tune_string_builder_deinit(&text);
  return TUNE_OK;
}

tune_status tune_fingerprint_find_lacking(const tune_fingerprint *fingerprint, char **out_text) {
  *out_text = NULL;
  struct utsname system;
  const char *triple = fingerprint->triple;
  if (triple && uname(&system) == 0 &&
      !(is_of_this_kind(triple, system.machine) && is_of_this_system(triple))) {
    if (asprintf(out_text, "is of another kind: %s, not %s", system.machine, triple) >= 0)
      return TUNE_OK;
    *out_text = NULL;
    return tune_status_out_of_memory("comparing CPUs");
  }
  char *text;
  TUNE_RETURN_IF_ERROR(tune_file_read("/proc/cpuinfo", &text, NULL));
  char *flags = find_line(text, "flags");
  if (!flags)
    flags = find_line(text, "Features");
  free(text);
  if (!flags)
    return tune_status_make(TUNE_UNAVAILABLE, "/proc/cpuinfo does not say what this CPU has");
  tune_status status = list_lacking(fingerprint, flags, out_text);
  free(flags);
  return status;
}
