//===- database_transfer_test.c - Exports, results and records by name ---------------===//
//
// See database_upkeep_test.c for what exports have in common.
//
//===--------------------------------------------------------------------------===//

#include "database_fixture.h"

#include "support/digest.h"
#include "tuning/space/random.h"

static void refuse(tune_database *database, const char *text, tune_status_code code,
                   const char *part) {
  tune_database_transfer done;
  assert_fails(import_text(database, text, "x.results", &done), code, part);
  assert_int_equal(count_records(database), 0);
}

//===- Results ----------------------------------------------------------------===//

#define RESULTS_HEADER                                                                             \
  "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":1,\"export\":\"e1\","                 \
  "\"candidates\":3}\n"
#define TRIAL(mc)                                                                                  \
  "{\"kind\":\"trial\",\"task\":\"aaaa\",\"fingerprint\":\"ffff\",\"schedule\":\"s\","             \
  "\"config\":{\"mc\":" #mc "},\"verdict\":\"run-crashed\",\"error\":\"SIGSEGV\","                 \
  "\"strategy\":\"random\",\"seed\":\"1\",\"created_ms\":1}\n"
#define FAILURE                                                                                    \
  "{\"kind\":\"failure\",\"task\":\"bbbb\",\"schedule\":\"s\",\"error\":\"no reference\"}\n"
#define COMPARISON "{\"kind\":\"comparison\",\"task\":\"aaaa\",\"schedule\":\"s\"}\n"

// `lines` and the end that `others` have, if these are `records`. Free it.
static char *with_end(const char *lines, const char *others, int records) {
  char *text;
  tune_digest digest = tune_digest_of_bytes(others, strlen(others));
  assert_true(asprintf(&text, "%s{\"kind\":\"end\",\"records\":%d,\"digest\":\"%s\"}\n", lines,
                       records, digest.text) > 0);
  return text;
}

// Results may come in before all is measured, with a line that is being written, and again later:
// what is new is kept, and how much is still to come is told.
static void results_come_in_as_they_grow(void **state) {
  tune_database *database = open_with_task(*state);
  tune_database_transfer done;
  assert_ok(import_text(database, RESULTS_HEADER TRIAL(1) "{\"kind\":\"tri", "x.results", &done));
  assert_int_equal(done.records, 1);
  assert_int_equal(done.awaited, 2);
  const char *lines = RESULTS_HEADER TRIAL(1) FAILURE TRIAL(2) COMPARISON;
  char *whole = with_end(lines, lines, 2);
  assert_ok(import_text(database, whole, "x.results", &done));
  free(whole);
  assert_int_equal(done.records, 1);
  assert_int_equal(done.known, 1);
  assert_int_equal(done.awaited, 0); // the third is of the task that failed
  assert_int_equal(count_records(database), 2);
  tune_database_destroy(database);
}

// The last line tells whether a line before was changed, or is missing.
static void damaged_results_are_refused(void **state) {
  tune_database *database = open_with_task(*state);
  const char *lines = RESULTS_HEADER TRIAL(1);
  char *text = with_end(lines, RESULTS_HEADER TRIAL(2), 1);
  refuse(database, text, TUNE_DATA_LOSS, "x.results:3: the results are damaged");
  free(text);
  text = with_end(lines, lines, 2);
  refuse(database, text, TUNE_DATA_LOSS, "copy them here again; nothing was imported");
  free(text);
  tune_database_destroy(database);
}

// Lines that only results have are none of an export, whose last line has to be whole, too.
static void an_export_is_no_results(void **state) {
  tune_database *database = open_with_task(*state);
  const char *header = "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":1}\n";
  char text[256];
  snprintf(text, sizeof text, "%s%s", header, FAILURE);
  refuse(database, text, TUNE_INVALID_ARGUMENT, "x.results:2: the kind is 'failure', not one of");
  snprintf(text, sizeof text, "%s{\"kind\":\"tri", header);
  refuse(database, text, TUNE_INVALID_ARGUMENT, "x.results:2: not JSON");
  tune_database_destroy(database);
}

static void other_files_are_refused(void **state) {
  tune_database *database = open_with_task(*state);
  refuse(database, "", TUNE_INVALID_ARGUMENT, "x.results:1: the file is empty");
  refuse(database, "TUNEEXPT....", TUNE_INVALID_ARGUMENT, "`tune-measure x.results` measures them");
  refuse(database, "[]\n", TUNE_INVALID_ARGUMENT, "not a JSON object with a \"kind\"");
  refuse(database, TRIAL(1), TUNE_INVALID_ARGUMENT, "the first line is not the header");
  refuse(database, "{\"kind\":\"header\",\"format\":\"mlir-tune\"}", TUNE_INVALID_ARGUMENT,
         "wrong header: ");
  refuse(database, "{\"kind\":\"header\",\"format\":\"other\",\"version\":1}",
         TUNE_INVALID_ARGUMENT, "the format is 'other', not 'mlir-tune'");
  refuse(database, "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":9}",
         TUNE_FAILED_PRECONDITION, "version 9, this mlir-tune reads version 1");
  refuse(database, "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":1,\"export\":\"e\"}",
         TUNE_INVALID_ARGUMENT, "wrong header: ");
  tune_database_destroy(database);
}

//===- Streams ----------------------------------------------------------------===//

// On a full disk an export fails, also where the lines fit into the stream's buffer.
static void a_full_disk_fails_an_export(void **state) {
  tune_database *database = open_with_task(*state);
  const size_t buffers[] = {16, 1 << 16};
  for (size_t i = 0; i < 2; ++i) {
    FILE *full = fopen("/dev/full", "w");
    assert_non_null(full);
    assert_int_equal(setvbuf(full, NULL, _IOFBF, buffers[i]), 0);
    tune_database_transfer done;
    assert_fails(tune_database_export(database, NULL, NULL, full, "/dev/full", &done),
                 TUNE_RESOURCE_EXHAUSTED, "writing /dev/full");
    fclose(full);
  }
  // Nothing of it keeps the database from being used.
  tune_record record = make_record(1e-3, "{\"mc\":64}");
  assert_ok(tune_database_append(database, &record));
  tune_database_destroy(database);
}

static void a_stream_that_cannot_be_read_imports_nothing(void **state) {
  tune_database *database = open_with_task(*state);
  FILE *folder = fopen("/tmp", "r"); // reading fails, opening does not
  assert_non_null(folder);
  tune_database_transfer done;
  tune_status status = tune_database_import(database, folder, "/tmp", &done);
  assert_non_null(strstr(tune_status_get_message(status), "reading /tmp"));
  tune_status_free(status);
  fclose(folder);
  tune_database_destroy(database);
}

//===- In whatever order ------------------------------------------------------===//

static const char *const tasks[] = {"aaaa", "bbbb"}, *const fingerprints[] = {"ffff", "eeee"},
                         *const schedules[] = {"s1", "s2"};

// Trials, winners, failures of what went well before or will, and times that do not hold, at
// milliseconds of their own.
static void append_mixture(tune_database *database, tune_random *random) {
  for (int i = 0; i < 120; ++i) {
    char config[32];
    snprintf(config, sizeof config, "{\"n\":%d}", (int)tune_random_below(random, 8));
    uint64_t kind = tune_random_below(random, 12);
    tune_record record = make_record(1e-3 * (1 + tune_random_unit(random)), config);
    if (kind == 0)
      record = make_failure(TUNE_VERDICT_WRONG, config, "not as the reference");
    else if (kind == 1)
      record.error = "the time of an earlier record does not hold";
    else if (kind <= 3)
      record.kind = TUNE_RECORD_WINNER;
    record.task = (char *)tasks[tune_random_below(random, 2)];
    record.fingerprint = (char *)fingerprints[tune_random_below(random, 2)];
    record.schedule = (char *)schedules[tune_random_below(random, 2)];
    record.digest = config;
    record.created_ms = 1000 + i;
    assert_ok(tune_database_append(database, &record));
  }
}

static int compare_lines(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// `text`, which is changed, as its lines, from 'a' to 'z'. Free the array.
static size_t split(char *text, char ***out_lines) {
  size_t count = 0;
  *out_lines = calloc(strlen(text) + 1, sizeof **out_lines);
  assert_non_null(*out_lines);
  for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
    if (*line)
      (*out_lines)[count++] = line;
  qsort(*out_lines, count, sizeof **out_lines, compare_lines);
  return count;
}

static tune_status print_summary(void *user, const tune_database_summary *s) {
  fprintf(user, "%s %s: %d trials, %d failed, best %a, %d, last %d\n", s->task, s->fingerprint,
          (int)s->trials, (int)s->failed, s->best, s->has_winner, (int)s->last_ms);
  return TUNE_OK;
}

static void print_best(tune_database *database, FILE *stream, int i) {
  const char *task = tasks[i & 1], *fingerprint = fingerprints[i >> 1 & 1],
             *schedule = i < 4 ? NULL : schedules[i / 4 - 1];
  tune_record best;
  tune_status status = tune_database_best(database, task, fingerprint, schedule, &best);
  fprintf(stream, "%s %s %s: ", task, fingerprint, schedule ? schedule : "any");
  if (tune_status_is_ok(status)) {
    fprintf(stream, "%s of %d at %a\n", best.config, (int)best.created_ms, best.time.median);
    tune_record_deinit(&best);
  } else {
    assert_int_equal(tune_status_get_code(status), TUNE_NOT_FOUND);
    fprintf(stream, "none\n");
  }
  tune_status_free(status);
}

// What is looked up in it, listed and exported, as lines from 'a' to 'z': tasks and fingerprints
// stand in the order in which they came. Free it.
static char *tell_all(tune_database *database) {
  char *text, *told, **lines;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  assert_non_null(stream);
  for (int i = 0; i < 12; ++i)
    print_best(database, stream, i);
  assert_ok(tune_database_list(database, NULL, print_summary, stream));
  char *exported;
  assert_ok(export_text(database, &exported));
  fputs(exported, stream);
  free(exported);
  fclose(stream);
  size_t count = split(text, &lines);
  stream = open_memstream(&told, &size);
  assert_non_null(stream);
  for (size_t i = 0; i < count; ++i)
    fprintf(stream, "%s\n", lines[i]);
  fclose(stream);
  free(lines);
  free(text);
  return told;
}

// The export `text` with the lines of each kind shuffled: tasks and fingerprints come ahead of what
// is of them.
static char *shuffle(const char *text, tune_random *random) {
  static const char *const kinds[] = {"header", "task", "fingerprint", ""};
  char *copy = strdup(text), *shuffled, **lines;
  assert_non_null(copy);
  size_t size, count = split(copy, &lines);
  for (size_t i = count - 1; i > 0; --i) {
    size_t other = tune_random_below(random, i + 1);
    char *line = lines[i];
    lines[i] = lines[other];
    lines[other] = line;
  }
  FILE *stream = open_memstream(&shuffled, &size);
  assert_non_null(stream);
  for (int kind = 0; kind < 4; ++kind)
    for (size_t i = 0; i < count; ++i) {
      char begin[32];
      snprintf(begin, sizeof begin, "{\"kind\":\"%s", kinds[kind]);
      if (lines[i] && strncmp(lines[i], begin, strlen(begin)) == 0) {
        fprintf(stream, "%s\n", lines[i]);
        lines[i] = NULL;
      }
    }
  fclose(stream);
  free(lines);
  free(copy);
  return shuffled;
}

// The same records give the same best, list and export, in whatever order they came in.
static void the_order_of_records_has_no_meaning(void **state) {
  fixture *f = *state;
  tune_random random;
  tune_random_init(&random, 1);
  tune_database *database = open_with_task(f);
  put_task(database, "bbbb", 512, 1024, 512);
  put_fingerprint(database, "eeee");
  append_mixture(database, &random);
  char *text, *expected = tell_all(database);
  assert_ok(export_text(database, &text));
  tune_database_destroy(database);
  for (int order = 0; order < 20; ++order) {
    assert_int_equal(unlink(f->path), 0);
    assert_ok(tune_database_open(f->path, &database));
    char *shuffled = shuffle(text, &random);
    tune_database_transfer done;
    assert_ok(import_text(database, shuffled, "shuffled.jsonl", &done));
    assert_int_equal(done.records, 120);
    char *told = tell_all(database);
    assert_string_equal(told, expected);
    free(told);
    free(shuffled);
    tune_database_destroy(database);
  }
  free(expected);
  free(text);
}

//===- Records by name --------------------------------------------------------===//

static void a_record_goes_by_the_beginning_of_its_digest(void **state) {
  tune_database *database = open_with_task(*state);
  tune_digest digests[17];
  for (int i = 0; i < 17; ++i) { // so that two begin alike
    char config[32];
    snprintf(config, sizeof config, "{\"mc\":%d}", i);
    tune_record record = make_record(1e-3 * (i + 1), config);
    assert_ok(tune_database_append(database, &record));
    assert_ok(tune_database_record_digest(&record, &digests[i]));
  }
  tune_record found;
  assert_ok(tune_database_find_record(database, digests[5].text, &found));
  assert_string_equal(found.config, "{\"mc\":5}");
  tune_record_deinit(&found);
  digests[5].text[12] = 0;
  assert_ok(tune_database_find_record(database, digests[5].text, &found));
  assert_string_equal(found.config, "{\"mc\":5}");
  tune_record_deinit(&found);
  int alike[16] = {0}, first = 0;
  for (int i = 0; i < 17; ++i)
    ++alike[strtol((char[]){digests[i].text[0], 0}, NULL, 16)];
  while (alike[first] < 2)
    ++first;
  char text[2] = {"0123456789abcdef"[first]};
  assert_fails(tune_database_find_record(database, text, &found), TUNE_INVALID_ARGUMENT,
               "several records begin with");
  assert_fails(tune_database_find_record(database, "xyz", &found), TUNE_NOT_FOUND,
               "no record 'xyz'; `tune-db show TASK` names them");
  assert_fails(tune_database_find_record(database, "", &found), TUNE_NOT_FOUND, "no record ''");
  tune_database_destroy(database);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(results_come_in_as_they_grow),
      TEST(damaged_results_are_refused),
      TEST(an_export_is_no_results),
      TEST(other_files_are_refused),
      TEST(a_full_disk_fails_an_export),
      TEST(a_stream_that_cannot_be_read_imports_nothing),
      TEST(the_order_of_records_has_no_meaning),
      TEST(a_record_goes_by_the_beginning_of_its_digest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
