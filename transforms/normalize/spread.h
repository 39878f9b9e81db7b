//===- spread.h - Operands of products that have zeroes between their elements ---===//
//
// Lowerings write dilations of a filter, or of an image (transposed convolutions), as a
// tensor.insert_slice with strides into zeroes. Here they are found.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_SPREAD_H
#define TUNE_TRANSFORMS_NORMALIZE_SPREAD_H

#include "transforms/ir/ir_builder.h"
#include "transforms/ir/op_list.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of an op that sums products: two factors, and what they are added to.
#define TUNE_SPREAD_OPERANDS 3

// Elements of `source` in steps, with zeroes around and between them. In each dimension element i
// lies at offsets + i * steps.
typedef struct tune_spread {
  MlirValue source;
  intptr_t rank;
  int64_t offsets[TUNE_IR_MAX_RANK];
  int64_t steps[TUNE_IR_MAX_RANK]; // 1 where nothing lies between, as beside a single element
  int64_t sizes[TUNE_IR_MAX_RANK], whole_sizes[TUNE_IR_MAX_RANK]; // of the source, and of all
} tune_spread;

// Whether `value` is one, of known sizes, not empty, with a step of two or more.
bool tune_spread_find(MlirValue value, tune_spread *out_spread);

// Whether `op` is a linalg op that does out + a * b, on tensors, with factors that are read as they
// are or widened, so that a factor of zero adds nothing.
bool tune_spread_sums_products(MlirOperation op);

// Adds all such ops in `root` to `out`, in the order of a walk; out->failed where memory ran out.
void tune_spread_list_products(MlirOperation root, tune_op_list *out);

// Takes `op` away where nothing uses it, and then what it alone used of what fills memory up: where
// a schedule is applied it counts the ops that are there.
void tune_spread_drop(MlirOperation op);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_SPREAD_H
