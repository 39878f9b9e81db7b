//===- lane_steps.c - Distribution of a loop's steps over the lanes of a subgroup -===//

#include "transforms/lower/gpu/lane_steps.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#define WIDTH TUNE_LANE_STEP_WIDTH
#define MOST_INDICES 8

typedef struct spreading {
  MlirOperation loop;
  MlirValue number; // of the step: the loop's index
  int64_t length;   // of a step of one lane
  bool fits;
  tune_op_list accesses;
} spreading;

static int64_t count_elements(MlirType type) {
  int64_t count = 1;
  for (intptr_t i = 0; mlirTypeIsAVector(type) && i < mlirShapedTypeGetRank(type); ++i)
    count *= mlirShapedTypeGetDimSize(type, i);
  return count;
}

// Whether `type` is a scalar, or one lane's part of a step.
static bool is_part(MlirType type, int64_t length) {
  int64_t count = count_elements(type);
  return count == 1 || (count == length && mlirShapedTypeGetRank(type) == 1);
}

// Whether `op` goes along the last dimension of its buffer from the loop's index on, all of it
// within, and uses the index for nothing else.
static bool is_access_along(MlirOperation op, const spreading *self) {
  bool writes = tune_ir_is(op, "vector.transfer_write");
  MlirValue memref = mlirOperationGetOperand(op, writes),
            vector = writes ? mlirOperationGetOperand(op, 0) : mlirOperationGetResult(op, 0);
  if (!mlirTypeIsAMemRef(mlirValueGetType(memref)) ||
      count_elements(mlirValueGetType(vector)) != self->length)
    return false;
  intptr_t rank = mlirShapedTypeGetRank(mlirValueGetType(memref)), first = writes ? 2 : 1;
  MlirAffineMap map = mlirAffineMapAttrGetValue(tune_ir_attribute(op, "permutation_map"));
  MlirAttribute in_bounds = tune_ir_attribute(op, "in_bounds");
  MlirAttribute segments = tune_ir_attribute(op, "operandSegmentSizes");
  if (rank > MOST_INDICES || !mlirAffineMapIsMinorIdentity(map) ||
      !mlirBoolAttrGetValue(mlirArrayAttrGetElement(in_bounds, 0)) ||
      mlirDenseI32ArrayGetElement(segments, mlirDenseArrayGetNumElements(segments) - 1) > 0)
    return false;
  for (intptr_t i = 0; i < rank; ++i)
    if (mlirValueEqual(mlirOperationGetOperand(op, first + i), self->number) != (i == rank - 1))
      return false;
  return true;
}

static bool computes_each(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.") ||
         tune_ir_is(op, "vector.broadcast") || tune_ir_is(op, "vector.multi_reduction") ||
         tune_ir_is(op, "vector.reduction") || tune_ir_is(op, "scf.yield") ||
         tune_ir_is(op, "ub.poison");
}

// A constant whose elements differ is of its places.
static bool is_constant_of_many(MlirOperation op) {
  MlirAttribute value = tune_ir_attribute(op, "value");
  return tune_ir_is(op, "arith.constant") && mlirAttributeIsADenseElements(value) &&
         !mlirDenseElementsAttrIsSplat(value);
}

static MlirWalkResult check(MlirOperation op, void *user_data) {
  spreading *self = user_data;
  if (mlirOperationEqual(op, self->loop)) // a walk begins there
    return MlirWalkResultAdvance;
  if (tune_ir_is(op, "vector.transfer_read") || tune_ir_is(op, "vector.transfer_write")) {
    self->fits = is_access_along(op, self) && tune_op_list_add(&self->accesses, op);
  } else {
    // What extracts takes one of one.
    bool extracts = tune_ir_is(op, "vector.extract") &&
                    count_elements(mlirValueGetType(mlirOperationGetOperand(op, 0))) == 1;
    self->fits = (computes_each(op) || extracts) && mlirOperationGetNumRegions(op) == 0 &&
                 !is_constant_of_many(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && self->fits; ++i) {
      MlirValue operand = mlirOperationGetOperand(op, i);
      MlirOperation maker = tune_ir_definition(operand);
      self->fits = is_part(mlirValueGetType(operand), self->length) &&
                   !mlirValueEqual(operand, self->number) &&
                   (mlirOperationIsNull(maker) || !is_constant_of_many(maker));
    }
  }
  return self->fits ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static MlirAttribute one_number(MlirContext context, int64_t value) {
  MlirAttribute number = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), value);
  return mlirArrayAttrGet(context, 1, &number);
}

// `part` put into `all` at element `at`; or, where `part` is null, what is there.
static MlirValue build_slice(const tune_ir_builder *builder, MlirValue part, MlirValue all,
                             int64_t at) {
  MlirContext context = builder->context;
  bool inserts = !mlirValueIsNull(part);
  int64_t width = WIDTH;
  MlirType whole = mlirValueGetType(all),
           type =
               inserts ? whole : mlirVectorTypeGet(1, &width, mlirShapedTypeGetElementType(whole));
  MlirValue operands[] = {part, all};
  MlirNamedAttribute attributes[] = {tune_ir_named(context, "offsets", one_number(context, at)),
                                     tune_ir_named(context, "strides", one_number(context, 1)),
                                     tune_ir_named(context, "sizes", one_number(context, WIDTH))};
  tune_ir_parts parts = {.name = inserts ? "vector.insert_strided_slice"
                                         : "vector.extract_strided_slice",
                         .operand_count = inserts ? 2 : 1,
                         .operands = inserts ? operands : operands + 1,
                         .type_count = 1,
                         .types = &type,
                         .attribute_count = inserts ? 2 : 3,
                         .attributes = attributes};
  return tune_ir_build_result(builder, &parts);
}

// `op` for four elements, `distance` further on; `part` is what a write writes.
static MlirOperation build_access(const tune_ir_builder *builder, MlirOperation op, MlirValue part,
                                  int64_t distance) {
  bool writes = !mlirValueIsNull(part);
  MlirValue operands[2 + MOST_INDICES];
  intptr_t count = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = mlirOperationGetOperand(op, i);
  if (writes)
    operands[0] = part;
  intptr_t last = mlirShapedTypeGetRank(mlirValueGetType(operands[writes])) + (writes ? 1 : 0);
  if (distance > 0)
    operands[last] = tune_ir_build_binary(builder, "arith.addi", operands[last],
                                          tune_ir_build_index(builder, distance));
  MlirNamedAttribute attributes[8];
  intptr_t attribute_count = mlirOperationGetNumAttributes(op);
  for (intptr_t i = 0; i < attribute_count && i < 8; ++i)
    attributes[i] = mlirOperationGetAttribute(op, i);
  int64_t width = WIDTH;
  MlirType type = mlirVectorTypeGet(
      1, &width, mlirShapedTypeGetElementType(mlirValueGetType(operands[writes])));
  tune_ir_parts parts = {.name = writes ? "vector.transfer_write" : "vector.transfer_read",
                         .operand_count = count,
                         .operands = operands,
                         .type_count = writes ? 0 : 1,
                         .types = &type,
                         .attribute_count = attribute_count < 8 ? attribute_count : 8,
                         .attributes = attributes};
  return tune_ir_build(builder, &parts);
}

static void spread_access(MlirOperation op, int64_t length, int64_t lanes) {
  tune_ir_builder builder = tune_ir_builder_before(op);
  bool writes = tune_ir_is(op, "vector.transfer_write");
  MlirValue none = {NULL};
  MlirValue all =
      writes ? mlirOperationGetOperand(op, 0)
             : tune_ir_build_number(&builder, mlirValueGetType(mlirOperationGetResult(op, 0)), 0);
  for (int64_t at = 0; at < length; at += WIDTH) {
    MlirValue part = writes ? build_slice(&builder, none, all, at) : none;
    MlirOperation access = build_access(&builder, op, part, at * lanes);
    if (!writes)
      all = build_slice(&builder, mlirOperationGetResult(access, 0), all, at);
  }
  if (!writes)
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), all);
  mlirOperationDestroy(op);
}

tune_status tune_lane_steps_spread(MlirOperation loop, int64_t lanes, bool *out_spread) {
  *out_spread = false;
  int64_t lower, upper, step;
  if (!tune_ir_is_constant_index(mlirOperationGetOperand(loop, 0), &lower) ||
      !tune_ir_is_constant_index(mlirOperationGetOperand(loop, 1), &upper) ||
      !tune_ir_is_constant_index(mlirOperationGetOperand(loop, 2), &step) || step <= WIDTH ||
      step % WIDTH || (upper - lower) % (step * lanes))
    return TUNE_OK;
  MlirBlock body = tune_ir_body(loop);
  spreading self = {
      .loop = loop, .number = mlirBlockGetArgument(body, 0), .length = step, .fits = true};
  mlirOperationWalk(loop, check, &self, MlirWalkPreOrder);
  tune_status status =
      self.accesses.failed ? tune_status_out_of_memory("listing accesses") : TUNE_OK;
  *out_spread = tune_status_is_ok(status) && self.fits;
  for (size_t i = 0; i < self.accesses.count && *out_spread; ++i)
    spread_access(self.accesses.ops[i], step, lanes);
  tune_op_list_deinit(&self.accesses);
  return status;
}
