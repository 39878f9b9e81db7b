//===- conformance_test.c - What every target does
//----------------------------------------------===//
//
// The same tests on each target, with an artifact of its own kind; a target that is not available
// here is skipped.
//
//===--------------------------------------------------------------------------===//

#include "targets/target.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ROWS 10

typedef struct fixture {
  const tune_target_class *methods;
  const char *path; // of an artifact
  tune_target *target;
  tune_signature signature;
  tune_buffer buffers[3];
} fixture;

static const char null_path[] = "conformance-null.json";

static const char *artifact_of(const char *target) {
  if (strcmp(target, "cpu") == 0)
    return CONFORMANCE_ARTIFACT;
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
    tune_status_free(status);
    skip();
  }
  assert_null(status);
  f->path = artifact_of(target);
  json_t *signature = json_pack(
      "{ss s[{ss ss s[ii] ss} {ss ss s[ii] ss} {ssss}] s[{ss ss s[ii]} {ss ss s[ii]} {ss ss "
      "s[ii]}]}",
      "entry", "tune_entry", "arguments", "kind", "tensor", "type", "f32", "shape", -1, 4, "access",
      "read", "kind", "tensor", "type", "f32", "shape", -1, 4, "access", "readwrite", "kind",
      "scalar", "type", "i64", "results", "kind", "tensor", "type", "f32", "shape", 4, -1, "kind",
      "tensor", "type", "f32", "shape", -1, 4, "kind", "tensor", "type", "f32", "shape", -1, 4);
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
  assert_fails(f.methods->load(f.target, &(tune_artifact){__FILE__, &f.signature}, &kernel),
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

//===- The cpu target alone
//-----------------------------------------------------------------------===//

// The numbers are right through strides, offsets and shared memory; the argument that is written
// accumulates and is rewound; what was bound stays as it was.
static void cpu_outputs_are_right(void **state) {
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
//------------------------------------------------------===//

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
  assert_non_null(strstr(tune_status_get_message(status), "cpu, null"));
  assert_fails(status, TUNE_NOT_FOUND);
  assert_fails(tune_target_find("abacus", &found), TUNE_NOT_FOUND);
}

#define ON(name, target)                                                                           \
  { #name " on " target, name, NULL, NULL, (void *)target }
#define ON_BOTH(name) ON(name, "cpu"), ON(name, "null")

int main(void) {
  const struct CMUnitTest tests[] = {
      ON_BOTH(it_has_a_fingerprint_of_its_name),     ON_BOTH(it_runs_what_it_loaded),
      ON_BOTH(it_has_no_output_before_a_run),        ON_BOTH(it_refuses_what_is_no_artifact),
      ON_BOTH(it_refuses_arguments_that_do_not_fit), ON(cpu_outputs_are_right, "cpu"),
      ON(cpu_finds_writes_outside, "cpu"),           ON(cpu_refuses_threads_it_cannot_pin, "cpu"),
      ON(entries_that_are_missing_are_named, "cpu"), ON(null_times_follow_the_objective, "null"),
      cmocka_unit_test(targets_are_found_by_name),
  };
  return cmocka_run_group_tests_name("targets/conformance", tests, NULL, NULL);
}
