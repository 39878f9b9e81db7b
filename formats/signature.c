//===- signature.c - The signature of an artifact's entry --------------------===//

#include "formats/signature.h"

#include "formats/members.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More bytes than any tensor here has: keeps products of sizes from overflowing.
#define LARGEST_TENSOR ((int64_t)1 << 46)

//===- The format -------------------------------------------------------------===//

// A value and a signature as their JSON has them.
typedef struct value_form {
  const char *kind, *type;
  tune_shape shape;
  const char *access; // of arguments that are tensors
  bool constant;
  tune_number_list range; // of arguments: the lowest value to make, and the highest; or none
  bool whole, flag, divisor;
  tune_shape measured; // of arguments that are tensors: the shape to make; or none
  bool has_shape;
} value_form;

typedef struct value_forms {
  value_form *items;
  size_t count;
} value_forms;

typedef struct signature_form {
  const char *entry, *sums;
  value_forms arguments, results;
  bool partial, selects, special, sums_arguments, steps, infinities, zeros;
  int64_t exact;
} signature_form;

static const tune_member value_members[] = {
    {TUNE_MEMBER(value_form, kind), .is_needed = true},
    {TUNE_MEMBER(value_form, type), .is_needed = true},
    {TUNE_OPTIONAL(value_form, shape, has_shape), .least = -0x1p63},
    {TUNE_MEMBER(value_form, access)},
    {TUNE_MEMBER(value_form, constant)},
    {TUNE_MEMBER(value_form, range), .least = -DBL_MAX},
    {TUNE_MEMBER(value_form, whole)},
    {TUNE_MEMBER(value_form, flag)},
    {TUNE_MEMBER(value_form, divisor)},
    {TUNE_MEMBER(value_form, measured)},
};

static const tune_member signature_members[] = {
    {TUNE_MEMBER(signature_form, entry), .is_needed = true},
    {TUNE_STRUCTS(signature_form, arguments, value_members), .is_needed = true},
    {TUNE_STRUCTS(signature_form, results, value_members), .is_needed = true},
    {TUNE_MEMBER(signature_form, partial)},
    {TUNE_MEMBER(signature_form, selects)},
    {TUNE_MEMBER(signature_form, special)},
    {TUNE_MEMBER(signature_form, sums_arguments)},
    {TUNE_MEMBER(signature_form, steps)},
    {TUNE_MEMBER(signature_form, infinities)},
    {TUNE_MEMBER(signature_form, zeros)},
    {TUNE_MEMBER(signature_form, sums)},
    {TUNE_MEMBER(signature_form, exact), .least = 1},
};
#define SIGNATURE_MEMBERS (sizeof signature_members / sizeof *signature_members)

static const char TENSOR[] = "tensor", SCALAR[] = "scalar", READ[] = "read",
                  READWRITE[] = "readwrite";

//===- Writing ----------------------------------------------------------------===//

// The shape and the range are borrowed.
static value_form form_of(tune_value_type *type, bool is_argument) {
  value_form form = {.kind = type->is_scalar ? SCALAR : TENSOR,
                     .type = tune_element_type_name(type->element)};
  if (is_argument && type->has_range) {
    form.range = (tune_number_list){type->range, 2};
    form.whole = type->is_whole;
    form.flag = type->is_flag;
    form.divisor = type->is_divisor;
  }
  if (type->is_scalar)
    return form;
  form.has_shape = true;
  form.shape = (tune_shape){type->shape, type->rank};
  if (is_argument) {
    form.access = type->is_readwrite ? READWRITE : READ;
    form.constant = type->is_constant;
    if (type->has_measured)
      form.measured = (tune_shape){type->measured, type->rank};
  }
  return form;
}

tune_status tune_signature_to_json(const tune_signature *signature, json_t **out_object) {
  *out_object = NULL;
  size_t arguments = signature->argument_count, results = signature->result_count;
  value_form *forms = calloc(arguments + results + 1, sizeof *forms);
  if (!forms)
    return tune_status_out_of_memory("writing a signature");
  for (size_t i = 0; i < arguments; ++i)
    forms[i] = form_of(&signature->arguments[i], true);
  for (size_t i = 0; i < results; ++i)
    forms[arguments + i] = form_of(&signature->results[i], false);
  signature_form form = {
      .entry = signature->entry,
      .arguments = {forms, arguments},
      .results = {forms + arguments, results},
      .partial = signature->is_partial,
      .selects = signature->selects,
      .special = signature->takes_special,
      .sums_arguments = signature->sums_arguments,
      .steps = signature->keeps_steps,
      .infinities = signature->has_infinities,
      .zeros = signature->keeps_zeros,
      .sums = signature->has_sum_type ? tune_element_type_name(signature->sum_type) : NULL,
      .exact = signature->exact_limit};
  tune_status status =
      tune_members_to_json(signature_members, SIGNATURE_MEMBERS, &form, out_object);
  free(forms);
  return status;
}

//===- Reading ----------------------------------------------------------------===//

static tune_status read_shape(const value_form *form, tune_value_type *out_type) {
  if (!form->has_shape)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a tensor needs a \"shape\"");
  if (form->shape.count > TUNE_RANK_LIMIT)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "rank %zu is above %d", form->shape.count,
                            TUNE_RANK_LIMIT);
  out_type->rank = form->shape.count;
  int64_t bytes = (int64_t)tune_element_type_size(out_type->element);
  for (size_t i = 0; i < out_type->rank; ++i) {
    int64_t value = form->shape.items[i];
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

static tune_status read_measured(const value_form *form, tune_value_type *out_type) {
  const tune_shape *measured = &form->measured;
  if (measured->count == 0)
    return TUNE_OK;
  if (!tune_value_type_allows(out_type, measured->count, measured->items))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"measured\" is a shape that \"shape\" allows");
  memcpy(out_type->measured, measured->items, measured->count * sizeof *measured->items);
  out_type->has_measured = true;
  return TUNE_OK;
}

static tune_status read_range(const value_form *form, tune_value_type *out_type) {
  const tune_number_list *range = &form->range;
  if (range->count == 0)
    return TUNE_OK;
  if (range->count != 2 || !(range->items[0] <= range->items[1]))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"range\" is an array of two numbers, the lower one first");
  memcpy(out_type->range, range->items, sizeof out_type->range);
  out_type->has_range = true;
  out_type->is_whole = form->whole;
  out_type->is_flag = form->flag;
  out_type->is_divisor = form->divisor;
  return TUNE_OK;
}

static tune_status read_type(const value_form *form, bool is_result, tune_value_type *out_type) {
  TUNE_RETURN_IF_ERROR(tune_element_type_parse(form->type, &out_type->element));
  out_type->is_scalar = strcmp(form->kind, SCALAR) == 0;
  if (!out_type->is_scalar && strcmp(form->kind, TENSOR) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"kind\" is tensor or scalar, not '%s'",
                            form->kind);
  if (is_result && out_type->is_scalar)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "results are tensors");
  if (!is_result)
    TUNE_RETURN_IF_ERROR(read_range(form, out_type));
  if (out_type->is_scalar)
    return TUNE_OK;
  if (!is_result) {
    const char *access = form->access;
    if (!access || (strcmp(access, READ) != 0 && strcmp(access, READWRITE) != 0))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "\"access\" is read or readwrite, not '%s'",
                              access ? access : "");
    out_type->is_readwrite = strcmp(access, READWRITE) == 0;
    out_type->is_constant = form->constant;
  }
  TUNE_RETURN_IF_ERROR(read_shape(form, out_type));
  return is_result ? TUNE_OK : read_measured(form, out_type);
}

static tune_status read_types(const value_forms *forms, bool is_result, tune_value_type **out_types,
                              size_t *out_count) {
  *out_types = calloc(forms->count + 1, sizeof **out_types);
  if (!*out_types)
    return tune_status_out_of_memory("reading a signature");
  *out_count = forms->count;
  for (size_t i = 0; i < forms->count; ++i)
    TUNE_RETURN_IF_ERROR(
        tune_status_annotate(read_type(&forms->items[i], is_result, &(*out_types)[i]),
                             "%s %zu of the signature", is_result ? "result" : "argument", i));
  return TUNE_OK;
}

static tune_status read_form(const signature_form *form, tune_signature *out) {
  out->entry = strdup(form->entry);
  if (!out->entry)
    return tune_status_out_of_memory("reading a signature");
  out->is_partial = form->partial;
  out->selects = form->selects;
  out->takes_special = form->special;
  out->sums_arguments = form->sums_arguments;
  out->keeps_steps = form->steps;
  out->has_infinities = form->infinities;
  out->keeps_zeros = form->zeros;
  out->has_sum_type = form->sums != NULL;
  if (form->sums)
    TUNE_RETURN_IF_ERROR(tune_element_type_parse(form->sums, &out->sum_type));
  out->exact_limit = form->exact;
  TUNE_RETURN_IF_ERROR(read_types(&form->arguments, false, &out->arguments, &out->argument_count));
  return read_types(&form->results, true, &out->results, &out->result_count);
}

tune_status tune_signature_from_json(const json_t *object, tune_signature *out_signature) {
  *out_signature = (tune_signature){0};
  signature_form form = {0};
  TUNE_RETURN_IF_ERROR(tune_status_annotate(
      tune_members_from_json(signature_members, SIGNATURE_MEMBERS, object, &form),
      "the signature"));
  tune_status status = read_form(&form, out_signature);
  tune_members_deinit(signature_members, SIGNATURE_MEMBERS, &form);
  if (!tune_status_is_ok(status))
    tune_signature_deinit(out_signature);
  return status;
}

size_t tune_signature_json_find_scalar_result(const json_t *object) {
  signature_form form = {0};
  size_t found = SIZE_MAX;
  tune_status status = tune_members_from_json(signature_members, SIGNATURE_MEMBERS, object, &form);
  for (size_t i = form.results.count; tune_status_is_ok(status) && i-- > 0;)
    if (strcmp(form.results.items[i].kind, SCALAR) == 0)
      found = i;
  if (tune_status_is_ok(status))
    tune_members_deinit(signature_members, SIGNATURE_MEMBERS, &form);
  tune_status_free(status);
  return found;
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

int64_t tune_value_type_size(const tune_value_type *type, size_t dimension, int64_t otherwise) {
  if (type->shape[dimension] != TUNE_DYNAMIC)
    return type->shape[dimension];
  if (otherwise)
    return otherwise;
  return type->has_measured ? type->measured[dimension] : TUNE_DYNAMIC_SIZE;
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
