//===- workgroup_matmul_fma.c - A group's tile by multiply-adds of threads ---===//
//
// A warp is 4 x 8 threads. Each has some lines of A and of B: where a line's depths are neighbours
// in shared memory, every fourth row of A (every eighth column of B), four depths of which are read
// at once; else blocks of four neighbouring lines, read at once for each depth. What is narrower
// than the sum is widened as it is read.
//
//===--------------------------------------------------------------------------===//

#include "dialects/diagnostic.h"
#include "transforms/lower/gpu/matmul/workgroup_matmul_tile.h"

enum { DOWN = 4, ACROSS = 8, WIDTH = 4, MOST_LINES = 32 };

// How a thread's lines of an operand lie.
typedef struct lines {
  const tune_tile_operand *operand;
  MlirValue first; // line of the tile
  int64_t threads; // that share a line's direction
  int64_t count;   // lines of a thread
} lines;

static int64_t count_down(const tune_tile *tile) { return tile->rows / tile->warps_y / DOWN; }
static int64_t count_across(const tune_tile *tile) { return tile->cols / tile->warps_x / ACROSS; }

static tune_status fma_check(const tune_tile *tile, const tune_device *device) {
  (void)device;
  MlirType element = tile->a.element;
  bool is_known = mlirTypeIsAF32(tile->sum) ? mlirTypeIsAF32(element) || mlirTypeIsAF16(element)
                                            : mlirTypeIsAF16(tile->sum) && mlirTypeIsAF16(element);
  if (!is_known || !mlirTypeEqual(element, tile->b.element))
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "threads multiply tiles of f32 or f16 into f32, or f16 into f16");
  int64_t down = count_down(tile), across = count_across(tile);
  if (tile->rows % (tile->warps_y * DOWN) || tile->cols % (tile->warps_x * ACROSS) ||
      down % WIDTH || across % WIDTH || tile->depth % WIDTH || down > MOST_LINES ||
      across > MOST_LINES)
    return tune_status_make_at(TUNE_INVALID_ARGUMENT, tile->forall,
                               "a thread's part of the tile is %lld x %lld, %lld deep; expected "
                               "multiples of %d, up to %d",
                               (long long)down, (long long)across, (long long)tile->depth, WIDTH,
                               MOST_LINES);
  return TUNE_OK;
}

static size_t fma_count(const tune_tile *tile) {
  return (size_t)(count_down(tile) * (count_across(tile) / WIDTH));
}

static MlirType fma_type(const tune_tile *tile) {
  int64_t width = WIDTH;
  return mlirVectorTypeGet(1, &width, tile->sum);
}

static size_t fma_run(const tune_tile *tile) { return tile->b.depth_is_row ? 1 : WIDTH; }

static void fma_position(size_t element, int64_t out_position[2], intptr_t *out_count) {
  out_position[0] = (int64_t)element;
  *out_count = 1;
}

static void find_lines(const tune_tile *tile, const tune_ir_builder *builder, lines *a, lines *b) {
  MlirValue warp = tune_tile_divide(builder, tile->thread, TUNE_TILE_WARP),
            lane = tune_tile_remainder(builder, tile->thread, TUNE_TILE_WARP);
  *a = (lines){.operand = &tile->a, .threads = DOWN, .count = count_down(tile)};
  *b = (lines){.operand = &tile->b, .threads = ACROSS, .count = count_across(tile)};
  MlirValue row = tune_tile_scale(builder, tune_tile_divide(builder, warp, tile->warps_x),
                                  a->count * DOWN),
            col = tune_tile_scale(builder, tune_tile_remainder(builder, warp, tile->warps_x),
                                  b->count * ACROSS);
  MlirValue down = tune_tile_divide(builder, lane, ACROSS),
            across = tune_tile_remainder(builder, lane, ACROSS);
  a->first =
      tune_tile_add(builder, row, tune_tile_scale(builder, down, tile->a.depth_is_row ? 1 : WIDTH));
  b->first = tune_tile_add(builder, col,
                           tune_tile_scale(builder, across, tile->b.depth_is_row ? 1 : WIDTH));
}

static MlirValue line_at(const tune_ir_builder *builder, const lines *of, int64_t number) {
  int64_t offset = of->operand->depth_is_row
                       ? number * of->threads
                       : number / WIDTH * WIDTH * of->threads + number % WIDTH;
  return tune_tile_add_number(builder, of->first, offset);
}

static void fma_place(const tune_tile *tile, const tune_ir_builder *builder, size_t piece,
                      size_t element, MlirValue *out_row, MlirValue *out_col) {
  lines a, b;
  find_lines(tile, builder, &a, &b);
  int64_t across = b.count / WIDTH, number = (int64_t)piece;
  *out_row = line_at(builder, &a, number / across);
  *out_col = line_at(builder, &b, number % across * WIDTH + (int64_t)element);
}

//===--------------------------------------------------------------------------===//
// Products
//===--------------------------------------------------------------------------===//

// Lines x four depths, from `depth` on, as scalars of the type `sum`.
static void load_lines(const tune_ir_builder *builder, const lines *of, MlirType sum,
                       MlirValue stage, int64_t depth, MlirValue (*values)[WIDTH]) {
  int64_t width = WIDTH;
  bool is_by_depth = of->operand->depth_is_row;
  for (int64_t i = 0; i < (is_by_depth ? of->count : of->count / WIDTH * WIDTH); ++i) {
    // A row of memory: line i's depths, or of depth i % 4 the lines of block i / 4.
    MlirValue line = line_at(builder, of, is_by_depth ? i : i / WIDTH * WIDTH);
    MlirValue at = tune_ir_build_index(builder, depth + (is_by_depth ? 0 : i % WIDTH));
    MlirValue indices[] = {stage, is_by_depth ? line : at, is_by_depth ? at : line};
    MlirValue vector = tune_tile_load(builder, of->operand->shared, 3, indices, WIDTH);
    if (!mlirTypeEqual(of->operand->element, sum))
      vector =
          tune_ir_build_value(builder, "arith.extf", mlirVectorTypeGet(1, &width, sum), 1, &vector);
    for (int64_t e = 0; e < WIDTH; ++e) {
      MlirValue value = tune_ir_build_extract(builder, vector, &e, 1, sum);
      if (is_by_depth)
        values[i][e] = value;
      else
        values[i / WIDTH * WIDTH + e][i % WIDTH] = value;
    }
  }
}

static void fma_multiply(const tune_tile *tile, const tune_ir_builder *builder, MlirValue stage,
                         MlirValue *pieces) {
  lines a, b;
  find_lines(tile, builder, &a, &b);
  MlirType type = fma_type(tile);
  int64_t across = b.count / WIDTH;
  MlirValue a_values[MOST_LINES][WIDTH], b_values[MOST_LINES][WIDTH];
  for (int64_t depth = 0; depth < tile->depth; depth += WIDTH) {
    load_lines(builder, &a, tile->sum, stage, depth, a_values);
    load_lines(builder, &b, tile->sum, stage, depth, b_values);
    for (int64_t k = 0; k < WIDTH; ++k)
      for (int64_t j = 0; j < across; ++j) {
        MlirValue of_b[WIDTH];
        for (int64_t e = 0; e < WIDTH; ++e)
          of_b[e] = b_values[j * WIDTH + e][k];
        MlirValue vector = tune_tile_from_elements(builder, type, WIDTH, of_b);
        for (int64_t i = 0; i < a.count; ++i) {
          MlirValue operands[] = {
              tune_ir_build_value(builder, "vector.broadcast", type, 1, &a_values[i][k]), vector,
              pieces[i * across + j]};
          pieces[i * across + j] = tune_ir_build_value(builder, "math.fma", type, 3, operands);
        }
      }
  }
}

const tune_tile_core tune_tile_fma = {.check = fma_check,
                                      .count = fma_count,
                                      .type = fma_type,
                                      .elements = WIDTH,
                                      .run = fma_run,
                                      .place = fma_place,
                                      .position = fma_position,
                                      .multiply = fma_multiply};
