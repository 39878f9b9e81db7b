//===- session_measurements.c - Which trials are measured, and what that says -===//
//
// A trial that is built is measured when it is known what it is measured against
// (session_limits.c), unless one with its code is: then it waits for that, and takes its figures
// over (session_duplicates.c).
//
//===------------------------------------------------------------------------------------===//

#include "tuning/session/session_state.h"

#include <stdlib.h>
#include <string.h>

//===- One trial for all with its code --------------------------------------------===//

static tune_status settle_as_twin(struct session *session, size_t number, size_t twin) {
  tune_trial *trial = &session->trials.items[number];
  if (session->trials.items[twin].is_twin) // it has changed roles
    twin = session->trials.items[twin].twin;
  const tune_trial *other = &session->trials.items[twin];
  trial->is_twin = true;
  trial->twin = twin;
  bool has_time = !tune_verdict_is_failure(other->verdict);
  trial->verdict = has_time ? TUNE_VERDICT_DUPLICATE : other->verdict;
  tune_session_copy_figures(trial, other);
  if (other->error && !(trial->error = strdup(other->error)))
    return tune_status_out_of_memory("out of memory while keeping trials");
  return tune_session_settle(session, number);
}

// Has a trial wait for another one with its code, in place of what is known of it.
static void set_waiting(tune_trial *trial) {
  free(trial->error);
  trial->error = NULL;
  tune_trial_drop_samples(trial);
  tune_session_copy_figures(trial, &(tune_trial){0});
  trial->is_twin = false;
  trial->verdict = TUNE_VERDICT_OK;
  trial->state = TUNE_TRIAL_WAITING;
}

// What came of `twin`, and of its duplicates, is not what comes of an earlier trial. None of them
// has had its turn.
static void take_back(struct session *session, size_t twin) {
  for (size_t i = 0; i < session->trials.configs.count; ++i) {
    tune_trial *trial = &session->trials.items[i];
    bool is_of_it = i == twin || (trial->is_twin && trial->twin == twin);
    if (!is_of_it || trial->state != TUNE_TRIAL_SETTLED)
      continue;
    for (int stage = 0; stage < TUNE_STAGE_COUNT; ++stage)
      session->result->stage_seconds[stage] -= trial->stage_seconds[stage];
    set_waiting(trial);
    ++session->outstanding;
  }
}

// Measures a trial that is built, or has it wait for or take over the figures of one with its code.
static tune_status measure_or_wait(struct session *session, size_t number) {
  tune_trial *trial = &session->trials.items[number];
  size_t twin =
      trial->digest ? tune_trials_find_twin(&session->trials, number, trial->digest) : SIZE_MAX;
  if (twin == SIZE_MAX)
    return tune_session_measure(session, number);
  if (session->trials.items[twin].state == TUNE_TRIAL_MEASURING) {
    trial->state = TUNE_TRIAL_WAITING;
    return TUNE_OK;
  }
  if (!tune_session_has_own_limit(session, number, twin))
    return settle_as_twin(session, number, twin);
  take_back(session, twin);
  return tune_session_measure(session, number);
}

// The first of those that wait for `number`.
static size_t find_first_waiting(const struct session *session, size_t number) {
  const tune_trials *trials = &session->trials;
  size_t first = SIZE_MAX;
  for (size_t i = 0; i < trials->configs.count; ++i)
    if (trials->items[i].state == TUNE_TRIAL_WAITING &&
        tune_session_has_same_code(&trials->items[i], &trials->items[number]) &&
        (first == SIZE_MAX || trials->items[i].turn < trials->items[first].turn))
      first = i;
  return first;
}

// Settles a trial that was measured, and those that wait for it.
static tune_status settle_measured(struct session *session, size_t number) {
  size_t first = find_first_waiting(session, number);
  if (first != SIZE_MAX && tune_session_has_own_limit(session, first, number)) {
    set_waiting(&session->trials.items[number]);
    return tune_session_measure(session, first);
  }
  TUNE_RETURN_IF_ERROR(tune_session_settle(session, number));
  for (; first != SIZE_MAX; first = find_first_waiting(session, number))
    TUNE_RETURN_IF_ERROR(settle_as_twin(session, first, number));
  return TUNE_OK;
}

tune_status tune_session_measure_due(struct session *session) {
  // In their order: of two with the same code the first one is measured.
  for (size_t i = session->taken_count; i < session->asked_count; ++i) {
    size_t number = session->asked[i];
    const tune_trial *trial = &session->trials.items[number];
    if (trial->state == TUNE_TRIAL_BUILT && session->taken_count >= trial->after)
      TUNE_RETURN_IF_ERROR(measure_or_wait(session, number));
  }
  return TUNE_OK;
}

//===- Events ---------------------------------------------------------------------===//

// Moves what the event says into the trial.
static void take_event(tune_trial *trial, tune_evaluation *event) {
  trial->verdict = event->verdict;
  trial->created_ms = event->created_ms;
  free(trial->error);
  trial->error = event->error;
  event->error = NULL;
  if (event->digest) {
    free(trial->digest);
    trial->digest = event->digest;
    event->digest = NULL;
  }
  for (int i = 0; i < TUNE_STAGE_COUNT; ++i)
    trial->stage_seconds[i] += event->stage_seconds[i];
  if (!event->is_measured) {
    trial->code = event->code;
    return;
  }
  trial->time = event->time;
  event->time = (tune_timing){0};
  trial->median = trial->time.median;
  trial->low = trial->time.low;
  trial->high = trial->time.high;
  trial->check = event->check;
  trial->counts = event->counts;
}

static tune_status handle_built(struct session *session, size_t number) {
  tune_trial *trial = &session->trials.items[number];
  --session->building;
  if (trial->verdict != TUNE_VERDICT_OK)
    return tune_session_settle(session, number);
  trial->has_artifact = true;
  trial->state = TUNE_TRIAL_BUILT;
  return TUNE_OK;
}

tune_status tune_session_handle_event(struct session *session, tune_evaluation *event) {
  size_t number = (size_t)event->ticket - 1;
  session->result->waited_seconds += event->waited;
  if (tune_session_drift_owns(session, event))
    return tune_session_drift_take(session, event);
  take_event(&session->trials.items[number], event);
  if (event->is_measured) {
    tune_session_drift_put_right(session, number);
    TUNE_RETURN_IF_ERROR(settle_measured(session, number));
  } else {
    TUNE_RETURN_IF_ERROR(handle_built(session, number));
  }
  return tune_session_measure_due(session);
}
