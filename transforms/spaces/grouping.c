//===- grouping.c ---------------------------------------------------------------===//

#include "transforms/spaces/grouping.h"

#include "dialects/choices.h"
#include "dialects/diagnostic.h"

#include <stdlib.h>
#include <string.h>

// By form.
static const char *const NAMES[TUNE_GROUPINGS] = {"whole", "stages", "anchors", "ops"};

const char *tune_grouping_name(tune_fusion_cut_form form) { return NAMES[form]; }

tune_fusion_cut_form tune_grouping_of_name(const char *name) {
  size_t form = 0;
  while (form < TUNE_GROUPINGS && strcmp(NAMES[form], name) != 0)
    ++form;
  return (tune_fusion_cut_form)form;
}

void tune_task_cuts_deinit(tune_task_cuts *cuts) {
  free(cuts->items);
  *cuts = (tune_task_cuts){.items = NULL};
}

tune_status tune_task_cuts_add(tune_task_cuts *cuts, const tune_task_cut *cut) {
  tune_task_cut *grown = realloc(cuts->items, (cuts->count + 1) * sizeof *grown);
  if (!grown)
    return tune_status_out_of_memory("cutting a task apart");
  cuts->items = grown;
  grown[cuts->count++] = *cut;
  return TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// What choices say
//===--------------------------------------------------------------------------===//

// What the anchors of a task say.
typedef struct reading {
  const tune_extraction *extraction;
  size_t task;
  const char *target;
  tune_fusion_cut_form first; // how the task is cut apart at first
  tune_fusion_cut_form form;  // that is said; TUNE_GROUPINGS: none yet
} reading;

static bool is_of_task(const reading *state, tune_fusion_cut_form form) {
  return form == TUNE_CUT_NONE || (state->first != TUNE_CUT_NONE && form >= state->first);
}

static tune_status refuse(const reading *state, MlirOperation op, const char *name) {
  tune_string_builder names;
  tune_string_builder_init(&names);
  for (size_t form = 0; form < TUNE_GROUPINGS; ++form)
    if (is_of_task(state, form))
      tune_string_builder_appendf(&names, "%s\"%s\"", names.text ? ", " : "", NAMES[form]);
  tune_status status =
      names.failed
          ? tune_status_out_of_memory("reading the choices of a task")
          : tune_status_make_at(TUNE_INVALID_ARGUMENT, op,
                                TUNE_CHOICES_ATTRIBUTE ": \"" TUNE_GROUPING_CHOICE "\" is %s%s%s; "
                                                       "those of the task '%s' are %s",
                                name ? "\"" : "no word", name ? name : "", name ? "\"" : "",
                                state->extraction->tasks[state->task].name, names.text);
  tune_string_builder_deinit(&names);
  return status;
}

static tune_status read_name(const reading *state, MlirOperation op, const char *name,
                             tune_fusion_cut_form *out_form) {
  *out_form = name ? tune_grouping_of_name(name) : TUNE_GROUPINGS;
  return *out_form < TUNE_GROUPINGS && is_of_task(state, *out_form) ? TUNE_OK
                                                                    : refuse(state, op, name);
}

// Of a domain, what joins most.
static tune_status read_choice(const reading *state, MlirOperation op, const tune_choice *choice,
                               tune_fusion_cut_form *out_form) {
  if (!choice->is_open)
    return read_name(state, op, choice->chosen.label, out_form);
  *out_form = TUNE_GROUPINGS;
  for (size_t i = 0; i < choice->domain.count; ++i) {
    tune_fusion_cut_form form;
    TUNE_RETURN_IF_ERROR(
        read_name(state, op, choice->domain.labels ? choice->domain.labels[i] : NULL, &form));
    *out_form = form < *out_form ? form : *out_form;
  }
  return TUNE_OK;
}

static tune_status read_op(reading *state, MlirOperation op) {
  tune_choices choices;
  TUNE_RETURN_IF_ERROR(tune_choices_read(op, state->target, &choices));
  const tune_choice *choice = tune_choices_find(&choices, TUNE_GROUPING_CHOICE);
  tune_fusion_cut_form form = TUNE_CUT_NONE;
  tune_status status = choice ? read_choice(state, op, choice, &form) : TUNE_OK;
  tune_choices_deinit(&choices);
  if (!choice || !tune_status_is_ok(status))
    return status;
  if (state->form != TUNE_GROUPINGS && state->form != form)
    return tune_status_make_at(
        TUNE_INVALID_ARGUMENT, op,
        TUNE_CHOICES_ATTRIBUTE ": the grouping is \"%s\" here and \"%s\" at another op of the task "
                               "'%s', and they are decided together",
        NAMES[form], NAMES[state->form], state->extraction->tasks[state->task].name);
  state->form = form;
  return TUNE_OK;
}

// Leaves in `allowed` what `choice` has.
static void narrow(const tune_choice *choice, tune_groupings_allowed *allowed) {
  bool has[TUNE_GROUPINGS] = {false};
  for (size_t form = 0; form < TUNE_GROUPINGS; ++form) {
    has[form] = !choice->is_open && strcmp(NAMES[form], choice->chosen.label) == 0;
    for (size_t i = 0; choice->is_open && i < choice->domain.count; ++i)
      has[form] |= strcmp(NAMES[form], choice->domain.labels[i]) == 0;
    allowed->forms[form] &= has[form];
  }
}

// They have been read before (tune_grouping_read), so that each is a word.
tune_status tune_grouping_read_allowed(const tune_anchors *anchors, size_t task, const char *target,
                                       tune_groupings_allowed *out_allowed) {
  const tune_extracted_task *extracted = &anchors->extraction->tasks[task];
  const reading state = {.first = tune_extraction_find_cut(anchors->extraction, task)};
  for (size_t form = 0; form < TUNE_GROUPINGS; ++form)
    out_allowed->forms[form] = is_of_task(&state, (tune_fusion_cut_form)form);
  for (size_t i = 0; i < extracted->occurrence_count; ++i) {
    MlirOperation op = extracted->occurrences[i].anchor;
    tune_choices choices;
    if (!tune_anchors_is_of(anchors, op, task) || !tune_choices_are_on(op))
      continue;
    TUNE_RETURN_IF_ERROR(tune_choices_read(op, target, &choices));
    const tune_choice *choice = tune_choices_find(&choices, TUNE_GROUPING_CHOICE);
    if (choice)
      narrow(choice, out_allowed);
    tune_choices_deinit(&choices);
  }
  return TUNE_OK;
}

static tune_status read_task(const tune_anchors *anchors, size_t task, const char *target,
                             tune_task_cuts *cuts) {
  const tune_extracted_task *extracted = &anchors->extraction->tasks[task];
  reading state = {.extraction = anchors->extraction,
                   .task = task,
                   .target = target,
                   .first = tune_extraction_find_cut(anchors->extraction, task),
                   .form = TUNE_GROUPINGS};
  for (size_t i = 0; i < extracted->occurrence_count; ++i) {
    MlirOperation op = extracted->occurrences[i].anchor;
    if (tune_anchors_is_of(anchors, op, task) && tune_choices_are_on(op))
      TUNE_RETURN_IF_ERROR(read_op(&state, op));
  }
  if (state.form == TUNE_GROUPINGS || state.form == TUNE_CUT_NONE)
    return TUNE_OK;
  return tune_task_cuts_add(cuts, &(tune_task_cut){extracted->key, state.form});
}

typedef struct place_check {
  const tune_anchors *anchors;
  const char *target;
  tune_status status;
} place_check;

// A part is not grouped again.
static MlirWalkResult check_place(MlirOperation op, void *user_data) {
  place_check *check = user_data;
  tune_choices choices;
  if (!tune_choices_are_on(op) ||
      tune_op_map_get(&check->anchors->task_of_op, op.ptr) != TUNE_OP_MAP_NONE)
    return MlirWalkResultAdvance;
  check->status = tune_choices_read(op, check->target, &choices);
  if (tune_status_is_ok(check->status) && tune_choices_find(&choices, TUNE_GROUPING_CHOICE))
    check->status = tune_status_make_at(
        TUNE_INVALID_ARGUMENT, op,
        TUNE_CHOICES_ATTRIBUTE ": this op stands for no task before one is cut apart, so that "
                               "nobody would read its \"" TUNE_GROUPING_CHOICE "\"");
  tune_choices_deinit(&choices);
  return tune_status_is_ok(check->status) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

tune_status tune_grouping_read(const tune_extraction *extraction, MlirOperation module,
                               const char *target, tune_task_cuts *out_cuts) {
  tune_anchors anchors;
  *out_cuts = (tune_task_cuts){.items = NULL};
  TUNE_RETURN_IF_ERROR(tune_anchors_init(&anchors, extraction));
  place_check check = {.anchors = &anchors, .target = target};
  mlirOperationWalk(module, check_place, &check, MlirWalkPreOrder);
  tune_status status = check.status;
  for (size_t i = 0; i < extraction->task_count && tune_status_is_ok(status); ++i)
    status = read_task(&anchors, i, target, out_cuts);
  tune_anchors_deinit(&anchors);
  if (!tune_status_is_ok(status))
    tune_task_cuts_deinit(out_cuts);
  return status;
}
