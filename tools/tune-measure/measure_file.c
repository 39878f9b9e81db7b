//===- measure_file.c - Measuring candidates that were made elsewhere ---------------------===//

#include "tools/tune-measure/measure_file.h"
#include "formats/measure_replies.h"
#include "support/clock.h"
#include "tools/tune-measure/measure_run.h"

#include "tools/tune-measure/measure_compare.h"
#include "tools/tune-measure/reference.h"
#include "tools/tune-measure/trial.h"

#include <stdlib.h>
#include <unistd.h>

//===- One candidate ----------------------------------------------------------------------===//

// A trial with what is known of `candidate` without measuring it.
static json_t *make_trial(const measure_run *r, const tune_exported_candidate *candidate) {
  return json_pack("{s:s, s:s, s:s, s:s, s:O, s:s*, s:s, s:s*, s:O*, s:O*, s:s, s:s, s:I}", "kind",
                   "trial", "task", r->key, "fingerprint", r->digest.text, "schedule", r->schedule,
                   "config", (json_t *)candidate->config, "error", candidate->error, "verdict",
                   candidate->verdict, "digest", candidate->digest, "stages",
                   (json_t *)candidate->stages, "code", (json_t *)candidate->code, "strategy",
                   candidate->strategy, "seed", candidate->seed, "created_ms",
                   (json_int_t)candidate->created_ms);
}

static void tell_missing_counters(measure_run *r, const tune_measure_reply *reply) {
  const char *missing = tune_counts_missing(reply->counters);
  if (!missing || r->has_told_counters)
    return;
  r->has_told_counters = true;
  tune_progress_clear(r->progress);
  fprintf(stderr, "tune-measure: results lack some counters: %s\n", missing);
}

static void set(json_t *trial, const char *name, const json_t *value) {
  if (value)
    json_object_set(trial, name, (json_t *)value);
}

// Takes what was found into `trial`.
static tune_status take_reply(json_t *trial, const tune_measure_reply *reply, double seconds) {
  json_t *stages = json_copy(json_object_get(trial, "stages"));
  json_object_set_new(trial, "verdict", json_string(reply->verdict));
  if (reply->error)
    json_object_set_new(trial, "error", json_string(reply->error));
  set(trial, "check", reply->check);
  set(trial, "counters", reply->counters);
  if (reply->is_timed) {
    const tune_times *times = &reply->times;
    tune_timing time = {.median = times->median,
                        .low = times->low,
                        .high = times->high,
                        .repeats = (uint64_t)times->repeats,
                        .samples = times->samples.items,
                        .sample_count = times->samples.count};
    json_object_set_new(trial, "time", tune_timing_to_json(&time));
  }
  json_object_set_new(stages, tune_stage_name(TUNE_STAGE_MEASURE), json_real(seconds));
  json_object_set_new(trial, "stages", stages);
  json_object_set_new(trial, "created_ms", json_integer(tune_clock_date_milliseconds()));
  // What a child says is not trusted: a record that no database would take ends things here.
  tune_record record;
  tune_status status = tune_record_from_json(trial, &record);
  if (tune_status_is_ok(status))
    tune_record_deinit(&record);
  return tune_status_annotate(status, "the result of a candidate");
}

static tune_status take_message(measure_run *r, json_t *trial, const json_t *message,
                                double seconds) {
  tune_measure_reply reply;
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_measure_reply_from_json(message, &reply)));
  seconds -= tune_reply_head_of(message).waited;
  tune_status status = take_reply(trial, &reply, seconds > 0 ? seconds : 0);
  tell_missing_counters(r, &reply);
  tune_measure_reply_deinit(&reply);
  return status;
}

static tune_status measure(measure_run *r, const task *t, const tune_exported_candidate *candidate,
                           json_t *trial) {
  char *path = NULL;
  if (asprintf(&path, "%s/candidate", tune_scratch_get_path(r->scratch)) < 0)
    return tune_status_out_of_memory("measuring an export");
  const tune_export_description *described = &r->exported->read;
  tune_measure_request request = {
      .artifact = path,
      .best = r->best,
      .limits = described->limits,
      .measure = {.precision = described->measure.precision, .budget = described->measure.budget}};
  json_t *reply = NULL;
  tune_status status = tune_export_extract(r->exported, candidate->artifact, path);
  child_watch watch = measure_run_watch(r);
  double begin = tune_clock_seconds();
  if (tune_status_is_ok(status))
    status = trial_measure_in_child(t, &request, &watch, &reply);
  if (tune_status_is_ok(status))
    status = take_message(r, trial, reply, tune_clock_seconds() - begin);
  json_decref(reply);
  unlink(path);
  free(path);
  return status;
}

// The figures of `twin`, which has the same artifact.
static tune_status take_twin(json_t *trial, const json_t *twin) {
  const json_t *time = json_object_get(twin, "time");
  json_object_del(trial, "error");
  if (json_object_get(twin, "error"))
    json_object_set(trial, "error", json_object_get(twin, "error"));
  json_object_set(trial, "verdict", json_object_get(twin, "verdict"));
  if (time) {
    json_object_del(trial, "error");
    json_object_set_new(trial, "verdict", json_string("duplicate"));
    json_object_set_new(trial, "time",
                        json_pack("{s:O, s:O, s:O, s:i, s:[]}", "median",
                                  json_object_get(time, "median"), "low",
                                  json_object_get(time, "low"), "high",
                                  json_object_get(time, "high"), "repeats", 0, "samples"));
  }
  static const char *const COPIED[] = {"check", "counters"};
  for (size_t i = 0; i < sizeof COPIED / sizeof *COPIED; ++i)
    if (json_object_get(twin, COPIED[i]))
      json_object_set(trial, COPIED[i], json_object_get(twin, COPIED[i]));
  return json_object_set_new(trial, "created_ms", json_integer(tune_clock_date_milliseconds())) == 0
             ? TUNE_OK
             : tune_status_out_of_memory("measuring an export");
}

// Counts a trial that is known, whether new or of before.
static void note(measure_run *r, const tune_exported_candidate *candidate, const json_t *trial) {
  tune_verdict verdict;
  tune_status status = tune_verdict_parse(measure_run_text(trial, "verdict"), &verdict);
  bool failed = !tune_status_is_ok(status) || tune_verdict_is_failure(verdict);
  tune_status_free(status);
  if (candidate->artifact >= 0 && !r->trials[candidate->artifact])
    r->trials[candidate->artifact] = trial;
  double median = json_number_value(json_object_get(json_object_get(trial, "time"), "median"));
  if (!failed && (r->best == 0 || median < r->best))
    r->best = median;
  r->shown.failed += failed;
  r->shown.best = r->best;
  ++r->shown.trials;
  tune_progress_update(r->progress, &r->shown);
}

static tune_status find(const measure_run *r, const tune_exported_candidate *candidate,
                        const json_t **out_trial) {
  return tune_results_find(r->results, r->key, r->schedule, candidate->config, out_trial);
}

static tune_status do_candidate(measure_run *r, const task *t,
                                const tune_exported_candidate *candidate) {
  const json_t *known;
  if (!tune_export_has_result(candidate))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(find(r, candidate, &known));
  if (!known) {
    int64_t index = candidate->artifact;
    json_t *trial = make_trial(r, candidate);
    if (!trial || index >= (int64_t)r->exported->blob_count) {
      json_decref(trial);
      return tune_status_make(TUNE_DATA_LOSS, "%s: a candidate that lacks something",
                              r->options->path);
    }
    tune_status status = TUNE_OK;
    if (index >= 0)
      status =
          r->trials[index] ? take_twin(trial, r->trials[index]) : measure(r, t, candidate, trial);
    if (!tune_status_is_ok(status)) {
      json_decref(trial);
      return status;
    }
    TUNE_RETURN_IF_ERROR(tune_results_append(r->results, trial));
    TUNE_RETURN_IF_ERROR(find(r, candidate, &known));
  }
  note(r, candidate, known);
  return TUNE_OK;
}

//===- One task ---------------------------------------------------------------------------===//

static tune_status open_task(measure_run *r, task **out_task) {
  char *path = NULL;
  if (asprintf(&path, "%s/reference", tune_scratch_get_path(r->scratch)) < 0)
    return tune_status_out_of_memory("measuring an export");
  child_watch watch = measure_run_watch(r);
  const tune_export_description *described = &r->exported->read;
  tune_measured_task wanted = {
      .place = measure_run_place(r),
      .conditions = {.flush_cache = measure_run_flushes_cache(r), .counters = described->counters},
      .inputs = {.seed = described->seed, .dynamic = described->dynamic},
      .check = {.reference = path,
                .reduction = r->task->reduction,
                .accumulator = r->task->accumulator,
                .operands = r->task->operands},
      .limits = {described->reference_seconds, described->limits.bytes},
      .signature = r->task->signature};
  tune_status status =
      wanted.signature && r->task->reduction >= 0
          ? tune_export_extract(r->exported, r->task->reference, path)
          : tune_status_make(TUNE_DATA_LOSS, "%s: a task that lacks something", r->options->path);
  if (tune_status_is_ok(status))
    status = task_create(&wanted, &watch, out_task);
  unlink(path);
  free(path);
  return status;
}

// Opens the task, or leaves NULL and notes down why not, where that is the task's own fault.
static tune_status try_open_task(measure_run *r, task **out_task) {
  tune_status status = open_task(r, out_task);
  // What cannot be told right from wrong is not measured, as in a search.
  if (tune_status_is_ok(status) && task_is_inconclusive(*out_task)) {
    status = tune_status_make(TUNE_INTERNAL,
                              "inconclusive: %s, so that a candidate could not be told right from "
                              "wrong",
                              (*out_task)->unchecked);
    task_destroy(*out_task);
  }
  if (!tune_reference_is_to_blame(status))
    return status;
  tune_progress_clear(r->progress);
  fprintf(stderr, "tune-measure: '%s' cannot be measured: %s\n",
          measure_run_text(r->task->task, "name"), tune_status_get_message(status));
  json_t *line = json_pack("{s:s, s:s, s:s, s:s}", "kind", "failure", "task", r->key, "schedule",
                           r->schedule, "error", tune_status_get_message(status));
  tune_status_free(status);
  *out_task = NULL;
  return tune_results_append(r->results, line);
}

// Whether anything of the task is left to be measured.
static tune_status needs_task(const measure_run *r, bool *out_needs) {
  const tune_exported_candidates *candidates = &r->task->candidates;
  *out_needs = false;
  for (size_t i = 0; i < candidates->count && !*out_needs; ++i) {
    const json_t *trial;
    TUNE_RETURN_IF_ERROR(find(r, &candidates->items[i], &trial));
    *out_needs = candidates->items[i].artifact >= 0 && !trial;
  }
  return TUNE_OK;
}

// Measures the finalists of the task side by side, unless that was done before.
static tune_status do_finalists(measure_run *r) {
  task *t;
  if (tune_results_comparison(r->results, r->key, r->schedule) ||
      tune_results_failure(r->results, r->key, r->schedule))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(try_open_task(r, &t));
  if (!t)
    return TUNE_OK;
  r->shown.phase = "comparing finalists";
  tune_progress_update(r->progress, &r->shown);
  child_watch watch = measure_run_watch(r);
  json_t *reply;
  tune_status status =
      measure_compare(t, r->exported, r->task, tune_scratch_get_path(r->scratch), &watch, &reply);
  task_destroy(t);
  TUNE_RETURN_IF_ERROR(status);
  json_object_update_new(reply, json_pack("{s:s, s:s, s:s}", "kind", "comparison", "task", r->key,
                                          "schedule", r->schedule));
  r->shown.phase = NULL;
  tune_progress_finish_task(r->progress, &r->shown);
  return tune_results_append(r->results, reply);
}

static tune_status do_candidates(measure_run *r) {
  const tune_exported_candidates *candidates = &r->task->candidates;
  bool needs;
  task *t = NULL;
  TUNE_RETURN_IF_ERROR(needs_task(r, &needs));
  if (tune_results_failure(r->results, r->key, r->schedule))
    return TUNE_OK;
  if (needs) {
    TUNE_RETURN_IF_ERROR(try_open_task(r, &t));
    if (!t)
      return TUNE_OK;
  }
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < candidates->count && tune_status_is_ok(status); ++i)
    status = do_candidate(r, t, &candidates->items[i]);
  tune_progress_finish_task(r->progress, &r->shown);
  if (t)
    task_destroy(t);
  return status;
}

static tune_status do_task(measure_run *r) {
  const tune_exported_candidates *candidates = &r->task->candidates;
  const json_t *line = r->task->task;
  r->key = measure_run_text(line, "key");
  r->schedule = r->task->schedule ? r->task->schedule : "";
  r->best = r->task->best;
  size_t count = 0;
  for (size_t i = 0; i < candidates->count; ++i)
    count += tune_export_has_result(&candidates->items[i]);
  r->shown = (tune_progress_state){.name = measure_run_text(line, "name"),
                                   .number = r->number + 1,
                                   .task_count = r->exported->read.tasks.count,
                                   .trial_limit = count};
  r->trials = calloc(r->exported->blob_count + 1, sizeof *r->trials);
  tune_status status = !r->trials          ? tune_status_out_of_memory("measuring an export")
                       : r->task->compares ? do_finalists(r)
                                           : do_candidates(r);
  free(r->trials);
  return status;
}

//===- All --------------------------------------------------------------------------------===//

static tune_status do_tasks(measure_run *r) {
  const tune_exported_tasks *tasks = &r->exported->read.tasks;
  for (r->number = 0; r->number < tasks->count; ++r->number) {
    r->task = &tasks->items[r->number];
    TUNE_RETURN_IF_ERROR(do_task(r));
  }
  return tune_results_finish(r->results);
}

static tune_status run_all(measure_run *r) {
  if (!r->results->is_complete)
    TUNE_RETURN_IF_ERROR(do_tasks(r));
  fprintf(stderr, "tune-measure: %zu results are in %s\n",
          json_object_size(r->results->trials) + json_array_size(r->results->comparisons),
          r->results->path);
  if (json_array_size(r->results->failures))
    return tune_status_make(TUNE_INTERNAL, "%zu of %zu tasks could not be measured",
                            json_array_size(r->results->failures), r->exported->read.tasks.count);
  return TUNE_OK;
}

tune_status measure_file(const measure_file_options *options) {
  measure_run r;
  tune_status status = measure_run_begin(options, &r);
  if (tune_status_is_ok(status))
    status = run_all(&r);
  measure_run_end(&r);
  return status;
}
