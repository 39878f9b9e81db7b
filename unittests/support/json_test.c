//===- json_test.c ------------------------------------------------------------===//

#include "support/json.h"

#include "support/utf8.h"
#include "unittests/common/failing_malloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char long_text[] =
    "{\"a name that is longer than what jansson begins with\": [1, -2.5e3, \"a text that is\"],"
    " \"b\": 123456789012345, \"c\": null}";

static void texts_are_read(void **state) {
  (void)state;
  json_error_t error;
  json_t *ours = tune_json_load(long_text, strlen(long_text), &error);
  json_t *theirs = json_loads(long_text, 0, NULL);
  assert_non_null(ours);
  assert_true(json_equal(ours, theirs));
  json_decref(ours);
  json_decref(theirs);
}

static void assert_refused(const char *text, size_t size, int position) {
  json_error_t error;
  if (tune_json_load(text, size, &error))
    fail_msg("%s is read", text ? text : "nothing");
  assert_false(tune_json_lacks_memory(&error));
  assert_int_equal(error.position, position);
}

// Also a text that goes on, and one with a NUL in it. Where the fault is comes with it.
static void faults_are_told(void **state) {
  (void)state;
  assert_refused("", 0, 0);
  assert_refused(NULL, 0, 0);
  assert_refused("{\"a\": 1.5, \"a\": 2}", 18, 14);
  assert_refused("[1, 2", 5, 5);
  assert_refused("[1] 2", 5, 5);
  assert_refused("[\"a\0\"]", 6, 3);
  assert_refused("12", 2, 2);
}

static tune_status load(void *context) {
  const json_t *expected = context;
  json_error_t error;
  json_t *object = tune_json_load(long_text, strlen(long_text), &error);
  if (!object)
    return tune_status_make(tune_json_lacks_memory(&error) ? TUNE_OUT_OF_MEMORY : TUNE_INTERNAL,
                            "%s", error.text);
  bool is_equal = json_equal(object, expected);
  json_decref(object);
  return is_equal ? TUNE_OK : tune_status_make(TUNE_INTERNAL, "a byte is lost");
}

// jansson itself loses a byte of a long text where it has no memory to go on.
static void a_lack_of_memory_is_no_fault_of_the_text(void **state) {
  (void)state;
  json_t *expected = json_loads(long_text, 0, NULL);
  assert_true(tune_fail_each_allocation_and_json(load, expected) > 10);
  json_decref(expected);
}

static void what_was_kept_is_read_or_lost(void **state) {
  (void)state;
  json_t *object;
  assert_null(tune_json_load_kept("{\"mc\": 8}", "a config", &object));
  assert_int_equal(json_integer_value(json_object_get(object, "mc")), 8);
  json_decref(object);
  tune_status status = tune_json_load_kept("{\"mc\": 8", "a config", &object);
  assert_int_equal(tune_status_get_code(status), TUNE_DATA_LOSS);
  assert_non_null(strstr(tune_status_get_message(status), "a config that is not JSON any more: "));
  assert_null(object);
  tune_status_free(status);
}

// An optional text and the name of a member, which jansson leaves out where it has no memory.
static tune_status pack_and_dump(void *context) {
  (void)context;
  json_t *object = tune_json_pack("{s:s*, s:s*, s:i}", "operands", "tf32", "none", NULL, "b", 2);
  char *text = tune_json_dump(object, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(object);
  if (!text)
    return tune_status_make(TUNE_OUT_OF_MEMORY, "packing");
  bool is_whole = strcmp(text, "{\"b\":2,\"operands\":\"tf32\"}") == 0;
  free(text);
  return is_whole ? TUNE_OK : tune_status_make(TUNE_INTERNAL, "something is left out");
}

static void what_is_written_is_whole(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation_and_json(pack_and_dump, NULL) > 5);
  assert_null(tune_json_dump(NULL, 0));
}

// However long, and in whatever script.
static void remarks_are_appended_whole(void **state) {
  (void)state;
  json_t *texts = json_array();
  tune_json_append_text(texts, "%0600d \xc3\xb6", 7);
  tune_json_append_text(texts, "%s", "of two");
  assert_int_equal(json_array_size(texts), 2);
  assert_int_equal(json_string_length(json_array_get(texts, 0)), 603);
  assert_string_equal(json_string_value(json_array_get(texts, 1)), "of two");
  json_decref(texts);
}

static void what_is_no_utf8_is_known(void **state) {
  (void)state;
  uint32_t character = 0;
  assert_int_equal(tune_utf8_decode("\xe2\x82\xac", &character), 3); // the euro sign
  assert_int_equal(character, 0x20ac);
  assert_int_equal(tune_utf8_decode("", &character), 1);
  assert_true(tune_utf8_is_valid("") && tune_utf8_is_valid("a\xc3\xb6\xf0\x9f\x98\x80"));
  const char *invalid[] = {"\x80", "a\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"};
  for (size_t i = 0; i < sizeof invalid / sizeof *invalid; ++i)
    assert_false(tune_utf8_is_valid(invalid[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(texts_are_read),
      cmocka_unit_test(faults_are_told),
      cmocka_unit_test(a_lack_of_memory_is_no_fault_of_the_text),
      cmocka_unit_test(what_was_kept_is_read_or_lost),
      cmocka_unit_test(what_is_written_is_whole),
      cmocka_unit_test(remarks_are_appended_whole),
      cmocka_unit_test(what_is_no_utf8_is_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
