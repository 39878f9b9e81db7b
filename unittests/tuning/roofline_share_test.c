//===- roofline_share_test.c - Shares of the roofline ----------------------===//

#include "tuning/device/roofline_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

// 100 GFLOP/s in f32, 200 in bf16; 1000 GB/s up to 2 kB, 100 up to 20 kB, 10 beyond.
static json_t *make_roofline(void) {
  return json_pack("{s{sfsf} s[{sssfsf}{sssfsf}{sssfsf}]}", "peak", "f32", 100.0, "bf16", 200.0,
                   "bandwidth", "level", "L1", "bytes", 1e3, "gbytes_per_s", 1000.0, "level", "L2",
                   "bytes", 10e3, "gbytes_per_s", 100.0, "level", "memory", "bytes", 1e6,
                   "gbytes_per_s", 10.0);
}

static void assert_place(const tune_roofline_work *work, const char *bound, double seconds) {
  json_t *roofline = make_roofline();
  tune_roofline_share place = tune_roofline_find_place(roofline, work);
  assert_string_equal(place.bound, bound);
  assert_true(place.seconds >= seconds * (1 - 1e-9) && place.seconds <= seconds * (1 + 1e-9));
  json_decref(roofline);
}

// Arithmetic or the nearest memory that holds it all, whichever takes longer; the furthest where
// caches are flushed.
static void the_longer_one_bounds(void **state) {
  (void)state;
  tune_roofline_work work = {.type = "f32", .flops = 1e6, .bytes = 2000};
  assert_place(&work, "f32", 1e-5);
  work.flops = 10;
  assert_place(&work, "L1", 2e-9);
  work.bytes = 20e3;
  assert_place(&work, "L2", 2e-7);
  work.bytes = 1e9;
  assert_place(&work, "memory", 0.1);
  work.bytes = 2000;
  work.flushes_cache = true;
  assert_place(&work, "memory", 2e-7);
}

// By type: one without units of its own is named by that in which it is computed.
static void types_have_their_peaks(void **state) {
  (void)state;
  tune_roofline_work work = {.type = "bf16", .flops = 1e6, .bytes = 8};
  assert_place(&work, "bf16", 5e-6);
  work.type = "f16";
  assert_place(&work, "f32", 1e-5);
  work.type = "f64"; // no peak is known: it may be that which bounds
  assert_place(&work, "", 0);
  work.flops = 0;
  assert_place(&work, "L1", 8e-12);
}

// Where units for narrow elements do less than those of f32, elements are widened first.
static void slow_units_bound_nothing(void **state) {
  (void)state;
  json_t *slow = json_pack("{s{sfsf}}", "peak", "f32", 100.0, "bf16", 50.0);
  const char *of;
  assert_float_equal(tune_roofline_peak(slow, "bf16", &of), 100e9, 0);
  assert_string_equal(of, "f32");
  json_decref(slow);
}

static void what_is_not_known_has_no_place(void **state) {
  (void)state;
  tune_roofline_work work = {.type = "f32"};
  assert_place(&work, "", 0);
  work = (tune_roofline_work){.type = "f32", .flops = 1e6, .bytes = 100};
  tune_roofline_share place = tune_roofline_find_place(NULL, &work);
  assert_string_equal(place.bound, "");
  assert_true(tune_roofline_percent(&place, 1) == 0);
  assert_true(tune_roofline_percent(&(tune_roofline_share){.seconds = 1}, 4) == 25);
  assert_true(tune_roofline_percent(&(tune_roofline_share){.seconds = 1}, 0) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_longer_one_bounds),
      cmocka_unit_test(types_have_their_peaks),
      cmocka_unit_test(slow_units_bound_nothing),
      cmocka_unit_test(what_is_not_known_has_no_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
