//===- random_at.h - Random numbers by their place --------------------------------------===//
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TARGETS_RANDOM_AT_H
#define TUNE_TARGETS_RANDOM_AT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Number `index` of the sequence that `seed` begins: splitmix64's output function over a counter
// (Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014).
static inline uint64_t tune_random_at(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

#ifdef __cplusplus
}
#endif

#endif // TUNE_TARGETS_RANDOM_AT_H
