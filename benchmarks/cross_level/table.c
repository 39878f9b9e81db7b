//===- table.c ----------------------------------------------------------------===//

#include "table.h"

#include "tuning/space/constraint.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A choice is a digit, or beyond 9 a letter.
#define DIGITS "0123456789abcdefghijklmnopqrstuvwxyz"

static _Noreturn void fail(const char *path, const char *what) {
  fprintf(stderr, "tune_cross_level_replay: %s: %s\n", path, what);
  exit(2);
}

static void check(const char *path, tune_status status) {
  if (!tune_status_is_ok(status))
    fail(path, tune_status_get_message(status));
}

static const char *text_of(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

static void add_knob(const char *path, const json_t *from, tune_space *space) {
  const json_t *values = json_object_get(from, "values"), *labels = json_object_get(from, "labels");
  int64_t numbers[36];
  char *words[36];
  tune_knob knob = {.name = (char *)text_of(from, "name"),
                    .is_ordered = json_is_true(json_object_get(from, "ordered")),
                    .value_count = json_array_size(values),
                    .values = numbers,
                    .labels = labels ? words : NULL,
                    .default_index = (size_t)json_integer_value(json_object_get(from, "default"))};
  const char *level = text_of(from, "level");
  if (!knob.name || !level || knob.value_count > 36 ||
      (labels && json_array_size(labels) != knob.value_count))
    fail(path, "a knob without a name, a level or values");
  check(path, tune_level_parse(level, &knob.level));
  for (size_t i = 0; i < knob.value_count; ++i) {
    numbers[i] = json_integer_value(json_array_get(values, i));
    words[i] = labels ? (char *)json_string_value(json_array_get(labels, i)) : NULL;
  }
  check(path, tune_space_add_knob(space, &knob));
}

static void read_space(const char *path, const json_t *head, tune_space *space) {
  const json_t *knobs = json_object_get(head, "knobs");
  const json_t *constraints = json_object_get(head, "constraints");
  for (size_t i = 0; i < json_array_size(knobs); ++i)
    add_knob(path, json_array_get(knobs, i), space);
  for (size_t i = 0; i < json_array_size(constraints); ++i) {
    const char *text = json_string_value(json_array_get(constraints, i));
    check(path, tune_space_add_constraint(space, text ? text : "", NULL));
  }
  for (size_t i = 0; i < json_array_size(knobs); ++i) {
    const char *where = text_of(json_array_get(knobs, i), "where");
    if (where)
      check(path, tune_space_add_condition(space, i, where));
  }
}

static void read_row(const char *path, const json_t *from, size_t recordings, table_row *row) {
  const json_t *seconds = json_object_get(from, "s");
  const char *choices = text_of(from, "c");
  if (!choices || json_array_size(seconds) != recordings)
    fail(path,
         "a config without its choices, or with more or fewer times than there are recordings");
  *row = (table_row){.choices = strdup(choices),
                     .seconds = calloc(recordings, sizeof *row->seconds),
                     .build_seconds = json_number_value(json_object_get(from, "b")),
                     .measure_seconds = json_number_value(json_object_get(from, "m")),
                     .code = json_integer_value(json_object_get(from, "d"))};
  if (!row->choices || !row->seconds)
    fail(path, "out of memory");
  for (size_t i = 0; i < recordings; ++i) {
    row->seconds[i] = json_number_value(json_array_get(seconds, i));
    row->least = i == 0 || row->seconds[i] < row->least ? row->seconds[i] : row->least;
  }
}

static int by_choices(const void *a, const void *b) {
  return strcmp(((const table_row *)a)->choices, ((const table_row *)b)->choices);
}

void table_read(const char *path, measured_table *out_table) {
  *out_table = (measured_table){0};
  FILE *file = fopen(path, "r");
  if (!file)
    fail(path, "cannot be read");
  json_t *line = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL);
  check(path, tune_space_create(&out_table->space));
  if (!line)
    fail(path, "no JSON");
  read_space(path, line, out_table->space);
  out_table->recordings = (size_t)json_integer_value(json_object_get(line, "recordings"));
  json_decref(line);
  while ((line = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
    if (out_table->count % 64 == 0)
      out_table->rows = realloc(out_table->rows, (out_table->count + 64) * sizeof *out_table->rows);
    if (!out_table->rows)
      fail(path, "out of memory");
    read_row(path, line, out_table->recordings, &out_table->rows[out_table->count++]);
    json_decref(line);
  }
  fclose(file);
  if (!out_table->count || !out_table->recordings)
    fail(path, "no configs");
  qsort(out_table->rows, out_table->count, sizeof *out_table->rows, by_choices);
}

void table_deinit(measured_table *table) {
  for (size_t i = 0; i < table->count; ++i) {
    free(table->rows[i].choices);
    free(table->rows[i].seconds);
  }
  free(table->rows);
  tune_space_destroy(table->space);
}

const table_row *table_find(const measured_table *table, const tune_config *config) {
  char *choices = malloc(config->count + 1);
  size_t count = 0;
  if (!choices)
    return NULL;
  for (size_t k = 0; k < config->count; ++k)
    if (tune_space_knob(table->space, k)->value_count > 1)
      choices[count++] = DIGITS[config->choices[k]];
  choices[count] = '\0';
  const table_row wanted = {.choices = choices};
  const table_row *row =
      bsearch(&wanted, table->rows, table->count, sizeof *table->rows, by_choices);
  free(choices);
  return row;
}
