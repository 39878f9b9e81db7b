//===- cuda_device_test.c - What the cuda target says of its devices --------------------------===//
//
// On a device, or on what stands in for the driver.
//
// Tier: check-all
//
//===--------------------------------------------------------------------------------------===//

#include "targets/cuda/cuda_architecture.h"
#include "targets/cuda/cuda_fingerprint.h"
#include "unittests/targets/cuda_fixture.h"

static void the_fingerprint_makes_sense(void **state) {
  fixture *f = *state;
  const tune_fingerprint *fingerprint = tune_target_cuda.fingerprint(f->target);
  const tune_gpu *gpu = &fingerprint->gpu;
  assert_string_equal(fingerprint->vendor, "NVIDIA");
  for (size_t i = 1; i < fingerprint->features.count; ++i)
    assert_true(strcmp(fingerprint->features.items[i - 1], fingerprint->features.items[i]) < 0);
  assert_true(tune_fingerprint_has_feature(fingerprint, "float16"));
  assert_true(strncmp(gpu->driver, "CUDA ", 5) == 0 && strcmp(gpu->driver + 5, gpu->api) == 0);
  assert_true(strlen(gpu->driver_version) > 0);
  assert_int_equal(gpu->subgroup_size, 32);
  assert_true(gpu->multiprocessors > 0 && gpu->memory_bytes > 0 && gpu->clock_mhz > 0);
  assert_true(gpu->shared_bytes == 49152 && gpu->shared_bytes_most >= 65536);
  // What is known of its architecture is what it says of itself.
  const cuda_architecture *architecture;
  assert_ok(cuda_architecture_find(gpu->arch, &architecture));
  tune_fingerprint known;
  assert_ok(tune_target_cuda.describe(gpu->arch, &known));
  const tune_gpu *any = &known.gpu;
  assert_int_equal(gpu->shared_bytes_most, any->shared_bytes_most);
  assert_int_equal(gpu->shared_bytes_multiprocessor, any->shared_bytes_multiprocessor);
  assert_int_equal(gpu->multiprocessor_invocations, any->multiprocessor_invocations);
  assert_int_equal(gpu->group_registers, any->group_registers);
  assert_int_equal(gpu->multiprocessor_registers, any->multiprocessor_registers);
  assert_int_equal(gpu->group_invocations, any->group_invocations);
  assert_memory_equal(gpu->group_size, any->group_size, sizeof gpu->group_size);
  assert_memory_equal(gpu->group_count, any->group_count, sizeof gpu->group_count);
  assert_int_equal(fingerprint->features.count, known.features.count);
  tune_fingerprint_deinit(&known);
}

// A device has all members of its kind and none of others; an architecture those that its devices
// have in common.
static void its_json_is_that_of_its_kind(void **state) {
  fixture *f = *state;
  json_t *device, *any;
  tune_fingerprint known;
  assert_ok(tune_fingerprint_to_json(tune_target_cuda.fingerprint(f->target), &device));
  assert_ok(tune_target_cuda.describe(NULL, &known));
  assert_ok(tune_fingerprint_to_json(&known, &any));
  const char *const all[] = {"arch", "subgroup_operations", "shared_bytes_most", "group_registers"};
  const char *const own[] = {"driver", "device_type", "multiprocessors", "l2_bytes",
                             "memory_bytes"};
  const char *const none[] = {"caches", "bindings", "texel_buffer_elements", "timestamp_period_ns"};
  for (size_t i = 0; i < 4; ++i) {
    assert_true(json_object_get(device, all[i]) && json_object_get(any, all[i]));
    assert_false(json_object_get(device, none[i]) || json_object_get(any, none[i]));
  }
  for (size_t i = 0; i < 5; ++i) {
    assert_non_null(json_object_get(device, own[i]));
    assert_null(json_object_get(any, own[i]));
  }
  assert_string_equal(json_string_value(json_object_get(any, "model")), "any sm_80");
  tune_fingerprint_deinit(&known);
  json_decref(device);
  json_decref(any);
}

static void architectures_that_are_none_are_refused(void **state) {
  (void)state;
  const char *const wrong[] = {"sm_99", "sm_", "sm_90a", "90", "sm_00090"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    tune_fingerprint fingerprint;
    expect(tune_target_cuda.describe(wrong[i], &fingerprint), TUNE_NOT_FOUND,
           "there are: sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120");
  }
}

static void expect_closed(const char *device, tune_status_code code, const char *message) {
  tune_target *target;
  const tune_target_options options = {.threads = 1, .device = device};
  expect(tune_target_cuda.open(&options, &target), code, message);
  assert_null(target);
}

static void what_is_missing_is_said(void **state) {
  (void)state;
  setenv("TUNE_CUDA_LOADER", "/nowhere/libcuda.so", 1);
  expect_closed(NULL, TUNE_UNAVAILABLE, "install NVIDIA's driver");
  setenv("TUNE_CUDA_LOADER", "libm.so.6", 1);
  expect_closed(NULL, TUNE_UNAVAILABLE, "libm.so.6 has no cu");
  cuda_driver_stand_in();
  setenv("TUNE_FAKE_CUDA_FAULT", "no-device", 1);
  expect_closed(NULL, TUNE_UNAVAILABLE, "there is no NVIDIA GPU here");
  setenv("TUNE_FAKE_CUDA_FAULT", "old-driver", 1);
  expect_closed(NULL, TUNE_UNAVAILABLE, "11.4 is needed; install NVIDIA's driver 470");
  unsetenv("TUNE_FAKE_CUDA_FAULT");
  unsetenv("TUNE_CUDA_LOADER");
  if (is_stand_in)
    cuda_driver_stand_in();
}

static void devices_are_chosen(void **state) {
  fixture *f = *state;
  const tune_fingerprint *fingerprint = tune_target_cuda.fingerprint(f->target);
  expect_closed("no such thing", TUNE_NOT_FOUND, fingerprint->model);
  expect_closed("99", TUNE_NOT_FOUND, "no CUDA device '99'; there are: 0: ");
  expect_closed("sm_30", TUNE_NOT_FOUND, fingerprint->gpu.arch);
  const char *const right[] = {"0", fingerprint->model, fingerprint->gpu.arch, ""};
  for (size_t i = 0; i < 4; ++i) {
    tune_target *target;
    const tune_target_options options = {.threads = 1, .device = right[i]};
    assert_ok(tune_target_cuda.open(&options, &target));
    assert_string_equal(tune_target_cuda.fingerprint(target)->model, fingerprint->model);
    tune_target_cuda.close(target);
  }
  setenv("TUNE_CUDA_DEVICE", "99", 1);
  expect_closed(NULL, TUNE_NOT_FOUND, "'99'");
  unsetenv("TUNE_CUDA_DEVICE");
}

// A quick one. (The stand-in makes its times up.)
static void the_roofline_makes_sense(void **state) {
  fixture *f = *state;
  tune_roofline roofline;
  assert_ok(tune_target_cuda.roofline(f->target, true, &roofline));
  assert_true(roofline.f32 > 0.1 && roofline.f64 > 0.1 && roofline.f16 > 0.1);
  assert_true(roofline.bf16 > 0.1 && roofline.i8 > 0.1 && roofline.tf32 > 0.1);
  assert_int_equal(roofline.level_count, 1);
  assert_string_equal(roofline.levels[0].name, "L2");
  assert_true(roofline.levels[0].gbytes_per_s > 0.1);
  json_t *object;
  assert_ok(tune_roofline_to_json(&roofline, &object));
  assert_non_null(json_object_get(json_object_get(object, "peak"), "f16"));
  assert_non_null(json_object_get(json_object_get(object, "peak"), "tf32"));
  json_decref(object);
}

extern const char tune_cuda_roofline_wgmma[];

// As `text`, with "512" as "  2" and "wgmma_" of names as "short_", which the stand-in runs;
// free().
static char *shorten(const char *text) {
  char *copy = strdup(text);
  assert_non_null(copy);
  for (char *at = copy; (at = strstr(at, "%left, 512")) != NULL; ++at)
    memcpy(at, "%left,   2", strlen("%left, 512"));
  for (char *at = copy; (at = strstr(at, "wgmma_")) != NULL; ++at)
    memcpy(at, "short_", strlen("short_"));
  return copy;
}

// Kernels of the peaks by four warps wait for what has to be waited for, and sum up what is there.
static void peaks_by_four_warps_run(void **state) {
  fixture *f = *state;
  static const char *const TYPES[] = {"f16", "bf16", "tf32", "i8"};
  if (strcmp(tune_target_cuda.fingerprint(f->target)->gpu.arch, "sm_90"))
    skip();
  char *text = shorten(tune_cuda_roofline_wgmma);
  for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; ++i) {
    char rest[512];
    snprintf(
        rest, sizeof rest,
        "'buffers': [{'argument': 0}, {'result': 0}, {'bytes': 1024}]," LAUNCH(
            "short_%s", "[1, 1, 1]", "[256, 1, 1]", "32", "0", "{'buffer': 2, 'written': true}"),
        TYPES[i]);
    char *end = strrchr(rest, ']');
    snprintf(end, sizeof rest - (size_t)(end - rest), ", {'copy': 2, 'to': 1, 'bytes': 64}]");
    write_text(f, rest, text);
    tune_kernel *kernel;
    double seconds;
    assert_ok(load(f, &kernel));
    assert_ok(tune_target_cuda.bind(kernel, &f->argument, 1));
    assert_ok(tune_target_cuda.time(kernel, 1, &seconds));
    const float *sums = read_result(kernel);
    // Sums of products that are not all zero, of the pattern that the kernel puts there.
    for (int k = 0; k < COUNT; ++k)
      assert_true(sums[k] != 0);
    tune_target_cuda.unload(kernel);
  }
  free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  is_stand_in = cuda_driver_choose();
  const struct CMUnitTest tests[] = {
      TEST(the_fingerprint_makes_sense),
      TEST(its_json_is_that_of_its_kind),
      TEST(architectures_that_are_none_are_refused),
      TEST(what_is_missing_is_said),
      TEST(devices_are_chosen),
      TEST(the_roofline_makes_sense),
      TEST(peaks_by_four_warps_run),
  };
  return cmocka_run_group_tests_name("targets/cuda_device", tests, NULL, NULL);
}
