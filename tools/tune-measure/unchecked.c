//===- unchecked.c - What of a reference is no number ------------------------===//

#include "tools/tune-measure/unchecked.h"

#include "support/string_builder.h"

#include <math.h>
#include <stdlib.h>

// Infinities that a body chooses are as right as numbers, unless there is nothing else.
static size_t count_unchecked(const task *t, const tune_buffer *output, size_t *out_nan_count) {
  tune_element_type element = output->type.element;
  size_t size = tune_element_type_size(element), count = output->size / size, infinite = 0;
  *out_nan_count = 0;
  for (size_t at = 0; tune_element_type_is_float(element) && at < output->size; at += size) {
    double value = tune_element_load(element, (const char *)output->data + at);
    *out_nan_count += isnan(value);
    infinite += isinf(value) != 0; // -1 for -inf
  }
  return t->signature.has_infinities && infinite < count ? *out_nan_count
                                                         : *out_nan_count + infinite;
}

// Of the result of which the most is no number.
static tune_status note_result(task *t) {
  free(t->unchecked);
  t->unchecked = NULL;
  t->unchecked_share = 0;
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i) {
    const tune_buffer *output = &t->dense.outputs[i];
    size_t nan_count, count = output->size / tune_element_type_size(output->type.element);
    size_t unchecked = count_unchecked(t, output, &nan_count);
    double share = count ? (double)unchecked / (double)count : 0;
    if (share <= t->unchecked_share)
      continue;
    char name[32];
    tune_signature_output_name(&t->signature, i, name);
    free(t->unchecked);
    t->unchecked_share = share;
    tune_string_builder text;
    tune_string_builder_init(&text);
    tune_string_builder_appendf(
        &text, "of the %zu elements of %s %zu are %s in the reference, for any inputs of the check",
        count, name, unchecked,
        nan_count == unchecked ? "NaN"
        : nan_count            ? "infinite or NaN"
                               : "infinite");
    TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&text, &t->unchecked));
  }
  return TUNE_OK;
}

static void count_nan(task *t) {
  size_t count = 0, nan_count = 0;
  for (size_t i = 0; i < tune_signature_output_count(&t->signature); ++i) {
    tune_element_type element = t->dense.outputs[i].type.element;
    size_t size = tune_element_type_size(element);
    if (!tune_element_type_is_float(element))
      continue;
    for (size_t at = 0; at < t->dense.outputs[i].size; at += size)
      nan_count += isnan(tune_element_load(element, (char *)t->dense.outputs[i].data + at));
    count += t->dense.outputs[i].size / size;
  }
  t->nan_share = count ? (double)nan_count / (double)count : 0;
}

tune_status unchecked_note(task *t) {
  count_nan(t);
  return note_result(t);
}
