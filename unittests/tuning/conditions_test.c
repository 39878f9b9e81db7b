//===- conditions_test.c - What disturbs a measurement -------------------------------===//

#include "tuning/evaluators/conditions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static tune_cores four_cores(void) {
  static int measuring[] = {1, 2, 3, 6};
  return (tune_cores){.measure = measuring, .measure_count = 4};
}

// Eight CPUs, one of which measures, ten seconds of each later.
static tune_conditions later(const tune_conditions *before, double all_busy, double own_busy) {
  tune_conditions after = *before;
  after.all_total += 80;
  after.own_total += 10;
  after.all_busy += all_busy;
  after.own_busy += own_busy;
  return after;
}

static const tune_conditions BEFORE = {.has_counters = true,
                                       .cpu_count = 8,
                                       .all_busy = 1000,
                                       .all_total = 8000,
                                       .own_busy = 100,
                                       .own_total = 1000,
                                       .program_seconds = 5};

// `warnings` has one text with `expected` in it, or none where that is NULL. Empties it.
static void assert_warning(json_t *warnings, const char *expected) {
  assert_int_equal(json_array_size(warnings), expected ? 1 : 0);
  if (expected && !strstr(json_string_value(json_array_get(warnings, 0)), expected))
    fail_msg("expected '%s', got '%s'", expected, json_string_value(json_array_get(warnings, 0)));
  json_array_clear(warnings);
}

// Others disturb where they are on the CPU that measures, or on more than half of all.
static void others_are_found(void **state) {
  (void)state;
  json_t *warnings = json_array();
  tune_conditions after = later(&BEFORE, 30, 0.9);
  tune_conditions_find_others(&BEFORE, &after, 1, warnings);
  assert_warning(warnings, NULL);
  after = later(&BEFORE, 4, 4);
  tune_conditions_find_others(&BEFORE, &after, 1, warnings);
  assert_warning(warnings, "kept 0.4 of 8 CPUs busy just before the measurement (40 % of the one");
  after = later(&BEFORE, 48, 0);
  tune_conditions_find_others(&BEFORE, &after, 2, warnings);
  assert_warning(warnings, "kept 4.8 of 8 CPUs busy just before the measurement (0 % of those");
  after.has_counters = false;
  tune_conditions_find_others(&BEFORE, &after, 1, warnings);
  assert_warning(warnings, NULL);
  json_decref(warnings);
}

static void stolen_time_is_found(void **state) {
  (void)state;
  json_t *warnings = json_array();
  tune_conditions after = later(&BEFORE, 10, 10);
  after.own_stolen += 0.05;
  tune_conditions_find_stolen(&BEFORE, &after, warnings);
  assert_warning(warnings, NULL);
  after.own_stolen += 0.95;
  tune_conditions_find_stolen(&BEFORE, &after, warnings);
  assert_warning(warnings, "the hypervisor gave 10 % of the time to other machines");
  json_decref(warnings);
}

// What this program has taken itself is no company.
static void company_is_found(void **state) {
  (void)state;
  json_t *warnings = json_array();
  tune_conditions after = later(&BEFORE, 25, 10);
  after.program_seconds += 23;
  tune_conditions_find_company(&BEFORE, &after, warnings);
  assert_warning(warnings, NULL);
  after.program_seconds -= 10;
  tune_conditions_find_company(&BEFORE, &after, warnings);
  assert_warning(warnings, "kept 1.2 of 8 CPUs busy meanwhile");
  after.all_total = BEFORE.all_total + 8; // one second: the clocks are too coarse
  tune_conditions_find_company(&BEFORE, &after, warnings);
  assert_warning(warnings, NULL);
  json_decref(warnings);
}

static void conditions_are_told(void **state) {
  (void)state;
  tune_cores cores = four_cores();
  tune_conditions before = {.load = 0.254, .governor = "powersave"};
  tune_conditions after = {.load = -1};
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_conditions_append(&before, &cores, &text);
  assert_string_equal(text.text, "CPUs 1-3, 6, governor powersave, load 0.25");
  tune_string_builder_deinit(&text);
  cores.measure_count = 1;
  tune_conditions_append(&after, &cores, &text);
  assert_string_equal(text.text, "CPU 1, governor not known");
  tune_string_builder_deinit(&text);
  json_t *object = tune_conditions_to_json(&before, &after, &cores);
  json_t *expected = json_pack("{s[i] ss s[fn]}", "cpus", 1, "governor", "powersave", "load", 0.25);
  assert_true(json_equal(object, expected));
  json_decref(object);
  json_decref(expected);
}

// What a record keeps is what was seen, and can be read again.
static void conditions_are_kept(void **state) {
  (void)state;
  tune_cores cores = four_cores();
  tune_conditions before = BEFORE, now = later(&BEFORE, 10, 10);
  before.others_busy = 1.5;
  now.own_stolen += 1;
  now.load = 0.254;
  strcpy(now.governor, "powersave");
  tune_kept_conditions kept;
  tune_conditions_keep(&before, &now, &cores, &kept);
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_kept_conditions_append(&text, &kept);
  assert_string_equal(text.text, "pinned to CPUs 1-3,6, governor powersave, load 0.25, others kept "
                                 "1.5 of 8 CPUs busy, the hypervisor took 10 %");
  tune_string_builder_deinit(&text);
  strcpy(now.governor, "\033[2J");
  tune_conditions_keep(&before, &now, &cores, &kept);
  assert_false(kept.is_known);
}

// However many CPUs there are, and though no two of them are neighbours.
static void many_cpus_are_kept_as_far_as_they_fit(void **state) {
  (void)state;
  int numbers[100];
  for (int i = 0; i < 100; ++i)
    numbers[i] = 2 * i;
  tune_cores cores = {.measure = numbers, .measure_count = 100};
  tune_conditions now = {.load = -1, .others_busy = -1};
  tune_kept_conditions kept;
  tune_conditions_keep(&now, &now, &cores, &kept);
  assert_true(kept.is_known);
  assert_memory_equal(kept.cpus, "0,2,4,6,8,10,", 13);
  assert_true(strlen(kept.cpus) > 100);
}

// Of this machine: counters go up, and this program's time is its own.
static void this_machine_is_read(void **state) {
  (void)state;
  tune_cores cores;
  assert_ok(tune_cores_init(&cores, 1));
  json_t *warnings = json_array();
  tune_conditions before, after;
  tune_conditions_read(&cores, &before);
  tune_conditions_look_around(&cores, &after, warnings);
  assert_true(before.has_counters && after.has_counters);
  assert_true(before.cpu_count >= 1);
  assert_true(after.all_total > before.all_total);
  assert_true(after.all_total >= after.own_total);
  assert_true(after.program_seconds >= before.program_seconds);
  assert_true(after.load >= 0);
  assert_true(json_array_size(warnings) <= 2);
  json_decref(warnings);
  tune_cores_deinit(&cores);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(others_are_found),
      cmocka_unit_test(stolen_time_is_found),
      cmocka_unit_test(company_is_found),
      cmocka_unit_test(conditions_are_told),
      cmocka_unit_test(conditions_are_kept),
      cmocka_unit_test(many_cpus_are_kept_as_far_as_they_fit),
      cmocka_unit_test(this_machine_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
