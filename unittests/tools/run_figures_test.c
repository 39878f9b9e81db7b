//===- run_figures_test.c - What a time says about a module ---------------------------===//

#include "tools/tune-run/figures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

// A machine of 100 GFLOP/s in f32, 50 in f64; 1000 GB/s up to 2 kB, 10 GB/s beyond.
static tune_target_facts make_facts(void) {
  return (tune_target_facts){.name = {.target = "cpu"},
                             .threads = 1,
                             .roofline = json_pack("{s{sfsf}s[{sssfsf}{sssfsf}]}", "peak", "f32",
                                                   100.0, "f64", 50.0, "bandwidth", "level", "L1",
                                                   "bytes", 1000.0, "gbytes_per_s", 1000.0, "level",
                                                   "memory", "bytes", 1e9, "gbytes_per_s", 10.0)};
}

static tune_described_task make_task(const char *type, int64_t count, int64_t flops,
                                     int64_t bytes) {
  return (tune_described_task){.type = type,
                               .count = count,
                               .runs = count,
                               .flops = flops,
                               .bytes = bytes,
                               .reduction = flops / 100};
}

#define LIST(tasks) (&(tune_described_task_list){tasks, sizeof(tasks) / sizeof *(tasks)})

static void assert_near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
    fail_msg("%g where %g is right", value, expected);
}

// How often a branch or loop runs may not be known, which leaves nothing to say; what has no
// elements takes no time.
static void runs_that_are_not_known_make_all_unknown(void **state) {
  (void)state;
  tune_described_task tasks[] = {make_task("f32", 1, 1000, 100), make_task("f32", 1, 1000, 100)};
  const tune_described_task_list list = {tasks, 2};
  assert_true(figures_of_tasks(&list, NULL).flops == 2000);
  tasks[1].runs = 10;
  assert_true(figures_of_tasks(&list, NULL).flops == 11000);
  tasks[1].runs = -1;
  assert_true(isnan(figures_of_tasks(&list, NULL).flops));
  tasks[1].runs = 1;
  tasks[1].empty = true;
  tasks[1].bytes = 0;
  assert_true(figures_of_tasks(&list, NULL).flops == 1000);
}

// Each task counts as often as it is there, at the peak of its own type and by what bounds it.
static void tasks_add_up(void **state) {
  (void)state;
  tune_target_facts facts = make_facts();
  tune_described_task tasks[] = {make_task("f32", 3, 1000000, 1000),  // 10 us, computing
                                 make_task("f64", 1, 1000000, 1000),  // 20 us, computing
                                 make_task("f32", 1, 1000, 1000000)}; // 10 ns; moving, 100 us
  figures sum = figures_of_tasks(LIST(tasks), &facts);
  assert_near(sum.flops, 4001000);
  assert_near(sum.bytes, 1004000);
  assert_near(sum.peak_seconds, 50.01e-6);
  assert_near(sum.roofline_seconds, 150e-6);
  const char *names[] = {"f32", "f64", "memory"};
  const double seconds[] = {30e-6, 20e-6, 100e-6};
  assert_int_equal(sum.bound_count, 3);
  for (size_t i = 0; i < 3; ++i) {
    assert_string_equal(sum.bounds[i].name, names[i]);
    assert_near(sum.bounds[i].seconds, seconds[i]);
  }
  assert_int_equal(figures_reduction(LIST(tasks)), 10000);
  json_decref(facts.roofline);
}

// What is not known is said not to be, and never taken for nothing.
static void unknown_figures_are_not_zero(void **state) {
  (void)state;
  tune_target_facts facts = make_facts();
  tune_described_task dynamic[] = {make_task("f32", 1, 1000, 1000), make_task("f32", 1, 0, 0)};
  assert_true(isnan(figures_of_tasks(LIST(dynamic), &facts).flops));
  assert_true(isnan(figures_of_tasks(LIST(dynamic), &facts).roofline_seconds));
  assert_int_equal(figures_reduction(LIST(dynamic)), 4096);

  tune_described_task_list none = {NULL, 0};
  assert_true(isnan(figures_of_tasks(&none, &facts).bytes));
  assert_int_equal(figures_reduction(&none), 1);

  tune_described_task integers[] = {make_task("i16", 1, 1000, 1000)};
  assert_near(figures_of_tasks(LIST(integers), &facts).flops, 1000);
  assert_true(isnan(figures_of_tasks(LIST(integers), &facts).peak_seconds));
  assert_true(isnan(figures_of_tasks(LIST(integers), &facts).roofline_seconds));
  assert_int_equal(figures_of_tasks(LIST(integers), &facts).bound_count, 0);
  assert_true(isnan(figures_of_tasks(LIST(integers), NULL).peak_seconds));
  json_decref(facts.roofline);
}

// A transpose computes nothing, so that its type needs no peak.
static void moving_needs_no_peak(void **state) {
  (void)state;
  tune_target_facts facts = make_facts();
  tune_described_task tasks[] = {make_task("i16", 1, 0, 1000000)};
  figures sum = figures_of_tasks(LIST(tasks), &facts);
  assert_near(sum.roofline_seconds, 100e-6);
  assert_true(sum.flops == 0 && sum.peak_seconds == 0);
  json_decref(facts.roofline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_that_are_not_known_make_all_unknown),
      cmocka_unit_test(tasks_add_up),
      cmocka_unit_test(unknown_figures_are_not_zero),
      cmocka_unit_test(moving_needs_no_peak),
  };
  return cmocka_run_group_tests_name("tools/run_figures", tests, NULL, NULL);
}
