//===- cpu_lock.h - One measurement at a time on a core -------------------------------===//
//
// Two searches that time on the same core at once would both measure the other. So whoever
// runs something to be timed holds a lock on each core that it runs on, for that one run,
// and the other waits its turn.
//
// The locks are advisory, of one user, and lie on bytes of one file
// (support/lock_file.h). The system takes them back from a process that ends, however it does.
// Cores are locked in order, so that runs on several do not wait for each other in a
// circle, and whoever waits is served before one that comes later, and is told for whom it waits.
// Where the file cannot be made, which searches and tune-run warn of
// (tuning/evaluators/conditions.h), and after ten minutes of waiting (for a process that was
// stopped, say), things go on without a lock.
//
// What is not seen: other users, containers with a /tmp of their own, compilers, and the
// builds of other searches.
//
// Threads: for a program with one thread.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TOOLS_TUNE_MEASURE_CPU_LOCK_H
#define TUNE_TOOLS_TUNE_MEASURE_CPU_LOCK_H

#include "tools/tune-measure/child.h"

#define CPU_LOCK_HOLDER 64 // bytes of text that say who holds a lock

typedef struct cpu_lock {
  int file;           // -1: nothing is locked
  double waited;      // seconds
  bool was_cancelled; // while waiting; nothing is locked then
} cpu_lock;

// Locks the cores of `count` CPUs (NULL: the first ones this process may run on), which count as
// one where they share a core. While it waits it asks `watch` (may be NULL) whether to go on, and
// tells it now and then that it does.
tune_status cpu_lock_acquire(const int *cpus, size_t count, const child_watch *watch,
                             cpu_lock *out_lock);
void cpu_lock_release(cpu_lock *lock);

#endif // TUNE_TOOLS_TUNE_MEASURE_CPU_LOCK_H
