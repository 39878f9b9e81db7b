//===- search_ahead.c - What the next task is checked against, made meanwhile ------===//
//
// Before the first candidate of a task is timed, its plain lowering is built and runs on all sets
// of inputs (tools/tune-measure/reference.h): seconds, of which a network's tasks would spend most
// of a search of minutes. So a second evaluator prepares the next task where builds run, while the
// present one is timed; then the two change places.
//
//===--------------------------------------------------------------------------===//

#include "transforms/search/search_state.h"
#include "transforms/search/whole_task.h"
#include "tuning/evaluators/process.h"

typedef struct tune_search search;

static bool is_of_one_thread(const search *s, size_t task) {
  return s->of_one_thread.methods && s->spaces[task]->facts == s->tasks.of_one_thread;
}

static tune_evaluator *evaluator_of(search *s, bool of_one_thread) {
  return of_one_thread ? &s->of_one_thread : &s->evaluator;
}

static void forget(search *s) {
  tune_search_ahead *ahead = &s->ahead;
  if (ahead->is_prepared) {
    const tune_evaluator *spare = &ahead->spares[ahead->of_one_thread];
    spare->methods->close(spare->self);
  }
  ahead->is_prepared = false;
}

// Servers that failed may do so again: the next task gets others.
static void give_up(search *s) {
  forget(s);
  tune_evaluator_destroy(&s->ahead.spares[s->ahead.of_one_thread]);
}

void tune_search_drop_prepared(search *s) {
  if (!s->is_of_parts && s->ahead.index == s->index)
    forget(s);
}

static tune_status start(search *s, bool of_one_thread) {
  tune_process_evaluator_options options;
  const tune_target_facts *facts = of_one_thread ? s->tasks.of_one_thread : s->tasks.facts;
  if (s->ahead.spares[of_one_thread].methods)
    return TUNE_OK;
  tune_search_describe_evaluator(s->options, facts, &options);
  return tune_evaluator_process_create(&options, &s->ahead.spares[of_one_thread]);
}

// Whether there are cores that the next task can be prepared on while the present one is timed:
// not where builds take turns with that, nor where it is timed on cores that a task of one thread
// takes to be free.
static bool has_cores(const search *s, size_t next) {
  return is_of_one_thread(s, next) ? is_of_one_thread(s, s->index) : !s->cores.are_shared;
}

static bool is_worth_it(const search *s, size_t next) {
  return !s->ahead.is_prepared && !s->looks[next].is_ahead && !tune_search_is_interrupted(s) &&
         has_cores(s, next);
}

static tune_status prepare(search *s, size_t task) {
  tune_search_ahead *ahead = &s->ahead;
  ahead->of_one_thread = is_of_one_thread(s, task);
  TUNE_RETURN_IF_ERROR(start(s, ahead->of_one_thread));
  ahead->is_prepared = true;
  ahead->index = task;
  tune_task_space_get_task(s->spaces[task], s->tasks.extraction, &ahead->task);
  const tune_evaluator *spare = &ahead->spares[ahead->of_one_thread];
  return spare->methods->prepare(spare->self, &ahead->task);
}

// What fails is told where the task is searched, if it fails there, too.
tune_status tune_search_prepare_next(search *s) {
  size_t task;
  bool can_prepare = s->takes_time && s->evaluator.methods->prepare && !s->is_of_parts;
  if (!can_prepare || !tune_search_budget_next(s, &task) || !is_worth_it(s, task))
    return TUNE_OK;
  tune_status status = prepare(s, task);
  if (tune_status_is_ok(status))
    return TUNE_OK;
  give_up(s);
  if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

void tune_search_advance_next(search *s) {
  tune_evaluation event;
  bool any;
  if (!s->ahead.is_prepared)
    return;
  const tune_evaluator *spare = &s->ahead.spares[s->ahead.of_one_thread];
  tune_status status = spare->methods->wait(spare->self, 0, &event, &any);
  if (!tune_status_is_ok(status))
    give_up(s);
  tune_status_free(status);
}

tune_evaluator *tune_search_take_evaluator(search *s) {
  tune_search_ahead *ahead = &s->ahead;
  bool of_one_thread = is_of_one_thread(s, s->index);
  tune_evaluator *evaluator = evaluator_of(s, of_one_thread);
  if (ahead->is_prepared && !s->is_of_parts && ahead->index == s->index) {
    tune_evaluator before = *evaluator;
    *evaluator = ahead->spares[of_one_thread];
    ahead->spares[of_one_thread] = before;
    ahead->is_prepared = false;
  }
  return evaluator;
}

void tune_search_ahead_deinit(tune_search_ahead *ahead) {
  for (size_t i = 0; i < sizeof ahead->spares / sizeof *ahead->spares; i++)
    if (ahead->spares[i].methods)
      tune_evaluator_destroy(&ahead->spares[i]);
  ahead->is_prepared = false;
}
