//===- schedule_knobs.c -------------------------------------------------------===//

#include "transforms/schedule/schedule_knobs.h"

#include "dialects/diagnostic.h"
#include "dialects/domain.h"
#include "transforms/ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===--------------------------------------------------------------------------===//
// One knob
//===--------------------------------------------------------------------------===//

static tune_level level_of_kind(tune_choice_kind kind) {
  switch (kind) {
  case TUNE_CHOICE_FUSE:
    return TUNE_LEVEL_GRAPH;
  case TUNE_CHOICE_VECTORIZE:
    return TUNE_LEVEL_VECTOR;
  case TUNE_CHOICE_UNROLL:
    return TUNE_LEVEL_LOOP;
  default:
    return TUNE_LEVEL_LINALG;
  }
}

static tune_status read_level(MlirOperation op, tune_level *level) {
  MlirAttribute attribute = tune_ir_attribute(op, "tune.level");
  if (mlirAttributeIsNull(attribute))
    return TUNE_OK;
  if (!mlirAttributeIsAString(attribute))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op, "tune.level: expected a string");
  MlirStringRef text = mlirStringAttrGetValue(attribute);
  char name[32];
  snprintf(name, sizeof name, "%.*s", (int)text.length, text.data);
  tune_status status = tune_level_parse(name, level);
  return tune_status_locate(tune_status_annotate(status, "tune.level"),
                            mlirOperationGetLocation(op));
}

// The position in `domain` of what tune.default or `selected` says.
static tune_status find_value(MlirOperation op, MlirAttribute value, const char *what,
                              const tune_domain *domain, size_t *out_index) {
  tune_chosen chosen = {0};
  tune_status status = tune_chosen_read(value, &chosen);
  if (tune_status_is_ok(status))
    status = tune_domain_find(domain, &chosen, out_index);
  tune_chosen_deinit(&chosen);
  return tune_status_locate(tune_status_annotate(status, "%s", what), mlirOperationGetLocation(op));
}

static bool is_ascending(const tune_domain *domain) {
  for (size_t i = 1; i < domain->count; ++i)
    if (domain->values[i - 1] >= domain->values[i])
      return false;
  return true;
}

static int compare_values(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static bool same_domain(const tune_knob *a, const tune_knob *b) {
  if (a->value_count != b->value_count || !a->labels != !b->labels)
    return false;
  for (size_t i = 0; i < a->value_count; ++i)
    if (a->values[i] != b->values[i] || (a->labels && strcmp(a->labels[i], b->labels[i]) != 0))
      return false;
  return true;
}

// Adds the knob `name` of `op` with `domain`, whose entry `first` is the default where tune.default
// says nothing.
static tune_status add_knob(MlirOperation op, MlirStringRef name, tune_domain *domain,
                            tune_level level, size_t first, tune_space *space) {
  tune_knob knob = {.level = level,
                    .value_count = domain->count,
                    .values = domain->values,
                    .labels = domain->labels,
                    .default_index = first};
  MlirAttribute wanted = tune_ir_attribute(op, "tune.default");
  if (!mlirAttributeIsNull(wanted))
    TUNE_RETURN_IF_ERROR(find_value(op, wanted, "tune.default", domain, &knob.default_index));
  TUNE_RETURN_IF_ERROR(read_level(op, &knob.level));

  knob.is_ordered = domain->kind == TUNE_CHOICE_PLAIN ? is_ascending(domain)
                                                      : tune_choice_kind_is_ordered(domain->kind);
  knob.is_ordered = knob.is_ordered && !domain->labels;
  if (knob.is_ordered && !is_ascending(domain)) {
    int64_t value = domain->values[knob.default_index];
    qsort(domain->values, domain->count, sizeof *domain->values, compare_values);
    for (size_t i = 0; i < domain->count; ++i)
      if (domain->values[i] == value)
        knob.default_index = i;
  }

  // An empty string of MLIR has no bytes to point at.
  if (name.length == 0 || memchr(name.data, '\0', name.length))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                               "the name of the knob is empty or has a zero byte in it");
  knob.name = strndup(name.data, name.length);
  if (!knob.name)
    return tune_status_out_of_memory("reading a knob");
  size_t known = tune_space_find_knob(space, knob.name);
  tune_status status = TUNE_OK;
  if (known == SIZE_MAX)
    status = tune_status_locate(tune_space_add_knob(space, &knob), mlirOperationGetLocation(op));
  else if (!same_domain(tune_space_knob(space, known), &knob))
    status = tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 "the knob \"%s\" appears before with another domain", knob.name);
  free(knob.name);
  return status;
}

tune_status tune_schedule_read_knob(MlirOperation op, tune_space *space) {
  MlirAttribute options = tune_ir_attribute(op, "options");
  MlirAttribute selected = tune_ir_attribute(op, "selected");
  tune_domain domain = {0};
  tune_status status = tune_domain_is_attribute(options)
                           ? tune_domain_read(options, &domain)
                           : tune_domain_read_array(options, TUNE_CHOICE_PLAIN, &domain);
  status =
      tune_status_locate(tune_status_annotate(status, "options"), mlirOperationGetLocation(op));
  size_t first = 0;
  if (tune_status_is_ok(status) && !mlirAttributeIsNull(selected)) {
    status = find_value(op, selected, "selected", &domain, &first);
    if (tune_status_is_ok(status)) {
      // Pinned: one value is left. Labels keep their numbers, which configs are written with.
      int64_t value = domain.values[first];
      domain.values[0] = value;
      if (domain.labels) {
        char *label = domain.labels[first];
        domain.labels[first] = domain.labels[0];
        domain.labels[0] = label;
      }
      tune_domain pinned = domain;
      pinned.count = 1;
      status = add_knob(op, tune_ir_string_attribute(op, "name"), &pinned,
                        level_of_kind(domain.kind), 0, space);
    }
  } else if (tune_status_is_ok(status)) {
    status = add_knob(op, tune_ir_string_attribute(op, "name"), &domain, level_of_kind(domain.kind),
                      first, space);
  }
  tune_domain_deinit(&domain);
  return status;
}

//===--------------------------------------------------------------------------===//
// Alternatives
//===--------------------------------------------------------------------------===//

static tune_status read_region_labels(MlirOperation op, size_t count, tune_domain *domain) {
  MlirAttribute labels = tune_ir_attribute(op, "tune.labels");
  if (mlirAttributeIsNull(labels))
    return TUNE_OK;
  tune_domain words = {0};
  tune_status status = tune_domain_read_array(labels, TUNE_CHOICE_ALTERNATIVE, &words);
  if (tune_status_is_ok(status) && words.count != count)
    status =
        tune_status_make(TUNE_INVALID_ARGUMENT, "%zu labels for %zu regions", words.count, count);
  if (tune_status_is_ok(status)) {
    domain->labels = words.labels;
    words.labels = NULL;
  }
  tune_domain_deinit(&words);
  return tune_status_locate(tune_status_annotate(status, "tune.labels"),
                            mlirOperationGetLocation(op));
}

tune_status tune_schedule_read_alternatives(MlirOperation op, tune_space *space) {
  if (mlirOperationGetNumOperands(op) > 0)
    return TUNE_OK; // the region is chosen by a param, which is a knob or follows from some
  size_t count = (size_t)mlirOperationGetNumRegions(op);
  if (count == 0)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, op, "alternatives without a region");
  tune_domain domain = {.kind = TUNE_CHOICE_ALTERNATIVE, .count = count};
  domain.values = calloc(count, sizeof *domain.values);
  if (!domain.values)
    return tune_status_out_of_memory("reading alternatives");
  for (size_t i = 0; i < count; ++i)
    domain.values[i] = (int64_t)i;
  tune_status status = read_region_labels(op, count, &domain);
  MlirAttribute selected = tune_ir_attribute(op, "selected_region_attr");
  if (tune_status_is_ok(status) && !mlirAttributeIsNull(selected)) {
    int64_t region = mlirIntegerAttrGetValueSInt(selected);
    // Upstream's verifier has checked the range.
    domain.values[0] = region;
    if (domain.labels) {
      char *label = domain.labels[region];
      domain.labels[region] = domain.labels[0];
      domain.labels[0] = label;
    }
    tune_domain pinned = domain;
    pinned.count = 1;
    status =
        add_knob(op, tune_ir_string_attribute(op, "name"), &pinned, TUNE_LEVEL_LINALG, 0, space);
  } else if (tune_status_is_ok(status)) {
    MlirAttribute unsplit = tune_ir_attribute(op, TUNE_UNSPLIT_ATTRIBUTE);
    size_t unused;
    if (!mlirAttributeIsNull(unsplit))
      status = find_value(op, unsplit, TUNE_UNSPLIT_ATTRIBUTE, &domain, &unused);
    if (tune_status_is_ok(status))
      status =
          add_knob(op, tune_ir_string_attribute(op, "name"), &domain, TUNE_LEVEL_LINALG, 0, space);
  }
  tune_domain_deinit(&domain);
  return status;
}

size_t tune_schedule_find_knob(const tune_space *space, MlirOperation op) {
  MlirStringRef name = tune_ir_string_attribute(op, "name");
  for (size_t i = 0; i < tune_space_knob_count(space); ++i)
    if (tune_ir_string_equal(name, tune_space_knob(space, i)->name))
      return i;
  return SIZE_MAX;
}

intptr_t tune_schedule_region_of(MlirOperation op, MlirOperation inner) {
  while (!mlirOperationEqual(mlirOperationGetParentOperation(inner), op))
    inner = mlirOperationGetParentOperation(inner);
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(inner));
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); ++i)
    if (mlirRegionEqual(mlirOperationGetRegion(op, i), region))
      return i;
  return -1;
}
