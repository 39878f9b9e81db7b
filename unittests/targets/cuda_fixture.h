//===- cuda_fixture.h - A program for the cuda target, loaded and run ----------===//
//
// Asserts on every failure; the functions are for tests only.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_UNITTESTS_TARGETS_CUDA_FIXTURE_H
#define TUNE_UNITTESTS_TARGETS_CUDA_FIXTURE_H

#include "targets/target.h"
#include "unittests/common/program_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "unittests/common/assert_ok.h"
#include "unittests/common/cuda_driver.h"

#define COUNT 16 // floats of the one argument and the one result

static bool is_stand_in;

typedef struct fixture {
  tune_target *target;
  tune_signature signature;
  tune_buffer argument;
  char path[64];
} fixture;

static inline int setup(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  assert_ok(tune_target_cuda.open(&(tune_target_options){.threads = 1}, &f.target));
  json_t *signature =
      json_pack("{ss s[{ss ss s[i] ss}] s[{ss ss s[i]}]}", "entry", "tune_entry", "arguments",
                "kind", "tensor", "type", "f32", "shape", COUNT, "access", "read", "results",
                "kind", "tensor", "type", "f32", "shape", COUNT);
  assert_ok(tune_signature_from_json(signature, &f.signature));
  json_decref(signature);
  assert_ok(tune_buffer_init(&f.argument, &f.signature.arguments[0]));
  tune_buffer_fill(&f.argument, 1, TUNE_FILL_SIGNED, 1);
  snprintf(f.path, sizeof f.path, "cuda-test-%d.program", (int)getpid());
  *state = &f;
  return 0;
}

static inline int teardown(void **state) {
  fixture *f = *state;
  unsetenv("TUNE_FAKE_CUDA_FAULT");
  tune_buffer_deinit(&f->argument);
  tune_signature_deinit(&f->signature);
  tune_target_cuda.close(f->target);
  unlink(f->path);
  return 0;
}

static inline void write_program(const fixture *f, const char *rest, const char *module) {
  char json[2048], path[512];
  snprintf(json, sizeof json, "{'target': 'cuda', %s}", rest);
  snprintf(path, sizeof path, PROGRAM_FILE_PTX "/%s", module);
  const char *const modules[] = {path, NULL};
  float constant[COUNT];
  for (int i = 0; i < COUNT; ++i)
    constant[i] = (float)i;
  bool has_constant = strstr(rest, "'data'");
  program_file_write(f->path, json, modules, constant, has_constant ? sizeof constant : 0);
}

// Writes `text` to a file in the present folder, and a program of it, which is `rest` besides.
static inline void write_text(const fixture *f, const char *rest, const char *text) {
  char path[64];
  snprintf(path, sizeof path, "cuda-test-%d.ptx", (int)getpid());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  char json[1024];
  snprintf(json, sizeof json, "{'target': 'cuda', %s}", rest);
  program_file_write(f->path, json, (const char *const[]){path, NULL}, NULL, 0);
  unlink(path);
}

static inline tune_status load(const fixture *f, tune_kernel **out_kernel) {
  return tune_target_cuda.load(f->target, &(tune_artifact){f->path, &f->signature}, out_kernel);
}

static inline void expect(tune_status status, tune_status_code code, const char *message) {
  if (tune_status_get_code(status) != code || !strstr(tune_status_get_message(status), message))
    print_error("expected %s, got: %s\n", message, tune_status_get_message(status));
  assert_int_equal(tune_status_get_code(status), code);
  assert_non_null(strstr(tune_status_get_message(status), message));
  tune_status_free(status);
}

// Loads the program and binds the argument.
static inline tune_kernel *bind(const fixture *f, const char *rest) {
  tune_kernel *kernel;
  write_program(f, rest, "bad.ptx");
  assert_ok(load(f, &kernel));
  assert_ok(tune_target_cuda.bind(kernel, &f->argument, 1));
  return kernel;
}

// And runs once.
static inline tune_kernel *run(const fixture *f, const char *rest) {
  tune_kernel *kernel = bind(f, rest);
  double seconds;
  assert_ok(tune_target_cuda.time(kernel, 1, &seconds));
  assert_true(seconds > 0 && seconds < 60);
  return kernel;
}

static inline float *read_result(const tune_kernel *kernel) {
  static float values[COUNT];
  tune_buffer output;
  assert_ok(tune_target_cuda.read(kernel, 0, &output));
  assert_int_equal(output.size, sizeof values);
  memcpy(values, output.data, sizeof values);
  tune_buffer_deinit(&output);
  return values;
}

#define TWO_BUFFERS "'buffers': [{'argument': 0}, {'result': 0}],"
#define LAUNCH(entry, groups, size, subgroup, shared, arguments)                                   \
  "'steps': [{'launch': '" entry "', 'module': 0, 'groups': " groups ", 'group_size': " size       \
  ", 'subgroup_size': " subgroup ", 'shared_bytes': " shared ", 'arguments': [" arguments "]}]"
#define OUTSIDE(groups, arguments)                                                                 \
  LAUNCH("outside", "[" groups ", 1, 1]", "[8, 1, 1]", "0", "0", arguments)
#define RESULT "{'buffer': 1, 'written': true}"
#define SHARED(bytes, first)                                                                       \
  LAUNCH("shared", "[1, 1, 1]", "[16, 1, 1]", "32", bytes,                                         \
         "{'buffer': 0}, " RESULT ", {'i32': " first "}, {'f32': 0.5}")

#endif // TUNE_UNITTESTS_TARGETS_CUDA_FIXTURE_H
