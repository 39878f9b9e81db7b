//===- build_sandbox.h - The sandbox of builds -------------------------------===//
//
// The sandbox (support/sandbox.h) of every process that compiles: a build of the server's, and
// `tune-worker --build`.
//
// Threads: for a process with one thread.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_BUILD_SANDBOX_H
#define TUNE_TOOLS_TUNE_WORKER_BUILD_SANDBOX_H

#include "support/status.h"

// Closes what this process has open beyond its standard streams but for `report` (-1: nothing), and
// enters the sandbox, in which all that is written goes into the folder of `output`, a path in the
// build's own folder, which also becomes TMPDIR.
tune_status build_sandbox_enter(const char *output, int report);

#endif // TUNE_TOOLS_TUNE_WORKER_BUILD_SANDBOX_H
