//===- search_whole.c - The module with all winners ---------------------------===//
//
// The module is a task of its own, whose knobs are its tasks (tuning/record/task.h), and is built
// and measured by servers of its own.
//
//===--------------------------------------------------------------------------===//

#include "support/json.h"
#include "support/scratch.h"
#include "transforms/ir/ir.h"
#include "transforms/search/search_state.h"
#include "transforms/search/whole_task.h"
#include "transforms/spaces/grouping.h"
#include "tuning/session/demotion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// So many modules are built at most.
#define MOST_BUILDS 32

#define MOST_WAYS (TUNE_WHOLE_NEXT + 1)

typedef struct tune_search search;

// The ways of a task, by value.
typedef struct ways {
  tune_task_way items[MOST_WAYS];
  json_t *next; // the config of the next best; NULL: there is none
  double next_seconds;
} ways;

typedef struct whole {
  search *search;
  size_t count; // of tasks
  ways *ways;
  const tune_task_way **ways_of; // of each
  const char **keys;             //
  bool *is_run;                  //
  double *gains;                 //
  tune_space *space;
  json_t *defaults; // {}
  char *path;       // of the module's text
  char *unchecked;
} whole;

//===--------------------------------------------------------------------------===//
// The next best of a task
//===--------------------------------------------------------------------------===//

typedef struct next_best {
  const tune_task_space *space;
  const tune_config *winner;
  char *winner_digest; // of its artifact; NULL: not known
  bool is_looking_for_digest;
  double seconds; // of the best so far; less than the default's
  json_t *config; // its config; NULL: none
} next_best;

static tune_status visit_record(void *user, const tune_record *record) {
  next_best *next = user;
  tune_config config;
  bool found, is_settled;
  if (record->verdict != TUNE_VERDICT_OK || record->kind != TUNE_RECORD_TRIAL || !record->digest ||
      strcmp(record->schedule, next->space->schedule_digest.text) != 0)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(
      tune_config_find(&config, next->space->space, record->config, &found, &is_settled));
  if (!found)
    return TUNE_OK;
  bool is_winner = tune_config_equal(&config, next->winner);
  tune_status status = TUNE_OK;
  if (next->is_looking_for_digest) {
    if (is_winner && !next->winner_digest)
      next->winner_digest = strdup(record->digest);
  } else if (!is_winner && next->winner_digest &&
             strcmp(record->digest, next->winner_digest) != 0 &&
             tune_record_seconds(record) < next->seconds) {
    json_decref(next->config);
    next->config = NULL;
    next->seconds = tune_record_seconds(record);
    status = tune_config_to_json(&config, next->space->space, &next->config);
  }
  tune_config_deinit(&config);
  return status;
}

// The fastest trial of the task with other code than the winner's, where it beats the default.
static tune_status find_next(const whole *w, size_t task, ways *out_ways) {
  search *s = w->search;
  next_best next = {.space = s->spaces[task],
                    .winner = &s->winners[task].best,
                    .is_looking_for_digest = true,
                    .seconds = s->winners[task].default_time};
  const char *key = s->tasks.extraction->tasks[task].key.text;
  const char *fingerprint = tune_search_fingerprint(s, task);
  tune_status status = s->store.load(s->store.self, key, fingerprint, visit_record, &next);
  next.is_looking_for_digest = false;
  if (tune_status_is_ok(status) && next.winner_digest)
    status = s->store.load(s->store.self, key, fingerprint, visit_record, &next);
  free(next.winner_digest);
  out_ways->next = next.config;
  out_ways->next_seconds = next.seconds;
  return status;
}

//===--------------------------------------------------------------------------===//
// The module as a task
//===--------------------------------------------------------------------------===//

// Whether its winner is of another rule than the first, by which the task works, too.
static bool is_of_other_rule(const search *s, size_t task) {
  return s->winners[task].first_time > 0;
}

static bool is_apart(const search *s, size_t task) {
  return s->winners[task].grouping.form != TUNE_CUT_NONE;
}

static bool has_other_than_default(const search *s, size_t task) {
  const tune_search_winner *winner = &s->winners[task];
  return winner->has_best &&
         (!winner->is_default || is_of_other_rule(s, task) || is_apart(s, task));
}

// What is chosen already, the default where it is another one and works, and the next best.
static tune_status list_ways(whole *w, size_t task, size_t *out_count) {
  const search *s = w->search;
  const tune_search_winner *winner = &s->winners[task];
  ways *own = &w->ways[task];
  size_t passed_over = s->tasks.attempts[task].passed_over;
  w->ways_of[task] = own->items;
  w->keys[task] = s->tasks.extraction->tasks[task].key.text;
  *out_count = 1;
  bool is_other = is_of_other_rule(s, task);
  double default_time = is_other ? winner->first_time : winner->default_time;
  if (!w->is_run[task] || !has_other_than_default(s, task) || !(default_time > 0))
    return TUNE_OK;
  w->gains[task] = (default_time - tune_search_best_seconds(winner)) *
                   (double)tune_extracted_task_runs(&s->tasks.extraction->tasks[task]);
  own->items[TUNE_WHOLE_DEFAULT] =
      (tune_task_way){.passed_over = is_other ? 0 : passed_over, .config = w->defaults};
  if (is_apart(s, task)) {
    const tune_search_grouping *grouping = &winner->grouping;
    own->items[TUNE_WHOLE_WINNER] = (tune_task_way){.config = w->defaults,
                                                    .grouping = tune_grouping_name(grouping->form),
                                                    .parts = grouping->parts,
                                                    .part_count = grouping->part_count};
    own->next_seconds = winner->time;
    TUNE_RETURN_IF_ERROR(tune_config_to_json(&winner->best, s->spaces[task]->space, &own->next));
  } else {
    TUNE_RETURN_IF_ERROR(find_next(w, task, own));
  }
  own->items[TUNE_WHOLE_NEXT] = (tune_task_way){.passed_over = passed_over, .config = own->next};
  *out_count = own->next ? MOST_WAYS : TUNE_WHOLE_DEFAULT + 1;
  return TUNE_OK;
}

static tune_status add_task(whole *w, size_t task) {
  int64_t values[] = {TUNE_WHOLE_WINNER, TUNE_WHOLE_DEFAULT, TUNE_WHOLE_NEXT};
  char name[32];
  tune_knob knob = {.name = name, .level = TUNE_LEVEL_GRAPH, .values = values};
  snprintf(name, sizeof name, "task_%zu", task);
  TUNE_RETURN_IF_ERROR(list_ways(w, task, &knob.value_count));
  return tune_space_add_knob(w->space, &knob);
}

static tune_status prepare(whole *w) {
  size_t count = w->count;
  w->ways = calloc(count + 1, sizeof *w->ways);
  w->ways_of = calloc(count + 1, sizeof *w->ways_of);
  w->keys = calloc(count + 1, sizeof *w->keys);
  w->gains = calloc(count + 1, sizeof *w->gains);
  w->is_run = calloc(count + 1, sizeof *w->is_run);
  w->defaults = json_object();
  if (!w->ways || !w->ways_of || !w->keys || !w->gains || !w->is_run || !w->defaults)
    return tune_status_out_of_memory("looking at a module as a whole");
  for (size_t i = 0; i < w->search->servers.run_count; i++)
    w->is_run[w->search->servers.run[i]] = true; // beyond the last: none of the tasks
  TUNE_RETURN_IF_ERROR(tune_space_create(&w->space));
  for (size_t i = 0; i < count; i++)
    TUNE_RETURN_IF_ERROR(add_task(w, i));
  return TUNE_OK;
}

static void whole_deinit(whole *w) {
  for (size_t i = 0; w->ways && i < w->count; i++)
    json_decref(w->ways[i].next);
  free(w->ways);
  free(w->ways_of);
  free(w->keys);
  free(w->gains);
  free(w->is_run);
  json_decref(w->defaults);
  tune_space_destroy(w->space);
  free(w->path);
  free(w->unchecked);
}

//===--------------------------------------------------------------------------===//
// Looking at it
//===--------------------------------------------------------------------------===//

static tune_status run_on(whole *w, const tune_task *task, tune_demotion *out_demotion) {
  const search *s = w->search;
  tune_evaluator *evaluator = &w->search->servers.evaluator;
  const tune_demotion_options limits = {.gains = w->gains,
                                        .builds = MOST_BUILDS,
                                        .deadline = tune_whole_task_deadline(s->options, s->begin),
                                        .interrupted = s->options->session.interrupted};
  tune_status status = evaluator->methods->open(evaluator->self, task);
  if (tune_status_is_ok(status))
    status = tune_demotion_run(task, &limits, evaluator, out_demotion);
  evaluator->methods->close(evaluator->self);
  return status;
}

static tune_status look(whole *w, tune_demotion *out_demotion) {
  search *s = w->search;
  const tune_extraction *extraction = s->tasks.extraction;
  TUNE_RETURN_IF_ERROR(tune_search_start_servers(s));
  TUNE_RETURN_IF_ERROR(prepare(w));
  TUNE_RETURN_IF_ERROR(tune_whole_task_write(s->module, s->servers.scratch, "winners", &w->path));
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(
      tune_ir_find_function(mlirModuleGetOperation(s->module), s->options->function, &function));
  const tune_task_module module = {.path = w->path,
                                   .computes = s->servers.path,
                                   .schedule = s->options->tasks.schedule,
                                   .keys = w->keys,
                                   .ways = w->ways_of};
  const tune_task task =
      tune_whole_task_describe(s->options, s->tasks.facts, extraction, w->space, &module);
  return run_on(w, &task, out_demotion);
}

// Writes what a demoted task has now in place of its winner, and hands it out.
static tune_status write_one(const whole *w, const tune_demoted *demoted, tune_config *out_config) {
  const search *s = w->search;
  const tune_task_space *space = s->spaces[demoted->task];
  bool is_default = demoted->value == TUNE_WHOLE_DEFAULT;
  char provenance[TUNE_SEARCH_PROVENANCE];
  tune_search_provenance(s, is_default, provenance);
  TUNE_RETURN_IF_ERROR(
      is_default ? tune_config_init_copy(out_config, &space->config)
                 : tune_config_from_json(out_config, space->space, w->ways[demoted->task].next));
  return tune_task_space_write_chosen(space, &s->tasks.anchors, out_config, provenance);
}

// The first rule's default, which is the winner in the database from now on, too.
static tune_status write_first_rule(const whole *w, size_t task) {
  search *s = w->search;
  tune_task_space *space, *other = s->spaces[task];
  s->tasks.attempts[task].passed_over = 0;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(&s->tasks, task, &space));
  tune_task_space_destroy(other);
  s->spaces[task] = space;
  tune_search_turn_to(s, task);
  tune_task task_now;
  tune_session_result result;
  TUNE_RETURN_IF_ERROR(tune_search_run_known(s, &task_now, &result));
  tune_session_result_deinit(&result);
  return tune_task_space_write_chosen(space, &s->tasks.anchors, &space->config, "default");
}

// The parts have lost.
static void join_again(tune_search_grouping *grouping) {
  tune_search_grouping_deinit(grouping);
  grouping->is_compared = true;
}

static tune_status write_and_keep(const whole *w, const tune_demotion *demotion,
                                  tune_config *configs, tune_search_demoted *kept) {
  search *s = w->search;
  size_t count = 0;
  for (size_t i = 0; i < demotion->demoted_count; i++) {
    const tune_demoted *demoted = &demotion->demoted[i];
    bool is_default = demoted->value == TUNE_WHOLE_DEFAULT, was_apart = is_apart(s, demoted->task);
    if (was_apart)
      join_again(&s->winners[demoted->task].grouping);
    if (is_default && is_of_other_rule(s, demoted->task)) {
      TUNE_RETURN_IF_ERROR(write_first_rule(w, demoted->task));
      continue;
    }
    TUNE_RETURN_IF_ERROR(write_one(w, demoted, &configs[i]));
    if (was_apart && !is_default)
      continue; // what wins as a whole stands
    kept[count++] =
        (tune_search_demoted){.demoted = demoted,
                              .config = &configs[i],
                              .seconds = is_default ? s->winners[demoted->task].default_time
                                                    : w->ways[demoted->task].next_seconds};
  }
  bool is_over = demotion->verdict == TUNE_VERDICT_OK && !demotion->ended;
  return tune_search_keep_demotions(s, kept, count, is_over);
}

// Writes what the demoted tasks have now in place of their winners, on the ops and to the database.
static tune_status write_demoted(const whole *w, const tune_demotion *demotion) {
  size_t count = demotion->demoted_count;
  tune_config *configs = calloc(count + 1, sizeof *configs);
  tune_search_demoted *kept = calloc(count + 1, sizeof *kept);
  tune_status status = configs && kept ? write_and_keep(w, demotion, configs, kept)
                                       : tune_status_out_of_memory("demoting winners");
  for (size_t i = 0; configs && i < count; i++)
    tune_config_deinit(&configs[i]);
  free(configs);
  free(kept);
  return status;
}

static void tell(const search *s, const tune_demotion *demotion, const char *unchecked) {
  const tune_search_whole told = {
      .extraction = s->tasks.extraction, .demotion = demotion, .unchecked = unchecked};
  if (s->observer->whole)
    s->observer->whole(s->observer->user, &told);
}

// Whether some task has another one than its default.
static bool has_winners(const search *s) {
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++)
    if (has_other_than_default(s, i))
      return true;
  return false;
}

static tune_status look_here(search *s) {
  whole w = {.search = s, .count = s->tasks.extraction->task_count};
  tune_demotion demotion = {.verdict = TUNE_VERDICT_CANCELLED};
  tune_status status = look(&w, &demotion);
  if (tune_status_is_ok(status)) {
    status = write_demoted(&w, &demotion);
    if (tune_status_is_ok(status))
      tell(s, &demotion, NULL);
  } else if (tune_status_get_code(status) != TUNE_OUT_OF_MEMORY) {
    // The winners are none the worse for it.
    tell(s, &demotion, tune_status_get_message(status));
    tune_status_free(status);
    status = TUNE_OK;
  }
  tune_demotion_deinit(&demotion);
  whole_deinit(&w);
  return status;
}

tune_status tune_search_look_at_whole(search *s) {
  if (!s->options->checks_whole || !has_winners(s))
    return TUNE_OK;
  if (s->takes_time)
    return look_here(s);
  static const tune_demotion nothing = {.verdict = TUNE_VERDICT_CANCELLED};
  if (s->rounds && tune_rounds_get_pending(s->rounds).number == 0)
    tell(s, &nothing,
         "its candidates are measured elsewhere; tune-run --compare there tells whether it is "
         "right, "
         "and faster than the module that it was tuned from");
  return TUNE_OK;
}
