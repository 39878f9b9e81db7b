//===- device_test.c - Fingerprints and rooflines --------------------------------------------===//

#include "targets/target.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static tune_fingerprint of_cpu(void) {
  tune_fingerprint fingerprint;
  assert_null(tune_fingerprint_of_cpu(&fingerprint));
  return fingerprint;
}

static void the_cpu_makes_sense(void **state) {
  (void)state;
  tune_fingerprint f = of_cpu();
  assert_string_equal(f.target, "cpu");
  assert_true(strlen(f.vendor) > 0 && strlen(f.model) > 0);
  assert_true(f.cores >= 1);
  assert_true(f.vector_bits >= 128 && f.vector_registers >= 16);
  assert_true(f.cache_count >= 1);
  assert_in_range(tune_fingerprint_cache_bytes(&f, 1), 8 << 10, 1 << 20);
  assert_int_equal(tune_fingerprint_cache_bytes(&f, 9), 0);
  for (size_t i = 1; i < f.cache_count; ++i)
    assert_true(f.caches[i].level > f.caches[i - 1].level);
  for (size_t i = 1; i < f.feature_count; ++i)
    assert_true(strcmp(f.features[i - 1], f.features[i]) < 0);
#if defined(__x86_64__)
  assert_true(tune_fingerprint_has_feature(&f, "sse2"));
  assert_int_equal(tune_fingerprint_has_feature(&f, "avx2") != 0,
                   __builtin_cpu_supports("avx2") != 0);
  assert_int_equal(f.vector_bits == 512, __builtin_cpu_supports("avx512f") != 0);
  assert_int_equal(f.has_fma, __builtin_cpu_supports("fma") != 0);
#endif
  assert_false(tune_fingerprint_has_feature(&f, "avx51"));
  tune_fingerprint_deinit(&f);
}

// To JSON and back is the same fingerprint, and another one has another digest.
static void fingerprints_survive_json(void **state) {
  (void)state;
  tune_fingerprint f = of_cpu(), back;
  json_t *object;
  tune_digest before, after;
  assert_null(tune_fingerprint_to_json(&f, &object));
  assert_null(tune_fingerprint_from_json(object, &back));
  assert_null(tune_fingerprint_digest(&f, &before));
  assert_null(tune_fingerprint_digest(&back, &after));
  assert_true(tune_digest_equal(&before, &after));
  back.cores += 1;
  assert_null(tune_fingerprint_digest(&back, &after));
  assert_false(tune_digest_equal(&before, &after));
  json_decref(object);
  tune_fingerprint_deinit(&f);
  tune_fingerprint_deinit(&back);
}

// The digest is of the machine: what the process may use of it does not matter.
static void pinning_does_not_change_the_fingerprint(void **state) {
  (void)state;
  cpu_set_t before, one;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  tune_fingerprint f = of_cpu();
  tune_digest free_digest, pinned_digest;
  assert_null(tune_fingerprint_digest(&f, &free_digest));
  tune_fingerprint_deinit(&f);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before))
      CPU_SET(cpu, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  f = of_cpu();
  assert_null(tune_fingerprint_digest(&f, &pinned_digest));
  tune_fingerprint_deinit(&f);
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
  assert_true(tune_digest_equal(&free_digest, &pinned_digest));
}

// Each member of the JSON is needed and has to be what it should be.
static void damaged_fingerprints_are_refused(void **state) {
  (void)state;
  tune_fingerprint f = of_cpu(), back;
  json_t *object;
  assert_null(tune_fingerprint_to_json(&f, &object));
  const char *name;
  json_t *value;
  void *next;
  json_object_foreach_safe(object, next, name, value) {
    for (int damage = 0; damage < 2; ++damage) {
      json_t *copy = json_copy(object);
      if (damage == 0)
        json_object_del(copy, name);
      else
        json_object_set_new(copy, name, json_null());
      tune_status status = tune_fingerprint_from_json(copy, &back);
      assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
      tune_status_free(status);
      json_decref(copy);
    }
  }
  json_object_set_new(object, "caches",
                      json_pack("[{sisisisi}]", "level", 1, "bytes", -5, "line", 64, "cores", 1));
  tune_status status = tune_fingerprint_from_json(object, &back);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_non_null(strstr(tune_status_get_message(status), "cache 0"));
  tune_status_free(status);
  json_decref(object);
  tune_fingerprint_deinit(&f);
}

static tune_roofline of_null(void) {
  tune_target *target;
  tune_roofline roofline;
  assert_null(tune_target_null.open(&(tune_target_options){0}, &target));
  assert_null(tune_target_null.roofline(target, false, &roofline));
  tune_target_null.close(target);
  return roofline;
}

static void rooflines_survive_json(void **state) {
  (void)state;
  tune_roofline r = of_null(), back;
  json_t *object;
  assert_null(tune_roofline_to_json(&r, &object));
  assert_null(tune_roofline_from_json(object, &back));
  assert_true(back.f32 == r.f32 && back.f64 == r.f64 && back.bf16 == 0);
  assert_int_equal(back.level_count, 3);
  assert_string_equal(back.levels[2].name, "memory");
  json_object_del(object, "peak");
  tune_status status = tune_roofline_from_json(object, &back);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  tune_status_free(status);
  json_decref(object);
}

// A working set is served by the nearest level that holds it; types without a unit of their own run
// on that of f32.
static void rooflines_answer_for_types_and_sizes(void **state) {
  (void)state;
  tune_roofline r = of_null();
  assert_true(tune_roofline_bandwidth(&r, 1000) == 200);
  assert_true(tune_roofline_bandwidth(&r, 500e3) == 100);
  assert_true(tune_roofline_bandwidth(&r, 1e9) == 20);
  assert_true(tune_roofline_peak(&r, TUNE_F32) == 100);
  assert_true(tune_roofline_peak(&r, TUNE_F16) == 100);
  assert_true(tune_roofline_peak(&r, TUNE_BF16) == 100);
  assert_true(tune_roofline_peak(&r, TUNE_I64) == 0);
  r.bf16 = 300;
  assert_true(tune_roofline_peak(&r, TUNE_BF16) == 300);
}

// Bounds wide enough for any machine and any load on it, which still catch a factor of ten: chains
// that a compiler merged, vectors that are not.
static void the_measured_roofline_is_plausible(void **state) {
  (void)state;
  tune_fingerprint f = of_cpu();
  tune_target *target;
  assert_null(tune_target_cpu.open(&(tune_target_options){.threads = 1}, &target));
  tune_roofline r;
  assert_null(tune_target_cpu.roofline(target, false, &r));
  tune_roofline quick;
  assert_null(tune_target_cpu.roofline(target, true, &quick));
  tune_target_cpu.close(target);
  double lanes = (double)f.vector_bits / 32;
  // From half a vector of FMAs a cycle at 1 GHz to two of them at 6 GHz.
  assert_true(r.f32 > lanes && r.f32 < 24 * lanes);
  assert_true(r.f64 > r.f32 / 4 && r.f64 < r.f32);
  assert_int_equal(r.bf16 > 0, f.has_bf16_dot);
  assert_true(!f.has_bf16_dot || (r.bf16 > r.f32 / 2 && r.bf16 < 3 * r.f32));
  assert_int_equal(r.i8 > 0, f.has_int8_dot);
  assert_true(!f.has_int8_dot || (r.i8 > r.f32 && r.i8 < 6 * r.f32));
  assert_int_equal(r.level_count, f.cache_count + 1);
  assert_string_equal(r.levels[0].name, "L1");
  assert_string_equal(r.levels[r.level_count - 1].name, "memory");
  // A quick look finds the same, but for memory.
  assert_int_equal(quick.level_count, f.cache_count);
  assert_true(quick.f32 > r.f32 / 4 && quick.f32 < r.f32 * 4);
  for (size_t i = 0; i < r.level_count; ++i)
    assert_true(r.levels[i].gbytes_per_s > 0.5 && r.levels[i].gbytes_per_s < 2000);
  assert_true(r.levels[0].gbytes_per_s > r.levels[r.level_count - 1].gbytes_per_s);
  tune_fingerprint_deinit(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cpu_makes_sense),
      cmocka_unit_test(fingerprints_survive_json),
      cmocka_unit_test(pinning_does_not_change_the_fingerprint),
      cmocka_unit_test(damaged_fingerprints_are_refused),
      cmocka_unit_test(rooflines_survive_json),
      cmocka_unit_test(rooflines_answer_for_types_and_sizes),
      cmocka_unit_test(the_measured_roofline_is_plausible),
  };
  return cmocka_run_group_tests_name("targets/device", tests, NULL, NULL);
}
