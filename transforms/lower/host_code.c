//===- host_code.c ------------------------------------------------------------===//

#include "transforms/lower/host_code.h"

#include "dialects/diagnostic.h"
#include "support/file.h"
#include "transforms/ir/ir.h"
#include "transforms/lower/common/attributes.h"
#include "transforms/lower/common/memory.h"
#include "transforms/lower/cpu/backend/link.h"
#include "transforms/lower/gpu/host/host_functions.h"

#include "mlir-c/BuiltinAttributes.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// A name in the folder for temporary files, which the sandbox of a build has one for.
static tune_status name_file(char **out_path) {
  static unsigned count;
  const char *folder = getenv("TMPDIR");
  if (asprintf(out_path, "%s/tune-host-%ld-%u.so", folder && *folder ? folder : "/tmp",
               (long)getpid(), count++) >= 0)
    return TUNE_OK;
  *out_path = NULL;
  return tune_status_out_of_memory("building a step on the host");
}

static tune_status link_code(const tune_linker *linker, const tune_code *code, char **out_bytes,
                             size_t *out_size) {
  char *path;
  TUNE_RETURN_IF_ERROR(name_file(&path));
  tune_status status = tune_linker_run(linker, code->bytes, code->size, path);
  if (tune_status_is_ok(status)) {
    status = tune_file_read(path, out_bytes, out_size);
    unlink(path);
  }
  free(path);
  return status;
}

// What of the arguments is written, as the step says it.
static MlirAttribute list_written(MlirContext context, const tune_function_signature *signature) {
  int written[TUNE_HOST_ARGUMENTS];
  size_t count = signature->interface.argument_count;
  for (size_t i = 0; i < count; ++i)
    written[i] = signature->interface.arguments[i].is_readwrite;
  return mlirDenseBoolArrayGet(context, (intptr_t)count, written);
}

// The function of `copy`, a module of its own, by the plain lowering.
static tune_status lower(tune_cpu_lowering *cpu, MlirOperation copy, const char *name,
                         MlirAttribute *out_written, tune_code *out_code) {
  MlirOperation function;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(copy, name, &function));
  tune_function_signature *signature;
  TUNE_RETURN_IF_ERROR(tune_function_signature_create(function, &signature));
  tune_status status = signature->interface.argument_count <= TUNE_HOST_ARGUMENTS
                           ? tune_memory_prepare(copy, function, signature)
                           : tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                                 "a step on the host of more than %d arguments",
                                                 TUNE_HOST_ARGUMENTS);
  if (tune_status_is_ok(status)) {
    *out_written = list_written(mlirOperationGetContext(copy), signature);
    tune_build_order order = {.module = copy,
                              .function = name,
                              .signature = signature,
                              .plain = true,
                              .emit = TUNE_EMIT_OBJECT};
    status = tune_cpu_lowering_run(cpu, &order, out_code);
  }
  tune_function_signature_destroy(signature);
  return status;
}

static void keep_code(MlirOperation function, MlirAttribute written, const char *bytes,
                      size_t size) {
  MlirContext context = mlirOperationGetContext(function);
  mlirOperationSetAttributeByName(function, tune_ir_string(TUNE_HOST_CODE_ATTRIBUTE),
                                  mlirStringAttrGet(context, mlirStringRefCreate(bytes, size)));
  mlirOperationSetAttributeByName(function, tune_ir_string(TUNE_HOST_WRITTEN_ATTRIBUTE), written);
  // A declaration of it is left.
  MlirBlock body = tune_ir_body(function);
  mlirBlockDetach(body);
  mlirBlockDestroy(body);
}

static tune_status make(tune_cpu_lowering *cpu, const tune_linker *linker, MlirOperation module,
                        MlirOperation function) {
  MlirStringRef name = tune_ir_string_attribute(function, "sym_name");
  char *copied = strndup(name.data, name.length), *bytes = NULL;
  if (!copied)
    return tune_status_out_of_memory("building a step on the host");
  MlirOperation copy = mlirOperationClone(module);
  tune_code code = {.bytes = NULL};
  MlirAttribute written;
  size_t size;
  tune_status status = lower(cpu, copy, copied, &written, &code);
  if (tune_status_is_ok(status))
    status = link_code(linker, &code, &bytes, &size);
  if (tune_status_is_ok(status))
    keep_code(function, written, bytes, size);
  mlirOperationDestroy(copy);
  tune_code_deinit(&code);
  free(bytes);
  free(copied);
  return tune_status_annotate(status, "a step on the host");
}

tune_status tune_host_code_make(void *user, MlirOperation module) {
  tune_linker *linker = NULL;
  tune_status status = TUNE_OK;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op) && tune_status_is_ok(status);
       op = mlirOperationGetNextInBlock(op)) {
    if (!tune_host_functions_is(op))
      continue;
    if (!linker)
      status = tune_linker_create(false, &linker);
    if (tune_status_is_ok(status))
      status = make(user, linker, module, op);
  }
  tune_linker_destroy(linker);
  return status;
}
