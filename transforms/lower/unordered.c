//===- unordered.c - Code whose results may differ from run to run ----------------------===//

#include "transforms/lower/unordered.h"

#include "transforms/ir.h"

static bool is_unordered(MlirOperation op) {
  static const char *const NAMES[] = {"memref.atomic_rmw", "memref.generic_atomic_rmw",
                                      "llvm.atomicrmw", "llvm.cmpxchg", "omp.declare_reduction"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (tune_ir_is(op, NAMES[i]))
      return true;
  // Every scf.parallel ends in one; with operands it reduces.
  return tune_ir_is(op, "scf.reduce") && mlirOperationGetNumOperands(op) > 0;
}

static MlirWalkResult find(MlirOperation op, void *user_data) {
  bool *found = user_data;
  *found = is_unordered(op);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_unordered_find(MlirOperation op) {
  bool found = false;
  mlirOperationWalk(op, find, &found, MlirWalkPreOrder);
  return found;
}
