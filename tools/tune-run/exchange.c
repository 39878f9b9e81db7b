//===- exchange.c -------------------------------------------------------------===//

#include "tools/tune-run/exchange.h"

#include "formats/messages.h"
#include "support/message.h"
#include "tuning/evaluators/turn_notice.h"

#include <errno.h>
#include <poll.h>

tune_status exchange_send(tune_connection *connection, json_t *request) {
  tune_status status = tune_connection_send(connection, request);
  json_decref(request);
  return status;
}

tune_status exchange_receive(tune_connection *connection, json_t **out_reply) {
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
    struct pollfd fd = {.fd = tune_connection_fd(connection), .events = POLLIN};
    if (poll(&fd, 1, -1) < 0) {
      if (errno == EINTR)
        continue;
      return tune_status_from_errno(errno, "waiting for %s", tune_connection_name(connection));
    }
    TUNE_RETURN_IF_ERROR(tune_connection_fill(connection));
  }
  tune_status status = tune_message_get_status(reply);
  if (tune_status_is_ok(status)) {
    *out_reply = reply;
    return TUNE_OK;
  }
  json_decref(reply);
  return status;
}

tune_status exchange_ask(tune_connection *connection, json_t *request, json_t **out_reply) {
  *out_reply = NULL;
  TUNE_RETURN_IF_ERROR(exchange_send(connection, request));
  return exchange_receive(connection, out_reply);
}
