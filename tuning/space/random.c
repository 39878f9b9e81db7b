//===- random.c ---------------------------------------------------------------===//

#include "tuning/space/random.h"

#include <math.h>

void tune_random_init(tune_random *random, uint64_t seed) {
  for (size_t i = 0; i < 4; ++i) {
    seed += 0x9e3779b97f4a7c15u; // splitmix64
    uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    random->state[i] = z ^ (z >> 31);
  }
}

static uint64_t rotate_left(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

uint64_t tune_random_next(tune_random *random) {
  uint64_t *s = random->state;
  uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

uint64_t tune_random_below(tune_random *random, uint64_t bound) {
  // The numbers below `excess` would make the first residues likelier than the rest.
  uint64_t excess = -bound % bound;
  uint64_t x;
  do
    x = tune_random_next(random);
  while (x < excess);
  return x % bound;
}

double tune_random_unit(tune_random *random) {
  return (double)(tune_random_next(random) >> 11) * 0x1p-53;
}

double tune_random_normal(tune_random *random) {
  // Box and Muller. The first factor's argument is in (0, 1].
  double radius = sqrt(-2.0 * log(1.0 - tune_random_unit(random)));
  return radius * cos(2.0 * 3.14159265358979323846 * tune_random_unit(random));
}
