//===- prefetch.h - Reading ahead of what streams from memory ----------------===//
//
// A core that reads rows of a large matrix waits for memory at the start of each page and of each
// row, where the hardware's prefetchers begin anew. Upstream has an op that prefetches, and no
// transform that puts it in: PDL patterns do, beside each load of a vector.
//
//===----------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_CONTRACTION_PREFETCH_H
#define TUNE_TRANSFORMS_RULES_CONTRACTION_PREFETCH_H

#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_PREFETCH_LENGTHS 8
#define TUNE_PREFETCH_DISTANCES 4

typedef struct tune_prefetch {
  const tune_operand *operand;                // what is read: the largest input
  size_t length_count;                        // of the vectors that it is read in
  int64_t lengths[TUNE_PREFETCH_LENGTHS];     // in elements
  size_t distance_count;                      // how far ahead may be read
  int64_t distances[TUNE_PREFETCH_DISTANCES]; // in bytes
  int64_t default_distance;                   // one of them, or 0: not ahead
} tune_prefetch;

// The largest input of `structure`, if its size is known and more than the second cache holds, so
// that it pays to read it ahead; else NULL.
const tune_operand *tune_prefetch_find_operand(const tune_structure *structure,
                                               const tune_machine *machine);

// To be written into @tune_buffers after tune_writer_lower_vectors: the knob `prefetch`, "none" or
// one of the distances. It is into the second cache: what goes into the first one waits for the
// same few buffers as the loads do.
void tune_prefetch_write(const tune_prefetch *prefetch, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_CONTRACTION_PREFETCH_H
