//===- kept_conditions.c --------------------------------------------------------===//

#include "tuning/record/kept_conditions.h"

#include "tuning/record/record_internal.h"

#include <math.h>
#include <string.h>

// The hypervisor is told of from then on.
#define STOLEN_TOLD 0.005

static const char digits[] = "0123456789";

// "0-3,6": what a CPU list of Linux looks like.
static bool is_cpu_list(const char *text) {
  for (;;) {
    size_t length = strspn(text, digits);
    if (length && text[length] == '-') {
      text += length + 1;
      length = strspn(text, digits);
    }
    if (!length)
      return false;
    text += length;
    if (!*text)
      return true;
    if (*text++ != ',')
      return false;
  }
}

static bool is_governor(const char *text) {
  return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
         strlen(text);
}

tune_status tune_kept_conditions_validate(const tune_kept_conditions *conditions) {
  if (!conditions->is_known)
    return TUNE_OK;
  if (!is_cpu_list(conditions->cpus))
    return tune_record_wrong_member("cpus", "a list of CPUs, \"0-3,6\"");
  if (!is_governor(conditions->governor))
    return tune_record_wrong_member("governor", "a word");
  if (!isfinite(conditions->load))
    return tune_record_wrong_member("load", "a finite number");
  if (!isfinite(conditions->others_busy))
    return tune_record_wrong_member("others_busy", "a finite number");
  if (conditions->cpu_count < 0)
    return tune_record_wrong_member("cpu_count", "an integer from 0 on");
  if (!(conditions->stolen <= 1) || !isfinite(conditions->stolen))
    return tune_record_wrong_member("stolen", "a share");
  return TUNE_OK;
}

//===- JSON -------------------------------------------------------------------===//

static void set_known(json_t *object, const char *name, double value, bool *ok) {
  if (value >= 0)
    tune_record_set_real(object, name, value, ok);
}

json_t *tune_kept_conditions_to_json(const tune_kept_conditions *conditions) {
  json_t *object = json_object();
  bool ok = object != NULL;
  tune_record_set(object, "cpus", json_string(conditions->cpus), &ok);
  if (conditions->governor[0])
    tune_record_set(object, "governor", json_string(conditions->governor), &ok);
  set_known(object, "load", conditions->load, &ok);
  set_known(object, "others_busy", conditions->others_busy, &ok);
  tune_record_set(object, "cpu_count", json_integer(conditions->cpu_count), &ok);
  set_known(object, "stolen", conditions->stolen, &ok);
  if (ok)
    return object;
  json_decref(object);
  return NULL;
}

static tune_status get_word(const json_t *object, const char *name, size_t size, char *out_text) {
  const json_t *member = json_object_get(object, name);
  size_t length = json_string_length(member);
  if (!json_is_string(member) || length >= size)
    return tune_record_wrong_member(name, "a short text");
  memcpy(out_text, json_string_value(member), length + 1);
  return strlen(out_text) == length ? TUNE_OK : tune_record_wrong_member(name, "a text");
}

// A number from 0 on; it stays as it is where there is none.
static tune_status get_known(const json_t *object, const char *name, double *out_value) {
  if (!json_object_get(object, name))
    return TUNE_OK;
  TUNE_RETURN_IF_ERROR(tune_record_get_number(object, name, out_value));
  return tune_record_require_number(name, *out_value);
}

tune_status tune_kept_conditions_from_json(const json_t *object, tune_kept_conditions *conditions) {
  static const char *const names[] = {"cpus",      "governor", "load", "others_busy",
                                      "cpu_count", "stolen",   NULL};
  *conditions =
      (tune_kept_conditions){.is_known = true, .load = -1, .others_busy = -1, .stolen = -1};
  if (!json_is_object(object))
    return tune_record_wrong_member("conditions", "an object");
  TUNE_RETURN_IF_ERROR(tune_record_refuse_unknown(object, "conditions", names));
  TUNE_RETURN_IF_ERROR(get_word(object, "cpus", sizeof conditions->cpus, conditions->cpus));
  if (json_object_get(object, "governor"))
    TUNE_RETURN_IF_ERROR(
        get_word(object, "governor", sizeof conditions->governor, conditions->governor));
  TUNE_RETURN_IF_ERROR(get_known(object, "load", &conditions->load));
  TUNE_RETURN_IF_ERROR(get_known(object, "others_busy", &conditions->others_busy));
  TUNE_RETURN_IF_ERROR(tune_record_get_count(object, "cpu_count", &conditions->cpu_count));
  TUNE_RETURN_IF_ERROR(get_known(object, "stolen", &conditions->stolen));
  return tune_kept_conditions_validate(conditions);
}

//===- For people -------------------------------------------------------------===//

void tune_kept_conditions_append(tune_string_builder *text,
                                 const tune_kept_conditions *conditions) {
  bool are_several = strpbrk(conditions->cpus, "-,") != NULL;
  tune_string_builder_appendf(text, "pinned to CPU%s %s, governor %s", are_several ? "s" : "",
                              conditions->cpus,
                              conditions->governor[0] ? conditions->governor : "not known");
  if (conditions->load >= 0)
    tune_string_builder_appendf(text, ", load %.2f", conditions->load);
  if (conditions->others_busy >= 0)
    tune_string_builder_appendf(text, ", others kept %.1f of %lld CPUs busy",
                                conditions->others_busy, (long long)conditions->cpu_count);
  if (conditions->stolen >= STOLEN_TOLD)
    tune_string_builder_appendf(text, ", the hypervisor took %.0f %%", 100 * conditions->stolen);
}
