//===- inert.c ----------------------------------------------------------------===//

#include "tuning/session/inert.h"

#include "support/string_builder.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Where all that was seen of a knob has one form, two trials say little of it.
#define LEAST_WITHIN_FORMS 3

// The trials that were built, sorted by what they have but for one knob.
struct place {
  uint64_t hash; // of the choices of the other knobs
  size_t trial;
};

struct search {
  const tune_space *space;
  const tune_config *configs;
  const char *const *digests;
  struct place *places;
  size_t count;      // of `places`
  bool *is_evidence; // of each trial: it differs from another one in the knob alone
};

static uint64_t hash_others(const tune_config *config, size_t knob) {
  uint64_t before = XXH3_64bits(config->choices, knob * sizeof *config->choices);
  return XXH3_64bits_withSeed(config->choices + knob + 1,
                              (config->count - knob - 1) * sizeof *config->choices, before);
}

static int compare_places(const void *left, const void *right) {
  const struct place *a = left, *b = right;
  if (a->hash != b->hash)
    return a->hash < b->hash ? -1 : 1;
  return (a->trial > b->trial) - (a->trial < b->trial);
}

static bool differ_in_alone(const tune_config *a, const tune_config *b, size_t knob) {
  for (size_t i = 0; i < a->count; ++i)
    if ((a->choices[i] != b->choices[i]) != (i == knob))
      return false;
  return true;
}

// Marks the trials that are evidence. False where the knob has changed something.
static bool gather(struct search *search, size_t knob) {
  for (size_t i = 0; i < search->count; ++i) {
    struct place *place = &search->places[i];
    place->hash = hash_others(&search->configs[place->trial], knob);
    search->is_evidence[place->trial] = false;
  }
  qsort(search->places, search->count, sizeof *search->places, compare_places);
  size_t first = 0;
  for (size_t i = 1; i < search->count; ++i) {
    if (search->places[i].hash != search->places[first].hash)
      first = i;
    size_t one = search->places[first].trial, other = search->places[i].trial;
    if (i == first || !differ_in_alone(&search->configs[one], &search->configs[other], knob))
      continue;
    if (strcmp(search->digests[one], search->digests[other]) != 0)
      return false;
    search->is_evidence[one] = search->is_evidence[other] = true;
  }
  return true;
}

// How many values of `knob` there are among the trials; of those that are evidence if `is_evidence`
// is asked for. `*out_choice` is one of them.
static tune_status count_values(const struct search *search, size_t knob, bool is_evidence,
                                size_t *out_count, uint16_t *out_choice) {
  bool *seen = calloc(tune_space_knob(search->space, knob)->value_count, sizeof *seen);
  if (!seen)
    return tune_status_out_of_memory("out of memory while looking for inert knobs");
  *out_count = 0;
  for (size_t i = 0; i < search->count; ++i) {
    size_t trial = search->places[i].trial;
    uint16_t choice = search->configs[trial].choices[knob];
    if ((is_evidence && !search->is_evidence[trial]) || seen[choice])
      continue;
    seen[choice] = true;
    *out_choice = choice;
    ++*out_count;
  }
  free(seen);
  return TUNE_OK;
}

// The forms that all of the evidence has, and other trials do not; NULL where there are none.
static tune_status name_forms(const struct search *search, size_t knob, char **out_forms) {
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_status status = TUNE_OK;
  for (size_t k = 0; k < tune_space_knob_count(search->space) && tune_status_is_ok(status); ++k) {
    const tune_knob *form = tune_space_knob(search->space, k);
    if (k == knob || !form->labels)
      continue;
    size_t seen = 0, all = 0;
    uint16_t choice = 0, any;
    status = count_values(search, k, true, &seen, &choice);
    if (tune_status_is_ok(status))
      status = count_values(search, k, false, &all, &any);
    if (tune_status_is_ok(status) && seen == 1 && all > 1)
      tune_string_builder_appendf(&text, "%s%s=%s", text.length ? ", " : "", form->name,
                                  form->labels[choice]);
  }
  *out_forms = NULL;
  if (tune_status_is_ok(status) && (text.length || text.failed))
    return tune_string_builder_finish(&text, out_forms);
  tune_string_builder_deinit(&text);
  return status;
}

// Appends `knob` to the list where it is inert.
static tune_status look_at(struct search *search, size_t knob, tune_inert_knob *knobs,
                           size_t *count) {
  if (!gather(search, knob))
    return TUNE_OK;
  tune_inert_knob found = {.knob = knob};
  for (size_t i = 0; i < search->count; ++i)
    found.trials += search->is_evidence[search->places[i].trial];
  if (!found.trials)
    return TUNE_OK;
  uint16_t choice;
  TUNE_RETURN_IF_ERROR(count_values(search, knob, true, &found.values, &choice));
  TUNE_RETURN_IF_ERROR(name_forms(search, knob, &found.forms));
  if (found.forms && found.trials < LEAST_WITHIN_FORMS)
    free(found.forms);
  else
    knobs[(*count)++] = found;
  return TUNE_OK;
}

tune_status tune_inert_find(const tune_space *space, const tune_config *configs,
                            const char *const *digests, size_t count, tune_inert_knob **out_knobs,
                            size_t *out_count) {
  size_t knob_count = tune_space_knob_count(space);
  *out_count = 0;
  *out_knobs = calloc(knob_count + 1, sizeof **out_knobs);
  struct search search = {.space = space,
                          .configs = configs,
                          .digests = digests,
                          .places = calloc(count + 1, sizeof *search.places),
                          .is_evidence = calloc(count + 1, sizeof *search.is_evidence)};
  tune_status status =
      *out_knobs && search.places && search.is_evidence
          ? TUNE_OK
          : tune_status_out_of_memory("out of memory while looking for inert knobs");
  for (size_t i = 0; i < count && tune_status_is_ok(status); ++i)
    if (digests[i])
      search.places[search.count++].trial = i;
  for (size_t k = 0; k < knob_count && tune_status_is_ok(status); ++k)
    status = look_at(&search, k, *out_knobs, out_count);
  free(search.places);
  free(search.is_evidence);
  if (!tune_status_is_ok(status)) {
    tune_inert_free(*out_knobs, *out_count);
    *out_knobs = NULL;
    *out_count = 0;
  }
  return status;
}

void tune_inert_free(tune_inert_knob *knobs, size_t count) {
  for (size_t i = 0; i < count; ++i)
    free(knobs[i].forms);
  free(knobs);
}
