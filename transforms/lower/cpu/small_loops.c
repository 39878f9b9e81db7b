//===- small_loops.c --------------------------------------------------------------------===//

#include "transforms/lower/cpu/small_loops.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/lower/common/loop_range.h"
#include "transforms/lower/common/parallel_loops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdint.h>

// Work is counted in half cycles or so: an op on a vector of 256 bits, of which a core does two a
// cycle. On a Xeon two threads take 4 us to begin a loop and to end it; who has as much to do as
// LARGE takes 3.
enum { LARGE = 16384, VECTOR_BITS = 256, FUNCTION = 12 };

static int64_t at_most_large(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) || product > LARGE ? LARGE : product;
}

//===--- Ops ------------------------------------------------------------------------===//

static int64_t bits_of(MlirType element) {
  return mlirTypeIsAInteger(element) ? (int64_t)mlirIntegerTypeGetWidth(element)
         : mlirTypeIsAFloat(element) ? (int64_t)mlirFloatTypeGetWidth(element)
                                     : 64;
}

// Vectors of registers that a value of `type` takes; of memory, those that all of it takes.
static int64_t count_vectors(MlirType type, bool takes_memory) {
  if (!mlirTypeIsAVector(type) && !(takes_memory && mlirTypeIsAMemRef(type)))
    return 1;
  if (!mlirShapedTypeHasStaticShape(type))
    return LARGE;
  int64_t bits = bits_of(mlirShapedTypeGetElementType(type));
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    if (__builtin_mul_overflow(bits, mlirShapedTypeGetDimSize(type, d), &bits))
      return LARGE;
  int64_t count = (bits + VECTOR_BITS - 1) / VECTOR_BITS;
  return count < LARGE ? count : LARGE;
}

static int64_t widest_of(MlirOperation op, bool takes_memory) {
  int64_t widest = 1;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) + mlirOperationGetNumResults(op); ++i) {
    intptr_t operands = mlirOperationGetNumOperands(op);
    MlirValue value =
        i < operands ? mlirOperationGetOperand(op, i) : mlirOperationGetResult(op, i - operands);
    int64_t count = count_vectors(mlirValueGetType(value), takes_memory);
    widest = count > widest ? count : widest;
  }
  return widest;
}

static int64_t work_of_op(MlirOperation op) {
  static const char *const COPIES[] = {"linalg.copy", "linalg.fill", "memref.copy", NULL};
  static const char *const UNKNOWN[] = {"func.call", "func.call_indirect", "scf.parallel",
                                        "scf.while", NULL};
  MlirStringRef name = tune_ir_name(op);
  if (tune_ir_is_one_of(op, COPIES))
    return widest_of(op, true);
  if (tune_ir_is_one_of(op, UNKNOWN) || tune_ir_string_starts(name, "linalg."))
    return LARGE;
  int64_t vectors = widest_of(op, false);
  return tune_ir_string_starts(name, "math.") ? at_most_large(FUNCTION, vectors) : vectors;
}

//===--- Loops ----------------------------------------------------------------------===//

// LARGE where they are known at run time only.
static int64_t steps_of(MlirOperation loop) {
  tune_loop_range range;
  if (tune_ir_is(loop, "scf.for"))
    return tune_loop_range_read_for(loop, &range) ? tune_loop_range_count(&range) : LARGE;
  int64_t steps = mlirOperationGetNumResults(loop) ? LARGE : 1;
  for (intptr_t d = 0; d < mlirBlockGetNumArguments(tune_ir_body(loop)); ++d)
    steps = tune_loop_range_read_forall(loop, d, &range)
                ? at_most_large(steps, tune_loop_range_count(&range))
                : LARGE;
  return steps;
}

// With all that is in it; LARGE and no more where it is that.
static int64_t work_of(MlirOperation op) {
  int64_t within = 0;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (MlirOperation inner = mlirBlockGetFirstOperation(block);
           !mlirOperationIsNull(inner) && within < LARGE;
           inner = mlirOperationGetNextInBlock(inner))
        within += work_of(inner);
  if (tune_ir_is(op, "scf.for") || tune_ir_is(op, "scf.forall"))
    return at_most_large(steps_of(op), within + 1);
  int64_t work = within + work_of_op(op);
  return work < LARGE ? work : LARGE;
}

typedef struct loops_seen {
  bool any, all_small;
} loops_seen;

static MlirWalkResult look_at(MlirOperation op, void *user_data) {
  loops_seen *seen = user_data;
  if (!tune_parallel_loops_is_parallel(op))
    return MlirWalkResultAdvance;
  seen->any = true;
  seen->all_small &= work_of(op) < LARGE;
  return seen->all_small ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

bool tune_small_loops_are_all(MlirOperation function) {
  loops_seen seen = {.all_small = true};
  mlirOperationWalk(function, look_at, &seen, MlirWalkPreOrder);
  return seen.any && seen.all_small;
}
