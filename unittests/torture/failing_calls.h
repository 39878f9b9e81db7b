//===- failing_calls.h - Allocations and system calls that fail on purpose ----------------===//
//
// An executable that has these objects defines malloc, open, read and so on itself, and so is
// asked first not only by our own code, but by SQLite, jansson and libc, too (calls within libc,
// as of fopen to open, go by other names and are not seen; what of it our code uses is
// in the list itself). While armed, calls are counted, and one of them fails as it may in earnest.
// Calls of child processes count as well; a vfork here is a fork that waits for the program.
//
// unittests/common/failing_malloc is for what is linked to MLIR, which ends the process where one
// of its own allocations fails.
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TORTURE_FAILING_CALLS_H
#define TUNE_UNITTESTS_TORTURE_FAILING_CALLS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum failing_calls_kind {
  FAILING_ALLOCATIONS,
  FAILING_SYSTEM_CALLS,
} failing_calls_kind;

// In place of an errno: the call does half of what it was asked for.
#define FAILING_CALL_HALF (-1)

// From now on calls of this kind are counted; the n-th of them (1: the next) fails with the fault
// `fault` of those that its function has, if it has so many. n = 0: none.
void failing_calls_arm(failing_calls_kind kind, size_t n, size_t fault);

typedef struct failing_calls_outcome {
  size_t count;     // calls
  const char *name; // what failed, NULL where nothing did
  int error;        // its errno, or FAILING_CALL_HALF
} failing_calls_outcome;

failing_calls_outcome failing_calls_disarm(void);

// How many calls there were when last armed, and how many faults the function has that was called
// n-th.
size_t failing_calls_last_count(void);
size_t failing_calls_faults(size_t n);

// Where the call was made that failed: return addresses.
size_t failing_calls_get_trace(void *const **out_addresses);

// While it forbids them no file without a name is made (O_TMPFILE), as on file systems that lack
// such.
void failing_calls_forbid_nameless(bool forbids);

// From begin to end blocks of memory are followed; `end` tells how many of those made since then
// are left, and the address that made one of them. The lists are of this process.
void failing_calls_begin_blocks(void);
size_t failing_calls_end_blocks(void *const **out_addresses, size_t *out_count);

#endif // TUNE_UNITTESTS_TORTURE_FAILING_CALLS_H
