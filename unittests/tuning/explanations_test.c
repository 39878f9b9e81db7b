//===- explanations_test.c - Inert knobs, failures counted, conflicts ------------------===//

#include "session_fixture.h"

#include "tuning/space/conflict.h"

//===- Inert knobs ----------------------------------------------------------------===//

// A space of two sizes and a form, and trials in it.
typedef struct trial_list {
  tune_space *space;
  tune_config configs[16];
  const char *digests[16];
  size_t count;
  tune_inert_knob *inert;
  size_t inert_count;
} trial_list;

static int list_setup(void **state) {
  trial_list *list = calloc(1, sizeof *list);
  const char *forms[] = {"direct", "winograd"};
  assert_non_null(list);
  list->space = make_space();
  ADD_ORDERED(list->space, "tile", 4, 8, 16);
  ADD_ORDERED(list->space, "step", 1, 2, 4, 8);
  add_labelled(list->space, "form", forms, 2);
  *state = list;
  return 0;
}

static int list_teardown(void **state) {
  trial_list *list = *state;
  for (size_t i = 0; i < list->count; ++i)
    tune_config_deinit(&list->configs[i]);
  tune_inert_free(list->inert, list->inert_count);
  tune_space_destroy(list->space);
  free(list);
  return 0;
}

static void add_trial(trial_list *list, const char *config, const char *digest) {
  assert_true(list->count < 16);
  assert_ok(tune_config_from_text(&list->configs[list->count], list->space, config));
  list->digests[list->count++] = digest;
}

static void find_inert(trial_list *list) {
  tune_inert_free(list->inert, list->inert_count);
  assert_ok(tune_inert_find(list->space, list->configs, list->digests, list->count, &list->inert,
                            &list->inert_count));
}

static void assert_inert(const trial_list *list, size_t i, const char *knob, size_t trials,
                         size_t values, const char *forms) {
  assert_true(i < list->inert_count);
  const tune_inert_knob *inert = &list->inert[i];
  assert_string_equal(tune_space_knob(list->space, inert->knob)->name, knob);
  assert_int_equal(inert->trials, trials);
  assert_int_equal(inert->values, values);
  if (forms)
    assert_string_equal(inert->forms, forms);
  else
    assert_null(inert->forms);
}

// Trials that differ in a knob alone and are the same code tell that it did nothing, as long as
// there are no two that tell the contrary.
static void the_same_code_tells_an_inert_knob(void **state) {
  trial_list *list = *state;
  add_trial(list, "tile=4,step=1,form=direct", "a");
  add_trial(list, "tile=8,step=1,form=direct", "b");
  find_inert(list);
  assert_int_equal(list->inert_count, 0);
  add_trial(list, "tile=4,step=2,form=direct", "a");
  add_trial(list, "tile=4,step=8,form=direct", "a");
  add_trial(list, "tile=16,step=8,form=direct", "c");
  find_inert(list);
  assert_int_equal(list->inert_count, 1);
  assert_inert(list, 0, "step", 3, 3, NULL);
  add_trial(list, "tile=16,step=4,form=direct", "d");
  find_inert(list);
  assert_int_equal(list->inert_count, 0);
}

// Two knobs that changed together may have undone each other, and what was not built says nothing.
static void knobs_not_varied_alone_are_not_called_inert(void **state) {
  trial_list *list = *state;
  add_trial(list, "tile=4,step=4,form=direct", "a");
  add_trial(list, "tile=8,step=2,form=direct", "a");
  add_trial(list, "tile=16,step=1,form=direct", "a");
  add_trial(list, "tile=16,step=2,form=direct", NULL);
  add_trial(list, "tile=16,step=4,form=direct", NULL);
  find_inert(list);
  assert_int_equal(list->inert_count, 0);
}

// What was seen with one form alone is said to be so, where there were others; and takes more than
// two trials.
static void forms_limit_what_was_seen(void **state) {
  trial_list *list = *state;
  add_trial(list, "tile=4,step=1,form=direct", "a");
  add_trial(list, "tile=4,step=2,form=direct", "a");
  add_trial(list, "tile=4,step=2,form=winograd", "b");
  find_inert(list);
  assert_int_equal(list->inert_count, 0);
  add_trial(list, "tile=4,step=4,form=direct", "a");
  find_inert(list);
  assert_int_equal(list->inert_count, 1);
  assert_inert(list, 0, "step", 3, 3, "form=direct");
  add_trial(list, "tile=4,step=8,form=winograd", "b");
  find_inert(list);
  assert_inert(list, 0, "step", 5, 4, NULL);
}

// A session finds the knobs that the target does not look at, here those whose values are less than
// the granularity, and no others. Also when it is run again, and builds nothing.
static void sessions_find_inert_knobs(void **state) {
  fixture *f = *state;
  f->null.granularity = 8;
  f->options.strategy = "random";
  f->options.trials = 200;
  for (size_t i = 0; i < 2; ++i) {
    run(f);
    assert_int_equal(f->result.inert_count, 2);
    const char *names[] = {"kr", "backend"};
    for (size_t k = 0; k < 2; ++k) {
      const tune_inert_knob *inert = &f->result.inert[k];
      const tune_knob *knob = tune_space_knob(f->table.space, inert->knob);
      assert_string_equal(knob->name, names[k]);
      assert_true(inert->trials > 10);
      assert_int_equal(inert->values, knob->value_count);
      assert_null(inert->forms);
    }
  }
  assert_int_equal(f->result.new_trials, 0);
}

// Where each config is code of its own there are none.
static void sessions_without_inert_knobs(void **state) {
  fixture *f = *state;
  run(f);
  assert_int_equal(f->result.inert_count, 0);
}

//===- Failures -------------------------------------------------------------------===//

static void assert_text(const tune_failures *failures, const char *expected) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_failures_append(failures, &text);
  assert_string_equal(text.text ? text.text : "", expected);
  tune_string_builder_deinit(&text);
}

// Reasons that differ in numbers count as one, of each verdict the most frequent is told.
static void failures_are_told_by_verdict(void **state) {
  (void)state;
  tune_failures failures = {0};
  assert_text(&failures, "");
  assert_ok(tune_failures_add(&failures, TUNE_VERDICT_OK, NULL));
  assert_ok(tune_failures_add(&failures, TUNE_VERDICT_CUT, "surely slower than the best"));
  assert_text(&failures, "");
  assert_ok(tune_failures_add(&failures, TUNE_VERDICT_WRONG, "element [3] is 17 where it is 4"));
  assert_ok(tune_failures_add(&failures, TUNE_VERDICT_BUILD_FAILED, "no such pass"));
  assert_text(&failures, "1 wrong: element [3] is 17 where it is 4; 1 build-failed: no such pass");
  assert_ok(tune_failures_add(&failures, TUNE_VERDICT_WRONG, "element [12] is 9 where it is 40"));
  for (int i = 0; i < 3; ++i)
    assert_ok(tune_failures_add(&failures, TUNE_VERDICT_BUILD_FAILED,
                                "tile of 64 does not divide\nnote: see here"));
  assert_ok(tune_failures_add(&failures, TUNE_VERDICT_RUN_TIMEOUT, NULL));
  assert_text(&failures,
              "2 wrong: element [3] is 17 where it is 4; 4 build-failed, 3 of them like this: tile "
              "of 64 does not divide; 1 run-timeout: no reason given");
  assert_int_equal(failures.kind_count, 4);
  tune_failures_deinit(&failures);
}

// However many different reasons there are, not all are kept; all are counted.
static void kinds_of_failures_are_bounded(void **state) {
  (void)state;
  tune_failures failures = {0};
  for (int i = 0; i < 1000; ++i) {
    char reason[16] = {(char)('a' + i % 26), (char)('a' + i / 26 % 26), (char)('a' + i / 676), 0};
    assert_ok(tune_failures_add(&failures, TUNE_VERDICT_RUN_CRASHED, reason));
  }
  assert_true(failures.kind_count < 100);
  assert_text(&failures, "1000 run-crashed, 1 of them like this: aaa");
  tune_failures_deinit(&failures);
}

//===- Conflicts ------------------------------------------------------------------===//

// The clock of a machine on which a minute passes between any two looks at it.
double __wrap_tune_clock_seconds(void);
double __wrap_tune_clock_seconds(void) {
  static double seconds;
  return seconds += 60;
}

static void assert_conflict(const tune_space *space, const size_t *expected, size_t count) {
  size_t found[8], found_count;
  assert_true(tune_space_constraint_count(space) <= 8);
  assert_ok(tune_conflict_find(space, found, &found_count));
  assert_int_equal(found_count, count);
  assert_memory_equal(found, expected, count * sizeof *found);
}

// Of many constraints those are named that exclude each other, and no more of them, however slow
// the machine is.
static void conflicts_are_as_small_as_possible(void **state) {
  (void)state;
  tune_space *space = make_space();
  ADD_ORDERED(space, "a", 1, 2, 4, 8);
  ADD_ORDERED(space, "b", 1, 2, 4, 8);
  ADD_ORDERED(space, "c", 1, 2, 4, 8);
  assert_ok(tune_space_add_constraint(space, "c <= 4", NULL));
  assert_ok(tune_space_add_constraint(space, "a * b <= 8", "a tile has 8 elements at most"));
  assert_ok(tune_space_add_constraint(space, "a <= c", NULL));
  assert_ok(tune_space_add_constraint(space, "a + b >= 10", NULL));
  assert_conflict(space, (size_t[]){1, 3}, 2);
  assert_ok(tune_space_add_constraint(space, "b > 100", NULL));
  assert_conflict(space, (size_t[]){4}, 1);
  tune_space_destroy(space);
}

// Three that exclude each other, though any two of them do not.
static void three_may_be_in_conflict(void **state) {
  (void)state;
  tune_space *space = make_space();
  ADD_ORDERED(space, "a", 1, 2, 3);
  ADD_ORDERED(space, "b", 1, 2, 3);
  ADD_ORDERED(space, "c", 1, 2, 3);
  assert_ok(tune_space_add_constraint(space, "a < b", NULL));
  assert_ok(tune_space_add_constraint(space, "b < c", NULL));
  assert_ok(tune_space_add_constraint(space, "c < 3", NULL));
  assert_conflict(space, (size_t[]){0, 1, 2}, 3);
  tune_space_destroy(space);
}

int main(void) {
#define LIST(name) cmocka_unit_test_setup_teardown(name, list_setup, list_teardown)
#define SESSION(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      LIST(the_same_code_tells_an_inert_knob),
      LIST(knobs_not_varied_alone_are_not_called_inert),
      LIST(forms_limit_what_was_seen),
      SESSION(sessions_find_inert_knobs),
      SESSION(sessions_without_inert_knobs),
      cmocka_unit_test(failures_are_told_by_verdict),
      cmocka_unit_test(kinds_of_failures_are_bounded),
      cmocka_unit_test(conflicts_are_as_small_as_possible),
      cmocka_unit_test(three_may_be_in_conflict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
