//===- export_evaluator.c ------------------------------------------------------------===//
//
// Somewhat over 500 lines, as it is one class: all its methods work on the items of one state, and
// a round that is built here and one that is known take turns in each of them.
//
//===---------------------------------------------------------------------------------===//

#include "tuning/remote/export_evaluator.h"

#include "tuning/evaluators/process_messages.h"
#include "tuning/remote/remote_builder.h"

#include <stdlib.h>
#include <string.h>

enum item_state {
  ITEM_TO_BUILD,
  ITEM_BUILT,      // and known here
  ITEM_TOLD,       // to the session
  ITEM_TO_MEASURE, //
  ITEM_DONE,
};

struct item {
  uint64_t ticket;
  json_t *config;
  enum item_state state;
  tune_evaluation build; // the outcome, for the session and for the export
};

struct elsewhere {
  tune_export_evaluator_options options;
  tune_remote_builder *builder; // NULL until something is to be built
  bool is_builder_open;         // for the present task
  json_t *line;
  const tune_task *task;
  struct item *items; // in the order of their tickets
  size_t count, capacity;
  size_t begin; // of the present round
  size_t round;
  double best; // seconds, when the round was asked for
  bool is_suspended;
};

// Whether the present round was exported before.
static bool is_known(const struct elsewhere *evaluator) {
  return evaluator->round < tune_rounds_count(evaluator->options.rounds);
}

static tune_status other_search(const struct elsewhere *evaluator) {
  return tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "round-%zu.export lacks what this search proposes: it is of a search of another module, with "
      "other options (strategy, seed, round, target, …), by another mlir-tune, or had trials that "
      "ended within a round; go on with these, or take an empty folder",
      evaluator->round + 1);
}

//===- Building ---------------------------------------------------------------===//

static tune_status open_builder(struct elsewhere *evaluator) {
  if (!evaluator->builder)
    TUNE_RETURN_IF_ERROR(
        tune_remote_builder_create(&evaluator->options.process, &evaluator->builder));
  if (!evaluator->is_builder_open)
    TUNE_RETURN_IF_ERROR(tune_remote_builder_open(evaluator->builder, evaluator->task));
  evaluator->is_builder_open = true;
  return TUNE_OK;
}

static tune_status add_item(struct elsewhere *evaluator, uint64_t ticket, json_t *config) {
  if (evaluator->count == evaluator->capacity) {
    size_t capacity = evaluator->capacity ? 2 * evaluator->capacity : 64;
    struct item *items = realloc(evaluator->items, capacity * sizeof *items);
    if (!items) {
      json_decref(config);
      return tune_status_out_of_memory("out of memory while evaluating configs");
    }
    evaluator->items = items;
    evaluator->capacity = capacity;
  }
  evaluator->items[evaluator->count++] = (struct item){.ticket = ticket, .config = config};
  return TUNE_OK;
}

// A search that had come to its finalists goes on behind them where it is given more trials: what
// it proposes then is none of them.
static tune_status pass_finalists(struct elsewhere *evaluator, const json_t *config) {
  const tune_rounds *rounds = evaluator->options.rounds;
  const char *key = evaluator->task->key, *schedule = evaluator->task->schedule_digest;
  while (is_known(evaluator) &&
         tune_rounds_has_finalists(rounds, evaluator->round, key, schedule)) {
    const json_t *finalist;
    TUNE_RETURN_IF_ERROR(
        tune_rounds_find_candidate(rounds, evaluator->round, key, schedule, config, &finalist));
    if (finalist)
      return TUNE_OK;
    if (!tune_rounds_has_results(rounds, evaluator->round))
      return tune_status_make(
          TUNE_FAILED_PRECONDITION,
          "round-%zu.export, of the finalists, is not measured yet: measure it, "
          "and then give more trials",
          evaluator->round + 1);
    ++evaluator->round;
  }
  return TUNE_OK;
}

static tune_status elsewhere_build(void *self, uint64_t ticket, const tune_config *config) {
  struct elsewhere *evaluator = self;
  json_t *values;
  TUNE_RETURN_IF_ERROR(tune_config_to_json(config, evaluator->task->space, &values));
  tune_status status = pass_finalists(evaluator, values);
  if (!tune_status_is_ok(status)) {
    json_decref(values);
    return status;
  }
  TUNE_RETURN_IF_ERROR(add_item(evaluator, ticket, values));
  if (is_known(evaluator))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(open_builder(evaluator));
  return tune_remote_builder_add(evaluator->builder, ticket, json_incref(values));
}

static tune_status copy_text(const char *text, char **out_text) {
  *out_text = text ? strdup(text) : NULL;
  return *out_text || !text ? TUNE_OK
                            : tune_status_out_of_memory("out of memory while evaluating configs");
}

// The outcome of a build as it was exported.
static tune_status read_candidate(const json_t *object, tune_evaluation *build) {
  tune_exported_candidate candidate;
  TUNE_RETURN_IF_ERROR(tune_exported_candidate_from_json(object, &candidate));
  TUNE_RETURN_IF_ERROR(
      tune_verdict_parse(candidate.verdict ? candidate.verdict : "", &build->verdict));
  TUNE_RETURN_IF_ERROR(copy_text(candidate.error, &build->error));
  TUNE_RETURN_IF_ERROR(copy_text(candidate.digest, &build->digest));
  TUNE_RETURN_IF_ERROR(tune_code_features_from_json(candidate.code, &build->code));
  build->created_ms = candidate.created_ms;
  return tune_stages_get(object, build->stage_seconds);
}

static tune_status recall_build(struct elsewhere *evaluator, struct item *item) {
  const json_t *candidate;
  TUNE_RETURN_IF_ERROR(
      tune_rounds_find_candidate(evaluator->options.rounds, evaluator->round, evaluator->task->key,
                                 evaluator->task->schedule_digest, item->config, &candidate));
  if (!candidate)
    return other_search(evaluator);
  TUNE_RETURN_IF_ERROR(read_candidate(candidate, &item->build));
  item->state = ITEM_BUILT;
  return TUNE_OK;
}

static tune_status await_build(struct elsewhere *evaluator, double seconds) {
  tune_evaluation event;
  bool any;
  TUNE_RETURN_IF_ERROR(tune_remote_builder_wait(evaluator->builder, seconds, &event, &any));
  for (size_t i = evaluator->begin; any && i < evaluator->count; ++i) {
    struct item *item = &evaluator->items[i];
    if (item->ticket != event.ticket)
      continue;
    item->build = event;
    item->state = ITEM_BUILT;
    return TUNE_OK;
  }
  tune_evaluation_deinit(&event);
  return TUNE_OK;
}

// The session gets copies of the texts: an export needs them too.
static tune_status tell_build(struct item *item, tune_evaluation *event, bool *out_any) {
  *event = item->build;
  event->ticket = item->ticket;
  event->error = item->build.error ? strdup(item->build.error) : NULL;
  event->digest = item->build.digest ? strdup(item->build.digest) : NULL;
  item->state = event->verdict == TUNE_VERDICT_OK ? ITEM_TOLD : ITEM_DONE;
  *out_any = true;
  bool ok = (event->error || !item->build.error) && (event->digest || !item->build.digest);
  return ok ? TUNE_OK : tune_status_out_of_memory("out of memory while evaluating configs");
}

//===- Measuring --------------------------------------------------------------===//

static tune_status elsewhere_measure(void *self, uint64_t ticket, double best) {
  struct elsewhere *evaluator = self;
  for (size_t i = evaluator->begin; i < evaluator->count; ++i) {
    struct item *item = &evaluator->items[i];
    if (item->ticket != ticket || item->state != ITEM_TOLD)
      continue;
    item->state = ITEM_TO_MEASURE;
    evaluator->best = best;
    return TUNE_OK;
  }
  return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu has no artifact to measure",
                          (unsigned long long)ticket);
}

static struct item *find_to_measure(struct elsewhere *evaluator) {
  for (size_t i = evaluator->begin; i < evaluator->count; ++i)
    if (evaluator->items[i].state == ITEM_TO_MEASURE)
      return &evaluator->items[i];
  return NULL;
}

// Moves what the record has into the event.
static void take_record(tune_record *record, tune_evaluation *event) {
  event->is_measured = true;
  event->verdict = record->verdict;
  event->error = record->error;
  event->time = record->time;
  event->run = record->run;
  event->stage_seconds[TUNE_STAGE_MEASURE] = record->stage_seconds[TUNE_STAGE_MEASURE];
  event->created_ms = record->created_ms;
  record->error = NULL;
  record->time = (tune_timing){0};
}

static tune_status recall_measurement(struct elsewhere *evaluator, struct item *item,
                                      tune_evaluation *event, bool *out_any) {
  const tune_rounds *rounds = evaluator->options.rounds;
  const char *key = evaluator->task->key, *schedule = evaluator->task->schedule_digest;
  const char *failure = tune_rounds_failure(rounds, evaluator->round, key, schedule);
  const json_t *trial;
  if (failure)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "%s", failure);
  TUNE_RETURN_IF_ERROR(
      tune_rounds_find_result(rounds, evaluator->round, key, schedule, item->config, &trial));
  if (!trial)
    return other_search(evaluator);
  tune_record record;
  TUNE_RETURN_IF_ERROR(tune_status_annotate(tune_record_from_json(trial, &record),
                                            "round-%zu.results", evaluator->round + 1));
  take_record(&record, event);
  tune_record_deinit(&record);
  event->ticket = item->ticket;
  item->state = ITEM_DONE;
  *out_any = true;
  if (!find_to_measure(evaluator)) {
    evaluator->begin = evaluator->count;
    ++evaluator->round;
  }
  return TUNE_OK;
}

//===- The next round ---------------------------------------------------------===//

static tune_status is_default(const struct elsewhere *evaluator, const json_t *config,
                              bool *out_is_default) {
  tune_config usual;
  json_t *values;
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&usual, evaluator->task->space));
  tune_status status = tune_config_to_json(&usual, evaluator->task->space, &values);
  tune_config_deinit(&usual);
  TUNE_RETURN_IF_ERROR(status);
  *out_is_default = json_equal(values, config);
  json_decref(values);
  return TUNE_OK;
}

// Without an `artifact` it is not measured.
static tune_status export_item(const struct elsewhere *evaluator, const struct item *item,
                               const char *artifact, tune_export_writer *writer, size_t task) {
  bool is_usual;
  TUNE_RETURN_IF_ERROR(is_default(evaluator, item->config, &is_usual));
  tune_export_candidate candidate = {.config = item->config,
                                     .strategy = is_usual ? "default" : evaluator->options.strategy,
                                     .seed = evaluator->options.seed,
                                     .build = &item->build,
                                     .created_ms = item->build.created_ms,
                                     .artifact = artifact};
  return tune_export_writer_add_candidate(writer, task, &candidate);
}

// Begins the next export, or goes on with it, with the present task, which is its task
// `*out_index`.
static tune_status begin_export(struct elsewhere *evaluator, tune_export_writer **out_writer,
                                size_t *out_index) {
  const tune_export_evaluator_options *options = &evaluator->options;
  const tune_task *task = evaluator->task;
  tune_export_source source = tune_export_source_of(&options->process, options->device);
  tune_export_task exported = {.line = evaluator->line,
                               .schedule = task->schedule_digest,
                               .signature = tune_remote_builder_signature(evaluator->builder),
                               .reduction = task->reduction,
                               .accumulator = task->accumulator,
                               .operands = task->operands,
                               .reference = tune_remote_builder_reference(evaluator->builder),
                               .best = evaluator->best};
  TUNE_RETURN_IF_ERROR(tune_rounds_begin(options->rounds, &source, out_writer));
  return tune_export_writer_add_task(*out_writer, &exported, out_index);
}

static tune_status export_round(struct elsewhere *evaluator) {
  tune_export_writer *writer;
  size_t index;
  TUNE_RETURN_IF_ERROR(begin_export(evaluator, &writer, &index));
  for (size_t i = evaluator->begin; i < evaluator->count; ++i) {
    const struct item *item = &evaluator->items[i];
    const char *artifact = item->state == ITEM_TO_MEASURE
                               ? tune_remote_builder_artifact(evaluator->builder, item->ticket)
                               : NULL;
    TUNE_RETURN_IF_ERROR(export_item(evaluator, item, artifact, writer, index));
  }
  evaluator->is_suspended = true;
  return TUNE_OK;
}

static tune_status elsewhere_wait(void *self, double seconds, tune_evaluation *event,
                                  bool *out_any) {
  struct elsewhere *evaluator = self;
  *event = (tune_evaluation){0};
  *out_any = false;
  for (size_t i = evaluator->begin; i < evaluator->count; ++i) {
    struct item *item = &evaluator->items[i];
    if (item->state == ITEM_TO_BUILD && is_known(evaluator))
      TUNE_RETURN_IF_ERROR(recall_build(evaluator, item));
    else if (item->state == ITEM_TO_BUILD)
      return await_build(evaluator, seconds);
    if (item->state == ITEM_BUILT)
      return tell_build(item, event, out_any);
  }
  struct item *item = find_to_measure(evaluator);
  if (!item || evaluator->is_suspended)
    return TUNE_OK;
  if (!is_known(evaluator))
    return export_round(evaluator);
  evaluator->is_suspended = !tune_rounds_has_results(evaluator->options.rounds, evaluator->round);
  return evaluator->is_suspended ? TUNE_OK : recall_measurement(evaluator, item, event, out_any);
}

//===- The rest of the class --------------------------------------------------===//

static void forget_items(struct elsewhere *evaluator) {
  for (size_t i = 0; i < evaluator->count; ++i) {
    json_decref(evaluator->items[i].config);
    tune_evaluation_deinit(&evaluator->items[i].build);
  }
  evaluator->count = evaluator->begin = evaluator->round = 0;
  evaluator->is_suspended = evaluator->is_builder_open = false;
}

static tune_status elsewhere_open(void *self, const tune_task *task) {
  struct elsewhere *evaluator = self;
  evaluator->task = task;
  return TUNE_OK;
}

static size_t elsewhere_capacity(const void *self) {
  (void)self;
  return 1; // rounds are asked for as a whole
}

// Artifacts are kept for the export, and go with the task.
static void elsewhere_release(void *self, uint64_t ticket) {
  (void)self;
  (void)ticket;
}

static struct item *find_item(struct elsewhere *evaluator, uint64_t ticket) {
  for (size_t i = 0; i < evaluator->count; ++i)
    if (evaluator->items[i].ticket == ticket)
      return &evaluator->items[i];
  return NULL;
}

// Builds those finalists again that were built when an earlier round was exported.
static tune_status build_finalists(struct elsewhere *evaluator, const tune_compare_order *order) {
  size_t outstanding = 0;
  TUNE_RETURN_IF_ERROR(open_builder(evaluator));
  for (size_t i = 0; i < order->count; ++i) {
    const struct item *item = find_item(evaluator, order->tickets[i]);
    if (!item)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "ticket %llu has no artifact to compare",
                              (unsigned long long)order->tickets[i]);
    if (tune_remote_builder_artifact(evaluator->builder, item->ticket))
      continue;
    TUNE_RETURN_IF_ERROR(
        tune_remote_builder_add(evaluator->builder, item->ticket, json_incref(item->config)));
    ++outstanding;
  }
  while (outstanding) {
    tune_evaluation event;
    bool any;
    TUNE_RETURN_IF_ERROR(tune_remote_builder_wait(evaluator->builder, 1, &event, &any));
    struct item *item = any ? find_item(evaluator, event.ticket) : NULL;
    outstanding -= any;
    if (item) {
      tune_evaluation_deinit(&item->build);
      item->build = event;
    } else {
      tune_evaluation_deinit(&event);
    }
  }
  return TUNE_OK;
}

static tune_status export_finalists(struct elsewhere *evaluator, const tune_compare_order *order) {
  tune_export_writer *writer;
  size_t index;
  TUNE_RETURN_IF_ERROR(build_finalists(evaluator, order));
  TUNE_RETURN_IF_ERROR(begin_export(evaluator, &writer, &index));
  TUNE_RETURN_IF_ERROR(tune_export_writer_set_compare(writer, index, order->confidence));
  for (size_t i = 0; i < order->count; ++i) {
    const struct item *item = find_item(evaluator, order->tickets[i]);
    TUNE_RETURN_IF_ERROR(export_item(evaluator, item,
                                     tune_remote_builder_artifact(evaluator->builder, item->ticket),
                                     writer, index));
  }
  return TUNE_OK;
}

// The comparison is a round of its own.
static tune_status elsewhere_compare(void *self, const tune_compare_order *order,
                                     tune_comparison *comparison) {
  struct elsewhere *evaluator = self;
  const tune_rounds *rounds = evaluator->options.rounds;
  const char *key = evaluator->task->key, *schedule = evaluator->task->schedule_digest;
  *comparison = (tune_comparison){.was_interrupted = true};
  bool was_known = is_known(evaluator);
  if (!was_known)
    TUNE_RETURN_IF_ERROR(export_finalists(evaluator, order));
  evaluator->is_suspended = !was_known || !tune_rounds_has_results(rounds, evaluator->round);
  if (evaluator->is_suspended)
    return TUNE_OK;
  const char *failure = tune_rounds_failure(rounds, evaluator->round, key, schedule);
  if (failure)
    return tune_status_make(TUNE_FAILED_PRECONDITION, "%s", failure);
  const json_t *line = tune_rounds_comparison(rounds, evaluator->round, key, schedule);
  if (!line)
    return other_search(evaluator);
  tune_status status = tune_status_annotate(tune_reply_read_compare(line, order->count, comparison),
                                            "round-%zu.results", evaluator->round + 1);
  evaluator->begin = evaluator->count;
  ++evaluator->round;
  return status;
}

static tune_status elsewhere_cancel(void *self) {
  struct elsewhere *evaluator = self;
  return evaluator->builder ? tune_remote_builder_cancel(evaluator->builder) : TUNE_OK;
}

static void elsewhere_close(void *self) {
  struct elsewhere *evaluator = self;
  tune_status_free(elsewhere_cancel(evaluator));
  forget_items(evaluator);
  evaluator->task = NULL;
}

static bool elsewhere_is_suspended(const void *self) {
  return ((const struct elsewhere *)self)->is_suspended;
}

static void elsewhere_destroy(void *self) {
  struct elsewhere *evaluator = self;
  forget_items(evaluator);
  tune_remote_builder_destroy(evaluator->builder);
  json_decref(evaluator->line);
  free(evaluator->items);
  free(evaluator);
}

static const tune_evaluator_class elsewhere_class = {
    .name = "elsewhere",
    .destroy = elsewhere_destroy,
    .open = elsewhere_open,
    .capacity = elsewhere_capacity,
    .build = elsewhere_build,
    .measure = elsewhere_measure,
    .release = elsewhere_release,
    .wait = elsewhere_wait,
    .compare = elsewhere_compare,
    .cancel = elsewhere_cancel,
    .close = elsewhere_close,
    .is_suspended = elsewhere_is_suspended,
};

tune_status tune_evaluator_elsewhere_create(const tune_export_evaluator_options *options,
                                            tune_evaluator *out_evaluator) {
  struct elsewhere *evaluator = calloc(1, sizeof *evaluator);
  *out_evaluator = (tune_evaluator){0};
  if (!evaluator)
    return tune_status_out_of_memory("out of memory while evaluating configs");
  evaluator->options = *options;
  *out_evaluator = (tune_evaluator){&elsewhere_class, evaluator};
  return TUNE_OK;
}

void tune_evaluator_elsewhere_set_line(tune_evaluator *evaluator, json_t *line) {
  struct elsewhere *self = evaluator->self;
  json_decref(self->line);
  self->line = json_incref(line);
}
