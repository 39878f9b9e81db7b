//===- fixed_sizes.c ----------------------------------------------------------===//

#include "transforms/lower/common/fixed_sizes.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/blocks.h"
#include "transforms/lower/common/pipeline.h"

#include <stdlib.h>

// Casts are folded into ops, sizes that ops ask for become constants; and again with what came of
// that.
#define CARRY "inline,canonicalize,cse,canonicalize"

static bool is_shaped(MlirType type) {
  return mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type);
}

static size_t count_open(MlirType type) {
  size_t count = 0;
  for (intptr_t i = 0; is_shaped(type) && i < mlirShapedTypeGetRank(type); ++i)
    count += mlirShapedTypeIsDynamicDim(type, i);
  return count;
}

static MlirType function_type(MlirOperation function) {
  return mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type"));
}

size_t tune_fixed_sizes_count(MlirOperation function) {
  MlirType type = function_type(function);
  size_t count = 0;
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    count += count_open(mlirFunctionTypeGetInput(type, i));
  return count;
}

static bool is_entry(MlirOperation op) {
  return tune_ir_is(op, "func.func") && !mlirBlockIsNull(tune_ir_body(op)) &&
         !tune_ir_string_equal(tune_ir_string_attribute(op, "sym_visibility"), "private");
}

bool tune_fixed_sizes_are_open(MlirOperation module) {
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (is_entry(op) && tune_fixed_sizes_count(op))
      return true;
  return false;
}

//===--------------------------------------------------------------------------===//
// Arguments
//===--------------------------------------------------------------------------===//

// `type` with the next of `sizes` where it is open; with a count of 1 that one everywhere.
static MlirType fix_type(MlirType type, const int64_t **sizes, size_t count) {
  int64_t shape[TUNE_IR_MAX_RANK];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank; ++i) {
    bool is_open = mlirShapedTypeIsDynamicDim(type, i);
    shape[i] = mlirShapedTypeGetDimSize(type, i); // of what is open, the word for that
    if (is_open && **sizes != TUNE_SIZE_STAYS_OPEN)
      shape[i] = **sizes;
    *sizes += is_open && count > 1;
  }
  MlirType element = mlirShapedTypeGetElementType(type);
  return mlirTypeIsAMemRef(type)
             ? mlirMemRefTypeGet(element, rank, shape, mlirMemRefTypeGetLayout(type),
                                 mlirMemRefTypeGetMemorySpace(type))
             : mlirRankedTensorTypeGet(rank, shape, element, mlirRankedTensorTypeGetEncoding(type));
}

static const char *cast_name(MlirType type) {
  return mlirTypeIsAMemRef(type) ? "memref.cast" : "tensor.cast";
}

// Gives `argument` the type `fixed`; what used it gets a cast back.
static void fix_argument(MlirOperation first, MlirValue argument, MlirType fixed) {
  MlirType open = mlirValueGetType(argument);
  tune_ir_builder builder = tune_ir_builder_before(first);
  MlirValue stand_in = tune_ir_build_value(&builder, cast_name(open), open, 1, &argument);
  mlirValueReplaceAllUsesOfWith(argument, stand_in);
  mlirOperationSetOperand(tune_ir_definition(stand_in), 0, argument);
  mlirValueSetType(argument, fixed);
}

// Whether nothing of `type` is fixed.
static bool stays_open(MlirType type, const int64_t *sizes, size_t count) {
  size_t open = count > 1 ? count_open(type) : 1;
  for (size_t i = 0; i < open; ++i)
    if (sizes[i] != TUNE_SIZE_STAYS_OPEN)
      return false;
  return true;
}

static tune_status fix_arguments(MlirOperation function, const int64_t *sizes, size_t count) {
  MlirBlock body = tune_ir_body(function);
  MlirOperation first = mlirBlockGetFirstOperation(body);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    MlirType type = mlirValueGetType(argument);
    if (!count_open(type))
      continue;
    if (stays_open(type, sizes, count)) {
      sizes += count > 1 ? count_open(type) : 0;
      continue;
    }
    if (mlirShapedTypeGetRank(type) > TUNE_IR_MAX_RANK ||
        (mlirTypeIsAMemRef(type) && !mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type))))
      return tune_status_make_at(
          TUNE_INVALID_ARGUMENT, function,
          "argument %d leaves sizes open, and is no tensor or buffer without "
          "a layout, of at most %d dimensions: give it one that is",
          (int)i, TUNE_IR_MAX_RANK);
    fix_argument(first, argument, fix_type(type, &sizes, count));
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Results
//===--------------------------------------------------------------------------===//

static bool is_cast(MlirOperation op) {
  return tune_ir_is(op, "tensor.cast") || tune_ir_is(op, "memref.cast");
}

// What `value` is a cast of, where that says more about the sizes.
static MlirValue look_through_cast(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  if (!is_cast(op))
    return value;
  MlirValue source = mlirOperationGetOperand(op, 0);
  return is_shaped(mlirValueGetType(source)) && !count_open(mlirValueGetType(source)) ? source
                                                                                      : value;
}

// Branches that all give back casts of one type give back that, and the cast is behind them.
static bool fix_if(MlirOperation op) {
  MlirOperation ends[] = {
      mlirBlockGetTerminator(tune_ir_body(op)),
      mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1)))};
  bool any = false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    MlirValue a = look_through_cast(mlirOperationGetOperand(ends[0], i));
    MlirValue b = look_through_cast(mlirOperationGetOperand(ends[1], i));
    MlirType fixed = mlirValueGetType(a);
    if (!count_open(mlirValueGetType(result)) || count_open(fixed) ||
        !mlirTypeEqual(fixed, mlirValueGetType(b)))
      continue;
    mlirOperationSetOperand(ends[0], i, a);
    mlirOperationSetOperand(ends[1], i, b);
    fix_argument(mlirOperationGetNextInBlock(op), result, fixed);
    any = true;
  }
  return any;
}

static MlirOperation first_op(MlirBlock block) { return mlirBlockGetFirstOperation(block); }

// What begins with fixed sizes keeps them from turn to turn: a cast at the end of the loop says so,
// and folds where it is so. What the condition hands on has the sizes that it has there.
static bool fix_while(MlirOperation op) {
  MlirBlock before = tune_ir_body(op);
  MlirBlock after = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 1));
  MlirOperation condition = mlirBlockGetTerminator(before), again = mlirBlockGetTerminator(after);
  bool any = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue initial = look_through_cast(mlirOperationGetOperand(op, i));
    MlirValue argument = mlirBlockGetArgument(before, i), next = mlirOperationGetOperand(again, i);
    MlirType fixed = mlirValueGetType(initial);
    if (!count_open(mlirValueGetType(argument)) || count_open(fixed))
      continue;
    tune_ir_builder at_end = tune_ir_builder_before(again);
    mlirOperationSetOperand(op, i, initial);
    mlirOperationSetOperand(again, i,
                            tune_ir_build_value(&at_end, cast_name(fixed), fixed, 1, &next));
    fix_argument(first_op(before), argument, fixed);
    any = true;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue handed = look_through_cast(mlirOperationGetOperand(condition, 1 + i));
    MlirType fixed = mlirValueGetType(handed);
    if (!count_open(mlirValueGetType(mlirOperationGetResult(op, i))) || count_open(fixed))
      continue;
    mlirOperationSetOperand(condition, 1 + i, handed);
    fix_argument(first_op(after), mlirBlockGetArgument(after, i), fixed);
    fix_argument(mlirOperationGetNextInBlock(op), mlirOperationGetResult(op, i), fixed);
    any = true;
  }
  return any;
}

static MlirWalkResult fix_branches(MlirOperation op, void *user_data) {
  bool is_fixed = false;
  if (tune_ir_is(op, "scf.if") && mlirOperationGetNumResults(op) > 0)
    is_fixed = fix_if(op);
  else if (tune_ir_is(op, "scf.while"))
    is_fixed = fix_while(op);
  *(bool *)user_data |= is_fixed;
  return MlirWalkResultAdvance;
}

static tune_status carry(MlirOperation module) {
  enum { MOST_NESTED = 8 };
  MlirPassManager passes;
  tune_status status = tune_pipeline_create(mlirOperationGetContext(module), CARRY, &passes);
  bool is_changed = true;
  for (int i = 0; tune_status_is_ok(status) && is_changed && i < MOST_NESTED; ++i) {
    status = tune_pipeline_run(passes, module, "making the module for sizes");
    is_changed = false;
    if (tune_status_is_ok(status))
      mlirOperationWalk(module, fix_branches, &is_changed, MlirWalkPostOrder);
  }
  tune_pipeline_destroy(passes);
  return status;
}

// Whether what has the one type may have the other.
static bool is_possible(MlirType from, MlirType to) {
  for (intptr_t i = 0; is_shaped(from) && is_shaped(to) && i < mlirShapedTypeGetRank(to); ++i)
    if (!mlirShapedTypeIsDynamicDim(from, i) && !mlirShapedTypeIsDynamicDim(to, i) &&
        mlirShapedTypeGetDimSize(from, i) != mlirShapedTypeGetDimSize(to, i))
      return false;
  return true;
}

// A cast of something that was cast from other sizes: one op knows them by one operand, and one by
// another.
static MlirWalkResult find_contradiction(MlirOperation op, void *user_data) {
  if (!is_cast(op))
    return MlirWalkResultAdvance;
  MlirValue origin = mlirOperationGetOperand(op, 0);
  while (is_cast(tune_ir_definition(origin)))
    origin = mlirOperationGetOperand(tune_ir_definition(origin), 0);
  if (is_possible(mlirValueGetType(origin), mlirValueGetType(mlirOperationGetResult(op, 0))))
    return MlirWalkResultAdvance;
  *(MlirOperation *)user_data = op;
  return MlirWalkResultInterrupt;
}

// Operands that do not go together show in such a cast, or in an op that is none.
static tune_status check_sizes(MlirOperation module) {
  MlirOperation found = {NULL};
  mlirOperationWalk(module, find_contradiction, &found, MlirWalkPreOrder);
  if (!mlirOperationIsNull(found))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, found,
                               "the sizes of the arguments do not go together here");
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, mlirOperationGetContext(module));
  bool failed = !mlirOperationVerify(module);
  tune_status status =
      tune_diagnostics_end(&diagnostics, failed, TUNE_INVALID_ARGUMENT, "verifying the module");
  tune_diagnostics_deinit(&diagnostics);
  return tune_status_annotate(status, "the sizes of the arguments do not go together");
}

static MlirWalkResult find_return(MlirOperation op, void *user_data) {
  if (tune_ir_is(op, "func.return") && !tune_op_list_add(user_data, op))
    return MlirWalkResultInterrupt;
  return MlirWalkResultAdvance;
}

// The type that all of `returns` give back as result `index`, behind casts.
static MlirType find_result_type(const tune_op_list *returns, intptr_t index) {
  MlirType type = {NULL};
  for (size_t i = 0; i < returns->count; ++i) {
    MlirValue operand = mlirOperationGetOperand(returns->ops[i], index);
    MlirType found = mlirValueGetType(look_through_cast(operand));
    if (i && !mlirTypeEqual(type, found))
      return mlirValueGetType(operand); // they differ
    type = found;
  }
  return type;
}

// Has all of `returns` give back what is behind casts; `*out_type` is its type.
static tune_status fix_result(const tune_op_list *returns, intptr_t index, bool may_be_open,
                              MlirType *out_type) {
  *out_type = find_result_type(returns, index);
  if (may_be_open && count_open(*out_type))
    return TUNE_OK;
  if (count_open(*out_type))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, returns->ops[0],
                               "the sizes of result %d do not follow from those of the arguments; "
                               "kernels for a device have fixed sizes",
                               (int)index);
  for (size_t i = 0; i < returns->count; ++i)
    mlirOperationSetOperand(returns->ops[i], index,
                            look_through_cast(mlirOperationGetOperand(returns->ops[i], index)));
  return TUNE_OK;
}

// Gives `function` the type of its arguments, and of what `returns` give back; NULL: as before.
static tune_status set_type(MlirOperation function, const tune_op_list *returns, bool may_be_open) {
  MlirType before = function_type(function);
  intptr_t inputs = mlirFunctionTypeGetNumInputs(before);
  intptr_t results = mlirFunctionTypeGetNumResults(before);
  MlirType *types = calloc((size_t)(inputs + results) + 1, sizeof *types);
  if (!types)
    return tune_status_out_of_memory("making a module for sizes");
  tune_status status = TUNE_OK;
  for (intptr_t i = 0; i < inputs; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(tune_ir_body(function), i));
  for (intptr_t i = 0; i < results && tune_status_is_ok(status); ++i)
    if (returns)
      status = fix_result(returns, i, may_be_open, &types[inputs + i]);
    else
      types[inputs + i] = mlirFunctionTypeGetResult(before, i);
  if (tune_status_is_ok(status))
    mlirOperationSetAttributeByName(
        function, tune_ir_string("function_type"),
        mlirTypeAttrGet(mlirFunctionTypeGet(mlirOperationGetContext(function), inputs, types,
                                            results, types + inputs)));
  free(types);
  return status;
}

static tune_status fix_results(MlirOperation function, bool may_be_open) {
  tune_op_list returns = {0};
  mlirOperationWalk(function, find_return, &returns, MlirWalkPreOrder);
  tune_status status = returns.failed || !returns.count
                           ? tune_status_out_of_memory("listing what a function gives back")
                           : set_type(function, &returns, may_be_open);
  tune_op_list_deinit(&returns);
  return status;
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

tune_status tune_fixed_sizes_apply(MlirOperation module, MlirOperation function,
                                   const int64_t *sizes, size_t count, bool may_be_open) {
  static const char *const MADE_OF[] = {"tensor", "memref", "arith", "scf", NULL};
  size_t open = tune_fixed_sizes_count(function);
  if (count != 1 && count != open)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               "%zu sizes where the arguments leave %zu open", count, open);
  if (!open)
    return TUNE_OK;
  tune_ir_load_dialects(mlirOperationGetContext(module), MADE_OF);
  mlirOperationRemoveAttributeByName(function, tune_ir_string("sym_visibility")); // it stays
  TUNE_RETURN_IF_ERROR(tune_blocks_lift(module, false));
  TUNE_RETURN_IF_ERROR(fix_arguments(function, sizes, count));
  TUNE_RETURN_IF_ERROR(set_type(function, NULL, false));
  TUNE_RETURN_IF_ERROR(carry(module));
  TUNE_RETURN_IF_ERROR(check_sizes(module));
  return fix_results(function, may_be_open || tune_fixed_sizes_count(function) > 0);
}
