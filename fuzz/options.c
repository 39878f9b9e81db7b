//===- options.c - What people write on command lines ----------------------------------===//
//
// The first byte says which of our readers the text is for: a pass's options, a target's name,
// configs and constraints over a space of knobs, choices of a tool.
//
//===--------------------------------------------------------------------------===//

#include "fuzz/fuzz.h"
#include "transforms/passes/pass_options.h"
#include "tuning/device/target_name.h"
#include "tuning/record/record.h"
#include "tuning/space/config.h"
#include "tuning/space/constraint.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"random", "evolutionary", "grid", NULL};

static const tune_pass_option table[] = {
    {.name = "strategy",
     .type = TUNE_PASS_OPTION_ENUM,
     .words = words,
     .initial = "random",
     .takes_bare_word = true},
    {.name = "db", .type = TUNE_PASS_OPTION_STRING},
    {.name = "trials", .type = TUNE_PASS_OPTION_INTEGER, .minimum = 1, .maximum = 1000},
    {.name = "time", .type = TUNE_PASS_OPTION_SECONDS},
    {.name = "target-percent-of-peak", .type = TUNE_PASS_OPTION_PERCENT},
    {.name = "timing", .type = TUNE_PASS_OPTION_FLAG},
};

static void read_pass_options(const char *text) {
  tune_pass_options *options;
  if (!fuzz_accept(tune_pass_options_parse(table, sizeof table / sizeof *table, text, &options)))
    return;
  int64_t trials = tune_pass_options_get_integer(options, "trials");
  fuzz_require(!tune_pass_options_is_given(options, "trials") || (trials >= 1 && trials <= 1000),
               "a number within its limits");
  fuzz_require(tune_pass_options_get_seconds(options, "time") >= 0, "a time that is not negative");
  double percent = tune_pass_options_get_percent(options, "target-percent-of-peak");
  fuzz_require(percent >= 0 && percent <= 100, "a share of the whole");
  fuzz_require(tune_pass_options_get_enum(options, "strategy") < 3, "a word of the list");
  tune_pass_options_get_text(options, "db");
  tune_pass_options_get_flag(options, "timing");
  tune_pass_options_destroy(options);
}

static void read_target_name(const char *text) {
  tune_target_name name;
  if (fuzz_accept(tune_target_name_init(&name, text)))
    tune_target_name_deinit(&name);
  tune_target_kind_of_name(text);
}

static tune_space *make_space(void) {
  int64_t tiles[] = {0, 1, 8, 64, INT64_MAX}, orders[] = {INT64_MIN, 0, 1};
  char *labels[] = {"rows", "columns", "both"};
  const tune_knob knobs[] = {
      {.name = "mc", .is_ordered = true, .value_count = 5, .values = tiles},
      {.name = "nr", .is_ordered = true, .value_count = 4, .values = tiles},
      {.name = "order.of-it", .value_count = 3, .values = orders, .labels = labels}};
  tune_space *space;
  fuzz_require(fuzz_accept(tune_space_create(&space)), "a space");
  for (size_t i = 0; i < sizeof knobs / sizeof *knobs; ++i)
    fuzz_require(fuzz_accept(tune_space_add_knob(space, &knobs[i])), "a knob");
  return space;
}

static void read_config(const tune_space *space, const char *text) {
  tune_config config, again;
  if (!fuzz_accept(tune_config_from_text(&config, space, text)))
    return;
  char *printed;
  fuzz_require(fuzz_accept(tune_config_to_text(&config, space, &printed)) &&
                   fuzz_accept(tune_config_from_text(&again, space, printed)) &&
                   tune_config_equal(&config, &again),
               "a config survives being printed");
  free(printed);
  tune_config_deinit(&again);
  tune_config_deinit(&config);
}

// Whether it may hold has to be true wherever it holds, whatever is known.
static void evaluate(const tune_constraint *constraint, const tune_space *space) {
  for (uint16_t a = 0; a < 5; ++a)
    for (uint16_t b = 0; b < 4; ++b)
      for (uint16_t c = 0; c < 3; ++c) {
        const uint16_t choices[] = {a, b, c};
        if (!tune_constraint_holds(constraint, tune_space_knobs(space), choices))
          continue;
        for (unsigned known = 0; known < 8; ++known) {
          const bool is_assigned[] = {known & 1, known & 2, known & 4};
          fuzz_require(
              tune_constraint_may_hold(constraint, tune_space_knobs(space), choices, is_assigned),
              "what holds may hold");
        }
      }
}

static void read_constraint(const tune_space *space, const char *text) {
  tune_constraint *constraint, *again;
  if (!fuzz_accept(tune_constraint_create(tune_space_knobs(space), text, NULL, &constraint)))
    return;
  evaluate(constraint, space);
  char *printed, *twice;
  fuzz_require(fuzz_accept(tune_constraint_print(constraint, tune_space_knobs(space), &printed)),
               "a constraint can be printed");
  fuzz_require(
      fuzz_accept(tune_constraint_create(tune_space_knobs(space), printed, "fuzzed", &again)),
      "a constraint survives being printed");
  fuzz_require(fuzz_accept(tune_constraint_print(again, tune_space_knobs(space), &twice)),
               "a constraint can be printed again");
  fuzz_require(strcmp(printed, twice) == 0, "a constraint is printed the same again");
  free(twice);
  free(printed);
  tune_constraint_destroy(again);
  tune_constraint_destroy(constraint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  static tune_space *space;
  if (!space)
    space = make_space();
  char *text = fuzz_text(data + 1, size - 1);
  tune_verdict verdict;
  switch (data[0]) {
  case 'p':
    read_pass_options(text);
    break;
  case 't':
    read_target_name(text);
    break;
  case 'k':
    read_config(space, text);
    break;
  case 'v':
    fuzz_accept(tune_verdict_parse(text, &verdict));
    break;
  default:
    read_constraint(space, text);
    break;
  }
  free(text);
  return 0;
}
