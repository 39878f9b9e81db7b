//===- table_test.c - Columns and figures for people -------------------------------===//

#include "support/table.h"
#include "support/units.h"
#include "unittests/common/failing_malloc.h"

#include <math.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

static const tune_table_column columns[] = {
    {.title = "NAME", .may_shrink = true}, {.title = "N", .is_number = true}, {.title = "WHAT"}};

static tune_table *make_table(void) {
  tune_table *table = NULL;
  assert_null(tune_table_create(columns, 3, &table));
  return table;
}

static void add_row(tune_table *table, const char *a, const char *b, const char *c) {
  const char *cells[] = {a, b, c};
  tune_table_add_row(table, cells);
}

static void expect_print(const tune_table *table, size_t width, const char *expected) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  assert_null(tune_table_print(table, width, stream));
  fclose(stream);
  assert_string_equal(text, expected);
  free(text);
}

// Columns line up, numbers at the right, no line ends in spaces.
static void columns_line_up(void **state) {
  (void)state;
  tune_table *table = make_table();
  add_row(table, "a", "1", "x");
  add_row(table, "abcdef", "1234", NULL);
  add_row(table, NULL, "", "z");
  assert_int_equal(tune_table_row_count(table), 3);
  expect_print(table, 0,
               "NAME       N  WHAT\n"
               "a          1  x\n"
               "abcdef  1234\n"
               "              z\n");
  tune_table_destroy(table);
}

// Characters count as the cells they take, not as bytes.
static void width_is_in_cells(void **state) {
  (void)state;
  assert_int_equal(tune_text_width("abc"), 3);
  assert_int_equal(tune_text_width("\xc2\xb1"), 1);                 // ±
  assert_int_equal(tune_text_width("e\xcc\x81"), 1);                // e and a combining accent
  assert_int_equal(tune_text_width("\xe8\xa1\x8c\xe5\x88\x97"), 4); // two CJK characters
  tune_table *table = make_table();
  add_row(table, "\xe8\xa1\x8c", "1", "x");
  add_row(table, "\xc2\xb1\xc2\xb1\xc2\xb1\xc2\xb1\xc2\xb1", "2", "y");
  expect_print(table, 0,
               "NAME   N  WHAT\n"
               "\xe8\xa1\x8c     1  x\n"
               "\xc2\xb1\xc2\xb1\xc2\xb1\xc2\xb1\xc2\xb1  2  y\n");
  tune_table_destroy(table);
}

// Where the terminal is narrow, only columns that may shrink do, and not below eight cells.
static void wide_tables_shrink(void **state) {
  (void)state;
  tune_table *table = make_table();
  add_row(table, "0123456789abcdef", "1", "whatever");
  expect_print(table, 25,
               "NAME          N  WHAT\n"
               "0123456789a\xe2\x80\xa6  1  whatever\n");
  expect_print(table, 5,
               "NAME      N  WHAT\n"
               "0123456\xe2\x80\xa6  1  whatever\n");
  tune_table_destroy(table);
  // A wide character that does not fit before the ellipsis is left out as a whole.
  table = make_table();
  add_row(table, "012345\xe8\xa1\x8c\xe5\x88\x97\xe8\xa1\x8c", "1", "w");
  expect_print(table, 5,
               "NAME      N  WHAT\n"
               "012345\xe2\x80\xa6   1  w\n");
  tune_table_destroy(table);
}

// Text from strangers cannot move the cursor or break a column.
static void control_characters_print_as_marks(void **state) {
  (void)state;
  tune_table *table = make_table();
  add_row(table, "\x1b[2J\n\x7f", "1", "\xff\xc0\x80\xed\xa0\x80");
  add_row(table, "\xc2\x9b", "2", "\xf4\x90\x80\x80");
  expect_print(table, 0,
               "NAME    N  WHAT\n"
               "?[2J??  1  ??????\n"
               "?       2  ????\n");
  tune_table_destroy(table);
}

static tune_status build_and_print(void *context) {
  tune_table *table = NULL;
  TUNE_RETURN_IF_ERROR(tune_table_create(columns, 3, &table));
  for (size_t i = 0; i < 40; ++i)
    add_row(table, "a", "b", "c");
  tune_status status = tune_table_print(table, 0, context);
  tune_table_destroy(table);
  return status;
}

// Each allocation may fail; the table says so when it is printed.
static void memory_may_run_out(void **state) {
  (void)state;
  FILE *stream = fopen("/dev/null", "w");
  assert_non_null(stream);
  assert_true(tune_fail_each_allocation(build_and_print, stream) > 120);
  fclose(stream);
}

// Figures keep three or four digits, at the borders between units too.
static void figures_are_short(void **state) {
  (void)state;
  assert_string_equal(tune_figure_seconds(0.0012344).text, "1.234 ms");
  assert_string_equal(tune_figure_seconds(0.00099996).text, "1.000 ms");
  assert_string_equal(tune_figure_seconds(0.00099994).text, "999.9 us");
  assert_string_equal(tune_figure_seconds(12.3456).text, "12.35 s");
  assert_string_equal(tune_figure_seconds(9.9996).text, "10.00 s");
  assert_string_equal(tune_figure_seconds(12345).text, "12345 s");
  assert_string_equal(tune_figure_seconds(3e-10).text, "0.300 ns");
  assert_string_equal(tune_figure_seconds(0).text, "-");
  assert_string_equal(tune_figure_seconds(NAN).text, "-");
  assert_string_equal(tune_figure_rate(118.23e9).text, "118.2 G");
  assert_string_equal(tune_figure_bytes(4194304).text, "4.194 MB");
  assert_string_equal(tune_figure_giga(118.23e9).text, "118.2");
  assert_string_equal(tune_figure_percent(0.8754).text, "87.5 %");
  assert_string_equal(tune_figure_percent(INFINITY).text, "-");
  assert_string_equal(tune_figure_count(UINT64_MAX).text, "18446744073709551615");
  assert_string_equal(tune_figure_duration(0.4).text, "0 s");
  assert_string_equal(tune_figure_duration(59.6).text, "1 min 00 s");
  assert_string_equal(tune_figure_duration(185).text, "3 min 05 s");
  assert_string_equal(tune_figure_duration(7800).text, "2 h 10 min");
  assert_string_equal(tune_figure_duration(-1).text, "-");
  setenv("TZ", "UTC", 1);
  assert_string_equal(tune_figure_date(1767225600000).text, "2026-01-01 00:00");
  assert_string_equal(tune_figure_date(0).text, "-");
  assert_string_equal(tune_figure_date(INT64_MAX).text, "292278994-08-17 07:12");
}

// What is no terminal has no width; one that does not say has the usual one.
static void terminals_have_a_width(void **state) {
  (void)state;
  int ends[2];
  struct winsize size = {.ws_row = 24, .ws_col = 37};
  if (openpty(&ends[0], &ends[1], NULL, NULL, &size) != 0)
    skip(); // a folder to change the root to, where /dev/pts is not mounted
  FILE *stream = fdopen(ends[1], "w");
  assert_non_null(stream);
  assert_int_equal(tune_terminal_width(stream), 37);
  size.ws_col = 0;
  assert_int_equal(ioctl(ends[1], TIOCSWINSZ, &size), 0);
  assert_int_equal(tune_terminal_width(stream), 80);
  fclose(stream);
  close(ends[0]);
  assert_int_equal(pipe(ends), 0);
  stream = fdopen(ends[1], "w");
  assert_int_equal(tune_terminal_width(stream), 0);
  fclose(stream);
  close(ends[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_line_up),        cmocka_unit_test(width_is_in_cells),
      cmocka_unit_test(wide_tables_shrink),     cmocka_unit_test(control_characters_print_as_marks),
      cmocka_unit_test(memory_may_run_out),     cmocka_unit_test(figures_are_short),
      cmocka_unit_test(terminals_have_a_width),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
