//===- gpu_tiles.c - Matrix products by whole groups --------------------------------===//
//
// A group of threads has a tile of the output, and goes along the depth in steps whose tiles of A
// and B it copies to shared memory ahead of time; what follows elementwise is done in registers.
// How, is the lowering's (lower/group_tiles.h): products of f16, bf16 and i8 by tensor cores, of
// f32 by multiply-adds. Batches are groups of their own.
//
// Convolutions are such products for each step of their windows: rows are neighbouring pixels of a
// line, as they lie in the image.
//
// Products of too few tiles may have their depth divided (gpu_split.h).
//
// Sizes that make no whole tiles are padded with zeroes first, as in gpu_contraction.c; bulk copies
// fill in the zeroes themselves (lower/padded_edges.h has them read what is not padded).
//
//===--------------------------------------------------------------------------===//

#include "transforms/rules/contraction_plan.h"
#include "transforms/rules/gpu_parts.h"
#include "transforms/rules/gpu_split.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OP "!transform.any_op"
#define PARAM "!transform.param<i64>"

enum { FMA, MMA, WGMMA }; // values of tune.tile.tensor_cores

enum {
  WARP = 32,
  WGMMA_ROWS = 64,         // of a product of four warps
  MOST_ACCUMULATORS = 128, // of a thread, which may have 255 registers
  OTHER_REGISTERS = 32,    // that a thread needs beside them at the least
  MOST_WINDOWS = 3,        // loops around that along the depth (lower/group_tiles_parts.h)
  MMA_BYTES = 32,          // of a line of A or B, along the depth, in an mma.sync
  MOST_PRODUCTS = 512,     // pieces of mma.sync in the loop's body; more takes seconds to compile
  MOST_MULTIPLY_ADDS = 2048,
};

typedef struct plan {
  tune_contraction_plan loops;
  bool uses_tensor_cores, has_wgmma;
  bool has_bulk_copies, pads_on_the_way; // by bulk copies of what is not padded in memory
  int64_t bytes;                         // of an element of A and B
  bool a_depth_is_row, b_depth_is_row;   // neighbours in memory are neighbours along the depth
  tune_value_set rows, cols, depths, warps_y, warps_x, stages, tensor_cores;
  tune_value_set bands; // rows of tiles that go together; none: not decided
  int64_t bands_default;
  tune_value_set parts; // of the depth, beside the whole
  int64_t parts_default;
  int64_t rows_default, cols_default, depths_default, warps_y_default, warps_x_default;
  int64_t tensor_cores_default; // of tune.tile.tensor_cores
  bool pads;
  const tune_nest *fused; // what follows elementwise, where tiles go through it; or NULL
} plan;

// Whether loop `loop` of the anchor is the innermost index of the operand, by itself.
static bool is_innermost(const tune_operand *operand, size_t loop) {
  const tune_index *index = &operand->index[operand->rank - 1];
  bool is_alone = index->is_linear && !index->constant;
  for (size_t i = 0; i < TUNE_MAX_LOOPS; i++)
    is_alone &= index->coefficient[i] == (i == loop);
  return is_alone;
}

static bool has_types(plan *p) {
  const tune_operand *a = &p->loops.anchor->operands[p->loops.a],
                     *b = &p->loops.anchor->operands[p->loops.b],
                     *c = &p->loops.anchor->operands[p->loops.anchor->input_count];
  if (strcmp(a->type, b->type) != 0)
    return false;
  p->bytes = a->bits / 8;
  bool is_f16 = strcmp(a->type, "f16") == 0, is_bf16 = strcmp(a->type, "bf16") == 0,
       is_i8 = strcmp(a->type, "i8") == 0;
  p->uses_tensor_cores = is_f16 || is_bf16 || is_i8;
  if (is_i8)
    return strcmp(c->type, "i32") == 0 && p->loops.anchor->widens;
  if (p->uses_tensor_cores)
    return strcmp(c->type, "f32") == 0 || (is_f16 && strcmp(c->type, "f16") == 0);
  return strcmp(a->type, "f32") == 0 && strcmp(c->type, "f32") == 0;
}

static void add_sizes(tune_value_set *set, int64_t extent, int64_t least, int64_t most, bool pads) {
  for (int64_t size = least; size <= most; size *= 2)
    if (pads || extent % size == 0)
      tune_value_set_add(set, size);
}

// Parallel loops beside the rows and columns.
static int64_t count_other_loops(const plan *p) {
  int64_t count = 0;
  for (size_t i = 0; i < p->loops.anchor->loop_count; i++)
    count += !p->loops.anchor->is_reduction[i] && i != p->loops.row && i != p->loops.col;
  return count;
}

static int64_t count_tiles(const plan *p, int64_t rows, int64_t cols) {
  return ((p->loops.rows + rows - 1) / rows) * ((p->loops.cols + cols - 1) / cols);
}

// Square tiles read least for what they compute.
static int64_t worth_of(int64_t rows, int64_t cols) { return rows * cols / (rows + cols); }

// Where even the smallest tiles are too few for half of the multiprocessors: of tiles up to 64 x 64
// those that, in as many parts as there may be, keep most of the device busy with large tiles, and
// no more parts than that takes.
static void choose_parts(plan *p, int64_t processors) {
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
static void choose_tile(plan *p, const tune_machine *machine) {
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
static void choose_bands(plan *p, const tune_machine *machine) {
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

// Products of four warps, where the device has them and some tile 64 rows.
static void choose_tensor_cores(plan *p, const tune_machine *machine) {
  const tune_operand *sum = &p->loops.anchor->operands[p->loops.anchor->input_count];
  p->has_wgmma = p->uses_tensor_cores && machine->gpu.arch == 90 && strcmp(sum->type, "f32") == 0 &&
                 p->rows.values[p->rows.count - 1] >= WGMMA_ROWS;
  p->tensor_cores_default = p->uses_tensor_cores ? MMA : FMA;
  tune_value_set_add(&p->tensor_cores, p->tensor_cores_default);
  if (p->has_wgmma)
    tune_value_set_add(&p->tensor_cores, WGMMA);
  if (p->has_wgmma && p->rows_default >= WGMMA_ROWS)
    p->tensor_cores_default = WGMMA;
  // Rows are of whole 16 bytes, as those that have been padded in memory are.
  const tune_contraction_plan *loops = &p->loops;
  int64_t a_row = p->a_depth_is_row ? loops->depths : loops->rows,
          b_row = p->b_depth_is_row ? loops->depths : loops->cols;
  bool is_whole = a_row * p->bytes % 16 == 0 && b_row * p->bytes % 16 == 0;
  p->has_bulk_copies = p->has_wgmma && (p->pads || is_whole);
  p->pads_on_the_way = p->has_bulk_copies && p->pads && is_whole;
}

// Warps that leave each a part it can take: of 64 x 32 or less where that divides, or a part of 64
// x 128 for each four.
static void choose_warps(plan *p) {
  int64_t part_rows = 16, part_cols = p->uses_tensor_cores ? 16 : 32;
  p->warps_y_default = p->warps_x_default = 1;
  bool is_wgmma = p->tensor_cores_default == WGMMA;
  if (is_wgmma)
    p->warps_y_default =
        p->rows_default / WGMMA_ROWS * 4 > 8 ? 8 : p->rows_default / WGMMA_ROWS * 4;
  while (!is_wgmma && p->rows_default / p->warps_y_default > (p->uses_tensor_cores ? 64 : 32) &&
         p->rows_default / p->warps_y_default / 2 >= part_rows)
    p->warps_y_default *= 2;
  while (!is_wgmma && p->cols_default / p->warps_x_default > (p->uses_tensor_cores ? 32 : 64) &&
         p->cols_default / p->warps_x_default / 2 >= part_cols)
    p->warps_x_default *= 2;
  for (int64_t warps = 1; warps <= 8; warps *= 2) {
    tune_value_set_add(&p->warps_y, warps);
    tune_value_set_add(&p->warps_x, warps);
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

static bool make_plan(const tune_structure *structure, const tune_machine *machine, plan *p) {
  *p = (plan){.pads = false};
  tune_machine registers = tune_gpu_registers(machine);
  if (structure->is_dynamic || structure->is_empty || machine->gpu.subgroup_size != WARP ||
      !tune_contraction_plan_make(structure, &registers, &p->loops) || p->loops.other_count)
    return false;
  const tune_contraction_plan *loops = &p->loops;
  if (loops->rest_count > MOST_WINDOWS || loops->rows < 16 || loops->cols < 16 ||
      loops->depths < 16 || !has_types(p) || (p->uses_tensor_cores && machine->gpu.arch < 80))
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
          least_depth = p->uses_tensor_cores ? MMA_BYTES / p->bytes : 8;
  p->pads = loops->rows % 16 || loops->cols % least_cols || loops->depths % least_depth;
  bool has_around = loops->has_window || loops->rest_count || tune_structure_has_pad(structure);
  if (p->pads && (has_around || (loops->init && !loops->starts_filled)))
    return false;
  p->fused = p->pads || !keeps_order(loops) ? NULL : loops->epilogue;
  add_sizes(&p->rows, loops->rows, 16, 256, p->pads);
  add_sizes(&p->cols, loops->cols, least_cols, 256, p->pads);
  add_sizes(&p->depths, loops->depths, least_depth, p->uses_tensor_cores ? 128 / p->bytes : 32,
            p->pads);
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
  choose_bands(p, machine);
  choose_warps(p);
  p->depths_default = tune_value_set_at_most(&p->depths, p->tensor_cores_default == WGMMA ? 64
                                                         : p->uses_tensor_cores ? 64 / p->bytes
                                                                                : 16);
  for (int64_t stages = 1; stages <= 6; stages++)
    if (stages == 1 || machine->gpu.arch >= 80)
      tune_value_set_add(&p->stages, stages);
  return true;
}

static bool gpu_tiles_applies(const tune_structure *structure, const tune_machine *machine) {
  plan p;
  return make_plan(structure, machine, &p);
}

//===--------------------------------------------------------------------------===//
// Knobs
//===--------------------------------------------------------------------------===//

static void write_part_constraints(const plan *p, tune_writer *w) {
  char lines[1024];
  snprintf(lines, sizeof lines,
           "%%part = smt.int.constant 16\n"
           "%%parts = smt.int.mul %%warps_y_, %%part\n"
           "%%rest = smt.int.mod %%rows_, %%parts\n"
           "%%none = smt.int.constant 0\n"
           "%%fits = smt.int.cmp le %%rest, %%none\n"
           "smt.assert %%fits");
  tune_writer_constraint(w, "warps divide the rows of a tile, by 16", 2,
                         (const char *const[]){"rows", "warps_y"}, lines);
  snprintf(lines, sizeof lines,
           "%%part = smt.int.constant %d\n"
           "%%parts = smt.int.mul %%warps_x_, %%part\n"
           "%%rest = smt.int.mod %%cols_, %%parts\n"
           "%%none = smt.int.constant 0\n"
           "%%fits = smt.int.cmp le %%rest, %%none\n"
           "smt.assert %%fits",
           p->uses_tensor_cores ? 16 : 32);
  tune_writer_constraint(w, "warps divide the columns of a tile", 2,
                         (const char *const[]){"cols", "warps_x"}, lines);
}

static void write_size_constraints(const plan *p, const tune_machine *machine, tune_writer *w) {
  static const char *const TILE[] = {"rows", "cols", "warps_y", "warps_x", "depth"};
  char lines[1024];
  snprintf(lines, sizeof lines,
           "%%warp = smt.int.constant %d\n"
           "%%threads = smt.int.mul %%warps_y_, %%warps_x_, %%warp\n"
           "%%most = smt.int.constant %" PRId64 "\n"
           "%%fits = smt.int.cmp le %%threads, %%most\n"
           "smt.assert %%fits",
           WARP, machine->gpu.group_invocations);
  tune_writer_constraint(w, "a group has no more threads than the device allows", 2, TILE + 2,
                         lines);
  snprintf(lines, sizeof lines,
           "%%each = smt.int.constant %d\n"
           "%%most = smt.int.mul %%warps_y_, %%warps_x_, %%each\n"
           "%%all = smt.int.mul %%rows_, %%cols_\n"
           "%%fits = smt.int.cmp le %%all, %%most\n"
           "smt.assert %%fits",
           MOST_ACCUMULATORS * WARP);
  tune_writer_constraint(w, "the accumulators of a thread fit its registers", 4, TILE, lines);
  if (machine->gpu.group_registers > 0) {
    snprintf(lines, sizeof lines,
             "%%each = smt.int.constant %d\n"
             "%%others = smt.int.mul %%warps_y_, %%warps_x_, %%each\n"
             "%%sums = smt.int.mul %%rows_, %%cols_\n"
             "%%all = smt.int.add %%sums, %%others\n"
             "%%most = smt.int.constant %" PRId64 "\n"
             "%%fits = smt.int.cmp le %%all, %%most\n"
             "smt.assert %%fits",
             OTHER_REGISTERS * WARP, machine->gpu.group_registers);
    tune_writer_constraint(w, "the accumulators of a group fit its registers, beside others", 4,
                           TILE, lines);
  }
  // Products of 16 x 8 pieces by a warp, or multiply-adds by a thread.
  snprintf(lines, sizeof lines,
           "%%each = smt.int.constant %d\n"
           "%%most = smt.int.mul %%warps_y_, %%warps_x_, %%each\n"
           "%%all = smt.int.mul %%rows_, %%cols_, %%depth_\n"
           "%%fits = smt.int.cmp le %%all, %%most\n"
           "smt.assert %%fits",
           p->uses_tensor_cores ? MOST_PRODUCTS * 16 * 8 * (int)(MMA_BYTES / p->bytes)
                                : MOST_MULTIPLY_ADDS * WARP);
  tune_writer_constraint(w, "a longer body takes seconds to compile", 5, TILE, lines);
}

// As lower/group_tiles_copies.c lays out what is in shared memory.
static void write_memory_constraint(const plan *p, const tune_machine *machine, tune_writer *w) {
  int64_t most = machine->gpu.shared_bytes_most > machine->gpu.shared_bytes
                     ? machine->gpu.shared_bytes_most
                     : machine->gpu.shared_bytes;
  char lines[1024];
  snprintf(lines, sizeof lines,
           "%%gap = smt.int.constant %" PRId64 "\n"
           "%%bytes = smt.int.constant %" PRId64 "\n"
           "%%most = smt.int.constant %" PRId64 "\n"
           "%%a_row = smt.int.add %%%s_, %%gap\n"
           "%%b_row = smt.int.add %%%s_, %%gap\n"
           "%%a = smt.int.mul %%%s_, %%a_row\n"
           "%%b = smt.int.mul %%%s_, %%b_row\n"
           "%%both = smt.int.add %%a, %%b\n"
           "%%all = smt.int.mul %%both, %%stages_, %%bytes\n"
           "%%fits = smt.int.cmp le %%all, %%most\n"
           "smt.assert %%fits",
           16 / p->bytes, p->bytes, most, p->a_depth_is_row ? "depth" : "rows",
           p->b_depth_is_row ? "depth" : "cols", p->a_depth_is_row ? "rows" : "depth",
           p->b_depth_is_row ? "cols" : "depth");
  tune_writer_constraint(w, "the tiles of all stages fit into the shared memory of a group", 4,
                         (const char *const[]){"rows", "cols", "depth", "stages"}, lines);
}

static void write_wgmma_knob(const plan *p, tune_writer *w) {
  tune_writer_knob(w, "tensor_cores", NULL, TUNE_LEVEL_GPU, &p->tensor_cores,
                   p->tensor_cores_default);
  char lines[512];
  snprintf(lines, sizeof lines,
           "%%wgmma = smt.int.constant %d\n"
           "%%four = smt.int.constant 4\n"
           "%%none = smt.int.constant 0\n"
           "%%rest = smt.int.mod %%warps_y_, %%four\n"
           "%%is_wgmma = smt.int.cmp ge %%tensor_cores_, %%wgmma\n"
           "%%divides = smt.int.cmp le %%rest, %%none\n"
           "%%fits = smt.implies %%is_wgmma, %%divides\n"
           "smt.assert %%fits",
           WGMMA);
  tune_writer_constraint(w, "wgmma takes four warps along the rows", 2,
                         (const char *const[]){"tensor_cores", "warps_y"}, lines);
}

static void write_bulk_knob(const plan *p, tune_writer *w) {
  tune_value_set flag = {2, {0, 1}};
  tune_writer_knob(w, "bulk_copies", NULL, TUNE_LEVEL_GPU, &flag, p->tensor_cores_default == WGMMA);
  char lines[256];
  snprintf(lines, sizeof lines,
           "%%mma = smt.int.constant %d\n"
           "%%most = smt.int.sub %%tensor_cores_, %%mma\n"
           "%%fits = smt.int.cmp le %%bulk_copies_, %%most\n"
           "smt.assert %%fits",
           MMA);
  tune_writer_constraint(w, "bulk copies are for wgmma", 2,
                         (const char *const[]){"tensor_cores", "bulk_copies"}, lines);
}

static void write_band_knob(const plan *p, tune_writer *w) {
  tune_writer_knob(w, "band", NULL, TUNE_LEVEL_GPU, &p->bands, p->bands_default);
  char lines[512];
  snprintf(lines, sizeof lines,
           "%%total = smt.int.constant %" PRId64 "\n"
           "%%together = smt.int.mul %%rows_, %%band_\n"
           "%%rest = smt.int.mod %%total, %%together\n"
           "%%none = smt.int.constant 0\n"
           "%%fits = smt.int.cmp le %%rest, %%none\n"
           "smt.assert %%fits",
           p->loops.rows);
  tune_writer_constraint(w, "bands divide the rows of tiles", 2,
                         (const char *const[]){"rows", "band"}, lines);
}

static void write_knobs(const plan *p, const tune_machine *machine, tune_writer *w) {
  tune_writer_knob(w, "rows", "tile", TUNE_LEVEL_GPU, &p->rows, p->rows_default);
  tune_writer_knob(w, "cols", "tile", TUNE_LEVEL_GPU, &p->cols, p->cols_default);
  tune_writer_knob(w, "depth", "tile", TUNE_LEVEL_GPU, &p->depths, p->depths_default);
  tune_writer_knob(w, "warps_y", "parallel", TUNE_LEVEL_GPU, &p->warps_y, p->warps_y_default);
  tune_writer_knob(w, "warps_x", "parallel", TUNE_LEVEL_GPU, &p->warps_x, p->warps_x_default);
  tune_writer_knob(w, "stages", NULL, TUNE_LEVEL_GPU, &p->stages,
                   tune_value_set_at_most(&p->stages, 3));
  if (p->has_wgmma)
    write_wgmma_knob(p, w);
  if (p->has_bulk_copies)
    write_bulk_knob(p, w);
  if (p->bands.count)
    write_band_knob(p, w);
  write_part_constraints(p, w);
  write_size_constraints(p, machine, w);
  write_memory_constraint(p, machine, w);
}

//===--------------------------------------------------------------------------===//
// The schedule
//===--------------------------------------------------------------------------===//

static void write_padding(const plan *p, tune_writer *w) {
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
static void write_grid(const plan *p, tune_writer *w) {
  size_t rank;
  const char *grid =
      tune_gpu_write_product_grid(&p->loops, p->fused, p->pads, "%rows", "%cols", &rank, w);
  tune_gpu_write_mapping(grid, rank, w);
  annotate(grid, "warps_y", "warps_y", w);
  annotate(grid, "warps_x", "warps_x", w);
  annotate(grid, "stages", "stages", w);
  if (p->bands.count)
    annotate(grid, "band", "band", w);
  if (!p->has_wgmma)
    tune_writer_line(w, "%%tensor_cores = transform.param.constant %" PRId64 " : i64 -> " PARAM,
                     p->tensor_cores_default);
  annotate(grid, "tensor_cores", "tensor_cores", w);
  if (p->has_bulk_copies)
    annotate(grid, "bulk_copies", "bulk_copies", w);
}

static void write_depth(const plan *p, tune_writer *w) {
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

static void write_product(const plan *p, tune_writer *w) {
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

static void write_whole(const plan *p, tune_writer *w) {
  tune_gpu_write_product_nests(&p->loops, w);
  write_product(p, w);
}

// The knobs are those of the whole; each of their depths divides a part.
static void write_in_parts(const plan *p, int64_t parts, const tune_machine *machine,
                           tune_writer *w) {
  tune_machine registers = tune_gpu_registers(machine);
  tune_contraction_split split;
  plan of_part;
  if (!tune_contraction_split_into(&p->loops, parts, &registers, &split) ||
      !make_plan(&split.structure, machine, &of_part))
    return;
  of_part.bands = p->bands; // rows and columns are the last dimensions there, too
  tune_gpu_write_split(&split, w);
  write_product(&of_part, w);
}

static void write_parts(const plan *p, const tune_machine *machine, tune_writer *w) {
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

static void gpu_tiles_write(const tune_structure *structure, const tune_machine *machine,
                            tune_writer *w) {
  plan p;
  if (!make_plan(structure, machine, &p))
    return;
  tune_writer_begin_tensors(w, "rule 'gpu_tiles': a tile of the output for each group of threads");
  write_knobs(&p, machine, w);
  if (p.parts.count)
    write_parts(&p, machine, w);
  else
    write_whole(&p, w);
  tune_gpu_write_end(structure, machine, false, p.loops.anchor->widens, w);
}

const tune_rule tune_rule_gpu_tiles = {
    .name = "gpu_tiles",
    .summary = "matrix products on CUDA: tiles of groups, through shared memory",
    .kinds = 1u << TUNE_KIND_CUDA,
    .applies = gpu_tiles_applies,
    .write = gpu_tiles_write,
};
