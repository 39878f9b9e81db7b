//===- torture_records.h - What scenarios tell of records ---------------------------------===//

#ifndef TUNE_UNITTESTS_TORTURE_TORTURE_RECORDS_H
#define TUNE_UNITTESTS_TORTURE_TORTURE_RECORDS_H

#include "torture.h"

#include "tuning/database/database_upkeep.h"

#include <unistd.h>

// A tune_record_visitor.
static inline tune_status torture_say_record(void *user, const tune_record *record) {
  (void)user;
  torture_say("%s %s %s %g %zu\n", record->task, record->config, tune_verdict_name(record->verdict),
              record->time.median, record->time.sample_count);
  return TUNE_OK;
}

static inline void torture_say_problem(void *user, const char *problem) {
  (void)user;
  torture_say("problem: %s\n", problem);
}

// Of the database that is at the path; nothing where there is no file, or an empty one.
static inline void torture_look_at_database(const char *path) {
  if (access(path, F_OK) != 0)
    return;
  tune_database *database;
  tune_status status = tune_database_open(path, &database);
  uint64_t problems = 0;
  if (tune_status_is_ok(status))
    status = tune_database_check(database, torture_say_problem, NULL, &problems);
  if (tune_status_is_ok(status))
    status = tune_database_load(database, NULL, NULL, torture_say_record, NULL);
  if (!tune_status_is_ok(status))
    torture_say("damaged: %s", tune_status_get_message(status));
  tune_status_free(status);
  tune_database_destroy(database);
}

#endif // TUNE_UNITTESTS_TORTURE_TORTURE_RECORDS_H
