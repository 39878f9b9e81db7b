//===- reference_functions.c -------------------------------------------------------===//

#include "transforms/lower/cpu/reference_functions.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"

#include <stdio.h>
#include <stdlib.h>

// With fewer nests a function compiles soon enough.
#define LEAST_NESTS 24

// A nest that becomes a function, and what it reads from around it.
typedef struct nest {
  MlirOperation op;
  MlirBlock body; // of the function
  MlirValue *values;
  size_t count, capacity;
  tune_op_map index_of; // of values
  tune_status status;
} nest;

static bool is_nest(MlirOperation op) {
  static const char *const LOOPS[] = {"scf.for", "scf.forall", "scf.parallel", NULL};
  return mlirOperationGetNumResults(op) == 0 &&
         (tune_ir_is_one_of(op, LOOPS) || (tune_ir_string_starts(tune_ir_name(op), "linalg.") &&
                                           mlirOperationGetNumRegions(op) == 1));
}

static bool is_inside(MlirValue value, MlirOperation op) {
  MlirOperation around = mlirValueIsABlockArgument(value)
                             ? mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value))
                             : mlirOpResultGetOwner(value);
  while (!mlirOperationIsNull(around) && !mlirOperationEqual(around, op))
    around = mlirOperationGetParentOperation(around);
  return !mlirOperationIsNull(around);
}

static void add_value(nest *self, MlirValue value) {
  if (self->count == self->capacity) {
    size_t capacity = self->capacity ? 2 * self->capacity : 16;
    MlirValue *values = realloc(self->values, capacity * sizeof *values);
    if (!values) {
      self->status = tune_status_out_of_memory("a reference in functions");
      return;
    }
    self->values = values;
    self->capacity = capacity;
  }
  self->status = tune_op_map_set(&self->index_of, value.ptr, self->count);
  self->values[self->count++] = value;
}

static bool is_constant(MlirValue value) {
  return tune_ir_is(tune_ir_definition(value), "arith.constant");
}

// Constants are copied, so that bounds of loops stay known.
static MlirWalkResult list_values(MlirOperation op, void *user_data) {
  nest *self = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (tune_status_is_ok(self->status) && !is_inside(value, self->op) &&
        tune_op_map_get(&self->index_of, value.ptr) == TUNE_OP_MAP_NONE)
      add_value(self, value);
  }
  return tune_status_is_ok(self->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

typedef struct redirection {
  const nest *nest;
  const MlirValue *to;
} redirection;

static MlirWalkResult redirect(MlirOperation op, void *user_data) {
  const redirection *self = user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    size_t index = tune_op_map_get(&self->nest->index_of, mlirOperationGetOperand(op, i).ptr);
    if (index != TUNE_OP_MAP_NONE)
      mlirOperationSetOperand(op, i, self->to[index]);
  }
  return MlirWalkResultAdvance;
}

// What the nest reads, in the function: arguments, and copies of constants. Returns how many
// arguments there are; these are first in `passed`.
static intptr_t take_values(nest *self, MlirValue *to, MlirValue *passed) {
  MlirLocation location = mlirOperationGetLocation(self->op);
  intptr_t count = 0;
  for (size_t i = 0; i < self->count; ++i) {
    MlirValue value = self->values[i];
    if (is_constant(value)) {
      MlirOperation copy = mlirOperationClone(tune_ir_definition(value));
      mlirBlockAppendOwnedOperation(self->body, copy);
      to[i] = mlirOperationGetResult(copy, 0);
    } else {
      passed[count++] = value;
      to[i] = mlirBlockAddArgument(self->body, mlirValueGetType(value), location);
    }
  }
  return count;
}

static MlirOperation make_function(const nest *self, MlirOperation around, const char *name,
                                   intptr_t count, const MlirValue *passed) {
  MlirContext context = mlirOperationGetContext(around);
  MlirType *types = malloc(((size_t)count + 1) * sizeof *types);
  if (!types)
    return (MlirOperation){NULL};
  for (intptr_t i = 0; i < count; ++i)
    types[i] = mlirValueGetType(passed[i]);
  MlirAttribute noinline = mlirStringAttrGet(context, tune_ir_string("noinline"));
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "sym_name", mlirStringAttrGet(context, tune_ir_string(name))),
      tune_ir_named(context, "sym_visibility",
                    mlirStringAttrGet(context, tune_ir_string("private"))),
      tune_ir_named(context, "function_type",
                    mlirTypeAttrGet(mlirFunctionTypeGet(context, count, types, 0, NULL))),
      tune_ir_named(context, "passthrough", mlirArrayAttrGet(context, 1, &noinline))};
  free(types);
  MlirRegion region = tune_ir_make_region(self->body);
  tune_ir_builder b = tune_ir_builder_before(around);
  return tune_ir_build(&b, &(tune_ir_parts){.name = "func.func",
                                            .attribute_count = 4,
                                            .attributes = attributes,
                                            .region_count = 1,
                                            .regions = &region});
}

// Moves the nest into a function `name` before `around`, which it is in, and calls that.
static tune_status move_out(nest *self, MlirOperation around, const char *name) {
  mlirOperationWalk(self->op, list_values, self, MlirWalkPreOrder);
  TUNE_RETURN_IF_ERROR(self->status);
  MlirValue *to = malloc((self->count + 1) * sizeof *to);
  MlirValue *passed = malloc((self->count + 1) * sizeof *passed);
  self->body = mlirBlockCreate(0, NULL, NULL);
  intptr_t count = to && passed ? take_values(self, to, passed) : 0;
  MlirOperation function =
      to && passed ? make_function(self, around, name, count, passed) : (MlirOperation){NULL};
  if (mlirOperationIsNull(function)) {
    mlirBlockDestroy(self->body);
  } else {
    tune_ir_builder b = tune_ir_builder_before(self->op);
    MlirNamedAttribute callee = tune_ir_named(
        b.context, "callee", mlirFlatSymbolRefAttrGet(b.context, tune_ir_string(name)));
    tune_ir_build(&b, &(tune_ir_parts){.name = "func.call",
                                       .operand_count = count,
                                       .operands = passed,
                                       .attribute_count = 1,
                                       .attributes = &callee});
    tune_ir_builder inside = tune_ir_builder_at_end(self->body, b.location);
    tune_ir_move(&inside, self->op);
    tune_ir_build(&inside, &(tune_ir_parts){.name = "func.return"});
    redirection state = {self, to};
    mlirOperationWalk(self->op, redirect, &state, MlirWalkPreOrder);
  }
  free(to);
  free(passed);
  return mlirOperationIsNull(function) ? tune_status_out_of_memory("a reference in functions")
                                       : TUNE_OK;
}

static void list_nests(MlirOperation function, tune_op_list *out) {
  MlirRegion region = mlirOperationGetRegion(function, 0);
  for (MlirBlock block = mlirRegionGetFirstBlock(region); !mlirBlockIsNull(block);
       block = mlirBlockGetNextInRegion(block))
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (is_nest(op))
        tune_op_list_add(out, op);
}

static tune_status split(MlirOperation module, MlirOperation function, size_t *number) {
  tune_op_list nests = {0};
  list_nests(function, &nests);
  tune_status status =
      nests.failed ? tune_status_out_of_memory("a reference in functions") : TUNE_OK;
  for (size_t i = 0; nests.count >= LEAST_NESTS && i < nests.count && tune_status_is_ok(status);
       ++i) {
    char name[48];
    do
      snprintf(name, sizeof name, "tune_plain_%zu", (*number)++);
    while (!mlirOperationIsNull(tune_ir_find_symbol(module, tune_ir_string(name))));
    nest self = {.op = nests.ops[i], .status = TUNE_OK};
    tune_op_map_init(&self.index_of);
    status = move_out(&self, function, name);
    tune_op_map_deinit(&self.index_of);
    free(self.values);
  }
  tune_op_list_deinit(&nests);
  return status;
}

tune_status tune_reference_functions_make(MlirOperation module) {
  size_t number = 0;
  tune_status status = TUNE_OK;
  MlirOperation next, op = mlirBlockGetFirstOperation(tune_ir_body(module));
  for (; !mlirOperationIsNull(op) && tune_status_is_ok(status); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tune_ir_is(op, "func.func"))
      status = split(module, op, &number);
  }
  return status;
}
