//===- fallback_kernels.c - Kernels for linalg ops that no schedule has taken -===//

#include "transforms/lower/gpu/fallback_kernels.h"

#include "dialects/diagnostic.h"
#include "formats/device_facts.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"

#define MOST_LOOPS TUNE_IR_MAX_LOOPS
#define MOST_OPERANDS 64

// A linalg.generic on its way.
typedef struct nest {
  MlirOperation op;
  MlirBlock body;
  MlirAttribute maps;
  size_t loop_count, operand_count, input_count;
  bool is_reduction[MOST_LOOPS];
  int64_t extents[MOST_LOOPS];
  MlirValue indices[MOST_LOOPS]; // of each loop, in the innermost body
  bool keeps_sums;               // no output moves with a reduction
} nest;

static MlirAffineMap map_of(const nest *self, size_t operand) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(self->maps, (intptr_t)operand));
}

static bool is_loop(MlirAffineExpr expr, size_t *out_loop) {
  if (!mlirAffineExprIsADim(expr))
    return false;
  *out_loop = (size_t)mlirAffineDimExprGetPosition(expr);
  return true;
}

//===--------------------------------------------------------------------------===//
// Reading the op
//===--------------------------------------------------------------------------===//

static void read_extents(nest *self, size_t operand) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(self->op, (intptr_t)operand));
  MlirAffineMap map = map_of(self, operand);
  size_t loop;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    if (is_loop(mlirAffineMapGetResult(map, i), &loop) && mlirTypeIsAShaped(type))
      self->extents[loop] = mlirShapedTypeGetDimSize(type, i);
}

static bool moves_with_reduction(const nest *self, size_t operand) {
  MlirAffineMap map = map_of(self, operand);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    for (size_t loop = 0; loop < self->loop_count; ++loop)
      if (self->is_reduction[loop] &&
          mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(map, i), (intptr_t)loop))
        return true;
  return false;
}

static tune_status read_nest(MlirOperation op, nest *self) {
  *self = (nest){.op = op, .maps = tune_ir_attribute(op, "indexing_maps"), .keeps_sums = true};
  self->body = tune_ir_body(op);
  MlirAttribute iterators = tune_ir_attribute(op, "iterator_types");
  MlirAttribute parallel = mlirAttributeParseGet(mlirOperationGetContext(op),
                                                 tune_ir_string("#linalg.iterator_type<parallel>"));
  self->loop_count = (size_t)mlirArrayAttrGetNumElements(iterators);
  self->operand_count = (size_t)mlirOperationGetNumOperands(op);
  self->input_count =
      (size_t)mlirDenseI32ArrayGetElement(tune_ir_attribute(op, "operandSegmentSizes"), 0);
  if (self->loop_count > MOST_LOOPS || self->operand_count > MOST_OPERANDS)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "%zu loops and %zu operands; up to %d and %d become a kernel",
                               self->loop_count, self->operand_count, MOST_LOOPS, MOST_OPERANDS);
  for (size_t i = 0; i < self->loop_count; ++i) {
    self->is_reduction[i] =
        !mlirAttributeEqual(mlirArrayAttrGetElement(iterators, (intptr_t)i), parallel);
    self->extents[i] = -1;
  }
  for (size_t i = 0; i < self->operand_count; ++i)
    read_extents(self, i);
  for (size_t i = 0; i < self->loop_count; ++i)
    if (self->extents[i] < 0)
      return tune_status_make_at(
          TUNE_INVALID_ARGUMENT, op,
          "the size of loop %zu is known only at run time; " TUNE_DEVICE_FIXED_SIZES, i);
  for (size_t i = self->input_count; i < self->operand_count; ++i)
    self->keeps_sums &= !moves_with_reduction(self, i);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Elements
//===--------------------------------------------------------------------------===//

static MlirValue make_index(const nest *self, const tune_ir_builder *place, MlirAffineExpr expr) {
  size_t loop;
  if (is_loop(expr, &loop))
    return self->indices[loop];
  if (mlirAffineExprIsAConstant(expr))
    return tune_ir_build_index(place, mlirAffineConstantExprGetValue(expr));
  MlirContext context = place->context;
  MlirAffineMap map = mlirAffineMapGet(context, (intptr_t)self->loop_count, 0, 1, &expr);
  MlirValue operands[MOST_LOOPS];
  for (size_t i = 0; i < self->loop_count; ++i) // of a loop that is not yet open it is no function
    operands[i] =
        mlirValueIsNull(self->indices[i]) ? tune_ir_build_index(place, 0) : self->indices[i];
  MlirNamedAttribute attribute = tune_ir_named(context, "map", mlirAffineMapAttrGet(map));
  MlirType index = mlirIndexTypeGet(context);
  return tune_ir_build_result(place, &(tune_ir_parts){.name = "affine.apply",
                                                      .operand_count = (intptr_t)self->loop_count,
                                                      .operands = operands,
                                                      .type_count = 1,
                                                      .types = &index,
                                                      .attribute_count = 1,
                                                      .attributes = &attribute});
}

// Fills in, from `operands[0]` on, where the element of operand `operand` is; how many it takes.
static size_t make_indices(const nest *self, const tune_ir_builder *place, size_t operand,
                           MlirValue *operands) {
  MlirAffineMap map = map_of(self, operand);
  size_t rank = (size_t)mlirAffineMapGetNumResults(map);
  for (size_t i = 0; i < rank; ++i)
    operands[i] = make_index(self, place, mlirAffineMapGetResult(map, (intptr_t)i));
  return rank;
}

static MlirValue make_load(const nest *self, const tune_ir_builder *place, size_t operand) {
  MlirValue operands[MOST_LOOPS + 1] = {mlirOperationGetOperand(self->op, (intptr_t)operand)};
  MlirType type = mlirValueGetType(operands[0]);
  if (!mlirTypeIsAMemRef(type))
    return operands[0];
  size_t rank = make_indices(self, place, operand, operands + 1);
  return tune_ir_build_value(place, "memref.load", mlirShapedTypeGetElementType(type),
                             (intptr_t)rank + 1, operands);
}

static void make_store(const nest *self, const tune_ir_builder *place, size_t operand,
                       MlirValue value) {
  MlirValue operands[MOST_LOOPS + 2] = {value,
                                        mlirOperationGetOperand(self->op, (intptr_t)operand)};
  size_t rank = make_indices(self, place, operand, operands + 2);
  tune_ir_build(place, &(tune_ir_parts){.name = "memref.store",
                                        .operand_count = (intptr_t)rank + 2,
                                        .operands = operands});
}

static MlirWalkResult replace_index(MlirOperation op, void *user_data) {
  const nest *self = user_data;
  if (!tune_ir_is(op, "linalg.index"))
    return MlirWalkResultAdvance;
  int64_t loop = mlirIntegerAttrGetValueInt(tune_ir_attribute(op, "dim"));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), self->indices[loop]);
  mlirOperationDestroy(op);
  return MlirWalkResultSkip;
}

// Moves what the op does with one element at `place`: `sums` are the old elements of the
// outputs and become the new ones.
static void move_body(const nest *self, const tune_ir_builder *place, MlirValue *sums) {
  for (size_t i = 0; i < self->operand_count; ++i) {
    MlirValue argument = mlirBlockGetArgument(self->body, (intptr_t)i);
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(argument)))
      continue;
    mlirValueReplaceAllUsesOfWith(argument, i < self->input_count ? make_load(self, place, i)
                                                                  : sums[i - self->input_count]);
  }
  MlirOperation end = mlirBlockGetTerminator(self->body);
  mlirOperationWalk(self->op, replace_index, (void *)self, MlirWalkPostOrder);
  tune_ir_move_body(place, self->body);
  for (size_t i = self->input_count; i < self->operand_count; ++i)
    sums[i - self->input_count] = mlirOperationGetOperand(end, (intptr_t)(i - self->input_count));
}

// Whether the old element of an output is of use.
static bool reads_output(const nest *self, size_t operand) {
  return !mlirOpOperandIsNull(
      mlirValueGetFirstUse(mlirBlockGetArgument(self->body, (intptr_t)operand)));
}

//===--------------------------------------------------------------------------===//
// Loops
//===--------------------------------------------------------------------------===//

// What is done where all loops are open: with `sums` in registers, or with the outputs in memory.
static void fill_innermost(const nest *self, const tune_ir_builder *place, MlirValue *sums) {
  if (self->keeps_sums) {
    move_body(self, place, sums);
    return;
  }
  MlirValue elements[MOST_OPERANDS] = {{NULL}};
  for (size_t i = self->input_count; i < self->operand_count; ++i)
    if (reads_output(self, i))
      elements[i - self->input_count] = make_load(self, place, i);
  move_body(self, place, elements);
  for (size_t i = self->input_count; i < self->operand_count; ++i)
    make_store(self, place, i, elements[i - self->input_count]);
}

// Makes the loops of the reductions from `loop` on at `place`. `sums` are what is summed up so
// far and become the sums after them.
static void fill_reductions(nest *self, size_t loop, const tune_ir_builder *place, MlirValue *sums,
                            size_t sum_count) {
  while (loop < self->loop_count && !self->is_reduction[loop])
    ++loop;
  if (loop == self->loop_count) {
    fill_innermost(self, place, sums);
    return;
  }
  MlirOperation op;
  tune_ir_builder body =
      tune_ir_build_for(place, self->extents[loop], (intptr_t)sum_count, sums, &op);
  self->indices[loop] = mlirBlockGetArgument(body.block, 0);
  MlirValue inner[MOST_OPERANDS];
  for (size_t i = 0; i < sum_count; ++i)
    inner[i] = mlirBlockGetArgument(body.block, (intptr_t)i + 1);
  fill_reductions(self, loop + 1, &body, inner, sum_count);
  self->indices[loop] = (MlirValue){NULL};
  tune_ir_build(&body, &(tune_ir_parts){.name = "scf.yield",
                                        .operand_count = (intptr_t)sum_count,
                                        .operands = inner});
  for (size_t i = 0; i < sum_count; ++i)
    sums[i] = mlirOperationGetResult(op, (intptr_t)i);
}

static bool has_reduction(const nest *self) {
  for (size_t i = 0; i < self->loop_count; ++i)
    if (self->is_reduction[i])
      return true;
  return false;
}

// One element of each output, at `place`.
static void fill_element(nest *self, const tune_ir_builder *place) {
  MlirValue sums[MOST_OPERANDS] = {{NULL}};
  size_t sum_count = self->keeps_sums ? self->operand_count - self->input_count : 0;
  bool reduces = has_reduction(self);
  for (size_t i = 0; i < sum_count; ++i)
    if (reduces || reads_output(self, self->input_count + i))
      sums[i] = make_load(self, place, self->input_count + i);
  fill_reductions(self, 0, place, sums, sum_count);
  for (size_t i = 0; i < sum_count; ++i)
    make_store(self, place, self->input_count + i, sums[i]);
}

// The scf.forall over the parallel loops, before the op; what is returned is in it.
static tune_ir_builder open_forall(nest *self) {
  tune_ir_builder builder = tune_ir_builder_before(self->op);
  int64_t extents[MOST_LOOPS];
  size_t count = 0;
  for (size_t i = 0; i < self->loop_count; ++i)
    if (!self->is_reduction[i])
      extents[count++] = self->extents[i];
  if (count == 0)
    extents[count++] = 1;
  MlirOperation forall;
  tune_ir_builder inside = tune_ir_build_forall(&builder, count, extents, &forall);
  tune_ir_copy_attributes(self->op, forall);
  for (size_t i = 0, k = 0; i < self->loop_count; ++i)
    if (!self->is_reduction[i])
      self->indices[i] = mlirBlockGetArgument(inside.block, (intptr_t)k++);
  return inside;
}

static tune_status open_op(MlirOperation op) {
  nest self;
  TUNE_RETURN_IF_ERROR(read_nest(op, &self));
  tune_ir_builder inside = open_forall(&self);
  fill_element(&self, &inside);
  mlirOperationDestroy(op);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// In kernels
//===--------------------------------------------------------------------------===//

// Opens the parallel loops of `self` at `place`; what is returned is in them.
static tune_ir_builder open_parallel_loops(nest *self, tune_ir_builder place) {
  for (size_t i = 0; i < self->loop_count; ++i) {
    MlirOperation loop;
    if (self->is_reduction[i])
      continue;
    if (self->extents[i] == 1) {
      self->indices[i] = tune_ir_build_index(&place, 0);
      continue;
    }
    tune_ir_builder inside = tune_ir_build_for(&place, self->extents[i], 0, NULL, &loop);
    inside.before = tune_ir_build(&inside, &(tune_ir_parts){.name = "scf.yield"});
    self->indices[i] = mlirBlockGetArgument(inside.block, 0);
    place = inside;
  }
  return place;
}

static bool has_known_sizes(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (mlirTypeIsAMemRef(type) && !mlirShapedTypeHasStaticShape(type))
      return false;
  }
  return true;
}

static MlirWalkResult find_in_kernel(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "linalg.generic") || !has_known_sizes(op))
    return MlirWalkResultAdvance;
  MlirOperation around = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(around) && !tune_ir_is(around, "scf.forall"))
    around = mlirOperationGetParentOperation(around);
  // A group's tile has no op for each thread: what takes it says so.
  if (mlirOperationIsNull(around) ||
      !mlirAttributeIsNull(tune_ir_attribute(around, "tune.tile.warps_y")))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

// Upstream's loops would add up in memory, element by element.
static tune_status open_in_kernels(MlirOperation function) {
  tune_op_list ops = {0};
  mlirOperationWalk(function, find_in_kernel, &ops, MlirWalkPreOrder);
  tune_status status = ops.failed ? tune_status_out_of_memory("listing ops in kernels") : TUNE_OK;
  for (size_t i = 0; i < ops.count && tune_status_is_ok(status); ++i) {
    nest self;
    status = read_nest(ops.ops[i], &self);
    if (!tune_status_is_ok(status))
      break;
    tune_ir_builder inside = open_parallel_loops(&self, tune_ir_builder_before(ops.ops[i]));
    fill_element(&self, &inside);
    mlirOperationDestroy(ops.ops[i]);
  }
  tune_op_list_deinit(&ops);
  return status;
}

tune_status tune_fallback_kernels_lower(MlirOperation function) {
  static const char *const MADE_OF[] = {"affine", "arith", "memref", "scf", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(function), MADE_OF);
  TUNE_RETURN_IF_ERROR(open_in_kernels(function));
  MlirBlock body = tune_ir_body(function);
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tune_ir_is(op, "linalg.generic"))
      TUNE_RETURN_IF_ERROR(open_op(op));
  }
  return TUNE_OK;
}
