//===- replies_test.c - Replies of the servers, written and read -------------===//

#include "formats/measure_replies.h"
#include "formats/worker_replies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"
#include "unittests/formats/round_trip.h"

ROUND_TRIP(tune_open_reply)
ROUND_TRIP(tune_measure_reply)
ROUND_TRIP(tune_compare_reply)
ROUND_TRIP(tune_run_reply)
ROUND_TRIP(tune_device_reply)
ROUND_TRIP(tune_reference_report)
ROUND_TRIP(tune_open_source_reply)
ROUND_TRIP(tune_build_reply)
ROUND_TRIP(tune_candidates_reply)

#define TIMES                                                                                      \
  "\"samples\": [0.5, 0.25], \"repeats\": 3, \"median\": 0.375, \"low\": 0.25, \"high\": 0.5,"     \
  " \"noise\": 0.0, \"outliers\": 0"
#define RESULT                                                                                     \
  "{\"verdict\": \"ok\", \"check\": {\"max_error\": 0}, " TIMES ", \"counters\": {\"cycles\": 1}}"
#define COMPARED                                                                                   \
  "\"verdict\": \"wrong\", \"error\": \"off by one\", \"artifact\": 0, \"results\": [" RESULT      \
  "], \"ratios\": [{\"ratio\": 1.5, \"low\": 1.25, \"high\": 2.0}], \"placements\": 9,"            \
  " \"is_whole\": true"
#define TASK                                                                                       \
  "{\"name\": \"matmul\", \"kind\": \"contraction\", \"type\": \"f32\", \"count\": 2,"             \
  " \"flops\": 0, \"bytes\": 12, \"reduction\": 4, \"at_once\": 2, \"from\": \"default\", "        \
  "\"why\": \"none\"}"

// Each as its sender writes it, with every member that there is.
static const struct {
  round_trip run;
  const char *whole;
} formats[] = {
    {tune_open_reply_round_trip, "{\"reference_seconds\": 0.5, \"nan_share\": 0.0}"},
    {tune_open_reply_round_trip, "{\"reference_seconds\": 0.5, \"nan_share\": 0.0,"
                                 " \"unchecked_share\": 0.5, \"unchecked\": \"half of it\"}"},
    {tune_measure_reply_round_trip, RESULT},
    {tune_measure_reply_round_trip, "{\"verdict\": \"run-crashed\", \"error\": \"SIGSEGV\"}"},
    {tune_compare_reply_round_trip, "{" COMPARED "}"},
    {tune_compare_reply_round_trip,
     "{\"verdict\": \"run-crashed\", \"error\": \"SIGSEGV\", \"artifact\": 2}"},
    {tune_run_reply_round_trip, "{" COMPARED ", \"shapes\": [[4, 5000000000], []],"
                                " \"reference_seconds\": 0.5, \"nan_share\": 0.25}"},
    {tune_run_reply_round_trip, "{\"verdict\": \"run-timeout\", \"shapes\": []}"},
    {tune_device_reply_round_trip, "{\"fingerprint\": {\"model\": \"x\"}, \"digest\": \"d\"}"},
    {tune_device_reply_round_trip, "{\"roofline\": {\"peak\": {}}}"},
    {tune_reference_report_round_trip, "{\"seconds\": 0.5, \"outputs\": [[2, 3], []]}"},
    {tune_reference_report_round_trip,
     "{\"seconds\": 0.5, \"outputs\": [[2, 3], []], \"leans\": true}"},
    {tune_open_source_reply_round_trip, "{\"task\": \"t\", \"signature\": {\"entry\": \"e\"}}"},
    {tune_open_source_reply_round_trip,
     "{\"task\": \"t\", \"signature\": {}, \"function\": \"f\", \"accumulator\": \"f32\","
     " \"operands\": \"tf32\", \"tasks\": [" TASK "]}"},
    {tune_open_source_reply_round_trip, "{\"task\": \"t\", \"signature\": {}, \"function\": \"f\","
                                        " \"accumulator\": null, \"tasks\": []}"},
    {tune_build_reply_round_trip,
     "{\"verdict\": \"built\", \"digest\": \"d\", \"seconds\": {\"transform\": 0.5,"
     " \"lower\": 0.0, \"optimize\": 1.5, \"codegen\": 2.5, \"link\": 3.5}, \"packs_ahead\": true,"
     " \"packs_at_load\": true, \"arena\": {\"size\": 128, \"bound\": 64, \"separate\": 192},"
     " \"code\": {\"registers\": 32}}"},
    {tune_build_reply_round_trip, "{\"verdict\": \"build-failed\", \"error\": \"no\"}"},
    {tune_candidates_reply_round_trip,
     "{\"tasks\": [{\"line\": {\"key\": \"k\"}, \"function\": \"f\", \"payload\": \"p\","
     " \"schedule\": \"s\", \"schedule_source\": \"s.mlir\", \"schedule_digest\": \"d\","
     " \"reduction\": 0, \"accumulator\": null, \"operands\": \"tf32\","
     " \"candidates\": [{\"config\": {\"mc\": 2}, \"strategy\": \"given\"}]}]}"},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static json_t *load(const char *text) {
  json_t *object = json_loads(text, 0, NULL);
  assert_non_null(object);
  return object;
}

static void assert_fails(tune_status status, tune_status_code code, const char *part) {
  assert_int_equal(tune_status_get_code(status), code);
  if (!strstr(tune_status_get_message(status), part))
    fail_msg("expected %s, got %s", part, tune_status_get_message(status));
  tune_status_free(status);
}

// Nothing of a reply is lost, renamed or added on the way through its struct, nor moved.
static void every_member_survives(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMATS; ++i) {
    json_t *object = load(formats[i].whole), *again;
    assert_ok(formats[i].run(object, &again));
    char *before = json_dumps(object, 0), *after = json_dumps(again, 0);
    if (strcmp(before, after) != 0)
      fail_msg("%s became %s", before, after);
    free(before);
    free(after);
    json_decref(object);
    json_decref(again);
  }
}

// A member of another type is refused by its name.
static void wrong_types_are_named(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMATS; ++i) {
    json_t *whole = load(formats[i].whole), *value, *again;
    const char *name;
    json_object_foreach(whole, name, value) {
      json_t *object = json_copy(whole);
      json_object_set_new(object, name, json_pack("[[[]]]"));
      assert_fails(formats[i].run(object, &again), TUNE_INVALID_ARGUMENT, name);
      json_decref(object);
    }
    json_decref(whole);
  }
}

// What a part has to have is missed once the part is there, and only then.
static void parts_are_whole_or_absent(void **state) {
  (void)state;
  static const char *const TIMED[] = {"median", "low", "high"};
  json_t *again;
  for (size_t i = 0; i < sizeof TIMED / sizeof *TIMED; ++i) {
    json_t *object = load("{" TIMES "}");
    json_object_del(object, TIMED[i]);
    assert_fails(tune_measure_reply_round_trip(object, &again), TUNE_INVALID_ARGUMENT, TIMED[i]);
    json_object_del(object, "samples");
    assert_ok(tune_measure_reply_round_trip(object, &again));
    json_decref(again);
    json_decref(object);
  }
}

// A shape within is as bad as none, and says of which result or task it is.
static void what_is_within_is_named(void **state) {
  (void)state;
  static const struct {
    round_trip run;
    const char *text, *message;
  } cases[] = {
      {tune_run_reply_round_trip, "{\"shapes\": [[1, 2], [3, 0.5]]}",
       "\"shapes\": expected an array of arrays of integers"},
      {tune_run_reply_round_trip, "{\"shapes\": [[1], -1]}",
       "\"shapes\": expected an array of arrays of integers"},
      {tune_run_reply_round_trip, "{\"shapes\": [[-1]]}",
       "\"shapes\": expected an array of arrays of integers"},
      {tune_compare_reply_round_trip, "{\"results\": [{}, {\"samples\": [1, -1]}]}",
       "result 1: \"samples\": expected an array of numbers"},
      {tune_compare_reply_round_trip, "{\"ratios\": [{\"ratio\": 1, \"low\": 1}]}",
       "ratio 0: \"high\": expected a number of at least 0"},
      {tune_compare_reply_round_trip, "{\"artifact\": -2}",
       "\"artifact\": expected an integer of at least 0"},
      {tune_build_reply_round_trip, "{\"verdict\": \"built\", \"seconds\": {}}",
       "seconds: \"transform\": expected a number of at least 0"},
      {tune_open_source_reply_round_trip, "{\"signature\": {}, \"function\": \"f\"}",
       "\"tasks\": expected an array of objects"},
      {tune_candidates_reply_round_trip, "{\"tasks\": [{}]}",
       "task 0: \"line\": expected an object"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    json_t *object = load(cases[i].text), *again;
    assert_fails(cases[i].run(object, &again), TUNE_INVALID_ARGUMENT, cases[i].message);
    json_decref(object);
  }
}

// The driver is no better than its servers: what is wrong with a reply is nobody's argument.
static void a_broken_reply_is_lost_data(void **state) {
  (void)state;
  tune_device_reply reply;
  json_t *object = load("{\"roofline\": 1}");
  assert_fails(tune_reply_was_read(tune_device_reply_from_json(object, &reply)), TUNE_DATA_LOSS,
               "a reply: \"roofline\": expected an object");
  json_decref(object);
  assert_ok(tune_reply_was_read(TUNE_OK));
  assert_fails(tune_reply_was_read(tune_status_out_of_memory("reading")), TUNE_OUT_OF_MEMORY,
               "reading");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_member_survives),       cmocka_unit_test(wrong_types_are_named),
      cmocka_unit_test(parts_are_whole_or_absent),   cmocka_unit_test(what_is_within_is_named),
      cmocka_unit_test(a_broken_reply_is_lost_data),
  };
  return cmocka_run_group_tests_name("formats/replies", tests, NULL, NULL);
}
