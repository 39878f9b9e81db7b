//===- unordered.c - Analysis: results that may differ from run to run -------===//

#include "transforms/lower/common/unordered.h"

#include "transforms/ir/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#define NO_KIND ((int64_t)-1)

typedef struct finding {
  bool is_unordered;
  // What atomic ops on integers do, as far as they have been seen; of two sorts, as sums and
  // maxima, it matters which comes first.
  int64_t kind;
} finding;

//===--- Atomic ops -------------------------------------------------------------------===//

// Whether memory holds the same after ops of this `kind`, in whatever order.
static bool is_exact_kind(MlirOperation op, int64_t kind) {
  // add, and, the signed and unsigned maxima and minima, or, xor: of arith::AtomicRMWKind and of
  // llvm::AtomicRMWInst::BinOp.
  static const int64_t OF_MEMREF[] = {1, 2, 6, 7, 10, 11, 14, 15},
                       OF_LLVM[] = {1, 3, 5, 6, 7, 8, 9, 10};
  const int64_t *kinds = tune_ir_is(op, "llvm.atomicrmw") ? OF_LLVM : OF_MEMREF;
  for (size_t i = 0; i < sizeof OF_LLVM / sizeof *OF_LLVM; ++i)
    if (kinds[i] == kind)
      return true;
  return false;
}

static void look_at_atomic(finding *found, MlirOperation op) {
  MlirAttribute attribute =
      tune_ir_attribute(op, tune_ir_is(op, "llvm.atomicrmw") ? "bin_op" : "kind");
  int64_t kind = mlirAttributeIsNull(attribute) ? NO_KIND : mlirIntegerAttrGetValueInt(attribute);
  MlirValue before = mlirOperationGetResult(op, 0);
  bool is_exact = mlirTypeIsAInteger(mlirValueGetType(before)) &&
                  mlirOpOperandIsNull(mlirValueGetFirstUse(before)) && is_exact_kind(op, kind);
  if (!is_exact || (found->kind != NO_KIND && found->kind != kind))
    found->is_unordered = true;
  found->kind = kind;
}

//===--- Reductions of loops ----------------------------------------------------------===//

// Whether `region` is one op on integers, which gives the same in any order.
static bool combines_exactly(MlirRegion region) {
  static const char *const EXACT[] = {
      "arith.addi",     "arith.muli",     "arith.andi",     "arith.ori",   "arith.xori",
      "arith.maxsi",    "arith.maxui",    "arith.minsi",    "arith.minui", "llvm.add",
      "llvm.mul",       "llvm.and",       "llvm.or",        "llvm.xor",    "llvm.intr.smax",
      "llvm.intr.umax", "llvm.intr.smin", "llvm.intr.umin", NULL};
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (mlirBlockIsNull(block) || mlirBlockGetNumArguments(block) != 2)
    return false;
  MlirOperation op = mlirBlockGetFirstOperation(block);
  return tune_ir_is_one_of(op, EXACT) &&
         mlirOperationEqual(mlirOperationGetNextInBlock(op), mlirBlockGetTerminator(block)) &&
         !mlirValueEqual(mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1));
}

// Every scf.parallel ends in a scf.reduce; with operands it reduces.
static bool reduces_exactly(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    if (!combines_exactly(mlirOperationGetRegion(op, i)))
      return false;
  return true;
}

static bool declares_exactly(MlirOperation op) {
  enum { COMBINER = 2 }; // of the regions: after those that allocate and initialize
  return mlirOperationGetNumRegions(op) > COMBINER &&
         combines_exactly(mlirOperationGetRegion(op, COMBINER));
}

//===--- Modules ----------------------------------------------------------------------===//

static MlirWalkResult look_at(MlirOperation op, void *user_data) {
  static const char *const UNKNOWN[] = {"memref.generic_atomic_rmw", "llvm.cmpxchg", NULL};
  finding *found = user_data;
  if (tune_ir_is(op, "memref.atomic_rmw") || tune_ir_is(op, "llvm.atomicrmw"))
    look_at_atomic(found, op);
  else if (tune_ir_is(op, "scf.reduce"))
    found->is_unordered = !reduces_exactly(op);
  else if (tune_ir_is(op, "omp.declare_reduction"))
    found->is_unordered = !declares_exactly(op);
  else
    found->is_unordered = tune_ir_is_one_of(op, UNKNOWN);
  return found->is_unordered ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_unordered_find(MlirOperation op) {
  finding found = {.kind = NO_KIND};
  mlirOperationWalk(op, look_at, &found, MlirWalkPreOrder);
  return found.is_unordered;
}
