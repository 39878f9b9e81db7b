//===- windows.c --------------------------------------------------------===//

#include "transforms/normalize/windows.h"

#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Dialect/Linalg.h"

enum { RANKS = 16 }; // of loops and operands at most; what has more stays as it is

typedef struct loops {
  size_t count;
  int64_t sizes[RANKS]; // -1: not known, or nothing says it directly
} loops;

static MlirAffineMap map_of(MlirAttribute maps, intptr_t operand) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, operand));
}

// The sizes of the loops that index a dimension of some operand by themselves. Where several
// dimensions say it the last one counts: they agree in what verifies.
static bool read_loops(MlirOperation op, MlirAttribute maps, loops *out) {
  if (mlirArrayAttrGetNumElements(maps) != mlirOperationGetNumOperands(op) ||
      mlirArrayAttrGetNumElements(maps) == 0)
    return false;
  out->count = (size_t)mlirAffineMapGetNumDims(map_of(maps, 0));
  for (size_t i = 0; i < RANKS; ++i)
    out->sizes[i] = -1;
  for (intptr_t o = 0; out->count <= RANKS && o < mlirOperationGetNumOperands(op); ++o) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, o));
    if (!mlirTypeIsARankedTensor(type) || !mlirShapedTypeHasStaticShape(type))
      continue;
    MlirAffineMap map = map_of(maps, o);
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d) {
      MlirAffineExpr index = mlirAffineMapGetResult(map, d);
      if (mlirAffineExprIsADim(index))
        out->sizes[mlirAffineDimExprGetPosition(index)] = mlirShapedTypeGetDimSize(type, d);
    }
  }
  return out->count <= RANKS;
}

// What `index` reads at most, and which loops of more than one step are in it.
typedef struct reach {
  bool is_known;
  int64_t last;
  size_t moving;   // how many terms with such a loop
  bool is_strided; // one of these is not the loop itself
  bool has_unit;   // there are loops of one step
} reach;

static void add_term(MlirAffineExpr loop, int64_t scale, const loops *all, reach *sum) {
  int64_t size = all->sizes[mlirAffineDimExprGetPosition(loop)];
  sum->is_known &= size > 0 && scale > 0;
  sum->has_unit |= size == 1;
  if (!sum->is_known || size == 1)
    return;
  sum->last += scale * (size - 1);
  sum->moving += 1;
  sum->is_strided |= scale != 1;
}

static void add_reach(MlirAffineExpr index, const loops *all, reach *sum) {
  if (mlirAffineExprIsADim(index)) {
    add_term(index, 1, all, sum);
  } else if (mlirAffineExprIsAAdd(index)) {
    add_reach(mlirAffineBinaryOpExprGetLHS(index), all, sum);
    add_reach(mlirAffineBinaryOpExprGetRHS(index), all, sum);
  } else if (mlirAffineExprIsAMul(index)) {
    MlirAffineExpr loop = mlirAffineBinaryOpExprGetLHS(index),
                   factor = mlirAffineBinaryOpExprGetRHS(index);
    if (mlirAffineExprIsADim(loop) && mlirAffineExprIsAConstant(factor))
      add_term(loop, mlirAffineConstantExprGetValue(factor), all, sum);
    else
      sum->is_known = false;
  } else {
    sum->is_known = false;
  }
}

// How much is read of a dimension of `size` that `index` goes along, where the rest is to be cut
// off; else `size`.
static int64_t read_size(MlirAffineExpr index, int64_t size, const loops *all) {
  reach sum = {.is_known = true};
  add_reach(index, all, &sum);
  bool is_cut = sum.is_known && sum.has_unit && sum.moving <= 1 && !sum.is_strided;
  return is_cut && !mlirAffineExprIsADim(index) && sum.last + 1 < size ? sum.last + 1 : size;
}

static MlirWalkResult cut_operands(MlirOperation op, void *user_data) {
  (void)user_data;
  loops all;
  if (!mlirLinalgIsAContractionOp(op) && !mlirLinalgIsAConvolutionOp(op) &&
      !tune_ir_is(op, "linalg.generic"))
    return MlirWalkResultAdvance;
  MlirAttribute maps = mlirLinalgGetIndexingMapsAttribute(op);
  if (mlirAttributeIsNull(maps) || !read_loops(op, maps, &all))
    return MlirWalkResultAdvance;
  tune_ir_builder builder = tune_ir_builder_before(op);
  intptr_t results = mlirOperationGetNumResults(op);
  for (intptr_t o = 0; o < mlirOperationGetNumOperands(op) - results; ++o) {
    MlirValue image = mlirOperationGetOperand(op, o);
    MlirType type = mlirValueGetType(image);
    if (!tune_tensor_is_plain(type) || mlirShapedTypeGetRank(type) > RANKS)
      continue;
    int64_t sizes[RANKS];
    bool is_cut = false;
    intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
    for (intptr_t d = 0; d < rank; ++d) {
      int64_t size = mlirShapedTypeGetDimSize(type, d);
      sizes[d] = read_size(mlirAffineMapGetResult(map_of(maps, o), d), size, &all);
      is_cut |= sizes[d] < size;
    }
    const int64_t zeros[RANKS] = {0};
    if (is_cut)
      mlirOperationSetOperand(op, o, tune_tensor_slice(&builder, image, zeros, sizes));
  }
  return MlirWalkResultAdvance;
}

void tune_normalize_windows(MlirOperation root) {
  static const char *const DIALECTS[] = {"tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  mlirOperationWalk(root, cut_operands, NULL, MlirWalkPostOrder);
}
