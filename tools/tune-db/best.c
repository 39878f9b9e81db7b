//===- best.c - tune-db best --------------------------------------------------===//

#include "support/string_builder.h"
#include "support/table.h"
#include "tools/tune-db/tune_db.h"

#include <stdlib.h>
#include <string.h>

enum { PRINT_TABLE, PRINT_CONFIG, PRINT_SCRIPT };
static const char *const prints[] = {"table", "config", "script", NULL};

// A task on a target, with its best record.
typedef struct best {
  char *name;
  tune_figure target;
  double flops;
  tune_roofline_share place;
  tune_record record;
} best;

typedef struct collection {
  tune_database *database;
  const char *task, *fingerprint; // only these, or NULL
  best *entries;
  size_t count;
} collection;

static void best_deinit(best *entry) {
  free(entry->name);
  tune_record_deinit(&entry->record);
}

static void collection_deinit(collection *all) {
  for (size_t i = 0; i < all->count; ++i)
    best_deinit(&all->entries[i]);
  free(all->entries);
}

static tune_status collect(void *user, const tune_database_summary *summary) {
  collection *all = user;
  if (!(summary->best > 0) || (all->task && strcmp(all->task, summary->task) != 0) ||
      (all->fingerprint && strcmp(all->fingerprint, summary->fingerprint) != 0))
    return TUNE_OK;
  best *entries = realloc(all->entries, (all->count + 1) * sizeof *entries);
  if (!entries)
    return tune_status_out_of_memory("reading the trials");
  all->entries = entries;
  best *entry = &entries[all->count];
  *entry = (best){.name = strdup(summary->name), .flops = summary->flops};
  tune_status status = tune_db_target_of_records(all->database, summary->target,
                                                 summary->fingerprint, &entry->target);
  if (tune_status_is_ok(status))
    status = tune_database_best(all->database, summary->task, summary->fingerprint, NULL,
                                &entry->record);
  ++all->count;
  tune_kept_task task;
  tune_kept_task_init(&task);
  if (tune_status_is_ok(status))
    status = tune_database_get_task(all->database, summary->task, &task);
  if (tune_status_is_ok(status))
    status =
        tune_roofline_find_kept_place(all->database, &task, summary->fingerprint, &entry->place);
  tune_kept_task_deinit(&task);
  if (tune_status_is_ok(status) && !entry->name)
    status = tune_status_out_of_memory("reading the trials");
  return status;
}

static tune_status add_row(tune_table *table, const best *entry) {
  char *config = NULL;
  TUNE_RETURN_IF_ERROR(tune_record_config_text(entry->record.config, &config));
  double median = entry->record.time.median;
  tune_figure key = tune_db_short_key(entry->record.task);
  tune_figure time = tune_figure_seconds(median);
  tune_figure rate = tune_figure_giga(entry->flops / median);
  tune_figure percent = tune_db_percent(&entry->place, median);
  const char *cells[] = {key.text,  entry->name,  entry->target.text,           time.text,
                         rate.text, percent.text, tune_db_bound(&entry->place), config};
  tune_table_add_row(table, cells);
  free(config);
  return TUNE_OK;
}

static tune_status print_table(const collection *all) {
  static const tune_table_column columns[] = {
      {.title = "TASK"},
      {.title = "NAME", .may_shrink = true},
      {.title = "TARGET"},
      {.title = "BEST", .is_number = true},
      {.title = "GFLOP/s", .is_number = true},
      {.title = "% ROOF", .is_number = true},
      {.title = "BOUND BY"},
      {.title = "CONFIG", .may_shrink = true},
  };
  tune_table *table;
  TUNE_RETURN_IF_ERROR(tune_table_create(columns, sizeof columns / sizeof *columns, &table));
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < all->count && tune_status_is_ok(status); ++i)
    status = add_row(table, &all->entries[i]);
  if (tune_status_is_ok(status))
    status = tune_table_print(table, tune_terminal_width(stdout), stdout);
  tune_table_destroy(table);
  return status;
}

static tune_status print_json(const collection *all) {
  json_t *array = json_array();
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < all->count && tune_status_is_ok(status); ++i) {
    json_t *record = NULL;
    status = tune_record_to_json(&all->entries[i].record, &record);
    const best *entry = &all->entries[i];
    bool failed = tune_status_is_ok(status) &&
                  tune_db_set_place(record, &entry->place, entry->record.time.median);
    failed |= tune_status_is_ok(status) && json_array_append_new(array, record) != 0;
    if (failed)
      status = tune_status_out_of_memory("making JSON");
  }
  if (tune_status_is_ok(status))
    return tune_db_print_json(array);
  json_decref(array);
  return status;
}

// A config or script is for a program to read, so there has to be exactly one.
static tune_status require_one(const collection *all) {
  if (all->count == 1)
    return TUNE_OK;
  tune_string_builder places;
  tune_string_builder_init(&places);
  for (size_t i = 0; i < all->count && i < 4; ++i)
    tune_string_builder_appendf(&places, "%s%s on %s", i ? ", " : "",
                                tune_db_short_key(all->entries[i].record.task).text,
                                all->entries[i].target.text);
  tune_status status = tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "there are %zu to choose from (%s%s); name a task, and --fingerprint=", all->count,
      places.text ? places.text : "", all->count > 4 ? ", ..." : "");
  tune_string_builder_deinit(&places);
  return status;
}

static tune_status print_one(const collection *all, size_t print) {
  TUNE_RETURN_IF_ERROR(require_one(all));
  const tune_record *record = &all->entries[0].record;
  if (print == PRINT_SCRIPT) {
    if (!record->script)
      return tune_status_make(TUNE_NOT_FOUND,
                              "the best trial of task %s was kept without its script; `tune-opt "
                              "--tune-export-schedule` makes it from the module",
                              record->task);
    fputs(record->script, stdout);
    return TUNE_OK;
  }
  char *config = NULL;
  TUNE_RETURN_IF_ERROR(tune_record_config_text(record->config, &config));
  printf("%s\n", config);
  free(config);
  return TUNE_OK;
}

typedef struct best_options {
  size_t what, format;
} best_options;

static tune_status print(const collection *all, const best_options *options) {
  if (all->count == 0)
    return tune_status_make(TUNE_NOT_FOUND, "%s: holds no good trial of that",
                            tune_database_path(all->database));
  if (options->what != PRINT_TABLE)
    return print_one(all, options->what);
  return options->format == TUNE_DB_JSON ? print_json(all) : print_table(all);
}

static tune_status show_best(const tune_db_context *context, void *user) {
  collection all = {
      .database = context->database, .task = context->task, .fingerprint = context->digest};
  tune_status status = tune_database_list(context->database, context->task, collect, &all);
  if (tune_status_is_ok(status))
    status = print(&all, user);
  collection_deinit(&all);
  return status;
}

int tune_db_best(int argc, char **argv) {
  tune_db_context context = {0};
  best_options chosen = {.what = PRINT_TABLE, .format = TUNE_DB_TEXT};
  const tune_option options[] = {
      TUNE_DB_OPTION_DB(&context.path),
      TUNE_DB_OPTION_FINGERPRINT(&context.fingerprint),
      {.name = "print",
       .kind = TUNE_OPTION_CHOICE,
       .target = &chosen.what,
       .choices = prints,
       .help = "a table (the default); only the config, as 'tune-run --config=' takes it; or only "
               "the transform script, as mlir-opt takes it"},
      TUNE_DB_OPTION_FORMAT(&chosen.format),
  };
  const tune_command command = {
      .name = "tune-db best",
      .operands = "[TASK]",
      .summary = "Shows the trial to use for each task on each target: the winner of the last "
                 "session, or else the fastest trial. TASK is a name, a part of one, or the start "
                 "of a key. JSON "
                 "has the whole records.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_maximum = 1,
  };
  const tune_db_job job = {
      .command = &command, .finds_task = true, .run = show_best, .user = &chosen};
  return tune_db_run(&job, &context, argc, argv);
}
