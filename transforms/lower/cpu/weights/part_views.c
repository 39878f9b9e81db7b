//===- part_views.c ------------------------------------------------------------------===//

#include "transforms/lower/cpu/weights/part_views.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/memory_access.h"

typedef struct mover {
  MlirValue memory;
  MlirOperation loop;
  MlirOperation first; // of the body, before which views go
  tune_op_list views;  // that were before the loop
  tune_op_list copies; // of them, in the same order
} mover;

static bool has_failed(const mover *m) { return m->views.failed || m->copies.failed; }

// The view outside of the loop that `value` is, of the memory; null where it is none.
static MlirOperation outer_view(const mover *m, MlirValue value) {
  MlirOperation none = {NULL}, op = tune_ir_definition(value);
  return mlirTypeIsAMemRef(mlirValueGetType(value)) && !mlirOperationIsNull(op) &&
                 tune_memory_access_is_view(op) &&
                 mlirValueEqual(tune_memory_access_look_through_views(value), m->memory) &&
                 !tune_ir_is_made_inside(value, m->loop)
             ? op
             : none;
}

static void bring_in_operands(mover *m, MlirOperation op);

// What `view` is in the body.
static MlirOperation bring_in(mover *m, MlirOperation view) {
  for (size_t i = 0; i < m->views.count; ++i)
    if (mlirOperationEqual(m->views.ops[i], view))
      return m->copies.ops[i];
  MlirOperation copy = mlirOperationClone(view);
  tune_ir_builder before = tune_ir_builder_before(m->first);
  bring_in_operands(m, copy);
  mlirBlockInsertOwnedOperationBefore(before.block, before.before, copy);
  // The views that this one is of are in the lists before it.
  if (!tune_op_list_add(&m->views, view) || !tune_op_list_add(&m->copies, copy))
    return view;
  return copy;
}

static void bring_in_operands(mover *m, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && !has_failed(m); ++i) {
    MlirOperation view = outer_view(m, mlirOperationGetOperand(op, i));
    if (mlirOperationIsNull(view))
      continue;
    MlirOperation copy = bring_in(m, view);
    if (!has_failed(m))
      mlirOperationSetOperand(op, i, mlirOperationGetResult(copy, 0));
  }
}

static MlirWalkResult look_at_op(MlirOperation op, void *user_data) {
  mover *m = user_data;
  if (!mlirOperationEqual(op, m->loop))
    bring_in_operands(m, op);
  return has_failed(m) ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Whether `memory`, or a view of it outside of the loop, has a view there that the loop uses.
static bool has_outer_view(MlirValue memory, MlirOperation loop) {
  for (MlirOpOperand use = mlirValueGetFirstUse(memory); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation view = mlirOpOperandGetOwner(use);
    if (!tune_memory_access_is_view(view) || tune_ir_is_inside(view, loop))
      continue;
    MlirValue seen = mlirOperationGetResult(view, 0);
    for (MlirOpOperand of = mlirValueGetFirstUse(seen); !mlirOpOperandIsNull(of);
         of = mlirOpOperandGetNextUse(of))
      if (tune_ir_is_inside(mlirOpOperandGetOwner(of), loop))
        return true;
    if (has_outer_view(seen, loop))
      return true;
  }
  return false;
}

tune_status tune_part_views_bring_in(MlirValue memory, MlirOperation loop) {
  if (!has_outer_view(memory, loop))
    return TUNE_OK;
  mover m = {
      .memory = memory, .loop = loop, .first = mlirBlockGetFirstOperation(tune_ir_body(loop))};
  mlirOperationWalk(loop, look_at_op, &m, MlirWalkPreOrder);
  bool failed = has_failed(&m);
  if (!failed)
    tune_op_list_destroy_unused(&m.views);
  tune_op_list_deinit(&m.views);
  tune_op_list_deinit(&m.copies);
  return failed ? tune_status_out_of_memory("bringing views into a loop") : TUNE_OK;
}
