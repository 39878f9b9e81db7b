//===- factor_terms.c ---------------------------------------------------------------===//

#include "transforms/normalize/quantized/factor_terms.h"

#include "transforms/ir/constant_value.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/quantized/tensor_dimensions.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>

enum { MOST_STEPS = 16 }; // from a term to where it comes from

static bool is_integer_of(MlirValue value, unsigned width) {
  MlirType type = tune_ir_element_type(mlirValueGetType(value));
  return mlirTypeIsAInteger(type) && mlirIntegerTypeIsSignless(type) &&
         mlirIntegerTypeGetWidth(type) == width;
}

// What `op` converts without making another number of it, or a null value. Wider integers than
// bytes are to be in bounds (tune_factor_term_range), so that 32 bits hold them.
static MlirValue before_conversion(MlirOperation op, bool *out_is_unsigned) {
  static const char *const SIGNED[] = {"arith.extsi", "arith.sitofp", "arith.trunci", NULL},
                           *const UNSIGNED[] = {"arith.extui", "arith.uitofp", NULL};
  bool is_unsigned = tune_ir_is_one_of(op, UNSIGNED);
  if (!is_unsigned && !tune_ir_is_one_of(op, SIGNED))
    return (MlirValue){NULL};
  MlirValue from = mlirOperationGetOperand(op, 0);
  bool is_wide = is_integer_of(from, 32) || is_integer_of(from, 64);
  if ((!is_integer_of(from, 8) && (is_unsigned || !is_wide)) ||
      (tune_ir_is(op, "arith.trunci") && !is_integer_of(mlirOperationGetResult(op, 0), 32)))
    return (MlirValue){NULL};
  *out_is_unsigned |= is_unsigned;
  return from;
}

typedef struct reader {
  bool is_zero_point, is_unsigned;
  MlirValue value;
  intptr_t dimensions[TUNE_IR_MAX_RANK];
} reader;

// Goes on with operand `operand` of `n`, whose result has been looked at.
static void go_to_operand(reader *r, const tune_nest_maps *n, intptr_t operand) {
  intptr_t dimensions[TUNE_IR_MAX_RANK];
  tune_tensor_dimensions_of_operand(n, operand, r->dimensions, dimensions);
  r->value = mlirOperationGetOperand(n->op, operand);
  memcpy(r->dimensions, dimensions, sizeof dimensions);
}

// From the result of an op that repeats, moves or converts one operand to that.
static bool step_through_nest(reader *r, MlirOperation op) {
  tune_nest_maps n;
  if (!tune_nest_maps_read(op, &n) || tune_nest_maps_reduces(&n))
    return false;
  MlirBlock body = tune_ir_body(op);
  MlirValue given = mlirOperationGetOperand(mlirBlockGetTerminator(body), 0);
  bool is_unsigned = r->is_unsigned;
  if (r->is_zero_point && mlirValueIsAOpResult(given)) {
    MlirValue from = before_conversion(tune_ir_definition(given), &is_unsigned);
    given = mlirValueIsNull(from) ? given : from;
  }
  for (intptr_t o = 0; o + 1 < n.operand_count; ++o)
    if (mlirValueEqual(given, mlirBlockGetArgument(body, o))) {
      r->is_unsigned = is_unsigned;
      go_to_operand(r, &n, o);
      return true;
    }
  return false;
}

static bool step(reader *r) {
  MlirOperation op = tune_ir_definition(r->value);
  if (mlirOperationIsNull(op))
    return false;
  if (tune_ir_is(op, "tensor.expand_shape") || tune_ir_is(op, "tensor.collapse_shape")) {
    intptr_t dimensions[TUNE_IR_MAX_RANK];
    MlirValue from = mlirOperationGetOperand(op, 0);
    if (!tune_tensor_is_plain(mlirValueGetType(from)) ||
        !tune_tensor_dimensions_before_reshape(op, r->dimensions, dimensions))
      return false;
    r->value = from;
    memcpy(r->dimensions, dimensions, sizeof dimensions);
    return true;
  }
  if (tune_ir_string_starts(tune_ir_name(op), "linalg."))
    return step_through_nest(r, op);
  MlirValue from = r->is_zero_point ? before_conversion(op, &r->is_unsigned) : (MlirValue){NULL};
  if (mlirValueIsNull(from))
    return false;
  r->value = from;
  return true;
}

bool tune_factor_term_read(MlirValue value, const intptr_t *dimensions, bool is_zero_point,
                           tune_factor_term *out) {
  *out = (tune_factor_term){.dimension = -1, .place = -1};
  if (tune_constant_exact_value(value, &out->number))
    return true;
  reader r = {.is_zero_point = is_zero_point, .value = value};
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsARankedTensor(type)) {
    if (!tune_tensor_is_plain(type))
      return false;
    for (intptr_t d = 0; d < mlirShapedTypeGetRank(type); ++d)
      r.dimensions[d] = dimensions[d];
  }
  for (int i = 0; i < MOST_STEPS && step(&r); ++i)
    ;
  if (tune_constant_exact_value(r.value, &out->number))
    return !r.is_unsigned || out->number >= 0;
  type = mlirValueGetType(r.value);
  out->value = r.value;
  out->is_unsigned = r.is_unsigned;
  intptr_t rank = mlirTypeIsARankedTensor(type) ? (intptr_t)mlirShapedTypeGetRank(type) : 0;
  for (intptr_t d = 0; d < rank; ++d) {
    if (mlirShapedTypeGetDimSize(type, d) == 1)
      continue;
    if (r.dimensions[d] < 0 || out->dimension >= 0)
      return false;
    out->dimension = r.dimensions[d];
    out->place = d;
  }
  return true;
}

static bool element_at(MlirAttribute elements, MlirType type, intptr_t i, double *out) {
  if (mlirTypeIsAF32(type)) {
    *out = (double)mlirDenseElementsAttrGetFloatValue(elements, i);
    return true;
  }
  unsigned width = mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type) : 0;
  *out = width == 32   ? (double)mlirDenseElementsAttrGetInt32Value(elements, i)
         : width == 64 ? (double)mlirDenseElementsAttrGetInt64Value(elements, i)
                       : 0;
  return width == 32 || width == 64;
}

bool tune_factor_term_range(const tune_factor_term *term, double *out_least, double *out_most) {
  *out_least = *out_most = term->number;
  if (mlirValueIsNull(term->value))
    return term->number == rint(term->number);
  if (is_integer_of(term->value, 8)) {
    *out_least = term->is_unsigned ? 0 : -128;
    *out_most = term->is_unsigned ? 255 : 127;
    return true;
  }
  MlirOperation op = tune_ir_definition(term->value);
  MlirAttribute elements =
      tune_ir_is(op, "arith.constant") ? tune_ir_attribute(op, "value") : mlirAttributeGetNull();
  if (mlirAttributeIsNull(elements) || !mlirAttributeIsADenseElements(elements) ||
      mlirElementsAttrGetNumElements(elements) == 0)
    return false;
  MlirType type = tune_ir_element_type(mlirValueGetType(term->value));
  for (intptr_t i = 0; i < mlirElementsAttrGetNumElements(elements); ++i) {
    double number;
    if (!element_at(elements, type, i, &number) || number != rint(number))
      return false;
    *out_least = i ? fmin(*out_least, number) : number;
    *out_most = i ? fmax(*out_most, number) : number;
  }
  return true;
}

MlirAffineMap tune_factor_term_map(const tune_factor_term *term, MlirContext context, intptr_t rank,
                                   intptr_t loop) {
  MlirType type = mlirValueGetType(term->value);
  intptr_t results = mlirTypeIsARankedTensor(type) ? (intptr_t)mlirShapedTypeGetRank(type) : 0;
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < results; ++d)
    indices[d] = d == term->place ? mlirAffineDimExprGet(context, loop)
                                  : mlirAffineConstantExprGet(context, 0);
  return mlirAffineMapGet(context, rank, 0, results, indices);
}
