//===- torture_files.c - Each call of the files of tuning/ fails once ------------------===//
//
// Exports, results, the folder of a search in rounds, descriptions of devices, and facts of targets
// that nobody has to be asked for. What is written is whole or as it was; what is read is all that
// is there, or an error.
//
// Tier: check-all
//
//===--------------------------------------------------------------------------===//

#include "torture.h"

#include "support/file.h"
#include "tuning/device/device_file.h"
#include "tuning/record/kept_roofline.h"
#include "tuning/remote/rounds.h"
#include "unittests/tuning/export_fixture.h"
#include "unittests/tuning/space_fixture.h"

#include <unistd.h>

static void write_text(const char *folder, const char *name, const char *text) {
  assert_ok(tune_file_write(torture_in(folder, name).text, text, strlen(text)));
}

static tune_status no_memory(void) { return tune_status_out_of_memory("in the scenario"); }

//===- Exports --------------------------------------------------------------------------===//

static void say_export(const tune_export *exported) {
  torture_say("%.8s, %zu blobs, %zu to measure:", exported->digest.text, exported->blob_count,
              tune_export_count(&exported->read));
  const json_t *task = tune_export_find_task(exported->description, "k1", "s1");
  const json_t *candidates = json_object_get(task, "candidates");
  for (size_t i = 0; i < json_array_size(candidates); ++i) {
    const json_t *candidate = json_array_get(candidates, i);
    torture_say(
        " %d %s %g %d",
        (int)json_integer_value(json_object_get(json_object_get(candidate, "config"), "mc")),
        json_string_value(json_object_get(candidate, "verdict")),
        json_number_value(json_object_get(json_object_get(candidate, "stages"), "lower")),
        (int)json_integer_value(json_object_get(json_object_get(candidate, "code"), "registers")));
  }
  torture_say("\n");
}

// Of the export with this name, if there is one.
static void look_at_export_named(const char *folder, const char *name) {
  tune_export *exported;
  torture_path path = torture_in(folder, name);
  if (access(path.text, F_OK) != 0)
    return;
  tune_status status = tune_export_read(path.text, &exported);
  if (tune_status_is_ok(status))
    say_export(exported);
  else
    torture_say("damaged: %s", tune_status_get_message(status));
  tune_status_free(status);
  tune_export_destroy(exported);
}

static void look_at_export(const char *folder) { look_at_export_named(folder, "a.export"); }

static tune_status fill_export(tune_export_writer *writer, const tune_export_task *task,
                               const char *artifact) {
  TUNE_RETURN_IF_ERROR(add_task(writer, task, artifact));
  torture_say("%zu measured\n", tune_export_writer_count(writer));
  return TUNE_OK;
}

// Two tasks with a candidate each, the second of which is of finalists.
static tune_status fill_round(tune_export_writer *writer, const tune_export_task *task,
                              const char *artifact) {
  size_t index;
  TUNE_RETURN_IF_ERROR(tune_export_writer_add_task(writer, task, &index));
  TUNE_RETURN_IF_ERROR(add_candidate(writer, index, 3, artifact, TUNE_VERDICT_OK));
  tune_export_task finals = *task;
  finals.schedule = "s2";
  TUNE_RETURN_IF_ERROR(tune_export_writer_add_task(writer, &finals, &index));
  TUNE_RETURN_IF_ERROR(tune_export_writer_set_compare(writer, index, 0.95));
  return add_candidate(writer, index, 1, artifact, TUNE_VERDICT_OK);
}

typedef tune_status (*filler)(tune_export_writer *writer, const tune_export_task *task,
                              const char *artifact);

static tune_status fill_from(tune_export_writer *writer, const char *folder, filler fill) {
  torture_path reference = torture_in(folder, "reference");
  json_t *line = json_pack("{s:s, s:s}", "kind", "task", "key", "k1"), *signature = json_object();
  tune_export_task task = {.line = line,
                           .schedule = "s1",
                           .signature = signature,
                           .reduction = 16,
                           .accumulator = "f32",
                           .reference = reference.text,
                           .best = 0.5};
  tune_status status =
      line && signature ? fill(writer, &task, torture_in(folder, "artifact").text) : no_memory();
  json_decref(line);
  json_decref(signature);
  return status;
}

static tune_status write_export(const char *folder) {
  tune_export_writer *writer;
  TUNE_RETURN_IF_ERROR(tune_export_writer_create(&export_source, &writer));
  tune_status status = fill_from(writer, folder, fill_export);
  if (tune_status_is_ok(status))
    status = tune_export_writer_write(writer, torture_in(folder, "a.export").text);
  tune_export_writer_destroy(writer);
  return status;
}

static void prepare_blobs(const char *folder) {
  write_text(folder, "reference", "the plain lowering");
  write_text(folder, "artifact", "a candidate");
}

static void prepare_export(const char *folder) {
  prepare_blobs(folder);
  assert_ok(write_export(folder));
}

static tune_status extract(const tune_export *exported, const char *path) {
  char *bytes;
  say_export(exported);
  TUNE_RETURN_IF_ERROR(tune_export_extract(exported, 1, path));
  TUNE_RETURN_IF_ERROR(tune_file_read(path, &bytes, NULL));
  torture_say("%s\n", bytes);
  free(bytes);
  return TUNE_OK;
}

static tune_status read_export(const char *folder) {
  tune_export *exported;
  TUNE_RETURN_IF_ERROR(tune_export_read(torture_in(folder, "a.export").text, &exported));
  tune_status status = extract(exported, torture_in(folder, "tmp/blob").text);
  tune_export_destroy(exported);
  return status;
}

//===- Results --------------------------------------------------------------------------===//

// The whole lines.
static void look_at_results(const char *folder) {
  char *text;
  torture_path path = torture_in(folder, "a.results");
  if (access(path.text, F_OK) != 0)
    return;
  assert_ok(tune_file_read(path.text, &text, NULL));
  char *end = strrchr(text, '\n');
  torture_say("%.*s", end ? (int)(end - text) + 1 : 0, text);
  free(text);
}

static json_t *trial_of(int value) {
  return json_pack("{s:s, s:s, s:s, s:s, s:{s:i}, s:s}", "kind", "trial", "task", "k1", "schedule",
                   "s1", "fingerprint", "f", "config", "mc", value, "verdict", "ok");
}

static json_t *machine_named(const char *model) {
  return json_pack("{s:s, s:s, s:s, s:{s:s}}", "kind", "fingerprint", "digest", model, "target",
                   "vulkan", "description", "model", model);
}

static tune_status add_results(tune_results *results) {
  TUNE_RETURN_IF_ERROR(
      tune_results_append(results, json_pack("{s:s, s:s}", "kind", "task", "key", "k1")));
  TUNE_RETURN_IF_ERROR(tune_results_append(results, machine_named("here")));
  TUNE_RETURN_IF_ERROR(tune_results_append(results, trial_of(1)));
  TUNE_RETURN_IF_ERROR(tune_results_append(results, trial_of(3)));
  TUNE_RETURN_IF_ERROR(tune_results_append(
      results, json_pack("{s:s, s:s, s:s, s:s}", "kind", "failure", "task", "k1", "schedule", "s3",
                         "error", "its reference crashed")));
  TUNE_RETURN_IF_ERROR(
      tune_results_append(results, json_pack("{s:s, s:s, s:s, s:s}", "kind", "comparison", "task",
                                             "k1", "schedule", "s2", "verdict", "ok")));
  return tune_results_finish(results);
}

static tune_status write_results(const char *folder) {
  tune_results *results;
  TUNE_RETURN_IF_ERROR(tune_results_open(torture_in(folder, "a.results").text, "e1", 3, &results));
  tune_status status = results->is_complete ? TUNE_OK : add_results(results);
  torture_say("%zu trials, %zu bytes%s\n", json_object_size(results->trials), results->size,
              results->is_complete ? "" : ", not all");
  tune_results_destroy(results);
  return status;
}

// As one leaves them that was killed while it wrote its second line.
static void prepare_cut_results(const char *folder) {
  char *text;
  torture_path path = torture_in(folder, "a.results");
  assert_ok(write_results(folder));
  assert_ok(tune_file_read(path.text, &text, NULL));
  assert_ok(tune_file_write(path.text, text, (size_t)(strchr(text, '\n') - text) + 20));
  free(text);
}

static tune_status find_in(const tune_results *results) {
  json_t *config = json_pack("{s:i}", "mc", 3);
  const json_t *trial = NULL;
  tune_status status =
      config ? tune_results_find(results, "k1", "s1", config, &trial) : no_memory();
  json_decref(config);
  torture_say("%s: %s, %s, %s\n", tune_results_export(results),
              trial ? json_string_value(json_object_get(trial, "verdict")) : "no trial",
              tune_results_failure(results, "k1", "s3"),
              tune_results_comparison(results, "k1", "s2") ? "compared" : "not compared");
  return status;
}

static void prepare_results(const char *folder) { assert_ok(write_results(folder)); }

static tune_status read_results(const char *folder) {
  tune_results *results;
  TUNE_RETURN_IF_ERROR(tune_results_read(torture_in(folder, "a.results").text, &results));
  tune_status status = find_in(results);
  tune_results_destroy(results);
  return status;
}

//===- Rounds ---------------------------------------------------------------------------===//

static void look_at_rounds(const char *folder) {
  char *text = NULL;
  torture_path path = torture_in(folder, "rounds/search.json");
  if (access(path.text, F_OK) == 0)
    assert_ok(tune_file_read(path.text, &text, NULL));
  torture_say("%s", text ? text : ""); // an empty one is as good as none
  free(text);
  look_at_export_named(folder, "rounds/round-1.export");
}

static tune_status claim(tune_rounds *rounds, int seed) {
  json_t *identity =
      json_pack("{s:[s], s:s, s:i}", "tasks", "k1", "strategy", "random", "seed", seed);
  if (!identity)
    return no_memory();
  tune_status status = tune_rounds_claim(rounds, identity);
  json_decref(identity);
  return status;
}

// Of another search it is refused.
static tune_status claim_twice(tune_rounds *rounds) {
  TUNE_RETURN_IF_ERROR(claim(rounds, 3));
  return torture_expect(claim(rounds, 4), TUNE_FAILED_PRECONDITION, "seed");
}

static tune_status export_round(tune_rounds *rounds, const char *folder) {
  tune_export_writer *writer;
  TUNE_RETURN_IF_ERROR(claim_twice(rounds));
  TUNE_RETURN_IF_ERROR(tune_rounds_begin(rounds, &export_source, &writer));
  TUNE_RETURN_IF_ERROR(fill_from(writer, folder, fill_round));
  TUNE_RETURN_IF_ERROR(tune_rounds_export(rounds));
  tune_rounds_pending pending = tune_rounds_get_pending(rounds);
  torture_say("round %zu, %zu of %zu\n", pending.number, pending.measured, pending.candidates);
  return TUNE_OK;
}

static tune_status begin_rounds(const char *folder) {
  tune_rounds *rounds;
  TUNE_RETURN_IF_ERROR(tune_rounds_open(torture_in(folder, "rounds").text, &rounds));
  tune_status status = export_round(rounds, folder);
  tune_rounds_destroy(rounds);
  return status;
}

// As tune-measure does.
static void measure_round(const char *folder, bool is_whole) {
  tune_export *exported;
  tune_results *results;
  assert_ok(tune_export_read(torture_in(folder, "rounds/round-1.export").text, &exported));
  assert_ok(tune_results_open(torture_in(folder, "rounds/round-1.results").text,
                              exported->digest.text, 3, &results));
  if (is_whole)
    assert_ok(add_results(results));
  tune_results_destroy(results);
  tune_export_destroy(exported);
}

// A round that was measured, and the device that it is for.
static void prepare_rounds(const char *folder) {
  prepare_blobs(folder);
  assert_ok(begin_rounds(folder));
  measure_round(folder, true);
  write_text(folder, "rounds/device.json", "{\"target\": \"vulkan\", \"model\": \"llvmpipe\"}");
}

static tune_status find_in_round(const tune_rounds *rounds, const json_t *config) {
  const json_t *candidate, *trial;
  TUNE_RETURN_IF_ERROR(tune_rounds_find_candidate(rounds, 0, "k1", "s1", config, &candidate));
  TUNE_RETURN_IF_ERROR(tune_rounds_find_result(rounds, 0, "k1", "s1", config, &trial));
  torture_say("%s %s %s %s %d %d\n", candidate ? "exported" : "not exported",
              trial ? "measured" : "not measured", tune_rounds_failure(rounds, 0, "k1", "s3"),
              tune_rounds_comparison(rounds, 0, "k1", "s2") ? "compared" : "not compared",
              tune_rounds_has_finalists(rounds, 0, "k1", "s1"),
              tune_rounds_has_finalists(rounds, 0, "k1", "s2"));
  return TUNE_OK;
}

static tune_status use_rounds(tune_rounds *rounds) {
  torture_say("%zu rounds on %s, for %s\n", tune_rounds_count(rounds),
              json_string_value(json_object_get(tune_rounds_fingerprint(rounds), "digest")),
              json_string_value(json_object_get(tune_rounds_device(rounds), "model")));
  json_t *config = json_pack("{s:i}", "mc", 3);
  tune_status status = config ? find_in_round(rounds, config) : no_memory();
  json_decref(config);
  TUNE_RETURN_IF_ERROR(status);
  return tune_rounds_refresh(rounds);
}

static tune_status go_on_with_rounds(const char *folder) {
  tune_rounds *rounds;
  TUNE_RETURN_IF_ERROR(tune_rounds_open(torture_in(folder, "rounds").text, &rounds));
  tune_status status = use_rounds(rounds);
  tune_rounds_destroy(rounds);
  return status;
}

// The first one of two has lost its results.
static void prepare_gap(const char *folder) {
  prepare_rounds(folder);
  assert_ok(tune_file_write(torture_in(folder, "rounds/round-2.export").text, "", 0));
  assert_int_equal(unlink(torture_in(folder, "rounds/round-1.results").text), 0);
  measure_round(folder, false);
}

static tune_status refuse_gap(const char *folder) {
  tune_rounds *rounds;
  tune_status status = tune_rounds_open(torture_in(folder, "rounds").text, &rounds);
  tune_rounds_destroy(rounds);
  return torture_expect(status, TUNE_FAILED_PRECONDITION, "is there, but");
}

//===- Devices and facts ------------------------------------------------------------------===//

static void say_facts(const tune_target_facts *facts) {
  char text[TUNE_TARGET_FACTS_TEXT];
  torture_say("%s: %s %.8s, %g flops, %g bytes\n", tune_target_facts_describe(facts, text),
              tune_target_facts_model(facts), facts->digest.text,
              tune_target_facts_peak(facts, "f32"), tune_target_facts_bandwidth(facts, 1e9));
}

static void prepare_devices(const char *folder) {
  write_text(folder, "cuda.json",
             "{\"target\": \"cuda\", \"arch\": \"sm_90\", \"model\": \"a GPU\"}");
  write_text(folder, "null.json",
             "{\"target\": \"null\", \"features\": [\"sse2\", \"avx2\", \"bmi1\"]}");
}

static tune_status use_device_file(const char *folder, const char *name, const char *target) {
  tune_target_facts *facts;
  TUNE_RETURN_IF_ERROR(
      tune_device_file_get_facts(torture_in(folder, name).text, target, 2, &facts));
  say_facts(facts);
  tune_code_cpu cpu = {.cpu = NULL};
  tune_status status = tune_device_file_get_cpu(facts, &cpu);
  tune_target_facts_destroy(facts);
  torture_say("%s\n", cpu.features ? cpu.features : "its own");
  free(cpu.features);
  return status;
}

static tune_status read_devices(const char *folder) {
  TUNE_RETURN_IF_ERROR(use_device_file(folder, "cuda.json", "cuda:sm_90"));
  TUNE_RETURN_IF_ERROR(use_device_file(folder, "null.json", "null"));
  return torture_expect(use_device_file(folder, "none.json", "null"), TUNE_INVALID_ARGUMENT,
                        "No such file");
}

// A quick measurement after a whole one, which says that it was disturbed.
static tune_status measure_twice(tune_target_facts *facts) {
  json_t *whole = json_deep_copy(facts->roofline), *kept = NULL;
  json_t *quick = json_pack("{s:{s:f, s:f}}", "peak", "f32", 150.0, "f64", 10.0);
  tune_status status = whole && quick ? TUNE_OK : no_memory();
  if (tune_status_is_ok(status))
    status = tune_kept_roofline_add(&kept, whole, 1e9);
  if (tune_status_is_ok(status))
    status = tune_kept_roofline_add(&kept, quick, 1e9 + 1);
  if (tune_status_is_ok(status))
    torture_say("%g, confirmed %d, needs %d\n", tune_roofline_peak(kept, "f32", NULL),
                (int)json_integer_value(json_object_get(kept, "confirmed")),
                (int)tune_kept_roofline_need(kept, 1e9 + 2));
  if (tune_status_is_ok(status))
    status = tune_kept_roofline_doubt(kept);
  json_decref(kept);
  json_decref(whole);
  json_decref(quick);
  return status;
}

static tune_status read_null_facts(tune_target_facts *facts) {
  TUNE_RETURN_IF_ERROR(tune_target_facts_read_roofline(facts, NULL));
  TUNE_RETURN_IF_ERROR(tune_target_facts_set_flush_cache(facts, true));
  say_facts(facts);
  return measure_twice(facts);
}

static tune_status make_facts(const char *folder) {
  (void)folder;
  tune_target_facts *facts;
  TUNE_RETURN_IF_ERROR(tune_target_facts_create("null", 1, &facts));
  tune_status status = read_null_facts(facts);
  tune_target_facts_destroy(facts);
  TUNE_RETURN_IF_ERROR(status);
  TUNE_RETURN_IF_ERROR(tune_target_facts_create("vulkan:generic", 1, &facts));
  say_facts(facts);
  tune_target_facts_destroy(facts);
  return torture_expect(tune_target_facts_create("vulcan", 1, &facts), TUNE_NOT_FOUND, "vulcan");
}

int main(int argc, char **argv) {
  static const torture_scenario SCENARIOS[] = {
      {.name = "export", .prepare = prepare_blobs, .run = write_export, .look = look_at_export},
      {.name = "export-read", .prepare = prepare_export, .run = read_export},
      {.name = "results", .run = write_results, .look = look_at_results, .grows = true},
      {.name = "results-cut",
       .prepare = prepare_cut_results,
       .run = write_results,
       .look = look_at_results,
       .grows = true},
      {.name = "results-read", .prepare = prepare_results, .run = read_results},
      {.name = "rounds",
       .prepare = prepare_blobs,
       .run = begin_rounds,
       .look = look_at_rounds,
       .grows = true},
      {.name = "rounds-again",
       .prepare = prepare_rounds,
       .run = go_on_with_rounds,
       .look = look_at_rounds},
      {.name = "rounds-gap", .prepare = prepare_gap, .run = refuse_gap, .look = look_at_rounds},
      {.name = "devices", .prepare = prepare_devices, .run = read_devices},
      {.name = "facts", .run = make_facts},
  };
  return torture_main(argc, argv, SCENARIOS, sizeof SCENARIOS / sizeof *SCENARIOS);
}
