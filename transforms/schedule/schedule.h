//===- schedule.h - A transform script and the space read off it -------------===//
//
// A schedule is an upstream transform module with @__transform_main. What it leaves open
// is its space:
//
//  - transform.tune.knob<"mc"> options = #tune.tile<[32, 64]> (or a plain array) is a knob,
//  anywhere in
//    the module; the same name twice, with the same domain, is one knob. A knob with `selected` is
//    pinned: its domain is that one value. Strings make a knob with labels.
//  - transform.tune.alternatives<"pack"> is a knob whose values are the numbers of its regions,
//  unless
//    a region is selected by a param or an attribute. A knob within regions only does something
//    where one of them is chosen, and keeps its default elsewhere (tune_space_add_condition).
//  - transform.smt.constrain_params is a constraint per smt.assert: schedule_constraints.h.
//
// Discardable attributes on these ops say the rest: tune.level = "vector", tune.default = 64 (or a
// label), tune.labels = ["packed", "direct"] for the regions of alternatives, tune.unsplit = 0 for
// the one of them to take where the code is not split into what is called once and the rest
// (lower/cpu/weights/prepack.h), tune.why = "..." for the user whose value a constraint rejects.
// Without tune.level the kind of the domain gives it (a tile is linalg, unroll is loop); without
// tune.default it is the first value of the domain as written. tune.consumes on a named sequence
// whose argument is readonly: what is selected within alternatives consumes it.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_H
#define TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_H

#include "support/status.h"
#include "tuning/space/space.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_schedule {
  MlirOperation module; // as written: knobs open, constraints in it
  tune_space *space;
} tune_schedule;

// Parses a schedule, `text` or where that is NULL the file `source`, and reads its space.
// INVALID_ARGUMENT with the place, for what does not parse, has no @__transform_main, runs a pass
// that is neither listed nor among `allowed_passes` (schedule_passes.h), renames or retypes
// functions (schedule_result.h), or has a knob or
// constraint that cannot be read. The tune dialect has to be registered with `context`.
tune_status tune_schedule_parse(MlirContext context, const char *text, const char *source,
                                const char *allowed_passes, tune_schedule **out_schedule);
void tune_schedule_destroy(tune_schedule *schedule);

// FAILED_PRECONDITION where there is nothing to search: no knob at all. Whether that matters is the
// caller's to know: a schedule without knobs can be applied.
tune_status tune_schedule_require_knobs(const tune_schedule *schedule);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_SCHEDULE_SCHEDULE_H
