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

static tune_status copy_text(const char *text, char **out_text) {
  *out_text = strdup(text);
  return *out_text ? TUNE_OK : tune_status_make(TUNE_OUT_OF_MEMORY, "reading a fingerprint");
}

static tune_status read_features(const json_t *array, tune_fingerprint *out) {
  out->features = calloc(json_array_size(array) + 1, sizeof *out->features);
  if (!out->features)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "reading a fingerprint");
  for (size_t i = 0; i < json_array_size(array); ++i) {
    const char *feature = json_string_value(json_array_get(array, i));
    if (!feature)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "\"features\" holds what is no text");
    TUNE_RETURN_IF_ERROR(copy_text(feature, &out->features[i]));
    out->feature_count = i + 1;
  }
  return TUNE_OK;
}

static tune_status read_caches(const json_t *array, tune_fingerprint *out) {
  if (json_array_size(array) > TUNE_CACHE_LIMIT)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"caches\" holds more than %d",
                            TUNE_CACHE_LIMIT);
  for (size_t i = 0; i < json_array_size(array); ++i) {
    json_int_t level, bytes, line, cores;
    json_error_t error;
    if (json_unpack_ex(json_array_get(array, i), &error, 0, "{sIsIsIsI}", "level", &level, "bytes",
                       &bytes, "line", &line, "cores", &cores) != 0)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "cache %zu: %s", i, error.text);
    if (level < 1 || bytes < 1 || line < 1 || cores < 1)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "cache %zu has a size below 1", i);
    out->caches[out->cache_count++] = (tune_cache){level, bytes, line, cores};
  }
  return TUNE_OK;
}

static tune_status read_members(const json_t *object, tune_fingerprint *out) {
  const char *target, *vendor, *model;
  json_int_t family, model_number, stepping, cores, vector_bits, vector_registers;
  json_t *features, *caches;
  int has_fma, has_bf16_dot, has_int8_dot;
  json_error_t error;
  if (json_unpack_ex((json_t *)object, &error, 0, "{ssssss sIsIsI soso sIsIsI sbsbsb}", "target",
                     &target, "vendor", &vendor, "model", &model, "family", &family, "model_number",
                     &model_number, "stepping", &stepping, "features", &features, "caches", &caches,
                     "cores", &cores, "vector_bits", &vector_bits, "vector_registers",
                     &vector_registers, "has_fma", &has_fma, "has_bf16_dot", &has_bf16_dot,
                     "has_int8_dot", &has_int8_dot) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s", error.text);
  if (!json_is_array(features) || !json_is_array(caches))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"features\" and \"caches\" are arrays");
  if (cores < 1 || vector_bits < 0 || vector_registers < 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a count is below its least value");
  out->family = family;
  out->model_number = model_number;
  out->stepping = stepping;
  out->cores = cores;
  out->vector_bits = vector_bits;
  out->vector_registers = vector_registers;
  out->has_fma = has_fma;
  out->has_bf16_dot = has_bf16_dot;
  out->has_int8_dot = has_int8_dot;
  TUNE_RETURN_IF_ERROR(copy_text(target, &out->target));
  TUNE_RETURN_IF_ERROR(copy_text(vendor, &out->vendor));
  TUNE_RETURN_IF_ERROR(copy_text(model, &out->model));
  TUNE_RETURN_IF_ERROR(read_features(features, out));
  return read_caches(caches, out);
}

tune_status tune_fingerprint_from_json(const json_t *object, tune_fingerprint *out_fingerprint) {
  memset(out_fingerprint, 0, sizeof *out_fingerprint);
  tune_status status = read_members(object, out_fingerprint);
  if (!tune_status_is_ok(status))
    tune_fingerprint_deinit(out_fingerprint);
  return tune_status_annotate(status, "a fingerprint");
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

int64_t tune_fingerprint_cache_bytes(const tune_fingerprint *fingerprint, int64_t level) {
  for (size_t i = 0; i < fingerprint->cache_count; ++i)
    if (fingerprint->caches[i].level == level)
      return fingerprint->caches[i].bytes;
  return 0;
}
