//===- exchange.h - Requests to a server and their replies -------------------===//
//
// tune-run has one thing to do at a time, so it waits where drivers that search do
// something else meanwhile.
//
// Threads: as tuning/evaluators/connection.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_RUN_EXCHANGE_H
#define TUNE_TOOLS_TUNE_RUN_EXCHANGE_H

#include "tuning/evaluators/connection.h"

// Sends `request`, whose reference it takes.
tune_status exchange_send(tune_connection *connection, json_t *request);
// Waits for the next reply, a new reference. The failure that the reply tells of, where it does.
tune_status exchange_receive(tune_connection *connection, json_t **out_reply);
// Both.
tune_status exchange_ask(tune_connection *connection, json_t *request, json_t **out_reply);

#endif // TUNE_TOOLS_TUNE_RUN_EXCHANGE_H
