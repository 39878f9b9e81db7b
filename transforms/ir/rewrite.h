//===- rewrite.h - Greedy rewriting with patterns ----------------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_IR_REWRITE_H
#define TUNE_TRANSFORMS_IR_REWRITE_H

#include "support/status.h"

#include "mlir-c/IR.h"
#include "mlir-c/Rewrite.h"

#ifdef __cplusplus
extern "C" {
#endif

// Applies `patterns`, which it takes, to all below `module` until nothing changes. INTERNAL where
// that does not end; `doing` ("lowering math functions") says what it was for.
tune_status tune_rewrite_apply(MlirOperation module, MlirRewritePatternSet patterns,
                               const char *doing);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_IR_REWRITE_H
