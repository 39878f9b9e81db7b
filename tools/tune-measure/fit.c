//===- fit.c - Compatibility of code that was made elsewhere -----------------===//

#include "tools/tune-measure/fit.h"
#include "support/string_builder.h"
#include "targets/fingerprint.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define WHAT_NOW                                                                                   \
  "export for this machine: with `tune-measure --fingerprint` of it as device.json in the folder " \
  "of measure=export:, or for any device (--target=vulkan:generic)"

static const char *or_unknown(const char *text) { return text ? text : "?"; }

static tune_status refuse(const tune_fingerprint *theirs, const char *what) {
  return tune_status_make(TUNE_UNAVAILABLE, "the code is made for %s, and %s; %s",
                          or_unknown(theirs->model), what, WHAT_NOW);
}

// The reference runs on the CPU, whatever the target.
static tune_status check_machine(const tune_export_description *described) {
  struct utsname system;
  const char *theirs = or_unknown(described->machine);
  if (uname(&system) != 0 || strcmp(theirs, system.machine) == 0)
    return TUNE_OK;
  return tune_status_make(
      TUNE_UNAVAILABLE,
      "the export was made on a machine of kind %s, and this one is %s: what it "
      "compares with cannot run here; export on a %s machine",
      theirs, system.machine, system.machine);
}

static tune_status check_reference(const tune_export_description *described) {
  const tune_text_list *features = &described->reference_features;
  if (features->count == 0)
    return TUNE_OK;
  tune_fingerprint cpu;
  TUNE_RETURN_IF_ERROR(tune_fingerprint_of_cpu(&cpu));
  tune_status status = TUNE_OK;
  for (size_t i = 0; i < features->count && tune_status_is_ok(status); ++i)
    if (!tune_fingerprint_has_feature(&cpu, features->items[i]))
      status = tune_status_make(TUNE_UNAVAILABLE,
                                "the CPU here, %s, has no %s, which what results are compared with "
                                "needs; take a machine of the last ten years",
                                cpu.model, features->items[i]);
  tune_fingerprint_deinit(&cpu);
  return status;
}

// Where threads are used the artifact needs their runtime.
static tune_status check_threads(const tune_export_description *described) {
  if (described->threads < 2 || strcmp(or_unknown(described->target), "cpu") != 0)
    return TUNE_OK;
  void *library = dlopen("libomp.so.5", RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return tune_status_make(TUNE_UNAVAILABLE,
                            "the code runs on %lld threads, and libomp.so.5 is not here (%s); "
                            "install libomp5",
                            (long long)described->threads, dlerror());
  dlclose(library);
  return TUNE_OK;
}

static bool contains(const tune_text_list *list, const char *text) {
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->items[i], text) == 0)
      return true;
  return false;
}

// Two devices: what the code is made for, and what is here.
typedef struct devices {
  tune_fingerprint theirs, ours;
} devices;

// What is in their list has to be in ours.
static tune_status check_list(const devices *d, const tune_text_list *theirs,
                              const tune_text_list *ours) {
  tune_string_builder missing;
  tune_string_builder_init(&missing);
  for (size_t i = 0; i < theirs->count; ++i)
    if (!contains(ours, theirs->items[i]))
      tune_string_builder_appendf(&missing, "%s %s", missing.length ? "," : "lacks",
                                  theirs->items[i]);
  tune_status status = TUNE_OK;
  if (missing.length) {
    char *what = NULL;
    status = asprintf(&what, "%s, here, %s", or_unknown(d->ours.model), missing.text) < 0
                 ? tune_status_out_of_memory("comparing devices")
                 : refuse(&d->theirs, what);
    free(what);
  }
  tune_string_builder_deinit(&missing);
  return status;
}

// "sm_90" runs on "sm_90" and what is later of the same number of tens.
static bool runs_on(int theirs, int ours) { return theirs / 10 == ours / 10 && theirs <= ours; }

static tune_status check_architecture(const devices *d) {
  const char *theirs = d->theirs.gpu.arch, *ours = or_unknown(d->ours.gpu.arch);
  if (!theirs)
    return TUNE_OK;
  int their_number = 0, our_number = 0;
  bool is_known =
      sscanf(theirs, "sm_%d", &their_number) == 1 && sscanf(ours, "sm_%d", &our_number) == 1;
  if (is_known && runs_on(their_number, our_number))
    return TUNE_OK;
  char what[256];
  snprintf(what, sizeof what, "%s, here, is %s and not %s", or_unknown(d->ours.model), ours,
           theirs);
  return refuse(&d->theirs, what);
}

// A number of a device, and its name; 0 where nothing is said of it.
typedef struct number_row {
  const char *name;
  size_t offset;
} number_row;

#define NUMBER(field)                                                                              \
  { #field, offsetof(tune_gpu, field) }

static int64_t number_of(const tune_fingerprint *fingerprint, const number_row *row) {
  int64_t number = *(const int64_t *)((const char *)&fingerprint->gpu + row->offset);
  return number > 0 ? number : 0;
}

static tune_status refuse_number(const devices *d, const number_row *row) {
  char what[256];
  snprintf(what, sizeof what, "%s, here, has %s %lld and not %lld", or_unknown(d->ours.model),
           row->name, (long long)number_of(&d->ours, row), (long long)number_of(&d->theirs, row));
  return refuse(&d->theirs, what);
}

static tune_status check_numbers(const devices *d) {
  // Of which the code may have used all that there was.
  static const number_row LIMITS[] = {
      NUMBER(shared_bytes),    NUMBER(shared_bytes_most),    NUMBER(group_invocations),
      NUMBER(group_registers), NUMBER(storage_buffer_bytes), NUMBER(texel_buffer_elements),
      NUMBER(bindings),        NUMBER(push_constant_bytes)};
  static const number_row SUBGROUP = NUMBER(subgroup_size), LOOPS = NUMBER(loop_limit);
  for (size_t i = 0; i < sizeof LIMITS / sizeof *LIMITS; ++i)
    if (number_of(&d->ours, &LIMITS[i]) < number_of(&d->theirs, &LIMITS[i]))
      return refuse_number(d, &LIMITS[i]);
  if (number_of(&d->ours, &SUBGROUP) != number_of(&d->theirs, &SUBGROUP))
    return refuse_number(d, &SUBGROUP);
  // Without one, loops are as long as they like.
  int64_t ours = number_of(&d->ours, &LOOPS), theirs = number_of(&d->theirs, &LOOPS);
  return ours > 0 && (theirs == 0 || theirs > ours) ? refuse_number(d, &LOOPS) : TUNE_OK;
}

static tune_status check_devices(const devices *d) {
  const tune_fingerprint *theirs = &d->theirs, *ours = &d->ours;
  TUNE_RETURN_IF_ERROR(check_architecture(d));
  TUNE_RETURN_IF_ERROR(check_list(d, &theirs->features, &ours->features));
  TUNE_RETURN_IF_ERROR(
      check_list(d, &theirs->gpu.subgroup_operations, &ours->gpu.subgroup_operations));
  TUNE_RETURN_IF_ERROR(
      check_list(d, &theirs->gpu.cooperative_matrices, &ours->gpu.cooperative_matrices));
  return check_numbers(d);
}

static tune_status check_device(const json_t *device, const json_t *fingerprint) {
  devices d;
  TUNE_RETURN_IF_ERROR(tune_status_annotate(tune_fingerprint_from_json(device, &d.theirs),
                                            "the device that the code is made for"));
  tune_status status = tune_fingerprint_from_json(fingerprint, &d.ours);
  if (tune_status_is_ok(status)) {
    status = check_devices(&d);
    tune_fingerprint_deinit(&d.ours);
  }
  tune_fingerprint_deinit(&d.theirs);
  return status;
}

tune_status fit_check(const tune_export_description *described, const json_t *fingerprint) {
  TUNE_RETURN_IF_ERROR(check_machine(described));
  TUNE_RETURN_IF_ERROR(check_reference(described));
  TUNE_RETURN_IF_ERROR(check_threads(described));
  if (!described->device || json_equal(described->device, fingerprint))
    return TUNE_OK;
  return check_device(described->device, fingerprint);
}
