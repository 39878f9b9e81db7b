//===- host_scalars.h - Scalars of the host's part, in memory of the device --===//
//
// The host's part of a function for a device has no arithmetic and no branches: what it reads or
// writes of a buffer, element by element, becomes part of kernels. A load is made again in each
// kernel that takes what it read (launch_sinking.h); where the buffer changes before that, a kernel
// of one invocation keeps the element in memory of its own. A store is such a kernel, too.
//
// Nothing can stop a device where an assertion does not hold: assertions are left out, with a
// warning for those that are not known to hold.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_HOST_HOST_SCALARS_H
#define TUNE_TRANSFORMS_LOWER_GPU_HOST_HOST_SCALARS_H

#include "formats/device_facts.h"
#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Takes assertions out of `function`, those in loops and linalg ops, too.
tune_status tune_host_scalars_drop_assertions(MlirOperation function);

// Makes launches of the stores in the body of `function`, and of the loads whose buffers change.
tune_status tune_host_scalars_lower(MlirOperation function, const tune_device *device);

// Takes out loads and arithmetic in the body of `function` that nothing uses, since kernels have
// them.
tune_status tune_host_scalars_clean(MlirOperation function);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_HOST_HOST_SCALARS_H
