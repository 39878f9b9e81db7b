//===- kept_roofline_test.c ---------------------------------------------------===//

#include "tuning/record/kept_roofline.h"

#include "unittests/common/failing_malloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define NOW 1.7e9
#define DAY 86400.0

// As tune-measure answers; quick ones lack main memory.
static json_t *measured(double f32, double l1, double memory) {
  json_t *levels = json_pack("[{sssfsf}]", "level", "L1", "bytes", 16384.0, "gbytes_per_s", l1);
  if (memory > 0)
    json_array_append_new(
        levels, json_pack("{sssfsf}", "level", "memory", "bytes", 1e8, "gbytes_per_s", memory));
  return json_pack("{sis{sfsf}so}", "threads", 1, "peak", "f32", f32, "i8", 0.0, "bandwidth",
                   levels);
}

static void add(json_t **kept, double f32, double l1, double memory, double now) {
  json_t *figures = measured(f32, l1, memory);
  assert_null(tune_kept_roofline_add(kept, figures, now));
  json_decref(figures);
}

static double peak(const json_t *kept) {
  return json_number_value(json_object_get(json_object_get(kept, "peak"), "f32"));
}

static double bandwidth(const json_t *kept, size_t level) {
  return json_number_value(
      json_object_get(json_array_get(json_object_get(kept, "bandwidth"), level), "gbytes_per_s"));
}

// Two measurements that agree are trusted, for a day.
static void what_is_confirmed_is_trusted(void **state) {
  (void)state;
  json_t *kept = NULL;
  assert_int_equal(tune_kept_roofline_need(kept, NOW), TUNE_ROOFLINE_WHOLE);
  add(&kept, 118, 216, 15, NOW);
  assert_int_equal(tune_kept_roofline_need(kept, NOW + 1), TUNE_ROOFLINE_QUICK);
  add(&kept, 117, 205, 0, NOW + 1);
  assert_int_equal(tune_kept_roofline_need(kept, NOW + 2), TUNE_ROOFLINE_TRUSTED);
  assert_true(peak(kept) == 118 && bandwidth(kept, 0) == 216 && bandwidth(kept, 1) == 15);
  assert_int_equal(tune_kept_roofline_need(kept, NOW + DAY + 1), TUNE_ROOFLINE_WHOLE);
  // A clock that was set back tells nothing of the age.
  assert_int_equal(tune_kept_roofline_need(kept, NOW - DAY), TUNE_ROOFLINE_WHOLE);
  json_decref(kept);
}

// What was measured on a busy machine gives way to what comes out higher later, figure by figure,
// and that has to be confirmed in turn.
static void low_figures_are_raised(void **state) {
  (void)state;
  json_t *kept = NULL;
  add(&kept, 60, 216, 15, NOW);
  add(&kept, 118, 100, 0, NOW + 1);
  assert_true(peak(kept) == 118 && bandwidth(kept, 0) == 216);
  assert_int_equal(tune_kept_roofline_need(kept, NOW + 2), TUNE_ROOFLINE_QUICK);
  // A disturbed measurement confirms nothing and lowers nothing.
  add(&kept, 70, 216, 0, NOW + 2);
  assert_true(peak(kept) == 118);
  assert_int_equal(tune_kept_roofline_need(kept, NOW + 3), TUNE_ROOFLINE_QUICK);
  add(&kept, 118, 216, 0, NOW + 3);
  assert_int_equal(tune_kept_roofline_need(kept, NOW + 4), TUNE_ROOFLINE_TRUSTED);
  json_decref(kept);
}

// What something was faster than is measured until two measurements agree again.
static void what_is_doubted_is_confirmed_anew(void **state) {
  (void)state;
  json_t *kept = NULL;
  add(&kept, 118, 216, 15, NOW);
  add(&kept, 118, 216, 15, NOW);
  assert_null(tune_kept_roofline_doubt(kept));
  assert_int_equal(tune_kept_roofline_need(kept, NOW), TUNE_ROOFLINE_QUICK);
  add(&kept, 118, 216, 15, NOW);
  assert_int_equal(tune_kept_roofline_need(kept, NOW), TUNE_ROOFLINE_QUICK);
  add(&kept, 118, 216, 0, NOW);
  assert_int_equal(tune_kept_roofline_need(kept, NOW), TUNE_ROOFLINE_TRUSTED);
  json_decref(kept);
}

// One kept by an earlier version says nothing of its age.
static void one_without_a_date_is_measured_again(void **state) {
  (void)state;
  json_t *kept = measured(60, 100, 15);
  assert_int_equal(tune_kept_roofline_need(kept, NOW), TUNE_ROOFLINE_WHOLE);
  add(&kept, 118, 100, 15, NOW);
  assert_true(peak(kept) == 118);
  assert_int_equal(tune_kept_roofline_need(kept, NOW), TUNE_ROOFLINE_QUICK);
  json_decref(kept);
}

static tune_status add_twice(void *context) {
  const json_t *figures = context;
  json_t *kept = NULL;
  tune_status status = tune_kept_roofline_add(&kept, figures, NOW);
  if (tune_status_is_ok(status))
    status = tune_kept_roofline_add(&kept, figures, NOW);
  json_decref(kept);
  return status;
}

static void survives_without_memory(void **state) {
  (void)state;
  json_t *figures = measured(118, 216, 15);
  assert_true(tune_fail_each_allocation_and_json(add_twice, figures) > 5);
  json_decref(figures);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_confirmed_is_trusted),
      cmocka_unit_test(low_figures_are_raised),
      cmocka_unit_test(what_is_doubted_is_confirmed_anew),
      cmocka_unit_test(one_without_a_date_is_measured_again),
      cmocka_unit_test(survives_without_memory),
  };
  return cmocka_run_group_tests_name("tuning/record/kept_roofline", tests, NULL, NULL);
}
