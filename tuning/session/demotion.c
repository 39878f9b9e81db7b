//===- demotion.c -------------------------------------------------------------===//

#include "tuning/session/demotion.h"

#include "tuning/session/demotion_trials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// So many tasks are suspected of slowing the module down and found not to, before the rest is
// believed: caches are another matter in a module than alone, and take of all gains alike.
#define MOST_IN_VAIN 3
// Of what the winners promise, so much is to show.
#define LEAST_SHARE 0.5

typedef struct demoter {
  const tune_task *task;
  const double *gains;
  tune_whole_trials trials;
  size_t *order;            // the tasks, those that promise least first
  bool *is_cleared;         // of each task: the module is no faster without its winner
  size_t *suspects;         // room for all tasks
  size_t in_vain;           // suspected
  tune_whole_form fallback; // the module by default
  double default_time;      // its time, beside which others are put by their ratios
  tune_whole_form now;      // with the result's config, unless that is the default
  tune_demotion *result;
} demoter;

static size_t count_tasks(const demoter *d) { return d->result->config.count; }

static bool has_winner(const demoter *d, size_t task) {
  return tune_space_knob(d->task->space, task)->value_count > 1 &&
         d->result->config.choices[task] == TUNE_WHOLE_WINNER;
}

// Whether no task has anything but its default.
static bool is_default(const demoter *d, const tune_config *config) {
  for (size_t i = 0; i < config->count; ++i)
    if (tune_space_knob(d->task->space, i)->value_count > 1 &&
        config->choices[i] != TUNE_WHOLE_DEFAULT)
      return false;
  return true;
}

static tune_whole_form *now_of(demoter *d) {
  return is_default(d, &d->result->config) ? &d->fallback : &d->now;
}

//===--------------------------------------------------------------------------===//
// Forms
//===--------------------------------------------------------------------------===//

// Builds `config` and judges it beside the default. What fails does so in the form's verdict, or
// that of the default. There is no form where the evaluator itself fails.
static tune_status try_config(demoter *d, const tune_config *config, tune_whole_form *out_form) {
  tune_status status = tune_whole_build(&d->trials, config, out_form);
  if (tune_status_is_ok(status) && out_form->ticket)
    status = tune_whole_judge(&d->trials, &d->fallback, out_form);
  if (!tune_status_is_ok(status))
    tune_whole_drop(&d->trials, out_form);
  return status;
}

// The module without the winners of the first `count` suspects. Where that is the default, it has
// no artifact of its own.
static tune_status try_without(demoter *d, size_t count, tune_whole_form *out_form) {
  tune_config config;
  *out_form =
      (tune_whole_form){.verdict = TUNE_VERDICT_OK, .ratio = {1, 1, 1}, .time = d->default_time};
  TUNE_RETURN_IF_ERROR(tune_config_init_copy(&config, &d->result->config));
  for (size_t i = 0; i < count; ++i)
    config.choices[d->suspects[i]] = TUNE_WHOLE_DEFAULT;
  tune_status status = is_default(d, &config) ? TUNE_OK : try_config(d, &config, out_form);
  tune_config_deinit(&config);
  return status;
}

static tune_status renew(demoter *d) {
  tune_whole_drop(&d->trials, &d->now);
  return is_default(d, &d->result->config) ? TUNE_OK : try_config(d, &d->result->config, &d->now);
}

// Seconds of a form that was judged beside the default, as if all had been at once.
static double seconds_of(const demoter *d, const tune_whole_form *form) {
  return form->ratio.ratio * d->default_time;
}

//===--------------------------------------------------------------------------===//
// Losing a winner
//===--------------------------------------------------------------------------===//

static tune_status demote(demoter *d, size_t task, tune_verdict verdict, double slowdown,
                          const char *error) {
  tune_demotion *result = d->result;
  tune_demoted *demoted = &result->demoted[result->demoted_count];
  *demoted = (tune_demoted){.task = task,
                            .value = TUNE_WHOLE_DEFAULT,
                            .verdict = verdict,
                            .slowdown = slowdown,
                            .error = error ? strdup(error) : NULL};
  if (error && !demoted->error)
    return tune_status_out_of_memory("looking at a module as a whole");
  ++result->demoted_count;
  result->config.choices[task] = TUNE_WHOLE_DEFAULT;
  return TUNE_OK;
}

// Of all suspects in `[first, last)`, for what the module is with them.
static tune_status demote_all(demoter *d, size_t first, size_t last) {
  tune_verdict verdict = d->now.verdict;
  for (size_t i = first; i < last; ++i)
    TUNE_RETURN_IF_ERROR(demote(d, d->suspects[i], verdict, 0, d->now.error));
  return TUNE_OK;
}

// The task that was demoted last may have the next best in place of the default, where the module
// is faster by that.
static tune_status try_next(demoter *d) {
  tune_demotion *result = d->result;
  tune_demoted *demoted = &result->demoted[result->demoted_count - 1];
  if (tune_space_knob(d->task->space, demoted->task)->value_count <= TUNE_WHOLE_NEXT)
    return TUNE_OK;
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_init_copy(&config, &result->config));
  config.choices[demoted->task] = TUNE_WHOLE_NEXT;
  tune_whole_form next = {.ticket = 0};
  tune_status status = tune_whole_build(&d->trials, &config, &next);
  if (tune_status_is_ok(status) && next.ticket)
    status = tune_whole_judge(&d->trials, now_of(d), &next);
  bool is_better = tune_status_is_ok(status) && next.verdict == TUNE_VERDICT_OK && next.time > 0 &&
                   next.ratio.high < 1;
  if (is_better) {
    demoted->value = result->config.choices[demoted->task] = TUNE_WHOLE_NEXT;
    tune_whole_drop(&d->trials, &d->now);
    d->now = next;
    next = (tune_whole_form){.ticket = 0};
    status = tune_whole_judge(&d->trials, &d->fallback, &d->now);
  }
  tune_whole_drop(&d->trials, &next);
  tune_config_deinit(&config);
  return status;
}

// Those that still have their winners and were not cleared; all of them where the module is wrong.
static size_t list_suspects(demoter *d, bool is_wrong) {
  size_t count = 0;
  for (size_t i = 0; i < count_tasks(d); ++i)
    if (has_winner(d, d->order[i]) && (is_wrong || !d->is_cleared[d->order[i]]))
      d->suspects[count++] = d->order[i];
  return count;
}

//===--------------------------------------------------------------------------===//
// A module that is wrong
//===--------------------------------------------------------------------------===//

// Finds by halves the suspect without whose winner, and without those of all before it, the module
// is right. Without any, it is the default, which is right.
static tune_status mend_wrong(demoter *d, bool *out_goes_on) {
  size_t low = 0, high = list_suspects(d, true);
  *out_goes_on = high > 0;
  if (!high)
    return TUNE_OK;
  while (low + 1 < high && !d->trials.ended) {
    size_t middle = low + (high - low) / 2;
    tune_whole_form form;
    TUNE_RETURN_IF_ERROR(try_without(d, middle, &form));
    if (!d->trials.ended)
      *(form.verdict == TUNE_VERDICT_OK ? &high : &low) = middle;
    tune_whole_drop(&d->trials, &form);
  }
  if (d->trials.ended)
    return demote_all(d, 0, high);
  TUNE_RETURN_IF_ERROR(demote_all(d, high - 1, high));
  TUNE_RETURN_IF_ERROR(renew(d));
  return now_of(d)->verdict == TUNE_VERDICT_OK ? try_next(d) : TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// A module that is slow
//===--------------------------------------------------------------------------===//

// Beyond doubt slower than by default.
static bool loses(demoter *d) { return now_of(d)->ratio.low > 1; }

static double sum_gains(const demoter *d, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += d->gains[d->suspects[i]];
  return sum;
}

// Beyond doubt short of what its winners promise.
static bool is_poor(demoter *d) {
  size_t count = list_suspects(d, true);
  double least = LEAST_SHARE * sum_gains(d, count);
  return count > 1 && d->default_time * (1 - now_of(d)->ratio.low) < least;
}

// What the first `count` suspects cost the module beyond what they promise, as the time of `form`,
// which is without their winners, tells.
static double missing(demoter *d, size_t count, const tune_whole_form *form) {
  return seconds_of(d, now_of(d)) + sum_gains(d, count) - seconds_of(d, form);
}

// Finds by halves the suspect that brings what is missing over its half, `*out_found` being its
// place and one; 0 where nothing is missing.
static tune_status suspect_slow(demoter *d, size_t count, size_t *out_found) {
  size_t low = 0, high = count;
  tune_whole_form all;
  TUNE_RETURN_IF_ERROR(try_without(d, count, &all));
  double half = all.verdict == TUNE_VERDICT_OK && all.time > 0 ? missing(d, count, &all) / 2 : 0;
  tune_whole_drop(&d->trials, &all);
  *out_found = 0;
  while (half > 0 && low + 1 < high && !d->trials.ended) {
    size_t middle = low + (high - low) / 2;
    tune_whole_form form;
    TUNE_RETURN_IF_ERROR(try_without(d, middle, &form));
    bool is_enough =
        form.verdict == TUNE_VERDICT_OK && form.time > 0 && missing(d, middle, &form) >= half;
    *(is_enough ? &high : &low) = middle;
    tune_whole_drop(&d->trials, &form);
  }
  *out_found = half > 0 && !d->trials.ended ? high : 0;
  return TUNE_OK;
}

// Has `task` lose its winner if the module is faster without it.
static tune_status try_to_demote(demoter *d, size_t task) {
  tune_whole_form form;
  tune_status status = TUNE_OK;
  d->suspects[0] = task;
  TUNE_RETURN_IF_ERROR(try_without(d, 1, &form));
  const tune_ratio now = d->now.ratio;
  if (!form.ticket && form.verdict == TUNE_VERDICT_OK)
    form.ratio = (tune_ratio){1 / now.ratio, 1 / now.high, 1 / now.low};
  else if (form.verdict == TUNE_VERDICT_OK && form.time > 0)
    status = tune_whole_judge(&d->trials, &d->now, &form);
  if (!tune_status_is_ok(status)) {
    tune_whole_drop(&d->trials, &form);
    return status;
  }
  bool is_faster = form.verdict == TUNE_VERDICT_OK && form.time > 0 && form.ratio.high < 1;
  double slowdown = is_faster ? 1 / form.ratio.ratio : 0;
  if (!is_faster || d->trials.ended) {
    tune_whole_drop(&d->trials, &form);
    d->is_cleared[task] = true;
    ++d->in_vain;
    return TUNE_OK;
  }
  tune_whole_drop(&d->trials, &d->now);
  d->now = form;
  TUNE_RETURN_IF_ERROR(demote(d, task, TUNE_VERDICT_OK, slowdown, NULL));
  if (!is_default(d, &d->result->config))
    TUNE_RETURN_IF_ERROR(tune_whole_judge(&d->trials, &d->fallback, &d->now));
  return try_next(d);
}

static tune_status mend_slow(demoter *d, bool *out_goes_on) {
  size_t found = 0, count = list_suspects(d, false);
  *out_goes_on = false;
  if (!count || d->in_vain >= MOST_IN_VAIN)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(suspect_slow(d, count, &found));
  if (!found)
    return TUNE_OK;
  *out_goes_on = true;
  return try_to_demote(d, d->suspects[found - 1]);
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

// Goes on until the module stands as it is.
static tune_status mend(demoter *d) {
  for (bool again = true; again && !d->trials.ended;) {
    again = now_of(d)->verdict != TUNE_VERDICT_OK;
    if (again)
      TUNE_RETURN_IF_ERROR(mend_wrong(d, &again));
    else if (loses(d) || is_poor(d))
      TUNE_RETURN_IF_ERROR(mend_slow(d, &again));
  }
  tune_whole_form *now = now_of(d);
  bool is_right = now->verdict == TUNE_VERDICT_OK;
  if (now == &d->fallback || (is_right && !loses(d)))
    return TUNE_OK;
  size_t count = list_suspects(d, true);
  double slowdown = is_right && count == 1 ? now->ratio.ratio : 0;
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(
        demote(d, d->suspects[i], now->verdict, slowdown, is_right ? NULL : now->error));
  // What has its next best has its default then, too.
  for (size_t i = 0; i < d->result->demoted_count; ++i)
    d->result->demoted[i].value = d->result->config.choices[d->result->demoted[i].task] =
        TUNE_WHOLE_DEFAULT;
  return TUNE_OK;
}

static tune_status end(demoter *d, const char *why) {
  d->result->ended = strdup(why);
  return d->result->ended ? TUNE_OK : tune_status_out_of_memory("looking at a module as a whole");
}

// There is nothing to compare with where the module does not work by default.
static tune_status blame_default(demoter *d) {
  const tune_whole_form *fallback = &d->fallback;
  tune_demotion *result = d->result;
  if (asprintf(&result->ended, "by default it is not right: %s%s%s",
               tune_verdict_name(fallback->verdict), fallback->error ? ": " : "",
               fallback->error ? fallback->error : "") < 0) {
    result->ended = NULL;
    return tune_status_out_of_memory("looking at a module as a whole");
  }
  return TUNE_OK;
}

static tune_status take_result(demoter *d) {
  tune_demotion *result = d->result;
  const tune_whole_form *now = now_of(d);
  result->verdict = now->verdict;
  result->builds = d->trials.builds;
  result->time = now->time;
  if (now->time > 0) {
    result->ratio = now->ratio;
    result->default_time = now->time / now->ratio.ratio;
  }
  result->error = now->error ? strdup(now->error) : NULL;
  if (now->error && !result->error)
    return tune_status_out_of_memory("looking at a module as a whole");
  return d->trials.ended && !result->ended ? end(d, d->trials.ended) : TUNE_OK;
}

static bool any_winner(const demoter *d) {
  for (size_t i = 0; i < count_tasks(d); ++i)
    if (has_winner(d, i))
      return true;
  return false;
}

// The module by default, and with all winners.
static tune_status build_both(demoter *d) {
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_init_copy(&config, &d->result->config));
  for (size_t i = 0; i < config.count; ++i)
    if (has_winner(d, i))
      config.choices[i] = TUNE_WHOLE_DEFAULT;
  const tune_config *const configs[] = {&config, &d->result->config};
  tune_whole_form *const forms[] = {&d->fallback, &d->now};
  tune_status status = tune_whole_build_two(&d->trials, configs, forms);
  d->fallback.ratio = (tune_ratio){1, 1, 1};
  tune_config_deinit(&config);
  // There is nothing to compare it with.
  if (tune_status_is_ok(status) && !d->fallback.ticket) {
    tune_whole_drop(&d->trials, &d->now);
    d->now.verdict = TUNE_VERDICT_CANCELLED;
  }
  return status;
}

static tune_status look(demoter *d) {
  if (!any_winner(d)) {
    d->result->verdict = TUNE_VERDICT_CANCELLED;
    return end(d, "no task has anything but its default");
  }
  d->now.verdict = TUNE_VERDICT_CANCELLED;
  TUNE_RETURN_IF_ERROR(build_both(d));
  if (!d->trials.ended && d->fallback.ticket && d->now.ticket)
    TUNE_RETURN_IF_ERROR(tune_whole_judge(&d->trials, &d->fallback, &d->now));
  // Where the comparison failed nobody has seen that it is right.
  if (!d->trials.ended && d->fallback.ticket && d->fallback.verdict == TUNE_VERDICT_OK &&
      !(d->fallback.time > 0))
    TUNE_RETURN_IF_ERROR(tune_whole_check(&d->trials, &d->fallback));
  d->default_time = d->fallback.time;
  bool is_usable = d->fallback.verdict == TUNE_VERDICT_OK;
  if (!d->trials.ended && !is_usable)
    TUNE_RETURN_IF_ERROR(blame_default(d));
  // What was built and not judged for want of time is not known to be right.
  if (d->trials.ended && d->now.time == 0 && d->now.verdict == TUNE_VERDICT_OK)
    d->now.verdict = TUNE_VERDICT_CANCELLED;
  if (!d->trials.ended && is_usable)
    TUNE_RETURN_IF_ERROR(mend(d));
  return take_result(d);
}

// Those that promise least first.
static void sort(demoter *d) {
  size_t count = count_tasks(d);
  for (size_t i = 0; i < count; ++i) {
    size_t at = i;
    for (; at > 0 && d->gains[d->order[at - 1]] > d->gains[i]; --at)
      d->order[at] = d->order[at - 1];
    d->order[at] = i;
  }
}

static tune_status begin(demoter *d) {
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&d->result->config, d->task->space));
  size_t count = count_tasks(d);
  d->order = calloc(count + 1, sizeof *d->order);
  d->is_cleared = calloc(count + 1, sizeof *d->is_cleared);
  d->suspects = calloc(count + 1, sizeof *d->suspects);
  d->result->demoted = calloc(count + 1, sizeof *d->result->demoted);
  if (!d->order || !d->is_cleared || !d->suspects || !d->result->demoted)
    return tune_status_out_of_memory("looking at a module as a whole");
  sort(d);
  return TUNE_OK;
}

tune_status tune_demotion_run(const tune_task *task, const tune_demotion_options *options,
                              tune_evaluator *evaluator, tune_demotion *out_demotion) {
  *out_demotion = (tune_demotion){.verdict = TUNE_VERDICT_CANCELLED};
  demoter d = {.task = task,
               .gains = options->gains,
               .trials = {.options = options, .evaluator = evaluator},
               .result = out_demotion};
  tune_status status = begin(&d);
  if (tune_status_is_ok(status))
    status = look(&d);
  tune_whole_drop(&d.trials, &d.now);
  tune_whole_drop(&d.trials, &d.fallback);
  free(d.order);
  free(d.is_cleared);
  free(d.suspects);
  if (!tune_status_is_ok(status))
    tune_demotion_deinit(out_demotion);
  return status;
}

void tune_demotion_deinit(tune_demotion *demotion) {
  for (size_t i = 0; i < demotion->demoted_count; ++i)
    free(demotion->demoted[i].error);
  free(demotion->demoted);
  free(demotion->error);
  free(demotion->ended);
  tune_config_deinit(&demotion->config);
  *demotion = (tune_demotion){.verdict = TUNE_VERDICT_CANCELLED};
}
