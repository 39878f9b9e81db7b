//===- session_order_test.c - Kills, and builds beside each other --------------------===//

#include "wrapped_evaluator.h"

#include "tuning/space/random.h"

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

// What a search came to, and what it left in its store.
typedef struct outcome {
  tune_session_result result;
  memory_store store;
} outcome;

// Takes them from the fixture, which has an empty store then.
static outcome take_outcome(fixture *f) {
  outcome taken = {f->result, f->store};
  f->result = (tune_session_result){0};
  f->store = (memory_store){0};
  return taken;
}

static void outcome_deinit(outcome *o) {
  tune_session_result_deinit(&o->result);
  memory_store_deinit(&o->store);
}

static const tune_record *find_record(const memory_store *store, const tune_record *like) {
  for (size_t i = 0; i < store->count; ++i)
    if (store->records[i].kind == like->kind && strcmp(store->records[i].config, like->config) == 0)
      return &store->records[i];
  return NULL;
}

// Of those with the same code another one may have been measured first, and is kept as it was.
static bool may_be_kept_otherwise(const fixture *f, const tune_record *a, const tune_record *b) {
  return f->null.granularity &&
         (a->verdict == TUNE_VERDICT_DUPLICATE || b->verdict == TUNE_VERDICT_DUPLICATE);
}

// The same trials came of it, and the same winner. They are in the store as they were measured, and
// no others but where a rule stopped it before some that were done.
static void assert_same_outcome(const fixture *f, const outcome *expected) {
  const tune_session_result *result = &f->result, *other = &expected->result;
  assert_int_equal(result->stop, other->stop);
  assert_int_equal(result->trials, other->trials);
  assert_memory_equal(result->verdicts, other->verdicts, sizeof result->verdicts);
  assert_true(tune_config_equal(&result->best, &other->best));
  assert_true(no_config_twice(&f->store));
  size_t in_both = 0;
  for (size_t i = 0; i < expected->store.count; ++i) {
    const tune_record *one = &expected->store.records[i];
    const tune_record *kept = find_record(&f->store, one);
    in_both += kept != NULL;
    if (!kept || may_be_kept_otherwise(f, one, kept))
      continue;
    assert_int_equal(one->verdict, kept->verdict);
    assert_true(one->time.median == kept->time.median);
    assert_int_equal(one->time.sample_count, kept->time.sample_count);
  }
  assert_true(in_both >= result->trials + 1); // the winner
  if (result->stop == TUNE_STOP_TRIALS)
    assert_int_equal(f->store.count, result->trials + 1);
}

#define MOST_TICKETS 1024

static volatile sig_atomic_t interrupted;

// Of the null evaluator, events in any order: one of those that are there is drawn. Those much
// slower than the best that they are measured against are cut.
typedef struct shuffled {
  tune_evaluator inner;
  tune_random random;
  tune_evaluation events[64];
  size_t count;
  double best[MOST_TICKETS]; // by ticket
  size_t interrupt_after;    // events; 0: never
  const memory_store *store; // has a record of each trial of which it is known what came of it;
  size_t known;              // so many. NULL: not looked at
} shuffled;

static tune_status shuffled_measure(void *self, uint64_t ticket, double best) {
  shuffled *s = self;
  assert_true(ticket < MOST_TICKETS);
  s->best[ticket] = best;
  return wrapped_measure(self, ticket, best);
}

static void cut(const shuffled *s, tune_evaluation *event) {
  double best = s->best[event->ticket];
  if (!event->is_measured || event->verdict != TUNE_VERDICT_OK || best == 0 ||
      event->time.median <= 1.1 * best)
    return;
  event->verdict = TUNE_VERDICT_CUT;
  event->error = strdup("surely slower than the best");
  assert_non_null(event->error);
}

static tune_status shuffled_wait(void *self, double seconds, tune_evaluation *event, bool *any) {
  shuffled *s = self;
  if (s->store)
    assert_int_equal(s->store->count, s->known);
  if (s->interrupt_after && --s->interrupt_after == 0)
    interrupted = 1;
  *any = true;
  while (*any && s->count < sizeof s->events / sizeof *s->events) {
    TUNE_RETURN_IF_ERROR(wrapped_wait(self, seconds, &s->events[s->count], any));
    s->count += *any;
  }
  *any = s->count > 0;
  if (!*any)
    return TUNE_OK;
  size_t drawn = tune_random_below(&s->random, s->count);
  *event = s->events[drawn];
  s->events[drawn] = s->events[--s->count];
  cut(s, event);
  s->known += event->is_measured || event->verdict != TUNE_VERDICT_OK;
  return TUNE_OK;
}

static tune_status shuffled_compare(void *self, const tune_compare_order *order,
                                    tune_comparison *comparison) {
  shuffled *s = self;
  assert_int_equal(s->count, 0);
  return wrapped_compare(self, order, comparison);
}

static tune_status shuffled_cancel(void *self) {
  shuffled *s = self;
  while (s->count)
    tune_evaluation_deinit(&s->events[--s->count]);
  return wrapped_cancel(self);
}

static const tune_evaluator_class shuffled_class = {
    .name = "shuffled",
    WRAPPED_METHODS,
    .measure = shuffled_measure,
    .build = wrapped_build,
    .wait = shuffled_wait,
    .compare = shuffled_compare,
    .cancel = shuffled_cancel,
};

static tune_status try_shuffled(fixture *f, uint64_t seed, size_t interrupt_after) {
  shuffled s = {.interrupt_after = interrupt_after, .known = f->store.count};
  if (!f->null.granularity)
    s.store = &f->store; // else some wait for others that are the same code
  tune_random_init(&s.random, seed);
  tune_status status = try_wrapped(f, &shuffled_class, &s.inner);
  while (s.count)
    tune_evaluation_deinit(&s.events[--s.count]);
  return status;
}

static void run_interrupted(fixture *f, uint64_t seed, size_t interrupt_after) {
  assert_ok(try_shuffled(f, seed, interrupt_after));
}

static void run_shuffled(fixture *f, uint64_t seed) { run_interrupted(f, seed, 0); }

static void forget_records(fixture *f) {
  memory_store_deinit(&f->store);
  f->store = (memory_store){0};
}

// One candidate after the other, from the beginning.
static outcome run_in_order(fixture *f) {
  forget_records(f);
  f->null.capacity = 1;
  run_shuffled(f, 0);
  return take_outcome(f);
}

// A search with 1 to 8 builds at once, whose ends come in several orders, is always the same one.
// By which rule it stops is the result's.
static void assert_order_does_not_matter(fixture *f) {
  outcome first = run_in_order(f);
  for (f->null.capacity = 1; f->null.capacity <= 8; ++f->null.capacity)
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      forget_records(f);
      run_shuffled(f, seed);
      assert_same_outcome(f, &first);
    }
  outcome_deinit(&first);
}

static const char *const strategies[] = {"evolutionary", "random", "grid"};

#define GRANULARITY 64

// A time for all configs with the same code, on a null target of that granularity.
static double coarse_seconds(void *user, const tune_space *space, const tune_config *config) {
  (void)user;
  double seconds = 1.9e-3;
  for (size_t i = 0; i < config->count; ++i)
    seconds *= 1 + 0.2 * fabs((double)(tune_config_value(config, space, i) / GRANULARITY) -
                              (i % 2 ? 0 : 1));
  return seconds;
}

// Several configs are the same code.
static void make_duplicates(fixture *f) {
  f->null.objective = coarse_seconds;
  f->null.granularity = GRANULARITY;
}

// However many candidates are built at once, and whichever is done first, the same are tried, and
// the same one wins: a strategy that learns is told what it is told in one order. Also where some
// of them fail, and where several are the same code.
static void order_does_not_matter(void **state) {
  fixture *f = *state;
  f->null.build_failures = f->null.run_crashes = f->null.wrong_results = 0.05;
  for (size_t i = 0; i < 6; ++i) {
    f->options.strategy = strategies[i % 3];
    if (i == 3)
      make_duplicates(f);
    assert_order_does_not_matter(f);
    assert_int_equal(f->result.stop, TUNE_STOP_TRIALS);
  }
  assert_true(f->result.verdicts[TUNE_VERDICT_DUPLICATE] > 0);
  assert_true(f->result.verdicts[TUNE_VERDICT_CUT] > 0);
}

// Nor does it for rules that end a search by what was found: what was begun beyond that is dropped.
static void order_does_not_matter_to_stop_rules(void **state) {
  fixture *f = *state;
  f->null.build_failures = f->null.run_crashes = f->null.wrong_results = 0.05;
  f->options.trials = 300;
  for (size_t i = 0; i < 6; ++i) {
    f->options.strategy = strategies[i % 3];
    if (i == 3)
      make_duplicates(f);
    f->options.target_percent = 70; // of 270 GFLOP/s; the best has 85
    assert_order_does_not_matter(f);
    assert_int_equal(f->result.stop, TUNE_STOP_TARGET);
    f->options.target_percent = 0;
    f->options.plateau_trials = 20;
    f->options.plateau_percent = 1;
    assert_order_does_not_matter(f);
    assert_int_equal(f->result.stop, TUNE_STOP_PLATEAU);
    f->options.plateau_trials = 0;
  }
}

// Given once more, a search that found no gain for long finds that in the store, without building.
static void plateaus_are_found_in_the_store(void **state) {
  fixture *f = *state;
  f->options.trials = 300;
  f->options.plateau_trials = 20;
  f->options.plateau_percent = 1;
  run(f);
  size_t trials = f->result.trials;
  assert_int_equal(f->result.stop, TUNE_STOP_PLATEAU);
  run(f);
  assert_int_equal(f->result.stop, TUNE_STOP_PLATEAU);
  assert_int_equal(f->result.trials, trials);
  assert_int_equal(f->result.new_trials, 0);
}

// Killed after any record and started again, a search comes to what it would have come to: the same
// trials and the same winner, nothing measured twice. Also where it is killed a second time, with
// another number of builds at once, and where trials were kept ahead of those proposed before them.
static void kill_after_each_record(fixture *f) {
  outcome undisturbed = run_in_order(f);
  for (size_t kill = 1; kill <= undisturbed.store.count; ++kill) {
    forget_records(f);
    f->store.fail_at = kill;
    f->null.capacity = 1 + kill % 8;
    assert_fails(try_shuffled(f, kill, 0), TUNE_RESOURCE_EXHAUSTED, "the disk is full");
    f->store.fail_at = kill + 7;
    tune_status again = try_shuffled(f, kill + 1, 0);
    assert_true(kill + 7 > undisturbed.store.count || !tune_status_is_ok(again));
    tune_status_free(again);
    f->store.fail_at = 0;
    f->null.capacity = 4;
    run_shuffled(f, kill + 2);
    assert_same_outcome(f, &undisturbed);
  }
  outcome_deinit(&undisturbed);
}

static void killed_searches_end_as_undisturbed_ones(void **state) {
  fixture *f = *state;
  f->null.build_failures = f->null.wrong_results = 0.05;
  for (size_t i = 0; i < 3; ++i) {
    f->options.strategy = strategies[i];
    kill_after_each_record(f);
  }
  f->options.strategy = strategies[0];
  f->options.trials = 300;
  f->options.plateau_trials = 20;
  f->options.plateau_percent = 1;
  kill_after_each_record(f);
  assert_int_equal(f->result.stop, TUNE_STOP_PLATEAU);
}

// Where several are the same code, and a limit that is not the first one's cut the one that was
// measured.
static void killed_searches_know_duplicates(void **state) {
  fixture *f = *state;
  f->null.build_failures = 0.05;
  make_duplicates(f);
  for (size_t i = 0; i < 3; ++i) {
    f->options.strategy = strategies[i];
    kill_after_each_record(f);
    assert_true(f->result.verdicts[TUNE_VERDICT_DUPLICATE] > 0);
    assert_true(f->result.verdicts[TUNE_VERDICT_CUT] > 0);
  }
}

// Interrupted at any event and started again, a search comes to what it would have come to, also
// where it has kept trials ahead of those before them: the same trials, of those with the same code
// the same one measured as far as anybody is told, and the same winner.
static void interrupted_searches_end_as_undisturbed_ones(void **state) {
  fixture *f = *state;
  f->null.build_failures = f->null.run_crashes = 0.05;
  f->options.interrupted = &interrupted;
  make_duplicates(f);
  for (size_t i = 0; i < 3; ++i) {
    f->options.strategy = strategies[i];
    outcome undisturbed = run_in_order(f);
    for (size_t after = 1; after <= 60; ++after) {
      forget_records(f);
      f->null.capacity = 2 + after % 4;
      run_interrupted(f, after, after);
      assert_int_equal(f->result.stop, TUNE_STOP_INTERRUPTED);
      interrupted = 0;
      run_shuffled(f, after + 1);
      assert_same_outcome(f, &undisturbed);
    }
    outcome_deinit(&undisturbed);
  }
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
      TEST(order_does_not_matter),
      TEST(order_does_not_matter_to_stop_rules),
      TEST(plateaus_are_found_in_the_store),
      TEST(killed_searches_end_as_undisturbed_ones),
      TEST(killed_searches_know_duplicates),
      TEST(interrupted_searches_end_as_undisturbed_ones),
      TEST(searches_are_made_longer),
      TEST(other_options_leave_no_record_unused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
