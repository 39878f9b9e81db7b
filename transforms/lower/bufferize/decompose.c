//===- decompose.c - Ops of linalg that have no loops of their own -----------===//

#include "transforms/lower/bufferize/decompose.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/transform_script.h"

static const char SCRIPT[] =
    "module attributes {transform.with_named_sequence} {\n"
    "  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) "
    "{\n"
    "    %softmax = transform.structured.match ops{[\"linalg.softmax\"]} in %root\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    %0 = transform.structured.decompose_interface %softmax\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    %packs = transform.structured.match ops{[\"linalg.pack\"]} in %root\n"
    "      : (!transform.any_op) -> !transform.op<\"linalg.pack\">\n"
    "    transform.foreach %packs : !transform.op<\"linalg.pack\"> {\n"
    "    ^bb0(%pack: !transform.op<\"linalg.pack\">):\n"
    "      %1:3 = transform.structured.lower_pack %pack : (!transform.op<\"linalg.pack\">)\n"
    "        -> (!transform.op<\"tensor.pad\">, !transform.op<\"tensor.expand_shape\">,\n"
    "            !transform.op<\"linalg.transpose\">)\n"
    "    }\n"
    "    %unpacks = transform.structured.match ops{[\"linalg.unpack\"]} in %root\n"
    "      : (!transform.any_op) -> !transform.op<\"linalg.unpack\">\n"
    "    transform.foreach %unpacks : !transform.op<\"linalg.unpack\"> {\n"
    "    ^bb0(%unpack: !transform.op<\"linalg.unpack\">):\n"
    "      %2:4 = transform.structured.lower_unpack %unpack\n"
    "        {lowerUnpadLikeWithExtractSlice = false} : (!transform.op<\"linalg.unpack\">)\n"
    "        -> (!transform.op<\"tensor.empty\">, !transform.op<\"linalg.transpose\">,\n"
    "            !transform.op<\"tensor.collapse_shape\">, "
    "!transform.op<\"tensor.extract_slice\">)\n"
    "    }\n"
    "    transform.yield\n"
    "  }\n"
    "}\n";

tune_status tune_decompose_create(MlirContext context, MlirOperation *out_script) {
  return tune_ir_parse(context, SCRIPT, "decompose", out_script);
}

static MlirWalkResult find_whole_op(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = mlirOperationGetNumResults(op) > 0 &&
           (tune_ir_is(op, "linalg.softmax") || tune_ir_is(op, "linalg.pack") ||
            tune_ir_is(op, "linalg.unpack"));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

tune_status tune_decompose_run(MlirOperation script, MlirOperation module) {
  bool found = false;
  mlirOperationWalk(module, find_whole_op, &found, MlirWalkPreOrder);
  return found ? tune_transform_script_apply(module, script, "taking ops of linalg apart")
               : TUNE_OK;
}
