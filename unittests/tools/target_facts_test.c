//===- target_facts_test.c - What passes know of the machine -----------------------===//

#include "tuning/device/target_facts.h"

#include "support/scratch.h"
#include "targets/target.h"
#include "tuning/device/process_target.h"
#include "unittests/common/failing_malloc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static tune_digest digest_of(const char *json, size_t threads, bool flushes_cache) {
  json_t *object = json_loads(json, 0, NULL);
  assert_non_null(object);
  tune_digest digest;
  assert_ok(tune_target_facts_digest(object, threads, flushes_cache, &digest));
  json_decref(object);
  return digest;
}

// Records are found again by a machine that writes its fingerprint down in another order, and are
// those of one thread count, with caches flushed or not, only.
static void digests_are_of_contents_and_threads(void **state) {
  (void)state;
  tune_digest one = digest_of("{\"target\": \"cpu\", \"cores\": 2}", 1, false);
  tune_digest other = digest_of("{ \"cores\":2, \"target\":\"cpu\" }", 1, false);
  assert_true(tune_digest_equal(&one, &other));
  other = digest_of("{\"target\": \"cpu\", \"cores\": 2}", 2, false);
  assert_false(tune_digest_equal(&one, &other));
  other = digest_of("{\"target\": \"cpu\", \"cores\": 3}", 1, false);
  assert_false(tune_digest_equal(&one, &other));
  other = digest_of("{\"target\": \"cpu\", \"cores\": 2}", 1, true);
  assert_false(tune_digest_equal(&one, &other));
}

// The fixed facts of the null target are what the target itself says.
static void null_facts_are_the_targets(void **state) {
  (void)state;
  const tune_target_class *class;
  tune_target *target;
  assert_ok(tune_target_find("null", &class));
  assert_ok(class->open(&(tune_target_options){.threads = 1}, &target));
  json_t *fingerprint, *roofline_json;
  assert_ok(tune_fingerprint_to_json(class->fingerprint(target), &fingerprint));
  tune_roofline roofline;
  assert_ok(class->roofline(target, false, &roofline));
  assert_ok(tune_roofline_to_json(&roofline, &roofline_json));

  tune_target_facts *facts;
  assert_ok(tune_target_facts_create("null", 1, &facts));
  assert_true(json_equal(facts->fingerprint, fingerprint));
  assert_null(facts->roofline);
  assert_true(tune_target_facts_peak(facts, "f32") == 0);
  assert_true(tune_target_facts_bandwidth(facts, 100) == 0);
  assert_ok(tune_target_facts_read_roofline(facts, NULL));
  assert_true(json_equal(facts->roofline, roofline_json));

  // Types without a unit of their own run on that of f32; a working set is served by the nearest
  // level that holds it, which was measured with half of it filled.
  static const struct {
    const char *name;
    double peak;
  } TYPES[] = {{"f64", 50e9},   {"f32", 100e9}, {"f16", 100e9},
               {"bf16", 100e9}, {"i8", 0},      {"i32", 0}};
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; ++i)
    assert_true(tune_target_facts_peak(facts, TYPES[i].name) == TYPES[i].peak);
  assert_true(tune_target_facts_bandwidth(facts, 1000) == 200e9);
  assert_true(tune_target_facts_bandwidth(facts, 65536) == 200e9);
  assert_true(tune_target_facts_bandwidth(facts, 500e3) == 100e9);
  assert_true(tune_target_facts_bandwidth(facts, 1e9) == 20e9);
  assert_true(tune_target_facts_peak(facts, "") == 0);

  tune_target_facts_destroy(facts);
  json_decref(fingerprint);
  json_decref(roofline_json);
  class->close(target);
}

static tune_database *open_database(tune_scratch **out_scratch) {
  assert_ok(tune_scratch_create(out_scratch));
  char path[4096];
  snprintf(path, sizeof path, "%s/facts.db", tune_scratch_get_path(*out_scratch));
  tune_database *database;
  assert_ok(tune_database_open(path, &database));
  return database;
}

// A roofline is measured once: what the database has counts from then on.
static void rooflines_are_kept(void **state) {
  (void)state;
  tune_scratch *scratch;
  tune_database *database = open_database(&scratch);
  tune_target_facts *facts;
  assert_ok(tune_target_facts_create("null", 2, &facts));
  assert_ok(tune_target_facts_put(facts, database));
  char *target, *description;
  assert_ok(tune_database_get_fingerprint(database, facts->digest.text, &target, &description));
  assert_string_equal(target, "null");
  json_t *kept = json_loads(description, 0, NULL);
  assert_int_equal(json_integer_value(json_object_get(kept, "threads")), 2);
  assert_null(json_object_get(kept, "roofline"));
  assert_string_equal(json_string_value(json_object_get(kept, "model")), "synthetic times");
  free(target);
  free(description);

  assert_ok(tune_target_facts_read_roofline(facts, database));
  assert_true(tune_target_facts_peak(facts, "f32") == 100e9);
  tune_target_facts_destroy(facts);

  // Had it been measured again, it would not be the one that somebody put there.
  json_t *roofline = json_pack("{s:{s:f}}", "peak", "f32", 7.0);
  json_object_set_new(kept, "roofline", roofline);
  char *text = json_dumps(kept, 0);
  json_decref(kept);
  assert_ok(tune_target_facts_create("null", 2, &facts));
  assert_ok(tune_database_put_fingerprint(database, facts->digest.text, "null", text));
  free(text);
  assert_ok(tune_target_facts_put(facts, database)); // leaves what is there
  assert_ok(tune_target_facts_read_roofline(facts, database));
  assert_true(tune_target_facts_peak(facts, "f32") == 7e9);
  tune_target_facts_destroy(facts);
  tune_database_destroy(database);
  tune_scratch_destroy(scratch);
}

// What a task takes at best is what its arithmetic or its bytes take, whichever is longer; flushed
// caches hold nothing.
static void roofs_are_of_arithmetic_or_memory(void **state) {
  (void)state;
  tune_target_facts *facts;
  assert_ok(tune_target_facts_create("null", 1, &facts));
  tune_task task = {.type = "f32", .flops = 200e9, .bytes = 1e9};
  assert_true(tune_target_facts_percent_of_roofline(facts, &task, 4) == 0); // nothing is known yet
  assert_ok(tune_target_facts_read_roofline(facts, NULL));
  double at_best = 200e9 / tune_target_facts_peak(facts, "f32"); // the bytes take less
  assert_true(at_best > 0);
  assert_float_equal(tune_target_facts_percent_of_roofline(facts, &task, 2 * at_best), 50, 1e-9);
  task.bytes = 80e9;
  at_best = 80e9 / tune_target_facts_bandwidth(facts, 80e9); // longer than the arithmetic
  assert_float_equal(tune_target_facts_percent_of_roofline(facts, &task, 2 * at_best), 50, 1e-9);
  task.flops = 0;
  assert_float_equal(tune_target_facts_percent_of_roofline(facts, &task, 2 * at_best), 50, 1e-9);
  assert_true(tune_target_facts_percent_of_roofline(facts, &task, 0) == 0);
  facts->flushes_cache = true;
  assert_true(tune_target_facts_bandwidth(facts, 1000) == 20e9);
  char text[TUNE_TARGET_FACTS_TEXT];
  assert_non_null(strstr(tune_target_facts_describe(facts, text), ", caches flushed,"));
  tune_target_facts_destroy(facts);
}

// A child of `parent` that was started after this process, which is one, or 0.
static pid_t younger_child(pid_t parent) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
  FILE *file = fopen(path, "re");
  int child = 0, found = 0;
  for (bool is_younger = false; file && !found && fscanf(file, "%d", &child) == 1;
       is_younger = is_younger || child == (int)getpid())
    found = is_younger ? child : 0;
  if (file)
    fclose(file);
  return found;
}

// Starts a process that kills the next child of this one, once.
static pid_t start_killer(void) {
  pid_t killer = fork(), victim = 0;
  assert_true(killer >= 0);
  if (killer)
    return killer;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (!(victim = younger_child(getppid())))
    usleep(1000);
  usleep(20000); // it asks for something now
  _exit(kill(victim, SIGKILL) != 0);
}

static void expect_killed(pid_t killer) {
  int status;
  assert_int_equal(waitpid(killer, &status, 0), killer);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A CPU's is measured where the database has none, and kept there: looking once more only makes it
// higher, as what is measured beside other work is too low. What is killed while it measures is
// started once more.
static void a_cpus_roofline_is_measured_and_kept(void **state) {
  (void)state;
  tune_scratch *scratch;
  tune_database *database = open_database(&scratch);
  tune_target_facts *facts, *again;
  assert_ok(tune_target_facts_create("cpu", 1, &facts));
  assert_null(tune_target_facts_device(facts));
  assert_string_not_equal(tune_target_facts_model(facts), "");
  assert_ok(tune_target_facts_doubt_roofline(facts, database)); // of which there is none
  assert_null(facts->roofline);
  pid_t killer = start_killer();
  assert_ok(tune_target_facts_read_roofline(facts, database));
  expect_killed(killer);
  double peak = tune_target_facts_peak(facts, "f32");
  assert_true(peak > 0);
  assert_true(tune_target_facts_peak(facts, "bf16") > 0);
  assert_true(tune_target_facts_bandwidth(facts, 1000) > 0);
  assert_ok(tune_target_facts_create("cpu", 1, &again));
  assert_ok(tune_target_facts_read_roofline(again, database));
  assert_true(tune_target_facts_peak(again, "f32") >= peak);
  assert_ok(tune_target_facts_doubt_roofline(again, database));
  assert_true(tune_target_facts_peak(again, "f32") >= peak);
  tune_target_facts_destroy(facts);
  tune_target_facts_destroy(again);
  tune_database_destroy(database);
  tune_scratch_destroy(scratch);
}

static const char SOFTWARE[] = "{\"target\": \"vulkan\", \"device_type\": \"cpu\"}";
static const char HARDWARE[] = "{\"target\": \"vulkan\", \"device_type\": \"discrete\"}";

static void check_known(const char *json, size_t threads, const char *description) {
  json_t *fingerprint = json_loads(json, 0, NULL);
  tune_target_facts *facts;
  assert_ok(tune_target_facts_create_known("vulkan", fingerprint, 4, &facts));
  assert_int_equal(facts->threads, threads);
  assert_true(json_equal(tune_target_facts_device(facts), fingerprint));
  tune_digest digest = digest_of(json, threads, false);
  assert_true(tune_digest_equal(&facts->digest, &digest));
  char text[TUNE_TARGET_FACTS_TEXT];
  assert_string_equal(tune_target_facts_describe(facts, text), description);
  assert_ok(tune_target_facts_require_device(facts));
  tune_target_facts_destroy(facts);
  json_decref(fingerprint);
}

// Threads tell records of a CPU apart, also where it plays a GPU, and mean nothing to a real one.
static void devices_know_their_threads(void **state) {
  (void)state;
  check_known(SOFTWARE, 4, "target vulkan and 4 threads");
  check_known(HARDWARE, 1, "target vulkan");
}

static void check_generic(tune_target_facts *facts) {
  assert_true(facts->name.is_generic);
  assert_null(tune_target_facts_device(facts));
  char text[TUNE_TARGET_FACTS_TEXT];
  assert_string_equal(tune_target_facts_describe(facts, text), "target vulkan:generic");
  tune_status status = tune_target_facts_require_device(facts);
  assert_int_equal(tune_status_get_code(status), TUNE_FAILED_PRECONDITION);
  tune_status_free(status);
  tune_target_facts_destroy(facts);
}

// Nobody is asked about any device, and nothing can be timed on it.
static void any_device_has_facts(void **state) {
  (void)state;
  tune_target_facts *facts;
  assert_ok(tune_target_facts_create("vulkan:generic", 4, &facts));
  check_generic(facts);
  assert_ok(tune_target_facts_create_for_code("vulkan:generic", 1, &facts));
  check_generic(facts);
  assert_ok(tune_target_facts_create_known("vulkan", NULL, 1, &facts));
  check_generic(facts);
}

static void assert_arch(const tune_target_facts *facts, const char *arch) {
  const json_t *device = tune_target_facts_device(facts);
  assert_string_equal(json_string_value(json_object_get(device, "arch")), arch);
}

// Where no device of an architecture is here, tune-measure says what all of them have: enough to
// make code for, and nothing to time on. CUDA without an architecture is not enough.
static void architectures_have_facts(void **state) {
  (void)state;
  setenv("TUNE_CUDA_LOADER", "/nowhere", 1);
  tune_target_facts *facts;
  assert_ok(tune_target_facts_create("cuda:sm_90", 1, &facts));
  assert_true(facts->name.is_generic);
  assert_arch(facts, "sm_90");
  assert_int_equal(json_integer_value(json_object_get(facts->fingerprint, "shared_bytes_most")),
                   232448);
  char text[TUNE_TARGET_FACTS_TEXT];
  assert_string_equal(tune_target_facts_describe(facts, text), "target cuda:sm_90");
  tune_status status = tune_target_facts_require_device(facts);
  assert_non_null(strstr(tune_status_get_message(status), "nothing can be timed on cuda:sm_90, of "
                                                          "which no device is here"));
  tune_status_free(status);
  tune_target_facts_destroy(facts);
  assert_ok(tune_target_facts_create("cuda:generic", 1, &facts));
  assert_arch(facts, "sm_80");
  tune_target_facts_destroy(facts);

  status = tune_target_facts_create("cuda:sm_99", 1, &facts);
  assert_int_equal(tune_status_get_code(status), TUNE_NOT_FOUND);
  assert_non_null(strstr(tune_status_get_message(status), "sm_89, sm_90, sm_100"));
  tune_status_free(status);
  status = tune_target_facts_create_for_code("cuda", 1, &facts);
  assert_int_equal(tune_status_get_code(status), TUNE_UNAVAILABLE);
  assert_non_null(strstr(tune_status_get_message(status), "as in cuda:sm_90"));
  tune_status_free(status);
  unsetenv("TUNE_CUDA_LOADER");
}

// A worker plans a module by what the CPU has that it is for, and where that is this one it looks
// itself.
static void workers_are_told_of_other_cpus(void **state) {
  (void)state;
  tune_target_facts *facts;
  assert_ok(tune_target_facts_create("cpu:x86-64-v2", 1, &facts));
  tune_process_target target = tune_process_target_of(facts);
  assert_string_equal(target.cpu, "x86-64-v2");
  assert_ptr_equal(target.fingerprint, facts->fingerprint);
  tune_target_facts_destroy(facts);
  assert_ok(tune_target_facts_create("cpu", 1, &facts));
  target = tune_process_target_of(facts);
  assert_null(target.cpu);
  assert_null(target.fingerprint);
  tune_target_facts_destroy(facts);
}

static tune_status make_facts(void *context) {
  (void)context;
  tune_target_facts *facts;
  TUNE_RETURN_IF_ERROR(tune_target_facts_create("null", 1, &facts));
  tune_status status = tune_target_facts_read_roofline(facts, NULL);
  tune_target_facts_destroy(facts);
  return status;
}

static void survives_without_memory(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation_and_json(make_facts, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digests_are_of_contents_and_threads),
      cmocka_unit_test(null_facts_are_the_targets),
      cmocka_unit_test(roofs_are_of_arithmetic_or_memory),
      cmocka_unit_test(a_cpus_roofline_is_measured_and_kept),
      cmocka_unit_test(devices_know_their_threads),
      cmocka_unit_test(any_device_has_facts),
      cmocka_unit_test(architectures_have_facts),
      cmocka_unit_test(rooflines_are_kept),
      cmocka_unit_test(workers_are_told_of_other_cpus),
      cmocka_unit_test(survives_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
