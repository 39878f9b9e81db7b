//===- task_key.c -------------------------------------------------------------===//

#include "transforms/ir/task_key.h"

#include "dialects/printing.h"
#include "transforms/ir/ir.h"

tune_status tune_task_key_print(MlirOperation function, char **out_text) {
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  // Maps in place, not as aliases numbered by where they stand.
  mlirOpPrintingFlagsUseLocalScope(flags);
  // Printing in the usual form is safe since the function was just made from verified ops.
  mlirOpPrintingFlagsAssumeVerified(flags);
  mlirOperationPrintWithFlags(function, flags, tune_printing_append, &builder);
  mlirOpPrintingFlagsDestroy(flags);
  return tune_string_builder_finish(&builder, out_text);
}

tune_digest tune_task_key_of_text(const char *text) {
  return tune_digest_of_bytes(text, strlen(text));
}
