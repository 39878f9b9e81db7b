//===- server.h - Serving a driver -------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_SERVER_H
#define TUNE_TOOLS_TUNE_MEASURE_SERVER_H

#include "support/status.h"

// Serves the requests of docs/protocol.md that come from `in`, answers on `out`, until `in`
// ends, which is TUNE_OK. A request that fails is answered and does not end it.
tune_status server_run(int in, int out);

#endif // TUNE_TOOLS_TUNE_MEASURE_SERVER_H
