//===- database_record.c - A record as a row ---------------------------------===//

#include "tuning/database/database_internal.h"

#include "support/digest.h"
#include "support/json.h"
#include "support/string_builder.h"
#include "support/utf8.h"

#include <endian.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Columns for the seconds of each stage are named in the schema.
_Static_assert(TUNE_STAGE_COUNT == 6, "a new stage needs a column and a migration");
// So are those for what is counted, in the order of the kinds.
_Static_assert(TUNE_COUNT_KINDS == 7, "a new counter needs a column and a migration");

static const char *const kind_names[] = {"trial", "winner"};

//===- A record as it is kept -------------------------------------------------===//

// One form for each content: a compact config, no times where there is none, no NaN and no -0,
// which SQLite does not keep. So a record that went out as JSON and comes back has the same digest.
typedef struct stored {
  tune_record record; // borrows from the record given, but for what is listed next
  char *config;       // owned
  char *error;        // owned, NULL where there is none
  uint8_t *samples;   // owned, little-endian
  tune_digest digest;
} stored;

static void stored_deinit(stored *kept) {
  free(kept->config);
  free(kept->error);
  free(kept->samples);
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static tune_status compact_config(const char *text, char **out_config) {
  json_t *config;
  *out_config = NULL;
  TUNE_RETURN_IF_ERROR(tune_json_load_kept(text, "a config", &config));
  *out_config = tune_json_dump(config, JSON_COMPACT);
  json_decref(config);
  return *out_config ? TUNE_OK : tune_status_out_of_memory("keeping a record");
}

// Errors quote compilers and broken programs, who may say anything: what is not UTF-8 becomes '?',
// since one such byte would keep the whole database from being exported.
static tune_status clean_error(const char *text, char **out_error) {
  *out_error = text ? strdup(text) : NULL;
  if (text && !*out_error)
    return tune_status_out_of_memory("keeping a record");
  if (text && !tune_utf8_is_valid(text))
    for (char *c = *out_error; *c; ++c)
      if (*c & 0x80)
        *c = '?';
  return TUNE_OK;
}

static tune_status encode_samples(const tune_timing *time, uint8_t **out_bytes) {
  *out_bytes = malloc(time->sample_count ? time->sample_count * 8 : 1);
  if (!*out_bytes)
    return tune_status_out_of_memory("keeping a record");
  for (size_t i = 0; i < time->sample_count; ++i) {
    uint64_t bits = htole64(bits_of(time->samples[i]));
    memcpy(*out_bytes + 8 * i, &bits, 8);
  }
  return TUNE_OK;
}

// Records of what older versions knew keep their digest, so each of these begins with its name.
static void add_check_reasons(tune_digest_stream *stream, const tune_check_result *check) {
  if (!check->type[0])
    return;
  tune_digest_stream_add_text(stream, "check");
  tune_digest_stream_add_text(stream, check->type);
  tune_digest_stream_add_text(stream, check->accumulator);
  tune_digest_stream_add_text(stream, check->operands);
  tune_digest_stream_add_number(stream, (uint64_t)check->reduction);
  tune_digest_stream_add_double(stream, check->magnitude);
  tune_digest_stream_add_double(stream, check->leeway);
  tune_digest_stream_add_number(stream, check->is_sparse);
}

static void add_counts(tune_digest_stream *stream, const tune_counts *counts) {
  for (int kind = 0; kind < TUNE_COUNT_KINDS; ++kind) {
    if (!counts->is_known[kind])
      continue;
    tune_digest_stream_add_text(stream, tune_count_name((tune_count_kind)kind));
    tune_digest_stream_add_double(stream, counts->of_run[kind]);
  }
}

static void add_conditions(tune_digest_stream *stream, const tune_kept_conditions *conditions) {
  if (!conditions->is_known)
    return;
  tune_digest_stream_add_text(stream, "conditions");
  tune_digest_stream_add_text(stream, conditions->cpus);
  tune_digest_stream_add_text(stream, conditions->governor);
  tune_digest_stream_add_number(stream, (uint64_t)conditions->cpu_count);
  const double numbers[] = {conditions->load, conditions->others_busy, conditions->stolen};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) // below 0 all are alike
    tune_digest_stream_add_double(stream, numbers[i] >= 0 ? numbers[i] : -1);
}

static tune_status digest_of(const stored *kept, tune_digest *out_digest) {
  const tune_record *record = &kept->record;
  tune_digest_stream *stream;
  TUNE_RETURN_IF_ERROR(tune_digest_stream_create(&stream));
  const char *texts[] = {kind_names[record->kind],
                         record->task,
                         record->fingerprint,
                         record->schedule,
                         kept->config,
                         record->script,
                         tune_verdict_name(record->verdict),
                         kept->error,
                         record->digest,
                         record->strategy};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    // Absent and empty are different.
    tune_digest_stream_add_bytes(stream, texts[i] ? "+" : "-", 1);
    tune_digest_stream_add_text(stream, texts[i] ? texts[i] : "");
  }
  tune_digest_stream_add_double(stream, record->time.median);
  tune_digest_stream_add_double(stream, record->time.low);
  tune_digest_stream_add_double(stream, record->time.high);
  tune_digest_stream_add_number(stream, record->time.repeats);
  tune_digest_stream_add_number(stream, record->time.sample_count);
  tune_digest_stream_add_bytes(stream, kept->samples, 8 * record->time.sample_count);
  tune_digest_stream_add_number(stream, record->check.is_known);
  tune_digest_stream_add_double(stream, record->check.error);
  tune_digest_stream_add_double(stream, record->check.tolerance);
  for (size_t i = 0; i < TUNE_STAGE_COUNT; ++i)
    tune_digest_stream_add_double(stream, record->stage_seconds[i]);
  tune_digest_stream_add_number(stream, record->seed);
  tune_digest_stream_add_number(stream, (uint64_t)record->created_ms);
  // Records from before this was known keep their digest.
  if (record->code.registers > 0) {
    tune_digest_stream_add_number(stream, (uint64_t)record->code.registers);
    tune_digest_stream_add_number(stream, (uint64_t)record->code.spilled_bytes);
    tune_digest_stream_add_number(stream, (uint64_t)record->code.shared_bytes);
  }
  if (record->drift > 0)
    tune_digest_stream_add_double(stream, record->drift);
  add_check_reasons(stream, &record->check);
  add_counts(stream, &record->counts);
  add_conditions(stream, &record->conditions);
  *out_digest = tune_digest_stream_get(stream);
  tune_digest_stream_destroy(stream);
  return TUNE_OK;
}

static tune_status validate_texts(const tune_record *record) {
  const char *texts[] = {record->task,   record->fingerprint, record->schedule, record->config,
                         record->script, record->digest,      record->strategy};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    if (texts[i] && !tune_utf8_is_valid(texts[i]))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "record with a text that is not UTF-8");
  return TUNE_OK;
}

// -0 + 0 is 0.
static void drop_negative_zeros(tune_record *record) {
  tune_check_result *check = &record->check;
  double *const numbers[] = {&record->time.median, &record->time.low, &record->time.high,
                             &record->drift,       &check->error,     &check->tolerance,
                             &check->magnitude,    &check->leeway};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    *numbers[i] += 0.0;
  for (size_t i = 0; i < TUNE_STAGE_COUNT; ++i)
    record->stage_seconds[i] += 0.0;
  for (size_t i = 0; i < TUNE_COUNT_KINDS; ++i)
    record->counts.of_run[i] += 0.0;
}

static tune_status stored_init(stored *kept, const tune_record *record) {
  *kept = (stored){.record = *record};
  TUNE_RETURN_IF_ERROR(tune_record_validate(record));
  TUNE_RETURN_IF_ERROR(validate_texts(record));
  tune_record *own = &kept->record;
  if (!(own->time.median > 0))
    own->time = (tune_timing){0};
  if (!own->check.is_known)
    own->check = (tune_check_result){0};
  else if (!isfinite(own->check.error))
    own->check.error = INFINITY;
  drop_negative_zeros(own);
  tune_status status = compact_config(record->config, &kept->config);
  if (tune_status_is_ok(status))
    status = clean_error(record->error, &kept->error);
  if (tune_status_is_ok(status))
    status = encode_samples(&own->time, &kept->samples);
  if (tune_status_is_ok(status))
    status = digest_of(kept, &kept->digest);
  if (!tune_status_is_ok(status))
    stored_deinit(kept);
  return status;
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

// Values of the insert that may be NULL, counted from 1.
enum {
  FIRST_CHECK = 16, // the error and the limit
  FIRST_REASON = 31,
  REASON_COUNT = 7,
  FIRST_COUNT = FIRST_REASON + REASON_COUNT,
  CONDITIONS = FIRST_COUNT + TUNE_COUNT_KINDS,
};

static const char *text_or_null(const char *text) { return *text ? text : NULL; }

static void bind_nulls(sqlite3_stmt *statement, int first, int count) {
  for (int i = first; i < first + count; ++i)
    sqlite3_bind_null(statement, i);
}

// What is not known stays NULL.
static tune_status bind_counts(const tune_database *database, const tune_counts *counts) {
  for (int kind = 0; kind < TUNE_COUNT_KINDS; ++kind)
    if (counts->is_known[kind] && sqlite3_bind_double(database->insert_trial, FIRST_COUNT + kind,
                                                      counts->of_run[kind]) != SQLITE_OK)
      return tune_database_failure(database);
  return TUNE_OK;
}

// `conditions` is as they are kept, NULL where there are none.
static tune_status run_insert(tune_database *database, const stored *kept, const char *conditions,
                              bool *out_new) {
  const tune_record *record = &kept->record;
  sqlite3_stmt *insert = database->insert_trial;
  const double *stages = record->stage_seconds;
  const tune_check_result *check = &record->check;
  TUNE_RETURN_IF_ERROR(tune_database_bind(
      database, insert,
      "tttttttttt"
      "dddibdd"
      "dddddd"
      "tii"
      "iiid"
      "ttttidd",
      kept->digest.text, record->task, record->fingerprint, kind_names[record->kind],
      record->schedule, kept->config, record->script, tune_verdict_name(record->verdict),
      kept->error, record->digest, record->time.median, record->time.low, record->time.high,
      (int64_t)record->time.repeats, kept->samples, 8 * record->time.sample_count, check->error,
      check->tolerance, stages[0], stages[1], stages[2], stages[3], stages[4], stages[5],
      record->strategy, (int64_t)record->seed, record->created_ms, record->code.registers,
      record->code.spilled_bytes, record->code.shared_bytes, record->drift,
      text_or_null(check->type), text_or_null(check->accumulator), text_or_null(check->operands),
      check->is_sparse ? "sparse" : "dense", check->reduction, check->magnitude, check->leeway));
  if (!check->is_known)
    bind_nulls(insert, FIRST_CHECK, 2);
  if (!check->type[0])
    bind_nulls(insert, FIRST_REASON, REASON_COUNT);
  TUNE_RETURN_IF_ERROR(bind_counts(database, &record->counts));
  if (conditions &&
      sqlite3_bind_text(insert, CONDITIONS, conditions, -1, SQLITE_STATIC) != SQLITE_OK)
    return tune_database_failure(database);
  int code = sqlite3_step(insert);
  if (code == SQLITE_DONE) {
    *out_new = sqlite3_changes(database->connection) > 0;
    return TUNE_OK;
  }
  if (code == SQLITE_CONSTRAINT_NOTNULL)
    return missing_reference(database, record);
  return tune_database_failure(database);
}

tune_status tune_database_record_digest(const tune_record *record, tune_digest *out_digest) {
  stored kept;
  TUNE_RETURN_IF_ERROR(stored_init(&kept, record));
  *out_digest = kept.digest;
  stored_deinit(&kept);
  return TUNE_OK;
}

// Both rows come in, or none: what nothing refers to may be pruned by others.
static tune_status insert_both(tune_database *database, const stored *kept, const char *conditions,
                               bool *out_new) {
  bool is_alone = sqlite3_get_autocommit(database->connection);
  if (is_alone)
    TUNE_RETURN_IF_ERROR(tune_database_begin(database));
  tune_status status = tune_database_put_conditions(database, conditions);
  if (tune_status_is_ok(status))
    status = run_insert(database, kept, conditions, out_new);
  sqlite3_reset(database->insert_trial);
  return is_alone ? tune_database_end(database, status) : status;
}

static tune_status insert_stored(tune_database *database, const stored *kept, bool *out_new) {
  if (!kept->record.conditions.is_known)
    return run_insert(database, kept, NULL, out_new);
  char *conditions;
  TUNE_RETURN_IF_ERROR(tune_database_write_conditions(&kept->record.conditions, &conditions));
  tune_status status = insert_both(database, kept, conditions, out_new);
  sqlite3_clear_bindings(database->insert_trial);
  free(conditions);
  return status;
}

tune_status tune_database_insert_record(tune_database *database, const tune_record *record,
                                        bool *out_new) {
  if (!database->insert_trial)
    TUNE_RETURN_IF_ERROR(tune_database_prepare(
        database,
        "INSERT INTO trials(digest, task, fingerprint, kind, schedule, config, script, verdict,"
        "    error, artifact, median, low, high, repeats, samples, check_error, check_tolerance,"
        "    transform_s, lower_s, optimize_s, codegen_s, link_s, measure_s, strategy, seed,"
        "    created_ms, registers, spilled_bytes, shared_bytes, drift, check_type,"
        "    check_accumulator,"
        "    check_operands, check_inputs, check_reduction, check_magnitude, check_leeway,"
        "    cycles, instructions, flops, cache_misses, branch_misses, page_faults,"
        "    context_switches, conditions)"
        "  VALUES(?1, (SELECT id FROM tasks WHERE key = ?2),"
        "    (SELECT id FROM fingerprints WHERE digest = ?3), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
        "    ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26,"
        "    ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43,"
        "    ?44, (SELECT id FROM conditions WHERE description = ?45))"
        "  ON CONFLICT(digest) DO NOTHING",
        &database->insert_trial));
  stored kept;
  TUNE_RETURN_IF_ERROR(stored_init(&kept, record));
  tune_status status = insert_stored(database, &kept, out_new);
  sqlite3_reset(database->insert_trial);
  sqlite3_clear_bindings(database->insert_trial);
  stored_deinit(&kept);
  return status;
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
  for (size_t i = 0; text && i < sizeof kind_names / sizeof *kind_names; ++i) {
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
  for (int kind = 0; kind < TUNE_COUNT_KINDS; ++kind) {
    int column = 36 + kind;
    counts->is_known[kind] = sqlite3_column_type(statement, column) != SQLITE_NULL;
    counts->of_run[kind] = sqlite3_column_double(statement, column);
  }
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
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
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
  TUNE_RETURN_IF_ERROR(read_check(statement, &record->check));
  for (int i = 0; i < TUNE_STAGE_COUNT; ++i)
    record->stage_seconds[i] = sqlite3_column_double(statement, 16 + i);
  record->seed = (uint64_t)sqlite3_column_int64(statement, 23);
  record->created_ms = sqlite3_column_int64(statement, 24);
  record->code = (tune_code_features){.registers = sqlite3_column_int64(statement, 25),
                                      .spilled_bytes = sqlite3_column_int64(statement, 26),
                                      .shared_bytes = sqlite3_column_int64(statement, 27)};
  record->drift = sqlite3_column_double(statement, 28);
  read_counts(statement, &record->counts);
  TUNE_RETURN_IF_ERROR(tune_database_read_conditions(database, statement, 43, &record->conditions));
  return tune_record_validate(record);
}

// Whether it is what was written: nothing else tells that a bit of a time has changed.
static tune_status verify_digest(sqlite3_stmt *statement, const tune_record *record) {
  tune_digest digest;
  TUNE_RETURN_IF_ERROR(tune_database_record_digest(record, &digest));
  const char *kept = (const char *)sqlite3_column_text(statement, TUNE_DATABASE_RECORD_WIDTH - 1);
  if (kept && strcmp(digest.text, kept) == 0)
    return TUNE_OK;
  return tune_status_make(TUNE_DATA_LOSS, "its members are not what was written");
}

tune_status tune_database_read_row(tune_database *database, sqlite3_stmt *statement,
                                   tune_record *out_record) {
  tune_record_init(out_record);
  tune_status status = read_columns(database, statement, out_record);
  if (tune_status_is_ok(status))
    status = verify_digest(statement, out_record);
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
