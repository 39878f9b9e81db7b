//===- exchange.c -------------------------------------------------------------===//

#include "tuning/evaluators/exchange.h"

#include "formats/messages.h"
#include "support/clock.h"
#include "support/message.h"
#include "tuning/evaluators/turn_notice.h"

#include <errno.h>
#include <math.h>
#include <poll.h>

// An interrupt between looking at the flag and waiting shows after so long at the latest.
#define WAIT_SECONDS 0.2

tune_status tune_exchange_send(tune_connection *connection, json_t *request) {
  tune_status status = tune_connection_send(connection, request);
  json_decref(request);
  return status;
}

// How long to wait next, in milliseconds; -1: for ever. Or why to wait no longer.
static tune_status look_at_patience(tune_connection *connection, const tune_patience *patience,
                                    int *out_milliseconds) {
  *out_milliseconds = -1;
  if (!patience || (!(patience->deadline > 0) && !patience->interrupted))
    return TUNE_OK;
  double left = patience->deadline > 0 ? patience->deadline - tune_clock_seconds() : WAIT_SECONDS;
  bool is_interrupted = patience->interrupted && *patience->interrupted;
  if (is_interrupted || left <= 0) {
    tune_connection_kill(connection);
    return is_interrupted ? tune_status_make(TUNE_CANCELLED, "interrupted")
                          : tune_status_make(TUNE_DEADLINE_EXCEEDED, "time was up");
  }
  *out_milliseconds = (int)ceil(fmin(left, WAIT_SECONDS) * 1e3);
  return TUNE_OK;
}

static tune_status await(tune_connection *connection, const tune_patience *patience) {
  struct pollfd fd = {.fd = tune_connection_fd(connection), .events = POLLIN};
  int milliseconds;
  TUNE_RETURN_IF_ERROR(look_at_patience(connection, patience, &milliseconds));
  int count = poll(&fd, 1, milliseconds);
  if (count < 0)
    return errno == EINTR
               ? TUNE_OK
               : tune_status_from_errno(errno, "waiting for %s", tune_connection_name(connection));
  return count > 0 ? tune_connection_fill(connection) : TUNE_OK;
}

tune_status tune_exchange_receive(tune_connection *connection, const tune_patience *patience,
                                  json_t **out_reply) {
  json_t *reply = NULL;
  for (;;) {
    TUNE_RETURN_IF_ERROR(tune_connection_pop(connection, &reply));
    if (tune_reply_is_notice(reply)) {
      tune_turn_notice_tell(reply);
      json_decref(reply);
      continue;
    }
    if (reply)
      break;
    TUNE_RETURN_IF_ERROR(await(connection, patience));
  }
  tune_status status = tune_message_get_status(reply);
  if (tune_status_is_ok(status)) {
    *out_reply = reply;
    return TUNE_OK;
  }
  json_decref(reply);
  return status;
}

tune_status tune_exchange_ask(tune_connection *connection, json_t *request,
                              const tune_patience *patience, json_t **out_reply) {
  *out_reply = NULL;
  TUNE_RETURN_IF_ERROR(tune_exchange_send(connection, request));
  return tune_exchange_receive(connection, patience, out_reply);
}
