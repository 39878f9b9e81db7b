//===- gpu_tiles.c - Matrix products by whole groups -------------------------===//
//
// A group of threads has a tile of the output, and goes along the depth in steps whose tiles of A
// and B it copies to shared memory ahead of time; what follows elementwise is done in registers.
// How, is the lowering's (lower/gpu/matmul/workgroup_matmul.h): products of f16, bf16 and i8 by
// tensor cores, of f32 by multiply-adds, or where that is allowed (dialects/allow.h) by tensor
// cores as tf32. Batches are groups of their own.
//
// Convolutions are such products for each step of their windows: rows are neighbouring pixels of a
// line, as they lie in the image.
//
// Products of too few tiles may have their depth divided (gpu_split.h).
//
// Sizes that make no whole tiles are padded with zeroes first, as in gpu_contraction.c; bulk copies
// fill in the zeroes themselves (lower/gpu/pad_folding.h has them read what is not padded).
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/gpu/gpu_tiles_clusters.h"
#include "transforms/rules/gpu/gpu_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

enum {
  MOST_ACCUMULATORS = 128, // of a thread, which may have 255 registers
  OTHER_REGISTERS = 32,    // that a thread needs beside them at the least
  MOST_PRODUCTS = 512,     // pieces of mma.sync in the loop's body; more takes seconds to compile
  MOST_MULTIPLY_ADDS = 2048,
  SUM_BYTES = 4,          // of an element
  MOST_AHEAD_BYTES = 256, // that a thread reads ahead into registers
};

static bool gpu_tiles_applies(const tune_structure *structure, const tune_machine *machine) {
  tune_gpu_tiles_plan p;
  return tune_gpu_tiles_plan_make(structure, machine, &p);
}

//===--------------------------------------------------------------------------===//
// Knobs
//===--------------------------------------------------------------------------===//

static void write_part_constraints(const tune_gpu_tiles_plan *p, tune_writer *w) {
  tune_writer_constraint(w, "warps divide the rows of a tile, by 16",
                         "rows %% (warps_y * 16) <= 0");
  tune_writer_constraint(w, "warps divide the columns of a tile", "cols %% (warps_x * %d) <= 0",
                         p->uses_tensor_cores ? 16 : 32);
}

// Where the products may be either those of tensor cores or multiply-adds.
static void write_fma_constraints(tune_writer *w) {
  tune_writer_constraint(w, "warps divide the columns of a tile for multiply-adds",
                         "tensor_cores <= 0 => cols %% (warps_x * 32) <= 0");
  tune_writer_constraint(w, "a longer body of multiply-adds takes seconds to compile",
                         "tensor_cores <= 0 => rows * cols * depth <= warps_y * warps_x * %d",
                         MOST_MULTIPLY_ADDS * TUNE_TILES_WARP);
}

static void write_size_constraints(const tune_gpu_tiles_plan *p, const tune_machine *machine,
                                   tune_writer *w) {
  tune_writer_constraint(
      w, "a group has no more threads than the device allows", "warps_y * warps_x * %d <= %" PRId64,
      p->matrix && machine->gpu.subgroup_size > TUNE_TILES_WARP ? (int)machine->gpu.subgroup_size
                                                                : TUNE_TILES_WARP,
      tune_gpu_tiles_threads_most(machine));
  tune_writer_constraint(w, "the accumulators of a thread fit its registers",
                         "rows * cols <= warps_y * warps_x * %d",
                         MOST_ACCUMULATORS * TUNE_TILES_WARP);
  if (machine->gpu.group_registers > 0)
    tune_writer_constraint(w, "the accumulators of a group fit its registers, beside others",
                           "rows * cols + warps_y * warps_x * %d <= %" PRId64,
                           OTHER_REGISTERS * TUNE_TILES_WARP, machine->gpu.group_registers);
  // Products of 16 x 8 pieces by a warp, or multiply-adds by a thread.
  tune_writer_constraint(
      w, "a longer body takes seconds to compile", "rows * cols * depth <= warps_y * warps_x * %d",
      p->uses_tensor_cores ? MOST_PRODUCTS * 16 * 8 * (int)(TUNE_TILES_MMA_BYTES / p->bytes)
                           : MOST_MULTIPLY_ADDS * TUNE_TILES_WARP);
}

// The elements of a tile of `side` lines along the depth, whose rows have `gap` between them: where
// rows are swizzled there are no gaps.
static void print_tile(char *buffer, size_t size, const char *side, bool depth_is_row, int64_t gap,
                       bool has_swizzle) {
  snprintf(buffer, size, "%s * (%s + %" PRId64 "%s)", depth_is_row ? side : "depth",
           depth_is_row ? "depth" : side, gap, has_swizzle ? " * (1 - swizzle)" : "");
}

// As lower/gpu/matmul/workgroup_matmul_copies.c lays out what is in shared memory. Of cooperative
// matrices each subgroup has one there in the end (lower/gpu/matmul/workgroup_matmul_matrices.c).
static void write_memory_constraint(const tune_gpu_tiles_plan *p, const tune_machine *machine,
                                    tune_writer *w) {
  char a[96], b[96], sums[96] = "";
  print_tile(a, sizeof a, "rows", p->a_depth_is_row,
             tune_gpu_tiles_gap(p, p->a_depth_is_row) / p->bytes, p->has_swizzle);
  print_tile(b, sizeof b, "cols", p->b_depth_is_row,
             tune_gpu_tiles_gap(p, p->b_depth_is_row) / p->bytes, p->has_swizzle);
  if (p->matrix)
    snprintf(sums, sizeof sums, " + warps_y * warps_x * tensor_cores * %" PRId64,
             p->matrix->rows * p->matrix->cols * SUM_BYTES);
  tune_writer_constraint(w, "the tiles of all stages fit into the shared memory of a group",
                         "(%s + %s) * stages * %" PRId64 "%s <= %" PRId64, a, b, p->bytes, sums,
                         tune_gpu_tiles_shared_most(machine));
}

// Of either operand a thread has up to so many elements in registers, while it multiplies.
static void write_ahead_constraint(const tune_gpu_tiles_plan *p, tune_writer *w) {
  tune_writer_constraint(w, "what a thread reads ahead fits its registers",
                         "stages <= 1 || (rows + cols) * depth <= warps_y * warps_x * %" PRId64,
                         MOST_AHEAD_BYTES / p->bytes * TUNE_TILES_WARP);
}

static void write_wgmma_constraint(tune_writer *w) {
  tune_writer_constraint(w, "wgmma takes four warps along the rows",
                         "tensor_cores >= %d => warps_y %% 4 <= 0", TUNE_TILES_WGMMA);
}

// A warp is a subgroup then, which may have fewer lanes.
static void write_matrices_constraints(const tune_gpu_tiles_plan *p, const tune_machine *machine,
                                       tune_writer *w) {
  const tune_device_matrix *matrix = p->matrix;
  tune_writer_constraint(w, "subgroups divide a tile into cooperative matrices",
                         "(rows %% (warps_y * %" PRId64 ") + cols %% (warps_x * %" PRId64
                         ") + depth %% %" PRId64 ") * tensor_cores <= 0",
                         matrix->rows, matrix->cols, matrix->depth);
  tune_writer_constraint(w, "the sums of a subgroup fit its registers",
                         "rows * cols * tensor_cores <= warps_y * warps_x * %" PRId64,
                         MOST_ACCUMULATORS * machine->gpu.subgroup_size);
  tune_writer_constraint(w, "what a lane reads ahead fits its registers",
                         "(rows + cols) * depth * (stages - 1) * tensor_cores <= "
                         "warps_y * warps_x * %" PRId64,
                         MOST_AHEAD_BYTES / p->bytes * machine->gpu.subgroup_size);
}

static void write_bulk_knob(const tune_gpu_tiles_plan *p, const tune_machine *machine,
                            tune_writer *w) {
  tune_value_set flag = {2, {0, 1}};
  tune_writer_knob(w, "bulk_copies", NULL, TUNE_LEVEL_GPU, &flag,
                   p->tensor_cores_default == TUNE_TILES_WGMMA);
  tune_writer_constraint(w, "bulk copies are for wgmma", "bulk_copies * %d <= tensor_cores",
                         TUNE_TILES_WGMMA);
  tune_writer_knob(w, "producer_warps", NULL, TUNE_LEVEL_GPU, &flag, 0);
  tune_writer_constraint(w, "a warp that only copies is for bulk copies",
                         "producer_warps <= bulk_copies");
  tune_writer_constraint(w, "those that multiply and those that copy are no more than a group's",
                         "(warps_y * warps_x + producer_warps) * %d <= %" PRId64, TUNE_TILES_WARP,
                         tune_gpu_tiles_threads_most(machine));
}

static void write_swizzle_knob(const tune_gpu_tiles_plan *p, tune_writer *w) {
  tune_value_set flag = {2, {0, 1}};
  tune_writer_knob(w, "swizzle", NULL, TUNE_LEVEL_GPU, &flag, 0);
  if (p->has_wgmma)
    tune_writer_constraint(w, "wgmma decides itself how rows are swizzled",
                           "swizzle + tensor_cores <= %d", TUNE_TILES_WGMMA);
}

static void write_band_knob(const tune_gpu_tiles_plan *p, tune_writer *w) {
  tune_writer_knob(w, "band", NULL, TUNE_LEVEL_GPU, &p->bands, p->bands_default);
  tune_writer_constraint(w, "bands divide the rows of tiles", "%" PRId64 " %% (rows * band) <= 0",
                         p->loops.rows);
}

// Cooperative matrices have it also where there is nothing else.
static bool has_core_knob(const tune_gpu_tiles_plan *p) {
  return p->tensor_cores.count > 1 || p->matrix;
}

static void write_knobs(const tune_gpu_tiles_plan *p, const tune_machine *machine, tune_writer *w) {
  tune_writer_knob(w, "rows", "tile", TUNE_LEVEL_GPU, &p->rows, p->rows_default);
  tune_writer_knob(w, "cols", "tile", TUNE_LEVEL_GPU, &p->cols, p->cols_default);
  tune_writer_knob(w, "depth", "tile", TUNE_LEVEL_GPU, &p->depths, p->depths_default);
  tune_writer_knob(w, "warps_y", "parallel", TUNE_LEVEL_GPU, &p->warps_y, p->warps_y_default);
  tune_writer_knob(w, "warps_x", "parallel", TUNE_LEVEL_GPU, &p->warps_x, p->warps_x_default);
  tune_writer_knob(w, "stages", NULL, TUNE_LEVEL_GPU, &p->stages, p->stages_default);
  if (has_core_knob(p))
    tune_writer_knob(w, "tensor_cores", NULL, TUNE_LEVEL_GPU, &p->tensor_cores,
                     p->tensor_cores_default);
  if (p->has_wgmma)
    write_wgmma_constraint(w);
  if (p->matrix)
    write_matrices_constraints(p, machine, w);
  if (p->has_bulk_copies)
    write_bulk_knob(p, machine, w);
  if (p->has_swizzle)
    write_swizzle_knob(p, w);
  if (p->bands.count)
    write_band_knob(p, w);
  tune_gpu_tiles_write_clusters(p, w);
  write_part_constraints(p, w);
  if (p->is_tf32)
    write_fma_constraints(w);
  write_size_constraints(p, machine, w);
  write_memory_constraint(p, machine, w);
  if (p->reads_ahead)
    write_ahead_constraint(p, w);
}

//===--------------------------------------------------------------------------===//
// The schedule
//===--------------------------------------------------------------------------===//

static void write_padding(const tune_gpu_tiles_plan *p, tune_writer *w) {
  const tune_contraction_plan *loops = &p->loops;
  const tune_operand *operands = loops->anchor->operands;
  const char *zero = p->bytes == 1 ? "0" : "0.0";
  tune_writer_line(w, "%%whole, %%pads, %%back = transform.structured.pad %%anchor "
                      "pad_to_multiple_of [%%rows, %%cols, %%depth]");
  tune_writer_line(w,
                   "  {padding_values = [%s : %s, %s : %s, %s : %s], padding_dimensions = [%zu, "
                   "%zu, %zu], nofold_flags = [0, 0, 0], copy_back_op = \"%s\"}",
                   zero, operands[0].type, zero, operands[1].type, zero, operands[2].type,
                   loops->row, loops->col, loops->depth, loops->epilogue ? "none" : "linalg.copy");
  tune_writer_line(w, "  : (" OP ", " PARAM ", " PARAM ", " PARAM ") -> (" OP ", " OP ", " OP ")");
  tune_writer_cleanup(w);
  if (loops->init)
    tune_writer_match_op(w, "%whole_init", "\"linalg.fill\"");
}

static void annotate(const char *loop, const char *name, const char *knob, tune_writer *w) {
  tune_writer_line(w, "transform.annotate %s \"tune.tile.%s\" = %%%s : " OP ", " PARAM, loop, name,
                   knob);
}

// One tile a group, with what it is made of; the product is %anchor.
static void write_grid(const tune_gpu_tiles_plan *p, tune_writer *w) {
  size_t rank;
  const char *grid =
      tune_gpu_write_product_grid(&p->loops, p->fused, p->pads, "%rows", "%cols", &rank, w);
  tune_gpu_write_mapping(grid, rank, w);
  annotate(grid, "warps_y", "warps_y", w);
  annotate(grid, "warps_x", "warps_x", w);
  annotate(grid, "stages", "stages", w);
  if (p->bands.count)
    annotate(grid, "band", "band", w);
  if (!has_core_knob(p))
    tune_writer_line(w, "%%tensor_cores = transform.param.constant %" PRId64 " : i64 -> " PARAM,
                     p->tensor_cores_default);
  annotate(grid, "tensor_cores", "tensor_cores", w);
  if (p->has_swizzle)
    annotate(grid, "swizzle", "swizzle", w);
  if (p->has_bulk_copies) {
    annotate(grid, "bulk_copies", "bulk_copies", w);
    annotate(grid, "producer_warps", "producer_warps", w);
  }
  if (p->clusters_y.count) {
    annotate(grid, "cluster_y", "cluster_y", w);
    annotate(grid, "cluster_x", "cluster_x", w);
  }
}

static void write_depth(const tune_gpu_tiles_plan *p, tune_writer *w) {
  const tune_contraction_plan *loops = &p->loops;
  tune_tiling steps = {{0}};
  size_t order[TUNE_MAX_LOOPS];
  tune_writer_identity_order(order, loops->anchor->loop_count);
  for (size_t i = 0; i < loops->anchor->loop_count; i++)
    steps.size[i] = i == loops->depth ? "%depth" : loops->anchor->is_reduction[i] ? "1" : "0";
  tune_writer_tile(w, "%step", "%steps", p->fused ? "%tile" : "%root", &steps, order,
                   loops->anchor->loop_count, NULL);
  tune_writer_cleanup(w);
  if (loops->starts_filled) {
    // As a generic op, so that what starts the sum loses its unit dimensions as the sum does.
    tune_writer_match_op(w, "%fills", "\"linalg.fill\"");
    tune_writer_line(w, "%%starts = transform.structured.generalize %%fills : (" OP ") -> " OP);
  }
  tune_writer_fold_unit_dims(w);
  tune_writer_cleanup(w);
  tune_gpu_write_vectors(w);
}

static void write_product(const tune_gpu_tiles_plan *p, tune_writer *w) {
  if (p->pads)
    write_padding(p, w);
  write_grid(p, w);
  write_depth(p, w);
  if (p->pads)
    tune_gpu_write_copies(w);
  if (p->pads_on_the_way)
    tune_writer_line(w, "transform.annotate %s \"tune.gpu.edges\" = %%bulk_copies : " OP ", " PARAM,
                     w->func);
}

static void write_whole(const tune_gpu_tiles_plan *p, tune_writer *w) {
  tune_gpu_write_product_nests(&p->loops, "%anchor", "%init", w);
  write_product(p, w);
}

// The knobs are those of the whole; each of their depths divides a part.
static void write_in_parts(const tune_gpu_tiles_plan *p, int64_t parts, const tune_machine *machine,
                           tune_writer *w) {
  tune_machine registers = tune_gpu_registers(machine);
  tune_contraction_split split;
  tune_gpu_tiles_plan of_part;
  if (!tune_contraction_split_into(&p->loops, parts, &registers, &split) ||
      !tune_gpu_tiles_plan_make(&split.structure, machine, &of_part))
    return;
  of_part.bands = p->bands; // rows and columns are the last dimensions there, too
  of_part.clusters_y = p->clusters_y;
  of_part.clusters_x = p->clusters_x;
  tune_gpu_write_split(&split, w);
  write_product(&of_part, w);
}

static void write_parts(const tune_gpu_tiles_plan *p, const tune_machine *machine, tune_writer *w) {
  char labels[128];
  size_t used = (size_t)snprintf(labels, sizeof labels, "\"none\"");
  int64_t number = 0;
  for (size_t i = 0; i < p->parts.count; i++) {
    used += (size_t)snprintf(labels + used, sizeof labels - used, ", \"%" PRId64 "_parts\"",
                             p->parts.values[i]);
    if (p->parts.values[i] == p->parts_default)
      number = (int64_t)i + 1;
  }
  tune_writer_begin_alternatives(w, NULL, "split_k", TUNE_LEVEL_GPU, labels, number, 0);
  write_whole(p, w);
  for (size_t i = 0; i < p->parts.count; i++) {
    tune_writer_next_alternative(w, NULL, 0);
    write_in_parts(p, p->parts.values[i], machine, w);
  }
  tune_writer_end_alternatives(w, NULL, 0);
}

void tune_gpu_tiles_write_steps(const tune_gpu_tiles_plan *p, const tune_machine *machine,
                                tune_writer *w) {
  write_knobs(p, machine, w);
  if (p->parts.count)
    write_parts(p, machine, w);
  else
    write_whole(p, w);
}

static void gpu_tiles_write(const tune_structure *structure, const tune_machine *machine,
                            tune_writer *w) {
  tune_gpu_tiles_plan p;
  if (!tune_gpu_tiles_plan_make(structure, machine, &p))
    return;
  tune_writer_begin_tensors(w, "rule 'gpu_tiles': a tile of the output for each group of threads");
  tune_gpu_tiles_write_steps(&p, machine, w);
  tune_gpu_write_end(structure, machine, false, p.loops.anchor->widens, w);
}

const tune_rule tune_rule_gpu_tiles = {
    .name = "gpu_tiles",
    .summary = "matrix products on CUDA: tiles of groups, through shared memory",
    .kinds = 1u << TUNE_KIND_CUDA,
    .applies = gpu_tiles_applies,
    .write = gpu_tiles_write,
};
