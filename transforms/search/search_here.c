//===- search_here.c - Tuning what is measured on this machine ------------------===//

#include "dialects/diagnostic.h"
#include "transforms/search/search_state.h"
#include "transforms/search/whole_task.h"
#include "tuning/evaluators/null.h"
#include "tuning/evaluators/process.h"

#include <string.h>

// On the target null: the share of the roofline that the best config of a task reaches, and how
// much its times differ from one measurement to the next.
#define NULL_SHARE 0.9
#define NULL_NOISE 0.02

typedef struct tune_search search;

//===--------------------------------------------------------------------------===//
// Beginning
//===--------------------------------------------------------------------------===//

tune_status tune_search_here_advise(const search *s, tune_status status) {
  if (tune_target_kind_of_name(s->options->tasks.target) ==
      TUNE_KIND_CPU) // tune-measure is missing, or more
    return status;
  return tune_status_join(
      tune_status_make(TUNE_UNAVAILABLE,
                       "%s; measure=export:FOLDER has candidates measured on a machine that has "
                       "the device (docs/measured-elsewhere.md)",
                       tune_status_get_message(status)),
      status);
}

tune_status tune_search_here_require_device(const search *s) {
  return tune_target_facts_require_device(s->tasks.facts);
}

static bool is_null(const search *s) { return strcmp(s->tasks.facts->name.target, "null") == 0; }

static tune_status open_facts(const search *s, tune_target_facts *facts) {
  TUNE_RETURN_IF_ERROR(tune_target_facts_put(facts, s->database));
  facts->interrupted = s->options->session.interrupted;
  tune_status status = tune_target_facts_read_roofline(facts, s->database);
  // The sessions look at the signal and take what the database has.
  if (tune_status_get_code(status) != TUNE_CANCELLED)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

tune_status tune_search_here_open_records(search *s) {
  s->takes_time = !is_null(s);
  s->tells_progress = true;
  s->known = s->database;
  s->fingerprint = s->tasks.facts->digest;
  s->store = tune_database_store(s->database);
  TUNE_RETURN_IF_ERROR(open_facts(s, s->tasks.facts));
  return s->tasks.of_one_thread ? open_facts(s, s->tasks.of_one_thread) : TUNE_OK;
}

static double null_seconds(const search *s, const tune_task *task) {
  double bandwidth = tune_target_facts_bandwidth(s->space->facts, task->bytes);
  double arithmetic = task->peak_flops > 0 ? task->flops / task->peak_flops : 0;
  double memory = bandwidth > 0 ? task->bytes / bandwidth : 0;
  double bound = arithmetic > memory ? arithmetic : memory;
  return bound > 0 ? bound / NULL_SHARE : TUNE_NULL_BOWL_MINIMUM;
}

// The time of a config of the present task on the target null: a bowl as deep as its work allows.
static double null_time(void *user, const tune_space *space, const tune_config *config) {
  const search *s = user;
  tune_task task;
  tune_task_space_get_task(s->space, s->tasks.extraction, &task);
  return null_seconds(s, &task) * tune_null_bowl(NULL, space, config) / TUNE_NULL_BOWL_MINIMUM;
}

tune_status tune_search_here_start(search *s) {
  if (is_null(s)) {
    tune_null_options null = {.objective = null_time,
                              .user = s,
                              .seed = s->options->session.strategy_options.seed,
                              .noise = NULL_NOISE,
                              .capacity = s->options->building.jobs};
    return tune_evaluator_null_create(&null, &s->evaluator);
  }
  tune_process_evaluator_options options;
  tune_search_describe_evaluator(s->options, s->tasks.facts, &options);
  TUNE_RETURN_IF_ERROR(tune_evaluator_process_create(&options, &s->evaluator));
  if (!s->tasks.of_one_thread)
    return TUNE_OK;
  tune_search_describe_evaluator(s->options, s->tasks.of_one_thread, &options);
  return tune_evaluator_process_create(&options, &s->of_one_thread);
}

//===--------------------------------------------------------------------------===//
// Tasks, one after the other
//===--------------------------------------------------------------------------===//

// Nothing is faster than the roofline: where the best is, that was measured while something else
// ran, and is measured again, once a search.
static void check_roofline(search *s, tune_task *task, tune_session_result *result) {
  tune_target_facts *facts =
      s->space->facts == s->tasks.facts ? s->tasks.facts : s->tasks.of_one_thread;
  double percent = tune_target_facts_percent_of_roofline(facts, task, result->time.median);
  if (!(percent > 100) || s->has_doubted)
    return;
  s->has_doubted = true;
  // Where it fails the report says that the figure is doubtful.
  tune_status_free(tune_target_facts_doubt_roofline(facts, s->database));
  tune_task_space_get_task(s->space, s->tasks.extraction, task);
  result->percent_of_peak = tune_task_percent_of_peak(task, result->time.median);
}

// Once a search: each of its trials lacks the same.
static void remark_missing_counters(search *s) {
  const tune_evaluator_class *methods = s->evaluator.methods;
  if (s->has_remarked_counters || !methods->missing_counters)
    return;
  const char *missing = methods->missing_counters(s->evaluator.self);
  if (!missing)
    return;
  s->has_remarked_counters = true;
  tune_remark_emit(tune_location_get(mlirModuleGetOperation(s->module)),
                   "records lack some counters: %s", missing);
}

// There is no time for more than what is known of the present task.
static tune_status leave_default(search *s) {
  tune_task task;
  tune_session_result result;
  tune_task_space_get_task(s->space, s->tasks.extraction, &task);
  tune_search_drop_prepared(s);
  tune_search_take_look(s, &result);
  tune_status status = tune_search_finish_task(s, &task, &result);
  tune_session_result_deinit(&result);
  return status;
}

static tune_status tune_one(search *s) {
  tune_task task;
  tune_session_result result;
  tune_task_space_get_task(s->space, s->tasks.extraction, &task);
  if (tune_search_budget_share(s) < 0 && !tune_search_is_interrupted(s))
    return leave_default(s);
  tune_search_advance_next(s);
  tune_search_advance_whole(s);
  tune_search_take_evaluator(s); // the other one is free for the next task
  TUNE_RETURN_IF_ERROR(tune_search_prepare_next(s));
  tune_status status = tune_search_run_session(s, &task, &result);
  remark_missing_counters(s);
  // The reference does not build or run.
  if (tune_status_get_code(status) == TUNE_FAILED_PRECONDITION) {
    tune_search_tell_failed(s, &task, status);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(status);
  bool is_cut = false;
  status = tune_search_try_rules(s, &task, &result);
  if (tune_status_is_ok(status) && tune_search_is_hopeless(&result))
    status = tune_search_search_parts(s, &task, &result.failures, tune_one, &is_cut);
  if (!is_cut && tune_status_is_ok(status)) {
    check_roofline(s, &task, &result);
    status = tune_search_try_groupings(s, &result);
  }
  if (!is_cut && tune_status_is_ok(status)) {
    tune_task_space_get_task(s->space, s->tasks.extraction, &task);
    status = tune_search_finish_task(s, &task, &result);
  }
  tune_session_result_deinit(&result);
  return status;
}

tune_status tune_search_here_run(search *s) {
  // After an interrupt the remaining tasks still get the best that the database knows: their
  // sessions load it and stop before the first trial.
  size_t task;
  tune_search_budget_begin(s);
  if (s->end > 0)
    TUNE_RETURN_IF_ERROR(tune_search_look_at_defaults(s));
  while (tune_search_budget_next(s, &task)) {
    tune_search_turn_to(s, task);
    TUNE_RETURN_IF_ERROR(tune_one(s));
  }
  return TUNE_OK;
}
