//===- kernel_loops.c - The limit on iterations of loops in kernels ----------===//

#include "transforms/lower/gpu/kernel_loops.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"

//===--------------------------------------------------------------------------===//
// What a value may be
//===--------------------------------------------------------------------------===//

typedef struct range {
  int64_t least, most;
} range;

// In a kernel, with so many more values to look at.
typedef struct range_finder {
  MlirOperation kernel;
  int left;
} range_finder;

static bool find_range(range_finder *self, MlirValue value, range *out_range);

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

// The number of an invocation in its group, or of the group, below `sizes` of the kernel.
static bool find_id(const range_finder *self, MlirOperation op, const char *sizes,
                    range *out_range) {
  static const char *const DIMENSIONS[] = {"#gpu<dim x>", "#gpu<dim y>", "#gpu<dim z>"};
  MlirAttribute known = tune_ir_attribute(self->kernel, sizes),
                dimension = tune_ir_attribute(op, "dimension");
  if (mlirAttributeIsNull(known) || mlirAttributeIsNull(dimension))
    return false;
  MlirContext context = mlirOperationGetContext(op);
  for (intptr_t i = 0; i < 3; ++i)
    if (mlirAttributeEqual(dimension,
                           mlirAttributeParseGet(context, tune_ir_string(DIMENSIONS[i])))) {
      *out_range = (range){0, mlirDenseI32ArrayGetElement(known, i) - 1};
      return true;
    }
  return false;
}

// Of ranges of 32 bits each.
static range multiply(range a, range b) {
  int64_t at_least = a.least * b.least, at_most = a.most * b.most, crossed = a.least * b.most,
          turned = a.most * b.least;
  return (range){lesser(lesser(at_least, at_most), lesser(crossed, turned)),
                 greater(greater(at_least, at_most), greater(crossed, turned))};
}

static bool find_of_two(MlirOperation op, range a, range b, range *out_range) {
  if (tune_ir_is(op, "arith.addi"))
    *out_range = (range){a.least + b.least, a.most + b.most};
  else if (tune_ir_is(op, "arith.subi"))
    *out_range = (range){a.least - b.most, a.most - b.least};
  else if (tune_ir_is(op, "arith.muli"))
    *out_range = multiply(a, b);
  else if (tune_ir_is(op, "arith.minsi"))
    *out_range = (range){lesser(a.least, b.least), lesser(a.most, b.most)};
  else if (tune_ir_is(op, "arith.maxsi"))
    *out_range = (range){greater(a.least, b.least), greater(a.most, b.most)};
  else if (a.least < 0 || b.least < 1)
    return false;
  else if (tune_ir_is(op, "arith.divui") || tune_ir_is(op, "arith.divsi"))
    *out_range = (range){a.least / b.most, a.most / b.least};
  else if (tune_ir_is(op, "arith.remui") || tune_ir_is(op, "arith.remsi"))
    *out_range = (range){0, lesser(a.most, b.most - 1)};
  else
    return false;
  return true;
}

static bool find_range_of_op(range_finder *self, MlirOperation op, range *out_range) {
  if (tune_ir_is(op, "gpu.thread_id"))
    return find_id(self, op, "known_block_size", out_range);
  if (tune_ir_is(op, "gpu.block_id"))
    return find_id(self, op, "known_grid_size", out_range);
  intptr_t count = mlirOperationGetNumOperands(op);
  bool casts = tune_ir_is(op, "arith.index_cast"), selects = tune_ir_is(op, "arith.select");
  if (casts)
    return find_range(self, mlirOperationGetOperand(op, 0), out_range);
  range a, b;
  if (count != 2 + selects || !find_range(self, mlirOperationGetOperand(op, count - 2), &a) ||
      !find_range(self, mlirOperationGetOperand(op, count - 1), &b))
    return false;
  *out_range = (range){lesser(a.least, b.least), greater(a.most, b.most)};
  return selects || find_of_two(op, a, b, out_range);
}

// Whether it is known what `value`, an index, may be: in `*out_range`, and that is no more than 32
// bits, as indices are on a device.
static bool find_range(range_finder *self, MlirValue value, range *out_range) {
  int64_t constant;
  if (self->left-- <= 0)
    return false;
  bool found;
  if (tune_ir_is_constant_index(value, &constant)) {
    *out_range = (range){constant, constant};
    found = true;
  } else if (mlirValueIsAOpResult(value)) {
    found = find_range_of_op(self, mlirOpResultGetOwner(value), out_range);
  } else {
    MlirOperation loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    range lower, upper;
    found = tune_ir_is(loop, "scf.for") && mlirBlockArgumentGetArgNumber(value) == 0 &&
            find_range(self, mlirOperationGetOperand(loop, 0), &lower) &&
            find_range(self, mlirOperationGetOperand(loop, 1), &upper);
    if (found)
      *out_range = (range){lower.least, greater(lower.least, upper.most - 1)};
  }
  return found && out_range->least >= INT32_MIN && out_range->most <= INT32_MAX;
}

//===--------------------------------------------------------------------------===//
// Iterations
//===--------------------------------------------------------------------------===//

typedef struct count_state {
  MlirOperation kernel;
  int64_t unrolled;
  MlirOperation unknown; // a loop of which nothing is known; null: none
} count_state;

// How often the scf.for `loop` goes on at most.
static int64_t iterations_of(count_state *self, MlirOperation loop) {
  range bounds[3];
  for (intptr_t i = 0; i < 3; ++i) {
    range_finder finder = {.kernel = self->kernel, .left = 1024};
    if (!find_range(&finder, mlirOperationGetOperand(loop, i), &bounds[i])) {
      self->unknown = loop;
      return 1;
    }
  }
  int64_t step = greater(bounds[2].least, 1), way = bounds[1].most - bounds[0].least;
  return way > 0 ? (way + step - 1) / step : 0;
}

static MlirWalkResult find_barrier(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = tune_ir_is(op, "gpu.barrier");
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

static bool waits(MlirOperation loop) {
  bool found = false;
  mlirOperationWalk(loop, find_barrier, &found, MlirWalkPreOrder);
  return found;
}

// All iterations of the loops in `op`, itself included.
static double count(count_state *self, MlirOperation op) {
  double inside = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (MlirOperation inner = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(inner);
           inner = mlirOperationGetNextInBlock(inner))
        inside += count(self, inner);
  if (tune_ir_is(op, "scf.while"))
    self->unknown = op;
  if (!tune_ir_is(op, "scf.for"))
    return inside;
  int64_t iterations = iterations_of(self, op);
  bool is_unrolled = inside == 0 && iterations <= self->unrolled && !waits(op);
  return is_unrolled ? 0 : (double)iterations * (1 + inside);
}

tune_status tune_kernel_loops_check(MlirOperation kernel, const tune_device *device,
                                    int64_t unrolled) {
  if (!device->loop_limit)
    return TUNE_OK;
  count_state self = {.kernel = kernel, .unrolled = unrolled};
  double iterations = count(&self, kernel);
  if (!mlirOperationIsNull(self.unknown))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, self.unknown,
                               "a loop of which it is not known how often it goes on; the device "
                               "stops it after %lld iterations, without a word",
                               (long long)device->loop_limit);
  if (iterations <= (double)device->loop_limit)
    return TUNE_OK;
  return tune_status_make_at(TUNE_INVALID_ARGUMENT, kernel,
                             "loops of %.0f iterations in an invocation; the device stops after "
                             "%lld: unroll them, or use more invocations",
                             iterations, (long long)device->loop_limit);
}
