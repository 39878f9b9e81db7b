//===- process_server.c ------------------------------------------------------------===//

#include "tuning/evaluators/process_server.h"

#include "formats/messages.h"
#include "support/clock.h"
#include "tuning/evaluators/turn_notice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tune_status tune_server_start(struct server *server, const char *program, double patience) {
  server->patience = patience;
  server->program = strdup(program);
  if (!server->program)
    return tune_status_out_of_memory("starting %s", program);
  return tune_connection_open(program, &server->connection);
}

void tune_server_stop(struct server *server) {
  tune_connection_close(server->connection);
  free(server->program);
  *server = (struct server){0};
}

const char *tune_server_name(const struct server *server) {
  const char *slash = strrchr(server->program, '/');
  return slash ? slash + 1 : server->program;
}

static tune_status start_anew(struct server *server, bool *out_restarted) {
  *out_restarted = true;
  return tune_connection_open(server->program, &server->connection);
}

static void note_restart(struct server *server) {
  const char *how = tune_connection_end(server->connection);
  ++server->restarts;
  if (server->was_silent)
    snprintf(server->why, sizeof server->why, "it did not answer for %.0f s", server->patience);
  else
    snprintf(server->why, sizeof server->why, "it %s", *how ? how : "sent what is no answer");
  server->was_silent = false;
}

// Takes `status`, a failure of the connection. Starts the server anew where it died the first time.
static tune_status recover(struct server *server, tune_status status, bool *out_restarted) {
  tune_status_code code = tune_status_get_code(status);
  if (code != TUNE_NOT_FOUND && code != TUNE_DATA_LOSS)
    return status;
  if (server->has_died) {
    status = tune_status_annotate(status, "it ended twice without an answer in between");
    return tune_status_recode(status, TUNE_UNAVAILABLE);
  }
  note_restart(server);
  tune_connection_close(server->connection);
  server->connection = NULL;
  server->task = SERVER_TASK_CLOSED;
  server->stale_opens = server->unanswered = 0;
  server->has_died = true;
  tune_status_free(status);
  return start_anew(server, out_restarted);
}

tune_status tune_server_send(struct server *server, json_t *request, bool counts,
                             bool *out_restarted) {
  if (!server->connection) {
    json_decref(request);
    return start_anew(server, out_restarted);
  }
  tune_status status = tune_connection_send(server->connection, request);
  json_decref(request);
  if (!tune_status_is_ok(status))
    return recover(server, status, out_restarted);
  server->unanswered += counts;
  server->answer_by = tune_clock_seconds() + server->patience;
  return TUNE_OK;
}

tune_status tune_server_pop(struct server *server, json_t **out_reply, bool *out_restarted) {
  bool is_waiting = true;
  *out_reply = NULL;
  if (!server->connection)
    return start_anew(server, out_restarted);
  while (is_waiting) {
    tune_status status = tune_connection_pop(server->connection, out_reply);
    if (!tune_status_is_ok(status))
      return recover(server, status, out_restarted);
    if (*out_reply)
      server->answer_by = tune_clock_seconds() + server->patience;
    is_waiting = tune_reply_is_notice(*out_reply); // it lives, and has not answered
    if (is_waiting) {
      tune_turn_notice_tell(*out_reply);
      json_decref(*out_reply);
    }
  }
  if (*out_reply) {
    tune_reply_head head = tune_reply_head_of(*out_reply);
    server->unanswered -= server->unanswered > 0;
    // Being able to open a task is no sign that it will do better with what it died of.
    if (head.ticket)
      server->has_died = false;
    server->children += head.run_again;
  }
  return TUNE_OK;
}

tune_status tune_server_fill(struct server *server, bool can_read) {
  if (can_read)
    return tune_connection_fill(server->connection);
  if (server->unanswered && tune_clock_seconds() > server->answer_by) {
    tune_connection_kill(server->connection);
    server->was_silent = true;
  }
  return TUNE_OK;
}
