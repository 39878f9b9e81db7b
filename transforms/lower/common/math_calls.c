//===- math_calls.c - Math functions as calls into libraries -----------------===//

#include "transforms/lower/common/math_calls.h"

#include "transforms/ir/ir.h"
#include "transforms/lower/common/vector_ops.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct function_row {
  const char *op;
  const char *function; // of doubles; with an f after it, of floats
  intptr_t arity;
  bool is_scalar_too; // also on scalars
} function_row;

// All of them are in libmvec since glibc 2.35.
static const function_row FUNCTIONS[] = {
    {"math.acos", "acos", 1, false},   {"math.acosh", "acosh", 1, false},
    {"math.asin", "asin", 1, false},   {"math.asinh", "asinh", 1, false},
    {"math.atan", "atan", 1, false},   {"math.atan2", "atan2", 2, false},
    {"math.atanh", "atanh", 1, false}, {"math.cbrt", "cbrt", 1, false},
    {"math.cos", "cos", 1, false},     {"math.cosh", "cosh", 1, false},
    {"math.erf", "erf", 1, false},     {"math.erfc", "erfc", 1, false},
    {"math.exp", "exp", 1, false},     {"math.exp2", "exp2", 1, false},
    {"math.expm1", "expm1", 1, true},  {"math.log", "log", 1, false},
    {"math.log10", "log10", 1, false}, {"math.log1p", "log1p", 1, true},
    {"math.log2", "log2", 1, false},   {"math.powf", "pow", 2, false},
    {"math.sin", "sin", 1, false},     {"math.sinh", "sinh", 1, false},
    {"math.tan", "tan", 1, false},     {"math.tanh", "tanh", 1, false},
};
#define FUNCTION_COUNT (sizeof FUNCTIONS / sizeof *FUNCTIONS)

_Static_assert(FUNCTION_COUNT <= TUNE_MATH_CALLS_LIMIT, "raise TUNE_MATH_CALLS_LIMIT");

const char *tune_math_calls_op(size_t index) {
  return index < FUNCTION_COUNT ? FUNCTIONS[index].op : NULL;
}

bool tune_math_calls_has_vector_library(const char *triple) {
  const char *end = strrchr(triple, '-');
  return strncmp(triple, "x86_64-", 7) == 0 && strstr(triple, "-linux-") && end &&
         strcmp(end, "-gnu") == 0;
}

//===--------------------------------------------------------------------------===//
// Declarations
//===--------------------------------------------------------------------------===//

// Declares `name` of `arity` arguments, all of `type`, unless `module` has it.
static void declare(MlirOperation module, const char *name, intptr_t arity, MlirType type) {
  if (!mlirOperationIsNull(tune_ir_find_symbol(module, tune_ir_string(name))))
    return;
  MlirContext context = mlirOperationGetContext(module);
  MlirType types[] = {type, type};
  MlirNamedAttribute attributes[] = {
      tune_ir_named(context, "sym_name", mlirStringAttrGet(context, tune_ir_string(name))),
      tune_ir_named(context, "sym_visibility",
                    mlirStringAttrGet(context, tune_ir_string("private"))),
      tune_ir_named(context, "function_type",
                    mlirTypeAttrGet(mlirFunctionTypeGet(context, arity, types, 1, &type))),
      tune_ir_named(context, "llvm.readnone", mlirUnitAttrGet(context)),
  };
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("func.func"), mlirOperationGetLocation(module));
  mlirOperationStateAddAttributes(&state, sizeof attributes / sizeof *attributes, attributes);
  MlirRegion body = mlirRegionCreate();
  mlirOperationStateAddOwnedRegions(&state, 1, &body);
  mlirBlockInsertOwnedOperation(tune_ir_body(module), 0, mlirOperationCreate(&state));
}

//===--------------------------------------------------------------------------===//
// Calls
//===--------------------------------------------------------------------------===//

typedef struct inserting {
  MlirOperation module;
  tune_math_width width;
} inserting;

static const function_row *find_row(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  for (size_t i = 0; i < FUNCTION_COUNT; ++i)
    if (tune_ir_string_equal(name, FUNCTIONS[i].op))
      return &FUNCTIONS[i];
  return NULL;
}

// How many lanes to do next of the `left` that are not done: as many as there is a function for. A
// rest that fills no SSE register is done one by one.
static int64_t next_lanes(const inserting *all, int64_t left, int64_t bits) {
  for (int64_t width = all->width; width >= TUNE_MATH_WIDTH_SSE; width /= 2)
    if (width / bits <= left)
      return width / bits;
  return 1;
}

// The name by the x86-64 vector function ABI: _ZGV, the instructions, no mask, lanes, a v for each
// vector argument, the scalar function.
static void function_name(const function_row *row, bool is_float, int64_t lanes, char *buffer,
                          size_t size) {
  int64_t width = lanes * (is_float ? 32 : 64);
  const char *suffix = is_float ? "f" : "";
  if (lanes == 1)
    snprintf(buffer, size, "%s%s", row->function, suffix);
  else
    snprintf(buffer, size, "_ZGV%cN%dv%s_%s%s",
             width == TUNE_MATH_WIDTH_AVX512 ? 'e' : (width == TUNE_MATH_WIDTH_AVX2 ? 'd' : 'b'),
             (int)lanes, row->arity == 2 ? "v" : "", row->function, suffix);
}

static MlirValue make_call(const inserting *all, MlirOperation op, const function_row *row,
                           const MlirValue *operands, int64_t lanes) {
  MlirContext context = mlirOperationGetContext(op);
  MlirType type = mlirValueGetType(operands[0]);
  MlirType element = mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type;
  char name[64];
  function_name(row, mlirTypeIsAF32(element), lanes, name, sizeof name);
  declare(all->module, name, row->arity, type);
  MlirNamedAttribute callee =
      tune_ir_named(context, "callee", mlirFlatSymbolRefAttrGet(context, tune_ir_string(name)));
  return tune_vector_op_make(op, "func.call", row->arity, operands, type, 1, &callee);
}

static MlirValue make_calls(const inserting *all, MlirOperation op, const function_row *row) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirValue operands[2] = {{NULL}, {NULL}};
  for (intptr_t i = 0; i < row->arity; ++i)
    operands[i] = mlirOperationGetOperand(op, i);
  if (!mlirTypeIsAVector(type))
    return make_call(all, op, row, operands, 1);
  int64_t length = mlirShapedTypeGetDimSize(type, 0);
  int64_t bits = mlirTypeIsAF32(mlirShapedTypeGetElementType(type)) ? 32 : 64;
  MlirValue result = tune_vector_op_make(op, "ub.poison", 0, NULL, type, 0, NULL);
  for (int64_t at = 0, lanes; at < length; at += lanes) {
    lanes = next_lanes(all, length - at, bits);
    MlirValue parts[2] = {{NULL}, {NULL}};
    for (intptr_t i = 0; i < row->arity; ++i)
      parts[i] = tune_vector_op_take_lanes(op, operands[i], at, lanes);
    result = tune_vector_op_put_lanes(op, make_call(all, op, row, parts, lanes), result, at, lanes);
  }
  return result;
}

static MlirWalkResult replace_if_function(MlirOperation op, void *user_data) {
  const inserting *all = user_data;
  const function_row *row = find_row(op);
  if (!row)
    return MlirWalkResultAdvance;
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  bool is_vector = mlirTypeIsAVector(type);
  if (is_vector ? mlirShapedTypeGetRank(type) != 1 || mlirVectorTypeIsScalable(type)
                : !row->is_scalar_too)
    return MlirWalkResultAdvance;
  MlirType element = is_vector ? mlirShapedTypeGetElementType(type) : type;
  if (!mlirTypeIsAF32(element) && !mlirTypeIsAF64(element))
    return MlirWalkResultAdvance;
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), make_calls(all, op, row));
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

void tune_math_calls_insert(MlirOperation module, tune_math_width width) {
  mlirContextGetOrLoadDialect(mlirOperationGetContext(module), tune_ir_string("ub"));
  inserting all = {module, width};
  mlirOperationWalk(module, replace_if_function, &all, MlirWalkPostOrder);
}
