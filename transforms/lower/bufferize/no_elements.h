//===- no_elements.h - Tensors without elements ---------------------------------===//
//
// Upstream's memref.subview has to begin within what it is of, and so there is none of what has no
// elements: slices, concatenations and the like of such tensors fail in bufferization. What is made
// of nothing, and what nothing is put into, is known before.
//
// Threads: as the context of the IR.
//
//===----------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_BUFFERIZE_NO_ELEMENTS_H
#define TUNE_TRANSFORMS_LOWER_BUFFERIZE_NO_ELEMENTS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// In `module`, on tensors: what ops of tensor and linalg give that has no elements is a
// tensor.empty, and what puts such a tensor into another one is gone. Sizes known at run time only
// are taken for more than zero. OUT_OF_MEMORY alone.
tune_status tune_no_elements_replace(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_BUFFERIZE_NO_ELEMENTS_H
