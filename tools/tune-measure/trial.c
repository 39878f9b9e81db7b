//===- trial.c - Running candidates: check, time, check ---------------------------------===//

#include "tools/tune-measure/trial.h"
#include "tools/tune-measure/subject.h"
#include "tuning/space/random.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// A candidate that needs this much for its few runs, beside the time for its samples, is no match
// for the best, whatever the limits; nor for the plain lowering, where no best is known and that
// ran where the candidate does.
#define SECONDS_BESIDE 5.0
#define BESTS 50.0
#define REFERENCES 200.0
// Pages between two artifacts that are compared.
#define MOST_GAP 64

//===- Reports -----------------------------------------------------------------------------===//

void trial_set_summary(const tune_summary *summary, tune_times *times) {
  times->median = summary->median;
  times->low = summary->low;
  times->high = summary->high;
  times->noise = summary->noise;
  times->outliers = (int64_t)summary->outlier_count;
}

// What came of a subject; `measurement` may be NULL: it was not timed. Objects in it are never
// released: the child ends.
static tune_status describe_subject(const subject *s, const tune_measurement *measurement,
                                    tune_measure_reply *out_reply) {
  bool was_cut = measurement && measurement->was_cut;
  bool is_open = task_is_inconclusive(s->of);
  *out_reply = (tune_measure_reply){.verdict = s->error  ? "wrong"
                                               : was_cut ? "cut"
                                               : is_open ? TUNE_SAID_INCONCLUSIVE
                                                         : TUNE_SAID_OK,
                                    .error = s->error  ? s->error
                                             : was_cut ? "surely slower than the best"
                                             : is_open ? s->of->unchecked
                                                       : NULL};
  json_t *check = s->of->has_reference ? tune_check_result_to_json(&s->check) : NULL;
  if (s->of->has_reference && !check)
    return tune_status_out_of_memory("reporting");
  out_reply->check = check;
  if (!measurement)
    return TUNE_OK;
  out_reply->is_timed = true;
  out_reply->times = (tune_times){.samples = {measurement->samples, measurement->count},
                                  .repeats = (int64_t)measurement->repeats};
  trial_set_summary(&measurement->summary, &out_reply->times);
  json_t *counted = NULL;
  if (s->counters.runs[0])
    TUNE_RETURN_IF_ERROR(counters_to_json(&s->counters, &counted));
  out_reply->counters = counted;
  out_reply->tasks = s->tasks;
  return TUNE_OK;
}

static tune_status report_subject(const subject *s, const tune_measurement *measurement,
                                  json_t **out_report) {
  tune_measure_reply reply;
  TUNE_RETURN_IF_ERROR(describe_subject(s, measurement, &reply));
  return tune_measure_reply_to_json(&reply, out_report);
}

// That nothing was timed, since `artifact`, which is said where it is one of several, ended so.
static tune_status report_end(const char *verdict, const char *error, size_t artifact,
                              bool names_artifact, json_t **out_report) {
  if (!names_artifact)
    return tune_measure_reply_to_json(&(tune_measure_reply){.verdict = verdict, .error = error},
                                      out_report);
  tune_compare_reply reply = {.verdict = verdict, .error = error, .artifact = (int64_t)artifact};
  return tune_compare_reply_to_json(&reply, out_report);
}

// What an artifact that is none, takes more memory than there is, or loses the device comes to: a
// failed candidate, not a failed request.
static tune_status report_failure(tune_status failure, const child_notes *notes, bool is_compare,
                                  json_t **out_report) {
  tune_status_code code = tune_status_get_code(failure);
  bool is_its_own = code == TUNE_OUT_OF_MEMORY || code == TUNE_DATA_LOSS ||
                    (code == TUNE_INVALID_ARGUMENT && notes->phase == subject_loading);
  if (!is_its_own)
    return failure;
  tune_status status = report_end("run-crashed", tune_status_get_message(failure), notes->artifact,
                                  is_compare, out_report);
  // One that cannot be told, which is not UTF-8, is told as it is.
  if (!tune_status_is_ok(status)) {
    tune_status_free(status);
    return failure;
  }
  tune_status_free(failure);
  return TUNE_OK;
}

//===- Running -----------------------------------------------------------------------------===//

static tune_status load_and_check(const trial_order *order, size_t index, tune_target *target,
                                  child_notes *notes, subject *s) {
  *s = (subject){.of = order->of, .notes = notes, .index = index, .target = target};
  return subject_load_and_check(s, order->artifacts[index], index == 0 ? order->outputs : NULL);
}

// How `s` and others of the order are timed. The first flush finds its memory, so the second is
// what each takes.
static tune_status find_options(const trial_order *order, subject *s,
                                tune_measure_options *out_options) {
  *out_options = order->options;
  out_options->one_run = order->of->flushes_cache;
  TUNE_RETURN_IF_ERROR(subject_flush(s, &out_options->flush_seconds));
  return subject_flush(s, &out_options->flush_seconds);
}

static tune_status measure_one(const trial_order *order, child_notes *notes, json_t **out_report) {
  tune_target *target;
  subject s;
  TUNE_RETURN_IF_ERROR(task_open_target(order->of, &target));
  TUNE_RETURN_IF_ERROR(load_and_check(order, 0, target, notes, &s));
  if (s.error)
    return report_subject(&s, NULL, out_report);
  notes->phase = "being timed";
  tune_measurement measurement;
  tune_measure_options options;
  TUNE_RETURN_IF_ERROR(find_options(order, &s, &options));
  TUNE_RETURN_IF_ERROR(task_times_begin(&s.task_times, s.kernel));
  TUNE_RETURN_IF_ERROR(tune_measure(subject_run, &s, &options, &measurement));
  TUNE_RETURN_IF_ERROR(task_times_end(&s.task_times, s.kernel, &s.tasks));
  TUNE_RETURN_IF_ERROR(subject_count_runs(&s, &measurement));
  // What is cut will not win, right or wrong.
  TUNE_RETURN_IF_ERROR(measurement.was_cut ? subject_check_guards(&s) : subject_check_again(&s));
  return report_subject(&s, s.error ? NULL : &measurement, out_report);
}

tune_status trial_measure(void *context, child_notes *notes, json_t **out_report) {
  tune_status status = measure_one(context, notes, out_report);
  return report_failure(status, notes, false, out_report);
}

static tune_status report_all(const subject *subjects, const tune_measurement *measurements,
                              const tune_ratio *ratios, size_t count, json_t **out_report) {
  bool is_open = task_is_inconclusive(subjects[0].of);
  tune_compare_reply reply = {.verdict = is_open ? TUNE_SAID_INCONCLUSIVE : TUNE_SAID_OK,
                              .error = is_open ? subjects[0].of->unchecked : NULL,
                              .artifact = TUNE_NO_ARTIFACT,
                              .results = {calloc(count, sizeof *reply.results.items), count},
                              .ratios = {calloc(count, sizeof *reply.ratios.items), count},
                              .is_whole = measurements[0].is_whole};
  if (!reply.results.items || !reply.ratios.items)
    return tune_status_out_of_memory("reporting");
  for (size_t i = count; i-- > 0;) {
    TUNE_RETURN_IF_ERROR(describe_subject(&subjects[i], &measurements[i], &reply.results.items[i]));
    reply.ratios.items[i] = (tune_ratio_said){ratios[i].ratio, ratios[i].low, ratios[i].high};
    if (!subjects[i].error)
      continue;
    reply.verdict = "wrong"; // the first one that is, in the end
    reply.error = subjects[i].error;
    reply.artifact = (int64_t)subjects[i].index;
  }
  return tune_compare_reply_to_json(&reply, out_report);
}

// Children of one process find memory as it is in that, and what they load lies in the same places
// each time. So each placement has another order, and gaps of other sizes in between.
static tune_status load_all(const trial_order *order, tune_target *target, child_notes *notes,
                            subject *subjects, size_t *out_harmful) {
  size_t count = order->artifact_count, *turns = calloc(count, sizeof *turns);
  if (!turns)
    return tune_status_out_of_memory("comparing");
  tune_random random;
  tune_random_init(&random, order->placement);
  *out_harmful = count;
  for (size_t i = 0; i < count; ++i) {
    size_t other = (size_t)tune_random_below(&random, i + 1);
    turns[i] = turns[other];
    turns[other] = i;
  }
  for (size_t i = 0; i < count && *out_harmful == count; ++i) {
    size_t bytes = (1 + (size_t)tune_random_below(&random, MOST_GAP)) * (size_t)getpagesize();
    // Where there is none to be had, it lies where it lies.
    (void)mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    subject *s = &subjects[turns[i]];
    TUNE_RETURN_IF_ERROR(load_and_check(order, turns[i], target, notes, s));
    if (s->is_harmful)
      *out_harmful = turns[i];
  }
  free(turns);
  return TUNE_OK;
}

static tune_status compare_all(const trial_order *order, child_notes *notes, json_t **out_report) {
  size_t count = order->artifact_count, harmful = count;
  subject *subjects = calloc(count, sizeof *subjects);
  tune_measure_subject *runs = calloc(count, sizeof *runs);
  tune_measurement *measurements = calloc(count, sizeof *measurements);
  tune_ratio *ratios = calloc(count, sizeof *ratios);
  if (!subjects || !runs || !measurements || !ratios)
    return tune_status_out_of_memory("comparing");
  tune_target *target;
  TUNE_RETURN_IF_ERROR(task_open_target(order->of, &target));
  TUNE_RETURN_IF_ERROR(load_all(order, target, notes, subjects, &harmful));
  // What has written beyond its memory is not timed: what it does then may be anything, to the
  // others as well.
  if (harmful < count)
    return report_end("wrong", subjects[harmful].error, harmful, true, out_report);
  for (size_t i = 0; i < count; ++i) {
    runs[i] = (tune_measure_subject){subject_run, &subjects[i]};
    TUNE_RETURN_IF_ERROR(task_times_begin(&subjects[i].task_times, subjects[i].kernel));
  }
  notes->phase = "being timed";
  tune_measure_options options;
  TUNE_RETURN_IF_ERROR(find_options(order, &subjects[0], &options));
  TUNE_RETURN_IF_ERROR(tune_measure_interleaved(runs, count, &options, measurements, ratios, NULL));
  for (size_t i = 0; i < count; ++i) {
    subject *s = &subjects[i];
    TUNE_RETURN_IF_ERROR(task_times_end(&s->task_times, s->kernel, &s->tasks));
    if (order->placement == 0)
      TUNE_RETURN_IF_ERROR(subject_count_runs(&subjects[i], &measurements[i]));
    TUNE_RETURN_IF_ERROR(subject_check_again(&subjects[i]));
  }
  return report_all(subjects, measurements, ratios, count, out_report);
}

tune_status trial_compare(void *context, child_notes *notes, json_t **out_report) {
  tune_status status = compare_all(context, notes, out_report);
  return report_failure(status, notes, true, out_report);
}

//===- In the parent -----------------------------------------------------------------------===//

tune_status trial_reply(const child_outcome *outcome, bool names_artifact, json_t **out_reply) {
  static const char *const verdicts[] = {[CHILD_CRASHED] = "run-crashed",
                                         [CHILD_TIMED_OUT] = "run-timeout",
                                         [CHILD_CANCELLED] = "cancelled"};
  *out_reply = NULL;
  if (outcome->end == CHILD_REPORTED)
    *out_reply = json_incref(outcome->report);
  else
    TUNE_RETURN_IF_ERROR(report_end(verdicts[outcome->end], outcome->error, outcome->artifact,
                                    names_artifact && outcome->end != CHILD_CANCELLED, out_reply));
  tune_reply_head head = {.waited = outcome->waited, .run_again = outcome->was_run_again};
  tune_status status = tune_reply_add_head(&head, *out_reply);
  if (!tune_status_is_ok(status)) {
    json_decref(*out_reply);
    *out_reply = NULL;
  }
  return status;
}

// How long a candidate may take; INFINITY where nothing is known.
static double enough_seconds(const task *of, const tune_measure_options *options) {
  double runs = BESTS * options->best;
  if (!(options->best > 0) && of->target == &tune_target_cpu)
    runs = REFERENCES * of->reference_seconds;
  return runs > 0 ? SECONDS_BESIDE + options->budget + runs : INFINITY;
}

tune_status trial_measure_in_child(const task *of, const tune_measure_request *request,
                                   const child_watch *watch, json_t **out_reply) {
  const char *artifact = request->artifact;
  trial_order order = {.of = of,
                       .artifacts = &artifact,
                       .artifact_count = 1,
                       .options = task_make_measure_options(&request->measure, request->best)};
  child_limits limits = task_make_limits(&request->limits, of, TUNE_UNASKED_RUN_SECONDS);
  limits.seconds = fmin(limits.seconds, enough_seconds(of, &order.options));
  child_outcome outcome;
  TUNE_RETURN_IF_ERROR(child_run(trial_measure, &order, &limits, watch, &outcome));
  tune_status status = trial_reply(&outcome, false, out_reply);
  child_outcome_deinit(&outcome);
  return status;
}
