//===- connection.h - A server of our own, at the other end of two pipes -----===//
//
// tune-worker and tune-measure as their client sees them: a program that is started, says
// hello, takes requests and answers in messages (docs/protocol.md), and may die.
//
// A connection to a program that has died is told so by TUNE_NOT_FOUND from send and pop;
// what it was, and what it last wrote to stderr, is in the message.
//
// Threads: one thread at a time per connection, and the one that opened it has to live as
// long as it (see support/process.h).
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_EVALUATORS_CONNECTION_H
#define TUNE_TUNING_EVALUATORS_CONNECTION_H

#include "support/status.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

// How often a server may run the child of one request, as one that is killed is run once more.
#define TUNE_SERVER_RUNS 2

typedef struct tune_connection tune_connection;

// Starts `program`, a path or the name of one of our programs (tune_process_find_program), with
// --serve. Does not wait for it to say hello.
tune_status tune_connection_open(const char *program, tune_connection **out_connection);
// Ends the program.
void tune_connection_close(tune_connection *connection);

// The name that the connection was opened with, without folders; borrowed.
const char *tune_connection_name(const tune_connection *connection);
// To be polled for POLLIN; -1, which poll(2) passes over, before anything was sent.
int tune_connection_fd(const tune_connection *connection);

// "was killed by SIGKILL", once send or pop has said NOT_FOUND; empty before. Borrowed.
const char *tune_connection_end(const tune_connection *connection);

// Sends a request, after the hello where that is still to be said. UNAVAILABLE where the program
// speaks another version of the protocol; NOT_FOUND, with how it ended and what it said on stderr,
// where it is gone.
tune_status tune_connection_send(tune_connection *connection, const json_t *request);
// Reads what has come. Call it when the descriptor can be read.
tune_status tune_connection_fill(tune_connection *connection);
// The next reply, a new reference, or NULL where none is complete. NOT_FOUND as send.
tune_status tune_connection_pop(tune_connection *connection, json_t **out_reply);
// Kills a program that does not answer; the next fill and pop find it dead.
void tune_connection_kill(tune_connection *connection);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_EVALUATORS_CONNECTION_H
