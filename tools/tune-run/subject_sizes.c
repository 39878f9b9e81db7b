//===- subject_sizes.c --------------------------------------------------------===//

#include "tools/tune-run/subject_sizes.h"

#include "formats/signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the open sizes are that no array tells; 0: what the arguments say.
static int64_t find_other(const run_settings *settings, const given_arrays *inputs,
                          const tune_signature *signature) {
  int64_t other = settings->dynamic;
  for (size_t i = 0; i < signature->argument_count && i < inputs->count; ++i)
    for (size_t d = 0; inputs->paths[i] && d < signature->arguments[i].rank; ++d)
      if (signature->arguments[i].shape[d] == TUNE_DYNAMIC && !other)
        other = inputs->types[i].shape[d];
  return other;
}

static tune_status list(const tune_signature *open, const given_arrays *inputs, int64_t other,
                        tune_shape *out_sizes) {
  size_t count = 0;
  for (size_t i = 0; i < open->argument_count; ++i)
    count += open->arguments[i].rank;
  out_sizes->items = calloc(count + 1, sizeof *out_sizes->items);
  if (!out_sizes->items)
    return tune_status_out_of_memory("reading sizes");
  for (size_t i = 0; i < open->argument_count; ++i)
    for (size_t d = 0; d < open->arguments[i].rank; ++d) {
      bool is_given = i < inputs->count && inputs->paths[i];
      if (open->arguments[i].shape[d] == TUNE_DYNAMIC)
        out_sizes->items[out_sizes->count++] =
            is_given ? inputs->types[i].shape[d]
                     : tune_value_type_size(&open->arguments[i], d, other);
    }
  return TUNE_OK;
}

tune_status subject_sizes_find(const run_settings *settings, const given_arrays *inputs,
                               const json_t *signature, tune_shape *out_sizes) {
  *out_sizes = (tune_shape){.items = NULL};
  tune_signature open;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(signature, &open));
  tune_status status = list(&open, inputs, find_other(settings, inputs, &open), out_sizes);
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
