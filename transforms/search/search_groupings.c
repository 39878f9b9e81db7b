//===- search_groupings.c - Whole or apart ---------------------------------------===//
//
// Which ops go together is decided by what can be joined (tasks/fusion_groups.h). That is a choice
// of the level graph like others: here a task is compared with its parts. Costs compose: what a
// part takes at best is a record like that of any task, shared with all tasks that are equal to it,
// and the parts take the sum. Where the sum of their defaults is less than the whole's default, the
// parts are searched as well, and where the best of them take less than the best whole, the task is
// cut apart. Whether that holds in the module is found out where it is measured as a whole
// (search_whole.c), where the sum is of the parts in place and with what lies between them.
//
//===--------------------------------------------------------------------------===//

#include "transforms/search/search_state.h"
#include "transforms/spaces/best_grouping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tune_search search;

// Parts whose defaults take less than that of the whole's default are searched, and those that then
// take less than that of the best whole are its place: they were not timed side by side.
#define PROMISING 0.95
#define BETTER 0.9

double tune_search_best_seconds(const tune_search_winner *winner) {
  return winner->grouping.form == TUNE_CUT_NONE ? winner->time : winner->grouping.seconds;
}

//===--------------------------------------------------------------------------===//
// The parts of a task
//===--------------------------------------------------------------------------===//

// Whether the ops can carry what is decided about task `index`, in each of its places.
static bool is_on_ops(const search *s, size_t index) {
  const tune_extracted_task *task = &s->tasks.extraction->tasks[index];
  for (size_t i = 0; i < task->occurrence_count; i++)
    if (!tune_anchors_is_of(&s->tasks.anchors, task->occurrences[i].anchor, index))
      return false;
  return true;
}

// How often task `index` of the parts is run where the whole is once; 0: it is none of its parts.
static double runs_as_part(const search *s, const search *before, size_t index) {
  const tune_extracted_task *part = &s->tasks.extraction->tasks[index];
  const tune_extraction *whole = before->tasks.extraction;
  size_t known = tune_extraction_find(whole, &part->key);
  size_t there = known < whole->task_count ? whole->tasks[known].occurrence_count : 0;
  return ((double)part->occurrence_count - (double)there) /
         (double)whole->tasks[before->index].occurrence_count;
}

// Turns to part `index`, whose space is made where it is that of a task of the module, too.
static tune_status turn_to_part(search *s, size_t index) {
  if (!s->spaces[index])
    TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(&s->tasks, index, &s->spaces[index]));
  tune_search_turn_to(s, index);
  return TUNE_OK;
}

static size_t count_left_out(const tune_extraction *extraction) {
  size_t count = 0;
  for (size_t i = 0; i < extraction->left_out_count; i++)
    count += extraction->left_out[i].count;
  return count;
}

// Whether an op that the whole has is in no task any more, as a lone tensor.pad: nobody knows what
// that takes.
static bool leaves_out(const search *s, const search *before) {
  return count_left_out(s->tasks.extraction) > count_left_out(before->tasks.extraction);
}

// What all parts take at best, by the roofline.
static tune_status find_least(search *s, const search *before, double *out_seconds) {
  *out_seconds = 0;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    double runs = runs_as_part(s, before, i);
    if (!(runs > 0))
      continue;
    TUNE_RETURN_IF_ERROR(turn_to_part(s, i));
    *out_seconds += runs * tune_search_seconds_at_best(s, i);
  }
  return TUNE_OK;
}

// The sum of the parts' defaults; 0: one of them does not work, or can carry no choices, or what
// was timed and what the rest takes at best are more than `limit`.
static tune_status time_defaults(search *s, const search *before, double limit,
                                 double *out_seconds) {
  double rest;
  *out_seconds = 0;
  TUNE_RETURN_IF_ERROR(find_least(s, before, &rest));
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    double runs = runs_as_part(s, before, i), seconds;
    tune_session_result result;
    if (!(runs > 0))
      continue;
    if (*out_seconds + rest > limit) {
      *out_seconds = 0;
      return TUNE_OK;
    }
    TUNE_RETURN_IF_ERROR(turn_to_part(s, i));
    tune_status status = tune_search_time_default(s, &result, &seconds);
    tune_session_result_deinit(&result);
    TUNE_RETURN_IF_ERROR(status);
    // A part that is elsewhere, too, may be for other threads than the whole.
    bool is_comparable = s->space->facts == before->space->facts;
    if (!(seconds > 0) || !is_on_ops(s, i) || !is_comparable) {
      *out_seconds = 0;
      return TUNE_OK;
    }
    *out_seconds += runs * seconds;
    rest -= runs * tune_search_seconds_at_best(s, i);
  }
  return TUNE_OK;
}

static tune_status add_part(const search *s, const tune_session_result *result,
                            tune_search_grouping *grouping) {
  tune_part_way *grown =
      realloc(grouping->parts, (grouping->part_count + 1) * sizeof *grouping->parts);
  if (!grown)
    return tune_status_out_of_memory("comparing groupings");
  grouping->parts = grown;
  tune_part_way *part = &grown[grouping->part_count++];
  json_t *config = NULL;
  *part = (tune_part_way){.key = strdup(s->space->task->key.text),
                          .passed_over = s->tasks.attempts[s->index].passed_over};
  if (!part->key)
    return tune_status_out_of_memory("comparing groupings");
  tune_status status = tune_config_to_json(&result->best, s->space->space, &config);
  part->config = config;
  return status;
}

// Searches all parts. `*out_works` is false where one of them has no winner.
static tune_status search_all(search *s, const search *before, tune_search_grouping *grouping,
                              bool *out_works) {
  *out_works = true;
  for (size_t i = 0; i < s->tasks.extraction->task_count && *out_works; i++) {
    double runs = runs_as_part(s, before, i);
    tune_task task;
    tune_session_result result = {.has_best = false};
    if (!(runs > 0))
      continue;
    TUNE_RETURN_IF_ERROR(turn_to_part(s, i));
    tune_status status = tune_search_run_session(s, &task, &result);
    if (tune_status_get_code(status) == TUNE_FAILED_PRECONDITION) { // its reference does not work
      tune_status_free(status);
      status = TUNE_OK;
    }
    *out_works = result.has_best;
    if (tune_status_is_ok(status) && result.has_best) {
      grouping->seconds += runs * result.time.median;
      status = add_part(s, &result, grouping);
    }
    tune_session_result_deinit(&result);
    TUNE_RETURN_IF_ERROR(status);
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Comparing
//===--------------------------------------------------------------------------===//

// What a task is compared by.
typedef struct comparison {
  tune_fusion_cut_form known;    // its grouping in the database
  double default_seconds, limit; // of the whole, by default and at best
  size_t groups;                 // of the module in the form before
  bool is_barred;                // choices are in the way of a form
} comparison;

// Whether the parts of the present task, which is entered, are worth a search. After an interrupt
// those of the grouping that the database has are: their sessions load their winners and stop.
static tune_status are_worth_it(search *s, const search *before, tune_fusion_cut_form form,
                                const comparison *with, bool *out_are) {
  double seconds = 0, limit = PROMISING * with->default_seconds;
  if (!tune_search_is_interrupted(s))
    TUNE_RETURN_IF_ERROR(time_defaults(s, before, limit, &seconds));
  *out_are = tune_search_is_interrupted(s) ? form == with->known : seconds > 0 && seconds <= limit;
  return TUNE_OK;
}

// What the parts of the present task, which is entered, take where they win; without a form: they
// do not.
static tune_status look_at_parts(search *s, const search *before, tune_fusion_cut_form form,
                                 const comparison *with, tune_search_grouping *out_grouping) {
  bool are_worth, works;
  *out_grouping = (tune_search_grouping){.form = TUNE_CUT_NONE};
  TUNE_RETURN_IF_ERROR(are_worth_it(s, before, form, with, &are_worth));
  if (!are_worth)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(search_all(s, before, out_grouping, &works));
  if (works && out_grouping->seconds < BETTER * with->limit)
    out_grouping->form = form;
  return TUNE_OK;
}

// Tries one way to cut the present task apart; `best` is the best so far. A way that cuts into as
// many groups as the one before is that one: they cut further and further.
static tune_status try_form(search *s, tune_fusion_cut_form form, comparison *with,
                            tune_search_grouping *best) {
  search before;
  bool is_cut;
  tune_search_grouping found = {.form = TUNE_CUT_NONE};
  TUNE_RETURN_IF_ERROR(tune_search_enter_parts(s, form, &before, &is_cut));
  with->is_barred |= !is_cut;
  if (!is_cut)
    return TUNE_OK;
  size_t groups = s->tasks.extraction->groups->group_count;
  bool is_other = groups != with->groups && !leaves_out(s, &before);
  with->groups = groups;
  tune_status status = is_other ? look_at_parts(s, &before, form, with, &found) : TUNE_OK;
  tune_search_leave_parts(s, &before);
  --s->cut.count;
  bool is_better =
      found.form != TUNE_CUT_NONE && (best->form == TUNE_CUT_NONE || found.seconds < best->seconds);
  if (is_better && tune_status_is_ok(status)) {
    tune_search_grouping_deinit(best);
    *best = found;
  } else {
    tune_search_grouping_deinit(&found);
  }
  return status;
}

// Made-up times of parts say nothing about the whole.
bool tune_search_compares_groupings(const search *s) {
  return tune_search_is_graph_open(s) && !s->options->export_folder &&
         strcmp(s->tasks.facts->name.target, "null") != 0;
}

static bool is_open(const search *s, const tune_session_result *result) {
  return tune_search_compares_groupings(s) && !s->is_of_parts && result->has_best &&
         !s->space->is_users && !s->space->task->is_cut && !s->looks[s->index].is_ahead &&
         is_on_ops(s, s->index);
}

// The whole was timed a while ago, when the machine may have been slower. What the database knows
// of it was so in another search.
static tune_status time_whole_again(search *s, const tune_session_result *result,
                                    comparison *with) {
  double by_default, best;
  if (tune_search_is_interrupted(s) || result->new_trials == 0)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_search_time_again(s, &result->best, &by_default, &best));
  if (best > 0 && best < with->limit)
    with->limit = best;
  if (by_default > 0 && by_default < with->default_seconds)
    with->default_seconds = by_default;
  return TUNE_OK;
}

static void tell(const search *s, const tune_search_grouping *grouping, double whole_seconds) {
  tune_task task;
  tune_task_space_get_task(s->space, s->tasks.extraction, &task);
  if (s->observer->grouping_taken)
    s->observer->grouping_taken(s->observer->user, &task, tune_grouping_name(grouping->form),
                                grouping->part_count, whole_seconds, grouping->seconds);
}

tune_status tune_search_try_groupings(search *s, const tune_session_result *result) {
  tune_groupings_allowed allowed;
  if (!is_open(s, result) || tune_search_is_near_roofline(s, s->space, result))
    return TUNE_OK;
  comparison with = {.limit = result->time.median};
  with.default_seconds = result->default_time > 0 ? result->default_time : with.limit;
  TUNE_RETURN_IF_ERROR(tune_best_grouping_find(&s->tasks, s->index, s->database, &with.known));
  bool is_short = tune_search_is_interrupted(s) || (s->end > 0 && !tune_search_budget_is_enough(s));
  if (with.known == TUNE_CUT_NONE && is_short)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(time_whole_again(s, result, &with));
  TUNE_RETURN_IF_ERROR(tune_grouping_read_allowed(&s->tasks.anchors, s->index,
                                                  s->tasks.facts->name.target, &allowed));
  tune_search_grouping *grouping = &s->winners[s->index].grouping;
  for (size_t form = TUNE_CUT_NONE + 1; form < TUNE_GROUPINGS; form++)
    if (allowed.forms[form])
      TUNE_RETURN_IF_ERROR(try_form(s, (tune_fusion_cut_form)form, &with, grouping));
  // What was not looked at in all forms is no reason to forget an earlier grouping.
  bool is_done = !tune_search_is_interrupted(s) && !with.is_barred;
  grouping->is_compared = is_done || grouping->form != TUNE_CUT_NONE;
  if (grouping->form != TUNE_CUT_NONE)
    tell(s, grouping, with.limit);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Keeping
//===--------------------------------------------------------------------------===//

static tune_status keep(const search *s, size_t task, tune_fusion_cut_form form, double seconds) {
  tune_record record;
  char *config = NULL;
  tune_task_space *space;
  TUNE_RETURN_IF_ERROR(tune_best_grouping_make_space(&s->tasks, task, &space));
  tune_status status = tune_best_grouping_record(space, form, seconds, &record, &config);
  record.fingerprint = (char *)tune_search_fingerprint(s, task);
  record.strategy = (char *)s->options->session.strategy;
  record.seed = s->options->session.strategy_options.seed;
  if (tune_status_is_ok(status))
    status = s->store.append(s->store.self, &record);
  free(config);
  tune_task_space_destroy(space);
  return tune_status_annotate(status, "keeping how the ops of '%s' are grouped",
                              s->tasks.extraction->tasks[task].name);
}

// Writes the winner of a part of `grouping` that is a task of `tasks`.
static tune_status write_part(const search *s, tune_module_tasks *tasks,
                              const tune_part_way *part) {
  tune_digest key;
  snprintf(key.text, sizeof key.text, "%s", part->key);
  size_t index = tune_extraction_find(tasks->extraction, &key);
  // It is a task elsewhere in the module, too, which is cut apart in its turn, here as there.
  if (index == tasks->extraction->task_count)
    return TUNE_OK;
  tune_task_space *space = NULL;
  tune_config config = {0};
  char provenance[TUNE_SEARCH_PROVENANCE];
  tune_search_provenance(s, false, provenance);
  tasks->attempts[index].passed_over = part->passed_over;
  tune_status status = tune_module_tasks_make_space(tasks, index, &space);
  if (tune_status_is_ok(status))
    status = tune_config_from_json(&config, space->space, part->config);
  bool is_of_it = tune_status_is_ok(status);
  if (is_of_it)
    status = tune_task_space_write_chosen(space, &tasks->anchors, &config, provenance);
  // The user has chosen something else on an op that is such a part only with all cut apart.
  if (!is_of_it && tune_status_get_code(status) != TUNE_OUT_OF_MEMORY) {
    tune_status_free(status);
    status = TUNE_OK;
  }
  tune_config_deinit(&config);
  tune_task_space_destroy(space);
  return status;
}

// With all groupings cut apart: `tasks` is of that.
static tune_status write_parts(const search *s, tune_module_tasks *tasks) {
  tasks->attempts = calloc(tasks->extraction->task_count + 1, sizeof *tasks->attempts);
  if (!tasks->attempts)
    return tune_status_out_of_memory("writing groupings");
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    const tune_search_grouping *grouping = &s->winners[i].grouping;
    for (size_t p = 0; p < grouping->part_count && tune_status_is_ok(status); p++)
      status = write_part(s, tasks, &grouping->parts[p]);
  }
  free(tasks->attempts);
  return status;
}

static tune_status write_all(search *s, const tune_task_cuts *cuts) {
  tune_module_tasks tasks = s->tasks;
  char provenance[TUNE_SEARCH_PROVENANCE];
  tune_search_provenance(s, false, provenance);
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++)
    if (s->winners[i].grouping.form != TUNE_CUT_NONE)
      TUNE_RETURN_IF_ERROR(
          tune_grouping_write(&s->tasks, i, s->winners[i].grouping.form, provenance));
  tune_status status = tune_module_tasks_cut(&s->tasks, mlirModuleGetOperation(s->module), cuts,
                                             &tasks.extraction, &tasks.anchors);
  if (tune_status_is_ok(status))
    status = write_parts(s, &tasks);
  tune_anchors_deinit(&tasks.anchors);
  tune_extraction_destroy(tasks.extraction);
  return status;
}

tune_status tune_search_write_groupings(search *s) {
  tune_task_cuts cuts = {.items = NULL};
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < s->tasks.extraction->task_count && tune_status_is_ok(status); i++) {
    const tune_search_grouping *grouping = &s->winners[i].grouping;
    tune_fusion_cut_form known;
    if (!grouping->is_compared)
      continue;
    status = tune_best_grouping_find(&s->tasks, i, s->database, &known);
    if (tune_status_is_ok(status) && known != grouping->form)
      status = keep(s, i, grouping->form, tune_search_best_seconds(&s->winners[i]));
    if (tune_status_is_ok(status) && grouping->form != TUNE_CUT_NONE)
      status = tune_task_cuts_add(
          &cuts, &(tune_task_cut){s->tasks.extraction->tasks[i].key, grouping->form});
  }
  if (tune_status_is_ok(status) && cuts.count)
    status = write_all(s, &cuts);
  tune_task_cuts_deinit(&cuts);
  return status;
}
