//===- session_drift.c - A machine that gets slower, or faster ---------------===//
//
// A clock that falls as the machine warms up, another guest on its memory: trials of ten minutes
// ago were measured on another machine, so to speak. The first candidate that went well, the
// default as a rule, is timed again every so many trials. Its time then over its time at first is
// the drift, by which times are divided. One odd time is no drift: it has to be seen twice, by
// more than its interval explains. Of what was timed since the old factor was last seen to hold,
// nobody knows whether it was before or after the change: it is divided by the smaller of both, so
// that nothing looks faster than it may be, and crowds out who is.
//
//===--------------------------------------------------------------------------------===//

#include "tuning/session/session_state.h"

#include <math.h>

#define MOVED 0.03

static bool has_time(const tune_trial *trial) { return trial->median > 0; }

double tune_session_drift_now(const struct session *session) {
  return session->drift.has_reference ? session->drift.factor : 1;
}

void tune_session_drift_put_right(struct session *session, size_t number) {
  struct drift *drift = &session->drift;
  tune_trial *trial = &session->trials.items[number];
  if (!session->options->drift_trials || !has_time(trial))
    return;
  trial->measured_at = ++drift->timings;
  if (!drift->has_reference && trial->verdict == TUNE_VERDICT_OK) {
    *drift = (struct drift){.has_reference = true,
                            .reference = number,
                            .reference_seconds = trial->median,
                            .factor = 1,
                            .timings = drift->timings,
                            .settled_at = trial->measured_at};
    return;
  }
  ++drift->since;
  if (drift->has_reference && drift->factor != 1)
    tune_trial_put_right(trial, drift->factor);
}

tune_status tune_session_drift_probe(struct session *session) {
  struct drift *drift = &session->drift;
  bool is_due = drift->doubted > 0 || drift->since >= session->options->drift_trials;
  if (!session->options->drift_trials || !drift->has_reference || drift->is_probing || !is_due)
    return TUNE_OK;
  drift->is_probing = true;
  return session->evaluator->methods->measure(session->evaluator->self,
                                              tune_session_ticket(drift->reference), 0);
}

bool tune_session_drift_owns(const struct session *session, const tune_evaluation *event) {
  return session->drift.is_probing &&
         event->ticket == tune_session_ticket(session->drift.reference);
}

// What was measured while the factor was `before` or the one there is.
static void put_right_since(struct session *session, double before) {
  const struct drift *drift = &session->drift;
  for (size_t i = 0; i < session->trials.configs.count; ++i) {
    tune_trial *trial = &session->trials.items[i];
    if (!has_time(trial) || trial->measured_at <= drift->settled_at)
      continue;
    tune_trial_put_right(trial, fmin(before, drift->factor));
  }
}

// The factor nearest to `factor` that the interval of a time allows.
static double nearest_to(double factor, const tune_timing *time, double reference) {
  double low = time->low / reference, high = time->high / reference;
  return fmax(low, fmin(factor, high));
}

tune_status tune_session_drift_take(struct session *session, const tune_evaluation *event) {
  struct drift *drift = &session->drift;
  drift->is_probing = false;
  drift->since = 0;
  if (tune_verdict_is_failure(event->verdict) || !(event->time.median > 0)) {
    drift->doubted = 0; // or it would be timed at once again, without end
    return TUNE_OK;     // finalists, or the trials to come, show what that was
  }
  uint64_t now = ++drift->timings;
  double seen = event->time.median / drift->reference_seconds;
  double sure = nearest_to(drift->factor, &event->time, drift->reference_seconds) / drift->factor;
  bool has_moved = sure > 1 + MOVED || sure < 1 / (1 + MOVED);
  bool is_confirmed =
      has_moved && drift->doubted > 0 && (drift->doubted > drift->factor) == (seen > drift->factor);
  if (!is_confirmed) {
    drift->doubted = has_moved ? seen : 0;
    if (!has_moved)
      drift->settled_at = now;
    return TUNE_OK;
  }
  double before = drift->factor;
  // Of the two the one that is nearer to what was: it is sure to have moved so far.
  drift->factor = seen > before ? fmin(seen, drift->doubted) : fmax(seen, drift->doubted);
  put_right_since(session, before);
  tune_trials_rank_again(&session->trials);
  drift->doubted = 0;
  drift->settled_at = now;
  if (fabs(log(drift->factor)) > fabs(log(session->result->drift)))
    session->result->drift = drift->factor;
  return TUNE_OK;
}
