//===- memory.c - Places of results and temporaries in memory ----------------===//

#include "transforms/lower/common/memory.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/memory_access.h"

#include "mlir-c/Dialect/Func.h"
#include "mlir-c/Dialect/Linalg.h"

#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// Preparing
//===--------------------------------------------------------------------------===//

typedef struct reached_functions {
  MlirOperation module;
  tune_op_list functions; // grows as the walk finds calls
} reached_functions;

static void reach_function(reached_functions *reached, MlirOperation function) {
  for (size_t i = 0; i < reached->functions.count; ++i)
    if (mlirOperationEqual(reached->functions.ops[i], function))
      return;
  tune_op_list_add(&reached->functions, function);
}

// func.call names a function in `callee`, func.constant in `value`; nothing else that front ends
// write does, and what is not a function is never erased here.
static MlirWalkResult reach_callee(MlirOperation op, void *user_data) {
  reached_functions *reached = user_data;
  MlirAttribute callee = tune_ir_attribute(op, "callee");
  if (mlirAttributeIsNull(callee))
    callee = tune_ir_attribute(op, "value");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return MlirWalkResultAdvance;
  MlirOperation function =
      tune_ir_find_symbol(reached->module, mlirFlatSymbolRefAttrGetValue(callee));
  if (!mlirOperationIsNull(function))
    reach_function(reached, function);
  return MlirWalkResultAdvance;
}

static MlirWalkResult find_self_call(MlirOperation op, void *user_data) {
  MlirOperation *function = user_data;
  MlirAttribute callee = tune_ir_attribute(op, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee) ||
      !mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee),
                          tune_ir_string_attribute(*function, "sym_name")))
    return MlirWalkResultAdvance;
  *function = (MlirOperation){NULL};
  return MlirWalkResultInterrupt;
}

tune_status tune_memory_keep_reached(MlirOperation module, MlirOperation function) {
  reached_functions reached = {.module = module};
  reach_function(&reached, function);
  for (size_t i = 0; i < reached.functions.count; ++i)
    mlirOperationWalk(reached.functions.ops[i], reach_callee, &reached, MlirWalkPreOrder);

  tune_status status = TUNE_OK;
  for (size_t i = 0; i < reached.functions.count && tune_status_is_ok(status); ++i) {
    MlirOperation caller = function;
    mlirOperationWalk(reached.functions.ops[i], find_self_call, &caller, MlirWalkPreOrder);
    if (mlirOperationIsNull(caller))
      status = tune_status_make_at(
          TUNE_FAILED_PRECONDITION, function,
          "the function calls itself, or one that it calls does, and what is run is "
          "inlined; write that as a loop (scf.while), or name another "
          "function (tune-run --function=, function= of passes)");
  }
  if (reached.functions.failed)
    status = tune_status_join(status, tune_status_out_of_memory("following calls"));

  MlirContext context = mlirOperationGetContext(module);
  MlirBlock body = tune_ir_body(module);
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(body);
       tune_status_is_ok(status) && !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!tune_ir_is(op, "func.func") || mlirOperationEqual(op, function))
      continue;
    bool keep = false;
    for (size_t i = 0; i < reached.functions.count; ++i)
      keep = keep || mlirOperationEqual(reached.functions.ops[i], op);
    if (keep)
      mlirOperationSetAttributeByName(op, tune_ir_string("sym_visibility"),
                                      mlirStringAttrGet(context, tune_ir_string("private")));
    else
      mlirOperationDestroy(op);
  }
  tune_op_list_deinit(&reached.functions);
  return status;
}

tune_status tune_memory_prepare(MlirOperation module, MlirOperation function,
                                const tune_function_signature *signature) {
  TUNE_RETURN_IF_ERROR(tune_memory_keep_reached(module, function));
  MlirContext context = mlirOperationGetContext(module);
  // A private entry would be dropped as dead by the first pass that looks for such.
  mlirOperationRemoveAttributeByName(function, tune_ir_string("sym_visibility"));
  for (size_t i = 0; i < signature->interface.argument_count; ++i) {
    MlirValue argument = mlirBlockGetArgument(tune_ir_body(function), (intptr_t)i);
    if (mlirTypeIsARankedTensor(mlirValueGetType(argument)))
      mlirFuncSetArgAttr(function, (intptr_t)i, tune_ir_string("bufferization.writable"),
                         mlirBoolAttrGet(context, signature->interface.arguments[i].is_readwrite));
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Looking
//===--------------------------------------------------------------------------===//

static MlirWalkResult find_tensor(MlirOperation op, void *user_data) {
  bool *found = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !*found; ++i)
    *found = mlirTypeIsATensor(mlirValueGetType(mlirOperationGetResult(op, i)));
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op) && !*found; ++r) {
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    for (intptr_t i = 0; !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); ++i)
      *found = *found || mlirTypeIsATensor(mlirValueGetType(mlirBlockGetArgument(block, i)));
  }
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_memory_has_tensors(MlirOperation module) {
  bool found = false;
  mlirOperationWalk(module, find_tensor, &found, MlirWalkPreOrder);
  return found;
}

static MlirWalkResult find_allocation(MlirOperation op, void *user_data) {
  bool *found = user_data;
  MlirStringRef name = tune_ir_name(op);
  *found = tune_ir_string_equal(name, "memref.alloc") ||
           tune_ir_string_equal(name, "memref.realloc") ||
           tune_ir_string_equal(name, "bufferization.clone") ||
           tune_ir_string_equal(name, "bufferization.dealloc");
  // A returned memref that nobody allocated here has to be copied, which is the same machinery.
  if (tune_ir_string_equal(name, "func.return"))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !*found; ++i)
      *found = mlirTypeIsAMemRef(mlirValueGetType(mlirOperationGetOperand(op, i)));
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_memory_has_allocations(MlirOperation module) {
  bool found = false;
  mlirOperationWalk(module, find_allocation, &found, MlirWalkPreOrder);
  return found;
}

//===--------------------------------------------------------------------------===//
// Results in arguments
//===--------------------------------------------------------------------------===//

static MlirValue look_through_casts(MlirValue value) {
  while (mlirValueIsAOpResult(value) && tune_ir_is(mlirOpResultGetOwner(value), "memref.cast"))
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  return value;
}

// Where `value` is fresh memory and nothing reads or writes `argument`, makes the function work in
// the argument's memory: fusing elementwise ops loses the destination of an op that overwrites all
// of it.
static bool move_into_argument(MlirValue value, MlirValue argument) {
  value = look_through_casts(value);
  if (!mlirValueIsAOpResult(value) ||
      !mlirTypeEqual(mlirValueGetType(value), mlirValueGetType(argument)) ||
      !mlirOpOperandIsNull(mlirValueGetFirstUse(argument)))
    return false;
  MlirOperation allocation = mlirOpResultGetOwner(value);
  if (!tune_ir_is(allocation, "memref.alloc"))
    return false;
  mlirValueReplaceAllUsesOfWith(value, argument);
  mlirOperationDestroy(allocation);
  return true;
}

// Whether what is written to arguments may change `value`.
static bool may_be_argument(MlirValue value) {
  while (mlirValueIsAOpResult(value) && tune_memory_access_is_view(mlirOpResultGetOwner(value)))
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  if (!mlirValueIsAOpResult(value))
    return true;
  MlirOperation maker = mlirOpResultGetOwner(value);
  return !tune_ir_is(maker, "memref.alloc") && !tune_ir_is(maker, "memref.get_global");
}

// Copies `from` ahead of `back`, to `to` or, where that is null, to memory of its own; that.
static MlirValue copy(MlirOperation back, MlirValue from, MlirValue to) {
  tune_ir_builder builder = tune_ir_builder_before(back);
  if (mlirValueIsNull(to))
    to = tune_ir_build_buffer_like(&builder, from,
                                   mlirShapedTypeGetElementType(mlirValueGetType(from)));
  MlirValue operands[] = {from, to};
  tune_ir_build(&builder,
                &(tune_ir_parts){.name = "memref.copy", .operand_count = 2, .operands = operands});
  return to;
}

// Whether result `i` is to be copied to its argument.
static bool is_elsewhere(MlirOperation back, const tune_function_signature *signature, size_t i) {
  if (signature->destinations[i] < 0)
    return false;
  MlirValue argument =
      mlirBlockGetArgument(mlirOperationGetBlock(back), signature->destinations[i]);
  MlirValue value = mlirOperationGetOperand(back, (intptr_t)i);
  return !mlirValueEqual(look_through_casts(value), argument);
}

// Brings results to the arguments that they are written to. What else is returned stays what it was
// before that: a function may return an argument as it came, and what becomes of it.
static void move_results(MlirOperation back, const tune_function_signature *signature) {
  MlirBlock entry = mlirOperationGetBlock(back);
  size_t count = signature->function_result_count;
  bool copies = false;
  for (size_t i = 0; i < count; ++i)
    if (is_elsewhere(back, signature, i) &&
        !move_into_argument(mlirOperationGetOperand(back, (intptr_t)i),
                            mlirBlockGetArgument(entry, signature->destinations[i])))
      copies = true;
  if (!copies)
    return;
  tune_ir_load_dialects(mlirOperationGetContext(back),
                        (const char *const[]){"arith", "memref", NULL});
  for (size_t i = 0; i < count; ++i) {
    MlirValue value = mlirOperationGetOperand(back, (intptr_t)i);
    bool is_moved = signature->destinations[i] < 0 || is_elsewhere(back, signature, i);
    if (is_moved && mlirTypeIsAMemRef(mlirValueGetType(value)) && may_be_argument(value))
      mlirOperationSetOperand(back, (intptr_t)i, copy(back, value, (MlirValue){NULL}));
  }
  for (size_t i = 0; i < count; ++i)
    if (is_elsewhere(back, signature, i))
      copy(back, mlirOperationGetOperand(back, (intptr_t)i),
           mlirBlockGetArgument(entry, signature->destinations[i]));
}

tune_status tune_memory_place_results(MlirOperation function,
                                      const tune_function_signature *signature) {
  size_t count = signature->function_result_count;
  if (count == signature->interface.result_count)
    return TUNE_OK;
  MlirBlock entry = tune_ir_body(function);
  MlirOperation back = mlirBlockGetTerminator(entry);
  if (!mlirBlockIsNull(mlirBlockGetNextInRegion(entry)) ||
      mlirOperationGetNumOperands(back) != (intptr_t)count ||
      mlirBlockGetNumArguments(entry) != (intptr_t)signature->interface.argument_count)
    return tune_status_make_at(TUNE_FAILED_PRECONDITION, function,
                               "the schedule changed the arguments, results or blocks of the entry "
                               "function; it has to keep them");

  MlirValue *kept = calloc(count, sizeof *kept);
  MlirType *types = calloc(count + signature->interface.argument_count, sizeof *types);
  if (!kept || !types) {
    free(kept);
    free(types);
    return tune_status_out_of_memory("placing results");
  }
  move_results(back, signature);
  size_t kept_count = 0;
  for (size_t i = 0; i < count; ++i)
    if (signature->destinations[i] < 0)
      kept[kept_count++] = mlirOperationGetOperand(back, (intptr_t)i);
  mlirOperationSetOperands(back, (intptr_t)kept_count, kept);
  for (size_t i = 0; i < signature->interface.argument_count; ++i)
    types[i] = mlirValueGetType(mlirBlockGetArgument(entry, (intptr_t)i));
  for (size_t i = 0; i < kept_count; ++i)
    types[signature->interface.argument_count + i] = mlirValueGetType(kept[i]);
  MlirType type = mlirFunctionTypeGet(
      mlirOperationGetContext(function), (intptr_t)signature->interface.argument_count, types,
      (intptr_t)kept_count, types + signature->interface.argument_count);
  mlirOperationSetAttributeByName(function, tune_ir_string("function_type"), mlirTypeAttrGet(type));
  // One entry per result; nothing below reads them.
  mlirOperationRemoveAttributeByName(function, tune_ir_string("res_attrs"));
  free(kept);
  free(types);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Copies
//===--------------------------------------------------------------------------===//

// Upstream's own rule (finalize-memref-to-llvm) for a copy that becomes a memcpy.
static bool is_contiguous(MlirType type) {
  if (mlirTypeIsAMemRef(type) && mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return true;
  int64_t strides[16], offset;
  intptr_t rank = mlirShapedTypeGetRank(type);
  if (rank > 16 || !mlirShapedTypeHasStaticShape(type) ||
      mlirLogicalResultIsFailure(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
    return false;
  int64_t running = 1;
  intptr_t dim = rank - 1;
  for (; dim >= 0 && strides[dim] == running; --dim)
    running *= mlirShapedTypeGetDimSize(type, dim);
  while (dim >= 0 && mlirShapedTypeGetDimSize(type, dim) == 1)
    --dim;
  return dim < 0;
}

static MlirWalkResult find_strided_copy(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "memref.copy"))
    return MlirWalkResultAdvance;
  MlirType source = mlirValueGetType(mlirOperationGetOperand(op, 0));
  MlirType target = mlirValueGetType(mlirOperationGetOperand(op, 1));
  if (!mlirTypeIsAMemRef(source) || !mlirTypeIsAMemRef(target) ||
      (is_contiguous(source) && is_contiguous(target)))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

void tune_memory_open_copy(MlirOperation copy) {
  MlirContext context = mlirOperationGetContext(copy);
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("linalg.copy"), mlirOperationGetLocation(copy));
  MlirValue operands[] = {mlirOperationGetOperand(copy, 0), mlirOperationGetOperand(copy, 1)};
  mlirOperationStateAddOperands(&state, 2, operands);
  int32_t segments[] = {1, 1};
  MlirNamedAttribute attribute =
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments));
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  MlirRegion region = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  MlirOperation replacement = mlirOperationCreate(&state);
  mlirLinalgFillBuiltinNamedOpRegion(replacement);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(copy), copy, replacement);
  mlirOperationDestroy(copy);
}

tune_status tune_memory_open_copies(MlirOperation module) {
  tune_op_list copies = {0};
  mlirOperationWalk(module, find_strided_copy, &copies, MlirWalkPreOrder);
  for (size_t i = 0; i < copies.count; ++i)
    tune_memory_open_copy(copies.ops[i]);
  tune_op_list_deinit(&copies);
  return copies.failed ? tune_status_out_of_memory("listing copies") : TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The stack
//===--------------------------------------------------------------------------===//

static bool is_stack_scope(MlirOperation op, bool has_threads) {
  return tune_ir_is(op, "func.func") ||
         (has_threads && (tune_ir_is(op, "scf.forall") || tune_ir_is(op, "scf.parallel")));
}

static MlirWalkResult hoist_alloca(MlirOperation op, void *user_data) {
  const bool *has_threads = user_data;
  // One with operands has a size that is computed, maybe in the loop.
  if (!tune_ir_is(op, "memref.alloca") || mlirOperationGetNumOperands(op) != 0)
    return MlirWalkResultAdvance;
  MlirOperation scope = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(scope) && !is_stack_scope(scope, *has_threads))
    scope = mlirOperationGetParentOperation(scope);
  if (mlirOperationIsNull(scope))
    return MlirWalkResultAdvance;
  MlirBlock body = tune_ir_body(scope);
  if (!mlirBlockEqual(body, mlirOperationGetBlock(op)))
    mlirOperationMoveBefore(op, mlirBlockGetFirstOperation(body));
  return MlirWalkResultAdvance;
}

void tune_memory_hoist_stack(MlirOperation module, bool has_threads) {
  mlirOperationWalk(module, hoist_alloca, &has_threads, MlirWalkPreOrder);
}
