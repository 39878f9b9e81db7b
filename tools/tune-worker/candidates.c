//===- candidates.c -----------------------------------------------------------===//

#include "tools/tune-worker/candidates.h"
#include "tools/tune-worker/parse_child.h"

#include "formats/worker_replies.h"
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

typedef struct lister {
  const tune_candidates_request *request;
  tune_module_tasks tasks;
  tune_database *database; // NULL: none
  // Texts of what is listed are these spaces' and the extraction's.
  tune_task_space **spaces;
  tune_listed_task_list listed;
} lister;

//===--------------------------------------------------------------------------===//
// Configs of a task
//===--------------------------------------------------------------------------===//

// Adds `config`, unless it is there.
static tune_status add_config(tune_listed_candidate_list *candidates, const tune_task_space *space,
                              const tune_config *config, const char *strategy, bool *out_is_new) {
  json_t *values;
  TUNE_RETURN_IF_ERROR(tune_config_to_json(config, space->space, &values));
  *out_is_new = true;
  for (size_t i = 0; i < candidates->count && *out_is_new; ++i)
    *out_is_new = !json_equal(candidates->items[i].config, values);
  tune_listed_candidate *items =
      *out_is_new ? realloc(candidates->items, (candidates->count + 1) * sizeof *items) : NULL;
  if (!items) {
    json_decref(values);
    return *out_is_new ? tune_status_out_of_memory("listing candidates") : TUNE_OK;
  }
  candidates->items = items;
  items[candidates->count++] = (tune_listed_candidate){.config = values, .strategy = strategy};
  return TUNE_OK;
}

static tune_status add_given(const lister *l, const tune_task_space *space, const char *text,
                             tune_listed_candidate_list *candidates) {
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

static tune_status add_best(const lister *l, const tune_task_space *space,
                            tune_listed_candidate_list *candidates) {
  tune_best_outcome outcome;
  tune_config config;
  if (!l->database)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(
      tune_best_config_find(l->database, space, l->tasks.facts, NULL, &outcome, &config));
  if (outcome != TUNE_BEST_FOUND)
    return TUNE_OK;
  bool is_new;
  tune_status status = add_config(candidates, space, &config, "database", &is_new);
  tune_config_deinit(&config);
  return status;
}

static tune_status add_random(const lister *l, const tune_task_space *space,
                              tune_listed_candidate_list *candidates) {
  int64_t wanted = l->request->trials;
  tune_sampler *sampler;
  tune_random random;
  tune_config config;
  tune_random_init(&random, (uint64_t)l->request->seed);
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

static tune_status add_configs(const lister *l, const tune_task_space *space,
                               tune_listed_candidate_list *candidates) {
  bool is_new;
  TUNE_RETURN_IF_ERROR(add_config(candidates, space, &space->config, "default", &is_new));
  for (size_t i = 0; i < l->request->configs.count; ++i)
    TUNE_RETURN_IF_ERROR(add_given(l, space, l->request->configs.items[i], candidates));
  TUNE_RETURN_IF_ERROR(add_best(l, space, candidates));
  return add_random(l, space, candidates);
}

//===--------------------------------------------------------------------------===//
// Tasks
//===--------------------------------------------------------------------------===//

static tune_status make_line(const lister *l, size_t index, json_t **out_line) {
  tune_kept_task kept;
  TUNE_RETURN_IF_ERROR(tune_task_space_get_kept_task(l->tasks.extraction, index, &kept));
  tune_status status = tune_kept_task_to_line(&kept, out_line);
  tune_kept_task_deinit(&kept);
  return status;
}

static tune_status list_task(lister *l, size_t index) {
  tune_task task;
  tune_listed_task *listed = &l->listed.items[index];
  TUNE_RETURN_IF_ERROR(tune_module_tasks_make_space(&l->tasks, index, &l->spaces[index]));
  tune_task_space_get_task(l->spaces[index], l->tasks.extraction, &task);
  TUNE_RETURN_IF_ERROR(add_configs(l, l->spaces[index], &listed->candidates));
  json_t *line;
  TUNE_RETURN_IF_ERROR(make_line(l, index, &line));
  listed->line = line;
  listed->function = task.function;
  listed->payload = task.payload;
  listed->schedule = task.schedule;
  listed->schedule_source = task.schedule_source;
  listed->schedule_digest = task.schedule_digest;
  listed->reduction = task.reduction;
  listed->accumulator = task.accumulator;
  listed->operands = task.operands;
  return TUNE_OK;
}

static tune_status list_all(lister *l, json_t **out_reply) {
  size_t count = l->tasks.extraction->task_count;
  l->spaces = calloc(count + 1, sizeof *l->spaces);
  l->listed = (tune_listed_task_list){calloc(count + 1, sizeof *l->listed.items), count};
  if (!l->spaces || !l->listed.items)
    return tune_status_out_of_memory("listing candidates");
  for (size_t i = 0; i < count; ++i)
    TUNE_RETURN_IF_ERROR(list_task(l, i));
  tune_candidates_reply reply = {l->listed};
  return tune_candidates_reply_to_json(&reply, out_reply);
}

static void forget_list(lister *l) {
  for (size_t i = 0; l->spaces && l->listed.items && i < l->listed.count; ++i) {
    tune_listed_task *listed = &l->listed.items[i];
    for (size_t c = 0; c < listed->candidates.count; ++c)
      json_decref((json_t *)listed->candidates.items[c].config);
    free(listed->candidates.items);
    json_decref((json_t *)listed->line);
    tune_task_space_destroy(l->spaces[i]);
  }
  free(l->listed.items);
  free(l->spaces);
}

static tune_status list_tasks(lister *l, MlirOperation payload, json_t **out_reply) {
  const tune_candidates_request *wanted = l->request;
  tune_module_tasks_options options = {.has_fingerprint = true,
                                       .takes_all_chosen = true,
                                       .target = wanted->target.name ? wanted->target.name : "cpu",
                                       .fingerprint = wanted->target.fingerprint,
                                       .threads = (size_t)wanted->threads,
                                       .flush_cache = wanted->flush_cache,
                                       .schedule = wanted->schedule,
                                       .allowed_passes = wanted->allow_passes};
  if (wanted->database)
    TUNE_RETURN_IF_ERROR(tune_database_open_read_only(wanted->database, &l->database));
  TUNE_RETURN_IF_ERROR(tune_module_tasks_init(&l->tasks, payload, &options));
  tune_status status = list_all(l, out_reply);
  forget_list(l);
  tune_module_tasks_deinit(&l->tasks);
  return status;
}

tune_status candidates_list(MlirContext context, const tune_candidates_request *request,
                            json_t **out_reply) {
  *out_reply = NULL;
  if (!request->payload && !request->payload_source)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"payload\": expected a string");
  lister l = {.request = request};
  tune_build_source source = {.payload = request->payload,
                              .payload_source = request->payload_source ? request->payload_source
                                                                        : "payload.mlir",
                              .function = request->function,
                              .sizes = request->sizes.items,
                              .size_count = request->sizes.count};
  tune_build_task *module;
  TUNE_RETURN_IF_ERROR(parse_child_run(context, source.payload, source.payload_source));
  TUNE_RETURN_IF_ERROR(tune_build_task_create(context, &source, &module));
  tune_module_tasks_load_dialects(context);
  tune_status status = list_tasks(&l, tune_build_task_get_payload(module), out_reply);
  tune_build_task_destroy(module);
  tune_database_destroy(l.database);
  return status;
}
