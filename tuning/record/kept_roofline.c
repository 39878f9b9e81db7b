//===- kept_roofline.c - The best roofline seen, as records keep it ----------===//

#include "tuning/record/kept_roofline.h"

#include <math.h>
#include <string.h>

#define CONFIRMED_ENOUGH 2
#define TRUSTED_SECONDS 86400.0
// Measurements that differ by so much agree; bandwidth beyond a core's own caches is never steady.
#define PEAK_TOLERANCE 0.03
#define BANDWIDTH_TOLERANCE 0.1

// How the figures of a measurement compare with those kept.
typedef struct agreement {
  bool is_raised;  // one was too low by more than the tolerance
  bool is_lowered; // one of the measurement is
} agreement;

tune_roofline_need tune_kept_roofline_need(const json_t *kept, double now) {
  const json_t *measured = json_object_get(kept, "measured");
  double age = now - json_number_value(measured);
  if (!json_is_number(measured) || age < 0 || age > TRUSTED_SECONDS)
    return TUNE_ROOFLINE_WHOLE;
  json_int_t confirmed = json_integer_value(json_object_get(kept, "confirmed"));
  return confirmed < CONFIRMED_ENOUGH ? TUNE_ROOFLINE_QUICK : TUNE_ROOFLINE_TRUSTED;
}

// Keeps the larger of two figures.
static tune_status raise(json_t *kept, const char *name, double figure, double tolerance,
                         agreement *found) {
  double before = json_number_value(json_object_get(kept, name));
  found->is_raised = found->is_raised || before < (1 - tolerance) * figure;
  found->is_lowered = found->is_lowered || figure < (1 - tolerance) * before;
  if (!(figure > before))
    return TUNE_OK;
  return json_object_set_new(kept, name, json_real(figure)) == 0
             ? TUNE_OK
             : tune_status_out_of_memory("keeping a roofline");
}

static json_t *find_level(const json_t *levels, const char *name) {
  for (size_t i = 0; i < json_array_size(levels); ++i) {
    json_t *level = json_array_get(levels, i);
    const char *other = json_string_value(json_object_get(level, "level"));
    if (other && name && strcmp(other, name) == 0)
      return level;
  }
  return NULL;
}

static tune_status raise_all(json_t *kept, const json_t *measured, agreement *found) {
  const char *type;
  json_t *figure;
  json_t *peaks = json_object_get(kept, "peak");
  json_object_foreach(json_object_get(measured, "peak"), type, figure)
      TUNE_RETURN_IF_ERROR(raise(peaks, type, json_number_value(figure), PEAK_TOLERANCE, found));
  const json_t *levels = json_object_get(measured, "bandwidth");
  for (size_t i = 0; i < json_array_size(levels); ++i) {
    const json_t *level = json_array_get(levels, i);
    json_t *other = find_level(json_object_get(kept, "bandwidth"),
                               json_string_value(json_object_get(level, "level")));
    if (other)
      TUNE_RETURN_IF_ERROR(raise(other, "gbytes_per_s",
                                 json_number_value(json_object_get(level, "gbytes_per_s")),
                                 BANDWIDTH_TOLERANCE, found));
  }
  return TUNE_OK;
}

static tune_status set_confirmed(json_t *kept, json_int_t count) {
  return json_object_set_new(kept, "confirmed", json_integer(count)) == 0
             ? TUNE_OK
             : tune_status_out_of_memory("keeping a roofline");
}

tune_status tune_kept_roofline_add(json_t **kept, const json_t *measured, double now) {
  agreement found = {false, false};
  json_int_t confirmed = json_integer_value(json_object_get(*kept, "confirmed"));
  if (!*kept && !(*kept = json_deep_copy(measured)))
    return tune_status_out_of_memory("keeping a roofline");
  TUNE_RETURN_IF_ERROR(raise_all(*kept, measured, &found));
  bool is_whole = find_level(json_object_get(measured, "bandwidth"), "memory") != NULL;
  if (is_whole && json_object_set_new(*kept, "measured", json_real(now)) != 0)
    return tune_status_out_of_memory("keeping a roofline");
  // What is lower was disturbed and says nothing; what is higher is the first to say so.
  if (found.is_raised)
    confirmed = 1;
  else if (!found.is_lowered)
    ++confirmed;
  return set_confirmed(*kept, confirmed);
}

tune_status tune_kept_roofline_doubt(json_t *kept) { return set_confirmed(kept, 0); }
