//===- random.h - Repeatable randomness --------------------------------------===//
//
// xoshiro256** 1.0 (D. Blackman and S. Vigna, "Scrambled linear pseudorandom number
// generators", ACM TOMS 47, 2021; https://prng.di.unimi.it), seeded by splitmix64 as its
// authors advise. The same seed gives the same numbers on every machine, which rand() and
// its kin do not promise.
//
// Threads: a value; one thread at a time.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_RANDOM_H
#define TUNE_TUNING_SPACE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_random {
  uint64_t state[4];
} tune_random;

void tune_random_init(tune_random *random, uint64_t seed);
uint64_t tune_random_next(tune_random *random);
// Uniform over 0 … bound-1, without bias; `bound` is at least 1.
uint64_t tune_random_below(tune_random *random, uint64_t bound);
// Uniform over [0, 1).
double tune_random_unit(tune_random *random);
// From the standard normal distribution.
double tune_random_normal(tune_random *random);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_RANDOM_H
