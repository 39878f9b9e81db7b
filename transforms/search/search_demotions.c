//===- search_demotions.c - What was decided about the module, kept ---------------===//
//
// So that tune-apply and tune-run give the same module what the search gave it, and another one
// with the same tasks their winners.
//
//===--------------------------------------------------------------------------===//

#include "support/clock.h"
#include "support/json.h"
#include "transforms/search/search_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tune_search search;

static tune_status write_config(const tune_config *config, const tune_space *space,
                                char **out_text) {
  json_t *object;
  *out_text = NULL;
  TUNE_RETURN_IF_ERROR(tune_config_to_json(config, space, &object));
  *out_text = tune_json_dump(object, JSON_COMPACT);
  json_decref(object);
  return *out_text ? TUNE_OK : tune_status_out_of_memory("keeping what a module has");
}

static tune_status keep(const search *s, size_t task, const tune_digest *module,
                        const tune_config *config, double seconds, const char *why) {
  const tune_task_space *space = s->spaces[task];
  tune_record record;
  tune_record_init(&record);
  record = (tune_record){
      .kind = TUNE_RECORD_DEMOTION,
      .task = (char *)s->tasks.extraction->tasks[task].key.text,
      .fingerprint = (char *)tune_search_fingerprint(s, task),
      .schedule = (char *)space->schedule_digest.text,
      .verdict = TUNE_VERDICT_OK,
      .error = (char *)why,
      .time = {.median = seconds, .low = seconds, .high = seconds},
      .strategy = (char *)s->options->session.strategy,
      .seed = s->options->session.strategy_options.seed,
      .module = (char *)module->text,
      .created_ms = tune_clock_date_milliseconds(),
  };
  tune_status status = write_config(config, space->space, &record.config);
  if (tune_status_is_ok(status))
    status = write_config(&s->winners[task].best, space->space, &record.lost);
  if (tune_status_is_ok(status))
    status = s->store.append(s->store.self, &record);
  free(record.config);
  free(record.lost);
  return tune_status_annotate(status, "keeping what the module has for '%s'",
                              s->tasks.extraction->tasks[task].name);
}

static tune_status keep_demoted(const search *s, const tune_digest *module,
                                const tune_search_demoted *demoted) {
  const tune_demoted *of = demoted->demoted;
  char *why = NULL;
  int length = 0;
  if (of->verdict != TUNE_VERDICT_OK)
    length =
        asprintf(&why, "with it the module as a whole is %s%s%s", tune_verdict_name(of->verdict),
                 of->error ? ": " : "", of->error ? of->error : "");
  else if (of->slowdown > 0)
    length = asprintf(&why, "with it the module as a whole takes %.3f times as long", of->slowdown);
  else
    length = asprintf(&why, "with it and others the module as a whole is slower");
  if (length < 0)
    return tune_status_out_of_memory("keeping what a module has");
  tune_status status = keep(s, of->task, module, demoted->config, demoted->seconds, why);
  free(why);
  return status;
}

//===--------------------------------------------------------------------------===//
// Winners that stand again
//===--------------------------------------------------------------------------===//

typedef struct earlier {
  const search *search;
  size_t task;
  const char *module;
  bool loses; // the winner has lost in the module, as far as the last record says
} earlier;

static tune_status visit(void *user, const tune_record *record) {
  earlier *before = user;
  const tune_space *space = before->search->spaces[before->task]->space;
  const tune_config *winner = &before->search->winners[before->task].best;
  tune_config lost = {0}, config = {0};
  bool has_lost, has_config;
  if (strcmp(record->module, before->module) != 0)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_config_find(&lost, space, record->lost, &has_lost, NULL));
  tune_status status = tune_config_find(&config, space, record->config, &has_config, NULL);
  if (tune_status_is_ok(status) && has_lost && tune_config_equal(&lost, winner))
    before->loses = has_config && !tune_config_equal(&config, winner);
  tune_config_deinit(&lost);
  tune_config_deinit(&config);
  return status;
}

// What a search before has found to lose stands now: that is kept in place of itself.
static tune_status keep_standing(const search *s, size_t task, const tune_digest *module) {
  const tune_search_winner *winner = &s->winners[task];
  if (!winner->has_best || !(winner->time > 0))
    return TUNE_OK;
  earlier before = {.search = s, .task = task, .module = module->text};
  TUNE_RETURN_IF_ERROR(tune_database_load_demotions(
      s->database, s->tasks.extraction->tasks[task].key.text, tune_search_fingerprint(s, task),
      s->spaces[task]->schedule_digest.text, visit, &before));
  return before.loses ? keep(s, task, module, &winner->best, winner->time,
                             "the module as a whole is right and fast with it again")
                      : TUNE_OK;
}

tune_status tune_search_keep_demotions(const search *s, const tune_search_demoted *demoted,
                                       size_t count, bool others_stand) {
  const tune_digest *module = &s->tasks.module;
  for (size_t i = 0; i < count; i++)
    TUNE_RETURN_IF_ERROR(keep_demoted(s, module, &demoted[i]));
  for (size_t task = 0; others_stand && task < s->tasks.extraction->task_count; task++) {
    bool stands = true;
    for (size_t i = 0; i < count; i++)
      stands = stands && demoted[i].demoted->task != task;
    if (stands)
      TUNE_RETURN_IF_ERROR(keep_standing(s, task, module));
  }
  return TUNE_OK;
}
