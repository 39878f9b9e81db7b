//===- remote_builder.c --------------------------------------------------------------===//

#include "tuning/remote/remote_builder.h"

#include "support/clock.h"
#include "support/message.h"
#include "support/scratch.h"
#include "tuning/device/cpu_features.h"
#include "tuning/device/target_name.h"
#include "tuning/evaluators/connection.h"
#include "tuning/evaluators/process_messages.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What the worker calls them.
#define TASK "task"
#define REFERENCE "reference"
// How long it may take to open a task beyond what a build may, in seconds.
#define GRACE 30.0

enum build_state { BUILD_WAITING, BUILD_SENT, BUILD_DONE, BUILD_FAILED };

struct build {
  uint64_t ticket; // 0: the reference
  uint64_t wire;   // never used again, so that a late answer to what was cancelled is known as such
  enum build_state state;
  json_t *config;
  char *path;
};

struct tune_remote_builder {
  tune_process_evaluator_options options;
  tune_connection *worker;
  tune_scratch *scratch;
  tune_cores cores; // builds may have them all
  json_t *signature;
  struct build *builds;
  size_t count, capacity;
  size_t sent; // and not answered
  uint64_t last_wire;
};

//===- Talking to the worker --------------------------------------------------===//

// A connection says NOT_FOUND of a worker that is gone.
static tune_status miss_worker(tune_status status) {
  bool is_gone = tune_status_get_code(status) == TUNE_NOT_FOUND;
  return is_gone ? tune_status_recode(status, TUNE_UNAVAILABLE) : status;
}

// Waits for the next reply until `deadline`; NULL where there was none, or a signal came.
static tune_status receive(tune_remote_builder *builder, double deadline, json_t **out_reply) {
  for (;;) {
    TUNE_RETURN_IF_ERROR(miss_worker(tune_connection_pop(builder->worker, out_reply)));
    double left = deadline - tune_clock_seconds();
    if (*out_reply || left <= 0)
      return TUNE_OK;
    struct pollfd fd = {.fd = tune_connection_fd(builder->worker), .events = POLLIN};
    int ready = poll(&fd, 1, (int)ceil(fmin(left, 3600) * 1e3));
    if (ready < 0 && errno == EINTR)
      return TUNE_OK;
    if (ready < 0)
      return tune_status_from_errno(errno, "waiting for tune-worker");
    if (ready > 0)
      TUNE_RETURN_IF_ERROR(tune_connection_fill(builder->worker));
  }
}

static tune_status send(tune_remote_builder *builder, json_t *request) {
  tune_status status = tune_connection_send(builder->worker, request);
  json_decref(request);
  return miss_worker(status);
}

// Opens a task and takes its signature. Answers to what was cancelled may still come before.
static tune_status open_one(tune_remote_builder *builder,
                            const tune_process_evaluator_options *options, const tune_task *task,
                            const char *id, json_t **out_signature) {
  json_t *request, *reply = NULL;
  *out_signature = NULL;
  TUNE_RETURN_IF_ERROR(tune_request_open_worker(options, task, id, &request));
  TUNE_RETURN_IF_ERROR(send(builder, request));
  double deadline =
      tune_clock_seconds() + TUNE_SERVER_RUNS * builder->options.building.seconds + GRACE;
  while (!reply) {
    TUNE_RETURN_IF_ERROR(receive(builder, deadline, &reply));
    if (!reply && tune_clock_seconds() >= deadline)
      return tune_status_make(TUNE_DEADLINE_EXCEEDED, "tune-worker does not answer");
    if (tune_reply_ticket(reply)) {
      json_decref(reply);
      reply = NULL;
    }
  }
  tune_status status = tune_message_get_status(reply);
  if (tune_status_is_ok(status))
    status = tune_reply_read_signature(reply, out_signature);
  json_decref(reply);
  return status;
}

//===- Builds -----------------------------------------------------------------===//

static const struct build *find(const tune_remote_builder *builder, uint64_t ticket) {
  for (size_t i = 0; i < builder->count; ++i)
    if (builder->builds[i].ticket == ticket)
      return &builder->builds[i];
  return NULL;
}

static void forget_builds(tune_remote_builder *builder) {
  for (size_t i = 0; i < builder->count; ++i) {
    if (builder->builds[i].state == BUILD_DONE)
      unlink(builder->builds[i].path);
    json_decref(builder->builds[i].config);
    free(builder->builds[i].path);
  }
  builder->count = builder->sent = 0;
}

static tune_status send_waiting(tune_remote_builder *builder) {
  for (size_t i = 0; i < builder->count && builder->sent < builder->options.building.jobs; ++i) {
    struct build *build = &builder->builds[i];
    if (build->state != BUILD_WAITING)
      continue;
    json_t *request;
    TUNE_RETURN_IF_ERROR(tune_request_build_values(&builder->options, &builder->cores,
                                                   build->ticket ? TASK : REFERENCE, build->wire,
                                                   build->config, build->path, false, &request));
    TUNE_RETURN_IF_ERROR(send(builder, request));
    build->state = BUILD_SENT;
    ++builder->sent;
  }
  return TUNE_OK;
}

tune_status tune_remote_builder_add(tune_remote_builder *builder, uint64_t ticket, json_t *config) {
  if (builder->count == builder->capacity) {
    size_t capacity = builder->capacity ? 2 * builder->capacity : 16;
    struct build *builds = realloc(builder->builds, capacity * sizeof *builds);
    if (!builds) {
      json_decref(config);
      return tune_status_out_of_memory("building for another machine");
    }
    builder->builds = builds;
    builder->capacity = capacity;
  }
  struct build build = {.ticket = ticket, .wire = ++builder->last_wire, .config = config};
  if (asprintf(&build.path, "%s/%llu.so", tune_scratch_get_path(builder->scratch),
               (unsigned long long)build.wire) < 0) {
    json_decref(config);
    return tune_status_out_of_memory("building for another machine");
  }
  builder->builds[builder->count++] = build;
  return send_waiting(builder);
}

static tune_status take_reply(tune_remote_builder *builder, const json_t *reply,
                              tune_evaluation *event, bool *out_any) {
  uint64_t wire = tune_reply_ticket(reply);
  for (size_t i = 0; i < builder->count; ++i) {
    struct build *build = &builder->builds[i];
    if (build->wire != wire || build->state != BUILD_SENT)
      continue;
    --builder->sent;
    TUNE_RETURN_IF_ERROR(tune_reply_read_build(reply, event));
    build->state = event->verdict == TUNE_VERDICT_OK ? BUILD_DONE : BUILD_FAILED;
    event->ticket = build->ticket;
    event->created_ms = tune_clock_date_milliseconds();
    *out_any = true;
    return TUNE_OK;
  }
  return TUNE_OK; // cancelled meanwhile
}

tune_status tune_remote_builder_wait(tune_remote_builder *builder, double seconds,
                                     tune_evaluation *event, bool *out_any) {
  double deadline = tune_clock_seconds() + seconds;
  *event = (tune_evaluation){0};
  *out_any = false;
  TUNE_RETURN_IF_ERROR(send_waiting(builder));
  json_t *reply;
  TUNE_RETURN_IF_ERROR(receive(builder, deadline, &reply));
  if (!reply)
    return TUNE_OK;
  tune_status status = take_reply(builder, reply, event, out_any);
  json_decref(reply);
  if (tune_status_is_ok(status))
    status = send_waiting(builder);
  if (!tune_status_is_ok(status)) {
    *out_any = false;
    tune_evaluation_deinit(event);
  }
  return status;
}

const char *tune_remote_builder_artifact(const tune_remote_builder *builder, uint64_t ticket) {
  const struct build *build = find(builder, ticket);
  return build && build->state == BUILD_DONE ? build->path : NULL;
}

tune_status tune_remote_builder_cancel(tune_remote_builder *builder) {
  bool is_building = builder->sent > 0;
  for (size_t i = builder->count; i > 0; --i) {
    struct build *build = &builder->builds[i - 1];
    if (build->state == BUILD_WAITING || build->state == BUILD_SENT)
      build->state = BUILD_FAILED;
  }
  builder->sent = 0;
  json_t *request;
  if (!is_building)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_request_cancel(&request));
  return send(builder, request);
}

//===- Tasks ------------------------------------------------------------------===//

static tune_status open_reference(tune_remote_builder *builder, const tune_task *task) {
  tune_process_evaluator_options options = builder->options;
  // What is made for a CPU is measured on that one; a device is in any machine.
  if (tune_target_kind_of(options.target.name) != TUNE_KIND_CPU) {
    options.target.cpu = tune_cpu_reference_name();
    options.target.features = NULL;
  }
  options.target.name = "cpu";
  options.target.fingerprint = NULL;
  options.target.threads = 1;
  tune_task plain = *task;
  plain.schedule = plain.schedule_source = NULL;
  json_t *signature;
  TUNE_RETURN_IF_ERROR(open_one(builder, &options, &plain, REFERENCE, &signature));
  json_decref(signature);
  return TUNE_OK;
}

static tune_status build_reference(tune_remote_builder *builder) {
  TUNE_RETURN_IF_ERROR(tune_remote_builder_add(builder, 0, NULL));
  tune_evaluation event = {0};
  double deadline =
      tune_clock_seconds() + TUNE_SERVER_RUNS * builder->options.building.seconds + GRACE;
  tune_status status = TUNE_OK;
  for (bool any = false; !any && tune_status_is_ok(status);) {
    status = tune_remote_builder_wait(builder, 1, &event, &any);
    if (tune_status_is_ok(status) && !any && tune_clock_seconds() >= deadline)
      status = tune_status_make(TUNE_DEADLINE_EXCEEDED, "tune-worker does not answer");
  }
  if (tune_status_is_ok(status) && event.verdict != TUNE_VERDICT_OK)
    status = tune_status_make(
        TUNE_FAILED_PRECONDITION, "the plain lowering, which results are checked against: %s: %s",
        tune_verdict_name(event.verdict), event.error ? event.error : "no reason given");
  tune_evaluation_deinit(&event);
  return status;
}

tune_status tune_remote_builder_open(tune_remote_builder *builder, const tune_task *task) {
  TUNE_RETURN_IF_ERROR(tune_remote_builder_cancel(builder));
  forget_builds(builder);
  json_decref(builder->signature);
  builder->signature = NULL;
  tune_status status = open_one(builder, &builder->options, task, TASK, &builder->signature);
  if (tune_status_is_ok(status))
    status = open_reference(builder, task);
  return tune_status_is_ok(status) ? build_reference(builder)
                                   : tune_status_annotate(status, "tune-worker");
}

const json_t *tune_remote_builder_signature(const tune_remote_builder *builder) {
  return builder->signature;
}

const char *tune_remote_builder_reference(const tune_remote_builder *builder) {
  return tune_remote_builder_artifact(builder, 0);
}

//===- Creation ---------------------------------------------------------------===//

// Nothing is measured here meanwhile.
static tune_status take_all_cores(tune_cores *cores) {
  TUNE_RETURN_IF_ERROR(tune_cores_init(cores, 1));
  for (size_t i = 0; i < cores->measure_count && !cores->are_shared; ++i)
    cores->build[cores->build_count++] = cores->measure[i];
  return TUNE_OK;
}

static void set_default(double *value, double otherwise) {
  if (!(*value > 0))
    *value = otherwise;
}

static tune_status start(tune_remote_builder *builder) {
  tune_process_evaluator_options *options = &builder->options;
  set_default(&options->building.seconds, TUNE_BUILD_SECONDS);
  set_default(&options->building.bytes, TUNE_BUILD_BYTES);
  TUNE_RETURN_IF_ERROR(take_all_cores(&builder->cores));
  if (!options->building.jobs)
    options->building.jobs = builder->cores.build_count;
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&builder->scratch));
  return tune_connection_open(options->worker ? options->worker : "tune-worker", &builder->worker);
}

tune_status tune_remote_builder_create(const tune_process_evaluator_options *options,
                                       tune_remote_builder **out_builder) {
  *out_builder = NULL;
  tune_remote_builder *builder = calloc(1, sizeof *builder);
  if (!builder)
    return tune_status_out_of_memory("building for another machine");
  builder->options = *options;
  tune_status status = start(builder);
  if (!tune_status_is_ok(status)) {
    tune_remote_builder_destroy(builder);
    return status;
  }
  *out_builder = builder;
  return TUNE_OK;
}

void tune_remote_builder_destroy(tune_remote_builder *builder) {
  if (!builder)
    return;
  tune_connection_close(builder->worker);
  forget_builds(builder);
  free(builder->builds);
  json_decref(builder->signature);
  tune_cores_deinit(&builder->cores);
  tune_scratch_destroy(builder->scratch);
  free(builder);
}
