//===- export.c - tune-run export: candidates, to be measured elsewhere --------------===//

#include "tools/tune-run/export.h"

#include "formats/signature.h"
#include "formats/worker_replies.h"
#include "formats/worker_requests.h"
#include "support/file.h"
#include "support/json.h"
#include "tools/tune-run/progress.h"
#include "tools/tune-run/settings.h"
#include "tuning/device/device_file.h"
#include "tuning/device/process_target.h"
#include "tuning/evaluators/exchange.h"
#include "tuning/remote/export_file.h"
#include "tuning/remote/remote_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct exporter {
  const export_settings *settings;
  tune_target_facts *facts;
  tune_process_target target; // what code is for
  char *features;             // of the CPU that code is for, as LLVM calls them; NULL: this one
  json_t *reply;              // the worker's
  tune_candidates_reply list; // what that says
  tune_remote_builder *builder;
  tune_export_writer *writer;
  size_t failed;
} exporter;

//===--------------------------------------------------------------------------===//
// What the code is for
//===--------------------------------------------------------------------------===//

static tune_status find_facts(exporter *e) {
  if (strcmp(e->settings->target, "null") == 0)
    return tune_status_make(TUNE_UNAVAILABLE, "the target null computes times and runs nothing; "
                                              "there are cpu, vulkan and cuda");
  const export_settings *s = e->settings;
  size_t threads = (size_t)s->threads;
  if (s->device) {
    TUNE_RETURN_IF_ERROR(tune_device_file_get_facts(s->device, s->target, threads, &e->facts));
    return tune_process_target_of_elsewhere(e->facts, threads, &e->features, &e->target);
  }
  TUNE_RETURN_IF_ERROR(tune_target_facts_create_for_code(s->target, threads, &e->facts));
  e->target = tune_process_target_of(e->facts);
  e->target.threads = threads;
  return TUNE_OK;
}

// The fingerprint that the code is made for; NULL: any device.
static const json_t *made_for(const exporter *e) {
  bool is_cpu = e->facts->name.kind == TUNE_KIND_CPU;
  return is_cpu ? e->facts->fingerprint : tune_target_facts_device(e->facts);
}

//===--------------------------------------------------------------------------===//
// Tasks and their candidates
//===--------------------------------------------------------------------------===//

static tune_status read_module(const char *path, char **out_text) {
  *out_text = NULL;
  if (strcmp(path, "-") == 0)
    return tune_file_read("/dev/stdin", out_text, NULL);
  // The worker reads files itself, since they may be bytecode; what MLIR says of one that is not
  // there names no file.
  char *bytes;
  TUNE_RETURN_IF_ERROR(tune_file_read(path, &bytes, NULL));
  free(bytes);
  return TUNE_OK;
}

static tune_status ask_worker(exporter *e, const char *database, const char *text) {
  const export_settings *s = e->settings;
  bool is_stdin = strcmp(s->module, "-") == 0;
  tune_candidates_request wanted = {.payload = text,
                                    .payload_source = is_stdin ? "<stdin>" : s->module,
                                    .function = s->function,
                                    .target = {e->facts->name.target, made_for(e)},
                                    .threads = s->threads,
                                    .schedule = s->schedule,
                                    .allow_passes = s->allowed_passes,
                                    .database = database,
                                    .flush_cache = s->flush_cache,
                                    .configs = {s->configs.values, s->configs.count},
                                    .trials = s->trials,
                                    .seed = s->seed};
  // Kernels have fixed sizes.
  int64_t size = s->dynamic ? s->dynamic : TUNE_DYNAMIC_SIZE;
  if (e->facts->name.kind != TUNE_KIND_CPU)
    wanted.sizes = (tune_shape){&size, 1};
  json_t *request;
  TUNE_RETURN_IF_ERROR(tune_candidates_request_to_json(&wanted, &request));
  tune_connection *worker;
  tune_status status = tune_connection_open("tune-worker", &worker);
  if (!tune_status_is_ok(status)) {
    json_decref(request);
    return status;
  }
  status = tune_exchange_ask(worker, request, NULL, &e->reply);
  tune_connection_close(worker);
  TUNE_RETURN_IF_ERROR(status);
  return tune_reply_was_read(tune_candidates_reply_from_json(e->reply, &e->list));
}

static tune_status list_tasks(exporter *e) {
  char *text, *database = NULL;
  TUNE_RETURN_IF_ERROR(read_module(e->settings->module, &text));
  tune_status status = settings_find_named_database(e->settings->database, &database);
  if (tune_status_is_ok(status))
    status = ask_worker(e, database, text);
  free(text);
  free(database);
  if (tune_status_is_ok(status) && e->list.tasks.count == 0)
    status = tune_status_make(TUNE_INVALID_ARGUMENT,
                              "%s: nothing to tune: no linalg op on tensors; `tune-opt "
                              "--tune-extract=all` says why",
                              e->settings->module);
  return status;
}

//===--------------------------------------------------------------------------===//
// Building
//===--------------------------------------------------------------------------===//

static tune_status start_builder(exporter *e) {
  const export_settings *s = e->settings;
  tune_process_evaluator_options options;
  tune_process_evaluator_options_init(&options);
  options.target = e->target;
  options.target.flush_cache = s->flush_cache;
  options.seed = (uint64_t)s->seed;
  tune_export_source source = tune_export_source_of(&options, made_for(e));
  source.dynamic = s->dynamic;
  TUNE_RETURN_IF_ERROR(tune_export_writer_create(&source, &e->writer));
  return tune_remote_builder_create(&options, &e->builder);
}

static tune_status add_candidate(exporter *e, size_t task, const tune_listed_candidate *candidate,
                                 const tune_evaluation *build) {
  e->failed += build->verdict != TUNE_VERDICT_OK;
  tune_export_candidate exported = {.config = candidate->config,
                                    .strategy = candidate->strategy,
                                    .seed = (uint64_t)e->settings->seed,
                                    .build = build,
                                    .created_ms = build->created_ms,
                                    .artifact =
                                        tune_remote_builder_artifact(e->builder, build->ticket)};
  return tune_export_writer_add_candidate(e->writer, task, &exported);
}

// Builds all of `candidates`, and adds them in their order.
static tune_status build_candidates(exporter *e, size_t task,
                                    const tune_listed_candidate_list *candidates) {
  size_t count = candidates->count, done = 0;
  tune_evaluation *builds = calloc(count + 1, sizeof *builds);
  tune_status status = builds ? TUNE_OK : tune_status_out_of_memory("exporting candidates");
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i) {
    json_t *config = json_incref((json_t *)candidates->items[i].config);
    status = tune_remote_builder_add(e->builder, i + 1, config);
  }
  while (done < count && tune_status_is_ok(status)) {
    tune_evaluation event;
    bool any;
    status = tune_remote_builder_wait(e->builder, 1, &event, &any);
    if (!any)
      continue;
    builds[event.ticket - 1] = event;
    ++done;
  }
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    status = add_candidate(e, task, &candidates->items[i], &builds[i]);
  for (size_t i = 0; builds && i < count; ++i)
    tune_evaluation_deinit(&builds[i]);
  free(builds);
  return status;
}

// Of a line of `tune-db export`.
static const char *text_of_line(const json_t *line, const char *name) {
  return json_string_value(json_object_get(line, name));
}

static tune_status export_task(exporter *e, const tune_listed_task *listed) {
  tune_task task = {.key = text_of_line(listed->line, "key"),
                    .name = text_of_line(listed->line, "name"),
                    .payload = listed->payload,
                    .function = listed->function,
                    .schedule = listed->schedule,
                    .schedule_source = listed->schedule_source,
                    .allowed_passes = e->settings->allowed_passes,
                    .schedule_digest = listed->schedule_digest};
  if (!task.name)
    return tune_status_make(TUNE_DATA_LOSS, "tune-worker answers without what a task needs");
  progress_show(task.name);
  TUNE_RETURN_IF_ERROR(
      tune_status_annotate(tune_remote_builder_open(e->builder, &task), "%s", task.name));
  tune_export_task exported = {.line = listed->line,
                               .schedule = task.schedule_digest,
                               .signature = tune_remote_builder_signature(e->builder),
                               .reduction = listed->reduction,
                               .accumulator = listed->accumulator,
                               .operands = listed->operands,
                               .reference = tune_remote_builder_reference(e->builder)};
  size_t index;
  TUNE_RETURN_IF_ERROR(tune_export_writer_add_task(e->writer, &exported, &index));
  return build_candidates(e, index, &listed->candidates);
}

static tune_status run(exporter *e) {
  TUNE_RETURN_IF_ERROR(find_facts(e));
  progress_show("building");
  TUNE_RETURN_IF_ERROR(list_tasks(e));
  TUNE_RETURN_IF_ERROR(start_builder(e));
  for (size_t i = 0; i < e->list.tasks.count; ++i)
    TUNE_RETURN_IF_ERROR(export_task(e, &e->list.tasks.items[i]));
  if (!tune_export_writer_count(e->writer))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s: none of %zu candidates was built; `tune-run %s` says why",
                            e->settings->module, e->failed, e->settings->module);
  return tune_export_writer_write(e->writer, e->settings->output);
}

tune_status export_run(const export_settings *settings) {
  exporter e = {.settings = settings};
  tune_status status = run(&e);
  progress_clear();
  if (tune_status_is_ok(status)) {
    size_t count = tune_export_writer_count(e.writer), tasks = e.list.tasks.count;
    fprintf(stderr,
            "tune-run export: %s has %zu candidate%s of %zu task%s (%zu did not build) for %s; "
            "measure with: tune-measure %s\n",
            settings->output, count, count == 1 ? "" : "s", tasks, tasks == 1 ? "" : "s", e.failed,
            tune_target_facts_model(e.facts), settings->output);
  }
  tune_export_writer_destroy(e.writer);
  tune_remote_builder_destroy(e.builder);
  tune_target_facts_destroy(e.facts);
  tune_candidates_reply_deinit(&e.list);
  json_decref(e.reply);
  free(e.features);
  return status;
}
