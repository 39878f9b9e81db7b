//===- rounding.h - Floating-point formats, and into them
//------------------------------------------===//

#ifndef TUNE_UNITTESTS_PTX_ROUNDING_H
#define TUNE_UNITTESTS_PTX_ROUNDING_H

#include "unittests/ptx/operation.h"

#include <stdint.h>
#include <string.h>

typedef enum ptx_rounding {
  PTX_NEAREST,      // .rn: ties to even
  PTX_NEAREST_AWAY, // .rna
  PTX_TO_ZERO,      // .rz
  PTX_DOWN,         // .rm
  PTX_UP,           // .rp
} ptx_rounding;

// The value of a number's bits in a format: f16, bf16, tf32 (in 32 bits), f32, f64, e4m3, e5m2.
double ptx_decode(ptx_type type, uint64_t bits);
// A number as the bits of a format. NaN becomes the one that GPUs give.
uint64_t ptx_encode(ptx_type type, double value, ptx_rounding rounding);

// a * b + c as a double from which every rounding to at most 51 bits is the right one: where it is
// not exact, its last bit is one.
double ptx_fused(double a, double b, double c);

// Takes .rn, .rz and others off the name; PTX_NEAREST without one, or `*out_is_there` false.
ptx_rounding ptx_take_rounding(ptx_operation *operation, bool *out_is_there);

static inline float ptx_f32(uint64_t bits) {
  uint32_t word = (uint32_t)bits;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static inline uint64_t ptx_f32_bits(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return word;
}

static inline double ptx_f64(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t ptx_f64_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

#endif // TUNE_UNITTESTS_PTX_ROUNDING_H
