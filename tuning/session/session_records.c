//===- session_records.c - Handing trials and winners to the store -----------===//

#include "support/clock.h"
#include "support/json.h"
#include "tuning/session/session_state.h"

#include <stdlib.h>
#include <string.h>

static tune_status write_config(const struct session *session, size_t number, char **out_text) {
  json_t *object;
  TUNE_RETURN_IF_ERROR(
      tune_config_to_json(&session->trials.configs.configs[number], session->task->space, &object));
  *out_text = tune_json_dump(object, JSON_COMPACT);
  json_decref(object);
  return *out_text ? TUNE_OK : tune_status_out_of_memory("out of memory while keeping records");
}

// What a record's time is to be divided by. All of a store are of one scale, that of its first
// ones: a machine that has moved since would have its own put right once more by each later
// session.
static double drift_to_keep(const struct session *session, double drift) {
  double move = session->result->stored_move;
  return move > 0 ? move * (drift > 0 ? drift : 1) : drift;
}

// The record borrows its texts from all around; only `config` and `script` are its own.
static tune_status append(struct session *session, size_t number, const tune_timing *time,
                          double drift, tune_record_kind kind, char *script) {
  const tune_trial *trial = &session->trials.items[number];
  const char *strategy =
      number == session->default_number ? "default" : tune_strategy_name(session->strategy);
  tune_record record = {
      .kind = kind,
      .task = (char *)session->task->key,
      .fingerprint = (char *)session->options->fingerprint,
      .schedule = (char *)session->task->schedule_digest,
      .script = script,
      .verdict = kind == TUNE_RECORD_WINNER ? TUNE_VERDICT_OK : trial->verdict,
      .error = trial->error,
      .digest = trial->digest,
      .code = trial->code,
      .time = *time,
      .drift = time->median > 0 ? drift_to_keep(session, drift) : 0,
      .check = trial->check,
      .counts = trial->counts,
      .strategy = (char *)strategy,
      .seed = session->options->strategy_options.seed,
      .created_ms = trial->created_ms ? trial->created_ms : tune_clock_date_milliseconds(),
  };
  if (session->options->conditions)
    record.conditions = *session->options->conditions;
  memcpy(record.stage_seconds, trial->stage_seconds, sizeof record.stage_seconds);
  tune_status status = write_config(session, number, &record.config);
  if (tune_status_is_ok(status))
    status = session->store->append(session->store->self, &record);
  free(record.config);
  return tune_status_annotate(status, "keeping a trial of %s", session->task->name);
}

tune_status tune_session_keep_trial(struct session *session, size_t number,
                                    const tune_timing *time) {
  if (!session->store)
    return TUNE_OK;
  return append(session, number, time, session->trials.items[number].drift, TUNE_RECORD_TRIAL,
                NULL);
}

tune_status tune_session_keep_winner(struct session *session, size_t number, double drift,
                                     const tune_timing *time) {
  if (!session->store)
    return TUNE_OK;
  char *script = NULL;
  if (session->options->write_script)
    TUNE_RETURN_IF_ERROR(session->options->write_script(
        session->options->user, session->task, &session->trials.configs.configs[number], &script));
  tune_status status =
      append(session, number, time, drift == 1 ? 0 : drift, TUNE_RECORD_WINNER, script);
  free(script);
  return status;
}
