//===- failing_schedules.c - An interpreter of schedules that fails ----------===//
//
// Linked with --wrap into a worker, it fails on schedules that have the knob FAILING_KNOB: it
// aborts where FAILING_BY is "abort", and else says so. With FAILING_IN=whole only those of whole
// modules fail, with FAILING_IN=task only the others. With FAILING_OP and FAILING_BESIDE all
// schedules fail of tasks that have both of these words, and of whole modules that lack the words
// FAILING_UNLESS in their script. Without either it is upstream's.
//
//===--------------------------------------------------------------------------===//

#include "transforms/schedule/quick_messages.h"

#include "mlir-c/Diagnostics.h"
#include "mlir-c/Dialect/Transform/Interpreter.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

MlirLogicalResult __real_mlirTransformApplyNamedSequence(MlirOperation payload, MlirOperation root,
                                                         MlirOperation module,
                                                         MlirTransformOptions options);
MlirLogicalResult __wrap_mlirTransformApplyNamedSequence(MlirOperation payload, MlirOperation root,
                                                         MlirOperation module,
                                                         MlirTransformOptions options);

static void append(MlirStringRef text, void *user) { fwrite(text.data, 1, text.length, user); }

// With all that is in it, unlike in messages of the interpreter.
static bool has(MlirOperation operation, const char *words) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  if (!stream)
    abort();
  bool is_quick = tune_quick_messages_end();
  mlirOperationPrint(operation, append, stream);
  if (is_quick)
    tune_quick_messages_begin();
  fclose(stream);
  bool is_there = strstr(text, words);
  free(text);
  return is_there;
}

// Whether it is a schedule of a task that joins what is not to be joined, or of its module.
static bool joins_too_much(MlirOperation payload, MlirOperation module) {
  const char *op = getenv("FAILING_OP"), *beside = getenv("FAILING_BESIDE"),
             *unless = getenv("FAILING_UNLESS");
  // What prepares a task for being looked at is none of its schedules.
  if (!op || !beside || !unless || !has(module, "@tune_tensors"))
    return false;
  if (has(module, "@tune_outline"))
    return !has(module, unless);
  return has(payload, op) && has(payload, beside);
}

static MlirWalkResult find_write(MlirOperation op, void *found) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  if (mlirOperationGetNumResults(op) > 0 || (strncmp(name.data, "vector.transfer_write", 21) != 0 &&
                                             strncmp(name.data, "vector.store", 12) != 0 &&
                                             strncmp(name.data, "linalg.generic", 14) != 0))
    return MlirWalkResultAdvance;
  *(MlirOperation *)found = op;
  return MlirWalkResultInterrupt;
}

MlirLogicalResult __wrap_mlirTransformApplyNamedSequence(MlirOperation payload, MlirOperation root,
                                                         MlirOperation module,
                                                         MlirTransformOptions options) {
  const char *knob = getenv("FAILING_KNOB"), *in = getenv("FAILING_IN"), *by = getenv("FAILING_BY");
  char words[128];
  snprintf(words, sizeof words, "tune.knob = \"%s\"", knob ? knob : "");
  bool is_meant = knob && has(module, words);
  if (is_meant && in)
    is_meant = has(module, "@tune_outline") == (strcmp(in, "whole") == 0);
  is_meant = is_meant || joins_too_much(payload, module);
  if (!is_meant)
    return __real_mlirTransformApplyNamedSequence(payload, root, module, options);
  if (by && strcmp(by, "abort") == 0)
    abort();
  if (by && strcmp(by, "wrong") == 0) {
    MlirLogicalResult result =
        __real_mlirTransformApplyNamedSequence(payload, root, module, options);
    MlirOperation write = {NULL};
    mlirOperationWalk(payload, find_write, &write, MlirWalkPreOrder);
    if (!mlirOperationIsNull(write))
      mlirOperationDestroy(write);
    return result;
  }
  mlirEmitError(mlirOperationGetLocation(payload), "a schedule fails that is to fail");
  return mlirLogicalResultFailure();
}
