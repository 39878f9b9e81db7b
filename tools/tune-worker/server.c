//===- server.c - tune-worker as a server -------------------------------------------===//

#include "tools/tune-worker/server.h"

#include "formats/worker_requests.h"
#include "support/clock.h"
#include "tools/tune-worker/build_child.h"
#include "tools/tune-worker/candidates.h"
#include "tools/tune-worker/context.h"
#include "tools/tune-worker/opened_tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct tune_server {
  int in;
  int out;
  tune_message_reader reader;
  MlirContext context;
  opened_tasks opened;
  build_child **children;
  size_t child_count;
  struct pollfd *polls; // room for 1 + 2 per child
  size_t poll_capacity;
} tune_server;

//===--------------------------------------------------------------------------------===//
// Requests
//===--------------------------------------------------------------------------------===//

static tune_status serve_open(tune_server *server, json_t *object) {
  tune_open_source_request request;
  TUNE_RETURN_IF_ERROR(tune_open_source_request_from_json(object, &request));
  json_t *reply;
  tune_status status = opened_tasks_open(&server->opened, &request, object, &reply);
  tune_open_source_request_deinit(&request);
  TUNE_RETURN_IF_ERROR(status);
  status = tune_message_write(server->out, reply);
  json_decref(reply);
  return status;
}

static tune_status take_emit(const char *name, build_order *order) {
  static const struct {
    const char *name;
    tune_emit emit;
    bool is_artifact;
  } FORMS[] = {{"so", TUNE_EMIT_OBJECT, true},
               {"obj", TUNE_EMIT_OBJECT, false},
               {"asm", TUNE_EMIT_ASSEMBLY, false},
               {"llvm", TUNE_EMIT_LLVM, false},
               {"cubin", TUNE_EMIT_CUBIN, true}};
  for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; ++i)
    if (strcmp(name ? name : "so", FORMS[i].name) == 0) {
      order->emit = FORMS[i].emit;
      order->is_artifact = FORMS[i].is_artifact;
      return TUNE_OK;
    }
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "\"emit\": \"%s\" is none of so, obj, asm, llvm, cubin", name);
}

// Makes room for one more child before it is started, so that none is lost.
static tune_status grow(tune_server *server) {
  size_t count = server->child_count + 1;
  build_child **children = realloc(server->children, count * sizeof *children);
  if (!children)
    return tune_status_out_of_memory("serving a request");
  server->children = children;
  if (server->poll_capacity >= 1 + 2 * count)
    return TUNE_OK;
  struct pollfd *polls = realloc(server->polls, (1 + 2 * count) * sizeof *polls);
  if (!polls)
    return tune_status_out_of_memory("serving a request");
  server->polls = polls;
  server->poll_capacity = 1 + 2 * count;
  return TUNE_OK;
}

// `wanted` is what `request` says.
static tune_status start_build(tune_server *server, const tune_build_request *wanted,
                               json_t *request, build_child **out_child) {
  const tune_limits *limits = &wanted->limits;
  const opened_task *task = opened_tasks_find(&server->opened, wanted->task);
  if (!task)
    return tune_status_make(TUNE_NOT_FOUND, "no task \"%s\" is open", wanted->task);
  const opened_target *target = &server->opened.targets[task->target];
  build_order order = {.task = task->task,
                       .module = task->module,
                       .lowering = target->lowering,
                       .linker = target->linker,
                       .output = wanted->output,
                       .seconds =
                           limits->seconds > 0 ? limits->seconds : TUNE_UNASKED_BUILD_SECONDS,
                       .bytes = limits->bytes > 0 ? limits->bytes : TUNE_BUILD_BYTES,
                       .cpus = wanted->cpus,
                       .yields = wanted->yields,
                       .set_aside = wanted->set_aside,
                       .times_tasks = wanted->times_tasks,
                       .choices = wanted->choices};
  TUNE_RETURN_IF_ERROR(take_emit(wanted->emit, &order));
  tune_config config = {0};
  if (wanted->config) {
    TUNE_RETURN_IF_ERROR(
        tune_config_from_json(&config, tune_build_task_get_space(order.task), wanted->config));
    order.config = &config;
  }
  tune_status status = grow(server);
  if (tune_status_is_ok(status))
    status = build_child_start(&order, request, out_child);
  tune_config_deinit(&config);
  return status;
}

static tune_status serve_build(tune_server *server, json_t *object, bool is_again) {
  tune_build_request request;
  build_child *child = NULL;
  TUNE_RETURN_IF_ERROR(tune_build_request_from_json(object, &request));
  tune_status status = start_build(server, &request, object, &child);
  tune_build_request_deinit(&request);
  TUNE_RETURN_IF_ERROR(status);
  child->is_again = is_again;
  server->children[server->child_count++] = child;
  return TUNE_OK;
}

static void cancel(tune_server *server) {
  for (size_t i = 0; i < server->child_count; ++i) {
    server->children[i]->cancelled = true;
    build_child_kill(server->children[i]);
  }
}

static tune_status serve_candidates(tune_server *server, const json_t *object) {
  tune_candidates_request request;
  json_t *reply;
  TUNE_RETURN_IF_ERROR(tune_candidates_request_from_json(object, &request));
  tune_status status = candidates_list(server->context, &request, &reply);
  tune_candidates_request_deinit(&request);
  TUNE_RETURN_IF_ERROR(status);
  status = tune_message_write(server->out, reply);
  json_decref(reply);
  return status;
}

// Answers `request` with `status`, a failure, which it takes. Whoever waits for a task or a ticket
// has to see that this is the answer.
static tune_status answer_failure(tune_server *server, const json_t *request, tune_status status) {
  json_t *reply = NULL;
  tune_status made = tune_message_from_status(status, &reply);
  tune_status_free(status);
  TUNE_RETURN_IF_ERROR(made);
  tune_reply_echo_one(request, reply);
  status = tune_message_write(server->out, reply);
  json_decref(reply);
  return status;
}

static tune_status serve_verb(tune_server *server, const char *verb, json_t *request) {
  if (!verb)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"do\": expected a string");
  if (strcmp(verb, TUNE_DO_OPEN) == 0)
    return serve_open(server, request);
  if (strcmp(verb, TUNE_DO_BUILD) == 0)
    return serve_build(server, request, false);
  if (strcmp(verb, TUNE_DO_CANDIDATES) == 0)
    return serve_candidates(server, request);
  if (strcmp(verb, TUNE_DO_CANCEL) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"do\": \"%s\" is not a request; there are open, build, cancel, "
                            "candidates",
                            verb);
  cancel(server);
  return TUNE_OK;
}

static tune_status serve_request(tune_server *server, json_t *request) {
  tune_status status = serve_verb(server, tune_request_verb(request), request);
  return tune_status_is_ok(status) ? TUNE_OK : answer_failure(server, request, status);
}

//===--------------------------------------------------------------------------------===//
// Waiting
//===--------------------------------------------------------------------------------===//

// Serves what has been read. True in `*out_ended` where the driver has closed its side.
static tune_status serve_requests(tune_server *server, bool *out_ended) {
  TUNE_RETURN_IF_ERROR(tune_message_reader_fill(&server->reader, server->in));
  for (;;) {
    json_t *request = NULL;
    tune_status status = tune_message_reader_pop(&server->reader, &request);
    if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
      tune_status_free(status);
      *out_ended = true;
      return TUNE_OK;
    }
    if (!tune_status_is_ok(status) || !request)
      return status;
    status = serve_request(server, request);
    json_decref(request);
    TUNE_RETURN_IF_ERROR(status);
  }
}

// Whether the next child may do better than this one, whose reply is `reply`: it was to build a
// module, and died of one of its tasks, which gets another schedule.
static bool is_mended(tune_server *server, const build_child *child, const json_t *reply) {
  const char *how = json_string_value(json_object_get(reply, "error"));
  tune_build_request request;
  tune_status status = tune_build_request_from_json(child->request, &request);
  bool is_mended = false;
  if (tune_status_is_ok(status) && child->has_crashed && request.config && how) {
    const opened_task *task = opened_tasks_find(&server->opened, request.task);
    is_mended = task && task->module && opened_module_mend(task->module, how);
  }
  if (tune_status_is_ok(status))
    tune_build_request_deinit(&request);
  tune_status_free(status); // it was fine before
  return is_mended;
}

// Answers for a child that has ended. One that something else has killed is started once more: that
// may have been no fault of its own.
static tune_status serve_end(tune_server *server, build_child *child) {
  json_t *reply = build_child_collect(child);
  tune_status status;
  bool is_killed = child->was_killed && !child->is_again;
  if (is_killed || is_mended(server, child, reply)) {
    status = serve_build(server, child->request, is_killed);
    if (!tune_status_is_ok(status))
      status = answer_failure(server, child->request, status);
  } else {
    status = reply ? tune_message_write(server->out, reply)
                   : tune_status_out_of_memory("serving a request");
  }
  json_decref(reply);
  return status;
}

// Answers for the children that have ended, after the poll that `polled` of them took part in.
static tune_status serve_children(tune_server *server, size_t polled) {
  tune_status status = TUNE_OK;
  size_t kept = 0;
  for (size_t i = 0; i < server->child_count; ++i) {
    build_child *child = server->children[i];
    const struct pollfd *polls = &server->polls[1 + 2 * i];
    bool ended = false;
    if (i < polled && polls[1].revents && child->log >= 0)
      build_child_read_log(child);
    if (i < polled && polls[0].revents)
      ended = build_child_read_report(child);
    if (!ended) {
      server->children[kept++] = child;
      continue;
    }
    if (tune_status_is_ok(status))
      status = serve_end(server, child);
    build_child_destroy(child);
  }
  server->child_count = kept;
  return status;
}

// Kills what is over its time; returns the milliseconds to the next deadline, or -1.
static int watch_deadlines(tune_server *server) {
  double now = tune_clock_seconds(), next = INFINITY;
  for (size_t i = 0; i < server->child_count; ++i) {
    build_child *child = server->children[i];
    if (child->timed_out || child->cancelled)
      continue; // its end is on the way
    if (child->deadline <= now) {
      child->timed_out = true;
      build_child_kill(child);
    } else if (child->deadline < next) {
      next = child->deadline;
    }
  }
  return isfinite(next) ? (int)fmin(ceil((next - now) * 1e3), 1e9) : -1;
}

static tune_status serve(tune_server *server) {
  for (bool ended = false; !ended;) {
    int timeout = watch_deadlines(server);
    size_t polled = server->child_count;
    server->polls[0] = (struct pollfd){.fd = server->in, .events = POLLIN};
    for (size_t i = 0; i < polled; ++i) {
      server->polls[1 + 2 * i] =
          (struct pollfd){.fd = server->children[i]->report, .events = POLLIN};
      server->polls[2 + 2 * i] = (struct pollfd){.fd = server->children[i]->log, .events = POLLIN};
    }
    if (poll(server->polls, 1 + 2 * polled, timeout) < 0) {
      if (errno == EINTR)
        continue;
      return tune_status_from_errno(errno, "waiting for requests");
    }
    TUNE_RETURN_IF_ERROR(serve_children(server, polled));
    if (server->polls[0].revents)
      TUNE_RETURN_IF_ERROR(serve_requests(server, &ended));
  }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------------===//

// Messages go out on a descriptor of their own: what a pass prints to stdout is a log.
static tune_status take_stdout(tune_server *server) {
  server->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (server->out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return tune_status_from_errno(errno, "taking stdout");
  return TUNE_OK;
}

static tune_status start(tune_server *server) {
  char *driver = NULL;
  TUNE_RETURN_IF_ERROR(take_stdout(server));
  tune_status status = tune_message_handshake(server->in, server->out, "tune-worker", &driver);
  free(driver);
  TUNE_RETURN_IF_ERROR(status);
  server->polls = calloc(1, sizeof *server->polls);
  server->poll_capacity = 1;
  TUNE_RETURN_IF_ERROR(server->polls ? TUNE_OK : tune_status_out_of_memory("serving a request"));
  TUNE_RETURN_IF_ERROR(tune_worker_context_create(&server->context));
  server->opened.context = server->context;
  return TUNE_OK;
}

static void stop(tune_server *server) {
  for (size_t i = 0; i < server->child_count; ++i)
    build_child_destroy(server->children[i]);
  opened_tasks_deinit(&server->opened);
  if (!mlirContextIsNull(server->context))
    mlirContextDestroy(server->context);
  free(server->children);
  free(server->polls);
  tune_message_reader_deinit(&server->reader);
  if (server->out >= 0)
    close(server->out);
}

tune_status server_run(void) {
  tune_server server = {.in = STDIN_FILENO, .out = -1};
  tune_message_reader_init(&server.reader);
  tune_status status = start(&server);
  if (tune_status_is_ok(status))
    status = serve(&server);
  stop(&server);
  // A driver that went away while it was answered has ended like one that closed its side.
  if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    tune_status_free(status);
    status = TUNE_OK;
  }
  return status;
}
