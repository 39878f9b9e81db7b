//===- parallel_loops.c --------------------------------------------------------------===//

#include "transforms/lower/common/parallel_loops.h"

#include "dialects/threads.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/memory_access.h"

static bool is_marked(MlirOperation op) {
  return mlirOperationGetNumResults(op) == 0 && tune_threads_is_shared(op);
}

bool tune_parallel_loops_is_parallel(MlirOperation op) {
  return tune_ir_is(op, "scf.forall") || tune_ir_is(op, "scf.parallel") || is_marked(op);
}

typedef struct call_look {
  MlirStringRef name;
  bool any, all;
} call_look;

static MlirWalkResult look_at_call(MlirOperation op, void *user_data) {
  call_look *look = user_data;
  MlirAttribute callee =
      tune_ir_is(op, "func.call") ? tune_ir_attribute(op, "callee") : (MlirAttribute){NULL};
  if (mlirAttributeIsNull(callee) ||
      !mlirStringRefEqual(mlirFlatSymbolRefAttrGetValue(callee), look->name))
    return MlirWalkResultAdvance;
  MlirOperation loop = mlirOperationGetParentOperation(op);
  while (!mlirOperationIsNull(loop) && !tune_parallel_loops_is_parallel(loop))
    loop = mlirOperationGetParentOperation(loop);
  look->any = true;
  look->all &= !mlirOperationIsNull(loop);
  return look->all ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

bool tune_parallel_loops_have_calls(MlirOperation function) {
  call_look look = {.name = tune_ir_string_attribute(function, "sym_name"), .all = true};
  MlirBlock module = mlirOperationGetBlock(function);
  if (mlirBlockIsNull(module))
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(module); !mlirOperationIsNull(op) && look.all;
       op = mlirOperationGetNextInBlock(op))
    if (tune_ir_is(op, "func.func") && tune_ir_has_calls(op))
      mlirOperationWalk(op, look_at_call, &look, MlirWalkPreOrder);
  return look.any && look.all;
}

// Whether `op` may be done once for each step of a loop after it instead of once before it.
static bool is_repeatable(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return mlirOperationGetNumRegions(op) == 0 &&
         (tune_ir_string_starts(name, "arith.") || tune_ir_string_equal(name, "affine.apply") ||
          tune_ir_string_equal(name, "affine.min") || tune_ir_string_equal(name, "affine.max") ||
          tune_ir_string_equal(name, "memref.subview"));
}

static bool is_made_in(MlirValue value, MlirBlock block) {
  return mlirBlockEqual(block, mlirValueIsABlockArgument(value)
                                   ? mlirBlockArgumentGetOwner(value)
                                   : mlirOperationGetBlock(mlirOpResultGetOwner(value)));
}

// The marked loop that is all there is in the last of `loops`, whose bounds are known before the
// first; or a null one.
static MlirOperation find_inner(const MlirOperation *loops, size_t count) {
  MlirBlock body = tune_ir_body(loops[count - 1]);
  MlirOperation inner = mlirBlockGetFirstOperation(body);
  while (is_repeatable(inner))
    inner = mlirOperationGetNextInBlock(inner);
  MlirOperation none = {NULL};
  if (!is_marked(inner) ||
      !mlirOperationEqual(mlirOperationGetNextInBlock(inner), mlirBlockGetTerminator(body)))
    return none;
  for (size_t i = 0; i < count; ++i)
    for (intptr_t bound = 0; bound < 3; ++bound)
      if (is_made_in(mlirOperationGetOperand(inner, bound), tune_ir_body(loops[i])))
        return none;
  return inner;
}

MlirBlock tune_parallel_loops_make(MlirOperation place, const tune_loop_bounds *loops,
                                   size_t count) {
  MlirContext context = mlirOperationGetContext(place);
  MlirLocation location = mlirOperationGetLocation(place);
  MlirValue bounds[3 * TUNE_MOST_PARALLEL_LOOPS];
  MlirType types[TUNE_MOST_PARALLEL_LOOPS];
  MlirLocation locations[TUNE_MOST_PARALLEL_LOOPS];
  for (size_t i = 0; i < count; ++i) {
    for (size_t bound = 0; bound < 3; ++bound)
      bounds[bound * count + i] = loops[i].values[bound];
    types[i] = mlirIndexTypeGet(context);
    locations[i] = location;
  }
  int32_t segments[] = {(int32_t)count, (int32_t)count, (int32_t)count, 0};
  MlirNamedAttribute attribute =
      tune_ir_named(context, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 4, segments));
  MlirBlock body = mlirBlockCreate((intptr_t)count, types, locations);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  MlirOperationState state = mlirOperationStateGet(tune_ir_string("scf.parallel"), location);
  mlirOperationStateAddOperands(&state, (intptr_t)(3 * count), bounds);
  mlirOperationStateAddAttributes(&state, 1, &attribute);
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place,
                                      mlirOperationCreate(&state));
  MlirOperationState reduce = mlirOperationStateGet(tune_ir_string("scf.reduce"), location);
  mlirBlockAppendOwnedOperation(body, mlirOperationCreate(&reduce));
  return body;
}

// Moves the ops of `from`, but its last, before the last of `to`; and not `stays`.
static void move_ops(MlirBlock from, MlirOperation stays, MlirBlock to) {
  MlirOperation end = mlirBlockGetTerminator(from);
  for (MlirOperation op = mlirBlockGetFirstOperation(from), next; !mlirOperationEqual(op, end);
       op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (mlirOperationIsNull(stays) || !mlirOperationEqual(op, stays))
      mlirOperationMoveBefore(op, mlirBlockGetTerminator(to));
  }
}

//===--------------------------------------------------------------------------===//
// Memory of each step
//===--------------------------------------------------------------------------===//

// Where memory is looked at, through views as well.
typedef struct memory_uses {
  bool within_written; // in the loop, by writing
  bool before, after;  // outside of it
} memory_uses;

static void look_at_uses(MlirValue value, MlirOperation loop, memory_uses *uses) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use), outer = user;
    if (tune_memory_access_is_view(user)) {
      look_at_uses(mlirOperationGetResult(user, 0), loop, uses);
      continue;
    }
    if (tune_ir_is_inside(user, loop)) {
      uses->within_written |=
          (tune_memory_access_through_call(user, (intptr_t)mlirOpOperandGetOperandNumber(use)) &
           TUNE_WRITES) != 0;
      continue;
    }
    while (!mlirOperationIsNull(outer) &&
           !mlirBlockEqual(mlirOperationGetBlock(outer), mlirOperationGetBlock(loop)))
      outer = mlirOperationGetParentOperation(outer);
    bool is_before = !mlirOperationIsNull(outer) && mlirOperationIsBeforeInBlock(outer, loop);
    uses->before |= is_before;
    uses->after |= !is_before;
  }
}

typedef struct memory_look {
  MlirOperation loop;
  tune_op_list own; // memory that nothing but the loop looks at
  bool has_scratch; // that is filled before the loop, written by it, and of no use after it
} memory_look;

static MlirWalkResult find_memory(MlirOperation op, void *user_data) {
  memory_look *look = user_data;
  if (mlirOperationEqual(op, look->loop))
    return MlirWalkResultSkip;
  if (!tune_ir_is(op, "memref.alloc") && !tune_ir_is(op, "memref.alloca"))
    return MlirWalkResultAdvance;
  memory_uses uses = {false, false, false};
  look_at_uses(mlirOperationGetResult(op, 0), look->loop, &uses);
  look->has_scratch |= uses.within_written && uses.before && !uses.after;
  if (uses.before || uses.after || tune_op_list_add(&look->own, op))
    return MlirWalkResultAdvance;
  return MlirWalkResultInterrupt;
}

// Moves `op`, and before it the views of it, to the start of `body`.
static void sink(MlirOperation op, MlirOperation loop, MlirBlock body) {
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (!tune_ir_is_inside(user, loop))
      sink(user, loop, body);
  }
  mlirOperationMoveBefore(op, mlirBlockGetFirstOperation(body));
}

//===--------------------------------------------------------------------------===//
// Loops
//===--------------------------------------------------------------------------===//

// The body of the parallel loop that `loop` becomes.
static MlirBlock open_loop(MlirOperation loop) {
  MlirOperation loops[TUNE_MOST_PARALLEL_LOOPS] = {loop}, none = {NULL};
  tune_loop_bounds bounds[TUNE_MOST_PARALLEL_LOOPS];
  size_t count = 1;
  while (count < TUNE_MOST_PARALLEL_LOOPS) {
    MlirOperation inner = find_inner(loops, count);
    if (mlirOperationIsNull(inner))
      break;
    loops[count++] = inner;
  }
  for (size_t i = 0; i < count; ++i)
    for (intptr_t bound = 0; bound < 3; ++bound)
      bounds[i].values[bound] = mlirOperationGetOperand(loops[i], bound);
  MlirBlock body = tune_parallel_loops_make(loop, bounds, count);
  for (size_t i = 0; i < count; ++i) {
    mlirValueReplaceAllUsesOfWith(mlirBlockGetArgument(tune_ir_body(loops[i]), 0),
                                  mlirBlockGetArgument(body, (intptr_t)i));
    move_ops(tune_ir_body(loops[i]), i + 1 < count ? loops[i + 1] : none, body);
  }
  mlirOperationDestroy(loop);
  return body;
}

// Memory that buffer hoisting took out of the loop, as it had the steps follow each other, goes
// back into it: each step has its own. Where it is filled before the loop, that cannot be told from
// what the steps hand on, and the loop stays as it is.
static bool open_with_memory(MlirOperation module, MlirOperation loop) {
  memory_look look = {.loop = loop};
  mlirOperationWalk(module, find_memory, &look, MlirWalkPreOrder);
  if (!look.own.failed && !look.has_scratch) {
    MlirBlock body = open_loop(loop);
    for (size_t i = 0; i < look.own.count; ++i)
      sink(look.own.ops[i], mlirBlockGetParentOperation(body), body);
  }
  tune_op_list_deinit(&look.own);
  return !look.own.failed;
}

static MlirWalkResult find_loop(MlirOperation op, void *user_data) {
  if (!tune_parallel_loops_is_parallel(op))
    return MlirWalkResultAdvance;
  if (!is_marked(op))
    return MlirWalkResultSkip; // there are threads in it already
  return tune_op_list_add(user_data, op) ? MlirWalkResultSkip : MlirWalkResultInterrupt;
}

tune_status tune_parallel_loops_lower(MlirOperation module) {
  tune_op_list loops = {0};
  mlirOperationWalk(module, find_loop, &loops, MlirWalkPreOrder);
  bool failed = loops.failed;
  for (size_t i = 0; i < loops.count && !failed; ++i)
    failed = !open_with_memory(module, loops.ops[i]);
  tune_op_list_deinit(&loops);
  return failed ? tune_status_out_of_memory("making loops parallel") : TUNE_OK;
}
