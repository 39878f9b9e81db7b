//===- database_query.c - Looking around in a database -----------------------===//

#include "tuning/database/database_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//===- Neighbours -------------------------------------------------------------===//

// Further than a factor of ten.
static const double unknown_extent_distance = 4;

static double ratio_distance(double a, double b) { return a > 0 && b > 0 ? fabs(log2(a / b)) : 0; }

static double distance_between(const tune_kept_task *a, const tune_kept_task *b) {
  if (a->rank == 0)
    return ratio_distance(a->flops, b->flops) + ratio_distance(a->bytes, b->bytes);
  double distance = 0;
  for (size_t i = 0; i < a->rank; ++i) {
    if ((a->extents[i] == -1) != (b->extents[i] == -1))
      distance += unknown_extent_distance;
    else
      distance += ratio_distance((double)a->extents[i], (double)b->extents[i]);
  }
  return distance;
}

// The nearest so far, nearest first.
typedef struct neighbourhood {
  const tune_kept_task *centre;
  tune_database_neighbour *neighbours;
  size_t count, capacity;
} neighbourhood;

static tune_status offer_neighbour(neighbourhood *hood, const tune_kept_task *task) {
  double distance = distance_between(hood->centre, task);
  size_t place = hood->count;
  while (place > 0 && hood->neighbours[place - 1].distance > distance)
    --place;
  if (place == hood->capacity)
    return TUNE_OK;
  char *key = strdup(task->key);
  if (!key)
    return tune_status_out_of_memory("looking for similar tasks");
  if (hood->count == hood->capacity)
    free(hood->neighbours[--hood->count].key);
  memmove(&hood->neighbours[place + 1], &hood->neighbours[place],
          (hood->count - place) * sizeof *hood->neighbours);
  hood->neighbours[place] = (tune_database_neighbour){.key = key, .distance = distance};
  ++hood->count;
  return TUNE_OK;
}

void tune_database_neighbours_deinit(tune_database_neighbour *neighbours, size_t count) {
  for (size_t i = 0; i < count; ++i)
    free(neighbours[i].key);
}

// Reads a task that an index says is like `centre`.
static tune_status read_similar(tune_database *database, sqlite3_stmt *statement,
                                const tune_kept_task *centre, tune_kept_task *out_task) {
  TUNE_RETURN_IF_ERROR(tune_database_read_task(database, statement, out_task));
  if (out_task->rank == centre->rank && strcmp(out_task->kind, centre->kind) == 0 &&
      strcmp(out_task->type, centre->type) == 0)
    return TUNE_OK;
  tune_kept_task_deinit(out_task);
  return tune_database_damaged(
      database, "an index", tune_status_make(TUNE_DATA_LOSS, "it leads to a task of another kind"));
}

static tune_status visit_similar(tune_database *database, const char *fingerprint,
                                 sqlite3_stmt *statement, neighbourhood *hood) {
  const tune_kept_task *centre = hood->centre;
  TUNE_RETURN_IF_ERROR(tune_database_bind(database, statement, "tttit", centre->key, centre->kind,
                                          centre->type, (int64_t)centre->rank, fingerprint));
  for (;;) {
    bool row;
    TUNE_RETURN_IF_ERROR(tune_database_step(database, statement, &row));
    if (!row)
      return TUNE_OK;
    tune_kept_task task;
    bool is_left_out;
    tune_status status = read_similar(database, statement, centre, &task);
    status = tune_database_pass_over(database, status, &is_left_out);
    if (tune_status_is_ok(status) && !is_left_out)
      status = offer_neighbour(hood, &task);
    tune_kept_task_deinit(&task);
    TUNE_RETURN_IF_ERROR(status);
  }
}

tune_status tune_database_nearest(tune_database *database, const tune_kept_task *task,
                                  const char *fingerprint, size_t capacity,
                                  tune_database_neighbour *out_neighbours, size_t *out_count) {
  *out_count = 0;
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_prepare(
      database,
      "SELECT " TUNE_DATABASE_TASK_COLUMNS " FROM tasks AS t"
      "  WHERE t.kind = ?2 AND t.type = ?3 AND t.rank = ?4 AND t.key <> ?1"
      // The indexes are named, since SQLite would go through all trials of a task.
      "  AND (EXISTS(SELECT 1 FROM trials AS r INDEXED BY winners"
      "      WHERE r.task = t.id AND verdict = 'ok'"
      "      AND r.kind = 'winner'"
      "      AND r.fingerprint = (SELECT id FROM fingerprints WHERE digest = ?5))"
      "    OR EXISTS(SELECT 1 FROM trials AS r INDEXED BY trials_by_time"
      "      WHERE r.task = t.id AND verdict = 'ok'"
      "      AND r.kind = 'trial'"
      "      AND r.fingerprint = (SELECT id FROM fingerprints WHERE digest = ?5)))"
      "  ORDER BY t.id",
      &statement));
  neighbourhood hood = {.centre = task, .neighbours = out_neighbours, .capacity = capacity};
  tune_status status = visit_similar(database, fingerprint, statement, &hood);
  sqlite3_finalize(statement);
  if (!tune_status_is_ok(status)) {
    tune_database_neighbours_deinit(out_neighbours, hood.count);
    return status;
  }
  *out_count = hood.count;
  return TUNE_OK;
}

//===- Summaries --------------------------------------------------------------===//

static const char *column_text(sqlite3_stmt *statement, int column) {
  const char *text = (const char *)sqlite3_column_text(statement, column);
  return text ? text : "";
}

// Adds the best time to a summary that has all else, and visits it.
static tune_status visit_summary(tune_database *database, tune_database_summary *summary,
                                 tune_database_summary_visitor visit, void *user) {
  tune_record best;
  tune_status status =
      tune_database_best(database, summary->task, summary->fingerprint, NULL, &best);
  if (tune_status_get_code(status) == TUNE_NOT_FOUND) {
    tune_status_free(status);
    return visit(user, summary);
  }
  TUNE_RETURN_IF_ERROR(status);
  summary->best = best.time.median;
  summary->has_winner = best.kind == TUNE_RECORD_WINNER;
  tune_record_deinit(&best);
  return visit(user, summary);
}

static tune_status visit_summaries(tune_database *database, sqlite3_stmt *statement,
                                   tune_database_summary_visitor visit, void *user) {
  for (;;) {
    bool row;
    TUNE_RETURN_IF_ERROR(tune_database_step(database, statement, &row));
    if (!row)
      return TUNE_OK;
    tune_database_summary summary = {
        .task = column_text(statement, 0),
        .kind = column_text(statement, 1),
        .name = column_text(statement, 2),
        .flops = sqlite3_column_double(statement, 3),
        .bytes = sqlite3_column_double(statement, 4),
        .fingerprint = column_text(statement, 5),
        .target = column_text(statement, 6),
        .trials = (uint64_t)sqlite3_column_int64(statement, 7),
        .failed = (uint64_t)sqlite3_column_int64(statement, 8),
        .last_ms = sqlite3_column_int64(statement, 9),
    };
    if (!sqlite3_column_int(statement, 10))
      return tune_database_damaged(
          database, "a task or a fingerprint",
          tune_status_make(TUNE_DATA_LOSS, "its members are not what was written"));
    TUNE_RETURN_IF_ERROR(visit_summary(database, &summary, visit, user));
  }
}

tune_status tune_database_list(tune_database *database, const char *filter,
                               tune_database_summary_visitor visit, void *user) {
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_prepare(
      database,
      // Counted first, so that a digest is taken once for each row that comes out.
      "SELECT t.key, t.kind, t.name, t.flops, t.bytes, f.digest, f.target, s.trials, s.failed,"
      "    s.last_ms, " TUNE_DATABASE_TASK_IS_WHOLE " AND"
      "    (s.fingerprint IS NULL OR " TUNE_DATABASE_FINGERPRINT_IS_WHOLE ")"
      "  FROM (SELECT t.id AS task, r.fingerprint AS fingerprint,"
      "        sum(r.kind = 'trial') AS trials,"
      "        sum(r.kind = 'trial' AND r.verdict NOT IN ('ok', 'cut', 'duplicate')) AS failed,"
      "        max(r.created_ms) AS last_ms"
      "      FROM tasks AS t LEFT JOIN trials AS r ON r.task = t.id"
      "      WHERE ?1 IS NULL OR instr(t.name, ?1) OR instr(t.kind, ?1) OR instr(t.key, ?1)"
      "      GROUP BY t.id, r.fingerprint) AS s"
      "    JOIN tasks AS t ON t.id = s.task LEFT JOIN fingerprints AS f ON f.id = s.fingerprint"
      "  ORDER BY s.task, s.fingerprint",
      &statement));
  tune_status status = tune_database_bind(database, statement, "t", filter);
  if (tune_status_is_ok(status))
    status = visit_summaries(database, statement, visit, user);
  sqlite3_finalize(statement);
  return status;
}
