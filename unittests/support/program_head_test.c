//===- program_head_test.c - How a device program begins ----------------------------===//

#include "support/program_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

#define HEAD 12 // bytes before the JSON

static char *make_program(const char *json, const char *code) {
  tune_string_builder builder;
  char *program;
  tune_string_builder_init(&builder);
  tune_program_head_append(&builder, json);
  tune_string_builder_append(&builder, code);
  assert_ok(tune_string_builder_finish(&builder, &program));
  return program;
}

// A JSON of more than 255 bytes, so that its length takes two: 0x0108.
static void a_head_comes_off_as_it_was_put_on(void **state) {
  (void)state;
  char json[0x0108 + 1];
  memset(json, ' ', sizeof json - 1);
  json[sizeof json - 1] = 0;
  memcpy(json, "{\"version\": 1", 13);
  json[sizeof json - 2] = '}';
  char *program = make_program(json, "code");
  const unsigned char head[HEAD] = {'T', 'U', 'N', 'E', 'P', 'R', 'G', '1', 0x08, 0x01, 0, 0};
  assert_memory_equal(program, head, HEAD);
  const char *rest = program;
  size_t size = HEAD + strlen(json) + 4;
  json_t *object;
  assert_ok(tune_program_head_take(&rest, &size, &object));
  assert_int_equal(json_integer_value(json_object_get(object, "version")), 1);
  assert_int_equal(size, 4);
  assert_memory_equal(rest, "code", 4);
  json_decref(object);
  free(program);
}

static void refuse(const char *bytes, size_t size, const char *part) {
  const char *rest = bytes;
  size_t left = size;
  json_t *object;
  tune_status status = tune_program_head_take(&rest, &left, &object);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_non_null(strstr(tune_status_get_message(status), part));
  tune_status_free(status);
  assert_null(object);
  assert_ptr_equal(rest, bytes); // nothing was taken
  assert_int_equal(left, size);
}

// Wherever it ends too early, and whatever its length says.
static void a_damaged_head_is_refused(void **state) {
  (void)state;
  char *program = make_program("{\"a\":1}", "");
  for (size_t size = 0; size < HEAD; ++size)
    refuse(program, size, "does not begin with TUNEPRG1 and a length");
  for (size_t size = HEAD; size < HEAD + 7; ++size)
    refuse(program, size, "7 bytes of JSON are said to be in its");
  program[8] = 6;
  refuse(program, HEAD + 7, "its JSON: ");
  memset(program + 8, 0xff, 4);
  refuse(program, HEAD + 7, "4294967295 bytes of JSON are said to be in its 19");
  program[0] = 't';
  refuse(program, HEAD + 7, "does not begin with TUNEPRG1");
  free(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_head_comes_off_as_it_was_put_on),
      cmocka_unit_test(a_damaged_head_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
