//===- exact.c - Inputs for which outputs are exact -------------------------------------===//

#include "targets/exact.h"
#include "targets/random_at.h"

#include <math.h>

// Longer sums are not needed, and approximations such as Winograd's are closer on shorter ones.
#define LARGEST_SUM 2048
// A product of a striped factor and another one is 3 in the mean; a sum is so far below the limit
// that none of thousands gets there.
#define MEAN_WITH_MARGIN 4
// Maxima: so many places where the largest value is, in rows or in sets.
#define PLACES 64
// From 2^-13 to 2^15; with the two at the ends all are normal in f16.
#define SMALLEST_CHOICE 0x1p-13
#define OCTAVES 28
#define LARGEST_CHOICE 0x1.6p15
#define GOLDEN_RATIO 0.6180339887498949

//===- Plans ----------------------------------------------------------------------------===//

static bool is_prime(int64_t number) {
  for (int64_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0)
      return false;
  return number > 1;
}

// The distances of tiles are no multiples of a prime but for one of a tile of just that size.
static int64_t period_for(double period) {
  int64_t at_least = (int64_t)ceil(period);
  if (at_least <= 1)
    return 1;
  while (!is_prime(at_least))
    ++at_least;
  return at_least;
}

static size_t set_count_for(int64_t wanted) {
  return wanted < 1 ? 1 : wanted > TUNE_EXACT_SET_LIMIT ? TUNE_EXACT_SET_LIMIT : (size_t)wanted;
}

tune_exact_plan tune_exact_plan_make(double limit, int64_t reduction,
                                     const tune_value_type *striped) {
  int64_t length = reduction > 1 ? reduction : 1;
  int64_t rows = (int64_t)tune_value_type_element_count(striped) / length;
  rows = rows > 1 ? rows : 1;
  if (isinf(limit))
    return (tune_exact_plan){.limit = limit,
                             .period = 1,
                             .set_count = set_count_for(2 + (rows < PLACES ? PLACES / rows : 0))};
  double largest = fmin(limit, LARGEST_SUM);
  tune_exact_plan plan = {.limit = limit,
                          .period = period_for((double)length * MEAN_WITH_MARGIN / largest)};
  if (plan.period > rows * TUNE_EXACT_SET_LIMIT) {
    plan.has_ones = true;
    plan.period = period_for((double)length / (largest - 1));
  }
  // Diagonals of more dimensions than two meet in some rows.
  int64_t times = striped->rank > 2 && plan.period > 1 ? 2 : 1;
  plan.set_count = set_count_for((times * plan.period + rows - 1) / rows);
  return plan;
}

//===- Values ---------------------------------------------------------------------------===//

// Sums of positions counted from the ends, each dimension times a factor of its own: the diagonal
// modulo the period that an element is on.
typedef struct diagonals {
  int64_t position[TUNE_RANK_LIMIT];
  int64_t step[TUNE_RANK_LIMIT];
  int64_t current;
} diagonals;

static void diagonals_init(diagonals *d, const tune_value_type *type, int64_t period) {
  *d = (diagonals){0};
  for (size_t i = 0; i < type->rank; ++i) {
    bool is_plain = type->rank <= 2 || i + 1 == type->rank || period < 3;
    d->step[i] = is_plain ? 1 : 1 + (int64_t)(tune_random_at(0, i) % (uint64_t)(period - 1));
    d->position[i] = type->shape[i] - 1;
    d->current = (d->current + d->position[i] % period * d->step[i]) % period;
  }
}

static void diagonals_advance(diagonals *d, const tune_value_type *type, int64_t period) {
  for (size_t i = type->rank; i-- > 0;) {
    if (d->position[i] > 0) {
      --d->position[i];
      d->current = (d->current + period - d->step[i] % period) % period;
      return;
    }
    d->position[i] = type->shape[i] - 1;
    d->current = (d->current + d->position[i] % period * d->step[i]) % period;
  }
}

static double factor_of(const tune_exact_plan *plan, bool is_striped, uint64_t bits) {
  if (plan->has_ones)
    return 1;
  return 1 + (double)((bits >> 32) % (is_striped ? 2 : 3));
}

static void fill_factors(tune_buffer *buffer, const tune_exact_plan *plan, size_t set,
                         bool is_striped, uint64_t seed) {
  tune_element_type element = buffer->type.element;
  size_t size = tune_element_type_size(element);
  int64_t shown = (int64_t)set * plan->period / (int64_t)plan->set_count;
  diagonals d;
  diagonals_init(&d, &buffer->type, plan->period);
  for (size_t i = 0; i < buffer->size / size; ++i) {
    bool is_zero = is_striped && d.current != shown;
    double value = is_zero ? 0 : factor_of(plan, is_striped, tune_random_at(seed, i));
    tune_element_store(element, value, (char *)buffer->data + i * size);
    if (is_striped)
      diagonals_advance(&d, &buffer->type, plan->period);
  }
}

// Grows with `place`, from 0 to 1, and is exact in every type that is fine enough.
static double choice_of(double place) {
  unsigned octave = (unsigned)(place * OCTAVES);
  return SMALLEST_CHOICE * (double)(1U << octave) * (1 + place * OCTAVES - octave);
}

// Where in `count` elements the largest stands; the smallest is at the other end.
static size_t peak_of(const tune_exact_plan *plan, size_t set, size_t count) {
  if (set < 2)
    return set == 0 ? count - 1 : 0;
  double share = ((double)set - 0.5) / (double)plan->set_count;
  return (size_t)(share * (double)count);
}

static void fill_choices(tune_buffer *buffer, const tune_exact_plan *plan, size_t set,
                         uint64_t seed) {
  tune_element_type element = buffer->type.element;
  size_t size = tune_element_type_size(element), count = buffer->size / size;
  double start = (double)(tune_random_at(seed, set) >> 11) * 0x1p-53;
  for (size_t i = 0; i < count; ++i) {
    double place = start + (double)i * GOLDEN_RATIO;
    tune_element_store(element, choice_of(place - floor(place)), (char *)buffer->data + i * size);
  }
  if (count == 0)
    return;
  size_t peak = peak_of(plan, set, count);
  tune_element_store(element, SMALLEST_CHOICE / 2,
                     (char *)buffer->data + (count - 1 - peak) * size);
  tune_element_store(element, LARGEST_CHOICE, (char *)buffer->data + peak * size);
}

void tune_exact_fill(tune_buffer *buffer, const tune_exact_plan *plan, size_t set, bool is_striped,
                     uint64_t seed, int64_t index_limit) {
  tune_element_type element = buffer->type.element;
  if (!tune_element_type_is_float(element))
    tune_buffer_fill(buffer, seed, TUNE_FILL_SIGNED, index_limit);
  else if (buffer->type.is_scalar)
    tune_element_store(element, 1, buffer->data);
  else if (isinf(plan->limit))
    fill_choices(buffer, plan, set, seed + set);
  else
    fill_factors(buffer, plan, set, is_striped, seed + ((uint64_t)set << 32));
}

double tune_exact_share(const tune_buffer *output, double limit) {
  tune_element_type element = output->type.element;
  size_t size = tune_element_type_size(element), count = output->size / size, below = 0;
  if (!tune_element_type_is_float(element))
    return 0;
  for (size_t i = 0; i < count; ++i) {
    double value = tune_element_load(element, (const char *)output->data + i * size);
    below += value >= 0 && value < limit;
  }
  return count ? (double)below / (double)count : 0;
}
