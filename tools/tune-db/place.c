//===- place.c - Records under the roofline of what they ran on ---------------------===//

#include "tools/tune-db/tune_db.h"

tune_figure tune_db_percent(const tune_roofline_share *place, double seconds) {
  double percent = tune_roofline_percent(place, seconds);
  tune_figure figure = {"-"};
  if (percent > 0)
    snprintf(figure.text, sizeof figure.text, "%.1f", percent);
  return figure;
}

const char *tune_db_bound(const tune_roofline_share *place) {
  return *place->bound ? place->bound : "-";
}

int tune_db_set_place(json_t *record, const tune_roofline_share *place, double seconds) {
  double percent = tune_roofline_percent(place, seconds);
  bool is_known = percent > 0;
  return json_object_set_new(record, "percent_of_roofline",
                             is_known ? json_real(percent) : json_null()) |
         json_object_set_new(record, "bound_by",
                             is_known ? json_string(place->bound) : json_null());
}
