//===- lanes.c - Several invocations at one row -------------------------------------===//

#include "transforms/lower/lanes.h"

#include "dialects/diagnostic.h"
#include "transforms/ir_builder.h"
#include "transforms/lower/combination.h"
#include "transforms/op_list.h"

#include <stdio.h>

#define MOST_DIMENSIONS 32

//===--------------------------------------------------------------------------===//
// The parallel loop
//===--------------------------------------------------------------------------===//

static MlirAttribute appended(MlirOperation forall, const char *name, int64_t last) {
  MlirAttribute old = tune_ir_attribute(forall, name);
  int64_t values[MOST_DIMENSIONS + 1];
  intptr_t count = mlirDenseArrayGetNumElements(old);
  for (intptr_t i = 0; i < count; ++i)
    values[i] = mlirDenseI64ArrayGetElement(old, i);
  values[count] = last;
  return mlirDenseI64ArrayGet(mlirOperationGetContext(forall), count + 1, values);
}

// The forall anew with a dimension of `lanes` more; `*out_lane` is its index.
static MlirOperation remake(MlirOperation forall, int64_t lanes, MlirValue *out_lane) {
  tune_ir_builder builder = tune_ir_builder_before(forall);
  MlirContext context = builder.context;
  MlirBlock old = mlirRegionGetFirstBlock(mlirOperationGetRegion(forall, 0));
  intptr_t rank = mlirBlockGetNumArguments(old);
  MlirBlock body = tune_ir_make_block(&builder, (size_t)rank + 1);
  for (intptr_t i = 0; i < rank; ++i)
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(old, i), mlirBlockGetArgument(body, i));
  tune_ir_builder inside = tune_ir_builder_at_end(body, builder.location);
  tune_ir_move_all(&inside, old);
  *out_lane = mlirBlockGetArgument(body, rank);
  MlirRegion region = tune_ir_make_region(body);
  int32_t none[] = {0, 0, 0, 0};
  MlirAttribute group = tune_ir_attribute(forall, "tune.group_x");
  MlirAttribute width = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), lanes);
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "staticLowerBound", appended(forall, "staticLowerBound", 0)),
      tune_ir_named(context, "staticUpperBound", appended(forall, "staticUpperBound", lanes)),
      tune_ir_named(context, "staticStep", appended(forall, "staticStep", 1)),
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 4, none)),
      tune_ir_named(context, "tune.group_x", width),
      tune_ir_named(context, "tune.group_y", group)};
  tune_ir_parts parts = {.name = "scf.forall",
                         .attribute_count = mlirAttributeIsNull(group) ? 5 : 6,
                         .attributes = attributes,
                         .region_count = 1,
                         .regions = &region};
  MlirOperation made = tune_ir_build(&builder, &parts);
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(forall); ++i) {
    MlirNamedAttribute kept = mlirOperationGetDiscardableAttribute(forall, i);
    MlirStringRef name = mlirIdentifierStr(kept.name);
    if (!tune_ir_string_starts(name, "tune.group_") &&
        !tune_ir_string_equal(name, TUNE_LANES_ATTRIBUTE))
      mlirOperationSetDiscardableAttributeByName(made, name, kept.attribute);
  }
  mlirOperationDestroy(forall);
  return made;
}

//===--------------------------------------------------------------------------===//
// Loops along the row
//===--------------------------------------------------------------------------===//

// Whether `op` only gives its operand another shape, as far as scalars in vectors go.
static bool is_renaming(MlirOperation op) {
  return tune_ir_is(op, "vector.broadcast") || tune_ir_is(op, "vector.extract") ||
         tune_ir_is(op, "vector.shape_cast");
}

// The op that combines what was carried into the yielded `value` with something new, by kind; a
// null op where there is none such.
static MlirOperation find_combination(MlirValue value, int depth) {
  MlirOperation none = {NULL};
  if (depth > 8 || !mlirValueIsAOpResult(value))
    return none;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (tune_ir_is(op, "vector.multi_reduction") || tune_ir_is(op, "vector.reduction") ||
      tune_ir_is(op, "vector.contract"))
    return op;
  return is_renaming(op) ? find_combination(mlirOperationGetOperand(op, 0), depth + 1) : none;
}

static bool is_used_once(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

// Whether the last operand of `combination` is what the loop carries as `carried`, by whatever
// name, and nothing else reads that: a partial result is no use to anyone else.
static bool is_of(MlirOperation combination, MlirValue carried) {
  MlirValue value =
      mlirOperationGetOperand(combination, mlirOperationGetNumOperands(combination) - 1);
  for (int depth = 0; depth < 8 && !mlirValueEqual(value, carried); ++depth) {
    MlirOperation op =
        mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
    if (!is_renaming(op) || !is_used_once(value))
      return false;
    value = mlirOperationGetOperand(op, 0);
  }
  return mlirValueEqual(value, carried) && is_used_once(carried);
}

// "add", "maxnumf", …: what `op` combines by; NULL where lanes cannot share that.
static const char *read_kind(MlirOperation op) {
  const tune_combination *found = tune_combination_find(op);
  if (!found || (strcmp(found->kind, "add") != 0 && strcmp(found->kind, "mul") != 0 &&
                 strncmp(found->kind, "min", 3) != 0 && strncmp(found->kind, "max", 3) != 0))
    return NULL;
  return found->kind;
}

// Whether it makes a difference how often what a loop starts with is combined into the result: not
// to minima and maxima, which may start alike in all lanes.
static bool starts_once(const char *kind) {
  return strcmp(kind, "add") == 0 || strcmp(kind, "mul") == 0;
}

// What a sum or product begins with: `initial` in the first lane, what changes nothing in the
// others.
static MlirValue start_once(const tune_ir_builder *builder, const char *kind, MlirValue initial,
                            MlirValue lane) {
  MlirType type = mlirValueGetType(initial);
  MlirValue first = tune_ir_build_compare(builder, "eq", lane, tune_ir_build_index(builder, 0));
  int64_t neutral = strcmp(kind, "mul") == 0;
  MlirValue operands[] = {first, initial, tune_ir_build_number(builder, type, neutral)};
  return tune_ir_build_value(builder, "arith.select", type, 3, operands);
}

static MlirValue reduce_scalar(const tune_ir_builder *builder, const char *kind, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  char text[48];
  snprintf(text, sizeof text, "#gpu<all_reduce_op %s>", kind);
  MlirNamedAttribute op = tune_ir_named(
      builder->context, "op", mlirAttributeParseGet(builder->context, tune_ir_string(text)));
  tune_ir_parts parts = {.name = "gpu.subgroup_reduce",
                         .operand_count = 1,
                         .operands = &value,
                         .type_count = 1,
                         .types = &type,
                         .attribute_count = 1,
                         .attributes = &op};
  return tune_ir_build_result(builder, &parts);
}

// `value` of all lanes, combined, and the op that reads it for that. Only scalars and vectors of
// one element come out of rows.
static tune_status reduce(const tune_ir_builder *builder, MlirOperation loop, const char *kind,
                          MlirValue value, MlirValue *out_value, MlirOperation *out_reader) {
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsAVector(type)) {
    *out_value = reduce_scalar(builder, kind, value);
    *out_reader = mlirOpResultGetOwner(*out_value);
    return TUNE_OK;
  }
  intptr_t rank = mlirShapedTypeGetRank(type);
  int64_t place[8] = {0}, count = 1;
  for (intptr_t i = 0; i < rank; ++i)
    count *= mlirShapedTypeGetDimSize(type, i);
  if (count != 1 || rank > 8)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, loop,
                               "a loop that carries vectors cannot be shared by lanes");
  MlirType element = mlirShapedTypeGetElementType(type);
  MlirNamedAttribute position = tune_ir_named(builder->context, "static_position",
                                              mlirDenseI64ArrayGet(builder->context, rank, place));
  tune_ir_parts parts = {.name = "vector.extract",
                         .operand_count = 1,
                         .operands = &value,
                         .type_count = 1,
                         .types = &element,
                         .attribute_count = 1,
                         .attributes = &position};
  *out_reader = tune_ir_build(builder, &parts);
  MlirValue scalar = reduce_scalar(builder, kind, mlirOperationGetResult(*out_reader, 0));
  *out_value = tune_ir_build_value(builder, "vector.broadcast", type, 1, &scalar);
  return TUNE_OK;
}

// Divides `loop` among the lanes.
static tune_status share_loop(MlirOperation loop, MlirValue lane, int64_t lanes) {
  tune_ir_builder before = tune_ir_builder_before(loop), after = before;
  after.before = mlirOperationGetNextInBlock(loop);
  MlirValue lower = mlirOperationGetOperand(loop, 0), step = mlirOperationGetOperand(loop, 2);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0));
  MlirOperation yield = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    MlirOperation combination = find_combination(mlirOperationGetOperand(yield, i), 0);
    const char *kind = mlirOperationIsNull(combination) ? NULL : read_kind(combination);
    if (!kind || !is_of(combination, mlirBlockGetArgument(body, 1 + i)))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, loop,
                                 "a loop that carries something other than a sum, a product, a "
                                 "minimum or a maximum cannot be shared by lanes");
    if (starts_once(kind))
      mlirOperationSetOperand(
          loop, 3 + i, start_once(&before, kind, mlirOperationGetOperand(loop, 3 + i), lane));
    // Whoever uses the result from now on uses that of all lanes.
    MlirValue result = mlirOperationGetResult(loop, i), all;
    MlirOperation reader;
    TUNE_RETURN_IF_ERROR(reduce(&after, loop, kind, result, &all, &reader));
    mlirValueReplaceAllUsesExcept(result, all, 1, &reader);
  }
  MlirValue offset = tune_ir_build_binary(&before, "arith.muli", lane, step);
  mlirOperationSetOperand(loop, 0, tune_ir_build_binary(&before, "arith.addi", lower, offset));
  mlirOperationSetOperand(
      loop, 2,
      tune_ir_build_binary(&before, "arith.muli", step, tune_ir_build_index(&before, lanes)));
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// What is in the row
//===--------------------------------------------------------------------------===//

typedef struct row_walk {
  MlirOperation forall;
  tune_op_list loops, writes;
} row_walk;

static MlirWalkResult list_op(MlirOperation op, void *user_data) {
  row_walk *walk = user_data;
  bool is_shared = !mlirAttributeIsNull(tune_ir_attribute(op, TUNE_SHARED_ATTRIBUTE));
  if (tune_ir_is(op, "scf.for") && is_shared)
    return tune_op_list_add(&walk->loops, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
  bool writes = tune_ir_is(op, "vector.transfer_write") || tune_ir_is(op, "memref.store") ||
                tune_ir_is(op, "vector.store");
  // What is made within the row each lane has for itself.
  if (writes && !tune_ir_is_made_inside(mlirOperationGetOperand(op, 1), walk->forall))
    return tune_op_list_add(&walk->writes, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
  return MlirWalkResultAdvance;
}

// Puts `op` into an scf.if that only the first lane takes.
static void write_once(MlirOperation op, MlirValue lane) {
  tune_ir_builder builder = tune_ir_builder_before(op);
  MlirValue first = tune_ir_build_compare(&builder, "eq", lane, tune_ir_build_index(&builder, 0));
  builder = tune_ir_build_if(&builder, first);
  tune_ir_move(&builder, op);
}

static tune_status share_row(MlirOperation forall, int64_t lanes) {
  MlirValue lane;
  forall = remake(forall, lanes, &lane);
  row_walk walk = {.forall = forall};
  mlirOperationWalk(forall, list_op, &walk, MlirWalkPreOrder);
  tune_status status = TUNE_OK;
  if (walk.loops.failed || walk.writes.failed)
    status = tune_status_make(TUNE_OUT_OF_MEMORY, "listing loops");
  for (size_t i = 0; i < walk.loops.count && tune_status_is_ok(status); ++i)
    status = share_loop(walk.loops.ops[i], lane, lanes);
  for (size_t i = 0; i < walk.writes.count && tune_status_is_ok(status); ++i)
    write_once(walk.writes.ops[i], lane);
  tune_op_list_deinit(&walk.loops);
  tune_op_list_deinit(&walk.writes);
  return status;
}

tune_status tune_lanes_open(MlirOperation function, int64_t subgroup) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  if (mlirBlockIsNull(body))
    return TUNE_OK;
  static const char *const MADE_OF[] = {"arith", "gpu", "scf", "vector", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(function), MADE_OF);
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    MlirAttribute attribute = tune_ir_attribute(op, TUNE_LANES_ATTRIBUTE);
    if (!tune_ir_is(op, "scf.forall") || mlirAttributeIsNull(attribute))
      continue;
    int64_t lanes = mlirAttributeIsAInteger(attribute) ? mlirIntegerAttrGetValueInt(attribute) : 0;
    if (lanes < 1 || mlirOperationGetNumOperands(op) ||
        mlirBlockGetNumArguments(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0))) >
            MOST_DIMENSIONS)
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_LANES_ATTRIBUTE
                                 ": expected a positive integer, on a loop on buffers with "
                                 "constant bounds");
    if (lanes != 1 && lanes != subgroup)
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_LANES_ATTRIBUTE
                                 ": %lld lanes, where the device adds up in subgroups of %lld",
                                 (long long)lanes, (long long)subgroup);
    if (lanes == 1)
      mlirOperationRemoveDiscardableAttributeByName(op, tune_ir_string(TUNE_LANES_ATTRIBUTE));
    else
      TUNE_RETURN_IF_ERROR(share_row(op, lanes));
  }
  return TUNE_OK;
}
