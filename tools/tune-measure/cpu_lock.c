//===- cpu_lock.c - One measurement at a time on a core -------------------------------===//

#include "tools/tune-measure/cpu_lock.h"

#include "support/clock.h"
#include "support/lock_file.h"
#include "tuning/evaluators/cores.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONGEST_WAIT 600.0 // seconds
#define FIRST_NOTICE 0.5   // runs of searches that take turns are shorter, most of them
#define NEXT_NOTICE 5.0

// The cores to lock, in order, each once.
typedef struct core_list {
  pid_t owner; // that they are for
  int cores[CPU_SETSIZE];
  size_t count;
} core_list;

//===- Which cores ---------------------------------------------------------------------===//

static tune_status add_core(core_list *list, int cpu) {
  int core;
  TUNE_RETURN_IF_ERROR(tune_cores_find_core(cpu, &core));
  size_t at = list->count;
  for (; at > 0 && list->cores[at - 1] > core; --at)
    ;
  if (list->count == CPU_SETSIZE || (at > 0 && list->cores[at - 1] == core))
    return TUNE_OK;
  memmove(&list->cores[at + 1], &list->cores[at], (list->count - at) * sizeof *list->cores);
  list->cores[at] = core;
  ++list->count;
  return TUNE_OK;
}

static tune_status list_cores(const int *cpus, size_t count, core_list *list) {
  list->count = 0;
  for (size_t i = 0; cpus && i < count; ++i)
    TUNE_RETURN_IF_ERROR(add_core(list, cpus[i]));
  cpu_set_t usable;
  if (cpus || sched_getaffinity(0, sizeof usable, &usable) != 0)
    return TUNE_OK;
  for (int cpu = 0; cpu < CPU_SETSIZE && count > 0; ++cpu)
    if (CPU_ISSET(cpu, &usable)) {
      TUNE_RETURN_IF_ERROR(add_core(list, cpu));
      --count;
    }
  return TUNE_OK;
}

//===- Locks ---------------------------------------------------------------------------===//

// Locks and unlocks belong to the open file, which a forked child shares; so they go with the last
// process that has it.
static bool apply(int file, short type, off_t begin, off_t length, bool waits) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = begin, .l_len = length};
  int result;
  do
    result = fcntl(file, waits ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

static void leave_name(int file, int core, pid_t owner) {
  int64_t id = owner;
  // Where that fails others wait without knowing for whom.
  (void)!pwrite(file, &id, sizeof id, (off_t)sizeof id * core);
}

// Each core has two bytes: one that is held while something is timed, and a gate before it, which
// is held while waiting for the first. So nobody gets past one who waits.
//
// The system does not tell who holds a lock of this kind. So whoever does leaves the process that
// it is for at the core's place in the file, where it stays until the next one comes: at once,
// since it may wait for other cores while it has this one.
static bool lock_cores(int file, const core_list *list, bool waits) {
  for (size_t i = 0; i < list->count; ++i) {
    off_t core = 2 * (off_t)list->cores[i], gate = core + 1;
    if (!apply(file, F_WRLCK, gate, 1, waits) || !apply(file, F_WRLCK, core, 1, waits))
      return false;
    apply(file, F_UNLCK, gate, 1, false);
    leave_name(file, list->cores[i], list->owner);
  }
  return true;
}

static void unlock_all(int file) { apply(file, F_UNLCK, 0, 0, false); }

//===- Who holds them ------------------------------------------------------------------===//

static bool is_held(int file, int core) {
  struct flock lock = {
      .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 2 * (off_t)core, .l_len = 2};
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// "tune-run (process 1234)": who was the last to lock the first core of these that is locked; empty
// where that is not known.
static void find_holder(int file, const core_list *list, char text[CPU_LOCK_HOLDER]) {
  *text = '\0';
  size_t i = 0;
  while (i < list->count && !is_held(file, list->cores[i]))
    ++i;
  int64_t id;
  if (i == list->count ||
      pread(file, &id, sizeof id, (off_t)sizeof id * list->cores[i]) != sizeof id || id <= 0)
    return;
  char path[64], name[32];
  snprintf(path, sizeof path, "/proc/%lld/comm", (long long)id);
  FILE *stream = fopen(path, "re");
  bool is_there = stream && fgets(name, sizeof name, stream);
  if (stream)
    fclose(stream);
  if (!is_there)
    return;
  name[strcspn(name, "\n")] = '\0';
  snprintf(text, CPU_LOCK_HOLDER, "%s (process %lld)", name, (long long)id);
}

//===- Waiting -------------------------------------------------------------------------===//

// Waits for the locks in a process of its own, since a call that does cannot look at anything else.
// It has got them when its end of the pipe closes and it exited with 0.
static pid_t start_waiter(int file, const core_list *list, int *out_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  pid_t parent = getpid(), waiter = fork();
  if (waiter == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    signal(SIGINT, SIG_IGN); // Ctrl-C is for the driver, which tells us
    close(ends[0]);
    _exit(lock_cores(file, list, true) ? 0 : 1);
  }
  close(ends[1]);
  *out_end = ends[0];
  if (waiter < 0)
    close(ends[0]);
  return waiter;
}

// Until the waiter has ended or is given up, which it is not told.
static void watch_waiter(int end, const core_list *list, const child_watch *watch, double begin,
                         cpu_lock *lock) {
  double notice = begin + FIRST_NOTICE;
  for (;;) {
    double now = tune_clock_seconds();
    if (now - begin > LONGEST_WAIT)
      return;
    if (now >= notice) {
      char holder[CPU_LOCK_HOLDER];
      find_holder(lock->file, list, holder);
      if (watch)
        watch->waiting(watch->context, now - begin, holder);
      notice = now + NEXT_NOTICE;
    }
    struct pollfd fds[2] = {{.fd = end, .events = POLLIN},
                            {.fd = watch ? watch->fd : -1, .events = POLLIN}};
    if (poll(fds, 2, (int)((notice - now) * 1e3) + 1) < 0 && errno != EINTR)
      return;
    lock->was_cancelled = fds[1].revents && watch->ready(watch->context);
    if (fds[0].revents || lock->was_cancelled)
      return;
  }
}

static bool wait_for_turn(const core_list *list, const child_watch *watch, cpu_lock *lock) {
  int end = -1, exit_status = 1;
  double begin = tune_clock_seconds();
  pid_t waiter = start_waiter(lock->file, list, &end);
  if (waiter < 0)
    return false;
  watch_waiter(end, list, watch, begin, lock);
  // One that has ended has ended: this is for one that waits still.
  struct pollfd ended = {.fd = end, .events = POLLIN};
  if (poll(&ended, 1, 0) != 1)
    kill(waiter, SIGKILL);
  while (waitpid(waiter, &exit_status, 0) < 0 && errno == EINTR)
    ;
  close(end);
  lock->waited = tune_clock_seconds() - begin;
  return exit_status == 0 && !lock->was_cancelled;
}

//===- The whole -----------------------------------------------------------------------===//

tune_status cpu_lock_acquire(const int *cpus, size_t count, const child_watch *watch,
                             cpu_lock *out_lock) {
  *out_lock = (cpu_lock){.file = tune_lock_file_open()};
  if (out_lock->file < 0)
    return TUNE_OK;
  core_list *list = malloc(sizeof *list);
  if (!list) {
    cpu_lock_release(out_lock);
    return tune_status_out_of_memory("waiting for the cores");
  }
  list->owner = watch && watch->driver > 0 ? watch->driver : getpid();
  tune_status status = list_cores(cpus, count, list);
  bool is_locked = tune_status_is_ok(status) && lock_cores(out_lock->file, list, false);
  if (tune_status_is_ok(status) && !is_locked) {
    unlock_all(out_lock->file);
    is_locked = wait_for_turn(list, watch, out_lock);
  }
  free(list);
  if (!is_locked)
    cpu_lock_release(out_lock);
  return status;
}

void cpu_lock_release(cpu_lock *lock) {
  if (lock->file < 0)
    return;
  // Not by closing alone: what was run may have left a process that has the file open.
  unlock_all(lock->file);
  close(lock->file);
  lock->file = -1;
}
