//===- process_messages_test.c - Replies of servers that are not trusted --------------===//

#include "space_fixture.h"

#include "tuning/evaluators/process_messages.h"

#include <math.h>

static json_t *load(const char *text) {
  json_t *object = json_loads(text, 0, NULL);
  assert_non_null(object);
  return object;
}

static const char built[] =
    "{\"ticket\": 7, \"verdict\": \"built\", \"digest\": \"d\", \"seconds\": {\"transform\": 1,"
    " \"lower\": 2, \"optimize\": 3, \"codegen\": 4, \"link\": 5}}";
static const char timed[] = "{\"ticket\": 7, \"verdict\": \"ok\", \"samples\": [2, 3], "
                            "\"median\": 2, \"low\": 1, \"high\": 3,"
                            " \"check\": {\"max_error\": 0.5, \"tolerance\": 1}}";
static const char compared[] =
    "{\"ticket\": 7, \"verdict\": \"ok\","
    " \"results\": [{\"samples\": [2], \"median\": 2, \"low\": 1, \"high\": 3},"
    "               {\"samples\": [4], \"median\": 4, \"low\": 3, \"high\": 5}],"
    " \"ratios\": [{\"ratio\": 1, \"low\": 1, \"high\": 1},"
    "              {\"ratio\": 2, \"low\": 1.5, \"high\": 2.5}], \"placements\": 9}";

static tune_status read_build(const json_t *reply) {
  tune_evaluation event = {0};
  tune_status status = tune_reply_read_build(reply, &event);
  tune_evaluation_deinit(&event);
  return status;
}

static tune_status read_measure(const json_t *reply) {
  tune_evaluation event = {0};
  tune_status status = tune_reply_read_measure(reply, &event);
  tune_evaluation_deinit(&event);
  return status;
}

static tune_status read_compare(const json_t *reply) {
  tune_comparison comparison;
  tune_status status = tune_reply_read_compare(reply, 2, &comparison);
  if (tune_status_is_ok(status))
    assert_int_equal(comparison.placements, 9);
  if (tune_status_is_ok(status))
    tune_comparison_deinit(&comparison);
  return status;
}

typedef tune_status (*reader)(const json_t *reply);

// `text` with `from` in it replaced by `to`, which is refused with `part` in the message.
static void refuse(reader read, const char *text, const char *from, const char *to,
                   tune_status_code code, const char *part) {
  const char *at = strstr(text, from);
  char changed[1024];
  assert_non_null(at);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  json_t *reply = load(changed);
  assert_fails(read(reply), code, part);
  json_decref(reply);
}

static void whole_replies_are_taken(void **state) {
  (void)state;
  const struct {
    reader read;
    const char *text;
  } replies[] = {{read_build, built}, {read_measure, timed}, {read_compare, compared}};
  for (size_t i = 0; i < 3; ++i) {
    json_t *reply = load(replies[i].text);
    assert_int_equal(tune_reply_ticket(reply), 7);
    assert_ok(replies[i].read(reply));
    json_decref(reply);
    refuse(replies[i].read, replies[i].text, "\"verdict\"",
           "\"error\": {\"code\": \"unavailable\", \"message\": \"the device is gone\"}, \"v\"",
           TUNE_UNAVAILABLE, "the device is gone");
  }
}

// What is missing, of another type, negative or in no order is named, and nothing of it is used.
static void broken_replies_are_named(void **state) {
  (void)state;
  refuse(read_build, built, "\"verdict\"", "\"v\"", TUNE_DATA_LOSS, "\"verdict\"");
  refuse(read_build, built, "built", "well", TUNE_DATA_LOSS, "well");
  refuse(read_build, built, "\"d\"", "null", TUNE_DATA_LOSS, "\"digest\"");
  refuse(read_build, built, "\"d\"", "1", TUNE_DATA_LOSS, "\"digest\"");
  refuse(read_build, built, "\"seconds\"", "\"s\"", TUNE_DATA_LOSS, "\"seconds\"");
  refuse(read_build, built, "\"link\"", "\"l\"", TUNE_DATA_LOSS, "\"link\"");
  refuse(read_build, built, "4", "-4", TUNE_DATA_LOSS, "\"codegen\"");
  refuse(read_measure, timed, "[2, 3]", "[]", TUNE_DATA_LOSS, "\"samples\"");
  refuse(read_measure, timed, "[2, 3]", "[2, -3]", TUNE_DATA_LOSS, "\"samples\"");
  refuse(read_measure, timed, "\"median\": 2", "\"median\": 4", TUNE_DATA_LOSS, "\"median\"");
  refuse(read_measure, timed, "\"median\": 2", "\"median\": 0", TUNE_DATA_LOSS, "\"median\"");
  refuse(read_measure, timed, "\"high\": 3", "\"high\": true", TUNE_DATA_LOSS, "\"high\"");
  refuse(read_measure, timed, "0.5", "\"small\"", TUNE_DATA_LOSS, "\"max_error\"");
  refuse(read_compare, compared, "\"ratios\"", "\"r\"", TUNE_DATA_LOSS, "\"results\"");
  refuse(read_compare, compared, "{\"ratio\": 1, \"low\": 1, \"high\": 1},", "", TUNE_DATA_LOSS,
         "\"results\"");
  refuse(read_compare, compared, "1.5", "2.75", TUNE_DATA_LOSS, "\"ratio\"");
  refuse(read_compare, compared, "[4]", "[null]", TUNE_DATA_LOSS, "\"samples\"");
  refuse(read_compare, compared, "\"ok\"", "\"well\"", TUNE_DATA_LOSS, "well");
}

// An error that is infinite is null in JSON; of a comparison that failed the artifact may not be
// known, or be none of those that were compared.
static void failures_are_outcomes(void **state) {
  (void)state;
  json_t *reply = load("{\"verdict\": \"wrong\", \"error\": \"off by one\","
                       " \"check\": {\"max_error\": null, \"tolerance\": 1}}");
  tune_evaluation event = {0};
  assert_ok(tune_reply_read_measure(reply, &event));
  assert_int_equal(event.verdict, TUNE_VERDICT_WRONG);
  assert_true(isinf(event.run.check.error));
  tune_evaluation_deinit(&event);
  const int given[] = {1, 2};
  const size_t expected[] = {1, 2};
  for (size_t i = 0; i < 2; ++i) {
    json_object_set_new(reply, "artifact", json_integer(given[i]));
    tune_comparison comparison;
    assert_ok(tune_reply_read_compare(reply, 2, &comparison));
    assert_true(comparison.failed);
    assert_int_equal(comparison.culprit, expected[i]);
    assert_string_equal(comparison.error, "off by one");
    tune_comparison_deinit(&comparison);
  }
  json_object_set_new(reply, "artifact", json_integer(-1));
  assert_fails(read_compare(reply), TUNE_DATA_LOSS, "\"artifact\"");
  json_decref(reply);
}

// Not an answer of nothing: JSON has no texts that are not UTF-8.
static void a_request_in_another_encoding_is_none(void **state) {
  (void)state;
  json_t *request;
  assert_fails(tune_request_close("\xff", &request), TUNE_OUT_OF_MEMORY,
               "a text that is not UTF-8");
  assert_null(request);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_replies_are_taken),
      cmocka_unit_test(broken_replies_are_named),
      cmocka_unit_test(failures_are_outcomes),
      cmocka_unit_test(a_request_in_another_encoding_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
