//===- size_spec_test.c - Sizes and ranges from text, or a message that shows how ==//

#include "transforms/variants/size_spec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static tune_size_spec parse_ok(const char *text) {
  tune_size_spec spec;
  tune_status status = tune_size_spec_parse(text, &spec);
  if (!tune_status_is_ok(status))
    fail_msg("%s: %s", text, tune_status_get_message(status));
  return spec;
}

static void assert_item(const tune_size_spec *spec, size_t index, int64_t first, int64_t last,
                        double weight) {
  assert_true(index < spec->count);
  assert_int_equal(spec->items[index].first, first);
  assert_int_equal(spec->items[index].last, last);
  assert_true(fabs(spec->items[index].weight - weight) < 1e-12);
}

// What has no share gets an equal part of the rest.
static void sizes_and_ranges_share_the_calls(void **state) {
  (void)state;
  tune_size_spec spec = parse_ok("1:0.5,64,128-512");
  assert_int_equal(spec.count, 3);
  assert_item(&spec, 0, 1, 1, 0.5);
  assert_item(&spec, 1, 64, 64, 0.25);
  assert_item(&spec, 2, 128, 512, 0.25);
}

static void shares_of_all_are_relative(void **state) {
  (void)state;
  tune_size_spec spec = parse_ok("8:3,1-4:1");
  assert_int_equal(spec.count, 2);
  assert_item(&spec, 0, 1, 4, 0.25);
  assert_item(&spec, 1, 8, 8, 0.75);
}

static void shares_are_decimal_numbers(void **state) {
  (void)state;
  tune_size_spec spec = parse_ok("1:.25,2:0.125,3");
  assert_true(spec.items[0].weight == 0.25);
  assert_true(spec.items[1].weight == 0.125);
  assert_true(spec.items[2].weight == 0.625);
  spec = parse_ok("1:3.,2:1.00000000000000000000000000000000000000000000");
  assert_true(spec.items[0].weight == 0.75);
  // Of more than a double holds there is no share.
  char text[512] = "1:";
  memset(text + 2, '9', 400);
  tune_status status = tune_size_spec_parse(text, &spec);
  assert_non_null(strstr(tune_status_get_message(status), "expected a share above 0 at '999"));
  tune_status_free(status);
}

static void a_size_may_stand_out_of_a_range(void **state) {
  (void)state;
  tune_size_spec spec = parse_ok("1-64,32,1");
  assert_int_equal(spec.count, 3);
  assert_item(&spec, 0, 1, 1, 1.0 / 3);
  assert_item(&spec, 1, 1, 64, 1.0 / 3);
  assert_item(&spec, 2, 32, 32, 1.0 / 3);
}

static void a_number_alone_is_one(void **state) {
  (void)state;
  assert_true(tune_size_spec_is_number("64"));
  assert_false(tune_size_spec_is_number("64:1"));
  assert_false(tune_size_spec_is_number("1,64"));
  assert_false(tune_size_spec_is_number(""));
  assert_false(tune_size_spec_is_number("0"));
}

static void what_is_wrong_is_said_with_an_example(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } wrong[] = {
      {"", "'': expected a size from 1 to 2147483647 at ''"},
      {"0", "expected a size from 1 to 2147483647 at '0'"},
      {"-4", "expected a size from 1 to 2147483647 at '-4'"},
      {"1,", "expected a size from 1 to 2147483647 at ''"},
      {"2147483648", "expected a size from 1 to 2147483647 at '2147483648'"},
      {"99999999999999999999", "expected a size from 1 to"},
      {"64x", "'64x': expected a comma or the end at 'x'"},
      {"1 ,2", "expected a comma or the end at ' ,2'"},
      {"512-128", "the range 512-128 does not go up"},
      {"8-8", "the range 8-8 does not go up"},
      {"1:0", "expected a share above 0 at '0'"},
      {"1:", "expected a share above 0 at ''"},
      {"1:-1", "expected a share above 0 at '-1'"},
      {"1:inf", "expected a share above 0 at 'inf'"},
      {"1:.", "expected a share above 0 at '.'"},
      {"1:0x1p-1", "expected a share above 0 at '0x1p-1'"},
      {"1:1e-1", "expected a comma or the end at 'e-1'"},
      {"1:0,5", "expected a share above 0 at '0,5'"},
      {"1:0.5.5", "expected a comma or the end at '.5'"},
      {"1,1", "the size 1 is given twice"},
      {"1-8,8-16", "the size 8 is given twice"},
      {"1:2,64", "are 2 together, which leaves nothing of 1 for the 1 without"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    tune_size_spec spec;
    tune_status status = tune_size_spec_parse(wrong[i].text, &spec);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    if (!strstr(tune_status_get_message(status), wrong[i].message) ||
        !strstr(tune_status_get_message(status), "as in 1:0.5,64,128-512"))
      fail_msg("'%s': %s", wrong[i].text, tune_status_get_message(status));
    tune_status_free(status);
  }
}

static void there_is_an_end(void **state) {
  (void)state;
  char text[4 * (TUNE_MOST_SIZES + 2)] = "1";
  for (size_t i = 1; i <= TUNE_MOST_SIZES; ++i)
    snprintf(text + strlen(text), sizeof text - strlen(text), ",%zu", i + 1);
  tune_size_spec spec;
  tune_status status = tune_size_spec_parse(text, &spec);
  assert_non_null(strstr(tune_status_get_message(status), "more than 32 sizes"));
  tune_status_free(status);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_and_ranges_share_the_calls),
      cmocka_unit_test(shares_of_all_are_relative),
      cmocka_unit_test(shares_are_decimal_numbers),
      cmocka_unit_test(a_size_may_stand_out_of_a_range),
      cmocka_unit_test(a_number_alone_is_one),
      cmocka_unit_test(what_is_wrong_is_said_with_an_example),
      cmocka_unit_test(there_is_an_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
