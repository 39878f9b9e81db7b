//===- preparation.c ----------------------------------------------------------===//

#include "transforms/rules/preparation.h"

#include "dialects/diagnostic.h"
#include "transforms/ir.h"

#include "mlir-c/Dialect/Transform/Interpreter.h"

#include <stdlib.h>

// Fills stay by name: schedules find them by it, and elementwise fusion must not fold one into a
// contraction as an input.
static const char PREPARE[] =
    "  transform.named_sequence @tune_prepare(%func: !transform.any_op {transform.consumed})\n"
    "      -> !transform.any_op {\n"
    "    %packs = transform.structured.match ops{[\"linalg.pack\"]} in %func\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    transform.foreach %packs : !transform.any_op {\n"
    "    ^bb0(%one: !transform.any_op):\n"
    "      %pack = transform.cast %one : !transform.any_op to !transform.op<\"linalg.pack\">\n"
    "      %p:3 = transform.structured.lower_pack %pack : (!transform.op<\"linalg.pack\">)\n"
    "        -> (!transform.op<\"tensor.pad\">, !transform.op<\"tensor.expand_shape\">,\n"
    "            !transform.op<\"linalg.transpose\">)\n"
    "    }\n"
    "    %unpacks = transform.structured.match ops{[\"linalg.unpack\"]} in %func\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    transform.foreach %unpacks : !transform.any_op {\n"
    "    ^bb0(%one: !transform.any_op):\n"
    "      %unpack = transform.cast %one : !transform.any_op to !transform.op<\"linalg.unpack\">\n"
    "      %u:4 = transform.structured.lower_unpack %unpack : (!transform.op<\"linalg.unpack\">)\n"
    "        -> (!transform.op<\"tensor.empty\">, !transform.op<\"linalg.transpose\">,\n"
    "            !transform.op<\"tensor.collapse_shape\">, "
    "!transform.op<\"tensor.extract_slice\">)\n"
    "    }\n"
    "    %softmax = transform.structured.match ops{[\"linalg.softmax\"]} in %func\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    %parts = transform.structured.decompose_interface %softmax\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    %named = transform.structured.match ops{[\n"
    "      \"linalg.transpose\", \"linalg.broadcast\", \"linalg.map\", \"linalg.reduce\",\n"
    "      \"linalg.elementwise\", \"linalg.copy\", \"linalg.contract\", \"linalg.matmul\",\n"
    "      \"linalg.batch_matmul\", \"linalg.batch_reduce_matmul\", \"linalg.matvec\",\n"
    "      \"linalg.vecmat\", \"linalg.batch_matvec\", \"linalg.batch_vecmat\", \"linalg.dot\",\n"
    "      \"linalg.mmt4d\", \"linalg.batch_mmt4d\", \"linalg.quantized_matmul\",\n"
    "      \"linalg.quantized_batch_matmul\",\n"
    "      \"linalg.add\", \"linalg.sub\", \"linalg.mul\", \"linalg.div\", "
    "\"linalg.div_unsigned\",\n"
    "      \"linalg.max\", \"linalg.min\", \"linalg.exp\", \"linalg.log\", \"linalg.abs\",\n"
    "      \"linalg.ceil\", \"linalg.floor\", \"linalg.negf\", \"linalg.reciprocal\",\n"
    "      \"linalg.round\", \"linalg.sqrt\", \"linalg.rsqrt\", \"linalg.square\", "
    "\"linalg.tanh\",\n"
    "      \"linalg.erf\", \"linalg.powf\", \"linalg.select\",\n"
    "      \"linalg.conv_1d\", \"linalg.conv_2d\", \"linalg.conv_3d\",\n"
    "      \"linalg.conv_1d_nwc_wcf\", \"linalg.conv_1d_ncw_fcw\", \"linalg.conv_2d_nhwc_hwcf\",\n"
    "      \"linalg.conv_2d_nhwc_fhwc\", \"linalg.conv_2d_nchw_fchw\",\n"
    "      \"linalg.conv_2d_ngchw_fgchw\", \"linalg.conv_2d_ngchw_gfchw\",\n"
    "      \"linalg.conv_3d_ndhwc_dhwcf\", \"linalg.conv_3d_ncdhw_fcdhw\",\n"
    "      \"linalg.depthwise_conv_1d_nwc_wc\", \"linalg.depthwise_conv_1d_ncw_cw\",\n"
    "      \"linalg.depthwise_conv_2d_nhwc_hwc\", \"linalg.depthwise_conv_2d_nchw_chw\",\n"
    "      \"linalg.depthwise_conv_2d_nhwc_hwcm\", \"linalg.pooling_nhwc_sum\",\n"
    "      \"linalg.pooling_nhwc_max\", \"linalg.pooling_nhwc_min\", \"linalg.pooling_nchw_sum\",\n"
    "      \"linalg.pooling_nchw_max\", \"linalg.pooling_nwc_sum\", \"linalg.pooling_nwc_max\",\n"
    "      \"linalg.pooling_ncw_sum\", \"linalg.pooling_ncw_max\"\n"
    "    ]} in %func : (!transform.any_op) -> !transform.any_op\n"
    "    %generic = transform.structured.generalize %named\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    %fused = transform.apply_registered_pass \"linalg-fuse-elementwise-ops\" to %func\n"
    "      : (!transform.any_op) -> !transform.any_op\n"
    "    transform.apply_patterns to %fused {\n"
    "      transform.apply_patterns.canonicalization\n"
    "    } {apply_cse} : !transform.any_op\n"
    "    transform.yield %fused : !transform.any_op\n"
    "  }\n";

const char *tune_preparation_text(void) { return PREPARE; }

static tune_status apply_script(MlirModule payload, MlirModule script) {
  MlirOperation main =
      tune_ir_find_symbol(mlirModuleGetOperation(script), tune_ir_string("__transform_main"));
  MlirTransformOptions options = mlirTransformOptionsCreate();
  tune_diagnostics diagnostics;
  tune_diagnostics_begin_thread(&diagnostics, mlirModuleGetContext(payload));
  bool failed = mlirLogicalResultIsFailure(mlirTransformApplyNamedSequence(
      mlirModuleGetOperation(payload), main, mlirModuleGetOperation(script), options));
  tune_status status =
      tune_diagnostics_end(&diagnostics, failed, TUNE_INTERNAL, "preparing a task");
  tune_diagnostics_deinit(&diagnostics);
  mlirTransformOptionsDestroy(options);
  return status;
}

static tune_status parse_script(MlirContext context, MlirModule *out_script) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_append(
      &text, "module attributes {transform.with_named_sequence} {\n"
             "  transform.named_sequence @__transform_main(%root: !transform.any_op) {\n"
             "    %func = transform.structured.match ops{[\"func.func\"]} in %root\n"
             "      : (!transform.any_op) -> !transform.any_op\n"
             "    %prepared = transform.include @tune_prepare failures(propagate) (%func)\n"
             "      : (!transform.any_op) -> !transform.any_op\n"
             "    transform.yield\n"
             "  }\n");
  tune_string_builder_append(&text, PREPARE);
  tune_string_builder_append(&text, "}\n");
  char *source = NULL;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&text, &source));
  *out_script = mlirModuleCreateParse(context, tune_ir_string(source));
  free(source);
  if (mlirModuleIsNull(*out_script))
    return tune_status_make(TUNE_INTERNAL, "the preparation script does not parse");
  return TUNE_OK;
}

tune_status tune_preparation_run(MlirModule payload) {
  MlirModule script = {NULL};
  TUNE_RETURN_IF_ERROR(parse_script(mlirModuleGetContext(payload), &script));
  tune_status status = apply_script(payload, script);
  mlirModuleDestroy(script);
  return status;
}
