//===- config_complete.c ------------------------------------------------------------===//

#include "tuning/space/config_complete.h"

#include "support/string_builder.h"
#include "tuning/space/constraint.h"
#include "tuning/space/sampler.h"

#include <stdlib.h>
#include <string.h>

static bool is_named(const char *text, const char *name) {
  size_t length = strlen(name);
  for (; text; text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL)
    if (strncmp(text, name, length) == 0 && text[length] == '=')
      return true;
  return false;
}

// The space where the knobs named in `text` have the one value of `config`.
static tune_status pin(const tune_space *space, const char *text, const tune_config *config,
                       tune_space *pinned) {
  for (size_t i = 0; i < tune_space_knob_count(space); ++i) {
    tune_knob knob = *tune_space_knob(space, i);
    if (is_named(text, knob.name)) {
      knob.values += config->choices[i];
      knob.labels = knob.labels ? knob.labels + config->choices[i] : NULL;
      knob.value_count = 1;
      knob.default_index = 0;
    }
    TUNE_RETURN_IF_ERROR(tune_space_add_knob(pinned, &knob));
  }
  for (size_t i = 0; i < tune_space_constraint_count(space); ++i) {
    const tune_constraint *constraint = tune_space_constraint(space, i);
    TUNE_RETURN_IF_ERROR(tune_space_add_constraint(pinned, tune_constraint_text(constraint),
                                                   tune_constraint_why(constraint)));
  }
  return TUNE_OK;
}

static tune_status repair(const tune_space *space, tune_config *config, bool *out_found) {
  tune_sampler *sampler;
  TUNE_RETURN_IF_ERROR(tune_sampler_create(space, &sampler));
  tune_random random;
  tune_random_init(&random, 1);
  *out_found =
      tune_sampler_repair(sampler, &random, config) || tune_sampler_draw(sampler, &random, config);
  tune_sampler_destroy(sampler);
  return TUNE_OK;
}

// Changes what `text` does not name; false in `*out_found` where that did not work out.
static tune_status repair_others(const tune_space *space, const char *text, tune_config *config,
                                 bool *out_found) {
  tune_space *pinned;
  tune_config others = {0};
  *out_found = false;
  TUNE_RETURN_IF_ERROR(tune_space_create(&pinned));
  tune_status status = pin(space, text, config, pinned);
  if (tune_status_is_ok(status))
    status = tune_config_init_default(&others, pinned);
  if (tune_status_is_ok(status))
    status = repair(pinned, &others, out_found);
  for (size_t i = 0; *out_found && i < config->count; ++i)
    if (!is_named(text, tune_space_knob(space, i)->name))
      config->choices[i] = others.choices[i];
  tune_config_deinit(&others);
  tune_space_destroy(pinned);
  return status;
}

// The values of the named knobs in the valid config nearest to `config`, which is overwritten.
static tune_status append_example(tune_string_builder *said, const tune_space *space,
                                  const char *text, tune_config *config) {
  bool found;
  TUNE_RETURN_IF_ERROR(repair(space, config, &found));
  const char *before = "; what goes together is, for example, ";
  for (size_t i = 0; found && i < config->count; ++i) {
    const tune_knob *knob = tune_space_knob(space, i);
    if (!is_named(text, knob->name))
      continue;
    tune_string_builder_appendf(said, "%s%s=", before, knob->name);
    tune_knob_append_value(said, knob, config->choices[i]);
    before = ",";
  }
  return TUNE_OK;
}

static tune_status refuse(const tune_space *space, const char *text,
                          const tune_constraint *violated, tune_config *config) {
  const char *why = tune_constraint_why(violated);
  tune_string_builder said;
  tune_string_builder_init(&said);
  tune_string_builder_appendf(&said,
                              "no values of the other knobs go with the config %s: with the "
                              "defaults it violates %s%s%s",
                              text, tune_constraint_text(violated), why ? ": " : "",
                              why ? why : "");
  tune_status status = append_example(&said, space, text, config);
  if (tune_status_is_ok(status))
    status = said.failed ? tune_status_out_of_memory("completing a config")
                         : tune_status_make(TUNE_INVALID_ARGUMENT, "%s", said.text);
  tune_string_builder_deinit(&said);
  return status;
}

tune_status tune_config_complete_text(tune_config *config, const tune_space *space,
                                      const char *text) {
  TUNE_RETURN_IF_ERROR(tune_config_from_text(config, space, text));
  const tune_constraint *violated = NULL;
  if (tune_config_is_valid(config, space, &violated))
    return TUNE_OK;
  bool found;
  tune_status status = repair_others(space, text, config, &found);
  if (tune_status_is_ok(status) && !found)
    status = refuse(space, text, violated, config);
  if (!tune_status_is_ok(status))
    tune_config_deinit(config);
  return status;
}
