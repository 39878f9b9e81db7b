//===- kept_roofline.h - The best roofline seen, as records keep it ----------===//
//
// Whatever else runs on a machine makes a roofline come out too low, never too high. So the
// one that is kept has the largest figure of all measurements, and is measured again until
// two of them agree, and from time to time. As JSON it is what targets/roofline.h says, and
//
//     "measured": 1.7e9,   seconds since 1970 of the last whole measurement
//     "confirmed": 2       measurements that agree with its figures
//
// Threads: any, on different objects.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_RECORD_KEPT_ROOFLINE_H
#define TUNE_TUNING_RECORD_KEPT_ROOFLINE_H

#include "support/status.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_roofline_need {
  TUNE_ROOFLINE_TRUSTED, // it is as good as it gets
  TUNE_ROOFLINE_QUICK,   // a short measurement, without main memory
  TUNE_ROOFLINE_WHOLE,
} tune_roofline_need;

// What `kept` (NULL: there is none) needs at the time `now`, in seconds since 1970.
tune_roofline_need tune_kept_roofline_need(const json_t *kept, double now);

// Takes a measurement, quick or whole, into `*kept`, which may be NULL before.
tune_status tune_kept_roofline_add(json_t **kept, const json_t *measured, double now);

// Something was faster than `kept` allows: it is not confirmed any more.
tune_status tune_kept_roofline_doubt(json_t *kept);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_RECORD_KEPT_ROOFLINE_H
