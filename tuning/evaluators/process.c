//===- process.c --------------------------------------------------------------===//

#include "tuning/evaluators/process.h"

#include "support/clock.h"
#include "support/json.h"
#include "tuning/evaluators/process_state.h"
#include "tuning/measure/placements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Beyond its own limits a server may take so long to answer, in seconds.
#define GRACE 30.0
// How long a comparison goes on after an interrupt that came at the wrong moment, in seconds.
#define COMPARE_WAIT_SECONDS 0.2

static double measuring_patience(const tune_process_evaluator_options *options) {
  return TUNE_SERVER_RUNS * TUNE_REFERENCE_FACTOR * options->measuring.seconds + GRACE;
}

static const tune_digest NOTHING = {""};

// Whatever is opened next begins anew.
static void forget(struct process_evaluator *evaluator) {
  evaluator->source = evaluator->checked = NOTHING;
}

static tune_status process_wait(void *self, double seconds, tune_evaluation *event, bool *out_any) {
  *event = (tune_evaluation){0};
  *out_any = false;
  tune_status status = tune_exchange_wait(self, tune_clock_seconds() + seconds, event, out_any);
  // What the event made possible is sent before the session takes its time over it.
  if (tune_status_is_ok(status))
    status = tune_exchange_advance(self);
  if (!tune_status_is_ok(status)) {
    *out_any = false;
    tune_evaluation_deinit(event);
    forget(self);
  }
  return status;
}

//===- Opening and closing ----------------------------------------------------===//

static tune_status find_source(const struct process_evaluator *evaluator, const tune_task *task,
                               tune_digest *out_digest) {
  json_t *request;
  TUNE_RETURN_IF_ERROR(tune_request_open_worker(&evaluator->options, task, "", &request));
  tune_status status = tune_json_digest(request, out_digest);
  json_decref(request);
  return status;
}

static void add_text(tune_digest_stream *stream, const char *text) {
  tune_digest_stream_add_text(stream, text ? text : "");
}

// What decides of the reference's outputs and of how they are compared, schedules aside.
static tune_status find_checked(const tune_task *task, tune_digest *out_digest) {
  tune_digest_stream *stream;
  TUNE_RETURN_IF_ERROR(tune_digest_stream_create(&stream));
  add_text(stream, task->payload);
  add_text(stream, task->module ? task->module->computes : NULL);
  add_text(stream, task->function);
  add_text(stream, task->accumulator);
  add_text(stream, task->operands);
  tune_digest_stream_add_number(stream, (uint64_t)task->reduction);
  *out_digest = tune_digest_stream_get(stream);
  tune_digest_stream_destroy(stream);
  return TUNE_OK;
}

// Tells a server to stop what it does. One that is found dead has stopped.
static tune_status cancel_on(struct process_evaluator *evaluator, struct server *server) {
  json_t *request;
  bool restarted = false;
  if (!server->connection)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_request_cancel(&request));
  TUNE_RETURN_IF_ERROR(tune_server_send(server, request, false, &restarted));
  if (restarted)
    (server == &evaluator->worker ? tune_exchange_forget_worker
                                  : tune_exchange_forget_measurer)(evaluator);
  return TUNE_OK;
}

static tune_status close_on_measurer(struct process_evaluator *evaluator) {
  json_t *request;
  bool restarted = false;
  if (evaluator->measurer.task == SERVER_TASK_CLOSED)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_request_close(evaluator->measurer.task_id, &request));
  evaluator->measurer.task = SERVER_TASK_CLOSED;
  return tune_server_send(&evaluator->measurer, request, true, &restarted);
}

static void drop_source(struct process_evaluator *evaluator) {
  json_decref(evaluator->signature);
  evaluator->signature = NULL;
  evaluator->worker.stale_opens += evaluator->worker.task == SERVER_TASK_OPENING;
  evaluator->worker.task = SERVER_TASK_CLOSED;
}

// What runs or is built of it is stopped; answers to that are of nothing that is known.
static void drop_reference(struct process_evaluator *evaluator) {
  bool is_read = evaluator->measurer.task == SERVER_TASK_OPENING;
  if (is_read)
    tune_status_free(cancel_on(evaluator, &evaluator->measurer));
  if (evaluator->reference == REFERENCE_BUILDING && !tune_jobs_count(evaluator, JOB_BUILDING))
    tune_status_free(cancel_on(evaluator, &evaluator->worker));
  // A server that cannot even be told to stop is found dead, and restarted, by the next task.
  tune_status_free(close_on_measurer(evaluator));
  if (evaluator->reference_path && !is_read)
    unlink(evaluator->reference_path);
  free(evaluator->reference_path);
  evaluator->reference_path = NULL;
  evaluator->reference_wire = 0;
  evaluator->reference_seconds = 0;
  evaluator->reference = REFERENCE_TO_BUILD;
}

// Makes `task` the one that servers have, but for what they have of it already.
static tune_status turn_to(struct process_evaluator *evaluator, const tune_task *task) {
  tune_digest source, checked;
  TUNE_RETURN_IF_ERROR(find_source(evaluator, task, &source));
  TUNE_RETURN_IF_ERROR(find_checked(task, &checked));
  bool times_tasks = task->module && task->module->times_tasks;
  bool is_open = tune_digest_equal(&source, &evaluator->source);
  bool is_checked = tune_digest_equal(&checked, &evaluator->checked) && !times_tasks;
  evaluator->task = task;
  if (!is_open)
    drop_source(evaluator);
  // The worker forgets a task when another one of the same name is opened; the measurer is told to,
  // and a name of its own for each tells the answer to that from the others.
  snprintf(evaluator->worker.task_id, sizeof evaluator->worker.task_id, "task");
  evaluator->source = source;
  if (is_checked)
    return TUNE_OK;
  drop_reference(evaluator);
  evaluator->was_prepared = evaluator->is_preparing;
  if (times_tasks)
    evaluator->reference = REFERENCE_BUILT;
  snprintf(evaluator->measurer.task_id, sizeof evaluator->measurer.task_id, "task-%llu",
           (unsigned long long)++evaluator->task_count);
  // Of a module of which nobody says what it computes, that is not known to be the same.
  evaluator->checked = task->module && !task->module->computes ? NOTHING : checked;
  return TUNE_OK;
}

static tune_status begin(struct process_evaluator *evaluator, const tune_task *task,
                         bool is_preparing) {
  evaluator->is_preparing = is_preparing;
  tune_status status = turn_to(evaluator, task);
  if (tune_status_is_ok(status))
    status = tune_exchange_advance(evaluator);
  if (!tune_status_is_ok(status))
    forget(evaluator);
  return status;
}

static tune_status process_open(void *self, const tune_task *task) {
  return begin(self, task, false);
}

// Where no core is left beside those that time, the next open has it all to do.
static tune_status process_prepare(void *self, const tune_task *task) {
  struct process_evaluator *evaluator = self;
  return evaluator->cores.beside_count ? begin(evaluator, task, true) : TUNE_OK;
}

static size_t process_capacity(const void *self) {
  const struct process_evaluator *evaluator = self;
  // One more than are built at once, so that the worker does not wait for the session.
  return evaluator->options.building.jobs + !evaluator->cores.are_shared;
}

static tune_status process_build(void *self, uint64_t ticket, const tune_config *config) {
  struct process_evaluator *evaluator = self;
  if (tune_jobs_find(evaluator, ticket))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu is in use",
                            (unsigned long long)ticket);
  TUNE_RETURN_IF_ERROR(tune_jobs_add(evaluator, ticket, config));
  return tune_exchange_advance(evaluator);
}

static tune_status process_measure(void *self, uint64_t ticket, double best) {
  struct process_evaluator *evaluator = self;
  struct job *job = tune_jobs_find(evaluator, ticket);
  if (!job || job->state != JOB_BUILT)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu has no artifact to measure",
                            (unsigned long long)ticket);
  job->state = JOB_TO_MEASURE;
  job->best = best;
  return tune_exchange_advance(evaluator);
}

static void process_release(void *self, uint64_t ticket) {
  struct process_evaluator *evaluator = self;
  struct job *job = tune_jobs_find(evaluator, ticket);
  if (job)
    tune_jobs_remove(evaluator, job);
}

static bool is_interrupted(const tune_compare_order *order) {
  return (order->interrupted && *order->interrupted) ||
         (order->deadline > 0 && tune_clock_seconds() >= order->deadline);
}

static tune_status process_compare(void *self, const tune_compare_order *order,
                                   tune_comparison *comparison) {
  struct process_evaluator *evaluator = self;
  *comparison = (tune_comparison){0};
  for (size_t i = 0; i < order->count; ++i) {
    const struct job *job = tune_jobs_find(evaluator, order->tickets[i]);
    if (!job || job->state != JOB_BUILT)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu has no artifact to compare",
                              (unsigned long long)order->tickets[i]);
  }
  evaluator->to_compare = order;
  evaluator->compare_wire = 0;
  evaluator->comparison = comparison;
  evaluator->has_compared = false;
  evaluator->measurer.patience = TUNE_SERVER_RUNS * TUNE_PLACEMENTS * (double)order->count *
                                     evaluator->options.measuring.seconds +
                                 GRACE;
  tune_status status = TUNE_OK;
  while (tune_status_is_ok(status) && !evaluator->has_compared && !is_interrupted(order)) {
    tune_evaluation event;
    bool any;
    status = process_wait(evaluator, COMPARE_WAIT_SECONDS, &event, &any);
    tune_evaluation_deinit(&event);
  }
  comparison->was_interrupted = tune_status_is_ok(status) && !evaluator->has_compared;
  // What comes of it after all has a number that nothing else has.
  if (comparison->was_interrupted && evaluator->compare_wire)
    status = cancel_on(evaluator, &evaluator->measurer);
  evaluator->measurer.patience = measuring_patience(&evaluator->options);
  evaluator->to_compare = NULL;
  evaluator->comparison = NULL;
  evaluator->has_compared = false;
  return status;
}

// Gives up every job that is not just an artifact.
static void drop_unfinished(struct process_evaluator *evaluator) {
  for (size_t i = evaluator->job_count; i > 0; --i) {
    struct job *job = &evaluator->jobs[i - 1];
    job->is_read = job->is_read || job->state == JOB_MEASURING;
    if (job->state == JOB_TO_MEASURE || job->state == JOB_MEASURING)
      job->state = JOB_BUILT;
    if (job->state != JOB_BUILT)
      tune_jobs_remove(evaluator, job);
  }
}

static tune_status process_cancel(void *self) {
  struct process_evaluator *evaluator = self;
  bool is_building = tune_jobs_count(evaluator, JOB_BUILDING) > 0;
  bool is_measuring = tune_jobs_count(evaluator, JOB_MEASURING) > 0;
  drop_unfinished(evaluator);
  if (is_building)
    TUNE_RETURN_IF_ERROR(cancel_on(evaluator, &evaluator->worker));
  // A cancelled reference is built again if something still needs it.
  if (is_building && evaluator->reference == REFERENCE_BUILDING)
    evaluator->reference = REFERENCE_TO_BUILD;
  if (is_measuring)
    TUNE_RETURN_IF_ERROR(cancel_on(evaluator, &evaluator->measurer));
  return TUNE_OK;
}

static void process_close(void *self) {
  struct process_evaluator *evaluator = self;
  // A server that cannot even be told to stop is found dead, and restarted, by the next task.
  tune_status_free(process_cancel(evaluator));
  while (evaluator->job_count)
    tune_jobs_remove(evaluator, &evaluator->jobs[evaluator->job_count - 1]);
  // It would go on on cores that others time on.
  if (evaluator->measurer.task == SERVER_TASK_OPENING) {
    drop_reference(evaluator);
    evaluator->checked = NOTHING;
  }
  evaluator->task = NULL;
  evaluator->is_measuring_turn = false;
}

static void process_destroy(void *self) {
  struct process_evaluator *evaluator = self;
  tune_server_stop(&evaluator->worker);
  tune_server_stop(&evaluator->measurer);
  while (evaluator->job_count)
    tune_jobs_remove(evaluator, &evaluator->jobs[evaluator->job_count - 1]);
  free(evaluator->jobs);
  free(evaluator->reference_path);
  free(evaluator->missing_counters);
  json_decref(evaluator->signature);
  tune_scratch_destroy(evaluator->scratch);
  tune_cores_deinit(&evaluator->cores);
  free((char *)evaluator->options.target.name);
  free((char *)evaluator->options.target.device);
  json_decref((json_t *)evaluator->options.target.fingerprint);
  free((char *)evaluator->options.target.triple);
  free((char *)evaluator->options.target.cpu);
  free((char *)evaluator->options.target.features);
  free(evaluator);
}

static double process_reference_seconds(const void *self) {
  const struct process_evaluator *evaluator = self;
  return evaluator->reference_seconds;
}

static const char *process_missing_counters(const void *self) {
  const struct process_evaluator *evaluator = self;
  return evaluator->missing_counters;
}

static size_t process_restarted(const void *self,
                                tune_restarted out_servers[TUNE_EVALUATOR_SERVERS]) {
  const struct process_evaluator *evaluator = self;
  const struct server *servers[] = {&evaluator->worker, &evaluator->measurer};
  size_t count = 0;
  for (size_t i = 0; i < TUNE_EVALUATOR_SERVERS; ++i)
    if (servers[i]->restarts || servers[i]->children)
      out_servers[count++] = (tune_restarted){.name = tune_server_name(servers[i]),
                                              .times = servers[i]->restarts,
                                              .why = servers[i]->why,
                                              .children = servers[i]->children};
  return count;
}

static const tune_evaluator_class process_class = {
    .name = "process",
    .destroy = process_destroy,
    .open = process_open,
    .prepare = process_prepare,
    .capacity = process_capacity,
    .build = process_build,
    .measure = process_measure,
    .release = process_release,
    .wait = process_wait,
    .compare = process_compare,
    .cancel = process_cancel,
    .close = process_close,
    .reference_seconds = process_reference_seconds,
    .missing_counters = process_missing_counters,
    .restarted = process_restarted,
};

//===- Creation ---------------------------------------------------------------===//

void tune_process_evaluator_options_init(tune_process_evaluator_options *options) {
  *options = (tune_process_evaluator_options){.target = {.name = "cpu", .threads = 1}};
}

static bool copy_text(const char **text) {
  const char *original = *text;
  *text = original ? strdup(original) : NULL;
  return *text || !original;
}

static void set_default(double *value, double otherwise) {
  if (!(*value > 0))
    *value = otherwise;
}

static tune_status start(struct process_evaluator *evaluator,
                         const tune_process_evaluator_options *options) {
  tune_process_evaluator_options *own = &evaluator->options;
  *own = *options;
  json_incref((json_t *)own->target.fingerprint);
  // All of them, also after a failure: destroy frees what is there.
  bool ok = copy_text(&own->target.name);
  ok &= copy_text(&own->target.device);
  ok &= copy_text(&own->target.triple);
  ok &= copy_text(&own->target.cpu);
  ok &= copy_text(&own->target.features);
  if (!ok)
    return tune_status_out_of_memory("out of memory while evaluating configs");
  set_default(&own->building.seconds, TUNE_BUILD_SECONDS);
  set_default(&own->building.bytes, TUNE_BUILD_BYTES);
  set_default(&own->measuring.seconds, TUNE_RUN_SECONDS);
  set_default(&own->measuring.bytes, TUNE_RUN_BYTES);
  TUNE_RETURN_IF_ERROR(tune_cores_init(&evaluator->cores, own->target.threads));
  if (own->building.on_all_cores)
    TUNE_RETURN_IF_ERROR(tune_cores_share(&evaluator->cores));
  if (!own->building.jobs)
    own->building.jobs = evaluator->cores.build_count;
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&evaluator->scratch));
  TUNE_RETURN_IF_ERROR(tune_server_start(&evaluator->worker,
                                         own->worker ? own->worker : "tune-worker",
                                         TUNE_SERVER_RUNS * own->building.seconds + GRACE));
  return tune_server_start(&evaluator->measurer, own->measurer ? own->measurer : "tune-measure",
                           measuring_patience(own));
}

tune_status tune_evaluator_process_create(const tune_process_evaluator_options *options,
                                          tune_evaluator *out_evaluator) {
  *out_evaluator = (tune_evaluator){0};
  struct process_evaluator *evaluator = calloc(1, sizeof *evaluator);
  if (!evaluator)
    return tune_status_out_of_memory("out of memory while evaluating configs");
  tune_status status = start(evaluator, options);
  if (!tune_status_is_ok(status)) {
    process_destroy(evaluator);
    return status;
  }
  *out_evaluator = (tune_evaluator){&process_class, evaluator};
  return TUNE_OK;
}
