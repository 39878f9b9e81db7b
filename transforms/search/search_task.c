//===- search_task.c - A search at one of its tasks ---------------------------===//

#include "support/clock.h"
#include "support/json.h"
#include "transforms/search/search_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// After so many trials the first one is timed again, to see whether the machine is as fast as it
// was: a twentieth of the time for measuring.
#define DRIFT_TRIALS 20

// Where so many first trials of a task all failed, another rule is tried.
#define HOPELESS_TRIALS 12

// Where tasks share a time, one that has gained nothing in so many trials leaves the rest of its
// time to others.
#define SHARED_PLATEAU_TRIALS 24
#define SHARED_PLATEAU_PERCENT 1.0
// What comparing a finalist takes, and the most of a task's share that goes into all of them.
#define FINALIST_SECONDS 0.5
#define MOST_FOR_FINALISTS 0.25

typedef struct tune_search search;

const char *tune_search_fingerprint(const search *s, size_t task) {
  return s->rounds ? s->fingerprint.text : tune_module_tasks_facts(&s->tasks, task)->digest.text;
}

void tune_search_turn_to(search *s, size_t task) {
  s->index = task;
  s->space = s->spaces[task];
  s->winners[task].is_begun = true;
}

void tune_search_grouping_deinit(tune_search_grouping *grouping) {
  for (size_t i = 0; i < grouping->part_count; i++) {
    free((char *)grouping->parts[i].key);
    json_decref((json_t *)grouping->parts[i].config);
  }
  free(grouping->parts);
  *grouping = (tune_search_grouping){.form = TUNE_CUT_NONE};
}

void tune_search_destroy_spaces(search *s) {
  for (size_t i = 0; s->spaces && i < s->tasks.extraction->task_count; i++)
    tune_task_space_destroy(s->spaces[i]);
  for (size_t i = 0; s->winners && i < s->tasks.extraction->task_count; i++) {
    tune_config_deinit(&s->winners[i].best);
    tune_search_grouping_deinit(&s->winners[i].grouping);
  }
  for (size_t i = 0; s->looks && i < s->tasks.extraction->task_count; i++)
    if (s->looks[i].has_result)
      tune_session_result_deinit(&s->looks[i].result);
  free(s->spaces);
  free(s->winners);
  free(s->looks);
}

bool tune_search_is_graph_open(const search *s) {
  unsigned levels = s->options->tasks.levels;
  return levels == 0 || (levels >> TUNE_LEVEL_GRAPH) & 1;
}

void tune_search_provenance(const search *s, bool is_default, char text[TUNE_SEARCH_PROVENANCE]) {
  snprintf(text, TUNE_SEARCH_PROVENANCE, is_default ? "default" : "search:%s",
           s->options->session.strategy);
}

//===--------------------------------------------------------------------------===//
// Seeds: winners of similar tasks
//===--------------------------------------------------------------------------===//

typedef struct seed_list {
  tune_config configs[TUNE_SEARCH_NEIGHBOURS];
  size_t count;
} seed_list;

static void seeds_deinit(seed_list *seeds) {
  for (size_t i = 0; i < seeds->count; i++)
    tune_config_deinit(&seeds->configs[i]);
  seeds->count = 0;
}

// Sets those knobs of `config` that `values` has a value for within our domain.
static void take_values(tune_config *config, const tune_space *space, const json_t *values) {
  for (size_t k = 0; k < tune_space_knob_count(space); k++) {
    const tune_knob *knob = tune_space_knob(space, k);
    const json_t *value = json_object_get(values, knob->name);
    for (size_t v = 0; json_is_integer(value) && v < knob->value_count; v++)
      if (knob->values[v] == json_integer_value(value))
        config->choices[k] = (uint16_t)v;
  }
}

// Of what is known of the present task.
static const char *known_fingerprint(const search *s) {
  return s->rounds ? s->known_digest.text : s->space->facts->digest.text;
}

static tune_status add_seed(search *s, const char *key, seed_list *seeds) {
  tune_record record;
  tune_record_init(&record);
  tune_status status = tune_database_best(s->known, key, known_fingerprint(s), NULL, &record);
  if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    tune_status_free(status);
    return TUNE_OK;
  }
  json_t *values = NULL;
  if (tune_status_is_ok(status))
    status = tune_json_load_kept(record.config, "a config", &values);
  if (values) {
    status = tune_config_init_copy(&seeds->configs[seeds->count], &s->space->config);
    if (tune_status_is_ok(status))
      take_values(&seeds->configs[seeds->count++], s->space->space, values);
  }
  json_decref(values);
  tune_record_deinit(&record);
  return status;
}

static tune_status find_seeds(search *s, seed_list *seeds) {
  tune_kept_task task;
  tune_database_neighbour neighbours[TUNE_SEARCH_NEIGHBOURS];
  size_t count = 0;
  TUNE_RETURN_IF_ERROR(tune_task_space_get_kept_task(s->tasks.extraction, s->index, &task));
  tune_status status = tune_database_put_task(s->database, &task);
  if (tune_status_is_ok(status) && s->known)
    status = tune_database_nearest(s->known, &task, known_fingerprint(s), TUNE_SEARCH_NEIGHBOURS,
                                   neighbours, &count);
  for (size_t i = 0; i < count && tune_status_is_ok(status); i++)
    status = add_seed(s, neighbours[i].key, seeds);
  tune_database_neighbours_deinit(neighbours, count);
  tune_kept_task_deinit(&task);
  return status;
}

//===--------------------------------------------------------------------------===//
// One task
//===--------------------------------------------------------------------------===//

static void on_progress(void *user, const tune_session_progress *progress) {
  search *s = user;
  char text[96];
  tune_search_advance_next(s);
  tune_search_advance_whole(s);
  if (!s->observer->progress || !s->tells_progress)
    return;
  tune_search_way way = {.first_seconds = s->first_seconds};
  if (s->is_of_parts)
    way.text = "a part";
  else if (s->first_seconds > 0 && s->space->rule) {
    snprintf(text, sizeof text, "by rule '%s'", s->space->rule);
    way.text = text;
  }
  // Parts have the number of what they are of.
  s->observer->progress(s->observer->user, s->is_of_parts ? s->whole : s->index, &way, progress);
}

static tune_status on_write_script(void *user, const tune_task *task, const tune_config *config,
                                   char **out_script) {
  (void)task;
  const search *s = user;
  return tune_task_space_write_script(s->space, config, out_script);
}

static tune_status write_winner(search *s, const tune_session_result *result) {
  if (!result->has_best)
    return TUNE_OK;
  char provenance[TUNE_SEARCH_PROVENANCE];
  tune_search_provenance(s, result->is_default, provenance);
  return tune_task_space_write_chosen(s->space, &s->tasks.anchors, &result->best, provenance);
}

void tune_search_tell_failed(search *s, const tune_task *task, tune_status why) {
  s->failed_tasks++;
  if (s->observer->task_failed)
    s->observer->task_failed(s->observer->user, s->index,
                             s->tasks.extraction->tasks[s->index].location, task, why);
  tune_status_free(why);
}

static tune_status no_candidate_worked(const tune_failures *failures) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_failures_append(failures, &text);
  tune_status status = tune_status_make(TUNE_FAILED_PRECONDITION, "no candidate worked: %s",
                                        text.text ? text.text : "all failed");
  tune_string_builder_deinit(&text);
  return status;
}

// For the module as a whole.
static tune_status keep_winner(search *s, const tune_session_result *result) {
  if (!result->has_best)
    return TUNE_OK;
  tune_search_winner *winner = &s->winners[s->index];
  TUNE_RETURN_IF_ERROR(tune_config_init_copy(&winner->best, &result->best));
  winner->has_best = true;
  winner->is_default = result->is_default;
  winner->time = result->time.median;
  winner->default_time = result->default_time;
  return TUNE_OK;
}

// Of a task that is cut apart the parts are told; they and the default were not timed side by side.
static void tell_of_parts(const tune_search_grouping *grouping, const tune_task *task,
                          tune_session_result *told) {
  if (grouping->form == TUNE_CUT_NONE)
    return;
  told->time.median = told->time.low = told->time.high = grouping->seconds;
  told->is_default = told->was_compared = false;
  told->speedup = told->default_time > 0 ? told->default_time / grouping->seconds : 0;
  told->speedup_low = told->speedup_high = 0;
  told->percent_of_peak = tune_task_percent_of_peak(task, grouping->seconds);
}

// What a call of the present task takes in the module by default; 0: not known.
static double default_in_place(const search *s) {
  const tune_search_look *look = &s->looks[s->index];
  return s->is_of_parts || !(look->calls > 0) ? 0 : look->in_place / look->calls;
}

tune_status tune_search_finish_task(search *s, const tune_task *task,
                                    const tune_session_result *result) {
  if (!s->is_of_parts)
    TUNE_RETURN_IF_ERROR(write_winner(s, result));
  TUNE_RETURN_IF_ERROR(keep_winner(s, result));
  tune_session_result told = *result;
  tell_of_parts(&s->winners[s->index].grouping, task, &told);
  if (!result->has_best && result->trials == 0)
    told.default_time = default_in_place(s);
  if (s->observer->task_done)
    s->observer->task_done(s->observer->user, s->index, task, s->space->facts,
                           tune_extracted_task_runs(&s->tasks.extraction->tasks[s->index]), &told);
  if (!result->has_best && result->failures.kind_count && result->stop != TUNE_STOP_SUSPENDED)
    tune_search_tell_failed(s, task, no_candidate_worked(&result->failures));
  return TUNE_OK;
}

//===--- What a session does with winners -------------------------------------===//

// The database as a session sees it.
typedef struct record_view {
  const tune_record_store *store;
  bool keeps_winners; // what it finds is the task's last winner from then on
  bool knows_winners; // else it looks for one among the trials, though there is one
  bool is_apart;      // it knows nothing and keeps nothing
} record_view;

static tune_status append_seen(void *self, const tune_record *record) {
  const record_view *view = self;
  bool is_dropped = view->is_apart || (record->kind == TUNE_RECORD_WINNER && !view->keeps_winners);
  return is_dropped ? TUNE_OK : view->store->append(view->store->self, record);
}

typedef struct trial_visit {
  tune_record_visitor visit;
  void *user;
} trial_visit;

static tune_status visit_trial(void *user, const tune_record *record) {
  const trial_visit *self = user;
  return record->kind == TUNE_RECORD_WINNER ? TUNE_OK : self->visit(self->user, record);
}

static tune_status load_seen(void *self, const char *task, const char *fingerprint,
                             tune_record_visitor visit, void *user) {
  const record_view *view = self;
  trial_visit trials = {visit, user};
  if (view->is_apart)
    return TUNE_OK;
  return view->knows_winners
             ? view->store->load(view->store->self, task, fingerprint, visit, user)
             : view->store->load(view->store->self, task, fingerprint, visit_trial, &trials);
}

//===--- Sessions -------------------------------------------------------------===//

static tune_status run_session(search *s, const tune_task *task, tune_session_options session,
                               record_view view, tune_session_result *out_result) {
  const tune_record_store seen = {.self = &view, .append = append_seen, .load = load_seen};
  tune_kept_conditions conditions;
  session.fingerprint = tune_search_fingerprint(s, s->index);
  session.conditions = tune_search_keep_conditions(s, &conditions) ? &conditions : NULL;
  // Made-up times do not drift, and what is measured elsewhere is not measured again.
  session.drift_trials = s->takes_time ? DRIFT_TRIALS : 0;
  session.progress = on_progress;
  session.write_script = on_write_script;
  session.user = s;
  view.store = &s->store;
  tune_evaluator *evaluator = tune_search_take_evaluator(s);
  TUNE_RETURN_IF_ERROR(tune_session_run(task, &session, evaluator, &seen, out_result));
  tune_search_budget_note_builds(s, out_result);
  return TUNE_OK;
}

// Of the share of a task, what is left to its candidates: the best few are compared at the end.
static double seconds_of_candidates(const search *s, double share) {
  double comparing = FINALIST_SECONDS * (double)(s->options->session.finalists + 1);
  if (!(s->end > 0) || s->options->session.finalists == 0)
    return share;
  return share - fmin(comparing, MOST_FOR_FINALISTS * share);
}

static tune_status run_seeded(search *s, const tune_task *task, const seed_list *seeds,
                              bool may_be_hopeless, bool keeps_winner,
                              tune_session_result *out_result) {
  tune_session_options session = s->options->session;
  double share = tune_search_budget_share(s);
  session.hopeless_trials = may_be_hopeless ? HOPELESS_TRIALS : 0;
  session.seconds = share > 0    ? seconds_of_candidates(s, share)
                    : s->end > 0 ? TUNE_SEARCH_LEAST_SESSION
                                 : 0;
  session.seeds = seeds->configs;
  session.seed_count = seeds->count;
  size_t next;
  if (s->end > 0 && session.plateau_trials == 0 && tune_search_budget_next(s, &next) &&
      !s->looks[next].is_ahead) {
    session.plateau_trials = SHARED_PLATEAU_TRIALS;
    session.plateau_percent = SHARED_PLATEAU_PERCENT;
  }
  const record_view view = {.keeps_winners = keeps_winner, .knows_winners = true};
  return run_session(s, task, session, view, out_result);
}

tune_status tune_search_time_default(search *s, tune_session_result *out_result,
                                     double *out_seconds) {
  tune_session_options session = s->options->session;
  tune_task task;
  tune_kept_task kept;
  *out_seconds = 0;
  *out_result = (tune_session_result){.has_best = false};
  tune_task_space_get_task(s->space, s->tasks.extraction, &task);
  TUNE_RETURN_IF_ERROR(tune_task_space_get_kept_task(s->tasks.extraction, s->index, &kept));
  tune_status status = tune_database_put_task(s->database, &kept);
  tune_kept_task_deinit(&kept);
  TUNE_RETURN_IF_ERROR(status);
  session.trials = 1;
  session.finalists = 0;
  status = run_session(s, &task, session, (record_view){.knows_winners = true}, out_result);
  // It is searched in its turn, and that told then.
  if (tune_status_get_code(status) == TUNE_FAILED_PRECONDITION) {
    tune_status_free(status);
    return TUNE_OK;
  }
  if (tune_status_is_ok(status) && out_result->has_best)
    *out_seconds = out_result->time.median;
  return status;
}

// Where an earlier winner is known nothing would be kept: the last one of all rules counts.
tune_status tune_search_run_known(search *s, tune_task *out_task, tune_session_result *out_result) {
  tune_session_options session = s->options->session;
  tune_task_space_get_task(s->space, s->tasks.extraction, out_task);
  session.trials = 1;
  // All was told when it was tried.
  bool tells_progress = s->tells_progress;
  s->tells_progress = false;
  tune_status status =
      run_session(s, out_task, session, (record_view){.keeps_winners = true}, out_result);
  s->tells_progress = tells_progress;
  return status;
}

tune_status tune_search_time_again(search *s, const tune_config *best, double *out_default,
                                   double *out_best) {
  tune_session_options session = s->options->session;
  tune_session_result result;
  tune_task task;
  *out_default = *out_best = 0;
  tune_task_space_get_task(s->space, s->tasks.extraction, &task);
  bool is_default = tune_config_equal(best, &s->space->config);
  session.trials = is_default ? 1 : 2;
  session.finalists = 0;
  session.seeds = best;
  session.seed_count = is_default ? 0 : 1;
  bool tells_progress = s->tells_progress;
  s->tells_progress = false;
  tune_status status = run_session(s, &task, session, (record_view){.is_apart = true}, &result);
  s->tells_progress = tells_progress;
  // The reference does not work now, though it did.
  if (tune_status_get_code(status) == TUNE_FAILED_PRECONDITION) {
    tune_status_free(status);
    return TUNE_OK;
  }
  if (tune_status_is_ok(status) && result.has_best) {
    *out_default = result.default_time;
    *out_best = result.time.median;
  }
  if (tune_status_is_ok(status))
    tune_session_result_deinit(&result);
  return status;
}

tune_status tune_search_run_trials(search *s, tune_task *out_task,
                                   tune_session_result *out_result) {
  const seed_list nothing = {.count = 0};
  tune_task_space_get_task(s->space, s->tasks.extraction, out_task);
  return run_seeded(s, out_task, &nothing, false, false, out_result);
}

static tune_status run_once(search *s, tune_task *out_task, bool may_be_hopeless,
                            tune_session_result *out_result) {
  seed_list seeds = {.count = 0};
  tune_task_space_get_task(s->space, s->tasks.extraction, out_task);
  tune_status status = find_seeds(s, &seeds);
  if (tune_status_is_ok(status))
    status = run_seeded(s, out_task, &seeds, may_be_hopeless, true, out_result);
  seeds_deinit(&seeds);
  return status;
}

// Makes the present task's space that of the next rule. `*out_is_there` is false where none is
// left.
static tune_status take_next_rule(search *s, const tune_task *task, const tune_failures *failures,
                                  bool *out_is_there) {
  tune_task_attempt *attempt = &s->tasks.attempts[s->index];
  const tune_task_space *before = s->space;
  tune_task_space *space;
  *out_is_there = false;
  if (before->is_users)
    return TUNE_OK;
  ++attempt->passed_over;
  tune_status status = tune_module_tasks_make_space(&s->tasks, s->index, &space);
  if (!tune_status_is_ok(status)) {
    --attempt->passed_over;
    if (tune_status_get_code(status) == TUNE_OUT_OF_MEMORY)
      return status;
    tune_status_free(status); // none, or the user has said what is of this one alone
    return TUNE_OK;
  }
  *out_is_there = true;
  if (s->observer->task_fell_back)
    s->observer->task_fell_back(s->observer->user, s->index, before->task->location, task,
                                before->origin, space->origin, failures);
  tune_task_space_destroy(s->spaces[s->index]);
  s->spaces[s->index] = space;
  tune_search_turn_to(s, s->index);
  return TUNE_OK;
}

bool tune_search_is_hopeless(const tune_session_result *result) {
  return !result->has_best && result->failures.kind_count > 0 &&
         (result->stop == TUNE_STOP_HOPELESS || result->stop == TUNE_STOP_EXHAUSTED ||
          result->stop == TUNE_STOP_LAYERS || result->stop == TUNE_STOP_TRIALS);
}

tune_status tune_search_run_session(search *s, tune_task *out_task,
                                    tune_session_result *out_result) {
  bool is_there = true;
  TUNE_RETURN_IF_ERROR(run_once(s, out_task, true, out_result));
  while (is_there && tune_search_is_hopeless(out_result)) {
    tune_status status = take_next_rule(s, out_task, &out_result->failures, &is_there);
    if (!is_there && out_result->stop != TUNE_STOP_HOPELESS)
      return status; // the one that there is was tried as long as is allowed
    tune_session_result_deinit(out_result);
    *out_result = (tune_session_result){.has_best = false};
    TUNE_RETURN_IF_ERROR(status);
    TUNE_RETURN_IF_ERROR(run_once(s, out_task, is_there, out_result));
  }
  return TUNE_OK;
}
