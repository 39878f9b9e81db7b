//===- fingerprint.c - The fingerprint of a target ---------------------------===//

#include "formats/fingerprint.h"

#include <stdlib.h>
#include <string.h>

static const tune_member name_members[] = {
    {TUNE_MEMBER(tune_fingerprint, target)},
    {TUNE_MEMBER(tune_fingerprint, vendor)},
    {TUNE_MEMBER(tune_fingerprint, model)},
};

static const tune_member cache_members[] = {
    {TUNE_MEMBER(tune_cache, level)},
    {TUNE_MEMBER(tune_cache, bytes)},
    {TUNE_MEMBER(tune_cache, line)},
    {TUNE_MEMBER(tune_cache, cores)},
};

// A number of a CPU is whatever the system says; one of a GPU may be unknown to who reads; and
// one that need not be known is not written where it is 0.
#define ANY(field)                                                                                 \
  { TUNE_MEMBER(tune_fingerprint, field), .least = -0x1p63 }
#define SIZE(field)                                                                                \
  { TUNE_MEMBER(tune_gpu, field), .otherwise = -1 }
#define KNOWN(field)                                                                               \
  { TUNE_MEMBER(tune_gpu, field), .least = 1, .otherwise = -1 }

static const tune_member cpu_members[] = {
    ANY(family),
    ANY(model_number),
    ANY(stepping),
    {TUNE_MEMBER(tune_fingerprint, features), .is_shown = true},
    {TUNE_STRUCTS(tune_fingerprint, caches, cache_members), .is_shown = true},
    ANY(cores),
    ANY(vector_bits),
    ANY(vector_registers),
    {TUNE_MEMBER(tune_fingerprint, has_fma), .is_shown = true},
    {TUNE_MEMBER(tune_fingerprint, has_bf16_dot), .is_shown = true},
    {TUNE_MEMBER(tune_fingerprint, has_int8_dot), .is_shown = true},
    {TUNE_MEMBER(tune_fingerprint, cpu)},
    {TUNE_MEMBER(tune_fingerprint, triple)},
};

static const tune_member feature_members[] = {
    {TUNE_MEMBER(tune_fingerprint, features), .is_shown = true},
};

// What GPUs of all targets have.
static const tune_member gpu_members[] = {
    {TUNE_MEMBER(tune_gpu, driver)},
    {TUNE_MEMBER(tune_gpu, driver_version)},
    {TUNE_MEMBER(tune_gpu, api)},
    {TUNE_MEMBER(tune_gpu, device_type)},
    {TUNE_MEMBER(tune_gpu, host)},
    SIZE(subgroup_size),
    {TUNE_MEMBER(tune_gpu, subgroup_operations), .is_shown = true},
    SIZE(shared_bytes),
    SIZE(group_invocations),
    {TUNE_MEMBER(tune_gpu, group_size)},
    {TUNE_MEMBER(tune_gpu, group_count)},
};

static const tune_member vulkan_members[] = {
    SIZE(storage_buffer_bytes),
    SIZE(memory_bytes),
    SIZE(texel_buffer_elements),
    SIZE(push_constant_bytes),
    SIZE(bindings),
    {TUNE_MEMBER(tune_gpu, timestamp_period_ns)},
    KNOWN(loop_limit),
    {TUNE_MEMBER(tune_gpu, cooperative_matrices)},
};

static const tune_member cuda_members[] = {
    KNOWN(storage_buffer_bytes),
    KNOWN(memory_bytes),
    {TUNE_MEMBER(tune_gpu, arch)},
    KNOWN(multiprocessors),
    KNOWN(shared_bytes_most),
    KNOWN(shared_bytes_multiprocessor),
    KNOWN(group_registers),
    KNOWN(multiprocessor_registers),
    KNOWN(multiprocessor_invocations),
    KNOWN(l2_bytes),
    KNOWN(clock_mhz),
    KNOWN(memory_clock_mhz),
    KNOWN(memory_bus_bits),
};

//===- Of the targets ---------------------------------------------------------===//

// Rows of the struct itself, from another table.
#define ROWS(table)                                                                                \
  { .name = #table, .kind = TUNE_MEMBER_PART, TUNE_MEMBERS_OF(table) }

static const tune_member of_cpu[] = {ROWS(name_members), ROWS(cpu_members)};
static const tune_member of_vulkan[] = {ROWS(name_members),
                                        ROWS(feature_members),
                                        {TUNE_PART(tune_fingerprint, gpu, gpu_members)},
                                        {TUNE_PART(tune_fingerprint, gpu, vulkan_members)}};
static const tune_member of_cuda[] = {ROWS(name_members),
                                      ROWS(feature_members),
                                      {TUNE_PART(tune_fingerprint, gpu, gpu_members)},
                                      {TUNE_PART(tune_fingerprint, gpu, cuda_members)}};

typedef struct member_table {
  const tune_member *members;
  size_t count;
} member_table;

static member_table table_of(const char *target) {
  if (target && strcmp(target, "cuda") == 0)
    return (member_table){of_cuda, sizeof of_cuda / sizeof *of_cuda};
  if (target && (strcmp(target, "cpu") == 0 || strcmp(target, "null") == 0))
    return (member_table){of_cpu, sizeof of_cpu / sizeof *of_cpu};
  return (member_table){of_vulkan, sizeof of_vulkan / sizeof *of_vulkan};
}

tune_status tune_fingerprint_to_json(const tune_fingerprint *value, json_t **out_object) {
  member_table table = table_of(value->target);
  return tune_members_to_json(table.members, table.count, value, out_object);
}

tune_status tune_fingerprint_from_json(const json_t *object, tune_fingerprint *out_value) {
  *out_value = (tune_fingerprint){0};
  TUNE_RETURN_IF_ERROR(tune_members_from_json(of_cpu, 1, object, out_value)); // its names
  member_table table = table_of(out_value->target);
  return tune_members_from_json(table.members, table.count, object, out_value);
}

// Lists are freed once: what is freed is empty. By all tables, since the JSON that the target's
// name was borrowed of may be gone.
void tune_fingerprint_deinit(tune_fingerprint *value) {
  static const member_table TABLES[] = {{of_cpu, sizeof of_cpu / sizeof *of_cpu},
                                        {of_vulkan, sizeof of_vulkan / sizeof *of_vulkan},
                                        {of_cuda, sizeof of_cuda / sizeof *of_cuda}};
  for (size_t i = 0; i < sizeof TABLES / sizeof *TABLES; ++i)
    tune_members_deinit(TABLES[i].members, TABLES[i].count, value);
  for (size_t i = 0; i < value->made.count; ++i)
    free((char *)value->made.items[i]);
  free(value->made.items);
  *value = (tune_fingerprint){0};
}
