//===- float_emulation.c - Float emulation: bf16 and f16 as f32 in shaders ---===//

#include "transforms/lower/vulkan/float_emulation.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/lower/vulkan/narrow_ops.h"
#include "transforms/lower/vulkan/narrow_steps.h"
#include "transforms/lower/vulkan/spirv_matrices.h"

#include <stdlib.h>

// On steps from f32 and back that nobody has asked for.
#define OWN_STEP "tune.own_step"

//===--------------------------------------------------------------------------===//
// Arithmetic
//===--------------------------------------------------------------------------===//

static bool touches_narrow(MlirOperation op, const tune_device *device) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (tune_narrow_is_value(mlirOperationGetOperand(op, i), device))
      return true;
  return mlirOperationGetNumResults(op) == 1 &&
         tune_narrow_is_value(mlirOperationGetResult(op, 0), device);
}

static bool computes(MlirOperation op, const tune_device *device) {
  MlirStringRef name = tune_ir_name(op);
  bool is_arithmetic = tune_ir_string_starts(name, "arith.") ||
                       tune_ir_string_starts(name, "math.") ||
                       tune_ir_is(op, "gpu.subgroup_reduce");
  return is_arithmetic && mlirOperationGetNumResults(op) == 1 &&
         mlirOperationGetNumOperands(op) > 0 && touches_narrow(op, device) &&
         !tune_narrow_is_step(op) && !tune_ir_is(op, "arith.bitcast");
}

static bool is_own(MlirValue value, const char *name) {
  MlirOperation op = tune_ir_definition(value);
  return tune_ir_is(op, name) && !mlirAttributeIsNull(tune_ir_attribute(op, OWN_STEP));
}

static MlirValue mark_own(MlirValue value) {
  MlirOperation op = tune_ir_definition(value);
  mlirOperationSetAttributeByName(op, tune_ir_string(OWN_STEP),
                                  mlirUnitAttrGet(mlirOperationGetContext(op)));
  return value;
}

// In f32; of what is the same everywhere, once.
static MlirValue extend(const tune_ir_builder *builder, MlirValue value) {
  MlirType f32 = mlirF32TypeGet(builder->context);
  if (!tune_ir_is(tune_ir_definition(value), "vector.broadcast"))
    return tune_narrow_build_step(builder, "arith.extf", value, f32);
  MlirValue one = extend(builder, mlirOperationGetOperand(tune_ir_definition(value), 0));
  return tune_ir_build_value(builder, "vector.broadcast",
                             tune_ir_with_element(mlirValueGetType(value), f32), 1, &one);
}

// `value` of f32 in `element`, for whoever wants that.
static MlirValue round_own(const tune_ir_builder *builder, MlirValue value, MlirType element) {
  return mark_own(tune_narrow_build_step(builder, "arith.truncf", value, element));
}

// f16 is rounded where it leaves a sum, as what is too large for it has to be infinite for what
// comes then; bf16 has the range of f32.
static bool accumulates(MlirOperation op) {
  static const char *const NAMES[] = {"arith.addf",         "arith.maximumf", "arith.minimumf",
                                      "arith.maxnumf",      "arith.minnumf",  "math.fma",
                                      "gpu.subgroup_reduce"};
  for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; ++i)
    if (tune_ir_is(op, NAMES[i]))
      return true;
  return false;
}

// The same in f32: an op like it, with all that it has.
static MlirValue compute_wide(const tune_ir_builder *builder, MlirOperation op,
                              const tune_device *device) {
  MlirOperation wide = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (!tune_narrow_is_value(operand, device))
      continue;
    bool stays_wide =
        is_own(operand, "arith.truncf") && (tune_narrow_is_bf16(operand) || accumulates(op));
    mlirOperationSetOperand(wide, i,
                            stays_wide ? mlirOperationGetOperand(tune_ir_definition(operand), 0)
                                       : extend(builder, operand));
  }
  mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, wide);
  MlirValue made = mlirOperationGetResult(wide, 0);
  if (!tune_narrow_is_value(made, device))
    return made;
  MlirType type = mlirValueGetType(made);
  mlirValueSetType(made, tune_ir_with_element(type, mlirF32TypeGet(builder->context)));
  return round_own(builder, made, tune_ir_element_type(type));
}

static bool rounds_f64(MlirOperation op, const tune_device *device) {
  return tune_ir_is(op, "arith.truncf") &&
         mlirTypeIsAF64(tune_ir_element_type(mlirValueGetType(mlirOperationGetOperand(op, 0)))) &&
         tune_narrow_is_value(mlirOperationGetResult(op, 0), device);
}

// By f32, but rounded once: what f32 does not have exactly goes there to the one of its two
// neighbours that is odd, which is never between two numbers of the narrow type.
static MlirValue round_by_odd(const tune_ir_builder *builder, MlirOperation op,
                              const tune_device *device) {
  (void)device;
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32),
           narrow = tune_ir_element_type(mlirValueGetType(mlirOperationGetResult(op, 0)));
  MlirValue value = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(value);
  MlirValue near =
      tune_narrow_build_step(builder, "arith.truncf", value, mlirF32TypeGet(builder->context));
  MlirValue back = tune_narrow_build_step(builder, "arith.extf", near, tune_ir_element_type(type));
  MlirValue bits = tune_narrow_build_step(builder, "arith.bitcast", near, i32);
  MlirValue one = tune_ir_build_number(builder, mlirValueGetType(bits), 1);
  MlirValue is_above = tune_ir_build_compare(
      builder, "ogt", tune_ir_build_value(builder, "math.absf", type, 1, &back),
      tune_ir_build_value(builder, "math.absf", type, 1, &value));
  MlirValue below = tune_ir_build_select(
      builder, is_above, tune_ir_build_binary(builder, "arith.subi", bits, one), bits);
  MlirValue odd =
      tune_ir_build_select(builder, tune_ir_build_compare(builder, "oeq", back, value), bits,
                           tune_ir_build_binary(builder, "arith.ori", below, one));
  MlirValue wide =
      tune_narrow_build_step(builder, "arith.bitcast", odd, mlirF32TypeGet(builder->context));
  return tune_narrow_build_step(builder, "arith.truncf", wide, narrow);
}

// What a loop carries, of what is computed wide anyway.
static bool extends_own_rounding(MlirOperation op, const tune_device *device) {
  (void)device;
  return tune_ir_is(op, "arith.extf") && is_own(mlirOperationGetResult(op, 0), "arith.extf") &&
         is_own(mlirOperationGetOperand(op, 0), "arith.truncf");
}

static MlirValue take_wide(const tune_ir_builder *builder, MlirOperation op,
                           const tune_device *device) {
  (void)device;
  (void)builder;
  return mlirOperationGetOperand(tune_ir_definition(mlirOperationGetOperand(op, 0)), 0);
}

//===--------------------------------------------------------------------------===//
// Loops
//===--------------------------------------------------------------------------===//

static bool is_loop(MlirOperation op, const tune_device *device) {
  (void)device;
  return tune_ir_is(op, "scf.for");
}

// `value`, narrow until here, is of f32; who uses it has it rounded by `builder`.
static void carry_wide(const tune_ir_builder *builder, MlirValue value) {
  MlirType narrow = mlirValueGetType(value);
  mlirValueSetType(value, tune_ir_with_element(narrow, mlirF32TypeGet(builder->context)));
  MlirValue rounded = round_own(builder, value, tune_ir_element_type(narrow));
  MlirOperation rounding = tune_ir_definition(rounded);
  mlirValueReplaceAllUsesExcept(value, rounded, 1, &rounding);
}

// What the loop carries from one iteration to the next, as sums, in f32.
static MlirValue carry_loop(const tune_ir_builder *builder, MlirOperation op,
                            const tune_device *device) {
  enum { BEFORE = 3 }; // operands: the bounds and the step
  MlirBlock body = tune_ir_body(op);
  tune_ir_builder at_start = tune_ir_builder_before(mlirBlockGetFirstOperation(body)),
                  at_end = tune_ir_builder_before(mlirBlockGetTerminator(body)),
                  after = tune_ir_builder_before(mlirOperationGetNextInBlock(op));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    if (!tune_narrow_is_value(mlirOperationGetResult(op, i), device))
      continue;
    MlirValue initial = mlirOperationGetOperand(op, BEFORE + i),
              next = mlirOperationGetOperand(at_end.before, i);
    mlirOperationSetOperand(op, BEFORE + i, mark_own(extend(builder, initial)));
    mlirOperationSetOperand(at_end.before, i, mark_own(extend(&at_end, next)));
    carry_wide(&at_start, mlirBlockGetArgument(body, 1 + i));
    carry_wide(&after, mlirOperationGetResult(op, i));
  }
  return (MlirValue){NULL};
}

//===--------------------------------------------------------------------------===//
// Types
//===--------------------------------------------------------------------------===//

// `type` with integers of 16 bits in place of what is in memory alone.
static MlirType retype(MlirType type, const tune_device *device) {
  bool is_memory = mlirTypeIsAMemRef(type);
  if (!tune_narrow_is_type(is_memory ? tune_ir_element_type(type) : type, device))
    return type;
  MlirType half = mlirIntegerTypeGet(mlirTypeGetContext(type), 16);
  if (!is_memory)
    return tune_ir_with_element(type, half);
  half = tune_ir_with_element(tune_ir_element_type(type), half); // a group's memory is of fours
  int64_t sizes[16];
  intptr_t rank = mlirShapedTypeGetRank(type);
  for (intptr_t i = 0; i < rank && i < 16; ++i)
    sizes[i] = mlirShapedTypeGetDimSize(type, i);
  return rank > 16 ? type
                   : mlirMemRefTypeGet(half, rank, sizes, mlirMemRefTypeGetLayout(type),
                                       mlirMemRefTypeGetMemorySpace(type));
}

// The bits of `value`, a constant of 16 bits or a vector of such.
static void retype_constant(MlirOperation op, const tune_device *device) {
  MlirAttribute value = tune_ir_attribute(op, "value"), elements[4];
  MlirType type = retype(mlirAttributeGetType(value), device), half = tune_ir_element_type(type);
  int64_t one = 1;
  bool is_scalar = mlirAttributeIsAFloat(value);
  MlirAttribute all = is_scalar
                          ? mlirDenseElementsAttrSplatGet(
                                mlirVectorTypeGet(1, &one, mlirAttributeGetType(value)), value)
                          : value;
  const uint16_t *bits = mlirDenseElementsAttrGetRawData(all);
  int64_t count = is_scalar ? 1 : mlirShapedTypeGetDimSize(type, 0);
  for (int64_t i = 0; i < count && i < 4; ++i)
    elements[i] =
        mlirIntegerAttrGet(half, (int16_t)bits[mlirDenseElementsAttrIsSplat(all) ? 0 : i]);
  mlirOperationSetAttributeByName(op, tune_ir_string("value"),
                                  is_scalar ? elements[0]
                                            : mlirDenseElementsAttrGet(type, count, elements));
}

static void retype_function(MlirOperation op, const tune_device *device) {
  MlirType type = mlirTypeAttrGetValue(tune_ir_attribute(op, "function_type"));
  intptr_t count = mlirFunctionTypeGetNumInputs(type);
  MlirType *inputs = calloc((size_t)count + 1, sizeof *inputs);
  for (intptr_t i = 0; i < count && inputs; ++i)
    inputs[i] = retype(mlirFunctionTypeGetInput(type, i), device);
  if (inputs)
    mlirOperationSetAttributeByName(
        op, tune_ir_string("function_type"),
        mlirTypeAttrGet(mlirFunctionTypeGet(mlirOperationGetContext(op), count, inputs, 0, NULL)));
  free(inputs);
}

static MlirWalkResult retype_op(MlirOperation op, void *user_data) {
  const tune_device *device = user_data;
  if (tune_ir_is(op, "arith.constant") &&
      tune_narrow_is_value(mlirOperationGetResult(op, 0), device))
    retype_constant(op, device);
  if (tune_ir_is(op, "gpu.func"))
    retype_function(op, device);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); ++i) {
    MlirValue result = mlirOperationGetResult(op, i);
    mlirValueSetType(result, retype(mlirValueGetType(result), device));
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
         !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
      for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); ++i) {
        MlirValue argument = mlirBlockGetArgument(block, i);
        mlirValueSetType(argument, retype(mlirValueGetType(argument), device));
      }
  return MlirWalkResultAdvance;
}

static bool is_same_cast(MlirOperation op, const tune_device *device) {
  (void)device;
  return tune_ir_is(op, "arith.bitcast") &&
         mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(op, 0)),
                       mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static MlirValue take_operand(const tune_ir_builder *builder, MlirOperation op,
                              const tune_device *device) {
  (void)builder;
  (void)device;
  return mlirOperationGetOperand(op, 0);
}

static bool passes_narrow(MlirOperation op, const tune_device *device) {
  (void)device;
  if (!tune_ir_is(op, "gpu.shuffle"))
    return false;
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, 0));
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) < 32;
}

// Lanes pass words to each other: of narrower types only some devices do.
static MlirValue pass_words(const tune_ir_builder *builder, MlirOperation op,
                            const tune_device *device) {
  (void)device;
  MlirValue value = mlirOperationGetOperand(op, 0);
  MlirType narrow = mlirValueGetType(value), i32 = mlirIntegerTypeGet(builder->context, 32),
           types[] = {i32, mlirIntegerTypeGet(builder->context, 1)};
  MlirValue operands[] = {tune_narrow_build_step(builder, "arith.extui", value, i32),
                          mlirOperationGetOperand(op, 1), mlirOperationGetOperand(op, 2)};
  MlirNamedAttribute mode = tune_ir_named(builder->context, "mode", tune_ir_attribute(op, "mode"));
  MlirOperation made = tune_ir_build(builder, &(tune_ir_parts){.name = "gpu.shuffle",
                                                               .operand_count = 3,
                                                               .operands = operands,
                                                               .type_count = 2,
                                                               .types = types,
                                                               .attribute_count = 1,
                                                               .attributes = &mode});
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 1), mlirOperationGetResult(made, 1));
  return tune_narrow_build_step(builder, "arith.trunci", mlirOperationGetResult(made, 0), narrow);
}

// Cooperative matrices are loaded from memory of their own type, whoever computes them.
static tune_status widen(MlirOperation kernel, const tune_device *given) {
  tune_device own = *given, *device = &own;
  own.is_software &= !tune_spirv_matrices_are_in(kernel);
  TUNE_RETURN_IF_ERROR(tune_narrow_rewrite(kernel, device, is_loop, carry_loop));
  TUNE_RETURN_IF_ERROR(tune_narrow_rewrite(kernel, device, rounds_f64, round_by_odd));
  TUNE_RETURN_IF_ERROR(tune_narrow_rewrite(kernel, device, computes, compute_wide));
  TUNE_RETURN_IF_ERROR(tune_narrow_rewrite(kernel, device, extends_own_rounding, take_wide));
  TUNE_RETURN_IF_ERROR(tune_narrow_steps_open(kernel, device));
  mlirOperationWalk(kernel, retype_op, device, MlirWalkPreOrder);
  TUNE_RETURN_IF_ERROR(tune_narrow_rewrite(kernel, device, is_same_cast, take_operand));
  return tune_narrow_rewrite(kernel, device, passes_narrow, pass_words);
}

tune_status tune_float_emulation_widen(MlirOperation kernels, const tune_device *device) {
  static const char *const MADE_OF[] = {"arith", "gpu", "math", "spirv", "vector", NULL};
  tune_ir_load_dialects(mlirOperationGetContext(kernels), MADE_OF);
  MlirBlock body = tune_ir_body(kernels);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    TUNE_RETURN_IF_ERROR(widen(op, device));
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Words of integers
//===--------------------------------------------------------------------------===//

static int64_t integer_bits(MlirValue vector) {
  MlirType element = tune_ir_element_type(mlirValueGetType(vector));
  return mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 0;
}

// Between words and integers that the device does not have.
static bool is_foreign_cast(MlirOperation op, const tune_device *device) {
  if (!tune_ir_is(op, "vector.bitcast"))
    return false;
  int64_t from = integer_bits(mlirOperationGetOperand(op, 0)),
          to = integer_bits(mlirOperationGetResult(op, 0)), narrow = from == 32 ? to : from;
  return (from == 32 || to == 32) &&
         ((narrow == 8 && !device->has_int8) || (narrow == 16 && !device->has_int16));
}

// By shifts, either way.
static MlirValue open_cast(const tune_ir_builder *builder, MlirOperation op,
                           const tune_device *device) {
  (void)device;
  MlirValue from = mlirOperationGetOperand(op, 0), made[4];
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0)),
           i32 = mlirIntegerTypeGet(builder->context, 32);
  int64_t bits = integer_bits(from), count = mlirShapedTypeGetDimSize(type, 0);
  bool is_apart = bits == 32;
  int64_t narrow = is_apart ? integer_bits(mlirOperationGetResult(op, 0)) : bits,
          of_word = 32 / narrow;
  for (int64_t i = 0; i < count && is_apart; ++i) {
    MlirValue word = tune_ir_build_lane(builder, from, i / of_word);
    made[i] = tune_narrow_build_step(
        builder, "arith.trunci",
        tune_narrow_build_shift(builder, "arith.shrui", word, i % of_word * narrow),
        tune_ir_element_type(type));
  }
  for (int64_t i = 0; i < count && !is_apart; ++i) {
    made[i] = tune_narrow_build_step(builder, "arith.extui",
                                     tune_ir_build_lane(builder, from, i * of_word), i32);
    for (int64_t j = 1; j < of_word; ++j) {
      MlirValue part = tune_narrow_build_step(
          builder, "arith.extui", tune_ir_build_lane(builder, from, i * of_word + j), i32);
      made[i] =
          tune_ir_build_binary(builder, "arith.ori", made[i],
                               tune_narrow_build_shift(builder, "arith.shli", part, j * narrow));
    }
  }
  return tune_ir_build_value(builder, "vector.from_elements", type, count, made);
}

tune_status tune_float_emulation_lower_words(MlirOperation kernels, const tune_device *device) {
  return tune_narrow_rewrite(kernels, device, is_foreign_cast, open_cast);
}
