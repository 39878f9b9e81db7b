//===- allow.c ----------------------------------------------------------------===//

#include "dialects/allow.h"

#include "dialects/diagnostic.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

static MlirStringRef text(const char *string) { return mlirStringRefCreateFromCString(string); }

static bool is_named(MlirOperation op, const char *name) {
  return !mlirOperationIsNull(op) &&
         mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), text(name));
}

static MlirAttribute get(MlirOperation op) {
  return mlirOperationGetDiscardableAttributeByName(op, text(TUNE_ALLOW_ATTRIBUTE));
}

//===--------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------===//

static MlirOperation maker_of(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
}

static bool is_argument_of(MlirValue value, MlirBlock body) {
  return mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), body);
}

static bool is_product_of_arguments(MlirOperation op, MlirBlock body) {
  return is_named(op, "arith.mulf") &&
         mlirTypeIsAF32(mlirValueGetType(mlirOperationGetResult(op, 0))) &&
         is_argument_of(mlirOperationGetOperand(op, 0), body) &&
         is_argument_of(mlirOperationGetOperand(op, 1), body);
}

// The multiplication of a product; null where `op` is none.
static MlirOperation find_multiplication(MlirOperation op) {
  MlirOperation none = {NULL};
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  static const char PREFIX[] = "linalg.";
  if (name.length < sizeof PREFIX || strncmp(name.data, PREFIX, sizeof PREFIX - 1) != 0 ||
      mlirOperationGetNumRegions(op) != 1)
    return none;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation end = mlirBlockIsNull(body) ? none : mlirBlockGetTerminator(body);
  if (mlirOperationIsNull(end) || mlirOperationGetNumOperands(end) != 1)
    return none;
  MlirOperation add = maker_of(mlirOperationGetOperand(end, 0));
  MlirValue out = mlirBlockGetArgument(body, mlirBlockGetNumArguments(body) - 1);
  for (intptr_t side = 0; side < 2 && is_named(add, "arith.addf"); ++side) {
    MlirOperation multiply = maker_of(mlirOperationGetOperand(add, side));
    if (mlirValueEqual(mlirOperationGetOperand(add, 1 - side), out) &&
        is_product_of_arguments(multiply, body))
      return multiply;
  }
  return none;
}

bool tune_allow_is_product(MlirOperation op) {
  return !mlirOperationIsNull(find_multiplication(op));
}

bool tune_allow_has_tf32(MlirOperation op) {
  MlirOperation multiply = find_multiplication(op);
  return !mlirOperationIsNull(multiply) && !mlirAttributeIsNull(get(multiply));
}

//===--------------------------------------------------------------------------===//
// Placing
//===--------------------------------------------------------------------------===//

// The only thing that there is to be allowed.
static void set(MlirOperation op) {
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute word = mlirStringAttrGet(context, text(TUNE_ALLOW_TF32));
  mlirOperationSetDiscardableAttributeByName(op, text(TUNE_ALLOW_ATTRIBUTE),
                                             mlirArrayAttrGet(context, 1, &word));
}

void tune_allow_set_tf32(MlirOperation op) { set(op); }

static bool allows_something(MlirOperation op) {
  MlirAttribute words = get(op);
  return !mlirAttributeIsNull(words) && mlirArrayAttrGetNumElements(words) > 0;
}

static bool is_within_allowance(MlirOperation op) {
  while (!mlirOperationIsNull(op) && !allows_something(op))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

static MlirWalkResult place(MlirOperation op, void *user_data) {
  (void)user_data;
  MlirOperation multiply = find_multiplication(op);
  if (!mlirOperationIsNull(multiply) && is_within_allowance(op))
    set(multiply);
  return MlirWalkResultAdvance;
}

static MlirWalkResult strip(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!is_named(op, "arith.mulf"))
    mlirOperationRemoveDiscardableAttributeByName(op, text(TUNE_ALLOW_ATTRIBUTE));
  return MlirWalkResultAdvance;
}

void tune_allow_place(MlirOperation root) {
  mlirOperationWalk(root, place, NULL, MlirWalkPreOrder);
  mlirOperationWalk(root, strip, NULL, MlirWalkPreOrder);
}

//===--------------------------------------------------------------------------===//
// Verifying
//===--------------------------------------------------------------------------===//

static tune_status verify_words(MlirOperation op, MlirAttribute words) {
  if (!mlirAttributeIsAArray(words))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               TUNE_ALLOW_ATTRIBUTE
                               ": expected an array of strings, such as [\"" TUNE_ALLOW_TF32 "\"]");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(words); ++i) {
    MlirAttribute word = mlirArrayAttrGetElement(words, i);
    if (!mlirAttributeIsAString(word))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_ALLOW_ATTRIBUTE ": element %zd is no string", i);
    MlirStringRef value = mlirStringAttrGetValue(word);
    if (!mlirStringRefEqual(value, text(TUNE_ALLOW_TF32)))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_ALLOW_ATTRIBUTE
                                 ": \"%.*s\" is nothing that can be allowed; \"" TUNE_ALLOW_TF32
                                 "\" is",
                                 (int)value.length, value.data);
  }
  return TUNE_OK;
}

static bool may_have(MlirOperation op) {
  if (is_named(op, "builtin.module") || is_named(op, "func.func") || tune_allow_is_product(op))
    return true;
  return is_named(op, "arith.mulf"); // also where a schedule has made vectors of it
}

static MlirWalkResult verify_op(MlirOperation op, void *user_data) {
  tune_status *status = user_data;
  MlirAttribute words = get(op);
  if (mlirAttributeIsNull(words))
    return MlirWalkResultAdvance;
  *status = verify_words(op, words);
  if (tune_status_is_ok(*status) && !may_have(op))
    *status = tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                  TUNE_ALLOW_ATTRIBUTE
                                  ": this op adds up no products of f32, of which alone something "
                                  "can be allowed; functions and modules can have it, too");
  return tune_status_is_ok(*status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_allow_verify(MlirOperation root) {
  tune_status status = TUNE_OK;
  mlirOperationWalk(root, verify_op, &status, MlirWalkPreOrder);
  return status;
}
