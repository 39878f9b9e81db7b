//===- failing_state.h - What the files of failing_calls share ----------------------------===//

#ifndef TUNE_UNITTESTS_TORTURE_FAILING_STATE_H
#define TUNE_UNITTESTS_TORTURE_FAILING_STATE_H

#include "failing_calls.h"

typedef struct failing_function {
  const char *name;
  int errors[4]; // ends with 0
} failing_function;

// Counts a call. 0: it is to do what it does; otherwise an errno, which is set, or
// FAILING_CALL_HALF.
int failing_calls_count(failing_calls_kind kind, const failing_function *function);

#endif // TUNE_UNITTESTS_TORTURE_FAILING_STATE_H
