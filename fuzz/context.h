//===- context.h - One context for all inputs ------------------------------------------===//
//
// With all of upstream and our dialect. It keeps all types and attributes that it has ever seen, so
// that a long run takes more and more memory: scripts/fuzz ends one before that matters.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FUZZ_CONTEXT_H
#define TUNE_FUZZ_CONTEXT_H

#include "mlir-c/IR.h"

#include <stdbool.h>

MlirContext fuzz_context(void);
// Whether brackets nest deeper than the stack of upstream's parser is known to bear.
bool fuzz_nests_deep(const char *text);

#endif // TUNE_FUZZ_CONTEXT_H
