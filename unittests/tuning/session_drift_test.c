//===- session_drift_test.c - A machine whose speed moves ----------------------------------===//

#include "session_fixture.h"

#define SEEDS 20

// The table's times on a machine that is slower by `factor` from the `from`-th timing to the one
// before `to`; each comparison times its candidates once more.
typedef struct machine {
  objective_table *table;
  double factor;
  size_t from, to;
  size_t timings;
} machine;

static double machine_seconds(void *user, const tune_space *space, const tune_config *config) {
  machine *m = user;
  ++m->timings;
  bool is_slow = m->timings >= m->from && m->timings < m->to;
  return table_seconds(m->table, space, config) * (is_slow ? m->factor : 1);
}

static machine run_on(fixture *f, machine m, double noise) {
  m.table = &f->table;
  f->null = (tune_null_options){
      .objective = machine_seconds, .user = &m, .seed = 7, .noise = noise, .capacity = 1};
  f->options.drift_trials = 8;
  memory_store_deinit(&f->store);
  f->store = (memory_store){0};
  run(f);
  return m;
}

static double true_seconds(fixture *f, const tune_record *record) {
  json_t *values = json_loads(record->config, 0, NULL);
  tune_config config;
  assert_ok(tune_config_from_json(&config, f->table.space, values));
  double seconds = table_seconds(&f->table, f->table.space, &config);
  tune_config_deinit(&config);
  json_decref(values);
  return seconds;
}

// How many trials' times, put right as their records say, are off by more than a hundredth.
static size_t count_off(fixture *f) {
  size_t count = 0;
  for (size_t i = 0; i < f->store.count; ++i) {
    const tune_record *record = &f->store.records[i];
    double drift = record->drift > 0 ? record->drift : 1;
    count += record->kind == TUNE_RECORD_TRIAL && record->time.median > 0 &&
             fabs(record->time.median / drift / true_seconds(f, record) - 1) > 0.01;
  }
  return count;
}

// It gets slower, or faster, and stays so. Records say it from then on: those between two looks of
// eight trials, and the eight that a second look takes at most, were kept before it was known.
static void what_moved_is_put_right(void **state) {
  fixture *f = *state;
  const double factors[] = {1.2, 0.8};
  for (size_t i = 0; i < 2; ++i) {
    run_on(f, (machine){.factor = factors[i], .from = 25, .to = SIZE_MAX}, 1e-3);
    assert_float_equal(f->result.drift, factors[i], 0.01);
    assert_in_range(count_off(f), 1, 10);
  }
}

// A machine that is as fast as before after a while: so are its times.
static void what_moves_back_is_put_back(void **state) {
  fixture *f = *state;
  run_on(f, (machine){.factor = 1.3, .from = 20, .to = 45}, 1e-3);
  assert_float_equal(f->result.drift, 1.3, 0.01);
  const tune_record *last = NULL;
  for (size_t i = 0; i < f->store.count; ++i)
    if (f->store.records[i].kind == TUNE_RECORD_TRIAL && f->store.records[i].time.median > 0)
      last = &f->store.records[i];
  assert_non_null(last);
  double drift = last->drift > 0 ? last->drift : 1;
  assert_float_equal(last->time.median / drift / true_seconds(f, last), 1, 0.01);
}

// One odd time is no drift, nor is what is within the noise.
static void noise_is_no_drift(void **state) {
  fixture *f = *state;
  machine odd = run_on(f, (machine){.factor = 2, .from = 10, .to = 11}, 1e-3);
  assert_true(f->result.drift == 1);
  assert_true(odd.timings > 64 + 64 / 8 - 1); // it was looked for
  run_on(f, (machine){.factor = 1}, 0.01);
  assert_true(f->result.drift == 1);
  assert_int_equal(f->result.trials, 64);
}

// In the mean winners are as fast as on a machine that does not move.
static void the_winner_stays(void **state) {
  fixture *f = *state;
  double log_ratio = 0;
  for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
    f->options.strategy_options.seed = seed;
    run_on(f, (machine){.factor = 1}, 1e-3);
    double still = table_seconds(&f->table, f->table.space, &f->result.best);
    run_on(f, (machine){.factor = 1.5, .from = 30, .to = 60}, 1e-3);
    log_ratio += log(table_seconds(&f->table, f->table.space, &f->result.best) / still) / SEEDS;
  }
  assert_true(log_ratio < 0.015);
}

// The look that is due with the last trial is waited for before finalists are compared, the
// default among them; what it finds is not looked for again.
static void the_last_look_is_waited_for(void **state) {
  fixture *f = *state;
  for (size_t trials = 9; trials <= 25; ++trials) {
    f->options.trials = trials;
    run_on(f, (machine){.factor = 1}, 1e-3);
    assert_int_equal(f->result.stop, TUNE_STOP_TRIALS);
    machine slow = run_on(f, (machine){.factor = 1.5, .from = trials, .to = SIZE_MAX}, 1e-3);
    assert_int_equal(f->result.stop, TUNE_STOP_TRIALS);
    assert_true(slow.timings < 3 * trials + 3 * 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_moved_is_put_right, setup, teardown),
      cmocka_unit_test_setup_teardown(what_moves_back_is_put_back, setup, teardown),
      cmocka_unit_test_setup_teardown(noise_is_no_drift, setup, teardown),
      cmocka_unit_test_setup_teardown(the_winner_stays, setup, teardown),
      cmocka_unit_test_setup_teardown(the_last_look_is_waited_for, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
