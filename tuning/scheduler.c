//===- scheduler.c ------------------------------------------------------------===//

#include "tuning/scheduler.h"

#include "support/clock.h"

#include <math.h>
#include <stdlib.h>

// A core of today, for guessing: operations and bytes per second, and what a call costs.
#define TYPICAL_FLOPS 1e11
#define TYPICAL_BYTES 1e10
#define CALL_SECONDS 1e-6
#define EVEN_SHARE (1.0 / 3)
// The least time of a task, in seconds: 0 would be no limit.
#define LEAST_SECONDS 1e-3

// Seconds that the module is expected to spend in the task.
static double expected_time(const tune_scheduled_task *scheduled) {
  const tune_task *task = scheduled->task;
  double seconds = fmax(task->flops / TYPICAL_FLOPS, task->bytes / TYPICAL_BYTES);
  return scheduled->occurrences * (seconds + CALL_SECONDS);
}

void tune_scheduler_split(const tune_scheduled_task *tasks, size_t count, double seconds,
                          double *out_shares) {
  double total = 0;
  for (size_t i = 0; i < count; ++i)
    total += expected_time(&tasks[i]);
  for (size_t i = 0; i < count; ++i)
    out_shares[i] = seconds * (EVEN_SHARE / (double)count +
                               (1 - EVEN_SHARE) * expected_time(&tasks[i]) / total);
}

// Fills `order` with the indices of the tasks, those that matter most first; equals keep their
// order.
static void sort_tasks(const tune_scheduled_task *tasks, size_t count, size_t *order) {
  for (size_t i = 0; i < count; ++i) {
    size_t at = i;
    for (; at > 0 && expected_time(&tasks[order[at - 1]]) < expected_time(&tasks[i]); --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
}

// The time that task order[position] may take of what is left.
static tune_status share_of_rest(const tune_scheduled_task *tasks, size_t count,
                                 const size_t *order, size_t position, double left,
                                 double *out_seconds) {
  size_t rest = count - position;
  tune_scheduled_task *remaining = calloc(rest, sizeof *remaining);
  double *shares = calloc(rest, sizeof *shares);
  tune_status status = TUNE_OK;
  if (remaining && shares) {
    for (size_t i = 0; i < rest; ++i)
      remaining[i] = tasks[order[position + i]];
    tune_scheduler_split(remaining, rest, left, shares);
    *out_seconds = fmax(shares[0], LEAST_SECONDS);
  } else {
    status = tune_status_make(TUNE_OUT_OF_MEMORY, "sharing the time among tasks");
  }
  free(remaining);
  free(shares);
  return status;
}

static tune_status run_in_order(const tune_scheduled_task *tasks, size_t count,
                                const tune_scheduler_options *options, tune_evaluator *evaluator,
                                const tune_record_store *store, const size_t *order,
                                tune_session_result *results) {
  double began = tune_clock_seconds();
  for (size_t i = 0; i < count; ++i) {
    const tune_scheduled_task *scheduled = &tasks[order[i]];
    tune_session_options session = options->session;
    session.seeds = scheduled->seeds;
    session.seed_count = scheduled->seed_count;
    session.seconds = 0;
    double left = options->seconds - (tune_clock_seconds() - began);
    if (options->seconds > 0)
      TUNE_RETURN_IF_ERROR(share_of_rest(tasks, count, order, i, left, &session.seconds));
    TUNE_RETURN_IF_ERROR(
        tune_session_run(scheduled->task, &session, evaluator, store, &results[order[i]]));
    if (options->finished)
      options->finished(options->user, order[i], &results[order[i]]);
  }
  return TUNE_OK;
}

tune_status tune_scheduler_run(const tune_scheduled_task *tasks, size_t count,
                               const tune_scheduler_options *options, tune_evaluator *evaluator,
                               const tune_record_store *store, tune_session_result *out_results) {
  if (!(options->seconds >= 0))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%g seconds for all tasks", options->seconds);
  for (size_t i = 0; i < count; ++i)
    out_results[i] = (tune_session_result){0};
  size_t *order = calloc(count + 1, sizeof *order);
  if (!order)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "ordering tasks");
  sort_tasks(tasks, count, order);
  tune_status status = run_in_order(tasks, count, options, evaluator, store, order, out_results);
  free(order);
  for (size_t i = 0; !tune_status_is_ok(status) && i < count; ++i)
    tune_session_result_deinit(&out_results[i]);
  return status;
}
