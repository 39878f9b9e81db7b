//===- session_finalists.c - Comparison of finalists and choice of the winner -===//

#include "tuning/session/session_state.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_SECONDS 0.1
// A ratio to the default that calls for a second look where it is in doubt, and how many looks.
#define LOOKS_FASTER 0.98
#define COMPARISONS_AGAIN 2
// Of each comparison, so that in 95 of 100 searches no interval of any is wrong: the more often one
// looks, the surer each look has to be.
#define CONFIDENCE (1 - 0.05 / (1 + COMPARISONS_AGAIN))

static const tune_trial *trial_of(const struct session *session, size_t number) {
  return &session->trials.items[number];
}

static bool has_time(const struct session *session, size_t number) {
  const tune_trial *trial = trial_of(session, number);
  return trial->state == TUNE_TRIAL_DONE && !tune_verdict_is_failure(trial->verdict);
}

static bool same_artifact(const struct session *session, size_t a, size_t b) {
  const char *one = trial_of(session, a)->digest, *other = trial_of(session, b)->digest;
  return a == b || (one && other && strcmp(one, other) == 0);
}

//===- Choosing and building --------------------------------------------------===//

// Fills `finalists` (room for one more than the ranking keeps): the default first unless it failed,
// then the best that are not the same code.
static size_t choose_finalists(const struct session *session, size_t *finalists) {
  const tune_trials *trials = &session->trials;
  size_t count = 0, fallback = session->default_number;
  if (has_time(session, fallback))
    finalists[count++] = fallback;
  for (size_t i = 0; i < trials->best_count; ++i) {
    bool is_default_again = count && same_artifact(session, trials->best[i], fallback);
    if (!is_default_again)
      finalists[count++] = trials->best[i];
  }
  return count;
}

// A finalist that went well as a trial fails now: it is no candidate any more, in later sessions
// either.
static tune_status disqualify(struct session *session, size_t number, tune_verdict verdict,
                              const char *error) {
  TUNE_RETURN_IF_ERROR(
      tune_trials_discard(&session->trials, number, verdict, error ? error : "no reason given"));
  return tune_session_keep_trial(session, number, &(tune_timing){0});
}

// Has the artifacts of those finalists built that the evaluator does not have: trials of the store.
// What does not build any more is no finalist.
static tune_status build_finalists(struct session *session, const size_t *finalists, size_t count) {
  const tune_evaluator *evaluator = session->evaluator;
  size_t outstanding = 0;
  for (size_t i = 0; i < count; ++i) {
    if (trial_of(session, finalists[i])->has_artifact)
      continue;
    TUNE_RETURN_IF_ERROR(tune_session_build(session, finalists[i]));
    ++outstanding;
  }
  while (outstanding && !tune_session_is_interrupted(session)) {
    tune_evaluation event;
    bool any;
    TUNE_RETURN_IF_ERROR(evaluator->methods->wait(evaluator->self, WAIT_SECONDS, &event, &any));
    if (!any)
      continue;
    size_t number = (size_t)event.ticket - 1;
    session->trials.items[number].has_artifact = event.verdict == TUNE_VERDICT_OK;
    tune_status status = event.verdict == TUNE_VERDICT_OK
                             ? TUNE_OK
                             : disqualify(session, number, event.verdict, event.error);
    tune_evaluation_deinit(&event);
    TUNE_RETURN_IF_ERROR(status);
    --outstanding;
  }
  return outstanding ? evaluator->methods->cancel(evaluator->self) : TUNE_OK;
}

static size_t drop_unbuilt(const struct session *session, size_t *finalists, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (trial_of(session, finalists[i])->has_artifact)
      finalists[kept++] = finalists[i];
  return kept;
}

//===- Deciding ---------------------------------------------------------------===//

// Fills in the result: `number` is the best. Takes the samples of `time`.
static tune_status declare(struct session *session, size_t number, tune_timing *time) {
  tune_session_result *result = session->result;
  result->has_best = true;
  result->is_default = number == session->default_number;
  result->time = *time;
  *time = (tune_timing){0};
  return tune_config_init_copy(&result->best, &session->trials.configs.configs[number]);
}

static void set_speedup(tune_session_result *result, tune_ratio ratio) {
  result->speedup = 1 / ratio.ratio;
  result->speedup_low = 1 / ratio.high;
  result->speedup_high = 1 / ratio.low;
}

static tune_timing timing_of(const tune_trial *trial) {
  return (tune_timing){.median = trial->median, .low = trial->low, .high = trial->high};
}

// The ratio of the times of two trials that were not taken side by side: the worst of both
// intervals.
static tune_ratio ratio_of_trials(const tune_trial *trial, const tune_trial *fallback) {
  if (trial == fallback)
    return (tune_ratio){1, 1, 1};
  return (tune_ratio){trial->median / fallback->median, trial->low / fallback->high,
                      trial->high / fallback->low};
}

static bool is_to_go_on(const struct session *session) {
  tune_session_stop stop = session->result->stop;
  return stop == TUNE_STOP_INTERRUPTED || stop == TUNE_STOP_SUSPENDED;
}

// By the figures of single trials: their intervals have to be apart.
static tune_status decide_by_trials(struct session *session) {
  const tune_trials *trials = &session->trials;
  const tune_trial *fallback = trial_of(session, session->default_number);
  bool has_default = has_time(session, session->default_number);
  if (!has_default && !trials->best_count)
    return TUNE_OK;
  size_t best = trials->best_count ? trials->best[0] : session->default_number;
  if (has_default && trial_of(session, best)->high >= fallback->low)
    best = session->default_number;
  tune_timing time = timing_of(trial_of(session, best));
  if (has_default) {
    session->result->default_time = fallback->median;
    set_speedup(session->result, ratio_of_trials(trial_of(session, best), fallback));
  }
  // A search that is to go on has a best so far and no winner.
  if (!is_to_go_on(session))
    TUNE_RETURN_IF_ERROR(tune_session_keep_winner(session, best, 1, &time));
  return declare(session, best, &time);
}

// The last winner of the store, with the time it had beside the other finalists. What the default
// had there is not kept, so that the ratio is that of their trials.
static tune_status decide_by_winner(struct session *session) {
  const tune_trial *fallback = trial_of(session, session->default_number);
  tune_timing *time = &session->winner_time;
  if (has_time(session, session->default_number)) {
    tune_ratio ratio = ratio_of_trials(trial_of(session, session->winner_number), fallback);
    session->result->default_time = time->median / ratio.ratio;
    set_speedup(session->result, ratio);
  }
  return declare(session, session->winner_number, time);
}

// Whether the ratio of finalist `i` to the default is beyond doubt. It is from pairs of
// neighbouring samples: where the medians say the contrary, something else ran in half of the
// pairs, as it does where threads share their cores, and neither says which one is faster.
static bool is_clearly_faster(const tune_comparison *comparison, size_t i) {
  return comparison->ratios[i].high < 1 &&
         comparison->times[i].median < comparison->times[0].median;
}

static tune_status decide_by_comparison(struct session *session, const size_t *finalists,
                                        tune_comparison *comparison) {
  tune_session_result *result = session->result;
  bool has_default = finalists[0] == session->default_number;
  size_t best = 0;
  for (size_t i = 1; i < comparison->count; ++i) {
    bool is_doubtful = has_default && !is_clearly_faster(comparison, i);
    if (!is_doubtful && comparison->ratios[i].ratio < comparison->ratios[best].ratio)
      best = i;
  }
  result->was_compared = true;
  result->placements = comparison->placements;
  if (has_default) {
    result->default_time = comparison->times[0].median;
    set_speedup(result, best ? comparison->ratios[best] : (tune_ratio){1, 1, 1});
  }
  TUNE_RETURN_IF_ERROR(tune_session_keep_winner(
      session, finalists[best], tune_session_drift_now(session), &comparison->times[best]));
  return declare(session, finalists[best], &comparison->times[best]);
}

// The finalist that looks faster than the default by so much that a noisy machine may be why it is
// not so beyond doubt, and no other one is; 0 where there is none.
static size_t find_doubtful(const tune_comparison *comparison) {
  size_t doubtful = 0;
  for (size_t i = 1; i < comparison->count; ++i) {
    if (is_clearly_faster(comparison, i))
      return 0;
    if (comparison->ratios[i].ratio < LOOKS_FASTER &&
        (!doubtful || comparison->ratios[i].ratio < comparison->ratios[doubtful].ratio))
      doubtful = i;
  }
  return doubtful;
}

static tune_status compare_artifacts(struct session *session, const size_t *finalists, size_t count,
                                     tune_comparison *comparison) {
  const tune_evaluator *evaluator = session->evaluator;
  uint64_t *tickets = calloc(count, sizeof *tickets);
  if (!tickets)
    return tune_status_out_of_memory("out of memory while comparing finalists");
  for (size_t i = 0; i < count; ++i)
    tickets[i] = tune_session_ticket(finalists[i]);
  tune_compare_order order = {.tickets = tickets,
                              .count = count,
                              .confidence = CONFIDENCE,
                              .interrupted = session->options->interrupted};
  tune_status status = evaluator->methods->compare(evaluator->self, &order, comparison);
  free(tickets);
  return status;
}

// Compares, and while that is in doubt compares the default and the doubtful one again, some times.
// `finalists` are then these two.
static tune_status compare_until_clear(struct session *session, size_t *finalists, size_t count,
                                       tune_comparison *comparison) {
  bool has_default = finalists[0] == session->default_number;
  TUNE_RETURN_IF_ERROR(compare_artifacts(session, finalists, count, comparison));
  for (size_t i = 0; i < COMPARISONS_AGAIN && has_default; ++i) {
    bool has_ratios = !comparison->failed && !comparison->was_interrupted;
    size_t doubtful = has_ratios ? find_doubtful(comparison) : 0;
    if (!doubtful || tune_session_is_interrupted(session))
      break;
    finalists[1] = finalists[doubtful];
    tune_comparison_deinit(comparison);
    TUNE_RETURN_IF_ERROR(compare_artifacts(session, finalists, 2, comparison));
  }
  return TUNE_OK;
}

// Disqualifies the finalist that made the comparison fail. Where nobody knows which one that was,
// all but the default are under suspicion.
static tune_status disqualify_culprit(struct session *session, const size_t *finalists,
                                      const tune_comparison *comparison) {
  if (comparison->culprit < comparison->count)
    return disqualify(session, finalists[comparison->culprit], comparison->verdict,
                      comparison->error);
  for (size_t i = 0; i < comparison->count; ++i)
    if (finalists[i] != session->default_number)
      TUNE_RETURN_IF_ERROR(
          disqualify(session, finalists[i], comparison->verdict, comparison->error));
  return TUNE_OK;
}

// One round of building, comparing and deciding. Clears `*out_decided` where a finalist failed, so
// that those left are to be looked at again.
static tune_status compare_once(struct session *session, size_t *finalists, bool *out_decided) {
  *out_decided = true;
  size_t count = choose_finalists(session, finalists);
  if (!session->options->finalists || count < 2)
    return decide_by_trials(session);
  tune_session_report(session, TUNE_SESSION_COMPARING);
  TUNE_RETURN_IF_ERROR(build_finalists(session, finalists, count));
  count = drop_unbuilt(session, finalists, count);
  if (tune_session_is_interrupted(session))
    session->result->stop = TUNE_STOP_INTERRUPTED;
  if (count < 2 || tune_session_is_interrupted(session))
    return decide_by_trials(session);
  tune_comparison comparison;
  TUNE_RETURN_IF_ERROR(compare_until_clear(session, finalists, count, &comparison));
  tune_status status = TUNE_OK;
  if (comparison.was_interrupted) {
    const tune_evaluator *evaluator = session->evaluator;
    bool is_suspended =
        evaluator->methods->is_suspended && evaluator->methods->is_suspended(evaluator->self);
    session->result->stop = is_suspended ? TUNE_STOP_SUSPENDED : TUNE_STOP_INTERRUPTED;
    status = decide_by_trials(session);
  } else if (comparison.failed) {
    *out_decided = false;
    status = disqualify_culprit(session, finalists, &comparison);
  } else {
    status = decide_by_comparison(session, finalists, &comparison);
  }
  tune_comparison_deinit(&comparison);
  return status;
}

static tune_status compare(struct session *session, size_t *finalists) {
  // Ends: each round that decides nothing has one finalist less for the next.
  bool is_decided = false;
  while (!is_decided)
    TUNE_RETURN_IF_ERROR(compare_once(session, finalists, &is_decided));
  return TUNE_OK;
}

tune_status tune_session_decide(struct session *session) {
  if (is_to_go_on(session))
    return decide_by_trials(session);
  if (!session->new_trials && session->has_winner)
    return decide_by_winner(session);
  size_t *finalists = calloc(session->trials.best_limit + 2, sizeof *finalists);
  if (!finalists)
    return tune_status_out_of_memory("out of memory while comparing finalists");
  tune_status status = compare(session, finalists);
  free(finalists);
  return status;
}
