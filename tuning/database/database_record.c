//===- database_record.c - A record as a row ---------------------------------===//
//
// A row is the record's JSON (tuning/record/record.h) taken apart: the members that queries ask
// for are columns, and all others together are one, `figures`. A new figure of a record needs
// nothing here.
//
//===--------------------------------------------------------------------------===//

#include "tuning/database/database_internal.h"

#include "support/cbor.h"
#include "support/json.h"
#include "support/string_builder.h"
#include "support/utf8.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

typedef enum cell_kind {
  CELL_ABSENT,
  CELL_TEXT,
  CELL_OBJECT, // a text, too: the object, written compactly
  CELL_INTEGER,
} cell_kind;

// The members that are columns, in the order of TUNE_DATABASE_RECORD_COLUMNS.
static const struct {
  const char *name;
  cell_kind kind;
} columns[] = {
    {"kind", CELL_TEXT},         {"task", CELL_TEXT},     {"fingerprint", CELL_TEXT},
    {"schedule", CELL_TEXT},     {"config", CELL_OBJECT}, {"verdict", CELL_TEXT},
    {"error", CELL_TEXT},        {"digest", CELL_TEXT},   {"created_ms", CELL_INTEGER},
    {"conditions", CELL_OBJECT},
};

// Behind them, in rows and in the insert.
enum {
  COLUMN_COUNT = sizeof columns / sizeof *columns,
  CONDITIONS = COLUMN_COUNT - 1,
  FIGURES = COLUMN_COUNT,
  SECONDS,
  DIGEST,
  WIDTH,
};
_Static_assert(WIDTH == TUNE_DATABASE_RECORD_WIDTH, "the columns are those of the queries");

typedef struct cell {
  cell_kind kind;
  const char *text;
  int64_t number;
} cell;

// Borrows the texts and bytes.
typedef struct row {
  cell cells[COLUMN_COUNT];
  const void *figures; // CBOR
  size_t figures_size;
} row;

//===- What names a record ----------------------------------------------------===//

static void add_number(tune_digest_stream *stream, uint64_t number) {
  number = htole64(number);
  tune_digest_stream_add_bytes(stream, &number, sizeof number);
}

static void add_cell(tune_digest_stream *stream, const cell *added) {
  add_number(stream, (uint64_t)added->kind);
  if (added->kind == CELL_INTEGER)
    add_number(stream, (uint64_t)added->number);
  else if (added->kind != CELL_ABSENT)
    tune_digest_stream_add_text(stream, added->text);
}

static tune_status digest_of(const row *of, tune_digest *out_digest) {
  tune_digest_stream *stream;
  TUNE_RETURN_IF_ERROR(tune_digest_stream_create(&stream));
  for (size_t i = 0; i < COLUMN_COUNT; ++i)
    add_cell(stream, &of->cells[i]);
  if (of->figures_size)
    tune_digest_stream_add_bytes(stream, of->figures, of->figures_size);
  *out_digest = tune_digest_stream_get(stream);
  tune_digest_stream_destroy(stream);
  return TUNE_OK;
}

//===- From a record ----------------------------------------------------------===//

// A row that owns what it points to. A record has one, and so one digest, however its config was
// written, and also when it went out as JSON and came back.
typedef struct stored {
  row row;
  double seconds;
  tune_digest digest;
  json_t *members[COLUMN_COUNT]; // what the cells borrow from: texts of these
  char *dumped[COLUMN_COUNT];    // and objects
  tune_string_builder figures;
} stored;

static tune_status out_of_memory(void) { return tune_status_out_of_memory("keeping a record"); }

static void stored_deinit(stored *kept) {
  for (size_t i = 0; i < COLUMN_COUNT; ++i) {
    json_decref(kept->members[i]);
    free(kept->dumped[i]);
  }
  tune_string_builder_deinit(&kept->figures);
}

// Errors quote compilers and broken programs, who may say anything: what is not UTF-8 becomes '?',
// since one such byte would keep the whole database from being exported.
static tune_status clean_error(const char *text, char **out_error) {
  *out_error = NULL;
  if (!text || tune_utf8_is_valid(text))
    return TUNE_OK;
  *out_error = strdup(text);
  if (!*out_error)
    return out_of_memory();
  for (char *c = *out_error; *c; ++c)
    if (*c & 0x80)
      *c = '?';
  return TUNE_OK;
}

static tune_status to_json(const tune_record *record, json_t **out_object) {
  tune_record clean = *record;
  char *error;
  TUNE_RETURN_IF_ERROR(clean_error(record->error, &error));
  if (error)
    clean.error = error;
  tune_status status = tune_record_to_json(&clean, out_object);
  free(error);
  return status;
}

// Takes the member of a column out of the record's JSON.
static tune_status take_member(stored *kept, size_t column, json_t *object) {
  json_t *member = json_object_get(object, columns[column].name);
  cell *filled = &kept->row.cells[column];
  if (!member)
    return TUNE_OK;
  kept->members[column] = json_incref(member);
  json_object_del(object, columns[column].name);
  filled->kind = columns[column].kind;
  filled->text = json_string_value(member);
  filled->number = json_integer_value(member);
  if (filled->kind != CELL_OBJECT)
    return TUNE_OK;
  filled->text = kept->dumped[column] = tune_json_dump(member, JSON_COMPACT);
  return filled->text ? TUNE_OK : out_of_memory();
}

static tune_status take_apart(stored *kept, json_t *object) {
  for (size_t i = 0; i < COLUMN_COUNT; ++i)
    TUNE_RETURN_IF_ERROR(take_member(kept, i, object));
  tune_cbor_append(&kept->figures, object);
  if (kept->figures.failed)
    return out_of_memory();
  kept->row.figures = kept->figures.text;
  kept->row.figures_size = kept->figures.length;
  return digest_of(&kept->row, &kept->digest);
}

static tune_status stored_init(stored *kept, const tune_record *record) {
  *kept = (stored){.seconds = tune_record_seconds(record) + 0.0};
  tune_string_builder_init(&kept->figures);
  json_t *object;
  TUNE_RETURN_IF_ERROR(to_json(record, &object));
  tune_status status = take_apart(kept, object);
  json_decref(object);
  if (!tune_status_is_ok(status))
    stored_deinit(kept);
  return status;
}

tune_status tune_database_record_digest(const tune_record *record, tune_digest *out_digest) {
  stored kept;
  TUNE_RETURN_IF_ERROR(stored_init(&kept, record));
  *out_digest = kept.digest;
  stored_deinit(&kept);
  return TUNE_OK;
}

//===- Appending --------------------------------------------------------------===//

// Which of the two a record refers to is not there.
static tune_status missing_reference(tune_database *database, const tune_record *record) {
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(
      tune_database_prepare(database, "SELECT 1 FROM tasks WHERE key = ?1", &statement));
  bool has_task = false;
  tune_status status = tune_database_bind(database, statement, "t", record->task);
  if (tune_status_is_ok(status))
    status = tune_database_step(database, statement, &has_task);
  sqlite3_finalize(statement);
  TUNE_RETURN_IF_ERROR(status);
  return tune_status_make(TUNE_NOT_FOUND, "%s: record of the %s %s, which is not in the database",
                          database->path, has_task ? "fingerprint" : "task",
                          has_task ? record->fingerprint : record->task);
}

static int bind_cell(sqlite3_stmt *insert, int place, const cell *bound) {
  if (bound->kind == CELL_INTEGER)
    return sqlite3_bind_int64(insert, place, bound->number);
  return sqlite3_bind_text(insert, place, bound->text, -1, SQLITE_STATIC); // NULL where absent
}

// Parameters count from 1. `id` 0: whichever comes next.
static tune_status bind_all(const tune_database *database, const stored *kept, int64_t id) {
  sqlite3_stmt *insert = database->insert_trial;
  int code = SQLITE_OK;
  for (int i = 0; i < COLUMN_COUNT && code == SQLITE_OK; ++i)
    code = bind_cell(insert, i + 1, &kept->row.cells[i]);
  if (code == SQLITE_OK)
    code = sqlite3_bind_blob64(insert, FIGURES + 1, kept->row.figures, kept->row.figures_size,
                               SQLITE_STATIC);
  if (code == SQLITE_OK)
    code = sqlite3_bind_double(insert, SECONDS + 1, kept->seconds);
  if (code == SQLITE_OK)
    code = sqlite3_bind_text(insert, DIGEST + 1, kept->digest.text, -1, SQLITE_STATIC);
  if (code == SQLITE_OK && id)
    code = sqlite3_bind_int64(insert, WIDTH + 1, id);
  return code == SQLITE_OK ? TUNE_OK : tune_database_failure(database);
}

static tune_status run_insert(tune_database *database, const stored *kept, int64_t id,
                              const tune_record *record, bool *out_new) {
  TUNE_RETURN_IF_ERROR(bind_all(database, kept, id));
  int code = sqlite3_step(database->insert_trial);
  if (code == SQLITE_DONE) {
    *out_new = sqlite3_changes(database->connection) > 0;
    return TUNE_OK;
  }
  if (code == SQLITE_CONSTRAINT_NOTNULL)
    return missing_reference(database, record);
  return tune_database_failure(database);
}

// Both rows come in, or none: conditions that nothing refers to may be pruned by others.
static tune_status insert_both(tune_database *database, const stored *kept, int64_t id,
                               const tune_record *record, bool *out_new) {
  const char *conditions = kept->row.cells[CONDITIONS].text;
  bool is_alone = conditions && sqlite3_get_autocommit(database->connection);
  if (is_alone)
    TUNE_RETURN_IF_ERROR(tune_database_begin(database));
  tune_status status = conditions ? tune_database_put_conditions(database, conditions) : TUNE_OK;
  if (tune_status_is_ok(status))
    status = run_insert(database, kept, id, record, out_new);
  sqlite3_reset(database->insert_trial);
  return is_alone ? tune_database_end(database, status) : status;
}

tune_status tune_database_insert_record_at(tune_database *database, const tune_record *record,
                                           int64_t id, bool *out_new) {
  if (!database->insert_trial)
    TUNE_RETURN_IF_ERROR(tune_database_prepare(
        database,
        "INSERT INTO trials(kind, task, fingerprint, schedule, config, verdict, error, artifact,"
        "    created_ms, conditions, figures, seconds, digest, id)"
        "  VALUES(?1, (SELECT id FROM tasks WHERE key = ?2),"
        "    (SELECT id FROM fingerprints WHERE digest = ?3), ?4, ?5, ?6, ?7, ?8, ?9,"
        "    (SELECT id FROM conditions WHERE description = ?10), ?11, ?12, ?13, ?14)"
        "  ON CONFLICT(digest) DO NOTHING",
        &database->insert_trial));
  stored kept;
  TUNE_RETURN_IF_ERROR(stored_init(&kept, record));
  tune_status status = insert_both(database, &kept, id, record, out_new);
  sqlite3_clear_bindings(database->insert_trial);
  stored_deinit(&kept);
  return status;
}

tune_status tune_database_insert_record(tune_database *database, const tune_record *record,
                                        bool *out_new) {
  return tune_database_insert_record_at(database, record, 0, out_new);
}

//===- To a record ------------------------------------------------------------===//

static tune_status not_as_written(void) {
  return tune_status_make(TUNE_DATA_LOSS, "its members are not what was written");
}

static tune_status read_text(sqlite3_stmt *statement, int column, const char **out_text) {
  *out_text = (const char *)sqlite3_column_text(statement, column);
  if (!*out_text)
    return tune_status_out_of_memory("reading a record");
  bool is_whole = strlen(*out_text) == (size_t)sqlite3_column_bytes(statement, column);
  return is_whole && tune_utf8_is_valid(*out_text) ? TUNE_OK : not_as_written();
}

static tune_status read_cell(sqlite3_stmt *statement, int column, cell *out_cell) {
  int type = sqlite3_column_type(statement, column);
  *out_cell = (cell){.kind = columns[column].kind};
  if (type == SQLITE_NULL)
    out_cell->kind = CELL_ABSENT;
  else if (type != (out_cell->kind == CELL_INTEGER ? SQLITE_INTEGER : SQLITE_TEXT))
    return not_as_written();
  else if (type == SQLITE_INTEGER)
    out_cell->number = sqlite3_column_int64(statement, column);
  else
    return read_text(statement, column, &out_cell->text);
  return TUNE_OK;
}

// Reads the row, and whether it is what was written: nothing else tells that a bit of a time has
// changed.
static tune_status read_cells(sqlite3_stmt *statement, row *out_row) {
  for (int i = 0; i < COLUMN_COUNT; ++i)
    TUNE_RETURN_IF_ERROR(read_cell(statement, i, &out_row->cells[i]));
  out_row->figures = sqlite3_column_blob(statement, FIGURES);
  out_row->figures_size = (size_t)sqlite3_column_bytes(statement, FIGURES);
  if (!out_row->figures)
    return not_as_written();
  tune_digest digest;
  TUNE_RETURN_IF_ERROR(digest_of(out_row, &digest));
  const char *kept = (const char *)sqlite3_column_text(statement, DIGEST);
  return kept && strcmp(digest.text, kept) == 0 ? TUNE_OK : not_as_written();
}

// Puts the member of a column back into the record's JSON.
static tune_status put_member(tune_database *database, const row *from, size_t column,
                              json_t *object) {
  const cell *read = &from->cells[column];
  json_t *member = NULL;
  if (read->kind == CELL_ABSENT)
    return TUNE_OK;
  if (column == CONDITIONS)
    TUNE_RETURN_IF_ERROR(tune_database_read_conditions(database, read->text, &member));
  else if (read->kind == CELL_OBJECT)
    TUNE_RETURN_IF_ERROR(tune_json_load_kept(read->text, "a config", &member));
  else
    member = read->kind == CELL_INTEGER ? json_integer(read->number) : json_string(read->text);
  return json_object_set_new(object, columns[column].name, member) == 0
             ? TUNE_OK
             : tune_status_out_of_memory("reading a record");
}

static tune_status put_together(tune_database *database, const row *from, json_t *object,
                                tune_record *out_record) {
  for (size_t i = 0; i < COLUMN_COUNT; ++i)
    TUNE_RETURN_IF_ERROR(put_member(database, from, i, object));
  return tune_record_from_json(object, out_record);
}

static tune_status read_row(tune_database *database, sqlite3_stmt *statement,
                            tune_record *out_record) {
  row from;
  json_t *object;
  TUNE_RETURN_IF_ERROR(read_cells(statement, &from));
  TUNE_RETURN_IF_ERROR(tune_cbor_read(from.figures, from.figures_size, &object));
  tune_status status = put_together(database, &from, object, out_record);
  json_decref(object);
  TUNE_RETURN_IF_ERROR(status);
  // What the indices go by follows from the rest.
  bool is_fast = tune_record_seconds(out_record) == sqlite3_column_double(statement, SECONDS);
  return is_fast ? TUNE_OK : not_as_written();
}

tune_status tune_database_read_row(tune_database *database, sqlite3_stmt *statement,
                                   tune_record *out_record) {
  tune_record_init(out_record);
  tune_status status = read_row(database, statement, out_record);
  if (tune_status_is_ok(status))
    return TUNE_OK;
  tune_record_deinit(out_record);
  return tune_status_recode(status, TUNE_DATA_LOSS);
}

tune_status tune_database_read_record(tune_database *database, sqlite3_stmt *statement,
                                      tune_record *out_record) {
  tune_status status = tune_database_read_row(database, statement, out_record);
  return tune_database_damaged(database, "a record", status);
}
