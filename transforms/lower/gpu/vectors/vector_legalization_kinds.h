//===- vector_legalization_kinds.h - Kinds of ops on vectors, and how each becomes pieces -===//
//
// What vector_legalization.c asks of each op in turn. Each kind handles `op`, or refuses it.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_KINDS_H
#define TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_KINDS_H

#include "transforms/lower/gpu/vectors/vector_pieces.h"

#ifdef __cplusplus
extern "C" {
#endif

// vector_legalization_ops.c: elementwise, constants, what moves elements.
bool tune_pieces_is_op(MlirOperation op);
tune_status tune_pieces_open_op(tune_pieces *pieces, MlirOperation op);
// vector_legalization_sums.c: vector.contract, multi_reduction, reduction.
bool tune_pieces_is_sum(MlirOperation op);
tune_status tune_pieces_open_sum(tune_pieces *pieces, MlirOperation op);
// vector_legalization_memory.c: transfers, loads and stores, masked or not.
bool tune_pieces_is_access(MlirOperation op);
tune_status tune_pieces_open_access(tune_pieces *pieces, MlirOperation op);
// vector_legalization_buffers.c: lists how `launch` accesses buffers, into pieces->uses.
tune_status tune_pieces_list_uses(tune_pieces *pieces, MlirOperation launch);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_VECTORS_VECTOR_LEGALIZATION_KINDS_H
