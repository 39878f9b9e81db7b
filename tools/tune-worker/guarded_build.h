//===- guarded_build.h - A part of a build that may crash, tried first --------===//
//
// A build that crashes ends its child, and with it what that knew. Where a crash has been seen, a
// part of the next build is done by a child of the child first, so that what crashes is a failure
// like any other, and another schedule can be tried in its place.
//
// Threads: for a process with one thread.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_GUARDED_BUILD_H
#define TUNE_TOOLS_TUNE_WORKER_GUARDED_BUILD_H

#include "support/status.h"

// Calls `run` in a child, of which nothing is kept. INTERNAL where that crashes, with how; what
// else comes of it, another failure too, is OK.
tune_status guarded_build_try(tune_status (*run)(void *user), void *user);

#endif // TUNE_TOOLS_TUNE_WORKER_GUARDED_BUILD_H
