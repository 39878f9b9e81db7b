//===- cuda_test.c - Device programs of CUDA, as a driver has them measured -------------------===//
//
// On what stands in for NVIDIA's driver, whatever else there is: what hardware makes of bad kernels
// may take the machine along.
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

#include "unittests/common/cuda_driver.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1 // limits on memory mean nothing then
#else
#define HAS_SANITIZER 0
#endif

#define FAULT "TUNE_FAKE_CUDA_FAULT"

// Opens task "t", with the CPU's artifact for what is right.
static void open_task(void *server) {
  json_t *reply = client_ask(server,
                             "{'do': 'open', 'task': 't', 'target': 'cuda', 'signature': %s,"
                             " 'reference': '" ARTIFACTS "/GOOD.so', 'seed': 7}",
                             client_signature);
  assert_string_equal(client_text(reply, "task"), "t");
  assert_true(client_number(reply, "reference_seconds") > 0);
  json_decref(reply);
}

#define ALL_BUFFERS "{'buffer': 0}, {'buffer': 1, 'written': true}, {'buffer': 2},"

// Writes a program that launches `entry` of `module` on buffers of the signature, and one of
// `scratch` bytes that nothing is done with. Returns its path, which lies in the present folder.
static const char *write_program(const char *module, const char *entry, const char *groups,
                                 const char *size, const char *arguments, double scratch) {
  static char path[256];
  char json[2048], code[512];
  snprintf(json, sizeof json,
           "{'target': 'cuda', 'buffers': [{'argument': 0}, {'argument': 1}, {'argument': 2},"
           " {'result': 0}, {'bytes': %.0f}], 'steps': [{'launch': '%s', 'module': 0,"
           " 'groups': %s, 'group_size': %s, 'shared_bytes': 0, 'subgroup_size': 0,"
           " 'arguments': [%s]}]}",
           scratch, entry, groups, size, arguments);
  snprintf(code, sizeof code, PROGRAM_FILE_PTX "/%s.ptx", module);
  char folder[200];
  assert_non_null(getcwd(folder, sizeof folder));
  snprintf(path, sizeof path, "%s/tune-measure-cuda-%s-%d.program", folder, entry, (int)getpid());
  const char *const modules[] = {code, NULL};
  program_file_write(path, json, modules, NULL, 0);
  return path;
}

static const char *write_axpy(const char *entry, double scratch) {
  return write_program("axpy", entry, "[32, 1, 1]", "[64, 1, 1]",
                       ALL_BUFFERS "{'buffer': 3, 'written': true}", scratch);
}

static void expect(void *server, const char *path, const char *more, const char *verdict,
                   const char *error) {
  json_t *reply = client_ask(
      server, "{'do': 'measure', 'ticket': 5, 'task': 't', 'artifact': '%s'%s}", path, more);
  client_assert_verdict(reply, verdict, error);
  json_decref(reply);
  unlink(path);
}

static void the_device_is_described(void **state) {
  json_t *reply = client_ask(*state, "{'do': 'fingerprint', 'target': 'cuda', 'device': 'sm_90'}");
  const json_t *fingerprint = json_object_get(reply, "fingerprint");
  assert_string_equal(client_text(fingerprint, "arch"), "sm_90");
  assert_true(client_number(fingerprint, "multiprocessors") > 0);
  json_decref(reply);
  reply = client_ask(*state, "{'do': 'fingerprint', 'target': 'cuda', 'device': 'no such thing'}");
  assert_string_equal(client_text(json_object_get(reply, "error"), "code"), "not found");
  json_decref(reply);
}

// What is known of an architecture, and of other targets nothing.
static void architectures_are_described(void **state) {
  json_t *reply = client_ask(
      *state, "{'do': 'fingerprint', 'target': 'cuda', 'device': 'sm_120', 'generic': true}");
  const json_t *fingerprint = json_object_get(reply, "fingerprint");
  assert_string_equal(client_text(fingerprint, "model"), "any sm_120");
  assert_true(client_number(fingerprint, "shared_bytes_most") == 99 * 1024);
  json_decref(reply);
  reply = client_ask(*state, "{'do': 'fingerprint', 'target': 'cpu', 'generic': true}");
  assert_non_null(strstr(client_text(json_object_get(reply, "error"), "message"),
                         "nothing is known of any device of the target 'cpu'"));
  json_decref(reply);
}

// Checked against the CPU's reference, with an argument that each run adds to, and timed.
static void good_programs_are_timed(void **state) {
  open_task(*state);
  const char *path = write_axpy("axpy", 64);
  json_t *reply = client_ask(*state, "{'do': 'measure', 'task': 't', 'artifact': '%s'}", path);
  client_assert_verdict(reply, "ok", NULL);
  assert_true(client_number(reply, "median") > 1e-8);
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
  expect(*state, write_axpy("wrong", 64), "", "wrong", "result 0: element [");
  expect(*state, write_program("bad", "outside", "[256, 1, 1]", "[8, 1, 1]", "{'buffer': 0}", 64),
         "", "wrong", "argument 0: it was written");
}

// A kernel that does not end costs its child.
static void hangs_are_stopped(void **state) {
  open_task(*state);
  expect(*state, write_program("bad", "endless", "[1, 1, 1]", "[8, 1, 1]", "{'buffer': 0}", 64),
         ", 'limits': {'seconds': 2}", "run-timeout", "still running on sparse inputs after 2 s");
  expect(*state, write_axpy("axpy", 64), "", "ok", NULL);
}

// So does one that loses the device to its process.
static void faults_are_verdicts(void **state) {
  open_task(*state);
  expect(*state, write_program("bad", "fault", "[1, 1, 1]", "[1, 1, 1]", "", 64), "", "run-crashed",
         "the device was lost: CUDA_ERROR_ILLEGAL_ADDRESS (700)");
  expect(*state, write_axpy("axpy", 64), "", "ok", NULL);
}

static void files_that_are_none_are_verdicts(void **state) {
  open_task(*state);
  const char *path = write_axpy("axpy", 64);
  assert_int_equal(truncate(path, 500), 0);
  expect(*state, path, "", "run-crashed", "not a device program");
  expect(*state, write_program("axpy", "axpy", "[32, 1, 1]", "[64, 1, 65]", "{'buffer': 0}", 64),
         "", "run-crashed", "group size in z: 65");
}

// What is written is limited (the stand-in's device memory is its process's), and not the address
// space, of which drivers reserve more than any limit, as the stand-in does.
static void memory_is_limited_and_address_space_is_not(void **state) {
  if (HAS_SANITIZER)
    skip();
  open_task(*state);
  expect(*state, write_axpy("axpy", 4e8), ", 'limits': {'bytes': 2e8}", "run-crashed",
         "a buffer of 400000000 bytes");
  expect(*state, write_axpy("axpy", 64), ", 'limits': {'bytes': 2e8}", "ok", NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, client_setup, client_teardown)

// Servers inherit the variable.
static int setup_lost(void **state) {
  setenv(FAULT, "lost", 1);
  int result = client_setup(state);
  unsetenv(FAULT);
  return result;
}

static int setup_none(void **state) {
  setenv(FAULT, "no-device", 1);
  int result = client_setup(state);
  unsetenv(FAULT);
  return result;
}

static void devices_that_break_are_verdicts(void **state) {
  open_task(*state);
  expect(*state, write_axpy("axpy", 64), "", "run-crashed", "the device was lost");
}

static void devices_that_are_not_there_are_errors(void **state) {
  open_task(*state);
  const char *path = write_axpy("axpy", 64);
  json_t *reply = client_ask(*state, "{'do': 'measure', 'task': 't', 'artifact': '%s'}", path);
  assert_string_equal(client_text(json_object_get(reply, "error"), "code"), "unavailable");
  json_decref(reply);
  unlink(path);
}

int main(void) {
  cuda_driver_stand_in();
  const struct CMUnitTest tests[] = {
      TEST(the_device_is_described),
      TEST(architectures_are_described),
      TEST(good_programs_are_timed),
      TEST(wrong_programs_are_found),
      TEST(hangs_are_stopped),
      TEST(faults_are_verdicts),
      TEST(files_that_are_none_are_verdicts),
      TEST(memory_is_limited_and_address_space_is_not),
      cmocka_unit_test_setup_teardown(devices_that_break_are_verdicts, setup_lost, client_teardown),
      cmocka_unit_test_setup_teardown(devices_that_are_not_there_are_errors, setup_none,
                                      client_teardown),
  };
  return cmocka_run_group_tests_name("tune-measure/cuda", tests, NULL, NULL);
}
