//===- check_result.c ---------------------------------------------------------===//

#include "tuning/record/check_result.h"

#include "tuning/record/record_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

//===- JSON -------------------------------------------------------------------===//

static void set_reasons(json_t *object, const tune_check_result *check, bool *ok) {
  tune_record_set(object, "type", json_string(check->type), ok);
  if (check->accumulator[0])
    tune_record_set(object, "accumulator", json_string(check->accumulator), ok);
  if (check->operands[0])
    tune_record_set(object, "operands", json_string(check->operands), ok);
  tune_record_set(object, "reduction", json_integer(check->reduction), ok);
  tune_record_set_real(object, "magnitude", check->magnitude, ok);
  if (check->leeway > 0)
    tune_record_set_real(object, "leeway", check->leeway, ok);
  tune_record_set(object, "inputs", json_string(check->is_sparse ? "sparse" : "dense"), ok);
}

json_t *tune_check_result_to_json(const tune_check_result *check) {
  json_t *object = json_object();
  bool ok = object != NULL;
  // JSON has no infinity and no NaN; an error that is one of them is written as null.
  tune_record_set(object, "max_error",
                  isfinite(check->error) ? json_real(check->error + 0.0) : json_null(), &ok);
  tune_record_set_real(object, "tolerance", check->tolerance, &ok);
  if (check->type[0])
    set_reasons(object, check, &ok);
  if (ok)
    return object;
  json_decref(object);
  return NULL;
}

// Names are printed as they are, and come from files of strangers and from children that ran
// candidates.
static bool is_type_name(const char *text) {
  return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789") == strlen(text);
}

// The name of a type; "" where there is no such member.
static tune_status get_type(const json_t *object, const char *name,
                            char out_type[TUNE_CHECK_TYPE_SIZE]) {
  const json_t *member = json_object_get(object, name);
  if (!member)
    return TUNE_OK;
  const char *text = json_string_value(member);
  size_t length = text ? strlen(text) : 0;
  if (length == 0 || length != json_string_length(member) || length >= TUNE_CHECK_TYPE_SIZE ||
      !is_type_name(text))
    return tune_record_wrong_member(name, "the name of a type");
  memcpy(out_type, text, length + 1);
  return TUNE_OK;
}

static tune_status get_reasons(const json_t *object, tune_check_result *check) {
  TUNE_RETURN_IF_ERROR(get_type(object, "type", check->type));
  TUNE_RETURN_IF_ERROR(get_type(object, "accumulator", check->accumulator));
  TUNE_RETURN_IF_ERROR(get_type(object, "operands", check->operands));
  TUNE_RETURN_IF_ERROR(tune_record_get_count(object, "reduction", &check->reduction));
  TUNE_RETURN_IF_ERROR(tune_record_get_number(object, "magnitude", &check->magnitude));
  if (json_object_get(object, "leeway"))
    TUNE_RETURN_IF_ERROR(tune_record_get_number(object, "leeway", &check->leeway));
  const char *inputs = json_string_value(json_object_get(object, "inputs"));
  check->is_sparse = inputs && strcmp(inputs, "sparse") == 0;
  if (!check->is_sparse && (!inputs || strcmp(inputs, "dense") != 0))
    return tune_record_wrong_member("inputs", "\"dense\" or \"sparse\"");
  return TUNE_OK;
}

const char *const tune_check_result_names[] = {"max_error", "tolerance", "type",      "accumulator",
                                               "operands",  "reduction", "magnitude", "leeway",
                                               "inputs",    NULL};

tune_status tune_check_result_from_json(const json_t *member, tune_check_result *out_check) {
  // Reasons without the type that they are about mean nothing.
  static const char *const names_without_type[] = {"max_error", "tolerance", NULL};
  *out_check = (tune_check_result){0};
  if (!member)
    return TUNE_OK;
  if (!json_is_object(member))
    return tune_record_wrong_member("check", "an object");
  bool has_type = json_object_get(member, "type");
  TUNE_RETURN_IF_ERROR(tune_record_refuse_unknown(
      member, "check", has_type ? tune_check_result_names : names_without_type));
  out_check->is_known = true;
  if (json_is_null(json_object_get(member, "max_error")))
    out_check->error = INFINITY;
  else
    TUNE_RETURN_IF_ERROR(tune_record_get_number(member, "max_error", &out_check->error));
  TUNE_RETURN_IF_ERROR(tune_record_get_number(member, "tolerance", &out_check->tolerance));
  return has_type ? get_reasons(member, out_check) : TUNE_OK;
}

tune_status tune_check_result_get(const json_t *object, tune_check_result *out_check) {
  return tune_check_result_from_json(json_object_get(object, "check"), out_check);
}

tune_status tune_check_result_validate(const tune_check_result *check) {
  if (check->error < 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "record with a check error of %g", check->error);
  if (!is_type_name(check->type) || !is_type_name(check->accumulator) ||
      !is_type_name(check->operands))
    return tune_record_wrong_member("check", "about types that have names");
  TUNE_RETURN_IF_ERROR(tune_record_require_number("check.tolerance", check->tolerance));
  TUNE_RETURN_IF_ERROR(tune_record_require_number("check.reduction", (double)check->reduction));
  TUNE_RETURN_IF_ERROR(tune_record_require_number("check.magnitude", check->magnitude));
  return tune_record_require_number("check.leeway", check->leeway);
}

//===- For people -------------------------------------------------------------===//

void tune_check_result_append(tune_string_builder *text, const tune_check_result *check) {
  tune_string_builder_appendf(text, "error %.2g of %.2g allowed", check->error, check->tolerance);
  if (!check->type[0])
    return;
  tune_string_builder_appendf(text, ": %s", check->type);
  if (check->accumulator[0])
    tune_string_builder_appendf(text, " in %s", check->accumulator);
  // The sums of integers are exact, however long.
  if (check->magnitude > 0 && check->reduction > 1)
    tune_string_builder_appendf(text, ", sums of %" PRId64, check->reduction);
  if (check->magnitude > 0)
    tune_string_builder_appendf(text, ", magnitude %.3g", check->magnitude);
  if (check->operands[0])
    tune_string_builder_appendf(text, ", factors in %s", check->operands);
  if (check->leeway > 0)
    tune_string_builder_appendf(text, ", leeway %.2g", check->leeway);
  if (check->is_sparse)
    tune_string_builder_append(text, ", on sparse inputs");
}
