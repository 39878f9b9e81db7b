//===- program_files_test.c - A device program in pieces ---------------------------===//

#include "tools/common/program_files.h"

#include "support/file.h"
#include "support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static tune_scratch *scratch;

static int setup(void **state) {
  (void)state;
  assert_ok(tune_scratch_create(&scratch));
  return 0;
}

static int teardown(void **state) {
  (void)state;
  tune_scratch_destroy(scratch);
  return 0;
}

// "TUNEPRG1", the length of `json`, `json` and `rest`; returns the size.
static size_t make_program(const char *json, const char *rest, char out[512]) {
  size_t length = strlen(json);
  memcpy(out, "TUNEPRG1", 8);
  for (size_t i = 0; i < 4; ++i)
    out[8 + i] = (char)(length >> (8 * i));
  memcpy(out + 12, json, length);
  memcpy(out + 12 + length, rest, strlen(rest));
  return 12 + length + strlen(rest);
}

static void name_file(const char *name, char path[512]) {
  snprintf(path, 512, "%s/%s", tune_scratch_get_path(scratch), name);
}

static void check_file(const char *name, const char *content) {
  char path[512], *bytes;
  size_t size;
  name_file(name, path);
  assert_ok(tune_file_read(path, &bytes, &size));
  assert_int_equal(size, strlen(content));
  assert_memory_equal(bytes, content, size);
  free(bytes);
}

static bool exists(const char *name) {
  char path[512];
  name_file(name, path);
  return access(path, F_OK) == 0;
}

#define PROGRAM(modules)                                                                           \
  "{\"version\": 1, \"target\": \"cuda\", \"modules\": [" modules                                  \
  "], \"buffers\": [], \"steps\": []}"
#define OF_ONE PROGRAM("{\"bytes\": 4}")
#define OF_TWO PROGRAM("{\"bytes\": 1}, {\"bytes\": 1}")
#define OF_THREE PROGRAM("{\"bytes\": 1}, {\"bytes\": 1}, {\"bytes\": 1}")

// One module goes where it is asked for, and what describes it beside it.
static void one_module_is_one_file(void **state) {
  (void)state;
  char bytes[512], path[512];
  size_t size = make_program(OF_ONE, "code", bytes);
  name_file("one.spv", path);
  assert_ok(tune_program_files_write(bytes, size, path));
  check_file("one.spv", "code");
  check_file("one.spv.json", "{\n \"version\": 1,\n \"target\": \"cuda\",\n \"modules\": [\n  {\n"
                             "   \"bytes\": 4\n  }\n ],\n \"buffers\": [],\n \"steps\": []\n}");
  assert_false(exists("one.spv.data"));
}

// Several are numbered before their ending; what follows them is data of constants.
static void several_modules_are_numbered(void **state) {
  (void)state;
  char bytes[512], path[512];
  size_t size = make_program(PROGRAM("{\"bytes\": 4}, {\"bytes\": 2}"), "codekk1234", bytes);
  name_file("two.spv", path);
  assert_ok(tune_program_files_write(bytes, size, path));
  check_file("two.0.spv", "code");
  check_file("two.1.spv", "kk");
  check_file("two.spv.data", "1234");
  assert_false(exists("two.spv"));
}

static void write_as(const char *name, const char *json, const char *rest) {
  char bytes[512], path[512];
  name_file(name, path);
  assert_ok(tune_program_files_write(bytes, make_program(json, rest, bytes), path));
}

// What an earlier program of that name had and this one has not goes; what is somebody else's
// stays.
static void nothing_stale_is_left(void **state) {
  (void)state;
  write_as("new.0.ptx", OF_ONE, "mine");
  write_as("new.ptx", OF_ONE, "code");
  check_file("new.0.ptx", "mine");
  write_as("new.ptx", OF_THREE, "abc1234");
  assert_false(exists("new.ptx"));
  assert_true(exists("new.ptx.data"));
  write_as("new.ptx", OF_TWO, "de");
  check_file("new.0.ptx", "d");
  check_file("new.1.ptx", "e");
  assert_false(exists("new.2.ptx") || exists("new.ptx.data"));
  write_as("new.ptx", OF_ONE, "code");
  check_file("new.ptx", "code");
  assert_false(exists("new.0.ptx") || exists("new.1.ptx"));
}

static void what_is_no_program_is_refused(void **state) {
  (void)state;
  char bytes[512], path[512];
  name_file("bad.spv", path);
  size_t size = make_program(OF_ONE, "code", bytes);
  for (size_t cut = 0; cut < size; ++cut) {
    tune_status status = tune_program_files_write(bytes, cut, path);
    assert_int_equal(tune_status_get_code(status), TUNE_DATA_LOSS);
    tune_status_free(status);
  }
  bytes[0] = 'X';
  tune_status status = tune_program_files_write(bytes, size, path);
  assert_int_equal(tune_status_get_code(status), TUNE_DATA_LOSS);
  tune_status_free(status);
  const char *const incomplete[] = {"{\"version\": 1, \"modules\": [{\"bytes\": 4}]}",
                                    PROGRAM("{\"bytes\": -1}"), PROGRAM("{\"bytes\": 5}")};
  for (size_t i = 0; i < 3; ++i) {
    status = tune_program_files_write(bytes, make_program(incomplete[i], "code", bytes), path);
    assert_int_equal(tune_status_get_code(status), TUNE_DATA_LOSS);
    tune_status_free(status);
  }
  assert_false(exists("bad.spv"));
}

// A description of something else names no files of ours.
static void what_is_somebody_elses_stays(void **state) {
  (void)state;
  char path[512];
  const char *others = "{\"target\": \"cuda\", \"modules\": [1, 2]}";
  write_as("own.1.ptx", OF_ONE, "mine");
  name_file("own.ptx.json", path);
  assert_ok(tune_file_write(path, others, strlen(others)));
  write_as("own.ptx", OF_ONE, "code");
  check_file("own.1.ptx", "mine");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_module_is_one_file),
      cmocka_unit_test(several_modules_are_numbered),
      cmocka_unit_test(nothing_stale_is_left),
      cmocka_unit_test(what_is_no_program_is_refused),
      cmocka_unit_test(what_is_somebody_elses_stays),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
