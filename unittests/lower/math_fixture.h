//===- math_fixture.h - Functions made of text, lowered and called -----------------===//

#ifndef TUNE_UNITTESTS_LOWER_MATH_FIXTURE_H
#define TUNE_UNITTESTS_LOWER_MATH_FIXTURE_H

#include "transforms/lower/cpu/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern MlirContext math_context; // set up by math_setup

int math_setup(void **state);
int math_teardown(void **state);

void math_assert_ok(tune_status status);

// Lowers the one function of `payload` for the x86 `cpu` (NULL: this machine), as a candidate, not
// as a reference. Fails the test where that fails.
char *math_emit(const char *payload, const char *cpu, tune_emit emit, size_t *out_size);
// The status of that, without a test's failure; whatever is emitted is thrown away.
tune_status math_try(const char *payload, const char *cpu);

typedef struct math_function {
  char path[64];
  void *handle;
  void (*entry)(void **);
} math_function;

// Lowers, links and loads; the entry takes descriptors, as docs/protocol.md says.
math_function math_load(const char *payload, const char *cpu);
void math_unload(math_function *function);

typedef struct math_memref {
  void *allocated, *aligned;
  int64_t offset, size, stride;
} math_memref;

// A memref of one dimension.
math_memref math_describe(void *data, int64_t size);

#endif // TUNE_UNITTESTS_LOWER_MATH_FIXTURE_H
