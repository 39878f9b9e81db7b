//===- sampler_test.c ---------------------------------------------------------===//

#include "space_fixture.h"

#include "tuning/space/config_set.h"
#include "tuning/space/sampler.h"

#include <math.h>

static tune_config config_of(const tune_space *space) {
  tune_config config;
  assert_ok(tune_config_init_default(&config, space));
  return config;
}

static tune_sampler *sampler_of(const tune_space *space) {
  tune_sampler *sampler;
  assert_ok(tune_sampler_create(space, &sampler));
  return sampler;
}

// Known answers of xoshiro256** with the state 1, 2, 3, 4, from the authors' own code.
static void random_is_xoshiro(void **state) {
  (void)state;
  tune_random random = {{1, 2, 3, 4}};
  const uint64_t expected[] = {
      11520, 0, 1509978240, 1215971899390074240u, 1216172134540287360u, 607988272756665600u};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
    assert_true(tune_random_next(&random) == expected[i]);
}

static void random_is_uniform(void **state) {
  (void)state;
  tune_random random;
  tune_random_init(&random, 5);
  size_t seen[6] = {0};
  double sum = 0, squares = 0;
  for (int i = 0; i < 60000; ++i) {
    ++seen[tune_random_below(&random, 6)];
    double unit = tune_random_unit(&random);
    assert_true(unit >= 0 && unit < 1);
    double normal = tune_random_normal(&random);
    assert_true(isfinite(normal));
    sum += normal;
    squares += normal * normal;
  }
  for (int i = 0; i < 6; ++i)
    assert_true(seen[i] > 9600 && seen[i] < 10400);
  assert_true(fabs(sum / 60000) < 0.02);
  assert_true(fabs(squares / 60000 - 1) < 0.03);
}

// Where a good part of the configs is valid, every valid one is drawn equally often.
static void draws_are_uniform(void **state) {
  (void)state;
  tune_space *space = make_space();
  add_range(space, "a", 4);
  add_range(space, "b", 4);
  assert_ok(tune_space_add_constraint(space, "a + b < 4", NULL)); // 10 of 16
  tune_sampler *sampler = sampler_of(space);
  tune_config config = config_of(space);
  tune_random random;
  tune_random_init(&random, 1);
  size_t seen[4][4] = {{0}};
  for (int i = 0; i < 20000; ++i) {
    assert_true(tune_sampler_draw(sampler, &random, &config));
    ++seen[config.choices[0]][config.choices[1]];
  }
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      assert_true(a + b < 4 ? seen[a][b] > 1800 && seen[a][b] < 2200 : seen[a][b] == 0);
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

// 10^9 configs of which 84 are valid: nine knobs with the product 2^3, and the first has to divide
// the sum of the others; drawing until one fits would take minutes each.
static tune_space *make_rare_space(void) {
  tune_space *space = make_space();
  for (int i = 0; i < 9; ++i) {
    char name[] = {(char)('a' + i), '\0'};
    ADD_ORDERED(space, name, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512);
  }
  assert_ok(tune_space_add_constraint(space, "a*b*c*d*e*f*g*h*i == 8", NULL));
  assert_ok(tune_space_add_constraint(space, "(b+c+d+e+f+g+h+i) % a == 0", NULL));
  return space;
}

static void draws_rare_configs(void **state) {
  (void)state;
  tune_space *space = make_rare_space();
  tune_sampler *sampler = sampler_of(space);
  tune_config config = config_of(space);
  tune_config_set seen;
  tune_config_set_init(&seen);
  tune_random random;
  tune_random_init(&random, 1);
  for (int i = 0; i < 100; ++i) {
    assert_true(tune_sampler_draw(sampler, &random, &config));
    assert_true(tune_config_is_valid(&config, space, NULL));
    assert_ok(tune_config_set_add(&seen, &config, NULL));
  }
  assert_true(seen.count > 20); // not always the same ones
  tune_config_set_deinit(&seen);
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

// The walk visits every valid config, and each once.
static void walks_over_all(void **state) {
  (void)state;
  tune_space *space = make_space();
  add_range(space, "free", 3);
  add_range(space, "a", 5);
  add_range(space, "b", 5);
  add_range(space, "c", 5);
  assert_ok(tune_space_add_constraint(space, "a < b && b < c", NULL));
  assert_ok(tune_space_add_constraint(space, "c != 3", NULL));
  tune_sampler *sampler = sampler_of(space);
  tune_config config = config_of(space);
  tune_sampler_walk walk = {0};
  tune_config_set seen;
  tune_config_set_init(&seen);
  bool found, is_new;
  for (;;) {
    assert_ok(tune_sampler_walk_next(sampler, &walk, &config, &found));
    if (!found)
      break;
    assert_true(tune_config_is_valid(&config, space, NULL));
    assert_ok(tune_config_set_add(&seen, &config, &is_new));
    assert_true(is_new);
  }
  assert_int_equal(seen.count, 3 * (1 + 6)); // c = 2: 1 pair below it; c = 4: 6
  assert_ok(tune_sampler_walk_next(sampler, &walk, &config, &found));
  assert_false(found);
  tune_config_set_deinit(&seen);
  tune_sampler_walk_deinit(&walk);
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

static void walks_over_no_knobs(void **state) {
  (void)state;
  tune_space *space = make_space();
  tune_sampler *sampler = sampler_of(space);
  tune_config config = config_of(space);
  tune_sampler_walk walk = {0};
  bool found;
  assert_ok(tune_sampler_walk_next(sampler, &walk, &config, &found));
  assert_true(found);
  assert_ok(tune_sampler_walk_next(sampler, &walk, &config, &found));
  assert_false(found);
  tune_sampler_walk_deinit(&walk);
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

// What no config satisfies is found out, at once where a constraint reads no knob.
static void knows_when_there_is_none(void **state) {
  (void)state;
  const char *impossible[] = {"a > b && b > a", "1 == 2", "a * b == 7"};
  for (size_t i = 0; i < 3; ++i) {
    tune_space *space = make_space();
    add_range(space, "a", 6);
    add_range(space, "b", 6);
    assert_ok(tune_space_add_constraint(space, impossible[i], NULL));
    tune_sampler *sampler = sampler_of(space);
    tune_config config = config_of(space);
    tune_random random;
    tune_random_init(&random, 1);
    tune_sampler_walk walk = {0};
    bool found;
    assert_false(tune_sampler_draw(sampler, &random, &config));
    assert_false(tune_sampler_repair(sampler, &random, &config));
    assert_ok(tune_sampler_walk_next(sampler, &walk, &config, &found));
    assert_false(found);
    tune_sampler_walk_deinit(&walk);
    tune_config_deinit(&config);
    tune_sampler_destroy(sampler);
    tune_space_destroy(space);
  }
}

static void repair_leaves_valid_alone(void **state) {
  (void)state;
  tune_space *space = make_rare_space();
  tune_sampler *sampler = sampler_of(space);
  tune_config config, before;
  assert_ok(tune_config_from_text(&config, space, "b=8"));
  assert_ok(tune_config_init_copy(&before, &config));
  tune_random random;
  tune_random_init(&random, 1);
  assert_true(tune_sampler_repair(sampler, &random, &config));
  assert_true(tune_config_equal(&config, &before));
  tune_config_deinit(&config);
  tune_config_deinit(&before);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

// Repair changes little: on average not more than two knobs of nine where one was made wrong.
static void repair_stays_near(void **state) {
  (void)state;
  tune_space *space = make_rare_space();
  tune_sampler *sampler = sampler_of(space);
  tune_config config = config_of(space), before = config_of(space);
  tune_random random;
  tune_random_init(&random, 3);
  size_t changed = 0;
  for (int i = 0; i < 200; ++i) {
    assert_true(tune_sampler_draw(sampler, &random, &config));
    config.choices[tune_random_below(&random, 9)] = (uint16_t)tune_random_below(&random, 10);
    memcpy(before.choices, config.choices, 9 * sizeof *config.choices);
    assert_true(tune_sampler_repair(sampler, &random, &config));
    assert_true(tune_config_is_valid(&config, space, NULL));
    for (int knob = 0; knob < 9; ++knob)
      changed += before.choices[knob] != config.choices[knob];
  }
  assert_true(changed < 2 * 200);
  tune_config_deinit(&config);
  tune_config_deinit(&before);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

// From anywhere, however far from valid, a valid config is found.
static void repair_finds_a_way(void **state) {
  (void)state;
  tune_space *space = make_rare_space();
  tune_sampler *sampler = sampler_of(space);
  tune_config config = config_of(space);
  tune_random random;
  tune_random_init(&random, 4);
  for (int i = 0; i < 200; ++i) {
    for (int knob = 0; knob < 9; ++knob)
      config.choices[knob] = (uint16_t)tune_random_below(&random, 10);
    assert_true(tune_sampler_repair(sampler, &random, &config));
    assert_true(tune_config_is_valid(&config, space, NULL));
  }
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

// Either `way` has a knob of its own: eight configs of the one and two of the other, not 32.
static tune_space *space_of_two_ways(void) {
  tune_space *space = make_space();
  add_range(space, "way", 2);
  add_range(space, "x", 8);
  add_range(space, "y", 2);
  assert_ok(tune_space_add_condition(space, 1, "way == 0"));
  assert_ok(tune_space_add_condition(space, 2, "way == 1"));
  return space;
}

static void knobs_that_do_nothing_keep_their_default(void **state) {
  (void)state;
  tune_space *space = space_of_two_ways();
  tune_sampler *sampler = sampler_of(space);
  tune_config config = config_of(space);
  tune_random random;
  tune_random_init(&random, 3);
  size_t seen[2][8][2] = {{{0}}}, configs = 0, of_first = 0;
  for (int i = 0; i < 4000; ++i) {
    assert_true(tune_sampler_draw(sampler, &random, &config));
    ++seen[config.choices[0]][config.choices[1]][config.choices[2]];
    of_first += config.choices[0] == 0;
  }
  for (size_t way = 0; way < 2; ++way)
    for (size_t x = 0; x < 8; ++x)
      for (size_t y = 0; y < 2; ++y) {
        configs += seen[way][x][y] > 0;
        assert_true(seen[way][x][y] == 0 || (way == 0 ? y == 0 : x == 0));
      }
  assert_int_equal(configs, 8 + 2);
  assert_in_range(of_first, 1900, 2100); // the way with more knobs is not drawn more often
  tune_sampler_walk walk = {0};
  bool found = true;
  for (configs = 0; found; configs += found)
    assert_ok(tune_sampler_walk_next(sampler, &walk, &config, &found));
  assert_int_equal(configs, 8 + 2);
  tune_sampler_walk_deinit(&walk);
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

// Another way is not taken back for the sake of the knobs of the old one.
static void repair_keeps_the_alternative(void **state) {
  (void)state;
  tune_space *space = space_of_two_ways();
  tune_sampler *sampler = sampler_of(space);
  tune_config config = config_of(space);
  tune_random random;
  tune_random_init(&random, 3);
  config.choices[0] = 1;
  config.choices[1] = 5;
  config.choices[2] = 1;
  const tune_constraint *violated;
  assert_false(tune_config_is_valid(&config, space, &violated));
  assert_non_null(strstr(tune_constraint_why(violated), "x does nothing"));
  assert_true(tune_sampler_repair(sampler, &random, &config));
  assert_int_equal(config.choices[0], 1);
  assert_int_equal(config.choices[1], 0);
  assert_int_equal(config.choices[2], 1);
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

static void config_set_remembers(void **state) {
  (void)state;
  tune_space *space = make_space();
  add_range(space, "a", 100);
  add_range(space, "b", 100);
  tune_config config = config_of(space);
  tune_config_set set;
  tune_config_set_init(&set);
  assert_true(tune_config_set_find(&set, &config) == SIZE_MAX);
  bool is_new;
  for (uint16_t i = 0; i < 1000; ++i) {
    config.choices[0] = i % 100;
    config.choices[1] = i / 100;
    assert_true(tune_config_set_find(&set, &config) == SIZE_MAX);
    assert_ok(tune_config_set_add(&set, &config, &is_new));
    assert_true(is_new);
    assert_ok(tune_config_set_add(&set, &config, &is_new));
    assert_false(is_new);
  }
  assert_int_equal(set.count, 1000);
  config.choices[0] = 42;
  config.choices[1] = 3;
  assert_int_equal(tune_config_set_find(&set, &config), 342);
  tune_config_set_deinit(&set);
  tune_config_deinit(&config);
  tune_space_destroy(space);
}

// An effort bounds a search, and is what it took off it: the same each time.
static void efforts_are_counted(void **state) {
  (void)state;
  tune_space *space = make_rare_space();
  tune_sampler *sampler = sampler_of(space);
  tune_config config = config_of(space);
  tune_random random;
  size_t lefts[2];
  for (int i = 0; i < 2; ++i) {
    lefts[i] = 1000000;
    tune_random_init(&random, 1);
    assert_true(tune_sampler_draw_within(sampler, &random, &config, &lefts[i]));
    assert_true(tune_config_is_valid(&config, space, NULL));
  }
  assert_int_equal(lefts[0], lefts[1]);
  size_t little = (1000000 - lefts[0]) / 2;
  tune_random_init(&random, 1);
  assert_false(tune_sampler_draw_within(sampler, &random, &config, &little));
  assert_int_equal(little, 0);
  tune_config_deinit(&config);
  tune_sampler_destroy(sampler);
  tune_space_destroy(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_is_xoshiro),
      cmocka_unit_test(random_is_uniform),
      cmocka_unit_test(draws_are_uniform),
      cmocka_unit_test(draws_rare_configs),
      cmocka_unit_test(efforts_are_counted),
      cmocka_unit_test(walks_over_all),
      cmocka_unit_test(walks_over_no_knobs),
      cmocka_unit_test(knows_when_there_is_none),
      cmocka_unit_test(repair_leaves_valid_alone),
      cmocka_unit_test(repair_stays_near),
      cmocka_unit_test(repair_finds_a_way),
      cmocka_unit_test(knobs_that_do_nothing_keep_their_default),
      cmocka_unit_test(repair_keeps_the_alternative),
      cmocka_unit_test(config_set_remembers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
