//===- torture_session.c - Each call of a search fails once ------------------------------===//
//
// Searches on the null target. One that goes well has the undisturbed winner, however often a call
// of it has failed; what it has kept until it failed are the first of the undisturbed records.
//
// Tier: check-all
//
//===--------------------------------------------------------------------------===//

#include "torture_records.h"

#include "tuning/evaluators/null.h"
#include "tuning/session/session.h"
#include "unittests/tuning/space_fixture.h"

#include <math.h>

//===- What is searched --------------------------------------------------------------------===//

static tune_space *space;

static void make_task(const char *folder) {
  (void)folder;
  if (space)
    return;
  static const char *const FORMS[] = {"direct", "packed"};
  space = make_space();
  ADD_CATEGORICAL(space, "mc", 128, 64, 32, 16, 8);
  ADD_ORDERED(space, "nc", 8, 16, 32, 64, 128);
  ADD_ORDERED(space, "unroll", 1, 2, 3);
  add_labelled(space, "form", FORMS, 2);
  assert_ok(tune_space_add_constraint(space, "mc * nc <= 4096", NULL));
}

// A search. Its parts are set by the scenario, the rest by search().
typedef struct search_plan {
  const char *strategy; // NULL: evolutionary
  size_t trials, finalists, round, drift_trials;
  tune_null_options null;
  const tune_record_store *store;
  size_t interrupt_at; // after so many trials; 0: never
  bool has_seed, lies; // a finalist turns out to be wrong
  bool writes_script;  //
} search_plan;

static volatile sig_atomic_t interrupted;

static void interrupt_after(void *user, const tune_session_progress *progress) {
  const search_plan *plan = user;
  if (plan->interrupt_at && progress->trials >= plan->interrupt_at)
    interrupted = 1;
}

static tune_status write_script(void *user, const tune_task *task, const tune_config *config,
                                char **out_script) {
  (void)user;
  return tune_config_to_text(config, task->space, out_script);
}

// That of the null target, but for the first comparison, in which the second artifact is wrong.
static tune_status (*compare)(void *, const tune_compare_order *, tune_comparison *);
static bool has_lied;

static tune_status compare_and_lie(void *self, const tune_compare_order *order,
                                   tune_comparison *comparison) {
  if (has_lied)
    return compare(self, order, comparison);
  has_lied = true;
  *comparison = (tune_comparison){
      .count = order->count, .failed = true, .verdict = TUNE_VERDICT_WRONG, .culprit = 1};
  comparison->error = strdup("off by one");
  return comparison->error ? TUNE_OK : tune_status_out_of_memory("comparing");
}

static tune_status say_result(const tune_session_result *result) {
  torture_say("%d: %zu trials, %zu new, drift %.3f, %zu inert\n", result->stop, result->trials,
              result->new_trials, result->drift, result->inert_count);
  torture_say("the store's times moved by %.3f, %zu are not believed\n", result->stored_move,
              result->disbelieved);
  for (int i = 0; i < TUNE_VERDICT_COUNT; ++i)
    torture_say("%zu %s, ", result->verdicts[i], tune_verdict_name((tune_verdict)i));
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_failures_append(&result->failures, &text);
  bool failed = text.failed;
  if (!failed)
    torture_say("%s\n", text.text ? text.text : "no failures");
  tune_string_builder_deinit(&text);
  if (failed)
    return tune_status_out_of_memory("telling of failures");
  for (size_t i = 0; result->importance && i < tune_space_knob_count(space); ++i)
    torture_say("%.4f ", result->importance[i]);
  if (!result->has_best)
    return TUNE_OK;
  char *best;
  TUNE_RETURN_IF_ERROR(tune_config_to_text(&result->best, space, &best));
  torture_say("%s%s: %.6g s, %.6g times in [%.6g, %.6g]%s\n", best,
              result->is_default ? " (default)" : "", result->time.median, result->speedup,
              result->speedup_low, result->speedup_high, result->was_compared ? "" : ", guessed");
  free(best);
  return TUNE_OK;
}

static tune_status run_session(search_plan *plan, tune_evaluator *evaluator,
                               const tune_config *seed) {
  const tune_task task = {.key = "aaaa",
                          .name = "matmul",
                          .schedule_digest = "s1",
                          .space = space,
                          .flops = 1e6,
                          .peak_flops = 1e10};
  tune_session_options options;
  tune_session_options_init(&options);
  if (plan->strategy)
    options.strategy = plan->strategy;
  options.strategy_options.population = 4;
  options.fingerprint = "ffff";
  options.trials = plan->trials;
  options.finalists = plan->finalists;
  options.round = plan->round;
  options.drift_trials = plan->drift_trials;
  options.seeds = seed;
  options.seed_count = seed != NULL;
  options.interrupted = &interrupted;
  options.progress = interrupt_after;
  options.write_script = plan->writes_script ? write_script : NULL;
  options.user = plan;
  interrupted = 0;
  tune_session_result result;
  TUNE_RETURN_IF_ERROR(tune_session_run(&task, &options, evaluator, plan->store, &result));
  tune_status status = say_result(&result);
  tune_session_result_deinit(&result);
  return status;
}

static tune_status search(search_plan plan) {
  tune_evaluator evaluator;
  plan.null.seed = 7;
  TUNE_RETURN_IF_ERROR(tune_evaluator_null_create(&plan.null, &evaluator));
  tune_evaluator_class lying = *evaluator.methods;
  tune_evaluator liar = {&lying, evaluator.self};
  compare = lying.compare;
  lying.compare = compare_and_lie;
  has_lied = !plan.lies;
  tune_config seed;
  tune_status status = plan.has_seed ? tune_config_from_text(&seed, space, "mc=64,nc=16") : TUNE_OK;
  if (tune_status_is_ok(status))
    status = run_session(&plan, &liar, plan.has_seed ? &seed : NULL);
  if (plan.has_seed)
    tune_config_deinit(&seed);
  tune_evaluator_destroy(&evaluator);
  return status;
}

// Candidates fail in every way, and some are the same code.
#define TROUBLES                                                                                   \
  .noise = 0.02, .build_failures = 0.1, .run_crashes = 0.1, .wrong_results = 0.1, .granularity = 16

//===- Without a store ----------------------------------------------------------------------===//

static tune_status search_alone(const char *folder) {
  (void)folder;
  return search((search_plan){.trials = 12, .finalists = 3, .has_seed = true, .null = {TROUBLES}});
}

static tune_status search_in_rounds(const char *folder) {
  (void)folder;
  TUNE_RETURN_IF_ERROR(
      search((search_plan){.strategy = "random", .trials = 8, .round = 4, .null = {TROUBLES}}));
  return search((search_plan){.strategy = "grid", .trials = 8, .round = 4, .null = {TROUBLES}});
}

static tune_status search_with_liar(const char *folder) {
  (void)folder;
  return search((search_plan){.trials = 10, .finalists = 3, .lies = true, .null = {.noise = 0.01}});
}

// The machine is slower from the tenth timing on.
static double slow_down(void *user, const tune_space *of, const tune_config *config) {
  size_t *timings = user;
  return tune_null_bowl(NULL, of, config) * (++*timings < 10 ? 1 : 1.3);
}

static tune_status search_while_slower(const char *folder) {
  (void)folder;
  size_t timings = 0;
  return search((search_plan){
      .trials = 16,
      .finalists = 2,
      .drift_trials = 3,
      .null = {.objective = slow_down, .user = &timings, .noise = 1e-3, .capacity = 1}});
}

// Noise as of a machine, on which slow candidates are cut.
static tune_status search_with_cuts(const char *folder) {
  (void)folder;
  static const double TRACE[] = {1, 1.01, 0.99, 1.02, 1, 1.3, 0.98, 1, 1.01, 1.03, 1};
  return search((search_plan){
      .trials = 10,
      .finalists = 3,
      .null = {.trace = TRACE, .trace_count = sizeof TRACE / sizeof *TRACE, .capacity = 1}});
}

//===- With a store in memory ---------------------------------------------------------------===//

typedef struct memory_store {
  tune_record *records;
  size_t count;
} memory_store;

static tune_status keep(void *self, const tune_record *record) {
  memory_store *store = self;
  TUNE_RETURN_IF_ERROR(tune_record_validate(record));
  tune_record *records = realloc(store->records, (store->count + 1) * sizeof *records);
  if (!records)
    return tune_status_out_of_memory("keeping a record");
  store->records = records;
  TUNE_RETURN_IF_ERROR(tune_record_init_copy(&records[store->count], record));
  ++store->count;
  return TUNE_OK;
}

static tune_status visit_all(void *self, const char *task, const char *fingerprint,
                             tune_record_visitor visit, void *user) {
  (void)task, (void)fingerprint;
  const memory_store *store = self;
  for (size_t i = 0; i < store->count; ++i)
    TUNE_RETURN_IF_ERROR(visit(user, &store->records[i]));
  return TUNE_OK;
}

static tune_status say_and_free(tune_status status, memory_store *store) {
  for (size_t i = 0; i < store->count; ++i) {
    if (tune_status_is_ok(status))
      torture_say_record(NULL, &store->records[i]);
    tune_record_deinit(&store->records[i]);
  }
  free(store->records);
  return status;
}

// Interrupted, gone on with, and asked for once more, when the winner is known.
static tune_status search_thrice(const tune_record_store *store) {
  search_plan plan = {.trials = 10,
                      .finalists = 2,
                      .store = store,
                      .interrupt_at = 4,
                      .writes_script = true,
                      .null = {TROUBLES}};
  TUNE_RETURN_IF_ERROR(search(plan));
  plan.interrupt_at = 0;
  TUNE_RETURN_IF_ERROR(search(plan));
  return search(plan);
}

static tune_status search_with_store(const char *folder) {
  (void)folder;
  memory_store store = {NULL, 0};
  return say_and_free(search_thrice(&(tune_record_store){&store, keep, visit_all}), &store);
}

// The machine is slower than when the store's times were taken, and one of these is a lie.
static double always_slower(void *user, const tune_space *of, const tune_config *config) {
  (void)user;
  return 1.3 * tune_null_bowl(NULL, of, config);
}

static tune_status search_with_times_of_another_day(const char *folder) {
  (void)folder;
  memory_store kept = {NULL, 0};
  const tune_record_store store = {&kept, keep, visit_all};
  search_plan plan = {.trials = 6, .store = &store, .null = {.capacity = 1}};
  tune_status status = search(plan);
  if (tune_status_is_ok(status)) {
    tune_timing *time = &kept.records[2].time;
    time->median /= 8, time->low /= 8, time->high /= 8;
    plan.trials = 10;
    plan.finalists = 2;
    plan.drift_trials = 3;
    plan.null.objective = always_slower;
    status = search(plan);
  }
  return say_and_free(status, &kept);
}

//===- With a database ------------------------------------------------------------------------===//

static tune_status put_task(tune_database *database) {
  const tune_kept_task task = {.key = "aaaa",
                               .kind = "contraction",
                               .name = "matmul",
                               .type = "f32",
                               .payload = "module {}"};
  TUNE_RETURN_IF_ERROR(tune_database_put_task(database, &task));
  return tune_database_put_fingerprint(database, "ffff", "null", "{\"model\":\"Test 1\"}");
}

static tune_status search_with_database(const char *folder) {
  tune_database *database;
  TUNE_RETURN_IF_ERROR(tune_database_open(torture_in(folder, "tune.db").text, &database));
  tune_record_store store = tune_database_store(database);
  tune_status status = put_task(database);
  if (tune_status_is_ok(status))
    status = search((search_plan){
        .trials = 6, .finalists = 2, .store = &store, .writes_script = true, .null = {TROUBLES}});
  tune_database_destroy(database);
  return status;
}

static void make_database(const char *folder) {
  make_task(folder);
  tune_database *database;
  assert_ok(tune_database_open(torture_in(folder, "tune.db").text, &database));
  tune_database_destroy(database);
}

static void look_at_database(const char *folder) {
  torture_look_at_database(torture_in(folder, "tune.db").text);
}

int main(int argc, char **argv) {
  static const torture_scenario SCENARIOS[] = {
      {.name = "alone", .prepare = make_task, .run = search_alone},
      {.name = "rounds", .prepare = make_task, .run = search_in_rounds},
      {.name = "liar", .prepare = make_task, .run = search_with_liar},
      {.name = "drift", .prepare = make_task, .run = search_while_slower},
      {.name = "cuts", .prepare = make_task, .run = search_with_cuts},
      {.name = "store", .prepare = make_task, .run = search_with_store},
      {.name = "another_day", .prepare = make_task, .run = search_with_times_of_another_day},
      {.name = "database",
       .prepare = make_database,
       .run = search_with_database,
       .look = look_at_database,
       .grows = true},
  };
  int result = torture_main(argc, argv, SCENARIOS, sizeof SCENARIOS / sizeof *SCENARIOS);
  tune_space_destroy(space);
  return result;
}
