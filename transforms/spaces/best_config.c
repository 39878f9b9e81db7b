//===- best_config.c ----------------------------------------------------------===//

#include "transforms/spaces/best_config.h"

#include "dialects/diagnostic.h"
#include "transforms/spaces/other_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
  tune_database *database;
  const tune_task_space *space;
  tune_best_outcome outcome;
  tune_config winner, trial; // the last and the fastest that are not taken back
  double seconds;            // of the trial
  bool is_winner_taken_back; // the last of all winners
} search;

// A record that choices rule out says more than one that nobody could have made.
static tune_status note_refused(search *state, const tune_record *record) {
  tune_status reason = tune_config_explain(state->space->schedule->space, record->config);
  if (tune_status_get_code(reason) == TUNE_OUT_OF_MEMORY)
    return reason;
  if (tune_status_is_ok(reason))
    state->outcome = TUNE_BEST_NOT_ALLOWED;
  else if (state->outcome != TUNE_BEST_NOT_ALLOWED)
    state->outcome = TUNE_BEST_NOT_OF_SPACE;
  tune_status_free(reason);
  return TUNE_OK;
}

// What another record takes back is no use, and says more than that there is no record.
static tune_status note_taken_back(search *state, const tune_record *record, bool *out_taken_back) {
  tune_digest id;
  TUNE_RETURN_IF_ERROR(tune_database_record_digest(record, &id));
  TUNE_RETURN_IF_ERROR(tune_database_is_taken_back(state->database, id.text, out_taken_back));
  bool says_more = state->outcome == TUNE_BEST_NO_RECORD || state->outcome == TUNE_BEST_OTHER_SPACE;
  if (*out_taken_back && says_more)
    state->outcome = TUNE_BEST_TAKEN_BACK;
  return TUNE_OK;
}

static void take(tune_config *into, tune_config *config) {
  tune_config_deinit(into);
  *into = *config;
  *config = (tune_config){0};
}

// As tune_database_best does: the last winner, whose rivals were measured beside it, or else the
// fastest trial. Records come in the order in which they were made.
static tune_status visit(void *user, const tune_record *record) {
  search *state = user;
  if (record->verdict != TUNE_VERDICT_OK || record->kind == TUNE_RECORD_DEMOTION)
    return TUNE_OK;
  if (strcmp(record->schedule, state->space->schedule_digest.text) != 0) {
    if (state->outcome == TUNE_BEST_NO_RECORD)
      state->outcome = TUNE_BEST_OTHER_SPACE;
    return TUNE_OK;
  }
  bool is_winner = record->kind == TUNE_RECORD_WINNER, is_taken_back, is_found;
  double seconds = tune_record_seconds(record);
  if (!is_winner && state->trial.choices && seconds >= state->seconds)
    return TUNE_OK;
  tune_config config;
  TUNE_RETURN_IF_ERROR(
      tune_config_find(&config, state->space->space, record->config, &is_found, NULL));
  if (!is_found)
    return note_refused(state, record);
  tune_status status = note_taken_back(state, record, &is_taken_back);
  if (is_winner)
    state->is_winner_taken_back = is_taken_back;
  bool is_good = tune_status_is_ok(status) && !is_taken_back;
  if (is_good && !is_winner)
    state->seconds = seconds;
  if (is_good)
    take(is_winner ? &state->winner : &state->trial, &config);
  tune_config_deinit(&config);
  return status;
}

// Looks through all records: some that are no use, or not allowed, are in front.
static tune_status search_all(tune_database *database, const tune_task_space *space,
                              const tune_target_facts *facts, tune_best_outcome *out_outcome,
                              tune_config *out_config) {
  search state = {.database = database, .space = space, .outcome = TUNE_BEST_NO_RECORD};
  tune_status status =
      tune_database_load(database, space->task->key.text, facts->digest.text, visit, &state);
  // Of a winner before one that is taken back nobody has compared what is left.
  bool is_trial = !state.winner.choices || (state.is_winner_taken_back && state.trial.choices);
  *out_outcome = state.outcome;
  if (tune_status_is_ok(status) && (state.winner.choices || state.trial.choices)) {
    *out_outcome = TUNE_BEST_FOUND;
    take(out_config, is_trial ? &state.trial : &state.winner);
  }
  tune_config_deinit(&state.winner);
  tune_config_deinit(&state.trial);
  return status;
}

static tune_status find_best(tune_database *database, const tune_task_space *space,
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

//===--------------------------------------------------------------------------===//
// In a module
//===--------------------------------------------------------------------------===//

typedef struct in_module {
  tune_database *database;
  const tune_task_space *space;
  const char *module;
  const tune_config *best; // of the task alone
  tune_config config;      // in its place; no choices: none
} in_module;

static tune_status is_usable(const in_module *state, const tune_record *record, bool *out_usable) {
  tune_digest id;
  bool is_taken_back;
  TUNE_RETURN_IF_ERROR(tune_database_record_digest(record, &id));
  TUNE_RETURN_IF_ERROR(tune_database_is_taken_back(state->database, id.text, &is_taken_back));
  *out_usable = !is_taken_back;
  return TUNE_OK;
}

// The last one counts. What the choices rule out was decided about another module.
static tune_status visit_demotion(void *user, const tune_record *record) {
  in_module *state = user;
  tune_config lost = {0}, config = {0};
  bool is_found, is_usable_there = false;
  if (strcmp(record->module, state->module) != 0)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_config_find(&lost, state->space->space, record->lost, &is_found, NULL));
  bool is_of_best = is_found && tune_config_equal(&lost, state->best);
  tune_config_deinit(&lost);
  if (!is_of_best)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(
      tune_config_find(&config, state->space->space, record->config, &is_found, NULL));
  tune_status status = is_found ? is_usable(state, record, &is_usable_there) : TUNE_OK;
  if (tune_status_is_ok(status) && is_usable_there)
    take(&state->config, &config);
  tune_config_deinit(&config);
  return status;
}

tune_status tune_best_config_find(tune_database *database, const tune_task_space *space,
                                  const tune_target_facts *facts, const tune_digest *module,
                                  tune_best_outcome *out_outcome, tune_config *out_config) {
  TUNE_RETURN_IF_ERROR(find_best(database, space, facts, out_outcome, out_config));
  if (!module || *out_outcome != TUNE_BEST_FOUND)
    return TUNE_OK;
  in_module state = {
      .database = database, .space = space, .module = module->text, .best = out_config};
  tune_status status =
      tune_database_load_demotions(database, space->task->key.text, facts->digest.text,
                                   space->schedule_digest.text, visit_demotion, &state);
  if (!tune_status_is_ok(status))
    tune_config_deinit(out_config);
  else if (state.config.choices)
    take(out_config, &state.config);
  tune_config_deinit(&state.config);
  return status;
}

//===--------------------------------------------------------------------------===//
// Why there is none
//===--------------------------------------------------------------------------===//

// Of the record that would have been used.
static tune_status describe_not_of_space(tune_database *database, const tune_task_space *space,
                                         const tune_target_facts *facts,
                                         tune_string_builder *text) {
  tune_record record;
  tune_digest id;
  tune_record_init(&record);
  tune_status status = tune_database_best(database, space->task->key.text, facts->digest.text,
                                          space->schedule_digest.text, &record);
  if (tune_status_is_ok(status))
    status = tune_database_record_digest(&record, &id);
  if (tune_status_is_ok(status)) {
    tune_status reason = tune_config_explain(space->schedule->space, record.config);
    tune_string_builder_appendf(text,
                                "record %.8s says that it is of the space of %s, but its config is "
                                "none of it: %s; whoever wrote it did not search it here",
                                id.text, space->origin, tune_status_get_message(reason));
    tune_status_free(reason);
  }
  tune_record_deinit(&record);
  return status;
}

static tune_status describe_no_record(tune_database *database, const tune_task_space *space,
                                      const tune_target_facts *facts, tune_string_builder *text) {
  char what[TUNE_TARGET_FACTS_TEXT], *others;
  TUNE_RETURN_IF_ERROR(tune_other_records_describe(database, space, facts, &others));
  tune_string_builder_appendf(
      text, "no record of it for %s on %s%s", tune_target_facts_describe(facts, what),
      facts->is_elsewhere ? tune_target_facts_model(facts) : "this machine", others);
  free(others);
  return TUNE_OK;
}

static tune_status describe(tune_database *database, const tune_task_space *space,
                            const tune_target_facts *facts, tune_best_outcome outcome,
                            tune_string_builder *text) {
  bool is_device = facts->name.kind != TUNE_KIND_CPU && !facts->name.is_generic;
  switch (outcome) {
  case TUNE_BEST_FOUND:
    return TUNE_OK;
  case TUNE_BEST_OTHER_SPACE:
    tune_string_builder_appendf(text,
                                "its records are of another space than that of %s, %sor of another "
                                "version of mlir-tune; tune it again",
                                space->origin,
                                is_device ? "of a search without device=FILE (target=cuda:sm_90, "
                                            "vulkan:generic) perhaps, "
                                          : "");
    return TUNE_OK;
  case TUNE_BEST_TAKEN_BACK:
    tune_string_builder_append(text, "what was good of its records is taken back by others: a "
                                     "config failed when it was built or run again; tune it again");
    return TUNE_OK;
  case TUNE_BEST_NOT_ALLOWED:
    tune_string_builder_append(text, "no record has what is chosen on this op");
    return TUNE_OK;
  case TUNE_BEST_NOT_OF_SPACE:
    return describe_not_of_space(database, space, facts, text);
  case TUNE_BEST_NO_RECORD:
    return describe_no_record(database, space, facts, text);
  }
  return TUNE_OK;
}

tune_status tune_best_config_describe(tune_database *database, const tune_task_space *space,
                                      const tune_target_facts *facts, tune_best_outcome outcome,
                                      char **out_text) {
  *out_text = NULL;
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "'%s' keeps the default schedule: ", space->task->name);
  tune_status status = describe(database, space, facts, outcome, &text);
  if (tune_status_is_ok(status))
    status = tune_string_builder_finish(&text, out_text);
  tune_string_builder_deinit(&text);
  return status;
}

tune_status tune_best_config_remark(tune_database *database, const tune_task_space *space,
                                    const tune_target_facts *facts, tune_best_outcome outcome) {
  char *text;
  TUNE_RETURN_IF_ERROR(tune_best_config_describe(database, space, facts, outcome, &text));
  tune_remark_emit(space->task->location, "%s", text);
  free(text);
  return TUNE_OK;
}

void tune_best_config_provenance(const tune_task_space *space, char text[32]) {
  snprintf(text, 32, "database:%.8s", space->task->key.text);
}
