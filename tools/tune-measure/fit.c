//===- fit.c - Compatibility of code that was made elsewhere -----------------===//

#include "tools/tune-measure/fit.h"
#include "support/string_builder.h"
#include "targets/fingerprint.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define WHAT_NOW                                                                                   \
  "export for this machine: with `tune-measure --fingerprint` of it as device.json in the folder " \
  "of measure=export:, or for any device (--target=vulkan:generic)"

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text ? text : "?";
}

static tune_status refuse(const json_t *theirs, const char *what) {
  return tune_status_make(TUNE_UNAVAILABLE, "the code is made for %s, and %s; %s",
                          text_of(theirs, "model"), what, WHAT_NOW);
}

// The reference runs on the CPU, whatever the target.
static tune_status check_machine(const json_t *description) {
  struct utsname system;
  const char *theirs = text_of(description, "machine");
  if (uname(&system) != 0 || strcmp(theirs, system.machine) == 0)
    return TUNE_OK;
  return tune_status_make(
      TUNE_UNAVAILABLE,
      "the export was made on a machine of kind %s, and this one is %s: what it "
      "compares with cannot run here; export on a %s machine",
      theirs, system.machine, system.machine);
}

static tune_status check_reference(const json_t *description) {
  const json_t *features = json_object_get(description, "reference_features");
  if (json_array_size(features) == 0)
    return TUNE_OK;
  tune_fingerprint cpu;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_of_cpu(&cpu));
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < json_array_size(features) && tune_status_is_ok(status); ++i) {
    const char *name = json_string_value(json_array_get(features, i));
    if (name && !tune_fingerprint_has_feature(&cpu, name))
      status = tune_status_make(TUNE_UNAVAILABLE,
                                "the CPU here, %s, has no %s, which what results are compared with "
                                "needs; take a machine of the last ten years",
                                cpu.model, name);
  }
  tune_fingerprint_deinit(&cpu);
  return status;
}

// Where threads are used the artifact needs their runtime.
static tune_status check_threads(const json_t *description) {
  if (json_integer_value(json_object_get(description, "threads")) < 2 ||
      strcmp(text_of(description, "target"), "cpu") != 0)
    return TUNE_OK;
  void *library = dlopen("libomp.so.5", RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "the code runs on %lld threads, and libomp.so.5 is not here (%s); "
                            "install libomp5",
                            (long long)json_integer_value(json_object_get(description, "threads")),
                            dlerror());
  dlclose(library);
  return TUNE_OK;
}

static bool contains(const json_t *array, const char *text) {
  for (size_t i = 0; i < json_array_size(array); ++i)
    if (strcmp(json_string_value(json_array_get(array, i)), text) == 0)
      return true;
  return false;
}

// What `theirs` lists under `name` has to be here too.
static tune_status check_list(const json_t *theirs, const json_t *ours, const char *name) {
  const json_t *wanted = json_object_get(theirs, name), *has = json_object_get(ours, name);
  tune_string_builder missing;
  tune_string_builder_init(&missing);
  for (size_t i = 0; i < json_array_size(wanted); ++i) {
    const char *text = json_string_value(json_array_get(wanted, i));
    if (text && !contains(has, text))
      tune_string_builder_appendf(&missing, "%s %s", missing.length ? "," : "lacks", text);
  }
  tune_status status = TUNE_OK;
  if (missing.length) {
    char *what = NULL;
    status = asprintf(&what, "%s, here, %s", text_of(ours, "model"), missing.text) < 0
                 ? tune_status_out_of_memory("comparing devices")
                 : refuse(theirs, what);
    free(what);
  }
  tune_string_builder_deinit(&missing);
  return status;
}

// "sm_90" runs on "sm_90" and what is later of the same number of tens.
static bool runs_on(int theirs, int ours) { return theirs / 10 == ours / 10 && theirs <= ours; }

static tune_status check_architecture(const json_t *theirs, const json_t *ours) {
  const json_t *wanted = json_object_get(theirs, "arch");
  if (!wanted)
    return TUNE_OK;
  int their_number = 0, our_number = 0;
  bool is_known = sscanf(text_of(theirs, "arch"), "sm_%d", &their_number) == 1 &&
                  sscanf(text_of(ours, "arch"), "sm_%d", &our_number) == 1;
  if (is_known && runs_on(their_number, our_number))
    return TUNE_OK;
  char what[256];
  snprintf(what, sizeof what, "%s, here, is %s and not %s", text_of(ours, "model"),
           text_of(ours, "arch"), text_of(theirs, "arch"));
  return refuse(theirs, what);
}

static tune_status refuse_number(const json_t *theirs, const json_t *ours, const char *name) {
  char what[256];
  snprintf(what, sizeof what, "%s, here, has %s %lld and not %lld", text_of(ours, "model"), name,
           (long long)json_integer_value(json_object_get(ours, name)),
           (long long)json_integer_value(json_object_get(theirs, name)));
  return refuse(theirs, what);
}

static tune_status check_numbers(const json_t *theirs, const json_t *ours) {
  // Of which the code may have used all that there was.
  static const char *const LIMITS[] = {
      "shared_bytes",         "shared_bytes_most",     "group_invocations", "group_registers",
      "storage_buffer_bytes", "texel_buffer_elements", "bindings",          "push_constant_bytes"};
  for (size_t i = 0; i < sizeof LIMITS / sizeof *LIMITS; ++i)
    if (json_integer_value(json_object_get(ours, LIMITS[i])) <
        json_integer_value(json_object_get(theirs, LIMITS[i])))
      return refuse_number(theirs, ours, LIMITS[i]);
  if (json_integer_value(json_object_get(ours, "subgroup_size")) !=
      json_integer_value(json_object_get(theirs, "subgroup_size")))
    return refuse_number(theirs, ours, "subgroup_size");
  // Without one, loops are as long as they like.
  json_int_t ours_at_most = json_integer_value(json_object_get(ours, "loop_limit"));
  json_int_t theirs_at_most = json_integer_value(json_object_get(theirs, "loop_limit"));
  if (ours_at_most > 0 && (theirs_at_most == 0 || theirs_at_most > ours_at_most))
    return refuse_number(theirs, ours, "loop_limit");
  return TUNE_OK;
}

tune_status fit_check(const json_t *description, const json_t *fingerprint) {
  TUNE_RETURN_IF_ERROR(check_machine(description));
  TUNE_RETURN_IF_ERROR(check_reference(description));
  TUNE_RETURN_IF_ERROR(check_threads(description));
  const json_t *device = json_object_get(description, "device");
  if (!json_is_object(device) || json_equal(device, fingerprint))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(check_architecture(device, fingerprint));
  TUNE_RETURN_IF_ERROR(check_list(device, fingerprint, "features"));
  TUNE_RETURN_IF_ERROR(check_list(device, fingerprint, "subgroup_operations"));
  TUNE_RETURN_IF_ERROR(check_list(device, fingerprint, "cooperative_matrices"));
  return check_numbers(device, fingerprint);
}
