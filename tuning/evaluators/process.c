//===- process.c --------------------------------------------------------------===//
//
// A ticket of the session becomes a job; on the wire it has a number of its own, which is
// never used again, so that a late answer to what was given up is known as such.
//
//===--------------------------------------------------------------------------===//

#include "tuning/evaluators/process.h"

#include "support/clock.h"
#include "support/message.h"
#include "support/scratch.h"
#include "tuning/evaluators/process_messages.h"
#include "tuning/evaluators/process_server.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Beyond its own limits a server may take so long to answer, in seconds.
#define GRACE 30.0
// Both servers know one task at a time, by this name.
#define TASK_ID "task"

enum job_state { JOB_TO_BUILD, JOB_BUILDING, JOB_BUILT, JOB_TO_MEASURE, JOB_MEASURING };

struct job {
  uint64_t ticket; // of the session
  uint64_t wire;
  enum job_state state;
  tune_config config;
  char *path;   // of the artifact
  bool is_read; // by the measurer, still, though nobody waits for the result any more
  double best;
  double sent; // when it was sent to be measured
};

enum reference { REFERENCE_TO_BUILD, REFERENCE_BUILDING, REFERENCE_BUILT };

struct process_evaluator {
  tune_process_evaluator_options options; // texts owned
  tune_cores cores;
  tune_scratch *scratch;
  struct server worker, measurer;
  const tune_task *task;
  json_t *signature; // NULL until the worker has opened the task
  enum reference reference;
  uint64_t reference_wire;
  char *reference_path;
  struct job *jobs; // in the order of build
  size_t job_count, job_capacity;
  uint64_t last_wire;
  bool is_measuring_turn;      // where cores are shared
  const uint64_t *to_compare;  // tickets, while comparing
  size_t compare_count;        //
  uint64_t compare_wire;       // 0 while the request is not sent
  tune_comparison *comparison; // where the reply goes
  bool has_compared;
};

static tune_status out_of_memory(void) {
  return tune_status_make(TUNE_OUT_OF_MEMORY, "out of memory while evaluating configs");
}

//===- Jobs -------------------------------------------------------------------===//

static struct job *find_job(struct process_evaluator *evaluator, uint64_t ticket) {
  for (size_t i = 0; i < evaluator->job_count; ++i)
    if (evaluator->jobs[i].ticket == ticket)
      return &evaluator->jobs[i];
  return NULL;
}

static struct job *find_wire(struct process_evaluator *evaluator, uint64_t wire) {
  for (size_t i = 0; i < evaluator->job_count; ++i)
    if (evaluator->jobs[i].wire == wire)
      return &evaluator->jobs[i];
  return NULL;
}

static struct job *find_state(struct process_evaluator *evaluator, enum job_state state) {
  for (size_t i = 0; i < evaluator->job_count; ++i)
    if (evaluator->jobs[i].state == state)
      return &evaluator->jobs[i];
  return NULL;
}

static size_t count_state(const struct process_evaluator *evaluator, enum job_state state) {
  size_t count = 0;
  for (size_t i = 0; i < evaluator->job_count; ++i)
    count += evaluator->jobs[i].state == state;
  return count;
}

static void remove_job(struct process_evaluator *evaluator, struct job *job) {
  // It may not be there, if it is not built. What is being read goes with the scratch folder.
  if (!job->is_read && job->state != JOB_MEASURING)
    unlink(job->path);
  tune_config_deinit(&job->config);
  free(job->path);
  size_t index = (size_t)(job - evaluator->jobs);
  memmove(job, job + 1, (--evaluator->job_count - index) * sizeof *job);
}

static tune_status make_path(const struct process_evaluator *evaluator, uint64_t wire,
                             char **out_path) {
  const char *folder = tune_scratch_get_path(evaluator->scratch);
  if (asprintf(out_path, "%s/%llu.so", folder, (unsigned long long)wire) < 0)
    return out_of_memory();
  return TUNE_OK;
}

static tune_status add_job(struct process_evaluator *evaluator, uint64_t ticket,
                           const tune_config *config) {
  if (evaluator->job_count == evaluator->job_capacity) {
    size_t capacity = evaluator->job_capacity ? 2 * evaluator->job_capacity : 16;
    struct job *jobs = realloc(evaluator->jobs, capacity * sizeof *jobs);
    if (!jobs)
      return out_of_memory();
    evaluator->jobs = jobs;
    evaluator->job_capacity = capacity;
  }
  struct job job = {.ticket = ticket, .wire = ++evaluator->last_wire, .state = JOB_TO_BUILD};
  TUNE_RETURN_IF_ERROR(make_path(evaluator, job.wire, &job.path));
  tune_status status = tune_config_init_copy(&job.config, config);
  if (!tune_status_is_ok(status)) {
    free(job.path);
    return status;
  }
  evaluator->jobs[evaluator->job_count++] = job;
  return TUNE_OK;
}

//===- Servers that died ------------------------------------------------------===//

static void worker_restarted(struct process_evaluator *evaluator) {
  json_decref(evaluator->signature);
  evaluator->signature = NULL;
  if (evaluator->reference == REFERENCE_BUILDING)
    evaluator->reference = REFERENCE_TO_BUILD;
  for (size_t i = 0; i < evaluator->job_count; ++i)
    if (evaluator->jobs[i].state == JOB_BUILDING)
      evaluator->jobs[i].state = JOB_TO_BUILD;
}

static void measurer_restarted(struct process_evaluator *evaluator) {
  evaluator->compare_wire = 0;
  for (size_t i = 0; i < evaluator->job_count; ++i)
    if (evaluator->jobs[i].state == JOB_MEASURING)
      evaluator->jobs[i].state = JOB_TO_MEASURE;
}

static tune_status send_to_worker(struct process_evaluator *evaluator, json_t *request,
                                  bool *out_sent) {
  bool restarted = false;
  TUNE_RETURN_IF_ERROR(tune_server_send(&evaluator->worker, request, true, &restarted));
  *out_sent = !restarted;
  if (restarted)
    worker_restarted(evaluator);
  return TUNE_OK;
}

static tune_status send_to_measurer(struct process_evaluator *evaluator, json_t *request,
                                    bool *out_sent) {
  bool restarted = false;
  TUNE_RETURN_IF_ERROR(tune_server_send(&evaluator->measurer, request, true, &restarted));
  *out_sent = !restarted;
  if (restarted)
    measurer_restarted(evaluator);
  return TUNE_OK;
}

//===- What can be sent -------------------------------------------------------===//

static tune_status open_on_worker(struct process_evaluator *evaluator) {
  json_t *request;
  bool sent;
  TUNE_RETURN_IF_ERROR(
      tune_request_open_worker(&evaluator->options, evaluator->task, TASK_ID, &request));
  TUNE_RETURN_IF_ERROR(send_to_worker(evaluator, request, &sent));
  if (sent)
    evaluator->worker.task = SERVER_TASK_OPENING;
  return TUNE_OK;
}

static tune_status open_on_measurer(struct process_evaluator *evaluator) {
  json_t *request;
  bool sent;
  TUNE_RETURN_IF_ERROR(tune_request_open_measurer(&evaluator->options, &evaluator->cores,
                                                  evaluator->task, TASK_ID, evaluator->signature,
                                                  evaluator->reference_path, &request));
  TUNE_RETURN_IF_ERROR(send_to_measurer(evaluator, request, &sent));
  if (sent)
    evaluator->measurer.task = SERVER_TASK_OPENING;
  return TUNE_OK;
}

static tune_status build_reference(struct process_evaluator *evaluator) {
  json_t *request;
  bool sent;
  uint64_t wire = ++evaluator->last_wire;
  free(evaluator->reference_path);
  evaluator->reference_path = NULL;
  TUNE_RETURN_IF_ERROR(make_path(evaluator, wire, &evaluator->reference_path));
  TUNE_RETURN_IF_ERROR(tune_request_build(&evaluator->options, &evaluator->cores, TASK_ID, wire,
                                          evaluator->task->space, NULL, evaluator->reference_path,
                                          &request));
  TUNE_RETURN_IF_ERROR(send_to_worker(evaluator, request, &sent));
  if (sent) {
    evaluator->reference = REFERENCE_BUILDING;
    evaluator->reference_wire = wire;
  }
  return TUNE_OK;
}

static tune_status send_build(struct process_evaluator *evaluator, struct job *job) {
  json_t *request;
  bool sent;
  TUNE_RETURN_IF_ERROR(tune_request_build(&evaluator->options, &evaluator->cores, TASK_ID,
                                          job->wire, evaluator->task->space, &job->config,
                                          job->path, &request));
  TUNE_RETURN_IF_ERROR(send_to_worker(evaluator, request, &sent));
  if (sent)
    job->state = JOB_BUILDING;
  return TUNE_OK;
}

static tune_status send_measure(struct process_evaluator *evaluator, struct job *job) {
  json_t *request;
  bool sent;
  TUNE_RETURN_IF_ERROR(tune_request_measure(&evaluator->options, TASK_ID, job->wire, job->path,
                                            job->best, &request));
  TUNE_RETURN_IF_ERROR(send_to_measurer(evaluator, request, &sent));
  job->sent = tune_clock_seconds();
  if (sent)
    job->state = JOB_MEASURING;
  return TUNE_OK;
}

static tune_status send_compare(struct process_evaluator *evaluator) {
  size_t count = evaluator->compare_count;
  const char **paths = calloc(count, sizeof *paths);
  if (!paths)
    return out_of_memory();
  for (size_t i = 0; i < count; ++i)
    paths[i] = find_job(evaluator, evaluator->to_compare[i])->path;
  json_t *request;
  bool sent = false;
  uint64_t wire = ++evaluator->last_wire;
  tune_status status =
      tune_request_compare(&evaluator->options, TASK_ID, wire, paths, count, &request);
  free(paths);
  if (tune_status_is_ok(status))
    status = send_to_measurer(evaluator, request, &sent);
  if (sent)
    evaluator->compare_wire = wire;
  return status;
}

// Where builds and measurements share the cores: measures what has gathered once that is as much as
// is built at once, or there is nothing to build; then builds again.
static void take_turns(struct process_evaluator *evaluator) {
  size_t to_measure = count_state(evaluator, JOB_TO_MEASURE);
  bool is_measuring = count_state(evaluator, JOB_MEASURING) > 0;
  bool can_build = count_state(evaluator, JOB_TO_BUILD) || count_state(evaluator, JOB_BUILDING);
  if (evaluator->is_measuring_turn)
    evaluator->is_measuring_turn = to_measure || is_measuring;
  else
    evaluator->is_measuring_turn =
        to_measure >= evaluator->options.jobs || (to_measure && !can_build);
}

static bool may_build(const struct process_evaluator *evaluator) {
  bool is_reference_building = evaluator->reference == REFERENCE_BUILDING;
  return evaluator->worker.task == SERVER_TASK_OPEN &&
         count_state(evaluator, JOB_BUILDING) + is_reference_building < evaluator->options.jobs &&
         !(evaluator->cores.are_shared && evaluator->is_measuring_turn);
}

static bool may_measure(const struct process_evaluator *evaluator) {
  bool is_building =
      count_state(evaluator, JOB_BUILDING) || evaluator->reference == REFERENCE_BUILDING;
  return evaluator->measurer.task == SERVER_TASK_OPEN && !evaluator->to_compare &&
         !count_state(evaluator, JOB_MEASURING) &&
         !(evaluator->cores.are_shared && (is_building || !evaluator->is_measuring_turn));
}

// Sends whatever the state of things allows.
static tune_status advance(struct process_evaluator *evaluator) {
  if (!evaluator->task)
    return TUNE_OK;
  if (evaluator->worker.task == SERVER_TASK_CLOSED)
    TUNE_RETURN_IF_ERROR(open_on_worker(evaluator));
  if (evaluator->worker.task == SERVER_TASK_OPEN && evaluator->reference == REFERENCE_TO_BUILD)
    TUNE_RETURN_IF_ERROR(build_reference(evaluator));
  if (evaluator->measurer.task == SERVER_TASK_CLOSED && evaluator->signature &&
      evaluator->reference == REFERENCE_BUILT)
    TUNE_RETURN_IF_ERROR(open_on_measurer(evaluator));
  take_turns(evaluator);
  struct job *job;
  while (may_build(evaluator) && (job = find_state(evaluator, JOB_TO_BUILD)))
    TUNE_RETURN_IF_ERROR(send_build(evaluator, job));
  if (may_measure(evaluator) && (job = find_state(evaluator, JOB_TO_MEASURE)))
    TUNE_RETURN_IF_ERROR(send_measure(evaluator, job));
  if (evaluator->to_compare && !evaluator->compare_wire &&
      evaluator->measurer.task == SERVER_TASK_OPEN)
    TUNE_RETURN_IF_ERROR(send_compare(evaluator));
  return TUNE_OK;
}

//===- What comes back --------------------------------------------------------===//

// An answer without a ticket: to open. True where it is that of the present task.
static tune_status handle_opened(struct server *server, const json_t *reply, bool *out_is_opened) {
  *out_is_opened = false;
  if (server->stale_opens) {
    --server->stale_opens;
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(tune_message_get_status(reply));
  *out_is_opened = server->task == SERVER_TASK_OPENING;
  if (*out_is_opened)
    server->task = SERVER_TASK_OPEN;
  return TUNE_OK;
}

static tune_status handle_reference(struct process_evaluator *evaluator, const json_t *reply) {
  tune_evaluation event = {0};
  tune_status status = tune_reply_read_build(reply, &event);
  if (tune_status_is_ok(status) && event.verdict != TUNE_VERDICT_OK)
    status = tune_status_make(
        TUNE_FAILED_PRECONDITION, "the plain lowering, which results are checked against: %s: %s",
        tune_verdict_name(event.verdict), event.error ? event.error : "no reason given");
  evaluator->reference = REFERENCE_BUILT;
  tune_evaluation_deinit(&event);
  return status;
}

static tune_status handle_worker(struct process_evaluator *evaluator, const json_t *reply,
                                 tune_evaluation *event, bool *out_any) {
  uint64_t wire = tune_reply_ticket(reply);
  bool is_opened;
  if (!wire) {
    TUNE_RETURN_IF_ERROR(handle_opened(&evaluator->worker, reply, &is_opened));
    if (is_opened && !(evaluator->signature = json_incref(json_object_get(reply, "signature"))))
      return tune_status_make(TUNE_DATA_LOSS, "a reply without a valid \"signature\"");
    return TUNE_OK;
  }
  if (wire == evaluator->reference_wire && evaluator->reference == REFERENCE_BUILDING)
    return handle_reference(evaluator, reply);
  struct job *job = find_wire(evaluator, wire);
  if (!job || job->state != JOB_BUILDING)
    return TUNE_OK; // given up meanwhile
  TUNE_RETURN_IF_ERROR(tune_reply_read_build(reply, event));
  event->ticket = job->ticket;
  *out_any = true;
  if (event->verdict == TUNE_VERDICT_OK)
    job->state = JOB_BUILT;
  else
    remove_job(evaluator, job);
  return TUNE_OK;
}

static tune_status handle_measurer(struct process_evaluator *evaluator, const json_t *reply,
                                   tune_evaluation *event, bool *out_any) {
  uint64_t wire = tune_reply_ticket(reply);
  bool is_opened;
  if (!wire)
    return tune_status_annotate(handle_opened(&evaluator->measurer, reply, &is_opened),
                                "running the plain lowering, which results are checked against");
  if (wire == evaluator->compare_wire && evaluator->to_compare) {
    evaluator->has_compared = true;
    return tune_reply_read_compare(reply, evaluator->compare_count, evaluator->comparison);
  }
  struct job *job = find_wire(evaluator, wire);
  if (!job || job->state != JOB_MEASURING)
    return TUNE_OK; // given up meanwhile
  TUNE_RETURN_IF_ERROR(tune_reply_read_measure(reply, event));
  event->ticket = job->ticket;
  event->stage_seconds[TUNE_STAGE_MEASURE] = tune_clock_seconds() - job->sent;
  job->state = JOB_BUILT;
  *out_any = true;
  return TUNE_OK;
}

// Handles replies that have come, until one makes an event or there are no more. `*out_changed`
// where there were any, so that something new may be sent.
static tune_status handle_replies(struct process_evaluator *evaluator, tune_evaluation *event,
                                  bool *out_any, bool *out_changed) {
  *out_changed = false;
  struct server *servers[] = {&evaluator->measurer, &evaluator->worker};
  for (size_t i = 0; i < 2; ++i) {
    bool is_worker = servers[i] == &evaluator->worker, restarted = false;
    for (json_t *reply = NULL; !*out_any && !restarted;) {
      TUNE_RETURN_IF_ERROR(tune_server_pop(servers[i], &reply, &restarted));
      if (restarted)
        (is_worker ? worker_restarted : measurer_restarted)(evaluator);
      *out_changed = *out_changed || restarted || reply;
      if (!reply)
        break;
      tune_status status =
          (is_worker ? handle_worker : handle_measurer)(evaluator, reply, event, out_any);
      json_decref(reply);
      if (!tune_status_is_ok(status))
        return tune_status_annotate(status, "%s", tune_connection_name(servers[i]->connection));
    }
  }
  return TUNE_OK;
}

// Waits for something to come until `deadline`. `*out_again` is false at the deadline and where a
// signal came.
static tune_status wait_for_replies(struct process_evaluator *evaluator, double deadline,
                                    bool *out_again) {
  struct server *servers[] = {&evaluator->measurer, &evaluator->worker};
  struct pollfd polled[2];
  for (size_t i = 0; i < 2; ++i)
    polled[i] = (struct pollfd){.fd = tune_connection_fd(servers[i]->connection), .events = POLLIN};
  double left = fmax(deadline - tune_clock_seconds(), 0);
  int ready = poll(polled, 2, (int)ceil(fmin(left, 1.0) * 1e3));
  if (ready < 0 && errno != EINTR)
    return tune_status_from_errno(errno, "waiting for tune-worker and tune-measure");
  for (size_t i = 0; i < 2; ++i)
    TUNE_RETURN_IF_ERROR(tune_server_fill(servers[i], ready > 0 && polled[i].revents));
  *out_again = ready > 0 || (ready == 0 && tune_clock_seconds() < deadline);
  return TUNE_OK;
}

static tune_status wait_for_event(struct process_evaluator *evaluator, double deadline,
                                  tune_evaluation *event, bool *out_any) {
  bool again = true, changed;
  while (again && !*out_any && !evaluator->has_compared) {
    TUNE_RETURN_IF_ERROR(advance(evaluator));
    TUNE_RETURN_IF_ERROR(handle_replies(evaluator, event, out_any, &changed));
    if (!changed)
      TUNE_RETURN_IF_ERROR(wait_for_replies(evaluator, deadline, &again));
  }
  return TUNE_OK;
}

static tune_status process_wait(void *self, double seconds, tune_evaluation *event, bool *out_any) {
  *event = (tune_evaluation){0};
  *out_any = false;
  tune_status status = wait_for_event(self, tune_clock_seconds() + seconds, event, out_any);
  // What the event made possible is sent before the session takes its time over it.
  if (tune_status_is_ok(status))
    status = advance(self);
  if (!tune_status_is_ok(status)) {
    *out_any = false;
    tune_evaluation_deinit(event);
  }
  return status;
}

//===- The class --------------------------------------------------------------===//

static tune_status process_open(void *self, const tune_task *task) {
  struct process_evaluator *evaluator = self;
  evaluator->task = task;
  evaluator->reference = REFERENCE_TO_BUILD;
  return advance(evaluator);
}

static size_t process_capacity(const void *self) {
  const struct process_evaluator *evaluator = self;
  // One more than are built at once, so that the worker does not wait for the session.
  return evaluator->options.jobs + !evaluator->cores.are_shared;
}

static tune_status process_build(void *self, uint64_t ticket, const tune_config *config) {
  struct process_evaluator *evaluator = self;
  if (find_job(evaluator, ticket))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu is in use",
                            (unsigned long long)ticket);
  TUNE_RETURN_IF_ERROR(add_job(evaluator, ticket, config));
  return advance(evaluator);
}

static tune_status process_measure(void *self, uint64_t ticket, double best) {
  struct process_evaluator *evaluator = self;
  struct job *job = find_job(evaluator, ticket);
  if (!job || job->state != JOB_BUILT)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu has no artifact to measure",
                            (unsigned long long)ticket);
  job->state = JOB_TO_MEASURE;
  job->best = best;
  return advance(evaluator);
}

static void process_release(void *self, uint64_t ticket) {
  struct process_evaluator *evaluator = self;
  struct job *job = find_job(evaluator, ticket);
  if (job)
    remove_job(evaluator, job);
}

static tune_status process_compare(void *self, const uint64_t *tickets, size_t count,
                                   tune_comparison *comparison) {
  struct process_evaluator *evaluator = self;
  *comparison = (tune_comparison){0};
  for (size_t i = 0; i < count; ++i) {
    const struct job *job = find_job(evaluator, tickets[i]);
    if (!job || job->state != JOB_BUILT)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu has no artifact to compare",
                              (unsigned long long)tickets[i]);
  }
  evaluator->to_compare = tickets;
  evaluator->compare_count = count;
  evaluator->compare_wire = 0;
  evaluator->comparison = comparison;
  evaluator->has_compared = false;
  evaluator->measurer.patience = (double)count * evaluator->options.run_seconds + GRACE;
  tune_status status = TUNE_OK;
  while (tune_status_is_ok(status) && !evaluator->has_compared) {
    tune_evaluation event;
    bool any;
    status = process_wait(evaluator, 1.0, &event, &any);
    tune_evaluation_deinit(&event);
  }
  evaluator->measurer.patience = evaluator->options.run_seconds + GRACE;
  evaluator->to_compare = NULL;
  evaluator->comparison = NULL;
  evaluator->has_compared = false;
  return status;
}

// Tells a server to stop what it does. One that is found dead has stopped.
static tune_status cancel_on(struct process_evaluator *evaluator, struct server *server) {
  json_t *request;
  bool restarted = false;
  TUNE_RETURN_IF_ERROR(tune_request_cancel(&request));
  TUNE_RETURN_IF_ERROR(tune_server_send(server, request, false, &restarted));
  if (restarted)
    (server == &evaluator->worker ? worker_restarted : measurer_restarted)(evaluator);
  return TUNE_OK;
}

// Gives up every job that is not just an artifact.
static void drop_unfinished(struct process_evaluator *evaluator) {
  for (size_t i = evaluator->job_count; i > 0; --i) {
    struct job *job = &evaluator->jobs[i - 1];
    job->is_read = job->is_read || job->state == JOB_MEASURING;
    if (job->state == JOB_TO_MEASURE || job->state == JOB_MEASURING)
      job->state = JOB_BUILT;
    if (job->state != JOB_BUILT)
      remove_job(evaluator, job);
  }
}

static tune_status process_cancel(void *self) {
  struct process_evaluator *evaluator = self;
  bool is_building = count_state(evaluator, JOB_BUILDING) > 0;
  bool is_measuring = count_state(evaluator, JOB_MEASURING) > 0;
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

static void close_on(struct server *server) {
  server->stale_opens += server->task == SERVER_TASK_OPENING;
  server->task = SERVER_TASK_CLOSED;
}

static void process_close(void *self) {
  struct process_evaluator *evaluator = self;
  // A server that cannot even be told to stop is found dead, and restarted, by the next task.
  tune_status_free(process_cancel(evaluator));
  while (evaluator->job_count)
    remove_job(evaluator, &evaluator->jobs[evaluator->job_count - 1]);
  if (evaluator->reference_path && evaluator->measurer.task != SERVER_TASK_OPENING)
    unlink(evaluator->reference_path);
  free(evaluator->reference_path);
  evaluator->reference_path = NULL;
  json_decref(evaluator->signature);
  evaluator->signature = NULL;
  evaluator->reference_wire = 0;
  evaluator->task = NULL;
  evaluator->is_measuring_turn = false;
  close_on(&evaluator->worker);
  close_on(&evaluator->measurer);
}

static void process_destroy(void *self) {
  struct process_evaluator *evaluator = self;
  tune_server_stop(&evaluator->worker);
  tune_server_stop(&evaluator->measurer);
  while (evaluator->job_count)
    remove_job(evaluator, &evaluator->jobs[evaluator->job_count - 1]);
  free(evaluator->jobs);
  free(evaluator->reference_path);
  json_decref(evaluator->signature);
  tune_scratch_destroy(evaluator->scratch);
  tune_cores_deinit(&evaluator->cores);
  free((char *)evaluator->options.target);
  free((char *)evaluator->options.triple);
  free((char *)evaluator->options.cpu);
  free((char *)evaluator->options.features);
  free(evaluator);
}

static const tune_evaluator_class process_class = {
    .name = "process",
    .destroy = process_destroy,
    .open = process_open,
    .capacity = process_capacity,
    .build = process_build,
    .measure = process_measure,
    .release = process_release,
    .wait = process_wait,
    .compare = process_compare,
    .cancel = process_cancel,
    .close = process_close,
};

//===- Creation ---------------------------------------------------------------===//

void tune_process_evaluator_options_init(tune_process_evaluator_options *options) {
  *options = (tune_process_evaluator_options){.target = "cpu", .threads = 1};
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
  // All four, also after a failure: destroy frees what is there.
  bool ok = copy_text(&own->target);
  ok &= copy_text(&own->triple);
  ok &= copy_text(&own->cpu);
  ok &= copy_text(&own->features);
  if (!ok)
    return out_of_memory();
  set_default(&own->build_seconds, 30);
  set_default(&own->build_bytes, 4e9);
  set_default(&own->run_seconds, 30);
  set_default(&own->run_bytes, 8e9);
  TUNE_RETURN_IF_ERROR(tune_cores_init(&evaluator->cores, own->threads));
  if (!own->jobs)
    own->jobs = evaluator->cores.build_count;
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&evaluator->scratch));
  TUNE_RETURN_IF_ERROR(tune_server_start(
      &evaluator->worker, own->worker ? own->worker : "tune-worker", own->build_seconds + GRACE));
  return tune_server_start(&evaluator->measurer, own->measurer ? own->measurer : "tune-measure",
                           own->run_seconds + GRACE);
}

tune_status tune_evaluator_process_create(const tune_process_evaluator_options *options,
                                          tune_evaluator *out_evaluator) {
  *out_evaluator = (tune_evaluator){0};
  struct process_evaluator *evaluator = calloc(1, sizeof *evaluator);
  if (!evaluator)
    return out_of_memory();
  tune_status status = start(evaluator, options);
  if (!tune_status_is_ok(status)) {
    process_destroy(evaluator);
    return status;
  }
  *out_evaluator = (tune_evaluator){&process_class, evaluator};
  return TUNE_OK;
}
