//===- strategy_test.c --------------------------------------------------------===//
//
// Somewhat over 500 lines, as what is asked of a strategy is asked of all of them, by the same few
// functions.
//
//===--------------------------------------------------------------------------===//

#include "table_objective.h"

#include "tuning/strategies/effects.h"
#include "tuning/strategies/strategy.h"

static tune_strategy *make(const char *name, const tune_space *space, uint64_t seed) {
  tune_strategy_options options;
  tune_strategy_options_init(&options);
  options.seed = seed;
  tune_strategy *strategy;
  assert_ok(tune_strategy_create(name, space, &options, &strategy));
  return strategy;
}

static void tell(tune_strategy *strategy, const tune_config *config, double seconds) {
  tune_outcome outcome = {.failed = seconds == 0, .seconds = seconds};
  assert_ok(tune_strategy_tell(strategy, config, outcome));
}

// Tells all proposals of `trials` trials in batches of `batch`; returns the best time that was
// found.
static double search(tune_strategy *strategy, objective_table *table, double noise, uint64_t seed,
                     size_t trials, size_t batch) {
  tune_random random;
  tune_random_init(&random, seed);
  double best = INFINITY;
  for (size_t done = 0; done < trials;) {
    tune_config configs[16];
    size_t count, wanted = trials - done < batch ? trials - done : batch;
    assert_ok(tune_strategy_ask(strategy, wanted, configs, &count));
    for (size_t i = 0; i < count; ++i) {
      double seconds = table_seconds(table, table->space, &configs[i]);
      best = fmin(best, seconds);
      tell(strategy, &configs[i], seconds * exp(noise * tune_random_normal(&random)));
      tune_config_deinit(&configs[i]);
    }
    done += count;
    if (!count)
      break;
  }
  return best;
}

// The mean over seeds of what part of the best one's speed is found, in percent.
static double mean_quality(const char *name, tune_selection selection, objective_table *table,
                           double noise, size_t trials) {
  double sum = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    tune_strategy_options options;
    tune_strategy_options_init(&options);
    options.seed = seed;
    options.selection = selection;
    tune_strategy *strategy;
    assert_ok(tune_strategy_create(name, table->space, &options, &strategy));
    sum += 100 * table->best / search(strategy, table, noise, 1000 + seed, trials, 4);
    tune_strategy_destroy(strategy);
  }
  return sum / 50;
}

// On a measured space of 648 configs, with the noise of real measurements, 64 trials of evolution
// find what is nearly the best, and beat chance by more than chance.
static void evolution_is_good_and_beats_chance(void **state) {
  (void)state;
  objective_table table;
  table_init(&table);
  double chance = mean_quality("random", TUNE_SELECTION_TOURNAMENT, &table, 0.03, 64);
  double tournament = mean_quality("evolutionary", TUNE_SELECTION_TOURNAMENT, &table, 0.03, 64);
  double proportional = mean_quality("evolutionary", TUNE_SELECTION_PROPORTIONAL, &table, 0.03, 64);
  print_message("of the best after 64 trials: random %.2f %%, tournament %.2f %%, "
                "proportional %.2f %%\n",
                chance, tournament, proportional);
  assert_true(tournament > 98.5);
  assert_true(proportional > 98.5);
  assert_true(tournament > chance + 0.3);
  table_deinit(&table);
}

// 13 knobs, 10^8 configs, knobs that depend on each other, as in the spaces of real schedules.
static double bowl(const tune_space *space, const tune_config *config) {
  double log_cost = 0, last = 0;
  for (size_t i = 0; i < config->count; ++i) {
    double best = (double)(i * 5 % tune_space_knob(space, i)->value_count);
    double off = fabs(config->choices[i] - best);
    log_cost += 0.03 * off * off + 0.05 * off * last;
    last = off;
  }
  return exp(log_cost);
}

static double bowl_best(const char *name, const tune_space *space, uint64_t seed, size_t trials) {
  tune_strategy *strategy = make(name, space, seed);
  double best = INFINITY;
  for (size_t i = 0; i < trials; ++i) {
    tune_config config;
    size_t count;
    assert_ok(tune_strategy_ask(strategy, 1, &config, &count));
    assert_int_equal(count, 1);
    assert_true(tune_config_is_valid(&config, space, NULL));
    double seconds = bowl(space, &config);
    best = fmin(best, seconds);
    tell(strategy, &config, seconds);
    tune_config_deinit(&config);
  }
  tune_strategy_destroy(strategy);
  return best;
}

static tune_space *make_large_space(void) {
  tune_space *space = make_space();
  for (int i = 0; i < 13; ++i) {
    char name[] = {(char)('a' + i), '\0'};
    add_range(space, name, 3 + (size_t)i % 4);
  }
  assert_ok(tune_space_add_constraint(space, "a + b <= c + d", NULL));
  return space;
}

static void evolution_copes_with_large_spaces(void **state) {
  (void)state;
  tune_space *space = make_large_space();
  assert_true(tune_space_size(space) > 10000000);
  double chance = 0, evolution = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    chance += bowl_best("random", space, seed, 150) / 10;
    evolution += bowl_best("evolutionary", space, seed, 150) / 10;
  }
  print_message("150 trials in 10^7: random %.3f, evolutionary %.3f\n", chance, evolution);
  assert_true(evolution < 1.1);
  assert_true(chance > 1.3);
  tune_space_destroy(space);
}

// Every strategy proposes every valid config exactly once, whatever it is told, and then says that
// there are no more.
static void every_strategy_is_exhaustive(void **state) {
  (void)state;
  size_t class_count;
  const tune_strategy_class *const *classes = tune_strategy_classes(&class_count);
  assert_true(class_count >= 3);
  for (size_t i = 0; i < class_count; ++i) {
    objective_table table;
    table_init(&table);
    tune_strategy *strategy = make(classes[i]->name, table.space, 3);
    tune_config_set seen;
    tune_config_set_init(&seen);
    for (size_t count = 1; count;) {
      tune_config configs[7];
      assert_ok(tune_strategy_ask(strategy, 7, configs, &count));
      for (size_t j = 0; j < count; ++j) {
        bool is_new;
        assert_true(tune_config_is_valid(&configs[j], table.space, NULL));
        assert_ok(tune_config_set_add(&seen, &configs[j], &is_new));
        assert_true(is_new);
        // Every third fails, some are never told.
        if (j != 6)
          tell(strategy, &configs[j], j % 3 ? table_seconds(&table, table.space, &configs[j]) : 0);
        tune_config_deinit(&configs[j]);
      }
    }
    assert_int_equal(seen.count, TABLE_VALID);
    tune_config_set_deinit(&seen);
    tune_strategy_destroy(strategy);
    table_deinit(&table);
  }
}

static void assert_same_proposals(const char *name, const tune_space *space) {
  tune_strategy *one = make(name, space, 11), *other = make(name, space, 11);
  tune_strategy *third = make(name, space, 12);
  size_t differing = 0;
  for (int round = 0; round < 20; ++round) {
    tune_config a[3], b[3], c[3];
    size_t count;
    assert_ok(tune_strategy_ask(one, 3, a, &count));
    assert_ok(tune_strategy_ask(other, 3, b, &count));
    assert_ok(tune_strategy_ask(third, 3, c, &count));
    for (int i = 0; i < 3; ++i) {
      assert_true(tune_config_equal(&a[i], &b[i]));
      differing += !tune_config_equal(&a[i], &c[i]);
      double seconds = bowl(space, &a[i]);
      tell(one, &a[i], seconds);
      tell(other, &b[i], seconds);
      tell(third, &c[i], bowl(space, &c[i]));
      tune_config_deinit(&a[i]);
      tune_config_deinit(&b[i]);
      tune_config_deinit(&c[i]);
    }
  }
  assert_true(strcmp(name, "grid") == 0 ? differing == 0 : differing > 30);
  tune_strategy_destroy(one);
  tune_strategy_destroy(other);
  tune_strategy_destroy(third);
}

// The same seed and the same tells give the same proposals; another seed gives others.
static void proposals_follow_the_seed(void **state) {
  (void)state;
  tune_space *space = make_large_space();
  assert_same_proposals("random", space);
  assert_same_proposals("evolutionary", space);
  assert_same_proposals("grid", space);
  tune_space_destroy(space);
}

// Seeded configs come first, in order, those that are not valid as the nearest valid ones, those
// known already not at all.
static void seeds_come_first(void **state) {
  (void)state;
  tune_space *space = make_large_space();
  tune_strategy *strategy = make("evolutionary", space, 1);
  const char *texts[] = {"a=1,c=2,m=2", "d=3", "a=1,c=2,m=2", "a=2,b=3,c=0,d=0", "e=2"};
  tune_config seeds[5];
  for (int i = 0; i < 5; ++i)
    assert_ok(tune_config_from_text(&seeds[i], space, texts[i]));
  tell(strategy, &seeds[1], 1);
  for (int i = 0; i < 5; ++i)
    assert_ok(tune_strategy_seed_config(strategy, &seeds[i]));
  tune_config proposals[3];
  size_t count;
  assert_ok(tune_strategy_ask(strategy, 3, proposals, &count));
  assert_true(tune_config_equal(&proposals[0], &seeds[0]));
  assert_true(tune_config_is_valid(&proposals[1], space, NULL));
  size_t differing = 0;
  for (size_t i = 0; i < 13; ++i)
    differing += proposals[1].choices[i] != seeds[3].choices[i];
  assert_true(differing >= 1 && differing <= 3);
  assert_true(tune_config_equal(&proposals[2], &seeds[4]));
  for (int i = 0; i < 3; ++i)
    tune_config_deinit(&proposals[i]);
  for (int i = 0; i < 5; ++i)
    tune_config_deinit(&seeds[i]);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

// Offspring stay valid where one config in ten million is, and are not all the same.
static void offspring_of_rare_parents_are_valid(void **state) {
  (void)state;
  tune_space *space = make_space();
  for (int i = 0; i < 9; ++i) {
    char name[] = {(char)('a' + i), '\0'};
    ADD_ORDERED(space, name, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512);
  }
  assert_ok(tune_space_add_constraint(space, "a*b*c*d*e*f*g*h*i == 8", NULL));
  tune_strategy *strategy = make("evolutionary", space, 1);
  for (int i = 0; i < 165; ++i) { // as many as there are
    tune_config config;
    size_t count;
    assert_ok(tune_strategy_ask(strategy, 1, &config, &count));
    assert_int_equal(count, 1);
    assert_true(tune_config_is_valid(&config, space, NULL));
    tell(strategy, &config, 1 + config.choices[3]);
    tune_config_deinit(&config);
  }
  tune_config config;
  size_t count;
  assert_ok(tune_strategy_ask(strategy, 1, &config, &count));
  assert_int_equal(count, 0);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

// Where one value of a knob always fails, evolution soon proposes it rarely.
static void failures_steer(void **state) {
  (void)state;
  tune_space *space = make_large_space(); // "f" has 4 values; 3 of them fail
  size_t failed_late = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    tune_strategy *strategy = make("evolutionary", space, seed);
    for (int i = 0; i < 100; ++i) {
      tune_config config;
      size_t count;
      assert_ok(tune_strategy_ask(strategy, 1, &config, &count));
      bool fails = value_of(&config, space, "f") != 2;
      failed_late += fails && i >= 50;
      tell(strategy, &config, fails ? 0 : bowl(space, &config));
      tune_config_deinit(&config);
    }
    tune_strategy_destroy(strategy);
  }
  print_message("of the last 500 trials %zu failed\n", failed_late);
  assert_true(failed_late < 125); // three in four by chance
  tune_space_destroy(space);
}

// A config that is timed again, or fails then, steers the search by what was told last, as if it
// had never been anything else.
static void the_last_word_counts(void **state) {
  (void)state;
  tune_space *space = make_large_space();
  tune_strategy *corrected = make("evolutionary", space, 3),
                *other = make("evolutionary", space, 3);
  for (int i = 0; i < 60; ++i) {
    tune_config config, same;
    size_t count;
    assert_ok(tune_strategy_ask(corrected, 1, &config, &count));
    assert_ok(tune_strategy_ask(other, 1, &same, &count));
    assert_true(tune_config_equal(&config, &same));
    double seconds = i % 4 == 0 ? 0 : bowl(space, &config); // 0: it failed
    tell(corrected, &config, i % 3 == 0 ? 1e-9 : 1e3);
    tell(corrected, &config, seconds);
    tell(other, &config, seconds);
    tune_config_deinit(&config);
    tune_config_deinit(&same);
  }
  tune_strategy_destroy(corrected);
  tune_strategy_destroy(other);
  tune_space_destroy(space);
}

static void told_configs_are_not_proposed(void **state) {
  (void)state;
  tune_space *space = make_space();
  add_range(space, "a", 10);
  tune_strategy *strategy = make("random", space, 1);
  tune_config config;
  assert_ok(tune_config_init_default(&config, space));
  for (uint16_t i = 0; i < 9; ++i) {
    config.choices[0] = i;
    tell(strategy, &config, 1);
    tell(strategy, &config, 2); // again is fine
  }
  tune_config proposals[2];
  size_t count;
  assert_ok(tune_strategy_ask(strategy, 2, proposals, &count));
  assert_int_equal(count, 1);
  assert_int_equal(proposals[0].choices[0], 9);
  tune_config_deinit(&proposals[0]);
  tune_config_deinit(&config);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

static void refuses_bad_options(void **state) {
  (void)state;
  tune_space *space = make_space();
  add_range(space, "a", 10);
  tune_strategy_options options;
  tune_strategy_options_init(&options);
  tune_strategy *strategy;
  assert_fails(tune_strategy_create("simplex", space, &options, &strategy), TUNE_NOT_FOUND,
               "there are evolutionary, random, grid");
  assert_fails(tune_strategy_create("gird", space, &options, &strategy), TUNE_NOT_FOUND,
               "did you mean 'grid'?");
  options.mutation_rate = 1.5;
  assert_fails(tune_strategy_create("grid", space, &options, &strategy), TUNE_INVALID_ARGUMENT,
               "mutation rate 1.5, expected 0 to 1");
  options.mutation_rate = NAN;
  assert_fails(tune_strategy_create("grid", space, &options, &strategy), TUNE_INVALID_ARGUMENT,
               "mutation rate");
  options.mutation_rate = 0.5;
  options.immigrants = 2;
  assert_fails(tune_strategy_create("grid", space, &options, &strategy), TUNE_INVALID_ARGUMENT,
               "immigrants");
  tune_selection selection;
  assert_ok(tune_selection_parse("proportional", &selection));
  assert_int_equal(selection, TUNE_SELECTION_PROPORTIONAL);
  assert_fails(tune_selection_parse("best", &selection), TUNE_INVALID_ARGUMENT, "tournament");
  options.immigrants = 0;
  assert_ok(tune_strategy_create("random", space, &options, &strategy));
  tune_config config;
  assert_ok(tune_config_init_default(&config, space));
  assert_fails(tune_strategy_tell(strategy, &config, (tune_outcome){.seconds = 0}),
               TUNE_INVALID_ARGUMENT, "0 seconds");
  assert_fails(tune_strategy_tell(strategy, &config, (tune_outcome){.seconds = INFINITY}),
               TUNE_INVALID_ARGUMENT, "inf seconds");
  tune_config_deinit(&config);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

// A knob that changes the code, beside one that does not and one that does so in half of its
// values.
static uint64_t code_of(const tune_config *config) {
  return 1 + config->choices[0] * 2 + config->choices[2] / 2;
}

// How many of 64 proposals become code that was there before.
static size_t count_repeats(bool tells_code) {
  tune_space *space = make_space();
  add_range(space, "does", 64);
  add_range(space, "does_nothing", 4);
  add_range(space, "halves", 4);
  tune_strategy_options options;
  tune_strategy_options_init(&options);
  tune_strategy *strategy;
  assert_ok(tune_strategy_create("evolutionary", space, &options, &strategy));
  bool seen[129] = {false};
  size_t repeats = 0;
  for (int i = 0; i < 64; ++i) {
    tune_config config;
    size_t count;
    assert_ok(tune_strategy_ask(strategy, 1, &config, &count));
    assert_int_equal(count, 1);
    uint64_t code = code_of(&config);
    repeats += seen[code];
    seen[code] = true;
    tune_outcome outcome = {.seconds = 1 + fabs((double)config.choices[0] - 40) / 64,
                            .code = tells_code ? code : 0};
    assert_ok(tune_strategy_tell(strategy, &config, outcome));
    tune_config_deinit(&config);
  }
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
  return repeats;
}

static void evolution_learns_what_makes_no_difference(void **state) {
  (void)state;
  size_t repeats = count_repeats(true), repeats_otherwise = count_repeats(false);
  print_message("of 64 trials %zu were known code, %zu where nothing is told of it\n", repeats,
                repeats_otherwise);
  assert_true(3 * repeats < repeats_otherwise);
}

// Every option of evolution does something: it changes the proposals.
static void options_have_effect(void **state) {
  (void)state;
  tune_space *space = make_large_space();
  tune_strategy_options variants[6];
  for (int i = 0; i < 6; ++i)
    tune_strategy_options_init(&variants[i]);
  variants[1].population = 3;
  variants[2].mutation_rate = 0.6;
  variants[3].immigrants = 0.9;
  variants[4].selection = TUNE_SELECTION_PROPORTIONAL;
  variants[5].mutation_rate = 0; // children have nothing that no parent had
  tune_config_set reached[6];
  for (int i = 0; i < 6; ++i) {
    tune_strategy *strategy;
    assert_ok(tune_strategy_create("evolutionary", space, &variants[i], &strategy));
    tune_config_set_init(&reached[i]);
    for (int trial = 0; trial < 60; ++trial) {
      tune_config config;
      size_t count;
      assert_ok(tune_strategy_ask(strategy, 1, &config, &count));
      tell(strategy, &config, bowl(space, &config));
      assert_ok(tune_config_set_add(&reached[i], &config, NULL));
      tune_config_deinit(&config);
    }
    tune_strategy_destroy(strategy);
  }
  for (int i = 1; i < 6; ++i) {
    size_t shared = 0;
    for (size_t j = 0; j < reached[0].count; ++j)
      shared += tune_config_set_find(&reached[i], &reached[0].configs[j]) != SIZE_MAX;
    assert_true(shared < 50);
  }
  for (int i = 0; i < 6; ++i)
    tune_config_set_deinit(&reached[i]);
  tune_space_destroy(space);
}

// The additive model finds the effects it is made from, and says which knob matters how much.
static void effects_are_found(void **state) {
  (void)state;
  tune_space *space = make_space();
  add_range(space, "strong", 4);
  add_range(space, "weak", 4);
  add_range(space, "none", 4);
  tune_effects *effects;
  assert_ok(tune_effects_create(space, &effects));
  tune_config configs[64];
  double log_costs[64];
  for (uint16_t i = 0; i < 64; ++i) {
    assert_ok(tune_config_init_default(&configs[i], space));
    configs[i].choices[0] = i / 16;
    configs[i].choices[1] = i / 4 % 4;
    configs[i].choices[2] = i % 4;
    log_costs[i] = 2 + 0.3 * (i / 16) + 0.1 * (i / 4 % 4);
  }
  assert_ok(tune_effects_fit(effects, configs, log_costs, 64));
  double shares[3];
  tune_effects_shares(effects, shares);
  assert_true(shares[0] > 0.75 && shares[0] < 0.92); // 0.9 without shrinkage
  assert_true(shares[1] > 0.07 && shares[1] < 0.11);
  assert_true(shares[2] < 1e-6);
  double error = 0;
  for (int i = 0; i < 64; ++i)
    error = fmax(error, fabs(tune_effects_predict(effects, &configs[i]) - log_costs[i]));
  assert_true(error < 0.05);
  assert_ok(tune_effects_fit(effects, configs, log_costs, 0));
  assert_true(tune_effects_predict(effects, &configs[5]) == 0);
  tune_effects_shares(effects, shares);
  assert_true(shares[0] == 0);
  for (int i = 0; i < 64; ++i)
    tune_config_deinit(&configs[i]);
  tune_effects_destroy(effects);
  tune_space_destroy(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(evolution_is_good_and_beats_chance),
      cmocka_unit_test(evolution_copes_with_large_spaces),
      cmocka_unit_test(every_strategy_is_exhaustive),
      cmocka_unit_test(proposals_follow_the_seed),
      cmocka_unit_test(seeds_come_first),
      cmocka_unit_test(offspring_of_rare_parents_are_valid),
      cmocka_unit_test(failures_steer),
      cmocka_unit_test(the_last_word_counts),
      cmocka_unit_test(told_configs_are_not_proposed),
      cmocka_unit_test(refuses_bad_options),
      cmocka_unit_test(evolution_learns_what_makes_no_difference),
      cmocka_unit_test(options_have_effect),
      cmocka_unit_test(effects_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
