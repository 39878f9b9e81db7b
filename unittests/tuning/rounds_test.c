//===- rounds_test.c - Whose folder it is -----------------------------------------===//
//
// What is in a folder is read in export_file_test.c, a search goes through one in
// export_evaluator_test.c.
//
//===--------------------------------------------------------------------------===//

#include "space_fixture.h"

#include "support/file.h"
#include "tuning/remote/rounds.h"

#include <unistd.h>

typedef struct fixture {
  char folder[64], path[96];
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  strcpy(f->folder, "/tmp/tune_rounds_test.XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  assert_ok(tune_file_remove_tree(f->folder));
  free(f);
  return 0;
}

static void write_text(fixture *f, const char *name, const char *text) {
  snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
  assert_ok(tune_file_write(f->path, text, strlen(text)));
}

static tune_status claim(const fixture *f, const char *text) {
  tune_rounds *rounds;
  json_t *identity = json_loads(text, 0, NULL);
  assert_non_null(identity);
  assert_ok(tune_rounds_open(f->folder, &rounds));
  tune_status status = tune_rounds_claim(rounds, identity);
  tune_rounds_destroy(rounds);
  json_decref(identity);
  return status;
}

#define IDENTITY "{\"tasks\": [\"k1\"], \"strategy\": \"random\", \"seed\": 3}"

// The one who comes again is known; a search for something else is told what is different.
static void a_folder_belongs_to_one_search(void **state) {
  const fixture *f = *state;
  assert_ok(claim(f, IDENTITY));
  assert_ok(claim(f, IDENTITY));
  assert_fails(claim(f, "{\"tasks\": [\"k1\"], \"strategy\": \"random\", \"seed\": 4}"),
               TUNE_FAILED_PRECONDITION, "a search with seed=3, and this one has 4");
  assert_fails(claim(f, "{\"tasks\": [\"k2\"], \"strategy\": \"random\", \"seed\": 3}"),
               TUNE_FAILED_PRECONDITION, "a search of another module");
  assert_fails(claim(f, "{\"tasks\": [\"k1\"], \"strategy\": \"random\", \"seed\": 3, \"new\": 1}"),
               TUNE_FAILED_PRECONDITION, "a search with new=nothing, and this one has 1");
  assert_fails(claim(f, "{\"tasks\": [\"k1\"], \"strategy\": \"random\"}"),
               TUNE_FAILED_PRECONDITION, "a search by another mlir-tune");
  assert_ok(claim(f, IDENTITY)); // whom it stays with
}

static void a_damaged_claim_is_no_claim(void **state) {
  fixture *f = *state;
  write_text(f, "search.json", "{\"tasks\":\n[");
  assert_fails(claim(f, IDENTITY), TUNE_DATA_LOSS, "remove it if the rounds are yours");
  char *kept;
  assert_ok(tune_file_read(f->path, &kept, NULL));
  assert_string_equal(kept, "{\"tasks\":\n[");
  free(kept);
}

static void two_cannot_work_in_it(void **state) {
  const fixture *f = *state;
  tune_rounds *rounds, *second;
  assert_ok(tune_rounds_open(f->folder, &rounds));
  assert_fails(tune_rounds_open(f->folder, &second), TUNE_ALREADY_EXISTS,
               "another search works in");
  assert_null(second);
  tune_rounds_destroy(rounds);
  assert_ok(tune_rounds_open(f->folder, &rounds));
  tune_rounds_destroy(rounds);
}

static void a_folder_that_cannot_be_made_is_an_error(void **state) {
  fixture *f = *state;
  tune_rounds *rounds;
  write_text(f, "file", "");
  strcat(f->path, "/rounds");
  tune_status status = tune_rounds_open(f->path, &rounds);
  assert_non_null(strstr(tune_status_get_message(status), f->path));
  tune_status_free(status);
  assert_null(rounds);
}

static void the_device_is_read_and_checked(void **state) {
  fixture *f = *state;
  tune_rounds *rounds;
  write_text(f, "device.json", "{\"target\": \"vulkan\", \"model\": \"llvmpipe\"}");
  assert_ok(tune_rounds_open(f->folder, &rounds));
  const json_t *device = tune_rounds_device(rounds);
  assert_string_equal(json_string_value(json_object_get(device, "model")), "llvmpipe");
  tune_rounds_destroy(rounds);
  write_text(f, "device.json", "a GPU");
  assert_fails(tune_rounds_open(f->folder, &rounds), TUNE_INVALID_ARGUMENT, "device.json:1: ");
  assert_null(rounds);
}

//===- Rounds of several machines ---------------------------------------------===//

// An export of nothing, and results of it by the machine `fingerprint`.
static void add_round(tune_rounds *rounds, const char *fingerprint) {
  tune_export_source source = {
      .target = "vulkan", .threads = 1, .run_seconds = 30, .run_bytes = 8e9};
  tune_export_writer *writer;
  assert_ok(tune_rounds_begin(rounds, &source, &writer));
  assert_ok(tune_rounds_export(rounds));
  tune_rounds_pending pending = tune_rounds_get_pending(rounds);
  tune_export *exported;
  tune_results *results;
  assert_ok(tune_export_read(pending.export_path, &exported));
  assert_ok(tune_results_open(pending.results_path, exported->digest.text, 0, &results));
  assert_ok(tune_results_append(results, json_pack("{s:s, s:s, s:s, s:{s:s}}", "kind",
                                                   "fingerprint", "digest", fingerprint, "target",
                                                   "vulkan", "description", "model", fingerprint)));
  assert_ok(tune_results_finish(results));
  tune_results_destroy(results);
  tune_export_destroy(exported);
}

// Times of two machines say nothing about each other.
static void a_search_is_of_one_machine(void **state) {
  const fixture *f = *state;
  tune_rounds *rounds;
  assert_ok(tune_rounds_open(f->folder, &rounds));
  assert_ok(tune_rounds_export(rounds)); // nothing
  assert_int_equal(tune_rounds_count(rounds), 0);
  assert_null(tune_rounds_fingerprint(rounds));
  add_round(rounds, "one");
  assert_ok(tune_rounds_refresh(rounds));
  assert_string_equal(json_string_value(json_object_get(tune_rounds_fingerprint(rounds), "digest")),
                      "one");
  add_round(rounds, "another");
  assert_fails(tune_rounds_refresh(rounds), TUNE_FAILED_PRECONDITION,
               "another machine or device (another) than those before (one)");
  tune_rounds_destroy(rounds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_folder_belongs_to_one_search, setup, teardown),
      cmocka_unit_test_setup_teardown(a_damaged_claim_is_no_claim, setup, teardown),
      cmocka_unit_test_setup_teardown(two_cannot_work_in_it, setup, teardown),
      cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_made_is_an_error, setup, teardown),
      cmocka_unit_test_setup_teardown(the_device_is_read_and_checked, setup, teardown),
      cmocka_unit_test_setup_teardown(a_search_is_of_one_machine, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
