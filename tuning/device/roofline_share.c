//===- roofline_share.c -------------------------------------------------------===//

#include "tuning/device/roofline_share.h"

#include <stdio.h>
#include <string.h>

static bool is_narrow(const char *type) {
  return strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0 || strcmp(type, "tf32") == 0;
}

double tune_roofline_peak(const json_t *roofline, const char *type, const char **out_of) {
  const json_t *peaks = json_object_get(roofline, "peak");
  const char *of = type;
  double peak = json_number_value(json_object_get(peaks, of));
  // What is widened first goes at the rate of f32.
  double wide = json_number_value(json_object_get(peaks, "f32"));
  if (is_narrow(type) && !(peak > wide)) {
    of = "f32";
    peak = wide;
  }
  if (out_of)
    *out_of = of;
  return peak * 1e9;
}

double tune_roofline_bandwidth(const json_t *roofline, double bytes, bool flushes_cache,
                               const char **out_level) {
  const json_t *levels = json_object_get(roofline, "bandwidth");
  size_t count = json_array_size(levels);
  for (size_t i = 0; i < count; ++i) {
    const json_t *level = json_array_get(levels, i);
    // A level was measured with half of it filled; the last one is memory, which holds everything.
    bool is_held =
        !flushes_cache && bytes <= 2 * json_number_value(json_object_get(level, "bytes"));
    if (i + 1 < count && !is_held)
      continue;
    if (out_level)
      *out_level = json_string_value(json_object_get(level, "level"));
    return json_number_value(json_object_get(level, "gbytes_per_s")) * 1e9;
  }
  return 0;
}

tune_roofline_share tune_roofline_find_place(const json_t *roofline,
                                             const tune_roofline_work *work) {
  const char *type, *level = NULL;
  double peak = tune_roofline_peak(roofline, work->type, &type);
  double bandwidth = tune_roofline_bandwidth(roofline, work->bytes, work->flushes_cache, &level);
  double computing = peak > 0 ? work->flops / peak : 0;
  double moving = bandwidth > 0 ? work->bytes / bandwidth : 0;
  bool is_unknown = work->flops > 0 && !(peak > 0);
  if (is_unknown || (!(computing > 0) && !(moving > 0)))
    return (tune_roofline_share){0};
  tune_roofline_share place = {.seconds = computing > moving ? computing : moving};
  const char *bound = computing > moving ? type : level;
  snprintf(place.bound, sizeof place.bound, "%s", bound ? bound : "");
  return place;
}

tune_status tune_roofline_find_kept_place(tune_database *database, const tune_kept_task *task,
                                          const char *fingerprint, tune_roofline_share *out_place) {
  json_t *object;
  TUNE_RETURN_IF_ERROR(tune_database_get_device(database, fingerprint, NULL, &object));
  tune_roofline_work work = {.type = task->type,
                             .flops = task->flops,
                             .bytes = task->bytes,
                             .flushes_cache = json_is_true(json_object_get(object, "flush_cache"))};
  *out_place = tune_roofline_find_place(json_object_get(object, "roofline"), &work);
  json_decref(object);
  return TUNE_OK;
}

double tune_roofline_percent(const tune_roofline_share *place, double seconds) {
  return seconds > 0 ? 100 * place->seconds / seconds : 0;
}
