//===- session_loading.c - Taking in what the store has of the task ----------===//

#include "tuning/session/session_state.h"

#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text) { return text ? strdup(text) : NULL; }

static tune_status fill_trial(tune_trial *trial, const tune_record *record, bool is_settled) {
  trial->is_known = trial->is_kept = true;
  trial->verdict = record->verdict;
  trial->median = record->time.median;
  trial->low = record->time.low;
  trial->high = record->time.high;
  tune_trial_put_right(trial, record->drift);
  trial->run = record->run;
  trial->code = record->code;
  trial->digest = copy_text(record->digest);
  // What went well, and says something, says why an earlier record is not believed.
  const char *error = record->verdict == TUNE_VERDICT_OK ? NULL : record->error;
  trial->error = copy_text(error);
  trial->settled_from = is_settled ? strdup(record->config) : NULL;
  bool ok = (trial->digest || !record->digest) && (trial->error || !error) &&
            (trial->settled_from || !is_settled);
  return ok ? TUNE_OK : tune_status_out_of_memory("out of memory while keeping records");
}

static tune_status remember_winner(struct session *session, size_t number,
                                   const tune_record *record) {
  session->has_winner = true;
  session->winner_number = number;
  free(session->winner_time.samples);
  session->winner_time = record->time;
  size_t size = record->time.sample_count * sizeof *record->time.samples;
  session->winner_time.samples = malloc(size + 1);
  if (!session->winner_time.samples)
    return tune_status_out_of_memory("out of memory while keeping records");
  if (size)
    memcpy(session->winner_time.samples, record->time.samples, size);
  return TUNE_OK;
}

// Whether a session of this strategy and seed has made it: it proposed the default, too.
static bool is_own(const struct session *session, const tune_record *record) {
  bool is_ours = strcmp(record->strategy, tune_strategy_name(session->strategy)) == 0 ||
                 strcmp(record->strategy, "default") == 0;
  return is_ours && record->seed == session->options->strategy_options.seed;
}

// A load of all records that are to be looked at this time.
struct loading {
  struct session *session;
  bool wants_settled; // those whose config differs in knobs that do nothing; else the others
  bool has_settled;   // there are such, which were passed over
  bool has_discarded; //
  bool had_winner;    // before
};

// Whether a record is of the very config that the trial is of.
static bool is_of_trial(const tune_trial *trial, const tune_record *record, bool is_settled) {
  return is_settled ? trial->settled_from && strcmp(trial->settled_from, record->config) == 0
                    : !trial->settled_from;
}

static tune_status take_record(struct loading *load, size_t number, const tune_record *record) {
  struct session *session = load->session;
  tune_trial *trial = &session->trials.items[number];
  size_t dropped;
  bool is_failure = tune_verdict_is_failure(record->verdict);
  // Of several records of a config (two machines' databases merged) the first counts, unless a
  // later one is a failure, or says that it does not hold.
  if (!trial->is_known) {
    TUNE_RETURN_IF_ERROR(fill_trial(trial, record, load->wants_settled));
    ++session->begun;
    trial->is_held = is_own(session, record);
    if (!trial->is_held)
      tune_trials_finish(&session->trials, number, &dropped);
  } else if (is_failure && !tune_verdict_is_failure(trial->verdict) &&
             is_of_trial(trial, record, load->wants_settled)) {
    // It went well once and was found out when it was compared.
    load->has_discarded = true;
    session->has_winner = session->has_winner && session->winner_number != number;
    return tune_trials_discard(&session->trials, number, record->verdict, record->error);
  } else if (record->kind == TUNE_RECORD_TRIAL && record->verdict == TUNE_VERDICT_OK &&
             record->error && trial->verdict == TUNE_VERDICT_OK &&
             is_of_trial(trial, record, load->wants_settled)) {
    tune_session_take_new_time(session, number, &record->time, record->drift);
  }
  bool may_win = !load->had_winner && !tune_verdict_is_failure(trial->verdict);
  if (record->kind == TUNE_RECORD_WINNER && may_win)
    return remember_winner(session, number, record);
  return TUNE_OK;
}

static tune_status load_record(void *user, const tune_record *record) {
  struct loading *load = user;
  struct session *session = load->session;
  tune_config config;
  bool found, is_settled;
  // A record of another version of the rules is no error, it is of no use. What a module has, or
  // how ops are grouped, is nothing that was tried.
  if (record->kind == TUNE_RECORD_DEMOTION || record->kind == TUNE_RECORD_GROUPING ||
      strcmp(record->schedule, session->task->schedule_digest) != 0)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(
      tune_config_find(&config, session->task->space, record->config, &found, &is_settled));
  if (!found)
    return TUNE_OK;
  load->has_settled = load->has_settled || is_settled;
  size_t number;
  tune_status status = TUNE_OK;
  if (is_settled == load->wants_settled) {
    status = tune_trials_add(&session->trials, &config, &number);
    if (tune_status_is_ok(status))
      status = take_record(load, number, record);
  }
  tune_config_deinit(&config);
  return status;
}

static tune_status load_all(struct loading *load) {
  struct session *session = load->session;
  load->had_winner = session->has_winner;
  return session->store->load(session->store->self, session->task->key,
                              session->options->fingerprint, load_record, load);
}

tune_status tune_session_load(struct session *session) {
  if (!session->store)
    return TUNE_OK;
  struct loading load = {.session = session};
  tune_status status = load_all(&load);
  // What is known of another config, whose code may have been another one when it was measured,
  // counts where nothing is known of this one.
  if (tune_status_is_ok(status) && load.has_settled) {
    load.wants_settled = true;
    status = load_all(&load);
  }
  TUNE_RETURN_IF_ERROR(
      tune_status_annotate(status, "loading the records of %s", session->task->name));
  if (load.has_discarded)
    tune_trials_rank_again(&session->trials); // there is room for others among the best
  TUNE_RETURN_IF_ERROR(tune_session_check_stored(session));
  for (size_t i = 0; i < session->trials.configs.count; ++i)
    if (session->trials.items[i].is_known)
      TUNE_RETURN_IF_ERROR(tune_session_take_known(session, i));
  return TUNE_OK;
}
