//===- roofline_share.h - A time's share of the roofline ---------------------===//
//
// What bounds a piece of work is its arithmetic, at the peak for its type, or its traffic, at the
// bandwidth of the nearest memory that holds it, whichever takes longer. Rooflines are JSON as in
// targets/roofline.h; NULL, or one that lacks a figure, makes what follows from it unknown.
//
// Threads: any.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_DEVICE_ROOFLINE_SHARE_H
#define TUNE_TUNING_DEVICE_ROOFLINE_SHARE_H

#include "tuning/database/database.h"

#include <jansson.h>

#ifdef __cplusplus
extern "C" {
#endif

// Arithmetic at best, in flops per second, for an element type as in records ("f32"); 0 where it is
// not known. `*out_of` (NULL: nobody asks) is the type whose peak that is, as narrow types are
// computed in f32 where that is as fast or they have no units of their own; borrowed.
double tune_roofline_peak(const json_t *roofline, const char *type, const char **out_of);
// Bytes per second at best from the nearest memory that holds `bytes`, the furthest where caches
// are flushed; 0 where it is not known. `*out_level` (NULL: nobody asks) is its name; borrowed.
double tune_roofline_bandwidth(const json_t *roofline, double bytes, bool flushes_cache,
                               const char **out_level);

// One run of something.
typedef struct tune_roofline_work {
  const char *type;    // element type of the arithmetic
  double flops, bytes; // 0 where that says nothing
  bool flushes_cache;
} tune_roofline_work;

#define TUNE_ROOFLINE_BOUND 16

typedef struct tune_roofline_share {
  double seconds; // that it takes at best; 0: not known
  // By what: a type ("f32"), for its arithmetic, or a level of memory ("L2", "memory"); "": not
  // known.
  char bound[TUNE_ROOFLINE_BOUND];
} tune_roofline_share;

// What there is no arithmetic in is bound by memory; of what has some no peak is known for nothing
// is.
tune_roofline_share tune_roofline_find_place(const json_t *roofline,
                                             const tune_roofline_work *work);
// The place of a run of `task` by the roofline that `database` has of `fingerprint`, a digest that
// it knows.
tune_status tune_roofline_find_kept_place(tune_database *database, const tune_kept_task *task,
                                          const char *fingerprint, tune_roofline_share *out_place);
// The share of the roofline that a run in `seconds` reaches, in percent; 0: not known.
double tune_roofline_percent(const tune_roofline_share *place, double seconds);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_DEVICE_ROOFLINE_SHARE_H
