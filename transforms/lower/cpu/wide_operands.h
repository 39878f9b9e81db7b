//===- wide_operands.h - Narrow memory that products read again and again, widened once -===//
//
// Where a CPU has no products of bf16, f16 or bytes, each read of them is followed by steps that
// widen it. A product reads each element of its operands many times. On a function with the
// attribute `tune.wide_operands` = 1, that is done once:
//
//   temporaries   panels, images with borders: their elements are wide, and so is what is copied
//                 into them
//   arguments     that are read several times over: copied ahead of all else
//
// if all that is read of them is widened, and in one way: by the IR, or as what computes in f16 and
// bf16 has it in registers (float_promotion.h). What is widened once is, bit by bit, what is
// widened at each read.
//
// Threads: as the context of the IR.
//
//===----------------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_WIDE_OPERANDS_H
#define TUNE_TRANSFORMS_LOWER_CPU_WIDE_OPERANDS_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// Does so in the functions of `module`, on buffers that are not given back yet, and takes the
// attribute off. With `has_threads` these share the copies of large arguments. OUT_OF_MEMORY alone.
tune_status tune_wide_operands_run(MlirOperation module, bool has_threads);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_WIDE_OPERANDS_H
