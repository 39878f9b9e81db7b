//===- marks.c --------------------------------------------------------------------===//

#include "transforms/normalize/marks.h"

#include "transforms/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK_PREFIX "tune.op."
#define SIZES_PREFIX "tune.sizes."

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

// What stands behind `prefix` in the first name that begins so, or NULL. Names end with a NUL.
static const char *find_name(MlirLocation location, const char *prefix) {
  if (mlirLocationIsAName(location)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
    return tune_ir_string_starts(name, prefix)
               ? name.data + strlen(prefix)
               : find_name(mlirLocationNameGetChildLoc(location), prefix);
  }
  if (mlirLocationIsACallSite(location)) {
    const char *found = find_name(mlirLocationCallSiteGetCallee(location), prefix);
    return found ? found : find_name(mlirLocationCallSiteGetCaller(location), prefix);
  }
  const char *found = NULL;
  if (mlirLocationIsAFused(location)) {
    size_t count;
    MlirLocation *parts = get_parts(location, &count);
    for (size_t i = 0; i < count && !found; ++i)
      found = find_name(parts[i], prefix);
    free(parts);
  }
  return found;
}

size_t tune_marks_get(MlirLocation location) {
  const char *number = find_name(location, MARK_PREFIX);
  return number ? strtoull(number, NULL, 10) : TUNE_MARKS_NONE;
}

const char *tune_marks_get_sizes(MlirLocation location) {
  return find_name(location, SIZES_PREFIX);
}

void tune_marks_add_sizes(MlirOperation op, const char *sizes) {
  MlirContext context = mlirOperationGetContext(op);
  tune_string_builder name;
  char *text = NULL;
  tune_string_builder_init(&name);
  tune_string_builder_appendf(&name, SIZES_PREFIX "%s", sizes);
  tune_status status = tune_string_builder_finish(&name, &text);
  if (tune_status_is_ok(status))
    mlirOperationSetLocation(
        op, mlirLocationNameGet(context, tune_ir_string(text), mlirOperationGetLocation(op)));
  tune_status_free(status);
  free(text);
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
