//===- vector_legalization_multiples.c - Indices by their divisors -----------===//

#include "transforms/lower/gpu/vectors/vector_legalization_access.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

//===--------------------------------------------------------------------------===//
// Multiples
//===--------------------------------------------------------------------------===//

#define DEEPEST 16

static bool is_multiple(MlirValue value, int64_t divisor, int depth);

static bool expression_is_multiple(MlirAffineExpr expression, MlirOperation apply,
                                   intptr_t dim_count, int64_t divisor, int depth) {
  if (depth > DEEPEST)
    return false;
  if (mlirAffineExprIsAConstant(expression))
    return mlirAffineConstantExprGetValue(expression) % divisor == 0;
  if (mlirAffineExprIsADim(expression))
    return is_multiple(mlirOperationGetOperand(apply, mlirAffineDimExprGetPosition(expression)),
                       divisor, depth);
  if (mlirAffineExprIsASymbol(expression))
    return is_multiple(
        mlirOperationGetOperand(apply, dim_count + mlirAffineSymbolExprGetPosition(expression)),
        divisor, depth);
  MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(expression),
                 right = mlirAffineBinaryOpExprGetRHS(expression);
  bool a = expression_is_multiple(left, apply, dim_count, divisor, depth + 1);
  bool b = expression_is_multiple(right, apply, dim_count, divisor, depth + 1);
  if (mlirAffineExprIsAAdd(expression))
    return a && b;
  return mlirAffineExprIsAMul(expression) && (a || b);
}

static bool map_is_multiple(MlirOperation op, int64_t divisor, int depth) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(op, "map"));
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    if (!expression_is_multiple(mlirAffineMapGetResult(map, i), op, mlirAffineMapGetNumDims(map),
                                divisor, depth))
      return false;
  return true;
}

MlirOperation tune_access_loop_of(MlirValue value) {
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation owner = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    if (tune_ir_is(owner, "scf.for") && mlirBlockArgumentGetArgNumber(value) == 0)
      return owner;
  }
  return (MlirOperation){NULL};
}

// Of an index of a scf.forall of constant bounds.
static bool is_multiple_in_forall(MlirValue index, int64_t divisor) {
  MlirOperation forall = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(index));
  intptr_t number = mlirBlockArgumentGetArgNumber(index);
  if (!tune_ir_is(forall, "scf.forall") || mlirOperationGetNumOperands(forall))
    return false;
  return mlirDenseI64ArrayGetElement(tune_ir_attribute(forall, "staticLowerBound"), number) %
                 divisor ==
             0 &&
         mlirDenseI64ArrayGetElement(tune_ir_attribute(forall, "staticStep"), number) % divisor ==
             0;
}

static bool is_multiple(MlirValue value, int64_t divisor, int depth) {
  if (depth > DEEPEST)
    return false;
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation loop = tune_access_loop_of(value);
    if (mlirOperationIsNull(loop))
      return is_multiple_in_forall(value, divisor);
    return is_multiple(mlirOperationGetOperand(loop, 0), divisor, depth + 1) &&
           is_multiple(mlirOperationGetOperand(loop, 2), divisor, depth + 1);
  }
  int64_t constant;
  if (tune_ir_is_constant_index(value, &constant))
    return constant % divisor == 0;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (tune_ir_is(op, "affine.apply") || tune_ir_is(op, "affine.min") ||
      tune_ir_is(op, "affine.max"))
    return map_is_multiple(op, divisor, depth + 1);
  bool adds = tune_ir_is(op, "arith.addi") || tune_ir_is(op, "arith.subi");
  if (!adds && !tune_ir_is(op, "arith.muli"))
    return false;
  bool a = is_multiple(mlirOperationGetOperand(op, 0), divisor, depth + 1);
  bool b = is_multiple(mlirOperationGetOperand(op, 1), divisor, depth + 1);
  return adds ? a && b : a || b;
}

bool tune_access_is_multiple(MlirValue value, int64_t divisor) {
  return divisor == 1 || is_multiple(value, divisor, 0);
}

//===--------------------------------------------------------------------------===//
// What is left, divided by four
//===--------------------------------------------------------------------------===//

#define TEXEL 4

static int residue_of(MlirValue value, int depth);

static int residue_of_sum(bool adds, int a, int b) {
  return a < 0 || b < 0 ? -1 : (adds ? a + b : a - b + TEXEL) % TEXEL;
}

static int residue_of_product(int a, int b) {
  return a == 0 || b == 0 ? 0 : a < 0 || b < 0 ? -1 : a * b % TEXEL;
}

static int residue_of_expression(MlirAffineExpr expression, MlirOperation apply, int depth) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(apply, "map"));
  if (depth > DEEPEST)
    return -1;
  if (mlirAffineExprIsAConstant(expression))
    return (int)(mlirAffineConstantExprGetValue(expression) & (TEXEL - 1));
  if (mlirAffineExprIsADim(expression))
    return residue_of(mlirOperationGetOperand(apply, mlirAffineDimExprGetPosition(expression)),
                      depth + 1);
  if (mlirAffineExprIsASymbol(expression))
    return residue_of(
        mlirOperationGetOperand(apply, mlirAffineMapGetNumDims(map) +
                                           mlirAffineSymbolExprGetPosition(expression)),
        depth + 1);
  int a = residue_of_expression(mlirAffineBinaryOpExprGetLHS(expression), apply, depth + 1),
      b = residue_of_expression(mlirAffineBinaryOpExprGetRHS(expression), apply, depth + 1);
  if (mlirAffineExprIsAAdd(expression))
    return residue_of_sum(true, a, b);
  return mlirAffineExprIsAMul(expression) ? residue_of_product(a, b) : -1;
}

// What is left of `value`, an index, divided by TEXEL; -1 where that is not known.
static int residue_of(MlirValue value, int depth) {
  int64_t constant;
  if (depth > DEEPEST)
    return -1;
  if (tune_ir_is_constant_index(value, &constant))
    return (int)(constant & (TEXEL - 1));
  if (mlirValueIsABlockArgument(value)) {
    MlirOperation loop = tune_access_loop_of(value);
    return !mlirOperationIsNull(loop) &&
                   is_multiple(mlirOperationGetOperand(loop, 2), TEXEL, depth + 1)
               ? residue_of(mlirOperationGetOperand(loop, 0), depth + 1)
               : -1;
  }
  MlirOperation op = mlirOpResultGetOwner(value);
  if (tune_ir_is(op, "affine.apply"))
    return residue_of_expression(
        mlirAffineMapGetResult(mlirAffineMapAttrGetValue(tune_ir_attribute(op, "map")), 0), op,
        depth);
  bool adds = tune_ir_is(op, "arith.addi");
  if (!adds && !tune_ir_is(op, "arith.subi") && !tune_ir_is(op, "arith.muli"))
    return -1;
  int a = residue_of(mlirOperationGetOperand(op, 0), depth + 1),
      b = residue_of(mlirOperationGetOperand(op, 1), depth + 1);
  return tune_ir_is(op, "arith.muli") ? residue_of_product(a, b) : residue_of_sum(adds, a, b);
}

int tune_access_residue(const tune_access *access, const MlirValue *indices) {
  int residue = 0;
  int64_t stride = 1;
  for (intptr_t m = access->memref_rank; m-- > 0; stride *= access->memref_sizes[m])
    residue = residue_of_sum(true, residue,
                             residue_of_product((int)(stride % TEXEL), residue_of(indices[m], 0)));
  return residue;
}

//===--------------------------------------------------------------------------===//
// Division
//===--------------------------------------------------------------------------===//

// What stands for a part of an affine expression, divided.
static MlirValue divide_expression(const tune_ir_builder *builder, MlirAffineExpr expression,
                                   MlirOperation apply, int64_t divisor);

static MlirValue evaluate(const tune_ir_builder *builder, MlirAffineExpr expression,
                          MlirOperation apply) {
  MlirAffineMap old = mlirAffineMapAttrGetValue(tune_ir_attribute(apply, "map"));
  intptr_t count = mlirOperationGetNumOperands(apply);
  MlirValue operands[32];
  for (intptr_t i = 0; i < count && i < 32; ++i)
    operands[i] = mlirOperationGetOperand(apply, i);
  MlirAffineMap map = mlirAffineMapGet(builder->context, mlirAffineMapGetNumDims(old),
                                       mlirAffineMapGetNumSymbols(old), 1, &expression);
  MlirType index = mlirIndexTypeGet(builder->context);
  MlirNamedAttribute attribute = tune_ir_named(builder->context, "map", mlirAffineMapAttrGet(map));
  tune_ir_parts parts = {.name = "affine.apply",
                         .operand_count = count,
                         .operands = operands,
                         .type_count = 1,
                         .types = &index,
                         .attribute_count = 1,
                         .attributes = &attribute};
  return tune_ir_build_result(builder, &parts);
}

static MlirValue operand_of(MlirAffineExpr expression, MlirOperation apply) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(apply, "map"));
  intptr_t place = mlirAffineExprIsADim(expression)
                       ? mlirAffineDimExprGetPosition(expression)
                       : mlirAffineMapGetNumDims(map) + mlirAffineSymbolExprGetPosition(expression);
  return mlirOperationGetOperand(apply, place);
}

static MlirValue divide_expression(const tune_ir_builder *builder, MlirAffineExpr expression,
                                   MlirOperation apply, int64_t divisor) {
  if (mlirAffineExprIsAConstant(expression))
    return tune_ir_build_index(builder, mlirAffineConstantExprGetValue(expression) / divisor);
  if (mlirAffineExprIsADim(expression) || mlirAffineExprIsASymbol(expression))
    return tune_access_divide(builder, operand_of(expression, apply), divisor);
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(apply, "map"));
  MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(expression),
                 right = mlirAffineBinaryOpExprGetRHS(expression);
  if (mlirAffineExprIsAAdd(expression))
    return tune_ir_build_binary(builder, "arith.addi",
                                divide_expression(builder, left, apply, divisor),
                                divide_expression(builder, right, apply, divisor));
  // A product, of which one factor is a multiple.
  bool divides_left = expression_is_multiple(left, apply, mlirAffineMapGetNumDims(map), divisor, 0);
  MlirAffineExpr divided = divides_left ? left : right, other = divides_left ? right : left;
  return tune_ir_build_binary(builder, "arith.muli",
                              divide_expression(builder, divided, apply, divisor),
                              evaluate(builder, other, apply));
}

MlirValue tune_access_divide(const tune_ir_builder *builder, MlirValue value, int64_t divisor) {
  int64_t constant;
  if (tune_ir_is_constant_index(value, &constant))
    return tune_ir_build_index(builder, constant / divisor);
  MlirOperation op =
      mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  if (tune_ir_is(op, "affine.apply") && is_multiple(value, divisor, 0) &&
      mlirOperationGetNumOperands(op) <= 32) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(op, "map"));
    return divide_expression(builder, mlirAffineMapGetResult(map, 0), op, divisor);
  }
  bool adds = tune_ir_is(op, "arith.addi") || tune_ir_is(op, "arith.subi");
  if (adds || tune_ir_is(op, "arith.muli")) {
    MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1);
    bool divides_a = is_multiple(a, divisor, 0), divides_b = is_multiple(b, divisor, 0);
    const char *name =
        adds ? (tune_ir_is(op, "arith.addi") ? "arith.addi" : "arith.subi") : "arith.muli";
    if (adds ? divides_a && divides_b : divides_a || divides_b) {
      if (adds || divides_a)
        a = tune_access_divide(builder, a, divisor);
      if (adds || !divides_a)
        b = tune_access_divide(builder, b, divisor);
      return tune_ir_build_binary(builder, name, a, b);
    }
  }
  return tune_ir_build_binary(builder, "arith.divui", value, tune_ir_build_index(builder, divisor));
}
