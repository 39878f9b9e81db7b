//===- roofline.c - The roofline of a target ---------------------------------===//

#include "targets/roofline.h"

#include <stdio.h>

void tune_roofline_add_level(tune_roofline *roofline, const char *name, double bytes,
                             double gbytes_per_s) {
  size_t level = roofline->level_count++;
  snprintf(roofline->levels[level].name, sizeof roofline->levels[level].name, "%s", name);
  roofline->levels[level].bytes = bytes;
  roofline->levels[level].gbytes_per_s = gbytes_per_s;
}

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
  const struct {
    const char *type;
    double peak;
  } more[] = {{"f16", roofline->f16}, {"tf32", roofline->tf32}};
  for (size_t i = 0; *out_object && is_whole && i < sizeof more / sizeof *more; ++i)
    if (more[i].peak > 0)
      is_whole = json_object_set_new(json_object_get(*out_object, "peak"), more[i].type,
                                     json_real(more[i].peak)) == 0;
  if (*out_object && is_whole)
    return TUNE_OK;
  json_decref(*out_object);
  *out_object = NULL;
  return tune_status_out_of_memory("writing a roofline");
}
