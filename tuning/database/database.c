//===- database.c - The database of records ----------------------------------===//

#include "support/clock.h"
#include "tuning/database/database_internal.h"

#include "support/json.h"
#include "support/string_builder.h"
#include "support/utf8.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LIMIT = 512, RANK_LIMIT = 64 };

//===- Tasks ------------------------------------------------------------------===//

void tune_kept_task_init(tune_kept_task *task) { *task = (tune_kept_task){0}; }

void tune_kept_task_deinit(tune_kept_task *task) {
  free(task->key);
  free(task->kind);
  free(task->name);
  free(task->type);
  free(task->payload);
  free(task->extents);
  tune_kept_task_init(task);
}

static tune_status validate_task(const tune_kept_task *task) {
  const char *wrong = NULL;
  if (!tune_database_is_key(task->key))
    wrong = "a key of 1 to 128 characters of [A-Za-z0-9_.:-]";
  else if (!tune_database_is_key(task->kind))
    wrong = "a kind of 1 to 128 characters of [A-Za-z0-9_.:-]";
  else if (!tune_database_is_line(task->name, NAME_LIMIT))
    wrong = "a name of 1 to 512 bytes of printable UTF-8";
  else if (!task->type || (*task->type && !tune_database_is_key(task->type)))
    wrong = "a type of at most 128 characters of [A-Za-z0-9_.:-]";
  else if (!task->payload || !tune_utf8_is_valid(task->payload))
    wrong = "a payload in UTF-8";
  else if (!isfinite(task->flops) || task->flops < 0)
    wrong = "finite flops, not below 0";
  else if (!isfinite(task->bytes) || task->bytes < 0)
    wrong = "finite bytes, not below 0";
  else if (task->rank > RANK_LIMIT)
    wrong = "a rank of at most 64";
  for (size_t i = 0; !wrong && i < task->rank; ++i)
    if (task->extents[i] < -1)
      wrong = "extents that are sizes, or -1";
  if (!wrong)
    return TUNE_OK;
  bool has_key = tune_database_is_key(task->key);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "the task%s%s needs %s", has_key ? " " : "",
                          has_key ? task->key : "", wrong);
}

static tune_status format_extents(const tune_kept_task *task, char **out_text) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_append(&text, "");
  for (size_t i = 0; i < task->rank; ++i)
    tune_string_builder_appendf(&text, "%s%lld", i ? "," : "", (long long)task->extents[i]);
  return tune_string_builder_finish(&text, out_text);
}

// Reads `task->rank` extents.
static tune_status parse_extents(const char *text, tune_kept_task *task) {
  task->extents = calloc(task->rank ? task->rank : 1, sizeof *task->extents);
  if (!task->extents)
    return tune_status_out_of_memory("reading a task");
  for (size_t i = 0; i < task->rank; ++i) {
    char *end;
    task->extents[i] = strtoll(text, &end, 10);
    if (end == text || *end != (i + 1 < task->rank ? ',' : '\0'))
      return tune_status_make(TUNE_DATA_LOSS, "task %s: its extents are damaged", task->key);
    text = end + 1;
  }
  return TUNE_OK;
}

tune_status tune_database_insert_task(tune_database *database, const tune_kept_task *task,
                                      bool replace, bool *out_new) {
  TUNE_RETURN_IF_ERROR(validate_task(task));
  char *extents = NULL;
  TUNE_RETURN_IF_ERROR(format_extents(task, &extents));
  sqlite3_stmt *statement = NULL;
  // What is damaged is replaced in any case.
  tune_status status = tune_database_prepare(
      database,
      "INSERT INTO tasks AS t(key, kind, name, type, payload, flops, bytes, rank, extents,"
      "    seen_ms, content)"
      "  VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
      "    digest_of(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))"
      "  ON CONFLICT(key) DO UPDATE SET kind = excluded.kind, name = excluded.name,"
      "    type = excluded.type, payload = excluded.payload, flops = excluded.flops,"
      "    bytes = excluded.bytes, rank = excluded.rank, extents = excluded.extents,"
      "    seen_ms = excluded.seen_ms, content = excluded.content"
      "  WHERE ?11 OR NOT (" TUNE_DATABASE_TASK_IS_WHOLE ")",
      &statement);
  if (tune_status_is_ok(status))
    status = tune_database_bind(database, statement, "tttttdditii", task->key, task->kind,
                                task->name, task->type, task->payload, task->flops + 0.0,
                                task->bytes + 0.0, (int64_t)task->rank, extents,
                                tune_clock_date_milliseconds(), (int64_t)replace);
  bool row;
  if (tune_status_is_ok(status))
    status = tune_database_step(database, statement, &row);
  if (tune_status_is_ok(status))
    *out_new = sqlite3_changes(database->connection) > 0;
  sqlite3_finalize(statement);
  free(extents);
  return status;
}

tune_status tune_database_put_task(tune_database *database, const tune_kept_task *task) {
  bool is_new;
  return tune_database_insert_task(database, task, true, &is_new);
}

static tune_status not_as_written(void) {
  return tune_status_make(TUNE_DATA_LOSS, "its members are not what was written");
}

tune_status tune_database_read_task(const tune_database *database, sqlite3_stmt *statement,
                                    tune_kept_task *task) {
  tune_kept_task_init(task);
  char **texts[] = {&task->key, &task->kind, &task->name, &task->type, &task->payload};
  tune_status status = TUNE_OK;
  for (int i = 0; i < 5 && tune_status_is_ok(status); ++i)
    status = tune_database_column_copy(statement, i, texts[i]);
  task->flops = sqlite3_column_double(statement, 5);
  task->bytes = sqlite3_column_double(statement, 6);
  int64_t rank = sqlite3_column_int64(statement, 7);
  const char *extents = (const char *)sqlite3_column_text(statement, 8);
  if (tune_status_is_ok(status) && (rank < 0 || rank > RANK_LIMIT))
    status = tune_status_make(TUNE_DATA_LOSS, "task %s: its rank is damaged", task->key);
  if (tune_status_is_ok(status)) {
    task->rank = (size_t)rank;
    status = parse_extents(extents ? extents : "", task);
  }
  if (tune_status_is_ok(status))
    status = validate_task(task);
  if (tune_status_is_ok(status) && !sqlite3_column_int(statement, 9))
    status = not_as_written();
  if (tune_status_is_ok(status))
    return TUNE_OK;
  tune_kept_task_deinit(task);
  return tune_database_damaged(database, "a task", status);
}

tune_status tune_database_visit_tasks(tune_database *database, tune_kept_task_visitor visit,
                                      void *user) {
  sqlite3_stmt *statement = NULL;
  tune_status status = tune_database_prepare(
      database, "SELECT " TUNE_DATABASE_TASK_COLUMNS " FROM tasks AS t ORDER BY id", &statement);
  while (tune_status_is_ok(status)) {
    bool row;
    status = tune_database_step(database, statement, &row);
    if (!tune_status_is_ok(status) || !row)
      break;
    tune_kept_task task;
    bool is_left_out;
    status = tune_database_read_task(database, statement, &task);
    status = tune_database_pass_over(database, status, &is_left_out);
    if (tune_status_is_ok(status) && !is_left_out)
      status = visit(user, &task);
    tune_kept_task_deinit(&task);
  }
  sqlite3_finalize(statement);
  return status;
}

tune_status tune_database_get_task(tune_database *database, const char *key,
                                   tune_kept_task *out_task) {
  tune_kept_task_init(out_task);
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_prepare(
      database, "SELECT " TUNE_DATABASE_TASK_COLUMNS " FROM tasks AS t WHERE key = ?1",
      &statement));
  bool row = false, is_left_out = false;
  tune_status status = tune_database_bind(database, statement, "t", key);
  if (tune_status_is_ok(status))
    status = tune_database_step(database, statement, &row);
  if (tune_status_is_ok(status) && row) {
    status = tune_database_read_task(database, statement, out_task);
    if (tune_status_is_ok(status) && strcmp(out_task->key, key) != 0)
      status = tune_database_damaged(database, "a task", not_as_written());
    status = tune_database_pass_over(database, status, &is_left_out);
  }
  if (tune_status_is_ok(status) && (!row || is_left_out))
    status = tune_status_make(TUNE_NOT_FOUND, "%s: holds no task %s", database->path, key);
  if (!tune_status_is_ok(status))
    tune_kept_task_deinit(out_task);
  sqlite3_finalize(statement);
  return status;
}

//===- Fingerprints -----------------------------------------------------------===//

static tune_status validate_fingerprint(const char *digest, const char *target,
                                        const char *description) {
  if (!tune_database_is_key(digest))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a fingerprint needs a digest of 1 to 128 "
                                                   "characters of [A-Za-z0-9_.:-]");
  if (!tune_database_is_key(target))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "the fingerprint %s needs a target of 1 to 128 characters of "
                            "[A-Za-z0-9_.:-]",
                            digest);
  json_error_t error;
  json_t *object = description ? tune_json_load(description, strlen(description), &error) : NULL;
  if (description && !object && tune_json_lacks_memory(&error))
    return tune_status_out_of_memory("reading the fingerprint %s", digest);
  bool is_object = json_is_object(object);
  json_decref(object);
  if (!is_object)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "the fingerprint %s needs a description that is a JSON object", digest);
  return TUNE_OK;
}

tune_status tune_database_insert_fingerprint(tune_database *database, const char *digest,
                                             const char *target, const char *description,
                                             bool replace, bool *out_new) {
  TUNE_RETURN_IF_ERROR(validate_fingerprint(digest, target, description));
  sqlite3_stmt *statement = NULL;
  tune_status status = tune_database_prepare(
      database,
      "INSERT INTO fingerprints AS f(digest, target, description, seen_ms, content)"
      "  VALUES(?1, ?2, ?3, ?4, digest_of(?1, ?2, ?3))"
      "  ON CONFLICT(digest) DO UPDATE SET target = excluded.target,"
      "    description = excluded.description, seen_ms = excluded.seen_ms,"
      "    content = excluded.content"
      "  WHERE ?5 OR NOT (" TUNE_DATABASE_FINGERPRINT_IS_WHOLE ")",
      &statement);
  if (tune_status_is_ok(status))
    status = tune_database_bind(database, statement, "tttii", digest, target, description,
                                tune_clock_date_milliseconds(), (int64_t)replace);
  bool row;
  if (tune_status_is_ok(status))
    status = tune_database_step(database, statement, &row);
  if (tune_status_is_ok(status))
    *out_new = sqlite3_changes(database->connection) > 0;
  sqlite3_finalize(statement);
  return status;
}

tune_status tune_database_put_fingerprint(tune_database *database, const char *digest,
                                          const char *target, const char *description) {
  bool is_new;
  return tune_database_insert_fingerprint(database, digest, target, description, true, &is_new);
}

void tune_database_fingerprint_deinit(tune_database_fingerprint *fingerprint) {
  free(fingerprint->digest);
  free(fingerprint->target);
  free(fingerprint->description);
  *fingerprint = (tune_database_fingerprint){0};
}

tune_status tune_database_read_fingerprint(const tune_database *database, sqlite3_stmt *statement,
                                           tune_database_fingerprint *out_fingerprint) {
  tune_database_fingerprint read = {0};
  char **texts[] = {&read.digest, &read.target, &read.description};
  tune_status status = TUNE_OK;
  for (int i = 0; i < 3 && tune_status_is_ok(status); ++i)
    status = tune_database_column_copy(statement, i, texts[i]);
  if (tune_status_is_ok(status))
    status = validate_fingerprint(read.digest, read.target, read.description);
  if (tune_status_is_ok(status) && !sqlite3_column_int(statement, 3))
    status = not_as_written();
  if (!tune_status_is_ok(status))
    tune_database_fingerprint_deinit(&read);
  *out_fingerprint = read;
  return tune_database_damaged(database, "a fingerprint", status);
}

tune_status tune_database_visit_fingerprints(tune_database *database, const char *digest,
                                             const char *task,
                                             tune_database_fingerprint_visitor visit, void *user) {
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(
      tune_database_prepare(database,
                            "SELECT " TUNE_DATABASE_FINGERPRINT_COLUMNS " FROM fingerprints AS f"
                            "  WHERE (?1 IS NULL OR digest = ?1) AND (?2 IS NULL OR EXISTS("
                            "    SELECT 1 FROM trials AS r JOIN tasks AS t ON t.id = r.task"
                            "      WHERE t.key = ?2 AND r.fingerprint = f.id)) ORDER BY id",
                            &statement));
  tune_status status = tune_database_bind(database, statement, "tt", digest, task);
  bool row = true;
  while (tune_status_is_ok(status)) {
    status = tune_database_step(database, statement, &row);
    if (!tune_status_is_ok(status) || !row)
      break;
    tune_database_fingerprint read;
    bool is_left_out;
    status = tune_database_read_fingerprint(database, statement, &read);
    if (tune_status_is_ok(status) && digest && strcmp(read.digest, digest) != 0)
      status = tune_database_damaged(database, "a fingerprint", not_as_written());
    status = tune_database_pass_over(database, status, &is_left_out);
    if (tune_status_is_ok(status) && !is_left_out)
      status = visit(user, read.digest, read.target, read.description);
    tune_database_fingerprint_deinit(&read);
  }
  sqlite3_finalize(statement);
  return status;
}

typedef struct fingerprint_texts {
  char *target, *description;
} fingerprint_texts;

static tune_status keep_fingerprint(void *user, const char *digest, const char *target,
                                    const char *description) {
  (void)digest;
  fingerprint_texts *texts = user;
  texts->target = strdup(target);
  texts->description = strdup(description);
  if (!texts->target || !texts->description)
    return tune_status_out_of_memory("reading a fingerprint");
  return TUNE_OK;
}

tune_status tune_database_get_fingerprint(tune_database *database, const char *digest,
                                          char **out_target, char **out_description) {
  fingerprint_texts texts = {NULL, NULL};
  tune_status status =
      tune_database_visit_fingerprints(database, digest, NULL, keep_fingerprint, &texts);
  if (tune_status_is_ok(status) && !texts.target)
    status =
        tune_status_make(TUNE_NOT_FOUND, "%s: holds no fingerprint %s", database->path, digest);
  if (!tune_status_is_ok(status)) {
    free(texts.target);
    free(texts.description);
    texts = (fingerprint_texts){NULL, NULL};
  }
  *out_target = texts.target;
  *out_description = texts.description;
  return status;
}

tune_status tune_database_get_device(tune_database *database, const char *digest, char **out_target,
                                     json_t **out_description) {
  char *target, *text;
  *out_description = NULL;
  tune_status status = tune_database_get_fingerprint(database, digest, &target, &text);
  if (tune_status_is_ok(status))
    status = tune_json_load_kept(text, "a fingerprint", out_description);
  free(text);
  if (!out_target || !tune_status_is_ok(status)) {
    free(target);
    target = NULL;
  }
  if (out_target)
    *out_target = target;
  return status;
}

//===- Finding by what a person types -----------------------------------------===//

// Steps `statement`, which gives (key, name), through at most a few rows. One row is the answer.
static tune_status the_only_row(const tune_database *database, sqlite3_stmt *statement,
                                const char *what, const char *text, char **out_key) {
  tune_string_builder names;
  tune_string_builder_init(&names);
  size_t count = 0;
  bool row = true;
  tune_status status = TUNE_OK;
  while (tune_status_is_ok(status)) {
    status = tune_database_step(database, statement, &row);
    if (!tune_status_is_ok(status) || !row)
      break;
    const char *key = (const char *)sqlite3_column_text(statement, 0);
    const char *name = (const char *)sqlite3_column_text(statement, 1);
    tune_string_builder_appendf(&names, "%s%s (%s)", count ? ", " : "", key ? key : "?",
                                name ? name : "?");
    if (count++ == 0)
      status = tune_database_column_copy(statement, 0, out_key);
  }
  if (tune_status_is_ok(status) && count == 0)
    status =
        tune_status_make(TUNE_NOT_FOUND, "%s: holds no %s '%s'; `tune-db list` shows what there is",
                         database->path, what, text);
  else if (tune_status_is_ok(status) && count > 1)
    status = tune_status_make(TUNE_INVALID_ARGUMENT, "'%s' may mean more than one %s: %s%s", text,
                              what, names.text ? names.text : "", count > 3 ? ", ..." : "");
  tune_string_builder_deinit(&names);
  if (!tune_status_is_ok(status)) {
    free(*out_key);
    *out_key = NULL;
  }
  return status;
}

static tune_status find_by_text(tune_database *database, const char *sql, const char *what,
                                const char *text, char **out_key) {
  *out_key = NULL;
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_prepare(database, sql, &statement));
  tune_status status = tune_database_bind(database, statement, "t", text);
  if (tune_status_is_ok(status))
    status = the_only_row(database, statement, what, text, out_key);
  sqlite3_finalize(statement);
  return status;
}

static tune_status ignore_task(void *user, const tune_kept_task *task) {
  (void)user, (void)task;
  return TUNE_OK;
}

static tune_status ignore_fingerprint(void *user, const char *digest, const char *target,
                                      const char *description) {
  (void)user, (void)digest, (void)target, (void)description;
  return TUNE_OK;
}

tune_status tune_database_find_task(tune_database *database, const char *text, char **out_key) {
  // A whole key or name is meant even where it is the start or a part of another.
  tune_status status =
      find_by_text(database,
                   "WITH exact AS (SELECT key, name FROM tasks WHERE key = ?1 OR name = ?1),"
                   "  prefixed AS (SELECT key, name FROM tasks"
                   "    WHERE substr(key, 1, length(?1)) = ?1 AND length(?1) > 0),"
                   "  named AS (SELECT key, name FROM tasks"
                   "    WHERE instr(name, ?1) AND length(?1) > 0)"
                   " SELECT * FROM exact"
                   " UNION ALL SELECT * FROM prefixed WHERE NOT EXISTS(SELECT 1 FROM exact)"
                   " UNION ALL SELECT * FROM named WHERE NOT EXISTS(SELECT 1 FROM exact)"
                   "    AND NOT EXISTS(SELECT 1 FROM prefixed) LIMIT 4",
                   "task", text, out_key);
  // A name that is found, or is not, may be a damaged one.
  if (tune_status_is_ok(status)) {
    tune_kept_task task;
    status = tune_database_get_task(database, *out_key, &task);
    tune_kept_task_deinit(&task);
  } else if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    status = tune_status_join(tune_database_visit_tasks(database, ignore_task, NULL), status);
  }
  if (!tune_status_is_ok(status)) {
    free(*out_key);
    *out_key = NULL;
  }
  return status;
}

tune_status tune_database_find_fingerprint(tune_database *database, const char *text,
                                           char **out_digest) {
  tune_status status =
      find_by_text(database,
                   "WITH exact AS (SELECT digest, target FROM fingerprints WHERE digest = ?1),"
                   "  prefixed AS (SELECT digest, target FROM fingerprints"
                   "    WHERE (substr(digest, 1, length(?1)) = ?1 AND length(?1) > 0)"
                   "      OR (substr(target || ':' || digest, 1, length(?1)) = ?1"
                   "          AND length(?1) > length(target) + 1))"
                   " SELECT * FROM exact UNION ALL"
                   " SELECT * FROM prefixed WHERE NOT EXISTS(SELECT 1 FROM exact) LIMIT 4",
                   "fingerprint", text, out_digest);
  bool is_answer = tune_status_is_ok(status) || tune_status_get_code(status) == TUNE_NOT_FOUND;
  if (is_answer) // as above; there are few
    status = tune_status_join(
        tune_database_visit_fingerprints(database, *out_digest, NULL, ignore_fingerprint, NULL),
        status);
  if (!tune_status_is_ok(status)) {
    free(*out_digest);
    *out_digest = NULL;
  }
  return status;
}
