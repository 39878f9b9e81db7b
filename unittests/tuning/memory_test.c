//===- memory_test.c - The tuning core where memory runs out -------------------===//
//
// Each allocation fails once: the status says so, and nothing is lost or leaked.
//
//===--------------------------------------------------------------------------===//

#include "table_objective.h"

#include "tuning/evaluators/null.h"
#include "tuning/session/session.h"
#include "tuning/space/conflict.h"
#include "unittests/common/failing_malloc.h"

// A space with everything that a space can have.
static tune_status fill_space(tune_space *space) {
  int64_t values[] = {8, 16, 32};
  char *labels[] = {"one", "two", "three"};
  tune_knob tile = {.name = "tile", .is_ordered = true, .value_count = 3, .values = values};
  tune_knob lowering = {.name = "lowering", .value_count = 3, .values = values, .labels = labels};
  TUNE_RETURN_IF_ERROR(tune_space_add_knob(space, &tile));
  TUNE_RETURN_IF_ERROR(tune_space_add_knob(space, &lowering));
  return tune_space_add_constraint(space, "tile % 16 == 0 || min(tile, lowering) > 'tile' / 2 - 1",
                                   "because");
}

static tune_status build_space(void *context) {
  (void)context;
  tune_space *space;
  TUNE_RETURN_IF_ERROR(tune_space_create(&space));
  tune_status status = fill_space(space);
  char *text = NULL;
  if (tune_status_is_ok(status))
    status = tune_constraint_print(tune_space_constraint(space, 0), tune_space_knobs(space), &text);
  free(text);
  tune_space_destroy(space);
  return status;
}

static void spaces(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation(build_space, NULL) > 10);
}

static tune_status round_trip_config(void *context) {
  const tune_space *space = context;
  tune_config config, copy = {0};
  char *text = NULL;
  TUNE_RETURN_IF_ERROR(tune_config_from_text(&config, space, "tile=16,lowering=two"));
  tune_status status = tune_config_to_text(&config, space, &text);
  if (tune_status_is_ok(status))
    status = tune_config_init_copy(&copy, &config);
  free(text);
  tune_config_deinit(&config);
  tune_config_deinit(&copy);
  return status;
}

static tune_status config_as_json(void *context) {
  const tune_space *space = context;
  tune_config config;
  json_t *object = NULL;
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, space));
  tune_status status = tune_config_to_json(&config, space, &object);
  json_decref(object);
  tune_config_deinit(&config);
  return status;
}

static void configs(void **state) {
  (void)state;
  tune_space *space = make_space();
  assert_ok(fill_space(space));
  assert_true(tune_fail_each_allocation(round_trip_config, space) > 3);
  assert_true(tune_fail_each_allocation_and_json(config_as_json, space) > 3);
  tune_space_destroy(space);
}

static tune_status find_conflict(void *context) {
  size_t constraints[2], count;
  TUNE_RETURN_IF_ERROR(tune_conflict_find(context, constraints, &count));
  assert_int_equal(count, 1);
  return TUNE_OK;
}

static void conflicts(void **state) {
  (void)state;
  tune_space *space = make_table_space();
  assert_ok(tune_space_add_constraint(space, "mr > 1000", NULL));
  assert_true(tune_fail_each_allocation(find_conflict, space) > 30);
  tune_space_destroy(space);
}

static tune_status ask_and_tell(tune_strategy *strategy, size_t rounds) {
  for (size_t round = 0; round < rounds; ++round) {
    tune_config proposals[8];
    size_t count;
    TUNE_RETURN_IF_ERROR(tune_strategy_ask(strategy, 8, proposals, &count));
    tune_status status = TUNE_OK;
    for (size_t i = 0; i < count; ++i) {
      tune_outcome outcome = {.failed = i == 3, .seconds = 1 + (double)i};
      if (tune_status_is_ok(status))
        status = tune_strategy_tell(strategy, &proposals[i], outcome);
      tune_config_deinit(&proposals[i]);
    }
    TUNE_RETURN_IF_ERROR(status);
  }
  return TUNE_OK;
}

struct strategy_case {
  const tune_space *space;
  const char *name;
};

static tune_status run_strategy(void *context) {
  const struct strategy_case *test = context;
  tune_strategy_options options;
  tune_strategy_options_init(&options);
  tune_strategy *strategy;
  TUNE_RETURN_IF_ERROR(tune_strategy_create(test->name, test->space, &options, &strategy));
  tune_status status = ask_and_tell(strategy, 12);
  tune_strategy_destroy(strategy);
  return status;
}

static void strategies(void **state) {
  (void)state;
  tune_space *space = make_table_space();
  struct strategy_case test = {space, "grid"};
  assert_true(tune_fail_each_allocation(run_strategy, &test) > 100);
  test.name = "random";
  assert_true(tune_fail_each_allocation(run_strategy, &test) > 100);
  test.name = "evolutionary";
  assert_true(tune_fail_each_allocation(run_strategy, &test) > 100);
  tune_space_destroy(space);
}

// A store that keeps one record, and gives it back.
static tune_status keep_one(void *self, const tune_record *record) {
  tune_record *kept = self;
  if (kept->task)
    return TUNE_OK;
  return tune_record_init_copy(kept, record);
}

static tune_status load_one(void *self, const char *task, const char *fingerprint,
                            tune_record_visitor visit, void *user) {
  (void)task, (void)fingerprint;
  const tune_record *kept = self;
  return kept->task ? visit(user, kept) : TUNE_OK;
}

static tune_status tune_once(tune_evaluator *evaluator, const tune_space *space,
                             tune_record *kept) {
  tune_task task = {.key = "key", .name = "task", .schedule_digest = "", .space = space};
  tune_session_options options;
  tune_session_options_init(&options);
  options.fingerprint = "f";
  options.trials = 10;
  tune_record_store store = {kept, keep_one, load_one};
  tune_session_result result;
  TUNE_RETURN_IF_ERROR(tune_session_run(&task, &options, evaluator, &store, &result));
  tune_session_result_deinit(&result);
  return TUNE_OK;
}

static tune_status run_sessions(void *context) {
  const tune_space *space = context;
  tune_null_options options = {.noise = 0.02, .build_failures = 0.2, .granularity = 32};
  tune_evaluator evaluator;
  TUNE_RETURN_IF_ERROR(tune_evaluator_null_create(&options, &evaluator));
  tune_record kept = {0};
  tune_status status = tune_once(&evaluator, space, &kept);
  if (tune_status_is_ok(status))
    status = tune_once(&evaluator, space, &kept);
  tune_record_deinit(&kept);
  tune_evaluator_destroy(&evaluator);
  return status;
}

static void sessions(void **state) {
  (void)state;
  tune_space *space = make_table_space();
  assert_true(tune_fail_each_allocation(run_sessions, space) > 300);
  tune_space_destroy(space);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spaces),     cmocka_unit_test(configs),  cmocka_unit_test(conflicts),
      cmocka_unit_test(strategies), cmocka_unit_test(sessions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
