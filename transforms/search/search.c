//===- search.c ---------------------------------------------------------------===//

#include "transforms/search/search.h"

#include "dialects/diagnostic.h"
#include "support/clock.h"
#include "transforms/search/search_state.h"
#include "transforms/spaces/best_grouping.h"

#include <stdlib.h>
#include <string.h>

// How many ops are named where there is nothing to tune.
#define LEFT_OUT_SHOWN 8

void tune_search_options_init(tune_search_options *options) {
  *options = (tune_search_options){.tasks = {.target = "cpu", .threads = 1}, .checks_whole = true};
  tune_session_options_init(&options->session);
}

typedef struct tune_search search;

// Where candidates are measured, and so how a search goes; search_state.h says what each does.
typedef struct backend {
  tune_status (*open)(search *s, const json_t **out_device); // NULL: there is nothing to open
  tune_status (*require_device)(const search *s);            // NULL: none is needed
  tune_status (*advise)(const search *s, tune_status status);
  tune_status (*open_records)(search *s);
  tune_status (*start)(search *s);
  tune_status (*run)(search *s);
} backend;

static const backend here = {.require_device = tune_search_here_require_device,
                             .advise = tune_search_here_advise,
                             .open_records = tune_search_here_open_records,
                             .start = tune_search_here_start,
                             .run = tune_search_here_run};

static const backend rounds = {.open = tune_search_rounds_open,
                               .advise = tune_search_rounds_advise,
                               .open_records = tune_search_rounds_open_records,
                               .start = tune_search_rounds_start,
                               .run = tune_search_rounds_run};

//===--------------------------------------------------------------------------===//
// Before the first task
//===--------------------------------------------------------------------------===//

static void warn_of_damage(void *user, const char *what) {
  const search *s = user;
  tune_warning_emit(tune_location_get(mlirModuleGetOperation(s->module)),
                    "%s; the search goes on without that, and whatever else is damaged", what);
}

static tune_status open_database(search *s, const backend *where) {
  TUNE_RETURN_IF_ERROR(tune_database_open(s->options->database, &s->database));
  tune_database_leave_out_damage(s->database, warn_of_damage, s);
  return where->open_records(s);
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

static tune_status check_counters(const search *s) {
  const char *target = s->tasks.facts->name.target;
  if (!s->options->measuring.counters || strcmp(target, "cpu") == 0)
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "counters are those of the CPU: there are none for the target %s",
                          target);
}

// How ops are grouped is decided anew, where it is.
static tune_status forget_groupings(search *s, const tune_module_tasks_options *options) {
  bool any;
  if (!tune_search_compares_groupings(s))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_grouping_forget(&s->tasks, &any));
  if (!any)
    return TUNE_OK;
  tune_module_tasks_deinit(&s->tasks);
  return tune_module_tasks_init(&s->tasks, mlirModuleGetOperation(s->module), options);
}

static tune_status find_tasks(search *s, const backend *where) {
  tune_module_tasks_options options = s->options->tasks;
  if (where->open) {
    TUNE_RETURN_IF_ERROR(where->open(s, &options.fingerprint));
    options.has_fingerprint = options.fingerprint != NULL;
  }
  tune_status status =
      tune_module_tasks_init(&s->tasks, mlirModuleGetOperation(s->module), &options);
  if (tune_status_is_ok(status))
    status = forget_groupings(s, &options);
  if (tune_status_is_ok(status))
    status = check_counters(s);
  if (tune_status_is_ok(status) && where->require_device)
    status = where->require_device(s);
  if (tune_status_get_code(status) == TUNE_UNAVAILABLE)
    status = where->advise(s, status);
  TUNE_RETURN_IF_ERROR(status);
  return s->tasks.extraction->task_count ? TUNE_OK : nothing_to_tune(s);
}

// All of them first: a wrong choice on the last op of a module is told before the first one is
// tuned for an hour.
static tune_status make_spaces(search *s) {
  size_t count = s->tasks.extraction->task_count;
  s->spaces = calloc(count + 1, sizeof *s->spaces);
  s->winners = calloc(count + 1, sizeof *s->winners);
  s->looks = calloc(count + 1, sizeof *s->looks);
  if (!s->spaces || !s->winners || !s->looks)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "making the spaces of a search");
  for (size_t i = 0; i < count; i++) {
    TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(&s->tasks, i, &s->spaces[i]));
    if (s->options->tasks.schedule)
      TUNE_RETURN_IF_ERROR(tune_schedule_require_knobs(s->spaces[i]->schedule));
  }
  return TUNE_OK;
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

static void tell_restarted(const search *s, const tune_evaluator *evaluator) {
  const tune_evaluator_class *methods = evaluator->methods;
  tune_restarted servers[TUNE_EVALUATOR_SERVERS];
  if (!methods || !methods->restarted || !s->observer->restarted)
    return;
  size_t count = methods->restarted(evaluator->self, servers);
  for (size_t i = 0; i < count; i++)
    s->observer->restarted(s->observer->user, &servers[i]);
}

static tune_status run(search *s) {
  const backend *where = s->options->export_folder ? &rounds : &here;
  TUNE_RETURN_IF_ERROR(find_tasks(s, where));
  tune_extraction_pin_batches(s->tasks.extraction, mlirModuleGetOperation(s->module));
  TUNE_RETURN_IF_ERROR(make_spaces(s));
  TUNE_RETURN_IF_ERROR(open_database(s, where));
  TUNE_RETURN_IF_ERROR(tune_search_look_around(s));
  TUNE_RETURN_IF_ERROR(where->start(s));
  tell_begin(s);
  TUNE_RETURN_IF_ERROR(where->run(s));
  TUNE_RETURN_IF_ERROR(tune_search_look_at_whole(s));
  TUNE_RETURN_IF_ERROR(tune_search_write_groupings(s));
  tell_restarted(s, &s->evaluator);
  tell_restarted(s, &s->of_one_thread);
  tell_restarted(s, &s->servers.evaluator);
  for (size_t i = 0; i < sizeof s->ahead.spares / sizeof *s->ahead.spares; i++)
    tell_restarted(s, &s->ahead.spares[i]);
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
  if (s.of_one_thread.methods)
    tune_evaluator_destroy(&s.of_one_thread);
  tune_search_ahead_deinit(&s.ahead);
  tune_search_stop_servers(&s);
  if (s.known != s.database)
    tune_database_destroy(s.known);
  tune_database_destroy(s.database);
  tune_search_destroy_spaces(&s);
  tune_task_cuts_deinit(&s.cut);
  tune_module_tasks_deinit(&s.tasks);
  tune_rounds_destroy(s.rounds);
  tune_cores_deinit(&s.cores);
  json_decref(s.warnings);
  free(s.features);
  if (!tune_status_is_ok(status) && tune_search_is_interrupted(&s))
    return tune_status_annotate(status, "interrupted");
  return status;
}
