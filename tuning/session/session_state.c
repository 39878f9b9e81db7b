//===- session_state.c --------------------------------------------------------===//

#include "tuning/session/session_state.h"

#include "support/clock.h"

#include <math.h>

bool tune_session_is_interrupted(const struct session *session) {
  return session->options->interrupted && *session->options->interrupted;
}

bool tune_session_time_is_up(const struct session *session) {
  double seconds = session->options->seconds;
  return seconds > 0 && tune_clock_seconds() - session->began >= seconds;
}

double tune_session_best_time(const struct session *session) {
  const tune_trials *trials = &session->trials;
  return trials->best_count ? trials->items[trials->best[0]].median : 0;
}

static size_t count_failed(const tune_trials *trials) {
  size_t failed = 0;
  for (int i = 0; i < TUNE_VERDICT_COUNT; ++i)
    failed += tune_verdict_is_failure((tune_verdict)i) ? trials->verdicts[i] : 0;
  return failed;
}

void tune_session_report(const struct session *session, tune_session_phase phase) {
  const tune_session_options *options = session->options;
  if (!options->progress)
    return;
  const tune_trials *trials = &session->trials;
  tune_session_progress progress = {
      .task = session->task,
      .phase = phase,
      .trials = trials->done,
      .trial_limit = trials->done > options->trials ? trials->done : options->trials,
      .known = trials->done - session->new_trials,
      .failed = count_failed(trials),
      .duplicates = trials->verdicts[TUNE_VERDICT_DUPLICATE],
      .best = tune_session_best_time(session),
      .default_time = trials->items[session->default_number].median,
      .seconds = tune_clock_seconds() - session->began,
  };
  if (session->new_trials && phase == TUNE_SESSION_SEARCHING && options->trials > trials->done) {
    progress.eta =
        progress.seconds / (double)session->new_trials * (double)(options->trials - trials->done);
    if (options->seconds > 0 && progress.eta > options->seconds - progress.seconds)
      progress.eta = fmax(options->seconds - progress.seconds, 0);
  }
  options->progress(options->user, &progress);
}

tune_status tune_session_build(struct session *session, size_t number) {
  const tune_evaluator *evaluator = session->evaluator;
  if (!session->is_open) {
    TUNE_RETURN_IF_ERROR(evaluator->methods->open(evaluator->self, session->task));
    session->is_open = true;
  }
  return evaluator->methods->build(evaluator->self, tune_session_ticket(number),
                                   &session->trials.configs.configs[number]);
}
