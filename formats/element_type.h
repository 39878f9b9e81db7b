//===- element_type.h - The types that tensors are made of -------------------------===//
//
// The types of the artifacts' ABI: MLIR's builtin scalar types and their bytes in memory.
//
// Threads: any.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_FORMATS_ELEMENT_TYPE_H
#define TUNE_FORMATS_ELEMENT_TYPE_H

#include "support/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tune_element_type {
  TUNE_F16,
  TUNE_BF16,
  TUNE_F32,
  TUNE_F64,
  TUNE_I1, // a byte, 0 or 1
  TUNE_I8,
  TUNE_I16,
  TUNE_I32,
  TUNE_I64,
  TUNE_INDEX, // as i64
} tune_element_type;

#define TUNE_ELEMENT_TYPE_COUNT (TUNE_INDEX + 1)

const char *tune_element_type_name(tune_element_type type); // "f32", as MLIR writes it
// INVALID_ARGUMENT lists the types.
tune_status tune_element_type_parse(const char *text, tune_element_type *out_type);
size_t tune_element_type_size(tune_element_type type); // bytes
bool tune_element_type_is_float(tune_element_type type);
// Half the distance from 1 to the next larger value of a float type (2^-24 for f32), which bounds
// the relative error of one rounding; 0 for integers.
double tune_element_type_unit_roundoff(tune_element_type type);
// The smallest positive normal value of a float type; 0 for integers.
double tune_element_type_smallest_normal(tune_element_type type);

// The element at `bytes`, exactly, except for 64-bit integers beyond 2^53. Any i1 that is not 0
// is 1.
double tune_element_load(tune_element_type type, const void *bytes);
// Stores `value` rounded to nearest; integers are truncated, and the value must be in range.
void tune_element_store(tune_element_type type, double value, void *bytes);

#ifdef __cplusplus
}
#endif

#endif // TUNE_FORMATS_ELEMENT_TYPE_H
