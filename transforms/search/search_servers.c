//===- search_servers.c - Servers for the module as a whole ------------------------===//
//
// They build the module by default for its profile, at the beginning, and with the winners at the
// end. What it is checked against takes long for a network, and is made while the tasks between are
// searched, where builds run.
//
//===--------------------------------------------------------------------------===//

#include "transforms/search/search_state.h"
#include "transforms/search/whole_task.h"
#include "tuning/evaluators/process.h"

#include <stdlib.h>

typedef struct tune_search search;

static tune_status start(search *s) {
  tune_search_servers *servers = &s->servers;
  tune_process_evaluator_options options;
  TUNE_RETURN_IF_ERROR(tune_space_create(&servers->no_knobs));
  TUNE_RETURN_IF_ERROR(tune_scratch_create(&servers->scratch));
  TUNE_RETURN_IF_ERROR(
      tune_whole_task_write(s->module, servers->scratch, "module", &servers->path));
  TUNE_RETURN_IF_ERROR(tune_module_tasks_list_run(&s->tasks, s->module, s->options->function,
                                                  &servers->run, &servers->run_count));
  tune_search_describe_evaluator(s->options, s->tasks.facts, &options);
  tune_whole_task_set_limits(&options);
  return tune_evaluator_process_create(&options, &servers->evaluator);
}

tune_status tune_search_start_servers(search *s) {
  if (s->servers.evaluator.methods)
    return TUNE_OK;
  tune_search_stop_servers(s);
  return start(s);
}

void tune_search_stop_servers(search *s) {
  tune_search_servers *servers = &s->servers;
  if (servers->evaluator.methods)
    tune_evaluator_destroy(&servers->evaluator);
  tune_scratch_destroy(servers->scratch);
  tune_space_destroy(servers->no_knobs);
  free(servers->path);
  free(servers->run);
  *servers = (tune_search_servers){.path = NULL};
}

tune_status tune_search_prepare_whole(search *s) {
  tune_search_servers *servers = &s->servers;
  const tune_evaluator *evaluator = &servers->evaluator;
  if (!s->options->checks_whole)
    return TUNE_OK;
  servers->module = (tune_task_module){
      .path = servers->path, .computes = servers->path, .schedule = s->options->tasks.schedule};
  servers->task = tune_whole_task_describe(s->options, s->tasks.facts, s->tasks.extraction,
                                           servers->no_knobs, &servers->module);
  servers->is_prepared = true;
  return evaluator->methods->prepare(evaluator->self, &servers->task);
}

// What fails is told where the module is looked at.
void tune_search_advance_whole(search *s) {
  const tune_evaluator *evaluator = &s->servers.evaluator;
  tune_evaluation event;
  bool any;
  if (!s->servers.is_prepared)
    return;
  tune_status status = evaluator->methods->wait(evaluator->self, 0, &event, &any);
  bool works = tune_status_is_ok(status);
  tune_status_free(status);
  if (!works)
    evaluator->methods->close(evaluator->self);
  s->servers.is_prepared = works;
}
