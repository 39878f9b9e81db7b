//===- torture_elsewhere.c - Searches in rounds, and facts that are asked for or kept ----===//
//
// The candidates are built by the fake worker of unittests/tuning; their times are what this file
// says. The facts are those of tune-measure, and in a database.
//
// Tier: nightly
//
//===--------------------------------------------------------------------------===//

#include "torture.h"

#include "tuning/database/database_upkeep.h"
#include "tuning/device/device_file.h"
#include "tuning/remote/export_evaluator.h"
#include "tuning/session/session.h"
#include "unittests/tuning/fake_task.h"

#include <unistd.h>

//===- A search ---------------------------------------------------------------------------===//

static tune_space *space;

static const char *rounds_in(const char *folder) {
  static torture_path path;
  path = torture_in(folder, "rounds");
  return path.text;
}

static tune_status say_result(const tune_session_result *result) {
  char *best;
  torture_say("%zu trials, stop %d\n", result->trials, (int)result->stop);
  if (!result->has_best)
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_config_to_text(&result->best, space, &best));
  torture_say("%s: %g s%s\n", best, result->time.median, result->was_compared ? "" : ", guessed");
  free(best);
  return TUNE_OK;
}

static tune_status run_session(tune_rounds *rounds, json_t *line) {
  const tune_task task = make_fake_task(space);
  tune_export_evaluator_options options = {.strategy = "grid", .rounds = rounds};
  tune_process_evaluator_options_init(&options.process);
  options.process.worker = TUNE_FAKE_WORKER;
  options.process.target.name = "vulkan";
  options.process.building.jobs = 1;
  tune_session_options session;
  tune_session_options_init(&session);
  session.fingerprint = "elsewhere";
  session.strategy = "grid";
  session.trials = 4;
  session.round = 2;
  session.finalists = 2;
  tune_evaluator evaluator;
  TUNE_RETURN_IF_ERROR(tune_evaluator_elsewhere_create(&options, &evaluator));
  tune_evaluator_elsewhere_set_line(&evaluator, line);
  tune_session_result result;
  tune_status status = tune_session_run(&task, &session, &evaluator, NULL, &result);
  if (tune_status_is_ok(status)) {
    status = say_result(&result);
    tune_session_result_deinit(&result);
  }
  if (tune_status_is_ok(status))
    status = tune_rounds_export(rounds);
  tune_evaluator_destroy(&evaluator);
  return status;
}

// Goes as far as there are results, and exports what comes next.
static tune_status search(const char *folder) {
  static char log[600]; // of the environment from now on
  snprintf(log, sizeof log, "FAKE_LOG=%s", torture_in(folder, "tmp/log").text);
  putenv(log);
  tune_rounds *rounds;
  json_t *line = json_pack("{s:s, s:s}", "kind", "task", "key", "key");
  if (!line)
    return tune_status_out_of_memory("making a line");
  tune_status status = tune_rounds_open(rounds_in(folder), &rounds);
  if (tune_status_is_ok(status)) {
    status = run_session(rounds, line);
    tune_rounds_destroy(rounds);
  }
  json_decref(line);
  return status;
}

//===- The other machine ------------------------------------------------------------------===//

static double time_of(const json_t *candidate) {
  return 1e-3 *
         (double)json_integer_value(json_object_get(json_object_get(candidate, "config"), "time"));
}

static json_t *timing(double time) {
  return json_pack("{s:[f], s:f, s:f, s:f, s:i}", "samples", time, "median", time, "low", time,
                   "high", time, "repeats", 1);
}

static json_t *make_trial(const json_t *candidate) {
  json_t *trial = json_copy((json_t *)candidate);
  json_object_del(trial, "artifact");
  json_object_update_new(trial, json_pack("{s:s, s:s, s:s, s:s}", "kind", "trial", "task", "key",
                                          "schedule", "s", "fingerprint", "elsewhere"));
  if (json_object_get(candidate, "artifact"))
    json_object_set_new(trial, "time", timing(time_of(candidate)));
  return trial;
}

static json_t *make_comparison(const json_t *candidates) {
  json_t *results = json_array(), *ratios = json_array();
  double first = time_of(json_array_get(candidates, 0));
  for (size_t i = 0; i < json_array_size(candidates); ++i) {
    double time = time_of(json_array_get(candidates, i)), ratio = time / first;
    json_array_append_new(results, timing(time));
    json_array_append_new(
        ratios, json_pack("{s:f, s:f, s:f}", "ratio", ratio, "low", ratio, "high", ratio));
  }
  return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "kind", "comparison", "task", "key",
                   "schedule", "s", "verdict", "ok", "results", results, "ratios", ratios);
}

// What tune-measure would make of the last export.
static void measure(const char *folder) {
  tune_rounds *rounds;
  tune_export *exported;
  tune_results *results;
  assert_ok(tune_rounds_open(rounds_in(folder), &rounds));
  tune_rounds_pending pending = tune_rounds_get_pending(rounds);
  assert_ok(tune_export_read(pending.export_path, &exported));
  assert_ok(
      tune_results_open(pending.results_path, exported->digest.text, pending.candidates, &results));
  const json_t *task = json_array_get(json_object_get(exported->description, "tasks"), 0);
  const json_t *candidates = json_object_get(task, "candidates");
  if (json_object_get(task, "compare"))
    assert_ok(tune_results_append(results, make_comparison(candidates)));
  for (size_t i = 0; !json_object_get(task, "compare") && i < json_array_size(candidates); ++i)
    if (tune_export_has_result(&exported->read.tasks.items[0].candidates.items[i]))
      assert_ok(tune_results_append(results, make_trial(json_array_get(candidates, i))));
  assert_ok(tune_results_finish(results));
  tune_results_destroy(results);
  tune_export_destroy(exported);
  tune_rounds_destroy(rounds);
}

static void prepare_rounds(const char *folder, int count) {
  if (!space) {
    space = make_space();
    ADD_CATEGORICAL(space, "time", 12, 13, 11, 14);
    ADD_CATEGORICAL(space, "fault", FAULT_NONE, FAULT_BUILD_FAILS);
  }
  // That of a run is not there yet.
  char *temporary = strdup(getenv("TMPDIR"));
  assert_non_null(temporary);
  setenv("TMPDIR", torture_in(folder, "tmp").text, 1);
  for (int i = 0; i < count; ++i) {
    assert_ok(search(folder));
    measure(folder);
  }
  setenv("TMPDIR", temporary, 1);
  free(temporary);
}

static void prepare_none(const char *folder) { prepare_rounds(folder, 0); }
static void prepare_one(const char *folder) { prepare_rounds(folder, 1); }
static void prepare_two(const char *folder) { prepare_rounds(folder, 2); }
static void prepare_all(const char *folder) { prepare_rounds(folder, 3); }

static void say_candidates(const char *path) {
  tune_export *exported;
  assert_ok(tune_export_read(path, &exported));
  const json_t *task = json_array_get(json_object_get(exported->description, "tasks"), 0);
  const json_t *candidates = json_object_get(task, "candidates");
  torture_say("%s, reference %d:", json_object_get(task, "compare") ? "finalists" : "a round",
              (int)json_integer_value(json_object_get(task, "reference")));
  for (size_t i = 0; i < json_array_size(candidates); ++i) {
    const json_t *candidate = json_array_get(candidates, i);
    char *config = json_dumps(json_object_get(candidate, "config"), JSON_SORT_KEYS);
    const char *error = json_string_value(json_object_get(candidate, "error"));
    torture_say(" %s %s %d %s", config, json_string_value(json_object_get(candidate, "strategy")),
                (int)json_integer_value(json_object_get(candidate, "artifact")),
                error ? error : "");
    free(config);
  }
  torture_say("\n");
  tune_export_destroy(exported);
}

static void look_at_rounds(const char *folder) {
  for (int i = 1; i < 5; ++i) {
    char name[64];
    snprintf(name, sizeof name, "rounds/round-%d.export", i);
    torture_path path = torture_in(folder, name);
    if (access(path.text, F_OK) == 0)
      say_candidates(path.text);
  }
}

//===- Facts --------------------------------------------------------------------------------===//

static tune_status ask_for(const char *target) {
  tune_target_facts *facts;
  TUNE_RETURN_IF_ERROR(tune_target_facts_create(target, 1, &facts));
  tune_code_cpu cpu = {.cpu = NULL};
  char text[TUNE_TARGET_FACTS_TEXT];
  torture_say("%s %s %s\n", tune_target_facts_describe(facts, text), tune_target_facts_model(facts),
              facts->digest.text);
  tune_status status = tune_device_file_get_cpu(facts, &cpu);
  tune_target_facts_destroy(facts);
  torture_say("%s\n", cpu.features ? cpu.features : "its own");
  free(cpu.features);
  return status;
}

// The driver of CUDA is the emulator's, which has an sm_90.
static tune_status ask_for_facts(const char *folder) {
  (void)folder;
  setenv("TUNE_CUDA_LOADER", TUNE_FAKE_CUDA, 1);
  TUNE_RETURN_IF_ERROR(ask_for("cpu"));
  return ask_for("cuda:sm_90");
}

static tune_status keep(tune_target_facts *facts, tune_database *database) {
  TUNE_RETURN_IF_ERROR(tune_target_facts_put(facts, database));
  TUNE_RETURN_IF_ERROR(tune_target_facts_read_roofline(facts, database));
  tune_kept_task task = {.type = "f32", .flops = 1e9, .bytes = 1e6};
  tune_roofline_share place;
  TUNE_RETURN_IF_ERROR(tune_roofline_find_kept_place(database, &task, facts->digest.text, &place));
  torture_say("%g s by %s, %g\n", place.seconds, place.bound, tune_target_facts_peak(facts, "f64"));
  return TUNE_OK;
}

static tune_status keep_facts(const char *folder) {
  tune_database *database;
  tune_target_facts *facts;
  TUNE_RETURN_IF_ERROR(tune_database_open(torture_in(folder, "tune.db").text, &database));
  tune_status status = tune_target_facts_create("null", 1, &facts);
  if (tune_status_is_ok(status)) {
    status = keep(facts, database);
    tune_target_facts_destroy(facts);
  }
  tune_database_destroy(database);
  return status;
}

static void prepare_kept(const char *folder) { assert_ok(keep_facts(folder)); }

#define IN_ROUNDS(title, preparation)                                                              \
  { .name = title, .prepare = preparation, .run = search, .look = look_at_rounds, .grows = true }

int main(int argc, char **argv) {
  static const torture_scenario SCENARIOS[] = {
      IN_ROUNDS("first-round", prepare_none),
      IN_ROUNDS("second-round", prepare_one),
      IN_ROUNDS("finalists", prepare_two),
      IN_ROUNDS("all-known", prepare_all),
      {.name = "asked-facts", .run = ask_for_facts},
      {.name = "new-facts", .run = keep_facts},
      {.name = "kept-facts", .prepare = prepare_kept, .run = keep_facts},
  };
  int result = torture_main(argc, argv, SCENARIOS, sizeof SCENARIOS / sizeof *SCENARIOS);
  tune_space_destroy(space);
  return result;
}
