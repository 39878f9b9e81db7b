//===- task_key.c -------------------------------------------------------------===//

#include "transforms/task_key.h"

#include "transforms/ir.h"
#include "transforms/task_function.h"

#include <stdlib.h>

tune_status tune_task_key_print(MlirOperation function, char **out_text) {
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  // Maps in place, not as aliases numbered by where they stand.
  mlirOpPrintingFlagsUseLocalScope(flags);
  // Printing in the usual form is safe since the function was just made from verified ops.
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOperationPrintWithFlags(function, flags, tune_ir_append, &builder);
  mlirOpPrintingFlagsDestroy(flags);
  return tune_string_builder_finish(&builder, out_text);
}

tune_digest tune_task_key_of_text(const char *text) {
  return tune_digest_of_bytes(text, strlen(text));
}

static bool contains_op(MlirOperation op, const void *user_data) {
  const MlirBlock *block = user_data;
  return mlirBlockEqual(mlirOperationGetBlock(op), *block);
}

tune_status tune_task_key_of_function(MlirOperation function, tune_digest *out_key) {
  MlirRegion region = mlirOperationGetRegion(function, 0);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(block) || !mlirBlockIsNull(mlirBlockGetNextInRegion(block)))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a task function has exactly one block");
  MlirOperation terminator = mlirBlockGetTerminator(block);
  size_t count = (size_t)mlirOperationGetNumOperands(terminator);
  if (!count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a task function has results");
  MlirValue *results = malloc(count * sizeof *results);
  if (!results)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "%zu results", count);
  for (size_t i = 0; i < count; ++i)
    results[i] = mlirOperationGetOperand(terminator, (intptr_t)i);

  tune_task_body body = {
      .results = results, .result_count = count, .contains = contains_op, .user_data = &block};
  tune_task_function canonical;
  tune_status status = tune_task_function_build(&body, TUNE_TASK_FUNCTION_NAME, &canonical);
  free(results);
  if (!tune_status_is_ok(status))
    return status;
  char *text;
  status = tune_task_key_print(canonical.function, &text);
  tune_task_function_deinit(&canonical);
  if (tune_status_is_ok(status)) {
    *out_key = tune_task_key_of_text(text);
    free(text);
  }
  return status;
}
