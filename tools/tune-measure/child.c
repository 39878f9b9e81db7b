//===- child.c - Running what may crash, hang or eat memory ---------------------------===//

#include "tools/tune-measure/child.h"
#include "support/clock.h"
#include "support/sandbox.h"
#include "support/string_builder.h"
#include "tools/tune-measure/cpu_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// A sanitizer reserves terabytes of address space, so that limits on it mean nothing.
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

#define LOG_KEPT 2000 // bytes of the end of what a child prints

typedef struct child {
  pid_t pid;
  int report, log; // ends of pipes to read
  tune_message_reader reader;
  char tail[LOG_KEPT];
  size_t tail_length;
  child_notes *notes;
} child;

//===- In the child --------------------------------------------------------------------===//

void child_notes_begin(child_notes *notes) { notes->began = tune_clock_seconds(); }

void child_notes_begin_beside(child_notes *notes) { notes->since = tune_clock_seconds(); }

double child_notes_end_beside(child_notes *notes) {
  double seconds = tune_clock_seconds() - notes->since;
  notes->beside += seconds;
  notes->since = 0;
  child_notes_begin(notes);
  return seconds;
}

// A signal handler has no other way to find them. NULL in the parent.
static child_notes *handler_notes;

static void note_crash(int signal, siginfo_t *info, void *context) {
  (void)context;
  child_notes *notes = handler_notes;
  notes->signal = signal;
  notes->address = info->si_addr;
  notes->is_wild = signal == SIGSEGV && info->si_code == SI_KERNEL;
  if (signal == SIGSYS)
    notes->call = info->si_syscall;
  if (notes->kernel) {
    size_t argument = 0;
    notes->place = notes->kernel->methods->locate(notes->kernel, info->si_addr, &argument);
    notes->argument = argument;
  }
  // SA_RESETHAND has put the default back: raised again on return, it ends the process.
  raise(signal);
}

static void catch_crashes(child_notes *notes) {
  handler_notes = notes;
  // A stack of its own, so that an overflow of the other is caught too.
  static char stack[64 << 10];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternative, NULL);
  struct sigaction action = {.sa_sigaction = note_crash,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER};
  const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    sigaction(signals[i], &action, NULL);
}

// As RLIMIT_AS and RLIMIT_DATA count.
static void memory_used(double *out_address_space, double *out_data) {
  FILE *file = fopen("/proc/self/statm", "re");
  size_t all = 0, data = 0;
  if (!file || fscanf(file, "%zu %*u %*u %*u %*u %zu", &all, &data) != 2)
    all = data = 0;
  if (file)
    fclose(file);
  *out_address_space = (double)all * (double)sysconf(_SC_PAGESIZE);
  *out_data = (double)data * (double)sysconf(_SC_PAGESIZE);
}

static void limit_resource(int resource, double soft, double hard) {
  struct rlimit limit = {(rlim_t)soft, (rlim_t)hard};
  struct rlimit present;
  if (getrlimit(resource, &present) == 0 && present.rlim_max < limit.rlim_max)
    limit.rlim_max = present.rlim_max;
  if (limit.rlim_cur > limit.rlim_max)
    limit.rlim_cur = limit.rlim_max;
  setrlimit(resource, &limit);
}

// Whatever the child notes, it has no more than these.
static double all_seconds(const child_limits *limits) {
  return limits->seconds * (double)(limits->runs ? limits->runs : 1);
}

static void apply_limits(const child_limits *limits) {
  limit_resource(RLIMIT_CORE, 0, 0);
  // The parent watches the wall clock; this is for where the parent is stopped itself. SIGXCPU
  // comes at the soft limit, SIGKILL at the hard one.
  double seconds = ceil(all_seconds(limits) * (double)(limits->threads + 1) + limits->beside) + 1;
  limit_resource(RLIMIT_CPU, seconds, seconds + 2);
  double address_space, data;
  memory_used(&address_space, &data);
  if (HAS_SANITIZER || !(limits->bytes > 0))
    return;
  if (limits->has_driver)
    limit_resource(RLIMIT_DATA, data + limits->bytes, data + limits->bytes);
  else
    limit_resource(RLIMIT_AS, address_space + limits->bytes, address_space + limits->bytes);
}

static void connect_streams(int log) {
  int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
}

static tune_status enter_sandbox(const child_limits *limits, int report) {
  if (!limits->has_candidate)
    return TUNE_OK;
  const int kept[] = {report, limits->kept_fd};
  tune_sandbox_close_descriptors(kept, sizeof kept / sizeof *kept);
  const tune_sandbox_options options = {.kind = limits->has_driver ? TUNE_SANDBOX_DRIVER
                                                                   : TUNE_SANDBOX_RUN,
                                        .writable = limits->writable,
                                        .writable_count = limits->writable_count};
  return tune_sandbox_enter(&options);
}

static void send_report(int fd, tune_status status, json_t *report) {
  if (!tune_status_is_ok(status)) {
    json_decref(report);
    report = NULL;
    tune_status_free(tune_message_from_status(status, &report));
    tune_status_free(status);
  }
  // Where even this fails the parent sees an end without a report.
  if (report)
    tune_status_free(tune_message_write(fd, report));
  json_decref(report);
}

static _Noreturn void be_child(child_body body, void *context, const child_limits *limits,
                               child_notes *notes, pid_t parent, int report_fd, int log) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  signal(SIGINT, SIG_IGN); // Ctrl-C is for the driver, which tells us
  connect_streams(log);
  apply_limits(limits);
  catch_crashes(notes);
  json_t *report = NULL;
  tune_status status = enter_sandbox(limits, report_fd);
  if (tune_status_is_ok(status))
    status = body(context, notes, &report);
  notes->kernel = NULL;
  notes->phase = "reporting";
  send_report(report_fd, status, report);
  _exit(0);
}

//===- In the parent -------------------------------------------------------------------===//

static void close_both(int pipe_fds[2]) {
  for (int i = 0; i < 2; ++i)
    if (pipe_fds[i] >= 0)
      close(pipe_fds[i]);
}

static tune_status start(child_body body, void *context, const child_limits *limits, child *out) {
  *out = (child){.pid = -1, .report = -1, .log = -1};
  tune_message_reader_init(&out->reader);
  void *shared =
      mmap(NULL, sizeof(child_notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return tune_status_from_errno(errno, "starting a child");
  out->notes = shared;
  out->notes->phase = "starting";
  int report[2] = {-1, -1}, log[2] = {-1, -1};
  if (pipe2(report, O_CLOEXEC) != 0 || pipe2(log, O_CLOEXEC) != 0) {
    tune_status status = tune_status_from_errno(errno, "starting a child");
    close_both(report);
    return status;
  }
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid == 0)
    be_child(body, context, limits, out->notes, parent, report[1], log[1]);
  int error = errno;
  close(report[1]);
  close(log[1]);
  out->report = report[0];
  out->log = log[0];
  if (pid < 0)
    return tune_status_from_errno(error, "starting a child");
  out->pid = pid;
  // Also set by the child: whoever comes first, the group is there before it may be killed.
  setpgid(pid, pid);
  fcntl(out->log, F_SETFL, O_NONBLOCK);
  return TUNE_OK;
}

// The child has been collected. LLVM's OpenMP runtime makes a file in /dev/shm for each process,
// and removes it when the process ends as it should, which a child does not.
static void forget(child *c) {
  char name[64];
  snprintf(name, sizeof name, "/__KMP_REGISTERED_LIB_%d_%d", (int)c->pid, (int)getuid());
  shm_unlink(name);
  c->pid = -1;
}

// Kills what is left of the child's group and collects the child.
static int stop(child *c) {
  int wait_status = 0;
  if (c->pid < 0)
    return 0;
  kill(-c->pid, SIGKILL);
  while (waitpid(c->pid, &wait_status, 0) < 0 && errno == EINTR)
    ;
  forget(c);
  return wait_status;
}

static void deinit(child *c) {
  stop(c);
  if (c->report >= 0)
    close(c->report);
  if (c->log >= 0)
    close(c->log);
  tune_message_reader_deinit(&c->reader);
  if (c->notes)
    munmap(c->notes, sizeof *c->notes);
}

// Keeps the end of what the child has printed so far.
static void read_log(child *c) {
  char bytes[4096];
  ssize_t count;
  while (c->log >= 0 && (count = read(c->log, bytes, sizeof bytes)) != 0) {
    if (count < 0) {
      if (errno == EINTR)
        continue;
      return; // nothing more for now
    }
    const char *kept = bytes;
    size_t length = (size_t)count;
    if (length > LOG_KEPT) {
      kept += length - LOG_KEPT;
      length = LOG_KEPT;
    }
    size_t drop = c->tail_length + length > LOG_KEPT ? c->tail_length + length - LOG_KEPT : 0;
    memmove(c->tail, c->tail + drop, c->tail_length - drop);
    memcpy(c->tail + c->tail_length - drop, kept, length);
    c->tail_length += length - drop;
  }
  if (c->log >= 0) {
    close(c->log);
    c->log = -1;
  }
}

static const char *place_name(tune_buffer_place place) {
  switch (place) {
  case TUNE_BUFFER_BEFORE:
    return "before the beginning of";
  case TUNE_BUFFER_AFTER:
    return "after the end of";
  default:
    return "in";
  }
}

static void append_log(tune_string_builder *text, const child *c) {
  size_t length = c->tail_length;
  while (length && (c->tail[length - 1] == '\n' || c->tail[length - 1] == ' '))
    --length;
  if (length == 0)
    return;
  tune_string_builder_append(text, "; it printed: ");
  tune_string_builder_append_bytes(text, c->tail, length);
}

// "SIGSEGV while running, at 0x10 …"
static tune_status describe_crash(const child *c, int wait_status, const child_limits *limits,
                                  char **out_error) {
  const child_notes *notes = c->notes;
  tune_string_builder text;
  tune_string_builder_init(&text);
  if (WIFSIGNALED(wait_status)) {
    const char *name = sigabbrev_np(WTERMSIG(wait_status));
    tune_string_builder_appendf(&text, "SIG%s while %s", name ? name : "?", notes->phase);
    if (WTERMSIG(wait_status) == SIGKILL)
      tune_string_builder_append(
          &text, " (killed twice, most likely by the system, where memory ran out)");
  } else {
    tune_string_builder_appendf(&text, "exited with status %d while %s", WEXITSTATUS(wait_status),
                                notes->phase);
  }
  if (notes->signal == SIGSYS) {
    const char *name = tune_sandbox_call_name(notes->call);
    tune_string_builder_appendf(&text,
                                ": it made the system call %d (%s), which is forbidden to "
                                "candidates",
                                (int)notes->call, name ? name : "?");
  }
  bool has_address = notes->signal == SIGSEGV || notes->signal == SIGBUS;
  if (has_address && notes->is_wild)
    tune_string_builder_append(&text, ", at an address that is not aligned as the code has it, or "
                                      "that this machine does not have");
  else if (has_address && notes->place != TUNE_BUFFER_ELSEWHERE)
    tune_string_builder_appendf(&text, ", %s argument %zu", place_name(notes->place),
                                notes->argument);
  else if (has_address)
    tune_string_builder_appendf(&text, ", at address %p", notes->address);
  bool is_null = !notes->is_wild && (uintptr_t)notes->address < 4096;
  if (has_address && is_null && limits->bytes > 0)
    tune_string_builder_appendf(&text, " (memory may have run out: the limit is %.3g bytes)",
                                limits->bytes);
  else if (has_address && notes->place == TUNE_BUFFER_ELSEWHERE)
    tune_string_builder_append(&text, " (an index may be beyond its tensor)");
  append_log(&text, c);
  return tune_string_builder_finish(&text, out_error);
}

static tune_status describe_timeout(const child *c, double seconds, char **out_error) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "still %s after %.3g s", c->notes->phase, seconds);
  return tune_string_builder_finish(&text, out_error);
}

// Whether the child has ended; it is still there to be collected.
static bool has_ended(const child *c) {
  siginfo_t info = {.si_pid = 0};
  if (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    return errno != EINTR;
  return info.si_pid != 0;
}

static void close_report(child *c) {
  close(c->report);
  c->report = -1;
}

// Waits for the report or the end of the child. `*out_end` is CHILD_CRASHED for an end without a
// report. That takes as long as it does: the system may be busy with what the child has had, and
// one that were killed meanwhile would no longer say what it died of. One that has closed the pipe
// and goes on has its time like any other.
static tune_status wait_for_report(child *c, const child_limits *limits, const child_watch *watch,
                                   child_end *out_end, json_t **out_report) {
  double start = tune_clock_seconds();
  bool watches = watch != NULL;
  for (;;) {
    double now = tune_clock_seconds(), since = c->notes->since;
    double left = start + all_seconds(limits) + c->notes->beside - now;
    if (limits->runs)
      left = fmin(left, fmax(start, c->notes->began) + limits->seconds - now);
    if (since > 0 && now - since < CHILD_MOST_BESIDE) // looked at again before long
      left = fmax(limits->seconds, 0.1);
    if (left <= 0) {
      *out_end = CHILD_TIMED_OUT;
      return TUNE_OK;
    }
    bool is_ending = c->report < 0;
    if (is_ending && has_ended(c)) {
      *out_end = CHILD_CRASHED;
      return TUNE_OK;
    }
    struct pollfd fds[3] = {{.fd = c->report, .events = POLLIN},
                            {.fd = c->log, .events = POLLIN},
                            {.fd = watches ? watch->fd : -1, .events = POLLIN}};
    int milliseconds = is_ending ? 1 : left > 3600 ? 3600000 : (int)ceil(left * 1e3);
    if (poll(fds, 3, milliseconds) < 0 && errno != EINTR)
      return tune_status_from_errno(errno, "waiting for a child");
    if (fds[1].revents)
      read_log(c);
    if (fds[2].revents && watch->ready(watch->context)) {
      *out_end = CHILD_CANCELLED;
      return TUNE_OK;
    }
    if (!fds[0].revents)
      continue;
    TUNE_RETURN_IF_ERROR(tune_message_reader_fill(&c->reader, c->report));
    tune_status status = tune_message_reader_pop(&c->reader, out_report);
    if (!tune_status_is_ok(status)) { // the end of the pipe, or half a report
      tune_status_free(status);
      close_report(c);
    }
    if (*out_report) {
      *out_end = CHILD_REPORTED;
      return TUNE_OK;
    }
  }
}

static tune_status conclude(child *c, const child_limits *limits, child_outcome *out) {
  if (out->end == CHILD_REPORTED)
    return tune_message_get_status(out->report);
  if (out->end == CHILD_CANCELLED)
    return TUNE_OK;
  if (out->end == CHILD_TIMED_OUT)
    return describe_timeout(c, limits->seconds, &out->error);
  int wait_status = stop(c);
  out->was_killed = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL;
  read_log(c);
  if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGXCPU) {
    out->end = CHILD_TIMED_OUT;
    return describe_timeout(c, limits->seconds, &out->error);
  }
  return describe_crash(c, wait_status, limits, &out->error);
}

static tune_status run_once(child_body body, void *context, const child_limits *limits,
                            const child_watch *watch, child_outcome *out_outcome) {
  child c;
  tune_status status = start(body, context, limits, &c);
  if (tune_status_is_ok(status))
    status = wait_for_report(&c, limits, watch, &out_outcome->end, &out_outcome->report);
  if (tune_status_is_ok(status)) {
    out_outcome->artifact = c.notes->artifact;
    status = conclude(&c, limits, out_outcome);
  }
  deinit(&c);
  if (!tune_status_is_ok(status))
    child_outcome_deinit(out_outcome);
  return status;
}

static tune_status run(child_body body, void *context, const child_limits *limits,
                       const child_watch *watch, child_outcome *out_outcome) {
  TUNE_RETURN_IF_ERROR(run_once(body, context, limits, watch, out_outcome));
  if (!out_outcome->was_killed)
    return TUNE_OK;
  child_outcome_deinit(out_outcome);
  TUNE_RETURN_IF_ERROR(run_once(body, context, limits, watch, out_outcome));
  out_outcome->was_run_again = true;
  return TUNE_OK;
}

// Once, to the log: what candidates are not kept from on this system.
static void tell_missing(void) {
  static bool was_told;
  char *missing = NULL;
  if (was_told)
    return;
  was_told = true;
  tune_status_free(tune_sandbox_describe(&missing));
  if (missing)
    fprintf(stderr, "tune-measure: %s\n", missing);
  free(missing);
}

tune_status child_run(child_body body, void *context, const child_limits *limits,
                      const child_watch *watch, child_outcome *out_outcome) {
  memset(out_outcome, 0, sizeof *out_outcome);
  if (limits->has_candidate)
    tell_missing();
  if (!limits->takes_time)
    return run(body, context, limits, watch, out_outcome);
  cpu_lock lock;
  bool has_fewer = limits->cpus && limits->cpu_count < limits->threads;
  size_t count = has_fewer ? limits->cpu_count : limits->threads;
  TUNE_RETURN_IF_ERROR(cpu_lock_acquire(limits->cpus, count, watch, &lock));
  if (lock.was_cancelled) {
    out_outcome->end = CHILD_CANCELLED;
    return TUNE_OK;
  }
  tune_status status = run(body, context, limits, watch, out_outcome);
  cpu_lock_release(&lock);
  out_outcome->waited = lock.waited;
  return status;
}

void child_outcome_deinit(child_outcome *outcome) {
  json_decref(outcome->report);
  free(outcome->error);
  memset(outcome, 0, sizeof *outcome);
}
