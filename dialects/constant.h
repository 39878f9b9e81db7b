//===- constant.h - Arguments that stay the same from call to call ------------------===//
//
// A function says of a tensor argument that it does not change between calls, weights say:
//
//   func.func @linear(%x: tensor<128x768xf32>, %w: tensor<768x768xf32> {tune.constant})
//
// What depends on such arguments alone can be computed once, ahead of the calls
// (transforms/lower/cpu/weights/prepack.h).
//
// Threads: functions on ops follow MLIR: many may read, one may write.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_CONSTANT_H
#define TUNE_DIALECTS_CONSTANT_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The name of the attribute, a unit.
#define TUNE_CONSTANT_ATTRIBUTE "tune.constant"

// Whether argument `index` of the function `function` is marked. False for all else that has
// regions.
bool tune_constant_is_argument(MlirOperation function, intptr_t index);

// Whether `value` is such an argument or a constant of the module, or a reshape of one, which is
// the same elements.
bool tune_constant_is_value(MlirValue value);

// Whether `value` is made of such values alone, of which there is one at least, by ops on tensors
// without effects.
bool tune_constant_is_derived(MlirValue value);

// Checks the marks on `root` and on all ops inside it: INVALID_ARGUMENT (located) for one that is
// not on an argument of a func.func, is no unit, or is on what is neither tensor nor memref; and
// for other attributes of arguments whose names begin with "tune.".
tune_status tune_constant_verify(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_CONSTANT_H
