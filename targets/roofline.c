//===- roofline.c - What a target can do at best -------------------------------------===//

#include "targets/roofline.h"

#include <string.h>

tune_status tune_roofline_to_json(const tune_roofline *roofline, json_t **out_object) {
  json_t *levels = json_array();
  for (size_t i = 0; i < roofline->level_count; ++i)
    json_array_append_new(levels, json_pack("{sssfsf}", "level", roofline->levels[i].name, "bytes",
                                            roofline->levels[i].bytes, "gbytes_per_s",
                                            roofline->levels[i].gbytes_per_s));
  bool is_whole = json_array_size(levels) == roofline->level_count;
  *out_object = json_pack("{sI s{sfsfsfsf} so}", "threads", (json_int_t)roofline->threads, "peak",
                          "f32", roofline->f32, "f64", roofline->f64, "bf16", roofline->bf16, "i8",
                          roofline->i8, "bandwidth", levels);
  if (*out_object && is_whole)
    return TUNE_OK;
  json_decref(*out_object);
  *out_object = NULL;
  return tune_status_make(TUNE_OUT_OF_MEMORY, "writing a roofline");
}

static tune_status read_levels(const json_t *levels, tune_roofline *out) {
  if (json_array_size(levels) > TUNE_ROOFLINE_LEVELS)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "\"bandwidth\" has more than %d levels",
                            TUNE_ROOFLINE_LEVELS);
  for (size_t i = 0; i < json_array_size(levels); ++i) {
    const char *name;
    double bytes, bandwidth;
    json_error_t error;
    if (json_unpack_ex(json_array_get(levels, i), &error, 0, "{sssFsF}", "level", &name, "bytes",
                       &bytes, "gbytes_per_s", &bandwidth) != 0)
      return tune_status_make(TUNE_INVALID_ARGUMENT, "level %zu: %s", i, error.text);
    if (strlen(name) >= sizeof out->levels[i].name || !(bytes > 0) || !(bandwidth > 0))
      return tune_status_make(TUNE_INVALID_ARGUMENT, "level %zu is out of range", i);
    strcpy(out->levels[i].name, name);
    out->levels[i].bytes = bytes;
    out->levels[i].gbytes_per_s = bandwidth;
    out->level_count = i + 1;
  }
  return TUNE_OK;
}

tune_status tune_roofline_from_json(const json_t *object, tune_roofline *out_roofline) {
  memset(out_roofline, 0, sizeof *out_roofline);
  json_int_t threads;
  json_t *levels;
  json_error_t error;
  if (json_unpack_ex((json_t *)object, &error, 0, "{sI s{sFsFsFsF} so}", "threads", &threads,
                     "peak", "f32", &out_roofline->f32, "f64", &out_roofline->f64, "bf16",
                     &out_roofline->bf16, "i8", &out_roofline->i8, "bandwidth", &levels) != 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a roofline: %s", error.text);
  if (threads < 1 || out_roofline->f32 < 0 || out_roofline->f64 < 0 || out_roofline->bf16 < 0 ||
      out_roofline->i8 < 0)
    return tune_status_make(TUNE_INVALID_ARGUMENT, "a roofline: a figure is below its least value");
  out_roofline->threads = (size_t)threads;
  return tune_status_annotate(read_levels(levels, out_roofline), "a roofline");
}

double tune_roofline_peak(const tune_roofline *roofline, tune_element_type type) {
  switch (type) {
  case TUNE_F64:
    return roofline->f64;
  case TUNE_F32:
  case TUNE_F16:
    return roofline->f32;
  case TUNE_BF16:
    return roofline->bf16 > 0 ? roofline->bf16 : roofline->f32;
  case TUNE_I8:
    return roofline->i8;
  default:
    return 0;
  }
}

double tune_roofline_bandwidth(const tune_roofline *roofline, double bytes) {
  // A level was measured with half of it filled.
  for (size_t i = 0; i + 1 < roofline->level_count; ++i)
    if (bytes <= 2 * roofline->levels[i].bytes)
      return roofline->levels[i].gbytes_per_s;
  return roofline->level_count ? roofline->levels[roofline->level_count - 1].gbytes_per_s : 0;
}
