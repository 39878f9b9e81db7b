//===- record_test.c ----------------------------------------------------------===//

#include "space_fixture.h"

#include "tuning/record.h"

#include <math.h>

static const char full[] =
    "{\"kind\":\"trial\",\"task\":\"t\",\"fingerprint\":\"f\",\"schedule\":\"s\","
    "\"config\":{\"mc\":64,\"nr\":8},\"script\":\"module {}\",\"verdict\":\"ok\",\"digest\":\"d\","
    "\"time\":{\"median\":0.5,\"low\":0.25,\"high\":0.75,\"repeats\":4,\"samples\":[0.5,0.25,0.75]}"
    ","
    "\"check\":{\"max_error\":0.125,\"tolerance\":0.5},\"stages\":{\"lower\":0.5,\"measure\":1.5},"
    "\"code\":{\"registers\":96,\"spilled_bytes\":4,\"shared_bytes\":44544},"
    "\"strategy\":\"random\",\"seed\":\"18446744073709551615\",\"created_ms\":1700000000000}";

static json_t *load(const char *text) {
  json_t *object = json_loads(text, JSON_ALLOW_NUL, NULL);
  assert_non_null(object);
  return object;
}

static void names(void **state) {
  (void)state;
  tune_verdict verdict;
  for (int i = 0; i < TUNE_VERDICT_COUNT; ++i) {
    assert_ok(tune_verdict_parse(tune_verdict_name((tune_verdict)i), &verdict));
    assert_int_equal(verdict, i);
  }
  assert_fails(tune_verdict_parse("good", &verdict), TUNE_INVALID_ARGUMENT, "run-crashed");
  assert_false(tune_verdict_is_failure(TUNE_VERDICT_OK));
  assert_false(tune_verdict_is_failure(TUNE_VERDICT_CUT));
  assert_false(tune_verdict_is_failure(TUNE_VERDICT_DUPLICATE));
  assert_true(tune_verdict_is_failure(TUNE_VERDICT_WRONG));
  assert_true(tune_verdict_is_failure(TUNE_VERDICT_CANCELLED));
  assert_string_equal(tune_stage_name(TUNE_STAGE_CODEGEN), "codegen");
}

static void json_round_trip(void **state) {
  (void)state;
  json_t *object = load(full), *again;
  tune_record record, copy;
  assert_ok(tune_record_from_json(object, &record));
  assert_int_equal(record.verdict, TUNE_VERDICT_OK);
  assert_string_equal(record.config, "{\"mc\":64,\"nr\":8}");
  assert_true(record.seed == UINT64_MAX);
  assert_int_equal(record.time.sample_count, 3);
  assert_true(record.stage_seconds[TUNE_STAGE_MEASURE] == 1.5);
  assert_int_equal(record.code.registers, 96);
  assert_ok(tune_record_init_copy(&copy, &record));
  tune_record_deinit(&record);
  assert_ok(tune_record_to_json(&copy, &again));
  assert_true(json_equal(object, again));
  tune_record_deinit(&copy);
  json_decref(object);
  json_decref(again);
}

// Each member in turn is missing, or is something else than it has to be.
static void refuses_every_broken_member(void **state) {
  (void)state;
  json_t *object = load(full);
  static const char *const required[] = {"kind",   "task",      "fingerprint", "schedule",
                                         "config", "verdict",   "strategy",    "seed",
                                         "time",   "created_ms"};
  size_t refused = 0;
  const char *name;
  json_t *value;
  json_object_foreach(object, name, value) {
    json_t *broken = json_deep_copy(object);
    tune_record record;
    json_object_set_new(broken, name, json_true());
    assert_fails(tune_record_from_json(broken, &record), TUNE_INVALID_ARGUMENT, "");
    assert_null(record.task);
    json_object_del(broken, name);
    tune_status status = tune_record_from_json(broken, &record);
    refused += !tune_status_is_ok(status);
    if (tune_status_is_ok(status))
      tune_record_deinit(&record);
    tune_status_free(status);
    json_decref(broken);
  }
  assert_int_equal(refused, sizeof required / sizeof *required);
  json_decref(object);
}

// `text` is full with a replacement.
static void assert_refused(const char *from, const char *to, const char *expected) {
  char text[2048];
  const char *place = strstr(full, from);
  assert_non_null(place);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(place - full), full, to, place + strlen(from));
  json_t *object = load(text);
  tune_record record;
  assert_fails(tune_record_from_json(object, &record), TUNE_INVALID_ARGUMENT, expected);
  json_decref(object);
}

static void refuses_what_makes_no_sense(void **state) {
  (void)state;
  assert_refused("\"kind\":\"trial\"", "\"kind\":\"guess\"", "\"kind\"");
  assert_refused("\"task\":\"t\"", "\"task\":\"\"", "empty \"task\"");
  assert_refused("\"mc\":64", "\"mc\":\"64\"", "no integer for knob \"mc\"");
  assert_refused("\"digest\"", "\"digets\"", "unknown member \"digets\"");
  assert_refused("\"tolerance\"", "\"tolerence\"", "unknown member \"tolerence\"");
  assert_refused("\"lower\":0.5", "\"lowre\":0.5", "unknown member \"lowre\"");
  assert_refused("\"verdict\":\"ok\"", "\"verdict\":\"wrong\"", "wrong that has a time");
  assert_refused("\"verdict\":\"ok\"", "\"verdict\":\"cancelled\"", "cancelled");
  assert_refused("\"median\":0.5", "\"median\":0", "without a time");
  assert_refused("\"median\":0.5", "\"median\":-1", "time.median");
  assert_refused("\"low\":0.25", "\"low\":0.7", "outside its interval");
  assert_refused("\"repeats\":4", "\"repeats\":-4", "\"repeats\"");
  assert_refused("[0.5,", "[-0.5,", "time.samples");
  assert_refused("[0.5,", "[\"x\",", "\"samples\"");
  assert_refused("\"max_error\":0.125", "\"max_error\":-1", "check error");
  assert_refused("\"18446744073709551615\"", "\"-1\"", "\"seed\"");
  assert_refused("\"18446744073709551615\"", "\"1x\"", "\"seed\"");
  assert_refused("\"18446744073709551615\"", "\"18446744073709551616\"", "\"seed\"");
  assert_refused("\"task\":\"t\"", "\"task\":\"t\\u0000u\"", "\"task\"");
}

// An error without bound is null in JSON, which has no infinity.
static void infinite_error(void **state) {
  (void)state;
  tune_record record = {.task = "t",
                        .fingerprint = "f",
                        .schedule = "",
                        .config = "{}",
                        .strategy = "grid",
                        .verdict = TUNE_VERDICT_WRONG,
                        .error = "it is NaN",
                        .has_check = true,
                        .check_error = NAN,
                        .check_tolerance = 1};
  json_t *object;
  assert_ok(tune_record_to_json(&record, &object));
  assert_true(json_is_null(json_object_get(json_object_get(object, "check"), "max_error")));
  tune_record again;
  assert_ok(tune_record_from_json(object, &again));
  assert_true(isinf(again.check_error));
  assert_string_equal(again.error, "it is NaN");
  tune_record_deinit(&again);
  json_decref(object);
}

static void refuses_what_is_no_json(void **state) {
  (void)state;
  tune_record record = {
      .task = "t", .fingerprint = "f", .schedule = "", .config = "{", .strategy = "grid"};
  record.time = (tune_timing){.median = 1, .low = 1, .high = 1};
  assert_fails(tune_record_validate(&record), TUNE_INVALID_ARGUMENT, "not JSON");
  record.config = "{\"a\":1,\"a\":2}";
  assert_fails(tune_record_validate(&record), TUNE_INVALID_ARGUMENT, "duplicate");
  record.config = "[]";
  assert_fails(tune_record_validate(&record), TUNE_INVALID_ARGUMENT, "not an object");
  record.config = "{\"a\":1}";
  assert_ok(tune_record_validate(&record));
  record.task = NULL;
  assert_fails(tune_record_validate(&record), TUNE_INVALID_ARGUMENT, "without \"task\"");
}

// As tune-run --config= takes it, in the order of the space.
static void configs_can_be_typed(void **state) {
  (void)state;
  const char *const pairs[][2] = {{"{\"nr\":32,\"mc\":64,\"pad\":-1}", "nr=32,mc=64,pad=-1"},
                                  {"{\"mc\":64}", "mc=64"},
                                  {"{}", ""}};
  for (size_t i = 0; i < 3; ++i) {
    char *text;
    assert_ok(tune_record_config_text(pairs[i][0], &text));
    assert_string_equal(text, pairs[i][1]);
    free(text);
  }
}

// JSON has no texts that are not UTF-8: such a record is not written down as another one.
static void other_encodings_are_refused(void **state) {
  (void)state;
  json_t *object = load(full), *again;
  tune_record record;
  assert_ok(tune_record_from_json(object, &record));
  json_decref(object);
  memcpy(record.strategy, "\xff", 1);
  assert_fails(tune_record_to_json(&record, &again), TUNE_OUT_OF_MEMORY, "not UTF-8");
  assert_null(again);
  tune_record_deinit(&record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(json_round_trip),
      cmocka_unit_test(refuses_every_broken_member),
      cmocka_unit_test(refuses_what_makes_no_sense),
      cmocka_unit_test(infinite_error),
      cmocka_unit_test(refuses_what_is_no_json),
      cmocka_unit_test(configs_can_be_typed),
      cmocka_unit_test(other_encodings_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
