//===- steps.c --------------------------------------------------------------------===//

#include "transforms/normalize/steps.h"

#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/spread.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinTypes.h"

enum { LEAST_PRODUCTS = 32 }; // of an element that is copied

// Which part of an operand is read, along each dimension.
typedef struct part {
  int64_t sizes[TUNE_IR_MAX_RANK], steps[TUNE_IR_MAX_RANK];
  MlirAffineMap map; // of the part
} part;

// Fills in dimension `d`, which `index` goes along: a loop, a loop times a number, or 0. Sets
// `out_loop` to the loop, or -1.
static bool read_dimension(const tune_nest_maps *n, MlirAffineExpr index, int64_t *out_size,
                           int64_t *out_step, intptr_t *out_loop) {
  *out_step = 1;
  *out_loop = -1;
  *out_size = 1;
  if (mlirAffineExprIsAConstant(index))
    return mlirAffineConstantExprGetValue(index) == 0;
  if (mlirAffineExprIsAMul(index)) {
    MlirAffineExpr factor = mlirAffineBinaryOpExprGetRHS(index);
    if (!mlirAffineExprIsAConstant(factor) || mlirAffineConstantExprGetValue(factor) < 1)
      return false;
    *out_step = mlirAffineConstantExprGetValue(factor);
    index = mlirAffineBinaryOpExprGetLHS(index);
  }
  if (!mlirAffineExprIsADim(index))
    return false;
  *out_loop = mlirAffineDimExprGetPosition(index);
  *out_size = n->extents[*out_loop];
  return *out_size > 0;
}

// Whether operand `operand` is read in steps, a part of it, each element often enough.
static bool find_part(const tune_nest_maps *n, intptr_t operand, part *out) {
  MlirAffineMap map = n->maps[operand];
  intptr_t rank = mlirAffineMapGetNumResults(map);
  bool is_in_it[TUNE_IR_MAX_LOOPS] = {false}, has_steps = false;
  MlirContext context = mlirAffineMapGetContext(map);
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < rank; ++d) {
    intptr_t loop;
    if (!read_dimension(n, mlirAffineMapGetResult(map, d), &out->sizes[d], &out->steps[d], &loop))
      return false;
    has_steps |= out->steps[d] > 1 && out->sizes[d] > 1;
    indices[d] =
        loop < 0 ? mlirAffineConstantExprGet(context, 0) : mlirAffineDimExprGet(context, loop);
    if (loop >= 0 && is_in_it[loop])
      return false; // a diagonal
    if (loop >= 0)
      is_in_it[loop] = true;
  }
  double products = 1;
  for (intptr_t loop = 0; loop < n->loop_count; ++loop)
    products *= is_in_it[loop] ? 1 : (double)n->extents[loop];
  out->map = mlirAffineMapGet(context, n->loop_count, 0, rank, indices);
  return has_steps && products >= LEAST_PRODUCTS;
}

static void cut_out(tune_nest_maps *n, intptr_t operand, const part *p) {
  tune_ir_builder b = tune_ir_builder_before(n->op);
  const int64_t zeros[TUNE_IR_MAX_RANK] = {0};
  MlirValue operands[TUNE_NEST_MAPS_OPERANDS];
  for (intptr_t o = 0; o < n->operand_count; ++o)
    operands[o] = mlirOperationGetOperand(n->op, o);
  operands[operand] = tune_tensor_slice_in_steps(&b, operands[operand], zeros, p->sizes, p->steps);
  n->maps[operand] = p->map;
  MlirValue result = tune_nest_maps_build(n, operands, n->maps);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(n->op, 0), result);
  mlirOperationDestroy(n->op);
}

bool tune_normalize_steps(MlirOperation root) {
  static const char *const DIALECTS[] = {"linalg", "tensor", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(root), DIALECTS);
  tune_op_list products = {0};
  tune_spread_list_products(root, &products);
  for (size_t i = 0; i < products.count; ++i) {
    tune_nest_maps n;
    part p;
    if (!tune_nest_maps_read(products.ops[i], &n))
      continue;
    tune_nest_maps_drop_units(&n);
    for (intptr_t o = 0; o < 2; ++o)
      if (find_part(&n, o, &p)) {
        cut_out(&n, o, &p);
        break;
      }
  }
  tune_op_list_deinit(&products);
  return !products.failed;
}
