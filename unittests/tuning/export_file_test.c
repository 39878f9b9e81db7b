//===- export_file_test.c -----------------------------------------------------===//

#include "export_fixture.h"
#include "space_fixture.h"

#include "support/file.h"
#include "tuning/database/database_transfer.h"
#include "tuning/device/cpu_features.h"
#include "tuning/remote/export_file.h"
#include "tuning/remote/rounds.h"

#include "unittests/common/failing_malloc.h"

#include <unistd.h>

typedef struct fixture {
  char folder[64];
  char export_path[96], damaged_path[96], results_path[96];
  char *bytes; // of the export
  size_t size;
} fixture;

static void write_text(const char *path, const char *text) {
  assert_ok(tune_file_write(path, text, strlen(text)));
}

static tune_status fill_export(tune_export_writer *writer, const tune_export_task *task,
                               const char *artifact) {
  TUNE_RETURN_IF_ERROR(add_task(writer, task, artifact));
  assert_int_equal(tune_export_writer_count(writer), 2);
  return TUNE_OK;
}

static tune_status write_export(void *context) {
  const fixture *f = context;
  char reference[128], artifact[128];
  snprintf(reference, sizeof reference, "%s/reference", f->folder);
  snprintf(artifact, sizeof artifact, "%s/artifact", f->folder);
  json_t *line = json_pack("{s:s, s:s}", "kind", "task", "key", "k1");
  json_t *signature = json_object();
  tune_export_task task = {.line = line,
                           .schedule = "s1",
                           .signature = signature,
                           .reduction = 16,
                           .accumulator = "f32",
                           .reference = reference};
  tune_export_writer *writer;
  tune_status status = tune_export_writer_create(&export_source, &writer);
  if (tune_status_is_ok(status))
    status = fill_export(writer, &task, artifact);
  if (tune_status_is_ok(status))
    status = tune_export_writer_write(writer, f->export_path);
  tune_export_writer_destroy(writer);
  json_decref(line);
  json_decref(signature);
  return status;
}

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  strcpy(f->folder, "/tmp/tune_export_test.XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->export_path, sizeof f->export_path, "%s/a.export", f->folder);
  snprintf(f->damaged_path, sizeof f->damaged_path, "%s/b.export", f->folder);
  snprintf(f->results_path, sizeof f->results_path, "%s/a.results", f->folder);
  char path[128];
  snprintf(path, sizeof path, "%s/reference", f->folder);
  write_text(path, "the plain lowering");
  snprintf(path, sizeof path, "%s/artifact", f->folder);
  write_text(path, "a candidate");
  assert_ok(write_export(f));
  assert_ok(tune_file_read(f->export_path, &f->bytes, &f->size));
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  assert_ok(tune_file_remove_tree(f->folder));
  free(f->bytes);
  free(f);
  return 0;
}

//===- Exports ----------------------------------------------------------------===//

// What goes in comes out; equal artifacts are in the file once.
static void an_export_comes_back(void **state) {
  const fixture *f = *state;
  tune_export *read;
  assert_ok(tune_export_read(f->export_path, &read));
  assert_int_equal(read->blob_count, 2);
  assert_int_equal(tune_export_count(&read->read), 3);
  const json_t *task = tune_export_find_task(read->description, "k1", "s1");
  assert_non_null(task);
  assert_null(tune_export_find_task(read->description, "k1", "s2"));
  const json_t *candidates = json_object_get(task, "candidates");
  assert_int_equal(json_array_size(candidates), 4);
  const json_t *first = json_array_get(candidates, 0), *last = json_array_get(candidates, 3);
  assert_string_equal(json_string_value(json_object_get(first, "seed")), "18446744073709551615");
  assert_false(tune_export_has_result(&read->read.tasks.items[0].candidates.items[1]));
  assert_string_equal(json_string_value(json_object_get(last, "error")), "no such op");
  char *bytes;
  assert_ok(tune_export_extract(read, json_integer_value(json_object_get(first, "artifact")),
                                f->damaged_path));
  assert_ok(tune_file_read(f->damaged_path, &bytes, NULL));
  assert_string_equal(bytes, "a candidate");
  free(bytes);
  assert_fails(tune_export_extract(read, 2, f->damaged_path), TUNE_DATA_LOSS, "does not have");
  tune_export_destroy(read);
}

static tune_status_code read_code(const fixture *f, const char *bytes, size_t size) {
  tune_export *read;
  assert_ok(tune_file_write(f->damaged_path, bytes, size));
  tune_status status = tune_export_read(f->damaged_path, &read);
  tune_status_code code = tune_status_get_code(status);
  tune_status_free(status);
  tune_export_destroy(read);
  return code;
}

// Wherever a file ends too early, that is noticed.
static void a_cut_export_is_refused(void **state) {
  const fixture *f = *state;
  for (size_t size = 0; size < f->size; ++size)
    assert_int_equal(read_code(f, f->bytes, size), TUNE_DATA_LOSS);
  char *longer = malloc(f->size + 1);
  assert_non_null(longer);
  memcpy(longer, f->bytes, f->size);
  longer[f->size] = 0;
  assert_int_equal(read_code(f, longer, f->size + 1), TUNE_DATA_LOSS);
  free(longer);
}

// Whichever byte changes, that is noticed: in the magic it is no export, in the version that of
// another one, anywhere else a damaged one.
static void a_changed_byte_is_noticed(void **state) {
  const fixture *f = *state;
  for (size_t i = 0; i < f->size; ++i) {
    f->bytes[i] ^= 0x20;
    tune_status_code expected = i < 8    ? TUNE_INVALID_ARGUMENT
                                : i < 12 ? TUNE_FAILED_PRECONDITION
                                         : TUNE_DATA_LOSS;
    assert_int_equal(read_code(f, f->bytes, f->size), expected);
    f->bytes[i] ^= 0x20;
  }
}

static void messages_say_what_to_do(void **state) {
  const fixture *f = *state;
  tune_export *read;
  f->bytes[f->size - 1] ^= 1;
  assert_int_equal(read_code(f, f->bytes, f->size), TUNE_DATA_LOSS);
  assert_fails(tune_export_read(f->damaged_path, &read), TUNE_DATA_LOSS,
               "artifact 2 of 2 in the export is damaged; copy it here again");
  f->bytes[f->size - 1] ^= 1;
  f->bytes[8] = 1;
  assert_int_equal(read_code(f, f->bytes, f->size), TUNE_FAILED_PRECONDITION);
  assert_fails(tune_export_read(f->damaged_path, &read), TUNE_FAILED_PRECONDITION,
               "version 1, and this mlir-tune reads version 3; use the same mlir-tune");
  f->bytes[8] = 2;
}

//===- Results ----------------------------------------------------------------===//

static json_t *make_trial(int value) {
  return json_pack("{s:s, s:s, s:s, s:{s:i}}", "kind", "trial", "task", "k1", "schedule", "s1",
                   "config", "mc", value);
}

static bool has_trial(const tune_results *results, int value) {
  json_t *config = json_pack("{s:i}", "mc", value);
  const json_t *trial;
  assert_ok(tune_results_find(results, "k1", "s1", config, &trial));
  json_decref(config);
  return trial != NULL;
}

static void write_results(const fixture *f, int count, bool finishes) {
  tune_results *results;
  assert_ok(tune_results_open(f->results_path, "e1", 3, &results));
  for (int i = 1; i <= count; ++i)
    if (!has_trial(results, i))
      assert_ok(tune_results_append(results, make_trial(i)));
  if (finishes)
    assert_ok(tune_results_finish(results));
  tune_results_destroy(results);
}

// Cut at any byte, results have the whole lines before, and can be completed to what they would
// have been.
static void cut_results_go_on(void **state) {
  const fixture *f = *state;
  char *whole, *again;
  size_t size, again_size;
  write_results(f, 3, true);
  assert_ok(tune_file_read(f->results_path, &whole, &size));
  for (size_t cut = 0; cut < size; ++cut) {
    assert_ok(tune_file_write(f->results_path, whole, cut));
    tune_results *results;
    assert_ok(tune_results_read(f->results_path, &results));
    assert_false(results->is_complete);
    assert_true(results->size <= cut);
    tune_results_destroy(results);
    write_results(f, 3, true);
    assert_ok(tune_file_read(f->results_path, &again, &again_size));
    assert_int_equal(again_size, size);
    assert_memory_equal(again, whole, size);
    free(again);
  }
  free(whole);
}

// Of results that have their end, no changed byte goes unnoticed, but for that of the last line
// end, without which they have none.
static void changed_results_are_noticed(void **state) {
  const fixture *f = *state;
  char *whole;
  size_t size;
  write_results(f, 3, true);
  assert_ok(tune_file_read(f->results_path, &whole, &size));
  for (size_t i = 0; i < size; ++i) {
    tune_results *results;
    whole[i] ^= 0x01;
    assert_ok(tune_file_write(f->results_path, whole, size));
    tune_status status = tune_results_read(f->results_path, &results);
    assert_true(!tune_status_is_ok(status) || !results->is_complete);
    tune_status_free(status);
    tune_results_destroy(results);
    whole[i] ^= 0x01;
  }
  free(whole);
}

// Results of builds that said "loads" for placements are read as those that say it now.
static void old_comparisons_have_placements(void **state) {
  const fixture *f = *state;
  static const struct {
    const char *members;
    json_int_t placements;
  } cases[] = {{"\"loads\":9", 9}, {"\"placements\":4", 4}, {"\"loads\":9,\"placements\":4", 4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[256];
    snprintf(text, sizeof text,
             "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":%d,\"export\":\"e1\"}\n"
             "{\"kind\":\"comparison\",\"task\":\"k1\",\"schedule\":\"s1\",%s}\n",
             TUNE_DATABASE_FORMAT_VERSION, cases[i].members);
    write_text(f->results_path, text);
    tune_results *results;
    assert_ok(tune_results_read(f->results_path, &results));
    const json_t *comparison = tune_results_comparison(results, "k1", "s1");
    assert_int_equal(json_integer_value(json_object_get(comparison, "placements")),
                     cases[i].placements);
    tune_results_destroy(results);
  }
}

static void other_results_are_refused(void **state) {
  const fixture *f = *state;
  tune_results *results, *second;
  write_results(f, 1, false);
  assert_fails(tune_results_open(f->results_path, "e2", 3, &results), TUNE_FAILED_PRECONDITION,
               "results of another export");
  assert_ok(tune_results_open(f->results_path, "e1", 3, &results));
  assert_fails(tune_results_open(f->results_path, "e1", 3, &second), TUNE_ALREADY_EXISTS,
               "another tune-measure writes to it");
  tune_results_destroy(results);
  write_text(f->results_path, "my notes\n");
  assert_fails(tune_results_open(f->results_path, "e1", 3, &results), TUNE_INVALID_ARGUMENT,
               "no results of measuring an export");
  char *kept; // what is somebody else's stays
  assert_ok(tune_file_read(f->results_path, &kept, NULL));
  assert_string_equal(kept, "my notes\n");
  free(kept);
  write_text(f->results_path, "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":2,"
                              "\"export\":\"e1\",\"candidates\":3}\n");
  assert_fails(tune_results_open(f->results_path, "e1", 3, &results), TUNE_FAILED_PRECONDITION,
               "version 2");
}

//===- Rounds -----------------------------------------------------------------===//

static tune_status open_rounds(void *context) {
  const fixture *f = context;
  tune_rounds *rounds;
  tune_status status = tune_rounds_open(f->folder, &rounds);
  tune_rounds_destroy(rounds);
  return status;
}

// A folder is what is in it: a round is pending until its results are all there.
static void rounds_are_read_in_order(void **state) {
  fixture *f = *state;
  tune_rounds *rounds;
  tune_export *exported;
  char digest[33];
  assert_ok(tune_rounds_open(f->folder, &rounds));
  assert_int_equal(tune_rounds_count(rounds), 0);
  assert_int_equal(tune_rounds_get_pending(rounds).number, 0);
  tune_rounds_destroy(rounds);

  snprintf(f->export_path, sizeof f->export_path, "%s/round-1.export", f->folder);
  snprintf(f->results_path, sizeof f->results_path, "%s/round-1.results", f->folder);
  assert_ok(write_export(f));
  assert_ok(tune_export_read(f->export_path, &exported));
  strcpy(digest, exported->digest.text);
  tune_export_destroy(exported);
  tune_results *results;
  assert_ok(tune_results_open(f->results_path, digest, 3, &results));
  assert_ok(tune_results_append(results, make_trial(1)));
  assert_ok(tune_rounds_open(f->folder, &rounds));
  tune_rounds_pending pending = tune_rounds_get_pending(rounds);
  assert_int_equal(pending.number, 1);
  assert_int_equal(pending.candidates, 3);
  assert_int_equal(pending.measured, 1);
  assert_ok(tune_results_finish(results));
  tune_results_destroy(results);
  assert_ok(tune_rounds_refresh(rounds));
  assert_true(tune_rounds_has_results(rounds, 0));
  assert_int_equal(tune_rounds_get_pending(rounds).number, 0);
  const json_t *found;
  json_t *config = json_pack("{s:i}", "mc", 4);
  assert_ok(tune_rounds_find_candidate(rounds, 0, "k1", "s1", config, &found));
  assert_non_null(found);
  assert_ok(tune_rounds_find_result(rounds, 0, "k1", "s1", config, &found));
  assert_null(found);
  json_decref(config);
  tune_rounds_destroy(rounds);

  write_text(f->results_path, "{\"kind\":\"header\",\"format\":\"mlir-tune\",\"version\":1,"
                              "\"export\":\"e1\",\"candidates\":3}\n");
  assert_fails(open_rounds(f), TUNE_FAILED_PRECONDITION, "results of another export than");
  assert_int_equal(unlink(f->results_path), 0);
  snprintf(f->export_path, sizeof f->export_path, "%s/round-2.export", f->folder);
  assert_ok(write_export(f));
  assert_fails(open_rounds(f), TUNE_FAILED_PRECONDITION, "the results of the round before");
}

//===- Memory -----------------------------------------------------------------===//

static tune_status read_export(void *context) {
  const fixture *f = context;
  tune_export *read;
  tune_status status = tune_export_read(f->export_path, &read);
  tune_export_destroy(read);
  return status;
}

static tune_status append_result(void *context) {
  const fixture *f = context;
  tune_results *results;
  unlink(f->results_path);
  tune_status status = tune_results_open(f->results_path, "e1", 1, &results);
  if (tune_status_is_ok(status))
    status = tune_results_append(results, make_trial(1));
  if (tune_status_is_ok(status))
    status = tune_results_finish(results);
  tune_results_destroy(results);
  return status;
}

static void memory_may_run_out(void **state) {
  fixture *f = *state;
  assert_true(tune_fail_each_allocation_and_json(write_export, f) > 50);
  assert_true(tune_fail_each_allocation(read_export, f) > 2);
  assert_true(tune_fail_each_allocation_and_json(append_result, f) > 20);
  snprintf(f->export_path, sizeof f->export_path, "%s/round-1.export", f->folder);
  assert_ok(write_export(f));
  assert_true(tune_fail_each_allocation(open_rounds, f) > 10);
}

//===- CPUs -------------------------------------------------------------------===//

// LLVM is told what Linux says, in its own words; of another architecture there is nothing to tell.
static void features_have_the_names_of_llvm(void **state) {
  (void)state;
  json_t *fingerprint = json_pack("{s:s, s:[s,s,s,s]}", "model", "a CPU", "features", "avx2",
                                  "avx512_vnni", "sse2", "sse4_1");
  char *features;
  assert_ok(tune_cpu_features_to_llvm(fingerprint, &features));
  assert_string_equal(features, "+avx2,+avx512vnni,+sse2,+sse4.1");
  free(features);
  json_decref(fingerprint);
  fingerprint = json_pack("{s:s, s:[s]}", "model", "an Arm", "features", "asimd");
  assert_fails(tune_cpu_features_to_llvm(fingerprint, &features), TUNE_FAILED_PRECONDITION,
               "an Arm is no x86-64 CPU");
  json_decref(fingerprint);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_export_comes_back, setup, teardown),
      cmocka_unit_test_setup_teardown(a_cut_export_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(a_changed_byte_is_noticed, setup, teardown),
      cmocka_unit_test_setup_teardown(messages_say_what_to_do, setup, teardown),
      cmocka_unit_test_setup_teardown(cut_results_go_on, setup, teardown),
      cmocka_unit_test_setup_teardown(changed_results_are_noticed, setup, teardown),
      cmocka_unit_test_setup_teardown(old_comparisons_have_placements, setup, teardown),
      cmocka_unit_test_setup_teardown(other_results_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(rounds_are_read_in_order, setup, teardown),
      cmocka_unit_test_setup_teardown(memory_may_run_out, setup, teardown),
      cmocka_unit_test(features_have_the_names_of_llvm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
