//===- search_shares.c --------------------------------------------------------------===//

#include "transforms/search/search_shares.h"

#include "support/units.h"

#include <stdlib.h>
#include <string.h>

// So many are named; the others are summed up.
enum { NAMED = 5 };

typedef struct share {
  char *name;
  size_t calls;
  double seconds; // of all calls
} share;

struct tune_search_shares {
  share *items;
  size_t count, unknown;
  double sum;
  bool failed; // memory ran out
};

tune_search_shares *tune_search_shares_create(void) {
  return calloc(1, sizeof(tune_search_shares));
}

void tune_search_shares_destroy(tune_search_shares *shares) {
  if (!shares)
    return;
  for (size_t i = 0; i < shares->count; i++)
    free(shares->items[i].name);
  free(shares->items);
  free(shares);
}

void tune_search_shares_add(tune_search_shares *shares, const char *name, size_t calls,
                            double seconds) {
  if (!(seconds > 0)) {
    shares->unknown++;
    return;
  }
  share *items = realloc(shares->items, (shares->count + 1) * sizeof *items);
  if (items)
    shares->items = items;
  char *copy = strdup(name);
  if (!items || !copy) {
    free(copy);
    shares->failed = true;
    return;
  }
  items[shares->count++] = (share){copy, calls, seconds * (double)calls};
  shares->sum += seconds * (double)calls;
}

double tune_search_shares_sum(const tune_search_shares *shares) {
  return shares->unknown || shares->failed ? 0 : shares->sum;
}

static int by_seconds(const void *a, const void *b) {
  const share *one = a, *other = b;
  return one->seconds < other->seconds ? 1 : one->seconds > other->seconds ? -1 : 0;
}

void tune_search_shares_append(const tune_search_shares *shares, tune_string_builder *text) {
  share *sorted = malloc((shares->count + 1) * sizeof *sorted);
  text->failed |= shares->failed || !sorted;
  if (!sorted || shares->count < 2) {
    free(sorted);
    return;
  }
  memcpy(sorted, shares->items, shares->count * sizeof *sorted);
  qsort(sorted, shares->count, sizeof *sorted, by_seconds);
  double rest = shares->sum;
  tune_string_builder_appendf(text, "tune-search: by default its tasks take %s one by one:",
                              tune_figure_seconds(shares->sum).text);
  for (size_t i = 0; i < shares->count && i < NAMED; i++) {
    const share *s = &sorted[i];
    rest -= s->seconds;
    tune_string_builder_appendf(text, "%s %.1f %% %s", i ? "," : "", 100 * s->seconds / shares->sum,
                                s->name);
    if (s->calls > 1)
      tune_string_builder_appendf(text, " (x%zu)", s->calls);
  }
  if (shares->count > NAMED)
    tune_string_builder_appendf(text, ", %.1f %% %zu others", 100 * rest / shares->sum,
                                shares->count - NAMED);
  if (shares->unknown)
    tune_string_builder_appendf(text, "; %zu %s not timed", shares->unknown,
                                shares->unknown == 1 ? "is" : "are");
  tune_string_builder_append(text, "\n");
  free(sorted);
}
