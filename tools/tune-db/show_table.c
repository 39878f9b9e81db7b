//===- show_table.c - The trials of tune-db show --------------------------------===//

#include "support/table.h"
#include "tools/tune-db/tune_db.h"

#include <stdlib.h>

// Columns that are there where some record has what they show: a processor's counters, and what the
// code takes of a device.
enum { COUNT_COLUMNS = 2, CODE_COLUMNS = 3, COLUMN_LIMIT = 16 };

typedef struct table_form {
  bool shows_counts, shows_code;
  tune_table_column columns[COLUMN_LIMIT];
  size_t count;
} table_form;

static void add_columns(table_form *form, const tune_table_column *columns, size_t count) {
  for (size_t i = 0; i < count; ++i)
    form->columns[form->count++] = columns[i];
}

static table_form choose_form(const tune_db_trial *trials, size_t count) {
  static const tune_table_column common[] = {
      {.title = "TIME", .is_number = true},
      {.title = "\xc2\xb1", .is_number = true},
      {.title = "GFLOP/s", .is_number = true},
      {.title = "% ROOF", .is_number = true},
      {.title = "VERDICT"},
      {.title = "BY", .may_shrink = true},
      {.title = "RECORD"},
  };
  static const tune_table_column counts[COUNT_COLUMNS] = {
      {.title = "INSTR/CYCLE", .is_number = true},
      {.title = "FLOP/CYCLE", .is_number = true},
  };
  static const tune_table_column code[CODE_COLUMNS] = {
      {.title = "REGS", .is_number = true},
      {.title = "SPILLED", .is_number = true},
      {.title = "SHARED", .is_number = true},
  };
  static const tune_table_column config = {.title = "CONFIG", .may_shrink = true};
  table_form form = {0};
  for (size_t i = 0; i < count; ++i) {
    const tune_record *record = &trials[i].record;
    form.shows_counts =
        form.shows_counts || tune_counts_instructions_per_cycle(&record->run.counts) > 0;
    form.shows_code = form.shows_code || record->code.registers > 0;
  }
  add_columns(&form, common, sizeof common / sizeof *common);
  if (form.shows_counts)
    add_columns(&form, counts, COUNT_COLUMNS);
  if (form.shows_code)
    add_columns(&form, code, CODE_COLUMNS);
  add_columns(&form, &config, 1);
  return form;
}

static void set_counts(const tune_counts *counts, tune_figure figures[COUNT_COLUMNS]) {
  const double rates[COUNT_COLUMNS] = {tune_counts_instructions_per_cycle(counts),
                                       tune_counts_flops_per_cycle(counts)};
  for (size_t i = 0; i < COUNT_COLUMNS; ++i) {
    figures[i] = (tune_figure){"-"};
    if (rates[i] > 0)
      snprintf(figures[i].text, sizeof figures[i].text, "%.2f", rates[i]);
  }
}

static void set_code(const tune_code_features *code, tune_figure figures[CODE_COLUMNS]) {
  const int64_t numbers[] = {code->registers, code->spilled_bytes, code->shared_bytes};
  for (size_t i = 0; i < CODE_COLUMNS; ++i) {
    figures[i] = (tune_figure){"-"};
    if (code->registers > 0)
      snprintf(figures[i].text, sizeof figures[i].text, "%lld", (long long)numbers[i]);
  }
}

const char *tune_db_verdict(const tune_db_trial *trial) {
  if (trial->standing == TUNE_DB_TAKEN_BACK)
    return "taken back";
  static const char *const names[] = {[TUNE_RECORD_WINNER] = "winner",
                                      [TUNE_RECORD_DEMOTION] = "in a module",
                                      [TUNE_RECORD_GROUPING] = "grouping"};
  tune_record_kind kind = trial->record.kind;
  return kind == TUNE_RECORD_TRIAL ? tune_verdict_name(trial->record.verdict) : names[kind];
}

static tune_status add_record(tune_table *table, const tune_kept_task *task,
                              const tune_roofline_share *place, const tune_db_trial *trial,
                              const table_form *form) {
  const tune_record *record = &trial->record;
  const tune_timing *time = &record->time;
  tune_digest digest;
  TUNE_RETURN_IF_ERROR(tune_database_record_digest(record, &digest));
  char *config = NULL;
  TUNE_RETURN_IF_ERROR(tune_record_config_text(record->config, &config));
  tune_figure id, median = tune_figure_seconds(time->median);
  tune_figure spread = {"-"};
  if (time->median > 0)
    spread = tune_figure_percent((time->high - time->low) / 2 / time->median);
  tune_figure rate = tune_figure_giga(time->median > 0 ? task->flops / time->median : 0);
  tune_figure percent = tune_db_percent(place, time->median);
  tune_figure counts[COUNT_COLUMNS], code[CODE_COLUMNS];
  set_counts(&record->run.counts, counts);
  set_code(&record->code, code);
  snprintf(id.text, sizeof id.text, "%.8s", digest.text);
  const char *cells[COLUMN_LIMIT] = {
      median.text,      spread.text, rate.text, percent.text, tune_db_verdict(trial),
      record->strategy, id.text};
  size_t count = 7;
  for (size_t i = 0; form->shows_counts && i < COUNT_COLUMNS; ++i)
    cells[count++] = counts[i].text;
  for (size_t i = 0; form->shows_code && i < CODE_COLUMNS; ++i)
    cells[count++] = code[i].text;
  cells[count] = config;
  tune_table_add_row(table, cells);
  free(config);
  return TUNE_OK;
}

tune_status tune_db_print_trials(const tune_kept_task *task, const tune_roofline_share *place,
                                 const tune_db_trial *trials, size_t count) {
  table_form form = choose_form(trials, count);
  tune_table *table;
  TUNE_RETURN_IF_ERROR(tune_table_create(form.columns, form.count, &table));
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    status = add_record(table, task, place, &trials[i], &form);
  if (tune_status_is_ok(status))
    status = tune_table_print(table, tune_terminal_width(stdout), stdout);
  tune_table_destroy(table);
  return status;
}
