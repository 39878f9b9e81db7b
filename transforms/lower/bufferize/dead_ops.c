//===- dead_ops.c -------------------------------------------------------------===//

#include "transforms/lower/bufferize/dead_ops.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/transform_script.h"

static const char SCRIPT[] =
    "module attributes {transform.with_named_sequence} {\n"
    "  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) "
    "{\n"
    "    %functions = transform.structured.match ops{[\"func.func\"]} in %root\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    transform.apply_dce to %functions : !transform.any_op\n"
    "    transform.yield\n"
    "  }\n"
    "}\n";

tune_status tune_dead_ops_create(MlirContext context, MlirOperation *out_script) {
  return tune_ir_parse(context, SCRIPT, "dead_ops", out_script);
}

// Calls have results that nobody uses, too, and stay: a script is run where it may find something.
static MlirWalkResult find_unused(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found =
      mlirOperationGetNumResults(op) > 0 && !tune_ir_is(op, "func.call") && !tune_ir_is_used(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

tune_status tune_dead_ops_remove(MlirOperation script, MlirOperation module) {
  bool found = false;
  mlirOperationWalk(module, find_unused, &found, MlirWalkPreOrder);
  return found ? tune_transform_script_apply(module, script, "removing what nobody uses") : TUNE_OK;
}
