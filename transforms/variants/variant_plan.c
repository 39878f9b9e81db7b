//===- variant_plan.c ---------------------------------------------------------===//

#include "transforms/variants/variant_plan.h"

#include "dialects/argument_sizes.h"
#include "dialects/diagnostic.h"
#include "transforms/ir/ir.h"
#include "transforms/variants/representatives.h"

#include <stdio.h>
#include <stdlib.h>

//===--------------------------------------------------------------------------===//
// Groups
//===--------------------------------------------------------------------------===//

static MlirType function_type(MlirOperation function) {
  return mlirTypeAttrGetValue(tune_ir_attribute(function, "function_type"));
}

static bool is_open(MlirType type, intptr_t dimension) {
  return (mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type)) &&
         dimension < mlirShapedTypeGetRank(type) && mlirShapedTypeIsDynamicDim(type, dimension);
}

static intptr_t get_rank(MlirType type) {
  return mlirTypeIsARankedTensor(type) || mlirTypeIsAMemRef(type) ? mlirShapedTypeGetRank(type) : 0;
}

bool tune_variant_plan_is_wanted(MlirOperation function) {
  MlirType type = function_type(function);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i)
    for (intptr_t d = 0; d < get_rank(mlirFunctionTypeGetInput(type, i)); ++d)
      if (tune_argument_get_dim(function, i, d).data)
        return true;
  return false;
}

// The group `name`, which is made where there is none.
static tune_status find_group(tune_variant_plan *plan, MlirOperation function, const char *name,
                              size_t *out_group) {
  size_t i = 0;
  while (i < plan->group_count && strcmp(plan->names[i], name) != 0)
    ++i;
  *out_group = i;
  if (i < plan->group_count)
    return TUNE_OK;
  if (i == TUNE_MOST_SIZE_GROUPS)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               TUNE_DIM_ATTRIBUTE ": sizes with more than %d different names",
                               TUNE_MOST_SIZE_GROUPS);
  plan->names[i] = strdup(name);
  plan->group_count += plan->names[i] != NULL;
  return plan->names[i] ? TUNE_OK : tune_status_out_of_memory("planning variants");
}

// What is said of a group, once.
static tune_status set_spec(tune_variant_plan *plan, MlirOperation function, size_t group,
                            const char *text) {
  tune_size_spec spec;
  tune_status status = tune_size_spec_parse(text, &spec);
  if (!tune_status_is_ok(status))
    return tune_status_locate(status, tune_location_get(function));
  tune_size_spec *own = &plan->specs[group];
  if (own->count && memcmp(own, &spec, sizeof spec) != 0)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               TUNE_DIM_ATTRIBUTE ": sizes of the same name are equal, and of '%s' "
                                                  "different ones are said; say them once, and "
                                                  "the name alone elsewhere",
                               plan->names[group]);
  *own = spec;
  return TUNE_OK;
}

static bool is_name(const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if (!((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
          text[i] == '_' || (i > 0 && text[i] >= '0' && text[i] <= '9')))
      return false;
  return length > 0;
}

// "name=spec", "spec" or "name".
static tune_status read_dim(tune_variant_plan *plan, MlirOperation function, MlirStringRef said,
                            size_t *out_group) {
  enum { LONGEST = 512 };
  char text[LONGEST];
  if (said.length >= sizeof text)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               TUNE_DIM_ATTRIBUTE ": more than %d letters about one dimension",
                               LONGEST - 1);
  snprintf(text, sizeof text, "%.*s", (int)said.length, said.data);
  char *equals = strchr(text, '=');
  size_t name_length = equals ? (size_t)(equals - text) : strlen(text);
  bool has_name = is_name(text, name_length);
  if (equals && !has_name)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               TUNE_DIM_ATTRIBUTE ": '%s': expected a name before '=', as in "
                                                  "tokens=1:0.5,64,128-512",
                               text);
  const char *spec = equals ? equals + 1 : has_name ? NULL : text;
  if (has_name)
    text[name_length] = 0;
  TUNE_RETURN_IF_ERROR(find_group(plan, function, has_name ? text : "", out_group));
  return spec ? set_spec(plan, function, *out_group, spec) : TUNE_OK;
}

static tune_status add_open(tune_variant_plan *plan, MlirOperation function, tune_open_size size,
                            const char *text) {
  MlirStringRef said = tune_argument_get_dim(function, size.argument, size.dimension);
  size.group = TUNE_SIZE_GROUP_NONE;
  if (said.data) {
    TUNE_RETURN_IF_ERROR(tune_status_annotate(read_dim(plan, function, said, &size.group),
                                              TUNE_DIM_ATTRIBUTE " of argument %zd, dimension %zd",
                                              size.argument, size.dimension));
  } else if (text) {
    TUNE_RETURN_IF_ERROR(find_group(plan, function, "", &size.group));
    TUNE_RETURN_IF_ERROR(set_spec(plan, function, size.group, text));
  }
  tune_open_size *grown = realloc(plan->open, (plan->open_count + 1) * sizeof *grown);
  if (!grown)
    return tune_status_out_of_memory("planning variants");
  plan->open = grown;
  plan->open[plan->open_count++] = size;
  return TUNE_OK;
}

static tune_status find_groups(tune_variant_plan *plan, MlirOperation function, const char *text) {
  MlirType type = function_type(function);
  for (intptr_t i = 0; i < mlirFunctionTypeGetNumInputs(type); ++i) {
    MlirType input = mlirFunctionTypeGetInput(type, i);
    for (intptr_t d = 0; d < get_rank(input); ++d)
      if (is_open(input, d))
        TUNE_RETURN_IF_ERROR(
            add_open(plan, function, (tune_open_size){.argument = i, .dimension = d}, text));
  }
  for (size_t g = 0; g < plan->group_count; ++g)
    if (!plan->specs[g].count)
      return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                                 TUNE_DIM_ATTRIBUTE
                                 ": of '%s' no sizes are said; one of its dimensions says them, as "
                                 "%s=1:0.5,64,128-512",
                                 plan->names[g], plan->names[g]);
  if (text && !plan->group_count)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, function,
                               "dynamic=%s: no argument of the function leaves a size open (?) of "
                               "which this would be said",
                               text);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Variants
//===--------------------------------------------------------------------------===//

// The sizes of a group that variants are made at, by item of its text.
typedef struct group_points {
  tune_representatives all[TUNE_MOST_SIZES]; // that there would be
  tune_representatives of[TUNE_MOST_SIZES];  // what is left of these
  size_t count;                              // of all items
} group_points;

static void count_points(const tune_size_spec *spec, group_points *points) {
  points->count = 0;
  for (size_t i = 0; i < spec->count; ++i)
    points->count += points->of[i].count;
}

static size_t count_variants(const group_points *points, size_t groups) {
  size_t count = 1;
  for (size_t g = 0; g < groups; ++g)
    count *= points[g].count;
  return count;
}

// Takes one size of the range with the most that stand for it; false: none has two.
static bool thin_longest(const tune_variant_plan *plan, group_points *points) {
  group_points *longest = NULL;
  size_t item = 0, count = 1;
  for (size_t g = 0; g < plan->group_count; ++g)
    for (size_t i = 0; i < plan->specs[g].count; ++i)
      if (points[g].of[i].count > count) {
        longest = &points[g];
        item = i;
        count = points[g].of[i].count;
      }
  if (!longest)
    return false;
  longest->of[item] = tune_representatives_thin(&longest->all[item], count - 1);
  --longest->count;
  return true;
}

static bool is_single(const tune_size_item *item) { return item->first == item->last; }

// Takes from a range the sizes that have a variant of their own, but for its last one.
static void drop_singles(const tune_size_spec *spec, tune_representatives *of) {
  for (size_t i = 0; i < spec->count; ++i)
    for (size_t k = 0; is_single(&spec->items[i]) && k < of->count && of->count > 1; ++k)
      if (of->sizes[k] == spec->items[i].first) {
        memmove(&of->sizes[k], &of->sizes[k + 1], (of->count - k - 1) * sizeof *of->sizes);
        --of->count;
      }
}

static tune_representatives find_representatives(const tune_size_spec *spec, size_t item) {
  tune_representatives found = tune_representatives_of(&spec->items[item]);
  if (!is_single(&spec->items[item]))
    drop_singles(spec, &found);
  return found;
}

// Ranges get fewer sizes until all variants are few enough.
static tune_status find_points(const tune_variant_plan *plan, MlirOperation function,
                               group_points *points) {
  for (size_t g = 0; g < plan->group_count; ++g) {
    for (size_t i = 0; i < plan->specs[g].count; ++i)
      points[g].of[i] = points[g].all[i] = find_representatives(&plan->specs[g], i);
    count_points(&plan->specs[g], &points[g]);
  }
  while (count_variants(points, plan->group_count) > TUNE_MOST_VARIANTS)
    if (!thin_longest(plan, points))
      return tune_status_make_at(
          TUNE_INVALID_ARGUMENT, function,
          "there would be %zu variants of the function, and %d are the most%s",
          count_variants(points, plan->group_count), TUNE_MOST_VARIANTS,
          plan->group_count > 1 ? ": all combinations of sizes with different names; name fewer "
                                  "sizes"
                                : "; a range such as 128-512 stands for many sizes");
  return TUNE_OK;
}

// What point `index` of a group is; the product of weights over groups is that of a variant.
static tune_variant_sizes get_point(const tune_size_spec *spec, const group_points *points,
                                    size_t index, double *weight) {
  size_t item = 0;
  while (index >= points->of[item].count)
    index -= points->of[item++].count;
  tune_variant_sizes sizes = {.at = points->of[item].sizes[index],
                              .is_fixed = is_single(&spec->items[item])};
  tune_representatives_get_around(&points->of[item], &spec->items[item], index, &sizes.first,
                                  &sizes.last);
  *weight *= spec->items[item].weight / (double)points->of[item].count;
  return sizes;
}

static int count_open(const tune_variant *variant) {
  int count = 0;
  for (size_t g = 0; g < TUNE_MOST_SIZE_GROUPS; ++g)
    count += variant->sizes[g].at && !variant->sizes[g].is_fixed;
  return count;
}

// A single size may be one of a range: it comes first.
static int compare_variants(const void *a, const void *b) {
  const tune_variant *left = a, *right = b;
  if (count_open(left) != count_open(right))
    return count_open(left) - count_open(right);
  for (size_t g = 0; g < TUNE_MOST_SIZE_GROUPS; ++g)
    if (left->sizes[g].at != right->sizes[g].at)
      return left->sizes[g].at < right->sizes[g].at ? -1 : 1;
  return 0;
}

static tune_status make_variants(tune_variant_plan *plan, const group_points *points) {
  size_t count = count_variants(points, plan->group_count);
  plan->variants = calloc(count, sizeof *plan->variants);
  if (!plan->variants)
    return tune_status_out_of_memory("planning variants");
  plan->count = count;
  for (size_t v = 0; v < count; ++v) {
    size_t rest = v;
    plan->variants[v].weight = 1;
    for (size_t g = 0; g < plan->group_count; ++g) {
      plan->variants[v].sizes[g] =
          get_point(&plan->specs[g], &points[g], rest % points[g].count, &plan->variants[v].weight);
      rest /= points[g].count;
    }
  }
  qsort(plan->variants, count, sizeof *plan->variants, compare_variants);
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

tune_status tune_variant_plan_init(tune_variant_plan *plan, MlirOperation function,
                                   const char *text) {
  *plan = (tune_variant_plan){.group_count = 0};
  group_points *points = calloc(TUNE_MOST_SIZE_GROUPS, sizeof *points);
  tune_status status =
      points ? find_groups(plan, function, text) : tune_status_out_of_memory("planning variants");
  if (tune_status_is_ok(status) && plan->group_count) {
    status = find_points(plan, function, points);
    if (tune_status_is_ok(status))
      status = make_variants(plan, points);
  }
  free(points);
  if (!tune_status_is_ok(status))
    tune_variant_plan_deinit(plan);
  return status;
}

void tune_variant_plan_deinit(tune_variant_plan *plan) {
  for (size_t i = 0; i < plan->group_count; ++i)
    free(plan->names[i]);
  for (size_t i = 0; i < plan->count; ++i)
    free(plan->variants[i].function);
  free(plan->open);
  free(plan->variants);
  free(plan->general);
  *plan = (tune_variant_plan){.group_count = 0};
}

tune_status tune_variant_plan_add(tune_variant_plan *plan, const tune_variant *variant) {
  tune_variant *grown = realloc(plan->variants, (plan->count + 1) * sizeof *grown);
  if (!grown) {
    free(variant->function);
    return tune_status_out_of_memory("planning variants");
  }
  plan->variants = grown;
  plan->variants[plan->count++] = *variant;
  qsort(plan->variants, plan->count, sizeof *plan->variants, compare_variants);
  return TUNE_OK;
}

int64_t tune_variant_plan_size_at(const tune_variant_plan *plan, const tune_variant *variant,
                                  size_t open) {
  size_t group = plan->open[open].group;
  return group == TUNE_SIZE_GROUP_NONE ? 0 : variant->sizes[group].at;
}

bool tune_variant_plan_is_fixed(const tune_variant_plan *plan, const tune_variant *variant) {
  for (size_t g = 0; g < plan->group_count; ++g)
    if (!variant->sizes[g].is_fixed)
      return false;
  return true;
}

bool tune_variant_plan_takes(const tune_variant_plan *plan, const tune_variant *variant,
                             const int64_t *at) {
  for (size_t g = 0; g < plan->group_count; ++g)
    if (at[g] < variant->sizes[g].first || at[g] > variant->sizes[g].last)
      return false;
  return true;
}

void tune_variant_plan_describe(const tune_variant_plan *plan, const tune_variant *variant,
                                char out_text[TUNE_VARIANT_TEXT]) {
  size_t length = 0;
  out_text[0] = 0;
  for (size_t g = 0; g < plan->group_count && length < TUNE_VARIANT_TEXT; ++g) {
    const tune_variant_sizes *sizes = &variant->sizes[g];
    const char *name = plan->names[g];
    int written =
        snprintf(out_text + length, TUNE_VARIANT_TEXT - length, "%s%s%s%lld%s", g ? " " : "", name,
                 *name ? "=" : "", (long long)sizes->first, sizes->first < sizes->last ? "-" : "");
    length += written > 0 ? (size_t)written : 0;
    if (sizes->first < sizes->last && length < TUNE_VARIANT_TEXT) {
      written =
          snprintf(out_text + length, TUNE_VARIANT_TEXT - length, "%lld", (long long)sizes->last);
      length += written > 0 ? (size_t)written : 0;
    }
  }
}
