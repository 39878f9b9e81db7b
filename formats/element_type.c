//===- element_type.c - The types that tensors are made of -------------------------===//

#include "formats/element_type.h"

#include <math.h>
#include <string.h>

static const struct {
  const char *name;
  size_t size;
  int exponent_bits, mantissa_bits; // of floats; 0 for integers
} types[TUNE_ELEMENT_TYPE_COUNT] = {
    [TUNE_F16] = {"f16", 2, 5, 10}, [TUNE_BF16] = {"bf16", 2, 8, 7},
    [TUNE_F32] = {"f32", 4, 8, 23}, [TUNE_F64] = {"f64", 8, 11, 52},
    [TUNE_I1] = {"i1", 1, 0, 0},    [TUNE_I8] = {"i8", 1, 0, 0},
    [TUNE_I16] = {"i16", 2, 0, 0},  [TUNE_I32] = {"i32", 4, 0, 0},
    [TUNE_I64] = {"i64", 8, 0, 0},  [TUNE_INDEX] = {"index", 8, 0, 0},
};

const char *tune_element_type_name(tune_element_type type) { return types[type].name; }

tune_status tune_element_type_parse(const char *text, tune_element_type *out_type) {
  for (size_t i = 0; i < TUNE_ELEMENT_TYPE_COUNT; ++i)
    if (strcmp(text, types[i].name) == 0) {
      *out_type = (tune_element_type)i;
      return TUNE_OK;
    }
  return tune_status_make(TUNE_INVALID_ARGUMENT,
                          "no element type '%s'; there are f16, bf16, f32, f64, i1, i8, i16, i32, "
                          "i64 and index",
                          text);
}

size_t tune_element_type_size(tune_element_type type) { return types[type].size; }

bool tune_element_type_is_float(tune_element_type type) { return types[type].exponent_bits > 0; }

double tune_element_type_unit_roundoff(tune_element_type type) {
  return tune_element_type_is_float(type) ? ldexp(1, -types[type].mantissa_bits - 1) : 0;
}

double tune_element_type_smallest_normal(tune_element_type type) {
  int bits = types[type].exponent_bits;
  return bits > 0 ? ldexp(1, 2 - (1 << (bits - 1))) : 0;
}

static float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static float load_f16(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = (uint32_t)(bits & 0x7fff) << 13;
  if (magnitude >= 0x0f800000) // infinity and NaN
    return float_of_bits(sign | 0x70000000 | magnitude);
  // As the bits of a float they are 2^-112 of the value, for subnormal numbers too.
  float value = float_of_bits(magnitude) * 0x1p112f;
  return sign ? -value : value;
}

static uint16_t store_small_float(double value, int exponent_bits, int mantissa_bits) {
  uint16_t sign = (uint16_t)(signbit(value) ? 0x8000 : 0);
  uint16_t infinity = (uint16_t)(((1 << exponent_bits) - 1) << mantissa_bits);
  double magnitude = fabs(value);
  if (isnan(value))
    return (uint16_t)(sign | infinity | 1 << (mantissa_bits - 1));
  if (isinf(value))
    return (uint16_t)(sign | infinity);
  if (magnitude == 0)
    return sign;
  int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = ilogb(magnitude);
  if (exponent < 1 - bias)
    exponent = 1 - bias; // subnormal
  // In units of the last place; nearbyint rounds ties to even.
  double units = nearbyint(ldexp(magnitude, mantissa_bits - exponent));
  double bits = ldexp(exponent + bias - 1, mantissa_bits) + units;
  return bits >= infinity ? (uint16_t)(sign | infinity) : (uint16_t)(sign | (uint16_t)bits);
}

#define LOAD(type)                                                                                 \
  {                                                                                                \
    type value;                                                                                    \
    memcpy(&value, bytes, sizeof value);                                                           \
    return (double)value;                                                                          \
  }

double tune_element_load(tune_element_type type, const void *bytes) {
  switch (type) {
  case TUNE_F16:
  case TUNE_BF16: {
    uint16_t bits;
    memcpy(&bits, bytes, sizeof bits);
    return type == TUNE_F16 ? load_f16(bits) : float_of_bits((uint32_t)bits << 16);
  }
  case TUNE_F32:
    LOAD(float)
  case TUNE_F64:
    LOAD(double)
  case TUNE_I1:
    return *(const uint8_t *)bytes != 0;
  case TUNE_I8:
    LOAD(int8_t)
  case TUNE_I16:
    LOAD(int16_t)
  case TUNE_I32:
    LOAD(int32_t)
  case TUNE_I64:
  case TUNE_INDEX:
    LOAD(int64_t)
  }
  return 0;
}

#define STORE(type)                                                                                \
  {                                                                                                \
    type stored = (type)value;                                                                     \
    memcpy(bytes, &stored, sizeof stored);                                                         \
    return;                                                                                        \
  }

void tune_element_store(tune_element_type type, double value, void *bytes) {
  switch (type) {
  case TUNE_F16:
  case TUNE_BF16: {
    uint16_t bits = store_small_float(value, types[type].exponent_bits, types[type].mantissa_bits);
    memcpy(bytes, &bits, sizeof bits);
    return;
  }
  case TUNE_F32:
    STORE(float)
  case TUNE_F64:
    STORE(double)
  case TUNE_I1:
    *(uint8_t *)bytes = value != 0;
    return;
  case TUNE_I8:
    STORE(int8_t)
  case TUNE_I16:
    STORE(int16_t)
  case TUNE_I32:
    STORE(int32_t)
  case TUNE_I64:
  case TUNE_INDEX:
    STORE(int64_t)
  }
}
