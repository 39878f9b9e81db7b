//===- process_fixture.h - An evaluator over servers that do as they are told -----------===//
//
// Asserts on every failure; the functions are for tests only.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TUNING_PROCESS_FIXTURE_H
#define TUNE_UNITTESTS_TUNING_PROCESS_FIXTURE_H

#include "fake_task.h"

#include "support/clock.h"
#include "support/file.h"
#include "tuning/evaluators/process.h"

typedef struct fixture {
  char folder[64];
  char log[96];
  tune_space *space; // knobs "time" in milliseconds and "fault"
  tune_task task;
  tune_process_evaluator_options options;
  tune_evaluator evaluator;
} fixture;

static inline int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  make_fake_folder(f->folder, f->log);
  f->space = make_space();
  ADD_ORDERED(f->space, "time", 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24);
  add_range(f->space, "fault", FAULT_COUNT);
  f->task = make_fake_task(f->space);
  tune_process_evaluator_options_init(&f->options);
  f->options.worker = TUNE_FAKE_WORKER;
  f->options.measurer = TUNE_FAKE_MEASURER;
  *state = f;
  return 0;
}

static inline int teardown(void **state) {
  fixture *f = *state;
  tune_evaluator_destroy(&f->evaluator);
  tune_space_destroy(f->space);
  assert_ok(tune_file_remove_tree(f->folder));
  free(f);
  return 0;
}

static inline void open_task(fixture *f) {
  if (!f->evaluator.methods)
    assert_ok(tune_evaluator_process_create(&f->options, &f->evaluator));
  assert_ok(f->evaluator.methods->open(f->evaluator.self, &f->task));
}

static inline tune_status build(fixture *f, uint64_t ticket, int time, int fault) {
  char text[64];
  snprintf(text, sizeof text, "time=%d,fault=%d", time, fault);
  tune_config config;
  assert_ok(tune_config_from_text(&config, f->space, text));
  tune_status status = f->evaluator.methods->build(f->evaluator.self, ticket, &config);
  tune_config_deinit(&config);
  return status;
}

static inline void measure(fixture *f, uint64_t ticket) {
  assert_ok(f->evaluator.methods->measure(f->evaluator.self, ticket, 0));
}

// Waits for the next event, or the failure that comes instead of it.
static inline tune_status next(fixture *f, tune_evaluation *event) {
  bool any = false;
  double deadline = tune_clock_seconds() + 120;
  while (!any) {
    assert_true(tune_clock_seconds() < deadline);
    TUNE_RETURN_IF_ERROR(f->evaluator.methods->wait(f->evaluator.self, 1, event, &any));
  }
  return TUNE_OK;
}

static inline tune_evaluation expect(fixture *f, uint64_t ticket, tune_verdict verdict) {
  tune_evaluation event;
  assert_ok(next(f, &event));
  assert_int_equal(event.ticket, ticket);
  assert_int_equal(event.verdict, verdict);
  return event;
}

static inline void expect_only(fixture *f, uint64_t ticket, tune_verdict verdict) {
  tune_evaluation event = expect(f, ticket, verdict);
  tune_evaluation_deinit(&event);
}

static inline tune_status compare(fixture *f, const uint64_t *tickets,
                                  tune_comparison *comparison) {
  tune_compare_order order = {.tickets = tickets, .count = 2, .confidence = 0.98};
  return f->evaluator.methods->compare(f->evaluator.self, &order, comparison);
}

#endif // TUNE_UNITTESTS_TUNING_PROCESS_FIXTURE_H
