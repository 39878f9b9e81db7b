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
  assert_true(f.caches.count >= 1);
  assert_int_equal(f.caches.items[0].level, 1);
  assert_in_range(f.caches.items[0].bytes, 8 << 10, 1 << 20);
  for (size_t i = 1; i < f.caches.count; ++i)
    assert_true(f.caches.items[i].level > f.caches.items[i - 1].level);
  for (size_t i = 1; i < f.features.count; ++i)
    assert_true(strcmp(f.features.items[i - 1], f.features.items[i]) < 0);
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

// Another machine has another digest.
static void digests_tell_machines_apart(void **state) {
  (void)state;
  tune_fingerprint f = of_cpu();
  tune_digest before, after;
  assert_null(tune_fingerprint_digest(&f, &before));
  assert_null(tune_fingerprint_digest(&f, &after));
  assert_true(tune_digest_equal(&before, &after));
  f.cores += 1;
  assert_null(tune_fingerprint_digest(&f, &after));
  assert_false(tune_digest_equal(&before, &after));
  tune_fingerprint_deinit(&f);
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
  // Sapphire Rapids has half as many products of bf16 as of f32.
  assert_true(!f.has_bf16_dot || (r.bf16 > r.f32 / 4 && r.bf16 < 3 * r.f32));
  assert_int_equal(r.i8 > 0, f.has_int8_dot);
  assert_true(!f.has_int8_dot || (r.i8 > r.f32 && r.i8 < 6 * r.f32));
  assert_int_equal(r.level_count, f.caches.count + 1);
  assert_string_equal(r.levels[0].name, "L1");
  assert_string_equal(r.levels[r.level_count - 1].name, "memory");
  // A quick look finds the same, but for memory.
  assert_int_equal(quick.level_count, f.caches.count);
  assert_true(quick.f32 > r.f32 / 4 && quick.f32 < r.f32 * 4);
  for (size_t i = 0; i < r.level_count; ++i)
    assert_true(r.levels[i].gbytes_per_s > 0.5 && r.levels[i].gbytes_per_s < 2000);
  assert_true(r.levels[0].gbytes_per_s > r.levels[r.level_count - 1].gbytes_per_s);
  tune_fingerprint_deinit(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cpu_makes_sense),
      cmocka_unit_test(digests_tell_machines_apart),
      cmocka_unit_test(pinning_does_not_change_the_fingerprint),
      cmocka_unit_test(the_measured_roofline_is_plausible),
  };
  return cmocka_run_group_tests_name("targets/device", tests, NULL, NULL);
}
