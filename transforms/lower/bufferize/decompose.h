//===- decompose.h - Ops of linalg that have no loops of their own -----------===//
//
// linalg.softmax, linalg.pack and linalg.unpack are neither loops nor bufferizable; before
// a schedule or this takes them apart, nothing can lower them. What takes them apart here
// is a transform script of upstream's ops.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_BUFFERIZE_DECOMPOSE_H
#define TUNE_TRANSFORMS_LOWER_BUFFERIZE_DECOMPOSE_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Parses the script into `context`; mlirOperationDestroy it.
tune_status tune_decompose_create(MlirContext context, MlirOperation *out_script);

// Takes apart what is left of these ops in `module`, on tensors; looks first whether there is any.
tune_status tune_decompose_run(MlirOperation script, MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_BUFFERIZE_DECOMPOSE_H
