//===- nearest_test.c -----------------------------------------------------------===//

#include "support/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const words[] = {"grid", "random", "evolutionary", "target-percent-of-peak"};

static void assert_nearest(const char *word, const char *expected) {
  const char *found = tune_nearest_of(word, words, sizeof words / sizeof *words);
  if (expected) {
    assert_non_null(found);
    assert_string_equal(found, expected);
  } else {
    assert_null(found);
  }
}

static void finds_what_was_meant(void **state) {
  (void)state;
  assert_nearest("evolutionray", "evolutionary"); // swapped
  assert_nearest("evolutonary", "evolutionary");  // dropped
  assert_nearest("raandom", "random");            // doubled
  assert_nearest("gryd", "grid");                 // replaced
  assert_nearest("RANDOM", "random");
  assert_nearest("target_percent_of_peak", "target-percent-of-peak");
  assert_nearest("random", "random");
}

static void is_silent_where_nothing_is_near(void **state) {
  (void)state;
  assert_nearest("bayesian", NULL);
  assert_nearest("x", NULL);
  assert_nearest("", NULL);
  assert_null(tune_nearest_of("random", words, 0));
}

// A swap of neighbours is one step: at two steps "ab" would be any two letters.
static void a_swap_is_one_step(void **state) {
  (void)state;
  tune_nearest nearest;
  tune_nearest_init(&nearest, "abcd");
  tune_nearest_offer(&nearest, "abdc");
  assert_int_equal(nearest.distance, 1);
}

static void the_first_of_equals_stays(void **state) {
  (void)state;
  const char *const equals[] = {"max", "min"};
  assert_string_equal(tune_nearest_of("mux", equals, 2), "max");
  const char *const twins[] = {"bar", "baz"};
  assert_string_equal(tune_nearest_of("bat", twins, 2), "bar");
}

static void long_words_are_compared_in_part(void **state) {
  (void)state;
  char a[1000], b[1000];
  memset(a, 'a', sizeof a - 1);
  memset(b, 'a', sizeof b - 1);
  a[999] = b[999] = '\0';
  a[5] = 'x';
  const char *const candidates[] = {a};
  assert_ptr_equal(tune_nearest_of(b, candidates, 1), a);
}

static const char *get(const void *table, size_t index) {
  return ((const char *const *)table)[index];
}

// The list begins a sentence after a question, and goes on with one otherwise.
static void a_refusal_has_the_nearest_and_all(void **state) {
  (void)state;
  const tune_nearest_words all = {"there are", words, 3, get};
  tune_status status = tune_nearest_refuse(TUNE_NOT_FOUND, "no strategy", "gryd", &all);
  assert_int_equal(tune_status_get_code(status), TUNE_NOT_FOUND);
  assert_string_equal(tune_status_get_message(status),
                      "no strategy 'gryd'; did you mean 'grid'? There are grid, random, "
                      "evolutionary");
  tune_status_free(status);
  status = tune_nearest_refuse(TUNE_INVALID_ARGUMENT, "no such word:", "bayesian", &all);
  assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
  assert_string_equal(tune_status_get_message(status),
                      "no such word: 'bayesian'; there are grid, random, evolutionary");
  tune_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_what_was_meant),
      cmocka_unit_test(is_silent_where_nothing_is_near),
      cmocka_unit_test(a_swap_is_one_step),
      cmocka_unit_test(the_first_of_equals_stays),
      cmocka_unit_test(long_words_are_compared_in_part),
      cmocka_unit_test(a_refusal_has_the_nearest_and_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
