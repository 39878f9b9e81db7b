//===- cbor_test.c ------------------------------------------------------------===//

#include "support/cbor.h"

#include "unittests/common/failing_malloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static tune_string_builder write_value(const json_t *value) {
  tune_string_builder bytes;
  tune_string_builder_init(&bytes);
  tune_cbor_append(&bytes, value);
  assert_false(bytes.failed);
  return bytes;
}

static json_t *make_value(void) {
  json_t *value =
      json_pack("{s:[f,f,f], s:{s:n, s:b, s:b}, s:s, s:[], s:{}}", "numbers", 0.1, -1e300, 4.9e-324,
                "words", "none", "yes", 1, "no", 0, "text", "\xc3\xa4 b", "empty", "nothing");
  json_t *integers = json_array();
  static const json_int_t sizes[] = {
      0,         23, 24,  255, 256,  65535, 65536,     UINT32_MAX,
      INT64_MAX, -1, -24, -25, -256, -257,  INT64_MIN, UINT32_MAX + 1LL};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
    assert_int_equal(json_array_append_new(integers, json_integer(sizes[i])), 0);
  assert_int_equal(json_object_set_new(value, "integers", integers), 0);
  return value;
}

// Also in the order of its members.
static void values_come_back(void **state) {
  (void)state;
  json_t *value = make_value(), *again;
  tune_string_builder bytes = write_value(value);
  assert_ok(tune_cbor_read(bytes.text, bytes.length, &again));
  assert_true(json_equal(value, again));
  char *texts[] = {json_dumps(value, 0), json_dumps(again, 0)};
  assert_string_equal(texts[0], texts[1]);
  free(texts[0]);
  free(texts[1]);
  json_decref(value);
  json_decref(again);
  tune_string_builder_deinit(&bytes);
}

// The examples of RFC 8949, appendix A: others can read it.
static void bytes_are_those_of_the_standard(void **state) {
  (void)state;
  static const struct {
    const char *json, *bytes;
    size_t size;
  } examples[] = {
      {"[10, 23, 24, 100]", "\x84\x0a\x17\x18\x18\x18\x64", 7},
      {"[1000, 1000000]", "\x82\x19\x03\xe8\x1a\x00\x0f\x42\x40", 9},
      {"[1000000000000]", "\x81\x1b\x00\x00\x00\xe8\xd4\xa5\x10\x00", 10},
      {"[-1, -100, -1000]", "\x83\x20\x38\x63\x39\x03\xe7", 7},
      {"[1.1]", "\x81\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a", 10},
      {"[false, true, null]", "\x83\xf4\xf5\xf6", 4},
      {"[\"\", \"IETF\"]", "\x82\x60\x64IETF", 7},
      {"{\"a\": 1, \"b\": [2, 3]}", "\xa2\x61\x61\x01\x61\x62\x82\x02\x03", 9},
  };
  for (size_t i = 0; i < sizeof examples / sizeof *examples; ++i) {
    json_t *value = json_loads(examples[i].json, 0, NULL);
    tune_string_builder bytes = write_value(value);
    assert_int_equal(bytes.length, examples[i].size);
    assert_memory_equal(bytes.text, examples[i].bytes, bytes.length);
    tune_string_builder_deinit(&bytes);
    json_decref(value);
  }
}

static void assert_refused(const char *bytes, size_t size) {
  json_t *value;
  tune_status status = tune_cbor_read(bytes, size, &value);
  assert_int_equal(tune_status_get_code(status), TUNE_DATA_LOSS);
  assert_null(value);
  tune_status_free(status);
}

// What is cut, what is no JSON, and what CBOR has beyond it.
static void others_are_refused(void **state) {
  (void)state;
  json_t *value = make_value();
  tune_string_builder bytes = write_value(value);
  for (size_t size = 0; size < bytes.length; ++size)
    assert_refused(bytes.text, size);
  tune_string_builder_append(&bytes, "more");
  assert_refused(bytes.text, bytes.length);
  tune_string_builder_deinit(&bytes);
  json_decref(value);

  assert_refused("\xa1\x01\x02", 3);                         // a name that is a number
  assert_refused("\xa2\x61\x61\x01\x61\x61\x02", 7);         // one that is there twice
  assert_refused("\xa1\x62\x61\0\x01", 5);                   // one with a NUL
  assert_refused("\x61\xff", 2);                             // no UTF-8
  assert_refused("\x41\x61", 2);                             // bytes
  assert_refused("\xc0\x61\x61", 3);                         // a tag
  assert_refused("\xf7", 1);                                 // undefined
  assert_refused("\xf9\x3c\x00", 3);                         // half a float
  assert_refused("\xfb\x7f\xf0\0\0\0\0\0\0", 9);             // infinity
  assert_refused("\x9f\xff", 2);                             // without a length
  assert_refused("\x1b\x80\0\0\0\0\0\0\0", 9);               // beyond JSON's integers
  assert_refused("\x9b\xff\xff\xff\xff\xff\xff\xff\xff", 9); // more than there can be
  char deep[4096];
  memset(deep, '\x81', sizeof deep);
  assert_refused(deep, sizeof deep);
}

static tune_status write_and_read(void *context) {
  tune_string_builder bytes;
  json_t *again;
  tune_string_builder_init(&bytes);
  tune_cbor_append(&bytes, context);
  tune_status status = bytes.failed ? tune_status_make(TUNE_OUT_OF_MEMORY, "writing")
                                    : tune_cbor_read(bytes.text, bytes.length, &again);
  if (tune_status_is_ok(status)) {
    assert_true(json_equal(again, context));
    json_decref(again);
  }
  tune_string_builder_deinit(&bytes);
  return status;
}

// A lack of memory is told from bytes that are wrong, and loses nothing.
static void memory_may_run_out(void **state) {
  (void)state;
  json_t *value = make_value();
  assert_true(tune_fail_each_allocation_and_json(write_and_read, value) > 30);
  json_decref(value);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_come_back),
      cmocka_unit_test(bytes_are_those_of_the_standard),
      cmocka_unit_test(others_are_refused),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
