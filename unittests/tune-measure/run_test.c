//===- run_test.c - The request that tune-run makes -------------------------------------------===//

#include "client.h"
#include "targets/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
  void *server;
  char folder[64];
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  client_setup(&f->server);
  strcpy(f->folder, "/tmp/tune-measure-run-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  client_teardown(&f->server);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", f->folder);
  int failed = system(command);
  free(f);
  return failed;
}

static const tune_value_type matrix = {.element = TUNE_F32, .rank = 2, .shape = {64, 32}};

// Inputs from files and outputs to files: the numbers are those of the definition.
static void files_go_in_and_come_out(void **state) {
  fixture *f = *state;
  char path[128];
  tune_buffer x, y, square;
  assert_null(tune_buffer_init(&x, &matrix));
  for (int i = 0; i < 2048; ++i)
    ((float *)x.data)[i] = (float)i;
  snprintf(path, sizeof path, "%s/x.npy", f->folder);
  assert_null(tune_npy_write(path, &x));
  tune_value_type scalar = {.element = TUNE_F32, .is_scalar = true};
  tune_buffer a;
  assert_null(tune_buffer_init(&a, &scalar));
  *(float *)a.data = 0;
  snprintf(path, sizeof path, "%s/a.npy", f->folder);
  assert_null(tune_npy_write(path, &a));
  snprintf(path, sizeof path, "%s/y0.npy", f->folder);
  assert_null(tune_npy_write(path, &x));

  json_t *reply = client_ask(
      f->server,
      "{'do': 'run', 'ticket': 2, 'target': 'cpu', 'signature': %s,"
      " 'artifacts': ['" ARTIFACTS "/GOOD.so'],"
      " 'inputs': ['%s/x.npy', '%s/y0.npy', '%s/a.npy'], 'outputs': ['%s/y.npy', '%s/r.npy']}",
      client_signature, f->folder, f->folder, f->folder, f->folder, f->folder);
  client_assert_verdict(reply, "ok", NULL);
  assert_null(json_object_get(json_array_get(json_object_get(reply, "results"), 0), "check"));
  assert_int_equal(json_array_size(json_object_get(reply, "shapes")), 3);
  json_decref(reply);

  snprintf(path, sizeof path, "%s/y.npy", f->folder);
  assert_null(tune_npy_read(path, &matrix, &y));
  snprintf(path, sizeof path, "%s/r.npy", f->folder);
  assert_null(tune_npy_read(path, &matrix, &square));
  for (int i = 0; i < 2048; ++i) {
    assert_true(((float *)y.data)[i] == (float)i); // y + 0 * x
    assert_true(((float *)square.data)[i] == (float)i * (float)i);
  }
  tune_buffer_deinit(&x);
  tune_buffer_deinit(&y);
  tune_buffer_deinit(&a);
  tune_buffer_deinit(&square);
}

// With a reference each artifact is checked on its own, and all are timed.
static void several_artifacts_are_checked_and_compared(void **state) {
  fixture *f = *state;
  json_t *reply = client_ask(f->server,
                             "{'do': 'run', 'target': 'cpu', 'signature': %s,"
                             " 'artifacts': ['%s/GOOD.so', '%s/WRONG.so'],"
                             " 'reference': '%s/GOOD.so', 'measure': {'sample_limit': 20}}",
                             client_signature, ARTIFACTS, ARTIFACTS, ARTIFACTS);
  client_assert_verdict(reply, "wrong", "result 0");
  assert_true(client_number(reply, "artifact") == 1);
  const json_t *results = json_object_get(reply, "results");
  client_assert_verdict(json_array_get(results, 0), "ok", NULL);
  client_assert_verdict(json_array_get(results, 1), "wrong", "result 0");
  assert_true(client_number(json_array_get(results, 1), "median") > 0);
  assert_in_range(json_array_size(json_object_get(json_array_get(results, 0), "samples")), 2, 20);
  assert_true(client_number(reply, "reference_seconds") > 0);
  json_decref(reply);
}

// Samples of all placements are there, and ratios over them; outputs are those of one.
static void several_placements_are_one_reply(void **state) {
  fixture *f = *state;
  json_t *reply = client_ask(f->server,
                             "{'do': 'run', 'target': 'cpu', 'signature': %s,"
                             " 'artifacts': ['%s/GOOD.so', '%s/GOOD.so'],"
                             " 'reference': '%s/GOOD.so', 'measure': {'sample_limit': 8}}",
                             client_signature, ARTIFACTS, ARTIFACTS, ARTIFACTS);
  client_assert_verdict(reply, "ok", NULL);
  assert_true(client_number(reply, "placements") == 9);
  for (size_t i = 0; i < 2; ++i) {
    const json_t *result = json_array_get(json_object_get(reply, "results"), i);
    assert_int_equal(json_array_size(json_object_get(result, "samples")), 9 * 8);
    assert_true(client_number(result, "low") <= client_number(result, "median"));
  }
  const json_t *ratio = json_array_get(json_object_get(reply, "ratios"), 1);
  assert_true(client_number(ratio, "low") <= client_number(ratio, "ratio"));
  json_decref(reply);
}

// What writes beyond its memory is not timed, with a reference or without, and nor is what was to
// run beside it.
static void what_does_harm_is_not_timed(void **state) {
  fixture *f = *state;
  static const char *const references[] = {"null", "'" ARTIFACTS "/GOOD.so'"};
  static const char *const artifacts[] = {"BOUNDS", "PAST"};
  for (size_t i = 0; i < 4; ++i) {
    json_t *reply =
        client_ask(f->server,
                   "{'do': 'run', 'target': 'cpu', 'signature': %s,"
                   " 'artifacts': ['%s/GOOD.so', '%s/%s.so'], 'reference': %s}",
                   client_signature, ARTIFACTS, ARTIFACTS, artifacts[i % 2], references[i / 2]);
    client_assert_verdict(reply, "wrong", "it writes outside of its arguments: ");
    assert_true(client_number(reply, "artifact") == 1);
    assert_null(json_object_get(reply, "results"));
    json_decref(reply);
  }
}

static json_t *run_chaotic(void *server, const char *artifact, bool sensitivity) {
  return client_ask(server,
                    "{'do': 'run', 'target': 'cpu', 'signature': %s, 'artifacts': ['%s/%s.so'],"
                    " 'reference': '%s/CHAOTIC.so', 'sensitivity': %s,"
                    " 'measure': {'sample_limit': 4}}",
                    client_signature, ARTIFACTS, artifact, ARTIFACTS,
                    sensitivity ? "true" : "false");
}

// What amplifies roundings is allowed more of them, but no wrong results.
static void the_check_allows_for_what_inputs_amplify(void **state) {
  fixture *f = *state;
  json_t *reply = run_chaotic(f->server, "CHAOTIC_TOO", false);
  client_assert_verdict(reply, "wrong", "result 0");
  json_decref(reply);
  reply = run_chaotic(f->server, "CHAOTIC_TOO", true);
  client_assert_verdict(reply, "ok", NULL);
  json_decref(reply);
  reply = run_chaotic(f->server, "GOOD", true);
  client_assert_verdict(reply, "wrong", "result 0");
  json_decref(reply);
}

// Dimensions that are not known take the size that the file with one has, also in other arguments.
static void unknown_dimensions_follow_the_files(void **state) {
  fixture *f = *state;
  char signature[1024], *at = signature;
  strcpy(signature, client_signature);
  while ((at = strstr(at, "[64, 32]")))
    memcpy(at, "[-1, 32]", 8);
  tune_buffer x;
  assert_null(tune_buffer_init(&x, &matrix));
  char path[128];
  snprintf(path, sizeof path, "%s/x.npy", f->folder);
  assert_null(tune_npy_write(path, &x));
  tune_buffer_deinit(&x);
  json_t *reply = client_ask(f->server,
                             "{'do': 'run', 'target': 'cpu', 'signature': %s,"
                             " 'artifacts': ['%s/GOOD.so'], 'inputs': ['%s/x.npy']}",
                             signature, ARTIFACTS, f->folder);
  client_assert_verdict(reply, "ok", NULL);
  const json_t *shape = json_array_get(json_object_get(reply, "shapes"), 1);
  assert_int_equal(json_integer_value(json_array_get(shape, 0)), 64);
  json_decref(reply);
}

// Threads are pinned, and an OpenMP runtime would be told their number.
static void threads_are_pinned(void **state) {
  fixture *f = *state;
  json_t *reply = client_ask(f->server,
                             "{'do': 'run', 'target': 'cpu', 'signature': %s, 'threads': 1,"
                             " 'cpus': [0], 'artifacts': ['%s/ENVIRONMENT.so'],"
                             " 'outputs': [null, '%s/r.npy']}",
                             client_signature, ARTIFACTS, f->folder);
  client_assert_verdict(reply, "ok", NULL);
  json_decref(reply);
  char path[128];
  snprintf(path, sizeof path, "%s/r.npy", f->folder);
  tune_buffer result;
  assert_null(tune_npy_read(path, &matrix, &result));
  assert_true(((float *)result.data)[0] == 1);
  assert_true(((float *)result.data)[1] == 1);
  tune_buffer_deinit(&result);
}

static void assert_refused(void *server, const char *more, const char *message) {
  json_t *reply = client_ask(server,
                             "{'do': 'run', 'ticket': 1, 'target': 'cpu', 'signature': %s,"
                             " 'artifacts': ['%s/GOOD.so'], %s}",
                             client_signature, ARTIFACTS, more);
  const char *found = client_text(json_object_get(reply, "error"), "message");
  if (!strstr(found, message))
    print_error("got: %s\n", found);
  assert_non_null(strstr(found, message));
  json_decref(reply);
}

static void wrong_files_are_refused(void **state) {
  fixture *f = *state;
  assert_refused(f->server, "'inputs': ['/nowhere/x.npy']", "input 0: ");
  assert_refused(f->server, "'inputs': ['/etc/passwd']", "input 0: /etc/passwd: not an .npy file");
  assert_refused(f->server, "'inputs': [null, null, null, null]", "4 inputs where there are 3");
  assert_refused(f->server, "'inputs': [3]", "\"inputs\": expected an array of strings or null");
  assert_refused(f->server, "'outputs': ['/nowhere/y.npy']", "/nowhere/y.npy");
  assert_refused(f->server, "'outputs': ['a', 'b', 'c']", "at most 2 paths");
  assert_refused(f->server, "'cpus': [0], 'threads': 2", "cannot be pinned");
  assert_refused(f->server, "'cpus': [4095]", "CPU 4095");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(files_go_in_and_come_out),
      TEST(several_artifacts_are_checked_and_compared),
      TEST(several_placements_are_one_reply),
      TEST(what_does_harm_is_not_timed),
      TEST(the_check_allows_for_what_inputs_amplify),
      TEST(unknown_dimensions_follow_the_files),
      TEST(threads_are_pinned),
      TEST(wrong_files_are_refused),
  };
  return cmocka_run_group_tests_name("tune-measure run", tests, NULL, NULL);
}
