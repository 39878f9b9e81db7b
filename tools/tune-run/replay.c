//===- replay.c ---------------------------------------------------------------------===//

#include "tools/tune-run/replay.h"

#include "formats/worker_replies.h"
#include "formats/worker_requests.h"
#include "support/json.h"
#include "support/units.h"
#include "tools/tune-run/progress.h"
#include "tuning/database/database.h"
#include "tuning/device/process_target.h"
#include "tuning/evaluators/exchange.h"
#include "tuning/evaluators/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct replay {
  const run_settings *settings;
  const tune_target_facts *facts;
  tune_database *database;
  tune_record record;
  tune_kept_task kept;
  json_t *reply; // of tune-worker, as it finds tasks in the kept payload
  tune_candidates_reply list;
  const tune_listed_task *found; // the first of them; NULL: there is none
  tune_space *space;             // the record's knobs, each with its one value
  tune_config config;
  tune_evaluator evaluator;
  tune_evaluation build, run;
  tune_roofline_share place; // on this machine; its seconds are 0 where that is not known
} replay;

static const char *text_of(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

//===--------------------------------------------------------------------------===//
// The record and its task
//===--------------------------------------------------------------------------===//

static tune_status read_record(replay *r) {
  char *path = NULL;
  TUNE_RETURN_IF_ERROR(settings_find_named_database(r->settings->database, &path));
  if (!path)
    return tune_status_make(TUNE_NOT_FOUND,
                            "there is no database to take record '%s' from; name "
                            "it by --db",
                            r->settings->record);
  tune_status status = tune_database_open_read_only(path, &r->database);
  free(path);
  if (tune_status_is_ok(status))
    status = tune_database_find_record(r->database, r->settings->record, &r->record);
  if (tune_status_is_ok(status))
    status = tune_database_get_task(r->database, r->record.task, &r->kept);
  if (tune_status_is_ok(status) && !*r->kept.payload)
    status = tune_status_make(TUNE_FAILED_PRECONDITION,
                              "the database does not have the module of %s, the record's task",
                              r->kept.name);
  return status;
}

// Has the worker make the task's schedule, as a search does.
static tune_status find_task(replay *r) {
  const tune_target_facts *facts = r->facts;
  tune_candidates_request wanted = {.payload = r->kept.payload,
                                    .payload_source = "payload.mlir",
                                    .target = {facts->name.target, facts->fingerprint},
                                    .threads = (int64_t)facts->threads,
                                    .schedule = r->settings->schedule,
                                    .allow_passes = r->settings->allowed_passes,
                                    .flush_cache = r->settings->flush_cache};
  json_t *request;
  TUNE_RETURN_IF_ERROR(tune_candidates_request_to_json(&wanted, &request));
  tune_connection *worker;
  tune_status status = tune_connection_open("tune-worker", &worker);
  if (!tune_status_is_ok(status)) {
    json_decref(request);
    return status;
  }
  status = tune_exchange_ask(worker, request, NULL, &r->reply);
  tune_connection_close(worker);
  TUNE_RETURN_IF_ERROR(status);
  TUNE_RETURN_IF_ERROR(tune_reply_was_read(tune_candidates_reply_from_json(r->reply, &r->list)));
  r->found = r->list.tasks.count ? &r->list.tasks.items[0] : NULL;
  return TUNE_OK;
}

// The same record may have come from other rules than those of today.
static tune_status check_task(const replay *r) {
  const char *key = r->found ? text_of(r->found->line, "key") : NULL;
  if (!key || strcmp(key, r->record.task) != 0)
    return tune_status_make(TUNE_FAILED_PRECONDITION,
                            "the module kept of %s is taken apart otherwise by this version",
                            r->kept.name);
  // What is no part of the task was left out when it was found; nothing else is in one of ours.
  if (strcmp(r->found->payload, r->kept.payload) != 0)
    return tune_status_make(
        TUNE_FAILED_PRECONDITION,
        "the module kept of %s is not the one that its key stands for: there is "
        "more in it, or it is written otherwise; no search of this version "
        "wrote it, so that it is not run",
        r->kept.name);
  if (strcmp(r->found->schedule_digest, r->record.schedule) == 0)
    return TUNE_OK;
  return tune_status_make(
      TUNE_FAILED_PRECONDITION, "the record is of the schedule %s, and %s is %s: %s",
      r->record.schedule,
      r->settings->schedule ? r->settings->schedule : "that of the rules of this version",
      r->found->schedule_digest,
      r->settings->schedule ? "give the file as it was"
                            : "it was made on another machine or by another version, or is of a "
                              "file, which --schedule names");
}

static tune_status make_config(replay *r) {
  TUNE_RETURN_IF_ERROR(tune_space_create(&r->space));
  json_t *values;
  const char *name;
  json_t *value;
  tune_status status = tune_json_load_kept(r->record.config, "a config", &values);
  json_object_foreach(values, name, value) {
    int64_t number = json_integer_value(value);
    tune_knob knob = {.name = (char *)name, .value_count = 1, .values = &number};
    if (tune_status_is_ok(status))
      status = tune_space_add_knob(r->space, &knob);
  }
  json_decref(values);
  return tune_status_is_ok(status) ? tune_config_init_default(&r->config, r->space) : status;
}

//===--------------------------------------------------------------------------===//
// Building and running
//===--------------------------------------------------------------------------===//

static tune_status await(replay *r, tune_evaluation *event) {
  for (bool any = false; !any;)
    TUNE_RETURN_IF_ERROR(r->evaluator.methods->wait(r->evaluator.self, 1, event, &any));
  return TUNE_OK;
}

static tune_status evaluate(replay *r) {
  tune_process_evaluator_options options;
  tune_process_evaluator_options_init(&options);
  options.target = tune_process_target_of(r->facts);
  options.seed = r->record.seed;
  tune_task task = {.key = r->record.task,
                    .name = r->kept.name,
                    .payload = r->found->payload,
                    .function = r->found->function,
                    .schedule = r->found->schedule,
                    .schedule_source = r->found->schedule_source,
                    .schedule_digest = r->record.schedule,
                    .allowed_passes = r->settings->allowed_passes,
                    .space = r->space,
                    .reduction = r->found->reduction,
                    .accumulator = r->found->accumulator,
                    .operands = r->found->operands};
  TUNE_RETURN_IF_ERROR(tune_evaluator_process_create(&options, &r->evaluator));
  const tune_evaluator_class *methods = r->evaluator.methods;
  progress_show("building");
  TUNE_RETURN_IF_ERROR(methods->open(r->evaluator.self, &task));
  tune_status status = methods->build(r->evaluator.self, 1, &r->config);
  if (tune_status_is_ok(status))
    status = await(r, &r->build);
  if (tune_status_is_ok(status) && r->build.verdict == TUNE_VERDICT_OK) {
    progress_show("measuring");
    status = methods->measure(r->evaluator.self, 1, 0);
    if (tune_status_is_ok(status))
      status = await(r, &r->run);
  }
  methods->close(r->evaluator.self);
  return status;
}

//===--------------------------------------------------------------------------===//
// Reporting
//===--------------------------------------------------------------------------===//

static const tune_evaluation *outcome(const replay *r) {
  return r->build.verdict == TUNE_VERDICT_OK ? &r->run : &r->build;
}

// Of what failed to build there is no code.
static bool is_same_code(const replay *r) {
  const char *recorded = r->record.digest, *built = r->build.digest;
  return (!recorded && !built) || (recorded && built && strcmp(recorded, built) == 0);
}

// What was cut, or had the code of another trial, is fine when it is measured to the end, alone.
static bool is_same_verdict(const replay *r) {
  bool recorded = tune_verdict_is_failure(r->record.verdict);
  return recorded ? outcome(r)->verdict == r->record.verdict
                  : outcome(r)->verdict == TUNE_VERDICT_OK;
}

static bool is_here(const replay *r) {
  return strcmp(r->record.fingerprint, r->facts->digest.text) == 0;
}

static void print_verdict(const char *title, tune_verdict verdict, const char *error,
                          const tune_timing *time) {
  printf("  %-22s %s", title, tune_verdict_name(verdict));
  if (error)
    printf(": %s", error);
  if (time->median > 0)
    printf(", %s [%s … %s]", tune_figure_seconds(time->median).text,
           tune_figure_seconds(time->low).text, tune_figure_seconds(time->high).text);
  printf("\n");
}

// Of the run now, where it is known what this machine can do.
static void print_rate(const replay *r) {
  double median = outcome(r)->time.median;
  if (!(median > 0))
    return;
  printf("  %-22s %s GFLOP/s", "Rate", tune_figure_giga(r->kept.flops / median).text);
  if (r->place.seconds > 0)
    printf("; %s of the roofline, bound by %s", tune_figure_percent(r->place.seconds / median).text,
           r->place.bound);
  printf("\n");
}

static tune_status report_text_of(const replay *r) {
  const tune_evaluation *now = outcome(r);
  char *config;
  tune_digest id;
  TUNE_RETURN_IF_ERROR(tune_database_record_digest(&r->record, &id));
  TUNE_RETURN_IF_ERROR(tune_record_config_text(r->record.config, &config));
  printf("record %s: %s, by %s, seed %llu\n", id.text, r->kept.name, r->record.strategy,
         (unsigned long long)r->record.seed);
  printf("  %-22s %s\n", "Config", config);
  free(config);
  print_verdict("Recorded", r->record.verdict, r->record.error, &r->record.time);
  print_verdict("Now", now->verdict, now->error, &now->time);
  print_rate(r);
  if (now->time.median > 0 && r->record.time.median > 0)
    printf("  %-22s %.3f\n", "Now / recorded", now->time.median / r->record.time.median);
  if (r->record.digest || r->build.digest)
    printf("  %-22s %s\n", "Code",
           is_same_code(r) ? "the same, bit for bit" : "other than was recorded");
  if (!is_here(r))
    printf("  Note: the record is of another machine, device or number of threads (%.8s; this is "
           "%.8s)\n",
           r->record.fingerprint, r->facts->digest.text);
  return TUNE_OK;
}

static json_t *outcome_to_json(tune_verdict verdict, const char *error, const char *digest,
                               const tune_timing *time) {
  return json_pack("{s:s, s:s?, s:s?, s:o}", "verdict", tune_verdict_name(verdict), "error", error,
                   "digest", digest, "median_ns",
                   time->median > 0 ? json_real(1e9 * time->median) : json_null());
}

static bool is_placed(const replay *r) {
  return r->place.seconds > 0 && outcome(r)->time.median > 0;
}

static tune_status report_json_of(const replay *r) {
  tune_digest id;
  TUNE_RETURN_IF_ERROR(tune_database_record_digest(&r->record, &id));
  const tune_evaluation *now = outcome(r);
  json_t *config;
  TUNE_RETURN_IF_ERROR(tune_json_load_kept(r->record.config, "a config", &config));
  json_t *object = json_pack(
      "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b}", "record", id.text, "task", r->kept.name,
      "config", config, "recorded",
      outcome_to_json(r->record.verdict, r->record.error, r->record.digest, &r->record.time), "now",
      outcome_to_json(now->verdict, now->error, r->build.digest, &now->time), "percent_of_roofline",
      is_placed(r) ? json_real(tune_roofline_percent(&r->place, now->time.median)) : json_null(),
      "bound_by", is_placed(r) ? json_string(r->place.bound) : json_null(), "same_code",
      is_same_code(r), "same_verdict", is_same_verdict(r), "same_device", is_here(r));
  if (!object)
    return tune_status_out_of_memory("replaying a record");
  json_dumpf(object, stdout, JSON_INDENT(2));
  json_decref(object);
  printf("\n");
  return TUNE_OK;
}

static tune_status report(const replay *r) {
  TUNE_RETURN_IF_ERROR(r->settings->format == FORMAT_JSON ? report_json_of(r) : report_text_of(r));
  if (fflush(stdout) == 0 && !ferror(stdout))
    return TUNE_OK;
  return tune_status_from_errno(errno, "writing the report");
}

//===--------------------------------------------------------------------------===//
// The whole
//===--------------------------------------------------------------------------===//

// A search on this machine has left its roofline; where none has, the place is not known.
static tune_status find_place(replay *r) {
  tune_status status =
      tune_roofline_find_kept_place(r->database, &r->kept, r->facts->digest.text, &r->place);
  if (tune_status_get_code(status) != TUNE_NOT_FOUND)
    return status;
  tune_status_free(status);
  return TUNE_OK;
}

static tune_status run(replay *r) {
  TUNE_RETURN_IF_ERROR(read_record(r));
  TUNE_RETURN_IF_ERROR(find_task(r));
  TUNE_RETURN_IF_ERROR(check_task(r));
  TUNE_RETURN_IF_ERROR(make_config(r));
  TUNE_RETURN_IF_ERROR(find_place(r));
  tune_status status = evaluate(r);
  progress_clear();
  return tune_status_is_ok(status) ? report(r) : status;
}

tune_status replay_run(const run_settings *settings, const tune_target_facts *facts,
                       bool *out_is_ok) {
  replay r = {.settings = settings, .facts = facts};
  tune_record_init(&r.record);
  tune_status status = run(&r);
  *out_is_ok = tune_status_is_ok(status) && is_same_code(&r) && is_same_verdict(&r);
  if (r.evaluator.methods)
    tune_evaluator_destroy(&r.evaluator);
  tune_evaluation_deinit(&r.build);
  tune_evaluation_deinit(&r.run);
  tune_config_deinit(&r.config);
  tune_space_destroy(r.space);
  tune_candidates_reply_deinit(&r.list);
  json_decref(r.reply);
  tune_kept_task_deinit(&r.kept);
  tune_record_deinit(&r.record);
  tune_database_destroy(r.database);
  return tune_status_annotate(status, "record %s", settings->record);
}
