//===- known_buffers.h - Buffers of which all is known ----------------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_ARENA_KNOWN_BUFFERS_H
#define TUNE_TRANSFORMS_LOWER_CPU_ARENA_KNOWN_BUFFERS_H

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The bytes of a memref of known size, dense, in the usual memory; -1 of others, and of more than
// 2^46.
int64_t tune_known_buffer_bytes(MlirType type);

// Whether `op` is a memref.alloc of such a type, aligned as buffers are in a block
// (arena_offsets.h).
bool tune_known_buffer_is(MlirOperation op);

// memref.alloc of such a type, aligned so.
MlirValue tune_known_buffer_allocate(const tune_ir_builder *builder, MlirType type);

// Whether the memory of `buffer` is only read and written by ops that have it, or views of it, as
// operands: nothing keeps it, returns it or carries it around a loop.
bool tune_known_buffer_stays(MlirValue buffer);

// The allocations in `root`, a function or a parallel loop, that are known and stay, in regions of
// one block; with `has_threads` without those in parallel loops within it, of which each thread
// needs its own.
void tune_known_buffers_list(MlirOperation root, bool has_threads, tune_op_list *out_buffers);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_ARENA_KNOWN_BUFFERS_H
