//===- rounding_errors.c ------------------------------------------------------===//

#include "transforms/precision/rounding_errors.h"

#include "targets/npy.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/scalar_results.h"
#include "transforms/precision/error_module.h"
#include "transforms/search/whole_task.h"
#include "tuning/device/process_target.h"
#include "tuning/evaluators/module_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEASURING "measuring what rounding costs"

struct tune_rounding_errors {
  tune_rounding_errors_wanted wanted;
  tune_scratch *scratch;
  tune_target_facts *facts;
  size_t arguments, outputs;
  json_t *signature;   // of the module, for values as those of the function
  const char **inputs; // paths by argument; the last: of the switches
  char *module, *artifact, *switches, *sums;
  tune_module_run *run;
};

//===- The module ---------------------------------------------------------------===//

static tune_status make_path(const tune_rounding_errors *e, const char *name, char **out_path) {
  if (asprintf(out_path, "%s/%s", tune_scratch_get_path(e->scratch), name) >= 0)
    return TUNE_OK;
  *out_path = NULL;
  return tune_status_out_of_memory(MEASURING);
}

static tune_status write_copy(tune_rounding_errors *e, MlirOperation copy) {
  const tune_rounding_errors_wanted *w = &e->wanted;
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(copy, w->options->function, &function));
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  e->arguments = mlirBlockIsNull(block) ? 0 : (size_t)mlirBlockGetNumArguments(block);
  TUNE_RETURN_IF_ERROR(tune_scalar_results_lift(copy, function));
  // One set more: the first is that of none.
  TUNE_RETURN_IF_ERROR(
      tune_error_module_make(copy, function, w->sets + 1, w->switches, &e->outputs));
  return tune_whole_task_write(mlirModuleFromOperation(copy), e->scratch, "errors", &e->module);
}

static tune_status write_module(tune_rounding_errors *e) {
  const tune_rounding_errors_wanted *w = &e->wanted;
  MlirType i64 = mlirIntegerTypeGet(mlirOperationGetContext(w->module), 64);
  for (size_t i = 0; i < w->products->count; ++i)
    if (w->switch_of[i] < w->switches)
      mlirOperationSetDiscardableAttributeByName(w->products->ops[i],
                                                 tune_ir_string(TUNE_ERROR_SWITCH),
                                                 mlirIntegerAttrGet(i64, (int64_t)w->switch_of[i]));
  MlirOperation copy = mlirOperationClone(w->module);
  for (size_t i = 0; i < w->products->count; ++i)
    mlirOperationRemoveDiscardableAttributeByName(w->products->ops[i],
                                                  tune_ir_string(TUNE_ERROR_SWITCH));
  tune_status status = write_copy(e, copy);
  mlirOperationDestroy(copy);
  return status;
}

//===- Arrays -------------------------------------------------------------------===//

static tune_value_type matrix_type(tune_element_type element, size_t rows, size_t columns) {
  return (tune_value_type){
      .element = element, .rank = 2, .shape = {(int64_t)rows, (int64_t)columns}};
}

// What arguments should be shows less where their users round them.
static tune_status take_signature(tune_rounding_errors *e) {
  tune_signature signature;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(tune_module_run_signature(e->run), &signature));
  for (size_t i = 0; i < e->arguments; ++i) {
    bool is_readwrite = signature.arguments[i].is_readwrite; // of this module: none is
    signature.arguments[i] = e->wanted.inputs->signature->interface.arguments[i];
    signature.arguments[i].is_readwrite = is_readwrite;
  }
  tune_status status = tune_signature_to_json(&signature, &e->signature);
  tune_signature_deinit(&signature);
  return status;
}

static tune_status list_inputs(tune_rounding_errors *e) {
  const tune_array_file *arrays = &e->wanted.inputs->arrays;
  e->inputs = calloc(e->arguments + 1, sizeof *e->inputs);
  if (!e->inputs)
    return tune_status_out_of_memory(MEASURING);
  for (size_t i = 0; i < arrays->count; ++i)
    e->inputs[i] = arrays->items[i].path;
  e->inputs[e->arguments] = e->switches;
  return take_signature(e);
}

//===- Opening ------------------------------------------------------------------===//

static tune_status open_run(tune_rounding_errors *e) {
  const tune_rounding_errors_wanted *w = &e->wanted;
  const tune_session_options *session = &w->options->session;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_get_facts(&w->options->tasks, &e->facts));
  const tune_module_run_options options = {
      .target = tune_process_target_of(e->facts),
      .path = e->module,
      .function = TUNE_ERROR_FUNCTION,
      .artifact = e->artifact,
      .seed = session->strategy_options.seed,
      .patience = {.deadline = w->deadline, .interrupted = session->interrupted}};
  return tune_module_run_open(&options, &e->run);
}

static tune_status open_all(tune_rounding_errors *e) {
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&e->scratch));
  TUNE_RETURN_IF_ERROR(make_path(e, "errors.so", &e->artifact));
  TUNE_RETURN_IF_ERROR(make_path(e, "switches.npy", &e->switches));
  TUNE_RETURN_IF_ERROR(make_path(e, "sums.npy", &e->sums));
  TUNE_RETURN_IF_ERROR(write_module(e));
  TUNE_RETURN_IF_ERROR(open_run(e));
  return list_inputs(e);
}

tune_status tune_rounding_errors_open(const tune_rounding_errors_wanted *wanted,
                                      tune_rounding_errors **out_errors) {
  *out_errors = NULL;
  tune_rounding_errors *e = calloc(1, sizeof *e);
  if (!e)
    return tune_status_out_of_memory(MEASURING);
  e->wanted = *wanted;
  tune_status status = open_all(e);
  if (!tune_status_is_ok(status)) {
    tune_rounding_errors_close(e);
    return status;
  }
  *out_errors = e;
  return TUNE_OK;
}

void tune_rounding_errors_close(tune_rounding_errors *e) {
  if (!e)
    return;
  tune_module_run_close(e->run);
  tune_target_facts_destroy(e->facts);
  json_decref(e->signature);
  tune_scratch_destroy(e->scratch);
  free(e->inputs);
  free(e->module);
  free(e->artifact);
  free(e->switches);
  free(e->sums);
  free(e);
}

size_t tune_rounding_errors_get_outputs(const tune_rounding_errors *e) { return e->outputs; }

//===- Running ------------------------------------------------------------------===//

// Row 0 is of no product, and what the others are compared with; what no set has is as that.
static tune_status write_switches(const tune_rounding_errors *e, const unsigned char *sets,
                                  size_t count) {
  size_t switches = e->wanted.switches, columns = switches + 1;
  float *values = calloc((e->wanted.sets + 1) * columns, sizeof *values);
  if (!values)
    return tune_status_out_of_memory(MEASURING);
  values[switches] = 1;
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < switches; ++k)
      values[(i + 1) * columns + k] = sets[i * switches + k];
  const tune_buffer buffer = {.type = matrix_type(TUNE_F32, e->wanted.sets + 1, columns),
                              .data = values,
                              .size = (e->wanted.sets + 1) * columns * sizeof *values};
  tune_status status = tune_npy_write(e->switches, &buffer);
  free(values);
  return status;
}

// Nothing is known of what is off where an output is no number, or too large for its square, nor
// where all are zero.
static double error_of(const double *sums, size_t outputs) {
  double most = 0, all = 0;
  for (size_t i = 0; i < outputs; ++i) {
    double off = sums[2 * i], size = sums[2 * i + 1];
    double error = !isfinite(off) || !isfinite(size) ? INFINITY : off == 0 ? 0 : sqrt(off / size);
    most = fmax(most, error);
    all += size;
  }
  return all > 0 ? most : INFINITY;
}

static tune_status read_errors(const tune_rounding_errors *e, size_t count, double *out_errors) {
  const tune_value_type type = matrix_type(TUNE_F64, e->wanted.sets + 1, 2 * e->outputs);
  tune_buffer buffer;
  TUNE_RETURN_IF_ERROR(tune_npy_read(e->sums, &type, &buffer));
  const double *sums = buffer.data;
  for (size_t i = 0; i < count; ++i)
    out_errors[i] = error_of(&sums[(i + 1) * 2 * e->outputs], e->outputs);
  tune_buffer_deinit(&buffer);
  return TUNE_OK;
}

tune_status tune_rounding_errors_run(tune_rounding_errors *e, const unsigned char *sets,
                                     size_t count, double *out_errors) {
  const char *outputs[] = {e->sums};
  TUNE_RETURN_IF_ERROR(write_switches(e, sets, count));
  TUNE_RETURN_IF_ERROR(tune_module_run_once(e->run, e->signature,
                                            (tune_text_list){e->inputs, e->arguments + 1},
                                            (tune_text_list){outputs, 1}));
  return read_errors(e, count, out_errors);
}
