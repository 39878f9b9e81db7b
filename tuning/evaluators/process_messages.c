//===- process_messages.c ----------------------------------------------------------===//

#include "tuning/evaluators/process_messages.h"

#include "formats/measure_requests.h"
#include "formats/worker_requests.h"
#include "support/json.h"
#include "support/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//===- Requests ---------------------------------------------------------------===//

tune_status tune_request_open_worker(const tune_process_evaluator_options *options,
                                     const tune_task *task, const char *id, json_t **out_request) {
  tune_open_source_request request = {.task = id,
                                      .payload = task->payload,
                                      .schedule = task->schedule,
                                      .schedule_source = task->schedule_source,
                                      .function = task->function,
                                      .allow_passes = task->allowed_passes,
                                      .target = {.name = options->target.name,
                                                 .device = options->target.fingerprint,
                                                 .triple = options->target.triple,
                                                 .cpu = options->target.cpu,
                                                 .features = options->target.features},
                                      .threads = (int64_t)options->target.threads};
  return tune_open_source_request_to_json(&request, out_request);
}

tune_status tune_request_build_values(const tune_process_evaluator_options *options,
                                      const tune_cores *cores, const char *id, uint64_t ticket,
                                      const json_t *values, const char *output,
                                      json_t **out_request) {
  tune_build_request request = {.ticket = (int64_t)ticket,
                                .task = id,
                                .config = values,
                                .output = output,
                                .limits = {options->building.seconds, options->building.bytes},
                                .cpus = {cores->build, cores->build_count}};
  return tune_build_request_to_json(&request, out_request);
}

tune_status tune_request_build(const tune_process_evaluator_options *options,
                               const tune_cores *cores, const char *id, uint64_t ticket,
                               const tune_space *space, const tune_config *config,
                               const char *output, json_t **out_request) {
  json_t *values = NULL;
  if (config)
    TUNE_RETURN_IF_ERROR(tune_config_to_json(config, space, &values));
  tune_status status =
      tune_request_build_values(options, cores, id, ticket, values, output, out_request);
  json_decref(values);
  return status;
}

static tune_limits run_limits(const tune_process_evaluator_options *options, double times) {
  return (tune_limits){times * options->measuring.seconds, options->measuring.bytes};
}

tune_status tune_request_open_measurer(const tune_process_evaluator_options *options,
                                       const tune_cores *cores, const tune_task *task,
                                       const char *id, const json_t *signature,
                                       const char *reference, json_t **out_request) {
  tune_open_request request = {.task = id,
                               .of = {.place = {.target = options->target.name,
                                                .device = options->target.device,
                                                .threads = (int64_t)options->target.threads,
                                                .cpus = {cores->measure, cores->measure_count}},
                                      .conditions = {.flush_cache = options->target.flush_cache,
                                                     .counters = options->measuring.counters},
                                      .inputs.seed = (int64_t)options->seed,
                                      .check = {.reference = reference,
                                                .reduction = task->reduction,
                                                .accumulator = task->accumulator,
                                                .operands = task->operands},
                                      .signature = signature,
                                      .limits = run_limits(options, TUNE_REFERENCE_FACTOR)}};
  return tune_open_request_to_json(&request, out_request);
}

tune_status tune_request_measure(const tune_process_evaluator_options *options, const char *id,
                                 uint64_t ticket, const char *artifact, double best,
                                 json_t **out_request) {
  tune_measure_request request = {
      .ticket = (int64_t)ticket,
      .task = id,
      .artifact = artifact,
      .best = best,
      .measure = {.precision = options->measuring.precision, .budget = options->measuring.budget},
      .limits = run_limits(options, 1)};
  return tune_measure_request_to_json(&request, out_request);
}

tune_status tune_request_compare(const tune_process_evaluator_options *options, const char *id,
                                 uint64_t ticket, const char *const *artifacts, size_t count,
                                 double confidence, json_t **out_request) {
  tune_compare_request request = {
      .ticket = (int64_t)ticket,
      .task = id,
      .artifacts = {(const char **)artifacts, count},
      .measure = {.confidence = confidence, .precision = options->measuring.precision},
      .limits = run_limits(options, (double)count)};
  return tune_compare_request_to_json(&request, out_request);
}

tune_status tune_request_close(const char *id, json_t **out_request) {
  return tune_close_request_to_json(&(tune_close_request){id}, out_request);
}

tune_status tune_request_cancel(json_t **out_request) {
  return tune_request_to_json(TUNE_DO_CANCEL, out_request);
}

//===- Replies ----------------------------------------------------------------===//

static tune_status malformed(const char *what) {
  return tune_status_make(TUNE_DATA_LOSS, "a reply without a valid \"%s\"", what);
}

uint64_t tune_reply_ticket(const json_t *reply) {
  return (uint64_t)tune_reply_head_of(reply).ticket;
}

static tune_status read_text(const json_t *object, const char *name, char **out_text) {
  const char *text = json_string_value(json_object_get(object, name));
  *out_text = text ? strdup(text) : NULL;
  return *out_text || !text ? TUNE_OK : tune_status_out_of_memory("reading a reply");
}

// A number that is finite and not below 0.
static tune_status read_number(const json_t *object, const char *name, double *out_number) {
  const json_t *value = json_object_get(object, name);
  *out_number = json_number_value(value);
  bool ok = json_is_number(value) && isfinite(*out_number) && *out_number >= 0;
  return ok ? TUNE_OK : malformed(name);
}

// What is wrong with a record is wrong with what came over the wire: DATA_LOSS.
static tune_status as_reply(tune_status status) {
  if (tune_status_get_code(status) != TUNE_INVALID_ARGUMENT)
    return status;
  return tune_status_recode(tune_status_annotate(status, "a reply"), TUNE_DATA_LOSS);
}

// "built" is "ok" of a build.
static tune_status read_verdict(const json_t *reply, const char *good, tune_evaluation *event) {
  const char *verdict = json_string_value(json_object_get(reply, "verdict"));
  if (!verdict)
    return malformed("verdict");
  if (strcmp(verdict, good) == 0)
    event->verdict = TUNE_VERDICT_OK;
  else
    TUNE_RETURN_IF_ERROR(as_reply(tune_verdict_parse(verdict, &event->verdict)));
  return read_text(reply, "error", &event->error);
}

tune_status tune_reply_read_build(const json_t *reply, tune_evaluation *event) {
  TUNE_RETURN_IF_ERROR(tune_message_get_status(reply));
  TUNE_RETURN_IF_ERROR(read_verdict(reply, "built", event));
  if (event->verdict != TUNE_VERDICT_OK)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(read_text(reply, "digest", &event->digest));
  if (!event->digest)
    return malformed("digest");
  TUNE_RETURN_IF_ERROR(as_reply(tune_code_features_get(reply, &event->code)));
  const json_t *seconds = json_object_get(reply, "seconds");
  for (int i = TUNE_STAGE_TRANSFORM; i <= TUNE_STAGE_LINK; ++i)
    TUNE_RETURN_IF_ERROR(
        read_number(seconds, tune_stage_name((tune_stage)i), &event->stage_seconds[i]));
  return TUNE_OK;
}

static tune_status read_timing(const json_t *object, tune_timing *time) {
  TUNE_RETURN_IF_ERROR(read_number(object, "median", &time->median));
  TUNE_RETURN_IF_ERROR(read_number(object, "low", &time->low));
  TUNE_RETURN_IF_ERROR(read_number(object, "high", &time->high));
  if (!(time->median > 0) || time->low > time->median || time->high < time->median)
    return malformed("median");
  double repeats = 1;
  if (json_object_get(object, "repeats"))
    TUNE_RETURN_IF_ERROR(read_number(object, "repeats", &repeats));
  time->repeats = (uint64_t)repeats;
  const json_t *samples = json_object_get(object, "samples");
  size_t count = json_array_size(samples);
  if (!count)
    return malformed("samples");
  time->samples = calloc(count, sizeof *time->samples);
  if (!time->samples)
    return tune_status_out_of_memory("reading a reply");
  time->sample_count = count;
  for (size_t i = 0; i < count; ++i) {
    const json_t *sample = json_array_get(samples, i);
    time->samples[i] = json_number_value(sample);
    if (!json_is_number(sample) || !(time->samples[i] >= 0) || !isfinite(time->samples[i]))
      return malformed("samples");
  }
  return TUNE_OK;
}

static tune_status read_check(const json_t *reply, tune_evaluation *event) {
  tune_status status = tune_run_figures_get(reply, &event->run);
  if (tune_status_is_ok(status))
    status = tune_run_figures_validate(&event->run);
  return as_reply(status);
}

tune_status tune_reply_read_measure(const json_t *reply, tune_evaluation *event) {
  event->is_measured = true;
  TUNE_RETURN_IF_ERROR(tune_message_get_status(reply));
  TUNE_RETURN_IF_ERROR(read_verdict(reply, "ok", event));
  TUNE_RETURN_IF_ERROR(read_check(reply, event));
  if (tune_verdict_is_failure(event->verdict))
    return TUNE_OK;
  return read_timing(reply, &event->time);
}

static tune_status read_ratio(const json_t *object, tune_ratio *ratio) {
  TUNE_RETURN_IF_ERROR(read_number(object, "ratio", &ratio->ratio));
  TUNE_RETURN_IF_ERROR(read_number(object, "low", &ratio->low));
  TUNE_RETURN_IF_ERROR(read_number(object, "high", &ratio->high));
  return ratio->low > 0 && ratio->high >= ratio->low ? TUNE_OK : malformed("ratio");
}

// What is wrong with the comparison, and with which artifact.
static tune_status read_failed_compare(const json_t *reply, const char *verdict,
                                       tune_comparison *comparison) {
  comparison->failed = true;
  TUNE_RETURN_IF_ERROR(as_reply(tune_verdict_parse(verdict, &comparison->verdict)));
  const json_t *artifact = json_object_get(reply, "artifact");
  json_int_t index = json_integer_value(artifact);
  bool is_known = json_is_integer(artifact) && index >= 0 && (size_t)index < comparison->count;
  comparison->culprit = is_known ? (size_t)index : comparison->count;
  return read_text(reply, "error", &comparison->error);
}

tune_status tune_reply_read_compare(const json_t *reply, size_t count,
                                    tune_comparison *comparison) {
  *comparison = (tune_comparison){.count = count};
  TUNE_RETURN_IF_ERROR(tune_message_get_status(reply));
  const json_t *results = json_object_get(reply, "results");
  const json_t *ratios = json_object_get(reply, "ratios");
  const char *verdict = json_string_value(json_object_get(reply, "verdict"));
  if (verdict && strcmp(verdict, "ok") != 0)
    return read_failed_compare(reply, verdict, comparison);
  if (json_array_size(results) != count || json_array_size(ratios) != count)
    return malformed("results");
  json_int_t loads = json_integer_value(json_object_get(reply, "loads"));
  comparison->loads = loads > 0 ? (size_t)loads : 0;
  comparison->times = calloc(count, sizeof *comparison->times);
  comparison->ratios = calloc(count, sizeof *comparison->ratios);
  tune_status status = comparison->times && comparison->ratios
                           ? TUNE_OK
                           : tune_status_out_of_memory("reading a reply");
  for (size_t i = 0; tune_status_is_ok(status) && i < count; ++i) {
    status = read_timing(json_array_get(results, i), &comparison->times[i]);
    if (tune_status_is_ok(status))
      status = read_ratio(json_array_get(ratios, i), &comparison->ratios[i]);
  }
  if (!tune_status_is_ok(status))
    tune_comparison_deinit(comparison);
  return status;
}
