//===- cpu_models.c - CPUs that code is made for by name ----------------------===//

#include "formats/cpu_models.h"

#include "formats/cpu_list.h"
#include "support/nearest.h"
#include "support/string_builder.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_NAMES 8 // that an error lists
#define KNOWN_NAMES "x86-64-v2, x86-64-v3, x86-64-v4, haswell, znver4, neoverse-v2, apple-m1"

#define TRIPLE_X86_64 "x86_64-pc-linux-gnu"
#define TRIPLE_AARCH64 "aarch64-unknown-linux-gnu"
#define TRIPLE_APPLE "arm64-apple-macosx11.0.0"

typedef struct cpu_row {
  const char *triple;
  const char *names, *features; // blanks in between
} cpu_row;

static const cpu_row CPUS[] = {
#define ROW(architecture, names, features) {TRIPLE_##architecture, names, features},
    TUNE_FOR_EACH_CPU(ROW)};
#define CPU_COUNT (sizeof CPUS / sizeof *CPUS)

//===- Words of a list ----------------------------------------------------------===//

// The word at or after `*at`, which goes on behind it; NULL: there is none. Not terminated.
static const char *next_word(const char **at, size_t *out_length) {
  const char *word = *at + strspn(*at, " ");
  *out_length = strcspn(word, " ");
  *at = word + *out_length;
  return *out_length ? word : NULL;
}

static bool has_word(const char *words, const char *wanted) {
  size_t length, wanted_length = strlen(wanted);
  for (const char *word; (word = next_word(&words, &length));)
    if (length == wanted_length && strncmp(word, wanted, length) == 0)
      return true;
  return false;
}

static size_t count_words(const char *words) {
  size_t count = 0, length;
  while (next_word(&words, &length))
    ++count;
  return count;
}

//===- Finding one by its name ----------------------------------------------------===//

static const cpu_row *find(const char *name) {
  for (size_t i = 0; i < CPU_COUNT; ++i)
    if (has_word(CPUS[i].names, name))
      return &CPUS[i];
  return NULL;
}

// How near a name is to what was asked for; 0: not at all. A mistyped one is nearest, then one that
// has the word in it, then the more the two have in common at their beginning.
static size_t nearness(const char *name, const char *wanted) {
  tune_nearest nearest;
  tune_nearest_init(&nearest, wanted);
  tune_nearest_offer(&nearest, name);
  if (nearest.best)
    return 1000 - nearest.distance;
  if (strlen(wanted) > 1 && strstr(name, wanted))
    return 500;
  size_t common = 0;
  while (name[common] && name[common] == wanted[common])
    ++common;
  return common > 1 ? common : 0;
}

// Appends the names of a CPU that are as near as `wanted_nearness`, until there are enough of them;
// finds out the greatest nearness below `limit` where `text` is NULL.
static size_t visit_near(const char *wanted, size_t limit, tune_string_builder *text,
                         size_t *listed) {
  size_t greatest = 0;
  for (size_t i = 0; i < CPU_COUNT; ++i) {
    size_t length;
    for (const char *at = CPUS[i].names, *word; (word = next_word(&at, &length));) {
      char name[64];
      if (length >= sizeof name)
        continue;
      memcpy(name, word, length);
      name[length] = '\0';
      size_t near = nearness(name, wanted);
      if (!text && near < limit && near > greatest)
        greatest = near;
      if (text && near == limit && *listed < NEAR_NAMES)
        tune_string_builder_appendf(text, "%s%s", (*listed)++ ? ", " : "", name);
    }
  }
  return greatest;
}

static tune_status refuse(const char *name) {
  tune_string_builder near;
  tune_string_builder_init(&near);
  size_t listed = 0;
  for (size_t limit = SIZE_MAX; listed < NEAR_NAMES;) {
    limit = visit_near(name, limit, NULL, NULL);
    if (!limit)
      break;
    visit_near(name, limit, &near, &listed);
  }
  tune_status status =
      tune_status_make(TUNE_NOT_FOUND, "no CPU '%s' that code can be made for by name; %s %s%s",
                       name, listed ? "near it there are" : "there are, for example,",
                       listed ? near.text : KNOWN_NAMES, "; docs/targets.md says how to list all");
  tune_string_builder_deinit(&near);
  return status;
}

tune_status tune_cpu_model_check(const char *name) { return find(name) ? TUNE_OK : refuse(name); }

//===- What it has ------------------------------------------------------------===//

static bool has_feature(const tune_fingerprint *fingerprint, const char *feature) {
  for (size_t i = 0; i < fingerprint->features.count; ++i)
    if (strcmp(fingerprint->features.items[i], feature) == 0)
      return true;
  return false;
}

void tune_cpu_model_read_vectors(tune_fingerprint *fingerprint) {
  if (has_feature(fingerprint, "avx512f")) {
    fingerprint->vector_bits = 512;
    fingerprint->vector_registers = 32;
  } else if (has_feature(fingerprint, "avx")) {
    fingerprint->vector_bits = 256;
    fingerprint->vector_registers = 16;
  } else {
    bool is_arm = has_feature(fingerprint, "asimd");
    fingerprint->vector_bits = 128;
    fingerprint->vector_registers = is_arm ? 32 : 16;
    fingerprint->has_fma = is_arm;
    return;
  }
  fingerprint->has_fma = has_feature(fingerprint, "fma");
  fingerprint->has_bf16_dot = has_feature(fingerprint, "avx512_bf16");
  fingerprint->has_int8_dot = has_feature(fingerprint, "avx512_vnni");
}

#define KIB(n) ((int64_t)(n) << 10)
#define MIB(n) ((int64_t)(n) << 20)

typedef struct cache_row {
  const char *names;
  int64_t l1, l2, l2_cores, l3, l3_cores; // bytes, and the cores that share them; 0: none such
  int64_t line;
} cache_row;

// Of data, as the vendors' optimization guides give them; cores are hardware threads.
static const cache_row CACHES[] = {
    {"nehalem corei7 westmere sandybridge corei7-avx ivybridge core-avx-i x86-64-v2 haswell "
     "core-avx2 broadwell skylake",
     KIB(32), KIB(256), 1, MIB(8), 8, 64},
    {"skylake-avx512 skx cascadelake cooperlake x86-64-v4", KIB(32), MIB(1), 1, MIB(24), 16, 64},
    {"icelake-client rocketlake", KIB(48), KIB(512), 1, MIB(8), 8, 64},
    {"icelake-server tigerlake alderlake", KIB(48), KIB(1280), 1, MIB(24), 16, 64},
    {"sapphirerapids emeraldrapids graniterapids graniterapids-d diamondrapids raptorlake "
     "meteorlake",
     KIB(48), MIB(2), 1, MIB(36), 24, 64},
    {"znver1", KIB(32), KIB(512), 1, MIB(8), 8, 64},
    {"znver2", KIB(32), KIB(512), 1, MIB(16), 8, 64},
    {"znver3", KIB(32), KIB(512), 1, MIB(32), 16, 64},
    {"znver4", KIB(32), MIB(1), 1, MIB(32), 16, 64},
    {"znver5", KIB(48), MIB(1), 1, MIB(32), 16, 64},
    {"cortex-a34 cortex-a35 cortex-a53", KIB(32), KIB(512), 4, 0, 0, 64},
    {"cortex-a57 cortex-a72 cortex-a73", KIB(32), MIB(1), 4, 0, 0, 64},
    {"cortex-a76 cortex-a77 cortex-a78", KIB(64), KIB(512), 1, MIB(4), 8, 64},
    {"neoverse-n1 neoverse-n2 neoverse-v1 neoverse-v2 neoverse-512tvb", KIB(64), MIB(1), 1, MIB(32),
     32, 64},
    {"grace", KIB(64), MIB(1), 1, MIB(114), 72, 64},
    {"ampere1 ampere1a ampere1b", KIB(64), MIB(2), 1, MIB(64), 128, 64},
    {"apple-m1", KIB(128), MIB(12), 4, MIB(8), 8, 128},
    {"apple-m2 apple-m3 apple-m4 apple-m5", KIB(128), MIB(16), 4, MIB(8), 8, 128},
    {"a64fx", KIB(64), MIB(8), 12, 0, 0, 256},
};
static const cache_row ANY_CACHES = {"", KIB(32), KIB(512), 1, MIB(16), 8, 64};

static const cache_row *caches_of(const char *name) {
  for (size_t i = 0; i < sizeof CACHES / sizeof *CACHES; ++i)
    if (has_word(CACHES[i].names, name))
      return &CACHES[i];
  return &ANY_CACHES;
}

static tune_status fill_caches(const char *name, tune_cache_list *caches) {
  const cache_row *row = caches_of(name);
  caches->items = calloc(3, sizeof *caches->items);
  if (!caches->items)
    return tune_status_out_of_memory("describing a CPU");
  caches->items[caches->count++] = (tune_cache){1, row->l1, row->line, 1};
  caches->items[caches->count++] = (tune_cache){2, row->l2, row->line, row->l2_cores};
  if (row->l3)
    caches->items[caches->count++] = (tune_cache){3, row->l3, row->line, row->l3_cores};
  return TUNE_OK;
}

// A text of the fingerprint's own; NULL without memory.
static const char *keep_text(tune_fingerprint *fingerprint, const char *text, size_t length) {
  tune_text_list *made = &fingerprint->made;
  const char **items = realloc(made->items, (made->count + 1) * sizeof *items);
  if (!items)
    return NULL;
  made->items = items;
  char *kept = strndup(text, length);
  if (kept)
    made->items[made->count++] = kept;
  return kept;
}

static tune_status fill_texts(const cpu_row *row, const char *name, tune_fingerprint *fingerprint) {
  tune_text_list *features = &fingerprint->features;
  features->items = calloc(count_words(row->features), sizeof *features->items);
  fingerprint->cpu = keep_text(fingerprint, name, strlen(name));
  size_t length;
  for (const char *at = row->features, *word;
       features->items && (word = next_word(&at, &length));) {
    const char *kept = keep_text(fingerprint, word, length);
    if (!kept)
      return tune_status_out_of_memory("describing a CPU");
    features->items[features->count++] = kept;
  }
  return features->items && fingerprint->cpu ? TUNE_OK
                                             : tune_status_out_of_memory("describing a CPU");
}

tune_status tune_cpu_model_describe(const char *name, tune_fingerprint *out_fingerprint) {
  *out_fingerprint = (tune_fingerprint){.target = "cpu", .vendor = "any"};
  const cpu_row *row = find(name);
  if (!row)
    return refuse(name);
  bool is_apple = strncmp(name, "apple-", 6) == 0 || strcmp(name, "cyclone") == 0;
  tune_status status = fill_texts(row, name, out_fingerprint);
  if (tune_status_is_ok(status))
    status = fill_caches(name, &out_fingerprint->caches);
  if (!tune_status_is_ok(status)) {
    tune_fingerprint_deinit(out_fingerprint);
    return status;
  }
  out_fingerprint->model = out_fingerprint->cpu;
  out_fingerprint->triple = is_apple ? TRIPLE_APPLE : row->triple;
  tune_cpu_model_read_vectors(out_fingerprint);
  return TUNE_OK;
}
