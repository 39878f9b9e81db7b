//===- session_limits.c - The time that a trial is cut against ----------------===//
//
// A candidate that is surely slower than the best one known is cut, and killed where it takes many
// times as long (tools/tune-measure/trial.c has the factors). Which one is the best known when it
// is measured would depend on which builds end first. So a trial is cut against the best of a fixed
// set: the default, and all proposals that are at least LAG before it. Where one of these is not
// known yet, the measurement waits; builds go on. (A strategy that learns is asked only when it
// knows that much, so that the first measurement alone is waited for.) A round is measured against
// what was proposed before it.
//
//===--------------------------------------------------------------------------------===//

#include "tuning/session/session_state.h"

void tune_session_give_turn(struct session *session, size_t number) {
  tune_trial *trial = &session->trials.items[number];
  trial->turn = session->asked_count;
  if (session->options->round)
    trial->after = session->round_began;
  else if (trial->turn > TUNE_SESSION_LAG)
    trial->after = trial->turn - TUNE_SESSION_LAG;
  else
    trial->after = trial->turn > 1;
}

double tune_session_best_of_first(const struct session *session, size_t count) {
  const tune_trials *trials = &session->trials;
  double best = 0;
  for (size_t i = 0; i < trials->configs.count; ++i) {
    const tune_trial *trial = &trials->items[i];
    if (trial->state == TUNE_TRIAL_DONE && tune_trial_is_timed(trial) && trial->turn <= count &&
        (best == 0 || trial->median < best))
      best = trial->median;
  }
  return best;
}

bool tune_session_has_own_limit(const struct session *session, size_t number, size_t twin) {
  const tune_trial *trial = &session->trials.items[number], *other = &session->trials.items[twin];
  bool is_limited =
      other->verdict == TUNE_VERDICT_CUT || other->verdict == TUNE_VERDICT_RUN_TIMEOUT;
  if (!is_limited || other->turn <= trial->turn)
    return false;
  return other->turn == SIZE_MAX || tune_session_best_of_first(session, trial->after) !=
                                        tune_session_best_of_first(session, other->after);
}

tune_status tune_session_measure(struct session *session, size_t number) {
  tune_trial *trial = &session->trials.items[number];
  trial->state = TUNE_TRIAL_MEASURING;
  double best = tune_session_best_of_first(session, trial->after);
  return session->evaluator->methods->measure(session->evaluator->self, tune_session_ticket(number),
                                              best * tune_session_drift_now(session));
}
