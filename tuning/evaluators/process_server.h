//===- process_server.h - A server that may die once -------------------------===//
//
// A connection with what is needed to bring a dead server back: how many requests wait for
// an answer, until when one has to come, and whether the server died since it last
// answered. Internal to process.c.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_PROCESS_SERVER_H
#define TUNE_TUNING_EVALUATORS_PROCESS_SERVER_H

#include "tuning/evaluators/connection.h"

#ifdef __cplusplus
extern "C" {
#endif

enum server_task { SERVER_TASK_CLOSED, SERVER_TASK_OPENING, SERVER_TASK_OPEN };

struct server {
  char *program;
  tune_connection *connection; // NULL where it died and could not be started anew, yet
  char task_id[32];            // the task's name in messages
  enum server_task task;
  size_t stale_opens; // requests to open a task that is closed by now, not yet answered
  size_t unanswered;  // requests
  double patience;    // seconds that an answer may take
  double answer_by;   // by tune_clock_seconds, where `unanswered`
  bool has_died;      // since it last answered
  bool was_silent;    // and was killed for that
  size_t restarts;
  size_t children; // that somebody killed, and which it started again
  char why[96];    // of the last one, "it was killed by SIGKILL"
};

// Starts `program`.
tune_status tune_server_start(struct server *server, const char *program, double patience);
void tune_server_stop(struct server *server);
// The name of its program, without folders; borrowed.
const char *tune_server_name(const struct server *server);

// Both set `*out_restarted` where the server was found dead: it is a new one then, which knows
// nothing and has been asked nothing. A second death without an answer in between is an error.
// Sends `request`, whose reference it takes, unless that happens; `counts` where it has an answer.
tune_status tune_server_send(struct server *server, json_t *request, bool counts,
                             bool *out_restarted);
tune_status tune_server_pop(struct server *server, json_t **out_reply, bool *out_restarted);

// Reads what has come, and kills a server that has not answered for too long.
tune_status tune_server_fill(struct server *server, bool can_read);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_PROCESS_SERVER_H
