//===- search_table.c ---------------------------------------------------------===//

#include "transforms/search/search_table.h"

#include "support/string_builder.h"
#include "support/table.h"
#include "support/units.h"

#include <stdlib.h>
#include <string.h>

struct tune_search_table {
  tune_table *wide;
  tune_table *narrow;          // the first columns
  tune_string_builder details; // for `narrow`: the other columns, a line for each row
};

//===--------------------------------------------------------------------------===//
// Cells
//===--------------------------------------------------------------------------===//

// "mr, nr, panels": the knobs that explain at least a tenth of what the times differ by.
static void append_importance(tune_string_builder *text, const tune_task *task,
                              const tune_session_result *result) {
  if (!result->importance)
    return;
  size_t count = tune_space_knob_count(task->space);
  bool shown[256] = {false};
  for (size_t round = 0; round < 3; round++) {
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < count && k < sizeof shown; k++)
      if (!shown[k] && result->importance[k] >= 0.1 &&
          (best == SIZE_MAX || result->importance[k] > result->importance[best]))
        best = k;
    if (best == SIZE_MAX)
      return;
    shown[best] = true;
    tune_string_builder_appendf(text, "%s%s", text->length ? ", " : "",
                                tune_space_knob(task->space, best)->name);
  }
}

static void append_speedup(tune_string_builder *text, const tune_session_result *result) {
  if (result->stop == TUNE_STOP_AHEAD)
    tune_string_builder_append(text, "done ahead");
  else if (!result->has_best)
    tune_string_builder_append(text, result->failures.kind_count ? "all failed" : "nothing tried");
  else if (result->is_default)
    tune_string_builder_append(text, "default stays");
  else if (result->speedup > 0 && !(result->speedup_low > 0))
    tune_string_builder_appendf(text, "%.3fx, not side by side", result->speedup);
  else if (result->speedup > 0)
    tune_string_builder_appendf(text, "%.3fx [%.3f, %.3f]", result->speedup, result->speedup_low,
                                result->speedup_high);
  else
    tune_string_builder_append(text, result->default_verdict == TUNE_VERDICT_CANCELLED
                                         ? "default not tried"
                                         : "default failed");
}

static size_t count_failed(const tune_session_result *result) {
  size_t failed = 0;
  for (int v = 0; v < TUNE_VERDICT_COUNT; v++)
    if (tune_verdict_is_failure((tune_verdict)v))
      failed += result->verdicts[v];
  return failed;
}

void tune_search_table_add(tune_search_table *table, const tune_target_facts *facts,
                           const tune_task *task, size_t runs, const tune_session_result *result) {
  tune_string_builder speedup, knobs;
  tune_string_builder_init(&speedup);
  tune_string_builder_init(&knobs);
  append_speedup(&speedup, result);
  append_importance(&knobs, task, result);
  size_t failed = count_failed(result);
  char name[256], peak[32] = "-", roofline[32] = "-", trials[32], failures[32], seconds[32];
  if (runs > 1)
    snprintf(name, sizeof name, "%s (x%zu)", task->name, runs);
  else
    snprintf(name, sizeof name, "%s", task->name);
  double percent = tune_task_percent_of_peak(task, result->time.median);
  if (percent > 0)
    snprintf(peak, sizeof peak, "%.1f", percent);
  tune_roofline_share place = tune_target_facts_find_place(facts, task);
  percent = tune_roofline_percent(&place, result->time.median);
  if (percent > 0)
    snprintf(roofline, sizeof roofline, "%.1f", percent);
  tune_figure rate = tune_figure_giga(task->flops / result->time.median);
  const char *bound = *place.bound ? place.bound : "-";
  snprintf(trials, sizeof trials, "%zu", result->trials);
  snprintf(failures, sizeof failures, "%zu", failed);
  snprintf(seconds, sizeof seconds, "%.1f", result->seconds);
  tune_figure before = tune_figure_seconds(result->default_time);
  tune_figure after = tune_figure_seconds(result->time.median);
  const char *cells[] = {name,   before.text, after.text, speedup.text ? speedup.text : "",
                         peak,   roofline,    bound,      rate.text,
                         trials, failures,    seconds,    knobs.text ? knobs.text : ""};
  tune_table_add_row(table->wide, cells);
  tune_table_add_row(table->narrow, cells);
  tune_string_builder_appendf(&table->details,
                              "  bound by %s, %s GFLOP/s; %s trial%s, %s failed, %s s%s%s\n", bound,
                              rate.text, trials, result->trials == 1 ? "" : "s", failures, seconds,
                              knobs.text ? "; what mattered: " : "", knobs.text ? knobs.text : "");
  tune_string_builder_deinit(&speedup);
  tune_string_builder_deinit(&knobs);
}

//===--------------------------------------------------------------------------===//
// Printing
//===--------------------------------------------------------------------------===//

// The table as text, to be freed.
static tune_status render(const tune_table *table, size_t width, char **out_text) {
  size_t size = 0;
  *out_text = NULL;
  FILE *memory = open_memstream(out_text, &size);
  if (!memory)
    return tune_status_out_of_memory("printing a table");
  tune_status status = tune_table_print(table, width, memory);
  if (fclose(memory) != 0)
    status = tune_status_join(status, tune_status_out_of_memory("printing a table"));
  return status;
}

// Cuts the line at `*cursor` off, in place, and moves behind it.
static char *take_line(char **cursor) {
  char *line = *cursor, *end = strchr(line, '\n');
  *cursor = end ? end + 1 : line + strlen(line);
  if (end)
    *end = '\0';
  return line;
}

static bool fits(const char *text, size_t width) {
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = strchrnul(text, '\n');
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)(end - text), text);
    if (tune_text_width(line) > width)
      return false;
  }
  return true;
}

static void print_interleaved(char *rows, char *details, size_t width, FILE *stream) {
  fprintf(stream, "%s\n", take_line(&rows)); // the titles
  while (*rows) {
    fprintf(stream, "%s\n", take_line(&rows));
    tune_text_print(take_line(&details), width, stream);
    fputs("\n", stream);
  }
}

static tune_status print_narrow(const tune_search_table *table, size_t width, FILE *stream) {
  char *rows = NULL;
  tune_status status = render(table->narrow, width, &rows);
  char *details = table->details.text ? strdup(table->details.text) : NULL;
  if (tune_status_is_ok(status) && (table->details.failed || !details))
    status = tune_status_out_of_memory("printing a table");
  if (tune_status_is_ok(status))
    print_interleaved(rows, details, width, stream);
  free(rows);
  free(details);
  return status;
}

tune_status tune_search_table_print(const tune_search_table *table, size_t width, FILE *stream) {
  if (!tune_table_row_count(table->wide))
    return TUNE_OK;
  char *text = NULL;
  tune_status status = render(table->wide, 0, &text);
  bool is_wide = tune_status_is_ok(status) && (!width || fits(text, width));
  if (is_wide)
    fputs(text, stream);
  free(text);
  TUNE_RETURN_IF_ERROR(status);
  return is_wide ? TUNE_OK : print_narrow(table, width, stream);
}

//===--------------------------------------------------------------------------===//
// Making one
//===--------------------------------------------------------------------------===//

tune_status tune_search_table_create(tune_search_table **out_table) {
  static const tune_table_column wide[] = {
      {"task", false, true},      {"default", true, false}, {"best", true, false},
      {"speed-up", false, false}, {"% peak", true, false},  {"% roof", true, false},
      {"bound by", false, false}, {"GFLOP/s", true, false}, {"trials", true, false},
      {"failed", true, false},    {"seconds", true, false}, {"what mattered", false, true}};
  static const size_t narrow_count = 6;
  *out_table = NULL;
  tune_search_table *table = calloc(1, sizeof *table);
  if (!table)
    return tune_status_out_of_memory("reporting a search");
  tune_string_builder_init(&table->details);
  tune_status status = tune_table_create(wide, sizeof wide / sizeof *wide, &table->wide);
  if (tune_status_is_ok(status))
    status = tune_table_create(wide, narrow_count, &table->narrow);
  if (!tune_status_is_ok(status)) {
    tune_search_table_destroy(table);
    return status;
  }
  *out_table = table;
  return TUNE_OK;
}

void tune_search_table_destroy(tune_search_table *table) {
  if (!table)
    return;
  tune_table_destroy(table->wide);
  tune_table_destroy(table->narrow);
  tune_string_builder_deinit(&table->details);
  free(table);
}
