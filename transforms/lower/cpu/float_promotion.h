//===- float_promotion.h - Float promotion: f16 and bf16 as f32 in a CPU's registers -===//
//
// A CPU has f16 and bf16 in memory, and computes in f32 (some have products of bf16, which rules
// ask for by name). Rounded after each addition a sum stands still at 256 times (bf16) or 2048
// times what is added, and each rounding takes as long as the addition. So what is computed stays
// f32 for as long as it is in registers: from one op to the next, and in loops from one iteration
// to the next, also by way of memory of the stack that nothing but these loads and stores sees. It
// is rounded where it is stored elsewhere, or leaves a function. bf16 that a front end converts f32
// to and back between two of its ops is as good as computed in bf16, and not rounded either, unless
// something else looks at that f32, too. f16 is, where it is converted.
//
// Two things need it rounded before: f16 where it leaves a sum or a maximum for other arithmetic,
// as what is too large has to be infinite there; and what is compared with anything but zero, so
// that numbers that are equal when rounded are so (docs/accuracy.md). What is no other number in
// f32 than it was, as the larger of two is none, is not rounded.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_FLOAT_PROMOTION_H
#define TUNE_TRANSFORMS_LOWER_CPU_FLOAT_PROMOTION_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Does so in `root`, on buffers: with scalars, vectors of fixed sizes, scf.for and scf.if. What
// only moves data stays narrow, and so do the bodies of linalg ops, until these are loops: it may
// be done again then. OUT_OF_MEMORY alone.
tune_status tune_float_promotion_run(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_FLOAT_PROMOTION_H
