//===- lanes_group.h - Reductions over the subgroups of a workgroup ----------===//
//
// Subgroups combine values by themselves (gpu.subgroup_reduce); several of them meet in memory of
// their group: the first lane of each writes what the subgroup has, and all lanes combine what is
// there, each for itself and in the same order, so that all have the same.
//
// Threads: as the context of the IR.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_GPU_LANES_GROUP_H
#define TUNE_TRANSFORMS_LOWER_GPU_LANES_GROUP_H

#include "transforms/ir/ir_builder.h"
#include "transforms/lower/common/combining_kind.h"

#ifdef __cplusplus
extern "C" {
#endif

// A group: the iteration of `forall` that its `lanes` have together, in subgroups of `subgroup`.
typedef struct tune_lanes_group {
  MlirOperation forall;
  MlirValue lane; // index of the invocation
  int64_t lanes, subgroup;
} tune_lanes_group;

// `value`, a scalar that is the same in all lanes of a subgroup, of all subgroups. All lanes have
// to come by here.
MlirValue tune_lanes_group_combine(const tune_lanes_group *group, const tune_ir_builder *builder,
                                   const tune_combining_kind *combination, MlirValue value);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_GPU_LANES_GROUP_H
