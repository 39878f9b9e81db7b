//===- pass_options.c - The options of a pass, from text ---------------------===//

#include "transforms/passes/pass_options.h"

#include "support/nearest.h"
#include "support/string_builder.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_value {
  char *text; // NULL: not set
  bool given;
  int64_t integer; // INTEGER, FLAG, ENUM
  double number;   // SECONDS, PERCENT
} option_value;

struct tune_pass_options {
  const tune_pass_option *table;
  size_t count;
  option_value values[];
};

//===--------------------------------------------------------------------------===//
// Cutting text into words
//===--------------------------------------------------------------------------===//

// "name=value", or "value" alone. Quotes and braces are taken off the value.
typedef struct word {
  char *name; // NULL: a word alone
  char *value;
} word;

static void word_deinit(word *w) {
  free(w->name);
  free(w->value);
  *w = (word){0};
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Appends what stands between the quote at `*cursor` and its end, and moves behind it.
static tune_status read_quoted(const char **cursor, tune_string_builder *out) {
  const char *begin = *cursor;
  const char *end = strchr(begin + 1, *begin);
  if (!end)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the quote in %s is not closed", begin);
  tune_string_builder_append_bytes(out, begin + 1, (size_t)(end - begin - 1));
  *cursor = end + 1;
  return TUNE_OK;
}

// The same for braces, which nest.
static tune_status read_braced(const char **cursor, tune_string_builder *out) {
  const char *begin = *cursor, *end = begin;
  size_t depth = 0;
  do {
    if (!*end)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "the brace in %s is not closed", begin);
    depth += *end == '{';
    depth -= *end == '}';
    ++end;
  } while (depth > 0);
  tune_string_builder_append_bytes(out, begin + 1, (size_t)(end - begin - 2));
  *cursor = end;
  return TUNE_OK;
}

static tune_status read_value(const char **cursor, tune_string_builder *out) {
  tune_string_builder_append(out, "");
  if (**cursor == '{')
    return read_braced(cursor, out);
  while (**cursor && !is_space(**cursor)) {
    if (**cursor == '"' || **cursor == '\'') {
      TUNE_RETURN_IF_ERROR(read_quoted(cursor, out));
    } else {
      tune_string_builder_append_bytes(out, *cursor, 1);
      ++*cursor;
    }
  }
  return TUNE_OK;
}

// Reads the word at `*cursor`, which is not a space, and moves behind it.
static tune_status read_word(const char **cursor, word *out_word) {
  *out_word = (word){0};
  size_t name_length = strcspn(*cursor, "= \t\n\r\"'{");
  if ((*cursor)[name_length] == '=') {
    out_word->name = strndup(*cursor, name_length);
    if (!out_word->name)
      return tune_status_out_of_memory("reading options");
    *cursor += name_length + 1;
  }
  tune_string_builder value;
  tune_string_builder_init(&value);
  tune_status status = read_value(cursor, &value);
  if (tune_status_is_ok(status) && **cursor && !is_space(**cursor))
    status = tune_status_make(TUNE_INVALID_ARGUMENT, "expected a space before %s", *cursor);
  if (tune_status_is_ok(status))
    status = tune_string_builder_finish(&value, &out_word->value);
  tune_string_builder_deinit(&value);
  return status;
}

//===--------------------------------------------------------------------------===//
// Reading values
//===--------------------------------------------------------------------------===//

static const char *get_word(const void *words, size_t i) { return ((const char *const *)words)[i]; }
static const char *get_option(const void *table, size_t i) {
  return ((const tune_pass_option *)table)[i].name;
}

static tune_status read_integer(const tune_pass_option *option, const char *text, int64_t *out) {
  bool is_bounded = option->minimum != 0 || option->maximum != 0;
  int64_t minimum = is_bounded ? option->minimum : INT64_MIN;
  int64_t maximum = is_bounded ? option->maximum : INT64_MAX;
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  if (end != text && !*end && !is_space(*text) && errno == 0 && *out >= minimum && *out <= maximum)
    return TUNE_OK;
  if (!is_bounded)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "expected an integer, got '%s'", text);
  if (maximum == INT64_MAX)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "expected an integer of at least %" PRId64 ", got '%s'", minimum, text);
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "expected an integer from %" PRId64 " to %" PRId64 ", got '%s'", minimum,
                          maximum, text);
}

// Reads a finite number and returns what follows it, or NULL.
static const char *read_number(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  // strtod also takes hexadecimal numbers, "inf" and "nan", and skips spaces before.
  bool plain =
      end != text && !is_space(*text) && strspn(text, "+-.0123456789eE") >= (size_t)(end - text);
  return plain && isfinite(*out) ? end : NULL;
}

static tune_status read_seconds(const char *text, double *out) {
  static const struct {
    const char *suffix;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
  const char *suffix = read_number(text, out);
  for (size_t i = 0; suffix && *out >= 0 && i < sizeof units / sizeof *units; ++i) {
    if (!strcmp(suffix, units[i].suffix)) {
      *out *= units[i].seconds;
      return TUNE_OK;
    }
  }
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "expected a time such as 90, 90s, 1.5m, 2h or 500ms, got '%s'", text);
}

static tune_status read_percent(const char *text, double *out) {
  const char *suffix = read_number(text, out);
  if (suffix && (!*suffix || !strcmp(suffix, "%")) && *out >= 0 && *out <= 100)
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "expected a percentage such as 85 or 85%%, from 0 to 100, got '%s'",
                          text);
}

static tune_status read_flag(const char *text, int64_t *out) {
  static const char *const words[] = {"false", "true", "0", "1"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (!strcmp(text, words[i])) {
      *out = i & 1;
      return TUNE_OK;
    }
  }
  return tune_status_make(TUNE_INVALID_ARGUMENT, "expected true or false, got '%s'", text);
}

static tune_status read_enum(const tune_pass_option *option, const char *text, int64_t *out) {
  size_t count = 0;
  for (; option->words[count]; ++count) {
    if (!strcmp(text, option->words[count])) {
      *out = (int64_t)count;
      return TUNE_OK;
    }
  }
  const tune_nearest_words words = {"the values are:", option->words, count, get_word};
  return tune_nearest_refuse(TUNE_INVALID_ARGUMENT, "no such value:", text, &words);
}

// Takes over `text`.
static tune_status set_value(const tune_pass_option *option, char *text, option_value *value) {
  free(value->text);
  value->text = text;
  tune_status status = TUNE_OK;
  switch (option->type) {
  case TUNE_PASS_OPTION_STRING:
    break;
  case TUNE_PASS_OPTION_INTEGER:
    status = read_integer(option, text, &value->integer);
    break;
  case TUNE_PASS_OPTION_SECONDS:
    status = read_seconds(text, &value->number);
    break;
  case TUNE_PASS_OPTION_PERCENT:
    status = read_percent(text, &value->number);
    break;
  case TUNE_PASS_OPTION_FLAG:
    status = read_flag(text, &value->integer);
    break;
  case TUNE_PASS_OPTION_ENUM:
    status = read_enum(option, text, &value->integer);
    break;
  }
  return tune_status_annotate(status, "option '%s'", option->name);
}

//===--------------------------------------------------------------------------===//
// Parsing
//===--------------------------------------------------------------------------===//

static size_t find_option(const tune_pass_option *table, size_t count, const char *name) {
  for (size_t i = 0; i < count; ++i)
    if (!strcmp(table[i].name, name))
      return i;
  return count;
}

static size_t find_bare_option(const tune_pass_option *table, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (table[i].takes_bare_word)
      return i;
  return count;
}

static tune_status refuse_option(const tune_pass_options *options, const char *name) {
  if (options->count == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "no such option: '%s'; there are no options",
                            name);
  const tune_nearest_words words = {"the options are:", options->table, options->count, get_option};
  return tune_nearest_refuse(TUNE_INVALID_ARGUMENT, "no such option:", name, &words);
}

// Whether `text` goes on behind a comma with another option.
static bool has_option_after_comma(const tune_pass_options *options, const char *text) {
  for (const char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ','))
    for (size_t i = 0; i < options->count; ++i) {
      size_t length = strlen(options->table[i].name);
      if (strncmp(comma + 1, options->table[i].name, length) == 0 && comma[1 + length] == '=')
        return true;
    }
  return false;
}

// "trials=5,threads=2", "grid,trials=5": a comma where a space belongs would make one value of the
// two, and of a path one that nobody means.
static tune_status refuse_commas(const tune_pass_options *options, const word *w) {
  bool is_in_name = w->name && strchr(w->name, ',');
  if (!is_in_name && !has_option_after_comma(options, w->value))
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "options are separated by spaces, not by commas, in '%s%s%s'",
                          w->name ? w->name : "", w->name ? "=" : "", w->value);
}

// Takes over the value of `w`.
static tune_status set_option(tune_pass_options *options, size_t index, word *w) {
  option_value *value = &options->values[index];
  if (value->given)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "option '%s' is given twice",
                            options->table[index].name);
  value->given = true;
  char *text = w->value;
  w->value = NULL;
  return set_value(&options->table[index], text, value);
}

static tune_status apply_word(tune_pass_options *options, word *w, bool is_first) {
  TUNE_RETURN_IF_ERROR(refuse_commas(options, w));
  if (w->name) {
    size_t index = find_option(options->table, options->count, w->name);
    return index < options->count ? set_option(options, index, w) : refuse_option(options, w->name);
  }
  size_t index = find_option(options->table, options->count, w->value);
  if (index < options->count && options->table[index].type == TUNE_PASS_OPTION_FLAG) {
    free(w->value);
    w->value = strdup("true");
    if (!w->value)
      return tune_status_out_of_memory("reading options");
    return set_option(options, index, w);
  }
  if (index < options->count)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "option '%s' has no value: expected %s=...",
                            w->value, w->value);
  size_t bare = find_bare_option(options->table, options->count);
  if (is_first && bare < options->count)
    return set_option(options, bare, w);
  return refuse_option(options, w->value);
}

static tune_status set_defaults(tune_pass_options *options) {
  for (size_t i = 0; i < options->count; ++i) {
    const tune_pass_option *option = &options->table[i];
    if (!option->initial || options->values[i].given)
      continue;
    char *text = strdup(option->initial);
    if (!text)
      return tune_status_out_of_memory("reading options");
    TUNE_RETURN_IF_ERROR(set_value(option, text, &options->values[i]));
  }
  return TUNE_OK;
}

static tune_status parse_words(tune_pass_options *options, const char *text) {
  bool is_first = true;
  for (const char *cursor = text;; is_first = false) {
    while (is_space(*cursor))
      ++cursor;
    if (!*cursor)
      return TUNE_OK;
    word w;
    tune_status status = read_word(&cursor, &w);
    if (tune_status_is_ok(status))
      status = apply_word(options, &w, is_first);
    word_deinit(&w);
    TUNE_RETURN_IF_ERROR(status);
  }
}

tune_status tune_pass_options_parse(const tune_pass_option *table, size_t count, const char *text,
                                    tune_pass_options **out_options) {
  *out_options = NULL;
  tune_pass_options *options = calloc(1, sizeof *options + count * sizeof *options->values);
  if (!options)
    return tune_status_out_of_memory("reading options");
  options->table = table;
  options->count = count;
  tune_status status = parse_words(options, text ? text : "");
  if (tune_status_is_ok(status))
    status = set_defaults(options);
  if (!tune_status_is_ok(status)) {
    tune_pass_options_destroy(options);
    return status;
  }
  *out_options = options;
  return TUNE_OK;
}

void tune_pass_options_destroy(tune_pass_options *options) {
  for (size_t i = 0; options && i < options->count; ++i)
    free(options->values[i].text);
  free(options);
}

//===--------------------------------------------------------------------------===//
// Values
//===--------------------------------------------------------------------------===//

static const option_value *find_value(const tune_pass_options *options, const char *name) {
  static const option_value none = {0};
  size_t index = find_option(options->table, options->count, name);
  assert(index < options->count && "no such option in the pass's table");
  return index < options->count ? &options->values[index] : &none;
}

static const option_value *find_typed(const tune_pass_options *options, const char *name,
                                      tune_pass_option_type type) {
  size_t index = find_option(options->table, options->count, name);
  assert(index < options->count && options->table[index].type == type && "of another type");
  (void)index;
  (void)type;
  return find_value(options, name);
}

bool tune_pass_options_is_given(const tune_pass_options *options, const char *name) {
  return find_value(options, name)->given;
}

const char *tune_pass_options_get_text(const tune_pass_options *options, const char *name) {
  return find_value(options, name)->text;
}

int64_t tune_pass_options_get_integer(const tune_pass_options *options, const char *name) {
  return find_typed(options, name, TUNE_PASS_OPTION_INTEGER)->integer;
}

double tune_pass_options_get_seconds(const tune_pass_options *options, const char *name) {
  return find_typed(options, name, TUNE_PASS_OPTION_SECONDS)->number;
}

double tune_pass_options_get_percent(const tune_pass_options *options, const char *name) {
  return find_typed(options, name, TUNE_PASS_OPTION_PERCENT)->number;
}

bool tune_pass_options_get_flag(const tune_pass_options *options, const char *name) {
  return find_typed(options, name, TUNE_PASS_OPTION_FLAG)->integer != 0;
}

size_t tune_pass_options_get_enum(const tune_pass_options *options, const char *name) {
  return (size_t)find_typed(options, name, TUNE_PASS_OPTION_ENUM)->integer;
}

//===--------------------------------------------------------------------------===//
// Values into a struct
//===--------------------------------------------------------------------------===//

static void write_bytes(void *member, size_t size, const void *value, size_t value_size) {
  assert(size == value_size && "the member is of another type than the option");
  memcpy(member, value, size < value_size ? size : value_size);
}

static void write_value(const tune_pass_option *option, const option_value *value, void *member) {
  const char *text = value->text;
  bool flag = value->integer != 0;
  int position = (int)value->integer;
  switch (option->type) {
  case TUNE_PASS_OPTION_STRING:
    write_bytes(member, option->size, &text, sizeof text);
    break;
  case TUNE_PASS_OPTION_INTEGER:
    write_bytes(member, option->size, &value->integer, sizeof value->integer);
    break;
  case TUNE_PASS_OPTION_SECONDS:
  case TUNE_PASS_OPTION_PERCENT:
    write_bytes(member, option->size, &value->number, sizeof value->number);
    break;
  case TUNE_PASS_OPTION_FLAG:
    write_bytes(member, option->size, &flag, sizeof flag);
    break;
  case TUNE_PASS_OPTION_ENUM:
    if (option->size == sizeof text)
      write_bytes(member, option->size, &text, sizeof text);
    else
      write_bytes(member, option->size, &position, sizeof position);
    break;
  }
}

void tune_pass_options_fill(const tune_pass_options *options, void *into) {
  for (size_t i = 0; i < options->count; ++i)
    if (options->table[i].size && options->values[i].text)
      write_value(&options->table[i], &options->values[i], (char *)into + options->table[i].offset);
}
