//===- lanes.c - Distribution of rows over the lanes of a subgroup -----------===//

#include "transforms/lower/gpu/lanes.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/gpu/lane_steps.h"
#include "transforms/lower/gpu/lanes_group.h"

#include <math.h>
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

MlirOperation tune_lanes_add(MlirOperation forall, int64_t lanes, MlirValue *out_lane) {
  tune_ir_builder builder = tune_ir_builder_before(forall);
  MlirContext context = builder.context;
  MlirBlock old = tune_ir_body(forall);
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

// Whether the last operand of `combination` is what the loop carries as `carried`, by whatever
// name, and nothing else reads that: a partial result is no use to anyone else.
static bool is_of(MlirOperation combination, MlirValue carried) {
  MlirValue value =
      mlirOperationGetOperand(combination, mlirOperationGetNumOperands(combination) - 1);
  for (int depth = 0; depth < 8 && !mlirValueEqual(value, carried); ++depth) {
    MlirOperation op = tune_ir_definition(value);
    if (!is_renaming(op) || !tune_ir_has_one_use(value))
      return false;
    value = mlirOperationGetOperand(op, 0);
  }
  return mlirValueEqual(value, carried) && tune_ir_has_one_use(carried);
}

// Whether it makes a difference how often what a loop starts with is combined into the result: not
// to minima, maxima, `and` and `or`, which may start alike in all lanes.
static bool starts_once(const char *kind) {
  return strcmp(kind, "add") == 0 || strcmp(kind, "mul") == 0 || strcmp(kind, "xor") == 0;
}

// What such a one begins with: `initial` in the first lane, what changes nothing in the others.
static MlirValue start_once(const tune_ir_builder *builder, const char *kind, MlirValue initial,
                            MlirValue lane) {
  MlirType type = mlirValueGetType(initial);
  MlirValue first = tune_ir_build_compare(builder, "eq", lane, tune_ir_build_index(builder, 0));
  int64_t neutral = strcmp(kind, "mul") == 0;
  MlirValue operands[] = {first, initial, tune_ir_build_number(builder, type, neutral)};
  return tune_ir_build_value(builder, "arith.select", type, 3, operands);
}

static MlirValue reduce_as_it_is(const tune_ir_builder *builder, const char *kind,
                                 MlirValue value) {
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

// The maximum or minimum by `kind`, which says nothing of NaN, or NaN where there is one in `value`
// of any lane.
static MlirValue reduce_with_nan(const tune_ir_builder *builder, const char *kind,
                                 MlirValue value) {
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32);
  MlirValue is_nan = tune_ir_build_compare(builder, "uno", value, value);
  MlirValue flag = tune_ir_build_value(builder, "arith.extui", i32, 1, &is_nan);
  MlirValue any = tune_ir_build_compare(builder, "ne", reduce_as_it_is(builder, "maxui", flag),
                                        tune_ir_build_number(builder, i32, 0));
  MlirValue operands[] = {any, tune_ir_build_number(builder, mlirValueGetType(value), NAN),
                          reduce_as_it_is(builder, kind, value)};
  return tune_ir_build_value(builder, "arith.select", mlirValueGetType(value), 3, operands);
}

// Subgroups of many devices have no operations on less than 32 bits.
static MlirValue reduce_scalar(const tune_lanes_group *group, const tune_ir_builder *builder,
                               const tune_combining_kind *combination, MlirValue value) {
  const char *kind = combination->kind;
  MlirType type = mlirValueGetType(value), wide = type;
  bool is_float = mlirTypeIsAFloat(type), is_unsigned = strstr(kind, "ui") != NULL;
  if (is_float && mlirFloatTypeGetWidth(type) < 32)
    wide = mlirF32TypeGet(builder->context);
  else if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) < 32)
    wide = mlirIntegerTypeGet(builder->context, 32);
  bool is_narrow = !mlirTypeEqual(type, wide);
  if (is_narrow)
    value = tune_ir_build_value(builder,
                                is_float      ? "arith.extf"
                                : is_unsigned ? "arith.extui"
                                              : "arith.extsi",
                                wide, 1, &value);
  if (strcmp(kind, "maximumf") == 0)
    value = reduce_with_nan(builder, "maxnumf", value);
  else if (strcmp(kind, "minimumf") == 0)
    value = reduce_with_nan(builder, "minnumf", value);
  else
    value = reduce_as_it_is(builder, kind, value);
  if (group->lanes > group->subgroup)
    value = tune_lanes_group_combine(group, builder, combination, value);
  return is_narrow ? tune_ir_build_value(builder, is_float ? "arith.truncf" : "arith.trunci", type,
                                         1, &value)
                   : value;
}

// `value` of all lanes, combined. Only scalars and vectors of one element come out of rows.
static tune_status reduce(const tune_lanes_group *group, const tune_ir_builder *builder,
                          MlirOperation loop, const tune_combining_kind *combination,
                          MlirValue value, MlirValue *out_value) {
  MlirType type = mlirValueGetType(value);
  if (!mlirTypeIsAVector(type)) {
    *out_value = reduce_scalar(group, builder, combination, value);
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
  MlirValue scalar = reduce_scalar(group, builder, combination,
                                   tune_ir_build_extract(builder, value, place, rank, element));
  *out_value = tune_ir_build_value(builder, "vector.broadcast", type, 1, &scalar);
  return TUNE_OK;
}

// Gives whoever uses `result` of `loop` that of all lanes.
static tune_status meet(const tune_lanes_group *group, const tune_ir_builder *after,
                        MlirOperation loop, const tune_combining_kind *combination,
                        MlirValue result) {
  tune_op_list users = {0};
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use))
    tune_op_list_add(&users, mlirOpOperandGetOwner(use));
  MlirValue all;
  tune_status status = users.failed ? tune_status_out_of_memory("listing users")
                                    : reduce(group, after, loop, combination, result, &all);
  for (size_t i = 0; i < users.count && tune_status_is_ok(status); ++i)
    for (intptr_t o = 0; o < mlirOperationGetNumOperands(users.ops[i]); ++o)
      if (mlirValueEqual(mlirOperationGetOperand(users.ops[i], o), result))
        mlirOperationSetOperand(users.ops[i], o, all);
  tune_op_list_deinit(&users);
  return status;
}

typedef struct write_search {
  MlirOperation loop, found; // found: null where there is none
} write_search;

// Whether `value` is made of `number`, of what is in `loop` too.
static bool moves_with(MlirValue value, MlirValue number, MlirOperation loop, int depth) {
  if (mlirValueEqual(value, number))
    return true;
  if (depth > 16 || !mlirValueIsAOpResult(value) || !tune_ir_is_made_inside(value, loop))
    return false;
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (moves_with(mlirOperationGetOperand(op, i), number, loop, depth + 1))
      return true;
  return false;
}

// Finds an op that writes at the same place of what is outside of the loop in each step.
static MlirWalkResult find_still_write(MlirOperation op, void *user_data) {
  write_search *search = user_data;
  bool stores = tune_ir_is(op, "vector.transfer_write") || tune_ir_is(op, "memref.store") ||
                tune_ir_is(op, "vector.store");
  intptr_t first = stores ? 1 : 0, count = mlirOperationGetNumOperands(op);
  if (!stores && !tune_ir_is(op, "memref.copy") &&
      !tune_ir_string_starts(tune_ir_name(op), "linalg."))
    return MlirWalkResultAdvance;
  MlirValue number = mlirBlockGetArgument(tune_ir_body(search->loop), 0);
  // Of a linalg op and a copy the last operand is what is written.
  MlirValue memory = mlirOperationGetOperand(op, stores ? 1 : count - 1);
  bool moves = !mlirTypeIsAMemRef(mlirValueGetType(memory));
  for (intptr_t i = first; i < count && stores; ++i)
    moves |= moves_with(mlirOperationGetOperand(op, i), number, search->loop, 0);
  moves |= moves_with(memory, number, search->loop, 0);
  MlirOperation maker = tune_ir_definition(memory);
  bool is_own = tune_ir_is_made_inside(memory, search->loop) &&
                (tune_ir_is(maker, "memref.alloca") || tune_ir_is(maker, "memref.alloc"));
  if (moves || is_own)
    return MlirWalkResultAdvance;
  search->found = op;
  return MlirWalkResultInterrupt;
}

// Whether each of the lanes has just one step of `loop`.
static bool is_one_step_each(MlirOperation loop, int64_t lanes) {
  int64_t lower, upper, step;
  return tune_ir_is_constant_index(mlirOperationGetOperand(loop, 0), &lower) &&
         tune_ir_is_constant_index(mlirOperationGetOperand(loop, 1), &upper) &&
         tune_ir_is_constant_index(mlirOperationGetOperand(loop, 2), &step) &&
         upper - lower == lanes * step;
}

// Puts the one step of `loop` in its place. Steps of other loops over the same elements then read
// and compute what they have in common once, in registers.
static void unwrap(MlirOperation loop) {
  MlirBlock body = tune_ir_body(loop);
  MlirOperation yield = mlirBlockGetTerminator(body);
  mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 0), mlirOperationGetOperand(loop, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(body, 1 + i),
                                  mlirOperationGetOperand(loop, 3 + i));
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(loop, i),
                                  mlirOperationGetOperand(yield, i));
  }
  tune_ir_builder builder = tune_ir_builder_before(loop);
  tune_ir_move_body(&builder, body);
  mlirOperationDestroy(loop);
}

// Divides `loop` among the lanes.
static tune_status share_loop(MlirOperation loop, const tune_lanes_group *group) {
  MlirValue lane = group->lane;
  int64_t lanes = group->lanes;
  tune_ir_builder before = tune_ir_builder_before(loop), after = before;
  after.before = mlirOperationGetNextInBlock(loop);
  MlirValue lower = mlirOperationGetOperand(loop, 0), step = mlirOperationGetOperand(loop, 2);
  MlirBlock body = tune_ir_body(loop);
  MlirOperation yield = mlirBlockGetTerminator(body);
  write_search search = {.loop = loop};
  mlirOperationWalk(loop, find_still_write, &search, MlirWalkPreOrder);
  if (!mlirOperationIsNull(search.found))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, search.found,
                               "a loop that lanes share writes here in each of its steps: it has "
                               "to carry what it adds up, as vectors do");
  for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); ++i) {
    MlirOperation combination = find_combination(mlirOperationGetOperand(yield, i), 0);
    const tune_combining_kind *found =
        mlirOperationIsNull(combination) ? NULL : tune_combining_kind_find(combination);
    if (!found || !is_of(combination, mlirBlockGetArgument(body, 1 + i)))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, loop,
                                 "a loop that carries something other than a sum, or another "
                                 "combination, of what it reads cannot be shared by lanes");
    if (starts_once(found->kind))
      mlirOperationSetOperand(
          loop, 3 + i,
          start_once(&before, found->kind, mlirOperationGetOperand(loop, 3 + i), lane));
    TUNE_RETURN_IF_ERROR(meet(group, &after, loop, found, mlirOperationGetResult(loop, i)));
  }
  bool is_one = is_one_step_each(loop, lanes), is_spread;
  TUNE_RETURN_IF_ERROR(tune_lane_steps_spread(loop, lanes, &is_spread));
  MlirValue own = is_spread ? tune_ir_build_index(&before, TUNE_LANE_STEP_WIDTH) : step;
  MlirValue offset = tune_ir_build_binary(&before, "arith.muli", lane, own);
  mlirOperationSetOperand(loop, 0, tune_ir_build_binary(&before, "arith.addi", lower, offset));
  if (is_one) {
    unwrap(loop);
    return TUNE_OK;
  }
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

static tune_status share_row(MlirOperation forall, int64_t lanes, int64_t subgroup) {
  tune_lanes_group group = {.lanes = lanes, .subgroup = subgroup};
  group.forall = tune_lanes_add(forall, lanes, &group.lane);
  row_walk walk = {.forall = group.forall};
  mlirOperationWalk(group.forall, list_op, &walk, MlirWalkPreOrder);
  tune_status status = TUNE_OK;
  if (walk.loops.failed || walk.writes.failed)
    status = tune_status_out_of_memory("listing loops");
  for (size_t i = 0; i < walk.loops.count && tune_status_is_ok(status); ++i)
    status = share_loop(walk.loops.ops[i], &group);
  for (size_t i = 0; i < walk.writes.count && tune_status_is_ok(status); ++i)
    write_once(walk.writes.ops[i], group.lane);
  tune_op_list_deinit(&walk.loops);
  tune_op_list_deinit(&walk.writes);
  return status;
}

// Whether no other row is in the group.
static bool has_one_row(MlirOperation forall) {
  static const char *const NAMES[] = {"tune.group_x", "tune.group_y", "tune.group_z"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i) {
    MlirAttribute rows = tune_ir_attribute(forall, NAMES[i]);
    if (!mlirAttributeIsNull(rows) &&
        (!mlirAttributeIsAInteger(rows) || mlirIntegerAttrGetValueInt(rows) != 1))
      return false;
  }
  return true;
}

tune_status tune_lanes_lower(MlirOperation function, int64_t subgroup) {
  MlirBlock body = tune_ir_body(function);
  if (mlirBlockIsNull(body))
    return TUNE_OK;
  static const char *const MADE_OF[] = {"arith", "gpu", "memref", "scf", "vector", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(function), MADE_OF);
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !mlirOperationIsNull(op);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    MlirAttribute attribute = tune_ir_attribute(op, TUNE_LANES_ATTRIBUTE);
    if (!tune_ir_is(op, "scf.forall") || mlirAttributeIsNull(attribute))
      continue;
    int64_t lanes = mlirAttributeIsAInteger(attribute) ? mlirIntegerAttrGetValueInt(attribute) : 0;
    if (lanes < 1 || mlirOperationGetNumOperands(op) ||
        mlirBlockGetNumArguments(tune_ir_body(op)) > MOST_DIMENSIONS)
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_LANES_ATTRIBUTE
                                 ": expected a positive integer, on a loop on buffers with "
                                 "constant bounds");
    if (lanes != 1 && (subgroup < 1 || lanes % subgroup))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_LANES_ATTRIBUTE
                                 ": %lld lanes, where the device adds up in subgroups of %lld",
                                 (long long)lanes, (long long)subgroup);
    if (lanes != 1 && lanes > subgroup && !has_one_row(op))
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_LANES_ATTRIBUTE
                                 ": %lld lanes are several subgroups, which have a group of their "
                                 "own: expected tune.group_x = 1 on the loop",
                                 (long long)lanes);
    if (lanes == 1)
      mlirOperationRemoveDiscardableAttributeByName(op, tune_ir_string(TUNE_LANES_ATTRIBUTE));
    else
      TUNE_RETURN_IF_ERROR(share_row(op, lanes, subgroup));
  }
  return TUNE_OK;
}
