//===- cpu_models_test.c - CPUs that code is made for by name -----------------------===//

#include "formats/cpu_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/cpu_list.h"
#include "unittests/common/assert_ok.h"

typedef struct expected {
  const char *name, *triple;
  int64_t bits, registers;
  bool has_fma, has_bf16_dot, has_int8_dot;
} expected;

// What rules ask for follows from what LLVM says that the CPU has.
static void registers_are_those_of_the_name(void **state) {
  (void)state;
  static const expected CPUS[] = {
      {"x86-64", "x86_64-pc-linux-gnu", 128, 16, false, false, false},
      {"x86-64-v2", "x86_64-pc-linux-gnu", 128, 16, false, false, false},
      {"sandybridge", "x86_64-pc-linux-gnu", 256, 16, false, false, false},
      {"x86-64-v3", "x86_64-pc-linux-gnu", 256, 16, true, false, false},
      {"znver3", "x86_64-pc-linux-gnu", 256, 16, true, false, false},
      {"x86-64-v4", "x86_64-pc-linux-gnu", 512, 32, true, false, false},
      {"znver4", "x86_64-pc-linux-gnu", 512, 32, true, true, true},
      {"cortex-a72", "aarch64-unknown-linux-gnu", 128, 32, true, false, false},
      {"neoverse-v1", "aarch64-unknown-linux-gnu", 128, 32, true, false, false},
      {"apple-m1", "arm64-apple-macosx11.0.0", 128, 32, true, false, false},
  };
  for (size_t i = 0; i < sizeof CPUS / sizeof *CPUS; ++i) {
    tune_fingerprint f;
    assert_ok(tune_cpu_model_describe(CPUS[i].name, &f));
    assert_string_equal(f.cpu, CPUS[i].name);
    assert_string_equal(f.triple, CPUS[i].triple);
    assert_int_equal(f.vector_bits, CPUS[i].bits);
    assert_int_equal(f.vector_registers, CPUS[i].registers);
    assert_int_equal(f.has_fma, CPUS[i].has_fma);
    assert_int_equal(f.has_bf16_dot, CPUS[i].has_bf16_dot);
    assert_int_equal(f.has_int8_dot, CPUS[i].has_int8_dot);
    assert_true(f.caches.count >= 2 && f.caches.items[0].bytes < f.caches.items[1].bytes);
    tune_fingerprint_deinit(&f);
  }
}

static void check_each(const char *names) {
  char *copy = strdup(names), *rest = copy;
  assert_non_null(copy);
  for (char *name; (name = strsep(&rest, " "));) {
    assert_ok(tune_cpu_model_check(name));
    tune_fingerprint f;
    assert_ok(tune_cpu_model_describe(name, &f));
    for (size_t i = 1; i < f.features.count; ++i) // as a fingerprint has them: sorted
      assert_true(strcmp(f.features.items[i - 1], f.features.items[i]) < 0);
    tune_fingerprint_deinit(&f);
  }
  free(copy);
}

static void each_cpu_of_the_list_can_be_described(void **state) {
  (void)state;
#define CHECK(architecture, names, features) check_each(names);
  TUNE_FOR_EACH_CPU(CHECK)
}

static void expect_failure(tune_status status, const char *part) {
  assert_int_equal(tune_status_get_code(status), TUNE_NOT_FOUND);
  if (!strstr(tune_status_get_message(status), part))
    fail_msg("'%s' without '%s'", tune_status_get_message(status), part);
  tune_status_free(status);
}

static void a_cpu_that_is_unknown_gets_near_names(void **state) {
  (void)state;
  static const char *const CASES[][2] = {
      {"znver44", "near it there are znver4"},
      {"neoverse-v9", "near it there are neoverse-"},
      {"m1", "apple-m1"},
      {"x86-64-v5", "x86-64-v4"},
      {"Z80", "there are, for example, x86-64-v2"},
      {"", "there are, for example"},
      {"x86-64-v3 x86-64-v4", "no CPU 'x86-64-v3 x86-64-v4'"},
      {"generic", "no CPU 'generic'"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; ++i) {
    tune_fingerprint f;
    expect_failure(tune_cpu_model_check(CASES[i][0]), CASES[i][1]);
    expect_failure(tune_cpu_model_describe(CASES[i][0], &f), CASES[i][1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(registers_are_those_of_the_name),
      cmocka_unit_test(each_cpu_of_the_list_can_be_described),
      cmocka_unit_test(a_cpu_that_is_unknown_gets_near_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
