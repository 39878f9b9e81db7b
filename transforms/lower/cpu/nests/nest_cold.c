//===- nest_cold.c ------------------------------------------------------------------------===//

#include "transforms/lower/cpu/nests/nest_cold.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/cpu/nests/nest_loops.h"

#include "mlir-c/BuiltinTypes.h"

// More than the third caches of most CPUs, of which a virtual machine has a part.
#define CACHES_BYTES (64 << 20)

// Calls, and what each calls: looked up once.
typedef struct call_list {
  tune_op_list calls, callees;
} call_list;

static MlirWalkResult find_call(MlirOperation op, void *user_data) {
  call_list *list = user_data;
  if (tune_ir_is(op, "func.call") && tune_op_list_add(&list->calls, op))
    tune_op_list_add(&list->callees, tune_ir_called_function(op));
  return MlirWalkResultAdvance;
}

static const char *const FORMS[] = {"memref.cast",         "memref.collapse_shape",
                                    "memref.expand_shape", "memref.reinterpret_cast",
                                    "memref.subview",      NULL};

// What `value` is a part or another form of.
static MlirValue find_buffer(MlirValue value) {
  MlirOperation made = tune_ir_definition(value);
  while (!mlirOperationIsNull(made) && tune_ir_is_one_of(made, FORMS)) {
    value = mlirOperationGetOperand(made, 0);
    made = tune_ir_definition(value);
  }
  return value;
}

static bool is_called(const call_list *list, MlirOperation function) {
  for (size_t i = 0; i < list->callees.count; ++i)
    if (mlirOperationEqual(list->callees.ops[i], function))
      return true;
  return false;
}

static double bytes_of(MlirType type) {
  if (!mlirTypeIsAMemRef(type) || !mlirShapedTypeHasStaticShape(type))
    return 0;
  double bytes = (double)tune_nest_element_bits(mlirShapedTypeGetElementType(type)) / 8;
  for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
    bytes *= (double)mlirShapedTypeGetDimSize(type, d);
  return bytes;
}

// How many ops read `value`, or a part or another form of it.
static size_t count_readers(MlirValue value) {
  size_t count = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    count += tune_ir_is_one_of(op, FORMS) ? count_readers(mlirOperationGetResult(op, 0)) : 1;
  }
  return count;
}

static tune_status add_arguments(tune_nest_cold *cold, MlirOperation function) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  double bytes = 0;
  intptr_t count = mlirBlockIsNull(block) ? 0 : mlirBlockGetNumArguments(block);
  for (intptr_t i = 0; i < count; ++i)
    bytes += bytes_of(mlirValueGetType(mlirBlockGetArgument(block, i)));
  for (intptr_t i = 0; i < count && bytes > CACHES_BYTES; ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (count_readers(argument) == 1)
      TUNE_RETURN_IF_ERROR(tune_op_map_set(&cold->arguments, argument.ptr, 1));
  }
  return TUNE_OK;
}

// Whether all calls of `function` hand over cold buffers for argument `index`, once in a run.
static bool is_handed_over(const tune_nest_cold *cold, const call_list *list,
                           MlirOperation function, intptr_t index) {
  for (size_t i = 0; i < list->calls.count; ++i) {
    MlirOperation call = list->calls.ops[i];
    if (mlirOperationEqual(list->callees.ops[i], function) &&
        (!tune_ir_is(mlirOperationGetParentOperation(call), "func.func") ||
         !tune_nest_cold_is(cold, mlirOperationGetOperand(call, index))))
      return false;
  }
  return true;
}

static tune_status add_handed_over(tune_nest_cold *cold, const call_list *list,
                                   MlirOperation function) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  for (intptr_t i = 0; !mlirBlockIsNull(block) && i < mlirBlockGetNumArguments(block); ++i) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (is_handed_over(cold, list, function, i))
      TUNE_RETURN_IF_ERROR(tune_op_map_set(&cold->arguments, argument.ptr, 1));
  }
  return TUNE_OK;
}

// Functions that are called before those that they call: tasks call nothing.
static tune_status find_all(tune_nest_cold *cold, MlirOperation module, const call_list *list) {
  MlirBlock body = tune_ir_body(module);
  for (int called = 0; called < 2; ++called)
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
      if (!tune_ir_is(op, "func.func") || is_called(list, op) != (called == 1))
        continue;
      TUNE_RETURN_IF_ERROR(called ? add_handed_over(cold, list, op) : add_arguments(cold, op));
    }
  return TUNE_OK;
}

tune_status tune_nest_cold_find(tune_nest_cold *cold, MlirOperation module) {
  call_list list = {.calls = {0}};
  tune_op_map_init(&cold->arguments);
  mlirOperationWalk(module, find_call, &list, MlirWalkPreOrder);
  tune_status status = list.calls.failed || list.callees.failed
                           ? tune_status_out_of_memory("listing calls")
                           : find_all(cold, module, &list);
  tune_op_list_deinit(&list.calls);
  tune_op_list_deinit(&list.callees);
  return status;
}

bool tune_nest_cold_is(const tune_nest_cold *cold, MlirValue buffer) {
  return tune_op_map_get(&cold->arguments, find_buffer(buffer).ptr) != TUNE_OP_MAP_NONE;
}

void tune_nest_cold_deinit(tune_nest_cold *cold) { tune_op_map_deinit(&cold->arguments); }
