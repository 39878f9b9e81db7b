//===- session_finalists_test.c - Which of the best wins, and when it is certain -===//

#include "wrapped_evaluator.h"

#include "tuning/evaluators/null.h"
#include "tuning/session/session.h"

#include <math.h>

// An evaluator whose comparisons say what the test wants: everything but the first is `ratio` times
// as slow as that, give or take `doubt` until so many comparisons were made.
typedef struct scripted {
  tune_evaluator inner;
  double ratio, doubt;
  size_t clear_after, compared, last_count;
  double median;        // of all but the first, relative to it; 0 leaves them as they are
  size_t failures;      // so many comparisons fail, through the second artifact
  bool hides_culprit;   // which is not said
  bool is_interrupted;  // every comparison is
  uint64_t culprits[4]; // tickets
} scripted;

static tune_status scripted_compare(void *self, const tune_compare_order *order,
                                    tune_comparison *comparison) {
  scripted *s = self;
  size_t count = order->count;
  double doubt = s->compared++ < s->clear_after ? s->doubt : 0.001;
  s->last_count = count;
  TUNE_RETURN_IF_ERROR(s->inner.methods->compare(s->inner.self, order, comparison));
  for (size_t i = 1; i < count; ++i)
    comparison->ratios[i] = (tune_ratio){s->ratio, s->ratio - doubt, s->ratio + doubt};
  for (size_t i = 1; i < count && s->median > 0; ++i)
    comparison->times[i].median = s->median * comparison->times[0].median;
  comparison->was_interrupted = s->is_interrupted;
  if (s->compared > s->failures)
    return TUNE_OK;
  s->culprits[s->compared - 1] = order->tickets[1];
  comparison->failed = true;
  comparison->verdict = TUNE_VERDICT_WRONG;
  comparison->culprit = s->hides_culprit ? count : 1;
  comparison->error = strdup("result 0: element [0] is 1 where the reference has 2");
  return TUNE_OK;
}

static const tune_evaluator_class scripted_class = {
    .name = "scripted",
    WRAPPED_METHODS,
    .measure = wrapped_measure,
    .build = wrapped_build,
    .wait = wrapped_wait,
    .compare = scripted_compare,
    .cancel = wrapped_cancel,
};

static void run_scripted(fixture *f, scripted *s) { run_wrapped(f, &scripted_class, &s->inner); }

// What looks faster but not beyond doubt is compared again, two by two, until it is clear.
static void doubt_is_followed_up(void **state) {
  scripted s = {.ratio = 0.95, .doubt = 0.1, .clear_after = 2};
  run_scripted(*state, &s);
  const tune_session_result *result = &((fixture *)*state)->result;
  assert_int_equal(s.compared, 3);
  assert_int_equal(s.last_count, 2);
  assert_false(result->is_default);
  assert_true(fabs(result->speedup - 1 / 0.95) < 1e-9);
  assert_true(fabs(result->speedup_low - 1 / 0.951) < 1e-9);
}

static void lasting_doubt_is_for_the_default(void **state) {
  scripted s = {.ratio = 0.95, .doubt = 0.1, .clear_after = 100};
  run_scripted(*state, &s);
  assert_int_equal(s.compared, 3);
  assert_true(((fixture *)*state)->result.is_default);
}

// Pairs of samples that say the contrary of the medians are no proof, however sure they look.
static void medians_and_pairs_have_to_agree(void **state) {
  scripted s = {.ratio = 0.2, .doubt = 0.01, .clear_after = 1, .median = 1.02};
  run_scripted(*state, &s);
  assert_int_equal(s.compared, 3);
  assert_true(((fixture *)*state)->result.is_default);
}

static void clear_cases_are_compared_once(void **state) {
  fixture *f = *state;
  scripted faster = {.ratio = 0.95, .doubt = 0.01, .clear_after = 1};
  run_scripted(f, &faster);
  assert_int_equal(faster.compared, 1);
  assert_false(f->result.is_default);
  memory_store_deinit(&f->store);
  f->store = (memory_store){0};
  scripted equal = {.ratio = 0.995, .doubt = 0.1, .clear_after = 1};
  run_scripted(f, &equal);
  assert_int_equal(equal.compared, 1);
  assert_true(f->result.is_default);
}

// Ctrl-C while finalists are compared: the best by the trials, which is no winner for later
// sessions: the next one compares.
static void an_interrupted_comparison_decides_nothing(void **state) {
  fixture *f = *state;
  scripted s = {.ratio = 0.95, .doubt = 0.01, .is_interrupted = true};
  run_scripted(f, &s);
  assert_int_equal(s.compared, 1);
  assert_int_equal(f->result.stop, TUNE_STOP_INTERRUPTED);
  assert_true(f->result.has_best);
  assert_false(f->result.was_compared);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_WINNER), 0);
  scripted again = {.ratio = 0.95, .doubt = 0.01};
  run_scripted(f, &again);
  assert_true(f->result.was_compared);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_WINNER), 1);
}

static double same_for_all(void *user, const tune_space *space, const tune_config *config) {
  (void)user, (void)space, (void)config;
  return 1e-3;
}

// How many of 100 searches over configs that are all as fast take another one than the default.
static size_t count_false_winners(fixture *f, double noise) {
  size_t count = 0;
  f->null = (tune_null_options){.objective = same_for_all, .noise = noise};
  f->options.trials = 24;
  for (f->null.seed = 1; f->null.seed <= 100; ++f->null.seed) {
    f->options.strategy_options.seed = f->null.seed;
    memory_store_deinit(&f->store);
    f->store = (memory_store){0};
    run(f);
    count += !f->result.is_default;
  }
  return count;
}

// Where nothing differs but by noise, the best of several finalists, looked at several times, still
// does not beat the default in more than 5 of 100 searches.
static void noise_has_no_winners(void **state) {
  const double noises[] = {0.02, 0.2, 1};
  for (size_t i = 0; i < sizeof noises / sizeof *noises; ++i)
    assert_in_range(count_false_winners(*state, noises[i]), 0, 5);
}

static const tune_record *winner_of(const memory_store *store) {
  const tune_record *winner = NULL;
  for (size_t i = 0; i < store->count; ++i)
    if (store->records[i].kind == TUNE_RECORD_WINNER)
      winner = &store->records[i];
  return winner;
}

// What is found to be wrong beside the other finalists does not win, though it was the best trial;
// the next best one does, and a later session does not fall for the first either.
static void a_finalist_found_wrong_does_not_win(void **state) {
  fixture *f = *state;
  scripted s = {.ratio = 0.9, .doubt = 0.01, .failures = 2};
  run_scripted(f, &s);
  assert_int_equal(s.compared, 3);
  assert_true(s.culprits[0] != s.culprits[1]);
  assert_true(f->result.has_best);
  assert_false(f->result.is_default);
  assert_int_equal(f->result.verdicts[TUNE_VERDICT_WRONG], 2);
  size_t wrong = 0;
  for (size_t i = 0; i < f->store.count; ++i) {
    wrong += f->store.records[i].verdict == TUNE_VERDICT_WRONG;
    if (f->store.records[i].verdict == TUNE_VERDICT_WRONG)
      assert_string_not_equal(f->store.records[i].config, winner_of(&f->store)->config);
  }
  assert_int_equal(wrong, 2);
  f->options.trials += 4;
  scripted again = {.ratio = 0.9, .doubt = 0.01};
  run_scripted(f, &again);
  assert_int_equal(again.compared, 1);
  assert_int_equal(f->result.verdicts[TUNE_VERDICT_WRONG], 2);
}

// Where it is not known which finalist failed, the default stays.
static void an_unknown_culprit_is_for_the_default(void **state) {
  fixture *f = *state;
  scripted s = {.ratio = 0.9, .doubt = 0.01, .failures = 1, .hides_culprit = true};
  run_scripted(f, &s);
  assert_int_equal(s.compared, 1);
  assert_true(f->result.has_best);
  assert_true(f->result.is_default);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(doubt_is_followed_up, setup, teardown),
      cmocka_unit_test_setup_teardown(lasting_doubt_is_for_the_default, setup, teardown),
      cmocka_unit_test_setup_teardown(medians_and_pairs_have_to_agree, setup, teardown),
      cmocka_unit_test_setup_teardown(clear_cases_are_compared_once, setup, teardown),
      cmocka_unit_test_setup_teardown(an_interrupted_comparison_decides_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(noise_has_no_winners, setup, teardown),
      cmocka_unit_test_setup_teardown(a_finalist_found_wrong_does_not_win, setup, teardown),
      cmocka_unit_test_setup_teardown(an_unknown_culprit_is_for_the_default, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
