//===- panel_ahead.h - The panel to come, read while the present one is multiplied -----===//
//
// Tiles of a few rows go over a panel of B one after the other. The first of them waits for memory:
// panels are small next to what a hardware's prefetchers take to begin. So each tile reads a share
// of the next panel into the second cache, a line of it for each step of the depth. All tiles
// together read it once.
//
//   for panel                        for panel
//     for rows                         for rows
//       for depth                        for depth
//         load B[panel, depth, 0]          prefetch B[panel + 1, share of rows + step, 0]
//                                          load B[panel, depth, 0]
//
// Threads: as the context of the IR.
//
//===-----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_PANEL_AHEAD_H
#define TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_PANEL_AHEAD_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Does so in those functions of `module`, on buffers, that have the attribute `tune.panel_ahead` =
// 1, and takes it off: of what is read of an argument, in loops whose bounds are known. What is
// packed in the function itself is in the caches. So it does for parts of weights that were made
// ahead (weights_ahead.h). OUT_OF_MEMORY alone.
tune_status tune_panel_ahead_run(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_WEIGHTS_PANEL_AHEAD_H
