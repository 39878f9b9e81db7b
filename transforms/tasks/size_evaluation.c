//===- size_evaluation.c ------------------------------------------------------===//

#include "transforms/tasks/size_evaluation.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/ir.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

// Values that are looked at, lest loops lead back to themselves, or a value that is asked for twice
// by each op of a long chain is looked at times without number.
#define MOST_STEPS 1024
// Not known.
#define UNKNOWN INT64_MIN

static int64_t find_size(MlirValue value, intptr_t dimension, const tune_given_sizes *given,
                         int *steps);
static int64_t find_number(MlirValue value, const tune_given_sizes *given, int *steps);

//===--------------------------------------------------------------------------===//
// Numbers
//===--------------------------------------------------------------------------===//

static int64_t combine(const char *name, int64_t a, int64_t b) {
  int64_t result = UNKNOWN;
  if (a == UNKNOWN || b == UNKNOWN)
    return UNKNOWN;
  if (strncmp(name, "add", 3) == 0)
    return __builtin_add_overflow(a, b, &result) ? UNKNOWN : result;
  if (strncmp(name, "sub", 3) == 0)
    return __builtin_sub_overflow(a, b, &result) ? UNKNOWN : result;
  if (strncmp(name, "mul", 3) == 0)
    return __builtin_mul_overflow(a, b, &result) ? UNKNOWN : result;
  if (strncmp(name, "max", 3) == 0)
    return a > b ? a : b;
  if (strncmp(name, "min", 3) == 0)
    return a < b ? a : b;
  // Sizes are not negative, where all ways of dividing agree but for their rounding.
  if (a < 0 || b <= 0)
    return UNKNOWN;
  if (strncmp(name, "ceildiv", 7) == 0)
    return a / b + (a % b != 0);
  if (strncmp(name, "div", 3) == 0 || strncmp(name, "floordiv", 8) == 0)
    return a / b;
  return strncmp(name, "rem", 3) == 0 ? a % b : UNKNOWN;
}

static int64_t evaluate_expression(MlirAffineExpr expression, MlirOperation apply, intptr_t dims,
                                   const tune_given_sizes *given, int *steps) {
  static const struct {
    bool (*is)(MlirAffineExpr);
    const char *name;
  } kinds[] = {{mlirAffineExprIsAAdd, "add"},
               {mlirAffineExprIsAMul, "mul"},
               {mlirAffineExprIsAMod, "rem"},
               {mlirAffineExprIsAFloorDiv, "div"},
               {mlirAffineExprIsACeilDiv, "ceildiv"}};
  if (mlirAffineExprIsAConstant(expression))
    return mlirAffineConstantExprGetValue(expression);
  if (mlirAffineExprIsADim(expression))
    return find_number(mlirOperationGetOperand(apply, mlirAffineDimExprGetPosition(expression)),
                       given, steps);
  if (mlirAffineExprIsASymbol(expression))
    return find_number(
        mlirOperationGetOperand(apply, dims + mlirAffineSymbolExprGetPosition(expression)), given,
        steps);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (kinds[i].is(expression))
      return combine(
          kinds[i].name,
          evaluate_expression(mlirAffineBinaryOpExprGetLHS(expression), apply, dims, given, steps),
          evaluate_expression(mlirAffineBinaryOpExprGetRHS(expression), apply, dims, given, steps));
  return UNKNOWN;
}

static int64_t evaluate_apply(MlirOperation apply, const tune_given_sizes *given, int *steps) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(apply, "map"));
  return mlirAffineMapGetNumResults(map) == 1
             ? evaluate_expression(mlirAffineMapGetResult(map, 0), apply,
                                   mlirAffineMapGetNumDims(map), given, steps)
             : UNKNOWN;
}

static int64_t find_number(MlirValue value, const tune_given_sizes *given, int *steps) {
  static const char *const same[] = {"arith.index_cast", "arith.index_castui", "arith.extsi",
                                     "arith.extui",      "arith.trunci",       NULL};
  MlirOperation op = tune_ir_definition(value);
  double number;
  if (mlirOperationIsNull(op) || mlirOperationGetNumResults(op) != 1 || --*steps < 0)
    return UNKNOWN;
  if (tune_constant_exact_value(value, &number))
    return (int64_t)number;
  if (tune_ir_is(op, "tensor.dim")) {
    int64_t dimension = find_number(mlirOperationGetOperand(op, 1), given, steps);
    return dimension == UNKNOWN
               ? UNKNOWN
               : find_size(mlirOperationGetOperand(op, 0), dimension, given, steps);
  }
  if (tune_ir_is_one_of(op, same))
    return find_number(mlirOperationGetOperand(op, 0), given, steps);
  if (tune_ir_is(op, "affine.apply"))
    return evaluate_apply(op, given, steps);
  if (!tune_ir_string_starts(tune_ir_name(op), "arith.") || mlirOperationGetNumOperands(op) != 2)
    return UNKNOWN;
  return combine(tune_ir_name(op).data + strlen("arith."),
                 find_number(mlirOperationGetOperand(op, 0), given, steps),
                 find_number(mlirOperationGetOperand(op, 1), given, steps));
}

//===--------------------------------------------------------------------------===//
// Tensors
//===--------------------------------------------------------------------------===//

// Element `index` of the list `name` of `op`, part of which are its operands from `first` on.
static int64_t find_listed(MlirOperation op, const char *name, intptr_t index, intptr_t first,
                           const tune_given_sizes *given, int *steps) {
  MlirAttribute list = tune_ir_attribute(op, name);
  if (mlirAttributeIsNull(list) || index >= mlirDenseArrayGetNumElements(list))
    return UNKNOWN;
  for (intptr_t i = 0; i < index; ++i)
    first += mlirDenseI64ArrayGetElement(list, i) == mlirShapedTypeGetDynamicSize();
  int64_t fixed = mlirDenseI64ArrayGetElement(list, index);
  return fixed != mlirShapedTypeGetDynamicSize()
             ? fixed
             : find_number(mlirOperationGetOperand(op, first), given, steps);
}

// The operands before segment `segment` of `op`.
static intptr_t count_before(MlirOperation op, intptr_t segment) {
  MlirAttribute segments = tune_ir_attribute(op, "operandSegmentSizes");
  intptr_t count = 0;
  for (intptr_t i = 0; i < segment; ++i)
    count += mlirDenseI32ArrayGetElement(segments, i);
  return count;
}

static int64_t find_empty(MlirOperation op, intptr_t dimension, const tune_given_sizes *given,
                          int *steps) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  intptr_t operand = 0;
  for (intptr_t d = 0; d < dimension; ++d)
    operand += mlirShapedTypeIsDynamicDim(type, d);
  return find_number(mlirOperationGetOperand(op, operand), given, steps);
}

static int64_t find_padded(MlirOperation op, intptr_t dimension, const tune_given_sizes *given,
                           int *steps) {
  int64_t inner = find_size(mlirOperationGetOperand(op, 0), dimension, given, steps);
  int64_t low = find_listed(op, "static_low", dimension, count_before(op, 1), given, steps);
  int64_t high = find_listed(op, "static_high", dimension, count_before(op, 2), given, steps);
  return combine("add", combine("add", inner, low), high);
}

// The product of the dimensions of which `dimension` is made.
static int64_t find_collapsed(MlirOperation op, intptr_t dimension, const tune_given_sizes *given,
                              int *steps) {
  MlirAttribute group = mlirArrayAttrGetElement(tune_ir_attribute(op, "reassociation"), dimension);
  int64_t size = 1;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(group); ++i) {
    int64_t d = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(group, i));
    size = combine("mul", size, find_size(mlirOperationGetOperand(op, 0), d, given, steps));
  }
  return size;
}

static int64_t find_slice(MlirOperation op, intptr_t dimension, const tune_given_sizes *given,
                          int *steps) {
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirType to = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (mlirShapedTypeGetRank(from) != mlirShapedTypeGetRank(to))
    return UNKNOWN; // which dimensions went is not looked into
  return find_listed(op, "static_sizes", dimension, count_before(op, 2), given, steps);
}

static int64_t find_concatenated(MlirOperation op, intptr_t dimension,
                                 const tune_given_sizes *given, int *steps) {
  if (mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dim")) != dimension)
    return find_size(mlirOperationGetOperand(op, 0), dimension, given, steps);
  int64_t size = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    size = combine("add", size, find_size(mlirOperationGetOperand(op, i), dimension, given, steps));
  return size;
}

// What has the same shape as a result of `op`: what it is written into, or begins as, or what a
// branch gives back.
static MlirValue find_alike(MlirOperation op, intptr_t result) {
  if (tune_ir_string_starts(tune_ir_name(op), "linalg.")) {
    MlirAttribute segments = tune_ir_attribute(op, "operandSegmentSizes");
    bool is_listed = !mlirAttributeIsNull(segments) && mlirDenseArrayGetNumElements(segments) == 2;
    intptr_t first = is_listed ? mlirDenseI32ArrayGetElement(segments, 0) : 1;
    return first + result < mlirOperationGetNumOperands(op)
               ? mlirOperationGetOperand(op, first + result)
               : (MlirValue){NULL};
  }
  if (tune_ir_is(op, "tensor.insert_slice") || tune_ir_is(op, "tensor.insert"))
    return mlirOperationGetOperand(op, 1);
  if (tune_ir_is(op, "tensor.cast"))
    return mlirOperationGetOperand(op, 0);
  if (tune_ir_is(op, "scf.for"))
    return mlirOperationGetOperand(op, 3 + result);
  if (tune_ir_is(op, "scf.if"))
    return mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(op)), result);
  return (MlirValue){NULL};
}

static int64_t find_of_result(MlirValue value, intptr_t dimension, const tune_given_sizes *given,
                              int *steps) {
  MlirOperation op = mlirOpResultGetOwner(value);
  if (tune_ir_is(op, "tensor.empty"))
    return find_empty(op, dimension, given, steps);
  if (tune_ir_is(op, "tensor.pad"))
    return find_padded(op, dimension, given, steps);
  if (tune_ir_is(op, "tensor.collapse_shape"))
    return find_collapsed(op, dimension, given, steps);
  if (tune_ir_is(op, "tensor.expand_shape"))
    return find_listed(op, "static_output_shape", dimension, 1, given, steps);
  if (tune_ir_is(op, "tensor.extract_slice"))
    return find_slice(op, dimension, given, steps);
  if (tune_ir_is(op, "tensor.concat"))
    return find_concatenated(op, dimension, given, steps);
  MlirValue alike = find_alike(op, mlirOpResultGetResultNumber(value));
  return mlirValueIsNull(alike) ? UNKNOWN : find_size(alike, dimension, given, steps);
}

static int64_t find_of_argument(MlirValue value, intptr_t dimension, const tune_given_sizes *given,
                                int *steps) {
  MlirOperation op = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
  intptr_t number = mlirBlockArgumentGetArgNumber(value);
  if (tune_ir_is(op, "scf.for") && number > 0)
    return find_size(mlirOperationGetOperand(op, 2 + number), dimension, given, steps);
  bool is_entry = tune_ir_is(op, "func.func") &&
                  mlirBlockEqual(tune_ir_body(op), mlirBlockArgumentGetOwner(value));
  int64_t size = is_entry ? given->get(given->user, number, dimension) : 0;
  return size ? size : UNKNOWN;
}

static int64_t find_size(MlirValue value, intptr_t dimension, const tune_given_sizes *given,
                         int *steps) {
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsARankedTensor(type) || dimension < 0 || dimension >= mlirShapedTypeGetRank(type) ||
      --*steps < 0)
    return UNKNOWN;
  if (!mlirShapedTypeIsDynamicDim(type, dimension))
    return mlirShapedTypeGetDimSize(type, dimension);
  return mlirValueIsABlockArgument(value) ? find_of_argument(value, dimension, given, steps)
                                          : find_of_result(value, dimension, given, steps);
}

int64_t tune_size_evaluate(MlirValue value, intptr_t dimension, const tune_given_sizes *given) {
  int steps = MOST_STEPS;
  int64_t size = find_size(value, dimension, given, &steps);
  return size < 1 ? 0 : size;
}
