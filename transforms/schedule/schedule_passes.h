//===- schedule_passes.h - The passes that a schedule may run ----------------===//
//
// A schedule is data: it may come from somebody else, and transform.apply_registered_pass runs
// whatever this process has registered, which includes passes that write files, load libraries,
// start programs (an assembler, a viewer) or run pipelines given as text. So there is a list of
// those that do nothing but rewrite the payload; what else is to run a user has to say by name.
//
// Threads: as the context of the schedule.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_PASSES_H
#define TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_PASSES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Refuses, with the place, a pass that is neither on the list nor among `allowed`, "inline,sroa"
// (NULL: nothing more), anywhere in `schedule`.
tune_status tune_schedule_check_passes(MlirOperation schedule, const char *allowed);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_PASSES_H
