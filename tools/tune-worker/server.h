//===- server.h - tune-worker as a server -------------------------------------------===//
//
// The process that a driver talks to: it keeps tasks parsed, forks a child per build
// (build_child.h), waits for requests and children at once, and answers. It does nothing
// itself that depends on a config, so that no candidate can take it down.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_SERVER_H
#define TUNE_TOOLS_TUNE_WORKER_SERVER_H

#include "support/status.h"

// Serves on stdin and stdout until the driver closes its side; then kills what is being built. A
// driver that breaks the protocol is the only failure.
tune_status server_run(void);

#endif // TUNE_TOOLS_TUNE_WORKER_SERVER_H
