//===- fingerprint_test.c - Fingerprints, written and read --------------------------===//

#include "formats/device_facts.h"
#include "formats/fingerprint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"

// Every member that there is, in the order in which it is written, and what is absent or 0 left
// out: records are known by digests of this.
static const char *const TEXTS[] = {
    "{\"target\":\"cpu\",\"vendor\":\"AuthenticAMD\",\"model\":\"AMD EPYC\",\"family\":25,"
    "\"model_number\":-1,\"stepping\":0,\"features\":[\"avx\",\"avx2\"],\"caches\":[{\"level\":1,"
    "\"bytes\":32768,\"line\":64,\"cores\":1}],\"cores\":2,\"vector_bits\":512,"
    "\"vector_registers\":32,\"has_fma\":true,\"has_bf16_dot\":false,\"has_int8_dot\":true}",
    "{\"target\":\"cpu\",\"vendor\":\"any\",\"model\":\"znver4\",\"family\":0,"
    "\"model_number\":0,\"stepping\":0,\"features\":[\"avx\"],\"caches\":[],\"cores\":0,"
    "\"vector_bits\":256,\"vector_registers\":16,\"has_fma\":false,\"has_bf16_dot\":false,"
    "\"has_int8_dot\":false,\"cpu\":\"znver4\",\"triple\":\"x86_64-pc-linux-gnu\"}",
    "{\"target\":\"null\",\"vendor\":\"none\",\"model\":\"times\",\"family\":0,"
    "\"model_number\":0,\"stepping\":0,\"features\":[],\"caches\":[],\"cores\":1,"
    "\"vector_bits\":512,\"vector_registers\":32,\"has_fma\":true,\"has_bf16_dot\":false,"
    "\"has_int8_dot\":false}",
    "{\"target\":\"vulkan\",\"vendor\":\"Mesa\",\"model\":\"llvmpipe\",\"features\":[\"int8\"],"
    "\"driver\":\"llvmpipe\",\"driver_version\":\"0.0.1\",\"api\":\"1.3.230\","
    "\"device_type\":\"cpu\",\"host\":\"AMD EPYC\",\"subgroup_size\":8,"
    "\"subgroup_operations\":[\"basic\",\"vote\"],\"shared_bytes\":32768,"
    "\"group_invocations\":1024,\"group_size\":[1024,512,256],"
    "\"group_count\":[65535,65534,65533],\"storage_buffer_bytes\":134217728,\"memory_bytes\":0,"
    "\"texel_buffer_elements\":134217727,\"push_constant_bytes\":128,\"bindings\":0,"
    "\"timestamp_period_ns\":1.5,\"loop_limit\":65535,"
    "\"cooperative_matrices\":[\"16x16x16 f16 f32\"]}",
    "{\"target\":\"vulkan\",\"vendor\":\"AMD\",\"model\":\"any\",\"features\":[],"
    "\"subgroup_size\":0,\"subgroup_operations\":[],\"shared_bytes\":0,\"group_invocations\":1,"
    "\"group_size\":[1,1,1],\"group_count\":[1,1,1],\"storage_buffer_bytes\":0,"
    "\"memory_bytes\":0,\"texel_buffer_elements\":0,\"push_constant_bytes\":0,\"bindings\":4,"
    "\"timestamp_period_ns\":0.0}",
    "{\"target\":\"cuda\",\"vendor\":\"NVIDIA\",\"model\":\"H100\",\"features\":[\"float16\"],"
    "\"driver\":\"CUDA 13.0\",\"driver_version\":\"580.65.06\",\"api\":\"13.0\","
    "\"device_type\":\"discrete\",\"subgroup_size\":32,\"subgroup_operations\":[\"basic\"],"
    "\"shared_bytes\":49152,\"group_invocations\":1024,\"group_size\":[1024,1024,64],"
    "\"group_count\":[2147483647,65535,65535],\"storage_buffer_bytes\":84825604096,"
    "\"memory_bytes\":84825604096,\"arch\":\"sm_90\",\"multiprocessors\":132,"
    "\"shared_bytes_most\":232448,\"shared_bytes_multiprocessor\":233472,"
    "\"group_registers\":65536,\"multiprocessor_registers\":65535,"
    "\"multiprocessor_invocations\":2048,\"l2_bytes\":52428800,\"clock_mhz\":1980,"
    "\"memory_clock_mhz\":2619,\"memory_bus_bits\":5120}",
    "{\"target\":\"cuda\",\"vendor\":\"NVIDIA\",\"model\":\"any sm_90\",\"features\":[],"
    "\"subgroup_size\":32,\"subgroup_operations\":[\"basic\"],\"shared_bytes\":49152,"
    "\"group_invocations\":1024,\"group_size\":[1024,1024,64],\"group_count\":[1,1,1],"
    "\"arch\":\"sm_90\",\"shared_bytes_most\":232448}",
};

static void a_fingerprint_is_written_as_it_was_read(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; ++i) {
    json_t *object = json_loads(TEXTS[i], 0, NULL), *again;
    assert_non_null(object);
    tune_fingerprint fingerprint;
    assert_ok(tune_fingerprint_from_json(object, &fingerprint));
    assert_ok(tune_fingerprint_to_json(&fingerprint, &again));
    char *text = json_dumps(again, JSON_COMPACT | JSON_REAL_PRECISION(6));
    assert_string_equal(text, TEXTS[i]);
    free(text);
    json_decref(object);
    json_decref(again);
    tune_fingerprint_deinit(&fingerprint);
  }
}

static tune_status read_device(const char *text, tune_device *out) {
  json_t *object = json_loads(text, 0, NULL);
  assert_non_null(object);
  tune_status status = tune_device_read(object, out);
  json_decref(object);
  return status;
}

// What is said counts, also where it is nothing; the rest is as of every device of the target.
static void facts_are_those_that_are_said(void **state) {
  (void)state;
  tune_device device, least = tune_device_least_cuda();
  assert_ok(read_device("{\"target\":\"cuda\",\"arch\":\"sm_90\",\"shared_bytes\":0,"
                        "\"features\":[\"int8\"],\"multiprocessors\":132}",
                        &device));
  assert_int_equal(device.arch, 90);
  assert_int_equal(device.shared_bytes, 0);
  assert_int_equal(device.multiprocessors, 132);
  assert_true(device.has_int8 && !device.has_float16);
  assert_true(device.has_subgroup_vote && device.shared_bytes_most == least.shared_bytes_most);
  assert_memory_equal(device.group_size, least.group_size, sizeof device.group_size);
  assert_ok(read_device("{\"api\":\"1.3.230\",\"loop_limit\":5,\"group_size\":[8,4,2],"
                        "\"subgroup_operations\":[]}",
                        &device));
  assert_true(device.api_major == 1 && device.api_minor == 3 && device.loop_limit == 5);
  assert_true(device.group_size[0] == 8 && device.group_size[2] == 2);
  assert_true(tune_device_is_vulkan(&device) && device.texel_buffer_elements == 65536);
}

static void what_is_wrong_is_named(void **state) {
  (void)state;
  static const char *const WRONG[][2] = {
      {"{\"shared_bytes\":-1}", "the device's fingerprint: \"shared_bytes\": expected"},
      {"{\"features\":[1]}", "the device's fingerprint: \"features\": expected"},
      {"{\"group_size\":[1,2]}", "the device's fingerprint: \"group_size\": expected"},
      {"{\"api\":\"new\"}", "the device's fingerprint: 'new' is not a version"},
      {"{\"target\":\"cuda\",\"arch\":\"90\"}", "'90' is not a compute capability"},
      {"{\"cooperative_matrices\":[\"16x16 f16 f32\"]}", "'16x16 f16 f32' is not a cooperative"},
  };
  for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; ++i) {
    tune_device device;
    tune_status status = read_device(WRONG[i][0], &device);
    assert_int_equal(tune_status_get_code(status), TUNE_INVALID_ARGUMENT);
    assert_non_null(strstr(tune_status_get_message(status), WRONG[i][1]));
    tune_status_free(status);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fingerprint_is_written_as_it_was_read),
      cmocka_unit_test(facts_are_those_that_are_said),
      cmocka_unit_test(what_is_wrong_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
