//===- allow.h - The attribute tune.allow: arithmetic that may be less exact -===//
//
// Some instructions are faster because they round more. Code has none of them unless the module
// allows it, by an attribute that names them:
//
//   linalg.matmul {tune.allow = ["tf32"]} ins(...) outs(...)               // this product
//   func.func @main(...) attributes {tune.allow = ["tf32"]} { ... }        // those of a function
//   module attributes {tune.allow = ["tf32"]} { ... }                      // all
//
//   tf32   factors of products of f32 may be rounded, or cut, to the 10 bits of tf32's fraction;
//          sums stay f32
//   bf16   they may be rounded to bf16, which has 7
//   f16    they may be rounded to f16, which has 10, and none beyond 65504: larger ones become
//          infinite. Where both are allowed, they are rounded to bf16
//   int8   they may be rounded to bytes, by scales that are made of them as they come
//          (transforms/normalize/quantized/byte_products.h); sums are of integers, and exact
//
// What is allowed is about the multiplication, and that is where tune_allow_place puts it: on the
// arith.mulf in the op's body. There it stays through upstream's passes, which inline functions and
// make other ops of an op with other attributes but with the same body; two products of which one
// is allowed it stay two; and it is part of a task's text, and so of its key.
//
// Threads: functions on ops follow MLIR: many may read, one may write.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_DIALECTS_ALLOW_H
#define TUNE_DIALECTS_ALLOW_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

// The name of the attribute, an array of strings.
#define TUNE_ALLOW_ATTRIBUTE "tune.allow"

// What may be in it, a bit each: what rounds more has a higher one.
typedef unsigned tune_allowances;
#define TUNE_ALLOWS_TF32 1u
#define TUNE_ALLOWS_F16 2u
#define TUNE_ALLOWS_BF16 4u
#define TUNE_ALLOWS_INT8 8u
#define TUNE_ALLOWANCES 4
// Floats that memory holds.
#define TUNE_ALLOWS_NARROW (TUNE_ALLOWS_BF16 | TUNE_ALLOWS_F16)
// By bit: "tf32", "f16", "bf16", "int8".
extern const char *const tune_allow_words[TUNE_ALLOWANCES + 1]; // ended by NULL

// The array of strings of `allowances`, in the order above.
MlirAttribute tune_allow_attribute(MlirContext context, tune_allowances allowances);

// Whether `op` adds up products of two of its elements, both f32: a structured op of whose body the
// result is `out + a * b`.
bool tune_allow_is_product(MlirOperation op);

// What factors of the product `op` may be rounded to. Nothing before tune_allow_place.
tune_allowances tune_allow_get(MlirOperation op);

// What the attributes on `op`, a product, and on all that it is in say: before tune_allow_place.
tune_allowances tune_allow_get_all(MlirOperation op);

// Allows that to `op`, a product, beside what it is allowed already.
void tune_allow_add(MlirOperation op, tune_allowances allowances);

// Takes that away from the multiplications in `root`, where tune_allow_place has put it.
void tune_allow_remove(MlirOperation root, tune_allowances allowances);

// Moves what the ops of `root` are allowed, by themselves or by what they are in, to the
// multiplications in their bodies.
void tune_allow_place(MlirOperation root);

// Checks the attributes on `root` and on all ops inside it: INVALID_ARGUMENT (located) for words
// that are not known, and where it stands on what is no module, function, product or arith.mulf.
tune_status tune_allow_verify(MlirOperation root);

#ifdef __cplusplus
}
#endif

#endif // TUNE_DIALECTS_ALLOW_H
