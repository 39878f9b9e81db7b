//===- search_rounds.c - Tuning what is measured elsewhere -------------------===//

#include "dialects/diagnostic.h"
#include "support/clock.h"
#include "support/file.h"
#include "transforms/search/search_state.h"
#include "tuning/database/database_transfer.h"
#include "tuning/device/process_target.h"
#include "tuning/remote/export_evaluator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// How often to look whether results have come, in seconds.
#define LOOK_SECONDS 0.5

typedef struct tune_search search;

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "";
}

//===--------------------------------------------------------------------------===//
// The machine that measures
//===--------------------------------------------------------------------------===//

tune_status tune_search_rounds_open(search *s, const json_t **out_device) {
  const char *target = s->options->tasks.target;
  TUNE_RETURN_IF_ERROR(tune_rounds_open(s->options->export_folder, &s->rounds));
  *out_device = tune_rounds_device(s->rounds);
  if (!*out_device)
    return TUNE_OK;
  const char *its = text_of(*out_device, "target");
  size_t length = strlen(its);
  if (strncmp(its, target, length) == 0 && (!target[length] || target[length] == ':'))
    return TUNE_OK;
  return tune_status_make(
      TUNE_INVALID_ARGUMENT,
      "%s/device.json is of the target %s, and the search of %s; take target=%s, "
      "or the output of tune-measure --fingerprint --target=%s",
      s->options->export_folder, its, target, its,
      tune_target_kind_of(target) == TUNE_KIND_CPU ? "cpu" : target);
}

tune_status tune_search_rounds_advise(const search *s, tune_status status) {
  return tune_status_join(
      tune_status_make(TUNE_UNAVAILABLE,
                       "%s; for a device of another machine put what `tune-measure --fingerprint "
                       "--target=%s` prints there into %s/device.json",
                       tune_status_get_message(status), s->options->tasks.target,
                       s->options->export_folder),
      status);
}

// Keeps what results say of their machine, which has the roofline too.
static tune_status put_fingerprint(search *s, const json_t *line) {
  char *target = NULL, *description = NULL;
  tune_status status =
      tune_database_get_fingerprint(s->database, s->fingerprint.text, &target, &description);
  free(target);
  free(description);
  if (tune_status_get_code(status) != TUNE_NOT_FOUND)
    return status;
  tune_status_free(status);
  description = json_dumps(json_object_get(line, "description"), JSON_COMPACT | JSON_SORT_KEYS);
  if (!description)
    return tune_status_out_of_memory("searching in rounds");
  status = tune_database_put_fingerprint(s->database, s->fingerprint.text, text_of(line, "target"),
                                         description);
  free(description);
  return status;
}

// What records are of: the machine of the results, or that of device.json, or none that is known.
static tune_status find_fingerprint(search *s) {
  const json_t *line = tune_rounds_fingerprint(s->rounds);
  const char *expected = s->tasks.facts->digest.text;
  snprintf(s->fingerprint.text, sizeof s->fingerprint.text, "%s",
           line ? text_of(line, "digest") : expected);
  if (line && tune_rounds_device(s->rounds) && strcmp(s->fingerprint.text, expected) != 0)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "the results in %s are of another machine, device or count of threads "
                            "(%s) than device.json "
                            "(%s)",
                            s->options->export_folder,
                            text_of(json_object_get(line, "description"), "model"),
                            text_of(s->tasks.facts->fingerprint, "model"));
  if (!line)
    return TUNE_OK;
  json_t *roofline = json_object_get(json_object_get(line, "description"), "roofline");
  if (!s->tasks.facts->roofline && json_is_object(roofline))
    s->tasks.facts->roofline = json_incref(roofline);
  return put_fingerprint(s, line);
}

//===--------------------------------------------------------------------------===//
// Records
//===--------------------------------------------------------------------------===//

// What was known when the search began is what it goes by to its end: else it would propose
// something else when it is begun again.
static tune_status write_known(const search *s, const char *path) {
  FILE *file = fopen(path, "w");
  if (!file)
    return tune_status_from_errno(errno, "writing %s", path);
  tune_database_transfer done;
  tune_status status =
      tune_database_export(s->database, NULL, s->tasks.facts->digest.text, file, path, &done);
  if (fclose(file) != 0 && tune_status_is_ok(status))
    status = tune_status_from_errno(errno, "writing %s", path);
  return status;
}

static tune_status read_known(search *s, const char *path) {
  FILE *file = fopen(path, "r");
  if (!file)
    return tune_status_from_errno(errno, "%s cannot be read", path);
  tune_database_transfer done;
  tune_status status = tune_database_open(":memory:", &s->known);
  if (tune_status_is_ok(status))
    status = tune_database_import(s->known, file, path, &done);
  fclose(file);
  s->known_digest = s->tasks.facts->digest;
  return status;
}

// Of a device that is not known yet nothing is known.
static tune_status open_known(search *s) {
  if (!tune_rounds_device(s->rounds))
    return TUNE_OK;
  char *path;
  TUNE_RETURN_IF_ERROR(tune_rounds_path(s->rounds, "known.jsonl", &path));
  tune_status status = TUNE_OK;
  if (tune_rounds_count(s->rounds) == 0)
    status = write_known(s, path);
  if (tune_status_is_ok(status))
    status = read_known(s, path);
  free(path);
  return status;
}

static tune_status load_known(void *self, const char *task, const char *fingerprint,
                              tune_record_visitor visit, void *user) {
  search *s = self;
  (void)fingerprint;
  return s->known ? tune_database_load(s->known, task, s->known_digest.text, visit, user) : TUNE_OK;
}

// The same record comes each time the search is begun again, and is kept once.
static tune_status append_record(void *self, const tune_record *record) {
  search *s = self;
  return tune_rounds_fingerprint(s->rounds) ? tune_database_append(s->database, record) : TUNE_OK;
}

//===--------------------------------------------------------------------------===//
// Beginning
//===--------------------------------------------------------------------------===//

// What has to be the same for the same proposals. That there may be more trials is known.
static json_t *make_identity(const search *s) {
  const tune_session_options *session = &s->options->session;
  const tune_strategy_options *strategy = &session->strategy_options;
  json_t *tasks = json_array();
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++)
    json_array_append_new(tasks, json_string(s->tasks.extraction->tasks[i].key.text));
  return json_pack("{s:o, s:s, s:I, s:I, s:I, s:f, s:i, s:I, s:s, s:I, s:b}", "tasks", tasks,
                   "strategy", session->strategy, "seed", (json_int_t)strategy->seed, "finalists",
                   (json_int_t)session->finalists, "population", (json_int_t)strategy->population,
                   "mutation-rate", strategy->mutation_rate, "selection", (int)strategy->selection,
                   "round", (json_int_t)session->round, "target", s->options->tasks.target,
                   "threads", (json_int_t)s->options->tasks.threads, "flush-cache",
                   s->options->tasks.flush_cache);
}

// The levels, where they are searched one after the other.
static int add_layers(const search *s, json_t *identity) {
  const tune_layers *layers = &s->options->session.layers;
  json_t *names = layers->count ? json_array() : NULL;
  for (size_t i = 0; i < layers->count; i++)
    json_array_append_new(names, json_string(tune_level_name(layers->levels[i])));
  return layers->count ? json_object_set_new(identity, "layers", names) : 0;
}

static tune_status claim_folder(search *s) {
  json_t *identity = make_identity(s);
  if (identity && add_layers(s, identity) != 0) {
    json_decref(identity);
    identity = NULL;
  }
  if (!identity)
    return tune_status_out_of_memory("searching in rounds");
  tune_status status = tune_rounds_claim(s->rounds, identity);
  json_decref(identity);
  return status;
}

tune_status tune_search_rounds_open_records(search *s) {
  TUNE_RETURN_IF_ERROR(claim_folder(s));
  s->store = (tune_record_store){.self = s, .append = append_record, .load = load_known};
  TUNE_RETURN_IF_ERROR(find_fingerprint(s));
  return open_known(s);
}

tune_status tune_search_rounds_start(search *s) {
  const tune_target_facts *facts = s->tasks.facts;
  bool is_cpu = facts->name.kind == TUNE_KIND_CPU;
  tune_export_evaluator_options options = {.device = is_cpu ? facts->fingerprint
                                                            : tune_target_facts_device(facts),
                                           .strategy = s->options->session.strategy,
                                           .seed = s->options->session.strategy_options.seed,
                                           .rounds = s->rounds};
  tune_process_evaluator_options_init(&options.process);
  size_t threads = s->options->tasks.threads;
  options.process.target = tune_process_target_of(facts);
  if (tune_rounds_device(s->rounds))
    TUNE_RETURN_IF_ERROR(
        tune_process_target_of_elsewhere(facts, threads, &s->features, &options.process.target));
  // Which device, and how many threads count, the other machine knows.
  options.process.target.device = NULL;
  options.process.target.threads = threads;
  options.process.building = s->options->building;
  options.process.measuring = s->options->measuring;
  options.process.seed = s->options->session.strategy_options.seed;
  return tune_evaluator_elsewhere_create(&options, &s->evaluator);
}

//===--------------------------------------------------------------------------===//
// All tasks
//===--------------------------------------------------------------------------===//

// How far a task has come.
typedef struct outcome {
  tune_session_result result;
  tune_status failure; // of its reference
} outcome;

static void forget(outcome *outcomes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    tune_session_result_deinit(&outcomes[i].result);
    tune_status_free(outcomes[i].failure);
    outcomes[i] = (outcome){.failure = TUNE_OK};
  }
}

// Tells the evaluator what it writes down of the present task.
static tune_status tell_evaluator(search *s) {
  tune_kept_task kept;
  TUNE_RETURN_IF_ERROR(tune_task_space_get_kept_task(s->tasks.extraction, s->index, &kept));
  json_t *line = NULL;
  tune_status status = tune_kept_task_to_line(&kept, &line);
  tune_evaluator_elsewhere_set_line(&s->evaluator, line);
  json_decref(line);
  tune_kept_task_deinit(&kept);
  return status;
}

static tune_status run_task(search *s, outcome *out) {
  tune_task task;
  tune_task_space_get_task(s->space, s->tasks.extraction, &task);
  TUNE_RETURN_IF_ERROR(tell_evaluator(s));
  tune_status status = tune_search_run_session(s, &task, &out->result);
  if (tune_status_get_code(status) != TUNE_FAILED_PRECONDITION)
    return status;
  out->failure = status;
  return TUNE_OK;
}

// What each thread does by itself is for one thread, and what is exported for all of them.
static bool is_for_fewer_threads(const search *s, size_t task) {
  return tune_module_tasks_facts(&s->tasks, task) != s->tasks.facts;
}

static void remark_fewer_threads(const search *s) {
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    const tune_extracted_task *task = &s->tasks.extraction->tasks[i];
    if (is_for_fewer_threads(s, i))
      tune_remark_emit(task->location,
                       "'%s' keeps its default: each thread does it by itself, for images of its "
                       "own, and what is measured elsewhere runs on all threads",
                       task->name);
  }
}

// As far as there are results. `*out_is_done` is false where the next round is wanted.
static tune_status run_tasks(search *s, outcome *outcomes, bool *out_is_done) {
  *out_is_done = true;
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    if (is_for_fewer_threads(s, i))
      continue;
    tune_search_turn_to(s, i);
    TUNE_RETURN_IF_ERROR(run_task(s, &outcomes[i]));
    *out_is_done = *out_is_done && outcomes[i].result.stop != TUNE_STOP_SUSPENDED;
  }
  return TUNE_OK;
}

static tune_status finish_task(search *s, outcome *own) {
  tune_task task;
  tune_task_space_get_task(s->space, s->tasks.extraction, &task);
  if (tune_status_is_ok(own->failure)) {
    bool is_worth_telling = own->result.has_best || own->result.stop != TUNE_STOP_SUSPENDED;
    return is_worth_telling ? tune_search_finish_task(s, &task, &own->result) : TUNE_OK;
  }
  tune_search_tell_failed(s, &task, own->failure);
  own->failure = TUNE_OK;
  return TUNE_OK;
}

static tune_status finish_tasks(search *s, outcome *outcomes) {
  for (size_t i = 0; i < s->tasks.extraction->task_count; i++) {
    if (is_for_fewer_threads(s, i))
      continue;
    tune_search_turn_to(s, i);
    TUNE_RETURN_IF_ERROR(finish_task(s, &outcomes[i]));
  }
  return TUNE_OK;
}

// Waits for results as long as the options say. `*out_came` where they are all there.
static tune_status await_results(search *s, bool *out_came) {
  double deadline = tune_clock_seconds() + s->options->export_wait;
  tune_rounds_pending pending = tune_rounds_get_pending(s->rounds);
  bool waits = s->options->export_wait > 0;
  if (s->observer->round)
    s->observer->round(s->observer->user, &pending, waits);
  while (waits && pending.number && !tune_search_is_interrupted(s) &&
         tune_clock_seconds() < deadline) {
    tune_clock_sleep(LOOK_SECONDS);
    TUNE_RETURN_IF_ERROR(tune_rounds_refresh(s->rounds));
    pending = tune_rounds_get_pending(s->rounds);
  }
  *out_came = pending.number == 0;
  if (waits && !*out_came && s->observer->round)
    s->observer->round(s->observer->user, &pending, false);
  return *out_came ? find_fingerprint(s) : TUNE_OK;
}

static tune_status run_until_done(search *s, outcome *outcomes) {
  bool goes_on = true;
  while (goes_on) {
    bool is_done;
    forget(outcomes, s->tasks.extraction->task_count);
    TUNE_RETURN_IF_ERROR(run_tasks(s, outcomes, &is_done));
    goes_on = !is_done && !tune_search_is_interrupted(s);
    if (goes_on) {
      TUNE_RETURN_IF_ERROR(tune_rounds_export(s->rounds));
      TUNE_RETURN_IF_ERROR(await_results(s, &goes_on));
    }
  }
  return TUNE_OK;
}

tune_status tune_search_rounds_run(search *s) {
  size_t count = s->tasks.extraction->task_count;
  outcome *outcomes = calloc(count + 1, sizeof *outcomes);
  if (!outcomes)
    return tune_status_out_of_memory("searching in rounds");
  remark_fewer_threads(s);
  tune_status status = run_until_done(s, outcomes);
  if (tune_status_is_ok(status))
    status = finish_tasks(s, outcomes);
  forget(outcomes, count);
  free(outcomes);
  return status;
}
