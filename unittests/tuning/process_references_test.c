//===- process_references_test.c - What is checked against, made once --------------------===//

#include "process_fixture.h"

#include "tuning/evaluators/cores.h"

// How many lines of the servers' log begin with `what`.
static size_t count_log(const fixture *f, const char *what) {
  char *text;
  size_t count = 0, length = strlen(what);
  assert_ok(tune_file_read(f->log, &text, NULL));
  for (const char *line = text; *line; line = strchr(line, '\n') + 1)
    count += strncmp(line, what, length) == 0 && line[length] == ' ';
  free(text);
  return count;
}

static void measure_one(fixture *f, uint64_t ticket) {
  assert_ok(build(f, ticket, 12, FAULT_NONE));
  expect_only(f, ticket, TUNE_VERDICT_OK);
  measure(f, ticket);
  expect_only(f, ticket, TUNE_VERDICT_OK);
}

static void measure_as(fixture *f, const char *payload, const char *schedule) {
  f->task.payload = payload;
  f->task.schedule = schedule;
  open_task(f);
  measure_one(f, 1);
  assert_true(f->evaluator.methods->reference_seconds(f->evaluator.self) > 0);
  f->evaluator.methods->close(f->evaluator.self);
}

// A task that comes again by another schedule is checked against what there is; the worker has the
// other schedule.
static void references_stay_for_the_same_task(void **state) {
  fixture *f = *state;
  measure_as(f, "a", "s");
  measure_as(f, "a", "s");
  measure_as(f, "a", "t");
  assert_int_equal(count_log(f, "open-measurer"), 1);
  assert_int_equal(count_log(f, "open-worker"), 2);
  measure_as(f, "b", "t");
  assert_int_equal(count_log(f, "open-measurer"), 2);
  // How outputs are compared is of the task, too.
  f->task.reduction = 17;
  measure_as(f, "b", "t");
  assert_int_equal(count_log(f, "open-measurer"), 3);
  assert_int_equal(count_log(f, "open-worker"), 3);
  measure_as(f, "a", "t");
  assert_int_equal(count_log(f, "open-measurer"), 4);
}

static void await_preparation(fixture *f) {
  double deadline = tune_clock_seconds() + 120;
  for (size_t opened = 0; opened == 0; opened = count_log(f, "open-beside")) {
    tune_evaluation event;
    bool any;
    assert_true(tune_clock_seconds() < deadline);
    assert_ok(f->evaluator.methods->wait(f->evaluator.self, 0.01, &event, &any));
    assert_false(any);
  }
}

// What was prepared is taken up, and was made on cores that nothing is timed on.
static void what_is_prepared_is_taken_up(void **state) {
  fixture *f = *state;
  tune_cores cores;
  assert_ok(tune_cores_init(&cores, 1));
  bool has_others = cores.beside_count > 0;
  tune_cores_deinit(&cores);
  assert_ok(tune_evaluator_process_create(&f->options, &f->evaluator));
  assert_ok(f->evaluator.methods->prepare(f->evaluator.self, &f->task));
  if (has_others)
    await_preparation(f);
  open_task(f);
  measure_one(f, 1);
  assert_int_equal(count_log(f, "open-beside") + count_log(f, "open-measurer"), 1);
  assert_int_equal(count_log(f, "open-worker"), 1);
  assert_int_equal(count_log(f, "open-beside"), has_others);
}

// Another task than what was prepared drops that, however far it is.
static void another_task_drops_what_is_prepared(void **state) {
  fixture *f = *state;
  assert_ok(tune_evaluator_process_create(&f->options, &f->evaluator));
  for (int times = 0; times < 2; times++) {
    f->task.payload = times ? "c" : "a";
    assert_ok(f->evaluator.methods->prepare(f->evaluator.self, &f->task));
    tune_evaluation event;
    bool any;
    for (int steps = 0; steps < times; steps++)
      assert_ok(f->evaluator.methods->wait(f->evaluator.self, 0.01, &event, &any));
    measure_as(f, times ? "d" : "b", "s");
  }
}

// What a task fails with is no reason for the next one to fail.
static void failures_are_not_kept(void **state) {
  fixture *f = *state;
  for (int times = 0; times < 2; times++) {
    f->task.payload = "not MLIR";
    open_task(f);
    tune_evaluation event;
    assert_fails(next(f, &event), TUNE_INVALID_ARGUMENT, "expected an operation");
    f->evaluator.methods->close(f->evaluator.self);
  }
  measure_as(f, "a", "s");
  assert_int_equal(count_log(f, "open-worker"), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(references_stay_for_the_same_task, setup, teardown),
      cmocka_unit_test_setup_teardown(what_is_prepared_is_taken_up, setup, teardown),
      cmocka_unit_test_setup_teardown(another_task_drops_what_is_prepared, setup, teardown),
      cmocka_unit_test_setup_teardown(failures_are_not_kept, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
