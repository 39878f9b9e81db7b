//===- memory_test.c - Each allocation of the targets failing once ----------------------------===//

#include "targets/npy.h"
#include "targets/output_check.h"
#include "targets/target.h"
#include "unittests/common/failing_malloc.h"
#include "unittests/common/program_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/cuda_driver.h"
#include "unittests/common/keep_drivers.h"

static const tune_value_type matrix = {.element = TUNE_F32, .rank = 2, .shape = {3, 4}};

static tune_status describe_cpu(void *context) {
  (void)context;
  tune_fingerprint f;
  tune_digest digest;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_of_cpu(&f));
  tune_status status = tune_fingerprint_digest(&f, &digest);
  tune_fingerprint_deinit(&f);
  return status;
}

static void fingerprints_survive(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation(describe_cpu, NULL) > 20);
}

static tune_status print_cpu(void *context) {
  json_t *object = NULL;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_to_json(context, &object));
  json_decref(object);
  tune_roofline roofline = {.threads = 1, .levels = {{"L1", 1, 1}}, .level_count = 1};
  TUNE_RETURN_IF_ERROR(tune_roofline_to_json(&roofline, &object));
  json_decref(object);
  return TUNE_OK;
}

static void writing_json_survives(void **state) {
  (void)state;
  tune_fingerprint f;
  assert_null(tune_fingerprint_of_cpu(&f));
  assert_true(tune_fail_each_allocation_and_json(print_cpu, &f) > 50);
  tune_fingerprint_deinit(&f);
}

static tune_status write_and_read(void *context) {
  tune_buffer out, in;
  TUNE_RETURN_IF_ERROR(tune_buffer_init(&out, &matrix));
  tune_status status = tune_npy_write(context, &out);
  if (tune_status_is_ok(status)) {
    status = tune_npy_read(context, &matrix, &in);
    tune_buffer_deinit(&in);
  }
  tune_buffer_deinit(&out);
  return status;
}

static void npy_survives(void **state) {
  (void)state;
  char path[] = "/tmp/npy-memory-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  assert_true(tune_fail_each_allocation(write_and_read, path) > 4);
  unlink(path);
}

static tune_status run_kernel(void *context) {
  const tune_target_class *cpu = &tune_target_cpu;
  tune_signature signature;
  tune_target *target = NULL;
  tune_kernel *kernel = NULL;
  tune_buffer buffers[3] = {0};
  double seconds;
  TUNE_RETURN_IF_ERROR(tune_signature_from_json(context, &signature));
  tune_status status = cpu->open(&(tune_target_options){.threads = 1}, &target);
  tune_artifact artifact = {CONFORMANCE_ARTIFACT, &signature};
  if (tune_status_is_ok(status))
    status = cpu->load(target, &artifact, &kernel);
  for (size_t i = 0; i < 3 && tune_status_is_ok(status); ++i)
    status = tune_buffer_init(&buffers[i], &signature.arguments[i]);
  if (tune_status_is_ok(status))
    status = cpu->bind(kernel, buffers, 3);
  if (tune_status_is_ok(status))
    status = cpu->time(kernel, 2, &seconds);
  for (size_t i = 0; i < 4 && tune_status_is_ok(status); ++i) {
    tune_buffer output;
    status = cpu->read(kernel, i, &output);
    tune_buffer_deinit(&output);
  }
  cpu->unload(kernel);
  cpu->close(target);
  for (size_t i = 0; i < 3; ++i)
    tune_buffer_deinit(&buffers[i]);
  tune_signature_deinit(&signature);
  return status;
}

static void running_survives(void **state) {
  (void)state;
  json_error_t error;
  json_t *signature = json_loads(
      "{\"entry\": \"tune_entry\", \"arguments\": ["
      " {\"kind\": \"tensor\", \"type\": \"f32\", \"shape\": [5, 4], \"access\": \"read\"},"
      " {\"kind\": \"tensor\", \"type\": \"f32\", \"shape\": [5, 4], \"access\": \"readwrite\"},"
      " {\"kind\": \"scalar\", \"type\": \"i64\"}], \"results\": ["
      " {\"kind\": \"tensor\", \"type\": \"f32\", \"shape\": [4, 5]},"
      " {\"kind\": \"tensor\", \"type\": \"f32\", \"shape\": [5, 4]},"
      " {\"kind\": \"tensor\", \"type\": \"f32\", \"shape\": [5, 4]}]}",
      0, &error);
  assert_non_null(signature);
  assert_true(tune_fail_each_allocation(run_kernel, signature) > 20);
  json_decref(signature);
}

static const char program_path[] = "memory.program";

typedef struct program_context {
  const tune_target_class *methods;
  tune_signature signature;
  tune_buffer argument;
} program_context;

static tune_status run_program(void *context) {
  const program_context *c = context;
  const tune_target_class *methods = c->methods;
  tune_target *target = NULL;
  tune_kernel *kernel = NULL;
  tune_buffer output = {0};
  json_t *fingerprint = NULL;
  double seconds;
  tune_status status = methods->open(&(tune_target_options){.threads = 1}, &target);
  if (tune_status_is_ok(status))
    status = tune_fingerprint_to_json(methods->fingerprint(target), &fingerprint);
  json_decref(fingerprint);
  if (tune_status_is_ok(status))
    status = methods->load(target, &(tune_artifact){program_path, &c->signature}, &kernel);
  if (tune_status_is_ok(status))
    status = methods->bind(kernel, &c->argument, 1);
  if (tune_status_is_ok(status))
    status = methods->time(kernel, 2, &seconds);
  if (tune_status_is_ok(status))
    status = methods->check(kernel);
  if (tune_status_is_ok(status))
    status = methods->read(kernel, 0, &output);
  tune_buffer_deinit(&output);
  if (kernel)
    methods->unload(kernel);
  if (target)
    methods->close(target);
  return status;
}

// With `code` that has the kernel "outside" of programs/bad.*.
static void running_survives_on(const tune_target_class *methods, const char *code) {
  tune_target *target;
  tune_status status = methods->open(&(tune_target_options){.threads = 1}, &target);
  if (!tune_status_is_ok(status)) {
    print_message("skipped: %s\n", tune_status_get_message(status));
    tune_status_free(status);
    skip();
  }
  methods->close(target);
  const char *const modules[] = {code, NULL};
  char json[512];
  snprintf(json, sizeof json,
           "{'target': '%s', 'buffers': [{'argument': 0}, {'result': 0},"
           " {'bytes': 4, 'data': 4}], 'steps': [{'launch': 'outside', 'module': 0,"
           " 'groups': [2, 1, 1], 'group_size': [8, 1, 1], 'shared_bytes': 0,"
           " 'subgroup_size': 0, 'arguments': [{'buffer': 1, 'written': true}]},"
           " {'copy': 2, 'to': 1, 'bytes': 4}]}",
           methods->name);
  program_file_write(program_path, json, modules, "data", 4);
  json_t *signature = json_pack("{ss s[{ss ss s[i] ss}] s[{ss ss s[i]}]}", "entry", "tune_entry",
                                "arguments", "kind", "tensor", "type", "f32", "shape", 16, "access",
                                "read", "results", "kind", "tensor", "type", "f32", "shape", 16);
  program_context c = {.methods = methods};
  assert_null(tune_signature_from_json(signature, &c.signature));
  json_decref(signature);
  assert_null(tune_buffer_init(&c.argument, &c.signature.arguments[0]));
  assert_true(tune_fail_each_allocation(run_program, &c) > 30);
  tune_buffer_deinit(&c.argument);
  tune_signature_deinit(&c.signature);
  unlink(program_path);
}

static void running_on_vulkan_survives(void **state) {
  (void)state;
  running_survives_on(&tune_target_vulkan, PROGRAM_FILE_SPIRV "/bad.spv");
}

static void running_on_cuda_survives(void **state) {
  (void)state;
  running_survives_on(&tune_target_cuda, PROGRAM_FILE_PTX "/bad.ptx");
}

static tune_status measure_cuda(void *context) {
  (void)context;
  tune_target *target;
  tune_roofline roofline;
  TUNE_RETURN_IF_ERROR(tune_target_cuda.open(&(tune_target_options){.threads = 1}, &target));
  tune_status status = tune_target_cuda.roofline(target, true, &roofline);
  tune_target_cuda.close(target);
  return status;
}

static void the_roofline_of_cuda_survives(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation(measure_cuda, NULL) > 60);
}

static tune_status describe_architecture(void *context) {
  (void)context;
  tune_fingerprint f;
  json_t *object = NULL;
  TUNE_RETURN_IF_ERROR(tune_target_cuda.describe("sm_90", &f));
  tune_status status = tune_fingerprint_to_json(&f, &object);
  json_decref(object);
  tune_fingerprint_deinit(&f);
  return status;
}

static void architectures_survive(void **state) {
  (void)state;
  assert_true(tune_fail_each_allocation_and_json(describe_architecture, NULL) > 30);
}

static tune_status explain(void *context) {
  const tune_buffer *buffers = context;
  tune_output_check check = tune_output_check_run(&buffers[0], &buffers[1], (tune_tolerance){0});
  char *text = NULL;
  tune_status status = tune_output_check_to_text(&check, &buffers[0], &buffers[1], &text);
  free(text);
  return status;
}

static void explaining_survives(void **state) {
  (void)state;
  tune_buffer buffers[2];
  for (uint64_t i = 0; i < 2; ++i) {
    assert_null(tune_buffer_init(&buffers[i], &matrix));
    tune_buffer_fill(&buffers[i], i, TUNE_FILL_SIGNED, 1);
  }
  assert_true(tune_fail_each_allocation(explain, buffers) >= 1);
  tune_buffer_deinit(&buffers[0]);
  tune_buffer_deinit(&buffers[1]);
}

int main(void) {
  keep_drivers();
  cuda_driver_stand_in();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fingerprints_survive),
      cmocka_unit_test(writing_json_survives),
      cmocka_unit_test(npy_survives),
      cmocka_unit_test(running_survives),
      cmocka_unit_test(explaining_survives),
      cmocka_unit_test(running_on_vulkan_survives),
      cmocka_unit_test(running_on_cuda_survives),
      cmocka_unit_test(the_roofline_of_cuda_survives),
      cmocka_unit_test(architectures_survive),
  };
  return cmocka_run_group_tests_name("targets/memory", tests, NULL, NULL);
}
