//===- attributes.h - Names of the attributes that steps of a lowering read ---------===//
//
// A schedule says by discardable attributes (transform.annotate) how the code of a function or a
// loop is to be made; one step of a lowering leaves word for a later one by others. The header
// named behind each says what it means. Values of math and of LLVM have their names where they are
// read alone (cpu/math.h, cpu/llvm.h).
//
// Threads: constants.
//
//===--------------------------------------------------------------------------------===//

#ifndef TUNE_TRANSFORMS_LOWER_COMMON_ATTRIBUTES_H
#define TUNE_TRANSFORMS_LOWER_COMMON_ATTRIBUTES_H

#ifdef __cplusplus
extern "C" {
#endif

//===- Of functions, by schedules ---------------------------------------------------===//

#define TUNE_WIDE_OPERANDS_ATTRIBUTE "tune.wide_operands" // cpu/wide_operands.h
#define TUNE_PANEL_AHEAD_ATTRIBUTE "tune.panel_ahead"     // cpu/panel_ahead.h
#define TUNE_WEIGHTS_AHEAD_ATTRIBUTE "tune.weights_ahead" // cpu/weights_ahead.h
#define TUNE_GPU_TEXELS_ATTRIBUTE "tune.gpu.texels"       // gpu/vectors/vector_legalization.h
#define TUNE_GPU_PAIRS_ATTRIBUTE "tune.gpu.pairs"
#define TUNE_GPU_SHARE_ATTRIBUTE "tune.gpu.share"
#define TUNE_GPU_DOT_ATTRIBUTE "tune.gpu.dot"
#define TUNE_GPU_EDGES_ATTRIBUTE "tune.gpu.edges"         // gpu/pad_folding.h
#define TUNE_SPIRV_OPT_ATTRIBUTE "tune.spirv.opt"         // vulkan/spirv_tools.h
#define TUNE_PTX_REGISTERS_ATTRIBUTE "tune.ptx.registers" // cuda/nvvm.h
#define TUNE_PTX_GROUPS_ATTRIBUTE "tune.ptx.groups"
#define TUNE_PTX_OPT_LEVEL_ATTRIBUTE "tune.ptx.opt_level"
#define TUNE_PTX_LOAD_CACHE_ATTRIBUTE "tune.ptx.load_cache"

// A step on the host, of a program for a device; and then its code, and which arguments are
// written. (gpu/host_functions.h)
#define TUNE_HOST_ATTRIBUTE "tune.host"
#define TUNE_HOST_CODE_ATTRIBUTE "tune.host_code"
#define TUNE_HOST_WRITTEN_ATTRIBUTE "tune.host_written"

//===- Of loops, by schedules (and dialects/threads.h) ------------------------------===//

#define TUNE_LANES_ATTRIBUTE "tune.lanes"             // gpu/lanes.h
#define TUNE_SHARED_ATTRIBUTE "tune.shared"           //
#define TUNE_TILE_STAGES_ATTRIBUTE "tune.tile.stages" // gpu/matmul/workgroup_matmul.h
#define TUNE_TILE_BAND_ATTRIBUTE "tune.tile.band"     // gpu/matmul/workgroup_matmul_order.h

//===- From one step to a later one -------------------------------------------------===//

// Functions that make memory from constant arguments, and calls to them (a unit): that memory then
// is ahead, too. (common/constant_dependence.h)
#define TUNE_AHEAD_ATTRIBUTE "tune.ahead"
// What a read may give out of bounds: anything. (gpu/edge_peeling.h)
#define TUNE_OUTSIDE_ANY_ATTRIBUTE "tune.outside.any"
// A forall whose vectors are as threads have them already. (gpu/matmul/workgroup_matmul.h)
#define TUNE_TILE_DONE_ATTRIBUTE "tune.tile.done"
// On an scf.forall: how many groups of each of the last dimensions are a cluster of them, an
// array<i64> as long as there are such. Its dimensions are those that lie along axes of their own,
// in groups of one, or that all fit into one group; what goes on faster has the lower rank.
// (gpu/launch_grid.h)
#define TUNE_LAUNCH_CLUSTER_ATTRIBUTE "tune.cluster"
// The same of the launch that the forall has become. (cuda/nvvm.h)
#define TUNE_PTX_CLUSTER_ATTRIBUTE "tune.ptx.cluster"
// On a kernel's gpu.module, array<i64: …>: a number for each argument, the same for those that are
// in the same buffer. (gpu/device_kernel.h)
#define TUNE_DEVICE_KERNEL_ROOTS_ATTRIBUTE "tune.roots"
// What stands for a tensor map until the kernel has a parameter for it. (gpu/matmul/tensor_maps.h)
#define TUNE_TENSOR_MAP_ATTRIBUTE "tune.tensor_map"

#ifdef __cplusplus
}
#endif

#endif // TUNE_TRANSFORMS_LOWER_COMMON_ATTRIBUTES_H
