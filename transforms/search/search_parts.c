//===- search_parts.c - A search of the parts of a task -----------------------------===//
//
// Where no candidate of a task works by any rule, whoever builds the module cuts the task apart
// (spaces/module_fallback.h), and takes what the database has of the parts. So these are searched
// in its place. Nothing is written onto ops: to a module that is not cut they are none that tasks
// are named after.
//
//===--------------------------------------------------------------------------===//

#include "support/clock.h"
#include "transforms/search/search_state.h"

#include <stdlib.h>

typedef struct tune_search search;

// The tasks where that with `key` is cut apart as well; `*out_extraction` is NULL where it has no
// parts.
static tune_status cut(search *s, const tune_digest *key, tune_fusion_cut_form form,
                       tune_extraction **out_extraction, tune_anchors *out_anchors) {
  TUNE_RETURN_IF_ERROR(tune_task_cuts_add(&s->cut, &(tune_task_cut){*key, form}));
  tune_status status = tune_module_tasks_cut(&s->tasks, mlirModuleGetOperation(s->module), &s->cut,
                                             out_extraction, out_anchors);
  if (tune_status_is_ok(status) &&
      tune_extraction_find(*out_extraction, key) == (*out_extraction)->task_count)
    return TUNE_OK;
  --s->cut.count;
  tune_anchors_deinit(out_anchors);
  tune_extraction_destroy(*out_extraction);
  *out_extraction = NULL;
  if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

static bool is_part(const tune_extraction *before, const tune_extracted_task *task) {
  return tune_extraction_find(before, &task->key) == before->task_count;
}

// The search with the tasks of `extraction`, which it takes, in place of its own, and with the
// spaces of those that `before` does not have.
static tune_status enter(search *s, const tune_extraction *before, tune_extraction *extraction,
                         const tune_anchors *anchors) {
  size_t count = extraction->task_count;
  s->tasks.extraction = extraction;
  s->tasks.anchors = *anchors;
  s->tasks.attempts = calloc(count + 1, sizeof *s->tasks.attempts);
  s->spaces = calloc(count + 1, sizeof *s->spaces);
  s->winners = calloc(count + 1, sizeof *s->winners);
  s->looks = calloc(count + 1, sizeof *s->looks);
  if (!s->tasks.attempts || !s->spaces || !s->winners || !s->looks)
    return tune_status_out_of_memory("searching the parts of a task");
  for (size_t i = 0; i < count; i++)
    if (is_part(before, &extraction->tasks[i]))
      TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(&s->tasks, i, &s->spaces[i]));
  return TUNE_OK;
}

static void leave(search *s) {
  tune_search_destroy_spaces(s);
  tune_anchors_deinit(&s->tasks.anchors);
  tune_extraction_destroy(s->tasks.extraction);
  free(s->tasks.attempts);
}

// What one of the parts fails for is told where it is searched.
static tune_status search_each(search *s, tune_status (*tune_one)(search *s), bool *out_any_works) {
  *out_any_works = false;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    size_t failed = s->failed_tasks;
    if (!s->spaces[i])
      continue;
    tune_search_turn_to(s, i);
    TUNE_RETURN_IF_ERROR(tune_one(s));
    *out_any_works = *out_any_works || s->failed_tasks == failed;
  }
  return TUNE_OK;
}

// All else than what the search is at goes on.
void tune_search_leave_parts(search *s, const search *before) {
  leave(s);
  s->tasks = before->tasks;
  s->spaces = before->spaces;
  s->winners = before->winners;
  s->looks = before->looks;
  s->is_of_parts = before->is_of_parts;
  s->has_profile = before->has_profile;
  s->end = before->end;
  tune_search_turn_to(s, before->index);
}

static tune_status search_parts(search *s, const search *before, const tune_task *task,
                                const tune_failures *failures, tune_status (*tune_one)(search *s)) {
  const tune_task_space *space = before->space;
  bool any_works;
  if (s->observer->task_fell_back)
    s->observer->task_fell_back(s->observer->user, before->index, space->task->location, task,
                                space->origin, "its parts, each for itself", failures);
  tune_status status = search_each(s, tune_one, &any_works);
  s->failed_tasks = before->failed_tasks + !any_works;
  return status;
}

tune_status tune_search_enter_parts(search *s, tune_fusion_cut_form form, search *out_before,
                                    bool *out_is_cut) {
  *out_is_cut = false;
  tune_extraction *extraction;
  tune_anchors anchors;
  TUNE_RETURN_IF_ERROR(cut(s, &s->space->task->key, form, &extraction, &anchors));
  if (!extraction)
    return TUNE_OK;
  *out_before = *s;
  // The parts have the time that the task would have had.
  double share = s->end > 0 ? tune_search_budget_share(s) : 0;
  if (s->end > 0)
    s->end = tune_clock_seconds() + (share > 0 ? share : 0);
  if (!s->is_of_parts)
    s->whole = s->index;
  s->is_of_parts = true;
  s->has_profile = false;
  tune_status status = enter(s, out_before->tasks.extraction, extraction, &anchors);
  *out_is_cut = tune_status_is_ok(status);
  if (*out_is_cut)
    return TUNE_OK;
  tune_search_leave_parts(s, out_before);
  --s->cut.count;
  if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
    return status;
  tune_status_free(status); // the user has said what is of the whole task alone
  return TUNE_OK;
}

tune_status tune_search_search_parts(search *s, const tune_task *task,
                                     const tune_failures *failures,
                                     tune_status (*tune_one)(search *s), bool *out_is_cut) {
  search before;
  *out_is_cut = false;
  if (s->space->is_users || tune_search_is_interrupted(s))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_search_enter_parts(s, TUNE_CUT_NONE, &before, out_is_cut));
  if (!*out_is_cut)
    return TUNE_OK;
  tune_status status = search_parts(s, &before, task, failures, tune_one);
  tune_search_leave_parts(s, &before);
  return status;
}
