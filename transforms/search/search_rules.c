//===- search_rules.c - Other rules that take a task -----------------------------===//
//
// Which rule makes the space of a task is decided by their order (spaces/rule_registry.h), which
// was measured on some machines, sizes and types. Where a search has a time, what it has found by
// the first rule is compared with the defaults of the others. One that is faster than that has its
// space searched, too, and the better of the two is the winner: the choice `rule` on the ops says
// so, and in the database it is the last winner.
//
//===--------------------------------------------------------------------------===//

#include "transforms/search/search_state.h"
#include "transforms/spaces/best_rule.h"

#include <stdlib.h>

typedef struct tune_search search;

// The default of another rule has to be so much faster than the best of those before it, which is
// timed again then.
#define LEAST_SPEEDUP 1.1
// Nearer than that to its roofline, in percent, a task needs no other rule, and no parts.
#define ENOUGH_PERCENT 85

// What is known of a task by a rule.
typedef struct form {
  tune_task_space *space;
  size_t number; // of the rule among those that take the task
  tune_session_result result;
} form;

static void enter(search *s, const form *of, double first_time) {
  s->first_seconds = of->number ? first_time : 0;
  s->spaces[s->index] = of->space;
  s->tasks.attempts[s->index].passed_over = of->number;
  s->space = of->space;
}

static void form_deinit(form *of) {
  tune_task_space_destroy(of->space);
  tune_session_result_deinit(&of->result);
}

// The space of the present task's rule `number`; NULL where there is none.
static tune_status make_space(search *s, size_t number, tune_task_space **out_space) {
  tune_task_attempt *attempt = &s->tasks.attempts[s->index];
  size_t before = attempt->passed_over;
  *out_space = NULL;
  attempt->passed_over = number;
  tune_status status = tune_module_tasks_make_space(&s->tasks, s->index, out_space);
  attempt->passed_over = before;
  if (tune_status_is_ok(status) || tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

// Searches by the rule of `other`, which is the present one; what it finds is kept as the winner
// where it takes less than `limit`.
static tune_status search_other(search *s, double limit, form *other, bool *out_is_better) {
  tune_task task;
  tune_session_result_deinit(&other->result);
  other->result = (tune_session_result){.has_best = false};
  TUNE_RETURN_IF_ERROR(tune_search_run_trials(s, &task, &other->result));
  *out_is_better = other->result.has_best && other->result.time.median < limit;
  if (!*out_is_better)
    return TUNE_OK;
  tune_session_result_deinit(&other->result);
  other->result = (tune_session_result){.has_best = false};
  return tune_search_run_known(s, &task, &other->result);
}

// What `best` takes, timed again where the machine may have been slower then.
static tune_status time_best(search *s, const form *best, const form *other, double first_time,
                             double *out_seconds) {
  double ignored, again;
  enter(s, best, first_time);
  tune_status status = tune_search_time_again(s, &best->result.best, &ignored, &again);
  enter(s, other, first_time);
  *out_seconds = best->result.time.median;
  if (again > 0 && again < *out_seconds)
    *out_seconds = again;
  return status;
}

// Looks at the default of `other`, and searches by its rule where that is faster.
static tune_status try_other(search *s, const form *best, form *other, double first_time,
                             bool *out_is_better) {
  double seconds, limit;
  *out_is_better = false;
  TUNE_RETURN_IF_ERROR(tune_search_time_default(s, &other->result, &seconds));
  if (!(seconds > 0) || seconds * LEAST_SPEEDUP > best->result.time.median)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(time_best(s, best, other, first_time, &limit));
  if (seconds * LEAST_SPEEDUP > limit)
    return TUNE_OK;
  tune_task task;
  tune_task_space_get_task(other->space, s->tasks.extraction, &task);
  if (s->observer->rule_taken)
    s->observer->rule_taken(s->observer->user, &task, best->space->origin, other->space->origin,
                            limit, seconds);
  return search_other(s, limit, other, out_is_better);
}

bool tune_search_is_near_roofline(const search *s, const tune_task_space *space,
                                  const tune_session_result *result) {
  tune_task task;
  tune_task_space_get_task(space, s->tasks.extraction, &task);
  return tune_target_facts_percent_of_roofline(space->facts, &task, result->time.median) >=
         ENOUGH_PERCENT;
}

static bool is_worth_it(const search *s, const form *best) {
  return !tune_search_is_interrupted(s) && tune_search_budget_is_enough(s) &&
         !tune_search_is_near_roofline(s, best->space, &best->result);
}

// What the winner is compared with is the first rule's default; they were not timed side by side.
static void compare_with_first(search *s, double first_time, tune_session_result *result) {
  s->winners[s->index].first_time = result->default_time = first_time;
  result->is_default = result->was_compared = false;
  result->speedup = first_time / result->time.median;
  result->speedup_low = result->speedup_high = 0;
}

tune_status tune_search_try_rules(search *s, tune_task *task, tune_session_result *result) {
  if (!tune_search_is_graph_open(s) || !(s->end > 0) || s->is_of_parts || !result->has_best ||
      s->tasks.attempts[s->index].passed_over || !tune_task_space_is_free(s->space))
    return TUNE_OK;
  double first_time = result->default_time;
  form best = {.space = s->spaces[s->index], .result = *result};
  tune_status status = TUNE_OK;
  for (size_t i = 1; i < TUNE_BEST_RULE_MOST && tune_status_is_ok(status) && is_worth_it(s, &best);
       i++) {
    form other = {.number = i};
    bool is_better = false;
    status = make_space(s, i, &other.space);
    if (!other.space)
      break;
    enter(s, &other, first_time);
    if (!other.space->leaves_device && tune_status_is_ok(status))
      status = try_other(s, &best, &other, first_time, &is_better);
    form_deinit(is_better ? &best : &other);
    if (is_better)
      best = other;
    enter(s, &best, first_time);
  }
  s->first_seconds = 0;
  *result = best.result;
  if (best.number && first_time > 0)
    compare_with_first(s, first_time, result);
  tune_task_space_get_task(s->space, s->tasks.extraction, task);
  return status;
}
