//===- module_run.c -----------------------------------------------------------===//

#include "tuning/evaluators/module_run.h"

#include "formats/measure_replies.h"
#include "formats/measure_requests.h"
#include "formats/worker_replies.h"
#include "formats/worker_requests.h"
#include "tuning/evaluators/cores.h"

#include <stdlib.h>
#include <string.h>

#define NAME "module"
// Of a build and of a run; what is waited for ends earlier by the patience.
#define BUILD_SECONDS 3600.0
#define RUN_SECONDS 3600.0
#define BYTES 1e12 // of address space: no limit but the machine's memory

struct tune_module_run {
  tune_module_run_options options; // borrowed texts
  tune_cores cores;
  tune_connection *worker, *measurer;
  json_t *opened; // the worker's reply
  tune_open_source_reply reply;
  bool is_built;
};

static tune_status open_module(tune_module_run *run) {
  const tune_module_run_options *options = &run->options;
  const tune_process_target *target = &options->target;
  const tune_open_source_request wanted = {.task = NAME,
                                           .payload_source = options->path,
                                           .function = options->function,
                                           .target = {.name = target->name,
                                                      .device = target->fingerprint,
                                                      .triple = target->triple,
                                                      .cpu = target->cpu,
                                                      .features = target->features},
                                           .threads = (int64_t)target->threads,
                                           .has_module = true};
  json_t *request;
  TUNE_RETURN_IF_ERROR(tune_open_source_request_to_json(&wanted, &request));
  TUNE_RETURN_IF_ERROR(tune_exchange_ask(run->worker, request, &options->patience, &run->opened));
  return tune_reply_was_read(tune_open_source_reply_from_json(run->opened, &run->reply));
}

static tune_status build_module(tune_module_run *run) {
  json_t *config = json_object(), *request, *message;
  const tune_build_request wanted = {.ticket = 1,
                                     .task = NAME,
                                     .config = config,
                                     .output = run->options.artifact,
                                     .limits = {BUILD_SECONDS, BYTES}};
  tune_build_reply reply;
  tune_status status = config ? tune_build_request_to_json(&wanted, &request)
                              : tune_status_out_of_memory("building a module");
  json_decref(config);
  TUNE_RETURN_IF_ERROR(status);
  TUNE_RETURN_IF_ERROR(tune_exchange_ask(run->worker, request, &run->options.patience, &message));
  status = tune_reply_was_read(tune_build_reply_from_json(message, &reply));
  if (tune_status_is_ok(status)) {
    if (!reply.verdict || strcmp(reply.verdict, TUNE_SAID_BUILT) != 0)
      status = tune_status_make(TUNE_FAILED_PRECONDITION, "%s: %s",
                                reply.verdict ? reply.verdict : "not built",
                                reply.error ? reply.error : "");
    tune_build_reply_deinit(&reply);
    run->is_built = tune_status_is_ok(status);
  }
  json_decref(message);
  return status;
}

static tune_status open_all(tune_module_run *run) {
  TUNE_RETURN_IF_ERROR(tune_cores_init(&run->cores, run->options.target.threads));
  TUNE_RETURN_IF_ERROR(tune_connection_open("tune-worker", &run->worker));
  TUNE_RETURN_IF_ERROR(tune_connection_open("tune-measure", &run->measurer));
  return open_module(run);
}

tune_status tune_module_run_open(const tune_module_run_options *options,
                                 tune_module_run **out_run) {
  *out_run = NULL;
  tune_module_run *run = calloc(1, sizeof *run);
  if (!run)
    return tune_status_out_of_memory("running a module");
  run->options = *options;
  tune_status status = open_all(run);
  if (!tune_status_is_ok(status)) {
    tune_module_run_close(run);
    return status;
  }
  *out_run = run;
  return TUNE_OK;
}

const json_t *tune_module_run_signature(const tune_module_run *run) { return run->reply.signature; }

static tune_status read_run(const json_t *message) {
  tune_run_reply reply;
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_run_reply_from_json(message, &reply)));
  const char *verdict = reply.compared.verdict, *error = reply.compared.error;
  tune_status status = TUNE_OK;
  if (verdict && strcmp(verdict, TUNE_SAID_OK) != 0)
    status = tune_status_make(TUNE_FAILED_PRECONDITION, "%s%s%s", verdict, error ? ": " : "",
                              error ? error : "");
  tune_run_reply_deinit(&reply);
  return status;
}

tune_status tune_module_run_once(tune_module_run *run, const json_t *signature,
                                 tune_text_list inputs, tune_text_list outputs) {
  const tune_module_run_options *options = &run->options;
  const char *artifacts[] = {options->artifact};
  json_t *request, *message;
  if (!run->is_built)
    TUNE_RETURN_IF_ERROR(build_module(run));
  // One sample: nobody wants its time.
  const tune_run_request wanted = {
      .ticket = 1,
      .of = {.place = {.target = options->target.name,
                       .device = options->target.device,
                       .threads = (int64_t)options->target.threads,
                       .cpus = {run->cores.measure, run->cores.measure_count}},
             .inputs = {.seed = (int64_t)options->seed, .inputs = inputs},
             .signature = signature ? signature : run->reply.signature,
             .limits = {RUN_SECONDS, BYTES}},
      .artifacts = {artifacts, 1},
      .outputs = outputs,
      .measure = {.budget = 1e-3, .sample_limit = 1}};
  TUNE_RETURN_IF_ERROR(tune_run_request_to_json(&wanted, &request));
  TUNE_RETURN_IF_ERROR(tune_exchange_ask(run->measurer, request, &options->patience, &message));
  tune_status status = read_run(message);
  json_decref(message);
  return status;
}

void tune_module_run_close(tune_module_run *run) {
  if (!run)
    return;
  tune_connection_close(run->worker);
  tune_connection_close(run->measurer);
  tune_cores_deinit(&run->cores);
  tune_open_source_reply_deinit(&run->reply);
  json_decref(run->opened);
  free(run);
}
