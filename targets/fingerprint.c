//===- fingerprint.c - What a target is --------------------------------------------===//

#include "targets/fingerprint.h"

#include <stdlib.h>
#include <string.h>

void tune_fingerprint_deinit(tune_fingerprint *fingerprint) {
  free(fingerprint->target);
  free(fingerprint->vendor);
  free(fingerprint->model);
  for (size_t i = 0; i < fingerprint->feature_count; ++i)
    free(fingerprint->features[i]);
  free(fingerprint->features);
  memset(fingerprint, 0, sizeof *fingerprint);
}

tune_status tune_fingerprint_to_json(const tune_fingerprint *fingerprint, json_t **out_object) {
  const tune_fingerprint *f = fingerprint;
  json_t *features = json_array(), *caches = json_array();
  for (size_t i = 0; i < f->feature_count; ++i)
    json_array_append_new(features, json_string(f->features[i]));
  for (size_t i = 0; i < f->cache_count; ++i) {
    const tune_cache *cache = &f->caches[i];
    json_array_append_new(caches,
                          json_pack("{sIsIsIsI}", "level", (json_int_t)cache->level, "bytes",
                                    (json_int_t)cache->bytes, "line", (json_int_t)cache->line,
                                    "cores", (json_int_t)cache->cores));
  }
  bool is_whole =
      json_array_size(features) == f->feature_count && json_array_size(caches) == f->cache_count;
  // "o" takes the references also where packing fails.
  *out_object = json_pack(
      "{ssssss sIsIsI soso sIsIsI sbsbsb}", "target", f->target, "vendor", f->vendor, "model",
      f->model, "family", (json_int_t)f->family, "model_number", (json_int_t)f->model_number,
      "stepping", (json_int_t)f->stepping, "features", features, "caches", caches, "cores",
      (json_int_t)f->cores, "vector_bits", (json_int_t)f->vector_bits, "vector_registers",
      (json_int_t)f->vector_registers, "has_fma", f->has_fma, "has_bf16_dot", f->has_bf16_dot,
      "has_int8_dot", f->has_int8_dot);
  if (*out_object && is_whole)
    return TUNE_OK;
  json_decref(*out_object);
  *out_object = NULL;
  return tune_status_make(TUNE_OUT_OF_MEMORY, "writing a fingerprint");
}

tune_status tune_fingerprint_digest(const tune_fingerprint *fingerprint, tune_digest *out_digest) {
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_to_json(fingerprint, &object));
  char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(object);
  if (!text)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "the digest of a fingerprint");
  *out_digest = tune_digest_of_bytes(text, strlen(text));
  free(text);
  return TUNE_OK;
}

bool tune_fingerprint_has_feature(const tune_fingerprint *fingerprint, const char *feature) {
  for (size_t i = 0; i < fingerprint->feature_count; ++i)
    if (strcmp(fingerprint->features[i], feature) == 0)
      return true;
  return false;
}
