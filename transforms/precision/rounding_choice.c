//===- rounding_choice.c ------------------------------------------------------===//

#include "transforms/precision/rounding_choice.h"

#include <math.h>
#include <stdbool.h>

// What taking an item would do.
typedef struct step {
  size_t item;
  double gain;   // beside what its kind saves by now
  double square; // that it adds
} step;

// An error of 0, of what is exact where it is rounded, is worth any gain.
static bool is_before(const step *a, const step *b) {
  return a->gain * fmax(b->square, 0) > b->gain * fmax(a->square, 0);
}

static bool is_known(const tune_rounding *item) {
  return item->gain > 0 && item->error >= 0 && isfinite(item->error);
}

// The item of kind `kind` that was taken last; NULL: none.
static const tune_rounding *find_taken(const tune_rounding *items, const size_t *order,
                                       size_t taken, size_t kind) {
  while (taken-- > 0)
    if (items[order[taken]].kind == kind)
      return &items[order[taken]];
  return NULL;
}

size_t tune_rounding_choose(const tune_rounding *items, size_t count, double budget,
                            size_t *order) {
  double sum = 0;
  for (size_t taken = 0;; ++taken) {
    step best = {.item = count};
    for (size_t i = 0; i < count; ++i) {
      if (!is_known(&items[i]))
        continue;
      const tune_rounding *before = find_taken(items, order, taken, items[i].kind);
      double had = before ? before->error * before->error : 0;
      step next = {.item = i,
                   .gain = items[i].gain - (before ? before->gain : 0),
                   .square = items[i].error * items[i].error - had};
      if (next.gain > 0 && sum + next.square <= budget * budget &&
          (best.item == count || is_before(&next, &best)))
        best = next;
    }
    if (best.item == count)
      return taken;
    sum += best.square;
    order[taken] = best.item;
  }
}
