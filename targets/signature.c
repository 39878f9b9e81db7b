//===- signature.c - The signature of an artifact's entry --------------------===//

#include "targets/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More bytes than any tensor here has: keeps products of sizes from overflowing.
#define LARGEST_TENSOR ((int64_t)1 << 46)

static tune_status read_shape(const json_t *shape, tune_value_type *out_type) {
  if (!json_is_array(shape))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"shape\" is not an array");
  if (json_array_size(shape) > TUNE_RANK_LIMIT)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "rank %zu is above %d", json_array_size(shape),
                            TUNE_RANK_LIMIT);
  out_type->rank = json_array_size(shape);
  int64_t bytes = (int64_t)tune_element_type_size(out_type->element);
  for (size_t i = 0; i < out_type->rank; ++i) {
    const json_t *size = json_array_get(shape, i);
    int64_t value = json_is_integer(size) ? json_integer_value(size) : -2;
    if (value < TUNE_DYNAMIC)
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "dimension %zu is neither a size nor -1, which is dynamic", i);
    if (value > 0 && __builtin_mul_overflow(bytes, value, &bytes))
      bytes = INT64_MAX;
    if (bytes > LARGEST_TENSOR)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "the tensor is larger than memory");
    out_type->shape[i] = value;
  }
  return TUNE_OK;
}

static tune_status read_type(const json_t *object, bool is_result, tune_value_type *out_type) {
  const char *kind = json_string_value(json_object_get(object, "kind"));
  const char *type = json_string_value(json_object_get(object, "type"));
  const char *access = json_string_value(json_object_get(object, "access"));
  if (!kind || !type)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"kind\" and \"type\" are needed");
  TUNE_RETURN_IF_ERROR(tune_element_type_parse(type, &out_type->element));
  out_type->is_scalar = strcmp(kind, "scalar") == 0;
  if (!out_type->is_scalar && strcmp(kind, "tensor") != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"kind\" is tensor or scalar, not '%s'", kind);
  if (is_result && out_type->is_scalar)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "results are tensors");
  if (out_type->is_scalar)
    return TUNE_OK;
  if (!is_result) {
    if (!access || (strcmp(access, "read") != 0 && strcmp(access, "readwrite") != 0))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "\"access\" is read or readwrite, not '%s'",
                              access ? access : "");
    out_type->is_readwrite = strcmp(access, "readwrite") == 0;
    out_type->is_constant = json_is_true(json_object_get(object, "constant"));
  }
  return read_shape(json_object_get(object, "shape"), out_type);
}

static tune_status read_types(const json_t *array, const char *what, tune_value_type **out_types,
                              size_t *out_count) {
  if (!json_is_array(array))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the signature has no array \"%ss\"", what);
  size_t count = json_array_size(array);
  *out_types = calloc(count ? count : 1, sizeof **out_types);
  if (!*out_types)
    return tune_status_out_of_memory("reading a signature");
  *out_count = count;
  for (size_t i = 0; i < count; ++i) {
    tune_status status =
        read_type(json_array_get(array, i), strcmp(what, "result") == 0, &(*out_types)[i]);
    if (!tune_status_is_ok(status))
      return tune_status_annotate(status, "%s %zu of the signature", what, i);
  }
  return TUNE_OK;
}

tune_status tune_signature_from_json(const json_t *object, tune_signature *out_signature) {
  memset(out_signature, 0, sizeof *out_signature);
  const char *entry = json_string_value(json_object_get(object, "entry"));
  if (!entry)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the signature has no \"entry\"");
  out_signature->entry = strdup(entry);
  tune_status status =
      out_signature->entry ? TUNE_OK : tune_status_out_of_memory("reading a signature");
  if (tune_status_is_ok(status))
    status = read_types(json_object_get(object, "arguments"), "argument", &out_signature->arguments,
                        &out_signature->argument_count);
  if (tune_status_is_ok(status))
    status = read_types(json_object_get(object, "results"), "result", &out_signature->results,
                        &out_signature->result_count);
  out_signature->is_partial = json_is_true(json_object_get(object, "partial"));
  out_signature->selects = json_is_true(json_object_get(object, "selects"));
  out_signature->exact_limit = json_integer_value(json_object_get(object, "exact"));
  if (!tune_status_is_ok(status))
    tune_signature_deinit(out_signature);
  return status;
}

void tune_signature_deinit(tune_signature *signature) {
  free(signature->entry);
  free(signature->arguments);
  free(signature->results);
  memset(signature, 0, sizeof *signature);
}

size_t tune_signature_output_count(const tune_signature *signature) {
  size_t count = signature->result_count;
  for (size_t i = 0; i < signature->argument_count; ++i)
    count += signature->arguments[i].is_readwrite;
  return count;
}

size_t tune_signature_output_argument(const tune_signature *signature, size_t index,
                                      size_t *out_result) {
  for (size_t i = 0; i < signature->argument_count; ++i)
    if (signature->arguments[i].is_readwrite && index-- == 0)
      return i;
  *out_result = index;
  return SIZE_MAX;
}

const tune_value_type *tune_signature_output(const tune_signature *signature, size_t index) {
  size_t result = 0;
  size_t argument = tune_signature_output_argument(signature, index, &result);
  return argument != SIZE_MAX ? &signature->arguments[argument] : &signature->results[result];
}

void tune_signature_output_name(const tune_signature *signature, size_t index, char out_name[32]) {
  size_t result = 0;
  size_t argument = tune_signature_output_argument(signature, index, &result);
  if (argument != SIZE_MAX)
    snprintf(out_name, 32, "argument %zu", argument);
  else
    snprintf(out_name, 32, "result %zu", result);
}

bool tune_value_type_is_static(const tune_value_type *type) {
  for (size_t i = 0; i < type->rank; ++i)
    if (type->shape[i] == TUNE_DYNAMIC)
      return false;
  return true;
}

size_t tune_value_type_element_count(const tune_value_type *type) {
  size_t count = 1;
  for (size_t i = 0; i < type->rank; ++i)
    count *= (size_t)type->shape[i];
  return count;
}

bool tune_value_type_allows(const tune_value_type *type, size_t rank, const int64_t *shape) {
  if (rank != type->rank)
    return false;
  for (size_t i = 0; i < rank; ++i)
    if (shape[i] < 0 || (type->shape[i] != TUNE_DYNAMIC && type->shape[i] != shape[i]))
      return false;
  return true;
}

void tune_value_type_to_text(const tune_value_type *type, char out_text[TUNE_VALUE_TYPE_TEXT]) {
  size_t length = 0;
  for (size_t i = 0; i < type->rank; ++i) {
    size_t left = TUNE_VALUE_TYPE_TEXT - length;
    if (type->shape[i] == TUNE_DYNAMIC)
      length += (size_t)snprintf(out_text + length, left, "?x");
    else
      length += (size_t)snprintf(out_text + length, left, "%" PRId64 "x", type->shape[i]);
  }
  snprintf(out_text + length, TUNE_VALUE_TYPE_TEXT - length, "%s",
           tune_element_type_name(type->element));
}
