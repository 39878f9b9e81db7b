//===- search.c ---------------------------------------------------------------===//

#include "transforms/search.h"

#include "dialects/diagnostic.h"
#include "support/clock.h"
#include "support/file.h"
#include "transforms/task_space.h"
#include "tuning/evaluators/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How many winners of similar tasks are tried right after the default.
#define NEIGHBOURS 3

void tune_search_options_init(tune_search_options *options) {
  *options = (tune_search_options){.target = "cpu", .threads = 1};
  tune_session_options_init(&options->session);
}

// One search. Owns everything but the options and the observer.
typedef struct search {
  const tune_search_options *options;
  const tune_search_observer *observer;
  MlirModule module;
  tune_target_facts *facts;
  tune_database *database;
  tune_extraction *extraction;
  tune_anchors anchors;
  bool has_anchors;
  char *schedule_text;
  tune_evaluator evaluator;
  double begin;

  // Of the task being tuned.
  size_t index;
  tune_task_space *space;
} search;

//===--------------------------------------------------------------------------===//
// Before the first task
//===--------------------------------------------------------------------------===//

static tune_status open_database(search *s) {
  TUNE_RETURN_IF_ERROR(
      tune_target_facts_create(s->options->target, s->options->threads, &s->facts));
  TUNE_RETURN_IF_ERROR(tune_database_open(s->options->database, &s->database));
  TUNE_RETURN_IF_ERROR(tune_target_facts_put(s->facts, s->database));
  return tune_target_facts_read_roofline(s->facts, s->database);
}

static tune_status nothing_to_tune(const search *s) {
  tune_string_builder why;
  tune_string_builder_init(&why);
  for (size_t i = 0; i < s->extraction->left_out_count && i < 8; i++) {
    const tune_left_out *left_out = &s->extraction->left_out[i];
    tune_string_builder_append(&why, "\n  ");
    tune_location_append(&why, left_out->location);
    tune_string_builder_appendf(&why, ": %s: %s", left_out->op_name, left_out->reason);
  }
  tune_status status = tune_status_make_at(
      TUNE_FAILED_PRECONDITION, mlirModuleGetOperation(s->module),
      "nothing to tune: the module has no function with linalg ops on tensors; lower it to "
      "linalg first (from TOSA: --tosa-to-linalg-named --tosa-to-linalg)%s",
      why.text ? why.text : "");
  tune_string_builder_deinit(&why);
  return status;
}

static tune_status find_tasks(search *s) {
  TUNE_RETURN_IF_ERROR(tune_extract(s->module, &s->extraction));
  if (s->extraction->task_count == 0)
    return nothing_to_tune(s);
  TUNE_RETURN_IF_ERROR(
      tune_anchors_init(&s->anchors, s->extraction, mlirModuleGetOperation(s->module)));
  s->has_anchors = true;
  if (s->options->schedule)
    TUNE_RETURN_IF_ERROR(tune_file_read(s->options->schedule, &s->schedule_text, NULL));
  return TUNE_OK;
}

static tune_status start_servers(search *s) {
  tune_process_evaluator_options options;
  tune_process_evaluator_options_init(&options);
  options.target = s->options->target;
  options.threads = s->options->threads;
  options.jobs = s->options->jobs;
  options.seed = s->options->session.strategy_options.seed;
  return tune_evaluator_process_create(&options, &s->evaluator);
}

//===--------------------------------------------------------------------------===//
// Seeds: winners of similar tasks
//===--------------------------------------------------------------------------===//

typedef struct seed_list {
  tune_config configs[NEIGHBOURS];
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
  tune_status status = tune_database_best(s->database, key, s->facts->digest.text, NULL, &record);
  if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    tune_status_free(status);
    return TUNE_OK;
  }
  json_t *values = tune_status_is_ok(status) ? json_loads(record.config, 0, NULL) : NULL;
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
  tune_database_neighbour neighbours[NEIGHBOURS];
  size_t count = 0;
  TUNE_RETURN_IF_ERROR(tune_task_space_get_database_task(s->extraction, s->index, &task));
  tune_status status = tune_database_put_task(s->database, &task);
  if (tune_status_is_ok(status))
    status = tune_database_nearest(s->database, &task, s->facts->digest.text, NEIGHBOURS,
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
  return tune_task_space_write_chosen(s->space, &s->anchors, &result->best, provenance);
}

// What is left of the time for all tasks, shared evenly among those to come.
static double seconds_for_task(const search *s) {
  double own = s->options->session.seconds;
  if (!(s->options->seconds > 0))
    return own;
  double left = s->options->seconds - (tune_clock_seconds() - s->begin);
  double share = left / (double)(s->extraction->task_count - s->index);
  if (share < 0.001)
    share = 0.001;
  return own > 0 && own < share ? own : share;
}

static tune_status run_session(search *s, const tune_task *task, const seed_list *seeds) {
  tune_session_options session = s->options->session;
  session.fingerprint = s->facts->digest.text;
  session.seconds = seconds_for_task(s);
  session.seeds = seeds->configs;
  session.seed_count = seeds->count;
  session.progress = s->observer->progress ? on_progress : NULL;
  session.write_script = on_write_script;
  session.user = s;
  tune_record_store store = tune_database_store(s->database);
  tune_session_result result;
  TUNE_RETURN_IF_ERROR(tune_session_run(task, &session, &s->evaluator, &store, &result));
  tune_status status = write_winner(s, &result);
  if (tune_status_is_ok(status) && s->observer->task_done)
    s->observer->task_done(s->observer->user, s->index, task,
                           s->extraction->tasks[s->index].occurrence_count, &result);
  tune_session_result_deinit(&result);
  return status;
}

// A task whose reference does not build or run cannot be tuned; the others can.
static tune_status keep_default(search *s, const tune_task *task, tune_status why) {
  if (tune_status_get_code(why) != TUNE_FAILED_PRECONDITION)
    return why;
  if (s->observer->task_failed)
    s->observer->task_failed(s->observer->user, s->index, task, why);
  tune_status_free(why);
  return TUNE_OK;
}

static tune_status tune_one(search *s) {
  tune_task_space_options options = {.facts = s->facts,
                                     .schedule_text = s->schedule_text,
                                     .schedule_source = s->options->schedule};
  MlirContext context = mlirModuleGetContext(s->module);
  TUNE_RETURN_IF_ERROR(tune_task_space_create(context, &s->anchors, s->index, &options, &s->space));
  if (s->options->schedule)
    TUNE_RETURN_IF_ERROR(tune_schedule_require_knobs(s->space->schedule));
  tune_task task;
  seed_list seeds = {.count = 0};
  tune_task_space_get_task(s->space, s->extraction, s->facts, &task);
  tune_status status = find_seeds(s, &seeds);
  if (tune_status_is_ok(status))
    status = keep_default(s, &task, run_session(s, &task, &seeds));
  seeds_deinit(&seeds);
  return status;
}

//===--------------------------------------------------------------------------===//
// All tasks
//===--------------------------------------------------------------------------===//

static void tell_begin(const search *s) {
  const tune_search_observer *observer = s->observer;
  size_t occurrences = 0;
  for (size_t i = 0; i < s->extraction->task_count; i++)
    occurrences += s->extraction->tasks[i].occurrence_count;
  if (observer->begin)
    observer->begin(observer->user, s->facts, tune_database_path(s->database),
                    s->extraction->task_count, occurrences);
  for (size_t i = 0; observer->left_out && i < s->extraction->left_out_count; i++) {
    const tune_left_out *left_out = &s->extraction->left_out[i];
    observer->left_out(observer->user, left_out->location, left_out->op_name, left_out->reason,
                       left_out->count);
  }
}

static bool is_interrupted(const search *s) {
  const volatile sig_atomic_t *flag = s->options->session.interrupted;
  return flag && *flag;
}

static tune_status run(search *s) {
  TUNE_RETURN_IF_ERROR(find_tasks(s));
  TUNE_RETURN_IF_ERROR(open_database(s));
  TUNE_RETURN_IF_ERROR(start_servers(s));
  tell_begin(s);
  // After an interrupt the remaining tasks still get the best that the database knows: their
  // sessions load it and stop before the first trial.
  for (s->index = 0; s->index < s->extraction->task_count; s->index++) {
    tune_status status = tune_one(s);
    tune_task_space_destroy(s->space);
    s->space = NULL;
    if (!tune_status_is_ok(status))
      return tune_status_annotate(status, "tuning %s", s->extraction->tasks[s->index].name);
  }
  if (s->observer->end)
    s->observer->end(s->observer->user, tune_clock_seconds() - s->begin);
  return TUNE_OK;
}

tune_status tune_search_module(MlirModule module, const tune_search_options *options,
                               const tune_search_observer *observer) {
  static const tune_search_observer nobody = {0};
  search s = {.options = options,
              .observer = observer ? observer : &nobody,
              .module = module,
              .begin = tune_clock_seconds()};
  tune_status status = run(&s);
  if (s.evaluator.class)
    tune_evaluator_destroy(&s.evaluator);
  free(s.schedule_text);
  if (s.has_anchors)
    tune_anchors_deinit(&s.anchors);
  tune_extraction_destroy(s.extraction);
  tune_database_destroy(s.database);
  tune_target_facts_destroy(s.facts);
  if (!tune_status_is_ok(status) && is_interrupted(&s))
    return tune_status_annotate(status, "interrupted");
  return status;
}
