//===- search_profile.c - What each task takes in the module by default ------------===//
//
// One build of the whole module, which times the tasks that it calls, in place of one build, one
// reference and one session of each task: a network has dozens of them, and most are not worth a
// search. Times in place are also those that count, with the caches as the tasks before leave them.
// What is seen is not checked, and says only where the search's time goes.
//
//===--------------------------------------------------------------------------===//

#include "formats/task_function.h"
#include "support/clock.h"
#include "transforms/search/search_state.h"
#include "transforms/search/whole_task.h"

#include <stdlib.h>

// Of fewer tasks that are part of a run each is looked at by itself.
#define FEWEST_TASKS 5
#define TICKET 1
#define WAIT_SECONDS 0.2

typedef struct tune_search search;

typedef struct profile {
  search *search;
  const tune_evaluator *evaluator;
  double deadline;
} profile;

static bool goes_on(const profile *p) {
  return tune_clock_seconds() < p->deadline && !tune_search_is_interrupted(p->search);
}

// Waits for what becomes of the ticket; its verdict is CANCELLED where time was up.
static tune_status await(profile *p, tune_evaluation *out_event) {
  const tune_evaluator_class *methods = p->evaluator->methods;
  *out_event = (tune_evaluation){.verdict = TUNE_VERDICT_CANCELLED};
  while (goes_on(p)) {
    bool any;
    TUNE_RETURN_IF_ERROR(methods->wait(p->evaluator->self, WAIT_SECONDS, out_event, &any));
    if (any)
      return TUNE_OK;
    *out_event = (tune_evaluation){.verdict = TUNE_VERDICT_CANCELLED};
  }
  return methods->cancel(p->evaluator->self);
}

static tune_status build(profile *p, tune_evaluation *out_event) {
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, p->search->servers.no_knobs));
  tune_status status = p->evaluator->methods->build(p->evaluator->self, TICKET, &config);
  tune_config_deinit(&config);
  return tune_status_is_ok(status) ? await(p, out_event) : status;
}

// A task may have several functions, whose constants are packed apart.
static void take_parts(search *s, const tune_evaluation *event) {
  size_t count = s->tasks.extraction->task_count;
  for (size_t i = 0; i < event->part_count; i++) {
    const tune_part_time *part = &event->parts[i];
    size_t index = tune_task_function_index(part->function);
    size_t task = index < s->servers.run_count ? s->servers.run[index] : count;
    if (task < count) {
      // Of what threads do at once that of one counts.
      double at_once = (double)s->tasks.extraction->tasks[task].at_once;
      s->looks[task].in_place += part->seconds / at_once;
      s->looks[task].calls += part->calls / at_once;
    }
  }
  s->has_profile = event->part_count > 0;
}

static void note_build(search *s, const tune_evaluation *event) {
  for (int stage = 0; stage < TUNE_STAGE_LINK; stage++)
    s->profile_build_seconds += event->stage_seconds[stage];
}

static tune_status build_and_measure(profile *p) {
  tune_evaluation event;
  TUNE_RETURN_IF_ERROR(build(p, &event));
  bool is_built = event.verdict == TUNE_VERDICT_OK;
  if (is_built)
    note_build(p->search, &event);
  tune_evaluation_deinit(&event);
  if (!is_built)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(p->evaluator->methods->measure(p->evaluator->self, TICKET, 0));
  tune_status status = await(p, &event);
  if (tune_status_is_ok(status) && event.is_measured && event.verdict == TUNE_VERDICT_OK)
    take_parts(p->search, &event);
  tune_evaluation_deinit(&event);
  return status;
}

static tune_status run(profile *p) {
  search *s = p->search;
  TUNE_RETURN_IF_ERROR(tune_search_start_servers(s));
  const tune_task_module module = {
      .path = s->servers.path, .schedule = s->options->tasks.schedule, .times_tasks = true};
  const tune_task task = tune_whole_task_describe(s->options, s->tasks.facts, s->tasks.extraction,
                                                  s->servers.no_knobs, &module);
  p->evaluator = &s->servers.evaluator;
  tune_status status = p->evaluator->methods->open(p->evaluator->self, &task);
  if (tune_status_is_ok(status))
    status = build_and_measure(p);
  p->evaluator->methods->close(p->evaluator->self);
  return tune_status_is_ok(status) && s->has_profile ? tune_search_prepare_whole(s) : status;
}

static bool is_worth_it(const search *s) {
  size_t count = 0;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++)
    count += s->spaces[i] && !s->looks[i].is_ahead;
  return s->takes_time && s->tasks.facts->name.kind == TUNE_KIND_CPU && count >= FEWEST_TASKS;
}

tune_status tune_search_profile(search *s, double deadline) {
  if (!is_worth_it(s))
    return TUNE_OK;
  profile p = {.search = s, .deadline = deadline};
  tune_status status = run(&p);
  if (!s->servers.is_prepared)
    tune_search_stop_servers(s);
  // A module that does not work as a whole has tasks that may.
  if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}
