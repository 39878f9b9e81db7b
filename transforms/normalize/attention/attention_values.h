//===- attention_values.h - What lies between the two products of attention -----------===//
//
//   scores[.., row, key] = Q * K, then ops on elements, softmax along the keys, product with V
//
// in whatever form a front end writes it: named ops or generic ones, with dimensions of size 1 and
// reshapes for them, softmax as one op or as a chain.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_ATTENTION_VALUES_H
#define TUNE_TRANSFORMS_NORMALIZE_ATTENTION_VALUES_H

#include "transforms/normalize/nest_maps.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TUNE_ATTENTION_VALUES = 48 };

// What a dimension of a value is.
typedef enum tune_attention_axis {
  TUNE_ATTENTION_OTHER = 0, // a batch, or of size 1
  TUNE_ATTENTION_ROWS,
  TUNE_ATTENTION_KEYS,
} tune_attention_axis;

typedef struct tune_attention_value {
  MlirValue value;
  tune_attention_axis axes[TUNE_IR_MAX_RANK];
} tune_attention_value;

// A product of matrices, and its loops.
typedef struct tune_attention_factors {
  tune_nest_maps nest;
  intptr_t rows;               // which operand has the rows, 0 or 1
  intptr_t left, right, depth; // loops of that alone, of the other one alone, of both and no result
} tune_attention_factors;

typedef struct tune_attention_values {
  tune_attention_factors scores, product;
  tune_attention_value values[TUNE_ATTENTION_VALUES]; // as they are made: from the scores on
  size_t count;
  size_t masked; // which of them softmax begins with
} tune_attention_values;

// Whether `op` is the first product of what may be attention, with its rows in operand `rows`, of
// f32 and known sizes, in one block, where nothing else reads what lies between. `masked` is the
// latest value that softmax may begin with (attention_keys.h).
bool tune_attention_values_find(MlirOperation op, intptr_t rows, tune_attention_values *out);

// Which of them `value` is, or TUNE_ATTENTION_VALUES.
size_t tune_attention_values_index(const tune_attention_values *values, MlirValue value);

// Whether a dimension of it is the keys.
bool tune_attention_value_has_keys(const tune_attention_value *value);

// What each loop of the linalg op `nest` is by its operands, and its result, that are such values.
// False where they disagree, or read one otherwise than by loops.
bool tune_attention_values_loops(const tune_attention_values *values, const tune_nest_maps *nest,
                                 tune_attention_axis *out_axes);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_ATTENTION_VALUES_H
