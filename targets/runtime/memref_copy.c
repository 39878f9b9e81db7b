//===- memref_copy.c - Copies between strided memrefs ----------------------------===//

#include "targets/runtime/runtime.h"

#include <string.h>

typedef struct descriptor {
  char *allocated;
  char *aligned;
  int64_t offset;
  int64_t sizes_and_strides[]; // sizes[rank], then strides[rank]
} descriptor;

// What is left of a copy below some dimension. Strides are in bytes.
typedef struct walk {
  int64_t rank;                                        // dimensions walked one by one
  const int64_t *sizes;                                //
  const int64_t *source_strides, *destination_strides; // in elements
  int64_t element_size;                                //
  int64_t run; // bytes that are contiguous on both sides, below those dimensions
} walk;

// Elements of a size known to the compiler move as scalars; memcpy with a variable size is a call.
#define COPY_COLUMN(type)                                                                          \
  for (int64_t i = 0; i < count; ++i)                                                              \
  memcpy(destination + i * destination_step, source + i * source_step, sizeof(type))

static void copy_column(char *destination, int64_t destination_step, const char *source,
                        int64_t source_step, int64_t count, int64_t run) {
  switch (run) {
  case 1:
    COPY_COLUMN(int8_t);
    return;
  case 2:
    COPY_COLUMN(int16_t);
    return;
  case 4:
    COPY_COLUMN(int32_t);
    return;
  case 8:
    COPY_COLUMN(int64_t);
    return;
  default:
    for (int64_t i = 0; i < count; ++i)
      memcpy(destination + i * destination_step, source + i * source_step, (size_t)run);
  }
}

static void copy(const walk *w, int64_t dimension, char *destination, const char *source) {
  int64_t source_step = w->source_strides[dimension] * w->element_size;
  int64_t destination_step = w->destination_strides[dimension] * w->element_size;
  int64_t count = w->sizes[dimension];
  if (dimension + 1 == w->rank) {
    copy_column(destination, destination_step, source, source_step, count, w->run);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    copy(w, dimension + 1, destination + i * destination_step, source + i * source_step);
}

void memrefCopy(int64_t element_size, tune_unranked_memref *source,
                tune_unranked_memref *destination) {
  int64_t rank = source->rank;
  const descriptor *from = source->descriptor, *to = destination->descriptor;
  walk w = {.rank = rank,
            .sizes = from->sizes_and_strides,
            .source_strides = from->sizes_and_strides + rank,
            .destination_strides = to->sizes_and_strides + rank,
            .element_size = element_size,
            .run = element_size};
  for (int64_t i = 0; i < rank; ++i)
    if (w.sizes[i] == 0)
      return;

  // Innermost dimensions that are contiguous on both sides become one run; a dimension of size 1
  // is contiguous whatever its stride.
  int64_t elements = 1;
  while (w.rank > 0) {
    int64_t last = w.rank - 1;
    if (w.sizes[last] != 1 &&
        (w.source_strides[last] != elements || w.destination_strides[last] != elements))
      break;
    elements *= w.sizes[last];
    --w.rank;
  }
  w.run = elements * element_size;

  char *target = to->aligned + to->offset * element_size;
  const char *start = from->aligned + from->offset * element_size;
  if (w.rank == 0)
    memcpy(target, start, (size_t)w.run);
  else
    copy(&w, 0, target, start);
}
