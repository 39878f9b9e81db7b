//===- requests_test.c - Requests of the servers, written and read -----------===//

#include "formats/measure_requests.h"
#include "formats/worker_requests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"
#include "unittests/formats/round_trip.h"

ROUND_TRIP(tune_open_request)
ROUND_TRIP(tune_close_request)
ROUND_TRIP(tune_measure_request)
ROUND_TRIP(tune_compare_request)
ROUND_TRIP(tune_run_request)
ROUND_TRIP(tune_device_request)
ROUND_TRIP(tune_open_source_request)
ROUND_TRIP(tune_build_request)
ROUND_TRIP(tune_candidates_request)

#define TASK                                                                                       \
  "\"target\": \"cpu\", \"device\": \"0\", \"threads\": 2, \"cpus\": [2, 3],"                      \
  " \"flush_cache\": true, \"counters\": true, \"seed\": -7, \"dynamic\": 64,"                     \
  " \"inputs\": [\"/x.npy\", null], \"reference\": \"/r.so\", \"reduction\": 8,"                   \
  " \"accumulator\": \"f32\", \"operands\": \"tf32\", \"sensitivity\": true,"                      \
  " \"reference_cpus\": [0, 1],"                                                                   \
  " \"signature\": {\"entry\": \"e\"}, \"limits\": {\"seconds\": 1.5, \"bytes\": 1e9}"
#define SAMPLING                                                                                   \
  "\"measure\": {\"budget\": 0.5, \"precision\": 0.25, \"sample_limit\": 9, \"confidence\": 0.75}"
#define LIMITS "\"limits\": {\"seconds\": 1.5, \"bytes\": 1e9}"

// Each with every member that there is, and then with those alone that it has to have.
static const struct {
  round_trip run;
  const char *whole, *least;
} formats[] = {
    {tune_open_request_round_trip, "{\"do\": \"open\", \"task\": \"t\", " TASK "}",
     "{\"do\": \"open\", \"task\": \"t\", \"target\": \"cpu\", \"signature\": {}}"},
    {tune_close_request_round_trip, "{\"do\": \"close\", \"task\": \"t\"}",
     "{\"do\": \"close\", \"task\": \"t\"}"},
    {tune_measure_request_round_trip,
     "{\"do\": \"measure\", \"ticket\": 3, \"task\": \"t\", \"artifact\": \"/a\","
     " \"best\": 0.125, " SAMPLING ", " LIMITS "}",
     "{\"do\": \"measure\", \"task\": \"t\", \"artifact\": \"/a\"}"},
    {tune_compare_request_round_trip,
     "{\"do\": \"compare\", \"ticket\": 3, \"task\": \"t\", \"artifacts\": [\"/a\", \"/b\"],"
     " " SAMPLING ", " LIMITS "}",
     "{\"do\": \"compare\", \"task\": \"t\", \"artifacts\": [\"/a\"]}"},
    {tune_run_request_round_trip,
     "{\"do\": \"run\", \"ticket\": 3, " TASK ", \"artifacts\": [\"/a\"],"
     " \"outputs\": [null, \"/y.npy\"], " SAMPLING "}",
     "{\"do\": \"run\", \"target\": \"cpu\", \"signature\": {}, \"artifacts\": [\"/a\"]}"},
    {tune_device_request_round_trip,
     "{\"do\": \"fingerprint\", \"target\": \"cuda\", \"device\": \"sm_90\", \"threads\": 2,"
     " \"cpus\": [0], \"generic\": true, \"quick\": true}",
     "{\"do\": \"fingerprint\", \"target\": \"cuda\"}"},
    {tune_open_source_request_round_trip,
     "{\"do\": \"open\", \"task\": \"t\", \"payload\": \"p\", \"payload_source\": \"p.mlir\","
     " \"schedule\": \"s\", \"schedule_source\": \"s.mlir\", \"function\": \"f\","
     " \"allow_passes\": \"a,b\", \"target\": {\"name\": \"cuda\", \"device\": {\"arch\": \"x\"},"
     " \"triple\": \"x86\", \"cpu\": \"znver5\", \"features\": \"+fma\"}, \"threads\": 2,"
     " \"describe\": true, \"module\": {\"database\": \"/d\", \"schedule\": \"/s\","
     " \"config\": \"k=1\", \"flush_cache\": true}, \"sizes\": [64, 0]}",
     "{\"do\": \"open\", \"task\": \"t\"}"},
    {tune_build_request_round_trip,
     "{\"do\": \"build\", \"ticket\": 3, \"task\": \"t\", \"config\": {\"mc\": 2},"
     " \"output\": \"/x.so\", \"emit\": \"asm\", " LIMITS ", \"cpus\": [1],"
     " \"yields\": true}",
     "{\"do\": \"build\", \"ticket\": 3, \"task\": \"t\", \"output\": \"/x.so\"}"},
    {tune_candidates_request_round_trip,
     "{\"do\": \"candidates\", \"payload\": \"p\", \"payload_source\": \"p.mlir\","
     " \"function\": \"f\", \"target\": {\"name\": \"cuda\", \"fingerprint\": {\"arch\": \"x\"}},"
     " \"threads\": 2, \"schedule\": \"/s\", \"allow_passes\": \"a,b\", \"database\": \"/d\","
     " \"flush_cache\": true, \"configs\": [\"k=1\"], \"trials\": 4, \"seed\": 5,"
     " \"sizes\": [7]}",
     "{\"do\": \"candidates\"}"},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static json_t *load(const char *text) {
  json_t *object = json_loads(text, 0, NULL);
  assert_non_null(object);
  return object;
}

// Nothing of a request with all members is lost, or renamed, on the way through its struct.
static void every_member_survives(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMATS; ++i) {
    json_t *object = load(formats[i].whole), *again;
    assert_ok(formats[i].run(object, &again));
    if (!json_equal(object, again))
      fail_msg("%s became %s", formats[i].whole, json_dumps(again, 0));
    json_decref(object);
    json_decref(again);
  }
}

// What may be absent may be null, too, and is the same as absent; what has to be there is named.
static void absent_members_are_fine_or_named(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMATS; ++i) {
    json_t *whole = load(formats[i].whole), *least = load(formats[i].least);
    const char *name;
    json_t *value, *again;
    assert_ok(formats[i].run(least, &again));
    json_decref(again);
    json_object_foreach(whole, name, value) {
      json_t *object = json_copy(whole);
      json_object_set_new(object, name, json_null());
      tune_status status = formats[i].run(object, &again);
      bool is_needed = json_object_get(least, name) && strcmp(name, "do") != 0;
      if (is_needed == tune_status_is_ok(status))
        fail_msg("%s: \"%s\" null: %s", formats[i].whole, name,
                 is_needed ? "is not missed" : tune_status_get_message(status));
      if (is_needed)
        assert_non_null(strstr(tune_status_get_message(status), name));
      tune_status_free(status);
      json_decref(again);
      json_decref(object);
    }
    json_decref(whole);
    json_decref(least);
  }
}

// A member of another type is refused by its name, those of objects within too. No member may be an
// array of arrays.
static void wrong_types_are_named(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMATS; ++i) {
    json_t *whole = load(formats[i].whole), *value, *again;
    const char *name;
    json_object_foreach(whole, name, value) {
      if (strcmp(name, "do") == 0)
        continue;
      json_t *object = json_copy(whole);
      json_object_set_new(object, name, json_pack("[[]]"));
      tune_status status = formats[i].run(object, &again);
      assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
      assert_non_null(strstr(tune_status_get_message(status), name));
      tune_status_free(status);
      json_decref(object);
    }
    json_decref(whole);
  }
}

static void ranges_are_told(void **state) {
  (void)state;
  static const struct {
    size_t format;
    const char *member, *value, *message;
  } cases[] = {
      {0, "threads", "{\"v\": 0}", "\"threads\": expected an integer of at least 1"},
      {0, "cpus", "{\"v\": [-1]}", "\"cpus\": expected an array of integers"},
      {0, "inputs", "{\"v\": [3]}", "\"inputs\": expected an array of strings or null"},
      {0, "flush_cache", "{\"v\": 1}", "\"flush_cache\": expected true or false"},
      {2, "limits", "{\"v\": {\"seconds\": 0}}",
       "limits: \"seconds\": expected a number of at least 0.001"},
      {2, "measure", "{\"v\": {\"confidence\": 1}}",
       "measure: \"confidence\": expected 0.5 to 0.9"},
      {6, "threads", "{\"v\": 4097}", "\"threads\": expected 1 to 4096"},
      {6, "target", "{\"v\": {\"device\": \"x\"}}", "target: \"device\": expected an object"},
      {8, "trials", "{\"v\": -1}", "\"trials\": expected 0 to 1000000"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    json_t *object = load(formats[cases[i].format].whole), *value = load(cases[i].value), *again;
    json_object_set(object, cases[i].member, json_object_get(value, "v"));
    tune_status status = formats[cases[i].format].run(object, &again);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    if (!strstr(tune_status_get_message(status), cases[i].message))
      fail_msg("expected %s, got %s", cases[i].message, tune_status_get_message(status));
    tune_status_free(status);
    json_decref(value);
    json_decref(object);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_member_survives),
      cmocka_unit_test(absent_members_are_fine_or_named),
      cmocka_unit_test(wrong_types_are_named),
      cmocka_unit_test(ranges_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
