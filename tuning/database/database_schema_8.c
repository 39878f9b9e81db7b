//===- database_schema_8.c - Records as they were kept up to schema 8 -----------===//
//
// A column for each figure, and a digest of all of them in an order of its own. This stays as it
// is: what is new in records was not there then.
//
//===--------------------------------------------------------------------------===//

#include "tuning/database/database_internal.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

// Of trials_8 AS r, tasks AS t, fingerprints AS f.
#define COLUMNS                                                                                    \
  "r.kind, t.key, f.digest, r.schedule, r.config, r.script, r.verdict, r.error, r.artifact, "      \
  "r.median, r.low, r.high, r.repeats, r.samples, r.check_error, r.check_tolerance, "              \
  "r.transform_s, r.lower_s, r.optimize_s, r.codegen_s, r.link_s, r.measure_s, "                   \
  "r.strategy, r.seed, r.created_ms, r.registers, r.spilled_bytes, r.shared_bytes, "               \
  "r.drift, r.check_type, r.check_accumulator, r.check_operands, r.check_inputs, "                 \
  "r.check_reduction, r.check_magnitude, r.check_leeway, r.cycles, r.instructions, r.flops, "      \
  "r.cache_misses, r.branch_misses, r.page_faults, r.context_switches, "                           \
  "(SELECT c.description FROM conditions AS c WHERE c.id = r.conditions), r.digest, r.id"

enum { DIGEST = 44, ID = 45 };

static const char *const kind_names[] = {"trial", "winner"};

// What there were columns for, in their order.
static const tune_stage stages[] = {TUNE_STAGE_TRANSFORM, TUNE_STAGE_LOWER, TUNE_STAGE_OPTIMIZE,
                                    TUNE_STAGE_CODEGEN,   TUNE_STAGE_LINK,  TUNE_STAGE_MEASURE};
static const tune_count_kind counters[] = {TUNE_COUNT_CYCLES,          TUNE_COUNT_INSTRUCTIONS,
                                           TUNE_COUNT_FLOPS,           TUNE_COUNT_CACHE_MISSES,
                                           TUNE_COUNT_BRANCH_MISSES,   TUNE_COUNT_PAGE_FAULTS,
                                           TUNE_COUNT_CONTEXT_SWITCHES};

#define COUNT_OF(LIST) (sizeof(LIST) / sizeof *(LIST))

//===- What named a record ----------------------------------------------------===//

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void add_number(tune_digest_stream *stream, uint64_t bits) {
  bits = htole64(bits);
  tune_digest_stream_add_bytes(stream, &bits, sizeof bits);
}

// Records of what older versions knew keep their digest, so each of these begins with its name.
static void add_check_reasons(tune_digest_stream *stream, const tune_check_result *check) {
  if (!check->type[0])
    return;
  tune_digest_stream_add_text(stream, "check");
  tune_digest_stream_add_text(stream, check->type);
  tune_digest_stream_add_text(stream, check->accumulator);
  tune_digest_stream_add_text(stream, check->operands);
  add_number(stream, (uint64_t)check->reduction);
  add_number(stream, bits_of(check->magnitude));
  add_number(stream, bits_of(check->leeway));
  add_number(stream, check->is_sparse);
}

static void add_counts(tune_digest_stream *stream, const tune_counts *counts) {
  for (size_t i = 0; i < COUNT_OF(counters); ++i) {
    if (!counts->is_known[counters[i]])
      continue;
    tune_digest_stream_add_text(stream, tune_count_name(counters[i]));
    add_number(stream, bits_of(counts->of_run[counters[i]]));
  }
}

static void add_conditions(tune_digest_stream *stream, const tune_kept_conditions *conditions) {
  if (!conditions->is_known)
    return;
  tune_digest_stream_add_text(stream, "conditions");
  tune_digest_stream_add_text(stream, conditions->cpus);
  tune_digest_stream_add_text(stream, conditions->governor);
  add_number(stream, (uint64_t)conditions->cpu_count);
  const double numbers[] = {conditions->load, conditions->others_busy, conditions->stolen};
  for (size_t i = 0; i < COUNT_OF(numbers); ++i)
    add_number(stream, bits_of(numbers[i] >= 0 ? numbers[i] : -1)); // below 0 all are alike
}

static tune_status digest_of(const tune_record *record, tune_digest *out_digest) {
  tune_digest_stream *stream;
  TUNE_RETURN_IF_ERROR(tune_digest_stream_create(&stream));
  const char *texts[] = {kind_names[record->kind],
                         record->task,
                         record->fingerprint,
                         record->schedule,
                         record->config,
                         record->script,
                         tune_verdict_name(record->verdict),
                         record->error,
                         record->digest,
                         record->strategy};
  for (size_t i = 0; i < COUNT_OF(texts); ++i) {
    // Absent and empty are different.
    tune_digest_stream_add_bytes(stream, texts[i] ? "+" : "-", 1);
    tune_digest_stream_add_text(stream, texts[i] ? texts[i] : "");
  }
  add_number(stream, bits_of(record->time.median));
  add_number(stream, bits_of(record->time.low));
  add_number(stream, bits_of(record->time.high));
  add_number(stream, record->time.repeats);
  add_number(stream, record->time.sample_count);
  for (size_t i = 0; i < record->time.sample_count; ++i)
    add_number(stream, bits_of(record->time.samples[i]));
  add_number(stream, record->run.check.is_known);
  add_number(stream, bits_of(record->run.check.error));
  add_number(stream, bits_of(record->run.check.tolerance));
  for (size_t i = 0; i < COUNT_OF(stages); ++i)
    add_number(stream, bits_of(record->stage_seconds[stages[i]]));
  add_number(stream, record->seed);
  add_number(stream, (uint64_t)record->created_ms);
  // Records from before this was known keep their digest.
  if (record->code.registers > 0) {
    add_number(stream, (uint64_t)record->code.registers);
    add_number(stream, (uint64_t)record->code.spilled_bytes);
    add_number(stream, (uint64_t)record->code.shared_bytes);
  }
  if (record->drift > 0)
    add_number(stream, bits_of(record->drift));
  add_check_reasons(stream, &record->run.check);
  add_counts(stream, &record->run.counts);
  add_conditions(stream, &record->conditions);
  *out_digest = tune_digest_stream_get(stream);
  tune_digest_stream_destroy(stream);
  return TUNE_OK;
}

//===- Reading ----------------------------------------------------------------===//

static tune_status decode_samples(sqlite3_stmt *statement, int column, tune_timing *time) {
  const uint8_t *bytes = sqlite3_column_blob(statement, column);
  size_t size = (size_t)sqlite3_column_bytes(statement, column);
  if (size % 8 != 0)
    return tune_status_make(TUNE_DATA_LOSS, "samples of %zu bytes", size);
  time->sample_count = size / 8;
  time->samples = size ? malloc(size) : NULL;
  if (size && (!time->samples || !bytes))
    return tune_status_out_of_memory("reading a record");
  for (size_t i = 0; i < time->sample_count; ++i) {
    uint64_t bits;
    memcpy(&bits, bytes + 8 * i, 8);
    bits = le64toh(bits);
    memcpy(&time->samples[i], &bits, 8);
  }
  return TUNE_OK;
}

// A text that may be absent.
static tune_status copy_optional(sqlite3_stmt *statement, int column, char **out_text) {
  *out_text = NULL;
  if (sqlite3_column_type(statement, column) == SQLITE_NULL)
    return TUNE_OK;
  return tune_database_column_copy(statement, column, out_text);
}

static tune_status read_kind(sqlite3_stmt *statement, int column, tune_record_kind *out_kind) {
  const char *text = (const char *)sqlite3_column_text(statement, column);
  for (size_t i = 0; text && i < COUNT_OF(kind_names); ++i) {
    if (strcmp(text, kind_names[i]) == 0) {
      *out_kind = (tune_record_kind)i;
      return TUNE_OK;
    }
  }
  return tune_status_make(TUNE_DATA_LOSS, "record of the kind '%s'", text ? text : "");
}

// A short text that may be absent, which leaves "".
static tune_status read_type(sqlite3_stmt *statement, int column,
                             char out_type[TUNE_CHECK_TYPE_SIZE]) {
  const char *text = (const char *)sqlite3_column_text(statement, column);
  int length = sqlite3_column_bytes(statement, column);
  if (length >= TUNE_CHECK_TYPE_SIZE)
    return tune_status_make(TUNE_DATA_LOSS, "a type of %d letters", length);
  memcpy(out_type, text ? text : "", text ? (size_t)length + 1 : 1);
  return TUNE_OK;
}

static tune_status read_check(sqlite3_stmt *statement, tune_check_result *check) {
  check->is_known = sqlite3_column_type(statement, 15) != SQLITE_NULL;
  check->error = sqlite3_column_double(statement, 14);
  check->tolerance = sqlite3_column_double(statement, 15);
  TUNE_RETURN_IF_ERROR(read_type(statement, 29, check->type));
  TUNE_RETURN_IF_ERROR(read_type(statement, 30, check->accumulator));
  TUNE_RETURN_IF_ERROR(read_type(statement, 31, check->operands));
  const char *inputs = (const char *)sqlite3_column_text(statement, 32);
  check->is_sparse = inputs && strcmp(inputs, "sparse") == 0;
  check->reduction = sqlite3_column_int64(statement, 33);
  check->magnitude = sqlite3_column_double(statement, 34);
  check->leeway = sqlite3_column_double(statement, 35);
  return TUNE_OK;
}

static void read_counts(sqlite3_stmt *statement, tune_counts *counts) {
  for (int i = 0; i < (int)COUNT_OF(counters); ++i) {
    counts->is_known[counters[i]] = sqlite3_column_type(statement, 36 + i) != SQLITE_NULL;
    counts->of_run[counters[i]] = sqlite3_column_double(statement, 36 + i);
  }
}

static tune_status read_conditions(tune_database *database, sqlite3_stmt *statement,
                                   tune_kept_conditions *conditions) {
  const char *text = (const char *)sqlite3_column_text(statement, 43);
  json_t *object;
  if (!text)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_database_read_conditions(database, text, &object));
  tune_status status = tune_kept_conditions_from_json(object, conditions);
  json_decref(object);
  return status;
}

static tune_status read_columns(tune_database *database, sqlite3_stmt *statement,
                                tune_record *record) {
  struct {
    int column;
    char **text;
    bool optional;
  } texts[] = {{1, &record->task, false},     {2, &record->fingerprint, false},
               {3, &record->schedule, false}, {4, &record->config, false},
               {5, &record->script, true},    {7, &record->error, true},
               {8, &record->digest, true},    {22, &record->strategy, false}};
  for (size_t i = 0; i < COUNT_OF(texts); ++i)
    TUNE_RETURN_IF_ERROR(
        texts[i].optional ? copy_optional(statement, texts[i].column, texts[i].text)
                          : tune_database_column_copy(statement, texts[i].column, texts[i].text));
  TUNE_RETURN_IF_ERROR(read_kind(statement, 0, &record->kind));
  const char *verdict = (const char *)sqlite3_column_text(statement, 6);
  TUNE_RETURN_IF_ERROR(tune_verdict_parse(verdict ? verdict : "", &record->verdict));
  record->time.median = sqlite3_column_double(statement, 9);
  record->time.low = sqlite3_column_double(statement, 10);
  record->time.high = sqlite3_column_double(statement, 11);
  record->time.repeats = (uint64_t)sqlite3_column_int64(statement, 12);
  TUNE_RETURN_IF_ERROR(decode_samples(statement, 13, &record->time));
  TUNE_RETURN_IF_ERROR(read_check(statement, &record->run.check));
  for (int i = 0; i < (int)COUNT_OF(stages); ++i)
    record->stage_seconds[stages[i]] = sqlite3_column_double(statement, 16 + i);
  record->seed = (uint64_t)sqlite3_column_int64(statement, 23);
  record->created_ms = sqlite3_column_int64(statement, 24);
  record->code = (tune_code_features){.registers = sqlite3_column_int64(statement, 25),
                                      .spilled_bytes = sqlite3_column_int64(statement, 26),
                                      .shared_bytes = sqlite3_column_int64(statement, 27)};
  record->drift = sqlite3_column_double(statement, 28);
  read_counts(statement, &record->run.counts);
  TUNE_RETURN_IF_ERROR(read_conditions(database, statement, &record->conditions));
  return tune_record_validate(record);
}

// DATA_LOSS where it is not what was written.
static tune_status read_row(tune_database *database, sqlite3_stmt *statement, tune_record *record) {
  tune_digest digest;
  tune_record_init(record);
  TUNE_RETURN_IF_ERROR(read_columns(database, statement, record));
  TUNE_RETURN_IF_ERROR(digest_of(record, &digest));
  const char *kept = (const char *)sqlite3_column_text(statement, DIGEST);
  if (kept && strcmp(digest.text, kept) == 0)
    return TUNE_OK;
  return tune_status_make(TUNE_DATA_LOSS, "its members are not what was written");
}

//===- Moving -----------------------------------------------------------------===//

// A row that is damaged says so as it is now, too: it has no figures, and the digest that it had.
static tune_status move_damaged(tune_database *database, int64_t id) {
  sqlite3_stmt *statement = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_prepare(
      database,
      "INSERT INTO trials(id, digest, task, fingerprint, kind, schedule, config, verdict, error,"
      "    artifact, seconds, created_ms, conditions, figures)"
      "  SELECT id, digest, task, fingerprint, kind, schedule, config, verdict, error, artifact,"
      "    coalesce(median / CASE WHEN drift > 0 THEN drift ELSE 1 END, 0), created_ms,"
      "    conditions, x'' FROM trials_8 WHERE id = ?1",
      &statement));
  bool row;
  tune_status status = tune_database_bind(database, statement, "i", id);
  if (tune_status_is_ok(status))
    status = tune_database_step(database, statement, &row);
  sqlite3_finalize(statement);
  return status;
}

static tune_status move_row(tune_database *database, sqlite3_stmt *statement) {
  int64_t id = sqlite3_column_int64(statement, ID);
  tune_record record;
  bool is_new;
  tune_status status = read_row(database, statement, &record);
  status = tune_database_damaged(database, "a record", status);
  bool is_damaged = tune_status_get_code(status) == TUNE_DATA_LOSS;
  if (tune_status_is_ok(status))
    status = tune_database_insert_record_at(database, &record, id, &is_new);
  tune_record_deinit(&record);
  if (!is_damaged)
    return status;
  tune_status_free(status);
  return move_damaged(database, id);
}

tune_status tune_database_move_schema_8(tune_database *database) {
  sqlite3_stmt *statement = NULL;
  tune_status status = tune_database_prepare(
      database,
      "SELECT " COLUMNS " FROM trials_8 AS r LEFT JOIN tasks AS t ON t.id = r.task"
      "  LEFT JOIN fingerprints AS f ON f.id = r.fingerprint ORDER BY r.rowid",
      &statement);
  bool row = true;
  while (tune_status_is_ok(status)) {
    status = tune_database_step(database, statement, &row);
    if (!tune_status_is_ok(status) || !row)
      break;
    status = move_row(database, statement);
  }
  sqlite3_finalize(statement);
  return status;
}
