//===- schedule.c - A transform script and the space read off it -------------===//

#include "transforms/schedule/schedule.h"

#include "dialects/diagnostic.h"
#include "dialects/domain.h"
#include "transforms/ir/ir.h"
#include "transforms/schedule/schedule_constraints.h"
#include "transforms/schedule/schedule_passes.h"
#include "transforms/schedule/schedule_result.h"

#include <stdio.h>
#include <stdlib.h>

#define ENTRY_SEQUENCE "__transform_main"

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

static tune_status read_knob(MlirOperation op, tune_space *space) {
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

static tune_status read_alternatives(MlirOperation op, tune_space *space) {
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

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

// Where a knob does something: in alternatives, wherever it appears in some.
typedef struct knob_places {
  tune_string_builder text; // "'pack' == 1 || 'pack' == 2 && 'loops' == 0"
  bool is_anywhere;         // it appears outside of alternatives, too
} knob_places;

typedef struct space_reader {
  tune_space *space;
  bool constraints; // the second walk: a constraint may stand before the last knob it reads
  knob_places *places;
  tune_status status;
} space_reader;

static tune_status read_place(MlirOperation op, const tune_space *space, knob_places *all) {
  size_t knob = tune_schedule_find_knob(space, op), depth = 0;
  if (knob == SIZE_MAX)
    return TUNE_OK;
  knob_places *places = &all[knob];
  tune_string_builder condition;
  tune_string_builder_init(&condition);
  tune_status status = tune_schedule_write_condition(&condition, op, &depth);
  // A region that is chosen by what is known late may be any one.
  if (tune_status_get_code(status) == TUNE_INVALID_ARGUMENT) {
    tune_status_free(status);
    status = TUNE_OK;
    depth = 0;
  }
  if (depth == 0)
    places->is_anywhere = true;
  else if (!condition.failed)
    tune_string_builder_appendf(&places->text, "%s%s", places->text.length ? " || " : "",
                                condition.text);
  bool failed = condition.failed || places->text.failed;
  tune_string_builder_deinit(&condition);
  return !tune_status_is_ok(status) ? status
         : failed                   ? tune_status_out_of_memory("reading where a knob is")
                                    : TUNE_OK;
}

static MlirWalkResult read_op(MlirOperation op, void *user_data) {
  space_reader *reader = user_data;
  if (reader->constraints) {
    if (tune_ir_is(op, "transform.smt.constrain_params"))
      reader->status = tune_schedule_read_constraints(op, reader->space);
    else if (tune_ir_is(op, "transform.tune.knob") ||
             (tune_ir_is(op, "transform.tune.alternatives") &&
              mlirOperationGetNumOperands(op) == 0))
      reader->status = read_place(op, reader->space, reader->places);
  } else if (tune_ir_is(op, "transform.tune.knob")) {
    reader->status = read_knob(op, reader->space);
  } else if (tune_ir_is(op, "transform.tune.alternatives")) {
    reader->status = read_alternatives(op, reader->space);
  }
  return tune_status_is_ok(reader->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

static tune_status add_conditions(const knob_places *places, tune_space *space) {
  for (size_t i = 0; i < tune_space_knob_count(space); ++i)
    if (!places[i].is_anywhere && places[i].text.length &&
        tune_space_knob(space, i)->value_count > 1)
      TUNE_RETURN_IF_ERROR(tune_space_add_condition(space, i, places[i].text.text));
  return TUNE_OK;
}

static tune_status read_constraints(MlirOperation module, space_reader *reader) {
  size_t count = tune_space_knob_count(reader->space);
  reader->constraints = true;
  reader->places = calloc(count + 1, sizeof *reader->places);
  if (!reader->places)
    return tune_status_out_of_memory("reading a schedule");
  for (size_t i = 0; i < count; ++i)
    tune_string_builder_init(&reader->places[i].text);
  mlirOperationWalk(module, read_op, reader, MlirWalkPreOrder);
  tune_status status = reader->status;
  if (tune_status_is_ok(status))
    status = add_conditions(reader->places, reader->space);
  for (size_t i = 0; i < count; ++i)
    tune_string_builder_deinit(&reader->places[i].text);
  free(reader->places);
  return status;
}

static tune_status read_space(MlirOperation module, tune_space **out_space) {
  *out_space = NULL;
  space_reader reader = {0};
  TUNE_RETURN_IF_ERROR(tune_space_create(&reader.space));
  mlirOperationWalk(module, read_op, &reader, MlirWalkPreOrder);
  if (tune_status_is_ok(reader.status))
    reader.status = read_constraints(module, &reader);
  if (!tune_status_is_ok(reader.status)) {
    tune_space_destroy(reader.space);
    return reader.status;
  }
  *out_space = reader.space;
  return TUNE_OK;
}

static tune_status parse_module(MlirContext context, const char *text, const char *source,
                                MlirOperation *out_module) {
  TUNE_RETURN_IF_ERROR(tune_ir_parse(context, text, source, out_module));
  MlirOperation entry = tune_ir_find_symbol(*out_module, tune_ir_string(ENTRY_SEQUENCE));
  if (!tune_ir_is(entry, "transform.named_sequence"))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, *out_module,
                               "the schedule %s has no transform.named_sequence @" ENTRY_SEQUENCE,
                               source);
  return TUNE_OK;
}

tune_status tune_schedule_parse(MlirContext context, const char *text, const char *source,
                                const char *allowed_passes, tune_schedule **out_schedule) {
  *out_schedule = NULL;
  tune_schedule *schedule = calloc(1, sizeof *schedule);
  if (!schedule)
    return tune_status_out_of_memory("parsing the schedule");
  tune_status status = parse_module(context, text, source, &schedule->module);
  if (tune_status_is_ok(status))
    status = tune_schedule_check_passes(schedule->module, allowed_passes);
  if (tune_status_is_ok(status))
    status = tune_schedule_check_annotations(schedule->module);
  if (tune_status_is_ok(status))
    status = read_space(schedule->module, &schedule->space);
  if (!tune_status_is_ok(status)) {
    tune_schedule_destroy(schedule);
    return status;
  }
  *out_schedule = schedule;
  return TUNE_OK;
}

void tune_schedule_destroy(tune_schedule *schedule) {
  if (!schedule)
    return;
  if (!mlirOperationIsNull(schedule->module))
    mlirOperationDestroy(schedule->module);
  tune_space_destroy(schedule->space);
  free(schedule);
}

tune_status tune_schedule_require_knobs(const tune_schedule *schedule) {
  if (tune_space_knob_count(schedule->space) > 0)
    return TUNE_OK;
  return tune_status_make_at(TUNE_FAILED_PRECONDITION, schedule->module,
                             "the schedule has no knob: nothing in it is left open, so there is "
                             "nothing to search; write transform.tune.knob or "
                             "transform.tune.alternatives where a decision is to be made");
}
