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
    char *features;
    assert_ok(get_facts(names[i], &facts));
    assert_true(facts->is_elsewhere);
    assert_string_equal(tune_target_facts_model(facts), "a GPU");
    assert_ok(tune_device_file_get_features(facts, &features));
    assert_null(features); // which are a CPU's
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_no_fingerprint_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(the_file_says_which_device_is_meant, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
