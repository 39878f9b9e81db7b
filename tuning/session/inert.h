//===- inert.h - Knobs that changed nothing ----------------------------------===//
//
// A knob is called inert where trials that differ in nothing else are the same code, bit for
// bit, and there are no two such that are not. Trials that differ in more say nothing: two knobs
// may undo each other. What was seen may hold for a part of the space only, as knobs of an
// algorithm do nothing where another one was chosen: where all of it was with one form (a knob of
// words), and other trials had another one, that is said too.
//
// Threads: any.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SESSION_INERT_H
#define TUNE_TUNING_SESSION_INERT_H

#include "tuning/space/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_inert_knob {
  size_t knob;   // in the space
  size_t trials; // that differ from another one in it alone
  size_t values; // that it has in these
  char *forms;   // "algorithm=direct": that all of these have, and others do not; NULL: none
} tune_inert_knob;

// Looks at `count` configs, no two alike, and the digests of what they were built to; one whose
// digest is NULL was not built. `*out_knobs` is in the order of the space; to be given back.
tune_status tune_inert_find(const tune_space *space, const tune_config *configs,
                            const char *const *digests, size_t count, tune_inert_knob **out_knobs,
                            size_t *out_count);
void tune_inert_free(tune_inert_knob *knobs, size_t count);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SESSION_INERT_H
