//===- session_test.c ---------------------------------------------------------===//

#include "wrapped_evaluator.h"

#include "tuning/evaluators/null.h"
#include "tuning/session/session.h"

#include <math.h>

static double percent_of_best(fixture *f) {
  return 100 * f->table.best / table_seconds(&f->table, f->table.space, &f->result.best);
}

// 64 trials find a config near the best, beat the default beyond doubt, and everything is kept.
static void finds_a_good_config(void **state) {
  fixture *f = *state;
  run(f);
  assert_true(f->result.has_best);
  assert_false(f->result.is_default);
  assert_true(f->result.was_compared);
  assert_int_equal(f->result.stop, TUNE_STOP_TRIALS);
  assert_int_equal(f->result.trials, 64);
  assert_int_equal(f->result.new_trials, 64);
  assert_true(percent_of_best(f) > 97);
  assert_true(f->result.speedup_low > 1);
  assert_true(f->result.speedup_low <= f->result.speedup);
  assert_true(f->result.speedup <= f->result.speedup_high);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_TRIAL), 64);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_WINNER), 1);
  assert_string_equal(f->store.records[0].strategy, "default");
  assert_string_equal(f->store.records[1].strategy, "evolutionary");
}

// The very same search twice: trial by trial, the records agree.
static void is_deterministic(void **state) {
  fixture *f = *state;
  run(f);
  memory_store first = f->store;
  f->store = (memory_store){0};
  run(f);
  assert_int_equal(first.count, f->store.count);
  for (size_t i = 0; i < first.count; ++i) {
    assert_string_equal(first.records[i].config, f->store.records[i].config);
    assert_true(first.records[i].time.median == f->store.records[i].time.median);
  }
  memory_store_deinit(&first);
}

// A golden search: where the proposals change, this fails, and whoever changed them says so here.
static void golden_search(void **state) {
  fixture *f = *state;
  f->options.trials = 40;
  run(f);
  char *text;
  assert_ok(tune_config_to_text(&f->result.best, f->table.space, &text));
  assert_string_equal(text, "mc=64,nc=256,kc=256,mr=4,nr=64,kr=4,backend=O2");
  free(text);
}

// A search that is done is not done again: the winner is taken from the store, with the same
// config.
static void takes_the_winner_of_the_store(void **state) {
  fixture *f = *state;
  run(f);
  tune_config best;
  assert_ok(tune_config_init_copy(&best, &f->result.best));
  size_t kept = f->store.count;
  run(f);
  assert_int_equal(f->store.count, kept);
  assert_int_equal(f->result.new_trials, 0);
  assert_true(tune_config_equal(&best, &f->result.best));
  assert_true(f->result.speedup > 1);
  assert_true(f->result.time.sample_count > 0);
  double ratio = f->result.default_time / f->result.time.median;
  assert_true(fabs(ratio / f->result.speedup - 1) < 1e-9);
  tune_config_deinit(&best);
}

// Records of another version of the schedule, of another target, or of other knobs do not count.
static void ignores_foreign_records(void **state) {
  fixture *f = *state;
  run(f);
  f->task.schedule_digest = "s2";
  run(f);
  assert_int_equal(f->result.new_trials, 64);
  f->options.fingerprint = "zen4";
  run(f);
  assert_int_equal(f->result.new_trials, 64);
}

static double flat(void *user, const tune_space *space, const tune_config *config) {
  (void)user, (void)space, (void)config;
  return 1e-3;
}

// Where all configs are equally fast, noise makes none of them the winner.
static void default_stays_unless_beaten(void **state) {
  fixture *f = *state;
  f->null.objective = flat;
  f->null.noise = 0.03;
  size_t others = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    f->null.seed = seed;
    memory_store_deinit(&f->store);
    f->store = (memory_store){0};
    run(f);
    others += !f->result.is_default;
    if (f->result.is_default)
      assert_true(f->result.speedup == 1);
  }
  // Four finalists, each with a 2.5 % chance of looking better beyond doubt.
  assert_true(others <= 12);
}

static void failures_are_counted_and_told(void **state) {
  fixture *f = *state;
  f->null.build_failures = 0.2;
  f->null.run_crashes = 0.1;
  f->null.wrong_results = 0.1;
  run(f);
  const size_t *verdicts = f->result.verdicts;
  assert_true(verdicts[TUNE_VERDICT_BUILD_FAILED] > 0);
  assert_true(verdicts[TUNE_VERDICT_RUN_CRASHED] > 0);
  assert_true(verdicts[TUNE_VERDICT_WRONG] > 0);
  assert_int_equal(verdicts[TUNE_VERDICT_OK] + verdicts[TUNE_VERDICT_BUILD_FAILED] +
                       verdicts[TUNE_VERDICT_RUN_CRASHED] + verdicts[TUNE_VERDICT_WRONG],
                   64);
  assert_int_equal(f->result.failures.kind_count, 3);
  for (size_t i = 0; i < 3; ++i) {
    const tune_failure_kind *kind = &f->result.failures.kinds[i];
    assert_int_equal(kind->count, verdicts[kind->verdict]);
    assert_string_equal(kind->error, "a failure of the null target");
  }
  assert_true(percent_of_best(f) > 95);
}

// Nothing wins where everything fails.
static void all_failed(void **state) {
  fixture *f = *state;
  f->null.build_failures = 1;
  run(f);
  assert_false(f->result.has_best);
  assert_int_equal(f->result.default_verdict, TUNE_VERDICT_BUILD_FAILED);
  assert_string_equal(f->result.default_error, "a failure of the null target");
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_WINNER), 0);
}

// Where the default fails, the best of the others wins, without a speed-up over anything.
static void default_may_fail(void **state) {
  fixture *f = *state;
  f->null.build_failures = 0.3;
  // The first seed for which the default is among those that fail.
  do {
    ++f->null.seed;
    memory_store_deinit(&f->store);
    f->store = (memory_store){0};
    run(f);
  } while (f->result.default_verdict == TUNE_VERDICT_OK);
  assert_true(f->result.has_best);
  assert_false(f->result.is_default);
  assert_true(f->result.speedup == 0);
  assert_true(f->result.default_time == 0);
  assert_true(percent_of_best(f) > 95);
}

// The same code is measured once; the others take its figures.
static void duplicates_are_measured_once(void **state) {
  fixture *f = *state;
  f->null.granularity = 64; // mc 32 is 0, nr and mr and kr and backend are nearly all 0
  run(f);
  assert_true(f->result.verdicts[TUNE_VERDICT_DUPLICATE] > 20);
  for (size_t i = 0; i < f->store.count; ++i) {
    const tune_record *record = &f->store.records[i];
    bool is_new = true;
    for (size_t j = 0; j < i; ++j)
      is_new = is_new && strcmp(record->digest, f->store.records[j].digest) != 0;
    if (record->kind == TUNE_RECORD_TRIAL)
      assert_int_equal(record->verdict, is_new ? TUNE_VERDICT_OK : TUNE_VERDICT_DUPLICATE);
    assert_true(record->time.median > 0);
  }
}

static void stops_at_the_target(void **state) {
  fixture *f = *state;
  f->options.target_percent = 75; // of 270 GFLOP/s; the best has 85
  run(f);
  assert_int_equal(f->result.stop, TUNE_STOP_TARGET);
  assert_true(f->result.trials < 64);
  assert_true(f->result.percent_of_peak > 73);
}

static void stops_on_a_plateau(void **state) {
  fixture *f = *state;
  f->options.trials = 600;
  f->options.plateau_trials = 30;
  f->options.plateau_percent = 1;
  run(f);
  assert_int_equal(f->result.stop, TUNE_STOP_PLATEAU);
  assert_true(f->result.trials >= 30);
  assert_true(f->result.trials < 300);
}

static void stops_in_time(void **state) {
  fixture *f = *state;
  f->options.seconds = 1e-9;
  run(f);
  assert_int_equal(f->result.stop, TUNE_STOP_TIME);
  assert_int_equal(f->result.trials, 0);
  assert_false(f->result.has_best);
}

static void stops_when_exhausted(void **state) {
  fixture *f = *state;
  f->options.trials = 1000;
  run(f);
  assert_int_equal(f->result.stop, TUNE_STOP_EXHAUSTED);
  assert_int_equal(f->result.trials, TABLE_VALID);
  assert_true(percent_of_best(f) > 98);
}

static volatile sig_atomic_t interrupted;
static size_t reports;

static void interrupt_at_ten(void *user, const tune_session_progress *progress) {
  (void)user;
  ++reports;
  if (progress->trials == 10)
    interrupted = 1;
}

// Ctrl-C keeps what was measured, decides by it, and leaves no winner behind that would end the
// search for good.
static void stops_on_interrupt(void **state) {
  fixture *f = *state;
  interrupted = 0;
  reports = 0;
  f->options.interrupted = &interrupted;
  f->options.progress = interrupt_at_ten;
  run(f);
  assert_int_equal(f->result.stop, TUNE_STOP_INTERRUPTED);
  assert_int_equal(f->store.count, 10);
  assert_true(f->result.has_best);
  assert_false(f->result.was_compared);
  assert_true(reports >= 11);
  interrupted = 0;
  f->options.progress = NULL;
  run(f);
  assert_int_equal(f->result.new_trials, 54);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_WINNER), 1);
}

static void check_limit(void *user, const tune_session_progress *progress) {
  size_t *last = user;
  assert_true(progress->trials <= progress->trial_limit);
  *last = progress->trials;
}

// A store with more trials than are asked for now: it is never "20 of 5".
static void shows_no_more_trials_than_its_limit(void **state) {
  fixture *f = *state;
  size_t last = 0;
  f->options.trials = 20;
  f->options.progress = check_limit;
  f->options.user = &last;
  run(f);
  assert_int_equal(last, 20);
  f->options.trials = 5;
  run(f);
  assert_int_equal(last, 20);
  assert_int_equal(f->result.new_trials, 0);
}

// The tile sizes of the register block explain most of the table; nc and kr hardly anything.
static void knows_which_knobs_mattered(void **state) {
  fixture *f = *state;
  f->options.trials = 300;
  f->options.strategy = "random";
  run(f);
  const double *importance = f->result.importance;
  assert_non_null(importance);
  double sum = 0;
  for (size_t i = 0; i < tune_space_knob_count(f->table.space); ++i) {
    assert_true(importance[i] >= 0 && importance[i] <= 1);
    sum += importance[i];
  }
  assert_true(sum > 0.4 && sum < 1.1);
  double mr = importance[tune_space_find_knob(f->table.space, "mr")];
  assert_true(mr > importance[tune_space_find_knob(f->table.space, "nc")]);
  assert_true(mr > 0.1);
}

// Seeds are tried right after the default.
static void seeds_come_second(void **state) {
  fixture *f = *state;
  tune_config seed;
  assert_ok(tune_config_from_text(&seed, f->table.space, "mc=128,nc=1024,kc=256,mr=8,nr=32"));
  f->options.seeds = &seed;
  f->options.seed_count = 1;
  f->options.trials = 2;
  run(f);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_TRIAL), 2);
  assert_non_null(strstr(f->store.records[1].config, "\"mc\":128,\"nc\":1024,\"kc\":256,\"mr\":8"));
  tune_config_deinit(&seed);
}

static tune_status write_script(void *user, const tune_task *task, const tune_config *config,
                                char **out_script) {
  (void)user;
  char *text;
  TUNE_RETURN_IF_ERROR(tune_config_to_text(config, task->space, &text));
  *out_script = text;
  return TUNE_OK;
}

static void winner_has_its_script(void **state) {
  fixture *f = *state;
  f->options.write_script = write_script;
  run(f);
  const tune_record *winner = &f->store.records[f->store.count - 1];
  assert_int_equal(winner->kind, TUNE_RECORD_WINNER);
  assert_non_null(winner->script);
  tune_config config;
  assert_ok(tune_config_from_text(&config, f->table.space, winner->script));
  assert_true(tune_config_equal(&config, &f->result.best));
  tune_config_deinit(&config);
}

// A space of one config: the default is all there is, and wins.
static void single_config(void **state) {
  fixture *f = *state;
  tune_space *space = make_space();
  ADD_ORDERED(space, "only", 8);
  f->task.space = space;
  f->null.objective = flat;
  run(f);
  assert_int_equal(f->result.stop, TUNE_STOP_EXHAUSTED);
  assert_true(f->result.is_default);
  assert_true(f->result.speedup == 1);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_WINNER), 1);
  tune_space_destroy(space);
}

static void refuses_bad_options(void **state) {
  fixture *f = *state;
  f->options.trials = 0;
  assert_fails(try_run(f), TUNE_INVALID_ARGUMENT, "0 trials");
  f->options.trials = 64;
  f->options.strategy = "evolutionery";
  assert_fails(try_run(f), TUNE_NOT_FOUND, "did you mean 'evolutionary'?");
  f->options.strategy = "random";
  f->options.target_percent = NAN;
  assert_fails(try_run(f), TUNE_INVALID_ARGUMENT, "percent");
  f->options.target_percent = 0;
  assert_ok(tune_space_add_constraint(f->table.space, "mc > 1000", NULL));
  assert_fails(try_run(f), TUNE_FAILED_PRECONDITION, "no config of matmul");
}

//===- Rounds -----------------------------------------------------------------===//

// An evaluator that looks at what a session asks for, and is suspended after so many results.
typedef struct watched {
  tune_evaluator inner;
  size_t building, most_building; // asked for, and not measured yet
  size_t left;                    // results to come
} watched;

static tune_status watched_build(void *self, uint64_t ticket, const tune_config *config) {
  watched *w = self;
  if (++w->building > w->most_building)
    w->most_building = w->building;
  return w->inner.methods->build(w->inner.self, ticket, config);
}

static tune_status watched_wait(void *self, double seconds, tune_evaluation *event, bool *out_any) {
  watched *w = self;
  *event = (tune_evaluation){0};
  *out_any = false;
  if (w->left == 0)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(w->inner.methods->wait(w->inner.self, seconds, event, out_any));
  bool is_result = *out_any && event->is_measured;
  w->building -= is_result;
  w->left -= is_result;
  event->created_ms = is_result ? 1700000000000 : 0;
  return TUNE_OK;
}

static bool watched_is_suspended(const void *self) { return ((const watched *)self)->left == 0; }

static const tune_evaluator_class watched_class = {
    .name = "watched",
    WRAPPED_METHODS,
    .measure = wrapped_measure,
    .build = watched_build,
    .wait = watched_wait,
    .cancel = wrapped_cancel,
    .is_suspended = watched_is_suspended,
};

static void run_watched(fixture *f, watched *w) { run_wrapped(f, &watched_class, &w->inner); }

// A round is asked for as a whole, and the next one not before all of it is known. A session that
// is suspended keeps what is known and has no winner; what was measured elsewhere keeps its date.
static void rounds_are_asked_for_as_a_whole(void **state) {
  fixture *f = *state;
  f->options.trials = 40;
  f->options.round = 16;
  f->options.finalists = 0;
  watched w = {.left = 24};
  run_watched(f, &w);
  assert_int_equal(w.most_building, 16);
  assert_int_equal(f->result.stop, TUNE_STOP_SUSPENDED);
  assert_int_equal(f->result.new_trials, 24);
  assert_true(f->result.has_best);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_WINNER), 0);
  assert_int_equal(f->store.count, 24);
  assert_true(f->store.records[0].created_ms == 1700000000000);

  memory_store_deinit(&f->store);
  f->store = (memory_store){0};
  w = (watched){.left = 1000};
  run_watched(f, &w);
  assert_int_equal(w.most_building, 16);
  assert_int_equal(f->result.stop, TUNE_STOP_TRIALS);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_WINNER), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(finds_a_good_config, setup, teardown),
      cmocka_unit_test_setup_teardown(is_deterministic, setup, teardown),
      cmocka_unit_test_setup_teardown(golden_search, setup, teardown),
      cmocka_unit_test_setup_teardown(takes_the_winner_of_the_store, setup, teardown),
      cmocka_unit_test_setup_teardown(ignores_foreign_records, setup, teardown),
      cmocka_unit_test_setup_teardown(default_stays_unless_beaten, setup, teardown),
      cmocka_unit_test_setup_teardown(failures_are_counted_and_told, setup, teardown),
      cmocka_unit_test_setup_teardown(all_failed, setup, teardown),
      cmocka_unit_test_setup_teardown(default_may_fail, setup, teardown),
      cmocka_unit_test_setup_teardown(duplicates_are_measured_once, setup, teardown),
      cmocka_unit_test_setup_teardown(stops_at_the_target, setup, teardown),
      cmocka_unit_test_setup_teardown(stops_on_a_plateau, setup, teardown),
      cmocka_unit_test_setup_teardown(stops_in_time, setup, teardown),
      cmocka_unit_test_setup_teardown(stops_when_exhausted, setup, teardown),
      cmocka_unit_test_setup_teardown(stops_on_interrupt, setup, teardown),
      cmocka_unit_test_setup_teardown(shows_no_more_trials_than_its_limit, setup, teardown),
      cmocka_unit_test_setup_teardown(knows_which_knobs_mattered, setup, teardown),
      cmocka_unit_test_setup_teardown(seeds_come_second, setup, teardown),
      cmocka_unit_test_setup_teardown(winner_has_its_script, setup, teardown),
      cmocka_unit_test_setup_teardown(single_config, setup, teardown),
      cmocka_unit_test_setup_teardown(refuses_bad_options, setup, teardown),
      cmocka_unit_test_setup_teardown(rounds_are_asked_for_as_a_whole, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
