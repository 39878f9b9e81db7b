//===- nest_maps.h - Linalg ops on tensors of known sizes, by their maps ---------===//
//
// What normalizing asks of an op before it writes it anew: the maps of its operands, without the
// loops of one step that are always at 0, as the windows of a 1x1 convolution.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_NORMALIZE_NEST_MAPS_H
#define TUNE_TRANSFORMS_NORMALIZE_NEST_MAPS_H

#include "transforms/ir/ir_builder.h"

#include "mlir-c/AffineMap.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TUNE_NEST_MAPS_OPERANDS 24

// A linalg op with one result on tensors that are plain (tensor_ops.h), and scalars, which does not
// ask where in its loops it is. Each dimension of the result is a loop, another one for each, or
// has a constant index: what is not in it is summed up.
typedef struct tune_nest_maps {
  MlirOperation op;
  intptr_t operand_count, loop_count;
  MlirAffineMap maps[TUNE_NEST_MAPS_OPERANDS]; // the last is the result's
  int64_t extents[TUNE_IR_MAX_LOOPS];          // 0 where no operand says it
} tune_nest_maps;

// Whether `op` is one, with no more operands than that.
bool tune_nest_maps_read(MlirOperation op, tune_nest_maps *out_nest);
// The same of an op that may ask where in its loops it is (linalg.index).
bool tune_nest_maps_read_any(MlirOperation op, tune_nest_maps *out_nest);

// The map of the result.
MlirAffineMap tune_nest_maps_result(const tune_nest_maps *nest);

// Whether some loop of more than one step is no dimension of the result.
bool tune_nest_maps_reduces(const tune_nest_maps *nest);

// Whether all loops are dimensions of the result: it is known how long they are without any input.
bool tune_nest_maps_is_on_elements(const tune_nest_maps *nest);

// Whether the op does nothing but yield its one input.
bool tune_nest_maps_moves(const tune_nest_maps *nest);

// The loop that dimension `dimension` of `map` is, or -1 where it is something else.
intptr_t tune_nest_maps_loop(MlirAffineMap map, intptr_t dimension);

// The first dimension of `map` that is loop `loop`, or -1.
intptr_t tune_nest_maps_dimension(MlirAffineMap map, intptr_t loop);

// The one dimension that loop `loop` alone indexes: -1 where there is none, or `loop` is in others.
intptr_t tune_nest_maps_only_dimension(MlirAffineMap map, intptr_t loop);

// Whether each index of `map` is a loop, another one for each, or constant.
bool tune_nest_maps_is_plain(MlirAffineMap map);

// Whether some index of `map` depends on loop `loop`.
bool tune_nest_maps_has(MlirAffineMap map, intptr_t loop);

// What `map` reads where its loops are the results of `by`, by the loops of that.
MlirAffineMap tune_nest_maps_compose(MlirAffineMap map, MlirAffineMap by);

// Writes 0 for each loop of one step that is not a dimension of the result.
void tune_nest_maps_drop_units(tune_nest_maps *nest);

// The result of a linalg.generic before `nest->op`, which stays, with the body of that, over
// `operands` by `maps`; what it asks of its loops (linalg.index) it asks of the same ones. Its
// loops are in the order of the result, then those of sums; loops of one step that are in none of
// the maps are left out.
MlirValue tune_nest_maps_build(const tune_nest_maps *nest, const MlirValue *operands,
                               const MlirAffineMap *maps);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_NORMALIZE_NEST_MAPS_H
