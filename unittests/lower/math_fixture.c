//===- math_fixture.c - Functions made of text, lowered and called -----------------===//

#include "unittests/lower/math_fixture.h"

#include "transforms/build/build.h"
#include "transforms/lower/cpu/backend/link.h"
#include "unittests/transforms/mlir_context.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

MlirContext math_context;
static tune_linker *linker;

void math_assert_ok(tune_status status) {
  if (!tune_status_is_ok(status))
    fail_msg("%s", tune_status_get_message(status));
}

int math_setup(void **state) {
  (void)state;
  math_context = make_full_context();
  math_assert_ok(tune_linker_create(false, &linker));
  return 0;
}

int math_teardown(void **state) {
  (void)state;
  tune_linker_destroy(linker);
  mlirContextDestroy(math_context);
  return 0;
}

static tune_status emit(const char *payload, const char *cpu, tune_emit kind, tune_code *out_code) {
  *out_code = (tune_code){.bytes = NULL};
  tune_lowering_options options = {
      .cpu = {.triple = cpu ? "x86_64-pc-linux-gnu" : NULL, .cpu = cpu, .threads = 1}};
  tune_lowering *lowering = NULL;
  tune_build_task *task = NULL;
  tune_config config = {0};
  tune_build_source source = {.payload = payload, .payload_source = "p.mlir"};
  tune_status status = tune_lowering_create(math_context, &options, &lowering);
  if (tune_status_is_ok(status))
    status = tune_build_task_create(math_context, &source, &task);
  if (tune_status_is_ok(status))
    status = tune_config_init_default(&config, tune_build_task_get_space(task));
  if (tune_status_is_ok(status))
    status = tune_build_task_run(task, lowering, &config, kind, out_code);
  tune_config_deinit(&config);
  tune_build_task_destroy(task);
  tune_lowering_destroy(lowering);
  return status;
}

char *math_emit(const char *payload, const char *cpu, tune_emit kind, size_t *out_size) {
  tune_code code;
  math_assert_ok(emit(payload, cpu, kind, &code));
  *out_size = code.size;
  return code.bytes;
}

tune_status math_try(const char *payload, const char *cpu) {
  tune_code code;
  tune_status status = emit(payload, cpu, TUNE_EMIT_MLIR, &code);
  tune_code_deinit(&code);
  return status;
}

math_function math_load(const char *payload, const char *cpu) {
  math_function function;
  size_t size;
  char *bytes = math_emit(payload, cpu, TUNE_EMIT_OBJECT, &size);
  static int count;
  snprintf(function.path, sizeof function.path, "/tmp/tune-math-test-%d-%d.so", (int)getpid(),
           count++);
  math_assert_ok(tune_linker_run(linker, bytes, size, function.path));
  free(bytes);
  function.handle = dlopen(function.path, RTLD_NOW | RTLD_LOCAL);
  if (!function.handle)
    fail_msg("%s", dlerror());
  *(void **)&function.entry = dlsym(function.handle, "tune_entry");
  assert_non_null(function.entry);
  return function;
}

void math_unload(math_function *function) {
  dlclose(function->handle);
  unlink(function->path);
}

math_memref math_describe(void *data, int64_t size) {
  return (math_memref){data, data, 0, size, 1};
}
