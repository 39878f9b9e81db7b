//===- session_duplicates.c - Trials whose code is the same ------------------===//
//
// Of trials with the same code one is measured, and the others are its duplicates. Which one that
// is does not depend on which is built first, nor on what an earlier session, that was interrupted,
// has left in the store: it is the one that was proposed first. What was measured as another one's
// is taken over, unless it came to an end by a limit that the first one does not have.
//
//===--------------------------------------------------------------------------------===//

#include "tuning/session/session_state.h"

#include <string.h>

bool tune_session_has_same_code(const tune_trial *a, const tune_trial *b) {
  return a->digest && b->digest && strcmp(a->digest, b->digest) == 0;
}

void tune_session_copy_figures(tune_trial *trial, const tune_trial *other) {
  trial->created_ms = other->created_ms;
  trial->median = other->median;
  trial->low = other->low;
  trial->high = other->high;
  trial->drift = other->drift;
  trial->measured_at = other->measured_at;
  trial->check = other->check;
  trial->counts = other->counts;
}

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
  tune_session_copy_figures(trial, &session->trials.items[of]);
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
    if (i == number || !has_figures(&items[i]) || !tune_session_has_same_code(&items[i], trial))
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
      tune_session_copy_figures(trial, &items[i]);
      trial->is_twin = false;
      tune_trials_change(&session->trials, number, items[i].verdict);
    }
    make_duplicate(session, i, number);
  }
}
