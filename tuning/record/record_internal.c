//===- record_internal.c -------------------------------------------------------===//

#include "tuning/record/record_internal.h"

#include <math.h>
#include <string.h>

tune_status tune_record_wrong_member(const char *name, const char *expected) {
  return tune_status_make(TUNE_INVALID_ARGUMENT, "record whose \"%s\" is not %s", name, expected);
}

tune_status tune_record_refuse_unknown(const json_t *object, const char *where,
                                       const char *const *names) {
  const char *member;
  json_t *value;
  json_object_foreach((json_t *)object, member, value) {
    size_t i = 0;
    while (names[i] && strcmp(names[i], member) != 0)
      ++i;
    if (!names[i])
      return tune_status_make(TUNE_INVALID_ARGUMENT, "%s with an unknown member \"%s\"", where,
                              member);
  }
  return TUNE_OK;
}

tune_status tune_record_get_number(const json_t *object, const char *name, double *out_value) {
  const json_t *value = json_object_get(object, name);
  if (!json_is_number(value))
    return tune_record_wrong_member(name, "a number");
  *out_value = json_number_value(value) + 0.0; // no -0: equal records have one form
  return TUNE_OK;
}

tune_status tune_record_get_count(const json_t *object, const char *name, int64_t *out_count) {
  const json_t *member = json_object_get(object, name);
  *out_count = json_integer_value(member);
  return json_is_integer(member) && *out_count >= 0
             ? TUNE_OK
             : tune_record_wrong_member(name, "an integer from 0 on");
}

tune_status tune_record_require_number(const char *name, double value) {
  if (!isfinite(value) || value < 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "record with \"%s\" = %g, expected a finite number not below 0", name,
                            value);
  return TUNE_OK;
}

tune_status tune_record_validate_config(const json_t *config) {
  if (!json_is_object(config))
    return tune_status_make(TUNE_INVALID_ARGUMENT,
                            "record whose \"config\" is not an object from knobs to integers");
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)config, name, value) {
    if (!json_is_integer(value))
      return tune_status_make(TUNE_INVALID_ARGUMENT,
                              "record whose config has no integer for knob \"%s\"", name);
  }
  return TUNE_OK;
}

void tune_record_set(json_t *object, const char *name, json_t *value, bool *ok) {
  if (!value || json_object_set_new(object, name, value) != 0)
    *ok = false;
}

void tune_record_set_real(json_t *object, const char *name, double value, bool *ok) {
  tune_record_set(object, name, json_real(value + 0.0), ok);
}
