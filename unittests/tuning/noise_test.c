//===- noise_test.c - Noise does not choose the winner ---------------------------------===//
//
// Whole searches, by the measuring protocol, over times that a machine gave: each run of a config
// takes as long as the next one did in a file of unittests/data, which benchmarks/noise/record
// made; and what the same code does in other places of memory is from such a file, too.
// docs/measuring.md has the figures that this prints.
//
// Tier: check-all
//
//===--------------------------------------------------------------------------===//

#include "space_fixture.h"

#include "tuning/evaluators/null.h"
#include "tuning/session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__ // for its errors a few will do
#define SEARCHES 200
#else
#define SEARCHES 1000
#endif
#define TRIALS 24
#define RUN_SECONDS 1e-3 // of one run that nothing disturbs

// How many of 100 searches find at least what is faster by a tenth.
static const struct {
  const char *name;
  size_t found;
} files[] = {{"matmul_quiet", 90}, {"add_quiet", 90}, {"matmul_busy", 60}, {"add_busy", 60}};
#define FILE_COUNT (sizeof files / sizeof *files)

typedef struct trace {
  double *factors; // relative to their median
  size_t count;
} trace;

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Lines of one number, or of two, of which it takes the geometric mean.
static trace read_numbers(const char *name) {
  char path[512], line[256];
  (void)snprintf(path, sizeof path, "%s/noise_%s.txt", TUNE_TEST_DATA, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  trace read = {NULL, 0};
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#')
      continue;
    read.factors = realloc(read.factors, (read.count + 1) * sizeof *read.factors);
    assert_non_null(read.factors);
    char *end;
    double first = strtod(line, &end), second = strtod(end, NULL);
    read.factors[read.count++] = second > 0 ? sqrt(first * second) : first;
  }
  (void)fclose(file);
  return read;
}

static trace read_trace(const char *name) {
  trace read = read_numbers(name);
  assert_true(read.count >= 1000);
  double *sorted = malloc(read.count * sizeof *sorted);
  assert_non_null(sorted);
  memcpy(sorted, read.factors, read.count * sizeof *sorted);
  qsort(sorted, read.count, sizeof *sorted, compare_doubles);
  for (size_t i = 0; i < read.count; ++i)
    read.factors[i] /= sorted[read.count / 2];
  free(sorted);
  return read;
}

// A tune_null_objective: `user` is how much faster the configs with the first knob's last value
// are than all others, which are alike.
static double two_speeds(void *user, const tune_space *space, const tune_config *config) {
  bool is_fast = (size_t)config->choices[0] + 1 == tune_space_knob(space, 0)->value_count;
  return is_fast ? RUN_SECONDS / *(const double *)user : RUN_SECONDS;
}

typedef struct outcome {
  size_t others;      // searches whose winner is not the default
  size_t faster;      // of these, with the fast value
  double worst_claim; // the lower end of the speed-up's interval, at most
} outcome;

static outcome run_searches(const trace *noise, const trace *places, double gain) {
  outcome seen = {0};
  tune_space *space = make_space();
  ADD_ORDERED(space, "mc", 32, 64, 128);
  ADD_ORDERED(space, "nr", 8, 16, 32, 64);
  ADD_ORDERED(space, "kr", 1, 2, 4, 8);
  tune_task task = {
      .key = "0123456789abcdef", .name = "noise", .schedule_digest = "s1", .space = space};
  for (uint64_t seed = 1; seed <= SEARCHES; ++seed) {
    tune_null_options null = {.objective = two_speeds,
                              .user = &gain,
                              .seed = seed,
                              .trace = noise->factors,
                              .trace_count = noise->count,
                              .places = places ? places->factors : NULL,
                              .place_count = places ? places->count : 0};
    tune_evaluator evaluator;
    tune_session_options options;
    tune_session_options_init(&options);
    options.fingerprint = "recorded";
    options.trials = TRIALS;
    options.strategy_options.seed = seed;
    assert_ok(tune_evaluator_null_create(&null, &evaluator));
    tune_session_result result = {0};
    assert_ok(tune_session_run(&task, &options, &evaluator, NULL, &result));
    seen.others += !result.is_default;
    seen.faster += two_speeds(&gain, space, &result.best) < RUN_SECONDS;
    if (!result.is_default)
      seen.worst_claim = fmax(seen.worst_claim, result.speedup_low);
    tune_session_result_deinit(&result);
    tune_evaluator_destroy(&evaluator);
  }
  tune_space_destroy(space);
  return seen;
}

// All configs are the same code: whatever wins beside the default was chosen by the noise.
static void noise_alone_has_no_winner(void **state) {
  (void)state;
  for (size_t i = 0; i < FILE_COUNT; ++i) {
    trace noise = read_trace(files[i].name);
    outcome seen = run_searches(&noise, NULL, 1);
    printf("%-13s all alike: %zu of %d searches do not keep the default\n", files[i].name,
           seen.others, SEARCHES);
    assert_in_range(seen.others, 0, SEARCHES / 20);
    free(noise.factors);
  }
}

// A third is faster by so much: that is found, and how much is not said to be more.
static void what_is_faster_wins(void **state) {
  (void)state;
  const double gains[] = {1.02, 1.1};
  for (size_t i = 0; i < FILE_COUNT; ++i) {
    trace noise = read_trace(files[i].name);
    for (size_t g = 0; g < sizeof gains / sizeof *gains; ++g) {
      outcome seen = run_searches(&noise, NULL, gains[g]);
      printf("%-13s %g faster: found by %zu of %d searches, one that is not by %zu\n",
             files[i].name, gains[g], seen.faster, SEARCHES, seen.others - seen.faster);
      assert_in_range(seen.others - seen.faster, 0, SEARCHES / 20);
      if (gains[g] > 1.05)
        assert_in_range(seen.faster, SEARCHES / 100 * files[i].found, SEARCHES);
    }
    free(noise.factors);
  }
}

// The same code is faster or slower by where it lies, in each placement anew. That chooses no
// winner, and hides nothing that is faster by 3 %.
static void places_choose_no_winner(void **state) {
  (void)state;
  const double gains[] = {1, 1.03};
  trace noise = read_trace("matmul_quiet"), places = read_numbers("places");
  assert_true(places.count >= 100);
  for (size_t g = 0; g < 2; ++g) {
    outcome seen = run_searches(&noise, &places, gains[g]);
    printf("places        %g faster: found by %zu of %d searches, one that is not by %zu\n",
           gains[g], g ? seen.faster : 0, SEARCHES, seen.others - (g ? seen.faster : 0));
    assert_in_range(seen.others - (g ? seen.faster : 0), 0, SEARCHES / 20);
    if (g)
      assert_in_range(seen.faster, SEARCHES / 100 * 95, SEARCHES);
  }
  free(places.factors);
  free(noise.factors);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_alone_has_no_winner),
      cmocka_unit_test(what_is_faster_wins),
      cmocka_unit_test(places_choose_no_winner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
