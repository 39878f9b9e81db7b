//===- candidates.c -----------------------------------------------------------===//

#include "tools/tune-worker/candidates.h"

#include "support/json.h"
#include "transforms/build/build.h"
#include "transforms/spaces/best_config.h"
#include "transforms/spaces/module_tasks.h"
#include "tuning/database/database_transfer.h"
#include "tuning/space/config_complete.h"
#include "tuning/space/sampler.h"

#include <stdlib.h>
#include <string.h>

// A space may have fewer configs than are asked for, and draws repeat themselves.
#define DRAWS_FOR_ONE 20
#define MOST_TRIALS 1000000
#define MOST_THREADS 4096

typedef struct lister {
  const json_t *request;
  tune_module_tasks tasks;
  tune_database *database; // NULL: none
} lister;

// The string at `name`; NULL where it is null or absent.
static tune_status get_text(const json_t *object, const char *name, const char **out_text) {
  const json_t *value = json_object_get(object, name);
  *out_text = json_string_value(value);
  if (*out_text || !value || json_is_null(value))
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\": expected a string", name);
}

// The integer at `name`, 0 where it is null or absent.
static tune_status get_integer(const json_t *object, const char *name, json_int_t most,
                               json_int_t *out_integer) {
  const json_t *value = json_object_get(object, name);
  *out_integer = json_integer_value(value);
  bool is_absent = !value || json_is_null(value);
  if (is_absent || (json_is_integer(value) && *out_integer >= 0 && *out_integer <= most))
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT, "\"%s\": expected 0 to %lld", name,
                          (long long)most);
}

//===--------------------------------------------------------------------------===//
// Configs of a task
//===--------------------------------------------------------------------------===//

// Adds `config`, unless it is there.
static tune_status add_config(json_t *candidates, const tune_task_space *space,
                              const tune_config *config, const char *strategy, bool *out_is_new) {
  json_t *values;
  TUNE_RETURN_IF_ERROR(tune_config_to_json(config, space->space, &values));
  *out_is_new = true;
  for (size_t i = 0; i < json_array_size(candidates) && *out_is_new; ++i)
    *out_is_new = !json_equal(json_object_get(json_array_get(candidates, i), "config"), values);
  if (!*out_is_new) {
    json_decref(values);
    return TUNE_OK;
  }
  json_t *candidate = json_pack("{s:o, s:s}", "config", values, "strategy", strategy);
  return json_array_append_new(candidates, candidate) == 0
             ? TUNE_OK
             : tune_status_out_of_memory("listing candidates");
}

static tune_status add_given(const lister *l, const tune_task_space *space, const char *text,
                             json_t *candidates) {
  tune_config config;
  bool is_new;
  if (l->tasks.extraction->task_count != 1)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "a config is for a module with one task, and this one has %zu; put the "
                            "choices on the ops (tune-opt --tune-annotate)",
                            l->tasks.extraction->task_count);
  TUNE_RETURN_IF_ERROR(
      tune_status_annotate(tune_config_complete_text(&config, space->space, text), "%s", text));
  tune_status status = add_config(candidates, space, &config, "given", &is_new);
  tune_config_deinit(&config);
  return tune_status_annotate(status, "%s", text);
}

static tune_status add_best(const lister *l, const tune_task_space *space, json_t *candidates) {
  tune_best_outcome outcome;
  tune_config config;
  if (!l->database)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(
      tune_best_config_find(l->database, space, l->tasks.facts, &outcome, &config));
  if (outcome != TUNE_BEST_FOUND)
    return TUNE_OK;
  bool is_new;
  tune_status status = add_config(candidates, space, &config, "database", &is_new);
  tune_config_deinit(&config);
  return status;
}

static tune_status add_random(const lister *l, const tune_task_space *space, json_t *candidates) {
  json_int_t wanted;
  TUNE_RETURN_IF_ERROR(get_integer(l->request, "trials", MOST_TRIALS, &wanted));
  tune_sampler *sampler;
  tune_random random;
  tune_config config;
  tune_random_init(&random, (uint64_t)json_integer_value(json_object_get(l->request, "seed")));
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, space->space));
  tune_status status = tune_sampler_create(space->space, &sampler);
  for (size_t draws = 0; tune_status_is_ok(status) && wanted > 0 && draws < DRAWS_FOR_ONE;
       ++draws) {
    bool is_new = false;
    if (!tune_sampler_draw(sampler, &random, &config))
      break;
    status = add_config(candidates, space, &config, "random", &is_new);
    wanted -= is_new;
    if (is_new)
      draws = 0;
  }
  tune_sampler_destroy(sampler);
  tune_config_deinit(&config);
  return status;
}

static tune_status add_configs(const lister *l, const tune_task_space *space, json_t *candidates) {
  bool is_new;
  TUNE_RETURN_IF_ERROR(add_config(candidates, space, &space->config, "default", &is_new));
  const json_t *given = json_object_get(l->request, "configs");
  for (size_t i = 0; i < json_array_size(given); ++i) {
    const char *text = json_string_value(json_array_get(given, i));
    if (!text)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "\"configs\": expected strings");
    TUNE_RETURN_IF_ERROR(add_given(l, space, text, candidates));
  }
  TUNE_RETURN_IF_ERROR(add_best(l, space, candidates));
  return add_random(l, space, candidates);
}

//===--------------------------------------------------------------------------===//
// Tasks
//===--------------------------------------------------------------------------===//

static tune_status make_line(const lister *l, size_t index, json_t **out_line) {
  tune_database_task kept;
  TUNE_RETURN_IF_ERROR(tune_task_space_get_database_task(l->tasks.extraction, index, &kept));
  tune_status status = tune_database_task_to_line(&kept, out_line);
  tune_database_task_deinit(&kept);
  return status;
}

static tune_status add_task(const lister *l, size_t index, const tune_task_space *space,
                            json_t *tasks) {
  tune_task task;
  json_t *line, *candidates = json_array();
  tune_task_space_get_task(space, l->tasks.extraction, l->tasks.facts, &task);
  tune_status status = candidates ? add_configs(l, space, candidates)
                                  : tune_status_out_of_memory("listing candidates");
  if (tune_status_is_ok(status))
    status = make_line(l, index, &line);
  if (!tune_status_is_ok(status)) {
    json_decref(candidates);
    return status;
  }
  json_t *object =
      tune_json_pack("{s:o, s:s, s:s, s:s, s:s*, s:s, s:I, s:s?, s:s?, s:o}", "line", line,
                     "function", task.function, "payload", task.payload, "schedule", task.schedule,
                     "schedule_source", task.schedule_source, "schedule_digest",
                     task.schedule_digest, "reduction", (json_int_t)task.reduction, "accumulator",
                     task.accumulator, "operands", task.operands, "candidates", candidates);
  return json_array_append_new(tasks, object) == 0
             ? TUNE_OK
             : tune_status_out_of_memory("listing candidates");
}

static tune_status list_tasks(lister *l, MlirOperation payload, json_t *tasks) {
  const json_t *target = json_object_get(l->request, "target");
  const char *name, *database;
  json_int_t threads;
  tune_module_tasks_options options = {.has_fingerprint = true, .takes_all_chosen = true};
  TUNE_RETURN_IF_ERROR(get_text(target, "name", &name));
  TUNE_RETURN_IF_ERROR(get_text(l->request, "database", &database));
  TUNE_RETURN_IF_ERROR(get_text(l->request, "schedule", &options.schedule));
  TUNE_RETURN_IF_ERROR(get_text(l->request, "allow_passes", &options.allowed_passes));
  TUNE_RETURN_IF_ERROR(get_integer(l->request, "threads", MOST_THREADS, &threads));
  options.target = name ? name : "cpu";
  options.flush_cache = json_is_true(json_object_get(l->request, "flush_cache"));
  const json_t *fingerprint = json_object_get(target, "fingerprint");
  options.fingerprint = json_is_object(fingerprint) ? fingerprint : NULL;
  options.threads = threads > 0 ? (size_t)threads : 1;
  if (database)
    TUNE_RETURN_IF_ERROR(tune_database_open_read_only(database, &l->database));
  TUNE_RETURN_IF_ERROR(tune_module_tasks_init(&l->tasks, payload, &options));
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < l->tasks.extraction->task_count && tune_status_is_ok(status); ++i) {
    tune_task_space *space = NULL;
    status = tune_module_tasks_make_space(&l->tasks, i, &space);
    if (tune_status_is_ok(status))
      status = add_task(l, i, space, tasks);
    tune_task_space_destroy(space);
  }
  tune_module_tasks_deinit(&l->tasks);
  return status;
}

tune_status candidates_list(MlirContext context, const json_t *request, json_t **out_reply) {
  lister l = {.request = request};
  tune_build_source source = {.payload = NULL};
  tune_build_task *module;
  TUNE_RETURN_IF_ERROR(get_text(request, "payload", &source.payload));
  TUNE_RETURN_IF_ERROR(get_text(request, "payload_source", &source.payload_source));
  TUNE_RETURN_IF_ERROR(get_text(request, "function", &source.function));
  if (!source.payload && !source.payload_source)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"payload\": expected a string");
  if (!source.payload_source)
    source.payload_source = "payload.mlir";
  TUNE_RETURN_IF_ERROR(tune_build_task_create(context, &source, &module));
  for (const tune_dialect_getter *getter = tune_module_tasks_dialects; *getter; ++getter)
    mlirDialectHandleLoadDialect((*getter)(), context);
  json_t *tasks = json_array();
  tune_status status = tasks ? list_tasks(&l, tune_build_task_get_payload(module), tasks)
                             : tune_status_out_of_memory("listing candidates");
  tune_build_task_destroy(module);
  tune_database_destroy(l.database);
  *out_reply = tune_status_is_ok(status) ? json_pack("{s:O}", "tasks", tasks) : NULL;
  json_decref(tasks);
  return *out_reply || !tune_status_is_ok(status) ? status
                                                  : tune_status_out_of_memory("listing candidates");
}
