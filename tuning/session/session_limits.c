//===- session_limits.c - Time limits of trials ------------------------------===//
//
// A candidate that is surely slower than the best one known is cut, and killed where it takes many
// times as long. Which one is the best known when it is measured depends on what was done first;
// so it is not that one that it is measured against, but the best of the first so many proposals:
// of those that are LAG before it at least, and of the first one of all, the default. Where one of
// them is not known yet, the measurement waits. (Builds go on. A strategy that learns is asked when
// it knows that much anyway, so that only the first measurement is waited for.) A round is
// measured against what was proposed before it.
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
