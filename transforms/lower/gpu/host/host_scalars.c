//===- host_scalars.c ---------------------------------------------------------===//

#include "transforms/lower/gpu/host/host_scalars.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/gpu/launch_sinking.h"
#include "transforms/lower/gpu/launches.h"

//===--------------------------------------------------------------------------===//
// Assertions
//===--------------------------------------------------------------------------===//

static MlirWalkResult find_assertion(MlirOperation op, void *user_data) {
  if (!tune_ir_is(op, "cf.assert"))
    return MlirWalkResultAdvance;
  return tune_op_list_add(user_data, op) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_host_scalars_drop_assertions(MlirOperation function) {
  tune_op_list assertions = {0};
  mlirOperationWalk(function, find_assertion, &assertions, MlirWalkPreOrder);
  for (size_t i = 0; i < assertions.count && !assertions.failed; ++i) {
    if (!tune_ir_is(tune_ir_definition(mlirOperationGetOperand(assertions.ops[i], 0)),
                    "arith.constant"))
      tune_warning_emit(tune_location_get(assertions.ops[i]),
                        "an assertion that nothing checks on a device, which cannot stop: run the "
                        "module on the CPU to see that it holds");
    mlirOperationDestroy(assertions.ops[i]);
  }
  bool failed = assertions.failed;
  tune_op_list_deinit(&assertions);
  return failed ? tune_status_out_of_memory("listing assertions") : TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Kernels of one invocation
//===--------------------------------------------------------------------------===//

// A scf.forall of one iteration before `op`; what is returned is in it.
static tune_ir_builder open_forall(MlirOperation op) {
  tune_ir_builder builder = tune_ir_builder_before(op);
  const int64_t once = 1;
  MlirOperation forall;
  return tune_ir_build_forall(&builder, 1, &once, &forall);
}

// What `load` reads is kept in a buffer of one element, and read from there.
static void keep(MlirOperation load) {
  MlirOperation after = mlirOperationGetNextInBlock(load);
  MlirValue value = mlirOperationGetResult(load, 0);
  tune_ir_builder builder = tune_ir_builder_before(after);
  builder.location = mlirOperationGetLocation(load);
  MlirType type =
      mlirMemRefTypeContiguousGet(mlirValueGetType(value), 0, NULL, mlirAttributeGetNull());
  int32_t segments[] = {0, 0};
  MlirNamedAttribute attribute = tune_ir_named(builder.context, "operandSegmentSizes",
                                               mlirDenseI32ArrayGet(builder.context, 2, segments));
  MlirValue kept = tune_ir_build_result(&builder, &(tune_ir_parts){.name = "memref.alloc",
                                                                   .type_count = 1,
                                                                   .types = &type,
                                                                   .attribute_count = 1,
                                                                   .attributes = &attribute});
  tune_ir_builder inside = open_forall(after);
  MlirValue again = tune_ir_build_value(&builder, "memref.load", mlirValueGetType(value), 1, &kept);
  mlirValueReplaceAllUsesOfWith(value, again);
  tune_ir_move(&inside, load);
  MlirValue operands[] = {value, kept};
  tune_ir_build(&inside,
                &(tune_ir_parts){.name = "memref.store", .operand_count = 2, .operands = operands});
}

static void put_into_kernel(MlirOperation store) {
  tune_ir_builder inside = open_forall(store);
  tune_ir_move(&inside, store);
}

tune_status tune_host_scalars_lower(MlirOperation function, const tune_device *device) {
  static const char *const MADE_OF[] = {"memref", "scf", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(function), MADE_OF);
  MlirOperation next;
  bool found = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(function));
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tune_ir_is(op, "memref.store"))
      put_into_kernel(op);
    else if (tune_ir_is(op, "memref.load") &&
             tune_launch_sinking_is_overwritten(op, mlirOperationGetOperand(op, 0)))
      keep(op);
    else
      continue;
    found = true;
  }
  return found ? tune_launches_lower(function, device) : TUNE_OK;
}

tune_status tune_host_scalars_clean(MlirOperation function) {
  MlirBlock body = tune_ir_body(function);
  tune_op_list ops = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    MlirStringRef name = tune_ir_name(op);
    bool is_scalar = tune_ir_is(op, "memref.load") || tune_ir_string_starts(name, "arith.") ||
                     tune_ir_string_starts(name, "math.");
    if (is_scalar && !tune_op_list_add(&ops, op))
      break;
  }
  for (size_t i = ops.count; i-- > 0 && !ops.failed;)
    if (!tune_ir_is_used(ops.ops[i]))
      mlirOperationDestroy(ops.ops[i]);
  bool failed = ops.failed;
  tune_op_list_deinit(&ops);
  return failed ? tune_status_out_of_memory("listing scalars") : TUNE_OK;
}
