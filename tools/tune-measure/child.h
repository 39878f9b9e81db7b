//===- child.h - Running what may crash, hang or eat memory ---------------------------===//
//
// A function runs in a forked child, with limits, and reports an object through a pipe. What it
// was doing when it crashed is told by notes in memory shared with the parent: the child writes
// its phase, a signal handler writes the address.
//
// A child that runs code of a candidate has nothing open but what it needs, and is in a sandbox; a
// system call that is forbidden there ends it.
//
// The child leads a process group of its own and dies with this process. It has no stdin;
// the end of what it prints is kept and becomes part of the error.
//
// Threads: for a program with one thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_CHILD_H
#define TUNE_TOOLS_TUNE_MEASURE_CHILD_H

#include "support/message.h"
#include "targets/target.h"

#include <signal.h>
#include <sys/types.h>

typedef struct child_notes {
  // Written by the body. Texts are of the program, so the parent can read the pointers.
  const char *volatile phase;   // "loading", "running", …
  volatile size_t artifact;     // which of several
  volatile double began;        // the run that it is at (child_notes_begin); 0: no run has
  volatile double beside;       // seconds of work of ours between runs, which no limit counts
  volatile double since;        // that such work is under way; 0: it is not
  tune_kernel *volatile kernel; // asked for where an address lies; of the child only
  // Written by the signal handler.
  volatile sig_atomic_t signal;
  volatile sig_atomic_t call; // that the sandbox forbids, with SIGSYS
  void *volatile address;
  // The system does not tell the address: it is none of this machine, or not aligned as it has to.
  volatile sig_atomic_t is_wild;
  volatile tune_buffer_place place;
  volatile size_t argument;
} child_notes;

// Seconds that work of ours between two runs may take, which is more than any does.
#define CHILD_MOST_BESIDE 60.0

typedef struct child_limits {
  double seconds; // of wall time, once it runs; of each run where there are `runs`
  size_t runs;    // that child_notes_begin is called for, at most; 0: it is not
  double bytes;   // of address space beyond what this process has; 0: no limit
  // `bytes` is of memory that is written (RLIMIT_DATA) and not of address space, which drivers of
  // GPUs reserve by the terabyte, for what is on the device.
  bool has_driver;
  double beside;      // seconds of CPU time, about, that child_notes.beside comes to
  bool has_candidate; // it runs code of an artifact, and so in a sandbox (support/sandbox.h)
  int kept_fd;        // an open file of the parent's that the child needs; 0: none
  const char *const *writable; // folders that a child with a candidate may write to
  size_t writable_count;
  size_t threads;   // that may use CPU time at once
  bool takes_time;  // that nothing of ours is to disturb: it waits for its cores (cpu_lock.h)
  const int *cpus;  // of these threads, or NULL: the first ones there are
  size_t cpu_count; // may be too few, which opening the target then says
} child_limits;

typedef enum child_end {
  CHILD_REPORTED,
  CHILD_CRASHED,
  CHILD_TIMED_OUT,
  CHILD_CANCELLED,
} child_end;

typedef struct child_outcome {
  child_end end;
  json_t *report;  // of a child that reported
  char *error;     // in words, of one that crashed or timed out
  size_t artifact; // the one it was at
  double waited;   // seconds for its cores, before it ran
  bool was_killed; // CHILD_CRASHED, by a SIGKILL that nobody here has sent, and once more when it
                   // was run again
  bool was_run_again; // after such a SIGKILL, whatever came of it then
} child_outcome;

// In the child: a run begins, which has the limit's seconds from now on.
void child_notes_begin(child_notes *notes);
// Work of ours between runs begins, and is done; the next run begins afterwards. Returns its
// seconds.
void child_notes_begin_beside(child_notes *notes);
double child_notes_end_beside(child_notes *notes);

// Runs in the child. A status it returns is what child_run returns in the parent.
typedef tune_status (*child_body)(void *context, child_notes *notes, json_t **out_report);

// While a child runs, this is asked whether something else has to be looked at: it polls `fd` and
// calls `ready` when there is something to read. True from `ready` kills the child, which then is
// CHILD_CANCELLED. While it waits for its cores, `waiting` is told now and then for how long it
// has, and who holds them ("tune-run (process 1234)"; "": not known).
typedef struct child_watch {
  int fd;
  bool (*ready)(void *context);
  void (*waiting)(void *context, double seconds, const char *holder);
  void *context;
  pid_t driver; // what it runs for, which others that wait for its cores are told; 0: this process
} child_watch;

// A child that something else kills by SIGKILL is run once more: that may have been no fault of its
// own. The system kills by it, too, where memory runs out.
tune_status child_run(child_body body, void *context, const child_limits *limits,
                      const child_watch *watch, child_outcome *out_outcome);
void child_outcome_deinit(child_outcome *outcome);

#endif // TUNE_TOOLS_TUNE_MEASURE_CHILD_H
