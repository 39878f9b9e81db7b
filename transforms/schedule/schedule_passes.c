//===- schedule_passes.c - The passes that a schedule may run ----------------===//

#include "transforms/schedule/schedule_passes.h"

#include "dialects/diagnostic.h"
#include "support/nearest.h"
#include "transforms/ir/ir.h"
#include "transforms/structure/rounded_factors.h"

#include <string.h>

// Upstream's that only rewrite the IR, whatever their options, and ours; sorted. Not here: what
// takes a pipeline as text (inline, composite-fixed-point-pass), names of files
// (snapshot-op-locations, transform-preload-library), libraries or tools (gpu-module-to-binary,
// *-attach-target), or prints; nor what leaves no function as it was (convert-func-to-llvm), which
// is refused afterwards (schedule_result.h).
static const char *const listed[] = {
    "affine-data-copy-generate",
    "affine-expand-index-ops",
    "affine-expand-index-ops-as-affine",
    "affine-fold-memref-alias-ops",
    "affine-loop-coalescing",
    "affine-loop-fusion",
    "affine-loop-invariant-code-motion",
    "affine-loop-normalize",
    "affine-loop-tile",
    "affine-loop-unroll",
    "affine-loop-unroll-jam",
    "affine-parallelize",
    "affine-pipeline-data-transfer",
    "affine-raise-from-memref",
    "affine-scalrep",
    "affine-simplify-min-max",
    "affine-simplify-structures",
    "affine-super-vectorize",
    "arith-emulate-unsupported-floats",
    "arith-emulate-wide-int",
    "arith-expand",
    "arith-int-range-narrowing",
    "arith-unsigned-when-equivalent",
    "buffer-deallocation-pipeline",
    "buffer-deallocation-simplification",
    "buffer-hoisting",
    "buffer-loop-hoisting",
    "buffer-results-to-out-params",
    "bufferization-lower-deallocations",
    "canonicalize",
    "control-flow-sink",
    "convert-affine-for-to-gpu",
    "convert-arith-to-llvm",
    "convert-bufferization-to-memref",
    "convert-cf-to-llvm",
    "convert-complex-to-llvm",
    "convert-complex-to-standard",
    "convert-elementwise-to-linalg",
    "convert-gpu-to-nvvm",
    "convert-index-to-llvm",
    "convert-linalg-to-affine-loops",
    "convert-linalg-to-loops",
    "convert-linalg-to-parallel-loops",
    "convert-math-to-funcs",
    "convert-math-to-libm",
    "convert-math-to-llvm",
    "convert-nvgpu-to-nvvm",
    "convert-nvvm-to-llvm",
    "convert-openmp-to-llvm",
    "convert-parallel-loops-to-gpu",
    "convert-scf-to-cf",
    "convert-scf-to-openmp",
    "convert-tensor-to-linalg",
    "convert-to-llvm",
    "convert-ub-to-llvm",
    "convert-vector-to-gpu",
    "convert-vector-to-llvm",
    "convert-vector-to-scf",
    "cse",
    "drop-equivalent-buffer-results",
    "duplicate-function-elimination",
    "eliminate-empty-tensors",
    "empty-tensor-to-alloc-tensor",
    "expand-realloc",
    "expand-strided-metadata",
    "finalize-memref-to-llvm",
    "flatten-memref",
    "fold-memref-alias-ops",
    "fold-tensor-subset-ops",
    "gpu-decompose-memrefs",
    "gpu-eliminate-barriers",
    "gpu-kernel-outlining",
    "gpu-launch-sink-index-computations",
    "gpu-map-parallel-loops",
    "int-range-optimizations",
    "lift-cf-to-scf",
    "linalg-block-pack-matmul",
    "linalg-detensorize",
    "linalg-fold-into-elementwise",
    "linalg-fold-unit-extent-dims",
    "linalg-fuse-elementwise-ops",
    "linalg-generalize-named-ops",
    "linalg-inline-scalar-operands",
    "linalg-morph-ops",
    "linalg-specialize-generic-ops",
    "llvm-request-c-wrappers",
    "loop-invariant-code-motion",
    "loop-invariant-subset-hoisting",
    "lower-affine",
    "lower-vector-mask",
    "lower-vector-multi-reduction",
    "lower-vector-to-from-elements-to-shuffle-tree",
    "math-expand-ops",
    "math-extend-to-supported-types",
    "math-sincos-fusion",
    "math-uplift-to-fma",
    "mem2reg",
    "memref-emulate-wide-int",
    "memref-expand",
    "normalize-memrefs",
    "nvgpu-optimize-shared-memory",
    "one-shot-bufferize",
    "optimize-allocation-liveness",
    "ownership-based-buffer-deallocation",
    "promote-buffers-to-stack",
    "reconcile-unrealized-casts",
    "reify-result-shapes",
    "remove-dead-values",
    "resolve-ranked-shaped-type-result-dims",
    "resolve-shaped-type-result-dims",
    "sccp",
    "scf-for-loop-canonicalization",
    "scf-for-loop-peeling",
    "scf-for-loop-range-folding",
    "scf-for-loop-specialization",
    "scf-for-to-while",
    "scf-forall-to-for",
    "scf-forall-to-parallel",
    "scf-parallel-for-to-nested-fors",
    "scf-parallel-loop-fusion",
    "scf-parallel-loop-specialization",
    "scf-parallel-loop-tiling",
    "simplify-depthwise-conv",
    "sroa",
    "symbol-dce",
    "symbol-privatize",
    "topological-sort",
    "tosa-to-arith",
    "tosa-to-linalg",
    "tosa-to-linalg-named",
    "tosa-to-scf",
    "tosa-to-tensor",
    TUNE_ROUNDED_FACTORS_PASS,
};

static bool is_listed(MlirStringRef name) {
  for (size_t i = 0; i < sizeof listed / sizeof *listed; ++i)
    if (tune_ir_string_equal(name, listed[i]))
      return true;
  return false;
}

// Whether `name` is one of the words of `list`, with commas between them.
static bool is_among(MlirStringRef name, const char *list) {
  while (list && *list) {
    size_t length = strcspn(list, ",");
    if (length == name.length && memcmp(list, name.data, length) == 0)
      return true;
    list += length + (list[length] == ',');
  }
  return false;
}

typedef struct pass_check {
  const char *allowed;
  tune_status status;
} pass_check;

static MlirWalkResult check_op(MlirOperation op, void *user_data) {
  pass_check *check = user_data;
  if (!tune_ir_is(op, "transform.apply_registered_pass"))
    return MlirWalkResultAdvance;
  MlirStringRef name = tune_ir_string_attribute(op, "pass_name");
  if (is_listed(name) || is_among(name, check->allowed))
    return MlirWalkResultAdvance;
  check->status = tune_status_make_at(
      TUNE_INVALID_ARGUMENT, op,
      "a schedule may not run the pass \"%.*s\": it is not on the list of those that only rewrite "
      "the payload (docs/security.md); if you trust this schedule, say allow-pass=%.*s",
      (int)name.length, name.data, (int)name.length, name.data);
  return MlirWalkResultInterrupt;
}

tune_status tune_schedule_check_passes(MlirOperation schedule, const char *allowed) {
  pass_check check = {.allowed = allowed};
  mlirOperationWalk(schedule, check_op, &check, MlirWalkPreOrder);
  return check.status;
}
