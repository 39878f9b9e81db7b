//===- vector_arithmetic.c - Cheaper forms of arithmetic on vectors ----------===//

#include "transforms/lower/common/vector_arithmetic.h"

#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/lower/common/vector_ops.h"

#include <math.h>

static bool is_on_vectors(MlirOperation op) {
  return mlirTypeIsAVector(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

//===--------------------------------------------------------------------------===//
// Maxima
//===--------------------------------------------------------------------------===//

static MlirAttribute parse(MlirContext context, const char *text) {
  return mlirAttributeParseGet(context, tune_ir_string(text));
}

static bool is_extremum(MlirOperation op) {
  if (tune_ir_is(op, "arith.maximumf") || tune_ir_is(op, "arith.minimumf"))
    return is_on_vectors(op);
  if (!tune_ir_is(op, "vector.reduction"))
    return false;
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute kind = tune_ir_attribute(op, "kind");
  return mlirAttributeEqual(kind, parse(context, "#vector.kind<maximumf>")) ||
         mlirAttributeEqual(kind, parse(context, "#vector.kind<minimumf>"));
}

static MlirWalkResult ignore_zero_sign(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!is_extremum(op))
    return MlirWalkResultAdvance;
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute flags = tune_ir_attribute(op, "fastmath");
  // Flags that a front end set are wider as a rule, and it knows what it wants.
  if (mlirAttributeIsNull(flags) ||
      mlirAttributeEqual(flags, parse(context, "#arith.fastmath<none>")))
    mlirOperationSetAttributeByName(op, tune_ir_string("fastmath"),
                                    parse(context, "#arith.fastmath<nsz>"));
  return MlirWalkResultAdvance;
}

void tune_vector_arithmetic_ignore_zero_signs(MlirOperation module) {
  mlirOperationWalk(module, ignore_zero_sign, NULL, MlirWalkPreOrder);
}

// The elementwise op of a reduction by maxima or minima, NULL of others.
static const char *extremum_of(MlirOperation reduction) {
  static const char *const KINDS[][2] = {{"#vector.kind<maximumf>", "arith.maximumf"},
                                         {"#vector.kind<minimumf>", "arith.minimumf"},
                                         {"#vector.kind<maxnumf>", "arith.maxnumf"},
                                         {"#vector.kind<minnumf>", "arith.minnumf"}};
  MlirContext context = mlirOperationGetContext(reduction);
  MlirAttribute kind = tune_ir_attribute(reduction, "kind");
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; ++i)
    if (mlirAttributeEqual(kind, parse(context, KINDS[i][0])))
      return KINDS[i][1];
  return NULL;
}

// Halves of an odd length share an element, which a maximum does not mind.
static MlirWalkResult halve_extremum(MlirOperation op, void *user_data) {
  (void)user_data;
  const char *extremum = tune_ir_is(op, "vector.reduction") ? extremum_of(op) : NULL;
  if (!extremum)
    return MlirWalkResultAdvance;
  MlirValue vector = mlirOperationGetOperand(op, 0);
  MlirType element = mlirValueGetType(mlirOperationGetResult(op, 0));
  if ((!mlirTypeIsAF32(element) && !mlirTypeIsAF64(element)) ||
      mlirVectorTypeIsScalable(mlirValueGetType(vector)))
    return MlirWalkResultAdvance;
  MlirContext context = mlirOperationGetContext(op);
  MlirAttribute given = tune_ir_attribute(op, "fastmath");
  MlirNamedAttribute flags =
      tune_ir_named(context, "fastmath",
                    mlirAttributeIsNull(given) ? parse(context, "#arith.fastmath<none>") : given);
  int64_t length = mlirShapedTypeGetDimSize(mlirValueGetType(vector), 0);
  if (length == 1)
    vector = tune_vector_op_take_lanes(op, vector, 0, 1);
  while (length > 1) {
    int64_t half = (length + 1) / 2;
    MlirValue halves[] = {tune_vector_op_take_lanes(op, vector, 0, half),
                          tune_vector_op_take_lanes(op, vector, length - half, half)};
    vector = tune_vector_op_make(op, extremum, 2, halves, mlirValueGetType(halves[0]), 1, &flags);
    length = half;
  }
  if (mlirOperationGetNumOperands(op) == 2) {
    MlirValue operands[] = {vector, mlirOperationGetOperand(op, 1)};
    vector = tune_vector_op_make(op, extremum, 2, operands, element, 1, &flags);
  }
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), vector);
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

void tune_vector_arithmetic_halve_extrema(MlirOperation module) {
  mlirOperationWalk(module, halve_extremum, NULL, MlirWalkPostOrder);
}

//===--------------------------------------------------------------------------===//
// Division
//===--------------------------------------------------------------------------===//

// An op with the one result `type`, after `place`.
static MlirOperation make_after(MlirOperation place, const char *name, intptr_t operand_count,
                                const MlirValue *operands, MlirType type) {
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string(name), mlirOperationGetLocation(place));
  mlirOperationStateAddOperands(&state, operand_count, operands);
  mlirOperationStateAddResults(&state, 1, &type);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(place), place, op);
  return op;
}

static MlirValue make_before(MlirOperation place, const char *name, intptr_t operand_count,
                             const MlirValue *operands, MlirType type) {
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string(name), mlirOperationGetLocation(place));
  mlirOperationStateAddOperands(&state, operand_count, operands);
  mlirOperationStateAddResults(&state, 1, &type);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, op);
  return mlirOperationGetResult(op, 0);
}

static MlirOperation make_constant_before(MlirOperation place, MlirAttribute attribute) {
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("arith.constant"), mlirOperationGetLocation(place));
  MlirNamedAttribute value = tune_ir_named(mlirOperationGetContext(place), "value", attribute);
  MlirType type = mlirAttributeGetType(attribute);
  mlirOperationStateAddAttributes(&state, 1, &value);
  mlirOperationStateAddResults(&state, 1, &type);
  MlirOperation op = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, op);
  return op;
}

// The reciprocal of what `broadcast` makes a vector of, as such a vector; beside the broadcast,
// which is out of the loop where the number is. LLVM unites equal ones.
static MlirValue invert_broadcast(MlirOperation broadcast) {
  MlirValue number = mlirOperationGetOperand(broadcast, 0);
  MlirType type = mlirValueGetType(number);
  if (!mlirTypeIsAF32(type) && !mlirTypeIsAF64(type))
    return (MlirValue){NULL};
  MlirOperation one = make_constant_before(
      broadcast, mlirFloatAttrDoubleGet(mlirOperationGetContext(broadcast), type, 1.0));
  MlirValue fraction[] = {mlirOperationGetResult(one, 0), number};
  MlirOperation reciprocal = make_after(broadcast, "arith.divf", 2, fraction, type);
  MlirValue single = mlirOperationGetResult(reciprocal, 0);
  MlirType vector = mlirValueGetType(mlirOperationGetResult(broadcast, 0));
  return mlirOperationGetResult(make_after(reciprocal, "vector.broadcast", 1, &single, vector), 0);
}

// The same of a constant that has one value for all elements, and no reciprocal out of range.
static MlirValue invert_constant(MlirOperation constant) {
  MlirAttribute value = tune_ir_attribute(constant, "value");
  if (!mlirAttributeIsADenseElements(value) || !mlirDenseElementsAttrIsSplat(value))
    return (MlirValue){NULL};
  MlirType vector = mlirAttributeGetType(value);
  MlirType type = mlirShapedTypeGetElementType(vector);
  bool is_float = mlirTypeIsAF32(type);
  if (!is_float && !mlirTypeIsAF64(type))
    return (MlirValue){NULL};
  double divisor = is_float ? (double)mlirDenseElementsAttrGetFloatSplatValue(value)
                            : mlirDenseElementsAttrGetDoubleSplatValue(value);
  double limit = is_float ? 0x1p126 : 0x1p1022;
  if (!(fabs(divisor) <= limit && fabs(divisor) >= 1 / limit))
    return (MlirValue){NULL};
  MlirAttribute reciprocal = mlirDenseElementsAttrSplatGet(
      vector, mlirFloatAttrDoubleGet(mlirOperationGetContext(constant), type, 1 / divisor));
  return mlirOperationGetResult(make_constant_before(constant, reciprocal), 0);
}

static MlirWalkResult use_reciprocal(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!tune_ir_is(op, "arith.divf") || !is_on_vectors(op))
    return MlirWalkResultAdvance;
  MlirValue divisor = mlirOperationGetOperand(op, 1);
  if (!mlirValueIsAOpResult(divisor))
    return MlirWalkResultAdvance;
  MlirOperation source = mlirOpResultGetOwner(divisor);
  MlirValue reciprocal = {NULL};
  if (tune_ir_is(source, "vector.broadcast"))
    reciprocal = invert_broadcast(source);
  else if (tune_ir_is(source, "arith.constant"))
    reciprocal = invert_constant(source);
  if (mlirValueIsNull(reciprocal))
    return MlirWalkResultAdvance;
  MlirValue factors[] = {mlirOperationGetOperand(op, 0), reciprocal};
  MlirOperation product = make_after(op, "arith.mulf", 2, factors, mlirValueGetType(divisor));
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), mlirOperationGetResult(product, 0));
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

void tune_vector_arithmetic_use_reciprocals(MlirOperation module) {
  mlirOperationWalk(module, use_reciprocal, NULL, MlirWalkPostOrder);
}

//===--------------------------------------------------------------------------===//
// bf16
//===--------------------------------------------------------------------------===//

// Whether `wide`, a number or a vector of fixed size, is of f32, and `narrow` the same of bf16.
static bool are_f32_and_bf16(MlirType wide, MlirType narrow) {
  if (mlirTypeIsAVector(wide)) {
    if (mlirVectorTypeIsScalable(wide) || mlirShapedTypeGetRank(wide) > 16)
      return false;
    wide = mlirShapedTypeGetElementType(wide);
    narrow = mlirShapedTypeGetElementType(narrow);
  }
  return mlirTypeIsAF32(wide) && mlirTypeIsABF16(narrow);
}

static bool is_rounding_to_bf16(MlirOperation op) {
  return tune_ir_is(op, "arith.truncf") &&
         mlirAttributeIsNull(tune_ir_attribute(op, "roundingmode")) &&
         are_f32_and_bf16(mlirValueGetType(mlirOperationGetOperand(op, 0)),
                          mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static MlirValue integer(MlirOperation place, MlirType type, int64_t number) {
  bool is_vector = mlirTypeIsAVector(type);
  MlirAttribute value =
      mlirIntegerAttrGet(is_vector ? mlirShapedTypeGetElementType(type) : type, number);
  if (is_vector)
    value = mlirDenseElementsAttrSplatGet(type, value);
  return mlirOperationGetResult(make_constant_before(place, value), 0);
}

static MlirValue binary(MlirOperation place, const char *name, MlirValue left, MlirValue right) {
  MlirValue operands[] = {left, right};
  return make_before(place, name, 2, operands, mlirValueGetType(left));
}

// All ones where `number` is a NaN: the exponent is full and something is below it.
static MlirValue nan_mask(MlirOperation place, MlirValue bits) {
  MlirContext context = mlirOperationGetContext(place);
  MlirType words = mlirValueGetType(bits);
  MlirValue magnitude =
      binary(place, "arith.andi", bits, integer(place, words, INT32_C(0x7fffffff)));
  MlirOperationState state =
      mlirOperationStateGet(tune_ir_string("arith.cmpi"), mlirOperationGetLocation(place));
  MlirNamedAttribute greater = tune_ir_named(
      context, "predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), 4)); // sgt
  MlirValue operands[] = {magnitude, integer(place, words, INT32_C(0x7f800000))};
  MlirType truth = tune_ir_with_element(words, mlirIntegerTypeGet(context, 1));
  mlirOperationStateAddOperands(&state, 2, operands);
  mlirOperationStateAddResults(&state, 1, &truth);
  mlirOperationStateAddAttributes(&state, 1, &greater);
  MlirOperation compare = mlirOperationCreate(&state);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(place), place, compare);
  MlirValue is_nan = mlirOperationGetResult(compare, 0);
  return make_before(place, "arith.extsi", 1, &is_nan, words);
}

// Adds just below half of the last place kept, and one more where that place is odd. A NaN gets its
// quiet bits set after that. A select would say the latter, but LLVM moves it behind the bitcast,
// and then selects the elements one by one.
static MlirWalkResult round_to_bf16(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!is_rounding_to_bf16(op))
    return MlirWalkResultAdvance;
  MlirContext context = mlirOperationGetContext(op);
  MlirValue number = mlirOperationGetOperand(op, 0);
  MlirType to = mlirValueGetType(mlirOperationGetResult(op, 0));
  MlirType words = tune_ir_with_element(to, mlirIntegerTypeGet(context, 32));
  MlirType halves = tune_ir_with_element(to, mlirIntegerTypeGet(context, 16));
  MlirValue bits = make_before(op, "arith.bitcast", 1, &number, words);
  MlirValue sixteen = integer(op, words, 16);
  MlirValue odd =
      binary(op, "arith.andi", binary(op, "arith.shrui", bits, sixteen), integer(op, words, 1));
  MlirValue sum =
      binary(op, "arith.addi", binary(op, "arith.addi", bits, odd), integer(op, words, 0x7fff));
  MlirValue quiet = binary(op, "arith.andi", nan_mask(op, bits), integer(op, words, 0x7fc0));
  MlirValue upper = binary(op, "arith.ori", binary(op, "arith.shrui", sum, sixteen), quiet);
  MlirValue half = make_before(op, "arith.trunci", 1, &upper, halves);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0),
                                make_before(op, "arith.bitcast", 1, &half, to));
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

// The number's bits are the upper half. Said as an extension LLVM narrows what compares two of them
// to bf16, which it compares one by one.
static MlirWalkResult extend_from_bf16(MlirOperation op, void *user_data) {
  (void)user_data;
  if (!tune_ir_is(op, "arith.extf"))
    return MlirWalkResultAdvance;
  MlirContext context = mlirOperationGetContext(op);
  MlirValue number = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  MlirType to = mlirValueGetType(result);
  if (!are_f32_and_bf16(to, mlirValueGetType(number)))
    return MlirWalkResultAdvance;
  MlirType words = tune_ir_with_element(to, mlirIntegerTypeGet(context, 32));
  MlirType halves = tune_ir_with_element(to, mlirIntegerTypeGet(context, 16));
  MlirValue half = make_before(op, "arith.bitcast", 1, &number, halves);
  MlirValue word = make_before(op, "arith.extui", 1, &half, words);
  MlirValue upper = binary(op, "arith.shli", word, integer(op, words, 16));
  mlirValueReplaceAllUsesOfWith(result, make_before(op, "arith.bitcast", 1, &upper, to));
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

void tune_vector_arithmetic_convert_bf16(MlirOperation module) {
  mlirOperationWalk(module, round_to_bf16, NULL, MlirWalkPostOrder);
  mlirOperationWalk(module, extend_from_bf16, NULL, MlirWalkPostOrder);
}
