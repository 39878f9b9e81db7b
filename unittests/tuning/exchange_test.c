//===- exchange_test.c - Replies that are waited for, and for how long -------===//

#include "tuning/evaluators/exchange.h"

#include "support/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"
#include "unittests/tuning/fake_faults.h"

// The fake measurer hangs when it compares such an artifact.
typedef struct silent_server {
  char artifact[64];
  tune_connection *connection;
} silent_server;

static void open_silent(silent_server *server) {
  snprintf(server->artifact, sizeof server->artifact, "/tmp/exchange_test_XXXXXX");
  int descriptor = mkstemp(server->artifact);
  assert_true(descriptor >= 0);
  FILE *file = fdopen(descriptor, "w");
  assert_non_null(file);
  fprintf(file, "1 %d", FAULT_COMPARE_HANGS);
  assert_int_equal(fclose(file), 0);
  setenv("FAKE_LOG", "/dev/null", 1);
  assert_ok(tune_connection_open(TUNE_FAKE_MEASURER, &server->connection));
}

static void close_silent(silent_server *server) {
  tune_connection_close(server->connection);
  unlink(server->artifact);
}

static void assert_ends(const tune_patience *patience, tune_status_code code) {
  silent_server server;
  json_t *reply = NULL;
  open_silent(&server);
  double begin = tune_clock_seconds();
  tune_status status = tune_exchange_ask(
      server.connection,
      json_pack("{s:s, s:i, s:[s]}", "do", "compare", "ticket", 1, "artifacts", server.artifact),
      patience, &reply);
  assert_int_equal(tune_status_get_code(status), code);
  assert_null(reply);
  assert_true(tune_clock_seconds() - begin < 60);
  tune_status_free(status);
  close_silent(&server);
}

static void what_is_not_answered_in_time_is_given_up(void **state) {
  (void)state;
  const tune_patience patience = {.deadline = tune_clock_seconds() + 0.05};
  assert_ends(&patience, TUNE_DEADLINE_EXCEEDED);
  const tune_patience over = {.deadline = tune_clock_seconds() - 1};
  assert_ends(&over, TUNE_DEADLINE_EXCEEDED);
}

static void an_interrupt_ends_the_wait(void **state) {
  (void)state;
  const volatile sig_atomic_t interrupted = 1;
  const tune_patience patience = {.interrupted = &interrupted};
  assert_ends(&patience, TUNE_CANCELLED);
  const tune_patience both = {.deadline = tune_clock_seconds() + 600, .interrupted = &interrupted};
  assert_ends(&both, TUNE_CANCELLED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_answered_in_time_is_given_up),
      cmocka_unit_test(an_interrupt_ends_the_wait),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
