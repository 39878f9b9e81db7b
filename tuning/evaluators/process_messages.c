//===- process_messages.c ----------------------------------------------------------===//

#include "tuning/evaluators/process_messages.h"

#include "formats/measure_replies.h"
#include "formats/measure_requests.h"
#include "formats/worker_replies.h"
#include "formats/worker_requests.h"
#include "support/message.h"

#include <stdlib.h>
#include <string.h>

//===- Requests ---------------------------------------------------------------===//

tune_status tune_request_open_worker(const tune_process_evaluator_options *options,
                                     const tune_task *task, const char *id, json_t **out_request) {
  const tune_task_module *module = task->module;
  tune_open_source_request request = {.task = id,
                                      .payload = task->payload,
                                      .payload_source = module ? module->path : NULL,
                                      .schedule = task->schedule,
                                      .schedule_source = task->schedule_source,
                                      .function = task->function,
                                      .allow_passes = task->allowed_passes,
                                      .target = {.name = options->target.name,
                                                 .device = options->target.fingerprint,
                                                 .triple = options->target.triple,
                                                 .cpu = options->target.cpu,
                                                 .features = options->target.features},
                                      .threads = (int64_t)options->target.threads,
                                      .has_module = module != NULL};
  if (module)
    request.module = (tune_module_choices_wanted){.schedule = module->schedule,
                                                  .flush_cache = options->target.flush_cache,
                                                  .other_sizes = module->is_of_other_sizes};
  return tune_open_source_request_to_json(&request, out_request);
}

tune_status tune_request_build_values(const tune_process_evaluator_options *options,
                                      const tune_cores *cores, const char *id, uint64_t ticket,
                                      const json_t *values, const char *output, bool yields,
                                      json_t **out_request) {
  tune_build_request request = {.ticket = (int64_t)ticket,
                                .task = id,
                                .config = values,
                                .output = output,
                                .limits = {options->building.seconds, options->building.bytes},
                                .cpus = {cores->build, cores->build_count},
                                .yields = yields};
  return tune_build_request_to_json(&request, out_request);
}

static const tune_task_way *way_of(const tune_task *task, const tune_config *config, size_t i) {
  return &task->module->ways[i][config->choices[i]];
}

// The ways that `config` picks, but for those that are as the choices on the ops say.
static size_t list_choices(const tune_task *task, const tune_config *config,
                           tune_task_choice *choices) {
  size_t count = 0;
  for (size_t i = 0; i < config->count; ++i) {
    const tune_task_way *way = way_of(task, config, i);
    if (way->config)
      choices[count++] = (tune_task_choice){.key = task->module->keys[i],
                                            .passed_over = (int64_t)way->passed_over,
                                            .config = way->config,
                                            .grouping = way->grouping};
    for (size_t k = 0; way->config && k < way->part_count; ++k)
      choices[count++] = (tune_task_choice){.key = way->parts[k].key,
                                            .passed_over = (int64_t)way->parts[k].passed_over,
                                            .config = way->parts[k].config};
  }
  return count;
}

static tune_status request_build_of_module(const tune_process_evaluator_options *options,
                                           const tune_cores *cores, const char *id, uint64_t ticket,
                                           const tune_task *task, const tune_config *config,
                                           const char *output, json_t **out_request) {
  size_t most = config->count + 1;
  for (size_t i = 0; i < config->count; ++i)
    most += way_of(task, config, i)->part_count;
  tune_task_choice *choices = calloc(most, sizeof *choices);
  json_t *values = json_object();
  tune_status status;
  if (!choices || !values) {
    status = tune_status_out_of_memory("asking for a build");
  } else {
    tune_build_request request = {.ticket = (int64_t)ticket,
                                  .task = id,
                                  .config = values,
                                  .output = output,
                                  .limits = {options->building.seconds, options->building.bytes},
                                  .cpus = {cores->build, cores->build_count},
                                  .choices = {choices, list_choices(task, config, choices)},
                                  .times_tasks = task->module->times_tasks};
    status = tune_build_request_to_json(&request, out_request);
  }
  json_decref(values);
  free(choices);
  return status;
}

tune_status tune_request_build(const tune_process_evaluator_options *options,
                               const tune_cores *cores, const char *id, uint64_t ticket,
                               const tune_task *task, const tune_config *config, const char *output,
                               json_t **out_request) {
  if (task->module && config)
    return request_build_of_module(options, cores, id, ticket, task, config, output, out_request);
  json_t *values = NULL;
  if (config)
    TUNE_RETURN_IF_ERROR(tune_config_to_json(config, task->space, &values));
  tune_status status =
      tune_request_build_values(options, cores, id, ticket, values, output, false, out_request);
  json_decref(values);
  return status;
}

static tune_limits run_limits(const tune_process_evaluator_options *options, double times) {
  return (tune_limits){times * options->measuring.seconds, options->measuring.bytes};
}

tune_status tune_request_open_measurer(const tune_process_evaluator_options *options,
                                       const tune_cores *cores, const tune_task *task,
                                       const char *id, const json_t *signature,
                                       const char *reference, bool is_beside,
                                       json_t **out_request) {
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
                                                .operands = task->operands,
                                                .sensitivity = task->module != NULL},
                                      .signature = signature,
                                      .limits = run_limits(options, TUNE_REFERENCE_FACTOR)}};
  if (is_beside)
    request.of.check.reference_cpus = (tune_int_list){cores->build, cores->build_count};
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

tune_status tune_reply_read_signature(const json_t *reply, json_t **out_signature) {
  tune_open_source_reply opened;
  *out_signature = NULL;
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_open_source_reply_from_json(reply, &opened)));
  *out_signature = json_incref((json_t *)opened.signature);
  tune_open_source_reply_deinit(&opened);
  return TUNE_OK;
}

static tune_status copy_text(const char *text, char **out_text) {
  *out_text = text ? strdup(text) : NULL;
  return *out_text || !text ? TUNE_OK : tune_status_out_of_memory("reading a reply");
}

// `good`, "built" of a build, is the verdict ok.
static tune_status take_verdict(const char *verdict, const char *good, const char *error,
                                tune_evaluation *event) {
  if (!verdict)
    return malformed("verdict");
  if (strcmp(verdict, good) == 0)
    event->verdict = TUNE_VERDICT_OK;
  else
    TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_verdict_parse(verdict, &event->verdict)));
  return copy_text(error, &event->error);
}

static tune_status take_build(const tune_build_reply *build, tune_evaluation *event) {
  TUNE_RETURN_IF_ERROR(take_verdict(build->verdict, TUNE_SAID_BUILT, build->error, event));
  if (event->verdict != TUNE_VERDICT_OK)
    return TUNE_OK;
  if (!build->digest)
    return malformed("digest");
  if (!build->has_seconds)
    return malformed("seconds");
  TUNE_RETURN_IF_ERROR(copy_text(build->digest, &event->digest));
  TUNE_RETURN_IF_ERROR(
      tune_reply_was_read(tune_code_features_from_json(build->code, &event->code)));
  event->stage_seconds[TUNE_STAGE_TRANSFORM] = build->seconds.transform;
  event->stage_seconds[TUNE_STAGE_LOWER] = build->seconds.lower;
  event->stage_seconds[TUNE_STAGE_OPTIMIZE] = build->seconds.optimize;
  event->stage_seconds[TUNE_STAGE_CODEGEN] = build->seconds.codegen;
  event->stage_seconds[TUNE_STAGE_LINK] = build->seconds.link;
  return TUNE_OK;
}

tune_status tune_reply_read_build(const json_t *reply, tune_evaluation *event) {
  tune_build_reply build;
  TUNE_RETURN_IF_ERROR(tune_message_get_status(reply));
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_build_reply_from_json(reply, &build)));
  tune_status status = take_build(&build, event);
  tune_build_reply_deinit(&build);
  return status;
}

static tune_status take_times(const tune_measure_reply *result, tune_timing *time) {
  const tune_times *times = &result->times;
  if (!result->is_timed || !times->samples.count)
    return malformed("samples");
  if (!(times->median > 0) || times->low > times->median || times->high < times->median)
    return malformed("median");
  size_t count = times->samples.count;
  time->samples = calloc(count, sizeof *time->samples);
  if (!time->samples)
    return tune_status_out_of_memory("reading a reply");
  memcpy(time->samples, times->samples.items, count * sizeof *time->samples);
  time->sample_count = count;
  time->median = times->median;
  time->low = times->low;
  time->high = times->high;
  time->repeats = (uint64_t)times->repeats;
  return TUNE_OK;
}

static tune_status take_figures(const tune_measure_reply *result, tune_run_figures *run) {
  TUNE_RETURN_IF_ERROR(tune_check_result_from_json(result->check, &run->check));
  TUNE_RETURN_IF_ERROR(tune_counts_from_json(result->counters, &run->counts));
  return tune_run_figures_validate(run);
}

static tune_status take_parts(const tune_task_seconds_list *tasks, tune_evaluation *event) {
  if (tasks->count == 0)
    return TUNE_OK;
  event->parts = calloc(tasks->count, sizeof *event->parts);
  if (!event->parts)
    return tune_status_out_of_memory("reading a reply");
  event->part_count = tasks->count;
  for (size_t i = 0; i < tasks->count; ++i) {
    const tune_task_seconds *said = &tasks->items[i];
    if (!(said->seconds >= 0) || !(said->calls > 0))
      return malformed("tasks");
    event->parts[i].seconds = said->seconds;
    event->parts[i].calls = said->calls;
    TUNE_RETURN_IF_ERROR(copy_text(tasks->items[i].name, &event->parts[i].function));
  }
  return TUNE_OK;
}

static tune_status take_measure(const tune_measure_reply *result, tune_evaluation *event) {
  TUNE_RETURN_IF_ERROR(take_verdict(result->verdict, TUNE_SAID_OK, result->error, event));
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(take_figures(result, &event->run)));
  if (tune_verdict_is_failure(event->verdict))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(take_parts(&result->tasks, event));
  return take_times(result, &event->time);
}

tune_status tune_reply_read_measure(const json_t *reply, tune_evaluation *event) {
  tune_measure_reply result;
  event->is_measured = true;
  TUNE_RETURN_IF_ERROR(tune_message_get_status(reply));
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_measure_reply_from_json(reply, &result)));
  tune_status status = take_measure(&result, event);
  tune_measure_reply_deinit(&result);
  return status;
}

static tune_status take_ratio(const tune_ratio_said *said, tune_ratio *ratio) {
  *ratio = (tune_ratio){said->ratio, said->low, said->high};
  return ratio->low > 0 && ratio->high >= ratio->low ? TUNE_OK : malformed("ratio");
}

// What is wrong with the comparison, and with which artifact.
static tune_status take_failed_compare(const tune_compare_reply *said,
                                       tune_comparison *comparison) {
  comparison->failed = true;
  TUNE_RETURN_IF_ERROR(
      tune_reply_was_read(tune_verdict_parse(said->verdict, &comparison->verdict)));
  bool is_known = said->artifact >= 0 && (size_t)said->artifact < comparison->count;
  comparison->culprit = is_known ? (size_t)said->artifact : comparison->count;
  return copy_text(said->error, &comparison->error);
}

static tune_status take_compare(const tune_compare_reply *said, tune_comparison *comparison) {
  size_t count = comparison->count;
  if (said->verdict && strcmp(said->verdict, TUNE_SAID_OK) != 0)
    return take_failed_compare(said, comparison);
  if (said->results.count != count || said->ratios.count != count)
    return malformed("results");
  comparison->placements = (size_t)said->placements;
  comparison->times = calloc(count, sizeof *comparison->times);
  comparison->ratios = calloc(count, sizeof *comparison->ratios);
  if (!comparison->times || !comparison->ratios)
    return tune_status_out_of_memory("reading a reply");
  for (size_t i = 0; i < count; ++i) {
    TUNE_RETURN_IF_ERROR(take_times(&said->results.items[i], &comparison->times[i]));
    TUNE_RETURN_IF_ERROR(take_ratio(&said->ratios.items[i], &comparison->ratios[i]));
  }
  return TUNE_OK;
}

tune_status tune_reply_read_compare(const json_t *reply, size_t count,
                                    tune_comparison *comparison) {
  tune_compare_reply said;
  *comparison = (tune_comparison){.count = count};
  TUNE_RETURN_IF_ERROR(tune_message_get_status(reply));
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_compare_reply_from_json(reply, &said)));
  tune_status status = take_compare(&said, comparison);
  tune_compare_reply_deinit(&said);
  if (!tune_status_is_ok(status))
    tune_comparison_deinit(comparison);
  return status;
}
