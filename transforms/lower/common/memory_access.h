//===- memory_access.h - What ops do with memory: views, reads, writes ---------===//
//
// For ops on buffers (memref), as the stages of lowering meet them: those of upstream, and calls
// that bind what is ahead (attributes.h). An op that is not known is taken to read and to write.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_MEMORY_ACCESS_H
#define TUNE_TRANSFORMS_LOWER_COMMON_MEMORY_ACCESS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether the first result of `op` is the memory of its first operand, seen otherwise.
bool tune_memory_access_is_view(MlirOperation op);
// The memory that `value` is seen through views.
MlirValue tune_memory_access_look_through_views(MlirValue value);
// The same, and through casts to buffers of other elements.
MlirValue tune_memory_access_root(MlirValue value);

// Whether `op` reads elements of its first operand, and does nothing else to it.
bool tune_memory_access_is_load(MlirOperation op);
// Whether `op` calls a function that is called ahead, whose results are only read.
bool tune_memory_access_is_call_ahead(MlirOperation op);

// What `op` may do with the memory that is its operand `number`; nothing where it makes a view of
// it.
enum { TUNE_READS = 1, TUNE_WRITES = 2 };
unsigned tune_memory_access_of(MlirOperation op, intptr_t number);
// Whether some op may write to the memory `of`, seen as it is or otherwise.
bool tune_memory_access_is_written(MlirValue of);

// As tune_memory_access_of, but of a call what the function does itself, where that is in the
// module and gives nothing back.
unsigned tune_memory_access_through_call(MlirOperation op, intptr_t number);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_MEMORY_ACCESS_H
