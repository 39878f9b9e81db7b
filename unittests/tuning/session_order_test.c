//===- session_order_test.c - Kills, and builds beside each other --------------------===//

#include "session_fixture.h"

static bool no_config_twice(const memory_store *store) {
  for (size_t i = 0; i < store->count; ++i)
    for (size_t j = 0; j < i; ++j)
      if (store->records[i].kind == TUNE_RECORD_TRIAL &&
          store->records[j].kind == TUNE_RECORD_TRIAL &&
          strcmp(store->records[i].config, store->records[j].config) == 0)
        return false;
  return true;
}

// Stopped at any trial and started again, a search goes on and measures nothing twice.
static void resumes(void **state) {
  fixture *f = *state;
  f->store.fail_at = 24; // as if killed there
  assert_fails(try_run(f), TUNE_RESOURCE_EXHAUSTED, "the disk is full");
  assert_int_equal(f->store.count, 23);
  f->store.fail_at = 0;
  run(f);
  assert_int_equal(f->result.trials, 64);
  assert_int_equal(f->result.new_trials, 64 - 23);
  assert_int_equal(count_kind(&f->store, TUNE_RECORD_TRIAL), 64);
  assert_true(no_config_twice(&f->store));
}

// Whether both hold the same trials and the same winner. The order in which trials came to their
// end does not count.
static void assert_same_records(const memory_store *a, const memory_store *b) {
  assert_int_equal(a->count, b->count);
  for (size_t i = 0; i < a->count; ++i) {
    const tune_record *record = &a->records[i];
    bool found = false;
    for (size_t j = 0; j < b->count && !found; ++j)
      found = b->records[j].kind == record->kind && b->records[j].verdict == record->verdict &&
              strcmp(b->records[j].config, record->config) == 0 &&
              b->records[j].time.median == record->time.median;
    if (!found)
      fail_msg("only one of the searches has %s", record->config);
  }
}

// However many candidates are built at once, the same are tried, and the same one wins: a strategy
// that learns is told what it is told in one order. Also where some of them fail.
static void capacity_does_not_matter(void **state) {
  fixture *f = *state;
  f->null.build_failures = f->null.run_crashes = f->null.wrong_results = 0.05;
  const char *const strategies[] = {"evolutionary", "random", "grid"};
  for (size_t i = 0; i < 3; ++i) {
    f->options.strategy = strategies[i];
    f->null.capacity = 1;
    run(f);
    memory_store first = f->store;
    for (f->null.capacity = 2; f->null.capacity <= 8; ++f->null.capacity) {
      f->store = (memory_store){0};
      run(f);
      assert_same_records(&first, &f->store);
      memory_store_deinit(&f->store);
    }
    memory_store_deinit(&first);
    f->store = (memory_store){0};
  }
}

// Killed after any record and started again, a search comes to what it would have come to: the same
// trials and the same winner, nothing measured twice. Also where it is killed a second time, and
// with another number of builds at once.
static void killed_searches_end_as_undisturbed_ones(void **state) {
  fixture *f = *state;
  f->null.build_failures = f->null.wrong_results = 0.05;
  run(f);
  memory_store undisturbed = f->store;
  for (size_t kill = 1; kill <= undisturbed.count; ++kill) {
    f->store = (memory_store){.fail_at = kill};
    f->null.capacity = 1 + kill % 5;
    assert_fails(try_run(f), TUNE_RESOURCE_EXHAUSTED, "the disk is full");
    f->store.fail_at = kill + 7;
    tune_status again = try_run(f);
    assert_true(tune_status_is_ok(again) == (kill + 7 > undisturbed.count));
    tune_status_free(again);
    f->store.fail_at = 0;
    f->null.capacity = 4;
    run(f);
    assert_same_records(&undisturbed, &f->store);
    memory_store_deinit(&f->store);
  }
  memory_store_deinit(&undisturbed);
  f->store = (memory_store){0};
}

// More trials with the same seed are those that a longer search would have made.
static void searches_are_made_longer(void **state) {
  fixture *f = *state;
  run(f);
  memory_store at_once = f->store;
  f->store = (memory_store){0};
  f->options.trials = 21;
  run(f);
  f->options.trials = 64;
  run(f);
  size_t shared = 0;
  for (size_t i = 0; i < at_once.count; ++i)
    for (size_t j = 0; j < f->store.count; ++j)
      shared += at_once.records[i].kind == TUNE_RECORD_TRIAL &&
                f->store.records[j].kind == TUNE_RECORD_TRIAL &&
                strcmp(at_once.records[i].config, f->store.records[j].config) == 0;
  assert_int_equal(shared, 64);
  memory_store_deinit(&at_once);
}

// What the store has of the same seed, but other options, is told as well, after a few proposals.
static void other_options_leave_no_record_unused(void **state) {
  fixture *f = *state;
  f->options.trials = 30;
  run(f);
  f->options.trials = 60;
  f->options.strategy_options.mutation_rate = 0.9;
  f->options.strategy_options.population = 3;
  run(f);
  assert_int_equal(f->result.trials, 60);
  assert_int_equal(f->result.new_trials, 30);
  assert_true(no_config_twice(&f->store));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(resumes),
      TEST(capacity_does_not_matter),
      TEST(killed_searches_end_as_undisturbed_ones),
      TEST(searches_are_made_longer),
      TEST(other_options_leave_no_record_unused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
