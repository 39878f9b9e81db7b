//===- same_values.c ------------------------------------------------------------===//

#include "tuning/space/same_values.h"

#include <stdlib.h>

// Domains with more values are not looked at: pairs of theirs hardly come twice.
#define MOST_VALUES 32

// What was seen of a pair of values.
struct pair {
  uint32_t same, different;
};

struct tune_same_values {
  const tune_space *space;
  struct pair *pairs; // of knob after knob, values by values
  size_t *first;      // of each knob; SIZE_MAX where it is not looked at
};

tune_status tune_same_values_create(const tune_space *space, tune_same_values **out_values) {
  size_t count = tune_space_knob_count(space), pairs = 0;
  tune_same_values *values = calloc(1, sizeof *values);
  size_t *first = calloc(count + 1, sizeof *first);
  for (size_t i = 0; first && i < count; ++i) {
    size_t of_knob = tune_space_knob(space, i)->value_count;
    bool is_small = of_knob > 1 && of_knob <= MOST_VALUES;
    first[i] = is_small ? pairs : SIZE_MAX;
    pairs += is_small ? of_knob * of_knob : 0;
  }
  struct pair *all = calloc(pairs + 1, sizeof *all);
  if (!values || !first || !all) {
    free(values);
    free(first);
    free(all);
    *out_values = NULL;
    return tune_status_out_of_memory("out of memory while creating a strategy");
  }
  *values = (tune_same_values){space, all, first};
  *out_values = values;
  return TUNE_OK;
}

void tune_same_values_destroy(tune_same_values *values) {
  if (!values)
    return;
  free(values->pairs);
  free(values->first);
  free(values);
}

// What is kept of a pair, in either order; NULL where nothing is.
static struct pair *pair_of(const tune_same_values *values, size_t knob, uint16_t x, uint16_t y) {
  if (values->first[knob] == SIZE_MAX || x == y)
    return NULL;
  size_t low = x < y ? x : y, high = x < y ? y : x;
  size_t count = tune_space_knob(values->space, knob)->value_count;
  return &values->pairs[values->first[knob] + low * count + high];
}

// The knobs that two configs differ in; stops counting at two.
static size_t count_differences(const tune_config *a, const tune_config *b) {
  size_t count = 0;
  for (size_t i = 0; i < a->count && count < 2; ++i)
    count += a->choices[i] != b->choices[i];
  return count;
}

void tune_same_values_learn(tune_same_values *values, const tune_config *a, const tune_config *b,
                            bool is_same) {
  if (!is_same && count_differences(a, b) != 1)
    return;
  for (size_t i = 0; i < a->count; ++i) {
    struct pair *pair = pair_of(values, i, a->choices[i], b->choices[i]);
    if (pair && is_same)
      ++pair->same;
    else if (pair)
      ++pair->different;
  }
}

bool tune_same_values_expect(const tune_same_values *values, const tune_config *a,
                             const tune_config *b) {
  for (size_t i = 0; i < a->count; ++i) {
    if (a->choices[i] == b->choices[i])
      continue;
    const struct pair *pair = pair_of(values, i, a->choices[i], b->choices[i]);
    if (!pair || !pair->same || pair->same < 4 * (uint64_t)pair->different)
      return false;
  }
  return true;
}
