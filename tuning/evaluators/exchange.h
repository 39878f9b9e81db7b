//===- exchange.h - Requests to a server and their replies -------------------===//
//
// For who has one thing to do at a time, and waits for it, where evaluators do something else
// meanwhile.
//
// Threads: as connection.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_EXCHANGE_H
#define TUNE_TUNING_EVALUATORS_EXCHANGE_H

#include "tuning/evaluators/connection.h"

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

// How long a reply is waited for. The hello of a server is, ahead of the first request, without it:
// all that comes before that is starting it.
typedef struct tune_patience {
  double deadline;                          // by tune_clock_seconds; 0: none
  const volatile sig_atomic_t *interrupted; // not 0: no longer; NULL: never
} tune_patience;

// Sends `request`, whose reference it takes.
tune_status tune_exchange_send(tune_connection *connection, json_t *request);
// Waits for the next reply, a new reference. The failure that the reply tells of, where it does.
// DEADLINE_EXCEEDED or CANCELLED where it did not come before `patience` (NULL: that has no end)
// was over; the server is killed then, since nobody waits for what it is at.
tune_status tune_exchange_receive(tune_connection *connection, const tune_patience *patience,
                                  json_t **out_reply);
// Both.
tune_status tune_exchange_ask(tune_connection *connection, json_t *request,
                              const tune_patience *patience, json_t **out_reply);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_EXCHANGE_H
