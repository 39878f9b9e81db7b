//===- module_fallback.c ------------------------------------------------------===//

#include "transforms/spaces/module_fallback.h"

#include "dialects/choices.h"
#include "transforms/ir/ir.h"
#include "transforms/schedule/instantiate.h"
#include "transforms/spaces/module_schedule.h"
#include "transforms/tasks/normalize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
  tune_module_plan *plan;
  MlirOperation module; // borrowed, with its choices
} builder;

static size_t count_tasks(const tune_module_plan *plan) {
  return plan->tasks.extraction->task_count;
}

// Whether another schedule might do better. Where memory is short or somebody wants it to end,
// none.
static bool is_of_schedule(tune_status status) {
  tune_status_code code = tune_status_get_code(status);
  return code != TUNE_STATUS_OK && code != TUNE_OUT_OF_MEMORY && code != TUNE_CANCELLED;
}

//===--------------------------------------------------------------------------===//
// Building
//===--------------------------------------------------------------------------===//

static tune_status build_one(const builder *b, MlirOperation module, MlirOperation script,
                             size_t task) {
  const tune_module_choices_options *options = b->plan->options;
  if (options->build)
    return options->build(options->user, module, script, task);
  if (mlirOperationIsNull(script))
    return TUNE_OK;
  return task == TUNE_WHOLE_MODULE ? tune_module_schedule_apply(module, script, &options->stages)
                                   : tune_schedule_apply(module, script);
}

static tune_status build_whole(const builder *b, MlirOperation *out_script,
                               MlirOperation *out_built) {
  *out_built = (MlirOperation){NULL};
  TUNE_RETURN_IF_ERROR(tune_module_plan_combine(b->plan, out_script));
  MlirOperation module = mlirOperationClone(b->module);
  tune_choices_strip(module);
  tune_normalize_forget_done(module);
  tune_status status = build_one(b, module, *out_script, TUNE_WHOLE_MODULE);
  if (tune_status_is_ok(status)) {
    *out_built = module;
    return TUNE_OK;
  }
  mlirOperationDestroy(module);
  if (!mlirOperationIsNull(*out_script))
    mlirOperationDestroy(*out_script);
  *out_script = (MlirOperation){NULL};
  return status;
}

// Whether the module builds as it is planned. What comes of it goes.
static tune_status try_whole(const builder *b, bool *out_builds) {
  MlirOperation script, built;
  tune_status status = build_whole(b, &script, &built);
  *out_builds = tune_status_is_ok(status);
  if (!*out_builds && !is_of_schedule(status))
    return status;
  tune_status_free(status);
  if (!*out_builds)
    return TUNE_OK;
  mlirOperationDestroy(built);
  if (!mlirOperationIsNull(script))
    mlirOperationDestroy(script);
  return TUNE_OK;
}

static tune_status build_task(const builder *b, size_t task) {
  MlirOperation payload;
  TUNE_RETURN_IF_ERROR(tune_ir_parse(b->plan->tasks.context,
                                     b->plan->tasks.extraction->tasks[task].payload, "payload.mlir",
                                     &payload));
  tune_status status = build_one(b, payload, b->plan->planned[task].schedule, task);
  mlirOperationDestroy(payload);
  return status;
}

//===--------------------------------------------------------------------------===//
// Another schedule
//===--------------------------------------------------------------------------===//

static tune_status note_failure(tune_planned_task *planned, const char *failure) {
  static const char *const WORDS[] = {[TUNE_ORIGIN_CHOICES] = ", as the choices on it say",
                                      [TUNE_ORIGIN_DATABASE] = ", as the database says",
                                      [TUNE_ORIGIN_DEFAULT] = "",
                                      [TUNE_ORIGIN_CONFIG] = ", as is asked for"};
  if (planned->failed)
    return TUNE_OK;
  planned->failure = strdup(failure);
  if (asprintf(&planned->failed, "%s%s", planned->origin_name, WORDS[planned->origin]) < 0)
    planned->failed = NULL;
  return planned->failed && planned->failure ? TUNE_OK
                                             : tune_status_out_of_memory("trying another schedule");
}

static void forget_failure(tune_planned_task *planned) {
  free(planned->failed);
  free(planned->failure);
  planned->failed = planned->failure = NULL;
}

tune_status tune_module_fallback_advance(tune_module_plan *plan, size_t task, const char *failure,
                                         bool *out_is_there) {
  tune_planned_task *planned = &plan->planned[task];
  tune_task_attempt attempt = plan->tasks.attempts[task];
  bool is_first_failure = !planned->failed;
  *out_is_there = !planned->is_users;
  if (planned->is_users)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(note_failure(planned, failure));
  // Parts of a task take records, but no choices. The database may have meant another rule than the
  // first.
  if (planned->origin == TUNE_ORIGIN_DATABASE)
    attempt = (tune_task_attempt){.takes_defaults = true};
  else if (!attempt.takes_defaults && planned->origin != TUNE_ORIGIN_DEFAULT)
    attempt.takes_defaults = true;
  else
    ++attempt.passed_over;
  tune_status status = tune_module_plan_decide(plan, task, attempt, false);
  *out_is_there = tune_status_is_ok(status);
  if (*out_is_there)
    return TUNE_OK;
  if (is_first_failure)
    forget_failure(planned);
  if (!is_of_schedule(status))
    return status;
  tune_status_free(status); // no rule is left, or the user has said what is of this one alone
  return TUNE_OK;
}

tune_status tune_module_fallback_advance_or_cut(tune_module_plan *plan, size_t task,
                                                const char *failure, bool *out_is_cut,
                                                bool *out_is_there) {
  *out_is_cut = false;
  TUNE_RETURN_IF_ERROR(tune_module_fallback_advance(plan, task, failure, out_is_there));
  if (*out_is_there && !plan->planned[task].leaves_device)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_module_plan_cut(plan, task, TUNE_CUT_NONE, failure, out_is_cut));
  *out_is_there |= *out_is_cut;
  return TUNE_OK;
}

static tune_status take_last(tune_module_plan *plan, size_t task, const char *failure) {
  for (bool is_there = true; is_there;)
    TUNE_RETURN_IF_ERROR(tune_module_fallback_advance(plan, task, failure, &is_there));
  return TUNE_OK;
}

tune_status tune_module_fallback_take_last(tune_module_plan *plan, const char *failure) {
  for (size_t i = 0; i < count_tasks(plan); ++i)
    TUNE_RETURN_IF_ERROR(take_last(plan, i, failure));
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Tasks that fail by themselves
//===--------------------------------------------------------------------------===//

// Takes `why` the task cannot be built as it is. Where it is cut apart tasks have other indices.
static tune_status advance_until_built(builder *b, size_t task, tune_status why, bool *out_is_cut) {
  *out_is_cut = false;
  tune_status status = TUNE_OK;
  do {
    tune_status_free(status);
    bool is_there = false;
    status = tune_module_fallback_advance_or_cut(b->plan, task, tune_status_get_message(why),
                                                 out_is_cut, &is_there);
    if (tune_status_is_ok(status) && !is_there)
      return why;
    if (tune_status_is_ok(status) && !*out_is_cut)
      status = build_task(b, task);
  } while (is_of_schedule(status));
  tune_status_free(why);
  return status;
}

// Gives those that fail other schedules, where the user has not said which. `*out_any`: there were
// some.
static tune_status mend_tasks(builder *b, bool *out_any) {
  *out_any = false;
  for (size_t i = 0; i < count_tasks(b->plan);) {
    tune_status status = b->plan->planned[i].is_users ? TUNE_OK : build_task(b, i);
    bool is_cut = false;
    if (!tune_status_is_ok(status)) {
      if (!is_of_schedule(status))
        return status;
      TUNE_RETURN_IF_ERROR(advance_until_built(b, i, status, &is_cut));
      *out_any = true;
    }
    i = is_cut ? 0 : i + 1;
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Tasks that the module fails for
//===--------------------------------------------------------------------------===//

// The search for them.
typedef struct together {
  builder *builder;
  bool *stays;                // of each task: it has found its schedule
  tune_planned_task *before;  // of each task: what it had when the search began
  tune_task_attempt *attempt; //
  const char *failure;        // of the module
} together;

static tune_status restore(const together *t, size_t task) {
  tune_module_plan *plan = t->builder->plan;
  tune_planned_task copy;
  TUNE_RETURN_IF_ERROR(tune_planned_task_init_copy(&copy, &t->before[task]));
  tune_planned_task_deinit(&plan->planned[task]);
  plan->planned[task] = copy;
  plan->tasks.attempts[task] = t->attempt[task];
  return TUNE_OK;
}

// Gives the first `count` tasks, but those that stay as they are, their last rules, and the others
// what they had before.
static tune_status take_last_of(const together *t, size_t count) {
  tune_module_plan *plan = t->builder->plan;
  for (size_t i = 0; i < count_tasks(plan); ++i)
    if (!t->stays[i])
      TUNE_RETURN_IF_ERROR(i < count ? take_last(plan, i, t->failure) : restore(t, i));
  return TUNE_OK;
}

static tune_status try_first(const together *t, size_t count, bool *out_builds) {
  TUNE_RETURN_IF_ERROR(take_last_of(t, count));
  return try_whole(t->builder, out_builds);
}

// Gives `task` the first of its schedules with which the module builds, where those before it have
// their last rules.
static tune_status take_first_that_builds(const together *t, size_t task) {
  TUNE_RETURN_IF_ERROR(take_last_of(t, task));
  bool is_there = true, builds = false;
  while (is_there && !builds) {
    TUNE_RETURN_IF_ERROR(
        tune_module_fallback_advance(t->builder->plan, task, t->failure, &is_there));
    if (is_there)
      TUNE_RETURN_IF_ERROR(try_whole(t->builder, &builds));
  }
  return TUNE_OK;
}

// Finds by halves the task whose last rule lets the module build, with all before it, and gives it
// another schedule, to stay. `*out_found` is false where not even all of them do.
static tune_status mend_one(together *t, bool *out_found) {
  size_t low = 0, high = count_tasks(t->builder->plan);
  TUNE_RETURN_IF_ERROR(try_first(t, high, out_found));
  while (*out_found && low + 1 < high) {
    size_t middle = low + (high - low) / 2;
    bool builds;
    TUNE_RETURN_IF_ERROR(try_first(t, middle, &builds));
    *(builds ? &high : &low) = middle;
  }
  if (*out_found) {
    TUNE_RETURN_IF_ERROR(take_first_that_builds(t, high - 1));
    t->stays[high - 1] = true;
  }
  return take_last_of(t, 0);
}

static tune_status together_init(together *t, builder *b, const char *failure) {
  size_t count = count_tasks(b->plan);
  *t = (together){.builder = b,
                  .stays = calloc(count + 1, sizeof *t->stays),
                  .before = calloc(count + 1, sizeof *t->before),
                  .attempt = calloc(count + 1, sizeof *t->attempt),
                  .failure = failure};
  if (!t->stays || !t->before || !t->attempt)
    return tune_status_out_of_memory("trying other schedules");
  memcpy(t->attempt, b->plan->tasks.attempts, count * sizeof *t->attempt);
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(tune_planned_task_init_copy(&t->before[i], &b->plan->planned[i]));
  return TUNE_OK;
}

static void together_deinit(together *t) {
  for (size_t i = 0; t->before && i < count_tasks(t->builder->plan); ++i)
    if (t->before[i].origin_name)
      tune_planned_task_deinit(&t->before[i]);
  free(t->stays);
  free(t->before);
  free(t->attempt);
}

// Gives tasks that the module fails for other schedules, until it builds.
static tune_status mend_together(builder *b, const char *failure, bool *out_builds) {
  together t;
  *out_builds = false;
  bool found = true;
  tune_status status = together_init(&t, b, failure);
  for (size_t i = 0; i < count_tasks(b->plan) && found && !*out_builds && tune_status_is_ok(status);
       ++i) {
    status = mend_one(&t, &found);
    if (tune_status_is_ok(status) && found)
      status = try_whole(b, out_builds);
  }
  together_deinit(&t);
  return status;
}

// Whether some task may have another schedule.
static bool may_mend(const tune_module_plan *plan) {
  for (size_t i = 0; i < count_tasks(plan); ++i)
    if (!plan->planned[i].is_users)
      return !plan->options->is_strict;
  return false;
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

// Takes `why` the module does not build as it is planned, where each task does. The first failure
// is told where nothing helps.
static tune_status mend_whole(builder *b, tune_status why, MlirOperation *out_script,
                              MlirOperation *out_built) {
  bool builds;
  tune_status status = mend_together(b, tune_status_get_message(why), &builds);
  if (tune_status_is_ok(status) && !builds)
    return why;
  tune_status_free(why);
  return tune_status_is_ok(status) ? build_whole(b, out_script, out_built) : status;
}

tune_status tune_module_fallback_build(tune_module_plan *plan, MlirOperation module,
                                       MlirOperation *out_script, MlirOperation *out_built) {
  *out_script = *out_built = (MlirOperation){NULL};
  builder b = {.plan = plan, .module = module};
  bool any = false;
  bool is_mendable = may_mend(plan);
  if (plan->options->tasks_first && is_mendable)
    TUNE_RETURN_IF_ERROR(mend_tasks(&b, &any));
  tune_status status = build_whole(&b, out_script, out_built);
  if (!is_of_schedule(status) || !is_mendable)
    return status;
  if (!plan->options->tasks_first) {
    tune_status mended = mend_tasks(&b, &any);
    if (!tune_status_is_ok(mended)) {
      tune_status_free(status);
      return mended;
    }
    if (any) {
      tune_status_free(status);
      status = build_whole(&b, out_script, out_built);
    }
  }
  return is_of_schedule(status) ? mend_whole(&b, status, out_script, out_built) : status;
}
