//===- turns.h - Tensors with their dimensions in another order ------------------===//
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_TURNS_H
#define TUNE_TRANSFORMS_NORMALIZE_TURNS_H

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#include "mlir-c/AffineMap.h"

#ifdef __cplusplus
extern "C" {
#endif

// Dimension d of what is turned is dimension of[d] of what it was.
typedef struct tune_turn {
  intptr_t rank;
  int64_t of[TUNE_IR_MAX_RANK];
} tune_turn;

tune_turn tune_turn_inverse(const tune_turn *turn);

// Of an operand of `map`, or of the type of `value`, of known sizes, once it is turned.
MlirAffineMap tune_turn_map(const tune_turn *turn, MlirAffineMap map);
MlirType tune_turn_type(const tune_turn *turn, MlirValue value);
// tensor.empty of that.
MlirValue tune_turn_empty(const tune_ir_builder *builder, const tune_turn *turn, MlirValue value);

// Whether `op` is a tensor.extract_slice or tensor.pad that keeps the rank, by numbers that are
// known, and pads with one value.
bool tune_turn_is_part(MlirOperation op);
// That of `image`, which is turned, before `op`.
MlirValue tune_turn_rebuild(const tune_turn *turn, MlirOperation op, MlirValue image);

// `value`, turned: a linalg.generic that copies.
MlirValue tune_turn_copy(const tune_ir_builder *builder, const tune_turn *turn, MlirValue value);

// A place right behind what makes `value`.
tune_ir_builder tune_turn_builder_behind(MlirValue value);
// `value`, turned, there; the ops for it are added to `made`.
MlirValue tune_turn_copy_behind(tune_op_list *made, MlirValue value, const tune_turn *turn);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_TURNS_H
