//===- database_session_test.c - The best record is what a session takes for it ---------===//

#include "unittests/tuning/database_fixture.h"

#include "tuning/database/database_upkeep.h"
#include "tuning/evaluators/null.h"
#include "tuning/session/session.h"
#include "tuning/space/random.h"

#define HISTORIES 250
#define CONFIGS 4 // the first is the default, which is never tried

static tune_status append_nothing(void *self, const tune_record *record) {
  (void)self, (void)record;
  return TUNE_OK;
}

static double no_seconds(void *user, const tune_space *space, const tune_config *config) {
  (void)user, (void)space, (void)config;
  fail_msg("nothing is to be measured");
  return 0;
}

// What a session that has nothing to try believes best, of `count` configs; "" for nothing.
static void ask_session(tune_database *database, const char *task, size_t count, char *text,
                        size_t size) {
  tune_space *space;
  int64_t values[CONFIGS] = {0, 1, 2, 3};
  tune_knob knob = {.name = "n",
                    .level = TUNE_LEVEL_LINALG,
                    .is_ordered = true,
                    .value_count = CONFIGS,
                    .values = values};
  assert_ok(tune_space_create(&space));
  assert_ok(tune_space_add_knob(space, &knob));
  tune_task tuned = {.key = (char *)task, .name = "n", .schedule_digest = "s1", .space = space};
  tune_session_options options;
  tune_session_options_init(&options);
  options.fingerprint = "ffff";
  options.finalists = 0;
  options.trials = count;
  tune_evaluator evaluator;
  assert_ok(tune_evaluator_null_create(&(tune_null_options){.objective = no_seconds}, &evaluator));
  tune_record_store store = tune_database_store(database);
  store.append = append_nothing;
  tune_session_result result;
  assert_ok(tune_session_run(&tuned, &options, &evaluator, &store, &result));
  *text = '\0';
  if (result.has_best)
    snprintf(text, size, "{\"n\":%d}", (int)result.best.choices[0]);
  tune_session_result_deinit(&result);
  tune_evaluator_destroy(&evaluator);
  tune_space_destroy(space);
}

static void ask_database(tune_database *database, const char *task, char *text, size_t size) {
  tune_record best;
  *text = '\0';
  tune_status status = tune_database_best(database, task, "ffff", "s1", &best);
  if (tune_status_get_code(status) != TUNE_NOT_FOUND) {
    assert_ok(status);
    snprintf(text, size, "%s", best.config);
    tune_record_deinit(&best);
    return;
  }
  tune_status_free(status);
}

static void append_one(tune_database *database, const char *task, int config, bool was_good,
                       tune_random *random) {
  char text[32];
  snprintf(text, sizeof text, "{\"n\":%d}", config);
  tune_record record = make_record(1 + 0.1 * config, text);
  uint64_t what = tune_random_below(random, 8);
  bool is_failure = what == 0 || !was_good, is_doubt = !is_failure && what < 3;
  if (is_failure)
    record = make_failure(TUNE_VERDICT_WRONG, text, NULL);
  else if (is_doubt)
    record = make_record(1 + 1e-6 * (double)tune_random_below(random, 1000000), text);
  else if (what < 6) // was a trial before
    record.kind = TUNE_RECORD_WINNER;
  record.error = is_failure || is_doubt ? "as it is" : NULL;
  record.task = (char *)task;
  record.schedule = "s1";
  record.digest = text;
  record.seed = random->state[0]; // so that none is another one's copy
  record.created_ms = 1 + (int64_t)tune_random_below(random, 6);
  assert_ok(tune_database_append(database, &record));
}

// Returns of how many configs it is.
static size_t append_history(tune_database *database, const char *task, tune_random *random) {
  bool was_good[CONFIGS] = {false};
  size_t count = 0;
  for (int config = 1; config < CONFIGS; ++config) {
    was_good[config] = tune_random_below(random, 4) > 0;
    char text[32];
    snprintf(text, sizeof text, "{\"n\":%d}", config);
    tune_record record = make_record(1 + 0.1 * config, text);
    record.task = (char *)task;
    record.schedule = "s1";
    record.digest = text;
    record.created_ms = 0;
    if (was_good[config])
      assert_ok(tune_database_append(database, &record));
    bool is_tried = was_good[config];
    for (uint64_t left = tune_random_below(random, 6); left; --left, is_tried = true)
      append_one(database, task, config, was_good[config], random);
    count += is_tried;
  }
  return count;
}

// Whatever records there are, and whichever of them prune drops, the best is what a session takes
// for it that has nothing to try.
static void the_best_is_what_a_session_believes(void **state) {
  (void)state;
  tune_database *database;
  tune_random random;
  char task[16], ours[HISTORIES][32], theirs[32];
  size_t counts[2] = {0};
  assert_ok(tune_database_open(":memory:", &database));
  put_fingerprint(database, "ffff");
  tune_random_init(&random, 1);
  for (int i = 0; i < HISTORIES; ++i) {
    snprintf(task, sizeof task, "t%d", i);
    put_task(database, task, 1, 1, 1);
    size_t count = append_history(database, task, &random);
    ask_database(database, task, ours[i], sizeof ours[i]);
    ask_session(database, task, count ? count : 1, theirs, sizeof theirs);
    if (strcmp(ours[i], theirs) != 0)
      fail_msg("of history %d the best is %s, and %s for a session", i, ours[i], theirs);
    ++counts[!*theirs];
  }
  assert_true(counts[0] > HISTORIES / 2 && counts[1] > HISTORIES / 50);
  tune_database_prune_result pruned;
  for (int older_than = 2; older_than < 8; ++older_than) {
    tune_database_prune_options options = {.older_than_ms = older_than};
    if (older_than == 7)
      options = (tune_database_prune_options){.keep_best = 1};
    assert_ok(tune_database_prune(database, &options, &pruned));
    assert_true(pruned.records > 0);
    for (int i = 0; i < HISTORIES; ++i) {
      snprintf(task, sizeof task, "t%d", i);
      ask_database(database, task, theirs, sizeof theirs);
      if (strcmp(ours[i], theirs) != 0)
        fail_msg("of history %d the best was %s, and is %s", i, ours[i], theirs);
    }
  }
  tune_database_destroy(database);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_is_what_a_session_believes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
