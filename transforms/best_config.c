//===- best_config.c ----------------------------------------------------------===//

#include "transforms/best_config.h"

#include "dialects/diagnostic.h"
#include "transforms/other_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
  const tune_task_space *space;
  tune_best_outcome outcome;
  double seconds; // of the best so far
  bool is_winner;
  tune_config config;
} search;

// Winners were measured beside their rivals, so any of them beats any trial, as in
// tune_database_best.
static tune_status visit(void *user, const tune_record *record) {
  search *state = user;
  if (record->verdict != TUNE_VERDICT_OK)
    return TUNE_OK;
  if (strcmp(record->schedule, state->space->schedule_digest.text) != 0) {
    if (state->outcome == TUNE_BEST_NO_RECORD)
      state->outcome = TUNE_BEST_OTHER_SPACE;
    return TUNE_OK;
  }
  if (state->outcome != TUNE_BEST_FOUND)
    state->outcome = TUNE_BEST_NOT_ALLOWED;
  bool is_winner = record->kind == TUNE_RECORD_WINNER;
  bool has_best = state->config.choices != NULL;
  bool is_better = !has_best || (is_winner && !state->is_winner) ||
                   (is_winner == state->is_winner && record->time.median < state->seconds);
  tune_config config;
  bool is_found = false;
  if (is_better)
    TUNE_RETURN_IF_ERROR(
        tune_config_find(&config, state->space->space, record->config, &is_found, NULL));
  if (!is_found)
    return TUNE_OK;
  tune_config_deinit(&state->config);
  state->config = config;
  state->seconds = record->time.median;
  state->is_winner = is_winner;
  return TUNE_OK;
}

// Looks through all records: some that are no use, or not allowed, are in front.
static tune_status search_all(tune_database *database, const tune_task_space *space,
                              const tune_target_facts *facts, tune_best_outcome *out_outcome,
                              tune_config *out_config) {
  search state = {.space = space, .outcome = TUNE_BEST_NO_RECORD};
  tune_status status =
      tune_database_load(database, space->task->key.text, facts->digest.text, visit, &state);
  if (tune_status_is_ok(status) && state.config.choices) {
    *out_outcome = TUNE_BEST_FOUND;
    *out_config = state.config;
    return TUNE_OK;
  }
  tune_config_deinit(&state.config);
  *out_outcome = state.outcome;
  return status;
}

tune_status tune_best_config_find(tune_database *database, const tune_task_space *space,
                                  const tune_target_facts *facts, tune_best_outcome *out_outcome,
                                  tune_config *out_config) {
  *out_outcome = TUNE_BEST_NO_RECORD;
  *out_config = (tune_config){0};
  tune_record record;
  tune_record_init(&record);
  tune_status status = tune_database_best(database, space->task->key.text, facts->digest.text,
                                          space->schedule_digest.text, &record);
  bool is_found = false;
  if (tune_status_is_ok(status))
    status = tune_config_find(out_config, space->space, record.config, &is_found, NULL);
  tune_record_deinit(&record);
  if (is_found) {
    *out_outcome = TUNE_BEST_FOUND;
    return TUNE_OK;
  }
  if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    tune_status_free(status);
    status = TUNE_OK;
  }
  return tune_status_is_ok(status) ? search_all(database, space, facts, out_outcome, out_config)
                                   : status;
}

tune_status tune_best_config_remark(tune_database *database, const tune_task_space *space,
                                    const tune_target_facts *facts, tune_best_outcome outcome) {
  char what[TUNE_TARGET_FACTS_TEXT], *others;
  const char *name = space->task->name;
  MlirLocation location = space->task->location;
  if (outcome == TUNE_BEST_OTHER_SPACE) {
    bool is_device = facts->name.kind != TUNE_KIND_CPU && !facts->name.is_generic;
    tune_remark_emit(location,
                     "'%s' keeps the default schedule: its records are of another space than that "
                     "of %s, %sor of another version of mlir-tune; tune it again",
                     name, space->origin,
                     is_device ? "of a search without device=FILE (target=cuda:sm_90, "
                                 "vulkan:generic) perhaps, "
                               : "");
    return TUNE_OK;
  }
  if (outcome == TUNE_BEST_NOT_ALLOWED) {
    tune_remark_emit(
        location, "'%s' keeps the default schedule: no record has what is chosen on this op", name);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(tune_other_records_describe(database, space, facts, &others));
  tune_remark_emit(location, "'%s' keeps the default schedule: no record of it for %s on %s%s",
                   name, tune_target_facts_describe(facts, what),
                   facts->is_elsewhere ? tune_target_facts_model(facts) : "this machine", others);
  free(others);
  return TUNE_OK;
}

void tune_best_config_provenance(const tune_task_space *space, char text[32]) {
  snprintf(text, 32, "database:%.8s", space->task->key.text);
}
