//===- turns_test.c - Two servers that time on the same cores -------------------------------===//

#include "client.h"

#include "support/clock.h"
#include "support/lock_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct servers {
  tune_process *first, *second;
} servers;

static int setup(void **state) {
  static servers both;
  both = (servers){client_start(), client_start()};
  *state = &both;
  return 0;
}

static int teardown(void **state) {
  servers *both = *state;
  tune_process_destroy(both->first);
  tune_process_destroy(both->second);
  return 0;
}

// Whether somebody holds a lock on a core.
static bool is_locked(void) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int file = tune_lock_file_open();
  assert_true(file >= 0 && fcntl(file, F_OFD_GETLK, &lock) == 0);
  close(file);
  return lock.l_type != F_UNLCK;
}

// Has `server` run something for ever, or for so many seconds, and lets it get that far.
static void occupy(tune_process *server, double seconds) {
  client_send(server,
              "{'do': 'measure', 'ticket': 1, 'task': 't', 'limits': {'seconds': %g},"
              " 'artifact': '" ARTIFACTS "/ENDLESS.so'}",
              seconds);
  while (!is_locked())
    usleep(10000);
  usleep(50000); // it runs now
}

// One waits while the other times, says so, and is none the worse for it: the wait does not count
// into its limits, which are shorter.
static void one_waits_while_the_other_times(void **state) {
  servers *both = *state;
  client_open(both->first, "GOOD");
  client_open(both->second, "GOOD");
  occupy(both->first, 6);
  double begin = tune_clock_seconds();
  client_send(both->second, "{'do': 'measure', 'ticket': 2, 'task': 't', 'limits': {'seconds': 3},"
                            " 'artifact': '" ARTIFACTS "/GOOD.so'}");
  json_t *notice = client_receive_any(both->second);
  assert_true(client_number(notice, "waiting") > 0);
  assert_true(client_number(notice, "ticket") == 2);
  // Both servers work for this process.
  char who[64];
  snprintf(who, sizeof who, "(process %d)", (int)getpid());
  assert_non_null(strstr(client_text(notice, "holder"), who));
  json_decref(notice);
  json_t *reply = client_receive(both->second);
  assert_true(tune_clock_seconds() - begin > 3);
  client_assert_verdict(reply, "ok", NULL);
  assert_true(client_number(reply, "waited") > 3);
  json_decref(reply);
  reply = client_receive(both->first);
  client_assert_verdict(reply, "run-timeout", "still running");
  json_decref(reply);
}

// What a killed process held is free at once.
static void a_killed_process_holds_nothing(void **state) {
  servers *both = *state;
  client_open(both->first, "GOOD");
  client_open(both->second, "GOOD");
  occupy(both->first, 60);
  client_send(both->second, "{'do': 'measure', 'ticket': 2, 'task': 't',"
                            " 'artifact': '" ARTIFACTS "/GOOD.so'}");
  usleep(200000);
  kill(tune_process_get_id(both->first), SIGKILL);
  json_t *reply = client_receive(both->second);
  client_assert_verdict(reply, "ok", NULL);
  json_decref(reply);
}

// Waiting ends where it is cancelled, and with the driver.
static void waiting_can_be_cancelled(void **state) {
  servers *both = *state;
  client_open(both->first, "GOOD");
  client_open(both->second, "GOOD");
  occupy(both->first, 60);
  client_send(both->second, "{'do': 'measure', 'ticket': 2, 'task': 't',"
                            " 'artifact': '" ARTIFACTS "/GOOD.so'}");
  usleep(100000);
  client_send(both->second, "{'do': 'cancel'}");
  json_t *reply = client_receive(both->second);
  client_assert_verdict(reply, "cancelled", NULL);
  json_decref(reply);
  client_send(both->second, "{'do': 'measure', 'ticket': 3, 'task': 't',"
                            " 'artifact': '" ARTIFACTS "/GOOD.so'}");
  usleep(100000);
  tune_process_close_stdin(both->second);
  tune_process_exit end;
  assert_null(tune_process_wait(both->second, 60, &end));
  assert_false(end.by_signal);
  assert_int_equal(end.code, 0);
}

static void open_on_two(tune_process *server, const char *cpus) {
  client_send(server,
              "{'do': 'open', 'task': 't', 'target': 'cpu', 'signature': %s, 'threads': 2,"
              " 'cpus': %s, 'reference': '" ARTIFACTS "/GOOD.so', 'seed': 7}",
              client_signature, cpus);
}

// Runs on several cores, named in any order, do not wait for each other for ever.
static void runs_on_several_cores_take_turns(void **state) {
  servers *both = *state;
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
    skip();
  open_on_two(both->first, "[0, 1]");
  open_on_two(both->second, "[1, 0]");
  for (int i = 0; i < 5; ++i) {
    tune_process *const pair[] = {both->first, both->second};
    for (int s = 0; s < 2; ++s)
      client_send(pair[s],
                  "{'do': 'measure', 'ticket': %d, 'task': 't', 'measure': {'budget': 0.02},"
                  " 'artifact': '" ARTIFACTS "/GOOD.so'}",
                  i + 1);
  }
  for (int i = 0; i <= 5; ++i) {
    tune_process *const pair[] = {both->first, both->second};
    for (int s = 0; s < 2; ++s) {
      json_t *reply = client_receive(pair[s]);
      if (i == 0)
        assert_string_equal(client_text(reply, "task"), "t");
      else
        client_assert_verdict(reply, "ok", NULL);
      json_decref(reply);
    }
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(one_waits_while_the_other_times),
      TEST(a_killed_process_holds_nothing),
      TEST(waiting_can_be_cancelled),
      TEST(runs_on_several_cores_take_turns),
  };
  return cmocka_run_group_tests_name("tune-measure turns", tests, NULL, NULL);
}
