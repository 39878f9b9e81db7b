//===- pass_options_test.c - The text of options: taken, or refused with a reason ==//

#include "transforms/passes/pass_options.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const targets[] = {"cpu", "cuda", "vulkan", NULL};

static const tune_pass_option table[] = {
    {.name = "strategy",
     .type = TUNE_PASS_OPTION_STRING,
     .takes_bare_word = true,
     .initial = "evolutionary"},
    {.name = "trials",
     .type = TUNE_PASS_OPTION_INTEGER,
     .minimum = 1,
     .maximum = 1000000,
     .initial = "64"},
    {.name = "seed", .type = TUNE_PASS_OPTION_INTEGER},
    {.name = "time", .type = TUNE_PASS_OPTION_SECONDS},
    {.name = "target-percent-of-peak", .type = TUNE_PASS_OPTION_PERCENT},
    {.name = "timing", .type = TUNE_PASS_OPTION_FLAG, .initial = "false"},
    {.name = "target", .type = TUNE_PASS_OPTION_ENUM, .words = targets, .initial = "cpu"},
    {.name = "db", .type = TUNE_PASS_OPTION_STRING},
};

#define ALL_OPTIONS "strategy, trials, seed, time, target-percent-of-peak, timing, target, db"

static tune_status parse(const char *text, tune_pass_options **out_options) {
  return tune_pass_options_parse(table, sizeof table / sizeof *table, text, out_options);
}

static tune_pass_options *parse_ok(const char *text) {
  tune_pass_options *options;
  tune_status status = parse(text, &options);
  if (!tune_status_is_ok(status))
    fail_msg("%s: %s", text, tune_status_get_message(status));
  return options;
}

static void without_text_there_are_the_defaults(void **state) {
  (void)state;
  static const char *const nothing[] = {NULL, "", " \t\n "};
  for (size_t i = 0; i < 3; ++i) {
    tune_pass_options *options = parse_ok(nothing[i]);
    assert_string_equal(tune_pass_options_get_text(options, "strategy"), "evolutionary");
    assert_int_equal(tune_pass_options_get_integer(options, "trials"), 64);
    assert_false(tune_pass_options_get_flag(options, "timing"));
    assert_int_equal(tune_pass_options_get_enum(options, "target"), 0);
    assert_false(tune_pass_options_is_given(options, "trials"));
    assert_null(tune_pass_options_get_text(options, "db"));
    assert_int_equal(tune_pass_options_get_integer(options, "seed"), 0);
    tune_pass_options_destroy(options);
  }
}

static void every_type_is_read(void **state) {
  (void)state;
  tune_pass_options *options =
      parse_ok("random trials=256 seed=-9223372036854775808 time=1.5m "
               "target-percent-of-peak=85% timing=1 target=vulkan db=/x.db");
  assert_string_equal(tune_pass_options_get_text(options, "strategy"), "random");
  assert_int_equal(tune_pass_options_get_integer(options, "trials"), 256);
  assert_true(tune_pass_options_get_integer(options, "seed") == INT64_MIN);
  assert_true(tune_pass_options_get_seconds(options, "time") == 90);
  assert_true(tune_pass_options_get_percent(options, "target-percent-of-peak") == 85);
  assert_true(tune_pass_options_get_flag(options, "timing"));
  assert_int_equal(tune_pass_options_get_enum(options, "target"), 2);
  assert_string_equal(tune_pass_options_get_text(options, "target"), "vulkan");
  assert_string_equal(tune_pass_options_get_text(options, "db"), "/x.db");
  assert_true(tune_pass_options_is_given(options, "db"));
  tune_pass_options_destroy(options);
}

typedef enum place { PLACE_CPU, PLACE_CUDA, PLACE_VULKAN } place;

typedef struct filled {
  const char *strategy, *word, *db;
  size_t trials;
  double time, share;
  place target;
  bool timing, kept;
} filled;

#define INTO(member) TUNE_PASS_OPTION_INTO(filled, member)

// What is neither given nor has a default, or has no place, leaves the struct as it was.
static void values_go_into_a_struct(void **state) {
  (void)state;
  static const tune_pass_option rows[] = {
      {.name = "strategy", .type = TUNE_PASS_OPTION_STRING, INTO(strategy), .initial = "random"},
      {.name = "word", .type = TUNE_PASS_OPTION_ENUM, .words = targets, INTO(word)},
      {.name = "db", .type = TUNE_PASS_OPTION_STRING, INTO(db)},
      {.name = "trials", .type = TUNE_PASS_OPTION_INTEGER, INTO(trials)},
      {.name = "time", .type = TUNE_PASS_OPTION_SECONDS, INTO(time)},
      {.name = "share", .type = TUNE_PASS_OPTION_PERCENT, INTO(share)},
      {.name = "target", .type = TUNE_PASS_OPTION_ENUM, .words = targets, INTO(target)},
      {.name = "timing", .type = TUNE_PASS_OPTION_FLAG, INTO(timing)},
      {.name = "elsewhere", .type = TUNE_PASS_OPTION_INTEGER, .initial = "7"},
  };
  filled into = {.db = "unset", .share = -1, .timing = true, .kept = true};
  tune_pass_options *options;
  tune_status status =
      tune_pass_options_parse(rows, sizeof rows / sizeof *rows,
                              "trials=9 time=2m target=vulkan word=cuda timing=0", &options);
  assert_true(tune_status_is_ok(status));
  tune_pass_options_fill(options, &into);
  assert_string_equal(into.strategy, "random");
  assert_string_equal(into.word, "cuda");
  assert_string_equal(into.db, "unset");
  assert_int_equal(into.trials, 9);
  assert_true(into.time == 120 && into.share == -1);
  assert_int_equal(into.target, PLACE_VULKAN);
  assert_true(!into.timing && into.kept);
  tune_pass_options_destroy(options);
}

static void times_have_units(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double seconds;
  } cases[] = {{"time=90", 90},    {"time=90s", 90},   {"time=500ms", 0.5},
               {"time=2min", 120}, {"time=.5h", 1800}, {"time=0", 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tune_pass_options *options = parse_ok(cases[i].text);
    assert_true(fabs(tune_pass_options_get_seconds(options, "time") - cases[i].seconds) < 1e-12);
    tune_pass_options_destroy(options);
  }
}

// Quotes and braces hold spaces and each other, and come off; an empty value is a value.
static void quotes_and_braces_come_off(void **state) {
  (void)state;
  static const struct {
    const char *text, *db;
  } cases[] = {
      {"db='/a b/c.db'", "/a b/c.db"},
      {"db=\"it's\"", "it's"},
      {"db=/a' 'b", "/a b"},
      {"db={a {b c} d}", "a {b c} d"},
      {"db={}", ""},
      {"db=''", ""},
      {"db=", ""},
      {"db=a=b", "a=b"},
      {"timing db={x} seed=1", "x"},
      {"'grid' db=x", "x"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tune_pass_options *options = parse_ok(cases[i].text);
    assert_string_equal(tune_pass_options_get_text(options, "db"), cases[i].db);
    tune_pass_options_destroy(options);
  }
}

// A flag stands alone anywhere, also first, where another option would take a bare word.
static void flags_stand_alone(void **state) {
  (void)state;
  static const char *const texts[] = {"timing", "grid timing", "seed=1 timing trials=2",
                                      "timing=true"};
  for (size_t i = 0; i < 4; ++i) {
    tune_pass_options *options = parse_ok(texts[i]);
    assert_true(tune_pass_options_get_flag(options, "timing"));
    tune_pass_options_destroy(options);
  }
  tune_pass_options *options = parse_ok("timing=false");
  assert_false(tune_pass_options_get_flag(options, "timing"));
  tune_pass_options_destroy(options);
}

static void mistakes_are_told_with_what_is_right(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"trails=3",
       "no such option: 'trails'; did you mean 'trials'? The options are: " ALL_OPTIONS},
      {"zzzzzz=3", "no such option: 'zzzzzz'; the options are: " ALL_OPTIONS},
      {"=3", "no such option: ''; the options are: " ALL_OPTIONS},
      {"grid random", "no such option: 'random'; the options are: " ALL_OPTIONS},
      {"seed=1 grid", "no such option: 'grid'; the options are: " ALL_OPTIONS},
      {"trials", "option 'trials' has no value: expected trials=..."},
      {"trials=5,seed=1", "options are separated by spaces, not by commas, in 'trials=5,seed=1'"},
      {"random,trials=5", "options are separated by spaces, not by commas, in 'random,trials=5'"},
      {"trials=many", "option 'trials': expected an integer from 1 to 1000000, got 'many'"},
      {"trials=0", "option 'trials': expected an integer from 1 to 1000000, got '0'"},
      {"trials=12x", "option 'trials': expected an integer from 1 to 1000000, got '12x'"},
      {"trials=", "option 'trials': expected an integer from 1 to 1000000, got ''"},
      {"trials=' 3'", "option 'trials': expected an integer from 1 to 1000000, got ' 3'"},
      {"seed=9223372036854775808", "option 'seed': expected an integer, got '9223372036854775808'"},
      {"time=soon",
       "option 'time': expected a time such as 90, 90s, 1.5m, 2h or 500ms, got 'soon'"},
      {"time=nan", "option 'time': expected a time such as 90, 90s, 1.5m, 2h or 500ms, got 'nan'"},
      {"time=0x10",
       "option 'time': expected a time such as 90, 90s, 1.5m, 2h or 500ms, got '0x10'"},
      {"time=1e999",
       "option 'time': expected a time such as 90, 90s, 1.5m, 2h or 500ms, got '1e999'"},
      {"time=-1", "option 'time': expected a time such as 90, 90s, 1.5m, 2h or 500ms, got '-1'"},
      {"time=3d", "option 'time': expected a time such as 90, 90s, 1.5m, 2h or 500ms, got '3d'"},
      {"target-percent-of-peak=101",
       "option 'target-percent-of-peak': expected a percentage such as 85 or 85%, from 0 to 100, "
       "got '101'"},
      {"timing=yes", "option 'timing': expected true or false, got 'yes'"},
      {"target=cuba", "option 'target': no such value: 'cuba'; did you mean 'cuda'? The values "
                      "are: cpu, cuda, vulkan"},
      {"target=", "option 'target': no such value: ''; the values are: cpu, cuda, vulkan"},
      {"trials=1 trials=2", "option 'trials' is given twice"},
      {"grid strategy=random", "option 'strategy' is given twice"},
      {"db='x", "the quote in 'x is not closed"},
      {"db={x {y}", "the brace in {x {y} is not closed"},
      {"db={x}y", "expected a space before y"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tune_pass_options *options;
    tune_status status = parse(cases[i].text, &options);
    assert_null(options);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    assert_string_equal(tune_status_get_message(status), cases[i].message);
    tune_status_free(status);
  }
}

static void a_pass_without_options_takes_none(void **state) {
  (void)state;
  tune_pass_options *options;
  assert_true(tune_status_is_ok(tune_pass_options_parse(NULL, 0, "", &options)));
  tune_pass_options_destroy(options);
  tune_status status = tune_pass_options_parse(NULL, 0, "x=1", &options);
  assert_string_equal(tune_status_get_message(status), "no such option: 'x'; there are no options");
  tune_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_text_there_are_the_defaults),
      cmocka_unit_test(every_type_is_read),
      cmocka_unit_test(values_go_into_a_struct),
      cmocka_unit_test(times_have_units),
      cmocka_unit_test(quotes_and_braces_come_off),
      cmocka_unit_test(flags_stand_alone),
      cmocka_unit_test(mistakes_are_told_with_what_is_right),
      cmocka_unit_test(a_pass_without_options_takes_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
