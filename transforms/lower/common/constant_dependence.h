//===- constant_dependence.h - Analysis: values that depend on constant arguments alone -===//
//
// Looks at a function after bufferization: which of its buffers are filled from constant
// arguments (dialects/constant.h) and the module's own constants, by which of its outermost ops,
// and only read afterwards. These are what a schedule hoisted to the top, panels of weights mostly.
// What cannot be told stays: ops whose effects are unknown, buffers that are handed on.
//
// Threads: as the context.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_CONSTANT_DEPENDENCE_H
#define TUNE_TRANSFORMS_LOWER_COMMON_CONSTANT_DEPENDENCE_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tune_constant_dependence {
  // The outermost ops that can be done ahead, in order: those that take memory, that fill it, and
  // calls with the attribute.
  MlirOperation *ops;
  size_t op_count;
  MlirValue *kept; // the memory that the ops which stay read
  size_t kept_count;
} tune_constant_dependence;

// What is constant to a function.
typedef struct tune_constant_dependence_constants {
  const bool *arguments; // which of its arguments; constants of the module are so to all
  bool parallel_stays;   // what threads do together is not ahead
} tune_constant_dependence_constants;

// A function of several blocks has nothing that is ahead.
tune_status tune_constant_dependence_find(MlirOperation function,
                                          tune_constant_dependence_constants constants,
                                          tune_constant_dependence *out_ahead);
void tune_constant_dependence_deinit(tune_constant_dependence *ahead);

// Whether `value`, at the top level of a function, is a constant argument of memref type or a
// constant of the module, or a view of one.
bool tune_constant_dependence_is_constant(MlirValue value,
                                          tune_constant_dependence_constants constants);

// Whether `value` can be computed at another place from constant arguments and memory that is
// ahead: it is one of these, or an op without effects on them.
bool tune_constant_dependence_is_derived(MlirValue value,
                                         tune_constant_dependence_constants constants);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_CONSTANT_DEPENDENCE_H
