//===- leaning.h - A reference that shows what its roundings decide ------------------===//
//
// Right code may compute a function to some units in the last place, fuse a product with a sum, or
// keep f16 and bf16 in f32 from one op to the next. Where a comparison or a rounding to a whole
// number follows, or one number is taken from another of nearly its size, that shows in the result,
// by more than any tolerance: tanh(x) < x is true or not for small x, as the last bit of tanh is.
// What inputs do when they move a little does not tell, as both sides move.
//
// So the reference can be made to lean. It exports
//
//   double tune_leaning[3]         0 at first: results are then those of the code without, bit by
//                                  bit
//
// and where they are 1 or -1, what ops compute is multiplied by a little more or less than one,
// what is nearly equal compares as the sign says, and what becomes a whole number is a little
// larger or smaller before. Each op goes by one of the three: four runs, in which any two of them
// have all four combinations of signs, show what the outputs depend on (tools/tune-measure).
//
// What is left of a sum says little of its roundings, which go with the size of what was added up.
// So where sums become whole numbers, as in a quantization after a product, each leans by as much
// as one of the root mean square of all of them would, too. That is for buffers of known sizes.
//
// Only bodies of linalg.generic lean that have a function, a division, a comparison or a rounding
// of what was computed; sums and products alone have their tolerance (targets/output_check.h).
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_CPU_LEANING_H
#define TUNE_TRANSFORMS_LOWER_CPU_LEANING_H

#include "support/status.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_LEANING_NAME "tune_leaning"

// Makes `module`, on buffers, lean where it is told to. `entry` is the function whose arguments are
// as they are given. OUT_OF_MEMORY alone.
tune_status tune_leaning_add(MlirOperation module, const char *entry);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_CPU_LEANING_H
