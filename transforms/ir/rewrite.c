//===- rewrite.c - Greedy rewriting with patterns ----------------------------===//

#include "transforms/ir/rewrite.h"

#include "dialects/diagnostic.h"

tune_status tune_rewrite_apply(MlirOperation module, MlirRewritePatternSet patterns,
                               const char *doing) {
  MlirContext context = mlirOperationGetContext(module);
  MlirFrozenRewritePatternSet frozen = mlirFreezeRewritePattern(patterns);
  // Freezing takes the patterns and leaves the set, empty, to its owner.
  mlirRewritePatternSetDestroy(patterns);
  MlirGreedyRewriteDriverConfig config = mlirGreedyRewriteDriverConfigCreate();
  mlirGreedyRewriteDriverConfigSetRegionSimplificationLevel(
      config, MLIR_GREEDY_SIMPLIFY_REGION_LEVEL_DISABLED);
  tune_diagnostics diagnostics;
  tune_diagnostics_begin(&diagnostics, context);
  bool failed =
      mlirLogicalResultIsFailure(mlirApplyPatternsAndFoldGreedilyWithOp(module, frozen, config));
  tune_status status = tune_diagnostics_end(&diagnostics, failed, TUNE_INTERNAL, doing);
  tune_diagnostics_deinit(&diagnostics);
  mlirGreedyRewriteDriverConfigDestroy(config);
  mlirFrozenRewritePatternSetDestroy(frozen);
  return status;
}
