//===- target_name_test.c - What a target is called ------------------------------===//

#include "tuning/device/target_name.h"

#include "unittests/common/failing_malloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

static void check(const char *text, tune_target_kind kind, const char *target, const char *device,
                  bool is_generic) {
  tune_target_name name;
  assert_ok(tune_target_name_init(&name, text));
  assert_int_equal(name.kind, kind);
  assert_string_equal(name.target, target);
  assert_int_equal(name.is_generic, is_generic);
  if (device)
    assert_string_equal(name.device, device);
  else
    assert_null(name.device);
  tune_target_name_deinit(&name);
}

// What follows the first colon is the device's, colons and spaces too.
static void names_are_split_at_the_first_colon(void **state) {
  (void)state;
  check("cpu", TUNE_KIND_CPU, "cpu", NULL, false);
  check("cpu:x86-64-v3", TUNE_KIND_CPU, "cpu", "x86-64-v3", false);
  check("cpu:apple-m1", TUNE_KIND_CPU, "cpu", "apple-m1", false);
  check("null", TUNE_KIND_CPU, "null", NULL, false);
  check("vulkan", TUNE_KIND_VULKAN, "vulkan", NULL, false);
  check("vulkan:0", TUNE_KIND_VULKAN, "vulkan", "0", false);
  check("vulkan:llvmpipe (LLVM: 15)", TUNE_KIND_VULKAN, "vulkan", "llvmpipe (LLVM: 15)", false);
  check("vulkan:generic", TUNE_KIND_VULKAN, "vulkan", NULL, true);
  check("cuda:sm_90", TUNE_KIND_CUDA, "cuda", "sm_90", false);
  assert_int_equal(tune_target_kind_of("vulkan"), TUNE_KIND_VULKAN);
  assert_int_equal(tune_target_kind_of("gpu"), TUNE_KIND_CPU);
  assert_int_equal(tune_target_kind_of_name("cuda:sm_90"), TUNE_KIND_CUDA);
  assert_int_equal(tune_target_kind_of_name("vulkan"), TUNE_KIND_VULKAN);
  assert_int_equal(tune_target_kind_of_name("vulkan2:0"), TUNE_KIND_CPU);
}

static void refuse(const char *text, tune_status_code code, const char *part) {
  tune_target_name name;
  tune_status status = tune_target_name_init(&name, text);
  assert_int_equal(tune_status_get_code(status), code);
  if (!strstr(tune_status_get_message(status), part))
    fail_msg("'%s' is not in: %s", part, tune_status_get_message(status));
  tune_status_free(status);
  assert_null(name.target);
  assert_null(name.device);
}

static void wrong_names_are_refused(void **state) {
  (void)state;
  refuse("vulcan:0", TUNE_NOT_FOUND, "did you mean 'vulkan'? There are cpu, vulkan, cuda, null");
  refuse("", TUNE_NOT_FOUND, "no target ''; there are cpu");
  refuse("cpu:3", TUNE_NOT_FOUND, "no CPU '3'");
  refuse("cpu:znver44", TUNE_NOT_FOUND, "near it there are znver4");
  refuse("cpu:generic", TUNE_NOT_FOUND, "no CPU 'generic'"); // there is one of each architecture
  refuse("cpu:", TUNE_INVALID_ARGUMENT, "such as cpu:x86-64-v3");
  refuse("null:znver4", TUNE_INVALID_ARGUMENT, "the target null has no devices");
  refuse("null:generic", TUNE_INVALID_ARGUMENT, "the target null has no devices");
  refuse("vulkan:", TUNE_INVALID_ARGUMENT, "expected a device after 'vulkan:'");
}

static tune_status read_name(void *context) {
  (void)context;
  tune_target_name name;
  TUNE_RETURN_IF_ERROR(tune_target_name_init(&name, "vulkan:llvmpipe"));
  tune_target_name_deinit(&name);
  return TUNE_OK;
}

static void survives_without_memory(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation(read_name, NULL) >= 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_split_at_the_first_colon),
      cmocka_unit_test(wrong_names_are_refused),
      cmocka_unit_test(survives_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
