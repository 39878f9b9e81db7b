//===- search_sizes.c ---------------------------------------------------------===//

#include "transforms/search/search_sizes.h"

#include "formats/signature.h"
#include "transforms/ir/ir.h"
#include "transforms/search/size_trials.h"
#include "transforms/variants/dispatch.h"
#include "transforms/variants/merge.h"
#include "transforms/variants/representatives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sizes_search {
  tune_size_trials trials;
  tune_variant_plan *plan;
  tune_size_rows *rows;
  int64_t *sizes; // of each open one
} sizes_search;

//===--------------------------------------------------------------------------===//
// Rows
//===--------------------------------------------------------------------------===//

// At `at`, by group.
static tune_status add_row(sizes_search *s, const int64_t *at, double weight, tune_size_row **out) {
  tune_size_rows *rows = s->rows;
  tune_size_row *grown = realloc(rows->rows, (rows->count + 1) * sizeof *grown);
  if (!grown)
    return tune_status_out_of_memory("looking at sizes");
  rows->rows = grown;
  tune_size_row *row = *out = &rows->rows[rows->count];
  *row = (tune_size_row){.weight = weight};
  tune_variant variant = {.weight = weight};
  for (size_t g = 0; g < s->plan->group_count; ++g) {
    variant.sizes[g] = (tune_variant_sizes){.first = at[g], .last = at[g], .at = at[g]};
    row->order[g] = at[g];
  }
  tune_variant_plan_describe(s->plan, &variant, row->size);
  ++rows->count;
  return TUNE_OK;
}

static bool has_row(const sizes_search *s, const int64_t *at) {
  for (size_t i = 0; i < s->rows->count; ++i)
    if (memcmp(s->rows->rows[i].order, at, s->plan->group_count * sizeof *at) == 0)
      return true;
  return false;
}

static void set_sizes(sizes_search *s, const int64_t *at) {
  for (size_t i = 0; i < s->plan->open_count; ++i) {
    size_t group = s->plan->open[i].group;
    s->sizes[i] = group == TUNE_SIZE_GROUP_NONE ? TUNE_DYNAMIC_SIZE : at[group];
  }
}

static void get_sizes(const sizes_search *s, size_t variant, int64_t *out_at) {
  for (size_t g = 0; g < s->plan->group_count; ++g)
    out_at[g] = s->plan->variants[variant].sizes[g].at;
}

// The name of variant `number`, of which the last is the one for any sizes.
static const char *name_of(const tune_variant_plan *plan, size_t number) {
  return number == plan->count ? plan->general : plan->variants[number].function;
}

// The one that runs what has these sizes.
static size_t find_variant(const tune_variant_plan *plan, const int64_t *at) {
  size_t v = 0;
  while (v < plan->count && !tune_variant_plan_takes(plan, &plan->variants[v], at))
    ++v;
  return v;
}

static double find_shortest(const tune_size_form *forms, size_t count) {
  double shortest = 0;
  for (size_t i = 0; i < count; ++i)
    if (forms[i].seconds > 0 && (shortest == 0 || forms[i].seconds < shortest))
      shortest = forms[i].seconds;
  return shortest;
}

//===--------------------------------------------------------------------------===//
// Variants at their sizes, and those that may take their place
//===--------------------------------------------------------------------------===//

// The times of a variant's row and of its neighbours; where its sizes are open, beside code that is
// made for the size.
typedef struct variant_times {
  tune_size_form forms[TUNE_MOST_NEIGHBOURS + 2];
  size_t count; // itself, its neighbours, and the one by default
} variant_times;

static tune_status look_at(sizes_search *s, size_t variant, tune_neighbour *neighbours,
                           size_t neighbour_count, variant_times *out) {
  int64_t at[TUNE_MOST_SIZE_GROUPS];
  get_sizes(s, variant, at);
  set_sizes(s, at);
  out->forms[out->count++] = (tune_size_form){.called = name_of(s->plan, variant)};
  for (size_t n = 0; n < neighbour_count; ++n)
    out->forms[out->count++] = (tune_size_form){.called = name_of(s->plan, neighbours[n].variant)};
  if (!tune_variant_plan_is_fixed(s->plan, &s->plan->variants[variant]))
    out->forms[out->count++] = (tune_size_form){.called = s->plan->general, .by_default = true};
  TUNE_RETURN_IF_ERROR(
      tune_size_trials_run(&s->trials, s->sizes, out->forms, out->count, &s->rows->has_ended));
  for (size_t n = 0; n < neighbour_count; ++n)
    if (out->forms[0].seconds > 0)
      neighbours[n].ratio = out->forms[1 + n].seconds / out->forms[0].seconds;
  return TUNE_OK;
}

// The row of a variant as it was, whose size runs in the variant `name` now.
static tune_status add_variant_row(sizes_search *s, const tune_variant *variant,
                                   const variant_times *times, const char *name, double seconds) {
  int64_t at[TUNE_MOST_SIZE_GROUPS];
  tune_size_row *row;
  for (size_t g = 0; g < s->plan->group_count; ++g)
    at[g] = variant->sizes[g].at;
  TUNE_RETURN_IF_ERROR(add_row(s, at, variant->weight, &row));
  row->seconds = seconds;
  row->best = find_shortest(times->forms, times->count);
  row->variant = strdup(name);
  return row->variant ? TUNE_OK : tune_status_out_of_memory("looking at sizes");
}

static void erase_function(MlirOperation module, const char *name) {
  MlirOperation function = tune_ir_find_symbol(module, tune_ir_string(name));
  if (!mlirOperationIsNull(function))
    mlirOperationDestroy(function);
}

// Looks at all variants, notes their rows, and takes those out of the module that bring nothing.
typedef struct variant_looks {
  tune_neighbour neighbours[TUNE_MOST_VARIANTS][TUNE_MOST_NEIGHBOURS];
  size_t counts[TUNE_MOST_VARIANTS];
  variant_times times[TUNE_MOST_VARIANTS];
  tune_variant before[TUNE_MOST_VARIANTS]; // names are borrowed of `names`
  char *names[TUNE_MOST_VARIANTS + 1];
  size_t into[TUNE_MOST_VARIANTS];
} variant_looks;

static tune_status look_at_all(sizes_search *s, variant_looks *looks) {
  for (size_t v = 0; v <= s->plan->count; ++v) {
    looks->names[v] = strdup(name_of(s->plan, v));
    if (!looks->names[v])
      return tune_status_out_of_memory("looking at sizes");
  }
  for (size_t v = 0; v < s->plan->count; ++v) {
    looks->before[v] = s->plan->variants[v];
    looks->counts[v] = tune_variant_find_neighbours(s->plan, v, looks->neighbours[v]);
    if (!s->rows->has_ended)
      TUNE_RETURN_IF_ERROR(look_at(s, v, looks->neighbours[v], looks->counts[v], &looks->times[v]));
  }
  return TUNE_OK;
}

static double seconds_in(const variant_looks *looks, size_t variant) {
  if (looks->into[variant] == variant)
    return looks->times[variant].forms[0].seconds;
  for (size_t n = 0; n < looks->counts[variant]; ++n)
    if (looks->neighbours[variant][n].variant == looks->into[variant])
      return looks->times[variant].forms[1 + n].seconds;
  return 0;
}

// Where code for any size of a range is slower than code for the one that it is measured at, even
// by default, that has a variant of its own. `*io_name` and `*io_seconds` are what runs it.
static tune_status add_fixed(sizes_search *s, MlirOperation function, const variant_looks *looks,
                             size_t variant, const char **io_name, double *io_seconds) {
  const variant_times *times = &looks->times[variant];
  if (!times->count)
    return TUNE_OK;
  const tune_size_form *fixed = &times->forms[times->count - 1];
  if (!fixed->by_default || !(fixed->seconds > 0) || !(*io_seconds > 0) ||
      *io_seconds <= TUNE_NEAR_ENOUGH * fixed->seconds || s->plan->count >= TUNE_MOST_VARIANTS)
    return TUNE_OK;
  MlirOperation module = mlirModuleGetOperation(s->trials.module);
  tune_status status = tune_variants_add(module, function, s->plan, &looks->before[variant]);
  // What cannot be made stays as it is.
  if (tune_status_get_code(status) == TUNE_INVALID_ARGUMENT) {
    tune_status_free(status);
    return TUNE_OK;
  }
  TUNE_RETURN_IF_ERROR(status);
  int64_t at[TUNE_MOST_SIZE_GROUPS];
  for (size_t g = 0; g < s->plan->group_count; ++g)
    at[g] = looks->before[variant].sizes[g].at;
  ++s->rows->added;
  *io_name = name_of(s->plan, find_variant(s->plan, at));
  *io_seconds = fixed->seconds;
  return TUNE_OK;
}

static tune_status merge(sizes_search *s, variant_looks *looks) {
  size_t before = s->plan->count;
  MlirOperation module = mlirModuleGetOperation(s->trials.module), function;
  TUNE_RETURN_IF_ERROR(tune_ir_find_function(module, s->trials.options->function, &function));
  tune_variant_merge(s->plan, looks->neighbours, looks->counts, looks->into);
  s->rows->merged = before - s->plan->count;
  if (s->rows->merged)
    TUNE_RETURN_IF_ERROR(tune_variants_write_dispatch(module, function, s->plan));
  for (size_t v = 0; v < before; ++v)
    if (looks->into[v] != v)
      erase_function(module, looks->names[v]);
  for (size_t v = 0; v < before; ++v) {
    const char *name = looks->names[looks->into[v]];
    double seconds = seconds_in(looks, v);
    TUNE_RETURN_IF_ERROR(add_fixed(s, function, looks, v, &name, &seconds));
    if (looks->times[v].count)
      TUNE_RETURN_IF_ERROR(add_variant_row(s, &looks->before[v], &looks->times[v], name, seconds));
  }
  s->rows->variants = s->plan->count;
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Between
//===--------------------------------------------------------------------------===//

// What runs there, beside code that is made for the size.
static tune_status look_between(sizes_search *s, const int64_t *at) {
  tune_size_row *row;
  const char *name = name_of(s->plan, find_variant(s->plan, at));
  tune_size_form forms[] = {{.called = name, .takes_what_fits = true},
                            {.called = s->plan->general, .by_default = true}};
  set_sizes(s, at);
  TUNE_RETURN_IF_ERROR(tune_size_trials_run(&s->trials, s->sizes, forms, 2, &s->rows->has_ended));
  TUNE_RETURN_IF_ERROR(add_row(s, at, 0, &row));
  row->seconds = forms[0].seconds;
  row->best = find_shortest(forms, 2);
  row->variant = strdup(name);
  return row->variant ? TUNE_OK : tune_status_out_of_memory("looking at sizes");
}

// Of each range the sizes half-way, by ratio, between those that it was tuned at. Other groups have
// the sizes of their heaviest variant. Where a size of its own lies there, its row tells of it.
static tune_status look_between_all(sizes_search *s, const variant_looks *looks, size_t count) {
  size_t heaviest = 0;
  for (size_t v = 1; v < count; ++v)
    if (looks->before[v].weight > looks->before[heaviest].weight)
      heaviest = v;
  for (size_t a = 0; a < count; ++a)
    for (size_t g = 0; g < s->plan->group_count; ++g) {
      const tune_variant_sizes *low = &looks->before[a].sizes[g];
      int64_t at[TUNE_MOST_SIZE_GROUPS];
      for (size_t k = 0; k < s->plan->group_count; ++k)
        at[k] = looks->before[heaviest].sizes[k].at;
      for (size_t b = 0; b < count && !s->rows->has_ended; ++b) {
        const tune_variant_sizes *high = &looks->before[b].sizes[g];
        bool is_in_line = true;
        for (size_t k = 0; k < s->plan->group_count; ++k)
          is_in_line &= k == g || (looks->before[a].sizes[k].at == at[k] &&
                                   looks->before[b].sizes[k].at == at[k]);
        at[g] = llround(sqrt((double)low->at * (double)high->at));
        if (low->is_fixed || high->is_fixed || low->last + 1 != high->first || !is_in_line ||
            at[g] == low->at || at[g] == high->at || has_row(s, at))
          continue;
        TUNE_RETURN_IF_ERROR(look_between(s, at));
      }
    }
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

static int compare_rows(const void *a, const void *b) {
  const tune_size_row *left = a, *right = b;
  for (size_t g = 0; g < TUNE_MOST_SIZE_GROUPS; ++g)
    if (left->order[g] != right->order[g])
      return left->order[g] < right->order[g] ? -1 : 1;
  return 0;
}

static double find_slowdown(const tune_size_rows *rows) {
  double weights = 0, sum = 0;
  for (size_t i = 0; i < rows->count; ++i) {
    const tune_size_row *row = &rows->rows[i];
    if (!(row->weight > 0))
      continue;
    if (!(row->seconds > 0) || !(row->best > 0))
      return 0;
    sum += row->weight * row->seconds / row->best;
    weights += row->weight;
  }
  return weights > 0 ? sum / weights : 0;
}

static tune_status run(sizes_search *s, variant_looks *looks) {
  size_t count = s->plan->count;
  tune_status status = look_at_all(s, looks);
  if (tune_status_is_ok(status))
    status = merge(s, looks);
  if (tune_status_is_ok(status))
    status = look_between_all(s, looks, count);
  if (s->rows->count)
    qsort(s->rows->rows, s->rows->count, sizeof *s->rows->rows, compare_rows);
  s->rows->slowdown = find_slowdown(s->rows);
  return status;
}

tune_status tune_search_sizes_run(MlirModule module, const tune_search_options *options,
                                  double deadline, tune_variant_plan *plan,
                                  tune_size_rows *out_rows) {
  *out_rows = (tune_size_rows){.variants = plan->count};
  tune_target_facts *facts;
  TUNE_RETURN_IF_ERROR(tune_module_tasks_get_facts(&options->tasks, &facts));
  sizes_search s = {.trials = {.module = module,
                               .plan = plan,
                               .options = options,
                               .facts = facts,
                               .deadline = deadline},
                    .plan = plan,
                    .rows = out_rows,
                    .sizes = calloc(plan->open_count + 1, sizeof *s.sizes)};
  variant_looks *looks = calloc(1, sizeof *looks);
  tune_status status =
      looks && s.sizes ? run(&s, looks) : tune_status_out_of_memory("looking at sizes");
  for (size_t v = 0; looks && v <= TUNE_MOST_VARIANTS; ++v)
    free(looks->names[v]);
  free(looks);
  free(s.sizes);
  tune_target_facts_destroy(facts);
  return status;
}
