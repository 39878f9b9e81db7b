//===- record_test.c ----------------------------------------------------------===//

#include "space_fixture.h"

#include "tuning/record/record.h"

#include <math.h>

static const char full[] =
    "{\"kind\":\"trial\",\"task\":\"t\",\"fingerprint\":\"f\",\"schedule\":\"s\","
    "\"config\":{\"mc\":64,\"nr\":8},\"script\":\"module {}\",\"verdict\":\"ok\",\"digest\":\"d\","
    "\"time\":{\"median\":0.5,\"low\":0.25,\"high\":0.75,\"repeats\":4,\"samples\":[0.5,0.25,0.75]}"
    ","
    "\"check\":{\"max_error\":0.125,\"tolerance\":0.5,\"type\":\"bf16\",\"accumulator\":\"f32\","
    "\"operands\":\"tf32\",\"reduction\":512,\"magnitude\":14.25,\"leeway\":0.25,"
    "\"inputs\":\"sparse\"},\"counters\":{\"cycles\":1e6,\"instructions\":2.5e6,\"flops\":3e7,"
    "\"cache_misses\":12.0,\"branch_misses\":0.0,\"page_faults\":0.0,\"context_switches\":0.5},"
    "\"conditions\":{\"cpus\":\"1-3,6\",\"governor\":\"powersave\",\"load\":0.25,"
    "\"others_busy\":0.5,\"cpu_count\":8,\"stolen\":0.125},"
    "\"stages\":{\"lower\":0.5,\"measure\":1.5},"
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
  assert_refused("\"bf16\"", "\"complex128\"", "\"type\" is not the name of a type");
  assert_refused("\"type\":\"bf16\",", "", "unknown member \"accumulator\"");
  assert_refused("\"f32\"", "\"\"", "\"accumulator\"");
  assert_refused("\"f32\"", "\"\\u001b[2J\"", "\"accumulator\" is not the name of a type");
  assert_refused("\"reduction\":512", "\"reduction\":-1", "\"reduction\"");
  assert_refused("\"magnitude\":14.25", "\"magnitude\":-1", "check.magnitude");
  assert_refused("\"leeway\":0.25", "\"leeway\":\"x\"", "\"leeway\"");
  assert_refused("\"sparse\"", "\"other\"", "\"inputs\" is not \"dense\" or \"sparse\"");
  assert_refused("\"cycles\":1e6", "\"cycles\":-1", "\"cycles\" = -1");
  assert_refused("\"flops\"", "\"flop\"", "counters with an unknown member \"flop\"");
  assert_refused("\"flops\":3e7", "\"flops\":true", "\"flops\" is not a number");
  assert_refused("\"1-3,6\"", "\"1-\"", "\"cpus\" is not a list of CPUs");
  assert_refused("\"1-3,6\"", "3", "\"cpus\" is not a short text");
  assert_refused("\"powersave\"", "\"\\u001b[2J\"", "\"governor\" is not a word");
  assert_refused("\"powersave\"", "\"power\\u0000\"", "\"governor\" is not a text");
  assert_refused("\"load\":0.25", "\"load\":-1", "\"load\" = -1");
  assert_refused("\"cpu_count\":8", "\"cpu_count\":-8", "\"cpu_count\"");
  assert_refused("\"stolen\":0.125", "\"stolen\":2", "\"stolen\" is not a share");
  assert_refused("\"others_busy\"", "\"other_busy\"", "conditions with an unknown member");
  assert_refused("\"18446744073709551615\"", "\"-1\"", "\"seed\"");
  assert_refused("\"18446744073709551615\"", "\"1x\"", "\"seed\"");
  assert_refused("\"18446744073709551615\"", "\"18446744073709551616\"", "\"seed\"");
  assert_refused("\"task\":\"t\"", "\"task\":\"t\\u0000u\"", "\"task\"");
}

static char *text_of(tune_string_builder *builder) {
  char *text;
  assert_ok(tune_string_builder_finish(builder, &text));
  return text;
}

static void assert_check_text(const tune_check_result *check, const char *expected) {
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  tune_check_result_append(&builder, check);
  char *text = text_of(&builder);
  assert_string_equal(text, expected);
  free(text);
}

// What the limit comes from is said as far as it is known and means something.
static void checks_in_words(void **state) {
  (void)state;
  tune_check_result check = {.is_known = true, .error = 1.2e-6, .tolerance = 3.1e-5};
  assert_check_text(&check, "error 1.2e-06 of 3.1e-05 allowed");
  check.reduction = 512;
  strcpy(check.type, "i32");
  assert_check_text(&check, "error 1.2e-06 of 3.1e-05 allowed: i32");
  strcpy(check.type, "f32");
  check.magnitude = 14.2;
  assert_check_text(&check, "error 1.2e-06 of 3.1e-05 allowed: f32, sums of 512, magnitude 14.2");
  check.reduction = 1;
  strcpy(check.accumulator, "f64");
  strcpy(check.operands, "tf32");
  check.leeway = 1e-5;
  check.is_sparse = true;
  assert_check_text(&check, "error 1.2e-06 of 3.1e-05 allowed: f32 in f64, magnitude 14.2, "
                            "factors in tf32, leeway 1e-05, on sparse inputs");
}

// Rates are there where cycles are. A reply names what is missing, and why; it is no count.
static void counts_in_words(void **state) {
  (void)state;
  json_t *reply = load("{\"counters\":{\"cycles\":null,\"instructions\":3e6,\"flops\":16e6,"
                       "\"page_faults\":0,\"missing\":\"no counter was free\"}}");
  tune_counts counts;
  assert_ok(tune_counts_get(reply, &counts));
  tune_string_builder builder;
  tune_string_builder_init(&builder);
  tune_counts_append(&builder, &counts);
  char *text = text_of(&builder);
  assert_string_equal(text, "3e+06 instructions, 1.6e+07 FLOP, 0 page faults");
  free(text);
  counts.is_known[TUNE_COUNT_CYCLES] = true;
  counts.of_run[TUNE_COUNT_CYCLES] = 1.25e6;
  tune_counts_append(&builder, &counts);
  text = text_of(&builder);
  assert_string_equal(text, "1.25e+06 cycles, 3e+06 instructions (2.40 a cycle), "
                            "1.6e+07 FLOP (12.80 a cycle), 0 page faults");
  free(text);
  json_object_set_new(reply, "counters", json_integer(1));
  assert_fails(tune_counts_get(reply, &counts), TUNE_INVALID_ARGUMENT, "not an object");
  json_decref(reply);
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
                        .run.check.is_known = true,
                        .run.check.error = NAN,
                        .run.check.tolerance = 1};
  json_t *object;
  assert_ok(tune_record_to_json(&record, &object));
  assert_true(json_is_null(json_object_get(json_object_get(object, "check"), "max_error")));
  tune_record again;
  assert_ok(tune_record_from_json(object, &again));
  assert_true(isinf(again.run.check.error));
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
  assert_fails(tune_record_to_json(&record, &again), TUNE_INVALID_ARGUMENT, "not UTF-8");
  assert_null(again);
  tune_record_deinit(&record);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names),
      cmocka_unit_test(json_round_trip),
      cmocka_unit_test(refuses_every_broken_member),
      cmocka_unit_test(refuses_what_makes_no_sense),
      cmocka_unit_test(checks_in_words),
      cmocka_unit_test(counts_in_words),
      cmocka_unit_test(infinite_error),
      cmocka_unit_test(refuses_what_is_no_json),
      cmocka_unit_test(configs_can_be_typed),
      cmocka_unit_test(other_encodings_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
