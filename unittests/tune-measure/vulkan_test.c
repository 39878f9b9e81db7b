//===- vulkan_test.c - Device programs, as a driver has them measured -------------------------===//
//
// On lavapipe, whatever else there is: what drivers of hardware make of bad kernels may take the
// machine along.
//
// Tier: check-all
//
//===--------------------------------------------------------------------------===//

#include "client.h"
#include "unittests/common/program_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1 // limits on address space mean nothing then
#else
#define HAS_SANITIZER 0
#endif

#define DEVICE "'target': 'vulkan', 'device': 'llvmpipe'"

// Opens task "t" on lavapipe, with the CPU's artifact for what is right; skips where that is not
// installed.
static void open_task(void *server) {
  json_t *reply = client_ask(server, "{'do': 'fingerprint', " DEVICE "}");
  bool is_there = json_object_get(reply, "fingerprint") != NULL;
  if (!is_there)
    print_message("skipped: %s\n",
                  json_string_value(json_object_get(json_object_get(reply, "error"), "message")));
  json_decref(reply);
  if (!is_there)
    skip();
  reply = client_ask(server,
                     "{'do': 'open', 'task': 't', " DEVICE ", 'signature': %s,"
                     " 'reference': '" ARTIFACTS "/GOOD.so', 'seed': 7}",
                     client_signature);
  assert_string_equal(client_text(reply, "task"), "t");
  assert_true(client_number(reply, "reference_seconds") > 0);
  json_decref(reply);
}

#define ALL_BUFFERS "{'buffer': 0}, {'buffer': 1, 'written': true}, {'buffer': 2},"

// Writes a program that launches `entry` of `module` on the four buffers of the signature, and one
// of `scratch` bytes that nothing is done with. Returns its path, which lies in the present folder.
static const char *write_program(const char *module, const char *entry, const char *groups,
                                 const char *size, const char *arguments, double scratch) {
  static char path[256];
  char json[2048], code[512];
  snprintf(json, sizeof json,
           "{'target': 'vulkan', 'buffers': [{'argument': 0}, {'argument': 1}, {'argument': 2},"
           " {'result': 0}, {'bytes': %.0f}, {'bytes': %.0f}, {'bytes': %.0f}, {'bytes': %.0f}],"
           " 'steps': [{'launch': '%s', 'module': 0, 'groups': %s, 'group_size': %s,"
           " 'shared_bytes': 0, 'subgroup_size': 0, 'arguments': [%s]}]}",
           scratch, scratch, scratch, scratch, entry, groups, size, arguments);
  snprintf(code, sizeof code, PROGRAM_FILE_SPIRV "/%s.spv", module);
  char folder[200];
  assert_non_null(getcwd(folder, sizeof folder));
  snprintf(path, sizeof path, "%s/tune-measure-%s-%d.program", folder, entry, (int)getpid());
  const char *const modules[] = {code, NULL};
  program_file_write(path, json, modules, NULL, 0);
  return path;
}

static const char *write_axpy(const char *entry) {
  return write_program("axpy", entry, "[32, 1, 1]", "[64, 1, 1]",
                       ALL_BUFFERS "{'buffer': 3, 'written': true}", 64);
}

static void expect(void *server, const char *path, const char *more, const char *verdict,
                   const char *error) {
  json_t *reply = client_ask(
      server, "{'do': 'measure', 'ticket': 5, 'task': 't', 'artifact': '%s'%s}", path, more);
  client_assert_verdict(reply, verdict, error);
  json_decref(reply);
  unlink(path);
}

// Checked against the CPU's reference, with an argument that each run adds to, and timed.
static void good_programs_are_timed(void **state) {
  open_task(*state);
  const char *path = write_axpy("axpy");
  json_t *reply = client_ask(*state, "{'do': 'measure', 'task': 't', 'artifact': '%s'}", path);
  client_assert_verdict(reply, "ok", NULL);
  double median = client_number(reply, "median");
  assert_true(median > 1e-9 && median < 60);
  assert_true(client_number(reply, "check.tolerance") > 0);
  json_decref(reply);
  reply = client_ask(*state,
                     "{'do': 'compare', 'task': 't', 'artifacts': ['%s', '%s'],"
                     " 'measure': {'budget': 0.05}}",
                     path, path);
  client_assert_verdict(reply, "ok", NULL);
  assert_int_equal(json_array_size(json_object_get(reply, "results")), 2);
  json_decref(reply);
  unlink(path);
}

static void wrong_programs_are_found(void **state) {
  open_task(*state);
  expect(*state, write_axpy("wrong"), "", "wrong", "result 0: element [");
  expect(*state, write_program("bad", "outside", "[256, 1, 1]", "[8, 1, 1]", "{'buffer': 0}", 64),
         "", "wrong", "argument 0: it was written");
}

// A kernel that does not end costs its child.
static void hangs_are_stopped(void **state) {
  open_task(*state);
  expect(*state,
         write_program("bad", "endless", "[65535, 65535, 1]", "[8, 1, 1]", "{'buffer': 0}", 64),
         ", 'limits': {'seconds': 2}", "run-timeout", "still running on sparse inputs after 2 s");
  expect(*state, write_axpy("axpy"), "", "ok", NULL);
}

// So does one that brings the driver down: a kernel of texels that is handed a buffer.
static void crashes_of_the_driver_are_verdicts(void **state) {
  open_task(*state);
  expect(*state,
         write_program("transpose", "transpose", "[1, 1, 1]", "[1, 4, 1]",
                       "{'buffer': 0}, {'buffer': 3, 'written': true}", 64),
         "", "run-crashed", "while loading");
  expect(*state, write_axpy("axpy"), "", "ok", NULL);
}

static void files_that_are_none_are_verdicts(void **state) {
  open_task(*state);
  const char *path = write_axpy("axpy");
  assert_int_equal(truncate(path, 500), 0);
  expect(*state, path, "", "run-crashed", "not a device program");
  expect(*state, write_program("axpy", "axpy", "[32, 1, 1]", "[64, 1, 65536]", "{'buffer': 0}", 64),
         "", "run-crashed", "group size in z: 65536");
}

static void memory_is_limited(void **state) {
  if (HAS_SANITIZER)
    skip();
  open_task(*state);
  expect(*state,
         write_program("axpy", "axpy", "[32, 1, 1]", "[64, 1, 1]",
                       ALL_BUFFERS "{'buffer': 3, 'written': true}", 4e8),
         ", 'limits': {'bytes': 1e9}", "run-crashed", "a buffer of 400000000 bytes");
  expect(*state, write_axpy("axpy"), ", 'limits': {'bytes': 1e9}", "ok", NULL);
}

static void devices_that_are_not_there_are_errors(void **state) {
  open_task(*state);
  json_t *reply =
      client_ask(*state, "{'do': 'fingerprint', 'target': 'vulkan', 'device': 'no such thing'}");
  const json_t *error = json_object_get(reply, "error");
  assert_string_equal(client_text(error, "code"), "not found");
  assert_non_null(strstr(client_text(error, "message"), "llvmpipe"));
  json_decref(reply);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, client_setup, client_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(good_programs_are_timed),
      TEST(wrong_programs_are_found),
      TEST(hangs_are_stopped),
      TEST(crashes_of_the_driver_are_verdicts),
      TEST(files_that_are_none_are_verdicts),
      TEST(memory_is_limited),
      TEST(devices_that_are_not_there_are_errors),
  };
  return cmocka_run_group_tests_name("tune-measure/vulkan", tests, NULL, NULL);
}
