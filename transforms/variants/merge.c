//===- merge.c ----------------------------------------------------------------===//

#include "transforms/variants/merge.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const tune_variant_sizes *a, const tune_variant_sizes *b) {
  return a->first == b->first && a->last == b->last && a->is_fixed == b->is_fixed;
}

// Whether all groups but `group` are the same.
static bool is_in_line(const tune_variant_plan *plan, size_t a, size_t b, size_t group) {
  for (size_t g = 0; g < plan->group_count; ++g)
    if (g != group && !is_same(&plan->variants[a].sizes[g], &plan->variants[b].sizes[g]))
      return false;
  return true;
}

// The nearest below, or above, with that size open; plan->count: none.
static size_t find_next(const tune_variant_plan *plan, size_t variant, size_t group, bool above) {
  int64_t at = plan->variants[variant].sizes[group].at, nearest = 0;
  size_t found = plan->count;
  for (size_t v = 0; v < plan->count; ++v) {
    const tune_variant_sizes *sizes = &plan->variants[v].sizes[group];
    bool is_beside = above ? sizes->at > at : sizes->at < at;
    // A range may begin with a size that has a variant of its own.
    is_beside |= above && sizes->at == at;
    if (v == variant || sizes->is_fixed || !is_beside || !is_in_line(plan, variant, v, group))
      continue;
    if (found == plan->count || (above ? sizes->at < nearest : sizes->at > nearest)) {
      found = v;
      nearest = sizes->at;
    }
  }
  return found;
}

size_t tune_variant_find_neighbours(const tune_variant_plan *plan, size_t variant,
                                    tune_neighbour out_neighbours[TUNE_MOST_NEIGHBOURS]) {
  size_t count = 0;
  for (size_t g = 0; g < plan->group_count; ++g)
    for (int above = 0; above < 2; ++above) {
      size_t next = find_next(plan, variant, g, above);
      if (next < plan->count)
        out_neighbours[count++] = (tune_neighbour){.variant = next};
    }
  out_neighbours[count++] = (tune_neighbour){.variant = plan->count};
  return count;
}

typedef struct merger {
  tune_variant_plan *plan;
  tune_neighbour (*neighbours)[TUNE_MOST_NEIGHBOURS];
  const size_t *counts;
  size_t *into;
  bool has_got[TUNE_MOST_VARIANTS];   // sizes of another
  bool runs_own[TUNE_MOST_VARIANTS];  // what it is measured at ran in it before any went
  bool is_inside[TUNE_MOST_VARIANTS]; // what it is measured at is one that a range has, too
} merger;

//===--------------------------------------------------------------------------===//
// What runs where
//===--------------------------------------------------------------------------===//

static bool is_live(const merger *m, size_t variant) { return m->into[variant] == variant; }

static bool is_range(const tune_variant_plan *plan, size_t variant) {
  return !tune_variant_plan_is_fixed(plan, &plan->variants[variant]);
}

// Whether `variant` takes what `measured` is measured at.
static bool takes(const tune_variant_plan *plan, size_t variant, size_t measured) {
  int64_t at[TUNE_MOST_SIZE_GROUPS];
  for (size_t g = 0; g < plan->group_count; ++g)
    at[g] = plan->variants[measured].sizes[g].at;
  return tune_variant_plan_takes(plan, &plan->variants[variant], at);
}

// The variant that runs what `measured` is measured at: the first of those that are left, as sizes
// are compared in that order; the number after the last is the one for any sizes.
static size_t find_first(const merger *m, size_t measured) {
  size_t v = 0;
  while (v < m->plan->count && !(is_live(m, v) && takes(m->plan, v, measured)))
    ++v;
  return v;
}

static void look_at_plan(merger *m) {
  for (size_t v = 0; v < m->plan->count; ++v) {
    m->runs_own[v] = find_first(m, v) == v;
    for (size_t w = 0; w < m->plan->count; ++w)
      m->is_inside[v] |= w != v && is_range(m->plan, w) && takes(m->plan, w, v);
  }
}

// Whether all that was measured runs in the variant that has it, those of variants that went, too.
static bool all_run_as_measured(const merger *m) {
  for (size_t v = 0; v < m->plan->count; ++v)
    if (m->runs_own[v] && find_first(m, v) != m->into[v])
      return false;
  return true;
}

static bool do_meet(const tune_variant *a, const tune_variant *b, size_t groups) {
  for (size_t g = 0; g < groups; ++g)
    if (a->sizes[g].first > b->sizes[g].last || b->sizes[g].first > a->sizes[g].last)
      return false;
  return true;
}

// Whether the sizes of `to`, which were those of `before` and of `from`, reach into the range of
// another variant that is left. A size in a range met that range before.
static bool reaches_into_others(const merger *m, size_t to, const tune_variant *before,
                                const tune_variant *from) {
  size_t groups = m->plan->group_count;
  for (size_t v = 0; v < m->plan->count; ++v) {
    const tune_variant *other = &m->plan->variants[v];
    if (v != to && is_live(m, v) && is_range(m->plan, v) &&
        do_meet(&m->plan->variants[to], other, groups) && !do_meet(before, other, groups) &&
        !do_meet(from, other, groups))
      return true;
  }
  return false;
}

// Whether `to` would have to grow up to a size that `from` alone has.
static bool is_stretched(const tune_variant *from, const tune_variant *to, size_t groups) {
  for (size_t g = 0; g < groups; ++g)
    if (from->sizes[g].is_fixed &&
        (from->sizes[g].at < to->sizes[g].first || from->sizes[g].at > to->sizes[g].last))
      return true;
  return false;
}

static void give_sizes(const tune_variant *from, tune_variant *to, size_t groups) {
  for (size_t g = 0; g < groups; ++g) {
    if (from->sizes[g].first < to->sizes[g].first)
      to->sizes[g].first = from->sizes[g].first;
    if (from->sizes[g].last > to->sizes[g].last)
      to->sizes[g].last = from->sizes[g].last;
  }
  to->weight += from->weight;
}

// Whether all sizes run what was measured for them once `variant` is merged into `neighbour`. It is
// merged for a look, and is back afterwards.
static bool is_right(merger *m, size_t variant, size_t neighbour) {
  const tune_variant *from = &m->plan->variants[variant];
  bool right;
  m->into[variant] = neighbour;
  if (neighbour == m->plan->count) {
    right = all_run_as_measured(m);
  } else {
    tune_variant *to = &m->plan->variants[neighbour], before = *to;
    // Where the range around a size went, what lies between would not run where that range does.
    right = !(m->is_inside[variant] && is_stretched(from, to, m->plan->group_count));
    give_sizes(from, to, m->plan->group_count);
    right = right && all_run_as_measured(m) && !reaches_into_others(m, neighbour, &before, from);
    *to = before;
  }
  m->into[variant] = variant;
  return right;
}

//===--------------------------------------------------------------------------===//
// One after the other
//===--------------------------------------------------------------------------===//

// The next that is to go, and its neighbour; false: all that are left stay.
static bool find_nearest(merger *m, size_t *out_variant, size_t *out_neighbour) {
  double best = TUNE_NEAR_ENOUGH;
  bool any = false;
  for (size_t v = 0; v < m->plan->count; ++v)
    for (size_t n = 0; n < m->counts[v]; ++n) {
      const tune_neighbour *neighbour = &m->neighbours[v][n];
      bool is_there = neighbour->variant == m->plan->count || is_live(m, neighbour->variant);
      if (!is_live(m, v) || m->has_got[v] || !is_there || !(neighbour->ratio > 0) ||
          neighbour->ratio > best || !is_right(m, v, neighbour->variant))
        continue;
      best = neighbour->ratio;
      *out_variant = v;
      *out_neighbour = neighbour->variant;
      any = true;
    }
  return any;
}

static void drop_merged(merger *m) {
  size_t kept = 0;
  for (size_t v = 0; v < m->plan->count; ++v)
    if (m->into[v] == v)
      m->plan->variants[kept++] = m->plan->variants[v];
    else
      free(m->plan->variants[v].function);
  m->plan->count = kept;
}

void tune_variant_merge(tune_variant_plan *plan, tune_neighbour (*neighbours)[TUNE_MOST_NEIGHBOURS],
                        const size_t *counts, size_t out_into[TUNE_MOST_VARIANTS]) {
  merger m = {.plan = plan, .neighbours = neighbours, .counts = counts, .into = out_into};
  size_t variant, neighbour;
  for (size_t v = 0; v < plan->count; ++v)
    out_into[v] = v;
  look_at_plan(&m);
  while (find_nearest(&m, &variant, &neighbour)) {
    out_into[variant] = neighbour;
    if (neighbour == plan->count)
      continue;
    give_sizes(&plan->variants[variant], &plan->variants[neighbour], plan->group_count);
    m.has_got[neighbour] = true;
  }
  drop_merged(&m);
}
