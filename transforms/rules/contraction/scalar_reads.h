//===- scalar_reads.h - Elements that are read one by one, not shuffled apart -===//
//
// The kernel of a contraction reads a vector of A along the depth and broadcasts each of its
// elements. Of 2, 4 or 8 elements LLVM 22 makes broadcasts from memory, which take no arithmetic
// unit; a vector of another length it loads whole and shuffles apart, beside the multiply-adds: on
// Zen 4 a tenth of the time. PDL patterns have each element read by itself.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_SCALAR_READS_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_SCALAR_READS_H

#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

// To be written into @tune_buffers after tune_writer_lower_vectors: where the vectors of `operand`
// have `lengths` of which none above 1 is a power of two (3, for images of 3 channels), their
// elements become elements read from memory. Else there are better lengths to be had.
void tune_scalar_reads_write(const tune_operand *operand, const tune_value_set *lengths,
                             tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_SCALAR_READS_H
