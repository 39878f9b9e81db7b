//===- connection.c -----------------------------------------------------------===//

#include "tuning/evaluators/connection.h"

#include "support/message.h"
#include "support/process.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

// Of what a dead program wrote to stderr, this much is shown.
#define STDERR_SHOWN 2000
// How long a program that closed its stdout may take to end, in seconds.
#define END_SECONDS 2.0

struct tune_connection {
  char *name;
  tune_process *process;
  tune_message_reader reader;
  bool was_greeted;
  char how[64]; // it ended
};

static tune_status start(const char *program, tune_connection *connection) {
  char *path;
  tune_status found = tune_process_find_program(program, &path);
  if (tune_status_get_code(found) == TUNE_UNAVAILABLE) {
    tune_status explained =
        tune_status_make(TUNE_UNAVAILABLE, "%s; it is installed with mlir-tune, beside tune-opt",
                         tune_status_get_message(found));
    tune_status_free(found);
    return explained;
  }
  TUNE_RETURN_IF_ERROR(found);
  const char *const arguments[] = {path, "--serve", NULL};
  tune_process_options options = {.arguments = arguments,
                                  .in = TUNE_PROCESS_PIPE,
                                  .out = TUNE_PROCESS_PIPE,
                                  .error = TUNE_PROCESS_CAPTURE};
  tune_status status = tune_process_start(&options, &connection->process);
  free(path);
  return status;
}

tune_status tune_connection_open(const char *program, tune_connection **out_connection) {
  *out_connection = NULL;
  tune_connection *connection = calloc(1, sizeof *connection);
  const char *slash = strrchr(program, '/');
  if (!connection || !(connection->name = strdup(slash ? slash + 1 : program))) {
    free(connection);
    return tune_status_out_of_memory("starting %s", program);
  }
  tune_message_reader_init(&connection->reader);
  tune_status status = start(program, connection);
  if (!tune_status_is_ok(status)) {
    tune_connection_close(connection);
    return tune_status_annotate(status, "starting %s", program);
  }
  *out_connection = connection;
  return TUNE_OK;
}

void tune_connection_close(tune_connection *connection) {
  if (!connection)
    return;
  tune_process_destroy(connection->process);
  tune_message_reader_deinit(&connection->reader);
  free(connection->name);
  free(connection);
}

const char *tune_connection_name(const tune_connection *connection) { return connection->name; }

const char *tune_connection_end(const tune_connection *connection) { return connection->how; }

int tune_connection_fd(const tune_connection *connection) {
  // The hello is not for the reader of replies.
  return connection->was_greeted ? tune_process_get_stdout(connection->process) : -1;
}

// Makes of a broken pipe what happened to the program. Takes and replaces `status`.
static tune_status explain(tune_connection *connection, tune_status status) {
  tune_status_code code = tune_status_get_code(status);
  if (code != TUNE_NOT_FOUND && code != TUNE_DATA_LOSS)
    return status;
  tune_process_exit exit;
  tune_status waited = tune_process_wait(connection->process, END_SECONDS, &exit);
  if (!tune_status_is_ok(waited)) {
    // It lives, but does not speak the protocol, or not any more.
    tune_status_free(waited);
    return tune_status_annotate(status, "%s", connection->name);
  }
  char *said = NULL;
  tune_status captured = tune_process_get_captured(connection->process, STDERR_SHOWN, &said);
  bool spoke = tune_status_is_ok(captured) && *said;
  tune_status_free(captured);
  tune_status_free(status);
  status = tune_status_make(TUNE_NOT_FOUND, "%s %s%s%s", connection->name,
                            tune_process_exit_describe(exit, connection->how), spoke ? ": " : "",
                            spoke ? said : "");
  free(said);
  return status;
}

static tune_status greet(tune_connection *connection) {
  char *peer = NULL;
  tune_status status =
      tune_message_handshake(tune_process_get_stdout(connection->process),
                             tune_process_get_stdin(connection->process), "mlir-tune", &peer);
  // A program of another version is as good as none: it is no fault of what it would be asked.
  if (tune_status_get_code(status) == TUNE_FAILED_PRECONDITION)
    return tune_status_recode(status, TUNE_UNAVAILABLE);
  TUNE_RETURN_IF_ERROR(status);
  free(peer);
  connection->was_greeted = true;
  return TUNE_OK;
}

tune_status tune_connection_send(tune_connection *connection, const json_t *request) {
  if (!connection->was_greeted) {
    tune_status status = greet(connection);
    if (!tune_status_is_ok(status))
      return explain(connection, status);
  }
  tune_status status = tune_message_write(tune_process_get_stdin(connection->process), request);
  return tune_status_is_ok(status) ? TUNE_OK : explain(connection, status);
}

tune_status tune_connection_fill(tune_connection *connection) {
  return tune_message_reader_fill(&connection->reader,
                                  tune_process_get_stdout(connection->process));
}

tune_status tune_connection_pop(tune_connection *connection, json_t **out_reply) {
  tune_status status = tune_message_reader_pop(&connection->reader, out_reply);
  return tune_status_is_ok(status) ? TUNE_OK : explain(connection, status);
}

void tune_connection_kill(tune_connection *connection) {
  tune_process_signal(connection->process, SIGKILL);
}
