//===- device_file.c ----------------------------------------------------------===//

#include "tuning/device/device_file.h"

#include "support/file.h"
#include "support/json.h"
#include "tuning/device/cpu_features.h"

#include <stdlib.h>
#include <string.h>

static const char *target_of(const json_t *fingerprint) {
  return json_string_value(json_object_get(fingerprint, "target"));
}

// Takes and replaces `status`: NOT_FOUND would be of a device, and what the path names may be
// something else.
static tune_status explain_unread(tune_status status) {
  static const char *const WHAT = "the description of a device cannot be read";
  tune_status_code code = tune_status_get_code(status);
  if (code != TUNE_NOT_FOUND && code != TUNE_FAILED_PRECONDITION)
    return tune_status_annotate(status, "%s", WHAT);
  return tune_status_join(
      tune_status_make(TUNE_INVALID_ARGUMENT, "%s: %s", WHAT, tune_status_get_message(status)),
      status);
}

tune_status tune_device_file_read(const char *path, json_t **out_fingerprint) {
  char *text;
  size_t size;
  *out_fingerprint = NULL;
  tune_status status = tune_file_read(path, &text, &size);
  if (!tune_status_is_ok(status))
    return explain_unread(status);
  json_error_t error;
  json_t *object = tune_json_load(text, size, &error);
  free(text);
  if (!object && tune_json_lacks_memory(&error))
    return tune_status_out_of_memory("reading %s", path);
  if (!object && size)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "%s:%d: %s", path, error.line, error.text);
  if (!object || !target_of(object)) {
    json_decref(object);
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "%s: no fingerprint; it is what `tune-measure --fingerprint` prints on "
                            "the machine that measures",
                            path);
  }
  if (strcmp(target_of(object), "cuda") == 0 && !json_is_string(json_object_get(object, "arch"))) {
    json_decref(object);
    return tune_status_make(
        TUNE_INVALID_ARGUMENT,
        "%s: a device of CUDA without \"arch\" (as in \"sm_90\"): it is cut, or "
        "no fingerprint that `tune-measure --fingerprint` printed",
        path);
  }
  *out_fingerprint = object;
  return TUNE_OK;
}

static tune_status check_target(const char *path, const char *target, const json_t *fingerprint) {
  const char *its = target_of(fingerprint);
  const char *arch = json_string_value(json_object_get(fingerprint, "arch"));
  size_t length = strcspn(target, ":");
  bool is_its = strncmp(its, target, length) == 0 && !its[length];
  // "cuda:sm_90" is no contradiction where the device is of that architecture.
  if (is_its && target[length] && arch && strcmp(target + length + 1, arch) == 0)
    return TUNE_OK;
  // Nor is "cpu:znver4" where it is of that CPU.
  const char *cpu = json_string_value(json_object_get(fingerprint, "cpu"));
  if (is_its && target[length] && cpu && strcmp(target + length + 1, cpu) == 0)
    return TUNE_OK;
  if (target[length])
    return tune_status_make(
        TUNE_INVALID_ARGUMENT,
        "%s says which device is meant, so that '%s' in %s has no meaning; take "
        "%.*s",
        path, target + length, target, (int)length, target);
  if (strcmp(its, target) == 0)
    return TUNE_OK;
  return tune_status_make(TUNE_INVALID_ARGUMENT, "%s is of the target %s, not of %s", path, its,
                          target);
}

tune_status tune_device_file_get_facts(const char *path, const char *target, size_t threads,
                                       tune_target_facts **out_facts) {
  *out_facts = NULL;
  tune_target_name name; // of a target that there is
  TUNE_RETURN_IF_ERROR(tune_target_name_init(&name, target));
  tune_target_name_deinit(&name);
  json_t *fingerprint;
  TUNE_RETURN_IF_ERROR(tune_device_file_read(path, &fingerprint));
  tune_status status = check_target(path, target, fingerprint);
  if (tune_status_is_ok(status))
    status = tune_target_facts_create_known(target, fingerprint, threads, out_facts);
  if (tune_status_is_ok(status))
    (*out_facts)->is_elsewhere = true;
  json_decref(fingerprint);
  return status;
}

tune_status tune_device_file_get_cpu(const tune_target_facts *facts, tune_code_cpu *out_cpu) {
  *out_cpu = (tune_code_cpu){.cpu = NULL};
  if (facts->name.kind != TUNE_KIND_CPU)
    return TUNE_OK;
  out_cpu->cpu = json_string_value(json_object_get(facts->fingerprint, "cpu"));
  out_cpu->triple = json_string_value(json_object_get(facts->fingerprint, "triple"));
  if (out_cpu->cpu)
    return TUNE_OK;
  tune_target_facts *own; // with one thread, as this machine may have fewer CPUs than the other one
  TUNE_RETURN_IF_ERROR(tune_target_facts_create(facts->name.target, 1, &own));
  bool is_own = json_equal(own->fingerprint, facts->fingerprint);
  tune_target_facts_destroy(own);
  if (is_own)
    return TUNE_OK;
  out_cpu->cpu = "x86-64";
  return tune_cpu_features_to_llvm(facts->fingerprint, &out_cpu->features);
}
