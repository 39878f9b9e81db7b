//===- gpu_writer.c - Shared parts of schedules for devices ------------------===//

#include "transforms/rules/gpu/gpu_writer.h"

#include <inttypes.h>
#include <stdio.h>

#define OP "!transform.any_op"

#define MOST_MAPPED 10 // dimensions that upstream has numbers for

tune_machine tune_gpu_registers(const tune_machine *machine) {
  tune_machine registers = *machine;
  registers.vector_bits = 128;
  registers.vector_registers = 64;
  registers.threads = 1;
  return registers;
}

void tune_gpu_write_generics(const char *all, const char *names, size_t count, tune_writer *w) {
  tune_writer_match_op(w, all, "\"linalg.generic\"");
  char types[1024];
  if (count == 1)
    tune_writer_line(w, "%s = transform.merge_handles %s : " OP, names, all);
  else
    tune_writer_line(w, "%s = transform.split_handle %s : (" OP ") -> (%s)", names, all,
                     tune_writer_types(types, sizeof types, count));
}

void tune_gpu_write_nests(const tune_structure *structure, const char *all, const char *names,
                          tune_writer *w) {
  size_t generics = 0;
  for (size_t n = 0; n < structure->nest_count; n++)
    generics += structure->nests[n].kind == TUNE_NEST_GENERIC;
  tune_gpu_write_generics(all, names, generics, w);
}

int64_t tune_gpu_subgroup(const tune_machine *machine) {
  int64_t most = tune_gpu_group_most(machine);
  int64_t lanes = machine->gpu.subgroup_size > 0 ? machine->gpu.subgroup_size : 32;
  return lanes < most ? lanes : most;
}

int64_t tune_gpu_group_most(const tune_machine *machine) {
  return machine->gpu.group_invocations > 0 ? machine->gpu.group_invocations : 128;
}

void tune_gpu_write_product_nests(const tune_contraction_plan *loops, const char *anchor,
                                  const char *init, tune_writer *w) {
  char names[640] = "";
  size_t used = 0;
  for (size_t n = 0; n < loops->structure->nest_count; n++) {
    const tune_nest *nest = &loops->structure->nests[n];
    if (nest->kind == TUNE_NEST_GENERIC)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                               nest == loops->anchor ? anchor
                               : nest == loops->init ? init
                                                     : "%epilogue");
  }
  tune_gpu_write_nests(loops->structure, "%generics", names, w);
  if (loops->starts_filled)
    tune_writer_match_op(w, init, "\"linalg.fill\"");
  if (tune_structure_has_pad(loops->structure)) {
    tune_writer_match_op(w, "%borders", "\"tensor.pad\"");
    tune_writer_line(w, "%%bordered = transform.structured.rewrite_in_destination_passing_style "
                        "%%borders : (" OP ") -> " OP);
  }
}

const char *tune_gpu_write_product_grid(const tune_contraction_plan *loops, const tune_nest *fused,
                                        bool pads, const char *rows, const char *cols,
                                        size_t *out_rank, tune_writer *w) {
  const tune_nest *root = fused ? fused : loops->anchor;
  size_t row = fused ? loops->root_row : loops->row, col = fused ? loops->root_col : loops->col;
  tune_tiling tile = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  char sizes[256];
  tune_writer_identity_order(order, root->loop_count);
  *out_rank = 0;
  for (size_t i = 0; i < root->loop_count; i++) {
    tile.size[i] = root->is_reduction[i] ? "0" : i == row ? rows : i == col ? cols : "1";
    *out_rank += !root->is_reduction[i];
  }
  tune_writer_line(w, "%%root, %%grid = transform.structured.tile_using_forall %s tile_sizes %s",
                   fused  ? "%epilogue"
                   : pads ? "%whole"
                          : "%anchor",
                   tune_writer_sizes(sizes, sizeof sizes, &tile, order, root->loop_count));
  tune_writer_line(w, "  : (" OP ", !transform.param<i64>, !transform.param<i64>) -> (" OP ", " OP
                      ")");
  const char *grid = "%grid";
  if (fused) {
    tune_writer_fuse_into(w, "%tile", "%anchor", grid, "%grid_1");
    grid = "%grid_1";
  }
  if (loops->init) {
    tune_writer_fuse_into(w, "%start", pads ? "%whole_init" : "%init", grid, "%grid_2");
    grid = "%grid_2";
  }
  return grid;
}

void tune_gpu_write_copies(tune_writer *w) {
  tune_writer_match_op(w, "%copied", "\"tensor.pad\"");
  tune_writer_line(w, "%%copies = transform.structured.rewrite_in_destination_passing_style "
                      "%%copied : (" OP ") -> " OP);
}

// The share of invocations that have work, in groups of `size`.
static double find_use(int64_t tiles, int64_t size) {
  return (double)tiles / (double)((tiles + size - 1) / size * size);
}

void tune_gpu_write_group_knobs(const tune_machine *machine, int64_t along_x, int64_t along_y,
                                int64_t narrowest, int64_t widest, tune_writer *w) {
  const tune_device *gpu = &machine->gpu;
  int64_t most = tune_gpu_group_most(machine);
  tune_value_set x = {0}, y = {0};
  int64_t best = narrowest;
  for (int64_t size = narrowest; size <= 256 && size <= most; size *= 2) {
    if (size > narrowest && (size / 2 >= along_x || size > gpu->group_size[0]))
      break;
    tune_value_set_add(&x, size);
    if (size <= widest && find_use(along_x, size) > find_use(along_x, best) - 0.02)
      best = size;
  }
  for (int64_t size = 1; size <= 16 && size <= along_y; size *= 2)
    tune_value_set_add(&y, size);
  // A real device hides its latencies by having many invocations in a group.
  int64_t default_y = gpu->is_software || best > 128 ? 1 : tune_value_set_at_most(&y, 128 / best);
  tune_writer_knob(w, "group_x", "parallel", TUNE_LEVEL_GPU, &x, best);
  tune_writer_knob(w, "group_y", "parallel", TUNE_LEVEL_GPU, &y, default_y);
  tune_writer_constraint(w, "a group has no more invocations than the device allows",
                         "group_x * group_y <= %" PRId64, most);
}

// Upstream folds dimensions of one iteration away, and with the last of them the kernel; but not of
// a loop that is mapped.
void tune_gpu_write_mapping(const char *loop, size_t rank, tune_writer *w) {
  if (rank > MOST_MAPPED)
    return;
  char mapping[40 * MOST_MAPPED] = "";
  size_t used = 0;
  for (size_t i = 0; i < rank && used < sizeof mapping; i++)
    used += (size_t)snprintf(mapping + used, sizeof mapping - used, "%s#gpu.thread<linear_dim_%zu>",
                             i ? ", " : "", rank - 1 - i);
  tune_writer_line(w, "%%mapping = transform.param.constant [%s] -> !transform.any_param", mapping);
  tune_writer_line(
      w, "transform.annotate %s \"mapping\" = %%mapping : " OP ", !transform.any_param", loop);
}

void tune_gpu_write_groups(const char *loop, size_t rank, tune_writer *w) {
  tune_gpu_write_mapping(loop, rank, w);
  tune_writer_line(
      w, "transform.annotate %s \"tune.group_x\" = %%group_x : " OP ", !transform.param<i64>",
      loop);
  tune_writer_line(
      w, "transform.annotate %s \"tune.group_y\" = %%group_y : " OP ", !transform.param<i64>",
      loop);
}

void tune_gpu_write_vectors(tune_writer *w) {
  // What is not in the kernel, as the fill of a border, is left to the lowering.
  tune_writer_match_op(w, "%kernels_made", "\"scf.forall\"");
  tune_writer_begin_foreach(w, "%kernels_made", "%kernel");
  tune_writer_line(w, "%%vectors = transform.structured.match ops{[\"linalg.generic\", "
                      "\"linalg.fill\", \"linalg.pack\"]} in %%kernel");
  tune_writer_line(w, "  : (" OP ") -> " OP);
  tune_writer_vectorize_each(w, "%vectors");
  tune_writer_end_foreach(w);
}

// A knob of two values, 0 and `on`, that becomes an attribute of the function.
static void write_switch(tune_writer *w, const char *knob, const char *attribute, int64_t on,
                         bool is_on) {
  tune_value_set values = {0};
  tune_value_set_add(&values, 0);
  tune_value_set_add(&values, on);
  tune_writer_knob(w, knob, NULL, TUNE_LEVEL_GPU, &values, is_on ? on : 0);
  tune_writer_line(w, "transform.annotate %s \"%s\" = %%%s : " OP ", !transform.param<i64>",
                   w->func, attribute, knob);
}

// How many groups a multiprocessor is to hold: the assembler then gives each invocation no more
// registers than that leaves.
static void write_residency(tune_writer *w) {
  tune_value_set groups = {0};
  for (int64_t count = 0; count <= 8; count = count ? 2 * count : 1)
    tune_value_set_add(&groups, count);
  tune_writer_knob(w, "groups", NULL, TUNE_LEVEL_TARGET, &groups, 0);
  tune_writer_line(
      w, "transform.annotate %s \"tune.ptx.groups\" = %%groups : " OP ", !transform.param<i64>",
      w->func);
}

// How far the driver's compiler of PTX goes: what lies between makes the same code.
static void write_opt_level(tune_writer *w) {
  tune_value_set levels = {2, {1, 4}};
  tune_writer_knob(w, "ptx_opt_level", NULL, TUNE_LEVEL_TARGET, &levels, 4);
  tune_writer_line(w,
                   "transform.annotate %s \"tune.ptx.opt_level\" = %%ptx_opt_level : " OP
                   ", !transform.param<i64>",
                   w->func);
}

// Whether a kernel reads what it writes: a sum that goes on from what is there.
static bool accumulates(const tune_structure *structure) {
  for (size_t n = 0; n < structure->nest_count; n++) {
    const tune_nest *nest = &structure->nests[n];
    for (size_t o = nest->input_count; o < nest->operand_count; o++)
      if ((nest->combines || nest->multiplies_and_adds) && !nest->operands[o].is_fresh &&
          nest->operands[o].producer == TUNE_NO_LOOP)
        return true;
  }
  return false;
}

// How loads of that are cached. All others go a way of their own (ld.global.nc).
static void write_load_cache(tune_writer *w) {
  tune_writer_line(w, "%%load_cache = transform.tune.knob<\"load_cache\"> options = "
                      "[\"default\", \"ca\", \"cg\"]");
  tune_writer_line(w, "  {tune.level = \"target\", tune.default = \"default\"} -> "
                      "!transform.any_param");
  tune_writer_line(w,
                   "transform.annotate %s \"tune.ptx.load_cache\" = %%load_cache : " OP
                   ", !transform.any_param",
                   w->func);
}

void tune_gpu_write_target_knobs(const tune_machine *machine, tune_writer *w) {
  if (machine->kind == TUNE_KIND_CUDA) {
    write_residency(w);
    write_opt_level(w);
  } else {
    tune_writer_spirv_knobs(w);
  }
}

void tune_gpu_write_end(const tune_structure *structure, const tune_machine *machine, bool shares,
                        bool widens, tune_writer *w) {
  tune_writer_vector_cleanup(w, widens);
  tune_writer_end_tensors(w);
  tune_writer_begin_buffers(w);
  tune_writer_canonicalize(w);
  // The pass and not its patterns: these never come to an end where an expanded buffer is read
  // turned, as the parts of a depth are. Of such buffers it makes linearized indices.
  tune_writer_apply_pass(w, "fold-memref-alias-ops", "%folded");
  tune_writer_apply_pass(w, "affine-expand-index-ops-as-affine", "%plain");
  tune_writer_apply_pass(w, "canonicalize", "%kernels");
  const tune_device *gpu = &machine->gpu;
  bool is_vulkan = machine->kind == TUNE_KIND_VULKAN;
  // On a device of its own a cache serves lanes that read alike; there it is no gain to pass on.
  if (is_vulkan && gpu->texel_buffer_elements > 0)
    write_switch(w, "texels", "tune.gpu.texels", gpu->texel_buffer_elements, gpu->is_software);
  // Software stores each component of each lane by itself. Where sums are shared little is stored.
  if (is_vulkan && gpu->is_software && gpu->has_int64)
    write_switch(w, "pairs", "tune.gpu.pairs", 1, !shares);
  if (is_vulkan && shares && gpu->has_subgroup_shuffle && gpu->subgroup_size > 1)
    write_switch(w, "share", "tune.gpu.share", gpu->subgroup_size, gpu->is_software);
  tune_gpu_write_target_knobs(machine, w);
  if (machine->kind == TUNE_KIND_CUDA && accumulates(structure))
    write_load_cache(w);
  tune_writer_end_buffers(w);
  tune_writer_main(w, structure);
}
