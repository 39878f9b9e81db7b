//===- gpu_writer.h - Shared parts of schedules for devices ------------------===//
//
// A kernel is a parallel loop (scf.forall) over tiles, one invocation a tile, the last loop along
// x: the lowering makes the launch of it, in groups as the loop's attributes tune.group_x, _y and
// _z say (lower/gpu/launches.h), and pieces of four elements of its vectors
// (lower/gpu/vectors/vector_legalization.h). Whatever no schedule takes becomes a kernel of its
// own, one invocation an element.
//
//===--------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_RULES_GPU_GPU_WRITER_H
#define TUNE_TRANSFORMS_RULES_GPU_GPU_WRITER_H

#include "transforms/rules/contraction/contraction_plan.h"
#include "transforms/rules/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

// `machine` with registers of four f32 and one thread, as the plans that are made for CPUs
// (contraction_plan.h, reduction_plan.h) are to see an invocation.
tune_machine tune_gpu_registers(const tune_machine *machine);

// Matches every linalg.generic of %func, in order, as the handles `names` (one a generic nest of
// `structure`, separated by ", "), and all of them as `all`.
void tune_gpu_write_nests(const tune_structure *structure, const char *all, const char *names,
                          tune_writer *writer);
// The same of `count` of them, where not all of the structure are left.
void tune_gpu_write_generics(const char *all, const char *names, size_t count, tune_writer *writer);

// How many invocations a subgroup has (32 where that is not known), and a group at most.
int64_t tune_gpu_subgroup(const tune_machine *machine);
int64_t tune_gpu_group_most(const tune_machine *machine);

// Matches the nests of a product as `anchor`, `init` (handles: "%anchor") and %epilogue, as far as
// there are such; borders of an image become kernels that copy it.
void tune_gpu_write_product_nests(const tune_contraction_plan *loops, const char *anchor,
                                  const char *init, tune_writer *writer);

// Tiles a product by a parallel loop over `rows` x `cols` (handles) of its output, and fuses what
// it is made of: what follows elementwise is `fused`, or NULL where it is left alone; with `pads`
// the product is %whole, and what starts it %whole_init. The product is %tile in the loop where
// something is fused, else %root. The handle of the loop, which has `*out_rank` dimensions.
const char *tune_gpu_write_product_grid(const tune_contraction_plan *loops, const tune_nest *fused,
                                        bool pads, const char *rows, const char *cols,
                                        size_t *out_rank, tune_writer *writer);

// Makes copies of what pads, which become kernels as they are, once what they are of has become
// one.
void tune_gpu_write_copies(tune_writer *writer);

// The knobs group_x and group_y, and their constraint: no more invocations than the machine's
// groups have. `along_x` and `along_y` are how many tiles there are at least. Along x there are
// `narrowest` or more: a subgroup, unless lanes share a tile. The default is the widest group of up
// to `widest` along x in which few invocations stay idle.
void tune_gpu_write_group_knobs(const tune_machine *machine, int64_t along_x, int64_t along_y,
                                int64_t narrowest, int64_t widest, tune_writer *writer);
// Puts them on the parallel loop `loop` of `rank` dimensions, up to ten, and maps these, the last
// the fastest: it then stays a kernel where it has one iteration.
void tune_gpu_write_groups(const char *loop, size_t rank, tune_writer *writer);

// Maps the dimensions of `loop`, of which there are `rank`, so that the loop stays where it has one
// iteration; of more than there are mappings for it may not.
void tune_gpu_write_mapping(const char *loop, size_t rank, tune_writer *writer);

// Makes vectors of all that is left of linalg in the kernel, of each op as it is.
void tune_gpu_write_vectors(tune_writer *writer);

// The knobs of the way to the device's code: spirv_opt of Vulkan, groups (that a multiprocessor is
// to hold) of CUDA.
void tune_gpu_write_target_knobs(const tune_machine *machine, tune_writer *writer);

// From vectors on tensors to the end of the schedule: cleanups, bufferization, and the knobs of the
// lowering: `texels` (buffers that are only read are read as texel buffers), with `shares` `share`
// (what all lanes of a subgroup read, each reads a part of), and those of the target.
void tune_gpu_write_end(const tune_structure *structure, const tune_machine *machine, bool shares,
                        bool widens, tune_writer *writer);

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_RULES_GPU_GPU_WRITER_H
