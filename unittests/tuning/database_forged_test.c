//===- database_forged_test.c - A schema that somebody wrote who knows how we do -----------===//
//
// Digests tell damage, and not forgery: what a forged schema asks for, SQLite is not to do.
//
//===--------------------------------------------------------------------------===//

#include "unittests/tuning/database_fixture.h"

#include "support/digest.h"

// What `change` leaves of the schema, with the digest that belongs to it: by who knows how we write
// it.
static void forge_schema(const fixture *f, const char *change) {
  sqlite3 *connection = NULL;
  sqlite3_stmt *statement = NULL;
  assert_int_equal(sqlite3_open(f->path, &connection), SQLITE_OK);
  assert_int_equal(sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL), SQLITE_OK);
  char *error = NULL;
  if (sqlite3_exec(connection, change, NULL, NULL, &error) != SQLITE_OK)
    fail_msg("%s: %s", change, error);
  const char *schema =
      "SELECT group_concat(name || ' ' || sql, char(10)) FROM (SELECT name, sql FROM sqlite_schema"
      "  WHERE sql IS NOT NULL AND name <> 'mine' AND tbl_name <> 't' ORDER BY name)";
  assert_int_equal(sqlite3_prepare_v2(connection, schema, -1, &statement, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  const char *text = (const char *)sqlite3_column_text(statement, 0);
  // As database_damage.c writes a text: its type and its length come first, as little-endian
  // numbers.
  uint64_t head[] = {SQLITE_TEXT, strlen(text)};
  tune_digest_stream *stream;
  assert_ok(tune_digest_stream_create(&stream));
  tune_digest_stream_add_bytes(stream, head, sizeof head);
  tune_digest_stream_add_bytes(stream, text, strlen(text));
  tune_digest digest = tune_digest_stream_get(stream);
  tune_digest_stream_destroy(stream);
  sqlite3_finalize(statement);
  char update[128];
  snprintf(update, sizeof update, "UPDATE layout SET digest = '%s'", digest.text);
  assert_int_equal(sqlite3_exec(connection, update, NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(connection);
}

// Opens what a stranger has made, reads all of it and adds to it; what is the first to fail.
static tune_status use_all(const fixture *f) {
  tune_database *database;
  TUNE_RETURN_IF_ERROR(tune_database_open(f->path, &database));
  size_t count = 0;
  tune_kept_task task;
  tune_status status = tune_database_get_task(database, "aaaa", &task);
  if (tune_status_is_ok(status)) {
    tune_kept_task_deinit(&task);
    status = tune_database_load(database, NULL, NULL, count_record, &count);
  }
  tune_record record = make_record(1e-3, "{\"n\":1}");
  if (tune_status_is_ok(status))
    status = tune_database_append(database, &record);
  tune_database_destroy(database);
  return status;
}

// However a schema asks for a library, SQLite does not run that function for it; in a CHECK it
// does, where loading is off.
static void a_schema_loads_no_library(void **state) {
  fixture *f = *state;
#define LOADS "load_extension(char(120))" // 'x', in a text, too
#define COLUMN(column)                                                                             \
  "PRAGMA writable_schema = ON;"                                                                   \
  "UPDATE sqlite_schema SET sql = rtrim(sql, ')') || ', mine " column ")' WHERE name = 'trials'"
  static const struct {
    const char *change;
    tune_status_code code;
    const char *text;
  } changes[] = {
      {COLUMN("DEFAULT (" LOADS ")"), TUNE_DATA_LOSS, "unsafe use of load_extension()"},
      {COLUMN("GENERATED ALWAYS AS (" LOADS ")"), TUNE_DATA_LOSS,
       "prohibited in generated columns"},
      {COLUMN("CHECK (" LOADS " IS NULL)"), TUNE_DATA_LOSS, "not authorized"},
      {"ALTER TABLE tasks RENAME TO t; CREATE VIEW tasks AS SELECT id, key, kind, " LOADS
       " AS name,"
       "  type, payload, flops, bytes, rank, extents, seen_ms, content FROM t",
       TUNE_DATA_LOSS, "unsafe use of load_extension()"},
      {"CREATE TRIGGER mine AFTER INSERT ON trials BEGIN SELECT " LOADS "; END",
       TUNE_FAILED_PRECONDITION, "has a trigger that is not mlir-tune's"},
  };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
    tune_database_destroy(open_with_task(f));
    assert_ok(use_all(f));
    forge_schema(f, changes[i].change);
    assert_fails(use_all(f), changes[i].code, changes[i].text);
    assert_int_equal(unlink(f->path), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_schema_loads_no_library, fixture_setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
