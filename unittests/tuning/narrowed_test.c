//===- narrowed_test.c --------------------------------------------------------===//

#include "space_fixture.h"

#include "tuning/evaluators/null.h"
#include "tuning/space/narrowed.h"
#include "tuning/space/sampler.h"

static tune_space *make_whole(void) {
  tune_space *space = make_space();
  const char *words[] = {"rows", "columns", "both"};
  ADD_ORDERED(space, "mc", 16, 32, 64, 128, 256);
  ADD_CATEGORICAL(space, "order", 7, 3, 5);
  add_labelled(space, "form", words, 3);
  add_range(space, "option", 9);
  assert_ok(tune_space_add_constraint(space, "mc <= 128 || option > 3", "why"));
  assert_ok(tune_space_add_condition(space, 1, "form == 1"));
  return space;
}

static tune_space *narrow(const tune_space *whole, const char *const *allowed) {
  bool flags[4][9] = {{false}}, *rows[4];
  for (size_t k = 0; k < 4; ++k) {
    rows[k] = flags[k];
    for (size_t i = 0; i < strlen(allowed[k]); ++i)
      flags[k][i] = allowed[k][i] == 'x';
  }
  tune_space *space = make_space();
  assert_ok(tune_space_add_narrowed(space, whole, rows));
  return space;
}

// Values, labels, places and the default nearest to the one that there was; also of what was
// narrowed before.
static void values_stay_what_they_are(void **state) {
  (void)state;
  tune_space *whole = make_whole();
  tune_space *part = narrow(whole, (const char *[]){".xx.x", "xxx", ".xx", "..xxxx..x"});
  tune_space *less = narrow(part, (const char *[]){".xx", "x..", ".x", "x...x"});
  const tune_knob *mc = tune_space_knob(part, 0), *form = tune_space_knob(part, 2);
  assert_int_equal(mc->value_count, 3);
  assert_int_equal(mc->values[2], 256);
  assert_int_equal(mc->default_index, 0);
  assert_int_equal(tune_knob_place(mc, 2), 4);
  assert_int_equal(tune_knob_whole_count(mc), 5);
  assert_string_equal(form->labels[1], "both");
  mc = tune_space_knob(less, 0);
  assert_int_equal(mc->values[1], 256);
  assert_int_equal(tune_knob_place(mc, 1), 4);
  assert_int_equal(tune_knob_whole_count(mc), 5);
  assert_int_equal(tune_knob_place(tune_space_knob(less, 3), 1), 8);
  assert_int_equal(tune_space_constraint_count(less), 2);
  assert_non_null(tune_space_condition(less, 1));
  assert_int_equal(tune_knob_place(tune_space_knob(whole, 0), 3), 3);
  tune_space_destroy(less);
  tune_space_destroy(part);
  tune_space_destroy(whole);
  whole = make_whole();
  bool nothing[9] = {false}, *rows[] = {nothing, nothing, nothing, nothing};
  part = make_space();
  assert_fails(tune_space_add_narrowed(part, whole, rows), TUNE_INVALID_ARGUMENT, "empty domain");
  tune_space_destroy(part);
  tune_space_destroy(whole);
}

// A config takes as long on the target null where a level of it is pinned as where nothing is: a
// search of fewer levels is not in another landscape.
static void null_costs_are_those_of_the_whole(void **state) {
  (void)state;
  tune_space *whole = make_whole();
  static const char *const parts[][4] = {{"x....", "xxx", "xxx", "xxxxxxxxx"},
                                         {"xxxxx", "x..", "x..", "...x....."},
                                         {"..x..", ".x.", ".x.", "....x...."},
                                         {".x.x.", "xx.", "xx.", "x.x.x.x.x"}};
  size_t compared = 0;
  for (size_t i = 0; i < 4; ++i) {
    tune_space *part = narrow(whole, parts[i]);
    tune_sampler *sampler;
    tune_sampler_walk walk = {0};
    tune_config config;
    bool found;
    assert_ok(tune_sampler_create(part, &sampler));
    assert_ok(tune_config_init_default(&config, part));
    for (;;) {
      assert_ok(tune_sampler_walk_next(sampler, &walk, &config, &found));
      if (!found)
        break;
      char *text;
      tune_config same;
      assert_ok(tune_config_to_text(&config, part, &text));
      assert_ok(tune_config_from_text(&same, whole, text));
      double a = tune_null_bowl(NULL, part, &config), b = tune_null_bowl(NULL, whole, &same);
      assert_true(a == b);
      tune_config_deinit(&same);
      free(text);
      ++compared;
    }
    tune_config_deinit(&config);
    tune_sampler_walk_deinit(&walk);
    tune_sampler_destroy(sampler);
    tune_space_destroy(part);
  }
  assert_true(compared > 30);
  tune_space_destroy(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_stay_what_they_are),
      cmocka_unit_test(null_costs_are_those_of_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
