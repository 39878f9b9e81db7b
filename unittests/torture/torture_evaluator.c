//===- torture_evaluator.c - Each call of one that drives servers fails once ---------------===//
//
// The process evaluator and the builder, with the fake servers of unittests/tuning. Whatever fails,
// no server outlives its evaluator, and nobody waits for what does not come.
//
// Tier: nightly
//
//===--------------------------------------------------------------------------===//

#include "torture.h"

#include "tuning/evaluators/process.h"
#include "tuning/remote/remote_builder.h"
#include "tuning/session/session.h"
#include "unittests/tuning/fake_task.h"

#include <stdio.h>
#include <stdlib.h>

static tune_space *healthy, *troubled;

static void make_spaces(const char *folder) {
  (void)folder;
  if (healthy)
    return;
  healthy = make_space();
  ADD_CATEGORICAL(healthy, "time", 12, 13, 11, 14);
  ADD_CATEGORICAL(healthy, "fault", FAULT_NONE);
  troubled = make_space();
  ADD_CATEGORICAL(troubled, "time", 12, 11);
  ADD_CATEGORICAL(troubled, "fault", FAULT_NONE, FAULT_WORKER_KILLED_ONCE, FAULT_BUILD_FAILS,
                  FAULT_RUN_CRASHES, FAULT_MEASURER_DIES_ONCE, FAULT_WRONG,
                  FAULT_COMPARER_KILLED_ONCE);
}

// Servers that log into the folder.
static tune_process_evaluator_options use_folder(const char *folder) {
  static char log[600]; // of the environment from now on
  snprintf(log, sizeof log, "FAKE_LOG=%s", torture_in(folder, "log").text);
  putenv(log);
  tune_process_evaluator_options options;
  tune_process_evaluator_options_init(&options);
  options.worker = TUNE_FAKE_WORKER;
  options.measurer = TUNE_FAKE_MEASURER;
  options.building.jobs = 1;
  return options;
}

//===- Searches ------------------------------------------------------------------------------===//

static tune_status say_result(const tune_session_result *result, const tune_space *space) {
  torture_say("%zu trials:", result->trials);
  for (int i = 0; i < TUNE_VERDICT_COUNT; ++i)
    torture_say(" %zu %s", result->verdicts[i], tune_verdict_name((tune_verdict)i));
  char *best;
  if (!result->has_best)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_config_to_text(&result->best, space, &best));
  torture_say("\n%s: %g s%s\n", best, result->time.median, result->was_compared ? "" : ", guessed");
  free(best);
  return TUNE_OK;
}

static tune_status search_with(tune_evaluator *evaluator, const tune_space *space, size_t trials) {
  tune_task task = make_fake_task(space);
  tune_session_options session;
  tune_session_options_init(&session);
  session.strategy = "grid";
  session.fingerprint = "ffff";
  session.trials = trials;
  session.finalists = 2;
  tune_session_result result;
  TUNE_RETURN_IF_ERROR(tune_session_run(&task, &session, evaluator, NULL, &result));
  tune_status status = say_result(&result, space);
  tune_session_result_deinit(&result);
  return status;
}

static tune_status search(const char *folder, const tune_space *space, size_t trials) {
  const tune_process_evaluator_options options = use_folder(folder);
  tune_evaluator evaluator;
  TUNE_RETURN_IF_ERROR(tune_evaluator_process_create(&options, &evaluator));
  tune_status status = search_with(&evaluator, space, trials);
  tune_evaluator_destroy(&evaluator);
  return status;
}

static tune_status search_in_health(const char *folder) { return search(folder, healthy, 4); }

// Candidates fail in every way, and servers die as they build, measure and compare.
static tune_status search_in_trouble(const char *folder) { return search(folder, troubled, 14); }

// What came of a search does not matter to the next one, of which alone is told.
static tune_status search_again(const char *folder) {
  const tune_process_evaluator_options options = use_folder(folder);
  tune_evaluator evaluator;
  TUNE_RETURN_IF_ERROR(tune_evaluator_process_create(&options, &evaluator));
  tune_status_free(search_with(&evaluator, healthy, 2));
  torture_forget_said();
  tune_status status = search_with(&evaluator, healthy, 1);
  tune_evaluator_destroy(&evaluator);
  return status;
}

//===- Giving up -----------------------------------------------------------------------------===//

static tune_status build(tune_evaluator *evaluator, uint64_t ticket, int fault) {
  char text[64];
  tune_config config;
  snprintf(text, sizeof text, "time=12,fault=%d", fault);
  TUNE_RETURN_IF_ERROR(tune_config_from_text(&config, troubled, text));
  tune_status status = evaluator->methods->build(evaluator->self, ticket, &config);
  tune_config_deinit(&config);
  return status;
}

static tune_status wait_for_event(tune_evaluator *evaluator) {
  tune_evaluation event;
  for (bool any = false; !any;)
    TUNE_RETURN_IF_ERROR(evaluator->methods->wait(evaluator->self, 1, &event, &any));
  torture_say("%d %s\n", (int)event.ticket, tune_verdict_name(event.verdict));
  tune_evaluation_deinit(&event);
  return TUNE_OK;
}

// Gives up what is being built and measured, and goes on with another task.
static tune_status give_up(tune_evaluator *evaluator, const tune_task *task) {
  const tune_evaluator_class *methods = evaluator->methods;
  TUNE_RETURN_IF_ERROR(methods->open(evaluator->self, task));
  TUNE_RETURN_IF_ERROR(build(evaluator, 1, FAULT_NONE));
  TUNE_RETURN_IF_ERROR(wait_for_event(evaluator));
  TUNE_RETURN_IF_ERROR(methods->measure(evaluator->self, 1, 0));
  TUNE_RETURN_IF_ERROR(build(evaluator, 2, FAULT_NONE));
  TUNE_RETURN_IF_ERROR(methods->cancel(evaluator->self));
  methods->close(evaluator->self);
  TUNE_RETURN_IF_ERROR(methods->open(evaluator->self, task));
  TUNE_RETURN_IF_ERROR(build(evaluator, 1, FAULT_NONE));
  TUNE_RETURN_IF_ERROR(wait_for_event(evaluator));
  methods->release(evaluator->self, 1);
  // It is destroyed with this one under way.
  return build(evaluator, 2, FAULT_NONE);
}

static tune_status cancel(const char *folder) {
  const tune_process_evaluator_options options = use_folder(folder);
  const tune_task task = make_fake_task(troubled);
  tune_evaluator evaluator;
  TUNE_RETURN_IF_ERROR(tune_evaluator_process_create(&options, &evaluator));
  tune_status status = give_up(&evaluator, &task);
  tune_evaluator_destroy(&evaluator);
  return status;
}

//===- Building alone ------------------------------------------------------------------------===//

static tune_status build_some(tune_remote_builder *builder, const tune_task *task) {
  TUNE_RETURN_IF_ERROR(tune_remote_builder_open(builder, task));
  for (int i = 1; i <= 3; ++i) {
    json_t *config =
        json_pack("{s:i, s:i}", "time", 10 + i, "fault", i == 2 ? FAULT_BUILD_FAILS : FAULT_NONE);
    if (!config)
      return tune_status_out_of_memory("making a config");
    TUNE_RETURN_IF_ERROR(tune_remote_builder_add(builder, (uint64_t)i, config));
  }
  for (int i = 1; i <= 3;) {
    tune_evaluation event;
    bool any;
    TUNE_RETURN_IF_ERROR(tune_remote_builder_wait(builder, 1, &event, &any));
    if (!any)
      continue;
    torture_say("%d %s %s\n", (int)event.ticket, tune_verdict_name(event.verdict),
                event.digest ? event.digest : event.error);
    tune_evaluation_deinit(&event);
    ++i;
  }
  torture_say("%d %d\n", tune_remote_builder_artifact(builder, 1) != NULL,
              tune_remote_builder_artifact(builder, 2) != NULL);
  return tune_remote_builder_cancel(builder);
}

static tune_status build_alone(const char *folder) {
  const tune_process_evaluator_options options = use_folder(folder);
  const tune_task task = make_fake_task(healthy);
  tune_remote_builder *builder;
  TUNE_RETURN_IF_ERROR(tune_remote_builder_create(&options, &builder));
  tune_status status = build_some(builder, &task);
  tune_remote_builder_destroy(builder);
  return status;
}

#define ON_SERVERS(title, function)                                                                \
  { .name = title, .prepare = make_spaces, .run = function, .look = torture_sweep }

int main(int argc, char **argv) {
  static const torture_scenario SCENARIOS[] = {
      ON_SERVERS("search", search_in_health), ON_SERVERS("trouble", search_in_trouble),
      ON_SERVERS("again", search_again),      ON_SERVERS("cancel", cancel),
      ON_SERVERS("builder", build_alone),
  };
  int result = torture_main(argc, argv, SCENARIOS, sizeof SCENARIOS / sizeof *SCENARIOS);
  tune_space_destroy(healthy);
  tune_space_destroy(troubled);
  return result;
}
