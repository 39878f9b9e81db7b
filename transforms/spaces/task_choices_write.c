//===- task_choices_write.c - Writing choices to ops -------------------------===//

#include "dialects/choices.h"
#include "transforms/spaces/grouping.h"
#include "transforms/spaces/task_choices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tune_choice_kind tune_task_choices_kind(const tune_knob *knob) {
  if (knob->labels)
    return TUNE_CHOICE_ALTERNATIVE;
  int64_t least = knob->values[0];
  for (size_t i = 1; i < knob->value_count; ++i)
    least = knob->values[i] < least ? knob->values[i] : least;
  switch (knob->level) {
  case TUNE_LEVEL_GRAPH:
    return TUNE_CHOICE_FUSE;
  case TUNE_LEVEL_LINALG:
    return least >= 0 ? TUNE_CHOICE_TILE : TUNE_CHOICE_ORDER;
  case TUNE_LEVEL_VECTOR:
    return least >= 0 ? TUNE_CHOICE_VECTORIZE : TUNE_CHOICE_ALTERNATIVE;
  case TUNE_LEVEL_LOOP:
    return least >= 1 ? TUNE_CHOICE_UNROLL : TUNE_CHOICE_ORDER;
  case TUNE_LEVEL_BUFFER:
    return TUNE_CHOICE_PACK;
  case TUNE_LEVEL_GPU:
    return least >= 0 ? TUNE_CHOICE_PARALLEL : TUNE_CHOICE_ORDER;
  default:
    // Options of a backend. Alternatives are words, so their numbers are written as such.
    return TUNE_CHOICE_ALTERNATIVE;
  }
}

// Alternatives are words; of a knob without labels, its numbers are.
static bool needs_words(const tune_knob *knob, tune_choice_kind kind) {
  return knob->labels || kind == TUNE_CHOICE_ALTERNATIVE;
}

static char *word_of(const tune_knob *knob, size_t index) {
  if (knob->labels)
    return strdup(knob->labels[index]);
  char *word;
  return asprintf(&word, "%lld", (long long)knob->values[index]) < 0 ? NULL : word;
}

static bool is_of_user(const tune_choices *choices, const char *name) {
  const tune_choice *choice = tune_choices_find(choices, name);
  return choice && !choice->is_open && strcmp(choice->chosen.provenance, "user") == 0;
}

static tune_status set_chosen(tune_choices *choices, const tune_knob *knob, tune_choice_kind kind,
                              size_t index, const char *provenance) {
  tune_chosen chosen = {
      .kind = kind, .value = knob->values[index], .provenance = (char *)provenance};
  if (needs_words(knob, kind)) {
    chosen.label = word_of(knob, index);
    if (!chosen.label)
      return tune_status_out_of_memory("writing choices");
  }
  tune_status status = tune_choices_set_chosen(choices, knob->name, &chosen);
  free(chosen.label);
  return status;
}

// What `op` has for the form's target.
static tune_status read_own(MlirOperation op, const tune_task_choices_form *form,
                            tune_choices *choices) {
  TUNE_RETURN_IF_ERROR(tune_choices_read(op, form->target, choices));
  if (form->by_target)
    choices->target = form->target;
  return TUNE_OK;
}

static tune_status set_word(tune_choices *choices, const char *name, const char *word,
                            const char *provenance) {
  tune_chosen chosen = {
      .kind = TUNE_CHOICE_ALTERNATIVE, .label = (char *)word, .provenance = (char *)provenance};
  return tune_choices_set_chosen(choices, name, &chosen);
}

// What is open or of the user, and with `keeps_grouping` of which task the op is the anchor.
static tune_status read_lasting(MlirOperation op, const tune_task_choices_form *form,
                                bool keeps_grouping, tune_choices *lasting) {
  tune_choices all;
  *lasting = (tune_choices){0};
  TUNE_RETURN_IF_ERROR(read_own(op, form, &all));
  lasting->target = all.target;
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < all.count && tune_status_is_ok(status); ++i) {
    const tune_choice *choice = &all.items[i];
    if (choice->is_open)
      status = tune_choices_set_open(lasting, choice->name, &choice->domain);
    else if (is_of_user(&all, choice->name) ||
             (keeps_grouping && strcmp(choice->name, TUNE_GROUPING_CHOICE) == 0))
      status = tune_choices_set_chosen(lasting, choice->name, &choice->chosen);
  }
  tune_choices_deinit(&all);
  return status;
}

tune_status tune_task_choices_write_chosen(MlirOperation op, const tune_task_choices_form *form,
                                           const tune_config *config, const char *provenance) {
  tune_choices choices;
  tune_status status = read_lasting(op, form, true, &choices);
  for (size_t i = 0; i < tune_space_knob_count(form->space) && tune_status_is_ok(status); ++i) {
    const tune_knob *knob = tune_space_knob(form->space, i);
    if (!is_of_user(&choices, knob->name))
      status = set_chosen(&choices, knob, form->kinds[i], config->choices[i], provenance);
  }
  if (tune_status_is_ok(status) && form->rule && !is_of_user(&choices, TUNE_RULE_CHOICE))
    status = set_word(&choices, TUNE_RULE_CHOICE, form->rule, provenance);
  if (tune_status_is_ok(status))
    status = tune_choices_write(op, &choices);
  tune_choices_deinit(&choices);
  return status;
}

tune_status tune_task_choices_write_grouping(MlirOperation op, const tune_task_choices_form *form,
                                             const char *grouping, const char *provenance) {
  tune_choices choices;
  tune_status status = read_lasting(op, form, false, &choices);
  if (tune_status_is_ok(status) && grouping && !is_of_user(&choices, TUNE_GROUPING_CHOICE))
    status = set_word(&choices, TUNE_GROUPING_CHOICE, grouping, provenance);
  if (tune_status_is_ok(status))
    status = tune_choices_write(op, &choices);
  tune_choices_deinit(&choices);
  return status;
}

static tune_status set_open(tune_choices *choices, const tune_knob *knob, tune_choice_kind kind) {
  tune_domain domain = {.kind = kind, .count = knob->value_count};
  domain.values = calloc(knob->value_count, sizeof *domain.values);
  domain.labels = needs_words(knob, kind) ? calloc(knob->value_count, sizeof *domain.labels) : NULL;
  bool failed = !domain.values || (needs_words(knob, kind) && !domain.labels);
  for (size_t i = 0; i < knob->value_count && !failed; ++i) {
    domain.values[i] = domain.labels ? (int64_t)i : knob->values[i];
    if (domain.labels)
      failed = !(domain.labels[i] = word_of(knob, i));
  }
  tune_status status = failed ? tune_status_out_of_memory("writing choices")
                              : tune_choices_set_open(choices, knob->name, &domain);
  tune_domain_deinit(&domain);
  return status;
}

// "whole", and all from the first cut on.
static tune_status set_open_grouping(tune_choices *choices, tune_fusion_cut_form first_cut) {
  int64_t values[TUNE_GROUPINGS] = {0};
  char *labels[TUNE_GROUPINGS] = {(char *)tune_grouping_name(TUNE_CUT_NONE)};
  tune_domain domain = {
      .kind = TUNE_CHOICE_ALTERNATIVE, .count = 1, .values = values, .labels = labels};
  for (size_t form = first_cut; form < TUNE_GROUPINGS; ++form) {
    values[domain.count] = (int64_t)domain.count;
    labels[domain.count++] = (char *)tune_grouping_name((tune_fusion_cut_form)form);
  }
  return tune_choices_set_open(choices, TUNE_GROUPING_CHOICE, &domain);
}

tune_status tune_task_choices_write_open(MlirOperation op, const tune_task_choices_form *form) {
  tune_choices choices;
  tune_status status = read_own(op, form, &choices);
  for (size_t i = 0; i < tune_space_knob_count(form->space) && tune_status_is_ok(status); ++i) {
    const tune_knob *knob = tune_space_knob(form->space, i);
    if (!tune_choices_find(&choices, knob->name))
      status = set_open(&choices, knob, form->kinds[i]);
  }
  if (tune_status_is_ok(status) && form->first_cut != TUNE_CUT_NONE &&
      !tune_choices_find(&choices, TUNE_GROUPING_CHOICE))
    status = set_open_grouping(&choices, form->first_cut);
  if (tune_status_is_ok(status))
    status = tune_choices_write(op, &choices);
  tune_choices_deinit(&choices);
  return status;
}
