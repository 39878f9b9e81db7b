//===- status_test.c ------------------------------------------------------------===//

#include "support/status.h"

#include "unittests/common/failing_malloc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void success_is_null_and_reads_ok(void **state) {
  (void)state;
  assert_true(tune_status_is_ok(TUNE_OK));
  assert_int_equal(tune_status_get_code(TUNE_OK), TUNE_STATUS_OK);
  assert_string_equal(tune_status_get_message(TUNE_OK), "OK");
  assert_null(tune_status_annotate(TUNE_OK, "never %d", 1));
  tune_status_free(TUNE_OK);
}

static void context_goes_before_the_message(void **state) {
  (void)state;
  tune_status status = tune_status_make(TUNE_NOT_FOUND, "knob %s", "mc");
  status = tune_status_annotate(status, "reading %s", "in.mlir");
  status = tune_status_annotate(status, "tuning");
  assert_int_equal(tune_status_get_code(status), TUNE_NOT_FOUND);
  assert_string_equal(tune_status_get_message(status), "tuning: reading in.mlir: knob mc");
  tune_status_free(status);
}

// The message stays; that memory ran out is nobody's fault, whoever is told.
static void a_status_gets_another_code(void **state) {
  (void)state;
  tune_status status = tune_status_recode(tune_status_make(TUNE_NOT_FOUND, "gone"), TUNE_DATA_LOSS);
  assert_int_equal(tune_status_get_code(status), TUNE_DATA_LOSS);
  assert_string_equal(tune_status_get_message(status), "gone");
  tune_status_free(status);
  status = tune_status_recode(tune_status_out_of_memory("making %s", "it"), TUNE_DATA_LOSS);
  assert_int_equal(tune_status_get_code(status), TUNE_OUT_OF_MEMORY);
  assert_string_equal(tune_status_get_message(status), "making it");
  tune_status_free(status);
  assert_null(tune_status_recode(TUNE_OK, TUNE_DATA_LOSS));
}

static void errno_gives_code_and_reason(void **state) {
  (void)state;
  static const struct {
    int error;
    tune_status_code code;
  } cases[] = {{ENOENT, TUNE_NOT_FOUND},           {EEXIST, TUNE_ALREADY_EXISTS},
               {ENOMEM, TUNE_OUT_OF_MEMORY},       {ENOSPC, TUNE_RESOURCE_EXHAUSTED},
               {EACCES, TUNE_FAILED_PRECONDITION}, {ETIMEDOUT, TUNE_DEADLINE_EXCEEDED},
               {EINVAL, TUNE_INVALID_ARGUMENT},    {EIO, TUNE_INTERNAL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tune_status status = tune_status_from_errno(cases[i].error, "opening %s", "x");
    assert_int_equal(tune_status_get_code(status), cases[i].code);
    char expected[100];
    snprintf(expected, sizeof expected, "opening x: %s", strerror(cases[i].error));
    assert_string_equal(tune_status_get_message(status), expected);
    tune_status_free(status);
  }
}

// The first failure is the one to tell; the second one is freed (the sanitizer watches).
static void join_keeps_the_first_failure(void **state) {
  (void)state;
  tune_status first = tune_status_make(TUNE_INTERNAL, "first");
  tune_status second = tune_status_make(TUNE_INTERNAL, "second");
  tune_status both = tune_status_join(first, second);
  assert_ptr_equal(both, first);
  both = tune_status_join(TUNE_OK, both);
  assert_ptr_equal(both, first);
  both = tune_status_join(both, TUNE_OK);
  assert_string_equal(tune_status_get_message(both), "first");
  tune_status_free(both);
}

static void each_code_has_its_own_name(void **state) {
  (void)state;
  for (int a = TUNE_STATUS_OK; a <= TUNE_INTERNAL; ++a)
    for (int b = a + 1; b <= TUNE_INTERNAL; ++b)
      assert_string_not_equal(tune_status_code_name((tune_status_code)a),
                              tune_status_code_name((tune_status_code)b));
  assert_string_equal(tune_status_code_name((tune_status_code)99), "unknown");
}

static tune_status make_and_annotate(void *context) {
  (void)context;
  tune_status status = tune_status_make(TUNE_OUT_OF_MEMORY, "%s", "inner");
  status = tune_status_annotate(status, "outer");
  assert_non_null(tune_status_get_message(status));
  return status;
}

// Whichever allocation fails, there is a status to return and a message to print.
static void making_a_status_cannot_fail(void **state) {
  (void)state;
  for (size_t n = 1; n <= 3; ++n) {
    tune_failing_malloc_arm(n);
    tune_status status = make_and_annotate(NULL);
    assert_true(tune_failing_malloc_disarm());
    assert_int_equal(tune_status_get_code(status), TUNE_OUT_OF_MEMORY);
    if (n < 3)
      assert_string_equal(tune_status_get_message(status), "out of memory");
    else // the context is lost, the message is not
      assert_string_equal(tune_status_get_message(status), "inner");
    assert_string_not_equal(tune_status_get_message(tune_status_annotate(status, "again")), "");
    tune_status_free(status);
  }
  tune_failing_malloc_arm(1);
  tune_status status = tune_status_from_errno(EIO, "reading");
  assert_true(tune_failing_malloc_disarm());
  assert_int_equal(tune_status_get_code(status), TUNE_OUT_OF_MEMORY);
  tune_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(success_is_null_and_reads_ok),
      cmocka_unit_test(context_goes_before_the_message),
      cmocka_unit_test(a_status_gets_another_code),
      cmocka_unit_test(errno_gives_code_and_reason),
      cmocka_unit_test(join_keeps_the_first_failure),
      cmocka_unit_test(each_code_has_its_own_name),
      cmocka_unit_test(making_a_status_cannot_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
