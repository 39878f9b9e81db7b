//===- task_choices.c ---------------------------------------------------------===//

#include "transforms/spaces/task_choices.h"

#include "dialects/choices.h"
#include "dialects/diagnostic.h"
#include "transforms/spaces/grouping.h"
#include "tuning/space/conflict.h"
#include "tuning/space/constraint.h"
#include "tuning/space/narrowed.h"
#include "tuning/space/sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===--------------------------------------------------------------------------===//
// Messages
//===--------------------------------------------------------------------------===//

// "[16, 32, 64]": the values of `knob` that `allowed` has; NULL: all.
static void append_domain(tune_string_builder *text, const tune_knob *knob, const bool *allowed) {
  bool any = false;
  tune_string_builder_append(text, "[");
  for (size_t i = 0; i < knob->value_count; ++i) {
    if (allowed && !allowed[i])
      continue;
    tune_string_builder_append(text, any ? ", " : "");
    tune_knob_append_value(text, knob, i);
    any = true;
  }
  tune_string_builder_append(text, "]");
}

// Makes the error that `text` holds, at `op`, after the name of the attribute; empties `text`.
static tune_status refuse(tune_status_code code, MlirOperation op, tune_string_builder *text) {
  tune_status status =
      text->failed ? tune_status_out_of_memory("reading the choices of a task")
                   : tune_status_make_at(code, op, TUNE_CHOICES_ATTRIBUTE ": %s", text->text);
  tune_string_builder_deinit(text);
  return status;
}

static void append_origin(tune_string_builder *text, const tune_task_choices_source *source) {
  const tune_extracted_task *task = &source->anchors->extraction->tasks[source->task];
  tune_string_builder_appendf(
      text, "\nnote: the space of '%s' is from %s; `tune-opt --tune-print-space` shows it",
      task->name, source->origin);
}

// "mr * nr <= 384: why".
static void append_constraint(tune_string_builder *text, const tune_constraint *constraint,
                              const tune_space *space) {
  char *expression = NULL;
  tune_status status = tune_constraint_print(constraint, tune_space_knobs(space), &expression);
  text->failed |= !tune_status_is_ok(status);
  tune_status_free(status);
  const char *why = tune_constraint_why(constraint);
  tune_string_builder_appendf(text, "%s%s%s", expression ? expression : "", why ? ": " : "",
                              why ? why : "");
  free(expression);
}

static tune_status refuse_name(const tune_task_choices_source *source, MlirOperation op,
                               const char *name) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "no knob \"%s\"; ", name);
  const char *nearest = tune_space_nearest_knob(source->space, name);
  if (nearest)
    tune_string_builder_appendf(&text, "did you mean \"%s\"? The knobs are ", nearest);
  else
    tune_string_builder_append(&text, "the knobs are ");
  for (size_t i = 0; i < tune_space_knob_count(source->space); ++i)
    tune_string_builder_appendf(&text, "%s%s", i ? ", " : "",
                                tune_space_knob(source->space, i)->name);
  append_origin(&text, source);
  if (strncmp(source->origin, "rule ", strlen("rule ")) == 0)
    tune_string_builder_append(
        &text, ". What was chosen for another number of threads needs that number: threads=<n>; "
               "for another target that target: target=<name>, or a dictionary for each, as "
               "{cpu = {...}}; what was chosen for a schedule of "
               "your own that schedule: schedule=<file>");
  return refuse(TUNE_NOT_FOUND, op, &text);
}

// `value` is how the user wrote what is not in the domain of `knob`.
static tune_status refuse_value(const tune_task_choices_source *source, MlirOperation op,
                                const tune_knob *knob, const char *value) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_string_builder_appendf(&text, "knob \"%s\" has the value %s, not in its domain ", knob->name,
                              value);
  append_domain(&text, knob, NULL);
  append_origin(&text, source);
  return refuse(TUNE_INVALID_ARGUMENT, op, &text);
}

//===--------------------------------------------------------------------------===//
// What the choices allow
//===--------------------------------------------------------------------------===//

// Of one knob.
typedef struct allowance {
  bool *values;     // by index into the whole domain
  bool *next;       // room for those of the op that is being read
  MlirOperation by; // the last op that narrowed it, or null
} allowance;

typedef struct reading {
  const tune_task_choices_source *source;
  allowance *knobs;
  bool is_decided;
} reading;

// The position of what was written as `label`, or where that is NULL as `value`; SIZE_MAX where
// there is none. A knob without labels takes its numbers as words too.
static size_t find_value(const tune_knob *knob, const char *label, int64_t value) {
  if (!label)
    return tune_knob_find_value(knob, value);
  if (knob->labels) {
    for (size_t i = 0; i < knob->value_count; ++i)
      if (strcmp(knob->labels[i], label) == 0)
        return i;
    return SIZE_MAX;
  }
  char *end;
  long long number = strtoll(label, &end, 10);
  return *label && !*end ? tune_knob_find_value(knob, number) : SIZE_MAX;
}

// Notes in `next` the value written as `label` or `value`.
static tune_status allow(const reading *state, MlirOperation op, const tune_knob *knob, bool *next,
                         const char *label, int64_t value) {
  size_t index = find_value(knob, label, value);
  if (index == SIZE_MAX) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)value);
    return refuse_value(state->source, op, knob, label ? label : number);
  }
  next[index] = true;
  return TUNE_OK;
}

static bool counts(const tune_choice *choice, bool takes_all_chosen) {
  return choice->is_open || takes_all_chosen || strcmp(choice->chosen.provenance, "user") == 0;
}

static tune_status refuse_contradiction(const reading *state, MlirOperation op,
                                        const tune_knob *knob, const allowance *knob_allowance) {
  tune_string_builder text, place;
  tune_string_builder_init(&text);
  tune_string_builder_init(&place);
  tune_location_append(&place, mlirOperationGetLocation(knob_allowance->by));
  tune_string_builder_appendf(&text, "knob \"%s\" has ", knob->name);
  append_domain(&text, knob, knob_allowance->next);
  tune_string_builder_append(&text, " here and ");
  append_domain(&text, knob, knob_allowance->values);
  tune_string_builder_appendf(&text, " at %s; both ops are the task '%s', and are decided together",
                              place.text ? place.text : "another op",
                              state->source->anchors->extraction->tasks[state->source->task].name);
  tune_string_builder_deinit(&place);
  return refuse(TUNE_INVALID_ARGUMENT, op, &text);
}

static tune_status read_choice(reading *state, MlirOperation op, const tune_choice *choice) {
  const tune_task_choices_source *source = state->source;
  if (strcmp(choice->name, TUNE_GROUPING_CHOICE) == 0 ||
      strcmp(choice->name, TUNE_RULE_CHOICE) == 0 || !counts(choice, source->takes_all_chosen))
    return TUNE_OK;
  size_t index = tune_space_find_knob(source->space, choice->name);
  if (index == SIZE_MAX && choice->is_open && source->forgets_open)
    return TUNE_OK;
  if (index == SIZE_MAX)
    return refuse_name(source, op, choice->name);
  const tune_knob *knob = tune_space_knob(source->space, index);
  allowance *knob_allowance = &state->knobs[index];
  memset(knob_allowance->next, 0, knob->value_count * sizeof *knob_allowance->next);
  if (choice->is_open) {
    const tune_domain *domain = &choice->domain;
    for (size_t i = 0; i < domain->count; ++i)
      TUNE_RETURN_IF_ERROR(allow(state, op, knob, knob_allowance->next,
                                 domain->labels ? domain->labels[i] : NULL, domain->values[i]));
  } else {
    TUNE_RETURN_IF_ERROR(
        allow(state, op, knob, knob_allowance->next, choice->chosen.label, choice->chosen.value));
    state->is_decided = true;
  }
  bool any = false, fewer = false;
  for (size_t i = 0; i < knob->value_count; ++i) {
    any |= knob_allowance->values[i] && knob_allowance->next[i];
    fewer |= knob_allowance->values[i] && !knob_allowance->next[i];
  }
  if (!any)
    return refuse_contradiction(state, op, knob, knob_allowance);
  for (size_t i = 0; i < knob->value_count; ++i)
    knob_allowance->values[i] &= knob_allowance->next[i];
  if (fewer)
    knob_allowance->by = op;
  return TUNE_OK;
}

static tune_status read_op(reading *state, MlirOperation op) {
  tune_choices choices;
  tune_status status = tune_choices_read(op, state->source->target, &choices);
  for (size_t i = 0; i < choices.count && tune_status_is_ok(status); ++i)
    status = read_choice(state, op, &choices.items[i]);
  tune_choices_deinit(&choices);
  return status;
}

static tune_status read_anchors(reading *state) {
  const tune_task_choices_source *source = state->source;
  const tune_extracted_task *task = &source->anchors->extraction->tasks[source->task];
  for (size_t i = 0; i < task->occurrence_count; ++i) {
    MlirOperation op = task->occurrences[i].anchor;
    if (tune_anchors_is_of(source->anchors, op, source->task) && tune_choices_are_on(op))
      TUNE_RETURN_IF_ERROR(read_op(state, op));
  }
  return TUNE_OK;
}

// Leaves the knobs of levels that are not open one value each: the default, or of those that
// choices allow the first of the nearest.
static void freeze(reading *state) {
  const tune_space *space = state->source->space;
  for (size_t k = 0; k < tune_space_knob_count(space); ++k) {
    const tune_knob *knob = tune_space_knob(space, k);
    bool *allowed = state->knobs[k].values;
    if (state->source->levels == 0 || (state->source->levels >> knob->level) & 1)
      continue;
    size_t kept = SIZE_MAX, distance = SIZE_MAX;
    for (size_t i = 0; i < knob->value_count; ++i) {
      size_t away = i > knob->default_index ? i - knob->default_index : knob->default_index - i;
      if (allowed[i] && away < distance) {
        kept = i;
        distance = away;
      }
    }
    for (size_t i = 0; i < knob->value_count; ++i)
      allowed[i] = i == kept;
  }
}

//===--------------------------------------------------------------------------===//
// The narrowed space
//===--------------------------------------------------------------------------===//

static tune_status build_space(const reading *state, tune_space *space) {
  size_t count = tune_space_knob_count(state->source->space);
  bool **allowed = calloc(count + 1, sizeof *allowed);
  if (!allowed)
    return tune_status_out_of_memory("reading the choices of a task");
  for (size_t i = 0; i < count; ++i)
    allowed[i] = state->knobs[i].values;
  tune_status status = tune_space_add_narrowed(space, state->source->space, allowed);
  free(allowed);
  return status;
}

// Appends "mr = 64, nr = 64", the values that `config` has for the knobs of `constraint`.
static void append_values(tune_string_builder *text, const tune_space *space,
                          const tune_constraint *constraint, const tune_config *config) {
  size_t count;
  const size_t *knobs = tune_constraint_knobs(constraint, &count);
  for (size_t i = 0; i < count; ++i) {
    const tune_knob *knob = tune_space_knob(space, knobs[i]);
    tune_string_builder_appendf(text, "%s%s = ", i ? ", " : "", knob->name);
    tune_knob_append_value(text, knob, config->choices[knobs[i]]);
  }
}

// Looks for a constraint whose knobs have one value each that break it. `config` is the default
// one, and so has those values.
static tune_status check_pinned(const reading *state, const tune_space *space,
                                const tune_config *config) {
  for (size_t i = 0; i < tune_space_constraint_count(space); ++i) {
    const tune_constraint *constraint = tune_space_constraint(space, i);
    size_t count;
    const size_t *knobs = tune_constraint_knobs(constraint, &count);
    MlirOperation by = {NULL};
    bool is_pinned = true;
    for (size_t k = 0; k < count; ++k) {
      is_pinned &= tune_space_knob(space, knobs[k])->value_count == 1;
      if (!mlirOperationIsNull(state->knobs[knobs[k]].by))
        by = state->knobs[knobs[k]].by;
    }
    if (!is_pinned || mlirOperationIsNull(by) ||
        tune_constraint_holds(constraint, tune_space_knobs(space), config->choices))
      continue;
    tune_string_builder text;
    tune_string_builder_init(&text);
    append_values(&text, space, constraint, config);
    tune_string_builder_append(&text, " violates ");
    append_constraint(&text, constraint, space);
    append_origin(&text, state->source);
    return refuse(TUNE_INVALID_ARGUMENT, by, &text);
  }
  return TUNE_OK;
}

// "r * c <= 4: a tile has four elements at most and r >= 8": constraints that exclude each other.
static tune_status append_conflict(tune_string_builder *text, const tune_space *space) {
  size_t count;
  size_t *conflict = calloc(tune_space_constraint_count(space) + 1, sizeof *conflict);
  if (!conflict)
    return tune_status_out_of_memory("reading the choices of a task");
  tune_status status = tune_conflict_find(space, conflict, &count);
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i) {
    tune_string_builder_append(text, i ? ", together with " : "");
    append_constraint(text, tune_space_constraint(space, conflict[i]), space);
  }
  free(conflict);
  return status;
}

// No config is valid, as the choices of `by` allow them, where there are such.
static tune_status refuse_space(const reading *state, const tune_space *space) {
  MlirOperation by = {NULL};
  for (size_t i = 0; i < tune_space_knob_count(space); ++i)
    if (!mlirOperationIsNull(state->knobs[i].by))
      by = state->knobs[i].by;
  tune_string_builder text;
  tune_string_builder_init(&text);
  bool is_users = !mlirOperationIsNull(by);
  tune_string_builder_append(&text, is_users ? "nothing that these choices allow satisfies "
                                             : "no config of the space satisfies ");
  tune_status status = append_conflict(&text, space);
  if (!tune_status_is_ok(status)) {
    tune_string_builder_deinit(&text);
    return status;
  }
  tune_string_builder_append(&text, is_users ? "; allow more values" : "");
  append_origin(&text, state->source);
  if (is_users)
    return refuse(TUNE_INVALID_ARGUMENT, by, &text);
  status = text.failed
               ? tune_status_out_of_memory("reading the choices of a task")
               : tune_status_make_located(
                     TUNE_FAILED_PRECONDITION,
                     state->source->anchors->extraction->tasks[state->source->task].location, "%s",
                     text.text);
  tune_string_builder_deinit(&text);
  return status;
}

// Makes `config` valid where it is not.
static tune_status repair(const reading *state, const tune_space *space, tune_config *config) {
  if (tune_config_is_valid(config, space, NULL))
    return TUNE_OK;
  tune_sampler *sampler;
  TUNE_RETURN_IF_ERROR(tune_sampler_create(space, &sampler));
  tune_random random;
  tune_random_init(&random, 1);
  bool repaired = tune_sampler_repair(sampler, &random, config);
  if (!repaired)
    repaired = tune_sampler_draw(sampler, &random, config);
  tune_sampler_destroy(sampler);
  return repaired ? TUNE_OK : refuse_space(state, space);
}

static tune_status narrow(reading *state, tune_space *space, tune_config *config) {
  TUNE_RETURN_IF_ERROR(read_anchors(state));
  freeze(state);
  TUNE_RETURN_IF_ERROR(build_space(state, space));
  TUNE_RETURN_IF_ERROR(tune_config_init_default(config, space));
  TUNE_RETURN_IF_ERROR(check_pinned(state, space, config));
  return repair(state, space, config);
}

//===--------------------------------------------------------------------------===//
// The rule
//===--------------------------------------------------------------------------===//

static tune_status take_rule(const tune_task_choices_source *source, MlirOperation op,
                             char **rule) {
  tune_choices choices;
  TUNE_RETURN_IF_ERROR(tune_choices_read(op, source->target, &choices));
  const tune_choice *choice = tune_choices_find(&choices, TUNE_RULE_CHOICE);
  tune_status status = TUNE_OK;
  if (choice && (choice->is_open || !choice->chosen.label))
    status = tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                 TUNE_CHOICES_ATTRIBUTE
                                 ": \"" TUNE_RULE_CHOICE "\" is the name of a rule, "
                                 "as in {" TUNE_RULE_CHOICE " = \"general\"}");
  else if (choice && counts(choice, source->takes_all_chosen) && *rule &&
           strcmp(*rule, choice->chosen.label) != 0)
    status = tune_status_make_at(
        TUNE_INVALID_ARGUMENT, op,
        TUNE_CHOICES_ATTRIBUTE ": the rule is \"%s\" here and \"%s\" at another op of the task "
                               "'%s', and they are decided together",
        choice->chosen.label, *rule, source->anchors->extraction->tasks[source->task].name);
  else if (choice && counts(choice, source->takes_all_chosen) && !*rule &&
           !(*rule = strdup(choice->chosen.label)))
    status = tune_status_out_of_memory("reading the choices of a task");
  tune_choices_deinit(&choices);
  return status;
}

tune_status tune_task_choices_find_rule(const tune_task_choices_source *source, char **out_rule) {
  *out_rule = NULL;
  const tune_extracted_task *task = &source->anchors->extraction->tasks[source->task];
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < task->occurrence_count && tune_status_is_ok(status); ++i) {
    MlirOperation op = task->occurrences[i].anchor;
    if (tune_anchors_is_of(source->anchors, op, source->task) && tune_choices_are_on(op))
      status = take_rule(source, op, out_rule);
  }
  if (!tune_status_is_ok(status)) {
    free(*out_rule);
    *out_rule = NULL;
  }
  return status;
}

static tune_status allow_everything(const tune_space *space, allowance *knobs) {
  for (size_t i = 0; i < tune_space_knob_count(space); ++i) {
    size_t count = tune_space_knob(space, i)->value_count;
    knobs[i].values = malloc(count * sizeof(bool));
    knobs[i].next = malloc(count * sizeof(bool));
    if (!knobs[i].values || !knobs[i].next)
      return tune_status_out_of_memory("reading the choices of a task");
    for (size_t v = 0; v < count; ++v)
      knobs[i].values[v] = true;
  }
  return TUNE_OK;
}

tune_status tune_task_choices_narrow(const tune_task_choices_source *source, tune_space **out_space,
                                     tune_config *out_config, bool *out_is_decided) {
  *out_space = NULL;
  *out_config = (tune_config){0};
  *out_is_decided = false;
  size_t count = tune_space_knob_count(source->space);
  reading state = {.source = source, .knobs = calloc(count + 1, sizeof *state.knobs)};
  tune_status status = state.knobs ? allow_everything(source->space, state.knobs)
                                   : tune_status_out_of_memory("reading the choices of a task");
  if (tune_status_is_ok(status))
    status = tune_space_create(out_space);
  if (tune_status_is_ok(status))
    status = narrow(&state, *out_space, out_config);
  for (size_t i = 0; state.knobs && i < count; ++i) {
    free(state.knobs[i].values);
    free(state.knobs[i].next);
  }
  free(state.knobs);
  *out_is_decided = state.is_decided;
  if (!tune_status_is_ok(status)) {
    tune_space_destroy(*out_space);
    tune_config_deinit(out_config);
    *out_space = NULL;
  }
  return status;
}
