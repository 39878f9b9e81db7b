//===- database_best.c - The query for the best record -----------------------===//
//
// What a session would believe that loads the same records (session_records.c): good ones can be
// taken back by others, see TUNE_DATABASE_IS_TAKEN_BACK.
//
//===------------------------------------------------------------------------------------===//

#include "tuning/database/database_internal.h"

#include <string.h>

// What is asked for.
typedef struct wanted {
  const char *task, *fingerprint;
  const char *schedule; // NULL: any
} wanted;

static tune_status read_good_record(tune_database *database, sqlite3_stmt *statement,
                                    const wanted *of, tune_record *out_record) {
  TUNE_RETURN_IF_ERROR(tune_database_read_record_of(database, statement, of->task, of->fingerprint,
                                                    of->schedule, out_record));
  if (out_record->verdict == TUNE_VERDICT_OK)
    return TUNE_OK;
  tune_record_deinit(out_record);
  return tune_database_damaged(
      database, "an index",
      tune_status_make(TUNE_DATA_LOSS, "it leads to a record that is not good"));
}

// `*statement`, prepared from `sql` where it is not yet, of what is wanted.
static tune_status begin(const tune_database *database, sqlite3_stmt **statement, const char *sql,
                         const wanted *of) {
  if (!*statement)
    TUNE_RETURN_IF_ERROR(tune_database_prepare(database, sql, statement));
  return tune_database_bind(database, *statement, of->schedule ? "ttt" : "tt", of->task,
                            of->fingerprint, of->schedule);
}

static void end(sqlite3_stmt *statement) {
  if (!statement)
    return;
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
}

// Of the rows of `*statement` the first that is sound. Its last column says whether it is taken
// back: then there is none, or the next is looked at. `*out_record` is an empty one where there is
// none.
static tune_status first_record(tune_database *database, sqlite3_stmt **statement, const char *sql,
                                const wanted *of, bool passes_over_taken_back, bool *out_found,
                                tune_record *out_record) {
  tune_record_init(out_record);
  *out_found = false;
  bool row = true, is_over = false;
  tune_status status = begin(database, statement, sql, of);
  while (tune_status_is_ok(status) && !is_over) {
    status = tune_database_step(database, *statement, &row);
    if (!tune_status_is_ok(status) || !row)
      break;
    bool is_left_out, is_taken_back = sqlite3_column_int(*statement, TUNE_DATABASE_RECORD_WIDTH);
    status = read_good_record(database, *statement, of, out_record);
    status = tune_database_pass_over(database, status, &is_left_out);
    if (!tune_status_is_ok(status) || is_left_out)
      continue;
    *out_found = !is_taken_back;
    is_over = *out_found || !passes_over_taken_back;
    if (!*out_found)
      tune_record_deinit(out_record);
  }
  end(*statement);
  return status;
}

// The good rows of a task on a fingerprint; of which kind they are comes after it. `i` is what
// an index says, `r` the row itself.
#define GOOD                                                                                       \
  "i.task = (SELECT id FROM tasks WHERE key = ?1)"                                                 \
  " AND i.fingerprint = (SELECT id FROM fingerprints WHERE digest = ?2)"                           \
  " AND i.verdict = 'ok'"

#define ROWS                                                                                       \
  " CROSS JOIN trials AS r ON r.id = i.id CROSS JOIN tasks AS t ON t.id = r.task"                  \
  "  CROSS JOIN fingerprints AS f ON f.id = r.fingerprint"

// The indices are named, since SQLite might take one of the user's own, and sort.

// Goes from schedule to schedule in the index, of which there are few, however many winners.
static const char schedules_sql[] =
    "WITH RECURSIVE schedules(schedule) AS ("
    "    SELECT min(schedule) FROM trials AS i INDEXED BY winners WHERE " GOOD
    "      AND i.kind = 'winner'"
    "    UNION ALL SELECT (SELECT min(i.schedule) FROM trials AS i INDEXED BY winners WHERE " GOOD
    "        AND i.kind = 'winner' AND i.schedule > s.schedule)"
    "      FROM schedules AS s WHERE s.schedule IS NOT NULL)"
    " SELECT schedule FROM schedules WHERE schedule IS NOT NULL";

// Where a winner is taken back that was one, there is none: nobody has compared what is left.
static const char winners_sql[] =
    "SELECT " TUNE_DATABASE_RECORD_COLUMNS ", " TUNE_DATABASE_IS_TAKEN_BACK
    "  FROM trials AS i INDEXED BY winners" ROWS "  WHERE " GOOD
    "    AND i.kind = 'winner' AND i.schedule = ?3 AND NOT " TUNE_DATABASE_NEVER_WON
    "  ORDER BY i.created_ms DESC, i.id DESC";

static const char trials_sql[] =
    "SELECT " TUNE_DATABASE_RECORD_COLUMNS ", 0"
    "  FROM trials AS i INDEXED BY trials_by_time" ROWS "  WHERE " GOOD
    "    AND i.kind = 'trial' AND NOT " TUNE_DATABASE_IS_TAKEN_BACK "  ORDER BY i.seconds, i.id";

static const char trials_of_schedule_sql[] =
    "SELECT " TUNE_DATABASE_RECORD_COLUMNS ", 0"
    "  FROM trials AS i INDEXED BY trials_by_schedule" ROWS "  WHERE " GOOD
    "    AND i.kind = 'trial' AND i.schedule = ?3 AND NOT " TUNE_DATABASE_IS_TAKEN_BACK
    "  ORDER BY i.seconds, i.id";

#undef ROWS
#undef GOOD

typedef struct finder {
  tune_database *database;
  bool takes_earlier_winners; // than one that is taken back
  bool found;
  tune_record record; // the best so far
} finder;

// Takes the winner of `of->schedule`, if there is one and it is faster than what is there.
static tune_status take_winner(finder *all, const wanted *of) {
  tune_record winner;
  bool has_winner;
  TUNE_RETURN_IF_ERROR(first_record(all->database, &all->database->best_winner, winners_sql, of,
                                    all->takes_earlier_winners, &has_winner, &winner));
  bool is_best = has_winner &&
                 (!all->found || tune_record_seconds(&winner) < tune_record_seconds(&all->record));
  tune_record_deinit(is_best ? &all->record : &winner);
  if (is_best)
    all->record = winner;
  all->found = all->found || is_best;
  return TUNE_OK;
}

// The fastest of the winners of all schedules.
static tune_status take_winners(finder *all, const wanted *of) {
  if (of->schedule)
    return take_winner(all, of);
  sqlite3_stmt **statement = &all->database->best_schedules;
  bool row = true;
  tune_status status = begin(all->database, statement, schedules_sql, of);
  while (tune_status_is_ok(status)) {
    status = tune_database_step(all->database, *statement, &row);
    if (!tune_status_is_ok(status) || !row)
      break;
    wanted one = *of;
    one.schedule = (const char *)sqlite3_column_text(*statement, 0);
    status = one.schedule ? take_winner(all, &one) : tune_database_failure(all->database);
  }
  end(*statement);
  return status;
}

static tune_status take_trial(finder *all, const wanted *of) {
  tune_database *database = all->database;
  return of->schedule ? first_record(database, &database->best_trial_of_schedule,
                                     trials_of_schedule_sql, of, true, &all->found, &all->record)
                      : first_record(database, &database->best_trial, trials_sql, of, true,
                                     &all->found, &all->record);
}

tune_status tune_database_best(tune_database *database, const char *task, const char *fingerprint,
                               const char *schedule, tune_record *out_record) {
  const wanted of = {task, fingerprint, schedule};
  finder all = {.database = database};
  tune_status status = take_winners(&all, &of);
  if (tune_status_is_ok(status) && !all.found)
    status = take_trial(&all, &of);
  all.takes_earlier_winners = true;
  if (tune_status_is_ok(status) && !all.found) // whose trials were pruned
    status = take_winners(&all, &of);
  *out_record = all.record;
  if (tune_status_is_ok(status) && !all.found)
    status =
        tune_status_make(TUNE_NOT_FOUND, "%s: holds no good trial of task %s on fingerprint %s",
                         database->path, task, fingerprint);
  if (!tune_status_is_ok(status))
    tune_record_deinit(out_record);
  return status;
}

tune_status tune_database_is_taken_back(tune_database *database, const char *digest,
                                        bool *out_taken_back) {
  static const char sql[] = "SELECT 1 FROM trials AS r WHERE r.digest = ?1 AND r.verdict = 'ok'"
                            "  AND " TUNE_DATABASE_IS_TAKEN_BACK;
  sqlite3_stmt **statement = &database->taken_back;
  *out_taken_back = false;
  if (!*statement)
    TUNE_RETURN_IF_ERROR(tune_database_prepare(database, sql, statement));
  tune_status status = tune_database_bind(database, *statement, "t", digest);
  if (tune_status_is_ok(status))
    status = tune_database_step(database, *statement, out_taken_back);
  end(*statement);
  return status;
}
