//===- session.c - The search ------------------------------------------------===//

#include "tuning/session/session.h"

#include "support/clock.h"
#include "tuning/session/session_state.h"

#include <stdlib.h>
#include <string.h>

// How long a wait for an event may keep the session from looking at its stop rules, in seconds.
#define WAIT_SECONDS 0.1
// How many trials may be proposed beyond the first one that is not done, where there are few
// builders.
#define MOST_AHEAD ((size_t)16)

void tune_session_options_init(tune_session_options *options) {
  *options = (tune_session_options){.strategy = "evolutionary", .trials = 64, .finalists = 4};
  tune_strategy_options_init(&options->strategy_options);
}

void tune_session_result_deinit(tune_session_result *result) {
  tune_config_deinit(&result->best);
  free(result->time.samples);
  free(result->default_error);
  tune_failures_deinit(&result->failures);
  tune_inert_free(result->inert, result->inert_count);
  free(result->importance);
  *result = (tune_session_result){0};
}

//===- The search -------------------------------------------------------------===//

// Has what the strategy proposes built, unless it is in the store. Clears `*out_any` where there is
// nothing more to try.
static tune_status begin_trial(struct session *session, bool *out_any) {
  size_t number;
  TUNE_RETURN_IF_ERROR(tune_session_ask(session, &number, out_any));
  session->is_exhausted = !*out_any && !tune_strategy_waits(session->strategy);
  if (!*out_any)
    return TUNE_OK;
  if (session->trials.items[number].is_known) {
    tune_session_take_turns(session);
    return TUNE_OK;
  }
  if (session->begun >= session->options->trials) {
    // There are as many trials as were asked for, and those of the store are not proposed again:
    // the rest of it, or the options, are others than they were.
    *out_any = false;
    tune_session_take_back_proposal(session);
    return tune_session_take_held(session);
  }
  session->trials.items[number].state = TUNE_TRIAL_BUILDING;
  ++session->begun;
  ++session->building;
  ++session->outstanding;
  return tune_session_build(session, number);
}

// Keeps the evaluator busy. Builds do not run far ahead of measurements, unless rounds are asked
// for: what is not asked for yet is asked for with more knowledge.
static tune_status fill(struct session *session) {
  size_t capacity = session->evaluator->methods->capacity(session->evaluator->self);
  size_t round = session->options->round, limit = round ? round : 2 * capacity;
  tune_session_stop stop;
  // Trials wait for their turn behind the slowest one.
  size_t ahead = MOST_AHEAD > 4 * capacity ? MOST_AHEAD : 4 * capacity;
  if (round && session->outstanding)
    return TUNE_OK;
  bool any = !session->is_exhausted;
  while (any && !tune_session_rule_holds(session, &stop) &&
         (session->begun < session->options->trials || session->held_count) &&
         (round || session->building < capacity) && session->outstanding < limit &&
         (round || session->asked_count < session->taken_count + ahead) &&
         tune_session_may_ask(session))
    TUNE_RETURN_IF_ERROR(begin_trial(session, &any));
  return TUNE_OK;
}

// Whether a stop rule holds that does not wait for what is outstanding.
static bool should_stop(const struct session *session, tune_session_stop *out_stop) {
  if (tune_session_is_interrupted(session))
    *out_stop = TUNE_STOP_INTERRUPTED;
  else if (tune_session_time_is_up(session))
    *out_stop = TUNE_STOP_TIME;
  else
    return tune_session_rule_holds(session, out_stop);
  return true;
}

static bool is_suspended(const struct session *session) {
  const tune_evaluator *evaluator = session->evaluator;
  return evaluator->methods->is_suspended && evaluator->methods->is_suspended(evaluator->self);
}

static tune_status search_until_stop(struct session *session) {
  const tune_evaluator *evaluator = session->evaluator;
  tune_session_stop *stop = &session->result->stop;
  while (!should_stop(session, stop)) {
    TUNE_RETURN_IF_ERROR(fill(session));
    if (session->outstanding)
      TUNE_RETURN_IF_ERROR(tune_session_drift_probe(session));
    if (!session->outstanding && !session->drift.is_probing) {
      if (!should_stop(session, stop))
        *stop = !session->is_exhausted           ? TUNE_STOP_TRIALS
                : session->options->layers.count ? TUNE_STOP_LAYERS
                                                 : TUNE_STOP_EXHAUSTED;
      return TUNE_OK;
    }
    tune_evaluation event;
    bool any;
    TUNE_RETURN_IF_ERROR(evaluator->methods->wait(evaluator->self, WAIT_SECONDS, &event, &any));
    if (!any && is_suspended(session)) {
      *stop = TUNE_STOP_SUSPENDED;
      return TUNE_OK;
    }
    if (!any)
      continue;
    tune_status status = tune_session_handle_event(session, &event);
    tune_evaluation_deinit(&event);
    TUNE_RETURN_IF_ERROR(status);
  }
  return TUNE_OK;
}

// Whether a session stops for what it has found, which is enough then.
static bool is_by_findings(tune_session_stop stop) {
  return stop == TUNE_STOP_TARGET || stop == TUNE_STOP_PLATEAU || stop == TUNE_STOP_HOPELESS;
}

static tune_status search(struct session *session) {
  const tune_evaluator *evaluator = session->evaluator;
  tune_status status = search_until_stop(session);
  tune_session_stop stop = session->result->stop;
  if (tune_status_is_ok(status) && is_by_findings(stop))
    tune_session_drop_rest(session);
  else
    tune_session_take_rest(session);
  // What was found before a stop rule held is enough; else all counts that is known.
  if (tune_status_is_ok(status) && !is_by_findings(stop))
    status = tune_session_take_held(session);
  bool is_busy = session->outstanding || session->drift.is_probing;
  if (tune_status_is_ok(status) && is_busy)
    status = evaluator->methods->cancel(evaluator->self);
  return status;
}

//===- Beginning and end ------------------------------------------------------===//

static tune_status check_options(const tune_session_options *options) {
  if (!options->fingerprint || !*options->fingerprint)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a session without a fingerprint");
  if (!options->trials)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a session of 0 trials, expected 1 or more");
  if (!(options->seconds >= 0))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a session of %g seconds", options->seconds);
  if (!(options->target_percent >= 0))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a target of %g percent of the peak",
                            options->target_percent);
  if (!(options->plateau_percent >= 0 && options->plateau_percent < 100))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a plateau of %g percent, expected 0 to 100",
                            options->plateau_percent);
  return TUNE_OK;
}

// At most so many values of a decision between forms are proposed: more are sizes under names.
#define MOST_FORMS 3

// Has the strategy propose, after the default, what has one other form and is the default in all
// else. Forms (an algorithm, a layout) differ by more than sizes do, and have knobs of their own
// whose defaults fit together; few of the configs drawn at random are near to these.
static tune_status seed_forms(struct session *session, const tune_config *base) {
  const tune_space *space = session->task->space;
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_init_copy(&config, base));
  tune_status status = TUNE_OK;
  for (size_t k = 0; k < tune_space_knob_count(space) && tune_status_is_ok(status); ++k) {
    const tune_knob *knob = tune_space_knob(space, k);
    if (!knob->labels || knob->value_count > MOST_FORMS || knob->level > TUNE_LEVEL_VECTOR)
      continue;
    for (size_t v = 0; v < knob->value_count && tune_status_is_ok(status); ++v) {
      config.choices[k] = (uint16_t)v;
      if (v != base->choices[k])
        status = tune_strategy_seed_config(session->strategy, &config);
    }
    config.choices[k] = base->choices[k];
  }
  tune_config_deinit(&config);
  return status;
}

// Adds the default, made valid if it is not, and has the strategy propose it first, then the seeds.
static tune_status seed(struct session *session) {
  const tune_task *task = session->task;
  tune_sampler *sampler;
  tune_random random;
  tune_config config;
  tune_random_init(&random, session->options->strategy_options.seed);
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, task->space));
  tune_status status = tune_sampler_create(task->space, &sampler);
  if (tune_status_is_ok(status)) {
    if (!tune_sampler_repair(sampler, &random, &config) &&
        !tune_sampler_draw(sampler, &random, &config))
      status =
          tune_status_make(TUNE_FAILED_PRECONDITION,
                           "no config of %s satisfies all constraints of its space", task->name);
    tune_sampler_destroy(sampler);
  }
  if (tune_status_is_ok(status))
    status = tune_trials_add(&session->trials, &config, &session->default_number);
  if (tune_status_is_ok(status))
    status = tune_strategy_seed_config(session->strategy, &config);
  for (size_t i = 0; tune_status_is_ok(status) && i < session->options->seed_count; ++i)
    status = tune_strategy_seed_config(session->strategy, &session->options->seeds[i]);
  if (tune_status_is_ok(status) && tune_strategy_learns(session->strategy))
    status = seed_forms(session, &config);
  tune_config_deinit(&config);
  return status;
}

static tune_status create_strategy(struct session *session) {
  const tune_session_options *options = session->options;
  const tune_space *space = session->task->space;
  if (options->layers.count)
    return tune_layered_create(options->strategy, space, &options->strategy_options,
                               &options->layers, options->trials, &session->strategy);
  return tune_strategy_create(options->strategy, space, &options->strategy_options,
                              &session->strategy);
}

static tune_status run(struct session *session) {
  TUNE_RETURN_IF_ERROR(seed(session));
  TUNE_RETURN_IF_ERROR(tune_session_load(session));
  tune_session_report(session, TUNE_SESSION_SEARCHING);
  TUNE_RETURN_IF_ERROR(search(session));
  TUNE_RETURN_IF_ERROR(tune_session_decide(session));
  TUNE_RETURN_IF_ERROR(tune_session_summarize(session));
  tune_session_report(session, TUNE_SESSION_DONE);
  return TUNE_OK;
}

tune_status tune_session_run(const tune_task *task, const tune_session_options *options,
                             tune_evaluator *evaluator, const tune_record_store *store,
                             tune_session_result *out_result) {
  *out_result = (tune_session_result){.drift = 1};
  TUNE_RETURN_IF_ERROR(check_options(options));
  struct session session = {.task = task,
                            .options = options,
                            .evaluator = evaluator,
                            .store = store,
                            .began = tune_clock_seconds(),
                            .result = out_result};
  tune_status status = create_strategy(&session);
  if (tune_status_is_ok(status))
    status = tune_trials_init(&session.trials, options->finalists ? options->finalists : 1);
  if (tune_status_is_ok(status))
    status = run(&session);
  if (session.is_open)
    evaluator->methods->close(evaluator->self);
  tune_strategy_destroy(session.strategy);
  tune_trials_deinit(&session.trials);
  free(session.asked);
  free(session.winner_time.samples);
  if (!tune_status_is_ok(status)) {
    tune_session_result_deinit(out_result);
    return tune_status_annotate(status, "tuning %s", task->name);
  }
  return TUNE_OK;
}
