//===- failing_system_calls.c - open and its like ------------------------------------===//

#include "failing_state.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The function behind the one defined here.
static void *behind(void **slot, const char *name) {
  if (!*slot)
    *slot = dlsym(RTLD_NEXT, name);
  return *slot;
}

#define HALF FAILING_CALL_HALF

// Defines `name` with its faults. `failed` is what it gives where it fails.
#define CALL(type, name, parameters, arguments, failed, ...)                                       \
  type name parameters {                                                                           \
    static const failing_function self = {#name, {__VA_ARGS__}};                                   \
    static void *slot;                                                                             \
    union {                                                                                        \
      void *address;                                                                               \
      type(*function) parameters;                                                                  \
    } real = {behind(&slot, #name)};                                                               \
    if (failing_calls_count(FAILING_SYSTEM_CALLS, &self))                                          \
      return failed;                                                                               \
    return real.function arguments;                                                                \
  }

// The same of one that moves `size` bytes, and may move half of them.
#define TRANSFER(name, parameters, arguments, ...)                                                 \
  ssize_t name parameters {                                                                        \
    static const failing_function self = {#name, {__VA_ARGS__}};                                   \
    static void *slot;                                                                             \
    union {                                                                                        \
      void *address;                                                                               \
      ssize_t(*function) parameters;                                                               \
    } real = {behind(&slot, #name)};                                                               \
    int fault = failing_calls_count(FAILING_SYSTEM_CALLS, &self);                                  \
    if (fault == HALF)                                                                             \
      size = (size + 1) / 2;                                                                       \
    else if (fault)                                                                                \
      return -1;                                                                                   \
    return real.function arguments;                                                                \
  }

// The same of one that is done before it says that it failed.
#define CALL_DONE(type, name, parameters, arguments, failed, ...)                                  \
  type name parameters {                                                                           \
    static const failing_function self = {#name, {__VA_ARGS__}};                                   \
    static void *slot;                                                                             \
    union {                                                                                        \
      void *address;                                                                               \
      type(*function) parameters;                                                                  \
    } real = {behind(&slot, #name)};                                                               \
    int before = errno;                                                                            \
    int error = failing_calls_count(FAILING_SYSTEM_CALLS, &self);                                  \
    errno = before;                                                                                \
    type result = real.function arguments;                                                         \
    if (!error)                                                                                    \
      return result;                                                                               \
    errno = error;                                                                                 \
    return failed;                                                                                 \
  }

//===- Files ----------------------------------------------------------------------===//

static bool forbids_nameless;

void failing_calls_forbid_nameless(bool forbids) { forbids_nameless = forbids; }

// The third argument of open is there where a file may be made.
#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...) {                                                     \
    static const failing_function self = {#name, {EMFILE, EIO, EINTR}};                            \
    static void *slot;                                                                             \
    union {                                                                                        \
      void *address;                                                                               \
      int (*function)(const char *, int, mode_t);                                                  \
    } real = {behind(&slot, #name)};                                                               \
    va_list rest;                                                                                  \
    va_start(rest, flags);                                                                         \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                        \
    va_end(rest);                                                                                  \
    if (failing_calls_count(FAILING_SYSTEM_CALLS, &self))                                          \
      return -1;                                                                                   \
    if (forbids_nameless && (flags & O_TMPFILE) == O_TMPFILE) {                                    \
      errno = EOPNOTSUPP;                                                                          \
      return -1;                                                                                   \
    }                                                                                              \
    return real.function(path, flags, mode);                                                       \
  }

OPEN(open)
OPEN(open64)

int openat(int folder, const char *path, int flags, ...) {
  static const failing_function self = {"openat", {EMFILE, EIO, EINTR}};
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (failing_calls_count(FAILING_SYSTEM_CALLS, &self))
    return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

// Locks of SQLite, which waits for what is busy, and duplicates.
#define FCNTL(name)                                                                                \
  int name(int fd, int command, ...) {                                                             \
    static const failing_function locking = {#name, {EIO}};                                        \
    static const failing_function other = {#name, {EMFILE}};                                       \
    static void *slot;                                                                             \
    union {                                                                                        \
      void *address;                                                                               \
      int (*function)(int, int, void *);                                                           \
    } real = {behind(&slot, #name)};                                                               \
    va_list rest;                                                                                  \
    va_start(rest, command);                                                                       \
    void *argument = va_arg(rest, void *);                                                         \
    va_end(rest);                                                                                  \
    bool locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK;                  \
    if (failing_calls_count(FAILING_SYSTEM_CALLS, locks ? &locking : &other))                      \
      return -1;                                                                                   \
    return real.function(fd, command, argument);                                                   \
  }

FCNTL(fcntl)
FCNTL(fcntl64)

// What a disk would take time for is none of this test.
#define SYNC(name)                                                                                 \
  int name(int fd) {                                                                               \
    static const failing_function self = {#name, {EIO}};                                           \
    (void)fd;                                                                                      \
    return failing_calls_count(FAILING_SYSTEM_CALLS, &self) ? -1 : 0;                              \
  }

SYNC(fsync)
SYNC(fdatasync)

TRANSFER(read, (int fd, void *bytes, size_t size), (fd, bytes, size), EIO, EINTR, HALF)
TRANSFER(pread, (int fd, void *bytes, size_t size, off_t offset), (fd, bytes, size, offset), EIO,
         EINTR, HALF)
TRANSFER(pread64, (int fd, void *bytes, size_t size, off64_t offset), (fd, bytes, size, offset),
         EIO, EINTR, HALF)
TRANSFER(write, (int fd, const void *bytes, size_t size), (fd, bytes, size), ENOSPC, EINTR, HALF)
TRANSFER(pwrite64, (int fd, const void *bytes, size_t size, off64_t offset),
         (fd, bytes, size, offset), ENOSPC, EINTR, HALF)
CALL_DONE(int, close, (int fd), (fd), -1, EIO, EINTR)
CALL(int, rename, (const char *from, const char *to), (from, to), -1, EIO)
CALL(int, unlink, (const char *path), (path), -1, EIO)
CALL(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), -1, EIO)
CALL(int, linkat, (int from_folder, const char *from, int to_folder, const char *to, int flags),
     (from_folder, from, to_folder, to, flags), -1, EIO, EEXIST)
CALL(int, remove, (const char *path), (path), -1, EIO)
CALL(int, rmdir, (const char *path), (path), -1, EIO)
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC)
CALL(char *, mkdtemp, (char *pattern), (pattern), NULL, ENOSPC)
CALL(int, mkostemp, (char *pattern, int flags), (pattern, flags), -1, EMFILE)
CALL(int, ftruncate, (int fd, off_t size), (fd, size), -1, EIO, EINTR)
CALL(int, ftruncate64, (int fd, off64_t size), (fd, size), -1, EIO, EINTR)
CALL(off_t, lseek, (int fd, off_t offset, int from), (fd, offset, from), -1, EIO)
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), -1, EIO)
CALL(int, flock, (int fd, int how), (fd, how), -1, ENOLCK, EINTR)
CALL(int, stat, (const char *restrict path, struct stat *restrict info), (path, info), -1, EIO)
CALL(int, lstat, (const char *restrict path, struct stat *restrict info), (path, info), -1, EIO)
CALL(int, fstatat, (int folder, const char *restrict path, struct stat *restrict info, int flags),
     (folder, path, info, flags), -1, EIO)
CALL(int, fstat, (int fd, struct stat *info), (fd, info), -1, EIO)
CALL(int, stat64, (const char *restrict path, struct stat64 *restrict info), (path, info), -1, EIO)
CALL(int, fstat64, (int fd, struct stat64 *info), (fd, info), -1, EIO)
CALL(int, access, (const char *path, int how), (path, how), -1, EIO)
CALL(char *, realpath, (const char *restrict path, char *restrict resolved), (path, resolved), NULL,
     EIO)
CALL(ssize_t, readlink, (const char *restrict path, char *restrict text, size_t size),
     (path, text, size), -1, EIO)
CALL(DIR *, opendir, (const char *path), (path), NULL, EMFILE)
CALL(DIR *, fdopendir, (int folder), (folder), NULL, EIO)
CALL(FILE *, fopen, (const char *restrict path, const char *restrict mode), (path, mode), NULL,
     EMFILE)
CALL_DONE(int, fclose, (FILE * stream), (stream), EOF, ENOSPC)
CALL_DONE(int, fflush, (FILE * stream), (stream), EOF, ENOSPC)

//===- Memory, processes and time ---------------------------------------------------===//

CALL(void *, mmap, (void *at, size_t size, int rights, int flags, int fd, off_t offset),
     (at, size, rights, flags, fd, offset), MAP_FAILED, ENOMEM)
CALL(void *, mmap64, (void *at, size_t size, int rights, int flags, int fd, off64_t offset),
     (at, size, rights, flags, fd, offset), MAP_FAILED, ENOMEM)
CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, EMFILE, ENOMEM)
CALL(int, pipe2, (int ends[2], int flags), (ends, flags), -1, EMFILE)
CALL(int, dup2, (int from, int to), (from, to), -1, EMFILE, EINTR)
CALL(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout), -1, ENOMEM,
     EINTR)
CALL(int, pidfd_open, (pid_t id, unsigned flags), (id, flags), -1, EMFILE, ENOSYS)
CALL(pid_t, waitpid, (pid_t id, int *status, int options), (id, status, options), -1, EINTR)
CALL(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options),
     -1, EINTR)
CALL(int, kill, (pid_t id, int number), (id, number), -1, EPERM)
CALL(int, getrusage, (__rusage_who_t whose, struct rusage *usage), (whose, usage), -1, EFAULT)
CALL(int, getloadavg, (double loads[], int count), (loads, count), -1, EIO)
CALL(int, setpgid, (pid_t id, pid_t group), (id, group), -1, EPERM)
CALL(int, chdir, (const char *path), (path), -1, EIO)
CALL(int, execve, (const char *path, char *const arguments[], char *const environment[]),
     (path, arguments, environment), -1, ENOMEM, EIO)
CALL(int, sched_getaffinity, (pid_t id, size_t size, cpu_set_t *cpus), (id, size, cpus), -1, EINVAL)
CALL(int, clock_nanosleep,
     (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
     (clock, flags, time, left), errno, EINTR)

int prctl(int option, ...) {
  static const failing_function self = {"prctl", {EPERM}};
  va_list rest;
  va_start(rest, option);
  unsigned long a = va_arg(rest, unsigned long), b = va_arg(rest, unsigned long);
  unsigned long c = va_arg(rest, unsigned long), d = va_arg(rest, unsigned long);
  va_end(rest);
  if (failing_calls_count(FAILING_SYSTEM_CALLS, &self))
    return -1;
  return (int)syscall(SYS_prctl, option, a, b, c, d);
}

// Of what goes by its number, what confines a process.
long syscall(long number, ...) {
  static const failing_function self = {"syscall", {ENOMEM, E2BIG}};
  static void *slot;
  union {
    void *address;
    long (*function)(long, long, long, long, long, long, long);
  } real = {behind(&slot, "syscall")};
  va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (int i = 0; i < 6; ++i)
    arguments[i] = va_arg(rest, long);
  va_end(rest);
  bool confines = number == SYS_landlock_create_ruleset || number == SYS_landlock_add_rule ||
                  number == SYS_landlock_restrict_self || number == SYS_seccomp;
  if (confines && failing_calls_count(FAILING_SYSTEM_CALLS, &self))
    return -1;
  return real.function(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                       arguments[5]);
}

pid_t fork(void) {
  static const failing_function self = {"fork", {EAGAIN, ENOMEM}};
  static void *slot;
  union {
    void *address;
    pid_t (*function)(void);
  } real = {behind(&slot, "fork")};
  return failing_calls_count(FAILING_SYSTEM_CALLS, &self) ? -1 : real.function();
}

// A wrapper cannot return twice, as a vfork does: the child is a fork, and this process waits until
// the descriptor that the child alone has is closed by its program or its end.
pid_t vfork(void) {
  static const failing_function self = {"vfork", {EAGAIN, ENOMEM}};
  if (failing_calls_count(FAILING_SYSTEM_CALLS, &self))
    return -1;
  int ends[2];
  if (syscall(SYS_pipe2, ends, O_CLOEXEC) != 0)
    return -1;
  static void *slot;
  union {
    void *address;
    pid_t (*function)(void);
  } real = {behind(&slot, "fork")};
  pid_t id = real.function();
  if (id == 0) {
    syscall(SYS_close, ends[0]);
    return 0;
  }
  syscall(SYS_close, ends[1]);
  char none;
  while (id > 0 && syscall(SYS_read, ends[0], &none, sizeof none) < 0 && errno == EINTR) {
  }
  syscall(SYS_close, ends[0]);
  return id;
}

//===- Waiting ----------------------------------------------------------------===//

// SQLite's, for another process to let go: there is none, and what it sleeps it adds up itself.
int usleep(useconds_t microseconds) {
  (void)microseconds;
  return 0;
}
