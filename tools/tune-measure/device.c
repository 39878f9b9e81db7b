//===- device.c - Requests for fingerprints and rooflines --------------------===//

#include "tools/tune-measure/device.h"
#include "tools/tune-measure/task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_SECONDS 60

typedef struct device_question {
  const tune_target_class *target;
  tune_target_options options;
  bool wants_roofline, is_quick;
} device_question;

static tune_status report_fingerprint(const tune_fingerprint *fingerprint, json_t **out_report) {
  tune_digest digest;
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_digest(fingerprint, &digest));
  TUNE_RETURN_IF_ERROR(tune_fingerprint_to_json(fingerprint, &object));
  tune_device_reply reply = {.fingerprint = object, .digest = digest.text};
  tune_status status = tune_device_reply_to_json(&reply, out_report);
  json_decref(object);
  return status;
}

// In a child, since opening a target pins the process.
static tune_status ask_device(void *context, child_notes *notes, json_t **out_report) {
  const device_question *question = context;
  notes->phase = "asking the device";
  tune_target *target;
  TUNE_RETURN_IF_ERROR(question->target->open(&question->options, &target));
  if (question->wants_roofline) {
    tune_roofline roofline;
    json_t *object;
    TUNE_RETURN_IF_ERROR(question->target->roofline(target, question->is_quick, &roofline));
    TUNE_RETURN_IF_ERROR(tune_roofline_to_json(&roofline, &object));
    tune_device_reply reply = {.roofline = object};
    TUNE_RETURN_IF_ERROR(tune_device_reply_to_json(&reply, out_report));
    json_decref(object);
  } else {
    TUNE_RETURN_IF_ERROR(report_fingerprint(question->target->fingerprint(target), out_report));
  }
  question->target->close(target);
  return TUNE_OK;
}

// Of what every device has that the request names: none is opened.
static tune_status describe(const tune_place *place, json_t **out_reply) {
  const tune_target_class *target;
  tune_fingerprint fingerprint;
  TUNE_RETURN_IF_ERROR(tune_target_find(place->target, &target));
  if (!target->describe)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"generic\": nothing is known of any device of the target '%s'",
                            place->target);
  TUNE_RETURN_IF_ERROR(target->describe(place->device, &fingerprint));
  tune_status status = report_fingerprint(&fingerprint, out_reply);
  tune_fingerprint_deinit(&fingerprint);
  return status;
}

tune_status device_ask(const tune_device_request *request, bool wants_roofline,
                       const child_watch *watch, json_t **out_reply) {
  const tune_place *place = &request->place;
  if (!wants_roofline && request->generic)
    return describe(place, out_reply);
  device_question question = {.options = {.threads = (size_t)place->threads,
                                          .cpus = place->cpus.count ? place->cpus.items : NULL,
                                          .cpu_count = place->cpus.count,
                                          .device = place->device},
                              .wants_roofline = wants_roofline,
                              .is_quick = request->quick};
  TUNE_RETURN_IF_ERROR(tune_target_find(place->target, &question.target));
  child_limits limits = {.seconds = DEVICE_SECONDS,
                         .threads = question.options.threads,
                         .takes_time = wants_roofline && task_takes_time(question.target),
                         .cpus = question.options.cpus,
                         .cpu_count = question.options.cpu_count};
  child_outcome outcome;
  TUNE_RETURN_IF_ERROR(child_run(ask_device, &question, &limits, watch, &outcome));
  tune_status status = TUNE_OK;
  if (outcome.end == CHILD_REPORTED)
    *out_reply = json_incref(outcome.report);
  else if (outcome.end == CHILD_CANCELLED)
    status = tune_status_make(TUNE_CANCELLED, "stopped");
  else
    status =
        tune_status_make(TUNE_INTERNAL, "asking the target '%s': %s", place->target, outcome.error);
  child_outcome_deinit(&outcome);
  return status;
}

tune_status device_ask_object(const tune_device_request *request, bool wants_roofline,
                              const child_watch *watch, json_t **out_object) {
  json_t *reply = NULL;
  tune_device_reply said;
  *out_object = NULL;
  TUNE_RETURN_IF_ERROR(device_ask(request, wants_roofline, watch, &reply));
  tune_status status = tune_reply_was_read(tune_device_reply_from_json(reply, &said));
  if (tune_status_is_ok(status))
    *out_object = json_incref((json_t *)(wants_roofline ? said.roofline : said.fingerprint));
  if (tune_status_is_ok(status) && !*out_object)
    status = tune_status_make(TUNE_DATA_LOSS, "the report on a device lacks what it is about");
  json_decref(reply);
  return status;
}

tune_status device_print(const char *what, const char *target, const char *device,
                         int64_t threads) {
  tune_device_request request = {.place = {.target = target, .device = device, .threads = threads}};
  json_t *object;
  TUNE_RETURN_IF_ERROR(
      device_ask_object(&request, strcmp(what, TUNE_DO_ROOFLINE) == 0, NULL, &object));
  tune_status status = TUNE_OK;
  if (json_dumpf(object, stdout, JSON_REAL_PRECISION(6)) != 0 || puts("") == EOF ||
      fflush(stdout) != 0)
    status = tune_status_from_errno(errno, "writing to stdout");
  json_decref(object);
  return status;
}
