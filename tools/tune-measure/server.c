//===- server.c - Serving a driver -------------------------------------------------------===//

#include "tools/tune-measure/server.h"
#include "support/message.h"
#include "tools/tune-measure/compare_loads.h"
#include "tools/tune-measure/device.h"
#include "tools/tune-measure/trial.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPARE_SECONDS 120 // unless "limits" says otherwise

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
    const char *verb = json_string_value(json_object_get(request, "do"));
    if (verb && strcmp(verb, "cancel") == 0) {
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

// Copies what tells the driver which request this is about.
static void echo(const json_t *request, json_t *reply) {
  const char *const names[] = {"ticket", "task"};
  for (size_t i = 0; i < 2; ++i) {
    json_t *member = json_object_get(request, names[i]);
    if (member)
      json_object_set(reply, names[i], member);
  }
}

static tune_status answer(server *s, const json_t *request, json_t *reply) {
  if (!reply)
    return tune_status_out_of_memory("answering a request");
  echo(request, reply);
  tune_status status = tune_message_write(s->out, reply);
  json_decref(reply);
  return status;
}

// While another process times on our cores: so that a driver does not take us for dead.
static void tell_waiting(void *context, double seconds) {
  server *s = context;
  tune_status status = answer(s, s->present, json_pack("{sf}", "waiting", seconds));
  if (!tune_status_is_ok(status)) {
    tune_status_free(status);
    s->has_ended = true;
  }
}

static child_watch watch_of(server *s) {
  return (child_watch){s->in, is_interrupted, tell_waiting, s};
}

static tune_status answer_failure(server *s, const json_t *request, tune_status failure) {
  json_t *reply = NULL;
  tune_status status = tune_message_from_status(failure, &reply);
  tune_status_free(failure);
  return tune_status_is_ok(status) ? answer(s, request, reply) : status;
}

//===- The verbs ----------------------------------------------------------------------------===//
// Each makes a reply, without ticket and task.

static tune_status find_task(server *s, const json_t *request, task ***out_link) {
  const char *id;
  *out_link = NULL;
  TUNE_RETURN_IF_ERROR(request_get_text(request, "task", &id));
  for (task **link = &s->tasks; *link; link = &(*link)->next)
    if (strcmp((*link)->id, id) == 0) {
      *out_link = link;
      return TUNE_OK;
    }
  return tune_status_make(TUNE_NOT_FOUND, "no task '%s' is open", id);
}

static tune_status serve_open(server *s, const json_t *request, json_t **out_reply) {
  const char *id;
  TUNE_RETURN_IF_ERROR(request_get_text(request, "task", &id));
  task **link;
  tune_status missing = find_task(s, request, &link);
  if (tune_status_is_ok(missing))
    return tune_status_make(TUNE_ALREADY_EXISTS, "task '%s' is open", id);
  tune_status_free(missing);
  child_watch watch = watch_of(s);
  task *opened;
  TUNE_RETURN_IF_ERROR(task_create(request, &watch, &opened));
  opened->id = strdup(id);
  if (!opened->id) {
    task_destroy(opened);
    return tune_status_out_of_memory("opening a task");
  }
  opened->next = s->tasks;
  s->tasks = opened;
  *out_reply = json_pack("{sfsf}", "reference_seconds", opened->reference_seconds, "nan_share",
                         opened->nan_share);
  return TUNE_OK;
}

static tune_status serve_close(server *s, const json_t *request, json_t **out_reply) {
  task **link;
  TUNE_RETURN_IF_ERROR(find_task(s, request, &link));
  task *closed = *link;
  *link = closed->next;
  task_destroy(closed);
  *out_reply = json_object();
  return TUNE_OK;
}

static tune_status serve_measure(server *s, const json_t *request, json_t **out_reply) {
  task **link;
  TUNE_RETURN_IF_ERROR(find_task(s, request, &link));
  child_watch watch = watch_of(s);
  return trial_measure_in_child(*link, request, &watch, out_reply);
}

static void destroy_folders(const char **folders, size_t count) {
  for (size_t i = 0; i < count; ++i)
    free((char *)folders[i]);
  free(folders);
}

// The folders of `outputs`, which the child writes, into its limits; they belong to `*out_folders`.
static tune_status find_folders(const json_t *outputs, const char ***out_folders,
                                child_limits *limits) {
  size_t count = json_array_size(outputs);
  *out_folders = calloc(count + 1, sizeof **out_folders);
  if (!*out_folders)
    return tune_status_out_of_memory("comparing");
  limits->writable = *out_folders;
  for (size_t i = 0; i < count; ++i) {
    const char *path = json_string_value(json_array_get(outputs, i));
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!path)
      continue;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!folder)
      return tune_status_out_of_memory("comparing");
    (*out_folders)[limits->writable_count++] = folder;
  }
  return TUNE_OK;
}

// Measures "artifacts" interleaved, for compare, which is about what is faster than the first, and
// run.
static tune_status compare(server *s, const json_t *request, const task *t, const json_t *outputs,
                           bool only_faster, json_t **out_reply) {
  const json_t *artifacts = json_object_get(request, "artifacts");
  size_t count = json_array_size(artifacts);
  if (count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"artifacts\" is not an array of paths");
  child_limits limits;
  trial_order order = {.of = t, .artifact_count = count, .outputs = outputs};
  TUNE_RETURN_IF_ERROR(task_read_limits(request, t, COMPARE_SECONDS, &limits));
  TUNE_RETURN_IF_ERROR(task_read_measure_options(request, &order.options));
  order.artifacts = calloc(count, sizeof *order.artifacts);
  tune_status status = order.artifacts ? TUNE_OK : tune_status_out_of_memory("comparing");
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i) {
    order.artifacts[i] = json_string_value(json_array_get(artifacts, i));
    if (!order.artifacts[i])
      status = tune_status_make(TUNE_INVALID_ARGUMENT, "\"artifacts\" is not an array of paths");
  }
  const char **folders = NULL;
  if (tune_status_is_ok(status))
    status = find_folders(outputs, &folders, &limits);
  child_watch watch = watch_of(s);
  if (tune_status_is_ok(status))
    status = compare_in_loads(&order, only_faster, &limits, &watch, out_reply);
  destroy_folders(folders, limits.writable_count);
  free(order.artifacts);
  return status;
}

static tune_status serve_compare(server *s, const json_t *request, json_t **out_reply) {
  task **link;
  TUNE_RETURN_IF_ERROR(find_task(s, request, &link));
  return compare(s, request, *link, NULL, true, out_reply);
}

static tune_status check_outputs(const json_t *outputs, const task *t) {
  if (!outputs || json_is_null(outputs))
    return TUNE_OK;
  size_t count = tune_signature_output_count(&t->signature);
  if (!json_is_array(outputs) || json_array_size(outputs) > count)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"outputs\" is not an array of at most %zu paths", count);
  return TUNE_OK;
}

static json_t *shapes_to_json(const task *t) {
  json_t *shapes = json_array();
  for (size_t i = 0; i < t->signature.argument_count; ++i) {
    json_t *shape = json_array();
    for (size_t d = 0; d < t->dense.values[i].type.rank; ++d)
      json_array_append_new(shape, json_integer(t->dense.values[i].type.shape[d]));
    json_array_append_new(shapes, shape);
  }
  return shapes;
}

static tune_status serve_run(server *s, const json_t *request, json_t **out_reply) {
  child_watch watch = watch_of(s);
  task *t;
  TUNE_RETURN_IF_ERROR(task_create(request, &watch, &t));
  const json_t *outputs = json_object_get(request, "outputs");
  tune_status status = check_outputs(outputs, t);
  if (tune_status_is_ok(status))
    status = compare(s, request, t, outputs, false, out_reply);
  if (tune_status_is_ok(status) && *out_reply) {
    json_object_set_new(*out_reply, "shapes", shapes_to_json(t));
    if (t->has_reference)
      json_object_update_new(*out_reply,
                             json_pack("{sfsf}", "reference_seconds", t->reference_seconds,
                                       "nan_share", t->nan_share));
  }
  task_destroy(t);
  return status;
}

static tune_status serve_fingerprint(server *s, const json_t *request, json_t **out_reply) {
  child_watch watch = watch_of(s);
  return device_ask(request, false, &watch, out_reply);
}

static tune_status serve_roofline(server *s, const json_t *request, json_t **out_reply) {
  child_watch watch = watch_of(s);
  return device_ask(request, true, &watch, out_reply);
}

//===- The loop -----------------------------------------------------------------------------===//

static const struct {
  const char *name;
  tune_status (*serve)(server *s, const json_t *request, json_t **out_reply);
} verbs[] = {
    {"open", serve_open},         {"close", serve_close}, {"measure", serve_measure},
    {"compare", serve_compare},   {"run", serve_run},     {"fingerprint", serve_fingerprint},
    {"roofline", serve_roofline},
};

static tune_status serve(server *s, const json_t *request) {
  const char *verb = json_string_value(json_object_get(request, "do"));
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
    TUNE_RETURN_IF_ERROR(
        answer(s, json_array_get(s->queue, 0), json_pack("{ss}", "verdict", "cancelled")));
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
