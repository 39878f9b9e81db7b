//===- edge_peeling.h - Peeling of the last step of loops that reach an edge -===//
//
// What padded_edges leaves reads beyond the end of its operands: in the last step of a loop, and in
// rows and columns that the result has not either. Such reads ask for each element whether it is
// there. Here
//
//  - the last step of a loop that ends within it stands alone: the others need not ask along it;
//  - a read whose elements beyond an edge go nowhere but into results beyond the same edge, which
//    are not written, gets the attribute tune.outside.any: [true, false] for a vector whose first
//    dimension may have anything there. A lowering that does not know it reads the padding.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_EDGE_PEELING_H
#define TUNE_TRANSFORMS_LOWER_GPU_EDGE_PEELING_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In the loops of `function`, which is on buffers. OUT_OF_MEMORY alone.
tune_status tune_edge_peeling_lower(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_EDGE_PEELING_H
