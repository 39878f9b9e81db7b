//===- schedule_constraints.h - Constraints written with the SMT dialect -----===//
//
// transform.smt.constrain_params(%mc, %mr) holds a region of smt ops over the params. Each
// smt.assert in it becomes a constraint of the space, as an expression over knob names:
//
//   smt.int.constant, add, sub, mul, div, mod, abs, cmp; smt.constant, eq, distinct, and, or, xor,
//   not, implies, ite
//
// A param is a knob's, a transform.param.constant, or a result of an earlier constrain_params (what
// its region yields). div and mod are Euclidean in SMT and round to minus infinity here, which is
// the same for divisors above 0. A constraint within a region of transform.tune.alternatives holds
// where that region is chosen.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_CONSTRAINTS_H
#define TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_CONSTRAINTS_H

#include "support/string_builder.h"
#include "tuning/space/space.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Adds the constraints of `op`, a transform.smt.constrain_params, to `space`, which has all knobs.
// INVALID_ARGUMENT with the place of what cannot be translated.
tune_status tune_schedule_read_constraints(MlirOperation op, tune_space *space);

// Appends "'pack' == 1 && 'loops' == 0" for the regions of transform.tune.alternatives that `op` is
// within; nothing, and `*out_count` is 0, where there are none. INVALID_ARGUMENT where one of them
// is chosen by a param that is made when the schedule runs.
tune_status tune_schedule_write_condition(tune_string_builder *text, MlirOperation op,
                                          size_t *out_count);

// The value of result number `result` of `op`, all of whose params are transform.param.constant by
// now. INVALID_ARGUMENT (located) where it has none: a division by zero, an op that is not above.
tune_status tune_schedule_evaluate(MlirOperation op, intptr_t result, int64_t *out_value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_CONSTRAINTS_H
