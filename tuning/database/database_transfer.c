//===- database_transfer.c ----------------------------------------------------===//

#include "tuning/database/database_transfer.h"

#include "formats/magic.h"
#include "support/file.h"
#include "support/json.h"
#include "tuning/database/database_internal.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

//===- Export -----------------------------------------------------------------===//

typedef struct exporter {
  FILE *stream;
  const char *name;
  const char *task; // the only one to go out, or NULL
  // What records may refer to; NULL where nothing can be left out.
  json_t *tasks, *fingerprints;
  tune_database_transfer done;
} exporter;

// Writes `object` as a line and takes its reference. NULL stands for memory that ran out.
static tune_status write_line(const exporter *to, json_t *object) {
  if (!object)
    return tune_status_out_of_memory("writing %s", to->name);
  errno = 0;
  bool failed = json_dumpf(object, to->stream, JSON_COMPACT) != 0 || fputc('\n', to->stream) == EOF;
  json_decref(object);
  if (!failed)
    return TUNE_OK;
  if (ferror(to->stream))
    return tune_status_from_errno(errno, "writing %s", to->name);
  return tune_status_out_of_memory("writing %s", to->name);
}

// Adds `key` to `set`, unless that is NULL.
static tune_status remember(json_t *set, const char *key) {
  if (set && json_object_set_new(set, key, json_true()) != 0)
    return tune_status_out_of_memory("exporting");
  return TUNE_OK;
}

tune_status tune_kept_task_to_line(const tune_kept_task *task, json_t **out_line) {
  json_t *extents = json_array();
  for (size_t i = 0; i < task->rank; ++i)
    if (json_array_append_new(extents, json_integer(task->extents[i])) != 0) {
      json_decref(extents);
      extents = NULL;
    }
  *out_line =
      json_pack("{ss ss ss ss ss ss sf sf so}", "kind", "task", "key", task->key, "class",
                task->kind, "name", task->name, "type", task->type, "payload", task->payload,
                "flops", task->flops, "bytes", task->bytes, "extents", extents);
  return *out_line ? TUNE_OK : tune_status_out_of_memory("writing a task as JSON");
}

static tune_status export_task(void *user, const tune_kept_task *task) {
  exporter *to = user;
  if (to->task && strcmp(to->task, task->key) != 0)
    return TUNE_OK;
  ++to->done.tasks;
  TUNE_RETURN_IF_ERROR(remember(to->tasks, task->key));
  json_t *line;
  TUNE_RETURN_IF_ERROR(tune_kept_task_to_line(task, &line));
  return write_line(to, line);
}

static tune_status export_fingerprint(void *user, const char *digest, const char *target,
                                      const char *description) {
  exporter *to = user;
  ++to->done.fingerprints;
  TUNE_RETURN_IF_ERROR(remember(to->fingerprints, digest));
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_json_load_kept(description, "a fingerprint", &object));
  return write_line(to, json_pack("{ss ss ss so}", "kind", "fingerprint", "digest", digest,
                                  "target", target, "description", object));
}

static tune_status export_record(void *user, const tune_record *record) {
  exporter *to = user;
  if (to->tasks && (!json_object_get(to->tasks, record->task) ||
                    !json_object_get(to->fingerprints, record->fingerprint)))
    return TUNE_OK; // a record does not come in without them
  ++to->done.records;
  json_t *object = NULL;
  TUNE_RETURN_IF_ERROR(tune_record_to_json(record, &object));
  return write_line(to, object);
}

static tune_status export_all(tune_database *database, const char *fingerprint, exporter *to) {
  TUNE_RETURN_IF_ERROR(
      write_line(to, json_pack("{ss ss si}", "kind", "header", "format", TUNE_DATABASE_FORMAT,
                               "version", TUNE_DATABASE_FORMAT_VERSION)));
  TUNE_RETURN_IF_ERROR(tune_database_visit_tasks(database, export_task, to));
  TUNE_RETURN_IF_ERROR(
      tune_database_visit_fingerprints(database, fingerprint, to->task, export_fingerprint, to));
  TUNE_RETURN_IF_ERROR(tune_database_load(database, to->task, fingerprint, export_record, to));
  if (fflush(to->stream) != 0)
    return tune_status_from_errno(errno, "writing %s", to->name);
  return TUNE_OK;
}

// What is left out has to be told: rows that a damaged index hides, too.
static tune_status require_sound(tune_database *database) {
  bool is_left_out;
  tune_status status = tune_database_require_sound(database);
  return tune_database_pass_over(database, status, &is_left_out);
}

tune_status tune_database_export(tune_database *database, const char *task, const char *fingerprint,
                                 FILE *stream, const char *name,
                                 tune_database_transfer *out_transfer) {
  exporter to = {.stream = stream, .name = name, .task = task};
  if (database->leaves_out_damage) {
    to.tasks = json_object();
    to.fingerprints = json_object();
  }
  bool has_sets = (to.tasks && to.fingerprints) || !database->leaves_out_damage;
  tune_status status =
      has_sets ? TUNE_OK : tune_status_out_of_memory("exporting %s", database->path);
  if (tune_status_is_ok(status))
    status = tune_database_begin_reading(database);
  if (tune_status_is_ok(status))
    status = require_sound(database);
  if (tune_status_is_ok(status))
    status = export_all(database, fingerprint, &to);
  status = tune_database_end(database, status);
  json_decref(to.tasks);
  json_decref(to.fingerprints);
  *out_transfer = to.done;
  return status;
}

//===- Import -----------------------------------------------------------------===//

typedef struct line {
  char *bytes;
  size_t length, capacity;
  bool is_whole; // it ends as a line
} line;

// What is being read.
typedef struct importer {
  tune_database *database;
  const char *name;
  bool has_header;
  bool is_results; // of candidates measured elsewhere
  bool has_end;
  uint64_t candidates;        // that results are to have
  uint64_t records;           // so far
  tune_digest_stream *digest; // of the lines so far
  tune_database_transfer done;
} importer;

// Reads up to the next line end, which is dropped. `*out_any` is false at the end of the stream.
static tune_status read_line(FILE *stream, const char *name, line *into, bool *out_any) {
  into->length = 0;
  int c;
  while ((c = getc_unlocked(stream)) != EOF && c != '\n') {
    if (into->length == into->capacity) {
      if (into->capacity >= TUNE_DATABASE_LINE_LIMIT)
        return tune_status_make(TUNE_INVALID_ARGUMENT, "longer than %u bytes",
                                TUNE_DATABASE_LINE_LIMIT);
      size_t capacity = into->capacity ? into->capacity * 2 : 4096;
      char *bytes = realloc(into->bytes, capacity);
      if (!bytes)
        return tune_status_out_of_memory("reading %s", name);
      into->bytes = bytes;
      into->capacity = capacity;
    }
    into->bytes[into->length++] = (char)c;
  }
  if (ferror(stream))
    return tune_status_from_errno(errno, "reading %s", name);
  into->is_whole = c == '\n';
  *out_any = c != EOF || into->length > 0;
  return TUNE_OK;
}

static tune_status unpack_error(const char *kind, const json_error_t *error) {
  if (tune_json_lacks_memory(error))
    return tune_status_out_of_memory("reading a %s", kind);
  return tune_status_make(TUNE_INVALID_ARGUMENT, "wrong %s: %s", kind, error->text);
}

// Of results, the members that a header does not have otherwise.
static tune_status import_results_header(importer *from, const json_t *object) {
  json_int_t candidates;
  json_error_t error;
  const char *export;
  if (json_unpack_ex((json_t *)object, &error, 0, "{s:s s:I}", "export", &export, "candidates",
                     &candidates) != 0)
    return unpack_error("header", &error);
  from->is_results = true;
  from->candidates = candidates > 0 ? (uint64_t)candidates : 0;
  return TUNE_OK;
}

static tune_status import_header(importer *from, const json_t *object) {
  const char *format, *kind;
  json_int_t version;
  json_error_t error;
  bool is_results = json_object_get(object, "export") != NULL;
  from->has_header = true;
  if (json_unpack_ex((json_t *)object, &error, 0, is_results ? "{s:s s:s s:I}" : "{s:s s:s s:I !}",
                     "kind", &kind, "format", &format, "version", &version) != 0)
    return unpack_error("header", &error);
  if (strcmp(format, TUNE_DATABASE_FORMAT) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the format is '%s', not '%s'", format,
                            TUNE_DATABASE_FORMAT);
  if (version != TUNE_DATABASE_FORMAT_VERSION)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "the format has version %lld, this mlir-tune reads version %d; use the "
                            "mlir-tune that wrote it",
                            (long long)version, TUNE_DATABASE_FORMAT_VERSION);
  return is_results ? import_results_header(from, object) : TUNE_OK;
}

static tune_status read_extents(const json_t *array, tune_kept_task *task) {
  if (!json_is_array(array))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "wrong task: the extents are no array");
  size_t rank = json_array_size(array);
  task->extents = calloc(rank ? rank : 1, sizeof *task->extents);
  if (!task->extents)
    return tune_status_out_of_memory("reading a task");
  task->rank = rank;
  for (size_t i = 0; i < rank; ++i) {
    const json_t *extent = json_array_get(array, i);
    if (!json_is_integer(extent))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "wrong task: extent %zu is no integer", i);
    task->extents[i] = json_integer_value(extent);
  }
  return TUNE_OK;
}

static tune_status import_task(tune_database *database, const json_t *object,
                               tune_database_transfer *done) {
  const char *kind;
  json_t *extents;
  json_error_t error;
  // The texts belong to `object`; only the extents are this function's.
  tune_kept_task task = {0};
  if (json_unpack_ex((json_t *)object, &error, 0, "{s:s s:s s:s s:s s:s s:s s:F s:F s:o !}", "kind",
                     &kind, "key", &task.key, "class", &task.kind, "name", &task.name, "type",
                     &task.type, "payload", &task.payload, "flops", &task.flops, "bytes",
                     &task.bytes, "extents", &extents) != 0)
    return unpack_error("task", &error);
  bool is_new = false;
  tune_status status = read_extents(extents, &task);
  if (tune_status_is_ok(status))
    status = tune_database_insert_task(database, &task, false, &is_new);
  free(task.extents);
  done->tasks += is_new;
  return status;
}

static tune_status import_fingerprint(tune_database *database, const json_t *object,
                                      tune_database_transfer *done) {
  const char *kind, *digest, *target;
  json_t *description;
  json_error_t error;
  if (json_unpack_ex((json_t *)object, &error, 0, "{s:s s:s s:s s:o !}", "kind", &kind, "digest",
                     &digest, "target", &target, "description", &description) != 0)
    return unpack_error("fingerprint", &error);
  char *text = tune_json_dump(description, JSON_COMPACT | JSON_ENCODE_ANY);
  if (!text)
    return tune_status_out_of_memory("reading a fingerprint");
  bool is_new = false;
  tune_status status =
      tune_database_insert_fingerprint(database, digest, target, text, false, &is_new);
  free(text);
  done->fingerprints += is_new;
  return status;
}

static tune_status take_record(tune_database *database, const tune_record *record,
                               tune_database_transfer *done) {
  bool is_new = false;
  TUNE_RETURN_IF_ERROR(tune_database_insert_record(database, record, &is_new));
  done->records += is_new;
  done->known += !is_new;
  return TUNE_OK;
}

static tune_status import_record(tune_database *database, const json_t *object,
                                 tune_database_transfer *done) {
  tune_record record;
  TUNE_RETURN_IF_ERROR(tune_record_from_json(object, &record));
  tune_status status = take_record(database, &record, done);
  tune_record_deinit(&record);
  return status;
}

// The last line of results. `from->digest` is of those before it.
static tune_status import_end(importer *from, const json_t *object) {
  const char *digest = json_string_value(json_object_get(object, "digest"));
  tune_digest found = tune_digest_stream_get(from->digest);
  json_int_t records = json_integer_value(json_object_get(object, "records"));
  if (!digest || strcmp(found.text, digest) != 0 || records != (json_int_t)from->records)
    return tune_status_make(TUNE_DATA_LOSS, "the results are damaged: they are not what their last "
                                            "line says; copy them here again");
  from->has_end = true;
  return TUNE_OK;
}

static tune_status import_object(importer *from, const json_t *object) {
  const char *kind = json_string_value(json_object_get(object, "kind"));
  if (!kind)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "not a JSON object with a \"kind\"");
  if (strcmp(kind, "header") == 0)
    return import_header(from, object);
  if (!from->has_header)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "the first line is not the header of an export "
                            "({\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":%d})",
                            TUNE_DATABASE_FORMAT_VERSION);
  if (strcmp(kind, "task") == 0)
    return import_task(from->database, object, &from->done);
  if (strcmp(kind, "fingerprint") == 0)
    return import_fingerprint(from->database, object, &from->done);
  if (strcmp(kind, "trial") == 0 || strcmp(kind, "winner") == 0 || strcmp(kind, "demotion") == 0 ||
      strcmp(kind, "grouping") == 0) {
    ++from->records;
    return import_record(from->database, object, &from->done);
  }
  if (from->is_results && strcmp(kind, "end") == 0)
    return import_end(from, object);
  if (from->is_results && (strcmp(kind, "failure") == 0 || strcmp(kind, "comparison") == 0))
    return TUNE_OK; // there is nothing to keep of a task that could not be measured
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "the kind is '%s', not one of header, task, fingerprint, trial, winner, "
                          "demotion, grouping",
                          kind);
}

static tune_status import_line(importer *from, const line *text) {
  json_error_t error;
  if (!from->has_header && text->length >= strlen(TUNE_EXPORT_MAGIC) &&
      memcmp(text->bytes, TUNE_EXPORT_MAGIC, strlen(TUNE_EXPORT_MAGIC)) == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "these are candidates to be measured: `tune-measure %s` measures them, "
                            "and what it writes can be imported",
                            from->name);
  json_t *object = tune_json_load(text->bytes, text->length, &error);
  if (!object && tune_json_lacks_memory(&error))
    return tune_status_out_of_memory("reading a line");
  if (!object)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "not JSON: %s, at column %d", error.text,
                            error.column);
  tune_status status = import_object(from, object);
  json_decref(object);
  tune_digest_stream_add_bytes(from->digest, text->bytes, text->length);
  tune_digest_stream_add_bytes(from->digest, "\n", 1);
  return status;
}

// Says in which line the fault is, where it is one of the line and not of the database.
static tune_status blame_line(tune_status status, const char *name, uint64_t number) {
  tune_status_code code = tune_status_get_code(status);
  if (code != TUNE_INVALID_ARGUMENT && code != TUNE_NOT_FOUND && code != TUNE_DATA_LOSS &&
      code != TUNE_FAILED_PRECONDITION)
    return status;
  if (code == TUNE_NOT_FOUND)
    code = TUNE_INVALID_ARGUMENT;
  return tune_status_join(tune_status_make(code, "%s:%llu: %s; nothing was imported", name,
                                           (unsigned long long)number,
                                           tune_status_get_message(status)),
                          status);
}

static tune_status import_lines(importer *from, FILE *stream) {
  line text = {0};
  bool any = true;
  tune_status status = TUNE_OK;
  for (uint64_t number = 1; tune_status_is_ok(status); ++number) {
    status = read_line(stream, from->name, &text, &any);
    bool is_cut = from->is_results && !text.is_whole; // it was being written
    if (tune_status_is_ok(status) && (!any || is_cut))
      break;
    if (tune_status_is_ok(status))
      status = import_line(from, &text);
    status = blame_line(status, from->name, number);
  }
  if (tune_status_is_ok(status) && !from->has_header)
    status = tune_status_make(TUNE_INVALID_ARGUMENT,
                              "%s:1: the file is empty; nothing was imported", from->name);
  free(text.bytes);
  return status;
}

tune_status tune_database_import(tune_database *database, FILE *stream, const char *name,
                                 tune_database_transfer *out_transfer) {
  *out_transfer = (tune_database_transfer){0};
  importer from = {.database = database, .name = name};
  TUNE_RETURN_IF_ERROR(tune_digest_stream_create(&from.digest));
  tune_status status = tune_database_begin(database);
  if (tune_status_is_ok(status))
    status = tune_database_end(database, import_lines(&from, stream));
  tune_digest_stream_destroy(from.digest);
  TUNE_RETURN_IF_ERROR(status);
  if (from.is_results && !from.has_end && from.candidates > from.records)
    from.done.awaited = from.candidates - from.records;
  *out_transfer = from.done;
  return TUNE_OK;
}

//===- Merge ------------------------------------------------------------------===//

typedef struct merger {
  tune_database *into;
  tune_database_transfer done;
} merger;

static tune_status merge_task(void *user, const tune_kept_task *task) {
  merger *merging = user;
  bool is_new = false;
  TUNE_RETURN_IF_ERROR(tune_database_insert_task(merging->into, task, false, &is_new));
  merging->done.tasks += is_new;
  return TUNE_OK;
}

static tune_status merge_fingerprint(void *user, const char *digest, const char *target,
                                     const char *description) {
  merger *merging = user;
  bool is_new = false;
  TUNE_RETURN_IF_ERROR(
      tune_database_insert_fingerprint(merging->into, digest, target, description, false, &is_new));
  merging->done.fingerprints += is_new;
  return TUNE_OK;
}

static tune_status merge_record(void *user, const tune_record *record) {
  merger *merging = user;
  return take_record(merging->into, record, &merging->done);
}

static tune_status merge_all(merger *merging, tune_database *other) {
  TUNE_RETURN_IF_ERROR(tune_database_begin_reading(other));
  tune_status status = tune_database_require_sound(other);
  if (tune_status_is_ok(status))
    status = tune_database_visit_tasks(other, merge_task, merging);
  if (tune_status_is_ok(status))
    status = tune_database_visit_fingerprints(other, NULL, NULL, merge_fingerprint, merging);
  if (tune_status_is_ok(status))
    status = tune_database_load(other, NULL, NULL, merge_record, merging);
  return tune_database_end(other, status);
}

tune_status tune_database_merge(tune_database *database, tune_database *other,
                                tune_database_transfer *out_transfer) {
  *out_transfer = (tune_database_transfer){0};
  if (tune_file_is_same(database->path, other->path))
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s and %s are the same database",
                            database->path, other->path);
  merger merging = {.into = database};
  TUNE_RETURN_IF_ERROR(tune_database_begin(database));
  tune_status status = tune_database_end(database, merge_all(&merging, other));
  if (tune_status_is_ok(status))
    *out_transfer = merging.done;
  return status;
}
