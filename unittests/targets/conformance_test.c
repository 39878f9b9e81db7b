//===- conformance_test.c - What every target does --------------------------------------------===//
//
// The same tests on each target, with an artifact of its own kind; a target that is not available
// here is skipped, but cuda, for whose driver a library stands in.
//
//===--------------------------------------------------------------------------===//

#include "targets/target.h"
#include "unittests/common/program_file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/cuda_driver.h"
#include "unittests/common/keep_drivers.h"

#define ROWS 10

typedef struct fixture {
  const tune_target_class *methods;
  const char *path; // of an artifact
  tune_target *target;
  tune_signature signature;
  tune_buffer buffers[3];
} fixture;

static const char null_path[] = "conformance-null.json";
static const char vulkan_path[] = "conformance-vulkan.program";
static const char cuda_path[] = "conformance-cuda.program";

// What conformance_artifact.c does, but that shapes are static: two kernels, and a copy.
static const char vulkan_program[] =
    "{'target': 'vulkan', 'buffers':"
    " [{'argument': 0}, {'argument': 1}, {'argument': 2}, {'result': 0}, {'result': 1},"
    "  {'result': 2}],"
    " 'steps':"
    " [{'launch': 'add', 'module': 0, 'groups': [5, 1, 1], 'group_size': [8, 1, 1],"
    "   'shared_bytes': 0, 'subgroup_size': 0, 'arguments': [{'buffer': 0},"
    "   {'buffer': 1, 'written': true}, {'buffer': 2}, {'buffer': 4, 'written': true}]},"
    "  {'launch': 'transpose', 'module': 1, 'groups': [10, 1, 1], 'group_size': [1, 4, 1],"
    "   'shared_bytes': 0, 'subgroup_size': 0, 'arguments': [{'buffer': 4, 'texels': 'r32f'},"
    "   {'buffer': 3, 'written': true}]},"
    "  {'copy': 1, 'to': 5, 'bytes': 160}]}";

static const char cuda_program[] =
    "{'target': 'cuda', 'buffers':"
    " [{'argument': 0}, {'argument': 1}, {'argument': 2}, {'result': 0}, {'result': 1},"
    "  {'result': 2}],"
    " 'steps':"
    " [{'launch': 'add', 'module': 0, 'groups': [5, 1, 1], 'group_size': [8, 1, 1],"
    "   'shared_bytes': 0, 'subgroup_size': 32, 'arguments': [{'buffer': 0},"
    "   {'buffer': 1, 'written': true}, {'buffer': 2}, {'buffer': 4, 'written': true}]},"
    "  {'launch': 'transpose', 'module': 0, 'groups': [10, 1, 1], 'group_size': [4, 1, 1],"
    "   'shared_bytes': 0, 'subgroup_size': 0, 'arguments': [{'buffer': 4},"
    "   {'buffer': 3, 'written': true}]},"
    "  {'copy': 1, 'to': 5, 'bytes': 160}]}";

static const char *artifact_of(const char *target) {
  if (strcmp(target, "cpu") == 0)
    return CONFORMANCE_ARTIFACT;
  if (strcmp(target, "vulkan") == 0) {
    const char *const modules[] = {PROGRAM_FILE_SPIRV "/add.spv",
                                   PROGRAM_FILE_SPIRV "/transpose.spv", NULL};
    program_file_write(vulkan_path, vulkan_program, modules, NULL, 0);
    return vulkan_path;
  }
  if (strcmp(target, "cuda") == 0) {
    const char *const modules[] = {PROGRAM_FILE_PTX "/conformance.ptx", NULL};
    program_file_write(cuda_path, cuda_program, modules, NULL, 0);
    return cuda_path;
  }
  FILE *file = fopen(null_path, "w");
  assert_non_null(file);
  fputs("{\"config\": {\"a\": 3, \"b\": 0}, \"objective\": {\"seconds\": 0.001,"
        " \"knobs\": {\"a\": {\"best\": 1, \"weight\": 0.5}}}}",
        file);
  assert_int_equal(fclose(file), 0);
  return null_path;
}

static void open_fixture(const char *target, fixture *f) {
  memset(f, 0, sizeof *f);
  assert_null(tune_target_find(target, &f->methods));
  tune_status status = f->methods->open(&(tune_target_options){.threads = 1}, &f->target);
  if (tune_status_get_code(status) == TUNE_UNAVAILABLE) {
    print_message("skipped: %s\n", tune_status_get_message(status));
    tune_status_free(status);
    skip();
  }
  assert_null(status);
  f->path = artifact_of(target);
  // Programs are for static shapes.
  int rows = strcmp(target, "vulkan") == 0 || strcmp(target, "cuda") == 0 ? ROWS : -1;
  json_t *signature = json_pack(
      "{ss s[{ss ss s[ii] ss} {ss ss s[ii] ss} {ssss}] s[{ss ss s[ii]} {ss ss s[ii]} {ss ss "
      "s[ii]}]}",
      "entry", "tune_entry", "arguments", "kind", "tensor", "type", "f32", "shape", rows, 4,
      "access", "read", "kind", "tensor", "type", "f32", "shape", rows, 4, "access", "readwrite",
      "kind", "scalar", "type", "i64", "results", "kind", "tensor", "type", "f32", "shape", 4, rows,
      "kind", "tensor", "type", "f32", "shape", rows, 4, "kind", "tensor", "type", "f32", "shape",
      rows, 4);
  assert_non_null(signature);
  assert_null(tune_signature_from_json(signature, &f->signature));
  json_decref(signature);
  for (size_t i = 0; i < 3; ++i) {
    tune_value_type type = f->signature.arguments[i];
    type.shape[0] = type.is_scalar ? 0 : ROWS;
    assert_null(tune_buffer_init(&f->buffers[i], &type));
    tune_buffer_fill(&f->buffers[i], i, TUNE_FILL_SIGNED, 5);
  }
  *(int64_t *)f->buffers[2].data = 3;
}

static void close_fixture(fixture *f) {
  for (size_t i = 0; i < 3; ++i)
    tune_buffer_deinit(&f->buffers[i]);
  tune_signature_deinit(&f->signature);
  f->methods->close(f->target);
  unlink(null_path);
  unlink(vulkan_path);
  unlink(cuda_path);
}

static tune_kernel *load(fixture *f) {
  tune_kernel *kernel;
  assert_null(f->methods->load(f->target, &(tune_artifact){f->path, &f->signature}, &kernel));
  return kernel;
}

static void assert_fails(tune_status status, tune_status_code code) {
  if (tune_status_get_code(status) != code)
    print_error("got: %s\n", tune_status_get_message(status));
  assert_int_equal(tune_status_get_code(status), code);
  tune_status_free(status);
}

static void it_has_a_fingerprint_of_its_name(void **state) {
  fixture f;
  open_fixture(*state, &f);
  assert_string_equal(f.methods->fingerprint(f.target)->target, *state);
  assert_true(strlen(f.methods->summary) > 0);
  close_fixture(&f);
}

// Time grows with the repeats, outputs are there after the first run and of the right shape.
static void it_runs_what_it_loaded(void **state) {
  fixture f;
  open_fixture(*state, &f);
  tune_kernel *kernel = load(&f);
  assert_null(f.methods->bind(kernel, f.buffers, 3));
  double once, often;
  assert_null(f.methods->time(kernel, 1, &once));
  assert_null(f.methods->time(kernel, 2000, &often));
  assert_true(once > 0 && often > once);
  assert_null(f.methods->check(kernel));
  for (size_t i = 0; i < 4; ++i) {
    tune_buffer output;
    assert_null(f.methods->read(kernel, i, &output));
    assert_int_equal(output.type.element, TUNE_F32);
    assert_int_equal(output.type.rank, 2);
    tune_buffer_deinit(&output);
  }
  f.methods->unload(kernel);
  close_fixture(&f);
}

static void it_has_no_output_before_a_run(void **state) {
  fixture f;
  open_fixture(*state, &f);
  tune_kernel *kernel = load(&f);
  assert_null(f.methods->bind(kernel, f.buffers, 3));
  tune_buffer output;
  assert_fails(f.methods->read(kernel, 0, &output), TUNE_FAILED_PRECONDITION);
  f.methods->unload(kernel);
  close_fixture(&f);
}

static void it_refuses_what_is_no_artifact(void **state) {
  fixture f;
  open_fixture(*state, &f);
  tune_kernel *kernel;
  assert_fails(f.methods->load(f.target, &(tune_artifact){"/nowhere", &f.signature}, &kernel),
               TUNE_NOT_FOUND);
  assert_null(kernel);
  assert_fails(f.methods->load(f.target,
                               &(tune_artifact){SOURCES "/conformance_test.c", &f.signature},
                               &kernel),
               TUNE_INVALID_ARGUMENT);
  assert_null(kernel);
  close_fixture(&f);
}

static void it_refuses_arguments_that_do_not_fit(void **state) {
  fixture f;
  open_fixture(*state, &f);
  tune_kernel *kernel = load(&f);
  assert_fails(f.methods->bind(kernel, f.buffers, 2), TUNE_INVALID_ARGUMENT);
  tune_buffer swapped[3] = {f.buffers[2], f.buffers[1], f.buffers[0]};
  assert_fails(f.methods->bind(kernel, swapped, 3), TUNE_INVALID_ARGUMENT);
  f.methods->unload(kernel);
  close_fixture(&f);
}

// The numbers are right (on the cpu through strides, offsets and shared memory); the argument that
// is written accumulates and is rewound; what was bound stays as it was.
static void outputs_are_right(void **state) {
  fixture f;
  open_fixture(*state, &f);
  tune_kernel *kernel = load(&f);
  tune_buffer before;
  assert_null(tune_buffer_init_copy(&before, &f.buffers[1]));
  assert_null(f.methods->bind(kernel, f.buffers, 3));
  const float *x = f.buffers[0].data, *y = before.data;
  double seconds;
  for (int round = 0; round < 2; ++round) {
    assert_null(f.methods->time(kernel, 3, &seconds));
    tune_buffer outputs[4];
    for (size_t i = 0; i < 4; ++i)
      assert_null(f.methods->read(kernel, i, &outputs[i]));
    for (int i = 0; i < ROWS; ++i)
      for (int j = 0; j < 4; ++j) {
        int at = i * 4 + j;
        float sum = ((y[at] + x[at]) + x[at]) + x[at];
        assert_true(((float *)outputs[0].data)[at] == sum);
        assert_true(((float *)outputs[1].data)[j * ROWS + i] == 3 * x[at]);
        assert_true(((float *)outputs[2].data)[at] == 3 * x[at]);
        assert_true(((float *)outputs[3].data)[at] == sum);
      }
    for (size_t i = 0; i < 4; ++i)
      tune_buffer_deinit(&outputs[i]);
    f.methods->rewind(kernel);
  }
  assert_memory_equal(f.buffers[1].data, before.data, before.size);
  tune_buffer_deinit(&before);
  f.methods->unload(kernel);
  close_fixture(&f);
}

// Arguments may be bound again, to others: outputs are those of the new ones, where one is written
// from its own first contents on.
static void it_binds_again(void **state) {
  fixture f;
  open_fixture(*state, &f);
  tune_kernel *kernel = load(&f);
  double seconds;
  for (int round = 0; round < 2; ++round) {
    tune_buffer arguments[3];
    for (size_t i = 0; i < 3; ++i) {
      assert_null(tune_buffer_init_copy(&arguments[i], &f.buffers[i]));
      tune_buffer_fill(&arguments[i], 10 * (uint64_t)round + i, TUNE_FILL_SIGNED, 5);
    }
    assert_null(f.methods->bind(kernel, arguments, 3));
    tune_buffer output;
    assert_fails(f.methods->read(kernel, 0, &output), TUNE_FAILED_PRECONDITION);
    assert_null(f.methods->time(kernel, 1, &seconds));
    assert_null(f.methods->read(kernel, 0, &output));
    const float *x = arguments[0].data, *y = arguments[1].data;
    for (int at = 0; at < ROWS * 4; ++at)
      assert_true(((float *)output.data)[at] == y[at] + x[at]);
    tune_buffer_deinit(&output);
    assert_null(f.methods->check(kernel));
    assert_null(f.methods->bind(kernel, f.buffers, 3)); // the others are gone
    for (size_t i = 0; i < 3; ++i)
      tune_buffer_deinit(&arguments[i]);
  }
  f.methods->unload(kernel);
  close_fixture(&f);
}

// Whatever goes through the caches between two runs, what they compute stays the same.
static void it_runs_with_flushed_caches(void **state) {
  fixture f;
  open_fixture(*state, &f);
  tune_kernel *kernel = load(&f);
  assert_null(f.methods->bind(kernel, f.buffers, 3));
  const float *x = f.buffers[0].data;
  double seconds;
  for (int run = 0; run < 2; ++run) {
    assert_null(f.methods->flush(f.target));
    assert_null(f.methods->time(kernel, 1, &seconds));
    assert_true(seconds > 0);
    assert_null(f.methods->check(kernel));
    tune_buffer output;
    assert_null(f.methods->read(kernel, 2, &output));
    for (int at = 0; at < ROWS * 4; ++at)
      assert_true(((float *)output.data)[at] == 3 * x[at]);
    tune_buffer_deinit(&output);
  }
  f.methods->unload(kernel);
  close_fixture(&f);
}

//===- The cpu target alone
//--------------------------------------------------------------------===//

static void cpu_finds_writes_outside(void **state) {
  fixture f;
  open_fixture(*state, &f);
  tune_kernel *kernel = load(&f);
  assert_null(f.methods->bind(kernel, f.buffers, 3));
  char *end = (char *)f.buffers[0].data + f.buffers[0].size;
  size_t argument = 9;
  assert_int_equal(f.methods->locate(kernel, end, &argument), TUNE_BUFFER_AFTER);
  assert_int_equal(argument, 0);
  assert_int_equal(f.methods->locate(kernel, &f, &argument), TUNE_BUFFER_ELSEWHERE);
  *end = 1;
  tune_status status = f.methods->check(kernel);
  assert_non_null(strstr(tune_status_get_message(status), "argument 0"));
  assert_fails(status, TUNE_DATA_LOSS);
  f.methods->unload(kernel);
  close_fixture(&f);
}

static void cpu_refuses_threads_it_cannot_pin(void **state) {
  (void)state;
  tune_target *target;
  const tune_target_options options[] = {
      {.threads = 2, .cpus = (int[]){0}, .cpu_count = 1},
      {.threads = 1, .cpus = (int[]){-1}, .cpu_count = 1},
      {.threads = 1, .cpus = (int[]){1000000}, .cpu_count = 1},
      {.threads = 1000},
      {.threads = 1000000},
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i) {
    assert_fails(tune_target_cpu.open(&options[i], &target), TUNE_INVALID_ARGUMENT);
    assert_null(target);
  }
}

static void entries_that_are_missing_are_named(void **state) {
  fixture f;
  open_fixture(*state, &f);
  free(f.signature.entry);
  f.signature.entry = strdup("another_entry");
  tune_kernel *kernel;
  tune_status status = f.methods->load(f.target, &(tune_artifact){f.path, &f.signature}, &kernel);
  assert_non_null(strstr(tune_status_get_message(status), "another_entry"));
  assert_fails(status, TUNE_NOT_FOUND);
  close_fixture(&f);
}

//===- The null target alone, and the registry
//-------------------------------------------------===//

static void null_times_follow_the_objective(void **state) {
  fixture f;
  open_fixture(*state, &f);
  tune_kernel *kernel = load(&f);
  assert_null(f.methods->bind(kernel, f.buffers, 3));
  double seconds;
  assert_null(f.methods->time(kernel, 10, &seconds));
  assert_float_equal(seconds, 0.015, 1e-6); // one doubling off, at a weight of one half
  f.methods->unload(kernel);
  close_fixture(&f);
}

static void targets_are_found_by_name(void **state) {
  (void)state;
  const tune_target_class *found;
  for (size_t i = 0; tune_target_at(i); ++i) {
    assert_null(tune_target_find(tune_target_at(i)->name, &found));
    assert_ptr_equal(found, tune_target_at(i));
  }
  tune_status status = tune_target_find("CPI", &found);
  assert_non_null(strstr(tune_status_get_message(status), "did you mean 'cpu'"));
  assert_non_null(strstr(tune_status_get_message(status), "cpu, vulkan, cuda, null"));
  assert_fails(status, TUNE_NOT_FOUND);
  assert_fails(tune_target_find("abacus", &found), TUNE_NOT_FOUND);
}

#define ON(name, target)                                                                           \
  { #name " on " target, name, NULL, NULL, (void *)target }
#define ON_ALL(name) ON(name, "cpu"), ON(name, "null"), ON(name, "vulkan"), ON(name, "cuda")

int main(void) {
  keep_drivers();
  cuda_driver_choose();
  // A complaint of the validation layer fails whatever comes next.
  setenv("TUNE_VULKAN_VALIDATION", "1", 0);
  const struct CMUnitTest tests[] = {
      ON_ALL(it_has_a_fingerprint_of_its_name),
      ON_ALL(it_runs_what_it_loaded),
      ON_ALL(it_has_no_output_before_a_run),
      ON_ALL(it_refuses_what_is_no_artifact),
      ON_ALL(it_refuses_arguments_that_do_not_fit),
      ON(outputs_are_right, "cpu"),
      ON(outputs_are_right, "vulkan"),
      ON(outputs_are_right, "cuda"),
      ON(it_binds_again, "cpu"),
      ON(it_binds_again, "vulkan"),
      ON(it_binds_again, "cuda"),
      ON(it_runs_with_flushed_caches, "cpu"),
      ON(it_runs_with_flushed_caches, "vulkan"),
      ON(it_runs_with_flushed_caches, "cuda"),
      ON(cpu_finds_writes_outside, "cpu"),
      ON(cpu_refuses_threads_it_cannot_pin, "cpu"),
      ON(entries_that_are_missing_are_named, "cpu"),
      ON(null_times_follow_the_objective, "null"),
      cmocka_unit_test(targets_are_found_by_name),
  };
  return cmocka_run_group_tests_name("targets/conformance", tests, NULL, NULL);
}
