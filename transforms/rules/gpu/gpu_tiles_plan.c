//===- gpu_tiles_plan.c - The plan of a product in tiles of workgroups -------===//

#include "transforms/rules/gpu/gpu_tiles_plan.h"

#include "transforms/rules/gpu/gpu_tiles_clusters.h"
#include "transforms/rules/gpu/gpu_writer.h"

#include <string.h>

enum {
  WGMMA_ROWS = 64,  // of a product of four warps
  MOST_WINDOWS = 3, // loops around that along the depth (lower/gpu/matmul/workgroup_matmul_tile.h)
};

// Whether loop `loop` of the anchor is the innermost index of the operand, by itself.
static bool is_innermost(const tune_operand *operand, size_t loop) {
  const tune_index *index = &operand->index[operand->rank - 1];
  bool is_alone = index->is_linear && !index->constant;
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    is_alone &= index->coefficient[i] == (i == loop);
  return is_alone;
}

// Whether the code of cooperative matrices is one that the device takes, and that can be checked.
static bool has_matrices(const tune_machine *machine) {
  const tune_device *gpu = &machine->gpu;
  return machine->kind == TUNE_KIND_VULKAN && gpu->has_cooperative_matrix &&
         gpu->has_memory_model && (gpu->api_major > 1 || gpu->api_minor >= 3) &&
         gpu->can_validate_matrices;
}

// Tensor cores are CUDA's; on Vulkan threads multiply what has a type in its shaders and memory,
// and bytes are for cooperative matrices alone.
static bool has_types(tune_gpu_tiles_plan *p, const tune_machine *machine) {
  const tune_operand *a = &p->loops.anchor->operands[p->loops.a],
                     *b = &p->loops.anchor->operands[p->loops.b],
                     *c = &p->loops.anchor->operands[p->loops.anchor->input_count];
  if (strcmp(a->type, b->type) != 0)
    return false;
  p->bytes = a->bits / 8;
  bool is_f16 = strcmp(a->type, "f16") == 0, is_bf16 = strcmp(a->type, "bf16") == 0,
       is_i8 = strcmp(a->type, "i8") == 0;
  if (machine->kind == TUNE_KIND_VULKAN) {
    p->only_matrices = is_i8;
    if (is_i8)
      return strcmp(c->type, "i32") == 0 && p->loops.anchor->widens && has_matrices(machine) &&
             machine->gpu.has_int8 && machine->gpu.has_storage8;
    if (is_f16 && machine->gpu.has_float16 && machine->gpu.has_storage16)
      return strcmp(c->type, "f32") == 0 || strcmp(c->type, "f16") == 0;
    return strcmp(a->type, "f32") == 0 && strcmp(c->type, "f32") == 0;
  }
  p->is_tf32 =
      p->loops.anchor->allows_tf32 && strcmp(a->type, "f32") == 0 && machine->gpu.arch >= 80;
  p->uses_tensor_cores = is_f16 || is_bf16 || is_i8 || p->is_tf32;
  if (is_i8)
    return strcmp(c->type, "i32") == 0 && p->loops.anchor->widens;
  if (is_f16 || is_bf16)
    return strcmp(c->type, "f32") == 0 || (is_f16 && strcmp(c->type, "f16") == 0);
  return strcmp(a->type, "f32") == 0 && strcmp(c->type, "f32") == 0;
}

static void add_sizes(tune_value_set *set, int64_t extent, int64_t least, int64_t most, bool pads) {
  for (int64_t size = least; size <= most; size *= 2)
    if (pads || extent % size == 0)
      tune_value_set_add(set, size);
}

// Parallel loops beside the rows and columns.
static int64_t count_other_loops(const tune_gpu_tiles_plan *p) {
  int64_t count = 0;
  for (size_t i = 0; i < p->loops.anchor->loop_count; i++)
    count += !p->loops.anchor->is_reduction[i] && i != p->loops.row && i != p->loops.col;
  return count;
}

static int64_t count_tiles(const tune_gpu_tiles_plan *p, int64_t rows, int64_t cols) {
  return ((p->loops.rows + rows - 1) / rows) * ((p->loops.cols + cols - 1) / cols);
}

// Square tiles read least for what they compute.
static int64_t worth_of(int64_t rows, int64_t cols) { return rows * cols / (rows + cols); }

// Where even the smallest tiles are too few for half of the multiprocessors: of tiles up to 64 x 64
// those that, in as many parts as there may be, keep most of the device busy with large tiles, and
// no more parts than that takes.
static void choose_parts(tune_gpu_tiles_plan *p, int64_t processors) {
  int64_t most = p->parts.values[p->parts.count - 1];
  double best = 0;
  for (size_t r = 0; r < p->rows.count; r++)
    for (size_t c = 0; c < p->cols.count; c++) {
      int64_t rows = p->rows.values[r], cols = p->cols.values[c];
      double use = 2.0 * (double)(count_tiles(p, rows, cols) * most) / (double)processors;
      double worth = (double)worth_of(rows, cols) * (use < 1 ? use : 1);
      if (rows <= 64 && cols <= 64 && worth > best) {
        best = worth;
        p->rows_default = rows;
        p->cols_default = cols;
      }
    }
  int64_t tiles = count_tiles(p, p->rows_default, p->cols_default);
  p->parts_default = most;
  for (size_t i = p->parts.count; i-- > 0;)
    if (2 * tiles * p->parts.values[i] >= processors)
      p->parts_default = p->parts.values[i];
}

// The largest tile of which there are enough for half of the multiprocessors, or the smallest.
static void choose_tile(tune_gpu_tiles_plan *p, const tune_machine *machine) {
  int64_t processors = machine->gpu.multiprocessors > 0 ? machine->gpu.multiprocessors : 64;
  int64_t batches = 1, best = 0;
  const tune_nest *anchor = p->loops.anchor;
  for (size_t i = 0; i < anchor->loop_count; i++)
    if (!anchor->is_reduction[i] && i != p->loops.row && i != p->loops.col)
      batches *= anchor->extent[i];
  p->rows_default = p->rows.values[0];
  p->cols_default = p->cols.values[0];
  for (size_t r = 0; r < p->rows.count; r++)
    for (size_t c = 0; c < p->cols.count; c++) {
      int64_t rows = p->rows.values[r], cols = p->cols.values[c];
      int64_t tiles = count_tiles(p, rows, cols), worth = worth_of(rows, cols);
      if (rows <= 128 && cols <= 128 && 2 * tiles * batches >= processors && worth > best) {
        best = worth;
        p->rows_default = rows;
        p->cols_default = cols;
      }
    }
  p->parts_default = 1;
  if (!best && p->parts.count)
    choose_parts(p, processors);
}

// Bands of up to eight rows of tiles, where not all tiles run at once.
static void choose_bands(tune_gpu_tiles_plan *p, const tune_machine *machine) {
  int64_t processors = machine->gpu.multiprocessors > 0 ? machine->gpu.multiprocessors : 64;
  int64_t down = p->loops.rows / p->rows_default;
  bool is_plain = !p->pads && !count_other_loops(p) && (p->fused || p->loops.row < p->loops.col);
  p->bands_default = 1;
  for (int64_t band = 1; band <= 16 && is_plain; band *= 2) {
    if (p->loops.rows % (band * p->rows.values[0]))
      break;
    tune_value_set_add(&p->bands, band);
    if (band <= 8 && down % band == 0 &&
        count_tiles(p, p->rows_default, p->cols_default) > processors)
      p->bands_default = band;
  }
  if (p->bands.count == 1)
    p->bands.count = 0;
}

// The largest that divide a tile of the knobs' largest values; none has bytes of both kinds of
// sign.
static const tune_device_matrix *find_matrix(const tune_gpu_tiles_plan *p,
                                             const tune_machine *machine) {
  const tune_nest *anchor = p->loops.anchor;
  int64_t rows = p->rows.values[p->rows.count - 1], cols = p->cols.values[p->cols.count - 1],
          depth = p->depths.values[p->depths.count - 1];
  const char *input = anchor->operands[p->loops.a].type,
             *sum = anchor->operands[anchor->input_count].type;
  if (p->bytes > 1)
    return tune_device_find_matrix(&machine->gpu, input, sum, rows, cols, depth);
  if (anchor->zero_extends[0] != anchor->zero_extends[1])
    return NULL;
  bool has_sign = !anchor->zero_extends[0];
  return tune_device_find_matrix(&machine->gpu, has_sign ? "s8" : "u8", has_sign ? "s32" : "u32",
                                 rows, cols, depth);
}

// Cooperative matrices; of the default where the device is no software, which has them for the sake
// of tests, or where there is nothing else.
static void choose_matrices(tune_gpu_tiles_plan *p, const tune_machine *machine) {
  p->matrix = has_matrices(machine) ? find_matrix(p, machine) : NULL;
  if (!p->matrix)
    return;
  bool divides = p->rows_default % p->matrix->rows == 0 && p->cols_default % p->matrix->cols == 0;
  if (p->only_matrices)
    p->tensor_cores.count = 0;
  tune_value_set_add(&p->tensor_cores, TUNE_TILES_MMA);
  if (p->only_matrices || (!machine->gpu.is_software && divides))
    p->tensor_cores_default = TUNE_TILES_MMA;
}

// Products of four warps, where the device has them and some tile 64 rows. Those of tf32 want both
// operands along the depth; by default they are not turned for it.
static void choose_tensor_cores(tune_gpu_tiles_plan *p, const tune_machine *machine) {
  const tune_operand *sum = &p->loops.anchor->operands[p->loops.anchor->input_count];
  p->has_wgmma = p->uses_tensor_cores && machine->gpu.arch == 90 && strcmp(sum->type, "f32") == 0 &&
                 p->rows.values[p->rows.count - 1] >= WGMMA_ROWS;
  p->has_swizzle = p->uses_tensor_cores && p->bytes <= 2;
  p->tensor_cores_default = p->uses_tensor_cores ? TUNE_TILES_MMA : TUNE_TILES_FMA;
  if (p->is_tf32)
    tune_value_set_add(&p->tensor_cores, TUNE_TILES_FMA);
  tune_value_set_add(&p->tensor_cores, p->tensor_cores_default);
  if (p->has_wgmma)
    tune_value_set_add(&p->tensor_cores, TUNE_TILES_WGMMA);
  bool is_as_it_lies = p->bytes < 4 || (p->a_depth_is_row && p->b_depth_is_row);
  if (p->has_wgmma && p->rows_default >= WGMMA_ROWS && is_as_it_lies)
    p->tensor_cores_default = TUNE_TILES_WGMMA;
  // Rows are of whole 16 bytes, as those that have been padded in memory are.
  const tune_contraction_plan *loops = &p->loops;
  int64_t a_row = p->a_depth_is_row ? loops->depths : loops->rows,
          b_row = p->b_depth_is_row ? loops->depths : loops->cols;
  bool is_whole = a_row * p->bytes % 16 == 0 && b_row * p->bytes % 16 == 0;
  p->has_bulk_copies = p->has_wgmma && is_as_it_lies && (p->pads || is_whole);
  p->pads_on_the_way = p->has_bulk_copies && p->pads && is_whole;
}

// Warps that leave each a part it can take: of 64 x 32 or less where that divides, or a part of 64
// x 128 for each four.
static void choose_warps(tune_gpu_tiles_plan *p) {
  int64_t part_rows = 16, part_cols = p->uses_tensor_cores ? 16 : 32;
  p->warps_y_default = p->warps_x_default = 1;
  bool is_wgmma = p->tensor_cores_default == TUNE_TILES_WGMMA;
  if (is_wgmma)
    p->warps_y_default =
        p->rows_default / WGMMA_ROWS * 4 > 8 ? 8 : p->rows_default / WGMMA_ROWS * 4;
  while (!is_wgmma && p->rows_default / p->warps_y_default > (p->uses_tensor_cores ? 64 : 32) &&
         p->rows_default / p->warps_y_default / 2 >= part_rows)
    p->warps_y_default *= 2;
  while (!is_wgmma && p->cols_default / p->warps_x_default > (p->uses_tensor_cores ? 32 : 64) &&
         p->cols_default / p->warps_x_default / 2 >= part_cols)
    p->warps_x_default *= 2;
}

int64_t tune_gpu_tiles_threads_most(const tune_machine *machine) {
  const tune_device *gpu = &machine->gpu;
  return gpu->group_size[0] < gpu->group_invocations ? gpu->group_size[0] : gpu->group_invocations;
}

int64_t tune_gpu_tiles_shared_most(const tune_machine *machine) {
  const tune_device *gpu = &machine->gpu;
  return gpu->shared_bytes_most > gpu->shared_bytes ? gpu->shared_bytes_most : gpu->shared_bytes;
}

// As lower/gpu/matmul/workgroup_matmul_copies.c and workgroup_matmul_tf32.c lay them out.
int64_t tune_gpu_tiles_gap(const tune_gpu_tiles_plan *p, bool depth_is_row) {
  return p->is_tf32 && !depth_is_row ? 32 : 16;
}

static int64_t count_shared_bytes(const tune_gpu_tiles_plan *p) {
  int64_t rows = p->rows_default, cols = p->cols_default, depth = p->depths_default,
          a_gap = tune_gpu_tiles_gap(p, p->a_depth_is_row) / p->bytes,
          b_gap = tune_gpu_tiles_gap(p, p->b_depth_is_row) / p->bytes,
          a = p->a_depth_is_row ? rows * (depth + a_gap) : depth * (rows + a_gap),
          b = p->b_depth_is_row ? cols * (depth + b_gap) : depth * (cols + b_gap);
  return (a + b) * p->bytes * p->stages_default;
}

static int64_t halve(const tune_value_set *set, int64_t value) {
  return tune_value_set_at_most(set, value / 2);
}

// Makes the tile smaller until a group of this device has the threads and the shared memory for it.
static void fit_tile(tune_gpu_tiles_plan *p, const tune_machine *machine) {
  while (count_shared_bytes(p) > tune_gpu_tiles_shared_most(machine) && p->stages_default > 1)
    --p->stages_default;
  for (;;) {
    choose_warps(p);
    int64_t threads = p->warps_y_default * p->warps_x_default * TUNE_TILES_WARP;
    if (threads <= tune_gpu_tiles_threads_most(machine) &&
        count_shared_bytes(p) <= tune_gpu_tiles_shared_most(machine))
      return;
    int64_t rows = halve(&p->rows, p->rows_default), cols = halve(&p->cols, p->cols_default);
    if (rows == p->rows_default && cols == p->cols_default)
      return;
    if (rows < p->rows_default && (p->rows_default >= p->cols_default || cols == p->cols_default))
      p->rows_default = rows;
    else
      p->cols_default = cols;
  }
}

// Whether what follows goes along the tile's rows, as a thread's part of it lies.
static bool keeps_order(const tune_contraction_plan *loops) {
  const tune_nest *epilogue = loops->epilogue;
  bool keeps = epilogue && loops->root_row < loops->root_col;
  for (size_t i = keeps ? epilogue->input_count : 0; keeps && i < epilogue->operand_count; i++)
    keeps = is_innermost(&epilogue->operands[i], loops->root_col);
  return keeps;
}

// Whether `row` is alone in one index of `image`, or with the steps of a window, pixel by pixel.
static bool slides_by_one(const tune_operand *image, size_t row) {
  size_t uses = 0;
  for (size_t i = 0; i < image->rank; i++)
    if (image->index[i].coefficient[row]) {
      uses += image->index[i].is_linear && image->index[i].coefficient[row] == 1 ? 1 : 2;
      for (size_t loop = 0; loop < TUNE_MAX_LOOPS; loop++)
        uses += image->index[i].coefficient[loop] < 0;
    }
  return uses == 1;
}

// Steps of the windows.
static int64_t count_around(const tune_contraction_plan *loops) {
  int64_t count = 1;
  for (size_t i = 0; i < loops->rest_count; i++)
    count *= loops->anchor->extent[loops->rest[i]];
  return count;
}

bool tune_gpu_tiles_plan_make(const tune_structure *structure, const tune_machine *machine,
                              tune_gpu_tiles_plan *p) {
  *p = (tune_gpu_tiles_plan){.pads = false};
  tune_machine registers = tune_gpu_registers(machine);
  bool is_cuda = machine->kind == TUNE_KIND_CUDA;
  if (structure->is_dynamic || structure->is_empty ||
      (is_cuda && machine->gpu.subgroup_size != TUNE_TILES_WARP) ||
      !tune_contraction_plan_make(structure, &registers, &p->loops) || p->loops.other_count)
    return false;
  const tune_contraction_plan *loops = &p->loops;
  if (loops->rest_count > MOST_WINDOWS || loops->rows < 16 || loops->cols < 16 ||
      loops->depths < 16 || !has_types(p, machine) ||
      (p->uses_tensor_cores && machine->gpu.arch < 80))
    return false;
  const tune_operand *a = &loops->anchor->operands[loops->a],
                     *b = &loops->anchor->operands[loops->b];
  if (loops->has_window && (!slides_by_one(a, loops->row) || !tune_operand_is_projection(b)))
    return false;
  p->a_depth_is_row = is_innermost(a, loops->depth);
  p->b_depth_is_row = is_innermost(b, loops->depth);
  if ((!p->a_depth_is_row && !is_innermost(a, loops->row)) ||
      (!p->b_depth_is_row && !is_innermost(b, loops->col)))
    return false;
  int64_t least_cols = p->uses_tensor_cores ? 16 : 32,
          least_depth = p->uses_tensor_cores ? TUNE_TILES_MMA_BYTES / p->bytes
                        : p->only_matrices   ? 16
                                             : 8;
  p->pads = loops->rows % 16 || loops->cols % least_cols || loops->depths % least_depth;
  bool has_around = loops->has_window || loops->rest_count || tune_structure_has_pad(structure);
  if (p->pads && (has_around || (loops->init && !loops->starts_filled)))
    return false;
  p->fused = p->pads || !keeps_order(loops) ? NULL : loops->epilogue;
  add_sizes(&p->rows, loops->rows, 16, 256, p->pads);
  add_sizes(&p->cols, loops->cols, least_cols, 256, p->pads);
  add_sizes(&p->depths, loops->depths, least_depth,
            p->uses_tensor_cores || p->only_matrices ? 128 / p->bytes : 32, p->pads);
  // A loop of one step would be none, with nothing to copy ahead for, unless there are others.
  while (p->depths.count &&
         p->depths.values[p->depths.count - 1] >= loops->depths + (count_around(loops) > 1))
    p->depths.count--;
  if (!p->depths.count)
    return false;
  if (!p->pads)
    p->parts = tune_gpu_split_parts(loops, 2 * p->depths.values[p->depths.count - 1]);
  choose_tile(p, machine);
  choose_tensor_cores(p, machine);
  choose_matrices(p, machine);
  if (p->only_matrices && !p->matrix)
    return false;
  p->depths_default =
      tune_value_set_at_most(&p->depths, p->tensor_cores_default == TUNE_TILES_WGMMA ? 64
                                         : p->tensor_cores_default == TUNE_TILES_MMA ? 64 / p->bytes
                                                                                     : 16);
  // Without asynchronous copies a step is ahead in registers, and there is nothing more to wait
  // for.
  for (int64_t stages = 1; stages <= (machine->gpu.arch >= 80 ? 6 : 2); stages++)
    tune_value_set_add(&p->stages, stages);
  p->reads_ahead = machine->gpu.arch < 80;
  p->stages_default = tune_value_set_at_most(&p->stages, 3);
  fit_tile(p, machine);
  choose_bands(p, machine);
  tune_gpu_tiles_choose_clusters(p, machine);
  for (int64_t warps = 1; warps <= 8; warps *= 2) {
    tune_value_set_add(&p->warps_y, warps);
    tune_value_set_add(&p->warps_x, warps);
  }
  return true;
}
