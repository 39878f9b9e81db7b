//===- kernel_reads.h - What kernels broadcast, read while they multiply ---------------===//
//
// The kernel of a product reads some elements of a row of A and multiplies a vector by each of
// them. x86 reads and broadcasts in one instruction, or as an operand of the multiply-add, which
// takes no unit of arithmetic. LLVM 22 finds that if
//
//   - each element is read by itself. Of a vector that is read as a whole it makes shuffles: of 2
//     elements always (matmul 1024x1024x1024 on Zen 4 at 64 % of the roofline for 95 %), of 3 in a
//     tenth of the time;
//   - nothing else touches memory between. A prefetch there keeps it from moving reads to the
//     multiply-adds, so that they wait in registers, or on the stack (3136x16x144 77 % for 98 %).
//
// So both are put right: the elements are read one by one, and prefetches come first in their
// block.
//
// Threads: as the context of the IR.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_VECTORS_KERNEL_READS_H
#define TUNE_TRANSFORMS_LOWER_CPU_VECTORS_KERNEL_READS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Does so in `module`, on buffers: with vector.load of at most 16 elements of 32 bits or more that
// is read by vector.extract of one element alone, and with memref.prefetch whose place is computed
// in its block. OUT_OF_MEMORY alone.
tune_status tune_kernel_reads_run(MlirOperation module);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_VECTORS_KERNEL_READS_H
