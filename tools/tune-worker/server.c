//===- server.c - tune-worker as a server -------------------------------------------===//

#include "tools/tune-worker/server.h"

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

// The string at `key`; NULL where it is null or absent. INVALID_ARGUMENT for anything else.
static tune_status get_string(const json_t *object, const char *key, bool required,
                              const char **out_text) {
  const json_t *value = json_object_get(object, key);
  *out_text = json_string_value(value);
  if (*out_text || (!required && (!value || json_is_null(value))))
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\": expected a string", key);
}

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

// The fingerprint of a device, or NULL where it is null or absent.
static tune_status get_device(const json_t *target, const json_t **out_device) {
  const json_t *device = json_object_get(target, "device");
  *out_device = json_is_object(device) ? device : NULL;
  if (*out_device || !device || json_is_null(device))
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT, "\"device\": expected a fingerprint");
}

// What code is made for; a NULL `target` is the CPU.
static tune_status read_kind(const char *target, tune_target_kind *out_kind) {
  tune_target_name name;
  TUNE_RETURN_IF_ERROR(tune_target_name_init(&name, target ? target : "cpu"));
  *out_kind = name.kind;
  tune_target_name_deinit(&name);
  return TUNE_OK;
}

static tune_status find_target(tune_server *server, const json_t *request, size_t *out_index) {
  const json_t *object = json_object_get(request, "target");
  const char *name;
  tune_lowering_options options = {.cpu.threads = 1};
  tune_cpu_options *cpu = &options.cpu;
  TUNE_RETURN_IF_ERROR(get_string(object, "name", false, &name));
  TUNE_RETURN_IF_ERROR(get_device(object, &options.device));
  TUNE_RETURN_IF_ERROR(get_string(object, "triple", false, &cpu->triple));
  TUNE_RETURN_IF_ERROR(get_string(object, "cpu", false, &cpu->cpu));
  TUNE_RETURN_IF_ERROR(get_string(object, "features", false, &cpu->features));
  TUNE_RETURN_IF_ERROR(read_kind(name, &options.kind));
  const json_t *threads = json_object_get(request, "threads");
  if (threads && (!json_is_integer(threads) || json_integer_value(threads) < 1 ||
                  json_integer_value(threads) > 4096))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"threads\": expected 1 to 4096");
  if (threads)
    cpu->threads = (int)json_integer_value(threads);

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
static tune_status look_into_module(const json_t *request, tune_build_task *task, json_t *reply) {
  if (json_is_true(json_object_get(request, "describe"))) {
    json_t *description;
    TUNE_RETURN_IF_ERROR(module_describe(task, &description));
    if (json_object_update_new(reply, description) != 0)
      return tune_status_out_of_memory("serving a request");
  }
  const json_t *module = json_object_get(request, "module");
  if (!module || json_is_null(module))
    return TUNE_OK;
  const json_t *target = json_object_get(request, "target");
  const json_t *threads = json_object_get(request, "threads");
  const char *name = json_string_value(json_object_get(target, "name"));
  module_target wanted = {.name = name ? name : "cpu",
                          .threads = threads ? (size_t)json_integer_value(threads) : 1};
  TUNE_RETURN_IF_ERROR(get_device(target, &wanted.device));
  TUNE_RETURN_IF_ERROR(get_string(request, "allow_passes", false, &wanted.allowed_passes));
  return module_schedule(task, module, &wanted, json_object_get(reply, "tasks"));
}

static tune_status open_task(tune_server *server, const json_t *request) {
  const char *id, *name;
  tune_build_source source = {.payload_source = "payload.mlir", .schedule_source = "schedule.mlir"};
  TUNE_RETURN_IF_ERROR(get_string(request, "task", true, &id));
  TUNE_RETURN_IF_ERROR(get_string(request, "payload_source", false, &name));
  // Without a text, the file of that name is read.
  TUNE_RETURN_IF_ERROR(get_string(request, "payload", !name, &source.payload));
  TUNE_RETURN_IF_ERROR(get_string(request, "schedule", false, &source.schedule));
  TUNE_RETURN_IF_ERROR(get_string(request, "function", false, &source.function));
  if (name)
    source.payload_source = name;
  TUNE_RETURN_IF_ERROR(get_string(request, "schedule_source", false, &name));
  if (name)
    source.schedule_source = name;
  if (!source.schedule)
    source.schedule_source = NULL;
  TUNE_RETURN_IF_ERROR(get_string(request, "allow_passes", false, &source.allowed_passes));
  size_t target = 0;
  TUNE_RETURN_IF_ERROR(find_target(server, request, &target));
  tune_build_task *task;
  TUNE_RETURN_IF_ERROR(tune_build_task_create(server->context, &source, &task));
  json_t *signature = NULL;
  tune_status status =
      tune_function_signature_to_json(tune_build_task_get_signature(task), &signature);
  json_t *reply = NULL;
  if (tune_status_is_ok(status)) {
    reply = json_pack("{s:s, s:o}", "task", id, "signature", signature);
    status = reply ? look_into_module(request, task, reply)
                   : tune_status_out_of_memory("serving a request");
  }
  if (tune_status_is_ok(status))
    status = keep_task(server, id, task, target);
  else
    tune_build_task_destroy(task);
  if (tune_status_is_ok(status))
    status = tune_message_write(server->out, reply);
  json_decref(reply);
  return status;
}

//===--------------------------------------------------------------------------------===//
// Requests: build, cancel
//===--------------------------------------------------------------------------------===//

static tune_status get_limit(const json_t *request, const char *name, double otherwise,
                             double *out_value) {
  const json_t *value = json_object_get(json_object_get(request, "limits"), name);
  *out_value = value ? json_number_value(value) : otherwise;
  if (*out_value > 0 && isfinite(*out_value))
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT, "limits: \"%s\": expected a number above 0", name);
}

static tune_status get_emit(const json_t *request, build_order *order) {
  static const struct {
    const char *name;
    tune_emit emit;
    bool is_artifact;
  } FORMS[] = {{"so", TUNE_EMIT_OBJECT, true},
               {"obj", TUNE_EMIT_OBJECT, false},
               {"asm", TUNE_EMIT_ASSEMBLY, false},
               {"llvm", TUNE_EMIT_LLVM, false},
               {"cubin", TUNE_EMIT_CUBIN, true}};
  const char *name;
  TUNE_RETURN_IF_ERROR(get_string(request, "emit", false, &name));
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

static tune_status build(tune_server *server, json_t *request, const json_t *ticket,
                         bool is_again) {
  const char *id;
  build_order order = {0};
  if (!json_is_integer(ticket))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"ticket\": expected a number");
  TUNE_RETURN_IF_ERROR(get_string(request, "task", true, &id));
  TUNE_RETURN_IF_ERROR(get_string(request, "output", true, &order.output));
  TUNE_RETURN_IF_ERROR(get_emit(request, &order));
  TUNE_RETURN_IF_ERROR(get_limit(request, "seconds", DEFAULT_SECONDS, &order.seconds));
  TUNE_RETURN_IF_ERROR(get_limit(request, "bytes", DEFAULT_BYTES, &order.bytes));
  const server_task *task = find_task(server, id);
  if (!task)
    return tune_status_make(TUNE_NOT_FOUND, "no task \"%s\" is open", id);
  order.task = task->task;
  order.lowering = server->targets[task->target].lowering;
  order.linker = server->targets[task->target].linker;
  order.cpus = json_object_get(request, "cpus");

  tune_config config = {0};
  const json_t *object = json_object_get(request, "config");
  if (object && !json_is_null(object)) {
    TUNE_RETURN_IF_ERROR(
        tune_config_from_json(&config, tune_build_task_get_space(order.task), object));
    order.config = &config;
  }
  tune_status status = grow(server);
  build_child *child = NULL;
  if (tune_status_is_ok(status))
    status = build_child_start(&order, json_integer_value(ticket), &child);
  if (tune_status_is_ok(status)) {
    child->request = json_incref(request);
    child->is_again = is_again;
    server->children[server->child_count++] = child;
  }
  tune_config_deinit(&config);
  return status;
}

static void cancel(tune_server *server) {
  for (size_t i = 0; i < server->child_count; ++i) {
    server->children[i]->cancelled = true;
    build_child_kill(server->children[i]);
  }
}

static tune_status list_candidates(tune_server *server, const json_t *request) {
  json_t *reply;
  TUNE_RETURN_IF_ERROR(candidates_list(server->context, request, &reply));
  tune_status status = tune_message_write(server->out, reply);
  json_decref(reply);
  return status;
}

// Answers `request` with `status`, a failure, which it takes.
static tune_status answer_failure(tune_server *server, const json_t *request, tune_status status) {
  json_t *reply = NULL;
  tune_status made = tune_message_from_status(status, &reply);
  tune_status_free(status);
  TUNE_RETURN_IF_ERROR(made);
  // Whoever waits for a task or a ticket has to see that this is the answer.
  const char *const names[] = {"ticket", "task"};
  for (size_t i = 0; i < 2; ++i) {
    json_t *value = json_object_get(request, names[i]);
    if (!value)
      continue;
    json_object_set(reply, names[i], value);
    break;
  }
  status = tune_message_write(server->out, reply);
  json_decref(reply);
  return status;
}

static tune_status serve_request(tune_server *server, json_t *request) {
  const json_t *ticket = json_object_get(request, "ticket");
  const char *what;
  tune_status status = get_string(request, "do", true, &what);
  if (!tune_status_is_ok(status))
    ;
  else if (strcmp(what, "open") == 0)
    status = open_task(server, request);
  else if (strcmp(what, "build") == 0)
    status = build(server, request, ticket, false);
  else if (strcmp(what, "cancel") == 0)
    cancel(server);
  else if (strcmp(what, "candidates") == 0)
    status = list_candidates(server, request);
  else
    status = tune_status_make(TUNE_INVALID_ARGUMENT,
                              "\"do\": \"%s\" is not a request; there are open, build, cancel, "
                              "candidates",
                              what);
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
    status = build(server, child->request, json_object_get(child->request, "ticket"), true);
    if (!tune_status_is_ok(status))
      status = answer_failure(server, child->request, status);
  } else {
    if (reply && child->is_again)
      json_object_set_new(reply, "run_again", json_true());
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
