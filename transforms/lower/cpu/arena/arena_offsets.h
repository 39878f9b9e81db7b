//===- arena_offsets.h - Where in one block of memory buffers lie --------------===//
//
// Buffers that are not needed at the same time may share memory. Given from when to when each is
// needed, finds a place for each so that the block is small: each in turn goes to the smallest gap
// that holds it (best fit), the largest first, as in Pisarchyk and Lee, "Efficient Memory
// Management for Deep Neural Net Inference" (2020). Where that takes more than is needed at once,
// other orders are tried: by when they begin, by how long they live, and the best one with what
// lies on top brought forward.
//
// Threads: plain values.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_ARENA_ARENA_OFFSETS_H
#define TUNE_TRANSFORMS_LOWER_CPU_ARENA_ARENA_OFFSETS_H

#include "support/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where buffers begin: a line of a cache, and what vectors want.
#define TUNE_ARENA_ALIGNMENT 64

typedef struct tune_arena_buffer {
  int64_t size;       // in bytes, at least 1
  size_t first, last; // steps of which it is needed in all
  int64_t offset;     // from the beginning of the block, found
} tune_arena_buffer;

// The bytes that are needed at once, at the step where that is most: no block is smaller. Sizes
// count as multiples of the alignment.
int64_t tune_arena_bound(const tune_arena_buffer *buffers, size_t count);

// Sets the offsets of `buffers`, which together have less than 2^62 bytes. `*out_size` is the size
// of the block.
tune_status tune_arena_place(tune_arena_buffer *buffers, size_t count, int64_t *out_size);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_ARENA_ARENA_OFFSETS_H
