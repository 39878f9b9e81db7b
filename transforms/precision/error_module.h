//===- error_module.h - A module that tells what rounding its products costs ----===//
//
// How far the outputs of a function are off when the factors of some of its products are rounded is
// asked again and again: for each product, and for all that are rounded in the end. So the function
// is written anew, as a loop over sets of products, whose factors are rounded by switches or not:
//
//   func.func @main(<arguments>, %switches: tensor<SETS x (PRODUCTS + 1) x f32>)
//       -> tensor<SETS x 2 OUTPUTS x f64>
//     for each set
//       outputs = the function, where factors of a product are rounded to what its switch says, a
//                 tune_rounded_to; to bytes (normalize/quantized/scaled_bytes.h) if they may be
//       kept = those of a set whose last switch is not 0, else as before
//       for each output: the sum of (output - kept)^2, and that of kept^2
//
// So the first set is of no product, and has its last switch on. A build of it, one run for many
// sets; sums stay f32, as where bf16 is allowed.
//
// Threads: as the context of the module.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_PRECISION_ERROR_MODULE_H
#define TUNE_TRANSFORMS_PRECISION_ERROR_MODULE_H

#include "support/status.h"
#include "transforms/precision/rounded_to.h"

#include "mlir-c/IR.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_ERROR_FUNCTION "main"

// On a product: which switch it has, an i64. Taken off on the way.
#define TUNE_ERROR_SWITCH "tune.error_switch"

// FAILED_PRECONDITION, located, where errors cannot be measured of `function`: it has several
// blocks, arguments whose sizes are not known or that are no tensors and numbers, results of floats
// that are no tensors of known sizes, or no result of floats. Scalars are to be lifted before it is
// made (transforms/lower/common/scalar_results.h).
tune_status tune_error_module_check(MlirOperation function);

// Makes `module`, with TUNE_ERROR_SWITCH of 0 to `switches` - 1 on products of f32
// (dialects/allow.h), a module of that form for `function`; choices on it are to be gone already.
// `*out_outputs` is how many results are looked at: those of floats. Errors as those of the check,
// and FAILED_PRECONDITION where it calls what is not inlined.
tune_status tune_error_module_make(MlirOperation module, MlirOperation function, size_t sets,
                                   size_t switches, size_t *out_outputs);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_PRECISION_ERROR_MODULE_H
