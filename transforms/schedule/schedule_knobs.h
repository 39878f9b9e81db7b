//===- schedule_knobs.h - The ops of a schedule that are knobs ---------------===//
//
// transform.tune.knob, and transform.tune.alternatives whose region no param chooses. What of them
// becomes part of a knob says schedule.h.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_KNOBS_H
#define TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_KNOBS_H

#include "support/status.h"
#include "tuning/space/space.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_UNSPLIT_ATTRIBUTE "tune.unsplit"   // on alternatives, as in schedule.h
#define TUNE_CONSUMES_ATTRIBUTE "tune.consumes" // on a sequence, as there

// Adds the knob of `op`, a transform.tune.knob, to `space`. What stands in it again, as in another
// region of alternatives, is one knob; INVALID_ARGUMENT with the place where the two differ.
tune_status tune_schedule_read_knob(MlirOperation op, tune_space *space);

// Adds the knob of `op`, a transform.tune.alternatives: one value for each region, but where the
// region is selected, or a param chooses it. Errors as above.
tune_status tune_schedule_read_alternatives(MlirOperation op, tune_space *space);

// The index in `space` of the knob that `op`, a knob or alternatives of a schedule, is about;
// SIZE_MAX where it has none of that name.
size_t tune_schedule_find_knob(const tune_space *space, MlirOperation op);

// The region of the transform.tune.alternatives `op` that holds `inner`, an op anywhere below it.
intptr_t tune_schedule_region_of(MlirOperation op, MlirOperation inner);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_KNOBS_H
