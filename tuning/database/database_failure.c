//===- database_failure.c - Errors of SQLite as statuses ---------------------===//

#include "tuning/database/database_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether the folder is there that `path` names a file in.
static bool has_folder(const char *path) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  struct stat status;
  bool has = folder && stat(folder, &status) == 0;
  free(folder);
  return has;
}

tune_status tune_database_not_writable(const tune_database *database) {
  // The folder matters too: SQLite makes "-wal" and "-shm" beside the file.
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "%s: the file or its folder may not be written; give another path, or "
                          "change the permissions",
                          database->path);
}

static tune_status not_readable(const tune_database *database) {
  if (access(database->path, R_OK) != 0)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "%s: may not be read; change the permissions, or give another path",
                            database->path);
  // There is a log, which SQLite does not read without writing beside the database.
  return tune_status_make(
      TUNE_FAILED_PRECONDITION,
      "%s: the last writer left a log (%s-wal) that cannot be read where nothing "
      "may be written; copy both files to another folder",
      database->path, database->path);
}

static tune_status cannot_open(const tune_database *database, int error) {
  const char *path = database->path;
  switch (error) {
  case ENOENT:
    if (database->read_only)
      return tune_status_make(TUNE_NOT_FOUND,
                              "%s: there is no such file; `tune-opt --tune-search` makes it by "
                              "measuring, `tune-db import` from what was measured elsewhere",
                              path);
    if (!has_folder(path))
      return tune_status_make(TUNE_NOT_FOUND,
                              "%s: its folder does not exist; make it, or give "
                              "another path",
                              path);
    // Not allowed to make it, SQLite tried to read it.
    return tune_database_not_writable(database);
  case 0:
  case EROFS:
  case EACCES:
  case EPERM:
    return database->read_only ? not_readable(database) : tune_database_not_writable(database);
  default:
    return tune_status_from_errno(error, "%s: cannot be opened", path);
  }
}

static tune_status disk_is_full(const tune_database *database) {
  return tune_status_make(TUNE_RESOURCE_EXHAUSTED,
                          "%s: the disk or a quota is full; make room and start again, what was "
                          "kept so far stays",
                          database->path);
}

static tune_status input_output_error(const tune_database *database, int code, int error) {
  switch (code) {
  case SQLITE_IOERR_NOMEM:
    return tune_status_out_of_memory("%s: out of memory", database->path);
  case SQLITE_IOERR_WRITE: // a quota or `ulimit -f`: SQLite has its own code for a full disk only
  case SQLITE_IOERR_SHMSIZE:
    return disk_is_full(database);
  default:
    if (error == ENOMEM)
      return tune_status_out_of_memory("%s: out of memory", database->path);
    return tune_status_make(TUNE_DATA_LOSS, "%s: reading or writing failed: %s (SQLite's code %d)",
                            database->path, error ? strerror(error) : "no reason given", code);
  }
}

tune_status tune_database_failure(const tune_database *database) {
  sqlite3 *connection = database->connection;
  const char *path = database->path;
  int code = connection ? sqlite3_extended_errcode(connection) : SQLITE_NOMEM;
  const char *message = connection ? sqlite3_errmsg(connection) : "out of memory";
  int system_error = connection ? sqlite3_system_errno(connection) : 0;
  switch (code & 0xff) {
  case SQLITE_NOMEM:
    return tune_status_out_of_memory("%s: out of memory", path);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
  case SQLITE_PROTOCOL:
    return tune_status_make(TUNE_DEADLINE_EXCEEDED,
                            "%s: the database is locked: another process has kept it for over %g "
                            "s; wait for it to end, or give another path",
                            path, database->wait_seconds);
  case SQLITE_READONLY:
    // The extended codes are those of reading a log where nothing may be written.
    return code == SQLITE_READONLY ? tune_database_not_writable(database)
                                   : cannot_open(database, 0);
  case SQLITE_PERM:
  case SQLITE_AUTH:
  case SQLITE_CANTOPEN:
    return cannot_open(database, system_error);
  case SQLITE_NOTADB:
    return tune_status_make(TUNE_DATA_LOSS,
                            "%s: not a database; give another path, or move that file away", path);
  case SQLITE_CORRUPT:
  case SQLITE_ERROR: // a statement of ours does not fit the schema that the file has
    return tune_status_make(TUNE_DATA_LOSS,
                            "%s: the database is damaged (%s); `tune-db check` tells where, "
                            "`sqlite3 FILE .recover` saves what can be saved",
                            path, message);
  case SQLITE_FULL:
    return disk_is_full(database);
  case SQLITE_IOERR:
    return input_output_error(database, code, system_error);
  case SQLITE_TOOBIG:
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s: a text or blob is too large", path);
  default:
    return tune_status_make(TUNE_INTERNAL, "%s: %s (SQLite's code %d)", path, message, code);
  }
}
