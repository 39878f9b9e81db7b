//===- demotion_trials.c ------------------------------------------------------===//

#include "tuning/session/demotion_trials.h"

#include "support/clock.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_SECONDS 0.1
#define CONFIDENCE 0.95

static bool goes_on(tune_whole_trials *trials) {
  const tune_demotion_options *options = trials->options;
  if (trials->ended)
    return false;
  if (options->interrupted && *options->interrupted)
    trials->ended = "it was interrupted";
  else if (options->deadline > 0 && tune_clock_seconds() >= options->deadline)
    trials->ended = "no time was left";
  return !trials->ended;
}

void tune_whole_drop(tune_whole_trials *trials, tune_whole_form *form) {
  if (form->ticket)
    trials->evaluator->methods->release(trials->evaluator->self, form->ticket);
  free(form->digest);
  free(form->error);
  *form = (tune_whole_form){.ticket = 0};
}

// Takes `event`'s texts.
static void take_event(tune_whole_form *form, tune_evaluation *event) {
  form->verdict = event->verdict;
  free(form->error);
  form->error = event->error;
  event->error = NULL;
  if (event->is_measured) {
    form->time = event->time.median;
  } else {
    form->digest = event->digest;
    event->digest = NULL;
  }
}

// Waits for what becomes of the form's ticket; where it goes on no longer, stops it.
static tune_status await(tune_whole_trials *trials, tune_whole_form *form) {
  const tune_evaluator *evaluator = trials->evaluator;
  while (goes_on(trials)) {
    tune_evaluation event;
    bool any;
    TUNE_RETURN_IF_ERROR(evaluator->methods->wait(evaluator->self, WAIT_SECONDS, &event, &any));
    if (!any)
      continue;
    take_event(form, &event);
    tune_evaluation_deinit(&event);
    return TUNE_OK;
  }
  return evaluator->methods->cancel(evaluator->self);
}

// Begins to build `config`; `*out_ticket` is 0 where nothing more is to be built.
static tune_status begin_build(tune_whole_trials *trials, const tune_config *config,
                               tune_whole_form *out_form, uint64_t *out_ticket) {
  const tune_evaluator *evaluator = trials->evaluator;
  *out_form = (tune_whole_form){.verdict = TUNE_VERDICT_CANCELLED};
  *out_ticket = 0;
  if (goes_on(trials) && trials->builds >= trials->options->builds)
    trials->ended = "as many modules were built as are worth it";
  if (!goes_on(trials))
    return TUNE_OK;
  ++trials->builds;
  *out_ticket = ++trials->last_ticket;
  return evaluator->methods->build(evaluator->self, *out_ticket, config);
}

tune_status tune_whole_build(tune_whole_trials *trials, const tune_config *config,
                             tune_whole_form *out_form) {
  uint64_t ticket;
  TUNE_RETURN_IF_ERROR(begin_build(trials, config, out_form, &ticket));
  if (!ticket)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(await(trials, out_form));
  if (out_form->verdict == TUNE_VERDICT_OK)
    out_form->ticket = ticket;
  return TUNE_OK;
}

// Waits for both; where it goes on no longer, stops them.
static tune_status await_two(tune_whole_trials *trials, const uint64_t tickets[2],
                             tune_whole_form *const forms[2]) {
  const tune_evaluator *evaluator = trials->evaluator;
  for (size_t left = 2; left > 0;) {
    tune_evaluation event;
    bool any;
    if (!goes_on(trials))
      return evaluator->methods->cancel(evaluator->self);
    TUNE_RETURN_IF_ERROR(evaluator->methods->wait(evaluator->self, WAIT_SECONDS, &event, &any));
    if (!any)
      continue;
    size_t which = event.ticket == tickets[1];
    take_event(forms[which], &event);
    tune_evaluation_deinit(&event);
    if (forms[which]->verdict == TUNE_VERDICT_OK)
      forms[which]->ticket = tickets[which];
    --left;
  }
  return TUNE_OK;
}

tune_status tune_whole_build_two(tune_whole_trials *trials, const tune_config *const configs[2],
                                 tune_whole_form *const out_forms[2]) {
  const tune_evaluator *evaluator = trials->evaluator;
  uint64_t tickets[2];
  if (evaluator->methods->capacity(evaluator->self) < 2) {
    TUNE_RETURN_IF_ERROR(tune_whole_build(trials, configs[0], out_forms[0]));
    return tune_whole_build(trials, configs[1], out_forms[1]);
  }
  for (size_t i = 0; i < 2; ++i)
    TUNE_RETURN_IF_ERROR(begin_build(trials, configs[i], out_forms[i], &tickets[i]));
  if (tickets[1])
    return await_two(trials, tickets, out_forms);
  return tickets[0] ? evaluator->methods->cancel(evaluator->self) : TUNE_OK;
}

tune_status tune_whole_check(tune_whole_trials *trials, tune_whole_form *form) {
  const tune_evaluator *evaluator = trials->evaluator;
  TUNE_RETURN_IF_ERROR(evaluator->methods->measure(evaluator->self, form->ticket, 0));
  TUNE_RETURN_IF_ERROR(await(trials, form));
  if (form->verdict == TUNE_VERDICT_CUT)
    form->verdict = TUNE_VERDICT_OK;
  return TUNE_OK;
}

static void take_failure(tune_whole_form *form, tune_comparison *comparison) {
  form->verdict = comparison->verdict;
  free(form->error);
  form->error = comparison->error;
  comparison->error = NULL;
}

// Which of the two failed, where that is not said, each alone has to show; `form` where neither
// does.
static tune_status blame(tune_whole_trials *trials, tune_whole_form *base, tune_whole_form *form,
                         tune_comparison *comparison) {
  if (comparison->culprit < comparison->count) {
    take_failure(comparison->culprit ? form : base, comparison);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(tune_whole_check(trials, form));
  if (form->verdict == TUNE_VERDICT_OK)
    TUNE_RETURN_IF_ERROR(tune_whole_check(trials, base));
  if (form->verdict == TUNE_VERDICT_OK && base->verdict == TUNE_VERDICT_OK)
    take_failure(form, comparison);
  return TUNE_OK;
}

// Ratios and times of a comparison of `base` and `form`.
static void take_times(tune_whole_form *base, tune_whole_form *form,
                       const tune_comparison *comparison) {
  base->time = comparison->times[0].median;
  form->ratio = comparison->ratios[1];
  form->time = comparison->times[1].median;
}

tune_status tune_whole_judge(tune_whole_trials *trials, tune_whole_form *base,
                             tune_whole_form *form) {
  const tune_evaluator *evaluator = trials->evaluator;
  if (!goes_on(trials))
    return TUNE_OK;
  const uint64_t tickets[] = {base->ticket, form->ticket};
  tune_compare_order order = {.tickets = tickets,
                              .count = 2,
                              .confidence = CONFIDENCE,
                              .deadline = trials->options->deadline,
                              .interrupted = trials->options->interrupted};
  tune_comparison comparison;
  TUNE_RETURN_IF_ERROR(evaluator->methods->compare(evaluator->self, &order, &comparison));
  tune_status status = TUNE_OK;
  if (comparison.was_interrupted)
    trials->ended = goes_on(trials) ? "it was interrupted" : trials->ended;
  else if (comparison.failed)
    status = blame(trials, base, form, &comparison);
  else
    take_times(base, form, &comparison);
  // The same code is as fast as itself, whatever was measured.
  if (tune_status_is_ok(status) && form->time > 0 && base->digest && form->digest &&
      strcmp(base->digest, form->digest) == 0)
    form->ratio = (tune_ratio){1, 1, 1};
  tune_comparison_deinit(&comparison);
  return status;
}
