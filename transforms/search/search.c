//===- search.c ---------------------------------------------------------------===//

#include "transforms/search/search.h"

#include "dialects/diagnostic.h"
#include "support/clock.h"
#include "support/json.h"
#include "transforms/search/search_state.h"
#include "tuning/device/process_target.h"
#include "tuning/evaluators/null.h"
#include "tuning/evaluators/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How many ops are named where there is nothing to tune.
#define LEFT_OUT_SHOWN 8
// After so many trials the first one is timed again, to see whether the machine is as fast as it
// was: a twentieth of the time for measuring.
#define DRIFT_TRIALS 20
// On the target null: the share of the roofline that the best config of a task reaches, and how
// much its times differ from one measurement to the next.
#define NULL_SHARE 0.9
#define NULL_NOISE 0.02

void tune_search_options_init(tune_search_options *options) {
  *options = (tune_search_options){.tasks = {.target = "cpu", .threads = 1}};
  tune_session_options_init(&options->session);
}

typedef struct tune_search search;

//===--------------------------------------------------------------------------===//
// Before the first task
//===--------------------------------------------------------------------------===//

static void warn_of_damage(void *user, const char *what) {
  const search *s = user;
  tune_warning_emit(tune_location_get(mlirModuleGetOperation(s->module)),
                    "%s; the search goes on without that, and whatever else is damaged", what);
}

static tune_status open_database(search *s) {
  TUNE_RETURN_IF_ERROR(tune_database_open(s->options->database, &s->database));
  tune_database_leave_out_damage(s->database, warn_of_damage, s);
  if (s->rounds)
    return tune_search_start_rounds(s);
  s->known = s->database;
  s->known_digest = s->tasks.facts->digest;
  s->fingerprint = s->tasks.facts->digest;
  s->store = tune_database_store(s->database);
  TUNE_RETURN_IF_ERROR(tune_target_facts_put(s->tasks.facts, s->database));
  return tune_target_facts_read_roofline(s->tasks.facts, s->database);
}

static tune_status nothing_to_tune(const search *s) {
  tune_string_builder why;
  tune_string_builder_init(&why);
  size_t count = s->tasks.extraction->left_out_count;
  for (size_t i = 0; i < count && i < LEFT_OUT_SHOWN; i++) {
    const tune_left_out *left_out = &s->tasks.extraction->left_out[i];
    tune_string_builder_append(&why, "\n  ");
    tune_location_append(&why, left_out->location);
    tune_string_builder_appendf(&why, ": %s: %s", left_out->op_name, left_out->reason);
  }
  if (count > LEFT_OUT_SHOWN)
    tune_string_builder_appendf(&why, "\n  and %zu more", count - LEFT_OUT_SHOWN);
  tune_status status = tune_status_make_at(
      TUNE_FAILED_PRECONDITION, mlirModuleGetOperation(s->module), "nothing to tune: %s%s",
      count ? "no linalg op on tensors; what there is:"
            : "the module has no linalg op on tensors; lower it to these first",
      why.text ? why.text : "");
  tune_string_builder_deinit(&why);
  return status;
}

// Of a device that is not here: takes and replaces `status`.
static tune_status advise_rounds(const search *s, tune_status status) {
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

static tune_status check_counters(const search *s) {
  const char *target = s->tasks.facts->name.target;
  if (!s->options->measuring.counters || strcmp(target, "cpu") == 0)
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "counters are those of the CPU: there are none for the target %s",
                          target);
}

static tune_status find_tasks(search *s) {
  tune_module_tasks_options options = s->options->tasks;
  if (s->options->export_folder) {
    TUNE_RETURN_IF_ERROR(tune_search_open_rounds(s, &options.fingerprint));
    options.has_fingerprint = options.fingerprint != NULL;
  }
  tune_status status =
      tune_module_tasks_init(&s->tasks, mlirModuleGetOperation(s->module), &options);
  if (tune_status_is_ok(status))
    status = check_counters(s);
  if (tune_status_is_ok(status) && !s->rounds)
    status = tune_target_facts_require_device(s->tasks.facts);
  if (tune_status_get_code(status) == TUNE_UNAVAILABLE)
    status = (s->rounds ? tune_search_advise_device : advise_rounds)(s, status);
  TUNE_RETURN_IF_ERROR(status);
  return s->tasks.extraction->task_count ? TUNE_OK : nothing_to_tune(s);
}

// All of them first: a wrong choice on the last op of a module is told before the first one is
// tuned for an hour.
static tune_status make_spaces(search *s) {
  size_t count = s->tasks.extraction->task_count;
  s->spaces = calloc(count + 1, sizeof *s->spaces);
  if (!s->spaces)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "making the spaces of a search");
  for (size_t i = 0; i < count; i++) {
    TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(&s->tasks, i, &s->spaces[i]));
    if (s->options->tasks.schedule)
      TUNE_RETURN_IF_ERROR(tune_schedule_require_knobs(s->spaces[i]->schedule));
  }
  return TUNE_OK;
}

static void destroy_spaces(search *s) {
  for (size_t i = 0; s->spaces && i < s->tasks.extraction->task_count; i++)
    tune_task_space_destroy(s->spaces[i]);
  free(s->spaces);
}

void tune_search_turn_to(search *s, size_t task) {
  s->index = task;
  s->space = s->spaces[task];
}

// The time of a config on the target null: a bowl as deep as the task's work allows.
static double null_time(void *user, const tune_space *space, const tune_config *config) {
  const search *s = user;
  return s->null_seconds * tune_null_bowl(NULL, space, config) / TUNE_NULL_BOWL_MINIMUM;
}

static double null_seconds(const search *s, const tune_task *task) {
  double bandwidth = tune_target_facts_bandwidth(s->tasks.facts, task->bytes);
  double arithmetic = task->peak_flops > 0 ? task->flops / task->peak_flops : 0;
  double memory = bandwidth > 0 ? task->bytes / bandwidth : 0;
  double bound = arithmetic > memory ? arithmetic : memory;
  return bound > 0 ? bound / NULL_SHARE : TUNE_NULL_BOWL_MINIMUM;
}

static tune_status start_evaluator(search *s) {
  if (strcmp(s->tasks.facts->name.target, "null") == 0) {
    tune_null_options null = {.objective = null_time,
                              .user = s,
                              .seed = s->options->session.strategy_options.seed,
                              .noise = NULL_NOISE,
                              .capacity = s->options->building.jobs};
    return tune_evaluator_null_create(&null, &s->evaluator);
  }
  tune_process_evaluator_options options;
  tune_process_evaluator_options_init(&options);
  options.target = tune_process_target_of(s->tasks.facts);
  options.building = s->options->building;
  options.measuring = s->options->measuring;
  options.seed = s->options->session.strategy_options.seed;
  return tune_evaluator_process_create(&options, &s->evaluator);
}

//===--------------------------------------------------------------------------===//
// Seeds: winners of similar tasks
//===--------------------------------------------------------------------------===//

typedef struct seed_list {
  tune_config configs[TUNE_SEARCH_NEIGHBOURS];
  size_t count;
} seed_list;

static void seeds_deinit(seed_list *seeds) {
  for (size_t i = 0; i < seeds->count; i++)
    tune_config_deinit(&seeds->configs[i]);
  seeds->count = 0;
}

// Sets those knobs of `config` that `values` has a value for within our domain.
static void take_values(tune_config *config, const tune_space *space, const json_t *values) {
  for (size_t k = 0; k < tune_space_knob_count(space); k++) {
    const tune_knob *knob = tune_space_knob(space, k);
    const json_t *value = json_object_get(values, knob->name);
    for (size_t v = 0; json_is_integer(value) && v < knob->value_count; v++)
      if (knob->values[v] == json_integer_value(value))
        config->choices[k] = (uint16_t)v;
  }
}

static tune_status add_seed(search *s, const char *key, seed_list *seeds) {
  tune_record record;
  tune_record_init(&record);
  tune_status status = tune_database_best(s->known, key, s->known_digest.text, NULL, &record);
  if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    tune_status_free(status);
    return TUNE_OK;
  }
  json_t *values = NULL;
  if (tune_status_is_ok(status))
    status = tune_json_load_kept(record.config, "a config", &values);
  if (values) {
    status = tune_config_init_copy(&seeds->configs[seeds->count], &s->space->config);
    if (tune_status_is_ok(status))
      take_values(&seeds->configs[seeds->count++], s->space->space, values);
  }
  json_decref(values);
  tune_record_deinit(&record);
  return status;
}

static tune_status find_seeds(search *s, seed_list *seeds) {
  tune_database_task task;
  tune_database_neighbour neighbours[TUNE_SEARCH_NEIGHBOURS];
  size_t count = 0;
  TUNE_RETURN_IF_ERROR(tune_task_space_get_database_task(s->tasks.extraction, s->index, &task));
  tune_status status = tune_database_put_task(s->database, &task);
  if (tune_status_is_ok(status) && s->known)
    status = tune_database_nearest(s->known, &task, s->known_digest.text, TUNE_SEARCH_NEIGHBOURS,
                                   neighbours, &count);
  for (size_t i = 0; i < count && tune_status_is_ok(status); i++)
    status = add_seed(s, neighbours[i].key, seeds);
  tune_database_neighbours_deinit(neighbours, count);
  tune_database_task_deinit(&task);
  return status;
}

//===--------------------------------------------------------------------------===//
// One task
//===--------------------------------------------------------------------------===//

static void on_progress(void *user, const tune_session_progress *progress) {
  search *s = user;
  s->observer->progress(s->observer->user, s->index, progress);
}

static tune_status on_write_script(void *user, const tune_task *task, const tune_config *config,
                                   char **out_script) {
  (void)task;
  const search *s = user;
  return tune_task_space_write_script(s->space, config, out_script);
}

static tune_status write_winner(search *s, const tune_session_result *result) {
  if (!result->has_best)
    return TUNE_OK;
  char provenance[96];
  snprintf(provenance, sizeof provenance, result->is_default ? "default" : "search:%s",
           s->options->session.strategy);
  return tune_task_space_write_chosen(s->space, &s->tasks.anchors, &result->best, provenance);
}

// What is left of the time for all tasks, shared evenly among those to come.
static double seconds_for_task(const search *s) {
  double own = s->options->session.seconds;
  if (!(s->options->seconds > 0))
    return own;
  double left = s->options->seconds - (tune_clock_seconds() - s->begin);
  double share = left / (double)(s->tasks.extraction->task_count - s->index);
  if (share < 0.001)
    share = 0.001;
  return own > 0 && own < share ? own : share;
}

void tune_search_tell_failed(search *s, const tune_task *task, tune_status why) {
  s->failed_tasks++;
  if (s->observer->task_failed)
    s->observer->task_failed(s->observer->user, s->index,
                             s->tasks.extraction->tasks[s->index].location, task, why);
  tune_status_free(why);
}

static tune_status no_candidate_worked(const tune_failures *failures) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_failures_append(failures, &text);
  tune_status status = tune_status_make(TUNE_FAILED_PRECONDITION, "no candidate worked: %s",
                                        text.text ? text.text : "all failed");
  tune_string_builder_deinit(&text);
  return status;
}

tune_status tune_search_finish_task(search *s, const tune_task *task,
                                    const tune_session_result *result) {
  TUNE_RETURN_IF_ERROR(write_winner(s, result));
  if (s->observer->task_done)
    s->observer->task_done(s->observer->user, s->index, task,
                           s->tasks.extraction->tasks[s->index].occurrence_count, result);
  if (!result->has_best && result->failures.kind_count && result->stop != TUNE_STOP_SUSPENDED)
    tune_search_tell_failed(s, task, no_candidate_worked(&result->failures));
  return TUNE_OK;
}

// Nothing is faster than the roofline: where the best is, that was measured while something else
// ran, and is measured again, once a search.
static void check_roofline(search *s, tune_task *task, tune_session_result *result) {
  double percent = tune_target_facts_percent_of_roofline(s->tasks.facts, task, result->time.median);
  if (!(percent > 100) || s->has_doubted)
    return;
  s->has_doubted = true;
  // Where it fails the report says that the figure is doubtful.
  tune_status_free(tune_target_facts_doubt_roofline(s->tasks.facts, s->database));
  tune_task_space_get_task(s->space, s->tasks.extraction, s->tasks.facts, task);
  result->percent_of_peak = tune_task_percent_of_peak(task, result->time.median);
}

static tune_status run_seeded(search *s, const tune_task *task, const seed_list *seeds,
                              tune_session_result *out_result) {
  tune_session_options session = s->options->session;
  tune_kept_conditions conditions;
  session.fingerprint = s->fingerprint.text;
  session.conditions = tune_search_keep_conditions(s, &conditions) ? &conditions : NULL;
  // Made-up times do not drift, and what is measured elsewhere is not measured again.
  bool takes_time = strcmp(s->tasks.facts->name.target, "null") != 0 && !s->rounds;
  session.drift_trials = takes_time ? DRIFT_TRIALS : 0;
  session.seconds = seconds_for_task(s);
  session.seeds = seeds->configs;
  session.seed_count = seeds->count;
  session.progress = s->observer->progress && !s->rounds ? on_progress : NULL;
  session.write_script = on_write_script;
  session.user = s;
  s->null_seconds = null_seconds(s, task);
  return tune_session_run(task, &session, &s->evaluator, &s->store, out_result);
}

tune_status tune_search_run_session(search *s, const tune_task *task,
                                    tune_session_result *out_result) {
  seed_list seeds = {.count = 0};
  tune_status status = find_seeds(s, &seeds);
  if (tune_status_is_ok(status))
    status = run_seeded(s, task, &seeds, out_result);
  seeds_deinit(&seeds);
  return status;
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

static tune_status tune_one(search *s) {
  tune_task task;
  tune_session_result result;
  tune_task_space_get_task(s->space, s->tasks.extraction, s->tasks.facts, &task);
  tune_status status = tune_search_run_session(s, &task, &result);
  remark_missing_counters(s);
  // The reference does not build or run.
  if (tune_status_get_code(status) == TUNE_FAILED_PRECONDITION) {
    tune_search_tell_failed(s, &task, status);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(status);
  check_roofline(s, &task, &result);
  status = tune_search_finish_task(s, &task, &result);
  tune_session_result_deinit(&result);
  return status;
}

//===--------------------------------------------------------------------------===//
// All tasks
//===--------------------------------------------------------------------------===//

static void tell_begin(const search *s) {
  const tune_search_observer *observer = s->observer;
  size_t occurrences = 0;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++)
    occurrences += s->tasks.extraction->tasks[i].occurrence_count;
  if (observer->begin)
    observer->begin(observer->user, s->tasks.facts, tune_database_path(s->database),
                    s->tasks.extraction->task_count, occurrences);
  tune_search_tell_conditions(s);
  for (size_t i = 0; observer->left_out && i < s->tasks.extraction->left_out_count; i++) {
    const tune_left_out *left_out = &s->tasks.extraction->left_out[i];
    observer->left_out(observer->user, left_out->location, left_out->op_name, left_out->reason,
                       left_out->count);
  }
}

bool tune_search_is_interrupted(const search *s) {
  const volatile sig_atomic_t *flag = s->options->session.interrupted;
  return flag && *flag;
}

static tune_status tune_all(search *s) {
  // After an interrupt the remaining tasks still get the best that the database knows: their
  // sessions load it and stop before the first trial.
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    tune_search_turn_to(s, i);
    TUNE_RETURN_IF_ERROR(tune_one(s));
  }
  return TUNE_OK;
}

static void tell_restarted(const search *s) {
  const tune_evaluator_class *methods = s->evaluator.methods;
  tune_restarted servers[TUNE_EVALUATOR_SERVERS];
  if (!methods || !methods->restarted || !s->observer->restarted)
    return;
  size_t count = methods->restarted(s->evaluator.self, servers);
  for (size_t i = 0; i < count; i++)
    s->observer->restarted(s->observer->user, &servers[i]);
}

static tune_status run(search *s) {
  TUNE_RETURN_IF_ERROR(find_tasks(s));
  TUNE_RETURN_IF_ERROR(make_spaces(s));
  TUNE_RETURN_IF_ERROR(open_database(s));
  TUNE_RETURN_IF_ERROR(tune_search_look_around(s));
  if (!s->rounds)
    TUNE_RETURN_IF_ERROR(start_evaluator(s));
  tell_begin(s);
  TUNE_RETURN_IF_ERROR(s->rounds ? tune_search_run_rounds(s) : tune_all(s));
  tell_restarted(s);
  tune_search_look_back(s);
  if (s->observer->end)
    s->observer->end(s->observer->user, tune_clock_seconds() - s->begin);
  if (s->failed_tasks < s->tasks.extraction->task_count)
    return TUNE_OK;
  return tune_status_make_at(TUNE_FAILED_PRECONDITION, mlirModuleGetOperation(s->module),
                             "nothing was tuned: no candidate of any task worked");
}

tune_status tune_search_module(MlirModule module, const tune_search_options *options,
                               const tune_search_observer *observer) {
  static const tune_search_observer nobody = {0};
  search s = {.options = options,
              .observer = observer ? observer : &nobody,
              .module = module,
              .begin = tune_clock_seconds()};
  tune_status status = run(&s);
  if (s.evaluator.methods)
    tune_evaluator_destroy(&s.evaluator);
  if (s.known != s.database)
    tune_database_destroy(s.known);
  tune_database_destroy(s.database);
  destroy_spaces(&s);
  tune_module_tasks_deinit(&s.tasks);
  tune_rounds_destroy(s.rounds);
  tune_cores_deinit(&s.cores);
  json_decref(s.warnings);
  free(s.features);
  if (!tune_status_is_ok(status) && tune_search_is_interrupted(&s))
    return tune_status_annotate(status, "interrupted");
  return status;
}
