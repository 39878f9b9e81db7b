//===- sandbox_calls.h - The system calls that a sandbox forbids ---------------------===//
//
// The table behind sandbox.c. Numbers are those of the architecture; a call that it does not have
// has no row.
//
// Threads: no shared state.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_SUPPORT_SANDBOX_CALLS_H
#define TUNE_SUPPORT_SANDBOX_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// When a row applies, by one argument of the call, of which the kernel reads 32 bits.
typedef enum tune_call_test {
  TUNE_CALL_ALWAYS,
  TUNE_CALL_ANY_BIT,   // some bit of `value` is set
  TUNE_CALL_NO_BIT,    // none is
  TUNE_CALL_EQUAL,     // to `value`
  TUNE_CALL_NOT_EQUAL, // to `value`
  TUNE_CALL_NOT_SELF,  // neither this process nor 0
} tune_call_test;

// In which kinds of sandbox a row applies, and how.
typedef enum tune_call_use {
  TUNE_CALL_HARM,   // in all: of no use to anybody
  TUNE_CALL_START,  // not in builds: starting programs
  TUNE_CALL_HIDDEN, // not in builds: it fails as if the kernel had no such call, so that libc takes
                    // an older one, whose arguments can be looked at
  TUNE_CALL_CHANGE, // where nothing may be written: it fails
  TUNE_CALL_OWNER,  // not in builds, whose linkers set modes: it fails
  TUNE_CALL_QUIET,  // in all: it fails, since libraries try it
} tune_call_use;

typedef struct tune_call {
  int number;
  tune_call_use use;
  const char *name;
  tune_call_test test;
  unsigned char word; // of the arguments: twice the argument, plus 1 for its upper half
  uint32_t value;
} tune_call;

extern const tune_call tune_calls[];
extern const size_t tune_call_count;

#ifdef __cplusplus
}
#endif

#endif // TUNE_SUPPORT_SANDBOX_CALLS_H
