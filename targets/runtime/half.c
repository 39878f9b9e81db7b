//===- half.c - Conversions to and from f16 and bf16 ------------------------------===//
//
// Names and meaning as in compiler-rt and libgcc; Debian 12's libgcc lacks those for bf16.
//
//===--------------------------------------------------------------------------===//

#include "targets/runtime/runtime.h"

#include <string.h>

static uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t bits_of_double(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Shifts right by `shift` >= 1 and rounds to nearest, ties to even.
static uint64_t shift_and_round(uint64_t value, unsigned shift) {
  if (shift > 63)
    return 0;
  uint64_t kept = value >> shift;
  uint64_t rest = value & (((uint64_t)1 << shift) - 1);
  uint64_t half = (uint64_t)1 << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)));
}

// Rounds the magnitude of an IEEE number (`exponent_bits` and `mantissa_bits` wide, sign removed)
// to a narrower format; the result has no sign either.
static uint16_t narrow(uint64_t magnitude, unsigned exponent_bits, unsigned mantissa_bits,
                       unsigned to_exponent_bits, unsigned to_mantissa_bits) {
  uint64_t infinity = (((uint64_t)1 << exponent_bits) - 1) << mantissa_bits;
  uint16_t to_infinity = (uint16_t)(((1u << to_exponent_bits) - 1) << to_mantissa_bits);
  unsigned dropped = mantissa_bits - to_mantissa_bits;
  if (magnitude > infinity) {
    uint64_t payload = (magnitude >> dropped) & (((uint64_t)1 << to_mantissa_bits) - 1);
    return (uint16_t)(to_infinity | payload | 1u << (to_mantissa_bits - 1));
  }
  if (magnitude == infinity)
    return to_infinity;

  int exponent = (int)(magnitude >> mantissa_bits);
  uint64_t mantissa = magnitude & (((uint64_t)1 << mantissa_bits) - 1);
  int bias = (1 << (exponent_bits - 1)) - 1, to_bias = (1 << (to_exponent_bits - 1)) - 1;
  if (exponent == 0)
    exponent = 1; // subnormal: no implicit bit
  else
    mantissa |= (uint64_t)1 << mantissa_bits;
  int to_exponent = exponent - bias + to_bias;
  if (to_exponent < 1) // subnormal in the narrow format, or zero
    return (uint16_t)shift_and_round(mantissa, dropped + (unsigned)(1 - to_exponent));
  // A carry out of the mantissa, or an implicit bit that is not there, lands in the exponent.
  uint64_t rounded =
      ((uint64_t)(to_exponent - 1) << to_mantissa_bits) + shift_and_round(mantissa, dropped);
  return rounded > to_infinity ? to_infinity : (uint16_t)rounded;
}

static tune_half_register from_float(float value, unsigned exponent_bits, unsigned mantissa_bits) {
  uint32_t bits = bits_of_float(value);
  uint16_t magnitude = narrow(bits & 0x7fffffff, 8, 23, exponent_bits, mantissa_bits);
  return float_of_bits((bits >> 31) << 15 | magnitude);
}

static tune_half_register from_double(double value, unsigned exponent_bits,
                                      unsigned mantissa_bits) {
  uint64_t bits = bits_of_double(value);
  uint16_t magnitude = narrow(bits & 0x7fffffffffffffff, 11, 52, exponent_bits, mantissa_bits);
  return float_of_bits((uint32_t)(bits >> 63) << 15 | magnitude);
}

tune_half_register __truncsfhf2(float value) { return from_float(value, 5, 10); }
tune_half_register __truncdfhf2(double value) { return from_double(value, 5, 10); }
tune_half_register __truncsfbf2(float value) { return from_float(value, 8, 7); }
tune_half_register __truncdfbf2(double value) { return from_double(value, 8, 7); }

float __extendhfsf2(tune_half_register value) {
  uint32_t bits = bits_of_float(value) & 0xffff;
  uint32_t sign = (bits & 0x8000) << 16;
  uint32_t exponent = bits >> 10 & 31, mantissa = bits & 1023;
  if (exponent == 31) // infinity, or NaN made quiet
    return float_of_bits(sign | 0x7f800000 | mantissa << 13 | (mantissa ? 1u << 22 : 0));
  if (exponent)
    return float_of_bits(sign | (exponent + 112) << 23 | mantissa << 13);
  if (!mantissa)
    return float_of_bits(sign);
  unsigned shift = (unsigned)__builtin_clz(mantissa) - 21; // brings the leading bit to bit 10
  return float_of_bits(sign | (113 - shift) << 23 | (mantissa << shift & 1023) << 13);
}
