//===- rounding_inputs.c ------------------------------------------------------===//

#include "transforms/precision/rounding_inputs.h"

#include "targets/npy.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/scalar_results.h"

#include <stdio.h>
#include <stdlib.h>

// Scalars that the function gives are results of another kind where it is run.
static tune_status read_signature(tune_rounding_inputs *inputs, MlirOperation function) {
  MlirOperation copy = mlirOperationClone(mlirOperationGetParentOperation(function));
  MlirOperation same = tune_ir_find_symbol(copy, tune_ir_string_attribute(function, "sym_name"));
  tune_status status = tune_scalar_results_lift(copy, same);
  if (tune_status_is_ok(status))
    status = tune_function_signature_create(same, &inputs->signature);
  mlirOperationDestroy(copy);
  return status;
}

static tune_status check_one(const tune_rounding_inputs *inputs, const char *path, size_t index) {
  const tune_array_file_item *item = &inputs->arrays.items[index];
  char *label;
  tune_buffer array;
  if (asprintf(&label, "'%s' of %s", item->name, path) < 0)
    return tune_status_out_of_memory("reading arrays");
  tune_status status = tune_npy_read_named(item->path, label,
                                           &inputs->signature->interface.arguments[index], &array);
  if (tune_status_is_ok(status))
    tune_buffer_deinit(&array);
  free(label);
  return tune_status_annotate(status, "argument %zu", index);
}

static tune_status read(tune_rounding_inputs *inputs, const char *path) {
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&inputs->scratch));
  TUNE_RETURN_IF_ERROR(tune_array_file_unpack(path, tune_scratch_get_path(inputs->scratch),
                                              "input-", &inputs->arrays));
  size_t count = inputs->arrays.count;
  size_t arguments = inputs->signature->interface.argument_count;
  if (count > arguments)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s has %zu arrays, and the function has %zu argument%s", path, count,
                            arguments, arguments == 1 ? "" : "s");
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(check_one(inputs, path, i));
  return TUNE_OK;
}

tune_status tune_rounding_inputs_init(tune_rounding_inputs *inputs, MlirOperation function) {
  *inputs = (tune_rounding_inputs){.scratch = NULL};
  return read_signature(inputs, function);
}

tune_status tune_rounding_inputs_read(tune_rounding_inputs *inputs, const char *path) {
  return tune_status_annotate(read(inputs, path), "option 'inputs'");
}

void tune_rounding_inputs_deinit(tune_rounding_inputs *inputs) {
  tune_array_file_deinit(&inputs->arrays);
  tune_function_signature_destroy(inputs->signature);
  tune_scratch_destroy(inputs->scratch);
  *inputs = (tune_rounding_inputs){.scratch = NULL};
}
