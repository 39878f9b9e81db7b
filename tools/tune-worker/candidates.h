//===- candidates.h - Listing the candidates of a module ---------------------===//
//
// The request "candidates" (docs/protocol.md), of a driver that has no MLIR and wants to
// have a module's tasks measured elsewhere (tune-run export).
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_WORKER_CANDIDATES_H
#define TUNE_TOOLS_TUNE_WORKER_CANDIDATES_H

#include "formats/worker_requests.h"
#include "support/status.h"

#include "mlir-c/IR.h"

#include <jansson.h>

// Answers `request` with the module's tasks, each with configs: the default, those that the request
// gives, the best of the database, and random ones. Errors tell the place in the module.
tune_status candidates_list(MlirContext context, const tune_candidates_request *request,
                            json_t **out_reply);

#endif // TUNE_TOOLS_TUNE_WORKER_CANDIDATES_H
