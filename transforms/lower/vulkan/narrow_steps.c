//===- narrow_steps.c ---------------------------------------------------------===//

#include "transforms/lower/vulkan/narrow_steps.h"

#include "transforms/ir/ir_builder.h"
#include "transforms/lower/common/vector_arithmetic.h"
#include "transforms/lower/vulkan/narrow_ops.h"

static bool is_made_by(MlirValue value, const char *name) {
  return tune_ir_is(tune_ir_definition(value), name);
}

static MlirValue number(const tune_ir_builder *builder, MlirType type, int64_t value) {
  return tune_ir_build_number(builder, type, (double)value);
}

static bool extends_narrow(MlirOperation op, const tune_device *device) {
  return tune_ir_is(op, "arith.extf") && tune_narrow_is_step(op) &&
         tune_narrow_is_value(mlirOperationGetOperand(op, 0), device);
}

// Whether `value` is four narrow elements out of words; these to `*out_words`.
static bool is_of_words(MlirValue value, MlirValue *out_words) {
  MlirOperation op = tune_ir_definition(value);
  if (!tune_ir_is(op, "vector.bitcast"))
    return false;
  *out_words = mlirOperationGetOperand(op, 0);
  MlirType type = tune_ir_element_type(mlirValueGetType(*out_words));
  return mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32;
}

// f32 of the lower half of `word`, which is of bf16 or f16, or of the upper one.
static MlirValue open_half(const tune_ir_builder *builder, MlirValue word, int64_t is_upper,
                           bool is_of_bf16) {
  MlirType i32 = mlirValueGetType(word), f32 = mlirF32TypeGet(builder->context);
  if (is_of_bf16) {
    word = is_upper
               ? tune_ir_build_binary(builder, "arith.andi", word, number(builder, i32, -65536))
               : tune_narrow_build_shift(builder, "arith.shli", word, 16);
    return tune_narrow_build_step(builder, "arith.bitcast", word, f32);
  }
  int64_t two = 2;
  MlirType pair = mlirVectorTypeGet(1, &two, f32);
  return tune_ir_build_lane(
      builder, tune_ir_build_value(builder, "spirv.GL.UnpackHalf2x16", pair, 1, &word), is_upper);
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
  *out_word = tune_ir_build_lane(builder, words, place / 2);
  *out_is_upper = place % 2;
  return true;
}

// To f32, of words where they are that in memory.
static MlirValue open_extension(const tune_ir_builder *builder, MlirOperation op,
                                const tune_device *device) {
  (void)device;
  MlirValue value = mlirOperationGetOperand(op, 0), words, elements[4];
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  bool is_of_fours = is_of_words(value, &words), is_of_bf16 = tune_narrow_is_bf16(value);
  int64_t is_upper = 0;
  if (is_of_word(builder, value, &words, &is_upper))
    return open_half(builder, words, is_upper, is_of_bf16);
  if (!is_of_fours) {
    words = tune_narrow_build_step(builder, "arith.bitcast", value,
                                   mlirIntegerTypeGet(builder->context, 16));
    words = tune_narrow_build_step(builder, "arith.extui", words,
                                   mlirIntegerTypeGet(builder->context, 32));
  }
  if (!mlirTypeIsAVector(type))
    return open_half(builder, words, 0, is_of_bf16);
  int64_t count = mlirShapedTypeGetDimSize(type, 0);
  for (int64_t i = 0; i < count; ++i)
    elements[i] = open_half(builder, tune_ir_build_lane(builder, words, is_of_fours ? i / 2 : i),
                            is_of_fours ? i % 2 : 0, is_of_bf16);
  return tune_ir_build_value(builder, "vector.from_elements", type, count, elements);
}

static bool rounds_to_f16(MlirOperation op, const tune_device *device) {
  return tune_ir_is(op, "arith.truncf") && tune_narrow_is_step(op) &&
         tune_narrow_is_value(mlirOperationGetResult(op, 0), device) &&
         !tune_narrow_is_bf16(mlirOperationGetResult(op, 0));
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
  MlirValue bits = tune_narrow_build_step(builder, "arith.bitcast", value, i32);
  MlirType words = mlirValueGetType(bits);
  MlirValue size = both(builder, bits, 0x7fffffff),
            sign = both(builder, tune_narrow_build_shift(builder, "arith.shrui", bits, 16), 0x8000),
            odd = both(builder, tune_narrow_build_shift(builder, "arith.shrui", size, CUT), 1);
  MlirValue normal = tune_ir_build_binary(
      builder, "arith.addi", add(builder, size, (15 - 127) * (1 << EXPONENT) + 0xfff), odd);
  normal = tune_narrow_build_shift(builder, "arith.shrui", normal, CUT);
  MlirValue small = tune_ir_build_binary(
      builder, "arith.addf",
      tune_narrow_build_step(builder, "arith.bitcast", size, tune_ir_element_type(type)),
      tune_ir_build_number(builder, type, 0.5));
  small = add(builder, tune_narrow_build_step(builder, "arith.bitcast", small, i32),
              -(126 << EXPONENT));
  MlirValue rounded =
      choose(builder, "slt", size, number(builder, words, 113 << EXPONENT), small, normal);
  rounded = choose(builder, "sge", size, number(builder, words, 143 << EXPONENT),
                   number(builder, words, INFINITE), rounded);
  rounded = choose(builder, "sgt", size, number(builder, words, 255 << EXPONENT),
                   number(builder, words, QUIET), rounded);
  rounded = tune_ir_build_binary(builder, "arith.ori", rounded, sign);
  return tune_narrow_build_step(
      builder, "arith.bitcast", tune_narrow_build_step(builder, "arith.trunci", rounded, i16),
      tune_ir_element_type(mlirValueGetType(mlirOperationGetResult(op, 0))));
}

static bool stores_words(MlirOperation op, const tune_device *device) {
  return tune_ir_is(op, "vector.bitcast") &&
         tune_narrow_is_value(mlirOperationGetOperand(op, 0), device);
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
    words[i] = tune_ir_build_binary(
        builder, "arith.ori", tune_ir_build_lane(builder, bits, 2 * i),
        tune_narrow_build_shift(builder, "arith.shli", tune_ir_build_lane(builder, bits, 2 * i + 1),
                                16));
  return tune_ir_build_value(builder, "vector.from_elements",
                             mlirValueGetType(mlirOperationGetResult(op, 0)), 2, words);
}

tune_status tune_narrow_steps_open(MlirOperation kernel, const tune_device *device) {
  TUNE_RETURN_IF_ERROR(tune_narrow_rewrite(kernel, device, extends_narrow, open_extension));
  tune_vector_arithmetic_convert_bf16(kernel);
  TUNE_RETURN_IF_ERROR(tune_narrow_rewrite(kernel, device, rounds_to_f16, open_rounding));
  return tune_narrow_rewrite(kernel, device, stores_words, join_halves);
}
