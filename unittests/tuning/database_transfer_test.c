//===- database_transfer_test.c - Exports, results and records by name ---------------===//
//
// See database_upkeep_test.c for what exports have in common.
//
//===--------------------------------------------------------------------------===//

#include "database_fixture.h"

#include "support/digest.h"

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
      TEST(a_record_goes_by_the_beginning_of_its_digest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
