//===- device.c - Requests for fingerprints and rooflines --------------------===//

#include "tools/tune-measure/device.h"
#include "support/json.h"
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
  *out_report = json_pack("{soss}", "fingerprint", object, "digest", digest.text);
  return *out_report ? TUNE_OK : tune_status_out_of_memory("reporting");
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
    *out_report = json_pack("{so}", "roofline", object);
  } else {
    TUNE_RETURN_IF_ERROR(report_fingerprint(question->target->fingerprint(target), out_report));
  }
  question->target->close(target);
  return *out_report ? TUNE_OK : tune_status_out_of_memory("reporting");
}

// Of what every device has that the request names: none is opened.
static tune_status describe(const json_t *request, json_t **out_reply) {
  const char *name, *device = NULL;
  const tune_target_class *target;
  tune_fingerprint fingerprint;
  TUNE_RETURN_IF_ERROR(request_get_text(request, "target", &name));
  TUNE_RETURN_IF_ERROR(tune_target_find(name, &target));
  TUNE_RETURN_IF_ERROR(request_get_optional_text(request, "device", &device));
  if (!target->describe)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "\"generic\": nothing is known of any device of the target '%s'", name);
  TUNE_RETURN_IF_ERROR(target->describe(device, &fingerprint));
  tune_status status = report_fingerprint(&fingerprint, out_reply);
  tune_fingerprint_deinit(&fingerprint);
  return status;
}

tune_status device_ask(const json_t *request, bool wants_roofline, const child_watch *watch,
                       json_t **out_reply) {
  const char *name;
  int64_t threads = 1;
  device_question question = {
      .wants_roofline = wants_roofline,
      .is_quick = json_is_true(json_object_get(request, "quick")),
  };
  if (!wants_roofline && json_is_true(json_object_get(request, "generic")))
    return describe(request, out_reply);
  TUNE_RETURN_IF_ERROR(request_get_text(request, "target", &name));
  TUNE_RETURN_IF_ERROR(tune_target_find(name, &question.target));
  TUNE_RETURN_IF_ERROR(request_get_optional_text(request, "device", &question.options.device));
  TUNE_RETURN_IF_ERROR(request_get_integer(request, "threads", 1, &threads));
  int *cpus;
  TUNE_RETURN_IF_ERROR(request_get_cpus(request, &cpus, &question.options.cpu_count));
  question.options.cpus = cpus;
  question.options.threads = (size_t)threads;
  child_limits limits = {.seconds = DEVICE_SECONDS,
                         .threads = question.options.threads,
                         .takes_time = wants_roofline && task_takes_time(question.target),
                         .cpus = cpus,
                         .cpu_count = question.options.cpu_count};
  child_outcome outcome;
  tune_status status = child_run(ask_device, &question, &limits, watch, &outcome);
  free(cpus);
  TUNE_RETURN_IF_ERROR(status);
  if (outcome.end == CHILD_REPORTED)
    *out_reply = json_incref(outcome.report);
  else if (outcome.end == CHILD_CANCELLED)
    status = tune_status_make(TUNE_CANCELLED, "stopped");
  else
    status = tune_status_make(TUNE_INTERNAL, "asking the target '%s': %s", name, outcome.error);
  child_outcome_deinit(&outcome);
  return status;
}

tune_status device_print(const char *what, const char *target, const char *device,
                         int64_t threads) {
  json_t *request = tune_json_pack("{ssss*sI}", "target", target, "device", device, "threads",
                                   (json_int_t)threads),
         *reply = NULL;
  if (!request)
    return tune_status_out_of_memory("asking the device");
  tune_status status = device_ask(request, strcmp(what, "roofline") == 0, NULL, &reply);
  json_decref(request);
  if (!tune_status_is_ok(status))
    return status;
  if (json_dumpf(json_object_get(reply, what), stdout, JSON_REAL_PRECISION(6)) != 0 ||
      puts("") == EOF || fflush(stdout) != 0)
    status = tune_status_from_errno(errno, "writing to stdout");
  json_decref(reply);
  return status;
}
