//===- torture.h - Scenarios in which every call fails once ----------------------------===//
//
// A scenario uses a part of the libraries from end to end. It is run undisturbed, then again with
// its first, second, … allocation failing, and its first, second, … system call, each with every
// fault that such a call has (failing_system_calls.c). After each run nothing may be left: no
// block of memory, no descriptor, no child process, no file that an undisturbed run does not make.
// Either the run has failed, with OUT_OF_MEMORY where memory did, and with what it keeps in files
// as it was before or as it should be; or it went well, and then all that it gave is as without
// the fault.
//
//     static tune_status run_tables(const char *folder) {
//       …
//       torture_say("%s", printed);
//       return status;
//     }
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TORTURE_TORTURE_H
#define TUNE_UNITTESTS_TORTURE_TORTURE_H

#include "support/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct torture_scenario {
  const char *name;
  // Makes what is there before, once; each run gets a copy of the folder. May be NULL.
  void (*prepare)(const char *folder);
  // What is tortured. It asserts nothing, and tells by torture_say what it came to. TMPDIR is
  // "<folder>/tmp".
  tune_status (*run)(const char *folder);
  // Tells by torture_say what files hold, without faults. May be NULL. After a run that failed that
  // has to be what it told before the run or after an undisturbed one; where it `grows`, anything
  // between: the first is the beginning of it, and it is the beginning of the second.
  void (*look)(const char *folder);
  bool grows;
} torture_scenario;

// To what the run or the look came; cut after 64 KiB. Allocates nothing.
void torture_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Says the failure that `status` has to be, from this in its message on (a path before it may be of
// this run alone), and frees it; what else it is comes back as a failure.
tune_status torture_expect(tune_status status, tune_status_code code, const char *text);

// Takes back what was said in this run.
void torture_forget_said(void);

// "<folder>/<name>" in `path`, which it returns.
typedef struct torture_path {
  char text[512];
} torture_path;
torture_path torture_in(const char *folder, const char *name);

// A look: a scratch folder that could not be removed goes with the next one.
void torture_sweep(const char *folder);

// A main: runs all scenarios, or those that are named in the arguments; "NAME KIND N FAULT" runs
// one of its faults alone ("allocation" or "system"), and shows where the call is.
int torture_main(int argc, char **argv, const torture_scenario *scenarios, size_t count);

#endif // TUNE_UNITTESTS_TORTURE_TORTURE_H
