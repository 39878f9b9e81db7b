//===- math_patterns.cpp - Patterns for math that the C API does not offer ---===//

#include "transforms/lower/common/math_patterns.h"

#include "mlir/CAPI/Rewrite.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

static llvm::StringSet<> makeSet(const char *const *names, size_t count) {
  llvm::StringSet<> set;
  for (size_t i = 0; i < count; ++i)
    set.insert(names[i]);
  return set;
}

void tune_math_patterns_add_extension(MlirRewritePatternSet patterns, const char *const *names,
                                      size_t count) {
  llvm::StringSet<> set = makeSet(names, count);
  populateMathF32ExpansionPatterns(*unwrap(patterns),
                                   [&](StringRef name) { return set.contains(name); });
}

void tune_math_patterns_add_approximation(MlirRewritePatternSet patterns, const char *const *names,
                                          size_t count) {
  llvm::StringSet<> set = makeSet(names, count);
  populateMathPolynomialApproximationPatterns(*unwrap(patterns),
                                              [&](StringRef name) { return set.contains(name); });
}

void tune_math_patterns_add_expansion(MlirRewritePatternSet patterns, const char *const *mnemonics,
                                      size_t count) {
  // Upstream takes an empty list for all.
  if (count)
    math::populateExpansionPatterns(*unwrap(patterns),
                                    SmallVector<StringRef>(mnemonics, mnemonics + count));
}

void tune_math_patterns_add_powers(MlirRewritePatternSet patterns) {
  populateMathAlgebraicSimplificationPatterns(*unwrap(patterns));
}

void tune_math_patterns_add_rounding_division(MlirRewritePatternSet patterns) {
  arith::populateCeilFloorDivExpandOpsPatterns(*unwrap(patterns));
}

bool tune_math_machine_has(LLVMTargetMachineRef machine, const char *name) {
  const llvm::MCSubtargetInfo *info =
      reinterpret_cast<const llvm::TargetMachine *>(machine)->getMCSubtargetInfo();
  return info->checkFeatures(name);
}
