//===- process_restarts_test.c - Servers that die are started again, once ---------------===//

#include "process_fixture.h"

#include <unistd.h>

static void expect_restarted(const fixture *f, const char *name, size_t times, const char *why) {
  tune_restarted servers[TUNE_EVALUATOR_SERVERS];
  assert_int_equal(f->evaluator.methods->restarted(f->evaluator.self, servers), 1);
  assert_string_equal(servers[0].name, name);
  assert_int_equal(servers[0].times, times);
  assert_string_equal(servers[0].why, why);
}

// A worker that dies is started again, and what it was building is built.
static void dead_worker_is_restarted(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_WORKER_DIES_ONCE));
  expect_only(f, 1, TUNE_VERDICT_OK);
  measure(f, 1);
  expect_only(f, 1, TUNE_VERDICT_OK);
  assert_ok(build(f, 2, 11, FAULT_NONE));
  expect_only(f, 2, TUNE_VERDICT_OK);
  expect_restarted(f, "tune_fake_worker", 1, "it exited with status 3");
}

// The second time it is an error that says who died how, and what it said.
static void worker_dying_twice_is_an_error(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_WORKER_DIES));
  tune_evaluation event;
  tune_status status = next(f, &event);
  assert_non_null(strstr(tune_status_get_message(status), "exited with status 3"));
  assert_fails(status, TUNE_UNAVAILABLE, "something terrible");
}

static void dead_measurer_is_restarted(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_MEASURER_DIES_ONCE));
  expect_only(f, 1, TUNE_VERDICT_OK);
  measure(f, 1);
  expect_only(f, 1, TUNE_VERDICT_OK);
  expect_restarted(f, "tune_fake_measurer", 1, "it exited with status 3");
}

static void measurer_dying_twice_is_an_error(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_MEASURER_DIES));
  expect_only(f, 1, TUNE_VERDICT_OK);
  measure(f, 1);
  tune_evaluation event;
  assert_fails(next(f, &event), TUNE_UNAVAILABLE, "something terrible");
}

// Killed with -9 while it builds or measures, or halfway through an answer, a server is started
// again and does it once more: the half artifact and the half message are not taken for whole ones.
static void killed_servers_are_restarted(void **state) {
  fixture *f = *state;
  open_task(f);
  const int faults[] = {FAULT_WORKER_KILLED_ONCE, FAULT_WORKER_CUT_OFF_ONCE,
                        FAULT_MEASURER_KILLED_ONCE, FAULT_MEASURER_CUT_OFF_ONCE};
  for (uint64_t i = 0; i < 4; ++i) {
    assert_ok(build(f, i + 1, 10 + (int)i, faults[i]));
    expect_only(f, i + 1, TUNE_VERDICT_OK);
    measure(f, i + 1);
    tune_evaluation event = expect(f, i + 1, TUNE_VERDICT_OK);
    assert_true(event.time.median == (10 + (double)i) * 1e-3);
    tune_evaluation_deinit(&event);
  }
  tune_restarted servers[TUNE_EVALUATOR_SERVERS];
  assert_int_equal(f->evaluator.methods->restarted(f->evaluator.self, servers), 2);
  for (size_t i = 0; i < 2; ++i) {
    assert_int_equal(servers[i].times, 2);
    assert_string_equal(servers[i].why, "it was killed by SIGKILL");
  }
}

// Children that a server has started again are counted too.
static void killed_children_are_counted(void **state) {
  fixture *f = *state;
  open_task(f);
  const int faults[] = {FAULT_CHILD_KILLED_ONCE, FAULT_NONE, FAULT_CHILD_KILLED_ONCE};
  for (uint64_t i = 0; i < 3; ++i) {
    assert_ok(build(f, i + 1, 10 + (int)i, faults[i]));
    expect_only(f, i + 1, TUNE_VERDICT_OK);
    measure(f, i + 1);
    expect_only(f, i + 1, TUNE_VERDICT_OK);
  }
  tune_restarted servers[TUNE_EVALUATOR_SERVERS];
  assert_int_equal(f->evaluator.methods->restarted(f->evaluator.self, servers), 2);
  for (size_t i = 0; i < 2; ++i) {
    assert_int_equal(servers[i].children, 2);
    assert_int_equal(servers[i].times, 0);
  }
}

static void killed_while_comparing(void **state) {
  fixture *f = *state;
  open_task(f);
  const int faults[] = {FAULT_COMPARER_KILLED_ONCE, FAULT_COMPARER_CUT_OFF_ONCE};
  for (uint64_t i = 0; i < 2; ++i) {
    const uint64_t tickets[] = {2 * i + 1, 2 * i + 2};
    assert_ok(build(f, tickets[0], 10, FAULT_NONE));
    expect_only(f, tickets[0], TUNE_VERDICT_OK);
    assert_ok(build(f, tickets[1], 20, faults[i]));
    expect_only(f, tickets[1], TUNE_VERDICT_OK);
    tune_comparison comparison;
    assert_ok(compare(f, tickets, &comparison));
    assert_true(comparison.ratios[1].ratio == 2);
    tune_comparison_deinit(&comparison);
  }
}

// The second time it is an error, which says how it died.
static void cut_off_twice_is_an_error(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_WORKER_CUT_OFF));
  tune_evaluation event;
  assert_fails(next(f, &event), TUNE_UNAVAILABLE, "was killed by SIGKILL");
}

// What was there at first and is not when it is to be started again, or is of another version, is
// named.
static void programs_may_change_meanwhile(void **state) {
  fixture *f = *state;
  char program[96];
  snprintf(program, sizeof program, "%s/fake-worker", f->folder);
  assert_int_equal(symlink(TUNE_FAKE_WORKER, program), 0);
  f->options.worker = program;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_NONE));
  expect_only(f, 1, TUNE_VERDICT_OK);
  assert_int_equal(setenv("FAKE_PROTOCOL", "99", 1), 0);
  assert_ok(build(f, 2, 10, FAULT_WORKER_KILLED_ONCE));
  tune_evaluation event;
  tune_status status = next(f, &event);
  unsetenv("FAKE_PROTOCOL");
  assert_fails(status, TUNE_UNAVAILABLE, "version 99 of the protocol");
  tune_evaluator_destroy(&f->evaluator);

  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_NONE));
  expect_only(f, 1, TUNE_VERDICT_OK);
  assert_int_equal(unlink(program), 0);
  assert_ok(build(f, 2, 10, FAULT_WORKER_CUT_OFF_ONCE));
  assert_fails(next(f, &event), TUNE_UNAVAILABLE, "fake-worker");

  // There is no worker to close this task, and one for the next.
  f->evaluator.methods->close(f->evaluator.self);
  assert_int_equal(symlink(TUNE_FAKE_WORKER, program), 0);
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_NONE));
  expect_only(f, 1, TUNE_VERDICT_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(dead_worker_is_restarted, setup, teardown),
      cmocka_unit_test_setup_teardown(worker_dying_twice_is_an_error, setup, teardown),
      cmocka_unit_test_setup_teardown(dead_measurer_is_restarted, setup, teardown),
      cmocka_unit_test_setup_teardown(measurer_dying_twice_is_an_error, setup, teardown),
      cmocka_unit_test_setup_teardown(killed_servers_are_restarted, setup, teardown),
      cmocka_unit_test_setup_teardown(killed_children_are_counted, setup, teardown),
      cmocka_unit_test_setup_teardown(killed_while_comparing, setup, teardown),
      cmocka_unit_test_setup_teardown(cut_off_twice_is_an_error, setup, teardown),
      cmocka_unit_test_setup_teardown(programs_may_change_meanwhile, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
