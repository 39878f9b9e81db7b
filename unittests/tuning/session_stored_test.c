//===- session_stored_test.c - Times of another day ----------------------------------------===//

#include "session_fixture.h"

#define FIRST_TRIALS 24
#define ALL_TRIALS 40

// The table's times, and how often one was asked for.
typedef struct counter {
  objective_table *table;
  size_t timings;
} counter;

static double counted_seconds(void *user, const tune_space *space, const tune_config *config) {
  counter *c = user;
  ++c->timings;
  return table_seconds(c->table, space, config);
}

// A search up to `trials`, that goes on from the store; returns how many times were taken.
static size_t go_on(fixture *f, size_t trials) {
  counter c = {&f->table, 0};
  f->null = (tune_null_options){
      .objective = counted_seconds, .user = &c, .seed = 7, .noise = 1e-3, .capacity = 1};
  f->options.drift_trials = 10 * TABLE_SIZE; // none of the session's own
  f->options.finalists = 0;
  f->options.trials = trials;
  run(f);
  return c.timings;
}

static void scale(tune_record *record, double factor) {
  record->time.median *= factor;
  record->time.low *= factor;
  record->time.high *= factor;
  for (size_t i = 0; i < record->time.sample_count; ++i)
    record->time.samples[i] *= factor;
}

static void drop_last(fixture *f) {
  --f->store.count;
  tune_record_deinit(&f->store.records[f->store.count]);
}

static void begin(fixture *f) {
  assert_int_equal(go_on(f, FIRST_TRIALS), FIRST_TRIALS);
  assert_true(f->result.stored_move == 0);
  drop_last(f); // the winner, which would not be asked
}

static size_t count_reasons(const fixture *f) {
  size_t count = 0;
  for (size_t i = 0; i < f->store.count; ++i)
    count += f->store.records[i].error != NULL;
  return count;
}

// Two times more are taken, the default's and the best's, and nothing is done.
static void what_holds_is_left(void **state) {
  fixture *f = *state;
  begin(f);
  assert_int_equal(go_on(f, ALL_TRIALS), ALL_TRIALS - FIRST_TRIALS + 2);
  assert_true(f->result.stored_move == 0);
  assert_int_equal(f->result.disbelieved, 0);
  assert_int_equal(count_reasons(f), 0);
}

// Times are not looked at where there is nothing to try: as many trials are known as were asked
// for, or all of the space.
static void nothing_is_timed_without_need(void **state) {
  fixture *f = *state;
  begin(f);
  assert_int_equal(go_on(f, FIRST_TRIALS), 0);
  drop_last(f); // the winner
  assert_int_equal(go_on(f, 10 * TABLE_SIZE), TABLE_VALID - FIRST_TRIALS + 2);
  assert_int_equal(f->result.stop, TUNE_STOP_EXHAUSTED);
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(go_on(f, 10 * TABLE_SIZE), 0);
    assert_int_equal(f->result.stop, TUNE_STOP_EXHAUSTED);
    drop_last(f); // the winner
  }
  drop_last(f); // a trial
  assert_int_equal(go_on(f, 10 * TABLE_SIZE), 1 + 2);
}

// What the store has is as slow as the machine is now: either witness is timed twice. The new best
// is one that was tried now, or one whose time is right.
static void a_machine_that_moved_is_found(void **state) {
  fixture *f = *state;
  const double factors[] = {0.85, 1.3};
  for (size_t i = 0; i < 2; ++i) {
    memory_store_deinit(&f->store);
    f->store = (memory_store){0};
    begin(f);
    for (size_t r = 0; r < f->store.count; ++r)
      scale(&f->store.records[r], factors[i]);
    // Once more, what was kept in between is not taken for times of that day.
    for (size_t trials = ALL_TRIALS - 8; trials <= ALL_TRIALS; trials += 8) {
      size_t known = f->store.count;
      assert_int_equal(go_on(f, trials), trials - known + 4);
      assert_float_equal(f->result.stored_move, 1 / factors[i], 0.01);
      assert_int_equal(f->result.disbelieved, 0);
      double best = table_seconds(&f->table, f->table.space, &f->result.best);
      assert_float_equal(f->result.time.median / best, 1, 0.01);
      // All of a store are of the scale of its first times, winners too.
      assert_float_equal(f->store.records[f->store.count - 1].drift, 1 / factors[i], 0.01);
      drop_last(f); // its winner
    }
  }
}

// One record that lies, of the default or another one, is found out, says so in a record of its
// own, and is not believed by later searches either.
static void a_time_that_does_not_hold_is_not_believed(void **state) {
  fixture *f = *state;
  for (size_t liar = 0; liar < 8; liar += 7) {
    memory_store_deinit(&f->store);
    f->store = (memory_store){0};
    begin(f);
    scale(&f->store.records[liar], 1e-9);
    go_on(f, ALL_TRIALS - 4);
    assert_true(f->result.stored_move == 0);
    assert_int_equal(f->result.disbelieved, 1);
    assert_int_equal(count_reasons(f), 1);
    double best = table_seconds(&f->table, f->table.space, &f->result.best);
    assert_float_equal(f->result.time.median / best, 1, 0.01);
    go_on(f, ALL_TRIALS);
    assert_int_equal(f->result.disbelieved, 0);
    assert_int_equal(count_reasons(f), 1);
    best = table_seconds(&f->table, f->table.space, &f->result.best);
    assert_float_equal(f->result.time.median / best, 1, 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_holds_is_left, setup, teardown),
      cmocka_unit_test_setup_teardown(nothing_is_timed_without_need, setup, teardown),
      cmocka_unit_test_setup_teardown(a_machine_that_moved_is_found, setup, teardown),
      cmocka_unit_test_setup_teardown(a_time_that_does_not_hold_is_not_believed, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
