//===- function_modules.c ----------------------------------------------------------------===//

#include "transforms/lower/cpu/function_modules.h"

#include "transforms/ir/ir.h"

#include <stdlib.h>

static void make_private(MlirOperation symbol) {
  mlirOperationSetAttributeByName(
      symbol, tune_ir_string("sym_visibility"),
      mlirStringAttrGet(mlirOperationGetContext(symbol), tune_ir_string("private")));
}

//===--------------------------------------------------------------------------===//
// Splitting
//===--------------------------------------------------------------------------===//

static bool has_decisions(MlirOperation function) {
  for (intptr_t i = 0; i < mlirOperationGetNumDiscardableAttributes(function); ++i) {
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetDiscardableAttribute(function, i).name);
    if (tune_ir_string_starts(name, "tune.llvm.") || tune_ir_string_starts(name, "tune.math."))
      return true;
  }
  return false;
}

static bool has_body(MlirOperation function) { return !mlirBlockIsNull(tune_ir_body(function)); }

// A function without a body, private, of the name, type and attributes of `function`.
static MlirOperation declare(MlirOperation function) {
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("func.func"), mlirOperationGetLocation(function));
  MlirRegion region = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, 1, &region);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(function); ++i) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(function, i);
    mlirOperationStateAddAttributes(&state, 1, &attribute);
  }
  MlirOperation declaration = mlirOperationCreate(&state);
  make_private(declaration);
  return declaration;
}

typedef struct reference_copier {
  MlirOperation from, to; // modules
} reference_copier;

static void copy_symbol(const reference_copier *copier, MlirAttribute reference) {
  if (mlirAttributeIsNull(reference) || !mlirAttributeIsAFlatSymbolRef(reference))
    return;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(reference);
  MlirOperation symbol = tune_ir_find_symbol(copier->from, name);
  if (mlirOperationIsNull(symbol) || !mlirOperationIsNull(tune_ir_find_symbol(copier->to, name)))
    return;
  MlirOperation copy =
      tune_ir_is(symbol, "func.func") ? declare(symbol) : mlirOperationClone(symbol);
  mlirBlockInsertOwnedOperation(tune_ir_body(copier->to), 0, copy);
}

// Globals and functions, the symbols there are after bufferization, are referred to by attributes
// of the op itself.
static MlirWalkResult copy_references(MlirOperation op, void *user_data) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); ++i)
    copy_symbol(user_data, mlirOperationGetAttribute(op, i).attribute);
  return MlirWalkResultAdvance;
}

// A memref is lowered to its allocated and aligned pointers, its offset, sizes and strides.
static tune_status find_pointers(MlirOperation function, tune_function_module *part) {
  MlirBlock block = tune_ir_body(function);
  intptr_t count = mlirBlockGetNumArguments(block);
  part->pointers = calloc((size_t)count + 1, sizeof *part->pointers);
  if (!part->pointers)
    return tune_status_out_of_memory("taking a module apart");
  unsigned parameter = 0;
  for (intptr_t i = 0; i < count; ++i) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(block, i));
    if (!mlirTypeIsAMemRef(type)) {
      ++parameter;
      continue;
    }
    part->pointers[part->pointer_count++] = parameter + 1;
    parameter += 3 + 2 * (unsigned)mlirShapedTypeGetRank(type);
  }
  return TUNE_OK;
}

static tune_status take_function(MlirOperation module, MlirOperation function,
                                 tune_function_module *part) {
  part->llvm = tune_llvm_options_default();
  part->math = tune_math_options_default();
  TUNE_RETURN_IF_ERROR(tune_llvm_options_take(function, &part->llvm));
  TUNE_RETURN_IF_ERROR(tune_math_options_take(function, &part->math));
  MlirStringRef name = tune_ir_string_attribute(function, "sym_name");
  part->function = strndup(name.data, name.length);
  if (!part->function)
    return tune_status_out_of_memory("taking a module apart");
  TUNE_RETURN_IF_ERROR(find_pointers(function, part));
  part->module = mlirModuleGetOperation(mlirModuleCreateEmpty(mlirOperationGetLocation(function)));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(function), function, declare(function));
  mlirOperationRemoveFromParent(function);
  // A private one would be dropped as dead.
  part->is_private =
      tune_ir_string_equal(tune_ir_string_attribute(function, "sym_visibility"), "private");
  mlirOperationRemoveAttributeByName(function, tune_ir_string("sym_visibility"));
  mlirBlockAppendOwnedOperation(tune_ir_body(part->module), function);
  reference_copier copier = {.from = module, .to = part->module};
  mlirOperationWalk(function, copy_references, &copier, MlirWalkPreOrder);
  return TUNE_OK;
}

tune_status tune_function_modules_split(MlirOperation module, const char *entry,
                                        tune_function_modules *out_parts) {
  *out_parts = (tune_function_modules){0};
  tune_status status = TUNE_OK;
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(module));
       !mlirOperationIsNull(op) && tune_status_is_ok(status); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!tune_ir_is(op, "func.func") || !has_body(op) || !has_decisions(op) ||
        (entry && tune_ir_string_equal(tune_ir_string_attribute(op, "sym_name"), entry)))
      continue;
    tune_function_module *items = realloc(out_parts->items, (out_parts->count + 1) * sizeof *items);
    if (!items) {
      status = tune_status_out_of_memory("taking a module apart");
      break;
    }
    out_parts->items = items;
    items[out_parts->count] = (tune_function_module){.function = NULL};
    status = take_function(module, op, &items[out_parts->count++]);
  }
  if (!tune_status_is_ok(status))
    tune_function_modules_deinit(out_parts);
  return status;
}

void tune_function_modules_deinit(tune_function_modules *parts) {
  for (size_t i = 0; i < parts->count; ++i) {
    if (!mlirOperationIsNull(parts->items[i].module))
      mlirOperationDestroy(parts->items[i].module);
    free(parts->items[i].function);
    free(parts->items[i].pointers);
  }
  free(parts->items);
  *parts = (tune_function_modules){0};
}

//===--------------------------------------------------------------------------===//
// Merging
//===--------------------------------------------------------------------------===//

static void merge_part(tune_function_module *part, MlirOperation module) {
  MlirBlock body = tune_ir_body(module);
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(tune_ir_body(part->module));
       !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    MlirStringRef name = tune_ir_string_attribute(op, "sym_name");
    MlirOperation known = tune_ir_find_symbol(module, name);
    bool is_function = tune_ir_string_equal(name, part->function);
    if (!is_function && !mlirOperationIsNull(known))
      continue; // goes with the part's module
    mlirOperationRemoveFromParent(op);
    if (is_function && !mlirOperationIsNull(known)) {
      if (part->is_private)
        make_private(op);
      mlirBlockInsertOwnedOperationBefore(body, known, op);
      mlirOperationDestroy(known);
    } else {
      mlirBlockInsertOwnedOperation(body, 0, op);
    }
  }
}

void tune_function_modules_merge(tune_function_modules *parts, MlirOperation module) {
  for (size_t i = 0; i < parts->count; ++i)
    merge_part(&parts->items[i], module);
}
