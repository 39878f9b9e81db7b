//===- quantized_factor.c ---------------------------------------------------------===//

#include "transforms/normalize/quantized/quantized_factor.h"

#include "transforms/ir/constant_value.h"
#include "transforms/normalize/nest_maps.h"
#include "transforms/normalize/quantized/tensor_dimensions.h"
#include "transforms/normalize/tensor_ops.h"

#include "mlir-c/AffineExpr.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <math.h>

enum { MOST_DEPTH = 32 }; // ops from a factor to its bytes

//===--- Finding ----------------------------------------------------------------------===//

// From the factor back to its bytes.
typedef struct search {
  tune_quantized_factor found;
  bool is_converted; // what is looked at by now are integers
  int depth;
} search;

static bool find_in_tensor(search *s, MlirValue value, const intptr_t *dimensions);

static bool is_byte(MlirType type) {
  return mlirTypeIsAInteger(type) && mlirIntegerTypeIsSignless(type) &&
         mlirIntegerTypeGetWidth(type) == 8;
}

static bool add_move(search *s, tune_factor_move move) {
  if (s->found.move_count == TUNE_FACTOR_MOVES)
    return false;
  s->found.moves[s->found.move_count++] = move;
  return true;
}

// What lies in an op on elements, whose result's dimensions are those of the factor by
// `dimensions`.
typedef struct body {
  tune_nest_maps nest;
  intptr_t dimensions[TUNE_IR_MAX_RANK];
} body;

// Which operand of the nest `value` is an element of, or -1.
static intptr_t operand_of(const body *b, MlirValue value) {
  for (intptr_t o = 0; o + 1 < b->nest.operand_count; ++o)
    if (mlirValueEqual(value, mlirBlockGetArgument(tune_ir_body(b->nest.op), o)))
      return o;
  return -1;
}

static bool read_term(const body *b, MlirValue value, bool is_zero_point, tune_factor_term *out) {
  static const intptr_t NONE[TUNE_IR_MAX_RANK] = {0};
  intptr_t operand = operand_of(b, value), dimensions[TUNE_IR_MAX_RANK];
  if (operand >= 0) {
    tune_tensor_dimensions_of_operand(&b->nest, operand, b->dimensions, dimensions);
    return tune_factor_term_read(mlirOperationGetOperand(b->nest.op, operand), dimensions,
                                 is_zero_point, out);
  }
  if (!tune_ir_is_made_inside(value, b->nest.op))
    return tune_factor_term_read(value, NONE, is_zero_point, out);
  MlirOperation op = tune_ir_definition(value);
  // A zero point may be converted beside what it is taken from.
  static const char *const CONVERSIONS[] = {"arith.extsi", "arith.sitofp", "arith.extui",
                                            "arith.uitofp", NULL};
  if (is_zero_point && tune_ir_is_one_of(op, CONVERSIONS) &&
      read_term(b, mlirOperationGetOperand(op, 0), true, out)) {
    out->is_unsigned |= tune_ir_is(op, "arith.extui") || tune_ir_is(op, "arith.uitofp");
    return !mlirValueIsNull(out->value) || !out->is_unsigned || out->number >= 0;
  }
  return tune_constant_exact_value(value, &out->number) &&
         tune_factor_term_read(value, NONE, is_zero_point, out);
}

// Element of an operand that is read once each: a tensor to go on with.
static bool find_in_operand(search *s, const body *b, intptr_t operand) {
  const tune_nest_maps *n = &b->nest;
  MlirAffineMap result = tune_nest_maps_result(n), map = n->maps[operand];
  if (!mlirAffineMapIsPermutation(map))
    return false;
  MlirContext context = mlirOperationGetContext(n->op);
  MlirAffineExpr indices[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < n->loop_count; ++d) {
    intptr_t loop = tune_nest_maps_loop(map, d), r = 0;
    while (tune_nest_maps_loop(result, r) != loop)
      ++r;
    indices[d] = mlirAffineDimExprGet(context, r);
  }
  MlirAffineMap read = mlirAffineMapGet(context, n->loop_count, 0, n->loop_count, indices);
  tune_factor_move turn = {.map = read, .type = mlirValueGetType(mlirOperationGetResult(n->op, 0))};
  intptr_t dimensions[TUNE_IR_MAX_RANK];
  tune_tensor_dimensions_of_operand(n, operand, b->dimensions, dimensions);
  return (mlirAffineMapIsIdentity(read) || add_move(s, turn)) &&
         find_in_tensor(s, mlirOperationGetOperand(n->op, operand), dimensions);
}

static bool find_in_body(search *s, const body *b, MlirValue value);

// A product of a scale and what is left, in either order.
static bool find_in_product(search *s, const body *b, MlirOperation op) {
  if (s->found.has_zero || s->is_converted || s->found.scale_count == TUNE_FACTOR_SCALES)
    return false;
  const search before = *s;
  for (intptr_t side = 0; side < 2; ++side) {
    *s = before;
    if (read_term(b, mlirOperationGetOperand(op, side), false,
                  &s->found.scales[s->found.scale_count++]) &&
        find_in_body(s, b, mlirOperationGetOperand(op, 1 - side)))
      return true;
  }
  return false;
}

// Narrow integers might wrap around.
static bool find_in_difference(search *s, const body *b, MlirOperation op) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (s->found.has_zero || (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) < 32) ||
      !read_term(b, mlirOperationGetOperand(op, 1), true, &s->found.zero))
    return false;
  s->found.has_zero = mlirValueIsNull(s->found.zero.value) ? s->found.zero.number != 0 : true;
  return find_in_body(s, b, mlirOperationGetOperand(op, 0));
}

static bool find_in_conversion(search *s, const body *b, MlirOperation op) {
  MlirValue from = mlirOperationGetOperand(op, 0);
  bool is_unsigned = tune_ir_is(op, "arith.uitofp") || tune_ir_is(op, "arith.extui");
  MlirType type = mlirValueGetType(from);
  if (!is_byte(type) && (is_unsigned || !mlirTypeIsAInteger(type) ||
                         mlirIntegerTypeGetWidth(type) < 16 || s->is_converted))
    return false;
  s->is_converted = true;
  s->found.is_unsigned |= is_unsigned;
  return find_in_body(s, b, from);
}

static bool find_in_body(search *s, const body *b, MlirValue value) {
  intptr_t operand = operand_of(b, value);
  if (operand >= 0)
    return find_in_operand(s, b, operand);
  MlirOperation op = tune_ir_definition(value);
  static const char *const TO_FLOAT[] = {"arith.sitofp", "arith.uitofp", NULL}, *const WIDER[] = {
                                                                                    "arith.extsi",
                                                                                    "arith.extui",
                                                                                    NULL};
  if (mlirOperationIsNull(op) || !tune_ir_is_inside(op, b->nest.op) || ++s->depth > MOST_DEPTH)
    return false;
  if (tune_ir_is(op, "arith.mulf"))
    return find_in_product(s, b, op);
  if (tune_ir_is(op, s->is_converted ? "arith.subi" : "arith.subf"))
    return find_in_difference(s, b, op);
  if (tune_ir_is_one_of(op, s->is_converted ? WIDER : TO_FLOAT))
    return find_in_conversion(s, b, op);
  return false;
}

static bool find_in_nest(search *s, MlirOperation op, const intptr_t *dimensions) {
  body b;
  if (!tune_nest_maps_read(op, &b.nest) ||
      !mlirAffineMapIsPermutation(tune_nest_maps_result(&b.nest)))
    return false;
  for (intptr_t d = 0; d < TUNE_IR_MAX_RANK; ++d)
    b.dimensions[d] = dimensions[d];
  return find_in_body(s, &b, mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(op)), 0));
}

static bool find_in_reshaped(search *s, MlirOperation op, const intptr_t *dimensions) {
  intptr_t before[TUNE_IR_MAX_RANK];
  tune_factor_move move = {.op = op, .type = mlirValueGetType(mlirOperationGetResult(op, 0))};
  return tune_tensor_dimensions_before_reshape(op, dimensions, before) && add_move(s, move) &&
         find_in_tensor(s, mlirOperationGetOperand(op, 0), before);
}

// Borders of zeroes, which are zero points among the bytes. These have to be found behind it, and
// be one for all.
static bool find_in_padded(search *s, MlirOperation op, const intptr_t *dimensions) {
  double filled;
  MlirValue from = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  intptr_t before[TUNE_IR_MAX_RANK], rank = (intptr_t)mlirShapedTypeGetRank(type);
  int64_t low[TUNE_IR_MAX_RANK], high[TUNE_IR_MAX_RANK];
  if (s->found.has_zero || s->is_converted || mlirOperationGetNumOperands(op) != 1 ||
      !tune_tensor_is_plain(mlirValueGetType(from)) ||
      !tune_tensor_read_numbers(op, "static_low", rank, low) ||
      !tune_tensor_read_numbers(op, "static_high", rank, high) ||
      !tune_constant_value(mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(op)), 0),
                           &filled) ||
      filled != 0)
    return false;
  // Numbers for each index would be for others than before.
  for (intptr_t d = 0; d < TUNE_IR_MAX_RANK; ++d)
    before[d] = d < rank && low[d] == 0 && high[d] == 0 ? dimensions[d] : -1;
  return add_move(s, (tune_factor_move){.op = op, .type = type}) &&
         find_in_tensor(s, from, before) && mlirValueIsNull(s->found.zero.value);
}

static bool find_in_tensor(search *s, MlirValue value, const intptr_t *dimensions) {
  if (!tune_tensor_is_plain(mlirValueGetType(value)) || ++s->depth > MOST_DEPTH)
    return false;
  s->found.bytes = value;
  if (is_byte(tune_ir_element_type(mlirValueGetType(value))))
    return s->is_converted;
  MlirOperation op = tune_ir_definition(value);
  if (tune_ir_is(op, "tensor.expand_shape") || tune_ir_is(op, "tensor.collapse_shape"))
    return find_in_reshaped(s, op, dimensions);
  if (tune_ir_is(op, "tensor.pad"))
    return find_in_padded(s, op, dimensions);
  return find_in_nest(s, op, dimensions);
}

bool tune_quantized_factor_find(MlirValue value, tune_quantized_factor *out) {
  search s = {.depth = 0};
  s.found.zero = (tune_factor_term){.dimension = -1, .place = -1};
  intptr_t dimensions[TUNE_IR_MAX_RANK];
  for (intptr_t d = 0; d < TUNE_IR_MAX_RANK; ++d)
    dimensions[d] = d;
  if (!mlirTypeIsAF32(tune_ir_element_type(mlirValueGetType(value))) ||
      !find_in_tensor(&s, value, dimensions))
    return false;
  *out = s.found;
  return true;
}

//===--- Numbers ----------------------------------------------------------------------===//

static double least_byte(const tune_quantized_factor *f) { return f->is_unsigned ? 0 : -128; }

static double largest_byte(const tune_quantized_factor *f) { return f->is_unsigned ? 255 : 127; }

static bool has_borders(const tune_quantized_factor *f) {
  bool has_borders = false;
  for (intptr_t m = 0; m < f->move_count; ++m)
    has_borders |= tune_ir_is(f->moves[m].op, "tensor.pad");
  return has_borders;
}

bool tune_quantized_factor_bound(const tune_quantized_factor *f, double *out_most) {
  double least = 0, most = 0;
  if (f->has_zero && !tune_factor_term_range(&f->zero, &least, &most))
    return false;
  if (has_borders(f) && (least < least_byte(f) || most > largest_byte(f)))
    return false;
  *out_most = fmax(fmax(-least_byte(f), largest_byte(f)),
                   fmax(most - least_byte(f), largest_byte(f) - least));
  return true;
}

//===--- Building ---------------------------------------------------------------------===//

static MlirType bytes_like(MlirContext context, MlirType type) {
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
  return mlirRankedTensorTypeGet(rank, sizes, mlirIntegerTypeGet(context, 8),
                                 (MlirAttribute){NULL});
}

static MlirValue build_padded(const tune_ir_builder *b, const tune_quantized_factor *f,
                              MlirOperation op, MlirValue bytes) {
  int64_t low[TUNE_IR_MAX_RANK], high[TUNE_IR_MAX_RANK];
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(mlirValueGetType(bytes));
  tune_tensor_read_numbers(op, "static_low", rank, low);
  tune_tensor_read_numbers(op, "static_high", rank, high);
  double zero = f->has_zero ? f->zero.number : 0;
  return tune_tensor_pad(b, bytes, low, high, zero > 127 ? zero - 256 : zero);
}

// The reshape `op` of bytes.
static MlirValue build_reshaped(const tune_ir_builder *b, MlirOperation op, MlirValue bytes) {
  MlirType type = bytes_like(b->context, mlirValueGetType(mlirOperationGetResult(op, 0)));
  MlirAttribute groups = tune_ir_attribute(op, "reassociation");
  int64_t sizes[TUNE_IR_MAX_RANK];
  intptr_t members[TUNE_IR_MAX_RANK], rank = (intptr_t)mlirShapedTypeGetRank(type);
  for (intptr_t d = 0; d < rank; ++d)
    sizes[d] = mlirShapedTypeGetDimSize(type, d);
  for (intptr_t g = 0; g < mlirArrayAttrGetNumElements(groups); ++g)
    members[g] = mlirArrayAttrGetNumElements(mlirArrayAttrGetElement(groups, g));
  return tune_tensor_reshape(b, bytes, rank, sizes, members);
}

MlirValue tune_quantized_factor_build(const tune_ir_builder *b, const tune_quantized_factor *f) {
  MlirValue bytes = f->bytes;
  for (intptr_t m = f->move_count; m-- > 0;) {
    const tune_factor_move *move = &f->moves[m];
    if (mlirOperationIsNull(move->op)) {
      MlirValue into =
          tune_ir_build_value(b, "tensor.empty", bytes_like(b->context, move->type), 0, NULL);
      bytes = tune_tensor_copy(b, bytes, move->map, into);
    } else if (tune_ir_is(move->op, "tensor.pad")) {
      bytes = build_padded(b, f, move->op, bytes);
    } else {
      bytes = build_reshaped(b, move->op, bytes);
    }
  }
  return bytes;
}
