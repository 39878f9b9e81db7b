//===- instantiate.h - A schedule with its knobs decided, and its application -===//
//
// Deciding a schedule makes a script that stock MLIR replays: knobs become
// transform.param.constant (which say in "tune.knob" whose value they are), of
// alternatives the chosen region stays, constraints go (upstream's interpreter fails on
// them), what constraints compute becomes a constant. No #tune attribute is left.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SCHEDULE_INSTANTIATE_H
#define TUNE_TRANSFORMS_SCHEDULE_INSTANTIATE_H

#include "support/status.h"
#include "tuning/space/config.h"
#include "tuning/space/space.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Decides every knob in `module`, a transform module that `space` was read from, as `config` says;
// changes it in place. Whether the config is valid is not asked. INVALID_ARGUMENT (located) where a
// region or a param has no value under the config.
tune_status tune_schedule_select(MlirOperation module, const tune_space *space,
                                 const tune_config *config);

// Applies @__transform_main of the decided `schedule` to `payload`, a module, after putting what is
// allowed (dialects/allow.h) where it survives that. What the interpreter
// says becomes the status: INVALID_ARGUMENT, with its diagnostics. A warning that tiles of a
// reduction run in parallel and race is a failure too, as is a payload that no longer verifies, or
// has what a schedule may not leave (schedule_result.h).
tune_status tune_schedule_apply(MlirOperation payload, MlirOperation schedule);

// The same of a schedule that was cut short, to be looked at: what it leaves need not verify (masks
// around several ops, which the rest would have lowered).
tune_status tune_schedule_apply_part(MlirOperation payload, MlirOperation schedule);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SCHEDULE_INSTANTIATE_H
