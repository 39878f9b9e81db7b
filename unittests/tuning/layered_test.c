//===- layered_test.c ---------------------------------------------------------===//

#include "session_fixture.h"

#include "tuning/strategies/layered.h"

// Three levels: "form" of graph, "tile" and "order" of linalg, "option" of target.
static void add_at(tune_space *space, const char *name, tune_level level, size_t count,
                   size_t default_index) {
  int64_t values[16];
  assert_true(count <= 16);
  for (size_t i = 0; i < count; ++i)
    values[i] = (int64_t)i;
  tune_knob knob = {.name = (char *)name,
                    .level = level,
                    .is_ordered = true,
                    .value_count = count,
                    .values = values,
                    .default_index = default_index};
  assert_ok(tune_space_add_knob(space, &knob));
}

static tune_space *make_levels(void) {
  tune_space *space = make_space();
  add_at(space, "form", TUNE_LEVEL_GRAPH, 4, 0);
  add_at(space, "tile", TUNE_LEVEL_LINALG, 6, 2);
  add_at(space, "order", TUNE_LEVEL_LINALG, 2, 0);
  add_at(space, "option", TUNE_LEVEL_TARGET, 3, 1);
  return space;
}

#define CONFIGS (4 * 6 * 2 * 3)
#define ONCE (4 + 6 * 2 + 3 - 2) // each level from the default

typedef double (*objective)(const tune_config *config);

// Each level has its own best: 3, (4, 1), 0.
static double additive(const tune_config *config) {
  const uint16_t *c = config->choices;
  double of_linalg = fabs(c[1] - 4.0) + (c[2] ? 0 : 1.5) + (c[1] == 1 && c[2] ? 0.3 : 0);
  return exp(0.2 * (3 - c[0]) + 0.1 * of_linalg + 0.05 * c[3]);
}

// The default is the best but for 1 at all levels together, which is twice as fast: what any level
// changes alone is slower, and so is what any two change.
static double coupled(const tune_config *config) {
  const uint16_t *c = config->choices;
  bool moved[3] = {c[0] != 0, c[1] != 2 || c[2] != 0, c[3] != 1};
  if (c[0] == 2 && c[1] == 5 && c[2] == 1 && c[3] == 2)
    return 0.5;
  return 1 + moved[0] + moved[1] + moved[2];
}

static tune_strategy *make(const char *name, const tune_space *space, const char *levels,
                           size_t trials, uint64_t seed) {
  tune_strategy_options options;
  tune_strategy_options_init(&options);
  options.seed = seed;
  tune_layers layers;
  unsigned bits;
  tune_strategy *strategy;
  assert_ok(tune_layers_parse(levels, &layers, &bits));
  if (layers.count)
    assert_ok(tune_layered_create(name, space, &options, &layers, trials, &strategy));
  else
    assert_ok(tune_strategy_create(name, space, &options, &strategy));
  return strategy;
}

// Asks for one; false where there is none.
static bool ask(tune_strategy *strategy, tune_config *config) {
  size_t count;
  assert_ok(tune_strategy_ask(strategy, 1, config, &count));
  return count == 1;
}

static void tell(tune_strategy *strategy, const tune_config *config, double seconds) {
  assert_ok(tune_strategy_tell(strategy, config, (tune_outcome){.seconds = seconds}));
}

// The best of at most `trials`; `*out_count` (may be NULL) is how many there were.
static double search(tune_strategy *strategy, objective of, size_t trials, size_t *out_count) {
  double best = INFINITY;
  size_t count = 0;
  tune_config config;
  for (; count < trials && ask(strategy, &config); ++count) {
    best = fmin(best, of(&config));
    tell(strategy, &config, of(&config));
    tune_config_deinit(&config);
  }
  if (out_count)
    *out_count = count;
  return best;
}

static double search_new(const char *name, const char *levels, objective of, size_t trials,
                         size_t *out_count) {
  tune_space *space = make_levels();
  tune_strategy *strategy = make(name, space, levels, trials, 1);
  double best = search(strategy, of, trials, out_count);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
  return best;
}

static const char *const orders[] = {"layered", "layered:graph,linalg,target",
                                     "layered:target,linalg,graph", "layered:linalg,target,graph",
                                     "layered:target,graph,linalg"};
#define ORDER_COUNT (sizeof orders / sizeof *orders)

// Where levels do not depend on each other, one after the other is enough, in any order.
static void layers_solve_what_adds_up(void **state) {
  (void)state;
  static const char *const strategies[] = {"grid", "random", "evolutionary"};
  for (size_t i = 0; i < ORDER_COUNT; ++i) {
    for (size_t s = 0; s < 3; ++s) {
      size_t count;
      double best = search_new(strategies[s], orders[i], additive, CONFIGS, &count);
      assert_true(fabs(best - exp(0.0)) < 1e-12);
      // Once from the default, and once more from the best, which shows that there is nothing.
      assert_true(count <= ONCE + ONCE - 3);
    }
  }
}

// Where they do, no order gets there, however many trials there are, and a joint search does.
static void layers_miss_what_is_coupled(void **state) {
  (void)state;
  for (size_t i = 0; i < ORDER_COUNT; ++i) {
    size_t count;
    assert_true(search_new("evolutionary", orders[i], coupled, CONFIGS, &count) == 1);
    assert_int_equal(count, ONCE); // the second time brings nothing new
  }
  assert_true(search_new("evolutionary", "joint", coupled, CONFIGS, NULL) == 0.5);
  assert_true(search_new("grid", "", coupled, CONFIGS, NULL) == 0.5);
}

// Each level changes its own knobs, with those before it as they were found, and the rest as they
// were.
static void the_others_are_frozen(void **state) {
  (void)state;
  tune_space *space = make_levels();
  tune_strategy *strategy = make("grid", space, "layered:linalg,graph", 0, 1);
  tune_config config;
  size_t count = 0;
  for (; ask(strategy, &config); ++count) {
    assert_int_equal(config.choices[3], 1); // a level that was not named
    if (count < 12)
      assert_int_equal(config.choices[0], 0);
    else if (count < 15)
      assert_true(config.choices[1] == 4 && config.choices[2] == 1);
    else
      assert_int_equal(config.choices[0], 3); // once more, from what was found
    tell(strategy, &config, additive(&config));
    tune_config_deinit(&config);
  }
  assert_int_equal(count, 12 + 3 + 11);
  assert_false(tune_strategy_waits(strategy));
  assert_string_equal(tune_strategy_name(strategy), "grid");
  assert_true(tune_strategy_learns(strategy));
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

// A level has its share of the trials, and what one leaves over, the others have.
static void trials_are_shared(void **state) {
  (void)state;
  tune_space *space = make_space();
  add_at(space, "a", TUNE_LEVEL_GRAPH, 16, 0);
  add_at(space, "b", TUNE_LEVEL_LINALG, 3, 0);
  add_at(space, "c", TUNE_LEVEL_VECTOR, 16, 0);
  add_at(space, "d", TUNE_LEVEL_TARGET, 16, 0);
  tune_strategy *strategy = make("random", space, "layered", 40, 1);
  size_t changed[4] = {0};
  uint16_t last[4] = {0};
  for (int i = 0; i < 40; ++i) {
    tune_config config;
    assert_true(ask(strategy, &config));
    for (size_t k = 0; k < 4; ++k) {
      changed[k] += config.choices[k] != last[k];
      last[k] = config.choices[k];
    }
    // The default is the best, so that each level goes back to it.
    tell(strategy, &config, 1 + config.choices[0] + config.choices[1] + config.choices[2]);
    tune_config_deinit(&config);
  }
  // 10 and 2, then half of 28.
  assert_true(changed[0] >= 9 && changed[0] <= 11);
  assert_true(changed[1] <= 3);
  assert_true(changed[2] >= 13 && changed[2] <= 16);
  assert_true(changed[3] >= 12);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

// So is the time.
static void time_is_shared(void **state) {
  (void)state;
  tune_space *space = make_levels();
  tune_strategy *strategy = make("grid", space, "layered:linalg,target", 0, 1);
  tune_config config;
  for (int i = 0; i < 4; ++i) {
    tune_strategy_note_time(strategy, 0.1 * (i + 1));
    assert_true(ask(strategy, &config));
    assert_int_equal(config.choices[3], 1);
    tell(strategy, &config, 1 + i);
    tune_config_deinit(&config);
  }
  tune_strategy_note_time(strategy, 0.6);
  assert_true(ask(strategy, &config));
  assert_int_not_equal(config.choices[3], 1);
  tune_config_deinit(&config);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

// The next level begins when all of the one before is known, and not exhausted for that.
static void the_next_level_waits(void **state) {
  (void)state;
  tune_space *space = make_levels();
  tune_strategy *strategy = make("grid", space, "layered:target,linalg", 0, 1);
  tune_config configs[4], config;
  size_t count;
  assert_ok(tune_strategy_ask(strategy, 4, configs, &count));
  assert_int_equal(count, 3);
  assert_true(tune_strategy_waits(strategy));
  for (size_t i = 0; i < 3; ++i) {
    assert_false(ask(strategy, &config));
    assert_true(tune_strategy_waits(strategy));
    tell(strategy, &configs[i], 1 + fabs(configs[i].choices[3] - 2.0));
    tune_config_deinit(&configs[i]);
  }
  assert_true(ask(strategy, &config));
  assert_false(tune_strategy_waits(strategy));
  assert_int_equal(config.choices[3], 2);
  tune_config_deinit(&config);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

// A knob that does something in one form only is frozen there, and has its default elsewhere.
static void conditions_hold(void **state) {
  (void)state;
  tune_space *space = make_space();
  add_at(space, "block", TUNE_LEVEL_GRAPH, 5, 0);
  add_at(space, "form", TUNE_LEVEL_LINALG, 2, 1);
  add_at(space, "size", TUNE_LEVEL_LINALG, 4, 0);
  assert_ok(tune_space_add_condition(space, 0, "form == 1"));
  assert_ok(tune_space_add_constraint(space, "size <= 2 || block == 0", NULL));
  tune_strategy *strategy = make("random", space, "layered", 0, 3);
  tune_config config;
  size_t count = 0, other = 0;
  for (; ask(strategy, &config); ++count) {
    const uint16_t *c = config.choices;
    assert_true(tune_config_is_valid(&config, space, NULL));
    if (count >= 5) {
      assert_int_equal(c[0], c[1] ? 3 : 0);
      other += !c[1];
    }
    tell(strategy, &config, 1 + fabs(c[0] - 3.0) + c[2]);
    tune_config_deinit(&config);
  }
  assert_int_equal(other, 4);
  assert_int_equal(count, 5 + 4 + 2);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

// Where all of a level fails, the next one begins at the default; what is told of other searches is
// known, and not proposed.
static void failures_and_other_searches(void **state) {
  (void)state;
  tune_space *space = make_levels();
  tune_strategy *strategy = make("evolutionary", space, "layered:target,graph", 0, 1);
  tune_config config;
  assert_ok(tune_config_init_default(&config, space));
  config.choices[0] = 3;
  tell(strategy, &config, 0.1);
  tune_config_deinit(&config);
  size_t count = 0;
  for (; ask(strategy, &config); ++count) {
    bool fails = config.choices[0] == 0;
    assert_true(count >= 3 || fails);
    assert_true(config.choices[0] != 3);
    assert_true(count < 3 || config.choices[3] == 1 || count >= 5);
    assert_ok(tune_strategy_tell(strategy, &config, (tune_outcome){.failed = fails, .seconds = 1}));
    tune_config_deinit(&config);
    if (count == 4)
      break;
  }
  assert_int_equal(count, 4);
  tune_strategy_destroy(strategy);
  tune_space_destroy(space);
}

static void proposals_follow_the_seed(void **state) {
  (void)state;
  tune_space *space = make_levels();
  bool differs = false;
  tune_strategy *same[3];
  for (int i = 0; i < 3; ++i)
    same[i] = make("evolutionary", space, "layered", 30, i < 2 ? 5 : 6);
  for (int i = 0; i < 15; ++i) {
    tune_config configs[3];
    for (int k = 0; k < 3; ++k) {
      assert_true(ask(same[k], &configs[k]));
      tell(same[k], &configs[k], coupled(&configs[k]) + additive(&configs[k]));
    }
    assert_true(tune_config_equal(&configs[0], &configs[1]));
    differs |= !tune_config_equal(&configs[0], &configs[2]);
    for (int k = 0; k < 3; ++k)
      tune_config_deinit(&configs[k]);
  }
  assert_true(differs);
  for (int i = 0; i < 3; ++i)
    tune_strategy_destroy(same[i]);
  tune_space_destroy(space);
}

static void levels_are_read(void **state) {
  (void)state;
  tune_layers layers;
  unsigned bits;
  assert_ok(tune_layers_parse(NULL, &layers, &bits));
  assert_true(layers.count == 0 && bits == 0);
  assert_ok(tune_layers_parse("joint", &layers, &bits));
  assert_true(layers.count == 0 && bits == 0);
  assert_ok(tune_layers_parse("graph,target", &layers, &bits));
  assert_true(layers.count == 0 && bits == (1u << TUNE_LEVEL_GRAPH | 1u << TUNE_LEVEL_TARGET));
  assert_ok(tune_layers_parse("joint:graph", &layers, &bits));
  assert_true(layers.count == 0 && bits == 1u << TUNE_LEVEL_GRAPH);
  assert_ok(tune_layers_parse("layered", &layers, &bits));
  assert_true(layers.count == TUNE_LEVEL_COUNT && bits == 0 && layers.levels[0] == 0);
  assert_ok(tune_layers_parse("layered:target,linalg", &layers, &bits));
  assert_true(layers.count == 2 && layers.levels[0] == TUNE_LEVEL_TARGET &&
              layers.levels[1] == TUNE_LEVEL_LINALG);
  assert_true(bits == (1u << TUNE_LEVEL_TARGET | 1u << TUNE_LEVEL_LINALG));
  assert_fails(tune_layers_parse("layered:vectors", &layers, &bits), TUNE_INVALID_ARGUMENT,
               "'vectors' is no level");
  assert_fails(tune_layers_parse("layers", &layers, &bits), TUNE_INVALID_ARGUMENT,
               "'layers' is no level; there are graph");
  assert_fails(tune_layers_parse("layered:", &layers, &bits), TUNE_INVALID_ARGUMENT,
               "expected levels after 'layered:'");
  assert_fails(tune_layers_parse("target,graph,target", &layers, &bits), TUNE_INVALID_ARGUMENT,
               "'target' is there twice");
  tune_space *space = make_levels();
  tune_strategy_options options;
  tune_strategy_options_init(&options);
  tune_strategy *strategy;
  assert_fails(tune_layered_create("gird", space, &options, &layers, 0, &strategy), TUNE_NOT_FOUND,
               "did you mean 'grid'?");
  tune_space_destroy(space);
}

//===- In a session -----------------------------------------------------------===//

// The configs that were tried, in a string.
static char *list_trials(const fixture *f) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  for (size_t i = 0; i < f->store.count; ++i)
    if (f->store.records[i].kind == TUNE_RECORD_TRIAL)
      tune_string_builder_appendf(&text, "%s\n", f->store.records[i].config);
  return text.text;
}

// A session waits where a level ends, whatever its evaluator's capacity, and spends all its trials.
static void sessions_search_in_layers(void **state) {
  fixture *f = *state;
  char *lists[2];
  f->options.trials = 60;
  assert_ok(tune_layers_parse("layered:linalg,vector", &f->options.layers, &(unsigned){0}));
  for (size_t i = 0; i < 2; ++i) {
    f->null.capacity = i ? 1 : 7;
    run(f);
    assert_int_equal(f->result.stop, TUNE_STOP_TRIALS);
    assert_int_equal(f->result.trials, 60);
    lists[i] = list_trials(f);
    memory_store_deinit(&f->store);
    f->store = (memory_store){0};
  }
  // Records are in the order in which they were settled, so the sets are compared.
  for (char *line = strtok(lists[0], "\n"); line; line = strtok(NULL, "\n"))
    assert_non_null(strstr(lists[1], line));
  free(lists[0]);
  free(lists[1]);
}

// A level alone is exhausted; in rounds, a round ends where a level does.
static void sessions_end_where_layers_do(void **state) {
  fixture *f = *state;
  f->options.trials = 1000;
  assert_ok(tune_layers_parse("layered:vector,graph", &f->options.layers, &(unsigned){0}));
  for (size_t round = 0; round < 20; round += 10) {
    f->options.round = round;
    run(f);
    assert_int_equal(f->result.stop, TUNE_STOP_LAYERS);
    assert_int_equal(f->result.trials, 3);
    memory_store_deinit(&f->store);
    f->store = (memory_store){0};
  }
}

// What was stopped goes the same way again, without measuring.
static void sessions_go_on_in_layers(void **state) {
  fixture *f = *state;
  assert_ok(tune_layers_parse("layered:vector,linalg", &f->options.layers, &(unsigned){0}));
  f->options.trials = 40;
  run(f);
  size_t records = count_kind(&f->store, TUNE_RECORD_TRIAL);
  run(f);
  assert_int_equal(f->result.new_trials, 0);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_TRIAL), records);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layers_solve_what_adds_up),
      cmocka_unit_test(layers_miss_what_is_coupled),
      cmocka_unit_test(the_others_are_frozen),
      cmocka_unit_test(trials_are_shared),
      cmocka_unit_test(time_is_shared),
      cmocka_unit_test(the_next_level_waits),
      cmocka_unit_test(conditions_hold),
      cmocka_unit_test(failures_and_other_searches),
      cmocka_unit_test(proposals_follow_the_seed),
      cmocka_unit_test(levels_are_read),
      cmocka_unit_test_setup_teardown(sessions_search_in_layers, setup, teardown),
      cmocka_unit_test_setup_teardown(sessions_end_where_layers_do, setup, teardown),
      cmocka_unit_test_setup_teardown(sessions_go_on_in_layers, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
