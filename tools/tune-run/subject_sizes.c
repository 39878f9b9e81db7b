//===- subject_sizes.c --------------------------------------------------------===//

#include "tools/tune-run/subject_sizes.h"

#include "formats/signature.h"
#include "targets/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The file of argument `index`; NULL: it is made.
static const char *input_path(const run_settings *settings, const array_file *inputs,
                              size_t index) {
  if (inputs && index < inputs->count)
    return inputs->items[index].path;
  if (index < settings->inputs.count && strcmp(settings->inputs.values[index], "-") != 0)
    return settings->inputs.values[index];
  return NULL;
}

// Reads the sizes of the arrays that there are into the types of `signature`. `*out_other` is what
// the other open sizes are.
static tune_status read_arrays(const run_settings *settings, const array_file *inputs,
                               tune_signature *signature, int64_t *out_other) {
  int64_t other = settings->dynamic;
  for (size_t i = 0; i < signature->argument_count; ++i) {
    const char *path = input_path(settings, inputs, i);
    tune_value_type *type = &signature->arguments[i];
    if (!path || tune_value_type_is_static(type))
      continue;
    tune_buffer array;
    TUNE_RETURN_IF_ERROR(tune_status_annotate(tune_npy_read(path, type, &array), "input %zu", i));
    for (size_t d = 0; d < type->rank; ++d) {
      if (type->shape[d] == TUNE_DYNAMIC && !other)
        other = array.type.shape[d];
      type->shape[d] = array.type.shape[d];
    }
    tune_buffer_deinit(&array);
  }
  *out_other = other ? other : TUNE_DYNAMIC_SIZE;
  return TUNE_OK;
}

static tune_status list(const tune_signature *open, const tune_signature *read, int64_t other,
                        tune_shape *out_sizes) {
  size_t count = 0;
  for (size_t i = 0; i < open->argument_count; ++i)
    count += open->arguments[i].rank;
  out_sizes->items = calloc(count + 1, sizeof *out_sizes->items);
  if (!out_sizes->items)
    return tune_status_out_of_memory("reading sizes");
  for (size_t i = 0; i < open->argument_count; ++i)
    for (size_t d = 0; d < open->arguments[i].rank; ++d) {
      int64_t size = read->arguments[i].shape[d];
      if (open->arguments[i].shape[d] == TUNE_DYNAMIC)
        out_sizes->items[out_sizes->count++] = size == TUNE_DYNAMIC ? other : size;
    }
  return TUNE_OK;
}

tune_status subject_sizes_find(const run_settings *settings, const array_file *inputs,
                               const json_t *signature, tune_shape *out_sizes) {
  *out_sizes = (tune_shape){.items = NULL};
  tune_signature open, read;
  int64_t other;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(signature, &open));
  tune_status status = tune_signature_from_json(signature, &read);
  if (tune_status_is_ok(status)) {
    status = read_arrays(settings, inputs, &read, &other);
    if (tune_status_is_ok(status))
      status = list(&open, &read, other, out_sizes);
    tune_signature_deinit(&read);
  }
  tune_signature_deinit(&open);
  return status;
}

static void tell(size_t index, const tune_value_type *open, const tune_value_type *fixed) {
  char before[TUNE_VALUE_TYPE_TEXT], after[TUNE_VALUE_TYPE_TEXT];
  tune_value_type_to_text(open, before);
  tune_value_type_to_text(fixed, after);
  fprintf(stderr,
          "tune-run: the code is for one size: argument %zu, a tensor<%s>, is %s; --dynamic says "
          "otherwise\n",
          index, before, after);
}

tune_status subject_sizes_tell(const json_t *signature, const json_t *fixed) {
  tune_signature open, made;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(signature, &open));
  tune_status status = tune_signature_from_json(fixed, &made);
  if (tune_status_is_ok(status)) {
    for (size_t i = 0; i < open.argument_count && i < made.argument_count; ++i)
      if (!tune_value_type_is_static(&open.arguments[i]))
        tell(i, &open.arguments[i], &made.arguments[i]);
    tune_signature_deinit(&made);
  }
  tune_signature_deinit(&open);
  return status;
}
