//===- build_child.c - A build in a process of its own ------------------------------===//

#include "tools/tune-worker/build_child.h"

#include "formats/worker_replies.h"
#include "support/clock.h"
#include "support/digest.h"
#include "support/file.h"
#include "support/process.h"
#include "tools/tune-worker/build_sandbox.h"
#include "tuning/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ERROR_LIMIT 4096 // bytes of a message that the driver gets

//===--------------------------------------------------------------------------------===//
// In the child
//===--------------------------------------------------------------------------------===//

// The kernel kills at the hard limit of CPU time without saying why; the soft one, a little before,
// is a signal of its own.
static void limit(int resource, double value) {
  struct rlimit limit = {.rlim_cur = (rlim_t)value,
                         .rlim_max = (rlim_t)value + (resource == RLIMIT_CPU)};
  setrlimit(resource, &limit);
}

static void limit_address_space(double bytes) {
#if defined(__SANITIZE_ADDRESS__)
  (void)bytes; // its shadow memory is larger than any limit
#else
  FILE *file = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file && fscanf(file, "%lu", &pages) == 1)
    limit(RLIMIT_AS, bytes + (double)pages * (double)sysconf(_SC_PAGESIZE));
  if (file)
    fclose(file);
#endif
}

static void limit_cpus(const tune_int_list *cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (size_t i = 0; i < cpus->count; ++i)
    if (cpus->items[i] >= 0 && cpus->items[i] < CPU_SETSIZE)
      CPU_SET((size_t)cpus->items[i], &set);
  // Where none of them exists the build goes on where it may.
  if (CPU_COUNT(&set) > 0)
    sched_setaffinity(0, sizeof set, &set);
}

static void enter_child(const build_order *order, pid_t parent, int log) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1); // it died between fork and prctl
  signal(SIGPIPE, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_IGN); // Ctrl-C on the terminal is the driver's to handle
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, ceil(order->seconds) + 1);
  limit_address_space(order->bytes);
  limit_cpus(&order->cpus);
  if (order->yields)
    (void)!nice(TUNE_BESIDE_NICENESS);
}

static tune_status write_output(const build_order *order, const worker_output *output,
                                const tune_code *code) {
  const char *path = worker_output_path(output);
  bool is_linked =
      order->is_artifact && tune_lowering_makes_objects(order->lowering, !order->config);
  return is_linked ? tune_linker_run(order->linker, code->bytes, code->size, path)
                   : tune_file_write(path, code->bytes, code->size);
}

static tune_status make_code(const build_order *order, tune_code *out_code,
                             tune_build_fallback_list *out_fallbacks) {
  *out_code = (tune_code){.bytes = NULL};
  *out_fallbacks = (tune_build_fallback_list){.count = 0};
  if (!order->module || !order->config)
    return tune_build_task_run(order->task, order->lowering, order->config, order->emit, out_code);
  TUNE_RETURN_IF_ERROR(opened_module_choose(order->module, &order->choices));
  TUNE_RETURN_IF_ERROR(opened_module_set_aside(order->module, &order->set_aside));
  return opened_module_build(order->module, order->lowering, order->emit, order->times_tasks,
                             out_code, out_fallbacks);
}

static tune_status report_build(const tune_code *code, double link_seconds,
                                const tune_build_fallback_list *fallbacks, bool is_idle,
                                json_t **out_message) {
  const tune_code_report *report = &code->report;
  tune_digest digest = tune_digest_of_bytes(code->bytes, code->size);
  const tune_code_features features = {.registers = (int64_t)report->assembled.registers,
                                       .spilled_bytes = (int64_t)report->assembled.spilled,
                                       .shared_bytes = (int64_t)report->assembled.shared_bytes};
  json_t *takes = tune_code_features_to_json(&features);
  tune_build_reply reply = {.verdict = TUNE_SAID_BUILT,
                            .digest = digest.text,
                            .has_seconds = true,
                            .seconds = {.transform = report->transform,
                                        .lower = report->lower,
                                        .optimize = report->optimize,
                                        .codegen = report->codegen,
                                        .link = link_seconds},
                            .packs_ahead = report->packs_ahead,
                            .packs_at_load = report->packs_at_load && !report->packs_ahead,
                            .has_arena = report->arena.size > 0,
                            .arena = {.size = report->arena.size,
                                      .bound = report->arena.bound,
                                      .separate = report->arena.separate},
                            .code = takes,
                            .fallbacks = *fallbacks,
                            .idle_schedule = is_idle};
  tune_status status = tune_build_reply_to_json(&reply, out_message);
  json_decref(takes);
  return status;
}

static tune_status build(const build_order *order, const worker_output *output,
                         json_t **out_message) {
  tune_code code;
  tune_build_fallback_list fallbacks;
  tune_status status = make_code(order, &code, &fallbacks);
  double start = tune_clock_seconds();
  if (tune_status_is_ok(status))
    status = write_output(order, output, &code);
  bool is_idle = false;
  if (tune_status_is_ok(status) && order->module && order->config)
    status = opened_module_find_idle(order->module, &is_idle);
  if (tune_status_is_ok(status))
    status = report_build(&code, tune_clock_seconds() - start, &fallbacks, is_idle, out_message);
  tune_code_deinit(&code);
  return status;
}

// A reply of these members alone. NULL where there is no memory for it, or `error` is not UTF-8.
static json_t *make_reply(const char *verdict, const char *error) {
  json_t *message;
  tune_build_reply reply = {.verdict = verdict, .error = error};
  tune_status_free(tune_build_reply_to_json(&reply, &message));
  return message;
}

// The most of `text` that fits, on a character's border of UTF-8.
static size_t bounded_length(const char *text) {
  size_t length = strlen(text);
  if (length <= ERROR_LIMIT)
    return length;
  length = ERROR_LIMIT;
  while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
    --length;
  return length;
}

// A full disk or too many processes are no fault of the config, and may be mended: no verdict,
// which would be kept, but an error.
static bool is_of_machine(tune_status status) {
  return tune_status_get_code(status) == TUNE_RESOURCE_EXHAUSTED;
}

// NULL where there is no memory for it.
static json_t *describe_failure(tune_status status) {
  json_t *message = NULL;
  if (is_of_machine(status)) {
    tune_status_free(tune_message_from_status(status, &message));
    return message;
  }
  const char *whole = tune_status_get_message(status);
  char text[ERROR_LIMIT + 1];
  snprintf(text, sizeof text, "%.*s", (int)bounded_length(whole), whole);
  message = make_reply("build-failed", text);
  if (!message) // not UTF-8
    message = make_reply("build-failed", tune_status_code_name(tune_status_get_code(status)));
  return message;
}

_Noreturn static void run_child(const build_order *order, const worker_output *output, int report) {
  json_t *message = NULL;
  tune_status status = build_sandbox_enter(worker_output_path(output), report);
  if (tune_status_is_ok(status))
    status = build(order, output, &message);
  if (!tune_status_is_ok(status))
    message = describe_failure(status);
  status = message ? tune_message_write(report, message)
                   : tune_status_out_of_memory("reporting a build");
  _exit(tune_status_is_ok(status) ? 0 : 1);
}

//===--------------------------------------------------------------------------------===//
// In the parent
//===--------------------------------------------------------------------------------===//

static tune_status make_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC) == 0)
    return TUNE_OK;
  ends[0] = ends[1] = -1;
  return tune_status_from_errno(errno, "starting a build");
}

static tune_status start(const build_order *order, build_child *child) {
  int report[2], log[2] = {-1, -1};
  TUNE_RETURN_IF_ERROR(make_pipe(report));
  tune_status status = make_pipe(log);
  child->report = report[0];
  child->log = log[0];
  if (tune_status_is_ok(status)) {
    pid_t parent = getpid();
    child->pid = fork();
    if (child->pid == 0) {
      enter_child(order, parent, log[1]);
      run_child(order, child->output, report[1]);
    }
    if (child->pid < 0)
      status = tune_status_from_errno(errno, "starting a build");
  }
  close(report[1]);
  if (log[1] >= 0)
    close(log[1]);
  TUNE_RETURN_IF_ERROR(status);
  // Also here, so that the group is there whichever of the two comes first.
  setpgid(child->pid, child->pid);
  fcntl(child->log, F_SETFL, O_NONBLOCK);
  return TUNE_OK;
}

tune_status build_child_start(const build_order *order, json_t *request, build_child **out_child) {
  *out_child = NULL;
  build_child *child = calloc(1, sizeof *child);
  if (!child)
    return tune_status_out_of_memory("starting a build");
  child->report = child->log = -1;
  child->request = json_incref(request);
  child->seconds = order->seconds;
  child->deadline = tune_clock_seconds() + order->seconds;
  tune_message_reader_init(&child->reader);
  tune_status status = worker_output_create(order->output, false, &child->output);
  if (tune_status_is_ok(status))
    status = start(order, child);
  if (!tune_status_is_ok(status)) {
    build_child_destroy(child);
    return status;
  }
  *out_child = child;
  return TUNE_OK;
}

void build_child_destroy(build_child *child) {
  if (!child)
    return;
  if (child->pid > 0) {
    build_child_kill(child);
    while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
      continue;
  }
  if (child->report >= 0)
    close(child->report);
  if (child->log >= 0)
    close(child->log);
  tune_message_reader_deinit(&child->reader);
  json_decref(child->message);
  json_decref(child->request);
  worker_output_destroy(child->output);
  free(child);
}

void build_child_kill(build_child *child) {
  if (child->pid > 0)
    kill(-child->pid, SIGKILL);
}

void build_child_read_log(build_child *child) {
  char bytes[BUILD_CHILD_LOG];
  ssize_t count;
  while ((count = read(child->log, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR)) {
    if (count < 0)
      continue;
    size_t added = (size_t)count;
    size_t kept = child->tail_length + added > sizeof child->tail ? sizeof child->tail - added
                                                                  : child->tail_length;
    memmove(child->tail, child->tail + child->tail_length - kept, kept);
    memcpy(child->tail + kept, bytes, added);
    child->tail_length = kept + added;
  }
  if (count == 0) {
    close(child->log);
    child->log = -1;
  }
}

bool build_child_read_report(build_child *child) {
  tune_status status = tune_message_reader_fill(&child->reader, child->report);
  json_t *message = NULL;
  while (tune_status_is_ok(status)) {
    status = tune_message_reader_pop(&child->reader, &message);
    if (!tune_status_is_ok(status) || !message)
      break;
    json_decref(child->message);
    child->message = message;
  }
  // A child that dies while it writes leaves half a message; how it died says more.
  bool ended = !tune_status_is_ok(status);
  tune_status_free(status);
  return ended;
}

// "killed by SIGSEGV", with the last lines of what was printed.
static json_t *describe_crash(const build_child *child, int wait_status) {
  tune_process_exit end = {.by_signal = WIFSIGNALED(wait_status),
                           .code = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status)
                                                            : WEXITSTATUS(wait_status)};
  char how[64];
  tune_process_exit_describe(end, how);
  char text[BUILD_CHILD_LOG + 160];
  size_t length = child->tail_length;
  while (length && (child->tail[length - 1] == '\n' || child->tail[length - 1] == ' '))
    --length;
  const char *why = child->was_killed && child->is_again
                        ? " twice, most likely by the system, where memory ran out"
                        : "";
  int written = snprintf(text, sizeof text, "the build %s%s%s%.*s", how, why, length ? ": " : "",
                         (int)length, child->tail);
  // What a dying process prints need not be UTF-8, which JSON has to be.
  for (int i = 0; i < written && text[i]; ++i)
    if ((unsigned char)text[i] >= 0x80 || ((unsigned char)text[i] < ' ' && text[i] != '\n'))
      text[i] = '?';
  return make_reply("build-crashed", text);
}

// Whether a report, which may be a failure's as well, is that of a build that ended well.
static bool is_built(const json_t *message) {
  tune_build_reply reply;
  tune_status status = tune_build_reply_from_json(message, &reply);
  bool is_whole = tune_status_is_ok(status);
  bool ended_well = is_whole && strcmp(reply.verdict, TUNE_SAID_BUILT) == 0;
  tune_status_free(status);
  if (is_whole)
    tune_build_reply_deinit(&reply);
  return ended_well;
}

// The child's report, once what it built is where it is to be.
static json_t *commit(const build_child *child) {
  tune_status status = is_built(child->message) ? worker_output_commit(child->output) : TUNE_OK;
  if (tune_status_is_ok(status))
    return json_incref(child->message);
  json_t *reply = describe_failure(status);
  tune_status_free(status);
  return reply;
}

json_t *build_child_collect(build_child *child) {
  int wait_status = 0;
  while (waitpid(child->pid, &wait_status, 0) < 0 && errno == EINTR)
    continue;
  // The linker has a group of its own and dies with the child; nothing else is left in this one.
  child->pid = 0;
  if (child->log >= 0)
    build_child_read_log(child);

  json_t *reply;
  bool out_of_time =
      child->timed_out || (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGXCPU);
  child->was_killed = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL &&
                      !child->timed_out && !child->cancelled && !child->message;
  char text[96];
  snprintf(text, sizeof text, "the build took more than %g s and was stopped", child->seconds);
  if (child->cancelled)
    reply = make_reply("cancelled", NULL);
  else if (child->message)
    reply = commit(child);
  else if (out_of_time)
    reply = make_reply("build-timeout", text);
  else
    reply = describe_crash(child, wait_status);
  child->has_crashed = !child->cancelled && !child->message && !out_of_time && !child->was_killed;
  if (!reply)
    reply = make_reply("build-crashed", "the build died");
  tune_reply_echo_one(child->request, reply);
  // Without memory for it nobody learns of the second try, which is no reason to lose the reply.
  tune_status_free(tune_reply_add_head(&(tune_reply_head){.run_again = child->is_again}, reply));
  return reply;
}
