//===- odd_integers.c -----------------------------------------------------------------===//

#include "transforms/lower/vulkan/odd_integers.h"

#include "dialects/diagnostic.h"
#include "transforms/ir/ir_builder.h"
#include "transforms/lower/vulkan/narrow_ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <stdlib.h>

// An op on such integers, and of how many bits: 0 where it takes or gives none.
typedef struct odd_op {
  MlirOperation op;
  unsigned taken, given;
} odd_op;

typedef struct odd_ops {
  odd_op *items;
  size_t count, capacity;
  bool failed; // memory ran out
} odd_ops;

// 0 where shaders have `type`, or it is no integer.
static unsigned odd_width(MlirType type) {
  MlirType element = tune_ir_element_type(type);
  if (!mlirTypeIsAInteger(element))
    return 0;
  unsigned width = mlirIntegerTypeGetWidth(element);
  bool is_there = width == 1 || width == 8 || width == 16 || width == 32 || width >= 64;
  return is_there ? 0 : width;
}

static MlirType wide(MlirType type) {
  return tune_ir_with_element(
      type, mlirIntegerTypeGet(mlirTypeGetContext(type), odd_width(type) < 32 ? 32 : 64));
}

//===--- Finding ----------------------------------------------------------------------===//

static void add(odd_ops *self, odd_op item) {
  if (self->count == self->capacity) {
    size_t capacity = self->capacity ? 2 * self->capacity : 16;
    odd_op *items = realloc(self->items, capacity * sizeof *items);
    if (!items) {
      self->failed = true;
      return;
    }
    self->items = items;
    self->capacity = capacity;
  }
  self->items[self->count++] = item;
}

static MlirWalkResult look_at(MlirOperation op, void *user_data) {
  odd_ops *self = user_data;
  odd_op item = {.op = op};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    unsigned width = odd_width(mlirValueGetType(mlirOperationGetOperand(op, i)));
    item.taken = width ? width : item.taken;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    unsigned width = odd_width(mlirValueGetType(mlirOperationGetResult(op, i)));
    item.given = width ? width : item.given;
  }
  if (item.taken || item.given)
    add(self, item);
  return self->failed ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

//===--- Bits -------------------------------------------------------------------------===//

static MlirValue number(const tune_ir_builder *b, MlirType type, int64_t value) {
  MlirAttribute one = mlirIntegerAttrGet(tune_ir_element_type(type), value);
  return tune_ir_build_constant(
      b, type, mlirTypeIsAVector(type) ? mlirDenseElementsAttrSplatGet(type, one) : one);
}

static int64_t mask_of(unsigned width) { return (int64_t)((UINT64_C(1) << width) - 1); }

// The lowest `width` bits of `value`.
static MlirValue cut(const tune_ir_builder *b, MlirValue value, unsigned width) {
  return tune_ir_build_binary(b, "arith.andi", value,
                              number(b, mlirValueGetType(value), mask_of(width)));
}

// The number that the lowest `width` bits are if the highest of them is a sign.
static MlirValue with_sign(const tune_ir_builder *b, MlirValue value, unsigned width) {
  MlirType type = mlirValueGetType(value);
  unsigned bits = mlirIntegerTypeGetWidth(tune_ir_element_type(type));
  MlirValue by = number(b, type, bits - width);
  return tune_ir_build_binary(b, "arith.shrsi", tune_ir_build_binary(b, "arith.shli", value, by),
                              by);
}

static MlirValue resized(const tune_ir_builder *b, MlirValue value, MlirType type,
                         const char *extension) {
  unsigned from = mlirIntegerTypeGetWidth(tune_ir_element_type(mlirValueGetType(value)));
  unsigned to = mlirIntegerTypeGetWidth(tune_ir_element_type(type));
  return from == to
             ? value
             : tune_ir_build_value(b, from < to ? extension : "arith.trunci", type, 1, &value);
}

//===--- Ops --------------------------------------------------------------------------===//

typedef enum odd_way { MOVES, CUTS, SIGNS, COMPARES, CONVERTS, CONSTANT, UNKNOWN } odd_way;

// What is to be done about an op: nothing, cut its result, sign its operands as well.
static odd_way way_of(MlirOperation op) {
  static const char *const CUT[] = {
      "arith.addi",   "arith.subi",   "arith.muli",         "arith.shli",
      "arith.fptosi", "arith.fptoui", "arith.index_castui", NULL};
  static const char *const SIGNED[] = {
      "arith.shrsi",     "arith.minsi",      "arith.maxsi",  "arith.divsi",      "arith.remsi",
      "arith.ceildivsi", "arith.floordivsi", "arith.sitofp", "arith.index_cast", NULL};
  static const char *const MOVED[] = {"arith.andi",
                                      "arith.ori",
                                      "arith.xori",
                                      "arith.shrui",
                                      "arith.minui",
                                      "arith.maxui",
                                      "arith.divui",
                                      "arith.remui",
                                      "arith.ceildivui",
                                      "arith.uitofp",
                                      "arith.select",
                                      "ub.poison",
                                      "vector.extract",
                                      "vector.insert",
                                      "vector.broadcast",
                                      "vector.shuffle",
                                      "vector.from_elements",
                                      "vector.to_elements",
                                      "vector.extract_strided_slice",
                                      "vector.insert_strided_slice",
                                      "vector.shape_cast",
                                      "scf.for",
                                      "scf.if",
                                      "scf.while",
                                      "scf.yield",
                                      "scf.condition",
                                      "cf.br",
                                      "cf.cond_br",
                                      NULL};
  static const char *const CONVERTED[] = {"arith.extsi", "arith.extui", "arith.trunci", NULL};
  return tune_ir_is(op, "arith.constant")   ? CONSTANT
         : tune_ir_is(op, "arith.cmpi")     ? COMPARES
         : tune_ir_is_one_of(op, CONVERTED) ? CONVERTS
         : tune_ir_is_one_of(op, CUT)       ? CUTS
         : tune_ir_is_one_of(op, SIGNED)    ? SIGNS
         : tune_ir_is_one_of(op, MOVED)     ? MOVES
                                            : UNKNOWN;
}

static void sign_operands(const odd_op *self) {
  tune_ir_builder b = tune_ir_builder_before(self->op);
  // The distance of a shift has no sign.
  intptr_t count = tune_ir_is(self->op, "arith.shrsi") ? 1 : mlirOperationGetNumOperands(self->op);
  for (intptr_t i = 0; i < count && self->taken; ++i)
    mlirOperationSetOperand(self->op, i,
                            with_sign(&b, mlirOperationGetOperand(self->op, i), self->taken));
}

static void cut_result(const odd_op *self) {
  if (!self->given)
    return;
  tune_ir_builder b = tune_ir_builder_before(mlirOperationGetNextInBlock(self->op));
  MlirValue result = mlirOperationGetResult(self->op, 0);
  MlirValue bits = cut(&b, result, self->given);
  MlirOperation op = tune_ir_definition(bits);
  mlirValueReplaceAllUsesExcept(result, bits, 1, &op);
}

static void convert(const odd_op *self) {
  tune_ir_builder b = tune_ir_builder_before(self->op);
  MlirValue value = mlirOperationGetOperand(self->op, 0);
  MlirValue result = mlirOperationGetResult(self->op, 0);
  bool has_sign = tune_ir_is(self->op, "arith.extsi");
  if (has_sign && self->taken)
    value = with_sign(&b, value, self->taken);
  value = resized(&b, value, mlirValueGetType(result), has_sign ? "arith.extsi" : "arith.extui");
  if (self->given && !tune_ir_is(self->op, "arith.extui"))
    value = cut(&b, value, self->given);
  mlirValueReplaceAllUsesOfWith(result, value);
  mlirOperationDestroy(self->op);
}

// In the type that its result has by now.
static tune_status widen_constant(const odd_op *self) {
  MlirType type = mlirValueGetType(mlirOperationGetResult(self->op, 0));
  MlirType element = tune_ir_element_type(type);
  MlirAttribute value = tune_ir_attribute(self->op, "value"), made;
  int64_t mask = mask_of(self->given);
  if (!mlirAttributeIsADenseElements(value)) {
    made = mlirIntegerAttrGet(type, mlirIntegerAttrGetValueInt(value) & mask);
  } else {
    intptr_t count = mlirElementsAttrGetNumElements(value);
    MlirAttribute *numbers = calloc((size_t)count + 1, sizeof *numbers);
    if (!numbers)
      return tune_status_out_of_memory("widening a constant");
    uint64_t at[TUNE_IR_MAX_RANK] = {0};
    intptr_t rank = mlirShapedTypeGetRank(type);
    for (intptr_t i = 0; i < count; ++i) {
      intptr_t rest = i;
      for (intptr_t d = rank; d-- > 0;) {
        at[d] = (uint64_t)(rest % mlirShapedTypeGetDimSize(type, d));
        rest /= mlirShapedTypeGetDimSize(type, d);
      }
      numbers[i] = mlirIntegerAttrGet(
          element, mlirIntegerAttrGetValueInt(mlirElementsAttrGetValue(value, rank, at)) & mask);
    }
    made = mlirDenseElementsAttrGet(type, count, numbers);
    free(numbers);
  }
  mlirOperationSetAttributeByName(self->op, tune_ir_string("value"), made);
  return TUNE_OK;
}

static tune_status rewrite(const odd_op *self) {
  enum { FIRST_SIGNED = 2, LAST_SIGNED = 5 }; // arith::CmpIPredicate: slt to sge
  switch (way_of(self->op)) {
  case CONSTANT:
    return widen_constant(self);
  case CONVERTS:
    convert(self);
    return TUNE_OK;
  case COMPARES: {
    int64_t predicate = mlirIntegerAttrGetValueInt(tune_ir_attribute(self->op, "predicate"));
    if (predicate >= FIRST_SIGNED && predicate <= LAST_SIGNED)
      sign_operands(self);
    return TUNE_OK;
  }
  case SIGNS:
    sign_operands(self);
    cut_result(self);
    return TUNE_OK;
  case CUTS:
    cut_result(self);
    return TUNE_OK;
  default:
    return TUNE_OK;
  }
}

//===--- Types ------------------------------------------------------------------------===//

static MlirWalkResult widen_types(MlirOperation op, void *user_data) {
  (void)user_data;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (odd_width(mlirValueGetType(result)))
      mlirValueSetType(result, wide(mlirValueGetType(result)));
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        if (odd_width(mlirValueGetType(argument)))
          mlirValueSetType(argument, wide(mlirValueGetType(argument)));
      }
  return MlirWalkResultAdvance;
}

static tune_status check(const odd_ops *ops) {
  for (size_t i = 0; i < ops->count; ++i) {
    MlirOperation op = ops->items[i].op;
    if (way_of(op) != UNKNOWN)
      continue;
    MlirStringRef name = tune_ir_name(op);
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "%.*s of integers of %u bits: shaders have 8, 16, 32 and 64",
                               (int)name.length, name.data,
                               ops->items[i].taken ? ops->items[i].taken : ops->items[i].given);
  }
  return TUNE_OK;
}

tune_status tune_odd_integers_widen(MlirOperation kernels) {
  odd_ops ops = {0};
  mlirOperationWalk(kernels, look_at, &ops, MlirWalkPreOrder);
  tune_status status =
      ops.failed ? tune_status_out_of_memory("listing ops of few bits") : check(&ops);
  if (tune_status_is_ok(status) && ops.count)
    mlirOperationWalk(kernels, widen_types, NULL, MlirWalkPreOrder);
  for (size_t i = 0; i < ops.count && tune_status_is_ok(status); ++i)
    status = rewrite(&ops.items[i]);
  free(ops.items);
  return status;
}
