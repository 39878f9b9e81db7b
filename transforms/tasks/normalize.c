//===- normalize.c ------------------------------------------------------------===//

#include "transforms/tasks/normalize.h"

#include "dialects/allow.h"
#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/no_elements.h"
#include "transforms/ir/transform_script.h"
#include "transforms/tasks/extract.h"
#include "transforms/tasks/normalize_prefixes.h"
#include "transforms/tasks/normalize_sums.h"
#include "transforms/tasks/normalize_windows.h"
#include "transforms/tasks/normalize_zeroes.h"

#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"
#include "mlir-c/Pass.h"
#include "mlir-c/Transforms.h"

#include <stdio.h>
#include <stdlib.h>

#define MARK_PREFIX "tune.op."

const char *const tune_normalize_passes[] = {
    "inline", "linalg-generalize-named-ops", "linalg-fold-unit-extent-dims", "canonicalize", "cse",
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

void tune_normalize_operands(MlirOperation root, bool for_cpu) {
  if (for_cpu) {
    tune_normalize_prefixes(root);
    tune_normalize_sums(root);
  }
  tune_normalize_zeroes(root);
  tune_normalize_windows(root);
}

tune_status tune_normalize(MlirModule module, bool for_cpu) {
  MlirContext context = mlirModuleGetContext(module);
  // Equal ops with different choices would stay apart, and a module fall into other tasks than the
  // same one without choices.
  tune_choices_strip(mlirModuleGetOperation(module));
  tune_normalize_forget_tasks(mlirModuleGetOperation(module));
  tune_allow_place(mlirModuleGetOperation(module));
  TUNE_RETURN_IF_ERROR(tune_no_elements_replace(mlirModuleGetOperation(module)));
  tune_normalize_operands(mlirModuleGetOperation(module), for_cpu);
  const char *decomposition = tune_normalize_decomposition(mlirModuleGetOperation(module));
  if (decomposition)
    TUNE_RETURN_IF_ERROR(run_transforms(mlirModuleGetOperation(module), decomposition));
  MlirPassManager manager = mlirPassManagerCreate(context);
  for (size_t i = 0; i < sizeof pass_constructors / sizeof *pass_constructors; ++i)
    mlirPassManagerAddOwnedPass(manager, pass_constructors[i]());
  // The passes are upstream's, and their input was verified when it was parsed.
  mlirPassManagerEnableVerifier(manager, false);

  tune_diagnostics diagnostics;
  tune_diagnostics_begin_thread(&diagnostics, context);
  bool failed =
      mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module)));
  tune_status status =
      tune_diagnostics_end(&diagnostics, failed, TUNE_INTERNAL, "normalizing the module");
  tune_diagnostics_deinit(&diagnostics);
  mlirPassManagerDestroy(manager);
  return status;
}

//===--- Marks ----------------------------------------------------------------===//

typedef struct numbering {
  void (*callback)(MlirOperation op, size_t number, void *user_data);
  void *user_data;
  size_t next;
} numbering;

static MlirWalkResult number_op(MlirOperation op, void *user_data) {
  numbering *state = user_data;
  MlirStringRef name = tune_ir_name(op);
  bool is_structured =
      tune_ir_string_equal(name, "tensor.pad") ||
      (tune_ir_string_starts(name, "linalg.") && !tune_ir_string_equal(name, "linalg.yield") &&
       !tune_ir_string_equal(name, "linalg.index"));
  if (is_structured)
    state->callback(op, state->next++, state->user_data);
  return MlirWalkResultAdvance;
}

void tune_normalize_walk(MlirOperation root,
                         void (*callback)(MlirOperation op, size_t number, void *user_data),
                         void *user_data) {
  numbering state = {callback, user_data, 0};
  mlirOperationWalk(root, number_op, &state, MlirWalkPreOrder);
}

static void mark_op(MlirOperation op, size_t number, void *user_data) {
  (void)user_data;
  char name[sizeof MARK_PREFIX + 20];
  snprintf(name, sizeof name, MARK_PREFIX "%zu", number);
  mlirOperationSetLocation(op,
                           mlirLocationNameGet(mlirOperationGetContext(op), tune_ir_string(name),
                                               mlirOperationGetLocation(op)));
}

void tune_normalize_mark(MlirOperation root) { tune_normalize_walk(root, mark_op, NULL); }

// The locations of which a fusion is made; free() them. NULL with count 0 where memory ran out.
static MlirLocation *get_parts(MlirLocation location, size_t *out_count) {
  *out_count = mlirLocationFusedGetNumLocations(location);
  MlirLocation *parts = calloc(*out_count + 1, sizeof *parts);
  if (parts)
    mlirLocationFusedGetLocations(location, parts);
  else
    *out_count = 0;
  return parts;
}

size_t tune_normalize_get_mark(MlirLocation location) {
  if (mlirLocationIsAName(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
    if (tune_ir_string_starts(name, MARK_PREFIX))
      return strtoull(name.data + strlen(MARK_PREFIX), NULL, 10);
    return tune_normalize_get_mark(mlirLocationNameGetChildLoc(location));
  }
  if (mlirLocationIsACallSite(location)) {
    size_t mark = tune_normalize_get_mark(mlirLocationCallSiteGetCallee(location));
    return mark != TUNE_NORMALIZE_NO_MARK
               ? mark
               : tune_normalize_get_mark(mlirLocationCallSiteGetCaller(location));
  }
  size_t mark = TUNE_NORMALIZE_NO_MARK;
  if (mlirLocationIsAFused(location)) {
    size_t count;
    MlirLocation *parts = get_parts(location, &count);
    for (size_t i = 0; i < count && mark == TUNE_NORMALIZE_NO_MARK; ++i)
      mark = tune_normalize_get_mark(parts[i]);
    free(parts);
  }
  return mark;
}

static MlirLocation without_marks(MlirLocation location) {
  if (mlirLocationIsAName(location)) {
    MlirIdentifier name = mlirLocationNameGetName(location);
    MlirLocation child = without_marks(mlirLocationNameGetChildLoc(location));
    return tune_ir_string_starts(mlirIdentifierStr(name), MARK_PREFIX)
               ? child
               : mlirLocationNameGet(mlirLocationGetContext(location), mlirIdentifierStr(name),
                                     child);
  }
  if (mlirLocationIsACallSite(location))
    return mlirLocationCallSiteGet(without_marks(mlirLocationCallSiteGetCallee(location)),
                                   without_marks(mlirLocationCallSiteGetCaller(location)));
  if (!mlirLocationIsAFused(location))
    return location;
  size_t count;
  MlirLocation *parts = get_parts(location, &count);
  for (size_t i = 0; i < count; ++i)
    parts[i] = without_marks(parts[i]);
  MlirLocation fused = mlirLocationFusedGet(mlirLocationGetContext(location), (intptr_t)count,
                                            parts, mlirLocationFusedGetMetadata(location));
  free(parts);
  return fused;
}

static MlirWalkResult unmark_op(MlirOperation op, void *user_data) {
  (void)user_data;
  mlirOperationSetLocation(op, without_marks(mlirOperationGetLocation(op)));
  return MlirWalkResultAdvance;
}

void tune_normalize_unmark(MlirOperation root) {
  mlirOperationWalk(root, unmark_op, NULL, MlirWalkPreOrder);
}
