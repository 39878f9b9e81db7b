//===- math_avx512.c - Math functions by instructions of AVX-512 -------------===//

#include "transforms/lower/cpu/vectors/math_avx512.h"

#include "transforms/ir/ir.h"
#include "transforms/lower/common/vector_ops.h"

#define LANES 16

#define SCALE "llvm.x86.avx512.mask.scalef.ps.512"
#define RANGE "llvm.x86.avx512.mask.range.ps.512"
#define RANGE_OF_8 "llvm.x86.avx512.mask.range.ps.256"
#define RANGE_OF_4 "llvm.x86.avx512.mask.range.ps.128"
#define PERMUTE "llvm.x86.avx512.permvar.sf.512"

//===--------------------------------------------------------------------------===//
// Ops on 16 lanes of f32, made before `place`
//===--------------------------------------------------------------------------===//

static MlirNamedAttribute named(MlirOperation place, const char *name, MlirAttribute attribute) {
  return tune_ir_named(mlirOperationGetContext(place), name, attribute);
}

static MlirType vector_of(MlirType element) {
  int64_t lanes = LANES;
  return mlirVectorTypeGet(1, &lanes, element);
}

static MlirType floats(MlirOperation place) {
  return vector_of(mlirF32TypeGet(mlirOperationGetContext(place)));
}

static MlirValue constant(MlirOperation place, MlirAttribute attribute) {
  MlirNamedAttribute value = named(place, "value", attribute);
  return tune_vector_op_make(place, "arith.constant", 0, NULL, mlirAttributeGetType(attribute), 1,
                             &value);
}

static MlirValue number(MlirOperation place, float value) {
  return constant(place, mlirDenseElementsAttrFloatSplatGet(floats(place), value));
}

static MlirValue integer(MlirOperation place, unsigned bits, int64_t value) {
  MlirType type = mlirIntegerTypeGet(mlirOperationGetContext(place), bits);
  return constant(place, mlirIntegerAttrGet(type, value));
}

static MlirValue unary(MlirOperation place, const char *name, MlirValue x) {
  return tune_vector_op_make(place, name, 1, &x, floats(place), 0, NULL);
}

static MlirValue binary(MlirOperation place, const char *name, MlirValue x, MlirValue y) {
  MlirValue operands[] = {x, y};
  return tune_vector_op_make(place, name, 2, operands, floats(place), 0, NULL);
}

// x * y + z
static MlirValue fused(MlirOperation place, MlirValue x, MlirValue y, MlirValue z) {
  MlirValue operands[] = {x, y, z};
  return tune_vector_op_make(place, "math.fma", 3, operands, floats(place), 0, NULL);
}

// Predicates of arith.cmpf.
enum { ORDERED_LESS = 4, NOT_LESS = 10 };

static MlirValue compare(MlirOperation place, int64_t predicate, MlirValue x, MlirValue y) {
  MlirContext context = mlirOperationGetContext(place);
  MlirValue compared[] = {x, y};
  MlirNamedAttribute how =
      named(place, "predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), predicate));
  return tune_vector_op_make(place, "arith.cmpf", 2, compared,
                             vector_of(mlirIntegerTypeGet(context, 1)), 1, &how);
}

// The smaller of `x` and `most`, x where it is a NaN: one vminps.
static MlirValue at_most(MlirOperation place, MlirValue x, float most) {
  MlirValue limit = number(place, most), is_over = compare(place, ORDERED_LESS, limit, x);
  MlirValue operands[] = {is_over, limit, x};
  return tune_vector_op_make(place, "arith.select", 3, operands, floats(place), 0, NULL);
}

// Of the type of the first operand.
static MlirValue call(MlirOperation place, const char *intrinsic, int32_t operand_count,
                      const MlirValue *operands) {
  MlirContext context = mlirOperationGetContext(place);
  int32_t segments[] = {operand_count, 0};
  MlirNamedAttribute attributes[] = {
      named(place, "intrin", mlirStringAttrGet(context, tune_ir_string(intrinsic))),
      named(place, "op_bundle_sizes", mlirDenseI32ArrayGet(context, 0, NULL)),
      named(place, "operandSegmentSizes", mlirDenseI32ArrayGet(context, 2, segments))};
  return tune_vector_op_make(place, "llvm.call_intrinsic", operand_count, operands,
                             mlirValueGetType(operands[0]), 3, attributes);
}

#define ALL_LANES (-1)
#define CURRENT_ROUNDING 4

// The lanes where `x` is `least` or more, or a NaN: a mask of 16 bits.
static MlirValue lanes_from(MlirOperation place, MlirValue x, float least) {
  MlirContext context = mlirOperationGetContext(place);
  MlirType mask = mlirIntegerTypeGet(context, LANES);
  MlirValue lanes = compare(place, NOT_LESS, x, number(place, least));
  MlirValue bits = tune_vector_op_make(place, "vector.bitcast", 1, &lanes,
                                       mlirVectorTypeGet(1, (const int64_t[]){1}, mask), 0, NULL);
  MlirNamedAttribute first =
      named(place, "static_position", mlirDenseI64ArrayGet(context, 1, (const int64_t[]){0}));
  return tune_vector_op_make(place, "vector.extract", 1, &bits, mask, 1, &first);
}

// x * 2^floor(exponent) in these lanes, rounded once, and zero in the others. Infinite exponents
// give infinity and zero, NaNs a NaN.
static MlirValue scale(MlirOperation place, MlirValue x, MlirValue exponent, MlirValue lanes) {
  MlirValue operands[] = {x, exponent, number(place, 0), lanes,
                          integer(place, 32, CURRENT_ROUNDING)};
  return call(place, SCALE, 5, operands);
}

// `x` cut off at -1 and 1; of NaNs 1.
static MlirValue within_one(MlirOperation place, MlirValue x) {
  enum { SMALLER_MAGNITUDE = 2 };
  MlirValue operands[] = {x,
                          number(place, 1),
                          integer(place, 32, SMALLER_MAGNITUDE),
                          x,
                          integer(place, 16, ALL_LANES),
                          integer(place, 32, CURRENT_ROUNDING)};
  return call(place, RANGE, 6, operands);
}

static bool is_vector_of_f32(MlirType type) {
  return mlirTypeIsAVector(type) && !mlirVectorTypeIsScalable(type) &&
         mlirShapedTypeGetRank(type) == 1 && mlirTypeIsAF32(mlirShapedTypeGetElementType(type));
}

//===--------------------------------------------------------------------------===//
// exp
//===--------------------------------------------------------------------------===//

// exp(r) = 1 + r * (C0 + r * (C1 + ...)) for |r| <= ln(2) / 2: a minimax fit by units in the last
// place (Remez), with an error of 1.05 of them.
static const float EXP[] = {0x1.ffffeep-1F, 0x1.fffdbep-2F, 0x1.555ce8p-3F, 0x1.573cccp-5F,
                            0x1.0edb98p-7F};

// exp(x) = exp(x - n ln(2)) * 2^n. Where x is so large, infinite or a NaN that the difference makes
// no sense, anything finite does for it: n decides.
//
// What would be denormal is zero, as without AVX-512: Intel's CPUs take 60 ns for each vector that
// makes or multiplies such a number, and a softmax whose scores are some 90 apart has many.
static MlirValue make_exp(MlirOperation place, MlirValue x) {
  MlirValue exponent = binary(place, "arith.mulf", x, number(place, 0x1.715476p+0F)); // 1 / ln(2)
  MlirValue n = unary(place, "math.roundeven", exponent);
  MlirValue r = fused(place, n, number(place, -0x1.62e43p-1F), x);
  r = fused(place, n, number(place, 0x1.05c61p-29F), r); // what of ln(2) f32 does not hold
  r = within_one(place, r);
  size_t degree = sizeof EXP / sizeof *EXP;
  MlirValue sum = number(place, EXP[degree - 1]);
  for (size_t i = degree - 1; i-- > 0;)
    sum = fused(place, sum, r, number(place, EXP[i]));
  MlirValue normal = lanes_from(place, x, -0x1.5d589ep+6F); // ln(2^-126)
  return scale(place, fused(place, sum, r, number(place, 1)), n, normal);
}

//===--------------------------------------------------------------------------===//
// erf
//===--------------------------------------------------------------------------===//

// Row i: the coefficients of u^i, column k: of erf(k / 4 + u) for |u| <= 1/8. Minimax fits of the
// relative error (Remez); the first is odd, and the last reaches 1 at its end, which is kept from
// there on.
#define ERF_DEGREE 5
static const float ERF[ERF_DEGREE + 1][LANES] = {
    {0.0F, 0.276326388F, 0.520499885F, 0.711155653F, 0.842700779F, 0.92290014F, 0.966105163F,
     0.986671686F, 0.995322287F, 0.998537302F, 0.999593019F, 0.999899387F, 0.999977887F,
     0.999995708F, 0.999999285F, 0.999999881F},
    {1.12837911F, 1.06001425F, 0.87878263F, 0.642931104F, 0.415107518F, 0.236521125F, 0.118930288F,
     0.0527749918F, 0.020666983F, 0.00714231841F, 0.00217828457F, 0.000586277689F, 0.00013925333F,
     2.91891483e-05F, 5.39946859e-06F, 1.20000000e-06F},
    {0.0F, -0.264998108F, -0.43938446F, -0.482194632F, -0.415108114F, -0.295654297F, -0.178398088F,
     -0.092357479F, -0.0413340367F, -0.016069822F, -0.00544532714F, -0.00161203463F,
     -0.000417657371F, -9.48278757e-05F, -1.88872054e-05F, -3.30268745e-06F},
    {-0.376122713F, -0.309191197F, -0.146478385F, 0.0267797261F, 0.138365179F, 0.167535573F,
     0.138753727F, 0.0901591107F, 0.0482239127F, 0.0217247475F, 0.00834993366F, 0.00276020193F,
     0.000788987265F, 0.000195760193F, 4.22785051e-05F, 7.96484437e-06F},
    {0.0F, 0.126042277F, 0.181912526F, 0.150058642F, 0.0692901313F, -0.0056624664F, -0.0441468768F,
     -0.0478918664F, -0.0344337821F, -0.0191510115F, -0.00868784729F, -0.00329699251F,
     -0.00106175209F, -0.000292780256F, -6.95544732e-05F, -1.42976769e-05F},
    {0.112210274F, 0.0808316842F, 0.00815974083F, -0.052476991F, -0.0687321275F, -0.0471098796F,
     -0.0150321461F, 0.00643181289F, 0.0129848504F, 0.0106366482F, 0.00613417476F, 0.00277595571F,
     0.00102876348F, 0.000319127779F, 8.39456334e-05F, 1.88838912e-05F},
};
#define ERF_END 0x1.effffep+1F // just below 15 / 4 + 1 / 8

static MlirValue look_up(MlirOperation place, const float *table, MlirValue index) {
  MlirValue operands[] = {
      constant(place, mlirDenseElementsAttrFloatGet(floats(place), LANES, table)), index};
  return call(place, PERMUTE, 2, operands);
}

static MlirValue make_erf(MlirOperation place, MlirValue x) {
  MlirContext context = mlirOperationGetContext(place);
  MlirValue magnitude = at_most(place, unary(place, "math.absf", x), ERF_END);
  // A number so large that the last place of a sum with it is 1/4: there the index stands, of which
  // vpermps reads four bits.
  MlirValue large = number(place, 0x1.8p+21F);
  MlirValue sum = binary(place, "arith.addf", magnitude, large);
  MlirValue middle = binary(place, "arith.subf", sum, large);
  MlirValue u = binary(place, "arith.subf", magnitude, middle);
  MlirValue index = tune_vector_op_make(place, "arith.bitcast", 1, &sum,
                                        vector_of(mlirIntegerTypeGet(context, 32)), 0, NULL);
  MlirValue result = look_up(place, ERF[ERF_DEGREE], index);
  for (size_t i = ERF_DEGREE; i-- > 0;)
    result = fused(place, result, u, look_up(place, ERF[i], index));
  return binary(place, "math.copysign", result, x);
}

//===--------------------------------------------------------------------------===//
// Maxima
//===--------------------------------------------------------------------------===//

// The one of them, of 16, 8 or 4 lanes, that `control` selects.
static MlirValue make_range(MlirOperation place, MlirValue x, MlirValue y, int64_t control) {
  int64_t lanes = mlirShapedTypeGetDimSize(mlirValueGetType(x), 0);
  MlirValue operands[] = {x,
                          y,
                          integer(place, 32, control),
                          x,
                          integer(place, lanes == LANES ? 16 : 8, ALL_LANES),
                          integer(place, 32, CURRENT_ROUNDING)};
  if (lanes == LANES)
    return call(place, RANGE, 6, operands);
  return call(place, lanes == 8 ? RANGE_OF_8 : RANGE_OF_4, 5, operands);
}

static MlirWalkResult replace_extremum(MlirOperation op, void *user_data) {
  (void)user_data;
  enum { MINIMUM = 4, MAXIMUM = 5 };
  bool is_maximum = tune_ir_is(op, "arith.maxnumf");
  if (!is_maximum && !tune_ir_is(op, "arith.minnumf"))
    return MlirWalkResultAdvance;
  MlirValue x = mlirOperationGetOperand(op, 0), y = mlirOperationGetOperand(op, 1);
  MlirType type = mlirValueGetType(x);
  if (!is_vector_of_f32(type))
    return MlirWalkResultAdvance;
  int64_t length = mlirShapedTypeGetDimSize(type, 0);
  if (length % LANES != 0 && length != 8 && length != 4)
    return MlirWalkResultAdvance;
  int64_t lanes = length < LANES ? length : LANES;
  MlirValue result = x; // each lane is replaced
  for (int64_t at = 0; at < length; at += lanes) {
    MlirValue part =
        make_range(op, tune_vector_op_take_lanes(op, x, at, lanes),
                   tune_vector_op_take_lanes(op, y, at, lanes), is_maximum ? MAXIMUM : MINIMUM);
    result = tune_vector_op_put_lanes(op, part, result, at, lanes);
  }
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), result);
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

void tune_math_avx512_insert_extrema(MlirOperation module) {
  mlirContextGetOrLoadDialect(mlirOperationGetContext(module), tune_ir_string("llvm"));
  mlirOperationWalk(module, replace_extremum, NULL, MlirWalkPostOrder);
}

//===--------------------------------------------------------------------------===//
// Inserting
//===--------------------------------------------------------------------------===//

typedef struct function_row {
  const char *op;
  MlirValue (*make)(MlirOperation place, MlirValue x);
} function_row;

static const function_row FUNCTIONS[] = {{"math.erf", make_erf}, {"math.exp", make_exp}};
#define FUNCTION_COUNT (sizeof FUNCTIONS / sizeof *FUNCTIONS)

const char *tune_math_avx512_op(size_t index) {
  return index < FUNCTION_COUNT ? FUNCTIONS[index].op : NULL;
}

bool tune_math_avx512_is_call(MlirOperation op) {
  if (!tune_ir_is(op, "llvm.call_intrinsic"))
    return false;
  MlirStringRef name = mlirStringAttrGetValue(tune_ir_attribute(op, "intrin"));
  static const char *const NAMES[] = {SCALE, RANGE, RANGE_OF_8, RANGE_OF_4, PERMUTE};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (tune_ir_string_equal(name, NAMES[i]))
      return true;
  return false;
}

static bool is_f64(MlirType type) {
  return mlirTypeIsAF64(mlirTypeIsAVector(type) ? mlirShapedTypeGetElementType(type) : type);
}

static MlirWalkResult replace(MlirOperation op, void *user_data) {
  bool *is_left = user_data;
  const function_row *row = NULL;
  for (size_t i = 0; i < FUNCTION_COUNT && !row; ++i)
    if (tune_ir_is(op, FUNCTIONS[i].op))
      row = &FUNCTIONS[i];
  if (!row)
    return MlirWalkResultAdvance;
  MlirValue x = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(x);
  if (!is_vector_of_f32(type) || mlirShapedTypeGetDimSize(type, 0) % LANES != 0) {
    *is_left |= !is_f64(type);
    return MlirWalkResultAdvance;
  }
  int64_t length = mlirShapedTypeGetDimSize(type, 0);
  MlirValue result = x; // each lane is replaced
  for (int64_t at = 0; at < length; at += LANES) {
    MlirValue part = row->make(op, tune_vector_op_take_lanes(op, x, at, LANES));
    result = tune_vector_op_put_lanes(op, part, result, at, LANES);
  }
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), result);
  mlirOperationDestroy(op);
  return MlirWalkResultAdvance;
}

void tune_math_avx512_insert(MlirOperation module, bool *out_left) {
  mlirContextGetOrLoadDialect(mlirOperationGetContext(module), tune_ir_string("llvm"));
  *out_left = false;
  mlirOperationWalk(module, replace, out_left, MlirWalkPostOrder);
}
