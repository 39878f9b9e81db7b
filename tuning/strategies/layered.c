//===- layered.c --------------------------------------------------------------===//

#include "tuning/strategies/layered.h"

#include "tuning/space/constraint.h"
#include "tuning/space/narrowed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct layered {
  const char *name; // of the strategy that searches a level
  tune_layers layers;
  size_t trials; // 0: no limit
  double time;   // the share that is over
  // By the number of a config in `known`:
  double *seconds; // NAN where not told, INFINITY where it failed
  uint64_t *codes;
  size_t capacity;
  size_t told_count;
  tune_config at; // the best of the path so far: what levels are frozen at
  // The level that is being searched; none where `inner` is NULL.
  size_t layer; // which comes next where there is none
  tune_space *space;
  tune_strategy *inner;
  bool is_exhausted;
  size_t trial_limit; // it ends at so many configs known; SIZE_MAX: never
  double time_limit;  // and at that share of the time
  size_t repeats;     // of the levels, and of seeds
  bool has_news;      // this time through the levels something was proposed
  bool is_waiting, is_done;
} layered;

//===- The levels that there are ----------------------------------------------===//

static bool has_choice(const tune_space *space, tune_level level) {
  for (size_t k = 0; k < tune_space_knob_count(space); ++k)
    if (tune_space_knob(space, k)->level == level && tune_space_knob(space, k)->value_count > 1)
      return true;
  return false;
}

// How many of the levels from number `from` on have something to choose.
static size_t count_layers(const layered *self, const tune_space *space, size_t from) {
  size_t count = 0;
  for (size_t i = from; i < self->layers.count; ++i)
    count += has_choice(space, self->layers.levels[i]);
  return count;
}

//===- Creation ---------------------------------------------------------------===//

typedef struct layered_arguments {
  const char *name;
  const tune_layers *layers;
  size_t trials;
} layered_arguments;

static void end_layer(layered *self) {
  tune_strategy_destroy(self->inner);
  tune_space_destroy(self->space);
  self->inner = NULL;
  self->space = NULL;
}

static void layered_destroy(void *state) {
  layered *self = state;
  end_layer(self);
  tune_config_deinit(&self->at);
  free(self->seconds);
  free(self->codes);
  free(self);
}

// The defaults, made valid where they are not, the way a session does it.
static tune_status find_defaults(const tune_strategy_context *context, tune_config *config) {
  tune_random random;
  tune_random_init(&random, context->options->seed);
  TUNE_RETURN_IF_ERROR(tune_config_init_default(config, context->space));
  if (tune_sampler_repair(context->sampler, &random, config) ||
      tune_sampler_draw(context->sampler, &random, config))
    return TUNE_OK;
  return tune_status_make(TUNE_FAILED_PRECONDITION,
                          "no config satisfies all constraints of the space");
}

static tune_status layered_create(const tune_strategy_context *context, void **out_self) {
  const layered_arguments *arguments = context->argument;
  layered *self = calloc(1, sizeof *self);
  if (!self)
    return tune_status_out_of_memory("out of memory while creating a strategy");
  self->name = arguments->name;
  self->layers = *arguments->layers;
  self->trials = arguments->trials;
  tune_status status = find_defaults(context, &self->at);
  if (!tune_status_is_ok(status)) {
    layered_destroy(self);
    return status;
  }
  *out_self = self;
  return TUNE_OK;
}

//===- From one space to the other ---------------------------------------------===//

// Writes `config`, of a space, as one of `to`, which has the same knobs with more or fewer values.
// False where it is none.
static bool translate(const tune_space *from, const tune_config *config, const tune_space *to,
                      tune_config *result) {
  for (size_t k = 0; k < config->count; ++k) {
    size_t index = tune_knob_find_value(tune_space_knob(to, k), tune_config_value(config, from, k));
    if (index == SIZE_MAX)
      return false;
    result->choices[k] = (uint16_t)index;
  }
  return true;
}

// Whether config number `number` is one of the level's.
static bool is_of_layer(const layered *self, const tune_strategy_context *context, size_t number,
                        tune_config *config) {
  return translate(context->space, &context->known->configs[number], self->space, config) &&
         tune_config_is_valid(config, self->space, NULL);
}

static tune_status tell_inner(const layered *self, const tune_strategy_context *context,
                              size_t number) {
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, self->space));
  double seconds = self->seconds[number];
  tune_outcome outcome = {
      .failed = isinf(seconds), .seconds = seconds, .code = self->codes[number]};
  tune_status status = TUNE_OK;
  if (is_of_layer(self, context, number, &config))
    status = tune_strategy_tell(self->inner, &config, outcome);
  tune_config_deinit(&config);
  return status;
}

//===- Learning ---------------------------------------------------------------===//

static tune_status reserve(layered *self, size_t number) {
  if (number < self->capacity)
    return TUNE_OK;
  size_t capacity = 2 * number + 64;
  double *seconds = realloc(self->seconds, capacity * sizeof *seconds);
  self->seconds = seconds ? seconds : self->seconds;
  uint64_t *codes = realloc(self->codes, capacity * sizeof *codes);
  self->codes = codes ? codes : self->codes;
  if (!seconds || !codes)
    return tune_status_out_of_memory("out of memory while learning from trials");
  for (size_t i = self->capacity; i < capacity; ++i)
    self->seconds[i] = NAN;
  self->capacity = capacity;
  return TUNE_OK;
}

static bool is_told(const layered *self, size_t number) {
  return number < self->capacity && !isnan(self->seconds[number]);
}

static tune_status layered_learn(void *state, const tune_strategy_context *context, size_t number,
                                 tune_outcome outcome) {
  layered *self = state;
  TUNE_RETURN_IF_ERROR(reserve(self, number));
  self->told_count += !is_told(self, number);
  self->seconds[number] = outcome.failed ? INFINITY : outcome.seconds;
  self->codes[number] = outcome.code;
  return self->inner ? tell_inner(self, context, number) : TUNE_OK;
}

//===- Levels, one after the other --------------------------------------------===//

// Makes the best of the level's configs what the next ones are frozen at.
static tune_status take_best(layered *self, const tune_strategy_context *context) {
  double best = INFINITY;
  size_t number = SIZE_MAX;
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, self->space));
  for (size_t i = 0; i < context->known->count; ++i) {
    if (is_told(self, i) && self->seconds[i] < best && is_of_layer(self, context, i, &config)) {
      best = self->seconds[i];
      number = i;
    }
  }
  tune_config_deinit(&config);
  if (number != SIZE_MAX)
    memcpy(self->at.choices, context->known->configs[number].choices,
           self->at.count * sizeof *self->at.choices);
  return TUNE_OK;
}

// Where a knob is frozen at a value that it has under a condition only, it has its default
// elsewhere, and that value there.
static tune_status add_frozen(const layered *self, const tune_space *whole, size_t knob) {
  const tune_constraint *condition = tune_space_condition(whole, knob);
  const tune_knob *of = tune_space_knob(whole, knob);
  char *text;
  if (!condition || self->at.choices[knob] == of->default_index)
    return TUNE_OK;
  if (asprintf(&text, "(%s) => '%s' == %lld", tune_constraint_text(condition), of->name,
               (long long)of->values[self->at.choices[knob]]) < 0)
    return tune_status_out_of_memory("out of memory while searching a level");
  tune_status status = tune_space_add_constraint(self->space, text, NULL);
  free(text);
  return status;
}

static tune_status make_space(layered *self, const tune_space *whole, tune_level level) {
  size_t count = tune_space_knob_count(whole), values = 0;
  for (size_t k = 0; k < count; ++k)
    values += tune_space_knob(whole, k)->value_count;
  bool **allowed = calloc(count + 1, sizeof *allowed), *flags = calloc(values + 1, sizeof *flags);
  tune_status status = allowed && flags
                           ? tune_space_create(&self->space)
                           : tune_status_out_of_memory("out of memory while searching a level");
  for (size_t k = 0, at = 0; k < count && tune_status_is_ok(status); ++k) {
    const tune_knob *knob = tune_space_knob(whole, k);
    allowed[k] = &flags[at];
    for (size_t v = 0; v < knob->value_count; ++v)
      allowed[k][v] = knob->level == level || v == self->at.choices[k] ||
                      (v == knob->default_index && tune_space_condition(whole, k));
    at += knob->value_count;
  }
  if (tune_status_is_ok(status))
    status = tune_space_add_narrowed(self->space, whole, allowed);
  for (size_t k = 0; k < count && tune_status_is_ok(status); ++k)
    if (tune_space_knob(whole, k)->level != level)
      status = add_frozen(self, whole, k);
  free(flags);
  free(allowed);
  return status;
}

// What the level gets of what is left: its share, or, where it is the last one, all.
static void set_limits(layered *self, const tune_strategy_context *context) {
  size_t left = count_layers(self, context->space, self->layer), known = context->known->count;
  bool is_last = left == 1;
  self->trial_limit = SIZE_MAX;
  if (!is_last && self->trials > known)
    self->trial_limit = known + (self->trials - known + left - 1) / left;
  self->time_limit = is_last ? INFINITY : self->time + (1 - self->time) / (double)left;
}

static tune_status try_begin_layer(layered *self, const tune_strategy_context *context) {
  tune_strategy_options options = *context->options;
  options.seed += 0x9e3779b97f4a7c15u * self->repeats++;
  TUNE_RETURN_IF_ERROR(make_space(self, context->space, self->layers.levels[self->layer]));
  TUNE_RETURN_IF_ERROR(tune_strategy_create(self->name, self->space, &options, &self->inner));
  for (size_t i = 0; i < context->known->count; ++i)
    if (is_told(self, i))
      TUNE_RETURN_IF_ERROR(tell_inner(self, context, i));
  self->is_exhausted = false;
  set_limits(self, context);
  return TUNE_OK;
}

static tune_status begin_layer(layered *self, const tune_strategy_context *context) {
  tune_status status = try_begin_layer(self, context);
  if (!tune_status_is_ok(status))
    end_layer(self);
  return status;
}

// Goes on to the next level that has something to choose; `is_done` where nothing is new any more.
static tune_status go_on(layered *self, const tune_strategy_context *context) {
  if (self->inner) {
    TUNE_RETURN_IF_ERROR(take_best(self, context));
    end_layer(self);
    ++self->layer;
  }
  while (self->layer < self->layers.count &&
         !has_choice(context->space, self->layers.levels[self->layer]))
    ++self->layer;
  if (self->layer < self->layers.count)
    return begin_layer(self, context);
  self->is_done = !self->has_news;
  self->has_news = false;
  self->layer = 0;
  return TUNE_OK;
}

static bool is_over(const layered *self, const tune_strategy_context *context) {
  return !self->inner || self->is_exhausted || context->known->count >= self->trial_limit ||
         self->time >= self->time_limit;
}

// Whether something was proposed of which is not known what came of it.
static bool has_outstanding(const layered *self, const tune_strategy_context *context) {
  return self->told_count < context->known->count;
}

// Overwrites `config` with what the level proposes next, if that is any.
static tune_status ask_inner(layered *self, const tune_strategy_context *context,
                             tune_config *config, bool *out_found) {
  tune_config proposal;
  size_t count;
  *out_found = false;
  TUNE_RETURN_IF_ERROR(tune_strategy_ask(self->inner, 1, &proposal, &count));
  self->is_exhausted = count == 0;
  if (!count)
    return TUNE_OK;
  // The default that a frozen knob has under another condition may be known, and not told yet.
  *out_found = translate(self->space, &proposal, context->space, config) &&
               tune_config_set_find(context->known, config) == SIZE_MAX;
  tune_config_deinit(&proposal);
  return TUNE_OK;
}

static tune_status layered_propose(void *state, const tune_strategy_context *context,
                                   tune_config *config, bool *out_found) {
  layered *self = state;
  *out_found = self->is_waiting = false;
  while (!*out_found && !self->is_done) {
    if (!is_over(self, context)) {
      TUNE_RETURN_IF_ERROR(ask_inner(self, context, config, out_found));
      continue;
    }
    self->is_waiting = self->inner && has_outstanding(self, context);
    if (self->is_waiting)
      return TUNE_OK;
    TUNE_RETURN_IF_ERROR(go_on(self, context));
  }
  self->has_news |= *out_found;
  return TUNE_OK;
}

static bool layered_waits(const void *state) { return ((const layered *)state)->is_waiting; }

static void layered_note_time(void *state, double share) { ((layered *)state)->time = share; }

static const tune_strategy_class layered_class = {
    .name = "layered",
    .summary = "one level of knobs after the other",
    .create = layered_create,
    .destroy = layered_destroy,
    .propose = layered_propose,
    .learn = layered_learn,
    .waits = layered_waits,
    .note_time = layered_note_time,
    .keeps_to_itself = true,
};

tune_status tune_layered_create(const char *name, const tune_space *space,
                                const tune_strategy_options *options, const tune_layers *layers,
                                size_t trials, tune_strategy **out_strategy) {
  const tune_strategy_class *inner;
  *out_strategy = NULL;
  TUNE_RETURN_IF_ERROR(tune_strategy_find_class(name, &inner));
  const layered_arguments arguments = {inner->name, layers, trials};
  return tune_strategy_create_of(&layered_class, inner->name, &arguments, space, options,
                                 out_strategy);
}

//===- What is to be searched -------------------------------------------------===//

static const char *skip_prefix(const char *text, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static tune_status add_level(const char *text, size_t length, tune_layers *layers,
                             unsigned *levels) {
  char name[32];
  tune_level level;
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  TUNE_RETURN_IF_ERROR(tune_level_parse(name, &level));
  if ((*levels >> level) & 1)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "the level '%s' is there twice", name);
  *levels |= 1u << level;
  layers->levels[layers->count++] = level;
  return TUNE_OK;
}

tune_status tune_layers_parse(const char *text, tune_layers *out_layers, unsigned *out_levels) {
  *out_layers = (tune_layers){0};
  *out_levels = 0;
  const char *rest = text ? text : "";
  const char *one_by_one = skip_prefix(rest, "layered"), *joint = skip_prefix(rest, "joint");
  const char *named = one_by_one ? one_by_one : joint;
  if (named && (!*named || *named == ':'))
    rest = *named ? named + 1 : named;
  if (named && *named == ':' && !*rest)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "expected levels after '%s'", text);
  while (*rest) {
    size_t length = strcspn(rest, ",");
    TUNE_RETURN_IF_ERROR(add_level(rest, length, out_layers, out_levels));
    rest += length + (rest[length] == ',');
  }
  if (!one_by_one)
    out_layers->count = 0;
  for (size_t i = 0; one_by_one && !*out_levels && i < TUNE_LEVEL_COUNT; ++i)
    out_layers->levels[out_layers->count++] = (tune_level)i;
  return TUNE_OK;
}
