//===- torture_search.c - Each call of what a search is made of fails once -------------===//
//
// Spaces, configs, samplers, strategies, and what trials tell. Sessions are torture_session.c's.
//
// Tier: check-all
//
//===--------------------------------------------------------------------------===//

#include "torture.h"

#include "tuning/session/failures.h"
#include "tuning/session/inert.h"
#include "tuning/space/config_complete.h"
#include "tuning/space/config_set.h"
#include "tuning/space/conflict.h"
#include "tuning/space/constraint.h"
#include "tuning/space/same_values.h"
#include "tuning/strategies/effects.h"
#include "tuning/strategies/layered.h"
#include "unittests/tuning/space_fixture.h"

static tune_status say_config(const tune_config *config, const tune_space *space) {
  char *text;
  TUNE_RETURN_IF_ERROR(tune_config_to_text(config, space, &text));
  torture_say("%s\n", text);
  free(text);
  return TUNE_OK;
}

//===- Spaces ------------------------------------------------------------------------===//

static const int64_t SIZES[] = {8, 16, 32, 64, 128};

// With all that a space can have.
static tune_status fill_space(tune_space *space) {
  static const char *const FORMS[] = {"direct", "packed", "two-level"};
  const tune_knob knobs[] = {
      {.name = "form", .value_count = 3, .values = (int64_t *)SIZES, .labels = (char **)FORMS},
      {.name = "mc",
       .level = TUNE_LEVEL_LINALG,
       .is_ordered = true,
       .value_count = 5,
       .values = (int64_t *)SIZES},
      {.name = "nc", .is_ordered = true, .value_count = 5, .values = (int64_t *)SIZES},
      {.name = "inner size", .value_count = 1, .values = (int64_t *)SIZES},
      {.name = "mr", .is_ordered = true, .value_count = 4, .values = (int64_t *)SIZES},
      {.name = "nr",
       .level = TUNE_LEVEL_VECTOR,
       .is_ordered = true,
       .value_count = 4,
       .values = (int64_t *)SIZES},
  };
  for (size_t i = 0; i < sizeof knobs / sizeof *knobs; ++i)
    if (!strchr(knobs[i].name, ' '))
      TUNE_RETURN_IF_ERROR(tune_space_add_knob(space, &knobs[i]));
    else
      TUNE_RETURN_IF_ERROR(
          torture_expect(tune_space_add_knob(space, &knobs[i]), TUNE_INVALID_ARGUMENT, "no name"));
  TUNE_RETURN_IF_ERROR(tune_space_add_constraint(space, "mc % mr == 0 && 'nc' % nr == 0", NULL));
  TUNE_RETURN_IF_ERROR(tune_space_add_constraint(space, "128 <= mr * nr => min(mc, nc) > -(1) + 8",
                                                 "registers hold no more"));
  TUNE_RETURN_IF_ERROR(tune_space_add_constraint(space, "mr * nr <= 512", NULL));
  return tune_space_add_condition(space, 4, "form == 32");
}

static tune_space *shared;

// For those who only read it.
static void prepare_space(const char *folder) {
  (void)folder;
  if (shared)
    return;
  shared = make_space();
  assert_ok(fill_space(shared));
}

static tune_status refuse_expressions(const tune_space *space) {
  static const struct {
    const char *expression;
    tune_status_code code;
    const char *text;
  } WRONG[] = {{"mc + mv == 1", TUNE_NOT_FOUND, "did you mean 'mc'"},
               {"'mc == 1", TUNE_INVALID_ARGUMENT, "not closed"},
               {"max(mc, nc", TUNE_INVALID_ARGUMENT, "expected ')'"},
               {"mc == == 1", TUNE_INVALID_ARGUMENT, "expected a number"}};
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; ++i) {
    tune_constraint *constraint;
    TUNE_RETURN_IF_ERROR(
        torture_expect(tune_constraint_create(tune_space_knobs(space), WRONG[i].expression,
                                              "no reason", &constraint),
                       WRONG[i].code, WRONG[i].text));
  }
  return TUNE_OK;
}

static tune_status say_space(const tune_space *space) {
  for (size_t i = 0; i < tune_space_knob_count(space); ++i)
    torture_say("%s %zu\n", tune_space_knob(space, i)->name,
                tune_space_knob(space, i)->value_count);
  for (size_t i = 0; i < tune_space_constraint_count(space); ++i) {
    char *text;
    TUNE_RETURN_IF_ERROR(
        tune_constraint_print(tune_space_constraint(space, i), tune_space_knobs(space), &text));
    torture_say("%s%s\n", text, tune_space_constraint_is_implied(space, i) ? " (implied)" : "");
    free(text);
  }
  return TUNE_OK;
}

static tune_status make_spaces(const char *folder) {
  (void)folder;
  tune_space *space;
  TUNE_RETURN_IF_ERROR(tune_space_create(&space));
  tune_status status = fill_space(space);
  if (tune_status_is_ok(status))
    status = refuse_expressions(space);
  if (tune_status_is_ok(status))
    status = say_space(space);
  tune_space_destroy(space);
  return status;
}

static tune_status find_conflict(tune_space *space) {
  size_t constraints[8], count;
  TUNE_RETURN_IF_ERROR(fill_space(space));
  TUNE_RETURN_IF_ERROR(tune_space_add_constraint(space, "mr > 16 && nr > 16", NULL));
  TUNE_RETURN_IF_ERROR(tune_conflict_find(space, constraints, &count));
  for (size_t i = 0; i < count; ++i)
    torture_say("%s\n", tune_constraint_text(tune_space_constraint(space, constraints[i])));
  return TUNE_OK;
}

static tune_status find_conflicts(const char *folder) {
  (void)folder;
  tune_space *space;
  TUNE_RETURN_IF_ERROR(tune_space_create(&space));
  tune_status status = find_conflict(space);
  tune_space_destroy(space);
  return status;
}

//===- Configs -------------------------------------------------------------------------===//

static tune_status read_texts(const char *folder) {
  (void)folder;
  tune_config config, copy;
  TUNE_RETURN_IF_ERROR(
      tune_config_from_text(&config, shared, "form=packed,mc=64,nc=128,mr=16,nr=32"));
  tune_status status = tune_config_init_copy(&copy, &config);
  if (tune_status_is_ok(status)) {
    tune_config_settle(&copy, shared);
    torture_say("%d %d\n", tune_config_equal(&copy, &config),
                tune_config_is_valid(&copy, shared, NULL));
    status = say_config(&copy, shared);
    tune_config_deinit(&copy);
  }
  tune_config_deinit(&config);
  TUNE_RETURN_IF_ERROR(status);
  TUNE_RETURN_IF_ERROR(torture_expect(tune_config_from_text(&config, shared, "form=pakked"),
                                      TUNE_INVALID_ARGUMENT, "did you mean packed?"));
  TUNE_RETURN_IF_ERROR(
      torture_expect(tune_config_from_text(&config, shared, "mcc=8"), TUNE_NOT_FOUND, "\"mc\""));
  return torture_expect(tune_config_from_text(&config, shared, "zzzzzz=8"), TUNE_NOT_FOUND,
                        "the knobs are");
}

static tune_status complete_texts(const char *folder) {
  (void)folder;
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_complete_text(&config, shared, "mr=64"));
  tune_status status = say_config(&config, shared);
  tune_config_deinit(&config);
  TUNE_RETURN_IF_ERROR(status);
  return torture_expect(tune_config_complete_text(&config, shared, "mr=64,nr=64"),
                        TUNE_INVALID_ARGUMENT, "what goes together is, for example, ");
}

static tune_status find_config(const char *text) {
  tune_config config;
  bool found, is_settled;
  TUNE_RETURN_IF_ERROR(tune_config_find(&config, shared, text, &found, &is_settled));
  tune_status status = TUNE_OK;
  if (found) {
    status = say_config(&config, shared);
    tune_config_deinit(&config);
  } else {
    torture_say("none of this space\n");
  }
  return status;
}

static tune_status exchange_json(const char *folder) {
  (void)folder;
  TUNE_RETURN_IF_ERROR(
      find_config("{\"form\": 32, \"mc\": 64, \"nc\": 16, \"mr\": 16, \"nr\": 16}"));
  // A knob that does nothing there, with a number that it has not.
  TUNE_RETURN_IF_ERROR(find_config("{\"form\": 8, \"mc\": 64, \"nc\": 16, \"mr\": 16, \"nr\": 5}"));
  TUNE_RETURN_IF_ERROR(find_config("{\"form\": 8, \"mc\": 65, \"nc\": 16}"));
  TUNE_RETURN_IF_ERROR(find_config("no JSON"));
  tune_config config, again;
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, shared));
  tune_status status = tune_config_to_json(&config, shared, &object);
  if (tune_status_is_ok(status)) {
    status = tune_config_from_json(&again, shared, object);
    json_decref(object);
  }
  if (tune_status_is_ok(status)) {
    torture_say("%d\n", tune_config_equal(&config, &again));
    tune_config_deinit(&again);
  }
  tune_config_deinit(&config);
  return status;
}

//===- Drawing -------------------------------------------------------------------------===//

static tune_status draw_with(tune_sampler *sampler, tune_config *config) {
  tune_random random;
  tune_random_init(&random, 3);
  for (int i = 0; i < 6; ++i) {
    torture_say("%d ", tune_sampler_draw(sampler, &random, config));
    TUNE_RETURN_IF_ERROR(say_config(config, shared));
    config->choices[1] = config->choices[2] = 0;
    torture_say("%d ", tune_sampler_repair(sampler, &random, config));
    TUNE_RETURN_IF_ERROR(say_config(config, shared));
  }
  tune_sampler_walk walk = {0};
  tune_config_set set;
  tune_config_set_init(&set);
  tune_status status = TUNE_OK;
  for (bool found = true; found && tune_status_is_ok(status);) {
    status = tune_sampler_walk_next(sampler, &walk, config, &found);
    if (tune_status_is_ok(status) && found)
      status = tune_config_set_add(&set, config, NULL);
  }
  torture_say("%zu\n", set.count);
  tune_config_set_deinit(&set);
  tune_sampler_walk_deinit(&walk);
  return status;
}

static tune_status draw(const char *folder) {
  (void)folder;
  tune_sampler *sampler;
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_sampler_create(shared, &sampler));
  tune_status status = tune_config_init_default(&config, shared);
  if (tune_status_is_ok(status)) {
    status = draw_with(sampler, &config);
    tune_config_deinit(&config);
  }
  tune_sampler_destroy(sampler);
  return status;
}

//===- Strategies ------------------------------------------------------------------------===//

static tune_status ask_and_tell(tune_strategy *strategy, size_t rounds) {
  tune_config first;
  TUNE_RETURN_IF_ERROR(tune_config_from_text(&first, shared, "form=direct,mc=8,nc=8,mr=8,nr=8"));
  tune_status status = tune_strategy_seed_config(strategy, &first);
  tune_config_deinit(&first);
  for (size_t round = 0; round < rounds && tune_status_is_ok(status); ++round) {
    tune_config proposals[4];
    size_t count;
    TUNE_RETURN_IF_ERROR(tune_strategy_ask(strategy, 4, proposals, &count));
    for (size_t i = 0; i < count; ++i) {
      size_t code = proposals[i].choices[0] + proposals[i].choices[1];
      tune_outcome outcome = {.failed = code == 5, .seconds = 1.0 + (double)code, .code = code + 1};
      torture_say("%d%d%d%d%d ", proposals[i].choices[0], proposals[i].choices[1],
                  proposals[i].choices[2], proposals[i].choices[3], proposals[i].choices[4]);
      if (tune_status_is_ok(status))
        status = tune_strategy_tell(strategy, &proposals[i], outcome);
      tune_config_deinit(&proposals[i]);
    }
  }
  return status;
}

static tune_status use_strategy(const char *name, tune_selection selection) {
  tune_strategy_options options;
  tune_strategy_options_init(&options);
  options.selection = selection;
  options.population = 8;
  tune_strategy *strategy;
  TUNE_RETURN_IF_ERROR(tune_strategy_create(name, shared, &options, &strategy));
  tune_status status = ask_and_tell(strategy, 12);
  tune_strategy_destroy(strategy);
  return status;
}

static tune_status use_random(const char *folder) {
  (void)folder;
  return use_strategy("random", TUNE_SELECTION_TOURNAMENT);
}

static tune_status use_grid(const char *folder) {
  (void)folder;
  return use_strategy("grid", TUNE_SELECTION_TOURNAMENT);
}

static tune_status use_evolutionary(const char *folder) {
  (void)folder;
  TUNE_RETURN_IF_ERROR(use_strategy("evolutionary", TUNE_SELECTION_TOURNAMENT));
  TUNE_RETURN_IF_ERROR(use_strategy("evolutionary", TUNE_SELECTION_PROPORTIONAL));
  return torture_expect(use_strategy("evolution", TUNE_SELECTION_TOURNAMENT), TUNE_NOT_FOUND,
                        "evolutionary");
}

// Of a level each, from one to the next, and once more.
static tune_status use_layers(const char *folder) {
  (void)folder;
  tune_strategy_options options;
  tune_strategy_options_init(&options);
  tune_layers layers;
  unsigned levels;
  tune_strategy *strategy;
  TUNE_RETURN_IF_ERROR(tune_layers_parse("layered:vector,linalg,graph", &layers, &levels));
  TUNE_RETURN_IF_ERROR(
      tune_layered_create("evolutionary", shared, &options, &layers, 40, &strategy));
  tune_status status = ask_and_tell(strategy, 14);
  tune_strategy_destroy(strategy);
  return status;
}

//===- What trials tell --------------------------------------------------------------------===//

enum { TRIALS = 8 };

static tune_status fit(const tune_config *configs) {
  tune_effects *effects;
  double costs[TRIALS], shares[8];
  for (int i = 0; i < TRIALS; ++i)
    costs[i] = 0.5 * configs[i].choices[1] + 0.01 * i;
  TUNE_RETURN_IF_ERROR(tune_effects_create(shared, &effects));
  tune_status status = tune_effects_fit(effects, configs, costs, TRIALS);
  if (tune_status_is_ok(status)) {
    tune_effects_shares(effects, shares);
    torture_say("%.3f %.3f\n", shares[1], tune_effects_predict(effects, &configs[2]));
  }
  tune_effects_destroy(effects);
  return status;
}

static tune_status find_inert(const tune_config *configs) {
  const char *digests[TRIALS];
  for (int i = 0; i < TRIALS; ++i)
    digests[i] = i % 4 == 3 ? NULL : "the same";
  tune_inert_knob *inert;
  size_t count;
  TUNE_RETURN_IF_ERROR(tune_inert_find(shared, configs, digests, TRIALS, &inert, &count));
  for (size_t i = 0; i < count; ++i)
    torture_say("%zu: %zu of %s\n", inert[i].knob, inert[i].trials,
                inert[i].forms ? inert[i].forms : "any");
  tune_inert_free(inert, count);
  tune_same_values *values;
  TUNE_RETURN_IF_ERROR(tune_same_values_create(shared, &values));
  tune_same_values_learn(values, &configs[0], &configs[1], true);
  torture_say("%d\n", tune_same_values_expect(values, &configs[0], &configs[1]));
  tune_same_values_destroy(values);
  return TUNE_OK;
}

static tune_status count_failures(void) {
  tune_failures failures = {0};
  tune_status status = TUNE_OK;
  for (int i = 0; i < 6 && tune_status_is_ok(status); ++i) {
    char error[64];
    snprintf(error, sizeof error, "element %d is nan%s", i, i == 4 ? ", all of it" : "");
    status = tune_failures_add(&failures, i % 3 ? TUNE_VERDICT_WRONG : TUNE_VERDICT_RUN_CRASHED,
                               i == 2 ? NULL : error);
  }
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  if (tune_status_is_ok(status))
    tune_failures_append(&failures, &builder);
  tune_failures_deinit(&failures);
  char *text;
  tune_status finished = tune_string_builder_finish(&builder, &text);
  if (tune_status_is_ok(finished) && tune_status_is_ok(status))
    torture_say("%s\n", text);
  free(text);
  return tune_status_join(status, finished);
}

static tune_status explain_trials(const char *folder) {
  (void)folder;
  tune_config configs[TRIALS] = {{0}};
  tune_status status = TUNE_OK;
  for (int i = 0; i < TRIALS && tune_status_is_ok(status); ++i) {
    status = tune_config_init_default(&configs[i], shared);
    if (!tune_status_is_ok(status))
      break;
    configs[i].choices[1] = (uint16_t)(i / 2);
    configs[i].choices[0] = i % 2;
  }
  if (tune_status_is_ok(status))
    status = fit(configs);
  if (tune_status_is_ok(status))
    status = find_inert(configs);
  if (tune_status_is_ok(status))
    status = count_failures();
  for (int i = 0; i < TRIALS; ++i)
    tune_config_deinit(&configs[i]);
  return status;
}

#define ON_SPACE(title, function)                                                                  \
  { .name = title, .prepare = prepare_space, .run = function }

int main(int argc, char **argv) {
  static const torture_scenario SCENARIOS[] = {
      {.name = "spaces", .run = make_spaces},
      {.name = "conflicts", .run = find_conflicts},
      ON_SPACE("config-text", read_texts),
      ON_SPACE("config-complete", complete_texts),
      ON_SPACE("config-json", exchange_json),
      ON_SPACE("sampler", draw),
      ON_SPACE("random", use_random),
      ON_SPACE("grid", use_grid),
      ON_SPACE("evolutionary", use_evolutionary),
      ON_SPACE("layers", use_layers),
      ON_SPACE("explanations", explain_trials),
  };
  int result = torture_main(argc, argv, SCENARIOS, sizeof SCENARIOS / sizeof *SCENARIOS);
  tune_space_destroy(shared);
  return result;
}
