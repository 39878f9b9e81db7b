//===- place.c - Records under the roofline of what they ran on ---------------------===//

#include "tools/tune-db/tune_db.h"
#include "tuning/roofline_place.h"

#include <stdlib.h>

tune_status tune_db_find_place(tune_database *database, const tune_database_task *task,
                               const char *fingerprint, tune_db_place *out_place) {
  *out_place = (tune_db_place){.bound = {"-"}};
  char *target = NULL, *description = NULL;
  TUNE_RETURN_IF_ERROR(tune_database_get_fingerprint(database, fingerprint, &target, &description));
  json_t *object = json_loads(description, 0, NULL);
  tune_roofline_work work = {.type = task->type,
                             .flops = task->flops,
                             .bytes = task->bytes,
                             .flushes_cache = json_is_true(json_object_get(object, "flush_cache"))};
  tune_roofline_place place = tune_roofline_find_place(json_object_get(object, "roofline"), &work);
  if (place.bound) {
    out_place->seconds = place.seconds;
    snprintf(out_place->bound.text, sizeof out_place->bound.text, "%s", place.bound);
  }
  json_decref(object);
  free(target);
  free(description);
  return TUNE_OK;
}

static double percent_of(const tune_db_place *place, double seconds) {
  return tune_roofline_percent(&(tune_roofline_place){.seconds = place->seconds}, seconds);
}

tune_figure tune_db_percent(const tune_db_place *place, double seconds) {
  double percent = percent_of(place, seconds);
  tune_figure figure = {"-"};
  if (percent > 0)
    snprintf(figure.text, sizeof figure.text, "%.1f", percent);
  return figure;
}

int tune_db_set_place(json_t *record, const tune_db_place *place, double seconds) {
  double percent = percent_of(place, seconds);
  bool is_known = percent > 0;
  return json_object_set_new(record, "percent_of_roofline",
                             is_known ? json_real(percent) : json_null()) |
         json_object_set_new(record, "bound_by",
                             is_known ? json_string(place->bound.text) : json_null());
}
