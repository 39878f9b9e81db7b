//===- expected.c - Outputs as somebody else computed them -------------------===//

#include "tools/tune-run/expected.h"

#include "support/string_builder.h"
#include "targets/npy.h"
#include "targets/output_check.h"
#include "tuning/arrays/array_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expected_outputs {
  const char *path; // borrowed
  char *folder;
  tune_signature signature;
  tune_array_file arrays;
  char **made;        // paths of ours, NULL where the user named one
  const char **paths; // what is compared
  tune_tolerance tolerance;
  bool is_compared;
  char *error; // why they are not equal
};

static tune_status check_count(const expected_outputs *e, const char *path) {
  size_t count = tune_signature_output_count(&e->signature);
  if (e->arrays.count == count)
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "%s has %zu arrays where the module has %zu outputs", path,
                          e->arrays.count, count);
}

// Reads array `index`, and calls it what the user does.
static tune_status read_expected(const expected_outputs *e, size_t index, tune_buffer *out_array) {
  char label[512];
  snprintf(label, sizeof label, "'%s' of %s, which is expected", e->arrays.items[index].name,
           e->path);
  return tune_npy_read_named(e->arrays.items[index].path, label,
                             tune_signature_output(&e->signature, index), out_array);
}

// Ahead of builds and runs, after which it would be late to say so.
static tune_status check_types(const expected_outputs *e) {
  for (size_t i = 0; i < e->arrays.count; ++i) {
    tune_buffer array;
    TUNE_RETURN_IF_ERROR(read_expected(e, i, &array));
    tune_buffer_deinit(&array);
  }
  return TUNE_OK;
}

static tune_status take_check(const tune_check_wanted *check, tune_tolerance *out) {
  out->reduction = check->reduction;
  TUNE_RETURN_IF_ERROR(tune_tolerance_take_factors(out, check->operands));
  out->has_accumulator = check->accumulator != NULL;
  return check->accumulator ? tune_element_type_parse(check->accumulator, &out->accumulator)
                            : TUNE_OK;
}

tune_status expected_create(const char *path, const char *folder, const json_t *signature,
                            const tune_check_wanted *check, expected_outputs **out_expected) {
  *out_expected = NULL;
  expected_outputs *e = calloc(1, sizeof *e);
  if (!e)
    return tune_status_out_of_memory("reading what is expected");
  tune_status status = tune_signature_from_json(signature, &e->signature);
  if (tune_status_is_ok(status)) {
    size_t count = tune_signature_output_count(&e->signature);
    e->tolerance.has_sums = e->signature.has_sum_type;
    e->tolerance.sums = e->signature.sum_type;
    e->folder = strdup(folder);
    e->path = path;
    e->made = calloc(count + 1, sizeof *e->made);
    e->paths = calloc(count + 1, sizeof *e->paths);
    if (!e->folder || !e->made || !e->paths)
      status = tune_status_out_of_memory("reading what is expected");
  }
  if (tune_status_is_ok(status))
    status = tune_array_file_unpack(path, folder, "expected-", &e->arrays);
  if (tune_status_is_ok(status))
    status = check_count(e, path);
  if (tune_status_is_ok(status))
    status = check_types(e);
  if (tune_status_is_ok(status))
    status = take_check(check, &e->tolerance);
  if (!tune_status_is_ok(status)) {
    expected_destroy(e);
    return status;
  }
  *out_expected = e;
  return TUNE_OK;
}

void expected_destroy(expected_outputs *e) {
  if (!e)
    return;
  for (size_t i = 0; e->made && i < e->arrays.count; ++i)
    free(e->made[i]);
  free(e->made);
  free(e->paths);
  free(e->folder);
  free(e->error);
  tune_array_file_deinit(&e->arrays);
  tune_signature_deinit(&e->signature);
  free(e);
}

tune_status expected_add_paths(expected_outputs *e, tune_text_list *outputs) {
  const char **items = realloc(outputs->items, (e->arrays.count + 1) * sizeof *items);
  if (!items)
    return tune_status_out_of_memory("naming outputs");
  outputs->items = items;
  for (; outputs->count < e->arrays.count; ++outputs->count)
    items[outputs->count] = NULL;
  for (size_t i = 0; i < e->arrays.count; ++i) {
    if (!items[i] && !e->made[i]) {
      tune_string_builder text;
      tune_string_builder_init(&text);
      tune_string_builder_appendf(&text, "%s/output-%zu.npy", e->folder, i);
      TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&text, &e->made[i]));
    }
    if (!items[i])
      items[i] = e->made[i];
    e->paths[i] = items[i];
  }
  return TUNE_OK;
}

// R of the check that was, so that what amplifies roundings may do so here, too.
static double spread_of(const tune_run_reply *run, const tune_tolerance *tolerance,
                        tune_element_type element) {
  const tune_measure_reply_list *results = &run->compared.results;
  const json_t *check = results->count ? results->items[0].check : NULL;
  const char *inputs = json_string_value(json_object_get(check, "inputs"));
  bool is_of_these = inputs && strcmp(inputs, "dense") == 0;
  double magnitude = json_number_value(json_object_get(check, "magnitude"));
  return is_of_these && tune_element_type_is_float(element)
             ? magnitude * tune_tolerance_roundoff(tolerance, element)
             : 0;
}

static tune_status compare_one(expected_outputs *e, size_t index, const tune_buffer *value,
                               const tune_buffer *expected, const tune_run_reply *run) {
  tune_tolerance tolerance = e->tolerance;
  tolerance.spread = spread_of(run, &tolerance, expected->type.element);
  tune_output_check check = tune_output_check_run(value, expected, tolerance);
  if (check.is_equal || e->error)
    return TUNE_OK;
  char name[32], *why;
  tune_signature_output_name(&e->signature, index, name);
  TUNE_RETURN_IF_ERROR(tune_output_check_to_text(&check, value, expected, &why));
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "%s, beside '%s': %s", name, e->arrays.items[index].name, why);
  free(why);
  return tune_string_builder_finish(&text, &e->error);
}

tune_status expected_compare(expected_outputs *e, const tune_run_reply *run) {
  for (size_t i = 0; i < e->arrays.count; ++i) {
    const tune_value_type *type = tune_signature_output(&e->signature, i);
    tune_buffer value, expected;
    TUNE_RETURN_IF_ERROR(tune_npy_read(e->paths[i], type, &value));
    tune_status status = read_expected(e, i, &expected);
    if (tune_status_is_ok(status)) {
      status = compare_one(e, i, &value, &expected, run);
      tune_buffer_deinit(&expected);
    }
    tune_buffer_deinit(&value);
    TUNE_RETURN_IF_ERROR(status);
  }
  e->is_compared = true;
  return TUNE_OK;
}

bool expected_is_equal(const expected_outputs *e) { return e->is_compared && !e->error; }

const char *expected_error(const expected_outputs *e) {
  return e->error ? e->error : e->is_compared ? NULL : "nothing was computed to compare with it";
}
