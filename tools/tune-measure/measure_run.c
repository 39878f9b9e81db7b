//===- measure_run.c ----------------------------------------------------------------------===//

#include "tools/tune-measure/measure_run.h"
#include "support/clock.h"
#include "support/json.h"
// Before our own `task`, which names in them would hide.
#include "tuning/device/target_facts.h"
#include "tuning/evaluators/cores.h"
#include "tuning/record/kept_roofline.h"

#include "tools/tune-measure/device.h"
#include "tools/tune-measure/fit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// From so long a wait on, each word that it goes on is shown.
#define TOLD_AGAIN_SECONDS 60.0

const char *measure_run_text(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

//===- Others on the same cores ------------------------------------------------------------===//

// Else a run that waits its turn looks like one that hangs.
static void tell_waiting(void *context, double seconds, const char *holder) {
  measure_run *r = context;
  if (r->progress)
    tune_progress_clear(r->progress);
  if (!r->has_told_waiting || seconds > TOLD_AGAIN_SECONDS)
    fprintf(stderr, "tune-measure: waiting for %s, which times on the same cores\n",
            *holder ? holder : "another process");
  r->has_told_waiting = true;
}

// There is nothing else to look at: the descriptor is none.
static bool is_never_ready(void *context) {
  (void)context;
  return false;
}

child_watch measure_run_watch(measure_run *r) {
  return (child_watch){.fd = -1, .ready = is_never_ready, .waiting = tell_waiting, .context = r};
}

//===- Beginning --------------------------------------------------------------------------===//

static tune_status read_export(measure_run *r) {
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

static int64_t threads_of(const measure_run *r) {
  int64_t threads = r->exported->read.threads;
  return threads > 0 ? threads : 1;
}

// The CPUs that a search would take.
static tune_status choose_cpus(measure_run *r) {
  if (r->options->cpus)
    return parse_cpus(r->options->cpus, &r->cpus);
  tune_cores cores;
  TUNE_RETURN_IF_ERROR(tune_cores_init(&cores, (size_t)threads_of(r)));
  r->cpus = (tune_int_list){cores.measure, cores.measure_count};
  cores.measure = NULL;
  tune_cores_deinit(&cores);
  return TUNE_OK;
}

bool measure_run_flushes_cache(const measure_run *r) { return r->exported->read.flush_cache; }

// Of what is made for a CPU by its name that one is the device: records are its.
static const char *find_device(const measure_run *r) {
  const json_t *device = r->exported->read.device;
  const char *cpu = json_string_value(json_object_get(device, "cpu"));
  return r->options->device ? r->options->device : cpu;
}

tune_place measure_run_place(const measure_run *r) {
  return (tune_place){.target = r->exported->read.target,
                      .device = find_device(r),
                      .threads = threads_of(r),
                      .cpus = r->cpus};
}

static tune_status ask(measure_run *r, bool wants_roofline, json_t **out_object) {
  if (!r->exported->read.target || r->exported->read.threads < 0)
    return tune_status_make(TUNE_DATA_LOSS, "%s: an export without a target or threads",
                            r->options->path);
  tune_device_request request = {.place = measure_run_place(r)};
  child_watch watch = measure_run_watch(r);
  return device_ask_object(&request, wants_roofline, &watch, out_object);
}

static tune_status look_at_device(measure_run *r) {
  TUNE_RETURN_IF_ERROR(choose_cpus(r));
  TUNE_RETURN_IF_ERROR(ask(r, false, &r->fingerprint));
  TUNE_RETURN_IF_ERROR(tune_status_annotate(fit_check(&r->exported->read, r->fingerprint),
                                            "%s cannot be measured here", r->options->path));
  size_t threads = (size_t)r->exported->read.threads;
  return tune_target_facts_digest(r->fingerprint,
                                  tune_target_facts_threads(r->fingerprint, threads),
                                  measure_run_flushes_cache(r), &r->digest);
}

static tune_status open_results(measure_run *r) {
  const char *path = r->options->path, *output = r->options->output;
  char *own = NULL;
  size_t length = strlen(path), ending = strlen(".export");
  if (length > ending && strcmp(path + length - ending, ".export") == 0)
    length -= ending;
  if (!output && asprintf(&own, "%.*s.results", (int)length, path) < 0)
    return tune_status_out_of_memory("measuring an export");
  tune_status status = tune_results_open(output ? output : own, r->exported->digest.text,
                                         tune_export_count(&r->exported->read), &r->results);
  free(own);
  return status;
}

static tune_status append_tasks(measure_run *r) {
  const tune_exported_tasks *tasks = &r->exported->read.tasks;
  for (size_t i = 0; i < tasks->count; ++i)
    TUNE_RETURN_IF_ERROR(
        tune_results_append(r->results, json_incref((json_t *)tasks->items[i].task)));
  return TUNE_OK;
}

// As databases keep it: with the threads, whether caches are flushed, and the roofline.
static tune_status append_fingerprint(measure_run *r) {
  json_t *measured, *roofline = NULL;
  TUNE_RETURN_IF_ERROR(ask(r, true, &measured));
  tune_status status =
      tune_kept_roofline_add(&roofline, measured, (double)(tune_clock_date_milliseconds() / 1000));
  json_decref(measured);
  TUNE_RETURN_IF_ERROR(status);
  size_t threads = (size_t)r->exported->read.threads;
  json_t *description = json_copy(r->fingerprint);
  json_object_set_new(description, "threads",
                      json_integer((json_int_t)tune_target_facts_threads(r->fingerprint, threads)));
  if (measure_run_flushes_cache(r))
    json_object_set_new(description, "flush_cache", json_true());
  json_object_set_new(description, "roofline", roofline);
  return tune_results_append(
      r->results, json_pack("{s:s, s:s, s:s, s:o}", "kind", "fingerprint", "digest", r->digest.text,
                            "target", r->exported->read.target, "description", description));
}

// The fingerprint goes last, so that where it is the tasks are.
static tune_status begin_results(measure_run *r) {
  if (!r->results->fingerprint) {
    TUNE_RETURN_IF_ERROR(append_tasks(r));
    return append_fingerprint(r);
  }
  if (strcmp(measure_run_text(r->results->fingerprint, "digest"), r->digest.text) == 0)
    return TUNE_OK;
  return tune_status_make(
      TUNE_FAILED_PRECONDITION,
      "%s: results of another machine or device (%s), to which those of this "
      "one cannot be added; name another file by -o",
      r->results->path,
      measure_run_text(json_object_get(r->results->fingerprint, "description"), "model"));
}

tune_status measure_run_begin(const measure_file_options *options, measure_run *out_run) {
  *out_run = (measure_run){.options = options};
  TUNE_RETURN_IF_ERROR(read_export(out_run));
  TUNE_RETURN_IF_ERROR(look_at_device(out_run));
  TUNE_RETURN_IF_ERROR(open_results(out_run));
  TUNE_RETURN_IF_ERROR(begin_results(out_run));
  tune_progress_options progress;
  tune_progress_options_init(&progress);
  progress.prefix = "tune-measure: ";
  TUNE_RETURN_IF_ERROR(tune_progress_create(stderr, &progress, &out_run->progress));
  return tune_scratch_create(&out_run->scratch);
}

void measure_run_end(measure_run *r) {
  tune_progress_destroy(r->progress);
  tune_scratch_destroy(r->scratch);
  tune_results_destroy(r->results);
  tune_export_destroy(r->exported);
  free(r->cpus.items);
  json_decref(r->fingerprint);
}
