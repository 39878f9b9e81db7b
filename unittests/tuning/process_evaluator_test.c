//===- process_evaluator_test.c -----------------------------------------------===//

#include "process_fixture.h"

#include "tuning/evaluators/cores.h"
#include "tuning/evaluators/process_messages.h"

#include "unittests/common/failing_malloc.h"

#include <math.h>
#include <signal.h>
#include <sys/time.h>

static void builds_and_measures(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 7, 12, FAULT_NONE));
  tune_evaluation built = expect(f, 7, TUNE_VERDICT_OK);
  assert_false(built.is_measured);
  assert_string_equal(built.digest, "12-0");
  assert_true(built.stage_seconds[TUNE_STAGE_CODEGEN] == 0.004);
  tune_evaluation_deinit(&built);
  measure(f, 7);
  tune_evaluation measured = expect(f, 7, TUNE_VERDICT_OK);
  tune_restarted servers[TUNE_EVALUATOR_SERVERS];
  assert_int_equal(f->evaluator.methods->restarted(f->evaluator.self, servers), 0);
  assert_true(measured.is_measured);
  assert_true(measured.time.median == 12e-3);
  assert_int_equal(measured.time.sample_count, 3);
  assert_int_equal(measured.time.repeats, 3);
  assert_true(measured.run.check.is_known);
  assert_true(measured.run.check.tolerance == 1e-5);
  assert_string_equal(measured.run.check.type, "f32");
  assert_true(measured.run.check.reduction == 16 && measured.run.check.magnitude == 2.5);
  assert_false(tune_counts_are_known(&measured.run.counts));
  assert_true(measured.stage_seconds[TUNE_STAGE_MEASURE] > 0);
  tune_evaluation_deinit(&measured);
}

// Counters come where they are asked for; why some are missing is known from the first reply on.
static void counters_come_with_what_is_missing(void **state) {
  fixture *f = *state;
  f->options.measuring.counters = true;
  open_task(f);
  const tune_evaluator_class *methods = f->evaluator.methods;
  assert_null(methods->missing_counters(f->evaluator.self));
  for (uint64_t ticket = 1; ticket <= 2; ++ticket) {
    assert_ok(build(f, ticket, 12, FAULT_NONE));
    expect_only(f, ticket, TUNE_VERDICT_OK);
    measure(f, ticket);
    tune_evaluation measured = expect(f, ticket, TUNE_VERDICT_OK);
    assert_true(measured.run.counts.is_known[TUNE_COUNT_PAGE_FAULTS]);
    assert_true(measured.run.counts.of_run[TUNE_COUNT_PAGE_FAULTS] == 0.25);
    assert_false(measured.run.counts.is_known[TUNE_COUNT_CYCLES]);
    tune_evaluation_deinit(&measured);
    assert_string_equal(methods->missing_counters(f->evaluator.self), "no counter was free");
  }
}

static void failures_are_verdicts(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_BUILD_FAILS));
  tune_evaluation event = expect(f, 1, TUNE_VERDICT_BUILD_FAILED);
  assert_string_equal(event.error, "no such luck");
  tune_evaluation_deinit(&event);
  assert_ok(build(f, 2, 10, FAULT_RUN_CRASHES));
  expect_only(f, 2, TUNE_VERDICT_OK);
  measure(f, 2);
  event = expect(f, 2, TUNE_VERDICT_RUN_CRASHED);
  assert_string_equal(event.error, "SIGSEGV");
  assert_true(event.time.median == 0);
  tune_evaluation_deinit(&event);
  assert_ok(build(f, 3, 10, FAULT_WRONG));
  expect_only(f, 3, TUNE_VERDICT_OK);
  measure(f, 3);
  event = expect(f, 3, TUNE_VERDICT_WRONG);
  assert_true(isinf(event.run.check.error));
  tune_evaluation_deinit(&event);
}

static void compares(void **state) {
  fixture *f = *state;
  open_task(f);
  const uint64_t tickets[] = {2, 1};
  assert_ok(build(f, 1, 10, FAULT_NONE));
  expect_only(f, 1, TUNE_VERDICT_OK);
  assert_ok(build(f, 2, 20, FAULT_NONE));
  expect_only(f, 2, TUNE_VERDICT_OK);
  tune_comparison comparison;
  assert_ok(compare(f, tickets, &comparison));
  assert_int_equal(comparison.count, 2);
  assert_true(comparison.times[0].median == 20e-3);
  assert_true(comparison.ratios[0].ratio == 1);
  assert_true(comparison.ratios[1].ratio == 0.5);
  tune_comparison_deinit(&comparison);
  f->evaluator.methods->release(f->evaluator.self, 1);
  assert_fails(compare(f, tickets, &comparison), TUNE_INVALID_ARGUMENT, "ticket 1 has no artifact");
}

// A comparison that fails names the artifact that is to blame.
static void failed_comparison_names_the_culprit(void **state) {
  fixture *f = *state;
  open_task(f);
  const uint64_t tickets[] = {1, 2};
  assert_ok(build(f, 1, 10, FAULT_NONE));
  expect_only(f, 1, TUNE_VERDICT_OK);
  assert_ok(build(f, 2, 20, FAULT_WRONG));
  expect_only(f, 2, TUNE_VERDICT_OK);
  tune_comparison comparison;
  assert_ok(compare(f, tickets, &comparison));
  assert_true(comparison.failed);
  assert_int_equal(comparison.verdict, TUNE_VERDICT_WRONG);
  assert_int_equal(comparison.culprit, 1);
  assert_string_equal(comparison.error, "off by one");
  tune_comparison_deinit(&comparison);
}

// Notices that the measurer waits for its cores are no answers, and the wait is not its work.
static void waiting_for_cores_is_no_answer(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_WAITS));
  expect_only(f, 1, TUNE_VERDICT_OK);
  measure(f, 1);
  tune_evaluation event = expect(f, 1, TUNE_VERDICT_OK);
  assert_true(event.time.median == 10e-3);
  assert_true(event.stage_seconds[TUNE_STAGE_MEASURE] == 0);
  assert_true(event.waited == 1000);
  tune_evaluation_deinit(&event);
}

// A worker of another version is an error of the machine, not of the task: the search over all
// tasks ends with it.
static void worker_of_another_version_is_an_error(void **state) {
  fixture *f = *state;
  assert_int_equal(setenv("FAKE_PROTOCOL", "99", 1), 0);
  assert_ok(tune_evaluator_process_create(&f->options, &f->evaluator));
  tune_status status = f->evaluator.methods->open(f->evaluator.self, &f->task);
  unsetenv("FAKE_PROTOCOL");
  assert_fails(status, TUNE_UNAVAILABLE, "version 99 of the protocol");
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal) {
  (void)signal;
  interrupted = 1;
}

// A signal ends a comparison at once.
static void comparing_can_be_interrupted(void **state) {
  fixture *f = *state;
  open_task(f);
  const uint64_t tickets[] = {1, 2};
  assert_ok(build(f, 1, 10, FAULT_NONE));
  expect_only(f, 1, TUNE_VERDICT_OK);
  assert_ok(build(f, 2, 20, FAULT_COMPARE_HANGS));
  expect_only(f, 2, TUNE_VERDICT_OK);
  struct sigaction action = {.sa_handler = interrupt}, before;
  sigaction(SIGALRM, &action, &before);
  interrupted = 0;
  const struct itimerval in_a_while = {.it_value = {.tv_usec = 100000}};
  setitimer(ITIMER_REAL, &in_a_while, NULL);
  double begin = tune_clock_seconds();
  tune_compare_order order = {
      .tickets = tickets, .count = 2, .confidence = 0.98, .interrupted = &interrupted};
  tune_comparison comparison;
  assert_ok(f->evaluator.methods->compare(f->evaluator.self, &order, &comparison));
  sigaction(SIGALRM, &before, NULL);
  assert_true(comparison.was_interrupted);
  assert_true(tune_clock_seconds() - begin < 120);
  tune_comparison_deinit(&comparison);
}

static void malformed_reply_is_an_error(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_NO_MEDIAN));
  expect_only(f, 1, TUNE_VERDICT_OK);
  measure(f, 1);
  tune_evaluation event;
  assert_fails(next(f, &event), TUNE_DATA_LOSS, "samples");
}

static void bad_payload_is_an_error(void **state) {
  fixture *f = *state;
  f->task.payload = "not MLIR";
  open_task(f);
  tune_evaluation event;
  assert_fails(next(f, &event), TUNE_INVALID_ARGUMENT, "payload.mlir:1:1: expected an operation");
}

static void missing_programs_are_named(void **state) {
  fixture *f = *state;
  f->options.worker = "tune-worker-that-is-not";
  assert_fails(tune_evaluator_process_create(&f->options, &f->evaluator), TUNE_UNAVAILABLE,
               "tune-worker-that-is-not");
  f->options.worker = TUNE_FAKE_WORKER;
  f->options.target.threads = 100000;
  assert_fails(tune_evaluator_process_create(&f->options, &f->evaluator), TUNE_INVALID_ARGUMENT,
               "100000 threads");
}

// /bin/true ends without a word.
static void servers_that_end_at_once(void **state) {
  fixture *f = *state;
  f->options.worker = "/bin/true";
  assert_ok(tune_evaluator_process_create(&f->options, &f->evaluator));
  tune_status status = f->evaluator.methods->open(f->evaluator.self, &f->task);
  tune_evaluation event;
  if (tune_status_is_ok(status))
    status = next(f, &event);
  assert_fails(status, TUNE_UNAVAILABLE, "true exited with status 0");
}

// Cancelled tickets give no events, and the evaluator goes on.
static void cancels(void **state) {
  fixture *f = *state;
  open_task(f);
  for (uint64_t ticket = 1; ticket <= 6; ++ticket)
    assert_ok(build(f, ticket, 10, FAULT_NONE));
  assert_ok(f->evaluator.methods->cancel(f->evaluator.self));
  assert_ok(build(f, 7, 11, FAULT_NONE));
  tune_evaluation event = expect(f, 7, TUNE_VERDICT_OK);
  assert_string_equal(event.digest, "11-0");
  tune_evaluation_deinit(&event);
}

// One task after the other with the same servers; tickets begin anew, late answers are not mixed
// up.
static void tasks_follow_each_other(void **state) {
  fixture *f = *state;
  for (int round = 0; round < 3; ++round) {
    open_task(f);
    assert_ok(build(f, 1, 10 + round, FAULT_NONE));
    assert_ok(build(f, 2, 20 + round, FAULT_NONE));
    if (round != 1) {
      expect_only(f, 1, TUNE_VERDICT_OK);
      measure(f, 1);
    }
    f->evaluator.methods->close(f->evaluator.self);
  }
  open_task(f);
  assert_ok(build(f, 1, 24, FAULT_NONE));
  tune_evaluation event = expect(f, 1, TUNE_VERDICT_OK);
  assert_string_equal(event.digest, "24-0");
  tune_evaluation_deinit(&event);
}

// A destroyed evaluator leaves nothing behind, whatever was going on; a hanging worker too.
static void destroys_what_hangs(void **state) {
  fixture *f = *state;
  open_task(f);
  assert_ok(build(f, 1, 10, FAULT_WORKER_HANGS));
  tune_evaluation event;
  bool any;
  assert_ok(f->evaluator.methods->wait(f->evaluator.self, 0.1, &event, &any));
  assert_false(any);
  double begin = tune_clock_seconds();
  tune_evaluator_destroy(&f->evaluator);
  assert_true(tune_clock_seconds() - begin < 120);
}

static tune_status wait_once(fixture *f) {
  tune_evaluation event;
  TUNE_RETURN_IF_ERROR(next(f, &event));
  tune_evaluation_deinit(&event);
  return TUNE_OK;
}

// Both tickets of a comparison built, the first measured.
static tune_status build_measure_compare(fixture *f) {
  const tune_evaluator_class *class = f->evaluator.methods;
  void *self = f->evaluator.self;
  const uint64_t tickets[] = {1, 2};
  const tune_compare_order order = {.tickets = tickets, .count = 2, .confidence = 0.98};
  tune_comparison comparison;
  tune_config config;
  TUNE_RETURN_IF_ERROR(class->open(self, &f->task));
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, f->space));
  tune_status status = class->build(self, 1, &config);
  if (tune_status_is_ok(status))
    status = class->build(self, 2, &config);
  tune_config_deinit(&config);
  TUNE_RETURN_IF_ERROR(status);
  TUNE_RETURN_IF_ERROR(wait_once(f));
  TUNE_RETURN_IF_ERROR(wait_once(f));
  TUNE_RETURN_IF_ERROR(class->measure(self, 1, 0));
  TUNE_RETURN_IF_ERROR(wait_once(f));
  TUNE_RETURN_IF_ERROR(class->compare(self, &order, &comparison));
  tune_comparison_deinit(&comparison);
  class->close(self);
  return TUNE_OK;
}

static tune_status use_evaluator(void *context) {
  fixture *f = context;
  TUNE_RETURN_IF_ERROR(tune_evaluator_process_create(&f->options, &f->evaluator));
  tune_status status = build_measure_compare(f);
  tune_evaluator_destroy(&f->evaluator);
  return status;
}

static void each_allocation_may_fail(void **state) {
  size_t failed = tune_fail_each_allocation(use_evaluator, *state);
  print_message("%zu allocations failed\n", failed);
  assert_true(failed > 30);
}

static void cores_are_divided(void **state) {
  (void)state;
  const int cpus[] = {0, 1, 2, 3}, single[] = {0, 1, 2, 3}, paired[] = {0, 1, 0, 1};
  tune_cores cores;
  assert_ok(tune_cores_assign(&cores, 1, cpus, single, 4));
  assert_int_equal(cores.measure_count, 1);
  assert_int_equal(cores.measure[0], 3);
  assert_int_equal(cores.build_count, 3);
  assert_false(cores.are_shared);
  tune_cores_deinit(&cores);
  // CPU 1 shares the core of CPU 3.
  assert_ok(tune_cores_assign(&cores, 1, cpus, paired, 4));
  assert_int_equal(cores.build_count, 2);
  assert_int_equal(cores.build[0], 0);
  assert_int_equal(cores.build[1], 2);
  // Where there is little to measure, builds have that core, too.
  assert_ok(tune_cores_share(&cores));
  assert_true(cores.are_shared);
  assert_int_equal(cores.build_count, 3);
  assert_int_equal(cores.build[2], 3);
  assert_int_equal(cores.measure_count, 1);
  assert_ok(tune_cores_share(&cores));
  assert_int_equal(cores.build_count, 3);
  tune_cores_deinit(&cores);
  assert_ok(tune_cores_assign(&cores, 2, cpus, paired, 4));
  assert_true(cores.are_shared);
  assert_int_equal(cores.build_count, 4);
  tune_cores_deinit(&cores);
  assert_fails(tune_cores_assign(&cores, 5, cpus, single, 4), TUNE_INVALID_ARGUMENT,
               "5 threads, expected 1 to 4");
}

// The worker is told the device's fingerprint, the measurer what picks it; of the CPU neither.
static void servers_are_told_the_device(void **state) {
  fixture *f = *state;
  json_t *fingerprint = json_pack("{s:s}", "target", "vulkan"), *request;
  json_t *signature = json_object();
  tune_cores cores = {0};
  for (int has_device = 0; has_device < 2; ++has_device) {
    tune_process_evaluator_options options = f->options;
    options.target.name = has_device ? "vulkan" : "cpu";
    options.target.device = has_device ? "llvmpipe" : NULL;
    options.target.fingerprint = has_device ? fingerprint : NULL;
    assert_ok(tune_request_open_worker(&options, &f->task, "task", &request));
    const json_t *target = json_object_get(request, "target");
    assert_string_equal(json_string_value(json_object_get(target, "name")), options.target.name);
    assert_ptr_equal(json_object_get(target, "device"), options.target.fingerprint);
    json_decref(request);
    assert_ok(tune_request_open_measurer(&options, &cores, &f->task, "task", signature, "/r.so",
                                         false, &request));
    assert_string_equal(json_string_value(json_object_get(request, "target")), options.target.name);
    const char *device = json_string_value(json_object_get(request, "device"));
    if (has_device)
      assert_string_equal(device, "llvmpipe");
    else
      assert_null(device);
    json_decref(request);
  }
  json_decref(fingerprint);
  json_decref(signature);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cores_are_divided),
      cmocka_unit_test_setup_teardown(servers_are_told_the_device, setup, teardown),
      cmocka_unit_test_setup_teardown(builds_and_measures, setup, teardown),
      cmocka_unit_test_setup_teardown(counters_come_with_what_is_missing, setup, teardown),
      cmocka_unit_test_setup_teardown(failures_are_verdicts, setup, teardown),
      cmocka_unit_test_setup_teardown(compares, setup, teardown),
      cmocka_unit_test_setup_teardown(comparing_can_be_interrupted, setup, teardown),
      cmocka_unit_test_setup_teardown(waiting_for_cores_is_no_answer, setup, teardown),
      cmocka_unit_test_setup_teardown(worker_of_another_version_is_an_error, setup, teardown),
      cmocka_unit_test_setup_teardown(failed_comparison_names_the_culprit, setup, teardown),
      cmocka_unit_test_setup_teardown(malformed_reply_is_an_error, setup, teardown),
      cmocka_unit_test_setup_teardown(bad_payload_is_an_error, setup, teardown),
      cmocka_unit_test_setup_teardown(missing_programs_are_named, setup, teardown),
      cmocka_unit_test_setup_teardown(servers_that_end_at_once, setup, teardown),
      cmocka_unit_test_setup_teardown(cancels, setup, teardown),
      cmocka_unit_test_setup_teardown(tasks_follow_each_other, setup, teardown),
      cmocka_unit_test_setup_teardown(destroys_what_hangs, setup, teardown),
      cmocka_unit_test_setup_teardown(each_allocation_may_fail, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
