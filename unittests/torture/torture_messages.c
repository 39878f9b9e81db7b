//===- torture_messages.c - Each call of measuring, records and messages fails once ------===//
// Tier: check-all

#include "torture.h"

#include "formats/measure_replies.h"
#include "formats/worker_replies.h"
#include "support/json.h"
#include "tuning/device/target_facts.h"
#include "tuning/evaluators/conditions.h"
#include "tuning/evaluators/process_messages.h"
#include "tuning/measure/measure.h"
#include "unittests/tuning/space_fixture.h"

//===- Times ---------------------------------------------------------------------------===//

// A kernel whose runs take so long, and now and then longer.
typedef struct kernel {
  double seconds;
  unsigned runs;
} kernel;

static tune_status run_kernel(void *context, uint64_t repeats, double *out_seconds) {
  kernel *k = context;
  *out_seconds = k->seconds * (double)repeats * (1 + 0.02 * (++k->runs % 5));
  return TUNE_OK;
}

static tune_status measure_one(double seconds, double best) {
  kernel k = {seconds, 0};
  tune_measurement measurement;
  TUNE_RETURN_IF_ERROR(
      tune_measure(run_kernel, &k, &(tune_measure_options){.best = best}, &measurement));
  torture_say("%zu samples, %g in [%g, %g]%s\n", measurement.count, measurement.summary.median,
              measurement.summary.low, measurement.summary.high,
              measurement.was_cut ? ", cut" : "");
  tune_measurement_deinit(&measurement);
  return TUNE_OK;
}

static tune_status measure(const char *folder) {
  (void)folder;
  TUNE_RETURN_IF_ERROR(measure_one(1e-3, 0));
  TUNE_RETURN_IF_ERROR(measure_one(1e-3, 0.7e-3));
  TUNE_RETURN_IF_ERROR(measure_one(1, 0));
  kernel kernels[] = {{1e-3, 0}, {1.1e-3, 2}, {0.8e-3, 3}};
  tune_measure_subject subjects[3];
  for (int i = 0; i < 3; ++i)
    subjects[i] = (tune_measure_subject){run_kernel, &kernels[i]};
  tune_measurement measurements[3];
  tune_ratio ratios[3];
  size_t failed;
  TUNE_RETURN_IF_ERROR(tune_measure_interleaved(subjects, 3, &(tune_measure_options){0},
                                                measurements, ratios, &failed));
  for (int i = 0; i < 3; ++i) {
    torture_say("%zu samples, ratio %g in [%g, %g]\n", measurements[i].count, ratios[i].ratio,
                ratios[i].low, ratios[i].high);
    tune_measurement_deinit(&measurements[i]);
  }
  return TUNE_OK;
}

// What of the system's figures cannot be had is left out, or is told.
static tune_status look_at_machine(const char *folder) {
  (void)folder;
  tune_cores cores;
  TUNE_RETURN_IF_ERROR(tune_cores_init(&cores, 1));
  torture_say("%zu, %zu, %d\n", cores.measure_count, cores.build_count, cores.are_shared);
  tune_conditions before, after;
  tune_conditions_read(&cores, &before);
  tune_conditions_read(&cores, &after);
  json_t *warnings = json_array(), *object = tune_conditions_to_json(&before, &after, &cores);
  tune_string_builder text;
  tune_string_builder_init(&text);
  tune_conditions_append(&after, &cores, &text);
  bool ok = warnings && object && !text.failed;
  if (ok)
    tune_conditions_find_others(&before, &after, 1, warnings);
  torture_say("%zu\n", json_array_size(json_object_get(object, "cpus")));
  tune_string_builder_deinit(&text);
  json_decref(object);
  json_decref(warnings);
  tune_cores_deinit(&cores);
  return ok ? TUNE_OK : tune_status_out_of_memory("telling conditions");
}

//===- Records -------------------------------------------------------------------------------===//

static tune_status say_record(const tune_record *record) {
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_record_to_json(record, &object));
  char *text = tune_json_dump(object, JSON_COMPACT);
  json_decref(object);
  if (!text)
    return tune_status_out_of_memory("printing a record");
  torture_say("%s\n", text);
  free(text);
  return TUNE_OK;
}

// Written, read, copied, written again.
static tune_status exchange_record(const tune_record *record) {
  json_t *object;
  tune_record read, copy;
  TUNE_RETURN_IF_ERROR(tune_record_to_json(record, &object));
  tune_status status = tune_record_from_json(object, &read);
  json_decref(object);
  TUNE_RETURN_IF_ERROR(status);
  status = tune_record_init_copy(&copy, &read);
  tune_record_deinit(&read);
  TUNE_RETURN_IF_ERROR(status);
  status = say_record(&copy);
  char *text = NULL;
  if (tune_status_is_ok(status))
    status = tune_record_config_text(copy.config, &text);
  if (tune_status_is_ok(status))
    torture_say("%s\n", text);
  free(text);
  tune_record_deinit(&copy);
  return status;
}

static tune_status exchange_records(const char *folder) {
  (void)folder;
  double samples[] = {0.5, 0.25, 0.375};
  tune_record record = {
      .task = "k",
      .fingerprint = "f",
      .schedule = "s",
      .config = "{\"mc\":64,\"form\":1}",
      .script = "module {}",
      .digest = "d",
      .code = {.registers = 32},
      .time = {.median = 0.375, .low = 0.25, .high = 0.5, .repeats = 2, .samples = samples, 3},
      .drift = 1.25,
      .run.check = {.is_known = true, .error = 0.5, .tolerance = 1, .type = "f32", .reduction = 4},
      .run.counts = {.is_known = {true}, .of_run = {12}},
      .strategy = "grid",
      .created_ms = 5};
  record.stage_seconds[TUNE_STAGE_LINK] = 0.125;
  TUNE_RETURN_IF_ERROR(exchange_record(&record));
  record = (tune_record){.kind = TUNE_RECORD_WINNER,
                         .task = "k",
                         .fingerprint = "f",
                         .schedule = "",
                         .config = "{}",
                         .verdict = TUNE_VERDICT_WRONG,
                         .error = "off by one",
                         .strategy = "default"};
  TUNE_RETURN_IF_ERROR(exchange_record(&record));
  record.config = "{\"mc\":0.5}";
  return torture_expect(tune_record_validate(&record), TUNE_INVALID_ARGUMENT,
                        "no integer for knob");
}

//===- What is said to servers ---------------------------------------------------------------===//

static tune_status say_request(tune_status status, json_t *request) {
  TUNE_RETURN_IF_ERROR(status);
  char *text = tune_json_dump(request, JSON_COMPACT);
  json_decref(request);
  if (!text)
    return tune_status_out_of_memory("printing a request");
  torture_say("%s\n", text);
  free(text);
  return TUNE_OK;
}

static tune_space *space;

static void prepare_shared(const char *folder) {
  (void)folder;
  if (space)
    return;
  space = make_space();
  ADD_ORDERED(space, "mc", 8, 16);
  ADD_ORDERED(space, "nc", 8, 16);
}

// A module whose tasks are the knobs of the space, of which the first has its default.
static tune_status make_requests_of_module(const tune_process_evaluator_options *options,
                                           const tune_cores *cores) {
  json_t *defaults = json_object(), *request = NULL;
  if (!defaults)
    return tune_status_out_of_memory("making a config");
  // The second is cut apart by default.
  const tune_part_way parts[] = {{"p1", 0, defaults}, {"p2", 1, defaults}};
  const tune_task_way first[] = {{.config = defaults}, {.config = NULL}};
  const tune_task_way second[] = {
      {.config = defaults, .grouping = "ops", .parts = parts, .part_count = 2}, {.config = NULL}};
  const char *const keys[] = {"k1", "k2"};
  const tune_task_way *const ways[] = {first, second};
  const tune_task_module module = {.path = "m.mlir", .keys = keys, .ways = ways};
  const tune_task task = {.key = "k", .space = space, .reduction = 4, .module = &module};
  tune_config config = {0};
  tune_status status = tune_request_open_worker(options, &task, "m", &request);
  if (tune_status_is_ok(status))
    status = say_request(status, request);
  if (tune_status_is_ok(status))
    status = tune_config_init_default(&config, space);
  if (tune_status_is_ok(status))
    status = tune_request_build(options, cores, "m", 6, &task, &config, "6.so", &request);
  if (tune_status_is_ok(status))
    status = say_request(status, request);
  tune_config_deinit(&config);
  json_decref(defaults);
  return status;
}

static tune_status make_requests(const char *folder) {
  (void)folder;
  int cpus[] = {2, 3};
  const tune_cores cores = {cpus, 1, cpus, 2, 2, false};
  const tune_task task = {.key = "k",
                          .payload = "module {}",
                          .function = "f",
                          .schedule = "s",
                          .schedule_source = "s.mlir",
                          .allowed_passes = "cse",
                          .space = space,
                          .reduction = 4,
                          .accumulator = "f32",
                          .operands = "tf32"};
  tune_process_evaluator_options options;
  tune_process_evaluator_options_init(&options);
  options.target.device = "0";
  json_t *request = NULL, *signature = json_pack("{s:[]}", "arguments");
  if (!signature)
    return tune_status_out_of_memory("making a signature");
  tune_digest digest; // of any object
  tune_status digested = tune_target_facts_digest(signature, 2, true, &digest);
  if (!tune_status_is_ok(digested)) {
    json_decref(signature);
    return digested;
  }
  torture_say("%s\n", digest.text);
  tune_status status =
      tune_request_open_measurer(&options, &cores, &task, "t", signature, "r.so", false, &request);
  json_decref(signature);
  TUNE_RETURN_IF_ERROR(say_request(status, request));
  status = tune_request_open_worker(&options, &task, "t", &request);
  TUNE_RETURN_IF_ERROR(say_request(status, request));
  tune_config config;
  TUNE_RETURN_IF_ERROR(tune_config_init_default(&config, space));
  status = tune_request_build(&options, &cores, "t", 7, &task, &config, "7.so", &request);
  tune_config_deinit(&config);
  TUNE_RETURN_IF_ERROR(say_request(status, request));
  status = tune_request_measure(&options, "t", 8, "7.so", 0.5, &request);
  TUNE_RETURN_IF_ERROR(say_request(status, request));
  TUNE_RETURN_IF_ERROR(make_requests_of_module(&options, &cores));
  const char *paths[] = {"7.so", "8.so"};
  status = tune_request_compare(&options, "t", 9, paths, 2, 0.95, &request);
  TUNE_RETURN_IF_ERROR(say_request(status, request));
  status = tune_request_close("t", &request);
  return say_request(status, request);
}

static json_t *replies[4];

static void prepare_replies(const char *folder) {
  static const char *const TEXTS[] = {
      "{\"ticket\": 7, \"verdict\": \"built\", \"digest\": \"d\", \"seconds\": {\"transform\": 1,"
      " \"lower\": 2, \"optimize\": 3, \"codegen\": 4, \"link\": 5}}",
      "{\"ticket\": 7, \"verdict\": \"ok\", \"samples\": [2, 3], \"median\": 2, \"low\": 1,"
      " \"high\": 3, \"check\": {\"max_error\": 0.5, \"tolerance\": 1, \"type\": \"f32\","
      " \"reduction\": 4, \"magnitude\": 2, \"inputs\": \"dense\"},"
      " \"counters\": {\"cycles\": 12}}",
      "{\"ticket\": 7, \"verdict\": \"ok\","
      " \"results\": [{\"samples\": [2], \"median\": 2, \"low\": 1, \"high\": 3},"
      "               {\"samples\": [4], \"median\": 4, \"low\": 3, \"high\": 5}],"
      " \"ratios\": [{\"ratio\": 1, \"low\": 1, \"high\": 1},"
      "              {\"ratio\": 2, \"low\": 1.5, \"high\": 2.5}]}",
      "{\"ticket\": 7, \"verdict\": \"wrong\", \"artifact\": 1, \"error\": \"off by one\"}",
  };
  (void)folder;
  for (int i = 0; i < 4; ++i)
    if (!replies[i])
      assert_non_null(replies[i] = json_loads(TEXTS[i], 0, NULL));
}

static tune_status read_compare(const json_t *reply) {
  tune_comparison comparison;
  tune_status status = tune_reply_read_compare(reply, 2, &comparison);
  if (!tune_status_is_ok(status))
    return status;
  torture_say("%d %zu %s\n", comparison.failed, comparison.count,
              comparison.error ? comparison.error : "");
  tune_comparison_deinit(&comparison);
  return TUNE_OK;
}

static tune_status read_replies(const char *folder) {
  (void)folder;
  tune_evaluation event = {0};
  tune_status status = tune_reply_read_build(replies[0], &event);
  if (tune_status_is_ok(status))
    torture_say("%s %g\n", event.digest, event.stage_seconds[TUNE_STAGE_LINK]);
  tune_evaluation_deinit(&event);
  TUNE_RETURN_IF_ERROR(status);
  event = (tune_evaluation){0};
  status = tune_reply_read_measure(replies[1], &event);
  if (tune_status_is_ok(status))
    torture_say("%g %s %g\n", event.time.median, event.run.check.type,
                event.run.counts.of_run[TUNE_COUNT_CYCLES]);
  tune_evaluation_deinit(&event);
  TUNE_RETURN_IF_ERROR(status);
  TUNE_RETURN_IF_ERROR(read_compare(replies[2]));
  return read_compare(replies[3]);
}

//===- What servers say ----------------------------------------------------------------------===//

static json_t *answers[3];

static void prepare_answers(const char *folder) {
  static const char *const TEXTS[] = {
      "{\"verdict\": \"ok\", \"results\": [{\"verdict\": \"ok\", \"samples\": [0.5, 0.25],"
      " \"repeats\": 3, \"median\": 0.375, \"low\": 0.25, \"high\": 0.5, \"noise\": 0.125,"
      " \"outliers\": 1}], \"ratios\": [{\"ratio\": 1.5, \"low\": 1.25, \"high\": 2}],"
      " \"shapes\": [[4, 5], []], \"reference_seconds\": 0.5, \"nan_share\": 0.25}",
      "{\"task\": \"t\", \"signature\": {}, \"function\": \"f\", \"tasks\":"
      " [{\"name\": \"matmul\", \"count\": 2, \"from\": \"default\", \"why\": \"none\"}]}",
      "{\"tasks\": [{\"line\": {\"key\": \"k\"}, \"function\": \"f\", \"payload\": \"p\","
      " \"schedule\": \"s\", \"schedule_digest\": \"d\", \"candidates\":"
      " [{\"config\": {\"mc\": 2}, \"strategy\": \"given\"}]}]}",
  };
  (void)folder;
  for (int i = 0; i < 3; ++i)
    if (!answers[i])
      assert_non_null(answers[i] = json_loads(TEXTS[i], 0, NULL));
}

// Read, and written as their senders do.
static tune_status exchange_answers(const char *folder) {
  (void)folder;
  tune_run_reply run;
  tune_open_source_reply opened;
  tune_candidates_reply listed;
  json_t *again = NULL;
  TUNE_RETURN_IF_ERROR(tune_run_reply_from_json(answers[0], &run));
  tune_status status = tune_run_reply_to_json(&run, &again);
  tune_run_reply_deinit(&run);
  TUNE_RETURN_IF_ERROR(say_request(status, again));
  TUNE_RETURN_IF_ERROR(tune_open_source_reply_from_json(answers[1], &opened));
  status = tune_open_source_reply_to_json(&opened, &again);
  tune_open_source_reply_deinit(&opened);
  TUNE_RETURN_IF_ERROR(say_request(status, again));
  TUNE_RETURN_IF_ERROR(tune_candidates_reply_from_json(answers[2], &listed));
  status = tune_candidates_reply_to_json(&listed, &again);
  tune_candidates_reply_deinit(&listed);
  return say_request(status, again);
}

int main(int argc, char **argv) {
  static const torture_scenario SCENARIOS[] = {
      {.name = "measure", .run = measure},
      {.name = "machine", .run = look_at_machine},
      {.name = "records", .run = exchange_records},
      {.name = "requests", .prepare = prepare_shared, .run = make_requests},
      {.name = "replies", .prepare = prepare_replies, .run = read_replies},
      {.name = "answers", .prepare = prepare_answers, .run = exchange_answers},
  };
  int result = torture_main(argc, argv, SCENARIOS, sizeof SCENARIOS / sizeof *SCENARIOS);
  tune_space_destroy(space);
  for (int i = 0; i < 4; ++i)
    json_decref(replies[i]);
  for (int i = 0; i < 3; ++i)
    json_decref(answers[i]);
  return result;
}
