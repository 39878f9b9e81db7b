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

const char *const tune_allow_words[] = {"tf32", "f16", "bf16", "int8", NULL};

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

// What the attribute on `op` itself says; of a module that is not verified, what is known of it.
static tune_allowances read(MlirOperation op) {
  MlirAttribute words = get(op);
  tune_allowances allowances = 0;
  if (mlirAttributeIsNull(words) || !mlirAttributeIsAArray(words))
    return 0;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(words); ++i) {
    MlirAttribute word = mlirArrayAttrGetElement(words, i);
    for (unsigned bit = 0; bit < TUNE_ALLOWANCES; ++bit)
      if (mlirAttributeIsAString(word) &&
          mlirStringRefEqual(mlirStringAttrGetValue(word), text(tune_allow_words[bit])))
        allowances |= 1u << bit;
  }
  return allowances;
}

tune_allowances tune_allow_get(MlirOperation op) {
  MlirOperation multiply = find_multiplication(op);
  return mlirOperationIsNull(multiply) ? 0 : read(multiply);
}

MlirAttribute tune_allow_attribute(MlirContext context, tune_allowances allowances) {
  MlirAttribute words[TUNE_ALLOWANCES];
  intptr_t count = 0;
  for (unsigned bit = 0; bit < TUNE_ALLOWANCES; ++bit)
    if (allowances & 1u << bit)
      words[count++] = mlirStringAttrGet(context, text(tune_allow_words[bit]));
  return mlirArrayAttrGet(context, count, words);
}

//===--------------------------------------------------------------------------===//
// Placing
//===--------------------------------------------------------------------------===//

void tune_allow_add(MlirOperation op, tune_allowances allowances) {
  mlirOperationSetDiscardableAttributeByName(
      op, text(TUNE_ALLOW_ATTRIBUTE),
      tune_allow_attribute(mlirOperationGetContext(op), read(op) | allowances));
}

static MlirWalkResult remove_from(MlirOperation op, void *user_data) {
  const tune_allowances *removed = user_data;
  tune_allowances had = is_named(op, "arith.mulf") ? read(op) : 0, left = had & ~*removed;
  if (had && !left)
    mlirOperationRemoveDiscardableAttributeByName(op, text(TUNE_ALLOW_ATTRIBUTE));
  else if (had != left)
    mlirOperationSetDiscardableAttributeByName(
        op, text(TUNE_ALLOW_ATTRIBUTE), tune_allow_attribute(mlirOperationGetContext(op), left));
  return MlirWalkResultAdvance;
}

void tune_allow_remove(MlirOperation root, tune_allowances allowances) {
  mlirOperationWalk(root, remove_from, &allowances, MlirWalkPreOrder);
}

tune_allowances tune_allow_get_all(MlirOperation op) {
  tune_allowances allowances = 0;
  for (; !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op))
    allowances |= read(op);
  return allowances;
}

static MlirWalkResult place(MlirOperation op, void *user_data) {
  (void)user_data;
  MlirOperation multiply = find_multiplication(op);
  tune_allowances allowances = mlirOperationIsNull(multiply) ? 0 : tune_allow_get_all(op);
  if (allowances)
    tune_allow_add(multiply, allowances);
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
                               ": expected an array of strings, such as [\"tf32\"]");
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(words); ++i) {
    MlirAttribute word = mlirArrayAttrGetElement(words, i);
    if (!mlirAttributeIsAString(word))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_ALLOW_ATTRIBUTE ": element %zd is no string", i);
    MlirStringRef value = mlirStringAttrGetValue(word);
    unsigned bit = 0;
    while (tune_allow_words[bit] && !mlirStringRefEqual(value, text(tune_allow_words[bit])))
      ++bit;
    if (!tune_allow_words[bit])
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_ALLOW_ATTRIBUTE
                                 ": \"%.*s\" is nothing that can be allowed; \"tf32\", "
                                 "\"f16\", \"bf16\" and \"int8\" are",
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
