//===- task_runs.c ------------------------------------------------------------===//

#include "transforms/tasks/task_runs.h"

#include "transforms/ir/constant_value.h"
#include "transforms/ir/ir.h"

#include <math.h>

// Trips that are known; TUNE_RUNS_UNKNOWN else.
static int64_t count_trips(MlirOperation loop) {
  double lower, upper, step;
  if (!tune_ir_is(loop, "scf.for") ||
      !tune_constant_value(mlirOperationGetOperand(loop, 0), &lower) ||
      !tune_constant_value(mlirOperationGetOperand(loop, 1), &upper) ||
      !tune_constant_value(mlirOperationGetOperand(loop, 2), &step) || !(step > 0))
    return TUNE_RUNS_UNKNOWN;
  double trips = fmax(ceil((upper - lower) / step), 0);
  return trips < 0x1p31 ? (int64_t)trips : TUNE_RUNS_UNKNOWN;
}

int64_t tune_task_runs(MlirOperation op) {
  int64_t runs = 1;
  for (MlirOperation outer = mlirOperationGetParentOperation(op);
       !mlirOperationIsNull(outer) && !tune_ir_is(outer, "func.func");
       outer = mlirOperationGetParentOperation(outer)) {
    int64_t trips = count_trips(outer);
    if (trips == TUNE_RUNS_UNKNOWN || __builtin_mul_overflow(runs, trips, &runs))
      return TUNE_RUNS_UNKNOWN;
  }
  return runs;
}
