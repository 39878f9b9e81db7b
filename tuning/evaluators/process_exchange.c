//===- process_exchange.c -----------------------------------------------------===//

#include "formats/measure_replies.h"
#include "support/clock.h"
#include "support/message.h"
#include "tuning/evaluators/process_state.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

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

//===- Servers that died ------------------------------------------------------===//

void tune_exchange_forget_worker(struct process_evaluator *evaluator) {
  json_decref(evaluator->signature);
  evaluator->signature = NULL;
  if (evaluator->reference == REFERENCE_BUILDING)
    evaluator->reference = REFERENCE_TO_BUILD;
  for (size_t i = 0; i < evaluator->job_count; ++i)
    if (evaluator->jobs[i].state == JOB_BUILDING)
      evaluator->jobs[i].state = JOB_TO_BUILD;
}

void tune_exchange_forget_measurer(struct process_evaluator *evaluator) {
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
    tune_exchange_forget_worker(evaluator);
  return TUNE_OK;
}

static tune_status send_to_measurer(struct process_evaluator *evaluator, json_t *request,
                                    bool *out_sent) {
  bool restarted = false;
  TUNE_RETURN_IF_ERROR(tune_server_send(&evaluator->measurer, request, true, &restarted));
  *out_sent = !restarted;
  if (restarted)
    tune_exchange_forget_measurer(evaluator);
  return TUNE_OK;
}

//===- What can be sent -------------------------------------------------------===//

// Those that builds and references have: all of that, or what is beside others that time.
static tune_cores cores_of(const struct process_evaluator *evaluator) {
  tune_cores cores = evaluator->cores;
  if (evaluator->is_preparing)
    cores.build_count = cores.beside_count;
  return cores;
}

static tune_status open_on_worker(struct process_evaluator *evaluator) {
  json_t *request;
  bool sent;
  TUNE_RETURN_IF_ERROR(tune_request_open_worker(&evaluator->options, evaluator->task,
                                                evaluator->worker.task_id, &request));
  TUNE_RETURN_IF_ERROR(send_to_worker(evaluator, request, &sent));
  if (sent)
    evaluator->worker.task = SERVER_TASK_OPENING;
  return TUNE_OK;
}

static tune_status open_on_measurer(struct process_evaluator *evaluator) {
  json_t *request;
  bool sent;
  const tune_cores cores = cores_of(evaluator);
  TUNE_RETURN_IF_ERROR(tune_request_open_measurer(
      &evaluator->options, &cores, evaluator->task, evaluator->measurer.task_id,
      evaluator->signature, evaluator->reference_path, evaluator->is_preparing, &request));
  TUNE_RETURN_IF_ERROR(send_to_measurer(evaluator, request, &sent));
  if (sent)
    evaluator->measurer.task = SERVER_TASK_OPENING;
  return TUNE_OK;
}

static tune_status build_reference(struct process_evaluator *evaluator) {
  json_t *request;
  bool sent;
  const tune_cores cores = cores_of(evaluator);
  uint64_t wire = ++evaluator->last_wire;
  free(evaluator->reference_path);
  evaluator->reference_path = NULL;
  TUNE_RETURN_IF_ERROR(tune_jobs_make_path(evaluator, wire, &evaluator->reference_path));
  TUNE_RETURN_IF_ERROR(
      tune_request_build_values(&evaluator->options, &cores, evaluator->worker.task_id, wire, NULL,
                                evaluator->reference_path, evaluator->is_preparing, &request));
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
  TUNE_RETURN_IF_ERROR(tune_request_build(&evaluator->options, &evaluator->cores,
                                          evaluator->worker.task_id, job->wire, evaluator->task,
                                          &job->config, job->path, &request));
  TUNE_RETURN_IF_ERROR(send_to_worker(evaluator, request, &sent));
  if (sent)
    job->state = JOB_BUILDING;
  return TUNE_OK;
}

static tune_status send_measure(struct process_evaluator *evaluator, struct job *job) {
  json_t *request;
  bool sent;
  job->wire =
      ++evaluator->last_wire; // a late answer to an earlier one, cancelled, is not this one's
  TUNE_RETURN_IF_ERROR(tune_request_measure(&evaluator->options, evaluator->measurer.task_id,
                                            job->wire, job->path, job->best, &request));
  TUNE_RETURN_IF_ERROR(send_to_measurer(evaluator, request, &sent));
  job->sent = tune_clock_seconds();
  if (sent)
    job->state = JOB_MEASURING;
  return TUNE_OK;
}

static tune_status send_compare(struct process_evaluator *evaluator) {
  const tune_compare_order *order = evaluator->to_compare;
  size_t count = order->count;
  const char **paths = calloc(count, sizeof *paths);
  if (!paths)
    return tune_status_out_of_memory("out of memory while evaluating configs");
  for (size_t i = 0; i < count; ++i)
    paths[i] = tune_jobs_find(evaluator, order->tickets[i])->path;
  json_t *request;
  bool sent = false;
  uint64_t wire = ++evaluator->last_wire;
  tune_status status = tune_request_compare(&evaluator->options, evaluator->measurer.task_id, wire,
                                            paths, count, order->confidence, &request);
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
  size_t to_measure = tune_jobs_count(evaluator, JOB_TO_MEASURE);
  bool is_measuring = tune_jobs_count(evaluator, JOB_MEASURING) > 0;
  bool can_build =
      tune_jobs_count(evaluator, JOB_TO_BUILD) || tune_jobs_count(evaluator, JOB_BUILDING);
  if (evaluator->is_measuring_turn)
    evaluator->is_measuring_turn = to_measure || is_measuring;
  else
    evaluator->is_measuring_turn =
        to_measure >= evaluator->options.building.jobs || (to_measure && !can_build);
}

static bool may_build(const struct process_evaluator *evaluator) {
  bool is_reference_building = evaluator->reference == REFERENCE_BUILDING;
  return evaluator->worker.task == SERVER_TASK_OPEN &&
         tune_jobs_count(evaluator, JOB_BUILDING) + is_reference_building <
             evaluator->options.building.jobs &&
         !(evaluator->cores.are_shared && evaluator->is_measuring_turn);
}

static bool may_measure(const struct process_evaluator *evaluator) {
  bool is_building =
      tune_jobs_count(evaluator, JOB_BUILDING) || evaluator->reference == REFERENCE_BUILDING;
  return evaluator->measurer.task == SERVER_TASK_OPEN && !evaluator->to_compare &&
         !tune_jobs_count(evaluator, JOB_MEASURING) &&
         !(evaluator->cores.are_shared && (is_building || !evaluator->is_measuring_turn));
}

// Sends whatever the state of things allows.
tune_status tune_exchange_advance(struct process_evaluator *evaluator) {
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

// An answer without a ticket: to open, or to close. `*out_is_opened` where it is that the present
// task was opened.
static tune_status handle_opened(struct server *server, const json_t *reply, bool *out_is_opened) {
  *out_is_opened = false;
  const char *id = tune_reply_head_of(reply).task;
  if (id && strcmp(id, server->task_id) != 0)
    return TUNE_OK; // of a task that is closed
  if (server->stale_opens) {
    --server->stale_opens;
    return TUNE_OK;
  }
  tune_status status = tune_message_get_status(reply);
  bool works = tune_status_is_ok(status);
  *out_is_opened = works && server->task == SERVER_TASK_OPENING;
  // What was refused is answered: it is not open, and no answer is to come.
  if (server->task == SERVER_TASK_OPENING)
    server->task = works ? SERVER_TASK_OPEN : SERVER_TASK_CLOSED;
  return status;
}

// What is no number in the reference cannot be checked, and would let anything pass.
#define MOST_UNCHECKED_SHARE 1e-3

static tune_status take_reference(struct process_evaluator *evaluator, const json_t *reply) {
  tune_open_reply opened;
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_open_reply_from_json(reply, &opened)));
  evaluator->reference_seconds = opened.reference.reference_seconds;
  const char *what = opened.reference.unchecked;
  if (opened.reference.unchecked_share <= MOST_UNCHECKED_SHARE)
    return TUNE_OK;
  return tune_status_make(
      TUNE_FAILED_PRECONDITION,
      "inconclusive: %s, so that a candidate could not be told right from wrong",
      what ? what : "its results are no numbers");
}

// A reference that crashes or hangs is the task's fault, not the measurer's.
static tune_status blame_reference(tune_status status) {
  return tune_reference_is_to_blame(status) ? tune_status_recode(status, TUNE_FAILED_PRECONDITION)
                                            : status;
}

// Takes `status`. What was prepared beside others and fails once its task is open has another turn,
// with all that a task has that was not.
static tune_status forgive_prepared(struct process_evaluator *evaluator, tune_status status,
                                    bool *out_is_forgiven) {
  *out_is_forgiven =
      !tune_status_is_ok(status) && evaluator->was_prepared && !evaluator->is_preparing;
  if (!*out_is_forgiven)
    return status;
  evaluator->was_prepared = false;
  tune_status_free(status);
  return TUNE_OK;
}

static tune_status handle_reference(struct process_evaluator *evaluator, const json_t *reply) {
  tune_evaluation event = {0};
  tune_status status = tune_reply_read_build(reply, &event);
  if (tune_status_is_ok(status) && event.verdict != TUNE_VERDICT_OK)
    status = tune_status_make(
        TUNE_FAILED_PRECONDITION, "the plain lowering, which results are checked against: %s: %s",
        tune_verdict_name(event.verdict), event.error ? event.error : "no reason given");
  tune_evaluation_deinit(&event);
  bool is_forgiven;
  status = forgive_prepared(evaluator, status, &is_forgiven);
  evaluator->reference = is_forgiven ? REFERENCE_TO_BUILD : REFERENCE_BUILT;
  return status;
}

static tune_status handle_worker(struct process_evaluator *evaluator, const json_t *reply,
                                 tune_evaluation *event, bool *out_any) {
  uint64_t wire = tune_reply_ticket(reply);
  bool is_opened;
  if (!wire) {
    TUNE_RETURN_IF_ERROR(handle_opened(&evaluator->worker, reply, &is_opened));
    return is_opened ? tune_reply_read_signature(reply, &evaluator->signature) : TUNE_OK;
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
    tune_jobs_remove(evaluator, job);
  return TUNE_OK;
}

// Remembers why counters are missing, which every reply says that lacks some.
static tune_status note_missing_counters(struct process_evaluator *evaluator, const json_t *reply) {
  tune_measure_reply result;
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_measure_reply_from_json(reply, &result)));
  const char *missing = tune_counts_missing(result.counters);
  tune_measure_reply_deinit(&result);
  if (!missing || evaluator->missing_counters)
    return TUNE_OK;
  evaluator->missing_counters = strdup(missing);
  return evaluator->missing_counters
             ? TUNE_OK
             : tune_status_out_of_memory("out of memory while evaluating configs");
}

static tune_status handle_measurer(struct process_evaluator *evaluator, const json_t *reply,
                                   tune_evaluation *event, bool *out_any) {
  uint64_t wire = tune_reply_ticket(reply);
  bool is_opened;
  if (!wire) {
    tune_status status = blame_reference(handle_opened(&evaluator->measurer, reply, &is_opened));
    bool is_forgiven;
    status = forgive_prepared(evaluator, status, &is_forgiven);
    if (tune_status_is_ok(status) && is_opened)
      status = take_reference(evaluator, reply);
    return tune_status_annotate(status,
                                "running the plain lowering, which results are checked against");
  }
  if (wire == evaluator->compare_wire && evaluator->to_compare) {
    evaluator->has_compared = true;
    return tune_reply_read_compare(reply, evaluator->to_compare->count, evaluator->comparison);
  }
  struct job *job = find_wire(evaluator, wire);
  if (!job || job->state != JOB_MEASURING)
    return TUNE_OK; // given up meanwhile
  TUNE_RETURN_IF_ERROR(tune_reply_read_measure(reply, event));
  TUNE_RETURN_IF_ERROR(note_missing_counters(evaluator, reply));
  event->ticket = job->ticket;
  event->waited = tune_reply_head_of(reply).waited;
  event->stage_seconds[TUNE_STAGE_MEASURE] =
      fmax(tune_clock_seconds() - job->sent - event->waited, 0);
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
        (is_worker ? tune_exchange_forget_worker : tune_exchange_forget_measurer)(evaluator);
      *out_changed = *out_changed || restarted || reply;
      if (!reply)
        break;
      tune_status status =
          (is_worker ? handle_worker : handle_measurer)(evaluator, reply, event, out_any);
      json_decref(reply);
      if (!tune_status_is_ok(status))
        return tune_status_annotate(status, "%s", tune_server_name(servers[i]));
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

tune_status tune_exchange_wait(struct process_evaluator *evaluator, double deadline,
                               tune_evaluation *event, bool *out_any) {
  bool again = true, changed;
  while (again && !*out_any && !evaluator->has_compared) {
    TUNE_RETURN_IF_ERROR(tune_exchange_advance(evaluator));
    TUNE_RETURN_IF_ERROR(handle_replies(evaluator, event, out_any, &changed));
    if (!changed)
      TUNE_RETURN_IF_ERROR(wait_for_replies(evaluator, deadline, &again));
  }
  return TUNE_OK;
}
