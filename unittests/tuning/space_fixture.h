//===- space_fixture.h - Spaces, configs and stores written by hand ----------------===//
//
// Asserts on every failure; for tests only.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TUNING_SPACE_FIXTURE_H
#define TUNE_UNITTESTS_TUNING_SPACE_FIXTURE_H

#include "tuning/space/config.h"
#include "tuning/space/constraint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

// `status` has `code` and a message with `text` in it. Frees it.
static inline void assert_fails(tune_status status, tune_status_code code, const char *text) {
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), text))
    fail_msg("expected %s with '%s', got %s: %s", tune_status_code_name(code), text,
             tune_status_is_ok(status) ? "OK" : tune_status_code_name(tune_status_get_code(status)),
             tune_status_get_message(status));
  tune_status_free(status);
}

static inline tune_space *make_space(void) {
  tune_space *space;
  assert_ok(tune_space_create(&space));
  return space;
}

static inline void add_values(tune_space *space, const char *name, bool is_ordered,
                              const int64_t *values, size_t count) {
  tune_knob knob = {.name = (char *)name,
                    .level = TUNE_LEVEL_LINALG,
                    .is_ordered = is_ordered,
                    .value_count = count,
                    .values = (int64_t *)values};
  assert_ok(tune_space_add_knob(space, &knob));
}

// ADD_ORDERED(space, "mc", 32, 64, 128): the first value is the default.
#define ADD_ORDERED(space, name, ...)                                                              \
  add_values(space, name, true, (const int64_t[]){__VA_ARGS__},                                    \
             sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define ADD_CATEGORICAL(space, name, ...)                                                          \
  add_values(space, name, false, (const int64_t[]){__VA_ARGS__},                                   \
             sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

// A knob with the values 0 … count-1.
static inline void add_range(tune_space *space, const char *name, size_t count) {
  int64_t *values = calloc(count, sizeof *values);
  assert_non_null(values);
  for (size_t i = 0; i < count; ++i)
    values[i] = (int64_t)i;
  add_values(space, name, true, values, count);
  free(values);
}

static inline void add_labelled(tune_space *space, const char *name, const char *const *labels,
                                size_t count) {
  int64_t values[16];
  assert_true(count <= 16);
  for (size_t i = 0; i < count; ++i)
    values[i] = (int64_t)i;
  tune_knob knob = {.name = (char *)name,
                    .level = TUNE_LEVEL_VECTOR,
                    .value_count = count,
                    .values = values,
                    .labels = (char **)labels};
  assert_ok(tune_space_add_knob(space, &knob));
}

static inline int64_t value_of(const tune_config *config, const tune_space *space,
                               const char *name) {
  size_t knob = tune_space_find_knob(space, name);
  assert_int_not_equal(knob, SIZE_MAX);
  return tune_config_value(config, space, knob);
}

#endif // TUNE_UNITTESTS_TUNING_SPACE_FIXTURE_H
