//===- session_duplicates.c - Trials whose code is the same ------------------===//
//
// Of trials with the same code one is measured, and the others are its duplicates. Which one that
// is does not depend on which is built first, nor on what an earlier session, that was interrupted,
// has left in the store: it is the one that was proposed first. What was measured as another one's
// is taken over, unless it came to an end by a limit that the first one does not have.
//
//===--------------------------------------------------------------------------------===//

#include "tuning/session/session_state.h"

#include <stdlib.h>
#include <string.h>

static bool has_same_code(const tune_trial *a, const tune_trial *b) {
  return a->digest && b->digest && strcmp(a->digest, b->digest) == 0;
}

// What was found out by measuring.
static void copy_figures(tune_trial *trial, const tune_trial *other) {
  trial->created_ms = other->created_ms;
  trial->median = other->median;
  trial->low = other->low;
  trial->high = other->high;
  trial->drift = other->drift;
  trial->measured_at = other->measured_at;
  trial->check = other->check;
  trial->counts = other->counts;
}

static tune_status settle_as_twin(struct session *session, size_t number, size_t twin) {
  tune_trial *trial = &session->trials.items[number];
  if (session->trials.items[twin].is_twin) // it has changed roles
    twin = session->trials.items[twin].twin;
  const tune_trial *other = &session->trials.items[twin];
  trial->is_twin = true;
  trial->twin = twin;
  bool has_time = !tune_verdict_is_failure(other->verdict);
  trial->verdict = has_time ? TUNE_VERDICT_DUPLICATE : other->verdict;
  copy_figures(trial, other);
  if (other->error && !(trial->error = strdup(other->error)))
    return tune_status_out_of_memory("out of memory while keeping trials");
  return tune_session_settle(session, number);
}

//===- Measured again -------------------------------------------------------------===//

// Has a trial wait for another one with its code, in place of what is known of it.
static void set_waiting(tune_trial *trial) {
  free(trial->error);
  trial->error = NULL;
  tune_trial_drop_samples(trial);
  copy_figures(trial, &(tune_trial){0});
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

tune_status tune_session_measure_or_wait(struct session *session, size_t number) {
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
        has_same_code(&trials->items[i], &trials->items[number]) &&
        (first == SIZE_MAX || trials->items[i].turn < trials->items[first].turn))
      first = i;
  return first;
}

tune_status tune_session_settle_measured(struct session *session, size_t number) {
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

//===- Roles ------------------------------------------------------------------------===//

void tune_session_order_settled(struct session *session, size_t number) {
  tune_trial *trial = &session->trials.items[number];
  size_t twin = trial->twin;
  tune_trial *other = &session->trials.items[twin];
  if (!trial->is_twin || other->state != TUNE_TRIAL_SETTLED || other->is_known ||
      other->turn < trial->turn)
    return;
  tune_verdict verdict = trial->verdict;
  trial->verdict = other->verdict;
  other->verdict = verdict;
  trial->time = other->time;
  other->time = (tune_timing){0};
  for (size_t i = 0; i < session->trials.configs.count; ++i)
    if (session->trials.items[i].is_twin && session->trials.items[i].twin == twin)
      session->trials.items[i].twin = number;
  trial->is_twin = false;
  other->is_twin = true;
  other->twin = number;
}

static void make_duplicate(struct session *session, size_t number, size_t of) {
  tune_trial *trial = &session->trials.items[number];
  copy_figures(trial, &session->trials.items[of]);
  trial->is_twin = true;
  trial->twin = of;
  tune_trials_change(&session->trials, number, TUNE_VERDICT_DUPLICATE);
}

// Whether a trial that is counted, or of the store and will be, has figures that those with its
// code may take over.
static bool has_figures(const tune_trial *trial) {
  bool is_to_come = trial->is_held || (trial->is_known && trial->state == TUNE_TRIAL_SETTLED);
  return (trial->state == TUNE_TRIAL_DONE || is_to_come) &&
         (trial->verdict == TUNE_VERDICT_OK || trial->verdict == TUNE_VERDICT_CUT ||
          (is_to_come && trial->verdict == TUNE_VERDICT_RUN_TIMEOUT));
}

void tune_session_order_known(struct session *session, size_t number) {
  tune_trial *items = session->trials.items, *trial = &items[number];
  if (tune_verdict_is_failure(trial->verdict))
    return;
  for (size_t i = 0; i < session->trials.configs.count; ++i) {
    if (i == number || !has_figures(&items[i]) || !has_same_code(&items[i], trial))
      continue;
    // It was killed by a limit that the first one does not have.
    if (items[i].verdict == TUNE_VERDICT_RUN_TIMEOUT && trial->verdict == TUNE_VERDICT_DUPLICATE)
      continue;
    if (items[i].turn <= trial->turn) {
      if (trial->verdict != TUNE_VERDICT_DUPLICATE)
        make_duplicate(session, number, i);
      return;
    }
    if (trial->verdict == TUNE_VERDICT_DUPLICATE) {
      copy_figures(trial, &items[i]);
      trial->is_twin = false;
      tune_trials_change(&session->trials, number, items[i].verdict);
    }
    make_duplicate(session, i, number);
  }
}
