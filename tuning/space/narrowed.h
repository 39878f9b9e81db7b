//===- narrowed.h - A space with fewer values of its knobs --------------------===//
//
// What a user allows, and what one level of a search leaves open, is a space of its own with the
// same knobs, of which some have fewer values.
//
// Threads: as space.h.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_NARROWED_H
#define TUNE_TUNING_SPACE_NARROWED_H

#include "tuning/space/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// Adds to `space`, which is empty, what `whole` has: its knobs, in its order, with those values v
// of knob k for which allowed[k][v], one at least, its constraints and its conditions. A default
// that is not allowed becomes the first of those nearest to it. A value knows its place in the
// whole domain (tune_knob.places). INVALID_ARGUMENT where a knob has no value left.
tune_status tune_space_add_narrowed(tune_space *space, const tune_space *whole,
                                    bool *const *allowed);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_NARROWED_H
