//===- device_file_test.c - Devices of other machines --------------------------------===//

#include "space_fixture.h"

#include "support/file.h"
#include "tuning/device/device_file.h"

#include <unistd.h>

static char path[64];

static int setup(void **state) {
  (void)state;
  strcpy(path, "/tmp/tune_device_test.XXXXXX");
  int file = mkstemp(path);
  return file < 0 ? -1 : close(file);
}

static int teardown(void **state) {
  (void)state;
  return unlink(path);
}

static void describe(const char *text) { assert_ok(tune_file_write(path, text, strlen(text))); }

static void refuse(const char *text, const char *part) {
  json_t *fingerprint;
  describe(text);
  assert_fails(tune_device_file_read(path, &fingerprint), TUNE_INVALID_ARGUMENT, part);
  assert_null(fingerprint);
}

static void what_is_no_fingerprint_is_refused(void **state) {
  (void)state;
  refuse("", "no fingerprint; it is what `tune-measure --fingerprint` prints");
  refuse("{}", "no fingerprint");
  refuse("{\"target\":\n1 2}", ":2: ");
  refuse("{\"target\": \"cpu\", \"target\": \"cuda\"}", "duplicate");
  refuse("{\"target\": \"cuda\"}", "a device of CUDA without \"arch\"");
  json_t *fingerprint;
  assert_fails(tune_device_file_read("/nowhere/device.json", &fingerprint), TUNE_INVALID_ARGUMENT,
               "the description of a device cannot be read: ");
}

static tune_status get_facts(const char *target, tune_target_facts **out_facts) {
  return tune_device_file_get_facts(path, target, 1, out_facts);
}

// The target's name may say the architecture, if it is the file's.
static void the_file_says_which_device_is_meant(void **state) {
  (void)state;
  describe("{\"target\": \"cuda\", \"arch\": \"sm_90\", \"model\": \"a GPU\"}");
  const char *const names[] = {"cuda", "cuda:sm_90"};
  for (size_t i = 0; i < 2; ++i) {
    tune_target_facts *facts;
    tune_code_cpu cpu;
    assert_ok(get_facts(names[i], &facts));
    assert_true(facts->is_elsewhere);
    assert_string_equal(tune_target_facts_model(facts), "a GPU");
    assert_ok(tune_device_file_get_cpu(facts, &cpu));
    assert_null(cpu.cpu); // which is a CPU's
    tune_target_facts_destroy(facts);
  }
  tune_target_facts *facts;
  assert_fails(get_facts("cuda:sm_80", &facts), TUNE_INVALID_ARGUMENT,
               "so that ':sm_80' in cuda:sm_80 has no meaning; take cuda");
  assert_fails(get_facts("vulkan", &facts), TUNE_INVALID_ARGUMENT,
               "is of the target cuda, not of vulkan");
  assert_fails(get_facts("vulcan", &facts), TUNE_NOT_FOUND, "did you mean 'vulkan'?");
  assert_null(facts);
}

// Of a CPU that is named nobody is asked, and it is the same whether the name or a file says it.
static void a_named_cpu_is_a_device_of_its_own(void **state) {
  (void)state;
  tune_target_facts *facts, *again, *other;
  assert_ok(tune_target_facts_create("cpu:neoverse-v2", 1, &facts));
  assert_ok(tune_target_facts_create("cpu:neoverse-v1", 1, &other));
  assert_string_equal(tune_target_facts_model(facts), "neoverse-v2");
  assert_string_not_equal(facts->digest.text, other->digest.text);
  tune_code_cpu cpu;
  assert_ok(tune_device_file_get_cpu(facts, &cpu));
  assert_string_equal(cpu.cpu, "neoverse-v2");
  assert_string_equal(cpu.triple, "aarch64-unknown-linux-gnu");
  assert_null(cpu.features);

  char *text = json_dumps(facts->fingerprint, 0);
  assert_non_null(text);
  describe(text);
  free(text);
  const char *const names[] = {"cpu", "cpu:neoverse-v2"};
  for (size_t i = 0; i < 2; ++i) {
    assert_ok(get_facts(names[i], &again));
    assert_string_equal(again->digest.text, facts->digest.text);
    assert_string_equal(again->name.device, "neoverse-v2");
    tune_target_facts_destroy(again);
  }
  assert_fails(get_facts("cpu:neoverse-v1", &again), TUNE_INVALID_ARGUMENT,
               "says which device is meant");
  tune_target_facts_destroy(facts);
  tune_target_facts_destroy(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_named_cpu_is_a_device_of_its_own, setup, teardown),
      cmocka_unit_test_setup_teardown(what_is_no_fingerprint_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(the_file_says_which_device_is_meant, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
