//===- rounded_factors.h - Products whose factors are rounded first ------------===//
//
// A product of f32 whose factors may be rounded to bf16 or f16 (dialects/allow.h), or are rounded
// in its body, as front ends write mixed precision, becomes a product of narrow tensors, which ops
// ahead of it make:
//
//   out + a * b                                  %a_bf16 = truncf %a   (elementwise, once)
//   out + extf(truncf(a)) * extf(truncf(b))  ->  %b_bf16 = truncf %b
//                                                out + extf(a_bf16) * extf(b_bf16)
//
// so that each element is rounded once, not in each tile that it takes part in, and half as much is
// read. What is padded is rounded before. Filters that are constant are rounded ahead of the calls,
// as all that depends on constants alone.
//
// Nothing upstream does that: it is a pass of ours, by the name below, which schedules run
// (transform.apply_registered_pass) right after the task's elementwise ops were joined. Who applies
// them registers it; a stock mlir-opt has it from the plugin.
//
// Threads: as the context of the IR; registering may be done by any.
//
//===----------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_STRUCTURE_ROUNDED_FACTORS_H
#define TUNE_TRANSFORMS_STRUCTURE_ROUNDED_FACTORS_H

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_ROUNDED_FACTORS_PASS "tune-round-factors"

// Whether some product in `root` rounds a factor in its body.
bool tune_rounded_factors_are_in(MlirOperation root);

// Rewrites all products in `root` that round a factor, or may. False where memory runs out.
bool tune_rounded_factors_apply(MlirOperation root);

// That as a pass on whatever it is run on.
MlirPass tune_rounded_factors_create_pass(void);

// Puts the pass into the registry of the process, once.
void tune_rounded_factors_register(void);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_STRUCTURE_ROUNDED_FACTORS_H
