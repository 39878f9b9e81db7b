//===- session_outcomes.c - Outcomes of trials, in the order of the proposals -===//
//
// Builds and measurements end in any order. What came of a trial is kept at once, so that a killed
// search loses nothing that was measured. It is taken in when its turn is there: after that of all
// that were proposed before it. Only then is it counted, ranked and told, and only then do the
// stop rules see it that are about what was found (the wanted share of the peak, the plateau).
// Where one of them holds, what was proposed after it is dropped, done or not: it is in the store,
// for other searches, and nowhere else. So which trials there are, and which of several with the
// same code is the one that the others are duplicates of, does not depend on how many candidates
// are built at once. (A duplicate that was measured before the one that it is a duplicate of
// stands in the store as measured; session_duplicates.c makes it one again when that is loaded.)
//
// An interrupt, the end of the time and an error are the clock's: what is known by then is counted
// out of turn.
//
//===------------------------------------------------------------------------------------===//

#include "support/clock.h"
#include "tuning/session/session_state.h"

//===- Stop rules ---------------------------------------------------------------===//

void tune_session_note_gain(struct session *session, size_t number) {
  const tune_trial *items = session->trials.items;
  if (!tune_trial_is_timed(&items[number]))
    return;
  double needed = session->has_gain ? items[session->gain_number].median *
                                          (1 - session->options->plateau_percent / 100)
                                    : 0;
  if (session->has_gain && items[number].median >= needed)
    return;
  session->has_gain = true;
  session->gain_number = number;
  session->since_gain = 0;
}

// By what has had its turn; what the store has of later ones is not looked at.
static bool has_reached_target(const struct session *session) {
  double wanted = session->options->target_percent;
  return tune_task_percent_of_peak(session->task, tune_session_best_time(session)) >= wanted &&
         tune_task_percent_of_peak(
             session->task, tune_session_best_of_first(session, session->taken_count)) >= wanted;
}

bool tune_session_rule_holds(const struct session *session, tune_session_stop *out_stop) {
  const tune_session_options *options = session->options;
  if (options->target_percent > 0 && has_reached_target(session))
    *out_stop = TUNE_STOP_TARGET;
  else if (options->plateau_trials && session->since_gain >= options->plateau_trials)
    *out_stop = TUNE_STOP_PLATEAU;
  else if (options->hopeless_trials && !session->has_gain &&
           session->taken_count >= options->hopeless_trials)
    *out_stop = TUNE_STOP_HOPELESS;
  else
    return false;
  return true;
}

//===- Taking in ------------------------------------------------------------------===//

static void release(struct session *session, size_t number) {
  tune_trial *trial = &session->trials.items[number];
  if (trial->has_artifact)
    session->evaluator->methods->release(session->evaluator->self, tune_session_ticket(number));
  trial->has_artifact = false;
}

static tune_status keep(struct session *session, size_t number) {
  const tune_trial *trial = &session->trials.items[number];
  double drift = trial->drift > 0 ? trial->drift : 1;
  tune_timing as_twin = {
      .median = trial->median * drift, .low = trial->low * drift, .high = trial->high * drift};
  return tune_session_keep_trial(session, number, trial->is_twin ? &as_twin : &trial->time);
}

// It is the turn of a trial that is counted.
static void note_turn(struct session *session, size_t number) {
  tune_session_order_known(session, number);
  ++session->since_gain;
  tune_session_note_gain(session, number);
}

// Counts and ranks a trial, and lets everybody know.
static void take_in(struct session *session, size_t number) {
  tune_trial *trial = &session->trials.items[number];
  size_t dropped;
  tune_trials_finish(&session->trials, number, &dropped);
  // Only finalists are measured again.
  bool is_reference = session->drift.has_reference && dropped == session->drift.reference;
  if (dropped != SIZE_MAX && dropped != session->default_number && !is_reference)
    release(session, dropped);
  if (tune_verdict_is_failure(trial->verdict))
    release(session, number);
  session->new_trials += !trial->is_known;
  tune_trial_drop_samples(trial);
  note_turn(session, number);
  tune_session_report(session, TUNE_SESSION_SEARCHING);
}

void tune_session_take_turns(struct session *session) {
  tune_session_stop stop;
  while (session->taken_count < session->asked_count && !tune_session_rule_holds(session, &stop)) {
    size_t number = session->asked[session->taken_count];
    switch (session->trials.items[number].state) {
    case TUNE_TRIAL_DONE: // an earlier session's, which was counted when it was loaded
      ++session->taken_count;
      note_turn(session, number);
      break;
    case TUNE_TRIAL_SETTLED:
      ++session->taken_count;
      take_in(session, number);
      break;
    default:
      return;
    }
  }
}

void tune_session_take_rest(struct session *session) {
  for (; session->taken_count < session->asked_count; ++session->taken_count) {
    size_t number = session->asked[session->taken_count];
    if (session->trials.items[number].state == TUNE_TRIAL_SETTLED)
      take_in(session, number);
  }
}

void tune_session_drop_rest(struct session *session) {
  for (size_t i = session->taken_count; i < session->asked_count; ++i) {
    tune_trial *trial = &session->trials.items[session->asked[i]];
    if (trial->state != TUNE_TRIAL_SETTLED)
      continue;
    release(session, session->asked[i]);
    tune_trial_drop_samples(trial);
    trial->state = TUNE_TRIAL_NEW;
  }
}

//===- Settling -------------------------------------------------------------------===//

tune_status tune_session_settle(struct session *session, size_t number) {
  tune_trial *trial = &session->trials.items[number];
  trial->state = TUNE_TRIAL_SETTLED;
  --session->outstanding;
  if (!(session->result->first_seconds > 0))
    session->result->first_seconds = tune_clock_seconds() - session->began;
  for (int i = 0; i < TUNE_STAGE_COUNT; ++i)
    session->result->stage_seconds[i] += trial->stage_seconds[i];
  tune_session_order_settled(session, number);
  if (!trial->is_kept)
    TUNE_RETURN_IF_ERROR(keep(session, number));
  trial->is_kept = true;
  tune_session_take_turns(session);
  return TUNE_OK;
}
