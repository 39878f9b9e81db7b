//===- database_internal.h - State that the files of the database share ------===//
//
// The connection, and SQLite's results as statuses. Only tuning/database/database*.c include this.
// From the bottom up: database_failure.c, database_statement.c and database_text.c need only the
// open connection; database_damage.c; database_conditions.c, database_record.c and database.c
// (rows); database_schema_8.c and database_schema.c, which move rows; database_connection.c, which
// opens.
//
// The tables (schema 9; `.schema` in the sqlite3 shell shows them):
//   tasks         one row for each key; seen_ms is when it was last put
//   fingerprints  one row for each digest; likewise
//   trials        one row for each record: what queries ask for is in columns (tasks and
//                 fingerprints, by row id; `artifact` is its digest), all else in `figures`, the
//                 rest of the record's JSON as CBOR (support/cbor.h). `seconds` follows from these:
//                 the time that the indices go by, 0 where there is none
//   conditions    one row for each that records have, as JSON; trials refer to it by row id, or to
//                 none. A row without trials is dropped by the next prune
//   layout        one row, the digest of the texts of this schema
// and the indices trials_in_order (load), trials_by_time and trials_by_schedule (best of the
// trials, `verdict = 'ok'` only), winners (the few rows with kind 'winner'), trials_failures and
// trials_doubts (what takes good records back), tasks_alike (nearest). A record's `digest` is that
// of all its members, so that a record comes in once however often it is imported. `content` of
// tasks and fingerprints is digest_of() all columns of the row but id and seen_ms. What is read is
// verified by these digests, and that it is what was asked for: an index may be damaged, too.
// Tables, views and indices of other names are somebody's own, and left alone (but for indices on
// trials, which go where a new schema makes that table anew).
//
// application_id is TUNE_DATABASE_APPLICATION, user_version the schema's number; the steps from
// each number to the next are in database_schema.c.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_DATABASE_DATABASE_INTERNAL_H
#define TUNE_TUNING_DATABASE_DATABASE_INTERNAL_H

#include "support/digest.h"
#include "tuning/database/database.h"

#include <sqlite3.h>

#define TUNE_DATABASE_APPLICATION 0x4d54756e // "MTun"
#define TUNE_DATABASE_SCHEMA 11

struct tune_database {
  sqlite3 *connection;
  char *path;
  bool read_only;
  double wait_seconds;
  bool leaves_out_damage;
  tune_database_damage_visitor tell_damage; // of the next damage; NULL: of none
  void *damage_user;
  // Prepared once, since an import runs the first for each line, and a list the others for each
  // task.
  sqlite3_stmt *insert_trial, *insert_conditions, *best_schedules, *best_winner, *best_trial,
      *best_trial_of_schedule, *taken_back;
  // The last conditions that were read, as they are kept (NULL: none), and what that says: many
  // records in a row have the same.
  char *read_text;
  json_t *read_conditions;
};

// A status for what the connection last failed with, as said at the top of database.h.
tune_status tune_database_failure(const tune_database *database);
// FAILED_PRECONDITION: no permission to write.
tune_status tune_database_not_writable(const tune_database *database);

// Prepares `sql`, a single statement. The caller finalizes it.
tune_status tune_database_prepare(const tune_database *database, const char *sql,
                                  sqlite3_stmt **out_statement);

// Binds parameters 1, 2, ... by `types`: 't' const char * (NULL is SQL's NULL), 'd' double,
// 'i' int64_t, 'b' const void * and size_t. Texts and bytes are borrowed until the statement is
// reset or bound again.
tune_status tune_database_bind(const tune_database *database, sqlite3_stmt *statement,
                               const char *types, ...);

// Runs to the next row. `*out_row` is false at the end.
tune_status tune_database_step(const tune_database *database, sqlite3_stmt *statement,
                               bool *out_row);

// Runs statements without parameters; rows are passed over.
tune_status tune_database_execute(const tune_database *database, const char *sql);

// A transaction for writing, or for reading one state of the database by several queries. `end`
// commits where `status` is OK and rolls back otherwise; it takes
// `status` and returns it or what failed after.
tune_status tune_database_begin(const tune_database *database);
tune_status tune_database_begin_reading(const tune_database *database);
tune_status tune_database_end(const tune_database *database, tune_status status);

// Whose file this is and how old: the number of its schema, 0 for an empty one. FAILED_PRECONDITION
// for what is not ours. One statement asks for all, so that no other process can make the schema
// between two answers.
tune_status tune_database_read_version(const tune_database *database, int *out_version);
// Brings the schema up to date.
tune_status tune_database_migrate(tune_database *database);
// Moves all rows of trials_8, which is as schema 8 had it, to trials. What is damaged stays that.
tune_status tune_database_move_schema_8(tune_database *database);

// Adds digest_of(...) to what SQL knows: a digest of its arguments, with their types.
tune_status tune_database_add_functions(const tune_database *database);
// What schema the file has is kept in it after each migration, and verified when it is opened:
// DATA_LOSS.
tune_status tune_database_put_layout(const tune_database *database);
tune_status tune_database_require_layout(const tune_database *database);
// FAILED_PRECONDITION for what somebody put beside the schema that could change or refuse what is
// kept: a trigger, or a unique index.
tune_status tune_database_refuse_strangers(const tune_database *database);
// Takes `why` something that was read ("a task") is not as it was written, and returns it as
// DATA_LOSS, for people: which database, and what to do. Memory that ran out stays that.
tune_status tune_database_damaged(const tune_database *database, const char *what, tune_status why);
// Takes what reading a row came to. Where damage is to be left out, it is told of, and OK.
tune_status tune_database_pass_over(tune_database *database, tune_status status,
                                    bool *out_left_out);
// DATA_LOSS where a page or an index is damaged: then rows may be missing. Takes as long as reading
// the whole file.
tune_status tune_database_require_sound(const tune_database *database);

// The text of a column, copied; "" for NULL.
tune_status tune_database_column_copy(sqlite3_stmt *statement, int column, char **out_text);

bool tune_database_is_key(const char *text); // 1 to 128 characters of [A-Za-z0-9_.:-]
// UTF-8 without control characters, 1 to `limit` bytes.
bool tune_database_is_line(const char *text, size_t limit);

// put_task and put_fingerprint, without replacing what is there unless `replace`; `*out_new` says
// whether a row was added.
tune_status tune_database_insert_task(tune_database *database, const tune_kept_task *task,
                                      bool replace, bool *out_new);
tune_status tune_database_insert_fingerprint(tune_database *database, const char *digest,
                                             const char *target, const char *description,
                                             bool replace, bool *out_new);
// append, in the caller's transaction if there is one.
tune_status tune_database_insert_record(tune_database *database, const tune_record *record,
                                        bool *out_new);
// The same in the row `id`; 0: the next one.
tune_status tune_database_insert_record_at(tune_database *database, const tune_record *record,
                                           int64_t id, bool *out_new);

// Has conditions, a text, there for records to refer to.
tune_status tune_database_put_conditions(tune_database *database, const char *text);
// What such a text says: a new reference.
tune_status tune_database_read_conditions(tune_database *database, const char *text,
                                          json_t **out_object);

typedef tune_status (*tune_kept_task_visitor)(void *user, const tune_kept_task *task);
// All tasks, in the order in which they came in.
tune_status tune_database_visit_tasks(tune_database *database, tune_kept_task_visitor visit,
                                      void *user);

typedef tune_status (*tune_database_fingerprint_visitor)(void *user, const char *digest,
                                                         const char *target,
                                                         const char *description);
// All fingerprints, or that of one digest; with `task`, only those on which it was tried.
tune_status tune_database_visit_fingerprints(tune_database *database, const char *digest,
                                             const char *task,
                                             tune_database_fingerprint_visitor visit, void *user);

// Whether a row is as it was written, of tasks AS t and fingerprints AS f.
#define TUNE_DATABASE_TASK_MEMBERS                                                                 \
  "t.key, t.kind, t.name, t.type, t.payload, t.flops, t.bytes, t.rank, t.extents"
#define TUNE_DATABASE_TASK_IS_WHOLE "t.content IS digest_of(" TUNE_DATABASE_TASK_MEMBERS ")"
#define TUNE_DATABASE_FINGERPRINT_MEMBERS "f.digest, f.target, f.description"
#define TUNE_DATABASE_FINGERPRINT_IS_WHOLE                                                         \
  "f.content IS digest_of(" TUNE_DATABASE_FINGERPRINT_MEMBERS ")"

// Reads the task of a row whose columns are TUNE_DATABASE_TASK_COLUMNS, of the table tasks AS t.
// DATA_LOSS where it is not valid, or not what was written.
#define TUNE_DATABASE_TASK_COLUMNS TUNE_DATABASE_TASK_MEMBERS ", " TUNE_DATABASE_TASK_IS_WHOLE
#define TUNE_DATABASE_TASK_WIDTH 10 // columns
tune_status tune_database_read_task(const tune_database *database, sqlite3_stmt *statement,
                                    tune_kept_task *out_task);

// The same of fingerprints AS f. The texts are the caller's.
typedef struct tune_database_fingerprint {
  char *digest, *target, *description;
} tune_database_fingerprint;
#define TUNE_DATABASE_FINGERPRINT_COLUMNS                                                          \
  TUNE_DATABASE_FINGERPRINT_MEMBERS ", " TUNE_DATABASE_FINGERPRINT_IS_WHOLE
#define TUNE_DATABASE_FINGERPRINT_WIDTH 4 // columns
tune_status tune_database_read_fingerprint(const tune_database *database, sqlite3_stmt *statement,
                                           tune_database_fingerprint *out_fingerprint);
void tune_database_fingerprint_deinit(tune_database_fingerprint *fingerprint);

// Reads the record of a row whose columns are TUNE_DATABASE_RECORD_COLUMNS, of the tables trials AS
// r, tasks AS t, fingerprints AS f. DATA_LOSS where it is not valid, or not what was written, as
// its digest tells.
#define TUNE_DATABASE_RECORD_COLUMNS                                                               \
  "r.kind, t.key, f.digest, r.schedule, r.config, r.verdict, r.error, r.artifact, "                \
  "r.created_ms, (SELECT c.description FROM conditions AS c WHERE c.id = r.conditions), "          \
  "r.figures, r.seconds, r.digest"
#define TUNE_DATABASE_RECORD_WIDTH 13 // columns
tune_status tune_database_read_row(tune_database *database, sqlite3_stmt *statement,
                                   tune_record *out_record);
// The same, with a message for people: which database, and what to do.
tune_status tune_database_read_record(tune_database *database, sqlite3_stmt *statement,
                                      tune_record *out_record);
// The same of one that an index says is of `task`, `fingerprint` and `schedule` (NULL: any).
tune_status tune_database_read_record_of(tune_database *database, sqlite3_stmt *statement,
                                         const char *task, const char *fingerprint,
                                         const char *schedule, tune_record *out_record);

// Which records x take back the good record r of the same task, fingerprint and schedule, as in
// session_records.c: failures of its config, whenever they came; and doubts, which are trials that
// say that an earlier time of their config, or of others with its code, does not hold. Of a config
// that has doubts the last of them counts, not what was measured after it without knowing of them.
#define TUNE_DATABASE_FAILURES "trials AS x INDEXED BY trials_failures"
#define TUNE_DATABASE_IS_FAILURE_OF_IT                                                             \
  "x.task = r.task AND x.fingerprint = r.fingerprint AND x.schedule = r.schedule"                  \
  "  AND x.config = r.config AND x.verdict NOT IN ('ok', 'cut', 'duplicate')"
#define TUNE_DATABASE_DOUBTS "trials AS x INDEXED BY trials_doubts"
#define TUNE_DATABASE_IS_DOUBT_OF_IT                                                               \
  "x.task = r.task AND x.fingerprint = r.fingerprint AND x.schedule = r.schedule"                  \
  "  AND x.verdict = 'ok' AND x.kind = 'trial' AND x.error IS NOT NULL"                            \
  "  AND (((x.created_ms, x.id) > (r.created_ms, r.id)"                                            \
  "      AND (x.config = r.config OR x.artifact = r.artifact))"                                    \
  "    OR (x.config = r.config AND r.kind = 'trial' AND r.error IS NULL))"
#define TUNE_DATABASE_IS_TAKEN_BACK                                                                \
  "(EXISTS(SELECT 1 FROM " TUNE_DATABASE_FAILURES " WHERE " TUNE_DATABASE_IS_FAILURE_OF_IT ")"     \
  " OR EXISTS(SELECT 1 FROM " TUNE_DATABASE_DOUBTS " WHERE " TUNE_DATABASE_IS_DOUBT_OF_IT "))"

// Of a winner r: its config had failed before.
#define TUNE_DATABASE_NEVER_WON                                                                    \
  "EXISTS(SELECT 1 FROM " TUNE_DATABASE_FAILURES " WHERE " TUNE_DATABASE_IS_FAILURE_OF_IT          \
  " AND (x.created_ms, x.id) < (r.created_ms, r.id))"

#endif // TUNE_TUNING_DATABASE_DATABASE_INTERNAL_H
