//===- constant.c -------------------------------------------------------------===//

#include "dialects/constant.h"

#include "dialects/argument_sizes.h"
#include "dialects/arguments.h"
#include "dialects/diagnostic.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

static MlirStringRef text(const char *string) { return mlirStringRefCreateFromCString(string); }

static bool is_named(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), text(name));
}

// The mark on argument `index`, or a null attribute.
static MlirAttribute find_mark(MlirOperation function, intptr_t index) {
  return tune_argument_attribute(function, index, TUNE_CONSTANT_ATTRIBUTE);
}

bool tune_constant_is_argument(MlirOperation function, intptr_t index) {
  return is_named(function, "func.func") && !mlirAttributeIsNull(find_mark(function, index));
}

bool tune_constant_is_value(MlirValue value) {
  while (mlirValueIsAOpResult(value)) {
    MlirOperation op = mlirOpResultGetOwner(value);
    if (!is_named(op, "tensor.collapse_shape") && !is_named(op, "tensor.expand_shape") &&
        !is_named(op, "tensor.cast"))
      return is_named(op, "arith.constant");
    value = mlirOperationGetOperand(op, 0);
  }
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation parent = mlirBlockGetParentOperation(block);
  return !mlirOperationIsNull(parent) &&
         mlirBlockEqual(block, mlirRegionGetFirstBlock(mlirOperationGetRegion(parent, 0))) &&
         tune_constant_is_argument(parent, mlirBlockArgumentGetArgNumber(value));
}

static bool starts_with(MlirOperation op, const char *prefix) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return name.length > strlen(prefix) && memcmp(name.data, prefix, strlen(prefix)) == 0;
}

static bool is_inside(MlirValue value, MlirOperation outside) {
  MlirOperation op = mlirValueIsABlockArgument(value)
                         ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
                         : mlirOperationGetParentOperation(mlirOpResultGetOwner(value));
  while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, outside))
    op = mlirOperationGetParentOperation(op);
  return !mlirOperationIsNull(op);
}

// What a body is looked at for.
typedef struct body_look {
  MlirOperation of;
  bool takes;
} body_look;

static MlirWalkResult look_at_body(MlirOperation op, void *user_data) {
  body_look *look = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !mlirOperationEqual(op, look->of);
       ++i)
    look->takes |= !is_inside(mlirOperationGetOperand(op, i), look->of) &&
                   !tune_constant_is_value(mlirOperationGetOperand(op, i));
  return look->takes ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether the body of `op` uses values that are neither its operands' nor constant.
static bool takes_from_outside(MlirOperation op) {
  body_look look = {.of = op};
  mlirOperationWalk(op, look_at_body, &look, MlirWalkPreOrder);
  return look.takes;
}

// What makes a value; how many ops were met.
typedef struct derivation {
  size_t visits;
  bool has_constant;
} derivation;

static bool derives(MlirValue value, derivation *state) {
  enum { MOST_VISITS = 64 }; // filters and factors are made by a few
  if (tune_constant_is_value(value)) {
    state->has_constant |= mlirTypeIsARankedTensor(mlirValueGetType(value));
    return true;
  }
  if (!mlirValueIsAOpResult(value) || ++state->visits > MOST_VISITS)
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  if ((!starts_with(op, "linalg.") && !starts_with(op, "tensor.") && !starts_with(op, "arith.")) ||
      takes_from_outside(op))
    return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (!derives(mlirOperationGetOperand(op, i), state))
      return false;
  return true;
}

bool tune_constant_is_derived(MlirValue value) {
  derivation state = {0};
  return derives(value, &state) && state.has_constant;
}

static bool is_known(MlirStringRef name) {
  static const char *const known[] = {TUNE_CONSTANT_ATTRIBUTE, TUNE_DIM_ATTRIBUTE,
                                      TUNE_MEASURED_AT_ATTRIBUTE, NULL};
  for (const char *const *other = known; *other; ++other)
    if (mlirStringRefEqual(name, text(*other)))
      return true;
  return false;
}

// A mark with another name would be given and not heeded.
static tune_status verify_names(MlirOperation function, intptr_t index) {
  static const char PREFIX[] = "tune.";
  MlirAttribute attributes = tune_argument_attributes(function, index);
  intptr_t count =
      mlirAttributeIsNull(attributes) ? 0 : mlirDictionaryAttrGetNumElements(attributes);
  for (intptr_t i = 0; i < count; ++i) {
    MlirStringRef name = mlirIdentifierStr(mlirDictionaryAttrGetElement(attributes, i).name);
    if (name.length >= strlen(PREFIX) && strncmp(name.data, PREFIX, strlen(PREFIX)) == 0 &&
        !is_known(name))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                 "%.*s of argument %zd is nothing that an argument can have; did "
                                 "you mean " TUNE_CONSTANT_ATTRIBUTE ", " TUNE_DIM_ATTRIBUTE
                                 " or " TUNE_MEASURED_AT_ATTRIBUTE "?",
                                 (int)name.length, name.data, index);
  }
  return TUNE_OK;
}

static tune_status verify_function(MlirOperation function) {
  MlirAttribute type_attribute = mlirOperationGetAttributeByName(function, text("function_type"));
  MlirType type = mlirTypeAttrGetValue(type_attribute);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i) {
    TUNE_RETURN_IF_ERROR(verify_names(function, i));
    MlirAttribute mark = find_mark(function, i);
    if (mlirAttributeIsNull(mark))
      continue;
    if (!mlirAttributeIsAUnit(mark))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                 TUNE_CONSTANT_ATTRIBUTE " of argument %zd takes no value", i);
    // Bufferization keeps the mark, which then says nothing more.
    MlirType input = mlirFunctionTypeGetInput(type, i);
    if (!mlirTypeIsARankedTensor(input) && !mlirTypeIsAMemRef(input))
      return tune_status_make_at(
          TUNE_INVALID_ARGUMENT, function,
          TUNE_CONSTANT_ATTRIBUTE " is for tensors, and argument %zd is none", i);
  }
  return TUNE_OK;
}

static MlirWalkResult verify_op(MlirOperation op, void *user_data) {
  tune_status *status = user_data;
  if (!mlirAttributeIsNull(
          mlirOperationGetDiscardableAttributeByName(op, text(TUNE_CONSTANT_ATTRIBUTE))))
    *status = tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                  TUNE_CONSTANT_ATTRIBUTE
                                  " is for arguments of functions: "
                                  "func.func @f(%%w: tensor<...> {tune.constant})");
  else if (is_named(op, "func.func"))
    *status = verify_function(op);
  return tune_status_is_ok(*status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_constant_verify(MlirOperation root) {
  tune_status status = TUNE_OK;
  mlirOperationWalk(root, verify_op, &status, MlirWalkPreOrder);
  return status;
}
