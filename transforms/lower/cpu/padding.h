//===- padding.h - Borders around what is copied -----------------------------===//
//
// tensor.pad becomes memory that is filled, and a copy into the middle of it: on buffers most of it
// is written twice, and by one thread, whose cache then has what others are about to read. Here
//
//  - such a fill becomes fills of the borders alone, which each have two sides in a dimension;
//  - with threads a large copy of this kind, and any other large fill, becomes a parallel loop over
//    its outer dimensions, so that rows come into the caches of those who will read them, more or
//    less. A core that writes to lines which another has read first has to take them back, which
//    takes ten times as long as the writing.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_PADDING_H
#define TUNE_TRANSFORMS_LOWER_CPU_PADDING_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// For `module` on buffers. What is packed ahead (constant_dependence.h) stays with one thread: it
// may run while a library is being loaded.
tune_status tune_padding_lower(MlirOperation module, bool has_threads);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_PADDING_H
