//===- failing_malloc.h - Memory that runs out on purpose --------------------------===//
//
// Link a test with tune_failing_malloc and every allocation of our own code (malloc,
// calloc, realloc, aligned_alloc, posix_memalign, strdup, strndup, asprintf, vasprintf,
// realpath), and if asked of jansson, goes through a counter that can make any one of them
// fail. Allocations inside other shared libraries are not seen.
//
//   static tune_status open_and_close(void *context) { ... }
//   tune_fail_each_allocation(open_and_close, &context);
//
// Threads: one.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_COMMON_FAILING_MALLOC_H
#define TUNE_UNITTESTS_COMMON_FAILING_MALLOC_H

#include "support/status.h"

#include <stddef.h>

// Lets the n-th allocation from now on fail (1: the next); 0: none.
void tune_failing_malloc_arm(size_t n);
// Ends it. Whether an allocation failed since the last arm.
bool tune_failing_malloc_disarm(void);

// Calls `run` again and again with its first, second, ... allocation failing, until it needs no
// more of them. Asserts (cmocka) that each run ends with TUNE_OUT_OF_MEMORY or, where it could do
// without, TUNE_OK, and that the run without a failure is TUNE_OK. Leaks are for the sanitizer to
// find. Returns how many allocations were made to fail: assert that it is what you expect at least,
// or a `run` that tests nothing passes.
size_t tune_fail_each_allocation(tune_status (*run)(void *context), void *context);
// The same with jansson's allocations among them. Its reader takes a lack of memory for a syntax
// error, so this is for a `run` that makes and writes JSON, or that tells the two apart itself.
size_t tune_fail_each_allocation_and_json(tune_status (*run)(void *context), void *context);

#endif // TUNE_UNITTESTS_COMMON_FAILING_MALLOC_H
