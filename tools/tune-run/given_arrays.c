//===- given_arrays.c ---------------------------------------------------------===//

#include "tools/tune-run/given_arrays.h"

#include "formats/signature.h"
#include "support/json.h"
#include "targets/npy.h"
#include "tools/tune-run/argument_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_ARGUMENT SIZE_MAX

tune_status given_arrays_unpack(const run_settings *settings, const char *folder,
                                given_arrays *out_arrays) {
  *out_arrays = (given_arrays){.paths = NULL};
  const char *path = settings->input_file;
  return path ? tune_array_file_unpack(path, folder, "input-", &out_arrays->file) : TUNE_OK;
}

void given_arrays_deinit(given_arrays *a) {
  argument_names_destroy(a->names, a->count);
  free(a->paths);
  free(a->types);
  tune_array_file_deinit(&a->file);
  *a = (given_arrays){.paths = NULL};
}

//===- Which array is which argument's ------------------------------------------===//

static size_t find_argument(const given_arrays *a, const char *name) {
  for (size_t i = 0; a->names && i < a->count; ++i)
    if (strcmp(a->names[i], name) == 0)
      return i;
  return NO_ARGUMENT;
}

// The names of some arrays are arguments' and those of others are not: by their order some would be
// another argument's than their name says.
static tune_status check_order(const given_arrays *a, const char *path) {
  const tune_array_file *file = &a->file;
  for (size_t i = 0; i < file->count; ++i) {
    size_t argument = find_argument(a, file->items[i].name);
    if (argument == NO_ARGUMENT || argument == i)
      continue;
    size_t stranger = 0;
    while (find_argument(a, file->items[stranger].name) != NO_ARGUMENT)
      ++stranger;
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s: '%s' has the name of argument %zu and is array %zu, and no "
                            "argument is named '%s'; name all arrays as arguments are, or none",
                            path, file->items[i].name, argument, i, file->items[stranger].name);
  }
  return TUNE_OK;
}

static tune_status match_file(given_arrays *a, const char *path) {
  const tune_array_file *file = &a->file;
  size_t named = 0;
  for (size_t i = 0; i < file->count; ++i)
    named += find_argument(a, file->items[i].name) != NO_ARGUMENT;
  if (named < file->count)
    TUNE_RETURN_IF_ERROR(check_order(a, path));
  for (size_t i = 0; i < file->count; ++i)
    a->paths[named < file->count ? i : find_argument(a, file->items[i].name)] = file->items[i].path;
  return TUNE_OK;
}

static void match_list(given_arrays *a, const tune_option_list *list) {
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->values[i], "-") != 0)
      a->paths[i] = list->values[i];
}

static tune_status match(given_arrays *a, const run_settings *settings) {
  size_t given = settings->input_file ? a->file.count : settings->inputs.count;
  if (given > a->count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%zu inputs where there %s %zu argument%s",
                            given, a->count == 1 ? "is" : "are", a->count,
                            a->count == 1 ? "" : "s");
  a->has_any = given > 0;
  if (settings->input_file)
    return match_file(a, settings->input_file);
  match_list(a, &settings->inputs);
  return TUNE_OK;
}

//===- Whether they fit -----------------------------------------------------------===//

// "'x' of in.npz", or a path. Into `text`.
#define LABEL GIVEN_ARRAYS_NAME
static void name_array(const given_arrays *a, const run_settings *settings, size_t argument,
                       char text[LABEL]) {
  snprintf(text, LABEL, "%s", a->paths[argument]);
  for (size_t i = 0; i < a->file.count; ++i)
    if (a->file.items[i].path == a->paths[argument])
      snprintf(text, LABEL, "'%s' of %s", a->file.items[i].name, settings->input_file);
}

void given_arrays_name_argument(const given_arrays *a, size_t argument, char text[LABEL]) {
  if (a->names && argument < a->count)
    snprintf(text, LABEL, "argument %zu (%%%s)", argument, a->names[argument]);
  else
    snprintf(text, LABEL, "argument %zu", argument);
}

static tune_status read_types(given_arrays *a, const run_settings *settings,
                              const tune_signature *signature) {
  for (size_t i = 0; i < a->count; ++i) {
    a->types[i] = signature->arguments[i];
    if (!a->paths[i])
      continue;
    char label[LABEL];
    name_array(a, settings, i, label);
    tune_buffer array;
    TUNE_RETURN_IF_ERROR(tune_status_annotate(
        tune_npy_read_named(a->paths[i], label, &signature->arguments[i], &array), "input %zu", i));
    a->types[i] = array.type;
    tune_buffer_deinit(&array);
  }
  return TUNE_OK;
}

// What is left out by "-" is meant.
static bool is_missing(const given_arrays *a, const run_settings *settings, size_t argument) {
  return !a->paths[argument] && (settings->input_file || argument >= settings->inputs.count);
}

// Outputs for random values are no framework's.
static tune_status check_none_missing(const given_arrays *a, const run_settings *settings) {
  for (size_t i = 0; settings->expected && !settings->has_seed && i < a->count; ++i) {
    if (a->paths[i])
      continue;
    char name[LABEL], type[TUNE_VALUE_TYPE_TEXT];
    given_arrays_name_argument(a, i, name);
    tune_value_type_to_text(&a->types[i], type);
    bool is_scalar = a->types[i].is_scalar;
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "--expect=%s says nothing of random inputs, and no array is given for "
                            "%s, a %s%s%s; give all by --inputs or "
                            "--input, or a --seed where random ones are meant",
                            settings->expected, name, is_scalar ? "" : "tensor<", type,
                            is_scalar ? "" : ">");
  }
  return TUNE_OK;
}

tune_status given_arrays_match(given_arrays *a, const run_settings *settings, const char *text,
                               size_t size, const char *function, const json_t *signature) {
  tune_signature of;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(signature, &of));
  a->count = of.argument_count;
  a->paths = calloc(a->count + 1, sizeof *a->paths);
  a->types = calloc(a->count + 1, sizeof *a->types);
  tune_status status =
      a->paths && a->types ? TUNE_OK : tune_status_out_of_memory("matching arrays with arguments");
  if (tune_status_is_ok(status))
    status = argument_names_find(text, size, function, a->count, &a->names);
  if (tune_status_is_ok(status))
    status = match(a, settings);
  if (tune_status_is_ok(status))
    status = read_types(a, settings, &of);
  if (tune_status_is_ok(status))
    status = check_none_missing(a, settings);
  tune_signature_deinit(&of);
  return status;
}

//===- Sizes ----------------------------------------------------------------------===//

// "dimension 1 of argument 0 (%x), which no array is given for". Into `text`.
static void name_dimension(const given_arrays *a, int64_t argument, int64_t dimension,
                           char text[2 * LABEL]) {
  char name[LABEL];
  given_arrays_name_argument(a, (size_t)argument, name);
  bool is_left_out = a->has_any && (size_t)argument < a->count && !a->paths[argument];
  snprintf(text, 2 * LABEL, "dimension %lld of %s%s", (long long)dimension, name,
           is_left_out ? ", for which no array is given," : "");
}

static bool is_dimension(const tune_signature *s, int64_t argument, int64_t dimension) {
  return argument < (int64_t)s->argument_count && dimension < (int64_t)s->arguments[argument].rank;
}

static tune_status check_pair(const given_arrays *a, const tune_signature *s,
                              const tune_equal_size *e) {
  if (!is_dimension(s, e->argument, e->dimension) ||
      (e->other >= 0 && !is_dimension(s, e->other, e->size)))
    return tune_status_make(TUNE_DATA_LOSS, "tune-worker tells of sizes that there are not");
  int64_t size = s->arguments[e->argument].shape[e->dimension];
  int64_t other = e->other < 0 ? e->size : s->arguments[e->other].shape[e->size];
  if (size == other)
    return TUNE_OK;
  char one[2 * LABEL], two[2 * LABEL];
  const char *where = strcmp(e->where, "<unknown>") == 0 ? "" : e->where;
  const char *colon = *where ? ": error: " : "";
  name_dimension(a, e->argument, e->dimension, one);
  if (e->other < 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s%s%s has to be %lld for %s, and is %lld; --inputs, --input or "
                            "--dynamic say what it is",
                            where, colon, one, (long long)other, e->op, (long long)size);
  name_dimension(a, e->other, e->size, two);
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "%s%s%s and %s have to be equal for %s, and are %lld and %lld; "
                          "--inputs, --input or --dynamic say what they are",
                          where, colon, one, two, e->op, (long long)size, (long long)other);
}

tune_status given_arrays_check_sizes(const given_arrays *arrays, const json_t *signature,
                                     const tune_shape *sizes, const tune_equal_size_list *equal) {
  tune_signature s;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(signature, &s));
  size_t next = 0;
  for (size_t i = 0; i < s.argument_count; ++i)
    for (size_t d = 0; d < s.arguments[i].rank; ++d)
      if (s.arguments[i].shape[d] == TUNE_DYNAMIC && next < sizes->count)
        s.arguments[i].shape[d] = sizes->items[next++];
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < equal->count && tune_status_is_ok(status); ++i)
    status = check_pair(arrays, &s, &equal->items[i]);
  tune_signature_deinit(&s);
  return status;
}

//===- What is not given ----------------------------------------------------------===//

// "arr_0", "arg1": the number says which one it is.
static bool is_numbered(const char *name) {
  size_t length = strlen(name);
  return length && name[length - 1] >= '0' && name[length - 1] <= '9';
}

// What tune-opt writes has %arg0, %arg1, ... for the names that arguments had.
static void tell_order(const given_arrays *a, const run_settings *settings, json_t *notes) {
  const tune_array_file *file = &a->file;
  for (size_t i = 0; i < file->count; ++i)
    if (is_numbered(file->items[i].name) || find_argument(a, file->items[i].name) != NO_ARGUMENT)
      return;
  if (file->count > 1)
    tune_json_append_text(notes,
                          "no argument is named '%s' or '%s', as arrays of %s are: they are taken "
                          "in their order, the first for %%%s",
                          file->items[0].name, file->items[1].name, settings->input_file,
                          a->names ? a->names[0] : "arg0");
}

void given_arrays_tell(const given_arrays *a, const run_settings *settings, json_t *notes) {
  tell_order(a, settings, notes);
  for (size_t i = 0; a->has_any && i < a->count; ++i) {
    char name[LABEL];
    given_arrays_name_argument(a, i, name);
    if (is_missing(a, settings, i))
      tune_json_append_text(notes, "no array is given for %s: it is random, by the seed", name);
  }
}
