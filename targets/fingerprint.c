//===- fingerprint.c - The fingerprint of a target ---------------------------===//

#include "targets/fingerprint.h"
#include "support/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tune_fingerprint_print(char **out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(out, format, arguments) < 0)
    *out = NULL;
  va_end(arguments);
  return *out != NULL;
}

void tune_fingerprint_deinit(tune_fingerprint *fingerprint) {
  free(fingerprint->target);
  free(fingerprint->vendor);
  free(fingerprint->model);
  for (size_t i = 0; i < fingerprint->feature_count; ++i)
    free(fingerprint->features[i]);
  free(fingerprint->features);
  tune_gpu *gpu = fingerprint->gpu;
  if (gpu) {
    free(gpu->driver);
    free(gpu->driver_version);
    free(gpu->api);
    free(gpu->device_type);
    free(gpu->host);
    free(gpu->arch);
    for (size_t i = 0; i < gpu->matrix_count; ++i)
      free(gpu->matrices[i]);
    free(gpu->matrices);
    free(gpu);
  }
  memset(fingerprint, 0, sizeof *fingerprint);
}

static json_t *strings_to_json(const char *const *strings, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; ++i)
    json_array_append_new(array, json_string(strings[i]));
  if (json_array_size(array) == count)
    return array;
  json_decref(array);
  return NULL;
}

static json_t *caches_to_json(const tune_fingerprint *f) {
  json_t *caches = json_array();
  for (size_t i = 0; i < f->cache_count; ++i) {
    const tune_cache *cache = &f->caches[i];
    json_array_append_new(caches,
                          json_pack("{sIsIsIsI}", "level", (json_int_t)cache->level, "bytes",
                                    (json_int_t)cache->bytes, "line", (json_int_t)cache->line,
                                    "cores", (json_int_t)cache->cores));
  }
  if (json_array_size(caches) == f->cache_count)
    return caches;
  json_decref(caches);
  return NULL;
}

static json_t *cpu_to_json(const tune_fingerprint *f) {
  // "o" takes the references also where packing fails.
  return json_pack("{ssssss sIsIsI soso sIsIsI sbsbsb}", "target", f->target, "vendor", f->vendor,
                   "model", f->model, "family", (json_int_t)f->family, "model_number",
                   (json_int_t)f->model_number, "stepping", (json_int_t)f->stepping, "features",
                   strings_to_json((const char *const *)f->features, f->feature_count), "caches",
                   caches_to_json(f), "cores", (json_int_t)f->cores, "vector_bits",
                   (json_int_t)f->vector_bits, "vector_registers", (json_int_t)f->vector_registers,
                   "has_fma", f->has_fma, "has_bf16_dot", f->has_bf16_dot, "has_int8_dot",
                   f->has_int8_dot);
}

static json_t *three_to_json(const int64_t *numbers) {
  return json_pack("[III]", (json_int_t)numbers[0], (json_int_t)numbers[1], (json_int_t)numbers[2]);
}

// What GPUs of all targets have.
static json_t *common_to_json(const tune_fingerprint *f) {
  const tune_gpu *g = f->gpu;
  return tune_json_pack(
      "{ssssssso ss*ss*ss*ss*ss* sIso sIsI soso sIsI}", "target", f->target, "vendor", f->vendor,
      "model", f->model, "features",
      strings_to_json((const char *const *)f->features, f->feature_count), "driver", g->driver,
      "driver_version", g->driver_version, "api", g->api, "device_type", g->device_type, "host",
      g->host, "subgroup_size", (json_int_t)g->subgroup_size, "subgroup_operations",
      strings_to_json(g->subgroup_operations, g->subgroup_operation_count), "shared_bytes",
      (json_int_t)g->shared_bytes, "group_invocations", (json_int_t)g->group_invocations,
      "group_size", three_to_json(g->group_size), "group_count", three_to_json(g->group_count),
      "storage_buffer_bytes", (json_int_t)g->storage_buffer_bytes, "memory_bytes",
      (json_int_t)g->memory_bytes);
}

// Adds `members` to `object`, both of which it takes; NULL without memory.
static json_t *add_members(json_t *object, json_t *members) {
  bool is_whole = object && members && json_object_update(object, members) == 0;
  json_decref(members);
  if (is_whole)
    return object;
  json_decref(object);
  return NULL;
}

static json_t *vulkan_to_json(const tune_gpu *g) {
  json_t *members =
      json_pack("{sIsIsIsf}", "texel_buffer_elements", (json_int_t)g->texel_buffer_elements,
                "push_constant_bytes", (json_int_t)g->push_constant_bytes, "bindings",
                (json_int_t)g->bindings, "timestamp_period_ns", g->timestamp_period_ns);
  if (g->loop_limit && members)
    members = add_members(members, json_pack("{sI}", "loop_limit", (json_int_t)g->loop_limit));
  if (g->matrix_count && members)
    members = add_members(
        members, json_pack("{so}", "cooperative_matrices",
                           strings_to_json((const char *const *)g->matrices, g->matrix_count)));
  return members;
}

static json_t *cuda_to_json(const tune_gpu *g) {
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {
      {"multiprocessors", g->multiprocessors},
      {"shared_bytes_most", g->shared_bytes_most},
      {"shared_bytes_multiprocessor", g->shared_bytes_multiprocessor},
      {"group_registers", g->group_registers},
      {"multiprocessor_registers", g->multiprocessor_registers},
      {"multiprocessor_invocations", g->multiprocessor_invocations},
      {"l2_bytes", g->l2_bytes},
      {"clock_mhz", g->clock_mhz},
      {"memory_clock_mhz", g->memory_clock_mhz},
      {"memory_bus_bits", g->memory_bus_bits},
  };
  json_t *members = json_pack("{ss}", "arch", g->arch);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && members; ++i)
    if (numbers[i].value)
      members =
          add_members(members, json_pack("{sI}", numbers[i].name, (json_int_t)numbers[i].value));
  return members;
}

static json_t *gpu_to_json(const tune_fingerprint *f) {
  json_t *object = common_to_json(f);
  object = add_members(object, f->gpu->arch ? cuda_to_json(f->gpu) : vulkan_to_json(f->gpu));
  // Not known of a device that is any.
  if (object && !f->gpu->memory_bytes && f->gpu->arch) {
    json_object_del(object, "memory_bytes");
    json_object_del(object, "storage_buffer_bytes");
  }
  return object;
}

tune_status tune_fingerprint_to_json(const tune_fingerprint *fingerprint, json_t **out_object) {
  *out_object = fingerprint->gpu ? gpu_to_json(fingerprint) : cpu_to_json(fingerprint);
  return *out_object ? TUNE_OK : tune_status_out_of_memory("writing a fingerprint");
}

tune_status tune_fingerprint_digest(const tune_fingerprint *fingerprint, tune_digest *out_digest) {
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_to_json(fingerprint, &object));
  char *text = tune_json_dump(object, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(object);
  if (!text)
    return tune_status_out_of_memory("the digest of a fingerprint");
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
