//===- batch_values.h - What is computed image by image of a batch --------------------===//
//
// The tensors of a function that have something of each image of a batch (or of each sequence, or
// row), in the order of the batch: along one dimension, so many elements for each. With the ops
// that make such from such, no image knowing of another one.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_BATCH_VALUES_H
#define TUNE_TRANSFORMS_NORMALIZE_BATCH_VALUES_H

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"
#include "transforms/ir/op_map.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where a tensor has the images.
typedef struct tune_batch_place {
  intptr_t dimension;
  int64_t part; // elements of one image along that
} tune_batch_place;

typedef struct tune_batch_values {
  int64_t count;        // of images; less than 2: there is no batch
  tune_op_map place_of; // by value
  // In the order of the function, up to the first op that reads a batch otherwise.
  tune_op_list ops;
  size_t other_count; // of values with images that are neither arguments nor made by these ops
  bool failed;        // memory ran out
} tune_batch_values;

// Finds those of `function`, a func.func of one block. The batch is dimension 0 of its first
// argument that is a tensor and not constant, and, but for `only_first`, of all others that have as
// many there. What fills a tensor with one number, or the same for all images, belongs to whoever
// reads it. What else is made of no image, but has a part for each, is as an argument is.
void tune_batch_values_find(MlirOperation function, bool only_first, tune_batch_values *out_values);
void tune_batch_values_deinit(tune_batch_values *values);

// Whether `value` has images, and where.
bool tune_batch_values_get(const tune_batch_values *values, MlirValue value,
                           tune_batch_place *out_place);

// Makes `op`, one of `values->ops`, of `images` images in place of all. Operands that have images
// have to be of so many by then; others that it reads are made of so many before it.
void tune_batch_values_shrink(const tune_batch_values *values, MlirOperation op, int64_t images);

// The type of `value`, which has images, for `images` of them.
MlirType tune_batch_values_type(const tune_batch_values *values, MlirValue value, int64_t images);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_BATCH_VALUES_H
