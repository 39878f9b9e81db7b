//===- database_best_test.c - Which record is to be used -------------------------------===//

#include "unittests/tuning/database_fixture.h"

#include "tuning/database/database_upkeep.h"

#include <time.h>

static void expect_best(tune_database *database, const char *schedule, const char *config) {
  tune_record best;
  assert_ok(tune_database_best(database, "aaaa", "ffff", schedule, &best));
  assert_string_equal(best.config, config);
  tune_record_deinit(&best);
}

// The fastest good trial, until a session has named a winner; the last winner of a schedule counts,
// and of several schedules' winners the fastest.
static void best_prefers_winners(void **state) {
  tune_database *database = open_with_task(*state);
  tune_record best;
  assert_fails(tune_database_best(database, "aaaa", "ffff", NULL, &best), TUNE_NOT_FOUND,
               "no good trial of task aaaa");
  tune_record failed = make_failure(TUNE_VERDICT_WRONG, "{\"n\":0}", "wrong");
  assert_ok(tune_database_append(database, &failed));
  assert_fails(tune_database_best(database, "aaaa", "ffff", NULL, &best), TUNE_NOT_FOUND,
               "no good trial");
  append_record(database, TUNE_RECORD_TRIAL, "s1", 3, "{\"n\":1}", 1);
  append_record(database, TUNE_RECORD_TRIAL, "s1", 1, "{\"n\":2}", 2);
  append_record(database, TUNE_RECORD_TRIAL, "s2", 2, "{\"n\":3}", 3);
  expect_best(database, NULL, "{\"n\":2}");
  expect_best(database, "s2", "{\"n\":3}");
  append_record(database, TUNE_RECORD_WINNER, "s1", 1.1, "{\"n\":4}", 4);
  append_record(database, TUNE_RECORD_WINNER, "s1", 1.2, "{\"n\":5}", 5);
  append_record(database, TUNE_RECORD_WINNER, "s2", 1.3, "{\"n\":6}", 6);
  expect_best(database, NULL, "{\"n\":5}");
  expect_best(database, "s1", "{\"n\":5}");
  expect_best(database, "s2", "{\"n\":6}");
  append_record(database, TUNE_RECORD_WINNER, "s2", 1.15, "{\"n\":7}", 7);
  expect_best(database, NULL, "{\"n\":7}");
  assert_fails(tune_database_best(database, "aaaa", "none", NULL, &best), TUNE_NOT_FOUND, "none");
  assert_fails(tune_database_best(database, "aaaa", "ffff", "s3", &best), TUNE_NOT_FOUND, "");
  tune_database_destroy(database);
}

static void append_slowed(tune_database *database, tune_record_kind kind, const char *schedule,
                          double drift, const char *config, int64_t created_ms) {
  tune_record record = make_record(1, config);
  record.kind = kind;
  record.schedule = (char *)schedule;
  record.drift = drift;
  record.created_ms = created_ms;
  assert_ok(tune_database_append(database, &record));
}

static tune_status expect_second(void *user, const tune_record *record) {
  (void)user;
  if (record->kind == TUNE_RECORD_TRIAL)
    assert_string_equal(record->config, "{\"n\":2}");
  return TUNE_OK;
}

// All take as long, while the machine was slower or faster than when the first was timed.
static void times_are_put_right(void **state) {
  tune_database *database = open_with_task(*state);
  append_slowed(database, TUNE_RECORD_TRIAL, "s1", 0, "{\"n\":1}", 1);
  append_slowed(database, TUNE_RECORD_TRIAL, "s1", 1.3, "{\"n\":2}", 2);
  append_slowed(database, TUNE_RECORD_TRIAL, "s1", 0.7, "{\"n\":3}", 3);
  append_slowed(database, TUNE_RECORD_TRIAL, "s2", 1.2, "{\"n\":4}", 4);
  expect_best(database, NULL, "{\"n\":2}");
  expect_best(database, "s1", "{\"n\":2}");
  expect_best(database, "s2", "{\"n\":4}");
  append_slowed(database, TUNE_RECORD_WINNER, "s1", 1.1, "{\"n\":1}", 5);
  append_slowed(database, TUNE_RECORD_WINNER, "s2", 1.2, "{\"n\":4}", 6);
  expect_best(database, NULL, "{\"n\":4}");
  // Of the trials the one stays that is fastest when put right.
  tune_database_prune_result result;
  assert_ok(tune_database_prune(database, &(tune_database_prune_options){.keep_best = 1}, &result));
  assert_int_equal(result.records, 3);
  assert_ok(tune_database_load(database, "aaaa", "ffff", expect_second, NULL));
  tune_database_destroy(database);
}

//===- What is taken back -------------------------------------------------------===//

#define A "{\"n\":1}"
#define B "{\"n\":2}"
#define C "{\"n\":3}"

static void append_trial(tune_database *database, double seconds, const char *config,
                         int64_t created_ms) {
  append_record(database, TUNE_RECORD_TRIAL, "s1", seconds, config, created_ms);
}

static void append_winner(tune_database *database, double seconds, const char *config,
                          int64_t created_ms) {
  append_record(database, TUNE_RECORD_WINNER, "s1", seconds, config, created_ms);
}

static void append_failure(tune_database *database, tune_verdict verdict, const char *config,
                           int64_t created_ms) {
  tune_record record = make_failure(verdict, config, "not as the reference");
  record.schedule = "s1";
  record.created_ms = created_ms;
  assert_ok(tune_database_append(database, &record));
}

// A trial that says that the time of an earlier one does not hold.
static void append_doubt(tune_database *database, double seconds, const char *config,
                         int64_t created_ms) {
  tune_record record = make_record(seconds, config);
  record.schedule = "s1";
  record.error = "the time of an earlier record does not hold";
  record.digest = (char *)config; // the code of no other one
  record.created_ms = created_ms;
  assert_ok(tune_database_append(database, &record));
}

static void expect_nothing(tune_database *database, const char *schedule) {
  tune_record best;
  assert_fails(tune_database_best(database, "aaaa", "ffff", schedule, &best), TUNE_NOT_FOUND,
               "no good trial");
}

// With and without its schedule.
static void expect_both(tune_database *database, const char *config) {
  expect_best(database, NULL, config);
  expect_best(database, "s1", config);
}

static tune_status add_best_time(void *user, const tune_database_summary *summary) {
  *(double *)user += summary->best;
  return TUNE_OK;
}

static void expect_best_time(tune_database *database, double expected) {
  tune_record best;
  assert_ok(tune_database_best(database, "aaaa", "ffff", NULL, &best));
  assert_true(best.time.median == expected);
  tune_record_deinit(&best);
  double listed = 0;
  assert_ok(tune_database_list(database, NULL, add_best_time, &listed));
  assert_true(listed == expected);
}

// A config that fails once is not used, whether it went well before or after that; others of the
// same name in another schedule are. What is no failure takes nothing back.
static void failures_take_trials_back(void **state) {
  tune_database *database = open_with_task(*state);
  append_trial(database, 1, A, 10);
  append_trial(database, 2, B, 11);
  append_trial(database, 3, C, 12);
  append_failure(database, TUNE_VERDICT_WRONG, A, 20);
  expect_both(database, B);
  append_failure(database, TUNE_VERDICT_RUN_TIMEOUT, B, 5);
  expect_both(database, C);
  tune_record other = make_record(4, C);
  other.schedule = "s1";
  other.verdict = TUNE_VERDICT_CUT;
  other.error = "surely slower";
  assert_ok(tune_database_append(database, &other));
  other.verdict = TUNE_VERDICT_DUPLICATE;
  assert_ok(tune_database_append(database, &other));
  expect_both(database, C);
  append_record(database, TUNE_RECORD_TRIAL, "s2", 2.5, A, 15);
  expect_best(database, NULL, A);
  expect_best(database, "s1", C);
  append_failure(database, TUNE_VERDICT_BUILD_CRASHED, C, 21);
  expect_nothing(database, "s1");
  expect_best(database, NULL, A);
  tune_database_destroy(database);
}

// A winner that is found wrong leaves no winner until a session names one; one whose config had
// failed before never was one.
static void failures_take_winners_back(void **state) {
  tune_database *database = open_with_task(*state);
  append_trial(database, 1, A, 10);
  append_trial(database, 2, B, 11);
  append_trial(database, 1.5, C, 12);
  append_winner(database, 2, B, 20);
  append_failure(database, TUNE_VERDICT_WRONG, A, 15);
  append_winner(database, 1, A, 30);
  expect_both(database, B);
  append_winner(database, 1.5, C, 40);
  append_failure(database, TUNE_VERDICT_WRONG, B, 41);
  expect_both(database, C);
  append_record(database, TUNE_RECORD_WINNER, "s2", 9, A, 42);
  append_failure(database, TUNE_VERDICT_RUN_CRASHED, C, 43);
  expect_best(database, NULL, A);
  expect_nothing(database, "s1");
  tune_database_destroy(database);
}

// Where an earlier winner is all that is left, it is used; before, trials are.
static void earlier_winners_come_last(void **state) {
  tune_database *database = open_with_task(*state);
  append_winner(database, 2, A, 1);
  append_winner(database, 3, B, 2);
  append_winner(database, 1, C, 3);
  append_failure(database, TUNE_VERDICT_WRONG, C, 4);
  expect_both(database, B);
  append_trial(database, 4, A, 5);
  expect_best_time(database, 4);
  expect_best(database, "s1", A);
  tune_database_destroy(database);
}

// The new time of a trial counts in place of all that were taken before it or without knowing of
// it; the last one, where there are several.
static void new_times_take_back_old_ones(void **state) {
  tune_database *database = open_with_task(*state);
  append_trial(database, 1e-9, A, 10);
  append_trial(database, 2, B, 11);
  append_doubt(database, 1.5, A, 20);
  expect_best_time(database, 1.5);
  append_trial(database, 1, A, 30);
  expect_best_time(database, 1.5);
  append_doubt(database, 3, A, 40);
  expect_best_time(database, 2);
  expect_both(database, B);
  append_doubt(database, 1.75, A, 50);
  expect_best_time(database, 1.75);
  append_record(database, TUNE_RECORD_TRIAL, "s2", 1.25, A, 10);
  expect_best_time(database, 1.25);
  tune_database_destroy(database);
}

// A winner by a time that does not hold is none; one that is named with the new time is.
static void new_times_take_winners_back(void **state) {
  tune_database *database = open_with_task(*state);
  append_trial(database, 1e-9, A, 10);
  append_trial(database, 2, B, 11);
  append_winner(database, 1e-9, A, 10);
  append_doubt(database, 3, A, 20);
  expect_both(database, B);
  append_winner(database, 3, A, 30);
  expect_both(database, A);
  expect_best_time(database, 3);
  tune_database_destroy(database);
}

// What has the same code took the same time.
static void new_times_are_those_of_all_with_the_code(void **state) {
  tune_database *database = open_with_task(*state);
  tune_record record = make_record(1e-9, A);
  record.schedule = "s1";
  record.digest = "c0de";
  record.created_ms = 10;
  assert_ok(tune_database_append(database, &record));
  record = make_record(2, B);
  record.schedule = "s1";
  record.digest = "c0de";
  record.created_ms = 30;
  record.error = "the time of an earlier record does not hold";
  assert_ok(tune_database_append(database, &record));
  append_trial(database, 3, C, 11);
  expect_best_time(database, 2);
  tune_database_destroy(database);
}

static void expect_taken_back(tune_database *database, const tune_record *record, bool expected) {
  tune_digest digest;
  bool is_taken_back;
  assert_ok(tune_database_record_digest(record, &digest));
  assert_ok(tune_database_is_taken_back(database, digest.text, &is_taken_back));
  assert_int_equal(is_taken_back, expected);
}

// Asked of single records.
static void records_are_asked_for(void **state) {
  tune_database *database = open_with_task(*state);
  tune_record good = make_record(1, A), other = make_record(1, B);
  tune_record failure = make_failure(TUNE_VERDICT_WRONG, A, "wrong");
  expect_taken_back(database, &good, false); // which is not there
  assert_ok(tune_database_append(database, &good));
  assert_ok(tune_database_append(database, &other));
  expect_taken_back(database, &good, false);
  assert_ok(tune_database_append(database, &failure));
  expect_taken_back(database, &good, true);
  expect_taken_back(database, &other, false);
  expect_taken_back(database, &failure, false);
  tune_database_destroy(database);
}

//===- Damage -------------------------------------------------------------------===//

static void ignore_damage(void *user, const char *what) {
  (void)what;
  ++*(int *)user;
}

// Where damage is left out, what is sound behind it is found: the winner before, that of another
// schedule, a trial. Else it is told.
static void damaged_rows_hide_nothing(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  append_trial(database, 4, A, 1);
  append_trial(database, 5, B, 2);
  append_winner(database, 3, A, 3);
  append_winner(database, 2, B, 4);
  run_sql(f, "UPDATE trials SET artifact = 5 WHERE seconds = 2");
  tune_record best;
  assert_fails(tune_database_best(database, "aaaa", "ffff", NULL, &best), TUNE_DATA_LOSS,
               "a record is damaged");
  int told = 0;
  tune_database_leave_out_damage(database, ignore_damage, &told);
  expect_best_time(database, 3);
  append_record(database, TUNE_RECORD_WINNER, "s0", 9, C, 5);
  run_sql(f, "UPDATE trials SET artifact = 5 WHERE seconds = 3");
  expect_best(database, NULL, C);
  expect_best(database, "s1", A);
  run_sql(f, "UPDATE trials SET artifact = 5 WHERE seconds = 9");
  expect_best_time(database, 4);
  run_sql(f, "UPDATE trials SET artifact = 5 WHERE seconds = 4");
  expect_both(database, B);
  run_sql(f, "UPDATE trials SET artifact = 5 WHERE seconds = 5");
  expect_nothing(database, NULL);
  expect_nothing(database, "s1");
  assert_int_equal(told, 1);
  tune_database_destroy(database);
}

//===- Many records -----------------------------------------------------------===//

static double now_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// The best of a task with many trials is found by an index: a hundred times as many cost no more.
static void best_does_not_look_at_all(void **state) {
  tune_database *database = open_with_task(*state);
  double seconds[2];
  size_t appended = 0;
  for (size_t step = 0; step < 2; ++step) {
    for (; appended < (step ? 20000u : 200u); ++appended) {
      char config[32];
      snprintf(config, sizeof config, "{\"n\":%zu}", appended);
      append_record(database, TUNE_RECORD_TRIAL, "s", 1 + (double)(appended * 7919 % 20011), config,
                    (int64_t)appended);
    }
    seconds[step] = INFINITY;
    // The quickest of several, since others use the machine too.
    for (size_t i = 0; i < 20; ++i) {
      double start = now_seconds();
      expect_best(database, NULL, "{\"n\":0}");
      seconds[step] = fmin(seconds[step], now_seconds() - start);
    }
  }
  tune_database_destroy(database);
  assert_true(seconds[1] < 10 * seconds[0]);
}

static tune_record make_demotion(const char *module, const char *lost, const char *config,
                                 int64_t created_ms) {
  tune_record record = make_record(0.02, config);
  record.kind = TUNE_RECORD_DEMOTION;
  record.schedule = (char *)"s1";
  record.module = (char *)module;
  record.lost = (char *)lost;
  record.created_ms = created_ms;
  return record;
}

static tune_status expect_demotion(void *user, const tune_record *record) {
  size_t *count = user;
  assert_int_equal(record->kind, TUNE_RECORD_DEMOTION);
  assert_string_equal(record->module, "m1");
  assert_string_equal(record->lost, A);
  assert_string_equal(record->config, ++*count == 1 ? B : C);
  return TUNE_OK;
}

// What a module has says nothing of the task alone, stays when trials are pruned, and comes in the
// order in which it was decided.
static void demotions_are_of_modules_alone(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  append_trial(database, 0.01, B, 1);
  append_winner(database, 0.03, A, 2);
  const tune_record first = make_demotion("m1", A, B, 3), second = make_demotion("m1", A, C, 4);
  assert_ok(tune_database_append(database, &second));
  assert_ok(tune_database_append(database, &first));
  const char *schedule = first.schedule;
  expect_best(database, schedule, A);
  tune_database_prune_result result;
  assert_ok(tune_database_prune(database, &(tune_database_prune_options){.keep_best = 1}, &result));
  expect_best(database, schedule, A);
  size_t count = 0;
  assert_ok(
      tune_database_load_demotions(database, "aaaa", "ffff", schedule, expect_demotion, &count));
  assert_int_equal(count, 2);
  assert_ok(
      tune_database_load_demotions(database, "aaaa", "ffff", "other", expect_demotion, &count));
  assert_int_equal(count, 2);
  tune_database_destroy(database);
}

// A module and what lost there go with a demotion, and with nothing else.
static void demotions_say_of_which_module(void **state) {
  fixture *f = *state;
  tune_database *database = open_with_task(f);
  tune_record record = make_demotion("m1", NULL, B, 3);
  assert_fails(tune_database_append(database, &record), TUNE_INVALID_ARGUMENT, "\"lost\"");
  record = make_demotion(NULL, A, B, 3);
  assert_fails(tune_database_append(database, &record), TUNE_INVALID_ARGUMENT, "\"module\"");
  record = make_demotion("m1", "{\"n\":", B, 3);
  assert_fails(tune_database_append(database, &record), TUNE_INVALID_ARGUMENT, "not JSON");
  record = make_demotion("m1", A, B, 3);
  record.kind = TUNE_RECORD_TRIAL;
  assert_fails(tune_database_append(database, &record), TUNE_INVALID_ARGUMENT, "no demotion");
  tune_database_destroy(database);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(best_prefers_winners),
      TEST(times_are_put_right),
      TEST(failures_take_trials_back),
      TEST(failures_take_winners_back),
      TEST(earlier_winners_come_last),
      TEST(new_times_take_back_old_ones),
      TEST(new_times_take_winners_back),
      TEST(new_times_are_those_of_all_with_the_code),
      TEST(records_are_asked_for),
      TEST(damaged_rows_hide_nothing),
      TEST(best_does_not_look_at_all),
      cmocka_unit_test_setup_teardown(demotions_are_of_modules_alone, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(demotions_say_of_which_module, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
