//===- process.c --------------------------------------------------------------===//

#include "support/process.h"

#include "support/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Sparse, so that only what is written takes memory.
#define CAPTURE_LIMIT ((off_t)64 << 20)

extern char **environ;

struct tune_process {
  pid_t id;
  int in;      // our end of its stdin, or -1
  int out;     // our end of its stdout, or -1
  int capture; // the file its captured streams go to, or -1
  bool has_ended;
  tune_process_exit exit;
};

//===- Descriptors ------------------------------------------------------------===//

static void close_if_open(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

// Moves `*fd` above the three standard ones, where a parent that had closed some of those would
// otherwise get it, and where dup2 in the child would overwrite it.
static bool lift(int *fd) {
  if (*fd > STDERR_FILENO)
    return true;
  int lifted = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (lifted < 0)
    return false;
  close(*fd);
  *fd = lifted;
  return true;
}

static tune_status make_pipe(int *out_read, int *out_write) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return tune_status_from_errno(errno, "making a pipe");
  if (!lift(&ends[0]) || !lift(&ends[1])) {
    tune_status status = tune_status_from_errno(errno, "making a pipe");
    close(ends[0]);
    close(ends[1]);
    return status;
  }
  *out_read = ends[0];
  *out_write = ends[1];
  return TUNE_OK;
}

// A file in memory that cannot grow. The child writes at the offset it shares with us, so that the
// offset is the length of what was written, nobody has to drain it, and a child that writes without
// end gets an error instead of our memory.
static tune_status make_capture(int *out_file) {
  int file = memfd_create("mlir-tune-capture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0)
    return tune_status_from_errno(errno, "making a file in memory");
  if (!lift(&file) || TEMP_FAILURE_RETRY(ftruncate(file, CAPTURE_LIMIT)) != 0 ||
      fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    tune_status status = tune_status_from_errno(errno, "making a file in memory");
    close(file);
    return status;
  }
  *out_file = file;
  return TUNE_OK;
}

// What the child gets: descriptors that become its 0, 1 and 2 (-1: it keeps ours), and where it
// tells that it could not execute.
typedef struct child_streams {
  int fds[3];
  bool is_owned[3]; // to be closed here once the child has it
  int error_in;     // the child's end
  int error_out;    // ours
} child_streams;

static tune_status open_discard(child_streams *streams, int index) {
  int file = TEMP_FAILURE_RETRY(open("/dev/null", (index == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC));
  if (file < 0 || !lift(&file)) {
    tune_status status = tune_status_from_errno(errno, "opening /dev/null");
    close_if_open(&file);
    return status;
  }
  streams->fds[index] = file;
  streams->is_owned[index] = true;
  return TUNE_OK;
}

static tune_status open_stream(tune_process *process, child_streams *streams, int index,
                               tune_process_stream kind) {
  switch (kind) {
  case TUNE_PROCESS_INHERIT:
    return TUNE_OK;
  case TUNE_PROCESS_DISCARD:
    return open_discard(streams, index);
  case TUNE_PROCESS_PIPE:
    if (index == STDERR_FILENO)
      break;
    streams->is_owned[index] = true;
    return index == STDIN_FILENO ? make_pipe(&streams->fds[index], &process->in)
                                 : make_pipe(&process->out, &streams->fds[index]);
  case TUNE_PROCESS_CAPTURE:
    if (index == STDIN_FILENO)
      break;
    if (process->capture < 0)
      TUNE_RETURN_IF_ERROR(make_capture(&process->capture));
    streams->fds[index] = process->capture;
    return TUNE_OK;
  }
  return tune_status_make(TUNE_INVALID_ARGUMENT, "stream %d of a program cannot be of kind %d",
                          index, (int)kind);
}

static void close_child_ends(child_streams *streams) {
  for (int i = 0; i < 3; ++i)
    if (streams->is_owned[i])
      close_if_open(&streams->fds[i]);
  close_if_open(&streams->error_in);
}

//===- Environment ------------------------------------------------------------===//

static bool same_variable(const char *a, const char *b) {
  size_t length = strcspn(a, "=");
  return length == strcspn(b, "=") && memcmp(a, b, length) == 0;
}

static bool is_replaced(const char *variable, const char *const *replacements) {
  for (; *replacements; ++replacements)
    if (same_variable(variable, *replacements))
      return true;
  return false;
}

// An array of borrowed strings, to be freed; NULL where memory is short.
static char **make_environment(const char *const *additions) {
  size_t count = 1;
  for (char **variable = environ; variable && *variable; ++variable)
    ++count;
  for (const char *const *addition = additions; *addition; ++addition)
    ++count;
  char **environment = calloc(count, sizeof *environment);
  if (!environment)
    return NULL;
  size_t used = 0;
  for (char **variable = environ; variable && *variable; ++variable)
    if (!is_replaced(*variable, additions))
      environment[used++] = *variable;
  for (const char *const *addition = additions; *addition; ++addition)
    environment[used++] = (char *)*addition; // execve does not write to it
  return environment;
}

//===- The child --------------------------------------------------------------===//

typedef struct child_plan {
  const tune_process_options *options;
  char *const *environment;
  const child_streams *streams;
  pid_t parent;
} child_plan;

// A program expects to start with no signal blocked and, but for what its parents ignore on purpose
// (nohup), default actions. SIGPIPE is ignored by many programs for their own sake.
static void reset_signals(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_DFL &&
        (before.sa_handler != SIG_IGN || number == SIGPIPE))
      sigaction(number, &action, NULL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// Runs in the child of a vfork, in our memory: async-signal-safe calls only, no writes to what is
// ours, and no return.
static _Noreturn void become_program(const child_plan *plan) {
  if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
    goto failed;
  if (getppid() != plan->parent)
    _exit(127); // we were orphaned before the kernel knew that we want to go then
  for (int i = 0; i < 3; ++i)
    if (plan->streams->fds[i] >= 0 && TEMP_FAILURE_RETRY(dup2(plan->streams->fds[i], i)) < 0)
      goto failed;
  // Ours are close-on-exec already; those of the program that we are a library in may not be. An
  // older kernel without this call leaves them as they are.
  close_range(STDERR_FILENO + 1, UINT_MAX, CLOSE_RANGE_CLOEXEC);
  if (plan->options->directory && chdir(plan->options->directory) != 0)
    goto failed;
  reset_signals();
  // execve's types lack const for C's sake.
  execve(plan->options->arguments[0], (char *const *)plan->options->arguments, plan->environment);
failed:;
  int error = errno;
  ssize_t ignored = write(plan->streams->error_in, &error, sizeof error);
  (void)ignored;
  _exit(127);
}

// vfork, so that a process with gigabytes of memory need not copy its page tables. In a function of
// its own, because the child uses its caller's frame.
static __attribute__((noinline)) pid_t start_child(const child_plan *plan) {
  pid_t id = vfork();
  if (id == 0)
    become_program(plan);
  return id;
}

// The errno with which the child failed to execute, or 0.
static int read_child_error(int fd) {
  int error = 0;
  ssize_t count;
  do {
    count = read(fd, &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  return count == (ssize_t)sizeof error ? error : 0;
}

static tune_status launch(tune_process *process, const tune_process_options *options,
                          char *const *environment, child_streams *streams) {
  const child_plan plan = {
      .options = options, .environment = environment, .streams = streams, .parent = getpid()};
  // No handler of ours may run in the child while it shares our memory.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t id = start_child(&plan);
  int start_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close_child_ends(streams);
  if (id < 0)
    return tune_status_from_errno(start_error, "starting a process");
  process->id = id;
  int error = read_child_error(streams->error_out);
  if (error) {
    while (waitpid(id, NULL, 0) < 0 && errno == EINTR) {
    }
    return tune_status_from_errno(error, "executing it");
  }
  return TUNE_OK;
}

static tune_status start_with_streams(tune_process *process, const tune_process_options *options,
                                      child_streams *streams) {
  TUNE_RETURN_IF_ERROR(open_stream(process, streams, STDIN_FILENO, options->in));
  TUNE_RETURN_IF_ERROR(open_stream(process, streams, STDOUT_FILENO, options->out));
  TUNE_RETURN_IF_ERROR(open_stream(process, streams, STDERR_FILENO, options->error));
  TUNE_RETURN_IF_ERROR(make_pipe(&streams->error_out, &streams->error_in));
  if (!options->environment)
    return launch(process, options, environ, streams);
  char **environment = make_environment(options->environment);
  if (!environment)
    return tune_status_out_of_memory("making its environment");
  tune_status status = launch(process, options, environment, streams);
  free(environment);
  return status;
}

tune_status tune_process_start(const tune_process_options *options, tune_process **out_process) {
  *out_process = NULL;
  tune_process *process = malloc(sizeof *process);
  if (!process)
    return tune_status_out_of_memory("starting %s", options->arguments[0]);
  *process = (tune_process){.in = -1, .out = -1, .capture = -1};
  child_streams streams = {.fds = {-1, -1, -1}, .error_in = -1, .error_out = -1};
  tune_status status = start_with_streams(process, options, &streams);
  close_child_ends(&streams);
  close_if_open(&streams.error_out);
  if (!tune_status_is_ok(status)) {
    process->has_ended = true; // there is nothing to kill
    tune_process_destroy(process);
    return tune_status_annotate(status, "starting %s", options->arguments[0]);
  }
  *out_process = process;
  return TUNE_OK;
}

//===- Its end ----------------------------------------------------------------===//

// Looks whether the program has ended. Its zombie stays until the rest of its group is killed: as
// long as it is there, no other group can have the same id.
static tune_status look(tune_process *process) {
  siginfo_t info = {.si_pid = 0};
  int result;
  do {
    result = waitid(P_PID, (id_t)process->id, &info, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  if (result != 0) {
    // Another part of this process waits for any child, or ignores SIGCHLD.
    process->has_ended = true;
    process->exit = (tune_process_exit){.code = 255};
    return tune_status_from_errno(errno, "waiting for process %d", (int)process->id);
  }
  if (info.si_pid == 0)
    return TUNE_OK;
  kill(-process->id, SIGKILL);
  while (waitpid(process->id, NULL, 0) < 0 && errno == EINTR) {
  }
  process->has_ended = true;
  process->exit =
      (tune_process_exit){.by_signal = info.si_code != CLD_EXITED, .code = info.si_status};
  return TUNE_OK;
}

// Sleeps until the program ends, `seconds` at most. Where the kernel gives no descriptor for the
// process that would be until `pause` is over.
static void sleep_until_end(const tune_process *process, double seconds, double pause) {
  int end = pidfd_open(process->id, 0);
  if (end < 0) {
    tune_clock_sleep(fmin(pause, seconds));
    return;
  }
  struct pollfd wait = {.fd = end, .events = POLLIN};
  poll(&wait, 1, (int)fmin(ceil(seconds * 1e3), 1e6));
  close(end);
}

tune_status tune_process_wait(tune_process *process, double seconds, tune_process_exit *out_exit) {
  double start = tune_clock_seconds();
  for (double pause = 50e-6; !process->has_ended; pause = fmin(2 * pause, 5e-3)) {
    TUNE_RETURN_IF_ERROR(look(process));
    if (process->has_ended)
      break;
    double left = seconds - (tune_clock_seconds() - start);
    if (!(left > 0))
      return tune_status_make(TUNE_DEADLINE_EXCEEDED, "process %d still runs after %.3g s",
                              (int)process->id, seconds);
    sleep_until_end(process, left, pause);
  }
  *out_exit = process->exit;
  return TUNE_OK;
}

void tune_process_signal(tune_process *process, int number) {
  // The program itself is ours to signal, whatever became of its group (setsid, other users).
  if (!process->has_ended && kill(-process->id, number) != 0)
    kill(process->id, number);
}

void tune_process_destroy(tune_process *process) {
  if (!process)
    return;
  tune_process_exit ignored;
  tune_process_signal(process, SIGKILL);
  if (!process->has_ended)
    tune_status_free(tune_process_wait(process, INFINITY, &ignored));
  close_if_open(&process->in);
  close_if_open(&process->out);
  close_if_open(&process->capture);
  free(process);
}

const char *tune_process_exit_describe(tune_process_exit end, char text[64]) {
  const char *name = end.by_signal ? sigabbrev_np(end.code) : NULL;
  if (name)
    snprintf(text, 64, "was killed by SIG%s", name);
  else if (end.by_signal)
    snprintf(text, 64, "was killed by signal %d", end.code);
  else
    snprintf(text, 64, "exited with status %d", end.code);
  return text;
}

bool tune_process_exit_was_killed(tune_process_exit end) {
  return end.by_signal && end.code == SIGKILL;
}

//===- The rest ---------------------------------------------------------------===//

pid_t tune_process_get_id(const tune_process *process) { return process->id; }

int tune_process_get_stdin(const tune_process *process) { return process->in; }

int tune_process_get_stdout(const tune_process *process) { return process->out; }

void tune_process_close_stdin(tune_process *process) { close_if_open(&process->in); }

tune_status tune_process_get_captured(const tune_process *process, size_t limit, char **out_text) {
  *out_text = NULL;
  off_t length = process->capture >= 0 ? lseek(process->capture, 0, SEEK_CUR) : 0;
  if (length < 0)
    return tune_status_from_errno(errno, "reading what a process wrote");
  off_t begin = (uint64_t)length > limit ? length - (off_t)limit : 0;
  size_t size = (size_t)(length - begin);
  char *text = malloc(size + 1);
  if (!text)
    return tune_status_out_of_memory("reading what a process wrote");
  size_t used = 0;
  while (used < size) {
    ssize_t count = pread(process->capture, text + used, size - used, begin + (off_t)used);
    if (count > 0)
      used += (size_t)count;
    else if (count == 0)
      break;
    else if (errno != EINTR) {
      tune_status status = tune_status_from_errno(errno, "reading what a process wrote");
      free(text);
      return status;
    }
  }
  for (size_t i = 0; i < used; ++i)
    if (text[i] == '\0')
      text[i] = '?';
  text[used] = '\0';
  *out_text = text;
  return TUNE_OK;
}

// "ld exited with status 1: ...", with the end of what it said.
static tune_status describe_failure(const tune_process *process, const char *program,
                                    tune_process_exit end) {
  char how[64];
  tune_process_exit_describe(end, how);
  char *said;
  TUNE_RETURN_IF_ERROR(tune_process_get_captured(process, 2000, &said));
  size_t length = strlen(said);
  while (length && strchr(" \n\r\t", said[length - 1]))
    said[--length] = '\0';
  tune_status status =
      tune_status_make(TUNE_INTERNAL, "%s %s%s%s", program, how, length ? ": " : "", said);
  free(said);
  return status;
}

static tune_status run_once(const tune_process_options *options, double seconds,
                            bool *out_was_killed) {
  *out_was_killed = false;
  tune_process *process;
  TUNE_RETURN_IF_ERROR(tune_process_start(options, &process));
  tune_process_exit end;
  tune_status status = tune_process_wait(process, seconds, &end);
  *out_was_killed = tune_status_is_ok(status) && tune_process_exit_was_killed(end);
  if (!tune_status_is_ok(status))
    status = tune_status_annotate(status, "%s", options->arguments[0]);
  else if (end.by_signal || end.code != 0)
    status = describe_failure(process, options->arguments[0], end);
  tune_process_destroy(process);
  return status;
}

tune_status tune_process_run(const tune_process_options *options, double seconds) {
  tune_process_options captured = *options;
  captured.error = TUNE_PROCESS_CAPTURE;
  bool was_killed;
  tune_status status = run_once(&captured, seconds, &was_killed);
  if (!was_killed)
    return status;
  tune_status_free(status);
  status = run_once(&captured, seconds, &was_killed);
  return was_killed ? tune_status_annotate(status, "killed twice, most likely by the system, "
                                                   "where memory ran out")
                    : status;
}
