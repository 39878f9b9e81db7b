//===- argument_sizes.h - What is said of the sizes of arguments -------------===//
//
// Two attributes of arguments whose types leave sizes open:
//
//   func.func @main(%x: tensor<?x?x64xf32> {tune.dim = ["batch=1,8", "tokens=16-512", ""]},
//                   %y: tensor<?x64xf32> {tune.measured_at = array<i64: 128, 64>})
//
//   tune.dim          for each dimension a name, and which sizes come (transforms/variants/): those
//                     with the same name are equal. "" says nothing. Without a name all such
//                     dimensions are equal; a name alone refers to what is said elsewhere
//   tune.measured_at  the shape that it has in measurements, in place of 64s
//
// Threads: functions on ops follow MLIR: many may read, one may write.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_ARGUMENT_SIZES_H
#define TUNE_DIALECTS_ARGUMENT_SIZES_H

#include "support/status.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_DIM_ATTRIBUTE "tune.dim"
#define TUNE_MEASURED_AT_ATTRIBUTE "tune.measured_at"

// What tune.dim says of a dimension of argument `index` of `function`; data NULL: nothing.
MlirStringRef tune_argument_get_dim(MlirOperation function, intptr_t index, intptr_t dimension);

// The size that a dimension of argument `index` has in measurements; false: nobody says.
bool tune_argument_get_measured_size(MlirOperation function, intptr_t index, intptr_t dimension,
                                     int64_t *out_size);
// The attribute of that shape.
MlirAttribute tune_argument_make_measured_at(MlirContext context, const int64_t *shape,
                                             size_t rank);

// Checks both on all functions in `root`: INVALID_ARGUMENT (located) for what is no list of the
// right length, and for a size that differs from one that the type fixes.
tune_status tune_argument_sizes_verify(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_ARGUMENT_SIZES_H
