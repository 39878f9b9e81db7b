//===- tensor_ops.h - What normalizing makes of tensors ------------------------===//
//
// tensor.pad, slices, reshapes and linalg.generic, of tensors whose sizes are known, and that have
// at most TUNE_IR_MAX_RANK dimensions. The dialects have to be loaded.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_TENSOR_OPS_H
#define TUNE_TRANSFORMS_NORMALIZE_TENSOR_OPS_H

#include "transforms/ir/ir_builder.h"

#ifdef __cplusplus
extern "C" {
#endif

// Whether `type` is a tensor of such, without an encoding.
bool tune_tensor_is_plain(MlirType type);

// The bytes of a tensor of known sizes.
double tune_tensor_bytes(MlirType type);

// The `rank` numbers of the attribute `name` of `op`, as of static sizes; false where it has
// others.
bool tune_tensor_read_numbers(MlirOperation op, const char *name, intptr_t rank,
                              int64_t *out_numbers);

// `value` with low[d] elements more before dimension d and high[d] after it, which are `number`.
MlirValue tune_tensor_pad(const tune_ir_builder *builder, MlirValue value, const int64_t *low,
                          const int64_t *high, double number);

// The `sizes` elements of `value` from `offsets` on.
MlirValue tune_tensor_slice(const tune_ir_builder *builder, MlirValue value, const int64_t *offsets,
                            const int64_t *sizes);
// The same of every steps[d]-th element along dimension d.
MlirValue tune_tensor_slice_in_steps(const tune_ir_builder *builder, MlirValue value,
                                     const int64_t *offsets, const int64_t *sizes,
                                     const int64_t *steps);

// `value` as a tensor of `sizes`, `rank` of them: a tensor.expand_shape where `value` has fewer
// dimensions, a tensor.collapse_shape where it has more. Of the tensor with more of them, the first
// members[0] are the first of the other, the next members[1] the second, and so on.
MlirValue tune_tensor_reshape(const tune_ir_builder *builder, MlirValue value, intptr_t rank,
                              const int64_t *sizes, const intptr_t *members);

// tensor.concat of `count` tensors along `dimension`, of `type`.
MlirValue tune_tensor_concat(const tune_ir_builder *builder, intptr_t count,
                             const MlirValue *values, intptr_t dimension, MlirType type);

// linalg.index of `loop`, in the body of a linalg op.
MlirValue tune_tensor_index(const tune_ir_builder *builder, intptr_t loop);

// The most operands of a linalg.generic that is built here.
#define TUNE_TENSOR_MAX_OPERANDS 24

// linalg.generic over `count` operands by as many maps, with the body `region`, which it owns. It
// has one result, of the type of the last operand. Loops that this has no index of are reductions.
MlirOperation tune_tensor_generic(const tune_ir_builder *builder, intptr_t count,
                                  const MlirValue *operands, const MlirAffineMap *maps,
                                  MlirRegion region);

// Puts one like that in the place of `op`, of one result, with its discardable attributes.
void tune_tensor_replace(MlirOperation op, intptr_t count, const MlirValue *operands,
                         const MlirAffineMap *maps, MlirRegion region);

// A linalg.generic that copies `value`, read by `map`, into `into`, whose dimensions are its loops.
MlirValue tune_tensor_copy(const tune_ir_builder *builder, MlirValue value, MlirAffineMap map,
                           MlirValue into);

// The type `type`, of a ranked tensor, with another size along `dimension`.
MlirType tune_tensor_type_with_size(MlirType type, intptr_t dimension, int64_t size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_TENSOR_OPS_H
