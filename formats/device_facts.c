//===- device_facts.c - Facts of a device that code for it rests on ----------===//

#include "formats/device_facts.h"

#include "formats/fingerprint.h"

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

//===- Reading ----------------------------------------------------------------===//

// A word in a list of the fingerprint, and the fact that it tells.
typedef struct word_row {
  const char *word;
  size_t offset;
} word_row;

static const word_row FEATURES[] = {
    {"float16", offsetof(tune_device, has_float16)},
    {"bfloat16", offsetof(tune_device, has_bfloat16)},
    {"cooperative_matrix", offsetof(tune_device, has_cooperative_matrix)},
    {"memory_model", offsetof(tune_device, has_memory_model)},
    {"integer_dot_product", offsetof(tune_device, has_int8_dot)},
    {"packed_dot_mixed", offsetof(tune_device, is_mixed_dot_fast)},
    {"packed_dot_signed", offsetof(tune_device, is_signed_dot_fast)},
    {"packed_dot_unsigned", offsetof(tune_device, is_unsigned_dot_fast)},
    {"float64", offsetof(tune_device, has_float64)},
    {"int8", offsetof(tune_device, has_int8)},
    {"int16", offsetof(tune_device, has_int16)},
    {"int64", offsetof(tune_device, has_int64)},
    {"storage8", offsetof(tune_device, has_storage8)},
    {"storage16", offsetof(tune_device, has_storage16)},
};

static const word_row SUBGROUP_OPERATIONS[] = {
    {"vote", offsetof(tune_device, has_subgroup_vote)},
    {"arithmetic", offsetof(tune_device, has_subgroup_arithmetic)},
    {"ballot", offsetof(tune_device, has_subgroup_ballot)},
    {"shuffle", offsetof(tune_device, has_subgroup_shuffle)},
    {"shuffle_relative", offsetof(tune_device, has_subgroup_shuffle_relative)},
    {"clustered", offsetof(tune_device, has_subgroup_clustered)},
    {"quad", offsetof(tune_device, has_subgroup_quad)},
};

static tune_status unknown_text(const char *text, const char *expected) {
  return tune_status_make(TUNE_INVALID_ARGUMENT, "'%s' is not %s", text, expected);
}

// What `list` has and what it has not; what is known before where there is none.
static void take_words(const tune_text_list *list, const word_row *rows, size_t count,
                       tune_device *device) {
  for (size_t row = 0; row < count && list->items; ++row) {
    bool *has = (bool *)((char *)device + rows[row].offset);
    *has = false;
    for (size_t i = 0; i < list->count; ++i)
      *has |= strcmp(list->items[i], rows[row].word) == 0;
  }
}

static void take_number(int64_t said, int64_t *number) {
  if (said >= 0)
    *number = said;
}

static void take_numbers(const int64_t said[3], int64_t *numbers) {
  if (said[0])
    memcpy(numbers, said, 3 * sizeof *numbers);
}

// What is known of devices of one target is 0 of those of the other ones, and stays that.
static void take_numbers_of_target(const tune_gpu *gpu, bool is_cuda, tune_device *device) {
  if (is_cuda) {
    take_number(gpu->multiprocessors, &device->multiprocessors);
    take_number(gpu->shared_bytes_most, &device->shared_bytes_most);
    take_number(gpu->group_registers, &device->group_registers);
  } else {
    take_number(gpu->texel_buffer_elements, &device->texel_buffer_elements);
    take_number(gpu->loop_limit, &device->loop_limit);
  }
}

static tune_status take_version(const tune_gpu *gpu, bool is_cuda, tune_device *device) {
  if (is_cuda && gpu->arch && sscanf(gpu->arch, "sm_%d", &device->arch) != 1)
    return unknown_text(gpu->arch, "a compute capability, \"sm_90\"");
  if (!is_cuda && gpu->api &&
      sscanf(gpu->api, "%d.%d", &device->api_major, &device->api_minor) != 2)
    return unknown_text(gpu->api, "a version, \"1.3.230\"");
  return TUNE_OK;
}

// "16x16x16 f16 f32": rows, columns and depth, what is multiplied, and the sum.
static tune_status take_matrices(const tune_text_list *list, tune_device *device) {
  for (size_t i = 0; i < list->count && device->matrix_count < TUNE_DEVICE_MATRICES; ++i) {
    tune_device_matrix *matrix = &device->matrices[device->matrix_count++];
    long long rows, cols, depth;
    if (sscanf(list->items[i], "%lldx%lldx%lld %7s %7s", &rows, &cols, &depth, matrix->input,
               matrix->sum) != 5 ||
        rows < 1 || cols < 1 || depth < 1)
      return unknown_text(list->items[i], "a cooperative matrix, \"16x16x16 f16 f32\"");
    matrix->rows = rows;
    matrix->cols = cols;
    matrix->depth = depth;
  }
  return TUNE_OK;
}

bool tune_device_is_vulkan(const tune_device *device) { return device->arch == 0; }

static tune_status take_facts(const tune_fingerprint *fingerprint, tune_device *device) {
  const tune_gpu *gpu = &fingerprint->gpu;
  bool is_cuda = fingerprint->target && strcmp(fingerprint->target, "cuda") == 0;
  *device = is_cuda ? tune_device_least_cuda() : tune_device_least();
  TUNE_RETURN_IF_ERROR(take_version(gpu, is_cuda, device));
  take_number(gpu->group_invocations, &device->group_invocations);
  take_numbers(gpu->group_size, device->group_size);
  take_numbers(gpu->group_count, device->group_count);
  take_number(gpu->shared_bytes, &device->shared_bytes);
  device->is_software = gpu->device_type && strcmp(gpu->device_type, "cpu") == 0;
  take_number(gpu->storage_buffer_bytes, &device->storage_buffer_bytes);
  take_number(gpu->subgroup_size, &device->subgroup_size);
  take_numbers_of_target(gpu, is_cuda, device);
  take_words(&fingerprint->features, FEATURES, sizeof FEATURES / sizeof *FEATURES, device);
  take_words(&gpu->subgroup_operations, SUBGROUP_OPERATIONS,
             sizeof SUBGROUP_OPERATIONS / sizeof *SUBGROUP_OPERATIONS, device);
  return take_matrices(&gpu->cooperative_matrices, device);
}

tune_status tune_device_read(const json_t *fingerprint, tune_device *out_device) {
  if (!json_is_object(fingerprint))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the device's fingerprint is no JSON object");
  tune_fingerprint read;
  tune_device device;
  tune_status status = tune_fingerprint_from_json(fingerprint, &read);
  if (tune_status_is_ok(status)) {
    status = take_facts(&read, &device);
    tune_fingerprint_deinit(&read);
  }
  if (!tune_status_is_ok(status))
    return tune_status_annotate(status, "the device's fingerprint");
  *out_device = device;
  return TUNE_OK;
}

//===- Asking -----------------------------------------------------------------===//

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
