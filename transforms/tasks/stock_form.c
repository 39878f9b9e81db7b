//===- stock_form.c ---------------------------------------------------------------===//

#include "transforms/tasks/stock_form.h"

#include "dialects/choices.h"
#include "transforms/ir/ir.h"
#include "transforms/tasks/extract.h"
#include "transforms/tasks/normalize.h"

#include "mlir-c/BuiltinAttributes.h"

static bool has_task(const tune_extraction *extraction, const tune_extracted_task *task) {
  return tune_extraction_find(extraction, &task->key) < extraction->task_count;
}

static void forget_choices(const tune_extracted_task *task) {
  for (size_t i = 0; i < task->occurrence_count; ++i)
    if (!mlirOperationIsNull(task->occurrences[i].anchor))
      tune_choices_strip(task->occurrences[i].anchor);
}

tune_status tune_stock_form_take(MlirModule module, bool for_cpu, bool *out_has_others) {
  MlirOperation root = mlirModuleGetOperation(module);
  *out_has_others = false;
  if (!mlirAttributeIsNull(tune_ir_attribute(root, TUNE_STOCK_ATTRIBUTE)))
    return TUNE_OK;
  tune_extraction *tuned, *stock;
  TUNE_RETURN_IF_ERROR(tune_extract(module, for_cpu, &tuned));
  mlirOperationSetAttributeByName(root, tune_ir_string(TUNE_STOCK_ATTRIBUTE),
                                  mlirUnitAttrGet(mlirOperationGetContext(root)));
  tune_status status = tune_extract(module, for_cpu, &stock);
  if (tune_status_is_ok(status)) {
    for (size_t i = 0; i < tuned->task_count; ++i) {
      if (has_task(stock, &tuned->tasks[i]))
        continue;
      *out_has_others = true;
      forget_choices(&tuned->tasks[i]);
    }
    tune_extraction_destroy(stock);
  }
  tune_extraction_destroy(tuned);
  return status;
}
