//===- rounding_choice.c ------------------------------------------------------===//

#include "transforms/precision/rounding_choice.h"

#include <stdbool.h>

// An error of 0, of what is exact in bf16, is worth any gain.
static bool is_before(const tune_rounding *a, const tune_rounding *b) {
  return a->gain * b->error * b->error > b->gain * a->error * a->error;
}

size_t tune_rounding_choose(const tune_rounding *items, size_t count, double budget,
                            size_t *order) {
  size_t known = 0, taken = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!(items[i].gain > 0) || !(items[i].error <= budget))
      continue;
    size_t place = known++;
    for (; place > 0 && is_before(&items[i], &items[order[place - 1]]); --place)
      order[place] = order[place - 1];
    order[place] = i;
  }
  double sum = 0;
  for (size_t i = 0; i < known; ++i) {
    double square = items[order[i]].error * items[order[i]].error;
    if (sum + square > budget * budget)
      continue;
    sum += square;
    order[taken++] = order[i];
  }
  return taken;
}
