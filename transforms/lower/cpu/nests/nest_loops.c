//===- nest_loops.c - Reading a linalg.generic on buffers --------------------------------===//

#include "transforms/lower/cpu/nests/nest_loops.h"

#include "dialects/printing.h"
#include "transforms/ir/arith_facts.h"
#include "transforms/ir/ir.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

// More would be code that takes seconds to build.
#define MOST_OPS 128

int64_t tune_nest_element_bits(MlirType element) {
  if (mlirTypeIsAIndex(element))
    return 64;
  if (tune_ir_is_short_float(element) || mlirTypeIsAF32(element))
    return 32;
  if (mlirTypeIsAF64(element))
    return 64;
  if (!mlirTypeIsAInteger(element))
    return 0;
  unsigned bits = mlirIntegerTypeGetWidth(element);
  return bits == 1 ? 8 : bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
}

// Adds `factor` times `expression` to `coefficients`; false where it is not linear.
static bool add_terms(MlirAffineExpr expression, int64_t factor, int64_t *coefficients) {
  if (mlirAffineExprIsAConstant(expression))
    return true;
  if (mlirAffineExprIsADim(expression)) {
    coefficients[mlirAffineDimExprGetPosition(expression)] += factor;
    return true;
  }
  bool is_sum = mlirAffineExprIsAAdd(expression);
  if (!is_sum && !mlirAffineExprIsAMul(expression))
    return false;
  MlirAffineExpr left = mlirAffineBinaryOpExprGetLHS(expression),
                 right = mlirAffineBinaryOpExprGetRHS(expression);
  if (is_sum)
    return add_terms(left, factor, coefficients) && add_terms(right, factor, coefficients);
  return mlirAffineExprIsAConstant(right) &&
         add_terms(left, factor * mlirAffineConstantExprGetValue(right), coefficients);
}

static bool read_operand(MlirValue value, MlirAffineMap map, tune_nest_operand *operand) {
  MlirType type = mlirValueGetType(value);
  *operand = (tune_nest_operand){.value = value, .map = map, .element = type};
  if (mlirTypeIsAMemRef(type)) {
    operand->is_buffer = true;
    operand->element = mlirShapedTypeGetElementType(type);
    operand->rank = (size_t)mlirShapedTypeGetRank(type);
    int64_t strides[TUNE_NEST_MAX_RANK], offset;
    if (operand->rank > TUNE_NEST_MAX_RANK ||
        (intptr_t)operand->rank != mlirAffineMapGetNumResults(map) ||
        !mlirLogicalResultIsSuccess(mlirMemRefTypeGetStridesAndOffset(type, strides, &offset)))
      return false;
    operand->is_dense = operand->rank > 0 && strides[operand->rank - 1] == 1;
  } else if (mlirTypeIsAShaped(type)) {
    return false;
  }
  for (size_t i = 0; i < operand->rank; ++i)
    operand->is_linear[i] =
        add_terms(mlirAffineMapGetResult(map, (intptr_t)i), 1, operand->coefficient[i]);
  return mlirAffineMapGetNumSymbols(map) == 0 && tune_nest_element_bits(operand->element) > 0;
}

bool tune_nest_is_static(const tune_nest_loops *nest) {
  for (size_t loop = 0; loop < nest->loop_count; ++loop)
    if (nest->extent[loop] < 0)
      return false;
  return true;
}

bool tune_nest_depends(const tune_nest_loops *nest, size_t operand, size_t loop) {
  const tune_nest_operand *of = &nest->operands[operand];
  for (size_t i = 0; i < of->rank; ++i)
    if (mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(of->map, (intptr_t)i), (intptr_t)loop))
      return true;
  return false;
}

// How long loop `loop` is: as a dimension that it indexes alone.
static bool find_extent(tune_nest_loops *nest, size_t loop) {
  bool is_found = false;
  nest->extent[loop] = -1;
  for (size_t o = 0; o < nest->operand_count; ++o) {
    const tune_nest_operand *operand = &nest->operands[o];
    for (size_t i = 0; i < operand->rank; ++i) {
      MlirAffineExpr index = mlirAffineMapGetResult(operand->map, (intptr_t)i);
      if (!mlirAffineExprIsADim(index) || (size_t)mlirAffineDimExprGetPosition(index) != loop)
        continue;
      MlirType type = mlirValueGetType(operand->value);
      bool is_known = !mlirShapedTypeIsDynamicDim(type, (intptr_t)i);
      if (is_found && !is_known)
        continue;
      is_found = true;
      nest->extent_operand[loop] = o;
      nest->extent_dimension[loop] = i;
      if (is_known) {
        nest->extent[loop] = mlirShapedTypeGetDimSize(type, (intptr_t)i);
        return true;
      }
    }
  }
  return is_found;
}

//===--- The body -----------------------------------------------------------------------===//

// Ops of one result that upstream takes on vectors as on scalars.
static bool is_for_lanes(MlirOperation op) {
  MlirStringRef name = tune_ir_name(op);
  return (tune_ir_string_starts(name, "arith.") || tune_ir_string_starts(name, "math.")) &&
         mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) == 1 &&
         tune_nest_element_bits(mlirValueGetType(mlirOperationGetResult(op, 0))) > 0;
}

static bool read_body(tune_nest_loops *nest) {
  size_t count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    bool is_read = tune_ir_is(op, "memref.load");
    if (!is_for_lanes(op) && !is_read && !tune_ir_is(op, "linalg.index") &&
        !tune_ir_is(op, "linalg.yield"))
      return false;
    nest->is_guarded |= is_read || tune_arith_divides(op);
    if (++count > MOST_OPS)
      return false;
  }
  for (size_t o = 0; o < nest->operand_count; ++o) {
    MlirValue argument = mlirBlockGetArgument(nest->body, (intptr_t)o);
    nest->operands[o].is_needed = !mlirOpOperandIsNull(mlirValueGetFirstUse(argument));
  }
  return true;
}

// Flags that forbid the neutral elements of extrema.
static bool has_bounds(MlirOperation op) {
  MlirAttribute flags = tune_ir_attribute(op, "fastmath");
  if (mlirAttributeIsNull(flags))
    return false;
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirAttributePrint(flags, tune_printing_append, &text);
  bool found = !text.text || strstr(text.text, "nnan") || strstr(text.text, "ninf") ||
               strstr(text.text, "fast>");
  tune_string_builder_deinit(&text);
  return found;
}

MlirOperation tune_nest_combiner(const tune_nest_loops *nest, size_t result) {
  static const char *const sums[] = {"arith.addf", "arith.addi", "arith.mulf", "arith.muli",
                                     "arith.andi", "arith.ori",  "arith.xori", NULL};
  static const char *const extrema[] = {"arith.maximumf", "arith.minimumf", "arith.maxnumf",
                                        "arith.minnumf",  "arith.maxsi",    "arith.minsi",
                                        "arith.maxui",    "arith.minui",    NULL};
  const MlirOperation none = {NULL};
  MlirOperation yield = mlirBlockGetTerminator(nest->body);
  MlirOperation op = tune_ir_definition(mlirOperationGetOperand(yield, (intptr_t)result));
  if (!tune_ir_is_one_of(op, sums) && !(tune_ir_is_one_of(op, extrema) && !has_bounds(op)))
    return none;
  MlirValue so_far = mlirBlockGetArgument(nest->body, (intptr_t)(nest->input_count + result));
  MlirOpOperand use = mlirValueGetFirstUse(so_far);
  MlirOpOperand other = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  bool is_used_once = !mlirOpOperandIsNull(use) &&
                      mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) &&
                      mlirOperationEqual(mlirOpOperandGetOwner(use), op) &&
                      mlirOpOperandIsNull(mlirOpOperandGetNextUse(other));
  return is_used_once ? op : none;
}

static bool is_reduction(MlirAttribute iterator) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  mlirAttributePrint(iterator, tune_printing_append, &text);
  bool found = text.text && strstr(text.text, "reduction");
  tune_string_builder_deinit(&text);
  return found;
}

bool tune_nest_loops_read(MlirOperation op, tune_nest_loops *out_nest) {
  *out_nest = (tune_nest_loops){.op = op};
  MlirAttribute iterators = tune_ir_attribute(op, "iterator_types");
  MlirAttribute maps = tune_ir_attribute(op, "indexing_maps");
  if (!tune_ir_is(op, "linalg.generic") || mlirAttributeIsNull(iterators) ||
      mlirAttributeIsNull(maps) || mlirOperationGetNumResults(op) != 0)
    return false;
  out_nest->body = tune_ir_body(op);
  out_nest->loop_count = (size_t)mlirArrayAttrGetNumElements(iterators);
  out_nest->operand_count = (size_t)mlirOperationGetNumOperands(op);
  size_t results = (size_t)mlirOperationGetNumOperands(mlirBlockGetTerminator(out_nest->body));
  if (out_nest->loop_count > TUNE_NEST_MAX_LOOPS ||
      out_nest->operand_count > TUNE_NEST_MAX_OPERANDS || results == 0)
    return false;
  out_nest->input_count = out_nest->operand_count - results;
  for (size_t o = 0; o < out_nest->operand_count; ++o)
    if (!read_operand(mlirOperationGetOperand(op, (intptr_t)o),
                      mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, (intptr_t)o)),
                      &out_nest->operands[o]))
      return false;
  for (size_t loop = 0; loop < out_nest->loop_count; ++loop) {
    out_nest->is_reduction[loop] = is_reduction(mlirArrayAttrGetElement(iterators, (intptr_t)loop));
    if (!find_extent(out_nest, loop) || out_nest->extent[loop] == 0)
      return false;
  }
  if (!read_body(out_nest))
    return false;
  out_nest->combines = true;
  for (size_t r = 0; r < results; ++r) {
    out_nest->combines &= !mlirOperationIsNull(tune_nest_combiner(out_nest, r));
    // What is added up has a place of its own.
    for (size_t loop = 0; loop < out_nest->loop_count; ++loop)
      if (out_nest->is_reduction[loop] &&
          tune_nest_depends(out_nest, out_nest->input_count + r, loop))
        return false;
  }
  return true;
}
