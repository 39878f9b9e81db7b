//===- parse_child.h - Parsing first where a crash costs nothing --------------===//
//
// Upstream's parser crashes on some text. A forked child parses it before this process does, which
// then does it again, since nothing of a child's memory comes back.
//
// Threads: for a process with one thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_PARSE_CHILD_H
#define TUNE_TOOLS_TUNE_WORKER_PARSE_CHILD_H

#include "support/status.h"

#include "mlir-c/IR.h"

// As tune_ir_parse is called. TUNE_OK where the parser comes back, whatever it found, and where
// somebody else has killed the child, which says nothing of the text.
// INVALID_ARGUMENT where it does not: names `source`, and the op that was being parsed.
tune_status parse_child_run(MlirContext context, const char *text, const char *source);

#endif // TUNE_TOOLS_TUNE_WORKER_PARSE_CHILD_H
