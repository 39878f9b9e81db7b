//===- show.c - tune-db show --------------------------------------------------===//

#include "support/table.h"
#include "tools/tune-db/tune_db.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct show_options {
  int64_t limit;
  bool failed, details, payload;
  size_t format;
} show_options;

//===- Collecting -------------------------------------------------------------===//

// The trials of a task, in the order of the fingerprints and, once they are sorted, of what is
// shown.
typedef struct collection {
  tune_database *database;
  bool only_failed;
  tune_db_trial *trials;
  size_t count, capacity;
  tune_digest best; // of the fingerprint of the last one
} collection;

static void collection_deinit(collection *all) {
  for (size_t i = 0; i < all->count; ++i)
    tune_record_deinit(&all->trials[i].record);
  free(all->trials);
}

// "" where there is none.
static tune_status find_best(tune_database *database, const tune_record *like,
                             tune_digest *out_digest) {
  tune_record best;
  *out_digest = (tune_digest){{0}};
  tune_status status = tune_database_best(database, like->task, like->fingerprint, NULL, &best);
  if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    tune_status_free(status);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(status);
  status = tune_database_record_digest(&best, out_digest);
  tune_record_deinit(&best);
  return status;
}

static tune_status find_standing(collection *all, const tune_record *record,
                                 tune_db_standing *out_standing) {
  const tune_record *last = all->count ? &all->trials[all->count - 1].record : NULL;
  tune_digest digest;
  bool is_taken_back;
  *out_standing = TUNE_DB_KEPT;
  if (!last || strcmp(last->fingerprint, record->fingerprint) != 0)
    TUNE_RETURN_IF_ERROR(find_best(all->database, record, &all->best));
  if (record->verdict != TUNE_VERDICT_OK)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_database_record_digest(record, &digest));
  TUNE_RETURN_IF_ERROR(tune_database_is_taken_back(all->database, digest.text, &is_taken_back));
  if (is_taken_back)
    *out_standing = TUNE_DB_TAKEN_BACK;
  else if (strcmp(digest.text, all->best.text) == 0)
    *out_standing = TUNE_DB_BEST;
  return TUNE_OK;
}

static tune_status collect(void *user, const tune_record *record) {
  collection *all = user;
  if (all->only_failed && !tune_verdict_is_failure(record->verdict))
    return TUNE_OK;
  if (all->count == all->capacity) {
    size_t capacity = all->capacity ? 2 * all->capacity : 64;
    tune_db_trial *trials = realloc(all->trials, capacity * sizeof *trials);
    if (!trials)
      return tune_status_out_of_memory("reading the trials");
    all->trials = trials;
    all->capacity = capacity;
  }
  tune_db_trial *trial = &all->trials[all->count];
  TUNE_RETURN_IF_ERROR(find_standing(all, record, &trial->standing));
  TUNE_RETURN_IF_ERROR(tune_record_init_copy(&trial->record, record));
  ++all->count;
  return TUNE_OK;
}

static int rank_of_kind(const tune_record *record) {
  static const int ranks[] = {[TUNE_RECORD_WINNER] = 0,
                              [TUNE_RECORD_GROUPING] = 1,
                              [TUNE_RECORD_DEMOTION] = 2,
                              [TUNE_RECORD_TRIAL] = 3};
  return ranks[record->kind];
}

// Machine by machine; the best first, then the other winners, groupings, what modules have, then by
// time, then what has none, by age, and last what is taken back.
static int compare_trials(const void *left, const void *right) {
  const tune_db_trial *one = left, *other = right;
  const tune_record *a = &one->record, *b = &other->record;
  int order = strcmp(a->fingerprint, b->fingerprint);
  if (order)
    return order;
  if (one->standing != other->standing)
    return one->standing < other->standing ? -1 : 1;
  if (a->kind != b->kind)
    return rank_of_kind(a) - rank_of_kind(b);
  double time_a = a->time.median > 0 ? tune_record_seconds(a) : INFINITY;
  double time_b = b->time.median > 0 ? tune_record_seconds(b) : INFINITY;
  if (time_a != time_b)
    return time_a < time_b ? -1 : 1;
  return (a->created_ms > b->created_ms) - (a->created_ms < b->created_ms);
}

//===- Text -------------------------------------------------------------------===//

static void print_task(const tune_kept_task *task) {
  printf("task     %s\nname     ", task->key);
  tune_text_print(task->name, 0, stdout);
  printf("\nkind     %s%s%s\n", task->kind, *task->type ? ", " : "", task->type);
  if (task->rank) {
    printf("extents  ");
    for (size_t i = 0; i < task->rank; ++i)
      if (task->extents[i] == -1)
        printf("%s?", i ? " x " : "");
      else
        printf("%s%lld", i ? " x " : "", (long long)task->extents[i]);
    putchar('\n');
  }
  if (task->flops > 0 || task->bytes > 0)
    printf("one run  %sFLOP, %s at least\n", tune_figure_rate(task->flops).text,
           tune_figure_bytes(task->bytes).text);
}

// "3 failed (2 wrong, 1 run-crashed)".
static void print_failures(const tune_db_trial *trials, size_t count) {
  size_t by_verdict[TUNE_VERDICT_COUNT] = {0}, failed = 0;
  for (size_t i = 0; i < count; ++i)
    if (tune_verdict_is_failure(trials[i].record.verdict)) {
      ++by_verdict[trials[i].record.verdict];
      ++failed;
    }
  printf(", %zu failed", failed);
  const char *separator = " (";
  for (size_t v = 0; v < TUNE_VERDICT_COUNT; ++v)
    if (by_verdict[v]) {
      printf("%s%zu %s", separator, by_verdict[v], tune_verdict_name((tune_verdict)v));
      separator = ", ";
    }
  printf("%s", failed ? ")" : "");
}

// The target that `digest` is of, and its model (NULL: not known); free() both.
static tune_status get_device(tune_database *database, const char *digest, char **out_target,
                              char **out_model) {
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_database_get_device(database, digest, out_target, &object));
  const char *model = json_string_value(json_object_get(object, "model"));
  bool flushes_cache = json_is_true(json_object_get(object, "flush_cache"));
  *out_model = NULL;
  int length =
      model ? asprintf(out_model, "%s%s", model, flushes_cache ? ", caches flushed" : "") : 0;
  json_decref(object);
  if (length >= 0)
    return TUNE_OK;
  free(*out_target);
  *out_target = *out_model = NULL;
  return tune_status_out_of_memory("reading a fingerprint");
}

static tune_status print_heading(tune_database *database, const tune_roofline_share *place,
                                 const tune_db_trial *trials, size_t count) {
  char *target, *model;
  const char *digest = trials[0].record.fingerprint;
  TUNE_RETURN_IF_ERROR(get_device(database, digest, &target, &model));
  printf("\n%s:%s", target, digest);
  if (model) {
    printf("  ");
    tune_text_print(model, 0, stdout);
  }
  free(target);
  free(model);
  if (place->seconds > 0)
    printf("\n%s at best, bound by %s", tune_figure_seconds(place->seconds).text, place->bound);
  size_t tried = 0;
  for (size_t i = 0; i < count; ++i)
    tried += trials[i].record.kind == TUNE_RECORD_TRIAL;
  printf("\n%zu trial%s", tried, tried == 1 ? "" : "s");
  print_failures(trials, count);
  printf("\n\n");
  return TUNE_OK;
}

// What the check said, what was counted, and what the machine was like, a line each after `prefix`.
static tune_status print_findings(const tune_record *record, const char *prefix) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  if (record->run.check.is_known) {
    tune_string_builder_append(&text, prefix);
    tune_check_result_append(&text, &record->run.check);
    tune_string_builder_append(&text, "\n");
  }
  if (tune_counts_are_known(&record->run.counts)) {
    tune_string_builder_appendf(&text, "%scounted in a run: ", prefix);
    tune_counts_append(&text, &record->run.counts);
    tune_string_builder_append(&text, "\n");
  }
  if (record->drift > 0 && record->drift != 1)
    tune_string_builder_appendf(&text,
                                "%sthe machine was %.3f times as slow as at first: a time to "
                                "compare is %s\n",
                                prefix, record->drift,
                                tune_figure_seconds(tune_record_seconds(record)).text);
  if (record->conditions.is_known) {
    tune_string_builder_append(&text, prefix);
    tune_kept_conditions_append(&text, &record->conditions);
    tune_string_builder_append(&text, "\n");
  }
  tune_string_builder_append(&text, "");
  char *lines;
  TUNE_RETURN_IF_ERROR(tune_string_builder_finish(&text, &lines));
  fputs(lines, stdout);
  free(lines);
  return TUNE_OK;
}

// Errors go over lines of their own, indented.
static void print_error_text(const char *text) {
  while (*text) {
    size_t length = strcspn(text, "\n");
    char *line = strndup(text, length);
    printf("    ");
    tune_text_print(line ? line : "(out of memory)", 0, stdout);
    putchar('\n');
    free(line);
    text += length + (text[length] == '\n');
  }
}

static tune_status print_details(const tune_db_trial *trials, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const tune_record *record = &trials[i].record;
    char *config = NULL;
    double median = record->time.median;
    TUNE_RETURN_IF_ERROR(tune_record_config_text(record->config, &config));
    printf("%s  %s  ", tune_figure_date(record->created_ms).text, tune_db_verdict(&trials[i]));
    if (median > 0)
      printf("%s  ", tune_figure_seconds(median).text);
    tune_text_print(config, 0, stdout);
    putchar('\n');
    free(config);
    if (record->error)
      print_error_text(record->error);
    TUNE_RETURN_IF_ERROR(print_findings(record, "    "));
  }
  return TUNE_OK;
}

// Whether a later one is of the same module and the same winner.
static bool is_outdated(const tune_db_trial *trials, size_t count, const tune_record *record) {
  for (size_t i = 0; i < count; ++i) {
    const tune_record *other = &trials[i].record;
    if (other->kind == TUNE_RECORD_DEMOTION && other->created_ms > record->created_ms &&
        strcmp(other->module, record->module) == 0 && strcmp(other->lost, record->lost) == 0)
      return true;
  }
  return false;
}

// What stands in a module in place of a winner, and why.
static tune_status print_demotions(const tune_db_trial *trials, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const tune_record *record = &trials[i].record;
    char *config = NULL, *lost = NULL;
    if (record->kind != TUNE_RECORD_DEMOTION || trials[i].standing == TUNE_DB_TAKEN_BACK ||
        is_outdated(trials, count, record))
      continue;
    tune_status status = tune_record_config_text(record->config, &config);
    if (tune_status_is_ok(status))
      status = tune_record_config_text(record->lost, &lost);
    if (tune_status_is_ok(status)) {
      printf("in the module %.8s, in place of ", record->module);
      tune_text_print(lost, 0, stdout);
      printf("\n    ");
      tune_text_print(config, 0, stdout);
      putchar('\n');
      if (record->error)
        print_error_text(record->error);
    }
    free(config);
    free(lost);
    TUNE_RETURN_IF_ERROR(status);
  }
  return TUNE_OK;
}

//===- Side by side -----------------------------------------------------------===//

// The trials from `first` on that are of one fingerprint.
static size_t count_of_fingerprint(const collection *all, size_t first) {
  size_t end = first + 1;
  const char *fingerprint = all->trials[first].record.fingerprint;
  while (end < all->count && strcmp(all->trials[end].record.fingerprint, fingerprint) == 0)
    ++end;
  return end - first;
}

static tune_status add_best(tune_database *database, const tune_kept_task *task, const char *digest,
                            tune_table *table) {
  tune_record best;
  tune_record_init(&best);
  tune_status status = tune_database_best(database, task->key, digest, NULL, &best);
  if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    tune_status_free(status);
    return TUNE_OK;
  }
  char *target = NULL, *model = NULL;
  tune_figure name;
  tune_roofline_share place;
  if (tune_status_is_ok(status))
    status = tune_roofline_find_kept_place(database, task, digest, &place);
  if (tune_status_is_ok(status))
    status = get_device(database, digest, &target, &model);
  if (tune_status_is_ok(status))
    status = tune_db_target_of_records(database, target, digest, &name);
  if (tune_status_is_ok(status)) {
    double median = best.time.median;
    tune_figure time = tune_figure_seconds(median);
    tune_figure rate = tune_figure_giga(task->flops / median);
    tune_figure percent = tune_db_percent(&place, median);
    const char *cells[] = {name.text,    model ? model : "-",   time.text,    rate.text,
                           percent.text, tune_db_bound(&place), best.strategy};
    tune_table_add_row(table, cells);
  }
  free(target);
  free(model);
  tune_record_deinit(&best);
  return status;
}

// The best of each target, where there are several.
static tune_status print_targets(tune_database *database, const tune_kept_task *task,
                                 const collection *all) {
  static const tune_table_column columns[] = {
      {.title = "TARGET"},
      {.title = "DEVICE", .may_shrink = true},
      {.title = "BEST", .is_number = true},
      {.title = "GFLOP/s", .is_number = true},
      {.title = "% ROOF", .is_number = true},
      {.title = "BOUND BY"},
      {.title = "BY", .may_shrink = true},
  };
  if (all->count == 0 || count_of_fingerprint(all, 0) == all->count)
    return TUNE_OK;
  tune_table *table;
  TUNE_RETURN_IF_ERROR(tune_table_create(columns, sizeof columns / sizeof *columns, &table));
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < all->count && tune_status_is_ok(status); i += count_of_fingerprint(all, i))
    status = add_best(database, task, all->trials[i].record.fingerprint, table);
  if (tune_status_is_ok(status)) {
    putchar('\n');
    status = tune_table_print(table, tune_terminal_width(stdout), stdout);
  }
  tune_table_destroy(table);
  return status;
}

static tune_status print_text(tune_database *database, const tune_kept_task *task,
                              const collection *all, const show_options *options) {
  print_task(task);
  if (!options->failed)
    TUNE_RETURN_IF_ERROR(print_targets(database, task, all));
  if (all->count == 0)
    printf("\nno %s\n", options->failed ? "failed trials" : "trials");
  size_t limit = options->limit ? (size_t)options->limit : SIZE_MAX;
  for (size_t first = 0; first < all->count;) {
    const tune_db_trial *trials = all->trials + first;
    size_t count = count_of_fingerprint(all, first), shown = count < limit ? count : limit;
    tune_roofline_share place;
    TUNE_RETURN_IF_ERROR(
        tune_roofline_find_kept_place(database, task, trials[0].record.fingerprint, &place));
    TUNE_RETURN_IF_ERROR(print_heading(database, &place, trials, count));
    bool is_table = !options->failed && !options->details;
    TUNE_RETURN_IF_ERROR(is_table ? tune_db_print_trials(task, &place, trials, shown)
                                  : print_details(trials, shown));
    if (shown < count)
      printf("... and %zu more; --limit=0 shows all\n", count - shown);
    if (is_table)
      TUNE_RETURN_IF_ERROR(print_findings(&trials[0].record, "of the first: "));
    if (!options->failed)
      TUNE_RETURN_IF_ERROR(print_demotions(trials, count));
    first += count;
  }
  return TUNE_OK;
}

//===- JSON -------------------------------------------------------------------===//

static json_t *task_to_json(const tune_kept_task *task) {
  json_t *extents = json_array();
  for (size_t i = 0; i < task->rank; ++i)
    if (json_array_append_new(extents, json_integer(task->extents[i])) != 0) {
      json_decref(extents);
      extents = NULL;
    }
  return json_pack("{ss ss ss ss sf sf so}", "key", task->key, "kind", task->kind, "name",
                   task->name, "type", task->type, "flops", task->flops, "bytes", task->bytes,
                   "extents", extents);
}

// As it is exported, and what is known beside.
static tune_status trial_to_json(const tune_db_trial *trial, const tune_roofline_share *place,
                                 json_t **out_object) {
  tune_digest id;
  TUNE_RETURN_IF_ERROR(tune_database_record_digest(&trial->record, &id));
  TUNE_RETURN_IF_ERROR(tune_record_to_json(&trial->record, out_object));
  bool failed = json_object_set_new(*out_object, "record", json_string(id.text)) ||
                tune_db_set_place(*out_object, place, trial->record.time.median);
  if (trial->standing == TUNE_DB_TAKEN_BACK)
    failed |= json_object_set_new(*out_object, "taken_back", json_true()) != 0;
  if (!failed)
    return TUNE_OK;
  json_decref(*out_object);
  return tune_status_out_of_memory("making JSON");
}

static tune_status print_json(tune_database *database, const tune_kept_task *task,
                              const collection *all) {
  json_t *records = json_array();
  tune_roofline_share place = {0};
  tune_status status = records ? TUNE_OK : tune_status_out_of_memory("making JSON");
  for (size_t i = 0; i < all->count && tune_status_is_ok(status); ++i) {
    const char *fingerprint = all->trials[i].record.fingerprint;
    json_t *record = NULL;
    if (!i || strcmp(fingerprint, all->trials[i - 1].record.fingerprint) != 0)
      status = tune_roofline_find_kept_place(database, task, fingerprint, &place);
    if (tune_status_is_ok(status))
      status = trial_to_json(&all->trials[i], &place, &record);
    if (tune_status_is_ok(status) && json_array_append_new(records, record) != 0)
      status = tune_status_out_of_memory("making JSON");
  }
  if (!tune_status_is_ok(status)) {
    json_decref(records);
    return status;
  }
  return tune_db_print_json(json_pack("{so so}", "task", task_to_json(task), "records", records));
}

//===- The command ------------------------------------------------------------===//

static tune_status show_task(tune_database *database, const tune_kept_task *task,
                             const char *fingerprint, const show_options *options) {
  if (options->payload) {
    fputs(task->payload, stdout);
    return TUNE_OK;
  }
  collection all = {.database = database, .only_failed = options->failed};
  tune_status status = tune_database_load(database, task->key, fingerprint, collect, &all);
  if (tune_status_is_ok(status)) {
    if (all.count)
      qsort(all.trials, all.count, sizeof *all.trials, compare_trials);
    status = options->format == TUNE_DB_JSON ? print_json(database, task, &all)
                                             : print_text(database, task, &all, options);
  }
  collection_deinit(&all);
  return status;
}

static tune_status show(const tune_db_context *context, void *options) {
  tune_kept_task task;
  tune_kept_task_init(&task);
  tune_status status = tune_database_get_task(context->database, context->task, &task);
  if (tune_status_is_ok(status))
    status = show_task(context->database, &task, context->digest, options);
  tune_kept_task_deinit(&task);
  return status;
}

int tune_db_show(int argc, char **argv) {
  tune_db_context context = {0};
  show_options chosen = {.limit = 10, .format = TUNE_DB_TEXT};
  const tune_option options[] = {
      TUNE_DB_OPTION_DB(&context.path),
      TUNE_DB_OPTION_FINGERPRINT(&context.fingerprint),
      {.name = "limit",
       .kind = TUNE_OPTION_INTEGER,
       .target = &chosen.limit,
       .value_name = "N",
       .help = "how many trials of each target to show, 0 for all (the default: 10); JSON has all"},
      {.name = "failed",
       .kind = TUNE_OPTION_FLAG,
       .target = &chosen.failed,
       .help = "the failed trials, with their reasons"},
      {.name = "details",
       .kind = TUNE_OPTION_FLAG,
       .target = &chosen.details,
       .help = "over several lines each what its check allowed, and why, what was counted, and "
               "what the machine was like"},
      {.name = "payload",
       .kind = TUNE_OPTION_FLAG,
       .target = &chosen.payload,
       .help = "only the task's MLIR"},
      TUNE_DB_OPTION_FORMAT(&chosen.format),
  };
  const tune_command command = {
      .name = "tune-db show",
      .operands = "TASK",
      .summary = "Shows a task and its trials, the best first. TASK is its name, a part of it, "
                 "or the start of "
                 "its key, as 'tune-db list' gives them.",
      .options = options,
      .option_count = sizeof options / sizeof *options,
      .operand_minimum = 1,
      .operand_maximum = 1,
  };
  const tune_db_job job = {.command = &command, .finds_task = true, .run = show, .user = &chosen};
  return tune_db_run(&job, &context, argc, argv);
}
