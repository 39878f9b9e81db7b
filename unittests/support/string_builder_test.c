//===- string_builder_test.c ----------------------------------------------------===//

#include "support/string_builder.h"

#include "unittests/common/failing_malloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void nothing_appended_is_an_empty_text(void **state) {
  (void)state;
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  char *text;
  assert_null(tune_string_builder_finish(&builder, &text));
  assert_string_equal(text, "");
  free(text);
}

static void appends_in_order_and_is_reusable(void **state) {
  (void)state;
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  for (int round = 0; round < 2; ++round) {
    tune_string_builder_append(&builder, "a");
    tune_string_builder_append_bytes(&builder, "b\0c", 3);
    tune_string_builder_appendf(&builder, "%d-%s", 42, "d");
    assert_int_equal(builder.length, 8);
    char *text;
    assert_null(tune_string_builder_finish(&builder, &text));
    assert_memory_equal(text, "ab\0c42-d", 9);
    free(text);
  }
}

static tune_status build_long_text(void *context) {
  (void)context;
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  for (int i = 0; i < 1000; ++i)
    tune_string_builder_appendf(&builder, "%04d ", i);
  char *text;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&builder, &text));
  assert_int_equal(strlen(text), 5000);
  for (int i = 0; i < 1000; ++i)
    assert_int_equal(atoi(text + 5 * i), i);
  free(text);
  return TUNE_OK;
}

// 64 bytes grow to 8 KiB in seven more steps; a failure in any of them is told at the end.
static void running_out_of_memory_is_told_once(void **state) {
  (void)state;
  assert_int_equal(tune_fail_each_allocation(build_long_text, NULL), 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_appended_is_an_empty_text),
      cmocka_unit_test(appends_in_order_and_is_reusable),
      cmocka_unit_test(running_out_of_memory_is_told_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
