//===- client.h - Talking to tune-measure in tests ----------------------------------------===//
//
// Every failure of the conversation itself fails the test.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TUNE_MEASURE_CLIENT_H
#define TUNE_UNITTESTS_TUNE_MEASURE_CLIENT_H

#include "support/message.h"
#include "support/process.h"

// cmocka's setup and teardown: *state is the running server.
int client_setup(void **state);
int client_teardown(void **state);
// One more server; tune_process_destroy it.
tune_process *client_start(void);

// Sends a request, given in single quotes for double ones ("{'do': 'open'}"), formatted as printf.
void client_send(void *server, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The next reply; json_decref it. That the server waits for its cores is none.
json_t *client_receive(void *server);
// The next message, be it that.
json_t *client_receive_any(void *server);
// Both.
json_t *client_ask(void *server, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Opens task "t" with the given artifact as reference: "GOOD".
void client_open(void *server, const char *reference);
// Measures an artifact of task "t"; `more` is further members, "" or ", 'best': 1e-3".
json_t *client_measure(void *server, const char *artifact, const char *more);

// A member that is a text, "" where it is none; a number, -1 where it is none. `path` is one or two
// names: "check.max_error".
const char *client_text(const json_t *reply, const char *name);
double client_number(const json_t *reply, const char *path);
// Fails unless the reply has the verdict, and an error that contains `error` (NULL: none at all).
void client_assert_verdict(const json_t *reply, const char *verdict, const char *error);

// The artifacts' signature, in single quotes.
extern const char client_signature[];

#endif // TUNE_UNITTESTS_TUNE_MEASURE_CLIENT_H
