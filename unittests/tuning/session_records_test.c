//===- session_records_test.c - What a session makes of old records ------------------===//

#include "session_fixture.h"

static const tune_record *winner_of(const memory_store *store) {
  for (size_t i = store->count; i > 0; --i)
    if (store->records[i - 1].kind == TUNE_RECORD_WINNER)
      return &store->records[i - 1];
  return NULL;
}

// Keeps that the config of `record` was found to be wrong when it was compared.
static void keep_disqualified(memory_store *store, const tune_record *record) {
  tune_record failed;
  assert_ok(tune_record_init_copy(&failed, record));
  failed.kind = TUNE_RECORD_TRIAL;
  failed.verdict = TUNE_VERDICT_WRONG;
  failed.error = strdup("wrong beside others");
  assert_non_null(failed.error);
  free(failed.time.samples);
  failed.time = (tune_timing){0};
  failed.drift = 0;
  free(failed.script);
  failed.script = NULL;
  assert_ok(store_append(store, &failed));
  tune_record_deinit(&failed);
}

static void expect_no_default(void *user, const tune_session_progress *progress) {
  (void)user;
  assert_true(progress->default_time == 0);
}

// A trial that was disqualified is a failure like others when it is loaded: it has no time, and the
// reason is told.
static void a_disqualified_trial_has_its_reason(void **state) {
  fixture *f = *state;
  run(f);
  keep_disqualified(&f->store, &f->store.records[0]);
  f->options.progress = expect_no_default;
  run(f);
  assert_int_equal(f->result.default_verdict, TUNE_VERDICT_WRONG);
  assert_string_equal(f->result.default_error, "wrong beside others");
  assert_int_equal(f->result.verdicts[TUNE_VERDICT_WRONG], 1);
  assert_int_equal(f->result.failures.kind_count, 1);
  assert_string_equal(f->result.failures.kinds[0].error, "wrong beside others");
}

// Nor is it the winner that the store has, where nothing new is tried.
static void a_disqualified_winner_wins_no_more(void **state) {
  fixture *f = *state;
  run(f);
  tune_config winner;
  assert_ok(tune_config_init_copy(&winner, &f->result.best));
  keep_disqualified(&f->store, winner_of(&f->store));
  run(f);
  assert_int_equal(f->result.new_trials, 0);
  assert_true(f->result.has_best);
  assert_false(tune_config_equal(&f->result.best, &winner));
  tune_config_deinit(&winner);
}

// Each record says what the machine was like when its session began.
static void records_have_the_conditions_of_their_session(void **state) {
  fixture *f = *state;
  tune_kept_conditions conditions = {
      .is_known = true, .cpus = "3", .load = 0.25, .others_busy = -1, .stolen = -1};
  f->options.trials = 5;
  run(f);
  size_t before = f->store.count;
  f->options.trials = 9;
  f->options.conditions = &conditions;
  run(f);
  for (size_t i = 0; i < f->store.count; ++i)
    assert_string_equal(f->store.records[i].conditions.cpus, i < before ? "" : "3");
  assert_int_equal(f->store.count, before + 5); // with the winner
}

//===- Knobs that do nothing ------------------------------------------------------===//

static void keep_config(memory_store *store, const char *config, tune_verdict verdict) {
  tune_record record = {.task = (char *)"0123456789abcdef",
                        .fingerprint = (char *)"zen5",
                        .schedule = (char *)"s1",
                        .config = (char *)config,
                        .verdict = verdict,
                        .strategy = (char *)"evolutionary"};
  if (tune_verdict_is_failure(verdict))
    record.error = (char *)"it crashed";
  else
    record.time = (tune_timing){.median = 1e-3, .low = 0.9e-3, .high = 1.1e-3, .repeats = 1};
  assert_ok(store_append(store, &record));
}

// The two are one config, where `size` does nothing. The second is of a time when it did something,
// or of a space whose default was another one.
#define DEFAULT "{\"way\":0,\"size\":1}"
#define SETTLED "{\"way\":0,\"size\":4}"

// The verdict of the one trial that a session makes of the two records.
static tune_verdict verdict_of(fixture *f, const char *first, tune_verdict first_verdict,
                               const char *second, tune_verdict second_verdict) {
  memory_store_deinit(&f->store);
  f->store = (memory_store){0};
  keep_config(&f->store, first, first_verdict);
  keep_config(&f->store, second, second_verdict);
  run(f);
  assert_int_equal(f->result.trials, 1);
  assert_int_equal(f->result.new_trials, 0);
  return f->result.default_verdict;
}

// A failure of what was another config once says nothing about a good trial, in whichever order
// they came; but it does about one of its own.
static void settled_records_discard_no_other_ones(void **state) {
  fixture *f = *state;
  tune_space *space = make_space();
  ADD_ORDERED(space, "way", 0, 1);
  ADD_ORDERED(space, "size", 1, 2, 4);
  assert_ok(tune_space_add_condition(space, 1, "way == 1"));
  f->task.space = space;
  f->null.objective = NULL;
  f->options.trials = 1;
  const tune_verdict ok = TUNE_VERDICT_OK, crashed = TUNE_VERDICT_RUN_CRASHED;
  assert_int_equal(verdict_of(f, DEFAULT, ok, SETTLED, crashed), ok);
  assert_int_equal(verdict_of(f, SETTLED, crashed, DEFAULT, ok), ok);
  assert_int_equal(verdict_of(f, SETTLED, ok, DEFAULT, crashed), crashed);
  assert_int_equal(verdict_of(f, DEFAULT, ok, DEFAULT, crashed), crashed);
  assert_int_equal(verdict_of(f, SETTLED, ok, SETTLED, crashed), crashed);
  assert_int_equal(verdict_of(f, SETTLED, ok, "{\"way\":0,\"size\":2}", crashed), ok);
  tune_space_destroy(space);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(a_disqualified_trial_has_its_reason),
      TEST(a_disqualified_winner_wins_no_more),
      TEST(records_have_the_conditions_of_their_session),
      TEST(settled_records_discard_no_other_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
