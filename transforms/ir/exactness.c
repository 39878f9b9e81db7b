//===- exactness.c - Analysis: outputs that are exact for small integers -----===//

#include "transforms/ir/exactness.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_sums.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/AffineMap.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>

// Comparisons with constants up to here come out as those of exact values do.
#define LARGEST_CONSTANT 255
// What begins a maximum stands below whatever there is: the lowest f16, those of wider types, and
// -inf.
#define LOWEST (-65504.0)

// Winograd's transforms, by which 3x3 convolutions of f32 may be computed, are less exact than
// sums, by a factor of 4 to 8: up to here they come out as the whole numbers that they are.
#define LIMIT_OF_TRANSFORMS (INT64_C(1) << 18)

typedef struct findings {
  int64_t limit;
  bool has_windows;    // convolves
  bool has_arithmetic; // adds or multiplies
  bool has_other;      // an op that is none of those in the header
  bool has_odd_values; // constants that are negative or fractions, comparisons of what is computed
} findings;

static bool is_one_of(MlirStringRef name, const char *const *names) {
  for (; *names; ++names)
    if (tune_ir_string_equal(name, *names))
      return true;
  return false;
}

// Beyond it a type has no longer all whole numbers. 0 for floats that are not known.
static int64_t whole_numbers_of(MlirType type) {
  MlirType element = tune_ir_element_type(type);
  if (!mlirTypeIsAFloat(element))
    return INT64_MAX;
  if (mlirTypeIsABF16(element))
    return INT64_C(1) << 8;
  if (mlirTypeIsAF16(element))
    return INT64_C(1) << 11;
  if (mlirTypeIsAF32(element))
    return INT64_C(1) << 24;
  return mlirTypeIsAF64(element) ? INT64_C(1) << 53 : 0;
}

static void look_at_type(MlirType type, findings *found) {
  int64_t limit = whole_numbers_of(type);
  if (limit < found->limit)
    found->limit = limit;
}

static void look_at_constant(MlirOperation op, findings *found) {
  MlirAttribute value = tune_ir_attribute(op, "value");
  if (mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value))
    value = mlirDenseElementsAttrGetSplatValue(value);
  if (mlirAttributeIsAInteger(value))
    return;
  if (!mlirAttributeIsAFloat(value)) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
    found->has_odd_values |= mlirTypeIsAFloat(tune_ir_element_type(type));
    return;
  }
  double number = mlirFloatAttrGetValueDouble(value);
  bool is_small = number >= 0 && number <= LARGEST_CONSTANT && number == rint(number);
  bool is_end = number <= LOWEST || number >= -LOWEST;
  found->has_odd_values |= !is_small && !is_end;
}

// Beside a constant, which is small or an end, both sides come out as if they were exact.
static bool compares_with_constant(MlirOperation op) {
  for (intptr_t i = 0; i < 2; ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (mlirValueIsAOpResult(operand) &&
        tune_ir_string_equal(tune_ir_name(mlirOpResultGetOwner(operand)), "arith.constant"))
      return true;
  }
  return false;
}

static void look_at_arithmetic(MlirOperation op, findings *found) {
  static const char *const computing[] = {"arith.addf", "arith.mulf", NULL};
  static const char *const choosing[] = {
      "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf",
      "arith.extf",     "arith.truncf",   "arith.select",  NULL};
  static const char *const leaving_floats[] = {"arith.fptosi", "arith.fptoui", "arith.bitcast",
                                               NULL};
  MlirStringRef name = tune_ir_name(op);
  bool is_float =
      mlirTypeIsAFloat(tune_ir_element_type(mlirValueGetType(mlirOperationGetResult(op, 0))));
  if (tune_ir_string_equal(name, "arith.constant"))
    look_at_constant(op, found);
  else if (tune_ir_string_equal(name, "arith.cmpf"))
    found->has_odd_values |= !compares_with_constant(op);
  else if (is_one_of(name, computing))
    found->has_arithmetic = true;
  else
    found->has_other |= is_float ? !is_one_of(name, choosing) : is_one_of(name, leaving_floats);
}

// Whether some operand of `op` is read at sums of indices.
static bool reads_windows(MlirOperation op) {
  if (tune_ir_string_starts(tune_ir_name(op), "linalg.conv"))
    return true;
  MlirAttribute maps = tune_ir_attribute(op, "indexing_maps");
  intptr_t count = mlirAttributeIsNull(maps) ? 0 : mlirArrayAttrGetNumElements(maps);
  for (intptr_t i = 0; i < count; ++i) {
    MlirAffineMap map = mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i));
    for (intptr_t d = 0; d < mlirAffineMapGetNumResults(map); ++d)
      if (mlirAffineExprIsAAdd(mlirAffineMapGetResult(map, d)))
        return true;
  }
  return false;
}

static MlirWalkResult look_at(MlirOperation op, void *context) {
  // Some ops of other dialects compute without a body of arith ops (memref.atomic_rmw).
  static const char *const moving[] = {"affine.apply", "affine.max", "affine.min", "func.func",
                                       "func.return",  "linalg.",    "tensor.",    NULL};
  static const char *const computing[] = {"linalg.softmax", "linalg.winograd_filter_transform",
                                          "linalg.winograd_input_transform",
                                          "linalg.winograd_output_transform", NULL};
  findings *found = context;
  MlirStringRef name = tune_ir_name(op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i)
    look_at_type(mlirValueGetType(mlirOperationGetResult(op, i)), found);
  if (tune_ir_string_starts(name, "arith.")) {
    look_at_arithmetic(op, found);
  } else {
    found->has_windows = found->has_windows || reads_windows(op);
    bool is_known = false;
    for (const char *const *begin = moving; *begin && !is_known; ++begin)
      is_known = tune_ir_string_starts(name, *begin);
    // Of a product over a dimension a zero may meet what is too large.
    found->has_other |= !is_known || is_one_of(name, computing) || tune_op_sum_of(op).multiplies_up;
  }
  return found->has_other ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

tune_exactness tune_exactness_of(MlirOperation function) {
  findings found = {.limit = INT64_MAX};
  mlirOperationWalk(function, look_at, &found, MlirWalkPreOrder);
  MlirType type = mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type"));
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    look_at_type(mlirFunctionTypeGetInput(type, i), &found);
  // Without floats all is exact anyway.
  if (found.has_other || found.limit == 0 || found.limit == INT64_MAX)
    return (tune_exactness){0};
  if (!found.has_arithmetic)
    return (tune_exactness){.selects = true};
  int64_t limit = found.limit;
  if (found.has_windows && limit > LIMIT_OF_TRANSFORMS)
    limit = LIMIT_OF_TRANSFORMS;
  return (tune_exactness){.limit = found.has_odd_values ? 0 : limit};
}
