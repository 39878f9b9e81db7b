//===- target_digest.c - The digest of a target that records go by -----------===//
//
// Apart from target_facts.c, since tune-measure needs this and not the database.
//
//===--------------------------------------------------------------------------===//

#include "support/json.h"
#include "tuning/device/target_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t tune_target_facts_threads(const json_t *fingerprint, size_t threads) {
  const char *target = json_string_value(json_object_get(fingerprint, "target"));
  const char *type = json_string_value(json_object_get(fingerprint, "device_type"));
  bool is_cpu =
      tune_target_kind_of(target ? target : "") == TUNE_KIND_CPU || (type && !strcmp(type, "cpu"));
  return is_cpu ? threads : 1;
}

tune_status tune_target_facts_digest(const json_t *fingerprint, size_t threads, bool flushes_cache,
                                     tune_digest *out_digest) {
  tune_digest_stream *stream;
  char *text = tune_json_dump(fingerprint, JSON_COMPACT | JSON_SORT_KEYS);
  if (!text)
    return tune_status_out_of_memory("the digest of a fingerprint");
  tune_status status = tune_digest_stream_create(&stream);
  if (tune_status_is_ok(status)) {
    char count[32];
    snprintf(count, sizeof count, "threads=%zu", threads);
    tune_digest_stream_add_text(stream, text);
    tune_digest_stream_add_text(stream, count);
    if (flushes_cache)
      tune_digest_stream_add_text(stream, "flush-cache");
    *out_digest = tune_digest_stream_get(stream);
    tune_digest_stream_destroy(stream);
  }
  free(text);
  return status;
}
