//===- server.c - Serving a driver -------------------------------------------------------===//

#include "tools/tune-measure/server.h"
#include "support/file.h"
#include "support/message.h"
#include "tools/tune-measure/compare_placements.h"
#include "tools/tune-measure/device.h"
#include "tools/tune-measure/inputs.h"
#include "tools/tune-measure/trial.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Of an artifact beside those on sparse inputs: its first one, those that samples cannot do
// without, and those that are counted.
#define FEW_RUNS 24

typedef struct server {
  int in, out;
  tune_message_reader reader;
  json_t *queue;         // requests that came and were not looked at yet
  const json_t *present; // what is being served
  task *tasks;
  bool has_ended;         // the driver is gone
  bool is_cancelled;      // what is under way is to be stopped
  size_t cancelled_count; // and so many of the queue not to be begun
} server;

//===- Requests coming in -----------------------------------------------------------------===//

// Moves what has come to the queue. A request to cancel goes no further: it is about those before
// it.
static tune_status receive(server *s) {
  TUNE_RETURN_IF_ERROR(tune_message_reader_fill(&s->reader, s->in));
  for (;;) {
    json_t *request = NULL;
    tune_status status = tune_message_reader_pop(&s->reader, &request);
    if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
      tune_status_free(status);
      s->has_ended = true;
      return TUNE_OK;
    }
    TUNE_RETURN_IF_ERROR(status);
    if (!request)
      return TUNE_OK;
    const char *verb = tune_request_verb(request);
    if (verb && strcmp(verb, TUNE_DO_CANCEL) == 0) {
      s->is_cancelled = true;
      s->cancelled_count = json_array_size(s->queue);
      json_decref(request);
    } else if (json_array_append_new(s->queue, request) != 0) {
      return tune_status_out_of_memory("keeping a request");
    }
  }
}

// While a child runs: whether it is to be stopped.
static bool is_interrupted(void *context) {
  server *s = context;
  tune_status status = receive(s);
  if (!tune_status_is_ok(status)) { // a stream that is damaged is as good as ended
    tune_status_free(status);
    s->has_ended = true;
  }
  return s->has_ended || s->is_cancelled;
}

//===- Answers ------------------------------------------------------------------------------===//

static tune_status answer(server *s, const json_t *request, json_t *reply) {
  if (!reply)
    return tune_status_out_of_memory("answering a request");
  tune_reply_echo(request, reply);
  tune_status status = tune_message_write(s->out, reply);
  json_decref(reply);
  return status;
}

// While another process times on our cores: so that a driver does not take us for dead.
static void tell_waiting(void *context, double seconds, const char *holder) {
  server *s = context;
  tune_reply_head head = {.waiting = seconds, .holder = *holder ? holder : NULL};
  json_t *notice;
  tune_status status = tune_reply_head_to_json(&head, &notice);
  if (tune_status_is_ok(status))
    status = answer(s, s->present, notice);
  if (!tune_status_is_ok(status)) {
    tune_status_free(status);
    s->has_ended = true;
  }
}

static child_watch watch_of(server *s) {
  return (child_watch){.fd = s->in,
                       .ready = is_interrupted,
                       .waiting = tell_waiting,
                       .context = s,
                       .driver = getppid()};
}

static tune_status answer_failure(server *s, const json_t *request, tune_status failure) {
  json_t *reply = NULL;
  tune_status status = tune_message_from_status(failure, &reply);
  tune_status_free(failure);
  return tune_status_is_ok(status) ? answer(s, request, reply) : status;
}

//===- The verbs ----------------------------------------------------------------------------===//
// Each makes a reply, without ticket and task.

static tune_status find_task(server *s, const char *id, task ***out_link) {
  *out_link = NULL;
  for (task **link = &s->tasks; *link; link = &(*link)->next)
    if (strcmp((*link)->id, id) == 0) {
      *out_link = link;
      return TUNE_OK;
    }
  return tune_status_make(TUNE_NOT_FOUND, "no task '%s' is open", id);
}

static tune_reference_facts facts_of_reference(const task *t) {
  return (tune_reference_facts){t->reference_seconds, t->nan_share, t->unchecked_share,
                                t->unchecked};
}

static tune_status open_task(server *s, const tune_open_request *request, json_t **out_reply) {
  task **link;
  tune_status missing = find_task(s, request->task, &link);
  if (tune_status_is_ok(missing))
    return tune_status_make(TUNE_ALREADY_EXISTS, "task '%s' is open", request->task);
  tune_status_free(missing);
  child_watch watch = watch_of(s);
  task *opened;
  TUNE_RETURN_IF_ERROR(task_create(&request->of, &watch, &opened));
  opened->id = strdup(request->task);
  if (!opened->id) {
    task_destroy(opened);
    return tune_status_out_of_memory("opening a task");
  }
  opened->next = s->tasks;
  s->tasks = opened;
  tune_open_reply reply = {facts_of_reference(opened)};
  return tune_open_reply_to_json(&reply, out_reply);
}

static tune_status serve_open(server *s, const json_t *object, json_t **out_reply) {
  tune_open_request request;
  TUNE_RETURN_IF_ERROR(tune_open_request_from_json(object, &request));
  tune_status status = open_task(s, &request, out_reply);
  tune_open_request_deinit(&request);
  return status;
}

static tune_status serve_close(server *s, const json_t *object, json_t **out_reply) {
  tune_close_request request;
  task **link;
  TUNE_RETURN_IF_ERROR(tune_close_request_from_json(object, &request));
  TUNE_RETURN_IF_ERROR(find_task(s, request.task, &link));
  task *closed = *link;
  *link = closed->next;
  task_destroy(closed);
  *out_reply = json_object();
  return TUNE_OK;
}

static tune_status serve_measure(server *s, const json_t *object, json_t **out_reply) {
  tune_measure_request request;
  task **link;
  TUNE_RETURN_IF_ERROR(tune_measure_request_from_json(object, &request));
  TUNE_RETURN_IF_ERROR(find_task(s, request.task, &link));
  child_watch watch = watch_of(s);
  return trial_measure_in_child(*link, &request, &watch, out_reply);
}

static void destroy_folders(const char **folders, size_t count) {
  for (size_t i = 0; i < count; ++i)
    free((char *)folders[i]);
  free(folders);
}

// The folders of `outputs`, which the child writes, into its limits; they belong to `*out_folders`.
static tune_status find_folders(const tune_text_list *outputs, const char ***out_folders,
                                child_limits *limits) {
  size_t count = outputs ? outputs->count : 0;
  *out_folders = calloc(count + 1, sizeof **out_folders);
  if (!*out_folders)
    return tune_status_out_of_memory("comparing");
  limits->writable = *out_folders;
  for (size_t i = 0; i < count; ++i) {
    char *folder;
    if (!outputs->items[i])
      continue;
    TUNE_RETURN_IF_ERROR(tune_file_find_folder(outputs->items[i], &folder));
    (*out_folders)[limits->writable_count++] = folder;
  }
  return TUNE_OK;
}

// How often artifacts may run: the fewest samples are few, and more are taken only where they fit
// into the time for timing.
static size_t count_runs(const trial_order *order) {
  return order->artifact_count * (order->of->sparse_count + FEW_RUNS);
}

// Measures artifacts interleaved, for compare, which is about what is faster than the first, and
// run, of which the seconds are those of each run.
static tune_status compare(server *s, const trial_order *order, const tune_limits *wanted,
                           bool only_faster, placements_compared *out_compared) {
  *out_compared = (placements_compared){.report = NULL};
  if (order->artifact_count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"artifacts\": expected at least one path");
  child_limits limits = task_make_limits(wanted, order->of, TUNE_UNASKED_COMPARE_SECONDS);
  if (!only_faster)
    limits.runs = count_runs(order);
  const char **folders = NULL;
  tune_status status = find_folders(order->outputs, &folders, &limits);
  child_watch watch = watch_of(s);
  if (tune_status_is_ok(status))
    status = compare_in_placements(order, only_faster, &limits, &watch, out_compared);
  destroy_folders(folders, limits.writable_count);
  return status;
}

static tune_status serve_compare(server *s, const json_t *object, json_t **out_reply) {
  tune_compare_request request;
  task **link;
  TUNE_RETURN_IF_ERROR(tune_compare_request_from_json(object, &request));
  tune_status status = find_task(s, request.task, &link);
  if (tune_status_is_ok(status)) {
    trial_order order = {.of = *link,
                         .artifacts = request.artifacts.items,
                         .artifact_count = request.artifacts.count,
                         .options = task_make_measure_options(&request.measure, 0)};
    placements_compared compared;
    status = compare(s, &order, &request.limits, true, &compared);
    if (tune_status_is_ok(status))
      status = tune_compare_reply_to_json(&compared.reply, out_reply);
    if (tune_status_is_ok(status))
      status = tune_reply_add_head(&compared.head, *out_reply);
    placements_compared_deinit(&compared);
  }
  tune_compare_request_deinit(&request);
  return status;
}

static tune_status check_outputs(const tune_text_list *outputs, const task *t) {
  size_t count = tune_signature_output_count(&t->signature);
  if (outputs->count > count)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"outputs\" is not an array of at most %zu paths", count);
  return TUNE_OK;
}

// Shapes of the arguments, which stay the task's; the array is to be freed.
static tune_status find_shapes(const task *t, tune_shape_list *out_shapes) {
  size_t count = t->signature.argument_count;
  *out_shapes = (tune_shape_list){calloc(count + 1, sizeof *out_shapes->items), count};
  if (!out_shapes->items)
    return tune_status_out_of_memory("running artifacts");
  for (size_t i = 0; i < count; ++i) {
    tune_value_type *type = &t->dense.values[i].type;
    out_shapes->items[i] = (tune_shape){type->shape, type->rank};
  }
  return TUNE_OK;
}

// The integers among the arguments, which may say how often a loop runs; to be freed.
static tune_status find_scalars(const task *t, tune_scalar_list *out_scalars) {
  size_t count = t->signature.argument_count;
  *out_scalars = (tune_scalar_list){calloc(count + 1, sizeof *out_scalars->items), 0};
  if (!out_scalars->items)
    return tune_status_out_of_memory("running artifacts");
  for (size_t i = 0; i < count; ++i) {
    const tune_buffer *value = &t->dense.values[i];
    if (inputs_are_number(value))
      out_scalars->items[out_scalars->count++] =
          (tune_scalar){(int64_t)i, tune_element_load(value->type.element, value->data)};
  }
  return TUNE_OK;
}

static tune_status answer_run(const task *t, const placements_compared *compared,
                              json_t **out_reply) {
  tune_run_reply reply = {.compared = compared->reply,
                          .has_reference = t->has_reference,
                          .reference = facts_of_reference(t)};
  TUNE_RETURN_IF_ERROR(find_shapes(t, &reply.shapes));
  tune_status status = find_scalars(t, &reply.scalars);
  if (tune_status_is_ok(status))
    status = tune_run_reply_to_json(&reply, out_reply);
  free(reply.shapes.items);
  free(reply.scalars.items);
  return tune_status_is_ok(status) ? tune_reply_add_head(&compared->head, *out_reply) : status;
}

static tune_status run(server *s, const tune_run_request *request, json_t **out_reply) {
  child_watch watch = watch_of(s);
  task *t;
  TUNE_RETURN_IF_ERROR(task_create(&request->of, &watch, &t));
  trial_order order = {.of = t,
                       .artifacts = request->artifacts.items,
                       .artifact_count = request->artifacts.count,
                       .options = task_make_measure_options(&request->measure, 0),
                       .outputs = &request->outputs};
  placements_compared compared = {.report = NULL};
  tune_status status = check_outputs(&request->outputs, t);
  if (tune_status_is_ok(status))
    status = compare(s, &order, &request->of.limits, false, &compared);
  if (tune_status_is_ok(status))
    status = answer_run(t, &compared, out_reply);
  placements_compared_deinit(&compared);
  task_destroy(t);
  return status;
}

static tune_status serve_run(server *s, const json_t *object, json_t **out_reply) {
  tune_run_request request;
  TUNE_RETURN_IF_ERROR(tune_run_request_from_json(object, &request));
  tune_status status = run(s, &request, out_reply);
  tune_run_request_deinit(&request);
  return status;
}

static tune_status ask_device(server *s, const json_t *object, bool wants_roofline,
                              json_t **out_reply) {
  tune_device_request request;
  TUNE_RETURN_IF_ERROR(tune_device_request_from_json(object, &request));
  child_watch watch = watch_of(s);
  tune_status status = device_ask(&request, wants_roofline, &watch, out_reply);
  tune_device_request_deinit(&request);
  return status;
}

static tune_status serve_fingerprint(server *s, const json_t *object, json_t **out_reply) {
  return ask_device(s, object, false, out_reply);
}

static tune_status serve_roofline(server *s, const json_t *object, json_t **out_reply) {
  return ask_device(s, object, true, out_reply);
}

//===- The loop -----------------------------------------------------------------------------===//

static const struct {
  const char *name;
  tune_status (*serve)(server *s, const json_t *object, json_t **out_reply);
} verbs[] = {
    {TUNE_DO_OPEN, serve_open},         {TUNE_DO_CLOSE, serve_close},
    {TUNE_DO_MEASURE, serve_measure},   {TUNE_DO_COMPARE, serve_compare},
    {TUNE_DO_RUN, serve_run},           {TUNE_DO_FINGERPRINT, serve_fingerprint},
    {TUNE_DO_ROOFLINE, serve_roofline},
};

static tune_status serve(server *s, const json_t *request) {
  const char *verb = tune_request_verb(request);
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; ++i) {
    if (!verb || strcmp(verb, verbs[i].name) != 0)
      continue;
    json_t *reply = NULL;
    tune_status status = verbs[i].serve(s, request, &reply);
    if (tune_status_is_ok(status))
      return answer(s, request, reply);
    json_decref(reply);
    return answer_failure(s, request, status);
  }
  return answer_failure(
      s, request, tune_status_make(TUNE_INVALID_ARGUMENT, "no request '%s'", verb ? verb : ""));
}

// Answers what waited when the request to cancel came.
static tune_status cancel_queue(server *s) {
  for (; s->cancelled_count > 0; --s->cancelled_count) {
    json_t *reply;
    TUNE_RETURN_IF_ERROR(
        tune_measure_reply_to_json(&(tune_measure_reply){.verdict = "cancelled"}, &reply));
    TUNE_RETURN_IF_ERROR(answer(s, json_array_get(s->queue, 0), reply));
    json_array_remove(s->queue, 0);
  }
  s->is_cancelled = false;
  return TUNE_OK;
}

static tune_status serve_all(server *s) {
  while (!s->has_ended) {
    if (s->is_cancelled)
      TUNE_RETURN_IF_ERROR(cancel_queue(s));
    if (json_array_size(s->queue) == 0) {
      struct pollfd fd = {.fd = s->in, .events = POLLIN};
      if (poll(&fd, 1, -1) < 0 && errno != EINTR)
        return tune_status_from_errno(errno, "waiting for a request");
      if (fd.revents)
        TUNE_RETURN_IF_ERROR(receive(s));
      continue;
    }
    json_t *request = json_incref(json_array_get(s->queue, 0));
    json_array_remove(s->queue, 0);
    s->present = request;
    tune_status status = serve(s, request);
    s->present = NULL;
    json_decref(request);
    // A driver that is gone while it is answered has ended, and that is all.
    if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
      tune_status_free(status);
      return TUNE_OK;
    }
    TUNE_RETURN_IF_ERROR(status);
  }
  return TUNE_OK;
}

tune_status server_run(int in, int out) {
  char *driver;
  TUNE_RETURN_IF_ERROR(tune_message_handshake(in, out, "tune-measure", &driver));
  free(driver);
  server s = {.in = in, .out = out, .queue = json_array()};
  tune_message_reader_init(&s.reader);
  tune_status status = s.queue ? serve_all(&s) : tune_status_out_of_memory("starting");
  while (s.tasks) {
    task *next = s.tasks->next;
    task_destroy(s.tasks);
    s.tasks = next;
  }
  json_decref(s.queue);
  tune_message_reader_deinit(&s.reader);
  return status;
}
