//===- part_views.h - Views of a part of weights, made in the loop that uses them ------===//
//
// Upstream moves views that are the same in each iteration out of a loop. What is made in parts
// then has another memory in each of them (weights_ahead.h), and its views are to be there, too:
//
//   %v = subview %part[48, 0]               for %i {
//   for %i { ... uses %v ... }       =>       %v = subview %part[48, 0]
//                                             ... uses %v ... }
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_PART_VIEWS_H
#define TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_PART_VIEWS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes the views of `memory` that stand before `loop` and that it uses in its body, anew at the
// body's beginning. Those that nothing uses any more go. OUT_OF_MEMORY alone.
tune_status tune_part_views_bring_in(MlirValue memory, MlirOperation loop);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_PART_VIEWS_H
