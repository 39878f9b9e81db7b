//===- space_test.c - Spaces and configs --------------------------------------===//

#include "space_fixture.h"

#include <math.h>

static const char *const lowerings[] = {"outerproduct", "dot", "matmul"};

static int setup(void **state) {
  tune_space *space = make_space();
  ADD_ORDERED(space, "mc", 32, 64, 128);
  ADD_ORDERED(space, "nr", 8, 16, 32);
  add_labelled(space, "lowering", lowerings, 3);
  *state = space;
  return 0;
}

static int teardown(void **state) {
  tune_space_destroy(*state);
  return 0;
}

static void levels(void **state) {
  (void)state;
  tune_level level;
  for (int i = 0; i < TUNE_LEVEL_COUNT; ++i) {
    assert_ok(tune_level_parse(tune_level_name((tune_level)i), &level));
    assert_int_equal(level, i);
  }
  assert_fails(tune_level_parse("vectr", &level), TUNE_INVALID_ARGUMENT, "graph, linalg, vector");
}

static tune_status add(tune_space *space, const char *name, bool is_ordered, const int64_t *values,
                       size_t count, size_t default_index) {
  tune_knob knob = {.name = (char *)name,
                    .is_ordered = is_ordered,
                    .value_count = count,
                    .values = (int64_t *)values,
                    .default_index = default_index};
  return tune_space_add_knob(space, &knob);
}

static void refuses_bad_knobs(void **state) {
  tune_space *space = *state;
  const int64_t one[] = {1}, twice[] = {2, 1, 2}, falling[] = {2, 1};
  assert_fails(add(space, "mc", true, one, 1, 0), TUNE_ALREADY_EXISTS, "\"mc\"");
  assert_fails(add(space, "x", true, one, 0, 0), TUNE_INVALID_ARGUMENT, "empty domain");
  assert_fails(add(space, "x", false, twice, 3, 0), TUNE_INVALID_ARGUMENT, "the value 2 twice");
  assert_fails(add(space, "x", true, falling, 2, 0), TUNE_INVALID_ARGUMENT, "1 comes after 2");
  assert_ok(add(space, "falling", false, falling, 2, 1));
  assert_fails(add(space, "x", true, one, 1, 1), TUNE_INVALID_ARGUMENT, "default number 1");
  assert_fails(add(space, "", true, one, 1, 0), TUNE_INVALID_ARGUMENT, "no name for a knob");
  assert_fails(add(space, "a=b", true, one, 1, 0), TUNE_INVALID_ARGUMENT, "no name for a knob");
  char *labels[][2] = {{"a", "a"}, {"a", "12"}, {"a", "b,c"}, {"a", ""}};
  const int64_t two[] = {1, 2};
  for (size_t i = 0; i < 4; ++i) {
    tune_knob knob = {.name = "x", .value_count = 2, .values = (int64_t *)two, .labels = labels[i]};
    assert_fails(tune_space_add_knob(space, &knob), TUNE_INVALID_ARGUMENT, "the label");
  }
  assert_int_equal(tune_space_knob_count(space), 4);
}

static void sizes(void **state) {
  tune_space *space = *state;
  assert_int_equal(tune_space_size(space), 27);
  for (int i = 0; i < 8; ++i) {
    char name[] = {(char)('a' + i), '\0'};
    add_range(space, name, 1000);
  }
  assert_true(tune_space_size(space) == UINT64_MAX);
}

static void names_the_nearest(void **state) {
  const tune_space *space = *state;
  assert_string_equal(tune_space_nearest_knob(space, "lowring"), "lowering");
  assert_null(tune_space_nearest_knob(space, "something-else"));
}

static void default_config(void **state) {
  const tune_space *space = *state;
  tune_config config;
  assert_ok(tune_config_init_default(&config, space));
  assert_int_equal(value_of(&config, space, "mc"), 32);
  assert_int_equal(value_of(&config, space, "nr"), 8);
  tune_config_deinit(&config);
}

static void equality_and_hash(void **state) {
  const tune_space *space = *state;
  tune_config a, b;
  assert_ok(tune_config_from_text(&a, space, "mc=64"));
  assert_ok(tune_config_init_copy(&b, &a));
  assert_true(tune_config_equal(&a, &b));
  assert_true(tune_config_hash(&a) == tune_config_hash(&b));
  b.choices[1] = 2;
  assert_false(tune_config_equal(&a, &b));
  assert_false(tune_config_hash(&a) == tune_config_hash(&b));
  tune_config_deinit(&a);
  tune_config_deinit(&b);
}

static void json_round_trip(void **state) {
  const tune_space *space = *state;
  tune_config config, again;
  assert_ok(tune_config_from_text(&config, space, "mc=128,lowering=dot"));
  json_t *object;
  assert_ok(tune_config_to_json(&config, space, &object));
  char *text = json_dumps(object, JSON_COMPACT);
  assert_string_equal(text, "{\"mc\":128,\"nr\":8,\"lowering\":1}");
  assert_ok(tune_config_from_json(&again, space, object));
  assert_true(tune_config_equal(&config, &again));
  free(text);
  json_decref(object);
  tune_config_deinit(&config);
  tune_config_deinit(&again);
}

static tune_status read_json(const tune_space *space, const char *text) {
  json_t *object = json_loads(text, JSON_DECODE_ANY, NULL);
  assert_non_null(object);
  tune_config config;
  tune_status status = tune_config_from_json(&config, space, object);
  if (tune_status_is_ok(status))
    tune_config_deinit(&config);
  else
    assert_null(config.choices);
  json_decref(object);
  return status;
}

static void json_errors(void **state) {
  const tune_space *space = *state;
  assert_ok(read_json(space, "{}"));
  assert_fails(read_json(space, "[1]"), TUNE_INVALID_ARGUMENT, "JSON object");
  assert_fails(read_json(space, "{\"mc\": 48}"), TUNE_INVALID_ARGUMENT,
               "knob \"mc\" has the value 48, not in its domain [32, 64, 128]");
  assert_fails(read_json(space, "{\"mc\": \"64\"}"), TUNE_INVALID_ARGUMENT, "an integer");
  assert_fails(read_json(space, "{\"mcc\": 64}"), TUNE_NOT_FOUND, "did you mean \"mc\"?");
  assert_fails(read_json(space, "{\"lowering\": 3}"), TUNE_INVALID_ARGUMENT,
               "[outerproduct, dot, matmul]");
}

// What a record of somebody's may have in the place of a config of this space.
static void strange_configs_are_explained(void **state) {
  tune_space *space = *state;
  assert_ok(tune_space_add_constraint(space, "mc >= 64", "of the cache"));
  assert_ok(tune_config_explain(space, "{\"mc\":128,\"nr\":8,\"lowering\":1}"));
  assert_fails(tune_config_explain(space, "{\"mc\":128,\"nr\":8,\"lowering\":1,\"evil\":7}"),
               TUNE_NOT_FOUND, "no knob \"evil\"");
  assert_fails(tune_config_explain(space, "{\"mc\":-128,\"nr\":8,\"lowering\":1}"),
               TUNE_INVALID_ARGUMENT, "knob \"mc\" has the value -128");
  assert_fails(tune_config_explain(space, "{\"mc\":128,\"nr\":8}"), TUNE_INVALID_ARGUMENT,
               "knob \"lowering\" has no value");
  assert_fails(tune_config_explain(space, "{\"mc\":32,\"nr\":8,\"lowering\":1}"),
               TUNE_INVALID_ARGUMENT, "it violates mc >= 64: of the cache");
  assert_fails(tune_config_explain(space, "mc"), TUNE_INVALID_ARGUMENT, "no JSON object");
}

static void text_round_trip(void **state) {
  const tune_space *space = *state;
  tune_config config;
  char *text;
  assert_ok(tune_config_from_text(&config, space, "lowering=2,mc=64"));
  assert_ok(tune_config_to_text(&config, space, &text));
  assert_string_equal(text, "mc=64,nr=8,lowering=matmul");
  free(text);
  tune_config_deinit(&config);
  assert_ok(tune_config_from_text(&config, space, ""));
  assert_int_equal(value_of(&config, space, "mc"), 32);
  tune_config_deinit(&config);
}

static void text_errors(void **state) {
  const tune_space *space = *state;
  tune_config config;
  assert_fails(tune_config_from_text(&config, space, "mc"), TUNE_INVALID_ARGUMENT, "knob=value");
  assert_fails(tune_config_from_text(&config, space, "mc=64,"), TUNE_INVALID_ARGUMENT,
               "knob=value");
  assert_fails(tune_config_from_text(&config, space, "mc=64x"), TUNE_INVALID_ARGUMENT,
               "the value 64x");
  assert_fails(tune_config_from_text(&config, space, "mc=99999999999999999999"),
               TUNE_INVALID_ARGUMENT, "not in its domain");
  assert_fails(tune_config_from_text(&config, space, "lowering=dott"), TUNE_INVALID_ARGUMENT,
               "did you mean dot?");
  assert_fails(tune_config_from_text(&config, space, "nrr=8"), TUNE_NOT_FOUND,
               "did you mean \"nr\"?");
}

static void validity(void **state) {
  tune_space *space = *state;
  assert_ok(tune_space_add_constraint(space, "mc % nr == 0", NULL));
  assert_ok(tune_space_add_constraint(space, "mc * nr <= 1024", "it has to fit the cache"));
  assert_fails(tune_space_add_constraint(space, "mc * nc <= 1024", NULL), TUNE_NOT_FOUND,
               "no knob 'nc'");
  assert_int_equal(tune_space_constraint_count(space), 2);
  tune_config config;
  const tune_constraint *violated = NULL;
  assert_ok(tune_config_from_text(&config, space, "mc=64,nr=16"));
  assert_true(tune_config_is_valid(&config, space, &violated));
  assert_null(violated);
  tune_config_deinit(&config);
  assert_ok(tune_config_from_text(&config, space, "mc=128,nr=16"));
  assert_false(tune_config_is_valid(&config, space, &violated));
  assert_string_equal(tune_constraint_why(violated), "it has to fit the cache");
  assert_false(tune_config_is_valid(&config, space, NULL));
  tune_config_deinit(&config);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels),
      TEST(refuses_bad_knobs),
      TEST(sizes),
      TEST(names_the_nearest),
      TEST(default_config),
      TEST(equality_and_hash),
      TEST(json_round_trip),
      TEST(json_errors),
      TEST(text_round_trip),
      TEST(strange_configs_are_explained),
      TEST(text_errors),
      TEST(validity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
