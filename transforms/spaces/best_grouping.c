//===- best_grouping.c -----------------------------------------------------------===//

#include "transforms/spaces/best_grouping.h"

#include "dialects/choices.h"
#include "support/clock.h"
#include "transforms/spaces/task_choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tune_status tune_best_grouping_make_space(const tune_module_tasks *tasks, size_t task,
                                          tune_task_space **out_space) {
  tune_task_attempt attempt = tasks->attempts[task];
  tasks->attempts[task] = (tune_task_attempt){0};
  tune_status status = tune_module_tasks_make_space(tasks, task, out_space);
  tasks->attempts[task] = attempt;
  return status;
}

tune_status tune_best_grouping_record(const tune_task_space *space, tune_fusion_cut_form form,
                                      double seconds, tune_record *out_record, char **out_config) {
  tune_record_init(out_record);
  if (asprintf(out_config, "{\"" TUNE_GROUPING_CHOICE "\":%d}", (int)form) < 0) {
    *out_config = NULL;
    return tune_status_out_of_memory("keeping a grouping");
  }
  *out_record = (tune_record){.kind = TUNE_RECORD_GROUPING,
                              .task = (char *)space->task->key.text,
                              .schedule = (char *)space->schedule_digest.text,
                              .config = *out_config,
                              .verdict = TUNE_VERDICT_OK,
                              .time = {.median = seconds, .low = seconds, .high = seconds},
                              .created_ms = tune_clock_date_milliseconds()};
  return TUNE_OK;
}

// What the records of a task say.
typedef struct last_grouping {
  tune_fusion_cut_form form;
  char *schedule; // that it is of; NULL: there is none
} last_grouping;

static tune_status visit_grouping(void *user, const tune_record *record) {
  last_grouping *last = user;
  json_t *config = json_loads(record->config, 0, NULL);
  json_int_t form = json_integer_value(json_object_get(config, TUNE_GROUPING_CHOICE));
  json_decref(config);
  last->form = form > 0 && form < TUNE_GROUPINGS ? (tune_fusion_cut_form)form : TUNE_CUT_NONE;
  free(last->schedule);
  last->schedule = strdup(record->schedule);
  return last->schedule ? TUNE_OK : tune_status_out_of_memory("looking for a grouping");
}

// Whether records of `schedule` are of what the task is built by today, and nobody has said
// otherwise. A task that no rule takes any more has no records.
static tune_status is_of_today(const tune_module_tasks *tasks, size_t task, const char *schedule,
                               bool *out_is) {
  tune_task_space *space;
  *out_is = false;
  TUNE_RETURN_IF_ERROR(tune_best_grouping_make_space(tasks, task, &space));
  *out_is = tune_task_space_is_free(space) && strcmp(space->schedule_digest.text, schedule) == 0;
  tune_task_space_destroy(space);
  return TUNE_OK;
}

tune_status tune_best_grouping_find(const tune_module_tasks *tasks, size_t task,
                                    tune_database *database, tune_fusion_cut_form *out_form) {
  last_grouping last = {.form = TUNE_CUT_NONE};
  const char *key = tasks->extraction->tasks[task].key.text;
  tune_groupings_allowed allowed;
  bool holds = false;
  *out_form = TUNE_CUT_NONE;
  if (tasks->extraction->tasks[task].is_cut)
    return TUNE_OK;
  const char *fingerprint = tune_module_tasks_facts(tasks, task)->digest.text;
  tune_status status =
      tune_database_load_groupings(database, key, fingerprint, visit_grouping, &last);
  if (tune_status_is_ok(status) && last.form != TUNE_CUT_NONE)
    status = is_of_today(tasks, task, last.schedule, &holds);
  if (tune_status_is_ok(status) && holds)
    status = tune_grouping_read_allowed(&tasks->anchors, task, tasks->facts->name.target, &allowed);
  if (tune_status_is_ok(status) && holds && allowed.forms[last.form])
    *out_form = last.form;
  free(last.schedule);
  return status;
}

tune_status tune_grouping_write(const tune_module_tasks *tasks, size_t task,
                                tune_fusion_cut_form form, const char *provenance) {
  const tune_extracted_task *extracted = &tasks->extraction->tasks[task];
  const tune_task_choices_form written = {.target = tasks->facts->name.target,
                                          .by_target = tasks->options.by_target};
  const char *name = form == TUNE_CUT_NONE ? NULL : tune_grouping_name(form);
  for (size_t i = 0; i < extracted->occurrence_count; ++i) {
    MlirOperation op = extracted->occurrences[i].anchor;
    if (tune_anchors_is_of(&tasks->anchors, op, task))
      TUNE_RETURN_IF_ERROR(tune_task_choices_write_grouping(op, &written, name, provenance));
  }
  return TUNE_OK;
}

static tune_status has_grouping_of_others(MlirOperation op, const char *target, bool *any) {
  tune_choices choices;
  TUNE_RETURN_IF_ERROR(tune_choices_read(op, target, &choices));
  const tune_choice *choice = tune_choices_find(&choices, TUNE_GROUPING_CHOICE);
  *any |= choice && !choice->is_open && strcmp(choice->chosen.provenance, "user") != 0;
  tune_choices_deinit(&choices);
  return TUNE_OK;
}

tune_status tune_grouping_forget(const tune_module_tasks *tasks, bool *out_any) {
  const tune_extraction *extraction = tasks->extraction;
  *out_any = false;
  for (size_t i = 0; i < extraction->task_count; ++i) {
    const tune_extracted_task *task = &extraction->tasks[i];
    for (size_t k = 0; task->is_cut && k < task->occurrence_count; ++k)
      if (tune_anchors_is_of(&tasks->anchors, task->occurrences[k].anchor, i))
        TUNE_RETURN_IF_ERROR(has_grouping_of_others(task->occurrences[k].anchor,
                                                    tasks->facts->name.target, out_any));
  }
  for (size_t i = 0; i < extraction->task_count && *out_any; ++i)
    if (extraction->tasks[i].is_cut)
      TUNE_RETURN_IF_ERROR(tune_grouping_write(tasks, i, TUNE_CUT_NONE, ""));
  return TUNE_OK;
}

static tune_status write_from_database(const tune_module_tasks *tasks, size_t task,
                                       tune_fusion_cut_form form) {
  char provenance[32];
  snprintf(provenance, sizeof provenance, "database:%.8s", tasks->extraction->tasks[task].key.text);
  return tune_grouping_write(tasks, task, form, provenance);
}

// Whether a domain of the whole is on an anchor of the task, as tune-annotate leaves them: the
// parts might not take it.
static tune_status has_domains(const tune_module_tasks *tasks, size_t task, bool *out_has) {
  const tune_extracted_task *extracted = &tasks->extraction->tasks[task];
  *out_has = false;
  for (size_t i = 0; i < extracted->occurrence_count; ++i) {
    MlirOperation op = extracted->occurrences[i].anchor;
    tune_choices choices;
    if (!tune_anchors_is_of(&tasks->anchors, op, task) || !tune_choices_are_on(op))
      continue;
    TUNE_RETURN_IF_ERROR(tune_choices_read(op, tasks->facts->name.target, &choices));
    for (size_t k = 0; k < choices.count; ++k)
      *out_has |=
          choices.items[k].is_open && strcmp(choices.items[k].name, TUNE_GROUPING_CHOICE) != 0;
    tune_choices_deinit(&choices);
  }
  return TUNE_OK;
}

static tune_status find_all(tune_module_tasks *tasks, tune_database *database, bool writes,
                            tune_task_cuts *cuts) {
  for (size_t i = 0; i < tasks->extraction->task_count; ++i) {
    tune_fusion_cut_form form;
    bool has_some;
    TUNE_RETURN_IF_ERROR(tune_best_grouping_find(tasks, i, database, &form));
    if (form == TUNE_CUT_NONE)
      continue;
    TUNE_RETURN_IF_ERROR(has_domains(tasks, i, &has_some));
    if (has_some)
      continue;
    TUNE_RETURN_IF_ERROR(
        tune_task_cuts_add(cuts, &(tune_task_cut){tasks->extraction->tasks[i].key, form}));
    if (writes)
      TUNE_RETURN_IF_ERROR(write_from_database(tasks, i, form));
  }
  return TUNE_OK;
}

// Takes `cuts` as those of the tasks, and all that comes of it.
static tune_status cut(tune_module_tasks *tasks, MlirOperation module, const tune_task_cuts *cuts) {
  tune_extraction *extraction;
  tune_anchors anchors;
  tune_task_attempt *attempts = NULL;
  tune_status status = tune_module_tasks_cut(tasks, module, cuts, &extraction, &anchors);
  if (tune_status_is_ok(status) &&
      !(attempts = calloc(extraction->task_count + 1, sizeof *attempts)))
    status = tune_status_out_of_memory("cutting tasks apart");
  for (size_t i = 0; i < cuts->count && tune_status_is_ok(status); ++i)
    status = tune_task_cuts_add(&tasks->cuts, &cuts->items[i]);
  if (!tune_status_is_ok(status)) {
    tune_anchors_deinit(&anchors);
    tune_extraction_destroy(extraction);
    free(attempts);
    return status;
  }
  tune_anchors_deinit(&tasks->anchors);
  tune_extraction_destroy(tasks->extraction);
  free(tasks->attempts);
  tasks->extraction = extraction;
  tasks->anchors = anchors;
  tasks->attempts = attempts;
  return TUNE_OK;
}

tune_status tune_best_grouping_follow(tune_module_tasks *tasks, MlirOperation module,
                                      tune_database *database, bool writes) {
  tune_task_cuts cuts = {.items = NULL};
  tune_status status = find_all(tasks, database, writes, &cuts);
  if (tune_status_is_ok(status) && cuts.count)
    status = cut(tasks, module, &cuts);
  tune_task_cuts_deinit(&cuts);
  return status;
}
