//===- float_emulation.c - Float emulation: bf16 and f16 as f32 in shaders ---===//

#include "transforms/lower/vulkan/float_emulation.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/lower/common/vector_arithmetic.h"
#include "transforms/lower/vulkan/spirv_matrices.h"

#include <stdlib.h>
#include <string.h>

// On steps from f32 and back that nobody has asked for.
#define OWN_STEP "tune.own_step"

static bool is_made_by(MlirValue value, const char *name) {
  return tune_ir_is(tune_ir_definition(value), name);
}

static MlirType element_of(MlirType type) {
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

static bool is_bf16(MlirValue value) {
  return mlirTypeIsABF16(element_of(mlirValueGetType(value)));
}

// A scalar or vector `type` with elements of `element`.
static MlirType with_element(MlirType type, MlirType element) {
  if (!mlirTypeIsAVector(type))
    return element;
  int64_t size = mlirShapedTypeGetDimSize(type, 0);
  return mlirVectorTypeGet(1, &size, element);
}

// Whether `device` has `type` in memory alone: bf16; and f16 where it lacks that, or is software,
// which takes a conversion for each operand and result of an op on f16.
static bool is_narrow_type(MlirType type, const tune_device *device) {
  MlirType element = element_of(type);
  return mlirTypeIsABF16(element) ||
         (mlirTypeIsAF16(element) && (device->is_software || !device->has_float16));
}

static bool is_narrow(MlirValue value, const tune_device *device) {
  return is_narrow_type(mlirValueGetType(value), device);
}

typedef bool (*op_question)(MlirOperation op, const tune_device *device);

typedef struct search {
  op_question is_wanted;
  const tune_device *device;
  tune_op_list ops;
} search;

static MlirWalkResult add_if_wanted(MlirOperation op, void *user_data) {
  search *self = user_data;
  return !self->is_wanted(op, self->device) || tune_op_list_add(&self->ops, op)
             ? MlirWalkResultAdvance
             : MlirWalkResultInterrupt;
}

// Rewrites the ops of `kernels` that `is_wanted` says, in their order. `rewrite` gives what takes
// the place of an op's only result, or a null value where the op stays.
static tune_status rewrite_each(MlirOperation kernels, const tune_device *device,
                                op_question is_wanted,
                                MlirValue (*rewrite)(const tune_ir_builder *builder,
                                                     MlirOperation op, const tune_device *device)) {
  search found = {.is_wanted = is_wanted, .device = device};
  mlirOperationWalk(kernels, add_if_wanted, &found, MlirWalkPreOrder);
  bool failed = found.ops.failed;
  for (size_t i = 0; i < found.ops.count && !failed; ++i) {
    MlirOperation op = found.ops.ops[i];
    tune_ir_builder builder = tune_ir_builder_before(op);
    MlirValue made = rewrite(&builder, op, device);
    if (mlirValueIsNull(made))
      continue;
    mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 0), made);
    mlirOperationDestroy(op);
  }
  tune_op_list_deinit(&found.ops);
  return failed ? tune_status_out_of_memory("listing ops of narrow types") : TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Arithmetic
//===--------------------------------------------------------------------------===//

static bool touches_narrow(MlirOperation op, const tune_device *device) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    if (is_narrow(mlirOperationGetOperand(op, i), device))
      return true;
  return mlirOperationGetNumResults(op) == 1 && is_narrow(mlirOperationGetResult(op, 0), device);
}

// Whether `op` is nothing but the step from one type to the other, which is done last.
static bool is_step(MlirOperation op) {
  bool rounds = tune_ir_is(op, "arith.truncf");
  if (!rounds && !tune_ir_is(op, "arith.extf"))
    return false;
  MlirValue wide = rounds ? mlirOperationGetOperand(op, 0) : mlirOperationGetResult(op, 0);
  return mlirTypeIsAF32(element_of(mlirValueGetType(wide)));
}

static bool computes(MlirOperation op, const tune_device *device) {
  MlirStringRef name = tune_ir_name(op);
  bool is_arithmetic = tune_ir_string_starts(name, "arith.") ||
                       tune_ir_string_starts(name, "math.") ||
                       tune_ir_is(op, "gpu.subgroup_reduce");
  return is_arithmetic && mlirOperationGetNumResults(op) == 1 &&
         mlirOperationGetNumOperands(op) > 0 && touches_narrow(op, device) && !is_step(op) &&
         !tune_ir_is(op, "arith.bitcast");
}

static MlirValue step(const tune_ir_builder *builder, const char *name, MlirValue value,
                      MlirType element) {
  return tune_ir_build_value(builder, name, with_element(mlirValueGetType(value), element), 1,
                             &value);
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
  if (!is_made_by(value, "vector.broadcast"))
    return step(builder, "arith.extf", value, f32);
  MlirValue one = extend(builder, mlirOperationGetOperand(tune_ir_definition(value), 0));
  return tune_ir_build_value(builder, "vector.broadcast",
                             with_element(mlirValueGetType(value), f32), 1, &one);
}

// `value` of f32 in `element`, for whoever wants that.
static MlirValue round_own(const tune_ir_builder *builder, MlirValue value, MlirType element) {
  return mark_own(step(builder, "arith.truncf", value, element));
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
    if (!is_narrow(operand, device))
      continue;
    bool stays_wide = is_own(operand, "arith.truncf") && (is_bf16(operand) || accumulates(op));
    mlirOperationSetOperand(wide, i,
                            stays_wide ? mlirOperationGetOperand(tune_ir_definition(operand), 0)
                                       : extend(builder, operand));
  }
  mlirBlockInsertOwnedOperationBefore(builder->block, builder->before, wide);
  MlirValue made = mlirOperationGetResult(wide, 0);
  if (!is_narrow(made, device))
    return made;
  MlirType type = mlirValueGetType(made);
  mlirValueSetType(made, with_element(type, mlirF32TypeGet(builder->context)));
  return round_own(builder, made, element_of(type));
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
  mlirValueSetType(value, with_element(narrow, mlirF32TypeGet(builder->context)));
  MlirValue rounded = round_own(builder, value, element_of(narrow));
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
    if (!is_narrow(mlirOperationGetResult(op, i), device))
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
// Steps
//===--------------------------------------------------------------------------===//

static MlirValue number(const tune_ir_builder *builder, MlirType type, int64_t value) {
  return tune_ir_build_number(builder, type, (double)value);
}

static MlirValue shift(const tune_ir_builder *builder, const char *name, MlirValue value,
                       int64_t bits) {
  return bits ? tune_ir_build_binary(builder, name, value,
                                     number(builder, mlirValueGetType(value), bits))
              : value;
}

static MlirValue extract(const tune_ir_builder *builder, MlirValue vector, int64_t place) {
  MlirType element = element_of(mlirValueGetType(vector));
  MlirNamedAttribute position = tune_ir_named(builder->context, "static_position",
                                              mlirDenseI64ArrayGet(builder->context, 1, &place));
  return tune_ir_build_result(builder, &(tune_ir_parts){.name = "vector.extract",
                                                        .operand_count = 1,
                                                        .operands = &vector,
                                                        .type_count = 1,
                                                        .types = &element,
                                                        .attribute_count = 1,
                                                        .attributes = &position});
}

static bool extends_narrow(MlirOperation op, const tune_device *device) {
  return tune_ir_is(op, "arith.extf") && is_step(op) &&
         is_narrow(mlirOperationGetOperand(op, 0), device);
}

// Whether `value` is four narrow elements out of words; these to `*out_words`.
static bool is_of_words(MlirValue value, MlirValue *out_words) {
  MlirOperation op = tune_ir_definition(value);
  if (!tune_ir_is(op, "vector.bitcast"))
    return false;
  *out_words = mlirOperationGetOperand(op, 0);
  MlirType type = element_of(mlirValueGetType(*out_words));
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32;
}

// f32 of the lower half of `word`, which is of bf16 or f16, or of the upper one.
static MlirValue open_half(const tune_ir_builder *builder, MlirValue word, int64_t is_upper,
                           bool is_of_bf16) {
  MlirType i32 = mlirValueGetType(word), f32 = mlirF32TypeGet(builder->context);
  if (is_of_bf16) {
    word = is_upper
               ? tune_ir_build_binary(builder, "arith.andi", word, number(builder, i32, -65536))
               : shift(builder, "arith.shli", word, 16);
    return step(builder, "arith.bitcast", word, f32);
  }
  int64_t two = 2;
  MlirType pair = mlirVectorTypeGet(1, &two, f32);
  return extract(builder, tune_ir_build_value(builder, "spirv.GL.UnpackHalf2x16", pair, 1, &word),
                 is_upper);
}

// Whether `value` is one of four narrow elements out of words; the word it is in, and which of it.
static bool is_of_word(const tune_ir_builder *builder, MlirValue value, MlirValue *out_word,
                       int64_t *out_is_upper) {
  MlirOperation op = tune_ir_definition(value);
  MlirValue words;
  if (!tune_ir_is(op, "vector.extract") || mlirOperationGetNumOperands(op) != 1 ||
      !is_of_words(mlirOperationGetOperand(op, 0), &words))
    return false;
  int64_t place = mlirDenseI64ArrayGetElement(tune_ir_attribute(op, "static_position"), 0);
  *out_word = extract(builder, words, place / 2);
  *out_is_upper = place % 2;
  return true;
}

// To f32, of words where they are that in memory.
static MlirValue open_extension(const tune_ir_builder *builder, MlirOperation op,
                                const tune_device *device) {
  (void)device;
  MlirValue value = mlirOperationGetOperand(op, 0), words, elements[4];
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  bool is_of_fours = is_of_words(value, &words), is_of_bf16 = is_bf16(value);
  int64_t is_upper = 0;
  if (is_of_word(builder, value, &words, &is_upper))
    return open_half(builder, words, is_upper, is_of_bf16);
  if (!is_of_fours) {
    words = step(builder, "arith.bitcast", value, mlirIntegerTypeGet(builder->context, 16));
    words = step(builder, "arith.extui", words, mlirIntegerTypeGet(builder->context, 32));
  }
  if (!mlirTypeIsAVector(type))
    return open_half(builder, words, 0, is_of_bf16);
  int64_t count = mlirShapedTypeGetDimSize(type, 0);
  for (int64_t i = 0; i < count; ++i)
    elements[i] = open_half(builder, extract(builder, words, is_of_fours ? i / 2 : i),
                            is_of_fours ? i % 2 : 0, is_of_bf16);
  return tune_ir_build_value(builder, "vector.from_elements", type, count, elements);
}

static bool rounds_to_f16(MlirOperation op, const tune_device *device) {
  return tune_ir_is(op, "arith.truncf") && is_step(op) &&
         is_narrow(mlirOperationGetResult(op, 0), device) &&
         !is_bf16(mlirOperationGetResult(op, 0));
}

static MlirValue choose(const tune_ir_builder *builder, const char *predicate, MlirValue a,
                        MlirValue b, MlirValue if_so, MlirValue else_so) {
  MlirValue operands[] = {tune_ir_build_compare(builder, predicate, a, b), if_so, else_so};
  return tune_ir_build_value(builder, "arith.select", mlirValueGetType(if_so), 3, operands);
}

static MlirValue both(const tune_ir_builder *builder, MlirValue value, int64_t bits) {
  return tune_ir_build_binary(builder, "arith.andi", value,
                              number(builder, mlirValueGetType(value), bits));
}

static MlirValue add(const tune_ir_builder *builder, MlirValue value, int64_t addend) {
  return tune_ir_build_binary(builder, "arith.addi", value,
                              number(builder, mlirValueGetType(value), addend));
}

// To the nearest, ties to even. Below the least normal number an addition of f32 rounds, whose
// result has its last place where that of subnormal ones is; above the largest all is infinite, and
// a NaN a quiet one. (After F. Giesen, float_to_half_fast3_rtne.)
static MlirValue open_rounding(const tune_ir_builder *builder, MlirOperation op,
                               const tune_device *device) {
  enum { EXPONENT = 23, CUT = 13, QUIET = 0x7e00, INFINITE = 0x7c00 };
  (void)device;
  MlirValue value = mlirOperationGetOperand(op, 0);
  MlirType i32 = mlirIntegerTypeGet(builder->context, 32),
           i16 = mlirIntegerTypeGet(builder->context, 16), type = mlirValueGetType(value);
  MlirValue bits = step(builder, "arith.bitcast", value, i32);
  MlirType words = mlirValueGetType(bits);
  MlirValue size = both(builder, bits, 0x7fffffff),
            sign = both(builder, shift(builder, "arith.shrui", bits, 16), 0x8000),
            odd = both(builder, shift(builder, "arith.shrui", size, CUT), 1);
  MlirValue normal = tune_ir_build_binary(
      builder, "arith.addi", add(builder, size, (15 - 127) * (1 << EXPONENT) + 0xfff), odd);
  normal = shift(builder, "arith.shrui", normal, CUT);
  MlirValue small = tune_ir_build_binary(builder, "arith.addf",
                                         step(builder, "arith.bitcast", size, element_of(type)),
                                         tune_ir_build_number(builder, type, 0.5));
  small = add(builder, step(builder, "arith.bitcast", small, i32), -(126 << EXPONENT));
  MlirValue rounded =
      choose(builder, "slt", size, number(builder, words, 113 << EXPONENT), small, normal);
  rounded = choose(builder, "sge", size, number(builder, words, 143 << EXPONENT),
                   number(builder, words, INFINITE), rounded);
  rounded = choose(builder, "sgt", size, number(builder, words, 255 << EXPONENT),
                   number(builder, words, QUIET), rounded);
  rounded = tune_ir_build_binary(builder, "arith.ori", rounded, sign);
  return step(builder, "arith.bitcast", step(builder, "arith.trunci", rounded, i16),
              element_of(mlirValueGetType(mlirOperationGetResult(op, 0))));
}

static bool stores_words(MlirOperation op, const tune_device *device) {
  return tune_ir_is(op, "vector.bitcast") && is_narrow(mlirOperationGetOperand(op, 0), device);
}

// Words of what was rounded, which has its bits in the lower halves of words.
static MlirValue join_halves(const tune_ir_builder *builder, MlirOperation op,
                             const tune_device *device) {
  (void)device;
  MlirValue value = mlirOperationGetOperand(op, 0);
  if (!is_made_by(value, "arith.bitcast") ||
      !is_made_by(mlirOperationGetOperand(tune_ir_definition(value), 0), "arith.trunci"))
    return (MlirValue){NULL};
  MlirOperation cut = tune_ir_definition(mlirOperationGetOperand(tune_ir_definition(value), 0));
  MlirValue bits = mlirOperationGetOperand(cut, 0), words[2];
  for (int64_t i = 0; i < 2; ++i)
    words[i] =
        tune_ir_build_binary(builder, "arith.ori", extract(builder, bits, 2 * i),
                             shift(builder, "arith.shli", extract(builder, bits, 2 * i + 1), 16));
  return tune_ir_build_value(builder, "vector.from_elements",
                             mlirValueGetType(mlirOperationGetResult(op, 0)), 2, words);
}

//===--------------------------------------------------------------------------===//
// Types
//===--------------------------------------------------------------------------===//

// `type` with integers of 16 bits in place of what is in memory alone.
static MlirType retype(MlirType type, const tune_device *device) {
  bool is_memory = mlirTypeIsAMemRef(type);
  if (!is_narrow_type(is_memory ? element_of(type) : type, device))
    return type;
  MlirType half = mlirIntegerTypeGet(mlirTypeGetContext(type), 16);
  if (!is_memory)
    return with_element(type, half);
  half = with_element(element_of(type), half); // a group's memory is of fours
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
  MlirType type = retype(mlirAttributeGetType(value), device), half = element_of(type);
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
  if (tune_ir_is(op, "arith.constant") && is_narrow(mlirOperationGetResult(op, 0), device))
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
  MlirValue operands[] = {step(builder, "arith.extui", value, i32), mlirOperationGetOperand(op, 1),
                          mlirOperationGetOperand(op, 2)};
  MlirNamedAttribute mode = tune_ir_named(builder->context, "mode", tune_ir_attribute(op, "mode"));
  MlirOperation made = tune_ir_build(builder, &(tune_ir_parts){.name = "gpu.shuffle",
                                                               .operand_count = 3,
                                                               .operands = operands,
                                                               .type_count = 2,
                                                               .types = types,
                                                               .attribute_count = 1,
                                                               .attributes = &mode});
  mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(op, 1), mlirOperationGetResult(made, 1));
  return step(builder, "arith.trunci", mlirOperationGetResult(made, 0), narrow);
}

// Cooperative matrices are loaded from memory of their own type, whoever computes them.
static tune_status widen(MlirOperation kernel, const tune_device *given) {
  tune_device own = *given, *device = &own;
  own.is_software &= !tune_spirv_matrices_are_in(kernel);
  TUNE_RETURN_IF_ERROR(rewrite_each(kernel, device, is_loop, carry_loop));
  TUNE_RETURN_IF_ERROR(rewrite_each(kernel, device, computes, compute_wide));
  TUNE_RETURN_IF_ERROR(rewrite_each(kernel, device, extends_own_rounding, take_wide));
  TUNE_RETURN_IF_ERROR(rewrite_each(kernel, device, extends_narrow, open_extension));
  tune_vector_arithmetic_round_to_bf16(kernel);
  TUNE_RETURN_IF_ERROR(rewrite_each(kernel, device, rounds_to_f16, open_rounding));
  TUNE_RETURN_IF_ERROR(rewrite_each(kernel, device, stores_words, join_halves));
  mlirOperationWalk(kernel, retype_op, device, MlirWalkPreOrder);
  TUNE_RETURN_IF_ERROR(rewrite_each(kernel, device, is_same_cast, take_operand));
  return rewrite_each(kernel, device, passes_narrow, pass_words);
}

tune_status tune_float_emulation_widen(MlirOperation kernels, const tune_device *device) {
  static const char *const MADE_OF[] = {"arith", "gpu", "spirv", "vector", NULL};
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
  MlirType element = element_of(mlirValueGetType(vector));
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
    MlirValue word = extract(builder, from, i / of_word);
    made[i] = step(builder, "arith.trunci",
                   shift(builder, "arith.shrui", word, i % of_word * narrow), element_of(type));
  }
  for (int64_t i = 0; i < count && !is_apart; ++i) {
    made[i] = step(builder, "arith.extui", extract(builder, from, i * of_word), i32);
    for (int64_t j = 1; j < of_word; ++j) {
      MlirValue part = step(builder, "arith.extui", extract(builder, from, i * of_word + j), i32);
      made[i] = tune_ir_build_binary(builder, "arith.ori", made[i],
                                     shift(builder, "arith.shli", part, j * narrow));
    }
  }
  return tune_ir_build_value(builder, "vector.from_elements", type, count, made);
}

tune_status tune_float_emulation_lower_words(MlirOperation kernels, const tune_device *device) {
  return rewrite_each(kernels, device, is_foreign_cast, open_cast);
}
