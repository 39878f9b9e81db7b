//===- extract_pass.c - The pass tune-extract --------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/passes/passes.h"
#include "transforms/passes/task_options.h"
#include "transforms/tasks/extract.h"
#include "transforms/tasks/outline.h"

#include "mlir-c/Dialect/Affine.h"
#include "mlir-c/Dialect/Arith.h"
#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Dialect/MemRef.h"
#include "mlir-c/Dialect/Tensor.h"
#include "mlir-c/Dialect/Transform.h"

#include <stdlib.h>

typedef enum remarks { REMARK_NONE, REMARK_LEFT_OUT, REMARK_ALL } remarks;

static const char *const remark_words[] = {"none", "left-out", "all", NULL};

static const tune_pass_option options_table[] = {
    {.name = "remarks",
     .type = TUNE_PASS_OPTION_ENUM,
     .words = remark_words,
     .initial = "left-out",
     .takes_bare_word = true,
     .summary = "what to say in remarks: none, left-out (default; ops that cannot be tuned, and "
                "why), all (the tasks too)"},
    TUNE_OPTION_THREADS,
};

// 1234567 as "1.23 M".
static void append_quantity(tune_string_builder *text, uint64_t quantity, const char *unit) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  double value = (double)quantity;
  size_t prefix = 0;
  for (; value >= 1000 && prefix + 1 < sizeof prefixes / sizeof *prefixes; ++prefix)
    value /= 1000;
  tune_string_builder_appendf(text, "%.3g %s%s", value, prefixes[prefix], unit);
}

static tune_status remark_task(const tune_extracted_task *task, size_t index) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "task %zu: %s; %zu %s, %zu %s", index, task->name,
                              task->op_count, task->op_count == 1 ? "op" : "ops",
                              task->occurrence_count,
                              task->occurrence_count == 1 ? "occurrence" : "occurrences");
  if (task->flops) {
    tune_string_builder_append(&text, ", ");
    append_quantity(&text, task->flops, "flop");
  }
  if (task->bytes) {
    tune_string_builder_append(&text, ", ");
    append_quantity(&text, task->bytes, "B");
  }
  char *message;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&text, &message));
  tune_remark_emit(task->location, "%s", message);
  free(message);
  return TUNE_OK;
}

static tune_status emit_remarks(const tune_extraction *extraction, MlirOperation module,
                                remarks which) {
  for (size_t i = 0; which == REMARK_ALL && i < extraction->task_count; ++i)
    TUNE_RETURN_IF_ERROR(remark_task(&extraction->tasks[i], i));
  for (size_t i = 0; which != REMARK_NONE && i < extraction->left_out_count; ++i) {
    const tune_left_out *left_out = &extraction->left_out[i];
    if (left_out->count > 1)
      tune_remark_emit(left_out->location, "%s (%zu of them) is not tuned: %s", left_out->op_name,
                       left_out->count, left_out->reason);
    else
      tune_remark_emit(left_out->location, "%s is not tuned: %s", left_out->op_name,
                       left_out->reason);
  }
  if (which != REMARK_NONE && !extraction->task_count)
    tune_remark_emit(tune_location_get(module), "there is nothing to tune in this module");
  return TUNE_OK;
}

// Gives `module` the body and the attributes of `other`, which is destroyed.
static void replace_module(MlirOperation module, MlirModule other) {
  MlirRegion body = mlirOperationGetRegion(module, 0);
  mlirRegionTakeBody(body, mlirOperationGetRegion(mlirModuleGetOperation(other), 0));
  mlirModuleDestroy(other);
}

static tune_status extract_run(MlirOperation module, const tune_pass_options *options) {
  tune_extraction *extraction;
  TUNE_RETURN_IF_ERROR(tune_extract(mlirModuleFromOperation(module),
                                    (size_t)tune_pass_options_get_integer(options, "threads"),
                                    &extraction));
  tune_status status =
      emit_remarks(extraction, module, (remarks)tune_pass_options_get_enum(options, "remarks"));
  MlirModule outlined = {.ptr = NULL};
  if (tune_status_is_ok(status) && extraction->task_count)
    status = tune_outline_module(extraction, &outlined);
  tune_extraction_destroy(extraction);
  if (tune_status_is_ok(status) && !mlirModuleIsNull(outlined))
    replace_module(module, outlined);
  return status;
}

// Those of the passes that normalize, too.
static const tune_dialect_getter extract_dialects[] = {
    mlirGetDialectHandle__affine__,    mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__func__,      mlirGetDialectHandle__linalg__,
    mlirGetDialectHandle__memref__,    mlirGetDialectHandle__tensor__,
    mlirGetDialectHandle__transform__, NULL,
};

const tune_pass_class tune_pass_extract = {
    .name = "tune-extract",
    .summary = "Move each piece of work that can be tuned into a function of its own",
    .options = options_table,
    .option_count = sizeof options_table / sizeof *options_table,
    .dialects = extract_dialects,
    .run = extract_run,
};
