//===- device_facts.c - Facts of a device that code for it rests on ----------===//

#include "formats/device_facts.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

tune_device tune_device_least(void) {
  return (tune_device){.api_major = 1,
                       .api_minor = 1,
                       .group_invocations = 128,
                       .group_size = {128, 128, 64},
                       .group_count = {65535, 65535, 65535},
                       .shared_bytes = 16384,
                       .storage_buffer_bytes = 1 << 27,
                       .texel_buffer_elements = 65536};
}

tune_device tune_device_least_cuda(void) {
  return (tune_device){.arch = 80,
                       .group_invocations = 1024,
                       .group_size = {1024, 1024, 64},
                       .group_count = {2147483647, 65535, 65535},
                       .shared_bytes = 49152,
                       .shared_bytes_most = 166912,
                       .group_registers = 65536,
                       .subgroup_size = 32,
                       .storage_buffer_bytes = INT64_C(1) << 30,
                       .has_float16 = true,
                       .has_bfloat16 = true,
                       .has_float64 = true,
                       .has_int8 = true,
                       .has_int16 = true,
                       .has_int64 = true,
                       .has_storage8 = true,
                       .has_storage16 = true,
                       .has_subgroup_vote = true,
                       .has_subgroup_arithmetic = true,
                       .has_subgroup_ballot = true,
                       .has_subgroup_shuffle = true,
                       .has_subgroup_shuffle_relative = true};
}

// A word in a list of the fingerprint, and the member it sets.
typedef struct word_row {
  const char *list, *word;
  size_t offset;
} word_row;

static const word_row WORDS[] = {
    {"features", "float16", offsetof(tune_device, has_float16)},
    {"features", "bfloat16", offsetof(tune_device, has_bfloat16)},
    {"features", "cooperative_matrix", offsetof(tune_device, has_cooperative_matrix)},
    {"features", "memory_model", offsetof(tune_device, has_memory_model)},
    {"features", "integer_dot_product", offsetof(tune_device, has_int8_dot)},
    {"features", "packed_dot_mixed", offsetof(tune_device, is_mixed_dot_fast)},
    {"features", "packed_dot_signed", offsetof(tune_device, is_signed_dot_fast)},
    {"features", "packed_dot_unsigned", offsetof(tune_device, is_unsigned_dot_fast)},
    {"features", "float64", offsetof(tune_device, has_float64)},
    {"features", "int8", offsetof(tune_device, has_int8)},
    {"features", "int16", offsetof(tune_device, has_int16)},
    {"features", "int64", offsetof(tune_device, has_int64)},
    {"features", "storage8", offsetof(tune_device, has_storage8)},
    {"features", "storage16", offsetof(tune_device, has_storage16)},
    {"subgroup_operations", "vote", offsetof(tune_device, has_subgroup_vote)},
    {"subgroup_operations", "arithmetic", offsetof(tune_device, has_subgroup_arithmetic)},
    {"subgroup_operations", "ballot", offsetof(tune_device, has_subgroup_ballot)},
    {"subgroup_operations", "shuffle", offsetof(tune_device, has_subgroup_shuffle)},
    {"subgroup_operations", "shuffle_relative",
     offsetof(tune_device, has_subgroup_shuffle_relative)},
    {"subgroup_operations", "clustered", offsetof(tune_device, has_subgroup_clustered)},
    {"subgroup_operations", "quad", offsetof(tune_device, has_subgroup_quad)},
};

static tune_status wrong_member(const char *name, const char *expected) {
  return tune_status_make(TUNE_INVALID_ARGUMENT, "the device's fingerprint: \"%s\": expected %s",
                          name, expected);
}

static tune_status read_number(const json_t *fingerprint, const char *name, int64_t *number) {
  const json_t *member = json_object_get(fingerprint, name);
  if (!member)
    return TUNE_OK;
  if (!json_is_integer(member) || json_integer_value(member) < 0)
    return wrong_member(name, "a number that is not negative");
  *number = json_integer_value(member);
  return TUNE_OK;
}

static tune_status read_numbers(const json_t *fingerprint, const char *name, int64_t *numbers) {
  const json_t *member = json_object_get(fingerprint, name);
  if (!member)
    return TUNE_OK;
  for (size_t i = 0; i < 3; ++i) {
    const json_t *element = json_array_get(member, i);
    if (json_array_size(member) != 3 || !json_is_integer(element) ||
        json_integer_value(element) < 1)
      return wrong_member(name, "three positive numbers");
    numbers[i] = json_integer_value(element);
  }
  return TUNE_OK;
}

static tune_status read_words(const json_t *fingerprint, const char *name, tune_device *device) {
  const json_t *list = json_object_get(fingerprint, name);
  if (list && !json_is_array(list))
    return wrong_member(name, "a list of words");
  for (size_t row = 0; list && row < sizeof WORDS / sizeof *WORDS; ++row)
    if (strcmp(WORDS[row].list, name) == 0)
      *(bool *)((char *)device + WORDS[row].offset) = false;
  for (size_t i = 0; i < json_array_size(list); ++i) {
    const char *word = json_string_value(json_array_get(list, i));
    if (!word)
      return wrong_member(name, "a list of words");
    for (size_t row = 0; row < sizeof WORDS / sizeof *WORDS; ++row)
      if (strcmp(WORDS[row].list, name) == 0 && strcmp(WORDS[row].word, word) == 0)
        *(bool *)((char *)device + WORDS[row].offset) = true;
  }
  return TUNE_OK;
}

// "sm_90"
static tune_status read_arch(const json_t *fingerprint, int *arch) {
  const json_t *member = json_object_get(fingerprint, "arch");
  if (!member)
    return TUNE_OK;
  if (!json_is_string(member) || sscanf(json_string_value(member), "sm_%d", arch) != 1)
    return wrong_member("arch", "a compute capability, \"sm_90\"");
  return TUNE_OK;
}

// "16x16x16 f16 f32": rows, columns and depth, what is multiplied, and the sum.
static tune_status read_matrices(const json_t *fingerprint, tune_device *device) {
  const char *name = "cooperative_matrices";
  const json_t *list = json_object_get(fingerprint, name);
  if (list && !json_is_array(list))
    return wrong_member(name, "a list of matrices");
  size_t count = json_array_size(list);
  for (size_t i = 0; i < count && device->matrix_count < TUNE_DEVICE_MATRICES; ++i) {
    tune_device_matrix *matrix = &device->matrices[device->matrix_count++];
    const char *text = json_string_value(json_array_get(list, i));
    long long rows, cols, depth;
    if (!text ||
        sscanf(text, "%lldx%lldx%lld %7s %7s", &rows, &cols, &depth, matrix->input, matrix->sum) !=
            5 ||
        rows < 1 || cols < 1 || depth < 1)
      return wrong_member(name, "matrices, \"16x16x16 f16 f32\"");
    matrix->rows = rows;
    matrix->cols = cols;
    matrix->depth = depth;
  }
  return TUNE_OK;
}

bool tune_device_is_vulkan(const tune_device *device) { return device->arch == 0; }

tune_status tune_device_read(const json_t *fingerprint, tune_device *out_device) {
  if (!json_is_object(fingerprint))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the device's fingerprint is no JSON object");
  const char *target = json_string_value(json_object_get(fingerprint, "target"));
  bool is_cuda = target && strcmp(target, "cuda") == 0;
  tune_device device = is_cuda ? tune_device_least_cuda() : tune_device_least();
  if (is_cuda)
    TUNE_RETURN_IF_ERROR(read_arch(fingerprint, &device.arch));
  const json_t *api = is_cuda ? NULL : json_object_get(fingerprint, "api");
  if (api && (!json_is_string(api) ||
              sscanf(json_string_value(api), "%d.%d", &device.api_major, &device.api_minor) != 2))
    return wrong_member("api", "a version, \"1.3.230\"");
  TUNE_RETURN_IF_ERROR(read_number(fingerprint, "group_invocations", &device.group_invocations));
  TUNE_RETURN_IF_ERROR(read_numbers(fingerprint, "group_size", device.group_size));
  TUNE_RETURN_IF_ERROR(read_numbers(fingerprint, "group_count", device.group_count));
  TUNE_RETURN_IF_ERROR(read_number(fingerprint, "shared_bytes", &device.shared_bytes));
  const char *type = json_string_value(json_object_get(fingerprint, "device_type"));
  device.is_software = type && strcmp(type, "cpu") == 0;
  TUNE_RETURN_IF_ERROR(read_number(fingerprint, "multiprocessors", &device.multiprocessors));
  TUNE_RETURN_IF_ERROR(
      read_number(fingerprint, "storage_buffer_bytes", &device.storage_buffer_bytes));
  TUNE_RETURN_IF_ERROR(
      read_number(fingerprint, "texel_buffer_elements", &device.texel_buffer_elements));
  TUNE_RETURN_IF_ERROR(read_number(fingerprint, "shared_bytes_most", &device.shared_bytes_most));
  TUNE_RETURN_IF_ERROR(read_number(fingerprint, "group_registers", &device.group_registers));
  TUNE_RETURN_IF_ERROR(read_number(fingerprint, "subgroup_size", &device.subgroup_size));
  TUNE_RETURN_IF_ERROR(read_number(fingerprint, "loop_limit", &device.loop_limit));
  TUNE_RETURN_IF_ERROR(read_words(fingerprint, "features", &device));
  TUNE_RETURN_IF_ERROR(read_words(fingerprint, "subgroup_operations", &device));
  TUNE_RETURN_IF_ERROR(read_matrices(fingerprint, &device));
  *out_device = device;
  return TUNE_OK;
}

const tune_device_matrix *tune_device_find_matrix(const tune_device *device, const char *input,
                                                  const char *sum, int64_t rows, int64_t cols,
                                                  int64_t depth) {
  const tune_device_matrix *best = NULL;
  for (size_t i = 0; i < device->matrix_count; ++i) {
    const tune_device_matrix *one = &device->matrices[i];
    bool is_known = strcmp(one->input, input) == 0 && strcmp(one->sum, sum) == 0 &&
                    one->cols % 4 == 0 && device->subgroup_size > 0 &&
                    one->rows * one->cols % (4 * device->subgroup_size) == 0;
    bool divides = rows % one->rows == 0 && cols % one->cols == 0 && depth % one->depth == 0;
    if (is_known && divides &&
        (!best || one->rows * one->cols * one->depth > best->rows * best->cols * best->depth))
      best = one;
  }
  return best;
}
