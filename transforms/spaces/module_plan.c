//===- module_plan.c ----------------------------------------------------------===//

#include "transforms/spaces/module_plan.h"

#include "dialects/diagnostic.h"
#include "transforms/spaces/best_config.h"
#include "transforms/spaces/best_grouping.h"
#include "transforms/spaces/best_rule.h"
#include "transforms/spaces/module_schedule.h"
#include "tuning/space/config_complete.h"

#include <stdlib.h>
#include <string.h>

void tune_planned_task_deinit(tune_planned_task *planned) {
  if (!mlirOperationIsNull(planned->schedule))
    mlirOperationDestroy(planned->schedule);
  free(planned->origin_name);
  free(planned->why);
  free(planned->failed);
  free(planned->failure);
  *planned = (tune_planned_task){.why = NULL};
}

static bool copy_text(char **copy, const char *text) {
  *copy = text ? strdup(text) : NULL;
  return !text || *copy;
}

tune_status tune_planned_task_init_copy(tune_planned_task *planned,
                                        const tune_planned_task *other) {
  *planned = (tune_planned_task){.origin = other->origin,
                                 .is_users = other->is_users,
                                 .leaves_device = other->leaves_device,
                                 .original = other->original};
  bool ok = copy_text(&planned->origin_name, other->origin_name);
  ok = copy_text(&planned->why, other->why) && ok;
  ok = copy_text(&planned->failed, other->failed) && ok;
  ok = copy_text(&planned->failure, other->failure) && ok;
  planned->schedule = mlirOperationClone(other->schedule);
  if (ok)
    return TUNE_OK;
  tune_planned_task_deinit(planned);
  return tune_status_out_of_memory("deciding schedules");
}

// The best record of the task that its choices allow, where it takes one.
static tune_status find_best(const tune_module_plan *plan, const tune_task_space *space,
                             bool remarks, tune_best_outcome *out_outcome, tune_config *out_config,
                             char **out_why) {
  tune_database *database = plan->options->database;
  const tune_target_facts *facts = space->facts;
  TUNE_RETURN_IF_ERROR(
      tune_best_config_find(database, space, facts, &plan->tasks.module, out_outcome, out_config));
  if (*out_outcome == TUNE_BEST_FOUND)
    return TUNE_OK;
  if (remarks)
    TUNE_RETURN_IF_ERROR(tune_best_config_remark(database, space, facts, *out_outcome));
  if (!plan->options->describes_defaults || *out_outcome == TUNE_BEST_NO_RECORD)
    return TUNE_OK;
  return tune_best_config_describe(database, space, facts, *out_outcome, out_why);
}

// How a task is decided about.
typedef struct decision {
  bool takes_records, remarks;
  const json_t *values; // of all knobs, to be taken; NULL: none
} decision;

// The values that are to be taken, where they are not those of the space: `*out_found`.
static tune_status find_values(const tune_module_plan *plan, const tune_task_space *space,
                               const decision *how, tune_planned_task *planned,
                               tune_config *out_config, bool *out_found) {
  tune_best_outcome outcome = TUNE_BEST_NO_RECORD;
  *out_found = false;
  if (how->values) {
    TUNE_RETURN_IF_ERROR(tune_config_from_json(out_config, space->space, how->values));
    planned->origin = TUNE_ORIGIN_CHOICES;
    *out_found = true;
  } else if (plan->options->config) {
    TUNE_RETURN_IF_ERROR(
        tune_config_complete_text(out_config, space->space, plan->options->config));
    planned->origin = TUNE_ORIGIN_CONFIG;
    *out_found = true;
  } else if (plan->options->database && how->takes_records && !space->is_decided) {
    TUNE_RETURN_IF_ERROR(find_best(plan, space, how->remarks, &outcome, out_config, &planned->why));
    *out_found = outcome == TUNE_BEST_FOUND;
    planned->origin = *out_found ? TUNE_ORIGIN_DATABASE : TUNE_ORIGIN_DEFAULT;
  } else {
    planned->origin = space->is_decided ? TUNE_ORIGIN_CHOICES : TUNE_ORIGIN_DEFAULT;
  }
  return TUNE_OK;
}

static tune_status decide(const tune_module_plan *plan, const tune_task_space *space,
                          const decision *how, tune_planned_task *out_planned) {
  tune_config values = {0};
  bool found;
  tune_status status = find_values(plan, space, how, out_planned, &values, &found);
  const tune_config *config = found ? &values : NULL;
  if (tune_status_is_ok(status))
    status = plan->options->is_split
                 ? tune_task_space_decide(space, config, &out_planned->schedule)
                 : tune_task_space_decide_unsplit(space, config,
                                                  how->remarks && (config || space->is_decided),
                                                  &out_planned->schedule);
  tune_config_deinit(&values);
  out_planned->is_users = space->is_users || plan->options->config;
  out_planned->leaves_device = space->leaves_device;
  out_planned->origin_name = strdup(space->origin);
  if (tune_status_is_ok(status) && !out_planned->origin_name)
    status = tune_status_out_of_memory("deciding schedules");
  return status;
}

// Where the database's last winner of the task is of another rule than the first, that is meant.
static tune_status follow_winner(tune_module_plan *plan, const decision *how,
                                 tune_task_attempt attempt, tune_task_space **space) {
  bool takes_records = plan->options->database && how->takes_records && !attempt.takes_defaults;
  return takes_records ? tune_best_rule_follow(&plan->tasks, plan->options->database, space)
                       : TUNE_OK;
}

static tune_status decide_task(tune_module_plan *plan, size_t task, tune_task_attempt attempt,
                               const decision *how) {
  tune_task_attempt before = plan->tasks.attempts[task];
  plan->tasks.attempts[task] = attempt;
  tune_task_space *space;
  tune_planned_task planned = {.why = NULL};
  tune_status status = tune_module_tasks_make_space(&plan->tasks, task, &space);
  if (tune_status_is_ok(status))
    status = follow_winner(plan, how, attempt, &space);
  if (tune_status_is_ok(status))
    status = decide(plan, space, how, &planned);
  tune_task_space_destroy(space);
  if (!tune_status_is_ok(status)) {
    plan->tasks.attempts[task] = before;
    tune_planned_task_deinit(&planned);
    return status;
  }
  tune_planned_task *kept = &plan->planned[task];
  planned.failed = kept->failed;
  planned.failure = kept->failure;
  planned.original = kept->original;
  kept->failed = kept->failure = NULL;
  tune_planned_task_deinit(kept);
  *kept = planned;
  return TUNE_OK;
}

tune_status tune_module_plan_decide(tune_module_plan *plan, size_t task, tune_task_attempt attempt,
                                    bool remarks) {
  const decision how = {.takes_records = !attempt.takes_defaults && attempt.passed_over == 0,
                        .remarks = remarks};
  return decide_task(plan, task, attempt, &how);
}

tune_status tune_module_plan_choose(tune_module_plan *plan, size_t task, tune_task_attempt attempt,
                                    const json_t *values) {
  return decide_task(plan, task, attempt, &(decision){.values = values});
}

// Does without choices that do not fit, and says so.
static tune_status decide_without_choices(tune_module_plan *plan, size_t task, bool remarks,
                                          const char *why) {
  tune_task_attempt attempt = {.takes_defaults = true};
  TUNE_RETURN_IF_ERROR(tune_module_plan_decide(plan, task, attempt, remarks));
  tune_planned_task *planned = &plan->planned[task];
  planned->failed = strdup("its choices, which are for other sizes");
  planned->failure = strndup(why, strcspn(why, "\n")); // without the advice
  return planned->failed && planned->failure ? TUNE_OK
                                             : tune_status_out_of_memory("deciding schedules");
}

static tune_status decide_first(tune_module_plan *plan, size_t task, tune_task_attempt attempt,
                                bool remarks) {
  tune_status status = tune_module_plan_decide(plan, task, attempt, remarks);
  const tune_module_choices_options *options = plan->options;
  tune_status_code code = tune_status_get_code(status);
  bool is_of_choices = code == TUNE_INVALID_ARGUMENT || code == TUNE_NOT_FOUND;
  if (!is_of_choices || !options->is_of_other_sizes || options->is_strict || attempt.takes_defaults)
    return status;
  tune_status again = decide_without_choices(plan, task, remarks, tune_status_get_message(status));
  if (!tune_status_is_ok(again)) { // what was said first is to the point
    tune_status_free(again);
    return status;
  }
  tune_status_free(status);
  return TUNE_OK;
}

static tune_status decide_all(tune_module_plan *plan, bool remarks) {
  size_t count = plan->tasks.extraction->task_count;
  plan->planned = calloc(count + 1, sizeof *plan->planned);
  if (!plan->planned)
    return tune_status_out_of_memory("deciding schedules");
  const char *config = plan->options->config;
  if (config && count != 1)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "a config is for a module with one task, and this one has %zu; put the "
                            "choices on the ops (tune-opt --tune-annotate)",
                            count);
  tune_task_attempt attempt = {.takes_defaults = config != NULL};
  for (size_t i = 0; i < count; ++i) {
    plan->planned[i].original = i;
    TUNE_RETURN_IF_ERROR(decide_first(plan, i, attempt, remarks));
  }
  return TUNE_OK;
}

tune_status tune_module_plan_init(tune_module_plan *plan, MlirOperation module,
                                  const tune_module_choices_options *options, bool remarks) {
  *plan = (tune_module_plan){.options = options, .module = module};
  tune_module_tasks_options wanted = options->tasks;
  wanted.takes_all_chosen = true;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_init(&plan->tasks, module, &wanted));
  tune_status status = TUNE_OK;
  if (options->database && !options->config)
    status = tune_best_grouping_follow(&plan->tasks, module, options->database, false);
  if (tune_status_is_ok(status))
    status = decide_all(plan, remarks);
  if (!tune_status_is_ok(status))
    tune_module_plan_deinit(plan);
  return status;
}

static void forget_planned(tune_module_plan *plan) {
  for (size_t i = 0; plan->planned && i < plan->tasks.extraction->task_count; ++i)
    tune_planned_task_deinit(&plan->planned[i]);
  free(plan->planned);
  plan->planned = NULL;
}

static void planned_cut_deinit(tune_planned_cut *cut) {
  free(cut->name);
  free(cut->from);
  free(cut->failure);
}

void tune_module_plan_deinit(tune_module_plan *plan) {
  forget_planned(plan);
  for (size_t i = 0; i < plan->cut_count; ++i)
    planned_cut_deinit(&plan->cuts[i]);
  free(plan->cuts);
  tune_module_tasks_deinit(&plan->tasks);
  *plan = (tune_module_plan){.planned = NULL};
}

//===--------------------------------------------------------------------------===//
// Cutting a task apart
//===--------------------------------------------------------------------------===//

// Makes room for one more cut, and notes what is to be told of it.
static tune_status note_cut(tune_module_plan *plan, size_t task, tune_fusion_cut_form form,
                            const char *failure) {
  const tune_extracted_task *extracted = &plan->tasks.extraction->tasks[task];
  const tune_planned_task *planned = &plan->planned[task];
  tune_planned_cut *grown = realloc(plan->cuts, (plan->cut_count + 1) * sizeof *grown);
  if (!grown)
    return tune_status_out_of_memory("cutting a task apart");
  plan->cuts = grown;
  tune_planned_cut cut = {.cut = {.key = extracted->key, .form = form},
                          .original = planned->original,
                          .location = extracted->location};
  bool ok = copy_text(&cut.name, extracted->name);
  ok = copy_text(&cut.from, planned->failed ? planned->failed : planned->origin_name) && ok;
  ok = copy_text(&cut.failure, failure && planned->failure ? planned->failure : failure) && ok;
  if (!ok) {
    planned_cut_deinit(&cut);
    return tune_status_out_of_memory("cutting a task apart");
  }
  grown[plan->cut_count++] = cut;
  return TUNE_OK;
}

// What `plan` had decided of tasks that are still there, and the records or defaults of the parts.
static tune_status plan_after_cut(const tune_module_plan *plan, size_t task,
                                  tune_module_plan *after) {
  const tune_extraction *before = plan->tasks.extraction, *extraction = after->tasks.extraction;
  after->tasks.attempts = calloc(extraction->task_count + 1, sizeof *after->tasks.attempts);
  after->planned = calloc(extraction->task_count + 1, sizeof *after->planned);
  if (!after->tasks.attempts || !after->planned)
    return tune_status_out_of_memory("cutting a task apart");
  for (size_t i = 0; i < extraction->task_count; ++i) {
    size_t old = tune_extraction_find(before, &extraction->tasks[i].key);
    if (old < before->task_count) {
      after->tasks.attempts[i] = plan->tasks.attempts[old];
      TUNE_RETURN_IF_ERROR(tune_planned_task_init_copy(&after->planned[i], &plan->planned[old]));
      continue;
    }
    after->planned[i].original = plan->planned[task].original;
    const tune_task_attempt defaults = {.takes_defaults = true};
    TUNE_RETURN_IF_ERROR(decide_task(after, i, defaults, &(decision){.takes_records = true}));
  }
  return TUNE_OK;
}

// `plan` without what depends on its extraction, which is cut as its cuts say. `*out_is_cut` is
// false where nothing came of the last one.
static tune_status extract_cut(const tune_module_plan *plan, tune_module_plan *after,
                               bool *out_is_cut) {
  tune_task_cuts cuts = {.items = NULL};
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < plan->cut_count && tune_status_is_ok(status); ++i)
    status = tune_task_cuts_add(&cuts, &plan->cuts[i].cut);
  tune_module_tasks *tasks = &after->tasks;
  tasks->extraction = NULL;
  tasks->attempts = NULL;
  after->planned = NULL;
  tune_op_map_init(&tasks->anchors.task_of_op);
  if (tune_status_is_ok(status))
    status = tune_module_tasks_cut(&plan->tasks, plan->module, &cuts, &tasks->extraction,
                                   &tasks->anchors);
  *out_is_cut = tune_status_is_ok(status) &&
                tune_extraction_find(tasks->extraction, &plan->cuts[plan->cut_count - 1].cut.key) ==
                    tasks->extraction->task_count;
  tune_task_cuts_deinit(&cuts);
  return status;
}

// Of a plan, what depends on its extraction.
static void forget_extraction(tune_module_plan *plan) {
  forget_planned(plan);
  tune_anchors_deinit(&plan->tasks.anchors);
  tune_extraction_destroy(plan->tasks.extraction);
  free(plan->tasks.attempts);
}

tune_status tune_module_plan_cut(tune_module_plan *plan, size_t task, tune_fusion_cut_form form,
                                 const char *failure, bool *out_is_cut) {
  *out_is_cut = false;
  if (plan->planned[task].is_users)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(note_cut(plan, task, form, failure));
  tune_module_plan after = *plan;
  tune_status status = extract_cut(plan, &after, out_is_cut);
  if (tune_status_is_ok(status) && *out_is_cut)
    status = plan_after_cut(plan, task, &after);
  if (!tune_status_is_ok(status) || !*out_is_cut) {
    *out_is_cut = false;
    forget_extraction(&after);
    planned_cut_deinit(&plan->cuts[--plan->cut_count]);
    if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
      return status;
    tune_status_free(status); // the user has said what is of the whole task alone
    return TUNE_OK;
  }
  forget_extraction(plan);
  *plan = after;
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// What comes of it
//===--------------------------------------------------------------------------===//

tune_status tune_module_plan_combine(const tune_module_plan *plan, MlirOperation *out_script) {
  *out_script = (MlirOperation){NULL};
  size_t count = plan->tasks.extraction->task_count;
  if (count == 0)
    return TUNE_OK;
  MlirOperation *schedules = calloc(count, sizeof *schedules);
  if (!schedules)
    return tune_status_out_of_memory("combining schedules");
  for (size_t i = 0; i < count; ++i)
    schedules[i] = plan->planned[i].schedule;
  tune_status status = tune_module_schedule_create(plan->tasks.extraction, schedules, out_script);
  free(schedules);
  return status;
}

static void remark(const tune_fallback *fallback) {
  tune_remark_emit(fallback->location, "'%s' is built by %s, since this fails by %s: %s",
                   fallback->name, fallback->to, fallback->from, fallback->why);
}

static void tell_fallback(const tune_module_plan *plan, size_t task) {
  const tune_module_choices_options *options = plan->options;
  const tune_extracted_task *extracted = &plan->tasks.extraction->tasks[task];
  const tune_planned_task *planned = &plan->planned[task];
  tune_fallback fallback = {.task = planned->original,
                            .name = extracted->name,
                            .location = extracted->location,
                            .from = planned->failed,
                            .to = planned->origin_name,
                            .why = planned->failure};
  if (options->tell_fallback)
    options->tell_fallback(options->user, &fallback);
  else
    remark(&fallback);
}

static void tell_cut(const tune_module_plan *plan, const tune_planned_cut *cut) {
  const tune_module_choices_options *options = plan->options;
  tune_fallback fallback = {.task = cut->original,
                            .name = cut->name,
                            .location = cut->location,
                            .from = cut->from,
                            .to = "its parts, each for itself",
                            .why = cut->failure};
  if (options->tell_fallback)
    options->tell_fallback(options->user, &fallback);
  else
    remark(&fallback);
}

void tune_module_plan_tell(const tune_module_plan *plan) {
  for (size_t i = 0; i < plan->cut_count; ++i)
    if (plan->cuts[i].failure)
      tell_cut(plan, &plan->cuts[i]);
  for (size_t i = 0; i < plan->tasks.extraction->task_count; ++i)
    if (plan->planned[i].failed)
      tell_fallback(plan, i);
}
