//===- failing_malloc.c -------------------------------------------------------===//

#include "unittests/common/failing_malloc.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static size_t countdown; // 1: the next allocation fails; 0: none will
static bool has_failed;

void tune_failing_malloc_arm(size_t n) {
  countdown = n;
  has_failed = false;
}

bool tune_failing_malloc_disarm(void) {
  countdown = 0;
  return has_failed;
}

static bool must_fail(void) {
  if (countdown == 0 || --countdown > 0)
    return false;
  has_failed = true;
  errno = ENOMEM;
  return true;
}

//===- What the linker puts in the place of the allocators (ld --wrap) ------------===//

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out_block, size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
int __real_vasprintf(char **out_text, const char *format, va_list arguments);
char *__real_realpath(const char *path, char *resolved);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out_block, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);
int __wrap_asprintf(char **out_text, const char *format, ...);
int __wrap_vasprintf(char **out_text, const char *format, va_list arguments);
char *__wrap_realpath(const char *path, char *resolved);

void *__wrap_malloc(size_t size) { return must_fail() ? NULL : __real_malloc(size); }

void *__wrap_calloc(size_t count, size_t size) {
  return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
  return must_fail() ? NULL : __real_realloc(block, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return must_fail() ? NULL : __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **out_block, size_t alignment, size_t size) {
  return must_fail() ? ENOMEM : __real_posix_memalign(out_block, alignment, size);
}

char *__wrap_strdup(const char *text) { return must_fail() ? NULL : __real_strdup(text); }

char *__wrap_strndup(const char *text, size_t length) {
  return must_fail() ? NULL : __real_strndup(text, length);
}

int __wrap_vasprintf(char **out_text, const char *format, va_list arguments) {
  return must_fail() ? -1 : __real_vasprintf(out_text, format, arguments);
}

int __wrap_asprintf(char **out_text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = __wrap_vasprintf(out_text, format, arguments);
  va_end(arguments);
  return length;
}

char *__wrap_realpath(const char *path, char *resolved) {
  return must_fail() ? NULL : __real_realpath(path, resolved);
}

//===- Each allocation once -----------------------------------------------------===//

size_t tune_fail_each_allocation(tune_status (*run)(void *context), void *context) {
  size_t failures = 0;
  for (bool failed = true; failed;) {
    tune_failing_malloc_arm(failures + 1);
    tune_status status = run(context);
    failed = tune_failing_malloc_disarm();
    failures += failed;
    tune_status_code code = tune_status_get_code(status);
    if (code != TUNE_STATUS_OK && !(failed && code == TUNE_OUT_OF_MEMORY))
      fail_msg("with allocation %zu failing: %s: %s", failures, tune_status_code_name(code),
               tune_status_get_message(status));
    tune_status_free(status);
  }
  return failures;
}

size_t tune_fail_each_allocation_and_json(tune_status (*run)(void *context), void *context) {
  json_malloc_t jansson_malloc;
  json_free_t jansson_free;
  json_get_alloc_funcs(&jansson_malloc, &jansson_free);
  json_set_alloc_funcs(__wrap_malloc, free);
  size_t failures = tune_fail_each_allocation(run, context);
  json_set_alloc_funcs(jansson_malloc, jansson_free);
  return failures;
}
