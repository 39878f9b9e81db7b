//===- conformance_artifact.c - What the cpu target is tried with -----------------------------===//
//
// Takes a ?x4 f32 tensor x that is read, a ?x4 f32 tensor y that is read and written, and an i64.
// Adds x to y, and gives three results: x transposed, as a strided view; the same memory again, as
// it lies; and y itself.
//
//===--------------------------------------------------------------------------===//

#include "targets/runtime/runtime.h"

typedef struct descriptor {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} descriptor;

TUNE_RUNTIME_VISIBLE void tune_entry(void **arguments);

void tune_entry(void **arguments) {
  descriptor *x = arguments[0], *y = arguments[1], *results = arguments[3];
  int64_t rows = x->sizes[0];
  float *memory = tune_runtime_allocate((size_t)rows * 4 * sizeof(float) + 64);
  for (int64_t i = 0; i < rows * 4; ++i) {
    y->aligned[i] += x->aligned[i];
    memory[i + 2] = x->aligned[i] * (float)*(const int64_t *)arguments[2];
  }
  results[0] = (descriptor){memory, memory, 2, {4, rows}, {1, 4}};
  results[1] = (descriptor){memory, memory, 2, {rows, 4}, {4, 1}};
  results[2] = *y;
}
