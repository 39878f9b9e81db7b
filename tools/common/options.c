//===- options.c --------------------------------------------------------------===//

#include "tools/common/options.h"

#include "support/nearest.h"
#include "support/string_builder.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HELP_COLUMNS 80
#define HELP_INDENT 26

void tune_option_list_deinit(tune_option_list *list) {
  free(list->values);
  *list = (tune_option_list){0};
}

void tune_arguments_deinit(tune_arguments *arguments) {
  tune_option_list_deinit(&arguments->operands);
}

static tune_status list_append(tune_option_list *list, const char *value) {
  // Command lines are short: growing by one keeps the list without a capacity.
  const char **values = realloc(list->values, (list->count + 1) * sizeof *values);
  if (!values)
    return tune_status_out_of_memory("reading the command line");
  list->values = values;
  list->values[list->count++] = value;
  return TUNE_OK;
}

//===- Values -----------------------------------------------------------------===//

static tune_status parse_flag(const tune_option *option, const char *text) {
  bool *target = option->target;
  if (!text || strcmp(text, "true") == 0)
    *target = true;
  else if (strcmp(text, "false") == 0)
    *target = false;
  else
    return tune_status_make(TUNE_INVALID_ARGUMENT, "option '--%s' takes true or false, not '%s'",
                            option->name, text);
  return TUNE_OK;
}

// What an INTEGER or NUMBER may be: "an integer from 1 to 64", "a number of at least 0".
static void describe_range(const tune_option *option, char *out_text, size_t size) {
  const char *noun = option->kind == TUNE_OPTION_INTEGER ? "an integer" : "a number";
  if (option->minimum == 0 && (option->maximum == 0 || option->maximum == INT64_MAX))
    snprintf(out_text, size, "%s that is not negative", noun);
  else if (option->maximum == INT64_MAX)
    snprintf(out_text, size, "%s of at least %lld", noun, (long long)option->minimum);
  else
    snprintf(out_text, size, "%s from %lld to %lld", noun, (long long)option->minimum,
             (long long)option->maximum);
}

static tune_status parse_number(const tune_option *option, const char *text) {
  bool any = option->minimum == 0 && option->maximum == 0;
  char *end = NULL;
  errno = 0;
  bool good;
  if (option->kind == TUNE_OPTION_INTEGER) {
    long long value = strtoll(text, &end, 10);
    good = errno == 0 && value >= option->minimum && (any || value <= option->maximum);
    *(int64_t *)option->target = value;
  } else {
    double value = strtod(text, &end);
    // Underflow to a denormal sets ERANGE too and is no mistake.
    good = isfinite(value) && value >= (double)option->minimum &&
           (any || value <= (double)option->maximum);
    *(double *)option->target = value;
  }
  if (good && end != text && *end == '\0')
    return TUNE_OK;
  char range[96];
  describe_range(option, range, sizeof range);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "option '--%s' takes %s, not '%s'", option->name,
                          range, text);
}

// Makes an INVALID_ARGUMENT of "<what>", followed by the word of `words` nearest to `wrong` (with
// `dashes` before it) if there is one near enough, and by `hint`.
static tune_status unknown_word(const char *what, const char *wrong, const char *const *words,
                                size_t count, const char *dashes, const char *hint) {
  const char *nearest = tune_nearest_of(wrong, words, count);
  if (nearest)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s; did you mean '%s%s'?%s", what, dashes,
                            nearest, hint);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "%s%s%s", what, *hint ? ";" : "", hint);
}

static tune_status parse_choice(const tune_option *option, const char *text) {
  size_t count = 0;
  for (; option->choices[count]; ++count) {
    if (strcmp(option->choices[count], text) == 0) {
      *(size_t *)option->target = count;
      return TUNE_OK;
    }
  }
  tune_string_builder what;
  tune_string_builder_init(&what);
  tune_string_builder_appendf(&what, "option '--%s' takes one of ", option->name);
  for (size_t i = 0; i < count; ++i)
    tune_string_builder_appendf(&what, "%s%s", i ? ", " : "", option->choices[i]);
  tune_string_builder_appendf(&what, ", not '%s'", text);
  char *message = NULL;
  tune_status status = tune_string_builder_finish(&what, &message);
  if (tune_status_is_ok(status))
    status = unknown_word(message, text, option->choices, count, "", "");
  free(message);
  return status;
}

static tune_status parse_value(const tune_option *option, const char *text) {
  switch (option->kind) {
  case TUNE_OPTION_FLAG:
    return parse_flag(option, text);
  case TUNE_OPTION_STRING:
    *(const char **)option->target = text;
    return TUNE_OK;
  case TUNE_OPTION_INTEGER:
  case TUNE_OPTION_NUMBER:
    return parse_number(option, text);
  case TUNE_OPTION_CHOICE:
    return parse_choice(option, text);
  case TUNE_OPTION_LIST:
    return list_append(option->target, text);
  }
  return tune_status_make(TUNE_INTERNAL, "option '--%s' has a kind that does not exist",
                          option->name);
}

//===- The command line -------------------------------------------------------===//

static const tune_option *find_by_name(const tune_command *command, const char *name,
                                       size_t length) {
  for (size_t i = 0; i < command->option_count; ++i) {
    const tune_option *option = &command->options[i];
    if (strlen(option->name) == length && memcmp(option->name, name, length) == 0)
      return option;
  }
  return NULL;
}

static const tune_option *find_by_letter(const tune_command *command, char letter) {
  for (size_t i = 0; i < command->option_count; ++i)
    if (command->options[i].letter && command->options[i].letter == letter)
      return &command->options[i];
  return NULL;
}

// `text` is the argument as typed, `length` of it the option without its value.
static tune_status unknown_option(const tune_command *command, const char *text, size_t length) {
  char what[256];
  snprintf(what, sizeof what, "unknown option '%.*s'", (int)(length < 200 ? length : 200), text);
  char hint[256];
  snprintf(hint, sizeof hint, " '%s --help' lists the options", command->name);

  const char **names = calloc(command->option_count + 2, sizeof *names);
  char *name = strndup(text + strspn(text, "-"), length - strspn(text, "-"));
  tune_status status;
  if (names && name) {
    size_t count = 0;
    for (; count < command->option_count; ++count)
      names[count] = command->options[count].name;
    names[count++] = "help";
    names[count++] = "version";
    status = unknown_word(what, name, names, count, "--", hint);
  } else {
    status = tune_status_out_of_memory("%s", what);
  }
  free(name);
  free(names);
  return status;
}

// The value of an option that needs one: `attached` if not NULL, else the next argument.
static tune_status take_value(const tune_option *option, const char *attached, int argc,
                              char **argv, int *index, const char **out_value) {
  *out_value = attached;
  if (attached)
    return TUNE_OK;
  if (*index + 1 < argc) {
    *out_value = argv[++*index];
    return TUNE_OK;
  }
  return tune_status_make(TUNE_INVALID_ARGUMENT, "option '--%s' needs a value: --%s=%s",
                          option->name, option->name,
                          option->value_name ? option->value_name : "WORD");
}

// Reads the option at argv[*index] and leaves `index` at the last argument it took.
static tune_status parse_option(const tune_command *command, int argc, char **argv, int *index,
                                tune_arguments *arguments) {
  const char *text = argv[*index];
  bool is_long = text[1] == '-';
  const char *equals = is_long ? strchr(text, '=') : NULL;
  size_t length = equals ? (size_t)(equals - text) : is_long ? strlen(text) : 2;
  const tune_option *option =
      is_long ? find_by_name(command, text + 2, length - 2) : find_by_letter(command, text[1]);
  if (!option) {
    bool help = strcmp(text, "-h") == 0 || (length == 6 && memcmp(text, "--help", 6) == 0);
    bool version = length == 9 && memcmp(text, "--version", 9) == 0;
    if (!help && !version)
      return unknown_option(command, text, is_long ? length : strlen(text));
    if (equals)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "option '%.*s' takes no value", (int)length,
                              text);
    arguments->help |= help;
    arguments->version |= version;
    return TUNE_OK;
  }
  const char *attached = equals ? equals + 1 : !is_long && text[2] ? text + 2 : NULL;
  if (option->kind == TUNE_OPTION_FLAG)
    return parse_flag(option, attached);
  const char *value = NULL;
  TUNE_RETURN_IF_ERROR(take_value(option, attached, argc, argv, index, &value));
  return parse_value(option, value);
}

static tune_status check_operands(const tune_command *command, const tune_arguments *arguments) {
  size_t count = arguments->operands.count;
  if (count < command->operand_minimum)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "something is missing: the usage is '%s [options] %s'", command->name,
                            command->operands);
  if (count > command->operand_maximum)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "'%s' is one argument too many: the usage is '%s [options]%s%s'",
                            arguments->operands.values[command->operand_maximum], command->name,
                            *command->operands ? " " : "", command->operands);
  return TUNE_OK;
}

tune_status tune_options_parse(const tune_command *command, int argc, char **argv,
                               tune_arguments *out_arguments) {
  *out_arguments = (tune_arguments){0};
  tune_status status = TUNE_OK;
  bool options_ended = false;
  for (int i = 1; i < argc && tune_status_is_ok(status); ++i) {
    if (!options_ended && strcmp(argv[i], "--") == 0)
      options_ended = true;
    else if (!options_ended && argv[i][0] == '-' && argv[i][1] != '\0')
      status = parse_option(command, argc, argv, &i, out_arguments);
    else
      status = list_append(&out_arguments->operands, argv[i]);
  }
  if (tune_status_is_ok(status) && !out_arguments->help && !out_arguments->version)
    status = check_operands(command, out_arguments);
  if (!tune_status_is_ok(status))
    tune_arguments_deinit(out_arguments);
  return status;
}

//===- Help -------------------------------------------------------------------===//

// Prints `text` word by word from column `column` on, wrapped and indented by `indent`.
static void print_wrapped(const char *text, size_t column, size_t indent, FILE *stream) {
  bool line_is_empty = true;
  while (*text) {
    if (*text == '\n') {
      fprintf(stream, "\n%*s", (int)indent, "");
      column = indent;
      line_is_empty = true;
      ++text;
      continue;
    }
    size_t space = strspn(text, " ");
    size_t word = strcspn(text + space, " \n");
    if (!line_is_empty && column + space + word > HELP_COLUMNS) {
      fprintf(stream, "\n%*s", (int)indent, "");
      column = indent;
      line_is_empty = true;
    }
    size_t skipped = line_is_empty ? space : 0;
    fwrite(text + skipped, 1, space + word - skipped, stream);
    column += space + word - skipped;
    line_is_empty = false;
    text += space + word;
  }
  fputc('\n', stream);
}

// "-o, --output=FILE", "    --format=text|json".
static void print_option(const tune_option *option, FILE *stream) {
  int column = option->letter ? fprintf(stream, "  -%c, --%s", option->letter, option->name)
                              : fprintf(stream, "  --%s", option->name);
  if (option->kind == TUNE_OPTION_CHOICE) {
    for (size_t i = 0; option->choices[i]; ++i)
      column += fprintf(stream, "%c%s", i ? '|' : '=', option->choices[i]);
  } else if (option->kind != TUNE_OPTION_FLAG) {
    column += fprintf(stream, "=%s", option->value_name);
  }
  if (column > HELP_INDENT - 2) {
    fputc('\n', stream);
    column = 0;
  }
  fprintf(stream, "%*s", HELP_INDENT - column, "");
  print_wrapped(option->help, HELP_INDENT, HELP_INDENT, stream);
}

void tune_options_print_help(const tune_command *command, FILE *stream) {
  fprintf(stream, "usage: %s [options]%s%s\n\n", command->name, *command->operands ? " " : "",
          command->operands);
  print_wrapped(command->summary, 0, 0, stream);
  fprintf(stream, "\noptions:\n");
  for (size_t i = 0; i < command->option_count; ++i)
    print_option(&command->options[i], stream);
  fprintf(stream, "  %-*s%s\n", HELP_INDENT - 2, "-h, --help", "print this and exit");
  fprintf(stream, "  %-*s%s\n", HELP_INDENT - 2, "--version", "print the version and exit");
  if (command->epilogue)
    fprintf(stream, "\n%s", command->epilogue);
}
