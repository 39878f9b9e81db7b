//===- module_trials.c --------------------------------------------------------===//

#include "transforms/search/module_trials.h"

#include "formats/task_function.h"
#include "support/clock.h"
#include "support/file.h"
#include "support/scratch.h"
#include "transforms/ir/ir.h"
#include "transforms/search/whole_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each form is measured so often; the median counts.
#define ROUNDS 3
#define WAIT_SECONDS 0.1

// A form while it is measured.
typedef struct contender {
  const tune_module_trials *trials;
  char *path;                  // of the module's text
  MlirOperation module;        // the form's
  tune_extraction *extraction; // of it
  tune_space *space;           // without knobs
  tune_task_module description;
  tune_task task;
  tune_evaluator evaluator;
  double times[ROUNDS];
  size_t time_count;
  double *task_seconds; // NULL: not wanted
  bool has_failed;
} contender;

static bool goes_on(const tune_module_trials *trials) {
  const tune_session_options *session = &trials->options->session;
  return !(session->interrupted && *session->interrupted) &&
         !(trials->deadline > 0 && tune_clock_seconds() >= trials->deadline);
}

//===--------------------------------------------------------------------------===//
// Forms
//===--------------------------------------------------------------------------===//

static tune_status write_module(contender *c, const char *folder, size_t number) {
  char *text = NULL;
  if (asprintf(&c->path, "%s/form_%zu.mlir", folder, number) < 0) {
    c->path = NULL;
    return tune_status_out_of_memory("looking at forms of a module");
  }
  TUNE_RETURN_IF_ERROR(tune_ir_print(c->module, false, &text));
  tune_status status = tune_file_write(c->path, text, strlen(text));
  free(text);
  return status;
}

static void describe_task(contender *c, const tune_module_form *form) {
  const tune_module_trials *trials = c->trials;
  c->description = (tune_task_module){.path = c->path,
                                      .schedule = trials->options->tasks.schedule,
                                      .is_of_other_sizes = form->takes_what_fits,
                                      .times_tasks = form->times_tasks};
  c->task = tune_whole_task_describe(trials->options, trials->facts, c->extraction, c->space,
                                     &c->description);
}

static tune_status start(contender *c) {
  tune_process_evaluator_options options;
  tune_search_describe_evaluator(c->trials->options, c->trials->facts, &options);
  tune_whole_task_set_limits(&options);
  TUNE_RETURN_IF_ERROR(tune_evaluator_process_create(&options, &c->evaluator));
  return c->evaluator.methods->open(c->evaluator.self, &c->task);
}

static tune_status make(contender *c, const tune_module_form *form, const char *folder,
                        size_t number) {
  c->module = form->module;
  TUNE_RETURN_IF_ERROR(tune_extract(mlirModuleFromOperation(c->module),
                                    tune_module_tasks_cpu_threads(&c->trials->options->tasks),
                                    &c->extraction));
  TUNE_RETURN_IF_ERROR(tune_space_create(&c->space));
  c->task_seconds =
      form->times_tasks ? calloc(c->extraction->task_count + 1, sizeof *c->task_seconds) : NULL;
  if (form->times_tasks && !c->task_seconds)
    return tune_status_out_of_memory("looking at forms of a module");
  TUNE_RETURN_IF_ERROR(write_module(c, folder, number));
  describe_task(c, form);
  return start(c);
}

static void contender_deinit(contender *c) {
  if (c->evaluator.methods) {
    c->evaluator.methods->close(c->evaluator.self);
    tune_evaluator_destroy(&c->evaluator);
  }
  tune_space_destroy(c->space);
  tune_extraction_destroy(c->extraction);
  free(c->path);
  free(c->task_seconds);
}

static int compare_times(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

static double find_median(contender *c) {
  if (c->has_failed || c->time_count < ROUNDS)
    return 0;
  qsort(c->times, ROUNDS, sizeof *c->times, compare_times);
  return c->times[ROUNDS / 2];
}

static void take_results(contender *c, tune_module_form *form) {
  form->seconds = find_median(c);
  form->task_seconds = NULL;
  form->task_count = 0;
  if (!(form->seconds > 0) || !c->task_seconds)
    return;
  form->task_seconds = c->task_seconds;
  form->task_count = c->extraction->task_count;
  c->task_seconds = NULL;
}

//===--------------------------------------------------------------------------===//
// Building and measuring
//===--------------------------------------------------------------------------===//

#define TICKET 1

// Whether it is the form that does not work: it cannot be made, or its reference says nothing.
static bool is_of_form(tune_status status) {
  tune_status_code code = tune_status_get_code(status);
  return code == TUNE_INVALID_ARGUMENT || code == TUNE_FAILED_PRECONDITION ||
         code == TUNE_NOT_FOUND;
}

// A task may have several functions, whose constants are packed apart: they add up.
static tune_status take_parts(contender *c, const tune_evaluation *event) {
  size_t count = c->extraction->task_count;
  double *now = c->task_seconds ? calloc(count + 1, sizeof *now) : NULL;
  if (!c->task_seconds)
    return TUNE_OK;
  if (!now)
    return tune_status_out_of_memory("looking at forms of a module");
  for (size_t i = 0; i < event->part_count; ++i) {
    size_t task = tune_task_function_index(event->parts[i].function);
    if (task < count) // of what threads do at once that of one counts
      now[task] += event->parts[i].seconds / (double)c->extraction->tasks[task].at_once;
  }
  for (size_t i = 0; i < count; ++i)
    if (!(c->task_seconds[i] > 0) || now[i] < c->task_seconds[i])
      c->task_seconds[i] = now[i];
  free(now);
  return TUNE_OK;
}

// Waits for what becomes of the ticket.
static tune_status await(contender *c, bool *out_ended) {
  const tune_evaluator_class *methods = c->evaluator.methods;
  while (goes_on(c->trials)) {
    tune_evaluation event;
    bool any;
    tune_status status = methods->wait(c->evaluator.self, WAIT_SECONDS, &event, &any);
    if (is_of_form(status)) {
      tune_status_free(status);
      c->has_failed = true;
      return methods->cancel(c->evaluator.self);
    }
    TUNE_RETURN_IF_ERROR(status);
    if (!any)
      continue;
    c->has_failed = event.verdict != TUNE_VERDICT_OK;
    if (event.is_measured && !c->has_failed) {
      c->times[c->time_count++] = event.time.median;
      status = take_parts(c, &event);
    }
    tune_evaluation_deinit(&event);
    return status;
  }
  *out_ended = true;
  return methods->cancel(c->evaluator.self);
}

static tune_status build(contender *c, bool *out_ended) {
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, c->space));
  tune_status status = c->evaluator.methods->build(c->evaluator.self, TICKET, &config);
  tune_config_deinit(&config);
  return tune_status_is_ok(status) ? await(c, out_ended) : status;
}

static tune_status measure(contender *c, bool *out_ended) {
  TUNE_RETURN_IF_ERROR(c->evaluator.methods->measure(c->evaluator.self, TICKET, 0));
  return await(c, out_ended);
}

// Everything that is built is, before anything is measured; then all are in turns.
static tune_status build_and_measure(contender *contenders, size_t count, bool *out_ended) {
  for (size_t i = 0; i < count && !*out_ended; ++i)
    if (!contenders[i].has_failed)
      TUNE_RETURN_IF_ERROR(build(&contenders[i], out_ended));
  for (int round = 0; round < ROUNDS; ++round)
    for (size_t i = 0; i < count && !*out_ended; ++i)
      if (!contenders[i].has_failed)
        TUNE_RETURN_IF_ERROR(measure(&contenders[i], out_ended));
  return TUNE_OK;
}

// A form that cannot be made is one that does not work.
static tune_status make_all(contender *contenders, const tune_module_form *forms, size_t count,
                            const char *folder) {
  for (size_t i = 0; i < count; ++i) {
    contenders[i].has_failed = mlirOperationIsNull(forms[i].module);
    if (contenders[i].has_failed)
      continue;
    tune_status status = make(&contenders[i], &forms[i], folder, i);
    if (!tune_status_is_ok(status) && !is_of_form(status))
      return status;
    contenders[i].has_failed = !tune_status_is_ok(status);
    tune_status_free(status);
  }
  return TUNE_OK;
}

tune_status tune_module_trials_run(const tune_module_trials *trials, tune_module_form *forms,
                                   size_t count, bool *out_ended) {
  contender contenders[TUNE_MOST_MODULE_FORMS] = {{.trials = NULL}};
  tune_scratch *scratch;
  *out_ended = false;
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&scratch));
  for (size_t i = 0; i < count; ++i)
    contenders[i].trials = trials;
  tune_status status = make_all(contenders, forms, count, tune_scratch_get_path(scratch));
  if (tune_status_is_ok(status))
    status = build_and_measure(contenders, count, out_ended);
  for (size_t i = 0; i < count; ++i) {
    take_results(&contenders[i], &forms[i]);
    contender_deinit(&contenders[i]);
  }
  tune_scratch_destroy(scratch);
  return status;
}
