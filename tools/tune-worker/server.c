//===- server.c - tune-worker as a server -------------------------------------------===//

#include "tools/tune-worker/server.h"

#include "formats/worker_requests.h"
#include "support/clock.h"
#include "support/json.h"
#include "tools/tune-worker/build_child.h"
#include "tools/tune-worker/candidates.h"
#include "tools/tune-worker/context.h"
#include "tools/tune-worker/module.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SECONDS 60.0
#define DEFAULT_BYTES 4e9

// What builds for one target share.
typedef struct server_target {
  char *key;
  tune_lowering *lowering;
  tune_linker *linker;
} server_target;

typedef struct server_task {
  char *id;
  tune_build_task *task;
  size_t target; // index of its server_target
} server_task;

typedef struct tune_server {
  int in;
  int out;
  tune_message_reader reader;
  MlirContext context;
  server_target *targets;
  size_t target_count;
  server_task *tasks;
  size_t task_count;
  build_child **children;
  size_t child_count;
  struct pollfd *polls; // room for 1 + 2 per child
  size_t poll_capacity;
} tune_server;

//===--------------------------------------------------------------------------------===//
// Requests: open
//===--------------------------------------------------------------------------------===//

static tune_status make_target(tune_server *server, const tune_lowering_options *options,
                               server_target *target) {
  TUNE_RETURN_IF_ERROR(tune_lowering_create(server->context, options, &target->lowering));
  TUNE_RETURN_IF_ERROR(tune_linker_create(options->cpu.threads > 1, &target->linker));
  return tune_lowering_warm_up(target->lowering);
}

static void destroy_target(server_target *target) {
  tune_lowering_destroy(target->lowering);
  tune_linker_destroy(target->linker);
  free(target->key);
}

// What code is made for; a NULL `target` is the CPU.
static tune_status read_kind(const char *target, tune_target_kind *out_kind) {
  tune_target_name name;
  TUNE_RETURN_IF_ERROR(tune_target_name_init(&name, target ? target : "cpu"));
  *out_kind = name.kind;
  tune_target_name_deinit(&name);
  return TUNE_OK;
}

static tune_status find_target(tune_server *server, const tune_open_source_request *request,
                               size_t *out_index) {
  const tune_code_target *wanted = &request->target;
  tune_lowering_options options = {.device = wanted->device,
                                   .cpu = {.triple = wanted->triple,
                                           .cpu = wanted->cpu,
                                           .features = wanted->features,
                                           .threads = (int)request->threads}};
  const tune_cpu_options *cpu = &options.cpu;
  TUNE_RETURN_IF_ERROR(read_kind(wanted->name, &options.kind));
  char *key = NULL;
  char *device = tune_json_dump(options.device, JSON_COMPACT | JSON_SORT_KEYS);
  if (options.device && !device)
    return tune_status_out_of_memory("serving a request");
  int length =
      asprintf(&key, "%d|%s|%s|%s|%s|%s", (int)options.kind, cpu->triple ? cpu->triple : "",
               cpu->cpu ? cpu->cpu : "", cpu->features ? cpu->features : "",
               cpu->threads > 1 ? "threads" : "", device ? device : "");
  free(device);
  if (length < 0)
    return tune_status_out_of_memory("serving a request");
  for (size_t i = 0; i < server->target_count; ++i)
    if (strcmp(server->targets[i].key, key) == 0) {
      free(key);
      *out_index = i;
      return TUNE_OK;
    }
  server_target target = {.key = key};
  tune_status status = make_target(server, &options, &target);
  server_target *targets = NULL;
  if (tune_status_is_ok(status)) {
    targets = realloc(server->targets, (server->target_count + 1) * sizeof *targets);
    status = targets ? TUNE_OK : tune_status_out_of_memory("serving a request");
  }
  if (!tune_status_is_ok(status)) {
    destroy_target(&target);
    return status;
  }
  server->targets = targets;
  *out_index = server->target_count++;
  targets[*out_index] = target;
  return TUNE_OK;
}

static server_task *find_task(tune_server *server, const char *id) {
  for (size_t i = 0; i < server->task_count; ++i)
    if (strcmp(server->tasks[i].id, id) == 0)
      return &server->tasks[i];
  return NULL;
}

// Keeps `task` under `id`. A task opened before under that id goes; its builds have their own copy.
static tune_status keep_task(tune_server *server, const char *id, tune_build_task *task,
                             size_t target) {
  server_task *slot = find_task(server, id);
  if (slot) {
    tune_build_task_destroy(slot->task);
    slot->task = task;
    slot->target = target;
    return TUNE_OK;
  }
  server_task *tasks = realloc(server->tasks, (server->task_count + 1) * sizeof *tasks);
  char *copy = strdup(id);
  if (tasks)
    server->tasks = tasks;
  if (!tasks || !copy) {
    free(copy);
    tune_build_task_destroy(task);
    return tune_status_out_of_memory("serving a request");
  }
  tasks[server->task_count++] = (server_task){.id = copy, .task = task, .target = target};
  return TUNE_OK;
}

// Adds to `reply` what the request wants to know of the module, and schedules it if it is to be.
static tune_status look_into_module(const tune_open_source_request *request, tune_build_task *task,
                                    json_t *reply) {
  if (request->describe) {
    json_t *description;
    TUNE_RETURN_IF_ERROR(module_describe(task, &description));
    if (json_object_update_new(reply, description) != 0)
      return tune_status_out_of_memory("serving a request");
  }
  return request->has_module ? module_schedule(task, request, json_object_get(reply, "tasks"))
                             : TUNE_OK;
}

static tune_status open_task(tune_server *server, const tune_open_source_request *request) {
  // Without a text, the file of that name is read.
  if (!request->payload && !request->payload_source)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"payload\": expected a string");
  const char *payload_source = request->payload_source, *source_name = request->schedule_source;
  tune_build_source source = {.payload = request->payload,
                              .payload_source = payload_source ? payload_source : "payload.mlir",
                              .schedule = request->schedule,
                              .function = request->function,
                              .allowed_passes = request->allow_passes};
  if (source.schedule)
    source.schedule_source = source_name ? source_name : "schedule.mlir";
  size_t target = 0;
  TUNE_RETURN_IF_ERROR(find_target(server, request, &target));
  tune_build_task *task;
  TUNE_RETURN_IF_ERROR(tune_build_task_create(server->context, &source, &task));
  json_t *signature = NULL;
  tune_status status =
      tune_function_signature_to_json(tune_build_task_get_signature(task), &signature);
  json_t *reply = NULL;
  if (tune_status_is_ok(status)) {
    reply = json_pack("{s:s, s:o}", "task", request->task, "signature", signature);
    status = reply ? look_into_module(request, task, reply)
                   : tune_status_out_of_memory("serving a request");
  }
  if (tune_status_is_ok(status))
    status = keep_task(server, request->task, task, target);
  else
    tune_build_task_destroy(task);
  if (tune_status_is_ok(status))
    status = tune_message_write(server->out, reply);
  json_decref(reply);
  return status;
}

static tune_status serve_open(tune_server *server, const json_t *object) {
  tune_open_source_request request;
  TUNE_RETURN_IF_ERROR(tune_open_source_request_from_json(object, &request));
  tune_status status = open_task(server, &request);
  tune_open_source_request_deinit(&request);
  return status;
}

//===--------------------------------------------------------------------------------===//
// Requests: build, cancel
//===--------------------------------------------------------------------------------===//

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
  const server_task *task = find_task(server, wanted->task);
  if (!task)
    return tune_status_make(TUNE_NOT_FOUND, "no task \"%s\" is open", wanted->task);
  build_order order = {.task = task->task,
                       .lowering = server->targets[task->target].lowering,
                       .linker = server->targets[task->target].linker,
                       .output = wanted->output,
                       .seconds = limits->seconds > 0 ? limits->seconds : DEFAULT_SECONDS,
                       .bytes = limits->bytes > 0 ? limits->bytes : DEFAULT_BYTES,
                       .cpus = wanted->cpus};
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

// Answers for a child that has ended. One that something else has killed is started once more: that
// may have been no fault of its own.
static tune_status serve_end(tune_server *server, build_child *child) {
  json_t *reply = build_child_collect(child);
  tune_status status;
  if (child->was_killed && !child->is_again) {
    status = serve_build(server, child->request, true);
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
  return tune_worker_context_create(&server->context);
}

static void stop(tune_server *server) {
  for (size_t i = 0; i < server->child_count; ++i)
    build_child_destroy(server->children[i]);
  for (size_t i = 0; i < server->task_count; ++i) {
    tune_build_task_destroy(server->tasks[i].task);
    free(server->tasks[i].id);
  }
  for (size_t i = 0; i < server->target_count; ++i)
    destroy_target(&server->targets[i]);
  if (!mlirContextIsNull(server->context))
    mlirContextDestroy(server->context);
  free(server->children);
  free(server->tasks);
  free(server->targets);
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
