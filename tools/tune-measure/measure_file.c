//===- measure_file.c - Measuring candidates that were made elsewhere ---------------------===//

#include "tools/tune-measure/measure_file.h"
#include "support/clock.h"
#include "support/json.h"
#include "support/progress.h"
#include "support/scratch.h"
// Before our own `task`, which names in them would hide.
#include "tuning/device/target_facts.h"
#include "tuning/evaluators/cores.h"
#include "tuning/record/kept_roofline.h"
#include "tuning/remote/export_file.h"
#include "tuning/remote/results_file.h"

#include "tools/tune-measure/device.h"
#include "tools/tune-measure/fit.h"
#include "tools/tune-measure/measure_compare.h"
#include "tools/tune-measure/trial.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// From so long a wait on, each word that it goes on is shown.
#define TOLD_AGAIN_SECONDS 60.0

typedef struct run {
  const measure_file_options *options;
  tune_export *exported;
  tune_results *results;
  tune_scratch *scratch;
  tune_progress *progress;
  tune_int_list cpus;
  json_t *fingerprint; // of the device here
  tune_digest digest;  // that records go by
  bool has_told_counters;
  bool has_told_waiting;

  // Of the task being measured.
  const json_t *task; // as the export has it
  const char *key, *schedule;
  size_t number;         // the first is 0
  double best;           // seconds; 0: none
  const json_t **trials; // of each artifact, the first one; borrowed from the results
  tune_progress_state shown;
} run;

static const json_t *member(const run *r, const char *name) {
  return json_object_get(r->exported->description, name);
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

//===- Others on the same cores ------------------------------------------------------------===//

// Else a run that waits its turn looks like one that hangs.
static void tell_waiting(void *context, double seconds) {
  run *r = context;
  if (r->progress)
    tune_progress_clear(r->progress);
  if (!r->has_told_waiting || seconds > TOLD_AGAIN_SECONDS)
    fprintf(stderr, "tune-measure: waiting for others that time on the same cores, for %.0f s\n",
            seconds);
  r->has_told_waiting = true;
}

// There is nothing else to look at: the descriptor is none.
static bool is_never_ready(void *context) {
  (void)context;
  return false;
}

static child_watch watch_of(run *r) {
  return (child_watch){.fd = -1, .ready = is_never_ready, .waiting = tell_waiting, .context = r};
}

//===- Beginning --------------------------------------------------------------------------===//

static tune_status read_export(run *r) {
  tune_status status = tune_export_read(r->options->path, &r->exported);
  bool is_missing = tune_status_get_code(status) == TUNE_NOT_FOUND;
  return is_missing ? tune_status_recode(status, TUNE_INVALID_ARGUMENT) : status;
}

static tune_status parse_cpus(const char *text, tune_int_list *cpus) {
  cpus->items = calloc(strlen(text) + 1, sizeof *cpus->items); // each takes a digit at least
  if (!cpus->items)
    return tune_status_out_of_memory("measuring an export");
  for (const char *at = text;; ++at) {
    char *end;
    long cpu = strtol(at, &end, 10);
    if (end == at || *at == '-' || *at == '+' || cpu > INT_MAX || (*end && *end != ','))
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "--cpus=%s: expected numbers of CPUs, such as 2,3", text);
    cpus->items[cpus->count++] = (int)cpu;
    at = end;
    if (!*at)
      return TUNE_OK;
  }
}

static int64_t threads_of(const run *r) {
  json_int_t threads = json_integer_value(member(r, "threads"));
  return threads > 0 ? threads : 1;
}

// The CPUs that a search would take.
static tune_status choose_cpus(run *r) {
  if (r->options->cpus)
    return parse_cpus(r->options->cpus, &r->cpus);
  tune_cores cores;
  TUNE_RETURN_IF_ERROR(tune_cores_init(&cores, (size_t)threads_of(r)));
  r->cpus = (tune_int_list){cores.measure, cores.measure_count};
  cores.measure = NULL;
  tune_cores_deinit(&cores);
  return TUNE_OK;
}

static bool flushes_cache(const run *r) { return json_is_true(member(r, "flush_cache")); }

// What is measured on.
static tune_place place_of(const run *r) {
  return (tune_place){.target = text_of(r->exported->description, "target"),
                      .device = r->options->device,
                      .threads = threads_of(r),
                      .cpus = r->cpus};
}

static tune_status ask(run *r, const char *what, json_t **out_object) {
  if (!member(r, "target") || !member(r, "threads"))
    return tune_status_make(TUNE_DATA_LOSS, "%s: an export without a target or threads",
                            r->options->path);
  tune_device_request request = {.place = place_of(r)};
  child_watch watch = watch_of(r);
  json_t *reply;
  TUNE_RETURN_IF_ERROR(device_ask(&request, strcmp(what, TUNE_DO_ROOFLINE) == 0, &watch, &reply));
  *out_object = json_incref(json_object_get(reply, what));
  json_decref(reply);
  return TUNE_OK;
}

static tune_status look_at_device(run *r) {
  TUNE_RETURN_IF_ERROR(choose_cpus(r));
  TUNE_RETURN_IF_ERROR(ask(r, TUNE_DO_FINGERPRINT, &r->fingerprint));
  TUNE_RETURN_IF_ERROR(tune_status_annotate(fit_check(r->exported->description, r->fingerprint),
                                            "%s cannot be measured here", r->options->path));
  size_t threads = (size_t)json_integer_value(member(r, "threads"));
  return tune_target_facts_digest(r->fingerprint,
                                  tune_target_facts_threads(r->fingerprint, threads),
                                  flushes_cache(r), &r->digest);
}

static tune_status open_results(run *r) {
  const char *path = r->options->path, *output = r->options->output;
  char *own = NULL;
  size_t length = strlen(path), ending = strlen(".export");
  if (length > ending && strcmp(path + length - ending, ".export") == 0)
    length -= ending;
  if (!output && asprintf(&own, "%.*s.results", (int)length, path) < 0)
    return tune_status_out_of_memory("measuring an export");
  tune_status status = tune_results_open(output ? output : own, r->exported->digest.text,
                                         tune_export_count(r->exported->description), &r->results);
  free(own);
  return status;
}

static tune_status append_tasks(run *r) {
  const json_t *tasks = member(r, "tasks");
  for (size_t i = 0; i < json_array_size(tasks); ++i)
    TUNE_RETURN_IF_ERROR(tune_results_append(
        r->results, json_incref(json_object_get(json_array_get(tasks, i), "task"))));
  return TUNE_OK;
}

// As databases keep it: with the threads, whether caches are flushed, and the roofline.
static tune_status append_fingerprint(run *r) {
  json_t *measured, *roofline = NULL;
  TUNE_RETURN_IF_ERROR(ask(r, TUNE_DO_ROOFLINE, &measured));
  tune_status status =
      tune_kept_roofline_add(&roofline, measured, (double)(tune_clock_date_milliseconds() / 1000));
  json_decref(measured);
  TUNE_RETURN_IF_ERROR(status);
  size_t threads = (size_t)json_integer_value(member(r, "threads"));
  json_t *description = json_copy(r->fingerprint);
  json_object_set_new(description, "threads",
                      json_integer((json_int_t)tune_target_facts_threads(r->fingerprint, threads)));
  if (flushes_cache(r))
    json_object_set_new(description, "flush_cache", json_true());
  json_object_set_new(description, "roofline", roofline);
  return tune_results_append(
      r->results, json_pack("{s:s, s:s, s:O, s:o}", "kind", "fingerprint", "digest", r->digest.text,
                            "target", (json_t *)member(r, "target"), "description", description));
}

// The fingerprint goes last, so that where it is the tasks are.
static tune_status begin_results(run *r) {
  if (!r->results->fingerprint) {
    TUNE_RETURN_IF_ERROR(append_tasks(r));
    return append_fingerprint(r);
  }
  if (strcmp(text_of(r->results->fingerprint, "digest"), r->digest.text) == 0)
    return TUNE_OK;
  return tune_status_make(
      TUNE_FAILED_PRECONDITION,
      "%s: results of another machine or device (%s), to which those of this "
      "one cannot be added; name another file by -o",
      r->results->path, text_of(json_object_get(r->results->fingerprint, "description"), "model"));
}

//===- One candidate ----------------------------------------------------------------------===//

// A trial with what is known of `candidate` without measuring it.
static json_t *make_trial(const run *r, const json_t *candidate) {
  return json_pack(
      "{s:s, s:s, s:s, s:s, s:O, s:O*, s:O, s:O*, s:O*, s:O*, s:O, s:O, s:O}", "kind", "trial",
      "task", r->key, "fingerprint", r->digest.text, "schedule", r->schedule, "config",
      json_object_get(candidate, "config"), "error", json_object_get(candidate, "error"), "verdict",
      json_object_get(candidate, "verdict"), "digest", json_object_get(candidate, "digest"),
      "stages", json_object_get(candidate, "stages"), "code", json_object_get(candidate, "code"),
      "strategy", json_object_get(candidate, "strategy"), "seed",
      json_object_get(candidate, "seed"), "created_ms", json_object_get(candidate, "created_ms"));
}

static void tell_missing_counters(run *r, const json_t *reply) {
  const char *missing = text_of(json_object_get(reply, "counters"), "missing");
  if (!*missing || r->has_told_counters)
    return;
  r->has_told_counters = true;
  tune_progress_clear(r->progress);
  fprintf(stderr, "tune-measure: results lack some counters: %s\n", missing);
}

// Takes what was found into `trial`.
static tune_status take_reply(json_t *trial, const json_t *reply, double seconds) {
  static const char *const FIGURES[] = {"median", "low", "high", "repeats", "samples"};
  static const char *const COPIED[] = {"verdict", "error", "check", "counters"};
  json_t *time = json_object(), *stages = json_copy(json_object_get(trial, "stages"));
  for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; ++i)
    if (json_object_get(reply, FIGURES[i]))
      json_object_set(time, FIGURES[i], json_object_get(reply, FIGURES[i]));
  for (size_t i = 0; i < sizeof COPIED / sizeof *COPIED; ++i)
    if (json_object_get(reply, COPIED[i]))
      json_object_set(trial, COPIED[i], json_object_get(reply, COPIED[i]));
  if (json_object_size(time))
    json_object_set(trial, "time", time);
  json_decref(time);
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

static tune_status measure(run *r, const task *t, const json_t *candidate, json_t *trial) {
  char *path = NULL;
  if (asprintf(&path, "%s/candidate", tune_scratch_get_path(r->scratch)) < 0)
    return tune_status_out_of_memory("measuring an export");
  tune_measure_request request = {.artifact = path, .best = r->best};
  json_t *reply = NULL;
  tune_status status =
      tune_export_extract(r->exported, json_object_get(candidate, "artifact"), path);
  if (tune_status_is_ok(status))
    status = tune_limits_from_json(member(r, "limits"), &request.limits);
  if (tune_status_is_ok(status))
    status = tune_sampling_from_json(member(r, "measure"), &request.measure);
  child_watch watch = watch_of(r);
  double begin = tune_clock_seconds();
  if (tune_status_is_ok(status))
    status = trial_measure_in_child(t, &request, &watch, &reply);
  if (tune_status_is_ok(status)) {
    double waited = json_number_value(json_object_get(reply, "waited"));
    double seconds = tune_clock_seconds() - begin - waited;
    status = take_reply(trial, reply, seconds > 0 ? seconds : 0);
    tell_missing_counters(r, reply);
  }
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
static void note(run *r, const json_t *candidate, const json_t *trial) {
  tune_verdict verdict;
  tune_status status = tune_verdict_parse(text_of(trial, "verdict"), &verdict);
  bool failed = !tune_status_is_ok(status) || tune_verdict_is_failure(verdict);
  tune_status_free(status);
  const json_t *artifact = json_object_get(candidate, "artifact");
  if (artifact && !r->trials[json_integer_value(artifact)])
    r->trials[json_integer_value(artifact)] = trial;
  double median = json_number_value(json_object_get(json_object_get(trial, "time"), "median"));
  if (!failed && (r->best == 0 || median < r->best))
    r->best = median;
  r->shown.failed += failed;
  r->shown.best = r->best;
  ++r->shown.trials;
  tune_progress_update(r->progress, &r->shown);
}

static tune_status find(const run *r, const json_t *candidate, const json_t **out_trial) {
  return tune_results_find(r->results, r->key, r->schedule, json_object_get(candidate, "config"),
                           out_trial);
}

static tune_status do_candidate(run *r, const task *t, const json_t *candidate) {
  const json_t *known;
  if (!tune_export_has_result(candidate))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(find(r, candidate, &known));
  if (!known) {
    const json_t *artifact = json_object_get(candidate, "artifact");
    json_int_t index = json_integer_value(artifact);
    json_t *trial = make_trial(r, candidate);
    if (!trial || index < 0 || (size_t)index >= r->exported->blob_count + !artifact) {
      json_decref(trial);
      return tune_status_make(TUNE_DATA_LOSS, "%s: a candidate that lacks something",
                              r->options->path);
    }
    tune_status status = TUNE_OK;
    if (artifact)
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

static tune_status open_task(run *r, task **out_task) {
  char *path = NULL;
  if (asprintf(&path, "%s/reference", tune_scratch_get_path(r->scratch)) < 0)
    return tune_status_out_of_memory("measuring an export");
  child_watch watch = watch_of(r);
  tune_measured_task wanted = {
      .place = place_of(r),
      .conditions = {.flush_cache = flushes_cache(r),
                     .counters = json_is_true(member(r, "counters"))},
      .inputs = {.seed = json_integer_value(member(r, "seed")),
                 .dynamic = json_integer_value(member(r, "dynamic"))},
      .check = {.reference = path,
                .reduction = json_integer_value(json_object_get(r->task, "reduction")),
                .accumulator = json_string_value(json_object_get(r->task, "accumulator")),
                .operands = json_string_value(json_object_get(r->task, "operands"))},
      .signature = json_object_get(r->task, "signature")};
  tune_status status = tune_limits_from_json(member(r, "limits"), &wanted.limits);
  wanted.limits.seconds = json_number_value(member(r, "reference_seconds"));
  if (tune_status_is_ok(status) && (!wanted.signature || !json_object_get(r->task, "reduction")))
    status = tune_status_make(TUNE_DATA_LOSS, "%s: a task that lacks something", r->options->path);
  if (tune_status_is_ok(status))
    status = tune_export_extract(r->exported, json_object_get(r->task, "reference"), path);
  if (tune_status_is_ok(status))
    status = task_create(&wanted, &watch, out_task);
  unlink(path);
  free(path);
  return status;
}

// What cannot be told right from wrong is not measured, as in a search.
#define MOST_NAN_SHARE 0.9

// Opens the task, or leaves NULL and notes down why not, where that is the task's own fault.
static tune_status try_open_task(run *r, task **out_task) {
  tune_status status = open_task(r, out_task);
  if (tune_status_is_ok(status) && (*out_task)->nan_share > MOST_NAN_SHARE) {
    status = tune_status_make(TUNE_INTERNAL,
                              "%.0f %% of the reference's results are NaN, so that a candidate "
                              "could not be told right from wrong",
                              100 * (*out_task)->nan_share);
    task_destroy(*out_task);
  }
  if (tune_status_get_code(status) != TUNE_INTERNAL)
    return status;
  tune_progress_clear(r->progress);
  fprintf(stderr, "tune-measure: '%s' cannot be measured: %s\n",
          text_of(json_object_get(r->task, "task"), "name"), tune_status_get_message(status));
  json_t *line = json_pack("{s:s, s:s, s:s, s:s}", "kind", "failure", "task", r->key, "schedule",
                           r->schedule, "error", tune_status_get_message(status));
  tune_status_free(status);
  *out_task = NULL;
  return tune_results_append(r->results, line);
}

// Whether anything of the task is left to be measured.
static tune_status needs_task(const run *r, const json_t *candidates, bool *out_needs) {
  *out_needs = false;
  for (size_t i = 0; i < json_array_size(candidates) && !*out_needs; ++i) {
    const json_t *trial, *candidate = json_array_get(candidates, i);
    TUNE_RETURN_IF_ERROR(find(r, candidate, &trial));
    *out_needs = json_object_get(candidate, "artifact") && !trial;
  }
  return TUNE_OK;
}

// Measures the finalists of the task side by side, unless that was done before.
static tune_status do_finalists(run *r) {
  task *t;
  if (tune_results_comparison(r->results, r->key, r->schedule) ||
      tune_results_failure(r->results, r->key, r->schedule))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(try_open_task(r, &t));
  if (!t)
    return TUNE_OK;
  r->shown.phase = "comparing finalists";
  tune_progress_update(r->progress, &r->shown);
  child_watch watch = watch_of(r);
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

static tune_status do_candidates(run *r, const json_t *candidates) {
  bool needs;
  task *t = NULL;
  TUNE_RETURN_IF_ERROR(needs_task(r, candidates, &needs));
  if (tune_results_failure(r->results, r->key, r->schedule))
    return TUNE_OK;
  if (needs) {
    TUNE_RETURN_IF_ERROR(try_open_task(r, &t));
    if (!t)
      return TUNE_OK;
  }
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < json_array_size(candidates) && tune_status_is_ok(status); ++i)
    status = do_candidate(r, t, json_array_get(candidates, i));
  tune_progress_finish_task(r->progress, &r->shown);
  if (t)
    task_destroy(t);
  return status;
}

static tune_status do_task(run *r) {
  const json_t *candidates = json_object_get(r->task, "candidates");
  const json_t *line = json_object_get(r->task, "task");
  r->key = text_of(line, "key");
  r->schedule = text_of(r->task, "schedule");
  r->best = json_number_value(json_object_get(r->task, "best"));
  size_t count = 0;
  for (size_t i = 0; i < json_array_size(candidates); ++i)
    count += tune_export_has_result(json_array_get(candidates, i));
  r->shown = (tune_progress_state){.name = text_of(line, "name"),
                                   .number = r->number + 1,
                                   .task_count = json_array_size(member(r, "tasks")),
                                   .trial_limit = count};
  r->trials = calloc(r->exported->blob_count + 1, sizeof *r->trials);
  bool compares = json_object_get(r->task, "compare") != NULL;
  tune_status status = !r->trials ? tune_status_out_of_memory("measuring an export")
                       : compares ? do_finalists(r)
                                  : do_candidates(r, candidates);
  free(r->trials);
  return status;
}

//===- All --------------------------------------------------------------------------------===//

static tune_status do_tasks(run *r) {
  const json_t *tasks = member(r, "tasks");
  for (r->number = 0; r->number < json_array_size(tasks); ++r->number) {
    r->task = json_array_get(tasks, r->number);
    TUNE_RETURN_IF_ERROR(do_task(r));
  }
  return tune_results_finish(r->results);
}

static tune_status run_all(run *r) {
  TUNE_RETURN_IF_ERROR(read_export(r));
  TUNE_RETURN_IF_ERROR(look_at_device(r));
  TUNE_RETURN_IF_ERROR(open_results(r));
  TUNE_RETURN_IF_ERROR(begin_results(r));
  tune_progress_options progress;
  tune_progress_options_init(&progress);
  progress.prefix = "tune-measure: ";
  TUNE_RETURN_IF_ERROR(tune_progress_create(stderr, &progress, &r->progress));
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&r->scratch));
  if (!r->results->is_complete)
    TUNE_RETURN_IF_ERROR(do_tasks(r));
  fprintf(stderr, "tune-measure: %zu results are in %s\n",
          json_object_size(r->results->trials) + json_array_size(r->results->comparisons),
          r->results->path);
  if (json_array_size(r->results->failures))
    return tune_status_make(TUNE_INTERNAL, "%zu of %zu tasks could not be measured",
                            json_array_size(r->results->failures),
                            json_array_size(member(r, "tasks")));
  return TUNE_OK;
}

tune_status measure_file(const measure_file_options *options) {
  run r = {.options = options};
  tune_status status = run_all(&r);
  tune_progress_destroy(r.progress);
  tune_scratch_destroy(r.scratch);
  tune_results_destroy(r.results);
  tune_export_destroy(r.exported);
  free(r.cpus.items);
  json_decref(r.fingerprint);
  return status;
}
