//===- normalize.c ------------------------------------------------------------===//

#include "transforms/tasks/normalize.h"

#include "dialects/allow.h"
#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/body_scalars.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/no_elements.h"
#include "transforms/ir/transform_script.h"
#include "transforms/normalize/attention/attention_sizes.h"
#include "transforms/normalize/attention/hidden_rows.h"
#include "transforms/normalize/attention/repeats.h"
#include "transforms/normalize/attention/scores_finish.h"
#include "transforms/normalize/attention/turned_results.h"
#include "transforms/normalize/batches.h"
#include "transforms/normalize/front_ends/broadcast_operands.h"
#include "transforms/normalize/front_ends/joined_tensors.h"
#include "transforms/normalize/front_ends/number_operands.h"
#include "transforms/normalize/front_ends/spread_indices.h"
#include "transforms/normalize/images/channels_last.h"
#include "transforms/normalize/images/multipliers.h"
#include "transforms/normalize/images/pixels.h"
#include "transforms/normalize/images/wide_images.h"
#include "transforms/normalize/orders.h"
#include "transforms/normalize/phases.h"
#include "transforms/normalize/prefixes.h"
#include "transforms/normalize/quantized/byte_products.h"
#include "transforms/normalize/quantized/narrow_factors.h"
#include "transforms/normalize/quantized/quantized_products.h"
#include "transforms/normalize/regroup.h"
#include "transforms/normalize/steps.h"
#include "transforms/normalize/sums.h"
#include "transforms/normalize/windows.h"
#include "transforms/normalize/zeroes.h"
#include "transforms/tasks/extract.h"
#include "transforms/tasks/measured_sizes.h"

#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Transforms.h"

#include <stdlib.h>

const char *const tune_normalize_passes[] = {
    "inline",
    "linalg-generalize-named-ops",
    "linalg-fold-unit-extent-dims",
    "canonicalize",
    "cse",
    "symbol-dce",
    NULL,
};

// The constructors in the order of tune_normalize_passes. By constructor, since the registry of
// passes by name is the process's and may not be filled.
static MlirPass (*const pass_constructors[])(void) = {
    mlirCreateTransformsInliner,
    mlirCreateLinalgLinalgGeneralizeNamedOpsPass,
    mlirCreateLinalgLinalgFoldUnitExtentDimsPass,
    mlirCreateTransformsCanonicalizer,
    mlirCreateTransformsCSE,
    mlirCreateTransformsSymbolDCE,
};

// The ops that have no loops of their own, and what takes them apart, where there are any. What
// upstream makes of an unpack of one tile instead, a slice, is the wrong one where not all
// dimensions are in tiles.
#define SOFTMAX                                                                                    \
  "    %softmax = transform.structured.match ops{[\"linalg.softmax\"]} in %0\n"                    \
  "      : (!transform.any_op) -> !transform.any_op\n"                                             \
  "    %parts = transform.structured.decompose_interface %softmax\n"                               \
  "      : (!transform.any_op) -> !transform.any_op\n"
#define PACKS                                                                                      \
  "    %packs = transform.structured.match ops{[\"linalg.pack\"]} in %0\n"                         \
  "      : (!transform.any_op) -> !transform.op<\"linalg.pack\">\n"                                \
  "    transform.foreach %packs : !transform.op<\"linalg.pack\"> {\n"                              \
  "    ^bb0(%pack: !transform.op<\"linalg.pack\">):\n"                                             \
  "      %p:3 = transform.structured.lower_pack %pack : (!transform.op<\"linalg.pack\">)\n"        \
  "        -> (!transform.op<\"tensor.pad\">, !transform.op<\"tensor.expand_shape\">,\n"           \
  "            !transform.op<\"linalg.transpose\">)\n"                                             \
  "    }\n"                                                                                        \
  "    %unpacks = transform.structured.match ops{[\"linalg.unpack\"]} in %0\n"                     \
  "      : (!transform.any_op) -> !transform.op<\"linalg.unpack\">\n"                              \
  "    transform.foreach %unpacks : !transform.op<\"linalg.unpack\"> {\n"                          \
  "    ^bb0(%unpack: !transform.op<\"linalg.unpack\">):\n"                                         \
  "      %u:4 = transform.structured.lower_unpack %unpack\n"                                       \
  "        {lowerUnpadLikeWithExtractSlice = false} : (!transform.op<\"linalg.unpack\">)\n"        \
  "        -> (!transform.op<\"tensor.empty\">, !transform.op<\"linalg.transpose\">,\n"            \
  "            !transform.op<\"tensor.collapse_shape\">, "                                         \
  "!transform.op<\"tensor.extract_slice\">)\n"                                                     \
  "    }\n"

typedef struct whole_ops {
  bool has_softmax, has_packs;
  bool has_other_packs; // that upstream does not take apart
} whole_ops;

static bool has_static_shapes(MlirOperation op) {
  bool is_static = true;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    is_static &= !mlirTypeIsARankedTensor(type) || mlirShapedTypeHasStaticShape(type);
  }
  return is_static;
}

static MlirWalkResult find_whole_op(MlirOperation op, void *user_data) {
  whole_ops *found = user_data;
  found->has_softmax |= tune_ir_is(op, "linalg.softmax");
  if ((tune_ir_is(op, "linalg.pack") || tune_ir_is(op, "linalg.unpack")) &&
      mlirOperationGetNumResults(op) > 0) {
    found->has_packs = true;
    found->has_other_packs |= !has_static_shapes(op);
  }
  return MlirWalkResultAdvance;
}

const char *tune_normalize_decomposition(MlirOperation module) {
  whole_ops found = {0};
  mlirOperationWalk(module, find_whole_op, &found, MlirWalkPreOrder);
  bool packs = found.has_packs && !found.has_other_packs;
  return found.has_softmax && packs ? SOFTMAX PACKS
         : found.has_softmax        ? SOFTMAX
         : packs                    ? PACKS
                                    : NULL;
}

// Runs `lines` on `module` as a named sequence.
static tune_status run_transforms(MlirOperation module, const char *lines) {
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  tune_string_builder_appendf(
      &builder,
      "module attributes {transform.with_named_sequence} {\n"
      "  transform.named_sequence @__transform_main(%%0: !transform.any_op) {\n"
      "%s    transform.yield\n  }\n}\n",
      lines);
  char *text;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&builder, &text));
  tune_status status = tune_transform_script_run(module, text, "taking ops apart");
  free(text);
  return status;
}

static MlirWalkResult forget_in_op(MlirOperation op, void *user_data) {
  (void)user_data;
  mlirOperationRemoveDiscardableAttributeByName(op, tune_ir_string(TUNE_TASK_ATTRIBUTE));
  mlirOperationRemoveDiscardableAttributeByName(op, tune_ir_string(TUNE_ANCHOR_ATTRIBUTE));
  return MlirWalkResultAdvance;
}

void tune_normalize_forget_tasks(MlirOperation module) {
  mlirOperationWalk(module, forget_in_op, NULL, MlirWalkPreOrder);
}

void tune_normalize_forget_done(MlirOperation root) {
  mlirOperationRemoveAttributeByName(root, tune_ir_string(TUNE_NORMALIZED_ATTRIBUTE));
}

static tune_status run_passes(MlirOperation module, MlirPass (*const *constructors)(void),
                              size_t count, const char *what) {
  MlirContext context = mlirOperationGetContext(module);
  MlirPassManager manager = mlirPassManagerCreate(context);
  for (size_t i = 0; i < count; ++i)
    mlirPassManagerAddOwnedPass(manager, constructors[i]());
  // The passes are upstream's, and their input was verified when it was parsed.
  mlirPassManagerEnableVerifier(manager, false);
  tune_diagnostics diagnostics;
  tune_diagnostics_begin_thread(&diagnostics, context);
  bool failed = mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(manager, module));
  tune_status status = tune_diagnostics_end(&diagnostics, failed, TUNE_INTERNAL, what);
  tune_diagnostics_deinit(&diagnostics);
  mlirPassManagerDestroy(manager);
  return status;
}

// JAX has functions of its own for the parts of a softmax or a mask.
static tune_status inline_calls(MlirOperation root) {
  if (!tune_ir_has_calls(root) || !tune_ir_is(root, "builtin.module"))
    return TUNE_OK;
  return run_passes(root, (MlirPass(*const[])(void)){mlirCreateTransformsInliner}, 1, "inlining");
}

tune_status tune_normalize_operands(MlirOperation root, size_t cpu_threads) {
  const bool for_cpu = cpu_threads > 0;
  TUNE_RETURN_IF_ERROR(tune_measured_sizes_mark(root));
  if (!mlirAttributeIsNull(tune_ir_attribute(root, TUNE_STOCK_ATTRIBUTE)) ||
      !mlirAttributeIsNull(tune_ir_attribute(root, TUNE_NORMALIZED_ATTRIBUTE)))
    return TUNE_OK;
  tune_allow_place(root);
  if (for_cpu)
    tune_batches_note_choices(root); // while they are where somebody has put them
  TUNE_RETURN_IF_ERROR(inline_calls(root));
  TUNE_RETURN_IF_ERROR(tune_body_scalars_forward(root));
  bool is_done = tune_normalize_joined_tensors(root) && tune_normalize_number_operands(root) &&
                 tune_normalize_broadcast_operands(root) && tune_normalize_spread_indices(root) &&
                 tune_normalize_hidden_rows(root) && tune_normalize_narrow_factors(root);
  is_done &=
      !for_cpu || (tune_normalize_quantized_products(root) && tune_normalize_byte_products(root) &&
                   tune_normalize_prefixes(root) && tune_normalize_sums(root));
  // Products that stay are what they are without it.
  tune_allow_remove(root, TUNE_ALLOWS_INT8);
  tune_normalize_zeroes(root);
  is_done &= tune_normalize_phases(root);
  tune_normalize_windows(root);
  // Groups are one task with what follows before images are looked at, and blocks of filters after.
  is_done &= !for_cpu || (tune_normalize_repeats(root) && tune_normalize_wide_images(root) &&
                          tune_normalize_regroup(root) && tune_normalize_channels_last(root) &&
                          tune_normalize_multipliers(root) && tune_normalize_regroup(root));
  if (for_cpu)
    TUNE_RETURN_IF_ERROR(tune_normalize_batches(root, cpu_threads));
  is_done &=
      !for_cpu || (tune_normalize_steps(root) && tune_normalize_orders(root) &&
                   tune_normalize_scores_finish(root) && tune_normalize_turned_results(root) &&
                   tune_normalize_attention_sizes(root));
  is_done &= tune_normalize_pixels(root);
  mlirOperationSetAttributeByName(root, tune_ir_string(TUNE_NORMALIZED_ATTRIBUTE),
                                  mlirUnitAttrGet(mlirOperationGetContext(root)));
  return is_done ? TUNE_OK : tune_status_out_of_memory("normalizing the module");
}

tune_status tune_normalize(MlirModule module, size_t cpu_threads) {
  // Equal ops with different choices would stay apart, and a module fall into other tasks than the
  // same one without choices.
  tune_batches_note_choices(mlirModuleGetOperation(module));
  tune_choices_strip(mlirModuleGetOperation(module));
  tune_normalize_forget_tasks(mlirModuleGetOperation(module));
  tune_allow_place(mlirModuleGetOperation(module));
  TUNE_RETURN_IF_ERROR(tune_no_elements_replace(mlirModuleGetOperation(module)));
  TUNE_RETURN_IF_ERROR(tune_normalize_operands(mlirModuleGetOperation(module), cpu_threads));
  tune_batches_forget_choices(mlirModuleGetOperation(module));
  const char *decomposition = tune_normalize_decomposition(mlirModuleGetOperation(module));
  if (decomposition)
    TUNE_RETURN_IF_ERROR(run_transforms(mlirModuleGetOperation(module), decomposition));
  return run_passes(mlirModuleGetOperation(module), pass_constructors,
                    sizeof pass_constructors / sizeof *pass_constructors, "normalizing the module");
}
