//===- failing_calls.c - Which call fails -----------------------------------------===//

#include "failing_state.h"

#include <errno.h>
#include <execinfo.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL_LIMIT ((size_t)1 << 20)
#define TRACE_LIMIT 24

// Shared with children, whose calls count too.
typedef struct shared {
  bool is_armed;
  failing_calls_kind kind;
  size_t n, fault, count;
  const char *name; // the same address in children, which are forks
  int error;
  size_t trace_count;
  void *trace[TRACE_LIMIT];
  const failing_function *functions[CALL_LIMIT];
} shared;

static shared *state;

// Before anything is followed.
static __attribute__((constructor)) void make_state(void) {
  // By number, since mmap is one of those that fail. It stays to the end of the process.
  long address = syscall(SYS_mmap, NULL, sizeof *state, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  void *first[1];
  backtrace(first, 1); // loads a library, once
  state = (shared *)address;
}

void failing_calls_arm(failing_calls_kind kind, size_t n, size_t fault) {
  shared *all = state;
  all->kind = kind;
  all->n = n;
  all->fault = fault;
  all->count = 0;
  all->name = NULL;
  all->error = 0;
  all->trace_count = 0;
  all->is_armed = true;
}

failing_calls_outcome failing_calls_disarm(void) {
  state->is_armed = false;
  return (failing_calls_outcome){state->count, state->name, state->error};
}

size_t failing_calls_last_count(void) { return state->count; }

size_t failing_calls_faults(size_t n) {
  size_t count = 0;
  if (n == 0 || n > state->count || n > CALL_LIMIT)
    return 0;
  while (state->functions[n - 1]->errors[count])
    ++count;
  return count;
}

size_t failing_calls_get_trace(void *const **out_addresses) {
  *out_addresses = state->trace;
  return state->trace_count;
}

int failing_calls_count(failing_calls_kind kind, const failing_function *function) {
  if (!state || !state->is_armed || state->kind != kind)
    return 0;
  size_t n = ++state->count;
  if (n <= CALL_LIMIT)
    state->functions[n - 1] = function;
  if (n != state->n || state->fault >= sizeof function->errors / sizeof *function->errors)
    return 0;
  int error = function->errors[state->fault];
  if (!error)
    return 0;
  state->name = function->name;
  state->error = error;
  state->is_armed = false; // unwinding calls functions of libc, and the state is its own
  state->trace_count = (size_t)backtrace(state->trace, TRACE_LIMIT);
  state->is_armed = true;
  if (error != FAILING_CALL_HALF)
    errno = error;
  return error;
}
