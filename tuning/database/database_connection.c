//===- database_connection.c - Opening the file -------------------------------===//

#include "tuning/database/database_internal.h"

#include "support/file.h"
#include "support/string_builder.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

//===- The schema -------------------------------------------------------------===//

// SQLite does not wait when two processes switch a new file to WAL at once; one of them fails.
static tune_status switch_to_wal(const tune_database *database) {
  for (double waited = 0;; waited += 0.01) {
    tune_status status = tune_database_execute(database, "PRAGMA journal_mode = WAL");
    if (tune_status_get_code(status) != TUNE_DEADLINE_EXCEEDED || waited >= database->wait_seconds)
      return status;
    tune_status_free(status);
    usleep(10000);
  }
}

static tune_status prepare_for_writing(tune_database *database) {
  if (sqlite3_db_readonly(database->connection, "main") == 1)
    return tune_database_not_writable(database);
  int version;
  // First, so that a file that is not ours is left as it is.
  TUNE_RETURN_IF_ERROR(tune_database_read_version(database, &version));
  TUNE_RETURN_IF_ERROR(tune_database_refuse_strangers(database));
  TUNE_RETURN_IF_ERROR(switch_to_wal(database));
  return version == TUNE_DATABASE_SCHEMA ? tune_database_require_layout(database)
                                         : tune_database_migrate(database);
}

static tune_status prepare_for_reading(const tune_database *database) {
  int version;
  TUNE_RETURN_IF_ERROR(tune_database_read_version(database, &version));
  TUNE_RETURN_IF_ERROR(tune_database_refuse_strangers(database));
  if (version == TUNE_DATABASE_SCHEMA)
    return tune_database_require_layout(database);
  if (version == 0)
    return tune_status_make(TUNE_NOT_FOUND, "%s: the file is empty; nothing was tuned into it yet",
                            database->path);
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "%s: is of an older version (schema %d); open it once for writing, as "
                          "`tune-db prune` does, to bring it up to schema %d",
                          database->path, version, TUNE_DATABASE_SCHEMA);
}

//===- Opening ----------------------------------------------------------------===//

void tune_database_destroy(tune_database *database) {
  if (!database)
    return;
  sqlite3_finalize(database->insert_trial);
  sqlite3_finalize(database->insert_conditions);
  sqlite3_finalize(database->best_schedules);
  sqlite3_finalize(database->best_winner);
  sqlite3_finalize(database->best_trial);
  sqlite3_finalize(database->best_trial_of_schedule);
  sqlite3_finalize(database->taken_back);
  sqlite3_close(database->connection);
  free(database->read_text);
  json_decref(database->read_conditions);
  free(database->path);
  free(database);
}

void tune_database_set_wait(tune_database *database, double seconds) {
  database->wait_seconds = seconds;
  sqlite3_busy_timeout(database->connection, (int)(seconds * 1000));
}

static tune_status connect(tune_database *database, const char *file, int flags) {
  sqlite3_close(database->connection);
  database->connection = NULL;
  if (sqlite3_open_v2(file, &database->connection,
                      flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL) != SQLITE_OK)
    return tune_database_failure(database);
  tune_database_set_wait(database, database->wait_seconds);
  // The file may come from a stranger: its schema may not call functions with side effects.
  sqlite3_db_config(database->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(database->connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  TUNE_RETURN_IF_ERROR(tune_database_add_functions(database));
  return tune_database_execute(
      database,
      "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON");
}

// Whether trials may be waiting in a write-ahead log beside the database.
static bool has_log(const char *path) {
  char *log = NULL;
  if (asprintf(&log, "%s-wal", path) < 0)
    return true;
  struct stat status;
  bool has = stat(log, &status) == 0 && status.st_size > 0;
  free(log);
  return has;
}

// A URI that tells SQLite to take the file as one that nobody changes.
static tune_status immutable_uri(const char *path, char **out_uri) {
  tune_string_builder uri;
  tune_string_builder_init(&uri);
  tune_string_builder_append(&uri, "file:");
  for (const char *c = path; *c; ++c)
    tune_string_builder_appendf(&uri, strchr("%?#", *c) ? "%%%02X" : "%c", (unsigned char)*c);
  tune_string_builder_append(&uri, "?immutable=1");
  return tune_string_builder_finish(&uri, out_uri);
}

// Reading a database in WAL mode takes a file of shared memory beside it. Where that cannot be
// made, and there is no log, the file itself is all there is.
static tune_status connect_read_only(tune_database *database) {
  tune_status status = connect(database, database->path, SQLITE_OPEN_READONLY);
  if (tune_status_is_ok(status))
    status = prepare_for_reading(database);
  int code = sqlite3_errcode(database->connection) & 0xff;
  bool lacks_memory_file = code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
  if (tune_status_is_ok(status) || !lacks_memory_file || access(database->path, R_OK) != 0 ||
      has_log(database->path))
    return status;
  tune_status_free(status);
  char *uri = NULL;
  TUNE_RETURN_IF_ERROR(immutable_uri(database->path, &uri));
  status = connect(database, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  free(uri);
  return tune_status_is_ok(status) ? prepare_for_reading(database) : status;
}

// SQLite's own words about a device or a pipe are none.
static tune_status check_kind(const char *path) {
  struct stat info;
  if (stat(path, &info) != 0 || S_ISREG(info.st_mode))
    return TUNE_OK;
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "%s: is a %s, not a database, which has to be a regular file or one that "
                          "is not there yet; give the path of a file",
                          path,
                          S_ISDIR(info.st_mode)    ? "folder"
                          : S_ISFIFO(info.st_mode) ? "pipe"
                          : S_ISSOCK(info.st_mode) ? "socket"
                                                   : "device");
}

static tune_status open_file(tune_database *database) {
  TUNE_RETURN_IF_ERROR(check_kind(database->path));
  if (database->read_only)
    return connect_read_only(database);
  TUNE_RETURN_IF_ERROR(
      connect(database, database->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  return prepare_for_writing(database);
}

// Makes the folder of `path`, for nobody else to read.
static tune_status make_folder_of(const char *path) {
  char *folder = strdup(path);
  if (!folder)
    return tune_status_out_of_memory("making the folder of %s", path);
  *strrchr(folder, '/') = '\0';
  tune_status status = tune_file_make_folders(folder, 0700);
  free(folder);
  return tune_status_annotate(status, "making the folder for the database");
}

// Opens `path`, or the default where it is NULL.
static tune_status open_database(const char *path, bool read_only, tune_database **out_database) {
  *out_database = NULL;
  // SQLite takes an empty path for a temporary file.
  if (path && !*path)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "the path of the database is empty; without db it is the default one, "
                            "and a search with db=:memory: keeps no records");
  if (path && read_only && strcmp(path, ":memory:") == 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "db=:memory: is for a search, of whose records nothing is left; give "
                            "the file of a database");
  tune_database *database = calloc(1, sizeof *database);
  if (!database)
    return tune_status_out_of_memory("opening the database");
  database->read_only = read_only;
  database->wait_seconds = TUNE_DATABASE_WAIT_SECONDS;
  tune_status status = TUNE_OK;
  if (!path) {
    status = tune_database_default_path(&database->path);
    if (tune_status_is_ok(status) && !read_only)
      status = make_folder_of(database->path);
  } else if (!(database->path = strdup(path))) {
    status = tune_status_out_of_memory("opening the database %s", path);
  }
  if (tune_status_is_ok(status))
    status = open_file(database);
  if (!tune_status_is_ok(status)) {
    tune_database_destroy(database);
    return status;
  }
  *out_database = database;
  return TUNE_OK;
}

tune_status tune_database_open(const char *path, tune_database **out_database) {
  return open_database(path, false, out_database);
}

tune_status tune_database_open_read_only(const char *path, tune_database **out_database) {
  return open_database(path, true, out_database);
}

const char *tune_database_path(const tune_database *database) { return database->path; }

// The home folder, or NULL where there is none; owned by the caller.
static char *home_folder(void) {
  const char *home = getenv("HOME");
  if (home && *home)
    return strdup(home);
  char buffer[4096];
  struct passwd user, *found = NULL;
  getpwuid_r(getuid(), &user, buffer, sizeof buffer, &found);
  return found ? strdup(found->pw_dir) : NULL;
}

tune_status tune_database_default_path(char **out_path) {
  *out_path = NULL;
  const char *cache = getenv("XDG_CACHE_HOME");
  char *home = home_folder();
  int length = -1;
  bool known = true;
  if (cache && *cache == '/')
    length = asprintf(out_path, "%s/mlir-tune/tune.db", cache);
  else if (home)
    length = asprintf(out_path, "%s/.cache/mlir-tune/tune.db", home);
  else
    known = false;
  free(home);
  if (!known)
    return tune_status_make(TUNE_NOT_FOUND, "no home folder to keep the database in; set HOME or "
                                            "XDG_CACHE_HOME, or give the database's path");
  if (length < 0) {
    *out_path = NULL;
    return tune_status_out_of_memory("finding the database");
  }
  return TUNE_OK;
}
