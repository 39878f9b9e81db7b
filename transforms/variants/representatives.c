//===- representatives.c ------------------------------------------------------===//

#include "transforms/variants/representatives.h"

#include <math.h>

static void add(tune_representatives *of, int64_t size) {
  if (!of->count || of->sizes[of->count - 1] < size)
    of->sizes[of->count++] = size;
}

tune_representatives tune_representatives_of(const tune_size_item *item) {
  tune_representatives found = {.count = 0};
  for (int64_t size = 1; size <= item->last; size *= 2)
    if (size >= item->first)
      add(&found, size);
  if (found.count >= 2)
    return found;
  found.count = 0;
  add(&found, item->first);
  add(&found, llround(sqrt((double)item->first * (double)item->last)));
  add(&found, item->last);
  return found;
}

tune_representatives tune_representatives_thin(const tune_representatives *all, size_t count) {
  if (count >= all->count)
    return *all;
  tune_representatives thinned = {.count = count};
  thinned.sizes[0] = all->sizes[count == 1 ? all->count / 2 : 0];
  for (size_t i = 1; i < count; ++i)
    thinned.sizes[i] = all->sizes[(i * (all->count - 1) + (count - 1) / 2) / (count - 1)];
  return thinned;
}

static int64_t half_way(const tune_representatives *of, size_t upper) {
  return of->sizes[upper - 1] + (of->sizes[upper] - of->sizes[upper - 1] + 1) / 2;
}

void tune_representatives_get_around(const tune_representatives *of, const tune_size_item *item,
                                     size_t index, int64_t *out_first, int64_t *out_last) {
  *out_first = index == 0 ? item->first : half_way(of, index);
  *out_last = index + 1 == of->count ? item->last : half_way(of, index + 1) - 1;
}
