//===- constant_bytes.h - The bytes of a module's constants ------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_CONSTANT_BYTES_H
#define TUNE_TRANSFORMS_LOWER_COMMON_CONSTANT_BYTES_H

#include "support/status.h"
#include "support/string_builder.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Appends what `global`, a memref.global, is at first, as it lies in memory: an i1 is a byte, an
// index eight. INVALID_ARGUMENT (located) where it has no value, or may change.
tune_status tune_constant_bytes_append(MlirOperation global, tune_string_builder *bytes);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_CONSTANT_BYTES_H
