//===- space.h - The decisions of a schedule and what they may be ------------===//
//
// A space is a list of knobs, each with a finite domain of 64-bit integers, and a list
// of constraints over their values. It knows nothing of IR: transforms/ reads one off a
// schedule (knobs from transform.tune.knob and transform.tune.alternatives, constraints
// from transform.smt.constrain_params), tests write them by hand.
//
// A config picks one entry of each domain, by index; see config.h.
//
// Threads: immutable once built; may then be read by many.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TUNING_SPACE_SPACE_H
#define TUNE_TUNING_SPACE_SPACE_H

#include "tuning/space/knobs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_constraint tune_constraint; // constraint.h

typedef struct tune_space tune_space;

tune_status tune_space_create(tune_space **out_space);
void tune_space_destroy(tune_space *space);

// Adds a copy of `knob`; errors as tune_knobs_add.
tune_status tune_space_add_knob(tune_space *space, const tune_knob *knob);

// Adds a constraint given as an expression over knob names, true where the config is legal:
//   "mr * nr <= 384 && mc % mr == 0"
// Grammar in constraint.h. INVALID_ARGUMENT points at the place; NOT_FOUND names the unknown knob.
// `why` (may be NULL) is said to the user when the constraint rejects a value of theirs.
tune_status tune_space_add_constraint(tune_space *space, const char *expression, const char *why);

// Says that the knob number `knob` does something only where `expression` holds: it belongs to an
// alternative. Elsewhere valid configs have its default, so that there is one config for what is
// the same code, and no trial is spent on a knob that does nothing. To be called when all knobs are
// there, once for each knob; errors as above.
tune_status tune_space_add_condition(tune_space *space, size_t knob, const char *expression);

const tune_knobs *tune_space_knobs(const tune_space *space); // borrowed
size_t tune_space_knob_count(const tune_space *space);
const tune_knob *tune_space_knob(const tune_space *space, size_t index); // borrowed
// The index of the knob named `name`, or SIZE_MAX.
size_t tune_space_find_knob(const tune_space *space, const char *name);
// The knob whose name is nearest to `name`, for "did you mean"; NULL where none is near. Borrowed.
const char *tune_space_nearest_knob(const tune_space *space, const char *name);
size_t tune_space_constraint_count(const tune_space *space);
const tune_constraint *tune_space_constraint(const tune_space *space, size_t index);
// Whether that constraint was not added as such but follows from a knob's condition.
bool tune_space_constraint_is_implied(const tune_space *space, size_t index);
// Where the knob does something; NULL: everywhere. Borrowed.
const tune_constraint *tune_space_condition(const tune_space *space, size_t knob);

// The product of the domains' sizes, saturated at UINT64_MAX; constraints are not counted in.
uint64_t tune_space_size(const tune_space *space);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TUNING_SPACE_SPACE_H
