//===- database_schema.c - What versions of the file there are -----------------===//

#include "tuning/database/database_internal.h"

#include <stdio.h>

// The time that schema 8 went by.
#define SECONDS_8 "median / CASE WHEN drift > 0 THEN drift ELSE 1 END"

// steps[i] brings schema i to schema i + 1; 0 is an empty file.
static const char *const steps[] = {
    "CREATE TABLE tasks("
    "  id INTEGER PRIMARY KEY,"
    "  key TEXT NOT NULL UNIQUE,"
    "  kind TEXT NOT NULL,"
    "  name TEXT NOT NULL,"
    "  type TEXT NOT NULL,"
    "  payload TEXT NOT NULL,"
    "  flops REAL NOT NULL,"
    "  bytes REAL NOT NULL,"
    "  rank INTEGER NOT NULL,"
    "  extents TEXT NOT NULL," // "512,1024,-1"
    "  seen_ms INTEGER NOT NULL);"
    "CREATE INDEX tasks_alike ON tasks(kind, type, rank);"
    "CREATE TABLE fingerprints("
    "  id INTEGER PRIMARY KEY,"
    "  digest TEXT NOT NULL UNIQUE,"
    "  target TEXT NOT NULL,"
    "  description TEXT NOT NULL,"
    "  seen_ms INTEGER NOT NULL);"
    "CREATE TABLE trials("
    "  id INTEGER PRIMARY KEY,"
    "  digest TEXT NOT NULL UNIQUE,"
    "  task INTEGER NOT NULL REFERENCES tasks(id),"
    "  fingerprint INTEGER NOT NULL REFERENCES fingerprints(id),"
    "  kind TEXT NOT NULL,"
    "  schedule TEXT NOT NULL,"
    "  config TEXT NOT NULL,"
    "  script TEXT,"
    "  verdict TEXT NOT NULL,"
    "  error TEXT,"
    "  artifact TEXT,"
    "  median REAL NOT NULL,"
    "  low REAL NOT NULL,"
    "  high REAL NOT NULL,"
    "  repeats INTEGER NOT NULL,"
    "  samples BLOB NOT NULL,"
    "  check_error REAL,"
    "  check_tolerance REAL,"
    "  transform_s REAL NOT NULL,"
    "  lower_s REAL NOT NULL,"
    "  optimize_s REAL NOT NULL,"
    "  codegen_s REAL NOT NULL,"
    "  link_s REAL NOT NULL,"
    "  measure_s REAL NOT NULL,"
    "  strategy TEXT NOT NULL,"
    "  seed INTEGER NOT NULL,"
    "  created_ms INTEGER NOT NULL);"
    "CREATE INDEX trials_in_order ON trials(task, fingerprint, created_ms);"
    "CREATE INDEX trials_by_time ON trials(task, fingerprint, median)"
    "  WHERE verdict = 'ok' AND kind = 'trial';"
    "CREATE INDEX winners ON trials(task, fingerprint, schedule, created_ms)"
    "  WHERE verdict = 'ok' AND kind = 'winner';",
    // What the code takes of a device; 0 registers: not known.
    "ALTER TABLE trials ADD COLUMN registers INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE trials ADD COLUMN spilled_bytes INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE trials ADD COLUMN shared_bytes INTEGER NOT NULL DEFAULT 0;",
    // What the machine's speed had changed by; 0: nothing known.
    "ALTER TABLE trials ADD COLUMN drift REAL NOT NULL DEFAULT 0;",
    // So that a million records make neither the best of one schedule nor the list slow.
    "CREATE INDEX trials_by_schedule ON trials(task, fingerprint, schedule, median)"
    "  WHERE verdict = 'ok' AND kind = 'trial';"
    "DROP INDEX trials_in_order;"
    "CREATE INDEX trials_in_order ON trials(task, fingerprint, created_ms, kind, verdict);",
    // Where the check's limit comes from, and what was counted; NULL: not known.
    "ALTER TABLE trials ADD COLUMN check_type TEXT;"
    "ALTER TABLE trials ADD COLUMN check_accumulator TEXT;"
    "ALTER TABLE trials ADD COLUMN check_operands TEXT;"
    "ALTER TABLE trials ADD COLUMN check_inputs TEXT;"
    "ALTER TABLE trials ADD COLUMN check_reduction INTEGER;"
    "ALTER TABLE trials ADD COLUMN check_magnitude REAL;"
    "ALTER TABLE trials ADD COLUMN check_leeway REAL;"
    "ALTER TABLE trials ADD COLUMN cycles REAL;"
    "ALTER TABLE trials ADD COLUMN instructions REAL;"
    "ALTER TABLE trials ADD COLUMN flops REAL;"
    "ALTER TABLE trials ADD COLUMN cache_misses REAL;"
    "ALTER TABLE trials ADD COLUMN branch_misses REAL;"
    "ALTER TABLE trials ADD COLUMN page_faults REAL;"
    "ALTER TABLE trials ADD COLUMN context_switches REAL;",
    // What the machine was like, a row for many trials; NULL: not known. (No foreign key: each row
    // dropped would have all trials looked through. A record's digest tells where one is missing.)
    "CREATE TABLE conditions("
    "  id INTEGER PRIMARY KEY,"
    "  description TEXT NOT NULL UNIQUE);"
    "ALTER TABLE trials ADD COLUMN conditions INTEGER;",
    // So that damage is found in tasks and fingerprints, as it is in trials.
    "ALTER TABLE tasks ADD COLUMN content TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE fingerprints ADD COLUMN content TEXT NOT NULL DEFAULT '';"
    "UPDATE tasks AS t SET content ="
    "  digest_of(" TUNE_DATABASE_TASK_MEMBERS ");"
    "UPDATE fingerprints AS f SET content ="
    "  digest_of(" TUNE_DATABASE_FINGERPRINT_MEMBERS ");"
    "CREATE TABLE layout(digest TEXT NOT NULL);",
    // The best by times that are put right, and what takes records back that went well.
    "DROP INDEX trials_by_time;"
    "CREATE INDEX trials_by_time ON trials(task, fingerprint, " SECONDS_8 ")"
    "  WHERE verdict = 'ok' AND kind = 'trial';"
    "DROP INDEX trials_by_schedule;"
    "CREATE INDEX trials_by_schedule ON trials(task, fingerprint, schedule, " SECONDS_8 ")"
    "  WHERE verdict = 'ok' AND kind = 'trial';"
    "CREATE INDEX trials_failures ON trials(task, fingerprint, schedule, config, created_ms)"
    "  WHERE verdict NOT IN ('ok', 'cut', 'duplicate');"
    "CREATE INDEX trials_doubts"
    "  ON trials(task, fingerprint, schedule, config, artifact, created_ms)"
    "  WHERE verdict = 'ok' AND kind = 'trial' AND error IS NOT NULL;",
    // Records without a column for each figure. An index of somebody's own on the table is gone: it
    // named what is not there any more.
    "CREATE TEMP TABLE trials_8 AS SELECT * FROM trials;"
    "DROP TABLE trials;"
    "CREATE TABLE trials("
    "  id INTEGER PRIMARY KEY,"
    "  digest TEXT NOT NULL UNIQUE,"
    "  task INTEGER NOT NULL REFERENCES tasks(id),"
    "  fingerprint INTEGER NOT NULL REFERENCES fingerprints(id),"
    "  kind TEXT NOT NULL,"
    "  schedule TEXT NOT NULL,"
    "  config TEXT NOT NULL,"
    "  verdict TEXT NOT NULL,"
    "  error TEXT,"
    "  artifact TEXT,"
    "  seconds REAL NOT NULL,"
    "  created_ms INTEGER NOT NULL,"
    "  conditions INTEGER,"
    "  figures BLOB NOT NULL);",
    // Demotions, a kind of records that versions before do not know.
    "",
    // Groupings, another one.
    "",
};

// After the step to schema 9, when its records are in.
static const char after_the_move[] =
    "DROP TABLE trials_8;"
    "CREATE INDEX trials_in_order ON trials(task, fingerprint, created_ms, kind, verdict);"
    "CREATE INDEX trials_by_time ON trials(task, fingerprint, seconds)"
    "  WHERE verdict = 'ok' AND kind = 'trial';"
    "CREATE INDEX trials_by_schedule ON trials(task, fingerprint, schedule, seconds)"
    "  WHERE verdict = 'ok' AND kind = 'trial';"
    "CREATE INDEX winners ON trials(task, fingerprint, schedule, created_ms)"
    "  WHERE verdict = 'ok' AND kind = 'winner';"
    "CREATE INDEX trials_failures ON trials(task, fingerprint, schedule, config, created_ms)"
    "  WHERE verdict NOT IN ('ok', 'cut', 'duplicate');"
    "CREATE INDEX trials_doubts"
    "  ON trials(task, fingerprint, schedule, config, artifact, created_ms)"
    "  WHERE verdict = 'ok' AND kind = 'trial' AND error IS NOT NULL;";

_Static_assert(sizeof steps / sizeof *steps == TUNE_DATABASE_SCHEMA, "a step to each schema");

tune_status tune_database_read_version(const tune_database *database, int *out_version) {
  sqlite3_stmt *statement;
  TUNE_RETURN_IF_ERROR(
      tune_database_prepare(database,
                            "SELECT count(*), (SELECT application_id FROM pragma_application_id),"
                            "  (SELECT user_version FROM pragma_user_version)"
                            "  FROM sqlite_schema",
                            &statement));
  bool row;
  tune_status status = tune_database_step(database, statement, &row);
  int64_t objects = sqlite3_column_int64(statement, 0);
  int64_t application = sqlite3_column_int64(statement, 1);
  int64_t version = sqlite3_column_int64(statement, 2);
  sqlite3_finalize(statement);
  TUNE_RETURN_IF_ERROR(status);
  *out_version = (int)version;
  if (application == 0 && version == 0 && objects == 0)
    return TUNE_OK;
  if (application != TUNE_DATABASE_APPLICATION)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "%s: is a database of another program; give another path",
                            database->path);
  if (version > TUNE_DATABASE_SCHEMA)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "%s: was written by a newer mlir-tune (schema %d, this one knows up to "
                            "%d); use that, or give another path",
                            database->path, (int)version, TUNE_DATABASE_SCHEMA);
  if (version < 1 || objects == 0)
    return tune_status_make(TUNE_DATA_LOSS, "%s: the database has no valid schema version",
                            database->path);
  return TUNE_OK;
}

static tune_status take_step(tune_database *database, int from) {
  TUNE_RETURN_IF_ERROR(tune_database_execute(database, steps[from]));
  if (from == 8) {
    TUNE_RETURN_IF_ERROR(tune_database_move_schema_8(database));
    TUNE_RETURN_IF_ERROR(tune_database_execute(database, after_the_move));
  }
  char stamp[128];
  snprintf(stamp, sizeof stamp, "PRAGMA application_id = %d; PRAGMA user_version = %d",
           TUNE_DATABASE_APPLICATION, from + 1);
  return tune_database_execute(database, stamp);
}

static tune_status take_steps(tune_database *database) {
  // Again, now that nobody else can be doing the same.
  int version;
  TUNE_RETURN_IF_ERROR(tune_database_read_version(database, &version));
  for (; version < TUNE_DATABASE_SCHEMA; ++version)
    TUNE_RETURN_IF_ERROR(take_step(database, version));
  return tune_database_put_layout(database);
}

tune_status tune_database_migrate(tune_database *database) {
  // A record that refers to nothing stays, for `tune-db check` to find. (This cannot be switched
  // within a transaction.)
  TUNE_RETURN_IF_ERROR(tune_database_execute(database, "PRAGMA foreign_keys = OFF"));
  tune_status status = tune_database_begin(database);
  if (tune_status_is_ok(status))
    status = tune_database_end(database, take_steps(database));
  TUNE_RETURN_IF_ERROR(status);
  return tune_database_execute(database, "PRAGMA foreign_keys = ON");
}
