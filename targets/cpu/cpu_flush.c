//===- cpu_flush.c ------------------------------------------------------------===//

#include "targets/cpu/cpu_flush.h"
#include "targets/pinning.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_BYTES ((size_t)32 << 20) // of the last cache
#define LINE 64

static const tune_cache *last_cache(const tune_fingerprint *fingerprint) {
  return fingerprint->caches.count ? &fingerprint->caches.items[fingerprint->caches.count - 1]
                                   : NULL;
}

size_t cpu_flush_bytes(const tune_fingerprint *fingerprint) {
  const tune_cache *last = last_cache(fingerprint);
  return 2 * (last && last->bytes > 0 ? (size_t)last->bytes : USUAL_BYTES);
}

// What has to be read on each CPU but the first: all where they do not share the last cache, else
// what is theirs alone.
static size_t bytes_of_others(const tune_fingerprint *fingerprint, size_t cpu_count) {
  const tune_cache *last = last_cache(fingerprint);
  if (!last || fingerprint->caches.count < 2 || last->cores < (int64_t)cpu_count)
    return cpu_flush_bytes(fingerprint);
  return 2 * (size_t)last[-1].bytes;
}

static void read_lines(const unsigned char *bytes, size_t size) {
  // Whoever compiles this cannot know that nobody looks at it.
  const volatile unsigned char *lines = bytes;
  for (size_t at = 0; at < size; at += LINE)
    (void)lines[at];
}

tune_status cpu_flush_run(cpu_flush *flush, const tune_fingerprint *fingerprint, const int *cpus,
                          size_t cpu_count) {
  if (!flush->bytes) {
    flush->size = cpu_flush_bytes(fingerprint);
    flush->bytes = malloc(flush->size);
    if (!flush->bytes)
      return tune_status_out_of_memory("flushing the caches");
    memset(flush->bytes, 1, flush->size); // or else all of it is one page of zeroes
  }
  size_t others = bytes_of_others(fingerprint, cpu_count);
  for (size_t i = cpu_count; i-- > 1;) {
    TUNE_RETURN_IF_ERROR(tune_pinning_apply(&cpus[i], 1));
    read_lines(flush->bytes, others < flush->size ? others : flush->size);
  }
  if (cpu_count > 1)
    TUNE_RETURN_IF_ERROR(tune_pinning_apply(cpus, 1));
  read_lines(flush->bytes, flush->size);
  return cpu_count > 1 ? tune_pinning_apply(cpus, cpu_count) : TUNE_OK;
}

void cpu_flush_deinit(cpu_flush *flush) {
  free(flush->bytes);
  *flush = (cpu_flush){0};
}
