//===- rounded_factors.c --------------------------------------------------------===//

#include "transforms/structure/rounded_factors.h"

#include "dialects/allow.h"
#include "transforms/ir/ir.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/BuiltinTypes.h"

//===--------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------===//

// A factor of the multiplication.
typedef struct factor {
  intptr_t input; // of the op
  MlirType to;    // what it is rounded to; null: it is f32, or of a narrow type already
  bool is_wide;   // f32, and used as it is
} factor;

typedef struct product {
  MlirOperation op, multiply;
  factor factors[2];
} product;

static bool is_element(MlirValue value, MlirBlock body, intptr_t *out_input) {
  if (!mlirValueIsABlockArgument(value) || !mlirBlockEqual(mlirBlockArgumentGetOwner(value), body))
    return false;
  *out_input = mlirBlockArgumentGetArgNumber(value);
  return *out_input < 2;
}

// Whether `value` is an input's element: as it is, widened, or rounded and widened again.
static bool read_factor(MlirValue value, MlirBlock body, factor *out) {
  *out = (factor){.is_wide = true};
  MlirOperation op = tune_ir_definition(value);
  if (tune_ir_is(op, "arith.extf")) {
    out->is_wide = false;
    value = mlirOperationGetOperand(op, 0);
    op = tune_ir_definition(value);
    if (tune_ir_is(op, "arith.truncf")) {
      // One that does not round to the nearest stays where it is.
      if (!mlirAttributeIsNull(tune_ir_attribute(op, "roundingmode")))
        return false;
      out->to = mlirValueGetType(value);
      value = mlirOperationGetOperand(op, 0);
    }
  }
  return is_element(value, body, &out->input);
}

// Whether `op` adds up products of its two inputs in f32.
static bool read_product(MlirOperation op, product *out) {
  *out = (product){.op = op};
  if (!tune_ir_is(op, "linalg.generic") || mlirOperationGetNumOperands(op) != 3 ||
      mlirOperationGetNumResults(op) != 1 ||
      !mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, 0))) ||
      !mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetOperand(op, 1))))
    return false;
  MlirBlock body = tune_ir_body(op);
  MlirOperation end = mlirBlockGetTerminator(body);
  MlirOperation add = tune_ir_definition(mlirOperationGetOperand(end, 0));
  MlirValue sum = mlirBlockGetArgument(body, 2);
  if (!tune_ir_is(add, "arith.addf") || !mlirTypeIsAF32(mlirValueGetType(sum)))
    return false;
  for (intptr_t side = 0; side < 2; ++side) {
    MlirOperation multiply = tune_ir_definition(mlirOperationGetOperand(add, 1 - side));
    if (!mlirValueEqual(mlirOperationGetOperand(add, side), sum) ||
        !tune_ir_is(multiply, "arith.mulf"))
      continue;
    out->multiply = multiply;
    return read_factor(mlirOperationGetOperand(multiply, 0), body, &out->factors[0]) &&
           read_factor(mlirOperationGetOperand(multiply, 1), body, &out->factors[1]) &&
           out->factors[0].input != out->factors[1].input;
  }
  return false;
}

static bool rounds(const product *p) {
  return !mlirTypeIsNull(p->factors[0].to) || !mlirTypeIsNull(p->factors[1].to);
}

// Whether a factor is rounded; where that is allowed, both are.
static bool take_rounding(product *p) {
  tune_allowances allowed = tune_allow_get(p->op);
  MlirContext context = mlirOperationGetContext(p->op);
  for (size_t i = 0; i < 2; ++i)
    if (p->factors[i].is_wide && allowed & TUNE_ALLOWS_NARROW)
      p->factors[i].to =
          allowed & TUNE_ALLOWS_BF16 ? mlirBF16TypeGet(context) : mlirF16TypeGet(context);
  // A factor that stays f32 would be multiplied as f32.
  for (size_t i = 0; i < 2; ++i)
    if (p->factors[i].is_wide && mlirTypeIsNull(p->factors[i].to))
      return false;
  return rounds(p);
}

//===--------------------------------------------------------------------------===//
// Narrow tensors
//===--------------------------------------------------------------------------===//

static MlirValue build_empty(const tune_ir_builder *b, MlirValue like, MlirType element) {
  MlirType type = mlirValueGetType(like);
  intptr_t rank = (intptr_t)mlirShapedTypeGetRank(type), unknown = 0;
  MlirValue sizes[TUNE_IR_MAX_RANK];
  for (intptr_t i = 0; i < rank; ++i) {
    if (!mlirShapedTypeIsDynamicDim(type, i))
      continue;
    MlirValue operands[] = {like, tune_ir_build_index(b, i)};
    sizes[unknown++] =
        tune_ir_build_value(b, "tensor.dim", mlirIndexTypeGet(b->context), 2, operands);
  }
  return tune_ir_build_value(b, "tensor.empty", tune_ir_with_element(type, element), unknown,
                             sizes);
}

// `name`, which converts, of one element of a body.
static MlirValue convert(const tune_ir_builder *b, const char *name, MlirType to, MlirValue value) {
  return tune_ir_build_value(b, name, to, 1, &value);
}

static void yield(const tune_ir_builder *b, const char *name, MlirValue value) {
  tune_ir_build(b, &(tune_ir_parts){.name = name, .operand_count = 1, .operands = &value});
}

// A linalg.generic with the attributes `attributes` of `inputs` into the last of `operands`.
static MlirValue build_generic(const tune_ir_builder *b, intptr_t operand_count,
                               const MlirValue *operands, intptr_t attribute_count,
                               const MlirNamedAttribute *attributes, MlirBlock body) {
  MlirRegion region = tune_ir_make_region(body);
  MlirType type = mlirValueGetType(operands[operand_count - 1]);
  return tune_ir_build_result(b, &(tune_ir_parts){.name = "linalg.generic",
                                                  .operand_count = operand_count,
                                                  .operands = operands,
                                                  .type_count = 1,
                                                  .types = &type,
                                                  .attribute_count = attribute_count,
                                                  .attributes = attributes,
                                                  .region_count = 1,
                                                  .regions = &region});
}

static MlirValue build_rounding(const tune_ir_builder *b, MlirValue value, MlirType to) {
  return mlirOperationGetResult(
      tune_ir_build_conversion(b, "arith.truncf", value, build_empty(b, value, to)), 0);
}

// Whether `op` puts zeroes, or what else a number is that is made outside, around a tensor.
static bool pads_with_number(MlirOperation op) {
  return tune_ir_is(op, "tensor.pad") &&
         mlirOperationEqual(mlirBlockGetFirstOperation(tune_ir_body(op)),
                            mlirBlockGetTerminator(tune_ir_body(op)));
}

static MlirValue round_value(const tune_ir_builder *b, MlirValue value, MlirType to);

// The pad `pad` of what it pads, rounded.
static MlirValue round_padded(const tune_ir_builder *b, MlirOperation pad, MlirType to) {
  MlirValue operands[2 * TUNE_IR_MAX_RANK + 1];
  MlirNamedAttribute attributes[8];
  intptr_t count = mlirOperationGetNumOperands(pad), named = mlirOperationGetNumAttributes(pad);
  for (intptr_t i = 0; i < count; ++i)
    operands[i] = mlirOperationGetOperand(pad, i);
  for (intptr_t i = 0; i < named; ++i)
    attributes[i] = mlirOperationGetAttribute(pad, i);
  operands[0] = round_value(b, operands[0], to);
  MlirValue number = mlirOperationGetOperand(mlirBlockGetTerminator(tune_ir_body(pad)), 0);
  MlirBlock body = tune_ir_make_block(b, (size_t)mlirBlockGetNumArguments(tune_ir_body(pad)));
  tune_ir_builder inside = tune_ir_builder_at_end(body, b->location);
  yield(&inside, "tensor.yield", convert(b, "arith.truncf", to, number));
  MlirRegion region = tune_ir_make_region(body);
  MlirType type = tune_ir_with_element(mlirValueGetType(mlirOperationGetResult(pad, 0)), to);
  return tune_ir_build_result(b, &(tune_ir_parts){.name = "tensor.pad",
                                                  .operand_count = count,
                                                  .operands = operands,
                                                  .type_count = 1,
                                                  .types = &type,
                                                  .attribute_count = named,
                                                  .attributes = attributes,
                                                  .region_count = 1,
                                                  .regions = &region});
}

static MlirValue round_value(const tune_ir_builder *b, MlirValue value, MlirType to) {
  MlirOperation op = tune_ir_definition(value);
  enum { MOST_ATTRIBUTES = 8 };
  return !mlirOperationIsNull(op) && tune_ir_has_one_use(value) && pads_with_number(op) &&
                 mlirOperationGetNumAttributes(op) <= MOST_ATTRIBUTES
             ? round_padded(b, op, to)
             : build_rounding(b, value, to);
}

//===--------------------------------------------------------------------------===//
// The product
//===--------------------------------------------------------------------------===//

static void append_body(const product *p, MlirBlock body, MlirLocation location) {
  tune_ir_builder inside = tune_ir_builder_at_end(body, location);
  MlirType f32 = mlirF32TypeGet(inside.context);
  MlirValue values[2];
  for (size_t i = 0; i < 2; ++i)
    values[i] =
        convert(&inside, "arith.extf", f32, mlirBlockGetArgument(body, p->factors[i].input));
  yield(&inside, "linalg.yield",
        tune_ir_build_binary(&inside, "arith.addf", mlirBlockGetArgument(body, 2),
                             tune_ir_build_binary(&inside, "arith.mulf", values[0], values[1])));
}

static void rewrite(const product *p) {
  enum { MOST_ATTRIBUTES = 16 };
  tune_ir_builder b = tune_ir_builder_before(p->op);
  MlirNamedAttribute attributes[MOST_ATTRIBUTES];
  intptr_t named = mlirOperationGetNumAttributes(p->op);
  if (named > MOST_ATTRIBUTES)
    return;
  for (intptr_t i = 0; i < named; ++i)
    attributes[i] = mlirOperationGetAttribute(p->op, i);
  MlirValue operands[3];
  MlirType elements[3];
  MlirLocation locations[] = {b.location, b.location, b.location};
  for (intptr_t i = 0; i < 3; ++i)
    operands[i] = mlirOperationGetOperand(p->op, i);
  for (size_t i = 0; i < 2; ++i)
    if (!mlirTypeIsNull(p->factors[i].to))
      operands[p->factors[i].input] =
          round_value(&b, operands[p->factors[i].input], p->factors[i].to);
  for (intptr_t i = 0; i < 3; ++i)
    elements[i] = tune_ir_element_type(mlirValueGetType(operands[i]));
  MlirBlock body = mlirBlockCreate(3, elements, locations);
  append_body(p, body, b.location);
  MlirValue result = build_generic(&b, 3, operands, named, attributes, body);
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(p->op, 0), result);
  mlirOperationDestroy(p->op);
}

//===--------------------------------------------------------------------------===//
// All of them
//===--------------------------------------------------------------------------===//

static MlirWalkResult look_for_rounding(MlirOperation op, void *user_data) {
  bool *found = user_data;
  product p;
  *found = read_product(op, &p) && rounds(&p) && take_rounding(&p);
  return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool tune_rounded_factors_are_in(MlirOperation root) {
  bool found = false;
  mlirOperationWalk(root, look_for_rounding, &found, MlirWalkPreOrder);
  return found;
}

static MlirWalkResult list_product(MlirOperation op, void *user_data) {
  product p;
  if (read_product(op, &p) && take_rounding(&p))
    tune_op_list_add(user_data, op);
  return MlirWalkResultAdvance;
}

bool tune_rounded_factors_apply(MlirOperation root) {
  tune_op_list products = {0};
  mlirOperationWalk(root, list_product, &products, MlirWalkPreOrder);
  for (size_t i = 0; i < products.count; ++i) {
    product p;
    if (read_product(products.ops[i], &p) && take_rounding(&p))
      rewrite(&p);
  }
  tune_op_list_deinit(&products);
  return !products.failed;
}

//===--------------------------------------------------------------------------===//
// The pass
//===--------------------------------------------------------------------------===//

static void construct(void *user_data) { (void)user_data; }

static void *clone(void *user_data) { return user_data; }

static void run(MlirOperation op, MlirExternalPass pass, void *user_data) {
  (void)user_data;
  if (!tune_rounded_factors_apply(op))
    mlirExternalPassSignalFailure(pass);
}

MlirPass tune_rounded_factors_create_pass(void) {
  static _Alignas(8) char id;
  const MlirExternalPassCallbacks callbacks = {
      .construct = construct, .destruct = construct, .clone = clone, .run = run};
  return mlirCreateExternalPass(mlirTypeIDCreate(&id), tune_ir_string("TuneRoundFactors"),
                                tune_ir_string(TUNE_ROUNDED_FACTORS_PASS),
                                tune_ir_string("Round factors of products ahead of them"),
                                tune_ir_string(""), 0, NULL, callbacks, NULL);
}
