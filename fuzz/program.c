//===- program.c - Device programs ---------------------------------------------------===//
//
// Read against a signature, for both kinds of device. An input is the signature as JSON, a line
// feed, and the program.
//
//===--------------------------------------------------------------------------===//

#include "targets/program.h"
#include "fuzz/fuzz.h"

#include <jansson.h>
#include <string.h>

static void check(const char *target, const uint8_t *data, size_t size,
                  const tune_signature *signature) {
  tune_program program;
  if (!fuzz_accept(tune_program_parse(data, size, target, signature, &program)))
    return;
  char name[32];
  for (size_t i = 0; i < program.buffer_count; ++i)
    tune_program_buffer_name(&program, i, name);
  for (size_t i = 0; i < tune_signature_output_count(signature); ++i)
    fuzz_require(tune_program_find_output(&program, signature, i) < program.buffer_count,
                 "each output has a buffer");
  for (size_t i = 0; i < program.step_count; ++i) {
    const tune_program_step *step = &program.steps[i];
    if (step->kind == TUNE_PROGRAM_HOST) {
      fuzz_require(step->module < program.module_count, "a step on the host has its module");
      continue;
    }
    if (step->kind == TUNE_PROGRAM_BRANCH) {
      fuzz_require(step->target <= program.step_count, "a branch goes to a step");
      fuzz_require(!step->has_condition || program.buffers[step->from].size >= 4,
                   "a branch's condition is in its buffer");
      continue;
    }
    fuzz_require(step->kind == TUNE_PROGRAM_COPY || step->module < program.module_count,
                 "a launch is of a module that is there");
    fuzz_require(step->kind == TUNE_PROGRAM_LAUNCH ||
                     (step->bytes <= program.buffers[step->from].size &&
                      step->bytes <= program.buffers[step->to].size),
                 "a copy stays within its buffers");
  }
  tune_program_deinit(&program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
  if (!end)
    return 0;
  size_t length = (size_t)(end - data);
  json_t *object = json_loadb((const char *)data, length, 0, NULL);
  tune_signature signature;
  if (object && fuzz_accept(tune_signature_from_json(object, &signature))) {
    bool is_static = true;
    for (size_t i = 0; i < signature.argument_count; ++i)
      is_static &= tune_value_type_is_static(&signature.arguments[i]);
    for (size_t i = 0; i < signature.result_count; ++i)
      is_static &= tune_value_type_is_static(&signature.results[i]);
    if (is_static) {
      check("vulkan", end + 1, size - length - 1, &signature);
      check("cuda", end + 1, size - length - 1, &signature);
    }
    tune_signature_deinit(&signature);
  }
  json_decref(object);
  return 0;
}
