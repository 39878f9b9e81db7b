//===- round_trip.h - A format's reader and writer, one after the other ------===//

#ifndef TUNE_UNITTESTS_FORMATS_ROUND_TRIP_H
#define TUNE_UNITTESTS_FORMATS_ROUND_TRIP_H

#include "support/status.h"

#include <jansson.h>

// Reads JSON into a struct and writes that again, both by its format.
typedef tune_status (*round_trip)(const json_t *object, json_t **out_again);

#define ROUND_TRIP(type)                                                                           \
  static tune_status type##_round_trip(const json_t *object, json_t **out_again) {                 \
    type value;                                                                                    \
    *out_again = NULL;                                                                             \
    TUNE_RETURN_IF_ERROR(type##_from_json(object, &value));                                        \
    tune_status status = type##_to_json(&value, out_again);                                        \
    type##_deinit(&value);                                                                         \
    return status;                                                                                 \
  }

#endif // TUNE_UNITTESTS_FORMATS_ROUND_TRIP_H
