//===- gpu_dot.h - Products of bytes by dot products of words on devices -----===//
//
// Shaders have dot products of four bytes in a word with four of another (SPV_KHR_integer_dot_
// product). A product of bytes into i32 goes by them where its depth is cut in groups of four that
// lie together in both operands: `linalg.pack` of the depth. An operand that is contiguous along it
// is packed where it is read, which is nothing but another shape of what is read; of another one a
// kernel makes a copy ahead. The lowering makes the dot products
// (lower/gpu/vectors/vector_legalization.h, tune.gpu.dot). Sums are those of i32, exactly.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_GPU_GPU_DOT_H
#define TUNE_TRANSFORMS_RULES_GPU_GPU_DOT_H

#include "transforms/rules/contraction/contraction_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_GPU_DOT_GROUP 4 // steps of the depth in a word

// Whether the product can be done so on the machine.
bool tune_gpu_dot_fits(const tune_contraction_plan *loops, const tune_machine *machine);
// Whether the machine has instructions for that, so that it is the default.
bool tune_gpu_dot_is_fast(const tune_contraction_plan *loops, const tune_machine *machine);

// Makes of `product` (a handle) the product `packed`, whose depth are groups and which has one loop
// more, the group, after the others.
void tune_gpu_write_dot(const tune_contraction_plan *loops, const char *product, const char *packed,
                        tune_writer *writer);
// Packs what is packed where it is read within the loop `grid` over tiles; its handle from then on.
const char *tune_gpu_write_dot_tiles(const tune_contraction_plan *loops, const char *grid,
                                     tune_writer *writer);
// And within the innermost loop `steps` over the reductions.
void tune_gpu_write_dot_steps(const tune_contraction_plan *loops, const char *steps,
                              tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_GPU_GPU_DOT_H
