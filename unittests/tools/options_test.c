//===- options_test.c - The command line of our tools ----------------------------===//

#include "tools/common/options.h"
#include "tools/common/tool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const formats[] = {"text", "json", NULL};

typedef struct fixture {
  bool check;
  const char *db;
  int64_t trials, threads;
  double seconds;
  size_t format;
  tune_option_list inputs;
  tune_option options[8];
  tune_command command;
  tune_arguments arguments;
} fixture;

static void fixture_init(fixture *f) {
  *f = (fixture){.trials = 7};
  tune_option options[] = {
      {.name = "check", .kind = TUNE_OPTION_FLAG, .target = &f->check, .help = "check the result"},
      {.name = "db",
       .kind = TUNE_OPTION_STRING,
       .target = &f->db,
       .value_name = "FILE",
       .help = "the database with a help text that is so long that it has to be wrapped at eighty "
               "columns"},
      {.name = "trials",
       .kind = TUNE_OPTION_INTEGER,
       .target = &f->trials,
       .value_name = "N",
       .help = "how many",
       .minimum = 1,
       .maximum = 1000},
      {.name = "threads",
       .letter = 'j',
       .kind = TUNE_OPTION_INTEGER,
       .target = &f->threads,
       .value_name = "N",
       .help = "threads"},
      {.name = "seconds",
       .kind = TUNE_OPTION_NUMBER,
       .target = &f->seconds,
       .value_name = "S",
       .help = "time"},
      {.name = "format",
       .kind = TUNE_OPTION_CHOICE,
       .target = &f->format,
       .help = "form of the output",
       .choices = formats},
      {.name = "input",
       .kind = TUNE_OPTION_LIST,
       .target = &f->inputs,
       .value_name = "FILE",
       .help = "inputs"},
  };
  memcpy(f->options, options, sizeof options);
  f->command = (tune_command){.name = "tune-x",
                              .operands = "in.mlir",
                              .summary = "Does things.",
                              .options = f->options,
                              .option_count = sizeof options / sizeof *options,
                              .operand_minimum = 1,
                              .operand_maximum = 2,
                              .epilogue = "exit status: 0\n"};
}

static void fixture_deinit(fixture *f) {
  tune_option_list_deinit(&f->inputs);
  tune_arguments_deinit(&f->arguments);
}

// Parses the words after the program's name.
#define PARSE(f, ...)                                                                              \
  parse(f, (const char *[]){"tune-x", __VA_ARGS__},                                                \
        sizeof((const char *[]){"tune-x", __VA_ARGS__}) / sizeof(char *))

static tune_status parse(fixture *f, const char **argv, size_t argc) {
  return tune_options_parse(&f->command, (int)argc, (char **)argv, &f->arguments);
}

// Each form of each kind arrives in its variable; what is not given keeps its value.
static void every_form_is_read(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  assert_null(PARSE(&f, "a.mlir", "--db", "x.db", "--check", "-j4", "--seconds=1.5",
                    "--format=json", "--input=1", "--input", "2", "--", "--odd"));
  assert_true(f.check);
  assert_string_equal(f.db, "x.db");
  assert_int_equal(f.threads, 4);
  assert_int_equal(f.trials, 7);
  assert_true(f.seconds == 1.5);
  assert_int_equal(f.format, 1);
  assert_int_equal(f.inputs.count, 2);
  assert_string_equal(f.inputs.values[1], "2");
  assert_int_equal(f.arguments.operands.count, 2);
  assert_string_equal(f.arguments.operands.values[1], "--odd");
  fixture_deinit(&f);
}

// The last of two values counts, "-" is an operand, a flag can be taken back.
static void later_options_win(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  assert_null(PARSE(&f, "--check", "-", "-j", "2", "--threads=3", "--check=false", "--db="));
  assert_false(f.check);
  assert_int_equal(f.threads, 3);
  assert_string_equal(f.db, "");
  assert_string_equal(f.arguments.operands.values[0], "-");
  fixture_deinit(&f);
}

// --help and --version are read without operands, wherever they stand.
static void help_needs_no_operands(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  assert_null(PARSE(&f, "--check", "--help"));
  assert_true(f.arguments.help);
  tune_arguments_deinit(&f.arguments);
  assert_null(PARSE(&f, "-h"));
  assert_true(f.arguments.help);
  tune_arguments_deinit(&f.arguments);
  assert_null(PARSE(&f, "--version"));
  assert_true(f.arguments.version && !f.arguments.help);
  fixture_deinit(&f);
}

#define EXPECT_ERROR(text, ...)                                                                    \
  do {                                                                                             \
    fixture f;                                                                                     \
    fixture_init(&f);                                                                              \
    tune_status status = PARSE(&f, __VA_ARGS__);                                                   \
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);                         \
    assert_string_equal(tune_status_get_message(status), text);                                    \
    tune_status_free(status);                                                                      \
    fixture_deinit(&f);                                                                            \
  } while (0)

// Every mistake says what was expected and, where there is one, the nearest right word.
static void mistakes_are_explained(void **state) {
  (void)state;
  EXPECT_ERROR("unknown option '--fromat'; did you mean '--format'? 'tune-x --help' lists the "
               "options",
               "--fromat=json", "a");
  EXPECT_ERROR("unknown option '--qqqqqqqq'; 'tune-x --help' lists the options", "--qqqqqqqq", "a");
  EXPECT_ERROR("unknown option '-z'; 'tune-x --help' lists the options", "-z", "a");
  EXPECT_ERROR("option '--help' takes no value", "--help=yes");
  EXPECT_ERROR("unknown option '--tirals'; did you mean '--trials'? 'tune-x --help' lists the "
               "options",
               "--help", "--tirals");
  EXPECT_ERROR("option '--db' needs a value: --db=FILE", "a", "--db");
  EXPECT_ERROR("option '--trials' takes an integer from 1 to 1000, not '0'", "--trials=0", "a");
  EXPECT_ERROR("option '--trials' takes an integer from 1 to 1000, not '1001'", "--trials=1001");
  EXPECT_ERROR("option '--threads' takes an integer that is not negative, not '4x'", "-j4x");
  EXPECT_ERROR("option '--threads' takes an integer that is not negative, not ''", "--threads=");
  EXPECT_ERROR("option '--threads' takes an integer that is not negative, not "
               "'99999999999999999999'",
               "--threads=99999999999999999999");
  EXPECT_ERROR("option '--seconds' takes a number that is not negative, not 'nan'",
               "--seconds=nan");
  EXPECT_ERROR("option '--format' takes one of text, json, not 'jsn'; did you mean 'json'?",
               "--format=jsn");
  EXPECT_ERROR("option '--check' takes true or false, not 'maybe'", "--check=maybe");
  EXPECT_ERROR("something is missing: the usage is 'tune-x [options] in.mlir'", "--check");
  EXPECT_ERROR("'c' is one argument too many: the usage is 'tune-x [options] in.mlir'", "a", "b",
               "c");
}

// No line of the help is wider than a terminal, and every option is in it.
static void help_fits_80_columns(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f);
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  tune_options_print_help(&f.command, stream);
  fclose(stream);
  for (size_t i = 0; i < f.command.option_count; ++i)
    assert_non_null(strstr(text, f.command.options[i].name));
  assert_non_null(strstr(text, "usage: tune-x [options] in.mlir\n\nDoes things.\n"));
  assert_non_null(strstr(text, "  -j, --threads=N         threads\n"));
  assert_non_null(strstr(text, "  --format=text|json      form of the output\n"));
  assert_non_null(strstr(text, "\n\nexit status: 0\n"));
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    assert_true(strlen(line) <= 80);
  free(text);
  fixture_deinit(&f);
}

static void expect_report(const char *message, const char *expected) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  tune_tool_report("tune-x", tune_status_make(TUNE_INTERNAL, "%s", message), stream);
  fclose(stream);
  assert_string_equal(text, expected);
  free(text);
}

// A message that names a place in a file begins with it, others with the program.
static void reports_begin_with_a_place_or_the_program(void **state) {
  (void)state;
  expect_report("no such file", "tune-x: no such file\n");
  expect_report("a/in.mlir:14:8: error: bad", "a/in.mlir:14:8: error: bad\n");
  expect_report("reading x: took 1:2 of 3", "tune-x: reading x: took 1:2 of 3\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_is_read),
      cmocka_unit_test(later_options_win),
      cmocka_unit_test(help_needs_no_operands),
      cmocka_unit_test(mistakes_are_explained),
      cmocka_unit_test(help_fits_80_columns),
      cmocka_unit_test(reports_begin_with_a_place_or_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
