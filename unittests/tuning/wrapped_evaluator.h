//===- wrapped_evaluator.h - The null evaluator with a test between ----------------===//
//
// A test's evaluator begins with the one that it wraps; what it does not do itself goes there.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TUNING_WRAPPED_EVALUATOR_H
#define TUNE_UNITTESTS_TUNING_WRAPPED_EVALUATOR_H

#include "session_fixture.h"

static inline tune_status wrapped_open(void *self, const tune_task *task) {
  tune_evaluator *inner = self;
  return inner->methods->open(inner->self, task);
}

static inline size_t wrapped_capacity(const void *self) {
  const tune_evaluator *inner = self;
  return inner->methods->capacity(inner->self);
}

static inline tune_status wrapped_build(void *self, uint64_t ticket, const tune_config *config) {
  tune_evaluator *inner = self;
  return inner->methods->build(inner->self, ticket, config);
}

static inline tune_status wrapped_measure(void *self, uint64_t ticket, double best) {
  tune_evaluator *inner = self;
  return inner->methods->measure(inner->self, ticket, best);
}

static inline void wrapped_release(void *self, uint64_t ticket) {
  tune_evaluator *inner = self;
  inner->methods->release(inner->self, ticket);
}

static inline tune_status wrapped_wait(void *self, double seconds, tune_evaluation *event,
                                       bool *any) {
  tune_evaluator *inner = self;
  return inner->methods->wait(inner->self, seconds, event, any);
}

static inline tune_status wrapped_compare(void *self, const tune_compare_order *order,
                                          tune_comparison *comparison) {
  tune_evaluator *inner = self;
  return inner->methods->compare(inner->self, order, comparison);
}

static inline tune_status wrapped_cancel(void *self) {
  tune_evaluator *inner = self;
  return inner->methods->cancel(inner->self);
}

static inline void wrapped_close(void *self) {
  tune_evaluator *inner = self;
  inner->methods->close(inner->self);
}

// What a class has in common with all that wrap; its own functions come after.
#define WRAPPED_METHODS                                                                            \
  .open = wrapped_open, .capacity = wrapped_capacity, .release = wrapped_release,                  \
  .close = wrapped_close

// Runs a session on `inner`, which is made here, with `methods` before it.
static inline void run_wrapped(fixture *f, const tune_evaluator_class *methods,
                               tune_evaluator *inner) {
  assert_ok(tune_evaluator_null_create(&f->null, inner));
  tune_evaluator evaluator = {methods, inner};
  tune_session_result_deinit(&f->result);
  tune_record_store store = as_store(&f->store);
  assert_ok(tune_session_run(&f->task, &f->options, &evaluator, &store, &f->result));
  tune_evaluator_destroy(inner);
}

#endif // TUNE_UNITTESTS_TUNING_WRAPPED_EVALUATOR_H
