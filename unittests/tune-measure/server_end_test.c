//===- server_end_test.c - How tune-measure and its candidates end ---------------------------===//

#include "client.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

// A driver that goes away takes the server along, also out of a run without end.
static void the_server_ends_with_its_driver(void **state) {
  client_open(*state, "GOOD");
  client_send(*state, "{'do': 'measure', 'ticket': 1, 'task': 't',"
                      " 'artifact': '" ARTIFACTS "/ENDLESS.so'}");
  usleep(100000);
  tune_process_close_stdin(*state);
  tune_process_exit end;
  assert_null(tune_process_wait(*state, 60, &end));
  assert_false(end.by_signal);
  assert_int_equal(end.code, 0);
}

// The only child of a process, or 0.
static pid_t child_of(pid_t parent) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
  FILE *file = fopen(path, "r");
  int child = 0;
  if (file && fscanf(file, "%d", &child) != 1)
    child = 0;
  if (file)
    fclose(file);
  return child;
}

// Whether a process exists and is no zombie (which it stays where nobody collects orphans).
static bool is_running(pid_t pid) {
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "r");
  if (!file)
    return false;
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *state = strrchr(text, ')');
  return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

// A server that is killed leaves no candidate running behind, which would disturb all later times.
static void a_killed_server_takes_its_child_along(void **state) {
  client_open(*state, "GOOD");
  client_send(*state, "{'do': 'measure', 'ticket': 1, 'task': 't',"
                      " 'artifact': '" ARTIFACTS "/ENDLESS.so'}");
  pid_t server = tune_process_get_id(*state), child = 0;
  for (int i = 0; i < 6000 && !(child = child_of(server)); ++i)
    usleep(10000);
  assert_true(child > 0 && is_running(child));
  usleep(50000);
  kill(server, SIGKILL);
  tune_process_exit end;
  assert_null(tune_process_wait(*state, 60, &end));
  bool is_gone = false;
  for (int i = 0; i < 6000 && !is_gone; ++i) {
    is_gone = !is_running(child);
    usleep(10000);
  }
  assert_true(is_gone);
}

// Waits until the server has a child, which runs the candidate for a while.
static pid_t next_child(pid_t server) {
  pid_t child = 0;
  for (int i = 0; i < 6000 && !(child && is_running(child)); ++i) {
    usleep(10000);
    child = child_of(server);
  }
  assert_true(child > 0);
  usleep(50000);
  return child;
}

// Kills every child of the server, one after the other, until it is killed itself.
static pid_t start_killer(pid_t server) {
  pid_t killer = fork();
  assert_true(killer >= 0);
  if (killer > 0)
    return killer;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) {
    pid_t child = child_of(server);
    if (child && is_running(child))
      kill(child, SIGKILL);
    usleep(20000);
  }
}

static void expect_endless(void *server, int seconds, const char *verdict, const char *words) {
  client_send(server,
              "{'do': 'measure', 'ticket': 1, 'task': 't', 'best': 10,"
              " 'limits': {'seconds': %d}, 'artifact': '" ARTIFACTS "/ENDLESS.so'}",
              seconds);
  pid_t id = tune_process_get_id(server), killer = 0;
  if (strcmp(verdict, "run-crashed") == 0)
    killer = start_killer(id);
  else
    kill(next_child(id), SIGKILL);
  json_t *reply = client_receive(server);
  if (killer) {
    kill(killer, SIGKILL);
    waitpid(killer, NULL, 0);
  }
  client_assert_verdict(reply, verdict, words);
  json_decref(reply);
}

// What something else has killed is run once more; the second time it counts, as that may be its
// memory.
static void killed_candidates_have_another_try(void **state) {
  client_open(*state, "GOOD");
  expect_endless(*state, 3, "run-timeout", "after 3 s");
  expect_endless(*state, 300, "run-crashed", "killed twice, most likely by the system");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, client_setup, client_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(the_server_ends_with_its_driver),
      TEST(a_killed_server_takes_its_child_along),
      TEST(killed_candidates_have_another_try),
  };
  return cmocka_run_group_tests_name("tune-measure server's end", tests, NULL, NULL);
}
