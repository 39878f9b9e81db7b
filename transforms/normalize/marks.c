//===- marks.c --------------------------------------------------------------------===//

#include "transforms/normalize/marks.h"

#include "transforms/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK_PREFIX "tune.op."

typedef struct numbering {
  void (*callback)(MlirOperation op, size_t number, void *user_data);
  void *user_data;
  size_t next;
} numbering;

static MlirWalkResult number_op(MlirOperation op, void *user_data) {
  numbering *state = user_data;
  MlirStringRef name = tune_ir_name(op);
  bool is_structured =
      tune_ir_string_equal(name, "tensor.pad") ||
      (tune_ir_string_starts(name, "linalg.") && !tune_ir_string_equal(name, "linalg.yield") &&
       !tune_ir_string_equal(name, "linalg.index"));
  if (is_structured)
    state->callback(op, state->next++, state->user_data);
  return MlirWalkResultAdvance;
}

void tune_marks_walk(MlirOperation root,
                     void (*callback)(MlirOperation op, size_t number, void *user_data),
                     void *user_data) {
  numbering state = {callback, user_data, 0};
  mlirOperationWalk(root, number_op, &state, MlirWalkPreOrder);
}

static void mark_op(MlirOperation op, size_t number, void *user_data) {
  (void)user_data;
  char name[sizeof MARK_PREFIX + 20];
  snprintf(name, sizeof name, MARK_PREFIX "%zu", number);
  mlirOperationSetLocation(op,
                           mlirLocationNameGet(mlirOperationGetContext(op), tune_ir_string(name),
                                               mlirOperationGetLocation(op)));
}

void tune_marks_set(MlirOperation root) { tune_marks_walk(root, mark_op, NULL); }

// The locations of which a fusion is made; free() them. NULL with count 0 where memory ran out.
static MlirLocation *get_parts(MlirLocation location, size_t *out_count) {
  *out_count = mlirLocationFusedGetNumLocations(location);
  MlirLocation *parts = calloc(*out_count + 1, sizeof *parts);
  if (parts)
    mlirLocationFusedGetLocations(location, parts);
  else
    *out_count = 0;
  return parts;
}

size_t tune_marks_get(MlirLocation location) {
  if (mlirLocationIsAName(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
    if (tune_ir_string_starts(name, MARK_PREFIX))
      return strtoull(name.data + strlen(MARK_PREFIX), NULL, 10);
    return tune_marks_get(mlirLocationNameGetChildLoc(location));
  }
  if (mlirLocationIsACallSite(location)) {
    size_t mark = tune_marks_get(mlirLocationCallSiteGetCallee(location));
    return mark != TUNE_MARKS_NONE ? mark : tune_marks_get(mlirLocationCallSiteGetCaller(location));
  }
  size_t mark = TUNE_MARKS_NONE;
  if (mlirLocationIsAFused(location)) {
    size_t count;
    MlirLocation *parts = get_parts(location, &count);
    for (size_t i = 0; i < count && mark == TUNE_MARKS_NONE; ++i)
      mark = tune_marks_get(parts[i]);
    free(parts);
  }
  return mark;
}

MlirLocation tune_marks_without(MlirLocation location) {
  if (mlirLocationIsAName(location)) {
    MlirIdentifier name = mlirLocationNameGetName(location);
    MlirLocation child = tune_marks_without(mlirLocationNameGetChildLoc(location));
    return tune_ir_string_starts(mlirIdentifierStr(name), MARK_PREFIX)
               ? child
               : mlirLocationNameGet(mlirLocationGetContext(location), mlirIdentifierStr(name),
                                     child);
  }
  if (mlirLocationIsACallSite(location))
    return mlirLocationCallSiteGet(tune_marks_without(mlirLocationCallSiteGetCallee(location)),
                                   tune_marks_without(mlirLocationCallSiteGetCaller(location)));
  if (!mlirLocationIsAFused(location))
    return location;
  size_t count;
  MlirLocation *parts = get_parts(location, &count);
  for (size_t i = 0; i < count; ++i)
    parts[i] = tune_marks_without(parts[i]);
  MlirLocation fused = mlirLocationFusedGet(mlirLocationGetContext(location), (intptr_t)count,
                                            parts, mlirLocationFusedGetMetadata(location));
  free(parts);
  return fused;
}

static MlirWalkResult unmark_op(MlirOperation op, void *user_data) {
  (void)user_data;
  mlirOperationSetLocation(op, tune_marks_without(mlirOperationGetLocation(op)));
  return MlirWalkResultAdvance;
}

void tune_marks_clear(MlirOperation root) {
  mlirOperationWalk(root, unmark_op, NULL, MlirWalkPreOrder);
}
