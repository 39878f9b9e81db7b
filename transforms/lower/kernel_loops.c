//===- kernel_loops.c - How long an invocation loops -----------------------------------------===//

#include "transforms/lower/kernel_loops.h"

#include "dialects/diagnostic.h"
#include "transforms/ir.h"

static bool read_bound(MlirOperation loop, intptr_t number, int64_t *out_bound) {
  MlirValue value = mlirOperationGetOperand(loop, number);
  MlirOperation op =
      mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  if (!tune_ir_is(op, "arith.constant"))
    return false;
  *out_bound = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "value"));
  return true;
}

// 1 where that is not known, or `op` is no loop.
static int64_t iterations_of(MlirOperation op) {
  int64_t lower, upper, step;
  if (!tune_ir_is(op, "scf.for") || !read_bound(op, 0, &lower) || !read_bound(op, 1, &upper) ||
      !read_bound(op, 2, &step) || step <= 0)
    return 1;
  return upper > lower ? (upper - lower + step - 1) / step : 0;
}

// All iterations of the loops in `op`, itself included.
static double count(MlirOperation op, int64_t unrolled) {
  double inside = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (MlirOperation inner = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(inner);
           inner = mlirOperationGetNextInBlock(inner))
        inside += count(inner, unrolled);
  if (!tune_ir_is(op, "scf.for"))
    return inside;
  int64_t iterations = iterations_of(op);
  return inside == 0 && iterations <= unrolled ? 0 : (double)iterations * (1 + inside);
}

tune_status tune_kernel_loops_check(MlirOperation kernel, const tune_device *device,
                                    int64_t unrolled) {
  if (!device->loop_limit)
    return TUNE_OK;
  double iterations = count(kernel, unrolled);
  if (iterations <= (double)device->loop_limit)
    return TUNE_OK;
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, kernel,
                             "loops of %.0f iterations in an invocation; the device stops after "
                             "%lld: unroll them, or use more invocations",
                             iterations, (long long)device->loop_limit);
}
