//===- list.c - tune-db list --------------------------------------------------===//

#include "support/table.h"
#include "tools/tune-db/tune_db.h"

#include <stdlib.h>
#include <string.h>

typedef struct lister {
  tune_database *database;
  tune_table *table; // or
  json_t *array;
  const char *fingerprint; // only this one, or NULL
} lister;

static tune_status add_object(lister *listing, const tune_database_summary *summary) {
  bool is_flushed;
  TUNE_RETURN_IF_ERROR(tune_db_is_flushed(listing->database, summary->fingerprint, &is_flushed));
  json_t *object =
      json_pack("{ss ss ss sf sf ss ss sI sI}", "task", summary->task, "kind", summary->kind,
                "name", summary->name, "flops", summary->flops, "bytes", summary->bytes,
                "fingerprint", summary->fingerprint, "target", summary->target, "trials",
                (json_int_t)summary->trials, "failed", (json_int_t)summary->failed);
  int failed = !object;
  if (object && is_flushed)
    failed |= json_object_set_new(object, "flush_cache", json_true());
  if (object && summary->best > 0) {
    failed |= json_object_set_new(object, "best_seconds", json_real(summary->best));
    failed |= json_object_set_new(object, "has_winner", json_boolean(summary->has_winner));
  }
  if (object && summary->trials > 0)
    failed |= json_object_set_new(object, "last_ms", json_integer(summary->last_ms));
  if (failed) {
    json_decref(object);
    object = NULL;
  }
  if (json_array_append_new(listing->array, object) != 0)
    return tune_status_out_of_memory("making JSON");
  return TUNE_OK;
}

static tune_status add_summary(void *user, const tune_database_summary *summary) {
  lister *listing = user;
  if (listing->fingerprint && strcmp(listing->fingerprint, summary->fingerprint) != 0)
    return TUNE_OK;
  if (listing->array)
    return add_object(listing, summary);
  tune_figure key = tune_db_short_key(summary->task), target;
  TUNE_RETURN_IF_ERROR(
      tune_db_target_of_records(listing->database, summary->target, summary->fingerprint, &target));
  tune_figure trials = tune_figure_count(summary->trials);
  tune_figure failed = tune_figure_count(summary->failed);
  tune_figure best = tune_figure_seconds(summary->best);
  tune_figure rate = tune_figure_giga(summary->best > 0 ? summary->flops / summary->best : 0);
  const char *cells[] = {key.text,    summary->name, target.text, trials.text,
                         failed.text, best.text,     rate.text};
  tune_table_add_row(listing->table, cells);
  return TUNE_OK;
}

static tune_status list_as_json(tune_database *database, const char *filter, lister *listing) {
  listing->array = json_array();
  if (!listing->array)
    return tune_status_out_of_memory("making JSON");
  tune_status status = tune_database_list(database, filter, add_summary, listing);
  if (tune_status_is_ok(status))
    return tune_db_print_json(listing->array);
  json_decref(listing->array);
  return status;
}

static tune_status list_as_text(tune_database *database, const char *filter, lister *listing) {
  static const tune_table_column columns[] = {
      {.title = "TASK"},
      {.title = "NAME", .may_shrink = true},
      {.title = "TARGET"},
      {.title = "TRIALS", .is_number = true},
      {.title = "FAILED", .is_number = true},
      {.title = "BEST", .is_number = true},
      {.title = "GFLOP/s", .is_number = true},
  };
  TUNE_RETURN_IF_ERROR(
      tune_table_create(columns, sizeof columns / sizeof *columns, &listing->table));
  tune_status status = tune_database_list(database, filter, add_summary, listing);
  if (tune_status_is_ok(status) && tune_table_row_count(listing->table) == 0)
    status = tune_status_make(TUNE_NOT_FOUND, "%s: holds no task%s%s", tune_database_path(database),
                              filter ? " with this in it: " : "", filter ? filter : "");
  if (tune_status_is_ok(status))
    status = tune_table_print(listing->table, tune_terminal_width(stdout), stdout);
  tune_table_destroy(listing->table);
  return status;
}

static tune_status list(const tune_db_context *context, void *format) {
  const char *filter = context->operands->count ? context->operands->values[0] : NULL;
  lister listing = {.database = context->database, .fingerprint = context->digest};
  return *(size_t *)format == TUNE_DB_JSON ? list_as_json(context->database, filter, &listing)
                                           : list_as_text(context->database, filter, &listing);
}

int tune_db_list(int argc, char **argv) {
  tune_db_context context = {0};
  size_t format = TUNE_DB_TEXT;
  const tune_option options[] = {
      TUNE_DB_OPTION_DB(&context.path),
      TUNE_DB_OPTION_FINGERPRINT(&context.fingerprint),
      TUNE_DB_OPTION_FORMAT(&format),
  };
  const tune_command command = {
      .name = "tune-db list",
      .operands = "[TEXT]",
      .summary = "Lists each task on each target it was tried on; with TEXT, those whose name, "
                 "kind or key contains it. The best time is that of the last session's winner, or "
                 "else of the fastest trial.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_maximum = 1,
  };
  const tune_db_job job = {.command = &command, .run = list, .user = &format};
  return tune_db_run(&job, &context, argc, argv);
}
