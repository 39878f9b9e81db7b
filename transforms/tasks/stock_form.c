//===- stock_form.c ---------------------------------------------------------------===//

#include "transforms/tasks/stock_form.h"

#include "dialects/choices.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_map.h"
#include "transforms/tasks/extract.h"
#include "transforms/tasks/normalize.h"

#include "mlir-c/BuiltinAttributes.h"

// Which task each op of the module is the anchor of.
static tune_status note_anchors(const tune_extraction *extraction, tune_op_map *out_tasks) {
  for (size_t i = 0; i < extraction->task_count; ++i)
    for (size_t j = 0; j < extraction->tasks[i].occurrence_count; ++j) {
      MlirOperation anchor = extraction->tasks[i].occurrences[j].anchor;
      if (!mlirOperationIsNull(anchor))
        TUNE_RETURN_IF_ERROR(tune_op_map_set(out_tasks, anchor.ptr, i));
    }
  return TUNE_OK;
}

// Takes the choices off the anchors of `tuned` that have other tasks in `stock`, or none.
static tune_status forget_choices(const tune_extraction *tuned, const tune_extraction *stock,
                                  bool *out_has_others) {
  tune_op_map tasks;
  tune_op_map_init(&tasks);
  tune_status status = note_anchors(stock, &tasks);
  for (size_t i = 0; tune_status_is_ok(status) && i < tuned->task_count; ++i) {
    const tune_extracted_task *task = &tuned->tasks[i];
    for (size_t j = 0; j < task->occurrence_count; ++j) {
      MlirOperation anchor = task->occurrences[j].anchor;
      size_t other = mlirOperationIsNull(anchor) ? tune_extraction_find(stock, &task->key)
                                                 : tune_op_map_get(&tasks, anchor.ptr);
      if (other < stock->task_count && tune_digest_equal(&stock->tasks[other].key, &task->key))
        continue;
      *out_has_others = true;
      if (!mlirOperationIsNull(anchor))
        tune_choices_strip(anchor);
    }
  }
  tune_op_map_deinit(&tasks);
  return status;
}

tune_status tune_stock_form_take(MlirModule module, size_t cpu_threads, bool *out_has_others) {
  MlirOperation root = mlirModuleGetOperation(module);
  *out_has_others = false;
  if (!mlirAttributeIsNull(tune_ir_attribute(root, TUNE_STOCK_ATTRIBUTE)))
    return TUNE_OK;
  tune_extraction *tuned, *stock;
  TUNE_RETURN_IF_ERROR(tune_extract(module, cpu_threads, &tuned));
  mlirOperationSetAttributeByName(root, tune_ir_string(TUNE_STOCK_ATTRIBUTE),
                                  mlirUnitAttrGet(mlirOperationGetContext(root)));
  tune_status status = tune_extract(module, cpu_threads, &stock);
  if (tune_status_is_ok(status)) {
    status = forget_choices(tuned, stock, out_has_others);
    tune_extraction_destroy(stock);
  }
  tune_extraction_destroy(tuned);
  return status;
}
