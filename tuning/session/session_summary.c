//===- session_summary.c - The summary of a session --------------------------===//

#include "support/clock.h"
#include "tuning/session/session_state.h"
#include "tuning/strategies/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Which knobs go with the times.
static tune_status explain(struct session *session) {
  const tune_trials *trials = &session->trials;
  tune_session_result *result = session->result;
  size_t knobs = tune_space_knob_count(session->task->space), count = 0;
  tune_config *configs = calloc(trials->configs.count + 1, sizeof *configs);
  double *log_costs = calloc(trials->configs.count + 1, sizeof *log_costs);
  tune_effects *effects = NULL;
  tune_status status = configs && log_costs
                           ? tune_effects_create(session->task->space, &effects)
                           : tune_status_out_of_memory("out of memory while summing up a session");
  for (size_t i = 0; tune_status_is_ok(status) && i < trials->configs.count; ++i) {
    const tune_trial *trial = &trials->items[i];
    if (trial->state != TUNE_TRIAL_DONE || tune_verdict_is_failure(trial->verdict))
      continue;
    configs[count] = trials->configs.configs[i]; // borrowed
    log_costs[count++] = log(trial->median);
  }
  if (tune_status_is_ok(status))
    status = tune_effects_fit(effects, configs, log_costs, count);
  if (tune_status_is_ok(status) && count >= 3) {
    result->importance = calloc(knobs + 1, sizeof *result->importance);
    if (result->importance)
      tune_effects_shares(effects, result->importance);
    else
      status = tune_status_out_of_memory("out of memory while summing up a session");
  }
  tune_effects_destroy(effects);
  free(configs);
  free(log_costs);
  return status;
}

// Which knobs changed nothing in what was built.
static tune_status find_inert(struct session *session) {
  const tune_trials *trials = &session->trials;
  tune_session_result *result = session->result;
  const char **digests = calloc(trials->configs.count + 1, sizeof *digests);
  if (!digests)
    return tune_status_out_of_memory("out of memory while summing up a session");
  for (size_t i = 0; i < trials->configs.count; ++i)
    digests[i] = trials->items[i].state == TUNE_TRIAL_DONE ? trials->items[i].digest : NULL;
  tune_status status = tune_inert_find(session->task->space, trials->configs.configs, digests,
                                       trials->configs.count, &result->inert, &result->inert_count);
  free(digests);
  return status;
}

static tune_status count_failures(struct session *session) {
  for (size_t i = 0; i < session->trials.configs.count; ++i) {
    const tune_trial *trial = &session->trials.items[i];
    if (trial->state == TUNE_TRIAL_DONE)
      TUNE_RETURN_IF_ERROR(
          tune_failures_add(&session->result->failures, trial->verdict, trial->error));
  }
  return TUNE_OK;
}

tune_status tune_session_summarize(struct session *session) {
  tune_session_result *result = session->result;
  const tune_trials *trials = &session->trials;
  const tune_trial *first = &trials->items[session->default_number];
  result->trials = trials->done;
  result->new_trials = session->new_trials;
  memcpy(result->verdicts, trials->verdicts, sizeof result->verdicts);
  result->default_verdict =
      first->state == TUNE_TRIAL_DONE ? first->verdict : TUNE_VERDICT_CANCELLED;
  if (first->error && !(result->default_error = strdup(first->error)))
    return tune_status_out_of_memory("out of memory while summing up a session");
  TUNE_RETURN_IF_ERROR(count_failures(session));
  TUNE_RETURN_IF_ERROR(explain(session));
  TUNE_RETURN_IF_ERROR(find_inert(session));
  result->percent_of_peak = tune_task_percent_of_peak(session->task, result->time.median);
  const tune_evaluator *evaluator = session->evaluator;
  if (evaluator->methods->reference_seconds)
    result->plain_seconds = evaluator->methods->reference_seconds(evaluator->self);
  result->seconds = tune_clock_seconds() - session->began;
  return TUNE_OK;
}
