#include "unittests/ptx/rounding.h"

#include <math.h>

typedef struct format {
  int digits;   // with the leading one
  int least;    // exponent of the least normal number
  int greatest; // exponent of the greatest
  unsigned bits;
  unsigned shift; // of tf32, whose digits are the upper ones of a float
  uint32_t nan;
  bool has_infinity;
} format;

static format format_of(ptx_type type) {
  switch (type) {
  case PTX_F16:
    return (format){11, -14, 15, 16, 0, 0x7fff, true};
  case PTX_BF16:
    return (format){8, -126, 127, 16, 0, 0x7fff, true};
  case PTX_TF32:
    return (format){11, -126, 127, 32, 13, 0x7fffffff, true};
  case PTX_E4M3: // its greatest exponent has numbers too, all but the last one
    return (format){4, -6, 8, 8, 0, 0x7f, false};
  case PTX_E5M2:
    return (format){3, -14, 15, 8, 0, 0x7f, true};
  default:
    return (format){24, -126, 127, 32, 0, 0x7fffffff, true};
  }
}

// As a float whose exponent is 112 too small, and then right.
static float decode_f16(uint32_t bits) {
  uint32_t shifted = (bits & 0x7fff) << 13;
  float magnitude = ptx_f32(shifted) * 0x1p112f;
  if ((bits & 0x7c00) == 0x7c00)
    magnitude = ptx_f32(shifted | 0x7f800000);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double ptx_decode(ptx_type type, uint64_t bits) {
  if (type == PTX_F64)
    return ptx_f64(bits);
  if (type == PTX_F32)
    return ptx_f32(bits);
  if (type == PTX_F16)
    return decode_f16((uint32_t)bits);
  if (type == PTX_BF16)
    return ptx_f32(bits << 16);
  if (type == PTX_TF32)
    return ptx_f32(bits & ~UINT64_C(0x1fff));
  format f = format_of(type);
  uint32_t word = (uint32_t)bits >> f.shift, stored = (uint32_t)f.digits - 1;
  unsigned width = f.bits - f.shift;
  uint32_t fraction = word & ((1u << stored) - 1);
  uint32_t exponent_bits = word >> stored & ((1u << (width - 1 - stored)) - 1);
  uint32_t all_ones = (1u << (width - 1 - stored)) - 1;
  double sign = word >> (width - 1) & 1 ? -1 : 1;
  if (exponent_bits == all_ones && f.has_infinity)
    return fraction ? NAN : sign * INFINITY;
  if (exponent_bits == all_ones && fraction == (1u << stored) - 1)
    return NAN;
  if (!exponent_bits)
    return sign * ldexp(fraction, f.least - (int)stored);
  return sign * ldexp(fraction | 1u << stored, (int)exponent_bits - 1 + f.least - (int)stored);
}

// The integer next to `value`, which is no negative number.
static double round_scaled(double value, bool is_negative, ptx_rounding rounding) {
  double low = floor(value), rest = value - low;
  switch (rounding) {
  case PTX_NEAREST:
    return low + (rest > 0.5 || (rest == 0.5 && fmod(low, 2) != 0));
  case PTX_NEAREST_AWAY:
    return low + (rest >= 0.5);
  case PTX_DOWN:
    return low + (is_negative && rest > 0);
  case PTX_UP:
    return low + (!is_negative && rest > 0);
  default:
    return low;
  }
}

// Beyond the greatest number: infinity, or the greatest where the rounding is towards it.
static uint64_t overflow(const format *f, bool is_negative, ptx_rounding rounding) {
  unsigned stored = (unsigned)f->digits - 1, width = f->bits - f->shift;
  uint32_t infinity = ((1u << (width - 1)) - 1) & ~((1u << stored) - 1);
  bool stays = rounding == PTX_TO_ZERO || (rounding == PTX_DOWN && !is_negative) ||
               (rounding == PTX_UP && is_negative);
  if (f->bits == 8) // .satfinite, which all conversions to these are
    return f->has_infinity ? infinity - 1 : 0x7e;
  return stays ? infinity - 1 : infinity;
}

uint64_t ptx_encode(ptx_type type, double value, ptx_rounding rounding) {
  if (type == PTX_F64)
    return ptx_f64_bits(value);
  format f = format_of(type);
  if (isnan(value))
    return f.nan;
  if (type == PTX_F32 && rounding == PTX_NEAREST)
    return ptx_f32_bits((float)value);
  unsigned stored = (unsigned)f.digits - 1, width = f.bits - f.shift;
  bool is_negative = signbit(value);
  double magnitude = fabs(value);
  uint64_t bits;
  int exponent;
  frexp(magnitude, &exponent);
  exponent = magnitude == 0 || exponent - 1 < f.least ? f.least : exponent - 1;
  if (isinf(magnitude)) {
    bits = overflow(&f, is_negative, PTX_NEAREST);
  } else {
    double scaled = round_scaled(ldexp(magnitude, (int)stored - exponent), is_negative, rounding);
    if (scaled == ldexp(1, f.digits)) {
      scaled /= 2;
      exponent++;
    }
    uint32_t digits = (uint32_t)scaled;
    bool is_normal = digits >> stored;
    bits = is_normal
               ? (uint64_t)(exponent - f.least + 1) << stored | (digits & ((1u << stored) - 1))
               : digits;
    if (exponent > f.greatest || (!f.has_infinity && bits > 0x7e))
      bits = overflow(&f, is_negative, rounding);
  }
  return (bits | (uint64_t)is_negative << (width - 1)) << f.shift;
}

double ptx_fused(double a, double b, double c) {
  double product = a * b; // exact for factors of up to 26 bits, which those of 24 are
  double sum = product + c;
  if (!isfinite(sum))
    return sum;
  double second = sum - product, error = (product - (sum - second)) + (c - second);
  uint64_t bits = ptx_f64_bits(sum);
  if (error == 0 || bits & 1)
    return sum;
  // The true sum lies between this and the next number towards the error, whose last bit is one.
  return ptx_f64((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

ptx_rounding ptx_take_rounding(ptx_operation *operation, bool *out_is_there) {
  static const char *const names[] = {"rn", "rna", "rz", "rm", "rp", NULL};
  int which = ptx_take_one_of(operation, names);
  *out_is_there = which >= 0;
  return which < 0 ? PTX_NEAREST : (ptx_rounding)which;
}
